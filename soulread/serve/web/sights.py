"""What the pages show, as data: made in the processes of the rooms, read by the templates.

A `TableSight` is all that one person may know of a table at one moment, and nothing else ever leaves the
process of the table: no card that the person has not seen, no seed, nothing about what an agent will do.
Cards are texts such as "AhKd".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from soulread.report.figures import Panel

if TYPE_CHECKING:  # the server does not load what computes
    from soulread.study.seat.running import RunningResult


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
    called: int  # what a call comes to; a raise by a part x of the pot comes to called + x * pot
    pot: int  # after a call


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


@dataclass(frozen=True)
class RangeSight:
    """A person's range by action: see `soulread.study.seat.own_range`."""

    by: str  # whose read it is, in words
    classes: tuple[str, ...]
    columns: int
    reach: tuple[float, ...]  # [classes]
    actions: tuple[tuple[str, str], ...]  # kind and name
    chances: tuple[tuple[float, ...], ...]  # [actions][classes]
    overall: tuple[float, ...]  # [actions]
    own: int  # the class of the person's own cards


@dataclass(frozen=True)
class FrequencySight:
    """How often a person does one thing in one kind of decision."""

    kind: str
    action: str
    rate: float
    low: float
    high: float
    n: int
    equilibrium: float | None
    sure: bool


@dataclass(frozen=True)
class BeliefSight:
    """What an agent says of its belief; amounts in the unit of the table, None if it does not say."""

    name: str
    about: str
    expected: float | None
    worst_case: float | None
    budget: float | None  # mb/g that it may risk
    sentence: str


@dataclass(frozen=True)
class MeanSight:
    """A mean in the unit of the table, with its 95% interval."""

    mean: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class ResultSight:
    """What a person has won so far: see `soulread.study.seat.running`."""

    hands: int
    won: int
    without_luck: float | None
    mean: MeanSight | None
    mean_without_luck: MeanSight | None
    panel: Panel

    @classmethod
    def of(cls, found: "RunningResult") -> "ResultSight":
        """The same for a page."""
        raw, smooth = (
            None if one is None else MeanSight(one.mean, *one.interval, found.hands)
            for one in (found.mean, found.mean_without_luck)
        )
        return cls(found.hands, found.won, found.without_luck, raw, smooth, found.panel)


@dataclass(frozen=True)
class HandLine:
    """A finished hand in a list."""

    number: int
    won: int
    cost: str  # in the unit of a decision: "120 mb"; empty if it is not known
    grade: str  # of the worst decision; empty if none was judged
    cards: str
    board: str


@dataclass(frozen=True)
class ReadSight:
    """What can be read of a person's play."""

    at: str  # the moment of the table
    range: RangeSight | None
    frequencies: tuple[FrequencySight, ...]
    beliefs: tuple[BeliefSight, ...]
    running: ResultSight
    costs: Mapping[str, float]  # chips given up, hands judged, decisions, and decisions by grade
    given_up: str  # chips given up in the unit of a decision, a hand; empty if nothing was judged
    recent: tuple[HandLine, ...]  # the last hands, the last one first
    unit: str
    chip_in_unit: float
    to_prepare: str  # the game whose equilibrium is not there yet; empty if it is, or there is none


@dataclass(frozen=True)
class AgentSight:
    """An agent of the catalogue."""

    name: str
    about: str
    kinds: tuple[str, ...]  # of games at which it can sit
    examples: tuple[str, ...]


@dataclass(frozen=True)
class ReviewSight:
    """A finished hand, step by step."""

    number: int  # at its table, or in the store
    last: int  # the last finished hand of the table; 0 in the store
    title: str
    player: str  # whose decisions are judged
    players: tuple[str, ...]  # those whose cards are known
    cards: str
    won: int
    time: str
    steps: tuple[TableSight, ...]  # before each action, and the end
    deeds: tuple[tuple[str, str], ...]  # for each action its round and its words
    decisions: Mapping[int, Mapping[str, Any]]  # by action; see `soulread.study.seat.choices`
    opponent: str
    remark: str
    cost: str
    factor: float  # of chips, for the unit
    unit: str  # "mb" of a small bet, or "bb"
    exact: bool  # whether what the equilibrium says is exact
