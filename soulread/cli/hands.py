"""Hands of real people: `soulread import`, `hands`, `players`, `stats`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from soulread.cli.common import (
    Computing,
    as_json,
    db_option,
    measured,
    open_store,
    output_option,
    print_json,
    room_option,
    say,
    status,
)
from soulread.errors import SoulreadError
from soulread.words import plural

if TYPE_CHECKING:
    from datetime import datetime

    from soulread.hands.store import Query


def narrowing(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say which hands are meant."""
    for option in (
        click.option("--until", help="Only hands before this day or time."),
        click.option("--since", help="Only hands since this day or time: 2009-07-01, or 2009-07-01T20:00."),
        click.option("--stakes", help="Only hands of this big blind in money: 6, or 3/6."),
        click.option(
            "--format", type=click.Choice(["cash", "tournament"]), help="Only cash games, or tournaments."
        ),
        click.option("--game", help="Only hands of this game: limit, nolimit (any table), ring-limit, ..."),
        room_option,
    ):
        command = option(command)
    return command


def _verify_regulars(_: click.Context, __: click.Parameter, regulars: int) -> int:
    if regulars < 1:
        raise SoulreadError(f"--regulars {regulars}; a regular has at least one hand")
    return regulars


regulars_option = click.option(
    "--regulars",
    type=int,
    default=500,
    callback=_verify_regulars,
    show_default=True,
    help="Hands that a player needs to count as a regular.",
)


@click.command(name="import", cls=Computing)
@click.argument("paths", nargs=-1, type=click.Path())
@db_option
@click.option("--game", help="Game of files that do not name theirs, such as ACPC logs.")
@click.option("--anonymise", is_flag=True, help="Store and tell no name: a keyed hash in its place.")
@click.option(
    "--key",
    type=click.Path(path_type=Path),
    help="File with the key for --anonymise.  [default: the user's own, made at the first use]",
)
@click.option("--strict", is_flag=True, help="Stop at the first hand that cannot be read.")
@click.option(
    "--skipped",
    type=click.Path(path_type=Path),
    help="Write every hand that is left out to this file, with place and reason.",
)
@as_json
def import_(
    paths: tuple[str, ...],
    db: str | None,
    game: str | None,
    anonymise: bool,
    key: Path | None,
    strict: bool,
    skipped: Path | None,
    as_json: bool,
) -> None:
    """Bring hands into a store: files, folders, archives, or - for standard input.

    The format is found out from the content. Every hand is replayed by the rules, and what does not add up
    is left out with its reason. Hands that are there already, from whichever file or format, add nothing, so
    an import that was broken off goes on when it is started again. A store is a file, or the address of a
    PostgreSQL server: postgresql://user@host/database. Without a path an older store is brought up to date.

    Examples: soulread import hands/ --db hands.db; xz -dc hands.phhs.xz | soulread import - --db hands.db
    """
    from contextlib import ExitStack

    from soulread.games.named import parse_game
    from soulread.hands.formats.reading import verify_path
    from soulread.hands.identity import Anonymiser, read_key
    from soulread.storage.files import replacing, verify_writable
    from soulread.storage.kinds import SKIPPED
    from soulread.study.hands.importing import ImportStudy, Skipped, import_hands, size_of
    from soulread.study.hands.statistics_terminal import print_import

    for path in paths:
        verify_path(path)
    rules = None if game is None else parse_game(game)
    if key is not None and not anonymise:
        raise SoulreadError("--key is for --anonymise")
    anonymiser = Anonymiser(read_key(key)) if anonymise else None
    if skipped is not None:
        verify_writable(skipped, "skipped")
    with open_store(db, read_only=False) as store, ExitStack() as stack:
        report = None if skipped is None else stack.enter_context(replacing(skipped))
        if report is not None:
            report.write(f"{SKIPPED}\n".encode())
        tell = stack.enter_context(measured(size_of(paths), shown=not as_json))

        def told(study: ImportStudy) -> None:
            words = f"{study.read:,} hands, {study.added.new:,} new, {study.rate:,.0f} hands/s"
            tell(study.bytes_read, words)

        def noted(found: Skipped) -> None:
            if report is not None:
                report.write(f"{found}\n".encode())

        study = import_hands(
            store,
            paths,
            rules,
            anonymiser=anonymiser,
            strict=strict,
            progress=told,
            noted=noted,
        )
    if as_json:
        print_json(study)
    else:
        print_import(study)


