"""Menus of raises, the trees they make, and real hands put on such trees."""

from dataclasses import replace

import known_values
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_translation import lifted

from soulread.errors import ParseError, SoulreadError
from soulread.games import bets
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.bets import ALMOST_ALL, PRESETS, parse_bets
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import CALL, FOLD, PokerGame, raises_among, replay
from soulread.observe.translation import OVER, Translator, harmonic
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.live import play_hand
from soulread.seqform.betting import betting_tree
from soulread.seqform.compile import betting_of, compile_factored, compile_game
from soulread.seqform.lookup import BlindLookup
from soulread.seqform.source import Buckets, Source, parse_buckets, parse_source
from soulread.seqform.strategy import Behaviour, plan_from_behaviour
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.cfr.methods import default_gap
from soulread.solvers.exploitability import exploitability
from soulread.solvers.lp import solve_exactly

USUAL = parse_bets("usual")


def nolimit_leduc(stack):
    """Leduc with any raise of at least a chip."""
    rules = leduc(suit_isomorphic=True).rules
    stacks = stack, stack
    return PokerGame(replace(rules, name="nl-leduc", raise_sizes=None, max_raises=None, stacks=stacks))


# Menus -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("usual", "0.5+1+allin@2"),
        ("small", "1+allin@2"),
        ("large", "0.33+0.75+1.5+allin@3"),
        ("allin+1+0.5+1@4", "0.5+1+allin@4"),
        ("3x/0.5+1+allin", "3x/0.5+1+allin@3"),
        (".33+75%_1+2.50x+a@2", "0.33+0.75_1+2.5x+allin@2"),
    ],
)
def test_menus_are_read_and_written(text, written):
    assert str(parse_bets(text)) == written
    assert parse_bets(written) == parse_bets(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "'' is no size"),
        ("half", "'half' is no size; write parts of the pot such as 0.5"),
        ("0.5+", "'' is no size"),
        ("0", "'0' is no size"),
        ("1x", "'1x' is no size"),
        ("e", "'e' is for spots"),
        ("0.5@", "'' raises a round; write a whole number after @"),
        ("0.5@0", "0 raises a round; allowed are 1 to 12"),
        ("0.5@13", "13 raises a round"),
        ("1/1/1/1/1", "has sizes for 5 rounds; hold'em has 4"),
    ],
)
def test_what_is_no_menu(text, told):
    with pytest.raises(ParseError, match=told.replace("?", r"\?")):
        parse_bets(text)


def naive_totals(state, sizes, most):
    """The raises of one list of (kind, number), worked out from the text of the betting."""
    rules, rounds = state.rules, state.betting.split("/")
    level, largest = 0, rules.ante + max(rules.blinds)
    for number, text in enumerate(rounds):
        level = rules.ante if number == 0 else largest
        for raised in text.replace("c", " ").replace("f", " ").replace("r", " ").split():
            largest = max(largest, int(raised))
    legal = list(raises_among(state.legal_actions()))
    if not legal:
        return ()
    found = set()
    for kind, number in sizes if rounds[-1].count("r") < most else ():
        if kind == "allin":
            total = legal[-1]
        elif kind == "pot":
            total = largest + number * 2 * largest
        elif largest > level:
            total = level + number * (largest - level)
        else:
            continue
        whole = int(np.floor(total + 0.5))
        if whole >= ALMOST_ALL * legal[-1]:
            whole = legal[-1]
        found.add(min(max(whole, legal[0]), legal[-1]))
    return tuple(sorted(found or {legal[-1]}))


@given(st.integers(0, 2**32 - 1), st.integers(4, 300), st.integers(0, 3))
def test_sizes_are_those_of_a_plain_reading(seed, stack, ante):
    rng = np.random.default_rng(seed)
    menu = parse_bets("0.5+2.5x_1+allin@2")
    state = nolimit_holdem(2, stack, (1, 2), ante).start()
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.apply(next(card for card in state.rules.deck if card not in state.cards))
            continue
        raised = state.betting.rpartition("/")[2].count("r")
        sizes = [("pot", 0.5), ("bet", 2.5)] if raised == 0 else [("pot", 1.0), ("allin", 0)]
        assert menu.totals(state) == naive_totals(state, sizes, 2)
        legal = state.legal_actions()
        state = state.apply(legal[int(rng.integers(len(legal)))] if rng.random() < 0.5 else CALL)


@pytest.mark.parametrize(("stack", "menu", "nodes", "showdowns"), known_values.MENU_TREES)
def test_trees_are_those_of_a_trial(stack, menu, nodes, showdowns):
    tree = betting_tree(nolimit_holdem(2, stack), parse_bets(menu))
    assert tree.num_nodes == nodes
    assert int(tree.arrays.showdown.sum()) == showdowns
    for node, actions in enumerate(tree.actions):
        for action, child in zip(actions, tree.arrays.child[node], strict=False):
            paid = tree.chips_in[child] - tree.chips_in[node]
            assert paid.min() >= 0
            assert np.count_nonzero(paid) <= 1
            if action > CALL:
                assert tree.chips_in[child].max() == action


