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

from numpy.typing import NDArray

from soulread.kernel import numba_module

LANES = 32  # numbers of a piece: the sums of one card then fill a few vector registers
TURNED = 16  # lines and lanes of a tile of `turn_tile`

Lines = NDArray[Any]  # [lines, a multiple of LANES]


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
        3: lambda context, a, b, c: define(context, a, b, c),
        4: lambda context, a, b, c, d: define(context, a, b, c, d),
        5: lambda context, a, b, c, d, e: define(context, a, b, c, d, e),
        7: lambda context, a, b, c, d, e, f, g: define(context, a, b, c, d, e, f, g),
    }
    return by_count[count]


class _Writer:
    """Writes a step: loads and stores pieces of the arrays among its arguments."""

    def __init__(self, context: Any, builder: Any, signature: Any, values: Sequence[Any]) -> None:
        from numba.core import types

        self.ir: Any = importlib.import_module("llvmlite.ir")
        self.builder = builder
        self._context = context
        self._kinds = signature.args
        self._values = [
            context.cast(builder, value, kind, types.intp) if isinstance(kind, types.Integer) else value
            for value, kind in zip(values, signature.args, strict=True)
        ]

    def number(self, value: int) -> Any:
        """A constant."""
        return self.ir.Constant(self.ir.IntType(64), value)

    def argument(self, number: int) -> Any:
        """An argument that is an integer."""
        return self._values[number]

    def place(self, array: int, line: Any, at: Any, size: int) -> Any:
        """Where ``size`` numbers of the array begin at ``line``, ``at``."""
        found = self._context.make_array(self._kinds[array])(self._context, self.builder, self._values[array])
        row = self.builder.extract_value(found.shape, 1)
        where = self.builder.add(self.builder.mul(line, row), at)
        number = self._context.get_data_type(self._kinds[array].dtype)
        return self.builder.bitcast(
            self.builder.gep(found.data, [where]), self.ir.VectorType(number, size).as_pointer()
        )

    def load(self, array: int, line: Any, at: Any, size: int = LANES) -> Any:
        """A piece of an array."""
        place = self.place(array, line, at, size)
        return self.builder.load(place, align=self._kinds[array].dtype.bitwidth // 8)

    def store(self, value: Any, array: int, line: Any, at: Any, size: int = LANES) -> None:
        """Put a piece into an array."""
        place = self.place(array, line, at, size)
        self.builder.store(value, place, align=self._kinds[array].dtype.bitwidth // 8)


def _step(write: Callable[[_Writer], None]) -> Callable[[Callable[..., None]], Step]:
    return lambda plain: Step(plain, write)


def _write_add(to: _Writer) -> None:
    i, j, at = to.argument(1), to.argument(3), to.argument(4)
    to.store(to.builder.fadd(to.load(0, i, at), to.load(2, j, at)), 0, i, at)


@_step(_write_add)
def add_line(to: Lines, i: int, line: Lines, j: int, at: int) -> None:
    """Add line j to line i of ``to``."""
    to[i, at : at + LANES] += line[j, at : at + LANES]


def _write_subtract(to: _Writer) -> None:
    i, j, at = to.argument(1), to.argument(3), to.argument(4)
    to.store(to.builder.fsub(to.load(0, i, at), to.load(2, j, at)), 0, i, at)


@_step(_write_subtract)
def subtract_line(to: Lines, i: int, line: Lines, j: int, at: int) -> None:
    """Subtract line j from line i of ``to``."""
    to[i, at : at + LANES] -= line[j, at : at + LANES]


def _rest(to: _Writer) -> Any:
    """A line of totals without two parts."""
    at = to.argument(6)
    whole = to.load(2, to.number(0), at)
    without = to.builder.fsub(whole, to.load(3, to.argument(4), at))
    return to.builder.fsub(without, to.load(3, to.argument(5), at))


def _write_set_rest(to: _Writer) -> None:
    to.store(_rest(to), 0, to.argument(1), to.argument(6))


@_step(_write_set_rest)
def set_rest(to: Lines, i: int, total: Lines, part: Lines, a: int, b: int, at: int) -> None:
    """Make line i what is left of the only line of ``total`` without the parts a and b."""
    to[i, at : at + LANES] = total[0, at : at + LANES] - part[a, at : at + LANES] - part[b, at : at + LANES]


def _write_add_rest(to: _Writer) -> None:
    i, at = to.argument(1), to.argument(6)
    to.store(to.builder.fadd(to.load(0, i, at), _rest(to)), 0, i, at)


@_step(_write_add_rest)
def add_rest(to: Lines, i: int, total: Lines, part: Lines, a: int, b: int, at: int) -> None:
    """Add to line i what `set_rest` would make it."""
    to[i, at : at + LANES] += total[0, at : at + LANES] - part[a, at : at + LANES] - part[b, at : at + LANES]


def _write_clear(to: _Writer) -> None:
    i, at = to.argument(1), to.argument(2)
    vector = to.load(0, i, at).type
    to.store(to.ir.Constant(vector, None), 0, i, at)


@_step(_write_clear)
def clear_line(to: Lines, i: int, at: int) -> None:
    """Put zeros into line i."""
    to[i, at : at + LANES] = 0


def _write_turn(to: _Writer) -> None:
    """Lines and lanes change places in steps: pieces of 1, 2, 4 and 8 lanes swap between pairs of lines."""
    i, j = to.argument(1), to.argument(2)
    lines = [to.load(3, to.builder.add(j, to.number(n)), i, TURNED) for n in range(TURNED)]
    mask = to.ir.VectorType(to.ir.IntType(32), TURNED)
    apart = 1
    while apart < TURNED:
        first = [lane if not lane & apart else TURNED + lane - apart for lane in range(TURNED)]
        second = [lane + apart if not lane & apart else TURNED + lane for lane in range(TURNED)]
        for n in range(TURNED):
            if not n & apart:
                pair = lines[n], lines[n + apart]
                lines[n] = to.builder.shuffle_vector(*pair, to.ir.Constant(mask, first))
                lines[n + apart] = to.builder.shuffle_vector(*pair, to.ir.Constant(mask, second))
        apart *= 2
    for n, line in enumerate(lines):
        to.store(line, 0, to.builder.add(i, to.number(n)), j, TURNED)


@_step(_write_turn)
def turn_tile(to: Lines, i: int, j: int, of: Lines) -> None:
    """Make lines i to i + 15, lanes j to j + 15 of ``to`` these lanes and lines of ``of``."""
    to[i : i + TURNED, j : j + TURNED] = of[j : j + TURNED, i : i + TURNED].T


def padded(size: int, to: int) -> int:
    """The next multiple."""
    return -(-size // to) * to
