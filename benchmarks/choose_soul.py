"""Choose settings of `soul` on the opponents for choosing, in Leduc or limit hold'em, by successive halving.

    python benchmarks/choose_soul.py FILE [--game leduc|limit] [--hands 300] [--first 2] [--rungs 4]
                                     [--label TEXT] [--settings TEXT ...]
    python benchmarks/choose_soul.py FILE --show

A setting is a list such as "sure=0.9,DRIFT=0.001,HABITS.thumb.doubt=0.02": options of `soul`, and constants
of the modules below, or entries and fields of them. "" is soul as it is, and is always among them.
Without --settings the list `SETTINGS` is tried.

In the first rung every setting meets FIRST opponents of each family. The better half stays, and meets twice
as many in the next rung, and so on. Cards are the same for all settings. What counts is the gain over the
equilibrium as a mean over the match and over the families. A setting comes after all others if it loses more
than `MOST_LOST` to other equilibria. The gains in each third of the match and the promises are told beside.

Every match is a line of JSON in FILE: nothing is played twice, a run that was broken off goes on, and --show
prints all that was looked at so far. Only opponents for choosing play here, beside equilibria and changes
that are none of the zoo's for judging. `soulread reproduce zoo` judges. LABEL tells states of the code apart.
"""

import argparse
import importlib
import inspect
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import is_dataclass, replace
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from soulread.errors import SoulreadError
from soulread.estimate import Estimate, Unit
from soulread.games.named import parse_game
from soulread.games.poker import PokerGame
from soulread.hands.record import stakes_of
from soulread.play.opponents.zoo import CARDS, ZooOpponent, zoo
from soulread.reproduce.kit import matches
from soulread.reproduce.ours.zoo_matches import meeting_task, some_of_each
from soulread.reproduce.ours.zoo_records import step_means
from soulread.seqform.abstract import has_abstraction

SEED = 100  # of the matches; the experiment has other seeds and other opponents
MODULES = (
    "soulread.model.bayes.mixture",
    "soulread.model.bayes.habits",
    "soulread.model.bayes.tilts",
    "soulread.respond.budget",
    "soulread.play.exploiters.soul",
)
SETTINGS = (
    *(f"sure={sure}" for sure in (0.5, 0.7, 0.9, 0.95)),
    *(f"trust={trust}" for trust in (0.9, 0.98)),
    *(f"k={k}" for k in (5, 25)),
    *(f"HABITS.{member}.doubt={doubt}" for member in ("mild", "habits") for doubt in (0.1, 0.5)),
    *(f"HABITS.thumb.doubt={doubt}" for doubt in (0.005, 0.05)),
    *(f"HABITS.thumb.least_doubt={doubt}" for doubt in (0.01, 0.1)),
    *(f"HABITS.recent.forget={weight}" for weight in (0.95, 0.99)),
    *(f"TILTS_DOUBT={doubt}" for doubt in (0.05, 0.4)),
    *(f"TURNS_DOUBT={doubt}" for doubt in (0.1, 0.5)),
    *(f"DRIFT={drift}" for drift in (1e-5, 1e-3)),
    *(f"FALSE_ALARM={chance}" for chance in (0.005, 0.1)),
    *(f"PRIORS.equilibria={weight}" for weight in (0.2, 0.8)),
    *(f"PRIORS.thumb={weight}" for weight in (0.03, 0.3)),
    *(f"PRIORS.turns={weight}" for weight in (0.03, 0.3)),
    *(f"OWN={weight}" for weight in (0.2, 0.8)),
    *(f"HARMLESS={chips}" for chips in (0.0, 0.02)),
)
MOST_LOST = 10.0  # mb/g
EQUILIBRIA = "equilibria"

OWN = {
    False: {
        EQUILIBRIA: ("equilibrium:method=lp:101", "equilibrium:method=lp:102", "equilibrium:method=lp:103"),
        "changing": (
            "switching:every=150|aggressive:0.6|tight:0.3",
            "switching:every=150|loose:0.5|equilibrium",
        ),
    },
    True: {
        EQUILIBRIA: ("equilibrium:2-2-2-2:quick", "equilibrium:3-2-2-2:quick", "equilibrium:5-4-3-2:quick"),
        "changing": (
            f"switching:every=150|aggressive:{CARDS}:0.6|tight:{CARDS}:0.3",
            f"switching:every=150|loose:{CARDS}:0.5|equilibrium:{CARDS}",
        ),
    },
}
"""Opponents for choosing that the zoo does not have, by family, in small games and in limit hold'em."""


def opponents_of(game: PokerGame) -> list[ZooOpponent]:
    """Everybody that may be met here."""
    others = [
        ZooOpponent(family, text, text)
        for family, texts in OWN[has_abstraction(game)].items()
        for text in texts
    ]
    return [*zoo(game, role="choosing"), *others]


