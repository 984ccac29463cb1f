"""Views, hands and random streams as JSON, for agents and models in processes of their own.

`write_view` and its like turn an object into lists, numbers and text; `read_view` and its like make an equal
object of them. A view is all that one seat may know, so nothing else reaches the other process.
"""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from soulread.games.poker import BetActions, PokerGame, PokerView
from soulread.hands.hand import Hand, hand_from_dict

_FIELDS = tuple(entry.name for entry in fields(PokerView) if entry.name != "game")


def write_view(view: PokerView) -> list[Any]:
    """All of a view but its game."""
    return [
        _write_bets(value) if isinstance(value, BetActions) else value
        for value in (getattr(view, name) for name in _FIELDS)
    ]


def read_view(parts: Sequence[Any], game: PokerGame) -> PokerView:
    """The view of a game that `write_view` wrote."""
    return PokerView(game, *map(_read, parts))


def _write_bets(bets: BetActions) -> dict[str, Any]:
    return {"fold": bets.can_fold, "raises": [bets.raises.start, bets.raises.stop]}


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_read, value))
    return BetActions(value["fold"], range(*value["raises"])) if isinstance(value, dict) else value


def write_hand(hand: Hand) -> dict[str, Any]:
    """The record of a hand."""
    return hand.record


def read_hand(record: dict[str, Any]) -> Hand:
    """The hand that `write_hand` wrote."""
    return hand_from_dict(record)


def write_stream(stream: np.random.Generator) -> dict[str, Any]:
    """A random stream: its kind, its state, and the seed that it spawns other streams from."""
    bits = stream.bit_generator
    seed = bits.seed_seq
    return {
        "kind": type(bits).__name__,
        "state": write_state(stream),
        "seed": {
            "entropy": _plain(seed.entropy),
            "spawn_key": _plain(seed.spawn_key),
            "pool_size": seed.pool_size,
            "n_children_spawned": seed.n_children_spawned,
        }
        if isinstance(seed, np.random.SeedSequence)
        else None,
    }


def read_stream(parts: dict[str, Any]) -> np.random.Generator:
    """The stream that `write_stream` wrote."""
    seed = parts["seed"]
    bits = getattr(np.random, parts["kind"])(None if seed is None else np.random.SeedSequence(**seed))
    bits.state = parts["state"]
    return np.random.Generator(bits)


def write_state(stream: np.random.Generator) -> Any:
    """The state of a random stream, for ``bit_generator.state`` of another one of its kind."""
    return _plain(stream.bit_generator.state)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
