"""Coaching: `soulread leaks`."""

from pathlib import Path

import click

from soulread.cli.common import (
    Computing,
    as_json,
    print_json,
    progress,
    recorded_hands,
    room_option,
    seed_option,
)
from soulread.errors import SoulreadError


@click.command(cls=Computing)
@click.argument("game")
@click.argument("agent", required=False)
@click.option("--against", help="Agent it plays against while it is watched.  [default: equilibrium]")
@click.option("--hands", "-n", default=5000, show_default=True, help="Hands for which it is watched.")
@seed_option()
@click.option("--data", type=click.Path(path_type=Path), help="Take the hands from a file of any format.")
@click.option("--db", help="Take the hands from a store: a file, or postgresql://...")
@click.option("--player", help="Player of the file or store whose leaks are wanted.")
@room_option
@click.option("--abstraction", help="Card abstraction of limit hold'em.  [default: 5-5-5-5]")
@click.option("--top", default=15, show_default=True, help="How many leaks to show.")
@click.option("--min-chances", default=10, show_default=True, help="Chances a leak must have had.")
@as_json
def leaks(
    game: str,
    agent: str | None,
    against: str | None,
    hands: int,
    seed: int,
    data: Path | None,
    db: str | None,
    player: str | None,
    room: str | None,
    abstraction: str | None,
    top: int,
    min_chances: int,
    as_json: bool,
) -> None:
    """Where a player deviates from equilibrium, and what that is worth.

    Watches AGENT play GAME, or reads the hands of a player from a file of any format, such as a log that
    `soulread duel -o` writes, or from a store that `soulread import` fills.
    The player's cards are not used; those of the player's opponent are, where they are known. For each leak
    the table has: how often the player does it (n, and the 95% interval of the frequency), how often the
    equilibrium does it in the same hands, the chances per 100 hands in that seat, what the leak is worth, and
    what it is surely worth. Of the leaks called sure, at most 5% are expected to be chance.

    Examples: soulread leaks leduc loose; soulread leaks limit always-call --abstraction 5-5-5-5:quick;
    soulread leaks limit --data match.log --player Bob
    """
    from dataclasses import replace

    from soulread.games.named import parse_game
    from soulread.names import source_for
    from soulread.play.catalogue.known import parse_agent
    from soulread.study.strategies.leaks import DEFAULT_ABSTRACTION, find_leaks, watched_leaks
    from soulread.study.strategies.leaks_terminal import print_leaks

    rules = parse_game(game)
    source = source_for(rules, abstraction, DEFAULT_ABSTRACTION)
    if (agent is None) == (data is None and db is None):
        raise SoulreadError("give either an agent to watch or a log to read with --data or --db")
    if top < 1:
        raise SoulreadError(f"--top {top}; at least one leak is shown")
    if rules.num_players != 2:
        raise SoulreadError(f"{game!r} has {rules.num_players} players; leaks are found in games of 2")
    if agent is None and against is not None:
        raise SoulreadError("--against is for an agent that is watched, not for a log")
    recorded = recorded_hands(data, db, player, rules, room)
    if recorded is None and (player is not None or room is not None):
        raise SoulreadError("--player and --room are for a log; an agent that is watched has its own name")
    with progress("watching", hands, shown=not as_json) as (advance, tell):
        if recorded is not None:
            study = find_leaks(source, recorded.hands, recorded.player, min_chances, tell)
        else:
            cards = source.name.removeprefix(source.poker.name)
            agents = parse_agent(str(agent)), parse_agent(against or f"equilibrium{cards}")
            study = watched_leaks(source, agents, hands, seed, min_chances, advance, tell)
    study = replace(study, top=top)
    if as_json:
        print_json(study, {"left_out": list(recorded.left_out) if recorded else []})
        return
    print_leaks(study)
