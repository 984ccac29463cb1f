"""No agent can learn a hidden card from what it is handed: its view, its random stream, its records.

Some spies play Leduc against the equilibrium. Over both seats nobody wins more than 0 from it in expectation,
so a spy that wins clearly more has seen cards. Each kind of spy is also given what it looks for, to show that
it would win with it.
"""

import gc
import itertools
import types
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from soulread.cards.arrays import deal
from soulread.errors import SoulreadError
from soulread.estimate import Estimate
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.named import parse_game
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import CALL, FOLD, PokerGame, PokerState, PokerView
from soulread.games.ring_limit import ring_limit
from soulread.hands.hand import Hand
from soulread.model.catalogue import _entry as model_entry
from soulread.model.catalogue import parse_model
from soulread.play.agent import Agent, MemorylessAgent
from soulread.play.catalogue.entry import AgentEntry, AgentSpec
from soulread.play.catalogue.known import AGENTS, foreign_entry, known_agents, parse_agent, register
from soulread.play.match.live import LiveHand, play_hand
from soulread.play.match.matches import Match, play_matches
from soulread.play.opponents.baselines import Random
from soulread.streams import MatchStreams, stream

HANDS = 3000
PASS = 1500  # hands of a pass of a duplicate match
SEED = 20_260_714
NO_DATA = type | types.ModuleType | types.BuiltinFunctionType | types.MethodType | types.CodeType


def equilibrium() -> Agent:
    """The equilibrium of Leduc."""
    return parse_agent("equilibrium").make(leduc())


def won(profits: np.ndarray) -> Estimate:
    """What the first agent won, in chips a hand."""
    return Estimate.of(profits[:, 0])


def clearly_wins(estimate: Estimate) -> bool:
    """Whether an agent won more than chance explains, at four standard errors: once in 30,000 times."""
    return estimate.mean > 4 * estimate.standard_error


# Everything that hangs together with an object.


def parts(thing: object) -> list[object]:
    """What an object is made of, types, modules and the globals of functions left out."""
    if isinstance(thing, types.FunctionType):
        return [thing.__defaults__, thing.__kwdefaults__, thing.__closure__, thing.__dict__]
    inside = gc.get_referents(thing)
    if isinstance(thing, np.random.Generator):
        inside.append(thing.bit_generator)
    if isinstance(thing, np.random.BitGenerator):
        inside += [thing.state, thing.seed_seq]
    if isinstance(thing, np.random.SeedSequence):
        inside += [thing.entropy, thing.spawn_key, thing.pool, thing.n_children_spawned]
    return [part for part in inside if not isinstance(part, NO_DATA)]


ATOM = int | float | str | bytes | range | None


def walk(*roots: object) -> list[tuple[object, list[object]]]:
    """Everything that can be reached from the roots, each object once with its parts, in a fixed order."""
    found: dict[int, tuple[object, list[object]]] = {}  # keeps the objects alive, so that no id comes twice
    todo = list(roots)[::-1]
    while todo:
        thing = todo.pop()
        if id(thing) not in found:
            found[id(thing)] = thing, parts(thing)
            todo += found[id(thing)][1][::-1]
    return list(found.values())


def reachable(*roots: object) -> list[object]:
    """Every object that can be reached from the roots."""
    return [thing for thing, _ in walk(*roots)]


def dump(*roots: object) -> list[str]:
    """All data that can be reached from the roots, as text: numbers by value, objects by their place here."""
    walked = [(thing, inside) for thing, inside in walk(roots) if not isinstance(thing, ATOM)]
    place = {id(thing): f"#{i}" for i, (thing, _) in enumerate(walked)}
    lines = []
    for thing, inside in walked:
        holds = " ".join(repr(part) if isinstance(part, ATOM) else place[id(part)] for part in inside)
        buffer = thing.tobytes().hex() if isinstance(thing, np.ndarray) else ""
        lines.append(f"{type(thing).__qualname__} {holds} {buffer}")
    return lines


