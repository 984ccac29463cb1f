"""The same spot on many boards: how often each action, what it is worth, and where a lock pays.

Each board is one task (`board_values`), whose parameters and results are plain numbers and text. So boards
can be solved in any order, by several processes, and a run that was interrupted goes on where it stopped
(`soulread.tasks`). Means over boards weigh a board by how often it comes and both ranges have
hands on it: the number of boards that differ from it by suits only, times the weight of all pairs of hands
that are possible on it.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.abstraction.textures import texture_of
from soulread.cards.deck import RANKS, cards_name, parse_cards
from soulread.cards.isomorphism import all_boards
from soulread.encoding import keys, plain_data
from soulread.errors import SoulreadError
from soulread.games.spot import PLAYER_NAMES, by_player
from soulread.games.unit import CHIPS, number_text
from soulread.processes import Jobs
from soulread.report.figures import BarPanel, Bars, Figure
from soulread.report.sheet import rows_text
from soulread.report.shown import ShownTable
from soulread.respond.locks.reads import parse_read, villain_of
from soulread.respond.locks.trust import TRUSTS
from soulread.seqform.spot import action_word
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.real_cards.spot_files import describe_spot, read_spot
from soulread.study.spots.locks import study_locks
from soulread.study.spots.spots import DEFAULT_GAP, study_spot
from soulread.tasks import ResultStore, Task, kept_as, run_tasks
from soulread.words import plural

NUM_FLOPS = 1755
VERSION = 1  # of the results; raise it when the same parameters would give others
_TEXTURES = 12
_AMOUNTS = "pot", "stack", "blind", "rake", "cap"
HIGHEST = {"A": "A", "K": "K", "Q": "Q", "J": "J, T", "T": "J, T"}  # classes of boards by their highest card


def sample_flops(count: int, seed: int = 0) -> list[tuple[str, int]]:
    """So many of the 1755 flops that differ by more than suits, each with how many flops it stands for.

    All of them if ``count`` is 1755; else ``count`` different ones, drawn alike.
    """
    if not 1 <= count <= NUM_FLOPS:
        raise SoulreadError(f"{count!r} flops; there are 1 to {NUM_FLOPS} that differ by more than suits")
    boards = all_boards()
    chosen = np.sort(np.random.default_rng(seed).choice(NUM_FLOPS, count, replace=False))
    return [
        (cards_name(tuple(boards.flops[i].tolist())), int(boards.flop_weights[i])) for i in chosen.tolist()
    ]


def flop_subsets() -> dict[int, list[tuple[str, int]]]:
    """The subsets of flops that stand for all, by size: boards, and for how many of 22,100 each stands.

    `benchmarks/make_flop_subsets.py` chose them and says how.
    """
    kept = json.loads(Path(__file__).with_name("flop_subsets.json").read_bytes())
    return {int(size): [(board, count) for board, count in rows] for size, rows in kept.items()}


def named_boards(text: str, seed: int | None = None) -> list[tuple[str, int]]:
    """The boards that a text means, each with how many it stands for.

    "all" are the 1755 flops. A number is the subset of that size that stands for all (`flop_subsets`), or
    else so many flops drawn at random; with a ``seed`` they are always drawn. Everything else are boards with
    commas between them, or a file of them.
    """
    if text.strip().lower() == "all":
        return sample_flops(NUM_FLOPS)
    if text.isdecimal():
        kept = flop_subsets().get(int(text)) if seed is None else None
        return sample_flops(int(text), seed or 0) if kept is None else kept
    if not Path(text).is_file():
        try:
            return [(cards_name(parse_cards(part)), 1) for part in text.split(",")]
        except SoulreadError as error:
            sizes = ", ".join(map(str, flop_subsets()))
            raise SoulreadError(
                f"{text!r} names no boards ({error}); write a number of flops (those that stand for all: "
                f"{sizes}), all, boards such as Ks8h4c,Td9d6h, or a file of them"
            ) from None
    return read_boards(Path(text))


def read_boards(path: Path) -> list[tuple[str, int]]:
    """The boards of a file, one in a line; behind a # stands a remark.

    Each counts once, or as often as a number behind a colon says: "Td9d6h: 12".
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SoulreadError(f"the boards in {str(path)!r} cannot be read: {error}") from None
    found = []
    for number, line in enumerate(lines, start=1):
        text, colon, number_of = (part.strip() for part in line.partition("#")[0].partition(":"))
        if not (text or colon):
            continue
        try:
            if not text:
                raise SoulreadError("no board stands before the colon")
            if colon and not (number_of.isdecimal() and int(number_of)):
                raise SoulreadError(
                    f"{number_of!r} is not how often a board counts; write a number such as 12"
                )
            found.append((cards_name(parse_cards(text)), int(number_of) if colon else 1))
        except SoulreadError as error:
            raise SoulreadError(f"{str(path)!r}, line {number}: {error}") from None
    if not found:
        raise SoulreadError(f"{str(path)!r} has no boards; write one in a line, such as Td9d6h")
    return found


