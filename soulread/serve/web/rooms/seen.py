"""A point of a hand as a `TableSight`: for a person at a table, and for the steps of a review."""

from collections.abc import Sequence
from fractions import Fraction

from soulread.cards.deck import cards_name, pretty_cards
from soulread.games.poker import CALL, FOLD, PokerGame, PokerState, PokerView, raises_among
from soulread.hands.hand import Cards, Hand
from soulread.hands.record import decisions, final_state, public_view
from soulread.play.table.human import STREETS, deed, position_name, put_in_before, rounds_told
from soulread.serve.web.sights import ChoiceSight, SeatSight, SizeSight, StreetSight, TableSight

SIZES = (
    ("⅓ pot", Fraction(1, 3)),
    ("½ pot", Fraction(1, 2)),
    ("¾ pot", Fraction(3, 4)),
    ("pot", Fraction(1)),
    ("1½ pot", Fraction(3, 2)),
)


def seats_of(
    view: PokerView, you: int, cards: Sequence[Cards | None], payoffs: Sequence[int] | None
) -> tuple[SeatSight, ...]:
    """The players, the person first; ``cards`` are those that may be seen, by seat."""
    game, count = view.game, len(view.players)
    begun = _spent_before(view)
    told = _last_deeds(view, you)
    made = []
    for place in range(count):
        seat = (you + place) % count
        known = cards[seat] or ()
        out = view.folded[seat]
        made.append(
            SeatSight(
                name=view.players[seat],
                you=seat == you,
                place=_place(game, seat),
                button=seat == count - 1 and any(view.rules.blinds),
                cards=cards_name(sorted(known, reverse=True)),
                hidden=0 if known or out else view.rules.hole_cards,
                stack=None if view.stacks is None else view.stacks[seat],
                put_in=view.spent[seat] - begun[seat],
                folded=out,
                to_act=view.to_act == seat,
                last="folds" if out else told.get(seat, ""),
                won=None if payoffs is None else payoffs[seat],
            )
        )
    return tuple(made)


def _place(game: PokerGame, seat: int) -> str:
    """Where a seat sits, in few letters at a table of several."""
    if game.num_players == 2 or not any(game.rules.blinds):
        return position_name(game, seat)
    before = game.num_players - 1 - seat  # seats before the button
    names = ("SB", "BB") if seat < 2 else ("BTN", "CO", "HJ", "LJ")
    return names[seat if seat < 2 else min(before, 3)]


def _spent_before(view: PokerView) -> tuple[int, ...]:
    """[seats] chips that were put in before this round; antes belong to no round."""
    ante = view.rules.ante
    before = tuple(min(ante, chips) for chips in view.spent)
    if view.round == 0:
        return before
    begun = view.spent
    for state, _ in decisions(view.game, view.actions, view.board):
        if state.round == view.round:
            return state.spent
    return begun


def _last_deeds(view: PokerView, you: int) -> dict[int, str]:
    """What each seat did last in this round."""
    found: dict[int, str] = {}
    before: tuple[int, ...] = (view.rules.ante,) * len(view.players)
    round = 0
    for state, action in decisions(view.game, view.actions, view.board):
        if state.round != round:
            round, before = state.round, state.spent
            found = {}
        found[state.player] = deed(state, action, before)
    return found if round == view.round or view.to_act < 0 else {}


def story_of(view: PokerView, you: int) -> tuple[StreetSight, ...]:
    """What was done so far, round by round."""
    told = rounds_told(view.game, you, view.players, view.actions, view.board)
    return tuple(StreetSight(name, cards_name(fresh), deeds) for name, fresh, deeds in told)


def choice_of(view: PokerView) -> ChoiceSight | None:
    """What the person whose view it is may do; None if it is not the person's turn."""
    if not view.legal:
        return None
    raises = raises_among(view.legal)
    stack = None if view.stacks is None else view.stacks[view.seat]
    may_fold, call_all_in = FOLD in view.legal, stack is not None and 0 < view.to_call == stack
    before = put_in_before(view)
    called, pot = view.spent[view.seat] + view.to_call - before, view.pot + view.to_call
    word, low, high = "", 0, 0
    sizes: tuple[SizeSight, ...] = ()
    if raises:
        opening = not view.to_call and (view.round > 0 or not any(view.rules.blinds))
        word = "bet" if opening else "raise to"
        if view.rules.raise_sizes is None:
            low, high = raises[0] - before, raises[-1] - before
            sizes = _sizes(low, high, called, pot)
        else:
            low = high = called + view.rules.raise_sizes[view.round]
    return ChoiceSight(may_fold, view.to_call, call_all_in, word, low, high, sizes, called, pot)


