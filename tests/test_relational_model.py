"""Prior, player's model, types, outcomes and holdings of Bayes-relational models."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from soulread.cards.deck import parse_cards
from soulread.cards.ranges import HAND_CARDS, hand_index
from soulread.cards.scales.card_facts import (
    DRAW,
    DRAWS,
    HIGH,
    LOW,
    MADE,
    MADE_HAND,
    OVERS,
    PLACE,
    STRENGTH,
    facts_on,
)
from soulread.errors import DamagedFile, SoulreadError
from soulread.games.named import parse_game
from soulread.games.poker import PokerView, raises_among
from soulread.hands.hand import Hand, Sight
from soulread.hands.record import seen_by
from soulread.model import situation as facts
from soulread.model.base import CardReader, Model, ask
from soulread.model.catalogue import parse_model
from soulread.model.relational.bayes import (
    Play,
    RelationalPrior,
    TreeLearned,
    chances_of,
    correct,
    default_prior,
    fit_prior,
    impute,
    load_prior,
    log_likelihoods,
    uninformed_prior,
)
from soulread.model.relational.boosted import boost, columns_of
from soulread.model.relational.examples import (
    Games,
    Question,
    against,
    alternatives_of,
    askable,
    even_chances,
    games_of,
    language_of,
    log_chances,
)
from soulread.model.relational.language import Outcome
from soulread.model.relational.model import RelationalModel
from soulread.model.relational.player_types import (
    TypeBook,
    TypeBounds,
    learn_bounds,
    roster_of,
    set_types,
    types_before,
)
from soulread.model.relational.tree import Examples, GrowthSettings, grow, odds_of
from soulread.reproduce.kit.ranges.scores import gain_of

NAMES = "ann", "bob", "cem", "dee", "eva", "fay"
QUICK = GrowthSettings(least_gain=3.0, least_leaf=10.0, depth=5)


def styled(hands: int, seed: int) -> list[Hand]:
    """Hands of six: bob raises if allowed with a pair or an ace, else folds; the others act at random."""
    rng = np.random.default_rng(seed)
    game = parse_game("nolimit:players=6,stacks=100")
    found = []
    for number in range(hands):
        names = tuple(np.roll(NAMES, number).tolist())
        seat = names.index("bob")
        state = game.start().deal(rng.permutation(52)[:12].tolist())
        while state.player != -2:
            if state.player == -1:
                left = [card for card in range(52) if card not in state.cards]
                state = state.apply(int(rng.choice(left)))
                continue
            legal = state.legal_actions()
            raises = raises_among(legal)
            a, b = state.hole(state.player)
            if state.player == seat:
                good = a >> 2 == b >> 2 or 12 in (a >> 2, b >> 2)
                action = 0 if 0 in legal and not good else 1
                if good and raises and state.round == 0:
                    action = raises[0]
            else:
                draw = rng.random()
                action = 0 if 0 in legal and draw < 0.3 else 1
                if raises and draw > 0.9:
                    action = min(raises[-1], 2 * raises[0])
            state = state.apply(action)
        found.append(replace(seen_by(state, None, names), id=str(number)))
    return found


@lru_cache
def simulated(hands: int = 240, seed: int = 1) -> tuple[Hand, ...]:
    return tuple(styled(hands, seed))


@lru_cache
def games() -> Games:
    found = games_of(simulated())
    found.learn_types(np.ones(found.num_hands, np.bool_))
    return found


# Cards.


@pytest.mark.parametrize(
    ("hole", "board", "made", "draw", "overs"),
    [
        ("AdKd", "Td9d6h", "no pair", "flush draw", 2),
        ("QsJs", "Td9d6h", "no pair", "open-ended", 2),
        ("TsTh", "Td9d6h", "trips", "no draw", 0),
        ("JsTh", "Td9d6h", "top pair", "no draw", 1),
        ("9s8h", "Td9d6h", "middle pair", "gutshot", 0),
        ("6s2h", "Td9d6h", "low pair", "no draw", 0),
        ("AsAh", "Td9d6h", "overpair", "no draw", 2),
        ("Tc6d", "Td9d6h", "two pair", "no draw", 0),
        ("8c7c", "Td9d6h", "straight", "no draw", 0),
        ("Ad2d", "Td9d6d", "flush", "no draw", 1),
        ("TsTh", "Td9d9h", "full house or better", "no draw", 0),
        ("Qd8d", "Td9d6h", "no pair", "flush and straight draw", 1),
        ("AhKc", "TdTs9d9h2c", "no pair", "no draw", 2),
        ("5s4s", "As2d3h", "straight", "no draw", 0),
    ],
)
def test_what_two_cards_make(hole: str, board: str, made: str, draw: str, overs: int) -> None:
    found, keys = facts_on(np.array(parse_cards(board)))
    row = found[hand_index(*parse_cards(hole))]
    assert (MADE[row[MADE_HAND]], DRAWS[row[DRAW]], row[OVERS]) == (made, draw, overs)
    assert row[HIGH] >= row[LOW]
    assert (keys < 0).sum() == 1326 - (52 - len(board) // 2) * (51 - len(board) // 2) // 2


def test_equal_keys_have_equal_facts() -> None:
    for board in ("", "Td9d6h", "Td9d6h2c", "Td9d6h2cAh"):
        found, keys = facts_on(np.array(parse_cards(board), np.int64))
        for key in np.unique(keys[keys >= 0])[::7]:
            same = found[keys == key]
            columns = [PLACE, STRENGTH, MADE_HAND, DRAW, OVERS] if board else list(range(8))
            assert (same[:, columns] == same[0, columns]).all()
    places = facts_on(np.zeros(0, np.int64))[0][:, PLACE]
    assert places[hand_index(*parse_cards("AsAh"))] == 19
    assert places[hand_index(*parse_cards("7h2c"))] == 0


# Outcomes and alternatives.


def test_outcomes_are_those_of_the_paper() -> None:
    """Lose: folded, or mucked at the showdown; win: not shown; cards: shown."""
    hand = next(h for h in simulated() if h.showdown and sum(s is Sight.SHOWN for s in h.sights) == 2)
    seats = [seat for seat, sight in enumerate(hand.sights) if sight is Sight.SHOWN]
    loser = min(seats, key=lambda seat: hand.payoffs[seat])
    sights = tuple(Sight.MUCKED if seat == loser else sight for seat, sight in enumerate(hand.sights))
    hole = tuple(None if seat == loser else cards for seat, cards in enumerate(hand.hole))
    unshown = next(h for h in simulated() if not h.showdown)
    found = games_of([hand, replace(hand, sights=sights, hole=hole), unshown])
    for i in range(found.outcome.size):
        number, seat = found.decisions.hand[i], int(found.decisions.rows.actor[i])
        one = [hand, hand, unshown][number]
        folded = (seat, 0) in one.actions
        expected = Outcome.LOSE if folded else Outcome.WIN if number == 2 else Outcome.CARDS
        if number == 1 and seat == loser:
            expected = Outcome.LOSE
        assert found.outcome[i] == expected
        assert (found.holding[i] >= 0) == (expected == Outcome.CARDS)


def test_every_possible_outcome_is_listed_once() -> None:
    data = games()
    rng = np.random.default_rng(0)
    chosen = askable(data, np.arange(data.outcome.size), Question.OUTCOME)
    chosen = np.sort(rng.choice(chosen, 40, replace=False))
    listed = alternatives_of(data, chosen, Question.OUTCOME)
    chances = np.exp(even_chances(listed))
    for k, i in enumerate(chosen):
        part = slice(listed.begin[k], listed.begin[k + 1])
        left = 52 - (0, 3, 4, 5)[data.decisions.rows.numbers[i, facts.ROUND]]
        possible = left * (left - 1) // 2 + 2
        weights = listed.examples.weight[part]
        assert weights.sum() == possible
        assert (weights * chances[part]).sum() == pytest.approx(1)
        assert_allclose(chances[part], 1 / possible)
        taken = listed.taken[k]
        assert part.start <= taken < part.stop
        assert listed.examples.outcome[taken] == data.outcome[i]
        if data.outcome[i] == Outcome.CARDS:
            board = data.board[data.decisions.hand[i]]
            cards = facts_on(board[: (0, 3, 4, 5)[data.decisions.rows.numbers[i, facts.ROUND]]])[0]
            columns = list(range(8)) if left == 52 else [PLACE, STRENGTH, MADE_HAND, DRAW, OVERS]
            assert_array_equal(listed.examples.cards[taken, columns], cards[data.holding[i], columns])


@pytest.mark.compiled
def test_possible_actions() -> None:
    data = games()
    every = np.arange(data.outcome.size)
    for question in (Question.ACTION, Question.PLAY, Question.SIZE):
        chosen = askable(data, every, question)
        listed = alternatives_of(data, chosen, question)
        for k, i in enumerate(chosen[:300]):
            found = listed.examples.part[listed.begin[k] : listed.begin[k + 1]].tolist()
            if question is Question.SIZE:
                assert found == list(range(7))
                continue
            lost = question is Question.PLAY or bool(data.outcome[i] == Outcome.LOSE)
            may_fold, may_raise = bool(data.decisions.may_fold[i]), bool(data.decisions.may_raise[i])
            expected = [0] * (may_fold and lost) + [1] + [2] * may_raise
            assert found == expected
            assert len(found) > 1
            assert listed.examples.part[listed.taken[k]] == data.decisions.action[i]


def test_scores_become_probabilities() -> None:
    data = games()
    chosen = askable(data, np.arange(data.outcome.size), Question.OUTCOME)[:7]
    listed = alternatives_of(data, chosen, Question.OUTCOME)
    scores = np.random.default_rng(1).normal(size=listed.examples.size_of) * 3
    found = log_chances(listed, scores)
    for k in range(chosen.size):
        part = slice(listed.begin[k], listed.begin[k + 1])
        total = (listed.examples.weight[part] * np.exp(scores[part])).sum()
        assert_allclose(found[part], scores[part] - np.log(total))


def test_draws_follow_the_chances() -> None:
    data = games()
    chosen = askable(data, np.arange(data.outcome.size), Question.OUTCOME)[:3]
    listed = alternatives_of(data, chosen, Question.OUTCOME)
    chances = even_chances(listed)
    found = against(listed, chances, np.random.default_rng(1), draws=4000)
    for i in chosen:
        own = found.row == i
        assert found.weight[own & (found.label == 0)].sum() == pytest.approx(1)
        assert found.weight[own & (found.label == 1)].sum() == 1
        lose = own & (found.label == 0) & (found.outcome == Outcome.LOSE)
        assert found.weight[lose].sum() == pytest.approx(np.exp(chances[0]))
    pairs = (found.label == 0) & (found.outcome == Outcome.CARDS) & (found.row == chosen[0])
    share = found.weight[pairs & (found.cards[:, HIGH] == found.cards[:, LOW])].sum()
    assert share == pytest.approx(78 / 1328, abs=0.002)


# Equation 4.


def test_equation_4_is_direct_counting() -> None:
    """Two distributions over actions in two situations; the tree's odds times the one give the other."""
    situations = games().decisions.rows
    early = int(np.flatnonzero(situations.numbers[:, facts.ROUND] == 0)[0])
    late = int(np.flatnonzero(situations.numbers[:, facts.ROUND] > 0)[0])
    everybody = {early: [500, 300, 200], late: [100, 600, 300]}
    player = {early: [800, 100, 100], late: [100, 300, 600]}
    row, part, label, weight = [], [], [], []
    for kind, counts in ((0, everybody), (1, player)):
        for at, numbers in counts.items():
            for action, number in enumerate(numbers):
                row.append(at)
                part.append(action)
                label.append(kind)
                weight.append(float(number))
    count = len(row)
    zeros = np.zeros(count, np.uint8)
    parts = np.array(part, np.uint8)
    mixed = Examples(
        situations,
        np.array(row, np.int64),
        parts,
        zeros,
        zeros,
        np.zeros((count, 8), np.uint8),
        parts,
        np.array(label, np.uint8),
        np.array(weight),
        np.arange(count),
    )
    settings = GrowthSettings(smooth=1e-9, least_gain=1e-6, least_leaf=1.0, depth=3, held_out=0.0)
    tree = grow(mixed, language_of(Question.ACTION, False), settings)
    odds = np.exp(odds_of(tree, mixed))
    for at in (early, late):
        chosen = (mixed.row == at) & (mixed.label == 0)
        prior = np.array(everybody[at]) / sum(everybody[at])
        found = prior * odds[chosen]
        assert_allclose(found / found.sum(), np.array(player[at]) / sum(player[at]), atol=1e-9)


