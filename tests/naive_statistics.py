"""Statistics counted plainly, hand by hand, from lists of what everybody did: the twin of the columns."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor

from soulread.games.limit_holdem import limit_rules
from soulread.games.poker import CALL, FOLD, PokerGame, raises_among
from soulread.hands import referee
from soulread.hands.hand import ForcedBet, Hand
from soulread.hands.record import decisions

Counts = dict[str, dict[str, list[Fraction]]]  # player -> statistic -> chances, actions (or sum of amounts)

STREETS = ("preflop", "flop", "turn", "river")
STEALERS = ("CO", "BTN", "SB")


@dataclass(frozen=True)
class Event:
    seat: int
    word: str
    facing: bool
    can_raise: bool


def game_of(hand: Hand) -> PokerGame:
    """The game of a hand of hold'em, from what the record says: for hands of files."""
    if hand.stacks is not None:
        return referee.game_of(hand)
    blinds = [0] * hand.num_players
    dead = [0] * hand.num_players
    for post in hand.posts:
        if post.kind is ForcedBet.DEAD_BLIND:
            dead[post.seat] += post.amount
        elif post.kind is not ForcedBet.ANTE:
            blinds[post.seat] += post.amount
    fixed = re.search(r", limit ([0-9-]+)", hand.variant)
    caps = re.search(r" by ([0-9-]+)", hand.variant)
    first = hand.actions[0][0] if hand.actions else 0
    rules = replace(
        limit_rules("test", hand.num_players),
        blinds=tuple(blinds),
        ante=hand.stakes.ante,
        first=(first, 0, 0, 0),
        raise_sizes=tuple(int(size) for size in fixed[1].split("-")) if fixed else None,
        max_raises=tuple(int(cap) for cap in caps[1].split("-")) if caps else None,
        stacks=hand.stacks,
        small_bet=hand.stakes.small_bet,
        big_blind=hand.stakes.big_blind,
    )
    return PokerGame(rules)


def count_statistics(hands: Iterable[tuple[PokerGame, Hand]]) -> Counts:
    """Chances and actions of every statistic for every player."""
    counts: Counts = defaultdict(lambda: defaultdict(lambda: [Fraction(0), Fraction(0)]))
    for game, hand in hands:
        _count_hand(game, hand, counts)
    return counts


def positions(hand: Hand) -> list[str]:
    """The name of every seat's position."""
    seats = hand.num_players
    big = [p.seat for p in hand.posts if p.kind is ForcedBet.BIG_BLIND and p.seat < 2]
    if seats == 2:
        blind = 1 if big == [1] else 0
        return ["BB" if seat == blind else "BTN" for seat in range(2)]
    names = [{0: "BTN", 1: "CO", 2: "HJ", 3: "LJ"}.get(seats - 1 - seat, "EP") for seat in range(seats)]
    small = [p.seat for p in hand.posts if p.kind is ForcedBet.SMALL_BLIND and p.seat < 2]
    if big:
        names[min(big)] = "BB"
    for seat in small:
        if not big or seat < min(big):
            names[seat] = "SB"
    return names


def _count_hand(game: PokerGame, hand: Hand, counts: Counts) -> None:
    streets, spent = _streets(game, hand)
    where = positions(hand)

    def note(seat: int, name: str, taken: bool) -> None:
        entry = counts[hand.players[seat]][name]
        entry[0] += 1
        entry[1] += taken

    for seat in range(hand.num_players):
        own = [event for event in streets[0] if event.seat == seat]
        if own:
            note(seat, "VPIP", any(event.word in ("call", "raise") for event in own))
            note(seat, "PFR", any(event.word == "raise" for event in own))
    for event, before in _with_past(streets[0]):
        _preflop(event, before, where, note)
    for number in (1, 2, 3):
        raisers = [event.seat for event in streets[number - 1] if event.word == "raise"]
        aggressor = raisers[-1] if raisers else None
        for event, before in _with_past(streets[number]):
            _later(event, before, aggressor, streets, number, hand, spent[number], note)
    for street in streets[1:]:
        for event in street:
            if event.word != "check":
                note(event.seat, "aggression frequency", event.word == "raise")
            factor = counts[hand.players[event.seat]]["aggression factor"]
            factor[0] += event.word == "call"
            factor[1] += event.word == "raise"
    _outcomes(hand, streets, spent[-1], counts, note)


def _streets(game: PokerGame, hand: Hand) -> tuple[list[list[Event]], list[tuple[int, ...]]]:
    """The events of each street, and what everybody had put in before each street and at the end."""
    streets: list[list[Event]] = [[], [], [], []]
    spent: list[tuple[int, ...]] = [game.start().spent] * 5
    for state, action in decisions(game, hand.actions, hand.board, hand.hole):
        facing = state.to_call > 0
        word = "fold" if action == FOLD else ("call" if facing else "check") if action == CALL else "raise"
        streets[state.round].append(
            Event(state.player, word, facing, bool(raises_among(state.legal_actions())))
        )
        after = state.apply(action)
        spent[state.round + 1 :] = [after.spent] * (4 - state.round)
    return streets, spent


