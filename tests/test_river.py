"""Rivers solved with real cards: kernels, solutions, the agent, and what local best response wins from it."""

import importlib

import numpy as np
import pytest

from soulread.cards.deck import parse_cards
from soulread.cards.evaluate import evaluate_batch
from soulread.cards.ranges import HAND_CARDS, HAND_MASKS, cards_mask, hand_index
from soulread.errors import SoulreadError
from soulread.games.base import TERMINAL
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.poker import replay
from soulread.play.catalogue.known import AGENTS
from soulread.play.search.river_agent import RiverAgent
from soulread.seqform.betting import betting_tree
from soulread.seqform.board_payoff import finish_values, make_room, sum_holdings
from soulread.seqform.lookup import BlindLookup
from soulread.seqform.tabular import TabularStrategy, blind_trees
from soulread.solvers.real_cards.river import RiverPlay, RiverSolver, solve_river, sort_hands, sorted_by
from soulread.solvers.skews import baseline_behaviour

module = importlib.import_module(
    "soulread.solvers.real_cards.local_best_response"
)  # its function has the same name
GAME = limit_holdem()
BETTING = betting_tree(GAME)
BOARD = parse_cards("3h4cJhTd2s")
START = BETTING.decision("rc/crc/crc/")
compiled = pytest.mark.compiled


def blind(name):
    first, second = (baseline_behaviour(tree, name) for tree in blind_trees(BETTING))
    return TabularStrategy(BETTING, BlindLookup(4), (first, second))


def some_hands(count, seed):
    """Some of the sorted hands of the board."""
    hands = sort_hands(BOARD)
    kept = np.sort(np.random.default_rng(seed).choice(hands.hand.size, count, replace=False))
    return sorted_by(hands.hand[kept], hands.facing.weaker[kept])


def versus(hands):
    """``[n, n]``: 1, 0 or -1 for a better, equal or worse hand, and whether two hands can meet."""
    cards = np.array([[*HAND_CARDS[hand], *BOARD] for hand in hands.hand])
    values = evaluate_batch(cards).astype(int)
    meet = (HAND_MASKS[hands.hand][:, None] & HAND_MASKS[hands.hand]) == 0
    return np.sign(values[:, None] - values) * meet, meet


def test_hands_are_sorted_and_live():
    hands = sort_hands(BOARD)
    assert hands.hand.size == 1081
    assert not (HAND_MASKS[hands.hand] & cards_mask(BOARD)).any()
    values = evaluate_batch(np.array([[*HAND_CARDS[hand], *BOARD] for hand in hands.hand])).astype(int)
    assert np.all(np.diff(values) >= 0)
    for i in range(0, 1081, 40):
        same = np.flatnonzero(values == values[i])
        assert (hands.facing.weaker[i], hands.facing.no_stronger[i]) == (same[0], same[-1] + 1)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_leaf_values_against_all_pairs(seed):
    hands = some_hands(60, seed)
    room = make_room(60, np.float64, batch=64, tile=60)
    room.x[:60] = np.random.default_rng(seed).random((60, room.x.shape[1]))
    better, meet = versus(hands)
    sum_holdings(hands.facing, True, room)
    finish_values(hands.facing, 0, 60, room)
    assert room.y[:60] == pytest.approx(better @ room.x[:60])
    assert room.z[:60] == pytest.approx(meet @ room.x[:60])


def response_value(tree, hands, ranges, behaviour, seat):
    """What a best response in ``seat`` wins, by a walk with whole matrices: the slow twin of the solver."""
    better, meet = versus(hands)

    def walk(node, reach):
        if tree.player[node] == TERMINAL:
            return tree.chips[node, seat] * ((better if tree.showdown[node] else meet) @ reach)
        values = []
        for k in range(tree.num_actions[node]):
            share = 1.0 if tree.player[node] == seat else behaviour[node, k]
            values.append(walk(tree.child[node, k], reach * share))
        return np.max(values, axis=0) if tree.player[node] == seat else np.sum(values, axis=0)

    return float(ranges[seat] @ walk(0, ranges[1 - seat]))


