"""The common part of the commands: options, errors, progress on standard error, JSON on standard output."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from soulread.encoding import json_text, plain_data
from soulread.errors import SoulreadError
from soulread.notices import tell_if_nothing_is_compiled
from soulread.words import printable

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from soulread.games.poker import PokerGame
    from soulread.hands.store import Store
    from soulread.processes import Jobs
    from soulread.report.figures import Drawing
    from soulread.seqform.spot import Spot
    from soulread.study.hands.of_player import PlayerHands

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs instead of tables.")


db_option = click.option(
    "--db",
    help="Store of hands: a file, or postgresql://...  [default: SOULREAD_DB, else the user's own]",
)


remember_option = click.option(
    "--remember",
    metavar="FILE",
    help="Begin with what was seen of the opponents before, and keep what is seen, in this file.",
)

room_option = click.option("--room", help="Only hands of this room: PokerStars, GGPoker, IRC, ...")

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

figure_option = click.option(
    "--figure", type=click.Path(path_type=Path), help="Draw to this file: .svg, .png or .pdf."
)


def jobs_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say where work runs; the command gets them as one runner, ``jobs``.

    What a cluster needs is connected when there is work, and ends with the command.
    """

    @wraps(command)
    def spread(*args: Any, jobs: int | None, cluster: str | None, **others: Any) -> Any:
        return command(*args, jobs=_runner(jobs, cluster), **others)

    made: Callable[..., Any] = spread
    for option in (
        click.option(
            "--cluster",
            metavar="ADDRESS",
            help="Spread the work over a Ray cluster at host:port, or local: this machine's cores.",
        ),
        click.option(
            "--jobs",
            "-j",
            type=int,
            help="Processes to spread the work over.  [default: 1, or all cores of the cluster]",
        ),
    ):
        made = option(made)
    return made


def _runner(jobs: int | None, cluster: str | None) -> "Jobs":
    if cluster is None:
        return 1 if jobs is None else jobs
    from soulread.cluster.runner import Cluster

    return click.get_current_context().with_resource(Cluster(cluster, jobs))


hands_option = click.option("--hands", "-n", default=1000, show_default=True, help="Hands of each match.")
data_option = click.option(
    "--data",
    type=click.Path(),
    multiple=True,
    metavar="PATH",
    help="File, folder or archive with hands, of any format; may be given several times.",
)


def output_option(help: str) -> Decorator:
    """The option ``--output``, the file that a command writes."""
    return click.option("--output", "-o", type=click.Path(path_type=Path), help=help)


csv_option = click.option(
    "--csv",
    type=click.Path(path_type=Path, allow_dash=True),
    help="Write the table as CSV to this file, or to standard output if it is -.",
)


def _allow(ctx: click.Context, _: click.Parameter, seconds: float | None) -> None:
    if seconds is not None:
        import os

        from soulread.foreign.apart import PATIENCE, read_patience

        read_patience(str(seconds))
        before = os.environ.get(PATIENCE)
        os.environ[PATIENCE] = str(seconds)
        ctx.call_on_close(
            lambda: os.environ.pop(PATIENCE) if before is None else os.environ.update({PATIENCE: before})
        )


patience_option = click.option(
    "--patience",
    type=float,
    expose_value=False,
    callback=_allow,
    help="Seconds that an agent of yours has for a decision or a hand, and to be made.  [default: 10, 60]",
)


POT_GAP = "0.5% of the pot"
GAME_GAP = "1mb, 3mb in an abstraction"


def stop_options(gap: str, *, seconds: bool = True) -> Decorator:
    """The options that end a solve; ``gap`` is the default of ``--gap`` in words."""
    form = "or % of the pot" if "%" in gap else "or mb/g as 1mb"
    options = [
        click.option("--gap", help=f"Stop at this exploitability: chips a hand, {form}.  [default: {gap}]"),
        click.option("--seconds", type=float, help="Stop after this time."),
        click.option("--iterations", type=int, help="Stop after this many iterations."),
    ]
    return section("Stops, of which the first counts", *(options if seconds else options[::2]))


