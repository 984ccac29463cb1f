import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from named import make_agent, make_kind

from soulread.errors import ParseError, SoulreadError
from soulread.games.named import parse_game
from soulread.play.match.matches import Match
from soulread.play.opponents.baselines import Random
from soulread.play.opponents.changing import (
    ChangingAgent,
    behaviours_of,
    certain,
    course_of,
    drifting_step,
    random_step,
    switching_step,
)
from soulread.seqform.strategy import Behaviour, Behaviours

KUHN = parse_game("kuhn")
LEDUC = parse_game("leduc:iso")


def test_switching_in_turn():
    course = course_of(switching_step(3, every=2), 7, 3)
    assert course.argmax(axis=1).tolist() == [0, 0, 1, 1, 2, 2, 0]
    assert np.array_equal(course.sum(axis=1), np.ones(7))


def test_drifting_goes_round():
    course = course_of(drifting_step(2, over=4), 9, 2)
    assert course[:, 1].tolist() == [0, 0.25, 0.5, 0.75, 1, 0.75, 0.5, 0.25, 0]
    assert np.allclose(course.sum(axis=1), 1)


@given(st.integers(2, 5), st.integers(0, 4), st.floats(0.01, 1), st.floats(0, 1, exclude_max=True))
def test_random_step(strategies, present, rate, uniform):
    present %= strategies
    weights = random_step(strategies, rate)(1, certain(present, strategies), uniform)
    found = int(weights.argmax())
    assert np.array_equal(weights, certain(found, strategies))
    assert (found == present) == (uniform >= rate)


def test_random_course_changes_at_its_rate():
    course = course_of(random_step(3, 0.1), 20_000, 3, np.random.default_rng(1)).argmax(axis=1)
    assert course[0] == 0
    # A count with mean 2000 and standard deviation 42; 5 of them: a false alarm in 1.7 million.
    assert abs(np.count_nonzero(np.diff(course)) - 2000) < 212
    steps = np.bincount(np.diff(course)[np.diff(course) != 0] % 3, minlength=3)
    assert abs(steps[1] - steps[2]) < 5 * np.sqrt(steps.sum())


def test_behaviours_of_a_row():
    members: list[Behaviours] = [
        (Behaviour(np.array([1.0, 0.2])), Behaviour(np.array([1.0, 0.4]))),
        (Behaviour(np.array([1.0, 0.6])), Behaviour(np.array([1.0, 0.0]))),
    ]
    assert behaviours_of(members, np.array([0.0, 1.0])) is members[1]
    first, second = behaviours_of(members, np.array([0.25, 0.75]))
    assert first == pytest.approx([1, 0.5])
    assert second == pytest.approx([1, 0.1])


def actions_of(agent, seat, hands):
    """Which actions the agent took in each hand, against someone random."""
    match = Match(KUHN, (agent, Random()), hands)
    taken = []
    observe = agent.observe

    def note(hand):
        taken.append([action for acting, action in hand.actions if acting == hand.observer])
        observe(hand)

    agent.observe = note
    match.play(seed=3)
    return taken


def test_agent_switches_every_so_many_hands():
    agent = make_agent("switching:every=4|always-raise|always-fold", KUHN)
    taken = actions_of(agent, 0, 16)
    for hand, actions in enumerate(taken):
        raising = hand // 4 % 2 == 0
        assert all((action != 0) if raising else (action != 2) for action in actions)
    assert any(2 in actions for actions in taken)


def test_switching_at_random_begins_with_the_first():
    agent = make_kind(ChangingAgent, "switching:rate=1|always-fold|always-raise", KUHN)
    taken = actions_of(agent, 0, 12)
    assert all(
        (2 in actions or 1 in actions) if hand % 2 else 2 not in actions for hand, actions in enumerate(taken)
    )
    assert agent.weights.sum() == 1


def test_drifting_agent_has_the_weights_of_its_course(monkeypatch):
    agent = make_kind(ChangingAgent, "drifting:over=4|equilibrium|always-call", LEDUC)
    course = course_of(drifting_step(2, 4), 10, 2)
    seen = []
    observe = agent.observe

    def note(hand):
        seen.append(agent.weights.copy())
        observe(hand)

    monkeypatch.setattr(agent, "observe", note)
    Match(LEDUC, (agent, Random()), 10).play(seed=1)
    assert np.array_equal(np.array(seen), course)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "switching",
            r"'switching' does not say when it changes; write switching:every=NUMBER\|AGENT\|AGENT or",
        ),
        ("switching:often=3|loose|tight", "does not say when it changes"),
        ("switching:every=x|loose|tight", "does not say when it changes"),
        ("switching:every=3|loose", r"names 1 strategy; it needs 2 or more, joined by '\|'"),
        ("switching:every=2.5|loose|tight", "every=2.5; expected a number above 0, of hands a whole one"),
        ("switching:rate=2|loose|tight", "rate=2.0; expected above 0 and at most 1"),
        ("drifting:over=0|loose|tight", "over=0; expected a number above 0, of hands a whole one"),
        (
            "drifting:over=5|loose|dbbr",
            r"'dbbr' in 'drifting:over=5\|loose\|dbbr' does not play from a table",
        ),
    ],
)
def test_bad_texts(text, message):
    with pytest.raises(ParseError, match=message):
        make_agent(text, LEDUC)


def test_bad_courses():
    with pytest.raises(SoulreadError, match="1 strategies over 5 hands; expected 2 or more and 1 or more"):
        course_of(switching_step(1, 2), 5, 1)
    with pytest.raises(SoulreadError, match="switching every 0 hands; expected at least 1"):
        switching_step(2, 0)
    with pytest.raises(SoulreadError, match="drifting over 0 hands; expected at least 1"):
        drifting_step(2, 0)


def test_what_was_played_is_one_of_the_strategies_with_its_own_private_states():
    """An equilibrium looks at cards and always-raise does not; each is told as it is."""
    agent = make_kind(ChangingAgent, "switching:every=2|equilibrium|always-raise", KUHN)
    told = []
    Match(KUHN, (agent, Random()), 4).play(seed=1, record=lambda hand: told.append(agent.played(0)))
    first, second = agent.strategies
    assert first.lookup != second.lookup
    assert [strategy is second for strategy in told] == [False, False, True, True]
