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

    sequence of row r and orbit i on board b  =  base[b] + r * width[b] + i

Orbits are sorted by strength on rivers, and by hand elsewhere.

**Chance.** Two holdings that share no card meet with a chance proportional to their weights in the ranges.
Each later card is then one of those nobody holds: 45 turns and 44 rivers. The value of a sequence is a sum
over the holdings of its orbit and over all boards that are isomorphic to its board, chance included. Values
are chips that a player wins beyond half the pot; both players' values sum to zero.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from soulread.cards.deck import NUM_CARDS, cards_name, parse_card, verify_distinct
from soulread.cards.isomorphism import SUIT_PERMUTATIONS
from soulread.cards.ranges import HAND_CARDS, HAND_MASKS, NUM_HANDS, Range, cards_mask, hand_name
from soulread.errors import ParseError, ShapeError, SoulreadError
from soulread.games.spot import PLAYER_NAMES, STREETS, Action, Betting, Node, StreetTree, lanes
from soulread.seqform.holdings import values_on
from soulread.seqform.treeplex import Floats, Ints, Treeplex

MAX_SEQUENCES = 2**31 - 1
_CARD_MAPS = np.array(
    [[(card & ~3) + suits[card & 3] for card in range(NUM_CARDS)] for suits in SUIT_PERMUTATIONS],
    dtype=np.int64,
)  # [24, 52]
_NONE = -(2**30)  # a target that is not there


def _hand_maps() -> NDArray[np.int64]:
    """``[24, 1326]``: the hand that each renaming of the suits makes of each hand."""
    renamed = np.sort(_CARD_MAPS[:, HAND_CARDS.astype(np.intp)], axis=2)
    return renamed[:, :, 1] * (renamed[:, :, 1] - 1) // 2 + renamed[:, :, 0]


_HAND_MAPS = _hand_maps()


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
    """What kernels see of one player on all boards of a street; N is the sum of the widths, M of the
    holdings.
    """

    first: NDArray[np.int64]  # [boards + 1] first orbit of each board
    base: NDArray[np.int64]  # [boards] first sequence of each board
    card: NDArray[np.uint8]  # [N, 2] cards of the orbit's first holding
    hand: NDArray[np.uint16]  # [N] that holding, 0..1325
    ancestor: NDArray[np.uint16]  # [N] the orbit on the board before; 0 on the first street
    weight: Floats  # [N] of each holding of the orbit in the player's range
    factor: Floats  # [N] weight x holdings in the orbit x isomorphic boards x chance of a board and a pair
    first_member: NDArray[np.int64]  # [boards + 1] first holding of each board
    member: NDArray[np.uint16]  # [M] orbit of each holding, weakest first on rivers
    member_card: NDArray[np.uint8]  # [M, 2]
    weaker: NDArray[np.uint16]  # [N] on rivers: how many of the opponent's holdings are weaker
    no_stronger: NDArray[np.uint16]  # [N] on rivers: how many of them are weaker or equal
    same: NDArray[np.int16]  # [N] the opponent's orbit that has the same holding; -1 if there is none


class Rows(NamedTuple):
    """What kernels see of one player's decisions on a street; codes are those of `soulread.games.spot`."""

    num_rows: int
    row: Ints  # [nodes] first row
    num_actions: Ints  # [nodes]
    parent: Ints  # [nodes] code of the player's last action
    entry_last: Ints  # [entries] code of the player's last action on the street before


class Lanes(NamedTuple):
    """The ends of the hand on a street as one player sees them; see `soulread.games.spot.lanes`."""

    num_showdowns: int  # the first so many lanes have a showdown
    source: Ints  # [lanes] code of the opponent
    showdown_target: Ints  # [lanes] own code; a large negative number if there is none
    showdown_chips: NDArray[np.float64]
    fold_target: Ints
    fold_chips: NDArray[np.float64]


class Street(NamedTuple):
    """All that kernels need of a street; pairs are indexed by player."""

    num_entries: int
    side: tuple[Side, Side]
    rows: tuple[Rows, Rows]
    lanes: tuple[Lanes, Lanes]
    first_child: NDArray[np.int64]  # [boards + 1] the boards of the next street that follow each board
    uses_entry: NDArray[np.bool_]  # [entries] whether a player may be all-in there


