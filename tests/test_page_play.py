"""Tables of the page by their routes: played to the end, resumed, apart; nothing hidden is told."""

import json
import re
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from random import Random
from types import SimpleNamespace
from typing import Any

import httpx2 as httpx
import pytest
from page_tools import client, listening
from starlette.testclient import TestClient

from soulread.cards.deck import card_name, cards_name, parse_card, pretty_cards
from soulread.games.named import parse_game
from soulread.games.poker import PokerGame
from soulread.hands.hand import Hand
from soulread.serve.sitting import hands_of_session, read_session
from soulread.serve.web.pages.play import game_of
from soulread.serve.web.rooms.again import earlier_hands, origin_of, terms_of
from soulread.serve.web.rooms.notes import KeptNotes, error_of
from soulread.serve.web.rooms.review import line_of
from soulread.serve.web.rooms.seen import sights_of_hand

pytestmark = pytest.mark.compiled

PIECE = {"X-Soulread": "piece"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("page")


@pytest.fixture(scope="module")
def asked(folder):
    with client(folder) as made:
        yield made


@pytest.fixture(scope="module")
def leduc(asked):
    """A table that several tests share; each goes on with whatever hand there is."""
    return sit(asked, "leduc", "always-raise", name="<script>alert(1)</script>")


def sit(asked: httpx.Client, game: str, *agents: str, **more: str) -> str:
    """Sit down; the path of the table."""
    form = {"exact": game, **{f"agent{seat}": text for seat, text in enumerate(agents, start=2)}, **more}
    answer = asked.post("/play", data=form, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    path = answer.headers["location"]
    assert re.fullmatch("/play/[0-9a-f]{12}", path)
    return path


def table(asked: httpx.Client, path: str) -> str:
    """The table, as soon as it is made and it is the person's turn, or the hand is over."""
    for _ in range(600):
        text = asked.get(path, headers=PIECE).text
        if "do-call" in text or "do-next" in text:
            return text
        time.sleep(0.05)
    raise AssertionError(text)


def at(text: str) -> str:
    found = re.search(r'data-at="([^"]+)"', text)
    assert found
    return found[1]


def first(pattern: str, text: str) -> str:
    """What a pattern finds first."""
    found = re.search(pattern, text, re.DOTALL)
    assert found, (pattern, text)
    return found[1] if found.groups() else found[0]


def state(asked: TestClient) -> Any:
    """What the application holds."""
    app: Any = asked.app
    return app.state


def act(asked: httpx.Client, path: str, text: str, word: str, amount: str = "") -> str:
    form = {"at": at(text), "word": word, "amount": amount}
    answer = asked.post(f"{path}/act", data=form, headers=PIECE)
    assert answer.status_code == 200, answer.text
    return answer.text if "do-" in answer.text and at(answer.text) != at(text) else later(asked, path, text)


def deal(asked: httpx.Client, path: str, text: str) -> str:
    answer = asked.post(f"{path}/next", data={"at": at(text)}, headers=PIECE)
    assert answer.status_code == 200
    return answer.text if "do-" in answer.text and at(answer.text) != at(text) else later(asked, path, text)


def later(asked: httpx.Client, path: str, text: str) -> str:
    """The table when it is no longer as it was; agents may think for longer than an answer waits."""
    for _ in range(600):
        if at(found := table(asked, path)) != at(text):
            return found
        time.sleep(0.05)
    raise AssertionError(text)


def verdict(asked: TestClient, path: str, text: str) -> str:
    """What the hand that is over was worth."""
    found = asked.get(f"{path}/verdict?at={at(text)}", headers=PIECE).text
    assert 'id="verdict"' in found
    return found


def finish(asked: TestClient, path: str, text: str, words: str = "call") -> str:
    """Play a hand to its end."""
    for number in range(40):
        if "do-next" in text:
            return text
        word = words.split()[number % len(words.split())]
        if word == "raise" and "do-raise" not in text:
            word = "call"
        amount = re.search(r'name="amount"[^>]*value="([0-9]+)"|value="([0-9]+)"[^>]*name="amount"', text)
        text = act(asked, path, text, word, (amount[1] or amount[2]) if amount and word == "raise" else "")
    raise AssertionError("no end")


@pytest.mark.parametrize(
    ("game", "agents"),
    [
        ("limit", ["always-call"]),
        ("nolimit:players=3,stacks=40", ["plain", "random"]),
    ],
)
def test_hands_are_played_to_the_end(asked, game, agents) -> None:
    """The search for hidden cards, below, plays other games to the end."""
    path = sit(asked, game, *agents)
    text = table(asked, path)
    for words in ("call", "raise call", "call raise"):
        text = finish(asked, path, text, words)
        assert re.search(r'<p class="result[^"]*">[^<]+</p>', text)
        text = deal(asked, path, text)
    assert ">hand 4<" in text
    assert "in 3 hands" in text


def test_a_bet_of_no_limit_has_any_size(asked) -> None:
    path = sit(asked, "nolimit:stacks=50", "always-call")
    text = table(asked, path)
    low, high = first(r'id="slider" min="([0-9]+)"', text), first(r'id="slider".*max="([0-9]+)"', text)
    refused = asked.post(f"{path}/act", data={"at": at(text), "word": "raise", "amount": "1"}, headers=PIECE)
    assert refused.status_code == 400
    assert f"{low} to {high}" in refused.text
    text = act(asked, path, text, "raise", "7")
    assert "you raise to 7" in text
    assert "calls" in text
    text = act(asked, path, text, "raise", str(50 - 7))
    assert "do-next" in text
    assert "all-in" in text


def fresh(asked: TestClient, path: str) -> str:
    """A hand that has just been dealt, or in which the other has acted."""
    return deal(asked, path, finish(asked, path, table(asked, path)))


def test_an_action_counts_once(asked, leduc) -> None:
    """Sent twice, or from a window that shows an older moment, it changes nothing."""
    path = leduc
    text = fresh(asked, path)
    after = act(asked, path, text, "call")
    assert at(after) != at(text)
    again = asked.post(f"{path}/act", data={"at": at(text), "word": "raise"}, headers=PIECE)
    assert at(again.text) == at(after)
    late = asked.post(f"{path}/next", data={"at": at(text)}, headers=PIECE)
    assert at(late.text) == at(after)


@pytest.mark.parametrize(
    "form",
    [
        {"word": "fold"},  # nothing to call
        {"word": "dance"},
        {"word": ""},
        {"word": "raise", "amount": "-1"},
        {"word": "raise", "amount": "1e9"},
        {"word": "raise", "amount": "9" * 30},
        {"word": "call", "at": "x" * 5000},
    ],
)
def test_odd_actions_are_refused(asked, leduc, form) -> None:
    path = leduc
    text = fresh(asked, path)
    if form["word"] == "fold":
        while "do-fold" in text:
            text = fresh(asked, path)
    answer = asked.post(f"{path}/act", data={"at": at(text), **form}, headers=PIECE)
    assert answer.status_code in (200, 400)
    assert at(table(asked, path)) == at(text)
    assert (answer.status_code == 200) == ("at" in form)


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"game": "leduc"}, "choose an opponent"),
        ({"exact": "leduc"}, "choose an opponent"),
        ({"exact": "chess", "agent2": "random"}, "is not a game"),
        ({"exact": "leduc", "agent2": "nobody"}, "is not an agent of the catalogue"),
        ({"exact": "leduc", "agent2": "os:system"}, "is not an agent of the catalogue"),
        ({"exact": "leduc", "agent2": "random", "agent3": "random"}, "2 agents for"),
        ({"exact": "nolimit", "agent2": "rwywe"}, "cannot sit at"),
        ({"exact": "ring-limit:9", "agent2": "random"}, "seats up to 6"),
        ({"exact": "leduc", "agent2": "random", "name": "random"}, "no two may have the same name"),
        ({"exact": "leduc", "agent2": "random", "name": "a|b"}, "cannot stand in a log"),
        ({"exact": "leduc", "agent2": "x" * 500}, "at most 200 characters"),
        ({"game": "nolimit", "seats": "99", "agent2": "plain"}, "2 to 6"),
        ({"game": "nolimit", "stack": "lots", "agent2": "plain"}, "a number of chips"),
        ({"exact": "leduc", "agent2": "soul:risk=oops"}, "risk"),
    ],
)
def test_tables_that_cannot_be_are_refused_in_a_sentence(asked, form, message) -> None:
    answer = asked.post("/play", data=form)
    assert answer.status_code == 400
    assert message in answer.text.replace("&#39;", "'")


