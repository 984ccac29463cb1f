"""A plan against a player of no-limit hold'em: the spots that come up most, and what to do there.

A *kind of spot* is a street of a pot with two players left: whether the player acts last, and who raised last
on the street before. The study counts the kinds in the player's hands. For each of the commonest it

1. takes a typical hand of the kind: among those whose board is of the commonest texture, the one whose pot
   and stacks are nearest to the medians;
2. reads the ranges of that hand: the player's by a model that has learnt the player's hands, ours by the same
   model without any hands, which is what most players do;
3. makes the spot small enough (`soulread.study.spots.plan_trees`), solves it, locks the player at each
   decision of the street to what was counted in situations like it, with the trust that the number of
   decisions allows (`soulread.study.spots.player_counts`), and answers.

What an answer wins if the counts are right, and what it costs at worst if they are wrong, is certified for
that board, these ranges and this tree (`soulread.respond.locks.trust`). On other boards of the kind it is an
example.

A habit is surely off (`soulread.study.baseline.habits`) if the player's count, over all boards, is beyond
chance for every frequency within ten points of the equilibrium's on the example. The ten points are room
for what the solver and the board leave open.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from soulread.abstraction.textures import texture_of
from soulread.cards.deck import cards_name
from soulread.encoding import keys, plain_data
from soulread.errors import SoulreadError
from soulread.games.spot import STREETS
from soulread.games.unit import BIG_BLINDS, PARTS, ChipUnit, Told
from soulread.hands.conditions import shell_line
from soulread.hands.hand import Hand
from soulread.hands.record import decisions
from soulread.hands.referee import game_of_holdem
from soulread.hands.store import EVERYTHING, Query, Store
from soulread.model.base import CardReader
from soulread.model.relational.model import RelationalModel
from soulread.report.shown import ShownTable
from soulread.respond.confidence import parse_confidence
from soulread.respond.locks.reads import Locked, settled
from soulread.respond.locks.trust import DEFAULT_CONFIDENCE
from soulread.seqform.reach import hand_weights, met_by
from soulread.seqform.spot import Spot
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.real_cards.spot_files import read_rake
from soulread.study.baseline.habits import Habit, judge
from soulread.study.profile.model_ranges import LEAST_HANDS, MOST_HANDS
from soulread.study.spots.from_hands import HandSpot, spot_of_hand
from soulread.study.spots.locks import Changes, LockStudy, compare, study_locks
from soulread.study.spots.plan_trees import SmallSpot, small_spot
from soulread.study.spots.player_counts import SeenDecision, decisions_of, first_street, reads_of_player

SPOTS = 5  # kinds of spots in a plan
DEFAULT_STREETS = STREETS
LEAST_OF_KIND = 30  # hands of a kind that is looked at
GAP = 0.01  # of the pot: to which spots are solved
MOST_ITERATIONS = 400
_CHECK = 8  # iterations between two looks at the gap
SLACK = 0.1  # a habit that is surely off is so by more than this
MOST_NEAR = 6  # hands of a kind that are named, the example first
_TRUSTS = 0.0, 1.0
_HANDS = 6  # classes of hands named at a decision
_CHANGED = 0.01  # of all hands: so many must change their action at a decision that is told

Tell = Callable[[str], None]


@dataclass(frozen=True, order=True)
class SpotKind:
    """A kind of spot, as the player sees it."""

    street: str
    in_position: bool
    initiative: str  # who raised last on the street before: "own", "other" or "nobody"

    def __str__(self) -> str:
        where = "in position" if self.in_position else "out of position"
        before = "before the flop" if self.street == "flop" else "on the street before"
        done = {
            "own": "the player raised last",
            "other": "the player called",
            "nobody": "nobody raised" if self.street == "flop" else "nobody bet",
        }[self.initiative]
        return f"{self.street}, the player is {where}, {done} {before}"


@dataclass(frozen=True, eq=False)
class PlannedSpot:
    """One kind of spot with its example and the answer. Amounts are big blinds a hand."""

    kind: SpotKind
    numbers: tuple[int, ...]  # of the player's hands of this kind in the store, the most typical first
    taken: HandSpot
    small: SmallSpot
    hero: int  # 0 if we are out of position
    gain: float  # won beyond the equilibrium if the player does what was counted
    cost: float  # lost at most beyond the equilibrium if the player does something else
    gap: float  # exploitability of the equilibrium, as a part of the pot
    sure: bool  # whether the gain is beyond what the solver leaves open
    habits: tuple[Habit, ...]
    changes: tuple[Changes, ...]  # our decisions of the street that change, the most first

    JSON = keys(
        "hands numbers gain cost gain_of_pot cost_of_pot gap sure habits advice changes",
        kind=lambda planned: str(planned.kind),
        street="kind.street",
        example=lambda planned: planned.taken.number,
        board=lambda planned: cards_name(planned.spot.board),
        tree="small.words",
    )

    @property
    def hands(self) -> int:
        """The number of the player's hands of this kind."""
        return len(self.numbers)

    @property
    def spot(self) -> Spot:
        """The spot that was solved."""
        return self.small.spot

    @property
    def big_blind(self) -> int:
        """Chips of a big blind."""
        return self.taken.hand.stakes.big_blind

    @property
    def pot(self) -> float:
        """The pot at the start of the spot."""
        return self.spot.betting.pot / self.big_blind

    @property
    def gain_of_pot(self) -> float:
        """The gain as a part of the pot."""
        return self.gain / self.pot

    @property
    def cost_of_pot(self) -> float:
        """The cost as a part of the pot."""
        return self.cost / self.pot

    @property
    def advice(self) -> tuple[str, ...]:
        """What to do otherwise than in the equilibrium, a sentence for each decision; empty if nothing."""
        return tuple(self._advice(one) for one in self.changes) if self.sure else ()

    def _advice(self, changes: Changes) -> str:
        words = [
            f"{amount_word(name, self.big_blind)} {after:.0%} (equilibrium {before:.0%})"
            for name, before, after in zip(changes.actions, changes.before, changes.after, strict=True)
        ]
        where = path_words(changes.path, self.big_blind)
        return f"You, {where}: {', '.join(words)}.{self._hands(changes)}"

    def _hands(self, changes: Changes) -> str:
        """The classes of hands that change most, by the action that they take more often."""
        more: dict[str, list[str]] = defaultdict(list)
        for hand in changes.hands[:_HANDS]:
            most = max(range(len(hand.after)), key=lambda i: hand.after[i] - hand.before[i])
            more[amount_word(changes.actions[most], self.big_blind)].append(hand.name)
        return "".join(f" More often {action} with {', '.join(names)}." for action, names in more.items())


