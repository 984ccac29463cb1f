import copy
import re
from dataclasses import replace
from math import comb

import known_values as known
import naive_games
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soulread.cards.deck import FULL_DECK, cards_name, parse_cards
from soulread.errors import IllegalAction, ParseError, SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.named import KNOWN_GAMES, parse_game
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import CALL, FOLD, RAISE, BetActions, _split, parse_action, raises_among, replay
from soulread.games.ring_limit import ring_limit


def play(game, betting):
    """``betting`` with cards from the top of the deck; seat 0 has the lowest."""
    state = game.start()
    for code in re.findall(r"[fc]|r\d*", betting):
        state = state.deal([c for c in game.rules.deck if c not in state.cards][: state.cards_due])
        state = state.apply(parse_action(state, code))
    return state


# Sizes.


def test_information_sets_of_the_small_games():
    for game, count in [
        (kuhn(), known.KUHN_INFORMATION_SETS),
        (leduc(), known.LEDUC_INFORMATION_SETS),
        (leduc(suit_isomorphic=True), known.LEDUC_ISOMORPHIC_INFORMATION_SETS),
    ]:
        labels = naive_games.information_sets(game, CHANCE)
        assert [len(labels[0]), len(labels[1])] == [count // 2, count // 2]


def betting_tree(game):
    """Decisions per round, rounds entered, and finished betting strings, with one deal for all."""
    decisions, rounds, finished = [0] * 4, [0] * 4, {}
    states = [game.start()]
    while states:
        state = states.pop()
        if state.player == TERMINAL:
            finished[state.betting] = state.showdown
        elif state.player == CHANCE:
            rounds[state.round] += 1
            cards = [card for card in game.rules.deck if card not in state.cards]
            states.append(state.deal(cards[: state.cards_due]))
        else:
            decisions[state.round] += 1
            states += [state.apply(action) for action in state.legal_actions()]
    return decisions, rounds, finished


def test_betting_tree_of_heads_up_limit():
    decisions, rounds, finished = betting_tree(limit_holdem())
    assert tuple(decisions) == known.LIMIT_DECISIONS
    assert tuple(rounds) == (1, *known.LIMIT_CONTINUATIONS)
    assert sum(finished.values()) == known.LIMIT_SHOWDOWNS
    naive_decisions, naive_finished = naive_games.limit_betting((3, 4, 4, 4), (1, 0, 0, 0))
    assert decisions == naive_decisions
    assert set(finished) == naive_finished
    own = [comb(52, 2), comb(52, 2) * comb(50, 3), comb(52, 2) * comb(50, 3) * 47]
    own.append(own[2] * 46)
    assert sum(d * n for d, n in zip(decisions, own, strict=True)) == known.LIMIT_INFORMATION_SETS
    both = [comb(52, 2) * comb(50, 2)]
    both += [both[0] * comb(48, 3), both[0] * comb(48, 3) * 45, both[0] * comb(48, 3) * 45 * 44]
    assert sum(d * n for d, n in zip(decisions, both, strict=True)) == known.LIMIT_STATES


def test_two_handed_ring_limit_is_limit():
    assert betting_tree(ring_limit(2)) == betting_tree(limit_holdem())


# Who acts, what it costs.


def test_kuhn_is_written_as_known():
    state = replay(kuhn(), "cr", "KsJs")
    assert (state.player, state.spent, state.pot, state.to_call) == (0, (1, 2), 3, 1)
    assert state.legal_actions() == (FOLD, CALL)
    assert state.information(0) == "Ks||cr"
    assert state.information(1) == "Js||cr"
    assert state.public() == "|cr"
    assert state.apply(CALL).payoffs() == (2, -2)
    assert state.apply(FOLD).payoffs() == (-1, 1)
    assert not state.apply(FOLD).showdown
    assert state.apply(FOLD).shown == ((), ())
    assert state.apply(CALL).shown == (parse_cards("Ks"), parse_cards("Js"))


def test_leduc_pairs_win_and_equal_ranks_tie():
    assert replay(leduc(), "rrc/rrc", "JhKsJs").payoffs() == (13, -13)
    assert replay(leduc(), "rc/cc", "KhKsJs").payoffs() == (0, 0)
    assert replay(leduc(), "cc/rc", "KhQsJs").payoffs() == (5, -5)


def test_isomorphic_leduc_labels_have_no_suits():
    game = leduc(suit_isomorphic=True)
    assert replay(game, "cc/", "JhKsQs").information(0) == "J|Q|cc/"
    assert replay(game, "cc/", "JsKsQh").information(0) == "J|Q|cc/"
    assert replay(leduc(), "cc/", "JhKsQs").information(0) == "Jh|Qs|cc/"


def test_heads_up_limit_seats_and_sizes():
    game = limit_holdem()
    assert game.start().spent == (2, 1)
    state = game.start().deal(range(4))
    assert (state.player, state.to_call) == (1, 1)
    state = play(game, "rrr")
    assert state.spent == (6, 8)
    assert state.legal_actions() == (FOLD, CALL)  # the blind is the first of four bets
    assert play(game, "rrrc/").spent == (8, 8)
    state = play(game, "rc/crrrr")
    assert state.spent == (12, 10)
    assert state.legal_actions() == (FOLD, CALL)
    state = play(game, "cc/cc/rr")
    assert state.spent == (6, 10)
    assert [seat for seat, _ in state.actions] == [1, 0, 0, 1, 0, 1]


def test_folding_against_raises_costs_three_quarters_of_a_small_bet():
    game = limit_holdem()
    dealer = play(game, "f").payoffs()[1]
    other = play(game, "rf").payoffs()[0]
    assert -1000 * (dealer + other) / 2 / game.rules.small_bet == known.FOLD_AGAINST_RAISE_MILLIBETS


def test_ring_seats():
    game = ring_limit(4)
    state = play(game, "crfcc/c")
    assert state.actions_by_round == (((2, 1), (3, 2), (0, 0), (1, 1), (2, 1)), ((1, 1),))
    assert state.folded == (True, False, False, False)
    assert state.player == 2
    assert state.spent == (1, 4, 4, 4)
    assert play(game, "fff").payoffs() == (-1, 1, 0, 0)


def test_actions_have_names():
    game = limit_holdem()
    assert [play(game, "c").action_name(a) for a in (CALL, RAISE)] == ["check", "raise"]
    assert [play(game, "cc/r").action_name(a) for a in (FOLD, CALL, RAISE)] == ["fold", "call", "raise"]
    on_flop = play(game, "cc/").deal((50, 48, 51))
    assert on_flop.action_name(RAISE) == "bet"
    assert game.start().action_name(51) == "As"
    assert replay(leduc(), "", "JhKs").action_name(RAISE) == "bet"
    nolimit = play(nolimit_holdem(), "r6")
    assert nolimit.action_name(12) == "raise to 12"


# No-limit: sizes, all-ins, side pots.


def test_nolimit_raise_sizes():
    game = nolimit_holdem(stacks=(200, 150))
    state = game.start().deal(range(4))
    assert list(state.legal_actions())[:3] == [FOLD, CALL, 4]
    assert state.legal_actions() == BetActions(True, range(4, 151))
    assert play(game, "r6").legal_actions() == BetActions(True, range(10, 201))
    assert play(game, "r6r10").legal_actions() == BetActions(True, range(14, 151))
    assert play(game, "r6r140").legal_actions() == BetActions(True, range(150, 151))
    assert play(game, "r6c/c").legal_actions() == BetActions(False, range(8, 151))
    assert play(game, "r6r150").legal_actions() == BetActions(True, range(0))
    assert play(game, "r6r200").legal_actions() == BetActions(True, range(0))


def test_an_all_in_deals_the_board_out():
    state = replay(nolimit_holdem(), "r200c", "AsAh 2c2d Ad Kc 9h 9s 3d")
    assert state.betting == "r200c///"
    assert state.showdown
    assert state.payoffs() == (200, -200)
    halfway = replay(nolimit_holdem(), "r200c", "AsAh 2c2d Ad Kc 9h")
    assert (halfway.player, halfway.betting, halfway.round) == (CHANCE, "r200c//", 2)


def test_short_blinds():
    game = nolimit_holdem(3, stacks=(5, 1, 9), blinds=(2, 4))
    assert game.start().spent == (2, 1, 0)
    state = game.start().deal(range(6))
    assert (state.player, state.to_call) == (2, 2)  # the most really paid, not the big blind
    assert state.legal_actions() == BetActions(True, range(6, 10))
    nobody_can_act = replay(nolimit_holdem(stacks=(1, 50)), "", list(range(9)))
    assert nobody_can_act.betting == "///"
    assert nobody_can_act.player == TERMINAL


def test_a_short_all_in_does_not_reopen_the_betting():
    game = nolimit_holdem(4, stacks=(200, 14, 200, 200))
    state = play(game, "cccc/r12r14")  # a bet of 10, then an all-in for 2 more
    assert state.player == 2
    assert state.legal_actions().raises == range(24, 201)  # seat 2 has not acted
    state = play(game, "cccc/r12r14cc")
    assert (state.player, state.to_call) == (0, 2)
    assert list(state.legal_actions()) == [FOLD, CALL]


def test_short_all_ins_add_up():
    state = play(nolimit_holdem(4, stacks=(200, 18, 24, 200)), "cccc/r12r18r24c")
    assert (state.player, state.to_call) == (0, 12)
    assert state.legal_actions().raises == range(34, 201)  # 6 + 6 are more than the bet of 10
    state = play(nolimit_holdem(5, stacks=(200, 18, 24, 30, 200)), "ccccc/r12r18r24r30c")
    assert (state.player, state.to_call) == (0, 18)
    assert list(state.legal_actions()) == [FOLD, CALL]  # after the sum was full, 6 is short again


def test_the_first_bet_of_a_round_is_full_whatever_its_size():
    state = play(nolimit_holdem(3, stacks=(200, 3, 200)), "ccc/cr3c")
    assert (state.player, state.to_call) == (0, 1)
    assert state.legal_actions().raises == range(5, 201)


def test_a_seat_nobody_can_bet_against_checks():
    state = play(nolimit_holdem(3, stacks=(50, 3, 60), blinds=(5, 10)), "f")
    assert (state.player, state.spent) == (0, (5, 3, 0))
    assert list(state.legal_actions()) == [CALL]


@pytest.mark.parametrize(
    ("spent", "folded", "strength", "net"),
    [
        ((5, 5, 5), (0, 0, 0), (1, 1, 1), (0, 0, 0)),
        ((5, 5, 5), (1, 0, 0), (9, 1, 1), (-5, 3, 2)),  # the odd chip goes to the first after the button
        ((10, 4, 10), (0, 0, 0), (1, 3, 2), (-10, 8, 2)),  # side pot
        ((50, 4, 10), (0, 0, 0), (1, 3, 2), (-10, 8, 2)),  # 40 chips nobody called go back
        ((3, 7, 7), (0, 0, 0), (0, 1, 1), (-3, 2, 1)),  # seat 0 wins nothing: one pot of 17, not 9 and 8
        ((3, 7, 7), (0, 0, 0), (1, 1, 1), (0, 0, 0)),
        ((1, 4, 4, 4), (1, 0, 0, 0), (9, 1, 1, 0), (-1, 3, 2, -4)),
    ],
)
def test_pots(spent, folded, strength, net):
    assert _split(spent, folded, strength) == net
    assert naive_games.split(spent, folded, strength) == net


@st.composite
def showdowns(draw):
    seats = draw(st.integers(3, 9))
    spent = draw(st.lists(st.integers(0, 30), min_size=seats, max_size=seats))
    folded = draw(st.lists(st.booleans(), min_size=seats, max_size=seats))
    for seat in draw(st.permutations(range(seats)))[:2]:
        folded[seat] = False
    most = max(paid for paid, out in zip(spent, folded, strict=True) if not out)
    spent = [min(paid, most) if out else paid for paid, out in zip(spent, folded, strict=True)]
    strength = draw(st.lists(st.integers(0, 3), min_size=seats, max_size=seats))
    return spent, folded, strength


@given(showdowns())
def test_pots_agree_with_naive(showdown):
    spent, folded, strength = showdown
    net = _split(spent, folded, strength)
    assert net == naive_games.split(spent, folded, strength)
    assert sum(net) == 0
    assert all(won >= -paid for won, paid in zip(net, spent, strict=True))


@settings(max_examples=60)
@given(
    st.lists(st.integers(1, 40), min_size=2, max_size=9),
    st.integers(0, 3),
    st.sampled_from([(0, 1), (1, 2), (2, 5), (3, 3)]),
    st.randoms(use_true_random=False),
)
def test_no_limit_hands_end_and_lose_no_chip(stacks, ante, blinds, random):
    game = nolimit_holdem(len(stacks), stacks, blinds, ante)
    assert parse_game(game.name) == game
    cards = iter(random.sample(FULL_DECK, 52))
    state = game.start()
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.apply(next(cards))
        else:
            assert state.stacks is not None
            assert state.stacks[state.player] > 0
            state = state.apply(random.choice(state.legal_actions()))
    payoffs = state.payoffs()
    assert sum(payoffs) == 0
    assert all(-stack <= won for stack, won in zip(stacks, payoffs, strict=True))
    assert len(state.board) == 5 or not state.showdown
    assert replay(game, state.betting, state.cards) == state


# Sequences of no-limit actions.


@given(st.booleans(), st.integers(2, 30), st.integers(-1, 40))
def test_bet_actions_are_a_sequence(can_fold, low, count):
    actions = BetActions(can_fold, range(low, low + count))
    written = [FOLD] * can_fold + [CALL, *range(low, low + count)]
    assert list(actions) == written
    assert [actions[i] for i in range(len(actions))] == written
    assert [actions[-1 - i] for i in range(len(actions))] == written[::-1]
    for ends in ((1, 4), (2, None), (3, -2), (None, None, -3), (-1, 1, -2), (9, 2)):
        assert list(actions[slice(*ends)]) == written[slice(*ends)]
    assert list(raises_among(actions)) == [action for action in written if action > CALL]
    assert list(reversed(actions)) == written[::-1]
    for value in range(-2, 75):
        assert (value in actions) == (value in written)
        assert actions.count(value) == written.count(value)
        if value in written:
            assert actions.index(value) == written.index(value)
        else:
            with pytest.raises(ValueError, match=f"{value} is not among BetActions"):
                actions.index(value)
    with pytest.raises(IndexError):
        actions[len(written)]
    with pytest.raises(IndexError):
        actions[-len(written) - 1]


def test_bet_actions_are_never_written_out():
    actions = play(nolimit_holdem(stacks=10**15), "r6").legal_actions()
    assert len(actions) == 10**15 - 10 + 3
    assert actions.index(10**14) == 10**14 - 8
    assert repr(actions) == "BetActions(0, 1, 10..1000000000000000)"
    with pytest.raises(ValueError, match="from 5 to None"):
        actions.index(CALL, 5)
    assert actions == BetActions(True, range(10, 10**15 + 1))
    assert actions != (0, 1)
    assert len({actions, BetActions(True, range(10, 10**15 + 1))}) == 1
    assert actions[2:] == actions.raises == range(10, 10**15 + 1)
    assert actions[-1:1:-1][:2] == range(10**15, 10**15 - 2, -1)
    assert raises_among((FOLD, CALL, RAISE)) == range(RAISE, RAISE + 1)
    assert raises_among((FOLD, CALL)) == raises_among(()) == range(0)


# Names and text.


@pytest.mark.parametrize(
    "text", [*KNOWN_GAMES, "ring-limit:10", "nolimit:stacks=40", "nolimit:blinds=50/100"]
)
def test_names_parse_back(text):
    game = parse_game(text)
    assert parse_game(game.name) == game
    assert hash(parse_game(game.name)) == hash(game)
    assert repr(game) == f"<PokerGame {game.name!r}>"
    assert copy.deepcopy(game) == game
    state = game.start()
    assert copy.deepcopy(state.apply(game.rules.deck[0])) == state.apply(game.rules.deck[0])


def test_names_are_short():
    assert nolimit_holdem(2, (200, 200)).name == "nolimit"
    assert parse_game("nolimit:ante=1,players=3,stacks=50/50/50").name == "nolimit:players=3,stacks=50,ante=1"
    assert (
        nolimit_holdem(3, (200, 150, 37), (2, 4), 1).name
        == "nolimit:players=3,stacks=200/150/37,blinds=2/4,ante=1"
    )


@pytest.mark.parametrize(
    "text", ["", "poker", "kuhn:3", "leduc:", "leduc:suits", "limit:6", "ring-limit", "Kuhn"]
)
def test_unknown_games(text):
    with pytest.raises(
        ParseError, match="known are 'kuhn', 'leduc', 'leduc:iso', 'limit', 'ring-limit:6'"
    ) as error:
        parse_game(text)
    assert str(error.value).startswith(repr(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ring-limit:1", "ring-limit for 1 players; allowed are 2 to 10"),
        ("ring-limit:11", "ring-limit for 11 players; allowed are 2 to 10"),
        ("ring-limit:six", "game 'ring-limit:six': the number of players is 'six', expected a whole number"),
        ("nolimit:players=1", "nolimit for 1 players; allowed are 2 to 10"),
        ("nolimit:stacks=0", "nolimit with stacks 0; every stack is a whole number above 0"),
        ("nolimit:stacks=9/-3", r"nolimit with stacks \(9, -3\); every stack is a whole number above 0"),
        ("nolimit:stacks=9/9/9", r"stacks \(9, 9, 9\): 3 stacks for 2 players; give one number for all"),
        ("nolimit:stacks=2.5", "stacks is '2.5', expected a whole number"),
        ("nolimit:stacks=", "'stacks=' is not an option of nolimit"),
        ("nolimit:blinds=2", r"blinds \(2,\); expected a small and a big blind"),
        ("nolimit:blinds=2/1", r"blinds \(2, 1\); expected a small and a big blind"),
        ("nolimit:blinds=0/0", r"blinds \(0, 0\); expected .* the big one at least 1"),
        ("nolimit:blinds=1/2/4", r"blinds \(1, 2, 4\); expected a small and a big blind"),
        ("nolimit:ante=-1", "ante -1; an ante is a whole number, 0 or above"),
        ("nolimit:ante=1/2", "'ante=1/2' is not an option of nolimit; write players=3"),
        ("nolimit:ante=1,ante=2", "'ante' is given twice"),
        ("nolimit:rake=3", "'rake=3' is not an option"),
    ],
)
def test_impossible_games(text, message):
    with pytest.raises(SoulreadError, match=message):
        parse_game(text)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_players": 2.0}, "nolimit for 2.0 players"),
        ({"num_players": True}, "nolimit for True players"),
        ({"stacks": (10, 2.5)}, r"stacks \(10, 2.5\); every stack is a whole number"),
        ({"stacks": 10.0}, "stacks 10.0; every stack is a whole number"),
        ({"stacks": True}, "stacks True; every stack is a whole number"),
        ({"blinds": (0.5, 1)}, r"blinds \(0.5, 1\)"),
        ({"ante": None}, "ante None"),
    ],
)
def test_impossible_arguments(arguments, message):
    with pytest.raises(SoulreadError, match=message):
        nolimit_holdem(**arguments)


