"""Hands in JSON: all that is written is read back, and a line that does not add up is skipped by name."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from mutants import irc_files, is_sound
from test_formats_reading import DEFINITION
from test_formats_rooms import CASH, TOURNAMENT, TWICE
from test_new_games import five_card_kuhn, three_suit_leduc

from soulread.cards.deck import cards_name, parse_cards
from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.kuhn import kuhn
from soulread.games.named import parse_game
from soulread.games.poker import BetActions, PokerGame
from soulread.hands.formats.gamedef import parse_definition
from soulread.hands.formats.reading import Skipped, read_hands, write_hand, write_hands
from soulread.hands.formats.records import read_record, verify_record
from soulread.hands.hand import ForcedBet, Hand, Post, Sight, Stakes, hand_from_json
from soulread.hands.record import seen_by, seen_by_dealer
from soulread.hands.referee import Unfit, game_of_posts, with_open_folds
from soulread.play.match.matches import Match
from soulread.play.opponents.baselines import Random


def read_lines(tmp_path: Path, *lines: str) -> list[Hand | Skipped]:
    path = tmp_path / "hands.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", errors="surrogatepass")
    return list(read_hands(path))


def hands_of(tmp_path: Path, text: str | bytes) -> list[Hand]:
    path = tmp_path / "history"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    found = list(read_hands(path))
    assert all(isinstance(entry, Hand) for entry in found), found
    return [entry for entry in found if isinstance(entry, Hand)]


# What is written is read back.

GAMES = [
    "kuhn",
    "leduc",
    "leduc:iso",
    "limit",
    "ring-limit:6",
    "nolimit",
    "nolimit:players=3,stacks=200/150/37,blinds=1/2,ante=1",
    "nolimit:players=4,stacks=5/9/1/2,blinds=2/4,ante=1",
    "nolimit:players=5,stacks=30,blinds=1/1",
    "nolimit:players=3,stacks=30,blinds=0/3",
]
OWN = [five_card_kuhn(), three_suit_leduc(), parse_definition(DEFINITION, "three"), *map(parse_game, GAMES)]


@pytest.mark.parametrize("game", OWN, ids=lambda game: game.name)
def test_hands_of_matches_come_back(tmp_path: Path, game: PokerGame) -> None:
    ends: list[Hand] = []

    def keep(live: Any) -> None:
        for see in (seen_by_dealer, lambda *given, **more: seen_by(given[0], 1, *given[1:], **more)):
            ends.append(see(live.end, players=live.players, id=str(len(ends)), source="a match"))

    agents = tuple(Random() for _ in range(game.num_players))
    Match(game, agents, 40).play(seed=3, record=keep)
    with open(tmp_path / "x.jsonl", "w", encoding="utf-8") as file:
        write_hands(ends, file, "json")
    assert list(read_hands(tmp_path / "x.jsonl")) == ends


def test_logs_without_cards_come_back(tmp_path: Path) -> None:
    log = "STATE:0:rrc/crc:|Qh/Ks:9|-9:a|b\nSTATE:1:cc/rf:|/Ks:1|-1:a|b\nSTATE:2:cc/cc:As|/Ks:-1|1:a|b\n"
    log = f"# name/game/hands/seed m leduc.limit.2p.game 2 1\n{log}"
    hands = hands_of(tmp_path, log)
    assert len(hands) == 3
    assert read_lines(tmp_path, *[hand.to_json() for hand in hands]) == hands


def test_hands_of_rooms_and_of_the_irc_database_come_back(tmp_path: Path) -> None:
    straddled = CASH.replace("*** HOLE", "Ada: straddle $2\n*** HOLE")
    for old, new in (
        ("Ada: folds\nBo: raises $2 to $3", "Bo: raises $3 to $5"),
        ("Dee: calls $2\n***", "Dee: calls $4\nAda: folds\n***"),
        ("$33 from", "$39 from"),
        ("$34.50 |", "$40.50 |"),
    ):
        straddled = straddled.replace(old, new)
    foreign = CASH.replace("Ada", "\u202eАда | #'\"{}").replace("Elm Street", "Elm\\ \x07 Street")
    texts = CASH, TOURNAMENT, TWICE, straddled, foreign
    hands = [hand for text in texts for hand in hands_of(tmp_path, text)]
    assert len(hands) == 5
    for name, content in irc_files(6).items():
        path = tmp_path / "t" / "199901" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    hands += [entry for entry in read_hands(tmp_path / "t") if isinstance(entry, Hand)]
    assert len(hands) == 11
    assert read_lines(tmp_path, *[hand.to_json() for hand in hands]) == hands


def table_hand(rng: np.random.Generator) -> Hand:
    """A hand as real tables know it: dead blinds, straddles, antes of some or no blinds, short ones, rake."""
    count = int(rng.integers(2, 8))
    big = int(rng.choice([2, 10, 200]))
    stacks = tuple(int(stack) for stack in rng.integers(1, 60 * big, count))
    limit = bool(rng.integers(2))
    order = (1, 0) if count == 2 else (0, 1)
    left = list(stacks)
    posts: list[Post] = []

    def post(seat: int, kind: ForcedBet, amount: int) -> None:
        paid = min(amount, left[seat])
        if paid:
            posts.append(Post(seat, kind, paid))
            left[seat] -= paid

    ante = int(rng.choice([0, 0, 1, big]))
    everybody = bool(rng.integers(2))
    for seat in range(count):
        if ante and (everybody or seat == order[1]):
            post(seat, ForcedBet.ANTE, ante)
    if rng.random() < 0.9:
        post(order[0], ForcedBet.SMALL_BLIND, big // 2)
    if not ante or rng.random() < 0.9:  # a bomb pot has antes only
        post(order[1], ForcedBet.BIG_BLIND, big)
    for seat in range(2, count):
        if rng.random() < 0.15:
            post(seat, ForcedBet.BIG_BLIND, big)
            post(seat, ForcedBet.DEAD_BLIND, big // 2)
    if count > 2 and rng.random() < 0.2:
        post(2, ForcedBet.STRADDLE, 2 * big)
    small_bet, capped, in_full = big if limit else None, bool(rng.integers(2)), bool(rng.integers(2))
    game = game_of_posts(posts, stacks, big, small_bet, capped=capped, called_in_full=in_full)
    if rng.random() < 0.2:
        game = with_open_folds(game)
    deck = [int(card) for card in rng.permutation(52)]
    state = game.start()
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.apply(deck.pop())
            continue
        legal = state.legal_actions()
        choice = int(rng.integers(3))
        if choice == 2 and isinstance(legal, BetActions) and legal.raises:
            totals = legal.raises
            state = state.apply(int(rng.choice([totals[0], totals[-1], rng.choice(totals)])))
        else:
            state = state.apply(choice if choice in legal else 1)
    payoffs = list(state.payoffs())
    winner = int(np.argmax(payoffs))
    rake = min(payoffs[winner] // 10, int(rng.integers(0, 3))) if payoffs[winner] > 0 else 0
    payoffs[winner] -= rake
    hole, sights = zip(*[seen(rng, state, seat) for seat in range(count)], strict=True)
    antes = [post.amount for post in posts if post.kind is ForcedBet.ANTE]
    return Hand(
        game=game.name,
        variant=game.variant,
        stakes=Stakes(big, big, max(antes, default=0), "USD", "0.01"),
        players=tuple(f"player {seat}" for seat in range(count)),
        stacks=stacks,
        posts=tuple(posts),
        actions=state.actions,
        betting=state.betting,
        boards=(state.board,),
        hole=hole,
        sights=sights,
        showdown=state.showdown,
        payoffs=tuple(payoffs),
        rake=rake,
        id=str(rng.integers(10**9)),
        time=datetime(2009, 7, 1, tzinfo=UTC) + timedelta(seconds=int(rng.integers(10**8))),
        source="PokerStars",
    )


def seen(rng: np.random.Generator, state: Any, seat: int) -> tuple[tuple[int, ...] | None, Sight]:
    """The cards of a seat and how they were seen."""
    cards = state.hole(seat)
    if state.showdown and not state.folded[seat]:
        mucked = rng.random() < 0.3
        return (None, Sight.MUCKED) if mucked and state.payoffs()[seat] < 0 else (cards, Sight.SHOWN)
    return (cards, Sight.DEALT) if rng.random() < 0.2 else (None, Sight.UNSEEN)


def test_hands_of_any_table_come_back(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    hands = [table_hand(rng) for _ in range(300)]
    found = read_lines(tmp_path, *[hand.to_json() for hand in hands])
    assert [str(entry) for entry in found if isinstance(entry, Skipped)] == []
    assert found == hands
    kinds = {post.kind for hand in hands for post in hand.posts}
    assert kinds == set(ForcedBet)
    assert sum(hand.showdown for hand in hands) > 50


# What does not add up.


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Hand:
    """A hand with a showdown, a rake and a time."""
    (hand,) = hands_of(tmp_path_factory.mktemp("x"), CASH)
    return hand


def at(*way: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    """Replaces a part of a record."""

    def change(record: dict[str, Any]) -> None:
        holder: Any = record
        for key in way[:-1]:
            holder = holder[key]
        holder[way[-1]] = value(holder[way[-1]]) if callable(value) else value

    return change


LONG = "n" * 2_000_000
BAD: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    # types
    "text for a number": (at("payoffs", 0, value="5"), "payoffs is '5'; expected a whole number"),
    "a number for a text": (at("id", value=5), "id is 5; expected a text"),
    "a list for a name": (at("players", 0, value=["x"]), "a name is ['x']; expected a text"),
    "none for players": (at("players", value=None), "players is None; expected a list"),
    "true for a number": (at("rake", value=True), "rake is True; expected a whole number"),
    "a number for a truth": (at("showdown", value=1), "showdown is 1; expected true or false"),
    "a fraction": (at("stacks", 0, value=1.5), "stacks is 1.5; expected a whole number"),
    "nan": (at("stacks", 0, value=float("nan")), "stacks is nan; expected a whole number"),
    "infinity": (at("rake", value=float("inf")), "rake is inf; expected a whole number"),
    "huge": (at("payoffs", 0, value=10**4000), "payoffs is a number of many digits"),
    "a list of stakes": (at("stakes", value=[1]), "stakes is [1]; expected ante, big_blind"),
    "a text for posts": (at("posts", value="ante"), "posts is 'ante'; expected a list"),
    "a post of four": (at("posts", 0, value=[0, "ante", 1, 1]), "not a whole hand: ValueError"),
    "an action of one": (at("actions", 0, value=[0]), "not a whole hand: ValueError"),
    "an action of texts": (at("actions", 0, value=["0", "1"]), "the seat of an action is '0'"),
    "a number for a card": (at("hole", 0, value=5), "a board or hole cards is 5; expected a text"),
    "no card": (at("boards", 0, value="zz"), "'zz' is not a card"),
    "a format of truth": (at("format", value=True), "a hand of format True"),
    "a format of text": (at("format", value="1"), "a hand of format '1'"),
    # keys
    "a missing key": (lambda record: record.pop("betting"), "not a whole hand: KeyError 'betting'"),
    "a missing id": (lambda record: record.pop("id"), "not a whole hand: KeyError 'id'"),
    "a missing stake": (lambda record: record["stakes"].pop("chip"), "expected ante, big_blind, chip"),
    "an extra key": (
        at("colour", value=None) if False else lambda r: r.update(colour=1),
        "no field 'colour'",
    ),
    "an extra stake": (lambda record: record["stakes"].update(x=1), "expected ante, big_blind, chip"),
    # sizes
    "a negative stack": (at("stacks", 0, value=-100), "stacks is -100; expected a number from 1"),
    "big blind 0": (at("stakes", "big_blind", value=0), "big_blind is 0; expected a number from 1"),
    "small bet 0": (at("stakes", "small_bet", value=0), "small_bet is 0"),
    "big blind 2**40": (at("stakes", "big_blind", value=2**40), "big_blind is 1099511627776"),
    "another small bet": (at("stakes", "small_bet", value=7), "the stakes do not fit: a small bet of $0.07"),
    "a negative ante": (at("stakes", "ante", value=-1), "ante is -1"),
    "a post of 0": (at("posts", 0, 2, value=0), "a post is 0; expected a number from 1"),
    "a chip of nothing": (at("stakes", "chip", value="0.00"), "chip is '0.00'; expected a price"),
    "a chip of text": (at("stakes", "chip", value="1e9"), "chip is '1e9'; expected a price"),
    "300 players": (at("players", value=[f"p{i}" for i in range(300)]), "a hand of 300 players"),
    "one player": (at("players", value=["p"]), "a hand of 1 players"),
    "no name": (at("players", 0, value=""), "names: "),
    "a name twice": (at("players", 0, value="Bo"), "two seats of one name"),
    "a name of megabytes": (at("players", 0, value=LONG), "a line is too long: more than 200,000 characters"),
    "a long name": (at("players", 0, value=LONG[:5000]), "a name has 5,000 characters; at most 1,000"),
    "a long id": (at("id", value=LONG[:5000]), "id has 5,000 characters; at most 1,000"),
    "half a character": (at("players", 0, value="\ud800"), "which is no text"),
    "3,000 actions": (at("actions", value=[[0, 1]] * 3000), "actions has 3,000 entries; at most 2,000"),
    "five boards": (at("boards", value=["2c3c4c5c6c"] * 5), "a hand with 5 boards"),
    "no board": (at("boards", value=[]), "a hand with 0 boards"),
    # times
    "the year 1": (at("time", value="0001-01-01T00:00:00+00:00"), "expected one from 1900 to 2999"),
    "the year 9999": (at("time", value="9999-12-31T23:59:59+00:00"), "expected one from 1900 to 2999"),
    "the year 10000": (at("time", value="10000-01-01T00:00:00+00:00"), "not a whole hand: ValueError"),
    "month 13": (at("time", value="2009-13-01T00:00:00+00:00"), "not a whole hand: ValueError"),
    "no zone": (at("time", value="2009-07-01T00:00:00"), "time is '2009-07-01T00:00:00', without a zone"),
    "a number for a time": (at("time", value=1234567890), "time is 1234567890; expected a text"),
    # cards
    "seven board cards": (at("boards", 0, value="2c3c4c5c6c7c8c"), "cards: '2c3c4c5c6c7c8c'; at most 5"),
    "a card twice": (at("hole", 0, value=lambda old: "2c2c"), "'2c' comes twice"),
    "three hole cards": (at("hole", 0, value="2c3c4c"), "cards: '2c3c4c'; at most 2"),
    "a shorter board": (at("boards", 0, value=lambda old: old[:-2]), "the board does not fit"),
    "boards of two lengths": (at("boards", value=lambda old: [*old, "2c3c4c"]), "boards of different length"),
    "unseen cards": (at("sights", value=lambda old: ["unseen"] * len(old)), "the cards were not seen so"),
    "cards of nobody": (at("sights", value=lambda old: ["shown"] * len(old)), "the cards were not seen so"),
    "mucked after a fold": (
        at("sights", value=lambda old: ["mucked"] * len(old)),
        "mucked without a showdown",
    ),
    "another sight": (at("sights", 0, value="guessed"), "'guessed' is not a valid Sight"),
    # the play
    "another action": (at("actions", 0, 1, value=1), "an action out of turn"),
    "another seat": (at("actions", 0, 0, value=lambda seat: (seat + 1) % 4), "an action out of turn"),
    "a seat of no table": (at("actions", 0, 0, value=9), "the seat of an action is 9"),
    "a huge raise": (at("actions", 1, 1, value=10**14), "an action is not legal"),
    "no actions": (at("actions", value=[]), "the hand is not over"),
    "other betting": (at("betting", value=lambda old: old.replace("c", "f", 1)), "the betting differs"),
    "no showdown": (at("showdown", value=lambda old: not old), "the showdown differs"),
    "another variant": (at("variant", value="52 cards, 2+0-3-1-1, limit 100-100-200-200, best_hand"), ""),
    "another game": (at("game", value="leduc"), "the game does not fit: 'leduc' of 4"),
    "a game of three": (at("game", value="nolimit:players=3"), "the game does not fit"),
    "a limit game": (at("game", value="ring-limit:4"), "the game does not fit"),
    "no variant": (at("variant", value="poker"), "the variant cannot be read: 'poker'"),
    "a game of others": (at("variant", value="52 cards, 2+0-3-1-1, no-limit, worst_hand"), "another game"),
    "no stacks": (at("stacks", value=None), "stacks: none in a game without limits"),
    "fewer stacks": (at("stacks", value=lambda old: old[1:]), "each seat needs one"),
    "a short stack": (at("stacks", value=lambda old: [1] * len(old)), "posts: seat"),
    "more posts": (at("posts", value=lambda old: old * 2), ""),
    "a post of an ante": (at("posts", 0, 1, value="ante"), "posts: an ante of"),
    "a small blind under another name": (at("posts", 0, 1, value="big blind"), "posts: a big blind of"),
    "other payoffs": (
        at("payoffs", value=lambda old: [old[1], old[0], *old[2:]]),
        "",
    ),
    "a rake that does not add up": (at("rake", value=lambda old: old + 1), "does not add up"),
    "an observer of no seat": (at("observer", value=9), "was seen from seat 9"),
}


@pytest.mark.parametrize("name", BAD)
def test_one_bad_hand_among_good_ones(tmp_path: Path, whole: Hand, name: str) -> None:
    change, reason = BAD[name]
    record = copy.deepcopy(json.loads(whole.to_json()))
    change(record)
    good = [replace(whole, id=str(number)) for number in (1, 2)]
    first, bad, last = read_lines(tmp_path, good[0].to_json(), json.dumps(record), good[1].to_json())
    assert [first, last] == good
    assert isinstance(bad, Skipped)
    said = str(bad)
    assert reason in said
    assert bad.line == 2
    assert said.startswith(f"{tmp_path}/hands.jsonl, line 2: ")
    assert "\n" not in said
    assert len(said) < 600


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("nonsense", "'nonsense' is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("3", "3 is not a hand"),
        ("[1, 2]", "[1, 2] is not a hand"),
        ("null", "None is not a hand"),
        ("{}", "a hand of format None"),
        ('{"format": 1}', "not a whole hand: KeyError 'players'"),
        ('{"format": 1, "format": 1}', "a key comes twice"),
        ('{"format": ' + "9" * 5000 + "}", "is not JSON"),
    ],
)
def test_lines_that_are_no_hands(tmp_path: Path, whole: Hand, line: str, reason: str) -> None:
    first, bad = read_lines(tmp_path, line, whole.to_json())[::-1]
    assert first == whole
    assert reason in str(bad)


def test_a_hand_of_the_command_line_is_verified_too(whole: Hand) -> None:
    assert read_record(whole.to_json()) == whole
    bad = json.loads(whole.to_json())
    bad["betting"] = "c"
    with pytest.raises(SoulreadError, match="hand '7001': the betting differs"):
        read_record(json.dumps(bad))
    result = CliRunner().invoke(cli, ["read", json.dumps(bad)])
    assert result.exit_code == 2
    assert "the betting differs" in result.stderr


def test_other_zones_are_the_same_time(tmp_path: Path, whole: Hand) -> None:
    moved = replace(whole, time=whole.time.astimezone(timezone(timedelta(hours=-4))))  # type: ignore[union-attr]
    assert read_lines(tmp_path, moved.to_json()) == [whole]


@pytest.mark.parametrize("form", ["phhs", "pokerstars"])
def test_years_that_nobody_plays_in_are_no_time(tmp_path: Path, whole: Hand, form: str) -> None:
    text = write_hand(whole, form).replace("year = 2021", "year = 1").replace("2021/", "0001/")
    (found,) = hands_of(tmp_path, text)
    assert found == replace(whole, time=None)


def test_names_that_are_too_long_come_in_from_no_file(tmp_path: Path, whole: Hand) -> None:
    """So that whatever is stored can be written and read again."""
    for form in ("phhs", "pokerstars"):
        path = tmp_path / form
        path.write_text(write_hand(replace(whole, players=("x" * 1001, *whole.players[1:])), form))
        (skip,) = read_hands(path)
        assert "a name or another text has more than 1,000 characters" in str(skip)
    edge = replace(whole, players=("\x01" * 1000, *whole.players[1:]))
    assert read_lines(tmp_path, edge.to_json()) == [edge]


def test_a_seat_that_folded_collects_nothing(whole: Hand) -> None:
    """Also where it is one chip, as much as odd chips may differ."""
    folded = next(seat for seat, action in whole.actions if action == 0)
    winner = int(np.argmax(whole.payoffs))
    payoffs = list(whole.payoffs)
    payoffs[folded] += 1
    payoffs[winner] -= 1
    with pytest.raises(Unfit, match="the pot goes elsewhere"):
        verify_record(replace(whole, payoffs=tuple(payoffs)))


def test_kuhn_is_played_by_its_own_rules() -> None:
    state = kuhn().start().deal(parse_cards("Ks Js"))
    for action in (2, 1):
        state = state.apply(action)
    hand = seen_by_dealer(state, ("a", "b"))
    verify_record(hand)
    for change, reason in (
        ({"hole": (parse_cards("Js"), parse_cards("Ks"))}, "chips are not conserved"),
        ({"hole": (parse_cards("2c"), parse_cards("Js"))}, "cards"),
        ({"payoffs": (1, -1)}, "chips are not conserved"),
        ({"posts": hand.posts[:1]}, "the game does not fit"),
        ({"game": "mine", "posts": hand.posts[:1]}, "posts"),
        ({"boards": (parse_cards("Qs"),)}, "cards"),
        ({"actions": ((1, 2), (0, 1))}, "an action out of turn"),
        ({"variant": hand.variant.replace("by 1", "by 2")}, "the game does not fit"),
        ({"stakes": replace(hand.stakes, ante=2)}, "the game does not fit"),
    ):
        with pytest.raises(Unfit, match=reason):
            verify_record(replace(hand, **change))


def test_the_replay_of_the_mutants_is_no_rubber_stamp(whole: Hand) -> None:
    """`is_sound` confirms good hands, and refuses ones that readers must refuse."""
    assert is_sound(whole)
    rng = np.random.default_rng(2)
    assert all(is_sound(table_hand(rng)) for _ in range(40))
    payoffs = (whole.payoffs[1], whole.payoffs[0], *whole.payoffs[2:])
    for change in (
        {"payoffs": payoffs},
        {"betting": "c"},
        {"showdown": not whole.showdown},
        {"actions": whole.actions[1:]},
        {"boards": ((),)},
    ):
        assert not is_sound(replace(whole, **change))


def test_an_import_of_bad_hands_leaves_a_store_that_works(tmp_path: Path, whole: Hand) -> None:
    """All bad hands between two good ones, as one command; then the commands that failed."""
    lines = [replace(whole, id="1").to_json()]
    for change, _ in BAD.values():
        record = copy.deepcopy(json.loads(whole.to_json()))
        change(record)
        lines.append(json.dumps(record))
    lines.append(replace(whole, id="2").to_json())
    path, db = tmp_path / "hands.jsonl", str(tmp_path / "hands.db")
    path.write_text("\n".join(lines))
    result = CliRunner().invoke(cli, ["import", str(path), "--db", db])
    assert result.exit_code == 0, result.output
    assert "2 new hands" in result.output
    for command in (["players"], ["stats"], ["hands"], ["stats", "Bo"]):
        result = CliRunner().invoke(cli, [*command, "--db", db])
        assert result.exit_code == 0, result.output
    back = tmp_path / "back.jsonl"
    assert CliRunner().invoke(cli, ["hands", "--db", db, "-o", str(back)]).exit_code == 0
    assert sorted(entry.id for entry in read_hands(back)) == ["1", "2"]
    assert [hand_from_json(line) for line in back.read_text().splitlines()]
    assert cards_name(whole.board) in back.read_text()
