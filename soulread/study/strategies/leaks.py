"""Leaks of a player: deviations from equilibrium, how sure they are, and their worth.

The study never uses the player's cards, so a log without them will do. It uses the cards of the player's
opponent where the record has them, since the equilibrium's action at a public history depends on them
(`soulread.observe.card_removal`). `watch` lets an agent play and returns the hands as its opponent or a
spectator saw them. `find_leaks` fits a model of the player's deviations from the equilibrium, and computes
the winnings of the best responses to it: to the whole model, which takes chance for leaks too, and to the
sure leaks alone.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from soulread.cards.deck import cards_name, parse_cards
from soulread.encoding import keys, plain_data
from soulread.errors import SoulreadError
from soulread.estimate import Unit
from soulread.games.poker import CALL, FOLD, PokerGame, PokerState, replay
from soulread.hands.hand import Hand
from soulread.machine import verify_room
from soulread.model.deviation.leak_tests import Leak, all_leaks
from soulread.model.deviation.model import DeviationModel, SeatDeviation
from soulread.observe.counts import PublicCounts
from soulread.play.agent import Agent
from soulread.play.catalogue.entry import AgentSpec
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match, Progress
from soulread.report.shown import ShownTable
from soulread.seqform.compile import SequenceGame
from soulread.seqform.source import Source, Tell
from soulread.seqform.strategy import Behaviours, Plans, in_precision, plan_from_behaviour
from soulread.solvers.best_response import best_response
from soulread.solvers.equilibria import find_equilibrium
from soulread.solvers.skews import ROUNDS
from soulread.words import plural

_HAND_BYTES = 1200  # of memory for the record of one hand

DEFAULT_ABSTRACTION = "5-5-5-5"  # of limit hold'em


@dataclass(frozen=True)
class Winnings:
    """Expected winnings of strategies from a model of a player, in mb/g, the mean over the seats."""

    counter: float  # the best responses to the model
    equilibrium: float


@dataclass(frozen=True, repr=False)
class LeakStudy(ShownTable):
    """The leaks of one player in both seats, the largest sure worth first, and their worth together."""

    TABLE = "leaks"

    source: Source
    player: str
    hands: int
    known: int  # hands of these in which the opponent's cards were known
    leaks: tuple[Leak, ...]
    whole: Winnings  # from the model with everything that was seen, chance included
    sure: Winnings  # from the equilibrium with the certain leaks alone
    top: int | None = None  # how many leaks are shown; None for all

    JSON = keys(
        "player hands known sure",
        game="source.name",
        expected="whole.counter",
        equilibrium="whole.equilibrium",
        certain=lambda study: sum(leak.certain for leak in study.leaks),
        deviations=lambda study: len(study.leaks),
        unit=lambda _: Unit.MILLIBETS,
        leaks="_shown",
    )

    def summary(self) -> str:
        """Return the player, the game and the number of sure leaks."""
        sure = plural(sum(leak.certain for leak in self.leaks), "sure leak")
        return f"{self.player} in {self.source.name}, {self.hands:,} hands, {sure}"

    @property
    def shown(self) -> tuple[Leak, ...]:
        """The first ``top`` leaks."""
        return self.leaks[: self.top]

    @property
    def _shown(self) -> list[dict[str, Any]]:
        poker = self.source.poker
        return [
            {
                **plain_data(leak),
                "situation": situation(poker, leak.history),
                "action_name": action_word(poker, leak),
            }
            for leak in self.shown
        ]

    @property
    def conclusion(self) -> str:
        """The sure leaks and their worth, in plain words."""
        unit = Unit.MILLIBETS.value
        sure, all_found = sum(leak.certain for leak in self.leaks), len(self.leaks)
        whole = f"A model of all that was seen, chance included, promises {self.whole.counter:+.0f} {unit}."
        if not sure:
            return f"None of {plural(all_found, 'deviation')} is beyond chance. {whole}"
        return (
            f"{sure} of {plural(all_found, 'deviation')} {'is' if sure == 1 else 'are'} beyond chance. If "
            f"{'this alone is' if sure == 1 else 'these alone are'} real, the counter-strategy wins "
            f"{self.sure.counter:+.0f} {unit} from this player, the equilibrium "
            f"{self.sure.equilibrium:+.0f} {unit}. {whole}"
        )

    @property
    def caution(self) -> str:
        """A warning about assumed cards of the opponent; empty if they were known in every hand."""
        blind = self.hands - self.known
        if not blind:
            return ""
        where = "" if blind == self.hands else f" in {blind:,} of {plural(self.hands, 'hand')}"
        return (
            f"The cards of the player's opponent are not known{where}. What the player should do depends on "
            "them: the range in brackets holds for all cards, and only what lies outside is called sure. The "
            "worth assumes that the opponent plays the equilibrium."
        )


def watch(
    game: PokerGame,
    agents: tuple[Agent, Agent],
    hands: int,
    seed: int,
    progress: Progress | None = None,
    *,
    spectator: bool = True,
) -> list[Hand]:
    """The hands of a match as a spectator sees them: all that is public, and no card that was not shown.

    Without ``spectator`` they are seen by the second agent, who also knows its own cards.
    """
    verify_room(plural(hands, "hand"), _HAND_BYTES * hands)
    if seed < 0:
        raise SoulreadError(f"a seed is a number from 0 up, not {seed}")
    seen: list[Hand] = []
    match = Match(game, agents, hands)
    observer = match.labels[1]

    def record(hand: LiveHand) -> None:
        seen.append(hand.seen_by(None if spectator else hand.players.index(observer)))

    match.play(seed, progress=progress, record=record)
    return seen


def watched_leaks(
    source: Source,
    agents: tuple[AgentSpec, AgentSpec],
    hands: int,
    seed: int = 0,
    min_opportunities: float = 10.0,
    progress: Progress | None = None,
    tell: Tell | None = None,
) -> LeakStudy:
    """The leaks of the first agent, found in a match that the second one plays and watches."""
    seated = agents[0].make(source.poker, tell), agents[1].make(source.poker, tell)
    seen = watch(source.poker, seated, hands, seed, progress, spectator=False)
    return find_leaks(source, seen, seated[0].name, min_opportunities, tell)


def find_leaks(
    source: Source,
    hands: Iterable[Hand],
    player: str,
    min_opportunities: float = 10.0,
    tell: Tell | None = None,
) -> LeakStudy:
    """The leaks of ``player``, found in all hands this player sat in.

    The cards of the player's opponent count where they were dealt to the hand's observer, or where the
    records have them in every hand. Else only what no cards of that opponent explain is called certain.
    """
    equilibrium = find_equilibrium(source, tell)
    game = source.compile(tell)
    own = [hand for hand in hands if player in hand.players]
    if not own:
        raise SoulreadError(f"there is no hand of {player!r} to learn from")
    model = DeviationModel(game, equilibrium.behaviours, expected="joint").fit(
        _seen_from_opposite(own, player), player
    )
    assert model.removal is not None
    found = all_leaks([model.seat(seat) for seat in (0, 1)], min_opportunities)
    rules = source.poker.rules
    unit = Unit.MILLIBETS.per_chip(rules.small_bet, rules.big_blind)
    certain = _certain_only(model, equilibrium.behaviours, [leak for leak in found if leak.certain])
    return LeakStudy(
        source=source,
        player=player,
        hands=len(own),
        known=model.removal.num_known,
        leaks=tuple(found),
        whole=_winnings(game, equilibrium.behaviours, (model.plan(0), model.plan(1)), unit),
        sure=_winnings(game, equilibrium.behaviours, certain, unit),
    )


def _seen_from_opposite(hands: list[Hand], player: str) -> list[Hand]:
    """The hands, seen by the player's opponent if everybody's records have the opponent's cards.

    If only some have them, they were shown, and that depends on what the player did.
    """
    seats = [1 - hand.seat_of(player) for hand in hands]
    if any(hand.num_players != 2 or hand.hole[seat] is None for hand, seat in zip(hands, seats, strict=True)):
        return hands
    return [replace(hand, observer=seat) for hand, seat in zip(hands, seats, strict=True)]


def _certain_only(model: DeviationModel, equilibrium: Behaviours, certain: list[Leak]) -> Plans:
    """The plans of a player who deviates from the equilibrium in the certain leaks and nowhere else."""
    kept = PublicCounts(model.game)
    plans = []
    for seat, public in enumerate(kept.trees):
        table = np.zeros(public.num_cells)
        for leak in certain:
            if leak.player == seat:
                for history in leak.histories:
                    cells = public.cells(public.index(history))
                    table[cells] = model.seat(seat).counts_[cells]
        kept.add_table(seat, table, model.counts.num_hands(seat))
        bent = SeatDeviation(
            model.game, seat, equilibrium[seat], prior_range="model", other=equilibrium[1 - seat]
        )
        plans.append(bent.fit(kept, removal=model.removal).plan())
    return plans[0], plans[1]


def _winnings(game: SequenceGame, equilibrium: Behaviours, plans: Plans, unit: float) -> Winnings:
    """The winnings of the best responses and of the equilibrium from ``plans``."""
    counter, calm = 0.0, 0.0
    for hero, tree in enumerate(game.trees):
        gradient = game.payoff.gradient(hero, in_precision(plans[1 - hero], game.payoff.dtype))
        value, _ = best_response(tree, gradient)
        counter += value / 2
        calm += float(np.dot(plan_from_behaviour(tree, equilibrium[hero]), gradient)) / 2
    return Winnings(counter * unit, calm * unit)


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
    """The last action of the seat in this round, in words."""
    if action in (FOLD, CALL):
        return "calling" if opened else "checking"
    return "betting" if times == 1 and not opened and _bet_first(state) else "raising"


def _bet_first(state: PokerState) -> bool:
    """Whether the seat to act made the first bet of this round."""
    return next(seat for seat, action in state.actions_by_round[-1] if action > CALL) == state.player


def _state(game: PokerGame, history: str) -> PokerState:
    """A state with this public history; its hole cards are spare ones that mean nothing."""
    board, _, betting = history.rpartition("|")
    count = sum(game.rules.board_cards[: betting.count("/") + 1])
    shown: list[int | None] = list(_board_cards(game, board, count))
    shown += [None] * (count - len(shown))
    return replay(game, betting, [None] * (2 * game.rules.hole_cards) + shown)


def _board_cards(game: PokerGame, board: str, count: int) -> tuple[int, ...]:
    """The ``count`` cards of a label. Where it names ranks only, any cards of these ranks."""
    if len(board) != count:
        return parse_cards(board)
    cards: list[int] = []
    for rank in board:
        left = (card for card in game.rules.deck if card not in cards)
        cards.append(next(card for card in left if cards_name((card,))[0] == rank))
    return tuple(cards)
