"""Does a test fail when a formula is wrong? Mistakes are planted one by one, and the tests that matter run.

    python benchmarks/plant_mistakes.py [--only NAME ...] [--jobs 2] [--json]

A `Mistake` names a function, code that stands exactly once in it, the wrong code that takes its place, and
the tests that ought to notice. It names neither file nor line breaks, so it stays in place when code moves.

Package and tests are copied to a temporary directory first, so the checkout stays as it is. In the copy all
these tests must pass without a mistake; that run also compiles the kernels. Then every mistake gets a copy
of its own. It counts as caught if a test fails there, if the tests cannot even be loaded, or if they do not
end.

The exit code is 0 if every mistake was caught, 1 if one was not, and 2 if the question cannot be answered: a
piece of code is not found once, or a test fails without any mistake. To add a mistake, append it to one of
`GROUPS`.
"""

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

from rich.console import Console
from rich.text import Text

from soulread.errors import SoulreadError
from soulread.report.grid import Grid

ROOT = Path(__file__).resolve().parents[1]
COPIED = "soulread", "tests", "benchmarks", "examples", "docs"
WIDTH = 170  # columns that the table needs at least
MOST_SECONDS = 600  # of the tests of one mistake; a wrong loop may never end


@dataclass(frozen=True)
class Mistake:
    """A wrong formula: ``new`` takes the place of ``old``, which stands exactly once in ``where``.

    Lines after the first are indented as if the code began at the margin. An empty ``new`` is a deletion.
    """

    name: str
    where: str  # a function, method, class or constant, such as "Treeplex.sets"; the package may have several
    old: str
    new: str
    tests: tuple[str, ...]  # files below ``tests``


@dataclass(frozen=True)
class Verdict:
    """Whether a mistake was caught, by which test, and the seconds that took."""

    group: str
    name: str
    where: str
    caught: bool
    by: str  # the first test that failed
    seconds: float


AUDIT = (
    Mistake(
        "explicit: only the seat that acted forgets",
        "ExplicitModel._take",
        "for seat in (0, 1):\n    self.counts[seat][:]",
        "for seat in (player,):\n    self.counts[seat][:]",
        ("test_learners.py",),
    ),
    Mistake(
        "explicit: folded hands shared by chance alone",
        "add_expected",
        "share = weights[k] * plan[sequences[k]] / total if total > 0 else weights[k]",
        "share = weights[k]",
        ("test_learners.py",),
    ),
    Mistake(
        "tilts: weights never fade",
        "TiltModel._take",
        "self._log_seen *= self.forget",
        "pass",
        ("test_tilts.py",),
    ),
    Mistake(
        "tilts: the memory never fades",
        "_Memory.fade",
        "self.number *= factor",
        "pass",
        ("test_tilts.py",),
    ),
    Mistake(
        "tilts: the Jacobian is left out",
        "move_particles",
        "prior += shape * np.log(factor / old[k]) - (factor - old[k])",
        "prior += (shape - 1) * np.log(factor / old[k]) - (factor - old[k])",
        ("test_tilts.py",),
    ),
    Mistake(
        "tilts: moves ignore the faith in the base",
        "TiltModel.__init__",
        "believed = believed_structure(structure, faith)",
        "believed = structure",
        ("test_tilts.py",),
    ),
    Mistake(
        "tilts: a base that never comes to a set has a say there",
        "_open_sets",
        "plans[k, tree.parent_sequence[j]] > _COMES",
        "plans[k, tree.parent_sequence[j]] >= 0",
        ("test_tilts.py",),
    ),
    Mistake(
        "tilts: tilts are proposed where none is believed in",
        "TiltModel.__init__",
        "0.5 if believed[0] < 1 - _NEVER_AT_ALL else 1.0",
        "0.5",
        ("test_tilts.py",),
    ),
    Mistake(
        "tilts: few steps, however many sets are open",
        "TiltModel.__init__",
        "steps or max(_FEWEST_STEPS, round(_BASE_STEPS * open_sets / self._tilts.base_steps))",
        "steps or _FEWEST_STEPS",
        ("test_tilts.py",),
    ),
    Mistake(
        "tilts: a step forgets the sets before the last one",
        "sets_on_the_way",
        "while c > 0 and not needed[seat.sequence_set[c]]:",
        "if c > 0 and not needed[seat.sequence_set[c]]:",
        ("test_tilts.py",),
    ),
    Mistake(
        "tilts: logarithms of a refused step are kept",
        "move_particles",
        "after1 = log_likelihood(second.hands, plan1, known1, found1)",
        "after1 = log_likelihood(second.hands, plan1, known1, known1)",
        ("test_tilts.py",),
    ),
    Mistake(
        "tilts: plans stay behind the factors",
        "move_particles",
        "fill_particle(second, which[1][m], factors[m], plan1, plans[1][m])",
        "pass",
        ("test_tilts.py",),
    ),
    Mistake(
        "tilts: a base that is refused stays",
        "move_particles",
        "which[1][m, :] = old_which1",
        "pass",
        ("test_tilts.py",),
    ),
    Mistake(
        "bounded: the model is judged after it has learnt",
        "LikelyEquilibrium.learn",
        "self._log += float(np.log(max(self.model.predictive(evidence), _SMALLEST)))\n"
        "self.model.learn(evidence)",
        "self.model.learn(evidence)\n"
        "self._log += float(np.log(max(self.model.predictive(evidence), _SMALLEST)))",
        ("test_bounded.py",),
    ),
    Mistake(
        "bounded: the wrong sign of a dual variable",
        "EquilibriumPlanner._build",
        "first = sp.csr_array(([-1.0], ([0], [0])), shape=(guarantees, 1))",
        "first = sp.csr_array(([1.0], ([0], [0])), shape=(guarantees, 1))",
        ("test_bounded.py",),
    ),
    Mistake(
        "bounded: the tangent forgets the hands it was taken at",
        "LikeliestEquilibrium.bound",
        "gap = float(gradient @ further) - float(number.sum())",
        "gap = float(gradient @ further) - float(number.size)",
        ("test_bounded.py",),
    ),
    Mistake(
        "trembling: a player's own trembles are left out",
        "_one",
        "upper = sp.hstack([-mine,",
        "upper = sp.hstack([0 * mine,",
        ("test_bounded.py",),
    ),
    Mistake(
        "leduc-bases: the oracle slips",
        "oracle",
        "PortfolioModel(leduc.game, members, slip=0.0)",
        "PortfolioModel(leduc.game, members, slip=0.3)",
        ("test_reproduce_leduc_bases.py",),
    ),
    Mistake(
        "leduc-bases: values of the second seat keep the game's value",
        "play_match",
        "worth = value, -value",
        "worth = value, value",
        ("test_reproduce_leduc_bases.py",),
    ),
    Mistake(
        "td-cfr: hidden cards reach the learner",
        "DealTable.play",
        "other if face_up or arrays.showdown[node] else -1",
        "other",
        ("test_learners.py", "test_td_cfr.py"),
    ),
    Mistake(
        "beffe: the hands left are ignored",
        "exploit_to_the_end",
        "full.risk * max(left, 1) <= k",
        "full.risk <= k",
        ("test_safe_agents.py",),
    ),
    Mistake(
        "shift: every action counts alike in the mean",
        "rank_columns",
        "mean[k] += a * x[a, k]",
        "mean[k] += x[a, k]",
        ("test_deviation.py",),
    ),
    Mistake(
        "deviation: beta is the equilibrium's",
        "SeatDeviation.bucket_probabilities",
        "for plan in (self._plan, self._start):",
        "for plan in (self._start, self._plan):",
        ("test_deviation.py",),
    ),
    Mistake(
        "restricted: the checksum leaves the model out",
        "Restriction.checksum",
        'digest.update(np.ascontiguousarray(self.model, dtype="<f8").tobytes())',
        "pass",
        ("test_restricted.py",),
    ),
    Mistake(
        "regret: no average before the delay is over",
        "discounts",
        "step = 1.0 / t  #",
        "step = 1.0  #",
        ("test_variants.py", "test_solve_cfr.py"),
    ),
    Mistake(
        "regret: weights count from the first iteration, not from the delay",
        "discounts",
        "added = (t - exponents.delay) ** exponents.gamma",
        "added = t**exponents.gamma",
        ("test_variants.py", "test_solve_cfr.py"),
    ),
    Mistake(
        "best response: idle where the last action is worth nothing",
        "fill_response",
        "idle[s] &= row[s] == 0",
        "idle[s] = row[s] == 0",
        ("test_solve_best_response.py",),
    ),
)
"""Mistakes that an audit planted and no test noticed; each has a test now."""

OWN = (
    Mistake(
        "changes: what did not change keeps its whole weight",
        "ChangingModel._take",
        "np.append((1 - self.change) * self.weights, self.change)",
        "np.append(self.weights, self.change)",
        ("test_learners.py",),
    ),
    Mistake(
        "residual: the uniform share is not uniform",
        "fill_rivals",
        "smooth * width / (last - first)",
        "smooth / (last - first)",
        ("test_learners.py",),
    ),
    Mistake(
        "pooling: the equilibrium counts for half as many actions",
        "pool",
        "weight = (mine + strength) / (seen + strength)",
        "weight = (mine + strength) / (seen + 2 * strength)",
        ("test_pooling.py",),
    ),
    Mistake(
        "portfolio: forgetting forgets the prior too",
        "PortfolioModel._take",
        "self._log_weights += (1 - self.forget) * self._log_prior",
        "pass",
        ("test_learners.py",),
    ),
    Mistake(
        "subpolicy: a part is judged by itself twice",
        "SubpolicyModel._take",
        "others = np.delete(means, part, axis=0).prod(axis=0)",
        "others = means.prod(axis=0)",
        ("test_learners.py",),
    ),
    Mistake(
        "leaks: worth without the reach",
        "fill_worths",
        "total += reach * (sigma",
        "total += (sigma",
        ("test_leaks.py",),
    ),
    Mistake(
        "bootstrap: the boost is ignored",
        "BootstrapModel._take",
        "self.explicit.add_prior(player, self.boost * fit)",
        "self.explicit.add_prior(player, fit)",
        ("test_learners.py",),
    ),
    Mistake(
        "confidence: a step one observation too late",
        "step",
        "(n >= least)",
        "(n > least)",
        ("test_respond.py",),
    ),
    Mistake(
        "gifts: hidden cards taken at their best",
        "GiftReader.gift",
        "costs[paths].sum(axis=1).min()",
        "costs[paths].sum(axis=1).max()",
        ("test_safe_agents.py",),
    ),
    Mistake(
        "gifts: risks are not paid for",
        "Ledger.record",
        "self.k += gift - response.risk",
        "self.k += gift",
        ("test_safe_agents.py",),
    ),
    Mistake(
        "exp4: credit without the mixture's probability",
        "BanditLearner.learn",
        "self._gains += gain * took / mixture",
        "self._gains += gain * took",
        ("test_learners.py",),
    ),
    Mistake(
        "planner: twice the risk is allowed, then mixed away",
        "SafePlanner.respond",
        "self._solve(gradient, self.game_value - epsilon, max(price, _PRICE))",
        "self._solve(gradient, self.game_value - 2 * epsilon, max(price, _PRICE))",
        ("test_safe_agents.py",),
    ),
    Mistake(
        "td-cfr: the average ignores the reach",
        "TdCfr.learn",
        "entry.total += reach * pi",
        "entry.total += pi",
        ("test_td_cfr.py",),
    ),
    Mistake(
        "counts: the window is one hand short",
        "PublicCounts.add",
        "len(self._recent) > self.window",
        "len(self._recent) >= self.window",
        ("test_counts.py",),
    ),
    Mistake(
        "counts: the window keeps its old units when weights are rescaled",
        "PublicCounts._rescale",
        "seen.ways, seen.weight / self._weight)",
        "seen.ways, seen.weight)",
        ("test_counts.py",),
    ),
    Mistake(
        "shown: the latest hand is faded already",
        "ShownCards.evidence",
        "self._counts.decay ** (self._latest - path.number)",
        "self._counts.decay ** (self._latest - path.number + 1)",
        ("test_shown.py",),
    ),
    Mistake(
        "paths: the opponent may hold the observer's cards",
        "PathReader.holdings",
        "if card not in board and card not in (own or ())]",
        "if card not in board]",
        ("test_learners.py",),
    ),
    Mistake(
        "leduc-exploiters: profits with the game's value in them",
        "play_match",
        "best - game_value(), profits - game_value()",
        "best - game_value(), profits",
        ("test_leduc_matches.py", "test_reproduce_leduc.py"),
    ),
    Mistake(
        "leduc-exploiters: subpolicies against the worst single answer",
        "subpolicy_gains",
        "worth.max() - np.diag(worth).max()",
        "worth.max() - np.diag(worth).min()",
        ("test_leduc_matches.py", "test_reproduce_leduc.py"),
    ),
    Mistake(
        "matches: both agents win the same chips",
        "together",
        "np.stack([first, -first], axis=-1)",
        "np.stack([first, first], axis=-1)",
        ("test_reproduce.py",),
    ),
)
"""Twenty more, chosen before anybody looked whether a test notices them."""

FRESH = (
    Mistake(
        "explicit: the mode is the mean",
        "fill_mode_plan",
        "behaviour[c] = max(counts[c] - 1, 0.0) if total > 0 else counts[c]",
        "behaviour[c] = counts[c]",
        ("test_learners.py",),
    ),
    Mistake(
        "explicit: cards are drawn as if their chances summed to one",
        "gibbs_sweep",
        "draw = rng.random() * total",
        "draw = rng.random()",
        ("test_learners.py",),
    ),
    Mistake(
        "frequency: one observation does not count",
        "FrequencyModel.strategy",
        "known = np.flatnonzero(seen > 0)",
        "known = np.flatnonzero(seen > 1)",
        (
            "test_private_counts.py",
            "test_respond.py",
        ),
    ),
    Mistake(
        "leaks: the quantile is not squared",
        "wilson_interval",
        "z = _NORMAL_95**2 / opportunities",
        "z = _NORMAL_95 / opportunities",
        ("test_leaks.py",),
    ),
    Mistake(
        "portfolio: whoever changes draws from all members alike",
        "PortfolioModel._take",
        "drifted(self.weights, self.prior, self.change)",
        "drifted(self.weights, np.full(self.prior.size, 1 / self.prior.size), self.change)",
        ("test_learners.py",),
    ),
    Mistake(
        "subpolicy: clusters must be one larger",
        "discover_subpolicies",
        "if near.sum() >= size:",
        "if near.sum() > size:",
        ("test_learners.py",),
    ),
    Mistake(
        "evidence: alternatives weigh alike, however many cards they stand for",
        "EvidenceReader._work_out",
        "return Evidence(player, sequences, counts / counts.sum())",
        "return Evidence(player, sequences, np.full(counts.size, 1 / counts.size))",
        ("test_learners.py",),
    ),
    Mistake(
        "counter: the game's value is added",
        "CounterStrategy.exploitation",
        "return self.value_against(opponent) - self.game_value",
        "return self.value_against(opponent) + self.game_value",
        ("test_respond.py",),
    ),
    Mistake(
        "counter: both seats have the first one's value",
        "CounterStrategy.game_value",
        "return value if self.player == 0 else -value",
        "return value",
        ("test_respond.py",),
    ),
    Mistake(
        "counter: the mixture is the wrong way round",
        "mixture",
        "mix_plans(p, response.plan, own)",
        "mix_plans(1 - p, response.plan, own)",
        ("test_respond.py",),
    ),
    Mistake(
        "curves: exploitability with the wrong sign",
        "frontier",
        "pair.exploitability,",
        "-pair.exploitability,",
        ("test_respond.py",),
    ),
    Mistake(
        "tracking: iterations of the past are counted again",
        "solve_restricted",
        "iterations=solution.iterations - past",
        "iterations=solution.iterations",
        (
            "test_respond.py",
            "test_dbr.py",
        ),
    ),
    Mistake(
        "gifts: rwyw counts the game's value as won",
        "Ledger.record_chips",
        "self.k += chips - response.game_value",
        "self.k += chips",
        ("test_safe_agents.py",),
    ),
    Mistake(
        "bandits: profits are scaled to twice the range",
        "BanditLearner.learn",
        "/ (2 * self.largest)",
        "/ self.largest",
        ("test_learners.py",),
    ),
    Mistake(
        "td-cfr: alpha decays like xi",
        "TdCfr.learn",
        "self.alpha *= self.settings.alpha_decay",
        "self.alpha *= self.settings.xi_decay",
        ("test_td_cfr.py",),
    ),
    Mistake(
        "counts: merged hands go to the other seat",
        "PublicCounts.merge",
        "float(other._hands[seat])",
        "float(other._hands[1 - seat])",
        ("test_counts.py",),
    ),
    Mistake(
        "shown: hidden hands are noted at their first action",
        "ShownCards.evidence",
        "hidden[path.cells[-1]] += weight",
        "hidden[path.cells[0]] += weight",
        ("test_shown.py",),
    ),
    Mistake(
        "leduc-exploiters: a fair portfolio may hold the opponent of match 100",
        "portfolio",
        "drawn = drawn[drawn != match % MEMBERS]",
        "drawn = drawn[drawn != match]",
        (
            "test_leduc_matches.py",
            "test_reproduce_leduc.py",
        ),
    ),
    Mistake(
        "leduc-exploiters: some opponents change to what they were",
        "changing",
        "(first + 1 + match // count % (count - 1)) % count",
        "(first + match // count % (count - 1)) % count",
        (
            "test_leduc_matches.py",
            "test_reproduce_leduc.py",
        ),
    ),
    Mistake(
        "matches: in the order in which they ended",
        "together",
        'found = sorted(results, key=lambda result: int(str(result.task.parameters["number"])))',
        "found = list(results)",
        ("test_reproduce.py",),
    ),
)
"""Twenty more, chosen once the first twenty had tests, to see what the tests are worth elsewhere."""

REVIVED = (
    Mistake(
        "dbbr: a second update starts while one is under way",
        "Exploiter.observe",
        "elif self._pending is None:",
        "else:",
        ("test_dbbr.py",),
    ),
    Mistake(
        "dbbr: an answer to the last opponent is taken up",
        "Exploiter.reset",
        "let an update of the last match end\nself._pending = None",
        "let an update of the last match end",
        ("test_dbbr.py",),
    ),
    Mistake(
        "dbbr: a dip is looked for over the whole match",
        "winrate_claims",
        "window = setup.start, min(setup.start + _WINDOW, setup.hands)",
        "window = 0, setup.hands",
        ("test_reproduce_dbbr.py",),
    ),
    Mistake(
        "dbbr: another opening is never played",
        "Exploiter.playing",
        "else self.opening",
        "else self.equilibrium",
        ("test_dbbr.py",),
    ),
    Mistake(
        "deviation: the closest model is not quite the closest",
        "project_evenly",
        "if worst <= _CLOSE:",
        "if worst <= 1e-4:",
        ("test_deviation.py",),
    ),
    Mistake(
        "deviation: both priors ask the equilibrium's range",
        "fill_model",
        "expected = gamma[a] if own_range else frequency[public.first_cell[n] + a]",
        "expected = frequency[public.first_cell[n] + a]",
        ("test_deviation.py",),
    ),
    Mistake(
        "local best response: a sampled board may hold a card twice",
        "HoldemTable.boards",
        "more = rest[np.argsort(rng.random((count, rest.size)), axis=1)[:, :missing]]",
        "more = rest[(rng.random((count, missing)) * rest.size).astype(np.intp)]",
        ("test_local_best_response.py",),
    ),
)
"""Mistakes that tests let through which could not fail at all, or hardly."""

