"""Replay random hands in PokerKit and OpenSpiel and compare every decision and every payoff.

    python benchmarks/check_games.py --hands 10000 --seed 1
    python benchmarks/check_games.py --real FOLDER

Prints the number of hands and decisions compared per game and a checksum of all of them; on the
first difference it prints the hand that shows it and exits with 1.

Random hands are also compared with the compiled betting engine (`soulread.games.walk`). With ``--real`` only
that is done, with all hands of the files in a folder; then all differences are counted.
"""

import argparse
import dataclasses
import hashlib
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from soulread.cards.deck import FULL_DECK, cards_name
from soulread.errors import SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import best_hand, limit_holdem, limit_rules
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import (
    CALL,
    FOLD,
    RAISE,
    BetActions,
    PokerGame,
    PokerState,
    Rules,
    award_pots,
    parse_action,
    side_pots,
)
from soulread.games.ring_limit import ring_limit
from soulread.games.walk import (
    ACTOR,
    IN,
    OVER,
    ROUND,
    SPENT,
    STACK,
    Walk,
    act,
    apply,
    begin,
    come_to,
    new_walk,
    pot_of,
    raise_bounds,
    start,
    to_call,
    winnings,
)
from soulread.hands.formats.gamedef import game_of_log
from soulread.hands.formats.reading import Skipped, read_hands
from soulread.hands.hand import Hand
from soulread.hands.record import decisions
from soulread.hands.referee import game_of_record

ENDLESS = 10**6  # a stack nobody can lose in a limit hand

LIMIT_GAMEDEF = """GAMEDEF
limit
numPlayers = 2
numRounds = 4
blind = 2 1
raiseSize = 2 2 4 4
firstPlayer = 2 1 1 1
maxRaises = 3 4 4 4
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3 1 1
END GAMEDEF"""


class Difference(Exception):
    """Two implementations disagree; the message says where."""


class Tally:
    """How much was compared, and a checksum of it."""

    def __init__(self) -> None:
        self.hands = 0
        self.decisions = 0
        self.showdowns = 0
        self.all_ins = 0
        self._digest = hashlib.sha256()

    def add(self, state: PokerState) -> None:
        """Count one finished hand."""
        self.hands += 1
        self.decisions += len(state.actions)
        self.showdowns += state.showdown
        self.all_ins += 0 in (state.stacks or ())
        self._digest.update(f"{state.game.name} {state.cards} {state.betting} {state.payoffs()}\n".encode())

    def checksum(self) -> str:
        """Eight hexadecimal digits that depend on every hand, its betting and its payoffs."""
        return self._digest.hexdigest()[:8]

    def __str__(self) -> str:
        return (
            f"{self.hands:>7} hands {self.decisions:>8} decisions {self.showdowns:>7} showdowns "
            f"{self.all_ins:>7} with an all-in   checksum {self.checksum()}"
        )


def pokerkit_state(rules: Rules) -> Any:
    """A PokerKit hand under the same rules, with antes and blinds posted and no card dealt."""
    import pokerkit

    heads_up = rules.num_players == 2
    fixed = rules.raise_sizes is not None
    streets = tuple(
        pokerkit.Street(
            False,
            (False, False) if r == 0 else (),
            count,
            False,
            pokerkit.Opening.POSITION,
            rules.raise_sizes[r] if rules.raise_sizes is not None else rules.big_blind,
            rules.max_raises[r] if rules.max_raises is not None else None,
        )
        for r, count in enumerate(rules.board_cards)
    )
    automatic = pokerkit.Automation
    return pokerkit.State(
        (
            automatic.ANTE_POSTING,
            automatic.BET_COLLECTION,
            automatic.BLIND_OR_STRADDLE_POSTING,
            automatic.HOLE_CARDS_SHOWING_OR_MUCKING,
            automatic.HAND_KILLING,
            automatic.CHIPS_PUSHING,
            automatic.CHIPS_PULLING,
        ),
        pokerkit.Deck.STANDARD,
        (pokerkit.StandardHighHand,),
        streets,
        pokerkit.BettingStructure.FIXED_LIMIT if fixed else pokerkit.BettingStructure.NO_LIMIT,
        True,  # antes are trimmed to what others can match, as every other bet is
        rules.ante,
        rules.blinds[::-1] if heads_up else rules.blinds,  # PokerKit turns them round for two players
        0,
        rules.stacks or (ENDLESS,) * rules.num_players,
        rules.num_players,
        mode=pokerkit.Mode.TOURNAMENT,
    )


