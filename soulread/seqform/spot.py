"""A spot with real cards: every board that can follow, and the holdings of both players on each.

**Isomorphism.** Let G be the renamings of the suits that leave the board, both ranges and all `Mark`s as they
are. Boards that a renaming of G turns into each other are looked at once, and count as often as there are
such boards. On a board, the renamings that also leave its later cards alone form a smaller group. Holdings
that this group turns into each other are one *orbit*: they play alike, so an orbit is one information set of
each node. A smaller group has smaller orbits, so each orbit of a river lies in exactly one orbit of its turn:
every information set keeps one parent. With ``isomorphism=False`` only the identity is used.

**Layout.** The *width* of a board for a player is the number of orbits the player may hold there. All boards
of a street share its betting (`soulread.games.spot`). A strategy is laid out board by board, first the board
itself, then each turn followed by its rivers:

    sequence of row r and orbit i on board b  =  base[b] + r * width(b) + i

Orbits are sorted by strength on rivers, and by hand elsewhere.

**Chance.** Two holdings that share no card meet with a chance proportional to their weights in the ranges.
Each later card is then one of those nobody holds: 45 turns and 44 rivers. The value of a sequence is a sum
over the holdings of its orbit and over all boards that are isomorphic to its board, chance included. Values
are chips that a player wins beyond half the pot, after the rake. Without rake both players' values sum to
zero.

**Rake.** With r the rake of an end at which the loser loses c chips, a fold wins c - r and loses c. Let S be
the sum over the opponent's holdings of win minus loss at a showdown, and N their number; a tie is neither,
and both pay half of the rake. Wins and half the ties are (S + N) / 2, so a showdown is worth

    c S - r (S + N) / 2  =  (c - r / 2) S - (r / 2) N

to a player. What it takes from the *other* player's winnings (`EndRows` of another's winnings) is
(c - r / 2) S + (r / 2) N: then what the house takes counts as won.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from soulread.cards.deck import NUM_CARDS, cards_name, parse_card, verify_distinct
from soulread.cards.isomorphism import CARD_MAPS, HAND_MAPS
from soulread.cards.ranges import HAND_CARDS, HAND_MASKS, NUM_HANDS, Range, cards_mask, hand_name
from soulread.errors import ParseError, SoulreadError
from soulread.games.spot import PLAYER_NAMES, STREETS, Action, Betting, Node, StreetTree, paired_ends
from soulread.games.unit import ChipUnit, number_text
from soulread.seqform.holdings import values_on
from soulread.seqform.treeplex import Floats, Ints, Treeplex

MAX_SEQUENCES = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Mark:
    """Numbers that isomorphism must respect besides the ranges, such as a lock at one node.

    ``cards`` were dealt after the spot's board, and ``name`` says what the numbers are. A renaming of the
    suits is kept only if it turns each mark into a mark of the same name.
    """

    name: str
    cards: tuple[int, ...]
    numbers: NDArray[np.float64]  # [..., 1326]


class Side(NamedTuple):
    """One player on all B boards, for kernels; N is the sum of the widths, M of the holdings."""

    first: NDArray[np.int64]  # [B + 1] first orbit of each board
    base: NDArray[np.int64]  # [B + 1] first sequence of each board
    card: NDArray[np.uint8]  # [N, 2] cards of the orbit's first holding
    hand: NDArray[np.uint16]  # [N] that holding, 0..1325
    ancestor: NDArray[np.uint16]  # [N] the orbit on the board before; 0 on the first board
    weight: Floats  # [N] of each holding of the orbit in the player's range
    factor: Floats  # [N] weight x holdings in the orbit x isomorphic boards x chance of a board and a pair
    first_member: NDArray[np.int64]  # [B + 1] first holding of each board
    member: NDArray[np.uint16]  # [M] orbit of each holding, weakest first on rivers
    member_card: NDArray[np.uint8]  # [M, 2]
    weaker: NDArray[np.uint16]  # [N] on rivers: how many of the opponent's holdings are weaker
    no_stronger: NDArray[np.uint16]  # [N] on rivers: how many of them are weaker or equal
    same: NDArray[np.int16]  # [N] the opponent's orbit that has the same holding; -1 if there is none


class DecisionRows(NamedTuple):
    """One player's decisions on all S streets, for kernels.

    Kernels keep one board of each street in a *buffer*. For each street it has the entries, then the rows.
    A *line* is a position in the buffer.
    """

    num_rows: Ints  # [S]
    first_line: Ints  # [S + 1] of each street in the buffer: the entries, then the rows
    first_node: Ints  # [S + 1]
    row: Ints  # [nodes] first row, counted on its street
    line: Ints  # [nodes] line of that row
    num_actions: Ints  # [nodes]
    parent: Ints  # [nodes] line of the player's last action, which may be an entry
    first_entry: Ints  # [S + 1]
    source: Ints  # [entries] line of the player's last action on the street before; -1 on the first
    all_in: NDArray[np.bool_]  # [entries] whether nobody can bet any more


class EndRows(NamedTuple):
    """The ends of the hand as one player sees them; see `soulread.games.spot.paired_ends`."""

    first: Ints  # [S + 1] first row of the opponent of each street
    num_showdowns: Ints  # [S] of each street the first so many rows have a showdown
    source: Ints  # [rows] line of the opponent
    showdown: Ints  # [rows] own line; -1 if there is no showdown
    showdown_chips: Floats
    showdown_toll: Floats  # chips less for each of the opponent's holdings, whoever wins: half the rake
    fold: Ints  # [rows] own line; -1 if nobody folds
    fold_chips: Floats


class SpotTables(NamedTuple):
    """All that kernels need of a spot; pairs are indexed by player."""

    street: NDArray[np.int64]  # [B + 1] of each board, counted from that of the spot; 0 at the end
    side: tuple[Side, Side]
    rows: tuple[DecisionRows, DecisionRows]
    ends: tuple[EndRows, EndRows]


@dataclass(frozen=True, eq=False)
class Boards:
    """All boards, each followed by those that come after it; of isomorphic ones the first stands for all."""

    cards: tuple[tuple[int, ...], ...]  # dealt after the spot's board
    parent: NDArray[np.int64]  # [boards] the board before; -1 for the first
    count: NDArray[np.int64]  # [boards] isomorphic boards, itself included
    group: tuple[tuple[int, ...], ...]  # [boards] the renamings of the suits that leave a board alone

    @cached_property
    def index(self) -> dict[tuple[int, ...], int]:
        """Where a board stands."""
        return {cards: i for i, cards in enumerate(self.cards)}


class Place(NamedTuple):
    """A decision on a board; ``street`` counts from that of the spot's board."""

    street: int
    board: int
    node: int
    cards: tuple[int, ...]  # dealt after the spot's board, before any renaming
    renaming: int  # of the suits, which turns these cards into those of the board that stands for them


