"""The language of relational trees: every test that a tree may use, declared here and nowhere else.

An *example* is a decision: its situation (`soulread.model.situation`), the action that was taken, and how the
hand ended for the player (`Outcome`). **P** is the player who decides. **Q** and **R** are other players who
have not folded, different from P and from each other.

A test is a conjunction of a few literals. What a literal may say:

    of the table     one of `TABLE`: "pot odds are at least ..."
    of P             one of `OWN`: "P raised in an earlier round"
    of the action    "the action is a raise", "... of at least this size"
    of the outcome   "P shows the cards", "... and they make at least a pair"
    of Q or R        one of `PLAYER`: "Q is aggressive", "Q is still to act", "Q called a raise of P"
    of Q and R       one of `PAIR`: "R called a raise of Q"

A test on a new variable asks whether *there is* such a player, and may have two literals at once: "there is
a player Q who is aggressive and still to act". Below its yes-branch Q is that player: later tests may ask
more about the same Q, or bring in R. Below the no-branch Q means nothing, because there is no such player.

So the query of a node is the conjunction of all literals on the yes-branches above it, and an example goes on
to the yes-branch if *some* choice of Q and R satisfies the query and the test together (Blockeel & De Raedt,
1998). At most two variables are bound.

To change what trees can say, change the tables below.
"""

from enum import IntEnum
from typing import NamedTuple

from soulread.hands.facts import POSITIONS
from soulread.model import card_facts, situation
from soulread.model.card_facts import DRAWS, MADE
from soulread.model.situation import BOUNDS, MASKS, NUM_MASKS, RELATIONS, SIZES


class Outcome(IntEnum):
    """How a hand ended for a player."""

    LOSE = 0  # folded, or lost without showing
    WIN = 1  # won without showing
    CARDS = 2  # showed the cards


class Kind(IntEnum):
    """What a test is about; the comment says what its parameters a, b and c are."""

    LEAF = 0
    TABLE = 1  # number a is at least b
    OWN = 2  # P has property a
    ACTION = 3  # the action is a
    SIZE = 4  # the action is a raise of at least size class a
    OUTCOME = 5  # the outcome is a
    CARD = 6  # P shows the cards, and their fact a is at least b
    SOME = 7  # there is a new player with properties a and b (b may be NONE)
    BOUND = 8  # Q has property a
    LINK = 9  # there is a new player R in relation a to Q, with property b (may be NONE)
    BOUND_R = 10  # R has property a
    BETWEEN = 11  # R is in relation a to Q


NONE = -1
ANYBODY = 2 * len(RELATIONS)  # a relation of LINK that says nothing: any other player

TABLE = tuple(range(situation.NUM_NUMBERS))
"""Numbers of the table; before the flop those of the board are always 0 and never chosen."""

OWN = (
    situation.CHECKED,
    situation.CALLED,
    situation.RAISED,
    situation.CALLED_BEFORE,
    situation.RAISED_BEFORE,
    situation.LEADER,
    situation.BLIND,
    situation.SHORT,
    situation.COMMITTED,
)
"""What P knows of itself. P's own type is not among it: the tree is about P and must not be told."""

NUM_PLAYER = NUM_MASKS + 2 * len(RELATIONS)
PLAYER = tuple(k for k in range(NUM_PLAYER) if k != situation.IN)
"""What may be said of another player: all properties, and all relations to P in both directions.

Property ``NUM_MASKS + 2 * relation`` is "Q ... P", and one more is "P ... Q"."""

PAIR = tuple(range(2 * len(RELATIONS)))
"""What may be said of Q and R: ``2 * relation`` is "R ... Q", and one more is "Q ... R"."""

CARDS_BEFORE = (card_facts.HIGH, card_facts.LOW, card_facts.SUITED, card_facts.PLACE)
CARDS_AFTER = (
    card_facts.PLACE,
    card_facts.STRENGTH,
    card_facts.MADE_HAND,
    card_facts.DRAW,
    card_facts.OVERS,
)
"""What may be said of shown cards, before the flop and after it."""


class Language(NamedTuple):
    """Which parts of the language a tree may use."""

    table: bool = True
    action: bool = True
    sizes: bool = True  # of the action, if that is a raise
    outcome: bool = True
    cards: tuple[int, ...] = CARDS_AFTER
    players: tuple[int, ...] = PLAYER
    relational: bool = True  # variables are carried down; False: every test stands alone, with one literal
    conjunctions: bool = True  # tests on a new variable may have two literals