@dataclass(frozen=True, eq=False, repr=False)
class PlanStudy(ShownTable):
    """A plan against a player: the commonest spots, and the answer in each."""

    LINE = "{it.player}, {it.hands:,} hands: {it.num_spots} spots"
    TABLE = "spots"

    player: str
    room: str | None
    store: str
    hands: int  # of no-limit hold'em
    spots: tuple[PlannedSpot, ...]
    left_out: tuple[str, ...]  # kinds that could not be solved, and why
    rake: str = ""  # in words; empty if there is none

    JSON = keys(
        "player room hands left_out rake",
        spots=lambda study: [
            {**plain_data(planned), "query": study.query(planned)} for planned in study.spots
        ],
    )

    def query(self, planned: PlannedSpot, most: int | None = None) -> str:
        """The line for a shell that lists the hands of a kind, the most typical ``most`` or all of them."""
        word = f"#{','.join(map(str, planned.numbers[:most]))}"
        return shell_line(self.player, words=(word,), query=Query(room=self.room), store=self.store)

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
    rake: str | float | None = None,
    cap: Told | None = None,
    tell: Tell | None = None,
) -> PlanStudy:
    """A plan for the ``spots`` commonest kinds of spots against a player of a store.

    ``streets`` are those looked at. ``gap`` is the part of the pot to which spots are solved. ``rake`` and
    ``cap`` are those of `read_spot`; a cap in chips is one in the chips of each example.
    """
    for street in streets:
        if street not in STREETS:
            raise SoulreadError(f"street {street!r}; expected some of {', '.join(STREETS)}")
    if spots < 1:
        raise SoulreadError(f"a plan of {spots} spots; it has at least one")
    house = read_rake(rake, cap, ChipUnit(BIG_BLINDS, PARTS[-1]))  # a wrong one is told before the work
    most = "" if cap is None else f", at most {cap}"
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
        numbers = by_typicality({n: records[n] for n in found[kind]}, kind.street)
        try:
            planned.append(_planned(kind, numbers, records[numbers[0]], opponent, gap, say, rake, cap))
        except SoulreadError as error:
            left_out.append(f"{kind}: {error}")
    return PlanStudy(
        player,
        query.room,
        store.name,
        len(records),
        _judged(planned),
        tuple(left_out),
        f"{house.part_text}{most}" if house.part else "",
    )


