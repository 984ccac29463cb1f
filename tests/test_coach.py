"""The coach: costs are exact in Kuhn and Leduc, also where an opponent never comes; what it says of them."""

from functools import cache

import naive_coach
import naive_tabular
import numpy as np
import pytest

from soulread.abstraction.joint import sample_joint
from soulread.encoding import plain_data
from soulread.games.named import parse_game
from soulread.games.poker import CALL, FOLD, RAISE, PokerGame, PokerView, replay
from soulread.hands.record import seen_by
from soulread.model.tabular import situations
from soulread.play.agent import Believer
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match
from soulread.play.tabular import strategy_of
from soulread.seqform.abstract import abstract_game
from soulread.seqform.source import Source
from soulread.seqform.strategy import Behaviour, plan_from_behaviour, random_behaviour
from soulread.seqform.tabular import TabularStrategy, tabular
from soulread.solvers.best_response import best_value
from soulread.study.duels.coach import (
    RARELY,
    ActionWorth,
    Coach,
    CoachedHand,
    PlayedAgent,
    behaviour_in,
    look_at,
    pot_odds,
)
from soulread.study.duels.coach_terminal import coached_lines, cost_text, print_coached, score_text

KUHN, LEDUC = parse_game("kuhn"), parse_game("leduc")


@cache
def coach_of(game: PokerGame) -> Coach:
    return Coach.of(Source(game))


def chances_of(strategy: TabularStrategy) -> naive_coach.Chances:
    """The strategy as a function of the view."""

    @cache
    def at(information: str, betting: str, hole: tuple[int, ...], board: tuple[int, ...]) -> list[float]:
        node, state = strategy.betting.decision(betting), strategy.lookup.state(hole, board)
        return [float(chance) for chance in strategy.probabilities(node, state)]

    def chances(view: PokerView) -> dict[int, float]:
        found = at(view.information, view.betting, view.hole, view.board)
        return dict(zip(view.choices, found, strict=True))

    return chances


def sparse(game: PokerGame, seed: int) -> TabularStrategy:
    """Random behaviours in which half the decisions are pure, so that there are places nobody comes to."""
    compiled = Source(game).compile()
    rng = np.random.default_rng(seed)
    pair = []
    for tree in compiled.trees:
        behaviour = np.array(random_behaviour(tree, rng))
        for index in range(tree.num_sets):
            if rng.random() < 0.5:
                rows = tree.sequences(index)
                chosen = rng.integers(behaviour[rows].size)
                behaviour[rows] = np.arange(behaviour[rows].size) == chosen
        pair.append(Behaviour(behaviour))
    return tabular(compiled, (pair[0], pair[1]))


def opponents(game: PokerGame) -> dict[str, TabularStrategy]:
    coach = coach_of(game)
    assert coach.equilibrium is not None
    return {
        "equilibrium": coach.equilibrium,
        "random": strategy_of(parse_agent("random"), game),
        "always-raise": strategy_of(parse_agent("always-raise"), game),
        "best-response": strategy_of(parse_agent("best-response:always-raise"), game),
        "sparse": sparse(game, 1),
    }


NAMES = "equilibrium", "random", "always-raise", "best-response", "sparse"


def compare(game: PokerGame, name: str, seat: int, every: int) -> tuple[int, int]:
    """Compare worths at every ``every``-th decision; how many, and how many nobody reaches."""
    coach, strategy = coach_of(game), opponents(game)[name]
    assert coach.game is not None
    assert coach.equilibrium is not None
    behaviour = behaviour_in(coach.game, coach.equilibrium, strategy, 1 - seat)
    assert behaviour is not None
    worth = ActionWorth(coach.game, coach.equilibrium, seat, behaviour)
    chances = chances_of(strategy)
    counted = unreached = 0
    for view, _ in situations(coach.game, seat)[::every]:
        expected, reached = naive_coach.action_values(game, view, chances, RARELY)
        found = worth.weigh(view, ["x"] * len(view.legal), view.legal[0])
        assert {one.action: one.value for one in found.actions} == pytest.approx(expected, abs=1e-9)
        assert found.reached == reached
        assert found.cost == pytest.approx(max(expected.values()) - expected[view.legal[0]], abs=1e-9)
        counted += 1
        unreached += not reached
    return counted, unreached


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seat", [0, 1])
def test_all_decisions_of_kuhn(name: str, seat: int) -> None:
    assert compare(KUHN, name, seat, 1)[0] == 6


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seat", [0, 1])
def test_many_decisions_of_leduc(name: str, seat: int) -> None:
    counted, unreached = compare(LEDUC, name, seat, 4)
    assert counted >= 100
    assert (unreached > 0) == (name not in ("random",))


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("game", [KUHN, LEDUC], ids=["kuhn", "leduc"])
def test_costs_add_up_to_what_is_not_won(game: PokerGame, seat: int) -> None:
    """On average the costs of a player are the value of the game less what the player wins."""
    coach = coach_of(game)
    assert coach.game is not None
    assert coach.equilibrium is not None
    trees, equilibrium = coach.game.trees, coach.equilibrium
    worth = ActionWorth(coach.game, equilibrium, seat, equilibrium.behaviours[1 - seat])
    player = sparse(game, 2)
    other = chances_of(equilibrium)

    @cache
    def costs(information: str) -> dict[int, float]:
        view = views[information]
        found = worth.weigh(view, ["x"] * len(view.legal), view.legal[0]).actions
        top = max(one.value for one in found)
        return {one.action: top - one.value for one in found}

    views = {view.information: view for view, _ in situations(coach.game, seat)}

    def cost(view: PokerView, action: int) -> float:
        return costs(view.information)[action]

    plans = [
        plan_from_behaviour(tree, pair) for tree, pair in zip(trees, equilibrium.behaviours, strict=True)
    ]
    value = coach.game.value(plans[0], plans[1]) * (1, -1)[seat]
    mine = plan_from_behaviour(trees[seat], player.behaviours[seat])
    won = float(mine @ coach.game.payoff.gradient(seat, plans[1 - seat]))
    given_up = naive_coach.mean_cost(game, seat, chances_of(player), other, cost)
    assert given_up == pytest.approx(value - won, abs=1e-8)
    assert given_up > 0.02
    assert naive_coach.mean_cost(game, seat, other, other, cost) == pytest.approx(0, abs=1e-8)


