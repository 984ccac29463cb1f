"""Solved spots on disk: both players' behaviours and the spot itself, in one sealed safetensors file.

The file describes its spot as text: board, ranges, pot, stacks and sizes. So it can be opened and looked at
without saying again what it is about.
"""

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from soulread import __version__
from soulread.cards.deck import cards_name, parse_cards
from soulread.cards.ranges import format_range, parse_range
from soulread.errors import DamagedFile, ShapeError, SoulreadError
from soulread.games.spot import Betting, Rake, describe_menu, parse_menu, parse_rake
from soulread.games.unit import ChipUnit, SpotAmount, Told, parse_amount, read_unit
from soulread.seqform.spot import Spot
from soulread.seqform.strategy import TOLERANCE, Behaviour
from soulread.solvers.cfr.streamed import LARGEST, SpotSolution
from soulread.solvers.strategy_files import plain_settings
from soulread.storage.files import verify_writable
from soulread.storage.tensors import read_tensors, write_tensors

_CAP = "a cap of"
FORMAT = 1  # of the file; grows when an older soulread could no longer read it


def describe_spot(spot: Spot) -> dict[str, Any]:
    """A spot as JSON knows it: the arguments of `read_spot`."""
    betting = spot.betting
    return {
        "board": cards_name(spot.board),
        "oop": format_range(spot.ranges[0]),
        "ip": format_range(spot.ranges[1]),
        "pot": betting.unit.told(betting.pot),
        "stack": betting.unit.told(betting.stack),
        **({} if betting.unit.blind is None else {"blind": betting.unit.blind}),
        **describe_menu(betting.menu),
        **_describe_rake(betting),
        "most_bets": betting.most_bets,
        "add_all_in": betting.add_all_in,
        "force_all_in": betting.force_all_in,
        "merge": betting.merge,
        "isomorphism": spot.isomorphism,
    }


def _describe_rake(betting: Betting) -> dict[str, Any]:
    """The rake as `read_spot` reads it; nothing where there is none."""
    rake = betting.rake
    if not rake.part:
        return {}
    return {"rake": rake.part_text, **({} if rake.cap is None else {"cap": betting.unit.told(rake.cap)})}


def read_spot(
    board: str,
    oop: str,
    ip: str,
    pot: Told,
    stack: Told,
    bets: str = "60%",
    raises: str = "60%",
    donks: str | None = None,
    most_bets: int | None = None,
    add_all_in: float = 0.0,
    force_all_in: float = 0.0,
    merge: float = 0.0,
    isomorphism: bool = True,
    blind: Told | None = None,
    rake: str | float | None = None,
    cap: Told | None = None,
) -> Spot:
    """A spot from text, the opposite of `describe_spot`; see `soulread.games.spot` for sizes and rules.

    ``pot`` and ``stack`` are chips, or big blinds such as "27.5bb", and ``blind`` the chips of a big blind;
    see `soulread.games.unit`. ``rake`` is a part of the pot, such as "5%" or 0.05, and ``cap`` the most that
    the house takes.
    """
    cards = parse_cards(board)
    if not 3 <= len(cards) <= 5:
        raise SoulreadError(f"a board of {len(cards)} cards ({board!r}); a spot has 3, 4 or 5")
    menu = parse_menu(bets, raises, donks)
    street = len(cards) - 3
    amounts = parse_amount(pot, "a pot of"), parse_amount(stack, "stacks of")
    sizes = [("a bet of", size.amount) for size in menu.sizes(street) if size.amount is not None]
    most = _cap(rake, cap)
    caps = [] if most is None else [(_CAP, most)]
    unit = read_unit(blind, [("a pot of", amounts[0]), ("stacks of", amounts[1]), *sizes, *caps])
    inside = unit.inside(amounts[0], "a pot of"), unit.inside(amounts[1], "stacks of")
    taken = _rake(rake, most, unit)
    betting = Betting(street, *inside, menu, most_bets, add_all_in, force_all_in, merge, unit, taken)
    return Spot(cards, (parse_range(oop), parse_range(ip)), betting, isomorphism)


