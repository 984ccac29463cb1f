"""Tables of hands that were found, and of the occasions of a statistic."""

from collections.abc import Collection, Sequence
from math import isfinite

from soulread.cards.deck import pretty_cards
from soulread.hands.conditions import Order
from soulread.hands.money import betting_text, big_blinds_text, shown_amount
from soulread.hands.statistics import StatisticKind, Value
from soulread.report.grid import Grid, console, titled
from soulread.study.finding.occasions import Occasion, OccasionStudy
from soulread.study.finding.played import PlayedHand, SearchStudy
from soulread.study.hands.statistics_terminal import number_text
from soulread.words import plural

_ORDERS = {
    Order.POT: "the largest pots",
    Order.SMALLEST_POT: "the smallest pots",
    Order.WON: "the most won",
    Order.LOST: "the most lost",
    Order.DATE: "the latest",
    Order.OLDEST: "the earliest",
}
_BY_POT = (Order.POT, Order.SMALLEST_POT)


def print_search(study: SearchStudy, order: Order | None = None) -> None:
    """Print a line for each hand; of a player with the position, the line and the result."""
    console.print(titled(_shown(study.shown, study.count, "hand", order), search_grid(study, order)))


def search_grid(study: SearchStudy, order: Order | None = None) -> Grid:
    """A row for each hand that was found."""
    rows = [_search_row(played) for played in study.hands]
    unused = {"game"} if len({row["game"] for row in rows}) < 2 else set()
    if study.player is not None and order not in _BY_POT:
        unused.add("pot")
    return _grid(rows, unused)


def _search_row(played: PlayedHand) -> dict[str, str]:
    hand = played.hand
    row = {"hand": f"#{played.number}", "id": hand.id, "time": _time(played), "game": played.game}
    row["seats"] = f"{hand.num_players}"
    betting = betting_text(hand.betting, hand.stakes)
    if played.seat is None:
        pot = shown_amount(played.pot_chips, hand.stakes)
        return {**row, "board": _board(played), "betting, bb": betting, "pot": pot}
    own = {"position": played.position, "cards": _cards(played), "board": _board(played)}
    return {**row, **own, "line": _line(played), "betting, bb": betting, **_amounts(played)}


_LEFT = ("id", "time", "game", "position", "line", "street", "done", "betting, bb")
_WORDS = ("line", "betting, bb")


def _grid(rows: Sequence[dict[str, str]], unused: Collection[str]) -> Grid:
    """Rows of the same columns as a table, without some columns."""
    columns = [column for column in rows[0] if column not in unused]
    left = [i for i, column in enumerate(columns) if column in _LEFT]
    words = [i for i, column in enumerate(columns) if column in _WORDS]
    table = Grid(*columns, left=left, words=words)
    for row in rows:
        table.add_row(*(row[column] for column in columns))
    return table


def print_occasions(study: OccasionStudy, order: Order | None = None) -> None:
    """Print how many occasions there were and how many were taken, and a line for each of those shown."""
    several = len(study.kinds) > 1
    console.print(f"{study.player}, {study.statistic.name}: {study.statistic.about}.")
    for kind, hands, value in study.kinds:
        which = f"{kind.name} ({kind.options}), " if several else ""
        console.print(f"{which}{plural(hands, 'hand')}: {headline(value)}")
    if not study.kinds:
        console.print("0 occasions: there are no such hands")
    if not study.occasions:
        return
    which = "" if study.taken is None else " that were taken" if study.taken else " that were missed"
    shown = _shown(len(study.occasions), study.listed, "occasion", order, which)
    console.print(titled(shown, occasions_grid(study, order)))


def occasions_grid(study: OccasionStudy, order: Order | None = None) -> Grid:
    """A row for each occasion that is listed."""
    rows = [_occasion_row(one) for one in study.occasions]
    unused = {column for column in ("street", "facing") if not any(row[column] for row in rows)}
    if order not in _BY_POT:
        unused.add("pot")
    return _grid(rows, unused)


def headline(value: Value) -> str:
    """The occasions of a statistic in one line, with the rate and its 95% interval."""
    low, high = value.interval
    kind = value.statistic.kind
    if kind is StatisticKind.FACTOR:
        counted = f"{plural(value.n, 'call')}, {plural(int(value.count), 'bet or raise', 'bets and raises')}"
    elif kind is StatisticKind.AMOUNT:
        counted = f"{plural(value.n, 'occasion')}, {value.count:+,.1f} bb in all"
    else:
        counted = f"{plural(value.n, 'occasion')}, {int(value.count):,} taken"
    if value.value is None:
        return counted
    rate = number_text(value, value.value) + (" bb/100" if kind is StatisticKind.AMOUNT else "")
    if not (isfinite(low) and isfinite(high)):
        return f"{counted} ({rate})"
    return f"{counted} ({rate}, 95% interval {number_text(value, low)} to {number_text(value, high)})"


def _shown(shown: int, count: int | None, what: str, order: Order | None, which: str = "") -> str:
    """What a table has, in a line: "20 of 131 hands, the largest pots first"."""
    total = f"the first {plural(shown, what)}" if count is None else plural(count, what)
    number = total if count is None or shown == count else f"{shown:,} of {total}"
    return f"{number}{which}{'' if order is None else f', {_ORDERS[order]} first'}"


def _occasion_row(one: Occasion) -> dict[str, str]:
    played = one.played
    unit = " bb" if one.street == "preflop" else "%"
    counted = {"taken": "yes" if one.taken else "no"}
    return {
        "hand": f"#{played.number}",
        "time": _time(played),
        "position": played.position,
        "cards": _cards(played),
        "board": _board(played),
        "line": _line(played),
        "street": one.street,
        "facing": "" if one.faced is None else f"{one.faced:g}{unit}",
        "done": one.done,
        **(counted if one.amount is None else {"counted": f"{one.amount:+.1f} bb"}),
        **_amounts(played),
    }


def _time(played: PlayedHand) -> str:
    return "" if played.hand.time is None else f"{played.hand.time:%Y-%m-%d %H:%M}"


def _cards(played: PlayedHand) -> str:
    return "" if played.seat is None else pretty_cards(played.hand.hole[played.seat] or ())


def _board(played: PlayedHand) -> str:
    return " & ".join(pretty_cards(board) for board in played.hand.boards)


def _line(played: PlayedHand) -> str:
    """The whole line: "raise, bet-bet-check"."""
    return ", ".join(part for part in (played.preflop, played.line) if part)


def _amounts(played: PlayedHand) -> dict[str, str]:
    """The pot in big blinds, and what the player won also in money."""
    stakes, seat = played.hand.stakes, played.seat
    won = "" if seat is None else shown_amount(played.hand.payoffs[seat], stakes, "+")
    return {"pot": big_blinds_text(played.pot_chips, stakes), "won": won}
