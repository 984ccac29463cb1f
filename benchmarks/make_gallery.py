"""Run the scripts of examples/gallery; write docs/gallery.md and a small picture of each.

    python benchmarks/make_gallery.py [NAME ...]

A script prints a few lines and leaves a figure under the name `figure`. With names only these pictures are
drawn again; the page always has all scripts, with what they print.
"""

import contextlib
import io
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

from make_reference import title_of  # type: ignore[import-not-found]  # beside this script
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = sorted((ROOT / "examples" / "gallery").glob("*.py"))
PAGE = ROOT / "docs" / "gallery.md"
PICTURES = ROOT / "docs" / "gallery"
WIDTH = 440  # pixels of a picture
COLOURS = 64

HEAD = """\
# Gallery

[All pages](index.md). Twenty scripts, each a few lines; what they print and draw was made by running them
(`python benchmarks/make_gallery.py`), and a test runs them again. The pictures are small;
`figure.save("name.svg")` makes large ones. Words are explained in the [glossary](glossary.md)."""


def run(path: Path) -> tuple[str, Any]:
    """What a script prints, and its figure."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        left = runpy.run_path(str(path), run_name="__main__")
    return printed.getvalue().rstrip(), left["figure"]


def draw(figure: Any, path: Path) -> None:
    """Draw a figure small."""
    with tempfile.TemporaryDirectory() as folder:
        large = Path(folder) / "large.png"
        figure.save(large)
        with Image.open(large) as image:
            height = round(image.height * WIDTH / image.width)
            small = image.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
            small.quantize(COLOURS).save(path, optimize=True)


def section(path: Path, printed: str) -> str:
    """The part of the page that shows a script."""
    text = path.read_text(encoding="utf-8")
    title = title_of(text)
    about = text.split('"""')[1].partition("\n\n")[2].strip()
    where = path.relative_to(ROOT)
    return (
        f"## {title}\n\n{about} The script: [{where}](../{where}).\n\n"
        f"![Figure of the script {path.stem}: {title}](gallery/{path.stem}.png)\n\n```\n{printed}\n```"
    )


def main() -> None:
    """Run all, draw, write the page."""
    PICTURES.mkdir(exist_ok=True)
    parts = [HEAD]
    for path in SCRIPTS:
        printed, figure = run(path)
        parts.append(section(path, printed))
        if not sys.argv[1:] or path.stem in sys.argv[1:]:
            draw(figure, PICTURES / f"{path.stem}.png")
        print(f"ran: {path.relative_to(ROOT)}")
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
