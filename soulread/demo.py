"""`soulread demo`: shows what soulread can do, in about a minute."""

import time
from contextlib import suppress
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Group
from rich.live import Live
from rich.text import Text

from soulread.abstraction.tables import info
from soulread.cards.deck import parse_cards, pretty_cards
from soulread.cards.equity import equity
from soulread.cards.ranges import parse_range
from soulread.cards.strength import hand_strength, potential
from soulread.estimate import Estimate, Unit
from soulread.games.named import parse_game
from soulread.model.deviation.leak_tests import Leak, all_leaks
from soulread.model.deviation.model import DeviationModel
from soulread.play.catalogue.known import parse_agent
from soulread.play.exploiters.dbbr import DeviationAgent
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match, play_match, play_matches
from soulread.play.opponents.baselines import SIMPLE
from soulread.report.grid import Grid, console, titled
from soulread.seqform.source import Source, parse_source
from soulread.solvers.equilibria import equilibrium_path
from soulread.study.hands.cards_terminal import print_strength
from soulread.study.strategies.leaks_terminal import leaks_table

HANDS = 500
SEED = 2011
LEDUC_HANDS = 2000
LIMIT_HANDS = 1500
LIMIT_SECONDS = 20.0
LIMIT_GAMES = "limit:5-5-5-5", "limit:5-5-5-5:quick", "limit:8-12-4-4", "limit:8-12-4-4:quick"
TOP = 3
_BAR = 24  # characters


def run() -> None:
    """Hand strength, equities, simple agents against each other, and a leaky player taken apart."""
    _strength()
    _equities()
    _round_robin()
    _exploit("4", "leduc", "skew:tight=0.5", "dbbr:T=200,k=50,expected=joint", "equilibrium", LEDUC_HANDS)
    spec = cached_abstraction()
    if spec is not None:
        skewed, dbbr = f"skew:{spec}:tight=0.4", f"dbbr:{spec},T=200,k=200,pool=1,expected=joint"
        _exploit("5", "limit", skewed, dbbr, f"equilibrium:{spec}", LIMIT_HANDS, LIMIT_SECONDS)
        following = f"soulread leaks limit {skewed} --abstraction {spec}"
    else:
        console.print("In limit hold'em, once it is solved: soulread solve limit:5-5-5-5 --quick")
        following = "soulread leaks leduc loose"
    console.print(f"Next: {following}")


def _strength() -> None:
    hole, board = parse_cards("AdQc"), parse_cards("3h4cJh")
    title = f"1. {pretty_cards(hole)} on {pretty_cards(board)}: all 1,070,190 ways the hand can end"
    print_strength(title, hand_strength(hole, board), potential(hole, board), opponents=1)


def _equities() -> None:
    table = Grid("hand", "against", "equity")
    matchups = (
        ("AA", "random"),
        ("AKs", "random"),
        ("JJ", "QQ+, AK"),
        ("T9s", "AA-99, AKs"),
        ("77+", "A2s+, KTs+"),
    )
    for hero, villain in matchups:
        value = equity(parse_range(hero), parse_range(villain)).value
        table.add_row(hero, villain, f"{value:.6f}")
    console.print(titled("2. Exact all-in equity", table))


def _round_robin() -> None:
    game = parse_game("limit")
    names = [entry.name for entry in SIMPLE]
    cells: dict[tuple[str, str], Estimate] = {}
    with Live(_results(names, cells), console=console, auto_refresh=False) as live:
        for row, column in product(names, names):
            if row < column:
                specs = [parse_agent(name) for name in (row, column)]
                result = play_matches(game, specs, HANDS, duplicate=True, seed=SEED)
                cells[row, column] = result.estimate(0, Unit.SMALL_BETS)
                cells[column, row] = result.estimate(1, Unit.SMALL_BETS)
                live.update(_results(names, cells), refresh=True)
    _end_line()
    best = max(names, key=lambda name: sum(cells[name, other].mean for other in names if other != name))
    console.print(f"± is half the 95% interval. In this company {best} wins most; each can be taken apart.")
    console.print()


def _results(names: list[str], cells: dict[tuple[str, str], Estimate]) -> Group:
    title = f"3. Heads-up limit hold'em: sb/h won by the row, {HANDS} duplicate hands, seed {SEED}"
    table = Grid("", *(name.removeprefix("always-") for name in names))
    for row in names:
        table.add_row(row, *(_cell(cells.get((row, other))) for other in names))
    return titled(title, table)


def _end_line() -> None:
    """End the line after a live display, which leaves it open if the output is not a terminal."""
    if not console.is_terminal:
        console.print()


def _cell(estimate: Estimate | None) -> str:
    return estimate.text(2).replace(" ", "") if estimate else ""


