"""soulread's own format: a hand in JSON on each line (`Hand.to_json`), played again when it is read.

A record says all that a `Hand` does, so everything in it is verified. The rules are made from what it says of
its game: its name if that is one of ours, else its variant, posts and stacks. The actions are played by
these rules. Turns, amounts, the betting, the boards, the showdown, who wins by the cards that were seen, and
the rake must all be as the record has them. A line that does not add up is skipped with its number and the
reason.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from soulread.cards.deck import FULL_DECK, cards_name, parse_cards
from soulread.errors import IllegalAction, SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.kuhn import high_card
from soulread.games.leduc import pair_or_rank
from soulread.games.limit_holdem import best_hand
from soulread.games.named import parse_game
from soulread.games.poker import FOLD, UNKNOWN, PokerGame, Replay, Rules
from soulread.hands.formats.base import Piece, Skipped, skip_piece
from soulread.hands.formats.sources import MAX_LINE
from soulread.hands.hand import ForcedBet, Hand, Sight, hand_from_json
from soulread.hands.money import betting_text, shown_amount
from soulread.hands.record import posts_of, stakes_of
from soulread.hands.referee import (
    PLENTY,
    ROUNDS,
    Draft,
    Unfit,
    betting_so_far,
    deal_board,
    game_of_posts,
    settled,
    with_open_folds,
)

_SHOWDOWNS = {function.__qualname__: function for function in (best_hand, high_card, pair_or_rank)}
_NUMBERS = "[0-9]{1,9}(?:-[0-9]{1,9}){0,9}"
_VARIANT = re.compile(
    rf"(?P<deck>52 cards|[2-9TJQKAcdhs]{{2,104}}), (?P<hole>[0-9]{{1,2}})\+(?P<board>{_NUMBERS}), "
    rf"(?:no-limit|limit (?P<raises>{_NUMBERS}))(?: by (?P<caps>{_NUMBERS}))?, (?P<showdown>.{{1,200}})"
)
_HOLDEM = ("52 cards", 2, ROUNDS, "best_hand")


def looks_like_records(head: str) -> bool:
    """Whether a file that begins so holds hands in JSON."""
    return any(line.lstrip()[:1] == "{" and '"format":' in line for line in head.split("\n"))


def cut_records(lines: Iterable[str], source: str) -> Iterator[Piece]:
    """The lines of a file that are not empty."""
    for number, line in enumerate(lines, start=1):
        if line and not line.isspace():
            yield Piece("json", source, number, line)


def read_records(piece: Piece) -> Iterator[Hand | Skipped]:
    """The hand of a line, or a `Skipped`."""
    id = ""
    try:
        if len(piece.text) > MAX_LINE:
            raise Unfit("a line is too long", f"more than {MAX_LINE:,} characters")
        hand = hand_from_json(piece.text)
        id = hand.id
        verify_record(hand)
        yield hand
    except Unfit as error:
        yield skip_piece(error, piece, id)
    except SoulreadError as error:
        yield skip_piece(Unfit("a line is no hand", str(error)), piece, id)


def read_record(text: str) -> Hand:
    """The hand of one line; raises `SoulreadError`."""
    hand = hand_from_json(text)
    try:
        verify_record(hand)
    except Unfit as error:
        raise SoulreadError(f"hand {hand.id!r}: {error.reason}: {error.detail}") from None
    return hand


def verify_record(hand: Hand) -> None:
    """Raise `Unfit` unless a hand was played by the rules of its game, and adds up."""
    variant = _variant(hand.variant)
    _verify_parts(hand, variant)
    first: Unfit | None = None
    draft = _draft(hand)
    for game in _games(hand, variant):
        try:
            _verify_end(hand, draft, _played(hand, draft, game, variant), variant)
            return
        except Unfit as error:
            first = first or error
    raise first or Unfit("another game", repr(hand.variant[:80]))


class _Variant:
    """A variant taken apart: `Rules.variant`."""

    def __init__(self, text: str) -> None:
        found = _VARIANT.fullmatch(text)
        if found is None:
            raise Unfit("the variant cannot be read", repr(text[:80]))
        self.text = text
        self.deck = FULL_DECK if found["deck"] == "52 cards" else parse_cards(found["deck"])
        self.hole = int(found["hole"])
        self.board = _split(found["board"])
        self.raises = None if found["raises"] is None else _split(found["raises"])
        self.caps = None if found["caps"] is None else _split(found["caps"])
        if found["showdown"] not in _SHOWDOWNS:
            raise Unfit("another game", f"compared by {found['showdown'][:80]!r}", other_game=True)
        self.showdown = _SHOWDOWNS[found["showdown"]]
        self.is_holdem = (found["deck"], self.hole, self.board, found["showdown"]) == _HOLDEM
        self.cards = frozenset(self.deck)


def _split(numbers: str) -> tuple[int, ...]:
    return tuple(map(int, numbers.split("-")))


@lru_cache(maxsize=1024)
def _variant(text: str) -> _Variant:
    try:
        return _Variant(text)
    except SoulreadError as error:
        raise Unfit("the variant cannot be read", str(error)) from None


def _verify_parts(hand: Hand, variant: _Variant) -> None:
    """Raise `Unfit` unless names, cards and sights are such as a hand of this variant may have."""
    if not all(hand.players):
        raise Unfit("names", repr(hand.players)[:100])
    if hand.stacks is None and variant.raises is None:
        raise Unfit("stacks", "none in a game without limits")
    for number, cards in enumerate((*hand.boards, *hand.hole)):
        if cards is None:
            continue
        most = sum(variant.board) if number < len(hand.boards) else variant.hole
        if len(cards) > most or not variant.cards.issuperset(cards):
            raise Unfit("cards", f"{cards_name(cards)!r}; at most {most} of {variant.text[:80]!r}")
    if len({len(board) for board in hand.boards}) > 1:
        raise Unfit("cards", "boards of different length")
    for seat, (cards, sight) in enumerate(zip(hand.hole, hand.sights, strict=True)):
        fits = sight in (Sight.UNSEEN, Sight.MUCKED) if cards is None else sight is not Sight.UNSEEN
        if not fits or cards == ():
            raise Unfit("the cards were not seen so", f"seat {seat}, {sight.value}")
    antes = [post.amount for post in hand.posts if post.kind is ForcedBet.ANTE]
    if max(antes, default=0) > hand.stakes.ante:
        paid, due = (shown_amount(ante, hand.stakes) for ante in (max(antes), hand.stakes.ante))
        raise Unfit("posts", f"an ante of {paid} in a game with {due}")
    _verify_big_blind(hand)
    bet = hand.stakes.big_blind if variant.raises is None else variant.raises[0]
    if hand.stakes.small_bet != bet:
        said, rules = (shown_amount(chips, hand.stakes) for chips in (hand.stakes.small_bet, bet))
        raise Unfit("the stakes do not fit", f"a small bet of {said}, by the rules {rules}")


def _verify_big_blind(hand: Hand) -> None:
    """Raise `Unfit` if the first big blind is less than another one, though its seat has the chips.

    Those who sit down later may post less.
    """
    blinds = [post for post in hand.posts if post.kind is ForcedBet.BIG_BLIND]
    first = min(blinds, key=lambda post: post.seat, default=None)
    most = max((post.amount for post in blinds), default=0)
    if first is None or first.amount >= min(most, hand.stakes.big_blind):
        return
    paid = sum(post.amount for post in hand.posts if post.seat == first.seat)
    if hand.stacks is None or paid < hand.stacks[first.seat]:
        said, due = (shown_amount(chips, hand.stakes) for chips in (first.amount, hand.stakes.big_blind))
        raise Unfit("posts", f"a big blind of {said}, where it is {due}")


def _draft(hand: Hand) -> Draft:
    """The hand as the referee settles it."""
    stakes = hand.stakes
    return Draft(
        players=hand.players,
        stacks=hand.stacks or (),
        posts=hand.posts,
        big_blind=stakes.big_blind,
        moves=(),
        boards=hand.boards,
        small_bet=stakes.small_bet,
        hole={seat: cards for seat, cards in enumerate(hand.hole) if cards is not None},
        net=hand.payoffs,
        added=max(0, -hand.rake),
        currency=stakes.currency,
        chip=stakes.chip,
        tournament=stakes.tournament,
    )


# The games that a record may be of, the likeliest first.


def _games(hand: Hand, variant: _Variant) -> Iterator[PokerGame]:
    named = _named(hand.game)
    if named is not None:
        if not _may_be_of(hand, named, variant):
            raise Unfit(
                "the game does not fit", f"{hand.game!r} of {hand.num_players}, {hand.variant[:80]!r}"
            )
        if _is_of(hand, named):
            yield named
        if not variant.is_holdem:
            return
    try:
        if variant.is_holdem:
            yield from _tables(hand, variant)
        else:
            yield _own_game(hand, variant)
    except SoulreadError as error:
        raise Unfit("the game cannot be", str(error)) from None


@lru_cache(maxsize=256)
def _named(name: str) -> PokerGame | None:
    try:
        return parse_game(name)
    except SoulreadError:
        return None


def _may_be_of(hand: Hand, game: PokerGame, variant: _Variant) -> bool:
    """Whether the name is that of the variant; the stakes of hold'em may be others than its name says."""
    if not variant.is_holdem:
        return _is_of(hand, game)
    limit = game.rules.raise_sizes is not None, variant.raises is not None
    return game.num_players == hand.num_players and limit[0] == limit[1] and game.rules.hole_cards == 2


