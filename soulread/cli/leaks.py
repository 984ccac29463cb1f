"""Players beside an equilibrium: `soulread leaks`, `charts`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from soulread.cli.common import (
    Computing,
    as_json,
    db_option,
    figure_option,
    open_store,
    print_json,
    progress,
    recorded_hands,
    room_option,
    say,
    seed_option,
    status,
)
from soulread.cli.hands import narrowing
from soulread.errors import SoulreadError

if TYPE_CHECKING:
    from soulread.hands.store import Query


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


@click.command(cls=Computing)
@click.argument("player", required=False)
@db_option
@narrowing
@click.option("--depth", type=float, help="Stack for a chart of push or fold, in big blinds.")
@click.option("--ante", type=float, default=0.0, show_default=True, help="Ante of each, in big blinds.")
@click.option("--small-blind", type=float, default=0.5, show_default=True, help="In big blinds.")
@click.option(
    "--dead", type=float, default=0.0, show_default=True, help="Chips of others in the pot, in big blinds."
)
@click.option(
    "--abstraction",
    help="Card abstraction of heads-up limit hold'em, or none to leave it out.  [default: 5-5-5-5]",
)
@figure_option
@as_json
def charts(
    player: str | None,
    db: str | None,
    narrow: "Query",
    depth: float | None,
    ante: float,
    small_blind: float,
    dead: float,
    abstraction: str | None,
    figure: Path | None,
    as_json: bool,
) -> None:
    """Charts of an equilibrium before the flop, alone or beside what a player does.

    With --depth it is the chart of push or fold: the small blind goes all-in or folds, the big blind calls
    or folds, everybody else has folded. It is exact for that game, which has no limps and no smaller raises.
    With PLAYER, a player of a store is set beside the equilibria that are known: push or fold where stacks
    are at most 15 big blinds, and heads-up limit hold'em in a card abstraction. For other games none is
    known, and the command says so.

    Examples: soulread charts --depth 10; soulread charts --depth 8 --ante 0.1 --figure push.svg;
    soulread charts Bob --db hands.db
    """
    from soulread.report.figures import verify_figure
    from soulread.seqform.source import parse_buckets
    from soulread.storage.files import verify_writable
    from soulread.study.baseline.charts import study_charts, study_push_fold
    from soulread.study.baseline.charts_terminal import print_charts, print_push_fold
    from soulread.study.players.hero import meant_player
    from soulread.study.strategies.leaks import DEFAULT_ABSTRACTION

    if (player is None) == (depth is None):
        raise SoulreadError("give either a player of a store or --depth, such as: soulread charts --depth 10")
    if depth is None:
        if figure is not None:
            raise SoulreadError("--figure is for the chart of --depth")
        assert player is not None
        cards = None if abstraction == "none" else parse_buckets(abstraction or DEFAULT_ABSTRACTION)
        with open_store(db) as store, status("counting", shown=not as_json) as tell:
            player, query = meant_player(store, player, narrow)
            beside = study_charts(store, player, query, cards=cards, tell=tell)
        if as_json:
            print_json(beside)
        else:
            print_charts(beside)
        return
    if figure is not None:
        verify_writable(figure, verify_figure(figure))
    chart = study_push_fold(depth, ante=ante, small_blind=small_blind, dead=dead)
    if figure is not None:
        chart.plot().save(figure)
    if as_json:
        print_json(chart)
    else:
        print_push_fold(chart)
        if figure is not None:
            say(f"drawn to {figure}")
