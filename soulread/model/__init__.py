"""Models of opponents: how they play, learnt from what was seen of them."""

from soulread.model.base import OpponentModel
from soulread.model.beliefs import BeliefModel, SeatModel
from soulread.model.bootstrap import BootstrapModel
from soulread.model.changes import ChangingModel
from soulread.model.deviation import DeviationModel
from soulread.model.evidence import Evidence, EvidenceReader, likelihood
from soulread.model.explicit import ExplicitModel
from soulread.model.frequency import FrequencyModel
from soulread.model.leaks import Leak, leaks
from soulread.model.portfolio import PortfolioModel
from soulread.model.residual import ResidualModel
from soulread.model.subpolicy import SubpolicyModel
from soulread.model.tilts import TiltModel

__all__ = [
    "BeliefModel",
    "BootstrapModel",
    "ChangingModel",
    "DeviationModel",
    "Evidence",
    "EvidenceReader",
    "ExplicitModel",
    "FrequencyModel",
    "Leak",
    "OpponentModel",
    "PortfolioModel",
    "ResidualModel",
    "SeatModel",
    "SubpolicyModel",
    "TiltModel",
    "leaks",
    "likelihood",
]
