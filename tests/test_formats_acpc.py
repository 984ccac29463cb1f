"""Logs of the ACPC dealer: read, written, read again; bad lines are told and left out."""

from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner
from named import play_named

from soulread.cards.deck import parse_cards
from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.games import kuhn, leduc, limit_holdem, parse_game, replay
from soulread.hands import seen_by
from soulread.hands.formats.acpc import LogWriter, log_line, read_log
from soulread.play import Match, Random
from soulread.play.live import LiveHand
from soulread.play.match import distinct_names

LIMIT = "STATE:1:rrc/crc/cc/cc:9h6s|3d3h/5s3s8h/9d/5c:-40|40:Bob|Alice"


def test_a_line_of_limit():
    log = read_log(
        ["# name/game/hands/seed x\n", LIMIT + "\r\n", "", "SCORE:-40|40:Bob|Alice\n"], limit_holdem()
    )
    (hand,) = log.hands
    assert log.bad == ()
    assert log.scale == 5  # blinds of 5 and 10
    assert hand.players == ("Bob", "Alice")
    assert hand.observer is None
    assert hand.hole == (parse_cards("9h6s"), parse_cards("3d3h"))
    assert hand.board == parse_cards("5s3s8h9d5c")
    assert hand.betting == "rrc/crc/cc/cc"
    assert hand.showdown
    assert hand.payoffs == (-8, 8)
    assert hand.actions[0] == (1, 2)  # the dealer raises first
    assert log.players == ("Bob", "Alice")


def test_ranks_of_small_decks():
    log = read_log(["STATE:2:rc/rf:Qs|Qh/Ks:3|-3:a|b", "STATE:6:rrc/rc:As|Qh/Kh:9|-9:b|a"], leduc())
    assert log.bad == ()
    assert log.hands[0].hole == (parse_cards("Js"), parse_cards("Jh"))
    assert log.hands[0].board == parse_cards("Qs")
    assert log.hands[1].hole == (parse_cards("Ks"), parse_cards("Jh"))
    assert read_log(["STATE:0:rc:As|Ks:2|-2:a|b"], kuhn()).hands[0].hole == (
        parse_cards("Ks"), parse_cards("Qs")
    )  # fmt: skip


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("hello", "'hello' is not a hand; expected STATE:number:betting:cards:chips:names"),
        ("STATE:x:f:9h6s|3d3h:5|-5:a|b", "hand number 'x'; expected a number from 0 up"),
        ("STATE:1:f:9h6s|3d3h:5|-5:a", "names 'a'; 'limit' has 2 players"),
        ("STATE:1:f:9h6s|3d3h:5|-5:a|a", "names 'a|a'; two seats of one name cannot be told apart"),
        ("STATE:1:f:9h6s:5|-5:a|b", "hole cards '9h6s'; expected 2 for each of 2 seats"),
        ("STATE:1:f:9h|3d3h:5|-5:a|b", "hole cards '9h|3d3h'; expected 2 for each of 2 seats"),
        ("STATE:1:f:9h6x|3d3h:5|-5:a|b", "'6x' is not a card"),
        ("STATE:1:f:9h6s|9h3h:5|-5:a|b", "'9h' comes twice"),
        ("STATE:1:z:9h6s|3d3h:5|-5:a|b", "'z' is not an action of 'limit'"),
        ("STATE:1:rrrr:9h6s|3d3h:5|-5:a|b", "no raise is allowed here"),
        ("STATE:1:rc/:9h6s|3d3h/5s3s8h:5|-5:a|b", "the hand is not over"),
        ("STATE:1:rc/cc/cc/cc:9h6s|3d3h/5s3s/8h/9d:5|-5:a|b", "board '5s3s/8h/9d'; expected (3, 1, 1) cards"),
        ("STATE:1:f:9h6s|3d3h/5s3s8h:5|-5:a|b", "3 cards left over"),
        ("STATE:1:f:9h6s|3d3h:5:a|b", "chips '5'; expected 2 numbers"),
        ("STATE:1:f:9h6s|3d3h:5|x:a|b", "chips '5|x'; expected numbers"),
        ("STATE:1:f:9h6s|3d3h:6|-6:a|b", "chips '6|-6', but the cards and the betting say '5|-5'"),
        ("STATE:1:cc/cc/cc/cc:|3d3h/5s3s8h/9d/5c:7|-7:a|b", "are no whole number of chips, 5 to one"),
    ],
)
def test_bad_lines_are_told_and_left_out(line, message):
    log = read_log([LIMIT, line, LIMIT.replace("STATE:1:", "STATE:2:")], limit_holdem())
    assert len(log.hands) == 2
    (bad,) = log.bad
    assert bad.number == 2
    assert message in str(bad)
    assert str(bad).startswith("line 2: ")