@compiled
@pytest.mark.parametrize("seed", [1, 2])
def test_solution_is_an_equilibrium(seed):
    """The gap is below a thousandth of the pot of 12 chips, and a rough solution is worse."""
    hands = some_hands(50, seed)
    rng = np.random.default_rng(seed)
    ranges = rng.random((2, 50)) ** 3
    solver = RiverSolver(blind("random"), GAME)
    tree = solver.tree(START)
    scaled = ranges / ranges.sum(axis=1, keepdims=True)
    _, meet = versus(hands)
    together = scaled[0] @ meet @ scaled[1]
    gaps = []
    for iterations in (3, 1000):
        behaviour = solve_river(tree, hands, ranges, iterations)
        played = behaviour[tree.player != TERMINAL]
        assert played.sum(axis=1) == pytest.approx(np.ones(played[:, 0].shape), abs=1e-5)
        gaps.append(
            sum(response_value(tree, hands, scaled, behaviour, seat) for seat in (0, 1)) / 2 / together
        )
    assert 0 <= gaps[1] < 0.012 < gaps[0]


def test_tree_is_the_rest_of_the_hand():
    solver = RiverSolver(blind("random"), GAME)
    tree = solver.tree(START)
    arrays = BETTING.arrays
    assert tree.node[0] == START
    assert tree.node.size == 27
    for i, node in enumerate(tree.node):
        assert solver.start_of(int(node)) == START
        assert [int(tree.node[c]) for c in tree.child[i] if c >= 0] == [
            c for c in arrays.child[node] if c >= 0
        ]
        assert tree.player[i] == arrays.player[node]


def test_ranges_are_products_along_the_way():
    """Over blind tables every hand has the same chance: that of the actions."""
    solver = RiverSolver(blind("random"), GAME)
    ranges = solver.ranges(START, BOARD)
    live = (HAND_MASKS & cards_mask(BOARD)) == 0
    chances = [1.0, 1.0]
    walked = ""
    for letter in "rc/crc/crc":
        if letter != "/":
            node = BETTING.decision(walked)
            chances[int(BETTING.arrays.player[node])] /= len(BETTING.actions[node])
        walked += letter
    for seat in (0, 1):
        assert ranges[seat, live] == pytest.approx(np.full(1081, chances[seat]))
        assert not ranges[seat, ~live].any()


def test_a_seat_that_would_never_come_may_have_any_hand():
    ranges = RiverSolver(blind("always-call"), GAME).ranges(START, BOARD)
    live = (HAND_MASKS & cards_mask(BOARD)) == 0
    assert np.array_equal(ranges, np.tile(live.astype(float), (2, 1)))


def test_refusals():
    with pytest.raises(SoulreadError, match="rivers are solved in hold'em for two; 'leduc' came with"):
        RiverSolver(blind("random"), leduc())
    with pytest.raises(SoulreadError, match="iterations=0; a river needs at least 1"):
        solve_river(RiverSolver(blind("random"), GAME).tree(START), some_hands(5, 1), np.ones((2, 5)), 0)
    assert "heads-up limit hold'em" in str(AGENTS["real-river"].refuses(kuhn()))
    assert AGENTS["real-river"].refuses(GAME) is None


# The agent ----------------------------------------------------------------------------------------


def view(betting, hole="AdQc"):
    """What the seat to act sees: its hand, and the board so far."""
    hands = [parse_cards(hole), parse_cards("KsKh")]
    if BETTING.arrays.player[BETTING.decision(betting)] == 1:
        hands.reverse()
    seen = BOARD[: [0, 3, 4, 5][betting.count("/")]]
    state = replay(GAME, betting, [*hands[0], *hands[1], *seen])
    return state.view(state.player)


