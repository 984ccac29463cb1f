"""Sessions of a person: resumed at any decision as if nobody had left, hands stored once; the command."""

import json
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.games.poker import PokerView, raises_among
from soulread.hands.hand import Hand, Sight
from soulread.hands.store import Store
from soulread.play.catalogue.known import parse_agent
from soulread.play.table.dealing import MatchTerms
from soulread.play.table.human import LeftTable
from soulread.serve.journal import MatchFiles
from soulread.serve.sitting import (
    ENDLESS,
    SessionHand,
    Sitting,
    TableSession,
    last_session,
    new_session_path,
    read_session,
)

pytestmark = pytest.mark.compiled

SESSION = TableSession("leduc", ("dbbr:T=2",), "Ann", 7)


class Script:
    """A person who draws from a seed and the betting, and leaves after some decisions."""

    name = "Ann"

    def __init__(self, decisions: int | None = None) -> None:
        self.left = decisions

    def reset(self) -> None: ...
    def observe(self, hand: Hand) -> None: ...

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        if self.left is not None:
            if not self.left:
                raise LeftTable("enough")
            self.left -= 1
        own = np.random.default_rng([len(view.actions), *view.hole, *view.board])
        return int(
            own.choice([action for action in (0, 1, *raises_among(view.legal)[:1]) if action in view.legal])
        )


def opened(session: TableSession, path: Path, resume: bool) -> Sitting:
    game = parse_game(session.game)
    agents = [parse_agent(text).make(game) for text in session.agents]
    for agent in agents:
        agent.reset()
    names = tuple(f"{number} {text}" for number, text in enumerate(session.agents))
    terms = MatchTerms(game, (session.name, *names), ENDLESS, session.seed)
    return Sitting(session, terms, session.game, agents, path, resume=resume)


def play(
    session: TableSession, folder: Path, hands: int, decisions: int | None = None, resume: bool = False
) -> list[SessionHand]:
    """Play until the session has ``hands`` hands, or for some decisions; the hands of this sitting."""
    told: list[SessionHand] = []
    with opened(session, folder / "s.log", resume) as sitting, Store.open(folder / "hands.db") as store:
        left = hands - len(sitting.won)
        if left:
            sitting.play(Script(decisions), store, told.append, leave_after=left, look=True)
    return told


def states(folder: Path) -> list[str]:
    return [line for line in (folder / "s.log").read_text().split("\n") if line.startswith("STATE:")]


def stored(path: Path) -> list[Hand]:
    with Store.open(path, read_only=True) as store:
        return [hand for _, hand in store.find()]


@pytest.mark.parametrize(
    "session",
    [
        SESSION,
        TableSession("kuhn", ("random",), "Ann", 8),
        TableSession("limit", ("random",), "Ann", 9),
        TableSession("nolimit:players=3,stacks=20", ("random", "plain"), "Ann", 10),
    ],
    ids=lambda session: session.game,
)
def test_a_session_goes_on_from_any_decision_as_if_nobody_had_left(
    session: TableSession, tmp_path: Path
) -> None:
    """Left after every single decision, also in mid-hand: the hands are those of one without a break."""
    hands = 8
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir()
    parts.mkdir()
    play(session, whole, hands)
    play(session, parts, hands, 1)
    for _ in range(200):
        play(session, parts, hands, 1, resume=True)
        if len(states(parts)) == hands:
            break
    assert states(parts) == states(whole)
    assert len(states(whole)) == hands
    first, second = stored(whole / "hands.db"), stored(parts / "hands.db")
    assert [(hand.id, hand.actions, hand.hole) for hand in first] == [
        (hand.id, hand.actions, hand.hole) for hand in second
    ]
    assert len(first) == hands


def test_hands_are_stored_as_the_person_saw_them(tmp_path: Path) -> None:
    told = play(SESSION, tmp_path, 12)
    hands = stored(tmp_path / "hands.db")
    assert [one.hand for one in told] == hands
    assert [one.number for one in told] == list(range(12))
    for hand in hands:
        own = hand.seat_of("Ann")
        assert hand.observer == own
        assert hand.room == "soulread"
        assert hand.time is not None
        assert hand.hole[own] is not None
        assert (hand.hole[1 - own] is not None) == hand.showdown
        assert hand.sights[1 - own] is (Sight.SHOWN if hand.showdown else Sight.UNSEEN)
    assert {hand.seat_of("Ann") for hand in hands} == {0, 1}
    assert all(len(one.opponents) == 1 and one.opponents[0].strategy is not None for one in told)


