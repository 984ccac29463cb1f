"""Games of OpenSpiel (Lanctot et al., arXiv:1908.09453) behind soulread's contract; extra ``openspiel``.

A game must have two players, be zero-sum, and state the probabilities of chance. If both players move at
once, the game is read as one in which they move one after the other, and the second player does not see what
the first one did. Information labels are OpenSpiel's information states.

Some games of OpenSpiel say what is public: Kuhn, Leduc and games of perfect information. For the others it is
derived from the whole tree. Two histories with the same seat to move share a public label if one player
cannot tell them apart, or if a chain of such pairs links them. The label lists the moves that all its
histories have in common, and ``?`` for the others. In liar's dice, where two dice were rolled unseen, such
a label is "? ? 1-3 2-1".
"""

import difflib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import Any, Self

from soulread.errors import IllegalAction, ParseError, SoulreadError
from soulread.games.base import CHANCE, TERMINAL, View, seat_names
from soulread.games.poker import FOLD, RAISE, PokerState

PREFIX = "openspiel:"
MAX_HISTORIES = 1_000_000
HIDDEN = "?"
COUNTERPARTS = {
    "kuhn": "kuhn_poker",
    "leduc": "leduc_poker",
    "leduc:iso": "leduc_poker(suit_isomorphism=True)",
}


def import_pyspiel() -> Any:
    """OpenSpiel's module ``pyspiel``. If it is missing, the error says what to install."""
    try:
        import pyspiel
    except ImportError:
        raise SoulreadError("OpenSpiel is not installed; install soulread[openspiel]") from None
    return pyspiel


class OpenSpielGame:
    """A game of OpenSpiel: one of its names, such as ``"liars_dice(numdice=1)"``, or a ``pyspiel.Game``.

    ``public`` turns a ``pyspiel.State`` into the label of what everybody has seen. It is needed only if
    OpenSpiel has no public labels for the game and the tree has more than ``max_histories`` histories, which
    is too many to derive labels from.
    """

    def __init__(
        self, game: Any, public: Callable[[Any], str] | None = None, max_histories: int = MAX_HISTORIES
    ) -> None:
        pyspiel = import_pyspiel()
        named = _load(pyspiel, game) if isinstance(game, str) else game
        _verify(pyspiel, named)
        self.name = f"{PREFIX}{named}"
        self.num_players = 2
        self.max_histories = max_histories
        simultaneous = named.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
        self.spiel = pyspiel.convert_to_turn_based(named) if simultaneous else named  # a ``pyspiel.Game``
        kind = self.spiel.get_type()
        self._labelled = kind.provides_information_state_string
        if not self._labelled and kind.information != pyspiel.GameType.Information.PERFECT_INFORMATION:
            raise SoulreadError(f"OpenSpiel knows no information states of {self.name!r}")
        observer = _public_observer(pyspiel, self.spiel) if self._labelled else pyspiel.State.history_str
        self._public: Callable[[Any], str] | None = public or observer

    def start(self) -> "OpenSpielState":
        """The state before anything happened."""
        return OpenSpielState(self, self.spiel.new_initial_state())

    @cached_property
    def public_histories(self) -> dict[tuple[int, str], str]:
        """The public label of each (seat to move, information of seat 0), derived from the tree."""
        return derive_public(self, self.max_histories)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpenSpielGame) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<OpenSpielGame {self.name!r}>"