def test_an_opponent_who_next_to_never_comes_says_nothing_about_its_cards() -> None:
    """A jack bets once in a thousand million times, a king never: facing a bet, both count alike."""
    coach = coach_of(KUHN)
    assert coach.game is not None
    assert coach.equilibrium is not None
    tree = coach.game.trees[0]
    behaviour = np.array(coach.equilibrium.behaviours[0])
    for card, bets in (("Js", 1e-9), ("Qs", 0.0), ("Ks", 0.0)):
        behaviour[tree.sequences(tree.index(f"{card}||"))] = [1 - bets, bets]
    worth = ActionWorth(coach.game, coach.equilibrium, 1, Behaviour(behaviour))
    view = replay(KUHN, "r", "JsQs").view(1)
    found = worth.weigh(view, ["fold", "call"], CALL)
    assert not found.reached
    assert [one.value for one in found.actions] == pytest.approx([-1, 0])


def review(
    game: PokerGame, betting: str, cards: str, seat: int, agent: PlayedAgent | None = None
) -> CoachedHand:
    hand = seen_by(replay(game, betting, cards), seat, ("Ann", "Bob"))
    return coach_of(game).review(hand, hand.players[seat], agent)


def test_gross_mistakes_in_kuhn_cost_what_they_must() -> None:
    """Whatever the equilibrium: a king that folds gives up 3 chips, a jack that calls gives up 1."""
    king = review(KUHN, "rf", "QsKs", 1).decisions[0].equilibrium
    assert king is not None
    assert (king.taken, king.best) == (FOLD, CALL)
    assert king.cost == pytest.approx(3)
    jack = review(KUHN, "crc", "JsQs", 0)
    assert [one.name for one in jack.decisions] == ["check", "call"]
    second = jack.decisions[1].equilibrium
    assert second is not None
    assert second.cost == pytest.approx(1)
    assert [one.chance for one in second.actions] == pytest.approx([1, 0])
    assert jack.cost == pytest.approx(1)


def test_against_an_agent_the_best_answer_to_it_counts() -> None:
    """Against one who always raises, a king that does not bet at once loses nothing; a jack folds."""
    agent = parse_agent("always-raise").make(KUHN)
    found = review(KUHN, "crc", "KsQs", 0, look_at(agent, KUHN, 1))
    assert found.agent == "always-raise"
    first, second = (one.agent for one in found.decisions)
    assert first is not None
    assert second is not None
    assert {one.action: one.value for one in first.actions} == pytest.approx({CALL: 2, RAISE: 2})
    assert {one.action: one.value for one in second.actions} == pytest.approx({FOLD: -1, CALL: 2})
    caller = parse_agent("always-call").make(KUHN)
    bluff = review(KUHN, "rc", "JsQs", 0, look_at(caller, KUHN, 1)).decisions[0].agent
    assert bluff is not None
    assert bluff.cost == pytest.approx(1)
    assert bluff.best == CALL


@pytest.mark.compiled
def test_an_agent_that_learns_is_asked_before_it_learns() -> None:
    """Its belief is about the player's seat and place, and its strategy is that of the hand."""
    game = LEDUC
    agents = [parse_agent(text).make(game) for text in ("always-raise", "dbbr:T=10")]
    coached = []

    def record(hand: LiveHand) -> None:
        seat = hand.players.index("always-raise")
        coached.append(
            coach_of(game).review(hand.seen_by(seat), "always-raise", look_at(agents[1], game, 1 - seat))
        )

    Match(game, tuple(agents), 30).play(4, record=record)
    assert isinstance(agents[1], Believer)
    assert "no read yet" in coached[0].remark
    assert not coached[0].decisions[0].believed
    last = coached[-1]
    assert "wins" in last.remark
    for decision in last.decisions:
        assert decision.believed
        assert sum(one.believed for one in decision.believed) == pytest.approx(1)
        assert decision.agent is not None
        text = "\n".join(coached_lines(decision, last.agent, game))
        assert "dbbr:T=10 believes that here you" in text
        assert "best against dbbr:T=10: " in text


