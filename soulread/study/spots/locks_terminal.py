"""Locks of a spot: the reads, the curve of trust and the hands that change, printed and drawn."""

from soulread.report.grid import Grid, console, titled
from soulread.respond.locks.reads import Locked
from soulread.seqform.spot import action_word
from soulread.study.spots.locks import Changes, LockStudy

KIND_WORDS = {
    "c": "trust: at a lock, the opponent follows it with this confidence (times that of its n)",
    "p": "trust: the probability that the opponent is bound by all locks, and not by none",
}


def print_locks(study: LockStudy) -> None:
    """Print the locks, the curve, the advice and the hands that change."""
    unit = study.spot.unit.name
    _print_reads(study)
    table = Grid(
        "trust", "if right", "at least", "worst case", "gain if right", "cost if wrong", "gap", "seconds"
    )
    for answer in study.curve.answers:
        point = study.point(answer)
        cells = [f"{point[name]:z.2f}" for name in ("if_right", "at_least", "worst", "gain", "cost", "gap")]
        table.add_row(f"{answer.trust:g}", *cells, f"{answer.response.seconds:.1f}")
    console.print(titled(study.title, table))
    console.print(
        f"Values are {unit} of a hand, beyond half the pot. If right: the opponent keeps to the locks and "
        "plays the equilibrium elsewhere. At least: keeps to them and plays what hurts most elsewhere. Worst "
        "case: an exact best response against this answer. Gain and cost are beyond the equilibrium "
        f"(trust 0). {KIND_WORDS[study.curve.kind]}.",
        style="dim",
    )
    chosen = study.point(study.chosen)
    console.print(
        f"Advice: trust {chosen['trust']:.3g} ({study.why}). It gains {chosen['gain']:.2f} {unit} if the "
        f"read is right, and costs at most {max(chosen['cost'], 0):.2f} if it is wrong."
    )
    print_changes(study.changes)


def _print_reads(study: LockStudy) -> None:
    table = Grid("lock of " + study.villain, "hands", "actions", "n", "confidence", left=(1, 2), words=(2,))
    for locked in _some(study.locked):
        read = locked.read
        table.add_row(
            study.spot.path(locked.place) or "start",
            "range" if read.hands is None else str(read.hands),
            describe_lock(study, locked),
            "" if read.n is None else f"{read.n:,}",
            f"{read.confidence:.2f}",
        )
    console.print(titled(f"locks: {len(study.locked)}", table))
    for source in dict.fromkeys(locked.read.source for locked in study.locked if locked.read.source):
        console.print(source, style="dim")


def _some(locked: tuple[Locked, ...]) -> tuple[Locked, ...]:
    """The first decisions; a lock with a star has hundreds."""
    return locked[:12]


def describe_lock(study: LockStudy, locked: Locked) -> str:
    """Each action's frequency in the equilibrium and in the lock, with the interval of a counted one."""
    intervals = locked.read.intervals()
    node = study.spot.node(locked.place)
    words = []
    for action, before, after in zip(node.actions, locked.before, locked.after, strict=True):
        word = action_word(action)
        low_high = intervals.get(word) or intervals.get(action.kind)
        between = "" if low_high is None else f" ({100 * low_high[0]:.0f}-{100 * low_high[1]:.0f}%)"
        words.append(f"{word} {100 * before:.0f}% -> {100 * after:.0f}%{between}")
    return ", ".join(words)


def print_changes(changes: Changes) -> None:
    """Print what the answer does otherwise than the equilibrium at one decision."""
    table = Grid("hand", "of all", *changes.actions)
    rows = [("all hands", 1.0, changes.before, changes.after)]
    rows += [(hand.name, hand.share, hand.before, hand.after) for hand in changes.hands]
    for name, share, before, after in rows:
        cells = [f"{100 * b:.0f}% -> {100 * a:.0f}%" for b, a in zip(before, after, strict=True)]
        table.add_row(name, f"{100 * share:.1f}%", *cells)
    where = changes.path or "the start"
    console.print(titled(f"hands that change most at {where}, equilibrium -> advice", table))
