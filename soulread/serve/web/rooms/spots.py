"""Spots of the page, in the processes that compute: set up, solved, walked, locked.

A spot comes as what the user wrote, field by field, in the words of `soulread spot`: either ``board``,
``oop``, ``ip``, ``pot`` and ``stack``, or a ``hand`` of a store. Results are plain values and drawings.
"""

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from markupsafe import Markup

from soulread.cards.deck import cards_name
from soulread.cards.named_ranges import NAMED_RANGES
from soulread.cards.ranges import CELL_SIZES, class_name, format_range, parse_range
from soulread.encoding import json_text, plain_data
from soulread.errors import DamagedFile, SoulreadError
from soulread.games.spot import PLAYER_NAMES
from soulread.games.unit import BIG_BLINDS, CHIPS, PARTS, number_text
from soulread.hands.store import Query, Store, default_store
from soulread.model.catalogue import parse_model
from soulread.processes import tell_owner
from soulread.report.action_grid import action_grid, action_kinds, value_grid
from soulread.report.drawings import Sketch, line_chart
from soulread.report.figures import GREEN, RED, Curve, Panel
from soulread.report.sheet import rows_text
from soulread.respond.confidence import parse_confidence
from soulread.respond.locks.reads import Read, parse_read, verify_reads
from soulread.respond.locks.trust import DEFAULT_CONFIDENCE
from soulread.seqform.spot import Spot, action_number
from soulread.solvers.cfr.run import Check
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.cfr.streamed import verify_spot
from soulread.solvers.real_cards.spot_files import describe_spot, read_spot
from soulread.storage.files import write_file
from soulread.study.players.hero import meant_player
from soulread.study.spots.from_hands import HandSpot, stored_spot
from soulread.study.spots.locks import (
    ACCURACY,
    MOST_ITERATIONS,
    DialStop,
    HandChange,
    dial,
    study_locks,
)
from soulread.study.spots.player_counts import stored_reads
from soulread.study.spots.spots import DEFAULT_GAP, SpotView, open_study, read_tree, study_spot
from soulread.study.spots.spots_terminal import progress_line, size_line
from soulread.study.spots.walk import Holding, SpotWalk, classes_of, hands_of, holding_rows

CLASSES = tuple(class_name(cell) for cell in range(169))
TOLD_EVERY = 0.25  # seconds between two words about a solve
_LARGE = 5_000_000  # sequences from which the dial has fewer positions

Fields = Mapping[str, str]


# Setting up.


def ranges(texts: Mapping[str, str], put: Mapping[str, str] | None = None) -> dict[str, dict[str, Any]]:
    """Ranges as an editor shows them: text, weight of each class from 0 to 1, and how many hands there are.

    ``named`` are the ranges that have a name, with what each is.

    ``put`` are classes, such as "AKs,QQ", and the weight they get before that, by the name of the range.
    """
    return {name: _range(text, (put or {}).get(name, "")) for name, text in texts.items()}


def _range(text: str, put: str) -> dict[str, Any]:
    named = [(one.name, one.about) for one in NAMED_RANGES.values()]
    nothing = {"text": text, "weights": [0.0] * 169, "hands": 0, "error": "", "named": named}
    whole = ", ".join(part for part in (text.strip(), put) if part)
    if not whole:
        return nothing
    try:
        found = parse_range(whole)
    except SoulreadError as error:
        return {**nothing, "error": str(error)}
    grid = found.grid().reshape(169)
    return {
        **nothing,
        "text": format_range(found) if put else text,
        "weights": [min(1.0, float(weight)) for weight in grid],
        "hands": found.num_hands,
    }


def size(fields: Fields) -> dict[str, str]:
    """What a spot that is being set up would be: its size in one line, or what is wrong with it."""
    try:
        spot = _typed(fields)
        line = size_line(spot)
        verify_spot(spot)
    except SoulreadError as error:
        return {"line": "", "error": str(error)}
    return {"line": line, "error": ""}


