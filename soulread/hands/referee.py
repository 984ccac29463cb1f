"""A hand as a file tells it, played again by our own rules.

A format's reader fills in a `Draft`: who sat where with how much, what everybody posted and did, the cards
that were seen, and what the file says was won. `judge` plays it through the rules of the games (`Replay`) and
makes a `Hand`. A hand that does not add up raises `Unfit`: an action that the rules do not allow, a call of
the wrong amount, a pot that goes to the wrong seat, chips that come from nowhere.

Amounts of a draft are whole chips of the hand, whose worth is ``chip``.

What real tables know and our simulated ones do not:

* Antes that not everybody pays, or not alike (a big blind ante), and dead blinds, are dead chips.
* Players who sit down may post, and there may be straddles. Both are live; the first to act is the seat
  after the last straddle or the big blind.
* A big blind that is all-in for less is called in full.
* A raise that no seat has the chips to answer is a call; what is too much goes back.
* In limit games an all-in of half a bet or more is a raise that may be raised again.
* A seat may fold with nothing to call. A hand where that happens is played by rules that allow it.
* A fold out of turn counts when it is the seat's turn.
* A hand may be run twice: every pot is halved, the odd chip goes to the first board.
* In limit games two players may raise without end; a hand with more raises than four bets is played so.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from operator import add, sub

from soulread.cards.deck import FULL_DECK, MAX_PLAYERS, cards_name
from soulread.errors import IllegalAction, SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.limit_holdem import best_hand, limit_rules
from soulread.games.poker import (
    CALL,
    FOLD,
    RAISE,
    UNKNOWN,
    PokerGame,
    Pots,
    Replay,
    Rules,
    award_pots,
    side_pots,
)
from soulread.hands.hand import Cards, ForcedBet, Hand, Post, Sight, Stakes

MAX_CHIPS = 10**15  # of one seat
ROUNDS = (0, 3, 1, 1)  # board cards before each round

_HIDDEN = (UNKNOWN, UNKNOWN)


class Unfit(Exception):
    """A hand that cannot be read: one of few reasons, and the detail about this hand."""

    def __init__(self, reason: str, detail: str = "", other_game: bool = False) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail
        self.other_game = other_game


CHECK = 3  # a move only: the file says that there was nothing to call
Move = tuple[int, int, int, int]
"""Seat, FOLD, CALL (or check), RAISE (or bet) or CHECK, then two amounts.

