"""What a hand of hold'em tells, found through private states, against a look at every holding."""

import naive_tabular
import numpy as np
import pytest
from named import make_agent

from soulread.abstraction.joint import sample_joint
from soulread.games.limit_holdem import limit_holdem
from soulread.hands.hand import Hand
from soulread.model.bayes.evidence import EvidenceReader
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match
from soulread.seqform.abstract import abstract_game


@pytest.mark.compiled
def test_states_and_holdings_tell_the_same() -> None:
    ranks = naive_tabular.rank_abstraction()
    game = abstract_game(limit_holdem(), ranks, sample_joint(ranks, 20_000, np.random.default_rng(1)))
    reader = EvidenceReader(game)
    hands: list[Hand] = []

    def note(hand: LiveHand) -> None:
        hands.append(hand.seen_by(len(hands) % 2))

    table = limit_holdem()
    Match(table, (make_agent("random", table), make_agent("random", table)), 24).play(5, record=note)
    hidden = 0
    for hand in hands:
        for seat in (hand.opponent, hand.eyewitness):
            quick = reader.read(hand, seat)
            slow = reader._work_out(seat, hand.hole, hand.board, hand.actions)
            assert quick.player == seat
            np.testing.assert_array_equal(quick.sequences, slow.sequences)
            np.testing.assert_allclose(quick.weights, slow.weights)
        hidden += not reader.read(hand, hand.opponent).revealed
    assert 0 < hidden < len(hands)
