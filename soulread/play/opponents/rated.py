"""Players who go by a rating of their hand, and the same players as tables.

A `RatedPlayer` looks at the public state and at one number between 0 and 1, the rating of its hand. It draws
its action from chances that depend on both. Rule players, persons and plain players are of this kind.

If the rating is that of `soulread.play.opponents.rating`, the scale from 0 to 1 can be cut into `STEPS` equal
parts. The player then becomes a `TabularStrategy` whose private states are these parts, so that what it wins
and loses can be computed (`soulread.solvers.real_cards.worth`). In the middle of a part the chances are
exact. Elsewhere they are off by less than a part's width allows, 1/2000 of the scale. In a game of few cards
no scale is needed: the table has the game's own private states, and is exact.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import HAND_CARDS, HAND_MASKS, NUM_HANDS, cards_mask
from soulread.cards.strength import hand_strength_all
from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame, PokerView, replay
from soulread.model.tabular import situations
from soulread.play.agent import Agent, MemorylessAgent
from soulread.play.catalogue.entry import where_tables_reach
from soulread.play.opponents.rating import Later, Ratings, later_of, rating_of
from soulread.play.tabular import Disclosing, strategy_played, tabular_form
from soulread.seqform.betting import betting_tree
from soulread.seqform.compile import SequenceGame, compile_factored
from soulread.seqform.lookup import Cards, States, fits_card_by_card
from soulread.seqform.strategy import Behaviour, Behaviours, draw_index, uniform_behaviour
from soulread.seqform.tabular import TabularStrategy, tabular
from soulread.seqform.treeplex import Ints

STEPS = 1000


class RatedPlayer(MemorylessAgent, ABC):
    """A player whose chances depend on the rating of its hand; takes one double of its stream a decision."""

    name: str

    @abstractmethod
    def probabilities(self, view: PokerView) -> dict[int, float]:
        """The chance of each legal action of the seat to act, which must be the one in view."""

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Draw an action."""
        found = self.probabilities(view)
        return list(found)[draw_index(np.array(list(found.values())), rng.random())]


class ScalePlayer(RatedPlayer):
    """A rated player whose rating of a hand is now + potential * (later - now)."""

    potential = 1.0

    @abstractmethod
    def chances(self, view: PokerView, rating: Ratings) -> dict[int, Ratings]:
        """The chance of each legal action at the public state of ``view``, for hands of the given ratings."""


@dataclass(frozen=True)
class RatedLookup:
    """The private states of hold'em hands by their rating; ``potential`` is that of a `ScalePlayer`."""

    game: PokerGame
    potential: float

    @property
    def num_states(self) -> tuple[int, ...]:
        """Private states of each round."""
        return (STEPS,) * len(self.game.rules.board_cards)

    def state(self, hole: Sequence[int], board: Sequence[int]) -> int:
        """The part of the scale that a hand is in."""
        now, later = rating_of(self.game)(hole, board)
        return int(_parts(np.float64(now + self.potential * (later - now))))

    def fill(self, cards: Cards, seats: NDArray[np.int8], states: States) -> None:
        """Refuse: ratings are looked up for every holding of a board (`every_state`), not for whole deals."""
        raise SoulreadError("players who rate their hands do not play from tables in compiled matches")

    def every_state(self, board: Sequence[int]) -> Ints:
        """``[1326]``: the part of the scale that each hand is in; 0 for hands with a card of the board."""
        later = _later_all(self.game, tuple(board))
        if board and len(board) < 5 and self.potential < 1:
            now = hand_strength_all(board)
            later = np.where(np.isnan(now), 0.0, now + self.potential * (later - now))
        return _parts(later).astype(np.int32)


def _parts(ratings: np.float64 | NDArray[np.float64]) -> NDArray[np.int64]:
    return np.clip(np.floor(ratings * STEPS).astype(np.int64), 0, STEPS - 1)


@lru_cache(maxsize=256)
def _later_all(game: PokerGame, board: tuple[int, ...]) -> NDArray[np.float64]:
    """``[1326]``: the second part of the rating of every hand; 0 for hands with a card of the board."""
    later: Later = later_of(game)
    dead = cards_mask(board)
    ratings = np.zeros(NUM_HANDS)
    for hand in np.flatnonzero((HAND_MASKS & dead) == 0).tolist():
        ratings[hand] = later(HAND_CARDS[hand].tolist(), board)
    return ratings


def known_strategy(agent: Agent, game: PokerGame, seat: int) -> TabularStrategy | None:
    """The strategy of an agent in ``seat``, with every holding, in the hand that has just ended.

    Players of a rating are taken as tables. None means that the strategy is not known.
    """
    if isinstance(agent, ScalePlayer):
        return rated_table(agent, game)
    return strategy_played(agent, game, seat)


def tells_strategy(agent: Agent, game: PokerGame) -> bool:
    """Whether `known_strategy` knows the strategy of an agent; nothing is computed."""
    if where_tables_reach(game) is not None:
        return False
    told = isinstance(agent, (ScalePlayer, Disclosing))
    return told or tabular_form(agent, game) is not None


@lru_cache(maxsize=4)
def rated_table(agent: ScalePlayer, game: PokerGame) -> TabularStrategy:
    """The table of a player who rates its hands; see the top of the module."""
    if fits_card_by_card(game):
        compiled = compile_factored(game)
        return tabular(compiled, rated_behaviours(agent, compiled))
    betting = betting_tree(game)
    lookup = RatedLookup(game, agent.potential)
    layout = betting.layout(lookup.num_states)
    middles = (np.arange(STEPS) + 0.5) / STEPS
    behaviours = [np.ones(size, dtype=np.float32) for size in layout.num_sequences]
    for node, view in _views(game):
        found = agent.chances(view, middles)
        for k, action in enumerate(betting.actions[node]):
            first = int(layout.first_sequence[node]) + k * STEPS
            behaviours[view.seat][first : first + STEPS] = found[action]
    return TabularStrategy(betting, lookup, (Behaviour(behaviours[0]), Behaviour(behaviours[1])))


@lru_cache(maxsize=2)
def _views(game: PokerGame) -> list[tuple[int, PokerView]]:
    """A view of every betting node, with spare cards."""
    betting = betting_tree(game)
    rules = game.rules
    views = []
    for node, text in enumerate(betting.betting):
        if betting.actions[node]:
            dealt = rules.num_players * rules.hole_cards + sum(rules.board_cards[: text.count("/") + 1])
            state = replay(game, text, [None] * dealt)
            views.append((node, state.view(state.player)))
    return views


def rated_behaviours(agent: RatedPlayer, game: SequenceGame) -> Behaviours:
    """The behaviours of a rated player in both seats of a game with few cards."""
    first, second = (uniform_behaviour(tree) for tree in game.trees)
    for seat, behaviour in enumerate((first, second)):
        for view, rows in situations(game, seat):
            chances = agent.probabilities(view)
            behaviour[rows] = [chances[action] for action in view.choices]
    return first, second
