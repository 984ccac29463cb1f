"""Tables and reviews in a browser: by mouse, by keys, after a reload, a kill, and beside another browser."""

import re

import pytest
from page_tools import (  # noqa: F401
    Served,
    chromium,
    needs_chromium,
    page,
    serious,
    served,
    sit_down,
    until,
    window,
)

pytestmark = needs_chromium
KEYS = {"fold": "f", "call": "c", "raise": "r", "next": "space"}


def moment(seen):
    """The moment of the table, as the page has it."""
    return seen.get_attribute("#table", "data-at")


def own_cards(seen):
    """The person's cards, in words."""
    return [one.get_attribute("aria-label") for one in seen.locator(".seat.you .card").all()]


def press(seen, what, by="mouse"):
    """Do something at the table, and wait until it has happened and it is the person's turn again."""
    before = moment(seen)
    if by == "mouse":
        seen.click(f"#do-{what}")
    else:
        seen.keyboard.press({"next": "Space"}.get(what, KEYS[what]))
    until(
        seen,
        f"document.getElementById('table').dataset.at !== '{before}' "
        "&& document.querySelector('#do-call, #do-next')",
    )


def finish(seen, by="mouse", most_raises=1):
    """Play the hand to its end: a raise first, then calls."""
    for number in range(30):
        if seen.locator("#do-next").count():
            return
        raises = number < most_raises and seen.locator("#do-raise").count()
        press(seen, "raise" if raises else "call", by)
    raise AssertionError("the hand has no end")


@pytest.mark.parametrize("game", ["leduc", "ring-limit:3", "nolimit:stacks=60"])
def test_hands_are_played_to_the_end(page, game) -> None:  # noqa: F811
    """By the mouse and then by keys: a raise and calls to the showdown; a fold where there is a bet."""
    sit_down(page, game, "always-raise")
    for number, by in enumerate(("mouse", "keyboard"), start=1):
        finish(page, by)
        assert re.match("You win|Always-raise.* wins|Nobody wins", page.locator(".result").inner_text())
        assert re.search("you (bet|raise)", page.locator(".story").inner_text())
        assert f"in {number} hand" in page.locator(".table-meta").inner_text()
        press(page, "next", by)
    while not page.locator("#do-fold").count():
        press(page, "next" if page.locator("#do-next").count() else "call", "keyboard")
    press(page, "fold", "keyboard")
    if not page.locator("#do-next").count():  # the others play on
        page.wait_for_selector("#do-next")
    assert "you fold" in page.locator(".story").inner_text()
    assert page.locator(".seat.you.folded").count() == 1


def test_sizes_of_bets_by_digits_slider_and_number(page) -> None:  # noqa: F811
    """All three say the same amount; the button says what will be done, and that is done."""
    sit_down(page, "nolimit:stacks=100", "always-call")
    amount, slider = page.locator("#amount"), page.locator("#slider")
    for button in page.locator(".size").all():
        page.keyboard.press(button.get_attribute("data-key"))
        wanted = button.get_attribute("data-amount")
        assert [amount.input_value(), slider.input_value()] == [wanted, wanted]
        assert page.locator("#raise-to").inner_text() == wanted
        assert button.get_attribute("aria-pressed") == "true"
        assert page.locator(".size[aria-pressed=true]").count() == 1
        name = button.inner_text().split("\n")[0]
        if name.startswith("pot"):
            assert page.locator("#share").inner_text() == "100% of the pot"
    amount.fill("9")
    assert slider.input_value() == "9"
    page.keyboard.press("c")  # typed into the number: no call
    assert page.locator("#do-raise").count()
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert [amount.input_value(), page.locator("#raise-to").inner_text()] == ["10", "10"]
    page.keyboard.press("r")
    page.get_by_text("you raise to 10").first.wait_for()


