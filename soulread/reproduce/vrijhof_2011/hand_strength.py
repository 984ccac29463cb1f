"""The worked examples of Vrijhof's thesis (2011): hand strength, re-weighting, triples, and the search.

Every number that its sections II, III, IV and VI print, and that soulread computes, stands beside ours. Ours
come from the code that the agents use. An example holds if our number, rounded as the thesis rounds, is the
printed one.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from soulread.cards.deck import parse_cards
from soulread.cards.ranges import HAND_CELLS, NUM_HANDS
from soulread.cards.scales.values import Scale
from soulread.cards.strength import BEHIND, Potential, hand_strength, potential
from soulread.games.limit_holdem import limit_holdem
from soulread.games.poker import CALL, FOLD, RAISE
from soulread.model.loki.triples import FLOOR, NUM_CONTEXTS, factor
from soulread.model.loki.weights import even_weights, initial_weights, reweigh_by_triples
from soulread.model.vexbot.classes import contexts
from soulread.report.figures import BarPanel, Bars, Curve, Figure, Panel
from soulread.reproduce.kit.experiment import RunOptions, published
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable
from soulread.reproduce.kit.verdict import Verdict, all_of, within
from soulread.respond.search.forecasts import PublicForecast, Standings
from soulread.respond.search.miximax import Choice, search
from soulread.respond.search.runouts import deal_out, deals
from soulread.seqform.betting import betting_tree

STANDINGS = "ahead", "tied", "behind"
MEANT = "AdQc"  # the hand whose table the thesis prints
OTHER = "5h2h"  # its example of a hand with potential
RIVER = "3h4cJhTd2s"  # any board; the example of section VI speaks of hand ranks only
_POINTS = 101  # of a curve


def examples(options: RunOptions) -> Report:
    """Compute every printed example; there is nothing to choose and nothing random."""
    paper = published("vrijhof2011")
    return Report(
        name="hand-strength",
        title="the worked examples: hand strength, weights, triples and the search",
        source=f"{paper['source']}, sections II, III, IV and VI",
        settings={"board": paper["standing"]["board"], "printed hand": paper["standing"]["hole"]},
        tables=(_counts(paper), _transitions(paper), _strengths(paper), _weights(paper), _search(paper)),
        claims=_claims(paper),
        figures=(_figure(paper),),
        notes=(
            "Green: our number rounds to the printed one; red: it does not.",
            f"The thesis prints the table of the look-ahead for {paper['standing']['hole']}. The numbers are "
            f"those of {MEANT}: with the ace of hearts there would be more flushes.",
            "A betting round before the flop can be survived in 7 ways, not in 9: the big blind is a bet, so "
            "there is no check, and one raise fewer. That leaves 7 x 9 x 9 x 9 = 5,103 ways to a showdown.",
        ),
    )


@lru_cache(maxsize=8)
def _paths(hole: str, board: str) -> Potential:
    """The look-ahead of a hand to the river."""
    return potential(parse_cards(hole), parse_cards(board))


def _measure(row: str, column: str, ours: float, paper: float | None = None, digits: int = 3) -> Measure:
    """A number that is green if it rounds to the printed one."""
    verdict = None
    if paper is not None:
        verdict = Verdict.HOLDS if abs(round(ours, digits) - paper) < 1e-9 else Verdict.FAILS
    return Measure(row, column, float(ours), paper, None, verdict)


def _counts(paper: Mapping[str, Any]) -> ResultTable:
    hands, standing = paper["hands"], paper["standing"]
    now = hand_strength(parse_cards(standing["hole"]), parse_cards(standing["board"]))
    found = _paths(standing["hole"], standing["board"])
    against = now.ahead + now.tied + now.behind
    betting = betting_tree(limit_holdem())
    showdowns = int(betting.arrays.showdown.sum())
    rows = [
        ("two-card hands", NUM_HANDS, hands["all"]),
        ("classes of them", len(np.unique(HAND_CELLS)), hands["classes"]),
        ("holdings of an opponent on a flop", against, hands["against"]),
        ("ways to deal two more cards", found.table.sum() / against, hands["runouts"]),
        *((f"{name} of them", getattr(now, name), standing[name]) for name in STANDINGS),
        ("kinds of actions", 3 * NUM_CONTEXTS, paper["reweight"]["categories"]),
        ("showdowns of heads-up limit hold'em", showdowns, paper["search"]["showdowns"]),
        ("histograms of both seats", 2 * showdowns, paper["search"]["histograms"]),
    ]
    return ResultTable(
        "counts", "number", tuple(_measure(name, "ours", *pair) for name, *pair in rows), digits=0
    )


def _transitions(paper: Mapping[str, Any]) -> ResultTable:
    """The look-ahead of the hand that is printed and of the one that is meant."""
    measures = []
    for hole in (paper["standing"]["hole"], MEANT):
        table = _paths(hole, paper["standing"]["board"]).table
        for row, now in zip(table, STANDINGS, strict=True):
            for ours, then, printed in zip(row, STANDINGS, paper["transitions"][now], strict=True):
                measures.append(_measure(f"{hole}, {now} on the flop", f"{then} at the end", ours, printed))
    return ResultTable("two-card look-ahead", "paths", tuple(measures), digits=0)


def _strengths(paper: Mapping[str, Any]) -> ResultTable:
    standing = paper["standing"]
    measures = []
    for hole in (standing["hole"], MEANT, OTHER):
        found = _paths(hole, standing["board"])
        printed = standing if hole != OTHER else {}
        behind = found.table[BEHIND]
        for column, ours, name, digits in (
            ("HS", found.hs, "hs", 3),
            ("HS_3", found.hs**3, "hs_3", 3),
            ("wins if behind", behind[0] / behind.sum(), "behind_wins", 2),
            ("PPot", found.ppot, "", 3),
            ("NPot", found.npot, "", 3),
            ("EHS", found.ehs(), "", 3),
            ("EHS_3", found.ehs(3), "", 3),
        ):
            measures.append(_measure(hole, column, ours, printed.get(name), digits))
    return ResultTable(
        f"hand strength and potential on {standing['board']}",
        "share",
        tuple(measures),
        note="PPot, NPot and EHS are not printed as numbers.",
    )


def _weights(paper: Mapping[str, Any]) -> ResultTable:
    initial, again, triple = paper["initial"], paper["reweight"], paper["triple"]
    rates = np.array([*initial["rates"], initial["mean"]], dtype=np.float64)
    weights = initial_weights(rates, initial["mean"], initial["spread"]).tolist()
    rows = [
        (f"weight at an income rate of {rate:+.0f}", weight, printed)
        for rate, weight, printed in zip(rates.tolist(), weights, [*initial["weights"], None], strict=True)
    ]
    values = [*again["values"], again["mean"]]
    for value, printed in zip(values, [*again["factors"], None], strict=True):
        ours = factor(value, again["mean"], again["spread"])
        rows.append((f"factor at an EHS of {value:g}", ours, printed))
    rows.append(("weight of aces after a call", _after_call(**triple), triple["after"]))
    return ResultTable("weights", "weight", tuple(_measure(name, "ours", *pair) for name, *pair in rows))


def _after_call(before: float, triple: Sequence[float], after: float) -> float:
    """The weight of a holding with this triple after a call.

    The bar for raising is placed so that a holding of value 1/2 has the triple. No action is ever impossible
    with any holding, so a share `FLOOR` of every triple is spread, and the bar allows for it.
    """
    raised = 1 - (triple[CALL] - FLOOR / 2) / (1 - FLOOR)
    weights = even_weights()
    weights[0] = before
    scale = Scale(np.full(NUM_HANDS, 0.5), np.arange(NUM_HANDS))
    bars = np.array([[0.0, 0.0], [1 - raised, 0.5]])
    reweigh_by_triples(weights, scale, bars, CALL, False, True)
    return float(weights[0])


def _searched(paper: Mapping[str, Any], rank: float) -> Choice:
    """The search of section VI with our hand at a hand rank."""
    example = paper["search"]
    game = limit_holdem()
    betting = betting_tree(game)
    chances = np.zeros(betting.arrays.child.shape)
    chances[betting.decision("rc/cc/cc/rrr")] = example["triple"]
    cumulative = np.zeros((betting.num_nodes, len(example["raise"]) + 1))
    for end, name in (("rc/cc/cc/rrc", "raise"), ("rc/cc/cc/rrrc", "reraise")):
        counts = np.array(example[name], dtype=np.float64)
        cumulative[betting.betting.index(end), 1:] = np.cumsum(counts) / counts.sum()
    boards = deals(deal_out(game, parse_cards(MEANT), parse_cards(RIVER)), len(game.rules.board_cards))
    standing = Standings(boards, np.array([rank]))
    forecast = PublicForecast(betting, 0, chances, cumulative, standing)
    return search(betting, betting.decision("rc/cc/cc/rr"), forecast)


def _search(paper: Mapping[str, Any]) -> ResultTable:
    example = paper["search"]
    small_bet = limit_holdem().rules.small_bet
    measures = []
    for text, printed in example["call"].items():
        found = _searched(paper, float(text))
        row = f"hand rank {text}"
        fold, call, again = (found.value_of(action) / small_bet for action in (FOLD, CALL, RAISE))
        measures += [
            _measure(row, "fold", fold, example["fold"], 1),
            _measure(row, "call", call, printed, 1),
            _measure(row, "re-raise", again),
            _measure(row, "of it: opponent folds", _folds(paper), example["folds"], 1),
        ]
    return ResultTable(
        "what the actions of section VI are worth",
        "small bets",
        tuple(measures),
        digits=1,
        note="With a hand rank of 0.1 the thesis folds. The re-raise that it does not add up is better.",
    )


def _folds(paper: Mapping[str, Any]) -> float:
    """The chance that the opponent folds to the re-raise, times what lies in the pot then, less our part."""
    game = limit_holdem()
    betting = betting_tree(game)
    end = betting.betting.index("rc/cc/cc/rrrf")
    share: float = paper["search"]["triple"][0] * betting.arrays.chips[end, 0] / game.rules.small_bet
    return share


def _claims(paper: Mapping[str, Any]) -> tuple[Claim, ...]:
    example = paper["search"]
    standing = paper["standing"]
    table = np.array([paper["transitions"][name] for name in STANDINGS])
    both = (_paths(hole, standing["board"]).table for hole in (standing["hole"], MEANT))
    off = [int(np.abs(found - table).max()) for found in both]
    share = 1 - example["decay"] ** example["observations"]
    number = int(contexts(limit_holdem()).betting.arrays.showdown.sum())
    bluff = _searched(paper, 0.1)
    return (
        Claim.judged(
            f"The table of the look-ahead is that of {paper['standing']['hole']}",
            within(float(off[0]), 0, 0),
            f"largest difference {off[0]:,} paths",
            f"It is that of {MEANT}: largest difference {off[1]:,}.",
        ),
        Claim.judged(
            "A hand far below the bar is unlikely, not impossible",
            within(factor(0.0, paper["reweight"]["mean"], paper["reweight"]["spread"]), FLOOR, FLOOR),
            f"factor {FLOOR:g}",
        ),
        Claim.judged(
            f"With h = {example['decay']:g} the last {example['observations']} observations have "
            f"{example['share']:.0%} of the weight",
            within(share, example["share"] - 0.015, example["share"] + 0.015),
            f"{share:.1%}; the thesis takes 1 - 1/e",
        ),
        Claim.judged(
            f"Each player has {example['showdowns']:,} showdowns to keep histograms of",
            within(float(number), example["showdowns"], example["showdowns"]),
            f"{number:,}",
            "Before the flop there are 7 ways to go on, not 9.",
        ),
        Claim.judged(
            "With a hand rank of 0.1 folding is best",
            all_of([within(float(bluff.best == FOLD), 1, 1)]),
            f"fold {bluff.value_of(FOLD) / 2:+.1f}, call {bluff.value_of(CALL) / 2:+.1f}, "
            f"re-raise {bluff.value_of(RAISE) / 2:+.1f} small bets",
            "The re-raise wins at once in 3 of 10 cases, which is worth more than what it loses otherwise.",
        ),
    )


def _figure(paper: Mapping[str, Any]) -> Figure:
    standing, again = paper["standing"], paper["reweight"]
    holes: Sequence[str] = standing["hole"], MEANT, OTHER
    found = {hole: _paths(hole, standing["board"]) for hole in holes}
    bars = tuple(Bars(hole, (each.hs, each.ppot, each.npot, each.ehs())) for hole, each in found.items())
    mark = Bars(holes[0], (standing["hs"], np.nan, np.nan, np.nan))
    line = np.linspace(0, 1, _POINTS).tolist()
    ramp = tuple(float(factor(value, again["mean"], again["spread"])) for value in line)
    return Figure(
        "examples",
        "Left: three hands on 3h 4c Jh. Right: by how much an action that needs an EHS of 0.6 +- 0.2 changes "
        "the weight of a holding.",
        (
            BarPanel("strength and potential", "share", ("HS", "PPot", "NPot", "EHS"), bars, (mark,)),
            Panel(
                "re-weighting",
                "EHS of the holding",
                "factor on its weight",
                (
                    Curve("ours", tuple(line), ramp),
                    Curve("published", tuple(again["values"]), tuple(again["factors"]), points=True),
                ),
            ),
        ),
    )
