"""soul: learns how the opponent plays, and wins from it at a risk that is certified before it is played.

    soul                          in Kuhn and Leduc; in limit hold'em over 5-5-5-5 buckets
    soul:risk=50                  never more than 50 mb/g of exploitability
    soul:5-5-5-5:quick,risk=100,gifts=1

It plays the equilibrium until there is a read. After k hands, and then again and again, it updates:

* *The read* (`soulread.model.bayes.mixture`) averages several models by how well each predicted what the
opponent
  then did. It is the equilibrium until something predicts better.
* *The answer* (`soulread.respond.budget`) is the restricted Nash response to the read whose exploitability in
  the abstraction, found by exact best responses, stays within ``risk``.

With gifts=1 the agent may risk more than that: also what the opponent has given away so far
(`soulread.respond.gifts`), spread over the hands until the next update.

Updates come every ``k`` hands at first and later whenever a tenth more hands were seen, because a read
changes less and less.
"""

from dataclasses import dataclass

from soulread.estimate import Unit
from soulread.games.poker import PokerGame
from soulread.hands.hand import Hand
from soulread.model.bayes.mixture import AveragedModel, average_of
from soulread.options import option, verify
from soulread.play.entry import AgentEntry, AgentSpec, cards_option, source_for, where_tables_reach
from soulread.play.exploiter import Exploiter, Read
from soulread.respond.budget import BudgetedResponder, Certified, Tensors, find_start
from soulread.respond.gifts import GiftAccount
from soulread.seqform.compile import SequenceGame, poker_of
from soulread.seqform.source import Buckets, Tell
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.equilibria import find_equilibrium

DEFAULT_ABSTRACTION = "5-5-5-5"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the agent may risk, how far it trusts its read, and when it updates."""

    risk: float = option(250.0, "budget: most exploitability of what it plays, in mb/g of the abstraction")
    trust: float = option(0.9, "greatest probability with which the opponent is taken to play as read")
    least: float = option(
        20.0, "gain expected, in mb/g beyond the equilibrium, below which it plays that one"
    )
    gifts: int = option(0, "1: it also risks what the opponent has given away so far; 0: it does not")
    T: int = option(0, "hands at the start in which it plays the equilibrium, whatever it has read")
    k: int = option(50, "hands between two updates at the start; later a tenth of all hands seen")
    iterations: int = option(5, "of each seat's restricted game in an update, from where the last one ended")
    background: int = option(0, "1: answers are computed in the background and the game goes on; 0: it waits")
    cards: Buckets | None = cards_option(DEFAULT_ABSTRACTION)

    def __post_init__(self) -> None:
        verify(
            "soul",
            (not 0 <= self.risk <= 1e6, f"risk={self.risk}; it must not be negative"),
            (not 0 < self.trust < 1, f"trust={self.trust}; it lies between 0 and 1"),
            (not self.least >= 0, f"least={self.least}; it must not be negative"),
            (self.gifts not in (0, 1), f"gifts={self.gifts}; expected 0 or 1"),
            (self.T < 0, f"T={self.T}; it must not be negative"),
            (self.k < 1, f"k={self.k}; there is at least one hand between two updates"),
            (self.iterations < 1, f"iterations={self.iterations}; an update makes at least one"),
            (self.background not in (0, 1), f"background={self.background}; expected 0 or 1"),
        )


@dataclass(frozen=True, eq=False)
class SoulRead(Read):
    """A read with the certificate of its answer."""

    certified: Certified


class Soul(Exploiter):
    """Plays the equilibrium at first, then certified responses to an averaged model of the opponent.

    ``certificates`` has one entry for each response so far.
    """

    model: AveragedModel

    def __init__(
        self,
        name: str,
        game: SequenceGame,
        equilibrium: TabularStrategy,
        start: Tensors,
        settings: Settings | None = None,
    ) -> None:
        self.settings = settings = Settings() if settings is None else settings
        rules = poker_of(game).rules
        chip = Unit.MILLIBETS.per_chip(rules.small_bet, rules.big_blind)
        self.responder = BudgetedResponder(
            game,
            equilibrium.behaviours,
            start,
            settings.risk / chip,
            settings.trust,
            settings.least / chip,
            settings.iterations,
        )
        self._gifts = GiftAccount(game) if settings.gifts else None
        model = average_of(game, equilibrium.behaviours, every=settings.k)
        super().__init__(name, game, equilibrium, model, background=bool(settings.background))
        self.reset()

    def reset(self) -> None:
        """Forget the opponent."""
        super().reset()
        self.responder.reset()
        self.certificates: list[Certified] = []
        if self._gifts is not None:
            self._gifts.reset()

    @property
    def exploiting(self) -> bool:
        """Whether something else than the equilibrium is played at present."""
        return bool(self.certificates) and self.certificates[-1].share > 0

    @property
    def expected(self) -> float:
        """Chips per hand that the agent expects to win beyond the game's value, by its record of promises."""
        if not self.certificates:
            return 0.0
        last = self.certificates[-1]
        return last.gain - (1 - last.kept) * last.promise

    @property
    def promise(self) -> float:
        """Chips per hand that the agent expects beyond what the equilibrium would win, by its record."""
        return self.certificates[-1].kept * self.certificates[-1].promise if self.certificates else 0.0

    @property
    def worst_case(self) -> float:
        """Chips per hand, beyond the game's value, that are certain in the abstraction; never positive."""
        return -self.certificates[-1].risk if self.exploiting else 0.0

    def sentence(self) -> str:
        """What the agent expects to win and what it risks, for a player to read."""
        if self.read is not None and not self.exploiting:
            return "it plays the equilibrium; nothing that it has read promises enough"
        return super().sentence()

    def _note(self, hand: Hand) -> None:
        if self._gifts is not None:
            self._gifts.add(hand, self.playing.behaviours)
            self._gifts.spend(max(0.0, -self.worst_case - self.responder.budget))

    def _due(self) -> bool:
        return self.learnt >= self.settings.T and self.model.asked == self.learnt

    def _respond(self) -> Read:
        """The certified response to the model, whose members have just been asked."""
        believed = self.model.strategy(0), self.model.strategy(1)
        budget = self.responder.budget
        if self._gifts is not None:
            budget += self._gifts.available / (self.model.next_asked - self.learnt)
        certified = self.responder.respond(believed, budget, self.learnt)
        return SoulRead(believed, certified.behaviours, certified)

    def _take(self, read: Read) -> None:
        assert isinstance(read, SoulRead)
        self.certificates.append(read.certified)
        super()._take(read)


def _soul(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> Soul:
    settings: Settings = spec.options
    source = source_for(spec, game, settings.cards, DEFAULT_ABSTRACTION)
    equilibrium = find_equilibrium(source, tell)
    compiled = source.compile(tell)
    return Soul(spec.text, compiled, equilibrium, find_start(source, compiled, tell), settings)


SOUL = AgentEntry(
    "soul",
    "learns how the opponent plays and answers within a budget of risk that is certified before it is played",
    _soul,
    Settings,
    where_tables_reach,
    form="soul[:CARDS][,OPTION=VALUE]",
    examples=("soul:k=5", "soul:T=10,k=5,risk=50,gifts=1"),
)
