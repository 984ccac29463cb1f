"""How good a pair of strategies is, in one record: its value, what each seat may lose, its exploitability."""

from dataclasses import dataclass

from soulread.estimate import Unit
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Plans
from soulread.solvers.exploitability import quick_best_response_values, verify_zero_sum


@dataclass(frozen=True)
class Judgement:
    """The judgement of a pair of strategies; all values are exact, in chips per hand."""

    game: str
    values: tuple[float, float]  # what each seat wins when the two strategies meet
    worst_cases: tuple[float, float]  # what each seat wins against an opponent who plays a best response
    exploitability: float  # mean over the seats of what a best responder gains

    def in_millibets(self, chips: float, small_bet: int | None) -> float | None:
        """Chips per hand as mb/g (thousandths of a small bet); None if the game has no small bet."""
        return None if small_bet is None else chips * Unit.MILLIBETS.per_chip(small_bet, small_bet)


def judge(game: SequenceGame, plans: Plans) -> Judgement:
    """Judge a pair of plans.

    Each seat's worst case is at most the value of the game for that seat.
    """
    verify_zero_sum(game)
    won = game.value(*plans)  # verifies the plans
    best = quick_best_response_values(game, plans)
    return Judgement(game.name, (won, -won), (-best[1], -best[0]), sum(best) / 2)