def take(fields: Fields, store: str | None) -> dict[str, Any]:
    """The spot of a stored hand as fields that can be edited, and where it comes from, in words."""
    spot, taken = _made(fields, store)
    assert taken is not None
    return {"fields": _fields(spot), "taken": _taken(taken)}


def begin(fields: Fields, stops: Fields, store: str | None) -> dict[str, Any]:
    """Look at a spot before it is solved; whatever `soulread spot` would refuse is refused."""
    spot, taken = _made(fields, store)
    _ = spot.start
    _stops(stops, spot)
    line = size_line(spot)
    verify_spot(spot)
    return {"title": _title(spot), "line": line, "taken": None if taken is None else _taken(taken)}


def _title(spot: Spot) -> str:
    pot, stack = (spot.unit.grand(amount) for amount in (spot.betting.pot, spot.betting.stack))
    return f"{cards_name(spot.board)}, pot {pot}, stacks {stack}{spot.rake_text}"


def _taken(taken: HandSpot) -> dict[str, Any]:
    oop, ip = taken.players
    return {
        "hand": taken.hand.id or str(taken.number),
        "number": taken.number,
        "street": taken.street,
        "pot": taken.spot.unit.grand(taken.spot.betting.pot),
        "stack": taken.spot.unit.grand(taken.spot.betting.stack),
        "oop": oop,
        "ip": ip,
        "line": taken.line,
        "ranges": list(taken.sources),
    }


def _made(fields: Fields, store: str | None) -> tuple[Spot, HandSpot | None]:
    """The spot that fields describe."""
    if not fields.get("hand"):
        return _typed(fields), None
    oop, ip = (parse_range(text) if (text := fields.get(name, "")) else None for name in PLAYER_NAMES)
    taken = _stored(fields, store, (oop, ip))
    return taken.spot, taken


def _stored(fields: Fields, store: str | None, ranges: tuple[Any, Any]) -> HandSpot:
    menus = {name: fields[name] for name in ("bets", "raises") if fields.get(name)}
    with _opened(store) as opened:
        return stored_spot(
            opened,
            fields["hand"],
            fields.get("street") or None,
            ranges=ranges,
            make_model=parse_model(fields.get("model") or "relational").make_from_rules,
            rake=fields.get("rake"),
            cap=fields.get("cap"),
            **menus,
        )


def _typed(fields: Fields) -> Spot:
    missing = [name for name in ("board", "oop", "ip", "pot", "stack") if not fields.get(name)]
    if missing:
        names = {"oop": "a range out of position", "ip": "a range in position", "stack": "stacks"}
        raise SoulreadError(f"a spot needs {', '.join(names.get(name, f'a {name}') for name in missing)}")
    return read_spot(
        fields["board"],
        fields["oop"],
        fields["ip"],
        fields["pot"],
        fields["stack"],
        fields.get("bets") or "60%",
        fields.get("raises") or "60%",
        fields.get("donks") or None,
        **read_tree(fields.get("tree", "")),
        blind=fields.get("blind") or None,
        rake=fields.get("rake") or None,
        cap=fields.get("cap") or None,
    )


def _number(fields: Fields, name: str, example: str) -> float | None:
    text = fields.get(name, "").strip()
    if not text:
        return None
    try:
        return float(text.removesuffix("%"))
    except ValueError:
        raise SoulreadError(f"{name} {text!r}; expected a number such as {example}") from None


def _stops(fields: Fields, spot: Spot, gap: float = DEFAULT_GAP, iterations: int | None = None) -> Stops:
    """The stops that fields name: ``gap`` in percent of the pot, ``seconds``."""
    wanted, seconds = _number(fields, "gap", "0.5"), _number(fields, "seconds", "60")
    part = gap if wanted is None else wanted / 100
    return Stops(gap=part * spot.betting.pot, seconds=seconds, iterations=iterations)


