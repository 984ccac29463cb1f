"""Files damaged in many ways, and what soulread makes of them.

A `Subject` is a kind of file: how a whole one is made, and how it is used. `attack` damages one and says what
came of it:

    refused      one sentence of a `SoulreadError`; of hands, some were skipped by name, and none was changed
    rebuilt      made again, with the right content, and a sentence saying so
    harmless     the content is what it was; of hands, see below
    ACCEPTED     used although it was changed
    LOST         good hands beside the damaged file, or whole ones in it, were not read
    crashed      any other exception, or a message of several lines

Everything follows from the seed of the generator.

**Hands.** A text without a checksum cannot tell that a name was changed, or an amount that still adds up. So
a changed hand is harmless if nothing contradicts it: an independent replay (`is_sound`), with the states of
`soulread.games.poker` and not with those of the readers, plays its actions, deals its board, and comes to its
betting, showdown and payoffs, which sum to zero with the rake. Anything else that comes in is ACCEPTED. Hands
whose text is whole must be read, whatever stands around them. Of files with a checksum (gz, bz2, xz, zip)
more is asked: a hand that was changed or is missing must be told, by a skip that names its file.

A damaged file of hands lies in a folder between two good ones, whose hands must be read.
"""

import bz2
import gzip
import io
import json
import logging
import lzma
import re
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from soulread.errors import SoulreadError
from soulread.games.base import TERMINAL
from soulread.games.named import parse_game
from soulread.games.poker import PokerGame
from soulread.hands.formats.acpc import LogWriter, read_log_file
from soulread.hands.formats.reading import FAILED, Skipped, read_hands, write_hand
from soulread.hands.hand import Hand
from soulread.hands.record import final_state, replay_hand, seen_by, seen_by_dealer, verify_hand
from soulread.hands.referee import game_of_record
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match
from soulread.play.opponents.baselines import Random
from soulread.seqform.compile import compile_game
from soulread.seqform.source import parse_source
from soulread.solvers.cfr.run import solve
from soulread.solvers.equilibria import playable_strategy, solve_or_load
from soulread.solvers.strategy_files import Strategy, load_strategy, save_strategy
from soulread.storage import cache
from soulread.tasks import ResultStore, Task, run_tasks

REFUSED, REBUILT, HARMLESS, ACCEPTED, LOST, CRASHED = (
    "refused", "rebuilt", "harmless", "ACCEPTED", "LOST", "crashed",
)  # fmt: skip

Mutator = Callable[[bytes, np.random.Generator], bytes]
LONGEST = 2000  # characters of a message


@dataclass(frozen=True)
class Subject:
    """A kind of file.

    ``make`` writes whole files to an empty folder and returns those to be damaged. ``use`` uses them, and
    returns how that ended if it did not raise; ``changed`` says whether a file is not what it was.
    """

    name: str
    make: Callable[[Path], list[Path]]
    use: Callable[[Path, bool], str]
    is_text: bool = False
    mutators: tuple[Mutator, ...] = ()  # if not those of any text or binary file


# Damage -------------------------------------------------------------------------------------------