class Scribe(MemorylessAgent):
    """Plays at random and keeps a dump of all that it is handed."""

    name = "scribe"

    def __init__(self) -> None:
        self.seen: list[tuple[int, list[str]]] = []  # cards on the board, and the dump

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Write everything down first."""
        self.seen.append((len(view.board), dump(view, rng)))
        return Random().act(view, rng)


GAMES = {
    "kuhn": parse_game("kuhn"),
    "leduc": leduc(),
    "limit": limit_holdem(),
    "no-limit": nolimit_holdem(),
    "deep no-limit": nolimit_holdem(3, stacks=(300, 20_000, 90), blinds=(50, 100), ante=5),
    "ring": ring_limit(4),
}


def swapped(game: PokerGame, cards: tuple[int, ...], known: set[int], number: int) -> tuple[int, ...]:
    """The same deal with other cards everywhere but in the places ``known``."""
    kept = [cards[place] for place in known]
    rest = [card for card in game.rules.deck if card not in kept]
    other = iter(np.random.default_rng([number, 1]).permutation(rest).tolist())
    return tuple(card if place in known else next(other) for place, card in enumerate(cards))


def played(game: PokerGame, cards: tuple[int, ...], seat: int, number: int) -> tuple[LiveHand, Scribe]:
    """A hand in which everybody plays at random, the scribe in one seat."""
    agents: list[Agent] = [Random() for _ in range(game.num_players)]
    agents[seat] = scribe = Scribe()
    streams = [stream(number, "agent", i) for i in range(game.num_players)]
    return play_hand(game, agents, cards, streams, id=str(number)), scribe


@pytest.mark.parametrize("name", GAMES)
def test_nothing_an_agent_is_handed_depends_on_hidden_cards(name: str) -> None:
    """Other hidden cards, all else equal: not one number that the agent can reach is another."""
    game = GAMES[name]
    own, seats = game.rules.hole_cards, game.num_players
    played(game, game.rules.deck[: game.num_cards], 0, 0)[0].seen_by(0)  # what a game works out once is there
    compared = Counter[str]()
    for number in range(8 * seats):
        cards = deal(np.random.default_rng(number), game.rules.deck, game.num_cards)
        seat = number % seats
        hand, scribe = played(game, cards, seat, number)
        record = hand.seen_by(seat)
        places = [set(range(i * own, (i + 1) * own)) for i in range(seats)]

        # During the hand: whatever is neither the agent's nor on the board yet may be any card.
        for index, (lying, handed) in enumerate(scribe.seen):
            known = places[seat] | set(range(seats * own, seats * own + lying))
            _, again = played(game, swapped(game, cards, known, number), seat, number)
            assert again.seen[index] == (lying, handed)
            compared["views"] += 1

        # Afterwards: cards that nobody showed may be any card.
        known = set(range(seats * own, seats * own + len(record.board)))
        for i, hole in enumerate(record.hole):
            showed = hand.end.showdown and not hand.end.folded[i]
            assert (hole is not None) == (i == seat or showed)
            known |= places[i] if hole is not None else set()
        other, _ = played(game, swapped(game, cards, known, number), seat, number)
        assert dump(other.seen_by(seat)) == dump(record)
        compared["records"] += len(known) < len(cards)
    assert compared["views"] > 12
    assert compared["records"] > 3


@pytest.mark.parametrize("name", GAMES)
def test_no_state_of_the_hand_can_be_reached(name: str) -> None:
    game = GAMES[name]
    streams = MatchStreams(SEED)
    found: list[object] = []

    class Walker(MemorylessAgent):
        """Plays at random and follows every reference."""

        name = "walker"

        def act(self, view: PokerView, rng: np.random.Generator) -> int:
            found.extend(reachable(view, rng))
            return Random().act(view, rng)

    agents = [Walker() for _ in range(game.num_players)]
    for number in range(4):
        cards = deal(np.random.default_rng(number), game.rules.deck, game.num_cards)
        draws = [streams.agent(i) for i in range(game.num_players)]
        hand = play_hand(game, agents, cards, draws, [f"p{i}" for i in range(game.num_players)])
        for seat in range(game.num_players):
            found.extend(reachable(hand.seen_by(seat)))
    assert any(isinstance(thing, PokerView) for thing in found)
    assert not any(isinstance(thing, PokerState | LiveHand | Match | MatchStreams) for thing in found)


# Spies that play.


class Spy(MemorylessAgent):
    """Plays like one who knows the opponent's card where it thinks so, else the equilibrium."""

    name = "spy"

    def __init__(self) -> None:
        self.fallback = equilibrium()
        self.number = 0  # hands seen so far
        self.knew = 0

    def guess(self, view: PokerView, rng: np.random.Generator) -> int | None:
        """The card that the opponent is thought to hold."""
        raise NotImplementedError

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        card = self.guess(view, rng)
        if card is None:
            return self.fallback.act(view, rng)
        self.knew += 1
        showdown = view.rules.showdown
        cards = view.hole[0], card
        mine, theirs = (showdown((own,), view.board) if view.board else own >> 2 for own in cards)
        if mine > theirs:
            return view.legal[-1]
        return FOLD if mine < theirs and FOLD in view.legal else CALL

    def observe(self, hand: Hand) -> None:
        self.number += 1