@kept_as("soulread.study.spot_boards:board_values")
def board_values(
    board: str,
    spot: Mapping[str, Any],
    at: str = "",
    gap: float = DEFAULT_GAP,
    iterations: int | None = None,
    locks: Sequence[str] = (),
    trust: float | None = None,
    risk: float | None = None,
    kind: str = "c",
    method: str = "shift",
) -> dict[str, NDArray[Any] | float]:
    """Solve a spot on one board, as a task.

    ``spot`` are the arguments of `read_spot` besides the board, ``gap`` is a part of the pot, and ``at`` the
    path of the decision whose frequencies are counted. With ``locks`` (texts of `parse_read`) also what the
    answer to them gains and costs; without ``trust`` and ``risk`` it is the hard lock.
    """
    made = read_spot(board, **spot)
    stops = Stops(gap=gap * made.betting.pot, iterations=iterations)
    study = study_spot(made, stops)
    view = study.at(at)
    values: dict[str, NDArray[Any] | float] = {
        "frequencies": view.frequencies,
        "ev": np.array([player.mean_ev for player in view.players]),
        "equity": np.array([player.mean_equity for player in view.players]),
        "gap": made.unit.of(study.solution.gap),
        "weight": made.total_chance,
    }
    if locks:
        trusts: tuple[float, ...] = (1.0,) if trust is None else (trust,)
        if risk is not None:
            trusts = TRUSTS
        wanted = 1.0 if trust is None and risk is None else trust
        locked = study_locks(
            made,
            [parse_read(text) for text in locks],
            trust=wanted,
            risk=risk,
            kind=kind,
            method=method,
            trusts=trusts,
            stops=stops,
        )
        values |= {name: locked.point(locked.chosen)[name] for name in ("gain", "cost", "trust")}
    return values


@dataclass(frozen=True, eq=False)
class BoardRow:
    """One board, solved."""

    board: str
    texture: str
    weight: float  # how often it comes, up to a common factor
    frequencies: tuple[float, ...]
    ev: tuple[float, float]  # taken out of the pot, of both players, in the spot's unit
    equity: tuple[float, float]
    gap: float
    gain: float | None = None  # of the answer to the locks, beyond the equilibrium's, if they are right
    cost: float | None = None  # if they are wrong
    trust: float | None = None


def _record(row: BoardRow, actions: Sequence[str]) -> dict[str, Any]:
    """A board for JSON and CSV."""
    record = {
        "board": row.board,
        "texture": row.texture,
        "weight": row.weight,
        **dict(zip(actions, row.frequencies, strict=True)),
        **{f"ev_{name}": value for name, value in zip(PLAYER_NAMES, row.ev, strict=True)},
        **{f"equity_{name}": value for name, value in zip(PLAYER_NAMES, row.equity, strict=True)},
        "gap": row.gap,
    }
    if row.gain is not None:
        record |= {"gain": row.gain, "cost": row.cost, "trust": row.trust}
    return record


