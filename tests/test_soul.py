"""soul: certified answers to an averaged read, from Kuhn to hold'em."""

import pytest
from named import make_agent, make_kind, play_named

from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.model.tabular import Possible
from soulread.play.catalogue.known import parse_agent
from soulread.play.exploiters.soul import CertifiedRead, Soul
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match
from soulread.play.tabular import TabularAgent
from soulread.respond.counter import pair_of
from soulread.respond.gifts import GiftAccount, GiftReader
from soulread.seqform.strategy import plan_from_behaviour

MILLIBETS = 500  # per chip in Leduc


@pytest.mark.compiled
@pytest.mark.parametrize("villain", ["loose", "random", "rule:number=3", "deceiver:hands=60|loose"])
def test_certificates_of_a_whole_match_hold(villain: str) -> None:
    """Every response that was played is as safe as its certificate says, and within the budget."""
    game = parse_game("leduc:iso")
    agent = make_kind(Soul, "soul:risk=50,k=20", game)
    played = []
    took = agent._take

    def take(read) -> None:
        took(read)
        played.append((agent.playing.behaviours, agent.certificates[-1]))

    agent._take = take  # type: ignore[method-assign]
    Match(game, (agent, make_agent(villain, game)), 200).play(seed=3)
    assert len(played) == len(agent.certificates) == 10
    for behaviours, certified in played:
        true = pair_of(agent.game, behaviours).exploitability
        assert true <= certified.risk + 1e-6
        assert certified.risk * MILLIBETS <= 50 + 1e-3


@pytest.mark.compiled
def test_it_wins_more_than_the_equilibrium_from_a_weak_player_and_nothing_is_lost_to_an_equilibrium() -> None:
    """Exact values of what is played at the end of a match, against the true strategies."""
    game = parse_game("leduc:iso")
    for villain, least in (("loose:0.5", 0.02), ("equilibrium", -1e-3)):
        agent = make_kind(Soul, "soul", game)
        opponent = make_kind(TabularAgent, villain, game)
        Match(game, (agent, opponent), 600).play(seed=5)
        truth = opponent.played(0).behaviours
        gain = pair_of(agent.game, agent.playing.behaviours).exploitation(truth)
        usual = pair_of(agent.game, agent.equilibrium.behaviours).exploitation(truth)
        assert gain - usual >= least


def test_updates_come_every_k_hands_and_then_less_often() -> None:
    game = parse_game("kuhn")
    agent = make_kind(Soul, "soul:T=30,k=20", game)
    opponent = make_agent("always-call", game)
    updates = []
    prepare = agent._respond

    def prepared():
        updates.append(agent.num_hands)
        return prepare()

    agent._respond = prepared  # type: ignore[method-assign]
    Match(game, (agent, opponent), 320).play(seed=1)
    assert updates[:4] == [40, 60, 80, 100]
    assert updates[-4:] == [220, 242, 266, 292]  # a tenth more each time, rounded down


def test_gifts_raise_the_budget() -> None:
    """Against somebody who gives chips away, gifts=1 may risk more than the budget."""
    game = parse_game("kuhn")
    risks = {}
    for gifts in (0, 1):
        agent = make_kind(Soul, f"soul:risk=10,k=20,gifts={gifts}", game)
        Match(game, (agent, make_agent("always-fold", game)), 200).play(seed=2)
        risks[gifts] = max(certified.risk for certified in agent.certificates)
    assert risks[0] <= 0.010 + 1e-4
    assert risks[1] > 0.02


def test_gifts_are_those_of_the_safe_agents() -> None:
    """Hand by hand equal to `GiftReader`, which looks at every holding; what was risked is taken off."""
    game = parse_game("kuhn")
    agent = make_kind(Soul, "soul", game)
    account, reader = GiftAccount(agent.game), GiftReader(agent.game)
    played = agent.equilibrium.behaviours
    plans = [plan_from_behaviour(tree, own) for tree, own in zip(agent.game.trees, played, strict=True)]
    expected, number = 0.0, 0

    def note(hand: LiveHand) -> None:
        nonlocal expected, number
        seen = hand.seen_by(number % 2)
        account.add(seen, played)
        expected += reader.gift(seen, plans[number % 2])
        number += 1

    Match(game, (agent, make_agent("random", game)), 60).play(seed=8, record=note)
    assert expected > 0
    assert account.given == pytest.approx(expected)
    account.spend(expected / 4)
    assert account.given == pytest.approx(expected * 3 / 4)
    account.spend(expected)
    assert account.given == 0


def test_what_it_says() -> None:
    game = parse_game("kuhn")
    agent = make_kind(Soul, "soul:k=5", game)
    assert agent.sentence() == "it plays the equilibrium; there is no read yet"
    usual = agent.equilibrium.behaviours
    nothing = agent.responder.respond(Possible.certain(agent.game, usual))
    agent._take(CertifiedRead(usual, nothing.behaviours, nothing))
    assert agent.sentence() == "it plays the equilibrium; nothing that it has read promises enough"
    assert (agent.worst_case, agent.exploiting, agent.promise) == (0, False, 0)
    Match(game, (agent, make_agent("always-call", game)), 60).play(seed=1)
    assert agent.exploiting
    assert agent.sentence().startswith("if the read is right it wins ")
    last = agent.certificates[-1]
    assert agent.belief().expected == pytest.approx(last.gain)
    expectation = agent.expectation(0)
    assert expectation is not None
    assert expectation.gain == pytest.approx(last.promise)
    low, high = agent.promised_between
    assert low <= high
    assert high > 0
    promised, least = agent.promise * 1000, low * 1000
    told = f"; it expects {promised:.0f} mb/g beyond the equilibrium, between {least:.0f} and "
    assert told in agent.sentence()


def test_in_the_background_the_game_goes_on() -> None:
    result = play_named("kuhn", ["soul:k=5,background=1", "always-call"], 100, seed=1)
    assert result.hands_played == 100


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("soul:risk=-1", "risk=-1"),
        ("soul:trust=1", "trust=1"),
        ("soul:k=-1", "k=-1"),
        ("soul:sure=1", "sure=1"),
        ("soul:gifts=2", "gifts=2"),
        ("soul:iterations=0", "iterations=0"),
    ],
)
def test_refusals(text: str, told: str) -> None:
    with pytest.raises(SoulreadError, match=told):
        parse_agent(text)
