"""Models by name: those of soulread, of installed packages, and any "module:Class".

A model is written as a name, and behind a colon its options: ``"deviation:method=l1,shown=5"``. Agents that
answer a model take one as an option: ``"dbr:model=frequency"``. Inside an agent's text the options of the
model are joined by "+" in place of commas: ``"dbr:model=deviation:method=l2+prior=10,T=200"``.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import EntryPoint
from typing import Any

from soulread.errors import ParseError, SoulreadError
from soulread.foreign.apart import describe, text_of
from soulread.foreign.child import ForeignClass
from soulread.foreign.names import (
    about,
    build,
    load_offered,
    location_of,
    name_in,
    offered,
    options_of,
    told,
    verify_methods,
)
from soulread.games.limit_holdem import verify_holdem
from soulread.games.poker import PokerGame
from soulread.hands import wire
from soulread.model.apart import ApartCounts, ApartModel, ApartReader, ApartTable
from soulread.model.base import Model
from soulread.model.bayes.explicit import DEFAULT_STRENGTH, ExplicitModel
from soulread.model.bayes.habits import HabitModel
from soulread.model.bayes.mixture import DRIFT, average_of
from soulread.model.bayes.residual import ResidualModel
from soulread.model.bayes.tilts import TiltModel
from soulread.model.counted import FrequencyModel
from soulread.model.deviation.model import DEFAULT_PRIOR, EXPECTED, METHODS, PRIOR_RANGES, DeviationModel
from soulread.model.loki.model import CONTEXTS, DOUBT, PRIOR, REWEIGHTINGS, WHO, LokiModel
from soulread.model.predict.predictors import (
    BoostingPredictor,
    CompetingPredictors,
    FrequencyTable,
    NetPredictor,
    memories,
)
from soulread.model.vexbot.classes import CLASSES, GROUPINGS
from soulread.model.vexbot.context_table import ContextTable, named_defaults
from soulread.model.vexbot.model import DECAY, DEFAULTS
from soulread.model.vexbot.model import SHOWN as CONTEXT_SHOWN
from soulread.model.vexbot.model import STRENGTH as CONTEXT_STRENGTH
from soulread.options import NoOptions, Options, help_of, option, read_options
from soulread.seqform.compile import SequenceGame, poker_of
from soulread.seqform.strategy import Behaviours

GROUP = "soulread.models"
NEEDED = "fit", "update", "probabilities"


@dataclass(frozen=True)
class ModelEntry:
    """One model of the catalogue.

    ``make`` gets options, a compiled game and equilibrium behaviours. Models that need no compiled game have
    ``from_rules`` in its place.
    """

    name: str
    about: str  # one line
    make: Callable[[Any, SequenceGame, Behaviours], Model] | None = None
    options: type[Any] = NoOptions
    foreign: bool = False  # whether it comes from outside soulread
    from_rules: Callable[[Any, PokerGame], Model] | None = None

    @property
    def help(self) -> list[tuple[str, str, str]]:
        """Name, default and line of help of each option."""
        return help_of(self.options)


@dataclass(frozen=True)
class ModelSpec:
    """A model that was chosen but not yet made."""

    text: str
    entry: ModelEntry
    options: Any

    def make(self, game: SequenceGame, equilibrium: Behaviours) -> Model:
        """The model, for an opponent in ``game``; models that deviate from something take the equilibrium."""
        if self.entry.make is None:
            return self.make_from_rules(poker_of(game))
        return self.entry.make(self.options, game, equilibrium)

    def make_from_rules(self, poker: PokerGame) -> Model:
        """The model, for a game that nobody compiled, such as no-limit hold'em with real cards."""
        if self.entry.from_rules is None:
            raise SoulreadError(
                f"the model {self.text!r} needs a game that is solved as a whole; for real cards take one of "
                f"{', '.join(name for name, entry in MODELS.items() if entry.from_rules is not None)}"
            )
        return self.entry.from_rules(self.options, poker)

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[Callable[..., "ModelSpec"], tuple[Any, ...]]:
        """Another process reads our own models from their text: functions of entries do not travel."""
        if self.entry.foreign:
            return ModelSpec, (self.text, self.entry, self.options)
        return parse_model, (self.text,)


_FORGET = "factor on the weight of all older hands after every hand; 1: all hands count alike"


