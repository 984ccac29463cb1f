"""Checks every game must pass. A new game is tested by being listed."""

import itertools
import random
from dataclasses import fields, is_dataclass
from types import FunctionType

import pytest

from soulread.errors import IllegalAction
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.named import parse_game
from soulread.games.poker import BetActions, PokerGame, PokerState, PokerView, Rules

SMALL = ["kuhn", "leduc", "leduc:iso"]
GAMES = [
    *SMALL,
    "limit",
    "ring-limit:2",
    "ring-limit:3",
    "ring-limit:6",
    "ring-limit:10",
    "nolimit",
    "nolimit:stacks=7/31,ante=1",
    "nolimit:players=3,stacks=200/150/37,blinds=1/2,ante=1",
    "nolimit:players=6,stacks=3/40/1/9/200/200,blinds=5/10",
    "nolimit:players=9,stacks=100,blinds=3/7,ante=2",
]


@pytest.fixture(params=GAMES)
def game(request):
    return parse_game(request.param)


@pytest.fixture(params=SMALL)
def small_game(request):
    return parse_game(request.param)


def playout(game, seed):
    """The states of one random hand, from the first to the last."""
    rng = random.Random(f"{game.name} {seed}")
    states = [game.start()]
    while states[-1].player != TERMINAL:
        state = states[-1]
        actions = [card for card, _ in state.chance_outcomes()] or state.legal_actions()
        states.append(state.apply(rng.choice(actions)))
    return states


def snapshot(state):
    return [repr(getattr(state, name)) for name in PokerState.__slots__ if name != "game"]


def test_name_is_the_game(game):
    assert parse_game(game.name) == game
    assert game.num_players == game.rules.num_players == len(game.start().spent)


def test_chance_is_a_distribution(game):
    for seed in range(5):
        for state in playout(game, seed):
            outcomes = state.chance_outcomes()
            if state.player == CHANCE:
                cards = [card for card, _ in outcomes]
                assert sum(p for _, p in outcomes) == pytest.approx(1)
                assert all(p > 0 for _, p in outcomes)
                assert cards == sorted(set(cards))
                assert state.legal_actions() == ()
            else:
                assert list(outcomes) == []


def test_legal_actions_ascend_and_no_other_is_accepted(game):
    rng = random.Random(1)
    for seed in range(10):
        for state in playout(game, seed):
            legal = state.legal_actions()
            if state.player < 0:
                assert len(legal) == 0
                continue
            some = sorted({legal[rng.randrange(len(legal))] for _ in range(20)} | {legal[0], legal[-1]})
            positions = [legal.index(action) for action in some]
            assert positions == sorted(positions)
            assert len(legal) > 0
            for action in range(-2, legal[-1] + 3):
                if action not in legal:
                    before = snapshot(state)
                    with pytest.raises(IllegalAction, match=game.name):
                        state.apply(action)
                    assert snapshot(state) == before


def test_states_never_change(game):
    for seed in range(10):
        states = playout(game, seed)
        before = [snapshot(state) for state in states]
        for state in states:
            for action in [card for card, _ in state.chance_outcomes()][:3] or state.legal_actions()[:5]:
                state.apply(action)
            state.view(0)
            state.information(game.num_players - 1)
        assert [snapshot(state) for state in states] == before


def test_same_actions_same_hand(game):
    for seed in range(3):
        again = zip(playout(game, seed), playout(game, seed), strict=True)
        assert all(snapshot(a) == snapshot(b) and a == b for a, b in again)


def test_nobody_moves_after_the_end(game):
    for seed in range(5):
        *_, last = playout(game, seed)
        assert (last.player, list(last.legal_actions()), list(last.chance_outcomes())) == (TERMINAL, [], [])
        for action in range(3):
            with pytest.raises(IllegalAction, match="the hand is over"):
                last.apply(action)


def test_payoffs_sum_to_zero_and_come_only_at_the_end(game):
    for seed in range(30):
        *states, last = playout(game, seed)
        payoffs = last.payoffs()
        assert len(payoffs) == game.num_players
        assert all(type(won) is int for won in payoffs)
        assert sum(payoffs) == 0
        assert all(won >= -paid for won, paid in zip(payoffs, last.spent, strict=True))
        for state in states:
            with pytest.raises(IllegalAction, match="the hand is not over"):
                state.payoffs()


def test_every_action_has_words(game):
    for seed in range(10):
        for state in playout(game, seed):
            names = [state.action_name(action) for action in state.legal_actions()[:9]]
            assert all(names)
            assert len(set(names)) == len(names)