def row_of(board: str, count: int, values: Mapping[str, Any]) -> BoardRow:
    """The row of a board that stands for ``count`` boards, from the values of `board_values`."""

    def number(name: str) -> float | None:
        return float(values[name]) if name in values else None

    ev, equity = np.asarray(values["ev"]).tolist(), np.asarray(values["equity"]).tolist()
    return BoardRow(
        board,
        texture_of(parse_cards(board)),
        count * float(values["weight"]),
        tuple(np.asarray(values["frequencies"]).tolist()),
        (ev[0], ev[1]),
        (equity[0], equity[1]),
        float(values["gap"]),
        number("gain"),
        number("cost"),
        number("trust"),
    )


@dataclass(frozen=True, eq=False)
class Mean:
    """The mean over some boards, weighted by how often they come."""

    name: str
    boards: int
    share: float  # of all boards, by weight
    frequencies: tuple[float, ...]
    ev: tuple[float, float]
    gain: float | None
    cost: float | None


@dataclass(frozen=True, eq=False, repr=False)
class BoardsStudy(ShownTable):
    """Many boards of one spot."""

    TABLE = "boards"

    path: str
    player: str
    actions: tuple[str, ...]
    pot: float
    unit: str  # "chips" or "bb"
    locks: tuple[str, ...]
    rows: tuple[BoardRow, ...]
    missing: int = 0  # boards that are not solved yet

    JSON = keys(
        "player actions pot unit locks missing",
        at="path",
        means=lambda study: [study.mean_record(mean) for mean in study.means()],
        by_highest_card=lambda study: [study.mean_record(mean) for mean in study.by_highest_card()],
        boards=lambda study: [_record(row, study.actions) for row in study.rows],
    )

    def plot(self) -> Figure:
        """Return the frequency of each action by texture, and with locks their gains and costs."""
        means = self.means()
        groups = tuple(mean.name.replace(", ", "\n") for mean in means)
        panels = [
            BarPanel(
                f"{self.player} at {self.path or 'the start'}",
                "frequency (%)",
                groups,
                tuple(
                    Bars(action, tuple(100 * mean.frequencies[i] for mean in means))
                    for i, action in enumerate(self.actions)
                ),
            )
        ]
        if any(mean.gain is not None for mean in means):
            panels.append(
                BarPanel(
                    "; ".join(self.locks),
                    self.unit,
                    groups,
                    (
                        Bars("gain if right", tuple(mean.gain or 0.0 for mean in means)),
                        Bars("cost if wrong", tuple(mean.cost or 0.0 for mean in means)),
                    ),
                )
            )
        return Figure("boards", f"{len(self.rows)} boards", tuple(panels), columns=1)

    def mean_record(self, mean: Mean) -> dict[str, Any]:
        """A mean for JSON."""
        return {
            **plain_data(mean),
            "frequencies": dict(zip(self.actions, mean.frequencies, strict=True)),
            "ev": by_player(mean.ev),
            "ev_share": by_player(ev / self.pot for ev in mean.ev),
        }

    @property
    def pot_text(self) -> str:
        """The pot as people write it: "20" or "5.5bb"."""
        return f"{number_text(self.pot, ',')}{'' if self.unit == CHIPS else self.unit}"

    def summary(self) -> str:
        """Return the decision and the number of boards."""
        return f"{self.player} at {self.path!r}, {plural(len(self.rows), 'board')}"

    def mean(self, name: str, rows: Sequence[BoardRow]) -> Mean:
        """The mean over some of the rows."""
        weights = np.array([row.weight for row in rows])
        total = float(weights.sum())

        def over(values: Sequence[Any]) -> Any:
            return (weights @ np.array(values, dtype=np.float64) / total).tolist()

        gains = [row.gain for row in rows]
        known = bool(gains) and all(gain is not None for gain in gains)
        ev = over([row.ev for row in rows])
        return Mean(
            name,
            len(rows),
            total / sum(row.weight for row in self.rows),
            tuple(over([row.frequencies for row in rows])),
            (ev[0], ev[1]),
            over(gains) if known else None,
            over([row.cost for row in rows]) if known else None,
        )

    def means(self) -> list[Mean]:
        """All boards, then those of each texture, the commonest first."""
        if not self.rows:
            return []
        textures: dict[str, list[BoardRow]] = {}
        for row in self.rows:
            textures.setdefault(row.texture, []).append(row)
        each = [self.mean(name, rows) for name, rows in textures.items()]
        each.sort(key=lambda mean: -mean.share)
        return [self.mean("all boards", self.rows), *each[:_TEXTURES]]

    def by_highest_card(self) -> list[Mean]:
        """The boards by their highest card, from aces down."""
        groups: dict[str, list[BoardRow]] = {name: [] for name in [*HIGHEST.values(), "9 or lower"]}
        for row in self.rows:
            highest = RANKS[max(parse_cards(row.board)) >> 2]
            groups[HIGHEST.get(highest, "9 or lower")].append(row)
        return [self.mean(name, rows) for name, rows in groups.items() if rows]

    def best(self, count: int = 10) -> list[BoardRow]:
        """The boards on which the lock pays most."""
        return sorted((row for row in self.rows if row.gain is not None), key=lambda row: -(row.gain or 0))[
            :count
        ]

    def to_csv(self) -> str:
        """A line for each board, with a head."""
        return rows_text([_record(row, self.actions) for row in self.rows])


