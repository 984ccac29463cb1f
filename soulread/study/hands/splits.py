"""Groups of a player's hands: by position, kind of pot, opponent and so on.

Most groups part the hands: each hand is in one of them. Groups of opponents do not: a hand counts for every
opponent who called or raised in it.

*Selection.* Position, players, stack and month are known before the first card. The kind of pot, the place on
the flop and the opponents who came along are not: they follow from the betting before the flop, the player's
own among it. So a statistic of that betting tells what the player did in hands that became such pots, and not
how often the player does it. Some cells are even 0% or 100% by definition: in a single-raised pot nobody has
3-bet. `Splits.settled` names them.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.hands.facts import (
    BIG_BLIND,
    CALLED,
    FOUR_BET,
    IN_POSITION,
    LIMPED,
    NO_FLOP,
    NO_TIME,
    OUT_OF_POSITION,
    POSITIONS,
    RAISED,
    SINGLE_RAISED,
    THREE_BET,
    WALK,
    Facts,
    Rows,
)
from soulread.hands.store import Query, Store

Codes = NDArray[np.int64]

LEAST_MET = 50
"""Hands with an opponent below which there is no group of them."""
_STACKS = (20, 40, 80, 120)  # big blinds, between the groups
_NO_MONTH = -(2**31)


class By(StrEnum):
    """The groups into which hands are divided."""

    POSITION = "position"
    POT = "pot"
    IP = "ip"
    OPPONENT = "opponent"
    STACK = "stack"
    PLAYERS = "players"
    MONTH = "month"

    @property
    def note(self) -> str:
        """What must be known to read a table of these groups; empty if it is clear."""
        return _NOTES.get(self, "")


_NOTES = {
    By.POT: "The kind of pot follows from the betting before the flop. Statistics of that betting tell what "
    "the player did in hands that became such pots, not how often the player does it.",
    By.IP: "In position: acts last of all who saw the flop. Who sees it follows from the betting before the "
    "flop; statistics of that betting tell what was done in such hands, not how often the player does it.",
    By.OPPONENT: "Hands in which the opponent called or raised; a hand counts for each of them. The opponent "
    "held something in these hands, so results and statistics differ from those over all hands.",
}


def parse_by(given: str | Iterable[str] | None) -> tuple[By, ...]:
    """The groups that a text names, or several texts; each once."""
    names = [] if given is None else [given] if isinstance(given, str) else given
    try:
        return tuple(dict.fromkeys(By(name) for name in names))
    except ValueError:
        known = ", ".join(by.value for by in By)
        raise SoulreadError(f"there are no groups by {', '.join(names)!r}; there are {known}") from None


@dataclass(frozen=True)
class MetOpponents:
    """The opponents of a player who called or raised in many of the player's hands."""

    names: tuple[str, ...]  # the one with the most hands first; an opponent's code is the place here
    fewer: int  # opponents with fewer hands
    hands: Codes  # [pairs] numbers of hands, ascending
    codes: Codes  # [pairs] an opponent of each

    def of(self, seats: Rows) -> tuple[Codes, Codes]:
        """The rows of ``seats``, each as often as it has opponents, and the code of each."""
        first = np.searchsorted(self.hands, seats["hand"], "left")
        counts = np.searchsorted(self.hands, seats["hand"], "right") - first
        rows = np.repeat(np.arange(seats.size), counts)
        before = np.cumsum(counts) - counts
        return rows, self.codes[np.arange(rows.size) + np.repeat(first - before, counts)]


def met_opponents(store: Store, query: Query, number: int, least: int = LEAST_MET) -> MetOpponents:
    """The opponents of a player (number) who called or raised in at least ``least`` of the player's hands."""
    mine = np.concatenate([facts.seats["hand"] for _, facts in store.facts(query, players=[number])])
    present = np.zeros(int(mine.max(initial=0)) + 1, np.bool_)
    present[mine] = True
    hands, owners = [], []
    for owner, facts in store.facts(query):
        hand = facts.seats["hand"]
        common = present[np.minimum(hand, present.size - 1)] & (hand < present.size) & (owner != number)
        kept = common & _entered(facts)
        hands.append(hand[kept])
        owners.append(owner[kept])
    hand, owner = np.concatenate(hands), np.concatenate(owners)
    found, counts = np.unique(owner, return_counts=True)
    names = store.names()
    often = [(-count, names[who], who) for who, count in zip(found.tolist(), counts.tolist(), strict=True)]
    met = sorted(one for one in often if -one[0] >= least)
    codes = np.full(int(owner.max(initial=0)) + 1, -1, np.int64)
    codes[[who for _, _, who in met]] = np.arange(len(met))
    kept = codes[owner] >= 0
    order = np.argsort(hand[kept], kind="stable")
    return MetOpponents(
        tuple(name for _, name, _ in met), len(often) - len(met), hand[kept][order], codes[owner[kept]][order]
    )


def _entered(facts: Facts) -> NDArray[np.bool_]:
    """``[seats]`` whether a seat called or raised in its hand."""
    found = np.zeros(facts.seats.size, np.bool_)
    owner = np.repeat(np.arange(facts.seats.size), facts.seats["decisions"])
    found[owner[np.isin(facts.decisions["action"], (CALLED, RAISED))]] = True
    return found


