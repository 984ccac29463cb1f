"""Spots of the page: routes, what is refused, solves and locks as jobs, stored hands, files."""

import json
import re
import time
from urllib.parse import parse_qsl, urlsplit

import pytest
from page_tools import client
from test_spot_hands import leaky_hands, turn_hand

from soulread.cards.named_ranges import NAMED_RANGES
from soulread.errors import SoulreadError
from soulread.hands.store import Store
from soulread.serve.web.pages.spots import MOST_TEXT, address, digest, fields_of
from soulread.serve.web.rooms import spots as rooms
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.cfr.streamed import solve_spot
from soulread.solvers.real_cards.spot_files import read_spot
from soulread.study.spots.spots import read_tree

pytestmark = pytest.mark.compiled
PIECE = {"X-Soulread": "piece"}
RIVER = {
    "board": "Td9d6hQc2s",
    "oop": "99,AKs,JTs,77",
    "ip": "KK,QJs,87s,A9s",
    "pot": "20",
    "stack": "60",
}
TURN = {**RIVER, "board": "Td9d6hQc", "stack": "30", "bets": "a", "raises": "none"}
COARSE = {"gap": "2"}


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    with Store.open(folder / "hands.db") as store:
        store.add([turn_hand(), *leaky_hands()])
    with client(folder / "kept", folder / "hands.db") as made:
        yield made


def solved(asked, fields, **stops):
    """The address of a spot that is solved, once it is."""
    answer = asked.post("/spots/solve", data={**fields, **(stops or COARSE)}, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    where = answer.headers["location"]
    return where, wait_for(asked, where, lambda text: "data-live" not in text)


def wait_for(asked, where, ready):
    """A page once something stands on it."""
    for _ in range(1200):
        text = asked.get(where).text
        if ready(text):
            return text
        time.sleep(0.05)
    raise AssertionError(text)


@pytest.fixture(scope="module")
def river(asked):
    return solved(asked, RIVER)[0]


def test_a_river_is_solved_and_walked(asked, river):
    assert dict(parse_qsl(urlsplit(river).query)) == RIVER  # the whole spot is in the address
    text = asked.get(river).text
    assert 'class="act call"' in text
    assert "bet 12" in text
    told = re.findall(r"exploitable for ([0-9.]+)% of the pot", text)
    assert told
    assert float(told[0]) <= 2
    deep = asked.get(f"{river}&at=check+bet60%25").text
    assert deep.count('class="step') == 3
    assert "fold" in deep
    for wanted in ("ev", "equity", "reach", "nonsense"):
        assert 'class="grid actions"' in asked.get(f"{river}&at=check&show={wanted}&who=oop").text
    assert "hand by hand" in asked.get(f"{river}&at=check&cell=QJs").text
    assert "The hand is over" in asked.get(f"{river}&at=bet12+fold").text
    assert "Td9d6hQc2s, pot 20" in asked.get("/spots").text
    # What is not in the tree is told in words.
    wrong = asked.get(f"{river}&at=bet13")
    assert wrong.status_code == 400
    assert "oop may check, bet 12" in wrong.text


def test_export_and_reopen(asked, river):
    query = river.partition("?")[2]
    record = json.loads(asked.get(f"/spots/file?{query}&form=json&at=check").text)
    assert record["spot"]["board"] == RIVER["board"]
    assert record["at"]["path"] == "check"
    sheet = asked.get(f"/spots/file?{query}&form=csv")
    assert sheet.headers["content-disposition"] == 'attachment; filename="Td9d6hQc2s.csv"'
    assert sheet.text.splitlines()[0].startswith("hand,reach,share,ev,equity,check,")
    kept = asked.get(f"/spots/file?{query}&form=spot").content
    answer = asked.post("/spots/open", content=kept, headers=PIECE)
    where = answer.headers["x-soulread-go"]
    assert "bet 12" in asked.get(where).text
    for damaged in (b"", b"PK\x03\x04" + bytes(99), kept[:-9] + bytes(9), json.dumps(record).encode()):
        assert asked.post("/spots/open", content=damaged, headers=PIECE).status_code == 400
    assert asked.get(f"/spots/file?{query}&form=exe").status_code == 404
    assert not list(asked.app.state.house.settings.folder.glob("*/spots/*.part"))


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"board": "Td9d"}, "a spot has 3, 4 or 5"),
        ({"board": "TdTd6h"}, "Td"),
        ({"oop": ""}, "a range out of position"),
        ({"oop": "<script>alert(1)</script>"}, "script"),
        ({"pot": "ten"}, "is no amount"),
        ({"pot": "0"}, "at least 1"),
        ({"pot": "20bb"}, "stacks of 60 is in chips"),
        ({"bets": "half"}, "is not the size of a bet"),
        ({"tree": "depth=3"}, "depth"),
        ({"gap": "x"}, "expected a number"),
        ({"stack": "0"}, "all-in"),
        ({"oop": "A" * (MOST_TEXT + 1)}, "characters"),
        ({"hand": "nobody knows"}, "nobody knows"),
    ],
)
def test_bad_spots_are_refused_in_words(asked, changed, told):
    answer = asked.post("/spots/solve", data={**RIVER, **changed}, headers=PIECE)
    assert answer.status_code == 400
    assert told in answer.text
    assert "<script>" not in answer.text
    assert "Traceback" not in answer.text


