"""Spots with real cards at the prompt."""

from collections.abc import Sequence
from typing import Any

from soulread.api.players import AnyStore, opened_store
from soulread.errors import SoulreadError
from soulread.games.spot import PLAYER_NAMES
from soulread.games.unit import Told
from soulread.processes import Jobs
from soulread.respond.confidence import parse_confidence
from soulread.respond.locks.reads import Read, parse_read
from soulread.seqform.spot import Spot
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.real_cards.spot_files import read_spot
from soulread.study.reads.whole import WholeStudy, study_stored
from soulread.study.spots.boards import BoardsStudy, named_boards, study_boards
from soulread.study.spots.locks import ACCURACY, MOST_ITERATIONS, LockStudy, study_locks
from soulread.study.spots.spots import DEFAULT_GAP, SpotStudy, read_tree, study_spot


def spot(
    board: str,
    oop: str,
    ip: str,
    pot: Told,
    stack: Told,
    bets: str = "60%",
    raises: str = "60%",
    donks: str | None = None,
    *,
    most_bets: int | None = None,
    add_all_in: float = 1.5,
    force_all_in: float = 0.15,
    merge: float = 0.1,
    isomorphism: bool = True,
    blind: Told | None = None,
    rake: str | float | None = None,
    cap: Told | None = None,
    gap: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
) -> SpotStudy:
    """Solve a spot with real cards, such as ``spot("Td9d6h Qc", "66+, AQo+", "QQ-22", 200, 900, "60%,a")``.

    The result is asked with ``at("check bet60%")`` for strategy, EV and equity at any decision. Sizes are
    explained in `soulread.games.spot`. ``pot`` and ``stack`` are chips or big blinds ("27.5bb"), and
    ``blind`` the chips of a big blind; all results are then in big blinds. ``rake`` is the part of the pot
    that the house takes ("5%"), and ``cap`` the most of it; all winnings are after it. It ends at the first
    stop. ``gap`` is an exploitability in the same unit; if it is left out, half a percent of the pot.
    """
    made = read_spot(
        board,
        oop,
        ip,
        pot,
        stack,
        bets,
        raises,
        donks,
        most_bets,
        add_all_in,
        force_all_in,
        merge,
        isomorphism,
        blind,
        rake,
        cap,
    )
    return study_spot(made, Stops(gap=_gap(made, gap, DEFAULT_GAP), iterations=iterations, seconds=seconds))


def _gap(spot: Spot, gap: float | None, share: float) -> float:
    """A gap in the spot's unit, or else a share of the pot, as stops take it."""
    return share * spot.betting.pot if gap is None else gap * spot.unit.parts


def lock(
    spot: SpotStudy | Spot,
    *locks: str | Read,
    trust: float | None = None,
    risk: float | None = None,
    kind: str = "c",
    method: str = "shift",
    gap: float | None = None,
    iterations: int | None = None,
) -> LockStudy:
    """Answer a player who does what the locks say, such as ``"bet60: fold 60%"``, in a spot.

    The result has the curve of trust, from the equilibrium to the hard lock: what each answer wins if the
    locks are right, and what it costs at worst. ``trust`` (0 to 1) or ``risk`` choose the answer; see
    `soulread.study.spots.locks`. ``risk`` and ``gap`` are in the spot's unit; by default
    each solve ends at 0.1% of the pot.
    """
    made = spot if isinstance(spot, Spot) else spot.spot
    stops = Stops(
        gap=_gap(made, gap, ACCURACY), iterations=MOST_ITERATIONS if iterations is None else iterations
    )
    reads = [one if isinstance(one, Read) else parse_read(one) for one in locks]
    return study_locks(made, reads, trust=trust, risk=risk, kind=kind, method=method, stops=stops)


def lock_player(
    store: AnyStore,
    player: str,
    spot: SpotStudy | Spot,
    *,
    villain: str = "ip",
    prior: str = "pool",
    rest: str = "read",
    where: Sequence[str] = (),
    trust: float | None = None,
    risk: float | None = None,
    confidence: str | None = None,
    gap: float | None = None,
    seed: int = 0,
) -> WholeStudy:
    """Answer all that a player of a store is believed to do in a spot, on every street.

    The result has every decision of the player with its frequencies and their intervals, what the answer
    gains and costs, and which decisions the gain comes from. ``rest`` says how decisions are played that were
    seen less than 30 times, or that are not in ``where``: perfect, as the pool (pool), or as read (read). See
    `soulread.study.reads.whole`. ``trust`` is the probability that the player is as believed, or with a
    ``confidence`` such as "curve:50" a part of that of each decision. ``risk`` is in the spot's unit.
    ``gap`` is in chips; by default each solve ends at 0.1% of the pot.
    """
    made = spot if isinstance(spot, Spot) else spot.spot
    if villain not in PLAYER_NAMES:
        raise SoulreadError(f"villain {villain!r}; the player sits oop or ip")
    stops = Stops(gap=ACCURACY * made.betting.pot if gap is None else gap, iterations=MOST_ITERATIONS)
    with opened_store(store) as opened:
        return study_stored(
            opened,
            made,
            player,
            villain=PLAYER_NAMES.index(villain),
            prior=prior,
            rest=rest,
            paths=where,
            trust=trust,
            risk=risk,
            confidence=None if confidence is None else parse_confidence(confidence),
            stops=stops,
            seed=seed,
        )


def boards(
    boards: int | Sequence[str],
    oop: str,
    ip: str,
    pot: Told,
    stack: Told,
    bets: str = "60%",
    raises: str = "60%",
    *locks: str,
    at: str = "",
    seed: int | None = None,
    jobs: Jobs = 1,
    gap: float | None = None,
    **tree: Any,
) -> BoardsStudy:
    """Solve a spot on many boards: on so many flops, on all ("all"), or on those given. Results are kept.

    25, 50, 75, 100, 140 or 184 flops are those that stand for all; other numbers, and any number with a
    ``seed``, are drawn at random. ``at`` is the path of the decision that is counted, ``gap`` an
    exploitability in the pot's unit. With ``locks`` the result says what the hard lock wins on each board.
    ``tree`` are the other arguments of `spot`.
    """
    if isinstance(boards, int | str):
        chosen = named_boards(str(boards), seed)
    else:
        chosen = [(board, 1) for board in boards]
    settings = {
        "oop": oop,
        "ip": ip,
        "pot": pot,
        "stack": stack,
        "bets": bets,
        "raises": raises,
        **read_tree(""),
    }
    settings |= {"donks": None, **tree}
    part = DEFAULT_GAP
    if gap is not None:
        first = read_spot(chosen[0][0], **settings)
        part = gap / first.unit.of(first.betting.pot)
    return study_boards(chosen, settings, at, gap=part, locks=locks, jobs=jobs)
