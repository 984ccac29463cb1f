"""Draw the pictures of the page that README.md and docs/page.md show: a table, a review, a spot.

    python benchmarks/draw_page.py [--output docs/pictures] [--dark]

A person who acts by chance plays limit hold'em against soul with fixed seeds; then a server shows the table,
the worst decision of its hands, and a spot that the page solves. The browser is Debian's Chromium. The first
run needs a few minutes for the equilibrium of limit hold'em, which is kept. The dates on the pictures are
those of the run.
"""

import argparse
import io
import json
import multiprocessing
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from page_tools import ARGUMENTS, CHROMIUM, Served, until

from soulread.serve.web.pages.spots import address
from soulread.serve.web.rooms import table
from soulread.serve.web.rooms.seats import game_of_page
from soulread.serve.web.rooms.seen import title_of
from soulread.serve.web.security import owner_of
from soulread.serve.web.sights import TableSight
from soulread.serve.web.tables import TableCard

SEED = 19
HANDS = 24
TOKEN = "picture" * 6 + "s"
TABLE = "5ea7ed5ea7ed"
GAME, AGENT = "limit", "soul:5-5-5-5:quick"
SPOT = {
    "board": "Td9d6hQc2s",
    "oop": "22+, A2s+, KTs+, QTs+, JTs, T9s, 98s, 87s, 76s, ATo+, KQo",
    "ip": "22+, A2s+, K9s+, Q9s+, J9s+, T8s+, 97s+, 86s+, ATo+, KTo+, QJo",
    "pot": "20",
    "stack": "60",
}
SIZE = {"width": 1280, "height": 860}
COLOURS = 192  # of a picture: with so few it stays small


def play(folder: Path) -> int:
    """Play the hands of the table; the number of the hand that cost most."""
    rng = Random(SEED)
    now = table.begin(str(folder), TABLE, GAME, [AGENT], "you", SEED)
    costs: dict[int, float] = {}
    while now.hand <= HANDS or not stands_well(now):
        if now.over:
            notes = table.reflect() or {}
            if len(now.board) == 10:
                costs[now.hand] = notes.get("cost") or 0.0
            now = table.next_hand(now.at)
        else:
            now = act(now, rng)
    game = game_of_page(GAME)
    card = TableCard(TABLE, GAME, title_of(game), (AGENT,), "you")
    (folder / f"{TABLE}.json").write_text(json.dumps(asdict(card)))
    return max(costs, key=lambda hand: costs[hand])


def stands_well(now: TableSight) -> bool:
    """Whether a moment makes a good picture: a flop with something to call."""
    return now.choice is not None and len(now.board) == 6 and now.choice.to_call > 0


def act(now: TableSight, rng: Random) -> TableSight:
    """Do anything: more calls than raises, few folds."""
    choice = now.choice
    assert choice is not None
    ways = ["call"] * 6 + ["raise"] * 3 * bool(choice.raise_word) + ["fold"] * choice.may_fold
    return table.act(now.at, rng.choice(ways), None)


@contextmanager
def browsing(made: Served, dark: bool) -> Iterator[Any]:
    """A window with the session that played."""
    with sync_playwright() as playwright:
        browser: Any = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        scheme = "dark" if dark else "light"
        context = browser.new_context(base_url=made.home, viewport=SIZE, color_scheme=scheme)
        context.set_default_timeout(540_000)
        cookie = {"name": f"soulread-{made.port}", "value": TOKEN, "domain": "127.0.0.1", "path": "/"}
        context.add_cookies([cookie])
        yield context.new_page()
        browser.close()


def shoot(seen: Any, path: Path) -> None:
    """Keep what is to be seen."""
    seen.wait_for_timeout(1000)
    picture = Image.open(io.BytesIO(seen.screenshot())).convert("RGB")
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


def main() -> None:
    """Draw all of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--output", type=Path, default=Path(__file__).resolve().parents[1] / "docs" / "pictures"
    )
    parser.add_argument("--dark", action="store_true")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary) / "page"
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, spawn) as alone:  # whoever plays holds the files of the table
            worst = alone.submit(play, home / owner_of(TOKEN) / "tables").result()
        made = Served(home)
        try:
            with browsing(made, options.dark) as seen:
                seen.goto(f"/play/{TABLE}")
                seen.wait_for_selector("#read .grid")
                seen.wait_for_selector("#record .chart")
                shoot(seen, options.output / "table.png")
                seen.goto(f"/review/{TABLE}/{worst}")
                for key in ("b", "m", "i"):
                    jump = seen.locator(f'.jump[data-key="{key}"][href]')
                    if jump.count():
                        jump.click()
                        break
                seen.wait_for_selector(".choices-table")
                shoot(seen, options.output / "review.png")
                seen.goto(address("new", SPOT, gap="0.3"))
                seen.get_by_role("button", name="Solve").click()
                seen.wait_for_selector("[data-grid]")
                until(seen, "document.readyState === 'complete'")
                shoot(seen, options.output / "spot.png")
        finally:
            made.close()


if __name__ == "__main__":
    main()
