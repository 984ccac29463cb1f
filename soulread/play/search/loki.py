"""Loki and Poki, players of limit hold'em with 2 to 10 seats (Billings et al., 1998, 1999, 2002).

    loki                                        re-weighting by triples, choice by triples, no simulation
    loki:model=som,use=RBS,style=tight,budget=0.5
    poki                                        everything on

Before each decision the agent asks a model of every live opponent (`soulread.model.loki.model`) for a table
over the 1326 holdings. ``model`` says which:

    som   one model for each opponent, from that opponent's own frequencies
    gom   the same frequencies for everybody; nothing is learnt
    old   hands that a usual player does not throw away at once; what is done in the hand tells nothing

``predict`` says what foresees their actions, and so places the bars of these tables: frequencies of contexts,
a net that follows each opponent, or several predictors that compete (`soulread.model.predict.predictors`).

``use`` has any of three letters (the thesis, section IV), or is "none":

    R   tables are re-weighted by triples; else by thresholds
    B   our actions are drawn from triples; else they follow rules (`soulread.play.search.formula`)
    S   the action that is worth most in simulations (`soulread.play.search.rollout`); else the formula's

With S the formula plays our later actions within the play-outs, by triples if B is on, else sharply. This is
ours: the papers do not say what B means beside S.

How long a simulation takes is limited by ``budget`` (seconds), ``playouts``, or both. With play-outs alone
the result is the same on every machine.
"""

import time
from collections import OrderedDict
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import NUM_HANDS, hand_index
from soulread.cards.scales.values import HandValue, ehs_against, income_scale
from soulread.errors import SoulreadError
from soulread.games.poker import CALL, FOLD, RAISE, PokerGame, PokerView
from soulread.hands.hand import Hand
from soulread.model.loki.model import CONTEXTS, WIDE, LokiModel, default_frequencies
from soulread.model.loki.triples import NUM_CONTEXTS
from soulread.model.loki.weights import initial_weights, possible_weights
from soulread.model.predict.predictors import ActionPredictor, CompetingPredictors, NetPredictor, memories
from soulread.options import option, verify
from soulread.play.agent import Belief, MemorylessAgent
from soulread.play.catalogue.entry import AgentEntry, AgentSpec
from soulread.play.search.formula import Style, own_bars, parse_style, rule_choice, spot_of, triple_now
from soulread.play.search.outlook import UNLIMITED, Clock, Limits, Outlook, first_decisions
from soulread.play.search.rollout import refuses, simulate_decision
from soulread.seqform.source import Tell
from soulread.words import plural

MODELS = "som", "gom", "old"
PREDICT = "tables", "net", "competing"
LETTERS = "RBS"
PLAYOUTS = 2000  # of a decision, unless a budget is given
MOST_PLAYERS = 200  # whose models are kept, 70 kB each


def _read_use(text: str) -> str:
    letters = "" if text == "none" else text.upper()
    if len(set(letters)) < len(letters) or set(letters) - set(LETTERS):
        raise SoulreadError(f"use={text}; it has some of the letters {', '.join(LETTERS)}, or is none")
    return "".join(letter for letter in LETTERS if letter in letters) or "none"


@dataclass(frozen=True)
class LokiOptions:
    """How Loki reads its opponents and decides."""

    model: str = option("som", "what it knows of opponents: som, gom or old")
    use: str = option(
        "RB", "R: re-weight by triples, B: act by triples, S: simulate; or none", lambda t, _: _read_use(t)
    )
    style: Style = option(
        Style(),
        "tight, medium or loose; passive, balanced or aggressive; or one of each, as in tight-passive",
        lambda text, _: parse_style(text),
    )
    budget: float = option(0.0, "seconds of simulation a decision; 0: only the number of play-outs counts")
    playouts: int = option(0, f"play-outs of a decision at most; 0: {PLAYOUTS}, or unlimited with a budget")
    contexts: str = option("12", "contexts of frequencies: 12, or davidson with the previous action")
    predict: str = option(
        "tables", "what foresees actions: tables of frequencies, a net, or competing predictors"
    )

    def __post_init__(self) -> None:
        verify(
            "loki",
            (self.model not in MODELS, f"model={self.model}; expected one of {', '.join(MODELS)}"),
            (self.contexts not in CONTEXTS, f"contexts={self.contexts}; expected {' or '.join(CONTEXTS)}"),
            (self.predict not in PREDICT, f"predict={self.predict}; expected one of {', '.join(PREDICT)}"),
            (
                self.predict != PREDICT[0] and self.model == "old",
                f"predict={self.predict}; model=old does not look at what opponents do",
            ),
            (not 0 <= self.budget < np.inf, f"budget={self.budget}; it is a number of seconds, 0 or more"),
            (self.playouts < 0, f"playouts={self.playouts}; it is 0 or more"),
        )

    @property
    def limits(self) -> Limits:
        """When a simulation ends."""
        usual = UNLIMITED if self.budget else PLAYOUTS
        return Limits(self.budget, self.playouts or usual)


@dataclass(frozen=True)
class PokiOptions(LokiOptions):
    """The same with everything on."""

    use: str = option(
        "RBS", "R: re-weight by triples, B: act by triples, S: simulate; or none", lambda t, _: _read_use(t)
    )
    contexts: str = option("davidson", "contexts of frequencies: 12, or davidson with the previous action")


