"""888 (Pacific, Cassava).

    ***** 888poker Hand History for Game 418361264 *****
    $0.05/$0.10 Blinds No Limit Holdem - *** 04 03 2012 15:32:21
    Table Hokkaido (Real Money)
    Seat 6 is the button
    Seat 2: Ann ( $10 )
    Ann posts big blind [$0.10]
    ** Dealing down cards **
    Bob raises [$0.20]
    ** Summary **
    Bob collected [ $0.15 ]

An amount is what the seat adds. The text names neither pot nor rake: the rake is whatever nobody collects. A
bet that nobody called is collected as a pot of its own after a showdown, and not at all without one. Stakes
are blinds in limit games too. Ranks and suits may be in the player's language; a V that may be a Dutch queen
or a French jack is refused. Days come before months, and
times have no zone.
"""

import re
from collections.abc import Sequence

from soulread.hands.formats.texts.telling import HandText, Uncalled, verbs
from soulread.hands.formats.texts.words import DAY_FIRST, is_limit, time_of
from soulread.hands.referee import Unfit

_STAKES = re.compile(r"([^/]*[0-9][^/]*)/([^/]*?[0-9][^/]*?) Blinds (.*)")
_CARDS = re.compile(r"\[ [^\[\]]* \]$")
_COURT = re.compile(r"(?<=[ ,])([BVHDR])(?=[shdc][ ,])")  # ranks by letters of other languages
_DUTCH = {"B": "J", "V": "Q", "H": "K"}


def _in_english(lines: Sequence[str]) -> Sequence[str]:
    """The lines with Dutch ranks in English: V is a Dutch queen (B, V, H) or a French jack (V, D, R)."""
    cards = [found[0] for line in lines if (found := _CARDS.search(line))]
    ranks = {rank for text in cards for rank in _COURT.findall(text)}
    if not ranks & {"V", "H"}:
        return lines
    if ranks & {"B", "H"} and not ranks & {"D", "R"}:
        return [
            _CARDS.sub(lambda found: _COURT.sub(lambda rank: _DUTCH[rank[0]], found[0]), line)
            for line in lines
        ]
    if ranks & {"D", "R"} and not ranks & {"B", "H"}:
        return lines
    raise Unfit("cards", "V may be a jack or a queen")


class Pacific(HandText):
    """A hand of 888."""

    ROOM = "888"
    FIRST = re.compile(
        r"\*{4,5} (?:Cassava|888[\w.-]*|Pacific ?Poker|Lucky ?Ace[\w.]*)(?: [A-Za-z ]{1,20})? "
        r"Hand History for Game (?P<id>[0-9]{1,20}) \*{4,5}"
    )
    SEAT = re.compile(r"Seat (?P<number>[0-9]{1,2}): (?P<name>.+) \( (?P<stack>[^()]*[0-9][^()]*) \)")
    BUTTON = re.compile(r"^Seat ([0-9]{1,2}) is the button")
    STREET = re.compile(r"\*\* Dealing (flop|turn|river) \*\*", re.IGNORECASE)
    DEALT = re.compile(r"Dealt to (?P<name>.+?) \[(?P<cards>[^\]]*)\]")
    ACTION = re.compile(
        r"(?P<name>.+?) (?P<verb>folds|checks|calls|bets|raises|posts(?: the)? ante|posts small blind"
        r"|posts big blind"
        r"|posts dead blind|shows|mucks|collected)(?P<rest>(?: \[.*)?)$"
    )
    VERBS = verbs(
        fold="folds",
        check="checks",
        call="calls",
        bet="bets",
        raise_="raises",
        ante="posts ante|posts the ante",
        small="posts small blind",
        big="posts big blind",
        both="posts dead blind",
        show="shows",
        muck="mucks",
        win="collected",
    )
    SUMMARY = ("** Summary **",)
    UNCALLED = Uncalled.SHOWDOWN

    def head(self, first: re.Match[str]) -> None:
        stakes = _STAKES.match(self.lines[1]) if len(self.lines) > 2 else None
        if stakes is None:
            raise Unfit("the stakes are missing", repr(self.lines[1:2])[:80])
        self.limit = is_limit(stakes[3])
        self.lines = _in_english(self.lines)
        self.time = time_of(stakes[3], DAY_FIRST)
        self.table = self.lines[2].removeprefix("Table ").rpartition(" (")[0] or self.lines[2]
        self.tournament = self.lines[2].startswith("Tournament ")
        if not self.lines[2].endswith(("(Practice Play)", "(Play Money)")):
            self.money(stakes[2])
        self.big = self.amount(stakes[2])
        self.small = self.big  # the small bet of a limit game is its big blind