JUDGES = (
    Mistake(
        "robust: one seat counted twice",
        "ResponseCurve.of.mean",
        "(seats[0][name] + seats[1][name]) / 2",
        "(seats[0][name] + seats[0][name]) / 2",
        ("test_reproduce_robust.py",),
    ),
    Mistake(
        "leduc: ahead is judged the wrong way round",
        "ahead",
        "all_of(above(lead) for by_kind in",
        "all_of(below(lead) for by_kind in",
        ("test_judges.py",),
    ),
    Mistake(
        "leduc: faster compares the wrong way round",
        "claims_of",
        'say.faster(middle, differences("policy bootstrapping", "explicit", middle))',
        'say.faster(middle, differences("explicit", "policy bootstrapping", middle))',
        ("test_reproduce_leduc.py",),
    ),
    Mistake(
        "leduc: poor is judged the wrong way round",
        "poor",
        "partial(below, bound=POOR)",
        "partial(above, bound=POOR)",
        ("test_judges.py",),
    ),
    Mistake(
        "leduc: our gain has no bar",
        "our_gain",
        "above(None if bar is None else ours[kind], bar or 0.0)",
        "above(None if bar is None else ours[kind], 0.0)",
        ("test_judges.py",),
    ),
    Mistake(
        "dbbr: reports use the match that settings were chosen on",
        "FIRST_MATCH",
        "FIRST_MATCH = 1",
        "FIRST_MATCH = 0",
        ("test_reproduce_dbbr.py",),
    ),
    Mistake(
        "dbbr: differences are not paired",
        "MatchGrid.weighed",
        "numbers = sorted(set.intersection(*map(set, played)))",
        "numbers: list[int] = []",
        ("test_reproduce_dbbr.py",),
    ),
    Mistake(
        "dbbr: the share of the ceiling is squared",
        "near_ceiling",
        "mine.minus(ceiling.scaled(SHARE))",
        "mine.minus(ceiling.scaled(SHARE * SHARE))",
        ("test_judges.py",),
    ),
    Mistake(
        "dbbr: doubling is never decided",
        "doubles",
        "any_of(all_of([above(equilibrium[column]), above(more)]) for column, more in excess.items())",
        "all_of([])",
        ("test_judges.py",),
    ),
)
"""Those of the audit in the experiments: verdicts reversed, unpaired or always the same."""


SAMPLES = (
    Mistake(
        "dbbr: twice is once",
        "_claims",
        "WS, EQUILIBRIUM, times=2",
        "WS, EQUILIBRIUM, times=1",
        ("test_reproduce_dbbr.py",),
    ),
    Mistake(
        "dbbr: a difference adds",
        "MatchGrid.difference",
        "{row: 1.0, other: -times}",
        "{row: 1.0, other: times}",
        ("test_reproduce_dbbr.py",),
    ),
    Mistake(
        "dbbr: linear looks at one quarter only",
        "grows_linearly",
        "within(change, -margin, margin) for change in changes",
        "within(change, -1e9, margin) for change in changes[:1]",
        ("test_judges.py",),
    ),
    Mistake(
        "dbbr: hands of learners are samples",
        "MatchGrid.difference",
        "mean_won(more, mine.learning or theirs.learning)",
        "mean_won(more, False)",
        ("test_reproduce_dbbr.py",),
    ),
    Mistake(
        "leduc: matches with one opponent are independent",
        "over_opponents",
        "samples[member::MEMBERS].mean()",
        "samples[member]",
        ("test_reproduce_leduc.py",),
    ),
    Mistake(
        "leduc: discounting is judged the wrong way round",
        "LearnerMatches.more_by_discounting",
        "Estimate.of(means[1] - means[0]) if means",
        "Estimate.of(means[0] - means[1]) if means",
        ("test_reproduce_leduc.py",),
    ),
    Mistake(
        "robust: probe data may be useless too",
        "needs_probe",
        "all_of([negated(_gains(found[selfish])), _gains(found[probe])])",
        "all_of([negated(_gains(found[selfish]))])",
        ("test_judges.py",),
    ),
    Mistake(
        "robust: a margin as large as what an equilibrium wins",
        "MARGIN",
        "MARGIN = 0.5  # mb/g",
        "MARGIN = 1.0  # mb/g",
        ("test_judges.py",),
    ),
    Mistake(
        "verdict: many comparisons are not corrected for",
        "all_of",
        "min(1.0, len(parts) * min(part.if_true for part in parts))",
        "min(part.if_true for part in parts)",
        ("test_verdict.py",),
    ),
    Mistake(
        "matches: stored learners do not learn",
        "together",
        'any(result.number("learning") > 0 for result in found)',
        "False",
        ("test_reproduce.py",),
    ),
    Mistake(
        "estimate: hands of few matches are samples",
        "Sampling.estimate",
        "if self.matches > 1:\n    return Estimate.of(won.mean(axis=1))",
        "if self.matches > 9:\n    return Estimate.of(won.mean(axis=1))",
        ("test_estimate.py",),
    ),
    Mistake(
        "match: nobody learns",
        "play_matches",
        "learning = any(map(learns, match.agents))",
        "learning = False",
        ("test_cli.py",),
    ),
)
"""More in the experiments: what is compared with what, and which samples are independent."""


PORTFOLIO = (
    Mistake(
        "portfolio: what an action is taken to be worth is not taken off again",
        "OffPolicy._walk",
        "known -= ratio * worth[position]",
        "pass",
        ("test_portfolio.py",),
    ),
    Mistake(
        "portfolio: hands are weighed as if the first member had played them",
        "OffPolicy.estimates",
        "mixed = weights @ reach\nalive",
        "mixed = reach[0]\nalive",
        ("test_portfolio.py",),
    ),
    Mistake(
        "portfolio: our imagined cards may be those that the opponent showed",
        "OffPolicy.estimates",
        "chance = alive * _apart(self._table)[shown]",
        "chance = alive",
        ("test_portfolio.py",),
    ),
    Mistake(
        "portfolio: our own cards count as the opponent's range where cards stayed hidden",
        "OffPolicy.estimates",
        "chance = alive * (_apart(self._table) @ (theirs * alive))",
        "chance = alive * theirs",
        ("test_portfolio.py",),
    ),
    Mistake(
        "portfolio: a member may lead that is not surely better",
        "PortfolioAgent.observe",
        "watch.mean - self.options.sure * watch.standard_error",
        "watch.mean + self.options.sure * watch.standard_error",
        ("test_portfolio.py",),
    ),
    Mistake(
        "portfolio: the worst case forgets how often each member plays",
        "PortfolioAgent.worst_case",
        "-float(self.weights @ [member.risk for member in self.members])",
        "-float(self.weights.min() * sum(member.risk for member in self.members))",
        ("test_portfolio.py",),
    ),
)

LUCK = (
    Mistake(
        "aivat: the luck of our own draws is added",
        "Aivat.estimate",
        "luck += weights @ worth[position] / weights.sum() - expected",
        "luck -= weights @ worth[position] / weights.sum() - expected",
        ("test_aivat.py",),
    ),
    Mistake(
        "aivat: boards are averaged without their chances",
        "Aivat._card_luck",
        "return float(actual - totals[1:].sum() / alive[1:].sum())",
        "return float(actual - (totals[1:] / alive[1:]).mean())",
        ("test_aivat.py",),
    ),
    Mistake(
        "aivat: our range keeps holdings with a board card",
        "Aivat.estimate",
        "weights[(self._table.masks & cards_mask(board[: self._sizes[r]].tolist())) != 0] = 0",
        "pass",
        ("test_aivat.py",),
    ),
    Mistake(
        "aivat: drawn boards may hold our own cards",
        "Aivat._draw",
        "] = 2.0",
        "] = 0.5",
        ("test_aivat.py",),
    ),
    Mistake(
        "aivat: the deal counts for the wrong seat",
        "Aivat.estimate",
        "luck = self._opening[seat, other]",
        "luck = self._opening[1 - seat, other]",
        ("test_aivat.py",),
    ),
    Mistake(
        "aivat: passes are put after each other",
        "play_with_notes",
        "reshape(match.passes, match.hands).mean(axis=0)",
        "reshape(match.hands, match.passes).mean(axis=1)",
        ("test_aivat.py",),
    ),
    Mistake(
        "play-outs: whether an action is clear is looked at after every chunk, however long",
        "run_chunks",
        "if over or played % CHUNK == 0:",
        "if True:",
        ("test_clocks.py",),
    ),
    Mistake(
        "on the clock: what stands in remembers the pass before",
        "PunctualAgent.reset",
        "self._answer = self._usual",
        "pass",
        ("test_clocks.py",),
    ),
    Mistake(
        "on the clock: agents that play hands out do not look at it",
        "PunctualAgent.__init__",
        "spec.within(SHARE * SHARE * decision)",
        "spec",
        ("test_clocks.py",),
    ),
    Mistake(
        "watching: values of a search count chips that are gone",
        "_choice",
        "value + spent for action",
        "value for action",
        ("test_watching.py",),
    ),
    Mistake(
        "watching: agents are asked with the view of who acts",
        "MatchWatcher.begin",
        "hand.view(seat)",
        "hand.view(hand.to_act)",
        ("test_watching.py",),
    ),
    Mistake(
        "valuation: values are not shared out by chance",
        "Valuation._fill",
        "(payoff.reach[r] * values[0])",
        "values[0]",
        ("test_aivat.py",),
    ),
    Mistake(
        "watch: the variance of the parts is forgotten",
        "Watch.add",
        "+ apart**2 * self.n * values.size / n",
        "",
        ("test_estimate.py",),
    ),
    Mistake(
        "rule player: the last to act is more careful",
        "RulePlayer.chances",
        "* (asked > 0) - habits.position * last",
        "* (asked > 0) + habits.position * last",
        ("test_rule_player.py",),
    ),
    Mistake(
        "person: the scores jump from knot to knot",
        "chances",
        "(row[k] + part * (row[k + 1] - row[k]) for row in scores)",
        "(row[k] for row in scores)",
        ("test_person.py",),
    ),
    Mistake(
        "person: who raised in the round before is mixed up",
        "situation_of",
        "before = SELF if raisers[-1] == seat else OTHER",
        "before = SELF if raisers[0] != seat else OTHER",
        ("test_person.py",),
    ),
    Mistake(
        "irc: the dealer begins when two play",
        "_rules",
        "first=((posted + 1) % count, 0, 0, 0),",
        "first=((posted + 1) % count, *(count == 2,) * 3),",
        ("test_formats_irc.py",),
    ),
    Mistake(
        "irc: nobody compares what was paid",
        "_verify_end",
        "if paid != line.bet:",
        "if False:",
        ("test_formats_irc.py",),
    ),
    Mistake(
        "rating: rivers are read in the unit of flops",
        "look_up_later",
        "hand]] / STRENGTH_UNIT)",
        "hand]] / FEATURE_UNIT)",
        ("test_person.py",),
    ),
    Mistake(
        "holdings: the turn forgets the flop",
        "_fill_states",
        "row[hand] = row[hand] * tables.branching[2] + turn[turn_map[hand], position]",
        "row[hand] = turn[turn_map[hand], position]",
        ("test_tabular.py",),
    ),
)
"""In what tells luck from skill, in rule players and persons, and in the hands of people."""

SHOULD = (
    Mistake(
        "leaks: a test for each row, not for the list",
        "benjamini_hochberg",
        "level * np.arange(1, ranked.size + 1) / ranked.size",
        "level",
        ("test_leaks.py",),
    ),
    Mistake(
        "leaks: one side of the test only",
        "binomial_p_value",
        "return min(1.0, 2 * min(up, down))",
        "return min(1.0, min(up, down))",
        ("test_leaks.py",),
    ),
    Mistake(
        "card removal: the reach of the visit is not divided out",
        "add_visit",
        "weights[first + s] += visits / total",
        "weights[first + s] += visits / states.size",
        ("test_card_removal.py",),
    ),
    Mistake(
        "card removal: the observer's own cards may be the opponent's",
        "StateWeights._add_known",
        "alive = (self._table.masks & cards_mask((*hole, *board))) == 0",
        "alive = (self._table.masks & cards_mask(board)) == 0",
        ("test_card_removal.py",),
    ),
    Mistake(
        "card removal: a range forgets the holding that both cards count twice",
        "find_range",
        "- by_card[a, cards[k, 1]] + weight[a, k]",
        "- by_card[a, cards[k, 1]]",
        ("test_card_removal.py",),
    ),
    Mistake(
        "joint chance: the other player's play is ignored",
        "_joint_product",
        "plans = other[last[:, None] + ancestors[r][level]].astype(np.float64)",
        "plans = np.ones((len(blocks), len(joint)))",
        ("test_card_removal.py",),
    ),
    Mistake(
        "curve: the part that is held out teaches the model",
        "_part",
        "[*hands[:first], *hands[end:]]",
        "hands",
        ("test_held_out.py",),
    ),
)
"""In what an equilibrium should do, and in what is beyond chance."""


ZOO = (
    Mistake(
        "promise: the opponent's range forgets its actions",
        "_foresee",
        "weights *= chances[position]",
        "pass",
        ("test_promise.py",),
    ),
    Mistake(
        "promise: the opponent may hold our cards",
        "_foresee",
        "free = (table.masks & cards_mask(end.hole(seat))) == 0",
        "free = table.masks >= 0",
        ("test_promise.py",),
    ),
    Mistake(
        "promise: the game's value counts alike in both seats",
        "Diary.note",
        "expectation.game_value if seat == 0 else -expectation.game_value",
        "expectation.game_value",
        ("test_promise.py",),
    ),
    Mistake(
        "promise: a promise outlives the exploiting",
        "Exploiter.expectation",
        "self._expectation is None or self._expectation[0] != self.exploiting",
        "self._expectation is None",
        ("test_promise.py",),
    ),
    Mistake(
        "promise: a ratio's error forgets its counts",
        "Sampling.ratio",
        "rest = top - mean * bottom",
        "rest = top - top.mean()",
        ("test_promise.py",),
    ),
    Mistake(
        "deceiver: it strikes at whoever plays the mask",
        "strike_at_believers",
        "game, seat, believer[1 - seat], trust, stops",
        "game, seat, mask[1 - seat], trust, stops",
        ("test_deceivers.py",),
    ),
    Mistake(
        "deceiver: the mask comes off a hand early",
        "_deceiver.step",
        "hand >= options.hands",
        "hand + 1 >= options.hands",
        ("test_deceivers.py",),
    ),
    Mistake(
        "equilibria: a drawn equilibrium need not guarantee the value",
        "solve_exactly",
        "guaranteed - _SLACK",
        "guaranteed - 1e-2",
        ("test_equilibria.py",),
    ),
    Mistake(
        "equilibria: the board's suit is kept where suits are dropped",
        "_with_suits",
        'found = source.index(re.sub(rf"([{RANKS}])[cdhs]", r"\\1", cards) + bar + betting)',
        'found = source.index(re.sub(rf"([{RANKS}])[cdhs]", r"\\1", cards)[:1] + "||")',
        ("test_equilibria.py",),
    ),
    Mistake(
        "zoo: an opponent for judging is also one for choosing",
        "CHOOSING",
        "for n in range(0, DRAWN_SKEWS, 2)",
        "for n in range(0, DRAWN_SKEWS)",
        ("test_zoo.py",),
    ),
    Mistake(
        "zoo: gains are paired with what the equilibrium won in another's match",
        "ZooMatches._weighed",
        "(weights[name] * part / whole, found[number])",
        "(part / len(usual), found[number])",
        ("test_zoo_records.py",),
    ),
    Mistake(
        "zoo: a window begins a step late",
        "ZooMatches._mean",
        "values[-(-first // STEP) : None",
        "values[1 + first // STEP : None",
        ("test_zoo_records.py",),
    ),
    Mistake(
        "zoo: the look by which an opponent was chosen counts",
        "ZooMatches.combined",
        "series = dict(list(series.items())[fewest:])",
        "pass",
        ("test_zoo_records.py",),
    ),
    Mistake(
        "zoo: a promise is met by an interval that only touches the margin",
        "meets",
        "max(-low, high) <= NEAR",
        "min(-low, high) <= NEAR",
        ("test_zoo_records.py",),
    ),
    Mistake(
        "zoo: a kept series loses its last run",
        "_runs",
        "lengths = np.diff(first, append=whole.size)",
        "lengths = np.diff(first, append=whole.size - 1)",
        ("test_zoo_records.py",),
    ),
    Mistake(
        "packed: halves of chips are rounded away",
        "_in_parts",
        "if np.array_equal(_of_parts(whole, parts, values.dtype), values):",
        "if np.allclose(_of_parts(whole, parts, values.dtype), values, atol=0.6):",
        ("test_packed.py",),
    ),
    Mistake(
        "kept: a summary also keeps the large values it is made of",
        "TaskResult.summary",
        "compute(replace(self))",
        "compute(self)",
        ("test_kept.py",),
    ),
    Mistake(
        "kept: results of an older version go on",
        "KeptResults.load",
        "if going_on:",
        "if not going_on:",
        ("test_kept.py",),
    ),
    Mistake(
        "kept: where the store lies makes another task",
        "identity",
        'about = about.replace(json.dumps(str(directory))[1:-1], "")',
        "pass",
        ("test_kept.py",),
    ),
    Mistake(
        "kept: the first look is forgotten",
        "judged",
        "kept.first = asked if first is None else first",
        "kept.first = None",
        ("test_kept.py",),
    ),
    Mistake(
        "verdict: more samples leave the error as it is",
        "_with_samples",
        "error = number.standard_error / math.sqrt(times)",
        "error = number.standard_error",
        ("test_verdict.py",),
    ),
    Mistake(
        "worth: a fold takes the range of the showdown before it",
        "_fill_ends",
        "walked[latest[depth]] != seen or ends[waiting - 1] >= 0",
        "ends[waiting - 1] >= 0",
        ("test_worth.py",),
    ),
    Mistake(
        "worth: the usual strategy is valued against the opponent of the hand before",
        "ByWorth.chips",
        "self._second, self._number = self._strategies(agents[1]), number",
        "self._second, self._number = self._second or self._strategies(agents[1]), number",
        ("test_worth.py",),
    ),
)
"""In the zoo, and in what compares promises with results."""

