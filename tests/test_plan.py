"""Plans against a player: kinds of spots are counted, the example is typical, and the answer pays."""

from collections import Counter

import numpy as np
import pytest
from click.testing import CliRunner

from soulread.abstraction.textures import texture_of
from soulread.cli import cli
from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.hands.hand import Hand
from soulread.hands.record import decisions
from soulread.hands.referee import game_of_holdem
from soulread.hands.store import Query, Store
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.matches import Match
from soulread.study.spots.plan import PlanStudy, amount_word, path_words, study_plan, typical
from soulread.study.spots.player_counts import decisions_of

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
    assert planned.taken.number in hands


@pytest.mark.compiled
def test_habits_are_counted_and_the_answer_pays(plan) -> None:
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
    curve, chosen = planned.study.curve, planned.study.chosen
    assert planned.gain * planned.big_blind == pytest.approx(curve.gain(chosen))
    assert "instead of" in planned.change
    record = plain_data(plan)
    assert record["spots"][0]["gain"] == pytest.approx(planned.gain)
    assert record["spots"][0]["habits"][0]["n"] == planned.habits[0].n


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
    chosen = typical(hands, "river")
    assert distances[chosen] == pytest.approx(min(distances.values()))
    assert chosen == planned.taken.number


@pytest.mark.compiled
def test_the_command_prints_the_plan(store) -> None:
    words = ("plan", STATION, "--db", str(store), "--spots", "1", "--street", "river")
    done = CliRunner().invoke(cli, words, prog_name="soulread")
    assert done.exit_code == 0, done.output
    text = " ".join(done.output.split())
    assert "1. River, the player is" in text
    assert "It wins" in text
    assert "and costs at most" in text


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
        with pytest.raises(SoulreadError, match=r"0 hands of no-limit hold'em in .*; a plan needs 200"):
            study_plan(opened, STATION, Query(game="ring-limit"))
