"""The average of models by how well they predicted."""

import numpy as np
import pytest
from named import compile_source, equilibrium_of, make_agent
from numpy.testing import assert_allclose

from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.hands.hand import Hand
from soulread.model.bayes.beliefs import EvidenceModel
from soulread.model.bayes.evidence import likelihood
from soulread.model.bayes.mixture import AveragedModel, Fixed, Named, average_of
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match
from soulread.seqform.strategy import Plan, behaviour_from_plan, plan_from_behaviour, uniform_behaviour

GAME = compile_source("kuhn")
BASE = equilibrium_of("kuhn").behaviours
UNIFORM = uniform_behaviour(GAME.trees[0]), uniform_behaviour(GAME.trees[1])


def hands_of(villain: str, count: int, seed: int = 1) -> list[Hand]:
    """Hands of ``villain`` against somebody who plays at random, as that player saw them."""
    game = parse_game("kuhn")
    hands: list[Hand] = []

    def note(hand: LiveHand) -> None:
        seat = len(hands) % 2  # the first agent sits in seat 0 in the first hand, then in turns
        hands.append(hand.seen_by(seat))

    Match(game, (make_agent("random", game), make_agent(villain, game)), count).play(seed, record=note)
    return hands


def two(drift: float = 0.0) -> AveragedModel:
    members = Named("equilibrium", Fixed(GAME, BASE), 3.0), Named("uniform", Fixed(GAME, UNIFORM), 1.0)
    return AveragedModel(GAME, members, drift)


def test_before_any_hand_it_is_the_prior_mean_of_plans() -> None:
    model = two().fit(())
    for seat, tree in enumerate(GAME.trees):
        plans = [plan_from_behaviour(tree, own[seat]) for own in (BASE, UNIFORM)]
        mixed = behaviour_from_plan(tree, Plan(0.75 * plans[0] + 0.25 * plans[1]))
        assert_allclose(model.strategy(seat), mixed, atol=1e-6)


@pytest.mark.parametrize("drift", [0.0, 0.05])
def test_weights_follow_bayes(drift: float) -> None:
    model = two(drift)
    weights, losses, own = np.array([0.75, 0.25]), np.zeros(2), 0.0
    for hand in hands_of("random", 30):
        evidence = model.reader.read(hand, hand.opponent)
        tree = GAME.trees[evidence.player]
        chances = np.array(
            [likelihood(evidence, plan_from_behaviour(tree, m[evidence.player])) for m in (BASE, UNIFORM)]
        )
        weights = (1 - drift) * weights + drift * np.array([0.75, 0.25])
        own -= np.log(weights @ chances)
        losses -= np.log(np.maximum(chances, 1e-12))
        weights = weights * chances / (weights @ chances)
        model.update(hand)
    assert_allclose(model.weights, weights, atol=1e-9)
    assert_allclose(model.log_loss, losses)
    assert model.own_log_loss == pytest.approx(own)


def test_members_are_judged_by_what_they_said_before() -> None:
    """A member that thinks otherwise since the first hand is judged so only after it was asked again."""

    class Fickle(Fixed):
        """The equilibrium, but since the first hand everything is equally likely."""

        def update(self, hand, player=None):
            self._behaviours = UNIFORM
            return self

    model = AveragedModel(
        GAME, (Named("base", Fixed(GAME, BASE), 1), Named("fickle", Fickle(GAME, BASE), 1)), every=7
    )
    hands = hands_of("random", 8)
    for hand in hands[:7]:
        model.update(hand)
    assert_allclose(model.weights, [0.5, 0.5])
    assert (model.asked, model.next_asked) == (7, 14)
    model.update(hands[7])
    assert not np.allclose(model.weights, [0.5, 0.5])


def test_asking_changes_nothing() -> None:
    one, two_ = average_of(GAME, BASE, every=10), average_of(GAME, BASE, every=10)
    for hand in hands_of("random", 25):
        one.update(hand)
        two_.update(hand)
        one.strategy(0)
    assert_allclose(one.weights, two_.weights, rtol=1e-12)
    assert_allclose(one.strategy(1), two_.strategy(1), rtol=1e-12)


