"""The files of a match: the log of the ACPC dealer, and beside it a journal from which a match is resumed.

    match.log     header, STATE of each finished hand, SCORE; all cards are in it
    match.tlog    a line for each action: hand, player, action, milliseconds

Both only grow, by whole lines. An action is in the journal before anybody is told of it; finished hands may
be written into the log later, several at once. So however a dealer ends, even by SIGKILL at any moment, the
match goes on from the very action where it stood: the cards follow from the seed, and all actions are in the
journal, also those of finished hands that the log does not have; it gets them when the match is resumed. A
last line without an end, as a full disk leaves it, is dropped.

The journal is written through memory that is mapped to it, which takes no call of the system for an action.
So while a match goes on, and after SIGKILL, zero bytes stand behind its last line; closing cuts them off.

A resumed log gets a second header, as with the reference dealer. Nothing is resumed that does not fit: other
terms, other cards than those of the seed, chips that do not add up.
"""

import mmap
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from soulread.errors import SoulreadError
from soulread.hands.hand import Hand
from soulread.play.table.clock import ClockLimits
from soulread.play.table.dealing import Dealer, MatchTerms
from soulread.storage.files import verify_writable
from soulread.storage.kinds import may_replace_anything

_LOCKED = "another dealer writes it"
_AHEAD = 2**16  # bytes of a journal that are made ready at once


@dataclass(frozen=True)
class Standing:
    """Where a match stands that is begun or resumed."""

    dealer: Dealer
    used: tuple[float, ...]  # [players] seconds of thought so far
    used_in_hand: tuple[float, ...]  # [players] the same, of the hand under way
    score: str = ""  # the last line of the log, if the match is over


class MatchFiles:
    """The log and the journal of a match; see the module.

    ``game`` names the game in the header, and ``remarks`` are more lines of it. ``earlier`` is called with
    each finished hand of a match that is resumed, as the dealer saw it.
    """

    def __init__(
        self,
        path: Path,
        terms: MatchTerms,
        limits: ClockLimits,
        game: str,
        *,
        remarks: Sequence[str] = (),
        resume: bool = False,
        earlier: Callable[[Hand], None] = lambda hand: None,
    ) -> None:
        verify_writable(path, "acpc")
        self.path = path
        self.terms = terms
        self._earlier = earlier
        self._header = [
            f"# name/game/hands/seed {path.stem.replace(' ', '_')} {game} {terms.hands} {terms.seed}",
            f"#--t_response {_milliseconds(limits.decision)}",
            f"#--t_hand {_milliseconds(limits.hand)}",
            f"#--t_per_hand {_milliseconds(limits.mean)}",
            *(f"# {remark}" for remark in remarks),
        ]
        journal = path.with_suffix(".tlog")
        if journal == path:
            raise SoulreadError(f"{str(path)!r} is the name of a journal; call the log something else")
        self._log = _Growing(path)
        try:
            self._journal = _Mapped(journal)
        except BaseException:
            self._log.close()
            raise
        try:
            found = self._log.lines()
            if not resume:
                if any(line.startswith("STATE:") for line in found) and not may_replace_anything():
                    raise SoulreadError(
                        f"{str(path)!r} has hands of a match; --resume goes on with it, --force begins anew"
                    )
                self.standing = self._begun()
            else:
                self.standing = self._resumed(found)
        except BaseException:
            self.close()
            raise

    def act(self, number: int, player: int, action: str, seconds: float) -> None:
        """Keep an action."""
        self._journal.add(f"{number} {player} {action} {1000 * seconds:.0f}\n")

    def finish(self, *lines: str) -> None:
        """Keep finished hands."""
        self._log.add("".join([f"{line}\n" for line in lines]))

    def score(self, line: str) -> None:
        """Write the last line."""
        self._log.add(f"{line}\n")

    def close(self) -> None:
        """Close both files."""
        self._log.close()
        self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begun(self) -> Standing:
        players = len(self.terms.names)
        self._log.empty()
        self._journal.empty()
        self._log.add("".join(f"{line}\n" for line in self._header))
        return Standing(Dealer(self.terms), (0.0,) * players, (0.0,) * players)

    def _resumed(self, found: list[str]) -> Standing:
        """Verify the files and go on where they end."""
        headers = [line for line in found if line.startswith("# name/game/hands/seed ")]
        if not headers:
            if any(line.startswith("STATE:") for line in found):
                raise self._unfit("it has no header")
            return self._begun()
        for header in headers:
            if header.split(" ")[3:] != self._header[0].split(" ")[3:]:
                raise self._unfit(f"its header is {header!r}, but this match is {self._header[0]!r}")
        states = [line for line in found if line.startswith("STATE:")]
        dealer = self._verified(states)
        scores = [line for line in found if line.startswith("SCORE:")]
        if dealer.over:
            score = dealer.score_line()
            if scores not in ([], [score]):
                raise self._unfit(f"its score is {scores[0]!r}, but the hands say {score!r}")
            used, in_hand = self._play_on(dealer)
            if not scores:
                self.score(score)
            return Standing(dealer, used, in_hand, score)
        if scores:
            raise self._unfit(f"it has a score after {dealer.number} of {self.terms.hands} hands")
        used, in_hand = self._play_on(dealer)
        self._log.add("".join(f"{line}\n" for line in self._header))
        return Standing(dealer, used, in_hand)

    def _verified(self, states: list[str]) -> Dealer:
        """The dealer after the finished hands; all must be just those of the terms."""
        dealer = Dealer(self.terms)
        for number, line in enumerate(states):
            if dealer.over:
                raise self._unfit(f"it has more than {self.terms.hands} hands")
            try:
                dealer.repeat_hand(line.split(":", 3)[2])
                if not dealer.hand_over or dealer.log_line() != line:
                    raise SoulreadError("other cards, chips, names or betting than by the seed and the rules")
            except (SoulreadError, IndexError) as error:
                raise self._unfit(f"hand {number} is {line[:80]!r}: {error}") from None
            self._go_on(dealer)
        return dealer

    def _go_on(self, dealer: Dealer) -> None:
        """Go on from a finished hand of an earlier run."""
        self._earlier(dealer.hand.seen_by_dealer())
        dealer.next_hand()

    def _play_on(self, dealer: Dealer) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Play on with the actions of the journal; the log gets the finished hands that it does not have.

        Returns the seconds used by each player, in all and in the hand where the dealer then stands.
        """
        count, logged = len(self.terms.names), dealer.number
        used, in_hand = [0.0] * count, [0.0] * count
        missing = []
        for line in self._journal.lines():
            try:
                hand, player, action, milliseconds = line.split(" ")
                number, seconds, who = int(hand), int(milliseconds) / 1000, int(player)
                used[who] += seconds
            except (ValueError, IndexError):
                raise self._unfit(f"its journal has the line {line[:80]!r}") from None
            if number < logged:
                continue
            if number == dealer.number + 1 and dealer.hand_over:
                missing.append(dealer.log_line())
                self._go_on(dealer)
                in_hand = [0.0] * count
            if number != dealer.number or dealer.over:
                raise self._unfit(f"its journal has the line {line[:80]!r} in hand {dealer.number}")
            try:
                dealer.repeat([action])
            except SoulreadError as error:
                raise self._unfit(f"its journal: {error}") from None
            in_hand[who] += seconds
        if missing:
            self.finish(*missing)
        return tuple(used), tuple(in_hand)

    def _unfit(self, why: str) -> SoulreadError:
        return SoulreadError(f"the match of {str(self.path)!r} cannot be resumed: {why}")


def _milliseconds(seconds: float) -> int:
    return round(1000 * seconds)


class _Growing:
    """A file that grows by whole lines, and that one process at a time may write."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._size = 0  # bytes
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            raise self._failed(error) from None
        if not stat.S_ISREG(os.fstat(self._handle).st_mode):  # a device may have no end
            os.close(self._handle)
            raise SoulreadError(f"{str(path)!r} cannot be written: a match is kept in a regular file")
        try:
            import fcntl

            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # a system without such locks
            pass
        except OSError:
            os.close(self._handle)
            raise SoulreadError(f"{str(path)!r} cannot be written: {_LOCKED}") from None

    def lines(self) -> list[str]:
        """The whole lines of the file; what stands behind the last of them is cut off."""
        with open(self._path, "rb") as file:
            content = file.read()
        whole = self._size = content.rfind(b"\n") + 1
        if whole < len(content):
            os.ftruncate(self._handle, whole)
        return content[:whole].decode("utf-8", "replace").split("\n")[:-1]

    def add(self, text: str) -> None:
        """Write whole lines at the end. If there is no room, nothing of them stays."""
        content = text.encode()
        left = content
        try:
            while left:
                left = left[os.write(self._handle, left) :]
        except OSError as error:
            os.ftruncate(self._handle, self._size)
            raise self._failed(error) from None
        self._size += len(content)

    def empty(self) -> None:
        """Begin anew."""
        os.ftruncate(self._handle, 0)
        self._size = 0

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)

    def _failed(self, error: OSError) -> SoulreadError:
        return SoulreadError(f"{str(self._path)!r} cannot be written: {error.strerror or error}")