The first is what a bet or raise comes to in this round, antes not counted. The second is what the file says
the seat added; -1 where the file does not say.
"""


@dataclass(slots=True)
class Draft:
    """A hand as a file tells it, in seats by position: 0 is the first after the button."""

    players: Sequence[str]
    stacks: Sequence[int]
    posts: Sequence[Post]
    big_blind: int
    moves: Sequence[Sequence[Move]]  # one list for each round begun
    boards: Sequence[Cards] = ((),)
    small_bet: int | None = None  # of a limit game; the big bet is twice as much
    called_in_full: bool = True  # whether one calls a whole big blind that its seat could not pay
    table_rules: PokerGame | None = None  # what `game_of_posts` says, if the reader knows it from before
    hole: dict[int, Cards] = field(default_factory=dict)
    sights: dict[int, Sight] = field(default_factory=dict)
    collected: Sequence[int] | None = (
        None  # [seats] out of the pots, the rake taken off; None if the file does not say
    )
    net: Sequence[int] | None = None  # [seats] what each won or lost, if the file tells that instead
    pot: int | None = None  # as the file has it, uncalled bets given back
    rake: int | None = None  # as the file has it, all fees
    added: int = 0  # chips the house put into the pot
    observer: int | None = None
    id: str = ""
    time: datetime | None = None
    source: str = ""
    table: str = ""
    room: str = ""
    currency: str = ""
    chip: str = "1"


def judge(draft: Draft) -> Hand:
    """The record of a hand that was played by the rules; raises `Unfit` if it was not."""
    game = _game_of_draft(draft)
    _verify_cards(draft)
    try:
        try:
            end = _replayed(draft, game)
        except _FoldsForNothing:
            end = _replayed(draft, _open(game))
    except IllegalAction as error:
        raise Unfit("an action is not legal", str(error)) from None
    payoffs, rake = _settled(draft, end)
    return _recorded(draft, end, payoffs, rake)


def _verify_cards(draft: Draft) -> None:
    """No card comes twice: in a hand that is run twice, on either board."""
    if not draft.hole and len(draft.boards) == 1 and len(set(draft.boards[0])) == len(draft.boards[0]):
        return
    held = [card for cards in draft.hole.values() for card in cards]
    for board in draft.boards:
        if len({*held, *board}) < len(held) + len(board):
            raise Unfit("cards", f"{cards_name(held)} and {cards_name(board)}: a card comes twice")
    if len({len(board) for board in draft.boards}) > 1 or any(
        len(cards) > 2 for cards in draft.hole.values()
    ):
        raise Unfit("cards", "boards of different length, or more than two cards in a hand")


# The rules a hand was played by.


def _game_of_draft(draft: Draft) -> PokerGame:
    count = len(draft.players)
    if not 2 <= count <= MAX_PLAYERS:
        raise Unfit("the number of players", f"{count}; hands of 2 to {MAX_PLAYERS} are read")
    if len(set(draft.players)) < count or not all(draft.players):
        raise Unfit("names", f"{draft.players!r}"[:100])
    if len(draft.stacks) != count or min(draft.stacks) <= 0 or max(draft.stacks) >= MAX_CHIPS:
        raise Unfit("stacks", f"{draft.stacks!r} of {count} players")
    if draft.table_rules is not None:
        return draft.table_rules.with_stacks(tuple(draft.stacks))
    if not 0 < draft.big_blind < MAX_CHIPS or (draft.small_bet is not None and draft.small_bet <= 0):
        raise Unfit("blinds", f"a big blind of {draft.big_blind}")
    raises = [sum(move[1] == RAISE for move in moves) for moves in draft.moves]
    return game_of_posts(
        draft.posts,
        tuple(draft.stacks),
        draft.big_blind,
        draft.small_bet,
        capped=_is_capped(raises),
        called_in_full=draft.called_in_full,
    )


def game_of_posts(
    posts: Sequence[Post],
    stacks: tuple[int, ...],
    big_blind: int,
    small_bet: int | None = None,
    *,
    capped: bool = True,
    called_in_full: bool = True,
) -> PokerGame:
    """Hold'em as it is played at a real table after these posts; ``small_bet`` is that of a limit game."""
    count = len(stacks)
    antes, live, dead = [0] * count, [0] * count, [0] * count
    last = main = -1
    for post in posts:
        seat, kind, amount = post.seat, post.kind, post.amount
        if not 0 <= seat < count or amount < 0:
            raise Unfit("posts", f"{amount} by seat {seat} of {count}")
        if kind is ForcedBet.ANTE:
            antes[seat] += amount
        elif kind is ForcedBet.DEAD_BLIND:
            dead[seat] += amount
        else:
            live[seat] += amount
            if kind is ForcedBet.STRADDLE:
                last = seat
            elif kind is ForcedBet.BIG_BLIND and (main < 0 or seat < main):
                main = seat  # others who post as much have sat down late
    for seat, stack in enumerate(stacks):
        if antes[seat] + live[seat] + dead[seat] > stack:
            raise Unfit("posts", f"seat {seat} posted more than its {stack} chips")
    ante = max(antes)
    if ante and not all(paid in (ante, stack) for paid, stack in zip(antes, stacks, strict=True)):
        dead = [paid + more for paid, more in zip(dead, antes, strict=True)]
        ante = 0
    first = last if last >= 0 else main if main >= 0 else max(range(min(2, count)), key=live.__getitem__)
    opening = ante + big_blind if called_in_full and 0 < max(live) < big_blind else 0
    game = _table(
        count,
        tuple(live),
        ante,
        (first + 1) % count,
        big_blind,
        small_bet,
        tuple(dead) if any(dead) else None,
        opening,
        capped,
    )
    return game.with_stacks(stacks)


