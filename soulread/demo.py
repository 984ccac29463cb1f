"""`soulread demo`: an opponent read and beaten, at a risk that is known, in about a minute."""

import time
from contextlib import suppress
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
from soulread.estimate import Estimate
from soulread.games.named import parse_game
from soulread.games.poker import FOLD, replay
from soulread.model.catalogue import parse_model
from soulread.model.deviation.leak_tests import Leak, all_leaks
from soulread.model.deviation.model import DeviationModel
from soulread.model.tabular import as_table
from soulread.play.catalogue.known import parse_agent
from soulread.play.exploiters.dbbr import DeviationAgent
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match, play_match
from soulread.play.tabular import behaviours_in
from soulread.report.grid import Grid, console, titled
from soulread.respond.counter import CounterPair, in_both_seats, restricted_nash
from soulread.seqform.compile import SequenceGame, poker_of
from soulread.seqform.source import Source, parse_source
from soulread.seqform.strategy import Behaviours
from soulread.seqform.tabular import tabular
from soulread.solvers.equilibria import equilibrium_path, find_equilibrium
from soulread.study.hands.cards_terminal import print_strength
from soulread.study.strategies.leaks import watch
from soulread.study.strategies.leaks_terminal import leaks_table

STRANGER = "loose:0.5"
WATCHED = 500
TRUSTS = (
    (0.0, "an equilibrium"),
    (0.5, "for little risk"),
    (0.9, "for more"),
    (1.0, "a best response: no read is perfect"),
)
SEED = 2011
LEDUC_HANDS = 2000
LIMIT_HANDS = 1500
LIMIT_SECONDS = 20.0
LIMIT_GAMES = "limit:5-5-5-5", "limit:5-5-5-5:quick", "limit:8-12-4-4", "limit:8-12-4-4:quick"
TOP = 3
_BAR = 24  # characters


def run() -> None:
    """A stranger read and beaten, and what that risks; then a match as it goes on, and cards."""
    _stranger()
    _exploit("2", "leduc", "skew:tight=0.5", "dbbr:T=200,k=50,expected=joint", "equilibrium", LEDUC_HANDS)
    spec = cached_abstraction()
    if spec is not None:
        skewed, dbbr = f"skew:{spec}:tight=0.4", f"dbbr:{spec},T=200,k=200,pool=1,expected=joint"
        _exploit("3", "limit", skewed, dbbr, f"equilibrium:{spec}", LIMIT_HANDS, LIMIT_SECONDS)
    else:
        console.print("In limit hold'em, once it is solved: soulread solve limit:5-5-5-5 --quick")
        console.print()
    _strength("3" if spec is None else "4")
    _equities("4" if spec is None else "5")
    console.print(
        "The page, to play and to look around in a browser: soulread serve, at http://127.0.0.1:8642"
    )
    console.print("Hands to try everything on: soulread sample-hands hands")


def _stranger() -> None:
    """Watch a player of Leduc, fit a model, answer it with more and less trust, and judge by the truth."""
    source = parse_source("leduc")
    game, equilibrium = source.compile(), find_equilibrium(source)
    specs = parse_agent(STRANGER), parse_agent("equilibrium")
    stranger, other = (spec.make(source.poker) for spec in specs)
    hands = watch(source.poker, (stranger, other), WATCHED, seed=1)
    model = parse_model("tilts").make(game, equilibrium.behaviours).fit(hands, STRANGER)
    read, truth = as_table(model, game).strategies, behaviours_in(specs[0], game)
    title = f"1. A stranger plays {WATCHED} hands of Leduc; cards that were folded, nobody sees"
    console.print(
        _read(title, game, {"an equilibrium": equilibrium.behaviours, "the read": read, "the truth": truth})
    )
    answers = Grid("trust in the read", "wins", "may lose", "", left=(3,))
    for trust, words in TRUSTS:
        answer = _answer(game, read, trust, equilibrium.behaviours)
        gain, risk = answer.exploitation(truth), answer.exploitability
        answers.add_row(f"{trust:.1f}", f"{gain:.2f}", f"{risk:.2f}", words)
    best = _answer(game, truth, 1.0, equilibrium.behaviours)
    console.print(titled("Answers to the read", answers))
    console.print(
        "Chips a hand, exact: what an answer wins from the stranger beyond the value of the game, and what "
        "it may lose to somebody who knows it. Whoever knew all about the stranger could win "
        f"{best.exploitation(truth):.2f}."
    )
    console.print()


def _answer(game: SequenceGame, theirs: Behaviours, trust: float, default: Behaviours) -> CounterPair:
    """What to play in both seats against a read of this trust."""
    return in_both_seats(
        lambda seat: restricted_nash(game, seat, theirs[1 - seat], trust, default=default[seat])
    )


def _read(title: str, game: SequenceGame, plays: dict[str, Behaviours]) -> Group:
    """How often a bet of the first round is folded to, by the card held."""
    table = Grid("folds to a bet with", *plays)
    for card, other in ("J", "Q"), ("Q", "K"), ("K", "Q"):
        view = replay(poker_of(game), "r", f"{other}h{card}s").view(1)
        strategies = [tabular(game, behaviours) for behaviours in plays.values()]
        chances = [strategy.probabilities(*strategy.place(view)) for strategy in strategies]
        table.add_row(card, *(f"{chance[view.choices.index(FOLD)]:.0%}" for chance in chances))
    return titled(title, table)


def _strength(number: str) -> None:
    hole, board = parse_cards("AdQc"), parse_cards("3h4cJh")
    title = f"{number}. {pretty_cards(hole)} on {pretty_cards(board)}: all 1,070,190 ways the hand can end"
    print_strength(title, hand_strength(hole, board), potential(hole, board), opponents=1)


def _equities(number: str) -> None:
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
    console.print(titled(f"{number}. Exact all-in equity", table))


def _end_line() -> None:
    """End the line after a live display, which leaves it open if the output is not a terminal."""
    if not console.is_terminal:
        console.print()


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
