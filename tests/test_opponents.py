import naive_variants
import numpy as np
import pytest
from named import make_agent, make_kind, play_named

from soulread.errors import ParseError
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.play.catalogue.known import AGENTS
from soulread.play.opponents.baselines import SIMPLE
from soulread.play.opponents.skewed import OPPONENTS, PRESETS, find_orange, find_skewed
from soulread.play.tabular import TabularAgent
from soulread.seqform.compile import compile_factored
from soulread.seqform.source import Source
from soulread.seqform.strategy import plan_from_behaviour, verify_behaviour
from soulread.solvers.exploitability import exploitability
from soulread.solvers.skews import SHIFTS, parse_skews
from soulread.solvers.variants import deviation_gains, with_winner_bonus

ISO = leduc(suit_isomorphic=True)
GAME = compile_factored(ISO)
TEXTS = [
    pytest.param("orange", marks=pytest.mark.compiled),
    pytest.param("orange-pot", marks=pytest.mark.compiled),
    *SHIFTS,
    "loose:0.5",
    "skew:percent=50/80/120,rounds=preflop,passive=0.3,hands=K",
]


def table(text: str) -> TabularAgent:
    return make_kind(TabularAgent, text, ISO)


def plans_of(agent):
    first, second = (
        plan_from_behaviour(*pair) for pair in zip(GAME.trees, agent.strategy.behaviours, strict=True)
    )
    return first, second


def frequencies(agent):
    """Mean number of folds, calls and raises per hand when an agent plays itself."""
    counts = np.zeros((2, 2, 3))
    naive_variants.action_frequencies(
        ISO.start(), naive_variants.looked_up(GAME, agent.strategy.behaviours), counts
    )
    return counts.sum(axis=(0, 1))


@pytest.mark.parametrize("text", TEXTS)
def test_each_is_a_valid_strategy_that_can_be_exploited(text):
    agent = make_agent(text, ISO)
    assert isinstance(agent, TabularAgent)
    assert agent.name == text
    for tree, behaviour in zip(GAME.trees, agent.strategy.behaviours, strict=True):
        verify_behaviour(tree, behaviour)
    equilibrium = make_agent("equilibrium", ISO)
    assert exploitability(GAME, plans_of(agent)) > exploitability(GAME, plans_of(equilibrium)) + 0.01


def test_names_on_the_command_line():
    names = {entry.name for entry in OPPONENTS}
    assert all(AGENTS[entry.name] is entry for entry in OPPONENTS)
    assert not names & {entry.name for entry in SIMPLE}
    assert names == {"orange", "orange-pot", "loose", "tight", "passive", "aggressive", "skew"}


def test_they_sit_down_at_a_table():
    result = play_named("leduc:iso", ("loose", "skew:tight=0.4,hands=weak"), 50, seed=1)
    assert result.agents == ("loose", "skew:tight=0.4,hands=weak")
    assert np.abs(result.profits.sum(axis=2)).max() == 0


def test_default_amount_and_a_chosen_one():
    usual, named = table("loose"), table("loose:0.2")
    assert np.array_equal(usual.strategy.behaviours[0], named.strategy.behaviours[0])
    more = table("loose:0.6")
    assert exploitability(GAME, plans_of(more)) > exploitability(GAME, plans_of(usual))
    skewed = find_skewed(Source(ISO), parse_skews("loose=0.6"))
    assert np.array_equal(more.strategy.behaviours[1], skewed.behaviours[1])


def test_presets():
    """A word is its preset; an amount behind it changes the amount only."""
    assert set(PRESETS) == set(SHIFTS)
    for word, preset in PRESETS.items():
        assert preset.what == word
    tight = find_skewed(Source(ISO), parse_skews("tight=0.5,hands=weak+middle"))
    assert np.array_equal(table("tight:0.5").strategy.behaviours[0], tight.behaviours[0])


def test_no_amount_is_the_equilibrium():
    plain, same = table("equilibrium"), table("tight:0")
    for old, new in zip(plain.strategy.behaviours, same.strategy.behaviours, strict=True):
        assert np.array_equal(old, new)


@pytest.mark.parametrize(
    ("name", "action", "sign"), [("loose", 0, -1), ("tight", 0, 1), ("passive", 2, -1), ("aggressive", 2, 1)]
)
def test_directions(name, action, sign):
    plain, bent = (frequencies(make_agent(text, ISO)) for text in ("equilibrium", name))
    assert sign * (bent[action] / bent.sum() - plain[action] / plain.sum()) > 0.005


@pytest.mark.compiled
@pytest.mark.parametrize(("text", "of"), [("orange", "win"), ("orange-pot", "pot")])
def test_orange(text, of):
    plans = plans_of(make_agent(text, ISO))
    assert sum(deviation_gains(with_winner_bonus(GAME, 0.07, of), plans)) / 2 <= 2e-3
    same = find_orange(Source(ISO), of)
    assert np.array_equal(plans[0], plan_from_behaviour(GAME.trees[0], same.behaviours[0]))


@pytest.mark.parametrize(
    ("text", "game", "message"),
    [
        ("orange", limit_holdem(), "'orange' needs a card abstraction in 'limit', such as orange:5-5-5-5"),
        (
            "loose:0.3",
            limit_holdem(),
            "'loose:0.3' needs a card abstraction in 'limit', such as loose:5-5-5-5",
        ),
        ("tight:5-5-5-5", ISO, "'tight:5-5-5-5' has a card abstraction, but 'leduc:iso' needs none"),
        ("skew", ISO, "'skew' does not say how it is skewed; write such as skew:loose=0.3,hands=weak"),
        ("skew:5-5-5-5", limit_holdem(), "write such as skew:5-5-5-5:loose=0.3,hands=weak"),
        ("loose:much", ISO, "the amount of 'loose' is 'much'; expected a number"),
        ("loose:5-5-5-5x", ISO, "the amount of 'loose' is '5-5-5-5x'; expected a number"),
        ("skew:wild=1", ISO, "'wild' is not a skew"),
        ("aggressive:2", ISO, "the amount of 'aggressive' is '2'; expected a number from 0 to 1"),
    ],
)
def test_refusals(text, game, message):
    with pytest.raises(ParseError) as caught:
        make_agent(text, game)
    assert message in str(caught.value)