def test_the_form_names_games_as_soulread_does(asked) -> None:
    for form, game in (
        ({"game": "limit", "seats": "3"}, "ring-limit:3"),
        ({"game": "limit", "seats": "2"}, "limit"),
        ({"game": "nolimit", "seats": "2", "stack": "60"}, "nolimit:players=2,stacks=60"),
        ({"game": "nolimit", "seats": "4", "stack": " "}, "nolimit:players=4,stacks=200"),
        ({"game": "kuhn", "seats": "2"}, "kuhn"),
    ):
        assert game_of(form) == game
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    for content, headers in (
        (b"\xff\xfe", {"Content-Type": "text/plain"}),
        (b"\xff=\xfe", kind),
        (b"&".join([b"a=1"] * 999), kind),
    ):
        assert asked.post("/play", content=content, headers=headers).status_code == 400


def test_a_name_that_is_html_is_text(asked, leduc) -> None:
    text = asked.get(leduc).text + table(asked, leduc) + asked.get("/play").text
    assert "<script>alert" not in text
    other = asked.post("/play", data={"exact": "leduc", "agent2": "<script>alert(1)</script>"})
    assert other.status_code == 400
    assert "<script>alert" not in other.text


@contextmanager
def stranger(asked: TestClient) -> Iterator[TestClient]:
    """The same client with the cookie of another session."""
    own = dict(asked.cookies)
    asked.cookies.clear()
    asked.get("/")
    yield asked
    asked.cookies.clear()
    asked.cookies.update(own)


