"""The learners of Tansey (2013), and ours beside them."""

import math
from collections.abc import Callable, Sequence
from functools import partial

from soulread.errors import SoulreadError
from soulread.model.bayes.bootstrap import BootstrapModel
from soulread.model.bayes.explicit import ExplicitModel
from soulread.model.bayes.portfolio import PortfolioModel
from soulread.model.bayes.residual import ResidualModel
from soulread.model.bayes.subpolicy import SubpolicyModel, discover_subpolicies, discovered_parts, round_parts
from soulread.model.bayes.tilts import TiltModel
from soulread.play.exploiters.learners import LearnerOptions, LearningSetting, make_learner
from soulread.respond.learning import Learner, ModelLearner
from soulread.respond.td_cfr import TdCfr
from soulread.seqform.strategy import Behaviours

Maker = Callable[[LearningSetting, Sequence[Behaviours], int], Learner]
"""Makes a learner from the setting, a portfolio and a seed."""


def _prior(leduc: LearningSetting, forget: float = 1.0, seed: int = 0) -> ExplicitModel:
    """Twice the equilibrium, as published."""
    return ExplicitModel(leduc.game, leduc.equilibrium, 2.0, smooth=0.0, forget=forget, seed=seed)


def _explicit(
    leduc: LearningSetting,
    members: Sequence[Behaviours],
    seed: int,
    forget: float = 1.0,
    act: str = "sample",
) -> Learner:
    return ModelLearner(_prior(leduc, forget, seed), leduc.responder, act)


def _implicit(
    leduc: LearningSetting, members: Sequence[Behaviours], seed: int, change: float = 0.0
) -> Learner:
    return ModelLearner(PortfolioModel(leduc.game, members, change=change), leduc.responder, "sample")


def _implicit_subpolicy(leduc: LearningSetting, members: Sequence[Behaviours], seed: int) -> Learner:
    game = leduc.game
    return ModelLearner(SubpolicyModel(game, members, round_parts(game)), leduc.responder, "sample")


def _bootstrapping(leduc: LearningSetting, members: Sequence[Behaviours], seed: int) -> Learner:
    model = BootstrapModel(PortfolioModel(leduc.game, members), _prior(leduc), seed=seed)
    return ModelLearner(model, leduc.responder, "sample")


def _subpolicy_bootstrapping(leduc: LearningSetting, members: Sequence[Behaviours], seed: int) -> Learner:
    game = leduc.game
    parts = discovered_parts(game, discover_subpolicies(game, members, leduc.equilibrium))
    model = BootstrapModel(SubpolicyModel(game, members, parts), _prior(leduc), seed=seed)
    return ModelLearner(model, leduc.responder, "sample")


def _ours(leduc: LearningSetting, members: Sequence[Behaviours], seed: int, forget: float = 1.0) -> Learner:
    options = LearnerOptions(seed=seed, forget=forget, base="lp", shape=1.0, risk=math.inf)
    return make_learner("learner", options, leduc)


def _mild(leduc: LearningSetting, members: Sequence[Behaviours], seed: int) -> Learner:
    """Ours with a prior that expects smaller tilts."""
    model = TiltModel(leduc.game, leduc.equilibrium, shape=8.0, seed=seed)
    return ModelLearner(ResidualModel(model, trust=0.99), leduc.responder)


def _td_cfr(leduc: LearningSetting, members: Sequence[Behaviours], seed: int) -> Learner:
    return TdCfr(leduc.game)


# How much each learner discounts was chosen with seed 100, after a run with seed 1 against these opponents.
# That seed 1 had no part in the choice cannot be shown.
LEARNERS: dict[str, Maker] = {
    "implicit": _implicit,
    "implicit subpolicy": _implicit_subpolicy,
    "policy bootstrapping": _bootstrapping,
    "subpolicy bootstrapping": _subpolicy_bootstrapping,
    "explicit": _explicit,
    "TD-CFR": _td_cfr,
    "learner": _ours,
    "learner, mild tilts": _mild,
    "implicit, discounted": partial(_implicit, change=0.01),
    "explicit, discounted": partial(_explicit, forget=0.99),
    "explicit, mean": partial(_explicit, act="mean"),
    "explicit, mean, discounted": partial(_explicit, forget=0.98, act="mean"),
    "learner, discounted": partial(_ours, forget=0.95),
}

FACE_UP = frozenset({"TD-CFR"})
"""Learners that are shown the opponent's cards after every hand, because the paper's are."""


def new_learner(name: str, leduc: LearningSetting, members: Sequence[Behaviours], seed: int) -> Learner:
    """A new learner, by its name in `LEARNERS`."""
    if name not in LEARNERS:
        raise SoulreadError(f"{name!r} is not a learner; known are {', '.join(LEARNERS)}")
    return LEARNERS[name](leduc, members, seed)