def _sizes(low: int, high: int, called: int, pot: int) -> tuple[SizeSight, ...]:
    """The bets of no-limit that have a button: parts of the pot, and all chips."""
    found: dict[int, str] = {}
    for name, part in SIZES:
        amount = called + round(part * pot)
        if low <= amount < high:
            found.setdefault(amount, name)
    if low < high:
        found.setdefault(low, "least")
    shown = [SizeSight(name, amount) for amount, name in sorted(found.items())]
    return (*shown, SizeSight("all-in", high))


def action_of(word: str, amount: int | None, view: PokerView) -> int | None:
    """The action that a form means: "fold", "call", or "raise" to an amount of this round; None if none."""
    raises = raises_among(view.legal)
    if word == "fold":
        action = FOLD
    elif word == "call":
        action = CALL
    elif word == "raise" and raises and view.rules.raise_sizes is not None:
        action = raises[0]
    elif word == "raise" and raises and amount is not None:
        action = amount + put_in_before(view)
        if action not in raises:
            return None
    else:
        return None
    return action if action in view.legal else None


def result_text(
    players: Sequence[str], you: int, won: Sequence[int], shown: Sequence[Cards | None], showdown: bool
) -> str:
    """How a hand ended, as a person saw it; ``shown`` are the cards of each seat at the showdown."""
    winners = [
        f"{'you win' if seat == you else name + ' wins'} {won[seat]:,}"
        for seat, name in enumerate(players)
        if won[seat] > 0
    ]
    text = ", ".join(winners) or "nobody wins anything"
    text = f"{text[:1].upper()}{text[1:]}"
    if not showdown:
        return text
    cards = [
        f"{'you show' if seat == you else name + ' shows'} {pretty_cards(sorted(hole, reverse=True))}"
        for seat, (name, hole) in enumerate(zip(players, shown, strict=True))
        if hole
    ]
    return f"{text}: {', '.join(cards)}"


def title_of(game: PokerGame) -> str:
    """A game in words: "Leduc", "No-limit hold'em, 6 seats, blinds 1/2"."""
    rules = game.rules
    if rules.hole_cards == 1 or len(rules.deck) < 20:
        return rules.name.partition(":")[0].capitalize()
    kind = "No-limit hold'em" if rules.raise_sizes is None else "Limit hold'em"
    seats = "heads-up" if rules.num_players == 2 else f"{rules.num_players} seats"
    blinds = "/".join(str(blind) for blind in sorted(blind for blind in rules.blinds if blind))
    return f"{kind}, {seats}, blinds {blinds}"


def seen_cards(state: PokerState, you: int) -> list[Cards | None]:
    """[seats] the cards that a person may see at a point of a live hand."""
    shown = state.shown
    return [state.hole(seat) if seat == you else shown[seat] or None for seat in range(len(state.spent))]


def sight_of(
    view: PokerView,
    you: int,
    cards: Sequence[Cards | None],
    number: int,
    *,
    payoffs: Sequence[int] | None = None,
    result: str = "",
    won: int = 0,
    hands: int = 0,
    version: int = 0,
    thinking: str = "",
    drill: str = "",
) -> TableSight:
    """A point of a hand, seen from the seat ``you``; ``payoffs`` are given when the hand is over."""
    streets = len(view.rules.board_cards) > 1
    return TableSight(
        game=view.game.name,
        title=title_of(view.game),
        hand=number + 1,
        at=f"{number + 1}.{len(view.actions)}{'' if payoffs is None else '.end'}",
        version=version,
        seats=seats_of(view, you, cards, payoffs),
        board=cards_name(view.board),
        board_size=sum(view.rules.board_cards),
        pot=view.pot,
        street=STREETS[view.round] if streets else "",
        story=story_of(view, you),
        choice=choice_of(view) if view.seat == you else None,
        over=payoffs is not None,
        result=result,
        won=won,
        hands=hands,
        thinking=thinking,
        drill=drill,
    )


def sights_of_hand(game: PokerGame, hand: Hand, you: int) -> list[TableSight]:
    """A finished hand step by step: before each action, and its end. Cards are those that were seen."""
    cards = list(hand.hole)
    steps = [
        sight_of(public_view(state, hand.players), you, cards, 0)
        for state, _ in decisions(game, hand.actions, hand.board, hand.hole)
    ]
    end = final_state(game, hand)
    shown = [None if end.folded[seat] else hole for seat, hole in enumerate(hand.hole)]
    result = result_text(hand.players, you, hand.payoffs, shown, hand.showdown)
    last = public_view(end, hand.players)
    return [*steps, sight_of(last, you, cards, 0, payoffs=hand.payoffs, result=result)]