def _block(content: bytes, rng: np.random.Generator) -> tuple[int, int]:
    size = len(content)
    length = int(rng.integers(1, max(2, min(size, 1 + size // 4))))
    start = int(rng.integers(0, max(1, size - length + 1)))
    return start, start + length


def change_byte(content: bytes, rng: np.random.Generator) -> bytes:
    place = int(rng.integers(len(content)))
    other = (content[place] + int(rng.integers(1, 256))) % 256
    return content[:place] + bytes([other]) + content[place + 1 :]


def flip_bit(content: bytes, rng: np.random.Generator) -> bytes:
    place = int(rng.integers(len(content)))
    return content[:place] + bytes([content[place] ^ (1 << int(rng.integers(8)))]) + content[place + 1 :]


def flip_many(content: bytes, rng: np.random.Generator) -> bytes:
    for _ in range(int(rng.integers(2, 200))):
        content = flip_bit(content, rng)
    return content


def cut(content: bytes, rng: np.random.Generator) -> bytes:
    return content[: int(rng.integers(len(content)))]


def behead(content: bytes, rng: np.random.Generator) -> bytes:
    return content[int(rng.integers(1, len(content))) :]


def empty(content: bytes, rng: np.random.Generator) -> bytes:
    return b""


def zero_block(content: bytes, rng: np.random.Generator) -> bytes:
    start, stop = _block(content, rng)
    return content[:start] + bytes(stop - start) + content[stop:]


def drop_block(content: bytes, rng: np.random.Generator) -> bytes:
    start, stop = _block(content, rng)
    return content[:start] + content[stop:]


def duplicate_block(content: bytes, rng: np.random.Generator) -> bytes:
    start, stop = _block(content, rng)
    place = int(rng.integers(len(content) + 1))
    return content[:place] + content[start:stop] + content[place:]


def swap_blocks(content: bytes, rng: np.random.Generator) -> bytes:
    places = np.sort(rng.integers(0, len(content) + 1, 4)).tolist()
    a, b, c, d = places
    return content[:a] + content[c:d] + content[b:c] + content[a:b] + content[d:]


def insert_zeros(content: bytes, rng: np.random.Generator) -> bytes:
    place = int(rng.integers(len(content) + 1))
    return content[:place] + bytes(int(rng.integers(1, 64))) + content[place:]


def append_noise(content: bytes, rng: np.random.Generator) -> bytes:
    return content + rng.bytes(int(rng.integers(1, 100)))


def all_noise(content: bytes, rng: np.random.Generator) -> bytes:
    return rng.bytes(len(content))


def change_number(content: bytes, rng: np.random.Generator) -> bytes:
    """Another number of as many digits somewhere in the text, as in "iterations" or "gap"."""
    found = list(re.finditer(rb"[0-9]+", content))
    if not found:
        return change_byte(content, rng)
    match = found[int(rng.integers(len(found)))]
    digits = "".join(str(digit) for digit in rng.integers(0, 10, match.end() - match.start()))
    return content[: match.start()] + digits.encode() + content[match.end() :]


def _data_start(content: bytes) -> int:
    """Where the numbers of a .npy or a safetensors file begin."""
    if content[:6] == b"\x93NUMPY":
        return 10 + int.from_bytes(content[8:10], "little")
    start = 8 + int.from_bytes(content[:8], "little")
    return start if start < len(content) else 0


def fill_data(content: bytes, rng: np.random.Generator) -> bytes:
    """All numbers replaced by zero, 255, NaN, -1 or 2; the header stays."""
    start = _data_start(content)
    size = len(content) - start
    value = [0.0, np.nan, -1.0, 2.0, None, None][int(rng.integers(6))]
    if value is None:
        return content[:start] + [b"\xff", b"\0"][int(rng.integers(2))] * size
    return content[:start] + (np.float64(value).tobytes() * (size // 8 + 1))[:size]


ANY: tuple[Mutator, ...] = (
    change_byte,
    flip_bit,
    flip_many,
    cut,
    behead,
    empty,
    zero_block,
    drop_block,
    duplicate_block,
    swap_blocks,
    insert_zeros,
    append_noise,
    all_noise,
    change_number,
)
"""Mutators of files of any kind."""

BINARY: tuple[Mutator, ...] = (*ANY, fill_data)


def _lines(content: bytes) -> list[bytes]:
    return content.splitlines(keepends=True)


def duplicate_line(content: bytes, rng: np.random.Generator) -> bytes:
    lines = _lines(content)
    place = int(rng.integers(len(lines)))
    return b"".join([*lines[:place], *[lines[place]] * 3, *lines[place:]])


def shuffle_lines(content: bytes, rng: np.random.Generator) -> bytes:
    lines = _lines(content)
    return b"".join(lines[i] for i in rng.permutation(len(lines)))


def join_lines(content: bytes, rng: np.random.Generator) -> bytes:
    lines = _lines(content)
    place = int(rng.integers(len(lines)))
    return b"".join([*lines[:place], lines[place].rstrip(b"\n"), *lines[place + 1 :]])


def swap_fields(content: bytes, rng: np.random.Generator) -> bytes:
    lines = _lines(content)
    place = int(rng.integers(len(lines)))
    fields = lines[place].split(b":")
    return b"".join(
        [*lines[:place], b":".join(fields[i] for i in rng.permutation(len(fields))), *lines[place + 1 :]]
    )


_HARD = (
    b"1e999999999",
    b"1/0",
    b"-0",
    b"nan",
    b"9" * 5000,
    b"0x10",
    b"r" * 500,
    b"\xc2\xb2",
    b"|" * 300,
    b":",
    b"/",
)


def hard_text(content: bytes, rng: np.random.Generator) -> bytes:
    """A number, or a place, replaced by something that readers of numbers stumble over."""
    hard = _HARD[int(rng.integers(len(_HARD)))]
    found = list(re.finditer(rb"-?[0-9]+", content))
    match = found[int(rng.integers(len(found)))]
    return content[: match.start()] + hard + content[match.end() :]


def same_chips(content: bytes, rng: np.random.Generator) -> bytes:
    """Every hand has the same chips, such as 0|0 or 1e999999999|-1."""
    chips = (b"0|0", b"0|0|0", b"1e999999999|-1", b"1|-1", b"0.5|-0.5", b"-1|1")[int(rng.integers(6))]
    return re.sub(rb":[-0-9|]+:(?=[^:\n]*\n)", b":" + chips + b":", content)


def long_line(content: bytes, rng: np.random.Generator) -> bytes:
    place = int(rng.integers(len(content) + 1))
    return content[:place] + b"c" * int(rng.integers(9_000, 200_000)) + content[place:]


TEXT: tuple[Mutator, ...] = (
    *ANY,
    *(duplicate_line, shuffle_lines, join_lines, swap_fields, hard_text, same_chips, long_line),
)


def recode(content: bytes, rng: np.random.Generator) -> bytes:
    """Another encoding, or none."""
    text = content.decode("utf-8", "replace")
    name = ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "utf-7", "utf-32")[
        int(rng.integers(7))
    ]
    raw = text.encode(name, "replace")
    return raw if rng.integers(2) else raw[: int(rng.integers(len(raw)))]


def other_breaks(content: bytes, rng: np.random.Generator) -> bytes:
    return content.replace(
        b"\n", (b"\r\n", b"\r", b"\n\n", b" \n", b"\x0b", b"\xe2\x80\xa8")[int(rng.integers(6))]
    )


def swap_lines(content: bytes, rng: np.random.Generator) -> bytes:
    lines = _lines(content)
    a, b = rng.integers(0, len(lines), 2)
    lines[a], lines[b] = lines[b], lines[a]
    return b"".join(lines)


def drop_line(content: bytes, rng: np.random.Generator) -> bytes:
    lines = _lines(content)
    place = int(rng.integers(len(lines)))
    return b"".join([*lines[:place], *lines[place + 1 :]])


def change_word(content: bytes, rng: np.random.Generator) -> bytes:
    """A word replaced by another one of the file."""
    found = list(re.finditer(rb"[^\s]+", content))
    a, b = (found[int(place)] for place in rng.integers(0, len(found), 2))
    return content[: a.start()] + b[0] + content[a.end() :]


HISTORY: tuple[Mutator, ...] = (*TEXT, recode, other_breaks, swap_lines, drop_line, change_word)
"""Mutators of hand histories."""


def _json_line(content: bytes, rng: np.random.Generator) -> tuple[list[bytes], int, dict[str, Any]]:
    lines = _lines(content)
    place = int(rng.integers(len(lines)))
    return lines, place, json.loads(lines[place])


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all parts of a value."""
    yield path
    parts = value if isinstance(value, dict) else dict(enumerate(value)) if isinstance(value, list) else {}
    for key, part in parts.items():
        yield from _leaves(part, (*path, key))


_ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 3, 10**14, 10**20, 10**400, -(10**15), 1.5, 1e300, float("nan"),
    "", "x", "\x1b[2J", "\ud800", "\0", "n" * 5000, "Ah", "AhAh", "2c3c4c5c6c7c8c", "unseen", "mucked",
    "ante", "r9c", "0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59-23:59", "2021-07-04T00:00:00",
    "52 cards", [], {}, [1], ["x"], [[0, 1]], {"a": 1}, [None] * 300,
)  # fmt: skip


def json_value(content: bytes, rng: np.random.Generator) -> bytes:
    """A part of a hand in JSON replaced by something else."""
    lines, place, record = _json_line(content, rng)
    paths = [path for path in _leaves(record) if path]
    *way, last = paths[int(rng.integers(len(paths)))]
    holder = record
    for key in way:
        holder = holder[key]
    old, choice = holder[last], int(rng.integers(len(_ODD) + 15))
    if choice < len(_ODD):
        holder[last] = _ODD[choice]
    elif type(old) is int:
        holder[last] = old + int(rng.integers(-3, 4))
    else:
        other = paths[int(rng.integers(len(paths)))]
        new: Any = record
        for key in other:
            new = new[key]
        holder[last] = json.loads(json.dumps(new))
    lines[place] = json.dumps(record).encode() + b"\n"
    return b"".join(lines)


def json_entry(content: bytes, rng: np.random.Generator) -> bytes:
    """A part of a hand in JSON dropped, doubled, or swapped with its neighbour."""
    lines, place, record = _json_line(content, rng)
    paths = [path for path in _leaves(record) if path]
    *way, last = paths[int(rng.integers(len(paths)))]
    holder: Any = record
    for key in way:
        holder = holder[key]
    if isinstance(holder, dict):
        holder["extra" if rng.integers(2) else last] = holder.pop(last)
        if rng.integers(2):
            holder.pop(next(iter(holder)))
    else:
        do = int(rng.integers(3))
        if do == 0:
            del holder[last]
        elif do == 1:
            holder.insert(last, holder[last])
        else:
            holder[last], holder[0] = holder[0], holder[last]
    lines[place] = json.dumps(record).encode() + b"\n"
    return b"".join(lines)


JSON: tuple[Mutator, ...] = (*HISTORY, *(json_value,) * 10, *(json_entry,) * 5)
"""Mutators of hands in JSON."""


# What is damaged ----------------------------------------------------------------------------------


def strategy_subject() -> Subject:
    """A user's strategy file, played by ``file:PATH`` and judged by ``soulread exploitability``."""
    game = compile_game(parse_game("kuhn"))
    solution = solve(game, iterations=30)

    def make(folder: Path) -> list[Path]:
        save_strategy(folder / "kuhn.strategy", Strategy.from_solution(solution, seed=7))
        return [folder / "kuhn.strategy"]

    def use(folder: Path, changed: bool) -> str:
        strategy = load_strategy(folder / "kuhn.strategy")
        playable_strategy(strategy, parse_game("kuhn"))
        load_strategy(folder / "kuhn.strategy", game)
        return ACCEPTED if changed else HARMLESS

    return Subject("strategy", make, use)


def checkpoint_subject() -> Subject:
    """A solve that goes on from a checkpoint."""
    game = compile_game(parse_game("kuhn"))

    def make(folder: Path) -> list[Path]:
        solve(game, iterations=20, checkpoint=folder / "run")
        return [folder / "run"]

    def use(folder: Path, changed: bool) -> str:
        solve(game, iterations=25, checkpoint=folder / "run", resume=True)
        return ACCEPTED if changed else HARMLESS

    return Subject("checkpoint", make, use)


def bundle_subject() -> Subject:
    """Tables in the cache, which are built again."""
    recipe = cache.Recipe("squares:500", {"what": "squares", "version": 1})
    arrays: dict[str, np.ndarray] = {
        "squares": np.arange(500) ** 2,
        "chances": np.linspace(0, 1, 300),
        "buckets": np.arange(900, dtype=np.uint8),
        "nothing": np.empty((3, 0), dtype=np.uint16),
    }

    def make(folder: Path) -> list[Path]:
        return sorted(cache.load_or_build(recipe, lambda: arrays).path.iterdir())

    def use(folder: Path, changed: bool) -> str:
        built = []

        def build() -> dict[str, np.ndarray]:
            built.append(True)
            return arrays

        found = cache.load_or_build(recipe, build)
        right = found.settings == recipe.settings and all(
            np.array_equal(found.arrays[name], array) and found.arrays[name].dtype == array.dtype
            for name, array in arrays.items()
        )
        if not right or (changed and not built):
            return ACCEPTED
        return REBUILT if built else HARMLESS

    return Subject("cache", make, use)


def equilibrium_subject() -> Subject:
    """An equilibrium in the cache, which is solved again."""
    source = parse_source("kuhn")
    solution = solve(source.compile(), iterations=30)

    def make(folder: Path) -> list[Path]:
        solve_or_load(source, folder / "kuhn.strategy", lambda game, progress: solution)
        return [folder / "kuhn.strategy"]

    def use(folder: Path, changed: bool) -> str:
        solved = []

        def again(*_: object) -> object:
            solved.append(True)
            return solution

        found = solve_or_load(source, folder / "kuhn.strategy", again)  # type: ignore[arg-type]
        right = all(np.array_equal(a, b) for a, b in zip(found.behaviours, solution.behaviours, strict=True))
        if not right or (changed and not solved):
            return ACCEPTED
        return REBUILT if solved else HARMLESS

    return Subject("equilibrium", make, use)


def result_subject() -> Subject:
    """The result of an experiment's task, which is run again."""
    task = Task(dict, {"seed": 3, "agents": ["a", "b"]})
    values = {"won": np.linspace(-1, 1, 200), "hands": np.arange(40), "rate": np.array(0.25)}

    def make(folder: Path) -> list[Path]:
        ResultStore(folder).save(task, values, 1.5)
        return [ResultStore(folder).path(task)]

    def use(folder: Path, changed: bool) -> str:
        if not list(run_tasks([task], ResultStore(folder), stored_only=True)):
            return REBUILT
        return ACCEPTED if changed else HARMLESS

    return Subject("result", make, use)


def log_subject(name: str, hands: int = 25) -> Subject:
    """A match log; whatever is read of it must follow the rules."""
    game = parse_game(name)

    def make(folder: Path) -> list[Path]:
        with LogWriter(folder / "match.log", "a match") as write:
            agents = tuple(Random() for _ in range(game.num_players))
            Match(game, agents, hands).play(seed=1, record=lambda live: write(live.end, live.players))
        return [folder / "match.log"]

    def use(folder: Path, changed: bool) -> str:
        log = read_log_file(folder / "match.log", game)
        return HARMLESS if all(follows_rules(game, hand) for hand in log.hands) else ACCEPTED

    return Subject(f"log {name}", make, use, is_text=True)


GOOD = ("a_good", "z_good")  # files around a damaged one
NEIGHBOUR = """\
PokerStars Hand #{id}: Hold'em No Limit ($0.50/$1 USD) - 2021/07/04 14:05:09 ET
Table 'T' 6-max Seat #1 is the button
Seat 1: Ann ($100 in chips)
Seat 2: Bob ($80.50 in chips)
Ann: posts small blind $0.50
Bob: posts big blind $1
*** HOLE CARDS ***
Ann: folds
Uncalled bet ($0.50) returned to Bob
Bob collected $1 from pot
*** SUMMARY ***
Total pot $1 | Rake $0
"""


def make_neighbours(folder: Path) -> None:
    """Write a good file before and one behind the damaged one, which is called "m" or lies in "m"."""
    for id, name in enumerate(GOOD, 1):
        (folder / name).write_text(NEIGHBOUR.format(id=id), encoding="utf-8")


class Reading:
    """What `read_hands` made of a folder with a damaged file."""

    def __init__(self, found: list[Hand | Skipped]) -> None:
        self.skipped = [entry for entry in found if isinstance(entry, Skipped)]
        hands = [entry for entry in found if isinstance(entry, Hand)]
        neighbours = [hand for hand in hands if hand.table == "T" and hand.source == "PokerStars"]
        self.neighbours = [hand for hand in neighbours if hand.players == ("Bob", "Ann")]
        self.hands = [hand for hand in hands if hand not in self.neighbours]

    def ended(self, whole: set[Hand], wanted: set[Hand] | None = None) -> str:
        """How it ended, where ``whole`` are the hands of the file before it was damaged.

        ``wanted`` must have been read; None stands for a file with a checksum: then any hand of ``whole``
        that is missing, and any other that came, must be told.
        """
        if any(skip.reason == FAILED for skip in self.skipped):
            raise RuntimeError(str(self.skipped[-1]))
        if any("\n" in str(skip) or len(str(skip)) > LONGEST for skip in self.skipped):
            raise RuntimeError(f"told in several lines: {self.skipped}")
        if [hand.id for hand in self.neighbours] != ["1", "2"]:
            return LOST
        changed = [hand for hand in self.hands if hand not in whole]
        if wanted is None:
            if (changed or not whole.issubset(self.hands)) and not self.skipped:
                return ACCEPTED
        elif not wanted.issubset(self.hands):
            missing = [hand.to_json() for hand in wanted - set(self.hands)]
            logging.getLogger("soulread").warning("%s not read: %s", missing, list(map(str, self.skipped)))
            return LOST
        for hand in changed:
            if not is_sound(hand):
                logging.getLogger("soulread").warning("%s", hand.to_json())
                return ACCEPTED
        return REFUSED if self.skipped and not changed else HARMLESS


def some_hands(form: str, source: str, hands: int) -> list[Hand]:
    """Hands as they are read back from a file in this format: of several seats, some with all cards seen."""
    game = parse_game("leduc" if form == "acpc" or source == "leduc" else "nolimit:players=4,stacks=60")
    ends: list[Hand] = []

    def keep(live: LiveHand) -> None:
        state, id = live.end, str(1000 + len(ends))
        see = seen_by_dealer if len(ends) % 2 or form == "acpc" else partial(seen_by, observer=0)
        ends.append(see(state, players=live.players, id=id, source=source, table="T"))

    Match(game, tuple(Random() for _ in range(game.num_players)), hands).play(seed=1, record=keep)
    return ends


def hands_of(path: Path) -> set[Hand]:
    """The hands of a file that is whole."""
    found = list(read_hands(path))
    assert found, path
    assert all(isinstance(entry, Hand) for entry in found), found
    return {entry for entry in found if isinstance(entry, Hand)}


def history_subject(form: str, source: str = "match", hands: int = 6) -> Subject:
    """A file of hands that `read_hands` reads. Hands that are whole come in, whatever stands around them."""
    pieces: list[bytes] = []
    whole: dict[str, Hand] = {}

    def make(folder: Path) -> list[Path]:
        ends = some_hands(form, source, hands)
        pieces[:] = [write_hand(hand, form, number).encode() for number, hand in enumerate(ends, 1)]
        path = folder / "m"
        path.write_bytes(b"".join(pieces))
        whole.update((hand.id, hand) for hand in hands_of(path))
        assert len(whole) == hands
        make_neighbours(folder)
        return [path]

    def use(folder: Path, changed: bool) -> str:
        content = (folder / "m").read_bytes()
        wanted = set()
        for number, piece in enumerate(pieces):
            after = pieces[number + 1].split(b"\n")[0] + b"\n" if number + 1 < len(pieces) else b""
            start = content.find(piece + after)
            alone = start == 0 or (content[start - 1 : start] == b"\n" and form != "phh")
            if start >= 0 and alone and (after or content.endswith(piece)):
                wanted.add(whole[str(1000 + number)])
        if form == "acpc" and 2 * len(wanted) <= content.count(b"STATE:"):
            wanted = set()  # the game of such a log is the one that most of its hands fit
        return Reading(list(read_hands(folder))).ended(set(whole.values()), wanted)

    return Subject(f"hands {form} of {source}", make, use, mutators=JSON if form == "json" else HISTORY)


def irc_subject(hands: int = 5) -> Subject:
    """A month of the IRC database: three kinds of files, one of which is damaged."""
    whole: set[Hand] = set()

    def make(folder: Path) -> list[Path]:
        month = folder / "m" / "199901"
        files = irc_files(hands)
        for name, content in files.items():
            (month / name).parent.mkdir(parents=True, exist_ok=True)
            (month / name).write_bytes(content)
        whole.update(hands_of(folder / "m"))
        assert len(whole) == hands
        make_neighbours(folder)
        return [month / name for name in files]

    def use(folder: Path, changed: bool) -> str:
        return Reading(_in_order(read_hands(folder))).ended(whole, set())

    return Subject("hands irc", make, use, mutators=HISTORY)


def _in_order(found: Iterable[Hand | Skipped]) -> list[Hand | Skipped]:
    """Files of a folder come before its folders; put them back around."""
    return sorted(found, key=lambda entry: isinstance(entry, Hand) and entry.id == "2")


def irc_files(hands: int) -> dict[str, bytes]:
    """A month in files of the IRC database: every second hand goes to a showdown."""
    lines: dict[str, list[str]] = {"hdb": [], "hroster": [], "pdb/pdb.ann": [], "pdb/pdb.bob": []}
    for time in range(100, 100 + hands):
        lines["hroster"].append(f"{time} 2 ann bob")
        if time % 2 == 0:
            lines["hdb"].append(f"{time} 1 {time} 2 0/0 0/0 0/0 0/15")
            lines["pdb/pdb.ann"].append(f"ann {time} 2 1 Bf - - - 100 5 0")
            lines["pdb/pdb.bob"].append(f"bob {time} 2 2 B - - - 100 10 15")
        else:
            lines["hdb"].append(f"{time} 1 {time} 2 2/20 2/40 2/40 2/40 Ah 7d 2c 9s 3h")
            lines["pdb/pdb.ann"].append(f"ann {time} 2 1 Bc b k k 100 20 0 Kd Kc")
            lines["pdb/pdb.bob"].append(f"bob {time} 2 2 Bk c k k 100 20 40 Ad Ac")
    return {name: ("\n".join(text) + "\n").encode() for name, text in lines.items()}


def histories() -> list[Subject]:
    """Hands in every format that is read."""
    from mutants_of_sessions import session_subjects  # they take their frame from here
    from room_mutants import room_subjects

    return [
        *session_subjects(),
        *room_subjects(),
        history_subject("ohh"),
        history_subject("phhs"),
        history_subject("phh", hands=1),
        history_subject("pokerstars", "PokerStars"),
        history_subject("pokerstars", "GGPoker"),
        history_subject("acpc", "m"),
        history_subject("json"),
        history_subject("json", "leduc"),
        irc_subject(),
    ]


def is_sound(hand: Hand) -> bool:
    """Whether an independent replay confirms a hand; see the top of this file."""
    if sum(hand.payoffs) + hand.rake != 0:
        return False
    try:
        small = [game for game in map(parse_game, ("kuhn", "leduc")) if game.variant == hand.variant]
        game = small[0] if small else game_of_record(hand)
        end = final_state(game, hand)
    except SoulreadError:
        return False
    dead = game.dead or (0,) * game.num_players
    paid = [min(chips, sorted(end.spent)[-2]) for chips in end.spent]
    left = [seat for seat, out in enumerate(end.folded) if not out]
    return (
        end.player == TERMINAL
        and (end.betting, len(end.board), end.showdown) == (hand.betting, len(hand.board), hand.showdown)
        and all(
            hand.payoffs[seat] == -chips - dead[seat] for seat, chips in enumerate(paid) if end.folded[seat]
        )
        and all(won >= -chips - lost for won, chips, lost in zip(hand.payoffs, paid, dead, strict=True))
        and (not _is_decided(hand, left) or _is_shared(hand, end.payoffs()))
    )


def _is_decided(hand: Hand, left: list[int]) -> bool:
    """Whether the cards that were seen tell who won."""
    known = all(len(hand.hole[seat] or ()) == (2 if "2+" in hand.variant else 1) for seat in left)
    return len(left) == 1 or (known and len(hand.boards) == 1)


def _is_shared(hand: Hand, expected: tuple[int, ...]) -> bool:
    """Whether nobody won more than the rules say, but for odd chips, and the rake is what is missing."""
    odd = hand.num_players
    return all(
        won - by_rules <= odd + max(0, -hand.rake)
        for won, by_rules in zip(hand.payoffs, expected, strict=True)
    )


# Archives.


def archive_files(count: int = 3) -> dict[str, bytes]:
    """Files with a hand or two each, as the members of an archive."""
    pieces = [
        write_hand(hand, "pokerstars").encode() for hand in some_hands("pokerstars", "PokerStars", count + 1)
    ]
    return {
        **{f"in/{number}.txt": piece for number, piece in enumerate(pieces[:-2])},
        "in/last.txt": b"".join(pieces[-2:]),
    }


def zip_of(files: dict[str, bytes]) -> bytes:
    """A zip, the first member stored and the others deflated."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number, (name, content) in enumerate(files.items()):
            archive.writestr(
                zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED if number else zipfile.ZIP_STORED
            )
    return out.getvalue()


def tar_of(files: dict[str, bytes]) -> bytes:
    """A tar with extended headers."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.pax_headers = len(content), {"comment": "x", "path": name}
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def _packed(pack: Callable[[bytes], bytes]) -> Callable[[], bytes]:
    return lambda: pack(b"\n\n".join(archive_files().values()))


def _nested() -> bytes:
    files = archive_files()
    first, *others = files
    inner = {f"{name}.gz": gzip.compress(files[name], mtime=0) for name in others}
    return tar_of({first: files[first], "in/others.zip": zip_of(inner)})


def _irc_tar() -> bytes:
    return gzip.compress(tar_of({f"t/199901/{name}": raw for name, raw in irc_files(4).items()}), mtime=0)


_ARCHIVES: dict[str, Callable[[], bytes]] = {
    "gz": _packed(lambda raw: gzip.compress(raw, mtime=0)),
    "bz2": _packed(bz2.compress),
    "xz": _packed(lzma.compress),
    "zip": lambda: zip_of(archive_files()),
    "tar": lambda: tar_of(archive_files()),
    "tar.gz": lambda: gzip.compress(tar_of(archive_files()), mtime=0),
    "tar.bz2": lambda: bz2.compress(tar_of(archive_files())),
    "tar.xz": lambda: lzma.compress(tar_of(archive_files())),
    "tar of zip of gz": _nested,
    "tar.gz of irc": _irc_tar,
}
ARCHIVES = {kind: lru_cache(make) for kind, make in _ARCHIVES.items()}
"""How an archive of each kind is made."""

_UNSEALED = ("tar", "tar of zip of gz")  # without a checksum over all of it


def _wanted(kind: str, content: bytes) -> set[Hand] | None:
    """What `Reading.ended` is asked of an archive; without its first bytes it is text like any other."""
    return None if kind not in _UNSEALED and content[:3] == ARCHIVES[kind]()[:3] else set()


def archive_subject(kind: str) -> Subject:
    """An archive in a folder."""
    whole: set[Hand] = set()

    def make(folder: Path) -> list[Path]:
        path = folder / "m"
        path.write_bytes(ARCHIVES[kind]())
        whole.update(hands_of(path))
        assert len(whole) == 4
        make_neighbours(folder)
        return [path]

    def use(folder: Path, changed: bool) -> str:
        content = (folder / "m").read_bytes()
        return Reading(list(read_hands(folder))).ended(whole, _wanted(kind, content))

    return Subject(f"archive {kind}", make, use, mutators=ANY)


def piped_subject(kind: str) -> Subject:
    """An archive that comes through standard input, between two files that are read before and after it."""
    whole: set[Hand] = set()

    def make(folder: Path) -> list[Path]:
        path = folder / "m"
        path.write_bytes(ARCHIVES[kind]())
        whole.update(hands_of(path))
        make_neighbours(folder)
        return [path]

    def use(folder: Path, changed: bool) -> str:
        content = (folder / "m").read_bytes()
        stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(content))
        try:
            paths = (folder / GOOD[0], "-", folder / GOOD[1])
            found = [entry for path in paths for entry in read_hands(path)]
        finally:
            sys.stdin = stdin
        return Reading(found).ended(whole, _wanted(kind, content))

    return Subject(f"pipe {kind}", make, use, mutators=ANY)


def archives() -> list[Subject]:
    """Every kind of archive, on the disk and through a pipe."""
    return [*map(archive_subject, ARCHIVES), *map(piped_subject, ("zip", "tar.gz"))]


def follows_rules(game: PokerGame, hand: Hand) -> bool:
    """Whether the rules confirm a hand: its actions, its chips, and its result where the cards are known."""
    verify_hand(game, hand)
    end = replay_hand(game, hand)
    known = not hand.showdown or None not in hand.hole
    return (
        sum(hand.payoffs) == 0
        and (not known or end.payoffs() == hand.payoffs)
        and hand.stacks == game.rules.stacks
    )


# Attacking ----------------------------------------------------------------------------------------


class TooSlow(BaseException):
    """Ends a mutant that hangs; no reader may take it for something that its file did."""


class Attack:
    """One subject, made once in ``folder``, and damaged again and again."""

    def __init__(self, subject: Subject, folder: Path) -> None:
        self.subject = subject
        self.folder = folder
        folder.mkdir(parents=True)
        self._files = {path: path.read_bytes() for path in subject.make(folder)}
        self._told: list[str] = []
        self._handler = logging.Handler(logging.WARNING)
        self._handler.emit = lambda record: self._told.append(record.getMessage())  # type: ignore[method-assign]

    def __call__(self, rng: np.random.Generator) -> tuple[str, str, str]:
        """Damage one file in one way; returns the way, how it ended, and what was said."""
        for path, content in self._files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        target = list(self._files)[int(rng.integers(len(self._files)))]
        ways = self.subject.mutators or (TEXT if self.subject.is_text else BINARY)
        way = ways[int(rng.integers(len(ways)))]
        damaged = way(self._files[target], rng)
        target.write_bytes(damaged)
        ended, said = self._use(damaged != self._files[target])
        return way.__name__, ended, said

    def _use(self, changed: bool) -> tuple[str, str]:
        self._told.clear()
        logger = logging.getLogger("soulread")
        logger.addHandler(self._handler)
        try:
            ended = self.subject.use(self.folder, changed)
        except SoulreadError as error:
            said = str(error)
            good = said and "\n" not in said and len(said) <= LONGEST
            return (REFUSED if good else CRASHED), said
        except Exception as error:
            return CRASHED, f"{type(error).__name__}: {error}"
        except BaseException as error:  # such as a panic of a library
            if isinstance(error, KeyboardInterrupt | SystemExit | TooSlow):
                raise
            return CRASHED, f"{type(error).__name__}: {error}"
        finally:
            logger.removeHandler(self._handler)
        said = "; ".join(self._told)
        if ended == REBUILT and (len(self._told) != 1 or "\n" in said):
            return CRASHED, f"rebuilt, but not told in one sentence: {self._told}"
        return ended, said


def subjects() -> list[Subject]:
    """Every kind of file."""
    from store_mutants import store_subject  # which needs this module

    return [
        store_subject(),
        store_subject(left_behind=True),
        strategy_subject(),
        checkpoint_subject(),
        bundle_subject(),
        equilibrium_subject(),
        result_subject(),
        *(
            log_subject(name)
            for name in ("kuhn", "leduc", "limit", "ring-limit:3", "nolimit:players=3,stacks=40")
        ),
        *histories(),
        *archives(),
    ]
