"""The `soulread` command: arguments in, one library call, text out.

One module per family of commands. A module is imported when one of its commands runs, and heavy imports stay
inside the commands, so that ``soulread --help`` is instant.
"""

import errno
import importlib
import sys
from typing import Any

import click

from soulread import __version__
from soulread.cli.common import Interrupted, UserError, tell_notices
from soulread.cli.surroundings import keep_standard_streams, suppress_bad_sizes, told_error, whole_output
from soulread.errors import SoulreadError
from soulread.report.plain import never_fail

COMMANDS = {
    "Hands": {
        "sample-hands": ("hands:sample_hands", "Write made-up hands to try things on."),
        "import": ("hands:import_", "Bring hands of any format into a store."),
        "hands": ("hands:hands", "Find hands of a store, show them, write them in another format."),
        "replay": ("cards:replay", "Show a hand step by step."),
        "read": ("reading:read", "Show what everybody may hold at a point of a hand."),
    },
    "Players": {
        "players": ("hands:players", "List the players of a store."),
        "stats": ("hands:stats", "Count VPIP, 3-bet, c-bet, bb/100 and so on, with intervals."),
        "player": (
            "players.player:player",
            "Look at your own results, sessions and leaks, and report on opponents.",
        ),
        "profile": (
            "profile:profile",
            "Describe how a player plays, with sure deviations and ranges.",
        ),
        "plan": ("profile:plan", "Say what to do against a player in the commonest spots."),
        "pool": ("profile:pool", "Describe how everybody in a store plays, and what pays."),
        "leaks": ("leaks:leaks", "Find where a player leaves the equilibrium, and what it costs."),
        "charts": ("leaks:charts", "Show charts of an equilibrium before the flop, or a player beside them."),
        "predict": ("predicting:predict", "Train a predictor of a player, and judge it on later hands."),
    },
    "Spots": {
        "spot": ("spots:spot", "Solve a flop, turn or river with real cards."),
        "lock": ("spots:lock", "Answer a read of an opponent, for every degree of trust in it."),
        "boards": ("spots:boards", "Solve a spot on many boards: how often each action, and EV."),
    },
    "Games": {
        "solve": ("solving:solve", "Approach an equilibrium of a game."),
        "exploitability": ("solving:exploitability", "Judge a strategy file by exact best responses."),
        "lbr": ("solving:lbr", "Bound an agent's exploitability from below, with real cards."),
        "curve": ("curve:curve", "Show what counter-strategies win, and what they risk."),
        "abstraction": ("abstractions:abstraction", "Build the tables of a card abstraction, or list them."),
    },
    "Play": {
        "duel": ("play:duel", "Let agents play each other."),
        "tournament": (
            "table.tournament:tournament",
            "Let every agent play every other one, and say who wins.",
        ),
        "play": ("table.play:play", "Play against agents yourself, with a coach if you like."),
        "serve": ("table.serve:serve", "Serve the page: play in a browser, and see what is believed of you."),
        "acpc": ("table.acpc:acpc", "Play at the table of an ACPC dealer."),
        "dealer": ("table.dealer:dealer", "Deal a match to agents, programs that connect, or a person."),
        "opponents": ("table.opponents:opponents", "List or forget the opponents that agents remember."),
        "agents": ("play:agents", "List the agents, or explain one."),
        "models": ("play:models", "List the models of opponents, or explain one."),
        "zoo": ("zoo:zoo", "List opponents of different kinds, or play against each."),
    },
    "Cards": {
        "range": ("cards:show_range", "Show a range as a grid, and its shortest notation."),
        "ranges": ("cards:ranges", "List the ranges that have a name, such as btn-open."),
        "equity": ("cards:equity", "Compute the all-in equity of a range against a range."),
        "strength": ("cards:strength", "Compute hand strength and potential."),
        "incomes": ("reading:incomes", "Show what every starting hand earns with 2 to 10 players."),
    },
    "Lab": {
        "demo": ("play:demo", "Show what soulread can do, in a minute."),
        "reproduce": (
            "reproduce:reproduce",
            "Run an experiment: our numbers beside those of a paper.",
        ),
        "cluster": (
            "reproduce:cluster",
            "Check the nodes of a Ray cluster, and what an experiment takes there.",
        ),
    },
}
"""The commands under their headings: where each is defined, and its line of help."""


class Commands(click.Group):
    """The commands, each imported when it is asked for; errors and Ctrl-C become a `UserError`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, heading by heading."""
        return [name for commands in COMMANDS.values() for name in commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of this name, of the table or added by a program; None if there is none."""
        for commands in COMMANDS.values():
            if cmd_name in commands:
                module, _, function = commands[cmd_name][0].partition(":")
                found = getattr(importlib.import_module(f"soulread.cli.{module}"), function)
                assert isinstance(found, click.Command)
                return found
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings, without importing them."""
        for heading, commands in COMMANDS.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:<14}", about) for name, (_, about) in commands.items()])

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the program: nothing it prints can fail for want of a character."""
        for stream in (sys.stdout, sys.stderr):
            never_fail(stream)
        tell_notices()
        keep_standard_streams()
        with suppress_bad_sizes(), whole_output():
            return super().main(*args, **extra)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Read what stands before the command; a mistake there is told like all others."""
        try:
            return super().make_context(*args, **extra)
        except click.exceptions.NoArgsIsHelpError:
            raise
        except click.UsageError as error:
            raise _usage(error) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; no traceback of a user's mistake reaches the user."""
        try:
            return super().invoke(ctx)
        except SoulreadError as error:
            raise UserError(str(error)) from None
        except click.UsageError as error:
            raise _usage(error) from None
        except MemoryError:
            raise UserError(
                "memory ran out; ask for less: fewer hands, deals or matches, or smaller options of an agent"
            ) from None
        except OverflowError as error:
            raise UserError(f"a number is too large: {error}") from None
        except OSError as error:
            if error.errno == errno.EPIPE:  # whoever read the output has enough of it
                raise
            raise UserError(told_error(error)) from None
        except ImportError as error:
            raise UserError(f"a part of soulread cannot be loaded: {error}") from None
        except RecursionError:
            raise UserError("what was asked for is nested too deeply") from None
        except KeyboardInterrupt:
            raise Interrupted("interrupted") from None


def _usage(error: click.UsageError) -> UserError:
    path = error.ctx.command_path if error.ctx else "soulread"
    return UserError(f"{error.format_message()} See {path} --help.")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="soulread")
def cli() -> None:
    """Learn how an opponent really plays, and how to beat them without becoming beatable.

    Start with `soulread demo`. Games: kuhn, leduc, limit, ring-limit:6, nolimit:players=3,stacks=200.
    Cards are written Ah, ranges as poker people type them: "AKs, 77+, T9s-54s, AhKh:0.25".
    """
