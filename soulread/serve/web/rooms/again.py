"""A point of a hand that is played again, with other cards: who may hold what there.

The person is dealt what an equilibrium, if one is known, would hold there, else any cards. An opponent is
dealt what it holds there when it plays as it did: by its own strategy, if it can say which, else by what a
model of its play makes of its actions, else any cards.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from soulread.errors import SoulreadError
from soulread.games.poker import PokerState
from soulread.hands.hand import Hand
from soulread.hands.record import as_seen_by, decisions, public_view
from soulread.play.agent import Agent
from soulread.play.catalogue.entry import where_tables_reach
from soulread.play.match.matches import distinct_names
from soulread.play.table.dealing import MatchTerms
from soulread.play.table.spot_start import SpotStart, Weights
from soulread.seqform.tabular import TabularStrategy
from soulread.serve.sitting import ENDLESS, TableSession, hands_of_session, read_session
from soulread.serve.web.rooms.seats import agents_of_page, game_of_page
from soulread.serve.web.rooms.yardsticks import is_prepared, source_at_table, yardstick_of
from soulread.study.duels.coach import look_at
from soulread.study.hands.holdings import new_reader
from soulread.study.seat.own_range import weights_in_table


@dataclass(frozen=True)
class Origin:
    """The hand of a table from which a start was taken."""

    table: str
    hand: int  # from 1 up


def origin_of(folder: Path, id: str) -> Origin | None:
    """Where the hands of a table begin, if not at the beginning: the hand that they repeat."""
    path = folder / f"{id}.again"
    if not path.exists():
        return None
    try:
        found = json.loads(path.read_bytes())
        return Origin(str(found["table"]), int(found["hand"]))
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise SoulreadError(f"{str(path)!r} cannot be read: {error}") from None


def write_origin(folder: Path, id: str, origin: Origin) -> None:
    """Keep the origin of a table's hands."""
    (folder / f"{id}.again").write_text(json.dumps({"table": origin.table, "hand": origin.hand}))


def terms_of(session: TableSession, start: SpotStart | None = None) -> MatchTerms:
    """The terms of a session; with a start everybody keeps the seat that the start has for the person."""
    game = game_of_page(session.game)
    specs = agents_of_page(list(session.agents), game)
    names = session.name, *distinct_names([spec.text for spec in specs])
    if start is None:
        return MatchTerms(game, names, ENDLESS, session.seed)
    first = -start.seat % game.num_players
    return MatchTerms(game, names, ENDLESS, session.seed, fixed=True, first=first, start=start)


def earlier_hands(folder: Path, origin: Origin) -> list[Hand]:
    """The hands of a table before the one of an origin, as the dealer saw them."""
    path = folder / f"{origin.table}.log"
    everything = hands_of_session(path, terms_of(read_session(path)))
    return [hand for hand, _ in zip(everything, range(origin.hand - 1), strict=False)]


def start_of(folder: Path, origin: Origin, step: int, agents: Sequence[Agent]) -> SpotStart:
    """The start at a decision of the person, action ``step`` of a hand.

    ``agents`` have learnt from the hands before it.
    """
    path = folder / f"{origin.table}.log"
    session = read_session(path)
    terms = terms_of(session)
    hands = list(zip(hands_of_session(path, terms), range(origin.hand), strict=False))
    if len(hands) < origin.hand:
        raise SoulreadError(f"there is no finished hand {origin.hand} at this table")
    hand, before = hands[-1][0], [old for old, _ in hands[:-1]]
    points = [state for state, _ in decisions(terms.game, hand.actions, hand.board, hand.hole)]
    seat = hand.seat_of(session.name)
    if not 0 <= step < len(points) or points[step].player != seat:
        raise SoulreadError(f"action {step} of hand {origin.hand} is not yours")
    state = points[step]
    weights = tuple(
        _own(session, state) if other == seat else _theirs(state, hand, other, agents, before, seat)
        for other in range(len(hand.players))
    )
    return SpotStart(tuple(action for _, action in state.actions), state.board, seat, weights)


def _own(session: TableSession, state: PokerState) -> Weights:
    """What the person may be dealt."""
    game = state.game
    source = source_at_table(game, agents_of_page(list(session.agents), game))
    if source is None or not is_prepared(source):
        return np.ones(len(game.holdings))
    return _if_any(weights_in_table(yardstick_of(source).equilibrium, public_view(state), state.player))


def _theirs(
    state: PokerState, hand: Hand, seat: int, agents: Sequence[Agent], before: Sequence[Hand], person: int
) -> Weights:
    """What an opponent may be dealt."""
    game, count = state.game, len(hand.players)
    any_cards = np.ones(len(game.holdings))
    if not any(actor == seat for actor, _ in state.actions):
        return any_cards
    view = public_view(state, hand.players)
    if where_tables_reach(game) is None:
        played: TabularStrategy | None = look_at(agents[(seat - person) % count - 1], game, seat).strategy
        return any_cards if played is None else _if_any(weights_in_table(played, view, seat))
    if state.folded[seat] or len(game.rules.deck) != 52:
        return any_cards
    model = new_reader("completed" if game.rules.raise_sizes is None else "som", game)
    for old in before:
        model.update(as_seen_by(old, None), hand.players[seat])
    return _if_any(model.holdings(view, seat))


def _if_any(weights: Weights) -> Weights:
    """Weights; if there are none, all cards alike."""
    found = np.asarray(weights, np.float64)
    return found if found.sum() > 0 else np.ones(found.size)
