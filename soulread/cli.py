"""The `soulread` command: arguments in, one library call, text out.

Heavy imports stay inside the commands so that ``soulread --help`` is instant.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from soulread import __version__
from soulread.errors import SoulreadError

if TYPE_CHECKING:
    from soulread.solve.run import Check

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs instead of tables.")
board_option = click.option("--board", "-b", default="", metavar="CARDS", help="Board cards, such as 3h4cJh.")


class UserError(click.ClickException):
    """A user's mistake: one line on standard error, exit code 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message in one line."""
        click.echo(f"soulread: {self.format_message()}", err=True, file=file)


class Interrupted(UserError):
    """Ctrl-C: one line on standard error, exit code 130."""

    exit_code = 130


class Commands(click.Group):
    """The commands, with soulread's own errors, click's and Ctrl-C turned into `UserError`."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; no traceback of a user's mistake reaches the user."""
        try:
            return super().invoke(ctx)
        except SoulreadError as error:
            raise UserError(str(error)) from None
        except click.UsageError as error:
            path = error.ctx.command_path if error.ctx else "soulread"
            raise UserError(f"{error.format_message()} See {path} --help.") from None
        except KeyboardInterrupt:
            raise Interrupted("interrupted") from None


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

    Agents: random, always-fold, always-call, always-raise, probe; equilibrium and best-response:AGENT in kuhn
    and leduc, equilibrium:8-12-4-4 and best-response:5-5-5-5:AGENT in limit; file:PATH; dbbr; orange, loose,
    tight and more (docs/commands.md). One for each seat of the game. An equilibrium of limit is solved at its
    first use and kept in the cache.

    Examples: soulread duel limit always-fold always-raise --duplicate;
    soulread duel limit equilibrium:5-5-5-5 always-raise --hands 1000000
    """
    from soulread.play.match import play_matches

    passes = len(agents) if duplicate else 1
    with _progress("playing", matches * hands * passes, shown=not as_json) as (advance, tell):
        result = play_matches(
            game,
            agents,
            hands,
            matches=matches,
            duplicate=duplicate,
            seed=seed,
            jobs=jobs,
            progress=advance,
            tell=tell,
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


@cli.command()
@click.argument("game")
@click.option(
    "--method",
    "-m",
    default="dcfr",
    show_default=True,
    help="dcfr, dcfr:1.5,0,2, cfr+, pcfr+, lcfr, cfr; external, outcome (sampling); lp (exact).",
)
@click.option(
    "--gap", "-g", type=float, help="Stop at this exploitability, chips per hand. [default: 1 or 3 mb/g]"
)
@click.option("--seconds", "-s", type=float, help="Stop after this time.")
@click.option("--iterations", "-n", type=int, help="Stop after so many iterations.")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write the strategy to this file.")
@click.option("--checkpoint", type=click.Path(path_type=Path), help="Save to, and go on from, this file.")
@click.option("--checkpoint-every", default=10.0, show_default=True, help="Seconds between two savings.")
@click.option("--seed", default=0, show_default=True, help="Of the sampling methods.")
@click.option("--quick", is_flag=True, help="Build the tables of an abstraction from a part of the boards.")
@as_json
def solve(
    game: str,
    method: str,
    gap: float | None,
    seconds: float | None,
    iterations: int | None,
    output: Path | None,
    checkpoint: Path | None,
    checkpoint_every: float,
    seed: int,
    quick: bool,
    as_json: bool,
) -> None:
    """Approach an equilibrium of GAME.

    Limit hold'em needs a card abstraction: limit:5-5-5-5 divides the hands into 5 buckets by strength and
    each of them into 5 again on flop, turn and river. Its tables are built once and kept in the cache, and so
    is the result of a solve that was not stopped early, for `soulread duel limit equilibrium:5-5-5-5 ...`.

    Of several stops the first one counts. Without one it goes on to an exploitability of 1 mb/g, 3 mb/g in an
    abstraction, or 0.001 where the game has no small bet. A solve that was killed goes on from its
    checkpoint when the same command is given again; Ctrl-C ends it early and keeps what it has.

    Examples: soulread solve leduc -o leduc.strategy; soulread solve limit:5-5-5-5 --quick
    """
    from dataclasses import replace

    from soulread.solve.equilibria import abstraction_checksum, equilibrium_path, keep_equilibrium
    from soulread.solve.files import Strategy, plain_settings, save_strategy, verify_writable
    from soulread.solve.judge import judge
    from soulread.solve.mccfr import Sampling
    from soulread.solve.named import (
        compile_named,
        compile_playable,
        default_gap,
        parse_abstract_game,
        parse_method,
        small_bet,
        solve_named,
    )

    iterative = parse_method(method)
    abstract = parse_abstract_game(game)
    if quick:
        if abstract is None:
            raise SoulreadError(f"{game!r} has no card abstraction whose tables --quick could build")
        abstract = replace(abstract, quick=True)
        game = str(abstract)
    drawn = seed if isinstance(iterative, Sampling) else None
    for path in (output, checkpoint):
        if path is not None:
            verify_writable(path)
    with _status(f"reading {game}", shown=not as_json) as show:
        abstraction = None
        if abstract is None:
            compiled = compile_named(game)
        else:
            playable = compile_playable(game, show)
            compiled, abstraction = playable.game, abstraction_checksum(playable)
        bet = small_bet(game)
        show(f"solving {compiled.name}")

        def tell(check: "Check") -> None:
            from soulread.report.tables import solve_text

            show(solve_text(compiled.name, check, bet))

        with _early_end() as ended:
            solution = solve_named(
                compiled,
                method,
                iterations=iterations,
                gap=gap,
                seconds=seconds,
                stop=ended,
                seed=seed,
                progress=tell,
                checkpoint=checkpoint,
                checkpoint_every=checkpoint_every,
            )
        strategy = Strategy.from_solution(solution, drawn, abstraction)
        if output is not None:
            save_strategy(output, strategy)
        wanted = default_gap(game) if gap is None else gap
        if abstract is not None and solution.gap <= wanted:
            keep_equilibrium(equilibrium_path(abstract, solution.method, gap), strategy)
    if ended():
        files = " and ".join(str(path) for path in (checkpoint, output) if path is not None)
        kept = f"; iteration {solution.iterations:,} is kept in {files}" if files else ""
        raise Interrupted(f"interrupted{kept}")
    judgement = judge(compiled, solution.plans)
    if as_json:
        _print_json(
            {
                **judgement.as_dict(bet),
                "method": solution.method,
                "settings": plain_settings(solution.settings),
                "iterations": solution.iterations,
                "seconds": solution.seconds,
                "seed": drawn,
                "output": None if output is None else str(output),
            }
        )
        return
    from soulread.report.tables import print_judgement

    print_judgement(judgement, solution.method, solution.iterations, solution.seconds, bet)


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--game", "-g", default=None, help="Judge it in this game, which must have the same decisions.")
@as_json
def exploitability(file: Path, game: str | None, as_json: bool) -> None:
    """What a best responder gains against the strategy in FILE, exactly.

    Examples: soulread exploitability leduc.strategy;
    soulread exploitability quick.strategy --game limit:5-5-5-5
    """
    from soulread.seqform.strategy import verify_behaviour
    from soulread.solve.files import load_strategy, plain_settings
    from soulread.solve.judge import judge
    from soulread.solve.named import compile_named, small_bet

    strategy = load_strategy(file)
    name = game or strategy.game
    with _status(f"reading {name}", shown=not as_json) as show:
        compiled = compile_named(name, strategy.representation, show)
    strategy = load_strategy(file, compiled)
    for tree, behaviour in zip(compiled.trees, strategy.behaviours, strict=True):
        verify_behaviour(tree, behaviour)
    judgement = judge(compiled, strategy.plans(compiled))
    if as_json:
        made = {
            "method": strategy.method,
            "settings": plain_settings(strategy.settings),
            "iterations": strategy.iterations,
            "seconds": strategy.seconds,
            "seed": strategy.seed,
            "soulread": strategy.version,
            "written": strategy.written,
        }
        _print_json({"file": str(file), **judgement.as_dict(small_bet(name)), **made})
        return
    from soulread.report.tables import print_judgement

    print_judgement(judgement, strategy.method, strategy.iterations, strategy.seconds, small_bet(name))


@cli.command()
@click.argument("game")
@click.argument("agent")
@click.option("--deals", "-n", default=1000, show_default=True, help="Deals, each played from both seats.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same result.")
@click.option("--first-round", default=0, show_default=True, help="Check and call before it; 0 is preflop.")
@click.option("--runouts", default=200, show_default=True, help="Boards looked at on the flop; 1176 are all.")
@as_json
def lbr(game: str, agent: str, deals: int, seed: int, first_round: int, runouts: int, as_json: bool) -> None:
    """What a local best response wins against AGENT with real cards: a lower bound of its exploitability.

    For agents that play two-player limit games from a table: baselines, equilibria, skewed ones, files.

    Examples: soulread lbr leduc loose; soulread lbr limit equilibrium:5-5-5-5 --deals 20000
    """
    from soulread.estimate import Unit
    from soulread.games import parse_game
    from soulread.play.catalogue import parse_agent
    from soulread.play.tabular import tabular_form
    from soulread.solve.local_best_response import local_best_response

    rules = parse_game(game)
    with _progress("playing", deals, shown=not as_json) as (advance, tell):
        strategy = tabular_form(parse_agent(agent, rules, tell), rules)
        if strategy is None:
            raise SoulreadError(f"{agent!r} does not play {game!r} from a table, so its range is not known")
        found = local_best_response(
            strategy,
            rules,
            deals,
            seed,
            name=agent,
            first_round=first_round,
            runouts=runouts,
            progress=advance,
        )
    if as_json:
        _print_json(found.as_dict())
        return
    total, first, second = (found.in_millibets(part).text(1) for part in (found.value, *found.seats))
    unit = Unit.MILLIBETS.value
    click.echo(f"local best response against {agent} in {game}: {total} {unit} (n = {deals:,}, seed {seed})")
    click.echo(f"in seat 0: {first} {unit}; in seat 1: {second} {unit}")


@contextmanager
def _early_end() -> Iterator[Callable[[], bool]]:
    """Make Ctrl-C an answer to the function given instead of an error; pressed again it breaks off."""
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
def _status(title: str, shown: bool) -> Iterator[Callable[[str], None]]:
    """A line on standard error that says what is going on; silent when not ``shown`` or not a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    if not (shown and console.is_terminal):
        yield lambda text: None
        return
    with console.status(title) as status:
        yield status.update


