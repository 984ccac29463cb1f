"""Logs of the ACPC dealer: read, written, read again; bad lines are told and left out."""

import os
import re
import threading
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner
from named import play_named

from soulread.cards.deck import parse_cards
from soulread.cli import cli
from soulread.errors import ParseError, SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.named import parse_game
from soulread.games.poker import replay
from soulread.hands.formats import acpc
from soulread.hands.formats.acpc import LogWriter, log_line, read_log, read_log_file
from soulread.hands.formats.repeats import find_repeats
from soulread.hands.record import seen_by
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match, distinct_names
from soulread.play.opponents.baselines import Random

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
    assert bad.line == 2
    assert message in bad.detail
    assert ", line 2: " in str(bad)


def test_cards_of_another_deck():
    log = read_log(["STATE:2:rc/rf:Js|Qh/Ks:3|-3:a|b"], leduc())
    assert log.bad[0].detail == ("card 'Js' is not in the deck of a log of 'leduc': Qh, Qs, Kh, Ks, Ah, As")


def test_hidden_cards_of_a_log():
    log = read_log([LIMIT, LIMIT.replace("9h6s|", "|")], limit_holdem())
    assert log.hands[1].hole == (None, parse_cards("3d3h"))
    assert log.hands[1].payoffs == (-8, 8)


def test_a_pot_that_is_shared_to_the_fraction_of_a_chip():
    """As the reference dealer writes it; we share in whole chips. Anything further off does not add up."""
    game = parse_game("ring-limit:3")
    lines = [
        "STATE:0:ccc/ccc/ccc/ccc:4c3d|5s6d|7c7h/9s8s2h/Tc/Qs:-10|-10|20:Ann|Bob|Cid",
        "STATE:198:rfc/crc/rrc/cc:4cJd|2c7s|7c7h/9s8s2h/Tc/Js:-5|2.5|2.5:Ann|Bob|Cid",
    ]
    log = read_log(lines, game)
    assert not log.bad
    assert sum(log.hands[1].payoffs) == 0
    for chips in ("-5|2.5|3.5", "-5|-2.5|7.5", "-5|7.5|-2.5", "-5|0|5"):
        assert len(read_log([lines[0], lines[1].replace("-5|2.5|2.5", chips)], game).bad) == 1


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
    with pytest.raises(SoulreadError, match="this process alone, not by several"):
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
    logged = CliRunner().invoke(cli, [*arguments, "-o", str(path)])
    assert logged.exit_code == 0, logged.output
    assert logged.output == plain.output
    with path.open() as lines:
        log = read_log(lines, leduc())
    assert len(log.hands) == 80
    assert log.players == ("random", "always-call")
    assert path.read_text().startswith("# soulread duel leduc random always-call --hands 40 --seed 0\n")


# Files that are no logs, or hostile ones ----------------------------------------------------------

HANDS = [
    "STATE:0:rc/rf:Qs|Qh/Ks:3|-3:a|b",
    "STATE:1:rrc/rc:As|Qh/Kh:9|-9:b|a",
    "STATE:2:rf:Ks|Qh:1|-1:a|b",
    "STATE:3:cc/cc:Ks|Qh/As:1|-1:b|a",
]


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    "chips", ["1e999999999|-1", "1e9|-1e9", "1/0|0", "nan|nan", "inf|-inf", "9" * 99 + "|0", "³|-3"]
)
def test_chips_are_plain_numbers(chips):
    log = read_log([HANDS[0], HANDS[2].replace("1|-1", chips)], leduc())
    assert len(log.hands) == 1
    assert "expected numbers parted by '|'" in log.bad[0].detail
    assert len(log.bad[0].detail) <= 210


def test_no_chips_anywhere():
    log = read_log([re.sub(r"[-0-9]+\|[-0-9]+", "0|0", line) for line in HANDS], leduc())
    assert log.hands == ()
    assert [bad.line for bad in log.bad] == [1, 2, 3, 4]
    assert log.bad[0].detail == "chips '0|0', but the cards and the betting say '3|-3'"


def test_long_lines_are_cut_short(tmp_path: Path):
    path = write(
        tmp_path / "x.log",
        HANDS[0],
        "STATE:1:" + "c" * 3_000_000,
        HANDS[2].replace("rf", "c" * 9_000),
        HANDS[2],
    )
    log = read_log_file(path, leduc())
    assert [hand.id for hand in log.hands] == ["0", "2"]
    assert [bad.line for bad in log.bad] == [2, 3]
    assert "a line may have 10,000 characters" in log.bad[0].detail
    assert max(len(bad.detail) for bad in log.bad) <= 210


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "has no hands; expected lines such as STATE:number"),
        (b"# a title\n", "has no hands"),
        (
            b"PokerStars Hand #123: Limit\nSeat 1: Bob (200 in chips)\n" * 99,
            "is not an ACPC match log: its first line is 'PokerStars Hand #123: Limit', not STATE:number",
        ),
        (b'{"hands": []}', "is not an ACPC match log: its first line is '{\"hands\": []}'"),
        (bytes(50_000), "is not an ACPC match log: its first line is '\\x00"),
        (b"\x1f\x8b\x08\xff\xfe", "; it is not text"),
        (b"y\n" * 5000, "is not an ACPC match log: its first line is 'y'"),
        (
            b"STATE:0:rf:2s|2h:1|-1:a|b\n" * 2,
            "has no hand of 'leduc'; 2 lines were refused, the first one is line 1: card",
        ),
    ],
)
def test_files_that_are_no_logs(content: bytes, message: str, tmp_path: Path):
    path = tmp_path / "x.log"
    path.write_bytes(content)
    with pytest.raises(ParseError) as told:
        read_log_file(path, leduc())
    assert "x.log'" in str(told.value)
    assert message in str(told.value)
    assert len(str(told.value)) < 500
    result = CliRunner().invoke(cli, ["leaks", "leduc", "--data", str(path), "--player", "a"])
    assert (result.exit_code, result.output.count("\n")) == (2, 1)


