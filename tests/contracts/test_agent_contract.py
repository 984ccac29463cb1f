"""What every agent must keep to, in every game it can sit down at.

The cases are derived from the catalogue: an agent is tested by being listed, with the examples it gives.
"""

from contextlib import suppress

import numpy as np
import pytest
from named import make_agent

from soulread.encoding import json_text, plain_data
from soulread.errors import ParseError, SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.named import KNOWN_GAMES, parse_game
from soulread.games.poker import PokerGame
from soulread.play.agent import Belief, Believer
from soulread.play.catalogue.entry import AgentSpec
from soulread.play.catalogue.known import AGENTS, parse_agent
from soulread.play.match.live import Onlooker
from soulread.play.match.matches import Match
from soulread.play.opponents.baselines import Random
from soulread.study.duels.watching import ActionTaken, Event, MatchWatcher

GAMES = ["kuhn", "leduc:iso", "limit", "ring-limit:4", "nolimit:players=3,stacks=60/17/33,blinds=1/2,ante=1"]
SMALL = 12  # cards; in larger games agents that solve something first are tested by their own tests
NEEDS = {"file": "somewhere", "clone": "player=Bob"}  # of agents without an example
SLOW = "orange", "loki", "poki", "plain", "ponsen"  # unless they are compiled
CASES = [
    pytest.param(
        text,
        game,
        marks=[pytest.mark.compiled] if game == "leduc:iso" or any(name in text for name in SLOW) else [],
    )
    for game in GAMES
    for entry in AGENTS.values()
    if entry.refuses(parse_game(game)) is None
    and (
        len(parse_game(game).rules.deck) <= SMALL
        or entry.refuses(parse_game("ring-limit:6")) is None
        or game.startswith("nolimit")
    )
    for text in entry.examples
]


def test_no_agent_thinks_by_the_clock_unless_told_to() -> None:
    """Neither by its name alone nor in its examples; a budget of seconds, or learning meanwhile, is told."""
    for entry in AGENTS.values():
        for text in (entry.name, *entry.examples):
            with suppress(ParseError):  # some need more than their name
                assert not parse_agent(text).by_clock, text
    for text in ("ponsen:budget=1", "poki:budget=0.1", "loki:use=S,budget=1", "soul:background=1"):
        assert parse_agent(text).by_clock, text
    assert not parse_agent("loki:budget=1").by_clock  # it does not simulate
    assert not parse_agent("vexbot:budget=1").by_clock  # a budget that is a number of flops


@pytest.mark.compiled
@pytest.mark.parametrize(("agent_name", "game_name"), [("poki", "limit"), ("ponsen", "nolimit")])
def test_the_usual_number_of_playouts_gives_the_same_play(agent_name: str, game_name: str) -> None:
    """Also when the rows of a flop are known from before, and an ample clock changes nothing."""
    game = parse_game(game_name)

    def play(seed: int, spec: AgentSpec) -> np.ndarray:
        return Match(game, (spec.make(game), *others(game)), 3).play(seed)

    spec = parse_agent(agent_name)
    first = play(2, spec)
    assert np.array_equal(first, play(2, spec))
    assert np.array_equal(first, play(2, spec.within(1000.0)))


def test_every_agent_has_an_example_or_needs_a_file() -> None:
    assert {entry.name for entry in AGENTS.values() if not entry.examples} == {"file", "clone"}


@pytest.mark.parametrize("entry", AGENTS.values(), ids=lambda entry: entry.name)
def test_where_it_cannot_sit_it_says_why(entry) -> None:
    for text in KNOWN_GAMES:
        game = parse_game(text)
        reason = entry.refuses(game)
        if reason is not None:
            example = entry.examples[0] if entry.examples else f"{entry.name}:{NEEDS[entry.name]}"
            with pytest.raises(SoulreadError, match="cannot sit at") as told:
                parse_agent(example).make(game)
            assert reason in str(told.value)


