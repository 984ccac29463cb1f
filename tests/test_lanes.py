"""Steps on lines: each does, compiled, what its plain function does."""

import numpy as np
import pytest

from soulread.cards import lanes
from soulread.kernel import call, lean_kernel


@lean_kernel
def _add(to, i, line, j, at):
    lanes.add_line(lanes.WIDE, to, i, line, j, at)


@lean_kernel
def _subtract(to, i, line, j, at):
    lanes.subtract_line(lanes.WIDE, to, i, line, j, at)


@lean_kernel
def _clear(to, i, at):
    lanes.clear_line(lanes.MIDDLE, to, i, at)


@lean_kernel
def _set_rest(to, i, total, part, a, b, at):
    lanes.set_rest(lanes.WIDE, to, i, total, part, a, b, at)


@lean_kernel
def _add_rest(to, i, total, part, a, b, at):
    lanes.add_rest(lanes.NARROW, to, i, total, part, a, b, at)


@lean_kernel
def _add_holdings(width, total, with_card, lines, line, card, first, last, at):
    if width == 8:
        lanes.add_holdings(lanes.NARROW, total, with_card, lines, line, card, first, last, at)
    elif width == 16:
        lanes.add_holdings(lanes.MIDDLE, total, with_card, lines, line, card, first, last, at)
    else:
        lanes.add_holdings(lanes.WIDE, total, with_card, lines, line, card, first, last, at)


@lean_kernel
def _turn(to, i, j, of):
    lanes.turn_tile(lanes.WIDE, to, i, j, of)


@lean_kernel
def _turn_small(to, i, j, of):
    lanes.turn_tile(lanes.NARROW, to, i, j, of)


def random_lines(rng, lines, lanes, dtype=np.float32):
    return rng.random((lines, lanes)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_steps_equal_their_plain_functions(dtype):
    rng = np.random.default_rng(5)
    wide = 2 * lanes.LANES
    line, total, part = (random_lines(rng, count, wide, dtype) for count in (6, 1, 52))
    small = np.uint8(3), np.uint16(2)  # kernels come with cards and holdings as small integers
    for step, width, compiled, arguments in (
        (lanes.add_line, lanes.WIDE, _add, (small[0], line, small[1], lanes.LANES)),
        (lanes.subtract_line, lanes.WIDE, _subtract, (1, line, 4, 0)),
        (lanes.clear_line, lanes.MIDDLE, _clear, (2, lanes.LANES)),
        (lanes.set_rest, lanes.WIDE, _set_rest, (2, total, part, small[0], 51, 0)),
        (lanes.add_rest, lanes.NARROW, _add_rest, (0, total, part, 7, small[1], lanes.LANES)),
    ):
        before = random_lines(rng, 5, wide, dtype)
        wanted, found = before.copy(), before.copy()
        step(width, wanted, *arguments)
        compiled(found, *arguments)
        assert np.array_equal(found, wanted)
        assert np.count_nonzero(found != before) == width.count


@pytest.mark.parametrize("width", [lanes.NARROW, lanes.MIDDLE, lanes.WIDE])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_holdings_are_added_to_the_total_and_to_their_cards(width, dtype):
    rng = np.random.default_rng(8)
    lines = random_lines(rng, 7, 64, dtype)
    line = rng.integers(0, 7, 12).astype(np.uint16)
    card = np.array([rng.choice(52, 2, replace=False) for _ in range(12)], dtype=np.uint8)
    found = []
    for step in (lanes.add_holdings, lambda _, *arguments: _add_holdings(width.count, *arguments)):
        total, with_card = np.ones((1, 64), dtype), np.ones((52, 64), dtype)
        step(width, total, with_card, lines, line, card, 2, 9, 32)
        step(width, total, with_card, lines, line, card, 5, 5, 32)  # none
        found.append((total, with_card))
    assert all(np.array_equal(plain, compiled) for plain, compiled in zip(*found, strict=True))
    piece, added = slice(32, 32 + width.count), lines[line[2:9].astype(int)]
    assert found[1][0][0, piece] - 1 == pytest.approx(added.sum(axis=0)[piece], rel=1e-5)
    assert (found[1][1] - 1).sum() == pytest.approx(2 * added[:, piece].sum(), rel=1e-5)
    assert np.array_equal(found[1][1][card[3, 1], :32], np.ones(32))


def test_what_steps_do():
    rng = np.random.default_rng(6)
    one, two = random_lines(rng, 3, 64), random_lines(rng, 3, 64)
    found, width = one.copy(), lanes.WIDE
    lanes.add_line(width, found, 1, two, 2, 32)
    assert found[1, 32:] == pytest.approx(one[1, 32:] + two[2, 32:])
    lanes.subtract_line(width, found, 1, two, 2, 32)
    assert found == pytest.approx(one, abs=1e-6)
    lanes.set_rest(width, found, 0, two[:1], one, 1, 2, 0)
    assert found[0, :32] == pytest.approx(two[0, :32] - one[1, :32] - one[2, :32])
    lanes.add_rest(width, found, 0, two[:1], one, 1, 2, 0)
    assert found[0, :32] == pytest.approx(2 * (two[0, :32] - one[1, :32] - one[2, :32]))
    lanes.clear_line(width, found, 0, 0)
    assert not found[0, :32].any()
    assert np.array_equal(found[0, 32:], one[0, 32:])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("width", "compiled", "size"), [(lanes.WIDE, _turn, 16), (lanes.NARROW, _turn_small, 8)]
)
def test_a_tile_is_turned(width, compiled, size, dtype):
    rng = np.random.default_rng(7)
    of, to = random_lines(rng, 48, 64, dtype), np.zeros((64, 48), dtype)
    for turn in (lambda *arguments: lanes.turn_tile(width, *arguments), compiled):
        to[:] = 0
        turn(to, 32, 16, of)
        assert np.array_equal(to[32 : 32 + size, 16 : 16 + size], of[16 : 16 + size, 32 : 32 + size].T)
        assert np.count_nonzero(to) == size**2


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_lines_begin_where_a_cache_line_does(dtype):
    for count in (1, 3, 50):
        found = lanes.make_lines(count, 48, dtype)
        assert found.shape == (count, 48)
        assert found.dtype == dtype
        assert not found.any()
        assert found.flags.c_contiguous
        assert found.ctypes.data % 64 == 0


def test_a_call_of_a_kind_runs_the_kernel_for_the_types_of_its_first_call():
    for dtype in (np.float32, np.float64):
        for value in (1, 2):
            line, to = np.full((1, 32), value, dtype), np.zeros((2, 32), dtype)
            assert call(_add, ("lanes", dtype), to, 1, line, 0, 0) is None
            assert np.array_equal(to, [[0] * 32, [value] * 32])


def test_padded():
    assert [lanes.padded(size, 16) for size in (0, 1, 16, 17)] == [0, 16, 16, 32]