def test_tables_are_of_one_session(asked, leduc) -> None:
    path = leduc
    table(asked, path)
    with stranger(asked) as other:
        id = path.rpartition("/")[2]
        for found in (path, f"{path}/read", f"{path}/events", f"{path}/verdict", f"/review/{id}/1"):
            assert other.get(found).status_code == 404
        assert other.post(f"{path}/act", data={"at": "1.0", "word": "call"}).status_code == 404
        assert other.post(f"/review/{id}/1/again", data={"step": "0"}).status_code == 404
        assert id not in other.get("/play").text
        assert id not in other.get("/review").text
    for odd in ("/play/" + "0" * 12, "/play/" + "z" * 12, "/play/%2e%2e%2fx", "/review/x/1"):
        assert asked.get(odd).status_code == 404


def test_the_read_beside_the_table(asked) -> None:
    path = sit(asked, "leduc", "soul:k=2")
    text = table(asked, path)
    begun = asked.get(f"{path}/read", headers=PIECE).text
    assert "as soul:k=2 reads you" in begun
    assert "there is no read yet" in begun
    assert '<section id="read"' in begun
    grid = r'<svg[^>]*class="grid.*?</svg>'
    grids, faced = [first(grid, begun)], False
    while len(grids) <= 12 or not faced:  # cards are drawn anew each time; somebody bets before long
        if "do-next" in text:
            text = deal(asked, path, text)
        faced |= "do-fold" in text
        text = act(asked, path, text, "call")
        grids.append(first(grid, asked.get(f"{path}/read", headers=PIECE).text))
    assert len(set(grids)) > 3
    text = finish(asked, path, text)
    last = verdict(asked, path, text)
    for words in ("budget", "250", "How often you", "equilibrium", "Your last hands", "given up over"):
        assert words in last
    assert re.search(r"facing a bet <span class=\"soft\">n [0-9]+</span>", last)