def _is_of(hand: Hand, game: PokerGame) -> bool:
    """Whether a hand has the posts, stacks and stakes of a game, which then has no other names for them."""
    return (
        game.variant == hand.variant
        and game.num_players == hand.num_players
        and game.rules.stacks == hand.stacks
        and posts_of(game) == hand.posts
        and stakes_of(game) == replace(hand.stakes, currency="", chip="1", tournament=False)
    )


def _tables(hand: Hand, variant: _Variant) -> Iterator[PokerGame]:
    """Hold'em of real tables: as rooms play it, then with what only some of them know."""
    stacks = hand.stacks or (PLENTY,) * hand.num_players
    for called_in_full in (True, False):
        game = game_of_posts(
            hand.posts,
            stacks,
            hand.stakes.big_blind,
            None if variant.raises is None else hand.stakes.small_bet,
            capped=variant.caps is not None,
            called_in_full=called_in_full,
        )
        if game.variant != hand.variant:
            game = PokerGame(replace(game.rules, raise_sizes=variant.raises, max_raises=variant.caps))
        yield game
        yield with_open_folds(game)
        late = _after_the_blinds(hand)
        if late != game.rules.first[0]:  # where two posted as much, files differ in who is the big blind
            yield PokerGame(replace(game.rules, first=(late, 0, 0, 0)))
        if not game.rules.opening:
            return  # the big blind was paid in full: there is one way only


