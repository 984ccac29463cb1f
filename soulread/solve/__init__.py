"""Equilibria, best responses and how far a strategy is from either."""

from soulread.solve.best_response import IncrementalBestResponse, best_response
from soulread.solve.cfr import RegretMinimiser
from soulread.solve.exploitability import best_response_values, exploitability, nash_conv, value
from soulread.solve.files import Strategy, load_strategy, save_strategy
from soulread.solve.judge import Judgement, judge
from soulread.solve.local_best_response import LocalBestResponse, local_best_response
from soulread.solve.lp import solve_exactly
from soulread.solve.mccfr import ExternalSampling, OutcomeSampling, Sampler, Sampling
from soulread.solve.named import parse_method, solve_named
from soulread.solve.regret import (
    CFR,
    DCFR,
    CFRPlus,
    LinearCFR,
    PredictiveCFRPlus,
    Schedule,
    parse_schedule,
)
from soulread.solve.restricted import Restriction, restricted_exploitability
from soulread.solve.run import Check, Method, Solution, solve
from soulread.solve.safe import SafeResponse, safe_best_response
from soulread.solve.skews import Skew, baseline_behaviour, parse_skews, skew_behaviour, skew_behaviours
from soulread.solve.stops import Stops
from soulread.solve.variants import solve_with_bonus, with_winner_bonus

__all__ = [
    "CFR",
    "DCFR",
    "CFRPlus",
    "Check",
    "ExternalSampling",
    "IncrementalBestResponse",
    "Judgement",
    "LinearCFR",
    "LocalBestResponse",
    "Method",
    "OutcomeSampling",
    "PredictiveCFRPlus",
    "RegretMinimiser",
    "Restriction",
    "SafeResponse",
    "Sampler",
    "Sampling",
    "Schedule",
    "Skew",
    "Solution",
    "Stops",
    "Strategy",
    "baseline_behaviour",
    "best_response",
    "best_response_values",
    "exploitability",
    "judge",
    "load_strategy",
    "local_best_response",
    "nash_conv",
    "parse_method",
    "parse_schedule",
    "parse_skews",
    "restricted_exploitability",
    "safe_best_response",
    "save_strategy",
    "skew_behaviour",
    "skew_behaviours",
    "solve",
    "solve_exactly",
    "solve_named",
    "solve_with_bonus",
    "value",
    "with_winner_bonus",
]
