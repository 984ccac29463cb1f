"""Spots with real cards: `soulread spot`, `lock` and `boards`."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from soulread.cli.common import (
    POT_GAP,
    Computing,
    Interrupted,
    as_json,
    db_option,
    early_end,
    figure_option,
    jobs_option,
    open_store,
    output_option,
    part_of_pot,
    print_json,
    progress,
    room_option,
    say,
    section,
    status,
    stop_options,
)
from soulread.errors import SoulreadError
from soulread.words import plural

if TYPE_CHECKING:
    from soulread.processes import Jobs
    from soulread.seqform.spot import Spot
    from soulread.solvers.cfr.run import Check
    from soulread.study.reads.whole import WholeStudy
    from soulread.study.spots.from_hands import HandSpot
    from soulread.study.spots.locks import LockStudy
    from soulread.study.spots.spots import SpotStudy

Settings = dict[str, Any]

_SIZES = "'50%; river: 60%,a; ip turn: 75%'"
at_option = click.option("--at", metavar="PATH", default="", help="Decision to show: 'check bet60% call 2c'.")
spot_options = section(
    "The spot",
    click.option("--oop", metavar="RANGE", help="Hands out of position, who acts first: 66+,AKs or 15%."),
    click.option("--ip", metavar="RANGE", help="Hands in position; names: soulread ranges."),
    click.option("--pot", metavar="AMOUNT", help="The pot: chips (200), or big blinds (27.5bb)."),
    click.option("--stack", metavar="AMOUNT", help="What each player has left."),
    click.option("--blind", metavar="CHIPS", help="Chips of a big blind; amounts are then shown in bb."),
    click.option("--rake", metavar="PART", help="What the house takes of a pot that is won: 5%."),
    click.option("--cap", metavar="AMOUNT", help="The most that it takes: 3bb.  [default: no limit]"),
    click.option("--bets", default="60%", show_default=True, metavar="SIZES", help=f"Bets: {_SIZES}."),
    click.option(
        "--raises",
        default="60%",
        show_default=True,
        metavar="SIZES",
        help="Raises: '2.5x; turn check-raise: 3x'.",
    ),
    click.option("--donk", "donks", metavar="SIZES", help="Leads of a caller, or none. [default: as bets]"),
    click.option(
        "--tree",
        default="",
        metavar="RULES",
        help="most_bets=N, add_all_in=POTS, force_all_in=POTS, merge=PART, isomorphism=0; between commas.",
    ),
)
hand_options = section(
    "Or a stored hand",
    click.option("--hand", help="Take the spot from a hand of a store: its id, or # and its number."),
    click.option("--street", help="Of that hand: flop, turn or river.  [default: the last two decide on]"),
    click.option(
        "--model", help="Who reads ranges that are not given: relational, gom, ...  [default: relational]"
    ),
    db_option,
    room_option,
)
trust_options = section(
    "Trust",
    click.option("--trust", type=float, help="How far locks are believed, 0 to 1."),
    click.option("--risk", type=float, help="What the worst case may cost, in chips, or bb as the pot."),
    click.option(
        "--trust-kind",
        type=click.Choice(("c", "p")),
        default="c",
        show_default=True,
        help="Trust as a confidence at each lock, or as the probability of all of them.",
    ),
    click.option(
        "--hands-by",
        type=click.Choice(("shift", "l1", "l2")),
        default="shift",
        show_default=True,
        help="How frequencies of a range become those of hands.",
    ),
)


@click.command(cls=Computing)
@click.argument("spot", metavar="[SPOT | open FILE]", nargs=-1)
@spot_options
@hand_options
@stop_options(POT_GAP)
@click.option("--checkpoint", type=click.Path(path_type=Path), help="Save to this file, and go on from it.")
@at_option
@click.option("--holdings", "held", metavar="RANGE", help="Show these hands one by one: 'AKs,QQ'.")
@click.option("--threads", type=click.IntRange(min=1), help="Threads.  [default: the cores; one if small]")
@click.option("--half", is_flag=True, help="Keep 16 bits of each number: half the memory.")
@click.option("--size", is_flag=True, help="Say how large the spot is, and solve nothing.")
@output_option("Write the solution to this file.")
@figure_option
@as_json
def spot(
    spot: tuple[str, ...],
    hand: str | None,
    street: str | None,
    model: str | None,
    db: str | None,
    room: str | None,
    gap: str | None,
    seconds: float | None,
    iterations: int | None,
    checkpoint: Path | None,
    at: str,
    threads: int | None,
    half: bool,
    held: str | None,
    size: bool,
    output: Path | None,
    figure: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Solve a spot with real cards: SPOT is a board such as "Td9d6h Qc", or a file that -o wrote.

    `soulread spot open FILE` walks through a solved one with the arrow keys, or by lines of standard input.

    The pot and the stacks are chips, or big blinds such as 27.5bb; everything is then shown in bb. Sizes are
    parts of the pot ("60%"), even growth until all-in on the river ("e"), all-in ("a"), amounts ("40",
    "9bb"), and for raises multiples of the bet ("2.5x"). Before a colon, streets and players may be named,
    and for raises "check-raise". Ranges may have names (`soulread ranges`). With --rake all EVs are after it.

    The grid shows what the player who acts does with each starting hand. EV is what a hand takes out of the
    pot from there on. Ctrl-C ends the solve early, shows what it has, and writes it to -o.

    Examples: soulread spot "Td9d6h Qc 2s" --oop "66+,A8s+,KQs" --ip "QQ-22,AQs-A2s" --pot 200 --stack 900;
    soulread spot Td9d6hQc --oop bb-call-btn --ip btn-open --pot 27.5bb --stack 97bb --bets 60%,e,a
    --raises "2.5x; oop check-raise: 3x" --at "check bet60%" --holdings AKs,QQ -o turn.spot;
    soulread spot open turn.spot
    """
    from soulread.cards.ranges import parse_range
    from soulread.study.spots.spots import open_study, size_dict
    from soulread.study.spots.spots_terminal import print_holdings, print_spot, size_line
    from soulread.study.spots.walk import holding_record

    _verify_files(figure, spot=output, checkpoint=checkpoint)
    meant = None if held is None else parse_range(held)
    board = " ".join(spot) or None
    if spot[:1] == ("open",):
        _walk(spot[1:], at)
        return
    taken: HandSpot | None = None
    ended = False
    if board is not None and hand is None and Path(board).is_file():
        with status(f"reading {board}", shown=not as_json):
            study = open_study(Path(board))
    else:
        made, taken = _made(board, settings, hand, street, model, db, room)
        if size:
            print_json(size_dict(made, threads, half)) if as_json else say(size_line(made, threads, half))
            return
        made.find(at)  # a wrong path is told before the work
        if not as_json:
            say(size_line(made, threads, half), err=True)
        study, ended = _solved(made, gap, iterations, seconds, checkpoint, threads, half, as_json)
    if output is not None:
        study.save(output)
    view = study.at(at)
    if figure is not None:
        view.plot().save(figure)
    if as_json:
        print_json(study, {"at": view}, {} if meant is None else {"holdings": holding_record(view, meant)})
    else:
        if taken is not None:
            print_hand(taken)
        print_spot(study, view)
        if meant is not None:
            print_holdings(view, meant)
    if ended:
        raise Interrupted(_kept(study, output))


