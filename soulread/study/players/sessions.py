"""Sessions: hands in a row without a long pause, at one table or at several.

A session ends where no hand is played for `PAUSE` minutes. Hands of several tables at once are one session,
whose length is counted once. The length is the time from the first hand to the last one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import numpy as np

from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.hands.facts import NO_TIME
from soulread.hands.store import EVERYTHING, PlayKind, Query, Store, kind_records
from soulread.report.shown import ShownTable
from soulread.study.hands.luck import AllInLuck
from soulread.study.players.played import Ints, PlayedHands, Takings, head_of, play_hands, time_of

PAUSE = 30.0  # minutes


class SessionOrder(StrEnum):
    """What sessions are sorted by."""

    DATE = "date"
    WON = "won"
    HANDS = "hands"
    LENGTH = "length"


@dataclass(frozen=True, eq=False)
class Session:
    """Hands in a row."""

    begin: datetime  # of the first hand
    end: datetime  # of the last hand
    tables: int
    stakes: tuple[str, ...]
    takings: Takings

    JSON = keys("begin end hours tables stakes hands_per_hour *takings")

    @property
    def hours(self) -> float:
        """The length."""
        return (self.end - self.begin).total_seconds() / 3600

    @property
    def hands_per_hour(self) -> float | None:
        """Hands of all tables in an hour; None of a single moment."""
        return self.takings.hands / self.hours if self.hours else None


@dataclass(frozen=True, eq=False, repr=False)
class SessionsStudy(ShownTable):
    """The sessions of a player in one kind of game."""

    LINE = "{it.player}, {it.count:,} sessions"
    TABLE = "sessions"

    player: str
    room: str
    store: str
    kind: PlayKind
    other_kinds: tuple[tuple[PlayKind, int], ...]  # hands of each that are left out
    first: datetime | None
    last: datetime | None
    luck: AllInLuck
    whole: Takings  # all hands
    pause: float  # minutes
    untimed: int  # hands that belong to no session, since nobody knows when they were played
    count: int  # sessions
    hours: float  # of all of them
    sessions: tuple[Session, ...]  # those shown

    JSON = keys(
        "player room store kind first last luck whole pause untimed count hours sessions",
        other_kinds=lambda study: kind_records(study.other_kinds),
    )


def cut_sessions(times: Ints, pause: float) -> list[Ints]:
    """The places of the hands of each session, by their times in seconds, which go up.

    ``pause`` is in minutes; a pause as long as this ends a session.
    """
    if not times.size:
        return []
    ends = np.flatnonzero(np.diff(times) >= 60 * pause) + 1
    return [np.asarray(part, np.int64) for part in np.split(np.arange(times.size), ends)]


def sessions_of(played: PlayedHands, pause: float) -> list[Ints]:
    """The places of the hands of each session, the first session first; hands without a time are in none."""
    untimed = int((played.seats["time"] == NO_TIME).sum())  # these come first
    return [untimed + rows for rows in cut_sessions(played.seats["time"][untimed:], pause)]


def study_sessions(
    store: Store,
    player: str,
    query: Query = EVERYTHING,
    *,
    pause: float = PAUSE,
    order: SessionOrder = SessionOrder.DATE,
    ascending: bool = False,
    top: int | None = None,
) -> SessionsStudy:
    """The sessions of a player, the latest first, or those with the most of something.

    ``top`` is how many are shown. ``pause`` is in minutes.
    """
    verify_pause(pause)
    played = play_hands(store, player, query, tables=True)
    found = sessions_of(played, pause)
    made = [_session(played, rows) for rows in found]
    keyed = sorted(made, key=lambda one: one.begin)
    keyed.sort(key=_KEYS[order], reverse=not ascending)
    return SessionsStudy(
        **head_of(played),
        pause=pause,
        untimed=int(played.seats.size) - sum(rows.size for rows in found),
        count=len(made),
        hours=sum(one.hours for one in made),
        sessions=tuple(keyed[:top]),
    )


def verify_pause(pause: float) -> None:
    """Raise if a pause is none."""
    if not 0 < pause < 1e6:
        raise SoulreadError(f"a pause of {pause:g} minutes; it is more than 0, such as 30")


_KEYS: dict[SessionOrder, Callable[[Session], float]] = {
    SessionOrder.DATE: lambda one: one.begin.timestamp(),
    SessionOrder.WON: lambda one: one.takings.won,
    SessionOrder.HANDS: lambda one: one.takings.hands,
    SessionOrder.LENGTH: lambda one: one.hours,
}


def _session(played: PlayedHands, rows: Ints) -> Session:
    times = played.seats["time"][rows]
    return Session(
        begin=time_of(int(times[0])),
        end=time_of(int(times[-1])),
        tables=len({played.tables[row] for row in rows.tolist()}),
        stakes=played.stakes(rows),
        takings=played.takings(rows),
    )
