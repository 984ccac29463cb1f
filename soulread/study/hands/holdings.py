"""The range of each opponent at a point of a hand, by a model that reads cards.

The point is a decision of the hand, before it is made. For every opponent who has not folded, the study has
the chance of each of the 169 classes of starting hands, its change with the opponent's last action, and the
strength of our hand against the range (HS, PPot, EHS). Our hand is that of the observer, or of a named
player. Without either, the model sees only public information.

`READERS` are the models. A generic one (gom) reads everybody alike; the others read each player by earlier
hands.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import cards_name
from soulread.cards.ranges import HAND_CELLS, class_name
from soulread.cards.scales.values import HandValue, each_against, ehs_against
from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.games.poker import FOLD, PokerGame, PokerState, PokerView
from soulread.hands.facts import POSITIONS, facts_of
from soulread.hands.hand import Hand
from soulread.hands.record import decisions, final_state, public_view
from soulread.hands.referee import game_of_holdem
from soulread.model.base import CardReader, Model
from soulread.model.loki.contexts import walk
from soulread.model.loki.model import LokiModel
from soulread.model.relational.model import RelationalModel
from soulread.model.strength_tables import CompletedModel
from soulread.report.shown import ShownTable
from soulread.study.hands.replaying import STREETS

READERS = "gom", "som", "completed", "relational"
MOST_EARLIER = 2000  # hands of a player that a model learns from: the last ones, a few seconds of trees
"""Models by name: Loki's two, completed tables of no-limit play, and relational trees."""

NUM_CELLS = 169
_MOVED = 5  # classes that gained or lost most


@dataclass(frozen=True)
class Change:
    """The change of one class's chance with an action."""

    name: str  # "AKs"
    before: float
    after: float


@dataclass(frozen=True)
class SeatReading:
    """The range of one opponent."""

    seat: int
    player: str
    position: str
    seen: int  # decisions of this player that the model has learnt from
    action: str | None  # the last one, in words; None if the opponent has not acted
    grid: tuple[
        tuple[float, ...], ...
    ]  # [13, 13] chance of each class, aces first, suited above the diagonal
    before: tuple[tuple[float, ...], ...]  # the same before the last action
    holdings: float  # how many equally likely holdings would be as uncertain
    holdings_before: float
    weights: tuple[float, ...]  # [1326] chance of each holding, as `soulread.cards.ranges` numbers them
    gained: tuple[Change, ...]  # the classes that the last action made likelier, the most first
    lost: tuple[Change, ...]
    standing: HandValue | None  # of our hand against this range alone; from the flop on


@dataclass(frozen=True, repr=False)
class ReadingStudy(ShownTable):
    """The ranges of all opponents at one point of a hand."""

    LINE = "hand {it.number}, decision {it.at} of {it.num_decisions}, read by {it.model}"
    TABLE = "seats"

    hand: Hand
    number: int  # in the store or the file
    model: str
    at: int  # the decision, from 1; one more than there are: the end
    num_decisions: int
    street: str
    board: str
    pot: int  # chips
    to_act: int | None  # the seat
    hero: int | None  # our seat
    hole: str | None  # our cards
    seats: tuple[SeatReading, ...]
    standing: HandValue | None  # of our hand against all of them

    JSON = keys(
        "*",
        id="hand.id",
        game="hand.game",
        players="hand.players",
        classes=lambda _: [[class_name(13 * row + column) for column in range(13)] for row in range(13)],
    )


def study_reading(
    hand: Hand,
    number: int = 1,
    at: int | None = None,
    *,
    player: str | None = None,
    kind: str = "gom",
    earlier: Iterable[Hand] = (),
) -> ReadingStudy:
    """The ranges at decision ``at`` of a hand; without it, at our last decision, or at the end of the hand.

    ``player`` says who we are, if not the hand's observer. ``kind`` is one of `READERS`. ``earlier`` hands
    of the same room teach a model of that kind, unless it is generic.
    """
    game = game_of_holdem(hand)
    hero = hand.observer if player is None else hand.seat_of(player)
    total = len(hand.actions)
    at = _last_decision(hand, hero) if at is None else at
    if not 1 <= at <= total + 1:
        raise SoulreadError(
            f"decision {at} of a hand that has {total}; give 1 to {total}, or {total + 1} for its end"
        )
    state = _state_at(game, hand, at)
    hole = None if hero is None else hand.hole[hero]
    if hero is not None and (hole is None or len(hole) != 2):
        if player is not None:
            raise SoulreadError(f"the cards of {player!r} were not seen in this hand")
        hero, hole = None, None
    models = _models(game, hand, kind, [before for before in earlier if before.room == hand.room])
    live = [seat for seat, out in enumerate(state.folded) if not out and seat != hero]
    positions = [POSITIONS[code] for code in facts_of([hand]).seats["position"]]
    standing, each = _standings(state, hole, hero, live, models)
    seats = tuple(
        _read(hand, state, hero, seat, positions[seat], models[seat], one)
        for seat, one in zip(live, each, strict=True)
    )
    return ReadingStudy(
        hand,
        number,
        kind,
        at,
        total,
        STREETS[state.round],
        cards_name(state.board),
        state.pot,
        state.player if state.player >= 0 else None,
        hero,
        None if hole is None else cards_name(hole),
        seats,
        standing,
    )


