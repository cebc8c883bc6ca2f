"""Late chunking: vectors of chunks out of one long pass of a model over their document.

The embedding model reads the whole document, so that the vector of each token knows what stands
around its chunk; only then are the tokens of each chunk pooled into its vector. What is repeated in
a chunk and what situates it plays no part: the model has read it where it stands.

Günther, Mohr, Williams, Wang and Xiao: "Late Chunking: Contextual Chunk Embeddings Using
Long-Context Embedding Models" (arXiv 2409.04701). Needs numpy, and nothing else beyond the core.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from structchunk_core.chunks import Chunk
from structchunk_core.errors import ConfigurationError, MissingDependencyError
from structchunk_core.settings import check_integer, shown
from structchunk_core.stitching import has_slice, slice_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

TokenModel = Callable[[Sequence[int]], Any]
"""From the ids of tokens to their vectors, as an array of the shape (tokens, dimension)."""

Weights = Callable[[Sequence[int]], Sequence[float]]
"""From the ids of all tokens of a document to what each counts when they are pooled."""


class TokenSpan(NamedTuple):
    """A half-open stretch of the tokens of a document."""

    start: int
    end: int


def late_vectors(
    text: str,
    chunks: Sequence[Chunk],
    tokenizer: Any,
    model: TokenModel,
    *,
    window: int,
    overlap: int | None = None,
    weights: Weights | None = None,
    normalize: bool = True,
) -> Vectors:
    """A vector for each chunk of a document, pooled from the vectors of its tokens.

    A document that is longer than the window is read in windows that overlap; each token is taken
    from the window in which it stands farther from the edge. The tokens that the tokenizer puts
    around a text (``[CLS]``, ``[SEP]``) belong to the first and to the last chunk: the vector of a
    document that is one chunk is the one that the model gives the document.

    Args:
        text: what the chunks' places speak of: the document, or the rendering of it
            (``chunker.parse(document).rendering.text`` of HTML and notebooks).
        chunks: of this document, in any order, without those that are ``derived`` (profiles of
            tables): they stand nowhere in it, so embed their ``embed_text``.
        tokenizer: of the model: of Hugging Face ``tokenizers``, or a fast one of ``transformers``;
            set to neither truncate nor pad.
        model: from ids, with those around a text, to an array of vectors.
        window: how many tokens the model reads at once, with those around a text.
        overlap: how many tokens two windows share; None means a quarter of the window.
        weights: what each token counts; None means all the same.
        normalize: whether vectors get the length 1.

    Returns:
        An array of the shape (chunks, dimension).

    Raises:
        ConfigurationError: a setting is wrong, or a chunk is none of this text.
        MissingDependencyError: numpy is not installed.
    """
    numpy = _numpy()
    check_integer("window", window, 4, "tokens")
    shared = window // 4 if overlap is None else overlap
    check_integer("overlap", shared, 0, "tokens")
    _check_places(text, chunks)
    encoded = _encoded(text, tokenizer)
    leading, trailing = _around(encoded.special_tokens_mask)
    ids = list(encoded.ids)
    count = len(ids)
    inside = ids[leading : count - trailing]
    room = window - leading - trailing
    if room < 1 or shared * 2 > room:
        raise ConfigurationError(
            f"overlap must be at most half of what the window has room for ({max(room, 0)} "
            f"tokens), got {shared}"
        )
    before, after = ids[:leading], ids[count - trailing :]
    rows: Any = None
    for (start, end), (first, behind) in zip(*_windows(len(inside), room, shared), strict=True):
        seen = numpy.asarray(model([*before, *inside[start:end], *after]), dtype=numpy.float32)
        if seen.ndim != 2 or len(seen) != leading + end - start + trailing:
            raise ConfigurationError(
                "model must give an array of one vector for each of the "
                f"{leading + end - start + trailing} tokens, got the shape {seen.shape}"
            )
        if rows is None:
            rows = numpy.zeros((count, seen.shape[1]), dtype=numpy.float32)
            rows[:leading] = seen[:leading]
        low = leading + first
        rows[low : leading + behind] = seen[low - start : leading + behind - start]
        if trailing:
            rows[count - trailing :] = seen[len(seen) - trailing :]
    spans = token_spans(chunks, encoded.offsets)
    counted = None if weights is None else weights(ids)
    return pooled(rows, spans, counted, normalize=normalize)


def token_spans(chunks: Iterable[Chunk], offsets: Sequence[tuple[int, int]]) -> list[TokenSpan]:
    """Which tokens belong to each chunk: all that have a character of its place.

    Args:
        chunks: of one document.
        offsets: where each token stands, in characters of the text that was cut, half-open and
            ascending. Those that stand nowhere (start and end are equal), in front and behind,
            belong to the chunks that the first and the last of the others belong to.
    """
    real = [number for number, (start, end) in enumerate(offsets) if end > start]
    starts = [offsets[number][0] for number in real]
    ends = [offsets[number][1] for number in real]
    found = []
    for chunk in chunks:
        if not real:
            found.append(TokenSpan(0, len(offsets)))
            continue
        low = bisect_right(ends, chunk.place.start)
        high = bisect_left(starts, chunk.place.end)
        if high <= low:  # nothing that the tokenizer sees: what stands nearest
            low = min(low, len(real) - 1)
            high = low + 1
        start = 0 if low == 0 else real[low]
        end = len(offsets) if high == len(real) else real[high - 1] + 1
        found.append(TokenSpan(start, end))
    return found


def pooled(
    vectors: Any,
    spans: Iterable[tuple[int, int]],
    weights: Sequence[float] | None = None,
    *,
    normalize: bool = True,
) -> Vectors:
    """The mean vector of each span of tokens.

    Args:
        vectors: of all tokens: an array of the shape (tokens, dimension).
        spans: half-open, none empty.
        weights: what each token counts; None, and a span in which none counts, mean all the same.
        normalize: whether vectors get the length 1.

    Returns:
        An array of the shape (spans, dimension).
    """
    numpy = _numpy()
    made = []
    for start, end in spans:
        part = vectors[start:end]
        counted = None if weights is None else numpy.asarray(weights[start:end], dtype=float)
        if counted is not None and counted.sum() > 0:
            made.append(numpy.average(part, axis=0, weights=counted))
        else:
            made.append(part.mean(axis=0))
    row: Vectors = numpy.array(made, dtype=numpy.float32).reshape(len(made), vectors.shape[1])
    if normalize:
        lengths = numpy.linalg.norm(row, axis=1, keepdims=True)
        row /= numpy.where(lengths > 0, lengths, 1)
    return row


def _windows(
    count: int, room: int, overlap: int
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The windows over so many tokens, and what is taken from each; half-open.

    The last window is as long as the others. Two that overlap part in the middle of what they
    share.
    """
    if count <= room:
        return [(0, count)], [(0, count)]
    starts = list(range(0, count - room, room - overlap))
    starts.append(count - room)
    seen = [(start, start + room) for start in starts]
    middles = [(start + before) // 2 for start, (_, before) in zip(starts[1:], seen, strict=False)]
    return seen, list(zip([0, *middles], [*middles, count], strict=True))


def _encoded(text: str, tokenizer: Any) -> Any:
    fast = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if isinstance(fast, str) or not callable(getattr(fast, "encode", None)):
        raise ConfigurationError(
            "tokenizer must be one of Hugging Face that knows offsets (a tokenizers.Tokenizer or "
            f"a fast tokenizer of transformers), got {shown(tokenizer)}"
        )
    for setting, way_out in (("truncation", "no_truncation()"), ("padding", "no_padding()")):
        if getattr(fast, setting, None) is not None:
            raise ConfigurationError(
                f"tokenizer must see the whole text as it is, but it has a {setting}: "
                f"call tokenizer.{way_out}"
            )
    encoded = fast.encode(text)
    if not hasattr(encoded, "offsets"):
        raise ConfigurationError(
            f"tokenizer must tell where tokens stand (offsets), got {shown(tokenizer)}"
        )
    return encoded


def _around(special: Sequence[int]) -> tuple[int, int]:
    """How many tokens in front and behind the tokenizer has put around the text."""
    leading = next((number for number, one in enumerate(special) if not one), len(special))
    last = next((number for number, one in enumerate(reversed(special)) if not one), 0)
    return leading, last if leading < len(special) else 0


def _check_places(text: str, chunks: Iterable[Chunk]) -> None:
    for chunk in chunks:
        start, end = chunk.place
        if not start < end <= len(text):
            raise ConfigurationError(
                "chunks must have a place in the text: those of its document, as they were cut, "
                "without profiles of tables (chunk.derived), "
                f"got one at {start}:{end} in a text of {len(text)} characters"
            )
        if not has_slice(chunk) or slice_of(chunk) != text[start:end]:
            raise ConfigurationError(
                f"text must be what the chunks were cut from, and at {start}:{end} it is not what "
                "one of them says: of HTML, notebooks and tables as records that is the rendering, "
                "chunker.parse(document, path=...).rendering.text"
            )


def _numpy() -> Any:
    try:
        import numpy as np
    except ModuleNotFoundError as error:
        raise MissingDependencyError("late chunking needs numpy: pip install numpy") from error
    return np
