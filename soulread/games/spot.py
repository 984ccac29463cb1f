"""The betting of a spot: two players, a board of three to five cards, a pot, equal stacks and a menu of bets.

Player 0 is out of position and acts first on every street; player 1 is in position. A spot begins with the
first decision of a street and ends with the hand.

**Rake.** The house takes a part of the pot that is won, but no more than a cap (`Rake`). A bet that nobody
called is returned, and is no part of that pot. Who wins pays the rake, and a split pot is split after it.

**Sizes.** A bet is written as a part of the pot, as what makes the pot grow evenly until all chips are in, as
all chips, or as a number of chips. With P the pot after a call, s the chips then left and n the streets left,

    "60%"      0.6 P                      "e"      P ((2 s / P + 1)^(1/n) - 1) / 2      "a"   all chips
    "40"       40 chips (limit betting)   "2.5x"   2.5 times the bet that is raised, for raises only
    "9bb"      9 big blinds

A raise *to* an amount adds the size to the bet that it raises, except for "2.5x". The amounts are rounded to
chips, or to what the spot counts in (`soulread.games.unit`). They are then brought between the smallest raise
and all chips. Three rules tidy the menu:

* ``add_all_in``: all-in is added where it is at most this many pots more than the bet to call.
* ``force_all_in``: a bet becomes all-in if the chips left behind would be at most this part of the pot after
  a call.
* ``merge``: from the largest bet down, a bet of y pots is left out if (1 + x) / (1 + y) <= 1 + ``merge``,
  where x is the last one that stayed.

**Streets.** The betting does not depend on the cards. So each street has one tree for all of its boards
(`StreetTree`). A street is entered at an *entry*: one for each way the streets before can end. A *row* is one
action of one node; the rows of a player are numbered through. A player's last action is a *code*: the row
r >= 0 of this street, or -1 - k for "nothing on this street, which was entered at entry k".
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from soulread.errors import ParseError, SoulreadError
from soulread.games.unit import BIG_BLINDS, CHIPS, ChipUnit, SpotAmount, parse_amount
from soulread.options import Options, option

OOP, IP = 0, 1
PLAYER_NAMES = ("oop", "ip")
STREETS = ("flop", "turn", "river")
CHECK_RAISE = "check-raise"
MAX_NODES = 200_000
_EXAMPLE = (
    "write for example '60%', 'e' (even growth), 'a' (all-in), '40' (chips), '9bb' or, for raises, '2.5x'"
)


def by_player(values: Iterable[Any]) -> dict[str, Any]:
    """The values of the two players, by their names."""
    return dict(zip(PLAYER_NAMES, values, strict=True))


@dataclass(frozen=True)
class Size:
    """One size of a bet or raise; ``kind`` is "pot", "multiple", "even", "all-in", "chips" or "bb"."""

    kind: str
    number: float = 0.0

    def __str__(self) -> str:
        match self.kind:
            case "pot":
                return f"{100 * self.number:.10g}%"
            case "multiple":
                return f"{self.number:.10g}x"
            case "chips":
                return f"{self.number:.10g}"
            case "bb":
                return f"{self.number:.10g}bb"
        return "e" if self.kind == "even" else "a"

    @property
    def amount(self) -> SpotAmount | None:
        """The chips or big blinds of a size that is told in them."""
        return parse_amount(str(self), "a bet of") if self.kind in (CHIPS, BIG_BLINDS) else None


def parse_size(text: str) -> Size:
    """Read one size, such as ``"60%"``; the opposite of ``str(size)``."""
    word = text.strip().lower()
    if word in ("e", "even", "geometric"):
        return Size("even")
    if word in ("a", "allin", "all-in"):
        return Size("all-in")
    match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)(%|x|bb|)", word)
    number = float(match[1]) if match else 0.0
    if match is None or number <= 0 or (match[2] == "x" and number <= 1):
        raise ParseError(f"{text!r} is not the size of a bet; {_EXAMPLE}")
    kind = {"%": "pot", "x": "multiple", "": CHIPS, "bb": BIG_BLINDS}[match[2]]
    return Size(kind, number / 100 if kind == "pot" else number)


Sizes = tuple[Size, ...]


def parse_sizes(text: str) -> Sizes:
    """Read sizes separated by commas; ``"none"`` is none."""
    if text.strip().lower() in ("none", ""):
        return ()
    return tuple(parse_size(part) for part in text.split(","))


@dataclass(frozen=True)
class Menu:
    """Which sizes each player may choose from on each street.

    Out of position, a player who called on the street before may lead with ``donks``, and one who checked may
    raise by ``check_raises``. ``None`` there means the same sizes as other bets and raises, and an empty
    tuple that this player never does it.
    """

    bets: tuple[tuple[Sizes, Sizes], ...]  # [flop, turn, river][player]
    raises: tuple[tuple[Sizes, Sizes], ...]
    donks: tuple[Sizes | None, ...] = (None, None, None)  # [flop, turn, river]
    check_raises: tuple[Sizes | None, ...] = field(default=(None, None, None), repr=False)

    def sizes(self, first: int = 0) -> list[Size]:
        """Every size from a street on."""
        return [
            size
            for street in range(first, len(STREETS))
            for sizes in (
                *(*self.bets[street], *self.raises[street]),
                *(self.donks[street] or (), self.check_raises[street] or ()),
            )
            for size in sizes
        ]

    def __post_init__(self) -> None:
        for street in (*self.bets, *((donks or (),) for donks in self.donks)):
            if any(size.kind == "multiple" for sizes in street for size in sizes):
                raise SoulreadError(
                    "a bet cannot be a multiple like '2.5x', since it raises nothing; write '60%'"
                )


def parse_menu(bets: str = "60%", raises: str = "60%", donks: str | None = None) -> Menu:
    """A menu from text: ``"50%; river: 60%,a; ip turn: 75%"``.

    Parts are separated by semicolons, and a later part overrides an earlier one. Before its colon a part may
    name streets and players ("oop", "ip"); a part that names none is for all of them. ``donks`` are those of
    the player out of position: "none" for no donk bets, ``None`` for the same sizes as other bets. Among
    ``raises``, a part with the word "check-raise" is for raises after an own check: ``"2.5x; turn
    check-raise: 3x,a"``.
    """
    leads: list[Sizes | None] = [None] * len(STREETS)
    check_raises = leads.copy()
    for part in _parts(donks or ""):
        part.verify("donk bets", check_raise=False, players=(OOP,))
        for street in part.streets:
            leads[street] = part.sizes
    for part in _parts(raises):
        for street in part.streets if part.check_raise else ():
            check_raises[street] = part.sizes
    return Menu(_menu_table(bets, False), _menu_table(raises, True), tuple(leads), tuple(check_raises))


def _menu_table(text: str, are_raises: bool) -> tuple[tuple[Sizes, Sizes], ...]:
    table: list[list[Sizes]] = [[(), ()] for _ in STREETS]
    for part in _parts(text):
        part.verify("raises" if are_raises else "bets", check_raise=are_raises)
        for street in () if part.check_raise else part.streets:
            for player in part.players:
                table[street][player] = part.sizes
    return tuple((row[0], row[1]) for row in table)


class _Part(NamedTuple):
    """A part of a menu's text."""

    text: str
    streets: list[int]
    players: list[int]
    check_raise: bool
    sizes: Sizes

    def verify(self, what: str, check_raise: bool, players: tuple[int, ...] = (OOP, IP)) -> None:
        """Raise if the part names a player or a situation that these sizes do not have."""
        if self.check_raise and not check_raise:
            raise ParseError(
                f"{CHECK_RAISE!r} in {self.text!r} stands among {what}; write it among the raises"
            )
        if self.check_raise and self.players == [IP]:
            raise ParseError(
                f"{self.text!r}: the player in position acts last and so never raises after a check; "
                f"write 'oop {CHECK_RAISE}: 3x'"
            )
        if self.players == [IP] and IP not in players:
            raise ParseError(f"{self.text!r}: only the player out of position has {what}")


