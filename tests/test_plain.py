"""Plain players: their bars, their sizes, and what their styles mean."""

from collections import defaultdict

import numpy as np
import pytest

from soulread.cards.deck import parse_cards
from soulread.cards.strength import hand_strength, potential
from soulread.errors import ParseError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.named import parse_game
from soulread.games.poker import CALL, FOLD, replay
from soulread.play.catalogue.known import parse_agent
from soulread.play.opponents.plain import BASE, RAISES, SLOPE, Plain, plain_bars, raise_to
from soulread.play.search.formula import parse_style

RING = "nolimit:players=6"


def player(style: str, game: str = RING) -> Plain:
    return Plain(style, parse_game(game), parse_style(style))


def test_a_raise_is_a_part_of_the_pot_after_the_call_or_the_nearest_legal_one() -> None:
    """Six seats, blinds 1 and 2: a raise to 6 leaves a pot of 9; calling makes it 15."""
    state = replay(parse_game(RING), "r6", parse_cards("2c2d2h2s3c3d3h3s4c4d4h4s"))
    view = state.view(state.player)
    assert raise_to(view, 1.0) == 6 + 15
    assert raise_to(view, 0.5) == 6 + 8  # 7.5 is rounded to the even number
    assert raise_to(view, 0.01) == 10
    assert raise_to(view, 100.0) == 200
    limit = replay(parse_game("ring-limit:6"), "", parse_cards("2c2d2h2s3c3d3h3s4c4d4h4s"))
    assert raise_to(limit.view(limit.player), 3.0) == 2


@pytest.mark.compiled
def test_rating_and_bars_after_the_flop_are_ehs_and_odds() -> None:
    cards = parse_cards("AdQc" + "9h9d" + "8s8c" + "3h4cJh")
    state = replay(parse_game("nolimit:players=3"), "ccc/r6", cards)
    view = state.view(1)
    hole, board = view.hole, view.board
    strength = hand_strength(hole, board).value ** 2
    expected = strength + (1 - strength) * potential(hole, board, lookahead=1).ppot
    plain = player("medium", "nolimit:players=3")
    assert plain.rating(view) == pytest.approx(expected, abs=1e-6)
    assert plain_bars(plain.decision(view), plain.habits) == pytest.approx((BASE + SLOPE * 4 / 14, RAISES[1]))


@pytest.mark.compiled
def test_styles_say_what_they_mean() -> None:
    """The same decisions: a loose player folds less than a tight one, an aggressive one raises more."""
    rng = np.random.default_rng(5)
    names = "tight", "medium", "loose", "passive", "aggressive"
    plains = {name: player(name) for name in names}
    folds: dict[str, float] = defaultdict(float)
    raises: dict[str, float] = defaultdict(float)
    facing = 0
    for _ in range(60):
        state = parse_game(RING).start()
        cards = iter(rng.permutation(52).tolist())
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state = state.apply(next(cards))
                continue
            view = state.view(state.player)
            facing += FOLD in view.legal
            for name, plain in plains.items():
                chances = plain.probabilities(view)
                assert sum(chances.values()) == pytest.approx(1)
                assert min(chances.values()) >= 0
                assert all(action in view.legal for action in chances)
                folds[name] += chances.get(FOLD, 0.0)
                raises[name] += 1 - chances.get(FOLD, 0.0) - chances[CALL]
            state = state.apply(plains["loose"].act(view, rng))
    assert facing > 100
    assert folds["tight"] > 1.15 * folds["medium"] > 1.3 * folds["loose"]
    assert raises["aggressive"] > 1.3 * raises["medium"] > 1.8 * raises["passive"]


def test_what_is_no_style_is_refused_with_a_sentence() -> None:
    with pytest.raises(ParseError, match="'wild' is not a style"):
        parse_agent("plain:style=wild")