def test_the_help_lists_the_keys_and_the_read_follows_the_hand(page) -> None:  # noqa: F811
    sit_down(page, "leduc", "soul:k=2")
    page.keyboard.press("?")
    told = page.locator("dialog[open]").inner_text()
    for key, about in (("c", "check or call"), ("r", "bet or raise"), ("b", "hide or show the read")):
        assert re.search(rf"\b{key}\s+{about}", told), told
    page.keyboard.press("c")  # nothing happens behind the dialog
    assert page.locator("dialog[open]").count() == 1
    page.keyboard.press("Escape")
    page.wait_for_selector("#read .grid")
    grids = set()
    for _ in range(5):
        grids.add(page.locator("#read .grid").inner_html())
        press(page, "next" if page.locator("#do-next").count() else "call", "keyboard")
        until(
            page, "document.getElementById('read').dataset.at === document.getElementById('table').dataset.at"
        )
    assert len(grids) > 2
    # Blind: the read goes, and comes back when the hand is over.
    while page.locator("#do-next").count():
        press(page, "next")
    page.keyboard.press("b")
    page.get_by_text("Hidden until the hand is over").wait_for()
    assert page.locator("#record").inner_text() == ""
    assert not serious(page)
    finish(page, "keyboard")
    page.wait_for_selector("#read .grid")
    page.wait_for_selector("#record table")
    assert page.locator('[data-key="b"]').get_attribute("aria-pressed") == "true"


def test_a_table_is_of_one_browser_and_outlives_reloads(chromium, served, page) -> None:  # noqa: F811
    """Reload, back button, deep link and a second window show the same hand; another browser sees nothing."""
    where = sit_down(page, "nolimit:stacks=50", "always-call", name="annabel")
    press(page, "raise")
    kept = moment(page), own_cards(page), page.locator(".story").inner_text()

    def is_here(seen):
        seen.wait_for_selector("#do-call")
        assert (moment(seen), own_cards(seen), seen.locator(".story").inner_text()) == kept

    page.reload()
    is_here(page)
    page.get_by_role("link", name="Other tables").click()
    page.wait_for_url("**/play")
    page.go_back()
    is_here(page)
    page.goto("/review")
    page.goto(where)
    is_here(page)
    second = page.context.new_page()
    second.goto(where)
    is_here(second)
    press(page, "call")
    until(second, f"document.getElementById('table').dataset.at === '{moment(page)}'")
    finish(page)
    cards, id = own_cards(page), where.rpartition("/")[2]
    with window(chromium, served) as other:
        for path in (where, f"/review/{id}/1"):
            answer = other.goto(path)
            assert answer.status == 404
            assert "annabel" not in other.content()
        for path in ("/play", "/review", f"/review?table={id}", "/opponents?store=played"):
            other.goto(path)
            assert "annabel" not in other.content()
            assert f"/{id}" not in other.content()
            assert not any(card in other.content() for card in cards)


