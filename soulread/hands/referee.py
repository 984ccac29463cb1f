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
* Where everybody folds to the big blind, a room may give the whole blind back, not only what nobody called.
* Some rooms let everybody call a short big blind for what it is, not in full.
* Who sits out and posts the big blind may fold before anybody acts. The blind is then dead, and the seat
  folds first.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
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
from soulread.hands.hand import (
    MAX_CHIPS,
    Cards,
    ForcedBet,
    Hand,
    Post,
    Sight,
    Stakes,
    verify_sizes,
)
from soulread.hands.money import betting_text, money_text, shown_amount

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
    returned: Sequence[int] | None = None  # [seats] uncalled bets; None if the file does not tell of any
    observer: int | None = None
    id: str = ""
    time: datetime | None = None
    source: str = ""
    table: str = ""
    room: str = ""
    currency: str = ""
    chip: str = "1"
    tournament: bool = False


def judge(draft: Draft) -> Hand:
    """The record of a hand that was played by the rules; raises `Unfit` if it was not."""
    try:
        return _judged(draft)
    except Unfit:
        for other in _other_readings(draft):
            with suppress(Unfit):
                return _judged(other)
        raise


def _other_readings(draft: Draft) -> Iterator[Draft]:
    """The hand by the customs of other rooms: a short big blind, or one that folds before anybody acts."""
    live = [0] * len(draft.players)
    blinds = []
    for post in draft.posts:
        if post.kind not in (ForcedBet.ANTE, ForcedBet.DEAD_BLIND) and 0 <= post.seat < len(live):
            live[post.seat] += post.amount
            blinds += [post] if post.kind is ForcedBet.BIG_BLIND else []
    if draft.called_in_full and 0 < max(live, default=0) < draft.big_blind:
        yield replace(draft, called_in_full=False)
    if len(blinds) == 1 and draft.moves:
        blind, fold = blinds[0], (blinds[0].seat, FOLD, 0, -1)
        if [move for moves in draft.moves for move in moves if move[0] == blind.seat] == [fold]:
            others = [move for move in draft.moves[0] if move != fold]
            yield replace(
                draft,
                posts=[
                    replace(post, kind=ForcedBet.DEAD_BLIND) if post is blind else post
                    for post in draft.posts
                ],
                moves=[[fold, *others], *draft.moves[1:]],
                table_rules=None,
            )


def _judged(draft: Draft) -> Hand:
    game = _game_of_draft(draft)
    _verify_cards(draft)
    try:
        try:
            end = _replayed(draft, game)
        except _FoldsForNothing:
            end = _replayed(draft, with_open_folds(game))
    except IllegalAction as error:
        raise Unfit("an action is not legal", str(error)) from None
    payoffs, rake = settled(draft, end)
    return _recorded(draft, end, payoffs, rake)


def _shown(draft: Draft, chips: int) -> str:
    """An amount of a draft, as a user reads it."""
    return shown_amount(chips, _stakes_of(draft))


def betting_so_far(draft: Draft, state: Replay) -> str:
    """When something happens: after the betting so far, with amounts in big blinds."""
    return f"after {betting_text(state.betting, _stakes_of(draft))!r}"


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
        shown = ", ".join(_shown(draft, chips) for chips in draft.stacks)
        raise Unfit("stacks", f"{shown} of {count} players")
    if draft.table_rules is not None:
        return draft.table_rules.with_stacks(tuple(draft.stacks))
    if not 0 < draft.big_blind < MAX_CHIPS or (draft.small_bet is not None and draft.small_bet <= 0):
        raise Unfit("blinds", f"a big blind of {money_text(draft.big_blind, _stakes_of(draft))}")
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
        if not 0 <= seat < count or amount <= 0:
            raise Unfit(
                "posts", f"seat {seat} of {count} posts {'chips' if amount > 0 else 'nothing or less'}"
            )
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
            raise Unfit("posts", f"seat {seat} posted more than it had")
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


