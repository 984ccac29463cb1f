"""Winning Poker Network (Americas Cardroom and others): the text of today, and that of before 2018.

    Hand #68217077 - Holdem(No Limit) - $0.05/$0.10 - 2019/06/28 02:38:17 UTC
    Blitz Poker 6-max Seat #1 is the button
    Seat 1: Ann ($10.30)
    Bob posts the small blind $0.05
    *** HOLE CARDS ***
    Ann raises $0.22 to $0.22

and

    Game started at: 2016/8/8 16:26:41
    Game ID: 698338917 0.01/0.02 (PRR) Bahamut (Cap) - 5 (Hold'em)
    Seat 3 is the button
    Seat 1: Ann (2).
    Player Bob has small blind (0.01)
    Player Ann received card: [Ad]
    Player Ann raises (0.04)
    ------ Summary ------
    Pot: 0.09. Rake 0
    *Player Ann mucks (does not show cards). Bets: 0.04. Collects: 0.09. Wins: 0.05.

The old text does not say whether a game has a limit; it has one if the blinds are half of the stakes. It has
no sign of a currency either: it is dollars, unless it is a tournament ("..., Table 1") or play money ("PM").
Its times have no zone. Sometimes it leaves the name of a player out. If just one seat is not in the summary
and one line of the summary has no name, they belong together.

Pots are named without the rake. In a capped game ("Cap") stacks count up to the cap, 30 big blinds.
"""

import re

from soulread.hands.formats.texts.telling import Amount, HandText, Says, Uncalled, verbs
from soulread.hands.formats.texts.words import YEAR_FIRST, cards_of, is_limit, time_of
from soulread.hands.hand import ForcedBet, Sight
from soulread.hands.referee import Draft, Unfit


class Winning(HandText):
    """A hand of the Winning network as it is written since 2018."""

    ROOM = "Winning"
    FIRST = re.compile(
        r"(?:Game )?Hand #(?P<id>[0-9]{1,20}) - (?P<rest>.*(?:Holdem|Hold'em|Omaha|Stud|Draw|Razz)[^-]*\(.*)"
    )
    SEAT = re.compile(r"Seat (?P<number>[0-9]{1,2}): (?P<name>.+) \((?P<stack>[^()]*[0-9][^()]*)\)")
    BUTTON = re.compile(r"Seat #([0-9]{1,2}) is the button")
    STREET = re.compile(r"\*\*\* (?:FIRST |SECOND )?(FLOP|TURN|RIVER)(?: [12])? \*\*\*")
    DEALT = re.compile(r"Dealt to (?P<name>.+?) \[(?P<cards>[^\]]*)\]")
    ACTION = re.compile(
        r"(?P<name>.+?) (?P<verb>folds|checks|calls|bets|raises|caps?|posts ante|posts the small blind"
        r"|posts the big blind|posts the straddle|posts straddle|posts dead|posts|straddles?|shows"
        r"|mucks hand|collected)"
        r"(?P<rest>(?: [\[($€£0-9].*)?)$"
    )
    VERBS = verbs(
        fold="folds",
        check="checks",
        call="calls",
        bet="bets",
        raise_to="raises",
        all_in_to="caps|cap",
        ante="posts ante",
        small="posts the small blind",
        big="posts the big blind",
        dead="posts dead",
        post="posts",
        straddle="straddles|straddle|posts the straddle|posts straddle",
        show="shows",
        muck="mucks hand",
        win="collected",
    )
    SUMMARY = ("*** SUMMARY ***",)
    POT = re.compile(r"Total pot ([^ |]*[0-9])")
    FEES = re.compile(r"\| (?:Rake|JP Fee|Fee)[a-zA-Z ]* ([^|]*[0-9])")
    UNCALLED = Uncalled.UNSAID
    _STAKES = re.compile(r"([^ (/]*[0-9])/([^ )/]*[0-9])")
    _TABLE = re.compile(r"(?:Table '(?P<quoted>.*)'|(?P<plain>.*?)) [0-9]{1,2}-max Seat #")
    _WON = re.compile(r"Seat ([0-9]{1,2}): .* won ([^ ]*[0-9])")
    _SEEN = re.compile(r"Seat ([0-9]{1,2}): .*? (showed|mucked) \[([^\]]*)\]")

    def head(self, first: re.Match[str]) -> None:
        rest = first["rest"]
        self.tournament = "Tournament #" in rest
        fields = rest.split(" - ")
        self.limit = is_limit(next((field for field in fields if "(" in field), rest).replace("(", " "))
        stakes = self._STAKES.search(rest)
        if stakes is None:
            raise Unfit("the stakes are missing", repr(rest[:80]))
        self.money(stakes[1])
        self.small, self.big = self.amount(stakes[1]), self.amount(stakes[2])
        self.time = time_of(rest, YEAR_FIRST)
        found = self._TABLE.match(self.lines[1]) if len(self.lines) > 1 else None
        self.table = (found["quoted"] or found["plain"] or "") if found else ""
        self.cap = 0 if "(Cap)" in self.table else -1
        self._won: dict[int, int] = {}  # by the summary

    def special(self, line: str) -> bool:
        if line.startswith("Main pot") or (line.startswith("Dealt to ") and not self.posts):
            return True  # the cards drawn for the button
        if not self.over or not line.startswith("Seat "):
            return False
        if won := self._WON.match(line):
            self._won[10 * int(won[1])] = self.amount(won[2])
        seen = self._SEEN.match(line)
        if seen and 10 * int(seen[1]) in self.names and cards_of(seen[3]):
            says = Says.SHOW if seen[2] == "showed" else Says.MUCK
            self.do(10 * int(seen[1]), says, Amount.ADDED, f"[{seen[3]}]")
        return True

    def finish(self) -> None:
        if not self.won:
            self.won = {key: [chips] for key, chips in self._won.items() if key in self.names}


