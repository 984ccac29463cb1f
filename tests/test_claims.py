"""Claims of a profile: the printed command of each finds exactly the hands that were counted."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from test_profile import EVIL, crowd_of, records

from soulread.cards.deck import parse_cards
from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.games.limit_holdem import limit_holdem
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import PokerState, replay
from soulread.hands.claims import ClaimQuery, ClaimSource
from soulread.hands.conditions import parse_conditions
from soulread.hands.hand import Hand, Sight
from soulread.hands.played import PLAYED
from soulread.hands.record import seen_by
from soulread.hands.store import PlayKind, Query, Store
from soulread.reproduce.kit.simulated_pool import HABITS
from soulread.study.profile import profile
from soulread.study.profile.population import TESTED, Scope, standing
from soulread.study.profile.profile import ProfileStudy, claim_of, study_profile
from soulread.study.profile.profile_page import profile_page
from soulread.study.profile.ranges_by_line import LINES

BEGIN = datetime(2020, 1, 1, tzinfo=UTC)
BETTINGS = (  # three seats of no-limit hold'em with 100 big blinds; the dealer acts first
    "r6ff",
    "fcr6c/cr12c/cr30c/cr60c",
    "r6fr20c/r40c/r60c/r80c",
    "ccc/ccc/r40r100fc/cc",
    "r6r20fr60c/cc/r90c/cr120f",
    "r200cf///",
    "fr200c///",
    "r6cc/ccr12fc/cr40c/r90c",
)


def played(betting: str, cards: Sequence[int]) -> PokerState:
    """The end of a hand with stacks of 100 big blinds; cards beyond those that were dealt do not matter."""
    dealt = 6 + (0, 3, 4, 5)[betting.count("/")]
    return replay(nolimit_holdem(3, stacks=(200, 200, 200)), betting, cards[:dealt])


def hidden(hand: Hand, seats: list[int]) -> Hand:
    """A hand as somebody saw it who did not see the cards of some seats."""
    hole = tuple(None if seat in seats else cards for seat, cards in enumerate(hand.hole))
    sights = tuple(Sight.UNSEEN if seat in seats else sight for seat, sight in enumerate(hand.sights))
    return replace(hand, hole=hole, sights=sights)


def nolimit_hands(room: str, names: tuple[str, str, str], count: int, seed: int) -> list[Hand]:
    """Hands of three players in all seats; some cards are not seen."""
    rng = np.random.default_rng(seed)
    made: list[Hand] = []
    while len(made) < count:
        betting = BETTINGS[rng.integers(len(BETTINGS))]
        state = played(betting, rng.permutation(52).tolist())
        seated = [names[i] for i in rng.permutation(3)]
        seen = seen_by(state, None, seated, id=f"{room} {seed} {len(made)}")
        seen = hidden(seen, [seat for seat in range(3) if rng.random() < 0.3])
        made.append(replace(seen, room=room, time=BEGIN + timedelta(hours=len(made))))
    return made


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Ring limit of 24 players, and no-limit cash games and tournaments of some of them, in two rooms."""
    crowd, _ = crowd_of(24)
    crowd.habits[0, HABITS.index("limp")] = 6.0
    crowd.habits[0, HABITS.index("open")] = crowd.habits[0, HABITS.index("steal")] = -4.0
    names = [EVIL, *(f"player {number}" for number in range(1, 24))]
    hands, _ = records(crowd, 900, np.random.default_rng(2), names)
    hands = [replace(hand, room="Alpha") for hand in hands]
    three = (EVIL, "player 1", "it's me")
    cash = nolimit_hands("Alpha", three, 120, 1)
    for_prizes = [
        replace(hand, stakes=replace(hand.stakes, tournament=True))
        for hand in nolimit_hands("Alpha", three, 40, 2)
    ]
    other_room = nolimit_hands("Beta", three, 70, 3)
    where = tmp_path_factory.mktemp("claims") / "my hands.db"
    with Store.open(where) as store:
        store.add([*hands, *cash, *for_prizes, *other_room])
    return str(where)


