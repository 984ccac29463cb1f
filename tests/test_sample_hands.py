"""The hands that come with soulread: all are read, the habits are in them, and a user's file stays."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import soulread as sr
from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.study.players.sample import HERO, SAMPLE, sample_text, write_sample

HANDS = 3000


def test_every_hand_is_in_one_file_once(tmp_path: Path) -> None:
    study = write_sample(tmp_path / "new" / "hands")
    assert study.hands == HANDS
    texts = [(tmp_path / "new" / "hands" / name).read_text() for name in study.files]
    assert "".join(texts) == sample_text()
    assert [text.count("Hand #") for text in texts] == [250] * 12
    assert SAMPLE.stat().st_size < 250_000


def test_a_file_of_the_user_stays(tmp_path: Path) -> None:
    write_sample(tmp_path)
    write_sample(tmp_path)  # the same once more does no harm
    mine = tmp_path / "sample-03.txt"
    mine.write_text("mine")
    with pytest.raises(SoulreadError, match=r"sample-03.*name another folder"):
        write_sample(tmp_path)
    assert mine.read_text() == "mine"
    write_sample(tmp_path, force=True)
    assert mine.read_text() != "mine"
    with pytest.raises(SoulreadError, match="is a file; expected a folder"):
        write_sample(mine)


def test_the_command(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["sample-hands", str(tmp_path / "x"), "--json"])
    assert done.exit_code == 0
    told = json.loads(done.stdout)
    assert (told["hands"], told["hero"], len(told["files"])) == (HANDS, HERO, 12)
    refused = CliRunner().invoke(cli, ["sample-hands", str(tmp_path / "x" / "sample-01.txt")])
    assert refused.exit_code == 2


@pytest.mark.compiled
def test_the_habits_are_in_the_hands(tmp_path: Path) -> None:
    sr.sample_hands(tmp_path / "hands")
    study = sr.import_hands(tmp_path / "hands.db", tmp_path / "hands")
    assert (study.added.new, study.left_out) == (HANDS, 0)

    def rate(player: str, name: str) -> float:
        rows = sr.stats(tmp_path / "hands.db", player).to_rows()
        (found,) = (float(row["value"]) for row in rows if row["name"] == name)
        return found

    everybody = sr.players(tmp_path / "hands.db").to_rows()
    assert len(everybody) == 25
    assert min(person["hands"] for person in everybody) >= 500  # each is a regular
    assert rate("AmberOtter", "fold to c-bet flop") > 0.5 > 2 * rate("BrassBadger", "fold to c-bet flop")
    assert rate("CopperCrane", "PFR") > 0.4
