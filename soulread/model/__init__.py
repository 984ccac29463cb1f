"""Models of opponents: how they play, learnt from what was seen of them."""

from soulread.model.base import OpponentModel
from soulread.model.deviation import DeviationModel
from soulread.model.leaks import Leak, leaks

__all__ = ["DeviationModel", "Leak", "OpponentModel", "leaks"]
