"""The IRC poker database: hands are rebuilt from three files, and what does not add up is told."""

import tarfile
from collections import Counter
from datetime import UTC, datetime

import pytest

from soulread.errors import ParseError, SoulreadError
from soulread.games.ring_limit import ring_limit
from soulread.hands.formats import irc
from soulread.hands.formats.base import Skipped
from soulread.hands.formats.irc import read_irc
from soulread.hands.hand import Hand, Sight
from soulread.hands.record import decisions, replay_hand

# Each hand: line of hdb, and the players by position: name, letters of the rounds, bankroll, bet, won, cards.
# Blinds are 5 and 10.
USUAL = (
    "100 1 7 3 2/25 2/45 2/165 2/205 Ah7d2c 9s 3h",
    ("ann Bf - - - 500 5 0", "bob Bk kc br kc 600 100 0 9d 9h", "cid c b rc b 700 100 205 Ad Ac"),
)
HEADS_UP = (
    "102 1 9 2 2/40 2/60 0/0 1/80 Kh7d2c 9s",
    ("ann Br b b - 500 50 80", "bob Bc c f - 600 30 0"),
)


def write(folder, *hands):
    """A month of the database in a folder; hands as above."""
    (folder / "pdb").mkdir(parents=True)
    table, roster = [], []
    players: dict[str, list[str]] = {}
    for line, seats in hands:
        time, *rest = line.split()
        columns, board = rest[:7], "".join(rest[7:])
        cards = " ".join(board[i : i + 2] for i in range(0, len(board), 2))
        table.append(f"{time}  {'  '.join(columns)}  {cards}")
        roster.append(f"{time} {len(seats)} {' '.join(sorted(seat.split()[0] for seat in seats))}")
        for position, seat in enumerate(seats, start=1):
            name, *fields = seat.split()
            players.setdefault(name, []).append(f"{name} {time} {len(seats)} {position} {' '.join(fields)}")
    (folder / "hdb").write_text("\n".join(table) + "\n")
    (folder / "hroster").write_text("\n".join(roster) + "\n")
    for name, lines in players.items():
        (folder / "pdb" / f"pdb.{name}").write_text("\n".join(lines) + "\n")
    return folder


def read(tmp_path, *hands):
    return list(read_irc(write(tmp_path / "limit" / "199901", *hands)))


def only(tmp_path, line, *seats):
    """What becomes of a hand; the usual one before it tells the stakes."""
    before, found = read(tmp_path, (USUAL[0].replace("100", "50", 1), USUAL[1]), (line, seats))
    assert isinstance(before, Hand), before
    return found


def reason(found):
    assert isinstance(found, Skipped), found
    return found.reason


def test_a_usual_hand(tmp_path):
    hand = only(tmp_path, USUAL[0], *USUAL[1])
    # cid calls, ann folds, bob checks; flop: check, bet, call; turn: bob bets, cid raises, bob raises, cid
    # calls; river: check, bet, call. In chips of 5: 10 = 2, bets of 2 and 4.
    assert hand.betting == "cfc/crc/rrrc/crc"
    assert hand.game == "ring-limit:3"
    assert hand.players == ("ann", "bob", "cid")
    assert hand.payoffs == (-1, -20, 21)
    assert hand.sights == (Sight.UNSEEN, Sight.SHOWN, Sight.SHOWN)
    assert hand.stakes.chip == "5"
    assert hand.time == datetime.fromtimestamp(100, UTC)
    assert hand.id == "100"
    assert hand.table == "limit 1"
    assert replay_hand(ring_limit(3), hand).payoffs() == hand.payoffs
    assert len(list(decisions(ring_limit(3), hand.actions, hand.board, hand.hole))) == len(hand.actions)


