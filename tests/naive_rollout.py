"""Play-outs the slow way: hands are played by the rule engine, values computed from their definition."""

from collections.abc import Sequence

import naive_loki
import numpy as np

from soulread.cards.deck import FULL_DECK
from soulread.cards.evaluate import evaluate
from soulread.cards.ranges import HAND_CARDS
from soulread.cards.scales.boards_to_come import GROSS
from soulread.cards.strength import hand_strength, potential
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.poker import CALL, FOLD, RAISE, PokerState
from soulread.play.search.deals import Deal, Draws
from soulread.play.search.rollout import Acting


def triple(value: float, bars: np.ndarray, may_fold: bool, may_raise: bool) -> tuple[float, float, float]:
    """Fold, call, raise, written out anew."""

    def above(mu: float, sigma: float) -> float:
        if sigma == 0:
            return float(value >= mu)
        return min(1.0, max(0.0, (value - mu + sigma) / (2 * sigma)))

    stay = above(*bars[0]) if may_fold else 1.0
    raised = min(stay, above(*bars[1])) if may_raise else 0.0
    legal = 1 + may_fold + may_raise
    chances = [0.99 * (1 - stay), 0.99 * (stay - raised), 0.99 * raised]
    return (
        chances[0] + 0.01 / legal * may_fold,
        chances[1] + 0.01 / legal,
        chances[2] + 0.01 / legal * may_raise,
    )