class SeedSpy(Spy):
    """Makes decks of everything in its stream, and believes the one that has been right so far."""

    def __init__(self, *told: Callable[[], np.random.Generator]) -> None:
        super().__init__()
        self.told = told
        self.decks: list[np.random.Generator] | None = None  # those that have been right so far
        self.cards: list[tuple[int, ...]] = []  # what each of them deals in the present hand
        self.dealt = 0
        self.tried = 0

    def guess(self, view: PokerView, rng: np.random.Generator) -> int | None:
        if self.decks is None:
            self.decks = [*self.streams_from(rng.bit_generator), *(make() for make in self.told)]
            self.tried = len(self.decks)
        while self.dealt <= self.number:
            self.cards = [deal(deck, view.rules.deck, 3) for deck in self.decks]
            self.dealt += 1
        right = [i for i, cards in enumerate(self.cards) if self.fits(cards, view)]
        self.decks, self.cards = [self.decks[i] for i in right], [self.cards[i] for i in right]
        return self.cards[0][1 - view.seat] if self.number >= 20 and self.cards else None

    @staticmethod
    def fits(cards: tuple[int, ...], view: PokerView) -> bool:
        return cards[view.seat] == view.hole[0] and view.board in ((), cards[2:])

    @staticmethod
    def streams_from(bits: Any) -> Iterator[np.random.Generator]:
        sequence = bits.seed_seq
        state = bits.state["state"]
        entropy = int(sequence.entropy)
        numbers = {entropy, *(int(word) for word in sequence.pool), *state.values(), *sequence.spawn_key}
        numbers |= {entropy >> shift & 2**64 - 1 for shift in range(0, 256, 32)} | {entropy & 2**128 - 1}
        for number in sorted(numbers):
            for key in ((), (0,), (1,), (0, 0), (0, 1), (0, 2), (1, 0)):
                yield np.random.default_rng(np.random.SeedSequence(number, spawn_key=key))
                yield stream(number, *key)
            yield MatchStreams(number).cards()
            yield stream(number, "cards")
            yield np.random.default_rng(number)
        for child in np.random.SeedSequence(entropy).spawn(8):
            yield np.random.default_rng(child)
        for steps in (0, 1, -1, -2, -3, 2**64):
            moved = np.random.PCG64()
            moved.state = bits.state
            yield np.random.Generator(moved.advance(steps))
        jumped = np.random.PCG64()
        jumped.state = bits.state
        yield from (np.random.Generator(jumped.jumped(times)) for times in range(1, 5))
        mirrored: Any = np.random.PCG64()
        mirrored.state = {**bits.state, "state": {"state": state["inc"], "inc": state["state"] | 1}}
        yield np.random.Generator(mirrored)