@pytest.mark.compiled
def test_the_prior_beats_uninformed_and_the_model_beats_the_prior() -> None:
    data = games()
    bob = data.number_of("bob")
    everyone, own = np.flatnonzero(data.player != bob), np.flatnonzero(data.player == bob)
    test = own[data.decisions.hand[own] % 4 == 0]
    train = own[data.decisions.hand[own] % 4 != 0]
    for question in (Question.ACTION, Question.OUTCOME):
        prior = correct(data, everyone, question, settings=QUICK)
        judged = askable(data, test, question)
        blind = log_likelihoods([], data, judged, question).mean()
        general = log_likelihoods([prior], data, judged, question).mean()
        for everybody in (None, everyone):
            learned = correct(data, train, question, [prior], settings=QUICK, everybody=everybody)
            assert log_likelihoods([prior, learned], data, judged, question).mean() > general + 0.01
        assert general > blind


# Types.


def test_types_are_those_before_the_hand() -> None:
    hands = simulated()[:120]
    data = games_of(hands)
    bounds = TypeBounds(0.4, 0.6, 0.1, 0.3)
    allowed = np.arange(120) % 3 > 0
    types = types_before(data.roster, allowed, bounds)
    book = TypeBook(bounds)
    for number, hand in enumerate(hands):
        assert tuple(types[number]) == book.types(hand.players)
        if allowed[number]:
            book.update(hand)
    assert types[:30].sum() == 0  # too little is known
    assert types[-1].any()
    set_types(data.decisions, types)
    assert_array_equal(data.decisions.rows.masks[-1, facts.LOOSE : facts.PASSIVE + 1], types[-1])


