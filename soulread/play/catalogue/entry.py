"""Entries of the catalogue: an agent's name, its options, where it can sit and how it is made.

An agent is written as a name and, behind a colon, its options (`soulread.options`). `AgentEntry.read` turns
the user's text into options once. After that an `AgentSpec` is handed around in place of the text: it can be
sent to another process, and the agent can be made from it for any game.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any

from soulread.errors import ParseError, SoulreadError
from soulread.games.poker import PokerGame
from soulread.model.catalogue import ModelSpec
from soulread.options import NoOptions, changed, help_of, option, read_options
from soulread.play.agent import Agent
from soulread.seqform.abstract import has_abstraction, has_menu
from soulread.seqform.source import LARGEST_DECK, Buckets, Source, Tell, parse_buckets, with_cards

CARDS = re.compile(r"(?:\w+:)?\d+(?:-(?:\d+x)?\d+)+(?::quick)?(?::bets=[\w.+/@]+)?")
"""The card abstraction, and menu of raises, that may stand behind the first colon of an agent's text."""


@dataclass(frozen=True)
class AgentSpec:
    """An agent that was chosen but not yet made."""

    text: str
    entry: "AgentEntry"
    options: Any

    def make(self, game: PokerGame, tell: Tell | None = None) -> Agent:
        """The agent, ready to play ``game``. If it cannot play that game, a `SoulreadError` says why.

        This may take minutes if an equilibrium must be solved first; ``tell`` is told how far that is.
        """
        reason = self.entry.refuses(game)
        if reason is not None:
            raise SoulreadError(f"{self.text!r} cannot sit at {game.name!r}: {reason}")
        return self.entry.make(self, game, tell)

    @property
    def foreign(self) -> bool:
        """Whether the agent, or a model that it is told to use, comes from outside soulread."""
        if self.entry.foreign:
            return True
        chosen = (getattr(self.options, entry.name) for entry in fields(self.options))
        return any(isinstance(value, ModelSpec) and value.entry.foreign for value in chosen)

    @property
    def by_clock(self) -> bool:
        """Whether the agent thinks by the clock, so that the same seed need not give the same match."""
        learns_meanwhile = bool(getattr(self.options, "background", 0))
        return learns_meanwhile or bool(getattr(self.options, "by_clock", False))

    def within(self, seconds: float) -> "AgentSpec":
        """The same agent, thinking for at most so many seconds a decision if it can think by the clock."""
        within = getattr(self.options, "within", None)
        return self if within is None else replace(self, options=within(seconds))

    def __str__(self) -> str:
        return self.text


ParseAgent = Callable[[str], AgentSpec]
Make = Callable[[AgentSpec, PokerGame, Tell | None], Agent]
Read = Callable[[str, type[Any], ParseAgent], Any]
Refuses = Callable[[PokerGame], str | None]


def read_cards(text: str, parse: Callable[[str], Any]) -> Buckets:
    """A card abstraction in an option."""
    return parse_buckets(text)


def cards_option(default: str = "", menus: bool = False) -> Any:
    """The option ``cards``, a card abstraction; `source_for` takes ``default`` if none is given.

    With ``menus`` the agent also sits at no-limit tables, where a menu of raises belongs to it.
    """
    usual = f"; {default} if not given" if default else ""
    menu = "; in heads-up no-limit with a menu of raises, 5-5-5-5:quick:bets=usual" if menus else ""
    made = option(
        None,
        f"card abstraction in limit hold'em, such as 5-5-5-5:quick{usual}{menu}",
        read_cards,
    )
    return field(default=None, metadata={**made.metadata, "default": default})


def verify_own_model(options: Any, *own: str) -> None:
    """Raise if options of the agent's own model, named ``own``, are set beside another ``model``."""
    if options.model is not None and (set_too := changed(options, *own)):
        raise SoulreadError(f"{', '.join(set_too)} belong to its own model, not to {options.model}")


def divide(text: str) -> tuple[str, Buckets | None, str]:
    """Name, card abstraction and what follows it: "loose:5-5-5-5:0.3" has all three."""
    name, _, rest = text.partition(":")
    found = CARDS.match(rest)
    if not found or not re.match(r"$|:", rest[found.end() :]):
        return name, None, rest
    return name, parse_buckets(found[0]), rest[found.end() :].removeprefix(":")


def anywhere(game: PokerGame) -> str | None:
    """For agents that sit down at every game of poker."""
    return None


def where_tables_reach(game: PokerGame) -> str | None:
    """For agents that play from tables: small games of two, and heads-up limit hold'em."""
    if game.num_players != 2:
        return f"it plays against one opponent, and there are {game.num_players} seats"
    if len(game.rules.deck) > LARGEST_DECK and not has_abstraction(game):
        return (
            f"it needs a table of every decision; with {len(game.rules.deck)} cards there is one only for "
            "heads-up limit hold'em"
        )
    return None


def where_trees_reach(game: PokerGame) -> str | None:
    """For agents that play from tables, also over a menu of raises: heads-up no-limit hold'em too."""
    return None if has_menu(game) else where_tables_reach(game)


def where_cards_are_few(game: PokerGame) -> str | None:
    """For agents that work card by card: small games of two."""
    reason = where_tables_reach(game)
    if reason is None and len(game.rules.deck) > LARGEST_DECK:
        return f"it works card by card, with up to {LARGEST_DECK} cards; this game has {len(game.rules.deck)}"
    return reason


@dataclass(frozen=True)
class AgentEntry:
    """One agent of the catalogue.

    ``make`` gets the spec with its options, the game and a function to tell of progress. ``refuses`` says why
    the agent cannot sit at a game; None means that it can. ``examples`` are texts that work as they stand in
    small games.
    """

    name: str
    about: str  # one line
    make: Make
    options: type[Any] = NoOptions
    refuses: Refuses = anywhere
    read: Read = read_options
    form: str = ""  # how the text is written, where that is not name:option=value
    examples: tuple[str, ...] = ()
    foreign: bool = False  # whether it comes from outside soulread

    def spec(self, text: str, parse: ParseAgent) -> AgentSpec:
        """The spec of a text that begins with this agent's name."""
        return AgentSpec(text, self, self.read(text, self.options, parse))

    @property
    def help(self) -> list[tuple[str, str, str]]:
        """Name, default and line of help of each option."""
        return help_of(self.options)


def source_for(spec: AgentSpec, game: PokerGame) -> Source:
    """The game to solve for an agent: hold'em over its option ``cards``, any other game as it is."""
    cards: Buckets | None = spec.options.cards
    if has_abstraction(game) or has_menu(game):
        default = spec.options.__dataclass_fields__["cards"].metadata["default"]
        if cards is None and not default:
            name = spec.text.partition(":")[0]
            raise ParseError(
                f"{spec.text!r} needs a card abstraction in {game.name!r}, such as {name}:5-5-5-5"
            )
        return with_cards(game, parse_buckets(default) if cards is None else cards)
    if cards is not None:
        raise ParseError(f"{spec.text!r} has a card abstraction, but {game.name!r} needs none")
    return Source(game)