def test_a_stream_tells_nothing_about_the_deck() -> None:
    spy = SeedSpy()
    result = won(Match(leduc(), (spy, equilibrium()), HANDS).play(SEED))
    assert spy.tried > 200
    assert spy.decks == []
    assert spy.knew == 0
    assert not clearly_wins(result)

    guessed = SeedSpy(MatchStreams(SEED).cards)
    assert clearly_wins(won(Match(leduc(), (guessed, equilibrium()), HANDS).play(SEED)))
    assert len(guessed.decks or ()) == 1


def test_a_stream_holds_neither_the_seed_nor_another_stream() -> None:
    seed = 0x1234_5678_9ABC_DEF0_0FED_CBA9_8765_4321
    streams = MatchStreams(seed, 3)
    handed: list[Any] = [streams.agent(agent, rotation) for rotation in (0, 1) for agent in (0, 1)]
    numbers = [{thing for thing in reachable(rng) if isinstance(thing, int)} for rng in handed]
    words = {int(word) for rng in handed for word in rng.bit_generator.seed_seq.pool}
    cards: Any = streams.cards().bit_generator
    secret = {seed, seed >> 64, seed & 2**64 - 1, cards.seed_seq.entropy, *cards.state["state"].values()}
    for held in numbers:
        assert len(held) > 2
        assert not held & secret
    assert not words & {int(word) for word in cards.seed_seq.pool}
    for one, other in itertools.combinations(numbers, 2):
        assert not {n for n in one & other if n > 2**32}


def test_streams_are_named_by_all_of_their_key() -> None:
    keys: list[tuple[int | str, ...]] = [(), (0,), (1,), (0, 1), ("0",), ("0", 1), ("01",), ("agent", 0, 1)]
    keys += [("agent", 1, 0), (10,), (1, 0), ("cards",)]
    drawn = {stream(5, *key).random() for key in keys} | {stream(6, *key).random() for key in keys}
    assert len(drawn) == 2 * len(keys)
    assert stream(5, "a", 1).random() == stream(5, "a", np.int64(1)).random()  # type: ignore[arg-type]
    assert stream(2**200).random() != stream(2**200 + 1).random()
    for wrong in (-1, 0.5, "7"):
        with pytest.raises(SoulreadError, match="a seed is a whole number from 0 up"):
            stream(wrong)  # type: ignore[arg-type]


class Elephant(Spy):
    """Ignores `reset`: in a second pass it knows what it held itself in the first one."""

    def __init__(self, game: PokerGame | None = None) -> None:
        super().__init__()
        self.held: dict[tuple[int, int], int] = {}  # (hand, seat): card

    def guess(self, view: PokerView, rng: np.random.Generator) -> int | None:
        number = self.number % PASS
        self.held[number, view.seat] = view.hole[0]
        return self.held.get((number, 1 - view.seat))

    def observe(self, hand: Hand) -> None:
        self.held[self.number % PASS, hand.eyewitness] = (hand.hole[hand.eyewitness] or (0,))[0]
        super().observe(hand)


def specs_of(entry: AgentEntry) -> list[AgentSpec]:
    return [entry.spec(entry.name, parse_agent), parse_agent("equilibrium")]


def test_no_agent_of_a_spec_remembers_the_pass_before() -> None:
    cheat = Elephant()  # handed over as it is, it remembers: this is what must not happen
    assert clearly_wins(won(Match(leduc(), (cheat, equilibrium()), PASS, duplicate=True).play(SEED)))
    assert cheat.knew > PASS // 2

    made: list[Elephant] = []

    def make(spec: AgentSpec, game: PokerGame, tell: object) -> Elephant:
        made.append(Elephant())
        return made[-1]

    before = dict(AGENTS)
    try:
        entries = [foreign_entry("elephant", Elephant), register(AgentEntry("elephant", "", make))]
    finally:
        AGENTS.clear()
        AGENTS.update(before)
    for entry in entries:
        result = play_matches(leduc(), specs_of(entry), PASS, duplicate=True, seed=SEED)
        assert not clearly_wins(won(result.profits[0]))
    assert [agent.knew for agent in made] == [0, 0]
    assert [agent.number for agent in made] == [PASS, PASS]