@compiled
def test_agent_plays_its_table_and_then_the_river():
    table = blind("always-call")
    agent = RiverAgent("test", RiverSolver(table, GAME, 20))
    assert agent.act(view("rc/cr"), np.random.default_rng(1)) == 1
    seen = view("cc/cc/cc/r", "KdQd")
    play = agent.river(BETTING.decision("cc/cc/cc/"), tuple(seen.board))
    node = BETTING.decision("cc/cc/cc/r")
    chances = play.behaviour[play.place[node], :, hand_index(*seen.hole)]
    drawn = [agent.act(seen, np.random.default_rng(seed)) for seed in range(200)]
    uniforms = [np.random.default_rng(seed).random() for seed in range(200)]
    expected = np.searchsorted(np.cumsum(chances.astype(float)), uniforms, side="right")
    assert drawn == expected.tolist()
    assert agent.river(BETTING.decision("cc/cc/cc/"), tuple(seen.board)) is play
    assert chances.sum() == pytest.approx(1, abs=1e-5)
    best = play.behaviour[play.place[node], :, hand_index(*parse_cards("6s5s"))]
    assert best[0] < 0.01  # the best straight does not fold


# Local best response ------------------------------------------------------------------------------


class Stub(RiverSolver):
    """Plays rivers as another table does."""

    def __init__(self, strategy, other):
        super().__init__(strategy, GAME)
        self.other = other

    def solve(self, node, board, states=None):
        tree = self.tree(node)
        behaviour = np.zeros((tree.node.size, 3, 1326), dtype=np.float32)
        for i, number in enumerate(tree.node.tolist()):
            if tree.player[i] != TERMINAL:
                behaviour[i, : tree.num_actions[i]] = self.other.probabilities(number, 0)[:, None]
        return RiverPlay(tree, behaviour)


def mixed_table(before, river):
    """One blind table before the river and another one on it."""
    behaviours = [behaviour.copy() for behaviour in before.behaviours]
    for node, actions in enumerate(BETTING.actions):
        if actions and BETTING.arrays.round[node] == 3:
            seat, first = int(BETTING.arrays.player[node]), before.sequence(node, 0)
            behaviours[seat][first : first + len(actions)] = river.probabilities(node, 0)
    return TabularStrategy(BETTING, before.lookup, (behaviours[0], behaviours[1]))


@compiled
@pytest.mark.slow
def test_solved_rivers_count_like_a_table_that_plays_them(monkeypatch):
    before, river = blind("random"), blind("always-fold")
    rivers = Stub(before, river)
    exact = module.play_deals(mixed_table(before, river), GAME, 4, 1, runouts=20)
    monkeypatch.setattr(module, "RIVERS_PER_CHIP", 1e9)  # every river is solved
    every = module.play_deals(before, GAME, 4, 1, runouts=20, rivers=rivers)
    assert every.won == pytest.approx(exact.won, abs=1e-6)
    plain = module.play_deals(before, GAME, 4, 1, runouts=20)
    assert np.abs(every.won - plain.won).max() > 0.1
    monkeypatch.setattr(module, "RIVERS_PER_CHIP", 0.1)
    same = module.play_deals(before, GAME, 4, 1, runouts=20, rivers=Stub(before, before))
    assert same.won == pytest.approx(plain.won, abs=1e-6)


@compiled
def test_drawn_rivers_have_the_mean_of_all(monkeypatch):
    """One deal with 400 seeds of the draws; bounds of 4 standard errors."""
    before, rivers = blind("random"), Stub(blind("random"), blind("always-fold"))
    player = module._Player(before, GAME, module.hand_table(GAME), 0, 20)
    cards = (*parse_cards("AdQc"), *parse_cards("7s7c"), *BOARD)
    boards = module._Boards(player, BOARD, np.random.default_rng(0))
    monkeypatch.setattr(module, "RIVERS_PER_CHIP", 1e9)
    exact = player.change(cards, boards, 0, rivers, np.random.default_rng(0))
    monkeypatch.setattr(module, "RIVERS_PER_CHIP", 0.2)
    drawn = [player.change(cards, boards, 0, rivers, np.random.default_rng(i)) for i in range(400)]
    assert np.std(drawn) > 0
    assert abs(np.mean(drawn) - exact) < 4 * np.std(drawn) / 20
