"""The zoo: who is in it, and that choosing and judging stay apart."""

import json
from collections import Counter

import numpy as np
import pytest
from click.testing import CliRunner, Result
from named import make_agent

from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.play.catalogue.known import known_agents, parse_agent
from soulread.play.opponents import zoo as module
from soulread.play.opponents.zoo import CHOOSING, FAMILIES, absent, drawn_skews, equilibrium_text, zoo
from soulread.solvers.skews import format_skews
from soulread.study.duels.zoo import meet

GAMES = ["kuhn", "leduc", "leduc:iso", "limit"]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, prog_name="soulread")


@pytest.mark.parametrize("name", GAMES)
def test_everybody_can_sit_down(name: str) -> None:
    """Every text is read by the catalogue, and its agent sits at the game; nothing is solved for that."""
    game = parse_game(name)
    found = zoo(game)
    assert len({(opponent.family, opponent.label) for opponent in found}) == len(found)
    assert len({opponent.agent for opponent in found}) == len(found)
    for opponent in found:
        spec = parse_agent(opponent.agent)
        assert spec.text == opponent.agent
        assert spec.entry.refuses(game) is None
    counts = Counter(opponent.family for opponent in found)
    assert counts["rules"] >= 30
    assert counts["equilibria"] >= 5
    assert min(counts[family.name] for family in FAMILIES if family.name not in absent(game)) >= 3


@pytest.mark.parametrize("name", GAMES)
def test_choosing_and_judging_are_apart(name: str) -> None:
    game = parse_game(name)
    choosing, judging = (
        {(opponent.family, opponent.agent) for opponent in zoo(game, role)}
        for role in ("choosing", "judging")
    )
    assert not {agent for _, agent in choosing} & {agent for _, agent in judging}
    assert choosing | judging == {(opponent.family, opponent.agent) for opponent in zoo(game)}
    assert {family for family, _ in choosing} == {"bent", "rules"}


def test_the_split_is_the_one_that_was_fixed() -> None:
    """Whoever changes this list to suit a result must change this test too."""
    labels = {opponent.label for opponent in zoo(parse_game("limit"), "choosing")}
    skews = {f"skew {seed}" for seed in (0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22)}
    rules = {f"rule {number}" for number in range(10)}
    assert labels == {"loose", "tight", "passive", "aggressive", "orange"} | skews | rules
    assert frozenset.union(*CHOOSING.values()) == labels
    judged = zoo(parse_game("leduc"), "judging", "bent")
    assert [opponent.label for opponent in judged] == [f"skew {seed}" for seed in range(1, 24, 2)]


def test_drawn_skews_stay_the_same() -> None:
    leduc, limit = parse_game("leduc"), parse_game("limit")
    assert format_skews(drawn_skews(leduc, 3)) == "tight=0.13,hands=weak"
    assert format_skews(drawn_skews(limit, 7)) == "loose=0.3,rounds=river,aggressive=0.28,rounds=flop"
    assert len({format_skews(drawn_skews(limit, seed)) for seed in range(24)}) == 24
    for seed in range(24):
        for skew in drawn_skews(parse_game("kuhn"), seed):
            assert skew.rounds == ()


def test_a_family_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {name: entry for name, entry in known_agents().items() if name not in ("person", "rule")}
    monkeypatch.setattr(module, "known_agents", lambda: known)
    game = parse_game("kuhn")
    assert absent(game)["rules"] == "the catalogue has no agent 'rule'"
    assert "people" in absent(game)
    assert "bent" not in absent(game)
    assert zoo(game, family="rules") == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ring-limit:3",), "there is no zoo of 'ring-limit:3': most opponents play from a table"),
        (("kuhn", "--family", "lions"), "'lions' is not a family of the zoo; known are bent, equilibria"),
        (("kuhn", "--role", "playing"), "'playing' is not a role; known are choosing and judging"),
        (("kuhn", "--aivat"), "--agent and --aivat are for matches; add --meet"),
        (("kuhn", "--meet", "--family", "bent", "--agent", "nobody"), "'nobody' is not an agent"),
    ],
)
def test_mistakes(arguments: tuple[str, ...], message: str) -> None:
    result = run("zoo", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_nobody_to_meet() -> None:
    with pytest.raises(SoulreadError, match="nobody to meet"):
        list(meet(parse_game("kuhn"), parse_agent("random"), [], 10))


def test_meetings_are_the_matches_of_a_duel() -> None:
    record = json.loads(
        run("zoo", "kuhn", "--family", "changing", "--meet", "-n", "30", "--seed", "4", "--json").stdout
    )
    assert len(record["meetings"]) == record["families"]["changing"]["judging"] == 8
    first = record["meetings"][0]
    duel = run("duel", "kuhn", record["player"], first["agent"], "-n", "30", "-d", "--seed", "4", "--json")
    assert first["won"] == json.loads(duel.stdout)["results"][0]["mb/g"]
    assert first["sample"] == json.loads(duel.stdout)["sample"]
    assert first["aivat"] is None
    table = run(
        "zoo", "kuhn", "--family", "changing", "--meet", "-n", "30", "--aivat", "--agent", "random"
    ).output
    assert "luck taken off" in table
    assert "random in duplicate matches of 30 hands" in table


def test_the_command_lists_families_then_opponents() -> None:
    text = run("zoo").output
    assert all(family.name in text for family in FAMILIES)
    assert "the zoo of limit" in text
    assert "rule:number=39" not in text
    text = run("zoo", "limit", "--family", "rules", "--role", "judging").output
    assert "rule:number=39" in text
    assert "rule:number=9 " not in text
    record = json.loads(run("zoo", "leduc", "--json").stdout)
    assert {"family": "rules", "label": "rule 7", "role": "choosing", "agent": "rule:number=7"} in record[
        "opponents"
    ]
    assert record["families"]["rules"]["choosing"] == 10


def test_the_players_of_small_games_play() -> None:
    """One of each family that needs no long solve plays a few hands of Kuhn."""
    game = parse_game("kuhn")
    for family in ("bent", "unfinished", "deceivers", "equilibria"):
        agent = zoo(game, "judging", family)[0].agent
        view = game.start().deal(np.array(game.rules.deck)[:2]).view(0)
        assert make_agent(agent, game).act(view, np.random.default_rng(1)) in view.legal
    assert equilibrium_text(game) == "equilibrium"
    assert equilibrium_text(parse_game("limit")) == "equilibrium:5-5-5-5:quick"
