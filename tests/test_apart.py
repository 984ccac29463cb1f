"""Foreign agents and models in processes of their own: nothing that they do reaches the process that plays.

A folder has a module of misbehaving agents. Every process that a test starts carries a mark in its
environment, so that any that is left behind is found.
"""

import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import soulread.api.play as api
import soulread.model.apart
from soulread.cli import cli
from soulread.errors import IllegalAction, NotFitted, SoulreadError
from soulread.foreign import apart
from soulread.foreign.child import ForeignClass
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import PokerGame
from soulread.games.ring_limit import ring_limit
from soulread.hands import wire
from soulread.model.apart import ApartTable
from soulread.model.catalogue import parse_model
from soulread.play.agent import Agent
from soulread.play.catalogue import guard
from soulread.play.catalogue.guard import ApartAgent, GuardedAgent
from soulread.play.catalogue.known import NEEDED, parse_agent
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match, Profits, play_matches
from soulread.play.opponents.baselines import Random
from soulread.seqform.source import Source
from soulread.solvers.equilibria import find_equilibrium

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are counted in /proc")

AGENTS = '''
"""Agents that misbehave."""

import builtins, ctypes, os, random, signal, subprocess, sys, threading, time, zlib
from dataclasses import dataclass, field

import numpy as np


class Fair:
    """Raises with its best card, and draws."""

    def __init__(self, game):
        self.game = game

    def reset(self):
        pass

    def act(self, view, rng):
        if view.hole[0] >= 44:
            return view.legal[-1]
        return int(rng.choice(view.legal))

    def observe(self, hand):
        pass


class SleepsWhenMade(Fair):
    def __init__(self, game):
        time.sleep(1000)


class SpinsInC(Fair):
    def act(self, view, rng):
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        return sum(range(10**15))


class SleepsWhenTold(Fair):
    def observe(self, hand):
        time.sleep(1000)


class SleepsOnReset(Fair):
    def reset(self):
        time.sleep(1000)


def raises(error, *arguments):
    def method(self, *ignored):
        raise error(*arguments)
    return method


def does(work):
    def method(self, *ignored):
        work()
    return method


def made(where, method):
    return type("X", (Fair,), {where: method})


ExitsWhenMade = made("__init__", does(sys.exit))
ExitsOnReset = made("reset", raises(SystemExit, 0))
ExitsInAct = made("act", does(lambda: sys.exit("bye")))
ExitsWhenTold = made("observe", raises(SystemExit, 0))
LeavesWhenMade = made("__init__", does(lambda: os._exit(0)))
LeavesInAct = made("act", does(lambda: os._exit(0)))
LeavesWhenTold = made("observe", does(lambda: os._exit(7)))
Interrupts = made("act", raises(KeyboardInterrupt))
InterruptsWhenMade = made("__init__", raises(KeyboardInterrupt))
Generates = made("act", raises(GeneratorExit))
Crashes = made("act", does(lambda: ctypes.string_at(0)))
KillsItself = made("observe", does(lambda: os.kill(os.getpid(), signal.SIGKILL)))
KillsItsGuardian = made("act", does(lambda: (os.kill(os.getppid(), signal.SIGKILL), time.sleep(1000))))
ClosesAll = made("act", does(lambda: (os.closerange(0, 64), time.sleep(1000))))


class EatsMemory(Fair):
    def act(self, view, rng):
        eaten = []
        while True:
            eaten.append(bytearray(10**8))


class Shouts(Fair):
    def act(self, view, rng):
        print("\\x1b[31mhello\\a " + "x" * 50)
        sys.stderr.write("y" * 100 + "\\n")
        os.write(1, b"z" * 10**6 + b"\\n")
        return super().act(view, rng)


class ClosesItsOutput(Fair):
    def act(self, view, rng):
        sys.stdout.close(), sys.stderr.close()
        os.close(1), os.close(2), os.close(0)
        type(self).act = Fair.act
        return super().act(view, rng)


class Meddles(Fair):
    """Changes all of its process that can be changed."""

    def act(self, view, rng):
        os.chdir("/")
        os.environ.clear()
        os.umask(0)
        sys.setrecursionlimit(60)
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        random.seed(1), np.random.seed(1)
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        sys.path.clear()
        builtins.open = None
        return super().act(view, rng)


class RingsLater(Fair):
    """Its alarm goes off when it is nobody's turn."""

    def act(self, view, rng):
        def ring(*ignored):
            raise TimeoutError("too late")
        if signal.getsignal(signal.SIGALRM) == signal.SIG_DFL:
            signal.signal(signal.SIGALRM, ring)
            signal.setitimer(signal.ITIMER_REAL, 0.01)
        return super().act(view, rng)


class HasChildren(Fair):
    """Leaves threads and processes, one of which cuts itself loose."""

    def act(self, view, rng):
        threading.Thread(target=time.sleep, args=(1000,)).start()
        subprocess.Popen(["sleep", "1000"])
        subprocess.Popen(["sleep", "1000"], start_new_session=True)
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
                time.sleep(1000)
            os._exit(0)
        return self.after(view)

    def after(self, view):
        return 1


class HasChildrenAndLeaves(HasChildren):
    def after(self, view):
        os._exit(0)


class Hostile:
    """An action whose methods raise."""

    def _bad(self, *ignored):
        raise ArithmeticError("no")

    __int__ = __index__ = __repr__ = __str__ = __eq__ = __hash__ = __bool__ = _bad


class SlowNumber(int):
    def __int__(self):
        time.sleep(1000)


class BadNumber(int):
    def __int__(self):
        raise ArithmeticError("no number")


class LyingNumber(int):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1

    def __int__(self):
        return 99


class SlowText:
    def __repr__(self):
        time.sleep(1000)


class Escapes:
    def __repr__(self):
        return "\\x1b]0;owned\\a\\r\\u202e\\n"


ACTIONS = {
    "huge": 10**5000, "nan": float("nan"), "true": True, "one": 1.0, "text": "1", "none": None,
    "hostile": Hostile(), "slow": SlowNumber(1), "bad": BadNumber(1), "lying": LyingNumber(99),
    "slowtext": SlowText(), "escapes": Escapes(), "array": np.array([1]), "numpy": np.uint8(1),
    "float": np.float64(1), "bool": np.True_, "minus": -1, "long": "x" * 10**6,
}


class Says(Fair):
    """Answers an action that it is told by name."""

    @dataclass(frozen=True)
    class Options:
        action: str = field(default="none", metadata={"help": "its answer"})

    def __init__(self, game, options):
        self.answer = ACTIONS[options.action]

    def act(self, view, rng):
        return self.answer


class SaysInTurn(Fair):
    """Answers an action that its view names."""

    def act(self, view, rng):
        return ACTIONS[view.information]


class Odd(Exception):
    def __str__(self):
        raise ArithmeticError


class OddlyFails(Fair):
    def act(self, view, rng):
        raise Odd


def pipes():
    """The pipes of this process that are its own."""
    for number in range(3, 64):
        try:
            if os.readlink(f"/proc/self/fd/{number}").startswith("pipe:"):
                yield number
        except OSError:
            pass


class Forges(Fair):
    """Writes an answer of its own into every pipe."""

    @dataclass(frozen=True)
    class Options:
        size: int = field(default=5, metadata={"help": "of the answer, in bytes"})

    def __init__(self, game, options):
        self.size = options.size

    def act(self, view, rng):
        forged = b"cos\\nsystem\\n(S'touch /tmp/owned'\\ntR."
        for number in pipes():
            try:
                os.write(number, self.size.to_bytes(8, "little") + forged)
            except OSError:
                pass
        time.sleep(1000)


class Echo(Fair):
    """Plays by a number made of all that it has been told, and of what it draws."""

    def reset(self):
        self.told = 0

    def act(self, view, rng):
        assert view.game is self.game
        seen = repr([getattr(view, name) for name in view.__dataclass_fields__ if name != "game"])
        self.told = zlib.crc32(seen.encode(), self.told)
        self.told += int(rng.integers(1000)) + int(rng.spawn(1)[0].integers(1000))
        few = [*view.legal[:3], *view.legal[-2:]]
        return few[self.told % len(few)]

    def observe(self, hand):
        self.told = zlib.crc32(hand.to_json().encode(), self.told)


notes = {}


class Notes(Fair):
    """Notes what it held; where it knows what the opponent holds, it plays by that."""

    def __init__(self, game):
        self.hand = 0
        self.notes = self.notebook()

    def notebook(self):
        return notes

    def reset(self):
        self.hand = 0

    def act(self, view, rng):
        self.notes[self.hand, view.seat] = view.hole[0]
        theirs = self.notes.get((self.hand, 1 - view.seat))
        if theirs is None:
            return int(rng.choice(view.legal))
        if view.hole[0] // 4 > theirs // 4:
            return view.legal[-1]
        return view.legal[0]

    def observe(self, hand):
        self.hand += 1


class NotesInClass(Notes):
    pages = {}

    def notebook(self):
        return self.pages


class NotesInBuiltins(Notes):
    def notebook(self):
        builtins.__dict__.setdefault("_notes", {})
        return builtins._notes


class NotesInModules(Notes):
    def notebook(self):
        return sys.modules.setdefault("soulread_notes", {})


class Environment(dict):
    def __setitem__(self, key, value):
        os.environ[f"NOTE{key[0]}S{key[1]}"] = str(value)

    def get(self, key):
        found = os.environ.get(f"NOTE{key[0]}S{key[1]}")
        return None if found is None else int(found)


class NotesInEnvironment(Notes):
    def notebook(self):
        return Environment()


class Forgetful(Notes):
    """The same agent without notes."""

    def notebook(self):
        return Nothing()


class Nothing(dict):
    def __setitem__(self, key, value):
        pass
'''

