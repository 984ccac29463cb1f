"""Statistics: a dozen hands worked out on paper, and a plain twin on many random ones."""

import itertools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from naive_statistics import count_statistics, game_of, places_and_sizes

from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.limit_holdem import limit_holdem
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import CALL, FOLD, raises_among, replay
from soulread.games.ring_limit import ring_limit
from soulread.hands.facts import POSITIONS, facts_of, is_sound, join_facts
from soulread.hands.formats.reading import read_hands
from soulread.hands.hand import Hand
from soulread.hands.record import decisions, seen_by
from soulread.hands.statistics import STATISTICS, Statistic, StatisticKind, Tally, Value, tally

SHARED = Path("/work/shared/data")
NAMES = [statistic.name for statistic in STATISTICS]


def hand_of(game, players, betting, cards="", id="1"):
    """A finished hand as a spectator saw it; unknown cards are spare ones."""
    given = cards if cards else [None] * (2 * len(players))
    known = list(range(2 * len(players), 2 * len(players) + 5))
    board = known[: {0: 0, 1: 3, 2: 4, 3: 5}[betting.count("/")]]
    state = replay(game, betting, cards if cards else [*given, *board])
    return seen_by(state, None, players, id=id)


def counted(hands):
    """The counts of each player as the columns have them."""
    names = sorted({name for hand in hands for name in hand.players})
    facts = facts_of(hands)
    group = np.array([names.index(name) for hand in hands for name in hand.players])
    table = tally([(facts, group)], len(names))
    return {name: table.values(i) for i, name in enumerate(names)}


THREE = ["Sal", "Bea", "Bo"]  # SB, BB, BTN
FOUR = ["Sal", "Bea", "Cy", "Bo"]  # SB, BB, CO, BTN
SIX = ["Sal", "Bea", "Lou", "Hal", "Cy", "Bo"]  # SB, BB, LJ, HJ, CO, BTN
TWO = ["Bea", "Dan"]  # BB, dealer
ACES = "AcAd"
KINGS = "KcKd"
BOARD = "2h3s7d8hJc"