@dataclass(frozen=True)
class DeviationOptions(Options):
    """Options of the model of DBBR."""

    prior: float = option(
        DEFAULT_PRIOR,
        "hands of evidence that the equilibrium counts for at every public history",
        above=0,
        below=math.inf,
    )
    method: str = option(
        "shift", "how the equilibrium is moved to fit what was seen: shift, l1 or l2", choices=METHODS
    )
    range: str = option(
        "equilibrium", "whose range the prior is taken over: equilibrium or model", choices=PRIOR_RANGES
    )
    pool: int = option(
        0, "1: the prior also learns from other histories of the same kind; 0: it does not", choices=(0, 1)
    )
    shown: float = option(
        0.0,
        "hands of evidence the public model counts for against shown cards; 0: cards are ignored",
        low=0,
        below=math.inf,
    )
    expected: str = option(
        "paper",
        "what the equilibrium is expected to do; joint: by what both players hold, not one alone",
        choices=EXPECTED,
    )


@dataclass(frozen=True)
class ExplicitOptions(Options):
    """Options of the model with a Dirichlet at every information set."""

    strength: float = option(DEFAULT_STRENGTH, "hands of evidence that the equilibrium prior counts for")
    particles: int = option(64, "number of strategies drawn from the posterior")
    forget: float = option(1.0, _FORGET)
    seed: int = option(0, "seed of the draws", low=0)


@dataclass(frozen=True)
class TiltOptions(Options):
    """Options of the model of tilted equilibria, which also learns what they do not explain."""

    particles: int = option(300, "number of tilted equilibria that are weighed")
    forget: float = option(1.0, _FORGET)
    trust: float = option(0.99, "how far tilted equilibria are trusted, between 0 and 1")
    seed: int = option(0, "seed of the draws", low=0)


@dataclass(frozen=True)
class HabitOptions(Options):
    """Options of the model of habits."""

    smooth: float = option(0.02, "share of uniform play in the equilibrium that habits bend")
    forget: float = option(1.0, _FORGET)


@dataclass(frozen=True)
class GomOptions(Options):
    """Options of Loki's generic model."""

    contexts: str = option(
        "12", "what frequencies are kept by: 12, or davidson for the last action as well", choices=CONTEXTS
    )
    reweight: str = option(
        "triples",
        "how an action changes the table of holdings: threshold or triples",
        choices=REWEIGHTINGS,
    )
    doubt: float = option(
        DOUBT, "chance that an action was taken for another reason than the cards", low=0, below=1
    )
    who: str = option(
        WHO[0], "whose frequencies are the generic ones: people, or a crowd of programs", choices=WHO
    )


@dataclass(frozen=True)
class SomOptions(GomOptions):
    """Options of Loki's specific model."""

    prior: float = option(
        PRIOR, "observations that the generic frequencies count for in every context", above=0, below=math.inf
    )


@dataclass(frozen=True)
class ContextOptions(Options):
    """Options of Vexbot's model."""

    decay: float = option(
        DECAY,
        "factor on all that was seen in a betting sequence when something new is seen; 1: none",
        above=0,
        high=1,
    )
    strength: float = option(
        CONTEXT_STRENGTH, "observations that a coarser class of sequences counts for", above=0, below=math.inf
    )
    shown: float = option(CONTEXT_SHOWN, "the same for hands at showdowns", above=0, below=math.inf)
    default: str = option(
        "equilibrium",
        "what is assumed of an unknown player: uniform, generic or equilibrium",
        choices=DEFAULTS,
    )
    classes: str = option(
        CLASSES,
        "which betting sequences are put together: by who led the betting, or by raises alone",
        choices=tuple(GROUPINGS),
    )


@dataclass(frozen=True)
class TableOptions(Options):
    """Options of frequency tables that predict actions."""

    contexts: str = option(
        "davidson", "what frequencies are kept by: 12, or davidson for the last action too", choices=CONTEXTS
    )
    prior: float = option(
        PRIOR, "observations that the generic frequencies count for in every context", above=0, below=math.inf
    )
    window: int = option(0, "hands that are remembered; 0: all", low=0)
    decay: float = option(
        1.0, "factor on the weight of all older hands after every hand; 1: none", above=0, high=1
    )


@dataclass(frozen=True)
class NetOptions(Options):
    """Options of the net that predicts actions."""

    rate: float = option(
        NetPredictor.RATE, "size of a step after every decision of the player; 0: none", low=0, high=1
    )
    soften: float = option(
        0.0, "how far chances take the net's earlier mistakes into account; 1: in full", low=0, high=1
    )


@dataclass(frozen=True)
class BoostingOptions(Options):
    """Options of boosted trees that predict actions."""

    first: int = option(
        BoostingPredictor.FIRST, "hands after which trees of the player's own are grown; 0: never", low=0
    )