SOUL = (
    Mistake(
        "habits: the bow without its third",
        "fill_habits",
        "habit[k] + habit[k + moves] * z + habit[k + 2 * moves] * (z * z - 1 / 3)",
        "habit[k] + habit[k + moves] * z + habit[k + 2 * moves] * z * z",
        ("test_habits.py",),
    ),
    Mistake(
        "habits: old hands do not fade",
        "SeenSeat.seen",
        "return self._log.hands(forget ** (latest - np.array(self._numbers, dtype=np.float64)))",
        "return self._log.hands(np.ones(len(self._numbers)))",
        ("test_habits.py",),
    ),
    Mistake(
        "habits: counts are not passed up",
        "fill_slopes",
        "counts[tree.parent_sequence[sets + s]] += passed",
        "counts[tree.parent_sequence[sets + s]] += 0.0",
        ("test_habits.py",),
    ),
    Mistake(
        "fitted: the first base stays, whatever the hands say",
        "FittedModel._choose_base",
        "best = int(np.argmax(log_chances))",
        "best = 0",
        ("test_turns.py",),
    ),
    Mistake(
        "turns: raises that become calls are lost",
        "fill_turns",
        "called += raised * passive",
        "called += 0.0",
        ("test_turns.py",),
    ),
    Mistake(
        "turns: tight without the calls that were raised",
        "add_slopes",
        "slopes[TIGHT, r, h] += calls * (1 - turned) * (by_fold - by_call)",
        "slopes[TIGHT, r, h] += calls * (by_fold - by_call)",
        ("test_turns.py",),
    ),
    Mistake(
        "turns: narrow parts as free as broad ones",
        "TurnModel.__init__",
        "self._strictness = np.repeat(np.array(PRIOR) - 1, [1, self.num_rounds, THIRDS, self.num_kinds])",
        "self._strictness = np.full(1 + self.num_rounds + THIRDS + self.num_kinds, PRIOR[0] - 1)",
        ("test_turns.py",),
    ),
    Mistake(
        "retelling: holdings count alike, however they came there",
        "_retold",
        "weights = (plan[theirs] + _UNREACHED * behaviour[theirs]).reshape(shape).astype(np.float64)",
        "weights = behaviour[theirs].reshape(shape).astype(np.float64)",
        ("test_retelling.py",),
    ),
    Mistake(
        "retelling: holdings that clash with the board count",
        "shared_states",
        "fits = np.array([(table.masks & cards_mask(board.tolist())) == 0 for board in part])",
        "fits = np.array([table.masks >= 0 for board in part])",
        ("test_retelling.py",),
    ),
    Mistake(
        "other equilibria: finer abstractions too",
        "equilibria_of_abstractions",
        "coarser = [cards for cards in others if cards.spec.num_states[-1] < states]",
        "coarser = list(others)",
        ("test_retelling.py",),
    ),
    Mistake(
        "habits: narrow kinds as free as broad ones",
        "HabitModel.__init__",
        "self._scale[column] = spreads[level]",
        "self._scale[column] = spreads[0]",
        ("test_habits.py",),
    ),
    Mistake(
        "average: weights drift to nothing",
        "drifted",
        "result: Weights = (1 - drift) * weights + drift * prior",
        "result: Weights = (1 - drift) * weights",
        ("test_average.py",),
    ),
    Mistake(
        "average: behaviours are averaged by reach no more",
        "AveragedModel._mixed",
        "total += total.dtype.type(self.weights[i]) * self._plan(i, seat)",
        "total += total.dtype.type(self.weights[i]) * self._said[i].behaviours[seat]",
        ("test_average.py",),
    ),
    Mistake(
        "average: a member learns before it is judged",
        "AveragedModel.update",
        "elif self.num_hands >= self.next_asked:",
        "else:",
        ("test_average.py",),
    ),
    Mistake(
        "budget: the share forgets the equilibrium's own risk",
        "BudgetedResponder._share",
        "(allowed - self.equilibrium_risk) / (risk - self.equilibrium_risk)",
        "(allowed + self.equilibrium_risk) / risk * 1.05",
        ("test_budget.py",),
    ),
    Mistake(
        "budget: the worst case counts half",
        "with_risk",
        "return ResponsePair(plans, slopes, risk / 2, trust)",
        "return ResponsePair(plans, slopes, risk / 4, trust)",
        ("test_budget.py",),
    ),
    Mistake(
        "payoff: the last of few entries are left out",
        "multiply_few",
        "for k in range(0, count, 4):",
        "for k in range(0, count - 3, 4):",
        ("test_seqform.py",),
    ),
    Mistake(
        "engine: the slope follows the gradients of a step later",
        "RegretMinimiser.advance",
        "approach(self._slope, gradient, numbers.step)",
        "approach(self._slope, gradient, numbers.step / 2)",
        ("test_restricted.py",),
    ),
    Mistake(
        "engine: another p keeps the old slope of a player who is bound",
        "RegretMinimiser.advance",
        "if bound or not self.schedule.alternating:",
        "if not self.schedule.alternating:",
        ("test_restricted.py",),
    ),
    Mistake(
        "budget: doubt has no price",
        "Programs.find",
        "planner.respond(slope, part * allowed, (1 - trust) / trust).plan",
        "planner.respond(slope, part * allowed).plan",
        ("test_budget.py",),
    ),
    Mistake(
        "budget: an answer is played however unsure it is",
        "BudgetedResponder.respond",
        "share = min(most, self._sure_share(gains, possible.weights))",
        "share = most",
        ("test_budget.py",),
    ),
    Mistake(
        "average: a change takes the hands after it along",
        "AveragedModel._start_anew",
        "self.since = self.num_hands - len(self._recent)",
        "self.since = self.num_hands",
        ("test_average.py",),
    ),
    Mistake(
        "average: nobody is doubted",
        "AveragedModel.possible",
        "parts.append((weight * (1 - member.misleads(self.num_hands - self.since)), said))",
        "parts.append((weight, said))",
        ("test_average.py",),
    ),
    Mistake(
        "budget: trust grows when the budget is broken",
        "Engines._follow",
        "math.log(max(allowed, 1e-9)) - expected",
        "expected - math.log(max(allowed, 1e-9))",
        ("test_budget.py",),
    ),
    Mistake(
        "budget: a response that settles is taken for one that stays as risky as it is",
        "Engines._follow",
        "expected = new + _AHEAD * _within(new - last, _STRIDE)",
        "expected = new",
        ("test_budget.py",),
    ),
    Mistake(
        "budget: trust exceeds what doubt leaves",
        "Engines.find",
        "p = min(self._p, most)",
        "p = self._p",
        ("test_budget.py",),
    ),
    Mistake(
        "evidence: our own cards may be the opponent's",
        "EvidenceReader._from_states",
        "known = [card for cards in (board, hole[1 - player] or ()) for card in cards]",
        "known = list(board)",
        ("test_evidence.py",),
    ),
    Mistake(
        "soul: gifts are never spent",
        "GiftAccount.spend",
        "self.given = max(0.0, self.given - chips)",
        "self.given = max(0.0, self.given)",
        ("test_soul.py",),
    ),
    Mistake(
        "soul: a gift is the best case for us",
        "GiftAccount.add",
        "self.given += float(total.min())",
        "self.given += float(total.max())",
        ("test_soul.py",),
    ),
)

REAL_CARDS = (
    Mistake(
        "local best response: a drawn river counts once, however rarely it is drawn",
        "_Player.change",
        "(_expected_win(hands, real, root) - _expected_win(spot, self.tree, root)) / chance",
        "_expected_win(hands, real, root) - _expected_win(spot, self.tree, root)",
        ("test_river.py",),
    ),
    Mistake(
        "local best response: luck is explained by the deals it is taken off",
        "without_luck",
        "others, own = slice(1 - half, None, 2), slice(half, None, 2)",
        "others, own = slice(half, None, 2), slice(half, None, 2)",
        ("test_local_best_response.py",),
    ),
    Mistake(
        "local best response: chips are counted over hands that the board excludes",
        "_expected_win",
        "possible += int(masks[h] & dead[-1] == 0)",
        "possible += int(masks[h] & dead[0] == 0)",
        ("test_local_best_response.py",),
    ),
    Mistake(
        "verdicts: blocks of one match of an agent that learns decide",
        "_chances_beyond",
        "math.isnan(error) or number.one_match",
        "math.isnan(error)",
        ("test_verdict.py",),
    ),
    Mistake(
        "verdicts: a few equal samples are exact",
        "_chances_beyond",
        "UNKNOWN if n < FEWEST_ALIKE else",
        "UNKNOWN if n < 2 else",
        ("test_verdict.py",),
    ),
    Mistake(
        "verdicts: matches added after a look are judged as if they had been planned",
        "judged",
        "first is not None and first != asked",
        "first is None and first != asked",
        ("test_verdict.py",),
    ),
    Mistake(
        "verdicts: a confidence sequence as narrow as an interval",
        "chance_at_any_time",
        "min(1.0, math.sqrt(grown) * math.exp(-far) / 2)",
        "min(1.0, math.exp(-far) / 2)",
        ("test_verdict.py",),
    ),
    Mistake(
        "local best response: a range that a board card excludes is followed",
        "_expected_win",
        "if alive == 0.0:",
        "if alive < 0.0:",
        ("test_local_best_response.py",),
    ),
    Mistake(
        "real cards: an answer is compared with the equilibrium in other deals",
        "AnswerDeals.figure",
        "self._deals.usual[: len(won)]",
        "self._deals.usual[-len(won) :]",
        ("test_real_cards.py",),
    ),
    Mistake(
        "real cards: an unfinished figure is kept as a finished one",
        "RealCardCheck.begin",
        "if task.found is not None and task.found.finished:",
        "if task.found is not None:",
        ("test_real_cards.py",),
    ),
    Mistake(
        "real cards: the figure is that of the equilibrium, whatever is played",
        "Soul._check_real_cards",
        "self._real_cards.begin(self.playing.behaviours,",
        "self._real_cards.begin(self.equilibrium.behaviours,",
        ("test_real_cards.py",),
    ),
    Mistake(
        "river: at a fold the same hand is taken off twice",
        "finish_piece",
        "add_line(lanes, z, h - first, x, facing.same[h], at)",
        "pass",
        ("test_river.py",),
    ),
    Mistake(
        "payoff: blocks keep the ancestors of another order",
        "FactoredPayoff._ancestors",
        "ancestors if blocks.plain else np.ascontiguousarray(ancestors[:, blocks.order])",
        "ancestors",
        ("test_seqform.py",),
    ),
    Mistake(
        "textures: a flop counts once, however often it is dealt",
        "cluster_points",
        "(points[mine] * weights[mine, None]).sum(axis=0) // weights[mine].sum()",
        "points[mine].sum(axis=0) // mine.sum()",
        ("test_textures.py",),
    ),
)
"""Mistakes in what looks at real cards: local best response, rivers, classes of flops."""

SPOTS = (
    Mistake(
        "spots: the smallest raise may be smaller than the last one",
        "_Builder._actions",
        "least = min(max(bet + to_call, 1), most)",
        "least = min(max(bet + 1, 1), most)",
        ("test_spots.py",),
    ),
    Mistake(
        "spots: even growth counts one street too many",
        "_Builder._actions",
        "** (1 / (3 - street))",
        "** (1 / (4 - street))",
        ("test_spots.py",),
    ),
    Mistake(
        "spots: a raise is a part of the pot before the call",
        "_Builder._actions",
        "pot = rules.pot + 2 * put_in[1 - player]",
        "pot = rules.pot + put_in[0] + put_in[1]",
        ("test_spots.py",),
    ),
    Mistake(
        "spots: isomorphism does not look at the ranges",
        "Spot.renamings",
        "and all(np.array_equal(weights[HAND_MAPS[g]], weights) for weights in self.live)",
        "and True",
        ("test_spots.py",),
    ),
    Mistake(
        "spots: isomorphism does not look at the marks",
        "Spot.renamings",
        "and all(self._is_marked(mark, g) for mark in self.marks)",
        "and True",
        ("test_spots.py",),
    ),
    Mistake(
        "spots: boards that stand for others count once",
        "Spot.boards.visit",
        "visit((*dealt, card), here, count * len(group) // len(alone), alone)",
        "visit((*dealt, card), here, count, alone)",
        ("test_spots.py",),
    ),
    Mistake(
        "spots: hands that tie with different hands are taken together",
        "sum_piece",
        "and facing.no_stronger[last] == until:",
        ":",
        ("test_spots.py",),
    ),
    Mistake(
        "spots: card removal forgets the second card",
        "sum_piece",
        "add_rest(lanes, y, h, total, with_card, card[h, 0], card[h, 1], at)",
        "add_rest(lanes, y, h, total, with_card, card[h, 0], card[h, 0], at)",
        ("test_spots.py",),
    ),
    Mistake(
        "spots: all-in values of a board do not reach the board before",
        "leave_board",
        "row[side.ancestor[start + i]] += entry[i]",
        "row[side.ancestor[start + i]] += 0 * entry[i]",
        ("test_spots.py",),
    ),
    Mistake(
        "spots: the average takes in a plan with the next weight",
        "numbers_of",
        "last = discounts(iteration, exponents, weight)",
        "last = discounts(iteration + 1, exponents, weight)",
        ("test_streamed.py",),
    ),
    Mistake(
        "spots: a lock is mixed into the best response's opponent once more",
        "go_down",
        "bound = mode == LEARN",
        "bound = mode != PLAY",
        ("test_streamed.py",),
    ),
    Mistake(
        "spots: a part forgets what the parts before it added",
        "close_first",
        "to[i] += of[i]",
        "to[i] = of[i]",
        ("test_streamed.py",),
    ),
    Mistake(
        "spots: 16 bits of regret are read without their scale",
        "go_up",
        "x = scale * real(r[i]) + (q[i] - value[i])",
        "x = real(r[i]) + (q[i] - value[i])",
        ("test_streamed.py",),
    ),
    Mistake(
        "spots: a compiled sum forgets the second card of a holding",
        "_write_add_holdings",
        "for k in (0, 1):",
        "for k in (0, 0):",
        ("test_lanes.py",),
    ),
    Mistake(
        "spots: more rows than lanes are looked at",
        "add_leaves",
        "elif run[1] <= TURNED:",
        "elif run[1] <= LANES:",
        ("test_spots.py",),
    ),
    Mistake(
        "spots: holdings are not sorted by strength",
        "_board_side",
        "np.lexsort((high, high // 4, low // 4, apart, values[holdings]))",
        "np.lexsort((high, high // 4, low // 4, apart))",
        ("test_spots.py",),
    ),
    Mistake(
        "spots: the reach of a bound player has no model in it",
        "play_board",
        "parent[i] * (forced[i] + freedom[i] * free)",
        "parent[i] * free",
        ("test_streamed.py",),
    ),
    Mistake(
        "spots: a tile of lines is turned half",
        "turn_tile",
        "= of[j : j + size, i : i + size].T",
        "= of[j : j + size, i : i + size]",
        ("test_lanes.py",),
    ),
    Mistake(
        "spots: where the average does not come, the behaviour is uniform",
        "settle",
        "max(real(regret[c]), zero) / total[i] if total[i] > zero else real(1.0 / actions)",
        "real(1.0 / actions)",
        ("test_streamed.py",),
    ),
    Mistake(
        "spots: EV forgets what the player has put in",
        "view",
        "spot.betting.pot / 2 + node.put_in[player],",
        "spot.betting.pot / 2,",
        ("test_spot_views.py",),
    ),
    Mistake(
        "spots: EV of a spot in big blinds is in what they are counted in",
        "_Scale.amounts",
        "found / self.unit.parts",
        "found",
        ("test_units.py",),
    ),
    Mistake(
        "spots: a big blind has as many parts as a chip",
        "read_unit",
        "int(chips.number * parts), parts)",
        "int(chips.number), parts)",
        ("test_units.py",),
    ),
    Mistake(
        "spots: every raise out of position is a check-raise",
        "_Builder._actions",
        "facing and player == OOP and bets == 1",
        "facing and player == OOP",
        ("test_spots.py",),
    ),
    Mistake(
        "ranges: a range that has a name loses its weights",
        "parse_range",
        "weight * own[own > 0]",
        "weight",
        ("test_named_ranges.py",),
    ),
    Mistake(
        "boards: the highest card of a board is its first",
        "BoardsStudy.by_highest_card",
        "max(parse_cards(row.board))",
        "parse_cards(row.board)[-1]",
        ("test_boards.py",),
    ),
    Mistake(
        "spots: hands of a renamed board are not renamed",
        "Spot.hands",
        "self.orbits(place.board, player)[HAND_MAPS[place.renaming]]",
        "self.orbits(place.board, player)",
        ("test_spots.py",),
    ),
)
"""Mistakes in spots with real cards: betting, isomorphism, payoffs, the solver board by board, and views."""

STORE = (
    Mistake(
        "facts: whoever folded may still collect",
        "_finish",
        'row["won"] + min(w[walk.SPENT + s], called) + dead[s] > 0',
        'row["won"] + w[walk.SPENT + s] + dead[s] > 0',
        ("test_statistics.py",),
    ),
    Mistake(
        "facts: the aggressor of an earlier round stays the aggressor",
        "_end_round",
        "w[LEADER] = w[RAISER]",
        "w[LEADER] = w[RAISER] or w[LEADER]",
        ("test_statistics.py",),
    ),
    Mistake(
        "facts: a short all-in opens the betting again",
        "may_raise",
        " or (0 < w[SHORT_RAISE] < full and w[ACTED] >> seat & 1)",
        "",
        ("test_statistics.py",),
    ),
    Mistake(
        "statistics: a steal may be raised over limpers",
        "_first_in",
        "d.preflop & d.facing & (d.raises == 0) & (d.limpers == 0)",
        "d.preflop & d.facing & (d.raises == 0)",
        ("test_statistics.py",),
    ),
    Mistake(
        "statistics: check-raises are counted of those who called in between",
        "STATISTICS",
        "d.can_raise & (d.own_raise == 0) & (d.own_calls == 0)",
        "d.can_raise",
        ("test_statistics.py",),
    ),
    Mistake(
        "statistics: the interval of an amount forgets that the mean was estimated",
        "Value.interval",
        "max(0.0, self.squares - self.n * mean * mean) / (self.n - 1)",
        "max(0.0, self.squares - self.n * mean * mean) / self.n",
        ("test_statistics.py",),
    ),
    Mistake(
        "splits: an opponent who only checked came along",
        "_entered",
        "(CALLED, RAISED)",
        "(1, CALLED, RAISED)",
        ("test_splits.py",),
    ),
    Mistake(
        "splits: of two groups the hands of the first are out of step",
        "Splits.groups",
        "rows[again], [column[again] for column in columns]",
        "rows[again], [np.resize(column, again.size) for column in columns]",
        ("test_splits.py",),
    ),
    Mistake(
        "splits: a 4-bet in a 4-bet pot is settled",
        "_SETTLED",
        '({By.POT: {THREE_BET}}, ("4-bet",))',
        '({By.POT: {THREE_BET, FOUR_BET}}, ("4-bet",))',
        ("test_splits.py",),
    ),
    Mistake(
        "sizing: a bet of exactly 40% is of the next class",
        "_faced_lines",
        'np.searchsorted(bounds, made["faced"], "left")',
        'np.searchsorted(bounds, made["faced"], "right")',
        ("test_sizing.py",),
    ),
    Mistake(
        "sizing: answers to the open have those to the 3-bet among them",
        "faced_lines",
        'here["raises"] == 1',
        'here["raises"] >= 1',
        ("test_sizing.py",),
    ),
    Mistake(
        "identity: cents and dollars are different hands",
        "key_of",
        "actions = tuple([action if action < 2 else action // unit for action in actions])",
        "actions = tuple(actions)",
        ("test_store.py",),
    ),
    Mistake(
        "identity: a match of a small game is known by its number alone",
        "key_of",
        'content.encode("utf-8", "replace") + stretch',
        'content.encode("utf-8", "replace")',
        ("test_store.py",),
    ),
    Mistake(
        "store: numbers of a batch that failed are kept",
        "Store._changing",
        "self._forget()  # numbers given in a transaction that failed",
        "pass",
        ("test_store.py",),
    ),
    Mistake(
        "store: a name is one player in all rooms",
        "Store.players_called",
        "self.person(head, room)",
        "self.person(head, None)",
        ("test_store_rooms.py",),
    ),
    Mistake(
        "store: hands keep the lack of a room",
        "Store._add_batch",
        "elif hand.room and not there[key]:",
        "elif False:",
        ("test_store_rooms.py",),
    ),
    Mistake(
        "store: a hand that is lost is not missed",
        "Store._scan",
        "if row.number != expected:",
        "if False:",
        ("test_store_damage.py",),
    ),
    Mistake(
        "store: the seals of blocks are not added up",
        "Store._blocks",
        "if (seen, added) != (count, total):",
        "if False:",
        ("test_store_damage.py",),
    ),
    Mistake(
        "store: the seal of a hand does not cover its record",
        "seal_of_hand",
        "crc32(record, seal_of(number, key, id, time, kind))",
        "seal_of(number, key, id, time, kind)",
        ("test_store_damage.py",),
    ),
    Mistake(
        "store: a finished transaction is dropped with the journal's end",
        "_loses",
        "return bool((ends | (behind[:, 0] == 0)).any())  # nobody writes a frame of page 0",
        "return False",
        ("test_store_damage.py",),
    ),
    Mistake(
        "study: a player is part of the pool",
        "Population.others",
        "np.setdiff1d(self.regulars, [row])",
        "self.regulars",
        ("test_profile.py",),
    ),
)
"""Mistakes in the store of hands and its statistics."""

