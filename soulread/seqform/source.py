"""`Source`: a poker game together with its card abstraction, if it has one.

Modules of soulread are given a `Source` in place of a name such as ``"limit:5-5-5-5:quick"``. It can compile
the game, or find the private states of real cards. Nothing is built before its first use, so playing a
stored strategy does not wait for matrices.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import permutations

from soulread.abstraction.states import AbstractionSpec, parse_abstraction
from soulread.abstraction.tables import load_abstraction, load_or_build
from soulread.cards.deck import card_rank
from soulread.errors import SoulreadError
from soulread.games.bets import Bets, effective_stack, parse_bets, verify_takes_bets
from soulread.games.limit_holdem import limit_holdem
from soulread.games.named import parse_game
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import PokerGame
from soulread.seqform.abstract import (
    abstract_game,
    has_abstraction,
    has_menu,
    verify_has_abstraction,
    verify_memory,
)
from soulread.seqform.compile import SequenceGame, compile_factored, enumerate_states
from soulread.seqform.lookup import AbstractLookup, CardLookup, Lookup

LARGEST_DECK = 12  # cards of a poker game that is solved without an abstraction
_QUICK = ":quick"
_BETS = ":bets="
USUAL_BETS = "usual"  # the menu of a no-limit game for which none is given
_MAX_SHOWDOWNS = 100_000  # compared to see whether suits matter

Tell = Callable[[str], None]  # called with a sentence about the progress


@dataclass(frozen=True)
class Buckets:
    """What players see in place of their cards, and in no-limit hold'em the raises they think of.

    "5-5-5-5", "5-5-5-5:quick" with quick tables, "5-5-5-5:quick:bets=0.5+1+allin" with a menu of raises.
    """

    spec: AbstractionSpec
    quick: bool = False
    bets: Bets | None = None

    def __str__(self) -> str:
        menu = "" if self.bets is None else f"{_BETS}{self.bets}"
        return f"{self.spec}{_QUICK if self.quick else ''}{menu}"


def parse_buckets(text: str) -> Buckets:
    """``"5-5-5-5"``, ``"hs:8-12-4-4:quick"``, ``"5-5-5-5:bets=usual"``; opposite of ``str``."""
    cards, _, menu = text.partition(_BETS)
    bets = parse_bets(menu) if _BETS in text else None
    return Buckets(parse_abstraction(cards.removesuffix(_QUICK)), cards.endswith(_QUICK), bets)


@dataclass(frozen=True)
class Source:
    """A two-player poker game, card by card or through a card abstraction.

    With ``quick`` the joint matrices of the abstraction are computed from a part of the boards. Any game with
    the rules of heads-up limit hold'em is replaced by "limit", whatever it is called. In a no-limit game
    ``bets`` says which raises there are; both players get the smaller stack, as nobody can lose more.
    """

    poker: PokerGame
    cards: AbstractionSpec | None = None
    quick: bool = False
    bets: Bets | None = None

    def __post_init__(self) -> None:
        if self.bets is not None:
            verify_takes_bets(self.poker.rules)
        if self.cards is not None:
            verify_has_abstraction(self.poker)
            if has_menu(self.poker):
                rules, bets = self.poker.rules, self.bets or parse_bets(USUAL_BETS)
                stack, (big, small) = effective_stack(rules), rules.blinds
                game = nolimit_holdem(2, stack, (small, big), rules.ante)
                object.__setattr__(self, "bets", bets)
                object.__setattr__(self, "poker", game)
            else:
                object.__setattr__(self, "poker", limit_holdem())
        elif self.quick:
            raise SoulreadError(f"{self.poker.name!r} has no card abstraction that could be built quickly")

    @property
    def name(self) -> str:
        """``"leduc"``, ``"limit:5-5-5-5:quick"``; `parse_source` reads it."""
        menu = "" if self.bets is None else f"{_BETS}{self.bets}"
        if self.cards is None:
            return f"{self.poker.name}{menu}"
        return f"{self.poker.name}:{Buckets(self.cards, self.quick, self.bets)}"

    def __str__(self) -> str:
        return self.name

    def compile(self, tell: Tell | None = None) -> SequenceGame:
        """The game as betting tree times private states. If it is too large, the error says by how much.

        The tables of an abstraction are built if they are not in the cache; ``tell`` hears of the progress.
        """
        if self.cards is None:
            verify_small(self.poker)
            return compile_factored(self.poker, bets=self.bets)
        verify_memory(self.poker, self.cards, bets=self.bets)
        abstraction, joint = load_or_build(self.cards, self.quick, _progress(self.name, tell))
        return abstract_game(self.poker, abstraction, joint, name=self.name, bets=self.bets)

    def lookup(self, tell: Tell | None = None) -> Lookup:
        """The look-up that finds private states of real cards; the game itself is not compiled."""
        if self.cards is None:
            verify_small(self.poker)
            return CardLookup(self.poker, enumerate_states(self.poker).names)
        return AbstractLookup(load_abstraction(self.cards, _progress(self.name, tell)))


def parse_source(text: str) -> Source:
    """``"kuhn"``, ``"limit:5-5-5-5"``, ``"nolimit:5-5-5-5:bets=usual"``; opposite of `Source.name`."""
    name, _, rest = text.partition(":")
    if name == "nolimit" and rest:
        options, _, cards = rest.partition(":")
        if "=" not in options:
            options, cards = "", rest
        if cards:
            return with_cards(parse_game(f"{name}:{options}" if options else name), parse_buckets(cards))
    if name != "limit" or not rest:
        return Source(parse_game(text))
    return with_cards(limit_holdem(), parse_buckets(rest))


def with_cards(game: PokerGame, cards: Buckets) -> Source:
    """``game`` through a card abstraction."""
    return Source(game, cards.spec, cards.quick, cards.bets)


def verify_small(game: PokerGame) -> None:
    """Raise unless a game has few enough cards to be compiled card by card."""
    if game.num_players != 2:
        raise SoulreadError(f"{game.name!r} has {game.num_players} players; games of 2 can be solved")
    if len(game.rules.deck) > LARGEST_DECK:
        raise SoulreadError(
            f"{game.name!r} is too large to be solved card by card; it needs an abstraction of its cards"
            + (", such as 'limit:5-5-5-5'" if has_abstraction(game) else "")
        )


def without_suits(game: PokerGame) -> PokerGame:
    """The same game with labels that name ranks only; ``game`` itself if suits can decide a showdown.

    Leduc without suits has 288 information sets in place of 936, and is solved ten times as fast.
    """
    rules = game.rules
    ranks = {card_rank(card) for card in rules.deck}
    if rules.suit_isomorphic or len(ranks) == len(rules.deck):
        return game
    seen = rules.hole_cards + sum(rules.board_cards)
    strength: dict[tuple[int, ...], int] = {}
    for number, cards in enumerate(permutations(rules.deck, seen)):
        found = rules.showdown(cards[: rules.hole_cards], cards[rules.hole_cards :])
        if number >= _MAX_SHOWDOWNS or strength.setdefault(tuple(map(card_rank, cards)), found) != found:
            return game
    return PokerGame(replace(rules, name=f"{rules.name}:iso", suit_isomorphic=True))


def _progress(name: str, tell: Tell | None) -> Callable[[str, float], None] | None:
    return None if tell is None else lambda title, part: tell(f"{name}: {title}, {part:.0%}")
