"""The zoo: opponents of different kinds, for choosing an agent's settings and for judging the agent.

An exploiter that was tuned on the opponents it is then judged by proves little. So the zoo has *families*
that differ in kind, and every opponent has a *role*: some serve to choose settings, all others to judge.
`CHOOSING` holds this split. It was fixed before any agent was measured on the zoo. A report on an opponent of
that list must say so. The named bent equilibria are on it because soulread's older agents were
designed with them. Whole families are for judging only.

A family's function gives the opponents of a game as texts of the catalogue. Nothing is solved until an
opponent sits down. In limit hold'em the strategies live in the abstraction `CARDS`, or in one that they name.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame
from soulread.play.catalogue.entry import where_tables_reach
from soulread.play.catalogue.known import known_agents
from soulread.seqform.abstract import has_abstraction
from soulread.solvers.equilibria import QUICK_METHODS
from soulread.solvers.skews import ROUNDS, STRENGTHS, Skew, format_skews
from soulread.streams import stream

CARDS = "5-5-5-5:quick"
"""The card abstraction of the zoo in limit hold'em."""

ROLES = "choosing", "judging"

DRAWN_SKEWS = 24  # bent equilibria that are drawn by seeds 0, 1, ...
RULE_PLAYERS = 40
PERSONS = 24

CHOOSING: dict[str, frozenset[str]] = {
    "bent": frozenset(
        (
            "loose",
            "tight",
            "passive",
            "aggressive",
            "orange",
            *(f"skew {n}" for n in range(0, DRAWN_SKEWS, 2)),
        )
    ),
    "rules": frozenset(f"rule {n}" for n in range(10)),
}
"""By family, the labels of the opponents that serve to choose settings. All others are for judging.

This was fixed before any agent was measured on the zoo. It must not be changed to suit a result.
"""

AMOUNTS = {"loose": (0.1, 0.4), "tight": (0.05, 0.2), "passive": (0.1, 0.4), "aggressive": (0.1, 0.4)}
"""The intervals that the amounts of drawn skews are drawn from, evenly."""

Members = Callable[[PokerGame], Iterable[tuple[str, str]]]  # of a game: labels and texts of agents


@dataclass(frozen=True)
class ZooFamily:
    """Opponents of one kind."""

    name: str
    about: str  # one line
    members: Members


@dataclass(frozen=True)
class ZooOpponent:
    """One opponent of the zoo; ``agent`` is the text that the catalogue reads."""

    family: str
    label: str
    agent: str

    JSON = keys("* role")

    @property
    def role(self) -> str:
        """One of `ROLES`: whether results against this opponent choose settings or judge an agent."""
        return ROLES[self.label not in CHOOSING.get(self.family, frozenset())]


def zoo(game: PokerGame, role: str | None = None, family: str | None = None) -> list[ZooOpponent]:
    """The opponents of a game, all of them or those of a role or a family.

    Opponents that cannot sit at the game are left out, and so are those that the catalogue does not have.
    """
    reason = where_tables_reach(game)
    if reason is not None:
        raise SoulreadError(
            f"there is no zoo of {game.name!r}: most opponents play from a table, and {reason}"
        )
    if role is not None and role not in ROLES:
        raise SoulreadError(f"{role!r} is not a role; known are {' and '.join(ROLES)}")
    names = [entry.name for entry in FAMILIES]
    if family is not None and family not in names:
        raise SoulreadError(f"{family!r} is not a family of the zoo; known are {', '.join(names)}")
    known = known_agents()
    found = []
    for kind in FAMILIES:
        for label, agent in kind.members(game) if family in (None, kind.name) else ():
            entry = known.get(agent.partition(":")[0])
            opponent = ZooOpponent(kind.name, label, agent)
            if entry is not None and entry.refuses(game) is None and role in (None, opponent.role):
                found.append(opponent)
    return found


def absent(game: PokerGame) -> dict[str, str]:
    """By family, why no opponent of it can sit at the game; families that have some are left out."""
    known = known_agents()
    reasons = {}
    for kind in FAMILIES:
        names = dict.fromkeys(agent.partition(":")[0] for _, agent in kind.members(game))
        missing = [
            known[name].refuses(game) if name in known else f"the catalogue has no agent {name!r}"
            for name in names
        ]
        told = [reason for reason in missing if reason is not None]
        if len(told) == len(missing):
            reasons[kind.name] = told[0] if told else "there is none"
    return reasons


def equilibrium_text(game: PokerGame) -> str:
    """The agent that the zoo's opponents are bent from, and measured against."""
    return _with_cards("equilibrium", game)


def _with_cards(text: str, game: PokerGame) -> str:
    """``"loose:0.4"``, or ``"loose:5-5-5-5:quick:0.4"`` in limit hold'em."""
    name, colon, rest = text.partition(":")
    cards = f":{CARDS}" if has_abstraction(game) else ""
    return f"{name}{cards}{colon}{rest}"


def _with_options(name: str, game: PokerGame, options: str = "") -> str:
    """``"dbr:k=5"``, or ``"dbr:5-5-5-5:quick,k=5"`` in limit hold'em."""
    parts = [part for part in (CARDS if has_abstraction(game) else "", options) if part]
    return f"{name}:{','.join(parts)}" if parts else name


