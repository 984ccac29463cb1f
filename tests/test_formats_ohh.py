"""Open Hand History: every action on a small hand of our own, damage, and the way there and back."""

import json
from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from table_hands import table_hand
from test_formats_ipoker import CASH as IPOKER
from test_formats_winamax import CASH as WINAMAX

from soulread.cards.deck import parse_cards
from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.games.base import TERMINAL
from soulread.games.kuhn import kuhn
from soulread.hands.formats.base import Skipped
from soulread.hands.formats.phh import cut_phh, write_phh
from soulread.hands.formats.reading import read_hands, read_pieces, write_hand, write_hands
from soulread.hands.formats.seated.ohh import cut_ohh, looks_like_ohh, write_ohh
from soulread.hands.hand import ForcedBet, Hand, Post, Sight
from soulread.hands.record import seen_by_dealer

Entries = dict[str, Any]


def action(player: int | None, word: str, amount: float | None = None, *cards: str) -> Entries:
    entry: Entries = {"player_id": player, "action": word, "is_allin": False}
    if amount is not None:
        entry["amount"] = amount
    return entry | ({"cards": list(cards)} if cards else {})


def part(street: str, cards: str, *actions: Entries) -> Entries:
    dealt = cards.split()
    return {
        "street": street,
        "cards": dealt,
        "actions": [{"action_number": n, **a} for n, a in enumerate(actions)],
    }


def hand_entries() -> Entries:
    """Eve raises, Cat re-raises before the flop; Cat bets twice, and Eve calls with the better hand."""
    rounds = [
        part(
            "Preflop",
            "",
            action(11, "Post SB", 0.5),
            action(12, "Post BB", 1),
            action(14, "Dealt Cards", 0, "Ah", "Kd"),
            action(13, "Fold"),
            action(14, "Raise", 3),
            action(11, "Fold"),
            action(12, "Raise", 9),
            action(14, "Call", 7),
        ),
        part("Flop", "As 7c 2d", action(12, "Bet", 12.5), action(14, "Call", 12.5)),
        part("Turn", "9h", action(12, "Check"), action(14, "Check")),
        part("River", "9s", action(12, "Bet", 20), action(14, "Call", 20)),
        part(
            "Showdown",
            "",
            action(12, "Shows Cards", None, "Qs", "Qd"),
            action(14, "Shows Cards", None, "Ah", "Kd"),
        ),
    ]
    return {
        "spec_version": "1.4.7",
        "site_name": "Pine Room",
        "network_name": "Pine",
        "internal_version": "3.1",
        "tournament": False,
        "game_number": "88001",
        "start_date_utc": "2023-03-04T05:06:07Z",
        "table_name": "Oak 5",
        "game_type": "Holdem",
        "bet_limit": {"bet_type": "NL", "bet_cap": 0},
        "table_size": 6,
        "currency": "USD",
        "dealer_seat": 1,
        "small_blind_amount": 0.5,
        "big_blind_amount": 1,
        "ante_amount": 0,
        "hero_player_id": 14,
        "flags": ["Fast"],
        "players": [
            {"id": 14, "seat": 1, "name": "Eve", "starting_stack": 100.25},
            {"id": 11, "seat": 2, "name": "Bob", "starting_stack": 80},
            {"id": 12, "seat": 4, "name": "Cat", "starting_stack": 120.1},
            {"id": 13, "seat": 5, "name": "Dan", "starting_stack": 40},
            {"id": 15, "seat": 6, "name": "Fay", "starting_stack": 40, "is_sitting_out": True},
        ],
        "rounds": [{"id": number, **entry} for number, entry in enumerate(rounds)],
        "pots": [
            {
                "number": 0,
                "amount": 85.5,
                "rake": 2.75,
                "jackpot": 0.25,
                "player_wins": [{"player_id": 14, "win_amount": 82.5}],
            }
        ],
    }


def text_of(entries: Entries, indent: int | None = 2) -> str:
    return json.dumps({"ohh": entries}, indent=indent) + "\n"


def read(text: str) -> list[Hand | Skipped]:
    return list(read_pieces(cut_ohh([text.split("\n")], "file.ohh")))


def hand_of(entries: Entries) -> Hand:
    (found,) = read(text_of(entries))
    assert isinstance(found, Hand), found
    return found


