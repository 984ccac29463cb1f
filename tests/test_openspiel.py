"""Games of OpenSpiel in soulread, and soulread's strategies in OpenSpiel's own exploitability."""

import dataclasses
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from soulread.errors import IllegalAction, ParseError, SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.named import find_game
from soulread.games.openspiel import OpenSpielGame, derive_public, openspiel_counterpart
from soulread.seqform.compile import compile_game
from soulread.seqform.openspiel import from_openspiel_policy, to_openspiel_policy
from soulread.seqform.strategy import plan_from_behaviour, random_behaviour, uniform_behaviour
from soulread.seqform.treeplex import ListedLabels
from soulread.solvers.cfr.run import solve
from soulread.solvers.exploitability import exploitability, nash_conv

pyspiel = pytest.importorskip("pyspiel")

DICE = "openspiel:liars_dice(dice_sides=4)"
GOOFSPIEL = "openspiel:goofspiel(imp_info=True,num_cards=4,points_order=descending)"
GAMES = ["kuhn", "leduc", "leduc:iso", "openspiel:kuhn_poker", "openspiel:leduc_poker", DICE, GOOFSPIEL]


@pytest.fixture(scope="module", params=GAMES)
def game(request):
    return compile_game(find_game(request.param))


def strategies(game):
    """Uniform, partly solved and random behaviours, by name."""
    rng = np.random.default_rng(7)
    return {
        "uniform": tuple(uniform_behaviour(tree) for tree in game.trees),
        "partly solved": solve(game, iterations=20).behaviours,
        "random": tuple(random_behaviour(tree, rng) for tree in game.trees),
    }


@pytest.mark.parametrize("name", ["uniform", "partly solved", "random"])
def test_exploitability_equals_openspiel(game, name):
    behaviours = strategies(game)[name]
    first, second = (plan_from_behaviour(tree, b) for tree, b in zip(game.trees, behaviours, strict=True))
    other, policy = openspiel_counterpart(game.name), to_openspiel_policy(game, behaviours)
    assert pyspiel.exploitability(other, policy) == pytest.approx(
        exploitability(game, (first, second)), abs=1e-9
    )
    assert pyspiel.nash_conv(other, policy) == pytest.approx(nash_conv(game, (first, second)), abs=1e-9)


def test_policies_come_back(game):
    behaviours = strategies(game)["random"]
    policy = to_openspiel_policy(game, behaviours)
    for sent in (policy, policy.policy_table()):
        for before, after in zip(behaviours, from_openspiel_policy(game, sent), strict=True):
            assert np.abs(before - after).max() <= 1e-12


def test_policies_of_openspiel_python_come_back():
    from open_spiel.python import policy as python_policies

    game = compile_game(find_game("leduc"))
    other = openspiel_counterpart("leduc")
    behaviours = strategies(game)["random"]
    policy = to_openspiel_policy(game, behaviours)
    translated = python_policies.pyspiel_policy_to_python_policy(other, policy)
    for before, after in zip(behaviours, from_openspiel_policy(game, translated), strict=True):
        assert np.abs(before - after).max() <= 1e-12
    uniform = from_openspiel_policy(game, python_policies.UniformRandomPolicy(other))
    for tree, behaviour in zip(game.trees, uniform, strict=True):
        assert behaviour == pytest.approx(uniform_behaviour(tree), abs=1e-12)


@pytest.mark.parametrize(
    ("ours", "theirs", "sets"),
    [("kuhn", "kuhn_poker", 6), ("leduc", "leduc_poker", 468), ("leduc:iso", "leduc_poker", 468)],
)
def test_the_same_game_read_from_openspiel_has_the_same_value(ours, theirs, sets):
    mine, read = compile_game(find_game(ours)), compile_game(OpenSpielGame(theirs))
    assert [tree.num_sets for tree in read.trees] == [sets, sets]
    values = [solve(game, iterations=50).value for game in (mine, read)]
    assert values[0] == pytest.approx(values[1], abs=1e-9)


def test_sizes_of_liars_dice_and_goofspiel():
    dice, goofspiel = compile_game(find_game(DICE)), compile_game(find_game(GOOFSPIEL))
    # 2^8 sequences of bids before somebody must call, half of them end with each player, times 4 faces
    assert [tree.num_sets for tree in dice.trees] == [512, 512]
    assert [tree.num_sets for tree in goofspiel.trees] == [81, 81]


