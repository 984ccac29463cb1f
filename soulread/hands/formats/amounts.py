"""Amounts in files, and the chip they are counted in.

A `Hand` holds whole chips. Money is counted in cents, or in something smaller if a hand needs it, so the same
hand has the same amounts whichever format it was read from. Chips without a price are counted as they are.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from soulread.hands.referee import Unfit

MAX_DIGITS = 15
MAX_DECIMALS = 6

_PART = re.compile(r"\.([0-9]+)")

CHIPS = ("1", *("0." + "0" * (places - 1) + "1" for places in range(1, MAX_DECIMALS + 1)))


def decimals_for(amounts: Iterable[str], currency: str) -> int:
    """The decimals that a chip needs: 2 for money, 0 without decimals, more where an amount has more."""
    decimals = 2 if currency else 0
    for part in _PART.findall(" ".join(amounts)):
        if len(part) > decimals:
            decimals = max(decimals, len(part.rstrip("0")))
    if decimals > MAX_DECIMALS:
        raise Unfit("an amount cannot be read", f"more than {MAX_DECIMALS} decimals")
    return decimals


@lru_cache(maxsize=2**16)
def chips_of(text: str, decimals: int) -> int:
    """``chips_of("47.5", 2) -> 4750``."""
    whole, _, part = text.partition(".")
    if part:
        part = part.rstrip("0")
    digits = whole + part.ljust(decimals, "0")
    if len(part) > decimals or len(digits) > MAX_DIGITS or not (digits.isascii() and digits.isdigit()):
        raise Unfit("an amount cannot be read", repr(text[:30]))
    return int(digits)


def decimals_of(chip: str) -> int:
    """The decimals of a chip such as ``"0.01"``; raises `Unfit` for chips that are no power of ten."""
    if chip not in CHIPS:
        raise Unfit("the chip is no power of ten", repr(chip))
    return CHIPS.index(chip)
