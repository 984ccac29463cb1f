"""How a player plays, and how everybody does: `soulread profile`, `pool`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from soulread.cli.common import (
    Computing,
    as_json,
    csv_option,
    db_option,
    open_store,
    output_option,
    print_json,
    say,
    show_table,
    status,
    verify_csv,
)
from soulread.cli.hands import narrowing, regulars_option
from soulread.errors import SoulreadError

if TYPE_CHECKING:
    from soulread.hands.store import Query

page_option = output_option("Write one page of HTML to this file.")


@click.command(cls=Computing)
@click.argument("player")
@db_option
@narrowing
@page_option
@regulars_option
@click.option(
    "--trust",
    type=float,
    default=0.9,
    show_default=True,
    help="Trust of a counter-strategy in its model, 0 to 1; for hands of heads-up limit hold'em.",
)
@click.option(
    "--abstraction",
    help="Card abstraction of the counter-strategy, or none to leave it out.  [default: 5-5-5-5]",
)
@as_json
def profile(
    player: str,
    db: str | None,
    narrow: "Query",
    output: Path | None,
    regulars: int,
    trust: float,
    abstraction: str | None,
    as_json: bool,
) -> None:
    """How a player really plays: style, statistics, sure deviations, ranges and results.

    The player is compared with the regulars of the store: everybody else with enough hands. What is called
    sure is outside of what the middle half of them do, and not by chance; all tests together are accounted
    for. Each deviation comes with what it costs, how to use it, and hands to look at. With -o all of it is
    one page of HTML with figures. For hands of heads-up limit hold'em, DBBR and DBR say what a
    counter-strategy is worth. A profile is about one kind of game, limit or no-limit, cash or tournament: the
    one of which the player has the most hands, unless --game and --format say which.

    Examples: soulread profile Bob --db hands.db; soulread profile Bob --db hands.db -o bob.html
    """
    from soulread.seqform.source import parse_buckets
    from soulread.study.players.hero import meant_player
    from soulread.study.players.players_terminal import print_remarks_line
    from soulread.study.profile.profile import study_profile
    from soulread.study.profile.profile_page import profile_page
    from soulread.study.profile.profile_terminal import print_profile
    from soulread.study.strategies.leaks import DEFAULT_ABSTRACTION

    _verify(output)
    cards = None if abstraction == "none" else parse_buckets(abstraction or DEFAULT_ABSTRACTION)
    with open_store(db) as store, status("counting", shown=not as_json) as tell:
        player, query = meant_player(store, player, narrow)
        study = study_profile(store, player, query, least=regulars, cards=cards, trust=trust, tell=tell)
        _write(output, lambda: profile_page(study))

    def shown() -> None:
        print_remarks_line(study.written)
        print_profile(study)

    _show(study, shown, output, as_json)


def _verify(output: Path | None) -> None:
    """Raise, before anything is counted, if no page can be written there."""
    from soulread.storage.files import verify_writable

    if output is not None and output.suffix.lower() not in (".html", ".htm"):
        raise SoulreadError(f"--output {str(output)!r}; the page is HTML, so its name ends in .html")
    if output is not None:
        verify_writable(output, "html")


def _write(output: Path | None, page: Callable[[], str]) -> None:
    """Write the page if one was asked for."""
    from soulread.storage.files import write_file

    if output is not None:
        write_file(output, page().encode())


def _show(study: Any, text: Callable[[], None], output: Path | None, as_json: bool) -> None:
    """Print a study, as JSON or with ``text``; then say where the page is."""
    if as_json:
        print_json(study)
        return
    text()
    if output is not None:
        say(f"written to {output}")


@click.command(cls=Computing)
@click.argument("player")
@db_option
@narrowing
@click.option("--spots", default=5, show_default=True, help="Kinds of spots in the plan.")
@click.option(
    "--street",
    multiple=True,
    type=click.Choice(["flop", "turn", "river"]),
    help="Streets looked at.  [default: all]",
)
@click.option("--rake", metavar="PART", help="What the house takes of a pot that is won: 5%.")
@click.option("--cap", metavar="AMOUNT", help="The most that it takes: 3bb.  [default: no limit]")
@page_option
@as_json
def plan(
    player: str,
    db: str | None,
    narrow: "Query",
    spots: int,
    street: tuple[str, ...],
    rake: str | None,
    cap: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """A plan against a player of no-limit hold'em: the commonest spots, and what to do there.

    Kinds of spots with two players left are counted in the player's hands. In a typical hand of each, what
    the player does in situations like it is locked, with the trust that its number allows, and answered.
    Beside each count stands what the equilibrium does there, and whether the difference is sure. The plan
    says what to change, what that wins if the player goes on like this, and what it costs at worst. Flops are
    solved in a small tree, which is named. With -o all of it is one page of HTML.

    Examples: soulread plan Bob --db hands.db; soulread plan Bob --db hands.db -o plan.html
    """
    from soulread.study.players.hero import meant_player
    from soulread.study.spots.plan import DEFAULT_STREETS, study_plan
    from soulread.study.spots.plan_page import plan_page
    from soulread.study.spots.plan_terminal import print_plan

    _verify(output)
    with open_store(db) as store, status("counting", shown=not as_json) as tell:
        player, query = meant_player(store, player, narrow)
        study = study_plan(
            store,
            player,
            query,
            spots=spots,
            streets=street or DEFAULT_STREETS,
            rake=rake,
            cap=cap,
            tell=tell,
        )
        _write(output, lambda: plan_page(study))
    _show(study, lambda: print_plan(study), output, as_json)


@click.command(cls=Computing)
@db_option
@narrowing
@page_option
@regulars_option
@csv_option
@click.option(
    "--sheet",
    type=click.Choice(["statistics", "regulars", "styles"]),
    default="statistics",
    show_default=True,
    help="Which table --csv writes.",
)
@click.option("--exploits", is_flag=True, help="Tell what the pool can be exploited for in common spots.")
@click.option("--spots", type=int, help="With --exploits: kinds of spots.  [default: 5]")
@click.option(
    "--street",
    multiple=True,
    type=click.Choice(["turn", "river"]),
    help="With --exploits: streets looked at.  [default: both]",
)
@as_json
def pool(
    db: str | None,
    narrow: "Query",
    output: Path | None,
    regulars: int,
    csv: Path | None,
    sheet: str,
    exploits: bool,
    spots: int | None,
    street: tuple[str, ...],
    as_json: bool,
) -> None:
    """How everybody in a store plays: spreads of statistics, styles, and what winners do otherwise.

    Regulars are the players with enough hands. The chance in their counts is taken out, and positions and
    sizes of tables are taken into account. With -o all of it is one page of HTML with figures. A pool is of
    one kind of game, limit or no-limit, cash or tournament: the one with the most hands, unless --game and
    --format say which. --csv has one row for each statistic; with --sheet regulars or styles, for each
    player or style.

    With --exploits it is about the commonest spots of no-limit hold'em: what the pool does there beside the
    equilibrium, which differences are sure, and what a robust answer surely wins, in bb/100.

    Examples: soulread pool --db hands.db; soulread pool --db hands.db -o pool.html; soulread pool --csv
    regulars.csv --sheet regulars; soulread pool --db hands.db --exploits --spots 3
    """
    from soulread.study.profile.pool import study_pool
    from soulread.study.profile.pool_page import pool_page
    from soulread.study.profile.pool_terminal import print_pool
    from soulread.study.reads.exploits import EXPLOITED, SPOTS, study_exploits
    from soulread.study.reads.exploits_terminal import print_exploits

    _verify(output)
    verify_csv(csv, as_json)
    for given, name in ((spots, "--spots"), (street or None, "--street")):
        if given is not None and not exploits:
            raise SoulreadError(f"{name} needs --exploits")
    if exploits:
        if output is not None:
            raise SoulreadError("--exploits has no page; leave out -o")
        with open_store(db) as store, status("counting", shown=not as_json) as tell:
            found = study_exploits(
                store,
                narrow,
                spots=SPOTS if spots is None else spots,
                streets=street or EXPLOITED,
                tell=tell,
            )
        show_table(found, found.to_csv, lambda: print_exploits(found), csv, as_json)
        return
    with open_store(db) as store, status("counting", shown=not as_json):
        study = study_pool(store, narrow, regulars)
        _write(output, lambda: pool_page(study))
    show_table(study, lambda: study.to_csv(sheet), lambda: print_pool(study), csv, as_json)
    if output is not None and not as_json and str(csv) != "-":
        say(f"written to {output}")