def _fields(spot: Spot) -> dict[str, str]:
    """A spot as fields that make it again."""
    told = describe_spot(spot)
    rules = [f"{name}={told[name]:.10g}" for name in ("add_all_in", "force_all_in", "merge")]
    if told["most_bets"] is not None:
        rules.append(f"most_bets={told['most_bets']}")
    if not told["isomorphism"]:
        rules.append("isomorphism=0")
    names = "board", "oop", "ip", "pot", "stack", "blind", "rake", "cap", "bets", "raises", "donks"
    made = {name: str(told[name]) for name in names if told.get(name) is not None}
    return {**made, "tree": ",".join(rules)}


def _opened(store: str | None) -> Store:
    return Store.open(default_store() if store is None else store, read_only=True)


# Solving, as jobs.


def solve(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A job: solve a spot, say how far it is, keep the solution; goes on from its checkpoint."""
    spot, taken = _made(arguments["fields"], arguments["store"])
    kept, checkpoint, ended = (Path(arguments[name]) for name in ("kept", "checkpoint", "ended"))
    kept.parent.mkdir(parents=True, exist_ok=True)
    stops = _stops(arguments["stops"], spot)
    stops = Stops(gap=stops.gap, seconds=stops.seconds, stop=ended.exists)
    history: list[Check] = []
    told = 0.0

    def tell(check: Check) -> None:
        nonlocal told
        history.append(check)
        if time.monotonic() > told + TOLD_EVERY:
            told = time.monotonic()
            tell_owner(_progress(spot, history, stops))

    tell_owner({"line": f"{size_line(spot)}", "chart": "", "done": 0.0})
    try:
        study = study_spot(spot, stops, progress=tell, checkpoint=checkpoint)
    except DamagedFile:
        checkpoint.unlink(missing_ok=True)
        study = study_spot(spot, stops, progress=tell, checkpoint=checkpoint)
    study.save(kept)
    for path in (checkpoint, ended):
        with suppress(OSError):
            path.unlink()
    record = {
        "fields": arguments["fields"],
        "title": _title(spot),
        "taken": None if taken is None else _taken(taken),
        "iterations": study.solution.iterations,
        "gap": study.gap_share,
        "early": study.gap_share * spot.betting.pot > (stops.gap or 0.0),
    }
    write_file(arguments["record"], json_text(record).encode())
    return record


def _progress(spot: Spot, history: Sequence[Check], stops: Stops) -> dict[str, Any]:
    pot = spot.betting.pot
    shares = tuple(100 * check.exploitability / pot for check in history)
    aim = 100 * (stops.gap or 0.0) / pot
    panel = Panel(
        "exploitability of the strategies so far",
        "iterations",
        "% of the pot",
        (Curve("exploitability", tuple(float(check.iteration) for check in history), shares),),
    )
    chart = "" if len(history) < 2 else _drawn(line_chart(panel, width=560, height=230))
    return {
        "line": progress_line(spot, history[-1]),
        "aim": aim,
        "share": shares[-1],
        "seconds": history[-1].seconds,
        "chart": chart,
    }


def _drawn(sketch: Sketch) -> Markup:
    return sketch.__html__()


def adopt(path: str, folder: str) -> dict[str, Any]:
    """Take in a solution that was saved to a file: the record and the fields that name it."""
    study = open_study(path)
    fields = _fields(study.spot)
    return {
        "fields": fields,
        "title": _title(study.spot),
        "taken": None,
        "iterations": study.solution.iterations,
        "gap": study.gap_share,
        "early": False,
    }


# Looking. One solved spot stays open in a process.

_open: dict[tuple[str, int], SpotWalk] = {}


def _walk(kept: str) -> SpotWalk:
    try:
        key = kept, Path(kept).stat().st_mtime_ns
    except OSError:
        raise SoulreadError("this spot is not solved any more; solve it again") from None
    if key not in _open:
        _open.clear()
        _open[key] = SpotWalk(open_study(kept))
    return _open[key]


def look(kept: str, path: str, shown: str, player: str, cell: str) -> dict[str, Any]:
    """All that the page shows of one place of a solved spot."""
    walk = _walk(kept)
    study, spot = walk.study, walk.study.spot
    point = spot.follow(path)
    found: dict[str, Any] = {
        "title": _title(spot),
        "board": cards_name((*spot.board, *point.cards)),
        "pot": spot.unit.grand(spot.betting.pot),
        "stack": spot.unit.grand(spot.betting.stack),
        "unit": spot.unit.name,
        "iterations": study.solution.iterations,
        "seconds": study.solution.seconds,
        "gap": study.gap_share,
        "size": size_line(spot),
        "steps": [
            {**plain_data(step), "pot": f"{number_text(step.pot, ',')}{spot.unit.mark}"}
            for step in walk.steps(path)
        ],
        "here": None,
        "street": None,
        "ends": "",
    }
    if point.node >= 0:
        found["here"] = _here(walk.at(path), shown, player, cell)
    elif spot.card_comes(point):
        found["street"] = {
            "dealt": " ".join(path.split()),
            "name": ("turn", "river")[len(spot.board) - 3 + point.street],
        }
    else:
        found["ends"] = "both players are all-in" if point.entry >= 0 else "the hand is over"
    return found


def _here(view: SpotView, shown: str, player: str, cell: str) -> dict[str, Any]:
    """One decision: its grid, its actions, and the table of holdings."""
    who = PLAYER_NAMES.index(player) if player in PLAYER_NAMES else view.player
    acts = who == view.player
    shown = shown if shown in SHOWN and (acts or shown != "strategy") else "strategy" if acts else "reach"
    classes = classes_of(view, who)
    styles = [(kind, str(action)) for kind, action in zip(_kinds(view), view.actions, strict=True)]
    label = f"{PLAYER_NAMES[who]} on {cards_name(view.board)}, {SHOWN[shown]}"
    if shown == "strategy":
        rows = [[one.often[i] if one.often else 0.0 for one in classes] for i in range(len(styles))]
        rows = [[0.0 if value != value else value for value in row] for row in rows]
        grid = action_grid(CLASSES, [one.reach for one in classes], rows, styles, label)
    else:
        grid = _values(classes, shown, view, label)
    held = hands_of(view, who, cell) if cell in CLASSES else [one for one in classes if one.reach > 0]
    if cell not in CLASSES:
        held.sort(key=lambda one: -one.share)
    return {
        "player": PLAYER_NAMES[view.player],
        "pot": view.pot_text,
        "path": view.path,
        "shown": shown,
        "who": PLAYER_NAMES[who],
        "acts": acts,
        "cell": cell if cell in CLASSES else "",
        "kinds": SHOWN,
        "actions": [
            {"kind": kind, "name": name, "often": float(often)}
            for (kind, name), often in zip(styles, view.frequencies, strict=True)
        ],
        "players": [
            {
                "name": name,
                "ev": plain_data(hands.mean_ev),
                "share": plain_data(hands.mean_ev / view.pot),
                "equity": plain_data(hands.mean_equity),
            }
            for name, hands in zip(PLAYER_NAMES, view.players, strict=True)
        ],
        "grid": _drawn(grid),
        "holdings": [plain_data(asdict(one)) for one in held],
    }


SHOWN = {"strategy": "strategy", "ev": "EV", "equity": "equity", "reach": "reach"}


def _kinds(view: SpotView) -> list[str]:
    return action_kinds([action_number(action) for action in view.actions])


def _values(classes: Sequence[Holding], shown: str, view: SpotView, label: str) -> Sketch:
    numbers = [{"ev": one.ev, "equity": one.equity, "reach": one.reach}[shown] for one in classes]
    known = [value for value in numbers if value == value]
    top = 1.0 if shown != "ev" else max([1e-9, *known])
    texts = [
        "-" if value != value else f"{value:z.1f}" if shown == "ev" else f"{100 * value:.0f}%"
        for value in numbers
    ]
    shades = [0.0 if value != value else value / top for value in numbers]
    return value_grid(CLASSES, [one.reach for one in classes], shades, texts, label)


def street(kept: str, path: str) -> dict[str, Any]:
    """The cards that may come after a path, and what the range does first after each."""
    found: dict[str, Any] = plain_data(asdict(_walk(kept).next_street(path)))
    return found


def export(kept: str, path: str, form: str) -> tuple[str, str]:
    """A place of a solved spot as a file: its text, and a name for it."""
    walk = _walk(kept)
    view = walk.at(path)
    name = cards_name(walk.study.spot.board)
    if form == "csv":
        holdings: Iterable[Holding] = hands_of(view, view.player)
        return rows_text(
            holding_rows(list(holdings), [str(action) for action in view.actions])
        ), f"{name}.csv"
    record = {**plain_data(walk.study), "at": plain_data(view)}
    return json_text(record, 1) + "\n", f"{name}.json"


# Locks.


def begin_locks(kept: str, asked: Mapping[str, str]) -> None:
    """Look at locks before the work: whatever `soulread lock` would refuse at once is refused."""
    spot = _walk(kept).study.spot
    reads = _reads(asked)
    if not reads and not asked.get("player"):
        raise SoulreadError('nothing is locked; write one such as "bet60: fold 60%", or name a player')
    if reads:
        verify_reads(spot, reads)
    parse_confidence(asked.get("confidence") or DEFAULT_CONFIDENCE)
    _stops(asked, spot)
    for name in ("trust", "risk"):
        _number(asked, name, "0.5")
    if asked.get("look"):
        spot.find("" if asked["look"] == "start" else asked["look"])


def _reads(asked: Fields) -> list[Read]:
    return [parse_read(line) for line in asked.get("locks", "").splitlines() if line.strip()]


def lock(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A job: the answers to locks at every degree of trust, with the positions of the dial."""
    asked, store = arguments["asked"], arguments["store"]
    spot = open_study(arguments["kept"]).spot
    told = 0.0

    def tell(text: str) -> None:
        nonlocal told
        if time.monotonic() > told + TOLD_EVERY:
            told = time.monotonic()
            tell_owner({"line": text, "chart": ""})

    reads = _reads(asked)
    if asked.get("player"):
        reads = _counted(spot, arguments["fields"], asked, store, reads, tell)
    study = study_locks(
        spot,
        reads,
        trust=_number(asked, "trust", "0.5"),
        risk=_number(asked, "risk", "10"),
        kind=asked.get("kind") or "c",
        method=asked.get("by") or "shift",
        stops=_stops(asked, spot, ACCURACY, MOST_ITERATIONS),
        at=asked.get("look") or None,
        tell=tell,
    )
    tell_owner({"line": "certifying the positions of the dial", "chart": ""})
    stops = dial(study, 3 if sum(spot.num_sequences) < _LARGE else 1)
    record = {**plain_data(study), "dial": plain_data([asdict(stop) for stop in stops])}
    record["title"] = study.title
    record["sources"] = list(dict.fromkeys(one.read.source for one in study.locked if one.read.source))
    write_file(arguments["record"], json_text(record).encode())
    return {"stops": len(stops)}


def _counted(
    spot: Spot,
    fields: Fields,
    asked: Fields,
    store: str | None,
    reads: Sequence[Read],
    tell: Callable[[str], None],
) -> list[Read]:
    """The reads, and those counted in a player's own hands."""
    taken = _stored(fields, store, spot.ranges) if fields.get("hand") else None
    seat = PLAYER_NAMES.index(asked["villain"]) if asked.get("villain") in PLAYER_NAMES else None
    with _opened(store) as opened:
        player, query = meant_player(opened, asked["player"], Query())
        return stored_reads(
            opened,
            spot,
            player,
            parse_confidence(asked.get("confidence") or DEFAULT_CONFIDENCE),
            given=reads,
            paths=[line.strip() for line in asked.get("where", "").split(",") if line.strip()],
            villain=seat,
            taken=taken,
            room=query.room,
            tell=tell,
        )


def answer(record_path: str, position: int | None) -> dict[str, Any]:
    """What the page shows of an answer to locks, with the dial at a position; None: as it is advised."""
    record = _answer(record_path, Path(record_path).stat().st_mtime_ns)
    stops = [DialStop(**{**stop, "hands": _hand_changes(stop["hands"])}) for stop in record["dial"]]
    advised = min(range(len(stops)), key=lambda i: abs(stops[i].trust - record["chosen"]["trust"]))
    at = advised if position is None else max(0, min(len(stops) - 1, position))
    actions = record["changes"]["actions"]
    styles = list(zip(_word_kinds(actions), actions, strict=True))
    hands = {hand.name: hand for hand in stops[at].hands}
    return {
        "record": {name: value for name, value in record.items() if name != "dial"},
        "advised": advised,
        "at": at,
        "most": len(stops) - 1,
        "stop": plain_data({k: getattr(stops[at], k) for k in ("trust", "gain", "cost", "at_least")}),
        "stops": [{"trust": stop.trust, "gain": stop.gain, "cost": max(0.0, stop.cost)} for stop in stops],
        "chart": _drawn(_dial_chart(stops, at, record["pot"], record.get("unit", CHIPS))),
        "actions": styles,
        "frequencies": list(zip(actions, stops[0].frequencies, stops[at].frequencies, strict=True)),
        "before": _drawn(_change_grid(hands, styles, "before", f"{record['hero']}, equilibrium")),
        "after": _drawn(
            _change_grid(hands, styles, "after", f"{record['hero']}, trust {stops[at].trust:.2f}")
        ),
        "hands": [plain_data(asdict(hand)) for hand in stops[at].hands[:12] if hand.change > 0.005],
    }


_answers: dict[tuple[str, int], dict[str, Any]] = {}


def _answer(path: str, changed: int) -> dict[str, Any]:
    if (path, changed) not in _answers:
        _answers.clear()
        _answers[path, changed] = json.loads(Path(path).read_bytes())
    return _answers[path, changed]


def _hand_changes(rows: Sequence[Mapping[str, Any]]) -> tuple[HandChange, ...]:
    return tuple(
        HandChange(row["name"], row["share"], tuple(row["before"]), tuple(row["after"])) for row in rows
    )


def _word_kinds(words: Sequence[str]) -> list[str]:
    numbers = []
    for word in words:
        amount = word.lstrip("abcdefghijklmnopqrstuvwxyz").removesuffix(BIG_BLINDS)
        # Only the order of the bets counts, and an amount has at most four decimals.
        numbers.append(round(float(amount) * PARTS[-1]) + 1 if amount else 0 if word == "fold" else 1)
    return action_kinds(numbers)


def _change_grid(
    hands: Mapping[str, HandChange], styles: Sequence[tuple[str, str]], side: str, label: str
) -> Sketch:
    sizes = CELL_SIZES.tolist()
    each = [hands[name].share / sizes[cell] if name in hands else 0.0 for cell, name in enumerate(CLASSES)]
    reach = [one / max(each) if one else 0.0 for one in each]
    rows = [[0.0] * 169 for _ in styles]
    for cell, name in enumerate(CLASSES):
        hand = hands.get(name)
        if hand is not None:
            for i, chance in enumerate(getattr(hand, side)):
                rows[i][cell] = chance
    return action_grid(CLASSES, reach, rows, styles, label)


def _dial_chart(stops: Sequence[DialStop], at: int, pot: float, unit: str) -> Sketch:
    trusts = tuple(stop.trust for stop in stops)
    gains, costs = tuple(stop.gain for stop in stops), tuple(max(0.0, stop.cost) for stop in stops)
    low, high = min(0.0, *gains), max(*gains, *costs, pot / 1000)
    here = stops[at].trust
    panel = Panel(
        "won if right and lost if wrong, by trust",
        "trust",
        unit,
        (
            Curve("won if the locks are right", trusts, gains, colour=GREEN),
            Curve("lost at most if they are wrong", trusts, costs, colour=RED),
            Curve(f"the dial, at trust {here:.2f}", (here, here), (low, high), colour="#888888"),
        ),
    )
    return line_chart(panel, width=640, height=300)