class Loki(MemorylessAgent):
    """A Loki whose models do not learn: one for all opponents."""

    def __init__(self, name: str, game: PokerGame, options: LokiOptions) -> None:
        reason = refuses(game)
        if reason is not None:
            raise SoulreadError(f"{name!r} cannot sit at {game.name!r}: {reason}")
        self.name = name
        self.game = game
        self.options = options
        self.outlook: Outlook | None = None  # of the last decision that was simulated
        self.clock: Clock = time.perf_counter  # by which a budget is spent
        self._generic = self._new_model()
        self._values = income_scale(game.num_players).values
        self._before = np.tile(self._values, (game.num_players, 1))
        if options.budget and "S" in options.use:
            self._warm_up()

    def _new_model(self) -> LokiModel:
        kind = "som" if self.options.model == "som" else "gom"
        reweight = "triples" if "R" in self.options.use else "threshold"
        return LokiModel(self.game, kind, self.options.contexts, reweight, predictor=self._new_predictor())

    def _new_predictor(self) -> ActionPredictor | None:
        if self.options.predict == "net":
            return NetPredictor()
        return CompetingPredictors(memories()) if self.options.predict == "competing" else None

    def _warm_up(self) -> None:
        """Load what decisions need, so that the first one keeps to its budget."""
        for view in first_decisions(self.game):
            self.simulate(view, self.tables(view), Limits(playouts=2), np.random.default_rng(0))

    def model_of(self, player: str) -> LokiModel:
        """What is believed of a player; a player never seen has the generic model."""
        return self._generic

    # Beliefs.

    def tables(self, view: PokerView) -> NDArray[np.float64]:
        """``[seats, 1326]`` how likely each live opponent holds each holding; zero in the other rows."""
        found = np.zeros((len(view.folded), NUM_HANDS))
        for seat in _live_others(view):
            if self.options.model == "old":
                fold = float(default_frequencies(view.game.num_players)[1, 0])
                found[seat] = possible_weights(
                    initial_weights(self._values, fold, WIDE), view.hole, view.board
                )
            else:
                found[seat] = self.model_of(view.players[seat]).holdings(view, seat)
        return found

    def strength(self, view: PokerView, tables: NDArray[np.float64]) -> HandValue:
        """How our hand stands against the tables; before the flop its place on the scale of income rates."""
        if not view.board:
            value = float(self._values[hand_index(*view.hole)])
            return HandValue(value, 0.0, value)
        return ehs_against(view.hole, view.board, [tables[seat] for seat in _live_others(view)])

    def belief(self, view: PokerView | None = None) -> Belief:
        """With a view: what each live opponent may hold."""
        if view is None:
            return Belief()
        tables = self.tables(view)
        return Belief(ranges={seat: tables[seat] for seat in _live_others(view)})

    def sentence(self) -> str:
        """How well it knows the others."""
        return ""

    # Decisions.

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Choose by simulation, by a triple, or by rule."""
        if len(view.legal) == 1:
            return view.legal[0]
        begun = self.clock()
        tables = self.tables(view)
        if "S" in self.options.use:
            self.outlook = self.simulate(view, tables, self.options.limits, rng, begun)
            return self.outlook.best(FOLD in view.legal)
        strength = self.strength(view, tables)
        spot, style = spot_of(view), self.options.style
        if "B" not in self.options.use:
            return rule_choice(strength, spot, style)
        fold, call, _ = triple_now(strength, spot, style)
        drawn = rng.random()
        return FOLD if drawn < fold else CALL if drawn < fold + call or not spot.may_raise else RAISE

    def simulate(
        self,
        view: PokerView,
        tables: NDArray[np.float64],
        limits: Limits,
        rng: np.random.Generator,
        begun: float | None = None,
    ) -> Outlook:
        """What a call and a raise are worth, by play-outs against the tables."""
        bars = np.zeros((len(view.folded), NUM_CONTEXTS, 2, 2))
        others = _live_others(view)
        at_start = _round_begun(view)
        for seat in others:
            bars[seat] = self.model_of(view.players[seat]).bars(at_start, seat)
        sharp = "B" not in self.options.use
        bars[view.seat] = own_bars(spot_of(view), self.options.style, sharp, bars[others])
        return simulate_decision(view, tables, bars, self._before, limits, rng, begun, self.clock)


class LearningLoki(Loki):
    """A Loki with a model of each opponent; those of the `MOST_PLAYERS` seen last are kept."""

    def __init__(self, name: str, game: PokerGame, options: LokiOptions) -> None:
        self._models: OrderedDict[str, LokiModel] = OrderedDict()  # first: they are asked while warming up
        super().__init__(name, game, options)

    def reset(self) -> None:
        """Forget all opponents."""
        self._models.clear()
        self.outlook = None

    def model_of(self, player: str) -> LokiModel:
        """What is believed of a player; a player never seen has the generic model."""
        return self._models.get(player, self._generic)

    def observe(self, hand: Hand) -> None:
        """Learn about all who were dealt in but us."""
        for seat, player in enumerate(hand.players):
            if seat != hand.observer:
                model = self._models.pop(player, None) or self._new_model()
                self._models[player] = model.update(hand, player)
        while len(self._models) > MOST_PLAYERS:
            self._models.popitem(last=False)

    def sentence(self) -> str:
        """How well it knows the others."""
        if not self._models:
            return "knows nobody yet"
        seen = sum(int(model.counts.sum()) for model in self._models.values())
        players = plural(len(self._models), "player")
        return f"has models of {players}, from {plural(seen, 'decision')}"


def _live_others(view: PokerView) -> list[int]:
    """Opponents who have not folded."""
    return [seat for seat, out in enumerate(view.folded) if not out and seat != view.seat]


def _round_begun(view: PokerView) -> PokerView:
    """The view without what was done in this round, for the bars of the round.

    Frequencies are those of all hands that come into a round. Who has raised in it holds one of the better
    hands, and does not fold as often to the next raise.
    """
    acted = len(view.betting.rpartition("/")[2])
    return replace(view, actions=view.actions[: len(view.actions) - acted])


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
