"""A table: one person and agents, in a process of its own. Only what the person may know leaves it.

The cards, the agents and their draws are those of `soulread.serve.sitting`: what is done is in the journal
before anybody is told, and a process that is made anew goes on at the very action. Beside the journal stands
a file with notes on each finished hand: what the decisions were worth, and the result with luck taken off.

After a hand the table *reflects*: it asks the agents what they played, judges the person's decisions, takes
luck off, and lets the agents learn. Nobody waits for that: the next hand may be dealt before it, and the
server asks for it when the person looks at something.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from soulread.cards.deck import cards_name
from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.games.poker import PokerView
from soulread.hands.hand import Hand
from soulread.hands.record import public_view
from soulread.hands.store import Store
from soulread.play.agent import Agent, Believer, learns
from soulread.play.catalogue.entry import AgentSpec
from soulread.play.match.live import LiveHand
from soulread.play.match.promise import expectation_of
from soulread.play.table.punctual import is_prompt
from soulread.play.table.seated import SeatedAgent
from soulread.play.table.spot_start import read_start, write_start
from soulread.processes import tell_owner
from soulread.serve.sitting import Sitting, TableSession, read_session
from soulread.serve.web.rooms.again import Origin, earlier_hands, origin_of, start_of, terms_of, write_origin
from soulread.serve.web.rooms.notes import KeptNotes
from soulread.serve.web.rooms.observer import Observer
from soulread.serve.web.rooms.review import line_of
from soulread.serve.web.rooms.seats import agents_of_page, game_of_page
from soulread.serve.web.rooms.seen import action_of, result_text, seen_cards, sight_of
from soulread.serve.web.rooms.yardsticks import Yardstick, is_prepared, source_at_table, yardstick_of
from soulread.serve.web.sights import (
    BeliefSight,
    FrequencySight,
    RangeSight,
    ReadSight,
    ResultSight,
    TableSight,
)
from soulread.streams import MatchStreams
from soulread.study.duels.coach import PlayedAgent
from soulread.study.hands.luck import all_in
from soulread.study.seat.choices import HandReview, cost_text
from soulread.study.seat.own_play import OwnFrequency
from soulread.study.seat.own_range import OwnRange, class_of, range_in_table
from soulread.study.seat.running import running_result, unit_of

HANDS, AGAIN = "hands.db", "again.db"  # stores of hands, and of hands that began in the middle
RECENT = 8  # hands on the list beside the table


def begin(folder: str, id: str, game: str, agents: list[str], name: str, seed: int) -> TableSight:
    """Sit down at a new table, whose files are in a folder; the first hand is dealt."""
    global _table
    session = TableSession(game, tuple(agents), name, seed, datetime.now(UTC).isoformat())
    _table = _Table(Path(folder), id, session, resume=False)
    return _table.go_on()


def resume(folder: str, id: str) -> TableSight:
    """Go on with a table as its files say; whatever was under way is where it was."""
    global _table
    if _table is None:
        session = read_session(Path(folder) / f"{id}.log")
        _table = _Table(Path(folder), id, session, resume=True)
    return _table.go_on()


def again(folder: str, id: str, parent: str, number: int, step: int, seed: int) -> TableSight:
    """Sit down at a table where a point of an earlier hand is played again and again, with other cards."""
    global _table
    path, origin = Path(folder), Origin(parent, number)
    old = read_session(path / f"{parent}.log")
    session = TableSession(old.game, old.agents, old.name, seed, datetime.now(UTC).isoformat())
    terms = terms_of(session)
    specs = agents_of_page(list(session.agents), terms.game)
    agents = [spec.make(terms.game, _tell) for spec in specs]
    seated = [SeatedAgent(terms.game, agent, 0) for agent in agents]
    for agent in agents:
        agent.reset()
    for hand in earlier_hands(path, origin):
        for player, name in zip(seated, terms.names[1:], strict=True):
            player.learn(hand, name)
    write_start(path / f"{id}.start", start_of(path, origin, step, agents))
    write_origin(path, id, origin)
    _table = _Table(path, id, session, resume=False)
    return _table.go_on()


def warm() -> None:
    """Nothing: whoever asks has let this process load what a table needs."""


def look() -> TableSight:
    """The table as it is."""
    return _here().sight()


def act(at: str, word: str, amount: int | None) -> TableSight:
    """Let the person act at the moment ``at``; at any other moment nothing happens."""
    return _here().act(at, word, amount)


def next_hand(at: str) -> TableSight:
    """Deal the next hand, if the present one, at the moment ``at``, is over."""
    return _here().next_hand(at)


def reflect() -> dict[str, Any] | None:
    """Judge the hand that is over, and let the agents learn from it; the notes, or None if there are none."""
    return _here().reflect()


def read() -> ReadSight:
    """What can be read of the person's play."""
    return _here().read()


_table: "_Table | None" = None


def _here() -> "_Table":
    if _table is None:
        raise SoulreadError("there is no table in this process")
    return _table


def _tell(text: str) -> None:
    tell_owner({"told": text})


