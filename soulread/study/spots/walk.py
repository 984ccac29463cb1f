"""A solved spot walked along its tree: the steps of a path, its decision, and the cards that may come.

A path may end at a decision, where a card is dealt, or where nobody decides any more. `SpotWalk` remembers
the decisions it has looked at, since each costs a pass over the boards that can still come.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import NUM_CARDS, card_name, cards_name
from soulread.cards.ranges import CELL_SIZES, HAND_CELLS, Range, class_name, hand_name
from soulread.encoding import keys
from soulread.games.spot import PLAYER_NAMES, After, Node, by_player
from soulread.report.action_grid import action_kinds
from soulread.seqform.spot import Point, action_number, action_word
from soulread.study.spots.spots import SpotStudy, SpotView, weighted_mean


@dataclass(frozen=True)
class StepAction:
    """One action of a decision on the way."""

    word: str  # as paths write it: "bet120"
    name: str  # "bet 120"
    kind: str  # of its colour: "fold", "call", "bet1" to "bet4"
    often: float  # of the whole range, 0 to 1
    ev: float  # taken out of the pot after it, in the spot's unit; NaN if it is never taken
    path: str
    ends: str  # why nobody decides after it ("fold", "showdown" or "all-in"), or ""


@dataclass(frozen=True)
class SpotStep:
    """A decision on the way."""

    path: str
    player: str
    pot: float
    cards: str  # dealt right before it, from the board of the spot on
    choices: tuple[StepAction, ...]
    taken: int  # which one leads on; -1 at the last step


@dataclass(frozen=True)
class NextCard:
    """A card that may come, and the first decision after it."""

    card: str
    often: tuple[float, ...]  # of each action there
    ev: tuple[float, float]  # of both players; NaN if it is not known
    equity: tuple[float, float]


@dataclass(frozen=True)
class NextStreet:
    """The cards that may come at a place where one is dealt, and what is done first after each."""

    player: str
    actions: tuple[tuple[str, str], ...]  # kind of colour and name, the same after every card
    cards: tuple[NextCard, ...]

    JSON = keys("player cards", actions=lambda street: [name for _, name in street.actions])


@dataclass(frozen=True, eq=False)
class Holding:
    """A hand, or a class of hands, of one player at a decision."""

    name: str
    reach: float  # 0 to 1: how much of it has come here
    share: float  # of all hands that are here
    ev: float
    equity: float
    often: tuple[float, ...]  # of each action; empty if the other player acts
    action_ev: tuple[float, ...]


def action_styles(node: Node) -> list[tuple[str, str]]:
    """The kind of colour and the name of each action of a decision."""
    kinds = action_kinds([action_number(action) for action in node.actions])
    return [(kind, str(action)) for kind, action in zip(kinds, node.actions, strict=True)]


@dataclass(eq=False)
class SpotWalk:
    """A way to look at one solved spot, place by place."""

    study: SpotStudy
    _views: dict[str, SpotView] = field(default_factory=dict, repr=False)
    _streets: dict[str, NextStreet] = field(default_factory=dict, repr=False)
    MOST = 200  # decisions that are remembered

    def at(self, path: str) -> SpotView:
        """The decision after a path; see `SpotStudy.at`."""
        spot = self.study.spot
        path = spot.path(spot.find(path))
        if path not in self._views:
            if len(self._views) >= self.MOST:
                self._views.clear()
            self._views[path] = self.study.at(path)
        return self._views[path]

    def point(self, path: str) -> Point:
        """Where a path leads."""
        return self.study.spot.follow(path)

    def steps(self, path: str) -> list[SpotStep]:
        """Every decision on the way of a path, and the one it leads to if there is one."""
        spot, point = self.study.spot, self.point(path)
        found: list[SpotStep] = []
        words: list[str] = []
        street = 0
        for here, node, action in point.taken:
            if here > street:  # a card comes between two streets
                words.append(cards_name(point.cards[here - 1 : here]))
            street = here
            found.append(self._step(" ".join(words), action))
            words.append(action_word(spot.tree[here].nodes[node].actions[action]))
        if point.node >= 0:
            if point.street > street:
                words.append(cards_name(point.cards[point.street - 1 : point.street]))
            found.append(self._step(" ".join(words), -1))
        return found

    def _step(self, path: str, taken: int) -> SpotStep:
        spot, view = self.study.spot, self.at(path)
        place = spot.find(path)
        node = spot.node(place)
        cards = ""
        if node.before[0] < 0:
            dealt = spot.board if place.street == 0 else place.cards[-1:]
            cards = cards_name(dealt)
        choices = []
        styles = action_styles(node)
        for i, (action, (kind, name), after) in enumerate(zip(node.actions, styles, node.after, strict=True)):
            word = action_word(action)
            weights = view.acting.share * np.nan_to_num(view.strategy[i])
            choices.append(
                StepAction(
                    word,
                    name,
                    kind,
                    float(view.frequencies[i]),
                    weighted_mean(weights, view.action_ev[i]),
                    f"{path} {word}".strip(),
                    self._end(place.street, after),
                )
            )
        return SpotStep(path, PLAYER_NAMES[node.player], view.pot, cards, tuple(choices), taken)

    def _end(self, street: int, after: After) -> str:
        if after.kind == "node":
            return ""
        if after.kind == "entry":
            return "" if self.study.spot.tree[street + 1].starts[after.number] >= 0 else "all-in"
        return after.kind

    def next_street(self, path: str) -> NextStreet:
        """The cards that may come after a path at whose end one is dealt."""
        spot, point = self.study.spot, self.point(path)
        if path not in self._streets:
            first = spot.tree[point.street + 1]
            node = first.nodes[first.starts[point.entry]]
            dead = {*spot.board, *point.cards}
            alike: dict[tuple[int, int], NextCard] = {}
            cards = []
            for card in range(NUM_CARDS):
                if card in dead:
                    continue
                place = spot.find(f"{path} {card_name(card)}")
                key = place.board, place.node
                if key not in alike:
                    alike[key] = self._card(f"{path} {card_name(card)}")
                same = alike[key]
                cards.append(NextCard(card_name(card), same.often, same.ev, same.equity))
            self._streets[path] = NextStreet(
                PLAYER_NAMES[node.player], tuple(action_styles(node)), tuple(cards)
            )
        return self._streets[path]

    def _card(self, path: str) -> NextCard:
        view = self.study.at(path)  # not remembered: there are many, and few are looked at again
        oop, ip = view.players
        return NextCard(
            "",
            tuple(view.frequencies.tolist()),
            (oop.mean_ev, ip.mean_ev),
            (oop.mean_equity, ip.mean_equity),
        )


def classes_of(view: SpotView, player: int) -> list[Holding]:
    """The 169 classes of a player's hands at a decision, those that are not there with a reach of 0."""
    hands = view.players[player]
    there = hands.weight > 0
    reach = np.minimum(1.0, np.bincount(HAND_CELLS, hands.weight, minlength=169) / CELL_SIZES)
    acts = player == view.player
    found = []
    for cell in range(169):
        own = np.where((cell == HAND_CELLS) & there, hands.share, 0.0)
        if not own.any():
            own = np.where((cell == HAND_CELLS) & there, hands.weight, 0.0)
        found.append(
            Holding(
                class_name(cell),
                float(reach[cell]),
                float(np.where(cell == HAND_CELLS, hands.share, 0.0).sum()),
                weighted_mean(own, hands.ev),
                weighted_mean(own, hands.equity),
                _means(own, view.strategy) if acts else (),
                _means(own, view.action_ev) if acts else (),
            )
        )
    return found