def found(query: ClaimQuery) -> tuple[int, int | None]:
    """What the printed command of a claim finds: hands or occasions, and how many of these were taken."""
    begin, *asked = shlex.split(query.command)
    assert begin == "soulread"
    result = CliRunner().invoke(cli, [*asked, "--json", "-n", "1"])
    if "there are no such hands" in result.output:
        return 0, None
    assert result.exit_code == 0, result.output
    told = json.loads(result.output)
    return (told["n"], told["count"]) if query.statistic else (told["found"], None)


def verify(study: ProfileStudy) -> None:
    """Every command finds what its claim says, and is printed in the JSON and on the page."""
    for query in study.claims:
        assert found(query) == (query.n, query.taken), query.command


@pytest.fixture(scope="module")
def study(path: str) -> ProfileStudy:
    with Store.open(path, read_only=True) as store:
        return study_profile(store, EVIL, Query(room="Alpha"), least=50, modelled=False)


@pytest.mark.compiled
def test_every_claim_of_a_profile_finds_its_hands(study: ProfileStudy) -> None:
    assert study.kind.game == "limit"
    assert study.findings
    verify(study)
    by_words = {query.words: query for query in study.claims if query.statistic is None}
    assert by_words[()].n == study.hands
    for result in study.results:
        assert result.query is not None
        assert result.query.n == result.hands
    for finding in study.findings:
        where = finding.deviation.standing.scope
        assert finding.query.n == finding.deviation.standing.n
        assert finding.query.words == where.words
        assert len(finding.also) == len(finding.deviation.also)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("player", "query"),
    [
        (EVIL, Query(room="Alpha", kind=PlayKind("nolimit", "cash"))),
        (EVIL, Query(room="Beta")),
        ("it's me", Query(room="Alpha", format="tournament")),
        ("it's me", Query(room="alpha", game="nolimit", since=BEGIN + timedelta(hours=20, minutes=30))),
        ("player 1", Query(room="Beta", until=BEGIN + timedelta(days=3), stakes="2")),
    ],
)
def test_claims_are_about_the_same_hands_as_the_profile(path: str, player: str, query: Query) -> None:
    """Room, kind of game, stakes and time narrow the command as they narrow the profile."""
    with Store.open(path, read_only=True) as store:
        study = study_profile(store, player, query, modelled=False)
    verify(study)
    assert study.luck.all_ins > study.luck.known > 0
    lines = {line.title: line for line in study.ranges}
    assert lines["called a raise before the flop"].taken > lines["called a raise before the flop"].known > 0
    assert sum(line.taken > 0 for line in study.ranges) >= 8


@pytest.mark.compiled
def test_claims_about_cards_say_which_hands_were_read(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile, "MOST_RECORDS", 60)
    with Store.open(path, read_only=True) as store:
        study = study_profile(
            store, EVIL, Query(room="Alpha", kind=PlayKind("nolimit", "cash")), modelled=False
        )
    verify(study)
    assert study.luck_queries[0].words[-1].startswith("number>=")
    assert study.results[0].hands == 120
    assert sum(line.taken for line in study.ranges if line.title.startswith("raised first in")) < 60


@pytest.mark.compiled
def test_commands_are_printed(path: str, study: ProfileStudy) -> None:
    asked = [EVIL, "--db", path, "--regulars", "50", "--room", "Alpha"]
    told = CliRunner().invoke(cli, ["profile", *asked]).output
    page = str(profile_page(study))
    for query in [finding.query for finding in study.findings] + [remark.query for remark in study.remarks]:
        assert f"hands: {query.command}" in told.replace("\n", " ") or query.command in told
    record: dict[str, Any] = json.loads(CliRunner().invoke(cli, ["profile", *asked, "--json"]).output)
    written = json.dumps(record)
    for query in study.claims:
        assert json.dumps(query.command)[1:-1] in written
        assert query.command.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") in page.replace(
            "&#x27;", "'"
        ).replace("&quot;", '"').replace("&#39;", "'")
    assert record["query"]["n"] == record["hands"]
    assert [one["query"]["n"] for one in record["statistics"]] == [one["n"] for one in record["statistics"]]
    assert record["deviations"][0]["query"]["taken"] == round(
        record["deviations"][0]["n"] * record["deviations"][0]["value"]
    )
    assert all(one["query"]["n"] == one["taken"] for one in record["ranges"])
    assert all(one["seen_query"]["n"] == one["known"] for one in record["ranges"])