class OpenSpielState:
    """One point of a game of OpenSpiel. Never changes; `apply` returns the next point."""

    __slots__ = ("_legal", "game", "player", "spiel")

    game: OpenSpielGame
    spiel: Any  # the ``pyspiel.State``; not to be changed
    player: int  # seat to act, CHANCE or TERMINAL

    def __init__(self, game: OpenSpielGame, spiel: Any) -> None:
        self.game = game
        self.spiel = spiel
        player = spiel.current_player()
        self.player = player if player >= 0 else CHANCE if spiel.is_chance_node() else TERMINAL
        self._legal: tuple[int, ...] | None = None

    def legal_actions(self) -> Sequence[int]:
        """OpenSpiel's numbers of the actions, ascending; empty at chance and at the end."""
        return self._moves() if self.player >= 0 else ()

    def _moves(self) -> tuple[int, ...]:
        if self._legal is None:
            self._legal = tuple(self.spiel.legal_actions())
        return self._legal

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        """The moves of chance with their probabilities; empty elsewhere."""
        return tuple(self.spiel.chance_outcomes()) if self.player == CHANCE else ()

    def apply(self, action: int) -> Self:
        """The state after ``action``; raises `IllegalAction` and leaves this state as it was."""
        if action not in self._moves():
            raise IllegalAction(
                f"{self.game.name!r} after {self.spiel.history_str()!r}: action {action!r} is not among the "
                f"legal ones, {list(self._moves())!r}"
            )
        return type(self)(self.game, self.spiel.child(action))

    def payoffs(self) -> tuple[float, ...]:
        """Chips that each seat won; only at the end."""
        if self.player != TERMINAL:
            raise SoulreadError(f"{self.game.name!r} is not over after {self.spiel.history_str()!r}")
        return tuple(self.spiel.returns())

    def information(self, seat: int) -> str:
        """OpenSpiel's information state; the moves so far if a game of perfect information has none."""
        if seat not in (0, 1):
            raise SoulreadError(f"seat {seat!r}; {self.game.name!r} has seats 0 and 1")
        game = self.game
        label = self.spiel.information_state_string(seat) if game._labelled else self.spiel.history_str()
        return str(label)

    def public(self) -> str:
        """The public information as a label; the top of the module says how it is found."""
        if self.game._public is not None:
            return self.game._public(self.spiel)
        return self.game.public_histories[self.player, self.information(0)]

    def view(self, seat: int, players: Sequence[str] = ()) -> View:
        """The view of an agent in ``seat``."""
        return View(
            game=self.game,
            players=tuple(players) or seat_names(self.game.num_players),
            seat=seat,
            legal=self.legal_actions() if seat == self.player else (),
            information=self.information(seat),
            public=self.public(),
        )

    def action_name(self, action: int) -> str:
        """OpenSpiel's word for an action of the player to move."""
        return str(self.spiel.action_to_string(self.spiel.current_player(), action))

    def __repr__(self) -> str:
        return f"<OpenSpielState {self.game.name!r} after {self.spiel.history_str()!r}>"


def _load(pyspiel: Any, text: str) -> Any:
    """The game that OpenSpiel calls ``text``.

    Most mistakes are found before OpenSpiel is asked, because OpenSpiel prints its errors to the terminal.
    """
    text = text.removeprefix(PREFIX).strip()
    if text.startswith("python_"):
        import open_spiel.python.games  # noqa: F401  (registers them)
    match = re.fullmatch(r"(\w+)(\(.*\))?", text)
    types = {kind.short_name: kind for kind in pyspiel.registered_games()}
    if match is None or match[1] not in types:
        name = match[1] if match else text
        near = difflib.get_close_matches(name, types, n=3)
        hint = f"; near it are {', '.join(near)}" if near else ""
        raise ParseError(f"{text!r} is not a game of OpenSpiel, such as 'liars_dice(numdice=1)'{hint}")
    try:
        return pyspiel.load_game(text)
    except (RuntimeError, LookupError) as error:  # OpenSpiel's own error is a RuntimeError
        raise ParseError(f"OpenSpiel refuses the game {text!r}: {_one_line(error)}") from None


def openspiel_counterpart(name: str) -> Any:
    """The ``pyspiel.Game`` of ``name``: one that starts with "openspiel:", or kuhn, leduc and leduc:iso."""
    if name not in COUNTERPARTS and not name.startswith(PREFIX):
        raise SoulreadError(
            f"{name!r} has no counterpart in OpenSpiel; there are those of {', '.join(COUNTERPARTS)} "
            f"and all games called {PREFIX}NAME"
        )
    return OpenSpielGame(COUNTERPARTS.get(name, name)).spiel


def openspiel_action(state: PokerState, action: int) -> int:
    """The number OpenSpiel gives to an action of kuhn, leduc or leduc:iso.

    OpenSpiel numbers the cards of a deck from 0, or the ranks where suits are forgotten. In Kuhn poker it
    has two actions only: "pass" (0) and "bet" (1).
    """
    if state.player == CHANCE:
        position = state.rules.deck.index(action)
        return position // 2 if state.rules.suit_isomorphic else position
    if state.game.name == "kuhn":
        return int(action != FOLD) if state.to_call > 0 else int(action == RAISE)
    return action


