"""From finished states to `Hand` records, and from records back to states.

`seen_by` makes a `Hand` of a finished state and leaves out what the observer did not see. `decisions` replays
a hand through the rules of a game, for any number of seats. Spare cards take the place of those nobody saw.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from soulread.errors import SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.poker import PokerGame, PokerState, PokerView
from soulread.hands.hand import Cards, ForcedBet, Hand, Post, Sight, Stakes

Actions = Sequence[tuple[int, int]]  # (seat, action) of everybody, in order


def seen_by(
    state: PokerState,
    observer: int | None,
    players: Sequence[str] = (),
    *,
    id: str = "",
    source: str = "",
    table: str = "",
) -> Hand:
    """A finished hand as ``observer`` saw it: with the observer's own cards, and those that were shown.

    At a showdown every seat that has not folded shows its cards; otherwise nobody does. ``players`` says who
    sat where; without it the seats are called "seat 0", "seat 1" and so on.
    """
    return _record(state, (observer,), observer, players, id, source, table)


def seen_by_dealer(
    state: PokerState, players: Sequence[str] = (), *, id: str = "", source: str = "", table: str = ""
) -> Hand:
    """A finished hand with everybody's cards, as a dealer writes it down."""
    return _record(state, range(state.rules.num_players), None, players, id, source, table)


def _record(
    state: PokerState,
    knows: Sequence[int | None],
    observer: int | None,
    players: Sequence[str],
    id: str,
    source: str,
    table: str,
) -> Hand:
    game, folded, showdown = state.game, state.folded, state.showdown
    names = tuple(players) or game.seat_names
    if len(names) != game.num_players:
        raise SoulreadError(f"{len(names)} names for {game.num_players} seats: {names!r}")
    hole: list[Cards | None] = []
    sights = []
    for seat in range(game.num_players):
        shown = showdown and not folded[seat]
        sight = Sight.SHOWN if shown else Sight.DEALT if seat in knows else Sight.UNSEEN
        hole.append(None if sight is Sight.UNSEEN else state.hole(seat))
        sights.append(sight)
    return Hand(
        game=game.name,
        variant=game.variant,
        stakes=stakes_of(game),
        players=names,
        stacks=game.rules.stacks,
        posts=posts_of(game),
        actions=state.actions,
        betting=state.betting,
        boards=(state.board,),
        hole=tuple(hole),
        sights=tuple(sights),
        showdown=showdown,
        payoffs=state.payoffs(),
        observer=observer,
        id=id,
        source=source,
        table=table,
    )


@lru_cache(maxsize=64)
def stakes_of(game: PokerGame) -> Stakes:
    """The stakes of a game."""
    rules = game.rules
    return Stakes(small_bet=rules.small_bet, big_blind=rules.big_blind, ante=rules.ante)


@lru_cache(maxsize=64)
def posts_of(game: PokerGame) -> tuple[Post, ...]:
    """The antes and blinds a game begins with; a seat that cannot pay in full posts what it has."""
    rules = game.rules
    posts = []
    stacks = rules.stacks or [rules.ante + blind for blind in rules.blinds]
    antes = [min(rules.ante, stack) for stack in stacks]
    posts += [Post(seat, ForcedBet.ANTE, amount) for seat, amount in enumerate(antes) if amount]
    largest = max(rules.blinds)
    for seat, blind in enumerate(rules.blinds):
        amount = min(blind, stacks[seat] - antes[seat])
        if amount:
            kind = ForcedBet.BIG_BLIND if blind == largest else ForcedBet.SMALL_BLIND
            posts.append(Post(seat, kind, amount))
    return tuple(posts)


def verify_variant(game: PokerGame, hand: Hand) -> None:
    """Raise `SoulreadError` unless ``hand`` is of the kind of ``game``, with as many players."""
    if hand.variant != game.variant:
        raise SoulreadError(
            f"a hand of {hand.game!r} ({hand.variant}) says nothing about {game.name!r} ({game.variant})"
        )
    if hand.num_players != game.num_players:
        raise SoulreadError(
            f"a hand of {hand.game!r} with {hand.num_players} players says nothing about {game.name!r}, "
            f"which has {game.num_players}"
        )