class Point(NamedTuple):
    """Where a path leads: to a decision, to a card that comes, or to the end of the betting."""

    street: int
    node: int  # -1 if nobody decides here
    entry: int  # of the next street, if the betting of this one is over and the hand is not; else -1
    cards: tuple[int, ...]  # dealt after the spot's board
    taken: tuple[tuple[int, int, int], ...]  # street, node and action of every decision before


@dataclass(frozen=True, eq=False)
class Spot:
    """A board, both ranges and the betting; player 0 is out of position.

    Everything is computed at its first use. `spot_game` makes the game that all solvers take.
    """

    board: tuple[int, ...]
    ranges: tuple[Range, Range]
    betting: Betting
    isomorphism: bool = True
    marks: tuple[Mark, ...] = ()
    dtype: DTypeLike = field(default=np.float32)

    def __post_init__(self) -> None:
        if not 3 <= len(self.board) <= 5:
            raise SoulreadError(
                f"a board of {len(self.board)} cards; a spot has 3 (flop), 4 (turn) or 5 (river)"
            )
        verify_distinct(self.board)
        if self.betting.street != len(self.board) - 3:
            raise SoulreadError(
                f"the betting starts on the {STREETS[self.betting.street]}, but the board "
                f"{cards_name(self.board)} is a {STREETS[len(self.board) - 3]}"
            )
        for player, hands in enumerate(self.live):
            if not hands.any():
                raise SoulreadError(
                    f"the range of {PLAYER_NAMES[player]} has no hand that is possible on "
                    f"{cards_name(self.board)}"
                )
        if not self.total_chance > 0:
            raise SoulreadError("the two ranges share a card in every pair of hands, so they can never meet")

    @cached_property
    def live(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Weights ``[1326]`` of both players, without hands that hold a card of the board."""
        first, second = (hands.without(self.board).weights for hands in self.ranges)
        return first, second

    @cached_property
    def total_chance(self) -> float:
        """Sum over pairs of holdings that share no card of the product of their weights."""
        first, second = self.live
        with_card = np.zeros(NUM_CARDS)
        for k in range(2):
            np.add.at(with_card, HAND_CARDS[:, k], second)
        meets = second.sum() - with_card[HAND_CARDS].sum(axis=1) + second
        return float(first @ np.maximum(meets, 0))

    @property
    def tree(self) -> tuple[StreetTree, ...]:
        """The betting, street by street."""
        return self.betting.tree.streets

    @cached_property
    def renamings(self) -> tuple[int, ...]:
        """Numbers of the renamings of the suits (among 24) under which nothing changes."""
        if not self.isomorphism:
            return (0,)
        board = set(self.board)
        return tuple(
            g
            for g, cards in enumerate(CARD_MAPS)
            if {int(cards[card]) for card in board} == board
            and all(np.array_equal(weights[HAND_MAPS[g]], weights) for weights in self.live)
            and all(self._is_marked(mark, g) for mark in self.marks)
        )

    def _is_marked(self, mark: Mark, g: int) -> bool:
        """Whether the renaming turns a mark into a mark."""
        cards = tuple(int(CARD_MAPS[g, card]) for card in mark.cards)
        return any(
            other.name == mark.name
            and other.cards == cards
            and np.array_equal(other.numbers[..., HAND_MAPS[g]], mark.numbers)
            for other in self.marks
        )

    @cached_property
    def boards(self) -> Boards:
        """The boards, one for each class of isomorphic boards."""
        cards: list[tuple[int, ...]] = []
        parents: list[int] = []
        counts: list[int] = []
        groups: list[tuple[int, ...]] = []

        def visit(dealt: tuple[int, ...], parent: int, count: int, group: tuple[int, ...]) -> None:
            here = len(cards)
            cards.append(dealt)
            parents.append(parent)
            counts.append(count)
            groups.append(group)
            if len(self.board) + len(dealt) == 5:
                return
            maps = CARD_MAPS[list(group)]
            for card in range(NUM_CARDS):
                images = maps[:, card]
                if card in self.board or card in dealt or images.min() < card:
                    continue
                alone = tuple(g for g, image in zip(group, images.tolist(), strict=True) if image == card)
                visit((*dealt, card), here, count * len(group) // len(alone), alone)

        visit((), -1, 1, self.renamings)
        return Boards(tuple(cards), np.array(parents), np.array(counts), tuple(groups))

    @cached_property
    def tables(self) -> SpotTables:
        """The tables for kernels."""
        return _tables(self)

    def tables_of(self, winner: int | None) -> SpotTables:
        """The tables in which one player wins what the ``winner`` loses; with None each has its own winnings.

        They differ if there is rake.
        """
        if winner is None or not self.raked:
            return self.tables
        ends = _both_ends(self, self.tables.rows, winner)
        return self.tables._replace(ends=ends)

    @property
    def raked(self) -> bool:
        """Whether the house takes anything."""
        return self.betting.rake.part > 0

    @cached_property
    def num_sequences(self) -> tuple[int, int]:
        """Number of sequences of each player, the empty one included."""
        first, second = (int(side.base[-1]) for side in self.tables.side)
        return first, second

    @cached_property
    def num_sets(self) -> tuple[int, int]:
        """Number of information sets of each player."""
        first, second = (
            int(
                np.diff(self.tables.side[p].first)
                @ np.diff(self.tables.rows[p].first_node)[self.tables.street[:-1]]
            )
            for p in (0, 1)
        )
        return first, second

    @property
    def num_boards(self) -> tuple[int, ...]:
        """Number of boards of each street, isomorphic ones counted once."""
        return tuple(np.bincount(self.tables.street[:-1]).tolist())

    @property
    def name(self) -> str:
        """``"spot Td9d6hQc 200/900"``: board, pot and stack."""
        pot, stack = (self.unit.text(amount) for amount in (self.betting.pot, self.betting.stack))
        return f"spot {cards_name(self.board)} {pot}/{stack}"

    @property
    def unit(self) -> ChipUnit:
        """What amounts are shown in."""
        return self.betting.unit

    @property
    def rake_text(self) -> str:
        """What follows pot and stacks in titles: ", rake 5%, at most 3bb", or nothing."""
        return f", rake {self.betting.rake.text(self.unit)}" if self.raked else ""

    def width(self, board: int, player: int) -> int:
        """Number of the player's orbits on a board."""
        first = self.tables.side[player].first
        return int(first[board + 1] - first[board])

    def orbits(self, board: int, player: int) -> NDArray[np.int64]:
        """``[1326]``: the orbit of each hand on a board; -1 for hands that the player cannot hold there."""
        side = self.tables.side[player]
        found = np.full(NUM_HANDS, -1, dtype=np.int64)
        hands = side.hand[side.first[board] : side.first[board + 1]].astype(np.int64)
        for g in self.boards.group[board]:
            found[HAND_MAPS[g][hands]] = np.arange(hands.size)
        return found

    def node(self, place: Place) -> Node:
        """The decision of a place."""
        return self.tree[place.street].nodes[place.node]

    def hands(self, place: Place, player: int) -> NDArray[np.int64]:
        """``[1326]``: the orbit of each hand at a place, whose cards need not be those of its board."""
        found: NDArray[np.int64] = self.orbits(place.board, player)[HAND_MAPS[place.renaming]]
        return found

    def rows(self, place: Place) -> slice:
        """The acting player's sequences at a place: ``plan[spot.rows(place)].reshape(actions, width)``."""
        node = self.node(place)
        width = self.width(place.board, node.player)
        first = int(self.tables.side[node.player].base[place.board]) + node.row * width
        return slice(first, first + len(node.actions) * width)

    @cached_property
    def first_blocks(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """``[boards]`` for each player: the first block of the player's treeplex on each board."""
        first, second = (
            np.cumsum(
                [0, *np.where(np.diff(side.first) > 0, np.diff(rows.first_node)[self.tables.street[:-1]], 0)]
            )
            for side, rows in zip(self.tables.side, self.tables.rows, strict=True)
        )
        return first[:-1], second[:-1]

    def block(self, place: Place) -> int:
        """The block of the acting player's treeplex at a place."""
        player = self.node(place).player
        return int(self.first_blocks[player][place.board]) + self.tree[place.street].order[place.node]

    @property
    def start(self) -> Place:
        """The first decision."""
        return self.find("")

    def find(self, path: str) -> Place:
        """The decision after a path such as ``"check bet60% call 2c check"``: actions, and cards as they
        come.

        A bet or raise is written with its chips ("bet120", "raise300"), or as a part of the pot ("bet60%").
        ``"bet60"`` is the bet of 60 chips if there is one, and else that of 60%. "allin" is the largest bet.
        In a spot in big blinds it is written as ``"bet9bb"``, and where they have chips, also in these.
        """
        point = self.follow(path)
        if point.node < 0:
            what = "a card is dealt" if point.entry >= 0 else "the hand is over"
            if point.entry >= 0 and not self.card_comes(point):
                what = "both players are all-in"
            raise ParseError(f"nobody decides after {path!r}: {what}")
        return self.place(point.street, point.node, point.cards)

    def follow(self, path: str) -> Point:
        """The point after a path as `find` reads it, where a card may come or the hand may be over."""
        street, entry = 0, 0
        cards: tuple[int, ...] = ()
        taken: list[tuple[int, int, int]] = []
        node = self.tree[0].starts[0]
        if node < 0:
            raise SoulreadError("both players are all-in, so there is nothing to decide in this spot")
        words = path.replace(",", " ").split()
        for position, word in enumerate(words):
            where = " ".join(words[:position]) or "the start"
            if node < 0:
                if street + 1 >= len(self.tree) or entry < 0:
                    raise ParseError(f"the hand is over after {where!r}; {word!r} cannot follow")
                try:
                    card = parse_card(word)
                except ParseError:
                    raise ParseError(
                        f"after {where!r} a card is dealt, but {word!r} came; write one like '2c'"
                    ) from None
                verify_distinct(self.board, (*cards, card))
                cards = (*cards, card)
                street += 1
                node = self.tree[street].starts[entry]
                continue
            here = self.tree[street].nodes[node]
            action = self.find_action(here, word, where)
            taken.append((street, node, action))
            after = here.after[action]
            node, entry = -1, -1
            if after.kind == "node":
                node = after.number
            elif after.kind == "entry":
                entry = after.number
        return Point(street, node, -1 if node >= 0 else entry, cards, tuple(taken))

    def card_comes(self, point: Point) -> bool:
        """Whether a card is dealt at a point after which players decide again."""
        return point.node < 0 <= point.entry and self.tree[point.street + 1].starts[point.entry] >= 0

    def place(self, street: int, node: int, cards: Sequence[int]) -> Place:
        """A decision after ``cards`` were dealt; the board is the one that stands for all isomorphic ones."""
        for g in self.renamings:
            board = self.boards.index.get(tuple(int(CARD_MAPS[g, card]) for card in cards))
            if board is not None:
                return Place(street, board, node, tuple(cards), g)
        raise SoulreadError(f"{cards_name(cards)} cannot follow the board {cards_name(self.board)}")

    def find_action(self, node: Node, word: str, where: str) -> int:
        """The position of the action that a word means at a node; ``where`` is the path, for the message."""
        names = [str(action) for action in node.actions]
        match = _match_action(node, word.lower(), self.betting.pot)
        if match < 0:
            raise ParseError(
                f"{word!r} is not possible after {where!r}; {PLAYER_NAMES[node.player]} may "
                f"{', '.join(names)}"
            )
        return match

    def path(self, place: Place) -> str:
        """The path to a place, which `find` reads."""
        words: list[str] = []
        street, node = place.street, place.node
        while True:
            tree = self.tree[street]
            while node >= 0:
                before, action = tree.nodes[node].before
                if before < 0:
                    break
                words.append(action_word(tree.nodes[before].actions[action]))
                node = before
            if street == 0:
                return " ".join(reversed(words))
            entry = tree.nodes[node].entry
            words.append(cards_name(place.cards[street - 1 : street]))
            before, action = tree.entries[entry].before
            street -= 1
            words.append(action_word(self.tree[street].nodes[before].actions[action]))
            node = before

    @cached_property
    def checksum(self) -> str:
        """Hexadecimal digest of everything a strategy of this spot depends on."""
        betting = self.betting
        parts = self.board, self.isomorphism, self.renamings, betting, np.dtype(self.dtype).str
        digest = hashlib.sha256(repr(parts).encode())
        if any(sizes is not None for sizes in betting.menu.check_raises):
            digest.update(repr(betting.menu.check_raises).encode())
        if self.raked:
            digest.update(repr(tuple(betting.rake)).encode())
        for hands in self.ranges:
            digest.update(np.ascontiguousarray(hands.weights, dtype="<f8").tobytes())
        return digest.hexdigest()

    @cached_property
    def trees(self) -> tuple[Treeplex, Treeplex]:
        """The treeplexes of both players."""
        if max(self.num_sequences) > MAX_SEQUENCES:
            raise SoulreadError(
                f"{self.name} has {max(self.num_sequences):,} sequences, more than "
                f"{MAX_SEQUENCES:,}, which cannot "
                "be numbered; take fewer sizes, fewer bets on a street, or smaller ranges"
            )
        return self._treeplex(0), self._treeplex(1)

    def _treeplex(self, player: int) -> Treeplex:
        side, rows = self.tables.side[player], self.tables.rows[player]
        parents: list[Ints] = []
        actions: list[tuple[int, ...]] = []
        widths: list[int] = []
        numbers = [
            tuple(map(action_number, node.actions))
            for tree in self.tree
            for node in tree.nodes
            if node.player == player
        ]
        # The sequence of every line of the buffer, for the last board of each street.
        lines: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)] * int(rows.first_line[-1])
        for board, street in enumerate(self.tables.street[:-1].tolist()):
            width = self.width(board, player)
            ancestor = side.ancestor[side.first[board] : side.first[board + 1]].astype(np.intp)
            line = int(rows.first_line[street])
            for source in rows.source[rows.first_entry[street] : rows.first_entry[street + 1]].tolist():
                lines[line] = lines[source][ancestor] if street else np.zeros(width, dtype=np.int64)
                line += 1
            for row in range(int(rows.num_rows[street])):
                lines[line + row] = int(side.base[board]) + row * width + np.arange(width)
            if width:
                for node in range(int(rows.first_node[street]), int(rows.first_node[street + 1])):
                    parents.append(lines[int(rows.parent[node])].astype(np.int32))
                    actions.append(numbers[node])
                    widths.append(width)
        sizes = [width * len(moves) for width, moves in zip(widths, actions, strict=True)]
        return Treeplex(
            player=player,
            first_set=np.concatenate([[0], np.cumsum(widths, dtype=np.int64)]).astype(np.int32),
            first_sequence=np.concatenate([[1], 1 + np.cumsum(sizes, dtype=np.int64)]).astype(np.int32),
            parent_sequence=np.concatenate([np.empty(0, dtype=np.int32), *parents]),
            actions=tuple(actions),
            labels=SpotLabels(self, player),
        )


