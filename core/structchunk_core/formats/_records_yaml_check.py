"""Whether a document is YAML, and if not, where that begins: what libyaml says of it.

The scan of the entries reads lines by their indentation, whatever stands there; libyaml knows the
rest and stops at the first fault. Events are all that is asked of it: nothing is built, and no
tag or alias is followed. A PyYAML that was made without libyaml is not asked, and that is noted: in
pure Python it would take longer than all the rest.
"""

from __future__ import annotations

from structchunk_core.formats._records_units import Faults
from structchunk_core.source import parsable

_MOST_TAGS = 100  # of %TAG, each of which libyaml compares with all others


def note_fault(text: str, faults: Faults) -> None:
    """Note the first place where the text is no YAML, unless faults has one already.

    Args:
        text: the document.
        faults: what has been found so far; takes one more at most, and has none when nothing is
            wrong: what begins with a quote may be a string over lines that no key is above.
    """
    import yaml

    if not yaml.__with_libyaml__:
        faults.note_unchecked(
            "PyYAML is installed without libyaml, which its wheels from PyPI have"
        )
        return
    if text.count("%TAG") > _MOST_TAGS:
        faults.note_unchecked("libyaml takes too long for so many lines of %TAG")
        return
    begin = 1 if text.startswith("\ufeff") else 0
    written = parsable(text[begin:]).encode()
    try:
        yaml.CSafeLoader(written).raw_parse()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        position = begin + (mark.index if mark else 0)
        told = error.problem or error.context or ""
    except yaml.reader.ReaderError as error:
        position = begin + len(written[: error.position].decode("utf-8", "ignore"))
        told = error.reason
    else:
        faults.forget()
        return
    if not faults.is_empty():
        return
    faults.note_line(text, f"libyaml reads no further: {told}", position)
