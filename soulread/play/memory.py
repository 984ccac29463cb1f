"""Memory of opponents: what our seats saw of them is kept as hands, and the next match begins with the read.

    with Memory.open("opponents.db") as memory:
        seat = memory.seat(game, "soul", {"opponent": "Bob"})   # Bob is called "opponent" at this table
        seat.begin(agent)                                       # it recalls what was seen of Bob
        ...
        seat.observe(agent, hand)                               # in place of agent.observe(hand)

The file is a store of hands (`soulread.hands.store`). A hand is kept as our seat saw it: with our own cards
and those that were shown, never with others. Our seat is called `OURS` in it, whichever agent sat there, so
what one agent has seen teaches every other one. All such hands are of the room `ROOM`. Opponents whom an
alias of the store joins are one.

**The same cards.** Cards follow from a seed, and whoever has seen them once would know them. So a match that
is dealt from a seed never recalls hands of this seed: not the other pass of a duplicate match, not another
match of the same run, not a run before. Hence a run that was broken off gives the same results when it is
started again, and its hands are kept once.

**Fading.** A name may be another's now, or its owner may have changed. In every match `SamePlayerTest` asks
whether the hands of earlier matches still predict the opponent. When they do not, the agent forgets them and
goes on with the hands of this match alone. The same test goes through the remembered matches one by one when
they are recalled, so what was out of date before stays so.
"""

import hashlib
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Self

import numpy as np

from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame
from soulread.hands.hand import Hand
from soulread.hands.played import follows
from soulread.hands.store import Query, Store
from soulread.model.same_player import SamePlayerTest
from soulread.notices import tell
from soulread.play.agent import Agent, Remembering
from soulread.words import plural

OURS = "(us)"
ROOM = "soulread"
MOST = 10_000  # hands of an opponent that are recalled, the newest ones
PAUSE = 1.0  # seconds between two writes to the file
_PIECE = 500  # hands read at once
_FEW = 10  # names that an error may list

Keep = Callable[[Hand], None]
Remark = Callable[[str], None]


def mark_of(game: PokerGame, seed: int) -> str:
    """The mark of all hands that are dealt from a seed; nobody finds a large seed by it."""
    named = f"{game.variant} {seed}".encode()
    return hashlib.blake2b(named, digest_size=8, person=b"soulread memory").hexdigest()


def new_mark() -> str:
    """A mark for a match whose cards somebody else deals."""
    return secrets.token_hex(8)


def remembers(agent: Agent) -> bool:
    """Whether an agent can begin with what was seen before."""
    return isinstance(agent, Remembering) and getattr(agent, "remembers", True)


@dataclass(frozen=True)
class Recollection:
    """What a seat knows of its opponents when a match begins: data that can be sent to another process.

    ``labels`` says by which name each player at the table is remembered; our own label is not among them.
    ``hands`` are as they were kept, oldest first.
    """

    own: str
    labels: Mapping[str, str]  # at this table -> in the store
    hands: tuple[Hand, ...]
    mark: str
    place: str = "0"  # tells the seats and matches of a mark apart

    def at(self, place: str) -> "Recollection":
        """The same in another match, or of another seat."""
        return replace(self, place=place)

    def told(self, hand: Hand, known: Iterable[str]) -> Hand:
        """A kept hand as the agent would have seen it at this table, with the labels of ``known`` opponents.

        All others in it are strangers, whose names are changed where somebody at this table has them.
        """
        called = {self.labels[label]: label for label in known}
        players = [
            self.own if seat == hand.observer else called.get(name, f"{name} of an earlier match")
            for seat, name in enumerate(hand.players)
        ]
        return replace(hand, players=tuple(players))

    def kept(self, hand: Hand) -> Hand:
        """A hand that was seen at this table, as it is kept."""
        players = [
            OURS if seat == hand.eyewitness else self.labels.get(name, name)
            for seat, name in enumerate(hand.players)
        ]
        return replace(
            hand,
            players=tuple(players),
            id=f"{self.mark}.{self.place}-{hand.id}",
            time=datetime.now(UTC),
            room=ROOM,
            table=self.own,
            source="",
        )


def remembered_words(hands: Mapping[str, int]) -> str:
    """A sentence on how many hands with each opponent, by name, are remembered."""
    known = [f"{plural(count, 'hand')} with {name!r}" for name, count in hands.items()]
    return f"remembered: {', '.join(known)}"


def _match_of(hand: Hand) -> str:
    """The match, and our seat in it, of a kept hand."""
    return hand.id.rpartition("-")[0]