def _frequency(one: OwnFrequency) -> FrequencySight:
    low, high = one.interval
    return FrequencySight(one.kind, one.action, one.rate, low, high, one.n, one.equilibrium, one.sure)


@dataclass(eq=False)
class _Over:
    """A hand that is over."""

    number: int  # from 1 up
    seen: Hand  # as the person saw it
    live: LiveHand
    seat: int  # the person's
    played: tuple[PlayedAgent, ...] | None = None  # what the agents played; None: they were not asked


class _Table:
    """A person's table."""

    def __init__(self, folder: Path, id: str, session: TableSession, *, resume: bool) -> None:
        origin = origin_of(folder, id)
        game = game_of_page(session.game)
        self.start = None if origin is None else read_start(folder / f"{id}.start", game)
        terms = terms_of(session, self.start)
        self.game = terms.game
        self.specs = agents_of_page(list(session.agents), self.game)
        self.source = source_at_table(self.game, self.specs)
        self.agents: list[Agent] = [spec.make(self.game, _tell) for spec in self.specs]
        for agent in self.agents:
            agent.reset()
        folder.mkdir(parents=True, exist_ok=True)
        self.observer = Observer(self.game, session.name)
        self.notes = KeptNotes(folder / f"{id}.notes")
        self.store = folder.parent / (HANDS if origin is None else AGAIN)
        path = folder / f"{id}.log"
        self.sitting = Sitting(
            session,
            terms,
            self.game.name,
            self.agents,
            path,
            resume=resume,
            earlier=self.observer.add,
            learning=origin is None,
        )
        for hand in () if origin is None else earlier_hands(folder, origin):
            self.sitting.teach(hand)
        self._luck = MatchStreams(session.seed).judge()
        self._over: list[_Over] = []  # hands that were not reflected upon

    # Playing.

    def sight(self, thinking: str = "") -> TableSight:
        """The table as the person may see it."""
        dealer, own, view = self.sitting.dealer, self.sitting.seat, self.sitting.view
        live, over = dealer.hand, dealer.hand_over
        cards, payoffs, result = seen_cards(live.state, own), None, ""
        if over:
            payoffs = live.payoffs
            shown = [None if out else hole for out, hole in zip(view.folded, cards, strict=True)]
            result = result_text(live.players, own, payoffs, shown, live.state.showdown)
        return sight_of(
            view,
            own,
            cards,
            dealer.number,
            payoffs=payoffs,
            result=result,
            won=sum(self.sitting.won),
            hands=len(self.sitting.won),
            version=(dealer.number + 1) * 10_000 + 2 * len(view.actions) + over,
            thinking=thinking,
            drill="" if self.start is None else "again and again from one point",
        )

    def go_on(self) -> TableSight:
        """Let the agents act until it is the person's turn or the hand is over, which is then kept."""
        self._say()
        self.sitting.go_on(self._say)
        if self.sitting.dealer.hand_over and not self.sitting.finished:
            with Store.open(str(self.store), read_only=False) as store:
                seen = self.sitting.finish(store).hand
            over = _Over(self.sitting.dealer.number + 1, seen, self.sitting.dealer.hand, self.sitting.seat)
            self._note(over, {})
            self._over.append(over)
        return self.sight()

    def _say(self) -> None:
        """Tell how the table stands while an agent is to act, if that may take time."""
        dealer = self.sitting.dealer
        if dealer.hand_over or not dealer.player:
            return
        if len(self.agents) > 1 or not is_prompt(self.specs[dealer.player - 1]):
            tell_owner(self.sight(dealer.terms.names[dealer.player]))

    def act(self, at: str, word: str, amount: int | None) -> TableSight:
        """Let the person act."""
        now = self.sight()
        if now.at != at or not self.sitting.is_turn:
            return now
        action = action_of(word, amount, self.sitting.view)
        if action is None:
            what = word if amount is None else f"{word} {amount}"
            choice = now.choice
            bounds = f": {choice.low} to {choice.high}" if choice is not None and choice.raise_word else ""
            raise SoulreadError(f"{what!r} cannot be done here{bounds}")
        self.sitting.act(action)
        return self.go_on()

    def next_hand(self, at: str) -> TableSight:
        """Deal the next hand."""
        now = self.sight()
        if now.at != at or not now.over:
            return now
        self._look()
        self.sitting.next_hand()
        return self.go_on()

    # After a hand.

    def reflect(self) -> dict[str, Any] | None:
        """Judge the hands that are over; see the module."""
        self._look()
        while self._over:
            over = self._over.pop(0)
            self._note(over, {**plain_data(self._review(over)), "without_luck": self._without_luck(over)})
            self.observer.add(over.live.seen_by_dealer())
        if not self.sitting.dealer.hand_over:
            return None
        self.sitting.learn()
        return self.notes.of(self.sitting.dealer.number + 1)

    def _look(self) -> None:
        """Ask the agents what they played in the last hand, before they learn from it."""
        if self._over and self._over[-1].played is None and self.sitting.dealer.hand_over:
            self._over[-1].played = () if self.yardstick is None else self.sitting.look()

    def _review(self, over: "_Over") -> HandReview:
        """What the person's decisions in a hand were worth."""
        measure = self.yardstick
        if measure is None:
            review = self.observer.review(over.seen)
        else:
            review = measure.review(over.seen, self.sitting.terms.names[0], over.played or ())
        if self.start is None:
            return review
        led = len(self.start.actions)  # what led here was not decided by the person
        return replace(review, decisions=tuple(one for one in review.decisions if one.number >= led))

    def _note(self, over: "_Over", found: dict[str, Any]) -> None:
        """Keep notes on a hand that is over."""
        hole = sorted(over.seen.hole[over.seat] or (), reverse=True)
        facts = {
            "won": over.seen.payoffs[over.seat],
            "hole": cards_name(hole),
            "board": cards_name(over.seen.board),
        }
        self.notes.add(over.number, {**facts, **found})

    def _without_luck(self, over: "_Over") -> float | None:
        """The person's chips with luck taken off; None where that is not known.

        AIVAT is asked from the agent's seat: it averages over all that the agent could hold, and never looks
        at what it did hold. So nothing can be computed from it about cards that were not shown.
        """
        measure, played = self.yardstick, over.played or ()
        if self.start is not None:
            return None
        if measure is not None and len(played) == 1 and played[0].strategy is not None:
            return -measure.aivat.estimate(over.live, 1 - over.seat, played[0].strategy, self._luck)
        if self.game.rules.raise_sizes is not None:
            return None
        found = all_in(over.seen, over.seat)
        return float(over.seen.payoffs[over.seat]) if found is None else found

    @property
    def yardstick(self) -> Yardstick | None:
        """What decisions are measured by; None where there is nothing, or while it is not prepared."""
        if self.source is None or not is_prepared(self.source):
            return None
        return yardstick_of(self.source)

    # What is read of the person.

    def read(self) -> ReadSight:
        """What can be read of the person's play at present."""
        won, measure, unit = self.sitting.won, self.yardstick, unit_of(self.game)
        luck_off = [(self.notes.of(number + 1) or {}).get("without_luck") for number in range(len(won))]
        running = running_result(self.game, won, luck_off, any(map(learns, self.agents)))
        frequencies = self.observer.frequencies(None if measure is None else measure.equilibrium)
        rules, costs = self.game.rules, self.notes.costs
        return ReadSight(
            at=self.sight().at,
            range=self._range(),
            frequencies=tuple(map(_frequency, frequencies)),
            beliefs=tuple(map(self._belief, self.agents, self.specs)),
            running=ResultSight.of(running),
            costs=costs,
            given_up=self._given_up(costs["chips"], costs["error"], costs["hands"]),
            recent=tuple(line_of(self.notes, number, self.game) for number in self.notes.last(RECENT)),
            unit=unit.value,
            chip_in_unit=unit.per_chip(rules.small_bet, rules.big_blind),
            to_prepare=self.source.name if self.source is not None and measure is None else "",
        )

    def _given_up(self, chips: float, error: float, hands: float) -> str:
        """What a hand cost on average, by all that were judged; empty if none was."""
        return cost_text(chips / hands, error / hands, self.game) if hands else ""

    def _range(self) -> RangeSight | None:
        """The person's range, and whose read it is."""
        view = public_view(self.sitting.dealer.hand.state, self.sitting.dealer.hand.players)
        found = self._range_by(view, self.sitting.seat)
        if found is None:
            return None
        own, by = found
        return RangeSight(
            by,
            own.classes,
            own.columns,
            own.reach,
            tuple((one.kind, one.name) for one in own.actions),
            tuple(one.chances for one in own.actions),
            own.overall,
            class_of(self.game, self.sitting.view.hole),
        )

    def _range_by(self, view: PokerView, own: int) -> tuple[OwnRange, str] | None:
        expectation = expectation_of(self.agents[0], 1 - own) if len(self.agents) == 1 else None
        if expectation is not None:
            return range_in_table(expectation.believed, view, own), f"as {self.specs[0].text} reads you"
        if self.yardstick is not None:
            return range_in_table(self.yardstick.equilibrium, view, own), "if you play the equilibrium"
        return self.observer.range(view, own)

    def _belief(self, agent: Agent, spec: AgentSpec) -> BeliefSight:
        """What an agent says of itself. It is not asked with a view, so the hand under way is not in it."""
        chip = unit_of(self.game).per_chip(self.game.rules.small_bet, self.game.rules.big_blind)
        budget = getattr(spec.options, "risk", None)
        if not isinstance(agent, Believer):
            return BeliefSight(spec.text, spec.entry.about, None, None, budget, "")
        belief = agent.belief()
        amounts = belief.expected, belief.worst_case
        gain, worst = (None if amount is None else amount * chip for amount in amounts)
        return BeliefSight(spec.text, spec.entry.about, gain, worst, budget, agent.sentence())
