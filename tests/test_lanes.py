"""Steps on lines: each does, compiled, what its plain function does."""

import numpy as np
import pytest

from soulread.cards import lanes
from soulread.kernel import kernel


@kernel
def _add(to, i, line, j, at):
    lanes.add_line(to, i, line, j, at)


@kernel
def _subtract(to, i, line, j, at):
    lanes.subtract_line(to, i, line, j, at)


@kernel
def _clear(to, i, at):
    lanes.clear_line(to, i, at)


@kernel
def _set_rest(to, i, total, part, a, b, at):
    lanes.set_rest(to, i, total, part, a, b, at)


@kernel
def _add_rest(to, i, total, part, a, b, at):
    lanes.add_rest(to, i, total, part, a, b, at)


@kernel
def _turn(to, i, j, of):
    lanes.turn_tile(to, i, j, of)


def random_lines(rng, lines, lanes, dtype=np.float32):
    return rng.random((lines, lanes)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_steps_equal_their_plain_functions(dtype):
    rng = np.random.default_rng(5)
    wide = 2 * lanes.LANES
    line, total, part = (random_lines(rng, count, wide, dtype) for count in (6, 1, 52))
    small = np.uint8(3), np.uint16(2)  # kernels come with cards and holdings as small integers
    for step, compiled, arguments in (
        (lanes.add_line, _add, (small[0], line, small[1], lanes.LANES)),
        (lanes.subtract_line, _subtract, (1, line, 4, 0)),
        (lanes.clear_line, _clear, (2, lanes.LANES)),
        (lanes.set_rest, _set_rest, (2, total, part, small[0], 51, 0)),
        (lanes.add_rest, _add_rest, (0, total, part, 7, small[1], lanes.LANES)),
    ):
        before = random_lines(rng, 5, wide, dtype)
        wanted, found = before.copy(), before.copy()
        step(wanted, *arguments)
        compiled(found, *arguments)
        assert np.array_equal(found, wanted)
        assert not np.array_equal(found, before)


def test_what_steps_do():
    rng = np.random.default_rng(6)
    one, two = random_lines(rng, 3, 64), random_lines(rng, 3, 64)
    found = one.copy()
    lanes.add_line(found, 1, two, 2, 32)
    assert found[1, 32:] == pytest.approx(one[1, 32:] + two[2, 32:])
    lanes.subtract_line(found, 1, two, 2, 32)
    assert found == pytest.approx(one, abs=1e-6)
    lanes.set_rest(found, 0, two[:1], one, 1, 2, 0)
    assert found[0, :32] == pytest.approx(two[0, :32] - one[1, :32] - one[2, :32])
    lanes.add_rest(found, 0, two[:1], one, 1, 2, 0)
    assert found[0, :32] == pytest.approx(2 * (two[0, :32] - one[1, :32] - one[2, :32]))
    lanes.clear_line(found, 0, 0)
    assert not found[0, :32].any()
    assert np.array_equal(found[0, 32:], one[0, 32:])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_tile_is_turned(dtype):
    rng = np.random.default_rng(7)
    of, to = random_lines(rng, 48, 64, dtype), np.zeros((64, 48), dtype)
    for turn in (lanes.turn_tile, _turn):
        to[:] = 0
        turn(to, 32, 16, of)
        assert np.array_equal(to[32:48, 16:32], of[16:32, 32:48].T)
        assert np.count_nonzero(to) == 256


def test_padded():
    assert [lanes.padded(size, 16) for size in (0, 1, 16, 17)] == [0, 16, 16, 32]
