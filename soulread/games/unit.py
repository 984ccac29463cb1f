"""Amounts of a spot in chips or big blinds, and the whole numbers they are inside.

Games count in whole numbers. An amount such as "27.5bb" becomes one by a small *unit*:

    amounts in chips                 the chip; a half, a tenth, ... of it where an amount is no whole number
    amounts in big blinds            a hundredth of a big blind, or less where an amount needs it
    chips, and the blind is known    as chips; amounts may then be told in either, and are shown in big blinds

An amount is told exactly: with at most four decimals, or it is refused.
"""

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from soulread.errors import ParseError, SoulreadError

CHIPS, BIG_BLINDS = "chips", "bb"
PARTS = 1, 2, 10, 100, 1_000, 10_000  # into which a chip may be divided
_BLIND_PARTS = PARTS[3:]  # into which a big blind is divided where nobody says how many chips it has
_AMOUNT = re.compile(r"(\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d+(?:\.\d*)?|\.\d+)\s*(bb)?", re.IGNORECASE)

Told: TypeAlias = str | int | float
"""An amount as users tell it: "27.5bb", "1,200", 27.5."""


class SpotAmount(NamedTuple):
    """A number of chips or of big blinds."""

    number: Fraction
    unit: str = CHIPS  # or "bb"

    def __str__(self) -> str:
        return f"{number_text(float(self.number))}{BIG_BLINDS if self.unit == BIG_BLINDS else ''}"


class ChipUnit(NamedTuple):
    """What amounts are shown in, and how many of the numbers inside one of it and a chip have."""

    name: str = CHIPS  # "chips" or "bb"
    parts: int = 1  # one chip or big blind, inside
    chip: int = 1  # one chip, inside; 0 where it is not known what a big blind has

    def of(self, inside: float) -> float:
        """An amount inside, as it is shown; a whole number stays one where a chip is one."""
        return inside if self.parts == 1 else inside / self.parts

    def text(self, inside: float) -> str:
        """An amount inside, as people write it: "1200" or "27.5bb"."""
        return f"{number_text(self.of(inside))}{self.mark}"

    def grand(self, inside: float) -> str:
        """The same for titles, with a comma after thousands: "1,200"."""
        return f"{number_text(self.of(inside), ',')}{self.mark}"

    @property
    def mark(self) -> str:
        """What stands behind a number: "bb", or nothing behind chips."""
        return BIG_BLINDS if self.name == BIG_BLINDS else ""

    @property
    def blind(self) -> str | None:
        """The chips of a big blind as text; None if it has none, or they are not known."""
        if self.name == CHIPS or not self.chip:
            return None
        return number_text(self.parts / self.chip)

    def told(self, inside: int) -> int | str:
        """An amount inside as `read_unit` reads it together with the `blind`."""
        if not self.chip:
            return self.text(inside)
        return inside if self.chip == 1 else number_text(inside / self.chip)

    def inside(self, amount: SpotAmount, what: str) -> int:
        """An amount as a whole number; refused where it is none, or where nobody knows its worth."""
        each = self.chip if amount.unit == CHIPS else self.parts if self.name == BIG_BLINDS else 0
        if not each:
            raise SoulreadError(_mixed(what, amount))
        found = amount.number * each
        if found.denominator != 1:
            raise SoulreadError(
                f"{what} {amount} is no whole number where the smallest amount is "
                f"{number_text(1 / each)}{BIG_BLINDS if amount.unit == BIG_BLINDS else ' chips'}"
            )
        return int(found)


def number_text(number: float, thousands: str = "") -> str:
    """A number with as many decimals as it needs, at most four."""
    text = f"{number:{thousands}.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def parse_amount(told: Told, what: str) -> SpotAmount:
    """Read an amount such as "27.5bb", "1,200" or 27.5; ``what`` it is, is said in errors."""
    match = None if isinstance(told, bool) else _AMOUNT.fullmatch(str(told).strip())
    if match is None:
        raise ParseError(
            f"{what} {told!r} is no amount; write chips such as 200, or big blinds such as 27.5bb"
        )
    number = Fraction(match[1].replace(",", ""))
    if (number * PARTS[-1]).denominator != 1:
        raise SoulreadError(f"{what} {told} cannot be counted exactly: an amount has at most four decimals")
    return SpotAmount(number, BIG_BLINDS if match[2] else CHIPS)


def read_unit(blind: Told | None, amounts: Iterable[tuple[str, SpotAmount]]) -> ChipUnit:
    """The unit in which every one of some amounts, each behind its name, is a whole number.

    ``blind`` are the chips of a big blind. With it, or if an amount is in big blinds, they are shown.
    """
    found = list(amounts)
    if blind is None:
        units = {amount.unit for _, amount in found}
        if len(units) > 1:
            what, amount = next((what, one) for what, one in found if one.unit == CHIPS)
            raise SoulreadError(_mixed(what, amount))
        in_blinds = units == {BIG_BLINDS}
        parts = _parts(_BLIND_PARTS if in_blinds else PARTS, [amount.number for _, amount in found])
        return ChipUnit(BIG_BLINDS, parts, 0) if in_blinds else ChipUnit(CHIPS, parts, parts)
    chips = parse_amount(blind, "a big blind of")
    if chips.unit == BIG_BLINDS or not chips.number:
        raise SoulreadError(f"a big blind of {blind!r}; it is some chips, such as 2")
    numbers = [chips.number]
    for what, amount in found:
        numbers.append(amount.number * (chips.number if amount.unit == BIG_BLINDS else 1))
        if (numbers[-1] * PARTS[-1]).denominator != 1:
            raise SoulreadError(
                f"{what} {amount} cannot be counted exactly where a big blind has {blind} chips: it is "
                f"{float(numbers[-1]):.6g}... chips, and an amount has at most four decimals"
            )
    parts = _parts(PARTS, numbers)
    return ChipUnit(BIG_BLINDS, int(chips.number * parts), parts)


def _parts(choices: Iterable[int], numbers: Iterable[Fraction]) -> int:
    """The first number of parts by which all numbers become whole; that of four decimals always does."""
    every = list(numbers)
    return next(parts for parts in choices if all((n * parts).denominator == 1 for n in every))


def _mixed(what: str, amount: SpotAmount) -> str:
    if amount.unit == CHIPS:
        return (
            f"{what} {amount} is in chips, but other amounts are in big blinds; write {amount}bb, or say "
            "with the blind how many chips a big blind has"
        )
    return (
        f"{what} {amount} is in big blinds, but the spot is in chips; write chips, or say with the blind how "
        "many chips a big blind has"
    )
