"""An LLM of LlamaIndex as the one that is asked for sentences about chunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from llama_index.core.base.llms.base import BaseLLM

from structchunk_core import Contextualizer


def asking(llm: BaseLLM, **settings: Any) -> Contextualizer:
    """A contextualizer that asks an LLM of LlamaIndex.

    Args:
        llm: is asked to complete a prompt for each chunk.
        settings: those of :class:`structchunk_core.Contextualizer`: ``prompt``, ``window``,
            ``cache``, ``workers``, ``retries``, ...

    Raises:
        ConfigurationError: (a ``ValueError``) a setting is wrong.
    """
    named = {"name": f"{llm.class_name()}:{llm.metadata.model_name}"}
    return Contextualizer(_Completion(llm), **(named | settings))


def contextualizer_of(value: Any) -> Any:
    """What the core takes, from that or from an LLM of LlamaIndex."""
    return asking(value) if isinstance(value, BaseLLM) else value


@dataclass(frozen=True)
class _Completion:
    """From a prompt to the text of the LLM's answer."""

    llm: BaseLLM

    def __call__(self, prompt: str) -> str:
        return str(self.llm.complete(prompt).text)
