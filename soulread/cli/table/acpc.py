"""Playing at a dealer's table: `soulread acpc`."""

from contextlib import ExitStack
from pathlib import Path

import click

from soulread.cli.common import (
    Computing,
    Interrupted,
    as_json,
    output_option,
    print_json,
    remember_option,
    say,
    seed_option,
    status,
)


@click.command(cls=Computing)
@click.argument("host")
@click.argument("port", type=click.IntRange(1, 65535))
@click.option("--game", "-g", required=True, help="The dealer's .game file, or a game by name.")
@click.option("--agent", "-a", required=True, help="Who plays: an agent, or human.")
@click.option("--per-decision", default=5.0, show_default=True, help="Seconds for a decision.")
@click.option("--per-hand", default=7.0, show_default=True, help="Seconds for all decisions of a hand.")
@click.option(
    "--wait",
    default=5.0,
    show_default=True,
    type=click.FloatRange(0, 1e6),
    help="Seconds to try for, if no dealer listens yet.",
)
@seed_option()
@remember_option
@click.option(
    "--opponent",
    "opponents",
    multiple=True,
    metavar="NAME",
    help="With --remember, who the opponent is; once for each, clockwise from our seat.",
)
@output_option("Write the hands, as our seat saw them, to this file, an ACPC log.")
@as_json
def acpc(
    host: str,
    port: int,
    game: str,
    agent: str,
    per_decision: float,
    per_hand: float,
    wait: float,
    seed: int,
    remember: str | None,
    opponents: tuple[str, ...],
    output: Path | None,
    as_json: bool,
) -> None:
    """Play at the table of an ACPC dealer, at PORT of HOST, until the dealer hangs up.

    The protocol is version 2.0.0. Every decision is made in time: while the agent learns for longer than
    that, or after it failed, its last good answer is played, or else the equilibrium, and a line says so. A
    match may begin at any hand, so a dealer that was resumed is no surprise. `soulread dealer` is a dealer of
    ours. It may be started after the player, who tries again for --wait seconds. The protocol tells nobody's
    name, so --remember needs --opponent.

    Examples: soulread acpc localhost 18791 --game leduc.limit.2p.game --agent soul;
    soulread acpc localhost 18791 --game leduc --agent soul --remember opponents.db --opponent Bob
    """
    import time

    from soulread.cli.table.common import (
        agent_at_table,
        game_at_table,
        human_at_table,
        memory_at_table,
        nothing_to_collect,
        opponents_at_table,
    )
    from soulread.notices import tell as notice
    from soulread.play.agent import Agent
    from soulread.play.table.hand_notes import HandNotes
    from soulread.play.table.human import LeftTable
    from soulread.play.table.seated import Record, SeatedAgent
    from soulread.serve.playing import connect, play
    from soulread.words import plural

    table = game_at_table(game)
    named = opponents_at_table(table.game, remember, opponents)
    with ExitStack() as stack:
        notes = stack.enter_context(HandNotes(output, f"soulread acpc {game} {agent} --seed {seed}"))
        made: Agent
        record: Record | None = notes.add if output is not None else None
        if agent == "human":
            made, record = human_at_table("you", table.game)
        else:
            with status("making the agent", shown=not as_json) as tell:
                made = agent_at_table(agent, table.game, per_decision, per_hand, notes.remark, tell)
            if hasattr(made, "close"):
                stack.callback(made.close)
        memory = None
        if remember is not None:
            with status("remembering", shown=not as_json and agent != "human"):
                memory = memory_at_table(remember, table.game, made, named, stack, remark=notes.remark)
        player = SeatedAgent(
            table.game,
            made,
            seed,
            record=record,
            remark=notes.odd_line,
            clock=time.monotonic,
            memory=memory,
        )
        interrupted = False
        with nothing_to_collect(), status("playing", shown=not as_json and agent != "human"):
            try:
                end = play(connect(host, port, wait), player)
            except LeftTable:
                end = "you have left the table"
            except KeyboardInterrupt:
                interrupted, end = True, "interrupted"
    won = player.won * table.scale
    stand_ins = dict(getattr(made, "stand_ins", {}))
    if as_json:
        print_json(
            {
                "agent": agent,
                "hands": player.hands,
                "won": float(won),
                "ignored": player.ignored,
                "times": player.times,
                "stand_ins": stand_ins,
                "remembered": None if memory is None else memory.by_name,
                "end": end,
            }
        )
        if interrupted:
            raise Interrupted(end)
        return
    if player.ignored and not player.hands:
        notice(f"no line of the dealer was a state of {table.game.name!r}; is it another game?")
    if memory is not None:
        say(memory.sentence)
    say(f"{plural(player.hands, 'hand')}, won {won} chip{'s' if abs(won) != 1 else ''}; {player.times.text}")
    for why, count in stand_ins.items():
        say(f"something stood in {plural(count, 'time')}: {why}")
    if interrupted:
        raise Interrupted(end)
    say(end)
