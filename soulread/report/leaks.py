"""What a coach reads: where a player leaks, in words, and what it is worth.

Only public actions are looked at, so a log without hole cards will do. `watch` lets an agent be watched,
`report_leaks` fits one deviation model per seat in the game's equilibrium and asks what their best responses
expect. Those are the model's own promises: they come true as far as the model is right.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from soulread.cards.deck import cards_name, parse_cards
from soulread.errors import SoulreadError
from soulread.estimate import Unit
from soulread.games import parse_game
from soulread.games.poker import CALL, FOLD, PokerGame, PokerState, replay
from soulread.model.deviation import DeviationModel
from soulread.model.leaks import Leak, leaks
from soulread.observe.counts import PublicCounts
from soulread.observe.hand import Hand, seen_by
from soulread.play.agent import Agent
from soulread.play.match import Match, Progress
from soulread.report.tables import console, new_table, titled
from soulread.seqform.strategy import plan_from_behaviour
from soulread.solve.best_response import best_response
from soulread.solve.equilibria import find_equilibrium
from soulread.solve.named import Tell, compile_playable, parse_abstract_game
from soulread.solve.skews import ROUNDS

DEFAULT_ABSTRACTION = "5-5-5-5"


@dataclass(frozen=True)
class LeakReport:
    """The leaks of one player in both seats, worthiest first, and what they come to.

    ``expected`` is what the best responses to the model expect from him, ``safe`` what the equilibrium does,
    both in mb/g and the mean over the seats.
    """

    game: str
    player: str
    hands: int
    leaks: tuple[Leak, ...]
    expected: float
    safe: float

    def as_dict(self, top: int | None = None) -> dict[str, Any]:
        """Everything, for JSON; the ``top`` worthiest leaks if it is given."""
        rules = poker_of(self.game)
        return {
            "game": self.game,
            "player": self.player,
            "hands": self.hands,
            "expected": self.expected,
            "equilibrium": self.safe,
            "unit": Unit.MILLIBETS.value,
            "leaks": [
                {
                    **asdict(leak),
                    "situation": situation(rules, leak.history),
                    "action_name": action_word(rules, leak),
                    "frequency": leak.frequency,
                    "certain": leak.certain,
                }
                for leak in self.leaks[:top]
            ],
        }


def report_name(game: PokerGame, abstraction: str | None = None) -> str:
    """The game that is solved: ``"limit:5-5-5-5"`` for limit hold'em, else its own name."""
    if game.name == "limit":
        return f"limit:{abstraction or DEFAULT_ABSTRACTION}"
    if abstraction is not None:
        raise SoulreadError(f"{game.name!r} needs no card abstraction, but {abstraction!r} is given")
    return game.name


def watch(
    game: PokerGame, agents: tuple[Agent, Agent], hands: int, seed: int, progress: Progress | None = None
) -> list[Hand]:
    """What somebody at the rail sees of a match: all that is public, no card that was not shown."""
    seen: list[Hand] = []
    Match(game, agents, hands).play(
        seed, progress=progress, record=lambda end, names: seen.append(seen_by(end, None, names))
    )
    return seen


def report_leaks(
    name: str, hands: Iterable[Hand], player: str, min_opportunities: float = 10.0, tell: Tell | None = None
) -> LeakReport:
    """The leaks of ``player``, found in his public actions; ``name`` as from `report_name`."""
    equilibrium = find_equilibrium(name, tell)
    game = compile_playable(name, tell).game
    counts = PublicCounts(game)
    number = 0
    for hand in hands:
        if player in hand.players:
            counts.add(hand, hand.seat_of(player))
            number += 1
    if not number:
        raise SoulreadError(f"there is no hand of {player!r} to learn from")
    models = [
        DeviationModel(game, seat, behaviour).fit(counts)
        for seat, behaviour in enumerate(equilibrium.behaviours)
    ]
    found = [leak for model in models for leak in leaks(model, min_opportunities)]
    expected, safe = 0.0, 0.0
    for hero, tree in enumerate(game.trees):
        gradient = game.payoff.gradient(hero, models[1 - hero].plan().astype(game.payoff.dtype, copy=False))
        value, _ = best_response(tree, gradient)
        expected += value / 2
        safe += float(np.dot(plan_from_behaviour(tree, equilibrium.behaviours[hero]), gradient)) / 2
    rules = counts.rules.rules
    unit = Unit.MILLIBETS.per_chip(rules.small_bet, rules.big_blind)
    return LeakReport(
        game=game.name,
        player=player,
        hands=number,
        leaks=tuple(sorted(found, key=lambda leak: -leak.worth)),
        expected=expected * unit,
        safe=safe * unit,
    )


