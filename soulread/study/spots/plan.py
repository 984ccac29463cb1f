"""A plan against a player of no-limit hold'em: the spots that come up most, and what to do there.

A *kind of spot* is a street of a pot with two players left: whether the player acts last, and who raised last
on the street before. The study counts the kinds in the player's hands. For each of the commonest it

1. takes a typical hand of the kind: among those whose board is of the commonest texture, the one whose pot
   and stacks are nearest to the medians;
2. reads the ranges of that hand: the player's by a model that has learnt the player's hands, ours by the same
   model without any hands, which is what most players do;
3. solves the spot, locks the player at each decision of the street to what was counted in situations like it,
   with the trust that the number of decisions allows (`soulread.study.spots.player_counts`), and answers.

What an answer wins if the counts are right, and what it costs at worst if they are wrong, is certified for
that board and these ranges (`soulread.respond.locks.trust`). On other boards of the kind it is an example.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from soulread.abstraction.textures import texture_of
from soulread.cards.deck import cards_name
from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.games.spot import STREETS
from soulread.hands.hand import Hand
from soulread.hands.record import decisions
from soulread.hands.referee import game_of_holdem
from soulread.hands.store import EVERYTHING, Query, Store
from soulread.model.base import CardReader
from soulread.model.relational.model import RelationalModel
from soulread.report.shown import ShownTable
from soulread.respond.confidence import parse_confidence
from soulread.respond.locks.reads import Locked
from soulread.respond.locks.trust import DEFAULT_CONFIDENCE
from soulread.seqform.spot import Spot
from soulread.solvers.cfr.stops import Stops
from soulread.study.profile.model_ranges import LEAST_HANDS, MOST_HANDS
from soulread.study.spots.from_hands import HandSpot, spot_of_hand
from soulread.study.spots.locks import LockStudy, study_locks
from soulread.study.spots.player_counts import SeenDecision, decisions_of, reads_of_player

SPOTS = 5  # kinds of spots in a plan
DEFAULT_STREETS = "turn", "river"
LEAST_OF_KIND = 30  # hands of a kind that is looked at
GAP = 0.005  # of the pot: to which spots are solved
MOST_ITERATIONS = 400
TRUSTS = 0.0, 0.5, 1.0
_FLOP_BETS = 1  # on each street of a spot that begins on the flop, whose tree is else too large

Tell = Callable[[str], None]


@dataclass(frozen=True, order=True)
class SpotKind:
    """A kind of spot, as the player sees it."""

    street: str
    in_position: bool
    initiative: str  # who raised last on the street before: "own", "other" or "nobody"

    def __str__(self) -> str:
        where = "in position" if self.in_position else "out of position"
        before = {
            "own": "the player raised last on the street before",
            "other": "the player called on the street before",
            "nobody": "nobody bet on the street before",
        }[self.initiative]
        return f"{self.street}, the player is {where}, {before}"


@dataclass(frozen=True)
class Habit:
    """What the player does at one decision of a spot, beside the equilibrium."""

    at: str  # the actions before it
    action: str
    n: int
    rate: float
    interval: tuple[float, float]  # 95%
    equilibrium: float

    JSON = keys("at action n rate equilibrium", low="interval.0", high="interval.1")


@dataclass(frozen=True, eq=False)
class PlannedSpot:
    """One kind of spot with its example and the answer. Amounts are big blinds a hand."""

    kind: SpotKind
    hands: int  # of the player's, of this kind
    taken: HandSpot
    study: LockStudy
    habits: tuple[Habit, ...]

    JSON = keys(
        "hands gain cost sure habits change",
        kind=lambda planned: str(planned.kind),
        street="kind.street",
        example=lambda planned: planned.taken.number,
        board=lambda planned: cards_name(planned.taken.spot.board),
        changes="study.changes",
    )

    @property
    def big_blind(self) -> int:
        """Chips of a big blind."""
        return self.taken.hand.stakes.big_blind

    @property
    def gain(self) -> float:
        """Won beyond the equilibrium if the player does what was counted."""
        return self.study.curve.gain(self.study.chosen) / self.big_blind

    @property
    def cost(self) -> float:
        """Lost at most beyond the equilibrium if the player does something else."""
        return max(0.0, self.study.curve.cost(self.study.chosen)) / self.big_blind

    @property
    def sure(self) -> bool:
        """Whether the gain is beyond what the solver leaves open."""
        return self.gain * self.big_blind > 2 * self.study.chosen.response.gap

    @property
    def change(self) -> str:
        """What to do otherwise than in the equilibrium, in a sentence."""
        changes = self.study.changes
        words = [
            f"{amount_word(name, self.big_blind)} {after:.0%} instead of {before:.0%}"
            for name, before, after in zip(changes.actions, changes.before, changes.after, strict=True)
        ]
        hands = ", ".join(hand.name for hand in changes.hands[:6])
        named = f"; the hands that change most: {hands}" if hands else ""
        where = path_words(changes.path, self.big_blind)
        return f"{where}: {', '.join(words)}{named}"


@dataclass(frozen=True, eq=False, repr=False)
class PlanStudy(ShownTable):
    """A plan against a player: the commonest spots, and the answer in each."""

    LINE = "{it.player}, {it.hands:,} hands: {it.num_spots} spots"
    TABLE = "spots"

    player: str
    room: str | None
    hands: int  # of no-limit hold'em
    spots: tuple[PlannedSpot, ...]
    left_out: tuple[str, ...]  # kinds that could not be solved, and why

    JSON = keys("player room hands spots left_out")

    @property
    def num_spots(self) -> int:
        """The number of spots in the plan."""
        return len(self.spots)


def study_plan(
    store: Store,
    player: str,
    query: Query = EVERYTHING,
    *,
    spots: int = SPOTS,
    streets: Sequence[str] = DEFAULT_STREETS,
    gap: float = GAP,
    tell: Tell | None = None,
) -> PlanStudy:
    """A plan for the ``spots`` commonest kinds of spots against a player of a store.

    ``streets`` are those looked at. A flop takes gigabytes and minutes; its tree has one bet on each street.
    ``gap`` is the part of the pot to which spots are solved.
    """
    for street in streets:
        if street not in STREETS:
            raise SoulreadError(f"street {street!r}; expected some of {', '.join(STREETS)}")
    if spots < 1:
        raise SoulreadError(f"a plan of {spots} spots; it has at least one")
    say = tell or (lambda text: None)
    say("looking for spots")
    records = {
        number: hand
        for number, hand in store.find(replace(query, player=player))
        if "no-limit" in hand.variant and hand.variant.startswith("52 cards")
    }
    if len(records) < LEAST_HANDS:
        raise SoulreadError(
            f"{player!r} has {len(records):,} hands of no-limit hold'em in {store.name!r}; a plan needs "
            f"{LEAST_HANDS}"
        )
    seen: list[SeenDecision] = []
    found: dict[SpotKind, list[int]] = defaultdict(list)
    for number, hand in records.items():
        made = list(decisions_of(hand, player))
        seen += made
        for kind in dict.fromkeys(_kind(decision) for decision in made):
            found[kind].append(number)
    common = sorted((kind for kind in found if kind.street in streets), key=lambda kind: -len(found[kind]))
    say(f"reading {player}")
    hands = list(records.values())[-MOST_HANDS:]
    model = RelationalModel(game_of_holdem(hands[-1])).fit(hands, player)
    opponent = _Opponent(player, model, seen)
    planned: list[PlannedSpot] = []
    left_out: list[str] = []
    for kind in common:
        if len(planned) == spots or len(found[kind]) < LEAST_OF_KIND:
            break
        number = typical({n: records[n] for n in found[kind]}, kind.street)
        try:
            planned.append(_planned(kind, len(found[kind]), number, records[number], opponent, gap, say))
        except SoulreadError as error:
            left_out.append(f"{kind}: {error}")
    return PlanStudy(player, query.room, len(records), tuple(planned), tuple(left_out))


def _kind(decision: SeenDecision) -> SpotKind:
    situation = decision.situation
    assert situation.in_position is not None
    assert situation.initiative is not None
    return SpotKind(STREETS[situation.street - 1], situation.in_position, situation.initiative)


def typical(hands: Mapping[int, Hand], street: str) -> int:
    """The number of the hand that is nearest to the others, of the commonest texture of the board."""
    cards = 3 + STREETS.index(street)
    textures = {number: texture_of(hand.board[:cards]) for number, hand in hands.items()}
    ((texture, _),) = Counter(textures.values()).most_common(1)
    rows = {number: _measures(hand, street) for number, hand in hands.items()}
    middle = np.median(list(rows.values()), axis=0)
    alike = [number for number in hands if textures[number] == texture]
    return min(alike, key=lambda number: (float(np.abs(rows[number] - middle).sum()), -number))


def _measures(hand: Hand, street: str) -> np.ndarray:
    """Pot in big blinds and stacks in pots at the start of a street, both as logarithms."""
    for state, _ in decisions(game_of_holdem(hand), hand.actions, hand.board):
        if state.round == 1 + STREETS.index(street):
            assert state.stacks is not None
            stack = min(left for left, out in zip(state.stacks, state.folded, strict=True) if not out)
            return np.log([state.pot / hand.stakes.big_blind, max(stack, 1) / state.pot])
    raise SoulreadError(f"hand {hand.id!r} has no {street}")


@dataclass(frozen=True, eq=False)
class _Opponent:
    """The player, a model that has learnt the player's hands, and every decision that was seen."""

    name: str
    model: CardReader
    seen: Sequence[SeenDecision]