def action_word(action: Action) -> str:
    """An action in one word, as `Spot.find` reads it."""
    return f"{action.kind}{action.unit.text(action.chips)}" if action.chips else action.kind


def _match_action(node: Node, word: str, pot: int) -> int:
    """Position of the action that a word means; -1 if there is none."""
    for position, action in enumerate(node.actions):
        if word in (action_word(action), f"{action.kind}{number_text(action.unit.of(action.chips))}"):
            return position
    for position, action in enumerate(node.actions):
        chip = action.unit.chip
        if chip and word == f"{action.kind}{number_text(action.chips / chip)}":
            return position
    if word in ("allin", "all-in"):
        return next((i for i, action in enumerate(node.actions) if action.all_in), -1)
    kind = "raise" if word.startswith("raise") else "bet"
    number = word.removeprefix(kind).removesuffix("%")
    if not word.startswith(kind) or not number.replace(".", "", 1).isdigit():
        return -1
    facing = any(action.kind == "fold" for action in node.actions)
    before = pot + 2 * node.put_in[1 - node.player]
    bet = 0
    if facing:
        bet = node.put_in[1 - node.player] - min(node.put_in)  # what a call costs
    wanted = float(number) / 100 * before + bet
    for position, action in enumerate(node.actions):
        if action.kind == kind and abs(action.chips - wanted) <= 0.5 + 1e-9:
            return position
    return -1