def skipped_of(text: str) -> Skipped:
    (found,) = read(text)
    assert isinstance(found, Skipped), found
    return found


def changed(change: Callable[[Entries], object]) -> Entries:
    entries = hand_entries()
    change(entries)
    return entries


def test_a_hand() -> None:
    hand = hand_of(hand_entries())
    assert hand.players == ("Bob", "Cat", "Dan", "Eve")
    assert hand.stacks == (8000, 12010, 4000, 10025)
    assert hand.posts == (Post(0, ForcedBet.SMALL_BLIND, 50), Post(1, ForcedBet.BIG_BLIND, 100))
    assert hand.betting == "fr300fr1000c/r2250c/cc/r4250c"  # amounts of raises are what was added
    assert hand.boards == (parse_cards("As7c2d9h9s"),)
    assert hand.hole == (None, parse_cards("QsQd"), None, parse_cards("AhKd"))
    assert hand.sights == (Sight.UNSEEN, Sight.SHOWN, Sight.UNSEEN, Sight.SHOWN)
    assert (hand.payoffs, hand.rake) == ((-50, -4250, 0, 4000), 300)  # the jackpot is a fee
    assert (hand.id, hand.table, hand.observer) == ("88001", "Oak 5", 3)
    assert hand.source == hand.room == "Pine Room"
    assert hand.time == datetime(2023, 3, 4, 5, 6, 7, tzinfo=UTC)
    assert (hand.stakes.currency, hand.stakes.chip, hand.stakes.big_blind) == ("USD", "0.01", 100)


def test_an_older_version() -> None:
    """1.2.2: no "tournament", cards that are an empty text, numbers in quotes, times without a zone."""
    entries = hand_entries()
    del entries["tournament"], entries["flags"]
    entries |= {"spec_version": "1.2.2", "table_size": "6", "start_date_utc": "2023-03-04T05:06:07"}
    entries["rounds"][0]["cards"] = ""
    entries["rounds"][4]["actions"].append(action(14, "Payout", 14))
    entries["pots"][0]["player_wins"][0] |= {"win_amount": "82.50", "contributed_rake": 3}
    assert hand_of(entries) == hand_of(hand_entries())


def test_no_hero_is_an_observer() -> None:
    hand = hand_of(changed(lambda e: e.update(hero_player_id=None)))
    assert hand.observer is None
    assert hand.hole[3] == parse_cards("AhKd")
    assert hand_of(changed(lambda e: e.update(hero_player_id=15))).observer is None  # sits out


def test_tournaments_and_play_money_have_no_currency() -> None:
    for change in ({"tournament": True}, {"currency": "XPM"}, {"currency": "PPC"}):
        hand = hand_of(hand_entries() | change)
        assert (hand.stakes.currency, hand.stakes.chip) == ("", "0.01")
    entries = hand_entries()
    del entries["tournament"]
    entries["tournament_info"] = {"tournament_number": "5"}
    assert hand_of(entries).stakes.currency == ""
    assert hand_of(entries).stakes.tournament


def posts(*given: Entries) -> Entries:
    """A hand in which everybody folds to Cat, after these posts besides the blinds."""
    entries = hand_entries()
    blinds = [action(11, "Post SB", 0.5), action(12, "Post BB", 1)]
    put = {14: 0.0, 11: 0.5, 12: 1.0, 13: 0.0}
    for entry in given:
        if entry["player_id"] is not None:
            put[entry["player_id"]] += entry["amount"]
    folds = [action(player, "Fold") for player in (13, 14, 11)]
    entries["rounds"] = [{"id": 0, **part("Preflop", "", *blinds, *given, *folds)}]
    entries["pots"] = [{"number": 0, "player_wins": [{"player_id": 12, "win_amount": 0}]}]
    return entries


def win(entries: Entries, amount: float) -> Entries:
    entries["pots"][0]["player_wins"][0]["win_amount"] = amount
    return entries


