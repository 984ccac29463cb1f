"""The language of relational trees: every test that a tree may use, declared here and nowhere else.

An *example* is a decision: its situation (`soulread.model.situation`), the action that was taken, and how the
hand ended for the player (`Outcome`). **P** is the player who decides. **Q** and **R** are other players who
have not folded, different from P and from each other.

A test is a conjunction of a few literals, which are:

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

To change what trees can say, change the tables below; `soulread.model.relational.sentences` puts tests into
words.
"""

from enum import IntEnum
from typing import NamedTuple

from soulread.cards.scales import card_facts
from soulread.model import situation
from soulread.model.situation import NUM_MASKS, RELATIONS


class Outcome(IntEnum):
    """How a hand ended for a player."""

    LOSE = 0  # folded, or lost without showing
    WIN = 1  # won without showing
    CARDS = 2  # showed the cards


class QueryKind(IntEnum):
    """The subject of a test; the comment says what its parameters a and b are."""

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
"""Properties of P itself. P's own type is not among them: the tree is about P and must not be told."""

NUM_PLAYER = NUM_MASKS + 2 * len(RELATIONS)
PLAYER = tuple(k for k in range(NUM_PLAYER) if k != situation.IN)
"""Properties of another player: all of them, and all relations to P in both directions.

Property ``NUM_MASKS + 2 * relation`` is "Q ... P", and one more is "P ... Q"."""

PAIR = tuple(range(2 * len(RELATIONS)))
"""Relations of Q and R: ``2 * relation`` is "R ... Q", and one more is "Q ... R"."""

CARDS_BEFORE = (card_facts.HIGH, card_facts.LOW, card_facts.SUITED, card_facts.PLACE)
CARDS_AFTER = (
    card_facts.PLACE,
    card_facts.STRENGTH,
    card_facts.MADE_HAND,
    card_facts.DRAW,
    card_facts.OVERS,
)
"""Facts of shown cards that a test may use, before the flop and after it."""


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
