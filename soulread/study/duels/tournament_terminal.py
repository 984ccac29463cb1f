"""A tournament as tables: the crosstable, total bankrolls, the run-off."""

from soulread.play.match.judges import LuckRemoval
from soulread.report.grid import Grid, console, titled
from soulread.study.duels.tournament import UNIT, Tournament
from soulread.words import plural

_LUCK = {
    LuckRemoval.WORTH: "what both strategies win from each other is computed",
    LuckRemoval.AIVAT: "luck is taken off by AIVAT",
    LuckRemoval.RAW: "chips count as they fell",
}


def print_tournament(found: Tournament) -> None:
    """Print who won how much from whom, the winners, and what failed."""
    what = (
        plural(found.matches, "duplicate match", "duplicate matches") + " of " + plural(found.hands, "hand")
    )
    title = f"{found.game}: {what} of every {'pair' if found.seats == 2 else f'{found.seats} agents'}"
    order = [found.agents.index(place.agent) for place in found.places]
    order += [i for i in range(len(found.agents)) if i not in order]
    table = Grid(f"won, {UNIT.value}", "total bankroll", *(found.agents[i] for i in order))
    totals = {place.agent: place.won.text() for place in found.places}
    for agent in order:
        cells = [found.against(agent, other) for other in order]
        row = ["" if cell is None else cell.text() for cell in cells]
        table.add_row(found.agents[agent], totals.get(found.agents[agent], "not ranked"), *row)
    console.print(titled(f"{title}, seed {found.seed}", table))
    _print_notes(found)
    _print_winners(found)


def _print_notes(found: Tournament) -> None:
    kind = "95% interval" if found.most is None else "95% interval at any time"
    console.print(
        f"A row won so much {found.opposite}. ± is half the {kind}; n = {found.sample}.", style="dim"
    )
    kinds = [result.encounter.luck for result in found.finished]
    told = [
        f"{_LUCK[luck]} ({plural(kinds.count(luck), 'encounter')})" for luck in LuckRemoval if luck in kinds
    ]
    if told:
        text = "; ".join(told)
        console.print(f"{text[0].upper()}{text[1:]}. Everybody was dealt the same cards.", style="dim")
    if found.by_clock:
        limit = "" if found.clock is None else f", at most {found.clock:g} s a decision"
        names = ", ".join(found.by_clock)
        console.print(f"By the clock{limit}, so that another run may differ: {names}.", style="dim")
    late = [f"{agent} {plural(count, 'time')}" for agent, count in found.stand_ins.items() if count]
    if late:
        console.print(f"Something stood in for {', '.join(late)}.", style="dim")


def _print_winners(found: Tournament) -> None:
    for failed in (result for result in found.encounters if result.failed):
        names = ", ".join(found.agents[i] for i in failed.encounter.agents)
        played = plural(len(failed.won), "match", "matches")
        console.print(f"failed after {played}: {names}: {failed.failed}")
    if found.left_out:
        console.print(f"Not ranked, since encounters failed: {', '.join(found.left_out)}.")
    if found.winner is None:
        console.print("Nobody is ranked.")
        return
    console.print(f"total bankroll: {found.winner} wins{_tied(found.winner_tied)}")
    steps = ", ".join(place.agent for place in found.run_off[:-1])
    console.print(
        f"instant run-off: {found.run_off_winner} wins{_tied(found.run_off_tied)}; removed: {steps}"
    )
    if found.most is not None:
        state = "decided" if found.decided else "not decided"
        console.print(
            f"{state} after {plural(found.matches, 'match', 'matches')} of at most {found.most:,}; intervals "
            "hold although one looked after every match."
        )


def _tied(names: tuple[str, ...]) -> str:
    return f", tied within the interval with {', '.join(names)}" if names else ""
