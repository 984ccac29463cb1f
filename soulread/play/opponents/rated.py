"""Players who go by a rating of their hand, as tables: what they do with every holding, all at once.

A rule player or a person looks at the betting and at one number, the rating of its hand (`play.rating`). Cut
the scale from 0 to 1 into `STEPS` equal parts, and such a player becomes a `TabularStrategy` whose private
states are these parts. Then whatever works with tables works with these players: what they win and lose can
be computed (`solve.worth`). In the middle of a part the chances are exact. Elsewhere they are off by less
than a part's width allows, 1/2000 of the scale.

In a game of few cards no scale is needed: the table has the game's own private states, and is exact.
"""

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
from soulread.play.agent import Agent
from soulread.play.opponents.person import Person
from soulread.play.opponents.rating import Later, later_of, rating_of
from soulread.play.opponents.rule_player import RulePlayer
from soulread.play.tabular import strategy_played
from soulread.seqform.betting import betting_tree
from soulread.seqform.compile import SequenceGame, compile_factored
from soulread.seqform.lookup import Cards, States, fits_card_by_card
from soulread.seqform.strategy import Behaviour, Behaviours, uniform_behaviour
from soulread.seqform.tabular import TabularStrategy, tabular
from soulread.seqform.treeplex import Ints

STEPS = 1000

Rated = RulePlayer | Person


@dataclass(frozen=True)
class RatedLookup:
    """The private states of hold'em hands by their rating; ``potential`` as with a `RulePlayer`."""

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
        """Ratings of whole deals are not looked up; every holding of a board is (`every_state`)."""
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
    """What an agent did in ``seat`` with every holding, in the hand that has just ended.

    Players who rate their hands are taken as tables. None if the agent cannot say.
    """
    if isinstance(agent, RulePlayer | Person):
        return rated_table(agent, game)
    return strategy_played(agent, game, seat)


@lru_cache(maxsize=4)
def rated_table(agent: Rated, game: PokerGame) -> TabularStrategy:
    """The table of a player who rates its hands; see the top of the module."""
    if fits_card_by_card(game):
        compiled = compile_factored(game)
        return tabular(compiled, asked_behaviours(agent, compiled))
    betting = betting_tree(game)
    potential = agent.habits.potential if isinstance(agent, RulePlayer) else 1.0
    lookup = RatedLookup(game, potential)
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


def asked_behaviours(agent: Rated, game: SequenceGame) -> Behaviours:
    """What an agent answers at every information set of both seats, in a game with few cards."""
    first, second = (_asked(agent, game, seat) for seat in (0, 1))
    return first, second


def _asked(agent: Rated, game: SequenceGame, seat: int) -> Behaviour:
    behaviour = uniform_behaviour(game.trees[seat])
    for view, rows in situations(game, seat):
        chances = agent.probabilities(view)
        behaviour[rows] = [chances[action] for action in view.choices]
    return behaviour
