"""Clones: `clone:db=hands.db,player=Bob` plays as Bob did in the hands of a store.

The player's hands of the game's kind, limit or no-limit hold'em, teach a model
(`soulread.model.clone.model`); of cash games and tournaments those of which there are more. The clone sits at
tables of any size; how the player plays with so many others is only known if the store has such hands. It
learns nothing at the table.

In an option a comma is written %2C and a percent sign %25 (`clone_text` does it).
"""

import os
from dataclasses import dataclass, replace
from functools import lru_cache
from urllib.parse import quote, unquote

import numpy as np

from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame, PokerView
from soulread.hands.store import EVERYTHING, Query, Store, default_store
from soulread.model.clone.model import CloneModel, betting_of
from soulread.options import Options, Parse, option
from soulread.play.agent import MemorylessAgent
from soulread.play.catalogue.entry import AgentEntry, AgentSpec
from soulread.seqform.source import LARGEST_DECK, Tell

MOST_HANDS = 20_000  # that a clone learns from: the last ones


def _read(text: str, parse: Parse) -> str:
    return unquote(text)


@dataclass(frozen=True)
class CloneOptions(Options):
    """Options of `clone`."""

    db: str = option("", "store of hands: a file or an address; soulread's own if not given", _read)
    player: str = option("", "whose hands they are; must be given", _read)
    room: str = option("", "the player's room, if players of several rooms have the name", _read)


def clone_text(player: str, db: str = "", room: str = "") -> str:
    """The text that names the clone of a player, whatever is in the name."""
    given = {"db": db, "player": player, "room": room}
    kept = "/ =:|+@<>\"'()[]{}!?*&$#~^`;\\"
    return "clone:" + ",".join(f"{name}={quote(value, kept)}" for name, value in given.items() if value)


class Clone(MemorylessAgent):
    """Plays as a player of a store did."""

    def __init__(self, name: str, model: CloneModel) -> None:
        self.name = name
        self.model = model

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Do what the player does with the cards in view."""
        return self.model.act(view, rng)


def _refuses(game: PokerGame) -> str | None:
    if len(game.rules.deck) <= LARGEST_DECK or game.rules.board_cards != (0, 3, 1, 1):
        return "a clone plays hold'em, limit or no-limit"
    return None


def _clone(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> Clone:
    options: CloneOptions = spec.options
    if not options.player:
        raise SoulreadError(f"{spec.text!r} does not say whose clone it is: clone:db=hands.db,player=NAME")
    if tell is not None:
        tell(f"learning how {options.player} plays")
    where = options.db or os.fspath(default_store())
    with Store.open(where, read_only=True) as store:
        fingerprint = store.fingerprint()
    return Clone(spec.text, _model(where, fingerprint, options.player, options.room or None, game))


@lru_cache(maxsize=8)
def _model(where: str, fingerprint: str, player: str, room: str | None, game: PokerGame) -> CloneModel:
    """The model of a player in a store; ``fingerprint`` says which hands the store has."""
    betting = betting_of(game.variant)
    with Store.open(where, read_only=True) as store:
        person = store.player(player, room)
        query = replace(EVERYTHING, player=person.name, room=room)
        kinds = [kind for kind, _ in store.play_kinds(query) if kind.game == betting]
        if not kinds:
            words = {"limit": "limit hold'em", "nolimit": "no-limit hold'em"}[betting]
            raise SoulreadError(f"there are no hands of {player!r} in {where!r} of {words}")
        hands = [hand for _, hand in store.find(Query.of_kind(query, kinds[0]))][-MOST_HANDS:]
    model = CloneModel(game).fit(hands, person.name)
    _ = model.fitted
    return model


CLONE = AgentEntry(
    "clone",
    "plays as a player of a store of hands did: as often, with such cards, in such sizes",
    _clone,
    CloneOptions,
    _refuses,
    form="clone:db=hands.db,player=NAME",
)