def test_types_follow_the_order_of_time() -> None:
    from datetime import UTC, datetime

    times = [datetime.fromtimestamp(1000 - n, UTC) for n in range(90)]
    hands = [replace(hand, time=time) for hand, time in zip(simulated(), times, strict=False)]
    backwards = games_of(hands).roster
    forwards = games_of(hands[::-1]).roster
    every = np.ones(90, np.bool_)
    assert_array_equal(
        types_before(backwards, every, TypeBounds())[::-1], types_before(forwards, every, TypeBounds())
    )


def test_bounds_are_thirds_of_the_allowed_hands() -> None:
    data = games_of(simulated())
    allowed = np.arange(data.num_hands) < 150
    bounds = learn_bounds(data.roster, allowed)
    assert bounds.tight < bounds.loose
    shorter = games_of(simulated()[:150])
    assert learn_bounds(shorter.roster, np.ones(150, np.bool_)) == bounds
    assert learn_bounds(data.roster, np.zeros(data.num_hands, np.bool_)) == TypeBounds()


# Holdings.


@lru_cache
def small_prior() -> RelationalPrior:
    return fit_prior(list(simulated()), settings=QUICK, passes=1)


def test_holdings_are_imputed_from_actions() -> None:
    """Shown holdings stay; hidden ones are drawn once a seat, without cards of the board."""
    data = games()
    every = np.arange(data.outcome.size)
    found = impute(data, every, None, np.random.default_rng(1))
    shown = data.outcome == Outcome.CARDS
    assert_array_equal(found[shown], data.holding[shown])
    assert (found >= 0).all()
    for i in np.flatnonzero(~shown)[::17]:
        board = data.board[data.decisions.hand[i]]
        assert not set(HAND_CARDS[found[i]].tolist()) & set(board[board >= 0].tolist())
        same = (data.decisions.hand == data.decisions.hand[i]) & (
            data.decisions.rows.actor == data.decisions.rows.actor[i]
        )
        assert len(set(found[same].tolist())) == 1