def with_open_folds(game: PokerGame) -> PokerGame:
    """The same game, where a seat may fold with nothing to call."""
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
            dealt = deal_board(draft, state, dealt)
        if state.round != number:
            raise Unfit("the rounds do not fit", f"round {number + 1} begins {betting_so_far(draft, state)}")
        if number:
            before = state.spent
        for seat, kind, to, paid in moves:
            if waiting:
                _fold_waiting(state, waiting)
            if seat != state.player:
                if kind != FOLD or state.player < 0:
                    raise Unfit("an action out of turn", f"seat {seat} acts {betting_so_far(draft, state)}")
                waiting.add(seat)
            elif kind == FOLD:
                _fold(state)
            elif kind == RAISE:
                _raise_to(draft, state, before[seat], to)
            elif kind == CHECK and state.to_call:
                raise Unfit("an amount differs", f"a check with {_shown(draft, state.to_call)} to call")
            elif paid >= 0 and paid != state.to_call:
                raise Unfit(
                    "an amount differs",
                    f"a call of {_shown(draft, paid)} with {_shown(draft, state.to_call)} to call",
                )
            else:
                state.act(CALL)
        if waiting:
            _fold_waiting(state, waiting)
    if state.player >= 0 and not state.to_call and not state.is_answerable:
        state.act(CALL)  # nobody else has chips left, so a file need not say that the seat checks
    while state.player == CHANCE:
        dealt = deal_board(draft, state, dealt)
    if state.player != TERMINAL:
        raise Unfit("the hand is not over", f"seat {state.player} is to act {betting_so_far(draft, state)}")
    if dealt != len(board):
        raise Unfit("the board does not fit", f"{len(board)} cards {betting_so_far(draft, state)}")
    return state


def deal_board(draft: Draft, state: Replay, dealt: int) -> int:
    """Deal the next round's cards; how many are on the board then."""
    board = draft.boards[0]
    after = dealt + state.cards_due
    if len(board) < after:
        raise Unfit("the board does not fit", f"{len(board)} cards {betting_so_far(draft, state)}")
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


def _raise_to(draft: Draft, state: Replay, before: int, to: int) -> None:
    """A bet or raise to ``to`` in this round, by a seat that has put in ``before`` in earlier ones."""
    total, seat = before + to, state.player
    if not state.is_limit and total < RAISE:
        raise Unfit("an amount differs", f"a raise to {_shown(draft, to)}")
    try:
        state.act(RAISE if state.is_limit else total if state.is_answerable else CALL)
    except IllegalAction:
        legal = state.raises
        bounds = " to ".join(_shown(draft, legal[end] - before) for end in (0, -1)) if legal else "none"
        text = f"a raise to {_shown(draft, to)} {betting_so_far(draft, state)}; allowed is {bounds}"
        raise Unfit("an action is not legal", text) from None
    if state.is_limit and state.spent[seat] != total:
        by_rules = _shown(draft, state.spent[seat] - before)
        raise Unfit("an amount differs", f"a raise to {_shown(draft, to)}, by the rules {by_rules}")


# Who wins what.


def settled(draft: Draft, end: Replay) -> tuple[tuple[int, ...], int]:
    """Net chips of each seat, and the rake."""
    spent = end.spent
    called, top = sorted(spent)[-2:]
    uncalled = top - called
    if not end.showdown and end.folded[spent.index(top)]:
        uncalled = 0  # a blind above all others that was given up
    paid: Sequence[int] = [min(chips, called) for chips in spent] if uncalled else spent
    if end.game.dead is not None:
        paid = tuple(map(add, paid, end.game.dead))
    pot = sum(paid) + draft.added
    beyond = _blind_returned(draft, end, uncalled, pot)
    usual = (pot, pot + uncalled, pot - (draft.rake or 0), pot - sum(beyond))
    if draft.pot is not None and draft.pot not in usual:
        raise Unfit("the pot differs", f"{_shown(draft, draft.pot)}, by the rules {_shown(draft, pot)}")
    collected = draft.collected
    if draft.net is not None:
        collected = tuple(map(add, draft.net, paid))
    if collected is None:
        won = _awarded(draft, end, pot, None)
        if won is None:
            raise Unfit(
                "nobody knows who won", f"a pot where no cards were shown, {betting_so_far(draft, end)}"
            )
        return tuple(map(sub, won, paid)), -draft.added
    taken = list(collected)
    if len(taken) != len(spent) or min(taken) < 0:
        shown = ", ".join(_shown(draft, chips) for chips in taken)
        raise Unfit("chips are not conserved", f"{shown} collected by {len(spent)} seats")
    taken = list(map(add, taken, beyond))
    if sum(taken) > pot and uncalled:  # the winner "collects" the own bet that nobody called
        seat = max(range(len(spent)), key=spent.__getitem__)
        if taken[seat] >= uncalled:
            taken[seat] -= uncalled
    for seat, out in enumerate(end.folded):
        if out and taken[seat]:
            raise Unfit("the pot goes elsewhere", f"seat {seat} folded and won {_shown(draft, taken[seat])}")
    rake = pot - sum(taken)
    if rake < 0 or min(taken) < 0 or draft.rake not in (None, rake):
        fee = "" if draft.rake is None else f" and a rake of {_shown(draft, draft.rake)}"
        raise Unfit(
            "chips are not conserved",
            f"{_shown(draft, sum(taken))} collected{fee} of a pot of {_shown(draft, pot)}",
        )
    won = _awarded(draft, end, pot, taken)
    if won is not None:
        odd = len(spent) * len(draft.boards)
        for seat, (ours, theirs) in enumerate(zip(won, taken, strict=True)):
            if theirs - ours > odd:  # then nobody takes much less than the rules say, but for the rake
                text = f"seat {seat} won {_shown(draft, theirs)}, by the rules {_shown(draft, ours)}"
                raise Unfit("the pot goes elsewhere", text)
    return tuple(map(sub, taken, paid)), rake - draft.added


