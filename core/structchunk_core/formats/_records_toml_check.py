"""Whether a document is TOML, and if not, where that begins: what tomllib says of it.

The pass over the statements goes over values without a look at what they say; tomllib reads all of
them, and knows which keys are there twice. It stops at the first fault.
"""

from __future__ import annotations

import re
import tomllib

from structchunk_core.formats._records_toml_values import ONE_KEY
from structchunk_core.formats._records_units import Faults

_DOTTED = re.compile(rf"(?:(?<=[\s\[{{,])|\A)(?:{ONE_KEY}[ \t]*+\.[ \t]*+){{65}}")
"""Keys of so many parts take tomllib a time that grows with the square of their number."""
_PLACE = re.compile(r" \(at (?:line ([0-9]+), column ([0-9]+)|end of document)\)\Z")


def note_fault(text: str, faults: Faults) -> None:
    """Note the first place where the text is no TOML, unless faults has one already.

    Where tomllib cannot be asked, that is noted.

    Args:
        text: the document.
        faults: what has been found so far; takes one more at most.
    """
    if not faults.is_empty():
        return
    if _DOTTED.search(text):
        faults.note_unchecked("tomllib takes too long for keys of so many parts")
        return
    begin = 1 if text.startswith("\ufeff") else 0
    try:
        tomllib.loads(text[begin:])
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = _PLACE.search(message)
        position = len(text) - 1
        if place and place[1]:
            position = begin if place[1] == "1" else _line_start(text, int(place[1]))
            position += int(place[2]) - 1
        told = message[: place.start()] if place else message
        faults.note_line(text, f"tomllib reads no further: {told}", position)
    except RecursionError:
        faults.note_unchecked("it is nested deeper than tomllib reads")
    except ValueError:
        faults.note_unchecked("it has a number of more digits than tomllib reads")


def _line_start(text: str, number: int) -> int:
    """Where a line begins, counted from 1."""
    position = 0
    for _ in range(number - 1):
        position = text.find("\n", position) + 1
    return position
