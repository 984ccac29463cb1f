"""Playing: `soulread demo`, `soulread duel`."""

from pathlib import Path

import click

from soulread.cli.common import as_json, print_json, progress


@click.command()
def demo() -> None:
    """Show what soulread can do, in a minute."""
    from soulread.demo import run

    run()


@click.command()
@click.argument("game")
@click.argument("agents", nargs=-1, required=True)
@click.option("--hands", "-n", default=1000, show_default=True, help="Hands of each match.")
@click.option("--matches", "-m", default=1, show_default=True, help="Matches, each with fresh agents.")
@click.option("--duplicate", "-d", is_flag=True, help="Replay each match with the seats swapped, same cards.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same result.")
@click.option("--jobs", "-j", default=1, show_default=True, help="Processes to spread the matches over.")
@click.option("--log", type=click.Path(path_type=Path), help="Write every hand to this file, as ACPC does.")
@as_json
def duel(
    game: str,
    agents: tuple[str, ...],
    hands: int,
    matches: int,
    duplicate: bool,
    seed: int,
    jobs: int,
    log: Path | None,
    as_json: bool,
) -> None:
    """Let AGENTS play GAME against each other.

    Agents: random, always-fold, always-call, always-raise, probe; equilibrium and best-response:AGENT in kuhn
    and leduc, equilibrium:8-12-4-4 and best-response:5-5-5-5:AGENT in limit; file:PATH; dbbr; orange, loose,
    tight and more (docs/commands.md). One for each seat of the game. An equilibrium of limit is solved at its
    first use and kept in the cache.

    Examples: soulread duel limit always-fold always-raise --duplicate;
    soulread duel limit equilibrium:5-5-5-5 always-raise --hands 1000000
    """
    from contextlib import nullcontext

    from soulread.observe.acpc_log import LogWriter
    from soulread.play.match import play_matches

    passes = len(agents) if duplicate else 1
    title = f"soulread duel {game} {' '.join(agents)} --hands {hands} --seed {seed}"
    with (
        nullcontext() if log is None else LogWriter(log, title) as record,
        progress("playing", matches * hands * passes, shown=not as_json) as (advance, tell),
    ):
        result = play_matches(
            game,
            agents,
            hands,
            matches=matches,
            duplicate=duplicate,
            seed=seed,
            jobs=jobs,
            progress=advance,
            tell=tell,
            record=record,
        )
    if as_json:
        print_json(result.as_dict())
        return
    from soulread.report.tables import print_match

    print_match(result)
