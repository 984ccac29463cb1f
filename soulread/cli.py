"""The `soulread` command: arguments in, one library call, text out.

Heavy imports stay inside the commands so that ``soulread --help`` is instant.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

from soulread import __version__
from soulread.errors import SoulreadError

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs instead of tables.")
board_option = click.option("--board", "-b", default="", metavar="CARDS", help="Board cards, such as 3h4cJh.")


class UserError(click.ClickException):
    """A user's mistake: one line on standard error, exit code 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message in one line."""
        click.echo(f"soulread: {self.format_message()}", err=True, file=file)


class Commands(click.Group):
    """The commands, with soulread's own errors turned into `UserError`."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; no traceback of a user's mistake reaches the user."""
        try:
            return super().invoke(ctx)
        except SoulreadError as error:
            raise UserError(str(error)) from None


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="soulread")
def cli() -> None:
    """Learn how an opponent really plays, and how to beat him without becoming beatable.

    Start with `soulread demo`. Games: kuhn, leduc, limit, ring-limit:6, nolimit:players=3,stacks=200.
    Cards are written Ah, ranges as poker people type them: "AKs, 77+, T9s-54s, AhKh:0.25".
    """


@cli.command()
def demo() -> None:
    """Show what soulread can do, in a minute."""
    from soulread.demo import run

    run()


@cli.command()
@click.argument("game")
@click.argument("agents", nargs=-1, required=True)
@click.option("--hands", "-n", default=1000, show_default=True, help="Hands of each match.")
@click.option("--matches", "-m", default=1, show_default=True, help="Matches, each with fresh agents.")
@click.option("--duplicate", "-d", is_flag=True, help="Replay each match with the seats swapped, same cards.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same result.")
@click.option("--jobs", "-j", default=1, show_default=True, help="Processes to spread the matches over.")
@as_json
def duel(
    game: str,
    agents: tuple[str, ...],
    hands: int,
    matches: int,
    duplicate: bool,
    seed: int,
    jobs: int,
    as_json: bool,
) -> None:
    """Let AGENTS play GAME against each other.

    Example: soulread duel limit always-fold always-raise --duplicate

    Agents: random, always-fold, always-call, always-raise, probe. One agent for each seat of the game.
    """
    from soulread.play.match import play_matches

    passes = len(agents) if duplicate else 1
    with _progress("playing", matches * hands * passes, shown=not as_json) as advance:
        result = play_matches(
            game,
            agents,
            hands,
            matches=matches,
            duplicate=duplicate,
            seed=seed,
            jobs=jobs,
            progress=advance,
        )
    if as_json:
        _print_json(result.as_dict())
        return
    from soulread.report.tables import print_match

    print_match(result)


@cli.command()
@click.argument("hole")
@board_option
@click.option("--range", "-r", "villain", default=None, help="What the opponent may hold; default: anything.")
@click.option("--opponents", "-n", default=1, show_default=True, help="How many opponents there are.")
@click.option("--lookahead", "-l", type=int, default=None, help="Cards to look ahead: 1 or 2 (default: all).")
@as_json
def strength(
    hole: str, board: str, villain: str | None, opponents: int, lookahead: int | None, as_json: bool
) -> None:
    """Strength and potential of a hand on a board.

    Example: soulread strength AdQc --board 3h4cJh
    """
    from soulread.cards.deck import parse_cards, pretty_cards
    from soulread.cards.ranges import parse_range
    from soulread.cards.strength import hand_strength, potential

    cards, board_cards = parse_cards(hole), parse_cards(board)
    against = None if villain is None else parse_range(villain)
    now = hand_strength(cards, board_cards, against)
    ahead = potential(cards, board_cards, against, lookahead) if len(board_cards) < 5 else None
    values = {"hs": now.value, f"hs_{opponents}": now.against(opponents)}
    if ahead is not None:
        values |= {"ppot": ahead.ppot, "npot": ahead.npot, "ehs": ahead.ehs(opponents)}
    if as_json:
        table = None if ahead is None else ahead.table.tolist()
        _print_json({"hole": hole, "board": board, "opponents": opponents, **values, "table": table})
        return
    from soulread.report.tables import print_strength

    print_strength(f"{pretty_cards(cards)} on {pretty_cards(board_cards)}", now, ahead, opponents)


