"""Solve a game for a user, value the strategies, and keep them for later."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from soulread.encoding import keys
from soulread.estimate import Unit
from soulread.seqform.compile import SequenceGame
from soulread.seqform.source import Source
from soulread.solvers.cfr.methods import default_gap
from soulread.solvers.cfr.run import Solution
from soulread.solvers.equilibria import abstraction_checksum, equilibrium_path, keep_strategy
from soulread.solvers.judge import Judgement, judge
from soulread.solvers.strategy_files import Strategy, load_strategy, plain_settings, save_strategy


@dataclass(frozen=True, eq=False)
class SolveStudy:
    """A strategy, how it was made, and its worth."""

    strategy: Strategy
    judgement: Judgement
    small_bet: int | None

    JSON = keys(
        game="judgement.game",
        value="judgement.values",
        worst_case="judgement.worst_cases",
        exploitability=lambda study: {
            Unit.CHIPS: study.judgement.exploitability,
            Unit.MILLIBETS: study.judgement.in_millibets(study.judgement.exploitability, study.small_bet),
        },
        method="strategy.method",
        settings=lambda study: plain_settings(study.strategy.settings),
        iterations="strategy.iterations",
        seconds="strategy.seconds",
        seed="strategy.seed",
    )


def keep_solution(
    solution: Solution,
    source: Source | None = None,
    seed: int | None = None,
    gap: float | None = None,
    output: Path | None = None,
) -> Strategy:
    """Write a solution to ``output``, and to the cache if agents may play it as their equilibrium.

    Agents may play it if the game has a card abstraction and the solve reached ``gap``, or the default gap.
    Without an abstraction agents solve their equilibria exactly, so nothing is kept in the cache.
    """
    game = solution.game
    strategy = Strategy.from_solution(solution, seed, abstraction_checksum(game))
    wanted = default_gap(game) if gap is None else gap
    if source is not None and source.cards is not None and solution.gap <= wanted:
        keep_strategy(equilibrium_path(source, solution.method, gap), strategy)
    if output is not None:
        save_strategy(output, strategy)
    return strategy


def judge_solution(solution: Solution, strategy: Strategy) -> SolveStudy:
    """The strategies that a solve found, and their worth."""
    game = solution.game
    return SolveStudy(strategy, judge(game, solution.plans), game.small_bet)


def judge_file(path: Path, compiled: Callable[[Strategy], SequenceGame]) -> SolveStudy:
    """The exact worth of the strategy in a file, in the game that ``compiled`` gives for it."""
    game = compiled(load_strategy(path))
    strategy = load_strategy(path, game)
    return SolveStudy(strategy, judge(game, strategy.plans(game)), game.small_bet)
