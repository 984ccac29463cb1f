"""Models by completed hands: tables, ranges, learning with hidden cards."""

from pathlib import Path

import naive_completed as naive
import numpy as np
import pytest
from numpy.testing import assert_allclose

from soulread.cards.deck import parse_cards
from soulread.cards.ranges import hand_index
from soulread.errors import DamagedFile, ShapeError, SoulreadError
from soulread.games.named import parse_game
from soulread.games.poker import CALL, FOLD, PokerView, replay
from soulread.hands.hand import Hand
from soulread.model.base import CardReader, Model, ask
from soulread.model.situation import NUM_SIZES
from soulread.model.strength_tables import (
    NUM_KINDS,
    NUM_STRENGTHS,
    CompletedModel,
    StrengthPrior,
    classes_on,
    default_prior,
    fitted,
    learn_prior,
    load_prior,
    save_prior,
    sensible_prior,
)
from soulread.play.agent import Agent, MemorylessAgent
from soulread.play.match.matches import Match
from soulread.play.opponents.baselines import AlwaysCall, Random
from soulread.storage.tensors import write_tensors

RING = "nolimit:players=3,stacks=200/60/90"


def some_hands(
    count: int, game: str = RING, agents: tuple[Agent, ...] | None = None, seat: int = 0
) -> list[Hand]:
    """Hands between random players, or others, as the first of them saw them."""
    poker = parse_game(game)
    seated = agents or tuple(Random() for _ in range(poker.num_players))
    found: list[Hand] = []
    match = Match(poker, seated, count)
    match.play(3, record=lambda hand: found.append(hand.seen_by(hand.players.index(match.labels[0]))))
    return found


def some_prior(rng: np.random.Generator) -> StrengthPrior:
    """Chances that mean nothing; where nothing is to be called, nobody folds."""
    chances = rng.dirichlet(np.ones(3), (NUM_KINDS, NUM_STRENGTHS))
    free = np.arange(NUM_KINDS) // 2 % 5 == 0
    chances[free, :, FOLD] = 0.0
    return StrengthPrior(chances / chances.sum(axis=2, keepdims=True), np.ones((2, NUM_SIZES)))


@pytest.mark.compiled
def test_counts_are_those_of_completed_hands() -> None:
    """The first decisions of random hands, with all 1326 holdings one by one; shown cards count whole."""
    prior = some_prior(np.random.default_rng(1))
    compared = {True: 0, False: 0}
    for hand in some_hands(12):
        for seat, player in enumerate(hand.players):
            if seat == hand.observer or not any(actor == seat for actor, _ in hand.actions):
                continue
            hole = hand.hole[seat]
            if compared[hole is not None] >= 3:
                continue
            compared[hole is not None] += 1
            weights = np.eye(1326)[hand_index(*hole)] if hole else naive.complete(hand, seat, prior.chances)
            expected = np.zeros((NUM_KINDS, NUM_STRENGTHS, 3))
            for holding in np.flatnonzero(weights):
                for kind, strength, action, _ in naive.rows_of(hand, seat, int(holding)):
                    expected[kind, strength, action] += weights[holding]
            model = CompletedModel(parse_game(RING), prior).update(hand, player)
            assert np.allclose(model.counts, expected, atol=1e-9)
            assert model.seen == sum(actor == seat for actor, _ in hand.actions)
    assert min(compared.values()) == 3


def test_from_the_prior_to_the_player_step_by_step() -> None:
    rng = np.random.default_rng(2)
    prior = some_prior(rng).chances
    counts = rng.gamma(0.3, 4.0, prior.shape) * (prior > 0)
    assert np.allclose(fitted(prior, counts), naive.fit(prior, counts))
    assert np.allclose(fitted(prior, 0 * counts), prior)
    many = fitted(prior, 1e9 * counts)
    seen = counts.sum(axis=2) > 0
    assert np.allclose(many[seen], (counts / counts.sum(axis=2, keepdims=True))[seen], atol=1e-4)


@pytest.mark.compiled
def test_a_range_is_the_product_of_the_chances_of_what_was_done() -> None:
    game = parse_game("nolimit:players=3")
    cards = parse_cards("AsKs" + "9h9d" + "8s8c" + "3h4cJh")
    state = replay(game, "r6cc/r20", cards)
    view = state.view(2)
    model = CompletedModel(game)
    chances = model.chances
    before, flop = classes_on((), 3), classes_on(tuple(view.board), 3)
    called = chances[5]  # before the flop, a middle price, more than two left
    bet = chances[11]  # the flop, nothing to call, more than two left
    dead = {*view.hole, *view.board}
    expected = np.array(
        [
            0.0 if dead & set(hand) else called[before[n], CALL] * bet[flop[n], 2]
            for n, hand in enumerate(game.holdings)
        ]
    )
    assert np.allclose(model.holdings(view, 0), expected / expected.sum())
    own = model.holdings(view, 2)
    assert own[hand_index(*view.hole)] == 1
    assert isinstance(model, Model)
    assert isinstance(model, CardReader)
    assert model.holdings(replay(game, "", cards[:6]).view(2), 1).max() == pytest.approx(1 / 1225)


