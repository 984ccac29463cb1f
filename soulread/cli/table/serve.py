"""The page: `soulread serve`."""

from pathlib import Path

import click

from soulread.cli.common import db_option, say
from soulread.errors import SoulreadError

PORT = 8642


@click.command()
@click.option("--port", default=PORT, show_default=True, type=click.IntRange(0, 65535), help="0: any free.")
@db_option
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep tables, hands, notes and solves of the page here.  [default: beside the user's own store]",
)
@click.option(
    "--reports",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Show the experiments of this folder, which reproduce --output and --report write to.  "
    "[default: reports, in the folder of the page]",
)
@click.option("--open/--no-open", "opened", default=True, help="Open the page in a browser.")
def serve(port: int, db: str | None, folder: Path | None, reports: Path | None, opened: bool) -> None:
    """Serve the page: play against agents and see what they believe of you, review your hands.

    The page is at 127.0.0.1 only, needs no internet, and keeps what happens on it: a table goes on where it
    stood, also after the server was killed. Every browser has its own tables and hands. Ctrl-C ends it.

    Needs the extra `web`: pip install 'soulread[web]'.
    """
    try:
        from soulread.serve.web.serving import run
    except ImportError as error:
        raise SoulreadError(
            f"the page needs {error.name}; install it with: pip install 'soulread[web]'"
        ) from None

    run(port, db, folder, reports, lambda address: _told(address, opened))


def _told(address: str, opened: bool) -> None:
    """Say where the page is, and open it."""
    say(f"The page is at {address}  (Ctrl-C ends it)")
    if opened:
        import webbrowser

        webbrowser.open(address)