@pytest.mark.parametrize(("agent_name", "game_name"), CASES)
class TestAgent:
    def test_name_parses_back(self, agent_name: str, game_name: str) -> None:
        assert make_agent(agent_name, parse_game(game_name)).name == agent_name

    def test_acts_legally_and_leaves_the_view_alone(self, agent_name: str, game_name: str) -> None:
        game = parse_game(game_name)
        agent = make_agent(agent_name, game)
        rng = np.random.default_rng(1)
        for _ in range(30):
            state = game.start()
            while state.player != TERMINAL:
                if state.player == CHANCE:
                    cards, chances = zip(*state.chance_outcomes(), strict=True)
                    state = state.apply(int(rng.choice(cards, p=chances)))
                    continue
                view = state.view(state.player)
                before = repr(view)
                action = agent.act(view, rng)
                assert action in view.legal
                assert repr(view) == before
                state = state.apply(action if rng.random() < 0.5 else Random().act(view, rng))

    def test_same_seed_same_play(self, agent_name: str, game_name: str) -> None:
        game = parse_game(game_name)

        def play(seed: int) -> np.ndarray:
            return Match(game, (make_agent(agent_name, game), *others(game)), 15).play(seed)

        assert np.array_equal(play(3), play(3))

    def test_watching_changes_nothing(self, agent_name: str, game_name: str) -> None:
        """Asked why it chose, with its own view alone, it plays on as if nobody had asked."""
        game = parse_game(game_name)
        watched: list[Event] = []

        def play(*onlookers: Onlooker) -> np.ndarray:
            agents = make_agent(agent_name, game), *others(game)
            return Match(game, agents, 8, onlookers=onlookers).play(seed=6)

        assert np.array_equal(play(MatchWatcher(watched.append)), play())
        taken = [event for event in watched if isinstance(event, ActionTaken)]
        for event in taken:
            for chances in (event.probabilities, event.equilibrium, *event.ranges.values()):
                assert not chances or sum(chances.values()) == pytest.approx(1, abs=0.05)
            if event.probabilities and not event.stood_in:
                assert event.probabilities[event.action] > 0
        assert all(json_text(plain_data(event)) for event in watched)

    def test_reset_makes_it_new(self, agent_name: str, game_name: str) -> None:
        game = parse_game(game_name)
        used = make_agent(agent_name, game)
        Match(game, (used, *others(game)), 10).play(seed=1)
        again = Match(game, (used, *others(game)), 10).play(seed=2)
        fresh = Match(game, (make_agent(agent_name, game), *others(game)), 10).play(seed=2)
        assert np.array_equal(again, fresh)

    def test_what_it_believes_is_data(self, agent_name: str, game_name: str) -> None:
        """Probabilities over actions and holdings; asking changes nothing."""
        game = parse_game(game_name)
        agent = make_agent(agent_name, game)
        if not isinstance(agent, Believer):
            return
        match = Match(game, (agent, *others(game)), 25)
        match.play(seed=4)
        rng = np.random.default_rng(5)
        view = game.start().deal(rng.permutation(game.rules.deck)[: 2 * game.rules.hole_cards]).view(0)
        belief = agent.belief(view)
        assert isinstance(belief, Belief)
        assert plain_data(belief)["frequencies"] == plain_data(agent.belief(view))["frequencies"]
        places: dict[tuple[int, str], float] = {}
        for frequency in belief.frequencies:
            place = frequency.seat, frequency.history
            places[place] = places.get(place, 0.0) + frequency.believed
        assert all(total == pytest.approx(1) for total in places.values())
        for weights in belief.ranges.values():
            assert weights.shape == (len(game.holdings),)
            assert weights.sum() == pytest.approx(1)
            clash = [bool(set(cards) & set(view.hole)) for cards in game.holdings]
            assert weights[clash].sum() == 0
        assert belief.worst_case is None or belief.worst_case <= 1e-9


def others(game: PokerGame) -> tuple[Random, ...]:
    """Random players for the other seats."""
    return tuple(Random() for _ in range(game.num_players - 1))
