"""Texts that PokerTracker exports: iPoker, Merge, Microgaming. Everest is in `fulltilt`.

    GAME #2607756372: Texas Hold'em NL $0.50/$1 2011/01/23 20:16:35
    Table HandHQ
    Seat 8: Ann ($100.00 in chips) DEALER
    Bob: Post SB $0.50
    *** HOLE CARDS ***
    Ann: Raise (NF) $5.00
    *** SUMMARY ***
    Total pot $245.80 Rake $3.00
    Ann: wins $146.20

and

    ** Game ID 4152594215 starting - 2011-11-02 23:08:51
    ** Deal 252 (Deep) - €5 Min [Hold'em] (0.05|0.10 NL - € Cash Game) Real Money
    - Ann sitting in seat 3 with €6.90 [Dealer]
    Bob posted the small blind - €0.05
    Ann raised - €0.20
    Ann wins €20.50 from the main pot

A raise of iPoker or Merge is a total of the round; "Raise" and "Allin" that come to less than the bet are
calls of what the seat had. The winnings have in them what nobody called, unless the first line says
"Uncalled:Y" or a line of its own gives it back. Dates of Merge have the month first, and the stacks of its
tournaments are those after antes and blinds. Where bets come to more than a stack and the pot says that they
are right, the stack is what was bet.

A table without a dealer has a dead button before the small blind. Some files have streets after the actions
of the next round; if a hand cannot have been played as it is written, its rounds are cut where everybody has
answered the last bet.

Calls and raises of Microgaming are totals too, but since "Version:" stands in the first line they are what
the seat adds. Names of anonymous tables are no persons; they get the number of the hand, as at Bovada.
"""

import re
from collections.abc import Sequence

from soulread.hands.formats.texts.telling import Amount, ChipCount, HandText, Says, Uncalled, verbs
from soulread.hands.formats.texts.words import MONTH_FIRST, YEAR_FIRST, is_limit, time_of
from soulread.hands.hand import ForcedBet
from soulread.hands.referee import Unfit

_STAKES = re.compile(r"(?P<small>[^ /(|]{0,4}[0-9][0-9.,]*)[/|](?P<big>[^ /]{0,4}[0-9][0-9.,]*)\)?(?: |$)")
_DEALING = "** Dealing ca"
_LIMIT = re.compile(r"\b(?:FL|limit)\b", re.IGNORECASE)  # without any word it is no-limit