def _walk(files: tuple[str, ...], at: str) -> None:
    """Walk through a solved spot: with keys at a terminal, else by lines of standard input."""
    from soulread.report.keys import can_read_keys, single_keys
    from soulread.study.spots.spots import open_study
    from soulread.study.spots.walk import SpotWalk
    from soulread.study.spots.walk_terminal import SpotScreen, walk_by_lines, walk_with_keys

    if len(files) != 1:
        raise SoulreadError("open takes one file that soulread spot ... -o FILE wrote")
    with status(f"reading {files[0]}", shown=True):
        study = open_study(Path(files[0]))
    study.spot.follow(at)  # a wrong path is told
    screen = SpotScreen(SpotWalk(study), at.replace(",", " ").split())
    if can_read_keys():
        with single_keys() as read_key:
            walk_with_keys(screen, read_key)
    else:
        walk_by_lines(screen, sys.stdin)


def _verify_files(figure: Path | None, **files: Path | None) -> None:
    """Raise, before the work, if a file cannot be written; ``files`` go by their kinds."""
    from soulread.report.figures import verify_figure
    from soulread.storage.files import verify_writable

    if figure is not None:
        verify_writable(figure, verify_figure(figure))
    for kind, file in files.items():
        if file is not None:
            verify_writable(file, kind)


def _settings(settings: Settings) -> Settings:
    """The options of a spot as `read_spot` takes them, those of ``--tree`` among them."""
    from soulread.study.spots.spots import read_tree

    return {
        **{name: value for name, value in settings.items() if name != "tree"},
        **read_tree(settings["tree"]),
    }


