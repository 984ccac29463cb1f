"""Two-player games as two treeplexes and a payoff operator, and strategies over them."""

from soulread.seqform.abstract import abstract_game
from soulread.seqform.betting import BettingTree, betting_tree
from soulread.seqform.compile import (
    HistoryTree,
    PrivateStates,
    SequenceGame,
    compile_factored,
    compile_game,
    enumerate_states,
    factored_game,
    lookup_of,
    poker_of,
)
from soulread.seqform.lookup import AbstractLookup, BlindLookup, CardLookup, Lookup
from soulread.seqform.openspiel import from_openspiel_policy, to_openspiel_policy
from soulread.seqform.payoff import FactoredPayoff, Leaves, Payoff, SparsePayoff
from soulread.seqform.source import Source, parse_source, with_cards, without_suits
from soulread.seqform.strategy import (
    average_plans,
    behaviour_from_plan,
    mix_behaviours,
    mix_plans,
    move_behaviour,
    plan_from_behaviour,
    prefer_actions,
    purify,
    random_behaviour,
    sample_action,
    sample_behaviour,
    uniform_behaviour,
    uniform_plan,
    verify_behaviour,
    verify_plan,
)
from soulread.seqform.tabular import TabularStrategy, tabular
from soulread.seqform.treeplex import Labels, ListedLabels, ProductLabels, Treeplex, make_treeplex

__all__ = [
    "AbstractLookup",
    "BettingTree",
    "BlindLookup",
    "CardLookup",
    "FactoredPayoff",
    "HistoryTree",
    "Labels",
    "Leaves",
    "ListedLabels",
    "Lookup",
    "Payoff",
    "PrivateStates",
    "ProductLabels",
    "SequenceGame",
    "Source",
    "SparsePayoff",
    "TabularStrategy",
    "Treeplex",
    "abstract_game",
    "average_plans",
    "behaviour_from_plan",
    "betting_tree",
    "compile_factored",
    "compile_game",
    "enumerate_states",
    "factored_game",
    "from_openspiel_policy",
    "lookup_of",
    "make_treeplex",
    "mix_behaviours",
    "mix_plans",
    "move_behaviour",
    "parse_source",
    "plan_from_behaviour",
    "poker_of",
    "prefer_actions",
    "purify",
    "random_behaviour",
    "sample_action",
    "sample_behaviour",
    "tabular",
    "to_openspiel_policy",
    "uniform_behaviour",
    "uniform_plan",
    "verify_behaviour",
    "verify_plan",
    "with_cards",
    "without_suits",
]
