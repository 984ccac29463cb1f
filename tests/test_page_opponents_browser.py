"""Opponents in a browser: hands come in, a profile is made, a claim opens its hands; notes, side by side."""

import re
from dataclasses import replace

import pytest
from page_tools import Served, chromium, needs_chromium, serious, window  # noqa: F401
from test_store import some_hands

from soulread.hands.played import all_in_round
from soulread.study.hands.exporting import export_hands

pytestmark = needs_chromium
EVIL = "<script>alert('x')</script>"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Hands of Ann and others, one of whom has an evil name; the luck of few is to be taken out."""
    hands = [hand for hand in some_hands(120, 3) if all_in_round(hand) is None]
    renamed = [
        replace(hand, players=tuple(EVIL if one == "Bob" else one for one in hand.players)) for hand in hands
    ]
    path = tmp_path_factory.mktemp("files") / "session.phhs"
    export_hands(iter(renamed), path)
    (path.parent / "notes.txt").write_text("nothing that is a hand\n" * 50)
    return path


def test_hands_come_in_and_a_claim_opens_them(chromium, file, tmp_path) -> None:  # noqa: F811
    made = Served(tmp_path / "kept", "--db", str(tmp_path / "hands.db"))
    try:
        with window(chromium, made) as seen:
            seen.goto("/opponents")
            seen.get_by_text("No hands are stored yet").wait_for()
            assert not serious(seen)
            both = [str(file), str(file.parent / "notes.txt")]
            seen.locator("input[data-files]").first.set_input_files(both)
            seen.get_by_text(re.compile("[0-9]+ new hands")).wait_for()
            assert "left out because" in seen.content()
            assert "notes.txt" in seen.content()
            assert not serious(seen)
            seen.get_by_role("link", name="See who is there").click()
            seen.get_by_role("link", name=EVIL).wait_for()  # its script did not run: `window` looks
            assert not serious(seen)

            # The profile, and the hands behind one of its claims in the replayer.
            seen.get_by_role("link", name="Ann", exact=True).click()
            seen.get_by_role("heading", name="What is sure").wait_for()
            seen.wait_for_load_state("load")
            assert not serious(seen)
            seen.get_by_text("The hands behind each statistic").click()
            seen.locator('a[href*="stat=vpip"]').first.click()
            seen.get_by_role("heading", name="Hands of Ann").wait_for()
            seen.locator('a[href^="/review/store/"]').first.click()
            seen.wait_for_url("**/review/store/*")
            assert "Ann" in seen.locator("main").inner_text()

            # A note and a label, by the form and by the keyboard; both stand in the list.
            seen.goto("/opponents/player?player=Ann&view=statistics")
            seen.fill("[name=note]", "folds to the second barrel")
            with seen.expect_navigation():
                seen.get_by_role("button", name="Keep the note").click()
            seen.fill("[name=label]", "tight")
            seen.keyboard.press("Enter")
            seen.get_by_role("button", name="Remove the label tight").wait_for()
            assert seen.input_value("[name=note]") == "folds to the second barrel"
            assert not serious(seen)
            seen.goto("/opponents?label=tight")
            seen.get_by_text("folds to the second barrel").wait_for()
            assert seen.locator(".people tbody tr").count() == 1

            # Side by side.
            seen.goto("/opponents")
            seen.fill("[name=player]", "Ann")
            seen.fill("[name=other]", EVIL)
            seen.get_by_role("button", name="Compare").click()
            seen.get_by_role("heading", name=f"Ann beside {EVIL}").wait_for()
            assert seen.locator(".numbers tbody tr").count() > 10
            assert not serious(seen)
    finally:
        made.close()