def places_and_sizes(game: PokerGame, hand: Hand) -> tuple[str, list[str], list[tuple[int, int]]]:
    """The kind of pot, each seat's place on the flop, and what each decision bet and faced, seat by seat."""
    streets, _ = _streets(game, hand)
    words = [event.word for event in streets[0]]
    kinds = ["limped" if "call" in words else "walk", "single-raised", "3-bet", "4-bet"]
    kind = kinds[min(words.count("raise"), 3)]
    folded = {event.seat for event in streets[0] if event.word == "fold"}
    saw = [seat for seat in range(hand.num_players) if seat not in folded] if "/" in hand.betting else []
    last = max(saw, key=lambda seat: (seat - game.rules.first[1]) % hand.num_players, default=None)
    places = ["no flop" if s not in saw else "ip" if s == last else "oop" for s in range(hand.num_players)]
    found: list[tuple[int, int, int]] = []
    round, standing = -1, 0
    for state, action in decisions(game, hand.actions, hand.board, hand.hole):
        standing = standing if state.round == round else 0
        round, seat, size = state.round, state.player, 0
        if action not in (FOLD, CALL):
            to = state.apply(action).spent[seat]
            beyond, pot = to - state.spent[seat] - state.to_call, state.pot + state.to_call
            big, ante = game.rules.big_blind, game.rules.ante
            bet = Fraction(to - ante, big) if round == 0 else Fraction(beyond, pot)
            size = min(max(1, floor(100 * bet + Fraction(1, 2))), 65535)
        found.append((seat, size, standing if state.to_call else 0))
        standing = size or standing
    return kind, places, [(size, faced) for _, size, faced in sorted(found, key=lambda each: each[0])]


def _with_past(street: list[Event]) -> Iterator[tuple[Event, list[Event]]]:
    for i, event in enumerate(street):
        yield event, street[:i]


def _preflop(event, before, where, note):
    seat, raises = event.seat, [past for past in before if past.word == "raise"]
    if not event.facing:
        return
    entered = [past for past in before if past.word in ("call", "raise")]
    if not raises:
        if not any(past.seat == seat for past in entered):
            note(seat, "limp", event.word == "call")
        if not entered and where[seat] in STEALERS:
            note(seat, "steal", event.word == "raise")
    if len(raises) == 1:
        behind = before[before.index(raises[0]) + 1 :]
        called = any(past.word == "call" for past in behind)
        if event.can_raise:
            note(seat, "3-bet", event.word == "raise")
            if called:
                note(seat, "squeeze", event.word == "raise")
        stolen = entered[0] is raises[0] and where[raises[0].seat] in STEALERS
        if stolen and not called and where[seat] in ("SB", "BB"):
            note(seat, "fold to steal", event.word == "fold")
    if len(raises) == 2:
        if raises[0].seat == seat:
            note(seat, "fold to 3-bet", event.word == "fold")
        if event.can_raise:
            note(seat, "4-bet", event.word == "raise")


def _later(event, before, aggressor, streets, number, hand, spent, note):
    seat, raises = event.seat, [past for past in before if past.word == "raise"]
    street = STREETS[number]
    if not raises and aggressor == seat:
        note(seat, f"c-bet {street}", event.word == "raise")
    if not raises and aggressor is not None and aggressor != seat:
        gone = any(past.seat == aggressor for past in before) or any(
            past.seat == aggressor and past.word == "fold" for earlier in streets[:number] for past in earlier
        )
        all_in = hand.stacks is not None and spent[aggressor] == hand.stacks[aggressor]
        if not gone and not all_in:
            note(seat, "donk", event.word == "raise")
    if len(raises) == 1 and raises[0].seat == aggressor and event.facing:
        note(seat, f"fold to c-bet {street}", event.word == "fold")
        if event.can_raise:
            note(seat, "raise c-bet", event.word == "raise")
    own = [past.word for past in before if past.seat == seat]
    if own == ["check"] and event.facing and event.can_raise:
        note(seat, "check-raise", event.word == "raise")


def _outcomes(hand, streets, spent, counts, note):
    second = sorted(spent)[-2]
    for seat, player in enumerate(hand.players):
        folds = [
            number
            for number, street in enumerate(streets)
            for event in street
            if event.seat == seat and event.word == "fold"
        ]
        dead = sum(p.amount for p in hand.posts if p.seat == seat and p.kind is ForcedBet.DEAD_BLIND)
        shown = hand.showdown and not folds
        saw_flop = folds[0] > 0 if folds else "/" in hand.betting
        if saw_flop:
            note(seat, "WTSD", shown)
        if shown:
            note(seat, "W$SD", hand.payoffs[seat] + min(spent[seat], second) + dead > 0)
        won = Fraction(hand.payoffs[seat], hand.stakes.big_blind)
        for name, amount in (
            ("bb/100", won),
            ("won at showdown", won if shown else Fraction(0)),
            ("won without showdown", Fraction(0) if shown else won),
        ):
            entry = counts[player][name]
            entry[0] += 1
            entry[1] += amount