def divide(setting: str) -> tuple[list[str], dict[str, float]]:
    """The options of a setting, and its constants by name."""
    options, constants = [], {}
    for item in filter(None, setting.split(",")):
        name, equals, value = item.partition("=")
        if not equals:
            raise SoulreadError(f"{item!r} in {setting!r} is no setting; write NAME=VALUE")
        if len(name) > 1 and name.partition(".")[0].isupper():
            constants[name] = float(value)
        else:
            options.append(item)
    return options, constants


def changed(old: Any, path: Sequence[str], value: float) -> Any:
    """A constant with another value, or with another value in a place of it: an entry, a field."""
    if not path:
        return type(old)(value)
    if is_dataclass(old) and not isinstance(old, type):
        return replace(old, **{path[0]: changed(getattr(old, path[0]), path[1:], value)})
    return {**old, path[0]: changed(old[path[0]], path[1:], value)}


@contextmanager
def with_constants(constants: dict[str, float]) -> Iterator[None]:
    """The modules with other constants while the block runs.

    Every module that has the name gets the value, and so do parameters of functions whose default it was.
    """
    before: list[tuple[Any, str, Any]] = []
    try:
        for name, value in constants.items():
            attribute, *path = name.split(".")
            holders = [
                module for module in map(importlib.import_module, MODULES) if hasattr(module, attribute)
            ]
            if not holders:
                raise SoulreadError(
                    f"no module of soul has a constant {attribute!r}; modules: {', '.join(MODULES)}"
                )
            old = getattr(holders[0], attribute)
            try:
                new = changed(old, path, value)
            except (KeyError, AttributeError, TypeError, ValueError) as error:
                raise SoulreadError(f"{name}={value} is no value of {attribute}: {error!r}") from None
            for module in holders:
                before.append((module, attribute, old))
                setattr(module, attribute, new)
                for function in _functions(module, attribute.lower(), old):
                    defaults = function.__defaults__ or ()
                    before.append((function, "__defaults__", defaults))
                    function.__defaults__ = tuple(new if x is old else x for x in defaults)
        yield
    finally:
        for holder, attribute, old in reversed(before):
            setattr(holder, attribute, old)


def _functions(module: ModuleType, parameter: str, default: Any) -> list[FunctionType]:
    """The functions of a module with a parameter of this name and default."""
    found = []
    for function in vars(module).values():
        if isinstance(function, FunctionType):
            known = inspect.signature(function).parameters.get(parameter)
            if known is not None and known.default is default:
                found.append(function)
    return found


def play(game: PokerGame, setting: str, opponent: ZooOpponent, hands: int, label: str = "") -> dict[str, Any]:
    """One match of a setting: gains over the equilibrium and promises in steps of ten hands, in mb/g."""
    options, constants = divide(setting)
    parts = [*([CARDS] if has_abstraction(game) else []), *options]
    player = f"soul:{','.join(parts)}" if parts else "soul"
    task = meeting_task(game.name, player, opponent, hands, SEED, 0)
    began = time.process_time()
    with with_constants(constants):
        matches._agent.cache_clear()  # an agent keeps the constants that it was made with
        found = task.run()
        matches._agent.cache_clear()
    stakes = stakes_of(game)
    scale = Unit.MILLIBETS.per_chip(stakes.small_bet, stakes.big_blind)
    gains = step_means((np.asarray(found["less_luck"]) - np.asarray(found["usual"])) * scale)
    promised = step_means(np.asarray(found["gain"]) * scale)
    return {
        "label": label,
        "game": game.name,
        "setting": setting,
        "family": opponent.family,
        "opponent": opponent.agent,
        "hands": hands,
        "gains": np.round(gains, 1).tolist(),
        "promised": np.round(promised, 1).tolist(),
        "seconds": round(time.process_time() - began, 1),
    }


Key = tuple[str, str, str, str, int]  # label, game, setting, opponent, hands


class Notebook:
    """All matches that were looked at, in a file of JSON lines."""

    def __init__(self, path: Path, label: str = "") -> None:
        self.path = path
        self.label = label
        self.rows: dict[Key, dict[str, Any]] = {}
        if path.exists():
            for line in path.read_text().splitlines():
                row = json.loads(line)
                self.rows[self.key(row)] = row

    @staticmethod
    def key(row: dict[str, Any]) -> Key:
        return row["label"], row["game"], row["setting"], row["opponent"], row["hands"]

    def match(self, game: PokerGame, setting: str, opponent: ZooOpponent, hands: int) -> dict[str, Any]:
        """A match from the file, or played now and written to it."""
        key = self.label, game.name, setting, opponent.agent, hands
        if key not in self.rows:
            self.rows[key] = play(game, setting, opponent, hands, self.label)
            with self.path.open("a") as file:
                file.write(json.dumps(self.rows[key]) + "\n")
        return self.rows[key]


def by_family(rows: Sequence[dict[str, Any]]) -> dict[str, Estimate]:
    """The mean gain by family; the samples are its opponents."""
    families = dict.fromkeys(row["family"] for row in rows)
    return {
        family: Estimate.of(np.array([np.mean(row["gains"]) for row in rows if row["family"] == family]))
        for family in families
    }


