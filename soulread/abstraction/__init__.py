"""Card abstractions of hold'em: features of holdings, private states, and their joint chances."""

from soulread.abstraction.joint import Joint, count_joint, sample_joint, some_boards
from soulread.abstraction.states import Abstraction, AbstractionSpec, parse_abstraction
from soulread.abstraction.tables import info, load_abstraction, load_or_build, memory_needed

__all__ = [
    "Abstraction",
    "AbstractionSpec",
    "Joint",
    "count_joint",
    "info",
    "load_abstraction",
    "load_or_build",
    "memory_needed",
    "parse_abstraction",
    "sample_joint",
    "some_boards",
]