def test_cards_of_another_deck():
    log = read_log(["STATE:2:rc/rf:Js|Qh/Ks:3|-3:a|b"], leduc())
    assert str(log.bad[0]) == (
        "line 1: card 'Js' is not in the deck of a log of 'leduc': Qh, Qs, Kh, Ks, Ah, As"
    )


def test_hidden_cards_of_a_log():
    log = read_log([LIMIT, LIMIT.replace("9h6s|", "|")], limit_holdem())
    assert log.hands[1].hole == (None, parse_cards("3d3h"))
    assert log.hands[1].payoffs == (-8, 8)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "limit", "ring-limit:3", "nolimit:players=3,stacks=40"])
def test_round_trip(name, tmp_path: Path):
    game = parse_game(name)
    path = tmp_path / "match.log"
    played = []
    with LogWriter(path, "a title") as write:
        agents = tuple(Random() for _ in range(game.num_players))

        def record(live: LiveHand) -> None:
            played.append(live)
            write(live.end, live.players)

        Match(game, agents, 60).play(seed=1, record=record)
    with path.open() as lines:
        log = read_log(lines, game)
    assert log.bad == ()
    assert log.scale == 1
    for hand, live in zip(log.hands, played, strict=True):
        end, names = live.end, live.players
        assert hand.players == names
        assert set(names) == set(distinct_names(["random"] * game.num_players))
        assert (hand.actions, hand.betting, hand.board) == (end.actions, end.betting, end.board)
        assert hand.payoffs == end.payoffs()
        assert hand.showdown == end.showdown
        assert hand.hole == tuple(end.hole(seat) for seat in range(game.num_players))
        if end.showdown and not any(end.folded):
            assert hand.hole == seen_by(end, None, names).hole
    ended = [(live.end, live.players) for live in played]
    again = [log_line(number, end, names) for number, (end, names) in enumerate(ended)]
    assert path.read_text().splitlines() == ["# a title", *again]


def test_what_cannot_be_written(tmp_path: Path):
    state = replay(leduc(), "r", "KsQh")
    with pytest.raises(SoulreadError, match="hand 3 is not over after 'r'"):
        log_line(3, state, ("a", "b"))
    with pytest.raises(SoulreadError, match="the name 'a|b' cannot stand in a log".replace("|", r"\|")):
        log_line(3, replay(leduc(), "rf", "KsQh"), ("a|b", "c"))
    with pytest.raises(SoulreadError, match="one process, not by 2"):
        play_named("kuhn", ("random", "random"), 5, matches=2, jobs=2, record=lambda live: None)
    with pytest.raises(SoulreadError, match="no-such-folder"):
        LogWriter(tmp_path / "no-such-folder" / "x.log")
    LogWriter(tmp_path / "x.log")
    assert not (tmp_path / "x.log").exists()


def test_empty_log():
    log = read_log([], leduc())
    assert (log.hands, log.bad, log.scale) == ((), (), Fraction(1))


def test_distinct_names():
    assert distinct_names(["a", "b", "a", "a"]) == ("a", "b", "a#2", "a#3")


def test_duel_writes_a_log(tmp_path: Path):
    """Tables meet hand by hand then, with the very results of compiled code."""
    path = tmp_path / "duel.log"
    arguments = ["duel", "leduc", "random", "always-call", "--hands", "40", "--duplicate", "--json"]
    plain = CliRunner().invoke(cli, arguments)
    logged = CliRunner().invoke(cli, [*arguments, "--log", str(path)])
    assert logged.exit_code == 0, logged.output
    assert logged.output == plain.output
    with path.open() as lines:
        log = read_log(lines, leduc())
    assert len(log.hands) == 80
    assert log.players == ("random", "always-call")
    assert path.read_text().startswith("# soulread duel leduc random always-call --hands 40 --seed 0\n")
