"""Advice for each statistic: what the player does, and how to answer it at the table.

The sentences hold for hold'em in general. They are what coaches say, not what was computed here; what was
computed is the deviation itself.
"""

from typing import NamedTuple


class Meaning(NamedTuple):
    """Advice for one statistic: what the player does, and the answer if it is more, or less, than usual."""

    does: str  # after "more often than ... the player"
    more: str
    less: str


MEANINGS: dict[str, Meaning] = {
    "VPIP": Meaning(
        "puts chips in before the flop",
        "Raise for value with more hands and bluff less: the range is wide and weak.",
        "Steal this player's blinds, and give the bets respect: the range is strong.",
    ),
    "PFR": Meaning(
        "raises before the flop",
        "Re-raise and call wider: the raises are lighter than usual.",
        "Fold more to the raises, and attack the calls: raises mean strong hands, calls are capped.",
    ),
    "limp": Meaning(
        "limps",
        "Raise the limps with a wide range, in position above all.",
        "A limp is rare here: do not attack it without a reason.",
    ),
    "3-bet": Meaning(
        "re-raises a raise",
        "Open fewer hands with this player behind; 4-bet and call more.",
        "Open wider with this player behind, and fold to the re-raise.",
    ),
    "fold to 3-bet": Meaning(
        "folds to a 3-bet after raising",
        "3-bet as a bluff more often.",
        "3-bet for value with more hands, and do not bluff.",
    ),
    "4-bet": Meaning(
        "raises again after two raises",
        "3-bet with hands that can go on; 3-bet bluffs lose their worth.",
        "A 4-bet is the top of the range: fold to it, and 3-bet freely.",
    ),
    "squeeze": Meaning(
        "raises after a raise and a call",
        "Trap: call first raises with strong hands when this player is behind.",
        "Call raises lightly with this player behind: the squeeze seldom comes.",
    ),
    "steal": Meaning(
        "raises first in from a late seat",
        "Defend the blinds wider, and re-raise the steals.",
        "Fold the blinds more easily to these raises.",
    ),
    "fold to steal": Meaning(
        "folds a blind to a late raise",
        "Raise any hand from a late seat when this player is in the blinds.",
        "Steal with better hands only, and bet them for value afterwards.",
    ),
    "c-bet flop": Meaning(
        "bets the flop after raising before it",
        "Call and raise the flop bet lighter: it is often air.",
        "Respect the bet; when it does not come, bet yourself.",
    ),
    "c-bet turn": Meaning(
        "bets the turn after betting the flop",
        "Call down wider; raise the turn with strong draws.",
        "Call the flop with anything that may improve: the second bet seldom comes.",
    ),
    "c-bet river": Meaning(
        "bets the river after betting the turn",
        "Call the river with more bluff catchers.",
        "Fold bluff catchers to a third bet.",
    ),
    "fold to c-bet flop": Meaning(
        "folds the flop to a continuation bet",
        "Bet every flop after raising; a small bet is enough.",
        "Bet the flop for value, and give up bluffs.",
    ),
    "fold to c-bet turn": Meaning(
        "folds the turn to a second bet",
        "Bet the turn again with most hands after a call on the flop.",
        "Bet the turn for value; a bluff needs a third bet.",
    ),
    "fold to c-bet river": Meaning(
        "folds the river to a third bet",
        "Bluff the river more often.",
        "Bet the river thinner for value, and do not bluff.",
    ),
    "raise c-bet": Meaning(
        "raises a continuation bet",
        "Bet fewer bluffs into this player, and call the raise wider.",
        "Bet freely, and fold to a raise: it means a strong hand.",
    ),
    "donk": Meaning(
        "bets into the raiser",
        "Raise these bets more often: the range is wide.",
        "A bet into you is rare, and strong.",
    ),
    "check-raise": Meaning(
        "raises after checking",
        "Check behind more often with middling hands.",
        "Bet thinner after a check: the check-raise seldom comes.",
    ),
    "aggression frequency": Meaning(
        "bets or raises after the flop, of all that is no check",
        "Let this player bet: call more, and trap with strong hands.",
        "Fold to bets and raises; they are seldom bluffs. Take pots that nobody wants.",
    ),
    "WTSD": Meaning(
        "goes to the showdown after seeing the flop",
        "Bet for value on three streets, and do not bluff.",
        "Bluff more on later streets: this player gives up.",
    ),
    "W$SD": Meaning(
        "wins at the showdown",
        "Give up against late aggression: what is shown down is strong.",
        "Bet thinner for value: weak hands are taken to the showdown.",
    ),
}
"""By name of the statistic."""
