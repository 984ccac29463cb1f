"""Features of a decision: all that is public about it, as numbers from 0 to 1 (Davidson, 1999).

A decision becomes a row of two parts:

    situation   the betting of the hand so far, who sits where, the board       `SITUATION`
    style       how the player has played in earlier hands                      `STYLE`

No card but the board's enters, neither the actor's nor anybody else's. One kernel (`fill_features`) makes the
situations, whether a hand comes from a file (`rows_of`) or is still being played (`rows_of_view`): both are
first written as the same numbers (`soulread.hands.facts.StartedHands`). So training and play cannot differ.

Style is that of the hands *before* this one. With n chances and k times that the player took them,

    style = (s m + k) / (s + n)

where m is what players usually do and s = `STYLE_PRIOR` says how many chances that counts for.

Actions are 0 fold, 1 check or call, 2 bet or raise. Folding counts as possible only if there is something to
call, as in the thesis.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import MAX_PLAYERS
from soulread.errors import SoulreadError
from soulread.games import walk
from soulread.games.limit_holdem import verify_holdem
from soulread.games.poker import CALL, FOLD, RAISE, PokerGame, PokerView
from soulread.hands.facts import StartedHands, round_ends, rounds_of, started_hands
from soulread.hands.hand import Hand
from soulread.kernel import kernel
from soulread.model.loki.contexts import NUM_PREVIOUS, bets_to_call, board_at, verify_seat
from soulread.model.loki.triples import MOST_TO_CALL, NUM_CONTEXTS, context_of

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

SITUATION: tuple[tuple[str, str], ...] = (
    ("preflop", "1 before the flop"),
    ("flop", "1 on the flop"),
    ("turn", "1 on the turn"),
    ("river", "1 on the river"),
    ("facing", "1 if there is something to call"),
    ("two to call", "1 if two bets or more are to be called"),
    ("pot odds", "chips to call / (pot + chips to call)"),
    ("pot", "pot / (pot + 8 big blinds)"),
    ("may raise", "1 if a raise is allowed"),
    ("raises", "bets and raises of this round, up to 4, / 4"),
    ("callers", "calls since the last raise of this round, up to 5, / 5"),
    ("limpers", "calls before the first raise of this round, up to 5, / 5"),
    ("acted", "1 if the player has acted before in this hand"),
    ("last raised", "1 if the player's last action in this hand was a raise"),
    ("last to call", "bets to call at the player's last action in this hand, up to 2, / 2"),
    ("raised now", "1 if the player has raised in this round"),
    ("called now", "1 if the player has called in this round"),
    ("checked now", "1 if the player has checked in this round"),
    ("own raises", "raises of the player in this hand, up to 4, / 4"),
    ("initiative", "1 if the last raise of the hand was the player's"),
    ("other's initiative", "1 if the last raise of the hand was somebody else's"),
    ("aggressor", "1 if the player raised last in the round before"),
    ("other aggressor", "1 if somebody else raised last in the round before"),
    ("aggressor waits", "1 if that other player has yet to act in this round"),
    ("continued", "1 if the first raise of this round was the aggressor's"),
    ("raises before", "raises r of earlier rounds: r / (r + 3)"),
    ("players", "players dealt in / 10"),
    ("active", "players who have not folded / 10"),
    ("heads-up", "1 if two players are left"),
    ("behind", "players who act after this one unless somebody raises / 9"),
    ("last to act", "1 if there is none of these"),
    ("position", "share of the other players left who act before this one after the flop"),
    ("button", "1 if the player has the button"),
    ("posted", "forced chips of the player / big blind, up to 1"),
    ("invested", "chips the player has put in / pot"),
    ("stack", "chips the player has left / (these + pot); 1 where nobody runs out"),
    ("board high", "highest rank of the board, 2 to ace / 13; 0 before the flop"),
    ("board mean", "mean rank of the board / 13"),
    ("board paired", "1 if two cards of the board have one rank"),
    ("board trips", "1 if three have"),
    ("board suited", "most cards of one suit on the board / 5"),
    ("flush possible", "1 if these are three or more"),
    ("board connected", "most ranks of the board among five neighbouring ones / 5"),
    ("card over", "1 if the last card, of turn or river, is the highest"),
    ("card pairs", "1 if it pairs the board"),
    ("card suits", "1 if it makes three or more of its suit"),
)
"""Name and meaning of each feature of a situation."""

_STREETS = "preflop", "flop", "turn", "river"
STYLE: tuple[tuple[str, str], ...] = (
    *((f"folds {street}", f"{street}: how often the player folds to a bet") for street in _STREETS),
    *((f"raises {street}", f"{street}: how often the player raises a bet") for street in _STREETS),
    *((f"bets {street}", f"{street}: how often the player bets with nothing to call") for street in _STREETS),
    ("vpip", "share of hands in which the player called or raised before the flop"),
    ("known", "hands h known of the player: h / (h + 100)"),
)
"""Name and meaning of each feature of style, all from earlier hands."""

FEATURES = SITUATION + STYLE
NUM_SITUATION, NUM_STYLE, NUM_FEATURES = len(SITUATION), len(STYLE), len(FEATURES)
NAMES = tuple(name for name, _ in FEATURES)

STYLE_PRIOR = 10.0  # chances that the usual player counts for
USUAL = np.array([0.60, 0.40, 0.40, 0.45, 0.10, 0.12, 0.12, 0.10, 0.10, 0.30, 0.30, 0.30, 0.45])
"""The style of a player never seen, in the order of `STYLE`; round numbers of ours."""
_KNOWN_HALF = 100.0  # hands

_CELLS = 8  # round, and whether something was to be called
NUM_COUNTS = 3 * _CELLS + 2  # actions in each cell; hands; hands with chips put in by choice
_HANDS, _VPIP = 3 * _CELLS, 3 * _CELLS + 1

_DUE = np.array([0, 3, 4, 5])  # board cards of each round
_RANKS = 13


@dataclass(frozen=True)
class FeatureRows:
    """Decisions of hands as rows, in the order they were made."""

    situation: Array  # [decisions, NUM_SITUATION]
    action: Ints  # [decisions] 0 fold, 1 call, 2 raise
    legal: NDArray[np.bool_]  # [decisions, 3]
    context: Ints  # [decisions] which of Davidson's 84 contexts
    hand: Ints  # [decisions] number of the hand
    seat: Ints  # [decisions]

    def __len__(self) -> int:
        return len(self.action)

    def take(self, chosen: NDArray[Any]) -> "FeatureRows":
        """Some of the rows: numbers, or a mask."""
        return FeatureRows(
            self.situation[chosen],
            self.action[chosen],
            self.legal[chosen],
            self.context[chosen],
            self.hand[chosen],
            self.seat[chosen],
        )

    @property
    def last(self) -> "FeatureRows":
        """The last row alone."""
        return self.take(np.array([len(self) - 1]))

    @property
    def round(self) -> Ints:
        """``[decisions]`` 0 before the flop to 3 on the river."""
        return self.context // (NUM_PREVIOUS * (MOST_TO_CALL + 1))

    @property
    def chosen(self) -> NDArray[np.bool_]:
        """``[decisions]`` whether there was a choice, and what was done is one of the actions counted."""
        taken = self.legal[np.arange(len(self)), self.action]
        found: NDArray[np.bool_] = taken & (self.legal.sum(axis=1) > 1)
        return found


def is_holdem(hand: Hand) -> bool:
    """Whether a hand was hold'em, limit or not."""
    return hand.variant.startswith("52 cards, 2+0-3-1-1,")


