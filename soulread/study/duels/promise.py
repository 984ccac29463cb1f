"""Promises of agents beside their results, and the log-loss of their models.

The promise of a hand is what the agent expected to win in it beyond the value of the game, if its model was
right. A promise above the result means that the model is wrong, or that the opponent has changed.
"""

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.estimate import Estimate, Sampling, Unit
from soulread.play.agent import Belief, RealCards
from soulread.play.match.matches import MatchResult
from soulread.play.match.promise import FLOOR, Notes

PARTS = 10  # into which the hands of a match are cut, one after the other

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MatchPart:
    """Promise and result of some hands, in mb/g beyond the value of the game.

    ``less_luck`` is by AIVAT; None if that was not asked for.
    """

    first: int  # number of the first hand, from 1 up
    last: int
    promised: float
    won: Estimate
    less_luck: Estimate | None

    JSON = keys("first last promised won", aivat="less_luck")

    @property
    def best(self) -> Estimate:
        """The result, without luck where that is known."""
        return self.won if self.less_luck is None else self.less_luck


@dataclass(frozen=True)
class Foresight:
    """Log-loss of a model and of the equilibrium in nats per question, and the difference: less is better."""

    questions: int
    model: Estimate
    equilibrium: Estimate
    difference: Estimate  # model less equilibrium: below zero if the model foresees more


@dataclass(frozen=True)
class PromiseStudy:
    """One agent of a duel: its promise against its result. Amounts in mb/g beyond the value of the game.

    ``kept`` is what it won less what it promised, over all hands; ``kept_when_promised`` over the hands in
    which it promised anything, None if there were none. Both are without luck where that is known.
    ``actions`` and ``cards`` are None if the opponent never acted, or never showed.
    """

    game: str
    agent: str
    opponent: str
    sample: str
    whole: MatchPart
    parts: tuple[MatchPart, ...]
    kept: Estimate
    kept_when_promised: Estimate | None
    promising: float  # share of hands in which anything was promised
    actions: Foresight | None
    cards: Foresight | None
    real_cards: tuple[RealCards, ...]  # mb/g: how a local best response fared, at the end of the last match

    JSON = keys(
        "*whole agent opponent sample kept kept_when_promised promising actions cards real_cards parts",
        unit=lambda _: Unit.MILLIBETS,
        floor=lambda _: FLOOR,
    )


def explain(result: MatchResult) -> tuple[PromiseStudy, ...]:
    """A study of each agent that answers a model; the result is of `play_matches` with ``explain=True``."""
    if not result.notes:
        raise SoulreadError("no notes were taken of what the agents promised; play with explain=True")
    return tuple(
        _study(result, agent, notes) for agent, notes in enumerate(result.notes) if notes is not None
    )


def _study(result: MatchResult, agent: int, notes: Notes) -> PromiseStudy:
    scale = Unit.MILLIBETS.per_chip(result.stakes.small_bet, result.stakes.big_blind)
    promised = notes.expected * scale
    won = (result.profits[:, :, agent] - notes.value) * scale
    known = result.less_luck is not None and agent == 0
    less_luck = (result.less_luck - notes.value) * scale if known and result.less_luck is not None else None
    sampling = result.sampling
    short = won - promised if less_luck is None else less_luck - promised
    promising = (notes.expected != 0).astype(np.float64)
    edges = [i * result.hands // PARTS for i in range(PARTS + 1)]
    return PromiseStudy(
        game=result.game,
        agent=result.agents[agent],
        opponent=result.agents[1 - agent],
        sample=result.sample,
        whole=_part(sampling, 0, promised, won, less_luck),
        parts=tuple(
            _part(
                Sampling(result.matches, last - first, result.matches > 1, result.duplicate),
                first,
                promised[:, first:last],
                won[:, first:last],
                None if less_luck is None else less_luck[:, first:last],
            )
            for first, last in itertools.pairwise(edges)
            if last > first
        ),
        kept=sampling.estimate(short),
        kept_when_promised=sampling.ratio(short * promising, promising) if promising.any() else None,
        promising=float(promising.mean()),
        actions=_foresight(sampling, notes.decisions, notes.loss, notes.loss_equilibrium),
        cards=_foresight(sampling, notes.shown, notes.card_loss, notes.card_loss_equilibrium),
        real_cards=_real_cards(result.beliefs[agent] if result.beliefs else None, scale),
    )


def _real_cards(belief: Belief | None, scale: float) -> tuple[RealCards, ...]:
    """The figures of a belief in mb/g."""
    return () if belief is None else tuple(figure.scaled(scale) for figure in belief.real_cards)


def _part(
    sampling: Sampling, first: int, promised: Floats, won: Floats, less_luck: Floats | None
) -> MatchPart:
    """The part of the hands from number ``first``, counted from 0. In one match every hand is a sample."""
    return MatchPart(
        first + 1,
        first + won.shape[1],
        float(promised.mean()),
        sampling.estimate(won),
        None if less_luck is None else sampling.estimate(less_luck),
    )


def _foresight(sampling: Sampling, asked: Floats, model: Floats, equilibrium: Floats) -> Foresight | None:
    if not asked.any():
        return None
    return Foresight(
        int(asked.sum()),
        sampling.ratio(model, asked),
        sampling.ratio(equilibrium, asked),
        sampling.ratio(model - equilibrium, asked),
    )
