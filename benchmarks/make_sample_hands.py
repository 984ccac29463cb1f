"""Make the hands that `soulread sample-hands` writes: players of ours, with habits that are known.

Usage: python benchmarks/make_sample_hands.py [FILE]. Without a file it only compares with the hands that
are kept.

3,000 hands of no-limit hold'em with 6 seats and 100 big blinds. The hero sits there always; of 24 others five
sit down for fifty hands each time. Each is a plain player (`soulread.play.opponents.plain`) whose habits are
drawn around a style, and four have a habit on top, which the tutorial of the player finds again. Names,
stakes and days are made up.
"""

import lzma
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np

from soulread.games.named import parse_game
from soulread.games.poker import CALL, FOLD, PokerGame, PokerView
from soulread.hands.formats.rooms import write_room
from soulread.hands.hand import Hand
from soulread.play.match.live import play_hand
from soulread.play.opponents.plain import Plain
from soulread.play.search.formula import parse_style
from soulread.seqform.strategy import draw_index
from soulread.streams import stream
from soulread.study.players.sample import HERO, SAMPLE, sample_text

SEED = 39
HANDS = 3000
SITTING = 50  # hands until other players sit down
GAME = "nolimit:players=6,stacks=1000,blinds=5/10"
BEGIN = datetime(2026, 1, 5, 19, 0, tzinfo=UTC)
ROOM = "Sample"

Chances = dict[int, float]
Habit = Callable[[PokerView, float, Chances], Chances]


def folds_to_bets(view: PokerView, rating: float, chances: Chances) -> Chances:
    """After the flop three of four hands are folded to a bet, all but the strong ones."""
    if view.board and view.to_call and FOLD in chances and rating < 0.8:
        rest = 0.25 / max(1 - chances[FOLD], 1e-9)
        return (
            {a: 0.75 if a == FOLD else rest * p for a, p in chances.items()}
            if chances[FOLD] < 0.75
            else chances
        )
    return chances


def calls_down(view: PokerView, rating: float, chances: Chances) -> Chances:
    """After the flop four of five hands that would fold call."""
    if view.board and view.to_call and FOLD in chances:
        kept = 0.2 * chances[FOLD]
        return {**chances, FOLD: kept, CALL: chances[CALL] + chances[FOLD] - kept}
    return chances


def raises_first(view: PokerView, rating: float, chances: Chances) -> Chances:
    """Before the flop, when nobody has raised, at least half of all hands are raised."""
    if not view.board and "r" not in view.betting:
        raises = [action for action in chances if action > CALL]
        total = sum(chances[action] for action in raises)
        if raises and total < 0.5:
            rest = 0.5 / max(1 - total, 1e-9)
            return {a: 0.5 / len(raises) if a in raises else rest * p for a, p in chances.items()}
    return chances


def bets_rivers(view: PokerView, rating: float, chances: Chances) -> Chances:
    """On the river a hand that is checked to is bet nine times of ten."""
    raises = [action for action in chances if action > CALL]
    if view.round == 3 and not view.to_call and raises:
        return {CALL: 0.1, **{action: 0.9 / len(raises) for action in raises}}
    return chances


@dataclass(frozen=True)
class Person:
    """A player with a style and, it may be, a habit; ``often`` is how often it sits down, beside others."""

    name: str
    style: str
    habit: Habit | None = None
    often: float = 1.0


KNOWN = (
    Person(HERO, "tight-aggressive"),
    Person("AmberOtter", "medium", folds_to_bets, 2.2),
    Person("BrassBadger", "loose-passive", calls_down, 1.8),
    Person("CopperCrane", "medium-aggressive", raises_first, 1.6),
    Person("DuskyDolphin", "medium", bets_rivers, 1.6),
)
OTHERS = (
    "EagerEgret FrostyFerret GoldenGecko HazyHeron IvoryIbis JadeJackal KindKestrel LuckyLlama MistyMagpie "
    "NimbleNewt OpalOcelot PearlPuffin QuietQuail RustyRaven SilverSeal TawnyTapir UmberUrchin VelvetVole "
    "WindyWombat ZestyZebra"
).split()
STYLES = "tight", "medium", "loose", "tight-passive", "medium-aggressive", "tight-aggressive"


class Habitual(Plain):
    """A plain player whose bars are drawn around those of its style, with a habit on top."""

    def __init__(self, person: Person, game: PokerGame, rng: np.random.Generator) -> None:
        super().__init__(person.name, game, parse_style(person.style))
        stay, rise = 0.04 * rng.standard_normal(2)
        self.habits = self.habits._replace(stay=self.habits.stay + stay, rise=self.habits.rise + rise)
        self._habit = person.habit

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Draw an action."""
        found = self.probabilities(view)
        if self._habit is not None:
            found = self._habit(view, self.rating(view), found)
        chances = np.array(list(found.values()))
        assert abs(chances.sum() - 1) < 1e-9
        return list(found)[draw_index(chances, rng.random())]


def hands() -> list[Hand]:
    """The hands as the hero saw them."""
    game = parse_game(GAME)
    people = (*KNOWN, *(Person(name, STYLES[i % len(STYLES)]) for i, name in enumerate(OTHERS)))
    bars, cards, *draws = (stream(SEED, key) for key in range(2 + len(people)))
    agents = {person.name: Habitual(person, game, bars) for person in people}
    streams = dict(zip(agents, draws, strict=True))
    sat = dict.fromkeys(list(agents)[1:], 0.0)
    often = {person.name: person.often for person in people}
    table: list[str] = []
    found = []
    now = BEGIN
    for number in range(HANDS):
        if number % SITTING == 0:
            chosen = sorted(sat, key=lambda name: (sat[name] + bars.random(), name))[:5]  # who sat least
            for name in chosen:
                sat[name] += 1 / often[name]
            table = [HERO, *chosen]
            now = BEGIN + timedelta(days=number // SITTING)
        table = table[1:] + table[:1]  # the button goes on
        deck = [int(card) for card in cards.permutation(52)[: game.num_cards]]
        hand = play_hand(
            game, [agents[name] for name in table], deck, [streams[name] for name in table], table
        )
        seen = hand.seen_by(table.index(HERO))
        now += timedelta(seconds=60)
        found.append(
            replace(
                seen,
                id=str(390_000_001 + number),
                time=now,
                room=ROOM,
                source=ROOM,
                table=f"Invented {1 + number // SITTING}",
                stakes=replace(seen.stakes, currency="USD", chip="0.01"),
            )
        )
    return found


def main() -> None:
    """Play, and compare or write."""
    text = "\n\n".join(write_room(hand) for hand in hands())
    if len(sys.argv) > 1:
        packed = lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)
        with open(sys.argv[1], "wb") as file:
            file.write(packed)
        print(f"{len(text):,} characters, {len(packed):,} bytes packed")
    if SAMPLE.exists():
        print("equal" if sample_text() == text else "DIFFERENT")


if __name__ == "__main__":
    main()
