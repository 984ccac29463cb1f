"""Players and their hands at the prompt."""

from collections.abc import Iterable

from soulread.api.given import AnyAgent, AnyGame, agent_of, hands_of, source_of
from soulread.api.play import watch
from soulread.errors import SoulreadError
from soulread.hands.hand import Hand
from soulread.study.strategies.leaks import LeakStudy, find_leaks


def leaks(
    game: AnyGame,
    of: AnyAgent | Iterable[Hand],
    player: str | None = None,
    *,
    hands: int = 5000,
    seed: int = 0,
    min_opportunities: float = 10.0,
) -> LeakStudy:
    """Where a player deviates from equilibrium and what that is worth.

    ``of`` is an agent, which is watched for ``hands`` hands by the equilibrium, its opponent. Or it is
    recorded hands, and ``player`` says whose leaks are wanted.
    """
    source = source_of(game)
    seen = hands_of(of)
    if seen is None:
        cards = source.name.removeprefix(source.poker.name)
        watched = agent_of(of)
        seen = watch(source, watched, f"equilibrium{cards}", hands, seed, spectator=False)
        player = watched.text
    elif player is None:
        raise SoulreadError("recorded hands have several players; say whose leaks are wanted")
    return find_leaks(source, seen, player, min_opportunities)
