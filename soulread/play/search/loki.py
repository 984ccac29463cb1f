"""Loki and Poki, players of limit hold'em with 2 to 10 seats (Billings et al., 1998, 1999, 2002).

    loki                                        re-weighting by triples, choice by triples, no simulation
    loki:model=som,use=RBS,style=tight,budget=0.5
    poki                                        everything on

Before each decision the agent asks a model of every live opponent (`soulread.model.loki.model`) for a table
over the 1326 holdings. ``model`` says which:

    som   one model for each opponent, from that opponent's own frequencies
    gom   the same frequencies for everybody; nothing is learnt
    old   the hands that a usual player plays; actions of the hand do not change the table

``predict`` names the predictor of their actions, which places the bars of these tables: frequencies of
contexts, a net that follows each opponent, the same with its mistakes taken into account, or several
predictors that compete (`soulread.model.predict.predictors`).

``use`` has any of three letters (the thesis, section IV), or is "none":

    R   tables are re-weighted by triples; else by thresholds
    B   our actions are drawn from triples; else they follow rules (`soulread.play.search.formula`)
    S   the action that is worth most in simulations (`soulread.play.search.rollout`); else the formula's

With S the formula plays our later actions within the play-outs, by triples if B is on, else sharply. This is
ours: the papers do not say what B means beside S.

``doubt`` says how far play-outs doubt what opponents do. A doubted action is drawn whatever the cards, so
Loki raises more often with it than without.

How long a simulation takes is limited by ``budget`` (seconds), ``playouts``, or both. With play-outs alone
the result is the same on every machine.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import hand_index
from soulread.cards.scales.values import HandValue, ehs_against
from soulread.errors import SoulreadError
from soulread.games.poker import CALL, FOLD, RAISE, PokerGame, PokerView
from soulread.hands.hand import Hand
from soulread.model.loki.model import CONTEXTS, WHO, WIDE, LokiModel, default_frequencies
from soulread.model.loki.weights import initial_weights, possible_weights
from soulread.model.predict.predictors import ActionPredictor, CompetingPredictors, NetPredictor, memories
from soulread.options import Options, option
from soulread.play.agent import HandByHand, MemorylessAgent
from soulread.play.catalogue.entry import AgentEntry, AgentSpec
from soulread.play.search.formula import (
    PlayStyle,
    limit_decision,
    own_bars,
    parse_style,
    rule_choice,
    triple_now,
)
from soulread.play.search.outlook import Limits, Outlook, PlayoutOptions
from soulread.play.search.playout_agent import PlayerModels, PlayoutAgent, live_others
from soulread.play.search.rollout import new_acting, refuses, simulate_decision
from soulread.seqform.source import Tell

MODELS = "som", "gom", "old"
PREDICT = "tables", "net", "softened", "competing"
LETTERS = "RBS"
PLAYOUTS = 2000  # of a decision, unless a budget is given


def _read_use(text: str) -> str:
    letters = "" if text == "none" else text.upper()
    if len(set(letters)) < len(letters) or set(letters) - set(LETTERS):
        raise SoulreadError(f"use={text}; it has some of the letters {', '.join(LETTERS)}, or is none")
    return "".join(letter for letter in LETTERS if letter in letters) or "none"


@dataclass(frozen=True)
class LokiOptions(PlayoutOptions, Options):
    """Options of `loki`."""

    usual: ClassVar[int] = PLAYOUTS

    model: str = option("som", "what it knows of opponents: som, gom or old", choices=MODELS)
    use: str = option(
        "RB", "R: re-weight by triples, B: act by triples, S: simulate; or none", lambda t, _: _read_use(t)
    )
    style: PlayStyle = option(
        PlayStyle(),
        "tight, medium or loose; passive, balanced or aggressive; or one of each, as in tight-passive",
        lambda text, _: parse_style(text),
    )
    budget: float = option(
        0.0, "seconds of simulation a decision; 0: only the number of play-outs counts", low=0, below=np.inf
    )
    playouts: int = option(
        0, f"play-outs of a decision at most; 0: {PLAYOUTS}, or unlimited with a budget", low=0
    )
    contexts: str = option(
        "12", "contexts of frequencies: 12, or davidson with the previous action", choices=CONTEXTS
    )
    predict: str = option(
        "tables",
        "what foresees actions: tables, a net, a net softened by its mistakes, or competing predictors",
        choices=PREDICT,
    )
    doubt: float = option(
        1.0, "how far play-outs doubt what opponents do: 1 as their models do, 0 not", low=0, high=1
    )
    who: str = option(
        "crowd", "whose frequencies are the generic ones: people, or a crowd of programs", choices=WHO
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.predict != PREDICT[0] and self.model == "old":
            raise SoulreadError(f"predict={self.predict}; model=old does not look at what opponents do")

    @property
    def by_clock(self) -> bool:
        """Whether it simulates, and the number of play-outs depends on the clock."""
        return super().by_clock and "S" in self.use


@dataclass(frozen=True)
class PokiOptions(LokiOptions):
    """Options of `poki`: those of `loki` with everything on."""

    use: str = option(
        "RBS", "R: re-weight by triples, B: act by triples, S: simulate; or none", lambda t, _: _read_use(t)
    )
    contexts: str = option(
        "davidson", "contexts of frequencies: 12, or davidson with the previous action", choices=CONTEXTS
    )


class Loki(PlayoutAgent, MemorylessAgent):
    """A Loki whose models do not learn: one for all opponents."""

    def __init__(self, name: str, game: PokerGame, options: LokiOptions) -> None:
        super().__init__(name, game, refuses(game))
        self.options = options
        self.models = PlayerModels(self._new_model)
        if options.by_clock:
            self.warm_up()

    def _new_model(self) -> LokiModel:
        predictor: ActionPredictor | None = None
        if self.options.predict != "tables":
            competing, soften = self.options.predict == "competing", float(self.options.predict == "softened")
            predictor = CompetingPredictors(memories()) if competing else NetPredictor(soften=soften)
        kind = "som" if self.options.model == "som" else "gom"
        reweight = "triples" if "R" in self.options.use else "threshold"
        return LokiModel(
            self.game, kind, self.options.contexts, reweight, predictor=predictor, who=self.options.who
        )

    # Beliefs.

    def holdings(self, view: PokerView, seat: int) -> NDArray[np.float64]:
        """``[1326]`` how likely the opponent in ``seat`` holds each holding."""
        if self.options.model != "old":
            return self.models.of(view.players[seat]).holdings(view, seat)
        fold = float(default_frequencies(view.game.num_players)[1, 0])
        return possible_weights(initial_weights(self._values, fold, WIDE), view.hole, view.board)

    def strength(self, view: PokerView, tables: NDArray[np.float64]) -> HandValue:
        """How our hand stands against the tables; before the flop its place on the scale of income rates."""
        if not view.board:
            value = float(self._values[hand_index(*view.hole)])
            return HandValue(value, 0.0, value)
        return ehs_against(view.hole, view.board, [tables[seat] for seat in live_others(view)])

    def sentence(self) -> str:
        """The empty text: its knowledge never changes."""
        return ""

    # Decisions.

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Choose by simulation, by a triple, or by rule."""
        if len(view.legal) == 1:
            return view.legal[0]
        if "S" in self.options.use:
            self.outlook = self.simulate(view, self.options.limits, rng)
            return self.outlook.best(FOLD in view.legal)
        strength = self.strength(view, self.tables(view))
        spot, style = limit_decision(view), self.options.style
        if "B" not in self.options.use:
            return rule_choice(strength, spot, style)
        fold, call, _ = triple_now(strength, spot, style)
        drawn = rng.random()
        return FOLD if drawn < fold else CALL if drawn < fold + call or not spot.may_raise else RAISE

    def simulate(self, view: PokerView, limits: Limits, rng: np.random.Generator) -> Outlook:
        """The values of a call and of a raise, by play-outs against the tables."""
        begun, tables = self.clock(), self.tables(view)
        acting, others = new_acting(len(view.folded)), live_others(view)
        for seat in others:
            model = self.models.of(view.players[seat])
            acting.bars[seat] = model.bars(view, seat)
            acting.rates[seat] = model.usual(view, seat, tables[seat])
            acting.doubts[seat] = self.options.doubt * model.doubt
        sharp = "B" not in self.options.use
        acting.bars[view.seat] = own_bars(
            limit_decision(view), self.options.style, sharp, acting.bars[others]
        )
        return simulate_decision(view, tables, acting, self._before, limits, rng, begun, self.clock)


class LearningLoki(HandByHand, Loki):
    """A Loki with a model of each opponent."""

    def reset(self) -> None:
        """Forget all opponents."""
        self.models.known.clear()
        self.outlook = None

    def observe(self, hand: Hand) -> None:
        """Learn about all who were dealt in but us."""
        self.models.observe(hand)

    def sentence(self) -> str:
        """How well it knows the others."""
        return self.models.sentence(lambda model: int(model.counts.sum()))


def _make(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> Loki:
    kind = LearningLoki if spec.options.model == "som" else Loki
    return kind(spec.text, game, spec.options)


LOKI = AgentEntry(
    "loki",
    "keeps a table of what each opponent may hold, and bets by formula or by simulation; 2 to 10 seats",
    _make,
    LokiOptions,
    refuses,
    examples=(
        "loki:model=gom,use=none",
        "loki:style=tight-passive",
        "loki:use=S,playouts=200,model=old",
        "loki:predict=net",
    ),
)
POKI = AgentEntry(
    "poki",
    "loki with all improvements: triples, simulation, and models of each opponent with previous actions",
    _make,
    PokiOptions,
    refuses,
    examples=("poki:playouts=200", "poki:predict=net,playouts=60"),
)
