"""Text for a terminal, whatever stands in it."""

from __future__ import annotations

import re

_PICTURES = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"} | {127: 0x2421}
_UNPRINTABLE = re.compile("[\x80-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    r"""The text with nothing in it that a terminal would obey or could not print.

    Control characters become their pictures (U+2400 and following); lone surrogates, C1 controls
    and marks that turn the direction of writing become U+FFFD; ``\r\n`` becomes ``\n``.
    """
    return _UNPRINTABLE.sub("\ufffd", text.replace("\r\n", "\n").translate(_PICTURES))


def counted(number: int, thing: str) -> str:
    """How many there are of something: ``1 file``, ``1,200 files``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