def _planned(
    kind: SpotKind, count: int, number: int, hand: Hand, opponent: _Opponent, gap: float, say: Tell
) -> PlannedSpot:
    """Solve and answer one spot: that of hand ``number``, for a kind that came ``count`` times."""
    say(f"{kind}: hand #{number}")
    player = opponent.name
    taken = spot_of_hand(
        hand, kind.street, number=number, make_model=RelationalModel, readers={player: opponent.model}
    )
    if kind.street == "flop":
        spot = taken.spot
        small = Spot(spot.board, spot.ranges, replace(spot.betting, most_bets=_FLOP_BETS))
        taken = replace(taken, spot=small)
    villain = taken.player_of(player)
    reads = reads_of_player(
        taken.spot,
        villain,
        player,
        opponent.seen,
        parse_confidence(DEFAULT_CONFIDENCE),
        initiative=taken.initiative(villain),
    )
    stops = Stops(gap=gap * taken.spot.betting.pot, iterations=MOST_ITERATIONS)
    study = study_locks(
        taken.spot, reads, trusts=TRUSTS, stops=stops, tell=lambda text: say(f"{kind}: {text}")
    )
    habits = [habit for locked in study.locked for habit in _habits(study, locked, hand.stakes.big_blind)]
    habits.sort(key=lambda habit: -abs(habit.rate - habit.equilibrium) * math.sqrt(habit.n))
    return PlannedSpot(kind, count, taken, study, tuple(habits))


def _habits(study: LockStudy, locked: Locked, big_blind: int) -> list[Habit]:
    """What was counted at one decision, by kind of action."""
    node = study.spot.node(locked.place)
    usual: dict[str, float] = defaultdict(float)
    for action, before in zip(node.actions, locked.before, strict=True):
        usual[action.kind] += float(before)
    intervals = locked.read.intervals()
    where = path_words(study.spot.path(locked.place), big_blind)
    return [
        Habit(where, word, locked.read.n or 0, rate, intervals[word], usual[word])
        for word, rate in locked.read.frequencies.items()
    ]


def path_words(path: str, big_blind: int) -> str:
    """A path of actions in words, amounts in big blinds: "after check, bet 6 bb"."""
    if not path:
        return "at the start"
    return f"after {', '.join(amount_word(word, big_blind) for word in path.split())}"


def amount_word(word: str, big_blind: int) -> str:
    """An action such as "bet600" with its amount in big blinds: "bet 6 bb"."""
    kind = word.rstrip("0123456789")
    chips = word[len(kind) :]
    return f"{kind} {int(chips) / big_blind:.3g} bb" if chips else kind
