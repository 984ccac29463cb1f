"""Fit how often a usual player folds and raises after the flop: the default frequencies of Loki's models.

    python benchmarks/fit_loki.py [MATCHES]

A mixed crowd plays limit hold'em, with two, six and ten seats: plain players of nine styles, and Lokis that
are passive or aggressive, with every model, by rules and by triples. In each of MATCHES matches (100 for each
number of seats, of 50 hands, seed 100) the seats are drawn anew from the crowd. Nobody in it is judged by an
experiment: `loki-modelling` and `loki-triples` have neither plain players nor Lokis of these two styles.

Prints for each context the decisions seen, how often the crowd folded and raised, and what the models assume
(`soulread.model.loki.model.default_frequencies`). The rows for two and for ten seats, rounded, are its tables
after the flop; six seats show how good what lies between them is. They were made with 60 matches. Lokis of
the crowd take the frequencies of people for the generic ones, so the tables do not depend on themselves. Play
before the flop is not fitted: there Loki's own bars are the default frequencies.
"""

import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from soulread.games.named import parse_game
from soulread.model.loki.contexts import walk
from soulread.model.loki.model import default_frequencies
from soulread.model.loki.triples import MOST_TO_CALL, NUM_CONTEXTS
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match
from soulread.streams import stream

SEED = 100
HANDS = 50  # of a match
SEATS = 2, 6, 10
ROUNDS = "before the flop", "flop", "turn", "river"


def crowd() -> Iterator[str]:
    """The texts of the agents."""
    for stay in ("tight", "medium", "loose"):
        for raising in ("passive", "balanced", "aggressive"):
            yield f"plain:style={stay}-{raising}"
    for model in ("gom", "som", "old"):
        for use in ("none", "RB"):
            for style in ("passive", "aggressive"):
                yield f"loki:model={model},use={use},style={style},who=people"


def watched(seats: int, matches: int) -> NDArray[np.int64]:
    """``[12, 2, 3]`` contexts, whether no raise was allowed, and actions of the whole crowd."""
    game, texts = parse_game(f"ring-limit:{seats}"), tuple(crowd())
    seen = np.zeros((NUM_CONTEXTS, 2, 3), dtype=np.int64)

    def count(hand: LiveHand) -> None:
        for made in walk(game, hand.seen_by(None).actions).decisions:
            seen[made.context, int(not made.may_raise), made.action] += 1

    for number in range(matches):
        drawn = stream(SEED, number, f"crowd of {seats}").choice(len(texts), seats, replace=False)
        agents = tuple(parse_agent(texts[place]).make(game) for place in drawn)
        Match(game, agents, HANDS).play(SEED, number, record=count)
    return seen


def main() -> int:
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for seats in SEATS:
        seen, assumed = watched(seats, matches), default_frequencies(seats, who="crowd")
        print(f"{seats} seats, {matches} matches of {HANDS} hands: decisions; folds, raises (assumed)")
        for context in range(MOST_TO_CALL + 1, NUM_CONTEXTS):
            round, bets = divmod(context, MOST_TO_CALL + 1)
            decisions, free = seen[context].sum(), seen[context, 0].sum()
            if free == 0:  # with two seats nobody has two bets to call after the flop
                continue
            folds, raises = seen[context, :, 0].sum() / decisions, seen[context, 0, 2] / free
            print(
                f"  {ROUNDS[round]:6} {bets} bets to call {decisions:7,}   {folds:.3f}, {raises:.3f}   "
                f"({assumed[context, 0]:.3f}, {assumed[context, 1]:.3f})",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
