"""One's own play, and people of several names: `soulread player hero`, `alias`, `results`, `sessions`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from soulread.cli.common import (
    Computing,
    as_json,
    csv_option,
    db_option,
    open_store,
    output_option,
    print_json,
    progress,
    room_option,
    say,
    show_table,
    status,
    verify_csv,
)
from soulread.cli.hands import narrowing, regulars_option
from soulread.errors import SoulreadError

if TYPE_CHECKING:
    from soulread.hands.store import Query

_PAGES = (".html", ".htm")

pause_option = click.option(
    "--pause", default=30.0, show_default=True, help="Minutes without a hand that end a session."
)


@click.group()
def player() -> None:
    """Look at your own play and that of the people you meet.

    In other commands too, "me" or "hero" is the hero of the store, unless somebody is called so.
    """


@player.command(cls=Computing)
@click.argument("name", required=False)
@db_option
@room_option
@click.option("--forget", is_flag=True, help="Forget who was said to be the hero.")
@as_json
def hero(name: str | None, db: str | None, room: str | None, forget: bool, as_json: bool) -> None:
    """Say who the hero is: whose cards the files know in every hand.

    A room writes down the hole cards of the player who asks for the hands. Files of several people have
    several heroes; a store in which all cards are known, or only those of showdowns, has none. With NAME this
    player is the hero from now on.

    Examples: soulread player hero --db hands.db; soulread player hero Bob --db hands.db
    """
    from soulread.study.players.aliases import choose_hero
    from soulread.study.players.hero import study_hero
    from soulread.study.players.players_terminal import print_heroes

    if forget and name is not None:
        raise SoulreadError(f"--forget and {name!r}: give one of them")
    with open_store(db, read_only=not forget and name is None) as store, status("looking", shown=not as_json):
        if name is not None or forget:
            choose_hero(store, name, room)
        study = study_hero(store, room)
    print_json(study) if as_json else print_heroes(study)


@player.command(cls=Computing)
@click.argument("name", required=False)
@click.argument("other", nargs=-1)
@db_option
@click.option("--room", help="Room of the names; NAME@ROOM says it of one name.")
@click.option("--as", "person", metavar="NAME", help="Name of the person, if not the first of the names.")
@click.option("--remove", is_flag=True, help="From now on the names are people of their own.")
@as_json
def alias(
    name: str | None,
    other: tuple[str, ...],
    db: str | None,
    room: str | None,
    person: str | None,
    remove: bool,
    as_json: bool,
) -> None:
    """Join players who are one person under several names; without a name, list them.

    From now on NAME and every OTHER are one person called NAME, or as --as says, whose hands are counted
    together wherever players are looked at. NAME@ROOM says which player is meant if several rooms have the
    name. Names of one person that were joined before stay together. Two players who sit in one hand are not
    one person, and are refused. The hands themselves stay as they are, and so do files that are written with
    hands -o. --remove undoes it for each name; if it is the name of the person, for all names.

    Examples: soulread player alias Bob Bob@GGPoker Bobby; soulread player alias Bobby --remove
    """
    from soulread.study.players.aliases import join_names, part_names, study_aliases
    from soulread.study.players.players_terminal import print_aliases

    if name is None and remove:
        raise SoulreadError("--remove needs the name that shall be a person of its own")
    if person is not None and (remove or not person.strip()):
        raise SoulreadError(f"--as {person!r} is the name of people who are joined")
    if name is not None and not other and not remove:
        raise SoulreadError(f"who is {name!r} too? Give another name, or --remove")
    with open_store(db, read_only=name is None) as store:
        if name is None:
            study = study_aliases(store)
        elif remove:
            study = part_names(store, (name, *other), room)
        else:
            study = join_names(store, (name, *other), room, name=person)
    print_json(study) if as_json else print_aliases(study)


@player.command(cls=Computing)
@click.argument("name", required=False)
@click.argument("text", required=False)
@db_option
@room_option
@as_json
def note(name: str | None, text: str | None, db: str | None, room: str | None, as_json: bool) -> None:
    """Keep a note on a player in the store; without TEXT show it, without NAME list all.

    stats and profile show it. A new text takes the place of the one before; an empty one ("") forgets it.

    Examples: soulread player note Bob "calls too much on the river"; soulread player note
    """
    from soulread.study.players.players_terminal import print_remarks
    from soulread.study.players.remarks import study_remarks, write_note

    with open_store(db, read_only=text is None) as store:
        if name is not None and text is not None:
            write_note(store, name, text, room)
        study = study_remarks(store, name, room)
    print_json(study) if as_json else print_remarks(study)


@player.command(cls=Computing)
@click.argument("name", required=False)
@click.argument("labels", nargs=-1)
@db_option
@room_option
@click.option("--remove", is_flag=True, help="Take these labels away, or all if none is named.")
@as_json
def label(
    name: str | None,
    labels: tuple[str, ...],
    db: str | None,
    room: str | None,
    remove: bool,
    as_json: bool,
) -> None:
    """Give a player labels in the store; without labels show them, without NAME list all.

    Examples: soulread player label Bob fish regular; soulread player label Bob fish --remove
    """
    from soulread.study.players.players_terminal import print_remarks
    from soulread.study.players.remarks import study_remarks, write_labels

    if name is None and remove:
        raise SoulreadError("--remove needs the name of the player who has the labels")
    writes = name is not None and (remove or bool(labels))
    with open_store(db, read_only=not writes) as store:
        if name is not None and writes:
            write_labels(store, name, labels, room, remove=remove)
        study = study_remarks(store, name, room)
    print_json(study) if as_json else print_remarks(study)


@player.command(cls=Computing)
@click.argument("player", default="me")
@db_option
@narrowing
@click.option(
    "--by", type=click.Choice(["session", "month", "stakes", "room"]), help="Results of groups of hands."
)
@pause_option
@output_option("Write a graph over the hands to this file: .svg, .png, .pdf, or .html for a page.")
@csv_option
@as_json
def results(
    player: str,
    db: str | None,
    narrow: "Query",
    by: str | None,
    pause: float,
    output: Path | None,
    csv: Path | None,
    as_json: bool,
) -> None:
    """Results over the hands: won, with the luck of all-ins taken out, with and without showdown.

    PLAYER is you if nobody is named. The band holds what the play is worth with probability 95%. The luck of
    all-ins is taken out where all cards are known in 95% of them. Results are those of one kind of game, the
    one with the most hands, unless --game and --format say which.

    Examples: soulread player results -o graph.svg; soulread player results Bob --by month
    """
    from soulread.report.figures import draw, verify_figure
    from soulread.storage.files import verify_writable, write_file
    from soulread.study.players.hero import meant_player
    from soulread.study.players.players_terminal import print_results
    from soulread.study.players.results import ResultsBy, study_results
    from soulread.study.players.results_page import results_page

    paged = output is not None and output.suffix.lower() in _PAGES
    if output is not None:
        verify_writable(output, "html" if paged else verify_figure(output))
    verify_csv(csv, as_json)
    with open_store(db) as store, status("counting", shown=not as_json):
        player, query = meant_player(store, player, narrow)
        study = study_results(store, player, query, ResultsBy(by) if by else None, pause=pause)
    if output is not None and paged:
        write_file(output, results_page(study).encode())
    elif output is not None:
        draw(study.figure, [output])
    show_table(study, study.to_csv, lambda: print_results(study), csv, as_json)
    if output is not None and not as_json and str(csv) != "-":
        say(f"written to {output}")


@player.command(cls=Computing)
@click.argument("player", default="me")
@db_option
@narrowing
@pause_option
@click.option(
    "--sort",
    type=click.Choice([f"{sign}{word}" for word in ("date", "won", "hands", "length") for sign in ("", "-")]),
    default="date",
    show_default=True,
    help="The latest, or those with the most, first; with - before it the other way round.",
)
@click.option("--limit", "-n", type=int, default=20, show_default=True, help="How many sessions are shown.")
@csv_option
@as_json
def sessions(
    player: str,
    db: str | None,
    narrow: "Query",
    pause: float,
    sort: str,
    limit: int,
    csv: Path | None,
    as_json: bool,
) -> None:
    """Sessions: when, how long, how many tables and hands, and what was won.

    PLAYER is you if nobody is named. Hands without a pause of 30 minutes are one session, at however many
    tables.

    Examples: soulread player sessions; soulread player sessions Bob --sort won --limit 5
    """
    from soulread.study.players.hero import meant_player
    from soulread.study.players.players_terminal import print_sessions
    from soulread.study.players.sessions import SessionOrder, study_sessions

    if limit < 1:
        raise SoulreadError(f"--limit {limit}; at least one session is shown")
    verify_csv(csv, as_json)
    order = SessionOrder(sort.removeprefix("-"))
    with open_store(db) as store, status("counting", shown=not as_json):
        player, query = meant_player(store, player, narrow)
        study = study_sessions(
            store, player, query, pause=pause, order=order, ascending=sort.startswith("-"), top=limit
        )
    show_table(study, study.to_csv, lambda: print_sessions(study), csv, as_json)


@player.command(cls=Computing)
@click.argument("player", default="me")
@db_option
@narrowing
@regulars_option
@csv_option
@as_json
def leaks(
    player: str,
    db: str | None,
    narrow: "Query",
    regulars: int,
    csv: Path | None,
    as_json: bool,
) -> None:
    """Your leaks: what you surely do otherwise than the regulars and what it costs, the dearest first.

    PLAYER is you if nobody is named. The deviations are those of soulread profile. Each comes with n, its
    interval, what regulars do, what regulars who play like you lose by it, and a command that shows its
    hands. Then come your results in each position and kind of pot, and where you surely win less than
    regulars do.

    Examples: soulread player leaks; soulread player leaks Bob --since 2009-07-01
    """
    from soulread.study.players.hero import meant_player
    from soulread.study.players.own_leaks import study_own_leaks
    from soulread.study.players.players_terminal import print_own_leaks

    verify_csv(csv, as_json)
    with open_store(db) as store, status("counting", shown=not as_json) as tell:
        player, query = meant_player(store, player, narrow)
        study = study_own_leaks(store, player, query, least=regulars, tell=tell)
    show_table(study, study.to_csv, lambda: print_own_leaks(study), csv, as_json)


@player.command(cls=Computing)
@click.argument("player", default="me")
@db_option
@narrowing
@click.option("--min-hands", default=500, show_default=True, help="Hands with you, or without a hero at all.")
@regulars_option
@output_option("Write the report to this folder, or to a page NAME.html with a folder NAME_players.")
@csv_option
@as_json
def report(
    player: str,
    db: str | None,
    narrow: "Query",
    min_hands: int,
    regulars: int,
    output: Path | None,
    csv: Path | None,
    as_json: bool,
) -> None:
    """Report on all opponents met often: style, statistics, sure deviations, the best advice, and results.

    PLAYER is you if nobody is named; if the store has no hero, everybody with enough hands is in the report.
    With -o every opponent has a page, the one of soulread profile -o without a counter-strategy, which takes
    some seconds each. A report that was broken off goes on where it was; pages of the same hands are not made
    again.

    Examples: soulread player report; soulread player report --min-hands 200 -o opponents
    """
    from soulread.study.players.hero import opponents_of
    from soulread.study.players.opponents import lay_table, study_opponents
    from soulread.study.players.players_terminal import print_opponents
    from soulread.study.players.report_pages import report_files, write_report

    verify_csv(csv, as_json)
    files = None if output is None else report_files(output)
    with open_store(db) as store:
        with status("counting", shown=not as_json):
            whose, query = opponents_of(store, player, narrow)
            table = lay_table(store, whose, query, least=min_hands, regular_hands=regulars)
        with progress("profiles", len(table.opponents), shown=not as_json) as (advance, say_now):
            if files is None:
                study = study_opponents(table, told=lambda *_: advance(1))
            else:
                say_now("counting the population")
                study = write_report(table, files, told=lambda *_: advance(1))
    show_table(study, study.to_csv, lambda: print_opponents(study), csv, as_json)
    if files is not None and not as_json and str(csv) != "-":
        say(f"written to {files.index}")