def drawn_skews(game: PokerGame, seed: int) -> tuple[Skew, ...]:
    """One to three skews that the seed draws: what is done, how much, in which round, with which hands."""
    rng = stream(seed, "zoo", "bent")
    rounds = len(game.rules.board_cards)
    skews = []
    for _ in range(1 + int(rng.integers(3))):
        what = str(rng.choice(list(AMOUNTS)))
        amount = round(float(rng.uniform(*AMOUNTS[what])), 2)
        where, hands = rng.integers(2 * len(ROUNDS)), rng.integers(2 * len(STRENGTHS))
        skews.append(
            Skew(
                what,
                (amount,),
                (int(where) % rounds,) if where < len(ROUNDS) and rounds > 1 else (),
                (STRENGTHS[hands],) if hands < len(STRENGTHS) else (),
            )
        )
    return tuple(skews)


def _bent(game: PokerGame) -> Iterable[tuple[str, str]]:
    for name in ("loose", "tight", "passive", "aggressive", "orange"):
        yield name, _with_cards(name, game)
    for seed in range(DRAWN_SKEWS):
        yield f"skew {seed}", _with_cards(f"skew:{format_skews(drawn_skews(game, seed))}", game)


def _equilibria(game: PokerGame) -> Iterable[tuple[str, str]]:
    if has_abstraction(game):
        for cards in ("4-3-2-2", "3-3-3-3", "6-4-3-3", "hs:5-5-4-4", "potential:4-4-4-4"):
            yield cards, f"equilibrium:{cards}:quick"
        methods: tuple[str, ...] = "cfr+", "pcfr+"
    else:
        methods = QUICK_METHODS[1:]  # the first is the usual way
    for method in methods:
        yield method, _with_options("equilibrium", game, f"method={method}")


def _unfinished(game: PokerGame) -> Iterable[tuple[str, str]]:
    counts = (10, 30, 100) if has_abstraction(game) else (3, 10, 50)
    for method in ("dcfr", "cfr", "cfr+"):
        for iterations in counts:
            options = f"iterations={iterations},method={method}"
            yield f"{method}, {iterations} iterations", _with_options("unfinished", game, options)


def _rules(game: PokerGame) -> Iterable[tuple[str, str]]:
    return [(f"rule {number}", f"rule:number={number}") for number in range(RULE_PLAYERS)]


def _people(game: PokerGame) -> Iterable[tuple[str, str]]:
    return [(f"person {number}", f"person:number={number}") for number in range(PERSONS)]


def _adaptive(game: PokerGame) -> Iterable[tuple[str, str]]:
    large = has_abstraction(game)
    yield "dbbr", _with_options("dbbr", game, "T=500,k=100" if large else "T=100,k=50")
    yield "dbbr, shown cards", _with_options("dbbr", game, "T=100,k=100,method=l1,pool=1,shown=5")
    yield "dbr", _with_options("dbr", game, "T=200,k=400" if large else "T=100,k=100")
    yield "rwywe", "rwywe:every=10"
    yield "explicit", "explicit"
    yield "implicit", "implicit"
    yield "learner", "learner"


def _changing(game: PokerGame) -> Iterable[tuple[str, str]]:
    long, short = (1000, 300) if has_abstraction(game) else (200, 50)
    loose, tight, passive, aggressive, equilibrium = (
        _with_cards(name, game)
        for name in ("loose:0.4", "tight:0.2", "passive:0.4", "aggressive:0.4", "equilibrium")
    )
    yield "loose, then tight", f"switching:every={long}|{loose}|{tight}"
    yield "aggressive, then passive", f"switching:every={long}|{aggressive}|{passive}"
    yield "equilibrium, then loose", f"switching:every={long}|{equilibrium}|{loose}"
    yield "loose and tight by turns", f"switching:every={short}|{loose}|{tight}"
    yield "any of four", f"switching:rate={1 / long}|{loose}|{tight}|{passive}|{aggressive}"
    yield "from loose to tight", f"drifting:over={2 * long}|{loose}|{tight}"
    yield "from passive to aggressive", f"drifting:over={long}|{passive}|{aggressive}"
    yield "from equilibrium to loose", f"drifting:over={long}|{equilibrium}|{loose}"


def _deceivers(game: PokerGame) -> Iterable[tuple[str, str]]:
    hands = 1000 if has_abstraction(game) else 200
    equilibrium = equilibrium_text(game)
    for mask in ("loose:0.5", "tight:0.4", "passive:0.8", "aggressive:0.8"):
        shown = _with_cards(mask, game)
        yield f"seems {mask.partition(':')[0]}", _with_cards(f"deceiver:hands={hands}|{shown}", game)
        yield f"{mask.partition(':')[0]}, then sound", f"deceiver:hands={hands}|{shown}|{equilibrium}"
    for mask, strike in (("loose:0.5", "aggressive:0.6"), ("tight:0.4", "loose:0.5")):
        name = f"{mask.partition(':')[0]}, then {strike.partition(':')[0]}"
        yield name, f"deceiver:hands={hands}|{_with_cards(mask, game)}|{_with_cards(strike, game)}"


FAMILIES = (
    ZooFamily("bent", "equilibria with faults: some named, some drawn by seeds", _bent),
    ZooFamily("equilibria", "equilibria that are not ours: other methods, other abstractions", _equilibria),
    ZooFamily("unfinished", "solves that were broken off after a few iterations", _unfinished),
    ZooFamily("rules", "players who follow rules of thumb, with habits of their own", _rules),
    ZooFamily("people", "players fitted to what real people did and showed", _people),
    ZooFamily("adaptive", "opponents who learn: our own exploiters", _adaptive),
    ZooFamily("changing", "opponents who switch from one style to another, or drift", _changing),
    ZooFamily("deceivers", "opponents who play one way until they are believed, and then strike", _deceivers),
)