def test_states_do_not_change_and_refuse_illegal_actions():
    state = OpenSpielGame("liars_dice(dice_sides=4)").start()
    assert (state.player, state.legal_actions()) == (CHANCE, ())
    assert sum(probability for _, probability in state.chance_outcomes()) == pytest.approx(1)
    rolled = state.apply(0).apply(3)
    assert (rolled.player, list(rolled.legal_actions())) == (0, list(range(8)))
    with pytest.raises(IllegalAction, match="action 99 is not among the legal ones"):
        rolled.apply(99)
    bid = rolled.apply(6)
    assert rolled.information(0) == "1"
    assert (bid.information(0), bid.information(1)) == ("1 2-3", "4 2-3")
    assert (bid.action_name(7), bid.action_name(8)) == ("2-4", "Liar")
    view = bid.view(1)
    assert (view.seat, list(view.legal), view.information, view.public) == (1, [7, 8], "4 2-3", "? ? 2-3")
    end = bid.apply(8)
    assert (end.player, end.payoffs()) == (TERMINAL, (-1.0, 1.0))
    with pytest.raises(SoulreadError, match="is not over"):
        bid.payoffs()


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", "nim(pile_sizes=2;2)"])
def test_public_labels_derived_from_the_tree_are_those_of_openspiel(name):
    game = OpenSpielGame(name)
    derived = derive_public(game)
    pairs = set()
    stack = [game.start()]
    while stack:
        state = stack.pop()
        if state.player >= 0:
            pairs.add((state.public(), derived[state.player, state.information(0)]))
        stack += [state.apply(action) for action in state._moves()]
    assert len(pairs) == len({theirs for theirs, _ in pairs}) == len({ours for _, ours in pairs})


def test_public_labels_reveal_nothing_hidden():
    tree = compile_game(find_game(GOOFSPIEL)).trees[1]
    labels = {tree.public_history(index) for index in range(tree.num_sets)}
    assert "?" in labels  # the second player moves and does not know what the first one bid
    # Both bid their highest card: a tie tells both what the other had.
    assert "[P0]Bid: 4 [P1]Bid: 4 ?" in labels


@pytest.mark.parametrize("name", [DICE, GOOFSPIEL, "openspiel:dark_hex(board_size=2)"])
def test_games_keep_the_contract(name):
    game = find_game(name)
    assert isinstance(game, OpenSpielGame)
    public: dict[tuple[int, int, str], str] = {}  # of what a seat sees when somebody moves
    stack = [game.start()]
    while stack:
        state = stack.pop()
        moves = list(state.legal_actions()) or [action for action, _ in state.chance_outcomes()]
        before = (str(state.spiel), state.information(0), state.information(1), state.public())
        children = [state.apply(action) for action in moves]
        assert (str(state.spiel), state.information(0), state.information(1), state.public()) == before
        assert moves == sorted(moves)
        assert all(state.action_name(action) for action in moves)
        assert [child.spiel.history()[-1] for child in children] == moves
        for seat in (0, 1):
            seen = (state.player, seat, state.information(seat))
            assert public.setdefault(seen, state.public()) == state.public()
        if state.player == TERMINAL:
            assert sum(state.payoffs()) == 0
            with pytest.raises(IllegalAction, match=r"not among the legal ones, \[\]"):
                state.apply(0)
        stack += children
    with pytest.raises(SoulreadError, match=r"seat 2; .* has seats 0 and 1"):
        game.start().information(2)


def test_public_labels_can_be_given():
    game = OpenSpielGame("liars_dice(dice_sides=2)", public=lambda state: f"{state.move_number()} moves")
    assert game.start().apply(0).apply(0).apply(1).public() == "3 moves"


def test_a_game_both_players_move_in_at_once():
    rps = compile_game(OpenSpielGame("matrix_rps"))
    assert [tree.num_sequences for tree in rps.trees] == [4, 4]
    assert solve(rps, iterations=100).value == pytest.approx(0, abs=1e-12)


def test_perfect_information_without_labels_of_openspiel():
    pig = OpenSpielGame("pig(players=2,winscore=3,diceoutcomes=2,horizon=6)")
    assert compile_game(pig).trees[0].num_sets == 141
    assert pig.start().apply(0).apply(1).public() == pig.start().apply(0).apply(1).information(1)


