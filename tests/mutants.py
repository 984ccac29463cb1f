"""Files damaged in many ways, and what soulread makes of them.

A `Subject` is a kind of file: how a whole one is made, and how it is used. `attack` damages one and says what
came of it:

    refused      one sentence of a `SoulreadError`
    rebuilt      made again, with the right content, and a sentence saying so
    harmless     the content is what it was; of hands, all that were read follow the rules, and those whose
                 text is whole were read
    ACCEPTED     used although it was changed
    crashed      any other exception, or a message of several lines

Everything follows from the seed of the generator.
"""

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.games.poker import PokerGame
from soulread.hands.formats.acpc import LogWriter, read_log_file
from soulread.hands.formats.reading import read_hands, write_hand
from soulread.hands.hand import Hand
from soulread.hands.record import replay_hand, seen_by, seen_by_dealer, verify_hand
from soulread.hands.referee import retrace
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


def history_subject(form: str, source: str = "match", hands: int = 12) -> Subject:
    """A file of hands that `read_hands` reads. Hands that are whole come in, whatever stands around them."""
    game = parse_game("leduc" if form == "acpc" else "nolimit:players=4,stacks=60")
    pieces: list[bytes] = []

    def make(folder: Path) -> list[Path]:
        ends: list[Hand] = []

        def keep(live: LiveHand) -> None:
            state, id = live.end, str(1000 + len(ends))
            see = seen_by_dealer if len(ends) % 2 or form == "acpc" else partial(seen_by, observer=0)
            ends.append(see(state, players=live.players, id=id, source=source, table="T"))

        Match(game, tuple(Random() for _ in range(game.num_players)), hands).play(seed=1, record=keep)
        pieces[:] = [write_hand(hand, form, number).encode() for number, hand in enumerate(ends, 1)]
        path = folder / "hands"
        path.write_bytes(b"".join(pieces))
        return [path]

    def use(folder: Path, changed: bool) -> str:
        content = (folder / "hands").read_bytes()
        found = list(read_hands(folder / "hands"))
        ids = {entry.id for entry in found if isinstance(entry, Hand)}
        for number, piece in enumerate(pieces):
            after = pieces[number + 1].split(b"\n")[0] + b"\n" if number + 1 < len(pieces) else b""
            start = content.find(piece + after)
            alone = start == 0 or content[start - 1 : start] == b"\n"
            if start >= 0 and alone and (after or content.endswith(piece)) and str(1000 + number) not in ids:
                return ACCEPTED
        return HARMLESS if all(adds_up(entry) for entry in found if isinstance(entry, Hand)) else ACCEPTED

    return Subject(f"hands {form} of {source}", make, use, mutators=HISTORY)


def adds_up(hand: Hand) -> bool:
    """Whether a hand was played by the rules, and no chips were made or lost."""
    if not hand.variant.endswith("best_hand"):
        return sum(hand.payoffs) == 0
    return (
        sum(hand.payoffs) + hand.rake == 0
        and hand.rake >= 0
        and len(retrace(hand).steps) == len(hand.actions)
    )


def irc_subject(hands: int = 8) -> Subject:
    """A month of the IRC database: three kinds of files, one of which is damaged."""

    def make(folder: Path) -> list[Path]:
        month = folder / "limit" / "199901"
        (month / "pdb").mkdir(parents=True)
        times = range(100, 100 + hands)
        files = {
            "hdb": [f"{time} 1 {time} 2 0/0 0/0 0/0 0/15" for time in times],
            "hroster": [f"{time} 2 ann bob" for time in times],
            "pdb/pdb.ann": [f"ann {time} 2 1 Bf - - - 100 5 0" for time in times],
            "pdb/pdb.bob": [f"bob {time} 2 2 B - - - 100 10 15" for time in times],
        }
        for name, lines in files.items():
            (month / name).write_text("\n".join(lines) + "\n")
        return [month / name for name in files]

    def use(folder: Path, changed: bool) -> str:
        found = list(read_hands(folder / "limit"))
        return (
            HARMLESS
            if all(sum(entry.payoffs) == 0 for entry in found if isinstance(entry, Hand))
            else ACCEPTED
        )

    return Subject("hands irc", make, use, mutators=HISTORY)


def histories() -> list[Subject]:
    """Hands in every format that is read."""
    from mutants_of_sessions import session_subjects  # it takes its frame from here

    return [
        *session_subjects(),
        history_subject("ohh"),
        history_subject("phhs"),
        history_subject("pokerstars", "PokerStars"),
        history_subject("pokerstars", "GGPoker"),
        history_subject("acpc", "hands"),
        irc_subject(),
    ]


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
        *histories(),
    ]
