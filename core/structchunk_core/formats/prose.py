"""Where running text may be cut: lines, sentences, clauses, words, and what is inside a word.

The last rungs of the ladder: what has no structure left and still does not fit is cut here.
No language is assumed; the marks of many scripts are known, and scripts that write without
blanks are cut between their characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

LEVELS = 7
"""How many levels :func:`cut_positions` knows: 0 (lines) to 6 (every character)."""


def cut_positions(text: str, start: int, end: int, level: int) -> Iterator[int]:
    r"""Positions at which the half-open span may be cut, ascending, strictly inside it.

    Lazy, and linear in the characters of the span. White space at a cut stays with what is above
    it. A level gives its own positions only; callers go down level by level:

    0. starts of lines (behind ``\n``)
    1. starts of sentences
    2. starts of clauses (behind ``,`` ``;`` ``:`` and dashes)
    3. starts of words; between characters of scripts that write without blanks
    4. inside words: behind punctuation, before a capital behind a small letter
    5. between what is seen as one character each (surrogate pairs, combining sequences, emoji
       sequences and ``\r\n`` stay whole)
    6. every position

    Raises:
        ValueError: there is no such level.
    """
    if level == 0:
        return _line_starts(text, start, end)
    if level == 1:
        return _parted(text, _sentence_starts(text, start, end))
    if level == 2:
        return _parted(text, _match_ends(_CLAUSE, text, start, end))
    if level == 3:
        words = _WORD if _may_be_unspaced(text, start, end) else _BLANKS
        return _parted(text, _match_ends(words, text, start, end))
    if level == 4:
        return _parted(text, _match_ends(_INSIDE_WORD, text, start, end))
    if level == 5:
        return _character_starts(text, start, end)
    if level == 6:
        return iter(range(start + 1, end))
    raise ValueError(f"level must be 0 to {LEVELS - 1}, got {level}")


_NEAR = (4, 32)
"""How far from the end of a span, in characters, a last position is looked for first."""


def last_cut(text: str, start: int, end: int, level: int) -> int:
    """The last of :func:`cut_positions`, or the start where there is none.

    Most spans are looked at near their end only: what matches there, or may part characters there,
    does not depend on what is far in front of it. Only flags pair up from the first of them on, and
    what ends a sentence is told by what that began with.
    """
    if level == 0:
        return text.rfind("\n", start, end - 1) + 1 or start
    for distance in _NEAR if level != 1 else ():
        near = end - distance
        while near > start and "\U0001f1e6" <= text[near - 1] <= "\U0001f1ff":
            near -= 1
        if near <= start:
            break
        cut = near
        for cut in cut_positions(text, near, end, level):  # noqa: B007  # the last is asked for
            pass
        if cut > near:
            return cut
    cut = start
    for cut in cut_positions(text, start, end, level):  # noqa: B007
        pass
    return cut


# White space at which a line may be broken: no-break blanks are none, the zero-width space is.
_BLANK = "[\t-\r\x1c-\x20\x85\u1680\u2000-\u2006\u2008-\u200b\u2028\u2029\u205f\u3000]"
_CLOSERS = "\"'\u201d\u2019\u00bb\u203a)\\]}"
_CLOSING_QUOTES, _OPENING_QUOTES = "\u201d\u2019", "\u201c\u2018"
_WIDE_CLOSERS = "\u300d\u300f\uff09\u3011\u3015\u300b\u3009\uff3d\uff5d" + _CLOSING_QUOTES
_WIDE_OPENERS = "\u300c\u300e\uff08\u3010\u3014\u300a\u3008\uff3b\uff5b" + _OPENING_QUOTES
# Kana, Han, Bopomofo and their halfwidth forms: written without blanks between words.
_WIDE = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3041-\u30ff\u3105-\u312f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff"
)
# Characters of these scripts that must not begin a line: small kana, length and iteration marks.
_NO_START = (
    "\u3005\u303b\u3041\u3043\u3045\u3047\u3049\u3063\u3083\u3085\u3087\u308e\u3095\u3096"
    "\u3099-\u309e\u30a0\u30a1\u30a3\u30a5\u30a7\u30a9\u30c3\u30e3\u30e5\u30e7\u30ee\u30f5\u30f6"
    "\u30fb-\u30fe\u31f0-\u31ff\uff67-\uff70"
)
_KATAKANA_PAIR = "(?<=[\u30a1-\u30fc])(?=[\u30a1-\u30fc])"  # a loan word is written in katakana
_WIDE_MARKS = "\u3001\u3002\uff0c\uff0e\uff1a\uff1b\uff01\uff1f\uff61\uff64"

_STOPS = ".!?\u2026"
# Ideographic and fullwidth stops need no blank behind them, nor do those of Indic, Arabic,
# Ethiopic, Armenian, Khmer, Burmese, Tibetan.
_WIDE_STOPS = "\u3002\uff01\uff1f\uff61"
_OTHER_STOPS = (
    "\u0964\u0965\u061f\u06d4\u1362\u1367\u1368\u0589\u17d4\u17d5\u104a\u104b\u0f0d\u0f0e"
)
_COMMAS = ",;:\u2013\u2014\u060c\u061b"
_WIDE_COMMAS = "\uff0c\uff1b\uff1a\u3001\uff64"

# Quantifiers are possessive, and a run of marks is only tried from its first: linear. Each begins
# with a set of characters, which the regex engine looks for before it tries anything.
_SENTENCE = (
    f"[{_STOPS}{_WIDE_STOPS}{_OTHER_STOPS}](?:"
    f"(?<=[{_STOPS}])(?<![{_STOPS}]{{2}})(?P<more>[{_STOPS}]*+)(?P<closers>[{_CLOSERS}]*+){_BLANK}++"
    f"|(?<=[{_WIDE_STOPS}])[{_WIDE_STOPS}]*+[{_WIDE_CLOSERS}{_CLOSERS}]*+{_BLANK}*+"
    f"|(?<=[{_OTHER_STOPS}])[{_OTHER_STOPS}]*+[{_CLOSERS}]*+{_BLANK}*+)"
)
_CLAUSE = (
    f"[{_COMMAS}{_WIDE_COMMAS}](?:"
    f"(?<=[{_COMMAS}])(?<![{_COMMAS}]{{2}})[{_COMMAS}]*+[{_CLOSERS}]*+{_BLANK}++"
    f"|(?<=[{_WIDE_COMMAS}])[{_WIDE_COMMAS}]*+[{_WIDE_CLOSERS}]*+{_BLANK}*+)"
)
_BLANKS = f"{_BLANK}{_BLANK}*+"
_WORD = (
    f"{_BLANK}++"
    f"|(?<=[{_WIDE}{_WIDE_MARKS}{_WIDE_CLOSERS}])(?![{_NO_START}]|{_KATAKANA_PAIR})"
    f"(?=[{_WIDE}{_WIDE_OPENERS}])"
    f"|(?<=[{_WIDE}{_WIDE_MARKS}])(?=[A-Za-z0-9])"
    f"|(?<=[A-Za-z0-9])(?![{_NO_START}])(?=[{_WIDE}])"
)
# Without either of these, words have blanks between them.
_UNSPACED = f"[{_WIDE}{_WIDE_MARKS}{_WIDE_CLOSERS}{_WIDE_OPENERS}]".translate(
    dict.fromkeys(map(ord, _CLOSING_QUOTES + _OPENING_QUOTES))
)
_QUOTES_IN_A_ROW = f"[{_CLOSING_QUOTES}][{_OPENING_QUOTES}]"
_INSIDE_WORD = (
    "[!-/:-@\\[-`{-~\u00a0\u00b7\u2007\u2010-\u2015\u2026\u202f]++"
    "|(?<=[a-z0-9\u00df-\u00f6\u00f8-\u00ff\u03ac-\u03ce\u0430-\u045f])"
    "(?=[A-Z\u00c0-\u00d6\u00d8-\u00de\u0391-\u03ab\u0400-\u042f])"
    f"|(?<=[\uac00-\ud7a3])(?=[\uac00-\ud7a3])|(?![{_NO_START}]){_KATAKANA_PAIR}"
)

# Many characters in a row that neither complete one of them nor are completed by one: between any
# two of them is a position. No mark will ever be among these, whatever Unicode adds.
_PLAIN_RUN = (
    "[\\0-\\x0c\\x0e-\u02ff\u0370-\u0373\u0376\u0377\u037b-\u037d\u0386\u0388-\u038a\u038e-\u03a1"
    "\u03a3-\u0482\u048a-\u052f\u1e00-\u1eff\u2010-\u2027\u2030-\u205e\u2190-\u23ff\u2500-\u27bf"
    "\u3001-\u3029\u3030-\u303f\u3041-\u3096\u309b-\u30ff\u3105-\u312f\u3400-\u9fff\ua000-\ua48c"
    "\uac00-\ud7a3\uf900-\ufa6d\uff01-\uff9d\U0001f300-\U0001f3fa\U0001f400-\U0001f6d7"
    "\U00020000-\U0003134a]{8,}+"
)


_compiled = cache(re.compile)  # when first needed: compiling takes longer than importing


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Never the end of a sentence, whatever follows.
_ABBREVIATIONS = _words(
    "dr mr mrs ms mme mlle prof st mt rev hon gen gov sgt capt lt col messrs vs cf viz approx ca "
    "esp resp incl excl bzw vgl ggf evtl sog sra srta dra fr hr"
)
# The end of a sentence only when something follows that begins one.
_CLOSING_ABBREVIATIONS = _words("etc usw al jr sr inc ltd co corp bros ed eds dept est")
# Only in front of a number.
_NUMBERED = _words(
    "no nos nr fig figs tab eq eqs ch chap sec sect art vol p pp par para app ref refs ver v min "
    "max abb kap abs s ex"
)
# The first and last of each half of a surrogate pair. (A compiler cannot write them as they are.)
_HIGH_FIRST, _HIGH_LAST = chr(0xD800), chr(0xDBFF)
_LOW_FIRST, _LOW_LAST = chr(0xDC00), chr(0xDFFF)
_LOOK_BACK = 24


def _line_starts(text: str, start: int, end: int) -> Iterator[int]:
    position = text.find("\n", start, end) + 1
    while 0 < position < end:
        yield position
        position = text.find("\n", position, end) + 1


def _sentence_starts(text: str, start: int, end: int) -> Iterator[int]:
    for match in _compiled(_SENTENCE).finditer(text, start, end):
        position = match.end()
        if position < end and (match["more"] is None or _ends_sentence(text, start, match)):
            yield position


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether marks with white space behind them close a sentence."""
    following = text[match.end()]
    marks = text[match.start() : match.end("more")]
    if marks != ".":
        trails_off = marks.endswith(("..", "\u2026"))
        return not (following.islower() and (trails_off or match["closers"]))
    if match["closers"]:
        return not following.islower()
    dot = match.start()
    begin = max(start, dot - _LOOK_BACK)
    before = text[begin:dot]
    pieces = before.split()
    if not pieces or before[-1].isspace():
        return True
    word = pieces[-1].lstrip("([{\"'\u201c\u2018\u00ab")
    lower = word.lower()
    if lower in _ABBREVIATIONS:
        return False
    if lower in _CLOSING_ABBREVIATIONS:
        return not (following.islower() or following.isdecimal() or following in "([")
    if lower in _NUMBERED and (following.isdecimal() or following in "([\u2116"):
        return False
    if len(word) == 1 and word.isupper() and word != "I":
        return False  # an initial
    if "." in word and all(len(part) == 1 and part.isalpha() for part in word.split(".")):
        return False  # e.g., i.e., U.S., a.m.
    # "1." or "b)" at the start of a line counts an item; it ends nothing
    is_counter = len(word) <= 3 and (word.isdecimal() or len(word) == 1)
    line_so_far = before[before.rfind("\n") + 1 :]
    reaches_line = "\n" in before or begin in (0, start)
    return not (is_counter and reaches_line and line_so_far.strip() == pieces[-1])


