"""Matches of a player against each opponent of the zoo."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.estimate import Unit
from soulread.games.poker import PokerGame
from soulread.play.catalogue.entry import AgentSpec
from soulread.play.match.matches import MatchResult, Progress, play_matches
from soulread.play.opponents.zoo import FAMILIES, ROLES, ZooOpponent, absent, zoo
from soulread.report.shown import ShownTable
from soulread.seqform.source import Tell
from soulread.words import plural


@dataclass(frozen=True, repr=False)
class ZooStudy(ShownTable):
    """Opponents of a game's zoo; ``absent`` says of each family without any why that is so."""

    TABLE = "opponents"

    game: str
    opponents: tuple[ZooOpponent, ...]
    absent: dict[str, str]

    JSON = keys("game opponents", families="_families")

    def summary(self) -> str:
        """Return the game and the number of opponents."""
        return f"{self.game}, {plural(len(self.opponents), 'opponent')}"

    @property
    def _families(self) -> dict[str, dict[str, Any]]:
        about = {family.name: family.about for family in FAMILIES}
        shown = dict.fromkeys([*(opponent.family for opponent in self.opponents), *self.absent])
        return {
            name: {"about": about[name], "absent": self.absent.get(name), **self.counts(name)}
            for name in shown
        }

    def counts(self, family: str) -> dict[str, int]:
        """By role, how many opponents of a family there are."""
        return {
            role: sum((opponent.family, opponent.role) == (family, role) for opponent in self.opponents)
            for role in ROLES
        }


def list_zoo(game: PokerGame, role: str | None = None, family: str | None = None) -> ZooStudy:
    """The opponents of a game, all of them or those of a role or a family. Nothing is solved."""
    found = zoo(game, role, family)
    missing = {name: why for name, why in absent(game).items() if family in (None, name)}
    return ZooStudy(game.name, tuple(found), missing)


@dataclass(frozen=True)
class Meeting:
    """A match of a player, the first agent of the result, against an opponent of the zoo."""

    opponent: ZooOpponent
    result: MatchResult

    JSON = keys(
        "*opponent",
        won=lambda meeting: meeting.result.estimate(0, Unit.MILLIBETS),
        aivat=lambda meeting: meeting.result.estimate_less_luck(Unit.MILLIBETS),
        unit=lambda _: Unit.MILLIBETS,
        sample="result.sample",
    )


@dataclass(frozen=True, repr=False)
class Meetings(ShownTable):
    """The winnings of one agent from each opponent that it met."""

    agent: str
    meetings: tuple[Meeting, ...]

    def summary(self) -> str:
        """Return who played and against how many."""
        return f"{self.agent} against {plural(len(self.meetings), 'opponent')}"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each opponent, with what was won in mb/g."""
        rows = []
        for meeting in self.meetings:
            won = meeting.result.estimate(0, Unit.MILLIBETS)
            found = {"opponent": meeting.opponent.agent, "family": meeting.opponent.family}
            rows.append({**found, "mb/g": won.mean, "± mb/g": won.half_width, "n": won.n})
        return rows


def meet(
    game: PokerGame,
    player: AgentSpec,
    opponents: Sequence[tuple[ZooOpponent, AgentSpec]],
    hands: int,
    *,
    seed: int = 0,
    aivat: bool = False,
    progress: Progress | None = None,
    tell: Tell | None = None,
) -> Iterator[Meeting]:
    """Let a player meet each of the opponents in a duplicate match of ``hands`` hands, one after the other.

    An opponent comes with the agent that its text names. All matches have the same cards. ``progress`` and
    ``tell`` are those of `play_matches`.
    """
    if not opponents:
        raise SoulreadError("there is nobody to meet")
    for opponent, spec in opponents:
        agents = player, spec
        result = play_matches(
            game, agents, hands, duplicate=True, seed=seed, aivat=aivat, progress=progress, tell=tell
        )
        yield Meeting(opponent, result)
