"""Random hands with all that real tables know: for the way from a `Hand` to a file and back.

Antes of all or of the big blind alone, dead small blinds, seats that post late, straddles, blinds that are
all-in, limit and no-limit, side pots, hands that are run two or three times, rake, chips the house adds, a
hero or an observer, cards that were shown, mucked, or shown in part.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

from soulread.errors import IllegalAction
from soulread.games.base import CHANCE
from soulread.games.poker import CALL, FOLD, RAISE, UNKNOWN, Replay
from soulread.hands.hand import Cards, ForcedBet, Hand, Post, Sight
from soulread.hands.referee import Draft, Move, game_of_posts, judge, retrace

_CHIPS = (("USD", "0.01"), ("EUR", "0.01"), ("", "1"), ("", "1"), ("", "0.01"), ("USD", "0.001"))


def table_hand(seed: int) -> Hand:
    """A hand that follows from ``seed``."""
    rng = Random(seed)
    count = rng.randint(2, 9)
    big = rng.choice((2, 10, 25, 100))
    small_bet = big if rng.random() < 0.25 else None
    stacks = tuple(
        rng.randint(2, 3 * big) if rng.random() < 0.25 else big * rng.randint(5, 150) + rng.randint(0, 9)
        for _ in range(count)
    )
    draft = Draft(
        players=[f"{name}{seed % 7}" for name in ("Ann", "Bob", "Çelik", "D d", "E", "F", "G", "H", "I")][
            :count
        ],
        stacks=stacks,
        posts=_posts(rng, count, big, list(stacks)),
        big_blind=big,
        moves=(),
        small_bet=small_bet,
        called_in_full=rng.random() < 0.8,
        id=str(5000 + seed),
        time=datetime(2023, 5, 6, 7, 8, 9, tzinfo=UTC) + timedelta(seconds=seed)
        if rng.random() < 0.9
        else None,
        source=rng.choice(("Pine Room", "PokerStars", "")),
        table=rng.choice(("Oak 5", "", "“Elm” \\ 7")),
    )
    draft.room = rng.choice((draft.source, draft.source, "Elsewhere", ""))
    draft.currency, draft.chip = rng.choice(_CHIPS)
    draft.tournament = rng.random() < (0.1 if draft.currency else 0.5)
    deck = rng.sample(range(52), 52)
    draft.hole = {seat: (deck.pop(), deck.pop()) for seat in range(count)}
    end = _play(draft, deck, rng)
    return _told(draft, end, rng)


def _posts(rng: Random, count: int, big: int, left: list[int]) -> list[Post]:
    posts: list[Post] = []

    def post(seat: int, kind: ForcedBet, amount: int) -> None:
        amount = min(amount, left[seat])
        if amount:
            left[seat] -= amount
            posts.append(Post(seat, kind, amount))

    ante = rng.choice((0, 0, 0, max(1, big // 5)))
    first, second = (0, 1) if count > 2 else (1, 0)
    if ante and rng.random() < 0.5:
        for seat in range(count):
            post(seat, ForcedBet.ANTE, ante)
    elif ante:
        post(second, ForcedBet.ANTE, big)
    if rng.random() < 0.9:
        post(first, ForcedBet.SMALL_BLIND, max(1, big // 2))
    post(second, ForcedBet.BIG_BLIND, big)
    if count > 3 and rng.random() < 0.2:
        post(2, ForcedBet.STRADDLE, 2 * big)
    if count > 4 and rng.random() < 0.3:
        post(count - 1, ForcedBet.BIG_BLIND, big)
        if rng.random() < 0.5:
            post(count - 1, ForcedBet.DEAD_BLIND, max(1, big // 2))
    if count > 5 and rng.random() < 0.1:
        post(count - 2, ForcedBet.DEAD_BLIND, max(1, big // 2))
    return posts


def _play(draft: Draft, deck: list[int], rng: Random) -> Replay:
    """Play to the end; fills in moves and boards."""
    game = game_of_posts(
        draft.posts,
        tuple(draft.stacks),
        draft.big_blind,
        draft.small_bet,
        called_in_full=draft.called_in_full,
    )
    state = Replay(game)
    state.deal_round((UNKNOWN, UNKNOWN) * len(draft.players))
    board: Cards = ()
    moves: list[list[Move]] = [[]]
    before = state.antes
    shared = 0  # cards that were dealt before the betting ended
    while state.player >= 0 or state.player == CHANCE:
        if state.player == CHANCE:
            before = state.spent
            size = state.cards_due
            dealt = tuple(deck.pop() for _ in range(size))
            board += dealt
            state.deal_round((UNKNOWN,) * size)
            if state.player >= 0:
                moves += [[] for _ in range(state.round + 1 - len(moves))]
                shared = len(board)
            continue
        moves[-1].append(_act(state, before, rng))
    draft.moves = moves
    draft.boards = (board,)
    if state.showdown and shared < len(board) and rng.random() < 0.5:
        size = len(board) - shared
        runs = [tuple(deck.pop() for _ in range(size)) for _ in range(rng.randint(1, 2))]
        draft.boards = (board, *(board[:shared] + run for run in runs))
    return state


def _act(state: Replay, before: tuple[int, ...], rng: Random) -> Move:
    seat, chance = state.player, rng.random()
    if chance < 0.35:
        total = RAISE if state.is_limit else _raise(state, rng)
        try:
            if state.is_answerable:
                state.act(total)
                return seat, RAISE, state.spent[seat] - before[seat], -1
        except IllegalAction:
            pass
    if state.to_call and chance < 0.6:
        state.act(FOLD)
        return seat, FOLD, 0, -1
    state.act(CALL)
    return seat, CALL, 0, -1


def _raise(state: Replay, rng: Random) -> int:
    most = state.game.rules.stacks[state.player]  # type: ignore[index]
    return most if rng.random() < 0.3 else min(most, state.high + rng.randint(2, max(2, 2 * state.high)))


def _told(draft: Draft, end: Replay, rng: Random) -> Hand:
    """The hand with a rake, and with the cards that somebody at the table saw."""
    fair = judge(draft)
    paid = retrace(fair).paid
    won = [chips + put for chips, put in zip(fair.payoffs, paid, strict=True)]
    best = max(range(len(won)), key=won.__getitem__)
    if rng.random() < 0.5:
        draft.rake = won[best] // rng.choice((20, 40))
        won[best] -= draft.rake
    elif rng.random() < 0.1 and sum(map(bool, won)) == 1:
        draft.added = draft.big_blind
        won[best] += draft.added
    draft.collected = won
    hero = rng.choice((None, rng.randrange(len(won))))
    draft.observer = hero
    came = [end.showdown and not out for out in end.folded]
    seen: dict[int, Cards] = {}
    for seat, cards in draft.hole.items():
        chance = rng.random()
        sight = Sight.DEALT if seat == hero else None
        if came[seat] and (won[seat] or chance < 0.5):
            sight = Sight.SHOWN
        elif came[seat] and chance < 0.8:
            sight = Sight.MUCKED
        elif not end.showdown and won[seat] and chance < 0.3:
            sight = Sight.SHOWN
        if sight is not None:
            part = chance < 0.1 and seat != hero and not came[seat]
            seen[seat] = cards[:1] if part else cards
            draft.sights[seat] = sight
    if rng.random() < 0.1:  # a dealer's log
        draft.observer, seen = None, dict(draft.hole)
        draft.sights = {seat: Sight.SHOWN if came[seat] else Sight.DEALT for seat in seen}
    draft.hole = seen
    return judge(draft) if rng.random() < 0.9 else replace(judge(draft), game="of our own")
