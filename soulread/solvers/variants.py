"""Games in which the winner gets more than the loser pays, and strategies solved for in them.

*Orange* (Johanson & Bowling, AISTATS 2009, section 3.2) is an equilibrium of poker with a bonus: the winner
gets 7% more than usual while the loser pays the normal price. In the normal game Orange is too aggressive,
but not far from equilibrium. The paper does not say of which number the 7% are. There are two readings:

* ``of="win"``: of the chips won from the opponent. A winner of n chips gets (1 + bonus) n. Ties stay at 0.
* ``of="pot"``: of the whole pot that goes to the winner, after an uncalled bet was returned. If each player
  put n into the pot, a winner ends n + bonus 2n ahead, and in a tie each player ends bonus n ahead.

Such a game is not zero-sum. Regret minimisation can run all the same, but its iterates approach only the
coarse correlated equilibria. Whether its average is close to an equilibrium is not guaranteed. It can be
measured: `deviation_gains` computes what each player could still gain in the variant. The *exploitability* of
the result is that in the normal game.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.games.base import TERMINAL
from soulread.seqform.compile import HistoryTree, SequenceGame
from soulread.seqform.payoff import FactoredPayoff, SparsePayoff
from soulread.seqform.strategy import Plans, verify_plans
from soulread.solvers.cfr.minimiser import RegretMinimiser
from soulread.solvers.cfr.regret import DCFR, Schedule
from soulread.solvers.cfr.run import Check, Solution, run
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.exploitability import exploitability, quick_best_response_values
from soulread.solvers.restricted import Gap

READINGS = "win", "pot"
ORANGE_BONUS = 0.07
CHECK_EVERY = 50  # iterations between two looks at the gap


def with_winner_bonus(game: SequenceGame, bonus: float = ORANGE_BONUS, of: str = "win") -> SequenceGame:
    """The same game, with winners paid ``bonus`` more, as a share of the chips won or of the pot.

    The treeplexes are those of ``game``, so strategies can be moved between the two. For sparse payoffs the
    game must keep its histories, and only the "win" reading works: they do not tell the size of a split pot.
    """
    if of not in READINGS:
        raise SoulreadError(f"a bonus of the {of!r}; expected one of the {' or the '.join(READINGS)}")
    if not bonus >= 0:
        raise SoulreadError(f"a bonus of {bonus!r}; it must not be negative")
    if not game.payoff.zero_sum:
        raise SoulreadError(f"{game.name!r} is not zero-sum; a bonus is added to the normal game only")
    share = bonus if of == "win" else 2 * bonus
    name = f"{game.name} with {100 * bonus:g}% of the {of} to the winner"
    payoff = game.payoff
    if isinstance(payoff, FactoredPayoff):
        leaves = payoff.leaves
        folds = ~leaves.showdown
        chips = np.where(folds & (leaves.chips > 0), (1 + share) * leaves.chips, leaves.chips)
        varied = replace(
            payoff,
            leaves=replace(leaves, chips=chips),
            winner=1 + share,
            tie=bonus if of == "pot" else 0.0,
        )
        return replace(game, name=name, payoff=varied)
    if of == "pot":
        raise SoulreadError(
            f"{game.name!r} has sparse payoffs, which do not say how large a split pot was; "
            'compile it with compile_factored, or take of="win"'
        )
    if game.histories is None:
        raise SoulreadError(
            f"the payoffs of {game.name!r} are added up over wins and losses and its histories are not "
            "stored, so winners cannot be told from losers; compile it with compile_factored"
        )
    histories = game.histories
    gains = np.where(histories.payoff > 0, (1 + share) * histories.payoff, histories.payoff)
    ends, sequences, reach = _outcomes(game, histories)
    return SequenceGame(
        name=name,
        trees=game.trees,
        payoff=SparsePayoff.from_outcomes(
            (game.trees[0].num_sequences, game.trees[1].num_sequences),
            (sequences[ends, 0], sequences[ends, 1]),
            (reach[ends] * gains[ends, 0], reach[ends] * gains[ends, 1]),
        ),
        histories=histories._replace(payoff=gains),
    )


def _outcomes(
    game: SequenceGame, histories: HistoryTree
) -> tuple[NDArray[np.intp], NDArray[np.int64], NDArray[np.float64]]:
    """The ends of the game; for every history, both players' last sequences and chance's probability."""
    count = histories.player.size
    sequences = np.zeros((count, 2), dtype=np.int64)
    reach = histories.probability.copy()
    for history in range(count):
        player = histories.player[history]
        below = slice(histories.first_child[history], histories.first_child[history + 1])
        sequences[below] = sequences[history]
        reach[below] *= reach[history]
        if player >= 0:
            tree, j = game.trees[player], histories.information_set[history]
            steps = np.arange(below.stop - below.start)
            sequences[below, player] = tree.set_sequence[j] + steps * tree.width[j]
    return np.flatnonzero(histories.player == TERMINAL), sequences, reach


def deviation_gains(game: SequenceGame, plans: Plans) -> tuple[float, float]:
    """Chips per hand that each player would gain with a best response to the other's plan.

    Both gains are zero at an equilibrium, whether the game is zero-sum or not.
    """
    verify_plans(game.trees, plans)
    return _deviation_gains(game, plans)


def _deviation_gains(game: SequenceGame, plans: Plans) -> tuple[float, float]:
    """`deviation_gains` of plans that are known to be plans."""
    best = quick_best_response_values(game, plans)
    own = [float(np.dot(plans[i], game.payoff.gradient(i, plans[1 - i]))) for i in (0, 1)]
    return best[0] - own[0], best[1] - own[1]


def solve_with_bonus(
    game: SequenceGame,
    stops: Stops,
    bonus: float = ORANGE_BONUS,
    of: str = "win",
    method: Schedule | None = None,
    *,
    progress: Callable[[Check], None] | None = None,
) -> Solution:
    """Approach an equilibrium of ``game`` with a winner's bonus; the defaults give *Orange*.

    The gap of the stops is the mean over the seats of `deviation_gains` in the variant, checked every 50
    iterations unless they say otherwise. The solution belongs to ``game`` itself: its ``gap`` is the
    exploitability in the normal game, and ``settings["variant_gap"]`` the mean deviation gain in the variant.
    ``history`` and ``progress`` have the latter.
    """
    method = DCFR() if method is None else method
    variant = with_winner_bonus(game, bonus, of)

    def judge(plans: Plans) -> Gap:
        return Gap(sum(_deviation_gains(variant, plans)) / 2)

    solution = run(
        RegretMinimiser(variant, method),
        replace(stops, check_every=stops.check_every or CHECK_EVERY),
        progress=progress,
        judge=judge,
    )
    return replace(
        solution,
        game=game,
        method=f"{method.name} with {100 * bonus:g}% of the {of} to the winner",
        settings={**solution.settings, "bonus": bonus, "of": of, "variant_gap": solution.gap},
        gap=exploitability(game, solution.plans),
    )
