"""Cards, boards and hands: `soulread strength`, `equity`, `range` and `replay`."""

import click

from soulread.cli.common import (
    Computing,
    as_json,
    db_option,
    open_store,
    print_json,
    progress,
    room_option,
    say,
    seed_option,
)
from soulread.errors import SoulreadError

board_option = click.option("--board", "-b", default="", metavar="CARDS", help="Board cards, such as 3h4cJh.")


@click.command(cls=Computing)
@click.argument("hole")
@board_option
@click.option("--range", "-r", "villain", default=None, help="What the opponent may hold; default: anything.")
@click.option(
    "--opponents",
    type=click.IntRange(1, 22),
    default=1,
    show_default=True,
    help="How many opponents there are.",
)
@click.option("--lookahead", type=int, default=None, help="Cards to look ahead: 1 or 2 (default: all).")
@as_json
def strength(
    hole: str, board: str, villain: str | None, opponents: int, lookahead: int | None, as_json: bool
) -> None:
    """Strength and potential of a hand on a board.

    Example: soulread strength AdQc --board 3h4cJh
    """
    from soulread.cards.deck import parse_cards, pretty_cards
    from soulread.cards.ranges import parse_range
    from soulread.cards.strength import hand_strength, potential

    cards, board_cards = parse_cards(hole), parse_cards(board)
    against = None if villain is None else parse_range(villain)
    now = hand_strength(cards, board_cards, against)
    ahead = potential(cards, board_cards, against, lookahead) if len(board_cards) < 5 else None
    if as_json:
        print_json(
            {
                "hole": hole,
                "board": board,
                "opponents": opponents,
                "hs": now.value,
                "hs_n": now.against(opponents),
                "ppot": None if ahead is None else ahead.ppot,
                "npot": None if ahead is None else ahead.npot,
                "ehs": None if ahead is None else ahead.ehs(opponents),
                "table": None if ahead is None else ahead.table.tolist(),
            }
        )
        return
    from soulread.study.hands.cards_terminal import print_strength

    print_strength(f"{pretty_cards(cards)} on {pretty_cards(board_cards)}", now, ahead, opponents)


@click.command(cls=Computing)
@click.argument("hero")
@click.argument("villain", default="random")
@board_option
@click.option("--samples", type=int, default=None, help="Sample this many deals instead of all of them.")
@seed_option()
@as_json
def equity(hero: str, villain: str, board: str, samples: int | None, seed: int, as_json: bool) -> None:
    """All-in equity of a range against another.

    Examples: soulread equity AA; soulread equity "77+" "A2s+, KTs+" --board 3h4cJh
    """
    import numpy as np

    from soulread.cards.deck import parse_cards
    from soulread.cards.equity import equity as exact_equity
    from soulread.cards.equity import equity_sampled
    from soulread.cards.ranges import parse_range

    ranges = parse_range(hero), parse_range(villain)
    cards = parse_cards(board)
    if samples is None:
        found = exact_equity(*ranges, cards)
    else:
        with progress("sampling", samples, shown=not as_json) as (advance, _):
            found = equity_sampled(*ranges, cards, samples, np.random.default_rng(seed), advance)
    win, tie, lose = found.probabilities
    if as_json:
        low, high = found.interval
        asked = {"hero": hero, "villain": villain, "board": board}
        sampled = {"samples": samples, "seed": None if samples is None else seed}
        value = {"value": found.value, "low": low, "high": high, "win": win, "tie": tie, "lose": lose}
        print_json({**asked, **sampled, **value})
        return
    how = f"n = {samples:,}, seed {seed}" if samples else "exact"
    number = found.estimate.text(5) if samples else f"{found.value:.8f}"
    say(f"{number} ({how}): win {win:.2%}, tie {tie:.2%}, lose {lose:.2%}")


@click.command(name="range")
@click.argument("text")
@as_json
def show_range(text: str, as_json: bool) -> None:
    """Show a range of hands as a grid.

    Besides hands, TEXT may have a part of all hands and the names that `soulread ranges` lists.

    Examples: soulread range "AKs, 77+, T9s-54s, AhKh:0.25"; soulread range "btn-open, 72o:0.5";
    soulread range 15%
    """
    from soulread.cards.ranges import format_range, parse_range

    parsed = parse_range(text)
    if as_json:
        print_json({"range": format_range(parsed), "hands": parsed.num_hands, "total": parsed.total})
        return
    from soulread.study.hands.cards_terminal import print_range

    print_range(parsed)


