"""Gain against hands in Leduc, exact: how soon an agent wins from an opponent, and whether it promised so.

    python benchmarks/gain_curves.py STORE AGENT ... [--role choosing|judging] [--families bent simple ...]
                                     [--most N] [--matches N] [--hands N] [--label TEXT]

An agent is a text of the catalogue that says what it plays, such as "soul" or "learner", or "oracle", which
knows the members of a population. It meets every opponent in MATCHES matches (1) of HANDS hands (1,000), in
both seats by turns. Every tenth hand the strategy that it holds is valued against the opponent's true
strategy, so cards add no luck to the values. Beside it stand what the equilibrium wins, what a best response
wins, and what a *perfect read* wins within the budget: the exact program on the true strategy. Chips per hand
beyond the equilibrium's, means over both seats.

Families of role "choosing" may be looked at while settings are chosen; those of role "judging" are for a
last look. Both lists are below. Each match is a line of JSON in STORE; a run that was broken off goes on, and
LABEL tells states of the code apart.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from soulread.estimate import Estimate
from soulread.play.catalogue.known import parse_agent
from soulread.play.exploiters.learners import learner_of
from soulread.play.match.card_tables import AgentLearner
from soulread.play.opponents.rated import known_strategy
from soulread.play.opponents.zoo import zoo
from soulread.reproduce.tansey_2013.matches import setting
from soulread.reproduce.tansey_2013.populations import (
    CHOOSING,
    ORACLE,
    REPORTING,
    base_of,
    oracle,
    population,
)
from soulread.respond.learning import Learner
from soulread.respond.planner import SafePlanner
from soulread.seqform.compile import poker_of
from soulread.seqform.strategy import Behaviours, Plans, in_precision, plan_from_behaviour
from soulread.streams import stream

STEP = 10  # hands between two values
SHOWN = 50, 100, 200, 300, 1000
BUDGET = 0.5  # chips per hand: 250 mb/g
MILLIBETS = 500  # per chip
CHANGED = 0.25, 0.5  # parts of a match after which opponents change
SHARES = "simple", "complex"

Villain = Callable[[int], Behaviours]  # from the number of a hand


@dataclass(frozen=True)
class Opponent:
    """One opponent: ``first`` until the hand ``change``, if there is one, then ``second``."""

    family: str
    name: str
    first: str
    second: str = ""
    change: int = 0

    def at(self, hand: int) -> Behaviours:
        """The behaviours in the hand of this number."""
        return behaviours_of(self.second if self.second and hand >= self.change else self.first)


def behaviours_of(name: str) -> Behaviours:
    """A member such as "simple lp:101 100 7", an equilibrium "= lp:101", or an agent of the catalogue."""
    words = name.split(" ")
    if words[0] in SHARES:
        return population(words[0], words[1], int(words[2]))[int(words[3])]
    return base_of(words[1]) if words[0] == "=" else table_of(name)


@lru_cache(maxsize=256)
def table_of(text: str) -> Behaviours:
    """The behaviours of an agent of the catalogue that plays from a table, or rates its hands."""
    poker = poker_of(setting().game)
    strategy = known_strategy(parse_agent(text).make(poker), poker, 0)
    assert strategy is not None, text
    first, second = (in_precision(own, np.float64) for own in strategy.behaviours)
    return first, second


def opponents(role: str, hands: int) -> Iterator[Opponent]:
    """All opponents of a role; the zoo's that play from a table, populations, equilibria and changes."""
    bases = CHOOSING if role == "choosing" else REPORTING
    for kind in SHARES:
        for member in range(20):
            for base in bases.bases:
                yield Opponent(kind, f"{kind} {base} {member}", f"{kind} {base} {bases.seed} {member}")
    for name in bases.equilibria:
        yield Opponent("equilibria", name, f"= {name}")
    poker = poker_of(setting().game)
    tables = [one for one in zoo(poker, role) if one.family in ("bent", "rules", "people", "unfinished")]
    for one in tables:
        yield Opponent(one.family, one.label, one.agent)
    if role == "choosing":
        extreme = "aggressive:0.8", "tight:0.4", "= dcfr:1,0.5,1", "loose:0.5"
    else:
        extreme = "aggressive:0.6", "tight:0.3", "= pcfr+", "loose:0.4"
    wild, rock, sound, loose = extreme
    for first, second in ((wild, rock), (loose, sound), (loose, rock), (sound, loose), (rock, wild)):
        for part in CHANGED:
            change = int(part * hands)
            yield Opponent("changing", f"{first} until {change}, then {second}", first, second, change)