class _Mapped(_Growing):
    """A growing file that is written through memory; on a system that cannot do so, as others are."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._map: mmap.mmap | None = None
        self._begin = 0  # where in the file the map begins
        self._end = 0  # and where it ends

    def add(self, text: str) -> None:
        """Write whole lines at the end. The last byte comes last, so that a line is never half there."""
        content = text.encode()
        if self._size + len(content) > self._end:
            self._extend(len(content))
        if self._map is None:
            super().add(text)
            return
        place = self._size - self._begin
        self._put(self._map, place, content[:-1])
        self._put(self._map, place + len(content) - 1, content[-1:])
        self._size += len(content)

    def empty(self) -> None:
        """Begin anew."""
        self._unmap()
        super().empty()

    def close(self) -> None:
        """Close the file, without the bytes that were not needed."""
        self._unmap()
        super().close()

    @staticmethod
    def _put(mapped: mmap.mmap, place: int, content: bytes) -> None:
        mapped[place : place + len(content)] = content

    def _extend(self, more: int) -> None:
        """Have room for so many bytes; a `SoulreadError` if the disk has not."""
        self._unmap()
        begin = self._size - self._size % mmap.ALLOCATIONGRANULARITY
        end = self._size + more + _AHEAD
        size = self._size
        super().add("\0" * (end - size))  # so that the disk cannot be full later
        self._size = size
        try:
            self._map = mmap.mmap(self._handle, end - begin, offset=begin)
        except (OSError, ValueError):  # on some network disks
            os.ftruncate(self._handle, size)
        else:
            self._begin, self._end = begin, end

    def _unmap(self) -> None:
        if self._map is not None:
            self._map.close()
            os.ftruncate(self._handle, self._size)
            self._map, self._end = None, 0