def _is_capped(raises: Sequence[int]) -> bool:
    """Whether the raises of each round fit a limit of four bets, the big blind being the first."""
    return all(number <= (3 if place == 0 else 4) for place, number in enumerate(raises))


@lru_cache(maxsize=4096)
def _table(
    count: int,
    blinds: tuple[int, ...],
    ante: int,
    first: int,
    big_blind: int,
    small_bet: int | None,
    dead: tuple[int, ...] | None,
    opening: int,
    capped: bool,
) -> PokerGame:
    """A game of these stakes; its stacks are put in afterwards."""
    limit = small_bet is not None
    name = game_name(count, limit)
    bet = big_blind if small_bet is None else small_bet
    return PokerGame(
        Rules(
            name=name,
            deck=FULL_DECK,
            num_players=count,
            hole_cards=2,
            board_cards=ROUNDS,
            first=(first, 0, 0, 0),
            blinds=blinds,
            ante=ante,
            raise_sizes=(bet, bet, 2 * bet, 2 * bet) if limit else None,
            max_raises=(3, 4, 4, 4) if limit and capped else None,
            stacks=(0,) * count,
            small_bet=bet,
            big_blind=big_blind,
            showdown=best_hand,
            dead=dead,
            opening=opening,
            half_bets=limit,
        )
    )


def game_name(count: int, limit: bool) -> str:
    """The name of hold'em with ``count`` players in records that were read from files."""
    return f"ring-limit:{count}" if limit else "nolimit" if count == 2 else f"nolimit:players={count}"


def _open(game: PokerGame) -> PokerGame:
    return PokerGame(replace(game.rules, open_folds=True))


# Playing it again.


class _FoldsForNothing(Exception):
    """A seat folded with nothing to call."""


def _replayed(draft: Draft, game: PokerGame) -> Replay:
    state = Replay(game)
    hole, board = draft.hole, draft.boards[0]
    cards = _HIDDEN * game.num_players
    for seat, known in hole.items():
        cards = cards[: 2 * seat] + (*known, *_HIDDEN)[:2] + cards[2 * seat + 2 :]
    state.deal_round(cards)
    waiting: set[int] = set()  # seats that folded out of turn
    before = state.antes  # put in before this round
    dealt = 0
    for number, moves in enumerate(draft.moves):
        if not moves:
            continue
        while state.player == CHANCE and state.round <= number:
            dealt = _deal_board(state, board, dealt)
        if state.round != number:
            raise Unfit("the rounds do not fit", f"round {number + 1} begins after {state.betting!r}")
        if number:
            before = state.spent
        for seat, kind, to, paid in moves:
            if waiting:
                _fold_waiting(state, waiting)
            if seat != state.player:
                if kind != FOLD or state.player < 0:
                    raise Unfit("an action out of turn", f"seat {seat} acts after {state.betting!r}")
                waiting.add(seat)
            elif kind == FOLD:
                _fold(state)
            elif kind == RAISE:
                _raise_to(state, before[seat] + to)
            elif kind == CHECK and state.to_call:
                raise Unfit("an amount differs", f"a check with {state.to_call} to call")
            elif paid >= 0 and paid != state.to_call:
                raise Unfit("an amount differs", f"a call of {paid} with {state.to_call} to call")
            else:
                state.act(CALL)
        if waiting:
            _fold_waiting(state, waiting)
    if state.player >= 0 and not state.to_call and not state.is_answerable:
        state.act(CALL)  # nobody else has chips left, so a file need not say that the seat checks
    while state.player == CHANCE:
        dealt = _deal_board(state, board, dealt)
    if state.player != TERMINAL:
        raise Unfit("the hand is not over", f"seat {state.player} is to act after {state.betting!r}")
    if dealt != len(board):
        raise Unfit("the board does not fit", f"{len(board)} cards after {state.betting!r}")
    return state


def _deal_board(state: Replay, board: Cards, dealt: int) -> int:
    """Deal the next round's cards; how many are on the board then."""
    after = dealt + state.cards_due
    if len(board) < after:
        raise Unfit("the board does not fit", f"{len(board)} cards after {state.betting!r}")
    state.deal_round(board[dealt:after])
    return after


