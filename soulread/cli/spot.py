"""Spots with real cards: `soulread spot`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from soulread.cli.common import Computing, Interrupted, as_json, early_end, print_json, status
from soulread.cli.spot_more import More, more_options, print_hand, show_boards, show_locks, spot_of_store
from soulread.errors import SoulreadError

if TYPE_CHECKING:
    from soulread.solvers.cfr.run import Check
    from soulread.study.spots.from_hands import HandSpot
    from soulread.study.spots.spots import SpotStudy

_SIZES = "'50%; river: 60%,a; ip turn: 75%'"


@click.command(cls=Computing)
@click.argument("board", required=False)
@click.option("--oop", metavar="RANGE", help="Range of the player out of position, who acts first.")
@click.option("--ip", metavar="RANGE", help="Range of the player in position.")
@click.option("--pot", type=int, help="Chips in the pot.")
@click.option("--stack", type=int, help="Chips that each player has left.")
@click.option("--bets", default="60%", show_default=True, metavar="SIZES", help=f"Sizes of bets: {_SIZES}.")
@click.option("--raises", default="60%", show_default=True, metavar="SIZES", help="Sizes of raises.")
@click.option(
    "--donk", default=None, metavar="SIZES", help="Leads of a caller; 'none' for none. [default: as bets]"
)
@click.option("--most-bets", type=int, default=None, help="Bets and raises on a street, at most.")
@click.option("--add-all-in", default=1.5, show_default=True, help="Add all-in if at most so many pots.")
@click.option(
    "--force-all-in", default=0.15, show_default=True, help="Bet all if at most this part of the pot is left."
)
@click.option("--merge", default=0.1, show_default=True, help="Leave out a size this close to a larger one.")
@click.option(
    "--isomorphism/--no-isomorphism", default=True, help="Look at boards that differ in suits only once."
)
@click.option("--open", "opened", type=click.Path(path_type=Path), help="Look at a spot that --save wrote.")
@click.option("--at", "path", default=None, metavar="PATH", help="Decision to show: 'check bet60% call 2c'.")
@click.option("--gap", "-g", type=float, help="Stop at this exploitability, % of the pot. [default: 0.5]")
@click.option("--seconds", "-s", type=float, help="Stop after this time.")
@click.option("--iterations", "-n", type=int, help="Stop after this many iterations.")
@click.option("--save", type=click.Path(path_type=Path), help="Write the solution to this file.")
@click.option("--checkpoint", type=click.Path(path_type=Path), help="Save to this file, and go on from it.")
@click.option(
    "--figure", type=click.Path(path_type=Path), help="Draw the grid to this file: .svg, .png or .pdf."
)
@click.option("--size", is_flag=True, help="Say how large the spot is, and solve nothing.")
@more_options
@as_json
def spot(
    board: str | None,
    oop: str | None,
    ip: str | None,
    pot: int | None,
    stack: int | None,
    bets: str,
    raises: str,
    donk: str | None,
    most_bets: int | None,
    add_all_in: float,
    force_all_in: float,
    merge: float,
    isomorphism: bool,
    opened: Path | None,
    path: str | None,
    gap: float | None,
    seconds: float | None,
    iterations: int | None,
    save: Path | None,
    checkpoint: Path | None,
    figure: Path | None,
    size: bool,
    more: More,
    as_json: bool,
) -> None:
    """Solve a spot with real cards: BOARD is a flop, turn or river such as "Td9d6h Qc".

    Sizes are parts of the pot ("60%"), even growth until all-in on the river ("e"), all-in ("a"), chips
    ("40", for limit betting), and for raises multiples of the bet ("2.5x"). Before a colon, streets and
    players may be named. There is no rake.

    The grid shows what the player who acts does with each starting hand. EV is what a hand takes out of the
    pot from there on, in chips. Ctrl-C ends the solve early and shows what it has.

    --hand takes the spot from a stored hand. --lock says what a player does at a decision, and --lock-player
    counts it in the player's own hands. The answer is then shown for every degree of trust: what it wins if
    the lock is right, and what it costs if not. --boards solves the spot on many boards.

    Examples: soulread spot "Td9d6h Qc 2s" --oop "66+,A8s+,KQs" --ip "QQ-22,AQs-A2s" --pot 200 --stack 900;
    soulread spot Td9d6hQc --oop 66+ --ip random --pot 200 --stack 900 --bets 60%,e,a --at "check bet60%";
    soulread spot Td9d6hQc --oop 66+ --ip 22+,A2s+ --pot 200 --stack 900 --lock "bet60: fold 60%" --risk 10
    """
    from soulread.report.figures import verify_figure
    from soulread.solvers.cfr.stops import Stops
    from soulread.solvers.real_cards.spot_files import read_spot
    from soulread.storage.files import verify_writable
    from soulread.study.spots.locks import ACCURACY, MOST_ITERATIONS
    from soulread.study.spots.spots import open_study, size_dict, study_spot
    from soulread.study.spots.spots_terminal import draw_spot, print_spot, progress_line, size_line

    for file in (save, checkpoint, figure):
        if file is not None:
            verify_writable(file)
    if figure is not None:
        verify_figure(figure)
    taken: HandSpot | None = None
    if opened is not None:
        if board is not None:
            raise SoulreadError(f"give either a board or --open; both {board!r} and {str(opened)!r} came")
        with status(f"reading {opened}", shown=not as_json):
            study, ended = open_study(opened), False
    else:
        settings: dict[str, Any] = {
            "oop": oop,
            "ip": ip,
            "pot": pot,
            "stack": stack,
            "bets": bets,
            "raises": raises,
            "donks": donk,
            "most_bets": most_bets,
            "add_all_in": add_all_in,
            "force_all_in": force_all_in,
            "merge": merge,
            "isomorphism": isomorphism,
        }
        _verify_settings(board, settings, more)
        if more.boards is not None:
            show_boards(more, settings, path or "", gap, iterations, figure, as_json)
            return
        taken = None if more.hand is None else spot_of_store(more, oop, ip, bets, raises)
        made = read_spot(board or "", **settings) if taken is None else taken.spot
        pot = made.betting.pot
        if size:
            if as_json:
                print_json(size_dict(made))
            else:
                click.echo(size_line(made))
            return
        made.find(path or "")  # a wrong path is told before the work
        if not as_json:
            click.echo(size_line(made), err=True)
        if more.has_locks:
            if save is not None or checkpoint is not None:
                raise SoulreadError("--save and --checkpoint keep equilibria; leave them out with locks")
            exact = (ACCURACY if gap is None else gap / 100) * pot
            bounds = Stops(iterations=iterations or MOST_ITERATIONS, gap=exact, seconds=seconds)
            show_locks(made, more, bounds, path, taken, figure, as_json)
            return
        with status(f"solving {made.name}", shown=not as_json) as show, early_end() as pressed:

            def tell(check: "Check") -> None:
                show(progress_line(made, check))

            chips = None if gap is None else gap / 100 * pot
            stops = Stops(iterations=iterations, gap=chips, seconds=seconds, stop=pressed)
            study = study_spot(made, stops, progress=tell, checkpoint=checkpoint)
            ended = pressed()
    if save is not None:
        study.save(save)
    view = study.at(path or "")
    if figure is not None:
        draw_spot(view, figure)
    if as_json:
        print_json(study, {"at": view})
    else:
        if taken is not None:
            print_hand(taken)
        print_spot(study, view)
    if ended:
        raise Interrupted(_kept(study, save))


def _verify_settings(board: str | None, settings: dict[str, Any], more: More) -> None:
    """Raise unless everything that a spot needs is given, once."""
    if more.hand is not None:
        twice = [name for name in ("pot", "stack") if settings[name] is not None]
        if board is not None or twice:
            what = "a board" if board is not None else f"--{twice[0]}"
            raise SoulreadError(f"the board, the pot and the stacks are those of --hand; leave out {what}")
        return
    if more.boards is not None and board is not None:
        raise SoulreadError(f"give either a board or --boards; both {board!r} and {more.boards!r} came")
    missing = [f"--{name}" for name in ("oop", "ip", "pot", "stack") if settings[name] is None]
    if board is None and more.boards is None:
        missing.insert(0, "a board")
    if missing:
        raise SoulreadError(f"a spot needs {', '.join(missing)}, or --open with a solved one")


def _kept(study: "SpotStudy", save: Path | None) -> str:
    """What Ctrl-C left behind."""
    files = " and ".join(str(path) for path in (study.solution.checkpoint, save) if path is not None)
    kept = f"; iteration {study.solution.iterations:,} is kept in {files}" if files else ""
    return f"interrupted{kept}"
