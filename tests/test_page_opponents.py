"""Opponents of the page: who there is, claims and their hands, notes, side by side, upload and import."""

import html
import io
import json
import re
import time
import urllib.request
import zipfile
from contextlib import suppress
from dataclasses import replace
from urllib.parse import parse_qsl, quote, urlsplit

import pytest
from markupsafe import escape
from page_tools import Served, client
from test_store import some_hands

from soulread.errors import SoulreadError
from soulread.hands.conditions import Order, parse_conditions, statistic_called
from soulread.hands.played import all_in_round
from soulread.hands.store import BATCH, Query, Store
from soulread.serve.web.pages.opponents import MOST_FILES, safe_name
from soulread.serve.web.rooms import opponents as rooms
from soulread.study.finding.bounds import parse_bound
from soulread.study.finding.played import study_search
from soulread.study.hands.exporting import export_hands
from soulread.study.hands.splits import parse_by
from soulread.study.hands.statistics import study_player, study_players
from soulread.study.profile.profile import study_profile

pytestmark = pytest.mark.compiled
EVIL = "<script>alert('x')</script>"


@pytest.fixture(scope="module")
def where(tmp_path_factory):
    """A store with few all-ins before the flop, whose luck takes long to take out."""
    path = tmp_path_factory.mktemp("page") / "hands.db"
    hands = some_hands(150, 3)
    early = [hand for hand in hands if all_in_round(hand) == 0]
    with Store.open(path) as store:
        store.add(hand for hand in hands if hand not in early[2:])
    return path


@pytest.fixture(scope="module")
def asked(where):
    with client(where.parent / "kept", where) as made:
        yield made


def wait_for(asked, path, ready):
    """A page once something stands on it."""
    for _ in range(600):
        text = asked.get(path).text
        if ready(text):
            return text
        time.sleep(0.1)
    raise AssertionError(text)


def counted(text):
    """The number at the head of a list of hands."""
    found = re.search(r'class="meta">([0-9,]+) (?:occasion|hand)s?<', text)
    return int(found[1].replace(",", "")) if found else None


def ways(text, statistic):
    """The addresses on a page of the occasions of a statistic."""
    found = re.findall(rf'href="(/opponents/hands\?[^"]*stat={statistic}[^"]*)"', text)
    return [html.unescape(one) for one in found]


def test_everybody_is_there_with_search_and_filters(asked, where):
    text = asked.get("/opponents").text
    with Store.open(where) as store:
        players = store.players()
    assert listed(text) == [player.name for player in players]  # those with the most hands first
    found = asked.get("/opponents?q=an").text
    assert listed(found) == [player.name for player in players if "an" in player.name.lower()]
    told = asked.get("/opponents", params={"where": "VPIP>=0%", "sort": "pfr"}).text
    assert 'role="alert"' not in told
    for wrong, why in (
        ({"where": "VPIP"}, "is no bound of a statistic"),
        ({"sort": "luck"}, "there is no statistic"),
        ({"sort": "c-bet"}, "is counted street by street"),
        ({"least": "-3"}, "a number of at least 1"),
        ({"kind": "chess/cash"}, "there are no hands of the kind"),
    ):
        assert why in asked.get("/opponents", params=wrong).text


def listed(text):
    """The names in a list of players."""
    return re.findall(r'<tr><td class="left"><a href="[^"]*">([^<]*)</a>', text)


