"""The catalogue of agents and models as a page: ``soulread agents --markdown`` writes docs/agents.md."""

from collections.abc import Iterable, Iterator, Sequence

from soulread.model.catalogue import ModelEntry
from soulread.play.catalogue.entry import AgentEntry
from soulread.report.grid import Grid, console, titled

_HEAD = """# Agents and models

This page is derived from the catalogue: `soulread agents --markdown > docs/agents.md`.

An agent is written as its name and, behind a colon, its options: `dbbr:5-5-5-5,T=1000,method=l1`.
`CARDS` is a card abstraction of limit hold'em, such as `5-5-5-5` or `5-5-5-5:quick`.
`soulread agents NAME` explains one, and says at which games it can sit.

## Agents of your own

A class with the methods `reset()`, `act(view, rng)` and `observe(hand)` is an agent. Its constructor
takes the game, and its options if the class has a dataclass `Options`. A static method
`refuses(game)` may say why the agent cannot sit at a game; `None` means that it can.

    soulread duel leduc mymodule:MyAgent equilibrium

A package offers its agents by name through the entry-point group `soulread.agents`, its models
through `soulread.models`. A model is a class with `fit(hands, player)`, `update(hand, player)` and
`probabilities(view, seat)`; see `soulread/model/base.py`. Agents that answer a model take it as an
option: `dbr:model=mymodule:MyModel`. An agent that fails, is too slow or acts illegally ends the
duel with a sentence that says so. An action is a whole number of `view.legal`; NumPy's are fine, `True`
and `1.0` are not.

An agent of your own plays in a process of its own, a new one for every match and for every pass of a
duplicate match. The same holds for a model of your own. The process is sent the views and records of one
seat, and nothing else of the match. So notes in a module, a class or the environment do not outlive a
pass, and whatever the agent does to its process (signals, threads, the working directory, its end) does
not reach yours. It has 60 seconds to be imported and made and 10 for each call, one BLAS thread, and
the memory that is free. Then it is killed, with all the processes that it has started. The first 20 lines
that it prints are shown. A start takes 0.1 seconds, and agents that decide at once play 2,000 to 5,000
hands a second.

Not prevented is what any program of yours can do: an agent may write files and read them in the next
pass, or read the seed on the command line of your process. Against one you do not trust, use a large
random `--seed` (any size is accepted), let no command line tell it (`sr.duel`), and run soulread in a
container. [Why](architecture.md#playing).

At the prompt `sr.duel` takes classes and objects too. A class that can be imported goes to a process
of its own. One that was defined at the prompt, in a notebook or in the running script, and an object,
play in your process: each class is made anew for a pass, an object only reset, and globals live on. So
do agents of an `AgentEntry`, which a package or `sr.register_agent` may add in place of a class.
"""


def catalogue_page(agents: Iterable[AgentEntry], models: Iterable[ModelEntry]) -> str:
    """Every agent and model with its options, in Markdown."""
    lines = [_HEAD, "## Agents", ""]
    for agent in agents:
        lines += _entry(agent.name, agent.about, agent.form, agent.help, agent.examples)
    lines += ["## Models", "", "For the option `model` of agents that answer one.", ""]
    for model in models:
        lines += _entry(model.name, model.about, "", model.help, ())
    return "\n".join(lines).rstrip() + "\n"


def _entry(
    name: str, about: str, form: str, options: list[tuple[str, str, str]], examples: tuple[str, ...]
) -> Iterator[str]:
    yield f"### `{name}`"
    yield ""
    yield f"{about[0].upper()}{about[1:]}."
    yield ""
    if form:
        yield f"Written `{form}`."
        yield ""
    if options:
        yield "| option | default | meaning |"
        yield "|---|---|---|"
        for option, default, text in options:
            shown = f"`{default}`" if default else ""
            yield f"| `{option}` | {shown} | {text.replace('|', 'a bar')} |"
        yield ""
    if examples:
        yield "For example " + ", ".join(f"`{example}`" for example in examples) + "."
        yield ""


def print_entries(what: str, title: str, entries: Iterable[AgentEntry | ModelEntry]) -> None:
    """Print every agent or model of a catalogue in a line."""
    table = Grid(what, "what it does", words=(1,))
    for entry in entries:
        table.add_row(entry.name, entry.about)
    console.print(titled(title, table))


def print_entry(
    name: str, about: str, form: str, options: Sequence[tuple[str, str, str]], lines: Sequence[str]
) -> None:
    """Print one agent or model: its purpose, form, lines such as its games, and options."""
    console.print(f"{name}: {about}", style="bold")
    console.print(f"written: {form or name + (':OPTION=VALUE,...' if options else '')}")
    for line in lines:
        console.print(line)
    if options:
        table = Grid("option", "default", "meaning", words=(2,))
        for option, default, help in options:
            table.add_row(option, default, help)
        console.print(table)