def score(rows: Sequence[dict[str, Any]]) -> tuple[bool, float]:
    """The place of a setting: whether it spares equilibria, then its gain as a mean over the families."""
    families = by_family(rows)
    spares = EQUILIBRIA not in families or families[EQUILIBRIA].mean >= -MOST_LOST
    return spares, float(np.mean([gain.mean for gain in families.values()]))


def more_than(rows: Sequence[dict[str, Any]], usual: Sequence[dict[str, Any]]) -> str:
    """What a setting gained beyond soul as it is, from the opponents that both met; "" if there are few."""
    others = {row["opponent"]: np.mean(row["gains"]) for row in usual}
    more = [np.mean(row["gains"]) - others[row["opponent"]] for row in rows if row["opponent"] in others]
    return f"{Estimate.of(np.array(more)).text(1)} more than as it is" if len(more) > 1 else ""


def line(setting: str, rows: Sequence[dict[str, Any]], usual: Sequence[dict[str, Any]] = ()) -> str:
    """What a setting brought, in words, beside soul as it is."""
    families = ", ".join(f"{family} {gain.text(1)}" for family, gain in by_family(rows).items())
    thirds = [np.mean([np.array_split(row["gains"], 3)[i].mean() for row in rows]) for i in range(3)]
    less = np.mean([np.mean(row["gains"]) - np.mean(row["promised"]) for row in rows])
    worst = min(rows, key=lambda row: float(np.mean(row["gains"])))
    spares, gain = score(rows)
    told = [
        f"{setting or 'as it is':28s} gain {gain:6.1f} ({families})",
        more_than(rows, usual) if setting else "",
        f"by thirds {' '.join(f'{third:.0f}' for third in thirds)}",
        f"won less promised {less:.0f}",
        f"worst {worst['opponent']} {np.mean(worst['gains']):.1f}",
        f"{len(rows)} matches, {sum(row['seconds'] for row in rows):.0f} s",
    ]
    return "; ".join(filter(None, told)) + ("" if spares else "; LOSES to equilibria")


def search(
    notebook: Notebook, game: PokerGame, settings: Sequence[str], hands: int, first: int, rungs: int
) -> list[str]:
    """Successive halving; the settings of the last rung, the best first."""
    every = opponents_of(game)
    left = list(dict.fromkeys(("", *settings)))
    for rung in range(rungs):
        opponents = some_of_each(every, first * 2**rung)
        print(
            f"\nrung {rung + 1}: {game.name}, {len(left)} settings, {len(opponents)} opponents for choosing, "
            f"a match of {hands} hands with each, seed {SEED}; mb/g beyond the equilibrium",
            flush=True,
        )
        found = {}
        for setting in left:
            found[setting] = [notebook.match(game, setting, opponent, hands) for opponent in opponents]
            print(line(setting, found[setting], found.get("", ())), flush=True)
        left.sort(key=lambda setting: score(found[setting]), reverse=True)
        if len(opponents) == len(every) or len(left) <= 2:
            break
        if rung + 1 < rungs:
            kept = left[: -(-len(left) // 2)]
            left = ["", *(setting for setting in kept if setting)]
    print(f"\nthe best of the last rung: {', '.join(setting or 'as it is' for setting in left[:3])}")
    return left


def show(notebook: Notebook) -> None:
    """Print all that was looked at."""
    groups: dict[tuple[str, str, int], dict[str, list[dict[str, Any]]]] = {}
    for (label, game, setting, _, hands), row in notebook.rows.items():
        groups.setdefault((label, game, hands), {}).setdefault(setting, []).append(row)
    for (label, game, hands), settings in groups.items():
        count = sum(map(len, settings.values()))
        print(
            f"\n{label} {game}, matches of {hands} hands: {len(settings)} settings, {count} matches were "
            "looked at"
        )
        for setting, rows in sorted(settings.items(), key=lambda item: score(item[1]), reverse=True):
            print(line(setting, rows, settings.get("", ())))


def main(arguments: list[str] | None = None) -> None:
    """Search, or show what was looked at."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--game", default="leduc")
    parser.add_argument("--hands", type=int, default=300)
    parser.add_argument("--first", type=int, default=2, help="opponents of a family in the first rung")
    parser.add_argument("--rungs", type=int, default=4)
    parser.add_argument("--settings", nargs="*", default=None)
    parser.add_argument("--label", default="")
    parser.add_argument("--show", action="store_true")
    chosen = parser.parse_args(arguments)
    notebook = Notebook(chosen.file, chosen.label)
    if not chosen.show:
        settings = SETTINGS if chosen.settings is None else chosen.settings
        search(notebook, parse_game(chosen.game), settings, chosen.hands, chosen.first, chosen.rungs)
    show(notebook)


if __name__ == "__main__":
    main()
