"""What the pages show, as data: made in the processes of the rooms, read by the templates.

A `TableSight` is all that one person may know of a table at one moment, and nothing else ever leaves the
process of the table: no card that the person has not seen, no seed, nothing about what an agent will do.
Cards are texts such as "AhKd".
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class SeatSight:
    """A player at a table."""

    name: str
    you: bool
    place: str  # "button", "big blind", "first to act"
    button: bool
    cards: str  # those that the person may see
    hidden: int  # cards face down
    stack: int | None  # chips left; None where nobody runs out
    put_in: int  # chips in front of the seat in this round
    folded: bool
    to_act: bool
    last: str  # the last thing the seat did in this round: "raises to 12"
    won: int | None  # chips won or lost, when the hand is over


@dataclass(frozen=True)
class SizeSight:
    """A size of a bet that has a button."""

    name: str  # "½ pot"
    amount: int  # as people say it: chips of this round


@dataclass(frozen=True)
class ChoiceSight:
    """What the person may do. Amounts are chips of this round, as people say them."""

    may_fold: bool
    to_call: int
    call_all_in: bool  # whether a call takes all chips
    raise_word: str  # "bet", "raise to"; empty where no raise is allowed
    low: int
    high: int
    sizes: tuple[SizeSight, ...]  # those of no-limit


@dataclass(frozen=True)
class StreetSight:
    """The story of a round."""

    name: str  # "flop"; empty in games of one round
    board: str  # the cards that came with it
    deeds: tuple[str, ...]


@dataclass(frozen=True)
class TableSight:
    """A table as one person sees it."""

    game: str
    title: str  # of the game, in words
    hand: int  # from 1 up
    at: str  # names this moment: "3.5" is the third hand after five actions
    version: int  # grows with every change
    seats: tuple[SeatSight, ...]  # the person first, then clockwise
    board: str
    board_size: int  # cards of a whole board
    pot: int
    street: str
    story: tuple[StreetSight, ...]
    choice: ChoiceSight | None  # None if it is not the person's turn
    over: bool
    result: str  # how the hand ended, in a sentence
    won: int  # chips, over all hands so far
    hands: int  # hands finished so far
    thinking: str = ""  # who is thinking
    drill: str = ""  # which spot is practised, if this table does that