# Words ----------------------------------------------------------------------------------------------

_ACTIONS = ("fold", "check or call", "bet or raise")
_RANKS = "23456789TJQKA"
_OUTCOMES = ("P does not win and shows nothing", "P wins without showing", "P shows the cards")


def player_words(who: str, what: int) -> str:
    """A property of another player in words: "Q is loose"."""
    if what >= NUM_MASKS:
        relation, turned = divmod(what - NUM_MASKS, 2)
        return f"P {RELATIONS[relation]} {who}" if turned else f"{who} {RELATIONS[relation]} P"
    return f"{who} {_verb(MASKS[what])}"


def _verb(name: str) -> str:
    active = name.split()[0] in ("checked", "called", "raised", "paid", "has")
    return name if active else f"is {name}"


def _at_least(number: int, bound: int) -> str:
    """A number of the table, in words."""
    name = situation.NUMBERS[number]
    if number == situation.POSITION:
        return f"P sits in {' or '.join(POSITIONS[bound:])}"
    if number == situation.ROUND:
        return f"the round is {' or '.join(('preflop', 'flop', 'turn', 'river')[bound:])}"
    if number == situation.OWN:
        return f"P's last action was {' or '.join(('nothing', 'a check', 'a call', 'a raise')[bound:])}"
    if number == situation.HIGH_CARD and bound < len(_RANKS):
        return f"the highest card of the board is {_RANKS[bound]} or better"
    if number in BOUNDS:
        unit = {
            situation.ODDS: "of the pot after the call",
            situation.BET: "pots",
            situation.STACK: "pots",
        }.get(number, "big blinds")
        what = {
            situation.ODDS: "the call costs",
            situation.BET: "the last bet of the round is",
            situation.STACK: "P has left",
            situation.TO_CALL: "to call are",
            situation.POT: "the pot is",
        }[number]
        edge = BOUNDS[number][min(bound, len(BOUNDS[number])) - 1]
        return f"{what} more than {edge:g} {unit}"
    return f"{name}: {bound} or more"


def _card_words(fact: int, bound: int) -> str:
    if fact in (card_facts.HIGH, card_facts.LOW) and bound < len(_RANKS):
        return f"the {card_facts.CARD_FACTS[fact]} is {_RANKS[bound]} or better"
    if fact == card_facts.SUITED:
        return "they are suited"
    if fact == card_facts.MADE_HAND and bound < len(MADE):
        return f"they make {MADE[bound]} or better"
    if fact == card_facts.DRAW:
        return f"they have {' or '.join(DRAWS[bound:])}"
    if fact == card_facts.OVERS:
        return f"{bound} or more of them are above the board"
    share = 100 * (1 - bound / card_facts.PLACES)
    where = "before the flop" if fact == card_facts.PLACE else "on this board"
    return f"they are among the best {share:.0f}% {where}"


def words(kind: int, a: int, b: int, variables: int) -> str:
    """A test as a sentence; ``variables`` is how many players are bound above it."""
    new = "R" if variables else "Q"
    if kind == Kind.TABLE:
        return _at_least(a, b)
    if kind == Kind.OWN:
        return f"P {_verb(MASKS[a])}"
    if kind == Kind.ACTION:
        return f"the action is {_ACTIONS[a]}"
    if kind == Kind.SIZE:
        return f"the action is a raise of size {' or '.join(SIZES[a:])}"
    if kind == Kind.OUTCOME:
        return _OUTCOMES[a]
    if kind == Kind.CARD:
        return f"P shows the cards, and {_card_words(a, b)}"
    if kind == Kind.SOME:
        more = "" if b == NONE else f" and {player_words(new, b)}"
        return f"there is a player {new}: {player_words(new, a)}{more}"
    if kind in (Kind.BOUND, Kind.BOUND_R):
        return player_words("Q" if kind == Kind.BOUND else "R", a)
    if kind == Kind.LINK:
        more = "" if b == NONE else player_words("R", b)
        link = "" if a == ANYBODY else _pair_words(a)
        return "there is another player R: " + " and ".join(filter(None, (link, more)))
    return _pair_words(a)


def _pair_words(pair: int) -> str:
    relation, turned = divmod(pair, 2)
    return f"Q {RELATIONS[relation]} R" if turned else f"R {RELATIONS[relation]} Q"
