"""A Bayes-relational model of one player, under the contract of `soulread.model.base`.

    model = RelationalModel(game, prior).fit(hands, "Bob")
    model.probabilities(view, seat)      fold, call, and raises of seven sizes
    model.holdings(view, seat)           how likely each holding is
    model.rules()                        what the player does otherwise than most, in words

Asked about a seat whose cards are in view, the model takes the chances of that holding. Asked about another
seat, it averages over the holdings the seat may have:

    P(h | actions) is proportional to the product of P(action | situation, h) over the seat's actions so far,

with every holding dealt equally often, and none that shares a card with the board or with the asker's cards.
So hands that would have folded earlier are gone, whether anybody ever saw such a hand or not.

The player's hidden holdings are drawn from what the prior makes of them (`impute`) before the player's trees
are grown, then again from what these trees make of them. Types of the other players come from all hands the
model was given.
"""

from collections import OrderedDict
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import MAX_PLAYERS
from soulread.cards.ranges import HAND_MASKS, NUM_HANDS, cards_mask
from soulread.cards.scales.card_facts import NUM_KEYS
from soulread.errors import SoulreadError
from soulread.games.limit_holdem import verify_holdem
from soulread.games.poker import CALL, FOLD, PokerGame, PokerView
from soulread.games.walk import ROUND, may_raise, to_call
from soulread.hands.hand import Hand
from soulread.kernel import kernel
from soulread.model.base import HandLearner, one_holding, subject, verify_to_act
from soulread.model.loki.contexts import verify_seat
from soulread.model.relational.bayes import (
    Correction,
    Play,
    RelationalPrior,
    TreeLearned,
    action_chances,
    correct,
    default_prior,
    impute,
    play_of,
    reweigh,
    size_chances,
)
from soulread.model.relational.examples import Games, Question, board_facts, games_of, holding_tables
from soulread.model.relational.player_types import TypeBook
from soulread.model.relational.tree import Rule, rules_of
from soulread.model.situation import (
    NUM_SIZES,
    FactRows,
    apply_action,
    empty_situation,
    raise_of_size,
    row_of,
    situation_at,
    start,
    table_of,
)
from soulread.streams import stream

SEED = 2008
PASSES = 3  # of the EM that fills in the player's hidden holdings
_KEPT = 8  # tables of holdings that a model remembers, 11 kB each


class Board(NamedTuple):
    """Facts of all holdings on a board."""

    facts: NDArray[np.uint8]  # [1326, 8]
    keys: NDArray[np.int64]  # [1326]


