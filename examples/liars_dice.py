"""Liar's dice from OpenSpiel: solve it, and see what a careless bidder loses to a best response.

``python examples/liars_dice.py 6`` plays with six faces, which takes some seconds more.
"""

import sys

from soulread.games.openspiel import OpenSpielGame
from soulread.seqform.compile import compile_game
from soulread.seqform.strategy import uniform_plan
from soulread.solvers.best_response import best_response
from soulread.solvers.cfr.regret import DCFR
from soulread.solvers.cfr.run import solve
from soulread.solvers.exploitability import exploitability

faces = int(sys.argv[1]) if len(sys.argv) > 1 else 4
rules = OpenSpielGame(f"liars_dice(dice_sides={faces})")
game = compile_game(rules)
first, second = game.trees
print(f"{game.name}: {first.num_sets} information sets and {first.num_sequences} sequences a player")
assert first.num_sets == second.num_sets == faces * 4**faces // 2

solution = solve(game, DCFR(), gap=1e-3)
print(f"first player's value {solution.value:+.4f}, exploitability {solution.gap:.5f}")
assert exploitability(game, solution.plans) == solution.gap <= 1e-3

start = rules.start().apply(faces - 1).apply(0)  # the first player has rolled the highest face
chances = solution.behaviours[0][first.sequences(first.index(start.information(0)))]
for action, chance in zip(start.legal_actions(), chances, strict=True):
    if chance > 0.01:
        print(f"  with a {faces} player 0 bids {start.action_name(action)} in {chance:.0%} of the games")
assert abs(chances.sum() - 1) < 1e-9

gain, _ = best_response(first, game.payoff.gradient(0, uniform_plan(second)))
print(f"against somebody who picks any legal bid a best response wins {gain:.4f} a game")
assert gain > solution.value + solution.gap