# Each hand: the game, who sat where, the betting, the cards, then for each player the chances and actions
# of every statistic that had a chance, and what was won in chips.
PAPER = [
    (  # 1. Everybody folds to the big blind, who has no decision: a walk is no chance of VPIP.
        nolimit_holdem(3),
        THREE,
        "ff",
        "",
        {
            "Bo": ({"VPIP": (1, 0), "PFR": (1, 0), "limp": (1, 0), "steal": (1, 0)}, 0),
            "Sal": ({"VPIP": (1, 0), "PFR": (1, 0), "limp": (1, 0), "steal": (1, 0)}, -1),
            "Bea": ({}, 1),
        },
    ),
    (  # 2. A steal, called by the big blind; a continuation bet takes it.
        nolimit_holdem(3),
        THREE,
        "r6fc/cr12f",
        "",
        {
            "Bo": (
                {
                    "VPIP": (1, 1),
                    "PFR": (1, 1),
                    "limp": (1, 0),
                    "steal": (1, 1),
                    "c-bet flop": (1, 1),
                    "aggression frequency": (1, 1),
                    "aggression factor": (0, 1),
                    "WTSD": (1, 0),
                },
                7,
            ),
            "Sal": ({"VPIP": (1, 0), "PFR": (1, 0), "3-bet": (1, 0), "fold to steal": (1, 1)}, -1),
            "Bea": (
                {
                    "VPIP": (1, 1),
                    "PFR": (1, 0),
                    "3-bet": (1, 0),
                    "fold to steal": (1, 0),
                    "donk": (1, 0),
                    "fold to c-bet flop": (1, 1),
                    "raise c-bet": (1, 0),
                    "check-raise": (1, 0),
                    "aggression frequency": (1, 0),
                    "WTSD": (1, 0),
                },
                -6,
            ),
        },
    ),
    (  # 3. CO opens, BTN calls, BB squeezes. The steal that was called is no steal against the blinds.
        nolimit_holdem(4),
        FOUR,
        "r6cfr24ff",
        "",
        {
            "Cy": (
                {
                    "VPIP": (1, 1),
                    "PFR": (1, 1),
                    "limp": (1, 0),
                    "steal": (1, 1),
                    "fold to 3-bet": (1, 1),
                    "4-bet": (1, 0),
                },
                -6,
            ),
            "Bo": ({"VPIP": (1, 1), "PFR": (1, 0), "3-bet": (1, 0), "4-bet": (1, 0)}, -6),
            "Sal": ({"VPIP": (1, 0), "PFR": (1, 0), "3-bet": (1, 0), "squeeze": (1, 0)}, -1),
            "Bea": ({"VPIP": (1, 1), "PFR": (1, 1), "3-bet": (1, 1), "squeeze": (1, 1)}, 13),
        },
    ),
    (  # 4. Four bets before the flop, all-in on it. Seats: Sal, Bea, Cy, Bo; Cy has aces, Bo kings.
        nolimit_holdem(4),
        FOUR,
        "r6r20ffr50c/r100r200c//",
        "4c5d" + "4d5h" + ACES + KINGS + BOARD,
        {
            "Cy": (
                {
                    "VPIP": (1, 1),
                    "PFR": (1, 1),
                    "limp": (1, 0),
                    "steal": (1, 1),
                    "fold to 3-bet": (1, 0),
                    "4-bet": (1, 1),
                    "c-bet flop": (1, 1),
                    "aggression frequency": (2, 1),
                    "aggression factor": (1, 1),
                    "WTSD": (1, 1),
                    "W$SD": (1, 1),
                },
                203,
            ),
            "Bo": (
                {
                    "VPIP": (1, 1),
                    "PFR": (1, 1),
                    "3-bet": (1, 1),
                    "fold to c-bet flop": (1, 0),
                    "raise c-bet": (1, 1),
                    "aggression frequency": (1, 1),
                    "aggression factor": (0, 1),
                    "WTSD": (1, 1),
                    "W$SD": (1, 0),
                },
                -200,
            ),
            "Sal": ({"VPIP": (1, 0), "PFR": (1, 0), "4-bet": (1, 0)}, -1),
            "Bea": ({"VPIP": (1, 0), "PFR": (1, 0), "4-bet": (1, 0)}, -2),
        },
    ),
    (  # 5. A limped pot: the big blind checks, the small blind check-raises and bets again.
        nolimit_holdem(4),
        FOUR,
        "cfcc/cr6fr16c/r36f",
        "",
        {
            "Cy": (
                {
                    "VPIP": (1, 1),
                    "PFR": (1, 0),
                    "limp": (1, 1),
                    "steal": (1, 0),
                    "aggression frequency": (1, 0),
                    "WTSD": (1, 0),
                },
                -2,
            ),
            "Bo": ({"VPIP": (1, 0), "PFR": (1, 0), "limp": (1, 0)}, 0),
            "Sal": (
                {
                    "VPIP": (1, 1),
                    "PFR": (1, 0),
                    "limp": (1, 1),
                    "check-raise": (1, 1),
                    "c-bet turn": (1, 1),
                    "aggression frequency": (2, 2),
                    "aggression factor": (0, 2),
                    "WTSD": (1, 0),
                },
                18,
            ),
            "Bea": (
                {
                    "VPIP": (1, 0),
                    "PFR": (1, 0),
                    "fold to c-bet turn": (1, 1),
                    "raise c-bet": (1, 0),
                    "aggression frequency": (3, 1),
                    "aggression factor": (1, 1),
                    "WTSD": (1, 0),
                },
                -16,
            ),
        },
    ),
    (  # 6. Heads-up the dealer limps; a bet on the turn, not continued on the river. Bea has aces.
        nolimit_holdem(2),
        TWO,
        "cc/cc/r6c/cc",
        ACES + KINGS + BOARD,
        {
            "Dan": (
                {
                    "VPIP": (1, 1),
                    "PFR": (1, 0),
                    "limp": (1, 1),
                    "steal": (1, 0),
                    "aggression frequency": (1, 0),
                    "aggression factor": (1, 0),
                    "WTSD": (1, 1),
                    "W$SD": (1, 0),
                },
                -6,
            ),
            "Bea": (
                {
                    "VPIP": (1, 0),
                    "PFR": (1, 0),
                    "c-bet river": (1, 0),
                    "aggression frequency": (1, 1),
                    "aggression factor": (0, 1),
                    "WTSD": (1, 1),
                    "W$SD": (1, 1),
                },
                6,
            ),
        },
    ),
    (  # 7. A donk bet takes the pot from the raiser.
        nolimit_holdem(2),
        TWO,
        "r6c/r10f",
        "",
        {
            "Dan": (
                {
                    "VPIP": (1, 1),
                    "PFR": (1, 1),
                    "limp": (1, 0),
                    "steal": (1, 1),
                    "aggression frequency": (1, 0),
                    "WTSD": (1, 0),
                },
                -6,
            ),
            "Bea": (
                {
                    "VPIP": (1, 1),
                    "PFR": (1, 0),
                    "3-bet": (1, 0),
                    "fold to steal": (1, 0),
                    "donk": (1, 1),
                    "aggression frequency": (1, 1),
                    "aggression factor": (0, 1),
                    "WTSD": (1, 0),
                },
                6,
            ),
        },
    ),
    (  # 8. All-in before the flop, and a split pot, which both have won a part of. Nobody could 3-bet.
        nolimit_holdem(2),
        TWO,
        "r200c///",
        "AcKd" + "AdKc" + BOARD,
        {
            "Dan": (
                {
                    "VPIP": (1, 1),
                    "PFR": (1, 1),
                    "limp": (1, 0),
                    "steal": (1, 1),
                    "WTSD": (1, 1),
                    "W$SD": (1, 1),
                },
                0,
            ),
            "Bea": (
                {"VPIP": (1, 1), "PFR": (1, 0), "fold to steal": (1, 0), "WTSD": (1, 1), "W$SD": (1, 1)},
                0,
            ),
        },
    ),
    (  # 9. Three bets, called three times. Bo has aces.
        nolimit_holdem(3),
        THREE,
        "r6fc/cr12c/cr30c/cr60c",
        "4c5d" + KINGS + ACES + BOARD,
        {
            "Bo": (
                {
                    "VPIP": (1, 1),
                    "PFR": (1, 1),
                    "limp": (1, 0),
                    "steal": (1, 1),
                    "c-bet flop": (1, 1),
                    "c-bet turn": (1, 1),
                    "c-bet river": (1, 1),
                    "aggression frequency": (3, 3),
                    "aggression factor": (0, 3),
                    "WTSD": (1, 1),
                    "W$SD": (1, 1),
                },
                61,
            ),
            "Sal": ({"VPIP": (1, 0), "PFR": (1, 0), "3-bet": (1, 0), "fold to steal": (1, 1)}, -1),
            "Bea": (
                {
                    "VPIP": (1, 1),
                    "PFR": (1, 0),
                    "3-bet": (1, 0),
                    "fold to steal": (1, 0),
                    "donk": (3, 0),
                    "fold to c-bet flop": (1, 0),
                    "fold to c-bet turn": (1, 0),
                    "fold to c-bet river": (1, 0),
                    "raise c-bet": (3, 0),
                    "check-raise": (3, 0),
                    "aggression frequency": (3, 0),
                    "aggression factor": (3, 0),
                    "WTSD": (1, 1),
                    "W$SD": (1, 0),
                },
                -60,
            ),
        },
    ),
    (  # 10. Limit: the fourth bet is the last one. Sal then donks, and checks the turn. Bo has aces.
        ring_limit(3),
        THREE,
        "rrfrc/rc/cc/cc",
        KINGS + "4c5d" + ACES + BOARD,
        {
            "Bo": (
                {
                    "VPIP": (1, 1),
                    "PFR": (1, 1),
                    "limp": (1, 0),
                    "steal": (1, 1),
                    "fold to 3-bet": (1, 0),
                    "4-bet": (1, 1),
                    "aggression frequency": (1, 0),
                    "aggression factor": (1, 0),
                    "WTSD": (1, 1),
                    "W$SD": (1, 1),
                },
                12,
            ),
            "Sal": (
                {
                    "VPIP": (1, 1),
                    "PFR": (1, 1),
                    "3-bet": (1, 1),
                    "fold to steal": (1, 0),
                    "donk": (1, 1),
                    "c-bet turn": (1, 0),
                    "aggression frequency": (1, 1),
                    "aggression factor": (0, 1),
                    "WTSD": (1, 1),
                    "W$SD": (1, 0),
                },
                -10,
            ),
            "Bea": ({"VPIP": (1, 0), "PFR": (1, 0), "4-bet": (1, 0)}, -2),
        },
    ),
    (  # 11. Six players. LJ opens, checks the flop, calls, and check-raises the turn.
        nolimit_holdem(6),
        SIX,
        "r6ffcfc/ccr20fc/cr50r140f",
        "",
        {
            "Lou": (
                {
                    "VPIP": (1, 1),
                    "PFR": (1, 1),
                    "limp": (1, 0),
                    "c-bet flop": (1, 0),
                    "donk": (1, 0),
                    "fold to c-bet turn": (1, 0),
                    "raise c-bet": (1, 1),
                    "check-raise": (2, 1),
                    "aggression frequency": (2, 1),
                    "aggression factor": (1, 1),
                    "WTSD": (1, 0),
                },
                57,
            ),
            "Hal": ({"VPIP": (1, 0), "PFR": (1, 0), "3-bet": (1, 0)}, 0),
            "Cy": ({"VPIP": (1, 0), "PFR": (1, 0), "3-bet": (1, 0)}, 0),
            "Bo": (
                {
                    "VPIP": (1, 1),
                    "PFR": (1, 0),
                    "3-bet": (1, 0),
                    "c-bet turn": (1, 1),
                    "aggression frequency": (3, 2),
                    "aggression factor": (0, 2),
                    "WTSD": (1, 0),
                },
                -50,
            ),
            "Sal": ({"VPIP": (1, 0), "PFR": (1, 0), "3-bet": (1, 0), "squeeze": (1, 0)}, -1),
            "Bea": (
                {
                    "VPIP": (1, 1),
                    "PFR": (1, 0),
                    "3-bet": (1, 0),
                    "squeeze": (1, 0),
                    "donk": (1, 0),
                    "check-raise": (1, 0),
                    "aggression frequency": (1, 0),
                    "WTSD": (1, 0),
                },
                -6,
            ),
        },
    ),
    (  # 12. Bo is all-in for 10 and wins the main pot with aces; Sal bets Bea out of the side pot.
        nolimit_holdem(3, stacks=(200, 200, 10)),
        THREE,
        "r10r30c/r60f//",
        KINGS + "4c5d" + ACES + BOARD,
        {
            "Bo": (
                {
                    "VPIP": (1, 1),
                    "PFR": (1, 1),
                    "limp": (1, 0),
                    "steal": (1, 1),
                    "WTSD": (1, 1),
                    "W$SD": (1, 1),
                },
                20,
            ),
            "Sal": (
                {
                    "VPIP": (1, 1),
                    "PFR": (1, 1),
                    "3-bet": (1, 1),
                    "fold to steal": (1, 0),
                    "c-bet flop": (1, 1),
                    "aggression frequency": (1, 1),
                    "aggression factor": (0, 1),
                    "WTSD": (1, 1),
                    "W$SD": (1, 1),
                },
                10,
            ),
            "Bea": (
                {
                    "VPIP": (1, 1),
                    "PFR": (1, 0),
                    "4-bet": (1, 0),
                    "fold to c-bet flop": (1, 1),
                    "raise c-bet": (1, 0),
                    "aggression frequency": (1, 0),
                    "WTSD": (1, 0),
                },
                -30,
            ),
        },
    ),
]