def test_another_session_of_the_same_players_is_not_the_same(tmp_path: Path) -> None:
    """In Kuhn most hands look alike; they are told apart by their session."""
    for seed in (1, 2):
        folder = tmp_path / str(seed)
        folder.mkdir()
        (folder / "hands.db").symlink_to(tmp_path / "hands.db")
        play(TableSession("kuhn", ("always-call",), "Ann", seed), folder, 20)
    assert len(stored(tmp_path / "hands.db")) == 40


def test_killed_between_store_and_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hand is in the store and not in the log: it ends once more, and counts once."""

    def fail(files: MatchFiles, line: str) -> None:
        raise KeyboardInterrupt

    play(SESSION, tmp_path, 2)
    with monkeypatch.context() as patch:
        patch.setattr(MatchFiles, "finish", fail)
        with pytest.raises(KeyboardInterrupt):
            play(SESSION, tmp_path, 3, resume=True)
    assert len(stored(tmp_path / "hands.db")) == 3
    assert len(states(tmp_path)) == 2
    play(SESSION, tmp_path, 4, resume=True)
    assert [hand.id.rpartition("-")[2] for hand in stored(tmp_path / "hands.db")] == ["0", "1", "2", "3"]
    assert len(states(tmp_path)) == 4


def test_the_file_knows_the_session(tmp_path: Path) -> None:
    odd = TableSession("nolimit:players=3", ("a b", "ü\u2028"), 'An"n', 2**130, "2030-01-02")
    path = tmp_path / "x.log"
    path.write_text(f"# name/game/hands/seed x y\n# {odd.remark}\n")
    assert read_session(path) == odd
    assert odd.mark != SESSION.mark
    path.write_text("# session {}\n")
    for text in (
        "{}",
        "[",
        "[" * 10_000,
        '{"game": 1}',
        "7",
        json.dumps({**json.loads(odd.remark[8:]), "seed": "x"}),
    ):
        path.write_text(f"# session {text}\n")
        with pytest.raises(SoulreadError, match="is a damaged session"):
            read_session(path)
    path.write_text("STATE:0:cc:x\n")
    with pytest.raises(SoulreadError, match="is no session of soulread play"):
        read_session(path)
    with pytest.raises(SoulreadError, match="cannot be read"):
        read_session(tmp_path / "missing")


def test_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOULREAD_DB", str(tmp_path / "own" / "hands.db"))
    with pytest.raises(SoulreadError, match="there is no session in"):
        last_session()
    path = new_session_path(SESSION, datetime(2030, 1, 2, 3, 4, 5))
    assert path == tmp_path / "own" / "sessions" / f"2030-01-02-030405-{SESSION.mark}.log"
    path.write_text("")
    assert last_session() == path
    monkeypatch.setenv("SOULREAD_DB", str(path / "x" / "hands.db"))
    with pytest.raises(SoulreadError, match="name a file with -o"):
        new_session_path(SESSION, datetime(2030, 1, 2))


# The command.


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOULREAD_DB", str(tmp_path / "own" / "hands.db"))
    monkeypatch.chdir(tmp_path)


def run(*words: str, typed: str = "") -> Result:
    return CliRunner().invoke(
        cli, words, input="".join(f"{key}\n" for key in typed.split()), prog_name="soulread"
    )


def test_play_leave_and_go_on() -> None:
    first = run("play", "kuhn", "always-raise", "--seed", "3", typed="c c c c q")
    assert first.exit_code == 0, first.output
    assert "kuhn: you against always-raise" in first.output
    assert "Nobody runs out of chips" in first.output
    assert "hand 1, first to act" in first.output
    assert "hand 2, last to act" in first.output
    assert first.output.rstrip().endswith("soulread play --resume")
    begun = "in the middle of the hand" in first.output
    again = run("play", "--resume", "--coach", typed="c c q")
    assert again.exit_code == 0, again.output
    assert begun
    assert "so far " in again.output
    assert "coach: " in again.output
    assert "given up against the equilibrium" in again.output
    assert "soulread play --resume --coach" in again.output
    shown = run("stats", "you")
    assert shown.exit_code == 0
    assert "you, 4 hands" in shown.output
    found = run("hands", "--player", "you")
    assert found.exit_code == 0
    rows = json.loads(run("players", "--json").output)["players"]
    assert {(row["player"], row["room"]) for row in rows} == {
        (name, "soulread") for name in ("you", "always-raise")
    }


def test_a_number_of_hands_and_one_agent_for_a_whole_table() -> None:
    done = run(
        "play",
        "ring-limit:4",
        "always-call",
        "-n",
        "3",
        "--coach",
        "--name",
        "Ann",
        "-o",
        "a.log",
        typed="c " * 40,
    )
    assert done.exit_code == 0, done.output
    assert "you against always-call, always-call#2, always-call#3" in done.output
    assert "no equilibrium of ring-limit:4" in done.output
    assert "chips in 3 hands" in done.output
    assert "hand 4" not in done.output
    assert "soulread play --resume -o a.log --coach" in done.output
    assert len(states_of("a.log")) == 3
    more = run("play", "--resume", "-o", "a.log", "-n", "1", typed="c " * 20)
    assert more.exit_code == 0, more.output
    assert "hand 4, " in more.output
    assert len(states_of("a.log")) == 4


def states_of(name: str) -> list[str]:
    return [line for line in Path(name).read_text().split("\n") if line.startswith("STATE:")]


def test_the_same_seed_again_is_another_session() -> None:
    for name in ("a.log", "b.log"):
        words = "play", "kuhn", "always-call", "--seed", "1", "-n", "5", "-o", name
        assert run(*words, typed="c " * 20).exit_code == 0
    assert states_of("a.log") == states_of("b.log")
    assert len(stored(Path("own/hands.db"))) == 10


def test_without_a_seed_the_cards_cannot_be_guessed() -> None:
    for name in ("a.log", "b.log"):
        assert run("play", "leduc", "always-call", "-n", "5", "-o", name, typed="c " * 40).exit_code == 0
    first, second = read_session(Path("a.log")), read_session(Path("b.log"))
    assert first.seed != second.seed
    assert first.mark != second.mark
    assert min(first.seed, second.seed) > 2**64
    assert states_of("a.log") != states_of("b.log")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("play",), "name a game and an agent"),
        (("play", "leduc"), "name a game and an agent"),
        (("play", "--resume"), "there is no session in"),
        (("play", "leduc", "random", "--resume", "-o", "x"), "--resume goes on with a session"),
        (("play", "--resume", "--seed", "1", "-o", "x"), "--resume goes on with a session"),
        (("play", "--resume", "-o", "missing.log"), "cannot be read"),
        (("play", "leduc", "random", "random"), "2 agents for 'leduc'; it has 1 seats besides yours"),
        (("play", "ring-limit:4", "random", "random"), "one agent can take them all"),
        (("play", "chess", "random"), "is not a game"),
        (("play", "leduc", "nobody"), "is not an agent"),
        (("play", "nolimit", "rwywe"), "cannot sit at"),
        (("play", "leduc", "random", "--name", "random"), "no two may have the same name"),
        (("play", "leduc", "random", "--name", "a|b"), "cannot stand in a log"),
        (("play", "leduc", "random", "--seed", "-1"), "--seed"),
        (("play", "leduc", "random", "-n", "0"), "--hands"),
        (("play", "leduc", "random", "-o", "no/such/folder.log"), "no/such"),
    ],
)
def test_mistakes_are_told_in_a_sentence(words: tuple[str, ...], message: str) -> None:
    done = run(*words)
    assert done.exit_code == 2, done.output
    assert message in done.output
    assert "Traceback" not in done.output


def test_a_session_is_not_begun_twice_and_not_resumed_if_it_was_changed() -> None:
    assert run("play", "leduc", "always-call", "-n", "2", "-o", "a.log", typed="c " * 20).exit_code == 0
    again = run("play", "leduc", "always-call", "-o", "a.log")
    assert again.exit_code == 2
    assert "--resume goes on with it" in again.output
    text = Path("a.log").read_text()
    Path("a.log").write_text(text.replace("STATE:0:", "STATE:0:r"))
    changed = run("play", "--resume", "-o", "a.log")
    assert changed.exit_code == 2
    assert "cannot be resumed" in changed.output
