"""What `soulread spot` can do besides solving one spot: stored hands, locks with trust, and many boards."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from soulread.cli.common import early_end, open_store, print_json, progress, status
from soulread.errors import SoulreadError

if TYPE_CHECKING:
    from soulread.respond.locks.reads import Read
    from soulread.seqform.spot import Spot
    from soulread.solvers.cfr.stops import Stops
    from soulread.study.spots.from_hands import HandSpot

_OPTIONS = (
    click.option("--hand", help="Take the spot from a hand of the store --db: its id, or # and its number."),
    click.option("--street", help="Of that hand: flop, turn or river.  [default: the last two decide on]"),
    click.option("--db", help="Store of hands: a file, or postgresql://..."),
    click.option(
        "--model", help="Who reads ranges that are not given: relational, gom, ...  [default: relational]"
    ),
    click.option("--lock", multiple=True, metavar="LOCK", help="What a player does: 'bet60: fold 60%'."),
    click.option("--lock-player", metavar="NAME", help="Lock what this player of the store really does."),
    click.option("--lock-at", multiple=True, metavar="PATH", help="Where.  [default: all of the street]"),
    click.option("--villain", type=click.Choice(("oop", "ip")), help="Where the player sits.  [default: ip]"),
    click.option("--trust", type=float, help="How far locks are believed, 0 to 1."),
    click.option("--risk", type=float, help="Chips that the worst case may cost beyond the equilibrium."),
    click.option(
        "--trust-kind",
        type=click.Choice(("c", "p")),
        default="c",
        show_default=True,
        help="Trust as a confidence at each lock, or as the probability of all of them.",
    ),
    click.option("--confidence", help="How trust grows with n: curve:50, 0-10, ...  [default: curve:50]"),
    click.option(
        "--hands-by",
        type=click.Choice(("shift", "l1", "l2")),
        default="shift",
        show_default=True,
        help="How frequencies of a range become those of hands.",
    ),
    click.option("--boards", metavar="FILE|N", help="Solve on the boards of a file, or on N of 1755 flops."),
    click.option("--jobs", type=int, default=1, show_default=True, help="Processes, for --boards."),
    click.option("--seed", type=int, default=0, show_default=True, help="Which N flops."),
    click.option("--csv", type=click.Path(path_type=Path), help="Write a line for each board to this file."),
)


@dataclass(frozen=True)
class More:
    """The options of this module."""

    hand: str | None
    street: str | None
    db: str | None
    model: str | None
    lock: tuple[str, ...]
    lock_player: str | None
    lock_at: tuple[str, ...]
    villain: str | None
    trust: float | None
    risk: float | None
    trust_kind: str
    confidence: str | None
    hands_by: str
    boards: str | None
    jobs: int
    seed: int
    csv: Path | None

    @property
    def has_locks(self) -> bool:
        """Whether something is locked."""
        return bool(self.lock) or self.lock_player is not None

    def verify(self) -> None:
        """Raise if options are given that need others."""
        for given, name, needs in (
            (self.street, "--street", self.hand),
            (self.model, "--model", self.hand),
            (self.trust, "--trust", self.has_locks),
            (self.risk, "--risk", self.has_locks),
            (self.lock_at or None, "--lock-at", self.lock_player),
            (self.villain, "--villain", self.lock_player),
            (self.confidence, "--confidence", self.lock_player),
            (self.csv, "--csv", self.boards),
        ):
            if given is not None and not needs:
                other = {
                    "--street": "--hand",
                    "--model": "--hand",
                    "--trust": "--lock or --lock-player",
                    "--risk": "--lock or --lock-player",
                    "--csv": "--boards",
                }.get(name, "--lock-player")
                raise SoulreadError(f"{name} needs {other}")
        if self.boards is not None and (self.hand is not None or self.lock_player is not None):
            raise SoulreadError("--boards takes ranges, pot, stack and --lock, not --hand or --lock-player")


def more_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options; the command gets them as one argument ``more``."""
    names = [field.name for field in fields(More)]

    @functools.wraps(command)
    def collected(**arguments: Any) -> Any:
        more = More(**{name: arguments.pop(name) for name in names})
        more.verify()
        return command(more=more, **arguments)

    for option in reversed(_OPTIONS):
        collected = option(collected)
    return collected


# From a hand.