class RelationalModel(HandLearner):
    """A model of one player; see the top of the module. Hands of any number of players teach it."""

    def __init__(self, game: PokerGame, prior: RelationalPrior | None = None) -> None:
        verify_holdem(game)
        self.game = game
        self.prior = default_prior() if prior is None else prior
        self.reset()

    # Learning.

    def reset(self) -> None:
        """Forget every hand."""
        self._hands: list[tuple[Hand, str]] = []
        self._forget()

    def update(self, hand: Hand, player: str | None = None) -> Self:
        """Learn from one more hand. The trees are grown anew when the model is next asked."""
        if not hand.variant.endswith("best_hand"):
            raise SoulreadError(f"a hand of {hand.game!r} is not hold'em")
        self._hands.append((hand, hand.players[subject(hand, player)]))
        self._forget()
        return self

    def _forget(self) -> None:
        for name in ("corrections", "play", "_book", "_games"):
            self.__dict__.pop(name, None)
        self._tables: OrderedDict[tuple[object, ...], NDArray[np.float64]] = OrderedDict()

    @property
    def num_hands(self) -> int:
        """How many hands the model has seen."""
        return len(self._hands)

    @property
    def seen(self) -> int:
        """Decisions that the model has learnt from."""
        return int(self._games[1].size) if self._hands else 0

    @cached_property
    def _book(self) -> TypeBook:
        book = TypeBook(self.prior.bounds)
        book.update_all(hand for hand, _ in self._hands)
        return book

    @cached_property
    def _games(self) -> tuple[Games, NDArray[np.int64]]:
        """All hands as arrays, and the player's decisions."""
        games = games_of([hand for hand, _ in self._hands])
        games.use_types(np.ones(games.num_hands, np.bool_), self.prior.bounds)
        seats = np.array([hand.seat_of(name) for hand, name in self._hands], np.int64)
        return games, np.flatnonzero(games.decisions.rows.actor == seats[games.decisions.hand])

    def correction(self, question: Question, holding: NDArray[np.int64] | None = None) -> Correction:
        """Trees for a question: how the player differs from the prior.

        ``holding`` are the cards at all decisions, for the questions play and size.
        """
        games, chosen = self._games
        known = [self.prior.corrections[question]]
        return correct(games, chosen, question, known, holding=holding, seed=SEED)

    @cached_property
    def corrections(self) -> dict[Question, Correction]:
        """The player's trees for actions with a holding, and for the sizes of raises."""
        if not self._hands:
            return {}
        games, chosen = self._games
        rng = stream(SEED, "holdings")
        holding, learned = impute(games, chosen, self.prior.play, rng), None
        for _ in range(PASSES):
            learned = self.correction(Question.PLAY, holding)
            play = play_of([self.prior.corrections[Question.PLAY], learned], [])
            holding = impute(games, chosen, play, rng)
        assert learned is not None
        return {Question.PLAY: learned, Question.SIZE: self.correction(Question.SIZE, holding)}

    @cached_property
    def play(self) -> Play:
        """The player's actions with a holding, compiled for play-outs."""
        stack = {
            question: [self.prior.corrections[question], *filter(None, [self.corrections.get(question)])]
            for question in (Question.PLAY, Question.SIZE)
        }
        return play_of(stack[Question.PLAY], stack[Question.SIZE])

    def rules(self, question: Question = Question.ACTION) -> tuple[list[Rule], list[Rule]]:
        """Rules, before the flop and after it: how the player differs from most players."""
        if not self._hands:
            return [], []
        found = []
        for learned in self.correction(question):
            assert isinstance(learned, TreeLearned)
            found.append(rules_of(learned.tree, holding=question.of_holding))
        return found[0], found[1]

    # What the player holds.

    def types(self, view: PokerView) -> tuple[int, int, int, int]:
        """The loose, tight, aggressive and passive seats at the table of a view."""
        return self._book.types(view.players)

    def table(self, view: PokerView, seat: int) -> NDArray[np.float64]:
        """Weights ``[1326]`` of the holdings of a seat by public play alone; read-only."""
        verify_seat(view, seat)
        types = self.types(view)
        own = [n for n, (who, _) in enumerate(view.actions) if who == seat]
        told = view.actions[: own[-1] + 1] if own else ()
        key = (view.game, seat, view.board, told, types)
        if key in self._tables:
            self._tables.move_to_end(key)
            return self._tables[key]
        weights = np.ones(NUM_HANDS)
        situation = empty_situation()
        start(situation, table_of(view.game, view.board, types), 0)
        memo = np.zeros(NUM_KEYS)
        last = -1
        board = facts_at(view, 0)
        for who, action in told:
            if who == seat:
                if situation.walk[ROUND] != last:
                    last = int(situation.walk[ROUND])
                    board = facts_at(view, last)
                may = to_call(situation.walk) > 0, may_raise(situation.walk)
                reweigh(self.play, row_of(situation), 0, *may, min(action, 2), *board, memo, weights)
                weights /= weights.max()
            apply_action(situation, action)
        weights.flags.writeable = False
        self._tables[key] = weights
        while len(self._tables) > _KEPT:
            self._tables.popitem(last=False)
        return weights

    def holdings(self, view: PokerView, seat: int) -> NDArray[np.float64]:
        """How likely ``seat`` holds each of the 1326 holdings, given the view; sums to one."""
        if seat == view.seat and view.hole:
            return one_holding(view.hole)
        weights = self.table(view, seat) * (HAND_MASKS & cards_mask((*view.hole, *view.board)) == 0)
        found: NDArray[np.float64] = weights / weights.sum()
        return found

    # What the player does.

    def probabilities(self, view: PokerView, seat: int) -> dict[int, float]:
        """The probability of each action of ``seat``, which is to act; see `soulread.model.base.Model`."""
        verify_to_act(view, seat)
        situation = situation_at(view, self.types(view))
        weights = self.holdings(view, seat)
        board = facts_at(view, view.round)
        chances = np.zeros(2 + NUM_SIZES)
        may = to_call(situation.walk) > 0, may_raise(situation.walk)
        _mean_chances(self.play, row_of(situation), *may, *board, weights, chances)
        answer = dict.fromkeys([FOLD] if FOLD in view.choices else [], 0.0)
        if may[0]:
            answer[FOLD] = float(chances[0])
        answer[CALL] = float(chances[1])
        for size, chance in enumerate(chances[2:] if may[1] else ()):
            total = raise_of_size(situation.walk, size)
            answer[total] = answer.get(total, 0.0) + float(chance)
        return answer


def facts_at(view: PokerView, round: int) -> Board:
    """Facts of all holdings on the board of a round of a view."""
    every = holding_tables()
    found = Board(every.facts.copy(), every.keys.copy())
    board_facts(every, np.array(view.board, np.int64), np.int64(round), *found)
    return found


@kernel
def _mean_chances(
    play: Play,
    rows: FactRows,
    may_fold: bool,
    may_raise: bool,
    facts: NDArray[np.uint8],
    keys: NDArray[np.int64],
    weights: NDArray[np.float64],
    found: NDArray[np.float64],
) -> None:
    """Chances of fold, call and the sizes of raises, averaged over holdings; equal facts are asked once."""
    total = np.zeros(NUM_KEYS)
    for h in range(keys.size):
        if weights[h] > 0:
            total[keys[h]] += weights[h]
    three, sizes = np.zeros(3), np.zeros(NUM_SIZES)
    room = np.zeros(MAX_PLAYERS, np.uint16)
    for h in range(keys.size):
        if weights[h] > 0 and total[keys[h]] > 0:
            share = total[keys[h]]
            total[keys[h]] = 0.0
            action_chances(play, rows, 0, may_fold, may_raise, facts[h], room, three)
            found[0] += share * three[0]
            found[1] += share * three[1]
            if may_raise:
                size_chances(play, rows, 0, facts[h], room, sizes)
                for k in range(NUM_SIZES):
                    found[2 + k] += share * three[2] * sizes[k]