@dataclass(frozen=True)
class CompetingOptions(Options):
    """Options of competing predictors."""

    keep: float = option(
        CompetingPredictors.KEEP, "factor on the logarithms of weights before every hand", above=0, high=1
    )
    drift: float = option(
        CompetingPredictors.DRIFT, "share of all weight dealt out anew before every hand", low=0, below=1
    )


@dataclass(frozen=True)
class RelationalOptions:
    """Options of the Bayes-relational model."""

    prior: str = option("", "file of a prior, as `RelationalPrior.save` writes it; empty: soulread's own")


@dataclass(frozen=True)
class AverageOptions:
    """Options of the average of several models."""

    drift: float = option(DRIFT, "share of all weight that is dealt out anew before every hand")


def _deviation(options: DeviationOptions, game: SequenceGame, equilibrium: Behaviours) -> Model:
    return DeviationModel(
        game,
        equilibrium,
        options.prior,
        options.method,
        options.range,
        bool(options.pool),
        options.shown,
        expected=options.expected,
    )


def _contexts(options: ContextOptions, game: SequenceGame, equilibrium: Behaviours) -> Model:
    defaults = named_defaults(options.default, game, equilibrium)
    return ContextTable(
        game,
        defaults,
        options.decay,
        options.strength,
        options.shown,
        GROUPINGS[options.classes],
    )


def _tilts(options: TiltOptions, game: SequenceGame, equilibrium: Behaviours) -> Model:
    tilts = TiltModel(
        game, equilibrium, particles=options.particles, forget=options.forget, seed=options.seed
    )
    return tilts if options.trust >= 1 else ResidualModel(tilts, trust=options.trust, forget=options.forget)


def _of_holdem(make: Callable[[Any], Model]) -> Callable[[Any, SequenceGame, Behaviours], Model]:
    """How a predictor, which needs its options alone, is made for a game: it must be hold'em."""

    def made(options: Any, game: SequenceGame, equilibrium: Behaviours) -> Model:
        verify_holdem(poker_of(game))
        return make(options)

    return made


def _relational(options: RelationalOptions, poker: PokerGame) -> Model:
    from soulread.model.relational.bayes import load_prior
    from soulread.model.relational.model import RelationalModel

    return RelationalModel(poker, load_prior(options.prior) if options.prior else None)


def _completed(options: NoOptions, poker: PokerGame) -> Model:
    from soulread.model.strength_tables import CompletedModel

    return CompletedModel(poker)


MODELS = {
    entry.name: entry
    for entry in (
        ModelEntry(
            "deviation",
            "an equilibrium, moved to fit the public actions that were seen (DBBR)",
            _deviation,
            DeviationOptions,
        ),
        ModelEntry(
            "frequency",
            "each action as often as it was seen; calls where nothing was seen",
            lambda options, game, equilibrium: FrequencyModel(game),
        ),
        ModelEntry(
            "explicit",
            "Bayesian: a Dirichlet at every information set",
            lambda options, game, equilibrium: ExplicitModel(game, equilibrium, **vars(options)),
            ExplicitOptions,
        ),
        ModelEntry(
            "tilts", "Bayesian: tilted equilibria, corrected by what they do not explain", _tilts, TiltOptions
        ),
        ModelEntry(
            "habits",
            "an equilibrium, bent by a few numbers in every kind of situation",
            lambda options, game, equilibrium: HabitModel(game, equilibrium, **vars(options)),
            HabitOptions,
        ),
        ModelEntry(
            "contexts",
            "frequencies and shown hands of betting sequences and of coarser classes of them (Vexbot)",
            _contexts,
            ContextOptions,
        ),
        ModelEntry(
            "average",
            "several models, each believed as far as it predicted what came; the read of soul",
            lambda options, game, equilibrium: average_of(game, equilibrium, options.drift),
            AverageOptions,
        ),
        ModelEntry(
            "gom",
            "hold'em with any number of players: weight tables, the same frequencies for all (Loki)",
            options=GomOptions,
            from_rules=lambda options, poker: LokiModel(poker, "gom", **vars(options)),
        ),
        ModelEntry(
            "som",
            "hold'em with any number of players: weight tables, from each player's own frequencies (Loki)",
            options=SomOptions,
            from_rules=lambda options, poker: LokiModel(poker, "som", **vars(options)),
        ),
        ModelEntry(
            "table",
            "hold'em, actions alone: how often each came in 12 contexts or Davidson's 84",
            _of_holdem(lambda options: FrequencyTable(**vars(options))),
            TableOptions,
        ),
        ModelEntry(
            "net",
            "hold'em, actions alone: a net of many players that follows this one",
            _of_holdem(lambda options: NetPredictor(**vars(options))),
            NetOptions,
        ),
        ModelEntry(
            "boosting",
            "hold'em, actions alone: trees of the player's own over a net of many players",
            _of_holdem(lambda options: BoostingPredictor(first=options.first)),
            BoostingOptions,
        ),
        ModelEntry(
            "competing",
            "hold'em, actions alone: tables and nets of different memory, the best lately counts most",
            _of_holdem(lambda options: CompetingPredictors(memories(), **vars(options))),
            CompetingOptions,
        ),
        ModelEntry(
            "relational",
            "hold'em with any number of players and bet sizes: how a player differs from a prior (Ponsen)",
            options=RelationalOptions,
            from_rules=_relational,
        ),
        ModelEntry(
            "completed",
            "hold'em with any number of players and bet sizes: tables by strength, hidden cards filled in",
            from_rules=_completed,
        ),
    )
}


