"""Pages made from the code are those of the code: commands, the prompt, keys, notebooks, the gallery."""

import json
import re
from pathlib import Path

import pytest
from test_evidence_page import load_script

import soulread as sr
from soulread.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if path.name != "glossary.md")
"""Pages that a reader meets; the glossary explains their words."""

make = load_script("make_reference")


def test_pages_are_those_of_the_code() -> None:
    for path, text in make.pages().items():
        assert path.read_text(encoding="utf-8") == text, (
            f"{path.relative_to(ROOT)} is not what the code says; run python benchmarks/make_reference.py"
        )


def test_every_command_and_every_name_of_the_prompt_is_there() -> None:
    commands = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")
    prompt = (DOCS / "reference" / "api.rst").read_text(encoding="utf-8")
    assert all(f"### soulread {name}\n" in commands for group in COMMANDS.values() for name in group)
    assert sorted(re.findall(r"auto(?:function|class):: soulread\.(\w+)", prompt)) == sorted(sr.NAMES)


@pytest.mark.parametrize("name", make.TUTORIALS)
def test_a_notebook_has_the_code_and_the_outputs_of_its_tutorial(name: str) -> None:
    page = (DOCS / "tutorials" / f"{name}.md").read_text(encoding="utf-8")
    book = json.loads((DOCS / "tutorials" / f"{name}.ipynb").read_text(encoding="utf-8"))
    code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    assert len(code) == len(make.FENCE.findall(page))
    assert sum(bool(cell["outputs"]) for cell in code) >= 4
    told = "".join("".join(cell["source"]) for cell in book["cells"])
    assert not re.search(r"/home/|/tmp/|/root/", told)


def test_every_word_of_the_glossary_is_used_and_explained_once() -> None:
    glossary = (DOCS / "glossary.md").read_text(encoding="utf-8")
    terms = re.findall(r"^\| ([^|]+) \| [^|]", glossary, re.MULTILINE)[1:]
    assert len(terms) > 60
    assert len(set(terms)) == len(terms)
    assert terms == sorted(terms, key=str.lower)
    text = " ".join(" ".join(path.read_text(encoding="utf-8").lower().split()) for path in PAGES)
    unused = [term for term in terms if not re.search(rf"\b{re.escape(term.lower())}", text)]
    assert not unused
    linked = [path for path in PAGES if "glossary.md" in path.read_text(encoding="utf-8")]
    assert len(linked) >= 3  # the front page and one of each kind lead to it


def test_every_script_of_the_gallery_has_its_picture_and_its_place() -> None:
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    scripts = sorted((ROOT / "examples" / "gallery").glob("*.py"))
    assert len(scripts) >= 20
    for path in scripts:
        picture = DOCS / "gallery" / f"{path.stem}.png"
        assert picture.stat().st_size < 40_000
        assert f"](gallery/{path.stem}.png)" in page
        assert f"\n## {make.title_of(path.read_text(encoding='utf-8'))}\n" in page
    assert {path.stem for path in (DOCS / "gallery").iterdir()} == {path.stem for path in scripts}