@click.command(cls=Computing)
@click.argument("query", nargs=-1)
@db_option
@click.option("--player", help="Only hands of this player.")
@narrowing
@click.option("--limit", "-n", type=int, help="How many hands at most.  [default: 20, or all with -o]")
@output_option("Write the hands to this file; its ending is the format.")
@as_json
def hands(
    query: tuple[str, ...],
    db: str | None,
    player: str | None,
    room: str | None,
    game: str | None,
    format: str | None,
    stakes: str | None,
    since: str | None,
    until: str | None,
    limit: int | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Find hands of a store, show them, and write them in another format; or look after the store itself.

    QUERY is any of: #7 (a hand's number in the store), id:NUMBER, table:NAME, or an id or table alone;
    showdown, twice; players>=3, pot>=50 (big blinds); board:AhKd; betting:r*; the name of a statistic, such
    as 3bet, fold-to-3bet, cbet-flop or limp, and chance:3bet for hands in which it could be done; and with
    --player won<-50, stack<20, holds:QQ+,AKs. not- before a word turns it round. All must hold. With --player
    they are about this player: showdown means that the player came to it.

    "check" alone reads every row of the store and says what is damaged; the exit code is then 1. "rebuild"
    alone makes players, facts and indexes anew from the hands, and names the hands it could not keep.

    Examples: soulread hands showdown "pot>=100" --player Bob; soulread hands chance:3bet not-3bet --player
    Bob; soulread hands --player Bob -o bob.jsonl
    """
    from itertools import islice

    from soulread.hands.conditions import parse_conditions
    from soulread.hands.facts import pot_of
    from soulread.storage.files import verify_writable
    from soulread.study.hands.exporting import export_hands, verify_export
    from soulread.study.hands.statistics_terminal import print_hands

    if query in (("check",), ("rebuild",)):
        others = (player, room, game, format, stakes, since, until, limit, output)
        if any(other is not None for other in others):
            raise SoulreadError(f"hands {query[0]} is about a whole store; it takes --db and --json only")
        _look_after(query[0], db, as_json)
        return
    if limit is not None and limit < 1:
        raise SoulreadError(f"--limit {limit}; at least one hand is shown")
    conditions = parse_conditions(query, player)
    meant = query_of(player, room, game, format, stakes, since, until)
    if output is not None:
        verify_writable(output, verify_export(output))
    with open_store(db) as store:
        found = conditions.find(store, meant)
        if output is not None:
            with status("writing", shown=not as_json):
                written = export_hands((hand for _, hand in islice(found, limit)), output)
            if as_json:
                print_json({"hands": None, "exported": written, "file": str(output)})
            else:
                say(f"{plural(written, 'hand')} written to {output}")
            return
        shown = list(islice(found, limit or 20))
    if as_json:
        record = [{"number": number, "pot": pot_of(hand), **hand.record} for number, hand in shown]
        print_json({"hands": record, "exported": None, "file": None})
        return
    if not shown:
        raise SoulreadError("there are no such hands")
    print_hands(shown, player)


def _look_after(what: str, db: str | None, as_json: bool) -> None:
    """Check or rebuild a whole store; one that is damaged ends with exit code 1."""
    from soulread.hands.store import default_store
    from soulread.hands.tables.checking import check_store, rebuild_store
    from soulread.study.hands.store_terminal import print_check, print_rebuilt

    where = db if db is not None else str(default_store())
    if what == "check":
        with status("checking", shown=not as_json):
            check = check_store(where)
        print_json(check) if as_json else print_check(check)
        if not check.whole:
            raise SystemExit(1)
        return
    with status("rebuilding", shown=not as_json):
        done = rebuild_store(where)
    print_json(done) if as_json else print_rebuilt(done)


@click.command(cls=Computing)
@db_option
@room_option
@click.option("--top", default=30, show_default=True, help="How many players to show.")
@as_json
def players(db: str | None, room: str | None, top: int, as_json: bool) -> None:
    """Who there is in a store: hands of each, the first and the last day.

    A name in two rooms is two players.

    Example: soulread players --db hands.db --room PokerStars
    """
    from soulread.study.hands.statistics_terminal import print_players

    _verify_top(top)
    with open_store(db) as store:
        found = store.players(room)
    if as_json:
        print_json({"num_players": len(found), "players": found[:top]})
        return
    print_players(found, top)


@click.command(cls=Computing)
@click.argument("player", required=False)
@db_option
@click.option(
    "--by",
    type=click.Choice(["position", "players", "stack", "month", "size"]),
    help="Groups of hands; or size, for the strength that was seen behind each size of bet.",
)
@click.option("--against", type=click.Choice(["pool"]), help="Show where PLAYER stands among the regulars.")
@narrowing
@regulars_option
@click.option("--top", default=20, show_default=True, help="Without PLAYER: how many players to show.")
@click.option("--min-hands", default=1, show_default=True, help="Without PLAYER: hands of each.")
@as_json
def stats(
    player: str | None,
    db: str | None,
    by: str | None,
    against: str | None,
    room: str | None,
    game: str | None,
    format: str | None,
    stakes: str | None,
    since: str | None,
    until: str | None,
    regulars: int,
    top: int,
    min_hands: int,
    as_json: bool,
) -> None:
    """The statistics players know: VPIP, PFR, 3-bet, c-bet, WTSD, bb/100 and so on, with 95% intervals.

    n is the number of chances. Where the interval is too wide to say anything the table says "too few
    hands". Without PLAYER there is a line for everybody.

    Examples: soulread stats Bob --by position; soulread stats Bob --by size; soulread stats Bob --against
    pool --since 2009-07-01
    """
    from soulread.study.hands.sizing import study_sizing
    from soulread.study.hands.sizing_terminal import print_sizing
    from soulread.study.hands.statistics import By, study_player, study_players
    from soulread.study.hands.statistics_terminal import print_player, print_table

    meant = query_of(player, room, game, format, stakes, since, until)
    _verify_top(top)
    with open_store(db) as store, status("counting", shown=not as_json):
        if player is None:
            if by is not None or against is not None:
                raise SoulreadError("--by and --against are about one player; say who is meant")
            table = study_players(store, meant, min_hands, top)
        elif by == "size":
            sizing = study_sizing(store, player, meant)
        else:
            groups = By(by) if by else None
            study = study_player(store, player, meant, groups, pool=against is not None, least=regulars)
    if player is None:
        if as_json:
            print_json(table)
        else:
            print_table(table)
    elif by == "size":
        print_json(sizing) if as_json else print_sizing(sizing)
    elif as_json:
        print_json(study)
    else:
        print_player(study)


def _verify_top(top: int) -> None:
    if top < 1:
        raise SoulreadError(f"--top {top}; at least one player is shown")


def query_of(
    player: str | None,
    room: str | None,
    game: str | None,
    format: str | None,
    stakes: str | None,
    since: str | None,
    until: str | None,
) -> "Query":
    """The hands that the options of `narrowing` mean."""
    from soulread.hands.store import Query

    times: dict[str, Any] = {"since": _time("--since", since), "until": _time("--until", until)}
    return Query(player=player, room=room, game=game, format=format, stakes=stakes, **times)


def _time(option: str, text: str | None) -> "datetime | None":
    from datetime import datetime

    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise SoulreadError(f"{option} {text!r}; write a day such as 2009-07-01") from None
