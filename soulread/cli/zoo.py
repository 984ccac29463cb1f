"""Opponents to choose settings on and to be judged by: `soulread zoo`."""

import click

from soulread.cli.common import as_json, hands_option, print_json, progress, seed_option


@click.command()
@click.argument("game", default="limit")
@click.option("--family", help="Only opponents of this family.")
@click.option("--role", help="Only opponents for choosing settings, or only those for judging.")
@click.option("--meet", is_flag=True, help="Let the equilibrium, or --agent, play against each of them.")
@click.option("--agent", help="Who meets them.  [default: the equilibrium]")
@hands_option
@seed_option()
@click.option("--aivat", is_flag=True, help="Also tell what was won with luck taken off.")
@as_json
def zoo(
    game: str,
    family: str | None,
    role: str | None,
    meet: bool,
    agent: str | None,
    hands: int,
    seed: int,
    aivat: bool,
    as_json: bool,
) -> None:
    """Opponents of different kinds in GAME, by family.

    An opponent is for choosing an agent's settings or for judging the agent, never for both. Whole families
    are for judging only. With --meet each plays a duplicate match, which may first have to be solved for.

    Examples: soulread zoo; soulread zoo leduc --family deceivers; soulread zoo limit --role judging --json;
    soulread zoo leduc --family rules --meet --hands 3000 --aivat
    """
    from soulread.errors import SoulreadError
    from soulread.games.named import parse_game
    from soulread.notices import tell_if_nothing_is_compiled
    from soulread.play.catalogue.known import parse_agent
    from soulread.play.opponents.zoo import equilibrium_text
    from soulread.study.duels.zoo import list_zoo
    from soulread.study.duels.zoo import meet as play_each
    from soulread.study.duels.zoo_terminal import print_families, print_meetings, print_opponents

    rules = parse_game(game)
    study = list_zoo(rules, role, family)
    if not meet:
        if agent is not None or aivat:
            raise SoulreadError("--agent and --aivat are for matches; add --meet")
        if as_json:
            print_json(study)
        elif family is None and role is None:
            print_families(study)
        else:
            print_opponents(study)
        return
    tell_if_nothing_is_compiled()
    chosen = parse_agent(equilibrium_text(rules) if agent is None else agent)
    opponents = [(opponent, parse_agent(opponent.agent)) for opponent in study.opponents]
    with progress("playing", 2 * hands * len(study.opponents), shown=not as_json) as (advance, tell):
        found = list(
            play_each(rules, chosen, opponents, hands, seed=seed, aivat=aivat, progress=advance, tell=tell)
        )
    if as_json:
        played = {"player": chosen.text, "hands": hands, "seed": seed}
        print_json(study, played, {"meetings": found})
        return
    print_meetings(chosen.text, found)