def test_an_agent_that_cannot_tell_its_strategy() -> None:
    class Stranger:
        name = "stranger"

    found = review(KUHN, "crc", "KsQs", 0, look_at(Stranger(), KUHN, 1))  # type: ignore[arg-type]
    assert found.decisions[0].agent is None
    lines = coached_lines(found.decisions[0], found.agent, KUHN)
    assert lines[-1] == "  best against stranger: not known, for it cannot say how it plays"


@pytest.mark.compiled
def test_without_an_equilibrium_there_are_pot_odds() -> None:
    game = parse_game("nolimit")
    coach = Coach(game)
    assert "no equilibrium of nolimit" in coach.scope
    hand = seen_by(replay(game, "r6c/r18f", "AsAh7c2dKsKdQh"), 1, ("Ann", "Bob"))
    found = coach.review(hand, "Bob")
    assert found.cost is None
    assert [one.odds is None for one in found.decisions] == [False, False]
    odds = found.decisions[1].odds
    assert odds is not None
    assert odds.needed == pytest.approx(12 / 36)
    assert 0 < odds.any_cards < 0.3
    assert "a call needs 33% of the pot" in coached_lines(found.decisions[1], "", game)[1]
    aces = pot_odds(replay(parse_game("limit"), "", "7c2dAsAh").view(1))
    assert aces is not None
    assert aces.needed == 0.25
    assert aces.any_cards == pytest.approx(0.852, abs=5e-4)  # aces against any two cards
    assert pot_odds(replay(LEDUC, "r", "KsJs").view(1)) is None
    assert pot_odds(replay(game, "c", "AsAh7c2d").view(0)) is None


@pytest.mark.compiled
def test_in_an_abstraction_of_holdem() -> None:
    """What the first decision is worth, over all private states, is what a best response wins."""
    game, cards = parse_game("limit"), naive_tabular.rank_abstraction()
    joint = sample_joint(cards, 200_000, np.random.default_rng(1))
    compiled = abstract_game(game, cards, joint, np.float64)
    rng = np.random.default_rng(2)
    first, second = (random_behaviour(tree, rng) for tree in compiled.trees)
    coach = Coach(game, compiled, tabular(compiled, (first, second)))
    assert "limit:" in coach.scope
    assert coach.equilibrium is not None
    worth = ActionWorth(compiled, coach.equilibrium, 1, first)
    dealt = compiled.payoff.reach[0].sum(axis=1)  # type: ignore[attr-defined]
    total = sum(float(share) * worth.values(0, state, ())[0].max() for state, share in enumerate(dealt))
    plan = plan_from_behaviour(compiled.trees[0], first)
    assert total == pytest.approx(best_value(compiled.trees[1], compiled.payoff.gradient(1, plan)))
    hand = seen_by(replay(game, "rc/crc/cc/rf", "AsAh7c2dKsKdQh3c3d"), 0, ("Ann", "Bob"))
    found = coach.review(hand, "Ann", PlayedAgent("Bob", coach.equilibrium))
    assert [one.name for one in found.decisions] == ["call", "check", "call", "check", "bet"]
    assert found.cost is not None
    assert found.cost > 0
    for one in found.decisions:
        assert one.equilibrium is not None
        assert one.agent is not None
        assert one.agent.cost == one.equilibrium.cost
    plain = coach.review(hand, "Ann", look_at(parse_agent("plain").make(game), game, 1))
    assert plain.decisions[0].agent is None


def test_a_strategy_over_other_private_states_is_not_used() -> None:
    coach = coach_of(KUHN)
    assert coach.game is not None
    assert coach.equilibrium is not None
    assert behaviour_in(coach.game, coach.equilibrium, opponents(LEDUC)["equilibrium"], 0) is None
    player = look_at(
        parse_agent("person:number=1").make(LEDUC), LEDUC, 1
    )  # by a rating: exact in small games
    assert review(LEDUC, "crf", "JsKs", 0, player).decisions[0].agent is not None


def test_words(capsys: pytest.CaptureFixture[str]) -> None:
    found = review(KUHN, "crc", "JsQs", 0)
    print_coached(found, coach_of(KUHN))
    shown = capsys.readouterr().out
    assert "coach: you call: costs 1.00 chips (1000 mb)\n" in shown
    assert "equilibrium: fold 100% (fold -1.00, call -2.00)" in shown
    assert coach_of(KUHN).scope.startswith("The coach's costs are exact. ")
    assert cost_text([1.0, 0.5], LEDUC) == "given up against the equilibrium: 1.50 chips in 2 hands, 375 mb/g"
    assert score_text([3], LEDUC, False) == "+3 chips in 1 hand"
    assert score_text([1, -1] * 5, LEDUC, False) == "+0 chips in 10 hands: 0 ± 377 mb/g"
    assert score_text([1] * 10, parse_game("nolimit"), False) == "+10 chips in 10 hands: 50 ± 0 bb/100"
    assert plain_data(found)["decisions"][1]["equilibrium"]["cost"] == pytest.approx(1)