def _last_decision(hand: Hand, hero: int | None) -> int:
    """Our last decision that was no fold; the end of the hand if there is none."""
    own = [n for n, (seat, action) in enumerate(hand.actions, start=1) if seat == hero and action != FOLD]
    return own[-1] if own else len(hand.actions) + 1


def _state_at(game: PokerGame, hand: Hand, at: int) -> PokerState:
    """The state before a decision, with spare cards for those nobody saw."""
    for number, (state, _) in enumerate(decisions(game, hand.actions, hand.board, hand.hole), start=1):
        if number == at:
            return state
    return final_state(game, hand)


class Reader(CardReader, Model, Protocol):
    """A model that reads cards and says how much it has seen."""

    @property
    def seen(self) -> int:
        """Decisions that the model has learnt from."""


def new_reader(kind: str, game: PokerGame) -> Reader:
    """A model of a player never seen, by one of the names `READERS`."""
    if kind in ("gom", "som"):
        return LokiModel(game, kind)
    if kind == "completed":
        return CompletedModel(game)
    if kind == "relational":
        return RelationalModel(game)
    raise SoulreadError(f"model {kind!r}; expected one of {', '.join(READERS)}")


def _models(game: PokerGame, hand: Hand, kind: str, earlier: Iterable[Hand]) -> list[Reader]:
    """A model of each seat; those that are not generic have learnt from the last `MOST_EARLIER` hands."""
    known = list(earlier) if kind != "gom" else []
    models = []
    for name in hand.players:
        own = [old for old in known if name in old.players][-MOST_EARLIER:]
        models.append(new_reader(kind, game).fit(own, name) if own else new_reader(kind, game))
    return models


def _view(state: PokerState, hero: int | None) -> PokerView:
    """Our view, or the public one."""
    return public_view(state) if hero is None else state.view(hero)


def _standings(
    state: PokerState,
    hole: tuple[int, ...] | None,
    hero: int | None,
    live: list[int],
    models: list[Reader],
) -> tuple[HandValue | None, list[HandValue] | list[None]]:
    """The standing of our hand against all, and against each."""
    if hole is None or len(state.board) < 3 or not live:
        return None, [None] * len(live)
    weights = [models[seat].holdings(_view(state, hero), seat) for seat in live]
    return ehs_against(hole, state.board, weights), each_against(hole, state.board, weights)


def _read(
    hand: Hand,
    state: PokerState,
    hero: int | None,
    seat: int,
    position: str,
    model: Reader,
    standing: HandValue | None,
) -> SeatReading:
    view = _view(state, hero)
    after = model.holdings(view, seat)
    own = [number for number, (actor, _) in enumerate(state.actions) if actor == seat]
    before = model.holdings(replace(view, actions=view.actions[: own[-1]]), seat) if own else after
    cells, cells_before = _cells(after), _cells(before)
    moved = cells - cells_before
    order = np.argsort(moved, kind="stable")
    return SeatReading(
        seat,
        hand.players[seat],
        position,
        model.seen,
        _last_action(state, seat),
        _grid(cells),
        _grid(cells_before),
        _uncertainty(after),
        _uncertainty(before),
        tuple(after.tolist()),
        tuple(_changes(cells, cells_before, order[::-1], 1)),
        tuple(_changes(cells, cells_before, order, -1)),
        standing,
    )


def _cells(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    cells: NDArray[np.float64] = np.bincount(HAND_CELLS, chances, minlength=NUM_CELLS)  # type: ignore[assignment]
    return cells


def _grid(cells: NDArray[np.float64]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in cells.reshape(13, 13).tolist())


def _uncertainty(chances: NDArray[np.float64]) -> float:
    """The exponential of the entropy."""
    some = chances[chances > 0]
    return float(np.exp(-(some * np.log(some)).sum()))


def _changes(
    after: NDArray[np.float64], before: NDArray[np.float64], order: NDArray[np.int64], sign: int
) -> Iterable[Change]:
    for cell in order[:_MOVED].tolist():
        if sign * (after[cell] - before[cell]) > 0:
            yield Change(class_name(cell), float(before[cell]), float(after[cell]))


def _last_action(state: PokerState, seat: int) -> str | None:
    """The last action of a seat, in words."""
    made = [one for one in walk(state.game, state.actions).decisions if one.seat == seat]
    if not made:
        return None
    word = ("folds", "calls" if made[-1].to_call else "checks", "raises" if made[-1].to_call else "bets")
    bets = ("", ", one bet to call", ", two or more bets to call")[made[-1].to_call]
    where = STREETS[made[-1].round] if made[-1].round == 0 else f"on the {STREETS[made[-1].round]}"
    return f"{word[made[-1].action]} {where}{bets}"
