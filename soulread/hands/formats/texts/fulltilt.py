"""Full Tilt Poker, and two rooms that write like it: Everest (as PokerTracker exports it) and Unibet.

    Full Tilt Poker Game #22488827305: Table Flash - $0.02/$0.05 - No Limit Hold'em - 15:13:00 ET - 2010/07/21
    Seat 1: Ann ($2.70)
    Bob posts the small blind of $0.02
    The button is in seat #4
    *** HOLE CARDS ***
    Ann raises to $0.10, and is all in
    Ann wins the pot ($0.04)
    *** SUMMARY ***
    Total pot $0.04 | Rake $0

The fields of the first line come in different orders, and amounts in it may be in thousands: "50K/100K". Of
two times the one in Eastern time counts. In a capped game stacks count up to the cap: that of the first line,
else 30 big blinds. Everest names neither pot nor rake: the rake is whatever nobody collects. The winnings of
Unibet have in them what nobody called, and so has its pot.
"""

import re
from typing import ClassVar

from soulread.hands.formats.rooms import read_amount
from soulread.hands.formats.texts.telling import Amount, HandText, Says, Uncalled, verbs
from soulread.hands.formats.texts.words import CLOCK_FIRST, cards_of, is_limit, time_of
from soulread.hands.hand import ForcedBet, Sight
from soulread.hands.referee import Unfit

_STAKES = re.compile(r"[^0-9]*([0-9][0-9.,]*[KMB]?)/[^0-9]*([0-9][0-9.,]*[KMB]?)(?: Ante .*)?")
_ANTE_BACK = re.compile(r"Ante of \S+ returned to (.+)")
_POWERS = {"K": 10**3, "M": 10**6, "B": 10**9}
_HOLDEM = re.compile(r"hold.?em", re.IGNORECASE)
_CAP = re.compile(r"(?:[^0-9]?([0-9][0-9.,]*) )?cap\b", re.IGNORECASE)


