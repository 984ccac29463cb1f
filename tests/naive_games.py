"""Slow, obvious twins of what soulread.games computes, and the comparisons of benchmarks/check_games.py."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def check_games() -> ModuleType:
    """The module benchmarks/check_games.py."""
    path = Path(__file__).resolve().parents[1] / "benchmarks" / "check_games.py"
    spec = importlib.util.spec_from_file_location("check_games", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["check_games"] = module
    spec.loader.exec_module(module)
    return module


def split(spent, folded, strength):
    """Net chips per seat, dealing out the pot one level of chips at a time.

    The seats that paid the k-th chip and have not folded claim all k-th chips. Levels claimed by the
    same seats, of those that can win at some level, form one pot, shared by its best hands.
    """
    seats = range(len(spent))
    called = sorted(spent)[-2]
    levels = []
    for k in range(1, called + 1):
        payers = [s for s in seats if spent[s] >= k]
        levels.append((len(payers), [s for s in payers if not folded[s]]))

    def best(claimants):
        return [s for s in claimants if strength[s] == max(strength[c] for c in claimants)]

    winners = {s for _, claimants in levels for s in best(claimants)}
    pots: dict[tuple[int, ...], int] = {}
    for chips, claimants in levels:
        key = tuple(s for s in claimants if s in winners)
        pots[key] = pots.get(key, 0) + chips
    net = [-min(chips, called) for chips in spent]
    for sharers, chips in pots.items():
        shared = best(sharers)
        for s in shared:
            net[s] += chips // len(shared)
        net[shared[0]] += chips % len(shared)
    return tuple(net)


def limit_betting(caps, first):
    """Every betting string of a heads-up limit game: (decisions per round, finished strings).

    ``caps`` is the number of raises per round and ``first`` who acts first in each; before the first
    round seat 0 has put in 2 chips and seat 1 one. Written from the rules of the game, as a recursion
    over strings.
    """
    decisions: list[set[str]] = [set() for _ in caps]
    finished: set[str] = set()

    def walk(text, r, acted, raises, unequal):
        decisions[r].add(text)
        if unequal:
            finished.add(text + "f")
        ends = acted > 0  # a call ends the round once both have acted
        if not ends:
            walk(text + "c", r, 1, raises, False)
        elif r + 1 == len(caps):
            finished.add(text + "c")
        else:
            walk(text + "c/", r + 1, 0, 0, False)
        if raises < caps[r]:
            walk(text + "r", r, acted + 1, raises + 1, True)

    walk("", 0, 0, 0, first[0] == 1)
    return [len(texts) for texts in decisions], finished


def information_sets(game, player_of_chance):
    """Labels of each seat's information sets, by walking every history of a small game."""
    labels: dict[int, set[str]] = {}

    def walk(state):
        if state.player == player_of_chance:
            for card, _ in state.chance_outcomes():
                walk(state.apply(card))
        elif state.player >= 0:
            labels.setdefault(state.player, set()).add(state.information(state.player))
            for action in state.legal_actions():
                walk(state.apply(action))

    walk(game.start())
    return labels