def test_a_blind_table_shows_the_read_when_the_hand_is_over(asked, leduc) -> None:
    path = leduc
    text = fresh(asked, path)
    asked.post(f"{path}/blind", data={"blind": "yes"}, headers=PIECE)
    assert "Hidden until the hand is over" in asked.get(f"{path}/read", headers=PIECE).text
    text = finish(asked, path, text)
    assert "Your range" in asked.get(f"{path}/read", headers=PIECE).text
    asked.post(f"{path}/blind", data={"blind": "no"}, headers=PIECE)
    deal(asked, path, text)
    assert "Your range" in asked.get(f"{path}/read", headers=PIECE).text


def test_events_say_when_the_table_changes(asked, leduc) -> None:
    """Two windows show one table: what is done in one comes to the other."""
    path = leduc
    text = fresh(asked, path)
    heard: list[str] = []

    def listen() -> None:
        with asked.stream("GET", f"{path}/events") as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            for line in answer.iter_lines():
                heard.append(line)
                if "do-next" in line:
                    return

    # The test client hands a stream on when it has ended, so the table must end it.
    listening = threading.Thread(target=listen, daemon=True)
    listening.start()
    time.sleep(0.2)
    after = finish(asked, path, text)
    state(asked).floor.close()
    listening.join(20)
    assert not listening.is_alive()
    assert any(f'data-at="{at(text)}"' in line for line in heard)
    assert any(f'data-at="{at(after)}"' in line for line in heard)


def test_a_table_goes_on_after_its_process_or_the_server_ended(folder, tmp_path) -> None:
    kept = tmp_path / "kept"
    with client(kept) as asked:
        path = sit(asked, "leduc", "soul:k=2")
        text = finish(asked, path, table(asked, path))
        text = act(asked, path, deal(asked, path, text), "call")
        shown = cards_of(text)
        state(asked).house.desks.close()  # as if the processes had been killed
        again = table(asked, path)
        assert (at(again), cards_of(again)) == (at(text), shown)
        cookies = dict(asked.cookies)
    with client(kept) as asked:
        asked.cookies.clear()
        asked.cookies.update(cookies)
        again = table(asked, path)
        assert (at(again), cards_of(again)) == (at(text), shown)
        text = finish(asked, path, again)
        assert "in 2 hands" in text
        assert path in asked.get("/play").text
        asked.post(f"{path}/leave")
        assert path not in asked.get("/play").text
        assert "in 2 hands" in table(asked, path)  # its hands stay


def cards_of(text: str) -> list[str]:
    return re.findall(r'aria-label="([a-z0-9]+ of [a-z]+)"', text)


# What may not be known.

SEED = 0x5EEDC0FFEE15FA41AC1D5
RANKS = {"ace": "A", "king": "K", "queen": "Q", "jack": "J", "ten": "T", "10": "T"}
SUITS = {"spades": "s", "hearts": "h", "diamonds": "d", "clubs": "c", "♠": "s", "♥": "h", "♦": "d", "♣": "c"}
WRITTEN = (
    r"\b(ace|king|queen|jack|ten|[2-9]) of (spades|hearts|diamonds|clubs)",  # for screen readers
    r"(10|[2-9TJQKA])([♠♥♦♣])",  # in sentences
    r">(10|[2-9JQKA])<span>([♠♥♦♣])",  # on a card
)
NAMED = r"(?<![A-Za-z0-9.&;/])((?:[2-9TJQKA][cdhs])+)(?![A-Za-z0-9])"  # as soulread writes them: AhKd


