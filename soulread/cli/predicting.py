"""Predictors of a player: `soulread predict`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from soulread.cli.common import (
    Computing,
    as_json,
    data_option,
    db_option,
    open_store,
    output_option,
    print_json,
    room_option,
    say,
    status,
)
from soulread.errors import SoulreadError

if TYPE_CHECKING:
    from soulread.hands.hand import Hand


@click.command(cls=Computing)
@db_option
@data_option
@click.option("--player", required=True, help="Whose actions are foretold.")
@room_option
@click.option(
    "--learner",
    type=click.Choice(["old", "enhanced", "net", "boosting", "competing"]),
    default="net",
    show_default=True,
    help="Frequencies in 12 contexts or in Davidson's 84, a net, boosted trees, or memories that compete.",
)
@click.option(
    "--load", type=click.Path(path_type=Path), help="Judge the predictor that -o wrote to this file."
)
@output_option("Write the predictor to this file.")
@click.option(
    "--figures",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Draw to this folder, as SVG and PNG.",
)
@as_json
def predict(
    db: str | None,
    data: tuple[str, ...],
    player: str,
    room: str | None,
    learner: str,
    load: Path | None,
    output: Path | None,
    figures: Path | None,
    as_json: bool,
) -> None:
    """Train a predictor of what a player does, and judge it on the player's later hands.

    The hands are cut in time. Those of everybody before the cut train what is generic, those of the player
    teach the predictor, and each of the player's later hands is foretold before it is learnt. Accuracy counts
    decisions at which the likeliest legal action was the one taken. No player's cards are looked at.

    Examples: soulread predict --player Bob; soulread predict --data hands/ --player Bob --learner boosting
    """
    from soulread.model.predict.predictors import load_predictor, save_predictor
    from soulread.report.figures import draw
    from soulread.storage.files import verify_writable
    from soulread.study.predict.predicting import study_predictor
    from soulread.study.predict.predicting_terminal import figures_of, print_prediction

    if data and db is not None:
        raise SoulreadError("give either --db or --data")
    if output is not None:
        verify_writable(output, "predictor")
    kept = None
    if load is not None:
        kept, whose = load_predictor(load)
        if whose != player:
            raise SoulreadError(f"{str(load)!r} is a predictor of {whose!r}, not of {player!r}")
    with status("reading hands", shown=not as_json) as tell:
        if data:
            hands = _read(data, player, room)
        else:
            hands, player = _stored(db, player, room)
        study = study_predictor(hands, player, learner, tell, kept)
    if as_json:
        print_json(study)
    else:
        print_prediction(study)
    if output is not None:
        save_predictor(output, study.predictor, player)
        say(f"written: {output}", err=True)
    if figures is not None:
        try:
            figures.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SoulreadError(f"cannot write to {str(figures)!r}: {error.strerror}") from None
        files = []
        for figure in figures_of(study):
            drawn = [figures / f"predict-{figure.name}{suffix}" for suffix in (".svg", ".png")]
            draw(figure, drawn)
            files += drawn
        say(f"written: {', '.join(map(str, files))}", err=True)


def _stored(db: str | None, player: str, room: str | None) -> "tuple[list[Hand], str]":
    """Everybody's hands of a store, and the name of the player in them."""
    from soulread.hands.store import Query
    from soulread.model.predict.features import is_holdem
    from soulread.study.players.hero import meant_player

    with open_store(db) as store:
        player, query = meant_player(store, player, Query(room=room))
        return [hand for _, hand in store.find(query) if is_holdem(hand)], player


def _read(paths: tuple[str, ...], player: str, room: str | None) -> "list[Hand]":
    from soulread.hands.formats.reading import Skipped, read_hands
    from soulread.model.predict.features import is_holdem
    from soulread.study.hands.of_player import of_room

    hands: list[Hand] = []
    names: dict[str, int] = {}
    left_out = 0
    for path in paths:
        for found in read_hands(path):
            if isinstance(found, Skipped):
                left_out += 1
            elif is_holdem(found):
                hands.append(found)
                for name in found.players:
                    names[name] = names.get(name, 0) + 1
    if not hands:
        raise SoulreadError(f"{', '.join(paths)}: no hands of hold'em that can be read")
    if left_out:
        say(f"soulread: {left_out:,} hands or lines were left out", err=True)
    if player not in names:
        most = sorted(names, key=lambda name: -names[name])[:20]
        raise SoulreadError(f"nobody is called {player!r}; those with the most hands are {', '.join(most)}")
    return of_room(hands, player, room)
