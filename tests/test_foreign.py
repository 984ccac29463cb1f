"""Agents and models that strangers wrote: in an installed package, or as module:Class."""

import json
import os
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import soulread as sr
from soulread.cli import cli
from soulread.errors import IllegalAction, ParseError, SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.named import parse_game
from soulread.model.catalogue import ModelEntry, known_models, parse_model
from soulread.play.catalogue import guard
from soulread.play.catalogue.entry import AgentEntry
from soulread.play.catalogue.guard import ApartAgent, GuardedAgent
from soulread.play.catalogue.known import AGENTS, foreign_entry, known_agents, parse_agent, register
from soulread.play.match.matches import Match, play_matches
from soulread.play.opponents.baselines import Random

pytestmark = pytest.mark.compiled

PACKAGE = '''
"""A stranger's package for soulread."""

from dataclasses import dataclass, field


class Stubborn:
    """Calls, and raises with its best cards."""

    @dataclass(frozen=True)
    class Options:
        least: int = field(default=11, metadata={"help": "the lowest rank it raises with, 12 is an ace"})

    def __init__(self, game, options):
        self.name, self.least, self.seen = "stubborn", options.least, 0

    def reset(self):
        self.seen = 0

    def act(self, view, rng):
        return view.legal[-1] if max(view.hole) // 4 >= self.least else 1

    def observe(self, hand):
        self.seen += 1

    @staticmethod
    def refuses(game):
        return "it knows no limit" if game.rules.raise_sizes is None else None


class Copycat:
    """The opponent does what was seen most often after the same betting."""

    def __init__(self, game):
        self.fit(())

    def fit(self, hands, player=None):
        self.seen = {}
        for hand in hands:
            self.update(hand, player)
        return self

    def update(self, hand, player=None):
        seat = hand.opponent if player is None else hand.seat_of(player)
        for i, (actor, action) in enumerate(hand.actions):
            if actor == seat:
                key = seat, tuple(a for _, a in hand.actions[:i])
                self.seen.setdefault(key, []).append(action)
        return self

    def probabilities(self, view, seat):
        taken = self.seen.get((seat, tuple(a for _, a in view.actions)), []) + list(view.choices)
        return {action: taken.count(action) / len(taken) for action in view.choices}


class Broken(Stubborn):
    """Fails in its third decision."""

    def act(self, view, rng):
        self.acted = getattr(self, "acted", 0) + 1
        if self.acted == 3:
            raise ZeroDivisionError("I divided by zero")
        return 1


class Cheat(Stubborn):
    """Folds where there is nothing to fold to."""

    def act(self, view, rng):
        return 0


class Snail(Stubborn):
    """Never answers."""

    def act(self, view, rng):
        while True:
            pass
'''


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel is built and installed into a folder of its own, as pip would into an environment."""
    folder = tmp_path_factory.mktemp("stranger")
    wheel = folder / "stranger-1.0-py3-none-any.whl"
    files = {
        "stranger.py": PACKAGE,
        "stranger-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n",
        "stranger-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
        "stranger-1.0.dist-info/entry_points.txt": "[soulread.agents]\nstubborn = stranger:Stubborn\n"
        "[soulread.models]\ncopycat = stranger:Copycat\n",
    }
    record = "".join(f"{name},,\n" for name in (*files, "stranger-1.0.dist-info/RECORD"))
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in {**files, "stranger-1.0.dist-info/RECORD": record}.items():
            archive.writestr(name, text)
    site = folder / "site"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index",
         "--no-deps", "--target", str(site), str(wheel)],
        check=True,
    )  # fmt: skip
    return site


def soulread(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command in a fresh process that finds the stranger's package."""
    paths = os.pathsep.join([str(site), str(Path(__file__).parent.parent)])
    return subprocess.run(
        [sys.executable, "-m", "soulread", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
        cwd=site.parent,
    )


@pytest.fixture
def within(installed: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """The command in this process, which then finds the stranger's package too."""
    monkeypatch.syspath_prepend(str(installed))
    return lambda *arguments: CliRunner().invoke(cli, arguments)


def test_they_are_listed_and_explained(installed: Path, within: Callable[..., Result]) -> None:
    listed = json.loads(soulread(installed, "agents", "--json").stdout)
    assert listed["stubborn"] == "Calls, and raises with its best cards."
    told = within("agents", "stubborn").stdout
    assert "the lowest rank it raises with" in told
    assert "it knows no limit" in told
    record = json.loads(within("agents", "stranger:Stubborn", "--json").stdout)
    assert record["foreign"]
    assert record["options"] == [
        {"name": "least", "default": "11", "help": "the lowest rank it raises with, 12 is an ace"}
    ]
    assert record["refuses"]["nolimit"] == "it knows no limit"
    assert record["refuses"]["kuhn"] is None
    models = json.loads(within("models", "--json").stdout)
    assert models["copycat"] == "The opponent does what was seen most often after the same betting."
    assert "seen most often" in within("models", "stranger:Copycat").stdout


@pytest.mark.slow
def test_they_play_and_survive_more_processes(installed: Path, within: Callable[..., Result]) -> None:
    """By the offered name or as module:Class, on one process or two: the same results."""
    results = []
    for agent, jobs in (("stubborn", 1), ("stranger:Stubborn", 2), ("stubborn:least=9", 1)):
        words = ["duel", "leduc", agent, "dbr:T=20,k=20,model=copycat"]
        words += ["--hands", "60", "--matches", "2", "--json"]
        told = soulread(installed, *words, "--jobs", "2").stdout if jobs == 2 else within(*words).stdout
        record = json.loads(told)
        assert record["results"][0]["agent"] == agent
        results.append([agent["chips/h"]["mean"] for agent in record["results"]])
    assert results[0] == results[1] != results[2]
    words = ["duel", "kuhn", "dbbr:T=20,k=20,model=stranger:Copycat", "stubborn", "--hands", "60"]
    assert within(*words).exit_code == 0
    words = ["duel", "kuhn", "rwywe:every=5,model=copycat", "stubborn", "--hands", "60"]
    assert soulread(installed, *words, "--matches", "2", "--jobs", "2").returncode == 0


def test_a_foreign_model_is_worth_something(within: Callable[..., Result]) -> None:
    """Answering the stranger's model wins more from a player who never folds than equilibrium play."""
    won = []
    for hero in ("dbbr:T=50,k=25,model=copycat", "equilibrium"):
        done = within("duel", "leduc", hero, "always-call", "--hands", "400", "--duplicate", "--json")
        won.append(json.loads(done.stdout)["results"][0]["sb/h"]["mean"])
    assert won[0] > won[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("leduc", "stranger:Broken", "random"), "failed after .* in 'leduc': ZeroDivisionError: I div"),
        (("leduc", "stranger:Broken", "random", "--jobs", "2"), "failed after .*: ZeroDivisionError: I div"),
        (("leduc", "stranger:Cheat", "random"), "'stranger:Cheat' chose 0 after '' in 'leduc', which is not"),
        (
            ("leduc", "stranger:Cheat", "random", "--jobs", "2"),
            "'stranger:Cheat' chose 0 after '' in 'leduc'",
        ),
        (("nolimit", "stubborn", "random"), "'stubborn' cannot sit at 'nolimit': it knows no limit"),
        (("leduc", "stranger:Nobody", "random"), "the module 'stranger' has no class 'Nobody'"),
        (("leduc", "nowhere:Nobody", "random"), "'nowhere:Nobody' is not an agent; known are random, "),
        (("leduc", "stranger:Copycat", "random"), r"'stranger:Copycat' has no method reset\(\); it needs"),
        (("leduc", "stubborn:most=3", "random"), "'most=3' in .* is not an option; known are least"),
        (("leduc", "stubborn:least=x", "random"), "expected a number"),
        (("leduc", "dbr:model=stranger:Cheat", "random"), "'stranger:Cheat' has no method fit"),
        (("leduc", "dbr:model=nothing", "random"), "'nothing' is not a model; known are deviation, "),
    ],
)
def test_what_goes_wrong_is_one_sentence(
    within: Callable[..., Result], installed: Path, arguments: tuple[str, ...], message: str
) -> None:
    words = "duel", *arguments, "--hands", "30", "--matches", "2"
    if "--jobs" in arguments:
        done = soulread(installed, *words)
        code, told = done.returncode, done.stderr
    else:
        result = within(*words)
        code, told = result.exit_code, result.output
    assert code == 2
    (line,) = told.strip().splitlines()
    assert line.startswith("soulread: ")
    assert re.search(message, line), line


