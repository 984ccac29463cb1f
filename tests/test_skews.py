import known_values
import naive_variants
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from soulread.errors import ParseError, SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.play.opponents.baselines import AlwaysCall, AlwaysFold, AlwaysRaise, Probe, Random
from soulread.seqform.betting import betting_tree
from soulread.seqform.compile import compile_factored, compile_game
from soulread.seqform.strategy import plan_from_behaviour, random_behaviour, verify_behaviour
from soulread.seqform.treeplex import ProductLabels
from soulread.solvers.best_response import best_response
from soulread.solvers.exploitability import exploitability
from soulread.solvers.lp import solve_exactly
from soulread.solvers.skews import (
    BASELINES,
    Skew,
    baseline_behaviour,
    equities,
    format_skews,
    parse_skews,
    random_skews,
    skew_behaviour,
    skew_behaviours,
    strength_ranks,
    strength_thirds,
)

LEDUC = compile_factored(leduc(suit_isomorphic=True))
EQUILIBRIUM = solve_exactly(LEDUC)


def plans_of(behaviours):
    first, second = (plan_from_behaviour(*pair) for pair in zip(LEDUC.trees, behaviours, strict=True))
    return first, second


def frequencies(behaviours):
    """Mean number of actions per hand ``[seat, round, action]`` when a pair plays itself."""
    counts = np.zeros((2, 2, 3))
    start = leduc(suit_isomorphic=True).start()
    naive_variants.action_frequencies(start, naive_variants.looked_up(LEDUC, behaviours), counts)
    return counts


places = st.tuples(
    st.sets(st.integers(0, 3)).map(lambda rounds: tuple(sorted(rounds))),
    st.lists(st.sampled_from(["weak", "middle", "strong", "J", "A", "2"]), unique=True).map(tuple),
)
amounts = st.floats(0, 1)
percentages = st.tuples(*[st.floats(0.01, 500)] * 3)
shifts = st.builds(
    lambda what, amount, place: Skew(what, (amount,), *place),
    st.sampled_from(["loose", "tight", "passive", "aggressive"]),
    amounts,
    places,
)
skews = shifts | st.builds(lambda amount, place: Skew("percent", amount, *place), percentages, places)


@given(st.lists(skews, min_size=1, max_size=3).map(tuple))
def test_text_and_back(several):
    assert parse_skews(format_skews(several)) == several


def test_text():
    assert parse_skews("loose=0.3,rounds=flop+preflop,hands=weak") == (
        Skew("loose", (0.3,), (0, 1), ("weak",)),
    )
    assert str(Skew("percent", (80, 120, 100), (1,))) == "percent=80/120/100,rounds=flop"
    assert parse_skews("passive=1,rounds=turn,tight=.5,hands=J+Q") == (
        Skew("passive", (1.0,), (2,)),
        Skew("tight", (0.5,), (), ("J", "Q")),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' in the skew ''; expected loose=0.3"),
        ("loose", "'loose' in the skew 'loose'; expected"),
        ("rounds=flop,loose=1", "'rounds=flop' comes first in 'rounds=flop,loose=1'; say what is skewed"),
        ("loose=0.1,rounds=flop,rounds=turn", "'rounds' is given twice for one skew"),
        ("wild=0.3", "'wild' is not a skew; known are loose, tight, passive, aggressive, percent"),
        ("loose=much", "the amount of 'loose' is 'much'; expected a number such as 0.3"),
        ("loose=1.5", "the amount of 'loose' is '1.5'; expected a number from 0 to 1"),
        ("loose=1/2/3", "the amount of 'loose' is '1/2/3'; expected a number from 0 to 1"),
        ("percent=50", "the amount of 'percent' is '50'; expected three numbers from 0 up"),
        ("percent=0/0/0", "not all 0, such as 80/120/100"),
        ("loose=1,rounds=fourth", "'fourth' is not a round; expected some of preflop, flop, turn, river"),
        ("loose=1,hands=good", "hands 'good'; expected some of weak, middle, strong, or ranks"),
    ],
)
def test_bad_text(text, message):
    with pytest.raises(ParseError) as caught:
        parse_skews(text)
    assert message in str(caught.value)


def test_rounds_of_a_record():
    with pytest.raises(ParseError, match=r"rounds \(1, 0\); expected some of 0 to 3, ascending"):
        Skew("loose", (0.1,), (1, 0))


@given(st.lists(skews, max_size=3), st.integers(0, 2**32))
def test_bent_behaviours_are_behaviours(several, seed):
    several = [
        Skew(skew.what, skew.amount, tuple(r for r in skew.rounds if r < 2), tuple(set(skew.hands) - {*"A2"}))
        for skew in several
    ]
    for player in (0, 1):
        behaviour = random_behaviour(LEDUC.trees[player], np.random.default_rng(seed))
        kept = behaviour.copy()
        bent = skew_behaviour(LEDUC, player, behaviour, several)
        verify_behaviour(LEDUC.trees[player], bent)
        assert np.array_equal(behaviour, kept)


