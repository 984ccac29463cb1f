"""What every agent must keep to, in every game it can sit down at. A new agent is tested by being listed."""

import numpy as np
import pytest
from named import make_agent

from soulread.games import parse_game
from soulread.games.base import CHANCE, TERMINAL
from soulread.play import AGENTS, Match, Random

GAMES = ["kuhn", "leduc", "limit", "ring-limit:4", "nolimit:players=3,stacks=60/17/33,blinds=1/2,ante=1"]
SOLVED = [
    "equilibrium",
    "best-response:always-raise",
    "best-response:equilibrium",
    "dbbr:T=5,k=3,pool=1",
    "dbbr:T=5,k=3,shown=5",
    "dbr:T=5,k=5",
    "dbbr:T=5,k=5,safety=0.5",
    "rwywe",
    "befewp:every=3",
    "beffe:hands=20",
    "best-equilibrium",
    "rwyw",
    "td-cfr",
    "switching:every=3|equilibrium|always-raise",
    "switching:rate=0.3|equilibrium|always-raise",
    "drifting:over=5|equilibrium|always-call",
]
LEARNERS = [
    "explicit",
    "explicit:act=thompson",
    "implicit:portfolio=equilibrium+always-call+always-raise,act=mean",
    "implicit:portfolio=equilibrium+always-call,act=exp4",
    "bootstrap:portfolio=equilibrium+random",
    "subpolicy:portfolio=equilibrium+random,parts=discovered",
    "subbootstrap:portfolio=equilibrium+random,act=map",
    "learner:particles=20",
    "learner:particles=20,change=0.02",
]
CASES = [(agent, game) for game in GAMES for agent in AGENTS] + [
    (agent, game) for game in ("kuhn", "leduc:iso") for agent in (*SOLVED, *LEARNERS)
]


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
            agents = [make_agent(agent_name, game)] + [Random() for _ in range(game.num_players - 1)]
            return Match(game, tuple(agents), 15).play(seed)

        assert np.array_equal(play(3), play(3))

    def test_reset_makes_it_new(self, agent_name: str, game_name: str) -> None:
        game = parse_game(game_name)
        used = make_agent(agent_name, game)
        others = tuple(Random() for _ in range(game.num_players - 1))
        Match(game, (used, *others), 10).play(seed=1)
        again = Match(game, (used, *others), 10).play(seed=2)
        fresh = Match(game, (make_agent(agent_name, game), *others), 10).play(seed=2)
        assert np.array_equal(again, fresh)