def _judged(planned: Sequence[PlannedSpot]) -> tuple[PlannedSpot, ...]:
    """The spots with every habit told whether it is surely off; all tests of the plan are taken together."""
    each = iter(judge([habit for one in planned for habit in one.habits]))
    return tuple(replace(one, habits=tuple(next(each) for _ in one.habits)) for one in planned)


def _kind(decision: SeenDecision) -> SpotKind:
    situation = decision.situation
    assert situation.in_position is not None
    assert situation.initiative is not None
    return SpotKind(STREETS[situation.street - 1], situation.in_position, situation.initiative)


def by_typicality(hands: Mapping[int, Hand], street: str) -> tuple[int, ...]:
    """The numbers of hands, the most typical first.

    Hands with a board of the commonest texture, whose street began with two players, come before all others;
    among them, the nearest to the medians of pot and stacks.
    """
    cards = 3 + STREETS.index(street)
    textures = {number: texture_of(hand.board[:cards]) for number, hand in hands.items()}
    ((texture, _),) = Counter(textures.values()).most_common(1)
    began = {number: _measures(hand, street) for number, hand in hands.items()}
    middle = np.median([row for row, _ in began.values()], axis=0)

    def distance(number: int) -> tuple[bool, bool, float, int]:
        row, players = began[number]
        far = float(np.abs(row - middle).sum())
        return players > 2, textures[number] != texture, far, -number

    return tuple(sorted(hands, key=distance))


def _measures(hand: Hand, street: str) -> tuple[np.ndarray, int]:
    """Pot in big blinds and stacks in pots at the start of a street, both as logarithms; and the players."""
    for state, _ in decisions(game_of_holdem(hand), hand.actions, hand.board):
        if state.round == 1 + STREETS.index(street):
            assert state.stacks is not None
            left = [stack for stack, out in zip(state.stacks, state.folded, strict=True) if not out]
            numbers = [state.pot / hand.stakes.big_blind, max(min(left), 1) / state.pot]
            return np.log(numbers), len(left)
    raise SoulreadError(f"hand {hand.id!r} has no {street}")


@dataclass(frozen=True, eq=False)
class _Opponent:
    """The player, a model that has learnt the player's hands, and every decision that was seen."""

    name: str
    model: CardReader
    seen: Sequence[SeenDecision]


