"""One meaning for each option: the same name means the same thing in every command, and so does a letter."""

from collections import defaultdict
from collections.abc import Iterator

import click

from soulread.cli import COMMANDS, cli

SEVERAL = {  # options that take one value in some commands and several in others
    "--data",
    "--trust",
    "--player",
}

ALIKE = {"directory": "path", "file": "path", "integer range": "integer", "choice": "text"}


def options() -> Iterator[tuple[str, click.Option]]:
    """Every option of every command, with the name of the command."""
    for commands in COMMANDS.values():
        for name in commands:
            command = cli.get_command(click.Context(cli), name)
            assert command is not None
            parts = command.commands.values() if isinstance(command, click.Group) else [command]
            for part in parts:
                yield from (
                    (f"{name} {part.name}", found) for found in part.params if isinstance(found, click.Option)
                )


def test_a_letter_stands_for_one_option() -> None:
    meant = defaultdict(set)
    for _, option in options():
        for letter in (text for text in option.opts if not text.startswith("--")):
            meant[letter].add(max(option.opts, key=len))
    assert meant["-n"] == {"--hands", "--limit"}  # a number of hands
    assert all(len(names) == 1 for letter, names in meant.items() if letter != "-n"), meant


def test_an_option_takes_the_same_kind_of_value_everywhere() -> None:
    kinds: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for command, option in options():
        for name in (text for text in option.opts if text.startswith("--")):
            kind = "flag" if option.is_flag else ALIKE.get(option.type.name, option.type.name)
            kinds[name][kind].append(command)
    wrong = {name: dict(found) for name, found in kinds.items() if len(found) > 1 and name not in SEVERAL}
    assert not wrong


def test_amounts_say_their_unit() -> None:
    for command, option in options():
        assert option.help, (command, option.name)
        if "--risk" in option.opts:
            assert "chips" in option.help.lower()
        if "--gap" in option.opts:
            assert "chips" in option.help
        if "--trust" in option.opts:
            assert "0 to 1" in option.help
        if "--output" in option.opts:
            assert option.help.startswith("Write")


def test_no_option_has_an_old_name() -> None:
    names = {text for _, option in options() for text in option.opts}
    assert not names & {
        "--p",
        "--file",
        "--save",
        "--export",
        "--log",
        "--precision",
        "--observed-games",
    }
