"""The words of a coach in the terminal, and the lines that a person at a table sees."""

from collections.abc import Sequence

import numpy as np
from rich.text import Text

from soulread.estimate import Sampling, Unit
from soulread.games.poker import PokerGame
from soulread.play.table.human import STREETS
from soulread.report.grid import console
from soulread.study.duels.coach import Coach, CoachedDecision, CoachedHand, WeighedDecision
from soulread.words import plural

FEWEST = 10  # hands whose mean is worth an interval
_EVEN = 5e-4  # chips: actions that differ by less are equally good


def print_table_line(text: str, style: str = "") -> None:
    """Print a line of a table; hearts and diamonds are red."""
    line = Text(text, style=style)
    line.highlight_regex(r"\S?[♥♦]", "red")
    console.print(line)


def print_coached(coached: CoachedHand, coach: Coach) -> None:
    """Print what each decision cost, and what would have been right."""
    for decision in coached.decisions:
        for line in coached_lines(decision, coached.agent, coach.poker):
            print_table_line(line, "cyan")
    if coached.remark:
        print_table_line(f"{coached.agent}: {coached.remark}", "cyan")


def coached_lines(decision: CoachedDecision, agent: str, game: PokerGame) -> list[str]:
    """What there is to say about a decision; ``agent`` is the opponent's name, or empty."""
    place = f"{STREETS[decision.round]}, " if len(game.rules.board_cards) > 1 else ""
    title = f"coach: {place}you {decision.name}"
    lines = []
    usual, other = decision.equilibrium, decision.agent
    if usual is not None:
        title += f": {_cost(usual.cost, game)}"
        often = ", ".join(f"{one.name} {one.chance:.0%}" for one in usual.actions if one.chance >= 0.005)
        does = often if usual.followed else "would not have come here"
        lines.append(f"equilibrium: {does} ({_worth(usual)})")
        if not usual.reached:
            lines.append("it never comes here as your opponent, so all its cards count alike")
    if other is not None and usual is not None:
        same = all(abs(a.value - b.value) < _EVEN for a, b in zip(usual.actions, other.actions, strict=True))
        top = max(one.value for one in other.actions)
        best = " or ".join(one.name for one in other.actions if one.value > top - _EVEN)
        right = "the same" if same else f"{best} ({_worth(other)}); {_cost(other.cost, game)}"
        lines.append(f"best against {agent}: {right}")
    elif usual is not None and agent:
        lines.append(f"best against {agent}: not known, for it cannot say how it plays")
    if decision.believed:
        thought = ", ".join(f"{_named(usual, one.action)} {one.believed:.0%}" for one in decision.believed)
        lines.append(f"{agent} believes that here you {thought}")
    if decision.odds is not None:
        needed, wins = decision.odds.needed, decision.odds.any_cards
        lines.append(
            f"a call needs {needed:.0%} of the pot; one opponent with any cards leaves you {wins:.0%}"
        )
    return [title, *(f"  {line}" for line in lines)] if lines else []


def _named(weighed: WeighedDecision | None, action: int) -> str:
    """The name of an action that a belief is about."""
    actions = () if weighed is None else weighed.actions
    return next((one.name for one in actions if one.action == action), str(action))


def _worth(weighed: WeighedDecision) -> str:
    return ", ".join(f"{one.name} {one.value:+.2f}" for one in weighed.actions)


def _cost(chips: float, game: PokerGame) -> str:
    """Chips, and thousandths of a small bet."""
    if chips < _EVEN:
        return "costs nothing"
    return f"costs {chips:.2f} chips ({1000 * chips / game.rules.small_bet:.0f} mb)"


def cost_text(costs: Sequence[float], game: PokerGame) -> str:
    """What decisions cost over some hands, in words; ``costs`` has the chips of each hand."""
    mean = sum(costs) / len(costs) * Unit.MILLIBETS.per_chip(*_stakes(game))
    lost = f"{sum(costs):.2f} chips in {plural(len(costs), 'hand')}, {mean:.0f} mb/g"
    return f"given up against the equilibrium: {lost}"


def score_text(won: Sequence[int], game: PokerGame, learning: bool) -> str:
    """What a player won in one match so far, with the 95% interval; ``won`` has the chips of each hand."""
    unit = Unit.MILLIBETS if game.rules.raise_sizes is not None else Unit.BIG_BLINDS_PER_100
    text = f"{sum(won):+,} chips in {plural(len(won), 'hand')}"
    if len(won) < FEWEST:
        return text
    found = Sampling(1, len(won), learning).estimate(np.array([won], dtype=np.float64))
    return f"{text}: {found.scaled(unit.per_chip(*_stakes(game))).text(0)} {unit.value}"


def _stakes(game: PokerGame) -> tuple[int, int]:
    return game.rules.small_bet, game.rules.big_blind