@pytest.mark.parametrize("number", range(len(PAPER)))
def test_hands_worked_out_on_paper(number):
    game, players, betting, cards, expected = PAPER[number]
    hand = hand_of(game, players, betting, cards)
    for player, values in counted([hand]).items():
        known, chips = expected[player]
        assert hand.payoffs[players.index(player)] == chips
        shown = known.get("WTSD") == (1, 1)
        amounts = {
            "bb/100": (1, chips / 2),
            "won at showdown": (1, chips / 2 if shown else 0),
            "won without showdown": (1, 0 if shown else chips / 2),
        }
        found = {value.statistic.name: (value.n, value.count) for value in values}
        assert found == dict.fromkeys(NAMES, (0, 0)) | known | amounts, (number + 1, player)


def test_the_dozen_together():
    """Sums of the dozen, and the numbers people read off: Bea's VPIP is 7 of 11, her donk bets 1 of 6."""
    hands = [hand_of(*row[:4]) for row in PAPER]
    found = {value.statistic.name: value for value in counted(hands)["Bea"]}
    assert (found["VPIP"].n, found["VPIP"].count) == (11, 7)
    assert found["VPIP"].value == pytest.approx(7 / 11)
    assert (found["donk"].n, found["donk"].count) == (6, 1)
    assert found["aggression factor"].value == pytest.approx(3 / 4)
    won = (1 - 6 + 13 - 2 - 16 + 6 + 6 + 0 - 60 - 2 - 6 - 30) / 2
    assert found["bb/100"].value == pytest.approx(100 * won / 12)
    bo = {value.statistic.name: value for value in counted(hands)["Bo"]}
    assert (bo["steal"].n, bo["steal"].count) == (5, 4)


