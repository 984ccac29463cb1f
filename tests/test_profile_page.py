"""Pages: text stays text, nothing is fetched from elsewhere, and a browser shows it, if there is one."""

import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from jinja2 import UndefinedError
from test_profile import EVIL, store, study  # noqa: F401

from soulread.estimate import Estimate
from soulread.hands.store import Store
from soulread.report.drawings import Sketch, interval_drawings, range_grid, shape, spread_drawing
from soulread.report.html import LAYOUT, environment, render
from soulread.study.hands.luck import AllInLuck
from soulread.study.profile.pool import study_pool
from soulread.study.profile.pool_page import pool_page
from soulread.study.profile.profile import Result
from soulread.study.profile.profile_page import profile_page
from soulread.study.profile.profile_tables import luck_text
from soulread.study.profile.ranges_by_line import LineRange
from soulread.words import percent, percentile_text

VOID = {"meta", "br", "hr"}


class Reader(HTMLParser):
    """Elements and text of a page; fails on an element that is not closed."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.names: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text.append(data)


@pytest.fixture(scope="module")
def made(study):  # noqa: F811
    return profile_page(study)


def verify(text):
    """A page is well formed, asks for nothing from elsewhere, and runs nothing."""
    found = Reader(text)
    assert not found.names & {"script", "img", "link", "iframe", "object", "embed", "base", "form", "a"}
    for name, value in found.attributes:
        assert not name.startswith("on")
        assert name not in ("src", "href", "srcset", "style")
        assert "//" not in (value or "")
    assert "url(" not in text
    assert "@import" not in text
    return "".join(found.text)


def test_a_name_that_is_html_is_shown_as_text(made) -> None:
    assert EVIL not in made
    assert EVIL in verify(made)


def test_the_page_has_what_a_coach_looks_for(made, study) -> None:  # noqa: F811
    text = verify(made)
    for words in ("What is sure", "How to use it", "What it costs", "Statistics", "Ranges by line of play"):
        assert words in text
    for finding in study.findings:
        assert finding.use in text
        for example in finding.examples:
            assert f"--hand '#{example.number}'" in text
    assert "Too few hands seen" in text
    assert "Benjamini and Hochberg" in text


def test_ranges_of_a_model(study) -> None:  # noqa: F811
    cells = tuple(float(i) for i in range(169))
    grid = LineRange("raised first in <b>", cells, 50, 20, 300, "model")
    text = verify(profile_page(replace(study, ranges=(grid,))))
    assert "raised first in <b>" in text
    assert "What the player held" in text
    assert "cards seen in 20 of 300 hands; a model fills in the others, from 30 of them" in text
    counted = profile_page(replace(study, ranges=(replace(grid, n=300, known=300, source="counted"),)))
    assert "3 of 300: below 0.1% of the range (0.2% to 2.9%)" in counted
    assert "cards seen in 300 of 300 hands: counted" in counted


def test_luck_in_words(study) -> None:  # noqa: F811
    known = replace(study, luck=AllInLuck(20, 20, -3.5))
    assert known.luck.complete
    assert "3.5 big blinds less" in luck_text(known)
    hidden = replace(study, luck=AllInLuck(20, 10, 0.0))
    assert not hidden.luck.complete
    assert "not taken out: only in 10 of 20 all-ins" in luck_text(hidden)
    result = Result("all hands", 900, Estimate(5.0, 2.0, 900), Estimate(4.0, 1.0, 900))
    assert "+4.0" in verify(profile_page(replace(known, results=(result,))))
    assert "+4.0" not in verify(profile_page(replace(hidden, results=(result,))))
    wild = replace(result, adjusted=Estimate(4.0, 90.0, 900))
    assert wild.too_few
    assert "too few hands" in verify(profile_page(replace(known, results=(wild,))))


def test_the_pool_as_a_page(store) -> None:  # noqa: F811
    with Store.open(store, read_only=True) as opened:
        text = pool_page(study_pool(opened, least=50))
    assert EVIL not in text
    shown = verify(text)
    assert EVIL in shown
    for words in ("What pays", "Who is where", "How statistics are spread", "The regulars"):
        assert words in shown


def test_whatever_a_template_writes_is_escaped() -> None:
    def shown(source: str, **values) -> str:
        return environment().from_string(source).render(values)

    assert shown('<p class="{{ kind }}">{{ text }}</p>', kind='x"y', text="a < b & c") == (
        '<p class="x&#34;y">a &lt; b &amp; c</p>'
    )
    assert shown("{{ text }}", text="a\x00b\u202ec") == r"a\x00b\u202ec"
    assert shown("{{ text }}", text="a\n\tb") == "a\n\tb"
    assert shown("{{ one|attributes }}", one={"x": 'a"<\x1b', "y": None, "z": 3}) == (
        r' x="a&#34;&lt;\x1b" z="3"'
    )
    with pytest.raises(UndefinedError):
        shown("{{ nobody }}")
    assert "&lt;/title&gt;" in render(LAYOUT, title="</title>")
    drawn = str(Sketch("<b>", 1, 1, "x", [shape("text", "<i>", "<u>", x=0.25, y=20.0)]).__html__())
    assert '<title>&lt;b&gt;</title><text x="0.2" y="20"><title>&lt;u&gt;</title>&lt;i&gt;</text>' in drawn


def html(drawing: Sketch) -> str:
    return str(drawing.__html__())


def test_drawings_are_well_formed() -> None:
    curve = ([0.1, 0.2, 0.3], [0.2, 1.0, 0.1])
    strip = spread_drawing(curve, (0.15, 0.25), "x", player=(0.45, 0.4, 0.5), sure=True, numbers=True)
    text = verify(html(strip))
    assert "45%" in text
    alone = spread_drawing(None, (0.0, 1.0), "x", player=(0.45, 0.4, 0.5))
    assert "hill" not in html(alone)
    pool = spread_drawing(curve, (0.15, 0.25), "x", marks=(0.1, 0.2, 0.4))
    assert (html(pool).count('class="rug"'), "dot" in html(pool)) == (3, False)
    verify(html(pool))
    verify(html(alone))
    for drawn in interval_drawings([(1.0, -2.0, 4.0), None, (3.0, 1.0, 5.0), (-3.0, -5.0, -1.0)], ["a"] * 4):
        verify(html(drawn))
    assert 'class="interval good"' in html(interval_drawings([(3.0, 1.0, 5.0)], ["a"])[0])
    assert 'class="interval bad"' in html(interval_drawings([(-3.0, -5.0, -1.0)], ["a"])[0])
    grid = html(range_grid([0.0] * 168 + [1.0], ["none"] * 169, ["x"] * 169, "grid"))
    assert grid.count("cell-name") == 169
    assert grid.count('class="heat"') == 1
    assert 'fill-opacity="1.00"' in grid


def test_numbers() -> None:
    assert [percent(rate) for rate in (0.004, 0.0994, 0.0996, 0.5)] == ["0.4%", "9.9%", "10%", "50%"]
    assert [percentile_text(p) for p in (0.2, 50.4, 99.8)] == ["<1", "50", ">99"]


@pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium on this machine")
@pytest.mark.parametrize("width", [1400, 500])  # headless windows are at least 500 pixels wide
def test_a_browser_shows_the_page_without_running_anything(made, tmp_path, width) -> None:
    path = tmp_path / "page.html"
    path.write_text(made, encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-quic"]
    options += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    options += [f"--user-data-dir={tmp_path / 'user'}", f"--window-size={width},900", "--dump-dom"]
    shown = subprocess.run(
        ["chromium", *options, path.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown.stdout
    assert "<script" not in shown.stdout
