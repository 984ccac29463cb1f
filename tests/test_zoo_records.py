"""Kept matches of the zoo, reports made from them alone, other versions beside, the search for settings."""

import importlib
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from test_reproduce_zoo import MadeUp, cells, made, plain

from soulread.errors import DamagedFile, SoulreadError
from soulread.estimate import Estimate
from soulread.games.named import parse_game
from soulread.play.opponents.zoo import ZooOpponent, zoo
from soulread.report.figures import Panel
from soulread.reproduce.experiments import run_experiment
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.matches import VERSION
from soulread.reproduce.kit.verdict import Verdict
from soulread.reproduce.ours.zoo import ZooSetup, judge_zoo
from soulread.reproduce.ours.zoo_claims import keeps_promises, meets, promises_closely
from soulread.reproduce.ours.zoo_curves import bins
from soulread.reproduce.ours.zoo_matches import ZooMatches, pooled
from soulread.reproduce.ours.zoo_records import (
    STEP,
    Attainable,
    KeptMatches,
    MatchRecord,
    joined,
    relabelled,
    step_means,
)
from soulread.tasks import ResultStore

LOOSE = ZooOpponent("bent", "one", "skew:loose=0.1")


def benchmark(name: str) -> ModuleType:
    """A module of benchmarks/."""
    path = Path(__file__).resolve().parents[1] / "benchmarks" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def record(number: int, won: float, hands: int = 40, usual: float = 1.0) -> MatchRecord:
    steps = -(-hands // STEP)
    return MatchRecord(number, hands, np.full(steps, won), np.full(steps, usual), np.linspace(0, 3, steps))


def kept(records: dict[tuple[str, str], list[MatchRecord]], **changes: Any) -> KeptMatches:
    usual: dict[str, Any] = {
        "game": "leduc",
        "seed": 1,
        "version": VERSION,
        "players": {"equilibrium": "equilibrium", "soul": "soul"},
        "opponents": (LOOSE,),
        "limits": {LOOSE.agent: Attainable(1.0, 30.0)},
    }
    return KeptMatches(**{**usual, **changes}, records=records)


def test_steps_are_means_of_ten_hands() -> None:
    assert step_means(np.arange(25.0)).tolist() == [4.5, 14.5, 22.0]
    assert record(0, 5.0, hands=25).weights.tolist() == [10, 10, 5]


def test_a_file_gives_back_what_was_kept(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    series = np.array([0.04, 0.04, -12.34, 500.0])
    match = MatchRecord(3, 40, series, None, series + 1, seconds=2.5)
    kept({("soul", LOOSE.agent): [record(0, 7.0), match]}).write(path)
    found = KeptMatches.read(path)
    assert found.opponents == (LOOSE,)
    assert (found.game, found.seed, found.version, found.matches) == ("leduc", 1, VERSION, 4)
    assert (found.limits[LOOSE.agent].ceiling, found.limits[LOOSE.agent].usual) == (30.0, 1.0)
    assert np.isnan(found.limits[LOOSE.agent].within)
    first, second = found.records["soul", LOOSE.agent]
    assert first.won.tolist() == [7.0] * 4
    assert first.usual is not None
    assert first.usual.tolist() == [1.0] * 4
    assert second.won.tolist() == [0.0, 0.0, -12.3, 500.0]
    assert second.promised is not None
    assert second.promised.tolist() == [1.0, 1.0, -11.3, 501.0]
    assert (second.usual, second.seconds, second.number) == (None, 2.5, 3)
    found.write(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


def test_damage_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    kept({("soul", LOOSE.agent): [record(0, 7.0)]}).write(path)
    whole = path.read_text()
    path.write_text(whole.replace("[70,4]", "[71,4]"))
    with pytest.raises(DamagedFile, match="not what was written"):
        KeptMatches.read(path)
    kept({("soul", LOOSE.agent): [MatchRecord(0, 90, np.zeros(4))]}).write(path)
    with pytest.raises(DamagedFile, match="another length"):
        KeptMatches.read(path)
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(DamagedFile, match="no checksum"):
        KeptMatches.read(tmp_path / "other.json")
    with pytest.raises(SoulreadError, match="does not exist"):
        KeptMatches.read(tmp_path / "nothing.json")


def test_records_under_another_name_and_together() -> None:
    older = {("soul", "a"): [record(0, 1.0), record(1, 2.0)], ("dbr", "a"): [record(0, 3.0)]}
    newer = {("soul", "a"): [record(0, 9.0)]}
    assert set(relabelled(kept(older), "soul", "former")) == {("former", "a")}
    whole = joined([newer, older])
    assert [one.won[0] for one in whole["soul", "a"]] == [9.0, 2.0]


# Matches by records


def matches(records: dict[tuple[str, str], list[MatchRecord]], hands: int = 40) -> ZooMatches:
    players = {"equilibrium": "equilibrium", "soul": "soul"}
    others = [ZooOpponent("bent", agent, agent) for _, agent in records]
    opponents = list(dict.fromkeys(others))
    return ZooMatches("leduc", players, opponents, hands, 1, 1, kept=records)


def test_kept_matches_are_not_played_again() -> None:
    found = ZooMatches(
        "leduc", {"equilibrium": "equilibrium", "soul": "soul"}, [LOOSE], 40, 3, 1,
        kept={("soul", LOOSE.agent): [record(1, 5.0)]},
    )  # fmt: skip
    left = [int(str(task.parameters["number"])) % 1000 for task in found.missing["soul", LOOSE.agent]]
    assert left == [0, 2]
    gain = found.gain("soul", LOOSE)
    assert gain is not None
    assert gain.mean == pytest.approx(4)


def test_windows_count_hands_from_one() -> None:
    """Hands 11 to 20 are the second step; a last step of five hands counts half."""
    steps = np.array([0.0, 10.0, 20.0])
    found = matches({("soul", "a"): [MatchRecord(0, 25, steps, np.zeros(3), np.ones(3))]}, hands=25)
    (opponent,) = found.opponents
    second = found.gain("soul", opponent, first=10, last=20)
    whole, end = found.gain("soul", opponent), found.gain("soul", opponent, first=10)
    assert second is not None
    assert whole is not None
    assert end is not None
    assert second.mean == 10.0
    assert whole.mean == pytest.approx(200 / 25)
    assert end.mean == pytest.approx(200 / 15)
    assert found.gain("soul", opponent, first=30) is None


def test_moving_means_and_tenths() -> None:
    won = np.concatenate([np.zeros(10), np.full(10, -30.0)])
    found = matches(
        {
            ("soul", "a"): [MatchRecord(0, 200, won, np.zeros(20), np.full(20, 5.0))],
            ("soul", "b"): [MatchRecord(0, 200, won + 10, np.zeros(20), np.full(20, 5.0))],
        },
        hands=200,
    )
    moving = found.moving_gains("soul", found.opponents)
    assert list(moving) == list(range(100, 201, 10))
    assert (moving[100].mean, moving[150].mean, moving[200].mean) == (5.0, -10.0, -25.0)
    assert moving[100].n == 2
    tenths = found.less_promised("soul", "bent")
    assert {tenth: less.mean for tenth, less in tenths.items()} == {
        tenth: 0.0 if tenth <= 5 else -30.0 for tenth in range(1, 11)
    }


def test_who_was_chosen_after_a_look_is_judged_by_later_matches() -> None:
    found = matches(
        {
            ("soul", "a"): [record(0, -99.0), record(1, 1.0), record(2, 3.0)],
            ("soul", "b"): [record(0, 5.0)],
        }
    )
    a, b = found.opponents
    fair, every, other = (
        found.gain("soul", a, after_look=True),
        found.gain("soul", a),
        found.gain("soul", b, after_look=True),
    )
    assert fair is not None
    assert every is not None
    assert other is not None
    assert (fair.mean, fair.n) == (1.0, 2)
    assert (every.n, other.n) == (3, 1)


def test_the_mean_of_a_family_is_over_matches_or_over_opponents() -> None:
    several = [Estimate(1.0, 3.0, 4), Estimate(4.0, 4.0, 8)]
    assert pooled(several) == Estimate.average(several)
    single = pooled([Estimate(1.0, float("nan"), 1), Estimate(3.0, 1.0, 8), None])
    assert single is not None
    assert (single.mean, single.n, single.standard_error) == (2.0, 2, 1.0)
    assert pooled([None]) is None


def test_bins_grow_by_a_third_and_leave_nothing_out() -> None:
    found = list(bins(1000))
    assert found[:5] == [(0, 10), (10, 20), (20, 30), (30, 40), (40, 50)]
    assert [last for _, last in found[:-1]] == [first for first, _ in found[1:]]
    assert (found[0][0], found[-1][1]) == (0, 1000)
    assert all(last % STEP == 0 for _, last in found)
    assert len(found) < 25


# Promises


def test_a_promise_is_met_by_an_interval_around_zero_or_near_it() -> None:
    near, around, off, single = (
        Estimate(15.0, 2.0, 10), Estimate(30.0, 20.0, 10), Estimate(60.0, 5.0, 10), Estimate(1.0, np.nan, 1),
    )  # fmt: skip
    assert [meets(x) for x in (near, around, off, single, None)] == [True, True, False, False, False]
    assert keeps_promises({"a": near, "b": around}).verdict is Verdict.HOLDS
    assert keeps_promises({"a": near, "b": off}).verdict is Verdict.FAILS
    assert keeps_promises({"a": near, "b": single}).verdict is Verdict.UNDECIDED
    assert promises_closely({"a": near}).verdict is Verdict.HOLDS
    assert promises_closely({"a": near, "b": around}).verdict is Verdict.UNDECIDED
    assert promises_closely({"a": near, "b": off}).verdict is Verdict.FAILS
    assert "of 2, 1 contain 0 or lie within 25" in keeps_promises({"a": near, "b": off}).evidence


# The experiment


USUAL: dict[str, Any] = {
    "game": "leduc", "quick": True, "hands": 310, "matches": 2, "players": ("soul",)
}  # fmt: skip


def options(tmp_path: Path, **changes: Any) -> MadeUp:
    found = MadeUp(store=ResultStore(tmp_path), **{**USUAL, **changes})
    object.__setattr__(found, "won", plain)
    return found


def test_soul_alone_and_what_is_kept_of_it(tmp_path: Path) -> None:
    file = tmp_path / "kept.json"
    first = judge_zoo(options(tmp_path, kept=str(file)))
    assert not any("dbbr" in claim.text for claim in first.claims)
    assert file.stat().st_size < 60_000

    class Idle(MadeUp):
        def run(self, tasks):
            assert not list(tasks)
            return iter(())

    written = file.read_bytes()

    idle = Idle(**{**USUAL, "kept": str(file), "stored_only": True})
    again = judge_zoo(idle)
    assert file.read_bytes() == written
    judge_zoo(options(tmp_path, kept=str(tmp_path / "cut_short.json"), stored_only=True))
    assert (tmp_path / "cut_short.json").read_bytes() == written  # from what the store has
    assert [(claim.text, claim.verdict) for claim in again.claims] == [
        (claim.text, claim.verdict) for claim in first.claims
    ]
    title = "gain over the equilibrium after so many hands"
    gains, before = cells(again, title), cells(first, title)
    assert gains.keys() == before.keys()
    after = gains["bent", "after 300"]
    assert isinstance(after, Estimate)
    assert after.mean == pytest.approx(30, abs=0.1)
    assert again.seconds == pytest.approx(first.seconds - len(ZooSetup.of(options(tmp_path)).opponents))


def test_results_of_an_older_version_are_only_reported(tmp_path: Path) -> None:
    file = tmp_path / "kept.json"
    judge_zoo(options(tmp_path, kept=str(file)))
    old = KeptMatches.read(file)
    kept(old.records, version=3, opponents=old.opponents[:4], limits=old.limits, players=old.players).write(
        file
    )
    written = file.read_bytes()
    found = judge_zoo(options(tmp_path, kept=str(file), stored_only=True))
    assert found.settings["version"] == 3
    assert file.read_bytes() == written


def test_another_version_stands_beside(tmp_path: Path) -> None:
    """The former version gains 10 where soul gains 30: three times as much."""
    setup = ZooSetup.of(options(tmp_path))
    records = {
        ("soul", one.agent): [
            MatchRecord(number, 300, np.full(30, 20.0), np.full(30, 10.0)) for number in range(2)
        ]
        for one in setup.opponents
    }
    file = tmp_path / "former.json"
    kept(records, opponents=setup.opponents, limits={}).write(file)
    found = judge_zoo(options(tmp_path, beside=(f"former={file}",)))
    claims = [claim for claim in found.claims if "'former'" in claim.text]
    assert [claim.verdict for claim in claims] == [Verdict.HOLDS] * 2
    assert "3.00 times" in claims[0].evidence
    table = cells(found, "gain over the equilibrium beside 'former'")
    beyond = table["rules", "soul less 1.5 former, 100"]
    assert isinstance(beyond, Estimate)
    assert beyond.mean == pytest.approx(15)
    (figure,) = [figure for figure in found.figures if figure.name == "curves"]
    panel = figure.panels[0]
    assert isinstance(panel, Panel)
    assert [curve.label for curve in panel.curves] == ["soul, won", "soul, promised", "former"]


def test_long_matches_only_where_the_opponent_waits() -> None:
    setup = ZooSetup.of(RunOptions(game="limit"))
    assert len(setup.opponents) == 103
    assert (setup.hands, setup.matches) == (1000, 1)
    hands = {one.family: setup.matches_of_all.hands_of(one) for one in setup.opponents}
    assert {family for family, count in hands.items() if count == 2000} == {"changing", "deceivers"}
    leduc = ZooSetup.of(RunOptions(game="leduc"))
    assert (len(leduc.opponents), leduc.hands, leduc.matches, leduc.longer) == (106, 1000, 10, ())
    short = ZooSetup.of(RunOptions(game="limit", hands=300))
    assert {short.matches_of_all.hands_of(one) for one in short.opponents} == {300}


def test_only_some_opponents_are_played() -> None:
    setup = ZooSetup.of(
        RunOptions(game="leduc", players=("soul",), only=("equilibria", "rule 12"), matches=3)
    )
    played = {str(task.parameters["agents"][1]) for task in setup.tasks if "agents" in task.parameters}  # type: ignore[index]
    expected = {one.agent for one in setup.opponents if one.family == "equilibria"} | {"rule:number=12"}
    assert played == expected


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"players": ("nobody",)}, "'nobody' does not play in the zoo of leduc; known are 'equilibrium', "),
        ({"only": ("nobody",)}, "'nobody' is neither a family nor an opponent"),
        ({"beside": ("former",)}, "names no results to stand beside; write LABEL=FILE"),
        ({"beside": ("soul={path}",)}, "'soul' is a player of the zoo"),
        ({"kept": "{path}", "seed": 2}, "matches of leduc with seed 1, not of leduc with seed 2"),
        ({"kept": "{old}"}, "matches of version 1, and agents of version"),
        ({"kept": "{path}", "aivat": True}, "leave out --aivat"),
        ({"kept": "{none}", "stored_only": True}, "does not exist"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    names = {name: str(tmp_path / f"{name}.json") for name in ("path", "old", "none")}
    kept({}).write(Path(names["path"]))
    kept({}, version=1).write(Path(names["old"]))

    def filled(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(filled, value))
        return value.format(**names) if isinstance(value, str) else value

    with pytest.raises(SoulreadError, match=message):
        run_experiment("zoo", RunOptions(**{name: filled(value) for name, value in changes.items()}))
    with pytest.raises(SoulreadError, match="'dbbr-table' has no option"):
        run_experiment("dbbr-table", RunOptions(only=("x",)))


# Another checkout, and the search for settings


def test_another_checkout_writes_such_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With results that were made up; only the first two opponents."""
    module = benchmark("former_soul")
    game = parse_game("leduc")
    opponents = module.in_turn(zoo(game, role="judging"))[:2]
    assert [one.family for one in opponents] == ["bent", "equilibria"]
    tasks = module.meetings("leduc", opponents, 30, 2, 1)
    assert list(tasks)[:2] == [(one.agent, 0) for one in opponents]
    store = ResultStore(tmp_path / "store")
    for pair in tasks.values():
        for task in pair:
            found = made(task, plain)
            store.save(task, {name: found[name] for name in found.values}, 1.0)
    file = tmp_path / "former.json"
    arguments = f"{file} --hands 30 --matches 2 --most 2 --store {store.directory}"
    module.main(arguments.split())
    assert "written" in capsys.readouterr().out
    kept_matches = KeptMatches.read(file)
    (match, other) = kept_matches.records["soul", opponents[0].agent]
    assert match.usual is not None
    assert (match.won - match.usual).tolist() == pytest.approx([30.0] * 3, abs=0.11)
    assert (match.hands, other.number, match.seconds) == (30, 1, 2.0)


def test_settings_are_options_and_constants() -> None:
    module = benchmark("choose_soul")
    assert module.divide("") == ([], {})
    assert module.divide("T=5,sure=0.9,DRIFT=0.01,PRIORS.tilts=0.2") == (
        ["T=5", "sure=0.9"],
        {"DRIFT": 0.01, "PRIORS.tilts": 0.2},
    )
    from soulread.model.bayes import mixture

    soul: Any = importlib.import_module("soulread.play.exploiters.soul")

    before = mixture.DRIFT, dict(mixture.PRIORS), mixture.EVERY
    with module.with_constants({"DRIFT": 0.5, "PRIORS.tilts": 0.2, "EVERY": 7.0, "HABITS.mild.doubt": 0.4}):
        assert mixture.DRIFT == 0.5
        assert (mixture.average_of.__defaults__ or ())[0] == 0.5  # where it is the default, too
        assert mixture.HABITS["mild"].doubt == 0.4
        assert {**before[1], "tilts": 0.2} == mixture.PRIORS
        assert (mixture.EVERY, soul.EVERY) == (7, 7)  # everywhere, and still a whole number
        assert isinstance(mixture.EVERY, int)
    assert before == (mixture.DRIFT, mixture.PRIORS, mixture.EVERY)
    assert (mixture.average_of.__defaults__ or ())[0] == mixture.DRIFT
    for bad, message in (
        ("sure", "write NAME=VALUE"),
        ("NOTHING=1", "no module of soul has a constant"),
        ("HABITS.x.y=1", "no value of HABITS"),
    ):
        with pytest.raises(SoulreadError, match=message), module.with_constants(module.divide(bad)[1]):
            pass
    assert not any(module.divide(setting)[0] == module.divide(setting)[1] for setting in module.SETTINGS)
    for setting in module.SETTINGS:
        with module.with_constants(module.divide(setting)[1]):
            pass


def test_nobody_for_judging_is_met_while_settings_are_chosen() -> None:
    module = benchmark("choose_soul")
    for name in ("leduc", "limit"):
        game = parse_game(name)
        judging = {opponent.agent for opponent in zoo(game, role="judging")}
        chosen = module.opponents_of(game)
        assert not judging & {opponent.agent for opponent in chosen}
        assert {opponent.family for opponent in chosen} == {"bent", "rules", "equilibria", "changing"}


def test_the_better_half_goes_on(
    tmp_path: Path, monkeypatch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Gains that were made up: sure=0.9 is best, sure=0.1 gains more but loses to equilibria."""
    module = benchmark("choose_soul")
    played: list[tuple[str, str]] = []

    def play(game: Any, setting: str, opponent: ZooOpponent, hands: int, label: str) -> dict[str, Any]:
        played.append((setting, opponent.agent))
        gain = {"": 10.0, "sure=0.9": 20.0, "sure=0.1": 90.0, "sure=0.2": 1.0}[setting]
        if setting == "sure=0.1" and opponent.family == "equilibria":
            gain = -11.0
        row = {"label": label, "game": game.name, "setting": setting, "family": opponent.family}
        return {**row, "opponent": opponent.agent, "hands": hands, "gains": [gain] * 3,
                "promised": [0.0] * 3, "seconds": 1.0}  # fmt: skip

    monkeypatch.setattr(module, "play", play)
    file = tmp_path / "looked_at.jsonl"
    arguments = f"{file} --first 1 --rungs 2 --hands 30 --label now --settings sure=0.1 sure=0.2 sure=0.9"
    module.main(arguments.split())
    told = capsys.readouterr().out
    assert {setting for setting, _ in played[16:]} == {"", "sure=0.9"}
    assert len(played) == 4 * 4 + 2 * 4
    assert "the best of the last rung: sure=0.9, as it is" in told
    assert "sure=0.1" in told
    assert "LOSES to equilibria" in told
    assert "4 settings, 24 matches were looked at" in told
    assert "10.0 ± 0.0 more than as it is" in told
    assert len([json.loads(text) for text in file.read_text().splitlines()]) == 24
    module.main(arguments.split())  # goes on where it stopped
    assert len(played) == 24
    module.main([str(file), "--show"])
    assert "matches were looked at" in capsys.readouterr().out


def test_curves_of_exact_gains(tmp_path: Path) -> None:
    """A store that was made up: gains of 10 and 30 mb/g, and a promise of 20 between 5 and 40."""
    module = benchmark("draw_soul")
    store = tmp_path / "store.jsonl"
    rows = []
    for agent in ("soul", "oracle"):
        for number, gain in enumerate((0.02, 0.06)):
            series = {"gains": gain, "promises": 0.04, "low": 0.01, "high": 0.08}
            key = json.dumps(["", agent, "simple", f"member {number}", 0, 50])
            values = {name: [0.0, *[value] * 5] for name, value in series.items()}
            rows.append(
                {"key": key, "family": "simple", "name": str(number), "best": 0.2, "within": 0.001, **values}
            )
    rows.append({**rows[0], "key": json.dumps(["other", "soul", "simple", "member 0", 0, 50])})
    store.write_text("\n".join(map(json.dumps, rows)))
    found = module.rows_of(store, "", 50)
    assert {place: len(part) for place, part in found.items()} == {
        ("soul", "simple"): 2,
        ("oracle", "simple"): 2,
    }
    (panel,) = module.figure_of(found, ["soul", "learner", "oracle"], 50, []).panels
    assert [curve.label for curve in panel.curves] == ["soul", "soul, promised", "oracle"]
    soul, promise, _ = panel.curves
    assert soul.x == (10, 20, 30, 40, 50)
    assert soul.y == pytest.approx([20.0] * 5)
    assert (promise.y, promise.low, promise.high) == (
        pytest.approx([20.0] * 5), pytest.approx([5.0] * 5), pytest.approx([40.0] * 5),
    )  # fmt: skip
    assert {level.label: level.y for level in panel.levels} == {"equilibrium": 0.0, "best response": 100.0}
    module.main([str(store), str(tmp_path / "curves.svg"), "--hands", "50"])
    assert "mathdefault" not in (tmp_path / "curves.svg").read_text()
    with pytest.raises(SoulreadError, match="no matches of 60 hands"):
        module.main([str(store), str(tmp_path / "curves.svg"), "--hands", "60"])
