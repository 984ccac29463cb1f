"""Card abstractions: `soulread abstraction build` and `info`."""

import click

from soulread.cli.common import Computing, as_json, print_json, say, status


@click.group()
def abstraction() -> None:
    """Card abstractions of hold'em: build their tables, see what is there."""


@abstraction.command(cls=Computing)
@click.argument("spec")
@click.option("--quick", is_flag=True, help="Joint matrices from a part of the boards: seconds, not minutes.")
def build(spec: str, quick: bool) -> None:
    """Build the tables of an abstraction, or find that they are in the cache.

    SPEC is the number of buckets in each round, as in 5-5-5-5, behind hs: or potential: if not by E[HS^2].

    Example: soulread abstraction build 8-12-4-4
    """
    from soulread.abstraction.states import parse_abstraction
    from soulread.abstraction.tables import load_or_build

    parsed = parse_abstraction(spec)
    with status(f"reading {parsed}", shown=True) as show:
        made, joint = load_or_build(parsed, quick, lambda title, part: show(f"{parsed}: {title}, {part:.0%}"))
    states = " / ".join(f"{size:,}" for size in made.num_states)
    say(f"{parsed}: {states} private states, {joint.num_deals:,} deals, {joint.tie_rate:.3%} of them ties")


@abstraction.command()
@as_json
def info(as_json: bool) -> None:
    """List the abstractions and equilibria in the cache, and say where it is.

    Example: soulread abstraction info
    """
    from soulread.abstraction.tables import info as cached_tables
    from soulread.solvers.equilibria import kept_equilibria
    from soulread.storage.cache import cache_directory

    found, solved = cached_tables(), kept_equilibria()
    if as_json:
        print_json(
            {
                "cache": str(cache_directory()),
                "tables": [
                    {
                        "what": entry.what,
                        "abstraction": entry.spec or None,
                        "states": list(entry.num_states),
                        "bytes": entry.num_bytes,
                        "created": entry.created.isoformat(),
                        "current": entry.current,
                        "path": str(entry.path),
                    }
                    for entry in found
                ],
                "equilibria": [
                    {
                        "game": strategy.game,
                        "method": strategy.method,
                        "iterations": strategy.iterations,
                        "gap": strategy.gap,
                        "bytes": path.stat().st_size,
                        "path": str(path),
                    }
                    for path, _, strategy in solved
                ],
            }
        )
        return
    from soulread.study.strategies.solving_terminal import print_cache

    print_cache(cache_directory(), found, solved)
