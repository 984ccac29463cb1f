"""Published numbers about cards, with their sources."""

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

# Deals that differ by more than suits, cards within a round unordered. Hold'em's rounds are in K. Waugh,
# "A Fast and Optimal Hand Isomorphism Algorithm" (AAAI-13 workshop on computer poker); the others follow
# from Burnside's lemma.
ISOMORPHIC_DEALS = {
    (2,): 169,
    (2, 3): 1_286_792,
    (2, 3, 1): 55_190_538,
    (2, 3, 1, 1): 2_428_287_420,
    (2, 4): 13_960_050,
    (2, 5): 123_156_254,
    (3,): 1_755,
    (4,): 16_432,
    (5,): 134_459,
    (3, 1): 63_193,
    (3, 1, 1): 2_554_656,
    (2, 2): 93_769,
    (7,): 6_009_159,
}
