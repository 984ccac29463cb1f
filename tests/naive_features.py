"""Features of decisions worked out plainly, state by state, from the rules: the twin of the kernel."""

from collections import Counter
from dataclasses import dataclass

from soulread.games.base import CHANCE
from soulread.games.poker import CALL, RAISE, PokerGame, PokerState, raises_among
from soulread.hands.record import decisions

ROUNDS = "preflop", "flop", "turn", "river"


@dataclass(frozen=True)
class Event:
    """An action that was taken: where, by whom, which of fold, call, raise, and bets to call before it."""

    round: int
    seat: int
    action: int
    bets: int
    facing: bool


def naive_rows(
    game: PokerGame, actions: tuple[tuple[int, int], ...], board: tuple[int, ...]
) -> list[dict[str, float]]:
    """The features of every decision of a hand by name, and "context"."""
    events: list[Event] = []
    rows = []
    for state, action in decisions(game, actions, board):
        rows.append(naive_row(state, events))
        kind = min(action, RAISE)
        events.append(Event(state.round, state.player, kind, _bets(state, events), state.to_call > 0))
    return rows


def naive_row(state: PokerState, events: list[Event]) -> dict[str, float]:
    """The features of the decision at a state, after these events."""
    game, seat, round = state.game, state.player, state.round
    big = game.rules.big_blind
    now = [event for event in events if event.round == round]
    own = [event for event in events if event.seat == seat]
    own_now = [event for event in now if event.seat == seat]
    raises = [event for event in events if event.action == RAISE]
    raises_now = [event for event in raises if event.round == round]
    before = [event for event in raises if event.round == round - 1]
    aggressor = before[-1].seat if before else None
    since = now
    while any(event.action == RAISE for event in since):
        since = since[1:]
    first = next((i for i, event in enumerate(now) if event.action == RAISE), len(now))
    others = [s for s in range(game.num_players) if s != seat and not state.folded[s]]
    chips, legal = state.stacks, state.legal_actions()
    moved = {event.seat for event in since} | ({raises_now[-1].seat} if raises_now else set())
    behind = [s for s in others if s not in moved and (chips is None or chips[s] > 0)]
    bets = _bets(state, events)
    found: dict[str, float] = {name: float(number == round) for number, name in enumerate(ROUNDS)}
    found |= {
        "facing": state.to_call > 0,
        "two to call": bets >= 2,
        "pot odds": state.to_call / (state.pot + state.to_call),
        "pot": state.pot / (state.pot + 8 * big),
        "may raise": bool(raises_among(legal)),
        "raises": min(len(raises_now), 4) / 4,
        "callers": min(sum(e.action == CALL and e.facing for e in since), 5) / 5,
        "limpers": min(sum(e.action == CALL and e.facing for e in now[:first]), 5) / 5,
        "acted": bool(own),
        "last raised": bool(own) and own[-1].action == RAISE,
        "last to call": own[-1].bets / 2 if own else 0.0,
        "raised now": any(e.action == RAISE for e in own_now),
        "called now": any(e.action == CALL and e.facing for e in own_now),
        "checked now": any(e.action == CALL and not e.facing for e in own_now),
        "own raises": min(sum(e.action == RAISE for e in own), 4) / 4,
        "initiative": bool(raises) and raises[-1].seat == seat,
        "other's initiative": bool(raises) and raises[-1].seat != seat,
        "aggressor": aggressor == seat,
        "other aggressor": aggressor is not None and aggressor != seat,
        "aggressor waits": aggressor in others
        and not any(e.seat == aggressor for e in now)
        and (chips is None or chips[aggressor] > 0),
        "continued": bool(raises_now) and raises_now[0].seat == aggressor,
        "raises before": (r := len(raises) - len(raises_now)) / (r + 3),
        "players": game.num_players / 10,
        "active": (len(others) + 1) / 10,
        "heads-up": len(others) == 1,
        "behind": len(behind) / 9,
        "last to act": not behind,
        "position": sum(s < seat for s in others) / max(len(others), 1),
        "button": seat == game.num_players - 1,
        "posted": min(game._forced[seat] / big, 1),
        "invested": state.spent[seat] / state.pot,
        "stack": 1.0 if chips is None else chips[seat] / (chips[seat] + state.pot),
    }
    found |= naive_texture(state.board)
    previous = 0 if not own else 1 + 3 * (own[-1].action == RAISE) + own[-1].bets
    context = 7 * (3 * round + bets) + previous
    row = {name: float(value) for name, value in found.items()}
    return row | {"context": context}


def naive_texture(board: tuple[int, ...]) -> dict[str, float]:
    """The features of a board."""
    names = "high", "mean", "paired", "trips", "suited", "connected"
    found = {f"board {name}": 0.0 for name in names}
    found |= {"flush possible": 0.0, "card over": 0.0, "card pairs": 0.0, "card suits": 0.0}
    if not board:
        return found
    ranks = [card // 4 + 1 for card in board]  # 1 is the deuce, 13 the ace
    suits = Counter(card % 4 for card in board)
    low_aces = {*ranks, *([0] if 13 in ranks else [])}
    found["board high"] = max(ranks) / 13
    found["board mean"] = sum(ranks) / len(ranks) / 13
    found["board paired"] = float(max(Counter(ranks).values()) >= 2)
    found["board trips"] = float(max(Counter(ranks).values()) >= 3)
    found["board suited"] = max(suits.values()) / 5
    found["flush possible"] = float(max(suits.values()) >= 3)
    found["board connected"] = max(len(low_aces & set(range(low, low + 5))) for low in range(10)) / 5
    if len(board) > 3:
        found["card over"] = float(ranks[-1] > max(ranks[:-1]))
        found["card pairs"] = float(ranks[-1] in ranks[:-1])
        found["card suits"] = float(suits[board[-1] % 4] >= 3)
    return found


def _bets(state: PokerState, events: list[Event]) -> int:
    """Bets to call, rounded up, at most 2; in no-limit a bet is the last raise of the round."""
    sizes = state.rules.raise_sizes
    if sizes is not None:
        bet = sizes[state.round]
    else:
        bet = state.rules.big_blind
        point = state.game.start()
        for seat, action in state.actions:
            while point.player == CHANCE:
                point = point.apply(next(card for card in state.rules.deck if card not in point.cards))
            if point.round == state.round and action >= RAISE:
                bet = max(state.rules.big_blind, action - point.spent[seat] - point.to_call)
            point = point.apply(action)
    return min(-(-state.to_call // bet), 2)