class SeatMemory:
    """The memory of one seat during a match; see the module.

    ``keep`` is called with each hand as it is to be kept, ``remark`` with a sentence when a read is dropped.
    ``recalled`` says of each opponent, by label, how many hands the match began with.
    """

    def __init__(
        self,
        recollection: Recollection,
        keep: Keep = lambda hand: None,
        remark: Remark = lambda text: None,
    ) -> None:
        self.recollection = recollection
        self._keep = keep
        self._remark = remark
        self._first = {label: self._tested(name) for label, name in recollection.labels.items()}
        self.recalled = {label: len(found[1]) for label, found in self._first.items()}

    @property
    def by_name(self) -> dict[str, int]:
        """By name, how many hands with each opponent the match began with."""
        return {name: self.recalled[label] for label, name in self.recollection.labels.items()}

    @property
    def sentence(self) -> str:
        """What the match began with, in words."""
        return remembered_words(self.by_name)

    def _tested(self, name: str) -> tuple[SamePlayerTest, frozenset[int]]:
        """The test of an opponent after all remembered matches, and the numbers of the hands that count."""
        test, match = SamePlayerTest(), ""
        counted: list[int] = []
        for number, hand in enumerate(self.recollection.hands):
            if name not in hand.players:
                continue
            if _match_of(hand) != match:
                match, begun = _match_of(hand), len(counted)
                test.begin()
            counted.append(number)
            if test.add(hand, hand.seat_of(name)):
                del counted[:begun]
                begun = 0
        test.begin()
        return test, frozenset(counted)

    def begin(self, agent: Agent) -> None:
        """A match begins: let the agent, which has forgotten everything, recall what counts."""
        self._tests = {label: deepcopy(test) for label, (test, _) in self._first.items()}
        self._hands: deque[Hand] = deque(maxlen=MOST)  # of this match, while there is a read to drop
        self._seen = 0  # hands of this match
        self._recall(agent)

    def _recall(self, agent: Agent) -> None:
        """Let the agent recall the remembered hands that count, and then those of this match."""
        counted = {label: self._first[label][1] for label, test in self._tests.items() if test.same}
        hands = []
        for number, hand in enumerate(self.recollection.hands):
            known = [label for label, numbers in counted.items() if number in numbers]
            if known:
                hands.append(self.recollection.told(hand, known))
        hands += self._hands
        if hands and isinstance(agent, Remembering):
            agent.recall(hands)

    def observe(self, agent: Agent, hand: Hand) -> None:
        """Keep a hand of this match, and let the agent, which sat at ``hand.observer``, learn from it."""
        self._keep(self.recollection.kept(hand))
        self._seen += 1
        gone = [
            label
            for label, test in self._tests.items()
            if label in hand.players and test.add(hand, hand.seat_of(label))
        ]
        if any(test.same for test in self._tests.values()) or gone:
            self._hands.append(hand)
        if not gone:
            agent.observe(hand)
            return
        for label in gone:
            hands = plural(self.recalled[label], "hand")
            self._remark(
                f"{self.recollection.labels[label]!r} does not play as remembered; the read of {hands} from "
                f"earlier matches is dropped after {plural(self._seen, 'hand')}"
            )
        agent.reset()
        self._recall(agent)


@dataclass(frozen=True)
class KnownOpponent:
    """An opponent in a memory."""

    name: str
    hands: int
    games: tuple[tuple[str, int], ...]  # with the hands in each, the most first
    last: datetime | None

    JSON = keys("hands last", opponent="name", games="_games")

    @property
    def _games(self) -> dict[str, int]:
        return dict(self.games)


