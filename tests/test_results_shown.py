"""Results at the prompt and in notebooks."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from soulread.errors import SoulreadError
from soulread.report.figures import Curve, Figure, Panel
from soulread.report.shown import Shown, ShownTable


@dataclass(frozen=True, repr=False)
class Line(Shown):
    text: str

    def summary(self) -> str:
        return self.text


@dataclass(frozen=True, repr=False)
class Lines(ShownTable):
    lines: tuple[tuple[str, float | None], ...]

    def summary(self) -> str:
        return f"{len(self.lines)} lines"

    def to_rows(self) -> Sequence[Mapping[str, Any]]:
        return [{"name": name, "value": value} for name, value in self.lines]


def test_a_result_is_a_line_and_text_from_outside_is_escaped() -> None:
    assert repr(Line("a <b> c")) == "<Line: a <b> c>"
    assert Line("a <b> c")._repr_html_() == "<p>Line: a &lt;b&gt; c</p>"


def test_a_table_has_cells() -> None:
    shown = Lines((("<x>", 1 / 3), ("y", None)))._repr_html_()
    assert "<p>Lines: 2 lines</p>" in shown
    assert "<tr><td>&lt;x&gt;</td><td>0.333333</td></tr><tr><td>y</td><td></td></tr>" in shown
    assert Lines(())._repr_html_() == "<p>Lines: 0 lines</p>"


@dataclass(frozen=True, repr=False)
class Won(ShownTable):
    LINE = "{it.player} won {it.won:.1f}"
    TABLE = "parts"

    player: str
    won: float
    parts: tuple[dict[str, Any], ...] = ()


def test_lines_and_tables_are_declared() -> None:
    won = Won(
        "Bob", 1.25, ({"part": 1, "won": {"mean": 0.5, "n": 3}}, {"part": 2, "won": {"mean": 2.0, "n": 4}})
    )
    assert repr(won) == "<Won: Bob won 1.2>"
    assert won.to_rows()[1] == {"part": 2, "won.mean": 2.0, "won.n": 4}


def test_a_frame_needs_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(SoulreadError, match="a frame needs pandas"):
        Lines(()).to_frame()


def test_a_frame_has_the_rows() -> None:
    pandas = pytest.importorskip("pandas")
    frame = Lines((("x", 1.0), ("y", 2.0))).to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["value"].tolist() == [1.0, 2.0]


def test_a_figure_shows_itself_in_a_notebook(tmp_path) -> None:
    pytest.importorskip("matplotlib")
    figure = Figure("two", "a line", (Panel("title", "x", "y", (Curve("one", (0.0, 1.0), (1.0, 2.0)),)),))
    figure.save(tmp_path / "two.svg")
    assert figure._repr_svg_() == (tmp_path / "two.svg").read_text()
    assert repr(figure) == "<Figure 'two': a line>"
