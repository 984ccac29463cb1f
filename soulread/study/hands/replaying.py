"""A hand of hold'em step by step: actions, pots and stacks, and the holdings each seat may have.

At the beginning of each round, and at the end, every seat that has not folded is looked at. Of a seat whose
cards were seen: what they make, how often they are ahead of a random holding, and, where the cards of all are
known, the share of the pot they win on average. Of a seat whose cards were not seen: how many holdings it may
have, and how many of these are ahead of the best cards that were seen. All this is hindsight: nobody at the
table knew the cards that were shown later.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from soulread.cards.deck import cards_name
from soulread.cards.evaluate import describe, evaluate, evaluate_batch
from soulread.cards.strength import hand_strength
from soulread.games.poker import PokerGame, PokerState
from soulread.hands.facts import POSITIONS, facts_of, pot_of
from soulread.hands.hand import Cards, Hand
from soulread.hands.money import shown_amount
from soulread.hands.record import decisions
from soulread.hands.referee import game_of_record
from soulread.report.shown import ShownTable
from soulread.study.hands.luck import pot_shares
from soulread.words import plural

STREETS = ("before the flop", "flop", "turn", "river")


@dataclass(frozen=True)
class SeatSeen:
    """The cards of a seat at one point, or the number of holdings it may have."""

    seat: int
    cards: str | None  # None if nobody saw them
    makes: str | None  # the best five cards in words; from the flop on
    ahead: float | None  # of random holdings, the share that these cards beat, ties half
    share: float | None  # of the pot, on average, if the cards of everybody left are known
    possible: int | None  # holdings a seat may have whose cards were not seen
    better: int | None  # of these, holdings ahead of the best cards that were seen; from the flop on


@dataclass(frozen=True)
class ReplayStep:
    """One point of a hand: a round begins, a seat acts, or the hand is over."""

    street: str
    text: str  # what happens
    seat: int | None  # who acts
    board: str
    pot: int  # chips in front of everybody and in the middle; at the end without what nobody called
    stacks: tuple[int, ...] | None  # [seats] chips left; None where nobody runs out
    seen: tuple[SeatSeen, ...] = ()


@dataclass(frozen=True, repr=False)
class ReplayStudy(ShownTable):
    """A hand and its steps."""

    TABLE = "steps"

    hand: Hand
    number: int  # in the store
    positions: tuple[str, ...]  # [seats]
    steps: tuple[ReplayStep, ...]

    def summary(self) -> str:
        """Return the number of the hand and of its steps."""
        return f"hand {self.number} in {plural(len(self.steps), 'step')}"


def study_replay(hand: Hand, number: int) -> ReplayStudy:
    """All steps of a hand of hold'em."""
    positions = tuple(POSITIONS[code] for code in facts_of([hand]).seats["position"])
    return ReplayStudy(hand, number, positions, tuple(_steps(game_of_record(hand), hand)))


def _steps(game: PokerGame, hand: Hand) -> Iterator[ReplayStep]:
    state = game.start()
    street = -1
    started = state.spent
    for before, action in decisions(game, hand.actions, hand.board, hand.hole):
        while street < before.round:
            street += 1
            yield _begin(hand, before, street)
            started = before.spent if street else (0,) * hand.num_players  # put in before this round
        name = hand.players[before.player]
        state = before.apply(action)
        added = state.spent[before.player] - before.spent[before.player]
        word = before.action_name(action).split()[0]
        if word == "raise":
            total = state.spent[before.player] - started[before.player]
            word = f"raise to {shown_amount(total, hand.stakes)}"
        elif added:
            word = f"{word} {shown_amount(added, hand.stakes)}"
        yield ReplayStep(STREETS[before.round], f"{name}: {word}", before.player, "", state.pot, state.stacks)
    while street < hand.betting.count("/"):
        street += 1
        yield _begin(hand, state, street)
    winners = [
        f"{name} {shown_amount(won, hand.stakes, '+')}"
        for name, won in zip(hand.players, hand.payoffs, strict=True)
        if won
    ]
    house = "rake" if hand.rake > 0 else "added by the house"
    rake = f", {house} {shown_amount(abs(hand.rake), hand.stakes)}" if hand.rake else ""
    text = ("showdown: " if hand.showdown else "over: ") + ", ".join(winners) + rake
    after = None if hand.stacks is None else tuple(map(sum, zip(hand.stacks, hand.payoffs, strict=True)))
    boards = " & ".join(map(cards_name, hand.boards))
    seen = _seen(hand, hand.board, state.folded) if hand.showdown else ()
    yield ReplayStep(STREETS[street], text, None, boards, pot_of(hand), after, seen)


def _begin(hand: Hand, state: PokerState, street: int) -> ReplayStep:
    board = hand.board[: (0, 3, 4, 5)[street]]
    posts = ", ".join(
        f"{hand.players[post.seat]} {post.kind.value} {shown_amount(post.amount, hand.stakes)}"
        for post in hand.posts
    )
    text = posts if street == 0 else f"{STREETS[street]} {cards_name(board)}"
    seen = _seen(hand, board, state.folded)
    return ReplayStep(STREETS[street], text, None, cards_name(board), state.pot, state.stacks, seen)


def _seen(hand: Hand, board: Cards, folded: tuple[bool, ...]) -> tuple[SeatSeen, ...]:
    """The cards, or possible holdings, of each seat that has not folded."""
    known = {seat: cards for seat, cards in enumerate(hand.hole) if cards is not None and len(cards) == 2}
    live = [seat for seat, out in enumerate(folded) if not out]
    shares = {}
    if len(live) > 1 and all(s in known for s in live) and (board or len(live) == 2):
        shares = pot_shares({seat: known[seat] for seat in live}, board)
    used = {card for cards in hand.hole for card in cards or ()} | set(board)
    left = [card for card in range(52) if card not in used]
    best = max((evaluate([*known[s], *board]) for s in live if s in known), default=-1) if board else -1
    found = []
    for seat in live:
        cards = known.get(seat)
        if cards is None:
            better = _better(left, board, best) if board and best >= 0 else None
            found.append(SeatSeen(seat, None, None, None, None, len(left) * (len(left) - 1) // 2, better))
            continue
        makes = describe(evaluate([*cards, *board])) if board else None
        ahead = hand_strength(cards, board).value if board else None
        found.append(SeatSeen(seat, cards_name(cards), makes, ahead, shares.get(seat), None, None))
    return tuple(found)


def _pairs(cards: list[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Every two of the cards, [pairs, 2]."""
    first, second = np.triu_indices(len(cards), 1)
    values = np.array(cards, np.int64)
    return np.stack([values[first], values[second]], axis=1)


def _better(left: list[int], board: Cards, best: int) -> int:
    """The number of holdings, of cards that nobody saw, that are ahead of a value."""
    pairs = _pairs(left)
    fixed = np.broadcast_to(np.array(board, np.int64), (len(pairs), len(board)))
    return int((evaluate_batch(np.hstack([pairs, fixed])) > best).sum())