def rows_of(hands: Sequence[Hand]) -> FeatureRows:
    """All decisions of hands of hold'em, hand by hand; other games are a `SoulreadError`."""
    for hand in hands:
        if not is_holdem(hand):
            raise SoulreadError(f"a hand of {hand.game!r} is not hold'em; features are those of hold'em")
    return rows_of_started(started_hands(hands)[0], [hand.board for hand in hands])


def rows_of_view(view: PokerView, seat: int) -> FeatureRows:
    """The decisions of a hand so far, and last the one that ``seat`` has, or would have if it were to act.

    The last row's action says nothing. Only the board and public play are looked at.
    """
    verify_seat(view, seat)
    board = board_at(view.board, view.round)
    return _rows_at(view.game, view.actions, view.betting, view.round, board, seat)


def rows_so_far(view: PokerView) -> FeatureRows:
    """The decisions of a hand so far, also where nobody is to act."""
    return _rows_at(view.game, view.actions, view.betting, view.round, view.board, None)


@lru_cache(maxsize=64)
def _rows_at(
    game: PokerGame,
    actions: tuple[tuple[int, int], ...],
    betting: str,
    round: int,
    board: tuple[int, ...],
    seat: int | None,
) -> FeatureRows:
    """Rows of the actions, and of a decision of ``seat`` if it is not None; all models ask for the same."""
    return rows_of_started(started_at(game, actions, betting, round, seat), [board])