def verify_hand(game: PokerGame, hand: Hand) -> None:
    """Raise `SoulreadError` unless ``hand`` was played by the rules of ``game``; names do not matter.

    How labels write cards does not matter either: a hand of "leduc" also belongs to "leduc:iso".
    """
    verify_variant(game, hand)
    posted = [0] * hand.num_players
    for post in hand.posts:
        posted[post.seat] += post.amount
    if tuple(posted) != game.forced or hand.stacks != game.rules.stacks:
        raise SoulreadError(
            f"a hand of {hand.game!r} with stacks {hand.stacks!r} and posts "
            f"{[post.amount for post in hand.posts]!r} was not played for the stakes of {game.name!r}"
        )


def decisions(
    game: PokerGame, actions: Actions, board: Cards = (), hole: Sequence[Cards | None] = ()
) -> Iterator[tuple[PokerState, int]]:
    """Each decision of a hand with the action taken there, in order, for any number of seats.

    Spare cards, which are named nowhere, take the place of hole cards and board cards that are not given.
    As far as the board is given, the public part of a state is right, and so are the views of seats whose
    hole cards are given. An action that the rules do not allow is a `SoulreadError`.
    """
    state = game.start()
    cards = _deck(game, board, hole)
    for seat, action in actions:
        state = _dealt(state, cards)
        if state.player != seat:
            turn = (
                "the hand is over" if state.player == TERMINAL else f"it is the turn of seat {state.player}"
            )
            raise SoulreadError(f"seat {seat} acts after {state.betting!r} in {game.name!r}, but {turn}")
        if action not in state.legal_actions():
            raise SoulreadError(
                f"action {action!r} of seat {seat} after {state.betting!r} is not legal in {game.name!r}"
            )
        yield state, action
        state = state.apply(action)


def replay_hand(game: PokerGame, hand: Hand) -> PokerState:
    """The state in which a hand ended, with spare cards for those nobody saw.

    A hand of another game is refused. The payoffs of the state are right unless a seat came to the showdown
    and did not show its cards.
    """
    verify_hand(game, hand)
    return final_state(game, hand)


def final_state(game: PokerGame, hand: Hand) -> PokerState:
    """The same as `replay_hand`, for a game that is known to be that of the hand."""
    state = game.start()
    for before, action in decisions(game, hand.actions, hand.board, hand.hole):
        state = before.apply(action)
    return _dealt(state, _deck(game, hand.board, hand.hole, len(state.cards)))


def public_view(state: PokerState, players: Sequence[str] = ()) -> PokerView:
    """The view of a state for somebody without a seat and without cards; models may be asked with it."""
    view = state.view(0, players)
    return replace(view, seat=-1, legal=(), hole=(), to_call=0, information=f"|{state.public()}")


def as_seen_by(hand: Hand, observer: int | None) -> Hand:
    """A record that knows more, as one seat saw the hand; with None, as a spectator saw it."""
    hidden = [sight is Sight.DEALT and seat != observer for seat, sight in enumerate(hand.sights)]
    hole = [None if out else cards for out, cards in zip(hidden, hand.hole, strict=True)]
    sights = [Sight.UNSEEN if out else sight for out, sight in zip(hidden, hand.sights, strict=True)]
    return replace(hand, hole=tuple(hole), sights=tuple(sights), observer=observer)


def _deck(game: PokerGame, board: Cards, hole: Sequence[Cards | None], skip: int = 0) -> Iterator[int]:
    """The cards in the order they are dealt, without the first ``skip``."""
    rules = game.rules
    named = {card for cards in hole if cards is not None for card in cards} | set(board)
    spare = iter([card for card in rules.deck if card not in named])
    order: list[int] = []
    for seat in range(rules.num_players):
        cards = (hole[seat] if seat < len(hole) else None) or ()
        order += [*cards, *(next(spare) for _ in range(rules.hole_cards - len(cards)))]
    order += board
    order += spare
    return iter(order[skip:])


def _dealt(state: PokerState, cards: Iterator[int]) -> PokerState:
    """The state at the next decision, or at the end."""
    while state.player == CHANCE:
        state = state.apply(next(cards))
    return state
