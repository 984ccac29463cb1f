"""Models of opponents: how they play, learnt from what was seen of them."""

from soulread.model.base import OpponentModel
from soulread.model.deviation import DeviationModel

__all__ = ["DeviationModel", "OpponentModel"]
