"""PartyPoker and its network, in the forms of its tables and of its e-mails.

    ***** Hand History for Game 9582251255 *****
    $2 USD NL Texas Hold'em - Monday, August 30, 16:08:09 EDT 2010
    Table Speed #1769729 (Real Money)
    Seat 6 is the button
    Seat 9: Ann ( $3.57 USD )
    Ann posts small blind [$0.01 USD].
    ** Dealing down cards **
    Ann raises [$0.08 USD]
    Ann does not show cards.
    Ann wins $0.65 USD

An amount is what the seat adds; e-mails write "raises 0.06 to 0.08". Winnings always have in them what nobody
called. Only e-mails name the pot and the rake; elsewhere the rake is whatever nobody wins. A sum of money
alone in the first line is a buy-in, and the blinds are those posted.

Blinds of tournaments are named and not posted: "Blinds(20/40)". They are those of the first two seats after
the button that play; if the hand cannot have been played so, the small blind is dead. A player who sits down
may post silently and then "checks": a big blind, and a small one too if more was won than the others put in.

A cash-out is a deal with the house: the player has the rest of the pot that nobody else collects, not the
sum that the house pays. Money that is won in a tournament is a prize or a bounty.

E-mails of tournaments round: bets to even chips, and sums to seven digits. A bet is then one chip more or
less, so that the summary is right about what its seat put in, and the one who took most has what is left of
the pot.
"""

import re

from soulread.hands.formats.texts.telling import Amount, ChipCount, HandText, Says, Uncalled, verbs
from soulread.hands.formats.texts.words import YEAR_LAST, currency_of, is_limit, time_of
from soulread.hands.hand import ForcedBet, Sight
from soulread.hands.referee import Draft, Unfit

_LEVEL = re.compile(r"(?:Blinds|Stakes)(?:-Antes)? ?\(\$?([0-9.,]+) ?/ ?\$?([0-9.,]+)")
_STAKES = re.compile(r"[^0-9(]*([0-9][0-9.,]*)/[^0-9]?([0-9][0-9.,]*)")
_TOURNAMENT = re.compile(r"Trny|Tourn", re.IGNORECASE)
_LIMITS = re.compile(r"\b(NL|PL|FL)\b")
_BALANCE = re.compile(r"(?P<name>.+?)(?P<out> Cashed out)? +balance [^ ]*[0-9],? (?P<rest>.*)$")
_TAKEN = re.compile(r"collected [^0-9,]*([0-9][0-9.,]*[0-9]|[0-9]),")
_PUT_IN = re.compile(r"(?:lost|bet) [^0-9,]*([0-9][0-9.,]*[0-9]|[0-9])")
_CARDS = re.compile(r"(?:net [+-][^ \[]*|lost [^ \[(]*) ?(\[[^\[\]]*\])")
_POTS = re.compile(r"(?:Main|Side) Pot(?: [0-9]+)?: [^0-9]*([0-9][0-9.,]*)")
_POSTS = re.compile(r"[^:]+ posts [A-Za-z][^\[(]*[\[(]")
_DIGITS = 7  # that e-mails give of an amount


