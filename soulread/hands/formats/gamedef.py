"""Game definitions of the ACPC dealer (``.game`` files), and the game a match log was played in.

    GAMEDEF
    limit
    numPlayers = 2
    numRounds = 2
    blind = 1 1
    ...
    END GAMEDEF

A definition that is one of soulread's games gives that game, so that hands of a log and hands of our own go
together. Any other one gives a game of its own, as long as we know how its hands compare.
"""

import os
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from operator import mul
from pathlib import Path, PurePosixPath

from soulread.cards.deck import FULL_DECK, RANKS
from soulread.errors import ParseError, SoulreadError
from soulread.games.kuhn import high_card, kuhn
from soulread.games.leduc import leduc, pair_or_rank
from soulread.games.limit_holdem import best_hand, limit_holdem
from soulread.games.named import parse_game
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import PokerGame, Rules
from soulread.games.ring_limit import ring_limit
from soulread.storage.files import verify_readable

MAX_DEFINITION = 10_000  # characters
_LINE = re.compile(r"([A-Za-z]+) *= *([0-9]{1,12}(?: +[0-9]{1,12})*)")
_HEADER = re.compile(r"# *name/game/hands/seed +\S+ +(\S+)")
_WHOLE = re.compile(r"STATE:[0-9]+:[fcr0-9/]*:[|/2-9TJQKAcdhs]+:[-+0-9.|]+:.+")  # a hand of a log
_STACK, _BLINDS = 20_000, (50, 100)  # of the competition's no-limit games


def _values(text: str) -> tuple[dict[str, tuple[int, ...]], bool]:
    """The numbers of a definition by key, and whether bets have a fixed size."""
    words = [line.strip() for line in text[:MAX_DEFINITION].splitlines()]
    values = {
        found[1].lower(): tuple(map(int, found[2].split()))
        for found in map(_LINE.fullmatch, words)
        if found is not None
    }
    return values, "nolimit" not in [word.lower() for word in words]


def parse_definition(text: str, name: str) -> PokerGame:
    """The game of a definition; ``name`` is its name where it is none of ours."""
    values, limit = _values(text)
    try:
        players, rounds = values["numplayers"][0], values["numrounds"][0]
        hole, boards = values["numholecards"][0], values["numboardcards"]
        suits, ranks = values["numsuits"][0], values["numranks"][0]
        blinds = values["blind"]
    except KeyError as error:
        raise ParseError(f"{name!r} is no game definition: it has no {error.args[0]!r}") from None
    shape = (players, limit, hole, tuple(boards[:rounds]), suits, ranks)
    known = {
        (2, True, 1, (0,), 1, 3): kuhn,
        (2, True, 1, (0, 1), 2, 3): leduc,
        (2, True, 2, (0, 3, 1, 1), 4, 13): limit_holdem,
    }
    if shape in known:
        return known[shape]()
    if shape[1:] == (True, 2, (0, 3, 1, 1), 4, 13):
        return ring_limit(players)
    if shape[1:] == (False, 2, (0, 3, 1, 1), 4, 13):
        stacks = values.get("stack", (_STACK,) * players)
        return nolimit_holdem(players, stacks, (min(filter(None, blinds)), max(blinds)))
    return _own_game(name, values, limit)


@dataclass(frozen=True)
class TableGame:
    """The game of a table: ``scale`` chips of the table are one of ours."""

    game: PokerGame
    scale: Fraction = Fraction(1)


def read_definition(path: str | os.PathLike[str]) -> TableGame:
    """The game of a ``.game`` file, to be played by the letter; see `table_game`."""
    verify_readable(path)
    return table_game(_text(Path(path)), Path(path).stem)


def table_game(text: str, name: str) -> TableGame:
    """The game of a definition, to be played by the letter.

    It is one of ours if blinds, raises, stacks and the order of acting are just those of ours, with chips
    that may be worth a multiple; else a game of its own. (`parse_definition` does not look at them, since
    logs are known by what was played.)
    """
    values, limit = _values(text)
    try:
        game = parse_definition(text, name)
    except SoulreadError:
        game = _own_game(name, values, limit)
    scale = _scale_of(game.rules, values, limit)
    if scale is None:
        game = _own_game(name, values, limit)
        scale = _scale_of(game.rules, values, limit)
    if scale is None:
        raise SoulreadError(f"the game definition {name!r} is of a game soulread does not play")
    return TableGame(game, scale)


def _scale_of(rules: Rules, values: dict[str, tuple[int, ...]], limit: bool) -> Fraction | None:
    """How many chips of a definition are one of the rules'; None if the rules are others."""
    rounds, players = len(rules.board_cards), rules.num_players
    first = tuple(seat - 1 for seat in _padded(values.get("firstplayer", ()), rounds, 1))
    forced = _padded(values["blind"], players)
    ours = tuple(rules.ante + blind for blind in rules.blinds)
    if (rules.raise_sizes is not None) != limit or first != rules.first or not any(forced):
        return None
    scale = Fraction(max(forced), max(ours))
    pairs = [(forced, ours)]
    if rules.raise_sizes is not None:
        pairs.append((_padded(values.get("raisesize", ()), rounds), rules.raise_sizes))
    if rules.stacks is not None:
        pairs.append((_padded(values.get("stack", ()), players), rules.stacks))
    if any(theirs != tuple(scale * chips for chips in mine) for theirs, mine in pairs):
        return None
    caps = values.get("maxraises")
    if caps is None and limit:
        return None
    if caps is not None and (rules.max_raises is None or _padded(caps, rounds) != rules.max_raises):
        return None
    if not limit and scale != 1:
        return None  # sizes of raises are written in chips
    if limit and rules.stacks is None and "stack" in values:
        most = [max(forced) + sum(map(mul, values["raisesize"], values["maxraises"]))]
        if min(values["stack"]) < most[0]:
            return None
    return scale