def gap_in_chips(text: str | None, small_bet: int | None) -> float | None:
    """The exploitability that ``--gap`` means: "0.02" chips a hand, or "1mb", thousandths of a small bet."""
    if text is None:
        return None
    number = text.removesuffix("mb")
    return _number(text, number, "0.02 or 1mb") * (1.0 if number == text else (small_bet or 1) / 1000)


def part_of_pot(text: str | None, spot: "Spot") -> float | None:
    """The part of the pot that ``--gap`` means in a spot: "0.5%" of the pot, or "2" in the spot's unit."""
    if text is None:
        return None
    if text.endswith("%"):
        return _number(text, text[:-1], "2 or 0.5%") / 100
    number = text.removesuffix(spot.unit.mark)
    return _number(text, number, "2 or 0.5%") / spot.unit.of(spot.betting.pot)


def _number(text: str, number: str, example: str) -> float:
    try:
        return float(number)
    except ValueError:
        raise SoulreadError(f"--gap {text!r}; expected a number such as {example}") from None


def section(title: str, *options: Decorator) -> Decorator:
    """Options under a heading of ``--help``."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        before = len(getattr(command, "__click_params__", ()))
        for option in reversed(options):
            command = option(command)
        for parameter in command.__click_params__[before:]:  # type: ignore[attr-defined]
            parameter.section = title
        return command

    return decorate


_REPORT = "soulread report"  # where a context keeps the folder of ``--report``


def _to_report(ctx: click.Context, _: click.Parameter, folder: Path | None) -> None:
    if folder is not None:
        ctx.meta[_REPORT] = folder


def report_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option ``--report``: a folder for the result and for how far the run is; see `keep_report`."""
    return click.option(
        "--report",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        expose_value=False,
        callback=_to_report,
        help="Keep result, figure and progress in this folder, for soulread serve --reports.",
    )(command)


def keep_report(*parts: Any, figure: "Callable[[], Drawing] | None" = None) -> None:
    """Write the result to the folder of ``--report``, as ``--json`` prints it, and its figure beside it."""
    from soulread.report.runs import current_run
    from soulread.storage.files import write_file

    run = current_run()
    if run is None:
        return
    write_file(run.folder / f"{run.name}.json", f"{json_text(_joined(parts), indent=1)}\n".encode())
    if figure is not None:
        try:
            figure().save(run.folder / f"{run.name}.svg")
        except SoulreadError as error:  # without matplotlib; the numbers are kept
            say(f"soulread: the report has no figure: {error}", err=True)
    say(f"kept in {run.folder}", err=True)


_WRITTEN = {"output", "csv", "figure", "figures", "checkpoint", "skipped"}  # name files to write


def _force(ctx: click.Context, _: click.Parameter, forced: bool) -> None:
    if forced:
        from soulread.storage.kinds import replacing_anything

        ctx.with_resource(replacing_anything())


class Computing(click.Command):
    """A command that computes, and may have to compile first; one that writes files has ``--force``."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        if _WRITTEN.intersection(parameter.name for parameter in self.params):
            self.params.append(
                click.Option(
                    ["--force"],
                    is_flag=True,
                    expose_value=False,
                    callback=_force,
                    help="Also replace a file of another kind.",
                )
            )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, each under the heading of its `section`."""
        titles: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                titles.setdefault(getattr(parameter, "section", "Options"), []).append(record)
        others = titles.pop("Options")
        for title, records in (*titles.items(), ("Options", others)):
            with formatter.section(title):
                formatter.write_dl(records)

    def invoke(self, ctx: click.Context) -> Any:
        """Say so at once if it will compile, then run; with ``--report`` the run is noted in that folder."""
        tell_if_nothing_is_compiled()
        folder = ctx.meta.get(_REPORT)
        if folder is None:
            return super().invoke(ctx)
        from soulread.report.runs import noted_run, run_name

        asked = {k: value for k, value in ctx.params.items() if value is not None and k != "as_json"}
        if "db" in asked:  # an address may have a password
            from soulread.hands.tables.database import shown_address

            asked["db"] = shown_address(asked["db"])
        words = [str(self.name)]
        for name in ("game", "agents", "opponent"):
            value = asked.get(name, ())
            words += [value] if isinstance(value, str) else list(value)
        with noted_run(folder, run_name(words, asked), str(self.name), asked):
            return super().invoke(ctx)


