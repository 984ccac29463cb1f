"""Files damaged in many ways, and what soulread makes of them.

A `Subject` is a kind of file: how a whole one is made, and how it is used. `attack` damages one and says what
came of it:

    refused      one sentence of a `SoulreadError`
    rebuilt      made again, with the right content, and a sentence saying so
    harmless     the content is what it was; of a log, all hands that were read follow the rules
    ACCEPTED     used although it was changed
    crashed      any other exception, or a message of several lines

Everything follows from the seed of the generator.
"""

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from soulread import cache
from soulread.errors import SoulreadError
from soulread.games import parse_game
from soulread.games.poker import PokerGame
from soulread.hands.formats.acpc import LogWriter, read_log_file
from soulread.hands.hand import Hand
from soulread.hands.record import replay_hand, verify_hand
from soulread.play.baselines import Random
from soulread.play.match import Match
from soulread.reproduce.experiment import Store, Task, run_tasks
from soulread.seqform import compile_game, parse_source
from soulread.solve import Strategy, load_strategy, save_strategy, solve
from soulread.solve.equilibria import playable_strategy, solve_or_load

REFUSED, REBUILT, HARMLESS, ACCEPTED, CRASHED = "refused", "rebuilt", "harmless", "ACCEPTED", "crashed"

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
    task = Task("somewhere:play", {"seed": 3, "agents": ["a", "b"]})
    values = {"won": np.linspace(-1, 1, 200), "hands": np.arange(40), "rate": np.array(0.25)}

    def make(folder: Path) -> list[Path]:
        Store(folder).save(task, values, 1.5)
        return [Store(folder).path(task)]

    def use(folder: Path, changed: bool) -> str:
        if not list(run_tasks([task], Store(folder), stored_only=True)):
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
        ways = TEXT if self.subject.is_text else BINARY
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
        except TimeoutError:
            raise
        except Exception as error:
            return CRASHED, f"{type(error).__name__}: {error}"
        except BaseException as error:  # such as a panic of a library
            if isinstance(error, KeyboardInterrupt | SystemExit):
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
    return [
        strategy_subject(),
        checkpoint_subject(),
        bundle_subject(),
        equilibrium_subject(),
        result_subject(),
        *(
            log_subject(name)
            for name in ("kuhn", "leduc", "limit", "ring-limit:3", "nolimit:players=3,stacks=40")
        ),
    ]