def _parts(text: str) -> list[_Part]:
    """The parts of a menu's text."""
    found = []
    for part in filter(str.strip, text.split(";")):
        where, colon, sizes = part.rpartition(":")
        words = where.lower().split() if colon else []
        unknown = [word for word in words if word not in (*STREETS, *PLAYER_NAMES, CHECK_RAISE)]
        if unknown:
            raise ParseError(
                f"{unknown[0]!r} in {part.strip()!r} is neither a street nor a player nor {CHECK_RAISE!r}; "
                f"write for example 'river: 60%,a', 'ip turn: 75%' or 'oop {CHECK_RAISE}: 3x'"
            )
        streets = [i for i, name in enumerate(STREETS) if name in words] or [0, 1, 2]
        players = [i for i, name in enumerate(PLAYER_NAMES) if name in words] or [0, 1]
        found.append(_Part(part.strip(), streets, players, CHECK_RAISE in words, parse_sizes(sizes)))
    return found


class Rake(NamedTuple):
    """What the house takes of a pot: a part of it, but no more than the cap."""

    part: float = 0.0
    cap: int | None = None  # in what the spot counts in; None for none

    def of(self, pot: float) -> float:
        """The rake of a pot; it is not rounded."""
        taken = self.part * pot
        return taken if self.cap is None else min(taken, self.cap)

    def text(self, unit: ChipUnit) -> str:
        """The rake in words: "5%, at most 3bb"."""
        most = "" if self.cap is None else f", at most {unit.text(self.cap)}"
        return f"{self.part_text}{most}"

    @property
    def part_text(self) -> str:
        """The part, as `parse_rake` reads it."""
        return f"{100 * self.part:.10g}%"


