"""Bundles of arrays on disk: whole or not at all, built by one process at a time."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from soulread import cache
from soulread.errors import SoulreadError

RECIPE = cache.Recipe("squares:10", {"what": "squares", "upto": 10, "version": 1})


@pytest.fixture(autouse=True)
def directory(tmp_path, monkeypatch):
    monkeypatch.setenv("SOULREAD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Builder:
    """Counts how often it was asked."""

    def __init__(self):
        self.count = 0

    def __call__(self):
        self.count += 1
        return {"squares": np.arange(10) ** 2, "nothing": np.empty((3, 0), dtype=np.uint16)}


def test_a_bundle_is_built_once_and_mapped_read_only():
    build = Builder()
    assert not cache.has(RECIPE)
    assert cache.load(RECIPE) is None
    for _ in range(2):
        bundle = cache.load_or_build(RECIPE, build)
        assert bundle.arrays["squares"].tolist() == [i * i for i in range(10)]
        assert bundle.arrays["nothing"].shape == (3, 0)
        assert type(bundle.arrays["squares"]) is np.ndarray
        assert not bundle.arrays["squares"].flags.writeable
    assert build.count == 1
    assert cache.has(RECIPE)
    assert bundle.checksum == RECIPE.checksum
    assert bundle.num_bytes > 80


def test_other_settings_are_another_bundle():
    other = cache.Recipe("squares:10", {**RECIPE.settings, "version": 2})
    assert other.checksum != RECIPE.checksum
    same = cache.Recipe("squares:10", dict(reversed(list(RECIPE.settings.items()))))
    assert same.checksum == RECIPE.checksum
    build = Builder()
    cache.load_or_build(RECIPE, build)
    cache.load_or_build(other, build)
    assert build.count == 2
    assert sorted(bundle.checksum for bundle in cache.bundles()) == sorted([RECIPE.checksum, other.checksum])
    cache.remove(cache.bundles()[0])
    assert len(cache.bundles()) == 1


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: (path / "squares.npy").unlink(),
        lambda path: (path / "squares.npy").write_bytes(b""),
        lambda path: (path / "squares.npy").write_bytes((path / "squares.npy").read_bytes()[:-1] + b"x"),
        lambda path: (path / "manifest.json").write_text("{"),
        lambda path: (path / "manifest.json").write_text("[]"),
        lambda path: (path / "manifest.json").write_text('{"format": 1}'),
        lambda path: (path / "manifest.json").unlink(),
    ],
    ids=["missing", "empty", "changed", "half a manifest", "no manifest", "old manifest", "without manifest"],
)
def test_a_damaged_bundle_is_built_again(damage, directory):
    build = Builder()
    damage(cache.load_or_build(RECIPE, build).path)
    assert cache.load(RECIPE) is None
    assert cache.bundles() == []
    assert cache.load_or_build(RECIPE, build).arrays["squares"][3] == 9
    assert build.count == 2


def test_bundles_of_another_format_are_not_read():
    path = cache.load_or_build(RECIPE, Builder()).path / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, "format": 99}))
    assert cache.load(RECIPE) is None


def test_a_builder_that_fails_leaves_nothing(directory):
    def build():
        raise SoulreadError("no memory left")

    with pytest.raises(SoulreadError, match="no memory left"):
        cache.load_or_build(RECIPE, build)
    assert [path.name for path in directory.iterdir()] == ["locks"]
    assert cache.load_or_build(RECIPE, Builder()).arrays["squares"][2] == 4


def test_a_directory_that_cannot_be_written(directory, monkeypatch):
    directory.write_text("a file, not a directory")
    with pytest.raises(SoulreadError, match=r"cannot write to the cache directory .* set SOULREAD_CACHE"):
        cache.load_or_build(RECIPE, Builder())


def test_a_full_disk_is_told(monkeypatch, directory):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(SoulreadError, match=r"cannot keep squares:10 in .*: No space left on device"):
        cache.load_or_build(RECIPE, Builder())
    assert [path.name for path in directory.iterdir()] == ["locks"]


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"XDG_CACHE_HOME": "/x"}, Path("/x/soulread")),
        ("linux", {}, Path("~/.cache/soulread").expanduser()),
        ("darwin", {}, Path("~/Library/Caches/soulread").expanduser()),
        ("win32", {"LOCALAPPDATA": "/local"}, Path("/local/soulread")),
        ("linux", {"SOULREAD_CACHE": "/mine", "XDG_CACHE_HOME": "/x"}, Path("/mine")),
    ],
)
def test_where_the_cache_is(monkeypatch, platform, variables, expected):
    for name in ("SOULREAD_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert cache.cache_directory() == expected


# Other processes ----------------------------------------------------------------------------------

PROGRAM = """
    import sys, time
    from pathlib import Path
    import numpy as np
    from soulread import cache

    recipe = cache.Recipe("squares:10", {"what": "squares", "upto": 10, "version": 1})
    folder = Path(sys.argv[1])

    def build():
        with (folder / "builds").open("a") as log:
            log.write("built\\n")
        print("building", flush=True)
        while not (folder / "go").exists():
            time.sleep(0.01)
        return {"squares": np.arange(10) ** 2}

    waiting = lambda: print("waiting", flush=True)
    print(cache.load_or_build(recipe, build, waiting).arrays["squares"][3], flush=True)
"""


def start(folder):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(PROGRAM), str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ,
    )


def test_a_second_process_waits_and_then_loads(tmp_path):
    first = start(tmp_path)
    assert first.stdout.readline() == "building\n"
    second = start(tmp_path)
    assert second.stdout.readline() == "waiting\n"
    (tmp_path / "go").touch()
    assert first.communicate(timeout=60)[0] == "9\n"
    assert second.communicate(timeout=60)[0] == "9\n"
    assert (tmp_path / "builds").read_text() == "built\n"


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_process_killed_half_way_does_no_harm(tmp_path, directory):
    first = start(tmp_path)
    assert first.stdout.readline() == "building\n"
    second = start(tmp_path)
    assert second.stdout.readline() == "waiting\n"
    # What the first would have left behind had it been killed while it wrote.
    part = directory / f"{RECIPE.key}.part-{first.pid}"
    part.mkdir()
    (part / "squares.npy").write_bytes(b"half")
    first.send_signal(signal.SIGKILL)
    first.communicate()
    assert second.stdout.readline() == "building\n"
    assert cache.load(RECIPE) is None
    (tmp_path / "go").touch()
    assert second.communicate(timeout=60)[0] == "9\n"
    assert not part.exists()
    bundle = cache.load(RECIPE)
    assert bundle is not None
    assert bundle.arrays["squares"][3] == 9
