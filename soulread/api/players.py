"""Hands and players at the prompt.

A store is an open `Store`, or where one is: a file, or ``postgresql://...``. The player "me", or "hero", is
the hero of the store.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from soulread.api.given import AnyAgent, AnyGame, agent_of, hands_of, source_of
from soulread.api.play import watch
from soulread.errors import SoulreadError
from soulread.games.unit import Told
from soulread.hands.conditions import Order, parse_conditions
from soulread.hands.formats.reading import Skipped
from soulread.hands.formats.reading import read_hands as read_any
from soulread.hands.hand import Hand
from soulread.hands.store import FORMATS, Query, Store
from soulread.model.predict.features import is_holdem
from soulread.seqform.source import parse_buckets
from soulread.study.finding.occasions import OccasionStudy, study_occasions
from soulread.study.finding.played import SearchStudy, study_search
from soulread.study.hands.holdings import ReadingStudy, study_reading
from soulread.study.hands.importing import HandsRead, ImportStudy
from soulread.study.hands.importing import import_hands as import_all
from soulread.study.hands.of_player import of_room
from soulread.study.hands.sizing import FacingStudy, SizingStudy, study_facing, study_sizing
from soulread.study.hands.splits import LEAST_MET, parse_by
from soulread.study.hands.statistics import PlayerStudy, TableStudy, study_player, study_players
from soulread.study.players.hero import HeroStudy, meant_player, study_hero
from soulread.study.players.results import ResultsBy, ResultsStudy, study_results
from soulread.study.players.sample import SampleStudy, write_sample
from soulread.study.players.sessions import PAUSE, SessionsStudy, study_sessions
from soulread.study.predict.predicting import PredictStudy, study_predictor
from soulread.study.profile.counter import DEFAULT_TRUST
from soulread.study.profile.pool import PoolStudy, study_pool
from soulread.study.profile.population import REGULAR_HANDS
from soulread.study.profile.profile import ProfileStudy, study_profile
from soulread.study.spots.plan import DEFAULT_STREETS, SPOTS, PlanStudy, study_plan
from soulread.study.strategies.leaks import DEFAULT_ABSTRACTION, LeakStudy, find_leaks

if TYPE_CHECKING:
    from soulread.study.reads.exploits import ExploitStudy

AnyStore: TypeAlias = Store | str | os.PathLike[str]


@contextmanager
def opened_store(store: AnyStore, *, read_only: bool = True) -> Iterator[Store]:
    """The store itself, or the one that is opened for the time of the block."""
    if isinstance(store, Store):
        yield store
    else:
        with Store.open(store, read_only=read_only) as opened:
            yield opened


def read_hands(*paths: str | os.PathLike[str], game: AnyGame | None = None) -> HandsRead:
    """Read the hands of files, folders and archives of any format.

    ``game`` is that of files that do not name theirs, such as ACPC logs. The result is a sequence of hands;
    its ``skipped`` has what could not be read, and why.
    """
    rules = None if game is None else source_of(game).poker
    hands: list[Hand] = []
    skipped: list[Skipped] = []
    for path in paths:
        for found in read_any(path, rules):
            if isinstance(found, Skipped):
                skipped.append(found)
            else:
                hands.append(found)
    return HandsRead(tuple(hands), tuple(skipped))


def sample_hands(folder: str | os.PathLike[str]) -> SampleStudy:
    """Write 3,000 made-up hands into a folder, to try things on; its ``hero`` is who saw them."""
    return write_sample(Path(folder))


def import_hands(store: AnyStore, *paths: str | os.PathLike[str], game: AnyGame | None = None) -> ImportStudy:
    """Bring hands of any format into a store, which is made if it is not there; known hands add nothing."""
    rules = None if game is None else source_of(game).poker
    with opened_store(store, read_only=False) as opened:
        return import_all(opened, [os.fspath(path) for path in paths], rules)


def stats(
    store: AnyStore,
    player: str,
    *,
    room: str | None = None,
    by: str | Sequence[str] | None = None,
    pool: bool = False,
    regulars: int = REGULAR_HANDS,
    min_hands: int = LEAST_MET,
    game: str | None = None,
    format: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> PlayerStudy:
    """Count a player's statistics in each kind of game, with 95% intervals.

    ``game`` ("limit", "nolimit") and ``format`` ("cash", "tournament") choose one.

    ``room`` says which player is meant, if several rooms have one of this name. ``by`` makes groups of hands:
    "position", "pot", "ip", "opponent", "stack", "players" or "month", or several of them. An opponent is a
    group from ``min_hands`` common hands on. With ``pool`` the player is placed among everybody else with at
    least ``regulars`` hands.
    """
    groups = parse_by(by)
    with opened_store(store) as opened:
        player, query = meant_player(opened, player, _query(game, format, room, since, until))
        return study_player(opened, player, query, groups, pool=pool, least=regulars, least_met=min_hands)


def _query(
    game: str | None,
    format: str | None,
    room: str | None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Query:
    if format not in (None, *FORMATS):
        raise SoulreadError(f"format {format!r}; expected one of {', '.join(FORMATS)}")
    return Query(room=room, game=game, format=format, since=since, until=until)


def find_hands(
    store: AnyStore,
    *words: str,
    player: str | None = None,
    room: str | None = None,
    game: str | None = None,
    format: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    sort: str | None = None,
    limit: int | None = None,
) -> SearchStudy:
    """Find the hands that fulfil all conditions, as in ``soulread hands``: ``"3bet-pot", "ip", "pot>=50"``.

    ``sort`` is "pot", "won" or "date", the largest first; with a dash before it the other way round. Each of
    the result's ``hands`` has the record as ``hand``, and the player's position and line.
    """
    order, most = _order(sort), _limit(limit)
    with opened_store(store) as opened:
        query = _query(game, format, room, since, until)
        if player is not None:
            player, query = meant_player(opened, player, query)
        search = parse_conditions(words, player).search(opened, query, order)
        return study_search(search, player, most)


def occasions(
    store: AnyStore,
    player: str,
    statistic: str,
    *words: str,
    room: str | None = None,
    game: str | None = None,
    format: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    taken: bool | None = None,
    sort: str | None = None,
    limit: int | None = None,
) -> OccasionStudy:
    """List every occasion of a statistic in a player's hands, and whether it was taken.

    ``words`` are conditions on the hands. ``taken`` lists only those that were taken, or missed; all are
    counted, as `stats` counts them. ``sort`` and ``limit`` are those of `find_hands`.
    """
    order, most = _order(sort), _limit(limit)
    with opened_store(store) as opened:
        player, query = meant_player(opened, player, _query(game, format, room, since, until))
        return study_occasions(opened, player, statistic, words, query, taken=taken, order=order, limit=most)


def _order(sort: str | None) -> Order | None:
    if sort not in (None, *Order):
        raise SoulreadError(f"sort {sort!r}; expected one of {', '.join(Order)}")
    return None if sort is None else Order(sort)


def _limit(limit: int | None) -> int | None:
    if limit is not None and limit < 1:
        raise SoulreadError(f"limit {limit}; at least one is asked for")
    return limit


def sizing(
    store: AnyStore,
    player: str,
    *,
    room: str | None = None,
    format: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> SizingStudy:
    """Compare the strength that was seen behind each size of a player's bets: sizing tells.

    It is about no-limit hold'em of one ``format``, by default the one with the most hands.
    """
    with opened_store(store) as opened:
        player, query = meant_player(opened, player, _query(None, format, room, since, until))
        return study_sizing(opened, player, query)


def facing(
    store: AnyStore,
    player: str,
    *,
    room: str | None = None,
    format: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> FacingStudy:
    """Count how often a player folds, calls and raises against each size of bet, on each street.

    It is about no-limit hold'em of one ``format``, by default the one with the most hands.
    """
    with opened_store(store) as opened:
        player, query = meant_player(opened, player, _query(None, format, room, since, until))
        return study_facing(opened, player, query)


def players(
    store: AnyStore,
    *,
    room: str | None = None,
    min_hands: int = 1,
    top: int | None = None,
    game: str | None = None,
    format: str | None = None,
) -> TableStudy:
    """Count the statistics of everybody, or of everybody in one room; those with the most hands first.

    There are rows for each kind of game. ``game`` ("limit", "nolimit") and ``format`` ("cash", "tournament")
    choose one.
    """
    with opened_store(store) as opened:
        return study_players(opened, _query(game, format, room), least=min_hands, top=top)


def profile(
    store: AnyStore,
    player: str,
    *,
    room: str | None = None,
    regulars: int = REGULAR_HANDS,
    trust: float = DEFAULT_TRUST,
    abstraction: str | None = DEFAULT_ABSTRACTION,
    game: str | None = None,
    format: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> ProfileStudy:
    """Describe how a player plays beside everybody with at least ``regulars`` hands: the profile.

    Where there are enough hands of heads-up limit hold'em, a counter-strategy over the card ``abstraction``
    is valued, which trusts its model as far as ``trust``, 0 to 1. With None it is left out. The profile is
    about one kind of game: that with the most hands, or ``game`` and ``format``. With a ``room``, only hands
    of this room count.
    """
    cards = None if abstraction is None else parse_buckets(abstraction)
    with opened_store(store) as opened:
        player, query = meant_player(opened, player, _query(game, format, room, since, until))
        return study_profile(opened, player, query, least=regulars, cards=cards, trust=trust)


def plan(
    store: AnyStore,
    player: str,
    *,
    room: str | None = None,
    spots: int = SPOTS,
    streets: Sequence[str] = DEFAULT_STREETS,
    since: datetime | None = None,
    until: datetime | None = None,
    rake: str | float | None = None,
    cap: Told | None = None,
) -> PlanStudy:
    """Plan how to play against a player of no-limit hold'em in the ``spots`` commonest kinds of spots.

    Each has an example, what the player does there with n and intervals, what to change, what that wins if
    the player goes on like this, and what it costs at worst. ``streets`` are those looked at. ``rake`` is
    the part of the pot that the house takes ("5%"), and ``cap`` the most of it ("3bb").
    """
    with opened_store(store) as opened:
        player, query = meant_player(opened, player, Query(room=room, since=since, until=until))
        return study_plan(opened, player, query, spots=spots, streets=streets, rake=rake, cap=cap)


def hero(store: AnyStore, *, room: str | None = None) -> HeroStudy:
    """Find the heroes of a store or of one room: whose cards are known from the deal in nearly all hands."""
    with opened_store(store) as opened:
        return study_hero(opened, room)


def results(
    store: AnyStore,
    player: str = "me",
    *,
    room: str | None = None,
    by: str | None = None,
    pause: float = PAUSE,
    game: str | None = None,
    format: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> ResultsStudy:
    """Add up a player's results over the hands: won, without the luck of all-ins, with and without showdown.

    ``by`` makes groups of hands: "session", "month", "stakes" or "room". Its ``figure`` shows the lines with
    the 95% band. The results are those of one kind of game: that with the most hands, or ``game`` and
    ``format``.
    """
    groups = None if by is None else ResultsBy(by)
    with opened_store(store) as opened:
        player, query = meant_player(opened, player, _query(game, format, room, since, until))
        return study_results(opened, player, query, groups, pause=pause)


def sessions(
    store: AnyStore,
    player: str = "me",
    *,
    room: str | None = None,
    pause: float = PAUSE,
    game: str | None = None,
    format: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> SessionsStudy:
    """List a player's sessions, the latest first: hands in a row without a pause of ``pause`` minutes."""
    with opened_store(store) as opened:
        player, query = meant_player(opened, player, _query(game, format, room, since, until))
        return study_sessions(opened, player, query, pause=pause)