def test_it_stays_with_the_equilibrium_and_leaves_it_for_what_predicts_better() -> None:
    """The opponent is the equilibrium, then somebody who always calls."""
    found, predicted = {}, {}
    for villain in ("equilibrium", "always-call"):
        model = average_of(GAME, BASE)
        for hand in hands_of(villain, 400):
            model.update(hand)
        names = [member.name for member in model.members]
        found[villain] = dict(zip(names, model.weights.tolist(), strict=True))
        predicted[villain] = model.own_log_loss - model.log_loss[names.index("equilibria")]
    near = found["equilibrium"]
    assert near["equilibria"] > 0.4
    assert near["equilibria"] + near["tilts"] + near["mild"] > 0.9  # the three hardly differ here
    assert predicted["equilibrium"] < 1  # nat lost by not knowing that it is one
    assert found["always-call"]["equilibria"] < 0.01
    assert predicted["always-call"] < -50


def changing(first: str, second: str, each: int = 200) -> list[Hand]:
    return hands_of(first, each) + hands_of(second, each, seed=2)


def test_a_change_is_noticed_and_what_was_before_is_forgotten() -> None:
    model = average_of(GAME, BASE, every=10)
    hands = changing("always-call", "always-fold")
    number = 0
    while not model.since:
        model.update(hands[number])
        number += 1
    assert 200 < number <= 230  # noticed after so many hands
    assert 195 <= model.since <= number  # believed to have come then
    assert model.asked == number  # the members were asked at once
    learnt = [member.model.num_hands for member in model.members if isinstance(member.model, EvidenceModel)]
    assert learnt == [number - model.since] * len(model.members)
    fresh = average_of(GAME, BASE, every=10)
    for hand in hands[model.since : number]:
        fresh.update(hand)
    assert_allclose(model.members[3].model.strategy(0), fresh.members[3].model.strategy(0), atol=1e-6)


@pytest.mark.compiled
@pytest.mark.parametrize("villain", ["equilibrium", "always-call", "random"])
def test_who_does_not_change_is_not_said_to(villain: str) -> None:
    model = average_of(GAME, BASE, every=10)
    for hand in hands_of(villain, 600):
        model.update(hand)
    assert model.since == 0
    assert model.next_asked - model.asked == model.asked // 10


def test_all_that_is_possible_is_what_members_say_by_weight() -> None:
    model = AveragedModel(
        GAME,
        (Named("base", Fixed(GAME, BASE), 3.0), Named("uniform", Fixed(GAME, UNIFORM), 1.0, doubt=0.8)),
    )
    for hand in hands_of("equilibrium", 4):
        model.update(hand)
    possible = model.possible()
    assert_allclose(possible.weights, model.weights * [1, 1 - 0.4])
    assert possible.doubt == pytest.approx(0.4 * model.weights[1])
    for seat, tree in enumerate(GAME.trees):
        plans = [plan_from_behaviour(tree, pair[seat]) for pair in (BASE, UNIFORM)]
        mean = possible.weights @ np.array(plans) / possible.weights.sum()
        assert_allclose(possible.mean(seat), mean, atol=1e-9)
    slopes = tuple(np.arange(tree.num_sequences, dtype=float) for tree in GAME.trees)
    for row, pair in enumerate((BASE, UNIFORM)):
        expected = sum(
            plan_from_behaviour(tree, pair[seat]) @ slopes[seat] for seat, tree in enumerate(GAME.trees)
        )
        assert possible.products((slopes[0], slopes[1]))[row] == pytest.approx(expected)


def test_a_member_of_no_weight_is_passed_over() -> None:
    class Counted(Fixed):
        asked = 0

        def strategy(self, seat):
            Counted.asked += 1
            return super().strategy(seat)

    model = AveragedModel(
        GAME, (Named("good", Fixed(GAME, UNIFORM), 1), Named("bad", Counted(GAME, BASE), 1))
    )
    for hand in hands_of("random", 120):
        model.update(hand)
    asked = Counted.asked
    assert model.weights[1] < 1e-4
    assert_allclose(model.strategy(0), UNIFORM[0])
    assert Counted.asked == asked
    model.reset()
    assert_allclose(model.weights, [0.5, 0.5])


def test_refusals() -> None:
    with pytest.raises(SoulreadError, match="needs members"):
        AveragedModel(GAME, ())
    with pytest.raises(SoulreadError, match="drift=1"):
        two(drift=1)
