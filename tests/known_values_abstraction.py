"""Numbers to test the abstraction against.

Equities: preflop all-in equity against one random hand, exact, computed by full enumeration with another
evaluator; E[HS] of hole cards is the same number.
"""

PREFLOP_EQUITY = {
    "AsAh": 0.85203713,
    "KsKh": 0.82395680,
    "QsQh": 0.79925164,
    "AsKs": 0.67044632,
    "AsKh": 0.65320072,
    "Ts9s": 0.54027529,
    "2s2h": 0.50334019,
    "5s4s": 0.41453420,
    "7s2h": 0.34583647,
    "3s2h": 0.32303228,
}

# 2598960 boards x 20 orders x 1081 x 990 hands.
NUM_DEALS = 55_627_620_048_000

# CRC-32 of E[HS^2] of all hole cards and flops (units of 1/65534), of the states of "3-2-2-2" made from
# 300 boards, and of the wins counted on 20 boards. A change that moves them is a change of the tables: raise
# the version in soulread/abstraction/tables.py with it.
FEATURES_CRC = 4_270_290_670
STATES_CRC = 2_139_629_981
WINS_CRC = 817_834_769