@pytest.mark.parametrize(
    ("given", "amount", "expected"),
    [
        ([action(14, "Post Extra Blind", 1)], 2.5, [Post(3, ForcedBet.BIG_BLIND, 100)]),
        (
            [action(14, "Post Extra Blind", 1.5)],
            3,
            [Post(3, ForcedBet.BIG_BLIND, 100), Post(3, ForcedBet.DEAD_BLIND, 50)],
        ),
        ([action(14, "Post Dead", 0.5)], 1.5, [Post(3, ForcedBet.DEAD_BLIND, 50)]),
        ([action(13, "Straddle", 2)], 2.5, [Post(2, ForcedBet.STRADDLE, 200)]),
        ([action(12, "Post Ante", 1)], 2, [Post(1, ForcedBet.ANTE, 100)]),
        ([action(14, "Add to Pot", 0.2)], 1.2, [Post(3, ForcedBet.DEAD_BLIND, 20)]),
        ([action(None, "Add to Pot", 2)], 3, []),
        (
            [action(13, "Sits Down", 40), action(13, "Added Chips", 9), action(13, "Player Adjustment", 1)],
            1,
            [],
        ),
    ],
)
def test_posts(given: list[Entries], amount: float, expected: list[Post]) -> None:
    entries = win(posts(*[entry for entry in given if entry["action"] != "Straddle"]), amount)
    if given[0]["action"] == "Straddle":  # then the seat after it acts first, and Cat calls nothing
        entries = win(posts(given[0]), amount)
        words = [action(14, "Fold"), action(11, "Fold"), action(12, "Fold")]
        entries["rounds"][0]["actions"][3:] = words
        entries["pots"][0]["player_wins"] = [{"player_id": 13, "win_amount": amount}]
    hand = hand_of(entries)
    assert list(hand.posts[2:]) == expected
    house = 200 if given[0]["player_id"] is None else 0
    assert hand.rake == -house
    assert sum(chips for chips in hand.payoffs if chips > 0) <= 100 * amount


def test_an_all_in_before_the_flop_is_run_twice_or_thrice() -> None:
    entries = hand_entries()
    start = entries["rounds"][0]["actions"][:6]
    entries["players"][0]["starting_stack"] = entries["players"][2]["starting_stack"] = 10
    start += [action(12, "Raise", 9), action(14, "Call", 7)]
    first = [("Flop", "As 7c 2d"), ("Turn", "9h"), ("River", "9s")]
    second = [("Flop", "3s 4s 5s"), ("Turn", "8h"), ("River", "8s")]
    third = [("Flop", "3d 4d 5d"), ("Turn", "Th"), ("River", "Ts")]
    show = (
        "Showdown",
        "",
        action(12, "Shows Cards", None, "Qs", "Qd"),
        action(14, "Shows Cards", None, "Ah", "Kd"),
    )
    entries["flags"] = ["Run_It_Twice"]
    entries["pots"][0] |= {"amount": 20.5, "rake": 0, "jackpot": 0}

    def run(*streets: tuple[Any, ...], wins: dict[int, float]) -> Hand:
        rounds = [part("Preflop", "", *start), *(part(*street) for street in streets), part(*show)]
        entries["rounds"] = [{"id": number, **entry} for number, entry in enumerate(rounds)]
        entries["pots"][0]["player_wins"] = [
            {"player_id": player, "win_amount": amount} for player, amount in wins.items()
        ]
        return hand_of(entries)

    halves = {14: 10.25, 12: 10.25}
    twice = run(*first, *second, wins=halves)
    assert twice.boards == (parse_cards("As7c2d9h9s"), parse_cards("3s4s5s8h8s"))
    assert run(*[street for pair in zip(first, second, strict=True) for street in pair], wins=halves) == twice
    assert read(write_ohh(twice)) == [twice]
    thrice = run(*first, *second, *third, wins={14: 6.84, 12: 13.66})
    assert len(thrice.boards) == 3
    assert read(write_ohh(thrice)) == [thrice]
    later = run(*first, second[1], second[2], wins={14: 20.5})  # the flop is shared
    assert later.boards == (parse_cards("As7c2d9h9s"), parse_cards("As7c2d8h8s"))
    assert read(write_ohh(later)) == [later]
    shuffled = deepcopy(entries)
    shuffled["rounds"].reverse()  # the id of a round says when it was
    assert hand_of(shuffled) == later


def test_a_cash_out_does_not_change_the_pot() -> None:
    extra = {"cashout_amount": 60.5, "cashout_fee": 0.6, "bonus_amount": 5}
    entries = changed(lambda e: e["pots"][0]["player_wins"][0].update(extra))
    assert hand_of(entries) == hand_of(hand_entries())


