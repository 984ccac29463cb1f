"""Beliefs of agents whose model is a table: frequencies of public actions, ranges, gain and risk."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from soulread.games.poker import PokerView
from soulread.model.base import CardReader
from soulread.model.deviation.model import DeviationModel
from soulread.model.tabular import TabularModel
from soulread.play.agent import Belief, Frequency
from soulread.seqform.compile import SequenceGame
from soulread.seqform.public import public_tree
from soulread.seqform.strategy import Behaviours, plan_from_behaviour


def frequencies(
    game: SequenceGame, believed: Behaviours, equilibrium: Behaviours, model: TabularModel | None = None
) -> tuple[Frequency, ...]:
    """How often each public action is believed to be taken, and how often the equilibrium takes it.

    If ``model`` is a `DeviationModel`, the answer also says how often the opponent was seen at each history.
    Histories with only one action are left out.
    """
    found = []
    for seat, tree in enumerate(game.trees):
        public = public_tree(game, seat)
        rates = [
            public.frequencies(behaviour, plan_from_behaviour(tree, behaviour))
            for behaviour in (believed[seat], equilibrium[seat])
        ]
        counts = model.seat(seat).counts_ if isinstance(model, DeviationModel) else None
        for n in range(public.num_histories):
            cells = public.cells(n)
            if cells.stop - cells.start < 2:
                continue
            seen = None if counts is None else float(counts[cells].sum())
            for action, mine, theirs in zip(
                public.actions(n), rates[0][cells].tolist(), rates[1][cells].tolist(), strict=True
            ):
                found.append(Frequency(seat, public.labels[n], action, mine, theirs, seen))
    return tuple(found)


def belief(
    game: SequenceGame,
    believed: Behaviours,
    equilibrium: Behaviours,
    model: TabularModel,
    view: PokerView | None,
    expected: float | None = None,
    worst_case: float | None = None,
) -> Belief:
    """The belief of an agent that takes the opponent to play ``believed``; see `Belief` for the amounts."""
    told = frequencies(game, believed, equilibrium, model)
    return Belief(expected, worst_case, told, ranges(model, view))


def ranges(model: object, view: PokerView | None) -> Mapping[int, NDArray[np.float64]]:
    """By seat, how likely each holding of an opponent is in ``view``; empty if the model reads no cards."""
    if view is None or not isinstance(model, CardReader):
        return {}
    return {
        seat: model.holdings(view, seat)
        for seat, folded in enumerate(view.folded)
        if seat != view.seat and not folded
    }