def plain(hands: int, seed: int) -> list[tuple[Hand, list[tuple[PokerView, int, int]]]]:
    """Hands of three who play by the strength of their cards, as a spectator sees them.

    With each hand, for every seat that did not only fold: what is public after its last other action, the
    seat, and its real holding.
    """
    rng = np.random.default_rng(seed)
    game = parse_game("nolimit:players=3,stacks=100")
    found = []
    for number in range(hands):
        state = game.start().deal(rng.permutation(52)[:6].tolist())
        told: dict[int, tuple[PokerView, int, int]] = {}
        while state.player != -2:
            if state.player == -1:
                state = state.apply(int(rng.choice([card for card in range(52) if card not in state.cards])))
                continue
            seat, legal = state.player, state.legal_actions()
            view, raises = state.view(seat, NAMES[:3]), raises_among(legal)
            holding = hand_index(*view.hole)
            row = facts_on(np.array(view.board, np.int64))[0][holding]
            strength = row[STRENGTH if view.board else PLACE] + rng.normal(0, 1.5)
            action = 0 if 0 in legal and strength < 11 else 1
            if raises and strength > 15 and view.betting.split("/")[-1].count("r") < 2:
                action = min(raises[-1], 2 * raises[0])
            state = state.apply(action)
            if action:
                told[seat] = replace(state.view(seat, NAMES[:3]), seat=(seat + 1) % 3, hole=()), seat, holding
        found.append((replace(seen_by(state, None, NAMES[:3]), id=str(number)), list(told.values())))
    return found


