"""Playing: `soulread demo`, `soulread duel`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from soulread.cli.common import (
    Computing,
    as_json,
    figure_option,
    hands_option,
    jobs_option,
    keep_report,
    output_option,
    patience_option,
    print_json,
    print_json_line,
    progress,
    remember_option,
    report_option,
    say,
    section,
    seed_option,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from soulread.games.poker import PokerGame
    from soulread.processes import Jobs
    from soulread.study.duels.promise import PromiseStudy
    from soulread.study.duels.watching import Event


@click.command(cls=Computing)
def demo() -> None:
    """Show what soulread can do, in a minute."""
    from soulread.demo import run

    run()


@click.command(cls=Computing)
@click.argument("game")
@click.argument("agents", nargs=-1, required=True)
@hands_option
@click.option("--matches", "-m", default=1, show_default=True, help="Matches, each with fresh agents.")
@click.option("--duplicate", "-d", is_flag=True, help="Replay each match with the seats swapped, same cards.")
@seed_option()
@jobs_option
@output_option("Write all hands to this file, an ACPC log.")
@click.option("--until-decided", is_flag=True, help="Stop when it is clear who wins; --matches is the most.")
@click.option("--aivat", is_flag=True, help="Also tell what the first agent won with luck taken off.")
@click.option("--explain", is_flag=True, help="Compare what agents promise and foresee with what comes.")
@remember_option
@section(
    "Time",
    click.option("--clock", type=float, help="Seconds for a decision; who is late is stood in for."),
    click.option("--times", is_flag=True, help="Tell how long the agents took."),
    patience_option,
)
@section(
    "Watching",
    click.option("--watch", is_flag=True, help="Show each hand, and why the agents chose, as it goes."),
    click.option("--pace", default=0.0, show_default=True, help="Seconds to wait after each action shown."),
)
@figure_option
@report_option
@as_json
def duel(
    game: str,
    agents: tuple[str, ...],
    hands: int,
    matches: int,
    duplicate: bool,
    seed: int,
    jobs: "Jobs",
    output: Path | None,
    until_decided: bool,
    aivat: bool,
    explain: bool,
    clock: float | None,
    times: bool,
    watch: bool,
    pace: float,
    remember: str | None,
    figure: Path | None,
    as_json: bool,
) -> None:
    """Let AGENTS play GAME against each other.

    There are as many agents as the game has seats. `soulread agents` lists them, `soulread agents NAME`
    explains one; module:Class names an agent of your own. An equilibrium of limit is solved at its first use
    and kept in the cache. With --aivat the luck of the cards and of the first agent's own draws is taken off
    its result, so a few thousand hands tell what took tens of thousands; heads-up games only. With
    --until-decided one may look after every match: the interval told at the end holds all the same. With
    --explain every agent that answers a model is told what it promised beside what it won, and how well its
    model foresaw the opponent's actions and cards. With --remember agents that learn begin every match with
    what was seen of their opponents in earlier runs with this file, and what they see is kept in it; hands of
    the same --seed are not recalled, since their cards come again. soulread opponents lists who is known.

    Agents are waited for, and the same seed gives the same match. With --clock every decision is made in
    time: while an agent thinks or learns for longer, its last good answer is played, or else the equilibrium.
    Such a result depends on the machine, and says so. --watch shows all cards, what the agents believe and
    promise, the chances of their strategies and those of the equilibrium; with --json it prints one object
    per line for each deal, action and end, and the result last.

    Examples: soulread duel limit always-fold always-raise --duplicate;
    soulread duel leduc dbbr loose --hands 3000 --duplicate --aivat --explain;
    soulread duel leduc soul loose --hands 20 --watch; soulread duel leduc soul loose --clock 0.2;
    soulread duel leduc soul loose --seed 2 --remember opponents.db;
    soulread duel limit equilibrium:5-5-5-5 always-raise --hands 1000000
    """
    from contextlib import nullcontext

    from soulread.errors import SoulreadError
    from soulread.games.named import parse_game
    from soulread.hands.formats.acpc import LogWriter
    from soulread.play.catalogue.known import parse_agent
    from soulread.play.match.live import LiveHand
    from soulread.play.match.matches import play_matches
    from soulread.play.memory import Memory, remembered_words
    from soulread.study.duels.watching import MatchWatcher

    if figure is not None:
        from soulread.report.figures import verify_figure
        from soulread.storage.files import verify_writable

        if not explain:
            raise SoulreadError("--figure draws promises and results; add --explain")
        verify_writable(figure, verify_figure(figure))
    if pace < 0 or (pace and not watch):
        raise SoulreadError(f"--pace {pace:g}; it is a number of seconds from 0 up, for --watch")
    rules = parse_game(game)
    passes = len(agents) if duplicate else 1
    title = f"soulread duel {game} {' '.join(agents)} --hands {hands} --seed {seed}"
    with (
        nullcontext() if output is None else LogWriter(output, title) as write,
        nullcontext() if remember is None else Memory.open(remember) as memory,
        progress("playing", matches * hands * passes, shown=not (as_json or watch)) as (advance, tell),
    ):

        def record(hand: LiveHand) -> None:
            if write is not None:
                write(hand.end, hand.players)

        result = play_matches(
            rules,
            [parse_agent(agent) for agent in agents],
            hands,
            matches=matches,
            duplicate=duplicate,
            seed=seed,
            jobs=jobs,
            progress=advance,
            tell=tell,
            record=None if output is None else record,
            aivat=aivat,
            until_decided=until_decided,
            explain=explain,
            clock=clock,
            times=times,
            onlookers=[MatchWatcher(_shown(rules, pace, as_json))] if watch else [],
            memory=memory,
        )
        if write is not None:
            for remark in result.remarks_on_time:
                write.remark(remark)
    studies: tuple[PromiseStudy, ...] = ()
    if explain:
        from soulread.study.duels.promise import explain as study_promises
        from soulread.study.duels.promise_terminal import draw_promises, print_promise

        studies = study_promises(result)
        if figure is not None:
            draw_promises(studies, figure)
    more = {"explained": studies}, {} if memory is None else {"remembered": memory.recalled}
    keep_report(result, *more)
    if as_json:
        if watch:
            print_json_line({"event": "result"}, result, *more)
        else:
            print_json(result, *more)
        return
    from soulread.study.duels.matches_terminal import print_match

    if memory is not None:
        say(remembered_words(memory.recalled))
    print_match(result)
    for study in studies:
        print_promise(study)


def _shown(game: "PokerGame", pace: float, as_json: bool) -> "Callable[[Event], None]":
    """A function that shows an event of a match, and then waits for so many seconds."""
    import time

    from soulread.hands.record import stakes_of
    from soulread.study.duels.watching import Event
    from soulread.study.duels.watching_terminal import WatchPrinter

    show: Callable[[Event], None] = print_json_line if as_json else WatchPrinter(stakes_of(game))

    def tell(event: Event) -> None:
        show(event)
        time.sleep(pace)

    return tell


@click.command()
@click.argument("name", required=False)
@click.option("--game", "-g", help="Only agents that can sit at this game; with NAME, whether that one can.")
@click.option("--markdown", is_flag=True, help="Print the whole catalogue as a page, models too.")
@as_json
def agents(name: str | None, game: str | None, markdown: bool, as_json: bool) -> None:
    """List the agents, or explain the agent NAME: what it does, its options, where it can sit.

    Agents of installed packages are listed too (entry-point group soulread.agents).

    Examples: soulread agents; soulread agents dbbr; soulread agents --game ring-limit:6
    """
    from soulread.games.named import KNOWN_GAMES, parse_game
    from soulread.play.catalogue.known import find_agent, known_agents

    if markdown:
        from soulread.model.catalogue import MODELS
        from soulread.play.catalogue.known import AGENTS
        from soulread.study.duels.catalogue_terminal import catalogue_page

        for line in catalogue_page(AGENTS.values(), MODELS.values()).removesuffix("\n").split("\n"):
            say(line)
        return
    table = None if game is None else parse_game(game)
    if name is None:
        listed = [entry for entry in known_agents().values() if table is None or entry.refuses(table) is None]
        if as_json:
            print_json({entry.name: entry.about for entry in listed})
            return
        from soulread.study.duels.catalogue_terminal import print_entries

        print_entries("agent", "agents" if game is None else f"agents for {game}", listed)
        return
    entry = find_agent(name)
    reasons = {text: entry.refuses(parse_game(text)) for text in ([game] if game else KNOWN_GAMES)}
    if as_json:
        print_json(
            {
                "name": entry.name,
                "about": entry.about,
                "form": entry.form or None,
                "foreign": entry.foreign,
                "options": [
                    {"name": key, "default": default, "help": text} for key, default, text in entry.help
                ],
                "refuses": reasons,
                "examples": list(entry.examples),
            }
        )
        return
    from soulread.study.duels.catalogue_terminal import print_entry

    can = ", ".join(text for text, reason in reasons.items() if reason is None)
    seats = [f"sits at: {can}"] if can else []
    seats += [f"not at {text}: {reason}" for text, reason in reasons.items() if reason is not None]
    examples = f"example: {', '.join(entry.examples)}" if entry.examples else ""
    print_entry(entry.name, entry.about, entry.form, entry.help, [*seats, examples] if examples else seats)


@click.command()
@click.argument("name", required=False)
@as_json
def models(name: str | None, as_json: bool) -> None:
    """List the models of opponents, or explain the model NAME and its options.

    Agents that answer a model take one as an option: dbr:model=frequency. Models of installed packages are
    listed too (entry-point group soulread.models), and module:Class names one of your own.

    Examples: soulread models; soulread models deviation; soulread duel leduc dbr:model=tilts loose
    """
    from soulread.model.catalogue import known_models, parse_model

    if name is None:
        listed = known_models()
        if as_json:
            print_json({key: entry.about for key, entry in listed.items()})
            return
        from soulread.study.duels.catalogue_terminal import print_entries

        print_entries("model", "models of opponents", listed.values())
        return
    entry = parse_model(name).entry
    if as_json:
        options = [{"name": key, "default": default, "help": text} for key, default, text in entry.help]
        print_json({"name": entry.name, "about": entry.about, "foreign": entry.foreign, "options": options})
        return
    from soulread.study.duels.catalogue_terminal import print_entry

    print_entry(entry.name, entry.about, "", entry.help, [])
