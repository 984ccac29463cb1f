"""Experiments by name.

An experiment is a function from `RunOptions` to a `Report`. `EXPERIMENTS` lists ours by name without
importing them. Their matches and solutions are tasks, whose results are kept: see `soulread.tasks`. Other
packages offer experiments through the entry-point group ``soulread.experiments``, and any function can be
named as "module:function" (`soulread.foreign.names`).
"""

import importlib
import math
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from soulread.errors import SoulreadError
from soulread.foreign import names as foreign

if TYPE_CHECKING:
    from soulread.reproduce.kit.experiment import RunOptions
    from soulread.reproduce.kit.report import Report


GROUP = "soulread.experiments"
SPECIAL = "game", "aivat", "data", "players", "only", "beside"  # options of some experiments only


class Experiment(NamedTuple):
    """The place of an experiment as "module:function", its subject, and which `SPECIAL` options it takes.

    Modules of ours are named from `soulread.reproduce` on. An experiment that ``keeps`` writes the file of
    ``--kept`` in a form of its own. ``hours`` of CPU time is about what it takes in full; NaN: not known.
    """

    function: str
    about: str
    takes: tuple[str, ...] = ()
    keeps: bool = False
    hours: float = math.nan


EXPERIMENTS = {
    "dbbr-table": Experiment(
        "ganzfried_2011.dbbr:table",
        "win rates of DBBR (Ganzfried & Sandholm 2011, Table 1)",
        ("aivat",),
        hours=6,
    ),
    "dbbr-winrate": Experiment(
        "ganzfried_2011.winrate:winrate",
        "profit and win rate over a match (the same, Figure 1)",
        hours=2,
    ),
    "dbbr-safety": Experiment(
        "ganzfried_2011.variants:safety",
        "what DBBR loses to an equilibrium, and a threshold",
        ("aivat",),
        hours=3,
    ),
    "dbbr-ablation": Experiment(
        "ganzfried_2011.variants:ablation",
        "from the paper's settings of DBBR to ours",
        ("aivat",),
        hours=3,
    ),
    "dbbr-settings": Experiment(
        "ganzfried_2011.settings:settings",
        "N_prior and k of DBBR, and two guesses about its rates (the same, 5.2)",
        hours=4,
    ),
    "table": Experiment(
        "ours.table:table",
        "all methods of all papers against the same opponents, heads-up limit",
        hours=4,
    ),
    "rnr-limits": Experiment(
        "johanson_2009.robust:rnr_limits",
        "restricted Nash responses to Orange (Johanson & Bowling 2009, Figure 1)",
        hours=5,
    ),
    "dbr-curves": Experiment(
        "johanson_2009.robust:dbr_curves",
        "data biased responses to Orange (the same, Figure 2)",
        hours=10,
    ),
    "leduc-exploiters": Experiment(
        "tansey_2013.exploiters:exploiters",
        "learners against skewed Leduc equilibria (Tansey 2013)",
        hours=0.3,
    ),
    "loki-modelling": Experiment(
        "vrijhof_2011.loki_modelling:modelling",
        "SOM, GOM and older Lokis in rings of ten (Billings et al. 1998)",
        hours=4,
    ),
    "loki-triples": Experiment(
        "vrijhof_2011.loki_triples:triples",
        "what triples and simulation are worth to Loki (Billings et al. 1999)",
        hours=5,
    ),
    "poki-nets": Experiment(
        "vrijhof_2011.poki_nets:nets",
        "what nets that foresee opponents' actions are worth to Poki",
        hours=3,
    ),
    "zoo": Experiment(
        "ours.zoo:judge_zoo",
        "soul and other exploiters against opponents nobody chose settings on",
        ("game", "aivat", "players", "only", "beside"),
        keeps=True,
        hours=2.5,
    ),
    "loki-ranges": Experiment(
        "vrijhof_2011.loki_ranges:ranges",
        "ranges that Loki's models predict, judged by the cards",
        ("data",),
        hours=3,
    ),
    "hand-strength": Experiment(
        "vrijhof_2011.hand_strength:examples",
        "the worked examples of hand strength, weights and search (Vrijhof 2011)",
        hours=0.001,
    ),
    "vexbot": Experiment(
        "vrijhof_2011.vexbot:vexbot",
        "Vexbot against ten opponents, heads-up limit (Vrijhof 2011, VI)",
        hours=6,
    ),
    "vexbot-classes": Experiment(
        "vrijhof_2011.vexbot_classes:classes",
        "which betting sequences Vexbot puts together: how well they correlate (the same)",
        hours=0.1,
    ),
    "action-prediction": Experiment(
        "vrijhof_2011.action_prediction:prediction",
        "what people do next, predicted (Davidson et al. 2000)",
        ("data",),
        hours=0.1,
    ),
    "profile-leaks": Experiment(
        "ours.profile_leaks:profile_leaks",
        "sure claims of a profile, in crowds whose habits are known",
        hours=0.1,
    ),
    "bayes-relational": Experiment(
        "ponsen_2008.relational:relational",
        "outcomes and actions of no-limit players, predicted (Ponsen et al. 2008)",
        ("data",),
        hours=0.5,
    ),
    "relational-ranges": Experiment(
        "ponsen_2008.ranges:ranges",
        "ranges of no-limit players, judged by the cards they held",
        ("data",),
        hours=0.15,
    ),
    "ponsen-matches": Experiment(
        "ponsen_2008.matches:matches",
        "what the no-limit agent ponsen wins from simple players",
        hours=0.5,
    ),
    "spot-locks": Experiment(
        "ours.spot_locks:locks",
        "locks with trust in a spot: reads that are noise, and reads of a leak",
        hours=0.003,
    ),
    "whole-locks": Experiment(
        "ours.whole_locks:whole_locks",
        "whole players in a spot: intervals, gains over hard locks, and risks",
        ("data",),
        hours=0.2,
    ),
    "leduc-bases": Experiment(
        "tansey_2013.bases:bases",
        "our learner on populations bent from other equilibria, beside an oracle",
        hours=1,
    ),
}


