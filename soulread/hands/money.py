"""Amounts as people read them: in money or chips, and in big blinds.

A `Hand` counts in whole chips, and a chip is often a cent. Nobody reads a raise to 3000 as $30, so whatever
is shown to a user goes through `shown_amount`.
"""

import re
from decimal import Decimal

from soulread.hands.hand import Stakes

SYMBOLS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}
SIGNS = {code: symbol for symbol, code in SYMBOLS.items()}


def amount_text(chips: int, decimals: int) -> str:
    """``amount_text(4750, 2) -> "47.50"``, and ``amount_text(4700, 2) -> "47"``."""
    sign = "-" if chips < 0 else ""
    whole, part = divmod(abs(chips), 10**decimals)
    return f"{sign}{whole}.{part:0{decimals}d}" if part else f"{sign}{whole}"


def money_text(chips: int, stakes: Stakes, sign: str = "") -> str:
    """Chips in money: "$30", "€0.50", "12 SEK"; without a currency "300 chips".

    ``sign`` is "+" if an amount that was won shall begin with it.
    """
    amount = chips * Decimal(stakes.chip)
    whole = amount == amount.to_integral_value()
    places = 0 if whole else max(2 if stakes.currency else 0, -int(amount.normalize().as_tuple().exponent))
    text = f"{abs(amount):,.{places}f}"
    mark = "-" if amount < 0 else sign if amount > 0 else ""
    symbol = SIGNS.get(stakes.currency)
    if symbol is not None:
        return f"{mark}{symbol}{text}"
    if stakes.currency:
        return f"{mark}{text} {stakes.currency}"
    return f"{mark}{text} {'chip' if text == '1' else 'chips'}"


def big_blinds_text(chips: int, stakes: Stakes, sign: str = "") -> str:
    """Chips in big blinds: "5 bb", "2.5 bb"; two digits behind the point below ten, else one."""
    amount = chips / max(1, stakes.big_blind)
    text = f"{abs(amount):,.{2 if abs(amount) < 10 else 1}f}".rstrip("0").rstrip(".")
    mark = "" if text == "0" else "-" if amount < 0 else sign
    return f"{mark}{text} bb"


def betting_text(betting: str, stakes: Stakes) -> str:
    """The betting of a hand with its amounts in big blinds: "r600c/r1500f" becomes "r3c/r7.5f"."""
    return re.sub("[0-9]+", lambda found: big_blinds_text(int(found[0]), stakes)[: -len(" bb")], betting)


def shown_amount(chips: int, stakes: Stakes, sign: str = "") -> str:
    """Chips as a user sees them: "$30 (5 bb)", "300 chips (3 bb)"."""
    return f"{money_text(chips, stakes, sign)} ({big_blinds_text(chips, stakes, sign)})"
