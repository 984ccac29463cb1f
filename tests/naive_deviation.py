"""Slow, obvious twins of public counts and deviation models, and small random games with public moves."""

import zlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st
from scipy.optimize import linprog

from soulread.games.base import CHANCE, TERMINAL, View
from soulread.games.limit_holdem import limit_holdem
from soulread.games.poker import replay
from soulread.seqform.compile import PrivateStates, SequenceGame, compile_game, factored_game
from soulread.seqform.strategy import Behaviours, in_precision, random_behaviour


@dataclass(frozen=True)
class PublicGame:
    """A random game in which everybody sees every move, and only what chance dealt to him alone is hidden.

    Who moves, how many actions there are and whether chance deals to the players or shows something to all
    are drawn from a hash of the public history.
    """

    seed: int
    depth: int = 6
    num_players: int = 2

    @property
    def name(self) -> str:
        return f"public:{self.seed}"

    def start(self) -> "PublicState":
        return PublicState(self, "", ("", ""))

    def draw(self, *what: object) -> int:
        return zlib.crc32(repr((self.seed, what)).encode())


@dataclass(frozen=True)
class PublicState:
    game: PublicGame
    shown: str
    own: tuple[str, str]

    @property
    def player(self) -> int:
        length = self.shown.count(".")
        if length < 2:
            return CHANCE
        if length >= self.game.depth:
            return TERMINAL
        roll = self.game.draw("player", self.shown) % 8
        return CHANCE if roll < 2 and length > 3 else roll % 2

    def _deals_to(self) -> int:
        """Whom chance deals to here: a seat, or 2 for everybody to see."""
        length = self.shown.count(".")
        return length if length < 2 else self.game.draw("deal", self.shown) % 3

    def legal_actions(self) -> Sequence[int]:
        if self.player < 0:
            return ()
        return tuple(range(1 + self.game.draw("actions", self.shown) % 4))

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        if self.player != CHANCE:
            return ()
        outcomes = 4 if self.shown.count(".") < 2 else 2
        weights = [self.game.draw("chance", self.shown, self.own, i) % 5 for i in range(outcomes)]
        weights[0] += 1
        return [(i, weight / sum(weights)) for i, weight in enumerate(weights)]

    def apply(self, action: int) -> "PublicState":
        if self.player != CHANCE:
            return PublicState(self.game, f"{self.shown}m{action}.", self.own)
        seat = self._deals_to()
        if seat == 2:
            return PublicState(self.game, f"{self.shown}s{action}.", self.own)
        own = list(self.own)
        own[seat] += f"d{action}"
        return PublicState(self.game, f"{self.shown}?.", (own[0], own[1]))

    def payoffs(self) -> tuple[float, float]:
        chips = self.game.draw("payoff", self.shown, self.own) % 9001 / 1000 - 4.5
        return chips, -chips

    def information(self, seat: int) -> str:
        return f"{self.own[seat]}|{self.shown}"

    def public(self) -> str:
        return self.shown

    def view(self, seat: int, players: Sequence[str] = ()) -> View:
        raise NotImplementedError

    def action_name(self, action: int) -> str:
        return f"m{action}"


def public_games() -> st.SearchStrategy[PublicGame]:
    return st.builds(PublicGame, seed=st.integers(0, 10**6), depth=st.integers(3, 8))


def public_game(seed: int):
    """A compiled random game in which both players decide something."""
    while True:
        game = compile_game(PublicGame(seed))
        if all(tree.num_sequences > tree.num_sets + 1 for tree in game.trees):
            return game
        seed += 1000


