"""Let `soul` of another checkout meet the zoo, and keep the results for `soulread reproduce zoo --beside`.

    git clone . /tmp/former && git -C /tmp/former checkout 58ff0dd
    PYTHONPATH=/tmp/former python benchmarks/former_soul.py FILE [--game leduc|limit] [--hands 300]
                                  [--matches N] [--seed 1] [--jobs 1] [--store FOLDER] [--role judging]
    soulread reproduce zoo --game limit --beside former=FILE

The soulread that is imported plays: it must be that of the other checkout, and it must have the zoo and
matches whose strategies are valued. Cards and opponents are those of the experiment, so differences are
paired. Matches are tasks whose results stay in FOLDER (by default the cache of experiments); a run that was
broken off goes on. Families take turns. The equilibrium plays beside, against every opponent.
"""

import argparse
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from soulread.estimate import Unit
from soulread.games.named import parse_game
from soulread.hands.record import stakes_of
from soulread.play.opponents.zoo import CARDS, ZooOpponent, equilibrium_text, zoo
from soulread.reproduce.kit.matches import VERSION
from soulread.reproduce.ours.zoo_matches import meeting_task
from soulread.seqform.abstract import has_abstraction
from soulread.tasks import ResultStore, Task, TaskResult, run_tasks


def records_module() -> ModuleType:
    """`zoo_records` of this checkout, whichever soulread is imported."""
    path = Path(__file__).parent.parent / "soulread" / "reproduce" / "ours" / "zoo_records.py"
    spec = importlib.util.spec_from_file_location("zoo_records_here", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look there
    spec.loader.exec_module(module)
    return module


def in_turn(opponents: list[ZooOpponent]) -> list[ZooOpponent]:
    """The first of every family, then the second."""
    families = [opponent.family for opponent in opponents]
    ranks = [families[:i].count(family) for i, family in enumerate(families)]
    return [opponents[i] for i in sorted(range(len(ranks)), key=ranks.__getitem__)]


def meetings(
    game: str, opponents: list[ZooOpponent], hands: int, matches: int, seed: int
) -> dict[tuple[str, int], tuple[Task, Task]]:
    """The matches of soul and of the equilibrium by text of the opponent and number."""
    rules = parse_game(game)
    soul = f"soul:{CARDS}" if has_abstraction(rules) else "soul"
    texts = soul, equilibrium_text(rules)
    found = {}
    for number in range(matches):
        for opponent in in_turn(opponents):
            first, second = (meeting_task(game, text, opponent, hands, seed, number) for text in texts)
            found[opponent.agent, number] = first, second
    return found


def main(arguments: list[str] | None = None) -> None:
    """Play what is missing, and write the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--game", default="leduc")
    parser.add_argument("--hands", type=int, default=300)
    parser.add_argument("--matches", type=int, default=0, help="1 in limit hold'em, else 10")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--store", type=Path, default=None)
    parser.add_argument("--role", choices=("choosing", "judging"), default="judging")
    parser.add_argument("--most", type=int, default=0, help="opponents in all; 0: every one")
    chosen = parser.parse_args(arguments)
    rules = parse_game(chosen.game)
    opponents = in_turn(zoo(rules, role=chosen.role))[: chosen.most or None]
    matches = chosen.matches or (1 if has_abstraction(rules) else 10)
    tasks = meetings(rules.name, opponents, chosen.hands, matches, chosen.seed)
    store = ResultStore.default() if chosen.store is None else ResultStore(chosen.store)

    def tell(finished: int, every: int) -> None:
        print(f"{finished} of {every} matches", file=sys.stderr, flush=True)

    wanted = [task for pair in tasks.values() for task in pair]
    results = {result.task.key: result for result in run_tasks(wanted, store, chosen.jobs, tell)}
    here = records_module()
    stakes = stakes_of(rules)
    scale = Unit.MILLIBETS.per_chip(stakes.small_bet, stakes.big_blind)

    def steps(result: TaskResult, name: str) -> np.ndarray | None:
        values = result.values.get(name)
        return None if values is None or np.isnan(values).any() else here.step_means(values * scale)

    records: dict[tuple[str, str], list[Any]] = {}
    for (agent, number), (mine, usual) in tasks.items():
        soul, equilibrium = results[mine.key], results[usual.key]
        found = here.MatchRecord(
            number,
            chosen.hands,
            steps(soul, "less_luck"),
            steps(equilibrium, "less_luck"),
            steps(soul, "gain"),
            seconds=soul.seconds + equilibrium.seconds,
        )
        records.setdefault(("soul", agent), []).append(found)
    players = {"soul": str(next(iter(tasks.values()))[0].parameters["agents"][0])}  # type: ignore[index]
    here.KeptMatches(rules.name, chosen.seed, VERSION, players, tuple(opponents), {}, records).write(
        chosen.file
    )
    print(f"written: {chosen.file}")


if __name__ == "__main__":
    main()