def test_impossible_ring():
    with pytest.raises(SoulreadError, match=r"ring-limit for 6\.0 players"):
        ring_limit(6.0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_players": 1}, "'leduc' has 1 players; allowed are 2 to 10"),
        ({"blinds": (1,)}, r"'leduc' has blinds \(1,\); expected 2 numbers"),
        ({"max_raises": (2,)}, r"'leduc' has max_raises \(2,\); expected 2 numbers"),
        ({"board_cards": (1, 1)}, "the first round has no board"),
        ({"board_cards": (0, 0)}, "every later one at least one card"),
        ({"hole_cards": 3}, "deals more cards than the 6 of its deck"),
        ({"raise_sizes": None}, "neither raise sizes nor stacks"),
        ({"deck": (36, 36, 37, 40, 41, 44)}, "'Jc' comes twice"),
    ],
)
def test_impossible_rules(changes, message):
    with pytest.raises(SoulreadError, match=message):
        replace(leduc().rules, **changes)


@pytest.mark.parametrize(
    ("game", "betting", "action", "message"),
    [
        (
            nolimit_holdem(),
            "r6",
            3,
            "raise to 3 in 'nolimit' after 'r6': a raise must be to between 10 and 200",
        ),
        (nolimit_holdem(), "r6", 201, "raise to 201 in .* a raise must be to between 10 and 200"),
        (
            nolimit_holdem(),
            "r190",
            199,
            "raise to 199 in 'nolimit' after 'r190': a raise must be to 200, all-in",
        ),
        (nolimit_holdem(), "r200", 200, "raise to 200 in .*: no raise is allowed here, only f or c"),
        (
            nolimit_holdem(),
            "c",
            -1,
            "raise to -1 in 'nolimit' after 'c': a raise must be to between 4 and 200",
        ),
        (nolimit_holdem(), "c", "r", "raise to 'r' in"),
        (nolimit_holdem(), "c", FOLD, "fold in 'nolimit' after 'c': nothing to call, so only c or r$"),
        (limit_holdem(), "c", FOLD, "fold in 'limit' after 'c': nothing to call, so only c or r$"),
        (
            limit_holdem(),
            "rrr",
            RAISE,
            "raise in 'limit' after 'rrr': no raise is allowed here, only f or c$",
        ),
        (limit_holdem(), "r", 3, "action 3 in 'limit' after 'r': legal are 0, 1, 2$"),
        (limit_holdem(), "crf", CALL, "1 in 'limit' after 'crf': the hand is over"),
        (kuhn(), "rc", 40, "40 in 'kuhn' after 'rc': the hand is over"),
    ],
)
def test_illegal_actions(game, betting, action, message):
    state = play(game, betting)
    with pytest.raises(IllegalAction, match=message):
        state.apply(action)


