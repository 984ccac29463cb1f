"""Loki with a predictor in place of its frequency tables: bars are placed from what it foresees."""

from dataclasses import replace

import numpy as np
import pytest
from named import make_agent
from numpy.testing import assert_allclose
from test_features import hand_of, played

from soulread.cards.scales.values import scale_at
from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.games.poker import replay
from soulread.hands.hand import Hand
from soulread.model.loki.model import NARROW, WIDE, LokiModel
from soulread.model.loki.weights import all_bars
from soulread.model.predict.features import FeatureRows, rows_of
from soulread.model.predict.predictors import NetPredictor
from soulread.play.match.matches import Match
from soulread.play.opponents.baselines import Random
from soulread.play.search.loki import LearningLoki

GAME = parse_game("ring-limit:3")


class Stub:
    """Foresees the same everywhere, and remembers what it was asked and taught."""

    def __init__(self, fold: float, raised: float) -> None:
        self.given = np.array([fold, 1 - fold - raised, raised])
        self.asked: list[FeatureRows] = []
        self.taught = 0

    def reset(self) -> None:
        self.taught = 0

    def update(self, hand: Hand, player: str | None = None) -> None:
        self.taught += 1

    def foresee(self, rows: FeatureRows) -> np.ndarray:
        self.asked.append(rows)
        return np.tile(self.given, (len(rows), 1))


def view_of(betting: str, board: str = ""):
    state = replay(GAME, betting, (None,) * 6)
    return replace(state.view(0), seat=-1, hole=())


@pytest.mark.compiled
class TestLokiModel:
    def test_bars_are_those_of_what_is_foreseen(self) -> None:
        stub = Stub(0.3, 0.2)
        model = LokiModel(GAME, "som", predictor=stub)
        plain = LokiModel(GAME, "som")
        view = view_of("r")
        table = model.table(view, view.actions[0][0])
        (row,) = stub.asked
        assert len(row) == 1
        assert row.seat[0] == view.actions[0][0]
        plain._rates_at = lambda *_: (np.array([0.3, 0.2]), WIDE)  # type: ignore[method-assign]
        assert_allclose(table, plain.table(view, view.actions[0][0]))

    def test_each_action_is_foreseen_where_it_was_taken(self) -> None:
        """In the second round the predictor is asked with the rows of the seat's own decisions."""
        stub = Stub(0.2, 0.2)
        hand = hand_of(played(GAME, np.random.default_rng(3)))
        state = replay(GAME, hand.betting, ([None] * 6) + list(hand.board))
        view = replace(state.view(0), board=hand.board)
        model = LokiModel(GAME, "som", predictor=stub)
        seat = hand.actions[0][0]
        model.table(view, seat)
        rows = rows_of([hand])
        own = rows.take(rows.seat == seat)
        assert_allclose(np.concatenate([row.situation for row in stub.asked]), own.situation)

    def test_bars_of_the_rest_of_the_hand(self) -> None:
        stub = Stub(0.25, 0.15)
        model = LokiModel(GAME, "som", predictor=stub)
        state = GAME.start().deal(range(6))
        view, seat = state.view(0), state.player
        bars = model.bars(view, seat)
        rates = np.tile([0.25, 0.15], (12, 1))
        now = all_bars(scale_at((), 3, 2), rates, np.full(12, WIDE))
        assert_allclose(bars[:3], now[:3])
        assert len(stub.asked[-1]) == 12

    def test_som_teaches_it_and_gom_does_not(self) -> None:
        hand = hand_of(played(GAME, np.random.default_rng(3)))
        for kind, taught in (("som", 1), ("gom", 0)):
            stub = Stub(0.3, 0.2)
            model = LokiModel(GAME, kind, predictor=stub)
            model.update(hand, "seat 1")
            assert stub.taught == taught
            model.fit([hand] * 3, "seat 1")
            assert stub.taught == 3 * taught
        assert NARROW < WIDE


@pytest.mark.compiled
class TestAgent:
    def test_every_opponent_has_a_net_of_its_own(self) -> None:
        agent = make_agent("loki:predict=net", GAME)
        assert isinstance(agent, LearningLoki)
        Match(GAME, (agent, Random(), Random()), 12).play(seed=1)
        models = list(agent.models.known.values())
        assert len(models) == 2
        nets = [model.predictor for model in models]
        assert all(isinstance(net, NetPredictor) and net.num_hands == 12 for net in nets)
        assert nets[0] is not nets[1]

    def test_the_predictor_matters(self) -> None:
        def play(text: str) -> np.ndarray:
            return Match(GAME, (make_agent(text, GAME), Random(), Random()), 40).play(seed=2)

        assert not np.array_equal(play("loki"), play("loki:predict=net"))

    def test_wrong_options_are_refused(self) -> None:
        for text, message in (
            ("loki:predict=tea-leaves", "expected tables or net or softened or competing"),
            ("loki:predict=net,model=old", "model=old does not look at what opponents do"),
        ):
            with pytest.raises(SoulreadError, match=message):
                make_agent(text, GAME)
