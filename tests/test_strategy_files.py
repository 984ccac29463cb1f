"""Strategy files: what goes in comes out, and what does not belong is refused by name."""

import json
import math
import os
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from pairs import pair
from safetensors import safe_open
from safetensors.numpy import save_file

from soulread import __version__
from soulread.errors import ShapeError, SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.seqform.compile import SequenceGame, compile_factored, compile_game
from soulread.seqform.strategy import plan_from_behaviour, random_behaviour, uniform_behaviour
from soulread.solvers.cfr.regret import CFRPlus
from soulread.solvers.cfr.run import solve
from soulread.solvers.exploitability import exploitability
from soulread.solvers.lp import solve_exactly
from soulread.solvers.strategy_files import Strategy, load_strategy, save_strategy
from soulread.storage.tensors import read_tensors, write_tensors


@pytest.fixture(scope="module")
def game() -> SequenceGame:
    return compile_game(kuhn())


@pytest.fixture
def path(tmp_path: Path, game: SequenceGame) -> Path:
    """A file with CFR+ play of Kuhn poker."""
    target = tmp_path / "kuhn.strategy"
    save_strategy(target, Strategy.from_solution(solve(game, CFRPlus(), iterations=40)))
    return target


def rewrite(path: Path, **changes: str) -> Path:
    """The file with some metadata changed, and sealed again; a change to "drop" takes the entry away."""
    with safe_open(path, framework="numpy") as file:
        metadata = {**file.metadata(), **changes}
        tensors = {name: file.get_tensor(name) for name in ("behaviour0", "behaviour1")}
    write_tensors(
        path, "strategy", tensors, {name: text for name, text in metadata.items() if text != "drop"}
    )
    return path


def test_everything_comes_back(game: SequenceGame, path: Path) -> None:
    solution = solve(game, CFRPlus(), iterations=40)
    loaded = load_strategy(path, game)
    for before, after in zip(solution.behaviours, loaded.behaviours, strict=True):
        assert_array_equal(before, after)
    assert (loaded.game, loaded.representation, loaded.method) == ("kuhn", "sparse", "cfr+")
    assert loaded.checksums == tuple(tree.checksum for tree in game.trees)
    assert loaded.settings == solution.settings
    assert loaded.settings["beta"] == -math.inf
    assert (loaded.iterations, loaded.gap) == (40, solution.gap)
    assert loaded.seconds > 0
    assert (loaded.seed, loaded.abstraction, loaded.version) == (None, None, __version__)
    assert loaded.written.endswith("+00:00")
    assert exploitability(game, loaded.plans(game)) == pytest.approx(solution.gap, abs=1e-12)


def test_seed_and_abstraction_come_back(game: SequenceGame, tmp_path: Path) -> None:
    strategy = Strategy.from_solution(solve_exactly(game), seed=0, abstraction="0123abcd")
    save_strategy(tmp_path / "x", strategy)
    loaded = load_strategy(tmp_path / "x")
    assert (loaded.seed, loaded.abstraction, loaded.method) == (0, "0123abcd", "lp")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_precision_is_kept(dtype: type, tmp_path: Path) -> None:
    game = compile_factored(leduc(suit_isomorphic=True))
    first, second = (uniform_behaviour(tree, dtype) for tree in game.trees)
    save_strategy(tmp_path / "x", Strategy.from_behaviours(game, (first, second), "uniform"))
    loaded = load_strategy(tmp_path / "x", game)
    assert [behaviour.dtype for behaviour in loaded.behaviours] == [dtype, dtype]
    assert loaded.representation == "factored"
    assert loaded.gap == pytest.approx(2.3736111111, abs=1e-6)
    assert exploitability(game, loaded.plans(game)) == pytest.approx(loaded.gap, abs=1e-6)


def test_behaviours_from_elsewhere(game: SequenceGame, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    first, second = (random_behaviour(tree, rng) for tree in game.trees)
    strategy = Strategy.from_behaviours(game, (first, second), "by hand", {"why": "a test"})
    save_strategy(tmp_path / "x", strategy)
    loaded = load_strategy(tmp_path / "x", game)
    plans = pair(plan_from_behaviour(t, b) for t, b in zip(game.trees, (first, second), strict=True))
    assert loaded.gap == exploitability(game, plans)
    assert (loaded.method, loaded.settings) == ("by hand", {"why": "a test"})
    with pytest.raises(SoulreadError, match="sum to 2, not to 1"):
        Strategy.from_behaviours(game, (np.ones_like(first), second), "wrong")


def test_arrays_are_mapped_and_the_file_stays_as_it_is(game: SequenceGame, path: Path) -> None:
    content = path.read_bytes()
    behaviour = load_strategy(path).behaviours[0]
    base: object = behaviour
    while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
        base = base.base
    assert isinstance(base, np.memmap)
    behaviour[1] = 7.0
    assert load_strategy(path).behaviours[0][1] <= 1.0
    assert path.read_bytes() == content


def test_another_game_is_refused_and_both_are_named(path: Path) -> None:
    with pytest.raises(
        ShapeError, match=r"kuhn.strategy' belongs to another game: it was made for 'kuhn'"
    ) as e:
        load_strategy(path, compile_game(leduc()))
    assert "not for 'leduc' (sparse, " in str(e.value)
    strategy = load_strategy(path)
    with pytest.raises(ShapeError, match=r"the strategy belongs to another game.*not for 'kuhn' \(factored"):
        strategy.plans(compile_factored(kuhn()))


def test_a_truncated_file_is_refused(path: Path) -> None:
    content = path.read_bytes()
    for size in (0, 5, 40, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:size])
        with pytest.raises(SoulreadError, match=r"kuhn.strategy' is not a strategy file, or only a part"):
            load_strategy(path)