@pytest.mark.parametrize("text", ["loose=0", "tight=0", "passive=0", "aggressive=0", "percent=100/100/100"])
def test_nothing_changes_without_an_amount(text):
    bent = skew_behaviours(LEDUC, EQUILIBRIUM.behaviours, parse_skews(text))
    for old, new in zip(EQUILIBRIUM.behaviours, bent, strict=True):
        assert new == pytest.approx(old, abs=1e-12)


@pytest.mark.parametrize(
    ("what", "less", "more"),
    [("loose", 0, 1), ("tight", 1, 0), ("passive", 2, 1), ("aggressive", 1, 2), ("percent", 1, 2)],
)
def test_direction_of_each_skew(what, less, more):
    """Shares of the actions where both are legal, weighed by how often a hand gets there."""
    amount = (100, 50, 150) if what == "percent" else (0.3,)
    old, new = (
        frequencies(skew_behaviours(LEDUC, EQUILIBRIUM.behaviours, several)).sum(axis=(0, 1))
        for several in ((), (Skew(what, amount),))
    )
    assert new[less] / new.sum() < old[less] / old.sum() - 0.01
    assert new[more] / new.sum() > old[more] / old.sum() + 0.01


@pytest.mark.parametrize("what", ["loose", "tight", "passive", "aggressive"])
def test_the_more_skewed_the_more_exploitable(what):
    found = [
        exploitability(LEDUC, plans_of(skew_behaviours(LEDUC, EQUILIBRIUM.behaviours, (Skew(what, (x,)),))))
        for x in (0.0, 0.15, 0.3, 0.6, 0.9)
    ]
    assert found[0] == pytest.approx(0, abs=1e-9)
    assert found[1] > 0.02
    assert found == sorted(found)


def test_only_the_places_named_change():
    skew = parse_skews("aggressive=0.5,rounds=flop,hands=K")
    tree = LEDUC.trees[0]
    behaviour = random_behaviour(tree, np.random.default_rng(4))
    bent = skew_behaviour(LEDUC, 0, behaviour, skew)
    for j in range(tree.num_sets):
        label, rows = tree.label(j), tree.sequences(j)
        here = label.startswith("K") and "/" in label and 2 in tree.legal_actions(j)
        assert np.array_equal(behaviour[rows], bent[rows]) is not here
        if here:
            call = tree.legal_actions(j).index(1)
            assert bent[rows][call] == pytest.approx(behaviour[rows][call] / 2)


def test_percentages_multiply():
    tree = LEDUC.trees[1]
    behaviour = random_behaviour(tree, np.random.default_rng(4))
    bent = skew_behaviour(LEDUC, 1, behaviour, parse_skews("percent=50/100/200"))
    for j in range(tree.num_sets):
        weighed = behaviour[tree.sequences(j)] * np.array([50, 100, 200])[list(tree.legal_actions(j))]
        assert bent[tree.sequences(j)] == pytest.approx(weighed / weighed.sum())
    never = baseline_behaviour(tree, "always-call")
    assert np.array_equal(skew_behaviour(LEDUC, 1, never, parse_skews("percent=50/0/50")), never)


def test_strength_in_leduc():
    """J, Q and K before the flop; pairs win, and what is left is split by rank."""
    labels = LEDUC.trees[0].labels
    assert isinstance(labels, ProductLabels)
    states = labels.states
    assert dict(zip(states[0], strength_thirds(LEDUC)[0], strict=True)) == {"J|": 0, "Q|": 1, "K|": 2}
    flop = dict(zip(states[1], equities(LEDUC)[1], strict=True))
    assert flop["J|J"] == flop["K|K"] == 1.0
    assert flop["J|Q"] == pytest.approx((0 * 4 + 0.5) / 4 + 0 * 3)  # J ties J; loses to Q and both K
    thirds = dict(zip(states[1], strength_thirds(LEDUC)[1], strict=True))
    assert [thirds[state] for state in ("J|K", "J|Q", "Q|Q", "K|K", "J|J")] == [0, 0, 2, 2, 2]
    assert thirds["K|Q"] == 1
    ranks = dict(zip(states[0], strength_ranks(LEDUC)[0], strict=True))
    assert ranks == pytest.approx({"J|": 1 / 6, "Q|": 1 / 2, "K|": 5 / 6})  # its own third counts half
    preflop = dict(zip(states[0], equities(LEDUC)[0], strict=True))
    assert preflop["Q|"] == pytest.approx(0.5)
    assert preflop["J|"] + preflop["K|"] == pytest.approx(1.0)