class IPoker(HandText):
    """A hand of iPoker or Merge as PokerTracker exports it."""

    ROOM = "iPoker"
    FIRST = re.compile(r"GAME #(?P<id>[0-9]{1,20}):? (?P<rest>.*)")
    SEAT = re.compile(
        r"Seat (?P<number>[0-9]{1,2}): (?P<name>.+) \((?P<stack>[^()]*[0-9][^()]*?)(?: in chips)?\)"
    )
    STREET = re.compile(r"\*\*\* (FLOP|TURN|RIVER) \*\*\*")
    DEALT = re.compile(r"Dealt to (?P<name>.+?) \[(?P<cards>[^\]]*)\]")
    ACTION = re.compile(
        r"(?P<name>.+?): (?P<verb>Fold|Check|Call|Bet|Raise to|Raise \(NF\)|Raise|Allin|Post Ante|Ante"
        r"|Post SB|SB|Post BB|BB|Post DB|DB|Post|Shows|Mucks|wins)(?P<rest>(?: .*)?)$"
    )
    VERBS = verbs(
        fold="fold",
        check="check",
        call="call",
        bet="bet",
        raise_to="raise to|raise (nf)|raise",
        all_in="allin",
        ante="post ante|ante",
        small="post sb|sb",
        big="post bb|bb",
        dead="post db|db",
        post="post",
        show="shows",
        muck="mucks",
        win="wins",
    )
    SUMMARY = ("*** SUMMARY",)
    POT = re.compile(r"Total pot ([^ ]*[0-9])")
    FEES = re.compile(r"Rake ([^ ]*[0-9])")
    UNCALLED = Uncalled.ALWAYS
    DEAD_IS_LIVE = True
    DATE = YEAR_FIRST
    READINGS = 3

    def head(self, first: re.Match[str]) -> None:
        rest = first["rest"]
        self.tournament = "Tournament" in rest
        self.limit = is_limit(rest) and bool(_LIMIT.search(rest))
        self.time = time_of(rest, self.DATE)
        before = rest[: date.start()] if (date := self.DATE.search(rest)) else rest
        stakes = _STAKES.search(before)
        if stakes:
            self.money(stakes[0])
            self.small, self.big = self.amount(stakes["small"]), self.amount(stakes["big"])
        elif not self.tournament:
            raise Unfit("the stakes are missing", repr(rest[:80]))
        self.table = self.lines[1].removeprefix("Table ").strip() if len(self.lines) > 1 else ""
        for line in self.lines[2:8]:
            seat = self.SEAT.match(line)
            if seat:
                self.money(seat["stack"])
        if "Uncalled:Y" in rest:
            self.uncalled = Uncalled.NEVER

    def special(self, line: str) -> bool:
        if line.endswith(" DEALER") and (seat := self.SEAT.match(line)):
            self.button = 10 * int(seat["number"])
        if line.endswith("(uncalled)"):
            self.uncalled = Uncalled.NEVER
            return True
        return False

    def post(self, key: int, says: Says, rest: str) -> None:
        """A big blind that is too much has a dead small one in it."""
        chips = self.amount(rest)
        extra = chips - self.big
        if says is Says.BIG and not self.limit and 0 < extra <= self.small and self.big:
            self.last = key
            self.add_post(key, ForcedBet.BIG_BLIND, self.big)
            self.add_post(key, ForcedBet.DEAD_BLIND, extra)
            return
        super().post(key, says, rest)

    def finish(self) -> None:
        """Find a button that nobody sits at, and in the second reading cut the streets by the betting."""
        small = [key for key, kind, _ in self.posts if kind is ForcedBet.SMALL_BLIND]
        if self.button < 0 and small:
            self.button = small[0] if len(self.playing()) == 2 else small[0] - 1
        if self.reading == 1 and self.button >= 0:
            order = sorted(self.playing(), key=self.position)
            counting = ChipCount(self, order, self._big_blind())
            self.acts = counting.rounds([act for acts in self.acts for act in acts], self.stacks)

    def _stacks(self, order: Sequence[int], counting: ChipCount, big: int) -> dict[int, int]:
        """The stacks; in the third reading a seat has at least what it puts in."""
        stacks = super()._stacks(order, counting, big)
        if self.reading == 2 and self.pot is not None:
            return {key: max(stack, counting.put_in(key)) for key, stack in stacks.items()}
        return stacks


class Merge(IPoker):
    """A hand of Merge as PokerTracker exports it."""

    ROOM = "Merge"
    FIRST = re.compile(r"(?:MERGE_GAME|Merge Game) #(?P<id>[0-9-]{1,30})(?::| \|) (?P<rest>.*)")
    DATE = MONTH_FIRST

    def finish(self) -> None:
        """Stacks of a tournament are those after antes and blinds."""
        if self.tournament:
            for key, _, chips in self.posts:
                self.stacks[key] += chips
        super().finish()


