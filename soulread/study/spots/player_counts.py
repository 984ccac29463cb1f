"""Counts of a player's actions in situations like a decision of a spot, from the player's own hands.

A situation is heads-up and after the flop. Two are alike if they agree in

* the street, how often the street was raised, and the class of the bet that is faced: small (up to 40% of the
  pot), medium (up to 80%), large (up to 130%) or an overbet;
* the position: whether the player acts last;
* the initiative: who raised last on the street before (the player, the opponent or nobody);
* the texture of the board (`soulread.abstraction.textures.texture_of`).

Few hands agree in everything. So there are pools, each wider than the one before: all of the above; boards of
any texture; any initiative; any position. `pool_of` takes the narrowest pool with at least 30 decisions, or
else the widest one. The choice depends on numbers of decisions only, not on the actions.

The facts of the store say who raised how often, so only hands of the right kind are unpacked, for the size
of the bet and the board. Bets of all sizes count as "bet", and raises as "raise": the equilibrium chooses
the size.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from soulread.abstraction.textures import texture_of
from soulread.errors import SoulreadError
from soulread.games.spot import PLAYER_NAMES, STREETS
from soulread.hands.hand import Hand
from soulread.hands.record import decisions
from soulread.hands.referee import game_of_record
from soulread.hands.store import Query, Store
from soulread.respond.confidence import Confidence, p_conf
from soulread.respond.locks.reads import Read
from soulread.seqform.spot import Place, Spot
from soulread.study.spots.from_hands import HandSpot

SIZES = ("small", 0.4), ("medium", 0.8), ("large", 1.3), ("over", np.inf)
LEAST = 30  # decisions that a pool needs, if there is a wider one
_POOLS = (), ("texture",), ("texture", "initiative"), ("texture", "initiative", "in_position")


@dataclass(frozen=True)
class SpotSituation:
    """A kind of decision; a property that is None does not matter."""

    street: int  # 1 flop, 2 turn, 3 river
    raises: int  # of this street so far; 2 stands for more too
    size: str | None  # of the bet that is faced; None if there is none
    in_position: bool | None
    initiative: str | None
    texture: str | None

    def __str__(self) -> str:
        faced = "facing no bet" if self.size is None else f"facing {_article(self.size)} bet"
        words = [f"the {STREETS[self.street - 1]}", faced]
        if self.raises > 1:
            words[1] += " that is a raise"
        if self.in_position is not None:
            words.append("in position" if self.in_position else "out of position")
        if self.initiative is not None:
            words.append(
                {
                    "nobody": "nobody raised on the street before",
                    "own": "raised last on the street before",
                    "other": "the opponent raised last on the street before",
                }[self.initiative]
            )
        words.append("boards of any texture" if self.texture is None else f"boards that are {self.texture}")
        return "; ".join(words)


def _article(size: str) -> str:
    return "an over" if size == "over" else f"a {size}"


@dataclass(frozen=True)
class SeenDecision:
    """One decision of a player."""

    situation: SpotSituation
    action: str  # fold, check, call, bet or raise


@dataclass(frozen=True)
class SituationCounts:
    """Counts of a player's actions in like situations."""

    situation: SpotSituation
    counts: dict[str, int]

    @property
    def n(self) -> int:
        """The number of decisions."""
        return sum(self.counts.values())


def size_class(part: float, sizes: Sequence[tuple[str, float]] = SIZES) -> str:
    """The class of a bet of ``part`` pots."""
    return next(name for name, most in sizes if part <= most + 1e-9)


def situation_at(
    spot: Spot,
    place: Place,
    initiative: str | None = None,
    sizes: Sequence[tuple[str, float]] = SIZES,
) -> SpotSituation:
    """The situation of a decision of a spot, with bets in the classes ``sizes``.

    ``initiative`` is who raised last before the spot began, as the player to act sees it; None if unknown. On
    later streets of the spot it is known.
    """
    node = spot.node(place)
    player = node.player
    if place.street > 0:
        before, action = spot.tree[place.street].entries[node.entry].before
        closing = spot.tree[place.street - 1].nodes[before]
        called = before >= 0 and closing.actions[action].kind == "call"
        initiative = "nobody" if not called else "other" if closing.player == player else "own"
    to_call = node.put_in[1 - player] - node.put_in[player]
    facing = any(action.kind == "fold" for action in node.actions)
    raises, here = 0, node
    while here.before[0] >= 0:
        last = spot.tree[place.street].nodes[here.before[0]]
        raises += last.actions[here.before[1]].kind in ("bet", "raise")
        here = last
    part = to_call / (spot.betting.pot + 2 * node.put_in[player])
    return SpotSituation(
        len(spot.board) - 2 + place.street,
        min(raises, 2),
        size_class(part, sizes) if facing else None,
        player == 1,
        initiative,
        texture_of((*spot.board, *place.cards)),
    )