def test_a_list_is_sorted_and_told_as_the_command_line_does(asked, where):
    with Store.open(where) as store:
        kind = store.play_kinds()[0][0]
        by_vpip = study_players(store, Query().of_kind(kind), sort=statistic_called("vpip")).rows
        rates = [one for row in by_vpip for one in row.values if one.statistic.name == "VPIP"]
        middle = rates[len(rates) // 2].value
        assert middle is not None
        bound = f"VPIP>={100 * middle:.4f}%"
        loose = study_players(store, Query().of_kind(kind), where=[parse_bound(bound)]).rows
    assert 0 < len(loose) < len(by_vpip)
    text = asked.get("/opponents", params={"sort": "vpip"}).text
    assert listed(text) == [row.player for row in by_vpip]
    assert f"<td>{rates[0].value:.1%}</td>" in text
    some = asked.get("/opponents", params={"where": bound}).text
    assert sorted(listed(some)) == sorted(row.player for row in loose)
    assert f"{len(loose)} of {len(by_vpip)} players" in some


@pytest.fixture(scope="module")
def profile(asked):
    path = f"/opponents/player?player={quote('Ann')}"
    return wait_for(asked, path, lambda text: "What is sure" in text)


@pytest.fixture(scope="module")
def study(where):
    with Store.open(where) as store:
        return study_profile(store, "Ann", cards=None)


def test_a_profile_is_made_by_a_job_and_kept(asked, profile, study):
    assert f"{study.hands:,} hands" in profile
    assert "<code>soulread hands" not in profile  # links stand in the place of commands
    asked.post("/opponents/remark", data={"player": "Ann", "note": "a note is no hand"})
    again = asked.get("/opponents/player?player=Ann").text
    assert "What is sure" in again  # it came at once: no job was waited for
    assert "data-live" not in again


def test_every_claim_opens_exactly_its_hands(asked, profile, study):
    ways = rooms.links_of({"player": "Ann"})
    expected = {ways.hands(claim): claim for claim in study.claims}
    shown = {html.unescape(one) for one in re.findall(r'href="(/opponents/hands\?[^"]*)"', profile)}
    shown = {one for one in shown if "stat=" in one or "words=" in one}
    assert len(shown) > 20
    assert shown <= set(expected)
    for address in sorted(shown):
        claim = expected[address]
        text = asked.get(address).text
        assert counted(text) == claim.n, address
        if claim.taken is not None and claim.n and "taken" in text:
            found = re.search(r"([0-9,]+) taken", text)
            if found:
                assert int(found[1].replace(",", "")) == claim.taken, address


def test_hands_open_in_the_replayer(asked):
    text = asked.get("/opponents/hands?player=Ann&stat=vpip&taken=yes&sort=pot").text
    first = html.unescape(re.findall(r'href="(/review/store/[^"]*)"', text)[0])
    assert dict(parse_qsl(urlsplit(first).query)) == {"player": "Ann"}
    opened = asked.get(first)
    assert opened.status_code == 200
    assert "Ann" in opened.text
    assert 'href="/opponents/player?player=Ann"' in opened.text  # and back


def test_pages_of_hands(asked, where):
    with Store.open(where) as store:
        hands = store.player("Ann").hands
    every = []
    for page in range(1, -(-hands // 50) + 1):
        text = asked.get(f"/opponents/hands?player=Ann&page={page}").text
        every += re.findall(r'href="/review/store/([0-9]+)\?', text)
        assert ("page=" + str(page + 1) in text) == (page * 50 < hands)
    assert len(every) == len(set(every)) == hands
    for wrong, why in (
        ("player=Ann&words=pot>=many", "pot"),
        ("player=Ann&sort=sideways", "hands are not sorted by"),
        ("stat=vpip", "say whose"),
        ("page=9999999", "narrow it down"),
        ("player=Nobody", "is not in"),
    ):
        told = asked.get(f"/opponents/hands?{wrong}")
        assert told.status_code == 200
        alert = re.search(r'role="alert">([^<]*)', told.text)
        assert alert
        assert why in html.unescape(alert[1])


def test_statistics_by_groups_with_their_hands(asked, where):
    text = asked.get("/opponents/player?player=Ann&view=statistics&by=position").text
    with Store.open(where) as store:
        study = study_player(store, "Ann", by=parse_by("position"))
    group = study.kinds[0].groups[0]
    assert f'<br><span class="small">{group.hands:,}</span>' in text
    value = next(one for one in group.values if one.statistic.name == "VPIP")
    links = [
        html.unescape(one) for one in re.findall(r'href="(/opponents/hands\?[^"]*stat=vpip[^"]*)"', text)
    ]
    assert counted(asked.get(links[1]).text) == value.n  # the first one is of all hands
    assert asked.get("/opponents/player?player=Ann&view=statistics&by=moon").status_code == 400


def test_results_have_their_graph(asked, where):
    text = asked.get("/opponents/player?player=Ann&view=results&by=month").text
    assert "polyline" in text
    assert "all-in luck taken out, 95% band" in text
    ways = [html.unescape(one) for one in re.findall(r'href="(/opponents/hands[^"]*sort=-?won)"', text)]
    hands = [re.findall(r"/review/store/([0-9]+)", asked.get(one).text) for one in ways]
    with Store.open(where) as store:
        orders = [
            parse_conditions((), "Ann").search(store, Query(player="Ann"), Order(one))
            for one in ("won", "-won")
        ]
        meant = [[str(one.number) for one in study_search(found, "Ann", 50).hands] for found in orders]
    assert hands == meant
    assert asked.get("/opponents/player?player=Ann&view=results&by=moon").status_code == 400
    assert asked.get("/opponents/player?player=Ann&view=nonsense").status_code == 404
    assert asked.get("/opponents/player?player=Nobody").status_code == 400


def test_notes_and_labels_are_kept_in_the_store(asked, where):
    for name, note in (("Eve", f"{EVIL} & so on"), ("Eve", "calls too much")):
        asked.post("/opponents/remark", data={"player": name, "note": note})
        text = asked.get("/opponents/player?player=Eve&view=statistics").text
        assert str(escape(note)) in text
        assert "<script>alert" not in text
    asked.post("/opponents/remark", data={"player": "Eve", "label": "fish, loose"})
    with Store.open(where) as store:
        remarks = store.people().remarks_on(("Eve", ""))
    assert remarks.note == "calls too much"
    assert remarks.labels == ("fish", "loose")
    assert listed(asked.get("/opponents?label=loose").text) == ["Eve"]
    assert listed(asked.get("/opponents?q=TOO+MUCH").text) == ["Eve"]
    asked.post("/opponents/remark", data={"player": "Eve", "remove": "loose"})
    assert asked.get("/opponents?label=loose").text.count("<tr><td") == 0
    refused = asked.post("/opponents/remark", data={"player": "Eve", "note": "x" * 9000})
    assert refused.status_code == 400
    assert asked.post("/opponents/remark", data={"player": "Eve", "label": "l" * 200}).status_code == 400


def test_two_players_side_by_side(asked):
    text = asked.get("/opponents/beside?player=Ann&other=Bob").text
    assert "Ann beside Bob" in text
    links = [
        html.unescape(one) for one in re.findall(r'href="(/opponents/hands\?[^"]*stat=vpip[^"]*)"', text)
    ]
    assert ["player=Ann" in links[0], "player=Bob" in links[1]] == [True, True]
    value = re.search(r">[0-9.]+% \(([0-9,]+)\)</a>", text)
    assert value
    assert counted(asked.get(links[0]).text) == int(value[1].replace(",", ""))
    told = asked.get("/opponents/beside?player=Ann&other=Ann").text
    assert "is one player; name two" in told


# New hands ----------------------------------------------------------------------------------------


def file_of(folder, name, *numbers):
    """Some hands as a file, in which Ann is called ``name``."""
    hands = [hand for hand in some_hands(60, 9) if "Ann" in hand.players]
    renamed = [
        replace(hand, players=tuple(name if one == "Ann" else one for one in hand.players)) for hand in hands
    ]
    export_hands((renamed[number] for number in numbers), folder / "h.phhs")
    return (folder / "h.phhs").read_bytes()


def batch_of(asked):
    found = re.search(r'name="batch" value="([0-9a-f]{32})"', asked.get("/opponents").text)
    assert found
    return found[1]


def send(asked, batch, number, name, body):
    return asked.post(
        "/opponents/upload", params={"batch": batch, "number": number, "name": name}, content=body
    )


def take_in(asked, batch):
    answer = asked.post("/opponents/import", data={"batch": batch}, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    where = answer.headers["location"]
    return where, wait_for(asked, where, lambda text: "data-live" not in text)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A server whose store is not there yet; the tests below use it one after the other."""
    path = tmp_path_factory.mktemp("new") / "new.db"
    with client(path.parent / "kept", path) as made:
        yield made, path


def stored(path):
    """The number of hands of a store."""
    if not path.exists():
        return 0
    with Store.open(path) as store:
        return len(store)


def test_files_are_taken_in_and_what_is_left_out_is_told(fresh):
    asked, path = fresh
    assert "No hands are stored yet" in asked.get("/opponents").text
    batch = batch_of(asked)
    good = file_of(path.parent, EVIL, 0)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("deep/er.phhs", file_of(path.parent, EVIL, 1))
    assert send(asked, batch, 0, "a.phhs", good).status_code == 204
    assert send(asked, batch, 1, "b.zip", packed.getvalue()).status_code == 204
    assert send(asked, batch, 2, "../../etc/passwd", b"nothing that is a hand\n" * 50).status_code == 204
    address, text = take_in(asked, batch)
    assert "2 new hands" in text
    assert "<script>alert" not in text
    assert stored(path) == 2
    with Store.open(path) as store:
        assert EVIL in {player.name for player in store.players()}
    everybody = asked.get("/opponents").text
    assert "<script>alert" not in everybody
    assert html.escape(EVIL).replace("&#x27;", "&#39;") in everybody
    again = batch_of(asked)
    send(asked, again, 0, "a.phhs", good)
    assert "0 new hands, 1 known already" in take_in(asked, again)[1]
    assert asked.get(address).status_code == 200  # the tally stays
    send(asked, batch, 0, "c.phhs", file_of(path.parent, EVIL, 2))  # by a page that was gone back to
    assert "1 new hand," in take_in(asked, batch)[1]
    assert not list(path.parent.glob("kept/*/uploads/*/*"))  # what was taken in is not kept twice


def test_a_zip_bomb_is_left_out(fresh):
    asked, path = fresh
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("bomb.txt", b"0" * (1 << 28))
    batch = batch_of(asked)
    send(asked, batch, 0, "bomb.zip", bomb.getvalue())
    before = stored(path)
    _, text = take_in(asked, batch)
    assert "0 new hands" in text
    assert "left out because" in text
    assert stored(path) == before


def test_what_may_not_be_sent(fresh):
    asked, path = fresh
    batch, before = batch_of(asked), stored(path)
    assert send(asked, "../../x", 0, "a", b"x").status_code == 404
    assert send(asked, batch, MOST_FILES, "a", b"x").status_code == 400
    assert send(asked, batch, "-1", "a", b"x").status_code == 400
    assert asked.post("/opponents/import", data={"batch": batch}).status_code == 400  # nothing has come
    assert asked.get("/opponents/imports/0123456789abcdef").status_code == 404
    elsewhere = {"Origin": "http://evil.example"}
    params = {"batch": batch, "number": 0, "name": "a"}
    assert asked.post("/opponents/upload", params=params, content=b"x", headers=elsewhere).status_code == 403
    assert asked.post("/opponents/remark", data={"player": "A"}, headers=elsewhere).status_code == 403
    assert asked.post("/opponents/import", data={"batch": batch}, headers=elsewhere).status_code == 403
    assert stored(path) == before


@pytest.mark.parametrize(
    ("came", "kept"),
    [
        ("hands.txt", "00007-hands.txt"),
        ("../../etc/passwd", "00007-passwd"),
        ("C:\\hands\\a b.txt", "00007-a_b.txt"),
        (".hidden", "00007-hidden"),
        ("", "00007-hands"),
        ("\x00\n\x1b[2J.zip", "00007-_2J.zip"),
        ("x" * 500 + ".zip", f"00007-{'x' * 76}.zip"),
    ],
)
def test_names_of_files_are_harmless(came, kept):
    assert safe_name(7, came) == kept


def test_another_browser_sees_no_imports_of_this_one(fresh):
    asked, path = fresh
    batch = batch_of(asked)
    send(asked, batch, 0, "a.phhs", file_of(path.parent, "Ann", 0))
    address, _ = take_in(asked, batch)
    asked.cookies.clear()
    asked.get("/")
    assert asked.get(address).status_code == 404
    assert address not in asked.get("/opponents").text


# A kill ------------------------------------------------------------------------------------------


def told_hands(path):
    """The number of hands of a store that another process writes."""
    with suppress(SoulreadError):  # it is being made
        return stored(path)
    return 0


class Browser:
    """A browser without a window: it has the cookie of a session, and asks as pages of the server do."""

    def __init__(self, served) -> None:
        self.served = served
        self.cookie = ""
        self.cookie = self.get("/opponents")[1]["Set-Cookie"].partition(";")[0]

    def get(self, path, body=None):
        """The text of an answer, and its headers."""
        headers = {"Cookie": self.cookie, "Origin": self.served.home}
        asked = urllib.request.Request(f"{self.served.home}{path}", data=body, headers=headers)
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return answer.read().decode(), answer.headers


def until(ready):
    """Wait until something is so."""
    for _ in range(1200):
        if ready():
            return
        time.sleep(0.05)
    raise AssertionError(ready)


def test_a_kill_in_mid_import_loses_and_doubles_nothing(tmp_path) -> None:
    """The server is killed as soon as some hands are in the store; the next one takes in the rest."""
    some = some_hands(60, 5)
    hands = [replace(hand, id=f"{part}-{hand.id}") for part in range(45) for hand in some]
    assert len(hands) > BATCH
    file, db = tmp_path / "many.phhs", tmp_path / "hands.db"
    export_hands(iter(hands), file)
    made = Served(tmp_path / "kept", "--db", str(db))
    try:
        browser = Browser(made)
        batch = re.search(r'name="batch" value="([0-9a-f]{32})"', browser.get("/opponents")[0])
        assert batch
        browser.get(f"/opponents/upload?batch={batch[1]}&number=0&name=many.phhs", file.read_bytes())
        text, _ = browser.get("/opponents/import", f"batch={batch[1]}".encode())
        address = re.search("/opponents/(?:live|imports)/([0-9a-f]{16})", text)
        assert address

        def job():
            return json.loads(next((tmp_path / "kept").glob(f"*/jobs/{address[1]}.json")).read_bytes())

        until(lambda: told_hands(db) or job()["standing"] == "done")
        made.kill()
        part = stored(db)
        assert 0 < part < len(hands)
        assert job()["standing"] == "running"
        made.start()
        until(lambda: job()["standing"] == "done")
        text, _ = browser.get(f"/opponents/imports/{address[1]}")
        assert f"{len(hands) - part:,} new hands, {part:,} known already" in text
        with Store.open(db, read_only=True) as store:
            assert sorted(hand.id for _, hand in store.find()) == sorted(hand.id for hand in hands)
        assert not list((tmp_path / "kept").glob("*/uploads/*"))
    finally:
        made.close()