def _means(weights: NDArray[np.float64], rows: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(weighted_mean(weights, row) for row in rows)


def hands_of(view: SpotView, player: int, name: str = "") -> list[Holding]:
    """A player's hands at a decision, or those of one class such as "AKs"; the commonest first."""
    hands = view.players[player]
    meant = np.flatnonzero(hands.weight > 0).tolist()
    chosen = [h for h in meant if not name or class_name(int(HAND_CELLS[h])) == name]
    chosen.sort(key=lambda h: (-hands.share[h], -h))
    return _holdings(view, player, chosen)


def hands_within(view: SpotView, player: int, meant: Range) -> list[Holding]:
    """Those of a player's hands at a decision that a range has, in the order of the 13 x 13 grid."""
    chosen = np.flatnonzero((view.players[player].weight > 0) & (meant.weights > 0)).tolist()
    chosen.sort(key=lambda h: (int(HAND_CELLS[h]), -h))
    return _holdings(view, player, chosen)


def _holdings(view: SpotView, player: int, chosen: Sequence[int]) -> list[Holding]:
    """Single hands of a player at a decision."""
    hands = view.players[player]
    acts = player == view.player
    return [
        Holding(
            hand_name(h),
            float(hands.weight[h]),
            float(hands.share[h]),
            float(hands.ev[h]),
            float(hands.equity[h]),
            tuple(view.strategy[:, h].tolist()) if acts else (),
            tuple(view.action_ev[:, h].tolist()) if acts else (),
        )
        for h in chosen
    ]


def holding_record(view: SpotView, meant: Range) -> dict[str, list[dict[str, Any]]]:
    """The hands of a range that both players have at a decision, as rows of a sheet."""
    names = [str(action) for action in view.actions]
    return by_player(holding_rows(hands_within(view, player, meant), names) for player in (0, 1))


def holding_rows(holdings: Sequence[Holding], actions: Sequence[str]) -> list[dict[str, Any]]:
    """Holdings as rows of a sheet."""
    return [
        {
            "hand": one.name,
            "reach": one.reach,
            "share": one.share,
            "ev": one.ev,
            "equity": one.equity,
            **dict(zip(actions, one.often, strict=False)),
            **{f"ev_{name}": ev for name, ev in zip(actions, one.action_ev, strict=False)},
        }
        for one in holdings
    ]
