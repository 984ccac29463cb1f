"""Players told by a statistic, as a user types it: ``VPIP>=40%``, ``3-bet<5``, ``bb/100>0``."""

import re
from dataclasses import dataclass

from soulread.errors import SoulreadError
from soulread.hands.conditions import counted_statistic
from soulread.hands.statistics import Statistic, StatisticKind, Value

_BOUND = re.compile(
    r"\s*(?P<name>.+?)\s*(?P<sign>>=|<=|>|<)\s*(?P<number>[-+]?[0-9]*\.?[0-9]+)\s*(?P<unit>%?)\s*"
)


@dataclass(frozen=True)
class StatisticBound:
    """A statistic that is above or below a number, in the unit of `Value`."""

    statistic: Statistic
    sign: str
    number: float

    def holds(self, found: Value) -> bool:
        """Whether the value of this statistic fulfils it; one with too few chances does not."""
        if found.value is None or found.too_few:
            return False
        match self.sign:
            case ">=":
                return found.value >= self.number
            case "<=":
                return found.value <= self.number
            case ">":
                return found.value > self.number
            case _:
                return found.value < self.number


def parse_bound(text: str) -> StatisticBound:
    """A bound as a user types it; a rate is in percent."""
    found = _BOUND.fullmatch(text)
    if found is None:
        raise SoulreadError(
            f"{text!r} is no bound of a statistic; write a name, one of >= <= > <, and a number: VPIP>=40%"
        )
    statistic = counted_statistic(found["name"])
    rate = statistic.kind not in (StatisticKind.AMOUNT, StatisticKind.FACTOR)
    if found["unit"] and not rate:
        raise SoulreadError(f"{text!r}: {statistic.name} is not counted in percent")
    number = float(found["number"])
    if rate and not 0 <= number <= 100:
        raise SoulreadError(f"{text!r}: {statistic.name} is a rate, so the number lies between 0 and 100%")
    return StatisticBound(statistic, found["sign"], number / 100 if rate else number)