def test_a_claim_names_the_player_the_store_and_the_hands() -> None:
    query = Query(kind=PlayKind("nolimit", "cash"), room="Poker Stars", since=BEGIN)
    source = ClaimSource("it's me", query, "my hands.db")
    chances = np.zeros(len(Scope(3, 6).strata))
    chances[0] = 51.0
    claim = claim_of(source, standing(Scope(3, 6), chances, 7.0, None))
    assert (claim.n, claim.taken, claim.statistic) == (51, 7, TESTED[3].name)
    assert shlex.split(claim.command) == [
        *("soulread", "hands", "position:BTN", "--player", "it's me", "--stat", "3-bet"),
        *("--room", "Poker Stars", "--game", "nolimit", "--format", "cash"),
        *("--since", BEGIN.isoformat(), "--db", "my hands.db"),
    ]
    narrow = replace(source, query=replace(query, game="ring-limit"), store=None)
    assert "--game ring-limit" in narrow.hands(3).command
    assert "--db" not in narrow.hands(3).command


# Words --------------------------------------------------------------------------------------------


CARDS = "AhAd KhQh 9c8c 2h7hTc4s9d"


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[Hand]]:
    """One hand of each betting, all cards seen; the fourth once more with the cards of seat 1 hidden."""
    names = ["Sal", "Bea", "Bo"]
    cards = parse_cards(CARDS)
    hands = [seen_by(played(betting, cards), None, names, id=str(n)) for n, betting in enumerate(BETTINGS)]
    hands.append(replace(hidden(hands[6], [1]), id="8"))
    heads_up = seen_by(replay(limit_holdem(), "rc/cc/cc/rf", CARDS.replace(" 9c8c", "")), None, ["Sal", "Bo"])
    where = tmp_path_factory.mktemp("words") / "few.db"
    with Store.open(where) as store:
        store.add([*hands, heads_up])
    return str(where), [*hands, heads_up]


@pytest.mark.parametrize(
    ("player", "word", "expected"),
    [
        ("Bo", "did:raised-first-in", {1, 3, 5, 6, 8, 10}),
        ("Bea", "did:limped", set()),
        ("Bo", "did:limped", {4}),
        ("Sal", "did:limped", {2, 4}),
        ("Bea", "did:3-bet", {3}),
        ("Sal", "did:3-bet", {5}),
        ("Sal", "did:called-raise", {2, 6, 8, 10}),
        ("Bo", "did:4-bet-or-more", {5}),
        ("Bea", "did:bet-every-street", {2, 3}),
        ("Sal", "did:called-every-street", {2}),
        ("Bea", "did:check-raised", set()),
        ("Sal", "not-did:limped", {1, 3, 5, 6, 7, 8, 9, 10}),
        ("Bea", "all-in-before-river", {6, 7, 9}),
        ("Bea", "all-in-before-river all-seen", {6, 7}),
        ("Bea", "seen", {2, 3, 4, 7, 8}),
        ("Sal", "not-all-seen", {1, 5, 9, 10}),
        ("Sal", "number>=9", {9, 10}),
        ("Sal", "number<3", {1, 2}),
        ("Sal", "heads-up-limit", {10}),
        ("Sal", "not-heads-up-limit", set(range(1, 10))),
    ],
)
def test_words_of_lines_and_cards(few: Any, player: str, word: str, expected: set[int]) -> None:
    path, _ = few
    with Store.open(path, read_only=True) as store:
        searched = parse_conditions([word], player).search(store)
        assert {number for number, _ in searched.hands} == expected
        assert searched.count == len(expected)


def test_words_that_are_refused() -> None:
    with pytest.raises(SoulreadError, match="'raised' is nothing that is looked for"):
        parse_conditions(["did:raised"], "Bob")
    with pytest.raises(SoulreadError, match="'seen' is about one player"):
        parse_conditions(["seen"])
    with pytest.raises(SoulreadError, match="is not a number"):
        parse_conditions(["number>=x"], "Bob")
    assert {words[0] for _, words in LINES} == {f"did:{name}" for name in PLAYED}