def compare_with_pokerkit(game: PokerGame, rng: random.Random, betting: str = "") -> PokerState:
    """Play one random hand in both, compare every decision and the payoffs, return how it ended.

    The hand begins with ``betting``, without the "/" between rounds.
    """
    codes = iter(re.findall("[fc]|r[0-9]*", betting))
    rules = game.rules
    cards = _shuffled(rng)
    state, other = game.start(), pokerkit_state(rules)
    while state.player != TERMINAL:
        if state.player == CHANCE:
            new = [next(cards) for _ in range(state.cards_due)]
            before, state = state, state.deal(new)
            if before.cards:
                other.deal_board(cards_name(new))
            else:
                for seat in range(rules.num_players):
                    other.deal_hole(cards_name(state.hole(seat)))
            continue
        ours, theirs = _decision(state), _pokerkit_decision(state, other)
        if ours != theirs:
            raise Difference(f"{state!r}: decision {ours}, PokerKit {theirs}")
        code = next(codes, None)
        action = random_action(state, rng) if code is None else parse_action(state, code)
        if action == FOLD:
            other.fold()
        elif action == CALL:
            other.check_or_call()
        elif rules.raise_sizes is not None:
            other.complete_bet_or_raise_to()
        else:
            other.complete_bet_or_raise_to(action - _street_base(state, other))
        state = state.apply(action)
    _compare_payoffs(state, "PokerKit", not other.status, other.payoffs)
    return state


def _decision(state: PokerState) -> dict[str, object]:
    """Seat to act and what it may do, in words both implementations share."""
    legal = state.legal_actions()
    raises = None
    if isinstance(legal, BetActions):
        raises = (legal.raises[0], legal.raises[-1]) if legal.raises else None
    elif RAISE in legal:
        (total,) = state._raise_totals()
        raises = (total, total)
    return {
        "seat": state.player,
        "fold": FOLD in legal,
        "call": state.to_call if CALL in legal else None,
        "raise": raises,
        "stacks": state.stacks,
    }


def _pokerkit_decision(state: PokerState, other: Any) -> dict[str, object]:
    low = other.min_completion_betting_or_raising_to_amount
    high = other.max_completion_betting_or_raising_to_amount
    base = _street_base(state, other)
    return {
        "seat": other.actor_index,
        "fold": other.can_fold(),
        "call": other.checking_or_calling_amount,
        "raise": None if low is None else (base + low, base + high),
        "stacks": None if state.rules.stacks is None else tuple(other.stacks),
    }


def _street_base(state: PokerState, other: Any) -> int:
    """Chips the seat to act paid in earlier rounds: PokerKit counts bets per round."""
    return state.spent[state.player] - int(other.bets[state.player])


def compare_with_openspiel(game: PokerGame, other: Any, rng: random.Random) -> PokerState:
    """Play one random hand in both (Kuhn, Leduc or limit hold'em), as `compare_with_pokerkit` does."""
    state, other = game.start(), other.new_initial_state()
    while state.player != TERMINAL:
        _compare_openspiel_node(state, other)
        if state.player == CHANCE:
            action = rng.choice(state.chance_outcomes())[0]
        else:
            action = random_action(state, rng)
        other.apply_action(openspiel_action(state, action))
        state = state.apply(action)
    _compare_payoffs(state, "OpenSpiel", other.is_terminal(), other.returns())
    return state


def compare_tree_with_openspiel(game: PokerGame, other: Any) -> int:
    """Compare every history of a small game; return the number of finished hands."""
    stack = [(game.start(), other.new_initial_state())]
    finished = 0
    while stack:
        state, node = stack.pop()
        if state.player == TERMINAL:
            _compare_payoffs(state, "OpenSpiel", node.is_terminal(), node.returns())
            finished += 1
            continue
        _compare_openspiel_node(state, node)
        actions = [card for card, _ in state.chance_outcomes()] or state.legal_actions()
        stack += [(state.apply(a), node.child(openspiel_action(state, a))) for a in actions]
    return finished