@pytest.mark.compiled
@pytest.mark.slow
def test_hidden_cards_are_learned_though_none_are_shown() -> None:
    """From even chances EM would never learn that cards matter; it begins with a sensible player."""
    hands = [
        replace(hand, hole=(None,) * 3, sights=(Sight.UNSEEN,) * 3, showdown=False)
        for hand, _ in plain(400, 5)
    ]
    prior = fit_prior(hands, questions=(Question.PLAY,), settings=QUICK)
    told = [one for _, listed in plain(150, 6) for one in listed]
    model = RelationalModel(told[0][0].game, prior)
    assert gains(model, told, after=False).mean() > 0.4
    assert gains(model, told, after=True).mean() > 0.4


def gains(model: CardReader, told: list[tuple[PokerView, int, int]], after: bool) -> np.ndarray:
    """Nats over even chances on holdings, of views before the flop or after it."""
    chosen = [one for one in told if bool(one[0].board) == after]
    return np.array([gain_of(model.holdings(view, seat), holding) for view, seat, holding in chosen])


@pytest.mark.compiled
def test_hidden_cards_are_read_from_how_somebody_plays() -> None:
    """Bob raises pairs and aces and folds the rest; most of the hands are never shown."""
    game = parse_game("nolimit:players=6,stacks=100")
    prior = small_prior()
    hands = styled(300, 3)
    model = RelationalModel(game, prior).fit(hands, "bob")
    good = np.array([a >> 2 == b >> 2 or 12 in (a >> 2, b >> 2) for a, b in HAND_CARDS.astype(int).tolist()])
    state = game.start().deal(range(12))
    names = ("x", "y", "bob", "z", "v", "w")
    before = model.holdings(state.view(3, names), 2)
    after = model.holdings(state.apply(raises_among(state.legal_actions())[0]).view(3, names), 2)
    folded = model.holdings(state.apply(0).view(3, names), 2)
    possible = before > 0
    assert before[good].sum() == pytest.approx(good[possible].mean(), abs=1e-9)
    assert after[good].sum() > 2 * before[good].sum()
    assert folded[good].sum() < before[good].sum()