def spot_of_store(more: More, oop: str | None, ip: str | None, bets: str, raises: str) -> "HandSpot":
    """The spot of ``--hand``; ranges that are not given are read by ``--model``."""
    from soulread.cards.ranges import parse_range
    from soulread.model.catalogue import parse_model
    from soulread.study.spots.from_hands import stored_spot

    assert more.hand is not None
    ranges = (None if oop is None else parse_range(oop), None if ip is None else parse_range(ip))
    model = parse_model(more.model or "relational").make_from_rules
    with open_store(more.db) as store:
        return stored_spot(
            store, more.hand, more.street, ranges=ranges, make_model=model, bets=bets, raises=raises
        )


# Locks.


def show_locks(
    spot: "Spot",
    more: More,
    stops: "Stops",
    at: str | None,
    taken: "HandSpot | None",
    figure: Path | None,
    as_json: bool,
) -> None:
    """Solve the spot, answer the locks, print the curve and the advice."""
    from dataclasses import replace

    from soulread.study.spots.locks import study_locks
    from soulread.study.spots.locks_terminal import draw_locks, print_locks

    with status(f"solving {spot.name}", shown=not as_json) as show, early_end() as pressed:
        reads = _reads(spot, more, taken, show)
        study = study_locks(
            spot,
            reads,
            trust=more.trust,
            risk=more.risk,
            kind=more.trust_kind,
            method=more.hands_by,
            stops=replace(stops, stop=pressed),
            at=at,
            tell=show,
        )
    if figure is not None:
        draw_locks(study, figure)
    if as_json:
        print_json(study, {"hand": taken})
        return
    if taken is not None:
        print_hand(taken)
    print_locks(study)
    if figure is not None:
        click.echo(f"drawn to {figure}")


def print_hand(taken: "HandSpot") -> None:
    """Where a spot comes from."""
    oop, ip = taken.players
    stakes = taken.hand.stakes
    worth = f" A chip is {stakes.chip} {stakes.currency}." if stakes.currency else ""
    click.echo(
        f"Hand {taken.hand.id or taken.number}, {taken.street}: {oop} is out of position (range "
        f"{taken.sources[0]}), {ip} in position (range {taken.sources[1]}). "
        f"The hand went on: {taken.line or 'otherwise than in this tree'}." + worth
    )


def _reads(spot: "Spot", more: More, taken: "HandSpot | None", show: Callable[[str], None]) -> "list[Read]":
    from soulread.respond.confidence import parse_confidence
    from soulread.respond.locks.reads import parse_read
    from soulread.respond.locks.trust import DEFAULT_CONFIDENCE
    from soulread.study.spots.player_counts import stored_reads

    reads = [parse_read(text) for text in more.lock]
    if more.lock_player is None:
        return reads
    confidence = parse_confidence(more.confidence or DEFAULT_CONFIDENCE)
    villain = {"oop": 0, "ip": 1, None: None}[more.villain]
    with open_store(more.db) as store:
        return stored_reads(
            store,
            spot,
            more.lock_player,
            confidence,
            given=reads,
            paths=more.lock_at,
            villain=villain,
            taken=taken,
            tell=show,
        )


# Many boards.


def show_boards(
    more: More,
    settings: dict[str, Any],
    at: str,
    gap: float | None,
    iterations: int | None,
    figure: Path | None,
    as_json: bool,
) -> None:
    """Solve the spot on many boards, as tasks that are kept; print means by texture.

    ``gap`` is in % of the pot.
    """
    from soulread.storage.files import verify_writable, write_file
    from soulread.study.spots.boards import read_boards, sample_flops, study_boards
    from soulread.study.spots.boards_terminal import draw_boards, print_boards
    from soulread.study.spots.spots import DEFAULT_GAP

    assert more.boards is not None
    if more.csv is not None:
        verify_writable(more.csv)
    number = more.boards.isdecimal()
    boards = sample_flops(int(more.boards), more.seed) if number else read_boards(Path(more.boards))
    with progress("solving boards", len(boards), shown=not as_json) as (add, _):
        study = study_boards(
            boards,
            settings,
            at,
            gap=DEFAULT_GAP if gap is None else gap / 100,
            iterations=iterations,
            locks=more.lock,
            trust=more.trust,
            risk=more.risk,
            kind=more.trust_kind,
            method=more.hands_by,
            jobs=more.jobs,
            progress=add,
        )
    if more.csv is not None:
        write_file(more.csv, study.to_csv().encode())
    if figure is not None:
        draw_boards(study, figure)
    if as_json:
        print_json(study)
        return
    print_boards(study)
    for made, path in (("drawn to", figure), ("written to", more.csv)):
        if path is not None:
            click.echo(f"{made} {path}")