class Microgaming(HandText):
    """A hand of Microgaming as PokerTracker exports it."""

    ROOM = "Microgaming"
    FIRST = re.compile(
        r"\*\* (?:Game ID|Hand #) (?P<id>[0-9]{1,20})(?P<version> Version:[0-9]+)? starting - (?P<rest>.*)"
    )
    SEAT = re.compile(
        r"- (?P<name>.+?) sitting in seat (?P<number>[0-9]{1,2}) with (?P<stack>[^ ]*[0-9])(?P<rest>.*)"
    )
    STREET = re.compile(r"\*\* Dealing the (flop|turn|river): (.*)")
    DEALT = re.compile(r"\*\* Dealing card to (?P<name>.+?): (?P<cards>.*)")
    ACTION = re.compile(
        r"(?P<name>.+?) (?P<verb>folded|Quick Folded|checked|called - |bet - |raised - |raised to - "
        r"|went all-in - |posted the ante - "
        r"|posted the small blind - |posted the big blind - |posted the dead blind - |posted to play - "
        r"|shows: |mucks:|wins (?=[^ ]*[0-9]))(?P<rest>.*)$"
    )
    VERBS = verbs(
        fold="folded|quick folded",
        check="checked",
        call="called - ",
        bet="bet - ",
        raise_="raised - ",
        raise_to="raised to - ",
        all_in="went all-in - ",
        ante="posted the ante - ",
        small="posted the small blind - ",
        big="posted the big blind - ",
        dead="posted the dead blind - ",
        post="posted to play - ",
        show="shows: ",
        muck="mucks:",
        win="wins ",
    )
    UNCALLED = Uncalled.ALWAYS
    _GAME = re.compile(r"\*\* (.*?) \[([^\]]*)\] \(([^()|]*)\|([^ ]*) ([A-Z]+)(.*)\)")

    def head(self, first: re.Match[str]) -> None:
        found = self._GAME.match(self.lines[1]) if len(self.lines) > 1 else None
        if found is None:
            raise Unfit("the stakes are missing", repr(self.lines[1:2])[:80])
        self._totals = not first["version"]
        self.limit = is_limit(f"{found[2]} {found[5]}")
        self.table = found[1]
        self.tournament = "Cash Game" not in found[6]
        if not self.lines[1].endswith("Play Money"):
            self.money(found[6])
            self.money(found[1])
        self.small, self.big = self.amount(found[3]), self.amount(found[4])
        self.time = time_of(first["rest"], YEAR_FIRST)
        self._dealt = not any(line.startswith(_DEALING) for line in self.lines)
        self._early: list[int] = []  # places of posts that took a whole stack

    def special(self, line: str) -> bool:
        self._dealt = self._dealt or line.startswith(_DEALING)
        if "[Dealer]" in line and (seat := self.SEAT.match(line)):
            self.button = 10 * int(seat["number"])
        return line.startswith("End of game")

    def street(self, name: str, line: str) -> None:
        super().street(name, f"[{line.partition(': ')[2]}]")

    def do(self, key: int, says: Says, meaning: Amount, rest: str) -> None:
        if says is Says.ALL_IN and not self._dealt:
            self._early.append(len(self.posts))
            self.posts.append((key, ForcedBet.ANTE, self.amount(rest)))
            return
        if self._totals and says in (Says.CALL, Says.RAISE):
            meaning = Amount.TO
        if says in (Says.SHOW, Says.MUCK):
            rest = f"[{rest.strip()}]" if rest.strip() else ""
        super().do(key, says, meaning, rest)

    def _post_early(self) -> None:
        """Stacks that an ante or a blind took whole, which is not said: whatever has not been posted."""
        others = [post for place, post in enumerate(self.posts) if place not in self._early]
        antes = {key for key, kind, _ in others if kind is ForcedBet.ANTE}
        kinds = {post[1] for post in others}
        for left, place in enumerate(self._early, start=1 - len(self._early)):
            key, _, chips = self.posts[place]
            if antes and key not in antes:
                continue
            small = ForcedBet.SMALL_BLIND not in kinds and (left < 0 or ForcedBet.BIG_BLIND in kinds)
            kind = ForcedBet.SMALL_BLIND if small else ForcedBet.BIG_BLIND
            kinds.add(kind)
            self.posts[place] = key, kind, chips

    def finish(self) -> None:
        self._post_early()
        if not self.table.startswith("Anonymous"):
            return
        for key, name in self.names.items():
            if key not in self.dealt:
                self.names[key] = f"{name} #{self.id}"
