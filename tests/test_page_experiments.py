"""Experiments: what runs keep in a folder, and the page that reads it."""

import json
import os
import platform

import pytest
from click.testing import CliRunner
from page_tools import HOME, PORT
from starlette.testclient import TestClient

from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.report.runs import noted_run, read_run, run_name
from soulread.serve.web.app import make_app
from soulread.serve.web.house import Settings

SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script><rect width="9" height="9"/></svg>'
REPORT = {
    "name": "zoo",
    "title": "A zoo <script>alert(2)</script>",
    "source": "own",
    "settings": {"seed": 7, "hands": 100},
    "tables": [
        {
            "title": "won",
            "unit": "mb/g",
            "sample": "12 matches",
            "note": "",
            "measures": [
                {
                    "row": "soul",
                    "column": "loose",
                    "mean": 12.25,
                    "low": 10.5,
                    "high": 14,
                    "n": 12,
                    "paper": 11,
                    "verdict": "holds",
                },
                {"row": "soul", "column": "tight", "mean": None},
            ],
        }
    ],
    "claims": [{"text": "It wins.", "verdict": "holds", "evidence": "12.25"}],
    "figures": [],
    "notes": ["A note."],
    "cpu_seconds": 3.5,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("results") / "kept"
    (made / "deep" / "deeper").mkdir(parents=True)
    (made / "zoo.json").write_text(json.dumps(REPORT))
    (made / "zoo.csv").write_text("a,b\n1,2\n")
    (made / "zoo-won.svg").write_text(SVG)
    (made / "zoo-2.json").write_text(json.dumps({**REPORT, "title": "Another"}))
    (made / "zoo-2-won.svg").write_text(SVG)
    (made / "deep" / "deeper" / "far.json").write_text(json.dumps({**REPORT, "title": "Far"}))
    (made / "bad.json").write_text("[" * 100_000)
    (made / "odd.json").write_text(json.dumps({"tables": 3, "claims": "x", "settings": None}))
    (made / "list.json").write_text("[1]")
    (made / "page.html").write_text("<script>alert(3)</script>")
    (made.parent / "secret.json").write_text(json.dumps({**REPORT, "title": "SECRET"}))
    (made / "out.json").symlink_to(made.parent / "secret.json")
    (made / "away").symlink_to(made.parent)
    return made


@pytest.fixture(scope="module")
def asked(folder, tmp_path_factory):
    settings = Settings(PORT, tmp_path_factory.mktemp("page"), None, folder)
    with TestClient(make_app(settings), base_url=HOME, headers={"Origin": HOME}) as made:
        made.get("/")
        yield made


def test_reports_are_listed_and_shown(asked):
    text = asked.get("/experiments").text
    assert "A zoo &lt;script&gt;" in text
    assert "Another" in text
    assert "Far" in text
    assert "1 holds" in text
    assert "SECRET" not in text
    page = asked.get("/experiments/report/zoo").text
    assert "<td>12.25</td>" in page
    assert "10.5 to 14" in page
    assert "settings seed" in page
    assert "<dd>7</dd>" in page
    assert "It wins." in page
    assert "A note." in page
    assert page.count("<img") == 1  # the figure of the other report with a longer name is not its own
    assert 'src="/experiments/file/zoo-won.svg"' in page
    assert "zoo-2" not in page
    assert "<script>alert" not in page
    assert asked.get("/experiments/report/deep/deeper/far").status_code == 200
    assert asked.get("/experiments/report/odd").status_code == 200


def test_files_are_handed_out_and_no_script_in_them_runs(asked):
    picture = asked.get("/experiments/file/zoo-won.svg")
    assert picture.headers["content-type"] == "image/svg+xml"
    policy = picture.headers["content-security-policy"]
    assert "sandbox" in policy
    assert "script" not in policy  # so it is default-src: none
    assert "default-src 'none'" in policy
    assert picture.headers["x-content-type-options"] == "nosniff"
    assert picture.headers["content-disposition"].startswith("inline")
    kept = asked.get("/experiments/file/zoo-won.svg?keep")
    assert kept.headers["content-disposition"].startswith("attachment")
    sheet = asked.get("/experiments/file/zoo.csv")
    assert sheet.text == "a,b\n1,2\n"
    assert sheet.headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize(
    "name",
    [
        "../secret.json",
        "..%2fsecret.json",
        "%2e%2e/secret.json",
        "deep/../../secret.json",
        "/etc/passwd",
        "//etc/passwd",
        "out.json",
        "away/secret.json",
        "page.html",
        "zoo",
        "",
        ".",
        "zoo.json%00",
        "C:\\x",
        "nothing.json",
    ],
)
def test_paths_lead_nowhere_else(asked, name):
    for where in ("file", "report"):
        if (where, name) == ("report", "zoo"):
            continue
        answer = asked.get(f"/experiments/{where}/{name}")
        assert answer.status_code == 404, (where, name)
        assert "SECRET" not in answer.text
        assert asked.get(f"/experiments/{where}/{name.removesuffix('.json')}").status_code in (404, 200)
    assert asked.post("/experiments/file/zoo.json").status_code == 405


def test_nothing_is_written(asked, folder):
    before = sorted(path.name for path in folder.rglob("*"))
    for where in ("", "/report/zoo", "/file/zoo.json"):
        asked.get(f"/experiments{where}")
    assert sorted(path.name for path in folder.rglob("*")) == before


def test_a_folder_that_is_not_there_is_empty(tmp_path):
    settings = Settings(PORT, tmp_path / "page", None, tmp_path / "nowhere")
    with TestClient(make_app(settings), base_url=HOME) as made:
        text = made.get("/experiments").text
        assert "There are no reports here yet" in text
        assert "--report" in text


# Runs.


def run_of(path):
    """The record of a run that can be read."""
    found = read_run(path)
    assert found is not None
    return found


def run(*words: object):
    return CliRunner().invoke(cli, [str(word) for word in words], prog_name="soulread")


@pytest.mark.compiled
def test_commands_keep_their_reports(tmp_path):
    """What is kept is what --json prints; the run beside it says what was asked and how it ended."""
    commands: dict[str, list[object]] = {
        "duel": ["kuhn", "always-raise", "always-call", "-n", 20, "--seed", 3],
        "tournament": ["kuhn", "equilibrium", "random", "-n", 10, "-m", 2],
        "curve": ["kuhn", "--opponent", "loose", "--trust", "0,1"],
    }
    for name, words in commands.items():
        asking: list[object] = [name, *words, "--report", tmp_path, "--json"]
        done = run(*asking)
        assert done.exit_code == 0, done.output
        (path,) = tmp_path.glob(f"{name}-*.run.json")
        record = run_of(path)
        assert (record["kind"], record["standing"]) == (name, "done")
        assert record["asked"]["game"] == "kuhn"
        (kept,) = (file for file in tmp_path.glob(f"{name}-*.json") if file != path)
        told, found = json.loads(done.stdout), json.loads(kept.read_text())
        assert told == found
    assert run_of(next(tmp_path.glob("duel-*.run.json")))["done"] == 20
    settings = Settings(PORT, tmp_path / "page", None, tmp_path)
    with TestClient(make_app(settings), base_url=HOME) as made:
        text = made.get("/experiments").text
        for name in commands:
            assert f"/experiments/report/{name}-kuhn" in text
        assert "Runs</h2>" not in text
        duel = next(tmp_path.glob("duel-*.run.json")).name.removesuffix(".run.json")
        page = made.get(f"/experiments/report/{duel}").text
        assert "always-raise" in page
        assert '<td class="draw"><svg' in page
        assert "<dt>seed</dt><dd>3</dd>" in page
    failed = run("duel", "kuhn", "always-raise", "nobody", "--report", tmp_path / "new")
    assert failed.exit_code == 2
    (path,) = (tmp_path / "new").glob("*.run.json")
    record = run_of(path)
    assert record["standing"] == "failed"
    assert "nobody" in record["error"]


def test_a_run_says_how_far_it_is(tmp_path):
    with noted_run(tmp_path, "long", "duel", {"seed": 1}) as note:
        note.say(3, 10, "playing")
        note.write()
        record = run_of(note.path)
        assert (record["standing"], record["done"], record["total"]) == ("running", 3, 10)
        note.add(4, 10)
        note.write()
        assert run_of(note.path)["done"] == 7
    assert run_of(note.path)["standing"] == "done"
    with pytest.raises(SoulreadError, match="over"), noted_run(tmp_path, "long", "duel", {}):
        raise SoulreadError("over")
    assert run_of(note.path)["standing"] == "failed"
    with pytest.raises(KeyboardInterrupt), noted_run(tmp_path, "long", "duel", {}):
        raise KeyboardInterrupt
    assert run_of(note.path)["standing"] == "interrupted"


def test_a_run_that_was_killed_is_told_from_one_that_works(tmp_path):
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    record = {"name": "a", "standing": "running", "process": child, "machine": platform.node()}
    path = tmp_path / "a.run.json"
    path.write_text(json.dumps(record))
    assert run_of(path)["standing"] == "killed"
    path.write_text(json.dumps({**record, "process": os.getpid()}))
    assert run_of(path)["standing"] == "running"
    for process in ("x", None, -1, 0, 2**80):
        path.write_text(json.dumps({**record, "process": process}))
        assert run_of(path)["standing"] in ("killed", "running")
    path.write_text("[")
    assert read_run(path) is None


def test_names_of_runs_tell_settings_apart():
    one, two = (run_name(["duel", "limit:5-5", "a/../b"], {"seed": seed}) for seed in (1, 2))
    assert one != two
    assert one == run_name(["duel", "limit:5-5", "a/../b"], {"seed": 1})
    assert "/" not in one
    assert one.startswith("duel-limit-5-5-a-")