def _fold(state: Replay) -> None:
    try:
        state.act(FOLD)
    except IllegalAction:  # with nothing to call
        raise _FoldsForNothing from None


def _fold_waiting(state: Replay, waiting: set[int]) -> None:
    while state.player in waiting:
        waiting.discard(state.player)
        _fold(state)


def _raise_to(state: Replay, total: int) -> None:
    if not state.is_limit:
        if total < RAISE:
            raise Unfit("an amount differs", f"a raise to {total}")
        state.act(total if state.is_answerable else CALL)
        return
    seat = state.player
    state.act(RAISE)
    if state.spent[seat] != total:
        raise Unfit("an amount differs", f"a raise to {total}, by the rules {state.spent[seat]}")


# Who wins what.


def _settled(draft: Draft, end: Replay) -> tuple[tuple[int, ...], int]:
    """Net chips of each seat, and the rake."""
    spent = end.spent
    called, top = sorted(spent)[-2:]
    uncalled = top - called
    paid: Sequence[int] = [min(chips, called) for chips in spent] if uncalled else spent
    if end.game.dead is not None:
        paid = tuple(map(add, paid, end.game.dead))
    pot = sum(paid) + draft.added
    if draft.pot is not None and draft.pot not in (pot, pot + uncalled, pot - (draft.rake or 0)):
        raise Unfit("the pot differs", f"{draft.pot}, by the rules {pot}")
    collected = draft.collected
    if draft.net is not None:
        collected = tuple(map(add, draft.net, paid))
    if collected is None:
        won = _awarded(draft, end, pot, None)
        if won is None:
            raise Unfit("nobody knows who won", f"a pot where no cards were shown, after {end.betting!r}")
        return tuple(map(sub, won, paid)), -draft.added
    taken = list(collected)
    if len(taken) != len(spent) or min(taken) < 0:
        raise Unfit("chips are not conserved", f"{taken} collected")
    if sum(taken) > pot and uncalled:  # the winner "collects" the own bet that nobody called
        seat = max(range(len(spent)), key=spent.__getitem__)
        if taken[seat] >= uncalled:
            taken[seat] -= uncalled
    rake = pot - sum(taken)
    if rake < 0 or min(taken) < 0 or draft.rake not in (None, rake):
        fee = "" if draft.rake is None else f" and a rake of {draft.rake}"
        raise Unfit("chips are not conserved", f"{sum(taken)} collected{fee} of a pot of {pot}")
    won = _awarded(draft, end, pot, taken)
    if won is not None:
        odd = len(spent) * len(draft.boards)
        for seat, (ours, theirs) in enumerate(zip(won, taken, strict=True)):
            if theirs - ours > odd:  # then nobody takes much less than the rules say, but for the rake
                raise Unfit("the pot goes elsewhere", f"seat {seat} won {theirs}, by the rules {ours}")
    return tuple(map(sub, taken, paid)), rake - draft.added


def _awarded(draft: Draft, end: Replay, pot: int, taken: Sequence[int] | None) -> list[int] | None:
    """The chips that each seat takes by the rules, [seats]; None if the cards that were seen do not tell."""
    folded, hole = end.folded, draft.hole
    if not end.showdown:
        won = [0] * len(folded)
        won[folded.index(False)] = pot
        return won
    unknown = [seat for seat, out in enumerate(folded) if not out and len(hole.get(seat, ())) < 2]
    if taken is not None and any(taken[seat] for seat in unknown):
        return None
    pots = side_pots(end.spent, folded, end.game.dead)
    if draft.added:
        pots[0] = (pots[0][0] + draft.added, pots[0][1])
    if any(all(seat in unknown for seat in claimants) for _, claimants in pots):
        return None
    total = [0] * len(folded)
    for number, board in enumerate(draft.boards):
        strength = [
            -1 if out or seat in unknown else best_hand(hole[seat], board) for seat, out in enumerate(folded)
        ]
        for seat, chips in enumerate(award_pots(_share(pots, number, len(draft.boards)), strength)):
            total[seat] += chips
    return total


