"""What a cut costs, by what it tears."""

from __future__ import annotations

from typing import Final

from structchunk_core.unit import Tie

PRICE: Final = {
    Tie.FREE: 0,
    Tie.LOOSE: 40,
    Tie.NEXT: 120,
    Tie.CLOSE: 2000,
    Tie.HEAD: 30_000,
    Tie.INSIDE: 1200,
    Tie.INLINE: 2500,
}
PRICES: Final = tuple(PRICE[tie] for tie in Tie)
"""The same by position: an enum is slow to hash."""
LEVEL_PRICES: Final = (120, 120, 1200, 1700, 2600, 4000, 9000)
"""Of the levels of ``cut_positions``, in what has no units inside."""
MIDLINE: Final = 1 << 17
"""Inside a line that fits."""
INFINITE: Final = 1 << 40
"""What is never done."""