def _made(
    board: str | None,
    settings: Settings,
    hand: str | None,
    street: str | None,
    model: str | None,
    db: str | None,
    room: str | None,
) -> "tuple[Spot, HandSpot | None]":
    """The spot that the options describe, or that of a stored hand."""
    from soulread.solvers.real_cards.spot_files import read_spot

    if hand is not None:
        from soulread.cards.ranges import parse_range
        from soulread.model.catalogue import parse_model
        from soulread.study.spots.from_hands import stored_spot

        twice = [f"--{name}" for name in ("pot", "stack", "blind") if settings[name] is not None]
        twice = ["a board", *twice] if board is not None else twice
        if twice:
            raise SoulreadError(
                f"the board, the pot and the stacks are those of --hand; leave out {twice[0]}"
            )
        oop, ip = (None if text is None else parse_range(text) for text in (settings["oop"], settings["ip"]))
        with open_store(db) as store:
            taken = stored_spot(
                store,
                hand,
                street,
                room=room,
                ranges=(oop, ip),
                make_model=parse_model(model or "relational").make_from_rules,
                bets=settings["bets"],
                raises=settings["raises"],
                rake=settings["rake"],
                cap=settings["cap"],
            )
        return taken.spot, taken
    for given, name in ((street, "--street"), (model, "--model")):
        if given is not None:
            raise SoulreadError(f"{name} needs --hand")
    missing = [f"--{name}" for name in ("oop", "ip", "pot", "stack") if settings[name] is None]
    if board is None:
        missing.insert(0, "a board")
    if missing:
        raise SoulreadError(f"a spot needs {', '.join(missing)}, or the file of a solved one")
    return read_spot(board or "", **_settings(settings)), None


def _solved(
    spot: "Spot",
    gap: str | None,
    iterations: int | None,
    seconds: float | None,
    checkpoint: Path | None,
    threads: int | None,
    half: bool,
    as_json: bool,
) -> "tuple[SpotStudy, bool]":
    """The solved spot, and whether Ctrl-C ended the solve."""
    from soulread.solvers.cfr.stops import Stops
    from soulread.study.spots.spots import DEFAULT_GAP, study_spot
    from soulread.study.spots.spots_terminal import progress_line

    with status(f"solving {spot.name}", shown=not as_json) as show, early_end() as pressed:

        def tell(check: "Check") -> None:
            show(progress_line(spot, check))

        part = part_of_pot(gap, spot)
        chips = (DEFAULT_GAP if part is None else part) * spot.betting.pot
        stops = Stops(iterations=iterations, gap=chips, seconds=seconds, stop=pressed)
        study = study_spot(spot, stops, progress=tell, checkpoint=checkpoint, threads=threads, half=half)
        return study, pressed()


def print_hand(taken: "HandSpot") -> None:
    """Print where a spot comes from."""
    from soulread.hands.money import money_text

    oop, ip = taken.players
    stakes = taken.hand.stakes
    worth = (
        f" A chip is {money_text(1, stakes)}, a big blind {stakes.big_blind:,} chips."
        if stakes.currency
        else ""
    )
    say(
        f"Hand {taken.hand.id or taken.number}, {taken.street}: {oop} is out of position (range "
        f"{taken.sources[0]}), {ip} in position (range {taken.sources[1]}). "
        f"The hand went on: {taken.line or 'otherwise than in this tree'}." + worth
    )


def _kept(study: "SpotStudy", output: Path | None) -> str:
    """The files that Ctrl-C left behind, as a sentence."""
    files = " and ".join(str(path) for path in (study.solution.checkpoint, output) if path is not None)
    kept = f"; iteration {study.solution.iterations:,} is kept in {files}" if files else ""
    return f"interrupted{kept}"