def test_a_tree_that_does_not_fit_gets_the_sentence_of_the_command(monkeypatch):
    monkeypatch.setattr("soulread.machine.available_memory", lambda: 1000)
    spot = read_spot(RIVER["board"], RIVER["oop"], RIVER["ip"], 20, 60, **read_tree(""))
    with pytest.raises(SoulreadError) as command:
        solve_spot(spot, Stops(iterations=1))
    with pytest.raises(SoulreadError, match=r"memory, 0\.0 MB are free") as page:
        rooms.begin(RIVER, {}, None)
    assert str(page.value) == str(command.value)
    assert rooms.size(RIVER) == {"line": "", "error": str(command.value)}


def test_ranges_are_edited_by_painting_and_by_text(asked):
    def edited(**form):
        return asked.post("/spots/range", data={"name": "oop", **form}, headers=PIECE).text

    text = edited(text="QQ,AhKh:0.5", put="AKs:0.25,72o:1")
    assert ">QQ, 72o, AKs:0.25</textarea>" in text
    assert 'data-cell="AKs" data-weight-now="0.25"' in text
    assert "6 hands" in edited(text="QQ", put="")
    assert ">KK</textarea>" in edited(text="KK,QQ", put="QQ:0")
    assert "is not" in edited(text="ZZ", put="")
    assert edited(text="", put="").count('aria-pressed="false"') == 169
    named = edited(text="btn-open", put="")
    assert '<option value="btn-open" selected>btn-open: the button raises' in named
    assert named.count("<option") == 1 + len(NAMED_RANGES)
    assert 'data-named="oop"' in asked.get(address("new", RIVER)).text
    assert asked.post("/spots/range", data={"name": "x"}).status_code == 404


def test_the_size_is_told_while_a_spot_is_set_up(asked):
    assert "1 river; " in asked.post("/spots/size", data=RIVER, headers=PIECE).text
    assert "a spot needs" in asked.post("/spots/size", data={"board": "Td9d6h"}, headers=PIECE).text
    page = asked.get(address("new", RIVER)).text
    assert 'value="Td9d6hQc2s"' in page
    assert page.count("data-card=") == 52


def test_the_cards_of_the_next_street(asked):
    where, _ = solved(asked, TURN, gap="5")
    page = asked.get(f"{where}&at=check+check").text
    (load,) = re.findall(r'data-load="([^"]*)"', page)
    found = asked.get(load.replace("&amp;", "&"), headers=PIECE).text
    assert found.count('class="next ') == 52
    assert found.count("next gone") == 4  # those of the board
    assert "check check 2c" in found.replace("%20", " ")
    assert "EV of oop" in found