class Sleeper:
    """Sleeps in its first decision."""

    name = "sleeper"

    def reset(self) -> None:
        """Nothing to forget."""

    def act(self, view: object, rng: np.random.Generator) -> int:
        time.sleep(60)
        return 1

    def observe(self, hand: object) -> None:
        """Nothing to learn."""


def test_a_slow_agent_ends_the_duel() -> None:
    agent = GuardedAgent("sleeper", Sleeper(), seconds=0.05)
    with pytest.raises(SoulreadError, match=r"agent 'sleeper' took more than 0\.05 s after '' in 'kuhn'"):
        Match(kuhn(), (agent, Random()), 5).play(seed=1)


class Rude:
    """Nothing that Python does with an object works with this one."""

    def _fail(self, *ignored: object) -> int:
        raise ArithmeticError

    __int__ = __index__ = __eq__ = __hash__ = __repr__ = _fail  # type: ignore[assignment]


@pytest.mark.parametrize(
    "answer",
    [None, "raise", 1.5, 1.0, True, 7, [1], float("nan"), 10**5000, -1, Rude()],
    ids=lambda answer: type(answer).__name__,
)
def test_a_nonsensical_answer_ends_the_duel(answer: object) -> None:
    class Odd(Sleeper):
        """Answers nonsense."""

        def act(self, view: object, rng: np.random.Generator) -> int:
            return answer  # type: ignore[return-value]

    with pytest.raises(IllegalAction, match=r"agent 'odd' chose .* legal are"):
        Match(kuhn(), (GuardedAgent("odd", Odd()), Random()), 5).play(seed=1)


