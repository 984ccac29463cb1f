"""Matches of the zoo as small records, and files that keep them.

A record has the amounts of one match as means of `STEP` hands each, in mb/g: what the player won, what the
equilibrium would have won from the same opponent, and what the player had promised beyond that. Everything
that is said about the zoo follows from records. So a file of them is enough to make tables, claims and
figures again without playing, and to go on with a run on another machine.

A file is JSON, a line for each opponent, sealed with a checksum. Amounts are whole tenths of a mb/g. They
change only when a player changes its strategy, so a series is written as value, steps, value, steps, ...
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.errors import DamagedFile, SoulreadError
from soulread.play.opponents.zoo import ZooOpponent
from soulread.storage.files import UNSEALED, verify_file, verify_readable, verify_writable, write_sealed

STEP = 10  # hands
KIND = "zoo"  # of the file
_TENTHS = 10  # of a mb/g

Floats = NDArray[np.float64]


def step_means(amounts: Floats) -> Floats:
    """The means of every `STEP` values; the last mean may be of fewer."""
    first = np.arange(0, amounts.size, STEP)
    return np.asarray(np.add.reduceat(amounts, first) / np.diff(first, append=amounts.size))


@dataclass(frozen=True, eq=False)
class MatchRecord:
    """One match of a player with an opponent; each series ``[steps]`` in mb/g."""

    number: int  # among the matches with this opponent
    hands: int
    won: Floats
    usual: Floats | None = None  # of the equilibrium; None: it played a match of its own
    promised: Floats | None = None  # beyond the equilibrium; None if the player does not say
    raw: Floats | None = None  # with luck in it; not kept in files
    seconds: float = 0.0  # of CPU time

    @property
    def weights(self) -> Floats:
        """``[steps]``: the hands of each step."""
        counts = np.full(self.won.size, float(STEP))
        counts[-1] = self.hands - STEP * (self.won.size - 1)
        return counts


Records = dict[tuple[str, str], list[MatchRecord]]  # by player and text of the opponent


@dataclass(frozen=True)
class Attainable:
    """The best that can be won from an opponent in the game or its abstraction, in mb/g; NaN: not known."""

    usual: float = math.nan  # what the equilibrium wins
    ceiling: float = math.nan  # what a best response wins
    within: float = math.nan  # what the best answer within the budget wins, by a perfect read


@dataclass(frozen=True)
class KeptMatches:
    """The content of a file of records."""

    game: str
    seed: int
    version: int  # of the matches: `soulread.reproduce.kit.matches.VERSION`
    players: Mapping[str, str]
    opponents: tuple[ZooOpponent, ...]
    limits: Mapping[str, Attainable]  # by text of the opponent
    records: Records

    @property
    def matches(self) -> int:
        """The greatest number of matches with one opponent."""
        return max((record.number + 1 for found in self.records.values() for record in found), default=0)

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        verify_writable(path, "json")
        head = {
            "soulread": KIND,
            "seal": UNSEALED,
            "game": self.game,
            "seed": self.seed,
            "version": self.version,
            "hands of a step": STEP,
            "unit": "tenths of a mb/g; a series is value, steps, value, steps, ...",
            "players": dict(self.players),
        }
        lines = [_compact(self._line(opponent)) for opponent in self.opponents]
        text = _compact(head).removesuffix("}") + ',"opponents":[\n' + ",\n".join(lines) + "\n]}\n"
        write_sealed(path, text.encode())

    def _line(self, opponent: ZooOpponent) -> dict[str, Any]:
        limits = self.limits.get(opponent.agent, Attainable())
        known = {name: round(x, 1) for name, x in vars(limits).items() if not math.isnan(x)}
        played = {
            player: [_written(record) for record in sorted(found, key=lambda one: one.number)]
            for player in self.players
            if (found := self.records.get((player, opponent.agent)))
        }
        names = {"family": opponent.family, "label": opponent.label, "agent": opponent.agent}
        return {**names, **known, "matches": played}

    @classmethod
    def read(cls, path: Path) -> "KeptMatches":
        """The content of a file; a damaged one, or one of another kind, is refused."""
        verify_readable(path)
        verify_file(path)
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            if found["soulread"] != KIND or found["hands of a step"] != STEP:
                raise SoulreadError(
                    f"{str(path)!r} does not hold matches of the zoo in steps of {STEP} hands"
                )
            opponents, limits, records = [], {}, {}
            for line in found["opponents"]:
                opponent = ZooOpponent(line["family"], line["label"], line["agent"])
                opponents.append(opponent)
                limits[opponent.agent] = Attainable(
                    **{name: float(line[name]) for name in ("usual", "ceiling", "within") if name in line}
                )
                for player, matches in line["matches"].items():
                    records[player, opponent.agent] = [_read(match) for match in matches]
            return cls(
                str(found["game"]),
                int(found["seed"]),
                int(found["version"]),
                {str(name): str(text) for name, text in found["players"].items()},
                tuple(opponents),
                limits,
                records,
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if isinstance(error, SoulreadError):
                raise
            raise DamagedFile(f"{str(path)!r} holds no matches of the zoo: {error!r}") from None


def _compact(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"), allow_nan=False)


def _written(record: MatchRecord) -> dict[str, Any]:
    """A match as it stands in a file."""
    series = {"won": record.won, "usual": record.usual, "promised": record.promised}
    return {
        "number": record.number,
        "hands": record.hands,
        "seconds": round(record.seconds, 1),
        **{name: _runs(values) for name, values in series.items() if values is not None},
    }


def _read(match: Mapping[str, Any]) -> MatchRecord:
    hands = int(match["hands"])
    series = {name: _unroll(match[name]) for name in ("won", "usual", "promised") if name in match}
    if any(values.size != -(-hands // STEP) for values in series.values()):
        raise ValueError(f"match {match['number']} of {hands} hands has series of another length")
    return MatchRecord(int(match["number"]), hands, seconds=float(match["seconds"]), **series)


def _runs(values: Floats) -> list[int]:
    """A series as value, steps, value, steps, ..."""
    whole = np.rint(values * _TENTHS).astype(np.int64)
    first = np.flatnonzero(np.diff(whole, prepend=whole[0] - 1))
    lengths = np.diff(first, append=whole.size)
    return [int(x) for pair in zip(whole[first], lengths, strict=True) for x in pair]


def _unroll(runs: Sequence[int]) -> Floats:
    values, lengths = np.array(runs, dtype=np.int64).reshape(-1, 2).T
    return np.asarray(np.repeat(values, lengths) / _TENTHS)


def relabelled(kept: KeptMatches, player: str, label: str) -> Records:
    """The matches of one player under another name."""
    return {(label, agent): found for (name, agent), found in kept.records.items() if name == player}


def joined(parts: Iterable[Records]) -> Records:
    """All records together; of a match that is in several parts, the one of the first part."""
    whole: dict[tuple[str, str], dict[tuple[int, int], MatchRecord]] = {}
    for part in parts:
        for place, found in part.items():
            for record in found:
                whole.setdefault(place, {}).setdefault((record.number, record.hands), record)
    return {place: list(found.values()) for place, found in whole.items()}