@dataclass(frozen=True, eq=False)
class Boards:
    """The boards of one street, those after the same board side by side."""

    cards: tuple[tuple[int, ...], ...]  # dealt after the spot's board
    parent: NDArray[np.int64]  # [boards] on the street before
    count: NDArray[np.int64]  # [boards] isomorphic boards, itself included
    group: tuple[tuple[int, ...], ...]  # [boards] the renamings of the suits that leave a board alone

    @cached_property
    def index(self) -> dict[tuple[int, ...], int]:
        """Where a board stands."""
        return {cards: i for i, cards in enumerate(self.cards)}


class Place(NamedTuple):
    """A decision on a board: ``street`` counts from that of the spot's board."""

    street: int
    board: int
    node: int
    cards: tuple[int, ...]  # dealt after the spot's board, as they were asked for
    renaming: int  # of the suits, which turns these cards into those of the board that stands for them


@dataclass(frozen=True, eq=False)
class Spot:
    """A board, both ranges and the betting; player 0 is out of position.

    Nothing is computed before it is asked for. ``game`` is what all solvers take.
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
        for player, hands in enumerate(self._live):
            if not hands.any():
                raise SoulreadError(
                    f"the range of {PLAYER_NAMES[player]} has no hand that is possible on "
                    f"{cards_name(self.board)}"
                )
        if not self.total_chance > 0:
            raise SoulreadError("the two ranges share a card in every pair of hands, so they can never meet")

    @cached_property
    def _live(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Weights ``[1326]`` of both players, without hands that hold a card of the board."""
        first, second = (hands.without(self.board).weights for hands in self.ranges)
        return first, second

    @cached_property
    def total_chance(self) -> float:
        """Sum over pairs of holdings that share no card of the product of their weights."""
        first, second = self._live
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
            for g, cards in enumerate(_CARD_MAPS)
            if {int(cards[card]) for card in board} == board
            and all(np.array_equal(weights[_HAND_MAPS[g]], weights) for weights in self._live)
            and all(self._is_marked(mark, g) for mark in self.marks)
        )

    def _is_marked(self, mark: Mark, g: int) -> bool:
        """Whether the renaming turns a mark into a mark."""
        cards = tuple(int(_CARD_MAPS[g, card]) for card in mark.cards)
        return any(
            other.name == mark.name
            and other.cards == cards
            and np.array_equal(other.numbers[..., _HAND_MAPS[g]], mark.numbers)
            for other in self.marks
        )

    @cached_property
    def boards(self) -> tuple[Boards, ...]:
        """The boards of each street, one for each class of isomorphic boards."""
        streets = [Boards(((),), np.zeros(1, np.int64), np.ones(1, np.int64), (self.renamings,))]
        for _ in range(5 - len(self.board)):
            cards, parent, count, groups = [], [], [], []
            last = streets[-1]
            for b, (before, group) in enumerate(zip(last.cards, last.group, strict=True)):
                maps = _CARD_MAPS[list(group)]
                for card in range(NUM_CARDS):
                    images = maps[:, card]
                    if card in self.board or card in before or images.min() < card:
                        continue
                    cards.append((*before, card))
                    parent.append(b)
                    count.append(int(last.count[b]) * np.unique(images).size)
                    groups.append(tuple(g for g, image in zip(group, images, strict=True) if image == card))
            streets.append(Boards(tuple(cards), np.array(parent), np.array(count), tuple(groups)))
        return tuple(streets)

    @cached_property
    def streets(self) -> tuple[Street, ...]:
        """What kernels read."""
        return tuple(_Streets(self).build())

    @cached_property
    def num_sequences(self) -> tuple[int, int]:
        """Number of sequences of each player, the empty one included."""
        first, second = (
            1
            + sum(
                int(street.side[player].first[-1]) * street.rows[player].num_rows for street in self.streets
            )
            for player in (0, 1)
        )
        return first, second

    @cached_property
    def num_sets(self) -> tuple[int, int]:
        """Number of information sets of each player."""
        first, second = (
            sum(int(street.side[player].first[-1]) * street.rows[player].row.size for street in self.streets)
            for player in (0, 1)
        )
        return first, second

    @property
    def num_boards(self) -> tuple[int, ...]:
        """Number of boards of each street, isomorphic ones counted once."""
        return tuple(len(boards.cards) for boards in self.boards)

    @property
    def name(self) -> str:
        """``"spot Td9d6hQc 200/900"``: board, pot and stack."""
        return f"spot {cards_name(self.board)} {self.betting.pot}/{self.betting.stack}"

    def width(self, street: int, board: int, player: int) -> int:
        """Number of the player's orbits on a board."""
        first = self.streets[street].side[player].first
        return int(first[board + 1] - first[board])

    def orbits(self, street: int, board: int, player: int) -> NDArray[np.int64]:
        """``[1326]``: the orbit of each hand on a board; -1 for hands that the player cannot hold there."""
        boards, side = self.boards[street], self.streets[street].side[player]
        found = np.full(NUM_HANDS, -1, dtype=np.int64)
        hands = side.hand[side.first[board] : side.first[board + 1]].astype(np.int64)
        for g in boards.group[board]:
            found[_HAND_MAPS[g][hands]] = np.arange(hands.size)
        return found

    def node(self, place: Place) -> Node:
        """The decision of a place."""
        return self.tree[place.street].nodes[place.node]

    def hands(self, place: Place, player: int) -> NDArray[np.int64]:
        """``[1326]``: the orbit of each hand at a place, whose cards need not be those of its board."""
        found: NDArray[np.int64] = self.orbits(place.street, place.board, player)[_HAND_MAPS[place.renaming]]
        return found

    def rows(self, place: Place) -> slice:
        """The acting player's sequences at a place: ``plan[spot.rows(place)].reshape(actions, width)``."""
        node = self.node(place)
        side = self.streets[place.street].side[node.player]
        width = self.width(place.street, place.board, node.player)
        first = int(side.base[place.board]) + node.row * width
        return slice(first, first + len(node.actions) * width)

    @cached_property
    def _first_blocks(self) -> tuple[tuple[NDArray[np.int64], ...], tuple[NDArray[np.int64], ...]]:
        """``[player][street]`` of ``[boards]``: the player's first block on each board."""
        found = []
        for player in (0, 1):
            firsts = [np.zeros(len(boards.cards), dtype=np.int64) for boards in self.boards]
            count = 0
            for street, board in self.board_order():
                firsts[street][board] = count
                if self.width(street, board, player):
                    count += self.streets[street].rows[player].row.size
            found.append(tuple(firsts))
        return found[0], found[1]

    def block(self, place: Place) -> int:
        """The block of the acting player's treeplex at a place."""
        player = self.node(place).player
        order = self.tree[place.street].order[place.node]
        return int(self._first_blocks[player][place.street][place.board]) + order

    def board_order(self) -> list[tuple[int, int]]:
        """Street and number of every board, in the order of the layout."""
        order: list[tuple[int, int]] = []

        def visit(street: int, board: int) -> None:
            order.append((street, board))
            first_child = self.streets[street].first_child
            for child in range(int(first_child[board]), int(first_child[board + 1])):
                visit(street + 1, child)

        visit(0, 0)
        return order

    @property
    def start(self) -> Place:
        """The first decision."""
        return self.find("")

    def find(self, path: str) -> Place:
        """The decision after a path such as ``"check bet60% call 2c check"``: actions, and cards as they
        come.

        A bet or raise is written with its chips ("bet120", "raise300"), or as a part of the pot ("bet60%").
        ``"bet60"`` is the bet of 60 chips if there is one, and else that of 60%. "allin" is the largest bet.
        """
        street, entry = 0, 0
        cards: tuple[int, ...] = ()
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
            after = here.after[self.find_action(here, word, where)]
            node, entry = -1, -1
            if after.kind == "node":
                node = after.number
            elif after.kind == "entry":
                entry = after.number
        if node < 0:
            what = "a card is dealt" if entry >= 0 else "the hand is over"
            if entry >= 0 and self.tree[street + 1].starts[entry] < 0:
                what = "both players are all-in"
            raise ParseError(f"nobody decides after {path!r}: {what}")
        return self.place(street, node, cards)

    def place(self, street: int, node: int, cards: Sequence[int]) -> Place:
        """A decision after ``cards`` were dealt; the board is the one that stands for all isomorphic ones."""
        boards = self.boards[street]
        for g in self.renamings:
            board = boards.index.get(tuple(int(_CARD_MAPS[g, card]) for card in cards))
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
        digest = hashlib.sha256(
            repr((self.board, self.isomorphism, self.renamings, betting, np.dtype(self.dtype).str)).encode()
        )
        for hands in self.ranges:
            digest.update(np.ascontiguousarray(hands.weights, dtype="<f8").tobytes())
        return digest.hexdigest()

    @cached_property
    def trees(self) -> tuple[Treeplex, Treeplex]:
        """The treeplexes of both players."""
        if max(self.num_sequences) > MAX_SEQUENCES:
            raise SoulreadError(
                f"{self.name} has {max(self.num_sequences):,} sequences, more than {MAX_SEQUENCES:,}; they cannot "
                "be numbered; take fewer sizes, fewer bets on a street, or smaller ranges"
            )
        return self._treeplex(0), self._treeplex(1)

    def _treeplex(self, player: int) -> Treeplex:
        parents: list[NDArray[np.int64]] = []
        actions: list[tuple[int, ...]] = []
        widths: list[int] = []
        numbers = [
            [tuple(map(_action_number, node.actions)) for node in tree.nodes if node.player == player]
            for tree in self.tree
        ]
        # The sequences before each entry of the board, and of the boards it follows.
        before: list[list[NDArray[np.int64]]] = [[] for _ in self.streets]
        for street, board in self.board_order():
            kernel_street = self.streets[street]
            side, rows = kernel_street.side[player], kernel_street.rows[player]
            width = self.width(street, board, player)
            base = int(side.base[board])
            orbits = np.arange(width)
            if street == 0:
                before[0] = [np.zeros(width, dtype=np.int64)]
            else:
                above = int(self.boards[street].parent[board])
                upper = self.streets[street - 1].side[player]
                upper_width = self.width(street - 1, above, player)
                upper_base = int(upper.base[above])
                ancestor = side.ancestor[side.first[board] : side.first[board + 1]].astype(np.int64)
                before[street] = [
                    upper_base + code * upper_width + ancestor
                    if code >= 0
                    else before[street - 1][-1 - code][ancestor]
                    for code in rows.entry_last.tolist()
                ]
            if not width:
                continue
            for node, code in enumerate(rows.parent.tolist()):
                parents.append(base + code * width + orbits if code >= 0 else before[street][-1 - code])
                actions.append(numbers[street][node])
                widths.append(width)
        sizes = [width * len(moves) for width, moves in zip(widths, actions, strict=True)]
        return Treeplex(
            player=player,
            first_set=np.concatenate([[0], np.cumsum(widths, dtype=np.int64)]).astype(np.int32),
            first_sequence=np.concatenate([[1], 1 + np.cumsum(sizes, dtype=np.int64)]).astype(np.int32),
            parent_sequence=np.concatenate(
                [np.empty(0, dtype=np.int32), *(p.astype(np.int32) for p in parents)]
            ),
            actions=tuple(actions),
            labels=SpotLabels(self, player),
        )


