"""Files that are damaged, disks that are full, numbers that are no probabilities: never used silently.

`benchmarks/damage.py` does the first part with 10,000 mutants of each kind.
"""

import dataclasses
import errno
import os
import resource
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from mutants import ACCEPTED, CRASHED, LOST, REFUSED, Attack, subjects
from numpy.testing import assert_array_equal
from safetensors.numpy import save_file

from soulread.cli import cli
from soulread.errors import DamagedFile, SoulreadError
from soulread.games.leduc import leduc
from soulread.games.named import parse_game
from soulread.hands.formats.acpc import LogWriter, read_log_file
from soulread.play.match.matches import Match
from soulread.play.opponents.baselines import Random
from soulread.report.figures import Curve, Figure, Panel, draw
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.report import Report
from soulread.seqform.compile import compile_factored, compile_game
from soulread.seqform.source import parse_source
from soulread.seqform.strategy import Behaviour, uniform_behaviour
from soulread.solvers.cfr.run import solve
from soulread.solvers.equilibria import playable_strategy, solve_or_load
from soulread.solvers.strategy_files import Strategy, load_strategy, save_strategy
from soulread.storage import cache
from soulread.storage import files as storage
from soulread.storage.files import UNSEALED, digest, replacing, verify_file, write_file, write_sealed
from soulread.storage.tensors import read_metadata, write_tensors
from soulread.tasks import ResultStore, Task, run_tasks