@contextmanager
def _progress(
    title: str, total: int, shown: bool
) -> Iterator[tuple[Callable[[int], None], Callable[[str], None]]]:
    """A progress bar on standard error while the block runs; silent when not ``shown``.

    The first function counts on, the second says what is going on before there is anything to count.
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


@cli.group()
def abstraction() -> None:
    """Card abstractions of hold'em: build their tables, see what is there."""


@abstraction.command()
@click.argument("spec")
@click.option("--quick", is_flag=True, help="Joint matrices from a part of the boards: seconds, not minutes.")
def build(spec: str, quick: bool) -> None:
    """Build the tables of an abstraction, or find that they are in the cache.

    SPEC is the number of buckets in each round, as in 5-5-5-5, behind hs: or potential: if not by E[HS^2].

    Example: soulread abstraction build 8-12-4-4
    """
    from soulread.abstraction.states import parse_abstraction
    from soulread.abstraction.tables import load_or_build

    parsed = parse_abstraction(spec)
    with _status(f"reading {parsed}", shown=True) as show:
        made, joint = load_or_build(parsed, quick, lambda title, part: show(f"{parsed}: {title}, {part:.0%}"))
    states = " / ".join(f"{size:,}" for size in made.num_states)
    click.echo(
        f"{parsed}: {states} private states, {joint.num_deals:,} deals, {joint.tie_rate:.3%} of them ties"
    )