def test_the_small_blind_begins_when_two_play(tmp_path):
    hand = only(tmp_path, HEADS_UP[0], *HEADS_UP[1])
    assert hand.game == "irc-limit:2"
    assert hand.betting == "rc/rc/rf"
    assert [seat for seat, _ in hand.actions] == [0, 1] * 3
    assert [post.amount for post in hand.posts] == [1, 2]
    assert hand.payoffs == (6, -6)


def test_nobody_wants_the_big_blind(tmp_path):
    hand = only(
        tmp_path,
        "101 1 8 3 0/0 0/0 0/0 1/15",
        "bob Bf - - - 500 5 0",
        "cid B - - - 500 10 15",
        "ann f - - - 500 0 0",
    )
    assert hand.betting == "ff"
    assert hand.payoffs == (-1, 1, 0)
    assert not hand.showdown


def test_all_in_has_stacks_and_a_side_pot(tmp_path):
    # ann has 12: she calls the raise to 20 with her last 7. bob and cid go on for 20 more each.
    hand = only(
        tmp_path,
        "100 1 7 3 3/52 3/72 3/72 3/72 Ah7d2c 9s 3h",
        "ann BcA - - - 12 12 36 Ad Ac",
        "bob Bc kc k k 600 30 36 9d 9h",
        "cid r b k k 700 30 0 Kd Ks",
    )
    assert isinstance(hand, Hand), hand
    assert hand.stacks == (12, 600, 700)
    assert hand.payoffs == (24, 6, -30)
    assert hand.game == "irc-limit:3"


def test_blinds_of_another_kind(tmp_path):
    # Only ann posts, a full blind; bob, who posts nothing, begins.
    alone = only(
        tmp_path / "a",
        "100 1 7 3 0/0 0/0 0/0 1/30",
        "ann Bf - - - 500 10 0",
        "bob r - - - 500 20 30",
        "cid f - - - 500 0 0",
    )
    assert [(post.seat, post.amount) for post in alone.posts] == [(0, 10)]
    assert alone.actions[0] == (1, 2)
    # dan has just sat down and posts as well; he may check.
    late = only(
        tmp_path / "b",
        "100 1 7 4 2/25 0/0 0/0 1/35 Ah7d2c",
        "ann Bf - - - 500 5 0",
        "bob Bk b - - 500 20 35",
        "cid f - - - 500 0 0",
        "dan Bk f - - 500 10 0",
    )
    assert isinstance(late, Hand), late
    assert [(post.seat, post.amount) for post in late.posts] == [(0, 5), (1, 10), (3, 10)]
    assert late.betting == "fcfc/rf"


def test_whoever_quits_checks_until_there_is_a_bet(tmp_path):
    hand = only(
        tmp_path,
        "100 1 7 3 3/30 2/30 2/70 2/70 Ah7d2c 9s 3h",
        "ann Bc kQ - - 500 10 0",
        "bob Bk k b k 600 30 0 9d 8h",
        "cid c k c k 700 30 70 Ad Kc",
    )
    assert isinstance(hand, Hand), hand
    assert hand.betting == "ccc/ccc/crcf/cc"
    assert hand.sights[0] is Sight.UNSEEN
    folded = only(
        tmp_path / "b",
        "100 1 7 3 0/0 0/0 0/0 1/35",
        "ann BQ - - - 500 5 0",
        "bob BKQ - - - 600 10 0",
        "cid r - - - 700 20 35",
    )
    assert isinstance(folded, Hand), folded
    assert folded.betting == "rff"