def cached_abstraction() -> str | None:
    """The first abstraction of limit hold'em whose tables and equilibrium are in the cache, or None."""
    there = {(entry.what, entry.spec) for entry in info() if entry.current}
    for name in LIMIT_GAMES:
        source = parse_source(name)
        joint = "quick joint" if source.quick else "joint"
        needed = {("features", ""), ("states", str(source.cards)), (joint, str(source.cards))}
        if needed <= there and equilibrium_path(source).exists():
            return name.partition(":")[2]
    return None


class _Enough(Exception):
    """The time is up."""


def _exploit(
    number: str, name: str, villain: str, hero: str, safe: str, hands: int, seconds: float | None = None
) -> None:
    """Show live how a leaky player does against the equilibrium and, with the same cards, against DBBR."""
    deadline = None if seconds is None else time.monotonic() + seconds
    game = parse_game(name)
    opponent = parse_agent(villain).make(game)
    agent = parse_agent(hero).make(game)
    assert isinstance(agent, DeviationAgent)
    bet = game.rules.small_bet
    source = Source(game) if name != "limit" else parse_source(f"limit:{cached_abstraction()}")
    title = f"{number}. {name}: {villain} meets {hero}"
    calm = play_match(Match(game, (parse_agent(safe).make(game), opponent), hands), SEED)[:, 0] / bet
    won: list[float] = []
    found: list[Leak] = []

    def view() -> Group:
        return _duel(title, source, calm[: len(won)], np.array(won), agent, found)

    def record(hand: LiveHand) -> None:
        nonlocal found
        won.append(hand.payoffs[hand.players.index(agent.name)] / bet)
        if len(won) % (hands // 20) == 0:
            if agent.exploiting and live.console.is_terminal:
                found = _believed(agent)
            live.update(view(), refresh=True)
            if deadline is not None and time.monotonic() > deadline:
                raise _Enough

    with Live(view(), console=console, auto_refresh=False) as live:
        with suppress(_Enough):
            Match(game, (agent, opponent), hands).play(SEED, record=record)
        found = _believed(agent)
        live.update(view(), refresh=True)
    _end_line()
    if len(won) > 1:
        console.print(_chart(calm[: len(won)], np.array(won)))
        ours, theirs = Estimate.of(np.array(won)), Estimate.of(calm[: len(won)])
        console.print(
            f"In {len(won):,} hands DBBR won {ours.text(2)} sb/h, the equilibrium {theirs.text(2)} "
            "with the same cards."
        )
        console.print()


def _believed(agent: DeviationAgent) -> list[Leak]:
    """The costliest leaks the agent sees at present, without those that may be chance."""
    if not agent.exploiting:
        return []
    assert isinstance(agent.model, DeviationModel)  # the demo gives it no other
    every = all_leaks([agent.model.seat(seat) for seat in (0, 1)], 10)
    return [leak for leak in every if leak.certain][:TOP]


def _duel(
    title: str,
    source: Source,
    calm: NDArray[np.float64],
    won: NDArray[np.float64],
    agent: DeviationAgent,
    found: list[Leak],
) -> Group:
    start = agent.options.T
    table = Grid("", "hands", "sb/h", f"sb/h after hand {start}")
    for name, profits in (("equilibrium", calm), ("DBBR", won)):
        table.add_row(name, f"{len(profits):,}", _text(profits), _text(profits[start:]))
    parts: list[Any] = [titled(title, table)]
    if found:
        parts.append(leaks_table(source, found, "what DBBR believes"))
    else:
        parts.append(Text("DBBR still watches" if len(won) < start else "DBBR is sure of no leak"))
    return Group(*parts)


def _text(profits: NDArray[np.float64]) -> str:
    return Estimate.of(profits).text(3) if len(profits) > 1 else ""


def _chart(calm: NDArray[np.float64], won: NDArray[np.float64]) -> Group:
    """Small bets won so far, ten points in time, as bars."""
    marks = [len(won) * (i + 1) // 10 for i in range(10)]
    totals = [(mark, float(calm[:mark].sum()), float(won[:mark].sum())) for mark in marks]
    most = max(1.0, *(abs(amount) for _, *amounts in totals for amount in amounts))
    table = Grid("hands", "equilibrium", "", "DBBR", "", left=(2, 4))
    for mark, *amounts in totals:
        bars = [("█" if amount > 0 else "░") * round(_BAR * abs(amount) / most) for amount in amounts]
        table.add_row(f"{mark:,}", f"{amounts[0]:+.0f}", bars[0], f"{amounts[1]:+.0f}", bars[1])
    return titled("small bets won so far (░ lost)", table)
