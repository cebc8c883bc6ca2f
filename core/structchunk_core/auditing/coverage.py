"""What an audit finds without looking at the structure: sizes, text, words, places."""

from __future__ import annotations

import re

from structchunk_core.auditing.audited import Audited

_NOTHING = frozenset({"\ufeff"})  # a byte order mark is none
_SEPARATORS = {"records": _NOTHING | {","}}  # a cut may fall on them; the parts say it
_LONGEST_TOLD = 1000  # characters of lost text that may have become metadata
_LONGEST_WORD = 16  # characters that a unit of the budget stands for at most
_TINY = 10
_ESCAPING = frozenset(
    {"code", "notebook", "records"}
)  # formats with strings that escape characters
_ESCAPED_BLANKS = "fnrtv"
_LONGEST_ESCAPE = 32  # characters, with the backslashes in front of it
_SHOWN = 60
_TOKEN = re.compile(r"\w+|\ufffd")
_UNSPACED = 0x0E00  # from Thai on, most scripts are written without blanks between words
_HANGUL = range(0xAC00, 0xD7B0)  # one that is not


def check_sizes(audited: Audited) -> tuple[int, ...]:
    """Find chunks that are over budget, tiny or blank; return what is embedded of each measures."""
    limit, unit = audited.limit, audited.measure.unit
    sizes = tuple(audited.measure.count(chunk.indexed) for chunk in audited.given)
    several = len(sizes) > 1 and sum(sizes) > limit
    for number, (chunk, size) in enumerate(zip(audited.given, sizes, strict=True)):
        if not chunk.text.strip():
            _note_chunk(audited, "blank-chunk", number, "a chunk without a visible character")
        elif size > limit and len(chunk.indexed) > 1:
            message = f"a chunk measures {size:,} of {limit:,} {unit}"
            _note_chunk(audited, "over-budget", number, message)
        elif several and size * _TINY < limit:
            _note_chunk(audited, "tiny-chunk", number, f"a chunk of {size:,} {unit}")
    return sizes


def check_coverage(audited: Audited) -> None:
    """Find text that is in no chunk, and text that is in several."""
    letters = audited.ground.letters
    copies = _note_copies(audited)
    runs = sorted(
        (run.at, run.at + run.length, number)
        for number, place in enumerate(audited.placements)
        for run in place.runs
        if number not in copies
    )
    position = 0
    repeated: dict[int, tuple[int, int, int]] = {}
    for start, end, number in runs:
        if start > position:
            _note_lost(audited, position, start)
        elif start < position:
            behind = min(end, position)
            low, _, count = repeated.get(number, (start, start, 0))
            repeated[number] = low, behind, count + behind - start
        position = max(position, end)
    if position < letters.length:
        _note_lost(audited, position, letters.length)
    for number, (low, high, count) in repeated.items():
        start, end = letters.span(low, high)
        message = f"{_characters(count)} of the chunk stand in another chunk as well"
        audited.note("repeated-text", start, end, message, chunk=number)


def check_texts(audited: Audited) -> None:
    """Find words that the document does not hold, cut words, and wrong or missing places."""
    letters = audited.ground.letters
    borders: set[int] = set()
    for number, (chunk, place) in enumerate(zip(audited.given, audited.placements, strict=True)):
        _check_strange(audited, number)
        if not place.is_found:
            continue
        for border in (place.at, place.end):
            if border not in borders and _cuts_word(audited, border):
                borders.add(border)
                start = letters.places[border]
                shown = audited.ground.text[max(0, start - 12) : start + 12]
                message = f"a chunk border inside a word: {_quoted(shown)}"
                audited.note("cut-word", start, start + 1, message, chunk=number)
        if chunk.start < 0:
            if chunk.has_place:
                message = "the chunk does not say where it stands"
                _note_chunk(audited, "missing-position", number, message)
        elif not _is_right(audited, number):
            span = audited.span_or_none(number)
            message = (
                f"the chunk says that it begins at character {chunk.start:,}, "
                f"its text begins at {span.start if span else -1:,}"
            )
            _note_chunk(audited, "wrong-position", number, message)


def _note_copies(audited: Audited) -> set[int]:
    """Find the chunks that say again, of the same place, what an earlier one says."""
    seen: dict[tuple[int, int, str], int] = {}
    copies: set[int] = set()
    for number, (chunk, place) in enumerate(zip(audited.given, audited.placements, strict=True)):
        if not chunk.body.strip():
            continue
        key = (place.at, place.end, "") if place.is_found else (-1, -1, chunk.body)
        first = seen.setdefault(key, number)
        if first != number:
            copies.add(number)
            message = f"the chunk says what chunk {first + 1:,} says"
            _note_chunk(audited, "duplicate-chunk", number, message)
    return copies