def action_word(action: Action) -> str:
    """An action in one word, as `Spot.find` reads it."""
    return f"{action.kind}{action.chips}" if action.chips else action.kind


def _match_action(node: Node, word: str, pot: int) -> int:
    """Position of the action that a word means; -1 if there is none."""
    for position, action in enumerate(node.actions):
        if word == action_word(action):
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


def _action_number(action: Action) -> int:
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
    def _boards(self) -> tuple[NDArray[np.int64], list[tuple[int, int]]]:
        """First set of every board in the order of the layout, and these boards."""
        order = self.spot.board_order()
        sizes = [
            self.spot.width(street, board, self.player) * self.spot.streets[street].rows[self.player].row.size
            for street, board in order
        ]
        return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]), order

    @cached_property
    def _positions(self) -> dict[tuple[int, int], int]:
        return {board: at for at, board in enumerate(self._boards[1])}

    def _find(self, index: int) -> tuple[Place, int]:
        first, order = self._boards
        at = int(np.searchsorted(first, index, side="right")) - 1
        street, board = order[at]
        width = self.spot.width(street, board, self.player)
        number, orbit = divmod(index - int(first[at]), width)
        tree = self.spot.tree[street]
        node = [i for i, node in enumerate(tree.nodes) if node.player == self.player][number]
        return Place(street, board, node, self.spot.boards[street].cards[board], 0), orbit

    def label(self, index: int) -> str:
        place, orbit = self._find(index)
        side = self.spot.streets[place.street].side[self.player]
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
        at = self._positions[place.street, place.board]
        number = self.spot.tree[place.street].order[place.node]
        width = self.spot.width(place.street, place.board, self.player)
        return int(self._boards[0][at]) + number * width + orbit