def mentioned(text: str) -> set[int]:
    """All cards that a text names, in whichever way."""
    found = {RANKS.get(rank, rank) + SUITS[suit] for way in WRITTEN for rank, suit in re.findall(way, text)}
    for names in re.findall(NAMED, text):
        found |= {names[place : place + 2] for place in range(0, len(names), 2)}
    return {parse_card(name) for name in found}


def known_cards(hand: Hand, actions: int, over: bool, name: str) -> set[int]:
    """The cards that a person has seen after so many actions of a hand, or when it is over."""
    own = hand.seat_of(name)
    known = set(hand.hole[own] or ())
    if over:
        shown = [cards or () for cards, sight in zip(hand.hole, hand.sights, strict=True) if sight == "shown"]
        return known.union(hand.board, *shown)
    rounds = hand.betting.split("/")
    sizes = [0, 1] if len(known) == 1 else [0, 3, 4, 5]
    done = [len(re.findall("f|c|r[0-9]*", codes)) for codes in rounds]
    street = sum(actions >= sum(done[: place + 1]) for place in range(len(rounds) - 1))
    return known | set(hand.board[: sizes[street]])


def moment_of(text: str) -> str:
    """The moment that a piece of a table says it is of; empty if it is no such piece."""
    found = re.search(r'data-at="([^"]+)"', text)
    return found[1] if found else ""


class Traffic:
    """All that a server sends to one browser, with the moment at which it was sent."""

    def __init__(self) -> None:
        self.moment = "1.0"
        self.heard: list[tuple[str, str]] = []
        self.events = 0

    def note(self, answer: httpx.Response) -> None:
        """Take note of an answer with its headers; what is streamed is told line by line."""
        head = " ".join(f"{name}: {value}" for name, value in answer.headers.items())
        if answer.headers.get("content-type", "").startswith("text/event-stream"):
            self.heard.append((self.moment, head))
            return
        answer.read()
        self.heard.append((moment_of(answer.text) or self.moment, f"{head}\n{answer.text}"))

    def listen(self, home: str, cookies: httpx.Cookies, path: str) -> None:
        """Take note of all events of a table, until the server ends them."""
        with (
            suppress(httpx.HTTPError),
            httpx.Client(base_url=home, cookies=cookies, timeout=None) as made,
            made.stream("GET", f"{path}/events") as answer,
        ):
            self.note(answer)
            lines: list[str] = []
            for line in answer.iter_lines():
                lines.append(line)
                if not line:
                    text = "\n".join(lines)
                    self.heard.append((moment_of(text) or self.moment, text))
                    self.events += "data-at" in text
                    lines = []


def play_and_listen(asked: httpx.Client, path: str, hands: int, traffic: Traffic) -> None:
    """Play so many hands, and look at everything that there is to see on the way."""
    rng = Random(7)
    text, done = table(asked, path), 0
    while done < hands:
        traffic.moment = at(text)
        if rng.random() < 0.3:
            asked.get(f"{path}/read", headers=PIECE)
        if rng.random() < 0.1:
            asked.get(path)
        if "do-next" not in text:
            word = rng.choice(["call", "call", "call", "raise", "fold"])
            word = word if f"do-{word}" in text else "call"
            low = re.search(r'name="amount"[^>]*?(?:min|value)="([0-9]+)"', text)
            text = act(asked, path, text, word, low[1] if low and word == "raise" else "")
            continue
        done += 1
        if rng.random() < 0.2:
            asked.get(f"{path}/verdict?at={at(text)}", headers=PIECE)
            for step in range(2):
                asked.get(path.replace("play", "review") + f"/{done}?step={step}")
        text = deal(asked, path, text)
    traffic.moment = at(text)


