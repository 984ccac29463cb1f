"""At one public history: the strategy closest to the equilibrium among those with given action frequencies.

Ganzfried & Sandholm (AAMAS 2011), sections 4.4.1 and 4.4.2. Let s[a, b] be the equilibrium in private state
b, and beta[b] the posterior probability of b. Both programs look for x whose columns are distributions, with

    sum over b of beta[b] x[a, b] = alpha[a]     for every action a

**L1** (eq. 4) minimises sum beta[b] |x[a, b] - s[a, b]|. Let gamma be the frequencies of s. By the triangle
inequality the sum is at least that of |alpha[a] - gamma[a]|. Every x reaches this bound that only lowers the
actions with gamma > alpha and only raises the others. So no program has to be solved, but there are many
solutions. We take the even one. An action with gamma > alpha keeps the share alpha / gamma of its probability
in every state. The probability that a state gives up goes to the other actions, in proportion to what they
lack.

**L2** (eq. 7) minimises sum beta[b] (x[a, b] - s[a, b])^2. With a price mu[a] for each action, x[., b] is the
projection of s[., b] + mu onto the distributions. The right prices minimise the convex, piecewise quadratic
dual

    phi(mu) = sum over b of beta[b] (mu . x_b - |x_b - s_b|^2 / 2)  -  mu . alpha

The gradient of phi is the frequencies of x less alpha. Newton's method with a line search ends after a few
steps. An L1 step then removes what rounding leaves of the gradient.

States with beta 0 stay at the equilibrium.
"""

import numpy as np
from numpy.typing import NDArray

from soulread.kernel import kernel

Table = NDArray[np.float64]

_CLOSE = 1e-12  # Newton's method stops at a gradient this small
_MAX_STEPS = 100
_LONGEST = 2.0  # longest step of a price: a difference of 2 moves a state from any action to any other


@kernel
def spread_evenly(x: Table, beta: Table, alpha: Table, gamma: Table) -> None:
    """Move ``x`` to the even L1 solution; ``gamma`` holds the frequencies of x, and ends as ``alpha``."""
    actions, size = x.shape
    lacking = 0.0
    for a in range(actions):
        lacking += max(0.0, alpha[a] - gamma[a])
    if lacking <= 0:
        return
    keep = np.ones(actions)
    gain = np.zeros(actions)
    for a in range(actions):
        if alpha[a] < gamma[a]:
            keep[a] = alpha[a] / gamma[a]
        else:
            gain[a] = (alpha[a] - gamma[a]) / lacking
    for b in range(size):
        if beta[b] <= 0:
            continue
        freed = 0.0
        for a in range(actions):
            freed += x[a, b] * (1 - keep[a])
        for a in range(actions):
            x[a, b] = x[a, b] * keep[a] + freed * gain[a]
    for a in range(actions):
        gamma[a] = alpha[a]


@kernel
def project_evenly(x: Table, beta: Table, alpha: Table, gamma: Table, scratch: Table) -> None:
    """Move ``x`` to the L2 solution; ``scratch`` has the shape of x, and ``gamma`` ends as ``alpha``."""
    actions, size = x.shape
    used = np.empty(actions, dtype=np.int64)  # the actions that are taken at all; the last one has price 0
    count = 0
    for a in range(actions):
        if alpha[a] > 0:
            used[count] = a
            count += 1
    for a in range(actions):
        for b in range(size):
            scratch[a, b] = x[a, b]
    mu = np.zeros(count)
    for i in range(count):
        mu[i] = (alpha[used[i]] - gamma[used[i]]) - (alpha[used[count - 1]] - gamma[used[count - 1]])
    r = np.empty(count)
    hessian = np.empty((count, count))
    phi = evaluate_prices(scratch, beta, alpha, used[:count], mu, x, r, hessian)
    trial = np.empty(count)
    trial_r = np.empty(count)
    trial_hessian = np.empty((count, count))
    for _ in range(_MAX_STEPS):
        worst = largest(r)
        if worst <= _CLOSE:
            break
        step = newton_step(hessian, r, count - 1)
        slope = 0.0
        for i in range(count - 1):
            slope += step[i] * r[i]
        length = 1.0
        for _ in range(40):
            for i in range(count):
                trial[i] = mu[i] + (length * step[i] if i < count - 1 else 0.0)
            trial_phi = evaluate_prices(scratch, beta, alpha, used[:count], trial, x, trial_r, trial_hessian)
            if trial_phi <= phi + 1e-4 * length * slope or largest(trial_r) <= 0.5 * worst:
                break
            length *= 0.5
        mu, trial = trial, mu
        r, trial_r = trial_r, r
        hessian, trial_hessian = trial_hessian, hessian
        phi = trial_phi
    for a in range(actions):
        gamma[a] = 0.0
        for b in range(size):
            gamma[a] += beta[b] * x[a, b]
    spread_evenly(x, beta, alpha, gamma)


