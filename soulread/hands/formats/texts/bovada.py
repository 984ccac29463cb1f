"""Bovada, Ignition, Bodog: seats without names.

    Bovada Hand #3183548059 TBL#10253202 HOLDEM No Limit - 2015-12-01 04:04:36
    Seat 1: UTG [ME] ($27 in chips)
    Seat 2: Dealer ($10.77 in chips)
    Dealer : Set dealer [2]
    Small Blind : Small Blind $0.10
    *** HOLE CARDS ***
    UTG  [ME] : Card dealt to a spot [Js 6s]
    UTG  [ME] : Raises $0.65 to $0.75

**Players.** A seat is called by its position, which is no person. In a record the player of the file, [ME],
is "Hero"; everybody else has a name that no other hand has: the position and the number of the hand, such as
"UTG+1 #3183548059". So strangers are never added up, and their hands count for pools only.

All hole cards are in the file, those of folded hands too. A round total stands behind "to", or alone in old
files; "All-in" alone is what the seat adds. Old files have no lines for the streets, and the board is in the
summary: rounds are then cut where everybody has answered the last bet. A blind or ante that takes the whole
stack is an "All-in" before the hole cards. Damaged files repeat lines; a line that is the same as the one
before it is left out. Without a line of the rake, it is whatever nobody wins.
"""

import re

from soulread.hands.formats.texts.telling import Amount, ChipCount, HandText, Says, Uncalled, verbs
from soulread.hands.formats.texts.words import YEAR_FIRST, cards_of, is_limit, time_of
from soulread.hands.hand import ForcedBet, Sight
from soulread.hands.referee import Draft, Unfit

HERO = "Hero"
_LEVEL = re.compile(r"Level [0-9]+ \(([0-9.,]+)/([0-9.,]+)\)")
_STAKES = re.compile(r"Stakes: \$?([0-9.,]+)-\$?([0-9.,]+)")
_TABLE = re.compile(r"(?:TBL|Zone Poker ID)#([0-9]+)")
_ROLES = r"(?:Small Blind|Big Blind|Dealer|UTG(?:\+[0-9]{1,2})?)"
_SUMMARY_CARDS = re.compile(r"Seat\+?[0-9]+: (?P<name>" + _ROLES + r").*\[(?P<cards>[^\[\]-]*)-")
_BOARD = re.compile(r"Board \[([^\]]*)\]")