def started_at(
    game: PokerGame, actions: Sequence[tuple[int, int]], betting: str, round: int, seat: int | None
) -> StartedHands:
    """A hand in play as numbers; with a ``seat``, which is to act, a call of it comes last."""
    ends = round_ends(betting, len(betting.translate(_NO_LETTERS)))
    acts = actions if seat is None else (*actions, (seat, CALL))
    rounds = [*(min(end, len(actions)) for end in ends[:round]), len(acts), *[-1] * (len(ends) - round - 1)]
    done = np.empty((len(acts), 3), np.int64)
    done[:, :2] = np.array(acts, np.int64).reshape(len(acts), 2)
    done[:, 2] = rounds_of(np.array([rounds]))
    return StartedHands(_beginning(game), np.array([0, len(acts)]), done)


_NO_LETTERS = str.maketrans("", "", "0123456789/")


@lru_cache(maxsize=64)
def _beginning(game: PokerGame) -> Ints:
    """``[1, walk.LENGTH]`` how every hand of a game begins."""
    verify_holdem(game)
    return walk.new_walk(game)[None]


def rows_of_started(begun: StartedHands, boards: Sequence[Sequence[int]]) -> FeatureRows:
    """All decisions of hands that are written as numbers, with the board of each as far as it is known."""
    dealt = np.full((len(boards), 5), -1)
    for number, cards in enumerate(boards):
        dealt[number, : len(cards)] = cards
    count = len(begun.acts)
    situation, legal = np.zeros((count, NUM_SITUATION)), np.ones((count, 3), np.bool_)
    context = np.zeros(count, np.int64)
    fill_features(begun.walks, begun.first_act, begun.acts, dealt, situation, legal, context)
    seat, action = begun.acts[:, 0].copy(), np.minimum(begun.acts[:, 1], RAISE)
    return FeatureRows(situation, action, legal, context, begun.hand, seat)