MODELS = '''
"""Models that misbehave."""

import os, sys, time

class Even:
    """All actions are equally likely."""

    def __init__(self, game):
        pass

    def fit(self, hands, player=None):
        return self

    def update(self, hand, player=None):
        return self

    def probabilities(self, view, seat):
        return {action: 1 / len(view.choices) for action in view.choices}


class Leaves(Even):
    def update(self, hand, player=None):
        os._exit(3)


class Fails(Even):
    def update(self, hand, player=None):
        return 1 / 0


class ExitsWhenMade(Even):
    def __init__(self, game):
        sys.exit()


class SleepsWhenAsked(Even):
    def probabilities(self, view, seat):
        time.sleep(1000)


class SpeaksInWords(Even):
    def probabilities(self, view, seat):
        return {"call": "often"}


class SumsToTwo(Even):
    def probabilities(self, view, seat):
        return {action: 2.0 for action in view.choices}


'''

TABLE = '''
from soulread.model.counted import FrequencyModel
from soulread.seqform.source import Source


class Counts(FrequencyModel):
    """A table of soulread's own, made from the rules."""

    def __init__(self, game):
        super().__init__(Source(game).compile())
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with modules that misbehave."""
    made = tmp_path_factory.mktemp("bad")
    (made / "badly.py").write_text(AGENTS)
    (made / "wrongly.py").write_text(MODELS)
    (made / "tabled.py").write_text(TABLE)
    for name, line in {
        "exits": "sys.exit()", "leaves": "os._exit(0)", "interrupts": "raise KeyboardInterrupt",
        "generates": "raise GeneratorExit", "sleeps": "time.sleep(1000)", "needs": "import nothing_here",
    }.items():  # fmt: skip
        (made / f"{name}_here.py").write_text(f"import os, sys, time\n{line}\nclass A: pass\n")
    return made


@pytest.fixture(autouse=True)
def mark(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The modules are found; afterwards no process and no file is left, and nothing is changed here."""
    mark = f"{os.getpid()}-{time.monotonic_ns()}"
    monkeypatch.setenv("SOULREAD_TEST_MARK", mark)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(folder))
    before = sys.getrecursionlimit(), signal.getsignal(signal.SIGALRM), os.sched_getaffinity(0)
    yield mark
    assert marked(mark) == []
    assert os.listdir(tmp_path) == []
    assert Path.cwd() == tmp_path
    after = sys.getrecursionlimit(), signal.getsignal(signal.SIGALRM), os.sched_getaffinity(0)
    assert after == before
    assert os.environ["SOULREAD_TEST_MARK"] == mark
    assert not {"badly", "wrongly"} & {*sys.modules}


def found(mark: str) -> list[str]:
    """The processes with a mark in their environment, but for one that joblib keeps for the whole program."""
    result = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            told = (entry / "cmdline").read_bytes()
            if mark.encode() in (entry / "environ").read_bytes() and b"resource_tracker" not in told:
                result.append(entry.name)
    return result


def marked(mark: str) -> list[str]:
    """The processes with a mark in their environment that do not end soon."""
    for _ in range(100):
        if not found(mark):
            break
        time.sleep(0.05)
    return found(mark)


def elsewhere(text: str, game: PokerGame) -> ApartAgent:
    """An agent of the module, in a process of its own."""
    location = ":".join(text.split(":")[:2])
    return ApartAgent(text, ForeignClass(location, location, NEEDED, "", wire.__name__), game)


def play(text: str, hands: int = 5) -> None:
    with apart.ProcessScope():
        Match(kuhn(), (elsewhere(text, kuhn()), Random()), hands).play(seed=1)


AT_ACT = r"after '.*' in 'kuhn'"
TOLD = r"when it was told of hand '.*'"
MADE = "when it was made for 'kuhn'"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("SpinsInC", f"took more than 0.7 s {AT_ACT}"),
        ("SleepsWhenTold", f"took more than 0.7 s {TOLD}"),
        ("SleepsOnReset", r"took more than 0.7 s on reset"),
        ("ExitsWhenMade", f"failed {MADE}: SystemExit"),
        ("ExitsOnReset", "failed on reset: SystemExit: 0"),
        ("ExitsInAct", f"failed {AT_ACT}: SystemExit: bye"),
        ("ExitsWhenTold", f"failed {TOLD}: SystemExit: 0"),
        ("LeavesWhenMade", f"ended its process, with exit code 0, {MADE}"),
        ("LeavesInAct", f"ended its process, with exit code 0, {AT_ACT}"),
        ("LeavesWhenTold", f"ended its process, with exit code 7, {TOLD}"),
        ("Interrupts", f"failed {AT_ACT}: KeyboardInterrupt"),
        ("InterruptsWhenMade", f"failed {MADE}: KeyboardInterrupt"),
        ("Generates", f"failed {AT_ACT}: GeneratorExit"),
        ("Crashes", f"lost its process {AT_ACT}: SIGSEGV ended it"),
        ("KillsItself", f"lost its process {TOLD}: SIGKILL ended it, as happens when memory runs out"),
        ("KillsItsGuardian", f"lost its process {AT_ACT}: SIGKILL ended it, as happens when memory runs out"),
        ("ClosesAll", f"(closed the pipe for its answers|took more than 0.7 s) {AT_ACT}"),
        ("RingsLater", "failed .*: TimeoutError: too late"),
        ("OddlyFails", f"failed {AT_ACT}: Odd"),
        ("HasChildrenAndLeaves", f"ended its process, with exit code 0, {AT_ACT}"),
        ("Forges", f"(sent an answer that is none|took more than 0.7 s) {AT_ACT}"),
        ("Forges:size=20000000000", "(sent an answer that is none|took more than 0.7 s)"),
        ("Says:action=slow", f"took more than 0.7 s {AT_ACT}"),
        ("Says:action=bad", f"failed {AT_ACT}: ArithmeticError: no number"),
        ("Says:action=slowtext", f"took more than 0.7 s {AT_ACT}"),
    ],
)  # fmt: skip
def test_it_ends_the_duel_with_a_sentence(name: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "_GRACE", 0.5)
    if "0.7 s" in message:
        monkeypatch.setattr(guard, "CALL_SECONDS", 0.7)
    hands = 2000 if name == "RingsLater" else 5
    with pytest.raises(SoulreadError, match=f"^agent 'badly:{name}' {message}$") as raised:
        play(f"badly:{name}", hands)
    assert str(raised.value).isprintable()


def test_the_user_says_how_patient_one_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """In Python by the environment, in `duel` by an option, which ends with the command."""
    monkeypatch.setenv("SOULREAD_PATIENCE", "0.6")
    with pytest.raises(SoulreadError, match=r"^agent 'badly:Says:action=slow' took more than 0\.6 s"):
        play("badly:Says:action=slow", 5)
    monkeypatch.setenv("SOULREAD_PATIENCE", "soon")
    with pytest.raises(SoulreadError, match="SOULREAD_PATIENCE is 'soon'; expected seconds"):
        play("badly:Says:action=slow", 5)
    monkeypatch.delenv("SOULREAD_PATIENCE")
    words = ["duel", "kuhn", "badly:Says:action=slow", "random", "-n", "5", "--patience"]
    found = CliRunner().invoke(cli, [*words, "0.5"])
    assert found.exit_code == 2
    assert "took more than 0.5 s" in found.output
    assert "SOULREAD_PATIENCE is '-1.0'" in CliRunner().invoke(cli, [*words, "-1"]).output
    assert "SOULREAD_PATIENCE" not in os.environ


ILLEGAL = {
    "huge": "a number of 16,610 bits",
    "nan": "nan",
    "true": "True",
    "one": "1.0",
    "text": "'1'",
    "none": "None",
    "hostile": "an object of the class Hostile",
    "lying": "99",
    "minus": "-1",
    "escapes": r"\\x1b]0;owned\\x07\\r\\u202e\\n",
    "array": r"array\(\[1\]\)",
    "float": r"np.float64\(1.0\)|1.0",
    "bool": "np.True_|True",
    "long": r"'x{196}\.\.\.",
}


def test_an_illegal_action_is_told() -> None:
    """A number is a legal action only if it is a whole one; NumPy's are."""
    agent = elsewhere("badly:SaysInTurn", kuhn())
    view = LiveHand(kuhn(), (), kuhn().rules.deck).view(0)
    for action, told in ILLEGAL.items():
        with pytest.raises(IllegalAction) as raised:
            agent.act(replace(view, information=action), np.random.default_rng(1))
        pattern = (
            f"agent 'badly:SaysInTurn' chose ({told}) after '' in 'kuhn', which is not legal; legal are .*"
        )
        assert re.fullmatch(pattern, str(raised.value)), str(raised.value)
    assert agent.act(replace(view, information="numpy"), np.random.default_rng(1)) == 1
    agent.close()


def duel(*words: str) -> Result:
    return CliRunner().invoke(cli, ["duel", *words])


@pytest.mark.parametrize(
    ("agents", "message"),
    [
        ("exits_here:A random", "'exits_here' cannot be imported: SystemExit"),
        ("leaves_here:A random", "agent 'leaves_here:A' ended its process, .* 0, when it was imported"),
        ("interrupts_here:A random", "agent 'interrupts_here:A' failed .* imported: KeyboardInterrupt"),
        ("generates_here:A random", "'generates_here' cannot be imported: GeneratorExit"),
        ("needs_here:A random", "'needs_here' cannot be imported: .*No module named 'nothing_here'"),
        ("dbr:model=exits_here:A random", ".*'exits_here' cannot be imported: SystemExit"),
        ("badly:ExitsWhenMade random", f"agent 'badly:ExitsWhenMade' failed {MADE}: SystemExit"),
        ("random badly:LeavesWhenTold", f"agent 'badly:LeavesWhenTold' ended its process, .*, {TOLD}"),
        ("badly:Fair badly:Crashes", f"agent 'badly:Crashes' lost its process {AT_ACT}: SIGSEGV ended it"),
        ("badly:Says:action=huge random", "agent 'badly:Says:action=huge' chose a number of 16,610 bits"),
        ("badly:HasChildrenAndLeaves random", "agent 'badly:HasChildrenAndLeaves' ended its process"),
        ("dbr:T=2,k=1,model=wrongly:Leaves random", f"model 'wrongly:Leaves' ended .* code 3, {TOLD}"),
        ("dbr:T=2,k=1,model=wrongly:Fails random", f"model 'wrongly:Fails' failed {TOLD}: ZeroDivisionError"),
        ("dbr:model=wrongly:ExitsWhenMade random", f"model 'wrongly:ExitsWhenMade' failed {MADE}"),
        ("dbr:T=2,k=1,model=wrongly:SpeaksInWords random", "model 'wrongly:SpeaksInWords' failed .*Val"),
        ("dbr:T=2,k=1,model=wrongly:SumsToTwo random", "the model wrongly:SumsToTwo gives .* 2.0"),
    ],
)  # fmt: skip
def test_the_command_tells_one_sentence(agents: str, message: str) -> None:
    done = duel("kuhn", *agents.split(), "--hands", "20", "--duplicate")
    assert done.exit_code == 2
    (line,) = done.output.strip().splitlines()
    assert re.match(f"soulread: {message}", line), line


def test_no_time_is_without_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    sleeper = parse_agent("badly:SleepsWhenMade")
    monkeypatch.setattr(apart, "START_SECONDS", 1.0)
    monkeypatch.setattr(apart, "CALL_SECONDS", 0.1)
    with pytest.raises(SoulreadError, match=f"agent 'badly:SleepsWhenMade' took more than 1 s {MADE}"):
        play_matches(kuhn(), [sleeper, parse_agent("random")], 5)
    done = duel("kuhn", "sleeps_here:A", "random")
    assert done.exit_code == 2
    assert done.output == "soulread: agent 'sleeps_here:A' took more than 1 s when it was imported\n"


def test_patience_holds_for_constructors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their time begins when the class was imported, which may take its usual time."""
    sleeper = parse_agent("badly:SleepsWhenMade")
    monkeypatch.setenv("SOULREAD_PATIENCE", "0.4")
    for clock in (None, 5.0):
        with pytest.raises(
            SoulreadError, match=rf"agent 'badly:SleepsWhenMade' took more than 0\.4 s {MADE}"
        ):
            play_matches(kuhn(), [sleeper, parse_agent("random")], 5, clock=clock)
    assert apart.patience(apart.START_SECONDS) == 0.4


def test_an_agent_may_be_asked_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was made in time, while another pass was played that took longer than the limit."""
    monkeypatch.setattr(apart, "START_SECONDS", 0.0)
    agent = elsewhere("badly:Fair", kuhn())
    agent.reset()
    agent.close()


def test_a_slow_model_ends_the_duel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soulread.model.apart, "CALL_SECONDS", 0.7)
    done = duel("kuhn", "dbr:T=2,k=1,model=wrongly:SleepsWhenAsked", "random", "--hands", "20")
    assert done.exit_code == 2
    assert re.match("soulread: model 'wrongly:SleepsWhenAsked' took more than 0.7 s after", done.output)


def test_memory_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "available_memory", lambda: 0)
    with pytest.raises(SoulreadError, match=f"agent 'badly:EatsMemory' failed {AT_ACT}: MemoryError"):
        play("badly:EatsMemory")


def test_more_processes_change_nothing(mark: str) -> None:
    """Workers start the processes of their agents; a bad one ends the duel there too."""
    specs = [parse_agent("badly:Echo"), parse_agent("badly:Fair")]
    one, two = (
        play_matches(leduc(), specs, 10, matches=2, duplicate=True, seed=3, jobs=jobs).profits
        for jobs in (1, 2)
    )
    assert np.array_equal(one, two)
    with pytest.raises(SoulreadError, match=f"agent 'badly:LeavesWhenTold' ended its process, .* 7, {TOLD}"):
        play_matches(kuhn(), [parse_agent("badly:LeavesWhenTold"), specs[1]], 10, matches=2, jobs=2)


def here(name: str, game: PokerGame) -> Agent:
    """The agent of the module, but in this process."""
    space: dict[str, Any] = {"__name__": "elsewhere"}
    exec(AGENTS, space)  # noqa: S102
    return GuardedAgent(f"badly:{name}", space[name](game))


@pytest.mark.parametrize(
    "game", [kuhn(), leduc(), nolimit_holdem(), ring_limit(3)], ids=lambda game: game.name
)
def test_it_is_told_and_draws_the_same_as_in_this_process(game: PokerGame) -> None:
    others = (Random(),) * (game.num_players - 1)
    with apart.ProcessScope():
        agents = here("Echo", game), elsewhere("badly:Echo", game)
        one, two = (Match(game, (agent, *others), 40).play(seed=9) for agent in agents)
    assert np.array_equal(one, two)


def test_a_stream_moves_on_here_too() -> None:
    """Whoever else draws from the stream gets what an agent in this process would have left."""
    view = LiveHand(kuhn(), (), kuhn().rules.deck).view(0)
    agents = here("Fair", kuhn()), elsewhere("badly:Fair", kuhn())
    for bits in (np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64):
        drawn: list[list[int]] = []
        for agent in agents:
            rng = np.random.Generator(bits(5))
            drawn.append([])
            for _ in range(3):
                drawn[-1] += [agent.act(view, rng), int(rng.integers(2**40))]
        assert drawn[0] == drawn[1]


def test_meddling_reaches_nobody() -> None:
    fair, meddling = (
        play_matches(
            kuhn(), [parse_agent(f"badly:{name}"), parse_agent("random")], 20, duplicate=True
        ).profits
        for name in ("Fair", "Meddles")
    )
    assert np.array_equal(fair, meddling)


def test_threads_and_processes_end_with_the_match() -> None:
    play("badly:HasChildren")


@pytest.mark.parametrize("name", ["Shouts", "ClosesItsOutput"])
def test_printing_disturbs_nobody(name: str, caplog: pytest.LogCaptureFixture) -> None:
    apart._printed.clear()
    play(f"badly:{name}", hands=20)
    lines = [record.getMessage() for record in caplog.records]
    assert all(line.isprintable() and len(line) < 1100 for line in lines)
    assert len(lines) == (0 if name == "ClosesItsOutput" else apart.MOST_LINES + 1)
    if lines:
        assert lines[0] == rf"agent 'badly:Shouts' printed: \x1b[31mhello\x07 {'x' * 50}"
        assert lines[-1] == "agent 'badly:Shouts' printed more than 20 lines; no more are shown"


@pytest.mark.parametrize(
    "name", ["Notes", "NotesInClass", "NotesInBuiltins", "NotesInModules", "NotesInEnvironment"]
)
def test_notes_of_the_first_pass_are_gone_in_the_second(name: str) -> None:
    """An agent that notes what it held wins exactly what it wins without notes."""
    assert np.array_equal(won_by(name), won_by("Forgetful"))


@lru_cache
def won_by(name: str) -> Profits:
    """The winnings of an agent and of one that plays at random, in duplicate matches."""
    specs = [parse_agent(f"badly:{name}"), parse_agent("random")]
    return play_matches(leduc(), specs, 60, duplicate=True, seed=4).profits


def test_notes_would_win_if_both_passes_had_one_process() -> None:
    """This is what must not happen: a match without specs keeps the process of its agent."""
    won = {}
    for name in ("Notes", "Forgetful"):
        agent = elsewhere(f"badly:{name}", leduc())
        won[name] = Match(leduc(), (agent, Random()), 200, duplicate=True).play(seed=4)[:, 0].mean()
    assert won["Notes"] > won["Forgetful"] + 0.3


def test_a_table_of_a_foreign_model_arrives_whole() -> None:
    """A foreign class that is a table of soulread's own plays to the digit as that table does here."""
    won = [
        play_matches(
            leduc(), [parse_agent(f"dbr:T=20,k=10,model={model}"), parse_agent("random")], 60, seed=2
        )
        for model in ("frequency", "tabled:Counts", "wrongly:Even")
    ]
    assert np.array_equal(won[0].profits, won[1].profits)
    assert not np.array_equal(won[0].profits, won[2].profits)
    table = parse_model("tabled:Counts").make(
        Source(kuhn()).compile(), find_equilibrium(Source(kuhn())).behaviours
    )
    assert isinstance(table, ApartTable)
    with pytest.raises(NotFitted, match=r"model 'tabled:Counts' failed .*: this model has seen no hands"):
        table.strategy(0)


def test_nothing_survives_a_process_that_is_killed(folder: Path, mark: str) -> None:
    """The duel is killed while its agent has children and sleeps."""
    (folder / "slowly.py").write_text(
        "import time\nimport badly\n\nclass Sleeps(badly.HasChildren):\n"
        "    def after(self, view):\n        time.sleep(1000)\n"
    )
    paths = os.pathsep.join([str(folder), str(Path(__file__).parent.parent)])
    command = [sys.executable, "-m", "soulread", "duel", "kuhn", "slowly:Sleeps", "random"]
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": paths})
    while len(found(mark)) < 6:  # the duel, guardian, agent and its three children
        time.sleep(0.05)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert marked(mark) == []


def test_an_agent_can_be_sent_and_begins_anew() -> None:
    agent = api.agent("badly:Echo", "leduc")
    assert isinstance(agent, ApartAgent)
    by_name = api.duel("leduc", "badly:Echo", "random", hands=20, duplicate=True).profits
    sent = pickle.loads(pickle.dumps(agent))  # noqa: S301
    given = api.duel("leduc", sent, "random", hands=20, duplicate=True).profits
    assert np.array_equal(given, by_name)
    agent.close()
    with pytest.raises(SoulreadError, match="the process of agent 'badly:Echo' has ended"):
        agent.reset()
    with pytest.raises(SoulreadError, match=f"agent 'badly:ExitsWhenMade' failed {MADE}"):
        api.agent("badly:ExitsWhenMade", "kuhn")


def test_the_last_hand_of_a_match_counts_too() -> None:
    """An agent that fails when it is told of the only hand ends the duel, though it never acts again."""
    with pytest.raises(SoulreadError, match=f"agent 'badly:ExitsWhenTold' failed {TOLD}: SystemExit"):
        play("badly:ExitsWhenTold", hands=1)


def test_interrupting_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = elsewhere("badly:Fair", kuhn())
    agent.reset()

    def interrupt(*ignored: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(apart.Apart, "_wait", interrupt)
    with pytest.raises(KeyboardInterrupt):
        agent.reset()
    with pytest.raises(SoulreadError, match="has ended"):
        agent.reset()