@dataclass
class Memory:
    """What was seen of opponents, in a store; see the module. A context manager.

    ``recalled`` says by name how many hands were found of the opponents asked about.
    """

    store: Store
    most: int = MOST
    recalled: dict[str, int] = field(default_factory=dict)
    _waiting: list[Hand] = field(default_factory=list)
    _written: float = -PAUSE

    @classmethod
    def open(
        cls, where: str | PathLike[str], *, read_only: bool = False, new: bool = True, most: int = MOST
    ) -> "Memory":
        """The memory in a file, or at an address ``postgresql://...``.

        A file that is not there is made, or refused if it is ``read_only`` or not ``new``.
        """
        if most < 1:
            raise SoulreadError(f"a memory of {most} hands; expected at least 1")
        if (read_only or not new) and "://" not in str(where) and not Path(where).exists():
            raise SoulreadError(
                f"there is no memory in {str(where)!r}; a match with --remember {str(where)!r} makes one"
            )
        return cls(Store.open(where, read_only=read_only), most)

    def close(self) -> None:
        """Write what waits, and close the file."""
        try:
            self.flush()
        finally:
            self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def keep(self, hand: Hand) -> None:
        """Keep a hand, as `Recollection.kept` made it.

        Hands that come within a second are written together. A program that is killed loses these at most.
        """
        self._waiting.append(hand)
        if time.monotonic() - self._written >= PAUSE:
            self.flush()

    def flush(self) -> None:
        """Write all hands that wait."""
        if self._waiting:
            hands, self._waiting = self._waiting, []
            self.store.add(sorted(hands, key=_match_of))
            self._written = time.monotonic()

    def recollection(
        self, game: PokerGame, own: str, labels: Mapping[str, str], mark: str | None = None
    ) -> Recollection:
        """What is known of the opponents at a table of ``game``.

        ``own`` is what our seat is called at this table, ``labels`` has the names by which the others are
        remembered, by what they are called there. ``mark`` is that of the seed (`mark_of`); without it
        somebody else deals.
        """
        for label, name in labels.items():
            if not name.strip() or not name.isprintable() or name == OURS:
                raise SoulreadError(f"{label!r} cannot be remembered as {name!r}; give another name")
        if len(set(labels.values())) < len(labels):
            raise SoulreadError(
                f"opponents {', '.join(map(repr, labels.values()))}; no two may have the same name"
            )
        known = {name: self._person(name) for name in labels.values() if self._knows(name)}
        if len(set(known.values())) < len(known):
            raise SoulreadError(f"some of {', '.join(map(repr, known))} are one person by an alias")
        found: dict[int, Hand] = {}
        self.recalled |= dict.fromkeys(labels.values(), 0)
        for name, person in known.items():
            taken = same_cards = 0
            for number, hand in self._newest(game, person):
                if mark is not None and hand.id.startswith(f"{mark}."):
                    same_cards += 1
                    continue
                found[number] = hand
                taken += 1
                if taken == self.most:
                    break
            self.recalled[name] = taken
            if same_cards:
                tell(
                    f"{plural(same_cards, 'hand')} with {name!r} not recalled: dealt from the same seed, and "
                    "the same cards come again; another --seed recalls them"
                )
        people = {person: name for name, person in known.items()}
        matches: dict[str, list[Hand]] = {}  # two programs may have written by turns
        for _, hand in sorted(found.items()):
            called = replace(hand, players=tuple(people.get(name, name) for name in hand.players))
            matches.setdefault(_match_of(hand), []).append(called)
        hands = tuple(hand for match in matches.values() for hand in match)
        return Recollection(own, dict(labels), hands, mark or new_mark())

    def seat(
        self,
        game: PokerGame,
        own: str,
        labels: Mapping[str, str],
        mark: str | None = None,
        place: str = "0",
        remark: Remark = tell,
    ) -> SeatMemory:
        """The memory of one seat in a match; see `recollection`. Hands are kept here."""
        return SeatMemory(self.recollection(game, own, labels, mark).at(place), self.keep, remark)

    def opponents(self) -> list[KnownOpponent]:
        """All opponents, those with the most hands first."""
        if ROOM not in self.store.rooms():
            return []
        found = []
        for player in self.store.players(ROOM):
            if player.name != OURS:
                kinds = self.store.play_kinds(Query(player=player.name, room=ROOM))
                games = tuple((kind.game, hands) for kind, hands in kinds)
                found.append(KnownOpponent(player.name, player.hands, games, player.last))
        return found

    def forget(self, name: str) -> int:
        """Remove all hands in which an opponent sat; their number. An unknown name is a `SoulreadError`."""
        names = [opponent.name for opponent in self.opponents()]
        person = self._person(name) if self._knows(name) else name
        if person not in names:
            from difflib import get_close_matches

            near = get_close_matches(name, names, n=3, cutoff=0.5)
            hint = f"; do you mean {' or '.join(map(repr, near))}?" if near else ""
            if not near and 0 < len(names) <= _FEW:
                hint = f", but {', '.join(map(repr, names))}"
            raise SoulreadError(f"nobody called {name!r} is remembered in {self.store.name!r}{hint}")
        numbers = self._numbers(Query(player=person, room=ROOM))
        self.store.remove(numbers)
        return len(numbers)

    def _knows(self, name: str) -> bool:
        return ROOM in self.store.rooms() and any(
            ROOM in person.rooms
            for person in (self.store.players_called(name) if self.store.has_player(name) else ())
        )

    def _person(self, name: str) -> str:
        """The name under which hands tell of an opponent: that of the person, if an alias joins several."""
        return self.store.player(name, ROOM).name

    def _numbers(self, query: Query) -> list[int]:
        assert query.player is not None
        number = self.store.player_number(query.player, query.room)
        found = [facts.seats["hand"] for _, facts in self.store.facts(query, players=[number])]
        return sorted(set(np.concatenate(found).tolist())) if found else []

    def _newest(self, game: PokerGame, person: str) -> Iterator[tuple[int, Hand]]:
        """The hands of a game in which an opponent sat, the newest first."""
        numbers = self._numbers(Query(player=person, room=ROOM, game=game.variant))[::-1]
        for first in range(0, len(numbers), _PIECE):
            for number, hand in reversed(list(self.store.numbered(numbers[first : first + _PIECE]))):
                if hand.observer is not None and follows(hand, game):
                    yield number, hand


def seats_of(
    memory: Memory, game: PokerGame, agents: Sequence[Agent], names: Sequence[str], seed: int
) -> tuple[Recollection | None, ...]:
    """What each agent of a match that is dealt from a seed remembers of the others; None where it cannot.

    ``names`` are what the agents are called, at the table and in the memory. Nobody who remembers is a
    `SoulreadError`.
    """
    if not any(map(remembers, agents)):
        raise SoulreadError(f"nobody here learns, so nothing is remembered: {', '.join(names)}")
    mark = mark_of(game, seed)
    return tuple(
        memory.recollection(game, own, {name: name for name in names if name != own}, mark)
        if remembers(agent)
        else None
        for agent, own in zip(agents, names, strict=True)
    )