@cli.command()
@click.argument("hero")
@click.argument("villain", default="random")
@board_option
@click.option(
    "--samples", "-s", type=int, default=None, help="Sample this many deals instead of all of them."
)
@click.option("--seed", default=0, show_default=True, help="Seed of the samples.")
@as_json
def equity(hero: str, villain: str, board: str, samples: int | None, seed: int, as_json: bool) -> None:
    """All-in equity of a range against another.

    Examples: soulread equity AA; soulread equity "77+" "A2s+, KTs+" --board 3h4cJh
    """
    import numpy as np

    from soulread.cards.deck import parse_cards
    from soulread.cards.equity import equity as exact_equity
    from soulread.cards.equity import equity_sampled
    from soulread.cards.ranges import parse_range

    ranges = parse_range(hero), parse_range(villain)
    cards = parse_cards(board)
    if samples is None:
        found = exact_equity(*ranges, cards)
    else:
        found = equity_sampled(*ranges, cards, samples, np.random.default_rng(seed))
    win, tie, lose = found.probabilities
    if as_json:
        low, high = found.interval
        asked = {"hero": hero, "villain": villain, "board": board}
        sampled = {"samples": samples, "seed": seed} if samples else {}
        value = {"value": found.value, "low": low, "high": high, "win": win, "tie": tie, "lose": lose}
        _print_json({**asked, **sampled, **value})
        return
    how = f"n = {samples:,}, seed {seed}" if samples else "exact"
    number = found.estimate.text(5) if samples else f"{found.value:.8f}"
    click.echo(f"{number} ({how}): win {win:.2%}, tie {tie:.2%}, lose {lose:.2%}")


@cli.command(name="range")
@click.argument("text")
@as_json
def show_range(text: str, as_json: bool) -> None:
    """Show a range of hands as a grid.

    Example: soulread range "AKs, 77+, T9s-54s, AhKh:0.25"
    """
    from soulread.cards.ranges import format_range, parse_range

    parsed = parse_range(text)
    if as_json:
        _print_json({"range": format_range(parsed), "hands": parsed.num_hands, "total": parsed.total})
        return
    from soulread.report.tables import print_range

    print_range(parsed)


@cli.command()
@click.argument("game")
@click.argument("cards")
@click.argument("betting", default="")
@as_json
def replay(game: str, cards: str, betting: str, as_json: bool) -> None:
    """Replay a hand and show where it stands.

    CARDS come in the order dealt: the seats' cards, then the board. BETTING is written as in the ACPC
    protocol: f fold, c check or call, r raise, r12 raise to 12 chips, rounds separated by a slash.

    Example: soulread replay leduc JhQsKh crc/cc
    """
    from soulread.cards.deck import cards_name, parse_cards
    from soulread.games import TERMINAL, parse_game
    from soulread.games import replay as replay_hand

    state = replay_hand(parse_game(game), betting, parse_cards(cards))
    if as_json:
        _print_json(
            {
                "game": state.rules.name,
                "betting": state.betting,
                "board": cards_name(state.board),
                "pot": state.pot,
                "to_act": state.player if state.player >= 0 else None,
                "legal": [state.action_name(action) for action in state.legal_actions()],
                "payoffs": state.payoffs() if state.player == TERMINAL else None,
            }
        )
        return
    from soulread.report.tables import print_replay

    print_replay(state)


@contextmanager
def _progress(title: str, total: int, shown: bool) -> Iterator[Callable[[int], None]]:
    """A progress bar on standard error while the block runs; silent when not ``shown``."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not (shown and console.is_terminal)
    ) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.advance(task, done)


def _print_json(record: dict[str, Any]) -> None:
    click.echo(json.dumps(record, indent=2, allow_nan=False))