FORMATS = (
    Mistake(
        "pots: those who folded paid nothing",
        "side_pots",
        "(level - below) * len(payers) + carried",
        "(level - below) * len(claimants) + carried",
        ("test_referee.py",),
    ),
    Mistake(
        "referee: a short big blind is called without the ante",
        "game_of_posts",
        "opening = ante + big_blind if",
        "opening = big_blind if",
        ("test_formats_rooms.py",),
    ),
    Mistake(
        "referee: the odd chip of a hand run twice is lost",
        "_share",
        "(amount % boards if number == 0 else 0)",
        "0",
        ("test_referee.py",),
    ),
    Mistake(
        "referee: somebody who sat down late is the big blind",
        "game_of_posts",
        "main < 0 or seat < main",
        "main < 0",
        ("test_referee.py",),
    ),
    Mistake(
        "referee: the pot may go to anybody",
        "settled",
        "if theirs - ours > odd:",
        "if theirs - ours > odd + pot:",
        ("test_referee.py",),
    ),
    Mistake(
        "rooms: the button acts first",
        "_Reader.draft",
        "number <= self._button, number",
        "number < self._button, number",
        ("test_formats_rooms.py",),
    ),
    Mistake(
        "texts: a second small blind is live",
        "HandText._kind_of_small",
        "else ForcedBet.DEAD_BLIND",
        "else ForcedBet.SMALL_BLIND",
        ("test_texts_pacific.py",),
    ),
    Mistake(
        "texts: stacks of Merge tournaments lack the posts",
        "Merge.finish",
        "self.stacks[key] += chips",
        "self.stacks[key] += 0",
        ("test_texts_trackers.py",),
    ),
    Mistake(
        "texts: stacks grow where no pot is told",
        "IPoker._stacks",
        "self.reading == 2 and self.pot is not None",
        "self.reading == 2",
        ("test_texts_trackers.py",),
    ),
    Mistake(
        "texts: an uncalled bet that is won at a showdown counts as won",
        "HandText._collected",
        "uncalled in pieces",
        "False",
        ("test_texts_pacific.py",),
    ),
    Mistake(
        "texts: a raise told as what is added is taken for a total",
        "ChipCount._move",
        "chips if meaning is Amount.TO else before + chips",
        "chips",
        ("test_texts_party.py",),
    ),
    Mistake(
        "texts: strangers of Bovada have the same name in every hand",
        "Bovada.finish",
        'f"{name} #{self.id}"',
        'f"{name} #"',
        ("test_texts_bovada.py",),
    ),
    Mistake(
        "ohh: the amount of a raise is its total",
        "_Reader._read_action",
        "hand.raise_by_adding(number, amount)",
        "hand.raise_to(number, amount)",
        ("test_formats_ohh.py",),
    ),
    Mistake(
        "ohh: the jackpot is no fee",
        "_Reader._read_pots",
        'for name in ("rake", "jackpot")',
        'for name in ("rake",)',
        ("test_formats_ohh.py",),
    ),
    Mistake(
        "ipoker: actions are taken in the order of the file",
        "_Reader._read_round",
        'sorted(part.actions, key=lambda entry: _whole(entry.get("no", ""), "an action"))',
        "part.actions",
        ("test_formats_ipoker.py",),
    ),
    Mistake(
        "winamax: a small blind out of position is live",
        "_Reader._read_post",
        '"small blind" in words and not late',
        '"small blind" in words',
        ("test_formats_winamax.py",),
    ),
    Mistake(
        "seating: a bet that nobody called is won",
        "SeatedHand.give_back_uncalled",
        "self.collected[number] -= chips",
        "pass",
        ("test_formats_winamax.py", "test_formats_ipoker.py"),
    ),
    Mistake(
        "seating: a fold after other moves is moved to the first turn",
        "SeatedHand._in_turn",
        "turns[number] == 1 and number not in blinds",
        "number not in blinds",
        ("test_formats_ipoker.py",),
    ),
    Mistake(
        "seating: a fold of a big blind is moved to the first turn",
        "SeatedHand._in_turn",
        "turns[number] == 1 and number not in blinds",
        "turns[number] == 1",
        ("test_formats_ipoker.py",),
    ),
    Mistake(
        "winamax: a seat that cannot be read is passed over",
        "_Reader._read_seat",
        "_SUMMARY.match(line)",
        "False",
        ("test_formats_winamax.py",),
    ),
    Mistake(
        "party: what a cash-out pays is won from the pot",
        "Party._drafted",
        "max(0, draft.pot - sum(taken))",
        "0",
        ("test_texts_party.py",),
    ),
    Mistake(
        "sources: a zero byte at the beginning of a line stays",
        "_without_separators",
        '"\\n\\0", "\\n"',
        '"\\n\\0", "\\n\\0"',
        ("test_texts_party.py",),
    ),
    Mistake(
        "seating: a late blind and the dead one count together",
        "SeatedHand.post_big_blind",
        "live = min(amount, self.big_blind or amount)",
        "live = amount",
        ("test_formats_winamax.py", "test_formats_ipoker.py"),
    ),
    Mistake(
        "times: summer time begins early one year too soon",
        "_american_summer",
        "if year >= 2007:",
        "if year >= 2006:",
        ("test_formats_phh.py",),
    ),
    Mistake(
        "referee: a seat that folded may collect an odd chip",
        "settled",
        "if out and taken[seat]:",
        "if out and taken[seat] > len(spent):",
        ("test_records.py",),
    ),
    Mistake(
        "records: anybody may act",
        "_played",
        'if state.player != seat:\n    raise Unfit("an action out of turn"',
        'if state.player < 0:\n    raise Unfit("an action out of turn"',
        ("test_records.py",),
    ),
    Mistake(
        "records: the betting is not compared",
        "_verify_end",
        "if end.betting != hand.betting:",
        "if not end.betting and hand.betting:",
        ("test_records.py",),
    ),
    Mistake(
        "records: a game need not be the one of its name",
        "_may_be_of",
        "return _is_of(hand, game)",
        "return True",
        ("test_records.py",),
    ),
    Mistake(
        "hands: a time without a zone is read",
        "_time",
        "if time.tzinfo is None:",
        "if time.tzinfo is None and time.year < 1:",
        ("test_records.py",),
    ),
    Mistake(
        "archives: every layer may grow as much as the file",
        "_Budget.grow",
        "self._unpacked += size",
        "self._unpacked = size",
        ("test_archives.py",),
    ),
    Mistake(
        "archives: what follows a packed file costs its last hand",
        "_Stream._next",
        "self._whole = isinstance(error, Trailing)",
        "self._whole = False",
        ("test_archives.py",),
    ),
    Mistake(
        "archives: the checksum of a zip's member is not compared",
        "_Checked.read",
        "if self._sum != self._checksum:",
        "if self._sum < 0:",
        ("test_archives.py",),
    ),
    Mistake(
        "archives: headers of a tar may be without end",
        "_Announced.read",
        "if self._count > MAX_HEADERS:",
        "if self._count > 100 * MAX_HEADERS:",
        ("test_archives.py",),
    ),
    Mistake(
        "archives: an error at the beginning of a file costs what was unpacked",
        "_Stream.peek",
        "except BrokenFile:\n    break",
        'except BrokenFile:\n    self._ahead = b""\n    break',
        ("test_archives.py",),
    ),
    Mistake(
        "rooms: a straddle is somebody who sits down",
        "_Reader._read_post",
        "straddles = later and amount > self._blind",
        "straddles = False",
        ("test_room_customs.py",),
    ),
    Mistake(
        "referee: the part of a big blind that came back in a walk is won twice",
        "_blind_returned",
        "beyond[winner] = part",
        "beyond[winner] = part + uncalled",
        ("test_room_customs.py",),
    ),
    Mistake(
        "facts: chips that nobody called are in the pot",
        "_finish",
        "pot += min(w[walk.SPENT + s], called)",
        "pot += w[walk.SPENT + s]",
        ("test_money.py",),
    ),
    Mistake(
        "money: amounts are shown in cents",
        "money_text",
        "amount = chips * Decimal(stakes.chip)",
        "amount = Decimal(chips)",
        ("test_money.py",),
    ),
    Mistake(
        "conditions: a chance is found where the action was taken",
        "_did",
        "had if chances else took",
        "took",
        ("test_conditions.py",),
    ),
    Mistake(
        "conditions: hands in which nobody did it are those in which somebody did",
        "_of_anybody",
        "np.isin(every.numbers, there) != condition.turned",
        "np.isin(every.numbers, there)",
        ("test_conditions.py",),
    ),
    Mistake(
        "conditions: hands in which the player did not do it are those in which the player did",
        "_facts_of_player",
        "one.of_seats(facts, occasions) != one.turned",
        "one.of_seats(facts, occasions)",
        ("test_conditions.py",),
    ),
    Mistake(
        "conditions: after a day begins with the day",
        "_dated",
        "held = time >= end",
        "held = time >= begin",
        ("test_occasions.py",),
    ),
    Mistake(
        "conditions: an open is any raise before the flop",
        "_sized",
        'held &= decisions["raises"] == 0',
        'held &= decisions["raises"] >= 0',
        ("test_occasions.py",),
    ),
    Mistake(
        "conditions: the smallest come first",
        "HandKeys.sorted",
        'key if order.value.startswith("-") else -key',
        '-key if order.value.startswith("-") else key',
        ("test_occasions.py",),
    ),
    Mistake(
        "shell line: the kind of game is left out",
        "shell_line",
        "query.game or (None if kind is None else kind.game)",
        "query.game",
        ("test_occasions.py",),
    ),
    Mistake(
        "lines: every bet is a raise",
        "street_letters",
        'ord("b"), letters',
        'ord("r"), letters',
        ("test_occasions.py",),
    ),
    Mistake(
        "occasions: a habit is taken only at the first decision",
        "Occasions.each",
        "np.lexsort((places, ~taken, owner))",
        "np.lexsort((places, owner))",
        ("test_occasions.py",),
    ),
    Mistake(
        "occasions: the calls of a factor are left out",
        "Occasions.each",
        "chance | action if kind is StatisticKind.FACTOR else chance",
        "action if kind is StatisticKind.FACTOR else chance",
        ("test_occasions.py",),
    ),
    Mistake(
        "facts: an ante is part of a raise",
        "_size",
        "total - ante",
        "total",
        ("test_statistics.py",),
    ),
    Mistake(
        "facts: a raise is measured by the pot before the call",
        "_size",
        "walk.pot_of(w) + w[walk.HIGH] - w[walk.SPENT + w[walk.ACTOR]]",
        "walk.pot_of(w)",
        ("test_statistics.py",),
    ),
    Mistake(
        "facts: the first to act is in position",
        "_finish",
        "range(w[walk.SEATS] - 1, -1, -1)",
        "range(w[walk.SEATS])",
        ("test_statistics.py",),
    ),
    Mistake(
        "facts: the size that is faced is the smallest",
        "fill_facts",
        'row["faced"] = standing if facing else 0',
        'row["faced"] = 1 if facing else 0',
        ("test_statistics.py",),
    ),
    Mistake(
        "kinds: a tournament is a cash game",
        "GameKind.play",
        "TOURNAMENT if self.stakes.tournament else CASH",
        "CASH",
        ("test_game_kinds.py",),
    ),
    Mistake(
        "profile: regulars are those of all kinds of game",
        "study_profile",
        "query = query.of_kind(kind)",
        "",
        ("test_game_kinds.py",),
    ),
)
"""Mistakes in reading hand histories and in playing them again."""

LOKI = (
    Mistake(
        "loki: a raise is weighed at the bar for staying",
        "reweigh_by_threshold",
        "bar = bars[0 if action in (FOLD, CALL) else 1]",
        "bar = bars[0]",
        ("test_loki_model.py",),
    ),
    Mistake(
        "loki: a bar near the end of the table has the wrong mean",
        "ramp_ends",
        "begin = 1 - 2 * math.sqrt(s * (1 - q))",
        "begin = 1 - math.sqrt(s * (1 - q))",
        ("test_loki_model.py",),
    ),
    Mistake(
        "loki: doubt leaves the table as it is",
        "doubted_triple",
        "(1 - doubt) * sure.raise_ + doubt * usual.raise_",
        "(1 - doubt) * sure.raise_ + doubt",
        ("test_loki_model.py",),
    ),
    Mistake(
        "loki: a doubted fold where nobody may fold",
        "usual_triple",
        "fold = rates[0] if may_fold else 0.0",
        "fold = rates[0]",
        ("test_loki_model.py", "test_rollout.py"),
    ),
    Mistake(
        "loki: play-outs do not doubt",
        "play_out",
        "acting.doubts[seat]",
        "0.0",
        ("test_rollout.py",),
    ),
    Mistake(
        "loki: the quantile of a bar counts holdings that the board rules out",
        "_quantile",
        "int(q * order.size)",
        "int(q * values.size)",
        ("test_loki_model.py",),
    ),
    Mistake(
        "loki: bars are kept without their board",
        "LokiModel.bars",
        "key = view.game.num_players, view.board, now.opponents, others, now.previous",
        "key = view.game.num_players, now.opponents, others, now.previous",
        ("test_loki_model.py",),
    ),
    Mistake(
        "loki: a som keeps the bars of before it learnt",
        "LokiModel._forget_answers",
        "self._bars.clear()",
        "pass",
        ("test_loki_model.py",),
    ),
    Mistake(
        "loki-modelling: style for style weighs all styles as one",
        "style_for_style",
        "share = 1 / len(BY_STYLE)",
        "share = 1.0",
        ("test_reproduce_loki.py",),
    ),
    Mistake(
        "matches of an agent that plays differently are taken from the store",
        "version_for",
        "return version + _STEP * sum(REVISIONS.get(name, 0) for name in sorted(names))",
        "return version",
        ("test_reproduce_loki.py",),
    ),
    Mistake(
        "softened: a net's mistakes are read the wrong way round",
        "softened",
        "(counts / counts.sum(axis=0)).T",
        "counts / counts.sum(axis=0)",
        ("test_predictors.py",),
    ),
    Mistake(
        "softened: a net counts no mistakes",
        "NetPredictor._learn",
        "np.add.at(self.confusion, (rows.action, foretold), 1.0)",
        "np.add.at(self.confusion, (rows.action, rows.action), 1.0)",
        ("test_predictors.py",),
    ),
    Mistake(
        "action-prediction: after the flop means all rounds",
        "accuracy",
        'right[result["round"] > 0] if later else right',
        "right",
        ("test_predicting.py",),
    ),
    Mistake(
        "loki: a capped round counts as one without a raise",
        "slide",
        "observed.sum(axis=(1, 2)), observed[:, 0].sum(axis=1)",
        "observed.sum(axis=(1, 2)), observed.sum(axis=(1, 2))",
        ("test_loki_model.py",),
    ),
    Mistake(
        "loki: half a bet to call is none",
        "bets_to_call",
        "(chips + bet - 1) // bet",
        "chips // bet",
        ("test_loki_model.py",),
    ),
    Mistake(
        "loki: strengths against several tables are averaged",
        "ehs_against",
        "float(np.prod([one.hs for one in each]))",
        "float(np.mean([one.hs for one in each]))",
        ("test_loki_model.py",),
    ),
    Mistake(
        "incomes: who folds is rated in a pot without the own bet",
        "_roll_out",
        "if values[p] > best:\n    income += pot + joined * (1 - lost)",
        "if values[p] > best:\n    income += pot",
        ("test_incomes.py",),
    ),
    Mistake(
        "reading: the range before the last action is the one after it",
        "_read",
        "view.actions[: own[-1]]",
        "view.actions[: own[-1] + 1]",
        ("test_reading.py",),
    ),
)
"""Mistakes in weight tables, income rates and readings."""

PLAYOUTS = (
    Mistake(
        "play-outs: who has raised acts once more",
        "_raise",
        "w[TO_ACT] = live & ~all_in & ~bit",
        "w[TO_ACT] = live & ~all_in",
        ("test_rollout.py",),
    ),
    Mistake(
        "play-outs: values do not know how many are live",
        "value_in",
        "for _ in range(opponents - 1):",
        "for _ in range(0):",
        ("test_rollout.py",),
    ),
    Mistake(
        "play-outs: only the seat that clashes draws again",
        "draw_holdings",
        "clash = True\nbreak",
        "continue",
        ("test_rollout.py",),
    ),
    Mistake(
        "play-outs: odd chips go to everybody",
        "_share",
        "amount % count if winners & -winners == 1 << us else 0",
        "amount % count",
        ("test_rollout.py",),
    ),
    Mistake(
        "play-outs: the error of the difference is that of independent deals",
        "_outlook",
        "squares[:, None] + squares - 2 * sums.products",
        "squares[:, None] + squares",
        ("test_rollout.py",),
    ),
    Mistake(
        "play-outs: potential is the gain over all cards, the own ones too",
        "make_turn",
        "gain_to_potential(now, gain, 52 - 4 - 2)",
        "gain_to_potential(now, gain, 52 - 4)",
        ("test_rollout.py",),
    ),
    Mistake(
        "formula: the call is not in the pot it is paid for",
        "pot_odds",
        "return spot.to_call / (spot.pot + spot.to_call)",
        "return spot.to_call / spot.pot",
        ("test_formula.py",),
    ),
    Mistake(
        "poki: everybody is read by the same model",
        "PlayerModels.of",
        "return self.known.get(player, self.stranger)",
        "return self.stranger",
        ("test_loki_agents.py",),
    ),
)
"""Mistakes in play-outs, formula betting and the agents that use them."""

RINGS = (
    Mistake(
        "rings: who sat where is forgotten",
        "Ring.found",
        "seating = np.array(self.seating(seed, number))",
        "seating = np.array(self.seats)",
        ("test_reproduce_loki.py",),
    ),
    Mistake(
        "rings: two of a version win twice as much",
        "Ring.found",
        "profits[:, seating == name].mean(axis=1)",
        "profits[:, seating == name].sum(axis=1)",
        ("test_reproduce_loki.py",),
    ),
    Mistake(
        "rings: different matches are paired",
        "paired",
        "if number in common]",
        "if number in common or True][: len(common)]",
        ("test_reproduce_loki.py",),
    ),
    Mistake(
        "loki-triples: B and R together are compared with R alone",
        "SUMS",
        '{"RB": 1.0, "R": -1.0, "B": -1.0}',
        '{"RB": 1.0, "R": -1.0, "B": 0.0}',
        ("test_reproduce_loki.py",),
    ),
)
"""Mistakes in rings of Loki."""

