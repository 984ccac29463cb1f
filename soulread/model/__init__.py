"""Models of opponents: how they play, learnt from what was seen of them."""

from soulread.model.base import OpponentModel
from soulread.model.beliefs import BeliefModel, SeatModel
from soulread.model.deviation import DeviationModel
from soulread.model.evidence import Evidence, EvidenceReader, likelihood
from soulread.model.explicit import ExplicitModel
from soulread.model.frequency import FrequencyModel
from soulread.model.leaks import Leak, leaks
from soulread.model.portfolio import PortfolioModel

__all__ = [
    "BeliefModel",
    "DeviationModel",
    "Evidence",
    "EvidenceReader",
    "ExplicitModel",
    "FrequencyModel",
    "Leak",
    "OpponentModel",
    "PortfolioModel",
    "SeatModel",
    "leaks",
    "likelihood",
]
