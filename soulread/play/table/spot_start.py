"""Hands that begin in the middle: the same betting and board in every hand, with other cards.

Holdings are drawn together: each seat's by its weights, and again until no two share a card with each other
or with the board. So a seat holds what it holds *there*, as far as the weights know that, and not what it was
dealt before it bet.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from soulread.cards.arrays import deal
from soulread.cards.ranges import cards_mask
from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame
from soulread.storage.tensors import read_tensors, write_tensors

KIND = "start"  # of a file
_TRIES = 1000

Weights = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SpotStart:
    """Where every hand of a match begins. Weights ``[holdings]`` are those of each seat, of any scale."""

    actions: tuple[int, ...]
    board: tuple[int, ...]
    seat: int  # that is to act
    weights: tuple[Weights, ...]

    def verify(self, game: PokerGame) -> None:
        """Raise unless the hands of a game can begin so."""
        if len(self.weights) != game.num_players:
            raise SoulreadError(f"weights of {len(self.weights)} seats; {game.name!r} has {game.num_players}")
        dead = np.array([cards_mask(cards) for cards in game.holdings]) & cards_mask(self.board)
        for seat, weights in enumerate(self.weights):
            whole = weights.shape == (len(game.holdings),) and np.isfinite(weights).all()
            if not whole or weights.min() < 0 or not weights[dead == 0].sum() > 0:
                raise SoulreadError(f"seat {seat} can hold nothing at the beginning of {game.name!r}")

    def deal(self, rng: np.random.Generator, game: PokerGame) -> tuple[int, ...]:
        """All cards of a hand in the order they are dealt."""
        board = cards_mask(self.board)
        masks = np.array([cards_mask(cards) for cards in game.holdings])
        ranges = [np.cumsum(weights * ((masks & board) == 0)) for weights in self.weights]
        for _ in range(_TRIES):
            drawn = [int(np.searchsorted(sums, rng.random() * sums[-1], side="right")) for sums in ranges]
            held = [card for number in drawn for card in game.holdings[number]]
            if len(set(held)) == len(held):
                break
        else:  # ranges that can hardly be held together
            rest = [card for card in game.rules.deck if card not in self.board]
            held = list(deal(rng, rest, game.num_players * game.rules.hole_cards))
        used = {*held, *self.board}
        rest = [card for card in game.rules.deck if card not in used]
        missing = game.num_cards - len(held) - len(self.board)
        return (*held, *self.board, *deal(rng, rest, missing))


def write_start(path: Path, start: SpotStart) -> None:
    """Keep a start in a sealed file."""
    said = {"actions": start.actions, "board": start.board, "seat": start.seat}
    arrays = {str(seat): weights for seat, weights in enumerate(start.weights)}
    write_tensors(path, KIND, arrays, {"start": json.dumps(said)})


def read_start(path: Path, game: PokerGame) -> SpotStart:
    """The start that a file keeps."""
    metadata, arrays = read_tensors(path, KIND)
    try:
        said = json.loads(metadata["start"])
        weights = tuple(np.asarray(arrays[str(seat)], np.float64) for seat in range(len(arrays)))
        start = SpotStart(_numbers(said["actions"]), _numbers(said["board"]), int(said["seat"]), weights)
    except (KeyError, ValueError, TypeError) as error:
        raise SoulreadError(f"{str(path)!r} is no start of a hand: {error}") from None
    start.verify(game)
    return start


def _numbers(values: Sequence[int]) -> tuple[int, ...]:
    return tuple(map(int, values))