class Bovada(HandText):
    """A hand of Bovada."""

    ROOM = "Bovada"
    FIRST = re.compile(
        r"(?P<room>Bovada|Ignition|Bodog)(?:\.[a-z.]+|88)?(?: UK| Canada| Casino)? "
        r"Hand #(?P<id>C?[0-9]{1,20}):? +(?P<rest>(?:TBL#|Zone |[A-Z0-9]{5}).*)"
    )
    SEAT = re.compile(
        r"Seat (?P<number>[0-9]{1,6}): (?P<name>"
        + _ROLES
        + r")(?P<me> *\[ME\])? \((?P<stack>[^()]*[0-9]) in chips\)"
    )
    STREET = re.compile(r"\*\*\* (FLOP|TURN|RIVER) \*\*\*")
    ACTION = re.compile(
        r"(?P<name>" + _ROLES + r")(?: *\[ME\])? *: (?P<verb>Folds?|Checks?|Calls?|Bets?|Raises?|Double bets"
        r"|All-in\(raise(?:-timeout)?\)|All-in"
        r"|Ante/Small Blind|Small Blind|Big Blind/Bring in|Big Blind|Ante chip|Posts chip"
        r"|Posts dead chip|Posts dead|Card dealt to a spot|Showdown|Mucks|Does not show"
        r"|Hand Result-Side Pot|Hand Result)(?P<rest>.*)$",
        re.IGNORECASE,
    )
    VERBS = verbs(
        fold="fold|folds",
        check="check|checks",
        call="call|calls",
        bet="bet|bets|double bets",
        raise_to="raise|raises|all-in(raise)|all-in(raise-timeout)",
        all_in="all-in",
        small="ante/small blind|small blind",
        big="big blind/bring in|big blind",
        ante="ante chip",
        post="posts chip",
        dead="posts dead chip|posts dead",
        show="showdown|card dealt to a spot",
        muck="mucks",
        nothing="does not show",
        win="hand result|hand result-side pot",
    )
    SUMMARY = ("*** SUMMARY",)
    POT = re.compile(r"Total Pot\(([^()]*[0-9])\)")
    FEES = re.compile(r"Rake \(([^()]*[0-9])\)")
    UNCALLED = Uncalled.NEVER

    def head(self, first: re.Match[str]) -> None:
        rest = first["rest"]
        self.room = first["room"]
        self.tournament = "Tournament #" in rest
        game = rest.partition("- Level")[0].replace("ZonePoker", "")
        self.limit = is_limit(game if "Limit" in game else f"{game} No Limit")
        self.time = time_of(rest, YEAR_FIRST)
        table = _TABLE.search(rest)
        self.table = table[1] if table else ""
        stakes = _LEVEL.search(rest)
        for line in self.lines[1:4]:
            if not self.tournament:
                self.money(line)
            stakes = stakes or _STAKES.search(line)
        if stakes:
            self.small, self.big = self.amount(stakes[1]), self.amount(stakes[2])
        self.button = 0
        self._dealing = False  # the hole cards
        self._early: list[tuple[int, int]] = []  # seats that went all-in before the hole cards
        self._me = -1
        text = "\n".join(self.lines)
        told = "\n*** FLOP" in text or "\nCard to the table" in text
        self._streets = told or "\nBoard [" not in text
        self._before = ""

    def position(self, key: int) -> tuple[bool, int]:
        role = self.names[key].partition(" #")[0] if key != self._me else self._role
        if role == "Dealer":
            return True, 0
        if role.startswith("UTG"):
            return False, 2 + int(role.partition("+")[2] or 0)
        return False, int(role == "Big Blind")

    def special(self, line: str) -> bool:
        if self._streets and line == self._before and " : " in line:
            return True  # written twice: nobody acts twice in a row
        self._before = line
        if line.startswith("*** HOLE CARDS"):
            if self._dealing:
                raise Unfit("two hands run into one", "a second deal in one hand")
            self._dealing = True
            return True
        if line.startswith("Card to the table"):
            self.street(("flop", "turn", "river")[min(2, max(0, len(self.board) - 2))], line)
            return True
        if "[ME]" in line and self._me < 0 and (seat := self.SEAT.match(line)):
            self._me, self._role = 10 * int(seat["number"]), seat["name"]
        if self.over:
            self._summary(line)
        return False

    def _summary(self, line: str) -> None:
        found = _SUMMARY_CARDS.match(line)
        key = self.keys.get(found["name"]) if found else None
        if found and key is not None and key not in self.hole:
            self.hole[key] = cards_of(found["cards"])
        board = _BOARD.match(line)
        if board and not self.board and len(self.acts) == 1:
            self.board = cards_of(board[1])

    def do(self, key: int, says: Says, meaning: Amount, rest: str) -> None:
        if says is Says.ALL_IN and not self._dealing:
            self._early.append((key, self.amount(rest)))
            self.posts.append((key, ForcedBet.ANTE, 0))  # keeps its place
        elif says is Says.SHOW and self._dealing and not self._has_acted:
            cards = cards_of(rest.strip(" []"))
            if len(cards) == 2:
                self.hole[key] = cards
                self.sights[key] = Sight.DEALT
        elif says is Says.SHOW:
            self.sights[key] = Sight.SHOWN  # the line has the best five cards, not these two
        else:
            super().do(key, says, meaning, rest)

    @property
    def _has_acted(self) -> bool:
        return len(self.acts) > 1 or bool(self.acts[0])

    def finish(self) -> None:
        self._post_early()
        if self._me >= 0:
            self.dealt = [self._me]
        if self.board and len(self.acts) == 1:
            self._cut()
        for name, key in list(self.keys.items()):
            self.names[key] = HERO if key == self._me else f"{name} #{self.id}"

    def _post_early(self) -> None:
        """Stacks that antes or blinds took whole."""
        antes = {key for key, kind, chips in self.posts if kind is ForcedBet.ANTE and chips}
        places = [place for place, post in enumerate(self.posts) if post[1] is ForcedBet.ANTE and not post[2]]
        for place, (key, chips) in zip(places, self._early, strict=True):
            kind = ForcedBet.SMALL_BLIND if self.names[key] == "Small Blind" else ForcedBet.BIG_BLIND
            if antes and key not in antes:
                kind = ForcedBet.ANTE
            elif self.names[key] == "Dealer" and len(self.names) == 2:
                kind = ForcedBet.SMALL_BLIND
            self.posts[place] = key, kind, chips

    def _cut(self) -> None:
        order = sorted(self.playing(), key=self.position)
        counting = ChipCount(self, order, self._big_blind())
        self.acts = counting.rounds(self.acts[0], self.stacks)

    def _drafted(self) -> Draft:
        if not self._dealing:
            raise Unfit("the hand is cut short", "no cards are dealt")
        return super()._drafted()

    _role = ""
