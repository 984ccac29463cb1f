"""Damaged files of rooms that write plain text: hands that are whole come in, and nothing crashes."""

from pathlib import Path

import numpy as np
import pytest
from mutants import HARMLESS, REFUSED, Attack
from room_mutants import room_subject
from room_texts import ALL

EACH = 60


@pytest.mark.parametrize("name", ALL)
def test_damaged_files_are_refused_or_harmless(name: str, tmp_path: Path):
    attack = Attack(room_subject(name), tmp_path / "files")
    rng = np.random.default_rng(11)
    for _ in range(EACH):
        way, ended, said = attack(rng)
        assert ended in (REFUSED, HARMLESS), (way, ended, said)