@abstraction.command()
@as_json
def info(as_json: bool) -> None:
    """What the cache holds of abstractions and equilibria, and where it is.

    Example: soulread abstraction info
    """
    from soulread.abstraction.tables import info as cached_tables
    from soulread.cache import cache_directory
    from soulread.solve.equilibria import kept_equilibria

    found, solved = cached_tables(), kept_equilibria()
    if as_json:
        _print_json(
            {
                "cache": str(cache_directory()),
                "tables": [
                    {
                        "what": entry.what,
                        "abstraction": entry.spec or None,
                        "states": list(entry.num_states),
                        "bytes": entry.num_bytes,
                        "created": entry.created.isoformat(),
                        "current": entry.current,
                        "path": str(entry.path),
                    }
                    for entry in found
                ],
                "equilibria": [
                    {
                        "game": strategy.game,
                        "method": strategy.method,
                        "iterations": strategy.iterations,
                        "gap": strategy.gap,
                        "bytes": path.stat().st_size,
                        "path": str(path),
                    }
                    for path, strategy in solved
                ],
            }
        )
        return
    from soulread.report.tables import print_cache

    print_cache(cache_directory(), found, solved)


def _print_json(record: dict[str, Any]) -> None:
    click.echo(json.dumps(record, indent=2, allow_nan=False))
