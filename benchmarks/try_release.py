"""Build the wheel and the sdist, and try the wheel in an empty environment outside the checkout.

    python benchmarks/try_release.py [--output dist]

The wheel is built from the sdist. It is installed beside its dependencies and nothing else; then its files,
version and extras are looked at, `soulread demo` and the examples of the README run, and the sample hands are
written and imported.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = {"web", "plot", "ml", "poker", "openspiel", "postgres", "cluster", "bench", "docs", "dev"}
NEEDED = (  # data files without which something fails much later
    "soulread/py.typed",
    "soulread/cards/evaluate.safetensors",
    "soulread/study/players/sample_hands.txt.xz",
    "soulread/play/opponents/people.json",
)


def build(folder: Path) -> tuple[Path, Path]:
    """The wheel and the sdist, built anew."""
    shutil.rmtree(folder, ignore_errors=True)
    call(sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT))
    (wheel,) = folder.glob("*.whl")
    (sdist,) = folder.glob("*.tar.gz")
    return wheel, sdist


def verify(wheel: Path, sdist: Path) -> str:
    """Look at what was packed; the version."""
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        about = Parser().parsestr(packed.read(metadata).decode())
    missing = [name for name in NEEDED if name not in names]
    assert not missing, f"{wheel.name} lacks {missing}"
    strangers = [name for name in names if not name.startswith(("soulread/", "soulread-"))]
    assert not strangers, f"{wheel.name} has {strangers}"
    assert set(about.get_all("Provides-Extra", [])) == EXTRAS, about.get_all("Provides-Extra")
    with tarfile.open(sdist) as packed:
        inside = {name.partition("/")[2] for name in packed.getnames()}
    assert {
        "README.md",
        "CHANGELOG.md",
        "docs/conf.py",
        "tests/test_docs.py",
        "examples/solve_leduc.py",
    } <= inside
    return str(about["Version"])


def try_out(wheel: Path, version: str, folder: Path) -> None:
    """Install the wheel in an empty environment, and use it where no checkout is near."""
    venv.create(folder / "empty", with_pip=True)
    python = str(folder / "empty" / "bin" / "python")
    pip = (python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
    call(*pip, "--constraint", str(ROOT / "constraints.txt"), str(wheel))
    soulread = str(folder / "empty" / "bin" / "soulread")
    told = call(soulread, "--version", cwd=folder)
    assert version in told, told
    assert "Whoever knew all" in call(soulread, "demo", cwd=folder)
    call(soulread, "sample-hands", "hands", cwd=folder)
    assert "3,000 new hands" in call(soulread, "import", "hands", "--db", "hands.db", cwd=folder)
    shutil.copy(ROOT / "README.md", folder / "README.md")
    call(python, "-m", "doctest", "README.md", cwd=folder)
    where = call(python, "-c", "import soulread; print(soulread.__file__)", cwd=folder)
    assert str(folder) in where, where


def call(*command: str, cwd: Path = ROOT) -> str:
    """Run a command; what it prints. A failure ends everything, with all that it said."""
    clean = {name: value for name, value in os.environ.items() if not re.match("PYTHON|SOULREAD", name)}
    done = subprocess.run(command, cwd=cwd, env=clean, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def main() -> None:
    """Build, look, try."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, default=ROOT / "dist")
    wanted = parser.parse_args()
    wheel, sdist = build(wanted.output)
    version = verify(wheel, sdist)
    with tempfile.TemporaryDirectory() as folder:
        try_out(wheel, version, Path(folder).resolve())
    print(f"{wheel.name} ({wheel.stat().st_size:,} bytes) and {sdist.name}: built and tried")


if __name__ == "__main__":
    main()
