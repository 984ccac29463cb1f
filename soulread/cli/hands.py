"""Hands of real people: `soulread sample-hands`, `import`, `hands`, `players`, `stats`."""

from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from soulread.cli.common import (
    Computing,
    as_json,
    csv_option,
    db_option,
    jobs_option,
    measured,
    open_store,
    output_option,
    print_json,
    room_option,
    say,
    show_table,
    status,
    verify_csv,
)
from soulread.errors import SoulreadError
from soulread.words import plural

if TYPE_CHECKING:
    from datetime import datetime

    from soulread.hands.conditions import Order, Search
    from soulread.hands.hand import Hand
    from soulread.hands.statistics import Statistic
    from soulread.hands.store import Query, Store
    from soulread.processes import Jobs


def narrowing(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say which hands are meant; the command gets them as one query ``narrow``."""

    @wraps(command)
    def narrowed(
        *,
        room: str | None,
        game: str | None,
        format: str | None,
        stakes: str | None,
        since: str | None,
        until: str | None,
        **others: Any,
    ) -> None:
        command(narrow=_query_of(room, game, format, stakes, since, until), **others)

    made: Callable[..., None] = narrowed
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
        made = option(made)
    return made


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


@click.command(name="sample-hands")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Write over files that are there.")
@as_json
def sample_hands(folder: Path, force: bool, as_json: bool) -> None:
    """Write 3,000 made-up hands into FOLDER, as a room's text: no-limit hold'em, 6 seats, seen by a hero.

    Simulated players play them; some have habits to be found. Nothing is downloaded.

    Example: soulread sample-hands hands; then soulread import hands --db hands.db
    """
    from soulread.study.players.sample import write_sample

    study = write_sample(folder, force=force)
    if as_json:
        print_json(study)
    else:
        say(f"{plural(study.hands, 'hand')} of {study.hero} and others written to {study.folder}")


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
@jobs_option
@as_json
def import_(
    paths: tuple[str, ...],
    db: str | None,
    game: str | None,
    anonymise: bool,
    key: Path | None,
    strict: bool,
    skipped: Path | None,
    jobs: "Jobs",
    as_json: bool,
) -> None:
    """Bring hands into a store: files, folders, archives, or - for standard input.

    The format is found out from the content. Every hand is replayed by the rules, and what does not add up
    is left out with its reason. Hands that are there already, from whichever file or format, add nothing, so
    an import that was broken off goes on when it is started again. A store is a file, or the address of a
    PostgreSQL server: postgresql://user@host/database. Without a path an older store is brought up to date.

    One process reads on all cores and stores. Into the store of a server many processes may import at once,
    with --jobs or --cluster: each takes whole files, and a hand comes in once, whoever brings it.

    Examples: soulread import hands/ --db hands.db; xz -dc hands.phhs.xz | soulread import - --db hands.db
    """
    from contextlib import ExitStack

    from soulread.games.named import parse_game
    from soulread.hands.formats.reading import verify_path
    from soulread.hands.identity import Anonymiser, read_key
    from soulread.hands.store import default_store
    from soulread.processes import runner_of
    from soulread.storage.files import replacing, verify_writable
    from soulread.storage.kinds import SKIPPED
    from soulread.study.hands.importing import ImportStudy, Skipped, import_hands, import_spread, size_of
    from soulread.study.hands.statistics_terminal import print_import

    for path in paths:
        verify_path(path)
    rules = None if game is None else parse_game(game)
    if key is not None and not anonymise:
        raise SoulreadError("--key is for --anonymise")
    anonymiser = Anonymiser(read_key(key)) if anonymise else None
    if skipped is not None:
        verify_writable(skipped, "skipped")
    with ExitStack() as stack:
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

        asked: dict[str, Any] = {"anonymiser": anonymiser, "strict": strict, "progress": told, "noted": noted}
        if jobs == 1:
            store = stack.enter_context(open_store(db, read_only=False))
            study = import_hands(store, paths, rules, **asked)
        else:
            study = import_spread(db or str(default_store()), paths, runner_of(jobs), rules, **asked)
    if as_json:
        print_json(study)
    else:
        print_import(study)


@click.command(cls=Computing)
@click.argument("query", nargs=-1)
@db_option
@click.option("--player", help="Only hands of this player.")
@click.option(
    "--stat", help="List the occasions of this statistic and which were taken: fold-to-cbet, 3bet, ..."
)
@click.option("--taken/--missed", default=None, help="With --stat: only occasions that were taken, or not.")
@click.option(
    "--sort",
    type=click.Choice(["pot", "-pot", "won", "-won", "date", "-date"]),
    help="The largest pot, the most won (both in big blinds) or the latest first; -pot, ... the other way.",
)
@narrowing
@click.option(
    "--limit", "-n", type=int, help="How many rows at most.  [default: 20, or all with -o and --csv]"
)
@csv_option
@output_option("Write the hands to this file; its ending is the format.")
@as_json
def hands(
    query: tuple[str, ...],
    db: str | None,
    player: str | None,
    stat: str | None,
    taken: bool | None,
    sort: str | None,
    narrow: "Query",
    limit: int | None,
    csv: Path | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Find hands of a store, show them, and write them in another format; or look after the store itself.

    QUERY is any of these words, of which all must hold; not- before one turns it round. #7 (a hand's number
    in the store), id:NUMBER, table:NAME, or an id or table alone; showdown, twice; walk, limped,
    single-raised, 3bet-pot, 4bet-pot; players>=3, pot>=50 (big blinds); opponent:NAME (who called or raised),
    room:NAME, date>=2009-07-01, date:2009-07 (UTC); board:AhKd, betting:r*; the name of a statistic, such as
    3bet, fold-to-3bet, cbet-flop or limp, and chance:3bet for hands in which it could be done;
    line=bet-bet-check (flop, turn and river; b x c r f, check/raise or xr, * for any), preflop=raise/call;
    bet>=75% or flop-bet, turn-bet, river-bet (of the pot), open>=3 (big blinds), facing>=75% or flop-facing,
    ...; and with --player position:BTN,CO, ip, oop, did:raised-first-in (limped, called-raise, ...), seen,
    won<-50, stack<20, holds:QQ+,AKs. With --player all are about this player; without, somebody must have
    done so.

    --stat lists every occasion of a statistic, as stats counts them: of a rate each decision, of bb/100 each
    hand; of the aggression factor each call, and each bet or raise as taken.

    "check" alone reads every row of the store and says what is damaged; the exit code is then 1. "rebuild"
    alone makes players, facts and indexes anew from the hands, and names the hands it could not keep.

    Examples: soulread hands 3bet-pot ip line=bet-bet-check --player Bob --sort pot; soulread hands --stat
    fold-to-cbet --missed --player Bob; soulread hands "won<-50" --player Bob -o bob.jsonl
    """
    from dataclasses import replace

    from soulread.hands.conditions import Order, parse_conditions, statistic_called
    from soulread.hands.store import EVERYTHING
    from soulread.storage.files import verify_writable
    from soulread.study.hands.exporting import verify_export
    from soulread.study.players.hero import meant_player

    if query in (("check",), ("rebuild",)):
        others = (player, stat, taken, sort, limit, csv, output)
        if narrow != EVERYTHING or any(other is not None for other in others):
            raise SoulreadError(f"hands {query[0]} is about a whole store; it takes --db and --json only")
        _look_after(query[0], db, as_json)
        return
    if limit is not None and limit < 1:
        raise SoulreadError(f"--limit {limit}; at least one hand is shown")
    if output is not None and csv is not None:
        raise SoulreadError("-o writes hands and --csv a table; give one of them")
    verify_csv(csv, as_json)
    if output is not None:
        verify_writable(output, verify_export(output))
    meant = replace(narrow, player=player)
    order = None if sort is None else Order(sort)
    every = limit if csv is not None or output is not None else limit or 20
    conditions = parse_conditions(query, player)
    statistic = None if stat is None else statistic_called(stat)
    if statistic is not None and player is None:
        raise SoulreadError(f"--stat {stat!r} is about one player; say with --player who is meant")
    if statistic is None and taken is not None:
        raise SoulreadError("--taken and --missed are about the occasions of --stat")
    with open_store(db) as store:
        if player is not None:
            player, meant = meant_player(store, player, meant)
            meant, conditions = replace(meant, player=player), replace(conditions, player=player)
        if statistic is not None:
            _show_occasions(store, meant, statistic, query, taken, order, every, csv, output, as_json)
        else:
            search = conditions.search(store, meant, order)
            _show_hands(store, search, player, order, every, csv, output, as_json)


def _show_hands(
    store: "Store",
    search: "Search",
    player: str | None,
    order: "Order | None",
    limit: int | None,
    csv: Path | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Show hands that were found, or write them."""
    from itertools import islice

    from soulread.study.finding.finding_terminal import print_search
    from soulread.study.finding.played import study_search

    if output is not None:
        _export((store.as_played(*found) for found in islice(search.hands, limit)), output, as_json)
        return
    with status("reading", shown=csv is not None and not as_json):
        study = study_search(search, player, limit)
    if not study.hands and not as_json and csv is None:
        raise SoulreadError("there are no such hands")
    records = [{"number": one.number, "pot": one.pot_chips, **one.hand.record} for one in study.hands]
    told = {"found": study.count, "hands": records, "exported": None, "file": None}
    shown = study if csv is None else study.top(20)
    show_table(told, study.to_csv, lambda: print_search(shown, order), csv, as_json)


def _show_occasions(
    store: "Store",
    query: "Query",
    statistic: "Statistic",
    words: tuple[str, ...],
    taken: bool | None,
    order: "Order | None",
    limit: int | None,
    csv: Path | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Show the occasions of a statistic, or write their hands."""
    from soulread.study.finding.finding_terminal import print_occasions
    from soulread.study.finding.occasions import study_occasions

    assert query.player is not None
    with status("reading", shown=not as_json):
        study = study_occasions(
            store, query.player, statistic, words, query, taken=taken, order=order, limit=limit
        )
    if output is not None:
        hands = {one.played.number: one.played.hand for one in study.occasions}
        _export((store.as_played(*found) for found in hands.items()), output, as_json)
        return
    shown = study if csv is None else study.top(20)
    show_table(study, study.to_csv, lambda: print_occasions(shown, order), csv, as_json)


def _export(found: "Iterable[Hand]", output: Path, as_json: bool) -> None:
    """Write hands to a file of another format."""
    from soulread.study.hands.exporting import export_hands

    with status("writing", shown=not as_json):
        written = export_hands(found, output)
    if as_json:
        print_json({"found": None, "hands": None, "exported": written, "file": str(output)})
    else:
        say(f"{plural(written, 'hand')} written to {output}")


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
@click.option(
    "--top", type=int, help="How many players at most.  [default: 30, and all in the sheet of --csv]"
)
@click.option(
    "--search", default="", help="Only players whose name or note has this text; case does not matter."
)
@click.option("--label", default="", help="Only players who have this label (soulread player label).")
@click.option("--min-hands", "least", default=1, show_default=True, help="Only players with so many hands.")
@csv_option
@as_json
def players(
    db: str | None,
    room: str | None,
    top: int | None,
    search: str,
    label: str,
    least: int,
    csv: Path | None,
    as_json: bool,
) -> None:
    """Who there is in a store: hands of each, the first and the last day.

    A name in two rooms is two players.

    Examples: soulread players --db hands.db --room PokerStars; soulread players --label fish --min-hands 100
    """
    from soulread.study.hands.statistics import study_names
    from soulread.study.hands.statistics_terminal import print_players

    _verify_top(top)
    verify_csv(csv, as_json)
    with open_store(db) as store:
        study = study_names(store, room, top, search=search, label=label, least=least)
    shown = study.top(top or 30)
    show_table(shown, study.to_csv, lambda: print_players(shown), csv, as_json)


@click.command(cls=Computing)
@click.argument("player", required=False)
@db_option
@click.option(
    "--by",
    multiple=True,
    type=click.Choice(["position", "pot", "ip", "opponent", "stack", "players", "month", "size", "facing"]),
    help="Groups of hands; given twice, groups of both. Or size, for the strength that was seen behind each "
    "size of bet; or facing, for the answers to each size.",
)
@click.option("--against", type=click.Choice(["pool"]), help="Show where PLAYER stands among the regulars.")
@click.option(
    "--beside", metavar="NAME", help="Set another player beside PLAYER, with what is surely different."
)
@click.option(
    "--where",
    multiple=True,
    metavar="BOUND",
    help='Without PLAYER: only those whose statistic is so, such as "VPIP>=40%" or "bb/100<0".',
)
@click.option("--sort", metavar="STATISTIC", help="Without PLAYER: those with the most of it first.")
@narrowing
@regulars_option
@click.option(
    "--top",
    type=int,
    help="How many players, or groups of --by, at most.  [default: 20 players; all in the sheet of --csv]",
)
@click.option(
    "--min-hands",
    type=int,
    help="Hands of each player, or of each opponent with --by opponent.  [default: 1, opponents 50]",
)
@csv_option
@as_json
def stats(
    player: str | None,
    db: str | None,
    by: tuple[str, ...],
    against: str | None,
    beside: str | None,
    where: tuple[str, ...],
    sort: str | None,
    narrow: "Query",
    regulars: int,
    top: int | None,
    min_hands: int | None,
    csv: Path | None,
    as_json: bool,
) -> None:
    """The statistics players know: VPIP, PFR, 3-bet, c-bet, WTSD, bb/100 and so on, with 95% intervals.

    n is the number of chances. Where the interval is too wide to say anything the table says "too few
    hands". Without PLAYER there is a line for everybody. --csv has a row for each statistic and group, or
    without PLAYER for everybody.

    Examples: soulread stats Bob --by position; soulread stats Bob --beside Ann; soulread stats Bob --against
    pool --since 2009-07-01; soulread stats --where "VPIP>=40%" --sort bb/100
    """
    from dataclasses import replace

    from soulread.hands.conditions import counted_statistic
    from soulread.study.finding.bounds import parse_bound
    from soulread.study.hands.splits import LEAST_MET, parse_by
    from soulread.study.hands.statistics import study_player, study_players
    from soulread.study.hands.statistics_terminal import print_player, print_table
    from soulread.study.players.hero import meant_player
    from soulread.study.players.players_terminal import print_remarks_line

    meant = replace(narrow, player=player)
    _verify_top(top)
    if min_hands is not None and min_hands < 1:
        raise SoulreadError(f"--min-hands {min_hands}; it is at least 1")
    verify_csv(csv, as_json)
    if player is None and (by or against is not None or beside is not None):
        raise SoulreadError("--by, --against and --beside are about one player; say who is meant")
    if player is not None and (where or sort is not None):
        raise SoulreadError(f"--where and --sort are about everybody; leave out {player!r}")
    if player is None:
        bounds = [parse_bound(text) for text in where]
        order = None if sort is None else counted_statistic(sort)
        most = top if csv else top or 20
        with open_store(db) as store, status("counting", shown=not as_json):
            table = study_players(store, meant, min_hands or 1, most, where=bounds, sort=order)
        shown = table.top(top or 20)
        show_table(shown, table.to_csv, lambda: print_table(shown), csv, as_json)
        return
    if beside is not None:
        if by or against is not None or min_hands is not None or top is not None:
            raise SoulreadError("--beside stands alone; give no --by, --against, --top or --min-hands")
        _show_beside(db, player, beside, meant, csv, as_json)
        return
    if "size" in by or "facing" in by:
        _show_sizes(db, player, meant, by, against, csv, as_json)
        return
    with open_store(db) as store, status("counting", shown=not as_json):
        player, meant = meant_player(store, player, meant)
        study = study_player(
            store,
            player,
            meant,
            parse_by(by),
            pool=against is not None,
            least=regulars,
            least_met=min_hands or LEAST_MET,
        )

    def with_remarks() -> None:
        print_remarks_line(study.remarks)
        print_player(study, top)

    show_table(study, study.to_csv, with_remarks, csv, as_json)


def _show_beside(
    db: str | None, player: str, other: str, query: "Query", csv: Path | None, as_json: bool
) -> None:
    """Print the statistics of two players side by side."""
    from soulread.study.players.beside import study_beside
    from soulread.study.players.hero import meant_player
    from soulread.study.players.players_terminal import print_beside

    with open_store(db) as store, status("counting", shown=not as_json):
        study = study_beside(store, meant_player(store, player, query), meant_player(store, other, query))
    show_table(study, study.to_csv, lambda: print_beside(study), csv, as_json)


def _show_sizes(
    db: str | None,
    player: str,
    query: "Query",
    by: tuple[str, ...],
    against: str | None,
    csv: Path | None,
    as_json: bool,
) -> None:
    """Print the sizing tells of a player, or the answers to sizes."""
    from soulread.study.hands.sizing import study_facing, study_sizing
    from soulread.study.hands.sizing_terminal import print_facing, print_sizing
    from soulread.study.players.hero import meant_player

    if len(by) > 1 or against is not None:
        raise SoulreadError(f"--by {by[0]} stands alone; give no other --by and no --against")
    with open_store(db) as store, status("counting", shown=not as_json):
        player, query = meant_player(store, player, query)
        if by[0] == "size":
            sizing = study_sizing(store, player, query)
        else:
            facing = study_facing(store, player, query)
    if by[0] == "size":
        show_table(sizing, sizing.to_csv, lambda: print_sizing(sizing), csv, as_json)
    else:
        show_table(facing, facing.to_csv, lambda: print_facing(facing), csv, as_json)


def _verify_top(top: int | None) -> None:
    if top is not None and top < 1:
        raise SoulreadError(f"--top {top}; at least one player is shown")


def _query_of(
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
    return Query(room=room, game=game, format=format, stakes=stakes, **times)


def _time(option: str, text: str | None) -> "datetime | None":
    from datetime import datetime

    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise SoulreadError(f"{option} {text!r}; write a day such as 2009-07-01") from None
