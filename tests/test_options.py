"""Options that verify themselves."""

from dataclasses import dataclass

import pytest

from soulread.errors import ParseError, SoulreadError
from soulread.options import Options, option, read_options


@dataclass(frozen=True)
class Example(Options):
    risk: float = option(20.0, "in mb/g", low=0, high=1e6)
    trust: float = option(0.5, "a probability", above=0, below=1)
    method: str = option("l1", "a name", choices=("l1", "l2"))
    limit: float = option(0.0, "0 stands for none", low=5)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"risk": -1.0}, "risk=-1.0; expected at least 0 and at most 1e+06"),
        ({"risk": 2e6}, "risk=2000000.0; expected at least 0 and at most 1e+06"),
        ({"risk": float("nan")}, "risk=nan; expected at least 0 and at most 1e+06"),
        ({"trust": 0.0}, "trust=0.0; expected above 0 and below 1"),
        ({"trust": 1.0}, "trust=1.0; expected above 0 and below 1"),
        ({"method": "l3"}, "method=l3; expected l1 or l2"),
        ({"limit": 4.0}, "limit=4.0; expected at least 5"),
    ],
)
def test_a_value_out_of_bounds_is_refused(values: dict[str, float], message: str) -> None:
    with pytest.raises(SoulreadError) as caught:
        Example(**values)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_values_at_bounds_and_defaults_are_allowed() -> None:
    assert Example(risk=0.0, limit=5.0) == Example(0.0, 0.5, "l1", 5.0)
    assert Example(risk=1e6).limit == 0.0


def test_the_text_of_a_user_is_quoted() -> None:
    with pytest.raises(ParseError, match=r"^'name:trust=2': trust=2.0; expected above 0 and below 1$"):
        read_options("name:trust=2", Example, lambda text: text)
