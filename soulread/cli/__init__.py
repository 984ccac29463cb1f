"""The `soulread` command: arguments in, one library call, text out.

One module per family of commands. Heavy imports stay inside the commands so that ``soulread --help`` is
instant.
"""

import sys
from typing import Any

import click

from soulread import __version__
from soulread.cli.abstractions import abstraction
from soulread.cli.cards import equity, replay, show_range, strength
from soulread.cli.common import Interrupted, UserError, tell_notices
from soulread.cli.curve import curve
from soulread.cli.hands import hands, import_, players, stats
from soulread.cli.leaks import leaks
from soulread.cli.play import agents, demo, duel, models
from soulread.cli.predicting import predict
from soulread.cli.profile import pool, profile
from soulread.cli.reading import incomes, read
from soulread.cli.reproduce import reproduce
from soulread.cli.solving import exploitability, lbr, solve
from soulread.cli.spot import spot
from soulread.cli.zoo import zoo
from soulread.errors import SoulreadError
from soulread.report.plain import never_fail


class Commands(click.Group):
    """The commands, with soulread's own errors, click's and Ctrl-C turned into `UserError`."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the program: nothing it prints can fail for want of a character."""
        for stream in (sys.stdout, sys.stderr):
            never_fail(stream)
        tell_notices()
        return super().main(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; no traceback of a user's mistake reaches the user."""
        try:
            return super().invoke(ctx)
        except SoulreadError as error:
            raise UserError(str(error)) from None
        except click.UsageError as error:
            path = error.ctx.command_path if error.ctx else "soulread"
            raise UserError(f"{error.format_message()} See {path} --help.") from None
        except MemoryError:
            raise UserError(
                "memory ran out; ask for less: fewer hands, deals or matches, or smaller options of an agent"
            ) from None
        except OverflowError as error:
            raise UserError(f"a number is too large: {error}") from None
        except RecursionError:
            raise UserError("what was asked for is nested too deeply") from None
        except KeyboardInterrupt:
            raise Interrupted("interrupted") from None


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="soulread")
def cli() -> None:
    """Learn how an opponent really plays, and how to beat them without becoming beatable.

    Start with `soulread demo`. Games: kuhn, leduc, limit, ring-limit:6, nolimit:players=3,stacks=200.
    Cards are written Ah, ranges as poker people type them: "AKs, 77+, T9s-54s, AhKh:0.25".
    """


for command in (
    demo,
    duel,
    agents,
    models,
    zoo,
    leaks,
    import_,
    hands,
    players,
    stats,
    predict,
    profile,
    pool,
    strength,
    equity,
    show_range,
    replay,
    read,
    incomes,
    solve,
    exploitability,
    curve,
    lbr,
    spot,
    abstraction,
    reproduce,
):
    cli.add_command(command)