@dataclass(frozen=True)
class Splits:
    """One or several ways to group hands; a group of several is a group of each."""

    by: tuple[By, ...]
    met: MetOpponents | None = None  # needed by `By.OPPONENT`

    def groups(self, seats: Rows) -> tuple[Codes, Codes]:
        """Rows of ``seats``, each as often as it has groups, and ``[rows, by]`` the codes of each group."""
        rows = np.arange(seats.size)
        columns: list[Codes] = []
        for by in self.by:
            if by is By.OPPONENT:
                assert self.met is not None
                again, codes = self.met.of(seats[rows])
                rows, columns = rows[again], [column[again] for column in columns]
            else:
                codes = _CODES[by](seats)[rows]
            columns.append(codes)
        return rows, np.stack(columns, axis=1)

    def names(self, codes: Sequence[int]) -> tuple[str, ...]:
        """A group in words, one for each way."""
        return tuple(self._name(by, code) for by, code in zip(self.by, codes, strict=True))

    def _name(self, by: By, code: int) -> str:
        match by:
            case By.POSITION:
                return POSITIONS[code]
            case By.POT:
                return _POTS[code]
            case By.IP:
                return _PLACES[code]
            case By.OPPONENT:
                assert self.met is not None
                return self.met.names[code]
            case By.PLAYERS:
                return f"{code} players"
            case By.STACK:
                if code > len(_STACKS):
                    return "no stacks"
                low = f"{_STACKS[code - 1]}" if code else "0"
                return f"{low}+ bb" if code == len(_STACKS) else f"{low}-{_STACKS[code]} bb"
            case By.MONTH:
                return "no time" if code == _NO_MONTH else str(np.datetime64(code, "M"))

    def words(self, codes: Sequence[int]) -> tuple[str, ...]:
        """The conditions of `soulread.hands.conditions` that find the hands of a group."""
        each = (self._words(by, code) for by, code in zip(self.by, codes, strict=True))
        return tuple(chain.from_iterable(each))

    def _words(self, by: By, code: int) -> Sequence[str]:
        name = self._name(by, code)
        match by:
            case By.POT:
                return [("walk", "limped", "single-raised", "3bet-pot", "4bet-pot")[code]]
            case By.IP:
                return (("not-ip", "not-oop"), ("oop",), ("ip",))[code]
            case By.PLAYERS:
                return [f"players={code}"]
            case By.STACK:
                if code > len(_STACKS):
                    return ["not-stack>=0"]
                low = [f"stack>={_STACKS[code - 1]}"] if code else []
                return [*low, *([] if code == len(_STACKS) else [f"stack<{_STACKS[code]}"])]
            case By.MONTH:
                return ["not-date>=0001"] if code == _NO_MONTH else [f"date:{name}"]
            case By.POSITION | By.OPPONENT:
                return [f"{by}:{name}"]

    def settled(self, codes: Sequence[int]) -> frozenset[str]:
        """The statistics that are 0% or 100% by definition in a group."""
        group = dict(zip(self.by, codes, strict=True))
        return frozenset(
            name
            for conditions, names in _SETTLED
            if all(group.get(by) in among for by, among in conditions.items())
            for name in names
        )


_POTS = ("walk", "limped", "single-raised", "3-bet", "4-bet or more")
_PLACES = ("no flop", "out of position", "in position")
_SAW_FLOP = {OUT_OF_POSITION, IN_POSITION}
_RAISED_POTS = {SINGLE_RAISED, THREE_BET, FOUR_BET}
_MUST_CALL = set(range(len(POSITIONS))) - {BIG_BLIND}
_SETTLED: tuple[tuple[dict[By, set[int]], tuple[str, ...]], ...] = (
    ({By.POT: {WALK}}, ("VPIP", "PFR", "limp", "steal")),
    ({By.POT: {LIMPED}}, ("PFR", "steal")),
    ({By.POT: {SINGLE_RAISED}}, ("3-bet", "squeeze")),
    ({By.POT: {THREE_BET}}, ("4-bet",)),
    ({By.IP: _SAW_FLOP}, ("fold to 3-bet", "fold to steal")),
    ({By.POT: {LIMPED}, By.IP: {NO_FLOP}}, ("VPIP", "limp")),
    ({By.POT: {LIMPED}, By.IP: _SAW_FLOP}, ("limp",)),
    ({By.POT: {SINGLE_RAISED}, By.IP: {NO_FLOP}}, ("fold to steal",)),
    ({By.POT: {THREE_BET}, By.IP: {NO_FLOP}}, ("fold to 3-bet",)),
    ({By.POT: _RAISED_POTS, By.IP: _SAW_FLOP}, ("VPIP",)),
    ({By.POSITION: _MUST_CALL, By.IP: _SAW_FLOP}, ("VPIP",)),
    ({By.POSITION: {BIG_BLIND}, By.POT: {LIMPED}}, ("VPIP",)),
    ({By.POSITION: {BIG_BLIND}, By.POT: {THREE_BET, FOUR_BET}}, ("fold to steal",)),
)
"""Codes of groups, and the statistics that are 0% or 100% by definition where all of them hold.

There are rare exceptions: if the big blind is all-in for less, the small blind sees the flop for nothing.
"""


def _stack_codes(seats: Rows) -> Codes:
    codes = np.digitize(seats["stack"], _STACKS)
    return np.where(np.isnan(seats["stack"]), len(_STACKS) + 1, codes)


def _month_codes(seats: Rows) -> Codes:
    known = seats["time"] != NO_TIME
    months = np.where(known, seats["time"], 0).astype("datetime64[s]").astype("datetime64[M]")
    return np.where(known, months.astype(np.int64), _NO_MONTH)


def _column(name: str) -> Callable[[Rows], Codes]:
    return lambda seats: seats[name].astype(np.int64)


_CODES: dict[By, Callable[[Rows], Codes]] = {
    By.POSITION: _column("position"),
    By.POT: _column("pot_kind"),
    By.IP: _column("flop_place"),
    By.STACK: _stack_codes,
    By.PLAYERS: _column("players"),
    By.MONTH: _month_codes,
}
