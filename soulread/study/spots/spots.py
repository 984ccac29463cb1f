"""A spot with real cards for a user: solve it, then look at any decision, hand by hand.

At a place of the tree, let y be the opponent's weight of each holding times the chance to play to this place.
The *mass* M(h) is the sum of y over the holdings that share no card with our hand h. A value of the solver is
a sum over these holdings, so

    EV(h)  =  value(h) / M(h)  +  half the pot  +  the player's own chips put in since the start of the spot

is the mean number of chips that the hand takes out of the pot from here on. Amounts of a study are in the
unit of its spot: chips, or big blinds where the pot was given in them. Equity is the share of the pot
that it wins if nobody bets any more. Where almost all of the opponent's weight is blocked by h (M below 1e-4
of all), single precision says nothing about EV(h), and it is left out. Means over a range weigh each hand by
its weight, reach and mass.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import NUM_CARDS, cards_name, pretty_cards
from soulread.cards.equity import equity_all
from soulread.cards.ranges import CELL_SIZES, HAND_CARDS, HAND_CELLS, NUM_HANDS, Range, class_name, hand_name
from soulread.encoding import keys
from soulread.games.spot import PLAYER_NAMES, Action, by_player
from soulread.games.unit import ChipUnit, number_text
from soulread.options import Options, option, read_options
from soulread.report.figures import GridFigure
from soulread.report.shown import Shown
from soulread.seqform.spot import Place, Spot
from soulread.solvers.cfr.regret import Schedule
from soulread.solvers.cfr.run import Check
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.cfr.streamed import SpotSolution, memory_needed, solve_spot
from soulread.solvers.real_cards.spot_files import describe_spot, load_spot, save_spot
from soulread.solvers.restricted import Restriction

DEFAULT_GAP = 0.005  # of the pot
_BLOCKED = 1e-4  # part of the opponent's weight below which a hand's value is only rounding

Hands = NDArray[np.float64]  # [1326]


@dataclass(frozen=True, eq=False)
class PlayerAt:
    """One player's hands at a place."""

    weight: Hands  # range times own reach; 0 for hands the player does not have here
    share: Hands  # chance of each hand here, given that the place is reached; sums to 1
    ev: Hands  # taken out of the pot from here on, in the spot's unit; NaN where it is not known
    equity: Hands  # NaN where it is not known

    @property
    def mean_ev(self) -> float:
        """Over the whole range."""
        return weighted_mean(self.share, self.ev)

    @property
    def mean_equity(self) -> float:
        """Share of the pot, over the whole range."""
        return weighted_mean(self.share, self.equity)


_COLD = {"fold": (70, 110, 180), "check": (95, 165, 110), "call": (95, 165, 110)}
_BETS = (230, 150, 90), (205, 80, 65), (150, 35, 55), (95, 15, 60)  # from the smallest bet to the largest


def action_colours(actions: Sequence[Action]) -> list[tuple[int, int, int]]:
    """A colour for each action: cold for fold, check and call, warmer the larger a bet is."""
    bets = sum(1 for action in actions if action.chips)
    found = []
    seen = 0
    for action in actions:
        if not action.chips:
            found.append(_COLD[action.kind])
            continue
        seen += 1
        found.append(_BETS[round((len(_BETS) - 1) * (seen - 1) / max(bets - 1, 1)) if bets > 1 else 1])
    return found