def small_limit(branching: Sequence[int] = (2, 2, 1, 2), seed: int = 0, dtype=np.float64):
    """Limit hold'em with invented joint chances of a few private states."""
    rng = np.random.default_rng(seed)
    sizes = np.cumprod(branching)
    reach = rng.random((sizes[-1], sizes[-1]))
    reach = (reach + reach.T) / (2 * reach.sum())
    share = np.triu(rng.random(reach.shape), 1)
    win = reach * (share + np.tril(1 - share.T, -1))

    def by_round(river):
        return tuple(
            river.reshape(size, len(river) // size, size, -1).sum(axis=(1, 3)).astype(dtype) for size in sizes
        )

    states = PrivateStates(
        names=tuple(tuple(map(str, range(size))) for size in sizes),
        parent=tuple((np.arange(size) // n * bool(r)).astype(np.int32) for r, (size, n) in
                     enumerate(zip(sizes, branching, strict=True))),
        reach=by_round(reach),
        win=by_round(win),
    )  # fmt: skip
    return factored_game(limit_holdem(), states, name="limit:" + "-".join(map(str, branching)))


class Played(NamedTuple):
    """A game, and a behaviour of each player that stands for his equilibrium."""

    game: SequenceGame
    behaviours: Behaviours


def played_limit() -> list[Played]:
    """`small_limit` in double and single precision with random play."""
    played = []
    for dtype in (np.float64, np.float32):
        game = small_limit(dtype=dtype)
        rng = np.random.default_rng(1)
        first, second = (in_precision(random_behaviour(tree, rng), dtype) for tree in game.trees)
        played.append(Played(game, (first, second)))
    return played


def chance_reach(game, player: int) -> dict[str, float]:
    """Chance's probability of each label: the sum over the histories in which ``player`` moves."""
    result: dict[str, float] = defaultdict(float)

    def walk(state, probability):
        if state.player == CHANCE:
            for action, chance in state.chance_outcomes():
                if chance > 0:
                    walk(state.apply(action), probability * chance)
        elif state.player != TERMINAL:
            if state.player == player:
                result[state.information(player)] += probability
            for action in state.legal_actions():
                walk(state.apply(action), probability)

    walk(game.start(), 1.0)
    return result


def public_counts(game, hand, seat: int) -> dict[tuple[str, int], int]:
    """Counts of one hand, from the state before each of its letters."""
    hole = [None] * (2 * game.rules.hole_cards)
    result: dict[tuple[str, int], int] = defaultdict(int)
    for position, letter in enumerate(hand.betting):
        if letter == "/":
            continue
        before = hand.betting[:position]
        shown = sum(game.rules.board_cards[: before.count("/") + 1])
        state = replay(game, before, [*hole, *hand.board[:shown]])
        if state.player == seat:
            result[state.public(), "fcr".index(letter)] += 1
    return result


Match = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]  # (sigma[a, b], beta, alpha) -> x[a, b]


def deviation_model(public, sigma, counts, prior: float, match: Match, own_range: bool = False):
    """Behaviour, alpha, whether each history is reached, and beta of each, history by history."""
    tree = public.tree
    model = np.ones(tree.num_sequences)

    def reach(behaviour, j):
        probability = 1.0
        sequence = tree.parent_sequence[j]
        while sequence:
            probability *= behaviour[sequence]
            sequence = tree.parent_sequence[tree.sequence_set[sequence]]
        return probability

    alphas, reached, betas = [], [], []
    for n in range(public.num_histories):
        h = public.chance(n)
        mine = h * [reach(model, j) for j in public.sets(n)]
        theirs = h * [reach(sigma, j) for j in public.sets(n)]
        theirs = theirs if theirs.sum() > 0 else h
        reached.append(mine.sum() > 0)
        beta = mine if reached[-1] else theirs
        beta, theirs = beta / beta.sum(), theirs / theirs.sum()
        betas.append(beta)
        table = sigma[public.sequences(n)].astype(np.float64)
        expected = table @ (beta if own_range else theirs)
        c = counts[public.cells(n)]
        alpha = (expected * prior + c) / (prior + c.sum())
        alphas.append(alpha)
        if np.abs(alpha - table @ beta).max() > 1e-12:
            x = match(table, beta, alpha)
            model[public.sequences(n)] = np.where(x > 1e-10, x, 0.0)
        else:
            model[public.sequences(n)] = table
    return model, np.concatenate(alphas), np.array(reached), betas


def shift_weight(sigma, beta, alpha):
    """Weight shifting in small steps of words: from the last action down, best or worst states first."""
    actions, size = sigma.shape
    x = sigma.copy()
    mean = [sum(a * sigma[a, b] for a in range(actions)) for b in range(size)]
    for a in range(actions - 1, 0, -1):
        tail = [sum(sigma[i, b] for i in range(actions - 1, a - 1, -1)) for b in range(size)]
        ranking = sorted(range(size), key=lambda b: (tail[b], mean[b], b))
        missing = alpha[a] - x[a] @ beta
        if missing > 0:
            for b in (b for b in reversed(ranking) if beta[b] > 0):
                move = min(missing / beta[b], x[:a, b].sum())
                x[a, b] += move
                missing -= beta[b] * move
                for other in sorted(range(a), key=lambda i: x[i, b]):
                    part = min(move, x[other, b])
                    x[other, b] -= part
                    move -= part
        else:
            for b in (b for b in ranking if beta[b] > 0):
                move = min(-missing / beta[b], x[a, b])
                x[a, b] -= move
                missing += beta[b] * move
                favourite = max(range(a), key=lambda i: (x[i, b], i))
                x[favourite, b] += move
    return x


def spread_evenly(sigma, beta, alpha):
    gamma = sigma @ beta
    x = sigma.copy()
    lowered = alpha < gamma
    share = np.clip(alpha - gamma, 0, None)
    if not share.any():
        return x
    for b in np.flatnonzero(beta > 0):
        kept = np.where(lowered, sigma[:, b] * alpha / np.where(gamma > 0, gamma, 1), sigma[:, b])
        x[:, b] = kept + (1 - kept.sum()) * share / share.sum()
    return x


def _constraints(beta, actions: int):
    """Rows of the two kinds of equations over x[a, b], flattened action by action."""
    size = beta.size
    frequencies = np.kron(np.eye(actions), beta)
    columns = np.kron(np.ones((1, actions)), np.eye(size))
    return np.vstack([frequencies, columns])


def least_l1(sigma, beta, alpha) -> float:
    """Optimal value of eq. 4, by HiGHS: x = sigma + up - down."""
    actions, size = sigma.shape
    equations = _constraints(beta, actions)
    right = np.concatenate([alpha, np.ones(size)]) - equations @ sigma.ravel()
    cost = np.tile(beta, 2 * actions)
    bounds = [(0, 1 - s) for s in sigma.ravel()] + [(0, s) for s in sigma.ravel()]
    found = linprog(cost, A_eq=np.hstack([equations, -equations]), b_eq=right, bounds=bounds, method="highs")
    assert found.status == 0, found.message
    assert found.fun is not None
    return found.fun


def least_l2(sigma, beta, alpha):
    """Optimal x of eq. 7, by Clarabel; states with beta 0 are left out and stay."""
    import clarabel

    used = beta > 0
    x = sigma.copy()
    s, weight = sigma[:, used], beta[used]
    actions, size = s.shape
    equations = _constraints(weight, actions)
    right = np.concatenate([alpha, np.ones(size)])
    spread = np.tile(weight, actions)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    solution = clarabel.DefaultSolver(
        sp.csc_matrix(sp.diags(2 * spread)),
        -2 * spread * s.ravel(),
        sp.csc_matrix(np.vstack([equations, -np.eye(actions * size)])),
        np.concatenate([right, np.zeros(actions * size)]),
        [clarabel.ZeroConeT(len(right)), clarabel.NonnegativeConeT(actions * size)],
        settings,
    ).solve()
    x[:, used] = np.clip(np.array(solution.x), 0, None).reshape(s.shape)
    return x


def exact_l2(sigma, beta, alpha):
    """The same to rounding: Clarabel says which entries are zero, and the equations give the others."""
    used = beta > 0
    x = sigma.copy()
    s, weight = sigma[:, used], beta[used]
    equations = _constraints(weight, len(s))
    right = np.concatenate([alpha, np.ones(weight.size)])
    free = (least_l2(sigma, beta, alpha)[:, used] > 1e-6).ravel()
    spread = np.tile(weight, len(s))[free]
    rows = equations[:, free]
    # Least squares under equations: x = s + rows' y / spread, with y such that the equations hold.
    y, *_ = np.linalg.lstsq(rows / spread @ rows.T, right - rows @ s.ravel()[free], rcond=None)
    found = np.zeros(s.size)
    found[free] = s.ravel()[free] + rows.T @ y / spread
    x[:, used] = found.reshape(s.shape)
    return x


@st.composite
def tables(draw, max_actions: int = 6, max_states: int = 9):
    """A table sigma[a, b], weights beta and frequencies alpha to reach; corners are likely."""
    actions = draw(st.integers(2, max_actions))
    size = draw(st.integers(1, max_states))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sigma = rng.dirichlet(np.full(actions, draw(st.sampled_from([0.2, 1.0, 5.0]))), size).T
    for b in range(size):
        if draw(st.booleans()):
            sigma[:, b] = np.eye(actions)[rng.integers(actions)]
    sigma /= sigma.sum(axis=0)
    beta = rng.dirichlet(np.ones(size))
    if size > 1 and draw(st.booleans()):
        beta[rng.integers(size)] = 0
    beta /= beta.sum()
    alpha = rng.dirichlet(np.full(actions, draw(st.sampled_from([0.2, 1.0]))))
    kind = draw(st.sampled_from(["inside", "edge", "corner", "near"]))
    if kind == "edge":
        alpha[rng.integers(actions)] = 0
    elif kind == "corner":
        alpha = np.eye(actions)[rng.integers(actions)]
    elif kind == "near":
        alpha = sigma @ beta + 1e-7 * (alpha - sigma @ beta)
    return sigma, beta, alpha / alpha.sum()
