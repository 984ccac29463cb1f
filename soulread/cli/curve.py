"""Risk and reward of counter-strategies: `soulread curve`."""

from pathlib import Path

import click

from soulread.cli.common import (
    Computing,
    as_json,
    figure_option,
    gap_in_chips,
    keep_report,
    output_option,
    print_json,
    recorded_hands,
    report_option,
    room_option,
    say,
    seed_option,
    status,
)
from soulread.errors import SoulreadError


@click.command(cls=Computing)
@click.argument("game")
@click.option("--opponent", help="Agent to exploit; it must play from a table.")
@click.option("--hands", "-n", type=int, help="Learn the model from so many hands, all cards seen.")
@click.option("--against", help="Agent that the opponent plays in those games; or self.  [default: probe]")
@seed_option()
@click.option("--data", type=click.Path(path_type=Path), help="Learn the model from a file of hands.")
@click.option("--db", help="Learn the model from a store of hands: a file, or postgresql://...")
@click.option("--player", help="Player of the file or store to exploit.")
@room_option
@click.option("--shown-only", is_flag=True, help="Use only those cards of the log that were shown down.")
@click.option(
    "--parts",
    type=int,
    help="Parts of the log, each held out once to value the answers.  [default: 2; 0: none]",
)
@click.option("--method", default="rnr", show_default=True, help="rnr, dbr or mix.")
@click.option(
    "--trust", help="Trust in the model, 0 to 1, between commas.  [default: 0,.5,.7,.8,.9,.93,.97,.99,1]"
)
@click.option(
    "--confidence", help="Of dbr, how trust grows: 1-step, 10-step, 0-10 or curve:1.  [default: 0-10]"
)
@click.option("--gap", help="Exploitability at which each solve ends: chips a hand, or mb/g as 1mb.")
@figure_option
@report_option
@output_option("Write the strategy to this file, for the agent file:PATH; needs a single trust.")
@as_json
def curve(
    game: str,
    opponent: str | None,
    hands: int | None,
    against: str | None,
    seed: int,
    data: Path | None,
    db: str | None,
    player: str | None,
    room: str | None,
    shown_only: bool,
    parts: int | None,
    method: str,
    trust: str | None,
    confidence: str | None,
    gap: str | None,
    figure: Path | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Compute what counter-strategies win from an opponent, and what they risk if the model is wrong.

    The opponent is an agent, or a player in recorded hands. Trust 0 is an equilibrium, 1 a best response;
    it is p of restricted Nash responses and P_max of data biased ones. For each trust the table has the
    winnings from the model, the winnings from the real opponent where that is known, the loss in the worst
    case, and the gap to which it was solved. For a log it also has the winnings from hands that the model
    had not seen.

    Examples: soulread curve leduc --opponent loose; soulread curve limit:5-5-5-5 --opponent orange:5-5-5-5
    --method dbr --hands 1000000 --confidence 0-10 --trust 0.5,0.9; soulread curve leduc --data match.log
    --player Bob --method dbr --trust 0.9 -o against-bob.safetensors
    """
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
    from soulread.study.strategies.curves_terminal import print_curve

    try:
        values = PAPER_PS if trust is None else tuple(float(word) for word in trust.split(","))
    except ValueError:
        raise SoulreadError(f"--trust {trust!r}; expected numbers between commas, such as 0,0.5,1") from None
    from_record = data is not None or db is not None
    if (opponent is None) != from_record:
        raise SoulreadError("give either an --opponent or a log of hands with --data or --db")
    if from_record and hands is not None:
        raise SoulreadError("--hands is for an agent that is watched, not for a log")
    if not from_record and (player is not None or room is not None or shown_only):
        raise SoulreadError(
            "--player, --room and --shown-only are for a log; an agent is watched with all its cards"
        )
    if not from_record and parts is not None:
        raise SoulreadError("--parts is for a log; an agent is known, and what is won from it is exact")
    if against is not None and hands is None:
        raise SoulreadError("--against is for an agent that is watched; say for how many --hands")
    if confidence is not None and method != "dbr":
        raise SoulreadError("--confidence is for --method dbr")
    confidence = confidence or DEFAULT_CONFIDENCE
    verify_method(method, confidence, observed=from_record or hands is not None)
    if figure is not None:
        verify_writable(figure, verify_figure(figure))
    if output is not None:
        if len(values) != 1:
            raise SoulreadError(f"--output needs one value of --trust, not {len(values)}")
        verify_writable(output, "strategy")
    source = poker_source(game)
    precision = gap_in_chips(gap, source.poker.rules.small_bet)
    if precision is not None and not precision > 0:
        raise SoulreadError(f"--gap {gap!r}; it must be positive")
    exploited = None if opponent is None else parse_agent(opponent)
    other = None if against == SELF else parse_agent(against or "probe")
    with status("solving", shown=not as_json) as tell:
        recorded = recorded_hands(data, db, player, source.poker, room)
        compiled = source.compile(tell)
        if recorded is not None:
            count = DEFAULT_PARTS if parts is None else parts
            subject = recorded_subject(compiled, recorded.hands, recorded.player, shown_only, count)
        elif exploited is not None and hands is not None:
            subject = watched_subject(compiled, exploited, hands, other, seed, tell)
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
            keep=output is not None,
            tell=tell,
        )
    if figure is not None:
        study.plot().save(figure)
    if output is not None:
        save_strategy(output, study.strategies[0])
    left_out = {"left_out": list(recorded.left_out) if recorded else []}
    keep_report(study, left_out, figure=study.plot)
    if as_json:
        print_json(study, left_out)
        return
    print_curve(study)
    for made, path in (("drawn to", figure), ("saved to", output)):
        if path is not None:
            say(f"{made} {path}")