def read_rake(rake: str | float | None, cap: Told | None, unit: ChipUnit) -> Rake:
    """The rake of a spot whose unit is known."""
    return _rake(rake, _cap(rake, cap), unit)


def _rake(rake: str | float | None, cap: SpotAmount | None, unit: ChipUnit) -> Rake:
    return Rake(parse_rake(rake or 0), None if cap is None else unit.inside(cap, _CAP))


def _cap(rake: str | float | None, cap: Told | None) -> SpotAmount | None:
    """The cap of the rake, if there is one."""
    if cap is None:
        return None
    if not parse_rake(rake or 0):
        raise SoulreadError(f"a cap of {cap} without a rake; say which part of the pot is taken, such as 5%")
    amount = parse_amount(cap, _CAP)
    if not amount.number:
        raise SoulreadError(f"a cap of {cap!r}; leave the rake out if nothing is taken")
    return amount


def save_spot(path: str | os.PathLike[str], solution: SpotSolution) -> None:
    """Write a solved spot; a reader of ``path`` sees the whole old file or the whole new one."""
    target = Path(path)
    metadata = {
        "format": str(FORMAT),
        "version": __version__,
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "spot": json.dumps(describe_spot(solution.spot)),
        "checksum": solution.spot.checksum,
        "method": solution.method,
        "settings": json.dumps(plain_settings(solution.settings), allow_nan=False),
        "iterations": str(solution.iterations),
        "gap": repr(float(solution.gap)),
        "value": repr(float(solution.value)),
        "seconds": repr(float(solution.seconds)),
        **({"rake": repr(float(solution.rake))} if solution.spot.raked else {}),
    }
    first, second = solution.behaviours
    verify_writable(target, "spot")
    write_tensors(target, "spot", {"behaviour0": first, "behaviour1": second}, metadata)


def load_spot(path: str | os.PathLike[str]) -> SpotSolution:
    """Read a solved spot. A file that is damaged, or whose numbers are no probabilities, is refused."""
    source = Path(path)
    metadata, tensors = read_tensors(source, "spot")
    try:
        number = int(metadata["format"])
        if number != FORMAT:
            raise SoulreadError(
                f"{str(source)!r} has format {number}, of soulread {metadata['version']}; this is soulread "
                f"{__version__}, which reads format {FORMAT}"
            )
        spot = read_spot(**json.loads(metadata["spot"]))
        first, second = tensors["behaviour0"], tensors["behaviour1"]
        solution = SpotSolution(
            spot=spot,
            behaviours=(Behaviour(first), Behaviour(second)),
            method=metadata["method"],
            settings=json.loads(metadata["settings"]),
            iterations=int(metadata["iterations"]),
            gap=float(metadata["gap"]),
            value=float(metadata["value"]),
            seconds=float(metadata["seconds"]),
            rake=float(metadata["rake"]) if spot.raked else 0.0,
        )
    except SoulreadError:
        raise
    except (KeyError, ValueError, AttributeError, TypeError) as error:
        raise DamagedFile(f"{str(source)!r} is a solved spot with a broken entry: {error}") from None
    _verify_file(source, solution, metadata)
    return solution


def _verify_file(source: Path, solution: SpotSolution, metadata: Mapping[str, str]) -> None:
    """Raise unless the behaviours are those of the spot that the file describes."""
    spot = solution.spot
    sizes = tuple(behaviour.size for behaviour in solution.behaviours)
    if sizes != spot.num_sequences or metadata["checksum"] != spot.checksum:
        raise ShapeError(
            f"{str(source)!r} has behaviours of {sizes} sequences, but its spot {spot.name} has "
            f"{spot.num_sequences}: it was made by another soulread; solve it again"
        )
    for behaviour in solution.behaviours:
        whole = LARGEST if behaviour.dtype == np.int16 else 1
        if not (behaviour.min() >= -TOLERANCE and behaviour.max() <= whole + TOLERANCE):  # also false for NaN
            raise DamagedFile(f"{str(source)!r} is no solved spot: its numbers are not all probabilities")
        if behaviour.dtype not in (np.dtype(spot.dtype), np.dtype(np.int16)):
            raise DamagedFile(f"{str(source)!r} is no solved spot: its numbers are of type {behaviour.dtype}")
