"""Finished hands, step by step, with what each of a person's choices was worth."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from soulread.cards.deck import cards_name
from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.games.poker import PokerGame
from soulread.hands.hand import Hand
from soulread.hands.record import as_seen_by, verify_hand
from soulread.hands.referee import game_of_record
from soulread.hands.store import Store, default_store
from soulread.serve.sitting import read_session
from soulread.serve.web.rooms.again import origin_of
from soulread.serve.web.rooms.notes import KeptNotes, error_of
from soulread.serve.web.rooms.seen import sights_of_hand, title_of
from soulread.serve.web.rooms.yardsticks import is_prepared, source_of_game, yardstick_of
from soulread.serve.web.sights import HandLine, ReviewSight
from soulread.study.seat.choices import HandReview, cost_text
from soulread.study.seat.playout_judge import PlayoutJudge
from soulread.study.seat.running import unit_of

EARLIER = 300  # hands of the players in a stored hand that its judge has learnt from
LITTLE = ("kuhn", "leduc", "leduc:iso", "limit")  # games whose records are known again by their rules


def hands(folder: str, ids: Sequence[str], worst: str = "") -> tuple[tuple[str, HandLine], ...]:
    """The finished hands of some tables, the last ones first; with ``worst`` those with such a decision."""
    found = []
    for id in ids:
        path = Path(folder) / f"{id}.log"
        if not path.exists():
            continue
        game, notes = parse_game(read_session(path).game), KeptNotes(path.with_suffix(".notes"))
        for number in sorted(notes.hands, reverse=True):
            line = line_of(notes, number, game)
            if not worst or line.grade == worst:
                found.append((id, line))
    return tuple(found)


def line_of(notes: KeptNotes, number: int, game: PokerGame) -> HandLine:
    """A finished hand, from 1 up, in a list."""
    found = notes.of(number) or {}
    cost = "" if found.get("cost") is None else cost_text(found["cost"], error_of(found), game)
    cards, board = str(found.get("hole", "")), str(found.get("board", ""))
    return HandLine(number, int(found.get("won", 0)), cost, notes.worst(number), cards, board)


def of_table(folder: str, id: str, number: int) -> ReviewSight:
    """A finished hand of a table, from 1 up."""
    path = Path(folder) / f"{id}.log"
    session, notes = read_session(path), KeptNotes(path.with_suffix(".notes"))
    game = parse_game(session.game)
    kept = Path(folder).parent / ("again.db" if origin_of(Path(folder), id) else "hands.db")
    with Store.open(str(kept), read_only=True) as store:
        _, hand = store.hand(f"{session.mark}-{number - 1}")
    found = notes.of(number)
    if found is None or "decisions" not in found:
        found = plain_data(_judged(game, hand, session.name, ()))
    last = max(notes.hands, default=number)
    return _sight(game, hand, session.name, found, number, last)


def of_store(where: str | None, number: int, player: str | None) -> ReviewSight:
    """A hand of the store, seen by one of its players whose cards are known."""
    hand, seen, review = _stored(where, number, player)
    return _sight(_game_of(hand), hand, seen, review, number, 0)


@lru_cache(maxsize=64)
def _stored(where: str | None, number: int, player: str | None) -> tuple[Hand, str, dict[str, Any]]:
    """A hand of the store, whose eyes it is seen with, and the judgement."""
    with Store.open(str(default_store()) if where is None else where, read_only=True) as store:
        number, hand = store.hand(f"#{number}")
        known = [name for name, cards in zip(hand.players, hand.hole, strict=True) if cards is not None]
        if player is None and hand.observer is not None:
            player = hand.players[hand.observer]
        seen = player if player is not None else known[0] if known else hand.players[0]
        if seen not in hand.players:
            raise SoulreadError(f"{seen!r} is not in this hand; its players are {', '.join(hand.players)}")
        earlier = store.earlier(number, hand.players, hand.room)[-EARLIER:] if seen in known else []
    if seen not in known:
        return hand, seen, plain_data(HandReview(hand.id, ()))
    return hand, seen, plain_data(_judged(_game_of(hand), hand, seen, earlier))


def _game_of(hand: Hand) -> PokerGame:
    """The game of a record: one of ours by its rules, or the hold'em that it was."""
    for name in LITTLE:
        game = parse_game(name)
        try:
            verify_hand(game, hand)
        except SoulreadError:
            continue
        return game
    return game_of_record(hand)


def _judged(game: PokerGame, hand: Hand, player: str, earlier: Sequence[Hand]) -> HandReview:
    """The decisions of a player: by the equilibrium if there is one, else by play-outs, else by nobody."""
    source = source_of_game(game)
    if source is not None and is_prepared(source):
        return yardstick_of(source).review(hand, player)
    unit = unit_of(game).value
    if PlayoutJudge.refuses(game) is not None:
        return HandReview(hand.id, (), unit=unit)
    judge = PlayoutJudge(game)
    for old in earlier:
        if player in old.players:
            judge.observe(as_seen_by(old, old.seat_of(player)))
    return HandReview(hand.id, tuple(judge.review(hand, player)), unit=unit)


def _sight(
    game: PokerGame, hand: Hand, player: str, review: dict[str, Any], number: int, last: int
) -> ReviewSight:
    seat = hand.seat_of(player)
    steps = tuple(sights_of_hand(game, replace(hand, id=str(number)), seat))
    rules = game.rules
    mb = unit_of(game).value == "mb/g"
    return ReviewSight(
        number=number,
        last=last,
        title=title_of(game),
        player=player,
        players=tuple(name for name, cards in zip(hand.players, hand.hole, strict=True) if cards is not None),
        cards=cards_name(sorted(hand.hole[seat] or (), reverse=True)),
        won=hand.payoffs[seat],
        time="" if hand.time is None else f"{hand.time:%Y-%m-%d %H:%M}",
        steps=steps,
        deeds=_deeds(steps),
        decisions={int(one["number"]): one for one in review.get("decisions", ())},
        opponent=str(review.get("opponent", "")),
        remark=str(review.get("remark", "")),
        cost="" if review.get("cost") is None else cost_text(float(review["cost"]), error_of(review), game),
        factor=1000 / rules.small_bet if mb else 1 / rules.big_blind,
        unit="mb" if mb else "bb",
        exact=rules.raise_sizes is not None and len(rules.deck) < 20,
    )


def _deeds(steps: Sequence[Any]) -> tuple[tuple[str, str], ...]:
    """For each action its round and its words."""
    end = steps[-1]
    return tuple((street.name, deed) for street in end.story for deed in street.deeds)
