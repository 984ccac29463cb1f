"""Published and independently computed numbers the tests hold soulread to, each with its source."""

from math import inf

# Cards --------------------------------------------------------------------------------------------

# Numbers of hands by category, high card first. Counting arguments, e.g. B. Alspach, "5-Card Poker
# Hands" and "7-Card Poker Hands" (2000); Cactus Kev's count of the different values.
FIVE_CARD_HANDS = (1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40)
SEVEN_CARD_HANDS = (
    23_294_460,
    58_627_800,
    31_433_400,
    6_461_620,
    6_180_020,
    4_047_644,
    3_473_184,
    224_848,
    41_584,
)
FIVE_CARD_ROYAL_FLUSHES = 4
SEVEN_CARD_ROYAL_FLUSHES = 4_324
FIVE_CARD_VALUES = 7_462
SEVEN_CARD_VALUES = 4_824

# How many different values each category has among five cards, high card first.
VALUES_BY_CATEGORY = (1277, 2860, 858, 858, 10, 1277, 156, 156, 10)

# Boards that differ by more than suits, by their number of cards (from Burnside's lemma).
ISOMORPHIC_BOARDS = {3: 1_755, 4: 16_432, 5: 134_459}

# Hand strength and equity -------------------------------------------------------------------------

# J. Vrijhof, Opponent Modeling in Texas Hold'em (Utrecht 2011), section II, after Billings et al. (1998):
# a hand on the flop 3h 4c Jh. The thesis prints its table for AhQc, but the numbers are those of AdQc (the
# ace of hearts would give a flush draw); the table of AhQc was computed independently.
FLOP = "3h 4c Jh"
STANDING = (628, 9, 444)  # ahead, tied, behind; the same for both hands
HS, HS_3 = 0.585, 0.200
TRANSITIONS = {
    "AdQc": [[449005, 3211, 169504], [0, 8370, 540], [91981, 1036, 346543]],
    "AhQc": [[469380, 3247, 149093], [378, 8532, 0], [109376, 1031, 329153]],
}
PPOT, NPOT = 0.208, 0.274  # of AdQc, by the formulas of Billings et al.

# Deals won and tied against a random hand before the flop, out of C(50, 2) * C(48, 5). Enumerated with an
# independent evaluator; the equities agree with the usual tables (AA 85.204%, 32o 32.303%).
PREFLOP_DEALS = 2_097_572_400
PREFLOP_AGAINST_RANDOM = {
    "AA": (1_781_508_418, 11_402_312),
    "KK": (1_722_470_558, 11_676_960),
    "QQ": (1_670_338_644, 12_299_076),
    "AKs": (1_389_004_215, 34_610_976),
    "AKo": (1_352_291_878, 35_687_839),
    "T9s": (1_098_642_842, 69_247_375),
    "22": (1_035_889_822, 39_805_340),
    "54s": (808_247_748, 122_535_513),
    "72o": (665_146_081, 120_541_920),
    "32o": (613_318_625, 128_529_945),
}

RIVER_BOARDS = 134_459  # five cards up to a permutation of the suits (Burnside)

# Sizes of the games -------------------------------------------------------------------------------

# Kuhn, "A simplified two-person poker" (1950): three cards and two decisions for each seat.
KUHN_INFORMATION_SETS = 12

# OpenSpiel 2.0.2, leduc_poker, counted by walking its tree; 288 when suits are not told apart.
LEDUC_INFORMATION_SETS = 936
LEDUC_ISOMORPHIC_INFORMATION_SETS = 288

# Heads-up limit hold'em: decisions of the betting tree per round, rounds that follow, showdowns.
LIMIT_DECISIONS = (8, 70, 630, 5670)
LIMIT_CONTINUATIONS = (7, 7 * 9, 7 * 9 * 9)
LIMIT_SHOWDOWNS = 7 * 9 * 9 * 9

# Johanson, "Measuring the size of large no-limit poker games" (2013): 3.19e14 and 3.16e17, exact values
# from the same counting.
LIMIT_INFORMATION_SETS = 319_365_922_522_608
LIMIT_STATES = 316_207_058_696_146_800

# Always folding against an always-raiser: the dealer loses 1 chip, the other 2 (0.75 small bets a hand).
FOLD_AGAINST_RAISE_MILLIBETS = 750

# Values of the small games, in chips per hand -----------------------------------------------------