RANGES = (
    Mistake(
        "ranges: even chances are those of all holdings, possible or not",
        "gain_of",
        "np.log(total) + np.log(possible.size)",
        "np.log(total) + np.log(chances.size)",
        ("test_reproduce_ranges.py",),
    ),
    Mistake(
        "ranges: holdings as likely count as likelier",
        "likelier_than",
        "chances[(chances > own) & ~same]",
        "chances[chances >= own]",
        ("test_reproduce_ranges.py",),
    ),
    Mistake(
        "ranges: a mean of means of tasks",
        "_sum_and_count",
        "np.array([known.sum(), known.size], dtype=np.float64)",
        "np.array([known.mean(), 1.0])",
        ("test_reproduce_ranges.py",),
    ),
    Mistake(
        "ranges: hands that nobody saw count as shown",
        "covered.pick",
        'mass), result["fate"] == SHOWN)',
        'mass), result["fate"] >= FOLDED)',
        ("test_reproduce_ranges.py",),
    ),
    Mistake(
        "ranges: the models have learnt the hand that is judged",
        "Judged.add",
        "steps: list[_Step] = []",
        'steps: list[_Step] = []\nself.models["som"].update(hand, self.player)',
        ("test_reproduce_ranges.py",),
    ),
    Mistake(
        "kit: blocks after a missing one move up",
        "TaskGrid.joined",
        "while len(parts) in found:",
        "while len(parts) < len(found):",
        ("test_task_grid.py",),
    ),
    Mistake(
        "kit: a claim on all numbers leaves out those not measured",
        "Claim.of_all",
        "all_of(map(holds, numbers.values()))",
        "all_of(holds(number) for number in numbers.values() if number is not None)",
        ("test_task_grid.py",),
    ),
    Mistake(
        "table: matches are counted otherwise than in dbbr-table",
        "table",
        "own = [name for name in METHODS if name not in _IN_DBBR_TABLE]",
        "own = list(METHODS)",
        ("test_reproduce_table.py",),
    ),
)
"""Mistakes in judging ranges by the cards, and in the table of all methods."""

VEXBOT = (
    Mistake(
        "levels from fine to coarse",
        "_fill_chances",
        "for level in range(LEVELS - 1, 0, -1):\n    counts = seen",
        "for level in range(1, LEVELS):\n    counts = seen",
        ("test_vexbot.py",),
    ),
    Mistake(
        "all levels count for as much as the finest",
        "_fill_chances",
        "shift = _shifted(counts, strengths[level, kind], shift)",
        "shift = _shifted(counts, strengths[0, kind], shift)",
        ("test_vexbot.py",),
    ),
    Mistake(
        "a shift is measured from the estimate of the coarser level",
        "_shifted",
        "return float(np.log(estimate / (1 - estimate) * (number - usual) / usual))",
        "return float(np.log(estimate / (1 - estimate) * (1 - mean) / mean))",
        ("test_vexbot.py",),
    ),
    Mistake(
        "the weights of tilts are not normalised by their families",
        "ContextTree.__init__",
        "self._tilted = tilted / tilted.sum(axis=3, keepdims=True)",
        "self._tilted = tilted",
        ("test_vexbot.py",),
    ),
    Mistake(
        "the bound of histograms is that of a single cell",
        "bound",
        "most = 1 / (row.size * min(max(played, 1e-9), 1.0))",
        "most = 1 / min(max(played, 1e-9), 1.0)",
        ("test_vexbot.py",),
    ),
    Mistake(
        "a flush needs four cards",
        "_count_by_ranks",
        "if flush and num_suited[suit] + with_a + with_b >= 5:",
        "if flush and num_suited[suit] + with_a + with_b >= 4:",
        ("test_miximax.py",),
    ),
    Mistake(
        "pairs in hand are counted with order",
        "_count_by_ranks",
        "number = first * (first - 1) // 2",
        "number = first * (first - 1)",
        ("test_miximax.py",),
    ),
    Mistake(
        "a share of the pot without what we put in",
        "_fill_ends",
        "row[b] = share * 2 * chips - chips",
        "row[b] = share * 2 * chips",
        ("test_miximax.py",),
    ),
    Mistake(
        "chance of a deal without the opponent's cards",
        "RangeForecast._factors",
        "scale = comb(unseen, cards) / comb(unseen - size, cards)",
        "scale = 1.0",
        ("test_miximax.py",),
    ),
    Mistake(
        "an action by bars is never doubted",
        "_fill_triples",
        "rates[context], doubt, may_fold",
        "rates[context], 0.0, may_fold",
        ("test_vexbot.py",),
    ),
    Mistake(
        "a model is asked once for decisions that are not alike",
        "_ALIKE",
        '"round", "now", "call"',
        '("call",)',
        ("test_vexbot.py",),
    ),
    Mistake(
        "the next round is not averaged over its boards",
        "search",
        "@ deals.chances[round - 1].T",
        "@ np.sign(deals.chances[round - 1]).T",
        ("test_miximax.py",),
    ),
    Mistake(
        "who led is who raised last of all",
        "_walk",
        "latest[child], last[child], lead[child] = latest[node], last[node], lead[node]",
        "latest[child], last[child], lead[child] = latest[node], last[node], last[node]",
        ("test_vexbot.py",),
    ),
    Mistake(
        "who led is told from the wrong seat",
        "_who",
        "np.where(seats == player, PLAYER, OTHER)",
        "np.where(seats == player, OTHER, PLAYER)",
        ("test_vexbot.py",),
    ),
    Mistake(
        "showdowns forget the level's weight",
        "_fill_cumulative",
        "_move_ratios(shown[level, showdown[level, node]], tilts, strengths[level], coarse)",
        "_move_ratios(shown[level, showdown[level, node]], tilts, strengths[0], coarse)",
        ("test_vexbot.py",),
    ),
    Mistake(
        "public play: the other's actions are the player's",
        "_add_play",
        "reach[child, 1] *=",
        "reach[child, 0] *=",
        ("test_vexbot_classes.py",),
    ),
    Mistake(
        "public play: raises count those who folded",
        "PublicPlay.asked",
        "self.taken[:, CALL:].sum(axis=1)",
        "self.taken.sum(axis=1)",
        ("test_vexbot_classes.py",),
    ),
    Mistake(
        "correlation: a sequence is among the others of its class",
        "_Sums.correlation",
        "(self._sum[number] - weights * own)",
        "self._sum[number]",
        ("test_vexbot_classes.py",),
    ),
    Mistake(
        "correlation: classes of one sequence count",
        "_Sums.correlation",
        "np.bincount(self._number)[self._number] > 1",
        "np.bincount(self._number)[self._number] > 0",
        ("test_vexbot_classes.py",),
    ),
    Mistake(
        "explained: shifts are not weighed by their information",
        "_Sums.__init__",
        "departures.visits[:, None] * departures.scale**2",
        "departures.visits[:, None] * np.ones_like(departures.scale)",
        ("test_vexbot_classes.py",),
    ),
    Mistake(
        "strengths: what a level explains, not what it adds",
        "GroupMeasure.strengths",
        "-np.diff(np.append(self.explained, 0.0)) * self.spread",
        "self.explained * self.spread",
        ("test_vexbot_classes.py",),
    ),
    Mistake(
        "a long match counts as a short one",
        "VexbotSetup.long_cells",
        "self.opponents, self.long, self.seed",
        "self.opponents, self.hands, self.seed",
        ("test_reproduce_vexbot.py",),
    ),
)

PREDICTOR = (
    Mistake(
        "the style of a hand knows the hand itself",
        "fill_styles",
        "for i in range(first[h], first[h + 1]):\n"
        "    write_style(counts[player[i]], style[i])\n"
        "for i in range(first[h], first[h + 1]):\n"
        "    own = counts[player[i]]",
        "for i in range(first[h], first[h + 1]):\n"
        "    write_style(counts[player[i]], style[i])\n"
        "    own = counts[player[i]]",
        ("test_features.py",),
    ),
    Mistake(
        "pot odds without the call",
        "fill_features",
        "row[6] = to_call / (pot + to_call) if to_call > 0 else 0.0",
        "row[6] = to_call / max(pot, 1)",
        ("test_features.py",),
    ),
    Mistake(
        "seats that moved before a raise are not behind again",
        "_raise",
        "w[CALLS] = 0\nw[MOVED] = 0",
        "w[CALLS] = 0",
        ("test_features.py",),
    ),
    Mistake(
        "the ace of a board is not below the two",
        "_board_texture",
        "for low in range(-1, _RANKS - 4):",
        "for low in range(_RANKS - 4):",
        ("test_features.py",),
    ),
    Mistake(
        "a step of a net forgets who may not be",
        "train_step",
        "score[a] = np.exp(score[a] - top) if legal[row, a] else 0.0",
        "score[a] = np.exp(score[a] - top)",
        ("test_predictors.py",),
    ),
    Mistake(
        "the hidden layer learns from weights already changed",
        "train_step",
        "slope[j] += score[a] * w2[j, a]\nw2[j, a] -= rate * hidden[j] * score[a]",
        "w2[j, a] -= rate * hidden[j] * score[a]\nslope[j] += score[a] * w2[j, a]",
        ("test_predictors.py",),
    ),
    Mistake(
        "a value at the threshold of a tree goes right",
        "forest_scores",
        "if inputs[row, feature[node]] <= threshold[node] else right[node]",
        "if inputs[row, feature[node]] < threshold[node] else right[node]",
        ("test_predictors.py",),
    ),
    Mistake(
        "a window never forgets",
        "FrequencyTable._learn",
        "np.add.at(self.observed, self._recent.popleft(), -(self.decay**self.window))",
        "self._recent.popleft()",
        ("test_predictors.py",),
    ),
    Mistake(
        "members of a competition never learn",
        "CompetingPredictors.learn",
        "self._history.append(self.weighing.weights)\n"
        "for member in self.members.values():\n"
        "    member.learn(rows)",
        "self._history.append(self.weighing.weights)",
        ("test_predictors.py",),
    ),
    Mistake(
        "the past never fades from weights",
        "Weighing.judge",
        "faded = self.prior * (self.weights / self.prior) ** self.keep",
        "faded = self.weights",
        ("test_predictors.py",),
    ),
    Mistake(
        "a hand is learnt before it is foretold",
        "predict_in_order",
        "counted = part.take(part.chosen)\nif len(counted):",
        "counted = part.take(part.chosen)\n"
        "for predictor in predictors.values():\n"
        "    predictor.learn(part)\n"
        "if len(counted):",
        ("test_predicting.py",),
    ),
    Mistake(
        "bars from the frequencies of the next decision",
        "LokiModel._rates_at",
        "row = rows.take(np.array([len(rows) - 1 if number is None else number]))",
        "row = rows.take(np.array([len(rows) - 1]))",
        ("test_loki_predictor.py",),
    ),
)
"""Mistakes in features, predictors and how they are judged."""
PROFILE = (
    Mistake(
        "population: the spread keeps the chance in the counts",
        "_fit",
        "np.mean((mode - mean) ** 2 + variance)",
        "np.mean((mode - mean) ** 2 + 3 * variance)",
        ("test_profile.py",),
    ),
    Mistake(
        "population: stretches do not lose what the shift took",
        "_dispersion",
        "left = noise * (1 - noise / np.maximum(whole, 1e-300))",
        "left = 2 * noise",
        ("test_profile.py",),
    ),
    Mistake(
        "population: the dispersion does not widen intervals",
        "standing",
        "interval = wilson_interval(actions / phi, n / phi)",
        "interval = wilson_interval(actions, n)",
        ("test_profile.py",),
    ),
    Mistake(
        "population: the tail of the wrong side",
        "standing",
        "mirrored = times * (low_end + high_end) - count",
        "mirrored = count",
        ("test_profile.py",),
    ),
    Mistake(
        "deviations: every test by itself",
        "sure_scopes",
        "certain = benjamini_hochberg(np.array([found.tail for found in tested]), level)",
        "certain = np.array([found.tail <= 5 * level for found in tested])",
        ("test_profile.py",),
    ),
    Mistake(
        "deviations: play and result from the same hands",
        "result_slope",
        "in (halves, halves[::-1]):",
        "in ((half, half) for half in halves):",
        ("test_profile.py",),
    ),
    Mistake(
        "deviations: points of one player count as players",
        "weighted_slope",
        "scores = np.bincount(who, weights * (x - middle) * rest)",
        "scores = weights * (x - middle) * rest",
        ("test_profile.py",),
    ),
    Mistake(
        "luck: the side pot goes to all",
        "_layers",
        "tuple(seat for seat in live if spent[seat] >= stake)",
        "tuple(live)",
        ("test_profile.py",),
    ),
    Mistake(
        "luck: the rake is forgotten",
        "all_in",
        "kept = 1 - hand.rake / contested if contested else 1.0",
        "kept = 1.0",
        ("test_profile.py",),
    ),
    Mistake(
        "luck: dead cards may come",
        "pot_shares",
        "| set(board) | gone",
        "| set(board)",
        ("test_profile.py",),
    ),
    Mistake(
        "profile: examples of the opposite",
        "_examples",
        "if deviation.direction > 0 else np.setdiff1d(had, took)",
        "if deviation.direction < 0 else np.setdiff1d(had, took)",
        ("test_profile.py",),
    ),
    Mistake(
        "page: text is not escaped",
        "environment",
        "autoescape=True",
        "autoescape=False",
        ("test_profile_page.py",),
    ),
)

RELATIONAL = (
    Mistake(
        "a player who changes: the window keeps the first games",
        "games_learnt",
        "after[max(0, after.size - WINDOW) :]",
        "after[:WINDOW]",
        ("test_reproduce_relational.py",),
    ),
    Mistake(
        "a player who changes: the window forgets all before the change",
        "games_learnt",
        "before[max(0, before.size - (WINDOW - kept.size)) :]",
        "before[:0]",
        ("test_reproduce_relational.py",),
    ),
    Mistake(
        "a player who changes: the latest games since the change, not the first",
        "_decisions_learnt",
        "training_games(games, test, new, 0, SPLIT, seed)[:size]",
        "training_games(games, test, new, 0, SPLIT, seed)[-size:]",
        ("test_reproduce_relational.py",),
    ),
    Mistake(
        "the paper's own method is judged at few sizes",
        "TREES",
        '"tree", EVERYBODY',
        '"tree", "tree"',
        ("test_reproduce_relational.py",),
    ),
    Mistake(
        "relational: a relation is asked the wrong way round",
        "related",
        "if turned == 0:",
        "if turned == 1:",
        ("test_relational_tree.py",),
    ),
    Mistake(
        "relational: R may belong to any player, not only to a possible Q",
        "passes",
        "if q >> seat & 1:\n    r[seat] =",
        "if others(rows, i) >> seat & 1:\n    r[seat] =",
        ("test_relational_tree.py",),
    ),
    Mistake(
        "relational: a leaf leans on 1/2, not on the node above",
        "smoothed",
        "above[child] = p",
        "above[child] = 0.5",
        ("test_relational_tree.py",),
    ),
    Mistake(
        "relational: odds are probabilities",
        "smoothed",
        "odds[node] = np.log(p) - np.log1p(-p)",
        "odds[node] = np.log(p)",
        ("test_relational_tree.py",),
    ),
    Mistake(
        "relational: the no-branch has no part in the gain",
        "_best_test",
        "gains = likelihood(found) + likelihood(rest) - likelihood(total[None])",
        "gains = likelihood(found) - likelihood(total[None])",
        ("test_relational_tree.py",),
    ),
    Mistake(
        "sentences: of several lower bounds the weakest is told",
        "conditions_of",
        "test.b if low is None else max(low, test.b)",
        "test.b if low is None else min(low, test.b)",
        ("test_sentences.py",),
    ),
    Mistake(
        "sentences: cards that may not be shown are told as weak",
        "conditions_of",
        "(test.kind == QueryKind.CARD and shown)",
        "test.kind == Kind.CARD",
        ("test_sentences.py",),
    ),
    Mistake(
        "sentences: at most is one too many",
        "_count_words",
        "most = high - 1\nif low is None:",
        "most = high\nif low is None:",
        ("test_sentences.py",),
    ),
    Mistake(
        "claims: seen cards are not asked for",
        "with_queries",
        'source.hands(line.known, *of_line, "seen", *words)',
        "source.hands(line.known, *of_line, *words)",
        ("test_claims.py",),
    ),
    Mistake(
        "claims: a narrower game is forgotten",
        "shell_line",
        "query.game or (None if kind is None else kind.game)",
        "None if kind is None else kind.game",
        ("test_claims.py",),
    ),
    Mistake(
        "claims: a position is forgotten",
        "Scope.words",
        '(f"position:{self.place}",)',
        "()",
        ("test_claims.py",),
    ),
    Mistake(
        "profile: a check in the big blind is a limp",
        "after_decision",
        "action == CALL and max(state.spent) > state.spent[seat]",
        "action == CALL",
        ("test_modelled.py",),
    ),
    Mistake(
        "profile: a class of many holdings is darker",
        "LineRange.shades",
        "found = found / CELL_SIZES",
        "found = found / 1",
        ("test_profile.py",),
    ),
    Mistake(
        "relational: what no held-out game confirms is kept",
        "grow",
        "return stump(parts) if pruned is None else fill(pruned, examples, settings.smooth)",
        "return fill(pruned or full, examples, settings.smooth)",
        ("test_relational_tree.py",),
    ),
    Mistake(
        "relational: held-out games prune nothing",
        "prune",
        "if split > alone[node] + 1e-12:",
        "if True:",
        ("test_relational_tree.py",),
    ),
    Mistake(
        "relational: outcomes that look alike count once",
        "_normalise",
        "total += weight[e] * np.exp(scores[e] - top)",
        "total += np.exp(scores[e] - top)",
        ("test_relational_model.py",),
    ),
    Mistake(
        "relational: a hand mucked at the showdown counts as won",
        "games_of",
        "elif not hand.showdown or hand.payoffs[seat] > 0:",
        "else:",
        ("test_relational_model.py",),
    ),
    Mistake(
        "relational: fold is possible for a hand that is shown",
        "alternatives_of",
        "may_fold & (outcome == Outcome.LOSE)",
        "may_fold & (outcome != Outcome.WIN)",
        ("test_relational_model.py",),
    ),
    Mistake(
        "relational: types count hands that are kept apart",
        "_walk",
        "if allowed[hand]:",
        "if hand >= 0:",
        ("test_relational_model.py",),
    ),
    Mistake(
        "relational: bounds of types are learned from all hands",
        "learn_bounds",
        "players, tallies = roster.players[allowed], roster.tallies[allowed]",
        "players, tallies = roster.players, roster.tallies",
        ("test_relational_model.py",),
    ),
    Mistake(
        "relational: imagined holdings have cards of the board",
        "_impute",
        "if masks[h] & dead:\n    weights[h] = 0.0\ntotal",
        "total",
        ("test_relational_model.py",),
    ),
    Mistake(
        "relational: filling in hidden cards begins with even chances",
        "_fit_play",
        "play = sensible_play()",
        "play = nothing_known()",
        ("test_relational_model.py",),
    ),
    Mistake(
        "relational: priors are learned from test games too",
        "fit_priors",
        "~test[games.decisions.hand] & ~np.isin(games.player, players)",
        "~np.isin(games.player, players)",
        ("test_reproduce_relational.py",),
    ),
    Mistake(
        "relational: a prior knows the players it is judged on",
        "fit_priors",
        "~test[games.decisions.hand] & ~np.isin(games.player, players)",
        "~test[games.decisions.hand]",
        ("test_reproduce_relational.py",),
    ),
    Mistake(
        "situation: a call pays also what the seat does not have",
        "act",
        "total = min(w[HIGH], stack)",
        "total = w[HIGH]",
        ("test_situation.py",),
    ),
    Mistake(
        "situation: a short all-in reopens the betting",
        "may_raise",
        " or high - w[SPENT + seat] < full"
        " or (0 < w[SHORT_RAISE] < full and w[ACTED] >> seat & 1)",  # either is enough
        "",
        ("test_situation.py",),
    ),
    Mistake(
        "situation: the size of a raise is taken over the pot before the call",
        "size_class",
        "pot = pot_of(w) + to_call(w)\nreturn class_of(",
        "pot = pot_of(w)\nreturn class_of(",
        ("test_situation.py",),
    ),
)

