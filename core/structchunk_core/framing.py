"""How a context and a text are put together, for the reader and for what is embedded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from structchunk_core.chunks import Chunk
from structchunk_core.errors import Problem
from structchunk_core.sizing import Measure

Join = Callable[[str, str], str]
"""From the context of a chunk, or ``""``, and its text to what is embedded."""

CONTEXT_SHARE: Final = 4
"""Context and sentence together take at most this part of the budget."""

CROWDED: Final = Problem(
    "metadata-over-budget", "metadata that is embedded with the text leaves too little room for it"
)


@dataclass(frozen=True, slots=True)
class Frame:
    """How contexts and texts are put together, and what room that leaves for them.

    Attributes:
        join: what is embedded of a context and a text; None: just the two.
        glue: what stands between them then.
        inline: whether the context becomes part of the text.
        has_context: whether there are contexts at all.
        limit: what context and text have room for.
        most: what :meth:`embedded` may measure; of a crowded frame, what the text may.
        label: what a context costs beyond what it measures.
        around: what the join puts around a text.
        problems: that of a crowded frame, whose join alone leaves too little room.
        join_indexed: the join of a text that is embedded in the place of the one that is shown;
            None: that of all others.
        around_indexed: what it puts around a text beyond what the other one does.
    """

    join: Join | None
    glue: str
    inline: bool
    has_context: bool
    limit: int
    most: int
    label: int = 0
    around: int = 0
    problems: tuple[Problem, ...] = ()
    join_indexed: Join | None = None
    around_indexed: int = 0

    def of_indexed(self) -> Frame:
        """How contexts are put together with what is embedded in the place of a text."""
        return self if self.join_indexed is None else replace(self, join=self.join_indexed)

    def shown(self, context: str, text: str) -> str:
        """The text as a reader is given it."""
        return context + self.glue + text if context and self.inline else text

    def embedded(self, context: str, text: str) -> str:
        """What is embedded of a context, or ``""``, and a text."""
        if context and (self.inline or self.join is None):
            text = context + self.glue + text
            context = ""
        return text if self.join is None else self.join(context, text)

    def rewritten(self, chunk: Chunk, context: str) -> tuple[str, str]:
        """What is shown and what is embedded of a chunk that gets another context."""
        text = chunk.text
        if self.inline and chunk.context:
            text = text[len(chunk.context + self.glue) :]
        return self.shown(context, text), self.embedded(context, text)

    def counted(self, context: str, text: str) -> str:
        """What has to be counted to know whether ``most`` is kept."""
        return text if self.problems else self.embedded(context, text)


def joined(
    frame: Frame, join: Join | None, join_indexed: Join | None, measure: Measure, least: int
) -> Frame:
    """The frame with joins, and with what these leave of its room.

    Args:
        frame: one without joins.
        join: as in :class:`Frame`.
        join_indexed: as there.
        measure: the unit of the budget.
        least: what a text is given room for, whatever the join adds.
    """
    bare = measure.count("x" if join is None else join("", "x"))
    if join_indexed is not None:
        more = max(0, measure.count(join_indexed("", "x")) - bare)
        frame = replace(frame, join_indexed=join_indexed, around_indexed=more)
    if join is None:
        return frame
    frame = replace(frame, join=join)
    if not frame.inline:
        label = max(0, measure.count(join("x", "x")) - bare)
        frame = replace(frame, label=label)
    if join("", "x") == "x":
        return frame
    around = bare + (measure.slack(0) if measure.trusted else 0)
    if frame.limit - around >= least:
        return replace(frame, limit=frame.limit - around, around=around)
    return replace(
        frame, has_context=False, limit=least, most=least, around=around, problems=(CROWDED,)
    )