# Kuhn, "A simplified two-person poker", 1950: value for the first player, and the shape of all equilibria.
KUHN_VALUE = -1 / 18
# Exponents alpha, beta and gamma of regret minimisers: Tammelin 2014 (CFR+: linear average), Brown and
# Sandholm 2019 (LCFR, DCFR), Farina, Kroer and Sandholm 2021 (PCFR+: quadratic average).
REGRET_EXPONENTS = {
    "cfr+": (inf, -inf, 1),
    "lcfr": (1, 1, 1),
    "dcfr": (1.5, 0, 2),
    "pcfr+": (inf, -inf, 2),
}
# OpenSpiel 2.0.2: NashConv, the sum of both players' gains; best responses and self-play of uniform play.
KUHN_UNIFORM_NASH_CONV = 11 / 12
KUHN_UNIFORM_BEST_RESPONSES = (1 / 2, 5 / 12)
KUHN_UNIFORM_SELF_PLAY = 1 / 8
KUHN_ALWAYS_BET_NASH_CONV = 2 / 3
KUHN_ALWAYS_PASS_NASH_CONV = 2.0

# Sequence-form linear program in HiGHS over OpenSpiel's tree.
LEDUC_VALUE = -0.085606424078
# OpenSpiel 2.0.2, NashConv. (The value 4.7472 of uniform play replaces a misprint in the literature.)
LEDUC_UNIFORM_NASH_CONV = 4.747222222222222
LEDUC_UNIFORM_BEST_RESPONSES = (2.0875, 2.659722222222222)
LEDUC_UNIFORM_SELF_PLAY = -0.078125
LEDUC_ALWAYS_CALL_NASH_CONV = 2.933333333333333
LEDUC_ALWAYS_RAISE_NASH_CONV = 4.733333333333333
LEDUC_FOLD_TO_ANY_BET_NASH_CONV = 2.0

# Information sets and sequences of each player.
KUHN_SIZE = (6, 13)
LEDUC_SIZE = (468, 1093)
LEDUC_ISOMORPHIC_SIZE = (144, 337)

# Heads-up limit hold'em: the sets its betting nodes make with 5, 25, 125 and 625 private states,
# 8 * 5 + 70 * 25 + 630 * 125 + 5670 * 625.
LIMIT_FIVE_BUCKET_SETS = 3_624_290

# Abstraction of hold'em ------------------------------------------------------------------------------

# 2598960 boards x 20 orders x 1081 x 990 hands.
NUM_DEALS = 55_627_620_048_000

# CRC-32 of E[HS^2] of all hole cards and flops (units of 1/65534), of the states of "3-2-2-2" made from
# 300 boards, and of the wins counted on 20 boards. A change that moves them is a change of the tables: raise
# the version in soulread/abstraction/tables.py with it.
FEATURES_CRC = 4_270_290_670
STATES_CRC = 2_139_629_981
WINS_CRC = 817_834_769

# Spots with real cards (tests/test_spots.py), pot 200, stacks 900: chips of the player out of position beyond
# half the pot. The ranges and sizes stand in benchmarks/bench_spots.py. Two other programs (postflop-solver
# and TexasSolver) agree on the values.
SPOT_RIVER = -6.085
SPOT_TURN = -8.044
SPOT_FLOP = (6.36, 6.38)
SPOT_TURN_LOCKED = 67.83  # in position, the player folds 70% and calls 30% of all hands to a bet of 120
SPOT_TURN_SEQUENCES = 1_303_303
SPOT_OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
SPOT_IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
# The player in position folds 40% of the calls to that bet: what the other wins at least if that is so, and
# in the worst case, with trust 0.9 and 1. From a trial of the same method with other code.
SPOT_TURN_TRUST = (9.2, -29.1), (10.3, -81.5)


PREFLOP_AGAINST_ANY = {  # wins and ties of one holding, all-in against any other, over 2,097,572,400 deals
    "AA": (1_781_508_418, 11_402_312),
    "AKs": (1_389_004_215, 34_610_976),
    "A5s": (1_217_936_943, 77_979_612),
}

# The largest stack, in big blinds, with which the small blind goes all-in in the equilibrium of push or fold
# without antes, as the chart of holdemresources.net ("heads-up push/fold Nash equilibrium") has it. They
# were written down from memory; compare them with the chart before citing them.
PUSH_LIMITS = {"53s": 12.9, "K2o": 11.6, "43s": 10.0, "63s": 7.1, "Q2o": 7.0, "T2s": 6.5}

# Intervals of differences between two rates, count and chances of each: R. G. Newcombe, Statistics in
# Medicine 17 (1998), 873-890, table II, method 10.
NEWCOMBE = (
    ((56, 70), (48, 80), 0.0524, 0.3339),
    ((9, 10), (3, 10), 0.1705, 0.8090),
    ((6, 7), (2, 7), 0.0582, 0.8062),
    ((5, 56), (0, 29), -0.0381, 0.1926),
    ((0, 10), (0, 20), -0.1611, 0.2775),
    ((10, 10), (0, 20), 0.6791, 1.0),
)

# Betting trees of heads-up no-limit hold'em, blinds 1/2: (stack, menu, nodes, showdowns). A trial with other
# code found these numbers.
MENU_TREES = (
    (40, "0.5+1+allin@2", 5_186, 1_529),
    (200, "1+allin@2", 1_394, 409),
    (400, "1+allin@3", 3_218, 961),
)