@lru_cache(maxsize=2)
def planners() -> tuple[SafePlanner, SafePlanner]:
    """The exact programs of both seats."""
    game = setting().game
    return SafePlanner(game, 0, plans_of(setting().equilibrium)), SafePlanner(
        game, 1, plans_of(setting().equilibrium)
    )


def plans_of(behaviours: Behaviours) -> Plans:
    """The plans of both seats."""
    first, second = (
        plan_from_behaviour(tree, own) for tree, own in zip(setting().game.trees, behaviours, strict=True)
    )
    return first, second


class Truth:
    """An opponent's true strategy: the worth of any answer to it, and that of the best ones."""

    def __init__(self, villain: Behaviours) -> None:
        self.plans = plans_of(villain)
        self.usual = 0.0
        self.usual = self.gain(setting().equilibrium)
        responder = setting().responder
        self.best = sum(responder.best_value(seat, self.plans[1 - seat]) for seat in (0, 1)) / 2 - self.usual
        payoff = setting().game.payoff
        self.within = (
            sum(
                planners()[seat].respond(payoff.gradient(seat, self.plans[1 - seat]), BUDGET).value
                for seat in (0, 1)
            )
            / 2
            - self.usual
        )

    def gain(self, mine: Behaviours) -> float:
        """Chips per hand, a mean over the seats, beyond those of the equilibrium."""
        responder = setting().responder
        values = [responder.value(seat, mine[seat], self.plans[1 - seat]) for seat in (0, 1)]
        return sum(values) / 2 - self.usual


def new_agent(name: str, opponent: Opponent, number: int) -> Learner:
    """The agent of a match."""
    if name == ORACLE:
        kind, base, seed, _ = opponent.first.split(" ")
        return oracle(population(kind, base, int(seed)))
    if name.startswith("learner") and "seed=" not in name:
        name += f"{',' if ':' in name else ':'}seed={number}"
    return learner_of(parse_agent(name), setting())


def play(name: str, opponent: Opponent, number: int, hands: int) -> dict[str, Any]:
    """One match: gains and promises after every `STEP` hands."""
    agent = new_agent(name, opponent, number)
    cards, own = (stream(number, "curves", opponent.name, what) for what in ("cards", "own"))
    truths: dict[int, Truth] = {}
    record = isinstance(agent, AgentLearner)
    agent.reset()
    gains, promises, lows, highs = [], [], [], []
    began = time.process_time()
    for hand in range(hands + 1):
        villain = opponent.at(min(hand, hands - 1))
        truth = truths.setdefault(id(villain), Truth(villain))
        if hand % STEP == 0:
            gains.append(truth.gain((agent.respond(0, own), agent.respond(1, own))))
            inner = agent.agent if isinstance(agent, AgentLearner) else None
            promises.append(float(getattr(inner, "promise", np.nan)))
            low, high = getattr(inner, "promised_between", (np.nan, np.nan))
            lows.append(float(low))
            highs.append(float(high))
        if hand < hands:
            seat = hand % 2
            mine = agent.respond(seat, own)
            agent.learn(setting().table.play(seat, mine, villain[1 - seat], cards, record=record))
    first = truths[id(opponent.at(0))]
    return {
        "gains": np.round(gains, 6).tolist(),
        "promises": np.round(promises, 6).tolist(),
        "low": np.round(lows, 6).tolist(),
        "high": np.round(highs, 6).tolist(),
        "usual": first.usual,
        "best": first.best,
        "within": first.within,
        "seconds": time.process_time() - began,
    }