def print_leaks(report: LeakReport, top: int) -> None:
    """The ``top`` worthiest leaks as a table, and in a line what they come to."""
    console.print(leaks_table(report.game, report.leaks[:top], f"{report.player}, {report.hands:,} hands"))
    console.print(
        "n: of his chances; /100: chances in 100 hands in this seat; mb/g: worth per hand in it.", style="dim"
    )
    console.print(conclusion(report))


def leaks_table(game: str, found: Sequence[Leak], title: str) -> Any:
    """A table of leaks in words, under a title."""
    rules = poker_of(game)
    table = new_table("leak", "n", "plays (95%)", "should", "/100", Unit.MILLIBETS.value, "sure")
    table.padding = (0, 1, 0, 0)  # seven columns in eighty characters
    table.columns[0].no_wrap = False
    table.columns[0].min_width = 24
    for leak in found:
        betting = leak.history.rpartition("|")[2]
        much = "too often" if leak.deviation > 0 else "too rarely"
        words = f"{action_word(rules, leak)}s {much}: {situation(rules, leak.history)}"
        table.add_row(
            f"seat {leak.player} {words}" + (f" ({betting})" if betting else ""),
            f"{leak.count:.0f}/{leak.opportunities:.0f}",
            f"{leak.frequency:.0%} ({100 * leak.low:.0f}-{100 * leak.high:.0f})",
            f"{leak.equilibrium:.0%}",
            f"{100 * leak.reach:.3g}",
            f"{leak.worth:+.0f}",
            "yes" if leak.certain else "no",
        )
    return titled(f"{game}: {title}", table)


def conclusion(report: LeakReport) -> str:
    """One line in plain words."""
    unit = Unit.MILLIBETS.value
    sure = sum(leak.certain for leak in report.leaks)
    return (
        f"The counter-strategy expects {report.expected:+.0f} {unit} from him as he is believed to play, the "
        f"equilibrium {report.safe:+.0f} {unit}. {sure} of {len(report.leaks)} deviations are beyond chance."
    )


def poker_of(name: str) -> PokerGame:
    """The poker game behind a solved game's name."""
    named = parse_abstract_game(name)
    return parse_game(name) if named is None else named.game


def action_word(game: PokerGame, leak: Leak) -> str:
    """``"fold"``, ``"check"``, ``"call"``, ``"bet"`` or ``"raise"``."""
    return _state(game, leak.history).action_name(leak.action)


def situation(game: PokerGame, history: str) -> str:
    """A public history in words: ``"river, faces a bet after checking"``."""
    state = _state(game, history)
    betting = history.rpartition("|")[2]
    own = [action for seat, action in state.actions_by_round[-1] if seat == state.player]
    raises = betting.rpartition("/")[2].count("r")
    opened = state.round == 0 and any(game.rules.blinds)  # a blind is a bet, so the first raise is one
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
    """Whether the first raise of the round was the one of the seat to act."""
    return next(seat for seat, action in state.actions_by_round[-1] if action > CALL) == state.player


def _state(game: PokerGame, history: str) -> PokerState:
    """A state with this public history; hole cards are some that nobody named."""
    board, _, betting = history.rpartition("|")
    rounds = betting.count("/")
    shown: list[int | None] = list(_board_cards(game, board))
    shown += [None] * (sum(game.rules.board_cards[: rounds + 1]) - len(shown))
    return replay(game, betting, [None] * (2 * game.rules.hole_cards) + shown)


def _board_cards(game: PokerGame, board: str) -> tuple[int, ...]:
    """The cards of a label; where labels leave suits out, any card of the rank."""
    if not game.rules.suit_isomorphic:
        return parse_cards(board)
    return tuple(next(card for card in game.rules.deck if cards_name((card,))[0] == rank) for rank in board)
