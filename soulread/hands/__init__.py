"""The record of what was played: hands as one observer saw them, and the files they come from."""

from soulread.hands.hand import (
    Forced,
    Hand,
    Post,
    Sight,
    Stakes,
    hand_from_dict,
    hand_from_json,
)
from soulread.hands.record import count_actions, decisions, replay_hand, seen_by, seen_by_dealer, verify_hand

__all__ = [
    "Forced",
    "Hand",
    "Post",
    "Sight",
    "Stakes",
    "count_actions",
    "decisions",
    "hand_from_dict",
    "hand_from_json",
    "replay_hand",
    "seen_by",
    "seen_by_dealer",
    "verify_hand",
]