@click.command()
@click.argument("text", required=False)
@as_json
def ranges(text: str | None, as_json: bool) -> None:
    """List the ranges that have a name, or those with TEXT in it.

    They are approximations of our own for six-handed no-limit hold'em with 100 big blinds, written by hand:
    what each position opens, calls and three-bets. A name stands wherever a range does.

    Examples: soulread ranges; soulread ranges btn; soulread range bb-call-btn
    """
    from soulread.cards.named_ranges import NAMED_RANGES
    from soulread.cards.ranges import NUM_HANDS, parse_range

    found = [one for name, one in NAMED_RANGES.items() if text is None or text.lower() in name]
    if not found:
        raise SoulreadError(f"no range has {text!r} in its name; soulread ranges lists all of them")
    parsed = {one.name: parse_range(one.text) for one in found}
    if as_json:
        rows = [
            {
                "name": one.name,
                "range": one.text,
                "about": one.about,
                "hands": parsed[one.name].total,
                "share": parsed[one.name].total / NUM_HANDS,
            }
            for one in found
        ]
        print_json({"ranges": rows})
        return
    from soulread.study.hands.cards_terminal import print_named_ranges

    print_named_ranges(found, [parsed[one.name].total / NUM_HANDS for one in found])


@click.command()
@click.argument("game", required=False)
@click.argument("cards", required=False)
@click.argument("betting", default="")
@db_option
@room_option
@click.option("--hand", "hand_id", help="Hand of a store: the room's id, or # and its number there.")
@click.option("--step", is_flag=True, help="Of a store's hand: wait for Enter before each step.")
@as_json
def replay(
    game: str | None,
    cards: str | None,
    betting: str,
    db: str | None,
    room: str | None,
    hand_id: str | None,
    step: bool,
    as_json: bool,
) -> None:
    """Replay a hand and show where it stands, or show a hand of a store step by step.

    CARDS come in the order dealt: the seats' cards, then the board. BETTING is written as in the ACPC
    protocol: f fold, c check or call, r raise, r12 raise to 12 chips, rounds separated by a slash. With
    --hand a hand of a store is shown: pots and stacks at every step, and on every street what each player
    had or could have had, and how often it is ahead.

    Examples: soulread replay leduc JhQsKh crc/cc; soulread replay --db hands.db --hand 59937795326
    """
    if hand_id is not None:
        if game is not None or betting:
            raise SoulreadError("give either GAME and CARDS, or a hand of a store with --hand")
        _replay_stored(db, hand_id, room, step, as_json)
        return
    if game is None or cards is None or room is not None:
        raise SoulreadError("give GAME and CARDS, or a hand of a store with --hand")
    from soulread.cards.deck import cards_name, parse_cards
    from soulread.games.base import TERMINAL
    from soulread.games.named import parse_game
    from soulread.games.poker import BetActions
    from soulread.games.poker import replay as replay_hand

    state = replay_hand(parse_game(game), betting, parse_cards(cards))
    if as_json:
        legal = state.legal_actions()
        sizes = legal.raises if isinstance(legal, BetActions) else range(0)  # of no-limit: an interval
        print_json(
            {
                "game": state.rules.name,
                "betting": state.betting,
                "board": cards_name(state.board),
                "pot": state.pot,
                "to_act": state.player if state.player >= 0 else None,
                "legal": [state.action_name(action) for action in legal[: len(legal) - len(sizes)]],
                "raise_to": [sizes[0], sizes[-1]] if sizes else None,
                "payoffs": state.payoffs() if state.player == TERMINAL else None,
            }
        )
        return
    from soulread.study.hands.replaying_terminal import print_replay

    print_replay(state)


def _replay_stored(db: str | None, hand_id: str, room: str | None, step: bool, as_json: bool) -> None:
    from soulread.study.hands.replaying import study_replay
    from soulread.study.hands.replaying_terminal import print_steps

    with open_store(db) as store:
        number, hand = store.hand(hand_id, room)
    study = study_replay(hand, number)
    if as_json:
        print_json(study)
        return

    def wait() -> bool:
        click.pause("")
        return True

    print_steps(study, wait if step else None)
