"""Lines of numbers that a kernel works on side by side, a whole piece of a line in one step.

An array ``[lines, lanes]`` holds one number of each of many sums that take the same steps. Numba compiles a
loop over the lanes of a line well only where it is long: before every loop it finds out whether two arrays
share memory. So the few steps below are written in the compiler's own language, as steps on vectors, for
pieces of `LANES` numbers. Beside each stands what it does as plain Python; that is also what runs where
Numba compiles nothing. The position of the piece on its line is ``at``.
"""

import importlib
from collections.abc import Callable, Sequence
from functools import update_wrapper
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from soulread.kernel import numba_module

Lines = NDArray[Any]  # [lines, a multiple of LANES]


class Lanes:
    """How many numbers a piece has: to compiled code a constant, for which a step is written anew."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._type: Any = None

    @property
    def _numba_type_(self) -> Any:
        """What kernels take it for: a type of its own, whose name says the number."""
        if self._type is None:
            numba_module()
            from numba.core import types

            self._type = types.Dummy(f"lanes {self.count}")
        return self._type


_CACHE_LINE = 64  # bytes
NARROW, MIDDLE, WIDE = Lanes(8), Lanes(16), Lanes(32)
LANES = WIDE.count
TURNED = 16  # lines and lanes of a tile of `turn_tile`, unless lanes are fewer


class Step:
    """A step on lines: a plain function, and what Numba compiles in its place."""

    def __init__(self, plain: Callable[..., None], write: Callable[["_Writer"], None]) -> None:
        self._plain = plain
        self._write = write
        self._type: Any = None
        update_wrapper(self, plain)

    def __call__(self, *arguments: Any) -> None:
        self._plain(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """What kernels take this step for."""
        if self._type is None:
            numba_module()
            from numba.core import types
            from numba.core.registry import cpu_target
            from numba.extending import intrinsic

            def define(_: Any, *kinds: Any) -> Any:
                def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
                    self._write(_Writer(context, builder, signature, values))
                    return context.get_dummy_value()

                return types.void(*kinds), generate

            made = intrinsic(_with_parameters(define, self._plain.__code__.co_argcount))
            cpu_target.typing_context.refresh()
            self._type = cpu_target.typing_context.resolve_value_type(made)
        return self._type


def _with_parameters(define: Callable[..., Any], count: int) -> Callable[..., Any]:
    """Numba counts the parameters of a definition, so it needs one for each."""
    by_count: dict[int, Callable[..., Any]] = {
        4: lambda context, a, b, c, d: define(context, a, b, c, d),
        5: lambda context, a, b, c, d, e: define(context, a, b, c, d, e),
        6: lambda context, a, b, c, d, e, f: define(context, a, b, c, d, e, f),
        8: lambda context, a, b, c, d, e, f, g, h: define(context, a, b, c, d, e, f, g, h),
        9: lambda context, a, b, c, d, e, f, g, h, i: define(context, a, b, c, d, e, f, g, h, i),
    }
    return by_count[count]


class _Writer:
    """Writes a step, whose first argument is `Lanes`; loads and stores pieces of arrays among the others."""

    def __init__(self, context: Any, builder: Any, signature: Any, values: Sequence[Any]) -> None:
        from numba.core import types

        self.ir: Any = importlib.import_module("llvmlite.ir")
        self.builder = builder
        self.count = int(signature.args[0].name.split()[1])
        self._context = context
        self._kinds = signature.args[1:]
        self._values = [
            context.cast(builder, value, kind, types.intp) if isinstance(kind, types.Integer) else value
            for value, kind in zip(values[1:], self._kinds, strict=True)
        ]

    def number(self, value: int) -> Any:
        """A constant."""
        return self.ir.Constant(self.ir.IntType(64), value)

    def argument(self, number: int) -> Any:
        """An argument that is an integer."""
        return self._values[number]

    def integer(self, array: int, *index: Any) -> Any:
        """An entry of an array of unsigned integers; the array has no gaps."""
        found = self._context.make_array(self._kinds[array])(self._context, self.builder, self._values[array])
        where = index[0]
        for axis in range(1, len(index)):
            size = self.builder.extract_value(found.shape, axis)
            where = self.builder.add(self.builder.mul(where, size), index[axis])
        return self.builder.zext(
            self.builder.load(self.builder.gep(found.data, [where])), self.ir.IntType(64)
        )

    def place(self, array: int, line: Any, at: Any, size: int) -> Any:
        """Where ``size`` numbers of the array begin at ``line``, ``at``."""
        found = self._context.make_array(self._kinds[array])(self._context, self.builder, self._values[array])
        row = self.builder.extract_value(found.shape, 1)
        where = self.builder.add(self.builder.mul(line, row), at)
        number = self._context.get_data_type(self._kinds[array].dtype)
        return self.builder.bitcast(
            self.builder.gep(found.data, [where]), self.ir.VectorType(number, size).as_pointer()
        )

    def load(self, array: int, line: Any, at: Any, size: int = 0) -> Any:
        """A piece of an array."""
        place = self.place(array, line, at, size or self.count)
        return self.builder.load(place, align=self._kinds[array].dtype.bitwidth // 8)

    def store(self, value: Any, array: int, line: Any, at: Any, size: int = 0) -> None:
        """Put a piece into an array."""
        place = self.place(array, line, at, size or self.count)
        self.builder.store(value, place, align=self._kinds[array].dtype.bitwidth // 8)


def _step(write: Callable[[_Writer], None]) -> Callable[[Callable[..., None]], Step]:
    return lambda plain: Step(plain, write)


def _write_add(to: _Writer) -> None:
    i, j, at = to.argument(1), to.argument(3), to.argument(4)
    to.store(to.builder.fadd(to.load(0, i, at), to.load(2, j, at)), 0, i, at)


@_step(_write_add)
def add_line(lanes: Lanes, to: Lines, i: int, line: Lines, j: int, at: int) -> None:
    """Add line j to line i of ``to``."""
    until = at + lanes.count
    to[i, at:until] += line[j, at:until]


def _write_subtract(to: _Writer) -> None:
    i, j, at = to.argument(1), to.argument(3), to.argument(4)
    to.store(to.builder.fsub(to.load(0, i, at), to.load(2, j, at)), 0, i, at)


@_step(_write_subtract)
def subtract_line(lanes: Lanes, to: Lines, i: int, line: Lines, j: int, at: int) -> None:
    """Subtract line j from line i of ``to``."""
    until = at + lanes.count
    to[i, at:until] -= line[j, at:until]


def _rest(to: _Writer) -> Any:
    """A line of totals without two parts."""
    at = to.argument(6)
    whole = to.load(2, to.number(0), at)
    without = to.builder.fsub(whole, to.load(3, to.argument(4), at))
    return to.builder.fsub(without, to.load(3, to.argument(5), at))


def _write_set_rest(to: _Writer) -> None:
    to.store(_rest(to), 0, to.argument(1), to.argument(6))


@_step(_write_set_rest)
def set_rest(lanes: Lanes, to: Lines, i: int, total: Lines, part: Lines, a: int, b: int, at: int) -> None:
    """Make line i what is left of the only line of ``total`` without the parts a and b."""
    until = at + lanes.count
    to[i, at:until] = total[0, at:until] - part[a, at:until] - part[b, at:until]


def _write_add_rest(to: _Writer) -> None:
    i, at = to.argument(1), to.argument(6)
    to.store(to.builder.fadd(to.load(0, i, at), _rest(to)), 0, i, at)


@_step(_write_add_rest)
def add_rest(lanes: Lanes, to: Lines, i: int, total: Lines, part: Lines, a: int, b: int, at: int) -> None:
    """Add to line i what `set_rest` would make it."""
    until = at + lanes.count
    to[i, at:until] += total[0, at:until] - part[a, at:until] - part[b, at:until]


def _write_clear(to: _Writer) -> None:
    i, at = to.argument(1), to.argument(2)
    vector = to.load(0, i, at).type
    to.store(to.ir.Constant(vector, None), 0, i, at)


@_step(_write_clear)
def clear_line(lanes: Lanes, to: Lines, i: int, at: int) -> None:
    """Put zeros into line i."""
    to[i, at : at + lanes.count] = 0


def _write_add_holdings(to: _Writer) -> None:
    from numba.core import cgutils

    add, at, whole = to.builder.fadd, to.argument(7), to.number(0)
    total = cgutils.alloca_once_value(  # type: ignore[no-untyped-call]  # it stays in registers
        to.builder, to.load(0, whole, at)
    )
    each = cgutils.for_range_slice(to.builder, to.argument(5), to.argument(6), to.number(1))
    with each as (j, _):
        line = to.load(2, to.integer(3, j), at)
        to.builder.store(add(to.builder.load(total), line), total)
        for k in (0, 1):
            card = to.integer(4, j, to.number(k))
            to.store(add(to.load(1, card, at), line), 1, card, at)
    to.store(to.builder.load(total), 0, whole, at)


@_step(_write_add_holdings)
def add_holdings(
    lanes: Lanes,
    total: Lines,
    with_card: Lines,
    lines: Lines,
    line: NDArray[Any],
    card: NDArray[Any],
    first: int,
    last: int,
    at: int,
) -> None:
    """Add the line of each holding ``first`` to ``last`` to the total and to the sums of its two cards.

    ``line`` is the number of each holding's line, and ``card`` ``[holdings, 2]`` its cards.
    """
    until = at + lanes.count
    for j in range(first, last):
        values = lines[line[j], at:until]
        total[0, at:until] += values
        with_card[card[j, 0], at:until] += values
        with_card[card[j, 1], at:until] += values


def _write_turn(to: _Writer) -> None:
    """Lines and lanes change places in steps: pieces of 1, 2, 4 and 8 lanes swap between pairs of lines."""
    i, j = to.argument(1), to.argument(2)
    size = min(to.count, TURNED)
    lines = [to.load(3, to.builder.add(j, to.number(n)), i, size) for n in range(size)]
    mask = to.ir.VectorType(to.ir.IntType(32), size)
    apart = 1
    while apart < size:
        first = [lane if not lane & apart else size + lane - apart for lane in range(size)]
        second = [lane + apart if not lane & apart else size + lane for lane in range(size)]
        for n in range(size):
            if not n & apart:
                pair = lines[n], lines[n + apart]
                lines[n] = to.builder.shuffle_vector(*pair, to.ir.Constant(mask, first))
                lines[n + apart] = to.builder.shuffle_vector(*pair, to.ir.Constant(mask, second))
        apart *= 2
    for n, line in enumerate(lines):
        to.store(line, 0, to.builder.add(i, to.number(n)), j, size)


@_step(_write_turn)
def turn_tile(lanes: Lanes, to: Lines, i: int, j: int, of: Lines) -> None:
    """Make lines i to i + 15, lanes j to j + 15 of ``to`` these lanes and lines of ``of``.

    If there are fewer lanes than 16, the tile has as many lines and lanes as those.
    """
    size = min(lanes.count, TURNED)
    to[i : i + size, j : j + size] = of[j : j + size, i : i + size].T


def make_lines(lines: int, lanes: int, dtype: DTypeLike) -> Lines:
    """Zeros that begin where a cache line does: a piece that lies in two of them takes twice as long."""
    number = np.dtype(dtype)
    room = np.zeros(lines * lanes * number.itemsize + _CACHE_LINE, dtype=np.uint8)
    skip = -room.ctypes.data % _CACHE_LINE
    return room[skip : skip + lines * lanes * number.itemsize].view(number).reshape(lines, lanes)


def padded(size: int, to: int) -> int:
    """The next multiple."""
    return -(-size // to) * to