def _planned(
    kind: SpotKind,
    numbers: tuple[int, ...],
    hand: Hand,
    opponent: _Opponent,
    gap: float,
    say: Tell,
    rake: str | float | None,
    cap: Told | None,
) -> PlannedSpot:
    """Solve and answer one spot: that of ``hand``, the first of the ``numbers`` of this kind.

    Only the results are kept: a solved flop takes a gigabyte.
    """
    say(f"{kind}: hand #{numbers[0]}")
    player = opponent.name
    taken = spot_of_hand(
        hand,
        kind.street,
        number=numbers[0],
        make_model=RelationalModel,
        readers={player: opponent.model},
        rake=rake,
        cap=cap,
    )
    villain = taken.player_of(player)
    raiser = {"own": villain, "other": 1 - villain, "nobody": -1}[taken.initiative(villain)]
    small = small_spot(taken.spot, raiser)
    study = answer_player(small.spot, taken, player, opponent.seen, gap, lambda text: say(f"{kind}: {text}"))
    big = hand.stakes.big_blind
    habits = [habit for locked in study.locked for habit in _habits(study, locked, big)]
    habits.sort(key=lambda habit: -abs(habit.rate - habit.equilibrium) * math.sqrt(habit.n))
    curve, chosen = study.curve, study.chosen
    return PlannedSpot(
        kind=kind,
        numbers=numbers,
        taken=taken,
        small=small,
        hero=curve.hero,
        gain=curve.gain(chosen) / big,
        cost=max(0.0, curve.cost(chosen)) / big,
        gap=study.baseline.gap / small.spot.betting.pot,
        sure=curve.gain(chosen) > 2 * chosen.response.gap,
        habits=tuple(habits),
        changes=_changes(study),
    )


def answer_player(
    spot: Spot,
    taken: HandSpot,
    player: str,
    seen: Sequence[SeenDecision],
    gap: float = GAP,
    tell: Tell | None = None,
) -> LockStudy:
    """The answer to what a player was ``seen`` to do, in a spot with the seats of the hand it was taken from.

    It is solved to ``gap``, a part of the pot.
    """
    villain = taken.player_of(player)
    confidence = parse_confidence(DEFAULT_CONFIDENCE)
    reads = reads_of_player(spot, villain, player, seen, confidence, initiative=taken.initiative(villain))
    stops = Stops(gap=gap * spot.betting.pot, iterations=MOST_ITERATIONS, check_every=_CHECK)
    return study_locks(spot, reads, trusts=_TRUSTS, stops=stops, tell=tell)


def _changes(study: LockStudy) -> tuple[Changes, ...]:
    """Our decisions of the first street at which the answer differs from the equilibrium, the most first.

    A decision counts by how often it is reached, times how much of our range changes its action there, in the
    classes of hands that change most.
    """
    spot, hero, baseline = study.spot, study.curve.hero, study.baseline
    tree = study.curve.game.trees[hero]
    after = settled(tree, study.chosen.response.plan, baseline.engine.behaviours[hero])
    found = []
    for place in first_street(spot, hero):
        own, other = (hand_weights(spot, place, i, baseline.plans[i]) for i in (hero, 1 - hero))
        reached = float(own @ met_by(other)) / spot.total_chance
        changes = compare(spot, place, baseline.plans, baseline.behaviours[hero], after)
        moved = sum(hand.share * hand.change for hand in changes.hands)
        if reached * moved >= _CHANGED:
            found.append((reached * moved, changes))
    found.sort(key=lambda pair: -pair[0])
    return tuple(changes for _, changes in found)


def _habits(study: LockStudy, locked: Locked, big_blind: int) -> list[Habit]:
    """What was counted at one decision, by kind of action."""
    node = study.spot.node(locked.place)
    usual: dict[str, float] = defaultdict(float)
    for action, before in zip(node.actions, locked.before, strict=True):
        usual[action.kind] += float(before)
    where = path_words(study.spot.path(locked.place), big_blind)
    names = {word: word for word in usual}
    if "call" in usual and "raise" not in usual:
        names["call"] = "call or raise"
    return [
        Habit(where, names[word], locked.read.n or 0, rate, usual[word], SLACK)
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
