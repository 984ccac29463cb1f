"""Ranges of others: `soulread read`, and the income rates it begins with: `soulread incomes`."""

from typing import TYPE_CHECKING

import click

from soulread.cli.common import (
    Computing,
    as_json,
    db_option,
    open_store,
    print_json,
    room_option,
    seed_option,
    status,
)
from soulread.errors import SoulreadError

if TYPE_CHECKING:
    from soulread.hands.hand import Hand


@click.command(cls=Computing)
@click.argument("hand", required=False)
@db_option
@room_option
@click.option("--hand", "hand_id", help="Hand of a store or file: the room's id, or # and its number there.")
@click.option(
    "--decision", "at", type=int, help="Number of a decision, from 1.  [default: our last one, else the end]"
)
@click.option("--player", help="Who we are, if not the one whose cards the hand was seen with.")
@click.option(
    "--model",
    type=click.Choice(("gom", "som", "completed", "relational")),
    help="Read everybody alike (gom), or each player by the hands before this one.  [default: gom, in "
    "no-limit relational]",
)
@click.option("--game", help="Game of a file that does not name its own, such as an ACPC log.")
@as_json
def read(
    hand: str | None,
    db: str | None,
    room: str | None,
    hand_id: str | None,
    at: int | None,
    player: str | None,
    model: str | None,
    game: str | None,
    as_json: bool,
) -> None:
    """Read what everybody may hold at a point of a hand of hold'em: ranges as grids, and where we stand.

    HAND is a file of any format, or a hand as a line of JSON; with --db it is left out. Of every opponent who
    is still in the range is shown, how it changed with the last action, and HS, PPot and EHS of our hand
    against it. gom and som are Loki's weight tables; completed and relational are models of no-limit players.
    --json also has the chance of each of the 1326 holdings.

    Examples: soulread read hand.phh --decision 7;
    soulread read --db hands.db --hand 59937795326 --model relational
    """
    from soulread.study.hands.holdings import study_reading
    from soulread.study.hands.holdings_terminal import print_reading

    if hand is not None and db is not None:
        raise SoulreadError("give either HAND or --db")
    if hand is not None and room is not None:
        raise SoulreadError("--room is for a store; HAND is a file")
    number, found, earlier = (
        _stored(db, hand_id, room, model) if hand is None else _given(hand, hand_id, game)
    )
    if model is None:
        model = "relational" if "no-limit" in found.variant else "gom"
    with status("reading", shown=not as_json):
        study = study_reading(found, number, at, player=player, kind=model, earlier=earlier)
    if as_json:
        print_json(study)
    else:
        print_reading(study)


def _stored(
    db: str | None, hand_id: str | None, room: str | None, model: str | None
) -> "tuple[int, Hand, list[Hand]]":
    """A hand of a store, and the hands of its players that came before it."""
    if hand_id is None:
        raise SoulreadError("give HAND, or a hand of a store with --hand")
    with open_store(db) as store:
        number, found = store.hand(hand_id, room)
        before = store.earlier(number, found.players if model != "gom" else (), found.room)
    return number, found, before


def _given(text: str, hand_id: str | None, game: str | None) -> "tuple[int, Hand, list[Hand]]":
    """A hand in JSON, or one of a file and the hands before it; without an id the first of the file."""
    from soulread.games.named import parse_game
    from soulread.hands.formats.reading import Skipped, read_hands
    from soulread.hands.formats.records import read_record

    if text.lstrip().startswith("{"):
        return 1, read_record(text), []
    before: list[Hand] = []
    left_out = None
    for read in read_hands(text, None if game is None else parse_game(game)):
        if isinstance(read, Skipped):
            left_out = left_out or read
            continue
        number = len(before) + 1
        if hand_id is None or hand_id in (read.id, f"#{number}"):
            return number, read, before
        before.append(read)
    if hand_id is not None:
        raise SoulreadError(f"{text!r} has no hand {hand_id!r}; it has {len(before):,} that can be read")
    raise SoulreadError(f"{text!r} has no hand that can be read" + (f": {left_out}" if left_out else ""))


@click.command(cls=Computing)
@click.option("--players", type=int, help="Players dealt in, 2 to 10.  [default: all of them in turn]")
@click.option("--deals", type=int, help="Hands dealt.  [default: as many as the models use]")
@seed_option(1998)
@click.option("--iterated", is_flag=True, help="Let classes fold that earn less than a fold.")
@as_json
def incomes(players: int | None, deals: int | None, seed: int, iterated: bool, as_json: bool) -> None:
    """Show what each class of starting hands earns if everybody pays one small bet and nobody folds.

    The rates are simulated once and kept. Weight tables take them as the scale of hands before the flop.

    Examples: soulread incomes --players 6; soulread incomes --players 10 --iterated --json
    """
    from soulread.cards.deck import MAX_PLAYERS
    from soulread.cards.scales import incomes as rates
    from soulread.study.hands.holdings_terminal import print_incomes

    numbers = range(2, MAX_PLAYERS + 1) if players is None else (players,)
    with status("dealing", shown=not as_json) as tell:
        found = []
        for count in numbers:
            tell(f"dealing to {count} players")
            found.append(rates.incomes(count, rates.DEALS if deals is None else deals, seed, iterated))
    if as_json:
        print_json({"tables": found})
        return
    for one in found:
        print_incomes(one)