def decisions_of(hand: Hand, player: str) -> Iterator[SeenDecision]:
    """Every decision of a player after the flop, made heads-up."""
    seat = hand.seat_of(player)
    return (one for who, _, one in heads_up(hand) if who == seat)


def heads_up(hand: Hand) -> Iterator[tuple[int, float, SeenDecision]]:
    """Seat, bet that is faced in pots, and decision, of all that are made heads-up after the flop."""
    street, raises = 0, 0
    last_raiser, aggressor = -1, -1
    for state, action in decisions(game_of_record(hand), hand.actions, hand.board):
        seat = state.player
        if state.round != street:
            street, raises = state.round, 0
            aggressor, last_raiser = last_raiser, -1
        live = [other for other, out in enumerate(state.folded) if not out]
        if street >= 1 and len(live) == 2:
            to_call = state.to_call
            other = live[0] if live[1] == seat else live[1]
            initiative = "nobody" if aggressor < 0 else "own" if aggressor == seat else "other"
            part = to_call / max(state.pot - to_call, 1)
            situation = SpotSituation(
                street,
                min(raises, 2),
                size_class(part) if to_call else None,
                seat > other,
                initiative,
                texture_of(hand.board[: 2 + street]),
            )
            yield seat, part, SeenDecision(situation, _action_name(action, to_call))
        if action > 1:
            raises += 1
            last_raiser = seat


def _action_name(action: int, to_call: int) -> str:
    if action > 1:
        return "raise" if to_call else "bet"
    return ("fold", "call" if to_call else "check")[action]


def stored_decisions(
    store: Store,
    player: str,
    wanted: Iterable[SpotSituation],
    progress: Callable[[int], None] | None = None,
    room: str | None = None,
) -> Iterator[SeenDecision]:
    """The decisions of a player in a store that may be like one of the situations wanted.

    Hands without such a decision are not unpacked. ``progress`` is called with the hands looked at so far.
    """
    kinds = {(one.street, one.raises, one.size is not None) for one in wanted}
    numbers: list[NDArray[np.int64]] = []
    for _, facts in store.facts(Query(room=room), players=[store.player_number(player, room)]):
        made = facts.decisions
        owner = np.repeat(np.arange(facts.seats.size), facts.seats["decisions"])
        meant = np.zeros(made.size, np.bool_)
        for street, raises, facing in kinds:
            meant |= (
                (made["round"] == street)
                & (np.minimum(made["raises"], 2) == raises)
                & (made["facing"] == facing)
                & (made["active"] == 2)
            )
        numbers.append(np.unique(facts.seats["hand"][owner[meant]]))
    found = set(np.concatenate(numbers).tolist()) if numbers else set()
    for looked, number in enumerate(sorted(found)):
        if progress is not None and looked % 100 == 0:
            progress(looked)
        yield from decisions_of(store.hand(f"#{number}")[1], player)


def pool_of(seen: Iterable[SeenDecision], situation: SpotSituation, least: int = LEAST) -> SituationCounts:
    """The counts in situations like the one given; the narrowest pool with ``least`` decisions."""
    alike = [
        one
        for one in seen
        if (one.situation.street, one.situation.raises, one.situation.size)
        == (situation.street, situation.raises, situation.size)
    ]
    pool = SituationCounts(situation, {})
    for free in _POOLS:
        wide = replace(
            situation,
            texture=None if "texture" in free else situation.texture,
            initiative=None if "initiative" in free else situation.initiative,
            in_position=None if "in_position" in free else situation.in_position,
        )
        counts = Counter(one.action for one in alike if _fits(one.situation, wide))
        pool = SituationCounts(wide, dict(counts))
        if pool.n >= least:
            break
    return pool


