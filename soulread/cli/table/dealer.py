"""Dealing a match: `soulread dealer`."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from soulread.cli.common import (
    Computing,
    Interrupted,
    as_json,
    hands_option,
    output_option,
    print_json,
    progress,
    remember_option,
    say,
    section,
    seed_option,
)

if TYPE_CHECKING:
    from soulread.hands.hand import Hand
    from soulread.play.agent import Agent
    from soulread.play.table.clock import ClockLimits
    from soulread.play.table.dealing import MatchTerms
    from soulread.play.table.seated import SeatedAgent
    from soulread.serve.dealing import MatchTable
    from soulread.serve.journal import MatchFiles
    from soulread.serve.lines import LineSocket

clocks = section(
    "Clocks, in seconds",
    click.option("--per-decision", default=600.0, show_default=True, help="For a decision."),
    click.option("--per-hand", default=600.0, show_default=True, help="For a player's decisions of a hand."),
    click.option("--mean", type=float, help="A hand, over the match.  [default: 7; 600 with a human]"),
    click.option("--start", default=600.0, show_default=True, help="Until all seats are taken."),
)


@click.command(cls=Computing)
@click.argument("game")
@click.argument("seats", nargs=-1, required=True, metavar="SEAT...")
@hands_option
@seed_option()
@output_option("Write the log to this file, and a journal beside it, from which a match is resumed.")
@click.option("--resume", is_flag=True, help="Go on with the match of --output.")
@remember_option
@click.option("--fixed", is_flag=True, help="Everybody keeps the seat of the first hand.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at; see above.")
@click.option("--ports", help="Ports of the seats that are sockets, as 18791,18792.  [default: free ones]")
@clocks
@as_json
def dealer(
    game: str,
    seats: tuple[str, ...],
    hands: int,
    seed: int,
    output: Path | None,
    resume: bool,
    remember: str | None,
    fixed: bool,
    host: str,
    ports: str | None,
    per_decision: float,
    per_hand: float,
    mean: float | None,
    start: float,
    as_json: bool,
) -> None:
    """Deal a match of GAME by the ACPC protocol, version 2.0.0.

    GAME is a .game file or a game by name. Each SEAT is an agent of ours; `socket` or `socket:NAME` for a
    program that connects; or `human` for a person at this terminal. The first line printed has the ports of
    the sockets, the last one the SCORE. Cards depend on the seed alone: the same seed with the seats swapped
    makes a duplicate match.

    Only programs of this machine can connect. With --host 0.0.0.0 everybody who can reach this machine can
    take a seat and play it; nothing is encrypted and nobody is asked for a password.

    With -o the match can be resumed with --resume from the very action where it stood, however the dealer
    ended. docs/table.md says what happens to a player that is late, hangs up, or sends odd lines.

    With --remember our agents that learn begin with what was seen in earlier matches with this file of
    everybody who sits here, by name, and what they see is kept in it.

    Examples: soulread dealer leduc equilibrium soul -n 500;
    soulread dealer leduc.limit.2p.game equilibrium socket:Bob --ports 18791 -o match.log
    """
    from soulread.cli.table.common import game_at_table
    from soulread.errors import SoulreadError
    from soulread.notices import tell as notice
    from soulread.play.table.clock import ClockLimits
    from soulread.play.table.dealing import MatchTerms
    from soulread.serve.welcome import LOOPBACK, Reception

    if resume and output is None:
        raise SoulreadError("--resume goes on with the match of a log; name it with -o")
    table = game_at_table(game)
    kinds = [seat.partition(":")[0] for seat in seats]
    if kinds.count("human") > 1:
        raise SoulreadError("there is one terminal, so one seat can be human")
    usual = 600.0 if "human" in kinds else 7.0
    limits = ClockLimits(per_decision, per_hand, usual if mean is None else mean)
    terms = MatchTerms(table.game, _names(seats, kinds), hands, seed, fixed, table.scale)
    sockets = [number for number, kind in enumerate(kinds) if kind == "socket"]
    with ExitStack() as stack:
        reception = Reception([terms.names[number] for number in sockets], host, _ports(ports))
        stack.callback(reception.close)
        if sockets:
            if host != LOOPBACK:
                notice(f"everybody who can reach {host} can take a seat; nothing is encrypted")
            say(" ".join(map(str, reception.ports)), err=as_json)
        with progress("dealing", hands, shown=not as_json and "human" not in kinds) as (advance, tell):
            players = _players(seats, kinds, terms, limits, stack, tell)
            match = _Match(terms, limits, players, advance)
            if remember is not None:
                match.remember(remember, stack)
            if output is not None:
                title = Path(game).name if game.endswith(".game") else table.game.name
                match.keep(output, title, resume, stack)
            if not match.score:
                match.play(dict(zip(sockets, reception.welcome(start) if sockets else (), strict=True)))
    if as_json:
        print_json(match.record)
        return
    match.show()


class _Match:
    """A match from its beginning, or from where its files stand, to its score."""

    def __init__(
        self,
        terms: "MatchTerms",
        limits: "ClockLimits",
        players: "dict[int, SeatedAgent]",
        advance: Callable[[int], None],
    ) -> None:
        from soulread.play.table.clock import Clock
        from soulread.play.table.dealing import Dealer

        self.terms = terms
        self.limits = limits
        self.players = players
        self.score = ""
        self._advance = advance
        self._dealer = Dealer(terms)
        self._clock = Clock(limits, len(terms.names), terms.hands)
        self._files: MatchFiles | None = None
        self._table: MatchTable | None = None

    def keep(self, path: Path, game: str, resume: bool, stack: ExitStack) -> None:
        """Write the match to files, and go on where they end; agents learn from the hands that are over."""
        from soulread.serve.journal import MatchFiles

        files = MatchFiles(path, self.terms, self.limits, game, resume=resume, earlier=self._learn)
        self._files = stack.enter_context(files)
        for player in self.players.values():
            getattr(player.agent, "settle", lambda: None)()
        standing = files.standing
        self._dealer, self.score = standing.dealer, standing.score
        self._clock.match, self._clock.hand = list(standing.used), list(standing.used_in_hand)

    def remember(self, where: str, stack: ExitStack) -> None:
        """Let our agents that learn begin with what was seen before."""
        from soulread.cli.table.common import memory_at_table
        from soulread.errors import SoulreadError
        from soulread.notices import tell
        from soulread.play.memory import Memory, remembers

        names = self.terms.names
        learning = [number for number, player in self.players.items() if remembers(player.agent)]
        if not learning:
            raise SoulreadError(f"nobody of ours learns, so nothing is remembered: {', '.join(names)}")
        memory = stack.enter_context(Memory.open(where))
        for number in learning:
            player = self.players[number]
            player.memory = memory_at_table(
                memory,
                self.terms.game,
                player.agent,
                [names[(number + step) % len(names)] for step in range(1, len(names))],
                stack,
                seed=self.terms.seed,
                place=number,
                remark=tell,
            )

    def _learn(self, hand: "Hand") -> None:
        for number, player in self.players.items():
            player.learn(hand, self.terms.names[number])
        self._advance(1)

    def play(self, connected: "dict[int, LineSocket]") -> None:
        """Play all hands that are left."""
        from soulread.cli.table.common import nothing_to_collect
        from soulread.errors import SoulreadError
        from soulread.serve.dealing import AgentSeat, MatchTable

        seats = [
            connected[number] if number in connected else AgentSeat(self.players[number])
            for number in range(len(self.terms.names))
        ]
        self._table = MatchTable(self._dealer, seats, self._clock, self._files, self._advance)
        more = "; the same command with --resume goes on" if self._files is not None else ""
        try:
            with nothing_to_collect():
                self.score = self._table.play()
        except SoulreadError as error:
            raise SoulreadError(f"{error}{more}") from None
        except KeyboardInterrupt:
            raise Interrupted(f"interrupted in hand {self._dealer.number}{more}") from None

    @property
    def record(self) -> dict[str, Any]:
        """The result for JSON."""
        terms, played = self.terms, self._table
        return {
            "game": terms.game.name,
            "hands": terms.hands,
            "seed": terms.seed,
            "score": self.score,
            "players": [
                {
                    "name": name,
                    "won": float(self._dealer.totals[number] * terms.scale),
                    "times": None if played is None else played.times[number],
                    "remarks": 0 if played is None else played.remarks[number],
                    "stand_ins": self._stand_ins(number),
                    "remembered": self._remembered(number),
                }
                for number, name in enumerate(terms.names)
            ],
        }

    def _stand_ins(self, number: int) -> dict[str, int]:
        player = self.players.get(number)
        return {} if player is None else dict(getattr(player.agent, "stand_ins", {}))

    def _remembered(self, number: int) -> dict[str, int] | None:
        memory = self.players[number].memory if number in self.players else None
        return None if memory is None else memory.by_name

    def show(self) -> None:
        """Print how long everybody thought, and last the score."""
        from soulread.words import plural

        for number, player in enumerate(self.record["players"]):
            memory = self.players[number].memory if number in self.players else None
            if memory is not None:
                say(f"{player['name']}: {memory.sentence}")
            if player["times"] is not None:
                odd = f"; {plural(player['remarks'], 'remark')}" if player["remarks"] else ""
                say(f"{player['name']}: {player['times'].text}{odd}")
            for why, count in player["stand_ins"].items():
                say(f"{player['name']}: something stood in {plural(count, 'time')}: {why}")
        say(self.score)


def _names(seats: Sequence[str], kinds: Sequence[str]) -> tuple[str, ...]:
    """The name of each player: that behind the colon, or the agent's text."""
    from soulread.play.match.matches import distinct_names

    return distinct_names(
        [
            seat.partition(":")[2] or f"{kind}{number}" if kind in ("socket", "human") else seat
            for number, (seat, kind) in enumerate(zip(seats, kinds, strict=True), start=1)
        ]
    )


