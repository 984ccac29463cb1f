"""The opponents that agents remember: `soulread opponents list`, `soulread opponents forget`."""

import click

from soulread.cli.common import Computing, as_json, print_json, say

memory_option = click.option(
    "--remember", "where", metavar="FILE", required=True, help="The file of --remember of other commands."
)


@click.group()
def opponents() -> None:
    """Look at the opponents that agents remember with --remember FILE.

    The file is a store of hands, so other commands read it too: soulread player alias joins two names that
    are one opponent, soulread hands shows the hands, soulread profile describes a player.
    """


@opponents.command("list", cls=Computing)
@memory_option
@as_json
def list_(where: str, as_json: bool) -> None:
    """List who is remembered: games, hands, and when each was last met.

    Example: soulread opponents list --remember opponents.db
    """
    from soulread.play.memory import Memory
    from soulread.study.duels.opponents_terminal import print_known

    with Memory.open(where, read_only=True) as memory:
        known = memory.opponents()
    if as_json:
        print_json({"opponents": known})
        return
    print_known(where, known)


@opponents.command(cls=Computing)
@click.argument("name")
@memory_option
@as_json
def forget(name: str, where: str, as_json: bool) -> None:
    """Forget the opponent NAME: all hands in which NAME sat are removed.

    Whoever sat with NAME in a hand of more than two is remembered by one hand less.

    Example: soulread opponents forget Bob --remember opponents.db
    """
    from soulread.play.memory import Memory
    from soulread.words import plural

    with Memory.open(where, new=False) as memory:
        hands = memory.forget(name)
    if as_json:
        print_json({"forgotten": name, "hands": hands})
        return
    say(f"forgotten: {name}, {plural(hands, 'hand')}")
