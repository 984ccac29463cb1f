"""What strategies are worth against each other: exact in small games, and pair by pair in hold'em."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from named import make_agent, make_kind
from pairs import pair
from test_abstraction import cache_folder, features  # noqa: F401  fixtures
from test_aivat import random_behaviours, value

from soulread.cards.deck import parse_cards
from soulread.cards.ranges import hand_index
from soulread.errors import SoulreadError
from soulread.games.base import TERMINAL
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.poker import PokerGame, PokerView, replay
from soulread.play.agent import MemorylessAgent
from soulread.play.match.judges import EVERY, ByWorth
from soulread.play.match.live import LiveHand
from soulread.play.opponents import rating
from soulread.play.opponents.person import Person, load_people
from soulread.play.opponents.rated import STEPS, RatedLookup, ScalePlayer, known_strategy, rated_table
from soulread.play.opponents.rule_player import RuleOptions, RulePlayer
from soulread.play.tabular import TabularAgent
from soulread.reproduce.kit.matches import play
from soulread.seqform.betting import betting_tree
from soulread.seqform.compile import compile_factored
from soulread.seqform.holdings import DEAD, all_states, hand_table
from soulread.seqform.strategy import Behaviour, uniform_behaviour
from soulread.seqform.tabular import TabularStrategy, tabular
from soulread.solvers.real_cards.worth import Against, draw_boards, worth
from soulread.streams import MatchStreams

LEDUC, LIMIT = leduc(), limit_holdem()
FEW_BETS = PokerGame(replace(LIMIT.rules, name="few bets", max_raises=(1, 1, 1, 1)))


@pytest.mark.parametrize("poker", [kuhn(), LEDUC], ids=lambda game: game.name)
def test_in_small_games_it_is_the_value(poker):
    game = compile_factored(poker)
    one, two = (tabular(game, random_behaviours(game, seed)) for seed in (1, 2))
    boards = draw_boards(poker, 1, np.random.default_rng(0))
    expected = value(game, (one.behaviours[0], two.behaviours[1]), 0)
    assert worth((one, two), boards) == pytest.approx(expected, abs=1e-6)
    raiser = known_strategy(make_agent("always-raise", poker), poker, 0)
    assert raiser is not None
    assert worth((raiser, raiser), boards) == pytest.approx(0, abs=1e-9)


@dataclass(frozen=True)
class ThreeKinds:
    """A look-up of hold'em with three private states, by the hand's number and the board."""

    num_states: tuple[int, ...] = (3, 3, 3, 3)

    def state(self, hole: Sequence[int], board: Sequence[int]) -> int:
        raise AssertionError("all hands are looked up together")

    def fill(self, cards: Any, seats: Any, states: Any) -> None:
        raise AssertionError("all hands are looked up together")

    def every_state(self, board: Sequence[int]) -> Any:
        return ((np.arange(1326) * 7 + sum(board)) % 3).astype(np.int32)


def any_strategy(seed: int) -> TabularStrategy:
    """A random strategy over three private states, some actions never taken."""
    rng = np.random.default_rng(seed)
    betting = betting_tree(FEW_BETS)
    layout = betting.layout((3, 3, 3, 3))
    behaviours = [np.ones(size, dtype=np.float32) for size in layout.num_sequences]
    for node, actions in enumerate(betting.actions):
        if actions:
            chances = rng.dirichlet(np.ones(len(actions)), size=3)
            chances[:, 0] *= rng.random(3) > 0.3
            chances /= chances.sum(axis=1, keepdims=True)
            first = layout.first_sequence[node]
            row = behaviours[betting.arrays.player[node]]
            row[first : first + 3 * len(actions)] = chances.T.ravel()
    return TabularStrategy(betting, ThreeKinds(), pair(Behaviour(row) for row in behaviours))


def states_on(strategy: TabularStrategy, board: Any) -> list[Any]:
    sizes = np.cumsum(strategy.betting.poker.rules.board_cards)
    table = hand_table(strategy.betting.poker)
    return [all_states(strategy.lookup, table, board[None, :size])[0] for size in sizes]


def worth_by_pairs(strategies: tuple[TabularStrategy, TabularStrategy], board: Any) -> float:
    """`worth` on one board, pair by pair of holdings."""
    table = hand_table(strategies[0].betting.poker)
    values = table.values(board.tolist(), 1, np.random.default_rng(0))[0].astype(np.int64)
    alive = values != DEAD
    apart = ((table.masks[:, None] & table.masks[None, :]) == 0) & alive[:, None] & alive[None, :]
    ahead = np.sign(values[:, None] - values[None, :]) * apart
    states = [states_on(strategy, board) for strategy in strategies]
    tree = strategies[0].betting.arrays

    def follow(node: int, first: Any, second: Any) -> float:
        seat = int(tree.player[node])
        if seat == TERMINAL:
            pairs = ahead if tree.showdown[node] else apart
            return float(tree.chips[node, 0] * (first @ pairs @ second))
        chances = strategies[seat].chances(node, states[seat][tree.round[node]])
        total = 0.0
        for child, chance in zip(tree.child[node], chances, strict=False):
            ranges = (first * chance, second) if seat == 0 else (first, second * chance)
            total += follow(int(child), *ranges)
        return total

    return follow(0, alive.astype(np.float64), alive.astype(np.float64)) / float(apart.sum())


@pytest.mark.compiled
def test_in_holdem_it_is_the_sum_over_all_pairs():
    strategies = any_strategy(1), any_strategy(2)
    for board in draw_boards(FEW_BETS, 2, np.random.default_rng(3)):
        assert worth(strategies, board[None]) == pytest.approx(worth_by_pairs(strategies, board), abs=1e-9)


def test_one_game_for_both_and_boards_that_can_be_dealt():
    game = compile_factored(kuhn())
    one, other = tabular(game, random_behaviours(game, 1)), any_strategy(1)
    with pytest.raises(SoulreadError, match="both must play one game"):
        worth((one, other), np.zeros((1, 0), dtype=np.uint8))
    boards = draw_boards(LIMIT, 50, np.random.default_rng(0))
    assert boards.shape == (50, 5)
    assert all(len(set(board)) == 5 for board in boards.tolist())
    assert draw_boards(LEDUC, 1, np.random.default_rng(0)).tolist() == [[card] for card in LEDUC.rules.deck]


# Players who rate their hands, as tables


def test_in_leduc_the_table_is_exact():
    for text in ("rule:number=3", "person:number=5"):
        agent = make_agent(text, LEDUC)
        assert isinstance(agent, ScalePlayer)
        table = rated_table(agent, LEDUC)
        state = replay(LEDUC, "cc/r", "KsJsKh")
        node, private = table.place(state.view(1))
        found = dict(zip(table.betting.actions[node], table.probabilities(node, private), strict=True))
        assert found == pytest.approx(agent.probabilities(state.view(1)))


@pytest.mark.compiled
@pytest.mark.parametrize("text", ["rule:number=3,noise=0.05,potential=0.4", "person:number=5"])
def test_in_holdem_the_table_is_off_by_less_than_a_step(text, features, monkeypatch):  # noqa: F811
    monkeypatch.setattr(rating, "load_features", lambda tell=None: features)
    rating.rating_of.cache_clear()
    rating.later_of.cache_clear()
    agent = make_agent(text, LIMIT)
    table = known_strategy(agent, LIMIT, 0)
    assert table is not None
    rng = np.random.default_rng(1)
    assert isinstance(agent, ScalePlayer)
    for betting in ("", "r", "rc/c", "cc/cr", "rrc/cc/r", "cc/rc/cc/", "cc/cc/cc/rr"):
        dealt = 4 + (0, 3, 4, 5)[betting.count("/")]
        for _ in range(3):
            state = replay(LIMIT, betting, rng.permutation(52)[:dealt].tolist())
            view = state.view(state.player)
            node, private = table.place(view)
            assert isinstance(table.lookup, RatedLookup)
            assert table.lookup.every_state(view.board)[hand_index(*view.hole)] == private
            found = dict(zip(table.betting.actions[node], table.probabilities(node, private), strict=True))
            assert found == pytest.approx(agent.probabilities(view), abs=0.5 / STEPS / 0.05)


def test_a_rating_is_cut_into_steps(monkeypatch):
    monkeypatch.setattr(
        "soulread.play.opponents.rated.rating_of", lambda game: lambda hole, board: (0.2, 0.6)
    )
    hole, board = parse_cards("AhKd"), parse_cards("Qh7s2d")
    assert RatedLookup(LIMIT, 0.5).state(hole, board) == int(0.4 * STEPS)
    assert RatedLookup(LIMIT, 1.0).state(hole, board) == int(0.6 * STEPS)
    with pytest.raises(SoulreadError, match="compiled matches"):
        RatedLookup(LIMIT, 0.5).fill(np.zeros((0, 9)), np.zeros(0), np.zeros((0, 2, 4)))  # type: ignore[arg-type]


def test_chances_of_many_ratings_are_those_of_each():
    view = replay(LEDUC, "r", "KsJs").view(1)
    ratings = 0.0, 0.3, 0.55, 1.0
    scores = load_people().scores[2]
    rules = [RulePlayer("rule", RuleOptions(number=2), lambda *_, x=x: (x, x)) for x in ratings]
    people = [Person("person", scores, lambda *_, x=x: x) for x in ratings]
    groups: list[Sequence[ScalePlayer]] = [rules, people]
    for agents in groups:
        many: dict[int, Any] = agents[0].chances(view, np.array(ratings))
        for k, agent in enumerate(agents):
            assert {action: p[k] for action, p in many.items()} == pytest.approx(agent.probabilities(view))


# The judge


def test_a_match_is_worth_what_its_strategies_are():
    """Static agents: every hand has the same worth, that of both seats together."""
    found = play("leduc", ["equilibrium", "loose:0.5"], 5, 1, 0, False, worth=True)
    one, two = (make_kind(TabularAgent, text, LEDUC).strategy for text in ("equilibrium", "loose:0.5"))
    game = compile_factored(LEDUC)
    first = value(game, (one.behaviours[0], two.behaviours[1]), 0)
    second = value(game, (two.behaviours[0], one.behaviours[1]), 0)
    assert found["less_luck"] == pytest.approx([(first - second) / 2] * 5, abs=1e-6)


class Silent(MemorylessAgent):
    """An agent that does not say what it plays."""

    name = "silent"

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        return view.legal[0]


class Known(Silent):
    """An agent that says what it plays."""

    name = "known"

    def __init__(self, *strategies: TabularStrategy) -> None:
        self.strategies = strategies
        self.now = 0

    def played(self, seat: int) -> TabularStrategy:
        return self.strategies[self.now]


def numbered(number: int) -> LiveHand:
    return LiveHand(LEDUC, (), list(LEDUC.rules.deck), id=str(number))


def test_who_changes_is_valued_anew():
    game = compile_factored(LEDUC)
    one, two = (tabular(game, random_behaviours(game, seed)) for seed in (1, 2))
    fixed, changes = Known(one), Known(one, two)
    judge = ByWorth(LEDUC)
    judge.begin(MatchStreams(1))
    before = judge.chips((changes, fixed), numbered(0), 0)
    assert before == pytest.approx(0, abs=1e-9)
    changes.now = 1
    after = judge.chips((changes, fixed), numbered(1), 0)
    assert after != pytest.approx(0, abs=1e-3)
    # The opponent's changes are looked at from time to time, and with every new block of hands.
    judge.begin(MatchStreams(1))
    changes.now = 0
    judge.chips((fixed, changes), numbered(0), 0)
    changes.now = 1
    assert judge.chips((fixed, changes), numbered(1), 0) == pytest.approx(0, abs=1e-9)
    assert judge.chips((fixed, changes), numbered(30), 0) == pytest.approx(-after)
    changes.now = 0
    assert judge.chips((fixed, changes), numbered(EVERY), 0) == pytest.approx(0, abs=1e-9)


def test_agents_that_say_nothing_are_not_valued():
    silent = Silent()
    judge = ByWorth(LEDUC)
    judge.begin(MatchStreams(1))
    with pytest.raises(SoulreadError, match="'silent' does not say which strategy it plays"):
        judge.chips((silent, silent), numbered(0), 0)


def test_how_labels_write_cards_does_not_matter():
    game, other = compile_factored(LEDUC), compile_factored(leduc(suit_isomorphic=True))
    one, two = (tabular(each, pair(map(uniform_behaviour, each.trees))) for each in (game, other))
    boards = draw_boards(LEDUC, 1, np.random.default_rng(0))
    skewed = tabular(game, random_behaviours(game, 1))
    assert worth((skewed, two), boards) == pytest.approx(worth((skewed, one), boards), abs=1e-6)


def test_a_usual_strategy_is_valued_in_the_same_hands():
    """What the equilibrium would have won stands beside, hand by hand, also where the opponent changes."""
    game = compile_factored(LEDUC)
    one, two, usual = (tabular(game, random_behaviours(game, seed)) for seed in (1, 2, 3))
    judge = ByWorth(LEDUC, usual=usual)
    judge.begin(MatchStreams(1))
    changes = Known(one, two)
    for number in (0, EVERY + 1):
        judge.chips((Known(one), changes), numbered(number), 0)
        changes.now = 1
    boards = draw_boards(LEDUC, 1, np.random.default_rng(0))
    for found, opponent in zip(judge.beside, (one, two), strict=True):
        expected = (worth((usual, opponent), boards) - worth((opponent, usual), boards)) / 2
        assert found == pytest.approx(expected, abs=1e-12)
    agents = ["equilibrium", "loose:0.5"]
    match = play("leduc", agents, 5, 1, 0, False, worth=True, usual="equilibrium")
    assert match["usual"] == pytest.approx(np.asarray(match["less_luck"]), abs=1e-12)
    assert "usual" not in play("leduc", agents, 5, 1, 0, False, worth=True)


def test_only_one_way_to_see_the_cards_is_made_ready():
    boards = draw_boards(LEDUC, 1, np.random.default_rng(0))
    raiser = known_strategy(make_agent("always-raise", LEDUC), LEDUC, 0)
    game = compile_factored(LEDUC)
    one = tabular(game, random_behaviours(game, 1))
    assert raiser is not None
    with pytest.raises(SoulreadError, match="other private states"):
        Against(one, 1, one.lookup, boards).worth(raiser)
