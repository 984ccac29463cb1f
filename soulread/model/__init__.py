"""Models of opponents: how they play, learnt from what was seen of them."""

from soulread.model.base import CardReader, Model, ask
from soulread.model.beliefs import BeliefModel
from soulread.model.bootstrap import BootstrapModel
from soulread.model.changes import ChangingModel
from soulread.model.deviation import DeviationModel, SeatDeviation
from soulread.model.evidence import Evidence, EvidenceReader, likelihood
from soulread.model.explicit import ExplicitModel
from soulread.model.frequency import FrequencyModel
from soulread.model.leaks import Leak, all_leaks, leaks
from soulread.model.portfolio import PortfolioModel
from soulread.model.residual import ResidualModel
from soulread.model.subpolicy import SubpolicyModel
from soulread.model.tabular import TabularModel, Tabulated, as_table
from soulread.model.tilts import TiltModel

__all__ = [
    "BeliefModel",
    "BootstrapModel",
    "CardReader",
    "ChangingModel",
    "DeviationModel",
    "Evidence",
    "EvidenceReader",
    "ExplicitModel",
    "FrequencyModel",
    "Leak",
    "Model",
    "PortfolioModel",
    "ResidualModel",
    "SeatDeviation",
    "SubpolicyModel",
    "TabularModel",
    "Tabulated",
    "TiltModel",
    "all_leaks",
    "as_table",
    "ask",
    "leaks",
    "likelihood",
]