def test_illegal_cards():
    with pytest.raises(IllegalAction, match="card 51 in 'kuhn' after '': not in the deck of this game"):
        kuhn().start().apply(51)
    with pytest.raises(IllegalAction, match="card Ks in 'kuhn' after '': already dealt"):
        replay(kuhn(), "", "Ks").apply(parse_cards("Ks")[0])
    with pytest.raises(IllegalAction, match="card 39 in 'kuhn' after '': no card is due"):
        replay(kuhn(), "", "KsQs").deal([39])
    with pytest.raises(IllegalAction, match="payoffs in 'kuhn' after '': the hand is not over"):
        kuhn().start().payoffs()
    with pytest.raises(SoulreadError, match="seat 2 in 'kuhn'; its seats are 0 to 1"):
        kuhn().start().information(2)
    with pytest.raises(SoulreadError, match="seat -1 in 'kuhn'; its seats are 0 to 1"):
        kuhn().start().view(-1)


@pytest.mark.parametrize(
    ("game", "text", "message"),
    [
        (limit_holdem(), "r12", "'r12' is not an action of 'limit'; write 'f', 'c' or 'r'$"),
        (limit_holdem(), "x", "'x' is not an action"),
        (limit_holdem(), "", "'' is not an action"),
        (nolimit_holdem(), "r", "'r' is not an action of 'nolimit'; write 'f', 'c' or 'r' with the total"),
        (nolimit_holdem(), "r012", "'r012' is not an action"),
        (nolimit_holdem(), "r" + "9" * 5000, "is not an action"),
        (nolimit_holdem(), "r1", "raise to 1 in 'nolimit' after '': a raise must be to between 4 and 200"),
        (nolimit_holdem(), "r3", "raise to 3 in 'nolimit' after '': a raise must be to between 4 and 200"),
    ],
)
def test_unreadable_actions(game, text, message):
    state = game.start().deal(range(4))
    with pytest.raises(SoulreadError, match=message):
        parse_action(state, text)


