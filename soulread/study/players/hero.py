"""The hero: the player from whose seat the hands of a store were seen, and who is meant by a name.

A room writes down the hole cards of whoever asks for the hands. So in the files of one person, one player is
dealt known cards in every hand, while those of the others are known from showdowns alone. Such a player is a
*hero*. Files of several people have several heroes. A dealer's record, in which all cards are known though
nobody at the table saw them all, and a record in which no cards were dealt openly, have none.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.hands.hand import Hand, Sight
from soulread.hands.people import HERO_WORDS, StoredPerson
from soulread.hands.store import Query, Store
from soulread.report.shown import ShownTable
from soulread.words import plural

LEAST_DEALT = 0.9  # of a player's hands, in which the cards were dealt to the eyes of the file


@dataclass(frozen=True)
class Hero:
    """A player whose cards are known from the deal in nearly all hands."""

    name: str
    room: str  # or rooms
    hands: int  # in the store
    dealt: int  # of them, those with the cards known from the deal
    number: int  # in the store
    chosen: bool = False  # somebody said so

    JSON = keys("room hands dealt share chosen", player="name")

    @property
    def share(self) -> float:
        """The share of the hands in which the cards are known from the deal."""
        return self.dealt / self.hands


@dataclass(frozen=True, repr=False)
class HeroStudy(ShownTable):
    """The heroes of a store, those with the most hands first."""

    LINE = "{it.words}"
    TABLE = "heroes"

    store: str
    hands: int  # looked at
    heroes: tuple[Hero, ...]

    JSON = keys("store hands heroes", words="words")

    @property
    def words(self) -> str:
        """Who the hero is, in a sentence."""
        if not self.heroes:
            return (
                f"There is no hero in {plural(self.hands, 'hand')} of {self.store!r}: in nearly all of a "
                "hero's hands the cards are known from the deal, and nobody else's are."
            )
        first = self.heroes[0]
        if len(self.heroes) > 1 and not first.chosen:
            return f"{len(self.heroes):,} players are heroes: these are hands of several people."
        how = "by your choice" if first.chosen else f"with cards known from the deal in {first.share:.0%}"
        return f"The hero is {first.name}, {plural(first.hands, 'hand')}, {how}."


def dealt_to(hand: Hand) -> Iterator[int]:
    """The seats whose cards the file knows from the deal, and which do not stand in a dealer's record."""
    if hand.observer is not None:
        yield hand.observer
    known = [seat for seat, sight in enumerate(hand.sights) if sight is Sight.DEALT]
    if any(cards is None for cards in hand.hole):  # else everybody's cards are known
        yield from (seat for seat in known if seat != hand.observer)


def study_hero(store: Store, room: str | None = None) -> HeroStudy:
    """The heroes among the players of a store, or of one room; the one who was chosen comes first."""
    hands = 0
    played: Counter[tuple[str, str]] = Counter()
    dealt: Counter[tuple[str, str]] = Counter()
    for _, hand in store.find(Query(room=room)):
        hands += 1
        played.update((name, hand.room) for name in hand.players)
        dealt.update((hand.players[seat], hand.room) for seat in dealt_to(hand))
    together = dict.fromkeys(store.player_number(*key) for key in dealt)
    chosen = _chosen(store, room)
    heroes = []
    for number in together:
        person = store.person(number, room)
        told = [(person.name, one) for one in person.rooms]
        seen, had = sum(played[key] for key in told), sum(dealt[key] for key in told)
        own = chosen is not None and number == chosen.number
        if had >= LEAST_DEALT * seen and not own:
            heroes.append(Hero(person.name, person.room, seen, had, number))
    heroes.sort(key=lambda hero: (-hero.dealt, hero.name, hero.room))
    if chosen is not None:
        had = sum(dealt[chosen.name, one] for one in chosen.rooms)
        heroes.insert(0, Hero(chosen.name, chosen.room, chosen.hands, had, chosen.number, chosen=True))
    return HeroStudy(store.name, hands, tuple(heroes))


def _chosen(store: Store, room: str | None) -> StoredPerson | None:
    """The hero who was chosen, if there is one who has hands in the room."""
    key = store.people().hero
    if key is None:
        return None
    try:
        person = store.person(store.player(*key).number, room)
    except SoulreadError:  # those hands are gone
        return None
    return person if person.hands else None


def find_hero(store: Store, room: str | None = None) -> StoredPerson:
    """The hero: the one who was chosen, or the only one there is. Else it is refused, with the heroes."""
    chosen = _chosen(store, room)
    if chosen is not None:
        return chosen
    heroes = study_hero(store, room).heroes
    if len(heroes) == 1:
        return store.person(heroes[0].number, room)
    if not heroes:
        raise SoulreadError(
            f"nobody in {store.name!r} is the hero: no player's cards are known from the deal in nearly all "
            "hands; say who it is with: soulread player hero NAME"
        )
    listed = ", ".join(f"{one.name!r} of {one.room} ({plural(one.hands, 'hand')})" for one in heroes[:5])
    more = f" and {len(heroes) - 5:,} more" if len(heroes) > 5 else ""
    raise SoulreadError(
        f"{store.name!r} has several heroes: {listed}{more}; say who is meant with: soulread player hero "
        "NAME, or join them with: soulread player alias NAME OTHER"
    )


def find_player(store: Store, name: str, room: str | None = None) -> StoredPerson:
    """The player of a name, by any of the names that an alias joins; "hero" and "me" are the hero.

    If somebody in the store is called so, that one is meant.
    """
    if name in HERO_WORDS and not store.has_player(name):
        return find_hero(store, room)
    return store.player(name, room)


def meant_player(store: Store, name: str, query: Query) -> tuple[str, Query]:
    """The name by which hands know the player whom a user means, and the query with the room if it needs one.

    Where players of several rooms have the name, the query is narrowed to the room of the one who is meant.
    """
    person = find_player(store, name, query.room)
    if query.room is None and len(person.rooms) == 1:
        try:
            store.player(person.name)
        except SoulreadError:
            query = replace(query, room=person.rooms[0])
    return person.name, replace(query, player=None)


def opponents_of(store: Store, name: str, query: Query) -> tuple[str | None, Query]:
    """The same for a study of everybody else: None in place of the hero where the store has none."""
    if name in HERO_WORDS and not store.has_player(name) and not study_hero(store, query.room).heroes:
        return None, query
    return meant_player(store, name, query)