def test_foreign_files_are_refused(game: SequenceGame, tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("This is not it, however long one reads on.")
    with pytest.raises(SoulreadError, match=r"notes.txt' is not a strategy file"):
        load_strategy(text)
    weights = tmp_path / "weights"
    save_file({"w": np.zeros(3)}, weights)
    with pytest.raises(
        SoulreadError, match=r"weights' is a safetensors file, but not a strategy file of soulread"
    ):
        load_strategy(weights)
    checkpoint = tmp_path / "checkpoint"
    solve(game, iterations=5, checkpoint=checkpoint)
    with pytest.raises(SoulreadError, match=r"checkpoint' is a checkpoint, not a strategy file"):
        load_strategy(checkpoint)
    with pytest.raises(SoulreadError, match=r"none' does not exist"):
        load_strategy(tmp_path / "none")
    with pytest.raises(SoulreadError, match="cannot be read: it is a folder"):
        load_strategy(tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "3", "version": "9.9"}, "has format 3, written by soulread 9.9; this is soulread"),
        ({"format": "1"}, "has format 1, of an older soulread; solve it again"),
        ({"format": "x"}, "broken entry: invalid literal"),
        ({"game": "drop"}, "broken entry: 'game'"),
        ({"gap": "small"}, "broken entry: could not convert"),
        ({"settings": "{"}, "broken entry: Expecting"),
        ({"settings": "[]"}, "broken entry"),
    ],
)
def test_broken_metadata_is_refused(path: Path, changes: dict[str, str], message: str) -> None:
    with pytest.raises(SoulreadError, match=message):
        load_strategy(rewrite(path, **changes))


def test_missing_or_odd_arrays_are_refused(game: SequenceGame, path: Path) -> None:
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
        first = file.get_tensor("behaviour0")
    write_tensors(path, "strategy", {"behaviour0": first}, metadata)
    with pytest.raises(SoulreadError, match="broken entry: 'behaviour1'"):
        load_strategy(path)
    write_tensors(path, "strategy", {"behaviour0": first, "behaviour1": first.astype(np.int64)}, metadata)
    with pytest.raises(SoulreadError, match="broken entry: 'I64'"):
        load_strategy(path)
    write_tensors(path, "strategy", {"behaviour0": first, "behaviour1": first[:5].copy()}, metadata)
    with pytest.raises(ShapeError, match=r"the behaviour in .* has shape \(5,\)"):
        load_strategy(path, game)


def test_a_failed_write_leaves_the_old_file(
    game: SequenceGame, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SoulreadError, match=r"kuhn.strategy' cannot be written: No space left on device"):
        save_strategy(path, Strategy.from_solution(solve(game, iterations=1)))
    assert path.read_bytes() == content
    assert os.listdir(path.parent) == [path.name]


def test_where_nothing_can_be_written(
    game: SequenceGame, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strategy = load_strategy(path)
    with pytest.raises(SoulreadError, match="cannot be written: it is a folder"):
        save_strategy(path.parent, strategy)
    with pytest.raises(SoulreadError, match=r"cannot be written: there is no folder .*none'"):
        save_strategy(path.parent / "none" / "x", strategy)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(SoulreadError, match="cannot be written: permission denied"):
        save_strategy(path, strategy)


def test_others_may_read_the_file(path: Path) -> None:
    plain = path.with_name("plain")
    plain.touch()
    assert path.stat().st_mode == plain.stat().st_mode


def test_metadata_is_json_anyone_can_read(path: Path) -> None:
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
    assert metadata["soulread"] == "strategy"
    assert metadata["format"] == "2"
    assert json.loads(metadata["settings"], parse_constant=pytest.fail)["alpha"] == "inf"


def test_tensors_are_written_from_where_they_lie(tmp_path):
    file = tmp_path / "x.spot"
    tensors = {
        "a": np.arange(6, dtype=np.float32).reshape(2, 3).T,
        "b": np.array([True, False]),
        "c": np.zeros((0, 3)),
        "d": np.array([-5], dtype=np.int16),
        "e": np.array(2.5),
        "large": np.ones(3_000_000, dtype=np.float32),
    }
    tracemalloc.start()
    write_tensors(file, "spot", tensors, {"note": 'ä "b"'})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < tensors["large"].nbytes
    metadata, found = read_tensors(file, "spot")
    assert metadata["note"] == 'ä "b"'
    assert set(found) == set(tensors)
    for name, tensor in tensors.items():
        assert (found[name].dtype, found[name].shape) == (tensor.dtype, tensor.shape)
        assert np.array_equal(found[name], tensor)
