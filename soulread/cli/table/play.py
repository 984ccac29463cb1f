"""A seat for a person: `soulread play`."""

import shlex
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from soulread.cli.common import Computing, db_option, open_store, output_option, status
from soulread.errors import SoulreadError

if TYPE_CHECKING:
    from soulread.games.poker import PokerGame
    from soulread.play.agent import Agent
    from soulread.play.catalogue.entry import AgentSpec
    from soulread.seqform.source import Tell
    from soulread.serve.sitting import SessionHand, Sitting, TableSession
    from soulread.study.duels.coach import Coach


@click.command(cls=Computing)
@click.argument("game", required=False)
@click.argument("agents", nargs=-1, metavar="[AGENT]...")
@click.option("--coach", is_flag=True, help="After each hand, tell what was right and what you gave up.")
@click.option("--name", help="Your name in the store.  [default: you]")
@click.option("--hands", "-n", type=click.IntRange(1), help="Leave after this many hands.  [default: with q]")
@click.option("--seed", type=click.IntRange(0), help="Same seed, same cards.  [default: a large random one]")
@click.option("--resume", is_flag=True, help="Go on with your last session, or with that of --output.")
@db_option
@output_option("Write the session to this file.  [default: a new one beside your own store]")
def play(
    game: str | None,
    agents: tuple[str, ...],
    coach: bool,
    name: str | None,
    hands: int | None,
    seed: int | None,
    resume: bool,
    db: str | None,
    output: Path | None,
) -> None:
    """Play GAME against AGENTs at this terminal.

    One agent in a game of more than two takes all other seats. Keys: f folds, c checks or calls, r raises; in
    no-limit games 40 raises to 40, 50% or 1/2 by that part of the pot, p by the pot, a all chips. q leaves at
    any moment: the session is kept, with the hand that was begun, and goes on with --resume, also if the
    terminal was closed. Your hands go into a store, as you saw them, so that soulread stats, hands and
    profile know you.

    With --coach you are told after each hand what the equilibrium does, what is best against the agent as it
    plays, and what each of your decisions cost: exactly in kuhn and leduc, in limit through a card
    abstraction. Without tables of the game, as in no-limit, there are pot odds.

    Examples: soulread play leduc soul --coach; soulread play nolimit:players=6 plain --name Ann;
    soulread play --resume
    """
    from datetime import datetime

    from soulread.cli.table.common import game_at_table
    from soulread.play.agent import learns
    from soulread.play.catalogue.known import parse_agent
    from soulread.play.match.matches import distinct_names
    from soulread.play.table.dealing import MatchTerms
    from soulread.serve.sitting import ENDLESS, Sitting, last_session, new_session_path

    if resume and output is None:
        output = last_session()
    session = _session(game, agents, name, seed, output if resume else None)
    table = game_at_table(session.game)
    count = table.game.num_players - 1
    chosen = session.agents * count if len(session.agents) == 1 else session.agents
    if len(chosen) != count:
        raise SoulreadError(
            f"{len(chosen)} agents for {table.game.name!r}; it has {count} seats besides yours"
            + (", and one agent can take them all" if count > 1 else "")
        )
    specs = [parse_agent(text) for text in chosen]
    names = session.name, *distinct_names([spec.text for spec in specs])
    terms = MatchTerms(table.game, names, ENDLESS, session.seed, scale=table.scale)
    title = Path(session.game).name if session.game.endswith(".game") else table.game.name
    path = new_session_path(session, datetime.now()) if output is None else output
    with ExitStack() as stack:
        with status("making the agents", shown=True) as tell:
            made = [spec.make(table.game, tell) for spec in specs]
            for agent in made:
                stack.callback(getattr(agent, "close", lambda: None))
                agent.reset()
            coaching = _coach(table.game, specs, tell) if coach else None
            store = stack.enter_context(open_store(db, read_only=False))
            sitting = stack.enter_context(Sitting(session, terms, title, made, path, resume=resume))
        face = _Face(sitting, coaching, any(map(learns, made)))
        face.show_table()
        with suppress(KeyboardInterrupt):
            sitting.play(
                face.person,
                store,
                face.show_end,
                begun=face.show_begin,
                leave_after=hands,
                look=coach and count == 1,
                thinks=_thinking(made, specs),
            )
        face.show_leave(path, coach, db)


def _session(
    game: str | None, agents: tuple[str, ...], name: str | None, seed: int | None, resumed: Path | None
) -> "TableSession":
    """The session that is begun, or that of a file."""
    import secrets
    from datetime import UTC, datetime

    from soulread.serve.sitting import TableSession, read_session

    if resumed is not None:
        if game is not None or name is not None or seed is not None:
            raise SoulreadError("--resume goes on with a session, which has its game, agents, name and seed")
        return read_session(resumed)
    if game is None or not agents:
        raise SoulreadError("name a game and an agent, such as leduc equilibrium; --resume goes on")
    if Path(game).is_file():
        game = str(Path(game).resolve())
    number = secrets.randbits(128) if seed is None else seed
    began = datetime.now(UTC).isoformat(timespec="microseconds")
    return TableSession(game, agents, "you" if name is None else name, number, began)


