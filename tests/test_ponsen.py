"""The agent ponsen: takes what wins most, learns, keeps to its budget, and knows no hidden card."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from soulread.cards.deck import parse_cards
from soulread.errors import ParseError
from soulread.games.named import parse_game
from soulread.games.poker import CALL, FOLD, replay
from soulread.model.relational.bayes import uninformed_prior
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.matches import Match
from soulread.play.opponents.baselines import AlwaysCall, Random
from soulread.play.search.outlook import Limits, Outlook
from soulread.play.search.ponsen import FIRST_HANDS, OpponentTrees, Ponsen

pytestmark = pytest.mark.compiled


def agent(text: str = "ponsen:playouts=200", game: str = "nolimit") -> Ponsen:
    made = parse_agent(text).make(parse_game(game))
    assert isinstance(made, Ponsen)
    return made


def river(hole: str, betting: str = "r6c/cc/cc/r26", other: str = "2c7d"):
    """The last round heads-up, a bet of 20 into 12; seat 1 has ``hole`` and is to act."""
    return replay(parse_game("nolimit"), betting, parse_cards(other + hole + "KsKhKdQsJh"))


def test_it_raises_the_nuts_and_folds_the_worst_hand() -> None:
    ponsen, rng = agent("ponsen:playouts=2000"), np.random.default_rng(1)
    assert ponsen.act(river("KcAd").view(1), rng) > CALL
    assert ponsen.outlook is not None
    assert ponsen.outlook.actions == (CALL, 52, 78, 130, 200)
    assert ponsen.act(river("3c2d").view(1), rng) == FOLD


def test_it_learns_who_never_folds() -> None:
    game = parse_game("nolimit")
    ponsen = agent("ponsen:playouts=60")
    match = Match(game, (ponsen, AlwaysCall()), 25)
    match.play(2)
    assert "has models of 1 player" in ponsen.sentence()
    view = replace(river("KcAd").view(1), players=("always-call", ponsen.name))
    known = ponsen.opponents.policy(view, (0.0,) * 5)  # type: ignore[arg-type]
    ponsen.reset()
    stranger = ponsen.opponents.policy(view, (0.0,) * 5)  # type: ignore[arg-type]
    assert known.chances[0, :, :, FOLD].mean() < 0.7 * stranger.chances[0, :, :, FOLD].mean()
    assert np.array_equal(known.chances[1], stranger.chances[1])
    assert ponsen.sentence() == "knows nobody yet"
    fixed = agent("ponsen:playouts=60,learn=0")
    Match(game, (fixed, AlwaysCall()), 5).play(2)
    assert fixed.sentence() == "knows nobody yet"


@pytest.mark.parametrize("seats", [2, 6, 9])
def test_its_decisions_do_not_depend_on_hidden_cards(seats: int) -> None:
    """The same view of hands whose other cards differ: the same choice, belief and outlook."""
    game = parse_game("nolimit" if seats == 2 else f"nolimit:players={seats}")
    rng = np.random.default_rng(seats)
    cards = rng.permutation(52).tolist()
    betting = "c" * seats + "/"
    found = []
    for turn in (0, 7):
        hidden = cards[2 * seats + 3 :] if turn else cards[2 : 2 * seats]
        own = seats - 1 if seats > 2 else 0
        holes = iter(hidden)
        dealt = [
            card
            for seat in range(seats)
            for card in (cards[:2] if seat == own else (next(holes), next(holes)))
        ]
        state = replay(
            game, betting + "c" * (seats - 1 if seats > 2 else 0), dealt + cards[2 * seats : 2 * seats + 3]
        )
        assert state.player == own
        ponsen = agent("ponsen:playouts=200", game.name)
        view = state.view(own)
        action = ponsen.act(view, np.random.default_rng(5))
        ranges = {seat: weights.tolist() for seat, weights in ponsen.belief(view).ranges.items()}
        assert ponsen.outlook is not None
        found.append((action, replace(ponsen.outlook, chunks=0), ranges))  # chunks are short on a new board
    assert found[0] == found[1]


def test_a_budget_is_looked_at_after_every_chunk_and_begins_with_the_decision() -> None:
    """A clock that moves a second whenever it is read: reading ranges counts as well."""
    ponsen = agent("ponsen:budget=6.5")
    ticks = itertools.count()
    ponsen.clock = lambda: float(next(ticks))
    ponsen.act(river("Qd9d").view(1), np.random.default_rng(0))
    assert ponsen.outlook is not None
    assert ponsen.outlook.clear or ponsen.outlook.chunks == 7
    assert ponsen.options.limits == Limits(budget=6.5)
    assert agent("ponsen:playouts=100").options.limits.budget == 0


def test_a_dearer_action_must_be_clearly_ahead() -> None:
    def outlook(values: tuple[float, ...], error: float) -> Outlook:
        apart = tuple(tuple(error for _ in values) for _ in values)
        return Outlook((1, 4, 200), values, (error,) * 3, apart, 300, 1, False, 0)

    assert outlook((1.0, 1.5, 2.0), 0.4).careful(True, 1.0) == 200
    assert outlook((1.0, 1.5, 2.0), 0.6).careful(True, 1.0) == 4
    assert outlook((1.0, 1.5, 2.0), 1.1).careful(True, 1.0) == CALL
    assert outlook((1.0, 1.5, 2.0), 3.0).careful(True, 1.0) == FOLD
    assert outlook((1.0, 1.5, 2.0), 3.0).careful(False, 1.0) == CALL
    assert outlook((-1.0, -1.5, -2.0), 0.1).careful(True, 1.0) == FOLD


def test_trees_are_grown_after_twenty_forty_eighty_hands(tmp_path) -> None:
    """A prior that knows nothing, from a file; the trees of a caller then say so."""
    file = tmp_path / "prior.safetensors"
    uninformed_prior().save(file)
    game = parse_game("nolimit")
    ponsen = agent(f"ponsen:playouts=20,learner=tree,prior={file}")
    opponents = ponsen.opponents
    assert isinstance(opponents, OpponentTrees)
    match = Match(game, (ponsen, AlwaysCall()), FIRST_HANDS)
    match.play(2)
    assert ponsen.sentence() == "has trees of 1 player of 1"
    assert opponents.of("always-call").num_hands == FIRST_HANDS
    assert opponents.of("somebody").num_hands == 0
    state = river("KcAd")
    view = replace(state.view(1), players=("always-call", ponsen.name))
    assert ponsen.act(view, np.random.default_rng(0)) in view.legal
    assert ponsen.belief(view).ranges[0].sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ponsen:sizes=big", "are no sizes"),
        ("ponsen:budget=-1", "budget=-1.0; expected at least 0"),
        ("ponsen:learner=net", "expected table or tree"),
        ("ponsen:prior=x", "prior is for learner=tree"),
        ("ponsen:learn=2", "expected 0 or 1"),
    ],
)
def test_wrong_options_get_one_sentence(text: str, told: str) -> None:
    with pytest.raises(ParseError, match=told):
        parse_agent(text)


def test_nine_seats_with_antes_and_short_stacks() -> None:
    game = parse_game("nolimit:players=9,stacks=100/7/20/300/45/45/3/80/11,ante=1")
    won = Match(game, (agent("ponsen:playouts=40", game.name), *(Random() for _ in range(8))), 6).play(1)
    assert np.allclose(won.sum(axis=1), 0)