def test_nobody_to_act():
    with pytest.raises(IllegalAction, match="'c' in 'kuhn' after '': chance is to deal"):
        parse_action(kuhn().start(), "c")
    with pytest.raises(IllegalAction, match="'c' in 'kuhn' after 'rf': the hand is over"):
        parse_action(replay(kuhn(), "rf", "KsJs"), "c")


# Replaying.


def test_replay_round_trips():
    state = replay(limit_holdem(), "rrc/crc/", "AsKh 7c7d 2c 9h Jd")
    assert state.betting == "rrc/crc/"
    assert state.player == CHANCE
    assert state.information(0) == "AsKh|Jd9h2c|rrc/crc/"
    assert repr(state) == "<PokerState 'limit' AsKh|7c7d 2c9hJd 'rrc/crc/'>"
    assert replay(limit_holdem(), "rrc/crc", state.cards) == state
    assert len({state, replay(limit_holdem(), "rrc/crc", state.cards)}) == 1
    assert state != replay(limit_holdem(), "rrc/", "AsKh 7c7d 2c 9h Jd")
    assert state != "rrc/crc/"


def test_replay_with_unknown_cards():
    cards = [*parse_cards("AsKh"), None, None, *parse_cards("2c 9h Jd")]
    known_view = replay(limit_holdem(), "rrc/cr", cards).view(0)
    assert known_view == replay(limit_holdem(), "rrc/cr", "AsKh 7c7d 2c 9h Jd").view(0)