def test_limit_games_have_no_menu():
    with pytest.raises(SoulreadError, match="'limit' has no use for bet sizes"):
        betting_tree(limit_holdem(), USUAL)
    with pytest.raises(SoulreadError, match="'nolimit:players=3' has no use for bet sizes"):
        Source(nolimit_holdem(3), bets=USUAL)


@pytest.mark.parametrize(
    "text",
    [
        "nolimit:5-5-5-5:bets=0.5+1+allin@2",
        "nolimit:stacks=40,blinds=2/4:hs:8-12-4-4:quick:bets=1+allin@2",
        "nolimit:stacks=40,ante=1:5-5-5-5:quick:bets=3x/0.33+0.75_1+allin@3",
    ],
)
def test_sources_are_named_with_their_menu(text):
    assert parse_source(text).name == text
    assert default_gap(parse_source(text)) == 0.01 * parse_source(text).poker.rules.big_blind


def test_a_source_has_the_usual_menu_and_the_smaller_stack():
    source = parse_source("nolimit:stacks=300/80:5-5-5-5:quick")
    assert source.name == f"nolimit:stacks=80:5-5-5-5:quick:bets={PRESETS['usual']}"
    assert source.cards is not None
    assert parse_buckets("5-5-5-5:bets=small") == Buckets(source.cards, False, parse_bets("small"))
    assert parse_agent("equilibrium:5-5-5-5:quick:bets=1+allin").options.cards.bets == parse_bets("1+allin")


# Solved -------------------------------------------------------------------------------------------


def test_three_ways_solve_nolimit_leduc_alike(monkeypatch):
    monkeypatch.setattr(bets, "ALMOST_ALL", 1.0)
    game = nolimit_leduc(5)
    factored, walked = compile_factored(game), compile_game(game)
    everything = parse_bets("+".join(f"{n / 200:g}" for n in range(1, 800, 2)) + "+allin@12")
    by_menu = compile_factored(game, bets=everything)
    values = [solve_exactly(one).value for one in (factored, walked, by_menu)]
    assert betting_of(by_menu).betting == betting_of(factored).betting
    assert values[1:] == pytest.approx(values[:1] * 2, abs=1e-6)


@pytest.mark.compiled
@pytest.mark.parametrize("menu", ["1+allin@2", "0.5+1+allin@2"])
def test_random_mapping_is_less_exploitable_than_the_nearest_size(menu):
    game = nolimit_leduc(13)
    full, few = compile_factored(game), compile_factored(game, bets=parse_bets(menu))
    solved = solve_exactly(few)
    lost = []
    for nearest in (False, True):
        behaviours = lifted(few, solved.behaviours, full, nearest)
        first, second = map(plan_from_behaviour, full.trees, behaviours)
        lost.append(exploitability(full, (first, second)))
    assert 0 < lost[0] < lost[1]


# Translation --------------------------------------------------------------------------------------


@given(st.floats(0.05, 3), st.floats(0.05, 3), st.floats(0, 4))
def test_the_mapping_is_pseudo_harmonic(one, other, part):
    low, high = sorted((one, other))
    found = harmonic(low, high, part)
    assert 0 <= found <= 1
    if low < part < high:
        # Against f, a call of the opponent with chance 1 / (1 + size) makes all sizes between alike.
        assert found / (1 + low) + (1 - found) / (1 + high) == pytest.approx(1 / (1 + part))
    half = (low + high + 2 * low * high) / (low + high + 2)
    if low < half < high:
        assert harmonic(low, high, half) == pytest.approx(0.5)


def sampled(tree, count):
    nodes = [node for node, actions in enumerate(tree.actions) if actions]
    return np.random.default_rng(1).choice(nodes, count, replace=False).tolist()


def view_at(game, text):
    dealt = 4 + sum((0, 3, 1, 1)[: text.count("/") + 1])
    state = replay(game, text, [None] * dealt)
    return state.view(state.player)


@pytest.mark.parametrize("scale", [1, 50])
def test_hands_of_the_tree_are_at_home(scale):
    tree = betting_tree(nolimit_holdem(2, 40), USUAL)
    translator = Translator(tree)
    game = nolimit_holdem(2, 40 * scale, (scale, 2 * scale))
    for node in sampled(tree, 300):
        text = "".join(
            f"r{int(part) * scale}" if part.isdigit() else part for part in _parts(tree.betting[node])
        )
        view = view_at(game, text)
        assert translator.node(view) == node
        for position, action in enumerate(tree.actions[node]):
            assert translator.real(view, node, position) == (action if action < 2 else action * scale)


