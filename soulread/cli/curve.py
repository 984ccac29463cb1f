"""Risk and reward of counter-strategies: `soulread curve`."""

from pathlib import Path

import click

from soulread.cli.common import as_json, print_json, status
from soulread.errors import SoulreadError


@click.command()
@click.argument("game")
@click.option("--opponent", required=True, help="Whom to exploit: an agent that plays from a table.")
@click.option("--method", default="rnr", show_default=True, help="rnr, dbr or mix.")
@click.option("--p", "ps", help="Values of p, or of P_max with dbr.  [default: 0,.5,.7,.8,.9,.93,.97,.99,1]")
@click.option("--observed-games", "-n", type=int, help="Learn the model from so many games, all cards seen.")
@click.option("--against", default="probe", show_default=True, help="Whom he plays meanwhile; or self.")
@click.option("--confidence", default="0-10", show_default=True, help="1-step, 10-step, 0-10 or curve:1.")
@click.option(
    "--precision", type=float, help="Of exploitability, in mb/g, chips/h where there is no small bet."
)
@click.option("--seed", default=0, show_default=True, help="Of the observed games.")
@click.option("--figure", type=click.Path(path_type=Path), help="Draw it to this file, .svg or .png.")
@as_json
def curve(
    game: str,
    opponent: str,
    method: str,
    ps: str | None,
    observed_games: int | None,
    against: str,
    confidence: str,
    precision: float | None,
    seed: int,
    figure: Path | None,
    as_json: bool,
) -> None:
    """What counter-strategies win from an opponent, and what they risk if he is not who he seems.

    For each p: winnings from the model of him, from him as he really plays, the loss in the worst case, and
    the gap to which that was solved. p is how far the model is trusted: 0 is an equilibrium, 1 a best
    response.

    Examples: soulread curve leduc --opponent loose; soulread curve limit:5-5-5-5 --opponent orange:5-5-5-5
    --method dbr --observed-games 1000000 --confidence 0-10 --p 0.5,0.9
    """
    from soulread.estimate import Unit
    from soulread.report.curves import draw_curve, print_curve, report_curve
    from soulread.respond.curves import PAPER_PS
    from soulread.solve.named import small_bet

    try:
        values = PAPER_PS if ps is None else tuple(float(word) for word in ps.split(","))
    except ValueError:
        raise SoulreadError(f"--p {ps!r}; expected numbers between commas, such as 0,0.5,1") from None
    bet = small_bet(game)
    if precision is not None:
        if not precision > 0:
            raise SoulreadError(f"--precision {precision!r}; it must be positive")
        precision = precision if bet is None else precision / Unit.MILLIBETS.per_chip(bet, bet)
    with status("solving", shown=not as_json) as tell:
        report = report_curve(
            game,
            opponent,
            method,
            values,
            observed_games=observed_games,
            against=against,
            confidence=confidence,
            precision=precision,
            seed=seed,
            tell=tell,
        )
    if figure is not None:
        draw_curve(report, figure)
    if as_json:
        print_json(report.as_dict())
        return
    print_curve(report)
    if figure is not None:
        click.echo(f"drawn to {figure}")