def pool(
    store: AnyStore,
    *,
    room: str | None = None,
    regulars: int = REGULAR_HANDS,
    game: str | None = None,
    format: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> PoolStudy:
    """Describe how everybody with at least ``regulars`` hands plays, and what winners do otherwise.

    It is about one kind of game: that with the most hands, or ``game`` and ``format``. With a ``room``, only
    hands of this room count.
    """
    with opened_store(store) as opened:
        return study_pool(opened, _query(game, format, room, since, until), regulars)


def exploits(
    store: AnyStore,
    *,
    spots: int = 5,
    streets: Sequence[str] = ("turn", "river"),
    room: str | None = None,
    game: str | None = None,
    format: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> "ExploitStudy":
    """Tell what a pool can be exploited for in its ``spots`` commonest kinds of spots of no-limit hold'em.

    Each has the pool's frequencies beside the equilibrium's, which of them are surely off, and what a robust
    answer surely wins, in bb/100: see `soulread.study.reads.exploits`.
    """
    from soulread.study.reads.exploits import study_exploits

    with opened_store(store) as opened:
        query = _query(game, format, room, since, until)
        return study_exploits(opened, query, spots=spots, streets=streets)


def read(
    hand: Hand,
    decision: int | None = None,
    *,
    player: str | None = None,
    model: str | None = None,
    earlier: Iterable[Hand] = (),
) -> ReadingStudy:
    """Read what everybody may hold at a ``decision`` of a hand, counted from 1; by default at our last one.

    ``player`` says who we are, if not the hand's observer. ``model`` is "gom", "som", "completed" or
    "relational"; ``earlier`` hands teach it.
    """
    kind = model or ("relational" if "no-limit" in hand.variant else "gom")
    return study_reading(hand, at=decision, player=player, kind=kind, earlier=earlier)


def predict(
    hands: AnyStore | Sequence[Hand], player: str, learner: str = "net", *, room: str | None = None
) -> PredictStudy:
    """Train a predictor of what a player does, and judge it on the player's later hands.

    ``hands`` are everybody's, in any order, or those of a store. ``learner`` is "old", "enhanced", "net",
    "boosting" or "competing". With a ``room``, only hands of this room count.
    """
    if isinstance(hands, Store | str | os.PathLike):
        with opened_store(hands) as opened:
            player, query = meant_player(opened, player, Query(room=room))
            hands, room = [hand for _, hand in opened.find(query)], query.room
    meant = of_room([hand for hand in hands if is_holdem(hand)], player, room)
    return study_predictor(meant, player, learner)


def leaks(
    game: AnyGame,
    of: AnyAgent | Iterable[Hand],
    player: str | None = None,
    *,
    hands: int = 5000,
    seed: int = 0,
    min_chances: float = 10.0,
) -> LeakStudy:
    """Find where a player deviates from equilibrium, and what that is worth.

    ``of`` is an agent, which is watched for ``hands`` hands by the equilibrium, its opponent. Or it is
    recorded hands, and ``player`` says whose leaks are wanted. A leak had at least ``min_chances``.
    """
    source = source_of(game)
    seen = hands_of(of)
    if seen is None:
        cards = source.name.removeprefix(source.poker.name)
        watched = agent_of(of)
        seen = watch(source, watched, f"equilibrium{cards}", hands, seed, spectator=False)
        player = watched.text
    elif player is None:
        raise SoulreadError("recorded hands have several players; say whose leaks are wanted")
    return find_leaks(source, seen, player, min_chances)
