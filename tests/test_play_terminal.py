"""A person at a real terminal: `soulread play` in tmux, driven by keys, killed in mid-hand and resumed."""

import os
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tmux_terminal import Terminal, gone

from soulread.hands.hand import Hand
from soulread.hands.store import Store

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]


class Table(Terminal):
    """A terminal in which somebody plays."""

    def play(self, *arguments: str) -> int:
        """Run `soulread play` in a new terminal; its process."""
        return self.start("play", *arguments)

    def wait_to_act(self) -> str:
        """The screen once the person is asked."""
        return self.wait(lambda shown: shown.rstrip().endswith("leave:"), "a question")

    def answer(self, typed: str) -> str:
        """Type an answer, and wait for the next question; the screen then."""
        asked = self.wait_to_act().count("leave:")
        self.run("send-keys", typed, "Enter")
        return self.wait(
            lambda shown: shown.count("leave:") > asked and shown.rstrip().endswith("leave:"),
            "the next question",
        )


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    yield made
    made.end()


def stored(path: Path) -> list[Hand]:
    with Store.open(path, read_only=True) as store:
        return [hand for _, hand in store.find()]


GAMES = {
    "kuhn": (("kuhn", "always-raise"), "c", r"you check, always-raise bets 1"),
    "leduc": (("leduc", "always-raise"), "c", r"preflop  .*always-raise (bets|raises)"),
    "nolimit": (("nolimit:stacks=50", "always-call"), "50%", r"you (bet|raise to) \d+"),
}


@pytest.mark.parametrize("name", GAMES)
def test_three_games_killed_in_the_middle_of_a_hand_and_resumed(
    name: str, terminal: Table, tmp_path: Path
) -> None:
    """Two hands, then a third that is begun, SIGKILL, the same hand goes on; every hand is stored once."""
    arguments, key, seen = GAMES[name]
    process = terminal.play(*arguments, "--seed", "11", "--name", "Ann", "--coach", "--db", "hands.db")
    terminal.wait_for("hand 1,")
    while "hand 3," not in terminal.wait_to_act():
        terminal.answer(key if "hand 2," not in terminal.screen() else "c")
    terminal.answer("c")  # an action of the third hand, after which the person is asked again
    before = terminal.wait_to_act()
    assert re.search(seen, before)
    assert "hand 4," not in before
    assert all(len(line) <= terminal.WIDTH for line in before.split("\n"))
    third = [
        line for line in before.split("hand 3,")[1].split("\n") if line.startswith(("your cards", "flop"))
    ]
    os.kill(process, signal.SIGKILL)
    terminal.wait(lambda _: gone(process), "the end of the process")
    assert len(stored(tmp_path / "hands.db")) == 2

    terminal.play("--resume", "--coach", "--db", "hands.db")
    after = terminal.wait_to_act()
    assert "so far" in after
    assert "hand 3," in after
    assert "hand 1," not in after
    assert third[-1] in after
    while "hand 4," not in terminal.screen():
        terminal.answer("c")
    terminal.run("send-keys", "q", "Enter")
    last = terminal.wait_for("soulread play --resume")
    assert "You have left the table" in last
    assert "--db hands.db" in last
    hands = stored(tmp_path / "hands.db")
    assert [hand.id.rpartition("-")[2] for hand in hands] == ["0", "1", "2"]
    assert all("Ann" in hand.players and hand.room == "soulread" for hand in hands)
    total = sum(hand.payoffs[hand.seat_of("Ann")] for hand in hands)
    assert f"{total:+} chips in 3 hands" in last


def test_suits_have_colours_and_keys_may_be_wrong(terminal: Table) -> None:
    terminal.play("leduc", "always-call", "--seed", "3")
    terminal.answer("x")
    assert "'x' cannot be done here" in terminal.screen()
    terminal.answer("h")
    while not re.search("[♥♦]", terminal.screen()):
        terminal.answer("c")
    assert re.search(r"\x1b\[[0-9;]*31m.[♥♦]", terminal.screen("-e"))
    terminal.run("send-keys", "C-d")
    shown = terminal.wait_for("You have left the table")
    assert "Traceback" not in shown
