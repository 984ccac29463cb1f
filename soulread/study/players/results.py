"""The results of a player over the hands: won, without the luck of all-ins, and with and without showdown.

The *band* around the result without luck is that of what the player's play is worth. If X_1, ..., X_n are the
results of n hands, with standard deviation s over all hands of the player, their sum differs from n times the
player's true mean by less than 1.96 s sqrt(n) in 95% of the cases. So the band at hand n is

    sum of the first n results  ±  1.96 s sqrt(n),

and holds n times the true mean with probability 95%, at each single n (not at all of them together).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import numpy as np

from soulread.encoding import keys
from soulread.hands.facts import NO_TIME
from soulread.hands.store import EVERYTHING, PlayKind, Query, Store, kind_records
from soulread.report.figures import BLUE, GREEN, ORANGE, RED, Curve, Figure, Numbers, Panel
from soulread.report.shown import ShownTable
from soulread.study.hands.luck import AllInLuck
from soulread.study.players.played import Floats, Ints, PlayedHands, Takings, head_of, play_hands
from soulread.study.players.sessions import PAUSE, sessions_of, verify_pause
from soulread.words import plural

MOST_POINTS = 1000  # of a line
_NORMAL_95 = 1.959963984540054


class ResultsBy(StrEnum):
    """The groups into which results are divided."""

    SESSION = "session"
    MONTH = "month"
    STAKES = "stakes"
    ROOM = "room"


@dataclass(frozen=True, eq=False)
class ResultGroup:
    """The results of some hands."""

    name: str
    takings: Takings

    JSON = keys("*takings", group="name")


@dataclass(frozen=True, eq=False)
class ResultLine:
    """Sums over the first hands, in big blinds, at some numbers of hands from 0 to all of them."""

    hands: Ints  # [points]
    won: Floats  # [points]
    adjusted: Floats | None  # [points] the luck of all-ins taken out; None if that is not known
    showdown: Floats  # [points]
    half_band: Floats  # [points] half the width of the 95% band
    money: tuple[str, Floats] | None = None  # currency and [points], where several stakes have one

    JSON = keys(
        hands=lambda line: line.hands.tolist(),
        won_bb=lambda line: line.won.tolist(),
        without_all_in_luck_bb=lambda line: None if line.adjusted is None else line.adjusted.tolist(),
        low_bb=lambda line: (line.centre - line.half_band).tolist(),
        high_bb=lambda line: (line.centre + line.half_band).tolist(),
        showdown_bb=lambda line: line.showdown.tolist(),
        no_showdown_bb=lambda line: (line.won - line.showdown).tolist(),
        money=lambda line: None if line.money is None else line.money[1].tolist(),
    )

    @property
    def centre(self) -> Floats:
        """The middle of the band."""
        return self.won if self.adjusted is None else self.adjusted


@dataclass(frozen=True, eq=False, repr=False)
class ResultsStudy(ShownTable):
    """The results of a player in one kind of game."""

    LINE = "{it.player}, {it.whole.won:+,.0f} bb in {it.whole.hands:,} hands"
    TABLE = "groups"

    player: str
    room: str
    store: str
    kind: PlayKind
    other_kinds: tuple[tuple[PlayKind, int], ...]  # hands of each that are left out
    first: datetime | None
    last: datetime | None
    luck: AllInLuck
    whole: Takings
    by: ResultsBy | None
    groups: tuple[ResultGroup, ...]  # all hands first, then each group
    line: ResultLine

    JSON = keys(
        "player room store kind first last luck by groups line",
        other_kinds=lambda study: kind_records(study.other_kinds),
    )

    @property
    def band_text(self) -> str:
        """The meaning of the band, in a sentence."""
        around = "the line without luck" if self.luck.complete else "the line of what was won"
        return (
            f"The band is {around} ± 1.96 · s · √n, with s = {self.spread:.1f} bb the standard deviation of "
            "one hand: at each single n it holds what this play is worth over n hands with probability 95%."
        )

    @property
    def spread(self) -> float:
        """The standard deviation of the result of one hand in big blinds."""
        error = self.whole.rate.standard_error
        return 0.0 if math.isnan(error) else error / 100 * math.sqrt(self.whole.hands)

    @property
    def figure(self) -> Figure:
        """The lines over the hands."""
        return Figure("results", f"{self.title}\n{self.band_text}", self.panels, 1)

    @property
    def panels(self) -> tuple[Panel, ...]:
        """Big blinds over the hands, then money if it is not the same line."""
        line = self.line
        x = _numbers(line.hands)
        low, high = _numbers(line.centre - line.half_band), _numbers(line.centre + line.half_band)
        band = ", 95% band"
        if line.adjusted is None:
            curves = [Curve(f"won{band}", x, _numbers(line.won), low, high, colour=GREEN)]
        else:
            label = f"all-in luck taken out{band}"
            curves = [
                Curve("won", x, _numbers(line.won), colour=GREEN),
                Curve(label, x, _numbers(line.adjusted), low, high, colour=ORANGE),
            ]
        curves.append(Curve("at showdown", x, _numbers(line.showdown), colour=BLUE))
        curves.append(Curve("without showdown", x, _numbers(line.won - line.showdown), colour=RED))
        panels = [Panel(self.title, "hands", "big blinds", tuple(curves))]
        if line.money is not None:
            currency, amounts = line.money
            curve = Curve("won", x, _numbers(amounts), colour=GREEN)
            panels.append(Panel(f"won in {currency}", "hands", currency, (curve,)))
        return tuple(panels)

    @property
    def title(self) -> str:
        """Who has won how much, in a line."""
        money = "".join(f", {amount}" for amount in self.whole.money)
        return f"{self.player}: {self.whole.won:+,.0f} bb{money} in {plural(self.whole.hands, 'hand')}"


def _numbers(values: Floats | Ints) -> Numbers:
    return tuple(map(float, values.tolist()))


def study_results(
    store: Store,
    player: str,
    query: Query = EVERYTHING,
    by: ResultsBy | None = None,
    *,
    pause: float = PAUSE,
) -> ResultsStudy:
    """The results of a player over the hands and, with ``by``, in each group.

    ``pause`` is what ends a session, in minutes.
    """
    verify_pause(pause)
    played = play_hands(store, player, query)
    head = head_of(played)
    groups = [("all hands", np.arange(played.won.size))]
    if by is not None:
        groups += _GROUPS[by](played, pause)
    return ResultsStudy(
        **head,
        by=by,
        groups=tuple(ResultGroup(name, played.takings(rows)) for name, rows in groups),
        line=_line(played),
    )


def _line(played: PlayedHands) -> ResultLine:
    count = played.won.size
    places = np.unique(np.linspace(0, count, min(count, MOST_POINTS) + 1).round().astype(np.int64))

    def sums(values: Floats) -> Floats:
        return np.concatenate([[0.0], np.cumsum(values)])[places]

    known = played.luck.complete
    centre = played.adjusted if known else played.won
    spread = float(centre.std(ddof=1)) if count > 1 else 0.0
    return ResultLine(
        hands=places,
        won=sums(played.won),
        adjusted=sums(played.adjusted) if known else None,
        showdown=sums(np.where(played.seats["showdown"], played.won, 0.0)),
        half_band=_NORMAL_95 * spread * np.sqrt(places),
        money=_money_line(played, sums),
    )


def _money_line(played: PlayedHands, sums: Callable[[Floats], Floats]) -> tuple[str, Floats] | None:
    price = played.price
    if price is None or len(played.stakes()) < 2:
        return None
    return price[0], sums(played.seats["won"] * price[1])


Groups = list[tuple[str, Ints]]


def _by_session(played: PlayedHands, pause: float) -> Groups:
    times = played.seats["time"]
    groups = [
        (f"{times[rows[0]].astype('datetime64[s]').astype(datetime):%Y-%m-%d %H:%M}", rows)
        for rows in sessions_of(played, pause)
    ]
    return _with_rest(groups, np.flatnonzero(times == NO_TIME))


def _by_month(played: PlayedHands, _: float) -> Groups:
    times = played.seats["time"]
    timed = np.flatnonzero(times != NO_TIME)
    months = times[timed].astype("datetime64[s]").astype("datetime64[M]")
    groups = [(str(month), timed[months == month]) for month in np.unique(months)]
    return _with_rest(groups, np.flatnonzero(times == NO_TIME))


def _with_rest(groups: Groups, untimed: Ints) -> Groups:
    return [*groups, ("no time", untimed)] if untimed.size else groups


def _by_stakes(played: PlayedHands, _: float) -> Groups:
    kinds = sorted(np.unique(played.seats["kind"]).tolist(), key=lambda kind: played.kinds[kind].big_blind)
    return _named(played, kinds, lambda kind: f"big blind {played.kinds[kind].stakes_name}")


def _by_room(played: PlayedHands, _: float) -> Groups:
    kinds = sorted(np.unique(played.seats["kind"]).tolist(), key=lambda kind: played.kinds[kind].room)
    return _named(played, kinds, lambda kind: played.kinds[kind].room or "no known room")


def _named(played: PlayedHands, kinds: Sequence[int], name: Callable[[int], str]) -> Groups:
    """The hands of kinds that have one name together."""
    together: dict[str, list[int]] = {}
    for kind in kinds:
        together.setdefault(name(kind), []).append(kind)
    return [
        (words, np.flatnonzero(np.isin(played.seats["kind"], members))) for words, members in together.items()
    ]


_GROUPS: dict[ResultsBy, Callable[[PlayedHands, float], Groups]] = {
    ResultsBy.SESSION: _by_session,
    ResultsBy.MONTH: _by_month,
    ResultsBy.STAKES: _by_stakes,
    ResultsBy.ROOM: _by_room,
}