def test_places_that_are_no_files(tmp_path: Path):
    with pytest.raises(SoulreadError, match="cannot be read: it is a folder"):
        read_log_file(tmp_path, leduc())
    with pytest.raises(SoulreadError, match="cannot be read: it is a device, not a file"):
        read_log_file("/dev/zero", leduc())
    with pytest.raises(SoulreadError, match=r"none.log' does not exist"):
        read_log_file(tmp_path / "none.log", leduc())
    with pytest.raises(SoulreadError, match="cannot be read: "):
        read_log_file("a\0b", leduc())
    with pytest.raises(SoulreadError, match="cannot be read: File name too long"):
        read_log_file("x" * 5000, leduc())


def test_a_pipe_is_read_until_it_ends(tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=write, args=(pipe, *HANDS))
    writer.start()
    assert len(read_log_file(pipe, leduc()).hands) == 4
    writer.join()


def test_another_format_is_not_read_to_its_end():
    def lines():
        yield from ["y\n"] * 1000
        raise AssertionError("read on and on")

    with pytest.raises(ParseError, match="this is not an ACPC match log: its first line is 'y'"):
        read_log(lines(), leduc())


def test_an_endless_file_ends(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(acpc, "MAX_CHARACTERS", 5000)
    path = write(tmp_path / "x.log", *HANDS * 50)
    with pytest.raises(SoulreadError, match=r"x.log' is longer than 5,000 characters; cut it into parts"):
        read_log_file(path, leduc())
    path = write(tmp_path / "x.log", HANDS[0], "c" * 100_000)
    with pytest.raises(SoulreadError, match=r"x.log' is longer than 5,000 characters"):
        read_log_file(path, leduc())


def test_a_mark_at_the_beginning_is_no_part_of_the_hand(tmp_path: Path):
    path = tmp_path / "x.log"
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(HANDS).encode())
    assert len(read_log_file(path, leduc()).hands) == 4


# Repeats ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "repeats"),
    [
        (HANDS, 0),
        ([line for line in HANDS for _ in range(3)], 8),  # every hand three times
        ([*HANDS, HANDS[3]], 1),  # the last line once more
        ([*HANDS, "# again", *HANDS, *HANDS], 8),  # the whole log three times
        ([*HANDS[:3], *HANDS], 3),  # a part, and then all
        ([*HANDS, *HANDS[1:]], 3),  # all, and then a part
        ([*HANDS[1:], *HANDS], 3),
        (
            [*HANDS, *(line.replace(":a|b", ":c|d").replace(":b|a", ":d|c") for line in HANDS)],
            0,
        ),  # other players
        ([*HANDS, *HANDS[:2], HANDS[2].replace("Ks|Qh", "Qs|Kh"), HANDS[3]], 0),  # another match
        ([*HANDS, HANDS[0]], 0),  # one hand of Leduc may come again in another match
        (
            [line.replace(f"STATE:{i}", "STATE:0") for i, line in enumerate(HANDS)] * 2,
            0,
        ),  # no numbers to go by
    ],
)
def test_a_hand_counts_once(lines: list[str], repeats: int):
    log = read_log(lines, leduc())
    assert (len(log.hands) + log.repeats, log.repeats) == (sum(line[0] == "S" for line in lines), repeats)
    assert not log.bad


def test_one_deal_of_holdem_is_enough_to_tell():
    other = LIMIT.replace("STATE:1:", "STATE:7:")
    assert read_log([LIMIT, other, LIMIT], limit_holdem()).repeats == 1


def test_joined_matches_of_a_small_game_keep_their_hands():
    """The same number, cards and betting come often in Kuhn; dropping them would bend the frequencies."""
    lines = []
    for seed in range(30):
        Match(kuhn(), (Random(), Random()), 20).play(
            seed=seed, record=lambda live: lines.append(log_line(len(lines) % 20, live.end, live.players))
        )
    assert len(set(lines)) < 500  # of 600
    assert read_log(lines, kuhn()).repeats == 0
    assert read_log([*lines, *lines], kuhn()).repeats == 600


def test_many_lines_of_one_number_take_no_time():
    """As many comparisons as there are pairs of lines would not end."""
    same = [(0, str(i % 1500)) for i in range(6_000)]
    assert find_repeats(same, deals=30) == set()
    down = [(6_000 - i, "x") for i in range(6_000)]
    assert find_repeats(down, deals=30) == set()
    up_and_down = [(i % 2, "x") for i in range(6_000)]
    assert len(find_repeats(up_and_down, deals=1000)) == 5_998


def test_repeats_are_told(tmp_path: Path):
    path = write(tmp_path / "x.log", *HANDS * 3)
    result = CliRunner().invoke(cli, ["leaks", "leduc", "--data", str(path), "--player", "a"])
    assert result.exit_code == 0, result.output
    assert result.stderr == f"soulread: {path}: 8 lines repeat a hand; each hand counts once\n"