def _blind_returned(draft: Draft, end: Replay, uncalled: int, pot: int) -> list[int]:
    """[seats] Chips of the pot that a file does not count there, since all of a blind went back to its seat.

    That is a walk: everybody folds to the big blind. By the rules a part of the blind was called by the small
    one; some rooms return all of it.
    """
    beyond = [0] * len(end.spent)
    if draft.returned is None or end.showdown or any(action != FOLD for _, action in end.actions):
        return beyond
    winner = end.folded.index(False)
    part = end.spent[winner] - end.antes[winner] - uncalled
    told = sum(draft.collected or ()) + (draft.rake or 0) if draft.pot is None else draft.pot
    if draft.returned[winner] == part + uncalled and told == pot - part:
        beyond[winner] = part
    return beyond


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
    try:
        hand = Hand(
            game=game.name,
            variant=game.variant,
            stakes=_stakes_of(draft),
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
        verify_sizes(hand)
    except SoulreadError as error:
        raise Unfit("the record does not fit", str(error)) from None
    return hand


def _sight(draft: Draft, seat: int, came_to_showdown: bool) -> Sight:
    seen = seat in draft.hole
    sight = draft.sights.get(seat, Sight.SHOWN)
    if sight is Sight.MUCKED and not came_to_showdown:
        sight = Sight.DEALT
    if not seen:
        return Sight.MUCKED if came_to_showdown else Sight.UNSEEN
    return sight


def _stakes_of(draft: Draft) -> Stakes:
    ante = max([post.amount for post in draft.posts if post.kind is ForcedBet.ANTE], default=0)
    small_bet = draft.small_bet or draft.big_blind
    return _stakes(small_bet, draft.big_blind, ante, draft.currency, draft.chip, draft.tournament)


@lru_cache(maxsize=4096)
def _stakes(small_bet: int, big_blind: int, ante: int, currency: str, chip: str, tournament: bool) -> Stakes:
    return Stakes(small_bet, big_blind, ante, currency, chip, tournament)


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


PLENTY = 10**9  # chips in front of a seat that never runs out


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
                hand.stacks or (PLENTY,) * hand.num_players,
                hand.stakes.big_blind,
                hand.stakes.small_bet if limit else None,
                capped=_is_capped([text.count("r") for text in rounds]),
                called_in_full=called_in_full,
            )
        except Unfit as error:
            raise SoulreadError(f"hand {hand.id!r}: {error.reason}: {error.detail}") from None
        for candidate in (game, with_open_folds(game)):
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
    called = sorted(state.spent)[-2]
    lost = all(
        hand.payoffs[seat] == -min(state.spent[seat], called) - dead[seat]
        for seat, out in enumerate(state.folded)
        if out
    )
    return (state, steps) if state.player == TERMINAL and lost else None


def game_of_holdem(hand: Hand) -> PokerGame:
    """The game that a record of hold'em was played in; other games are a `SoulreadError`."""
    if not hand.variant.endswith("best_hand"):
        raise SoulreadError(f"a hand of {hand.game!r} is not hold'em; weight tables are over two cards of 52")
    return game_of_record(hand)