def test_a_bomb_pot_is_named() -> None:
    def change(entries: Entries) -> None:
        antes = [action(player, "Post Ante", 5) for player in (11, 12, 13, 14)]
        entries["rounds"][0] = {"id": 0, **part("Preflop", "", *antes)}

    found = skipped_of(text_of(changed(change)))
    assert (found.reason, found.other_game) == ("a bomb pot", True)


def test_a_lone_fold_that_comes_too_late_counts_in_its_turn() -> None:
    def change(entries: Entries) -> None:
        actions = entries["rounds"][0]["actions"]
        actions.append(actions.pop(3))

    assert hand_of(changed(change)) == hand_of(hand_entries())


def test_other_ways_to_write_the_same_hand() -> None:
    def change(entries: Entries) -> None:
        entries["game_type"] = "Hold'em"
        entries["ante_amount"] = -0.0

    assert hand_of(changed(change)) == hand_of(hand_entries())


def test_side_pots_are_added_up() -> None:
    pots = [
        {"number": 0, "amount": 60, "rake": 3, "player_wins": [{"player_id": 14, "win_amount": 57}]},
        {"number": 1, "amount": 25.5, "rake": None, "player_wins": [{"player_id": 14, "win_amount": 25.5}]},
    ]
    hand = hand_of(changed(lambda e: e.update(pots=pots)))
    assert (hand.payoffs, hand.rake) == ((-50, -4250, 0, 4000), 300)


def test_a_dead_small_blind_and_no_pot() -> None:
    entries = hand_entries()
    words = [action(12, "Post BB", 1), *(action(player, "Fold") for player in (13, 14, 11))]
    entries["rounds"] = [{"id": 0, **part("Preflop", "", *words)}]
    entries["pots"] = [
        {"number": 0, "amount": 0, "rake": 0, "player_wins": [{"player_id": 12, "win_amount": 0}]}
    ]
    assert hand_of(entries).payoffs == (0, 0, 0, 0)


def test_limit() -> None:
    for blinds in ((0.5, 1), (1, 2)):  # the blinds, or the bets
        entries = win(posts(), 1)
        entries["bet_limit"] = {"bet_type": "FL"}
        entries["small_blind_amount"], entries["big_blind_amount"] = blinds
        hand = hand_of(entries)
        assert (hand.stakes.small_bet, hand.stakes.big_blind, hand.game) == (100, 100, "ring-limit:4")


def test_numbers_that_went_through_binary_fractions() -> None:
    entries = changed(lambda e: e["players"][0].update(starting_stack=100.24999999999999))
    assert hand_of(entries) == hand_of(hand_entries())
    entries = changed(lambda e: e["players"][0].update(starting_stack="1.0025E+2"))
    assert hand_of(entries) == hand_of(hand_entries())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda e: e.update(game_type="OmahaHiLo"), "Omaha"),
        (lambda e: e.update(game_type="StudHiLo"), "seven card stud"),
        (lambda e: e.update(game_type="Draw"), "draw poker"),
        (lambda e: e.update(game_type="Badugi"), "another game"),
        (lambda e: e["bet_limit"].update(bet_type="PL"), "pot-limit hold'em"),
        (lambda e: e["bet_limit"].update(bet_cap=30), "hold'em with a cap"),
        (lambda e: e["bet_limit"].update(bet_type="??"), "an entry cannot be read"),
        (lambda e: e.pop("game_type"), "an entry is missing"),
        (lambda e: e.pop("players"), "an entry is missing"),
        (lambda e: e.update(rounds=7), "an entry is missing"),
        (lambda e: e.update(rounds=[7]), "an entry cannot be read"),
        (lambda e: e.update(dealer_seat=None), "the button is missing"),
        (lambda e: e["players"][0].update(seat="x"), "an entry cannot be read"),
        (lambda e: e["players"][0].update(name="Bob"), "names"),
        (lambda e: e["players"][0].update(name="x\ud800"), "an entry cannot be read"),
        (lambda e: e["players"][0].update(name="x" * 5000), "an entry cannot be read"),
        (lambda e: e["players"][0].update(starting_stack=-5), "an amount cannot be read"),
        (lambda e: e["players"][0].update(starting_stack=True), "an amount cannot be read"),
        (lambda e: e["players"][0].update(starting_stack="1e30"), "an amount cannot be read"),
        (lambda e: e["players"][0].update(starting_stack=float("nan")), "this is not JSON"),
        (lambda e: e["rounds"][1].update(street="Fourth"), "the rounds do not fit"),
        (lambda e: e["rounds"][1]["actions"].append(action(99, "Check")), "an entry cannot be read"),
        (lambda e: e["rounds"][1]["actions"].append(action(12, "Dances")), "an action cannot be read"),
        (lambda e: e["rounds"][1]["actions"].append(action(12, "Check")), "an action out of turn"),
        (lambda e: e["rounds"][1]["actions"][1].update(amount=12), "an amount differs"),
        (lambda e: e["rounds"][1].update(cards=["As", "As", "2d"]), "cards"),
        (lambda e: e["rounds"][1].update(cards=[1, 2, 3]), "cards"),
        (lambda e: e["pots"][0].update(amount=86), "the pot differs"),
        (lambda e: e["pots"][0].update(rake=1), "chips are not conserved"),
        (lambda e: e["pots"][0].update(player_wins=[]), "the hand is cut short"),
        (lambda e: e["pots"][0]["player_wins"][0].update(player_id=12), "the pot goes elsewhere"),
        (lambda e: e["rounds"][1]["actions"].extend([action(12, "Check")] * 3000), "a hand is too long"),
    ],
)
def test_reasons(change: Callable[[Entries], object], reason: str) -> None:
    found = skipped_of(text_of(changed(change)))
    assert found.reason == reason, found
    assert found.other_game == (reason.endswith(("Omaha", "stud", "poker", "game", "hold'em", "cap")))


