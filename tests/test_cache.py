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

from soulread.errors import SoulreadError
from soulread.storage import cache
from soulread.storage import files as storage

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


def change(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: (path / "squares.npy").unlink(),
        lambda path: (path / "squares.npy").write_bytes(b""),
        lambda path: (path / "squares.npy").write_bytes((path / "squares.npy").read_bytes()[:-1] + b"x"),
        lambda path: (path / "manifest.json").write_text("{"),
        lambda path: (path / "manifest.json").write_text("[]"),
        lambda path: (path / "manifest.json").write_text('{"format": 2}'),
        lambda path: (path / "manifest.json").unlink(),
        lambda path: change(path / "manifest.json", '"created":"2', '"created":"3'),
        lambda path: change(path / "manifest.json", '"bytes":2', '"bytes":3'),
    ],
    ids=[
        *(
            "missing",
            "empty",
            "changed",
            "half a manifest",
            "no manifest",
            "old manifest",
            "without manifest",
        ),
        *("another date", "another size"),
    ],
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
    manifest |= {"format": 99, "seal": storage.UNSEALED}
    storage.write_sealed(path, json.dumps(manifest, separators=(",", ":")).encode())
    storage.verify_file(path)
    assert cache.load(RECIPE) is None


def test_a_builder_that_fails_leaves_nothing(directory):
    def build():
        raise SoulreadError("no memory left")

    with pytest.raises(SoulreadError, match="no memory left"):
        cache.load_or_build(RECIPE, build)
    assert [path.name for path in directory.iterdir()] == ["locks"]
    assert cache.load_or_build(RECIPE, Builder()).arrays["squares"][2] == 4


def told(caplog):
    """What was said, in sentences."""
    messages = [record.getMessage() for record in caplog.records]
    caplog.clear()
    return messages


def test_where_nothing_can_be_written_a_bundle_is_used_and_not_kept(directory, caplog):
    directory.write_text("a file, not a directory")
    said_before = []

    def build():
        said_before.extend(told(caplog))
        return Builder()()

    for _ in range(2):  # built once in this process
        bundle = cache.load_or_build(RECIPE, build)
        assert bundle.arrays["squares"][3] == 9
        assert not bundle.arrays["squares"].flags.writeable
    assert said_before == [
        f"the cache directory {str(directory)!r} cannot be written (Not a directory); squares:10 is used "
        "now and made again next time: set SOULREAD_CACHE to a folder that has room and can be written"
    ]
    assert told(caplog) == []
    assert directory.read_text() == "a file, not a directory"


def test_a_full_disk_loses_no_work(monkeypatch, directory, caplog):
    def full(*_):
        raise OSError(28, "No space left on device")

    build = Builder()
    monkeypatch.setattr(np, "save", full)
    for _ in range(2):
        assert cache.load_or_build(RECIPE, build).arrays["squares"][3] == 9
    assert build.count == 1
    (sentence,) = told(caplog)
    assert "cannot be written (No space left on device); squares:10 is used now" in sentence
    assert [path.name for path in directory.iterdir()] == ["locks"]


def test_a_full_cache_may_be_read_only(monkeypatch, directory):
    cache.load_or_build(RECIPE, Builder())

    def write(*_):
        raise AssertionError("nothing may be written")

    for module, name in ((cache, "locked"), (Path, "mkdir"), (storage, "replacing")):
        monkeypatch.setattr(module, name, write)
    assert cache.load_or_build(RECIPE, Builder()).arrays["squares"][3] == 9
    assert len(cache.bundles()) == 1


def test_damage_is_told_when_it_is_repaired(directory, caplog):
    build = Builder()
    path = cache.load_or_build(RECIPE, build).path
    array = np.load(path / "squares.npy")
    array[:] = 0
    np.save(path / "squares.npy", array)
    assert cache.load_or_build(RECIPE, build).arrays["squares"][3] == 9
    assert told(caplog) == [
        f"{str(path / 'squares.npy')!r} is damaged: its content is not what was written; it is built again"
    ]
    other = cache.Recipe("other", {"version": 1})
    path.rename(path.with_name(other.key))
    assert cache.load(other) is None  # a whole bundle, but not the one its name says


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
    from soulread.storage import cache

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