def study_boards(
    boards: Sequence[tuple[str, int]],
    spot: Mapping[str, Any],
    at: str = "",
    *,
    gap: float = DEFAULT_GAP,
    iterations: int | None = None,
    locks: Sequence[str] = (),
    trust: float | None = None,
    risk: float | None = None,
    kind: str = "c",
    method: str = "shift",
    jobs: Jobs = 1,
    progress: Callable[[int], None] | None = None,
) -> BoardsStudy:
    """Solve one spot on many boards, each with how many boards it stands for.

    ``jobs`` says on how many processes, or on which runner. The others are those of `board_values`. Results
    are kept on disk, so that a second call goes on where the first was interrupted. ``progress`` is called
    with 1 after each board. Ctrl-C ends it: the result then has the boards that are solved.
    """
    first = read_spot(boards[0][0], **spot)  # mistakes are told before the work
    node = first.node(first.find(at))
    # However an amount is written, its results are the same.
    told = {name: value for name, value in spot.items() if name not in _AMOUNTS[2:]}
    amounts = {name: value for name, value in describe_spot(first).items() if name in _AMOUNTS}
    settings: dict[str, Any] = {"spot": {**told, **amounts}, "at": at, "gap": gap, "iterations": iterations}
    if locks:
        villain_of(first, [parse_read(text) for text in locks])
        chosen = {"trust": trust, "risk": risk, "kind": kind, "method": method}
        settings |= {"locks": list(locks), **chosen}
    counts = dict(boards)
    tasks = [Task(board_values, {"board": board, **settings}, VERSION) for board in counts]
    rows: dict[str, BoardRow] = {}
    try:
        for result in run_tasks(tasks, ResultStore.default(), jobs):
            board = str(result.task.parameters["board"])
            rows[board] = row_of(board, counts[board], result.values)
            if progress is not None:
                progress(1)
    except KeyboardInterrupt:
        if not rows:
            raise
    return BoardsStudy(
        at,
        PLAYER_NAMES[node.player],
        tuple(action_word(action) for action in node.actions),
        first.unit.of(first.betting.pot),
        first.unit.name,
        tuple(locks),
        tuple(rows[board] for board, _ in boards if board in rows),
        len(boards) - len(rows),
    )