def test_names_lead_back_to_the_game():
    game = find_game(GOOFSPIEL)
    assert game.name == GOOFSPIEL
    assert find_game(game.name) == game
    assert OpenSpielGame(pyspiel.load_game("kuhn_poker")) == find_game("openspiel:kuhn_poker")
    assert hash(game) == hash(find_game(GOOFSPIEL))
    assert "goofspiel" in repr(game)
    assert "after '0'" in repr(find_game("openspiel:kuhn_poker").start().apply(0))
    assert OpenSpielGame("python_kuhn_poker").name == "openspiel:python_kuhn_poker()"


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("kuhn_poker(players=3)", SoulreadError, "'openspiel:kuhn_poker(players=3)' has 3 players"),
        ("matrix_pd", SoulreadError, "is general-sum; soulread reads zero-sum games"),
        ("tiny_bridge_2p", SoulreadError, "is identical; soulread reads zero-sum games"),
        ("gin_rummy", SoulreadError, "OpenSpiel knows no information states of"),
        ("lairs_dice", ParseError, "such as 'liars_dice(numdice=1)'; near it are liars_dice"),
        ("", ParseError, "'' is not a game of OpenSpiel"),
        ("liars_dice(", ParseError, "'liars_dice(' is not a game of OpenSpiel"),
        ("liars_dice(foo=1)", ParseError, "refuses the game 'liars_dice(foo=1)': Unknown parameter 'foo'"),
        ("nfg_game", ParseError, "OpenSpiel refuses the game 'nfg_game'"),
    ],
)  # fmt: skip
def test_games_that_are_refused(name, error, message):
    with pytest.raises(error, match=re.escape(message)) as caught:
        OpenSpielGame(name)
    assert "\n" not in str(caught.value)


def test_sampled_chance_and_odd_dynamics_are_refused():
    kind = pyspiel.GameType
    real = pyspiel.load_game("kuhn_poker").get_type()
    fake = {"utility": real.utility, "chance_mode": real.chance_mode, "dynamics": real.dynamics}

    class Odd:
        def __init__(self, **changed):
            self.get_type = lambda: SimpleNamespace(**{**fake, **changed})

        def num_players(self):
            return 2

        def __str__(self):
            return "odd"

    with pytest.raises(SoulreadError, match="'openspiel:odd' samples its chance moves"):
        OpenSpielGame(Odd(chance_mode=kind.ChanceMode.SAMPLED_STOCHASTIC))
    with pytest.raises(SoulreadError, match="'openspiel:odd' is mean-field"):
        OpenSpielGame(Odd(dynamics=kind.Dynamics.MEAN_FIELD))


def test_imperfect_recall_is_refused():
    with pytest.raises(SoulreadError, match="has imperfect recall: player 1 sees"):
        compile_game(OpenSpielGame("liars_dice_ir(dice_sides=3,recall_length=1)"))


def test_too_large_a_game_is_refused():
    with pytest.raises(SoulreadError, match="has more than 500 histories, too many to derive what is public"):
        compile_game(OpenSpielGame("liars_dice", max_histories=500))


def test_without_openspiel(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(SoulreadError, match=re.escape("install soulread[openspiel]")):
        find_game("openspiel:kuhn_poker")


def test_wrong_policies_are_refused():
    game = compile_game(find_game("kuhn"))
    table = to_openspiel_policy(game, strategies(game)["uniform"]).policy_table()
    with pytest.raises(SoulreadError, match="the policy says nothing about '0' of 'kuhn'"):
        from_openspiel_policy(game, {label: row for label, row in table.items() if label != "0"})
    with pytest.raises(
        SoulreadError, match=re.escape("plays action 2 at '0' of 'kuhn', which allows [0, 1]")
    ):
        from_openspiel_policy(game, {**table, "0": [(0, 0.5), (2, 0.5)]})
    with pytest.raises(SoulreadError, match=r"sum to 0\.8, not to 1"):
        from_openspiel_policy(game, {**table, "0": [(0, 0.5), (1, 0.3)]})
    with pytest.raises(SoulreadError, match="'int' is not a policy with a table"):
        from_openspiel_policy(game, 3)
    with pytest.raises(SoulreadError, match="'limit' has no counterpart in OpenSpiel"):
        openspiel_counterpart("limit")


def test_labels_both_players_share_must_agree():
    game = compile_game(OpenSpielGame("matrix_rps"))
    shared = ListedLabels(("the same",), ("",))
    first, second = (dataclasses.replace(tree, labels=shared) for tree in game.trees)
    game = dataclasses.replace(game, trees=(first, second))
    assert to_openspiel_policy(game, strategies(game)["uniform"]).size() == 1
    with pytest.raises(SoulreadError, match=r"two information sets of .* one name in OpenSpiel, 'the same',"):
        to_openspiel_policy(game, strategies(game)["random"])