def _share(pots: Pots, number: int, boards: int) -> Pots:
    """The part of each pot that is played for on one of the boards; odd chips on the first."""
    if boards == 1:
        return pots
    return [
        (amount // boards + (amount % boards if number == 0 else 0), claimants) for amount, claimants in pots
    ]


def _recorded(draft: Draft, end: Replay, payoffs: tuple[int, ...], rake: int) -> Hand:
    showdown, folded, game = end.showdown, end.folded, end.game
    count = len(folded)
    hole: tuple[Cards | None, ...] = (None,) * count
    sights = (Sight.UNSEEN,) * count
    if draft.hole or showdown or draft.sights:
        hole = tuple(map(draft.hole.get, range(count)))
        sights = tuple([_sight(draft, seat, showdown and not folded[seat]) for seat in range(count)])
    ante = max([post.amount for post in draft.posts if post.kind is ForcedBet.ANTE], default=0)
    try:
        return Hand(
            game=game.name,
            variant=game.variant,
            stakes=_stakes(
                draft.small_bet or draft.big_blind, draft.big_blind, ante, draft.currency, draft.chip
            ),
            players=tuple(draft.players),
            stacks=tuple(draft.stacks),
            posts=tuple(draft.posts),
            actions=end.actions,
            betting=end.betting,
            boards=tuple(draft.boards),
            hole=hole,
            sights=sights,
            showdown=showdown,
            payoffs=payoffs,
            rake=rake,
            observer=draft.observer,
            id=draft.id,
            time=draft.time,
            source=draft.source,
            table=draft.table,
            room=draft.room,
        )
    except SoulreadError as error:
        raise Unfit("the record does not fit", str(error)) from None


def _sight(draft: Draft, seat: int, came_to_showdown: bool) -> Sight:
    seen = seat in draft.hole
    sight = draft.sights.get(seat, Sight.SHOWN)
    if sight is Sight.MUCKED and not came_to_showdown:
        sight = Sight.DEALT
    if not seen:
        return Sight.MUCKED if came_to_showdown else Sight.UNSEEN
    return sight


@lru_cache(maxsize=4096)
def _stakes(small_bet: int, big_blind: int, ante: int, currency: str, chip: str) -> Stakes:
    return Stakes(small_bet, big_blind, ante, currency, chip)


# Back from a record to its game.


@dataclass(frozen=True, slots=True)
class RefereeStep:
    """One action of a record as files write it. Amounts are chips."""

    round: int
    seat: int
    kind: int  # FOLD, CALL, RAISE or CHECK
    added: int  # chips the seat put in
    to: int  # total of this round that a bet or raise comes to, antes not counted
    by: int  # how much a bet or raise is above the bet before it
    all_in: bool


@dataclass(frozen=True, slots=True)
class Retraced:
    """A record played again: its steps, and the chips that each seat put into the pots."""

    steps: tuple[RefereeStep, ...]
    paid: tuple[int, ...]  # [seats] without what nobody called
    uncalled: tuple[int, ...]  # [seats]
    called_in_full: bool


def game_of(hand: Hand) -> PokerGame:
    """The game a hand of hold'em was played in, with its stacks and posts, so that it can be replayed.

    Raises `SoulreadError` for other games, and for records whose actions fit no rules.
    """
    return _played(hand)[0].game


def game_of_record(hand: Hand) -> PokerGame:
    """The game that a record of hold'em was played in; other games are refused."""
    if hand.stacks is not None:
        return game_of(hand)
    fixed = re.search(r", limit ([0-9]+(?:-[0-9]+){3})", hand.variant)
    caps = re.search(r" by ([0-9]+(?:-[0-9]+){3}),", hand.variant)
    if "best_hand" not in hand.variant or fixed is None:
        raise SoulreadError(
            f"a hand of {hand.game!r} is replayed with: soulread replay {hand.game} CARDS BETTING"
        )
    blinds = [0] * hand.num_players
    for post in hand.posts:
        if post.kind is not ForcedBet.ANTE:
            blinds[post.seat] += post.amount
    usual = limit_rules(hand.game, hand.num_players)
    first = hand.actions[0][0] if hand.actions else usual.first[0]
    return PokerGame(
        replace(
            usual,
            blinds=tuple(blinds),
            first=(first, *usual.first[1:]),
            ante=hand.stakes.ante,
            raise_sizes=tuple(int(size) for size in fixed[1].split("-")),
            max_raises=tuple(int(cap) for cap in caps[1].split("-")) if caps else None,
        )
    )


def retrace(hand: Hand) -> Retraced:
    """The actions of a hand of hold'em as files write them; raises `SoulreadError` as `game_of`."""
    end, steps, called_in_full = _played(hand)
    called = sorted(end.spent)[-2]
    dead = end.game.dead or (0,) * len(end.spent)
    paid = tuple([min(chips, called) + lost for chips, lost in zip(end.spent, dead, strict=True)])
    uncalled = tuple([max(0, chips - called) for chips in end.spent])
    return Retraced(tuple(steps), paid, uncalled, called_in_full)


_PLENTY = 10**9  # chips in front of a seat that never runs out


def _played(hand: Hand) -> tuple[Replay, list[RefereeStep], bool]:
    if not hand.variant.endswith("best_hand"):
        raise SoulreadError(f"hand {hand.id!r} of {hand.game!r} is not hold'em")
    limit = "no-limit" not in hand.variant
    rounds = hand.betting.split("/")
    found: list[tuple[Replay, list[RefereeStep], bool]] = []
    for called_in_full in (True, False):
        try:
            game = game_of_posts(
                hand.posts,
                hand.stacks or (_PLENTY,) * hand.num_players,
                hand.stakes.big_blind,
                hand.stakes.small_bet if limit else None,
                capped=_is_capped([text.count("r") for text in rounds]),
                called_in_full=called_in_full,
            )
        except Unfit as error:
            raise SoulreadError(f"hand {hand.id!r}: {error.reason}: {error.detail}") from None
        for candidate in (game, _open(game)):
            played = _steps(hand, candidate)
            if played is not None:
                found.append((*played, called_in_full))
                break
        if not game.rules.opening:
            break  # the big blind was paid in full: there is one way only
    if not found:
        raise SoulreadError(f"hand {hand.id!r} with betting {hand.betting!r} was not played by the rules")
    return max(found, key=lambda way: _num_losers(hand, way[0]))


def _num_losers(hand: Hand, end: Replay) -> int:
    """The number of seats that lost just what they put in."""
    called = sorted(end.spent)[-2]
    dead = end.game.dead or (0,) * len(end.spent)
    return sum(
        -won == min(chips, called) + lost
        for won, chips, lost in zip(hand.payoffs, end.spent, dead, strict=True)
    )


def _steps(hand: Hand, game: PokerGame) -> tuple[Replay, list[RefereeStep]] | None:
    """The end of the hand and its steps; None if the betting is not legal, or losers lost something else."""
    state = Replay(game)
    due = [_HIDDEN * game.num_players, (UNKNOWN,) * 3, (UNKNOWN,), (UNKNOWN,)]
    steps = []
    before = state.antes
    try:
        for seat, action in hand.actions:
            while state.player == CHANCE:
                if state.round:
                    before = state.spent
                state.deal_round(due[state.round])
            if state.player != seat:
                return None
            round_, high, chips, to_call = state.round, state.high, state.spent[seat], state.to_call
            state.act(action)
            now = state.spent[seat]
            kind = min(action, RAISE) if to_call or action != CALL else CHECK
            to = now - before[seat]
            steps.append(
                RefereeStep(round_, seat, kind, now - chips, to, now - high, not state.chips_left(seat))
            )
        while state.player == CHANCE:
            state.deal_round(due[state.round])
    except IllegalAction:
        return None
    dead = game.dead or (0,) * game.num_players
    lost = all(
        hand.payoffs[seat] == -state.spent[seat] - dead[seat] for seat, out in enumerate(state.folded) if out
    )
    return (state, steps) if state.player == TERMINAL and lost else None


def game_of_holdem(hand: Hand) -> PokerGame:
    """The game that a record of hold'em was played in; other games are a `SoulreadError`."""
    if not hand.variant.endswith("best_hand"):
        raise SoulreadError(f"a hand of {hand.game!r} is not hold'em; weight tables are over two cards of 52")
    return game_of_record(hand)