def test_damage_is_one_reason_each() -> None:
    good = text_of(hand_entries())
    for bad in (
        '{"ohh": ' + "[" * 100_000,
        '{"ohh": {"a": ' + "9" * 5000 + "}}",
        '{"ohh": 5}',
        '{"ohh": {"a": }',
    ):
        first, second, third = read(f"{good}\n{bad}\n\n{good}")
        assert first == third == hand_of(hand_entries())
        assert isinstance(second, Skipped)
        assert second.line == good.count("\n") + 2
        assert second.reason in ("this is not JSON", "an entry cannot be read", "a hand is too long")
    cut = read(good + "\n" + good[: len(good) // 2])
    assert [type(entry) for entry in cut] == [Hand, Skipped]
    behead = read(good[20:] + good)
    assert [type(entry) for entry in behead] == [Skipped, Hand]
    behind = read(good + "x" + good)
    assert [type(entry) for entry in behind] == [Hand, Skipped, Hand]


def test_arrays_and_single_lines_are_read_too() -> None:
    one = text_of(hand_entries(), indent=None).strip()
    hand = hand_of(hand_entries())
    assert read(f"[{one},\n{one}]") == [hand, hand]
    assert read(one + one) == [hand, hand]
    assert read("\ufeff" + one) == [hand]


def test_a_hand_that_comes_in_pieces() -> None:
    """Blocks of lines may end anywhere."""
    lines = (text_of(hand_entries()) + "\n" + text_of(hand_entries())).split("\n")
    expected = read("\n".join(lines))
    for size in (1, 7, 50):
        blocks = [lines[start : start + size] for start in range(0, len(lines), size)]
        assert list(read_pieces(cut_ohh(blocks, "file.ohh"))) == expected


@pytest.mark.parametrize("name", ["ohh", "ipoker", "winamax"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "cp1252"])
def test_files_of_any_encoding_are_found_by_their_content(tmp_path: Path, name: str, encoding: str) -> None:
    text = {"ohh": text_of(hand_entries()), "ipoker": IPOKER, "winamax": WINAMAX}[name].replace("Bo", "Zoé")
    plain, other = tmp_path / "plain.txt", tmp_path / "other.txt"
    plain.write_text(text, encoding="utf-8")
    other.write_bytes(text.replace("\n", "\r\n").encode(encoding))
    (hand,) = read_hands(plain)
    assert isinstance(hand, Hand)
    assert list(read_hands(other)) == [hand]


def test_detection() -> None:
    assert looks_like_ohh(text_of(hand_entries()))
    assert looks_like_ohh('\n[{ "ohh" : {')
    assert not looks_like_ohh('{"format": 1, "players": ["{\\"ohh\\": x"]}')


# Writing.


@pytest.mark.parametrize("start", range(0, 600, 100))
def test_there_and_back(start: int) -> None:
    """Hands of all kinds: written and read they are equal, and written again they are the same text."""
    for seed in range(start, start + 100):
        hand = table_hand(seed)
        text = write_ohh(hand)
        (back,) = read(text)
        assert back == hand, seed
        assert isinstance(back, Hand)
        assert write_ohh(back) == text


def test_the_generated_hands_are_of_all_kinds() -> None:
    hands = [table_hand(seed) for seed in range(600)]
    kinds = {post.kind for hand in hands for post in hand.posts}
    assert kinds == set(ForcedBet)
    assert {len(hand.boards) for hand in hands} == {1, 2, 3}
    assert {hand.showdown for hand in hands} == {True, False}
    assert {hand.observer is None for hand in hands} == {True, False}
    assert {sight for hand in hands for sight in hand.sights} == set(Sight)
    assert {hand.rake > 0 for hand in hands} == {hand.rake < 0 for hand in hands} == {True, False}
    assert {"no-limit" in hand.variant for hand in hands} == {True, False}
    assert {hand.num_players for hand in hands} == set(range(2, 10))


def test_what_is_written_follows_the_specification() -> None:
    for seed in range(150):
        hand = table_hand(seed)
        entries = json.loads(write_ohh(hand))["ohh"]
        assert entries["spec_version"] == "1.4.7"
        assert ("Run_It_Twice" in entries["flags"]) == (len(hand.boards) > 1)
        assert [entry["id"] for entry in entries["rounds"]] == list(range(len(entries["rounds"])))
        words = {
            (entry["street"], move["action"]) for entry in entries["rounds"] for move in entry["actions"]
        }
        assert ("Preflop", "Bet") not in words
        put = sum(move.get("amount", 0) for entry in entries["rounds"] for move in entry["actions"])
        pot = entries["pots"][0]
        assert put >= pot["amount"] - 1e-9  # what nobody called is not in the pot
        won = sum(entry["win_amount"] for entry in pot["player_wins"])
        assert won + pot["rake"] == pytest.approx(pot["amount"])


def test_other_formats_know_the_same_hand() -> None:
    for seed in range(60):
        hand = table_hand(seed)
        (through,) = read_pieces(cut_phh([write_phh(hand).split("\n")], "x"))
        assert isinstance(through, Hand)
        assert read(write_ohh(through)) == [through]


def test_a_raise_is_written_as_the_chips_added() -> None:
    entries = json.loads(write_ohh(hand_of(hand_entries())))["ohh"]
    raises = [move["amount"] for move in entries["rounds"][0]["actions"] if move["action"] == "Raise"]
    assert raises == [3, 9]
    assert entries["pots"] == [
        {"number": 0, "amount": 85.5, "rake": 3, "player_wins": [{"player_id": 3, "win_amount": 82.5}]}
    ]
    assert not [name for name in entries if name.startswith("_")]


def test_another_game_is_not_written() -> None:
    state = kuhn().start()
    while state.player != TERMINAL:
        state = state.apply(state.legal_actions()[-1] if state.player >= 0 else state.chance_outcomes()[0][0])
    with pytest.raises(SoulreadError, match="not hold'em"):
        write_ohh(seen_by_dealer(state))


def test_a_file_is_exported_and_imported_again(tmp_path: Path) -> None:
    hands = [table_hand(seed) for seed in range(40)]
    source, db, out = tmp_path / "hands.jsonl", tmp_path / "hands.db", tmp_path / "out.ohh"
    with source.open("w", encoding="utf-8") as file:
        write_hands(hands, file, "json")
    runner = CliRunner()
    assert runner.invoke(cli, ["import", str(source), "--db", str(db)]).exit_code == 0
    for _ in range(2):  # a file of its own kind is replaced
        done = runner.invoke(cli, ["hands", "--db", str(db), "-o", str(out)])
        assert done.exit_code == 0, done.output
    found = list(read_hands(out))
    assert {hand.id for hand in found} == {hand.id for hand in hands}
    assert {hand.id: hand for hand in found} == {hand.id: hand for hand in hands}
    assert "\n}\n\n{" in out.read_text(encoding="utf-8")  # objects are parted by a blank line
    assert write_hand(hands[0], "ohh").endswith("}\n\n")