def _fits(one: SpotSituation, wanted: SpotSituation) -> bool:
    return all(
        getattr(wanted, name) is None or getattr(one, name) == getattr(wanted, name)
        for name in ("in_position", "initiative", "texture")
    )


def read_of(path: str, pool: SituationCounts, confidence: Confidence, player: str) -> Read:
    """The read that a pool gives; how far it is trusted follows from its number of decisions."""
    n = pool.n
    if not n:
        raise SoulreadError(f"{player!r} was never seen in a situation like {pool.situation}")
    actions = ("fold", "call", "raise") if pool.situation.size is not None else ("check", "bet")
    shares = {action: pool.counts.get(action, 0) / n for action in actions}
    trust = float(p_conf(confidence, np.array([float(n)]))[0])
    source = f"{path or 'start'}: {n:,} decisions of {player} on {pool.situation}"
    return Read(path, shares, None, trust, n, source)


def reads_of_player(
    spot: Spot,
    villain: int,
    player: str,
    seen: Iterable[SeenDecision],
    confidence: Confidence,
    *,
    paths: Iterable[str] = (),
    initiative: str | None = None,
    least: int = LEAST,
) -> list[Read]:
    """A read for every decision of the ``villain`` (0 or 1) on the first street of a spot, or at ``paths``.

    Decisions in whose like the player was never seen are left out; if that is all of them, this raises.
    """
    seen = list(seen)
    wanted = list(paths) or [spot.path(place) for place in first_street(spot, villain)]
    found = []
    for path in wanted:
        place = spot.find(path)
        if spot.node(place).player != villain:
            raise SoulreadError(
                f"{PLAYER_NAMES[1 - villain]} decides at {path or 'the start'!r}, but {player!r} is "
                f"{PLAYER_NAMES[villain]}"
            )
        pool = pool_of(seen, situation_at(spot, place, initiative), least)
        node = spot.node(place)
        if not pool.n:
            continue
        found.append(_within(read_of(path, pool, confidence, player), {one.kind for one in node.actions}))
    if not found:
        raise SoulreadError(
            f"{player!r} was never seen heads-up in a situation like those of {PLAYER_NAMES[villain]} here"
        )
    return found


_INSTEAD = {"raise": "call", "bet": "check"}


def _within(read: Read, kinds: set[str]) -> Read:
    """The read at a decision that has these kinds of actions: where nobody can raise, a raise is a call."""
    shares: dict[str, float] = {}
    for word, share in read.frequencies.items():
        there = word if word in kinds else _INSTEAD.get(word, word)
        shares[there] = shares.get(there, 0.0) + share
    return replace(read, frequencies=shares)


def stored_reads(
    store: Store,
    spot: Spot,
    player: str,
    confidence: Confidence,
    *,
    given: Sequence[Read] = (),
    paths: Sequence[str] = (),
    villain: int | None = None,
    taken: HandSpot | None = None,
    room: str | None = None,
    tell: Callable[[str], None] | None = None,
) -> list[Read]:
    """The reads ``given``, and those counted in a player's hands of a store at all other decisions.

    They are for the decisions at ``paths``, or else for all of the first street. ``villain`` says where the
    player sits (0 or 1): by default where the hand has the player that the spot was ``taken`` from, or else
    in position. ``room`` is the player's, by default that of the hand.
    """
    if room is None and taken is not None:
        room = taken.hand.room
    if villain is None:
        villain = 1 if taken is None else taken.player_of(player)
    initiative = None if taken is None else taken.initiative(villain)
    paths = [spot.path(spot.find(path)) for path in paths]
    places = [spot.find(path) for path in paths] or first_street(spot, villain)
    wanted = [situation_at(spot, place, initiative) for place in places]
    say = tell or (lambda text: None)
    seen = stored_decisions(
        store, player, wanted, lambda count: say(f"{player}: {count:,} hands looked at"), room
    )
    found = reads_of_player(spot, villain, player, seen, confidence, paths=paths, initiative=initiative)
    written = {spot.path(spot.find(read.path)) for read in given if "*" not in read.path}
    return [*given, *(read for read in found if read.path not in written)]


def first_street(spot: Spot, player: int) -> list[Place]:
    """The decisions of a player on the first street of a spot at which there is a choice."""
    return [
        spot.place(0, i, ())
        for i, node in enumerate(spot.tree[0].nodes)
        if node.player == player and len(node.actions) > 1
    ]