def some(found: list[Opponent], most: int) -> list[Opponent]:
    """Of every family at most so many, spread over its list; 0: all of them."""
    chosen: list[Opponent] = []
    for family in dict.fromkeys(one.family for one in found):
        members = [one for one in found if one.family == family]
        count = min(most or len(members), len(members))
        chosen += [members[i * len(members) // count] for i in range(count)]
    return chosen


def table(rows: list[dict[str, Any]]) -> str:
    """By family: gains in mb/g after so many hands, the ends of the scale, and promise beside result."""
    lines = []
    for family in dict.fromkeys(row["family"] for row in rows):
        part = [row for row in rows if row["family"] == family]
        gains = MILLIBETS * np.array([row["gains"] for row in part])
        promises = MILLIBETS * np.array([row["promises"] for row in part])
        best, within = (MILLIBETS * np.array([row[name] for row in part]) for name in ("best", "within"))
        told = [f"{family:10} n={len(part):3} best {best.mean():6.1f} within {within.mean():6.1f} |"]
        for after in SHOWN:
            if after // STEP < gains.shape[1]:
                value = Estimate.of(gains[:, after // STEP])
                told.append(f"{after}: {value.mean:6.1f} ±{value.half_width:4.1f}")
        mean = Estimate.of(gains[:, 1:].mean(axis=1))
        told.append(f"| mean {mean.mean:6.1f} ±{mean.half_width:4.1f}, worst {gains.mean(axis=1).min():6.1f}")
        told.append(f"any time {gains.mean(axis=0).min():6.1f}")
        if np.isfinite(promises).all():
            tenths = np.array_split(np.arange(1, gains.shape[1]), 10)
            less = [Estimate.of((gains[:, tenth] - promises[:, tenth]).mean(axis=1)).mean for tenth in tenths]
            told.append("| won less promised " + " ".join(f"{one:.0f}" for one in less))
        lines.append(" ".join(told))
    return "\n".join(lines)


def main() -> None:
    """Play what is missing, and print a table for each agent."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("store", type=Path)
    parser.add_argument("agents", nargs="+")
    parser.add_argument("--role", choices=("choosing", "judging"), default="choosing")
    parser.add_argument("--families", nargs="*", default=[])
    parser.add_argument("--most", type=int, default=0, help="opponents of a family; 0: all")
    parser.add_argument("--matches", type=int, default=1)
    parser.add_argument("--hands", type=int, default=1000)
    parser.add_argument("--label", default="")
    chosen = parser.parse_args()
    wanted = some(
        [
            one
            for one in opponents(chosen.role, chosen.hands)
            if not chosen.families or one.family in chosen.families
        ],
        chosen.most,
    )
    known: dict[str, dict[str, Any]] = {}
    if chosen.store.exists():
        for line in chosen.store.read_text().splitlines():
            row = json.loads(line)
            known[row["key"]] = row
    for name in chosen.agents:
        rows = []
        for opponent in wanted:
            if name == ORACLE and opponent.family not in SHARES:
                continue
            for number in range(chosen.matches):
                key = json.dumps([chosen.label, name, opponent.family, opponent.name, number, chosen.hands])
                if key not in known:
                    found = play(name, opponent, number, chosen.hands)
                    known[key] = {"key": key, "family": opponent.family, "name": opponent.name, **found}
                    with chosen.store.open("a") as file:
                        file.write(json.dumps(known[key]) + "\n")
                rows.append(known[key])
        seconds = sum(row["seconds"] for row in rows) / len(rows)
        print(f"{chosen.label} {name}, mb/g beyond the equilibrium, {seconds:.1f} s of CPU a match")
        print(table(rows), flush=True)


if __name__ == "__main__":
    main()