def _note_lost(audited: Audited, low: int, high: int) -> None:
    """Find a stretch of letters that is in no chunk, unless it has become metadata of one."""
    ground = audited.ground
    start, end = ground.letters.span(low, high)
    text = ground.text[start:end]
    if text in _SEPARATORS.get(audited.source.format, _NOTHING):
        return
    words = _TOKEN.findall(text) if len(text) <= _LONGEST_TOLD else []
    if words:
        near = audited.beginning(high, high + 1) or audited.beginning(low, ground.letters.length)
        told = " ".join(audited.given[number].told for number in near[:1])
        if set(words) <= set(_TOKEN.findall(told)):
            return
    message = f"{_characters(high - low)} are in no chunk: {_quoted(text)}"
    audited.note("lost-text", start, end, message)


def _check_strange(audited: Audited, number: int) -> None:
    """Find the words of a chunk that stand neither in the document nor in its metadata."""
    strange = audited.placements[number].strange
    if not strange:
        return
    chunk = audited.given[number]
    told = set(_TOKEN.findall(chunk.told))
    body = chunk.body.strip()
    words = [
        word
        for part in strange
        for word in _TOKEN.findall(part)
        if word not in audited.vocabulary
        and word not in told
        and not (body.startswith(word) or body.endswith(word))  # may be half a word
    ]
    if words:
        message = f"words that the document does not hold: {_quoted(' '.join(words))}"
        _note_chunk(audited, "invented-text", number, message)


def _cuts_word(audited: Audited, border: int) -> bool:
    """Whether a letter stands inside a word, and all up to the next blanks fits the budget."""
    ground = audited.ground
    places, text = ground.letters.places, ground.text
    if not 0 < border < ground.letters.length or places[border] - places[border - 1] != 1:
        return False
    start = end = places[border]
    if not (_is_spelled(text[start]) and _is_spelled(text[start - 1])):
        return False
    if audited.source.format in _ESCAPING and _is_behind_escape(text, start):
        return False
    most = _LONGEST_WORD * audited.limit
    while start > 0 and not text[start - 1].isspace() and end - start <= most:
        start -= 1
    while end < len(text) and not text[end].isspace() and end - start <= most:
        end += 1
    return end - start <= most and audited.fits(start, end)


def _is_behind_escape(text: str, position: int) -> bool:
    """Whether what ends there stands for a blank: the backslash and n of a string, or its kin."""
    before = text[max(0, position - _LONGEST_ESCAPE) : position - 1]
    slashes = len(before) - len(before.rstrip("\\"))
    return text[position - 1] in _ESCAPED_BLANKS and slashes % 2 == 1


def _is_spelled(character: str) -> bool:
    """Whether it is a letter or digit of a script with blanks between its words."""
    return character.isalnum() and (ord(character) < _UNSPACED or ord(character) in _HANGUL)


def _is_right(audited: Audited, number: int) -> bool:
    """Whether the place that a chunk names is the one at which its text stands."""
    chunk, place, ground = audited.given[number], audited.placements[number], audited.ground
    if not ground.is_source:
        span = audited.span_or_none(number)
        assert span is not None
        return chunk.start <= span.start and (chunk.end < 0 or span.start <= chunk.end)
    letters = ground.letters
    at = letters.at(chunk.start)
    end = letters.at(chunk.end) if chunk.end >= 0 else place.end
    if len(place.runs) == 1 and not place.before.strip() and not place.after.strip():
        return (at, end) == (place.at, place.end)
    return at < place.end and place.at < end


def _note_chunk(audited: Audited, rule: str, number: int, message: str) -> None:
    place = audited.placements[number]
    letters = audited.ground.letters
    if place.is_found:
        start, end = letters.span(place.at, place.end)
    else:
        start = letters.places[place.at] if place.at < letters.length else len(audited.ground.text)
        end = start
    audited.note(rule, start, end, message, chunk=number)


def _characters(count: int) -> str:
    return f"{count:,} visible {'character' if count == 1 else 'characters'}"


def _quoted(text: str) -> str:
    """The first words of a text on one line, in quotes."""
    line = " ".join(text[: 4 * _SHOWN].split())
    return repr(line if len(line) <= _SHOWN else line[: _SHOWN - 3] + "...")