class _Streets:
    """Builds what kernels read: boards, orbits and codes."""

    def __init__(self, spot: Spot) -> None:
        self.spot = spot

    def build(self) -> list[Street]:
        spot = self.spot
        streets = []
        above: tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]] = ([], [])
        chance = 1.0 / spot.total_chance
        for index, (tree, boards) in enumerate(zip(spot.tree, spot.boards, strict=True)):
            if index:
                chance /= NUM_CARDS - len(spot.board) - 4 - (index - 1)
            sides, above = self._sides(index, boards, chance, above)
            if index + 1 < len(spot.boards):
                parents = spot.boards[index + 1].parent
                first_child = np.searchsorted(parents, np.arange(len(boards.cards) + 1))
            else:
                first_child = np.zeros(len(boards.cards) + 1, dtype=np.int64)
            streets.append(
                Street(
                    num_entries=len(tree.entries),
                    side=sides,
                    rows=(_rows(tree, 0), _rows(tree, 1)),
                    lanes=(_lanes(tree, 0), _lanes(tree, 1)),
                    first_child=first_child.astype(np.int64),
                    uses_entry=np.array([entry.all_in for entry in tree.entries]),
                )
            )
        self._fill_bases(streets)
        return streets

    def _sides(
        self,
        index: int,
        boards: Boards,
        chance: float,
        above: tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]],
    ) -> tuple[tuple[Side, Side], tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]]:
        """Both players' orbits on the boards of a street; ``above`` and the second result are orbits
        ``[1326]``.
        """
        spot = self.spot
        last = index == len(spot.boards) - 1
        full = np.array([(*spot.board, *cards) for cards in boards.cards], dtype=np.uint8)
        strength = values_on(full) if last else None
        found: tuple[list[_BoardSide], list[_BoardSide]] = ([], [])
        below: tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]] = ([], [])
        for b, cards in enumerate(boards.cards):
            dead = HAND_MASKS & cards_mask((*spot.board, *cards)) != 0
            label = _HAND_MAPS[list(boards.group[b])].min(axis=0)
            pair = []
            for player in (0, 1):
                weights = np.where(dead, 0.0, spot._live[player])
                values = (
                    np.zeros(NUM_HANDS, dtype=np.int64) if strength is None else strength[b].astype(np.int64)
                )
                pair.append(_board_side(weights, label, values))
            for player in (0, 1):
                own, other = pair[player], pair[1 - player]
                orbit = np.full(NUM_HANDS, -1, dtype=np.int64)
                orbit[own.holdings] = own.member
                below[player].append(orbit)
                theirs = np.full(NUM_HANDS, -1, dtype=np.int64)
                theirs[other.holdings] = other.member
                found[player].append(
                    own._replace(
                        same=theirs[own.hand],
                        weaker=np.searchsorted(other.member_value, own.value, side="left"),
                        no_stronger=np.searchsorted(other.member_value, own.value, side="right"),
                        ancestor=above[player][int(boards.parent[b])][own.hand]
                        if index
                        else np.zeros(own.hand.size, dtype=np.int64),
                        factor=own.weight * own.size * (boards.count[b] * chance),
                    )
                )
        first, second = (_join(found[player], spot.dtype) for player in (0, 1))
        return (first, second), below

    def _fill_bases(self, streets: list[Street]) -> None:
        """Number the sequences: a board, then each board after it."""
        following = [1, 1]

        def visit(index: int, board: int) -> None:
            street = streets[index]
            for player in (0, 1):
                side = street.side[player]
                side.base[board] = following[player]
                width = int(side.first[board + 1] - side.first[board])
                following[player] += width * street.rows[player].num_rows
            for child in range(int(street.first_child[board]), int(street.first_child[board + 1])):
                visit(index + 1, child)

        visit(0, 0)


