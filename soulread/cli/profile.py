"""How a player plays, and how everybody does: `soulread profile`, `pool`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from soulread.cli.common import Computing, as_json, db_option, open_store, print_json, status
from soulread.cli.hands import narrowing, query_of, regulars_option
from soulread.errors import SoulreadError
from soulread.words import plural

if TYPE_CHECKING:
    from soulread.hands.store import Query, Store
    from soulread.study.profile.counter import CounterStudy

output_option = click.option(
    "--output", "-o", type=click.Path(path_type=Path), help="Write one page of HTML to this file."
)


@click.command(cls=Computing)
@click.argument("player")
@db_option
@narrowing
@output_option
@regulars_option
@click.option(
    "--risk",
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
    game: str | None,
    stakes: str | None,
    since: str | None,
    until: str | None,
    output: Path | None,
    regulars: int,
    risk: float,
    abstraction: str | None,
    as_json: bool,
) -> None:
    """How a player really plays: style, statistics, sure deviations, ranges and results.

    The player is compared with the regulars of the store: everybody else with enough hands. What is called
    sure is outside of what the middle half of them do, and not by chance; all tests together are accounted
    for. Each deviation comes with what it costs, how to use it, and hands to look at. With -o all of it is
    one page of HTML with figures. For hands of heads-up limit hold'em, DBBR and DBR say what a
    counter-strategy is worth.

    Examples: soulread profile Bob --db hands.db; soulread profile Bob --db hands.db -o bob.html
    """
    from soulread.study.profile.profile import study_profile
    from soulread.study.profile.profile_page import profile_page
    from soulread.study.profile.profile_terminal import print_profile

    _verify(output)
    if not 0 <= risk <= 1:
        raise SoulreadError(f"--risk {risk:g}; it lies between 0 and 1")
    query = query_of(None, game, stakes, since, until)
    with open_store(db) as store, status("counting", shown=not as_json) as tell:
        number = store.player_number(player)
        counter, note = _counter(store, number, player, query, risk, abstraction, tell)
        tell("comparing")
        study = study_profile(store, player, query, least=regulars, counter=counter, counter_note=note)
        _write(output, lambda: profile_page(study))
    _show(study, lambda: print_profile(study), output, as_json)


def _verify(output: Path | None) -> None:
    """Raise, before anything is counted, if no page can be written there."""
    from soulread.storage.files import verify_writable

    if output is not None and output.suffix.lower() not in (".html", ".htm"):
        raise SoulreadError(f"--output {str(output)!r}; the page is HTML, so its name ends in .html")
    if output is not None:
        verify_writable(output)


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
        click.echo(f"written to {output}")


def _counter(
    store: "Store",
    number: int,
    player: str,
    query: "Query",
    risk: float,
    abstraction: str | None,
    tell: Callable[[str], None],
) -> "tuple[CounterStudy | None, str]":
    """The counter-strategy, if there are hands of heads-up limit hold'em enough; else why there is none."""
    import numpy as np

    from soulread.games.limit_holdem import limit_holdem
    from soulread.hands.record import verify_hand
    from soulread.study.profile.counter import LEAST_HANDS

    if abstraction == "none":
        return None, "No counter-strategy was asked for."
    game = limit_holdem()
    alike = [kind for kind, found in store.kinds.items() if found.variant == game.rules.variant]
    numbers: list[int] = []
    for _, facts in store.facts(query, players=[number]):
        seats = facts.seats
        numbers += seats["hand"][np.isin(seats["kind"], alike) & (seats["players"] == 2)].tolist()
    if not numbers:
        return None, ""
    fitting = []
    for _, hand in store.numbered(numbers):
        try:
            verify_hand(game, hand)
            fitting.append(hand)
        except SoulreadError:
            continue
    if len(fitting) < LEAST_HANDS:
        return None, (
            f"Too few hands: {plural(len(fitting), 'hand')} of heads-up limit hold'em; a counter-strategy "
            "needs "
            f"{LEAST_HANDS:,}."
        )
    from soulread.names import source_for
    from soulread.study.profile.counter import study_counter
    from soulread.study.strategies.leaks import DEFAULT_ABSTRACTION

    source = source_for(game, abstraction, DEFAULT_ABSTRACTION)
    return study_counter(source, fitting, player, risk, tell), ""


@click.command(cls=Computing)
@db_option
@narrowing
@output_option
@regulars_option
@as_json
def pool(
    db: str | None,
    game: str | None,
    stakes: str | None,
    since: str | None,
    until: str | None,
    output: Path | None,
    regulars: int,
    as_json: bool,
) -> None:
    """How everybody in a store plays: spreads of statistics, styles, and what winners do otherwise.

    Regulars are the players with enough hands. The chance in their counts is taken out, and positions and
    sizes of tables are taken into account. With -o all of it is one page of HTML with figures.

    Examples: soulread pool --db hands.db; soulread pool --db hands.db -o pool.html
    """
    from soulread.study.profile.pool import study_pool
    from soulread.study.profile.pool_page import pool_page
    from soulread.study.profile.pool_terminal import print_pool

    _verify(output)
    with open_store(db) as store, status("counting", shown=not as_json):
        study = study_pool(store, query_of(None, game, stakes, since, until), regulars)
        _write(output, lambda: pool_page(study))
    _show(study, lambda: print_pool(study), output, as_json)