def _after_the_blinds(hand: Hand) -> int:
    """The seat after the last of the first two that posted a blind."""
    blinds = [post.seat for post in hand.posts if post.seat < 2 and post.kind is not ForcedBet.ANTE]
    return (max(blinds, default=1) + 1) % hand.num_players


def _own_game(hand: Hand, variant: _Variant) -> PokerGame:
    """A game that is made of what the record says; whoever acts first in a round is the first."""
    blinds = [0] * hand.num_players
    for post in hand.posts:
        if post.kind in (ForcedBet.DEAD_BLIND, ForcedBet.STRADDLE):
            raise Unfit("posts", f"a {post.kind.value} in a game of {hand.variant[:80]!r}")
        if post.kind is not ForcedBet.ANTE:
            blinds[post.seat] += post.amount
    rules = Rules(
        name=hand.game,
        deck=variant.deck,
        num_players=hand.num_players,
        hole_cards=variant.hole,
        board_cards=variant.board,
        first=tuple(_first_seats(hand, len(variant.board))),
        blinds=tuple(blinds),
        ante=hand.stakes.ante,
        raise_sizes=variant.raises,
        max_raises=variant.caps,
        stacks=hand.stacks,
        small_bet=hand.stakes.small_bet,
        big_blind=hand.stakes.big_blind,
        showdown=variant.showdown,
    )
    game = PokerGame(rules)
    if sum(post.amount for post in hand.posts) != sum(game.forced):
        raise Unfit("posts", f"{len(hand.posts)} posts, which are not those of the game")
    return game


