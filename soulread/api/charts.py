"""Charts of an equilibrium before the flop at the prompt."""

from datetime import datetime

from soulread.api.players import AnyStore, opened_store
from soulread.hands.store import Query
from soulread.seqform.source import parse_buckets
from soulread.study.baseline.charts import ChartStudy, PushFoldStudy, study_charts, study_push_fold
from soulread.study.strategies.leaks import DEFAULT_ABSTRACTION


def push_fold(
    stack: float, *, ante: float = 0.0, small_blind: float = 0.5, dead: float = 0.0
) -> PushFoldStudy:
    """Solve push or fold for the last two players before the flop; all amounts are in big blinds.

    ``stack`` is the shorter one before blinds and antes, ``ante`` that of each of the two, ``dead`` the chips
    of others in the pot. The result has how often each class of hands goes all-in or calls, and what that is
    worth more than a fold. It is exact for this game, which has no limps and no smaller raises.
    """
    return study_push_fold(stack, ante=ante, small_blind=small_blind, dead=dead)


def charts(
    store: AnyStore,
    player: str,
    *,
    room: str | None = None,
    abstraction: str | None = DEFAULT_ABSTRACTION,
    since: datetime | None = None,
    until: datetime | None = None,
) -> ChartStudy:
    """Set a player before the flop beside the equilibria that are known.

    These are push or fold, where stacks are at most 15 big blinds, and heads-up limit hold'em in a card
    ``abstraction``, which is solved unless it is kept; None leaves it out.
    """
    cards = None if abstraction is None else parse_buckets(abstraction)
    with opened_store(store) as opened:
        return study_charts(opened, player, Query(room=room, since=since, until=until), cards=cards)