@click.command(cls=Computing)
@click.argument("spot", required=False)
@click.argument("locks", metavar="[LOCK]...", nargs=-1)
@spot_options
@hand_options
@section(
    "Locks from a player's hands",
    click.option("--player", metavar="NAME", help="Lock what this player of the store really does."),
    click.option(
        "--where", multiple=True, metavar="PATH", help="Decision that is locked so.  [default: the street]"
    ),
    click.option(
        "--villain", type=click.Choice(("oop", "ip")), help="Who is locked.  [default: ip, or as the LOCKs]"
    ),
    click.option(
        "--confidence",
        help="How trust grows with n: curve:50, 0-10, ...  [default: curve:50; with --whole no such trust]",
    ),
    click.option("--whole", is_flag=True, help="Read every decision of the player, on all streets."),
    click.option(
        "--rest",
        type=click.Choice(("perfect", "pool", "read")),
        help="With --whole: decisions seen less often than 30 times, or not in --where.  [default: read]",
    ),
    click.option(
        "--prior",
        type=click.Choice(("pool", "equilibrium")),
        help="With --whole: what is believed before the player is seen.  [default: pool]",
    ),
)
@trust_options
@stop_options("0.1% of the pot")
@at_option
@figure_option
@as_json
def lock(
    spot: str | None,
    locks: tuple[str, ...],
    hand: str | None,
    street: str | None,
    model: str | None,
    db: str | None,
    room: str | None,
    player: str | None,
    where: tuple[str, ...],
    villain: str | None,
    confidence: str | None,
    whole: bool,
    rest: str | None,
    prior: str | None,
    trust: float | None,
    risk: float | None,
    trust_kind: str,
    hands_by: str,
    gap: str | None,
    seconds: float | None,
    iterations: int | None,
    at: str,
    figure: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Compute what to play in SPOT if a player does what each LOCK says, such as "bet60: fold 60%".

    SPOT is a board; with --hand it is left out. --player counts a lock in the player's own hands. The answer
    is shown for every degree of trust: what it wins if the locks are right, and what it costs at worst.
    --trust or --risk choose the answer that is explained.

    --whole reads every decision of the player, on all streets, on top of what the others in the store do. It
    tells what the answer gains with 95% intervals, and which decisions of the player the gain comes from. Its
    --trust is the probability that the player is as believed, and --risk is a budget; with --confidence each
    decision is trusted by its own number.

    Examples: soulread lock Td9d6hQc "bet60: fold 60%" --oop 66+ --ip 22+ --pot 200 --stack 900 --risk 10;
    soulread lock --hand 59937795326 --db hands.db --player Bob --trust .9; soulread lock --hand 59937795326
    --db hands.db --player Bob --whole --rest pool
    """
    from soulread.games.spot import PLAYER_NAMES
    from soulread.hands.store import Query
    from soulread.respond.confidence import parse_confidence
    from soulread.respond.locks.reads import parse_read, villain_of
    from soulread.respond.locks.trust import DEFAULT_CONFIDENCE
    from soulread.solvers.cfr.stops import Stops
    from soulread.study.players.hero import meant_player
    from soulread.study.reads.whole import study_stored
    from soulread.study.reads.whole_terminal import print_whole
    from soulread.study.spots.locks import ACCURACY, MOST_ITERATIONS, study_locks
    from soulread.study.spots.locks_terminal import print_locks
    from soulread.study.spots.player_counts import stored_reads
    from soulread.study.spots.spots_terminal import size_line

    if hand is not None and spot is not None:  # the first argument is a lock
        locks, spot = (spot, *locks), None
    if not locks and player is None:
        raise SoulreadError('nothing is locked; give a LOCK such as "bet60: fold 60%", or --player')
    for given, name in (
        (where or None, "--where"),
        (confidence, "--confidence"),
        (whole or None, "--whole"),
    ):
        if given is not None and player is None:
            raise SoulreadError(f"{name} needs --player")
    for given, name in ((rest, "--rest"), (prior, "--prior")):
        if given is not None and not whole:
            raise SoulreadError(f"{name} needs --whole")
    if whole and (locks or trust_kind != "c"):
        what = f"the lock {locks[0]!r}" if locks else "--trust-kind p"
        raise SoulreadError(f"--whole reads every decision of the player; leave out {what}")
    _verify_files(figure)
    made, taken = _made(spot, settings, hand, street, model, db, room)
    made.find(at)
    if not as_json:
        say(size_line(made), err=True)
    part = part_of_pot(gap, made)
    seat = None if villain is None else PLAYER_NAMES.index(villain)
    trusted = parse_confidence(confidence or DEFAULT_CONFIDENCE)
    with status(f"solving {made.name}", shown=not as_json) as show, early_end() as pressed:
        stops = Stops(
            iterations=MOST_ITERATIONS if iterations is None else iterations,
            gap=(ACCURACY if part is None else part) * made.betting.pot,
            seconds=seconds,
            stop=pressed,
        )
        if whole and player is not None:
            with open_store(db) as store:
                player, query = meant_player(store, player, Query(room=room))
                read = study_stored(
                    store,
                    made,
                    player,
                    villain=seat,
                    taken=taken,
                    query=query,
                    tell=show,
                    paths=where,
                    rest=rest or "read",
                    prior=prior or "pool",
                    trust=trust,
                    risk=risk,
                    confidence=None if confidence is None else trusted,
                    methods=(hands_by,),
                    stops=stops,
                    at=at or None,
                )
            _show_locks(read, taken, figure, as_json, lambda: print_whole(read), pressed())
            return
        reads = [parse_read(text) for text in locks]
        if reads and seat is not None and villain_of(made, reads) != seat:
            other = PLAYER_NAMES[1 - seat]
            raise SoulreadError(f"--villain is {villain}, but the lock at {reads[0].where!r} is of {other}")
        if player is not None:
            with open_store(db) as store:
                player, query = meant_player(store, player, Query(room=room))
                reads = stored_reads(
                    store,
                    made,
                    player,
                    trusted,
                    given=reads,
                    paths=where,
                    villain=seat,
                    taken=taken,
                    room=query.room,
                    tell=show,
                )
        study = study_locks(
            made,
            reads,
            trust=trust,
            risk=risk,
            kind=trust_kind,
            method=hands_by,
            stops=stops,
            at=at or None,
            tell=show,
        )
    _show_locks(study, taken, figure, as_json, lambda: print_locks(study), pressed())


def _show_locks(
    study: "LockStudy | WholeStudy",
    taken: "HandSpot | None",
    figure: Path | None,
    as_json: bool,
    print_study: Callable[[], None],
    interrupted: bool,
) -> None:
    """Draw a study of locks, and print it as JSON or as text."""
    if figure is not None:
        study.plot().save(figure)
    if as_json:
        print_json(study, {"hand": taken})
    else:
        if taken is not None:
            print_hand(taken)
        print_study()
        if figure is not None:
            say(f"drawn to {figure}")
    if interrupted:
        raise Interrupted("interrupted; the gap of each answer says how close it is")


@click.command(cls=Computing)
@click.argument("boards")
@click.argument("locks", metavar="[LOCK]...", nargs=-1)
@spot_options
@trust_options
@stop_options(POT_GAP, seconds=False)
@at_option
@jobs_option
@click.option("--seed", type=click.IntRange(0), help="Draw the flops at random: same seed, same flops.")
@output_option("Write a line for each board to this file, as CSV.")
@figure_option
@as_json
def boards(
    boards: str,
    locks: tuple[str, ...],
    trust: float | None,
    risk: float | None,
    trust_kind: str,
    hands_by: str,
    gap: str | None,
    iterations: int | None,
    at: str,
    jobs: "Jobs",
    seed: int | None,
    output: Path | None,
    figure: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Solve a spot on many boards: BOARDS are a number of flops, all, some boards, or a file of them.

    25, 50, 75, 100, 140 and 184 are subsets whose weights make them stand for all flops; all are the 1755
    that differ by more than suits. Other numbers are drawn at random. Boards stand between commas, or one in
    a line of a file, where a weight may follow a colon.

    The tables have means by texture and highest card: how often each action, what it is worth, and where a
    LOCK pays. What is solved is kept, so a run that was broken off goes on; Ctrl-C shows what it has.

    Examples: soulread boards 50 --oop co-call-3bet --ip btn-3bet-co --pot 20.5bb --stack 90bb
    --bets "33%; turn: 66%; river: 66%" --raises none --donk none --jobs 2 -o flops.csv;
    soulread boards Ks8h4c,Td9d6h --oop 66+ --ip 22+ --pot 20 --stack 90
    """
    from soulread.solvers.real_cards.spot_files import read_spot
    from soulread.storage.files import write_file
    from soulread.study.spots.boards import named_boards, study_boards
    from soulread.study.spots.boards_terminal import print_boards
    from soulread.study.spots.spots import DEFAULT_GAP

    missing = [f"--{name}" for name in ("oop", "ip", "pot", "stack") if settings[name] is None]
    if missing:
        raise SoulreadError(f"a spot needs {', '.join(missing)}")
    _verify_files(figure, csv=output)
    chosen, made = named_boards(boards, seed), _settings(settings)
    part = part_of_pot(gap, read_spot(chosen[0][0], **made))
    with progress("solving boards", len(chosen), shown=not as_json) as (advance, _):
        study = study_boards(
            chosen,
            made,
            at,
            gap=DEFAULT_GAP if part is None else part,
            iterations=iterations,
            locks=locks,
            trust=trust,
            risk=risk,
            kind=trust_kind,
            method=hands_by,
            jobs=jobs,
            progress=advance,
        )
    if output is not None:
        write_file(output, study.to_csv().encode())
    if figure is not None:
        study.plot().save(figure)
    if as_json:
        print_json(study)
    else:
        print_boards(study)
        for verb, path in (("drawn to", figure), ("written to", output)):
            if path is not None:
                say(f"{verb} {path}")
    if study.missing:
        raise Interrupted(f"interrupted; {plural(len(study.rows), 'solved board')} kept")