def test_public_is_part_of_every_information(game):
    for seed in range(10):
        for state in playout(game, seed):
            for seat in range(game.num_players):
                view = state.view(seat)
                assert view.public == state.public()
                assert view.information == state.information(seat)
                assert view.information.endswith("|" + view.public)
                assert list(view.legal) == (list(state.legal_actions()) if state.player == seat else [])


def other_cards(state, seat, rng):
    """Cards of the same hand with those ``seat`` has not seen drawn again."""
    game, count = state.game, state.rules.hole_cards
    holes = count * game.num_players
    cards = list(state.cards)
    hidden = [i for i in range(min(holes, len(cards))) if not seat * count <= i < (seat + 1) * count]
    seen = {cards[i] for i in range(len(cards)) if i not in hidden}
    drawn = rng.sample([card for card in game.rules.deck if card not in seen], len(hidden))
    for i, card in zip(hidden, drawn, strict=True):
        cards[i] = card
    return cards


def replayed(state, cards):
    """The same actions with other cards."""
    actions, deck = iter(state.actions), iter(cards)
    other = state.game.start()
    while other.actions != state.actions or len(other.cards) < len(cards):
        other = other.apply(next(deck) if other.player == CHANCE else next(actions)[1])
    return other


def test_nobody_sees_hidden_cards(game):
    rng = random.Random(2)
    for seed in range(8):
        for state in playout(game, seed):
            for seat in range(game.num_players):
                other = replayed(state, other_cards(state, seat, rng))
                assert other.information(seat) == state.information(seat)
                assert other.public() == state.public()
                assert other.view(seat) == state.view(seat)
                assert repr(other.view(seat)) == repr(state.view(seat))


def reachable(thing):
    """Everything that can be got at from a view."""
    seen, todo = {}, [thing]
    while todo:
        item = todo.pop()
        if id(item) in seen:
            continue
        seen[id(item)] = item
        if is_dataclass(item):
            todo += [getattr(item, field.name) for field in fields(item)]
        elif isinstance(item, (tuple, list, set, frozenset)):
            todo += item
        elif isinstance(item, dict):
            todo += [*item, *item.values()]
        else:
            todo += [getattr(item, name) for name in getattr(type(item), "__slots__", ())]
            todo += list(vars(item).values()) if hasattr(item, "__dict__") and not callable(item) else []
    return seen.values()


def test_a_view_holds_no_state(game):
    """It knows the game, which is shared by all hands, and nothing of this hand that its seat may not."""
    plain = (bool, int, str, tuple, range, frozenset, type(None))
    ours = (FunctionType, PokerView, PokerGame, Rules, BetActions)
    for seed in range(3):
        for state in playout(game, seed):
            things = list(reachable(state.view(0)))
            assert all(type(thing) in (*plain, *ours) for thing in things)
            assert all(thing is game for thing in things if isinstance(thing, PokerGame))
            functions = [thing for thing in things if isinstance(thing, FunctionType)]
            assert all(function.__closure__ is None for function in functions)


def test_views_are_frozen(game):
    view = playout(game, 1)[-1].view(0)
    with pytest.raises(AttributeError):
        view.hole = ()
    with pytest.raises((AttributeError, TypeError)):
        view.state = None


def test_perfect_recall(small_game):
    """A label settles what its seat saw and did before, in every history."""
    memory: dict[object, object] = {}

    def walk(state, own):
        if state.player == CHANCE:
            for card, _ in state.chance_outcomes():
                walk(state.apply(card), own)
        elif state.player >= 0:
            seat, label = state.player, state.information(state.player)
            assert memory.setdefault((seat, label), own[seat]) == own[seat]
            legal = memory.setdefault((seat, label, "legal"), list(state.legal_actions()))
            assert legal == list(state.legal_actions())
            for action in legal:
                after = list(own)
                after[seat] = (*own[seat], (label, action))
                walk(state.apply(action), after)

    walk(small_game.start(), [()] * small_game.num_players)
    assert memory


def test_labels_remember_in_long_games(game):
    """Along a hand each label of a seat contains its cards and all betting so far."""
    for seed in range(10):
        states = playout(game, seed)
        for before, after in itertools.pairwise(states):
            assert after.betting.startswith(before.betting)
            assert after.actions[: len(before.actions)] == before.actions
            assert after.cards[: len(before.cards)] == before.cards
            assert after.round >= before.round
            assert sum(map(len, after.actions_by_round)) == len(after.actions)
            assert all(a >= b for a, b in zip(after.spent, before.spent, strict=True))
