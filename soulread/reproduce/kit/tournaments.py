"""The matches of a tournament as tasks: those of two are tasks of `matches`, those of more of `rings`.

So a tournament shares its matches with experiments, and whoever runs tasks runs tournaments.
"""

from collections.abc import Sequence

from soulread.play.match.judges import LuckRemoval
from soulread.reproduce.kit.matches import match_task
from soulread.reproduce.kit.rings import ring_task
from soulread.study.duels.tournament_rounds import TaskOf
from soulread.tasks import Task


def tournament_tasks(game: str, hands: int, seed: int, clock: float | None = None) -> TaskOf:
    """The function that gives the task of a match: the agents in the order of their seats, and its number.

    ``clock`` is the limit of a decision in seconds; without one agents are waited for.
    """

    def task_of(agents: Sequence[str], number: int, luck: LuckRemoval) -> Task:
        if len(agents) > 2:
            return ring_task(game, agents, hands, seed, number, clock=clock)
        aivat, worth = luck is LuckRemoval.AIVAT, luck is LuckRemoval.WORTH
        return match_task(game, agents, hands, seed, number, aivat=aivat, worth=worth, clock=clock)

    return task_of
