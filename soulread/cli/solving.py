"""Equilibria and what they are worth: `soulread solve`, `exploitability` and `lbr`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from soulread.cli.common import Interrupted, as_json, early_end, print_json, progress, status
from soulread.errors import SoulreadError

if TYPE_CHECKING:
    from soulread.solve.run import Check


@click.command()
@click.argument("game")
@click.option(
    "--method",
    "-m",
    help="dcfr (default), dcfr:1.5,0,2, cfr+, pcfr+, lcfr, cfr; external, outcome (sampling); lp (exact).",
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
    method: str | None,
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
        default_method,
        parse_abstract_game,
        parse_method,
        small_bet,
        solve_named,
    )
    from soulread.solve.stops import Stops

    abstract = parse_abstract_game(game)
    if quick:
        if abstract is None:
            raise SoulreadError(f"{game!r} has no card abstraction whose tables --quick could build")
        abstract = replace(abstract, quick=True)
        game = str(abstract)
    iterative = parse_method(method or default_method(game))
    drawn = seed if isinstance(iterative, Sampling) else None
    for path in (output, checkpoint):
        if path is not None:
            verify_writable(path)
    with status(f"reading {game}", shown=not as_json) as show:
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

        with early_end() as ended:
            solution = solve_named(
                compiled,
                method,
                Stops(iterations=iterations, gap=gap, seconds=seconds, stop=ended),
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
        print_json(
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


@click.command()
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
    with status(f"reading {name}", shown=not as_json) as show:
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
        print_json({"file": str(file), **judgement.as_dict(small_bet(name)), **made})
        return
    from soulread.report.tables import print_judgement

    print_judgement(judgement, strategy.method, strategy.iterations, strategy.seconds, small_bet(name))


@click.command()
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
    with progress("playing", deals, shown=not as_json) as (advance, tell):
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
        print_json(found.as_dict())
        return
    total, first, second = (found.in_millibets(part).text(1) for part in (found.value, *found.seats))
    unit = Unit.MILLIBETS.value
    click.echo(f"local best response against {agent} in {game}: {total} {unit} (n = {deals:,}, seed {seed})")
    click.echo(f"in seat 0: {first} {unit}; in seat 1: {second} {unit}")