class Party(HandText):
    """A hand of PartyPoker."""

    ROOM = "PartyPoker"
    FIRST = re.compile(
        r"\*{5} Hand History [Ff]or Game (?P<id>[0-9A-Za-z]{1,40}) \*{5}(?P<stars> \(Poker ?Stars\))?"
    )
    SEAT = re.compile(
        r"[Ss]eat ?(?P<number>[0-9]{1,2}): (?P<name>.+?) \( ?(?P<stack>[^()]*[0-9][^()]*?) ?\)(?: - .*)?$"
    )
    BUTTON = re.compile(r"Seat ([0-9]{1,2}) is the button")
    STREET = re.compile(r"\*\* Dealing (Flop|Turn|River) \*\*")
    DEALT = re.compile(r"Dealt to (?P<name>.+?) \[(?P<cards>[^\]]*)\]")
    ACTION = re.compile(
        r"(?P<name>.+?) (?P<verb>folds|checks|calls|bets|raises|is all-[Ii]n|posts ante(?: of)?"
        r"|posts small blind|posts big blind|posts big blind \+ dead|posts dead blind|posts straddle|shows"
        r"|doesn't show|wins)(?P<rest> *[\[(].*| [^a-z]?[0-9].*| *\.?)$"
    )
    VERBS = verbs(
        fold="folds",
        check="checks",
        call="calls",
        bet="bets",
        raise_="raises",
        all_in="is all-in",
        ante="posts ante|posts ante of",
        small="posts small blind",
        big="posts big blind",
        dead="posts dead blind",
        both="posts big blind + dead",
        straddle="posts straddle",
        show="shows",
        muck="doesn't show",
        win="wins",
    )
    SUMMARY = ("** Summary **",)
    UNCALLED = Uncalled.ALWAYS
    POT_IS_CALLED = True
    READINGS = 2

    def head(self, first: re.Match[str]) -> None:
        if len(self.lines) < 3:
            raise Unfit("the hand is cut short", "it ends after its first line")
        if first["stars"]:  # converted
            self.room = "PokerStars"
        text = self.lines[1]
        self.tournament = bool(_TOURNAMENT.search(text)) or "Tournament" in self.lines[2]
        kind = _LIMITS.search(text)
        game = text.partition(" - ")[0] if " - " in text else text
        self.limit = is_limit(f"{game} {kind[0] if kind else ''}".replace("FL", ""))
        self.time = time_of(text, YEAR_LAST)
        self.table = re.sub(r"^Table (?:Table +)?| *\( ?Real Money ?\).*$", "", self.lines[2]).strip()
        self._priced = False  # whether chips have a sign of money
        for line in self.lines[3:]:
            seat = self.SEAT.match(line)
            if seat:
                self.money(seat["stack"])
                self._priced = bool(currency_of(seat["stack"]))
                break
        self._level(text)
        stakes = _STAKES.match(text)
        if stakes and not self.big:
            self.small, self.big = self.amount(stakes[1]), self.amount(stakes[2])
        self._rough = 0  # how much an amount may be rounded
        self._put_in: dict[int, int] = {}  # by the summary
        self._cashed_out: list[int] = []

    def _level(self, text: str) -> bool:
        found = _LEVEL.search(text)
        if found:
            self.small, self.big = self.amount(found[1]), self.amount(found[2])
        return found is not None

    def special(self, line: str) -> bool:
        if line.startswith(("Blinds", "Stakes")) and not self.posts:
            return self._level(line)
        if self.over:
            return self._summary(line)
        _, mark, rest = line.partition("does not show cards.")
        if mark and rest:  # two lines in one
            self.read(rest)
        if not mark and _POSTS.match(line) and not self.ACTION.match(line):
            raise Unfit("an action cannot be read", repr(line[:60]))
        return bool(mark)

    def _summary(self, line: str) -> bool:
        if line.startswith("Main Pot"):
            self.pot = sum(map(self._rounded, _POTS.findall(line)))
            _, mark, rake = line.partition("Rake: ")
            if mark:
                self.rake = self.amount(rake)
            return True
        found = _BALANCE.match(line)
        key = self.key(found["name"]) if found else None
        if not found or key is None:
            return False
        if put_in := _PUT_IN.match(found["rest"]):
            self._put_in[key] = self.amount(put_in[1])
        taken = _TAKEN.search(found["rest"])
        if found["out"]:  # what it pays is no part of the pot
            self._cashed_out.append(key)
        elif taken:
            self.won.setdefault(key, []).append(self._rounded(taken[1]))
        cards = _CARDS.search(found["rest"])
        if cards:
            self.do(key, Says.SHOW, Amount.ADDED, cards[1])
        return True

    def _rounded(self, text: str) -> int:
        chips = self.amount(text)
        digits = len(str(chips))
        if self.tournament and digits > _DIGITS:
            self._rough += 10 ** (digits - _DIGITS)
        return chips

    def do(self, key: int, says: Says, meaning: Amount, rest: str) -> None:
        if says is Says.ALL_IN and not any(map(str.isdigit, rest)):
            return  # "Ann is all-In." after the action that tells how much
        if says is Says.WIN and self.tournament and not self._priced and currency_of(rest):
            return  # a prize or a bounty
        super().do(key, says, Amount.TO if says is Says.RAISE and " to " in rest else meaning, rest)

    def post(self, key: int, says: Says, rest: str) -> None:
        """A live big blind and a dead small one are told as one amount; a late small blind is live."""
        if says is not Says.BOTH:
            late = says is Says.SMALL and any(kind is ForcedBet.BIG_BLIND for _, kind, _ in self.posts)
            super().post(key, Says.POST if late else says, rest)
            return
        self.last = key
        chips, big = self.amount(rest), self._big_blind()
        self.add_post(key, ForcedBet.BIG_BLIND, min(chips, big))
        self.add_post(key, ForcedBet.DEAD_BLIND, max(0, chips - big))

    def key(self, name: str) -> int | None:
        """The seat of a name; one that was cut where the seats are written is found by its beginning."""
        found = super().key(name)
        near = [known for known in self.keys if name.startswith(known + " ")] if found is None else []
        if len(near) == 1:
            found = self.keys[name] = self.keys[near[0]]
            self.names[found] = name
        return found

    def stranger(self, name: str, says: Says) -> int | None:
        """Who posts without a seat has just sat down; chat has a colon."""
        if ":" in name or says in (Says.SHOW, Says.MUCK, Says.WIN):
            return None
        if says not in (Says.SMALL, Says.BIG, Says.BOTH, Says.DEAD):
            raise Unfit("a player has no seat", repr(name[:40]))
        return self.join(name)

    def playing(self) -> set[int]:
        return super().playing() | {key for key, sight in self.sights.items() if sight is not Sight.DEALT}

    def finish(self) -> None:
        if len(self._cashed_out) == 1 and self.pot is not None:
            self.won.setdefault(self._cashed_out[0], [0])
        if self._cashed_out and not self.won:
            raise Unfit("nobody knows who won", "all who were left cashed out")
        blinds = (ForcedBet.SMALL_BLIND, ForcedBet.BIG_BLIND)
        if self.tournament and self.big and not any(kind in blinds for _, kind, _ in self.posts):
            self._post_blinds()
        if not self.tournament:
            self._post_silently()
        elif self._put_in:
            self._fill_up()

    def _post_blinds(self) -> None:
        """The blinds of a level, which nobody is said to post."""
        order = sorted(self.playing(), key=self.position)
        if len(order) < 2:
            raise Unfit("the number of players", f"{len(order)}")
        if len(order) == 2:
            big = order[0] if self.button == order[1] else order[1]
            small: int | None = order[1] if big == order[0] else order[0]
        elif self.reading:
            big, small = order[0], None
        else:
            small, big = order[:2]
        blind = self.small if self.limit else self.big
        if small is not None:
            self._post(small, ForcedBet.SMALL_BLIND, blind // 2 if self.limit else self.small)
        self._post(big, ForcedBet.BIG_BLIND, blind)

    def _post(self, key: int, kind: ForcedBet, chips: int) -> None:
        paid = sum(post[2] for post in self.posts if post[0] == key)
        self.add_post(key, kind, min(chips, self.stacks[key] - paid))

    def _post_silently(self) -> None:
        """A big blind for whoever checks before the flop without having posted one."""
        posted = {post[0] for post in self.posts}
        big = max([chips for _, kind, chips in self.posts if kind is ForcedBet.BIG_BLIND], default=0)
        silent = [key for key, says, _, _ in self.acts[0] if says is Says.CHECK and key not in posted]
        if not big or not silent:
            return
        for key in silent:
            self._post(key, ForcedBet.BIG_BLIND, big)
        order = sorted(self.playing(), key=self.position)
        counting = ChipCount(self, order, big)
        counting.moves()
        if sum(map(sum, self.won.values())) > counting.pot:
            for key in silent:
                self._post(key, ForcedBet.DEAD_BLIND, self._half_blind())

    def _fill_up(self) -> None:
        """Bets that were rounded come to what the summary says that the seat put in."""
        order = sorted(self.playing(), key=self.position)
        counting = ChipCount(self, order, self._big_blind())
        counting.moves()
        for key, told in self._put_in.items():
            missing = told - counting.put_in(key) if key in order else 0
            odd = {act[2] for acts in self.acts for act in acts if act[0] == key and act[2] % 10}
            if abs(missing) == 1 and len(odd) == 1:
                self._change_bets(odd.pop(), missing)
                return

    def _change_bets(self, chips: int, more: int) -> None:
        """Add to every bet and call of so many chips."""
        for acts in self.acts:
            acts[:] = [
                (key, says, amount + (more if amount == chips else 0), meaning)
                for key, says, amount, meaning in acts
            ]

    def _drafted(self) -> Draft:
        draft = super()._drafted()
        if len(self._cashed_out) == 1 and draft.pot is not None and draft.collected is not None:
            taken = list(draft.collected)
            seat = list(draft.players).index(self.names[self._cashed_out[0]])
            taken[seat] += max(0, draft.pot - sum(taken))
            draft.collected = taken
        if self._rough and draft.collected is not None:
            order = sorted(self.playing(), key=self.position)
            counting = ChipCount(self, order, draft.big_blind)
            counting.moves()
            pot = counting.pot - counting.uncalled(dict(zip(order, draft.stacks, strict=True)))[1]
            taken = list(draft.collected)
            missing = pot - sum(taken)
            if abs(missing) <= self._rough:
                taken[taken.index(max(taken))] += missing
                draft.collected, draft.pot = taken, None
        return draft