def _may_be_unspaced(text: str, start: int, end: int) -> bool:
    """Whether the span may have words without blanks between them."""
    if text.isascii():
        return False
    found = _compiled(_UNSPACED).search(text, start, end)
    return (found or _compiled(_QUOTES_IN_A_ROW).search(text, start, end)) is not None


def _match_ends(pattern: str, text: str, start: int, end: int) -> Iterator[int]:
    for match in _compiled(pattern).finditer(text, start, end):
        position = match.end()
        # A run of blanks at the very start is no piece of its own.
        if start < position < end and not (match.start() == start and text[start].isspace()):
            yield position


def _parted(text: str, positions: Iterable[int]) -> Iterator[int]:
    """The positions that do not tear a mark from the character it stands on."""
    if text.isascii():
        return iter(positions)
    return (position for position in positions if not _extends(text[position]))


def _character_starts(text: str, start: int, end: int) -> Iterator[int]:
    position = start + 1
    for run in _compiled(_PLAIN_RUN).finditer(text, start, end):
        first, behind = run.span()
        yield from _walked(text, position, first + 1)
        yield from range(max(position, first + 1), behind)
        position = behind
    yield from _walked(text, position, end)


def _walked(text: str, begin: int, end: int) -> Iterator[int]:
    """The positions of the span that may part characters; no flag ends where it begins."""
    flags = 0  # regional indicators directly before the position, since they pair up
    for position in range(begin, end):
        previous = text[position - 1]
        flags = flags + 1 if "\U0001f1e6" <= previous <= "\U0001f1ff" else 0
        if _may_part(previous, text[position], flags):
            yield position


def _may_part(previous: str, character: str, flags: int) -> bool:
    if character < "\u0300":
        return not (character == "\n" and previous == "\r")
    if _extends(character) or previous == "\u200d":
        return False
    if _LOW_FIRST <= character <= _LOW_LAST:
        return not _HIGH_FIRST <= previous <= _HIGH_LAST
    if "\U0001f1e6" <= character <= "\U0001f1ff":
        return flags % 2 == 0
    if "\u1160" <= character <= "\u11ff":  # conjoining vowels and finals
        return not ("\u1100" <= previous <= "\u11ff" or "\uac00" <= previous <= "\ud7a3")
    return True


def _extends(character: str) -> bool:
    """Whether the character only completes the one before it."""
    return character >= "\u0300" and _is_completing(character)


@lru_cache(maxsize=16_384)
def _is_completing(character: str) -> bool:
    from unicodedata import category

    return (
        category(character)[0] == "M"  # accents, vowel signs, variation selectors
        or character in "\u200d\uff9e\uff9f"
        or "\U0001f3fb" <= character <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= character <= "\U000e007f"  # emoji tags
    )
