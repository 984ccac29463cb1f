"""Counter-strategies to a player of heads-up limit hold'em and their worth: DBBR, and DBR at a chosen risk.

DBBR (`soulread.study.strategies.leaks`) needs no cards of the player: it moves the equilibrium as far as the
public actions say, and answers with a best response. It wins the most from its model, and has no limit to
what it may lose. DBR (`soulread.study.strategies.curves`) learns from hands whose cards are known, and trusts
the model at each decision as far as there are observations, at most ``risk``. Its worth in hands held out,
and its loss in the worst case, are known.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from soulread.encoding import keys
from soulread.estimate import Unit
from soulread.games.limit_holdem import limit_holdem
from soulread.hands.hand import Hand
from soulread.hands.store import EVERYTHING, Query, Store
from soulread.seqform.source import Buckets, Source, Tell, parse_buckets, with_cards
from soulread.solvers.equilibria import find_equilibrium
from soulread.study.hands.of_player import by_the_rules
from soulread.study.strategies.curves import CurveStudy, recorded_subject, study_curve
from soulread.study.strategies.leaks import DEFAULT_ABSTRACTION, LeakStudy, find_leaks
from soulread.words import plural

DEFAULT_CARDS = parse_buckets(DEFAULT_ABSTRACTION)
LEAST_HANDS = 1000  # of heads-up limit hold'em, for a counter-strategy
DEFAULT_TRUST = 0.9  # P_max


@dataclass(frozen=True, eq=False)
class CounterStudy:
    """Two counter-strategies to one player."""

    hands: int
    risk: float
    leaks: LeakStudy  # DBBR
    curve: CurveStudy | None  # DBR at the risk; None if no cards of the player are known

    JSON = keys("hands risk sentences", dbbr=lambda study: replace(study.leaks, top=0), dbr="curve")

    @property
    def sentences(self) -> tuple[str, ...]:
        """The worth of both, in words."""
        unit = Unit.MILLIBETS.value
        whole = self.leaks.whole
        said = [
            f"DBBR, from the public actions of {self.hands:,} hands: its best response expects "
            f"{whole.counter:+.0f} {unit} from the model of this player, the equilibrium "
            f"{whole.equilibrium:+.0f} {unit}. From the sure deviations alone it expects "
            f"{self.leaks.sure.counter:+.0f} {unit}. Nothing limits what it loses if the model is wrong."
        ]
        if self.curve is None:
            said.append("DBR needs hands in which the player's cards are known; there are none.")
            return tuple(said)
        point, scale = self.curve.frontier.points[0], self.curve.scale
        text = (
            f"DBR at a trust of at most {self.risk:g}: expects {point.against_model * scale:+.0f} {unit} "
            "from "
            f"the model, and loses at most {point.exploitability * scale:.0f} {unit} to anybody."
        )
        if self.curve.held_out:
            worth = self.curve.held_out[0].scaled(scale)
            low, high = worth.interval
            text += (
                f" In hands held out it is worth {worth.mean:+.0f} {unit} ({low:+.0f} to {high:+.0f}, "
                f"n = {worth.n:,})."
            )
        said.append(text)
        return tuple(said)


def find_counter(
    store: Store,
    player: str,
    query: Query = EVERYTHING,
    cards: Buckets | None = DEFAULT_CARDS,
    risk: float = DEFAULT_TRUST,
    tell: Tell | None = None,
) -> tuple[CounterStudy | None, str]:
    """The counter-strategies to a player of a store; or None, and in words why there are none.

    They need `LEAST_HANDS` hands of heads-up limit hold'em. ``cards`` is the card abstraction; None asks for
    none.
    """
    if cards is None:
        return None, "No counter-strategy was asked for."
    game = limit_holdem()
    alike = [kind for kind, found in store.kinds.items() if found.variant == game.rules.variant]
    numbers: list[int] = []
    for _, facts in store.facts(query, players=[store.player_number(player, query.room)]):
        seats = facts.seats
        numbers += seats["hand"][np.isin(seats["kind"], alike) & (seats["players"] == 2)].tolist()
    if not numbers:
        return None, ""
    hands = by_the_rules((hand for _, hand in store.numbered(numbers)), game)
    if len(hands) < LEAST_HANDS:
        return None, (
            f"Too few hands: {plural(len(hands), 'hand')} of heads-up limit hold'em; "
            f"a counter-strategy needs {LEAST_HANDS:,}."
        )
    return study_counter(with_cards(game, cards), hands, player, risk, tell), ""


def study_counter(
    source: Source, hands: Sequence[Hand], player: str, risk: float = DEFAULT_TRUST, tell: Tell | None = None
) -> CounterStudy:
    """The worth of DBBR and DBR against ``player``, from hands of the source's game."""
    leaks = find_leaks(source, hands, player, tell=tell)
    game = source.compile(tell)
    subject = recorded_subject(game, hands, player)
    curve = None
    if subject.observed_games:
        behaviours = find_equilibrium(source, tell).behaviours
        curve = study_curve(game, behaviours, subject, "dbr", (risk,), tell=tell)
    return CounterStudy(len(hands), risk, leaks, curve)
