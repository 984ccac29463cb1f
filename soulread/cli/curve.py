"""Risk and reward of counter-strategies: `soulread curve`."""

from pathlib import Path

import click

from soulread.cli.common import Computing, as_json, print_json, recorded_hands, seed_option, status
from soulread.errors import SoulreadError


@click.command(cls=Computing)
@click.argument("game")
@click.option("--opponent", help="Agent to exploit; it must play from a table.")
@click.option("--observed-games", "-n", type=int, help="Learn the model from so many games, all cards seen.")
@click.option("--against", help="Agent that the opponent plays in those games; or self.  [default: probe]")
@seed_option()
@click.option(
    "--file", "-f", type=click.Path(path_type=Path), help="Learn the model from a file, such as an ACPC log."
)
@click.option("--db", help="Learn the model from a store of hands: a file, or postgresql://...")
@click.option("--player", help="Player of the file or store to exploit.")
@click.option("--shown-only", is_flag=True, help="Use only those cards of the log that were shown down.")
@click.option(
    "--parts",
    type=int,
    help="Parts of the log, each held out once to value the answers.  [default: 2; 0: none]",
)
@click.option("--method", default="rnr", show_default=True, help="rnr, dbr or mix.")
@click.option("--p", "ps", help="Values of p, or of P_max with dbr.  [default: 0,.5,.7,.8,.9,.93,.97,.99,1]")
@click.option(
    "--confidence", help="Of dbr, how trust grows: 1-step, 10-step, 0-10 or curve:1.  [default: 0-10]"
)
@click.option(
    "--precision", type=float, help="Precision of exploitability in mb/g (chips/h if there is no small bet)."
)
@click.option(
    "--figure", type=click.Path(path_type=Path), help="Draw to this file; it ends in .svg, .png or .pdf."
)
@click.option(
    "--save",
    type=click.Path(path_type=Path),
    help="Write the strategy to this file, for the agent file:PATH; needs a single p.",
)
@as_json
def curve(
    game: str,
    opponent: str | None,
    observed_games: int | None,
    against: str | None,
    seed: int,
    file: Path | None,
    db: str | None,
    player: str | None,
    shown_only: bool,
    parts: int | None,
    method: str,
    ps: str | None,
    confidence: str | None,
    precision: float | None,
    figure: Path | None,
    save: Path | None,
    as_json: bool,
) -> None:
    """What counter-strategies win from an opponent, and what they risk if the model of the opponent is wrong.

    The opponent is an agent, or a player in a match log. p is how far the model is trusted: 0 is an
    equilibrium, 1 a best response. For each p the table has the winnings from the model, the winnings from
    the real opponent where that is known, the loss in the worst case, and the gap to which it was solved.
    For a log it also has the winnings from hands that the model had not seen.

    Examples: soulread curve leduc --opponent loose; soulread curve limit:5-5-5-5 --opponent orange:5-5-5-5
    --method dbr --observed-games 1000000 --confidence 0-10 --p 0.5,0.9; soulread curve leduc --file match.log
    --player Bob --method dbr --p 0.9 --save against-bob.safetensors
    """
    from soulread.estimate import Unit
    from soulread.names import poker_source
    from soulread.play.catalogue.known import parse_agent
    from soulread.report.figures import verify_figure
    from soulread.respond.curves import PAPER_PS
    from soulread.solvers.equilibria import find_equilibrium
    from soulread.solvers.strategy_files import save_strategy
    from soulread.storage.files import verify_writable
    from soulread.study.strategies.curves import (
        DEFAULT_CONFIDENCE,
        DEFAULT_PARTS,
        SELF,
        known_subject,
        recorded_subject,
        study_curve,
        verify_method,
        watched_subject,
    )
    from soulread.study.strategies.curves_terminal import draw_curve, print_curve

    try:
        values = PAPER_PS if ps is None else tuple(float(word) for word in ps.split(","))
    except ValueError:
        raise SoulreadError(f"--p {ps!r}; expected numbers between commas, such as 0,0.5,1") from None
    from_record = file is not None or db is not None
    if (opponent is None) != from_record:
        raise SoulreadError("give either an --opponent or a log of games with --file or --db")
    if from_record and observed_games is not None:
        raise SoulreadError("--observed-games is for an agent that is watched, not for a log")
    if not from_record and (player is not None or shown_only):
        raise SoulreadError("--player and --shown-only are for a log; an agent is watched with all its cards")
    if not from_record and parts is not None:
        raise SoulreadError("--parts is for a log; an agent is known, and what is won from it is exact")
    if against is not None and observed_games is None:
        raise SoulreadError("--against is for an agent that is watched; say for how many --observed-games")
    if confidence is not None and method != "dbr":
        raise SoulreadError("--confidence is for --method dbr")
    confidence = confidence or DEFAULT_CONFIDENCE
    verify_method(method, confidence, observed=from_record or observed_games is not None)
    if figure is not None:
        verify_figure(figure)
        verify_writable(figure)
    if save is not None:
        if len(values) != 1:
            raise SoulreadError(f"--save needs one value of --p, not {len(values)}")
        verify_writable(save)
    source = poker_source(game)
    bet = source.poker.rules.small_bet
    if precision is not None:
        if not precision > 0:
            raise SoulreadError(f"--precision {precision!r}; it must be positive")
        precision = precision / Unit.MILLIBETS.per_chip(bet, bet)
    exploited = None if opponent is None else parse_agent(opponent)
    other = None if against == SELF else parse_agent(against or "probe")
    with status("solving", shown=not as_json) as tell:
        recorded = recorded_hands(file, db, player, source.poker)
        compiled = source.compile(tell)
        if recorded is not None:
            count = DEFAULT_PARTS if parts is None else parts
            subject = recorded_subject(compiled, recorded.hands, recorded.player, shown_only, count)
        elif exploited is not None and observed_games is not None:
            subject = watched_subject(compiled, exploited, observed_games, other, seed, tell)
        elif exploited is not None:
            subject = known_subject(compiled, exploited, tell)
        study = study_curve(
            compiled,
            find_equilibrium(source, tell).behaviours,
            subject,
            method,
            values,
            confidence=confidence,
            precision=precision,
            keep=save is not None,
            tell=tell,
        )
    if figure is not None:
        draw_curve(study, figure)
    if save is not None:
        save_strategy(save, study.strategies[0])
    if as_json:
        print_json(study, {"left_out": list(recorded.left_out) if recorded else []})
        return
    print_curve(study)
    for made, path in (("drawn to", figure), ("saved to", save)):
        if path is not None:
            click.echo(f"{made} {path}")