PONSEN = (
    Mistake(
        "no-limit play-outs: what nobody matched is lost",
        "_side_winnings",
        "return int(won - min(w[SPENT + us], called))",
        "return int(won - w[SPENT + us])",
        ("test_nolimit_rollout.py",),
    ),
    Mistake(
        "no-limit play-outs: side pots are not merged before odd chips are dealt out",
        "_side_winnings",
        "while k < pots and claims[k] & winners == alive:",
        "while False:",
        ("test_nolimit_rollout.py",),
    ),
    Mistake(
        "no-limit play-outs: a fold gives back what was paid since",
        "play_out",
        "w[ACTOR] == us:\nreturn int(paid - w[SPENT + us])",
        "w[ACTOR] == us:\n    return 0",
        ("test_nolimit_rollout.py",),
    ),
    Mistake(
        "no-limit play-outs: the size of a raise is drawn with the number of the action",
        "choose",
        "rest = (drawn - fold - call) / raised",
        "rest = drawn",
        ("test_nolimit_rollout.py",),
    ),
    Mistake(
        "plain players: the call is not in the pot it is paid for",
        "Plain.decision",
        "view.to_call / (view.pot + view.to_call)",
        "view.to_call / view.pot",
        ("test_plain.py",),
    ),
    Mistake(
        "completed hands: where no raise is legal its chance is lost",
        "CompletedModel._completed",
        "chance = chance / (table[:, FOLD] + table[:, CALL])",
        "chance = chance / 1",
        ("test_completed.py",),
    ),
    Mistake(
        "completed hands: shown cards are completed like hidden ones",
        "CompletedModel.update",
        "if hole is not None and len(hole) == 2:",
        "if hole is None and seat < 0:",
        ("test_completed.py",),
    ),
    Mistake(
        "completed hands: a factor expects what the prior does, not the step before",
        "fitted",
        "seen, expected = counts.sum(axis=1, keepdims=True), (had * found).sum(axis=1, keepdims=True)",
        "seen, expected = counts.sum(axis=1, keepdims=True), (had * prior).sum(axis=1, keepdims=True)",
        ("test_completed.py",),
    ),
    Mistake(
        "crowd: every seat is asked by the trees of the first",
        "ask_actions",
        "roots = trees.action_roots[seat, min(round, 1)]",
        "roots = trees.action_roots[0, min(round, 1)]",
        ("test_table_trees.py",),
    ),
    Mistake(
        "play-outs: a chunk is planned as if the whole budget were left",
        "run_chunks",
        "min(SLICE, begun + limits.budget - now), now - before",
        "min(SLICE, limits.budget), now - before",
        ("test_rollout.py",),
    ),
    Mistake(
        "play-outs: the speed is that of all chunks, not of the last one",
        "run_chunks",
        "now - before, played - last)",
        "now - before, played)",
        ("test_rollout.py",),
    ),
    Mistake(
        "ponsen: a board's texture is that of the round before",
        "apply_action",
        "s.state[_TEXTURED] = 0",
        "pass",
        ("test_situation.py",),
    ),
    Mistake(
        "ponsen: the dearest of actions that look alike is taken",
        "Outlook.careful",
        "if found == best or top - worth <= margin * self.error(best, found):",
        "if found == best:",
        ("test_ponsen.py",),
    ),
)
"""Mistakes in no-limit play-outs, models and play."""
LOCKS = (
    Mistake(
        "two kinds: the probability of the wrong kind",
        "RegretMinimiser._opposing",
        "np.multiply(plan, plan.dtype.type(1 - restriction.p), out=kinds.room.q)",
        "np.multiply(plan, plan.dtype.type(restriction.p), out=kinds.room.q)",
        ("test_kinds.py",),
    ),
    Mistake(
        "two kinds: the best value of the free kind alone",
        "Restriction.best_value",
        "return self.p * self.bound_value(gradient) + (1 - self.p) * float(q[0])",
        "return float(q[0])",
        ("test_kinds.py",),
    ),
    Mistake(
        "two kinds: the bound kind is not bound",
        "RegretMinimiser._start_kinds",
        "bound = bound._replace(anchor=empty, share=1.0, **forced._asdict())",
        "bound = bound._replace(anchor=empty, share=1.0)",
        ("test_kinds.py",),
    ),
    Mistake(
        "arrivals without the pair that is the same hand",
        "met_by",
        "found: Array = weights.sum() - with_card[HAND_CARDS].sum(axis=1) + weights",
        "found: Array = weights.sum() - with_card[HAND_CARDS].sum(axis=1)",
        ("test_locks.py",),
    ),
    Mistake(
        "frequencies over hands that never come",
        "fit_frequencies",
        "beta = weights / total",
        "beta = np.full(states, 1 / states)",
        ("test_locks.py",),
    ),
    Mistake(
        "actions that are not named share alike",
        "target_frequencies",
        "target[rest] = max(0.0, 1 - total) * _proportions(before[rest])",
        "target[rest] = max(0.0, 1 - total) / len(rest)",
        ("test_locks.py",),
    ),
    Mistake(
        "uniform play where the average never comes",
        "settled",
        "thin = average[tree.parent_sequence[sets]] < _THIN",
        "thin = average[tree.parent_sequence[sets]] < 0",
        ("test_locks.py",),
    ),
    Mistake(
        "the certificate believes the lock",
        "LockCurve.cost",
        "return self.equilibrium.worst - answer.worst",
        "return self.equilibrium.at_least - answer.at_least",
        ("test_locks.py",),
    ),
    Mistake(
        "a lock's own confidence is forgotten",
        "restriction_of",
        "replace(lock, confidence=trust * lock.confidence)",
        "replace(lock, confidence=np.full_like(lock.confidence, trust))",
        ("test_locks.py",),
    ),
    Mistake(
        "if right: against the equilibrium",
        "trust_curve",
        "now[:] = np.where(lock.confidence > 0, lock.model, now)",
        "now[:] = np.where(lock.confidence > 2, lock.model, now)",
        ("test_locks.py",),
    ),
    Mistake(
        "a bet as part of the pot after it",
        "heads_up",
        "part = to_call / max(state.pot - to_call, 1)",
        "part = to_call / max(state.pot + 10 * to_call, 1)",
        ("test_spot_hands.py",),
    ),
    Mistake(
        "the caller has the initiative",
        "situation_at",
        '"other" if closing.player == player else "own"',
        '"own" if closing.player == player else "other"',
        ("test_spot_hands.py",),
    ),
    Mistake(
        "the deeper stack counts",
        "_betting",
        "stack = min(begin.stacks[seat] for seat in seats)",
        "stack = max(begin.stacks[seat] for seat in seats)",
        ("test_spot_hands.py",),
    ),
    Mistake(
        "boards count once each",
        "row_of",
        'count * float(values["weight"])',
        'float(values["weight"])',
        ("test_spot_hands.py",),
    ),
)
"""Mistakes in locks of spots, trust in them, spots from hands, and many boards."""

SURROUNDINGS = (
    Mistake(
        "any file is replaced",
        "verify_kind",
        "found not in (None, kind)",
        "found in (None, kind)",
        ("test_surroundings.py",),
    ),
    Mistake(
        "force stays on",
        "replacing_anything",
        "_FORCED.reset(before)",
        "_FORCED.set(True)",
        ("test_surroundings.py",),
    ),
    Mistake(
        "the password of the user part is not known",
        "_secrets",
        'match[0].rstrip("@").partition(":")[2]',
        'match[0].rstrip("@").partition(":")[0]',
        ("test_surroundings.py",),
    ),
    Mistake(
        "a closed stream stays closed",
        "keep_standard_streams",
        "range(3)",
        "range(0)",
        ("test_surroundings.py",),
    ),
    Mistake(
        "flushes of hands in play-outs by the wrong masks",
        "_fill_ranks",
        "mask + hands[1, h]",
        "mask",
        ("test_rollout.py",),
    ),
)
"""Mistakes in what surrounds a command: files of another kind, streams, secrets; and in dealing."""

FOREIGN_TEXT = (
    Mistake(
        "characters that nobody sees stay hidden",
        "printable",
        "if text.isprintable() and not _HIDDEN.search(text):",
        "if text.isprintable():",
        ("test_terminal.py",),
    ),
    Mistake(
        "bars read markup",
        "_bar",
        'TextColumn("{task.description}", markup=False)',
        'TextColumn("{task.description}")',
        ("test_terminal.py",),
    ),
    Mistake(
        "the last gate is open",
        "PlainConsole.render",
        'segment._replace(text=printable(segment.text, keep="\\n"))',
        "segment",
        ("test_terminal.py",),
    ),
    Mistake(
        "figures draw what they are given",
        "_page",
        "_shown(figure).compose(pyplot)",
        "figure.compose(pyplot)",
        ("test_terminal.py",),
    ),
    Mistake(
        "a minus begins no formula",
        "_FORMULA",
        '("=", "+", "-", "@")',
        '("=", "+", "@")',
        ("test_terminal.py",),
    ),
    Mistake(
        "numbers of a sheet become text",
        "_field",
        "if not isinstance(value, str):",
        "if value is None:",
        ("test_terminal.py",),
    ),
    Mistake(
        "names in numbers stay",
        "Anonymiser.label",
        "if not any(name.casefold() in folded for name in players):",
        "if text:",
        ("test_anonymise.py",),
    ),
    Mistake(
        "tables stay",
        "Anonymiser.hand",
        'self.label("table", hand.table, names)',
        "hand.table",
        ("test_anonymise.py",),
    ),
    Mistake(
        "a quotation that was cut is kept",
        "_QUOTED",
        r"(?:\1|$)",
        r"\1",
        ("test_anonymise.py",),
    ),
    Mistake(
        "errors that end an import name files",
        "import_hands",
        "if places is None: raise",
        "raise",
        ("test_anonymise.py",),
    ),
)
"""Mistakes in showing what other people wrote, and in hiding names."""
SHARING = (
    Mistake(
        "hands come as they are read, not in order",
        "_Sharing._share",
        "self._queue.append(batch)",
        "self._queue.appendleft(batch)",
        ("test_sharing.py",),
    ),
    Mistake(
        "a worker that ends takes its hands with it",
        "_Sharing._lose",
        "batch.worker = None",
        "batch.worker, batch.found = None, []",
        ("test_sharing.py",),
    ),
    Mistake(
        "an error of the files is forgotten",
        "_Sharing.hands",
        "self._error is not None",
        "self._error is None and False",
        ("test_sharing.py",),
    ),
    Mistake(
        "files are cut to their end at once",
        "_Sharing._share",
        "while len(helper.given) < helper.most and len(self._queue) < AHEAD",
        "while True",
        ("test_sharing.py",),
    ),
    Mistake(
        "hands from workers have the kind of the first",
        "read_answer",
        "*known[kind]",
        "*known[0]",
        ("test_sharing.py",),
    ),
    Mistake(
        "workers are not ended",
        "_Sharing.__exit__",
        "helper.process.end()",
        "pass",
        ("test_sharing.py",),
    ),
)
"""Mistakes in sharing the reading of hands among processes."""
APART = (
    Mistake(
        "foreign agents: a pass keeps the process of the pass before",
        "Match._made_anew",
        "_seated(spec, self.game, self.clock) if spec.foreign else agent",
        "agent",
        ("test_apart.py",),
    ),
    Mistake(
        "foreign agents: the guardian forgets processes that cut themselves loose",
        "_end_children",
        "for child in _children():",
        "for child in ():",
        ("test_apart.py",),
    ),
    Mistake(
        "foreign agents: True is an action",
        "chosen",
        "isinstance(action, Integral) and not isinstance(action, bool)",
        "isinstance(action, Integral)",
        ("test_apart.py",),
    ),
    Mistake(
        "foreign agents: the stream of the agent stays where it was",
        "ApartAgent.act",
        "rng.bit_generator.state = state",
        "",
        ("test_apart.py",),
    ),
    Mistake(
        "foreign agents: the last hand of a pass is told and not waited for",
        "Match._play_pass",
        "_settle(self.agents)",
        "",
        ("test_apart.py",),
    ),
)

SURVIVORS = (
    Mistake(
        "loki: tables are kept without their board",
        "LokiModel.table",
        "(view.game, seat, board_at(view.board, made.round), view.actions[: n + 1])",
        "(view.game, seat, view.actions[: n + 1])",
        ("test_loki_model.py",),
    ),
    Mistake(
        "loki: spreads slide by twice the prior",
        "LokiModel._rates_of",
        "seen / (self.prior + seen)",
        "seen / (2 * self.prior + seen)",
        ("test_loki_model.py",),
    ),
    Mistake(
        "predictors: a hand that leaves the window had faded once less",
        "FrequencyTable._learn",
        "-(self.decay**self.window)",
        "-(self.decay ** (self.window - 1))",
        ("test_predictors.py",),
    ),
    Mistake(
        "predictors: chances of a hand are averaged",
        "CompetingPredictors.learn",
        "[taken].prod()",
        "[taken].mean()",
        ("test_predictors.py",),
    ),
    Mistake(
        "deviation: observations are shared out without chance",
        "DeviationModel.observations",
        "public.chance(n) * plan[public.tree.parent_sequence[sets]]",
        "plan[public.tree.parent_sequence[sets]]",
        ("test_deviation.py",),
    ),
    Mistake(
        "deviation: buckets are weighed without chance",
        "SeatDeviation.bucket_probabilities",
        "self.public.chance(n) * plan[parents]",
        "plan[parents]",
        ("test_deviation.py",),
    ),
    Mistake(
        "formula: the bar for raising is that of a bet less",
        "bars_now",
        "RAISE_BARS[spot.bets]",
        "RAISE_BARS[spot.bets - 1]",
        ("test_formula.py",),
    ),
    Mistake(
        "statistics: a stack on the border counts below",
        "_stack_codes",
        'np.digitize(seats["stack"], _STACKS)',
        'np.digitize(seats["stack"], _STACKS, right=True)',
        ("test_store.py",),
    ),
    Mistake(
        "population: a table on the border counts below",
        "strata",
        'np.digitize(seats["players"], _SIZES)',
        'np.digitize(seats["players"], _SIZES, right=True)',
        ("test_profile.py",),
    ),
    Mistake(
        "predicting: hands before the cut count for nobody",
        "study_predictor",
        "_teach(predictor, rows.take(before))",
        "pass",
        ("test_predicting.py",),
    ),
    Mistake(
        "skews: ties are not halved",
        "strength_ranks",
        "np.cumsum(weights) - weights / 2",
        "np.cumsum(weights) - weights",
        ("test_skews.py",),
    ),
    Mistake(
        "pcfr+: the average is linear",
        "PredictiveCFRPlus",
        "gamma=2",
        "gamma=1",
        ("test_solve_cfr.py",),
    ),
    Mistake(
        "leaks: every worth is shown as sure",
        "leaks_table",
        'f"{leak.sure_worth:+.0f}" if leak.certain else "no"',
        'f"{leak.sure_worth:+.0f}"',
        ("test_report_leaks.py",),
    ),
    Mistake(
        "leaks: too often and too rarely are swapped",
        "leaks_table",
        "leak.deviation > 0",
        "leak.deviation < 0",
        ("test_report_leaks.py",),
    ),
    Mistake(
        "strength: EHS is that of one opponent",
        "print_strength",
        "ahead.ehs(opponents)",
        "ahead.ehs(1)",
        ("test_cli.py",),
    ),
    Mistake(
        "hands: the pot is shown twice as large",
        "_search_row",
        "shown_amount(played.pot_chips, hand.stakes)",
        "shown_amount(2 * played.pot_chips, hand.stakes)",
        ("test_cli_hands.py",),
    ),
    Mistake(
        "predicting: base rates do not know earlier hands",
        "predict_in_order",
        "_count(earlier.take(earlier.chosen), whole, by_legal)",
        "pass",
        ("test_predicting.py",),
    ),
    Mistake(
        "predicting: earlier hands are not counted",
        "predict_in_order",
        "numbers + (0 if earlier is None else np.unique(earlier.hand).size)",
        "numbers",
        ("test_predicting.py",),
    ),
    Mistake(
        "equities: a tie wins nothing",
        "_shares",
        "(chances + win.sum(axis=1) - win.sum(axis=0)) / 2",
        "win.sum(axis=1)",
        ("test_skews.py",),
    ),
)
"""Mistakes that no test noticed once."""

