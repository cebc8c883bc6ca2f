"""Three small documents that the tests of both frameworks index and search."""

from __future__ import annotations

from pathlib import Path

ORDERS = '''import decimal
import os


class Basket:
    """What a customer wants to buy."""

    def __init__(self) -> None:
        self.lines = []

    # Shipping is free above the threshold.
    def shipping(self, threshold: int) -> decimal.Decimal:
        """The price of shipping the parcel."""
        if len(self.lines) > threshold:
            return decimal.Decimal(0)
        return decimal.Decimal("4.90")

    def discount(self, voucher: str) -> decimal.Decimal:
        """What a voucher takes off the invoice."""
        rate = {"SPRING": "0.1", "AUTUMN": "0.2"}.get(voucher, "0")
        return decimal.Decimal(rate)


def export(folder: str) -> str:
    """Write an archive of all baskets into a folder."""
    target = os.path.join(folder, "baskets.zip")
    with open(target, "wb") as archive:
        archive.write(b"")
    return target
'''

GUIDE = """# Guide

Everything about the shop — größer als gedacht.

## Installation

Download the package and unpack it.

```sh
# no heading
tar xf shop.tar.gz
```

## Returns

Customers may send back damaged articles within thirty days.

1. Print the label.
2. Stick it on the box.
3. Hand it in at the counter.

## Contact

Telephone and electronic mail are answered on weekdays.
"""

CITIES = "city,country,inhabitants\n" + "".join(
    f"Town{number},Country{number % 7},{number * 1000}\n" for number in range(60)
)

FILES = {"shop/orders.py": ORDERS, "guide.md": GUIDE, "cities.csv": CITIES}


def write(folder: Path) -> Path:
    """Write the documents below the folder and hand that back."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder
