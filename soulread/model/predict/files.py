"""Predictors of players on disk; see `soulread.model.predict.trained` for the file.

Read back, a predictor gives the same chances to the bit, and goes on learning where it was.
"""

import os
from pathlib import Path

from soulread.errors import DamagedFile, SoulreadError
from soulread.model.predict.predictors import KINDS, ActionPredictor
from soulread.model.predict.trained import read_trained, write_trained


def save_predictor(path: str | os.PathLike[str], predictor: ActionPredictor, player: str = "") -> None:
    """Write a predictor and the name of its player; the file is written whole or not at all."""
    made = {"kind": predictor.kind, "settings": predictor.settings(), "player": player}
    write_trained(Path(path), made, predictor.tensors())


def load_predictor(path: str | os.PathLike[str]) -> tuple[ActionPredictor, str]:
    """Read a predictor and the name of its player. A file that is damaged anywhere is refused."""
    source = Path(path)
    made, tensors = read_trained(source)
    if made["kind"] not in KINDS:
        known = ", ".join(KINDS)
        raise SoulreadError(f"{str(source)!r} is a {made['kind']}, not a predictor of a player: {known}")
    try:
        return KINDS[made["kind"]].restored(made["settings"], tensors), str(made["player"])
    except DamagedFile as error:
        raise DamagedFile(f"{str(source)!r}: {error}") from None
    except (KeyError, ValueError, TypeError, IndexError, AttributeError) as error:
        if isinstance(error, SoulreadError):
            raise
        raise DamagedFile(f"{str(source)!r} is a predictor with a broken entry: {error}") from None
