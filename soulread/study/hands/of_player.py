"""The hands of one player in one game, from a file of any format or from a store.

Hands that were not played by the rules of the game are left out, and so are those that cannot be read. How
many these are is told (`soulread.notices`). A player nobody knows is refused, with the names of those there
are.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame
from soulread.hands.formats.acpc import Log, read_log_file
from soulread.hands.formats.reading import Skipped, read_hands
from soulread.hands.hand import Hand
from soulread.hands.played import follows
from soulread.hands.store import Query, Store, room_words, several_rooms
from soulread.notices import tell
from soulread.study.players.hero import meant_player
from soulread.words import plural

_MOST_TOLD = 5  # faults of a file


@dataclass(frozen=True)
class PlayerHands:
    """The hands of a player in a game, and the lines of a file that were left out."""

    player: str
    hands: tuple[Hand, ...]
    left_out: tuple[dict[str, Any], ...] = ()  # line and message of each


def hands_in_store(store: Store, player: str, game: PokerGame, room: str | None = None) -> PlayerHands:
    """The player's hands of a game in a store; "me" is the hero."""
    player, query = meant_player(store, player, Query(room=room))
    found = [hand for _, hand in store.find(replace(query, player=player))]
    return PlayerHands(player, _of_game(found, game, f"of {player!r} in {store.name!r}"))


def hands_in_file(file: Path, player: str | None, game: PokerGame, room: str | None = None) -> PlayerHands:
    """The player's hands of a game in a file; a log of ACPC does not name its game, and has no room."""
    if _is_log(file):
        if room:
            raise SoulreadError(f"--room {room!r}: {str(file)!r} is a log of ACPC, which has no room")
        log = _read_log(file, player, game)
        left_out = tuple({"line": bad.line, "message": bad.detail} for bad in log.bad)
        return PlayerHands(str(player), tuple(log.hands), left_out)
    return _read_file(file, player, game, room)


def of_room(hands: Sequence[Hand], player: str, room: str | None) -> list[Hand]:
    """The hands of a room; without one, all of them if ``player`` plays in one room only."""
    played = Counter(hand.room for hand in hands if player in hand.players)
    if room is None and len(played) > 1:
        raise several_rooms(player, played)
    named = {one.casefold() for one in played}
    if played and room is not None and room.casefold() not in named:
        raise SoulreadError(
            f"{player!r} has no hands of the room {room!r}; {player!r} plays in "
            f"{', '.join(map(room_words, sorted(played)))}"
        )
    return [hand for hand in hands if room is None or hand.room.casefold() == room.casefold()]


def _read_file(file: Path, player: str | None, game: PokerGame, room: str | None) -> PlayerHands:
    found: list[Hand] = []
    left_out: list[dict[str, Any]] = []
    names: dict[str, None] = {}
    for read in read_hands(file, game):
        if isinstance(read, Skipped):
            left_out.append({"line": read.line, "message": str(read)})
            continue
        names.update(dict.fromkeys(read.players))
        if player is None or player in read.players:
            found.append(read)
    if not names:
        first = f"; {len(left_out):,} left out, the first one: {left_out[0]['message']}" if left_out else ""
        raise SoulreadError(f"{str(file)!r} has no hands that can be read{first}")
    for bad in left_out[:_MOST_TOLD]:
        tell(bad["message"])
    if len(left_out) > _MOST_TOLD:
        tell(f"{len(left_out):,} in all were left out")
    if player not in names:
        some = ", ".join(sorted(names)[:20]) + (", ..." if len(names) > 20 else "")
        asked = (
            "say with --player whose hands are meant" if player is None else f"nobody is called {player!r}"
        )
        raise SoulreadError(f"{str(file)!r}: {asked}; its players are {some}")
    assert player is not None
    found = of_room(found, player, room)
    return PlayerHands(player, _of_game(found, game, f"of {player!r} in {str(file)!r}"), tuple(left_out))


def by_the_rules(hands: Iterable[Hand], game: PokerGame) -> list[Hand]:
    """Those hands that were played by the rules of a game."""
    return [hand for hand in hands if follows(hand, game)]


def _of_game(found: list[Hand], game: PokerGame, where: str) -> tuple[Hand, ...]:
    """Those hands that were played by the rules of a game; how many were not is told."""
    kept = by_the_rules(found, game)
    if not kept:
        total = plural(len(found), "hand")
        raise SoulreadError(f"none of {total} {where} was played by the rules of {game.name!r}")
    if len(kept) < len(found):
        others = plural(len(found) - len(kept), "hand")
        tell(f"{others} {where} of other games or stakes left out")
    return tuple(kept)


def _is_log(file: Path) -> bool:
    """Whether a file is an ACPC log, or cannot be read; its reader then says so."""
    try:
        with open(file, "rb") as opened:
            head = opened.read(2**16)
    except OSError:
        return True
    return b"STATE:" in head or not head.strip() or head.lstrip().startswith((b"#", b";"))


def _read_log(file: Path, player: str | None, game: PokerGame) -> Log:
    """The hands of a match log. Bad lines are told; an unknown player is refused."""
    log = read_log_file(file, game)
    for bad in log.bad[:_MOST_TOLD]:
        tell(f"{file}: line {bad.line}: {bad.detail}")
    if log.bad:
        total = plural(len(log.bad) + len(log.hands), "hand")
        were = "was" if len(log.bad) == 1 else "were"
        tell(f"{len(log.bad):,} of {total} {were} left out")
    if log.repeats:
        lines = plural(log.repeats, "line")
        repeat = "repeats" if log.repeats == 1 else "repeat"
        tell(f"{file}: {lines} {repeat} a hand; each hand counts once")
    if not log.players:
        raise SoulreadError(f"{str(file)!r} has no hands of {game.name!r}")
    known = ", ".join(log.players)
    if player is None:
        raise SoulreadError(f"say with --player whose hands in {str(file)!r} are meant: {known}")
    if player not in log.players:
        raise SoulreadError(f"{player!r} is not in {str(file)!r}; its players are {known}")
    return log
