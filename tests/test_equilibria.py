"""Solve-or-load exists once: two processes solve an equilibrium once. Small games have many equilibria."""

import itertools
import subprocess
import sys
from pathlib import Path

import known_values as known
import numpy as np
import pytest
from named import compile_source

from soulread.errors import ParseError, SoulreadError
from soulread.seqform.source import parse_source
from soulread.seqform.strategy import plan_from_behaviour, verify_behaviours
from soulread.solvers.equilibria import (
    QUICK_METHODS,
    _small_unfinished,
    equilibrium_by,
    equilibrium_path,
    find_equilibrium,
    unfinished_solve,
)
from soulread.solvers.exploitability import exploitability

CODE = """
import sys, time
from pathlib import Path
from soulread.seqform.source import parse_source
from soulread.solvers.cfr.run import solve
from soulread.solvers.equilibria import solve_or_load

solved, told = [], []

def slowly(game, progress):
    solved.append(game.name)
    time.sleep(1)
    return solve(game, gap=1e-2, progress=progress)

found = solve_or_load(parse_source("kuhn"), Path(sys.argv[1]), slowly, told.append, "a title")
waited = any("kuhn: waiting for another process" in text for text in told)
print(len(solved), waited, any("a title, iteration" in text for text in told), found.behaviours[0].sum())
"""


def test_two_processes_solve_once(tmp_path: Path) -> None:
    environment = {"SOULREAD_CACHE": str(tmp_path), "PYTHONPATH": str(Path(__file__).parent.parent)}
    command = [sys.executable, "-c", CODE, str(tmp_path / "kuhn.strategy")]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(2)
    ]
    answers = sorted(process.communicate()[0].split() for process in running)
    assert [answer[0] for answer in answers] == ["0", "1"]
    assert [answer[2] for answer in answers] == ["False", "True"]  # only who solves has progress to tell
    assert answers[0][3] == answers[1][3]
    again = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert again.stdout.split()[:2] == ["0", "False"]


def plans(game, strategy):
    first, second = (plan_from_behaviour(*pair) for pair in zip(game.trees, strategy.behaviours, strict=True))
    return first, second


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc:iso"])
def test_methods_find_different_equilibria(name: str) -> None:
    game, source = compile_source(name), parse_source(name)
    found = [equilibrium_by(source, method) for method in QUICK_METHODS]
    value = known.KUHN_VALUE if name == "kuhn" else known.LEDUC_VALUE
    for method, strategy in zip(QUICK_METHODS, found, strict=True):
        verify_behaviours(game.trees, strategy.behaviours)
        pair = plans(game, strategy)
        assert exploitability(game, pair) < (1e-8 if "lp" in method else 1e-4), method
        assert game.value(*pair) == pytest.approx(value, abs=2e-4)
    mixed = [np.concatenate(plans(game, strategy)) for strategy in found]
    apart = [float(np.abs(a - b).max()) for a, b in itertools.combinations(mixed, 2)]
    assert np.median(apart) > 0.05
    if name != "kuhn":
        assert min(apart) > 0.01  # Kuhn has one free number, and methods may agree on it
    assert equilibrium_by(source, "cfr+") is equilibrium_by(source, " CFR+")  # solved once
    assert equilibrium_by(source, "lp") is find_equilibrium(source)


def test_a_drawn_equilibrium_of_kuhn() -> None:
    """The first player's equilibria are a family with one free number; drawn ones lie at its ends.

    Betting the jack with chance a, from 0 to 1/3, goes with betting the king with chance 3 a (Kuhn, 1950).
    """
    game, source = compile_source("kuhn"), parse_source("kuhn")
    tree = game.trees[0]
    bluffs = set()
    for seed in range(1, 7):
        behaviour = equilibrium_by(source, f"lp:{seed}").behaviours[0]
        jack, king = (behaviour[tree.sequences(tree.index(label))][-1] for label in ("Js||", "Ks||"))
        assert king == pytest.approx(3 * jack, abs=1e-6)
        bluffs.add(round(float(jack), 6))
    assert bluffs == {0, round(1 / 3, 6)}


def test_suits_do_not_matter() -> None:
    """In Leduc the strategy found without suits is the same for both cards of a rank."""
    strategy, game = equilibrium_by(parse_source("leduc"), "lp:1"), compile_source("leduc")
    tree, behaviour = game.trees[0], strategy.behaviours[0]
    for hearts, spades in (("Jh||", "Js||"), ("Kh|Qs|crc/", "Ks|Qh|crc/")):
        first, second = (behaviour[tree.sequences(tree.index(label))] for label in (hearts, spades))
        assert np.array_equal(first, second)
    pair, none = (behaviour[tree.sequences(tree.index(label))] for label in ("Qh|Qs|crc/cr", "Qh|Ks|crc/cr"))
    assert not np.array_equal(pair, none)


@pytest.mark.compiled
@pytest.mark.parametrize("method", ["cfr", "cfr+", "dcfr", "lcfr", "pcfr+", "external"])
def test_unfinished_solves(method: str) -> None:
    source, game = parse_source("leduc:iso"), compile_source("leduc:iso")
    early, late = (exploitability(game, plans(game, unfinished_solve(source, method, n))) for n in (3, 200))
    assert 2e-3 < late < early < 3
    before = unfinished_solve(source, method, 3).behaviours
    _small_unfinished.cache_clear()
    assert np.array_equal(before[0], unfinished_solve(source, method, 3).behaviours[0])


def test_one_iteration_matches_the_first_regrets() -> None:
    """After one iteration the average is the first plan: against a uniform opponent a king only bets."""
    game = compile_source("kuhn")
    strategy = unfinished_solve(parse_source("kuhn"), "cfr", 1)
    tree = game.trees[0]
    king = tree.sequences(tree.index("Ks||"))
    assert strategy.behaviours[0][king] == pytest.approx([0, 1])


def test_what_cannot_be_solved_is_refused() -> None:
    kuhn, limit = parse_source("kuhn"), parse_source("limit:2-2-2-2")
    with pytest.raises(ParseError, match="'simplex' is not a method for an equilibrium; write one of dcfr"):
        equilibrium_by(kuhn, "simplex")
    with pytest.raises(ParseError, match="'outcome' samples"):
        equilibrium_by(kuhn, "outcome")
    with pytest.raises(SoulreadError, match="too large for the method 'lp:1'"):
        equilibrium_by(limit, "lp:1")
    with pytest.raises(SoulreadError, match="'lp' has no iterations"):
        unfinished_solve(kuhn, "lp", 5)
    with pytest.raises(SoulreadError, match="of 0 iterations; expected at least 1"):
        unfinished_solve(kuhn, "cfr", 0)
    with pytest.raises(SoulreadError, match="'external' needs the histories"):
        unfinished_solve(limit, "external", 5)


def test_unfinished_solves_of_an_abstraction_have_files_of_their_own() -> None:
    source = parse_source("limit:2-2-2-2")
    names = ["dcfr", "dcfr-unfinished-5", "dcfr-unfinished-6", "cfr+"]
    assert len({equilibrium_path(source, name) for name in names}) == 4