def test_a_hand_is_reviewed_and_played_again(page) -> None:  # noqa: F811
    """The keys alone: v opens the review, arrows step, i, m and b jump, a plays it again, and back again."""
    sit_down(page, "leduc", "always-raise")
    for _ in range(20):  # until something was a blunder: fold whatever it is
        while not page.locator("#do-next").count():
            press(page, "fold" if page.locator("#do-fold").count() else "call", "keyboard")
        page.wait_for_selector("#verdict .verdict")
        if page.locator("#verdict .blunder").count():
            break
        press(page, "next", "keyboard")
    number = moment(page).split(".")[0]
    page.keyboard.press("v")
    page.wait_for_url(f"**/review/*/{number}")
    page.wait_for_load_state("load")
    steps = page.locator(".stepper .at")
    last = int(steps.inner_text().split("/")[1])
    page.keyboard.press("End")
    page.get_by_text(f"{last} / {last}").wait_for()
    assert page.locator(".result").count() == 1
    page.keyboard.press("Home")
    page.get_by_text(f"1 / {last}").wait_for()
    page.keyboard.press("ArrowRight")
    page.get_by_text(f"2 / {last}").wait_for()
    page.keyboard.press("ArrowLeft")
    page.get_by_text(f"1 / {last}").wait_for()
    for grade, key in (("inaccuracy", "i"), ("mistake", "m"), ("blunder", "b")):
        jump = page.locator(f'.jump[data-key="{key}"]')
        assert grade in jump.inner_text()
        assert (jump.get_attribute("aria-disabled") == "true") == (jump.get_attribute("href") is None)
    if page.locator(".jump[data-key=b]").get_attribute("aria-disabled") != "true":
        page.keyboard.press("b")
    page.wait_for_selector(".panel h2 .grade.blunder")
    told = page.locator("aside").inner_text()
    assert "If the opponent plays the equilibrium" in told
    assert "Against always-raise as it played" in told
    assert re.search(r"[0-9]+ mb", told)
    assert not serious(page)
    where = page.url
    page.keyboard.press("a")
    page.wait_for_url("**/play/*")
    page.wait_for_selector("#do-call")
    assert "again and again from one point" in page.locator(".table-meta").inner_text()
    step = re.findall(r"step=([0-9]+)", where)[-1] if "step=" in where else "0"
    assert moment(page).split(".")[1] == step
    assert not serious(page)
    finish(page, "keyboard")
    press(page, "next", "keyboard")
    page.go_back()
    page.wait_for_selector(".stepper")
    assert page.url == where


def test_a_hand_is_played_with_the_tab_key_alone(page) -> None:  # noqa: F811
    """From the first page to the end of a hand without mouse and shortcuts."""
    page.goto("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"

    def tab_to(holds):
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate(f"(one => {holds})(document.activeElement)"):
                return
        raise AssertionError(holds)

    tab_to("one.matches('nav a') && one.textContent === 'Play'")
    page.keyboard.press("Enter")
    page.wait_for_url("**/play")
    page.wait_for_load_state("load")
    tab_to("one.matches('button.door') && one.textContent.includes('Kuhn')")
    page.keyboard.press("Enter")
    page.wait_for_url("**/play/*")
    page.wait_for_selector("#do-call")
    for _ in range(3):
        if page.locator("#do-next").count():
            break
        before = moment(page)
        tab_to("one.id === 'do-call' || one.id === 'do-next'")
        page.keyboard.press("Enter")
        until(page, f"document.getElementById('table').dataset.at !== '{before}'")
        page.wait_for_selector("#do-call, #do-next")
    before = moment(page)
    tab_to("one.id === 'do-next'")
    page.keyboard.press("Space")
    until(page, f"document.getElementById('table').dataset.at !== '{before}'")


def test_a_killed_server_loses_nothing(chromium, tmp_path) -> None:  # noqa: F811
    """SIGKILL in mid-hand: the page says so, and goes on by itself when the server is there again."""
    made = Served(tmp_path / "kept")
    try:
        with window(chromium, made) as seen:
            sit_down(seen, "nolimit:stacks=80", "always-call")
            finish(seen)
            press(seen, "next")
            press(seen, "raise")
            kept = moment(seen), own_cards(seen), seen.locator(".story").inner_text()
            made.kill()
            seen.locator("#connection").wait_for(state="visible")
            assert (moment(seen), own_cards(seen)) == kept[:2]
            seen.click("#do-call")  # sent while nobody is there; the page tries it again
            made.start()
            until(seen, f"document.getElementById('table').dataset.at !== '{kept[0]}'")
            seen.locator("#connection").wait_for(state="hidden")
            assert own_cards(seen) == kept[1]
            story = seen.locator(".story").inner_text()
            assert story.startswith(kept[2].rstrip())
            finish(seen)
            assert "in 2 hands" in seen.locator(".table-meta").inner_text()
            seen.goto("/review")
            assert seen.locator("table.hands tbody tr").count() == 2
    finally:
        made.close()