def _verify_seed(_: click.Context, __: click.Parameter, seed: int) -> int:
    if seed < 0:
        raise SoulreadError(f"a seed is a number from 0 up, not {seed}")
    return seed


def seed_option(default: int = 0) -> Callable[[Any], Any]:
    """The option ``--seed``."""
    return click.option(
        "--seed",
        default=default,
        callback=_verify_seed,
        show_default=True,
        help="Same seed, same result.",
    )


def say(text: str, *, err: bool = False, file: IO[Any] | None = None) -> None:
    """Print one line of text, in which nothing drives the terminal; ``err`` means standard error."""
    click.echo(printable(text), err=err, file=file)


class UserError(click.ClickException):
    """A user's mistake: one line on standard error, exit code 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message in one line."""
        with suppress(OSError):  # standard error may be on a disk that is full
            say(f"soulread: {self.format_message()}", err=True, file=file)


class Interrupted(UserError):
    """Ctrl-C: one line on standard error, exit code 130."""

    exit_code = 130


class _Notices(logging.Handler):
    """Prints notices of the library, such as that a damaged file is made again."""

    def emit(self, record: logging.LogRecord) -> None:
        """One line on standard error."""
        with suppress(OSError):  # standard error may be on the disk that is full
            say(f"soulread: {record.getMessage()}", err=True)


def tell_notices() -> None:
    """From now on, print what the library logs as a warning on standard error."""
    logger = logging.getLogger("soulread")
    if not any(isinstance(handler, _Notices) for handler in logger.handlers):
        logger.addHandler(_Notices(logging.WARNING))


@contextmanager
def early_end() -> Iterator[Callable[[], bool]]:
    """While the block runs, Ctrl-C only makes the function given return true; a second one breaks off."""
    import signal

    pressed = False

    def press(*_: object) -> None:
        nonlocal pressed
        pressed = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, press)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)


def _noted(change: Callable[[Any], None]) -> None:
    """Let the run that is noted, if there is one, take something in."""
    from soulread.report.runs import current_run

    run = current_run()
    if run is not None:
        change(run)


@contextmanager
def status(title: str, shown: bool) -> Iterator[Callable[[str], None]]:
    """A status line on standard error while the block runs; silent if not ``shown`` or not in a terminal.

    The function given changes the line.
    """
    from rich.text import Text

    from soulread.report.grid import PlainConsole

    console = PlainConsole(stderr=True)
    if not (shown and console.is_terminal):
        yield lambda text: _noted(lambda run: run.say(words=printable(text)))
        return

    with console.status(Text(printable(title))) as line:

        def tell(text: str) -> None:
            line.update(Text(printable(text)))
            _noted(lambda run: run.say(words=printable(text)))

        yield tell


def _bar(shown: bool, *columns: "ProgressColumn") -> "Progress":
    """A bar on standard error behind its words; without a terminal it is silent."""
    from rich.progress import BarColumn, Progress, TextColumn

    from soulread.report.grid import PlainConsole

    console = PlainConsole(stderr=True)
    words = TextColumn("{task.description}", markup=False)
    silent = not (shown and console.is_terminal)
    return Progress(words, BarColumn(), *columns, console=console, transient=True, disable=silent)


@contextmanager
def progress(
    title: str, total: int, shown: bool
) -> Iterator[tuple[Callable[[int], None], Callable[[str], None]]]:
    """A progress bar on standard error while the block runs; silent when not ``shown``.

    The first function adds to the count. The second says what is going on before there is anything to count.
    """
    from rich.progress import MofNCompleteColumn, TimeRemainingColumn

    with _bar(shown, MofNCompleteColumn(), TimeRemainingColumn()) as bar:
        task = bar.add_task(title, total=total)

        def advance(done: int) -> None:
            bar.update(task, advance=done, description=title)
            _noted(lambda run: run.add(done, total))

        def tell(text: str) -> None:
            bar.update(task, description=printable(text))
            _noted(lambda run: run.say(words=printable(text)))

        yield advance, tell