def test_more_raises_than_four(tmp_path):
    hand = only(
        tmp_path,
        "100 1 7 2 2/120 2/120 2/120 2/120 Ah7d2c 9s 3h",
        "ann Brrr k k k 500 60 0 2d 4d",
        "bob Brrc k k k 600 60 120 Ad Kc",
    )
    assert isinstance(hand, Hand), hand
    assert hand.betting == "rrrrrc/cc/cc/cc"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("cid c b rc b", "cid c b r b"), "an action is missing"),
        (("bob Bk kc br kc", "bob Bk kc br kcc"), "actions are left over"),
        (("bob Bk kc", "bob Bk bc"), "not by the rules"),
        (("700 100 205", "700 100 200"), "chips are not conserved"),
        (("600 100 0 9d 9h", "600 95 0 9d 9h"), "chips are not conserved"),
        (("9d 9h", "Ad 9h"), "cards"),
        (("9d 9h", "9d 9x"), "cards"),
        (("9d 9h", "3d 3h 3s"), "a line cannot be read"),
        (("Bk kc", "Bk k?"), "a line cannot be read"),
        (("2/45", "2/40"), "the pot differs"),
        (("2/45", "3/45"), "the pot differs"),
        (("Ad Ac", "Ad As"), ""),
        (("700 100 205 Ad Ac", "700 100 205 Kd Qc"), "the pot goes elsewhere"),
        (("9s 3h", "9s"), "the board is too short"),
    ],
)
def test_what_does_not_add_up_is_told(tmp_path, change, expected):
    changed = [part.replace(*change) for part in (USUAL[0], *USUAL[1])]
    found = only(tmp_path, *changed)
    if not expected:
        assert isinstance(found, Hand)
        return
    assert reason(found) == expected
    assert "199901: hand 100: " in str(found)


def test_chips_that_are_somebody_elses(tmp_path):
    """Chips are conserved and the pot is right, but bob paid 5 less than he bet and ann 5 more."""
    seats = (seat.replace("500 5 0", "500 10 0").replace("600 100 0", "600 95 0") for seat in USUAL[1])
    assert reason(only(tmp_path, USUAL[0], *seats)) == "chips differ"


def test_lines_that_do_not_join(tmp_path):
    folder = write(tmp_path / "limit" / "199901", USUAL, HEADS_UP)
    path = folder / "pdb" / "pdb.bob"
    path.write_text("".join(line + "\n" for line in path.read_text().splitlines() if " 102 " in line))
    first, second = read_irc(folder)
    assert reason(first) == "the lines do not join"
    assert isinstance(second, Hand)
    path.write_text("nonsense\n" + path.read_text() + "bob 99999999999999 2\n\n" + "x" * 5000 + "\n")
    found = list(read_irc(folder))
    assert Counter(type(entry) for entry in found) == {Skipped: 6, Hand: 1}


def test_the_order_of_time_whatever_is_sorted_at_once(tmp_path, monkeypatch):
    folder = write(tmp_path / "limit" / "199901", HEADS_UP, USUAL)
    whole = list(read_irc(folder))
    assert [hand.id for hand in whole] == ["100", "102"]
    monkeypatch.setattr(irc, "PART", 2)
    assert list(read_irc(folder)) == whole


def test_folders_and_archives_are_the_same(tmp_path):
    write(tmp_path / "limit" / "199901", USUAL)
    write(tmp_path / "limit" / "199902", HEADS_UP)
    archive = tmp_path / "limit.tgz"
    with tarfile.open(archive, "w:gz") as file:
        file.add(tmp_path / "limit", "limit")
    from_folder, from_archive = (
        [hand for hand in read_irc(path) if isinstance(hand, Hand)] for path in (tmp_path / "limit", archive)
    )
    assert [hand.id for hand in from_folder] == ["100", "102"]
    assert [hand.actions for hand in from_folder] == [hand.actions for hand in from_archive]
    assert [hand.table for hand in from_folder] == [hand.table for hand in from_archive] == ["limit 1"] * 2
    assert from_folder == from_archive  # the source is the table, not the place of the file


def test_what_is_no_database(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ParseError, match="has no 'hdb'"):
        list(read_irc(tmp_path / "empty"))
    broken = tmp_path / "broken.tgz"
    broken.write_bytes(b"no archive")
    with pytest.raises(SoulreadError, match="cannot be read as an archive"):
        list(read_irc(broken))
    with pytest.raises(SoulreadError):
        list(read_irc(tmp_path / "nowhere"))