@pytest.mark.parametrize(
    ("betting", "cards", "error", "message"),
    [
        ("rx", "AsKh7c7d", ParseError, "character 2 of 'rx': 'x' is not an action of 'limit'"),
        ("r/", "AsKh7c7d", ParseError, "character 2 of 'r/': '/', but no round ends here"),
        ("rcc", "AsKh7c7d", ParseError, "character 3 of 'rcc': 'c', but the round is over: expected '/'"),
        ("rc//", "AsKh7c7d2c3c4c", ParseError, "character 4 of 'rc//': '/', but no round ends here"),
        ("rc/c", "AsKh7c7d2c", ParseError, "character 4 of 'rc/c': 'c', but the cards have run out"),
        ("rrrr", "AsKh7c7d", IllegalAction, "character 4 of 'rrrr': raise in 'limit' after 'rrr': no raise"),
        ("ff", "AsKh7c7d", IllegalAction, "character 2 of 'ff': 'f' in 'limit' after 'f': the hand is over"),
        ("f/", "AsKh7c7d", ParseError, "character 2 of 'f/': '/', but no round ends here"),
        ("f", "AsKh7c7d2c", ParseError, "1 card left over after 'f' in 'limit'"),
        ("r", "AsKh7c7d2c3c", ParseError, "2 cards left over after 'r' in 'limit'"),
        ("r12", "AsKh7c7d", ParseError, "character 1 of 'r12': 'r12' is not an action of 'limit'"),
        ("c", [51, 51, 0, 1], IllegalAction, "card As in 'limit' after '': already dealt"),
        ("c", "AsAs7c7d", ParseError, "'As' comes twice"),
    ],
)
def test_replay_says_where(betting, cards, error, message):
    with pytest.raises(error, match=re.escape(message)):
        replay(limit_holdem(), betting, cards)


