"""Where a player leaks, and what it is worth.

Only public actions are looked at, so a log without hole cards will do. `watch` lets an agent play and returns
what a spectator saw. `find_leaks` fits a model of how the player deviates from the game's equilibrium, and
computes what the best responses to that model win. These winnings come true as far as the model is right.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from soulread.cards.deck import cards_name, parse_cards
from soulread.errors import SoulreadError
from soulread.estimate import Unit
from soulread.games.poker import CALL, FOLD, PokerGame, PokerState, replay
from soulread.hands import Hand
from soulread.machine import verify_room
from soulread.model.deviation import DeviationModel
from soulread.model.leaks import Leak, leaks
from soulread.play.agent import Agent
from soulread.play.match import Match, Progress
from soulread.seqform.source import Source, Tell
from soulread.seqform.strategy import in_precision, plan_from_behaviour
from soulread.solve.best_response import best_response
from soulread.solve.equilibria import find_equilibrium
from soulread.solve.skews import ROUNDS
from soulread.words import plural

_HAND_BYTES = 1200  # of memory for the record of one hand

DEFAULT_ABSTRACTION = "5-5-5-5"  # of limit hold'em


@dataclass(frozen=True)
class LeakStudy:
    """The leaks of one player in both seats, the costliest first, and what they come to.

    ``expected`` is what the best responses to the model expect to win from the player, and ``safe`` is what
    the equilibrium expects to win. Both are in mb/g, the mean over the seats.
    """

    source: Source
    player: str
    hands: int
    leaks: tuple[Leak, ...]
    expected: float
    safe: float

    def as_dict(self, top: int | None = None) -> dict[str, Any]:
        """Everything for JSON; with ``top`` only that many of the costliest leaks."""
        poker = self.source.poker
        return {
            "game": self.source.name,
            "player": self.player,
            "hands": self.hands,
            "expected": self.expected,
            "equilibrium": self.safe,
            "unit": Unit.MILLIBETS.value,
            "leaks": [
                {
                    **asdict(leak),
                    "situation": situation(poker, leak.history),
                    "action_name": action_word(poker, leak),
                    "frequency": leak.frequency,
                    "certain": leak.certain,
                }
                for leak in self.leaks[:top]
            ],
        }

    @property
    def conclusion(self) -> str:
        """One line in plain words."""
        unit = Unit.MILLIBETS.value
        sure, all_found = sum(leak.certain for leak in self.leaks), len(self.leaks)
        return (
            f"If the model is right, the counter-strategy wins {self.expected:+.0f} {unit} from this player, "
            f"the equilibrium {self.safe:+.0f} {unit}. "
            f"{sure} of {plural(all_found, 'deviation')} {'is' if sure == 1 else 'are'} beyond chance."
        )


def watch(
    game: PokerGame, agents: tuple[Agent, Agent], hands: int, seed: int, progress: Progress | None = None
) -> list[Hand]:
    """The hands of a match as a spectator sees them: all that is public, and no card that was not shown."""
    verify_room(plural(hands, "hand"), _HAND_BYTES * hands)
    if seed < 0:
        raise SoulreadError(f"a seed is a number from 0 up, not {seed}")
    seen: list[Hand] = []
    Match(game, agents, hands).play(
        seed, progress=progress, record=lambda hand: seen.append(hand.seen_by(None))
    )
    return seen


def find_leaks(
    source: Source,
    hands: Iterable[Hand],
    player: str,
    min_opportunities: float = 10.0,
    tell: Tell | None = None,
) -> LeakStudy:
    """The leaks of ``player``, found in the public actions of all hands this player sat in."""
    equilibrium = find_equilibrium(source, tell)
    game = source.compile(tell)
    model = DeviationModel(game, equilibrium.behaviours).fit(())
    number = 0
    for hand in hands:
        if player in hand.players:
            model.update(hand, player)
            number += 1
    if not number:
        raise SoulreadError(f"there is no hand of {player!r} to learn from")
    found = [leak for seat in (0, 1) for leak in leaks(model.seat(seat), min_opportunities)]
    expected, safe = 0.0, 0.0
    for hero, tree in enumerate(game.trees):
        gradient = game.payoff.gradient(hero, in_precision(model.plan(1 - hero), game.payoff.dtype))
        value, _ = best_response(tree, gradient)
        expected += value / 2
        safe += float(np.dot(plan_from_behaviour(tree, equilibrium.behaviours[hero]), gradient)) / 2
    rules = source.poker.rules
    unit = Unit.MILLIBETS.per_chip(rules.small_bet, rules.big_blind)
    return LeakStudy(
        source=source,
        player=player,
        hands=number,
        leaks=tuple(sorted(found, key=lambda leak: -leak.worth)),
        expected=expected * unit,
        safe=safe * unit,
    )


def action_word(game: PokerGame, leak: Leak) -> str:
    """``"fold"``, ``"check"``, ``"call"``, ``"bet"`` or ``"raise"``."""
    return _state(game, leak.history).action_name(leak.action)


def situation(game: PokerGame, history: str) -> str:
    """A public history in words: ``"river, faces a bet after checking"``."""
    state = _state(game, history)
    betting = history.rpartition("|")[2]
    own = [action for seat, action in state.actions_by_round[-1] if seat == state.player]
    raises = betting.rpartition("/")[2].count("r")
    opened = state.round == 0 and any(game.rules.blinds)  # the blind is the first bet
    if not state.actions_by_round[-1]:
        words = "first to act"
    elif not state.to_call:
        words = "is called" if opened else "is checked to"
    else:
        words = "faces " + ("a raise", "a bet", "a raise", "a re-raise", "the last raise")[raises + opened]
    if own:
        words += " after " + _done(state, own[-1], len(own), opened)
    rounds = ROUNDS if len(game.rules.board_cards) > 1 else ("",)
    board = history.rpartition("|")[0]
    place = " ".join(part for part in (rounds[state.round], board) if part)
    return f"{place}, {words}" if place else words


def _done(state: PokerState, action: int, times: int, opened: bool) -> str:
    """What the seat did last in this round."""
    if action in (FOLD, CALL):
        return "calling" if opened else "checking"
    return "betting" if times == 1 and not opened and _bet_first(state) else "raising"


def _bet_first(state: PokerState) -> bool:
    """Whether the seat to act made the first bet of this round."""
    return next(seat for seat, action in state.actions_by_round[-1] if action > CALL) == state.player


def _state(game: PokerGame, history: str) -> PokerState:
    """A state with this public history; its hole cards are spare ones that mean nothing."""
    board, _, betting = history.rpartition("|")
    rounds = betting.count("/")
    shown: list[int | None] = list(_board_cards(game, board))
    shown += [None] * (sum(game.rules.board_cards[: rounds + 1]) - len(shown))
    return replay(game, betting, [None] * (2 * game.rules.hole_cards) + shown)


def _board_cards(game: PokerGame, board: str) -> tuple[int, ...]:
    """The cards of a label. Where labels name ranks only, any card of each rank."""
    if not game.rules.suit_isomorphic:
        return parse_cards(board)
    return tuple(next(card for card in game.rules.deck if cards_name((card,))[0] == rank) for rank in board)
