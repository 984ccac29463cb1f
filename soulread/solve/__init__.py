"""Equilibria, best responses and how far a strategy is from either."""

from soulread.solve.best_response import IncrementalBestResponse, best_response
from soulread.solve.cfr import RegretMinimiser
from soulread.solve.exploitability import best_response_values, exploitability, nash_conv, value
from soulread.solve.lp import solve_exactly
from soulread.solve.mccfr import ExternalSampling, OutcomeSampling, Sampler, Sampling
from soulread.solve.regret import (
    CFR,
    DCFR,
    CFRPlus,
    LinearCFR,
    PredictiveCFRPlus,
    Schedule,
    parse_schedule,
)
from soulread.solve.run import Check, Method, Solution, solve
from soulread.solve.safe import SafeResponse, safe_best_response

__all__ = [
    "CFR",
    "DCFR",
    "CFRPlus",
    "Check",
    "ExternalSampling",
    "IncrementalBestResponse",
    "LinearCFR",
    "Method",
    "OutcomeSampling",
    "PredictiveCFRPlus",
    "RegretMinimiser",
    "SafeResponse",
    "Sampler",
    "Sampling",
    "Schedule",
    "Solution",
    "best_response",
    "best_response_values",
    "exploitability",
    "nash_conv",
    "parse_schedule",
    "safe_best_response",
    "solve",
    "solve_exactly",
    "value",
]