def _compare_openspiel_node(state: PokerState, other: Any) -> None:
    ours: dict[int, float | None]
    theirs: dict[int, float | None]
    if other.is_terminal() or state.player != other.current_player():
        raise Difference(f"{state!r}: seat {state.player} is to act, OpenSpiel: {other}")
    if state.player == CHANCE:
        ours = {openspiel_action(state, card): p for card, p in state.chance_outcomes()}
        theirs = dict(other.chance_outcomes())
    else:
        ours = {openspiel_action(state, action): None for action in state.legal_actions()}
        theirs = dict.fromkeys(other.legal_actions())
    if ours != theirs:
        raise Difference(f"{state!r}: actions {ours}, OpenSpiel {theirs}")


def openspiel_action(state: PokerState, action: int) -> int:
    """OpenSpiel numbers the cards of a deck from 0, and in Kuhn poker only knows "pass" and "bet"."""
    if state.player == CHANCE:
        return state.rules.deck.index(action)
    if state.game.name == "kuhn":
        facing = state.to_call > 0
        return int(action != FOLD) if facing else int(action == RAISE)
    return action


def _compare_payoffs(state: PokerState, name: str, over: bool, payoffs: Any) -> None:
    ours, theirs = state.payoffs(), tuple(float(chips) for chips in payoffs)
    if not over or ours != theirs or sum(ours) != 0:
        raise Difference(f"{state!r}: payoffs {ours}, {name} {theirs if over else 'goes on'}")


def compare_with_walk(game: PokerGame, rng: random.Random) -> PokerState:
    """Play one random hand by the rules and by the compiled walk; compare as `compare_with_pokerkit` does."""
    cards = iter(rng.sample(game.rules.deck, len(game.rules.deck)))
    state, path = game.start(), []
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.apply(next(cards))
            continue
        path.append((state, random_action(state, rng)))
        state = state.apply(path[-1][1])
    compare_path_with_walk(path, state, rng)
    return state


def compare_path_with_walk(path: list[tuple[PokerState, int]], end: PokerState, rng: random.Random) -> None:
    """Compare the decisions of a hand, and the pots at its ``end``, with the walk; raises `Difference`.

    The hand is walked twice: by turns, and as a record that says who acts in which round. At the end every
    seat gets a random strength, so that there are ties.
    """
    walk, record = new_walk(end.game), new_walk(end.game)
    start(walk)
    begin(record)
    for state, action in path:
        ours = _decision(state) | _table(state)
        theirs = _walk_decision(state, walk)
        if ours != theirs:
            raise Difference(f"{state!r}: decision {ours}, walk {theirs}")
        come_to(record, state.round, state.player)
        if not np.array_equal(walk, record):
            raise Difference(f"{state!r}: {walk.tolist()} by turns, {record.tolist()} as a record")
        apply(walk, action)
        act(record, action)
    if walk[ACTOR] != OVER:
        raise Difference(f"{end!r}: the hand is over, but seat {walk[ACTOR]} of the walk is to act")
    strength = np.array([-1 if out else rng.randrange(3) for out in end.folded])
    called = sorted(end.spent)[-2]
    won = award_pots(side_pots(end.spent, end.folded, end.game.dead), strength.tolist())
    net = [chips - min(paid, called) for chips, paid in zip(won, end.spent, strict=True)]
    theirs_net = [winnings(walk, seat, strength) for seat in range(len(net))]
    if net != theirs_net or pot_of(walk) != end.pot:
        raise Difference(f"{end!r}: pots give {net} of {end.pot}, walk {theirs_net} of {pot_of(walk)}")


def _table(state: PokerState) -> dict[str, object]:
    live = tuple(not out for out in state.folded)
    return {"round": state.round, "pot": state.pot, "spent": state.spent, "live": live}