@pytest.mark.parametrize(
    ("game", "agents", "hands"),
    [
        ("leduc", ["soul:k=5"], 90),
        ("nolimit:players=3,stacks=60", ["plain", "plain:style=loose"], 60),
        ("ring-limit:3", ["loki:use=none", "always-call"], 30),
        ("nolimit", ["ponsen:playouts=50"], 20),
    ],
)
def test_nothing_hidden_is_in_any_answer(tmp_path, monkeypatch, game, agents, hands) -> None:
    """All traffic of 200 hands, events too: no card, no seed and no action that cannot be known yet."""
    drawn = SimpleNamespace(randbits=lambda bits: SEED, token_hex=secrets.token_hex)
    monkeypatch.setattr("soulread.serve.web.tables.secrets", drawn)
    traffic = Traffic()
    with (
        listening(tmp_path) as home,
        httpx.Client(base_url=home, headers={"Origin": home}, timeout=60) as asked,
    ):
        asked.get("/")
        path = sit(asked, game, *agents)
        asked.event_hooks["response"] = [traffic.note]
        listener = threading.Thread(target=traffic.listen, args=(home, asked.cookies, path), daemon=True)
        listener.start()
        play_and_listen(asked, path, hands, traffic)
    listener.join(20)
    assert not listener.is_alive()
    (log,) = tmp_path.glob("*/tables/*.log")
    session = read_session(log)
    assert session.seed == SEED
    dealt = list(hands_of_session(log, terms_of(session)))
    assert len(dealt) == hands
    search(traffic.heard, parse_game(session.game), dealt, session.name)
    assert traffic.events >= hands  # at least when the person is asked; fast ones may be left out


def search(heard: list[tuple[str, str]], game: PokerGame, dealt: list[Hand], name: str) -> None:
    """Search answers for what may not be known; each card of each hand must have been searched for."""
    searched: list[set[int]] = [set() for _ in dealt]
    for when, answer in heard:
        assert str(SEED) not in answer
        assert f"{SEED:x}" not in answer.lower()
        number, actions, *over = when.split(".")
        if int(number) > len(dealt):
            continue  # the hand that was dealt at last
        hand = dealt[int(number) - 1]
        text, record = taken_out(answer)
        known = known_cards(hand, int(actions), bool(over), name)
        assert mentioned(text) <= known, (when, cards_name(sorted(mentioned(text) - known)))
        for earlier, cards in re.findall(r"/review/[0-9a-f]+/([0-9]+)\"(.*?)</tr>", record, re.DOTALL):
            seen = dealt[int(earlier) - 1]
            assert mentioned(cards) == set(seen.hole[seen.seat_of(name)] or ())
        searched[int(number) - 1] |= set(range(52)) - known
        if 'class="story"' in text:
            step = sights_of_hand(game, hand, hand.seat_of(name))[-1 if over else int(actions)]
            told = re.findall(
                r"<p>.*?</p>", text.split('class="story"')[1].partition("</section>")[0], re.DOTALL
            )
            assert len(told) == len(step.story)
            for street, line in zip(step.story, told, strict=True):
                assert line.endswith(f"{', '.join(street.deeds)}</p>"), (when, line, street)
    for hand, cards in zip(dealt, searched, strict=True):
        own = set(hand.hole[hand.seat_of(name)] or ())
        assert {card for hole in hand.hole for card in hole or ()} - own | set(hand.board) <= cards


def taken_out(answer: str) -> tuple[str, str]:
    """An answer without the record of earlier hands, and that."""
    before, mark, rest = answer.partition('<section id="record"')
    record, _, after = rest.partition("</section>")
    return before + after, mark + record