def test_an_answer_is_looked_at_within_the_limit() -> None:
    """A class that no other process can import plays here, in a thread that is guarded too."""

    class Slow(int):
        """A number that takes its time."""

        def __int__(self) -> int:
            time.sleep(60)
            return 1

    class Odd(Sleeper):
        """Answers a slow number."""

        def act(self, view: object, rng: np.random.Generator) -> int:
            return Slow(1)

    with pytest.raises(SoulreadError, match=r"agent 'odd' took more than 0\.05 s after '' in 'kuhn'"):
        Match(kuhn(), (GuardedAgent("odd", Odd(), seconds=0.05), Random()), 5).play(seed=1)


@pytest.mark.parametrize("ending", ["exits", "sleeps"])
def test_a_class_that_plays_here_is_guarded_when_it_is_made(
    ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Local(Sleeper):
        """Cannot be made."""

        def __init__(self, game: object) -> None:
            if ending == "exits":
                sys.exit()
            time.sleep(60)

    monkeypatch.setattr(guard, "START_SECONDS", 0.05)
    message = {
        "exits": "failed .*: SystemExit",
        "sleeps": r"took more than 0\.05 s when it was made for 'kuhn'",
    }
    with pytest.raises(SoulreadError, match=f"agent 'Local' {message[ending]}"):
        sr.duel("kuhn", Local, "random", hands=5)


def test_a_class_that_can_be_imported_plays_elsewhere() -> None:
    entry = foreign_entry("calls", Caller)
    made = entry.spec("calls", parse_agent).make(kuhn())
    assert isinstance(made, ApartAgent)
    made.close()
    agents = Caller, Caller(0)
    one, two = (sr.duel("leduc", agent, "random", hands=30, duplicate=True).profits for agent in agents)
    assert np.array_equal(one, two)


class Caller(Sleeper):
    """Calls."""

    def __init__(self, game: object) -> None:
        """Needs nothing."""

    def act(self, view: object, rng: np.random.Generator) -> int:
        return 1


def test_a_numpy_answer_is_fine() -> None:
    class Numpy(Sleeper):
        """Answers with NumPy's integers."""

        def act(self, view: object, rng: np.random.Generator) -> int:
            return np.int64(1)  # type: ignore[return-value]

    played = Match(kuhn(), (GuardedAgent("numpy", Numpy()), Random()), 5).play(seed=1)
    assert played.shape == (5, 2)


def test_an_agent_registered_in_python_survives_more_processes() -> None:
    class Local(Sleeper):
        """Defined inside a function, so no other process can import it."""

        def act(self, view: object, rng: np.random.Generator) -> int:
            return 1

    before = dict(AGENTS)
    try:
        register(AgentEntry("local", "calls", lambda spec, game, tell: Local()))
        specs = [parse_agent("local"), parse_agent("random")]
        one, two = (play_matches(leduc(), specs, 20, matches=3, jobs=jobs) for jobs in (1, 2))
        assert np.array_equal(one.profits, two.profits)
        assert "local" in known_agents()
        with pytest.raises(SoulreadError, match="an agent cannot be called 'a:b'; a name has no colon"):
            register(AgentEntry("a:b", "", lambda spec, game, tell: Local()))
    finally:
        AGENTS.clear()
        AGENTS.update(before)


def test_a_game_of_ones_own_survives_more_processes() -> None:
    from test_new_games import five_card_kuhn

    specs = [parse_agent("dbbr:T=10,k=5"), parse_agent("random")]
    one, two = (play_matches(five_card_kuhn(), specs, 30, matches=2, jobs=jobs) for jobs in (1, 2))
    assert np.array_equal(one.profits, two.profits)


def test_every_option_has_a_line_of_help() -> None:
    entries: list[AgentEntry | ModelEntry] = [*known_agents().values(), *known_models().values()]
    for entry in entries:
        for name, _, text in entry.help:
            assert text, f"{entry.name}: {name}"
        assert entry.about
    for text in ("dbbr", "dbbr:5-5-5-5:quick,T=7"):
        assert str(parse_agent(text)) == text


def test_a_model_is_parsed() -> None:
    spec = parse_model("deviation:method=l2,prior=10")
    assert (spec.options.method, spec.options.prior) == ("l2", 10.0)
    nested = parse_agent("dbr:model=deviation:method=l2+prior=10,T=200").options
    assert nested.model.options == spec.options
    assert nested.T == 200
    with pytest.raises(ParseError, match="method=l3; expected shift or l1 or l2"):
        parse_model("deviation:method=l3")
    assert parse_game("kuhn") == kuhn()
