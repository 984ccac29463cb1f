"""Solve Leduc hold'em two ways, store the strategy and let OpenSpiel judge it."""

import tempfile
from pathlib import Path

from soulread.games.named import find_game
from soulread.seqform.compile import compile_game
from soulread.seqform.openspiel import to_openspiel_policy
from soulread.solvers.cfr.regret import DCFR
from soulread.solvers.cfr.run import solve
from soulread.solvers.judge import judge
from soulread.solvers.lp import solve_exactly
from soulread.solvers.strategy_files import Strategy, load_strategy, save_strategy

game = compile_game(find_game("leduc:iso"))
assert [tree.num_sets for tree in game.trees] == [144, 144]

exact = solve_exactly(game)
print(f"first player's value {exact.value:.9f} chips a hand, by linear programming")
assert abs(exact.value - -0.085606424078) < 1e-9

solution = solve(game, DCFR(), gap=1e-3)
print(f"{solution.method}: {solution.iterations} iterations to exploitability {solution.gap:.6f}")
assert solution.gap <= 1e-3
assert abs(solution.value - exact.value) <= 2 * solution.gap

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "leduc.strategy"
    save_strategy(path, Strategy.from_solution(solution))
    strategy = load_strategy(path, game)
    judgement = judge(game, strategy.plans(game))
print(f"seat 0 wins at least {judgement.worst_cases[0]:.6f}, seat 1 {judgement.worst_cases[1]:.6f}")
assert judgement.worst_cases[0] <= exact.value <= -judgement.worst_cases[1]

try:
    import pyspiel
except ImportError:
    print("install soulread[openspiel] to let OpenSpiel judge it too")
else:
    theirs = pyspiel.exploitability(
        pyspiel.load_game("leduc_poker(suit_isomorphism=True)"),
        to_openspiel_policy(game, strategy.behaviours),
    )
    print(f"exploitability by OpenSpiel {theirs:.6f}, by soulread {judgement.exploitability:.6f}")
    assert abs(theirs - judgement.exploitability) < 1e-9
