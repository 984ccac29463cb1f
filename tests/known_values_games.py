"""Published and independently computed sizes of the games."""

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
