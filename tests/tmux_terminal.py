"""A terminal that tests type into: one of tmux, with a server of its own."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 240.0  # seconds until a text must be on the screen; a loaded machine may compile first


class Terminal:
    """A terminal with a server of tmux of its own, 80 columns wide."""

    WIDTH = 80

    def __init__(self, folder: Path, height: int = 300) -> None:
        self._height = height
        self._started = 0
        self._environment = {
            **{
                name: value
                for name, value in os.environ.items()
                if name not in ("TMUX", "NO_COLOR", "COLUMNS")
            },
            "SOULREAD_DB": str(folder / "own" / "hands.db"),
            "LC_ALL": "C.UTF-8",
        }
        self._folder = folder

    def run(self, *words: str, check: bool = True) -> str:
        """A command of tmux; what it prints."""
        socket = str(self._folder / f"tmux{self._started}")
        done = subprocess.run(
            ["tmux", "-f", "/dev/null", "-S", socket, *words],
            env=self._environment,
            cwd=self._folder,
            capture_output=True,
            text=True,
            check=check,
            timeout=PATIENCE,
        )
        return done.stdout

    def start(self, *arguments: str) -> int:
        """Run `soulread` in a new terminal; its process."""
        self.end()
        self._started += 1
        command = [sys.executable, "-m", "soulread", *arguments]
        size = "-x", str(self.WIDTH), "-y", str(self._height)
        self.run("new-session", "-d", *size, *command, ";", "set-option", "-g", "remain-on-exit", "on")
        return int(self.run("display-message", "-p", "#{pane_pid}"))

    def screen(self, *more: str) -> str:
        """What stands on the screen; a line that was too long stays broken."""
        return self.run("capture-pane", "-p", *more)

    def wait(self, told: Callable[[str], bool], what: str) -> str:
        """The screen, as soon as it is as it should be."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            shown = self.screen()
            if told(shown):
                return shown
            time.sleep(0.05)
        raise AssertionError(f"waited for {what}; the screen is\n{self.screen().rstrip()}")

    def wait_for(self, text: str) -> str:
        return self.wait(lambda shown: text in shown, repr(text))

    def end(self) -> None:
        """End the server and all it runs."""
        self.run("kill-server", check=False)


def gone(process: int) -> bool:
    """Whether a process has ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().split(") ")[1][0] == "Z"
    except OSError:
        return True
