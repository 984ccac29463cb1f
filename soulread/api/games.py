"""Games, equilibria and counter-strategies at the prompt."""

from collections.abc import Iterable, Sequence

from soulread.api.given import AnyAgent, AnyGame, agent_of, behaviours_of, hands_of, source_of
from soulread.errors import SoulreadError
from soulread.games.openspiel import PREFIX
from soulread.hands.hand import Hand
from soulread.names import compile_named
from soulread.play.search.river_agent import known_opponent
from soulread.respond.counter import CounterPair, in_both_seats, pair_of, restricted_nash
from soulread.respond.curves import PAPER_PS
from soulread.seqform.compile import SequenceGame, compile_game
from soulread.seqform.source import Source, parse_source
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.cfr.methods import default_schedule, solve_named
from soulread.solvers.cfr.run import Solution
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.equilibria import find_equilibrium
from soulread.solvers.real_cards.local_best_response import LocalBestResponse, local_best_response
from soulread.study.strategies.curves import (
    DEFAULT_PARTS,
    CurveStudy,
    known_subject,
    recorded_subject,
    study_curve,
    watched_subject,
)


def game(text: str) -> Source:
    """The poker game a name stands for: "kuhn", "leduc", "limit:5-5-5-5:quick"."""
    return parse_source(text)


def compiled(game: AnyGame) -> SequenceGame:
    """A game as two treeplexes and a payoff operator, with its rules and look-up."""
    return source_of(game).compile()


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
    if isinstance(game, SequenceGame):
        target = game
    elif isinstance(game, str) and game.startswith(PREFIX):
        target = compile_named(game)
    else:
        source = source_of(game)
        target = source.compile() if source.cards is not None else compile_game(source.poker)
        method = default_schedule(source).name if method is None else method
    stops = Stops(gap=gap, iterations=iterations, seconds=seconds)
    return solve_named(target, method, stops, seed=seed)


def equilibrium(game: AnyGame) -> TabularStrategy:
    """An equilibrium of a poker game, ready to play: exact in small games, else from the cache or solved."""
    return find_equilibrium(source_of(game))


def best_response(game: AnyGame, opponent: AnyAgent, trust: float = 1.0) -> CounterPair:
    """The best response of each seat to an opponent in the other seat; with less ``trust`` a careful one.

    Trust 0.9 means that the opponent plays as given in nine of ten hands and anything in the others (a
    restricted Nash response); trust 0 gives an equilibrium.

    The opponent is an agent that plays from a table, or anything with a strategy: a solution, a
    counter-strategy, a fitted model, a pair of behaviours. The result can be asked what it wins and how
    exploitable it is.
    """
    source = source_of(game)
    target = source.compile()
    theirs = behaviours_of(opponent, target)
    own = find_equilibrium(source).behaviours
    return in_both_seats(
        lambda seat: restricted_nash(target, seat, theirs[1 - seat], trust, default=own[seat])
    )


def exploitability(game: AnyGame, of: AnyAgent) -> float:
    """Compute what a best responder wins from a strategy: chips per hand, the mean over the seats."""
    if isinstance(of, Solution):
        return pair_of(of.game, of.behaviours).exploitability
    target = source_of(game).compile()
    return pair_of(target, behaviours_of(of, target)).exploitability


def curve(
    game: AnyGame,
    opponent: AnyAgent | Iterable[Hand],
    method: str = "rnr",
    trust: Sequence[float] = PAPER_PS,
    *,
    player: str | None = None,
    hands: int | None = None,
    against: AnyAgent | None = "probe",
    confidence: str = "0-10",
    gap: float | None = None,
    seed: int = 0,
    keep: bool = False,
    parts: int = DEFAULT_PARTS,
) -> CurveStudy:
    """Compute what counter-strategies win from an opponent and what they risk, by ``trust`` in the model.

    The opponent is an agent that plays from a table, or ``player`` in recorded hands. An agent is known
    exactly. With ``hands`` it is learnt from that many hands ``against`` another agent instead, where None
    means a copy of itself. Each solve ends at ``gap`` chips per hand. Recorded hands are cut into ``parts``,
    each of which is held out once (`soulread.study.strategies.curves`); with 0 none is.
    """
    source = source_of(game)
    target = source.compile()
    recorded = hands_of(opponent)
    if recorded is not None:
        if player is None:
            raise SoulreadError("recorded hands have several players; say whom to exploit")
        subject = recorded_subject(target, recorded, player, parts=parts)
    elif hands is not None:
        other = None if against is None else agent_of(against)
        subject = watched_subject(target, agent_of(opponent), hands, other, seed)
    else:
        subject = known_subject(target, agent_of(opponent))
    return study_curve(
        target,
        find_equilibrium(source).behaviours,
        subject,
        method,
        trust,
        confidence=confidence,
        precision=gap,
        keep=keep,
    )


def lbr(
    game: AnyGame,
    agent: AnyAgent,
    *,
    deals: int = 1000,
    seed: int = 0,
    first_round: int = 0,
    runouts: int = 200,
) -> LocalBestResponse:
    """Play a local best response against an agent with real cards: a lower bound of its exploitability.

    Each of ``deals`` is played from both seats. Before ``first_round`` it only calls; ``runouts`` turns and
    rivers are tried on the flop.
    """
    rules, spec = source_of(game).poker, agent_of(agent)
    strategy, rivers = known_opponent(spec, rules)
    return local_best_response(
        strategy,
        rules,
        deals,
        seed,
        name=spec.text,
        first_round=first_round,
        runouts=runouts,
        rivers=rivers,
    )