@kernel
def fill_features(
    walks: Ints,
    first_act: Ints,
    acts: Ints,
    boards: Ints,
    situation: Array,
    legal: NDArray[np.bool_],
    context: Ints,
) -> None:
    """Write the situation, what was legal, and Davidson's context of every decision; see `SITUATION`."""
    w = np.zeros(walk.LENGTH, np.int64)
    texture = np.zeros(10)
    previous = np.zeros(MAX_PLAYERS, np.int64)  # as in `soulread.model.loki.contexts.Decision`
    own_raises = np.zeros(MAX_PLAYERS, np.int64)
    for h in range(walks.shape[0]):
        w[:] = walks[h]
        walk.begin(w)
        previous[:] = 0
        own_raises[:] = 0
        n, big = w[walk.SEATS], w[walk.BIG_BLIND]
        last_raiser, raises_before, round, bet = -1, 0, -1, big
        for act in range(first_act[h], first_act[h + 1]):
            row, seat, action = situation[act], acts[act, 0], acts[act, 1]
            if acts[act, 2] != round:
                round = acts[act, 2]
                raises_before += w[walk.RAISES]
                size = w[walk.SIZE + round]
                bet = size if size > 0 else big
                _board_texture(boards[h, : _DUE[round]], texture)
            walk.come_to(w, round, seat)
            to_call, pot, spent = walk.to_call(w), walk.pot_of(w), w[walk.SPENT + seat]
            bets = bets_to_call(to_call, bet)
            active = walk.num_seats(w[walk.IN])
            behind = walk.num_seats(w[walk.IN] & ~w[walk.ALL_IN] & ~w[walk.MOVED] & ~(1 << seat))
            legal[act, FOLD] = spent < w[walk.HIGH]
            legal[act, RAISE] = walk.may_raise(w)
            row[round] = 1.0
            row[4] = legal[act, FOLD]
            row[5] = bets >= MOST_TO_CALL
            row[6] = to_call / (pot + to_call) if to_call > 0 else 0.0
            row[7] = pot / (pot + 8 * big)
            row[8] = legal[act, RAISE]
            row[9] = min(w[walk.RAISES], 4) / 4
            row[10] = min(w[walk.CALLS], 5) / 5
            row[11] = min(w[walk.LIMPS], 5) / 5
            last = previous[seat] - 1
            if last >= 0:
                row[12] = 1.0
                row[13] = last > MOST_TO_CALL
                row[14] = (last % (MOST_TO_CALL + 1)) / MOST_TO_CALL
            row[15] = w[walk.RAISED] >> seat & 1
            row[16] = w[walk.CALLED] >> seat & 1
            row[17] = w[walk.CHECKED] >> seat & 1
            row[18] = min(own_raises[seat], 4) / 4
            row[19] = last_raiser == seat
            row[20] = last_raiser >= 0 and last_raiser != seat
            row[21] = w[walk.LEADER] >> seat & 1
            row[22] = w[walk.LEADER] != 0 and not w[walk.LEADER] >> seat & 1
            row[23] = walk.leader_waits(w)
            row[24] = walk.is_continued(w)
            row[25] = raises_before / (raises_before + 3)
            row[26] = n / 10
            row[27] = active / 10
            row[28] = active == 2
            row[29] = behind / 9
            row[30] = behind == 0
            row[31] = walk.num_seats(w[walk.IN] & ((1 << seat) - 1)) / max(active - 1, 1)
            row[32] = seat == n - 1
            row[33] = min(walks[h, walk.SPENT + seat] / big, 1.0)
            row[34] = min(spent / max(pot, 1), 1.0)
            left = max(w[walk.STACK + seat] - spent, 0)
            row[35] = 1.0 if w[walk.STACK + seat] == walk.UNLIMITED else left / max(left + pot, 1)
            row[36:46] = texture
            context[act] = context_of(round, bets) * NUM_PREVIOUS + previous[seat]
            if action >= RAISE:
                if w[walk.SIZE + round] == 0:
                    bet = max(big, action - w[walk.HIGH])
                own_raises[seat] += 1
                last_raiser = seat
            if action != FOLD:
                previous[seat] = 1 + (MOST_TO_CALL + 1) * (action >= RAISE) + bets
            walk.act(w, action)