def test_agents_of_a_spec_begin_every_match_anew() -> None:
    """So a result does not depend on the number of processes, even if an agent forgets nothing."""
    specs = specs_of(foreign_entry("elephant", Elephant))
    one = play_matches(leduc(), specs, 40, matches=3, seed=1)
    again = [play_matches(leduc(), specs, 40, matches=n, seed=1).profits[-1] for n in (1, 2, 3)]
    assert np.array_equal(one.profits, again)
    alone = Match(leduc(), (Elephant(), equilibrium()), 40)
    assert np.array_equal(one.profits[2], alone.play(1, 2))


def test_agents_from_outside_are_known() -> None:
    assert not any(entry.foreign for entry in known_agents().values() if entry.name in AGENTS)
    assert not any(parse_agent(text).foreign for text in ("random", "dbbr:T=10", "dbbr:model=tilts"))
    assert foreign_entry("offered", AGENTS["random"]).foreign  # an entry that a package offers
    assert model_entry("offered", parse_model("tilts").entry).foreign
    outside = parse_agent("dbbr:model=tilts")
    model = parse_model("tilts")
    foreign_model = replace(model, entry=replace(model.entry, foreign=True))
    assert replace(outside, options=replace(outside.options, model=foreign_model)).foreign


class Numerologist(Spy):
    """Looks for the opponent's card in hand numbers, memory addresses, hashes and times, and learns."""

    def __init__(self, sign: Callable[[int, int], int] | None = None) -> None:
        super().__init__()
        self.counts: dict[tuple[int, int], Counter[int]] = defaultdict(Counter)
        self.right = Counter[int]()
        self.signs: list[int] = []
        self.sign = sign

    def signs_of(self, view: PokerView, rng: np.random.Generator) -> list[int]:
        things = (view, view.hole, view.actions, view.legal, view.information, rng, rng.bit_generator)
        signs = [self.number % m for m in range(2, 14)] + [id(thing) >> 4 & 31 for thing in things]
        signs += [hash(view.information) % 7, hash(view.public) % 7, view.hole[0]]
        return [*signs, self.sign(self.number, view.seat)] if self.sign else signs

    def guess(self, view: PokerView, rng: np.random.Generator) -> int | None:
        self.signs = self.signs_of(view, rng)
        if self.number < 300:
            return None
        best = max(range(len(self.signs)), key=lambda i: self.right[i])
        likely = self.counts[best, self.signs[best]].most_common(1)
        return likely[0][0] if likely else None

    def observe(self, hand: Hand) -> None:
        super().observe(hand)
        shown = hand.hole[hand.opponent]
        assert hand.time is None
        if shown is not None:
            for i, sign in enumerate(self.signs):
                self.right[i] += [shown[0]] == [card for card, _ in self.counts[i, sign].most_common(1)]
                self.counts[i, sign][shown[0]] += 1


def test_numbers_and_addresses_tell_nothing() -> None:
    spy = Numerologist()
    result = won(Match(leduc(), (spy, equilibrium()), HANDS).play(SEED))
    assert spy.knew > 1000
    assert not clearly_wins(result)

    cards = MatchStreams(SEED).cards()
    deck = [deal(cards, leduc().rules.deck, 3) for _ in range(HANDS)]
    told = Numerologist(lambda number, seat: deck[number][1 - seat])
    assert clearly_wins(won(Match(leduc(), (told, equilibrium()), HANDS).play(SEED)))