def action_number(action: Action) -> int:
    """The number of an action in treeplexes: 0 fold, 1 check or call, n + 1 a bet or raise to n chips."""
    return {"fold": 0, "check": 1, "call": 1}.get(action.kind, action.chips + 1)


@dataclass(frozen=True, eq=False)
class SpotLabels:
    """Labels ``"AsKh|check bet120 call 2c"``: the first holding of an orbit, and the path; they are not
    stored.
    """

    spot: Spot
    player: int

    def __len__(self) -> int:
        return self.spot.num_sets[self.player]

    @cached_property
    def _first(self) -> NDArray[np.int64]:
        """``[boards + 1]``: first set of every board."""
        tables = self.spot.tables
        nodes = np.diff(tables.rows[self.player].first_node)[tables.street[:-1]]
        return np.concatenate([[0], np.cumsum(np.diff(tables.side[self.player].first) * nodes)])

    def _find(self, index: int) -> tuple[Place, int]:
        board = int(np.searchsorted(self._first, index, side="right")) - 1
        street = int(self.spot.tables.street[board])
        number, orbit = divmod(index - int(self._first[board]), self.spot.width(board, self.player))
        tree = self.spot.tree[street]
        node = [i for i, node in enumerate(tree.nodes) if node.player == self.player][number]
        return Place(street, board, node, self.spot.boards.cards[board], 0), orbit

    def label(self, index: int) -> str:
        place, orbit = self._find(index)
        side = self.spot.tables.side[self.player]
        return f"{hand_name(int(side.hand[side.first[place.board] + orbit]))}|{self.spot.path(place)}"

    def public_history(self, index: int) -> str:
        return self.spot.path(self._find(index)[0])

    def index(self, label: str) -> int:
        hand, _, path = label.partition("|")
        try:
            place = self.spot.find(path)
            cards = parse_card(hand[:2]), parse_card(hand[2:])
        except SoulreadError:
            return -1
        node = self.spot.node(place)
        if node.player != self.player or len(hand) != 4 or cards[0] == cards[1]:
            return -1
        low, high = sorted(cards)
        orbit = int(self.spot.hands(place, self.player)[high * (high - 1) // 2 + low])
        if orbit < 0:
            return -1
        number = self.spot.tree[place.street].order[place.node]
        return int(self._first[place.board]) + number * self.spot.width(place.board, self.player) + orbit


def _tables(spot: Spot) -> SpotTables:
    street = np.array([*map(len, spot.boards.cards), 0], dtype=np.int64)
    rows = _rows(spot.tree, 0), _rows(spot.tree, 1)
    sides = _sides(spot)
    for side, own in zip(sides, rows, strict=True):
        sizes = np.diff(side.first) * own.num_rows[street[:-1]]
        side.base[:] = np.concatenate([[1], 1 + np.cumsum(sizes)])
    return SpotTables(street, sides, rows, _both_ends(spot, rows, None))


def _both_ends(
    spot: Spot, rows: tuple[DecisionRows, DecisionRows], winner: int | None
) -> tuple[EndRows, EndRows]:
    """The ends as both players see them; a player who is not the ``winner`` wins what the winner loses."""
    first, second = (
        _end_rows(spot.tree, viewer, rows, spot.dtype, winner in (None, viewer)) for viewer in (0, 1)
    )
    return first, second


def _sides(spot: Spot) -> tuple[Side, Side]:
    """Both players' orbits on all boards."""
    boards = spot.boards
    streets = 6 - len(spot.board)
    left = NUM_CARDS - len(spot.board) - 4  # cards that may come next
    chance = (
        1.0 / spot.total_chance,
        1.0 / spot.total_chance / left,
        1.0 / spot.total_chance / left / (left - 1),
    )
    full = [(*spot.board, *cards) for cards in boards.cards]
    rivers = [b for b, cards in enumerate(full) if len(cards) == 5]
    strength = dict(zip(rivers, values_on(np.array([full[b] for b in rivers], dtype=np.uint8)), strict=True))
    nothing = np.zeros(NUM_HANDS, dtype=np.int16)
    found = _room_for(spot, 0), _room_for(spot, 1)
    # The orbits [1326] of each player on the last board of each street.
    orbits = [[np.zeros(NUM_HANDS, dtype=np.int64)] * streets for _ in range(2)]
    for b, cards in enumerate(boards.cards):
        dead = HAND_MASKS & cards_mask(full[b]) != 0
        label = HAND_MAPS[list(boards.group[b])].min(axis=0)
        values = strength.get(b, nothing).astype(np.int64)
        pair = [_board_side(np.where(dead, 0.0, weights), label, values) for weights in spot.live]
        for player in (0, 1):
            street = len(cards)
            above = orbits[player][max(street - 1, 0)]
            _put(found[player], b, pair[player], pair[1 - player], above, boards.count[b] * chance[street])
        for player in (0, 1):
            here = np.zeros(NUM_HANDS, dtype=np.int64)
            here[pair[player].holdings] = pair[player].member
            orbits[player][len(cards)] = here
    return _cut(found[0]), _cut(found[1])


class _BoardSide(NamedTuple):
    """One player on one board."""

    hand: NDArray[np.int64]  # [width]
    value: NDArray[np.int64]  # [width]
    size: NDArray[np.int64]  # [width]
    weight: NDArray[np.float64]  # [width]
    holdings: NDArray[np.int64]  # [members]
    member: NDArray[np.int64]
    member_value: NDArray[np.int64]


def _board_side(
    weights: NDArray[np.float64], label: NDArray[np.int64], values: NDArray[np.int64]
) -> _BoardSide:
    """Orbits by strength, then by hand; ``label`` is the smallest hand of each hand's orbit.

    Holdings of equal strength stand in an order in which few neighbours share a card: a processor that adds
    to the sum of a card must wait until the last addition to it is done.
    """
    holdings = np.flatnonzero(weights)
    hand = holdings[label[holdings] == holdings]
    hand = hand[np.lexsort((hand, values[hand]))]
    position = np.zeros(NUM_HANDS, dtype=np.int64)
    position[hand] = np.arange(hand.size)
    low, high = HAND_CARDS[holdings].astype(np.int64).T
    apart = (high - low) % 4  # between their suits
    holdings = holdings[np.lexsort((high, high // 4, low // 4, apart, values[holdings]))]
    member = position[label[holdings]]
    return _BoardSide(
        hand=hand,
        value=values[hand],
        size=np.bincount(member, minlength=hand.size),
        weight=weights[hand],
        holdings=holdings,
        member=member,
        member_value=values[holdings],
    )


def _room_for(spot: Spot, player: int) -> Side:
    """A player's boards, still empty, with room for each holding on each of them.

    Room that is not filled takes no memory, and boards in lists would take it twice.
    """
    boards = len(spot.boards.cards)
    most = boards * int(np.count_nonzero(spot.live[player]))
    return Side(
        first=np.zeros(boards + 1, dtype=np.int64),
        base=np.zeros(boards + 1, dtype=np.int64),
        card=np.empty((most, 2), dtype=HAND_CARDS.dtype),
        hand=np.empty(most, dtype=np.uint16),
        ancestor=np.empty(most, dtype=np.uint16),
        weight=np.empty(most, dtype=spot.dtype),
        factor=np.empty(most, dtype=spot.dtype),
        first_member=np.zeros(boards + 1, dtype=np.int64),
        member=np.empty(most, dtype=np.uint16),
        member_card=np.empty((most, 2), dtype=HAND_CARDS.dtype),
        weaker=np.empty(most, dtype=np.uint16),
        no_stronger=np.empty(most, dtype=np.uint16),
        same=np.empty(most, dtype=np.int16),
    )


def _put(
    side: Side, board: int, own: _BoardSide, other: _BoardSide, above: NDArray[np.int64], chance: float
) -> None:
    """Fill in the next board; ``above`` are the orbits of the board before, ``chance`` is its own."""
    start, first = int(side.first[board]), int(side.first_member[board])
    here = slice(start, start + own.hand.size)
    members = slice(first, first + own.holdings.size)
    side.first[board + 1], side.first_member[board + 1] = here.stop, members.stop
    theirs = np.full(NUM_HANDS, -1, dtype=np.int64)
    theirs[other.holdings] = other.member
    side.card[here], side.hand[here] = HAND_CARDS[own.hand], own.hand
    side.ancestor[here] = above[own.hand]
    side.weight[here] = own.weight
    side.factor[here] = own.weight * own.size * chance
    side.member[members], side.member_card[members] = own.member, HAND_CARDS[own.holdings]
    side.weaker[here] = np.searchsorted(other.member_value, own.value, side="left")
    side.no_stronger[here] = np.searchsorted(other.member_value, own.value, side="right")
    side.same[here] = theirs[own.hand]


def _cut(side: Side) -> Side:
    """The part of each array that is filled."""
    orbits, members = int(side.first[-1]), int(side.first_member[-1])
    cut = {name: getattr(side, name)[:orbits] for name in ("card", "hand", "ancestor", "weight", "factor")}
    cut |= {name: getattr(side, name)[:orbits] for name in ("weaker", "no_stronger", "same")}
    cut |= {name: getattr(side, name)[:members] for name in ("member", "member_card")}
    return side._replace(**cut)


def _rows(trees: Sequence[StreetTree], player: int) -> DecisionRows:
    nodes = [[node for node in tree.nodes if node.player == player] for tree in trees]
    first_line = _starts(len(tree.entries) + tree.num_rows[player] for tree in trees)

    def line(street: int, code: int) -> int:
        return buffer_line(int(first_line[street]), len(trees[street].entries), code)

    return DecisionRows(
        num_rows=np.array([tree.num_rows[player] for tree in trees], dtype=np.int32),
        first_line=first_line,
        first_node=_starts(map(len, nodes)),
        row=np.array([node.row for street in nodes for node in street], dtype=np.int32),
        line=np.array(
            [line(s, node.row) for s, street in enumerate(nodes) for node in street], dtype=np.int32
        ),
        num_actions=np.array([len(node.actions) for street in nodes for node in street], dtype=np.int32),
        parent=np.array(
            [line(s, node.last[player]) for s, street in enumerate(nodes) for node in street], dtype=np.int32
        ),
        first_entry=_starts(len(tree.entries) for tree in trees),
        source=np.array(
            [
                line(s - 1, entry.last[player]) if s else -1
                for s, tree in enumerate(trees)
                for entry in tree.entries
            ],
            dtype=np.int32,
        ),
        all_in=np.array([entry.all_in for tree in trees for entry in tree.entries]),
    )


def _starts(sizes: Iterable[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(list(sizes))]).astype(np.int32)


def _end_rows(
    trees: Sequence[StreetTree],
    viewer: int,
    rows: tuple[DecisionRows, DecisionRows],
    dtype: DTypeLike,
    pays: bool,
) -> EndRows:
    """The ends as a viewer sees them, who pays the rake of pots won, or gets that of the other's pots."""

    def place(street: int, player: int, code: int) -> int:
        return buffer_line(int(rows[player].first_line[street]), len(trees[street].entries), code)

    streets = [paired_ends(tree, viewer) for tree in trees]
    source: list[int] = []
    nothing = -1, 0.0, 0.0
    showdown: list[tuple[int, float, float]] = []
    fold: list[tuple[int, float, float]] = []
    for s, (found, _) in enumerate(streets):
        for pair in found:
            source.append(place(s, 1 - viewer, pair.source))
            if (end := pair.showdown) is not None:
                toll = end.rake / 2 if pays else -end.rake / 2
                showdown.append((place(s, viewer, end.code), end.chips - end.rake / 2, toll))
            else:
                showdown.append(nothing)
            if (end := pair.fold) is not None:
                won = end.chips > 0
                rake = 0.0 if won != pays else -end.rake if pays else end.rake
                fold.append((place(s, viewer, end.code), end.chips + rake, 0.0))
            else:
                fold.append(nothing)
    return EndRows(
        first=_starts(len(found) for found, _ in streets),
        num_showdowns=np.array([count for _, count in streets], dtype=np.int32),
        source=np.array(source, dtype=np.int32),
        showdown=np.array([end[0] for end in showdown], dtype=np.int32),
        showdown_chips=np.array([end[1] for end in showdown], dtype=dtype),
        showdown_toll=np.array([end[2] for end in showdown], dtype=dtype),
        fold=np.array([end[0] for end in fold], dtype=np.int32),
        fold_chips=np.array([end[1] for end in fold], dtype=dtype),
    )


def buffer_line(first: int, entries: int, code: int) -> int:
    """Line of a code in the buffer, where a street begins at line ``first`` with its entries."""
    return first + entries + code if code >= 0 else first - 1 - code
