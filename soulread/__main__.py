"""``python -m soulread`` is the `soulread` command."""

from soulread.cli import cli

cli(prog_name="soulread")