@dataclass(frozen=True, eq=False)
class SpotView:
    """A decision in a solved spot."""

    path: str
    board: tuple[int, ...]  # the cards dealt so far
    player: int  # who acts
    pot: float  # bets of this street included
    actions: tuple[Action, ...]
    players: tuple[PlayerAt, PlayerAt]
    strategy: NDArray[np.float64]  # [actions, 1326]; NaN for hands the player cannot have
    action_ev: NDArray[np.float64]  # [actions, 1326]
    unit: ChipUnit  # of pot and EVs: chips or big blinds

    JSON = keys(
        "path pot",
        unit="unit.name",
        board=lambda view: cards_name(view.board),
        player=lambda view: PLAYER_NAMES[view.player],
        actions=lambda view: view.by_action(view.frequencies),
        ev=lambda view: by_player(player.mean_ev for player in view.players),
        ev_share=lambda view: by_player(player.mean_ev / view.pot for player in view.players),
        equity=lambda view: by_player(player.mean_equity for player in view.players),
        hands="_hands",
    )

    def plot(self) -> GridFigure:
        """Return the grid of starting hands, each coloured by what is done with it."""
        played, weight = self.grid()
        where = f"after {self.path}" if self.path else "at the start"
        evs = ", ".join(
            f"{PLAYER_NAMES[i]} EV {hands.mean_ev:.1f}, equity {100 * hands.mean_equity:.1f}%"
            for i, hands in enumerate(self.players)
        )
        colours = [(red / 255, green / 255, blue / 255) for red, green, blue in action_colours(self.actions)]
        return GridFigure(
            "spot",
            f"{pretty_cards(self.board)}, pot {self.pot_text}, {where}: {PLAYER_NAMES[self.player]} to act"
            f"\n{evs}",
            tuple(class_name(cell) for cell in range(169)),
            played,
            np.minimum(1.0, weight / CELL_SIZES),
            tuple(colours),
            tuple(
                f"{action} {100 * often:.1f}%"
                for action, often in zip(self.actions, self.frequencies, strict=True)
            ),
        )

    @property
    def pot_text(self) -> str:
        """The pot as people write it: "1,200" or "27.5bb"."""
        return f"{number_text(self.pot, ',')}{self.unit.mark}"

    @property
    def acting(self) -> PlayerAt:
        """The player who acts."""
        return self.players[self.player]

    @property
    def frequencies(self) -> NDArray[np.float64]:
        """``[actions]``: how often each action is taken."""
        played: NDArray[np.float64] = np.nansum(self.strategy * self.acting.share, axis=1)
        return played

    def grid(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """``[actions, 169]`` mean frequencies and ``[169]`` weights of the cells of the 13 x 13 grid."""
        weight = np.bincount(HAND_CELLS, self.acting.weight, minlength=169).astype(np.float64)
        played = np.array(
            [
                np.bincount(HAND_CELLS, np.nan_to_num(row) * self.acting.weight, minlength=169)
                for row in self.strategy
            ]
        )
        return played / np.where(weight > 0, weight, 1), weight

    def by_action(self, values: Iterable[float]) -> dict[str, float]:
        """Values of the actions, by the action's name."""
        return dict(zip(map(str, self.actions), values, strict=True))

    @property
    def _hands(self) -> dict[str, dict[str, Any]]:
        """Every hand that the acting player has."""
        acting = self.acting
        return {
            hand_name(h): {
                "weight": acting.weight[h],
                "ev": acting.ev[h],
                "equity": acting.equity[h],
                "actions": self.by_action(self.strategy[:, h]),
                "action_ev": self.by_action(self.action_ev[:, h]),
            }
            for h in np.flatnonzero(acting.weight > 0).tolist()
        }

    def cells(self) -> list[tuple[str, float, list[float]]]:
        """Name, weight and frequencies of every cell of the grid that the player has."""
        played, weight = self.grid()
        return [
            (class_name(cell), float(weight[cell]), played[:, cell].tolist())
            for cell in np.flatnonzero(weight > 0).tolist()
        ]


@dataclass(frozen=True, eq=False, repr=False)
class SpotStudy(Shown):
    """A solved spot."""

    LINE = (
        "{it.spot.name}, {it.solution.iterations:,} iterations, exploitability {it.gap_share:.2%} of the pot"
    )

    solution: SpotSolution

    JSON = keys(
        "*size",
        spot=lambda study: describe_spot(study.spot),
        method="solution.method",
        iterations="solution.iterations",
        seconds="solution.seconds",
        unit="spot.unit.name",
        exploitability=lambda study: study.spot.unit.of(study.solution.gap),
        exploitability_share="gap_share",
        value="_values",
        rake="rake",
        ev=lambda study: by_player(study.evs),
    )

    @property
    def spot(self) -> Spot:
        """The spot that was solved."""
        return self.solution.spot

    @property
    def value(self) -> float:
        """What player 0 wins beyond half the pot, in the spot's unit."""
        return self.spot.unit.of(self.solution.value)

    @property
    def rake(self) -> float:
        """What the house takes on average, in the spot's unit."""
        return self.spot.unit.of(self.solution.rake)

    @property
    def _values(self) -> dict[str, float]:
        """What both players win beyond half the pot, after the rake."""
        return by_player((self.value, -self.value - self.rake))

    @property
    def evs(self) -> tuple[float, float]:
        """What both players take out of the pot after the rake, in the spot's unit."""
        half = self.spot.unit.of(self.spot.betting.pot) / 2
        return half + self.value, half - self.value - self.rake

    @property
    def size(self) -> dict[str, Any]:
        """The size of the spot."""
        return size_dict(self.spot)

    @property
    def gap_share(self) -> float:
        """Exploitability as a part of the pot."""
        return self.solution.gap / self.spot.betting.pot

    def at(self, path: str = "") -> SpotView:
        """The decision after a path such as ``"check bet60% call 2c"``; see `Spot.find`."""
        return view(self.solution, self.spot.find(path))

    def save(self, path: str | Path) -> None:
        """Write the solution to a file that `open_study` reads."""
        save_spot(path, self.solution)


@dataclass(frozen=True)
class TreeRules(Options):
    """Rules that few people change of which bets a spot has."""

    most_bets: int = option(0, "bets and raises on a street, at most; 0: no limit", low=1)
    add_all_in: float = option(1.5, "add all-in if it is at most so many pots", low=0)
    force_all_in: float = option(0.15, "bet all if at most this part of the pot would be left", low=0)
    merge: float = option(0.1, "leave out a size that is this close to a larger one", low=0)
    isomorphism: int = option(1, "1: boards that differ in suits only are looked at once", choices=(0, 1))


def read_tree(text: str) -> dict[str, Any]:
    """The arguments of `read_spot` that a text such as "most_bets=3,merge=0" means."""
    rules = read_options(f"tree:{text}" if text else "tree", TreeRules, str)
    made = {field.name: getattr(rules, field.name) for field in fields(rules)}
    return {**made, "most_bets": rules.most_bets or None, "isomorphism": bool(rules.isomorphism)}


def size_dict(spot: Spot, threads: int | None = None, half: bool = False) -> dict[str, Any]:
    """The size of a spot, for JSON."""
    return {
        "boards": list(spot.num_boards),
        "information_sets": sum(spot.num_sets),
        "sequences": sum(spot.num_sequences),
        "bytes": memory_needed(spot, threads, half),
    }


def study_spot(
    spot: Spot,
    stops: Stops | None = None,
    schedule: Schedule | None = None,
    *,
    restriction: Restriction | None = None,
    progress: Callable[[Check], None] | None = None,
    checkpoint: Path | None = None,
    threads: int | None = None,
    half: bool = False,
) -> SpotStudy:
    """Solve a spot; without a stop it ends at an exploitability of half a percent of the pot.

    ``threads`` and ``half`` are those of `solve_spot`.
    """
    stops = Stops() if stops is None else stops
    if not stops.bounded:
        stops = Stops(gap=DEFAULT_GAP * spot.betting.pot, stop=stops.stop)
    return SpotStudy(
        solve_spot(
            spot,
            stops,
            schedule,
            restriction=restriction,
            progress=progress,
            checkpoint=checkpoint,
            threads=threads,
            half=half,
        )
    )


def open_study(path: str | Path) -> SpotStudy:
    """A solved spot from its file."""
    return SpotStudy(load_spot(path))


def view(solution: SpotSolution, place: Place) -> SpotView:
    """The ranges of both players at a place, and the strategy of the player to act."""
    spot, node = solution.spot, solution.spot.node(place)
    board = (*spot.board, *place.cards)
    lines = [solution.lines(place, player) for player in (0, 1)]
    orbits = [spot.hands(place, player) for player in (0, 1)]
    weights = [
        spot.live[player] * _per_hand(lines[player].own_reach, orbits[player], 0.0) for player in (0, 1)
    ]
    players = []
    action_ev = np.empty((0, NUM_HANDS))
    for player in (0, 1):
        side = spot.tables.side[player]
        scale = _Scale(
            orbits[player],
            side.factor[side.first[place.board] : side.first[place.board + 1]].astype(np.float64),
            _mass(weights[1 - player]),
            (orbits[player] >= 0) & (_mass(weights[1 - player]) > _BLOCKED * weights[1 - player].sum()),
            spot.betting.pot / 2 + node.put_in[player],
            spot.unit,
        )
        met = weights[player] * scale.mass
        met /= max(met.sum(), 1e-300)
        equity = np.full(NUM_HANDS, np.nan)
        if met.any():
            equity = np.where(scale.known, equity_all(Range(weights[1 - player]), board), np.nan)
        players.append(PlayerAt(weights[player], met, scale.amounts(lines[player].value), equity))
        if player == node.player:
            action_ev = np.array([scale.amounts(row) for row in lines[player].actions])
    rows = solution.probabilities(place)
    return SpotView(
        path=spot.path(place),
        board=board,
        player=node.player,
        pot=spot.unit.of(spot.betting.pot + sum(node.put_in)),
        actions=node.actions,
        players=(players[0], players[1]),
        strategy=np.array([_per_hand(row, orbits[node.player], np.nan) for row in rows]),
        action_ev=action_ev,
        unit=spot.unit,
    )


@dataclass(frozen=True, eq=False)
class _Scale:
    """The factors that turn the solver's values of a player at a place into amounts as they are shown."""

    orbit: NDArray[np.int64]  # [1326]
    factor: NDArray[np.float64]  # [width]
    mass: Hands
    known: NDArray[np.bool_]  # [1326] whether a value is more than rounding
    paid: float  # half the pot, and what the player has put in; inside
    unit: ChipUnit

    def amounts(self, values: NDArray[Any]) -> Hands:
        """``[1326]`` what each hand takes out of the pot, from values ``[width]``."""
        each = _per_hand(values / self.factor, self.orbit, np.nan)
        found = np.where(self.known, each / np.where(self.known, self.mass, 1) + self.paid, np.nan)
        return found / self.unit.parts


def _per_hand(row: NDArray[Any], orbit: NDArray[np.int64], otherwise: float) -> Hands:
    """One number for each hand, from one for each orbit."""
    if not row.size:
        return np.full(NUM_HANDS, otherwise)
    return np.where(orbit >= 0, row.astype(np.float64)[np.maximum(orbit, 0)], otherwise)


def _mass(weights: Hands) -> Hands:
    """``[1326]`` for each hand, the weight of all hands that share no card with it."""
    with_card = np.zeros(NUM_CARDS)
    for k in range(2):
        np.add.at(with_card, HAND_CARDS[:, k], weights)
    mass: Hands = np.maximum(weights.sum() - with_card[HAND_CARDS].sum(axis=1) + weights, 0)
    return mass


def weighted_mean(weights: Hands, numbers: Hands) -> float:
    """The mean of those numbers that are known; NaN if they have no weight."""
    known = ~np.isnan(numbers) & (weights > 0)
    total = weights[known].sum()
    return float(weights[known] @ numbers[known] / total) if total > 0 else float("nan")