def _first_seats(hand: Hand, rounds: int) -> Iterator[int]:
    start = 0
    texts = [re.sub("[0-9]", "", text) for text in hand.betting.split("/")]
    for number in range(rounds):
        count = len(texts[number]) if number < len(texts) else 0
        yield hand.actions[start][0] if count and start < len(hand.actions) else 0
        start += count


# Playing it again.


def _played(hand: Hand, draft: Draft, game: PokerGame, variant: _Variant) -> Replay:
    """The end of the hand by the rules of ``game``; raises `Unfit`."""
    hidden = (UNKNOWN,) * variant.hole
    state, dealt = Replay(game), 0
    seat = action = 0
    try:
        state.deal_round(sum([(*(cards or ()), *hidden)[: variant.hole] for cards in hand.hole], ()))
        for seat, action in hand.actions:
            while state.player == CHANCE:
                dealt = deal_board(draft, state, dealt)
            if state.player != seat:
                raise Unfit("an action out of turn", f"seat {seat} acts {betting_so_far(draft, state)}")
            state.act(action)
        while state.player == CHANCE:
            dealt = deal_board(draft, state, dealt)
    except IllegalAction:
        does = "folds" if action == FOLD else f"raises to {shown_amount(action, hand.stakes)}"
        raise Unfit("an action is not legal", f"seat {seat} {does} {betting_so_far(draft, state)}") from None
    if state.player != TERMINAL:
        text = f"seat {state.player} is to act {betting_so_far(draft, state)}"
        raise Unfit("the hand is not over", text)
    if dealt != len(hand.board):
        raise Unfit("the board does not fit", f"{len(hand.board)} cards {betting_so_far(draft, state)}")
    return state


def _verify_end(hand: Hand, draft: Draft, end: Replay, variant: _Variant) -> None:
    """Raise `Unfit` unless the record ends as the rules say."""
    if end.betting != hand.betting:
        texts = [betting_text(betting[:80], hand.stakes) for betting in (hand.betting, end.betting)]
        raise Unfit("the betting differs", f"{texts[0]!r}, by the rules {texts[1]!r}")
    if end.showdown != hand.showdown:
        raise Unfit("the showdown differs", f"{hand.showdown}, by the rules {end.showdown}")
    for seat, sight in enumerate(hand.sights):
        if sight is Sight.MUCKED and (end.folded[seat] or not end.showdown):
            raise Unfit("the cards were not seen so", f"seat {seat} mucked without a showdown")
    if len(hand.boards) > 1 and not end.showdown:
        raise Unfit("the board does not fit", f"{len(hand.boards)} boards without a showdown")
    payoffs, rake = _settled(draft, end, variant)
    if payoffs != hand.payoffs or rake != hand.rake:
        seat = next((seat for seat, won in enumerate(payoffs) if won != hand.payoffs[seat]), 0)
        said, rules = (shown_amount(won[seat], hand.stakes) for won in (hand.payoffs, payoffs))
        raise Unfit("chips are not conserved", f"seat {seat} won {said}, by the rules {rules}")


def _settled(draft: Draft, end: Replay, variant: _Variant) -> tuple[tuple[int, ...], int]:
    """Net chips of each seat and the rake, as the record has them where the rules leave that open."""
    if variant.is_holdem or not end.showdown:
        return settled(draft, end)
    left = [seat for seat, out in enumerate(end.folded) if not out]
    if all(len(draft.hole.get(seat, ())) == variant.hole for seat in left):
        return end.payoffs(), 0
    return settled(replace(draft, hole={}), end)
