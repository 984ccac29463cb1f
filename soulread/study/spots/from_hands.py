"""A spot from a stored hand: board, pot, stacks, sizes and ranges at the start of a street.

Of the two players left, the one who acts first is out of position. Both stacks are the shorter one's, since
nobody can lose more. Sizes are those of the hand itself, beside a default set: a bet as part of the pot, a
raise as a multiple of the bet. The spot leaves out a default size within a tenth of one of the hand's. In
limit games the sizes are those of the rules. Amounts are the chips of the hand; they are shown in big blinds
where that is asked for.

Ranges are given by the user, or read by a model from the public actions (`soulread.model.base.CardReader`),
which may learn from earlier hands first. A range leaves out hands with less than a fiftieth of the likeliest
hand's weight.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from soulread.cards.deck import cards_name
from soulread.cards.ranges import Range
from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.games.poker import FOLD, PokerGame, PokerState
from soulread.games.spot import PLAYER_NAMES, STREETS, Betting, by_player, parse_menu
from soulread.games.unit import BIG_BLINDS, ChipUnit, Told
from soulread.hands.hand import Hand
from soulread.hands.money import betting_text
from soulread.hands.record import decisions, public_view
from soulread.hands.referee import game_of_holdem
from soulread.hands.store import Store
from soulread.model.base import CardReader, Model, name_of
from soulread.seqform.spot import Spot
from soulread.solvers.real_cards.spot_files import read_rake
from soulread.words import plural

DEFAULT_BETS, DEFAULT_RAISES = "50%", "2.5x"
_NEAR = 1.1  # sizes whose pots after a call differ by less than this are one
_LEAST_WEIGHT = 0.02  # of the likeliest hand's weight


@dataclass(frozen=True, eq=False)
class HandSpot:
    """A point of a hand, as a spot."""

    spot: Spot
    hand: Hand
    number: int  # in the store
    street: str
    seats: tuple[int, int]  # out of position, in position
    line: str  # what was played from there on, as far as the spot has these actions
    sources: tuple[str, str]  # where each range comes from
    aggressor: int  # seat that raised last on the street before; -1 for nobody

    JSON = keys(
        "number street line",
        hand="hand.id",
        stakes="hand.stakes",
        board=lambda taken: cards_name(taken.spot.board),
        unit="spot.unit.name",
        pot=lambda taken: taken.spot.unit.of(taken.spot.betting.pot),
        stack=lambda taken: taken.spot.unit.of(taken.spot.betting.stack),
        players=lambda taken: by_player(taken.players),
        ranges=lambda taken: by_player(taken.sources),
    )

    @property
    def players(self) -> tuple[str, str]:
        """Names of the players out of position and in position."""
        return self.hand.players[self.seats[0]], self.hand.players[self.seats[1]]

    def player_of(self, name: str) -> int:
        """0 if the player of that name is out of position, 1 if in position."""
        if name not in self.players:
            raise SoulreadError(f"{name!r} does not play in this spot; {' and '.join(self.players)} do")
        return self.players.index(name)

    def initiative(self, player: int) -> str:
        """The last raiser on the street before, as player 0 or 1 sees it: "own", "other" or "nobody"."""
        if self.aggressor < 0:
            return "nobody"
        return "own" if self.aggressor == self.seats[player] else "other"


def spot_of_hand(
    hand: Hand,
    street: str,
    *,
    number: int = 1,
    ranges: tuple[Range | None, Range | None] = (None, None),
    make_model: Callable[[PokerGame], Model] | None = None,
    readers: Mapping[str, CardReader] | None = None,
    earlier: Iterable[Hand] = (),
    bets: str = DEFAULT_BETS,
    raises: str = DEFAULT_RAISES,
    rake: str | float | None = None,
    cap: Told | None = None,
    in_blinds: bool = False,
) -> HandSpot:
    """The spot at the start of a street of a hand of hold'em.

    A range that is None is read by a model: that of ``readers`` for the name of the player, or else a new one
    of each player, which learns from the ``earlier`` hands.
    ``bets`` and ``raises`` are menus as `parse_menu` reads them; the hand's own sizes are added. ``rake`` and
    ``cap`` are those of `read_spot`. With ``in_blinds`` amounts are shown in big blinds. A hand that has more
    than two players on that street is refused.
    """
    if street not in STREETS:
        raise SoulreadError(f"street {street!r}; expected one of {', '.join(STREETS)}")
    game = game_of_holdem(hand)
    steps = list(decisions(game, hand.actions, hand.board, hand.hole))
    index = STREETS.index(street) + 1
    begin = next((state for state, _ in steps if state.round == index), None)
    if begin is None:
        raise SoulreadError(
            f"nobody decides on the {street} of hand {hand.id!r}; its betting, in big blinds, is "
            f"{betting_text(hand.betting, hand.stakes)!r}"
        )
    left = [seat for seat, out in enumerate(begin.folded) if not out]
    if len(left) != 2:
        raise SoulreadError(
            f"{plural(len(left), 'player')} are left on the {street} of hand {hand.id!r}; a spot has two"
        )
    first = begin.player
    seats = (first, left[1] if left[0] == first else left[0])
    unit = ChipUnit(BIG_BLINDS, hand.stakes.big_blind) if in_blinds else ChipUnit()
    betting = _betting(game, begin, steps, seats, index, bets, raises, unit)
    in_either = ChipUnit(BIG_BLINDS, hand.stakes.big_blind)  # a cap may be told in chips or big blinds
    betting = replace(betting, rake=read_rake(rake, cap, in_either))
    found, sources = [], []
    asked = {player: hand.players[seat] for player, seat in enumerate(seats) if ranges[player] is None}
    read = _read(game, begin, seats, asked, readers or {}, make_model, earlier) if asked else {}
    for player in (0, 1):
        given = ranges[player]
        found.append(read[player] if given is None else given)
        sources.append("read by the model" if given is None else "given")
    board = hand.board[: 3 + STREETS.index(street)]
    spot = Spot(tuple(board), (found[0], found[1]), betting)
    line = _line(spot, [(state, action) for state, action in steps if state.round >= index], hand)
    raisers = [state.player for state, action in steps if state.round == index - 1 and action > 1]
    aggressor = raisers[-1] if raisers else -1
    return HandSpot(spot, hand, number, street, seats, line, (sources[0], sources[1]), aggressor)


def stored_spot(
    store: Store,
    which: str,
    street: str | None = None,
    *,
    room: str | None = None,
    ranges: tuple[Range | None, Range | None] = (None, None),
    make_model: Callable[[PokerGame], Model] | None = None,
    bets: str = DEFAULT_BETS,
    raises: str = DEFAULT_RAISES,
    rake: str | float | None = None,
    cap: Told | None = None,
) -> HandSpot:
    """The spot of a hand of a store, named by its id, or by # and its number; see `spot_of_hand`.

    Amounts are shown in big blinds.

    With a ``room``, ids of other rooms are not looked at. Without a ``street`` it is the last one on which
    two players decide. Models learn from all hands of the players that come before it in the store.
    """
    number, hand = store.hand(which, room)
    earlier = store.earlier(number, hand.players, hand.room) if None in ranges else []
    return spot_of_hand(
        hand,
        street or last_street(hand),
        number=number,
        ranges=ranges,
        make_model=make_model,
        earlier=earlier,
        bets=bets,
        raises=raises,
        rake=rake,
        cap=cap,
        in_blinds=True,
    )


def last_street(hand: Hand) -> str:
    """The last street of a hand on which two players decide."""
    found = None
    for state, _ in decisions(game_of_holdem(hand), hand.actions, hand.board, hand.hole):
        if state.round >= 1 and sum(not out for out in state.folded) == 2:
            found = state.round
    if found is None:
        raise SoulreadError(f"two players never decide after the flop of hand {hand.id!r}")
    return STREETS[found - 1]


def _read(
    game: PokerGame,
    state: PokerState,
    seats: tuple[int, int],
    asked: dict[int, str],
    readers: Mapping[str, CardReader],
    make_model: Callable[[PokerGame], Model] | None,
    earlier: Iterable[Hand],
) -> dict[int, Range]:
    """The ranges that models believe, of the players asked for by their names."""
    new = {player: name for player, name in asked.items() if name not in readers}
    if make_model is None and new:
        missing = " and ".join(PLAYER_NAMES[player] for player in new)
        raise SoulreadError(f"the range of {missing} is missing; give it, or name a model that reads cards")
    learning = {} if make_model is None else {player: make_model(game) for player in new}
    for player, model in learning.items():
        if not isinstance(model, CardReader):
            raise SoulreadError(
                f"the model {name_of(model)} does not say what {PLAYER_NAMES[player]} may hold; "
                "give the range, or take a model that reads cards"
            )
    for hand in earlier:
        for player, name in new.items():
            if name in hand.players:
                learning[player].update(hand, name)
    view = public_view(state)
    found = {}
    for player, name in asked.items():
        reader = readers[name] if name in readers else learning[player]
        assert isinstance(reader, CardReader)
        weights = reader.holdings(view, seats[player])
        weights = weights / weights.max()
        found[player] = Range(np.where(weights >= _LEAST_WEIGHT, weights, 0.0))
    return found


def _betting(
    game: PokerGame,
    begin: PokerState,
    steps: Sequence[tuple[PokerState, int]],
    seats: tuple[int, int],
    index: int,
    bets: str,
    raises: str,
    unit: ChipUnit,
) -> Betting:
    """The sizes of the rules, or of the hand and the menus."""
    rules = game.rules
    if rules.raise_sizes is not None:
        sizes = rules.raise_sizes[index:]
        caps = rules.max_raises[index:] if rules.max_raises is not None else (4,) * len(sizes)
        menu = "; ".join(f"{STREETS[index - 1 + i]}: {size}" for i, size in enumerate(sizes))
        stack = sum(size * cap for size, cap in zip(sizes, caps, strict=True))
        return Betting(index - 1, begin.pot, stack, parse_menu(menu, menu), most_bets=max(caps), unit=unit)
    assert begin.stacks is not None
    stack = min(begin.stacks[seat] for seat in seats)
    own_bets, own_raises = [bets], [raises]
    base = parse_menu(bets, raises)
    for kind, street, player, size in _own_sizes(steps, seats, index, stack):
        table, texts = (base.bets, own_bets) if kind == "bet" else (base.raises, own_raises)
        usual = [str(other) for other in table[street][player] if not _is_near(size, str(other))]
        words = ",".join(dict.fromkeys([*usual, size]))
        texts.append(f"{PLAYER_NAMES[player]} {STREETS[street]}: {words}")
    menu_of_hand = parse_menu("; ".join(own_bets), "; ".join(own_raises))
    return Betting(
        index - 1,
        begin.pot,
        stack,
        menu_of_hand,
        add_all_in=1.5,
        force_all_in=0.15,
        merge=0.1,
        unit=unit,
    )


def _is_near(one: str, other: str) -> bool:
    """Whether two sizes of one kind are nearly the same."""
    if one[-1] != other[-1] or one[-1] not in "%x":
        return one == other
    first, second = (float(size[:-1]) / (100 if size[-1] == "%" else 1) for size in (one, other))
    base = 1.0 if one[-1] == "%" else 0.0
    ratio = (base + first) / (base + second)
    return 1 / _NEAR <= ratio <= _NEAR


def _own_sizes(
    steps: Sequence[tuple[PokerState, int]], seats: tuple[int, int], index: int, stack: int
) -> list[tuple[str, int, int, str]]:
    """ "bet" or "raise", street, player and size of every bet of the hand from a street on."""
    found = []
    started: dict[int, PokerState] = {}
    for state, action in steps:
        if state.round < index:
            continue
        start = started.setdefault(state.round, state)
        if action <= 1 or state.player not in seats:
            continue
        seat, player = state.player, seats.index(state.player)
        other = seats[1 - player]
        faced = state.spent[other] - start.spent[other]
        after = state.apply(action)
        to = after.spent[seat] - start.spent[seat]
        if faced == 0:
            size = f"{100 * to / state.pot:.6g}%"
            found.append(("bet", state.round - 1, player, size))
        elif to > faced:
            found.append(("raise", state.round - 1, player, f"{to / faced:.6g}x"))
    return found


def _line(spot: Spot, steps: Sequence[tuple[PokerState, int]], hand: Hand) -> str:
    """The path of the actions played, as far as the spot has them."""
    words: list[str] = []
    start: PokerState | None = None
    round = -1
    for state, action in steps:
        if state.round != round:
            if round >= 0:
                words.append(cards_name(hand.board[1 + state.round : 2 + state.round]))
            round, start = state.round, state
        assert start is not None
        if action == FOLD:
            break
        seat = state.player
        if action == 1:
            word = "call" if state.to_call else "check"
        else:
            to = state.apply(action).spent[seat] - start.spent[seat]
            word = f"{'raise' if state.to_call else 'bet'}{spot.unit.text(to)}"
        try:
            spot.find(" ".join([*words, word]))
        except SoulreadError as error:
            if "is dealt" in str(error):
                words.append(word)
                continue
            break
        words.append(word)
    while words and not _stands(spot, words):
        words.pop()
    return " ".join(words)


def _stands(spot: Spot, words: Sequence[str]) -> bool:
    try:
        spot.find(" ".join(words))
    except SoulreadError:
        return False
    return True