def lock(asked, river, **asking):
    """The page of an answer to locks."""
    fields = dict(parse_qsl(urlsplit(river).query))
    answer = asked.post("/spots/lock", data={**fields, **COARSE, **asking}, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    where = answer.headers["location"]
    return where, wait_for(asked, where, lambda text: "data-live" not in text)


def test_locks_and_the_dial(asked, river):
    where, text = lock(asked, river, locks="bet60: fold 90%")
    assert "The dial of oop against ip" in text
    assert '<input type="range" id="dial"' in text
    (most,) = re.findall(r'id="dial" name="dial" min="0" max="(\d+)"', text)
    query = where.partition("?")[2]
    first = asked.get(f"/spots/dial?{query}&dial=0", headers=PIECE).text
    last = asked.get(f"/spots/dial?{query}&dial={most}", headers=PIECE).text
    gains = [float(re.findall(r'class="(?:good|bad)">([-+0-9.]+)<', one)[0]) for one in (first, last)]
    costs = [float(re.findall(r'class="bad">([-+0-9.]+)<', one)[0]) for one in (first, last)]
    assert (gains[0], costs[0]) == (0, 0)
    assert gains[1] > 1
    assert costs[1] > 1
    assert "the equilibrium" in first
    assert "the best response" in last
    assert f'value="{most}"' in asked.get(f"{where}&dial={most}").text
    # Frequencies typed at a decision become a lock.
    where, text = lock(asked, river, at="check", **{"often:bet12": "100"})
    assert dict(parse_qsl(urlsplit(where).query))["locks"] == "check: bet12 100%"
    assert "→ <b>100%</b>" in text


@pytest.mark.parametrize(
    ("asking", "told"),
    [
        ({}, "nothing is locked"),
        ({"locks": "bet60 fold 60%"}, "is not a lock"),
        ({"locks": "bet60: fold 60%\ncheck bet60: fold 60%"}, "the locks are of both players"),
        ({"locks": "bet60: fold 160%"}, "between 0% and 100%"),
        ({"locks": "bet99: fold 60%"}, "is not possible"),
        ({"locks": "bet60: fold 60%", "trust": "much"}, "expected a number"),
        ({"player": "Bob", "confidence": "blind"}, "is not a confidence function"),
    ],
)
def test_bad_locks_are_refused_in_words(asked, river, asking, told):
    fields = dict(parse_qsl(urlsplit(river).query))
    answer = asked.post("/spots/lock", data={**fields, **asking}, headers=PIECE)
    assert answer.status_code == 400
    assert told in answer.text


def test_a_spot_of_a_stored_hand_and_locks_of_its_player(asked):
    """What the page counts is what the command counts."""
    fields = {"hand": "big", "street": "turn", "oop": "99,AKs", "ip": "KK,QJs,87s"}
    form = asked.get(address("new", fields)).text
    assert "Ann is out of position, Bob in position" in form
    assert "bet3.6bb" in form
    assert "<dt>Pot</dt><dd>6bb</dd><dt>Stacks</dt><dd>97bb</dd>" in form
    where, page = solved(asked, fields)
    assert "Ann (oop), Bob (ip)" in page
    where, text = lock(asked, where, player="Bob", where="bet36")
    assert "31 decisions of Bob on the turn; facing a medium bet" in text
    assert "The dial of oop against ip" in text
    where, text = lock(asked, where, player="Cid", locks="", where="")
    assert "Cid" in re.findall(r'role="alert">([^<]*)<', text)[0]
    missing = asked.get(address("new", {"hand": "lost"}))
    assert missing.status_code == 200
    assert "lost" in re.findall(r'role="alert">([^<]*)<', missing.text)[0]


def test_cancel_end_early_and_remove(asked):
    long = {**RIVER, "board": "Td9d6hQc", "stack": "200"}
    endless = {"gap": "0.000001"}
    where = asked.post("/spots/solve", data={**long, **endless}, headers=PIECE).headers["x-soulread-go"]
    page = wait_for(asked, where, lambda text: "exploitable for" in text)
    assert "<svg" in wait_for(asked, where, lambda text: 'class="chart"' in text)
    (key,) = set(re.findall(r'name="key" value="([0-9a-f]{32})"', page))
    assert key == digest(fields_of(long))
    answer = asked.post("/spots/job/end", data={"key": key}, headers=PIECE)
    assert answer.status_code == 200
    assert "ended early" in wait_for(asked, where, lambda text: "data-live" not in text)
    removed = asked.post("/spots/job/remove", data={"key": key}, headers=PIECE)
    assert removed.headers["x-soulread-go"] == "/spots"
    assert "not solved in this browser" in asked.get(where).text
    asked.post("/spots/solve", data={**long, **endless})
    asked.post("/spots/job/cancel", data={"key": key})
    assert "not solved in this browser" in asked.get(where).text
    for name in ("end", "cancel", "bite"):
        assert asked.post(f"/spots/job/{name}", data={"key": key}).status_code == 404
    for key in ("../x", "", "a" * 31):
        assert asked.post("/spots/job/remove", data={"key": key}).status_code == 404


def test_another_session_sees_nothing_of_it(asked, river):
    cookies = dict(asked.cookies)
    asked.cookies.clear()
    try:
        asked.get("/")
        assert "not solved in this browser" in asked.get(river).text
        assert "pot 20" not in asked.get("/spots").text
        assert asked.get(f"/spots/file?{river.partition('?')[2]}&form=json").status_code == 404
    finally:
        asked.cookies.clear()
        asked.cookies.update(cookies)
    assert "bet 12" in asked.get(river).text


def test_the_address_is_the_name():
    fields = {"oop": "AhKh:0.5,QQ+", "board": "Td9d6h"}
    where = address("at", fields, at="check bet60%", show="")
    assert dict(parse_qsl(urlsplit(where).query)) == {**fields, "at": "check bet60%"}
    assert digest(fields) == digest(dict(reversed(fields.items())))
    assert digest(fields) != digest({**fields, "oop": "QQ+"})
    assert digest(fields, {}) != digest(fields)


def test_a_spot_in_big_blinds(asked):
    """Its pot, bets, EVs and locks are in big blinds on every page, and in the file that is saved."""
    fields = {**RIVER, "pot": "27.5bb", "stack": "97bb"}
    where, text = solved(asked, fields)
    for told in ("pot 27.5bb, stacks 97bb", "bet 16.5bb", "EV, bb", "Of the pot"):
        assert told in text
    assert "chips" not in text
    after = asked.get(f"{where}&at=bet16.5bb").text
    assert "pot 44bb" in after
    saved = asked.get(where.replace("/at?", "/file?") + "&form=spot").content
    answer = asked.post("/spots/open", content=saved, follow_redirects=False)
    assert "pot=27.5bb" in answer.headers["location"]
    form = asked.get(where.replace("/at?", "/new?")).text
    assert 'value="27.5bb"' in form
    assert 'name="blind"' in form
    locks = asked.get(where.replace("/at?", "/locks?")).text
    assert "Risk at most, in bb" in locks
    asked_for = {**fields, "locks": "bet16.5bb: fold 90%", "gap": "5"}
    answer = asked.post("/spots/lock", data=asked_for, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    shown = wait_for(asked, answer.headers["location"], lambda page: "Won if right" in page)
    assert "bb at most, certified" in shown
    raked = {"rake": "5%", "cap": "1bb"}
    other, text = solved(asked, {**RIVER, "pot": "20", "stack": "60", "blind": "2", **raked})
    assert "pot 10bb, stacks 30bb, rake 5%, at most 1bb" in text
    assert "blind=2" in other
    saved = asked.get(other.replace("/at?", "/file?") + "&form=spot").content
    again = asked.post("/spots/open", content=saved, follow_redirects=False).headers["location"]
    assert dict(parse_qsl(urlsplit(again).query)).items() >= {"rake": "5%", "cap": "2"}.items()
