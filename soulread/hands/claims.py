"""Claims about a player and the hands behind them: each number with the command that finds its hands."""

from dataclasses import dataclass

from soulread.encoding import keys
from soulread.hands.conditions import shell_line
from soulread.hands.store import EVERYTHING, Query


@dataclass(frozen=True)
class ClaimQuery:
    """The hands behind a claim: what a user types to see them, and how many there are.

    With a ``statistic`` its occasions are meant: ``n`` of them, of which ``taken`` were taken. Without one
    ``n`` hands are meant, and ``taken`` is None.
    """

    player: str
    n: int
    statistic: str | None = None
    taken: int | None = None
    words: tuple[str, ...] = ()
    query: Query = EVERYTHING
    store: str | None = None

    JSON = keys("statistic words n taken command")

    @property
    def command(self) -> str:
        """The command, as a shell needs it."""
        return shell_line(self.player, self.statistic, self.words, self.query, store=self.store)


@dataclass(frozen=True)
class ClaimSource:
    """The hands that claims are about: whose, which of them, and in which store (None: the user's own)."""

    player: str
    query: Query = EVERYTHING
    store: str | None = None

    def hands(self, n: int, *words: str) -> ClaimQuery:
        """So many hands fulfil the words."""
        return ClaimQuery(self.player, n, None, None, words, self.query, self.store)

    def occasions(self, statistic: str, n: float, taken: float, *words: str) -> ClaimQuery:
        """So many occasions of a statistic, in hands that fulfil the words."""
        return ClaimQuery(self.player, round(n), statistic, round(taken), words, self.query, self.store)

    def pattern(self, statistic: str | None = None, *words: str) -> str:
        """The command for any of several claims; the caller writes the part that differs in capitals."""
        return shell_line(self.player, statistic, words, self.query, store=self.store)