def open_store(where: str | None, *, read_only: bool = True) -> "Store":
    """The store that ``--db`` names; whoever only reads may do so while somebody writes."""
    from soulread.hands.store import Store, default_store

    if where is not None:
        return Store.open(where, read_only=read_only)
    own = default_store()
    if not read_only:
        try:
            own.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SoulreadError(
                f"{str(own)!r} cannot be made: {error.strerror}; name a store with --db"
            ) from None
    return Store.open(own, read_only=read_only)


@contextmanager
def measured(total: int | None, shown: bool) -> Iterator[Callable[[int, str], None]]:
    """A bar on standard error with the time left; the function given says how far it is, and in words.

    Without a total there are only the words. Silent if not ``shown`` or not in a terminal.
    """
    from rich.progress import TimeRemainingColumn

    with _bar(shown, TimeRemainingColumn()) as bar:
        task = bar.add_task("reading", total=total)
        yield lambda done, words: bar.update(task, completed=done, description=printable(words))


@contextmanager
def task_progress(
    title: str, shown: bool
) -> Iterator[tuple[Callable[[int, int], None], Callable[[str], None]]]:
    """How far the tasks are, on standard error: a bar in a terminal, else a line a minute."""
    from rich.progress import MofNCompleteColumn, TimeElapsedColumn

    bar = _bar(shown, MofNCompleteColumn(), TimeElapsedColumn())
    if not bar.console.is_terminal:
        told = time.monotonic()

        def note(done: int, total: int) -> None:
            nonlocal told
            _noted(lambda run: run.say(done, total))
            if shown and time.monotonic() > told + 60:
                told = time.monotonic()
                say(f"{time.strftime('%H:%M:%S')} {title}: {done} of {total} tasks finished", err=True)

        yield note, lambda text: _noted(lambda run: run.say(words=printable(text)))
        return

    def advance(done: int, total: int) -> None:
        bar.update(task, completed=done, total=total, description=title)
        _noted(lambda run: run.say(done, total))

    def tell(text: str) -> None:
        bar.update(task, description=printable(text))
        _noted(lambda run: run.say(words=printable(text)))

    with bar:
        task = bar.add_task(title, total=None)
        yield advance, tell


def recorded_hands(
    file: Path | None, db: str | None, player: str | None, game: "PokerGame", room: str | None = None
) -> "PlayerHands | None":
    """The hands that ``--data`` or ``--db`` names; None if neither was given."""
    from soulread.study.hands.of_player import hands_in_file, hands_in_store

    if file is not None and db is not None:
        raise SoulreadError("give either --data or --db")
    if db is not None:
        if player is None:
            from soulread.hands.tables.database import shown_address

            raise SoulreadError(
                f"say with --player whose hands in {shown_address(db)!r} are meant; soulread players lists "
                "them"
            )
        with open_store(db) as store:
            return hands_in_store(store, player, game, room)
    return None if file is None else hands_in_file(file, player, game, room)


def print_json(*parts: Any) -> None:
    """Print one JSON object that has the keys of all parts: results, or dicts."""
    click.echo(json_text(_joined(parts), indent=2))


def print_json_line(*parts: Any) -> None:
    """Print one JSON object, as `print_json` does, in a line of its own."""
    click.echo(json_text(_joined(parts)))


def _joined(parts: tuple[Any, ...]) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for part in parts:
        record.update(plain_data(part))
    return record


def verify_csv(csv: Path | None, as_json: bool) -> None:
    """Raise, before anything is computed, if the sheet of ``--csv`` cannot be written."""
    from soulread.storage.files import verify_writable

    if csv is None:
        return
    if str(csv) != "-":
        verify_writable(csv, "csv")
    elif as_json:
        raise SoulreadError("--json and --csv - both print to standard output; give one of them")


def show_table(
    result: Any, sheet: Callable[[], str], shown: Callable[[], None], csv: Path | None, as_json: bool
) -> None:
    """Write the ``sheet`` of a result where ``--csv`` says; print the result as JSON, or with ``shown``.

    If the sheet goes to standard output, nothing else does.
    """
    from soulread.storage.files import write_file

    if csv is not None and str(csv) == "-":
        click.echo(sheet(), nl=False)
        return
    if csv is not None:
        write_file(csv, sheet().encode())
    if as_json:
        print_json(result)
        return
    shown()
    if csv is not None:
        say(f"written to {csv}")
