"""Spots and experiments in a browser: a river is solved, locked and dialled; a kill loses nothing."""

import json
import os
import platform

import pytest
from page_tools import Served, chromium, needs_chromium, page, serious, served, until, window  # noqa: F401

from soulread.serve.web.pages.spots import address

pytestmark = needs_chromium
RIVER = {"board": "Td9d6hQc2s", "oop": "QQ,AKs,JTs,77", "ip": "KK,QJs,87s,A9s", "pot": "20", "stack": "60"}
TURN = {**RIVER, "board": "Td9d6hQc", "stack": "200"}


def grid(seen):
    """The grid that is shown, as text."""
    return seen.locator("[data-grid]").inner_html()


def test_a_river_spot_is_set_up_solved_locked_and_dialled(page) -> None:  # noqa: F811
    page.goto("/spots")
    assert not serious(page)
    page.keyboard.press("n")
    page.wait_for_url("**/spots/new")
    # The board by the mouse, chips by the keyboard, one range painted, the other one typed.
    for card in ("Td", "9d", "6h", "Qc", "2s"):
        page.click(f'[data-card="{card}"]')
    assert page.input_value("[name=board]") == "Td9d6hQc2s"
    page.fill("[name=pot]", "20")
    page.fill("[name=stack]", "60")

    def cell(name):
        return page.locator(f'#range-oop [data-cell="{name}"]')

    start, end = cell("QQ").bounding_box(), cell("QJs").bounding_box()
    page.mouse.move(start["x"] + 5, start["y"] + 5)
    page.mouse.down()
    page.mouse.move(end["x"] + 5, end["y"] + 5, steps=6)
    page.mouse.up()
    until(page, "document.querySelector('#text-oop').value === 'QQ, QJs'")
    # A range by its name.
    page.select_option("[data-named=oop]", "bb-3bet-utg")
    page.wait_for_selector('#range-oop [data-cell="KK"][aria-pressed=true]')
    assert page.input_value("#text-oop") == "bb-3bet-utg"
    page.fill("#text-oop", "QQ,AKs,JTs,77")
    page.fill("#text-ip", RIVER["ip"])
    page.keyboard.press("Tab")
    page.wait_for_selector('#range-ip [data-cell="KK"][aria-pressed=true]')
    # A class by the keyboard: arrows lead to it, Enter puts it in and takes it out again.
    cell("AA").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector('#range-oop [data-cell="AKs"][aria-pressed=false]')
    until(page, "document.activeElement.dataset.cell === 'AKs'")
    page.keyboard.press("Enter")
    page.wait_for_selector('#range-oop [data-cell="AKs"][aria-pressed=true]')
    page.get_by_text("1 river;").wait_for()
    assert not serious(page)
    page.fill("[name=gap]", "1")
    page.get_by_role("button", name="Solve").click()
    page.wait_for_selector("[data-grid]")
    page.wait_for_load_state("load")
    assert "/spots/at?" in page.url
    assert not serious(page)

    # The tree by the keyboard, and back; the grid is another one after an action.
    first = grid(page)
    page.keyboard.press("1")
    page.wait_for_selector(".step.now >> text=ip")
    assert grid(page) != first
    deep = page.url
    assert "at=check" in deep
    page.keyboard.press("e")
    page.wait_for_selector("[aria-current=true] >> text=EV")
    assert "cell-number" in grid(page)
    page.go_back()
    page.wait_for_selector("[aria-current=true] >> text=strategy")
    page.go_back()
    page.wait_for_selector(".step.now >> text=oop")
    assert grid(page) == first
    page.goto(deep)  # a deep link
    page.locator("[data-grid] svg").click(position={"x": 5, "y": 5})
    page.get_by_text("AA, hand by hand").wait_for()
    page.goto(deep)
    page.locator('[data-class="KK"]').click()
    page.get_by_text("KK, hand by hand").wait_for()

    # Locks, and the dial.
    page.get_by_role("link", name="Lock the opponent").click()
    page.fill("[name=locks]", "bet60: fold 90%")
    page.get_by_role("button", name="Answer the locks").click()
    dial = page.locator("#dial")
    dial.wait_for()
    assert not serious(page)
    dial.focus()
    page.keyboard.press("Home")
    page.get_by_text("the equilibrium").first.wait_for()
    until(page, "document.querySelector('#dial-shown .good').textContent === '+0.00'")
    equal = page.locator("#dial-shown figure svg").nth(1).inner_html()
    page.keyboard.press("End")
    until(page, "parseFloat(document.querySelector('#dial-shown .good').textContent) > 1")
    assert page.locator("#dial-shown figure svg").nth(1).inner_html() != equal
    assert float(page.locator("#dial-shown .bad").inner_text()) > 1
    until(page, "location.search.includes('dial=')")
    page.reload()
    assert page.locator("#dial").input_value() == page.locator("#dial").get_attribute("max")
    assert not serious(page)