def known_experiments() -> dict[str, Experiment]:
    """All experiments by name: ours, then those that installed packages offer, which take every option."""
    known = dict(EXPERIMENTS)
    for name, entry in foreign.offered(GROUP).items():
        about = foreign.about(foreign.load_offered(entry))
        known.setdefault(name, Experiment(entry.value, about, SPECIAL))
    return known


def run_experiment(name: str, options: "RunOptions") -> "Report":
    """Run the experiment of this name, or the function that "module:function" names."""
    function = find_experiment(name, options)
    from soulread.reproduce.kit.experiment import keeping
    from soulread.reproduce.kit.looks import explained, judged

    own = name in EXPERIMENTS and EXPERIMENTS[name].keeps
    with nullcontext(options) if own else keeping(name, options) as chosen, judged(name, chosen) as state:
        report: Report = function(chosen)
    return explained(report, state, chosen.results)


def find_experiment(name: str, options: "RunOptions") -> Any:
    """The function of the experiment of this name, which must take the options."""
    if name not in EXPERIMENTS:
        return _find_foreign(name)
    _verify_options(name, options)
    module, _, attribute = EXPERIMENTS[name].function.partition(":")
    return getattr(importlib.import_module(f"soulread.reproduce.{module}"), attribute)


def _verify_options(name: str, options: "RunOptions") -> None:
    """Raise unless an experiment of ours takes the options that are given."""
    for option in SPECIAL:
        if getattr(options, option) not in (None, ()) and option not in EXPERIMENTS[name].takes:
            takers = ", ".join(other for other, entry in EXPERIMENTS.items() if option in entry.takes)
            raise SoulreadError(f"the experiment {name!r} has no option {option!r}; it is one of {takers}")


def _find_foreign(name: str) -> Any:
    """The function that a package offers under this name, or that "module:function" names."""
    offered = foreign.offered(GROUP)
    if name in offered:
        return foreign.load_offered(offered[name])
    found = foreign.find_attribute(name, "function", callable)
    if found is None:
        known = ", ".join((*EXPERIMENTS, *offered))
        raise SoulreadError(f"{name!r} is not an experiment; known are {known}, and module:function")
    return found[1]