def random_hands(make, players, count, seed, boldness=0.35):
    """Hands of seats that act at random; each with its game."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        game = make(rng)
        state = game.start()
        deck = list(rng.permutation(52))
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state = state.deal(int(deck.pop()) for _ in range(state.cards_due))
                continue
            legal = state.legal_actions()
            raises = raises_among(legal)
            if raises and rng.random() < boldness:
                few = [raises[0], raises[-1], raises[int(rng.integers(len(raises)))]]
                action = int(few[rng.choice(3, p=[0.6, 0.1, 0.3])])
            else:
                action = FOLD if FOLD in legal and rng.random() < 0.3 else CALL
            state = state.apply(action)
        seats = rng.permutation(len(players))[: game.num_players]
        yield game, seen_by(state, None, [players[i] for i in seats], id=str(number))


PLAYERS = ["Ann", "Bob", "Cid", "Dora", "Eve", "Fay", "Gus", "Hal", "Ida", "Jim", "Kit"]


def short_stacks(rng):
    seats = int(rng.integers(2, 10))
    return nolimit_holdem(seats, [int(s) for s in rng.integers(3, 120, seats)], (1, 2), int(rng.integers(3)))


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (lambda rng: ring_limit(int(rng.integers(2, 11))), 300),
        (lambda rng: nolimit_holdem(int(rng.integers(2, 10)), 100), 300),
        (short_stacks, 500),
        (lambda rng: limit_holdem(), 100),
    ],
    ids=["ring-limit", "nolimit", "short stacks", "limit"],
)
def test_columns_agree_with_the_plain_count(make, count):
    pairs = list(random_hands(make, PLAYERS, count, seed=16))
    assert_equal_counts(pairs)
    assert_equal_columns(pairs)


POT_KINDS = ("walk", "limped", "single-raised", "3-bet", "4-bet")
PLACES = ("no flop", "oop", "ip")


def assert_equal_columns(pairs):
    """Kinds of pots, places on the flop and sizes are those of the plain twin."""
    for game, hand in pairs:
        facts = facts_of([hand], [1], [1])
        kind, places, sizes = places_and_sizes(game, hand)
        assert [POT_KINDS[number] for number in facts.seats["pot_kind"]] == [kind] * hand.num_players
        assert [PLACES[number] for number in facts.seats["flop_place"]] == places
        assert [(int(one["size"]), int(one["faced"])) for one in facts.decisions] == sizes, hand.betting
        assert is_sound(facts, 1, 1)


def assert_equal_counts(pairs):
    plain = count_statistics(pairs)
    for player, values in counted([hand for _, hand in pairs]).items():
        for value in values:
            n, taken = plain[player].get(value.statistic.name, (0, 0))
            assert value.n == n, (player, value.statistic.name)
            assert value.count == pytest.approx(float(taken), abs=1e-9), (player, value.statistic.name)


@pytest.mark.skipif(not SHARED.is_dir(), reason="no files of real hands")
@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("irc_limit/h1-nobots.200003.tgz", 500),
        ("nlhe_ps600_20players.phhs.xz", 500),
        ("room_texts.tar.xz", 500),
        ("phh_pluribus_wsop.tar.xz", 300),
    ],
)
def test_columns_agree_with_the_plain_count_on_real_hands(name, count):
    coming = itertools.islice(read_hands(SHARED / name), count)
    hands = [hand for hand in coming if isinstance(hand, Hand)]
    assert len(hands) > 0.8 * count
    assert_equal_counts([(game_of(hand), hand) for hand in hands])
    assert_equal_columns([(game_of(hand), hand) for hand in hands])


@pytest.mark.parametrize(
    ("betting", "kind", "places", "sizes"),
    [
        ("ff", 0, [0, 0, 0], [(0, 0), (0, 0)]),
        ("ccc/ccc/ccc/ccc", 1, [1, 1, 2], [(0, 0)] * 12),
        ("r6fc/cr12f", 2, [0, 1, 2], [(0, 300), (0, 300), (0, 0), (0, 46), (300, 0), (46, 0)]),  # 6 of 13
        ("r6fr20c/cc/r50r130f", 3, [0, 1, 2], None),
        ("r6r20fr50f", 4, [0, 0, 0], [(1000, 300), (0, 2500), (0, 1000), (300, 0), (2500, 1000)]),
    ],
)
def test_pots_places_and_sizes_on_paper(betting, kind, places, sizes):
    game = nolimit_holdem(3)
    hand = hand_of(game, THREE, betting)
    facts = facts_of([hand])
    assert facts.seats["pot_kind"].tolist() == [kind] * 3
    assert facts.seats["flop_place"].tolist() == places
    if sizes is not None:
        assert [(int(one["size"]), int(one["faced"])) for one in facts.decisions] == sizes
    else:  # 20 each and a small blind: 30 into 41, then 80 beyond a call of 30 into 101
        turn = facts.decisions[facts.decisions["round"] == 2]
        assert [(int(one["size"]), int(one["faced"])) for one in turn] == [(73, 0), (0, 79), (79, 73)]


def test_an_ante_is_no_part_of_a_raise():
    hand = hand_of(nolimit_holdem(3, 100, (1, 2), 1), THREE, "r7ff")  # an ante of 1, so this is a raise to 6
    assert facts_of([hand]).decisions["size"].max() == 300


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("seats", "pot_kind", 5),
        ("seats", "flop_place", 3),
        ("seats", "flop_place", 0),
        ("decisions", "size", 0),
        ("decisions", "faced", 0),
        ("decisions", "faced", 9),
    ],
)
def test_columns_that_cannot_be_are_unsound(table, column, value):
    facts = facts_of([hand_of(nolimit_holdem(3), THREE, "r6fc/cr12f")], [1], [1])
    assert is_sound(facts, 1, 1)
    getattr(facts, table)[column] = value
    assert not is_sound(facts, 1, 1)


def test_who_may_raise_is_what_the_engine_says():
    """Also after several short all-ins, which together open the betting again, and one more that does not."""
    short = nolimit_holdem(5, (250, 1000, 1000, 160, 220))
    pairs = [(short, hand_of(short, PLAYERS[:5], "r100r160r220r250cc/cc/cc/cc"))]
    pairs += list(random_hands(short_stacks, PLAYERS, 300, seed=8, boldness=0.6))
    for rules, hand in pairs:
        told = []
        for state, _ in decisions(rules, hand.actions, hand.board):
            told.append((state.player, bool(raises_among(state.legal_actions()))))
        told.sort(key=lambda decision: decision[0])  # facts come seat by seat
        assert facts_of([hand]).decisions["can_raise"].tolist() == [may for _, may in told]


def test_parts_add_up():
    """Counting in parts, in any order of the seats, is counting at once."""
    hands = [hand for _, hand in random_hands(short_stacks, PLAYERS, 60, seed=1)]
    facts = facts_of(hands)
    rng = np.random.default_rng(0)
    group = rng.integers(3, size=facts.seats.size)
    whole = tally([(facts, group)])
    order = rng.permutation(facts.seats.size)
    cut = order.size // 3
    parts = tally([(facts.take(some), group[some]) for some in (order[:cut], order[cut:])])
    np.testing.assert_array_equal(whole.chances[:3], parts.chances[:3])
    np.testing.assert_allclose(whole.actions[:3], parts.actions[:3])
    joined = join_facts([facts_of(hands[:20]), facts_of(hands[20:])])
    assert (joined.decisions == facts.decisions).all()


def test_a_new_statistic_is_three_lines():
    overlimp = Statistic(
        "overlimp",
        "called behind a limper",
        lambda d: d.preflop & d.facing & (d.raises == 0) & (d.limpers > 0),
        lambda d: d.action == 2,
    )
    hand = hand_of(nolimit_holdem(4), FOUR, "cfcc/cr6fr16c/r36f")
    table = Tally.empty(1, (overlimp,))
    table.add(facts_of([hand]), np.zeros(4, np.int64))
    assert (table.values(0)[0].n, table.values(0)[0].count) == (2, 1)  # Bo folds, Sal calls


def test_positions_by_number_of_players():
    for players in range(2, 11):
        hand = hand_of(nolimit_holdem(players), PLAYERS[:players], "f" * (players - 1))
        names = [POSITIONS[code] for code in facts_of([hand]).seats["position"]]
        late = ["BTN", "CO", "HJ", "LJ", *["EP"] * 4][: players - 2][::-1]
        assert names == (["BB", "BTN"] if players == 2 else ["SB", "BB", *late])


def test_intervals_and_too_few():
    rate = next(s for s in STATISTICS if s.name == "VPIP")
    assert Value(rate, 0, 0).value is None
    assert Value(rate, 0, 0).too_few
    assert Value(rate, 10, 5).too_few
    assert not Value(rate, 100, 50).too_few
    low, high = Value(rate, 100, 50).interval
    assert [low, high] == pytest.approx([0.4038, 0.5962], abs=1e-4)
    factor = next(s for s in STATISTICS if s.kind is StatisticKind.FACTOR)
    assert list(Value(factor, 50, 50).interval) == pytest.approx([low / (1 - low), high / (1 - high)])
    assert Value(factor, 0, 3).interval[1] == math.inf
    amount = next(s for s in STATISTICS if s.name == "bb/100")
    won = np.array([1.0, -2.0, 4.0, 0.5])
    value = Value(amount, 4, won.sum(), (won**2).sum())
    half = 3.182446 * won.std(ddof=1) / 2 * 100
    assert value.interval == pytest.approx((87.5 - half, 87.5 + half), abs=0.01)
    assert Value(amount, 1, 1.0, 1.0).too_few
    assert plain_data(Value(amount, 1, 1.0, 1.0))["low"] is None


def test_betting_that_does_not_fit_is_refused():
    hand = hand_of(nolimit_holdem(2), TWO, "r6f")
    with pytest.raises(SoulreadError, match="does not fit"):
        facts_of([replace(hand, betting="r6")])