def play_out(
    state: PokerState, first: int, acting: Acting, deal: Deal, board: Sequence[int]
) -> tuple[int, PokerState]:
    """Chips the seat to act wins beyond folding now, and the end of the hand. All cards but the board's
    are in ``state``, those of live seats being the ones of the deal."""
    us, paid = state.player, state.spent[state.player]
    coming = list(board[len(state.board) :])
    state = state.apply(first)
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.apply(coming.pop(0))
            continue
        if state.folded[us]:
            return paid - state.spent[us], state
        seat, round = state.player, state.round
        size = state.rules.raise_sizes[round]  # type: ignore[index]
        bets = min(2, -(-state.to_call // size))
        live = state.folded.count(False)
        strength = deal.hs[round, seat] ** (live - 1)
        value = strength + (1 - strength) * deal.ppot[round, seat] if round else deal.hs[0, seat]
        legal = state.legal_actions()
        may, context = (FOLD in legal, RAISE in legal), 3 * round + bets
        sure = triple(value, acting.bars[seat, context], *may)
        doubt = float(acting.doubts[seat])
        fold, call, _ = naive_loki.doubted(sure, acting.rates[seat, context].tolist(), doubt, *may)
        raises = state.betting.rpartition("/")[2].count("r")
        drawn = deal.uniforms[round, raises, seat]
        state = state.apply(FOLD if drawn < fold else CALL if drawn < fold + call else RAISE)
    return paid + state.payoffs()[us], state


def gain(hole: Sequence[int], board: Sequence[int]) -> float:
    """PPot of a board to come, as `boards_to_come` defines it."""
    now = hand_strength(hole, board).value
    cards = [card for card in FULL_DECK if card not in (*hole, *board)]
    gains = [max(0.0, hand_strength(hole, (*board, card)).value - now) for card in cards]
    return min(1.0, GROSS * float(np.mean(gains)) / max(1e-6, 1 - now))


def draw(draws: Draws, taken: set[int], rng: np.random.Generator) -> dict[int, int]:
    """Holdings by seat: drawn for all seats, refused as a whole."""
    while True:
        used, found = set(taken), {}
        for k, seat in enumerate(draws.seats):
            place = rng.random() * 1326
            holding = int(place)
            if place - holding >= draws.keep[k, holding]:
                holding = int(draws.alias[k, holding])
            cards = set(HAND_CARDS[holding].tolist())
            if cards & used:
                break
            used |= cards
            found[int(seat)] = holding
        else:
            return found


def chunk(
    state: PokerState, deals: int, acting: Acting, draws: Draws, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """What a call and a raise win in each deal after the flop, with the same random numbers as the kernel."""
    us, seats = state.player, len(state.spent)
    hole = state.hole(us)
    results = []
    for _ in range(deals):
        found = draw(draws, {*hole, *state.board}, rng)
        cards = {seat: tuple(HAND_CARDS[holding].tolist()) for seat, holding in found.items()}
        cards[us] = hole
        board = list(state.board)
        used = {*board, *(card for pair in cards.values() for card in pair)}
        while len(board) < 5:
            card = int(rng.random() * 52)
            if card not in used:
                board.append(card)
                used.add(card)
        deal = naive_deal(state, cards, board, seats)
        for round in range(state.round, 4):
            bets = state.betting.rpartition("/")[2].count("r") if round == state.round else 0
            for level in range(bets, state.rules.max_raises[round] + 1):  # type: ignore[index]
                for seat in range(seats):
                    deal.uniforms[round, level, seat] = rng.random()
        start = with_cards(state, cards, used)
        called, raised = (play_out(start, first, acting, deal, board)[0] for first in (CALL, RAISE))
        results.append((called, raised))
    return results


def naive_deal(
    state: PokerState, cards: dict[int, tuple[int, ...]], board: Sequence[int], seats: int
) -> Deal:
    """Values of all live seats in all rounds from the present one on, and who wins."""
    hs, ppot, ranks = np.zeros((4, seats)), np.zeros((4, seats)), np.zeros(seats, np.int64)
    for seat, hole in cards.items():
        for round in range(max(1, state.round), 4):
            seen = board[: 2 + round]
            hs[round, seat] = hand_strength(hole, seen).value
            if round < 3:
                now = round == state.round
                ppot[round, seat] = potential(hole, seen, lookahead=1).ppot if now else gain(hole, seen)
        ranks[seat] = evaluate((*hole, *board))
    return Deal(
        np.zeros(seats, np.int64),
        hs,
        ppot,
        ranks,
        np.zeros((4, 5, seats)),
        np.array(board),
    )


def with_cards(state: PokerState, cards: dict[int, tuple[int, ...]], used: set[int]) -> PokerState:
    """The same point of the hand with other hole cards; seats that folded get cards nobody else has."""
    spare = iter([card for card in FULL_DECK if card not in used])
    seats = range(len(state.spent))
    holes = [card for seat in seats for card in cards.get(seat) or (next(spare), next(spare))]
    other = state.game.start().deal(holes)
    board = list(state.board)
    for _, action in state.actions:
        while other.player == CHANCE:
            other = other.apply(board.pop(0))
        other = other.apply(action)
    while other.player == CHANCE:
        other = other.apply(board.pop(0))
    return other


# No-limit -----------------------------------------------------------------------------------------

SIZES = (0.33, 0.5, 0.7, 1.0, 1.5, 2.5)  # in pots; then all-in


def table_row(value: float, state: PokerState) -> tuple[int, int]:
    """Kind of situation and class of strength of the seat to act, written out anew."""
    owed, raises = state.to_call, state.betting.rpartition("/")[2].count("r")
    blinds, odds = owed / state.rules.big_blind, owed / (state.pot + owed)
    if not owed:
        price = 0
    elif state.round == 0:
        price = 1 if blinds <= 1 and not raises else 2 if blinds <= 8 else 3 if blinds <= 25 else 4
    else:
        price = 1 if odds <= 0.27 else 2 if odds <= 0.36 else 3 if odds <= 0.43 else 4
    before = (0.2, 0.35, 0.5, 0.6, 0.7, 0.8, 0.87, 0.93, 0.97)
    later = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
    strength = sum(value >= bound for bound in (later if state.round else before))
    return 10 * state.round + 2 * price + (state.folded.count(False) > 2), strength


def plain_chances(value: float, state: PokerState, may_raise: bool, habits: Sequence[float]) -> np.ndarray:
    """Chances of a plain player to fold, call and raise, written out anew."""
    stay_shift, rise_shift, bluff, called, raised = habits
    owed, raises = state.to_call, state.betting.rpartition("/")[2].count("r")
    blinds = owed / state.rules.big_blind
    if state.round == 0:
        fold = raised if raises else called
        low = fold * min(1, blinds) + (1 - fold) / 2 * min(1, blinds / 20) + 2 * stay_shift
        high = (0.86, 0.95, 0.98)[min(raises, 2)] + rise_shift + stay_shift / 2
    else:
        low = 0.3 + 0.6 * owed / (state.pot + owed) + stay_shift
        high = (0.62, 0.85, 0.93)[min(raises, 2)] + rise_shift + stay_shift / 4
    low = min(max(low, 0), 0.97)
    high = min(max(high, low), 0.99)

    def above(bar: float) -> float:
        return min(1.0, max(0.0, (value - bar + 0.05) / 0.1))

    stays = above(low) if owed else 1.0
    rises = min(stays, above(high)) if may_raise else 0.0
    bluff = bluff if may_raise else 0.0
    weak = 1 - stays if owed else 1 - rises
    fold, risen = (1 - stays) * (1 - bluff), rises + bluff * weak
    return np.array([fold, 1 - fold - risen, risen])


def play_out_nolimit(
    state: PokerState,
    first: int,
    own: Sequence[float],
    chances: np.ndarray,
    sizes: np.ndarray,
    deal: Deal,
    board: Sequence[int],
) -> tuple[int, PokerState]:
    """Chips the seat to act wins beyond folding now, and the end of the hand, by the rule engine."""
    us, paid = state.player, state.spent[state.player]
    coming = list(board[len(state.board) :])
    state = state.apply(first)
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.apply(coming.pop(0))
            continue
        if state.folded[us]:
            return paid - state.spent[us], state
        seat, round = state.player, state.round
        hs = deal.hs[round, seat]
        value = hs + (1 - hs) * deal.ppot[round, seat] if round else hs
        raises = state.betting.rpartition("/")[2].count("r")
        totals = state.legal_actions().raises  # type: ignore[attr-defined]
        kind, strength = table_row(value, state)
        may = np.array([state.to_call > 0, True, bool(totals) and raises < 5])
        if seat == us:
            n = state.folded.count(False) - 1
            value = hs**n + (1 - hs**n) * deal.ppot[round, seat] if round else hs
            fold, call, raised = plain_chances(value, state, bool(may[2]), own)
        else:
            fold, call, raised = np.where(may, chances[seat, kind, strength], 0.0)
        drawn = deal.uniforms[round, min(raises, 5), seat] * (fold + call + raised)
        if drawn < fold:
            action = FOLD
        elif drawn < fold + call or raised == 0:
            action = CALL
        else:
            place = (drawn - fold - call) / raised
            size = int(np.searchsorted(sizes[seat, min(round, 1)][:-1], place, side="right"))
            high, pot = max(state.spent), state.pot + state.to_call
            wanted = totals[-1] if size == 6 else high + int(SIZES[size] * pot)
            action = min(max(wanted, totals[0]), totals[-1])
        state = state.apply(action)
    return paid + state.payoffs()[us], state