class _BoardSide(NamedTuple):
    """One player on one board."""

    hand: NDArray[np.int64]  # [width]
    value: NDArray[np.int64]  # [width]
    size: NDArray[np.int64]  # [width]
    weight: NDArray[np.float64]  # [width]
    holdings: NDArray[np.int64]  # [members]
    member: NDArray[np.int64]
    member_value: NDArray[np.int64]
    same: NDArray[np.int64] = np.empty(0, np.int64)
    weaker: NDArray[np.int64] = np.empty(0, np.int64)
    no_stronger: NDArray[np.int64] = np.empty(0, np.int64)
    ancestor: NDArray[np.int64] = np.empty(0, np.int64)
    factor: NDArray[np.float64] = np.empty(0)


def _board_side(
    weights: NDArray[np.float64], label: NDArray[np.int64], values: NDArray[np.int64]
) -> _BoardSide:
    """Orbits by strength, then by hand; ``label`` is the smallest hand of each hand's orbit."""
    holdings = np.flatnonzero(weights)
    holdings = holdings[np.lexsort((holdings, values[holdings]))]
    hand = holdings[label[holdings] == holdings]
    position = np.zeros(NUM_HANDS, dtype=np.int64)
    position[hand] = np.arange(hand.size)
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


def _join(boards: list[_BoardSide], dtype: DTypeLike) -> Side:
    def joined(name: str, kind: DTypeLike) -> NDArray[Any]:
        return np.concatenate([getattr(board, name) for board in boards]).astype(kind)

    hand, holdings = joined("hand", np.uint16), joined("holdings", np.int64)
    return Side(
        first=np.concatenate([[0], np.cumsum([board.hand.size for board in boards])]).astype(np.int64),
        base=np.zeros(len(boards), dtype=np.int64),
        card=HAND_CARDS[hand.astype(np.intp)],
        hand=hand,
        ancestor=joined("ancestor", np.uint16),
        weight=joined("weight", dtype),
        factor=joined("factor", dtype),
        first_member=np.concatenate([[0], np.cumsum([board.holdings.size for board in boards])]).astype(
            np.int64
        ),
        member=joined("member", np.uint16),
        member_card=HAND_CARDS[holdings],
        weaker=joined("weaker", np.uint16),
        no_stronger=joined("no_stronger", np.uint16),
        same=joined("same", np.int16),
    )


