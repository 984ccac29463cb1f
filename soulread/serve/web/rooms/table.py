"""A table: one person and agents, in a process of its own. Only what the person may know leaves it.

The cards, the agents and their draws are those of `soulread.serve.sitting`: what is done is in the journal
before anybody is told, and a process that is made anew goes on at the very action. Beside the journal stands
a file with notes on each finished hand: what the decisions were worth, and the result with luck taken off.

After a hand the table *reflects*: it asks the agents what they played, judges the person's decisions, takes
luck off, and lets the agents learn. The person need not wait for that before seeing how the hand ended.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.games.poker import PokerGame, PokerView
from soulread.hands.hand import Hand
from soulread.hands.record import public_view
from soulread.hands.store import Store
from soulread.play.agent import Agent, Believer, learns
from soulread.play.catalogue.entry import AgentSpec
from soulread.play.catalogue.known import known_agents, parse_agent
from soulread.play.match.matches import distinct_names
from soulread.play.match.promise import expectation_of
from soulread.play.table.dealing import MatchTerms
from soulread.play.table.punctual import is_prompt
from soulread.processes import tell_owner
from soulread.serve.sitting import ENDLESS, Sitting, TableSession, read_session
from soulread.serve.web.rooms.notes import Notes
from soulread.serve.web.rooms.observer import Observer
from soulread.serve.web.rooms.seen import action_of, result_text, seen_cards, sight_of
from soulread.serve.web.rooms.yardsticks import Yardstick, is_prepared, source_at_table, yardstick_of
from soulread.serve.web.sights import (
    BeliefSight,
    FrequencySight,
    HandLine,
    RangeSight,
    ReadSight,
    ResultSight,
    TableSight,
)
from soulread.streams import MatchStreams
from soulread.study.duels.coach import PlayedAgent
from soulread.study.hands.luck import all_in
from soulread.study.seat.choices import cost_text
from soulread.study.seat.own_play import OwnFrequency
from soulread.study.seat.own_range import OwnRange, class_of, range_in_table
from soulread.study.seat.running import running_result, unit_of

MOST_SEATS = 6
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


def game_of_page(text: str) -> PokerGame:
    """The game that a browser names."""
    game = parse_game(text)
    if game.num_players > MOST_SEATS:
        raise SoulreadError(f"{text!r} has {game.num_players} seats; the page seats up to {MOST_SEATS}")
    return game


def agents_of_page(texts: list[str], game: PokerGame) -> list[AgentSpec]:
    """The agents that a browser names, one for each seat or one for all: those of the catalogue."""
    count = game.num_players - 1
    chosen = texts * count if len(texts) == 1 else texts
    if len(chosen) != count:
        raise SoulreadError(f"{len(chosen)} agents for {game.name!r}, which has {count} seats besides yours")
    known = known_agents()
    for text in chosen:
        if text.partition(":")[0] not in known:
            raise SoulreadError(f"{text!r} is not an agent of the catalogue; soulread agents lists them")
    specs = [parse_agent(text) for text in chosen]
    for spec in specs:
        reason = spec.entry.refuses(game)
        if reason is not None:
            raise SoulreadError(f"{spec.text!r} cannot sit at {game.name!r}: {reason}")
    return specs


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


class _Table:
    """A person's table."""

    def __init__(self, folder: Path, id: str, session: TableSession, *, resume: bool) -> None:
        self.game = game_of_page(session.game)
        self.specs = agents_of_page(list(session.agents), self.game)
        self.source = source_at_table(self.game, self.specs)
        names = session.name, *distinct_names([spec.text for spec in self.specs])
        terms = MatchTerms(self.game, names, ENDLESS, session.seed)
        self.agents: list[Agent] = [spec.make(self.game, _tell) for spec in self.specs]
        for agent in self.agents:
            agent.reset()
        folder.mkdir(parents=True, exist_ok=True)
        self.observer = Observer(self.game, session.name)
        self.notes = Notes(folder / f"{id}.notes")
        self.store = folder.parent / "hands.db"
        path = folder / f"{id}.log"
        self.sitting = Sitting(
            session, terms, self.game.name, self.agents, path, resume=resume, earlier=self.observer.add
        )
        self._luck = MatchStreams(session.seed).judge()
        self._unread: Hand | None = None  # the hand that is over and not reflected upon, as the dealer saw it

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
        )

    def go_on(self) -> TableSight:
        """Let the agents act until it is the person's turn or the hand is over, which is then kept."""
        self._say()
        self.sitting.go_on(self._say)
        if self.sitting.dealer.hand_over and not self.sitting.finished:
            with Store.open(str(self.store), read_only=False) as store:
                self.sitting.finish(store)
            self._unread = self.sitting.dealer.hand.seen_by_dealer()
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
        self.reflect()
        self.sitting.next_hand()
        return self.go_on()

    # After a hand.

    def reflect(self) -> dict[str, Any] | None:
        """Judge the hand that is over; see the module."""
        if not self.sitting.dealer.hand_over:
            return None
        number = self.sitting.dealer.number + 1
        hand, self._unread = self._unread, None
        if hand is not None:
            seen = self.sitting.dealer.hand.seen_by(self.sitting.seat)
            measure = self.yardstick
            played = () if measure is None else self.sitting.look()
            name = self.sitting.terms.names[0]
            review = self.observer.review(seen) if measure is None else measure.review(seen, name, played)
            luck_off = self._without_luck(seen, played)
            self.notes.add(number, {**plain_data(review), "without_luck": luck_off})
            self.observer.add(hand)
            self.sitting.learn()
        return self.notes.of(number)

    def _without_luck(self, hand: Hand, played: tuple[PlayedAgent, ...]) -> float | None:
        """The person's chips with luck taken off; None where that is not known.

        AIVAT is asked from the agent's seat: it averages over all that the agent could hold, and never looks
        at what it did hold. So nothing can be computed from it about cards that were not shown.
        """
        own, measure = self.sitting.seat, self.yardstick
        if measure is not None and len(played) == 1 and played[0].strategy is not None:
            live = self.sitting.dealer.hand
            return -measure.aivat.estimate(live, 1 - own, played[0].strategy, self._luck)
        if self.game.rules.raise_sizes is not None:
            return None
        found = all_in(hand, own)
        return float(hand.payoffs[own]) if found is None else found

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
            given_up=cost_text(costs["chips"] / costs["hands"], 0, self.game) if costs["hands"] else "",
            recent=tuple(self._line(number) for number in range(len(won), max(0, len(won) - RECENT), -1)),
            unit=unit.value,
            chip_in_unit=unit.per_chip(rules.small_bet, rules.big_blind),
            to_prepare=self.source.name if self.source is not None and measure is None else "",
        )

    def _line(self, number: int) -> HandLine:
        """A finished hand, from 1 up, in a list."""
        found = self.notes.of(number) or {}
        cost = "" if found.get("cost") is None else cost_text(found["cost"], 0, self.game)
        return HandLine(number, self.sitting.won[number - 1], cost, self.notes.worst(number))

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