def _walk_decision(state: PokerState, walk: Walk) -> dict[str, object]:
    seats = state.game.num_players
    low, high = raise_bounds(walk)
    spent, stack = walk[SPENT : SPENT + seats], walk[STACK : STACK + seats]
    return {
        "seat": walk[ACTOR],
        "fold": to_call(walk) > 0 or state.rules.open_folds,
        "call": to_call(walk),
        "raise": (low, high) if low <= high else None,
        "stacks": None if state.rules.stacks is None else tuple((stack - spent).tolist()),
        "round": walk[ROUND],
        "pot": pot_of(walk),
        "spent": tuple(spent.tolist()),
        "live": tuple(bool(walk[IN] >> seat & 1) for seat in range(seats)),
    }


def compare_real_with_walk(folder: str) -> int:
    """Compare all hands of the files of a folder; prints what was found, and returns how many differ."""
    counts, rng = Counter[str](), random.Random(1)
    for hand in read_hands(folder):
        if isinstance(hand, Skipped):
            counts["skipped by the readers"] += 1
            continue
        try:
            path = list(decisions(game := _game_of(hand), hand.actions, hand.board))
        except SoulreadError:
            counts["refused by the referee"] += 1
            continue
        state = path[-1][0].apply(path[-1][1]) if path else game.start()
        spare = iter([card for card in game.rules.deck if card not in state.cards])
        while state.player == CHANCE:
            state = state.apply(next(spare))
        counts["hands"] += 1
        counts["decisions"] += len(path)
        try:
            compare_path_with_walk(path, state, rng)
        except Difference as difference:
            counts["differ"] += 1
            print(f"hand {hand.id!r}: {difference}")
    print(", ".join(f"{count:,} {what}" for what, count in counts.items()))
    return counts["differ"]


def _game_of(hand: Hand) -> PokerGame:
    """The game of a record: hold'em with its stacks and posts, else a game that its name or log names."""
    if hand.variant.endswith("best_hand"):
        return game_of_record(hand)
    return game_of_log(f"# name/game/hands/seed m {hand.game}.game 1 1", hand.source, None)