@pytest.mark.compiled
@pytest.mark.parametrize("betting", ["", "r6", "r200", "r6cc/", "r6cc/r20c"])
def test_answers_are_legal_and_sum_to_one(betting: str) -> None:
    game = parse_game("nolimit:players=3")
    cards = parse_cards("AsKs" + "9h9d" + "8s8c" + "3h4cJh")
    state = replay(game, betting, cards if "/" in betting else cards[:6])
    model = CompletedModel(game).update(some_hands(3, "nolimit:players=3")[0], "random#2")
    for seat in range(3):
        answer = ask(model, state.view(seat), state.player)
        assert sum(answer.values()) == pytest.approx(1)


class Cautious(MemorylessAgent):
    """Calls any bet with a pair before the flop, folds everything else; never raises."""

    name = "cautious"

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        pair = view.hole[0] >> 2 == view.hole[1] >> 2
        return FOLD if FOLD in view.legal and not pair else CALL


@pytest.mark.compiled
def test_habits_are_learned_from_hands_whose_cards_were_not_seen() -> None:
    """Who always calls, never folds; who folds all but pairs, holds a strong hand after a call."""
    hands = some_hands(60, "nolimit", (Random(), AlwaysCall()))
    caller = CompletedModel(parse_game("nolimit")).fit(hands, "always-call")
    assert caller.chances[2:10:2, :, FOLD].mean() < 0.3 * default_prior().chances[2:10:2, :, FOLD].mean()
    again = CompletedModel(parse_game("nolimit")).fit(hands, "always-call")
    assert np.array_equal(caller.chances, again.chances)
    careful = CompletedModel(parse_game("nolimit")).fit(
        some_hands(60, "nolimit", (Random(), Cautious())), "cautious"
    )
    weak, strong = careful.chances[2:10:2, 0, FOLD].mean(), careful.chances[2:10:2, -1, FOLD].mean()
    assert weak > 0.8
    assert weak > strong


@pytest.mark.compiled
def test_a_prior_is_learned_from_many_players() -> None:
    hands = some_hands(40, "nolimit", (AlwaysCall(), AlwaysCall()))
    prior = learn_prior(hands)
    assert prior.chances[2, :, FOLD].mean() < 0.4 * sensible_prior().chances[2, :, FOLD].mean()
    assert CompletedModel(parse_game("nolimit"), prior).seen == 0
    raised = learn_prior(some_hands(40, "nolimit", (Random(), Random())))
    assert_allclose(raised.sizes.sum(axis=1), sensible_prior().sizes.sum(axis=1))  # own sizes count
    assert not np.allclose(raised.sizes, sensible_prior().sizes)


def test_the_prior_that_comes_with_soulread_is_learned_from_people(tmp_path: Path) -> None:
    prior = default_prior()
    assert not np.allclose(prior.chances, sensible_prior().chances)
    raised = prior.chances[5, :, 2]  # before the flop, more than two left, a raise to call
    assert raised[-1] > 3 * raised[0]  # strong hands raise again, weak ones seldom
    save_prior(prior, tmp_path / "prior.safetensors", "people")
    again = load_prior(tmp_path / "prior.safetensors")
    for kept, same in zip(prior, again, strict=True):
        assert np.array_equal(kept, same)


@pytest.mark.parametrize("fault", ["negative", "not finite", "sum", "shape", "missing"])
def test_a_prior_that_is_not_whole_is_refused(fault: str, tmp_path: Path) -> None:
    chances, sizes = default_prior().chances.copy(), default_prior().sizes
    if fault == "negative":
        chances[0, 0] = 1.5, -0.5, 0.0
    elif fault == "not finite":
        chances[0, 0, 0] = np.nan
    elif fault == "sum":
        chances[0, 0] = 0.5, 0.4, 0.0
    elif fault == "shape":
        sizes = sizes[:, :3]
    path = tmp_path / "prior.safetensors"
    if fault == "missing":
        write_tensors(path, "completed", {"chances": chances}, {})
    else:
        save_prior(StrengthPrior(chances, sizes), path)
        with pytest.raises(SoulreadError, match="of the prior"):
            CompletedModel(parse_game("nolimit"), StrengthPrior(chances, sizes))
    with pytest.raises(DamagedFile, match="no whole prior"):
        load_prior(path)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(SoulreadError, match="not hold'em"):
        CompletedModel(parse_game("leduc"))
    with pytest.raises(ShapeError, match="chances of the prior has shape"):
        CompletedModel(parse_game("nolimit"), StrengthPrior(np.ones((2, 2)), np.ones((2, NUM_SIZES))))
    state = replay(parse_game("nolimit"), "", parse_cards("AsKs9h9d"))
    with pytest.raises(SoulreadError, match="does not act"):
        CompletedModel(parse_game("nolimit")).probabilities(state.view(0), 0)
