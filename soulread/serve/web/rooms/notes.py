"""The notes on a table's finished hands: a line of JSON for each, in a file that only grows."""

import json
import math
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from soulread.encoding import json_text
from soulread.study.seat.choices import BARS, error_of_low


class KeptNotes:
    """The notes by number of the hand, from 1 up. A line that is damaged is left out."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.hands: dict[int, dict[str, Any]] = {}
        with suppress(FileNotFoundError):
            for line in path.read_bytes().split(b"\n"):
                with suppress(ValueError, KeyError, TypeError, RecursionError):
                    found = json.loads(line)
                    self.hands[int(found["hand"])] = found

    def of(self, number: int) -> dict[str, Any] | None:
        """The notes on a hand; None if there are none."""
        return self.hands.get(number)

    def last(self, count: int) -> list[int]:
        """The numbers of the last hands, the very last one first."""
        return sorted(self.hands)[: -count - 1 : -1]

    def add(self, number: int, found: dict[str, Any]) -> None:
        """Keep the notes on a hand. The line is written at once; the part that a kill left stands alone."""
        self.hands[number] = {"hand": number, **found}
        line = json_text(self.hands[number]).encode()
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(handle, b"\n" + line + b"\n")
        finally:
            os.close(handle)

    def worst(self, number: int) -> str:
        """The worst grade of a hand's decisions; empty if none was judged."""
        found = self.hands.get(number, {}).get("decisions") or []
        grades = [one["grade"] for one in found]
        return next((grade.value for grade, _ in BARS if grade.value in grades), "good" if grades else "")

    @property
    def costs(self) -> dict[str, float]:
        """Chips given up in all hands that were judged, their standard error, hands, decisions by grade."""
        total: dict[str, float] = {"chips": 0.0, "error": 0.0, "hands": 0, "decisions": 0}
        for found in self.hands.values():
            if found.get("cost") is None or not found.get("decisions"):
                continue
            total["chips"] += found["cost"]
            total["error"] = math.hypot(total["error"], error_of(found))
            total["hands"] += 1
            for one in found["decisions"]:
                total["decisions"] += 1
                total[one["grade"]] = total.get(one["grade"], 0) + 1
        return total


def error_of(found: dict[str, Any]) -> float:
    """The standard error of what a hand cost, by the notes on it; 0 where costs are exact."""
    judged = [one["appraisals"][0] for one in found.get("decisions") or () if one["appraisals"]]
    return math.hypot(*(error_of_low(one["cost"], one["low"]) for one in judged))
