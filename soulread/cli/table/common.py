"""The common part of the commands at a table: games, players, how a match ended."""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from soulread.games.poker import PokerGame
    from soulread.hands.formats.gamedef import TableGame
    from soulread.hands.hand import Hand
    from soulread.play.agent import Agent
    from soulread.play.memory import Memory, SeatMemory
    from soulread.play.table.human import HumanPlayer


@contextmanager
def nothing_to_collect() -> Iterator[None]:
    """While a match goes on, the collector of garbage passes over all that was there before.

    Else it looks through all of it in the middle of the match, which takes a twentieth of a second.
    """
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def game_at_table(text: str) -> "TableGame":
    """The game that a text names: a ``.game`` file, or one of ours."""
    from soulread.games.named import parse_game
    from soulread.hands.formats.gamedef import TableGame, read_definition

    if text.endswith(".game") or Path(text).is_file():
        return read_definition(text)
    return TableGame(parse_game(text))


def agent_at_table(
    text: str,
    game: "PokerGame",
    decision: float,
    hand: float,
    remark: Callable[[str], None],
    tell: Callable[[str], None],
) -> "Agent":
    """The agent that a text names; one that may think for long is held to its limits, in seconds."""
    from soulread.play.catalogue.known import parse_agent
    from soulread.play.table.punctual import seat_in_time

    return seat_in_time(parse_agent(text), game, decision, hand, remark, tell)


def human_at_table(name: str, game: "PokerGame") -> "tuple[HumanPlayer, Callable[[Hand], None]]":
    """A person at this terminal, on standard error, and a function that shows how a hand ended."""
    import click

    from soulread.cli.common import say
    from soulread.play.table.human import HumanPlayer

    def ask(prompt: str) -> str:
        try:
            return str(click.prompt(prompt, prompt_suffix=" ", default="", show_default=False, err=True))
        except click.Abort:
            return "q"

    player = HumanPlayer(name, game, ask, lambda text: say(text, err=True), heads=True)
    return player, player.show_end


def opponents_at_table(game: "PokerGame", remember: str | None, names: Sequence[str]) -> Sequence[str]:
    """The names of ``--opponent``, verified: one for each opponent, if there is a memory, and else none."""
    from soulread.errors import SoulreadError
    from soulread.words import plural

    if remember is None and names:
        raise SoulreadError(f"--opponent {names[0]!r} is for --remember FILE")
    if remember is not None and len(names) != game.num_players - 1:
        raise SoulreadError(
            f"--remember needs {plural(game.num_players - 1, 'name')} with --opponent in {game.name!r}, "
            f"clockwise from our seat; {len(names)} came"
        )
    return names


def memory_at_table(
    memory: "str | Memory",
    game: "PokerGame",
    agent: "Agent",
    opponents: Sequence[str],
    stack: ExitStack,
    *,
    seed: int | None = None,
    place: int = 0,
    remark: Callable[[str], None],
) -> "SeatMemory":
    """The memory of an agent's seat, which has begun; ``opponents`` are their names, clockwise.

    ``seed`` is that of the cards, if we deal; ``place`` tells our seats apart.
    """
    from soulread.errors import SoulreadError
    from soulread.play.memory import Memory, mark_of, remembers
    from soulread.play.table.seated import table_labels

    if not remembers(agent):
        raise SoulreadError(f"{agent.name!r} does not learn, so it remembers nothing")
    if not isinstance(memory, Memory):
        memory = stack.enter_context(Memory.open(memory))
    own, *others = table_labels(game, agent)
    labels = dict(zip(others, opponents, strict=True))
    mark = None if seed is None else mark_of(game, seed)
    seat = memory.seat(game, own, labels, mark, f"0.{place}", remark)
    seat.begin(agent)
    getattr(agent, "settle", lambda: None)()
    return seat