def random_table(rng: random.Random) -> PokerGame:
    """No-limit hold'em for 2 to 10 players as at real tables: straddles, late posts, dead chips."""
    seats, big = rng.randint(2, 10), rng.choice([2, 5, 10])
    blinds, first = ([big, big // 2], 1) if seats == 2 else ([big // 2, big, *[0] * (seats - 2)], 2 % seats)
    if seats > 3 and rng.random() < 0.4:
        blinds[2], first = 2 * big, 3
    if seats > 4 and rng.random() < 0.3:
        blinds[4] = big
    stacks = tuple(rng.randint(1, rng.choice([2, 10, 100]) * big) for _ in range(seats))
    short = max(map(min, blinds, stacks)) < big
    rules = Rules(
        name=f"table of {seats}",
        deck=FULL_DECK,
        num_players=seats,
        hole_cards=2,
        board_cards=(0, 3, 1, 1),
        first=(first, 0, 0, 0),
        blinds=tuple(blinds),
        ante=rng.choice([0, 0, 1]),
        raise_sizes=None,
        max_raises=None,
        stacks=stacks,
        small_bet=big,
        big_blind=big,
        showdown=best_hand,
        dead=tuple(rng.choice([0, 0, big // 2]) for _ in stacks) if rng.random() < 0.4 else None,
        opening=big if short and rng.random() < 0.7 else 0,
        open_folds=rng.random() < 0.3,
    )
    return PokerGame(rules)


def random_action(state: PokerState, rng: random.Random) -> int:
    """A legal action; calls often, folds seldom, and in no-limit likes smallest raises and all-ins."""
    legal = state.legal_actions()
    kind = rng.random()
    if kind < 0.1 and FOLD in legal:
        return FOLD
    raises = legal.raises if isinstance(legal, BetActions) else [a for a in legal if a == RAISE]
    if kind < 0.6 or not raises:
        return CALL
    if kind < 0.8:
        return raises[0]
    if kind < 0.82:
        return raises[-1]
    return raises[min(int(rng.expovariate(30.0) * len(raises)), len(raises) - 1)]


def random_nolimit(rng: random.Random) -> PokerGame:
    """No-limit hold'em for 2 to 9 players with odd blinds, antes and stacks, some below a blind.

    PokerKit finds the first seat to act from the bets on the table, not from the positions, so two
    settings are left out in which no seat, or the wrong one, has the largest: equal blinds heads-up, and
    an ante without a small blind, where the ante may take all a big blind has.
    """
    players = rng.randint(2, 9)
    blinds = rng.choice([(1, 2), (2, 5), (5, 10), (3, 7), (50, 100), (0, 1), (1, 1)])
    if blinds == (1, 1) and players == 2:
        blinds = (1, 2)
    ante = 0 if blinds[0] == 0 else rng.choice([0, 0, 0, 1, 2, blinds[1], 2 * blinds[1]])
    big = blinds[1]
    if rng.random() < 0.4:
        stacks = [rng.randint(50 * big, 300 * big) for _ in range(players)]
    else:
        deep = rng.choice([1, 3, 10, 50])
        stacks = [rng.randint(1, rng.choice([ante + big, 4 * big, deep * big])) for _ in range(players)]
    return nolimit_holdem(players, stacks, blinds, ante)


def random_stacked_limit(rng: random.Random) -> PokerGame:
    """Limit hold'em for 2 to 9 players in which stacks can run out."""
    players = rng.randint(2, 9)
    stacks = tuple(rng.randint(1, rng.choice([3, 12, 40])) for _ in range(players))
    return PokerGame(dataclasses.replace(limit_rules(f"limit with stacks {stacks}", players), stacks=stacks))


def _shuffled(rng: random.Random) -> Iterator[int]:
    return iter(rng.sample(FULL_DECK, len(FULL_DECK)))


def openspiel_limit() -> Any:
    """OpenSpiel's heads-up limit hold'em, from the ACPC definition."""
    import pyspiel

    return pyspiel.universal_poker.load_universal_poker_from_acpc_gamedef(LIMIT_GAMEDEF)


def openspiel_game(name: str) -> Any:
    """An OpenSpiel game by its own name."""
    import pyspiel

    return pyspiel.load_game(name)


def checks() -> dict[str, Callable[[random.Random], PokerState]]:
    """Every comparison by name: a function that plays one random hand."""
    limit, ring = limit_holdem(), ring_limit(6)
    small = {"kuhn": (kuhn(), "kuhn_poker"), "leduc": (leduc(), "leduc_poker")}
    others = {name: openspiel_game(other) for name, (_, other) in small.items()}
    other_limit = openspiel_limit()
    return {
        "limit / PokerKit": lambda rng: compare_with_pokerkit(limit, rng),
        "ring-limit:6 / PokerKit": lambda rng: compare_with_pokerkit(ring, rng),
        "limit with stacks / PokerKit": lambda rng: compare_with_pokerkit(random_stacked_limit(rng), rng),
        "nolimit / PokerKit": lambda rng: compare_with_pokerkit(random_nolimit(rng), rng),
        "kuhn / OpenSpiel": lambda rng: compare_with_openspiel(small["kuhn"][0], others["kuhn"], rng),
        "leduc / OpenSpiel": lambda rng: compare_with_openspiel(small["leduc"][0], others["leduc"], rng),
        "limit / OpenSpiel": lambda rng: compare_with_openspiel(limit, other_limit, rng),
        "nolimit / walk": lambda rng: compare_with_walk(random_nolimit(rng), rng),
        "tables / walk": lambda rng: compare_with_walk(random_table(rng), rng),
        "limit with stacks / walk": lambda rng: compare_with_walk(random_stacked_limit(rng), rng),
        "ring-limit / walk": lambda rng: compare_with_walk(ring_limit(rng.randint(2, 10)), rng),
        "small games / walk": lambda rng: compare_with_walk(rng.choice((kuhn, leduc))(), rng),
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hands", type=int, default=10_000, help="hands per comparison (default 10000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random hands (default 1)")
    parser.add_argument("--real", metavar="FOLDER", help="compare the hands of files with the walk alone")
    arguments = parser.parse_args()
    if arguments.real:
        return int(compare_real_with_walk(arguments.real) > 0)
    for name, play in checks().items():
        rng = random.Random(f"{name} {arguments.seed}")
        tally = Tally()
        for number in range(arguments.hands):
            try:
                tally.add(play(rng))
            except Difference as difference:
                print(f"{name}, hand {number}: {difference}")
                return 1
        print(f"{name:<29}{tally}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