def test_the_search_for_hidden_cards_finds_them(asked, folder, leduc) -> None:
    """The test above would notice a card however it is written, an action told too early, and the seed."""
    for card in range(52):
        name = card_name(card)
        for text in (
            f"you show {pretty_cards((card,))}",
            f'data-x="{name}"',
            f"board {name}2c",
            f"{name}, 1",
        ):
            assert card in mentioned(text), (text, card)
    path = leduc
    text = finish(asked, path, fresh(asked, path))
    assert len(mentioned(text)) >= 2
    deal(asked, path, text)
    id = path.rpartition("/")[2]
    (log,) = folder.glob(f"*/tables/{id}.log")
    session = read_session(log)
    game = parse_game(session.game)
    number, hand = next(
        (number, one)
        for number, one in enumerate(hands_of_session(log, terms_of(session)), start=1)
        if one.showdown
    )
    own = hand.seat_of(session.name)
    held = [set(cards or ()) for cards in hand.hole]
    assert known_cards(hand, 0, False, session.name) == held[own]
    assert known_cards(hand, len(hand.actions), True, session.name) == {*held[0], *held[1], *hand.board}
    reviewed = asked.get(f"/review/{id}/{number}").text
    assert mentioned(reviewed) == {*held[0], *held[1]}
    told = f'<section class="story"><p>{sights_of_hand(game, hand, own)[1].story[0].deeds[0]}</p></section>'
    search([("1.1", told), ("1.0", "")], game, [hand], session.name)
    for when, text in (
        ("1.0", told),
        ("1.0", reviewed),
        ("1.1", f"{SEED}"),
        ("1.1", f"{SEED:X}"),
        ("1.1", told.replace("</p>", ", you call</p>")),
        (
            "1.1",
            f'<section id="record"><a href="/review/0a/1">1</a>{pretty_cards(hand.board)}</tr></section>',
        ),
    ):
        with pytest.raises(AssertionError):
            search([("1.0", ""), (when, text)], game, [hand], session.name)
    with pytest.raises(AssertionError):  # a hand of which nothing was heard
        search([("1.0", "")], game, [hand, hand], session.name)


# Reviews.


def test_a_hand_is_reviewed_step_by_step(asked, leduc) -> None:
    path = leduc
    text = finish(asked, path, fresh(asked, path))
    verdict(asked, path, text)
    id, number = path.rpartition("/")[2], at(text).partition(".")[0]
    listed = asked.get(f"/review?table={id}").text
    assert f"/review/{id}/{number}" in listed
    last = int(first(r'class="at">1 / ([0-9]+)', asked.get(f"/review/{id}/{number}").text))
    told = [asked.get(f"/review/{id}/{number}?step={step}", headers=PIECE).text for step in range(last)]
    assert all('<main id="main"' in one for one in told)
    assert any("If the opponent plays the equilibrium" in one for one in told)
    assert any("Against always-raise as it played" in one for one in told)
    assert any("The figures are exact" in one for one in told)
    assert "result" in told[-1]
    assert asked.get(f"/review/{id}/1?step=999").status_code == 200
    for odd in ("?step=-1", "?step=x", "?step=1e3"):
        assert asked.get(f"/review/{id}/1{odd}").status_code == 404
    assert asked.get(f"/review/{id}/9999").status_code == 400
    assert "There is no such hand" in asked.get(f"/review?table={id}&page=9").text


def test_jumps_lead_to_the_next_mistake_of_a_kind(asked, leduc) -> None:
    """Whoever folds kings gives something up; the key b leads there."""
    path = leduc
    text = fresh(asked, path)
    for _ in range(6):
        while "do-next" not in text:
            text = act(asked, path, text, "fold" if "do-fold" in text else "call")
        verdict(asked, path, text)
        text = deal(asked, path, text)
    id = path.rpartition("/")[2]
    listed = asked.get(f"/review?table={id}&worst=blunder").text
    number = first(rf"/review/{id}/([0-9]+)", listed)
    shown = asked.get(f"/review/{id}/{number}").text
    step = re.search(r'data-piece="replace" href="[^"]*step=([0-9]+)" data-key="b"', shown)
    decision = asked.get(f"/review/{id}/{number}?step={step[1] if step else 0}").text
    assert 'class="grade blunder"' in decision
    assert " mb" in decision


