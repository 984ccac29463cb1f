"""Every page, light and dark, on a desktop and on a telephone: axe finds nothing serious, nothing is cut."""

from typing import Any

import pytest
from page_tools import Served, chromium, needs_chromium, serious, sit_down, until, window  # noqa: F401
from test_store import some_hands

from soulread.hands.store import Store
from soulread.serve.web.pages.opponents import VIEWS
from soulread.serve.web.pages.spots import address

pytestmark = needs_chromium
RIVER = {"board": "Td9d6hQc2s", "oop": "QQ,AKs", "ip": "KK,QJs", "pot": "20", "stack": "60"}
WIDE, NARROW = {"width": 1400, "height": 900}, {"width": 390, "height": 780}


@pytest.fixture(scope="module")
def seen(chromium, tmp_path_factory):  # noqa: F811
    """A window of a server that has a store."""
    folder = tmp_path_factory.mktemp("axe")
    with Store.open(folder / "hands.db") as store:
        store.add(some_hands(60, 3))
    made = Served(folder / "kept", "--db", str(folder / "hands.db"))
    try:
        with window(chromium, made, viewport=WIDE) as opened:
            yield opened
    finally:
        made.close()


def look_at(seen: Any) -> None:
    """Look at the page in all ways; the rules that do not depend on colour once."""
    for scheme, viewport in (("light", WIDE), ("dark", WIDE), ("dark", NARROW), ("light", NARROW)):
        seen.emulate_media(color_scheme=scheme)
        seen.set_viewport_size(viewport)
        assert seen.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
        if viewport is WIDE:
            assert not serious(seen, *(["color-contrast"] if scheme == "dark" else []))
    seen.set_viewport_size(WIDE)


def ready(seen: Any) -> None:
    """Wait for the read of this moment, or for the notes on a hand that is over."""
    until(
        seen,
        "document.getElementById('read').dataset.at === document.getElementById('table').dataset.at"
        " || document.getElementById('read').textContent.includes('Hidden')",
    )


@pytest.mark.parametrize(
    ("game", "agent"),
    [
        ("kuhn", "equilibrium"),
        ("leduc", "soul:k=2"),
        ("ring-limit:3", "plain"),
        ("nolimit:players=6", "plain"),
    ],
)
def test_tables(seen, game, agent) -> None:
    sit_down(seen, game, agent)
    if seen.locator("#do-next").count():
        seen.click("#do-next")
    seen.wait_for_selector("#do-call")
    ready(seen)
    look_at(seen)
    for viewport in (NARROW, {"width": 360, "height": 640}):
        seen.set_viewport_size(viewport)
        own, acts = (seen.locator(what).bounding_box() for what in (".seat.you .hand", ".acts"))
        assert own["y"] > 0
        assert own["y"] + own["height"] <= acts["y"]
        assert acts["y"] + acts["height"] <= viewport["height"]
    seen.set_viewport_size(WIDE)
    if game == "leduc":
        seen.keyboard.press("b")
        seen.get_by_text("Hidden until the hand is over").wait_for()
        look_at(seen)
    for _ in range(20):
        if seen.locator("#do-next").count():
            break
        before = seen.get_attribute("#table", "data-at")
        seen.click("#do-call")
        until(
            seen,
            f"document.getElementById('table').dataset.at !== '{before}'"
            " && document.querySelector('#do-call, #do-next')",
        )
    seen.wait_for_selector("#record table")
    seen.wait_for_selector("#verdict .verdict, #verdict:not([data-load])", state="attached")
    look_at(seen)
    seen.keyboard.press("v")
    seen.wait_for_selector(".decisions a, .panel .empty")
    if seen.locator(".decisions a").count():
        seen.locator(".decisions a").first.click()
        seen.wait_for_selector(".panel h2 .grade")
    look_at(seen)


def test_the_other_pages(seen) -> None:
    seen.goto("/opponents")
    player = seen.locator("table.people tbody a").first.get_attribute("href")
    name = player.partition("?")[2]
    known = [f"{player}&view={view}" for view in VIEWS] + [
        f"/opponents/hands?{name}",
        f"/opponents/beside?{name}",
    ]
    others = ["/", "/play", "/review", "/opponents", "/spots", "/experiments", "/nothing"]
    for where in [*others, address("new", RIVER), *known]:
        seen.goto(where)
        look_at(seen)
    seen.keyboard.press("?")
    seen.wait_for_selector("dialog[open]")
    look_at(seen)