THIRTY = (
    Mistake(
        "grid: a table that is too wide is not cut",
        "_parts",
        "used + more > width",
        "used > width",
        ("test_rough_handling.py",),
    ),
    Mistake(
        "grid: a part of a table has no first column",
        "_parts",
        "parts.append([0])",
        "parts.append([])",
        ("test_rough_handling.py",),
    ),
    Mistake(
        "figures: the actions of a cell lie on each other",
        "GridFigure.compose",
        "left += float(share)",
        "left += 0.0",
        ("test_printed.py",),
    ),
    Mistake(
        "figures: a band is a line",
        "_draw_curves",
        "axes.fill_between(curve.x, curve.low, curve.high",
        "axes.fill_between(curve.x, curve.low, curve.low",
        ("test_printed.py",),
    ),
    Mistake(
        "solve: the worst case is that of the other seat",
        "print_solved",
        "judgement.worst_cases[seat]",
        "judgement.worst_cases[1 - seat]",
        ("test_printed.py",),
    ),
    Mistake(
        "solve: millibets are counted in chips",
        "_chips_text",
        "Unit.MILLIBETS.per_chip(small_bet, 1)",
        "Unit.MILLIBETS.per_chip(1, 1)",
        ("test_printed.py",),
    ),
    Mistake(
        "promise: one that may be broken is kept",
        "_state",
        "low > 0",
        "high > 0",
        ("test_printed.py",),
    ),
    Mistake(
        "promise: more and less are swapped",
        "_verdict",
        "kept.mean >= 0",
        "kept.mean < 0",
        ("test_printed.py",),
    ),
    Mistake(
        "duel: the ends of the watched interval are swapped",
        "print_match",
        "{watched[0]:+.4f} and {watched[1]:+.4f}",
        "{watched[1]:+.4f} and {watched[0]:+.4f}",
        ("test_printed.py",),
    ),
    Mistake(
        "curve: hands that are held out are learnt from",
        "_part",
        "[*hands[:first], *hands[end:]]",
        "hands",
        ("test_held_out.py",),
    ),
    Mistake(
        "curve: held-out worth counts both seats whole",
        "_held_out",
        "@ plan / 2",
        "@ plan",
        ("test_held_out.py",),
    ),
    Mistake(
        "curve: the error of a mean over parts is that of their sum",
        "_mean",
        "math.hypot(*(worth.standard_error for worth in worths)) / len(worths)",
        "math.hypot(*(worth.standard_error for worth in worths))",
        ("test_printed.py",),
    ),
    Mistake(
        "curve: every resample is the same",
        "HeldOutPart.strategies",
        "times[self.hands[seat]].astype(np.float64)",
        "np.ones(self.hands[seat].size)",
        ("test_printed.py",),
    ),
    Mistake(
        "promise: the value of the game counts as won",
        "_study",
        "(result.profits[:, :, agent] - notes.value) * scale",
        "result.profits[:, :, agent] * scale",
        ("test_printed.py",),
    ),
    Mistake(
        "promise: luck of the first agent is taken off both",
        "_study",
        "result.less_luck is not None and agent == 0",
        "result.less_luck is not None",
        ("test_printed.py",),
    ),
    Mistake(
        "promise: a part begins a hand too early",
        "_part",
        "first + 1,",
        "first,",
        ("test_promise.py",),
    ),
    Mistake(
        "promise: foresight is turned round",
        "_foresight",
        "sampling.ratio(model - equilibrium, asked)",
        "sampling.ratio(equilibrium - model, asked)",
        ("test_promise.py",),
    ),
    Mistake(
        "scores: the confusion is turned round",
        "confusion",
        "(action, chances.argmax(axis=1))",
        "(chances.argmax(axis=1), action)",
        ("test_predicting.py",),
    ),
    Mistake(
        "tasks: another version has the same key",
        "Task.text",
        '"version": self.version',
        '"version": 1',
        ("test_reproduce.py",),
    ),
    Mistake(
        "tasks: the result of another task is taken",
        "ResultStore.load",
        'made["task"] != task.text',
        "False",
        ("test_printed.py",),
    ),
    Mistake(
        "tasks: progress forgets what was kept",
        "try_tasks",
        "finished = len(every) - len(missing)",
        "finished = 0",
        ("test_reproduce.py",),
    ),
    Mistake(
        "cache: a bundle under another name is taken",
        "_open",
        "recipe.key != path.name",
        "False",
        ("test_cache.py",),
    ),
    Mistake(
        "cache: a damaged array is taken",
        "_open",
        'verify_file(file, expected["digest"])',
        "pass",
        ("test_cache.py",),
    ),
    Mistake(
        "cache: arrays can be written to",
        "_in_memory",
        "array.flags.writeable = False",
        "pass",
        ("test_cache.py",),
    ),
    Mistake(
        "play-outs: a fold keeps what was paid",
        "play_out",
        "if action == FOLD and seat == us:\n    return int(paid - w[SPENT + us])",
        "if action == FOLD and seat == us:\n    return 0",
        ("test_rollout.py",),
    ),
    Mistake(
        "play-outs: raises are compared with folding",
        "Outlook.error",
        "self.errors[place] if other == FOLD else self.apart[place][self.actions.index(other)]",
        "self.errors[place]",
        ("test_printed.py",),
    ),
    Mistake(
        "play-outs: a careful player folds what is best",
        "Outlook.careful",
        "top <= margin * self.error(best)",
        "top >= margin * self.error(best)",
        ("test_ponsen.py",),
    ),
    Mistake(
        "play-outs: too few are called clear",
        "run_chunks",
        "found.playouts >= ENOUGH and ",
        "",
        ("test_printed.py",),
    ),
    Mistake(
        "play-outs: a call faces the bars of a bet more",
        "play_out",
        "(owed + size - 1) // size",
        "owed // size",
        ("test_rollout.py",),
    ),
    Mistake(
        "estimate: the error of a difference is that of one",
        "Estimate.minus",
        "math.hypot(self.standard_error, other.standard_error)",
        "self.standard_error",
        ("test_estimate.py",),
    ),
    Mistake(
        "estimate: hands of a learning match are samples",
        "Sampling._sums",
        "if not self.learning:",
        "if not self.learning or self.matches == 1:",
        ("test_printed.py",),
    ),
    Mistake(
        "words: one of many is plural",
        "plural",
        "count == 1",
        "count < 1",
        ("test_printed.py",),
    ),
)
"""Mistakes in printers, studies, caches, play-outs and intervals."""

PEOPLE = (
    Mistake(
        "facts of an alias stay with the other name",
        "Joined.owners",
        "return self.heads[numbers] if self.heads.size else numbers",
        "return numbers",
        ("test_people.py",),
    ),
    Mistake(
        "players of one hand may be one person",
        "verify_apart",
        "shared = numbers[counts > 1]",
        "shared = numbers[counts > 2]",
        ("test_people.py",),
    ),
    Mistake(
        "a dealer's record has heroes",
        "dealt_to",
        "if any(cards is None for cards in hand.hole):",
        "if True:",
        ("test_people.py",),
    ),
    Mistake(
        "a pause of just 30 minutes is none",
        "cut_sessions",
        "np.diff(times) >= 60 * pause",
        "np.diff(times) > 60 * pause",
        ("test_player.py",),
    ),
    Mistake(
        "the band grows with n, not with its root",
        "_line",
        "half_band=_NORMAL_95 * spread * np.sqrt(places)",
        "half_band=_NORMAL_95 * spread * places",
        ("test_player.py",),
    ),
    Mistake(
        "leaks whose cost is not clear come first",
        "_dearest",
        "return not leak.costs,",
        "return leak.costs,",
        ("test_player.py",),
    ),
)


BASELINE = (
    Mistake(
        "charts: dead chips are not won by a steal",
        "push_fold_game",
        "rules.small_blind + rules.ante + half, 1 + rules.ante + half",
        "rules.small_blind + rules.ante + half, 1 + rules.ante",
        ("test_baseline.py",),
    ),
    Mistake(
        "charts: an all-in risks the stack and the ante",
        "push_fold_game",
        "[-folded, stolen, rules.stack + half]",
        "[-folded, stolen, rules.stack + rules.ante + half]",
        ("test_baseline.py",),
    ),
    Mistake(
        "charts: calls are counted over all holdings, not those that are faced",
        "PushFold.call_rate",
        "float(faced @ self.call / faced.sum())",
        "float(CELL_SIZES @ self.call / CELL_SIZES.sum())",
        ("test_baseline.py",),
    ),
    Mistake(
        "charts: a smaller raise is an all-in",
        "_short_decision",
        "spent[seat] >= chips - 1e-9",
        "spent[seat] >= 0",
        ("test_baseline.py",),
    ),
    Mistake(
        "charts: antes of those who folded are not in the pot",
        "_rules",
        "dead += post.amount",
        "dead += 0",
        ("test_baseline.py",),
    ),
    Mistake(
        "charts: a habit within the slack is off",
        "Habit.p_value",
        "self.equilibrium - self.slack",
        "self.equilibrium",
        ("test_baseline.py",),
    ),
    Mistake(
        "charts: frequencies do not follow the hands that come there",
        "preflop_charts",
        "weight = own * (pairs @ other)",
        "weight = pairs @ other",
        ("test_baseline.py",),
    ),
    Mistake(
        "plan: the small tree of a flop lets everybody lead",
        "flop_betting",
        "if raiser == 1 else FLOP_BET",
        "if raiser == 2 else FLOP_BET",
        ("test_plan.py",),
    ),
    Mistake(
        "plan: a raise that the tree lacks is left out",
        "_within",
        "_INSTEAD.get(word, word)",
        "word",
        ("test_plan.py",),
    ),
    Mistake(
        "plan: unlikely holdings stay",
        "likely",
        "part * weights.max()",
        "0.0 * weights.max()",
        ("test_plan.py",),
    ),
)
"""Mistakes in charts of equilibria and in the trees of plans."""

TABLE = (
    Mistake(
        "matchstate: all cards are told once the hand is over",
        "matchstate_line",
        "seat == position or (showdown and not out)",
        "seat == position or state.player < 0",
        ("test_table.py",),
    ),
    Mistake(
        "matchstate: a reader forgets that cards were shown",
        "MatchReader._shown",
        "return state.with_cards(dealt)",
        "return state",
        ("test_table.py",),
    ),
    Mistake(
        "acpc: a raise that is too large is a call",
        "read_reply",
        "if _SIZE.fullmatch(code) and raises:",
        "if False:",
        ("test_table.py",),
    ),
    Mistake(
        "gamedef: other raises are taken for ours",
        "_scale_of",
        'pairs.append((_padded(values.get("raisesize", ()), rounds), rules.raise_sizes))',
        "pass",
        ("test_table.py",),
    ),
    Mistake(
        "dealer: seats move on the other way",
        "MatchTerms.seating",
        "(place + turned) % count",
        "(place - turned) % count",
        ("test_table.py",),
    ),
    Mistake(
        "dealer: a reply to another state counts",
        "Dealer.receive",
        'if not line.startswith(told) or line[len(told) : len(told) + 1] != ":":',
        "if not line.startswith(told[:9]):",
        ("test_table.py",),
    ),
    Mistake(
        "player: a hand that is told twice counts twice",
        "SeatedAgent._end",
        "if number == self._over:",
        "if False:",
        ("test_table.py",),
    ),
    Mistake(
        "player: draws go on from hand to hand",
        "HandStreams.of_hand",
        "if number != self._number:",
        "if self._number is None:",
        ("test_table.py",),
    ),
    Mistake(
        "journal: an action of another hand is played again",
        "MatchFiles._play_on",
        "if number < logged:",
        "if number < logged - 1:",
        ("test_serve.py",),
    ),
    Mistake(
        "journal: hands that the log does not have stay out of it",
        "MatchFiles._play_on",
        "if missing:",
        "if False:",
        ("test_serve.py",),
    ),
    Mistake(
        "player: a state that was overtaken is answered",
        "SeatedAgent.receive_all",
        "place < last",
        "False",
        ("test_serve.py",),
    ),
    Mistake(
        "matchstate: a reader keeps a state for both positions",
        "MatchReader.read",
        "self._points[position, betting, cards] = _Point(state)",
        'self._points["1", betting, cards] = self._points["0", betting, cards] = _Point(state)',
        ("test_table.py",),
    ),
    Mistake(
        "table: finished hands wait for the log until many are there",
        "MatchTable._reply",
        "self._log()",
        "pass",
        ("test_serve.py",),
    ),
    Mistake(
        "table: the clock does not run while somebody sends comments",
        "MatchTable._reply",
        "patience = began + (left if told_others else PROMPTLY) - time.monotonic()",
        "patience = left",
        ("test_serve.py",),
    ),
    Mistake(
        "table: a flood of comments holds the table",
        "MatchTable._reply",
        "if told_others and patience <= 0:",
        "if False:",
        ("test_serve.py",),
    ),
    Mistake(
        "matchstate: a reader does not look at the form of the board",
        "MatchReader._dealt",
        "raise ValueError",
        "pass",
        ("test_table.py",),
    ),
    Mistake(
        "table: an action is told before it is kept",
        "MatchTable._act",
        "if self._keeper is not None:",
        "if self._keeper is not None and not dealer.hand_over:",
        ("test_serve.py",),
    ),
    Mistake(
        "reception: any version will do",
        "Reception._hear",
        "if version is None or version[:2] != (2, 0):",
        "if version is None:",
        ("test_serve.py",),
    ),
    Mistake(
        "punctual: an agent may use all of its limit",
        "PunctualAgent.act",
        "began + SHARE * limit",
        "began + limit",
        ("test_punctual.py",),
    ),
    Mistake(
        "punctual: the equilibrium stands in for ever",
        "PunctualAgent._take",
        "self._answer = TabularAgent(",
        "_ = TabularAgent(",
        ("test_punctual.py",),
    ),
    Mistake(
        "coach: the opponent's holdings are those of the deal",
        "ActionWorth._met",
        "dealt @ plan[self._rows_before(1 - self.seat, node)]",
        "dealt.sum() * plan[self._rows_before(1 - self.seat, node)].mean()",
        ("test_coach.py",),
    ),
    Mistake(
        "coach: where an opponent never comes, the present range is divided by next to nothing",
        "ActionWorth.values",
        "reached = met > RARELY * dealt",
        "reached = met > 0",
        ("test_coach.py",),
    ),
    Mistake(
        "coach: an opponent who is led somewhere takes the first action there",
        "ActionWorth._led",
        "led[first + chosen * width : first + (chosen + 1) * width] = 1",
        "led[first : first + width] = 1",
        ("test_coach.py",),
    ),
    Mistake(
        "coach: the agent's strategy is that of the player's seat",
        "Coach._decision",
        "behaviour_in(self.game, self.equilibrium, agent.strategy, other)",
        "behaviour_in(self.game, self.equilibrium, agent.strategy, view.seat)",
        ("test_coach.py",),
    ),
    Mistake(
        "person: a size counts the chips of the whole hand",
        "put_in_before",
        "return state.spent[view.seat]",
        "return 0",
        ("test_table.py",),
    ),
    Mistake(
        "person: a part of the pot is that before the call",
        "typed_action",
        "round(part * (view.pot + view.to_call))",
        "round(part * view.pot)",
        ("test_table.py",),
    ),
    Mistake(
        "sitting: the draws of a resumed hand begin anew",
        "Sitting._catch_up",
        "if player and len(state.actions) >= led:",
        "if False:",
        ("test_sitting.py",),
    ),
    Mistake(
        "sitting: a hand is in the log before it is in the store",
        "Sitting.finish",
        "store.add([hand])\nself._files.finish(self.dealer.log_line())",
        "self._files.finish(self.dealer.log_line())\nstore.add([hand])",
        ("test_sitting.py",),
    ),
    Mistake(
        "sitting: hands of all sessions have the same names",
        "Sitting.finish",
        'id=f"{self.session.mark}-{number}"',
        "id=str(number)",
        ("test_sitting.py",),
    ),
    Mistake(
        "tournament: encounters count as if they were independent",
        "Tournament.estimate",
        "return Sampling(won.shape[0], won.shape[1], learning, duplicate=True).estimate(won)",
        "all = self.encounters\n"
        "parts = [Estimate.of(w * all[i].won[:, :, s].mean(1)) for (i, s), w in weights.items()]\n"
        "return Estimate.average(parts).scaled(len(parts))",
        ("test_tournament.py",),
    ),
    Mistake(
        "tournament: a run-off keeps the totals of all encounters",
        "Tournament.run_off",
        "self._order(name for name, _ in rest) if len(rest) >= self.seats else rest",
        "rest",
        ("test_tournament.py",),
    ),
    Mistake(
        "tournament: many comparisons are as good as one",
        "Tournament.is_ahead",
        "<= MOST_WRONG / comparisons",
        "<= MOST_WRONG",
        ("test_tournament.py",),
    ),
    Mistake(
        "tournament: intervals of a fixed number of matches although one looked after each",
        "chance_of_lead",
        "if at_any_time:",
        "if at_any_time and estimate.n < 30:",
        ("test_tournament.py",),
    ),
    Mistake(
        "tournament: a round counts before all of its matches are there",
        "_Rounds._is_complete",
        "number < len(self._tasks) and all(",
        "number < len(self._tasks) and any(",
        ("test_tournament.py",),
    ),
    Mistake(
        "tournament: winnings of a ring stay in the order of the seats",
        "_chips",
        "profits[:, [seating.index(agent) for agent in encounter.agents]]",
        "profits",
        ("test_tournament.py",),
    ),
    Mistake(
        "dealer: at a showdown those who folded show their cards",
        "Dealer._ends_of_showdown",
        '("" if out else name)',
        "name",
        ("test_table.py",),
    ),
    Mistake(
        "dealer: who has folded no longer sees their own cards at the showdown",
        "Dealer._ends_of_showdown",
        "self._names[position], *shown[position + 1 :]",
        "shown[position], *shown[position + 1 :]",
        ("test_table.py",),
    ),
    Mistake(
        "clock: the account of a match is that of one hand",
        "Clock.left",
        "limits.mean * self.hands - self.match[player]",
        "limits.mean - self.match[player]",
        ("test_table.py",),
    ),
    Mistake(
        "journal: a resumed match gives everybody the whole time again",
        "MatchFiles._play_on",
        "used[who] += seconds",
        "pass",
        ("test_serve.py",),
    ),
    Mistake(
        "journal: half a line stays in the file, and the next one is written behind it",
        "_Growing.lines",
        "os.ftruncate(self._handle, whole)",
        "pass",
        ("test_serve.py",),
    ),
    Mistake(
        "lines: half a reply is not acknowledged",
        "LineSocket.receive",
        "self._unacknowledged = self._is_tcp",
        "self._unacknowledged = False",
        ("test_serve.py",),
    ),
    Mistake(
        "reception: a client may fill the memory before the match",
        "Reception._hear",
        "if client.lines.held > MOST_EARLY:",
        "if False:",
        ("test_serve.py",),
    ),
    Mistake(
        "player: a resumed match is learnt with everybody's cards",
        "SeatedAgent.learn",
        "self._tell(seen_by(state, position, self._names[position], id=hand.id))",
        "self._tell(hand)",
        ("test_table.py",),
    ),
    Mistake(
        "punctual: earlier decisions of a hand take no time from later ones",
        "PunctualAgent.act",
        "self.hand - self._used",
        "self.hand",
        ("test_punctual.py",),
    ),
    Mistake(
        "contents: an edited module is the same player",
        "files_of",
        "(*_files(text), *_modules(named))",
        "_files(text)",
        ("test_tournament.py",),
    ),
)
"""Mistakes at the table: lines of the ACPC protocol, the dealer and its files, agents in time, a person."""

MEMORY = (
    Mistake(
        "same player: the forecast anew knows earlier matches too",
        "SamePlayerTest.add",
        "forecast(decision, self._present) /",
        "forecast(decision, self._before) /",
        ("test_same_player.py",),
    ),
    Mistake(
        "same player: the sum does not begin again at zero",
        "SamePlayerTest.add",
        "max(0.0, self.sum + math.log(better))",
        "self.sum + math.log(better)",
        ("test_same_player.py",),
    ),
    Mistake(
        "same player: matches before a change count again in the next one",
        "SamePlayerTest.begin",
        "if not self.same:",
        "if False:",
        ("test_same_player.py",),
    ),
    Mistake(
        "memory: hands of the same seed are recalled",
        "Memory.recollection",
        "if mark is not None and hand.id.startswith",
        "if mark is None and hand.id.startswith",
        ("test_memory.py",),
    ),
    Mistake(
        "memory: two seats of a match write one hand, with the cards of both",
        "_remembering",
        'SeatMemory(one.at(f"{number}.{place}"), keep)',
        'SeatMemory(one.at(f"{number}"), keep)',
        ("test_memory.py",),
    ),
    Mistake(
        "memory: hands are kept under what an opponent is called at the table",
        "Recollection.kept",
        "self.labels.get(name, name)",
        "name",
        ("test_memory.py",),
    ),
    Mistake(
        "memory: a dropped read takes the hands of this match along",
        "SeatMemory._recall",
        "hands += self._hands",
        "hands += self._hands[:0]",
        ("test_memory.py",),
    ),
    Mistake(
        "memory: the oldest hands are recalled",
        "Memory._newest",
        "game=game.variant))[::-1]",
        "game=game.variant))",
        ("test_memory.py",),
    ),
    Mistake(
        "soul: gifts of earlier matches are risked again",
        "Exploiter.recall",
        "self._note_earlier(hand)",
        "self._note(hand)",
        ("test_memory.py",),
    ),
    Mistake(
        "store: a hand that was removed stays in the index",
        "Store._unmark",
        "if own.size:",
        "if own.size > 1000:",
        ("test_memory.py",),
    ),
    Mistake(
        "store: the facts of removed hands stay",
        "Store.remove",
        "self._leave_out(gone, players)",
        "pass",
        ("test_memory.py",),
    ),
)
"""Mistakes of what agents remember."""