class OldWinning(HandText):
    """A hand of the Winning network as it was written before 2018."""

    ROOM = "Winning"
    FIRST = re.compile(r"Game started at: (?P<id>[0-9/]{8,10} [0-9:]{5,8})")
    SEAT = re.compile(r"Seat (?P<number>[0-9]{1,2}): (?P<name>.+) \((?P<stack>[^()]*[0-9])\)\.?$")
    BUTTON = re.compile(r"^Seat ([0-9]{1,2}) is the button")
    STREET = re.compile(r"\*\*\* (FLOP|TURN|RIVER) \*\*\*")
    ACTION = re.compile(
        r"Player (?P<name>.*?) ?(?<= )(?P<verb>folds|checks|calls|bets|raises|allin|caps?|posts ante|ante"
        r"|straddle"
        r"|has small blind|has big blind|posts|received card:)(?P<rest>(?: [(\[].*)?)$"
    )
    VERBS = verbs(
        fold="folds",
        check="checks",
        call="calls",
        bet="bets",
        raise_="raises",
        all_in="allin|caps|cap",
        ante="ante|posts ante",
        straddle="straddle",
        small="has small blind",
        big="has big blind",
        post="posts",
        show="received card:",
    )
    SUMMARY = ("------ Summary",)
    POT = re.compile(r"Pot: ([0-9.,]*[0-9])")
    FEES = re.compile(r"(?:Rake|JP fee) ([0-9][0-9.,]*)")
    UNCALLED = Uncalled.UNSAID
    _GAME = re.compile(r"Game ID: ([0-9]{1,20}) ([0-9.,]+)/([0-9.,]+) (.*?) ?\(([^()]*)\)(?: [0-9]+-max)?$")
    _RESULT = re.compile(
        r"\*?Player (?P<name>.*?) (?P<how>shows:|mucks|does not show|doesn't show)(?P<rest>.*) Collects: "
        r"(?P<won>[0-9][0-9.,]*)\. (?:Wins|Loses):"
    )
    _CAP = re.compile(r"\(Cap\)")

    def head(self, first: re.Match[str]) -> None:
        found = self._GAME.match(self.lines[1]) if len(self.lines) > 1 else None
        if found is None:
            raise Unfit("the stakes are missing", repr(self.lines[1:2])[:80])
        self.id = found[1]
        self.time = time_of(self.lines[0], YEAR_FIRST)
        is_limit(found[5])
        self.table = found[4].removeprefix("(PRR) ").strip()
        self.tournament = ", Table " in found[4]
        if not self.tournament and not self.table.startswith("PM"):
            self.currency = "USD"
        self.small, self.big = self.amount(found[2]), self.amount(found[3])
        self.cap = 0 if self._CAP.search(found[4]) else -1
        self._told: list[str] = []  # names in the summary

    def special(self, line: str) -> bool:
        if line.startswith("Game ended at"):
            self.over = True
            return True
        if not self.over:
            return False
        found = self._RESULT.match(line)
        if found is None:
            return False
        self._told.append(found["name"])
        key = self.key(found["name"]) if found["name"] else self._nameless
        if key is None:
            return True
        if won := self.amount(found["won"]):
            self.won.setdefault(key, []).append(won)
        if found["how"] == "shows:":
            self.hole.pop(key, None)
            self.do(key, Says.SHOW, Amount.ADDED, found["rest"][found["rest"].rfind("[") :])
        return True

    _nameless: int | None = None

    def read(self, line: str) -> None:
        if line.startswith("Player  ") and self._nameless is None and not self.over:
            self._nameless = self._find_nameless()
            self.keys[""] = self._nameless
        super().read(line)

    def key(self, name: str) -> int | None:
        return super().key(name) if name else self._nameless

    def _find_nameless(self) -> int:
        """The seat whose player goes without a name: the only one that the summary leaves out."""
        told = [match["name"] for line in self.lines if (match := self._RESULT.match(line))]
        left = [key for name, key in self.keys.items() if name not in told]
        if told.count("") != 1 or len(left) != 1:
            raise Unfit("names", "a player without a name acts")
        return left[0]

    def do(self, key: int, says: Says, meaning: Amount, rest: str) -> None:
        if says is Says.SHOW and not self.over:  # one card at a time
            self.hole[key] = self.hole.get(key, ()) + cards_of(rest.strip(" []"))
            self.sights[key] = Sight.DEALT
            self.dealt.append(key)
            return
        super().do(key, says, meaning, rest)

    def finish(self) -> None:
        big = [chips for _, kind, chips in self.posts if kind is ForcedBet.BIG_BLIND]
        small = [chips for _, kind, chips in self.posts if kind is ForcedBet.SMALL_BLIND]
        self.limit = self.big == 2 * self.small and (
            big[:1] == [self.small] or (not big and 2 * sum(small[:1]) == self.small)
        )

    def _drafted(self) -> Draft:
        if any(len(cards) > 2 for cards in self.hole.values()):
            raise Unfit("cards", "more than two cards in a hand")
        return super()._drafted()