def test_play_outs_judge_where_there_is_no_table(asked) -> None:
    path = sit(asked, "nolimit", "always-call")
    verdict(asked, path, finish(asked, path, table(asked, path)))
    id = path.rpartition("/")[2]
    told = asked.get(f"/review/{id}/1?step=1").text + asked.get(f"/review/{id}/1?step=0").text
    assert "By play-outs against what is known of the opponents" in told
    assert re.search(r"-?[0-9.]+ ± [0-9.]+ bb", told)


def test_what_a_hand_cost_has_the_error_of_its_decisions(tmp_path) -> None:
    """Errors of 3 and 4 chips are one of 5, in a hand and over hands; half an interval is 1.96 errors."""

    def decision(cost: float, error: float) -> dict[str, Any]:
        return {"grade": "good", "appraisals": [{"cost": cost, "low": cost - 1.959963984540054 * error}]}

    both = {"decisions": [decision(2.0, 3.0), decision(5.0, 4.0), {"grade": "good", "appraisals": []}]}
    assert error_of(both) == pytest.approx(5)
    assert error_of({}) == error_of({"decisions": [decision(1.0, 0.0)]}) == 0
    notes = KeptNotes(tmp_path / "x.notes")
    notes.add(1, {"won": -2, "cost": 2.0, "decisions": [decision(2.0, 3.0)]})
    notes.add(2, {"won": 4, "cost": 5.0, "decisions": [decision(5.0, 4.0)]})
    notes.add(3, {"won": 0})
    for kept in (notes, KeptNotes(tmp_path / "x.notes")):
        assert [kept.costs["chips"], kept.costs["hands"]] == [7, 2]
        assert kept.costs["error"] == pytest.approx(5)
    game = parse_game("nolimit")
    assert line_of(notes, 1, game).cost == "1.00 ± 2.94 bb"
    assert [line_of(notes, number, game).grade for number in (1, 3)] == ["good", ""]
    assert line_of(notes, 3, game).cost == ""


def test_again_from_here(asked, folder) -> None:
    """The same betting and board in every hand, other cards, the same seat; and it goes on after a kill."""
    path = sit(asked, "leduc", "soul:k=2")
    text = table(asked, path)
    for _ in range(30):
        text = finish(asked, path, text)
        if "flop" in text.split('class="story"')[1].replace("preflop", ""):
            break
        text = deal(asked, path, text)
    number = int(at(text).partition(".")[0])
    verdict(asked, path, text)
    id = path.rpartition("/")[2]
    shown = asked.get(f"/review/{id}/{number}").text
    steps = [int(one) for one in re.findall(r'step=([0-9]+)" class="deed (?:good|in|mis|blu)', shown)]
    step = max(steps)
    answer = asked.post(f"/review/{id}/{number}/again", data={"step": str(step)}, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    drill = answer.headers["location"]
    text = table(asked, drill)
    board, held = set(), set()
    for _ in range(12):
        assert int(at(text).split(".")[1]) == step
        board.add(tuple(cards_of(text.split('class="middle"')[1].split('class="pot"')[0])))
        held.add(tuple(cards_of(text.split('class="pot"')[1])))
        text = deal(asked, drill, finish(asked, drill, text))
    assert len(board) == 1
    assert len(held) > 1
    before = at(text)
    state(asked).house.desks.close()
    assert at(table(asked, drill)) == before
    new = drill.rpartition("/")[2]
    (file,) = folder.glob(f"*/tables/{new}.again")
    origin = origin_of(file.parent, new)
    assert origin is not None
    assert (origin.table, origin.hand) == (id, number)
    assert len(earlier_hands(file.parent, origin)) == number - 1
    reviewed = asked.get(f"/review/{new}/1").text
    assert "Again from here" not in reviewed
    assert asked.post(f"/review/{new}/1/again", data={"step": "0"}).status_code == 400
    for odd in ("x", "", "999", "-1"):
        assert asked.post(f"/review/{id}/{number}/again", data={"step": odd}).status_code == 400
    assert json.loads(file.read_text()) == {"table": id, "hand": number}