def _verify(pyspiel: Any, game: Any) -> None:
    kind = game.get_type()
    name = f"{PREFIX}{game}"
    if game.num_players() != 2:
        raise SoulreadError(f"{name!r} has {game.num_players()} players; soulread reads games of 2")
    if kind.utility != pyspiel.GameType.Utility.ZERO_SUM:
        raise SoulreadError(f"{name!r} is {_word(kind.utility)}; soulread reads zero-sum games")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise SoulreadError(f"{name!r} samples its chance moves; soulread needs their probabilities")
    dynamics = pyspiel.GameType.Dynamics
    if kind.dynamics not in (dynamics.SEQUENTIAL, dynamics.SIMULTANEOUS):
        raise SoulreadError(f"{name!r} is {_word(kind.dynamics)}; soulread reads sequential games")


def _word(constant: Any) -> str:
    return str(constant).rpartition(".")[2].lower().replace("_", "-")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _public_observer(pyspiel: Any, game: Any) -> Callable[[Any], str] | None:
    """A function that gives OpenSpiel's label of the public information; None if there is no such label."""
    from open_spiel.python.observation import make_observation

    wanted = pyspiel.IIGObservationType(
        perfect_recall=True, public_info=True, private_info=pyspiel.PrivateInfoType.NONE
    )
    observation = make_observation(game, wanted)
    if observation is None or observation.string_from(game.new_initial_state(), 0) is None:
        return None
    return lambda state: str(observation.string_from(state, 0))


def derive_public(game: OpenSpielGame, max_histories: int = MAX_HISTORIES) -> dict[tuple[int, str], str]:
    """Public labels of all histories, by (seat to move, information of seat 0).

    The top of the module says what the labels are. The whole tree is walked, so a game with more than
    ``max_histories`` histories is refused.
    """
    root: list[int] = []  # union-find: for each index of ``seen``, another index of the same group

    def find(index: int) -> int:
        while root[index] != index:
            root[index] = root[root[index]]
            index = root[index]
        return index

    seen: dict[tuple[int, int, str], int] = {}  # (seat to move, who looks, what is seen) -> index
    first: list[int] = []  # [histories] what seat 0 sees
    moves: list[tuple[int, str]] = []  # [histories] (history before, name of the move)
    for state, before, move in _walk(game):
        if len(first) == max_histories:
            raise SoulreadError(
                f"{game.name!r} has more than {max_histories:,} histories, too many to derive what is "
                "public from its tree"
            )
        pair = []
        for seat in (0, 1):
            index = seen.setdefault((state.player, seat, state.information(seat)), len(root))
            if index == len(root):
                root.append(index)
            pair.append(index)
        root[find(pair[1])] = find(pair[0])
        first.append(pair[0])
        moves.append((before, move))

    common: dict[int, list[str]] = {}  # by group: the moves that its histories have in common
    for history, index in enumerate(first):
        path = []
        while history > 0:
            history, move = moves[history]
            path.append(move)
        path.reverse()
        group = find(index)
        known = common.setdefault(group, path)
        if known is not path:
            common[group] = [a if a == b else HIDDEN for a, b in zip_longest(known, path)]
    names = {group: " ".join(path) for group, path in common.items()}
    copies = Counter(names.values())
    met: Counter[str] = Counter()
    for group, name in names.items():
        if copies[name] > 1:
            met[name] += 1
            names[group] = f"{name} #{met[name]}".lstrip()
    return {(mover, label): names[find(i)] for (mover, seat, label), i in seen.items() if seat == 0}


def _walk(game: OpenSpielGame) -> Iterator[tuple[OpenSpielState, int, str]]:
    """Every history, parents first, with the number of the one before and the name of the move."""
    stack = [(game.start(), -1, "")]
    number = 0
    while stack:
        state, before, move = stack.pop()
        yield state, before, move
        stack += [(state.apply(action), number, state.action_name(action)) for action in state._moves()[::-1]]
        number += 1
