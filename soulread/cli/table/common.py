"""The common part of the commands at a table: games, players, how a match ended."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from soulread.games.poker import PokerGame
    from soulread.hands.formats.gamedef import TableGame
    from soulread.hands.hand import Hand
    from soulread.play.agent import Agent
    from soulread.play.table.human import HumanPlayer


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
    from soulread.play.table.punctual import PunctualAgent, is_prompt

    spec = parse_agent(text)
    if is_prompt(spec):
        return spec.make(game, tell)
    return PunctualAgent(spec, game, decision, hand, remark, tell)


def human_at_table(name: str) -> "tuple[HumanPlayer, Callable[[Hand], None]]":
    """A person at this terminal, and a function that shows how a hand ended."""
    import click

    from soulread.cli.common import say
    from soulread.play.table.human import HumanPlayer

    def ask(prompt: str) -> str:
        try:
            return str(click.prompt(prompt, prompt_suffix=" ", default="", show_default=False, err=True))
        except click.Abort:
            return "q"

    player = HumanPlayer(name, ask, lambda text: say(text, err=True))
    return player, player.show_end