def _rows(tree: StreetTree, player: int) -> Rows:
    nodes = [node for node in tree.nodes if node.player == player]
    return Rows(
        num_rows=tree.num_rows[player],
        row=np.array([node.row for node in nodes], dtype=np.int32),
        num_actions=np.array([len(node.actions) for node in nodes], dtype=np.int32),
        parent=np.array([node.last[player] for node in nodes], dtype=np.int32),
        entry_last=np.array([entry.last[player] for entry in tree.entries], dtype=np.int32),
    )


def _lanes(tree: StreetTree, viewer: int) -> Lanes:
    found, num_showdowns = lanes(tree, viewer)
    nothing = (_NONE, 0.0)
    return Lanes(
        num_showdowns=num_showdowns,
        source=np.array([lane.source for lane in found], dtype=np.int32),
        showdown_target=np.array([(lane.showdown or nothing)[0] for lane in found], dtype=np.int32),
        showdown_chips=np.array([(lane.showdown or nothing)[1] for lane in found], dtype=np.float64),
        fold_target=np.array([(lane.fold or nothing)[0] for lane in found], dtype=np.int32),
        fold_chips=np.array([(lane.fold or nothing)[1] for lane in found], dtype=np.float64),
    )


def verify_player(player: int) -> None:
    """Raise unless the number is that of a player."""
    if player not in (0, 1):
        raise ShapeError(f"player {player!r}; a spot has players 0 (out of position) and 1 (in position)")
