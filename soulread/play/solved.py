"""Agents whose strategy is computed or read: equilibria, best responses, strategy files.

    equilibrium                          of Kuhn, Leduc and other small games, exactly
    equilibrium:8-12-4-4[:quick]         of limit hold'em in a card abstraction, to 3 mb/g, kept in the cache
    equilibrium:5-5-5-5:quick:bets=usual of heads-up no-limit hold'em with a menu of raises, to 10 mb/g
    equilibrium:method=cfr+              another equilibrium of a small game: every method finds its own
    unfinished:iterations=20,method=cfr  the average of 20 iterations, far from equilibrium
    best-response:OPPONENT               in small games
    best-response:5-5-5-5[:quick]:OPPONENT   in an abstraction of limit hold'em
    file:PATH                            a file that `soulread solve --output PATH` wrote

The opponent of a best response is a baseline, or an agent that plays from a table over the same private
states.
"""

from dataclasses import dataclass
from typing import Any

from soulread.errors import ParseError, SoulreadError
from soulread.games.poker import PokerGame
from soulread.options import Options, option
from soulread.play.agent import Agent
from soulread.play.catalogue.entry import (
    AgentEntry,
    AgentSpec,
    ParseAgent,
    cards_option,
    divide,
    source_for,
    where_trees_reach,
)
from soulread.play.tabular import behaviours_in
from soulread.play.translated import seated
from soulread.seqform.source import Buckets, Tell
from soulread.solvers.cfr.methods import parse_method
from soulread.solvers.equilibria import (
    equilibrium_by,
    find_equilibrium,
    find_response,
    playable_strategy,
    unfinished_solve,
    verify_equilibrium_method,
)
from soulread.solvers.strategy_files import load_strategy


def _read_method(text: str, parse: object) -> str:
    """A method in an agent's text, where commas part options: "dcfr:1.5/0/2" for "dcfr:1.5,0,2"."""
    return text.replace("/", ",")


@dataclass(frozen=True)
class CardOptions(Options):
    """Options of an agent that takes a card abstraction and nothing else."""

    cards: Buckets | None = cards_option()


@dataclass(frozen=True)
class EquilibriumOptions(Options):
    """Options of `equilibrium`."""

    method: str = option(
        "", "how it is found, such as cfr+, dcfr or lp:7; empty: the usual way", _read_method
    )
    cards: Buckets | None = cards_option(menus=True)

    def __post_init__(self) -> None:
        if self.method:
            verify_equilibrium_method(self.method)


@dataclass(frozen=True)
class UnfinishedOptions(Options):
    """Options of `unfinished`."""

    iterations: int = option(20, "iterations from scratch; their average strategy is played", low=1)
    method: str = option("dcfr", "dcfr, cfr+, pcfr+, lcfr or cfr; in small games also external", _read_method)
    cards: Buckets | None = cards_option(menus=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if parse_method(self.method) is None:
            raise SoulreadError(f"method={self.method} has no iterations")


@dataclass(frozen=True)
class ResponseOptions(Options):
    """Options of `best-response`."""

    opponent: AgentSpec = option(None, "whom to respond to: an agent that plays from a table")
    cards: Buckets | None = cards_option(menus=True)


@dataclass(frozen=True)
class FileOptions(Options):
    """Options of `file`."""

    path: str = option("", "a strategy file, as soulread solve and soulread curve write it")


def _equilibrium(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> Agent:
    source, method = source_for(spec, game), spec.options.method
    found = equilibrium_by(source, method, tell) if method else find_equilibrium(source, tell)
    return seated(spec.text, found)


def _unfinished(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> Agent:
    source, options = source_for(spec, game), spec.options
    return seated(spec.text, unfinished_solve(source, options.method, options.iterations, tell))


def _file(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> Agent:
    path = spec.options.path
    return seated(spec.text, playable_strategy(load_strategy(path), game, repr(path), tell))


def _best_response(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> Agent:
    compiled = source_for(spec, game).compile(tell)
    return seated(spec.text, find_response(compiled, behaviours_in(spec.options.opponent, compiled, tell)))


def _read_response(text: str, options: type[Any], parse: ParseAgent) -> ResponseOptions:
    name, cards, opponent = divide(text)
    if not opponent:
        raise ParseError(f"{text!r} names no opponent; write such as {name}:5-5-5-5:always-raise")
    return ResponseOptions(parse(opponent), cards)


def _read_file(text: str, options: type[Any], parse: ParseAgent) -> FileOptions:
    path = text.partition(":")[2]
    if not path:
        raise ParseError(f"{text!r} names no file; write file:PATH")
    return FileOptions(path)


SOLVED = (
    AgentEntry(
        "equilibrium",
        "an equilibrium, which nobody beats over both seats; it does not look at the opponent",
        _equilibrium,
        EquilibriumOptions,
        where_trees_reach,
        form="equilibrium[:CARDS][,method=METHOD]",
        examples=("equilibrium", "equilibrium:method=lp:1"),
    ),
    AgentEntry(
        "unfinished",
        "an equilibrium that was not solved to the end: the average of a few iterations",
        _unfinished,
        UnfinishedOptions,
        where_trees_reach,
        form="unfinished[:CARDS][,OPTION=VALUE]",
        examples=("unfinished", "unfinished:iterations=3,method=cfr+"),
    ),
    AgentEntry(
        "best-response",
        "wins the most that is possible from one opponent who is known exactly",
        _best_response,
        ResponseOptions,
        where_trees_reach,
        _read_response,
        form="best-response[:CARDS]:OPPONENT",
        examples=("best-response:always-raise", "best-response:equilibrium"),
    ),
    AgentEntry(
        "file", "plays a strategy file", _file, FileOptions, where_trees_reach, _read_file, form="file:PATH"
    ),
)
