"""What the commands share: options, errors, progress on standard error, JSON on standard output."""

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.notices import tell_if_nothing_is_compiled

if TYPE_CHECKING:
    from soulread.games.poker import PokerGame
    from soulread.hands.store import Store
    from soulread.study.hands.of_player import PlayerHands

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs instead of tables.")


db_option = click.option(
    "--db",
    help="Store of hands: a file, or postgresql://...  [default: SOULREAD_DB, else the user's own]",
)


class Computing(click.Command):
    """A command that computes, and may have to compile first."""

    def invoke(self, ctx: click.Context) -> Any:
        """Say so at once if it will compile, then run."""
        tell_if_nothing_is_compiled()
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


class UserError(click.ClickException):
    """A user's mistake: one line on standard error, exit code 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message in one line."""
        click.echo(f"soulread: {self.format_message()}", err=True, file=file)


class Interrupted(UserError):
    """Ctrl-C: one line on standard error, exit code 130."""

    exit_code = 130


class _Notices(logging.Handler):
    """What the library has to say besides its results, such as that a damaged file is made again."""

    def emit(self, record: logging.LogRecord) -> None:
        """One line on standard error."""
        with suppress(OSError):  # standard error may be on the disk that is full
            click.echo(f"soulread: {record.getMessage()}", err=True)


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


@contextmanager
def status(title: str, shown: bool) -> Iterator[Callable[[str], None]]:
    """A status line on standard error while the block runs; silent if not ``shown`` or not in a terminal.

    The function given changes the line.
    """
    from rich.console import Console

    console = Console(stderr=True)
    if not (shown and console.is_terminal):
        yield lambda text: None
        return
    with console.status(title) as status:
        yield status.update


@contextmanager
def progress(
    title: str, total: int, shown: bool
) -> Iterator[tuple[Callable[[int], None], Callable[[str], None]]]:
    """A progress bar on standard error while the block runs; silent when not ``shown``.

    The first function adds to the count. The second says what is going on before there is anything to count.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not (shown and console.is_terminal)
    ) as bar:
        task = bar.add_task(title, total=total)
        yield (
            lambda done: bar.update(task, advance=done, description=title),
            lambda text: bar.update(task, description=text),
        )


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
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not (shown and console.is_terminal)
    ) as bar:
        task = bar.add_task("reading", total=total)
        yield lambda done, words: bar.update(task, completed=done, description=words)


def recorded_hands(
    file: Path | None, db: str | None, player: str | None, game: "PokerGame"
) -> "PlayerHands | None":
    """The hands that ``--file`` or ``--db`` names; None if neither was given."""
    from soulread.study.hands.of_player import hands_in_file, hands_in_store

    if file is not None and db is not None:
        raise SoulreadError("give either --file or --db")
    if db is not None:
        if player is None:
            raise SoulreadError(
                f"say with --player whose hands in {db!r} are meant; soulread players lists them"
            )
        with open_store(db) as store:
            return hands_in_store(store, player, game)
    return None if file is None else hands_in_file(file, player, game)


def print_json(*parts: Any) -> None:
    """Print one JSON object that has the keys of all parts: results, or dicts."""
    record: dict[str, Any] = {}
    for part in parts:
        record.update(plain_data(part))
    click.echo(json.dumps(record, indent=2, allow_nan=False))
