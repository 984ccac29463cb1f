"""When a hand was played, as UTC.

Poker rooms of the United States write Eastern time. Its summer time follows a rule that is short enough to
stand here, so reading a file does not depend on what the system knows about time zones.
"""

from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from soulread.hands.hand import is_plausible

_HOURS = {
    "": 0,
    "UTC": 0,
    "GMT": 0,
    "WET": 0,
    "CET": 1,
    "BST": 1,
    "WEST": 1,
    "MEZ": 1,
    "CEST": 2,
    "MESZ": 2,
    "EET": 2,
    "EEST": 3,
    "MSK": 3,
    "MSD": 4,
    "MSKS": 4,
    "YEKT": 5,
    "YEKST": 6,
    "ICT": 7,
    "CCT": 8,
    "SGT": 8,
    "JST": 9,
    "BRT": -3,
    "ART": -3,
    "EST": -5,
    "EDT": -4,
    "CST": -6,
    "CDT": -5,
    "MST": -7,
    "MDT": -6,
    "PST": -8,
    "PDT": -7,
}
_AMERICAN = {"ET": -5, "CT": -6, "MT": -7, "PT": -8}  # winter time; summer time by rule
_IANA = {
    "America/New_York": "ET",
    "America/Chicago": "CT",
    "America/Denver": "MT",
    "America/Los_Angeles": "PT",
    "Etc/UTC": "UTC",
    "Europe/London": "WET",
}
_SUMMER_IN_EUROPE = ("WET", "CET", "EET")


def utc_time(year: int, month: int, day: int, seconds: int, zone: str) -> datetime | None:
    """A time of the clock in ``zone`` as UTC; None for a day that does not exist. Unknown zones are UTC.

    Years in which nobody plays or played have no days either.
    """
    try:
        if not is_plausible(year):
            return None
        start = datetime(year, month, day, tzinfo=UTC)
        return start + timedelta(seconds=seconds - 3600 * _offset(year, month, day, seconds // 3600, zone))
    except (ValueError, OverflowError):
        return None


@lru_cache(maxsize=1024)
def _offset(year: int, month: int, day: int, hour: int, zone: str) -> int:
    """Hours that the clock of ``zone`` is ahead of UTC."""
    zone = _IANA.get(zone, zone)
    now = (date(year, month, day), hour)
    if zone in _AMERICAN:
        first, last = _american_summer(year)
        return _AMERICAN[zone] + int((first, 2) <= now < (last, 2))
    hours = _HOURS.get(zone, 0)
    if zone in _SUMMER_IN_EUROPE:  # by the clock of the place: from 1 o'clock UTC to 1 o'clock UTC
        first, last = _last_sunday(year, 3), _last_sunday(year, 10)
        return hours + int((first, 1 + hours) <= now < (last, 2 + hours))
    return hours


def _american_summer(year: int) -> tuple[date, date]:
    """The first and the last day of summer time in the United States, since 1987."""
    if year >= 2007:
        return _sunday_from(date(year, 3, 8)), _sunday_from(date(year, 11, 1))
    return _sunday_from(date(year, 4, 1)), _last_sunday(year, 10)


def _sunday_from(day: date) -> date:
    return day + timedelta(days=(6 - day.weekday()) % 7)


def _last_sunday(year: int, month: int) -> date:
    return _sunday_from(date(year, month, 25))  # both months have 31 days
