"""Worth in held-out hands: by its definition, and against the truth."""

import numpy as np
import pytest
from named import make_agent

from soulread.games.leduc import leduc
from soulread.hands.hand import Hand
from soulread.model.counted import FrequencyModel
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.matches import Match
from soulread.play.tabular import behaviours_in
from soulread.respond.counter import CounterPair, in_both_seats, restricted_nash
from soulread.seqform.compile import SequenceGame
from soulread.seqform.source import parse_source
from soulread.seqform.strategy import Behaviours
from soulread.solvers.equilibria import find_equilibrium
from soulread.study.strategies.curves import recorded_subject, study_curve

SOURCE = parse_source("leduc")


def dealt(agent: str, hands: int, seed: int) -> list[Hand]:
    found: list[Hand] = []
    match = Match(leduc(), (make_agent(agent, leduc()), make_agent("equilibrium", leduc())), hands)
    match.play(seed, record=lambda played: found.append(played.seen_by_dealer()))
    return found


def answer(game: SequenceGame, model: Behaviours, default: Behaviours) -> CounterPair:
    return in_both_seats(
        lambda seat: restricted_nash(game, seat, model[1 - seat], 1.0, default=default[seat])
    )


def test_by_its_definition():
    game, equilibrium = SOURCE.compile(), find_equilibrium(SOURCE).behaviours
    hands = dealt("loose", 301, 1)
    subject = recorded_subject(game, hands, "loose", parts=3)
    assert [part.num_hands for part in subject.parts] == [100, 100, 101]
    study = study_curve(game, equilibrium, subject, "mix", (0.5, 1.0))
    worths = []
    for first, end in ((0, 100), (100, 200), (200, 301)):
        model = FrequencyModel(game).fit([*hands[:first], *hands[end:]], "loose")
        played = FrequencyModel(game, equilibrium).fit(hands[first:end], "loose")
        worths.append(answer(game, model.strategies, equilibrium).exploitation(played.strategies))
    assert study.held_out[1].mean == pytest.approx(np.mean(worths))
    assert study.held_out[1].n == 301
    assert 0 < study.held_out[0].standard_error < study.held_out[1].standard_error


@pytest.mark.parametrize("agent", ["loose", "random", "equilibrium"])
def test_it_promises_no_more_than_the_truth(agent):
    """The answer to a model of all hands wins about what was held out or more, and far less than promised."""
    game, equilibrium = SOURCE.compile(), find_equilibrium(SOURCE).behaviours
    real = behaviours_in(parse_agent(agent), game)
    rows = []
    for seed in range(3):
        hands = dealt(agent, 600, seed)
        study = study_curve(game, equilibrium, recorded_subject(game, hands, agent), "mix", (1.0,))
        model = FrequencyModel(game).fit(hands, agent).strategies
        true = answer(game, model, equilibrium).exploitation(real)
        rows.append((study.frontier.points[0].against_model, study.held_out[0].mean, true))
    promised, held_out, true = np.mean(rows, axis=0)
    assert held_out < true + 0.05
    assert promised > true + 0.15
    if agent != "random":  # who is far from the equilibrium, so that the worth is far too low
        assert abs(held_out - true) < 0.5 * abs(promised - true)


def test_nothing_to_hold_out():
    game, equilibrium = SOURCE.compile(), find_equilibrium(SOURCE).behaviours
    one = recorded_subject(game, dealt("loose", 1, 1), "loose")
    assert one.parts == ()
    assert study_curve(game, equilibrium, one, "mix", (1.0,)).held_out == ()