def test_files(tmp_path: Path) -> None:
    prior = uninformed_prior()
    path = tmp_path / "prior.safetensors"
    prior.save(path)
    again = load_prior(path)
    for question, correction in prior.corrections.items():
        for one, other in zip(correction, again.corrections[question], strict=True):
            assert isinstance(one, TreeLearned)
            assert isinstance(other, TreeLearned)
            for column, same in zip(one.tree, other.tree, strict=True):
                assert_array_equal(column, same)
    assert again.bounds == prior.bounds
    damaged = bytearray(path.read_bytes())
    damaged[-3] ^= 1
    path.write_bytes(bytes(damaged))
    with pytest.raises(DamagedFile):
        load_prior(path)


def test_what_cannot_be_done_is_said() -> None:
    with pytest.raises(SoulreadError, match="a prior needs hands"):
        fit_prior([])
    with pytest.raises(SoulreadError, match="is not hold'em"):
        RelationalModel(parse_game("leduc"))
    data = games()
    with pytest.raises(SoulreadError, match="learner=magic"):
        correct(data, np.arange(50), Question.ACTION, learner="magic")


def test_the_default_prior_is_there() -> None:
    prior = default_prior()
    assert prior.hands > 1000
    assert isinstance(prior.play, Play)
    data = games()
    chosen = askable(data, np.arange(400), Question.ACTION)
    listed = alternatives_of(data, chosen, Question.ACTION)
    chances = chances_of([prior.corrections[Question.ACTION]], listed, data)
    assert np.isfinite(chances).all()


def test_roster() -> None:
    hands = simulated()[:10]
    roster = roster_of(hands, games_of(hands).decisions)
    assert set(roster.names) == set(NAMES)
    for number, hand in enumerate(hands):
        assert [roster.names[k] for k in roster.players[number] if k >= 0] == list(hand.players)


# The contract, at a table of no-limit.