def _coach(game: "PokerGame", specs: "list[AgentSpec]", tell: "Tell") -> "Coach":
    """The coach: with the equilibrium of the game, over the agent's cards if it has an abstraction."""
    from soulread.play.catalogue.entry import where_tables_reach
    from soulread.play.table.punctual import source_beside
    from soulread.study.duels.coach import Coach

    if where_tables_reach(game) is not None:
        return Coach(game)
    return Coach.of(source_beside(specs[0], game), tell)


class _Face:
    """What the person sees of a sitting."""

    def __init__(self, sitting: "Sitting", coach: "Coach | None", learning: bool) -> None:
        from soulread.play.table.human import HumanPlayer

        self.sitting = sitting
        self.coach = coach
        self.learning = learning
        self.game = sitting.terms.game
        self.person = HumanPlayer(sitting.terms.names[0], self.game, _ask, _show)
        self._costs: list[float] = []  # chips, of the hands since the person sat down

    def show_table(self) -> None:
        """Show who plays, what everybody has, and what the keys mean."""
        _show(f"{self.game.name}: you against {', '.join(self.sitting.terms.names[1:])}", "bold")
        stacks = self.game.rules.stacks
        if stacks is None:
            _show("Nobody runs out of chips. Keys: f fold, c check or call, r bet or raise,")
            _show("h the hand so far, q leave; the hand is kept")
        else:
            every = "/".join(map(str, dict.fromkeys(stacks)))
            _show(f"Everybody begins every hand with {every} chips. Keys: f fold, c check or call,")
            _show("r40 bet or raise to 40, 50% or 1/2 by a part of the pot, p the pot, a all-in,")
            _show("h the hand so far, q leave; the hand is kept")
        if self.coach is not None:
            _show(self.coach.scope, "cyan")
        if self.sitting.won:
            _show(f"so far {self._score}")

    def show_begin(self, number: int) -> None:
        """Show which hand begins, and where the person sits."""
        from soulread.play.table.human import position_name

        seat = self.sitting.terms.seating(number).index(0)
        _show("")
        _show(f"hand {number + 1}, {position_name(self.game, seat)}", "bold")

    def show_end(self, finished: "SessionHand") -> None:
        """Show how a hand ended, what the coach says, and what the person has won so far."""
        from soulread.study.duels.coach_terminal import cost_text, print_coached

        self.person.show_end(finished.hand)
        if self.coach is not None:
            agent = finished.opponents[0] if finished.opponents else None
            coached = self.coach.review(finished.hand, self.sitting.terms.names[0], agent)
            print_coached(coached, self.coach)
            if coached.cost is not None:
                self._costs.append(coached.cost)
                _show(cost_text(self._costs, self.game), "cyan")
        _show(f"so far {self._score}")

    def show_leave(self, path: Path, coach: bool, db: str | None) -> None:
        """Show how to go on, and where the hands are."""
        from soulread.hands.tables.database import shown_address
        from soulread.serve.sitting import last_session, sessions_folder

        dealer = self.sitting.dealer
        begun = " in the middle of the hand" if dealer.hand.state.actions and not dealer.hand_over else ""
        more = [] if path.parent == sessions_folder() and path == last_session() else ["-o", str(path)]
        more += ["--coach"] if coach else []
        more += [] if db is None else ["--db", shown_address(db)]
        _show("")
        _show(f"You have left the table{begun}. To go on:")
        _show(f"  {shlex.join(['soulread', 'play', '--resume', *more])}")

    @property
    def _score(self) -> str:
        from soulread.study.duels.coach_terminal import score_text

        return score_text(self.sitting.won, self.game, self.learning)


def _thinking(
    agents: "list[Agent]", specs: "list[AgentSpec]"
) -> "Callable[[Agent], AbstractContextManager[object]]":
    """While an agent thinks that may take long, a line says so."""
    from soulread.play.table.punctual import is_prompt

    slow = {id(agent) for agent, spec in zip(agents, specs, strict=True) if not is_prompt(spec)}
    return lambda agent: status(f"{agent.name} thinks", shown=True) if id(agent) in slow else nullcontext()


def _ask(prompt: str) -> str:
    try:
        return str(click.prompt(prompt, prompt_suffix=" ", default="", show_default=False))
    except click.Abort:
        return "q"


def _show(line: str, style: str = "") -> None:
    from soulread.study.duels.coach_terminal import print_table_line

    print_table_line(line, style)
