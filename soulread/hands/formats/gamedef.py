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

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath

from soulread.cards.deck import FULL_DECK, RANKS
from soulread.errors import ParseError, SoulreadError
from soulread.games.kuhn import high_card, kuhn
from soulread.games.leduc import leduc, pair_or_rank
from soulread.games.limit_holdem import best_hand, limit_holdem
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import PokerGame, Rules
from soulread.games.ring_limit import ring_limit

MAX_DEFINITION = 10_000  # characters
_LINE = re.compile(r"([A-Za-z]+) *= *([0-9]{1,12}(?: +[0-9]{1,12})*)")
_HEADER = re.compile(r"# *name/game/hands/seed +\S+ +(\S+)")
_WHOLE = re.compile(r"STATE:[0-9]+:[fcr0-9/]*:[|/2-9TJQKAcdhs]+:[-+0-9.|]+:.+")  # a hand of a log
_STACK, _BLINDS = 20_000, (50, 100)  # of the competition's no-limit games


def parse_definition(text: str, name: str) -> PokerGame:
    """The game of a definition; ``name`` is its name where it is none of ours."""
    words = [line.strip() for line in text[:MAX_DEFINITION].splitlines()]
    values = {
        found[1].lower(): tuple(map(int, found[2].split()))
        for found in map(_LINE.fullmatch, words)
        if found is not None
    }
    limit = "nolimit" not in [word.lower() for word in words]
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
    return _own_game(name, values)


def _own_game(name: str, values: dict[str, tuple[int, ...]]) -> PokerGame:
    players, rounds, ranks, suits = (
        values[key][0] for key in ("numplayers", "numrounds", "numranks", "numsuits")
    )
    hole, boards = values["numholecards"][0], values["numboardcards"][:rounds]
    showdown = {(1, 0): high_card, (1, 1): pair_or_rank, (2, 5): best_hand}.get((hole, sum(boards)))
    if showdown is None or "raisesize" not in values or not 1 <= ranks <= 13 or not 1 <= suits <= 4:
        raise SoulreadError(f"the game definition {name!r} is of a game soulread does not play")
    sizes = values["raisesize"][:rounds]
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
                blinds=_padded(values["blind"], players),
                raise_sizes=sizes,
                max_raises=values.get("maxraises", (3,) * rounds)[:rounds],
                stacks=None,
                small_bet=sizes[0],
                big_blind=max(values["blind"]),
                showdown=showdown,
            )
        )
    except IndexError as error:
        raise ParseError(f"the game definition {name!r} cannot be read: {error}") from None


def _padded(values: Sequence[int], count: int) -> tuple[int, ...]:
    return (*values, *(0,) * count)[:count]


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

    a ``.game`` file beside it that its first line names, or the only one there; the name of the definition in
    its first line; and at last the players, cards and bets of its first hand. Raises `SoulreadError`.
    """
    found = _HEADER.search(head)
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