@pytest.mark.compiled
class TestContract:
    """As tests/contracts/test_model_contract.py, for a model of no-limit hold'em with any number of seats."""

    game = parse_game("nolimit:players=6,stacks=100")

    def make(self) -> RelationalModel:
        return RelationalModel(self.game, small_prior())

    def views(self) -> list[tuple[PokerView, int]]:
        """Decisions on all streets, seen by the seat to act and by another one."""
        state = self.game.start().deal(range(12))
        found = []
        for action in (1, 6, 0, 1, 1, 1, 1):
            names = ("ann", "bob", "cem", "dee", "eva", "fay")
            found += [(state.view(seat, names), state.player) for seat in (state.player, 5)]
            state = state.apply(action)
            while state.player == -1:
                state = state.apply(next(card for card in range(20, 52) if card not in state.cards))
        return found

    def answers(self, model: RelationalModel) -> list[float]:
        return [chance for view, seat in self.views() for chance in ask(model, view, seat).values()]

    def test_answers(self) -> None:
        model = self.make().fit(simulated(), "bob")
        assert isinstance(model, Model)
        assert isinstance(model, CardReader)
        for view, seat in self.views():
            assert ask(model, view, seat)[1] > 0
            weights = model.holdings(view, seat)
            assert weights.sum() == pytest.approx(1)
            if view.seat == seat:
                assert self.game.holdings[int(weights.argmax())] == tuple(sorted(view.hole))
        view, seat = self.views()[0]
        with pytest.raises(SoulreadError, match="does not act after"):
            model.probabilities(view, (seat + 1) % 6)

    def test_the_question_about_another_seat(self) -> None:
        """The mean over what the seat may hold: the model is asked with each holding in turn."""
        model = self.make().fit(simulated(), "bob")
        for view, seat in (self.views()[3], self.views()[13]):
            weights = model.holdings(view, seat)
            expected: dict[int, float] = {}
            for hole, weight in zip(self.game.holdings, weights, strict=True):
                if set(hole) & {*view.hole, *view.board}:
                    assert weight == 0
                    continue
                for action, chance in ask(model, replace(view, seat=seat, hole=hole), seat).items():
                    expected[action] = expected.get(action, 0.0) + weight * chance
            answer = ask(model, view, seat)
            assert_allclose(list(answer.values()), [expected[action] for action in answer])

    def test_fit_and_update(self) -> None:
        hands = simulated()[:80]
        once = self.answers(self.make().fit(hands, "bob"))
        assert once == self.answers(self.make().fit(hands[::2], "bob").fit(hands, "bob"))
        model = self.make()
        for hand in hands:
            assert model.update(hand, "bob") is model
        assert once == self.answers(model)
        assert model.num_hands == 80
        assert once != self.answers(self.make())
        assert once != self.answers(self.make().fit(hands, "eva"))
        with pytest.raises(SoulreadError, match="say which of them is meant"):
            model.update(hands[0])
        with pytest.raises(SoulreadError, match="'nobody' is not in this hand"):
            model.update(hands[0], "nobody")

    def test_rules_and_the_catalogue(self, tmp_path: Path) -> None:
        before, after = self.make().fit(simulated(), "bob").rules()
        assert before[0].text(Question.ACTION.parts).startswith("if ")
        assert after
        assert self.make().rules() == ([], [])
        path = tmp_path / "prior.safetensors"
        small_prior().save(path)
        assert parse_model(f"relational:prior={path}").options.prior == str(path)


# The yardstick.


def told(label: np.ndarray, seed: int = 1) -> Examples:
    """Examples of decisions after the flop with given labels."""
    data = games()
    rng = np.random.default_rng(seed)
    count = label.size
    zeros = np.zeros(count, np.uint8)
    return Examples(
        data.decisions.rows,
        rng.choice(np.flatnonzero(data.after_flop), count),
        zeros,
        zeros,
        zeros,
        np.zeros((count, 8), np.uint8),
        zeros,
        label.astype(np.uint8),
        np.ones(count),
        np.arange(count),
    )


def test_boosting_learns_numbers_and_no_noise() -> None:
    language = language_of(Question.ACTION, True)
    rng = np.random.default_rng(4)
    chosen = told(rng.integers(0, 2, 2000))
    rule = chosen.rows.numbers[chosen.row, facts.LEFT] > 2
    found = boost(chosen._replace(label=rule.astype(np.uint8)), language, GrowthSettings()).odds(chosen)
    assert ((found > 0) == rule).all()
    noise = boost(chosen, language, GrowthSettings())
    assert np.abs(noise.odds(chosen)).mean() < 0.3
    assert boost(chosen.take(np.arange(0)), language, GrowthSettings()).odds(chosen).sum() == 0


def test_boosting_sees_counts_of_players_but_not_who_is_who() -> None:
    """Its columns are the same whichever of the players has a second property."""
    rows = games().decisions.rows
    language = language_of(Question.ACTION, True)
    chosen = told(np.zeros(3))
    twice = rows._replace(masks=rows.masks.copy())
    actor = int(rows.actor[chosen.row[0]])
    first, second = [seat for seat in range(6) if seat != actor][:2]
    columns = []
    for who in (first, second):  # "first" is loose; who is to act?
        twice.masks[chosen.row] = 0
        twice.masks[chosen.row, facts.IN] = 0b111111
        twice.masks[chosen.row, facts.LOOSE] = 1 << first
        twice.masks[chosen.row, facts.TO_ACT] = 1 << who
        columns.append(columns_of(chosen._replace(rows=twice), language)[0])
    assert_array_equal(columns[0], columns[1])
