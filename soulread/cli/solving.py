"""Equilibria and what they are worth: `soulread solve`, `exploitability` and `lbr`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from soulread.cli.common import (
    GAME_GAP,
    Computing,
    Interrupted,
    as_json,
    early_end,
    gap_in_chips,
    output_option,
    print_json,
    progress,
    say,
    seed_option,
    status,
    stop_options,
)
from soulread.errors import SoulreadError

if TYPE_CHECKING:
    from soulread.solvers.cfr.run import Check


@click.command(cls=Computing)
@click.argument("game")
@click.option(
    "--method",
    help="dcfr (default), dcfr:1.5,0,2, cfr+, pcfr+, lcfr, cfr; external, outcome (sampling); lp (exact).",
)
@stop_options(GAME_GAP)
@output_option("Write the strategy to this file.")
@click.option("--checkpoint", type=click.Path(path_type=Path), help="Save to this file, and go on from it.")
@click.option("--checkpoint-every", default=10.0, show_default=True, help="Seconds between two saves.")
@seed_option()
@click.option("--quick", is_flag=True, help="Build the tables of an abstraction from a part of the boards.")
@as_json
def solve(
    game: str,
    method: str | None,
    gap: str | None,
    seconds: float | None,
    iterations: int | None,
    output: Path | None,
    checkpoint: Path | None,
    checkpoint_every: float,
    seed: int,
    quick: bool,
    as_json: bool,
) -> None:
    """Compute an approximate equilibrium of GAME.

    Limit hold'em needs a card abstraction: limit:5-5-5-5 divides the hands into 5 buckets by strength and
    each of them into 5 again on flop, turn and river. Its tables are built once and kept in the cache. The
    result of a solve that was not stopped early is kept too; `soulread duel limit equilibrium:5-5-5-5 ...`
    plays it.

    If several stops are given, the first one reached ends the solve. If none is given, it ends at an
    exploitability of 1 mb/g, of 3 mb/g in an abstraction, or of 0.001 chips if the game has no small bet.
    Ctrl-C ends it early and keeps what it has. A solve with a checkpoint that was killed goes on when the
    same command is given again.

    Examples: soulread solve leduc -o leduc.strategy; soulread solve limit:5-5-5-5 --quick
    """
    from dataclasses import replace

    from soulread.names import compile_named, source_named
    from soulread.solvers.cfr.methods import default_schedule, parse_method, solve_named
    from soulread.solvers.cfr.sampling import MonteCarloCFR
    from soulread.solvers.cfr.stops import Stops
    from soulread.storage.files import verify_writable
    from soulread.study.strategies.solving import judge_solution, keep_solution

    source = source_named(game)
    if quick:
        if source is None or source.cards is None:
            raise SoulreadError(f"{game!r} has no card abstraction whose tables --quick could build")
        source = replace(source, quick=True)
        game = source.name
    if method is None and source is not None:
        method = default_schedule(source).name
    drawn = seed if method is not None and isinstance(parse_method(method), MonteCarloCFR) else None
    for path, kind in ((output, "strategy"), (checkpoint, "checkpoint")):
        if path is not None:
            verify_writable(path, kind)
    with status(f"reading {game}", shown=not as_json) as show:
        compiled = compile_named(game, tell=show)
        show(f"solving {compiled.name}")

        def tell(check: "Check") -> None:
            from soulread.study.strategies.solving_terminal import solve_text

            show(solve_text(compiled.name, check, compiled.small_bet))

        chips = gap_in_chips(gap, compiled.small_bet)
        with early_end() as ended:
            solution = solve_named(
                compiled,
                method,
                Stops(iterations=iterations, gap=chips, seconds=seconds, stop=ended),
                seed=seed,
                progress=tell,
                checkpoint=checkpoint,
                checkpoint_every=checkpoint_every,
            )
        strategy = keep_solution(solution, source, drawn, chips, output)
    if ended():
        files = " and ".join(str(path) for path in (solution.checkpoint, output) if path is not None)
        kept = f"; iteration {solution.iterations:,} is kept in {files}" if files else ""
        raise Interrupted(f"interrupted{kept}")
    study = judge_solution(solution, strategy)
    if as_json:
        print_json(study, {"output": output})
        return
    from soulread.study.strategies.solving_terminal import print_solved

    print_solved(study)


@click.command(cls=Computing)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--game", "-g", default=None, help="Judge it in this game, which must have the same decisions.")
@as_json
def exploitability(file: Path, game: str | None, as_json: bool) -> None:
    """Compute exactly what a best responder gains against the strategy in FILE.

    Examples: soulread exploitability leduc.strategy;
    soulread exploitability quick.strategy --game limit:5-5-5-5
    """
    from soulread.names import compile_named
    from soulread.study.strategies.solving import judge_file

    with status(f"reading {file}", shown=not as_json) as show:
        study = judge_file(
            file, lambda strategy: compile_named(game or strategy.game, strategy.representation, show)
        )
    if as_json:
        made = {"soulread": study.strategy.version, "written": study.strategy.written}
        print_json({"file": file}, study, made)
        return
    from soulread.study.strategies.solving_terminal import print_solved

    print_solved(study)


@click.command(cls=Computing)
@click.argument("game")
@click.argument("agent")
@click.option("--deals", default=1000, show_default=True, help="Deals, each played from both seats.")
@seed_option()
@click.option(
    "--first-round", default=0, show_default=True, help="Round before which it only calls; 0: none."
)
@click.option(
    "--runouts", default=200, show_default=True, help="Turns and rivers tried on the flop; 1176 are all."
)
@as_json
def lbr(game: str, agent: str, deals: int, seed: int, first_round: int, runouts: int, as_json: bool) -> None:
    """Play a local best response against AGENT with real cards: a lower bound of its exploitability.

    For agents that play two-player limit games from a table: baselines, equilibria, skewed ones, files; and
    for real-river, whose rivers are solved anew.

    Examples: soulread lbr leduc loose; soulread lbr limit equilibrium:5-5-5-5 --deals 20000
    """
    from soulread.estimate import Unit
    from soulread.games.named import parse_game
    from soulread.play.catalogue.known import parse_agent
    from soulread.play.search.river_agent import known_opponent
    from soulread.solvers.real_cards.local_best_response import local_best_response

    rules = parse_game(game)
    with progress("playing", deals, shown=not as_json) as (advance, tell):
        strategy, rivers = known_opponent(parse_agent(agent), rules, tell)
        found = local_best_response(
            strategy,
            rules,
            deals,
            seed,
            name=agent,
            first_round=first_round,
            runouts=runouts,
            rivers=rivers,
            progress=advance,
        )
    if as_json:
        print_json(found)
        return
    total, first, second = (found.in_millibets(part).text(1) for part in (found.value, *found.seats))
    unit = Unit.MILLIBETS.value
    say(f"local best response against {agent} in {game}: {total} {unit} (n = {deals:,}, seed {seed})")
    say(f"in seat 0: {first} {unit}; in seat 1: {second} {unit}")