class FullTilt(HandText):
    """A hand of Full Tilt Poker."""

    ROOM = "Full Tilt Poker"
    FIRST = re.compile(r"Full ?Tilt ?Poker(?:\.fr)? Game #(?P<id>[0-9]{1,20})(?: \(partial\))?: (?P<rest>.*)")
    SEAT = re.compile(r"Seat (?P<number>[0-9]{1,2}): (?P<name>.+) \((?P<stack>[^()]*[0-9][^()]*)\)")
    BUTTON: ClassVar[re.Pattern[str] | None] = re.compile(r"^The button is in seat #([0-9]{1,2})")
    STREET = re.compile(r"\*\*\* (FLOP|TURN|RIVER)(?: ([12]))? \*\*\*", re.IGNORECASE)
    DEALT = re.compile(r"Dealt to (?P<name>.+?) \[(?P<cards>[^\]]*)\]")
    ACTION = re.compile(
        r"(?P<name>.+?) (?P<verb>folds|checks|calls|bets|raises to|raises|antes|posts the ante of"
        r"|posts(?: the)? ante"
        r"|posts the small blind of|posts the big blind of|posts small blind|posts big blind"
        r"|posts a dead small blind of|posts the dead blind of|posts small & big blinds|posts|straddles"
        r"|posts straddle|shows|mucked|mucks"
        r"|wins(?: the)?(?: main| side)?(?: pot)?(?: #?[0-9]+)?(?= \()|ties(?: for)?(?: the)?(?: main| side)?"
        r"(?: pot)?(?: #?[0-9]+)?(?= \()|collects|wins)(?P<rest>(?: (?:[\[($€£0-9]|[A-Z]{3} ?[0-9]).*)?)$"
    )
    VERBS = verbs(
        fold="folds",
        check="checks",
        call="calls",
        bet="bets",
        raise_to="raises|raises to",
        ante="antes|posts the ante of|posts ante|posts the ante",
        small="posts the small blind of|posts small blind",
        big="posts the big blind of|posts big blind",
        dead="posts a dead small blind of|posts the dead blind of",
        post="posts|posts small & big blinds",
        straddle="straddles|posts straddle",
        show="shows",
        muck="mucks|mucked",
        win="wins|collects",
    )
    SUMMARY = ("*** SUMMARY", "*** Summary")
    POT = re.compile(r"Total pot ([^ |]*[0-9])")
    FEES = re.compile(r"Rake ([^|]*[0-9])")
    NAMES_STAKES: ClassVar[bool] = True  # always, in the first line
    _TAKEN = re.compile(r"Seat ([0-9]{1,2}): .* (?:collected|won) \(([^()]*[0-9])\)")
    _FOLDED = re.compile(r"Seat ([0-9]{1,2}): .* folded (?:before|on) the ")
    _SEEN = re.compile(r"Seat ([0-9]{1,2}): .*? (showed|mucked) \[([^\]]*)\]")

    def head(self, first: re.Match[str]) -> None:
        fields = first["rest"].split(" - ")
        stakes = next((found for field in fields if (found := _STAKES.fullmatch(field.strip()))), None)
        games = [field for field in fields[1:] if self._is_game(field)]
        game = next((field for field in games if _HOLDEM.search(field)), games[0] if games else "")
        if not game or (stakes is None and self.NAMES_STAKES):
            raise Unfit("the stakes are missing", repr(first["rest"][:80]))
        self.limit = is_limit(game)
        self.tournament = not fields[0].startswith("Table ")
        self.table = fields[0].removeprefix("Table ").strip()
        for line in (stakes[0] if stakes else "", *self.lines[1:4]):
            self.money(line)
        if stakes:
            self.small, self.big = self._thousands(stakes[1]), self._thousands(stakes[2])
        cap = _CAP.search(game)
        if cap:
            self.cap = self.amount(cap[1]) if cap[1] else 0
        self.time = time_of(first["rest"], CLOCK_FIRST)
        self._taken: dict[int, int] = {}  # by the summary
        self._gone: set[int] = set()

    def _is_game(self, field: str) -> bool:
        try:
            is_limit(field)
        except Unfit as error:
            return error.other_game
        return True

    def _thousands(self, text: str) -> int:
        power = _POWERS.get(text[-1], 0)
        if not power:
            return self.amount(text)
        return self.amount(str(read_amount(text[:-1], 3) * power // 1000))

    def special(self, line: str) -> bool:
        if " is allin" in line and "disconnected" in line:
            raise Unfit("a disconnected player counts as all-in", repr(line[:60]))
        if line.startswith("Ante of ") and (back := _ANTE_BACK.match(line)):
            key = self.key(back[1].strip())  # who did not answer in time and is not dealt in
            self.posts = [post for post in self.posts if post[:2] != (key, ForcedBet.ANTE)]
            return True
        if not self.over or not line.startswith("Seat "):
            return False
        if seen := self._SEEN.match(line):
            key, cards = 10 * int(seen[1]), cards_of(seen[3])
            if key in self.names and cards:
                self.show(key, f"[{seen[3]}]", Sight.SHOWN if seen[2] == "showed" else Sight.MUCKED)
        if taken := self._TAKEN.match(line):
            self._taken[10 * int(taken[1])] = self.amount(taken[2])
        elif folded := self._FOLDED.match(line):
            self._gone.add(10 * int(folded[1]))
        return True

    def finish(self) -> None:
        """Read in the summary what no other line tells: who won, and who folded a blind."""
        if not self.won:
            self.won = {key: [chips] for key, chips in self._taken.items() if key in self.names}
        acted = {act[0] for acts in self.acts for act in acts}
        posted = {post[0] for post in self.posts}
        for key in sorted(self._gone & posted - acted, key=self.position):
            self.acts[0].append((key, Says.FOLD, 0, Amount.ADDED))

    def act(self, found: re.Match[str]) -> None:
        verb = found["verb"]
        if verb.startswith(("wins", "ties")):
            key = self.key(found["name"])
            if key is not None and found["rest"]:
                self.do(key, Says.WIN, Amount.ADDED, found["rest"])
            return
        super().act(found)


class Everest(FullTilt):
    """A hand of Everest Poker."""

    ROOM = "Everest"
    NAMES_STAKES = False
    DEAD_IS_LIVE = True
    FIRST = re.compile(r"Everest ?(?:Poker)? ?Game #(?P<id>[0-9]{1,20}): (?P<rest>.*)")


class Unibet(FullTilt):
    """A hand of Unibet."""

    ROOM = "Unibet"
    FIRST = re.compile(r"Game #(?P<id>[0-9]{1,20}): (?P<rest>Table .* - .*)")
    BUTTON = None
    UNCALLED = Uncalled.ALWAYS

    def special(self, line: str) -> bool:
        name, mark, _ = line.partition(" has the button")
        if mark and name in self.keys:
            self.button = self.keys[name]
            return True
        return super().special(line)