def known_models() -> dict[str, ModelEntry]:
    """Every model by name, those of installed packages too."""
    return {**{name: _offered_entry(name, at, name) for name, at in offered(GROUP).items()}, **MODELS}


def register(name: str, made: Any) -> ModelEntry:
    """Add a model to the catalogue of this program: a class with the methods of `Model`, or an entry."""
    if ":" in name or not name:
        raise SoulreadError(f"a model cannot be called {name!r}; a name has no colon")
    MODELS[name] = replace(_entry(name, made), name=name)
    return MODELS[name]


def parse_model(text: str) -> ModelSpec:
    """The model a text names: "frequency", "deviation:method=l1", "package.module:Class"."""
    name = text.partition(":")[0]
    if name in MODELS:
        return _spec(MODELS[name], text)
    others = offered(GROUP)
    if name in others:
        return _spec(_offered_entry(name, others[name], text), text)
    location = name_in(text)
    found = None if location is None else _apart_entry(location, location, text)
    if found is None:
        known = ", ".join((*MODELS, *others))
        raise ParseError(f"{text!r} is not a model; known are {known}, and module:Class")
    return _spec(found, text)


def _spec(entry: ModelEntry, text: str) -> ModelSpec:
    written = entry.name.replace(":", ".") + text[len(entry.name) :]  # options begin behind the first colon
    return ModelSpec(text, entry, read_options(written, entry.options, parse_model))


def read_model(text: str, parse: Callable[[str], Any]) -> ModelSpec:
    """A model within an agent's text, its options joined by "+"."""
    return parse_model(text.replace("+", ","))


def _entry(name: str, made: Any) -> ModelEntry:
    """A catalogue entry of a foreign class, or the entry itself, if it is one."""
    if isinstance(made, ModelEntry):
        return replace(made, foreign=True)
    verify_methods(name, made, NEEDED)
    location = location_of(made)
    if location is not None and (found := _apart_entry(name, location, name)) is not None:
        return found
    return ModelEntry(
        name,
        about(made),
        options=options_of(made),
        foreign=True,
        from_rules=lambda options, poker: _build_here(name, made, poker, options),
    )


def _offered_entry(name: str, at: EntryPoint, text: str) -> ModelEntry:
    """The entry of a model that a package offers: a class, or an entry of its own."""
    found = _apart_entry(name, at.value, text) if name_in(at.value) == at.value else None
    return _entry(name, load_offered(at)) if found is None else found


def _apart_entry(name: str, location: str, text: str) -> ModelEntry | None:
    """The entry of a class that is only imported elsewhere; None if its module does not exist.

    For an entry that a package offers in place of a class it is None too.
    """
    named = ForeignClass(name, location, NEEDED, f"{__name__}:parse_model", wire.__name__)
    found = describe("model", named, text)
    if found is None or "entry" in found.also:
        return None
    kind = ApartReader if "holdings" in found.also else ApartModel
    table = ApartCounts if "observations" in found.also else ApartTable
    return ModelEntry(
        name,
        found.about,
        partial(_table_apart, table, named) if "table" in found.also else None,
        found.options,
        foreign=True,
        from_rules=partial(_make_apart, kind, named),
    )


def _make_apart(kind: type[ApartModel], named: ForeignClass, options: Any, poker: PokerGame) -> Model:
    return kind(text_of(named, options), named, poker)


def _table_apart(
    kind: type[ApartTable], named: ForeignClass, options: Any, game: SequenceGame, equilibrium: Behaviours
) -> Model:
    return kind(text_of(named, options), named, game)


def _build_here(name: str, made: type[Any], poker: PokerGame, options: Any) -> Model:
    try:
        model: Model = build(made, poker, options)
    except Exception as error:
        raise SoulreadError(f"{name!r} cannot be made for {poker.name!r}: {told(error)}") from None
    return model
