"""Time Bayes-relational models: situations, priors, players' models, and asking, beside slow twins.

    python benchmarks/bench_relational.py --db hands.db [--hands 100000]

Times are CPU seconds after compilation, on one thread. Every line ends with a checksum of the answer.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from soulread.hands.record import decisions as walk_hand
from soulread.hands.referee import game_of
from soulread.hands.store import Store
from soulread.model.relational.bayes import Learned, correct, fit_prior, impute, log_likelihoods
from soulread.model.relational.examples import Question, alternatives_of, askable, games_of
from soulread.model.relational.tree import odds_of
from soulread.model.situation import situations_of
from soulread.streams import stream

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from naive_relational import naive_leaf
from naive_situation import naive_facts

Result = TypeVar("Result")
GAMES = 3000  # of a player


def timed(work: Callable[[], Result]) -> tuple[float, Result]:
    """CPU seconds, and what came out."""
    begin = time.process_time()
    found = work()
    return time.process_time() - begin, found


def show(name: str, seconds: float, checksum: object, note: str = "") -> None:
    print(f"{name:<58}{seconds:>10.3f} s   {checksum!s:<16}{note}", flush=True)


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", required=True, help="store of no-limit hands")
    parser.add_argument("--hands", type=int, default=100_000)
    options = parser.parse_args()
    with Store.open(options.db, read_only=True) as store:
        hands = [hand for _, hand in store.find()][: options.hands]
    situations_of(hands[:50])
    seconds, found = timed(lambda: situations_of(hands))
    show(f"situations of {len(hands):,} hands", seconds, int(found.rows.numbers.sum()))
    few = hands[:200]

    def slowly() -> int:
        total = 0
        for hand in few:
            path = list(walk_hand(game_of(hand), hand.actions, hand.board))
            for n, (state, _) in enumerate(path):
                total += sum(naive_facts(path[:n], state, (0, 0, 0, 0))[2])
        return total

    fast = timed(lambda: int(situations_of(few).rows.numbers.sum()))
    slow = timed(slowly)
    show(
        "  of 200 hands", fast[0], fast[1], f"twin {slow[0]:.2f} s ({slow[0] / fast[0]:.0f} times), {slow[1]}"
    )
    games = games_of(hands)
    games.learn_types(np.ones(games.num_hands, np.bool_))
    every = np.arange(games.outcome.size)
    correct(games, every[:3000], Question.OUTCOME)  # compiles
    seconds, prior = timed(lambda: fit_prior(games, seed=1))
    leaves = [learned.tree.num_leaves for pair in prior.corrections.values() for learned in pair]  # type: ignore[attr-defined]
    show(f"prior of all questions on {len(hands):,} hands", seconds, leaves)
    player = int(np.bincount(games.roster.players[games.roster.players >= 0]).argmax())
    own = np.flatnonzero(games.player == player)
    own = own[np.isin(games.decisions.hand[own], np.unique(games.decisions.hand[own])[:GAMES])]

    def model() -> list[int]:
        holding = impute(games, own, prior.play, stream(1))
        found: list[Learned] = []
        for question, correction in prior.corrections.items():
            cards = holding if question.of_holding else None
            found += correct(games, own, question, [correction], holding=cards)
        return [learned.tree.num_leaves for learned in found]  # type: ignore[attr-defined]

    seconds, leaves = timed(model)
    show(f"model of a player, all questions, {GAMES:,} games", seconds, leaves)
    judged = askable(games, own, Question.OUTCOME)[:2000]
    seconds, likely = timed(
        lambda: log_likelihoods([prior.corrections[Question.OUTCOME]], games, judged, Question.OUTCOME)
    )
    show(f"outcomes of {judged.size:,} decisions predicted", seconds, round(float(likely.mean()), 6))
    tree = prior.corrections[Question.ACTION][1].tree  # type: ignore[attr-defined]
    later = askable(games, own[games.after_flop[own]], Question.ACTION)
    examples = alternatives_of(games, later, Question.ACTION).examples
    odds_of(tree, examples.take(np.arange(10)))
    seconds, odds = timed(lambda: odds_of(tree, examples))
    part = examples.take(np.arange(300))
    walked = timed(
        lambda: round(float(sum(tree.odds[naive_leaf(tree, part, m), part.part[m]] for m in range(300))), 6)
    )
    rate, twin = examples.size_of / max(seconds, 1e-9), 300 / walked[0]
    note = f"{rate:,.0f} a second, twin {twin:,.0f} ({rate / twin:,.0f} times)"
    show(f"tree asked {examples.size_of:,} times", seconds, round(float(odds[:300].sum()), 6), note)
    assert round(float(odds[:300].sum()), 6) == walked[1]


if __name__ == "__main__":
    main()
