"""Everybody against everybody: `soulread tournament`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from soulread.cli.common import (
    Computing,
    UserError,
    as_json,
    csv_option,
    figure_option,
    hands_option,
    jobs_option,
    keep_report,
    patience_option,
    report_option,
    seed_option,
    show_table,
    task_progress,
    verify_csv,
)

if TYPE_CHECKING:
    from soulread.processes import Jobs


@click.command(cls=Computing)
@click.argument("game")
@click.argument("agents", nargs=-1, required=True, metavar="AGENT...")
@hands_option
@click.option(
    "--matches", "-m", type=int, help="Matches of each encounter.  [default: 10; 200 with --until-decided]"
)
@click.option("--ring", is_flag=True, help="Tables of more than two: every set of agents that fills one.")
@seed_option()
@jobs_option
@click.option("--raw", is_flag=True, help="Count chips as they fell; take no luck off.")
@click.option("--until-decided", is_flag=True, help="Stop when it is clear who wins; --matches is the most.")
@click.option("--clock", type=float, help="Seconds for a decision; who is late is stood in for.")
@patience_option
@figure_option
@report_option
@csv_option
@as_json
def tournament(
    game: str,
    agents: tuple[str, ...],
    hands: int,
    matches: int | None,
    ring: bool,
    seed: int,
    jobs: "Jobs",
    raw: bool,
    until_decided: bool,
    clock: float | None,
    figure: Path | None,
    csv: Path | None,
    as_json: bool,
) -> None:
    """Let every AGENT play every other one at GAME in duplicate matches, and say who wins.

    In a game of two every pair plays. With --ring, at a game of more seats, every set of agents that fills
    the table plays. The winner by total bankroll has the highest mean winnings over all encounters; in the
    instant run-off whoever has the lowest is removed, again and again. Agents whom the intervals do not tell
    apart are said to be tied. Unless --raw, luck is taken off in encounters of two whose strategies are
    known.

    Finished matches are kept: a tournament that was broken off goes on where it stopped, with the same
    command. An agent that cannot play is named at once. An encounter that fails later is told at the end,
    with exit code 2; the others are played all the same.

    Examples: soulread tournament leduc soul dbbr:T=100 equilibrium loose -n 500 -m 10 -j 2;
    soulread tournament kuhn equilibrium random always-call --until-decided --csv table.csv;
    soulread tournament ring-limit:3 loki plain always-call random --ring -n 200
    """
    from soulread.games.named import parse_game
    from soulread.play.catalogue.known import parse_agent
    from soulread.reproduce.kit.tournaments import tournament_tasks
    from soulread.study.duels.tournament_rounds import play_tournament
    from soulread.study.duels.tournament_terminal import print_tournament
    from soulread.words import plural

    verify_csv(csv, as_json)
    if figure is not None:
        from soulread.report.figures import verify_figure
        from soulread.storage.files import verify_writable

        verify_writable(figure, verify_figure(figure))
    rules = parse_game(game)
    with task_progress("playing", shown=not as_json) as (advance, tell):
        found = play_tournament(
            rules,
            [parse_agent(agent) for agent in agents],
            hands,
            tournament_tasks(rules.name, hands, seed, clock),
            matches=matches,
            ring=ring,
            seed=seed,
            raw=raw,
            until_decided=until_decided,
            clock=clock,
            jobs=jobs,
            progress=advance,
            tell=tell,
        )
    if figure is not None:
        found.plot().save(figure)
    keep_report(found, figure=found.plot)
    show_table(found, found.to_csv, lambda: print_tournament(found), csv, as_json)
    failed = len(found.encounters) - len(found.finished)
    if failed:
        raise UserError(f"{failed} of {plural(len(found.encounters), 'encounter')} failed")