def parse_rake(told: str | float) -> float:
    """The part of a pot that a text such as "5%", or a number such as 0.05, means."""
    match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)(%?)", str(told).strip())
    part = float(match[1]) / (100 if match[2] else 1) if match else -1.0
    if not 0 <= part < 1:
        raise ParseError(f"a rake of {told!r}; write a part of the pot below all of it, such as '5%' or 0.05")
    return part


@dataclass(frozen=True)
class Betting(Options):
    """The rules of a spot's betting, in chips; ``street`` is that of the board: 0 flop, 1 turn, 2 river."""

    street: int
    pot: int
    stack: int  # of either player
    menu: Menu = field(default_factory=parse_menu)
    most_bets: int | None = option(None, "on a street, the first bet included; None for no limit", low=0)
    add_all_in: float = option(0.0, "part of the pot", low=0, below=math.inf)
    force_all_in: float = option(0.0, "part of the pot", low=0, below=math.inf)
    merge: float = option(0.0, "part of the pot", low=0, below=math.inf)
    unit: ChipUnit = field(
        default=ChipUnit(), repr=False
    )  # what the numbers are worth; no strategy depends on it
    rake: Rake = field(default=Rake(), repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pot < 1:
            raise SoulreadError(f"a pot of {self.pot!r} {self.unit.name}; a spot needs a pot of at least 1")
        if self.stack < 0:
            raise SoulreadError(f"stacks of {self.stack!r} {self.unit.name}; they cannot be negative")
        for size in self.menu.sizes(self.street):
            if size.amount is not None and self.unit.inside(size.amount, "a bet of") > self.stack:
                chips = f"{size} chips" if size.kind == CHIPS else str(size)
                raise SoulreadError(
                    f"a bet of {chips} is beyond the stack of {self.unit.text(self.stack)}; "
                    "write 'a' for all-in"
                )

    @cached_property
    def tree(self) -> "SpotTree":
        """Every decision and every end."""
        return _Builder(self).build()


def lighter(betting: Betting) -> list[tuple[str, Betting]]:
    """Smaller trees in place of one that is too large, and what each does without; the mildest first."""
    menu = betting.menu
    bets, raises = replace(menu, bets=_one_less(menu.bets)), replace(menu, raises=_one_less(menu.raises))
    both = replace(bets, raises=raises.raises)
    found = [
        ("one bet size less", replace(betting, menu=bets)),
        ("one raise size less", replace(betting, menu=raises)),
        ("one bet and one raise size less", replace(betting, menu=both)),
        ("at most three bets a street", replace(betting, most_bets=min(3, betting.most_bets or 3))),
        ("at most two bets a street", replace(betting, most_bets=min(2, betting.most_bets or 2))),
        (
            "one bet and one raise size less and at most two bets a street",
            replace(betting, menu=both, most_bets=min(2, betting.most_bets or 2)),
        ),
    ]
    return [(words, other) for words, other in found if other != betting]


def _one_less(table: tuple[tuple[Sizes, Sizes], ...]) -> tuple[tuple[Sizes, Sizes], ...]:
    """Each list of sizes without its last one, where there are two or more."""
    return tuple(
        (first[:-1] if first[1:] else first, second[:-1] if second[1:] else second) for first, second in table
    )


class Action(NamedTuple):
    """``kind`` is "fold", "check", "call", "bet" or "raise"; a bet is *to* ``chips`` on this street."""

    kind: str
    chips: int = 0
    all_in: bool = False
    unit: ChipUnit = ChipUnit()

    def __str__(self) -> str:
        if self.kind not in ("bet", "raise"):
            return self.kind
        return f"{self.kind} {self.unit.text(self.chips)}{' all-in' if self.all_in else ''}"


class After(NamedTuple):
    """The point after an action: "node" i of this street, "entry" i of the next, or the end of the hand."""

    kind: str
    number: int = -1


class Entry(NamedTuple):
    """A way to come to a street."""

    put_in: int  # chips of each player since the start of the spot
    all_in: bool  # nobody can bet any more
    last: tuple[int, int]  # code of each player's last action on the street before
    before: tuple[
        int, int
    ]  # node and action there that led here; or -1 and the entry, if everybody was all-in


class Node(NamedTuple):
    """A decision."""

    player: int
    actions: tuple[Action, ...]
    after: tuple[After, ...]  # one for each action
    row: int  # first row of this player's actions here
    last: tuple[int, int]  # code of each player's last action
    put_in: tuple[int, int]  # chips of each player since the start of the spot
    entry: int
    before: tuple[int, int]  # node and action of this street that led here; (-1, -1) at an entry


class Leaf(NamedTuple):
    """An end: a showdown, or ``folder`` gave up. The loser loses ``chips``, half of the pot included.

    The winner gains as many, less the rake.
    """

    folder: int  # -1 at a showdown
    last: tuple[int, int]  # code of each player's last action
    chips: float
    rake: float


@dataclass(frozen=True, eq=False)
class StreetTree:
    """The betting of one street, parents first."""

    street: int
    entries: tuple[Entry, ...]
    nodes: tuple[Node, ...]
    leaves: tuple[Leaf, ...]
    starts: tuple[int, ...]  # [entries] first node after each entry; -1 if there is none

    @cached_property
    def num_rows(self) -> tuple[int, int]:
        """Number of rows of each player."""
        first, second = (
            sum(len(node.actions) for node in self.nodes if node.player == player) for player in (0, 1)
        )
        return first, second

    @cached_property
    def num_nodes(self) -> tuple[int, int]:
        """Number of decisions of each player."""
        second = sum(node.player for node in self.nodes)
        return len(self.nodes) - second, second

    @cached_property
    def order(self) -> tuple[int, ...]:
        """``[nodes]``: how many nodes of the same player stand before each node."""
        seen = [0, 0]
        found = []
        for node in self.nodes:
            found.append(seen[node.player])
            seen[node.player] += 1
        return tuple(found)


@dataclass(frozen=True, eq=False)
class SpotTree:
    """The betting of all streets of a spot."""

    betting: Betting
    streets: tuple[StreetTree, ...]

    @property
    def num_nodes(self) -> int:
        """Decisions, counted once for all boards."""
        return sum(len(street.nodes) for street in self.streets)


class _Builder:
    """Walks the betting street by street."""

    def __init__(self, betting: Betting) -> None:
        self.betting = betting
        self._count = 0

    def build(self) -> SpotTree:
        entries = [(Entry(0, self.betting.stack == 0, (-1, -1), (-1, -1)), False)]
        streets = []
        for street in range(self.betting.street, 3):
            self._street = street
            self._nodes: list[Node] = []
            self._leaves: list[Leaf] = []
            self._next: list[tuple[Entry, bool]] = []
            self._rows = [0, 0]
            starts = []
            for index, (entry, oop_called) in enumerate(entries):
                self._entry = index
                code = (-1 - index, -1 - index)
                if entry.all_in:
                    starts.append(-1)
                    self._close(code, entry.put_in, False, (-1, index))
                else:
                    starts.append(len(self._nodes))
                    self._decide(OOP, code, (entry.put_in, entry.put_in), 0, 0, oop_called, (-1, -1))
            streets.append(
                StreetTree(
                    street,
                    tuple(entry for entry, _ in entries),
                    tuple(self._nodes),
                    tuple(self._leaves),
                    tuple(starts),
                )
            )
            entries = self._next
        return SpotTree(self.betting, tuple(streets))

    def _decide(
        self,
        player: int,
        last: tuple[int, int],
        put_in: tuple[int, int],
        bet: int,
        bets: int,
        donk: bool,
        before: tuple[int, int],
    ) -> After:
        """Add the node at which ``player`` faces a ``bet`` on this street, and everything after it."""
        self._count += 1
        if self._count > MAX_NODES:
            raise SoulreadError(
                f"the betting of this spot has more than {MAX_NODES:,} decisions; "
                "take fewer sizes or a most of bets"
            )
        index, row = len(self._nodes), self._rows[player]
        actions = self._actions(player, put_in, bet, bets, donk)
        node = Node(player, actions, (), row, last, put_in, self._entry, before)
        self._nodes.append(node)
        self._rows[player] += len(actions)
        after = []
        opponent = 1 - player
        for position, action in enumerate(actions):
            codes = _with(last, player, row + position)
            here = (index, position)
            if action.kind == "fold":
                self._end(player, codes, put_in[player])
                after.append(After("fold"))
            elif action.kind == "check" and player == OOP:
                after.append(self._decide(opponent, codes, put_in, 0, bets, False, here))
            elif action.kind in ("check", "call"):
                called = action.kind == "call"
                after.append(self._close(codes, put_in[opponent], called and player == OOP, here))
            else:
                more = _with(put_in, player, put_in[opponent] - bet + action.chips)
                after.append(self._decide(opponent, codes, more, action.chips, bets + 1, False, here))
        self._nodes[index] = node._replace(after=tuple(after))
        return After("node", index)

    def _close(self, last: tuple[int, int], put_in: int, oop_called: bool, before: tuple[int, int]) -> After:
        """End the street: the next card, or a showdown."""
        if self._street == 2:
            self._end(-1, last, put_in)
            return After("showdown")
        self._next.append((Entry(put_in, put_in == self.betting.stack, last, before), oop_called))
        return After("entry", len(self._next) - 1)

    def _end(self, folder: int, last: tuple[int, int], put_in: int) -> None:
        """Add an end to which each player has put in so much since the start of the spot."""
        chips = self.betting.pot / 2 + put_in
        self._leaves.append(Leaf(folder, last, chips, self.betting.rake.of(2 * chips)))

    def _actions(
        self, player: int, put_in: tuple[int, int], bet: int, bets: int, donk: bool
    ) -> tuple[Action, ...]:
        """The actions of ``player``, smallest bet first."""
        rules, menu, street = self.betting, self.betting.menu, self._street
        left = rules.stack - put_in[1 - player]  # of the opponent; the player has as much after a call
        to_call = put_in[1 - player] - put_in[player]
        facing = bet > 0
        plain = [Action("fold"), Action("call")] if facing else [Action("check")]
        if left == 0 or (rules.most_bets is not None and bets >= rules.most_bets):
            return tuple(plain)
        pot = rules.pot + 2 * put_in[1 - player]
        most = left + bet
        sizes: Sizes | None = menu.raises[street][player] if facing else menu.bets[street][player]
        # Out of position, whoever faces the first bet of a street has checked.
        special = menu.check_raises if facing and player == OOP and bets == 1 else None
        if donk and not facing:
            special = menu.donks
        if special is not None and special[street] is not None:
            sizes = special[street]
        amounts = []
        for size in sizes or ():
            match size.kind:
                case "pot":
                    amounts.append(bet + round_half_up(pot * size.number))
                case "multiple":
                    amounts.append(round_half_up(bet * size.number))
                case "even":
                    growth = (2 * left / pot + 1) ** (1 / (3 - street))
                    amounts.append(bet + round_half_up(pot * (growth - 1) / 2))
                case "all-in":
                    amounts.append(most)
                case _:
                    assert size.amount is not None
                    amounts.append(bet + rules.unit.inside(size.amount, "a bet of"))
        is_off = special is not None and special[street] == ()
        if rules.add_all_in > 0 and most <= bet + round_half_up(pot * rules.add_all_in) and not is_off:
            amounts.append(most)
        least = min(max(bet + to_call, 1), most)
        amounts = [min(max(amount, least), most) for amount in amounts]
        amounts = [
            most
            if most <= amount + round_half_up((pot + 2 * (amount - bet)) * rules.force_all_in)
            else amount
            for amount in amounts
        ]
        kept: list[int] = []
        for amount in sorted(set(amounts), reverse=True):
            grown = 1 + (amount - bet) / pot
            if not kept or (1 + (kept[-1] - bet) / pot) / grown > (1 + rules.merge) * (1 + 1e-12):
                kept.append(amount)
        kind = "raise" if facing else "bet"
        return (*plain, *(Action(kind, amount, amount == most, rules.unit) for amount in reversed(kept)))


def round_half_up(number: float) -> int:
    """The nearest integer; halves go up, as in counting chips (Python's ``round`` goes to the even one)."""
    return math.floor(number + 0.5)


def _with(pair: tuple[int, int], player: int, value: int) -> tuple[int, int]:
    return (value, pair[1]) if player == 0 else (pair[0], value)


def paired_ends(street: StreetTree, viewer: int) -> tuple[list["PairedEnds"], int]:
    """The opponent's rows after which the hand may end, and the number of them that lead to a showdown.

    A row comes once with both ends that may follow it: a fold and a call answer a bet. The rows with a
    showdown come first.
    """
    found: list[PairedEnds] = []
    latest: dict[int, int] = {}
    for leaf in street.leaves:
        source, target = leaf.last[1 - viewer], leaf.last[viewer]
        sign = 1.0 if leaf.folder in (-1, 1 - viewer) else -1.0
        showdown = leaf.folder < 0
        index = latest.get(source, -1)
        if index < 0 or (found[index].showdown if showdown else found[index].fold) is not None:
            index = latest[source] = len(found)
            found.append(PairedEnds(source, None, None))
        end, pair = End(target, sign * leaf.chips, leaf.rake), found[index]
        found[index] = pair._replace(showdown=end) if showdown else pair._replace(fold=end)
    found.sort(key=lambda pair: pair.showdown is None)
    return found, sum(pair.showdown is not None for pair in found)


class End(NamedTuple):
    """An end of the hand as one player sees it."""

    code: int  # the viewer's
    chips: float  # before the rake; negative at a loss
    rake: float


class PairedEnds(NamedTuple):
    """One row of the opponent with the ends after it."""

    source: int
    showdown: End | None
    fold: End | None


def describe_menu(menu: Menu) -> Mapping[str, str]:
    """The menu as text that `parse_menu` reads: ``bets``, ``raises`` and, where they are set, ``donks``."""
    raises = "; ".join([_table_text(menu.raises), *_special_texts(menu.check_raises, f" {CHECK_RAISE}")])
    donks = "; ".join(_special_texts(menu.donks))
    return {"bets": _table_text(menu.bets), "raises": raises, **({"donks": donks} if donks else {})}


def _special_texts(table: Sequence[Sizes | None], situation: str = "") -> list[str]:
    """The parts of a menu's text for the streets that have sizes of their own."""
    return [
        f"{name}{situation}: {_sizes_text(sizes)}"
        for name, sizes in zip(STREETS, table, strict=True)
        if sizes is not None
    ]


def _table_text(table: Sequence[tuple[Sizes, Sizes]]) -> str:
    if all(sizes == table[0][0] for row in table for sizes in row):
        return _sizes_text(table[0][0])
    return "; ".join(
        f"{player} {street}: {_sizes_text(sizes)}"
        for street, row in zip(STREETS, table, strict=True)
        for player, sizes in zip(PLAYER_NAMES, row, strict=True)
    )


def _sizes_text(sizes: Sizes) -> str:
    return ",".join(map(str, sizes)) or "none"