def _own_game(name: str, values: dict[str, tuple[int, ...]], limit: bool) -> PokerGame:
    try:
        players, rounds, ranks, suits = (
            values[key][0] for key in ("numplayers", "numrounds", "numranks", "numsuits")
        )
        hole, boards = values["numholecards"][0], values["numboardcards"][:rounds]
        blinds = _padded(values["blind"], players)
    except KeyError as error:
        raise ParseError(f"{name!r} is no game definition: it has no {error.args[0]!r}") from None
    showdown = {(1, 0): high_card, (1, 1): pair_or_rank, (2, 5): best_hand}.get((hole, sum(boards)))
    needed = "raisesize" if limit else "stack"
    if showdown is None or needed not in values or not 1 <= ranks <= 13 or not 1 <= suits <= 4:
        raise SoulreadError(f"the game definition {name!r} is of a game soulread does not play")
    sizes = values["raisesize"][:rounds] if limit else None
    caps = values.get("maxraises", (3,) * rounds if limit else None)
    try:
        return PokerGame(
            Rules(
                name=name,
                deck=tuple(
                    card for card in FULL_DECK if card >> 2 >= len(RANKS) - ranks and card & 3 >= 4 - suits
                ),
                num_players=players,
                hole_cards=hole,
                board_cards=boards,
                first=tuple(seat - 1 for seat in values.get("firstplayer", (1,) * rounds)[:rounds]),
                blinds=blinds,
                raise_sizes=sizes,
                max_raises=None if caps is None else caps[:rounds],
                stacks=None if limit else _padded(values["stack"], players),
                small_bet=max(blinds) if sizes is None else sizes[0],
                big_blind=max(blinds),
                showdown=showdown,
            )
        )
    except IndexError as error:
        raise ParseError(f"the game definition {name!r} cannot be read: {error}") from None


def _padded(values: Sequence[int], count: int, other: int = 0) -> tuple[int, ...]:
    return (*values, *(other,) * count)[:count]


_KUHN_3 = """
limit
numPlayers = 3
numRounds = 1
blind = 1 1 1
raiseSize = 1
firstPlayer = 1
maxRaises = 1
numSuits = 1
numRanks = 4
numHoleCards = 1
numBoardCards = 0
"""


@lru_cache(maxsize=64)
def _named(name: str) -> PokerGame | None:
    """The game of a usual definition, by the name of its file."""
    words = name.lower().split(".")
    players = next((int(word[:-1]) for word in words if re.fullmatch("[2-9]p|10p", word)), 2)
    if "kuhn" in words:
        return (
            kuhn() if players == 2 else parse_definition(_KUHN_3, "kuhn.limit.3p") if players == 3 else None
        )
    if "leduc" in words:
        return leduc() if players == 2 and "nolimit" not in words else None
    if "holdem" in words and "nolimit" in words:
        return nolimit_holdem(players, _STACK, _BLINDS)
    if "holdem" in words:
        return limit_holdem() if players == 2 else ring_limit(players)
    return None


def game_of_log(head: str, name: str, path: Path | None) -> PokerGame:
    """The game of a match log that begins with ``head``, from what is known about it, in this order:

    a game of soulread that its first line names; a ``.game`` file beside it that its first line names, or
    the only one there; the name of the definition in its first line; and at last the players, cards and bets
    of its first hand. Raises `SoulreadError`.
    """
    found = _HEADER.search(head)
    if found is not None:
        with suppress(SoulreadError):
            return parse_game(found[1])
    definition = PurePosixPath(found[1].replace("\\", "/")).name if found else ""
    if path is not None:
        beside = sorted(file for file in path.parent.glob("*.game") if file.is_file())
        chosen = [file for file in beside if file.name == definition] or (beside if len(beside) == 1 else [])
        for file in chosen:
            return parse_definition(_text(file), file.stem)
    game = _named(definition.removesuffix(".game"))
    if game is None:
        game = _guessed([line for line in head.split("\n") if line.startswith("STATE:")])
    if game is None:
        raise SoulreadError(f"{name!r} does not say which game it is of; say it, for example 'leduc'")
    return game


def _text(file: Path) -> str:
    """The beginning of a file, which holds a definition if anything does."""
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            return opened.read(MAX_DEFINITION)
    except OSError as error:
        raise SoulreadError(f"{str(file)!r} cannot be read: {error.strerror}") from None


def _guessed(lines: Sequence[str]) -> PokerGame | None:
    """The game that most of the first hands fit: by players, hole cards, rounds and bets."""
    kinds: Counter[tuple[int, int]] = Counter()  # hole cards, players
    later = amounts = 0
    for line in [line for line in lines if _WHOLE.fullmatch(line.strip())] or lines:
        fields = line.split(":", 5)
        if len(fields) == 6:
            cards = fields[3].split("/")
            kinds[max(map(len, cards[0].split("|"))) // 2, len(fields[5].split("|"))] += 1
            later += "/" in fields[2]
            amounts += bool(re.search("r[0-9]", fields[2]))
    for (size, players), count in kinds.most_common():
        if size == 1:
            game = _named(f"{'leduc' if later * 20 > count else 'kuhn'}.limit.{players}p")
        else:
            game = _named(f"holdem.{'nolimit' if amounts * 20 > count else 'limit'}.{players}p")
        if game is not None and size == game.rules.hole_cards and players == game.num_players:
            return game
    return None
