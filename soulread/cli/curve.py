"""Risk and reward of counter-strategies: `soulread curve`."""

from pathlib import Path

import click

from soulread.cli.common import as_json, print_json, read_log_of, status
from soulread.errors import SoulreadError


@click.command()
@click.argument("game")
@click.option("--opponent", help="Whom to exploit: an agent that plays from a table.")
@click.option("--observed-games", "-n", type=int, help="Learn the model from so many games, all cards seen.")
@click.option("--against", default="probe", show_default=True, help="Whom he plays meanwhile; or self.")
@click.option("--seed", default=0, show_default=True, help="Of the observed games.")
@click.option("--file", "-f", type=click.Path(path_type=Path), help="Learn the model from an ACPC match log.")
@click.option("--player", help="Whom to exploit, of those in the log.")
@click.option("--shown-only", is_flag=True, help="Of the log, use only cards that were shown down.")
@click.option("--method", default="rnr", show_default=True, help="rnr, dbr or mix.")
@click.option("--p", "ps", help="Values of p, or of P_max with dbr.  [default: 0,.5,.7,.8,.9,.93,.97,.99,1]")
@click.option("--confidence", default="0-10", show_default=True, help="1-step, 10-step, 0-10 or curve:1.")
@click.option(
    "--precision", type=float, help="Of exploitability, in mb/g, chips/h where there is no small bet."
)
@click.option("--figure", type=click.Path(path_type=Path), help="Draw it to this file, .svg or .png.")
@click.option(
    "--save",
    type=click.Path(path_type=Path),
    help="Write the strategy of the one p to this file; the agent file:PATH plays it.",
)
@as_json
def curve(
    game: str,
    opponent: str | None,
    observed_games: int | None,
    against: str,
    seed: int,
    file: Path | None,
    player: str | None,
    shown_only: bool,
    method: str,
    ps: str | None,
    confidence: str,
    precision: float | None,
    figure: Path | None,
    save: Path | None,
    as_json: bool,
) -> None:
    """What counter-strategies win from an opponent, and what they risk if he is not who he seems.

    For each p: winnings from the model of him, from him as he really plays where that is known, the loss in
    the worst case, and the gap to which that was solved. p is how far the model is trusted: 0 is an
    equilibrium, 1 a best response. The opponent is an agent, or a player in a match log.

    Examples: soulread curve leduc --opponent loose; soulread curve limit:5-5-5-5 --opponent orange:5-5-5-5
    --method dbr --observed-games 1000000 --confidence 0-10 --p 0.5,0.9; soulread curve leduc --file match.log
    --player Bob --method dbr --p 0.9 --save against-bob.safetensors
    """
    from soulread.estimate import Unit
    from soulread.report.curves import (
        draw_curve,
        known_subject,
        print_curve,
        recorded_subject,
        report_curve,
        verify_method,
        watched_subject,
    )
    from soulread.respond.curves import PAPER_PS
    from soulread.solve.files import save_strategy, verify_writable
    from soulread.solve.named import compile_playable, small_bet

    try:
        values = PAPER_PS if ps is None else tuple(float(word) for word in ps.split(","))
    except ValueError:
        raise SoulreadError(f"--p {ps!r}; expected numbers between commas, such as 0,0.5,1") from None
    if (opponent is None) == (file is None):
        raise SoulreadError("give either an --opponent or a log of his games with --file")
    if file is not None and observed_games is not None:
        raise SoulreadError("--observed-games is for an agent that is watched, not for a log")
    if file is None and (player is not None or shown_only):
        raise SoulreadError("--player and --shown-only are for a log; an agent is watched with all its cards")
    verify_method(method, confidence, observed=file is not None or observed_games is not None)
    if save is not None:
        if len(values) != 1:
            raise SoulreadError(f"--save needs one value of --p, not {len(values)}")
        verify_writable(save)
    bet = small_bet(game)
    if precision is not None:
        if not precision > 0:
            raise SoulreadError(f"--precision {precision!r}; it must be positive")
        precision = precision if bet is None else precision / Unit.MILLIBETS.per_chip(bet, bet)
    with status("solving", shown=not as_json) as tell:
        playable = compile_playable(game, tell)
        if file is not None:
            log = read_log_of(file, player, playable.poker)
            subject = recorded_subject(playable, log.hands, str(player), shown_only)
        elif observed_games is not None:
            subject = watched_subject(playable, str(opponent), observed_games, against, seed, tell)
        else:
            subject = known_subject(playable, str(opponent), tell)
        report = report_curve(
            game,
            playable,
            subject,
            method,
            values,
            confidence=confidence,
            precision=precision,
            keep=save is not None,
            tell=tell,
        )
    if figure is not None:
        draw_curve(report, figure)
    if save is not None:
        save_strategy(save, report.strategies[0])
    if as_json:
        print_json(report.as_dict())
        return
    print_curve(report)
    for made, path in (("drawn to", figure), ("saved to", save)):
        if path is not None:
            click.echo(f"{made} {path}")
