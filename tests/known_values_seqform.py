"""Published and independently computed values of the small games, in chips per hand."""

# Kuhn, "A simplified two-person poker", 1950: value for the first player, and the shape of all equilibria.
KUHN_VALUE = -1 / 18
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

# Heads-up limit hold'em: betting nodes per round (Johanson 2013), and the sets they make with 5, 25, 125 and
# 625 private states: 8 * 5 + 70 * 25 + 630 * 125 + 5670 * 625.
LIMIT_DECISIONS = (8, 70, 630, 5670)
LIMIT_FIVE_BUCKET_SETS = 3_624_290