@kernel
def evaluate_prices(
    s: Table,
    beta: Table,
    alpha: Table,
    used: NDArray[np.int64],
    mu: Table,
    x: Table,
    gradient: Table,
    hessian: Table,
) -> float:
    """Fill ``x`` and phi's gradient and Hessian at the prices ``mu`` of the used actions; return phi."""
    count = used.size
    actions, size = s.shape
    for i in range(count):
        gradient[i] = 0.0
        for k in range(count):
            hessian[i, k] = 0.0
    phi = 0.0
    v = np.empty(count)
    for b in range(size):
        weight = beta[b]
        if weight <= 0:
            continue
        for i in range(count):
            v[i] = s[used[i], b] + mu[i]
        active = (1 << count) - 1
        while True:  # drop actions that are not above the common threshold, until nothing changes
            total, members = -1.0, 0
            for i in range(count):
                if active >> i & 1:
                    total += v[i]
                    members += 1
            threshold = total / members
            kept = active
            for i in range(count):
                if active >> i & 1 and v[i] <= threshold:
                    kept &= ~(1 << i)
            if kept == active:
                break
            active = kept
        for a in range(actions):
            x[a, b] = 0.0
        value = 0.0
        for i in range(count):
            if active >> i & 1:
                probability = v[i] - threshold
                x[used[i], b] = probability
                gradient[i] += weight * probability
                hessian[i, i] += weight
                value += mu[i] * probability
                for k in range(count):
                    if active >> k & 1:
                        hessian[i, k] -= weight / members
        for a in range(actions):
            value -= 0.5 * (x[a, b] - s[a, b]) ** 2
        phi += weight * value
    for i in range(count):
        gradient[i] -= alpha[used[i]]
        phi -= mu[i] * alpha[used[i]]
    return phi


@kernel
def newton_step(hessian: Table, gradient: Table, size: int) -> Table:
    """The Newton step: minus the inverse of the leading ``size`` rows times the gradient.

    The matrix is kept positive definite.
    """
    worst = largest(gradient[:size])
    lower = np.zeros((size, size))
    for i in range(size):
        for k in range(i + 1):
            total = hessian[i, k]
            if i == k:
                total += 1e-3 * worst
            for m in range(k):
                total -= lower[i, m] * lower[k, m]
            if i == k:
                lower[i, i] = np.sqrt(max(total, 1e-12))
            else:
                lower[i, k] = total / lower[k, k]
    step = np.empty(size)
    for i in range(size):
        total = -gradient[i]
        for m in range(i):
            total -= lower[i, m] * step[m]
        step[i] = total / lower[i, i]
    for i in range(size - 1, -1, -1):
        total = step[i]
        for m in range(i + 1, size):
            total -= lower[m, i] * step[m]
        step[i] = total / lower[i, i]
    longest = largest(step)
    if longest > _LONGEST:
        for i in range(size):
            step[i] *= _LONGEST / longest
    return step


@kernel
def largest(values: Table) -> float:
    """The largest absolute value; 0 if there are none."""
    found = 0.0
    for value in values:
        found = max(found, abs(value))
    return found