def _players(
    seats: Sequence[str],
    kinds: Sequence[str],
    terms: "MatchTerms",
    limits: "ClockLimits",
    stack: ExitStack,
    tell: Callable[[str], None],
) -> "dict[int, SeatedAgent]":
    """Our own players, by number: agents, held to the limits, and a person."""
    import time

    from soulread.cli.table.common import agent_at_table, human_at_table
    from soulread.notices import tell as notice
    from soulread.play.table.seated import SeatedAgent
    from soulread.streams import MatchStreams

    hand = min(limits.hand, limits.mean)
    found = {}
    for number, kind in enumerate(kinds):
        if kind == "socket":
            continue
        show = None
        others: list[str] = []  # agents know their opponents by where they sit
        made: Agent
        if kind == "human":
            made, show = human_at_table(terms.names[number], terms.game)
            others = [*terms.names[number + 1 :], *terms.names[:number]]
        else:
            made = agent_at_table(seats[number], terms.game, min(limits.decision, hand), hand, notice, tell)
            stack.callback(getattr(made, "close", lambda: None))
        own = int(MatchStreams(terms.seed).agent(number).integers(2**63))
        found[number] = SeatedAgent(terms.game, made, own, others=others, record=show, clock=time.monotonic)
    return found


def _ports(text: str | None) -> list[int]:
    from soulread.errors import SoulreadError

    parts = [] if text is None else text.split(",")
    if not all(part.isdecimal() and 0 < int(part) < 65536 for part in parts):
        raise SoulreadError(f"--ports {text!r}; expected numbers from 1 to 65535, as 18791,18792")
    return [int(part) for part in parts]
