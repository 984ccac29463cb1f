"""Random streams that say nothing about each other.

Many streams come from one seed: one for the cards, one for each agent. An agent holds its own stream in its
hands, with all that NumPy keeps in it: the entropy it was made from, the state of the generator, and the
streams one can spawn from it. The entropy of each stream is therefore a BLAKE2b digest of the seed and the
stream's key. From a digest one finds neither the seed nor the digest of another key.

A small seed can still be *guessed*: whoever tries seeds 0 to 1000 finds the stream that gives the cards seen
so far. Seeds may be of any size; one of 128 random bits (``secrets.randbits(128)``) cannot be guessed.
"""

import hashlib
import json
import operator
from dataclasses import dataclass

import numpy as np

from soulread.errors import SoulreadError


def stream(seed: int, *key: int | str) -> np.random.Generator:
    """The random stream that ``key`` names under ``seed``; equal arguments give equal streams."""
    verify_seed(seed)
    named = json.dumps([seed, *key], default=operator.index)  # NumPy's integers are written like ours
    digest = hashlib.blake2b(named.encode(), digest_size=32, person=b"soulread stream").digest()
    return np.random.default_rng(np.random.SeedSequence(int.from_bytes(digest)))


@dataclass(frozen=True)
class MatchStreams:
    """The streams of match ``number`` of a seed: one for the cards, and one for each agent in each pass."""

    seed: int
    number: int = 0

    def cards(self) -> np.random.Generator:
        """The stream that deals the cards, the same in every pass of a duplicate match."""
        return stream(self.seed, self.number, "cards")

    def agent(self, agent: int, rotation: int = 0) -> np.random.Generator:
        """The draws of an agent in the pass that is ``rotation`` seats on from the first one."""
        return stream(self.seed, self.number, "agent", rotation, agent)

    def judge(self) -> np.random.Generator:
        """The draws of whoever judges the match afterwards."""
        return stream(self.seed, self.number, "judge")

    def boards(self, block: int) -> np.random.Generator:
        """The boards on which strategies are valued in a block of hands."""
        return stream(self.seed, self.number, "boards", block)


class HandStreams:
    """One generator that begins anew in each hand: the draws of a hand depend on the seed and its number.

    Like `stream`, but many times quicker than making a generator for each hand.
    """

    def __init__(self, seed: int, *key: int | str) -> None:
        self._made = stream(seed, *key)
        self._entropy = self._made.bytes(32)
        self._number: int | None = None

    def of_hand(self, number: int) -> np.random.Generator:
        """The generator, where it stands in hand ``number``: at the beginning of its draws, or further on."""
        if number != self._number:
            self._number = number
            digest = hashlib.blake2b(b"%d" % number, digest_size=32, key=self._entropy).digest()
            self._made.bit_generator.state = {
                "bit_generator": "PCG64",
                "state": {"state": int.from_bytes(digest[:16]), "inc": int.from_bytes(digest[16:]) | 1},
                "has_uint32": 0,
                "uinteger": 0,
            }
        return self._made


def verify_seed(seed: int) -> None:
    """Raise `SoulreadError` unless ``seed`` is a whole number from 0 up, of any size."""
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise SoulreadError(f"a seed is a whole number from 0 up, not {seed!r}")
