"""Published and independently computed numbers of hand strength and equity, with their sources."""

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