@kernel
def _board_texture(board: Ints, texture: Array) -> None:
    """The last ten features of a situation; all 0 without a board, or where it is not known."""
    texture[:] = 0.0
    count = board.size
    if count == 0 or board.min() < 0:
        return
    ranks, suits = np.zeros(_RANKS, np.int64), np.zeros(4, np.int64)
    total, high = 0, 0
    for card in board:
        ranks[card // 4] += 1
        suits[card % 4] += 1
        total += card // 4 + 1
        high = max(high, card // 4 + 1)
    neighbours = 0
    for low in range(-1, _RANKS - 4):
        found = 0
        for rank in range(low, low + 5):
            found += ranks[rank] > 0  # the ace, at -1, is also below the two
        neighbours = max(neighbours, found)
    texture[0] = high / _RANKS
    texture[1] = total / (count * _RANKS)
    texture[2] = ranks.max() >= 2
    texture[3] = ranks.max() >= 3
    texture[4] = suits.max() / 5
    texture[5] = suits.max() >= 3
    texture[6] = neighbours / 5
    if count > 3:
        last = board[count - 1]
        texture[7] = last // 4 + 1 == high and ranks[last // 4] == 1
        texture[8] = ranks[last // 4] > 1
        texture[9] = suits[last % 4] >= 3


# Style.


@kernel
def write_style(counts: Ints, row: Array) -> None:
    """The style of a player with these counts, ``[NUM_COUNTS]``, into a row ``[NUM_STYLE]``."""
    for round in range(4):
        facing = 3 * (2 * round + 1)
        chances = counts[facing] + counts[facing + 1] + counts[facing + 2]
        row[round] = (STYLE_PRIOR * USUAL[round] + counts[facing]) / (STYLE_PRIOR + chances)
        row[4 + round] = (STYLE_PRIOR * USUAL[4 + round] + counts[facing + 2]) / (STYLE_PRIOR + chances)
        free = 3 * 2 * round
        chances = counts[free] + counts[free + 1] + counts[free + 2]
        row[8 + round] = (STYLE_PRIOR * USUAL[8 + round] + counts[free + 2]) / (STYLE_PRIOR + chances)
    row[12] = (STYLE_PRIOR * USUAL[12] + counts[_VPIP]) / (STYLE_PRIOR + counts[_HANDS])
    row[13] = counts[_HANDS] / (counts[_HANDS] + _KNOWN_HALF)


def style_of(counts: Ints) -> Array:
    """``[NUM_STYLE]`` the style of a player with these counts."""
    row = np.zeros(NUM_STYLE)
    write_style(counts, row)
    return row


def no_counts(players: int | None = None) -> Ints:
    """The counts of a player never seen; with ``players``, of so many."""
    return np.zeros(NUM_COUNTS if players is None else (players, NUM_COUNTS), np.int64)


def styles_before(rows: FeatureRows, player: Ints, counts: Ints) -> Array:
    """``[decisions, NUM_STYLE]`` the style that each decision's player had before the hand.

    ``player`` numbers who decided. ``counts``, ``[players, NUM_COUNTS]``, are those before the first hand,
    and become those after the last one. Hands must be in the order of time.
    """
    style = np.zeros((len(rows), NUM_STYLE))
    first = np.flatnonzero(np.diff(rows.hand, prepend=-1))
    fill_styles(np.append(first, len(rows)), player, rows.context, rows.action, counts, style)
    return style


@kernel
def fill_styles(first: Ints, player: Ints, context: Ints, action: Ints, counts: Ints, style: Array) -> None:
    """Write styles, hand by hand; a hand is counted once all its decisions have their styles."""
    for h in range(first.size - 1):
        for i in range(first[h], first[h + 1]):
            write_style(counts[player[i]], style[i])
        for i in range(first[h], first[h + 1]):
            own = counts[player[i]]
            plain = context[i] // NUM_PREVIOUS
            round, facing = plain // (MOST_TO_CALL + 1), plain % (MOST_TO_CALL + 1) > 0
            own[3 * (2 * round + facing) + action[i]] += 1
            new, fresh_chips = True, round == 0 and facing and action[i] > FOLD
            for j in range(first[h], i):
                if player[j] == player[i]:
                    new = False
                    other = context[j] // NUM_PREVIOUS
                    if other // (MOST_TO_CALL + 1) == 0 and other % (MOST_TO_CALL + 1) > 0:
                        fresh_chips = fresh_chips and action[j] == FOLD
            own[_HANDS] += new
            own[_VPIP] += fresh_chips


# What a play-out asks.


def imagined(now: FeatureRows) -> FeatureRows:
    """The decision that ``now`` has alone, in each of the 12 contexts of the same hand.

    Play-outs ask what a player does in all contexts, most of which have not come yet. Those features that are
    certain are set: the round, what is to be called, the bets of that round, and in later rounds who raised
    last before them. Everything else stays as it is, the board too.
    """
    row = now.situation[0]
    here, pot = int(row[:4].argmax()), row[7]
    found = np.tile(row, (NUM_CONTEXTS, 1))
    bets = np.arange(NUM_CONTEXTS) % (MOST_TO_CALL + 1)
    round = np.arange(NUM_CONTEXTS) // (MOST_TO_CALL + 1)
    found[:, :4] = np.eye(4)[round]
    found[:, 4] = bets > 0
    found[:, 5] = bets >= MOST_TO_CALL
    chips = bets * np.where(round > 1, 2, 1) * (1 - pot)  # in the same unit the pot has 8 times its feature
    found[:, 6] = chips / (chips + 8 * pot)
    found[:, 8] = 1.0
    found[:, 9] = np.where(round > 0, bets, np.maximum(bets - 1, 0)) / 4
    for later in found[(MOST_TO_CALL + 1) * (here + 1) :]:
        later[[10, 11, 15, 16, 17, 23, 24]] = 0.0
        later[[21, 22]] = row[[19, 20]]
    legal = np.ones((NUM_CONTEXTS, 3), np.bool_)
    legal[:, FOLD] = bets > 0
    context = np.arange(NUM_CONTEXTS) * NUM_PREVIOUS + now.context[0] % NUM_PREVIOUS
    same = np.zeros(NUM_CONTEXTS, np.int64)
    return FeatureRows(found, same + CALL, legal, context, same, same + now.seat[0])