def test_a_kill_in_mid_solve_loses_nothing(chromium, tmp_path) -> None:  # noqa: F811
    made = Served(tmp_path / "kept")
    try:
        with window(chromium, made) as seen:
            seen.goto(address("new", TURN, gap="0.000001"))
            seen.get_by_role("button", name="Solve").click()
            seen.wait_for_selector("#progress .chart")
            where = seen.url
            made.kill()
            made.start()
            seen.goto(where)
            seen.wait_for_selector("#progress .chart")  # it goes on
            assert not serious(seen)
            seen.get_by_role("button", name="Show what it has").click()
            seen.wait_for_selector("[data-grid]")
            assert "ended early" in seen.content()
            made.kill()
            made.start()
            seen.goto("/spots")
            seen.get_by_role("link", name="Td9d6hQc, pot 20").click()
            seen.wait_for_selector("[data-grid]")
            seen.wait_for_load_state("load")  # so the keys are heard
            # Every card of the river.
            seen.keyboard.press("1")
            seen.wait_for_selector(".step.now >> text=ip")
            seen.keyboard.press("1")
            seen.wait_for_selector(".next-cards")
            assert seen.locator("a.next").count() == 48
            assert not serious(seen)
            seen.get_by_role("link", name="2c: check").click()
            seen.wait_for_selector("[data-grid]")
    finally:
        made.close()


SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><rect width="90" height="60"/>'
    "<script>document.title = 'run'; fetch('/elsewhere')</script></svg>"
)


def test_experiments_are_live_and_figures_run_nothing(chromium, tmp_path) -> None:  # noqa: F811
    folder = tmp_path / "results"
    folder.mkdir()
    report = {"name": "zoo", "title": "The zoo", "settings": {"seed": 7}, "tables": [], "claims": []}
    (folder / "zoo.json").write_text(json.dumps(report))
    (folder / "zoo-won.svg").write_text(SVG)
    made = Served(tmp_path / "kept", "--reports", str(folder))
    try:
        with window(chromium, made, color_scheme="dark") as seen:
            seen.goto("/experiments")
            run = {
                "name": "long",
                "kind": "duel",
                "standing": "running",
                "done": 3,
                "total": 10,
                "process": os.getpid(),
                "machine": platform.node(),
            }
            (folder / "long.run.json").write_text(json.dumps(run))
            seen.get_by_text("3 of 10").wait_for()
            assert not serious(seen)
            (folder / "long.run.json").write_text(json.dumps({**run, "done": 8}))
            seen.get_by_text("8 of 10").wait_for()
            seen.get_by_role("link", name="The zoo").click()
            until(seen, "document.images.length && document.images[0].naturalWidth === 90")
            assert not serious(seen)
        context = chromium.new_context(base_url=made.home)
        alone, asked = context.new_page(), []
        alone.on("request", lambda request: asked.append(request.url))
        alone.goto("/experiments/file/zoo-won.svg")
        alone.wait_for_timeout(200)
        assert alone.title() != "run"
        assert not any("elsewhere" in url for url in asked)
        context.close()
    finally:
        made.close()


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (390, "dark"), (1600, "dark")])
def test_pages_fit_any_screen(chromium, served, width, scheme) -> None:  # noqa: F811
    with window(chromium, served, viewport={"width": width, "height": 800}, color_scheme=scheme) as seen:
        for where in ("/spots", address("new", RIVER), "/experiments"):
            seen.goto(where)
            assert seen.evaluate("document.documentElement.scrollWidth") <= width
            assert not serious(seen)