SUBJECTS = {subject.name: subject for subject in subjects()}


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SOULREAD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def one_sentence(result: Result) -> str:
    """What a command that failed said: one line on standard error, exit code 2."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("soulread: ")
    return result.stderr


# Damage -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SUBJECTS)
def test_no_mutant_is_accepted(name: str, tmp_path: Path) -> None:
    attack = Attack(SUBJECTS[name], tmp_path / "subject")
    rng = np.random.default_rng(5)
    wrong = [found for found in (attack(rng) for _ in range(40)) if found[1] in (ACCEPTED, LOST, CRASHED)]
    assert wrong == []


@pytest.mark.parametrize("name", ["strategy", "checkpoint", "result", "cache"])
def test_one_changed_byte_anywhere_is_noticed(name: str, tmp_path: Path) -> None:
    """Of the header, of the metadata, of the numbers, of the seal itself; of a strategy every single byte."""
    (tmp_path / "subject").mkdir()
    for path in SUBJECTS[name].make(tmp_path / "subject"):
        content = path.read_bytes()
        expected = digest(path) if path.suffix == ".npy" else None
        verify_file(path, expected)
        for place in range(0, len(content), 1 if name == "strategy" else 11):
            path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
            with pytest.raises(DamagedFile):
                verify_file(path, expected)
        path.write_bytes(content)
        verify_file(path, expected)


def test_large_files_are_verified_to_the_last_byte(tmp_path: Path) -> None:
    path = tmp_path / "large"
    content = np.random.default_rng(1).bytes(3 * 2**20 + 17)
    path.write_bytes(content)
    expected = digest(path)
    for place in (0, 2**20 - 1, 2**20, 2**21 + 5, len(content) - 1):
        path.write_bytes(content[:place] + bytes([content[place] ^ 128]) + content[place + 1 :])
        with pytest.raises(DamagedFile, match="large' is damaged: its content is not what was written"):
            verify_file(path, expected)
    path.write_bytes(content[2**20 : 2**21] + content[: 2**20] + content[2**21 :])  # two pieces swapped
    with pytest.raises(DamagedFile):
        verify_file(path, expected)
    path.write_bytes(content + b"\0")
    with pytest.raises(DamagedFile):
        verify_file(path, expected)
    path.write_bytes(content)
    verify_file(path, expected)


def test_a_seal_may_stand_anywhere(tmp_path: Path) -> None:
    """Also across the pieces in which a file is searched."""
    path = tmp_path / "sealed"
    for before in (0, 5, 2**20 - 15, 2**20 - 12, 2**20 - 9, 2**20 + 3):
        text = b'{"x":"' + b"." * before + f'","seal":"{UNSEALED}"'.encode() + b"}"
        write_sealed(path, text)
        verify_file(path)
        path.write_bytes(path.read_bytes().replace(b"}", b"]"))
        with pytest.raises(DamagedFile):
            verify_file(path)


def test_a_file_is_verified_once_while_it_stays_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = []
    real = storage._digest

    def count(*given: Any) -> str:
        counted.append(given)
        return real(*given)

    monkeypatch.setattr(storage, "_digest", count)
    path = tmp_path / "file"
    path.write_bytes(b"content")
    expected = digest(path)
    counted.clear()
    for _ in range(2):  # it might change within the same tick of the clock
        verify_file(path, expected)
    assert len(counted) == 2
    later = time.time_ns() + 10 * 10**9
    monkeypatch.setattr(time, "time_ns", lambda: later)
    for _ in range(3):
        verify_file(path, expected)
    assert len(counted) == 3
    path.write_bytes(b"kontent")
    os.utime(path, ns=(0, 0))
    with pytest.raises(DamagedFile):
        verify_file(path, expected)


def test_a_damaged_equilibrium_is_solved_again_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "kuhn.strategy"
    source = parse_source("kuhn")

    def solved(game: object, progress: object) -> object:
        return solve(source.compile(), iterations=20)

    before = solve_or_load(source, path, solved)  # type: ignore[arg-type]
    content = path.read_bytes()
    nan = [np.full_like(behaviour, np.nan) for behaviour in before.behaviours]
    write_tensors(
        path,
        "strategy",
        dict(zip(("behaviour0", "behaviour1"), nan, strict=True)),
        read_metadata(path, "strategy"),
    )
    sealed_nan = path.read_bytes()
    for damaged in (content[:-40], content[:-1] + b"x", b"", sealed_nan):
        path.write_bytes(damaged)
        caplog.clear()
        again = solve_or_load(source, path, solved)  # type: ignore[arg-type]
        assert_array_equal(again.behaviours[0], before.behaviours[0])
        (record,) = caplog.records
        assert record.getMessage().endswith("; it is solved again")
        assert "kuhn.strategy'" in record.getMessage()
        assert len(path.read_bytes()) == len(content)  # repaired


def test_damaged_results_are_told_and_run_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = ResultStore(tmp_path)
    tasks = [Task(dict, {"x": x}) for x in range(3)]
    for task in tasks:
        store.save(task, {"x": 2.0}, 1.0)
    first, second = map(store.path, tasks[:2])
    first.write_bytes(first.read_bytes().replace(b'"seconds":"1.0"', b'"seconds":"9.0"'))
    shutil.copy(store.path(tasks[2]), second)  # whole, but of another task
    assert [result.task for result in run_tasks(tasks, store, stored_only=True)] == tasks[2:]
    (record,) = caplog.records
    assert record.getMessage() == (
        f"damaged results in the store: 2, which are left out; the first: {str(first)!r} is damaged: "
        "its content is not what was written"
    )
    with pytest.raises(DamagedFile, match="is the result of another task"):
        store.load(tasks[1])


# Numbers ------------------------------------------------------------------------------------------


@pytest.fixture
def leduc_file(tmp_path: Path) -> Callable[..., Path]:
    """Writes a sealed strategy file of Leduc with given behaviours."""
    game = compile_factored(leduc())
    uniform = [uniform_behaviour(tree) for tree in game.trees]
    strategy = dataclasses.replace(
        Strategy.from_solution(solve(game, iterations=1)), behaviours=(uniform[0], uniform[1])
    )
    path = tmp_path / "leduc.strategy"

    def write(change: Callable[[np.ndarray], np.ndarray], seat: int = 0) -> Path:
        save_strategy(path, strategy)
        tensors = {f"behaviour{i}": change(array) if i == seat else array for i, array in enumerate(uniform)}
        write_tensors(path, "strategy", tensors, read_metadata(path, "strategy"))
        return path

    return write


def one_set_wrong(array: np.ndarray) -> np.ndarray:
    changed = array.copy()
    changed[-1] += 0.01
    return changed


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda array: array * np.nan, "the numbers of seat 0 are not all probabilities between 0 and 1"),
        (lambda array: array * 0 - 1, "the numbers of seat 0 are not all probabilities between 0 and 1"),
        (lambda array: array * 0 + 2, "the numbers of seat 0 are not all probabilities between 0 and 1"),
        (lambda array: array * 0 + np.inf, "not all probabilities"),
        (lambda array: array * 0, "starts with 0.0; the empty sequence has 1"),
        (one_set_wrong, "sum to 1.01, not to 1"),
        (lambda array: array[:-1].copy(), "has shape"),
        (lambda array: array.astype(np.int64), "broken entry: 'I64'"),
        (lambda array: array.reshape(1, -1).copy(), "has shape"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        ("duel", "leduc", "file:FILE", "random", "--hands", "10"),
        ("lbr", "leduc", "file:FILE", "--deals", "10"),
        ("curve", "leduc", "--opponent", "file:FILE", "--trust", "1"),
        ("duel", "leduc", "best-response:file:FILE", "random", "--hands", "10"),
        ("exploitability", "FILE"),
    ],
    ids=lambda words: words[0] if len(words) > 2 else "exploitability",
)
def test_numbers_that_are_no_probabilities_are_refused(
    command: tuple[str, ...],
    change: Callable[[np.ndarray], np.ndarray],
    reason: str,
    leduc_file: Callable[..., Path],
) -> None:
    path = str(leduc_file(change))
    assert reason in one_sentence(run(*(word.replace("FILE", path) for word in command)))


def test_a_table_is_verified_where_no_treeplex_is_compiled() -> None:
    game = compile_factored(leduc())
    strategy = Strategy.from_solution(solve(game, iterations=1))
    table = playable_strategy(strategy, leduc())
    table.verify()
    for seat in (0, 1):
        for value in (np.nan, -0.5, 1.5):
            first, second = (Behaviour(behaviour.copy()) for behaviour in table.behaviours)
            (first, second)[seat][-1] = value
            wrong = dataclasses.replace(table, behaviours=(first, second))
            with pytest.raises(SoulreadError, match=r"x has no probabilities after '.*' in private state"):
                wrong.verify("x")
    root = Behaviour(table.behaviours[0].copy())
    actions = len(table.betting.actions[0])
    root[table.sequence(0, 2) + int(table.arrays.width[0]) * np.arange(actions)] = [
        -0.5,
        1.5,
        *[0.0] * (actions - 2),
    ]
    wrong = dataclasses.replace(table, behaviours=(root, table.behaviours[1]))  # they sum to one
    with pytest.raises(SoulreadError, match=r"after '' in private state 2: \[-0.5, 1.5\] sum to 1"):
        wrong.verify("x")


def test_sums_are_verified_however_the_game_was_compiled(tmp_path: Path) -> None:
    for game in (compile_game(parse_game("kuhn")), compile_factored(parse_game("kuhn"))):
        strategy = Strategy.from_solution(solve(game, iterations=1))
        first = uniform_behaviour(game.trees[0])
        first[1] = 0.25
        save_strategy(
            tmp_path / "x", dataclasses.replace(strategy, behaviours=(first, strategy.behaviours[1]))
        )
        with pytest.raises(DamagedFile, match=r"the probabilities of player 0 at .* sum to"):
            playable_strategy(load_strategy(tmp_path / "x"), parse_game("kuhn"))


def test_two_precisions_become_one(leduc_file: Callable[..., Path]) -> None:
    path = leduc_file(lambda array: array.astype(np.float32))
    first, second = load_strategy(path, compile_factored(leduc())).behaviours
    assert first.dtype == second.dtype == np.float64
    result = run("lbr", "leduc", f"file:{path}", "--deals", 10)
    assert result.exit_code == 0, result.output
    assert "nan" not in result.output


def test_a_file_without_a_seal_is_refused(leduc_file: Callable[..., Path]) -> None:
    path = leduc_file(lambda array: array)
    metadata = read_metadata(path, "strategy")
    del metadata["seal"]
    behaviours = load_strategy(path).behaviours
    save_file({f"behaviour{i}": array for i, array in enumerate(behaviours)}, path, metadata)
    said = one_sentence(run("duel", "leduc", f"file:{path}", "random", "--hands", 10))
    assert "has no checksum: it is damaged, or was written by an older soulread" in said


# Full disks and unwritable places -----------------------------------------------------------------


@contextmanager
def no_room(size: int = 0) -> Iterator[None]:
    """Files may have no more than ``size`` bytes, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