def test_replay_of_more_unknown_cards_than_the_deck_has():
    with pytest.raises(ParseError, match="4 cards, but the deck of 'kuhn' has 3"):
        replay(kuhn(), "", [None] * 4)


# What a seat knows.


def test_order_of_the_deal_tells_nothing():
    state = replay(limit_holdem(), "rc/c", "AsKh7c7d2c9hJd")
    other = replay(limit_holdem(), "rc/c", "KhAs7d7cJd2c9h")
    assert state.view(0) == other.view(0)
    assert state.view(1) == other.view(1)
    assert state.public() == other.public() == "Jd9h2c|rc/c"
    assert state.view(0).hole == parse_cards("AsKh")
    turn = replay(limit_holdem(), "cc/cc/", "AsKh7c7d2c9hJd4d")
    assert turn.information(0) != replay(limit_holdem(), "cc/cc/", "AsKh7c7d4d9hJd2c").information(0)


def test_view_has_all_that_is_public():
    state = replay(nolimit_holdem(3, (50, 60, 70)), "r6fc/r8", "AsKh 7c7d 2d2h 2c 9h Jd")
    view = state.view(2)
    assert (view.seat, view.hole, cards_name(view.board)) == (2, parse_cards("2h2d"), "Jd9h2c")
    assert (view.betting, view.round, view.pot, view.to_call) == ("r6fc/r8", 1, 15, 2)
    assert (view.spent, view.stacks, view.folded) == ((1, 8, 6), (49, 52, 64), (True, False, False))
    assert view.legal == state.legal_actions()
    assert view.rules is state.rules
    assert view.actions == ((2, 6), (0, 0), (1, 1), (1, 8))
    assert view.information == "2h2d|Jd9h2c|r6fc/r8"
    assert view.public == "Jd9h2c|r6fc/r8"
    assert state.view(0).legal == ()
    assert state.view(0).to_call == 0
    assert state.view(1).to_call == 0