def test_refusals():
    tree = LEDUC.trees[0]
    behaviour = random_behaviour(tree, np.random.default_rng(0))
    with pytest.raises(SoulreadError, match="names the turn, but 'leduc:iso' has 2 rounds"):
        skew_behaviour(LEDUC, 0, behaviour, parse_skews("loose=0.1,rounds=turn"))
    with pytest.raises(SoulreadError, match="no private state of 'leduc:iso' has a hole card of rank 'A'"):
        skew_behaviour(LEDUC, 0, behaviour, parse_skews("loose=0.1,hands=A"))
    sparse = compile_game(kuhn())
    plain = random_behaviour(sparse.trees[0], np.random.default_rng(0))
    with pytest.raises(SoulreadError, match="'kuhn' is not compiled as betting tree times private states"):
        skew_behaviour(sparse, 0, plain, parse_skews("loose=0.1"))
    with pytest.raises(SoulreadError, match="'kuhn' has sparse payoffs, which do not say how strong"):
        equities(sparse)
    with pytest.raises(ParseError, match="'bluffer' is not a baseline; known are random, always-fold"):
        baseline_behaviour(tree, "bluffer")


def common_round(member):
    """The round in which a complex member bends every hand: its last skew is of cards without triplets."""
    return member[-1].rounds


@pytest.mark.parametrize("kind", ["simple", "complex"])
def test_populations_are_as_exploitable_as_published(kind):
    """Tansey's figures have 0 to .42 (simple, most below .1) and .02 to .33 (complex), of the second seat."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(100):
        bent = skew_behaviour(LEDUC, 1, EQUILIBRIUM.behaviours[1], random_skews(kind, rng))
        gradient = LEDUC.payoff.gradient(0, plan_from_behaviour(LEDUC.trees[1], bent))
        found.append(best_response(LEDUC.trees[0], gradient)[0] - known_values.LEDUC_VALUE)
    assert 0 <= min(found) < 0.05
    assert 0.25 < max(found) < 0.55
    assert np.median(found) < 0.12


@pytest.mark.parametrize("kind", ["simple", "complex"])
def test_populations(kind):
    rng = np.random.default_rng(7)
    members = [random_skews(kind, rng) for _ in range(200)]
    assert len(set(members)) == 200
    for member in members[:20]:
        assert parse_skews(format_skews(member)) == member
        for skew in member:
            assert min(skew.amount) >= 100
            also_in_the_round = skew is not member[-1] and skew.rounds == common_round(member)
            triplets = 1 + (kind == "complex" and also_in_the_round)
            assert sum(skew.amount) == pytest.approx(300 + 100 * triplets, abs=3)  # whole numbers
        for player in (0, 1):
            bent = skew_behaviour(LEDUC, player, EQUILIBRIUM.behaviours[player], member)
            verify_behaviour(LEDUC.trees[player], bent)
    if kind == "complex":
        assert {common_round(member) for member in members} == {(0,), (1,)}
        assert {hand for member in members for skew in member for hand in skew.hands} == set("JQK")
    with pytest.raises(
        SoulreadError, match="a population of 'odd' opponents; known are 'simple' and 'complex'"
    ):
        random_skews("odd", rng)


AGENTS = {
    "random": Random(),
    "always-fold": AlwaysFold(),
    "always-call": AlwaysCall(),
    "always-raise": AlwaysRaise(),
    "probe": Probe(),
}


class Counted:
    """A stream that gives each of ``parts`` equal parts of [0, 1) once."""

    def __init__(self, parts):
        self.values = [(i + 0.5) / parts for i in range(parts)]

    def random(self):
        return self.values.pop()


def frequencies_of(agent, view):
    """Exact, because 1, 2 or 3 options are equally likely and 6 draws cover them all evenly."""
    stream = Counted(6)
    chosen = [agent.act(view, stream if len(stream.values) else Counted(6)) for _ in range(6)]
    return [chosen.count(action) / 6 for action in view.legal]


@pytest.mark.parametrize("name", BASELINES)
@pytest.mark.parametrize("game", [kuhn(), leduc(suit_isomorphic=True)], ids=lambda game: game.name)
def test_baselines_play_like_the_agents(game, name):
    compiled = compile_factored(game)
    behaviours = [baseline_behaviour(tree, name) for tree in compiled.trees]
    seen = set()

    def walk(state):
        if state.player == TERMINAL:
            return
        if state.player == CHANCE:
            for card, _ in state.chance_outcomes():
                walk(state.apply(card))
            return
        view = state.view(state.player)
        tree = compiled.trees[state.player]
        if (state.player, view.information) not in seen:
            seen.add((state.player, view.information))
            found = behaviours[state.player][tree.sequences(tree.index(view.information))]
            assert list(found) == pytest.approx(frequencies_of(AGENTS[name], view))
        for action in view.legal:
            walk(state.apply(action))

    walk(game.start())
    assert len(seen) == sum(tree.num_sets for tree in compiled.trees)


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_in_limit_holdem(name):
    """At every betting node: the behaviour depends on the legal actions alone, as the agents' does."""
    betting = betting_tree(limit_holdem())
    legal = {actions for actions in betting.actions if actions}
    assert legal == {(0, 1), (0, 1, 2), (1, 2)} | ({(1,)} if (1,) in legal else set())
    tree = compile_factored(leduc()).trees[0]
    behaviour = baseline_behaviour(tree, name)
    verify_behaviour(tree, behaviour)
    assert {tuple(tree.legal_actions(j)) for j in range(tree.num_sets)} >= legal
