"""Yardsticks: the equilibrium of a game, the coach who measures decisions by it, and what takes luck off.

Small games are solved exactly when they are first needed. The equilibrium of limit hold'em comes from the
cache; if it is not there, `prepare` puts it there, as a job, and until then there is no yardstick.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from soulread.games.poker import PokerGame
from soulread.hands.hand import Hand
from soulread.hands.record import decisions
from soulread.play.catalogue.entry import AgentSpec, where_tables_reach
from soulread.play.match.aivat import VALUED, Aivat
from soulread.play.table.punctual import CARDS, source_beside
from soulread.processes import tell_owner
from soulread.seqform.abstract import has_abstraction
from soulread.seqform.source import Source, parse_buckets, parse_source, with_cards
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.equilibria import equilibrium_path, find_equilibrium
from soulread.solvers.real_cards.valuation import find_valuation
from soulread.study.duels.coach import Coach, PlayedAgent
from soulread.study.seat.choices import HandReview, reviewed_by_coach
from soulread.study.seat.own_range import action_group
from soulread.study.seat.running import unit_of


@dataclass(frozen=True, eq=False)
class Yardstick:
    """What decisions are measured by in a game that has tables."""

    source: Source
    equilibrium: TabularStrategy
    coach: Coach

    @cached_property
    def aivat(self) -> Aivat:
        """Takes luck off results."""
        return Aivat(find_valuation(_valued(self.source)))

    def review(self, hand: Hand, player: str, played: tuple[PlayedAgent, ...] = ()) -> HandReview:
        """The decisions of a player against the equilibrium, and against the only opponent as it played."""
        game, seat = self.coach.poker, hand.seat_of(player)
        agent = played[0] if len(played) == 1 else None
        coached = self.coach.review(hand, player, agent)
        every = enumerate(decisions(game, hand.actions, hand.board, hand.hole))
        points = [(number, state.view(seat)) for number, (state, _) in every if state.player == seat]
        reviewed = []
        for one, (number, view) in zip(coached.decisions, points, strict=True):
            kinds = [action_group(view, action)[0] for action in view.legal]
            if len(kinds) > 1:
                reviewed.append(reviewed_by_coach(one, number, view.pot, kinds, coached.agent))
        unit = unit_of(game).value
        return HandReview(coached.id, tuple(reviewed), coached.agent, coached.remark, unit)


def source_at_table(game: PokerGame, specs: list[AgentSpec]) -> Source | None:
    """The game whose equilibrium is the yardstick of a table; None if there is none."""
    if where_tables_reach(game) is not None:
        return None
    return source_beside(specs[0], game)


def source_of_game(game: PokerGame) -> Source | None:
    """The same without agents."""
    if where_tables_reach(game) is not None:
        return None
    return with_cards(game, parse_buckets(CARDS)) if has_abstraction(game) else Source(game)


def is_prepared(source: Source) -> bool:
    """Whether the yardstick is there at once."""
    return source.cards is None or equilibrium_path(source).exists()


@lru_cache(maxsize=8)
def yardstick_of(source: Source) -> Yardstick:
    """The yardstick of a game; it is made if it is not there."""
    compiled, equilibrium = source.compile(), find_equilibrium(source)
    return Yardstick(source, equilibrium, Coach(source.poker, compiled, equilibrium))


def prepare(arguments: dict[str, Any]) -> dict[str, str]:
    """A job: put the equilibrium of a game, and what takes luck off its hands, into the cache."""
    source = parse_source(arguments["source"])

    def tell(text: str) -> None:
        tell_owner({"told": text})

    source.compile(tell)
    find_equilibrium(source, tell)
    find_valuation(_valued(source), tell)
    return {"source": source.name}


def _valued(source: Source) -> Source:
    """The game whose equilibrium says what hands are worth, when luck is taken off."""
    return source if source.cards is None else with_cards(source.poker, parse_buckets(VALUED))