def test_own_raises_are_the_same_part_of_another_pot():
    tree = betting_tree(nolimit_holdem(2, 200), parse_bets("0.7+allin"))
    translator = Translator(tree)
    assert tree.actions[0] == (FOLD, CALL, 5, 200)  # 5 is three quarters of the pot of 4
    view = view_at(nolimit_holdem(2, 300, (1, 3)), "")
    assert [translator.real(view, 0, place) for place in range(4)] == [FOLD, CALL, 8, 300]  # 3 + .75 * 6
    short = view_at(nolimit_holdem(2, (300, 90), (1, 3)), "")
    assert translator.real(short, 0, 3) == 90
    assert translator.chances(view, 0, (0.1, 0.2, 0.3, 0.4)) == {FOLD: 0.1, CALL: 0.2, 8: 0.3, 300: 0.4}


def _parts(text):
    """A betting text in pieces: letters, bars, and the numbers of raises without their letter."""
    piece = ""
    for letter in text:
        if letter.isdigit():
            piece += letter
            continue
        if piece:
            yield piece
            piece = ""
        if letter != "r":
            yield letter
    if piece:
        yield piece


def test_a_raise_between_goes_to_its_neighbours():
    tree = betting_tree(nolimit_holdem(2, 200), USUAL)
    translator, nearest = Translator(tree), Translator(tree, nearest=True)
    opened = tree.actions[0]
    assert opened == (FOLD, CALL, 4, 6, 200)
    # 5 chips are three quarters of the pot: (1 - .75)(1 + .5) / ((1 - .5)(1 + .75)) = 3 / 7.
    places, chances = zip(*translator.choices(0, 5, 0.75, False), strict=True)
    assert places == (2, 3)
    assert chances == pytest.approx((3 / 7, 4 / 7))
    assert nearest.choices(0, 5, 0.75, False) == [(3, 1.0)]
    places, chances = zip(*translator.choices(0, 3, 0.25, False), strict=True)
    assert places == (1, 2)  # half of the least: a call with chance .25 / (.5 * 1.25)
    assert chances == pytest.approx((0.4, 0.6))
    assert translator.choices(0, 5, 0.51, False, grain=0.02) == [(2, 1.0)]
    assert translator.choices(0, 200, 49.5, True) == [(4, 1.0)]
    met, hands = set(), []
    for second in range(1, 52):  # the draw is in the cards of the seat, and stays the same
        state = replay(nolimit_holdem(2, 200), "r5", [0, second, None, None])
        found = translator.node(state.view(0))
        assert found == translator.node(state.view(0))
        met.add(tree.betting[found])
        hands.append(tree.betting[found] == "r4")
    assert met == {"r4", "r6"}
    assert 0.2 < np.mean(hands) < 0.7


def test_a_raise_that_counts_as_a_call_is_called():
    tree = betting_tree(nolimit_holdem(2, 200), parse_bets("1+allin@1"))
    translator = Translator(tree)
    met = set()
    for first in range(48):  # after the one raise of the menu, a raise by two chips is a call or all-in
        state = replay(nolimit_holdem(2, 200), "r6r10", [None, None, first, 51])
        met.add(translator.node(state.view(1)))
        after = replay(nolimit_holdem(2, 200), "r6r10c", [None, None, first, 51, None, None, None])
        if translator.node(state.view(1)) == OVER:
            assert tree.betting[translator.node(after.view(0))] == "r6c/"
    assert met == {OVER, tree.decision("r6r200")}


def test_where_the_tree_is_over_the_hand_is_called_down():
    game = nolimit_holdem(2, 200)
    tree = betting_tree(game, parse_bets("1+allin@1"))
    blind = TabularStrategy(tree, BlindLookup(4), _even(tree))
    translator = Translator(tree)
    view = view_at(game, "r4r120c/r122")  # of 200: a raise after the first is all-in in the tree
    assert translator.node(view) == OVER
    agent = parse_agent("equilibrium:5-5-5-5:quick:bets=1+allin@1")
    assert agent.entry.refuses(game) is None
    from soulread.play.translated import TranslatedAgent

    assert TranslatedAgent("x", blind).probabilities(view) == {CALL: 1.0}


def _even(tree):
    return tuple(Behaviour(_chances(tree, seat)) for seat in (0, 1))


def _chances(tree, seat):
    layout = tree.layout([1, 1, 1, 1])
    found = np.ones(layout.num_sequences[seat])
    for node in tree.decisions(seat):
        first, count = int(layout.first_sequence[node]), len(tree.actions[node])
        found[first : first + count] = 1 / count
    return found


@given(st.integers(0, 2**32 - 1), st.sampled_from([(40, 40), (300, 90), (25, 400), (7, 7)]))
def test_any_hand_can_be_played(seed, stacks):
    from soulread.play.translated import TranslatedAgent

    tree = betting_tree(nolimit_holdem(2, 40), USUAL)
    agent = TranslatedAgent("even", TabularStrategy(tree, BlindLookup(4), _even(tree)))
    game = nolimit_holdem(2, stacks)
    rng = np.random.default_rng(seed)
    cards = rng.permutation(52)[: game.num_cards].tolist()
    other = parse_agent("random").make(game)
    streams = [np.random.default_rng([seed, seat]) for seat in (0, 1)]
    hand = play_hand(game, [agent, other], cards, streams)
    assert sum(hand.end.payoffs()) == 0
