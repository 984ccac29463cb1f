"""Charts before the flop: those of push or fold for given stakes, and a player's play beside an equilibrium.

Two equilibria are known here: that of push or fold with short stacks (`soulread.solvers.push_fold`), and that
of heads-up limit hold'em in a card abstraction (`soulread.study.baseline.limit_charts`). For no-limit tables
with deep stacks none is known, and nothing is compared: `docs/methods/baseline.md` says why.
"""

from dataclasses import dataclass, replace

import numpy as np

from soulread.cards.ranges import CELL_SIZES, class_name
from soulread.encoding import keys
from soulread.games.limit_holdem import limit_holdem
from soulread.hands.store import EVERYTHING, Query, Store
from soulread.report.figures import GridFigure
from soulread.report.shown import ShownTable
from soulread.seqform.source import Buckets, Tell
from soulread.solvers.push_fold import Classes, PushFold, PushFoldRules, solve_push_fold
from soulread.study.baseline.habits import Habit, judge
from soulread.study.baseline.limit_charts import LimitChartStudy, study_limit_charts
from soulread.study.baseline.short_stacks import ShortStackStudy, study_short_stacks
from soulread.study.hands.of_player import by_the_rules

NO_EQUILIBRIUM = (
    "No equilibrium is known for the games of this player here: push or fold needs stacks of at most 15 big "
    "blinds with one opponent left, and heads-up limit hold'em is the other game that is solved. The player "
    "is compared with the pool only."
)
ELSEWHERE = (
    "For this player's other hands of no-limit hold'em no equilibrium is known; they are compared with the "
    "pool only."
)
RESTRICTED = (
    "All-in or fold, then call or fold: no limps and no smaller raises. It is the equilibrium of this "
    "restricted game, exact over all 169 classes of hands with card removal; how much the restriction costs "
    "is not known."
)
GOING, FOLDING = (208, 84, 68), (199, 204, 212)  # red, green and blue of 255


@dataclass(frozen=True, eq=False, repr=False)
class PushFoldStudy(ShownTable):
    """The chart of push or fold for given stakes."""

    LINE = "{it.rules.name}: push {it.solved.push_rate:.1%}, call {it.solved.call_rate:.1%}"
    TABLE = "hands"

    solved: PushFold

    JSON = keys(
        "hands",
        stack="rules.stack",
        small_blind="rules.small_blind",
        ante="rules.ante",
        dead="rules.dead",
        push_rate="solved.push_rate",
        call_rate="solved.call_rate",
        value="solved.value",
        exploitability="solved.solution.gap",
    )

    @property
    def rules(self) -> PushFoldRules:
        """The stakes."""
        return self.solved.rules

    @property
    def hands(self) -> list[dict[str, float | str]]:
        """Every class of hands: how often it goes, and what that is worth more than a fold, big blinds."""
        solved = self.solved
        return [
            {
                "hand": class_name(cell),
                "push": float(solved.push[cell]),
                "push_gain": float(solved.push_gain[cell]),
                "call": float(solved.call[cell]),
                "call_gain": float(solved.call_gain[cell]),
            }
            for cell in range(CELL_SIZES.size)
        ]

    def plot(self) -> GridFigure:
        """Return the grid of the small blind's all-ins."""
        return self.figure("push")

    def figure(self, which: str) -> GridFigure:
        """The grid of one player: ``which`` is "push" or "call"."""
        pushing = which == "push"
        going: Classes = self.solved.push if pushing else self.solved.call
        rate = self.solved.push_rate if pushing else self.solved.call_rate
        word = "all-in" if pushing else "call"
        who = "the small blind's all-in" if pushing else "the big blind's call of an all-in"
        return GridFigure(
            which,
            f"{self.rules.name}: {who}",
            tuple(class_name(cell) for cell in range(CELL_SIZES.size)),
            np.array([going, 1 - going]),
            np.ones(CELL_SIZES.size),
            tuple((red / 255, green / 255, blue / 255) for red, green, blue in (GOING, FOLDING)),
            (f"{word} {rate:.1%}", f"fold {1 - rate:.1%}"),
        )


def study_push_fold(
    stack: float, *, ante: float = 0.0, small_blind: float = 0.5, dead: float = 0.0
) -> PushFoldStudy:
    """The chart of push or fold; all amounts in big blinds, the stack before blinds and antes.

    ``ante`` is of each of the two players, and ``dead`` are the chips of others in the pot.
    """
    return PushFoldStudy(solve_push_fold(PushFoldRules(stack, small_blind, ante, dead)))


@dataclass(frozen=True, eq=False, repr=False)
class ChartStudy(ShownTable):
    """A player beside the equilibria that are known for the player's games."""

    LINE = "{it.player} beside the equilibrium: {it.num_sure} of {it.num_habits} surely off"
    TABLE = "habits"

    player: str
    short: ShortStackStudy | None
    limit: LimitChartStudy | None

    JSON = keys("player habits short limit note")

    @property
    def habits(self) -> tuple[Habit, ...]:
        """Everything that was compared."""
        return tuple(habit for part in (self.short, self.limit) if part is not None for habit in part.habits)

    @property
    def num_habits(self) -> int:
        """The number of frequencies compared."""
        return len(self.habits)

    @property
    def num_sure(self) -> int:
        """How many of them surely differ."""
        return sum(habit.sure for habit in self.habits)

    @property
    def note(self) -> str:
        """Why nothing is compared; empty if something is."""
        return "" if self.habits else NO_EQUILIBRIUM


def study_charts(
    store: Store,
    player: str,
    query: Query = EVERYTHING,
    *,
    cards: Buckets | None = None,
    tell: Tell | None = None,
) -> ChartStudy:
    """A player of a store beside the equilibria that are known.

    ``cards`` is the card abstraction of heads-up limit hold'em, whose equilibrium is solved unless it is
    kept; None leaves that game out.
    """
    store.player(player, query.room)
    short = study_short_stacks(store, player, query)
    limit = None
    if cards is not None:
        own = replace(query, player=player)
        variant = limit_holdem().rules.variant
        kinds = {kind for kind, found in store.kinds.items() if found.variant == variant}
        if kinds:
            pairs = {
                number: hand
                for number, hand in store.find(own)
                if hand.variant == variant and hand.num_players == 2
            }
            kept = {id(hand) for hand in by_the_rules(pairs.values(), limit_holdem())}
            hands = {number: hand for number, hand in pairs.items() if id(hand) in kept}
            limit = study_limit_charts(hands, player, cards, tell) if hands else None
    return _judged(ChartStudy(player, short, limit))


def _judged(study: ChartStudy) -> ChartStudy:
    """The study with every habit told whether it is surely off; all are tested together."""
    told = iter(judge(study.habits))
    short = study.short and replace(study.short, habits=tuple(next(told) for _ in study.short.habits))
    limit = study.limit and replace(study.limit, habits=tuple(next(told) for _ in study.limit.habits))
    return replace(study, short=short, limit=limit)