RAKE = (
    Mistake(
        "rake: nobody pays it at a showdown that is split",
        "_end_rows",
        "toll = end.rake / 2 if pays else -end.rake / 2",
        "toll = 0.0",
        ("test_spots.py",),
    ),
    Mistake(
        "rake: who wants to hurt gets back what a fold costs the winner",
        "_end_rows",
        "rake = 0.0 if won != pays else -end.rake if pays else end.rake",
        "rake = -end.rake if won and pays else 0.0",
        ("test_spots.py",),
    ),
    Mistake(
        "rake: the cap is forgotten",
        "Rake.of",
        "taken if self.cap is None else min(taken, self.cap)",
        "taken",
        ("test_spots.py",),
    ),
    Mistake(
        "rake: the gap counts what the house takes as won",
        "StreamedSolver.gap",
        "(float(best) + self.rake()) / 2",
        "float(best) / 2",
        ("test_streamed.py",),
    ),
    Mistake(
        "rake: the general solver's gap counts it as won",
        "house_share",
        "return -sum(",
        "return 0 * sum(",
        ("test_spots.py",),
    ),
    Mistake(
        "rake: the worst case is that of an opponent who pays it",
        "trust_curve",
        "counted = winnings_of(game, hero)",
        "counted = game",
        ("test_locks.py",),
    ),
    Mistake(
        "rake: two spots with other rakes have one checksum",
        "Spot.checksum",
        "digest.update(repr(tuple(betting.rake)).encode())",
        "pass",
        ("test_spots.py",),
    ),
)
"""Mistakes of what the house takes."""

WHOLE = (
    Mistake(
        "whole players: hands come as often as in the equilibrium, not as this player brings them",
        "move_player",
        "beta[s] = plan[tree.parent_sequence[start + s]] * frame.met[start + s]",
        "beta[s] = frame.met[start + s]",
        ("test_whole.py",),
    ),
    Mistake(
        "whole players: what a kind has in the equilibrium is left out",
        "move_player",
        "part * wanted[j] * max(here[j], _FLOOR) / max(there[j], _FLOOR)",
        "part * wanted[j]",
        ("test_whole.py",),
    ),
    Mistake(
        "whole players: the rest as the pool has the player's counts",
        "posterior",
        'kind.counts if kind.use == "read" else 0.0',
        "kind.counts",
        ("test_whole.py",),
    ),
    Mistake(
        "whole players: parts of a gain in the order of play alone",
        "gain_parts",
        "found[k] += (now - before) / 2",
        "found[k] += now - before if order[0] == 0 else 0.0",
        ("test_whole.py",),
    ),
    Mistake(
        "whole players: a pool's trust forgets the prior",
        "KindRead.known",
        "0.0 if self.prior is None else self.strength",
        "0.0",
        ("test_whole.py",),
    ),
    Mistake(
        "whole players: each decision is believed by itself, not the whole player",
        "study_whole",
        '"p" if confidence is None else "c"',
        '"c"',
        ("test_whole.py",),
    ),
    Mistake(
        "spread of a pool: the chance in the counts is taken for spread",
        "log_likelihood",
        "gammaln(strength) - gammaln(n + strength)",
        "gammaln(strength)",
        ("test_whole.py",),
    ),
    Mistake(
        "counts of a pool: the player with the earlier position is in position",
        "_seated",
        "place == high[rows]",
        "place == low[rows]",
        ("test_whole.py",),
    ),
    Mistake(
        "exploits: decisions are the samples, not players",
        "PoolLeak.p_value",
        "stdtr(self.players - 1, -near) + stdtr(self.players - 1, -far)",
        "stdtr(self.n - 1, -near) + stdtr(self.n - 1, -far)",
        ("test_exploits.py",),
    ),
    Mistake(
        "exploits: the slack is left out",
        "PoolLeak.p_value",
        "near, far = (off - self.slack) / error",
        "near, far = off / error",
        ("test_exploits.py",),
    ),
)


DOOR = (
    Mistake(
        "demo: the second seat answers the first seat's read",
        "_answer",
        "theirs[1 - seat]",
        "theirs[seat]",
        ("test_demo.py",),
    ),
    Mistake(
        "sr.best_response: trust is not handed on",
        "best_response",
        "restricted_nash(target, seat, theirs[1 - seat], trust, default=own[seat])",
        "restricted_nash(target, seat, theirs[1 - seat], 1.0, default=own[seat])",
        ("test_api.py",),
    ),
    Mistake(
        "sample hands: a user's file is written over",
        "write_sample",
        "if path.exists() and not force and",
        "if path.exists() and force and",
        ("test_sample_hands.py",),
    ),
    Mistake(
        "sample hands: a hand is lost where files are cut",
        "_hands",
        "sample_text().split(_FIRST)[1:]",
        "sample_text().split(_FIRST)[2:]",
        ("test_sample_hands.py",),
    ),
    Mistake(
        "figures: names at the ends of curves overlap",
        "spread",
        "+ step * blocks[-2][1] >",
        ">",
        ("test_reproduce.py",),
    ),
)

CLUSTER = (
    Mistake(
        "cluster: a bundle is not the arguments of its numbers",
        "Cluster.run",
        "[arguments[number] for number in bundle]",
        "[arguments[number] for number in reversed(bundle)]",
        ("test_cluster.py",),
    ),
    Mistake(
        "cluster: a task that was lost is not computed again",
        "RETRIES",
        "3",
        "0",
        ("test_cluster.py",),
    ),
    Mistake(
        "cluster: versions are compared by name alone",
        "differences",
        "if there.get(name) != version",
        "if name not in there",
        ("test_cluster.py",),
    ),
    Mistake(
        "cluster: the depot gives files that nobody allowed",
        "Depot.content",
        "if kind == FILES and name not in self._allowed:",
        "if False:",
        ("test_cluster.py",),
    ),
    Mistake(
        "cluster: the depot lets names lead out of its folders",
        "Depot.content",
        ' or ".." in parts',
        "",
        ("test_cluster.py",),
    ),
    Mistake(
        "cluster: a bundle is built without asking the supplier",
        "load_or_build",
        "if not found and supplied(path):",
        "if False:",
        ("test_cluster.py",),
    ),
    Mistake(
        "cluster: a batch that was broken off is lost",
        "Store._persist",
        "time.sleep(pause)",
        "return",
        ("test_cluster.py",),
    ),
    Mistake(
        "cluster: files that travelled keep the places where they lay meanwhile",
        "_import_file",
        "yield replace(found, source=source)",
        "yield found",
        ("test_cluster.py",),
    ),
    Mistake(
        "cluster: a local one listens on every interface",
        "connect",
        '_ALONE: "0",',
        '_ALONE: "1",',
        ("test_cluster.py",),
    ),
    Mistake(
        "cluster: tasks of another game count as well as those of the same",
        "_kinds",
        "yield name, game, agents\nyield name, game",
        "pass",
        ("test_cluster.py",),
    ),
)

MENUS = (
    Mistake(
        "menus: every way of a hand counts as a whole hand",
        "EvidenceReader.read",
        "[chance for _, chance in ways]",
        "[1.0 for _, chance in ways]",
        ("test_menu_models.py",),
    ),
    Mistake(
        "menus: a way forgets the chances of its first raises",
        "Translator.ways",
        "way.chance * step.chance",
        "step.chance",
        ("test_menu_models.py",),
    ),
    Mistake(
        "menus: a raise is measured by the pot before a call",
        "action_kinds",
        "total - high >= _LARGE * 2 * high",
        "total - high >= _LARGE * high",
        ("test_menu_models.py",),
    ),
    Mistake(
        "menus: what becomes a raise is spread evenly",
        "fill_turns",
        "calls * turned * (raises / raised)",
        "calls * turned * width / (rows.last - rows.up)",
        ("test_menu_models.py",),
    ),
    Mistake(
        "menus: the slope of what becomes a raise is that of the first size",
        "add_slopes",
        "by_raise += raises * by_this",
        "by_raise += raises * _per_chance(counts, behaviour, rows.up, s)",
        ("test_menu_models.py",),
    ),
    Mistake(
        "menus: a window drops ways in place of hands",
        "ShownCards.add",
        "self._paths[0].number <= self._latest - window",
        "len(self._paths) > window",
        ("test_menu_models.py",),
    ),
    Mistake(
        "menus: skews spread what becomes a raise evenly",
        "_move",
        "table[targets] / np.where(total > 0, total, 1)",
        "even + 0 * table[targets]",
        ("test_menu_models.py",),
    ),
    Mistake(
        "menus: a typical player raises more where there are more sizes",
        "HabitModel._centre_of",
        "(1 - knows) * np.log(raises)",
        "0 * np.log(raises)",
        ("test_menu_models.py",),
    ),
)

GROUPS: dict[str, tuple[Mistake, ...]] = {
    "door": DOOR,
    "cluster": CLUSTER,
    "audit": AUDIT,
    "menus": MENUS,
    "whole": WHOLE,
    "rake": RAKE,
    "people": PEOPLE,
    "judges": JUDGES,
    "revived": REVIVED,
    "own": OWN,
    "fresh": FRESH,
    "samples": SAMPLES,
    "portfolio": PORTFOLIO,
    "luck": LUCK,
    "zoo": ZOO,
    "soul": SOUL,
    "should": SHOULD,
    "real cards": REAL_CARDS,
    "spots": SPOTS,
    "vexbot": VEXBOT,
    "store": STORE,
    "formats": FORMATS,
    "ranges": RANGES,
    "loki": LOKI,
    "playouts": PLAYOUTS,
    "ponsen": PONSEN,
    "rings": RINGS,
    "predictor": PREDICTOR,
    "profile": PROFILE,
    "relational": RELATIONAL,
    "locks": LOCKS,
    "surroundings": SURROUNDINGS,
    "foreign text": FOREIGN_TEXT,
    "apart": APART,
    "survivors": SURVIVORS,
    "thirty": THIRTY,
    "baseline": BASELINE,
    "sharing": SHARING,
    "table": TABLE,
    "memory": MEMORY,
}


@dataclass(frozen=True)
class Place:
    """A definition in a source: its dotted name, and where its text begins and ends."""

    name: str
    path: Path
    start: int
    end: int


def places(root: Path) -> dict[str, list[Place]]:
    """Every function, class and constant of the package at ``root``, by its dotted name."""
    found: dict[str, list[Place]] = {}
    for path in sorted((root / "soulread").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        starts = [0]
        for line in text.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        for name, first, last in definitions(ast.parse(text)):
            found.setdefault(name, []).append(Place(name, path, starts[first - 1], starts[last]))
    return found


def definitions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, int, int]]:
    """Dotted name, first and last line of every definition below a node of the syntax tree."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.FunctionDef | ast.ClassDef):
            first = min([inner.lineno, *(decorator.lineno for decorator in inner.decorator_list)])
            yield prefix + inner.name, first, inner.end_lineno or first
            yield from definitions(inner, f"{prefix}{inner.name}.")
        elif isinstance(inner, ast.Assign | ast.AnnAssign) and isinstance(node, ast.Module | ast.ClassDef):
            target = inner.targets[0] if isinstance(inner, ast.Assign) else inner.target
            if isinstance(target, ast.Name):
                yield prefix + target.id, inner.lineno, inner.end_lineno or inner.lineno
        elif isinstance(inner, ast.stmt):
            yield from definitions(inner, prefix)


def pattern(code: str) -> re.Pattern[str]:
    """A pattern for code however it is broken into lines: spaces count only between two words."""
    words = re.findall(r"\w+|[^\w\s]", code)
    text = re.escape(words[0])
    for before, word in pairwise(words):
        both = re.fullmatch(r"\w", before[-1]) and re.fullmatch(r"\w", word[0])
        text += (r"\s+" if both else r"\s*") + re.escape(word)
    first, last = (r"\b" if re.fullmatch(r"\w", end) else "" for end in (code[0], code[-1]))
    return re.compile(first + text + last)


def find(mistake: Mistake, known: dict[str, list[Place]]) -> tuple[Path, int, int]:
    """The file, and where in it the code stands that the mistake replaces."""
    found: list[tuple[Path, int, int]] = []
    for place in known.get(mistake.where, ()):
        text = place.path.read_text(encoding="utf-8")
        spans = pattern(mistake.old).finditer(text, place.start, place.end)
        found += [(place.path, *match.span()) for match in spans]
    if len(found) != 1:
        raise SoulreadError(
            f"{mistake.name!r}: the code {mistake.old!r} stands {len(found)} times in {mistake.where}, "
            f"not once; bring the mistake up to date in {Path(__file__).name}"
        )
    return found[0]


def planted(mistake: Mistake, text: str, start: int, end: int) -> str:
    """The text of a file with the mistake in place of what stands from ``start`` to ``end``."""
    if mistake.new == mistake.old:
        raise SoulreadError(f"{mistake.name!r}: the new code is the old one")
    line = text[text.rfind("\n", 0, start) + 1 :]
    margin = " " * (len(line) - len(line.lstrip(" ")))
    return text[:start] + mistake.new.replace("\n", "\n" + margin) + text[end:]


def verify(mistakes: Iterable[Mistake], root: Path = ROOT) -> None:
    """Raise `SoulreadError` unless every mistake fits the sources and names tests that exist."""
    known = places(root)
    for mistake in mistakes:
        path, start, end = find(mistake, known)
        ast.parse(planted(mistake, path.read_text(encoding="utf-8"), start, end))  # wrong, but still Python
        for test in mistake.tests:
            if not (root / "tests" / test).is_file():
                raise SoulreadError(f"{mistake.name!r}: there is no tests/{test}")


def copy_tree(source: Path, target: Path) -> None:
    """Copy package and tests with their times, so that what Python and Numba compiled stays valid."""
    target.mkdir(parents=True)
    for path in source.iterdir():
        if path.name in COPIED:
            shutil.copytree(path, target / path.name)
        elif path.is_file() and not path.name.startswith("."):
            shutil.copy2(path, target / path.name)


def importers(root: Path, file: Path) -> set[Path]:
    """A source and all sources that import it, directly or through others.

    Numba notices that a source was edited, but not that one was whose kernels it calls.
    """
    names = {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
        for path in (root / "soulread").rglob("*.py")
    }
    uses: dict[Path, set[Path]] = {}
    for path in names.values():
        used: set[str] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                used |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                used |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        uses[path] = {names[name] for name in used if name in names}
    found = {file}
    while True:
        more = {path for path, used in uses.items() if used & found} - found
        if not more:
            return found
        found |= more


def plant(mistake: Mistake, root: Path) -> None:
    """Write the mistake into the copy at ``root``, and drop the compiled code that depends on the file."""
    path, start, end = find(mistake, places(root))
    path.write_text(planted(mistake, path.read_text(encoding="utf-8"), start, end), encoding="utf-8")
    for source in importers(root, path):
        for compiled in (source.parent / "__pycache__").glob(f"{source.stem}.*.nb[ic]"):
            compiled.unlink()
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        compiled.unlink()


def run_tests(root: Path, tests: Sequence[str]) -> tuple[str, str]:
    """Run tests of the copy up to the first failure: what failed (nothing if all passed), and the output."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "NUMBA_CACHE"))
    }
    environment |= {"PYTHONPATH": str(root), "COLUMNS": "200"}
    options = ["-x", "-rfE", "-n", "0", "-p", "no:cacheprovider", "--tb=line"]
    files = [str(Path("tests") / test) for test in tests]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *files],
            cwd=root,
            env=environment,
            capture_output=True,
            text=True,
            timeout=MOST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no end after {MOST_SECONDS} s", ""
    output = done.stdout + done.stderr
    if done.returncode == 0:
        return "", output
    failed = re.search(r"^(?:FAILED|ERROR) tests/(\S+)", output, re.MULTILINE)
    if failed is None:
        raise SoulreadError(f"pytest ended with code {done.returncode} in {root}:\n{output[-2000:]}")
    return failed[1], output


def verify_copy(root: Path) -> None:
    """Raise `SoulreadError` unless tests run in the copy import the copy, not an installed package."""
    command = [sys.executable, "-c", "import soulread; print(soulread.__file__)"]
    environment = os.environ | {"PYTHONPATH": str(root)}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=True)
    if not Path(done.stdout.strip()).is_relative_to(root):
        raise SoulreadError(f"the tests would run {done.stdout.strip()!r}, not the copy in {str(root)!r}")


def judge(group: str, mistake: Mistake, clean: Path, target: Path) -> Verdict:
    """Plant one mistake in a copy of ``clean`` and run its tests."""
    started = time.perf_counter()
    copy_tree(clean, target)
    plant(mistake, target)
    by, _ = run_tests(target, mistake.tests)
    shutil.rmtree(target)
    return Verdict(group, mistake.name, mistake.where, bool(by), by, time.perf_counter() - started)


def choose(only: Sequence[str]) -> list[tuple[str, Mistake]]:
    """The mistakes asked for: all of them, or those of the groups and names given."""
    everything = [(group, mistake) for group, mistakes in GROUPS.items() for mistake in mistakes]
    if not only:
        return everything
    known = set(GROUPS) | {mistake.name for _, mistake in everything}
    unknown = [name for name in only if not any(name in word for word in known)]
    if unknown:
        raise SoulreadError(
            f"no mistake is called {unknown[0]!r}; known are\n  " + "\n  ".join(sorted(known))
        )
    return [
        (group, mistake)
        for group, mistake in everything
        if any(name == group if name in GROUPS else name in mistake.name for name in only)
    ]


def plant_all(chosen: Sequence[tuple[str, Mistake]], jobs: int, tell: Console) -> list[Verdict]:
    """Verdicts on all mistakes, in the order given."""
    verify(mistake for _, mistake in chosen)
    with tempfile.TemporaryDirectory(prefix="mistakes-") as name:
        directory = Path(name).resolve()
        clean = directory / "clean"
        copy_tree(ROOT, clean)
        verify_copy(clean)
        tests = sorted({test for _, mistake in chosen for test in mistake.tests})
        tell.print(f"without a mistake: {', '.join(tests)}")
        failed, output = run_tests(clean, tests)
        if failed:
            raise SoulreadError(f"{failed} fails without any mistake:\n{output[-2000:]}")
        verdicts: dict[str, Verdict] = {}
        with ThreadPoolExecutor(jobs) as pool:
            running = [
                pool.submit(judge, group, mistake, clean, directory / f"copy{number}")
                for number, (group, mistake) in enumerate(chosen)
            ]
            for future in as_completed(running):
                verdict = future.result()
                verdicts[verdict.name] = verdict
                word = "caught" if verdict.caught else "NOT CAUGHT"
                tell.print(f"{len(verdicts)}/{len(chosen)} {word}: {verdict.name}")
    return [verdicts[mistake.name] for _, mistake in chosen]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="groups, or parts of names")
    parser.add_argument("--jobs", type=int, default=1, help="mistakes planted at the same time")
    parser.add_argument("--json", action="store_true", help="print the verdicts as JSON")
    arguments = parser.parse_args()
    console = Console(highlight=False, width=max(Console().width, WIDTH))
    tell = Console(stderr=True, highlight=False, style="dim")
    try:
        if arguments.jobs < 1:
            raise SoulreadError(f"--jobs {arguments.jobs}; at least one mistake is planted at a time")
        verdicts = plant_all(choose(arguments.only), arguments.jobs, tell)
    except SoulreadError as error:
        print(f"plant_mistakes: {error}", file=sys.stderr)
        return 2
    if arguments.json:
        print(json.dumps([asdict(verdict) for verdict in verdicts], indent=1))
    else:
        table = Grid("mistake", "where", "", "by", "s", words=(0, 1, 3))
        for verdict in verdicts:
            table.add_row(
                verdict.name,
                verdict.where,
                "caught" if verdict.caught else Text("NOT caught", style="bold red"),
                verdict.by,
                f"{verdict.seconds:.0f}",
            )
        console.print(table)
        for group in GROUPS:
            mine = [verdict for verdict in verdicts if verdict.group == group]
            if mine:
                console.print(f"{group}: {sum(verdict.caught for verdict in mine)} of {len(mine)} caught")
    return 0 if all(verdict.caught for verdict in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
