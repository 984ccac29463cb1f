"""Plans against a player: kinds of spots are counted, the example is typical, and the answer pays."""

from collections import Counter

import numpy as np
import pytest
from click.testing import CliRunner

from soulread.abstraction.textures import texture_of
from soulread.cards.deck import parse_cards
from soulread.cards.ranges import hand_index, parse_range
from soulread.cli import cli
from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.games.spot import Betting, parse_menu
from soulread.hands.hand import Hand
from soulread.hands.record import decisions
from soulread.hands.referee import game_of_holdem
from soulread.hands.store import Query, Store
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.matches import Match
from soulread.respond.confidence import parse_confidence
from soulread.seqform.spot import Spot
from soulread.solvers.cfr.stops import Stops
from soulread.study.spots.locks import study_locks
from soulread.study.spots.plan import (
    SLACK,
    PlanStudy,
    amount_word,
    answer_player,
    by_typicality,
    path_words,
    study_plan,
)
from soulread.study.spots.plan_trees import FLOP_BET, likely, small_spot
from soulread.study.spots.player_counts import SeenDecision, decisions_of, reads_of_player, situation_at

STATION = "always-call"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Hands of somebody who never folds and never bets, against somebody who often does."""
    path = tmp_path_factory.mktemp("plan") / "hands.db"
    hands: list[Hand] = []
    game = parse_game("nolimit:stacks=60")
    agents = tuple(parse_agent(text).make(game) for text in (STATION, "plain:style=loose"))
    Match(game, agents, 400).play(5, record=lambda hand: hands.append(hand.seen_by(None)))
    with Store.open(path) as opened:
        opened.add(hands)
    return path


@pytest.fixture(scope="module")
def plan(store) -> PlanStudy:
    with Store.open(store, read_only=True) as opened:
        return study_plan(opened, STATION, spots=1, streets=("river",), gap=0.02)


@pytest.mark.compiled
def test_the_commonest_kind_comes_first(store, plan) -> None:
    (planned,) = plan.spots
    with Store.open(store, read_only=True) as opened:
        hands = dict(opened.find(Query(player=STATION)))
    assert plan.hands == len(hands)
    kinds: Counter[tuple[bool | None, str | None]] = Counter()
    for hand in hands.values():
        found = [one.situation for one in decisions_of(hand, STATION) if one.situation.street == 3]
        kinds.update({(one.in_position, one.initiative) for one in found})
    ((most, count),) = kinds.most_common(1)
    assert (planned.kind.in_position, planned.kind.initiative) == most
    assert planned.hands == count
    assert planned.taken.number == planned.numbers[0]
    assert set(planned.numbers) < set(hands)


@pytest.mark.compiled
def test_habits_are_counted_and_the_answer_pays(store, plan) -> None:
    (planned,) = plan.spots
    folds = [habit for habit in planned.habits if habit.action == "fold"]
    assert folds
    for habit in planned.habits:
        low, high = habit.interval
        assert low - 1e-9 <= habit.rate <= high + 1e-9
        assert habit.n > 0
        passive = habit.action in ("call", "check")
        assert habit.rate == (1.0 if passive else 0.0), "this player never folds, bets or raises"
    assert planned.sure
    assert planned.gain > 0
    assert planned.cost >= 0
    with Store.open(store, read_only=True) as opened:
        seen = [one for _, hand in opened.find(Query(player=STATION)) for one in decisions_of(hand, STATION)]
    study = answer_player(planned.spot, planned.taken, STATION, seen, gap=0.02)
    curve, chosen = study.curve, study.chosen
    assert planned.gain * planned.big_blind == pytest.approx(curve.gain(chosen))
    assert planned.cost * planned.big_blind == pytest.approx(max(0.0, curve.cost(chosen)))
    assert planned.gain_of_pot * planned.spot.betting.pot == pytest.approx(curve.gain(chosen))
    assert 0 < planned.gap <= 0.02
    assert planned.advice
    assert all("(equilibrium " in text for text in planned.advice)
    assert all(hand.change > 0 for changes in planned.changes for hand in changes.hands)
    record = plain_data(plan)
    assert record["spots"][0]["gain"] == pytest.approx(planned.gain)
    assert record["spots"][0]["habits"][0]["n"] == planned.habits[0].n
    assert record["spots"][0]["numbers"] == list(planned.numbers)


@pytest.mark.compiled
def test_a_habit_far_from_the_equilibrium_is_sure(plan) -> None:
    (planned,) = plan.spots
    told = {habit.verdict for habit in planned.habits if habit.action == "fold" and habit.n >= 30}
    assert told == {"too seldom"}, "somebody who never folds"
    assert all(habit.slack == SLACK for habit in planned.habits)


@pytest.mark.compiled
def test_an_example_is_near_the_medians(store, plan) -> None:
    (planned,) = plan.spots
    kind = planned.kind
    with Store.open(store, read_only=True) as opened:
        hands = {
            number: hand
            for number, hand in opened.find(Query(player=STATION))
            if any(
                (one.situation.street, one.situation.in_position, one.situation.initiative)
                == (3, kind.in_position, kind.initiative)
                for one in decisions_of(hand, STATION)
            )
        }
    rows = {}
    for number, hand in hands.items():
        state = next(s for s, _ in decisions(game_of_holdem(hand), hand.actions, hand.board) if s.round == 3)
        stacks = [stack for stack, out in zip(state.stacks or (), state.folded, strict=True) if not out]
        rows[number] = np.array([np.log(state.pot / hand.stakes.big_blind), np.log(min(stacks) / state.pot)])
    middle = np.median(np.array(list(rows.values())), axis=0)
    textures = Counter(texture_of(hand.board) for hand in hands.values())
    most = max(textures, key=lambda name: textures[name])
    distances = {n: np.abs(rows[n] - middle).sum() for n in rows if texture_of(hands[n].board) == most}
    chosen = by_typicality(hands, "river")[0]
    assert distances[chosen] == pytest.approx(min(distances.values()))
    assert chosen == planned.taken.number


@pytest.mark.compiled
def test_the_command_prints_the_plan(store) -> None:
    words = (
        "plan",
        STATION,
        "--db",
        str(store),
        "--spots",
        "1",
        "--street",
        "river",
        "--rake",
        "5%",
        "--cap",
        "3bb",
    )
    done = CliRunner().invoke(cli, words, prog_name="soulread")
    assert done.exit_code == 0, done.output
    text = " ".join(done.output.split())
    assert "1. River, the player is" in text
    assert "Tree: " in text
    assert "of the pot) if the player does what was counted" in text
    assert "It wins" in text
    assert "and costs at most" in text
    assert "in the example, after a rake of 5%, at most 3bb." in text


def test_words_have_amounts_in_big_blinds() -> None:
    assert path_words("", 2) == "at the start"
    assert path_words("check bet7 raise20", 2) == "after check, bet 3.5 bb, raise 10 bb"
    assert amount_word("call", 2) == "call"


@pytest.mark.compiled
def test_a_plan_that_cannot_be_made_is_refused(store) -> None:
    with Store.open(store, read_only=True) as opened:
        with pytest.raises(SoulreadError, match="street 'pre'; expected some of flop, turn, river"):
            study_plan(opened, STATION, streets=("pre",))
        with pytest.raises(SoulreadError, match="0 spots"):
            study_plan(opened, STATION, spots=0)
        with pytest.raises(SoulreadError, match="a rake of '5'"):
            study_plan(opened, STATION, rake="5")
        with pytest.raises(SoulreadError, match=r"0 hands of no-limit hold'em in .*; a plan needs 200"):
            study_plan(opened, STATION, Query(game="ring-limit"))


# Small trees.


def flop_spot(oop: str = "QQ,JJ:0.1,KsQs", ip: str = "AA,99:0.2,76s") -> Spot:
    betting = Betting(0, 60, 300, parse_menu("33%,75%,a", "2.5x,a"), add_all_in=1.5)
    return Spot(parse_cards("Td9d6h"), (parse_range(oop), parse_range(ip)), betting)


@pytest.mark.parametrize("raiser", [-1, 0, 1])
def test_a_flop_has_one_bet_on_a_street_and_no_raises(raiser) -> None:
    small = small_spot(flop_spot(), raiser)
    for street in small.spot.tree:
        for node in street.nodes:
            assert all(action.kind != "raise" for action in node.actions)
            assert sum(action.kind == "bet" for action in node.actions) <= 1
    first = small.spot.tree[0].nodes[0]
    assert [action.kind for action in first.actions] == (["check"] if raiser == 1 else ["check", "bet"])
    checked = small.spot.node(small.spot.find("check"))
    assert [str(action) for action in checked.actions] == ["check", "bet 36"]  # 60% of 60
    assert FLOP_BET in small.words
    assert ("does not lead" in small.words) == (raiser == 1)
    called = small.spot.node(small.spot.find("check bet36 call 2c"))
    assert [action.kind for action in called.actions] == ["check"], "nobody leads into the last bettor"


def test_unlikely_holdings_are_left_out() -> None:
    spot = flop_spot()
    small = small_spot(spot, 1)
    assert small.spot.ranges[0].weights[hand_index(*parse_cards("JhJs"))] == 0
    assert small.spot.ranges[1].weights[hand_index(*parse_cards("9h9s"))] == 0.2
    whole, left = spot.live[0].sum(), small.spot.live[0].sum()
    assert small.kept[0] == pytest.approx(left / whole)
    assert small.kept[1] == pytest.approx(1)
    assert (
        likely(spot.ranges[1], spot.board, 0.25).weights.sum()
        < likely(spot.ranges[1], spot.board, 0.125).weights.sum()
    )


@pytest.mark.compiled
def test_a_spot_beyond_the_limit_is_cut_further_or_refused() -> None:
    spot = flop_spot()
    whole = sum(small_spot(spot, 1).spot.num_sequences)
    cut = small_spot(spot, 1, limit=whole - 1)
    assert sum(cut.spot.num_sequences) < whole
    assert cut.kept[1] < 1, "99 was a fifth as likely as AA"
    with pytest.raises(SoulreadError, match=r"too large for a plan: [\d,]+ sequences, at most 1,000"):
        small_spot(spot, 1, limit=1000)


def test_a_later_street_keeps_its_bets() -> None:
    betting = Betting(2, 60, 300, parse_menu("33%,75%", "2.5x"))
    spot = Spot(parse_cards("Td9d6h2c3s"), (parse_range("QQ,JJ"), parse_range("AA,77")), betting)
    small = small_spot(spot, 1)
    assert small.spot.betting == betting
    assert small.kept == (1.0, 1.0)


@pytest.mark.compiled
def test_raises_that_the_tree_lacks_count_as_calls() -> None:
    spot = small_spot(flop_spot("QQ,JJ,88,KsQs", "AA,99,76s"), 1).spot
    faced = situation_at(spot, spot.find("check bet36"), "other")
    seen = [SeenDecision(faced, word) for word in ["fold"] * 5 + ["call"] * 3 + ["raise"] * 2]
    checks = situation_at(spot, spot.find(""), "other")
    seen += [SeenDecision(checks, word) for word in ["check"] * 3 + ["bet"]]
    reads = reads_of_player(spot, 0, "Bob", seen, parse_confidence("curve:50"), initiative="other")
    assert [read.path for read in reads] == ["check bet36"]
    assert reads[0].frequencies == pytest.approx({"fold": 0.5, "call": 0.5})
    study = study_locks(spot, reads, trusts=(0.0, 1.0), stops=Stops(gap=1.0, iterations=100))
    assert study.curve.gain(study.chosen) > -1.0