FULL = os.strerror(errno.EFBIG)
FIGURE = Figure("x", "a figure", (Panel("a", "x", "y", (Curve("c", (0.0, 1.0), (0.0, 1.0)),)),))


def _strategy(path: Path) -> None:
    save_strategy(path, Strategy.from_solution(solve(compile_game(parse_game("kuhn")), iterations=2)))


def _log(path: Path) -> None:
    with LogWriter(path, "a title") as write:
        Match(parse_game("kuhn"), (Random(), Random()), 5).play(
            seed=1, record=lambda live: write(live.end, live.players)
        )


WRITERS: dict[str, Callable[[Path], object]] = {
    "strategy": _strategy,
    "figure.svg": lambda path: draw(FIGURE, [path]),
    "figure.png": lambda path: draw(FIGURE, [path]),
    "report.json": lambda path: Report("report", "t", "s", {}, (), ()).write(path.parent),
    "match.log": _log,
    "result": lambda path: ResultStore(path.parent).save(Task(dict, {}), {"x": 1.0}, 0.0),
    "text": lambda path: write_file(path, b"text"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_is_told_and_leaves_nothing_half(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    WRITERS[name](folder / name)  # compiles and imports what is needed; shows what a whole file is
    written = {path: path.read_bytes() for path in folder.iterdir()}
    assert all(written.values())
    with no_room(), pytest.raises(SoulreadError, match=f"cannot be written: {FULL}"):
        WRITERS[name](folder / name)
    assert {path: path.read_bytes() for path in folder.iterdir()} == written  # the old one
    for path in written:
        path.unlink()
    with no_room(), pytest.raises(SoulreadError, match=f"cannot be written: {FULL}"):
        WRITERS[name](folder / name)
    assert list(folder.iterdir()) == []  # no file of 0 bytes


def test_a_log_without_room_ends_with_a_whole_hand(tmp_path: Path) -> None:
    path = tmp_path / "match.log"

    def play(hands: int) -> None:
        with LogWriter(path, "a title") as write:
            Match(leduc(), (Random(), Random()), hands).play(
                seed=1, record=lambda live: write(live.end, live.players)
            )

    play(20)
    whole = path.read_text().splitlines()
    for size in (489, 500, 511):
        with no_room(size), pytest.raises(SoulreadError, match="it ends after hand") as told:
            play(20)
        kept = path.read_text()
        lines = kept.splitlines()
        assert lines == whole[: len(lines)]
        assert kept == "".join(f"{line}\n" for line in lines)
        assert len(kept) <= size < len(kept) + len(whole[len(lines)]) + 1
        assert str(told.value).endswith(f"it ends after hand {len(lines) - 2}")
    assert os.listdir(tmp_path) == ["match.log"]


def test_an_interrupted_match_keeps_its_log(tmp_path: Path) -> None:
    path = tmp_path / "match.log"
    path.write_text("STATE:0:an old log\n")
    hands = []

    def record(live: object) -> None:
        hands.append(live)
        write(live.end, live.players)  # type: ignore[attr-defined]
        assert path.read_text() == "STATE:0:an old log\n"
        if len(hands) == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), LogWriter(path) as write:
        Match(leduc(), (Random(), Random()), 20).play(seed=1, record=record)
    assert len(read_log_file(path, leduc()).hands) == 7
    with pytest.raises(KeyboardInterrupt), LogWriter(path):
        raise KeyboardInterrupt  # before the first hand
    assert len(read_log_file(path, leduc()).hands) == 7


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    _strategy(pipe)
    reader.join()
    assert pipe.is_fifo()
    assert os.listdir(tmp_path) == ["pipe"]
    (tmp_path / "copy").write_bytes(read[0])
    assert load_strategy(tmp_path / "copy").game == "kuhn"


def test_links_and_modes_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_file(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert real.stat().st_mode & 0o777 == 0o640


def _write_half(file: IO[bytes]) -> None:
    file.write(b"half")
    raise ZeroDivisionError


def test_an_error_while_writing_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), replacing(path) as file:
        _write_half(file)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_an_experiment_without_a_place_for_results_does_not_start(tmp_path: Path) -> None:
    (tmp_path / "experiments").write_text("not a folder")
    store = ResultStore(tmp_path / "experiments")
    with pytest.raises(SoulreadError, match=r"cannot keep results in .*; set SOULREAD_CACHE"):
        list(run_tasks([Task(dict, {})], store))
    RunOptions(store=store)  # asking for it is no mistake yet


def test_an_equilibrium_that_cannot_be_kept_is_used(
    directory: Path, caplog: pytest.LogCaptureFixture
) -> None:
    directory.write_text("not a folder")
    source = parse_source("kuhn")
    solved = []

    def once(game: object, progress: object) -> object:
        solved.append(len(caplog.records))
        return solve(source.compile(), iterations=20)

    path = directory / "strategies" / "kuhn.strategy"
    for _ in range(2):
        found = solve_or_load(source, path, once)  # type: ignore[arg-type]
        assert found.behaviours[0].sum() > 0
    assert solved == [1]  # told before the work, which is done once
    assert "cannot be written (Not a directory); the strategy of kuhn is used now" in caplog.text


def test_a_cache_that_is_full_loses_no_equilibrium(directory: Path, caplog: pytest.LogCaptureFixture) -> None:
    source = parse_source("kuhn")
    solution = solve(source.compile(), iterations=20)
    path = directory / "strategies" / "kuhn.strategy"
    with no_room():
        found = solve_or_load(source, path, lambda game, progress: solution)
    assert_array_equal(found.behaviours[0], solution.behaviours[0])
    (record,) = caplog.records
    assert FULL in record.getMessage()
    assert list(path.parent.iterdir()) == []


def test_a_damaged_cache_that_cannot_be_written_is_not_used(
    directory: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    recipe = cache.Recipe("squares", {"version": 1})
    path = cache.load_or_build(recipe, lambda: {"squares": np.arange(5) ** 2}).path
    (path / "squares.npy").write_bytes((path / "squares.npy").read_bytes()[:-1] + b"x")
    shutil.rmtree(directory / "locks")
    (directory / "locks").write_text("nobody can lock anything")
    found = cache.load_or_build(recipe, lambda: {"squares": np.arange(5) ** 2})
    assert found.arrays["squares"].tolist() == [0, 1, 4, 9, 16]
    assert [record.getMessage().split(";")[-1][:16] for record in caplog.records] == [
        " it is built aga",
        " squares is used",
    ]


def test_notices_are_one_line_on_standard_error(tmp_path: Path) -> None:
    with no_room():
        result = run("solve", "kuhn", "--iterations", 5, "--checkpoint", tmp_path / "run")
    assert result.exit_code == 0
    assert result.stderr == (
        f"soulread: {str(tmp_path / 'run')!r} cannot be written: {FULL}; "
        "the solve goes on without a new checkpoint\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda content: content[:-3], "is not a checkpoint, or only a part of one"),
        (
            lambda content: content.replace(b'"iteration":"5"', b'"iteration":"6"'),
            "its content is not what was written",
        ),
        (lambda content: b"", "is not a checkpoint"),
    ],
)
def test_a_damaged_checkpoint_is_told_with_the_remedy(
    damage: Callable[[bytes], bytes], reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "run"
    run("solve", "kuhn", "--iterations", 5, "--checkpoint", path)
    damaged = damage(path.read_bytes())
    path.write_bytes(damaged)
    said = one_sentence(run("solve", "kuhn", "--iterations", 9, "--checkpoint", path))
    assert reason in said
    assert said.endswith("; delete it to start afresh, or name another checkpoint\n")
    assert path.read_bytes() == damaged


def test_a_checkpoint_whose_entries_do_not_fit_is_told(tmp_path: Path) -> None:
    """Sealed, so it was written like this; nothing but a sentence comes of it."""
    game = compile_game(parse_game("kuhn"))
    path = tmp_path / "run"
    solve(game, iterations=5, checkpoint=path)
    metadata = read_metadata(path, "checkpoint")
    for change in ({"iteration": "x"}, {"history": "{"}, {"history": "[[1]]"}, {"notes": "[]"}, {}):
        write_tensors(path, "checkpoint", {"a": np.zeros(1)}, {**metadata, **change})
        with pytest.raises(DamagedFile, match=r"has a broken entry .*; delete it to start afresh"):
            solve(game, iterations=9, checkpoint=path, resume=True)


def test_attacks_notice_what_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The counting itself: with a verification that only looks at the size, mutants come through."""
    monkeypatch.setattr("soulread.storage.tensors.verify_file", lambda path: None)
    attack = Attack(SUBJECTS["strategy"], tmp_path / "subject")
    rng = np.random.default_rng(5)
    ends = [attack(rng)[1] for _ in range(60)]
    assert ACCEPTED in ends
    assert REFUSED in ends
