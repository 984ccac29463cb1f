"""Who can play what: for the form of a new table."""

from functools import lru_cache

from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.play.catalogue.known import AGENTS, parse_agent
from soulread.play.match.matches import distinct_names
from soulread.play.table.dealing import MatchTerms
from soulread.serve.web.rooms.seats import agents_of_page, game_of_page
from soulread.serve.web.rooms.seen import title_of
from soulread.serve.web.sights import AgentSight

SAMPLES = {
    "kuhn": "kuhn",
    "leduc": "leduc",
    "limit": "limit",
    "ring": "ring-limit:4",
    "nolimit": "nolimit",
    "nolimit-ring": "nolimit:players=4",
}
"""A game of each kind that the form offers."""


@lru_cache(maxsize=1)
def agents() -> tuple[AgentSight, ...]:
    """The agents of the catalogue, and the kinds of game at which each can sit as it stands."""
    found = []
    for name, entry in AGENTS.items():
        kinds = [kind for kind, game in SAMPLES.items() if _can_sit(name, game)]
        if kinds:
            found.append(AgentSight(name, entry.about, tuple(kinds), entry.examples))
    return tuple(found)


def _can_sit(name: str, game: str) -> bool:
    try:
        return parse_agent(name).entry.refuses(parse_game(game)) is None
    except SoulreadError:
        return False


def verify(game: str, agents: list[str], name: str) -> tuple[str, str]:
    """Raise unless such a table can be made; the game's name as we write it, and its title."""
    made = game_of_page(game)
    specs = agents_of_page(agents, made)
    MatchTerms(made, (name, *distinct_names([spec.text for spec in specs])), 1, 0)
    return made.name, title_of(made)
