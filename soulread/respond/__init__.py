"""Counter-strategies: how to answer a model of the opponent at a risk one chooses."""

from soulread.respond.confidence import (
    Confidence,
    linear,
    one_step,
    p_conf,
    parse_confidence,
    s_curve,
    step,
    ten_step,
    zero_to_ten,
)
from soulread.respond.counter import (
    CounterPair,
    CounterStrategy,
    data_biased,
    in_both_seats,
    mixture,
    restricted_nash,
    start_engine,
)
from soulread.respond.curves import (
    PAPER_PS,
    DataBiased,
    Family,
    Frontier,
    Mixture,
    Point,
    RestrictedNash,
    frontier,
)

__all__ = [
    "PAPER_PS",
    "Confidence",
    "CounterPair",
    "CounterStrategy",
    "DataBiased",
    "Family",
    "Frontier",
    "Mixture",
    "Point",
    "RestrictedNash",
    "p_conf",
    "data_biased",
    "frontier",
    "in_both_seats",
    "linear",
    "mixture",
    "one_step",
    "parse_confidence",
    "restricted_nash",
    "s_curve",
    "start_engine",
    "step",
    "ten_step",
    "zero_to_ten",
]
