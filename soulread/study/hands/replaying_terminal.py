"""A hand in the terminal, step by step."""

from collections.abc import Callable

from soulread.cards.deck import parse_cards, pretty_cards
from soulread.games.base import TERMINAL
from soulread.games.poker import PokerState
from soulread.hands.money import shown_amount
from soulread.hands.record import stakes_of
from soulread.report.grid import Grid, console, titled
from soulread.study.hands.replaying import ReplayStep, ReplayStudy, SeatSeen


def print_steps(study: ReplayStudy, wait: Callable[[], bool] | None = None) -> None:
    """Print a hand; ``wait`` is called before every step but the first, and ends it all if it is false."""
    hand = study.hand
    when = "" if hand.time is None else f", {hand.time:%Y-%m-%d %H:%M}"
    table = Grid("seat", "player", "position", "stack", "cards", left=(1, 2))
    for seat, name in enumerate(hand.players):
        stack = "" if hand.stacks is None else shown_amount(hand.stacks[seat], hand.stakes)
        table.add_row(str(seat), name, study.positions[seat], stack, pretty_cards(hand.hole[seat] or ()))
    console.print(titled(f"#{study.number} {hand.id} {hand.game}{when}", table))
    for number, step in enumerate(study.steps):
        if number and wait is not None and not wait():
            return
        _print_step(study, step)


def _print_step(study: ReplayStudy, step: ReplayStep) -> None:
    stakes = study.hand.stakes
    pot = f"pot {shown_amount(step.pot, stakes)}"
    if step.seat is not None:
        left = "" if step.stacks is None else f", {shown_amount(step.stacks[step.seat], stakes)} left"
        console.print(f"  {step.text}   {pot}{left}")
        return
    board = " & ".join(pretty_cards(parse_cards(part)) for part in step.board.split(" & ") if part)
    title = f"{step.street} {board}".strip() if step.street not in step.text else step.text
    console.print(
        f"{step.text if step.text.startswith(('showdown', 'over')) else title}   {pot}",
        style="bold",
    )
    for seen in step.seen:
        console.print(f"    {study.hand.players[seen.seat]}: {_words(seen)}", style="dim")


def _words(seen: SeatSeen) -> str:
    if seen.cards is None:
        better = "" if seen.better is None else f", {seen.better:,} ahead of the best that was seen"
        return f"{seen.possible:,} holdings possible{better}"
    parts = [pretty_cards(parse_cards(seen.cards))]
    if seen.makes is not None:
        parts.append(seen.makes)
    if seen.ahead is not None:
        parts.append(f"ahead of {seen.ahead:.0%} of holdings")
    if seen.share is not None:
        parts.append(f"wins {seen.share:.1%} of the pot on average")
    return ", ".join(parts)


def hand_text(study: ReplayStudy) -> str:
    """A hand in plain lines, without possible holdings."""
    hand = study.hand
    lines = []
    for seat, name in enumerate(hand.players):
        stack = "" if hand.stacks is None else f", {shown_amount(hand.stacks[seat], hand.stakes)}"
        cards = pretty_cards(hand.hole[seat] or ())
        lines.append(f"{study.positions[seat]:>3}  {name}{stack}" + (f"  {cards}" if cards else ""))
    for step in study.steps:
        if step.seat is not None:
            lines.append(f"  {step.text}")
            continue
        board = " & ".join(pretty_cards(parse_cards(part)) for part in step.board.split(" & ") if part)
        over = step.text.startswith(("showdown", "over"))
        what = step.text if over or not board else f"{step.street} {board}"
        lines.append(f"{what}   pot {shown_amount(step.pot, hand.stakes)}")
    return "\n".join(lines)


def print_replay(state: PokerState) -> None:
    """Print a hand step by step: actions and result."""
    rules = state.rules
    table = Grid("seat", "cards", "put in", "won")
    stakes = stakes_of(state.game)
    finished = state.player == TERMINAL
    payoffs = state.payoffs() if finished else None
    for seat in range(rules.num_players):
        won = "" if payoffs is None else shown_amount(payoffs[seat], stakes, "+")
        folded = " (folded)" if state.folded[seat] else ""
        put_in = shown_amount(state.spent[seat], stakes)
        table.add_row(f"{seat}{folded}", pretty_cards(state.hole(seat)), put_in, won)
    console.print(titled(f"{rules.name} {state.betting}", table))
    board = pretty_cards(state.board) or "none"
    console.print(f"board: {board}   pot: {shown_amount(state.pot, stakes)}")
    if state.player >= 0:
        console.print(f"to act: seat {state.player}: {_legal_text(state)}")
    elif not finished:
        console.print("next: a card is dealt")


def _legal_text(state: PokerState) -> str:
    """The legal actions of the seat to act; of many raises the smallest and the largest."""
    legal = state.legal_actions()
    few = legal if len(legal) < 5 else legal[:3]
    names = [state.action_name(action) for action in few]
    return ", ".join(names if few is legal else [*names, "...", state.action_name(legal[-1])])
