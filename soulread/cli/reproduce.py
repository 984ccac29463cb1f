"""Experiments, and clusters to run them on: `soulread reproduce`, `soulread cluster`."""

import math
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from soulread.cli.common import (
    Computing,
    UserError,
    as_json,
    data_option,
    jobs_option,
    print_json,
    say,
    status,
    task_progress,
)

if TYPE_CHECKING:
    from soulread.processes import Jobs


@click.command(cls=Computing)
@click.argument("name", required=False)
@click.option("--list", "listed", is_flag=True, help="List the experiments.")
@click.option("--quick", is_flag=True, help="A smaller version that ends in minutes.")
@click.option(
    "--matches",
    "-m",
    type=int,
    default=None,
    help="Matches of each pairing, or data sets if a player is observed.",
)
@click.option("--hands", "-n", type=int, default=None, help="Hands of each match.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Same seed, same result."
)
@jobs_option
@click.option("--game", default=None, help="Game of an experiment that has several: zoo has leduc and limit.")
@click.option(
    "--aivat/--no-aivat",
    default=None,
    help="Whether matches are also told with luck taken off.  [default: the experiment's choice]",
)
@data_option
@click.option(
    "--agents",
    "players",
    multiple=True,
    metavar="NAME",
    help="The only agents that play beside the equilibrium; may be repeated.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    help="Play only opponents of this family or name; may be repeated.",
)
@click.option(
    "--kept",
    type=click.Path(dir_okay=False),
    default=None,
    metavar="FILE",
    help="A small file with what the report needs: what is in it is not run again, the rest is added.",
)
@click.option(
    "--beside",
    multiple=True,
    metavar="LABEL=FILE",
    help="Such a file of another version of soul, to compare with; may be repeated.",
)
@click.option("--finished", is_flag=True, help="Run nothing; only report on the parts that are finished.")
@click.option(
    "--output",
    "-o",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    metavar="DIR",
    help="Write NAME.json, NAME.csv and the figures there.",
)
@as_json
def reproduce(
    name: str | None,
    listed: bool,
    quick: bool,
    matches: int | None,
    hands: int | None,
    seed: int,
    jobs: "Jobs",
    game: str | None,
    aivat: bool | None,
    data: tuple[str, ...],
    players: tuple[str, ...],
    only: tuple[str, ...],
    kept: str | None,
    beside: tuple[str, ...],
    finished: bool,
    output: Path | None,
    as_json: bool,
) -> None:
    """Run the experiment NAME of a paper, or module:function of yours: our numbers beside the published ones.

    Finished parts are kept in the cache. A run that was broken off goes on where it stopped, and a run with
    more matches plays only the new ones. --kept FILE keeps what the report needs in a small sealed file, for
    another machine; --finished --kept FILE makes the report from it.

    Examples: soulread reproduce dbbr-table --quick --output results;
    soulread reproduce spot-locks --kept spot-locks.json
    """
    from soulread.reproduce.experiments import run_experiment

    if listed:
        _print_list(as_json)
        return
    if name is None:
        raise UserError("reproduce needs the name of an experiment; --list shows them.")
    from soulread.report.runs import noted_run
    from soulread.reproduce.kit.experiment import RunOptions
    from soulread.reproduce.kit.report import print_report

    asked = {"name": name, "seed": seed, "quick": quick, "matches": matches, "hands": hands, "game": game}
    label = name.rpartition(":")[2]
    with (
        nullcontext() if output is None else noted_run(output, label, "reproduce", asked),
        task_progress(name, shown=not as_json) as (advance, tell),
    ):
        options = RunOptions(
            quick=quick,
            matches=matches,
            hands=hands,
            seed=seed,
            jobs=jobs,
            stored_only=finished,
            game=game,
            aivat=aivat,
            data=data,
            players=players,
            only=only,
            kept=kept,
            beside=beside,
            tell=tell,
            progress=advance,
        )
        report = run_experiment(name, options)
    if as_json:
        print_json(report)
    else:
        print_report(report)
    if output is not None:
        files = report.write(output)
        say(f"written: {', '.join(map(str, files))}", err=True)


@click.command(cls=Computing)
@click.argument("action", type=click.Choice(["check"]))
@click.argument("address")
@click.option("--experiment", metavar="NAME", help="Also tell what this experiment would take there.")
@click.option("--quick", is_flag=True, help="The smaller version of the experiment.")
@click.option("--matches", "-m", type=int, help="Matches of each pairing of the experiment.")
@click.option("--game", help="Game of an experiment that has several.")
@as_json
def cluster(
    action: str,
    address: str,
    experiment: str | None,
    quick: bool,
    matches: int | None,
    game: str | None,
    as_json: bool,
) -> None:
    """Check the Ray cluster at ADDRESS, host:port, or local: this machine's cores.

    Each node tells its versions, cores and memory, runs a task, and gets 16 MB. A node with another soulread,
    or another version of a package that results depend on, is refused by name. With --experiment the tasks
    that are not finished are counted; what they take is told from the times of kept results like them.

    Examples: soulread cluster check 10.0.0.5:6379; soulread cluster check local --experiment zoo --quick
    """
    from soulread.cluster.runner import Cluster
    from soulread.reproduce.foreseen import foresee
    from soulread.reproduce.kit.experiment import RunOptions
    from soulread.study.cluster.check import check_cluster
    from soulread.study.cluster.check_terminal import print_check

    if experiment is None and (quick or matches is not None or game is not None):
        raise UserError("--quick, --matches and --game are for --experiment")
    options = RunOptions(quick=quick, matches=matches, game=game)
    foreseen = None if experiment is None else foresee(experiment, options)
    with status("asking the nodes", shown=not as_json), Cluster(address) as connected:
        found = check_cluster(connected)
    if as_json:
        print_json(found, {} if foreseen is None else {"experiment": foreseen})
        return
    print_check(found)
    if foreseen is not None:
        say(foreseen.sentence(found.core_equivalents))


def _print_list(as_json: bool) -> None:
    from soulread.reproduce.experiments import known_experiments
    from soulread.words import duration

    known = known_experiments()
    if as_json:
        print_json({name: experiment.about for name, experiment in known.items()})
        return
    width = max(map(len, known))
    for name, experiment in known.items():
        takes = "" if math.isnan(experiment.hours) else f"; {duration(3600 * experiment.hours)} of CPU time"
        say(f"{name:{width}}  {experiment.about}{takes}")
