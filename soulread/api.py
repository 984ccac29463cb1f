"""What a researcher types at a prompt: ``import soulread as sr``.

Games and agents may be given by name, as on the command line, or as objects: your own `PokerGame` works as
well as "leduc". What comes back are ordinary objects of soulread's other modules.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from soulread.errors import SoulreadError
from soulread.games.openspiel import PREFIX
from soulread.games.poker import PokerGame
from soulread.hands.hand import Hand
from soulread.model.base import Model
from soulread.model.catalogue import ModelSpec, parse_model
from soulread.model.tabular import as_table
from soulread.names import compile_named
from soulread.play.agent import Agent
from soulread.play.catalogue.entry import AgentSpec
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.matches import MatchResult, play_matches
from soulread.play.tabular import behaviours_in
from soulread.report.figures import Curve, Figure, Panel, draw
from soulread.respond.counter import CounterPair, in_both_seats, pair_of, restricted_nash
from soulread.respond.curves import PAPER_PS
from soulread.respond.locks.reads import Read, parse_read
from soulread.seqform.compile import SequenceGame, compile_game
from soulread.seqform.source import Source, parse_source
from soulread.seqform.spot import Spot
from soulread.seqform.strategy import Behaviours
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.cfr.methods import default_schedule, solve_named
from soulread.solvers.cfr.run import Solution
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.equilibria import find_equilibrium
from soulread.solvers.real_cards.spot_files import read_spot
from soulread.solvers.strategy_files import Strategy
from soulread.study.spots.locks import ACCURACY, MOST_ITERATIONS, LockStudy, study_locks
from soulread.study.spots.spots import SpotStudy, study_spot
from soulread.study.strategies.curves import (
    DEFAULT_PARTS,
    CurveStudy,
    known_subject,
    recorded_subject,
    study_curve,
    watched_subject,
)
from soulread.study.strategies.leaks import LeakStudy, find_leaks
from soulread.study.strategies.leaks import watch as watch_agents

AnyGame = str | PokerGame | Source
AnyAgent = str | AgentSpec


def game(text: str) -> Source:
    """The poker game a name stands for: "kuhn", "leduc", "limit:5-5-5-5:quick"."""
    return parse_source(text)


def compiled(game: AnyGame) -> SequenceGame:
    """A game as two treeplexes and a payoff operator, with its rules and look-up."""
    return _source(game).compile()


def solve(
    game: AnyGame,
    method: str | None = None,
    *,
    gap: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
) -> Solution:
    """Compute an approximate equilibrium, until the first of the stops is reached; ``gap`` in chips per hand.

    Without a stop it ends at a gap of 1 mb/g, or of 3 mb/g in an abstraction. Names of OpenSpiel's games work
    too: "openspiel:liars_dice".
    """
    if isinstance(game, str) and game.startswith(PREFIX):
        target = compile_named(game)
    else:
        source = _source(game)
        target = source.compile() if source.cards is not None else compile_game(source.poker)
        method = default_schedule(source).name if method is None else method
    stops = Stops(gap=gap, iterations=iterations, seconds=seconds)
    return solve_named(target, method, stops, seed=seed)


def equilibrium(game: AnyGame) -> TabularStrategy:
    """An equilibrium of a poker game, ready to play: exact in small games, else from the cache or solved."""
    return find_equilibrium(_source(game))


def agent(text: AnyAgent, game: AnyGame) -> Agent:
    """An agent of the catalogue, ready to sit down: ``agent("dbbr:T=100", "leduc")``."""
    return _agent(text).make(_poker(game))


def fit(model: str | ModelSpec, game: AnyGame, hands: Iterable[Hand], player: str | None = None) -> Model:
    """A model of an opponent, fitted to hands: ``fit("deviation:method=l1", "leduc", hands, "Bob")``.

    Without ``player`` it learns about the only opponent of each hand's observer.
    """
    spec = parse_model(model) if isinstance(model, str) else model
    source = _source(game)
    return spec.make(source.compile(), find_equilibrium(source).behaviours).fit(hands, player)


def duel(
    game: AnyGame,
    *agents: AnyAgent,
    hands: int = 1000,
    matches: int = 1,
    duplicate: bool = False,
    seed: int = 0,
    jobs: int = 1,
    aivat: bool = False,
    explain: bool = False,
) -> MatchResult:
    """Let agents play against each other; as many as the game has seats.

    With ``aivat`` the result also has ``less_luck``: what the first agent won with luck taken off. With
    ``explain`` it has ``notes`` of what agents promised and foresaw, for
    `soulread.study.duels.promise.explain`.
    """
    return play_matches(
        _poker(game),
        [_agent(text) for text in agents],
        hands,
        matches=matches,
        duplicate=duplicate,
        seed=seed,
        jobs=jobs,
        aivat=aivat,
        explain=explain,
    )


def watch(
    game: AnyGame,
    agent: AnyAgent,
    against: AnyAgent = "equilibrium",
    hands: int = 1000,
    seed: int = 0,
    spectator: bool = True,
) -> list[Hand]:
    """Hands between two agents as a spectator sees them: no card that was not shown.

    Without ``spectator`` they are seen by ``against``, who also knows its own cards.
    """
    table = _poker(game)
    agents = _agent(agent).make(table), _agent(against).make(table)
    return watch_agents(table, agents, hands, seed, spectator=spectator)


def leaks(
    game: AnyGame,
    of: AnyAgent | Iterable[Hand],
    player: str | None = None,
    *,
    hands: int = 5000,
    seed: int = 0,
    min_opportunities: float = 10.0,
) -> LeakStudy:
    """Where a player deviates from equilibrium and what that is worth.

    ``of`` is an agent, which is watched for ``hands`` hands by the equilibrium, its opponent. Or it is
    recorded hands, and ``player`` says whose leaks are wanted.
    """
    source = _source(game)
    if isinstance(of, str | AgentSpec):
        cards = source.name.removeprefix(source.poker.name)
        seen: Iterable[Hand] = watch(source, of, f"equilibrium{cards}", hands, seed, spectator=False)
        player = _agent(of).text
    else:
        seen = of
        if player is None:
            raise SoulreadError("recorded hands have several players; say whose leaks are wanted")
    return find_leaks(source, seen, player, min_opportunities)


def curve(
    game: AnyGame,
    opponent: AnyAgent | Iterable[Hand],
    method: str = "rnr",
    ps: Sequence[float] = PAPER_PS,
    *,
    player: str | None = None,
    observed_games: int | None = None,
    against: AnyAgent | None = "probe",
    confidence: str = "0-10",
    precision: float | None = None,
    seed: int = 0,
    keep: bool = False,
    parts: int = DEFAULT_PARTS,
) -> CurveStudy:
    """What counter-strategies win from an opponent and what they risk, for each trust in the model of ``ps``.

    The opponent is an agent that plays from a table, or ``player`` in recorded hands. An agent is known
    exactly; with ``observed_games`` it is learnt from that many games ``against`` another agent instead,
    where None means a copy of itself. ``precision`` is in chips per hand. Recorded hands are cut into
    ``parts``, each of which is held out once (`soulread.study.strategies.curves`); with 0 none is.
    """
    source = _source(game)
    target = source.compile()
    if not isinstance(opponent, str | AgentSpec):
        if player is None:
            raise SoulreadError("recorded hands have several players; say whom to exploit")
        subject = recorded_subject(target, opponent, player, parts=parts)
    elif observed_games is not None:
        other = None if against is None else _agent(against)
        subject = watched_subject(target, _agent(opponent), observed_games, other, seed)
    else:
        subject = known_subject(target, _agent(opponent))
    return study_curve(
        target,
        find_equilibrium(source).behaviours,
        subject,
        method,
        ps,
        confidence=confidence,
        precision=precision,
        keep=keep,
    )


def spot(
    board: str,
    oop: str,
    ip: str,
    pot: int,
    stack: int,
    bets: str = "60%",
    raises: str = "60%",
    donks: str | None = None,
    *,
    most_bets: int | None = None,
    add_all_in: float = 1.5,
    force_all_in: float = 0.15,
    merge: float = 0.1,
    isomorphism: bool = True,
    gap: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
) -> SpotStudy:
    """Solve a spot with real cards, such as ``spot("Td9d6h Qc", "66+, AQo+", "QQ-22", 200, 900, "60%,a")``.

    The result is asked with ``at("check bet60%")`` for strategy, EV and equity at any decision. Sizes are
    explained in `soulread.games.spot`. ``gap`` is an exploitability in chips; without a stop it is half a
    percent of the pot.
    """
    made = read_spot(
        board,
        oop,
        ip,
        pot,
        stack,
        bets,
        raises,
        donks,
        most_bets,
        add_all_in,
        force_all_in,
        merge,
        isomorphism,
    )
    return study_spot(made, Stops(gap=gap, iterations=iterations, seconds=seconds))


def lock(
    spot: SpotStudy | Spot,
    *locks: str | Read,
    trust: float | None = None,
    risk: float | None = None,
    kind: str = "c",
    method: str = "shift",
    gap: float | None = None,
    iterations: int | None = None,
) -> LockStudy:
    """What to play in a spot if a player does what the locks say, such as ``"bet60: fold 60%"``.

    The result has the curve of trust, from the equilibrium to the hard lock: what each answer wins if the
    locks are right, and what it costs at worst. ``trust`` (0 to 1) or ``risk`` (chips) choose the answer; see
    `soulread.study.spots.locks`. ``gap`` is in chips; by default each solve ends at 0.1% of the pot.
    """
    made = spot if isinstance(spot, Spot) else spot.spot
    stops = Stops(
        gap=ACCURACY * made.betting.pot if gap is None else gap, iterations=iterations or MOST_ITERATIONS
    )
    reads = [one if isinstance(one, Read) else parse_read(one) for one in locks]
    return study_locks(made, reads, trust=trust, risk=risk, kind=kind, method=method, stops=stops)


def best_response(game: AnyGame, opponent: AnyAgent | Behaviours | Model) -> CounterPair:
    """The best response of each seat to an opponent in the other seat.

    The opponent is an agent that plays from a table, a pair of behaviours, or a fitted model. The result can
    be asked what it wins and how exploitable it is.
    """
    source = _source(game)
    target = source.compile()
    theirs = _behaviours(opponent, target)
    own = find_equilibrium(source).behaviours
    return in_both_seats(lambda seat: restricted_nash(target, seat, theirs[1 - seat], 1.0, default=own[seat]))


def exploitability(game: AnyGame, of: AnyAgent | Behaviours | Solution | Strategy | Model) -> float:
    """What a best responder wins from a strategy, chips per hand, the mean over the seats."""
    if isinstance(of, Solution):
        return pair_of(of.game, of.behaviours).exploitability
    target = _source(game).compile()
    if isinstance(of, Strategy):
        of.verify_game(target)
        return pair_of(target, of.behaviours).exploitability
    return pair_of(target, _behaviours(of, target)).exploitability


def plot_curve(study: CurveStudy, path: str | Path) -> None:
    """Draw a curve of `curve` to a file, .svg or .png."""
    from soulread.study.strategies.curves_terminal import draw_curve

    draw_curve(study, Path(path))


def plot_duel(result: MatchResult, path: str | Path) -> None:
    """Draw what each agent has won so far, the mean over the matches, to a file, .svg or .png."""
    hands = tuple(float(hand) for hand in range(1, result.hands + 1))
    won = np.cumsum(result.profits.mean(axis=0), axis=0) / result.stakes.small_bet
    curves = tuple(Curve(name, hands, tuple(won[:, i].tolist())) for i, name in enumerate(result.agents))
    panel = Panel(f"{result.game}, seed {result.seed}", "hands", "small bets won so far", curves)
    draw(Figure("duel", f"{result.game}: {', '.join(result.agents)}", (panel,)), [Path(path)])


def _source(game: AnyGame) -> Source:
    if isinstance(game, Source):
        return game
    if isinstance(game, PokerGame):
        return Source(game)
    return parse_source(game)


def _poker(game: AnyGame) -> PokerGame:
    if isinstance(game, str):
        return parse_source(game).poker
    return game.poker if isinstance(game, Source) else game


def _agent(agent: AnyAgent) -> AgentSpec:
    return parse_agent(agent) if isinstance(agent, str) else agent


def _behaviours(of: AnyAgent | Behaviours | Model, target: SequenceGame) -> Behaviours:
    if isinstance(of, str | AgentSpec):
        return behaviours_in(_agent(of), target)
    return of if isinstance(of, tuple) else as_table(of, target).strategies
