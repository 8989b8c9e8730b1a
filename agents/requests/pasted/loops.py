"""Write a statement by index as PyTorch: "out[i, j] = x[i, idx[i, j]]", "y[i] = x[n-1-i]", "c[i] += a[i, k] * b[k]".

The letters of the left side are the axes of the result, a colon or an axis that nobody writes is one more. A letter of
the right side alone is summed over where the statement adds ("+="). What is read at an index that is a tensor's value
is read with PyTorch's own indexing, so that the meaning is that of the loop. None of this runs anything.
"""

import ast
import re
from typing import NamedTuple

from akgen.agents.requests.pasted.written_into import (
    NoLoop,
    letter_of,
    names_in,
    parts_of,
    subscripts_in,
    value_of,
)
from akgen.agents.requests.request import Shape
from akgen.knowledge.operators import operator_named

_SUM = "sum_over_"
_FREE = "_axis"  # begins the names of axes that nobody writes


class _Axis(NamedTuple):
    """Where a size is read: of a tensor's axis, with what an index there is offset by."""

    tensor: str
    axis: int
    factor: int
    offset: int


def by_index(statement: ast.stmt, shapes: dict[str, Shape], numbers: dict[str, int]) -> str | None:
    """Return a function that computes what a statement by index does; None if it is none.

    `shapes` are those of the tensors by name, `numbers` names of sizes, such as n of 4096.
    """
    adds = isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add)
    target: ast.expr | None = statement.target if isinstance(statement, ast.AugAssign) else None
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    if not isinstance(target, ast.Subscript) or not isinstance(statement, ast.Assign | ast.AugAssign):
        return None
    if isinstance(statement, ast.AugAssign) and not adds:
        return None
    try:
        return _Loop(target, statement.value, shapes, numbers, adds=adds).function()
    except NoLoop:
        return None


def _sum_of(node: ast.AST) -> str | None:
    """Return the letter that a sum goes over, "sum_over_k(a[i, k])"; None of anything else."""
    named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1
    if not named or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    return node.func.id.removeprefix(_SUM) if node.func.id.startswith(_SUM) else None


class _Loop:
    def __init__(
        self,
        target: ast.Subscript,
        value: ast.expr,
        shapes: dict[str, Shape],
        numbers: dict[str, int],
        *,
        adds: bool,
    ) -> None:
        self._shapes, self._numbers = shapes, numbers
        self._axes: list[str] = []
        for part in parts_of(target):
            free = isinstance(part, ast.Slice) and not (part.lower or part.upper or part.step)
            self._axes.append(f"{_FREE}{len(self._axes)}" if free else letter_of(part))
        if len(set(self._axes)) < len(self._axes):
            raise NoLoop
        self._colons = [a for a in self._axes if a.startswith(_FREE)]
        self._value = value
        if ast.unparse(target.value) in {n.id for n in names_in(value)}:
            raise NoLoop  # y[i] = y[i - 1] + x[i] goes one after the other
        given = [n for n in subscripts_in(value) if isinstance(n.value, ast.Name) and n.value.id in shapes]
        if not given or len(given) < len(subscripts_in(value)):
            raise NoLoop
        behind = max(
            len(shapes[n.value.id]) - len(parts_of(n)) for n in given if isinstance(n.value, ast.Name)
        )
        self._colons += [f"{_FREE}{len(self._axes) + i}" for i in range(behind)]
        self._axes += [c for c in self._colons if c not in self._axes]
        inside = dict.fromkeys(
            n.id for g in given for p in parts_of(g) for n in ast.walk(p) if isinstance(n, ast.Name)
        )
        self._summed = [n for n in inside if n not in (*self._axes, *shapes, *numbers)]
        self._inner = [s for n in ast.walk(value) if (s := _sum_of(n)) is not None]
        if self._inner and (adds or sorted(self._inner) != sorted(self._summed)):
            raise NoLoop  # a letter of a sum that nothing has, or one that is not summed over
        if adds != bool(self._summed) and not self._inner:
            raise NoLoop  # what is added to is a tensor, too
        self._order = [*self._axes, *self._summed]
        self._sizes: dict[str, set[_Axis]] = {}

    def function(self) -> str:
        self._written(self._value)  # notes the sizes of all letters
        for uses in self._sizes.values():
            whole = {self._count(u) for u in uses if (u.factor, u.offset) == (1, 0)}
            if len(whole) > 1 or min(map(self._count, uses)) < 1:
                raise NoLoop  # two sizes of one axis
        body = self._written(self._value)
        if self._inner:
            body = f"({body})[{', '.join([':'] * len(self._axes) + ['0'] * len(self._summed))}]"
        elif self._summed:
            body = f"({body}).sum(({', '.join(str(len(self._axes) + i) for i in range(len(self._summed)))},))"
        names = dict.fromkeys(
            n.id for n in sorted(names_in(self._value), key=lambda n: n.col_offset) if n.id in self._shapes
        )
        needed = [a for a in self._order if re.search(rf"(?<![\w]){a}(?!\w)", body)]
        lines = [f"    {axis} = {self._range(axis)}" for axis in needed]
        return f"def indexed({', '.join(names)}):\n" + "\n".join([*lines, f"    return {body}"]) + "\n"

    def _range(self, axis: str) -> str:
        """Return the values of a letter, along its axis of the result."""
        at = self._order.index(axis)
        form = ", ".join("-1" if i == at else "1" for i in range(len(self._order)))
        return f"torch.arange({self._extent(axis)}).view({form})"

    def _uniform(self, letter: str) -> bool:
        """Say whether all that has the letter has it over its whole axis."""
        return all((u.factor, u.offset) == (1, 0) for u in self._sizes.get(letter, ()))

    def _extent(self, axis: str) -> str:
        counts = {self._count(use): use for use in self._sizes.get(axis, set())}
        if not counts:
            raise NoLoop
        use = counts[min(counts)]
        size = f"{use.tensor}.shape[{use.axis}]"
        if use.factor == 1 and use.offset == 0:
            return size
        return repr(min(counts)) if use.factor < 0 else f"({size} - 1 - {use.offset}) // {use.factor} + 1"

    def _count(self, use: _Axis) -> int:
        size = self._shapes[use.tensor][use.axis]
        return use.offset // -use.factor + 1 if use.factor < 0 else (size - 1 - use.offset) // use.factor + 1

    def _written(self, node: ast.expr) -> str:
        """Return an expression of the right side, its axes those of the loop."""
        if isinstance(node, ast.Subscript):
            return self._read(node)
        if isinstance(node, ast.BinOp):
            inner = ast.BinOp(ast.Name("left"), node.op, ast.Name("right"))
            text = ast.unparse(ast.fix_missing_locations(inner))
            return text.replace("left", f"({self._written(node.left)})").replace(
                "right", f"({self._written(node.right)})"
            )
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return f"-({self._written(node.operand)})"
        if isinstance(node, ast.Constant):
            return repr(node.value)
        if isinstance(node, ast.Name) and node.id in self._numbers:
            return repr(self._numbers[node.id])
        if (letter := _sum_of(node)) is not None and isinstance(node, ast.Call):
            return f"({self._written(node.args[0])}).sum({self._order.index(letter)}, keepdim=True)"
        if isinstance(node, ast.Call) and not node.keywords:
            name = ast.unparse(node.func)
            entry = operator_named(name)
            ways = (
                entry.signatures()
                if entry is not None and entry.category in ("elementwise", "activation", "other")
                else ()
            )
            if ways and not ways[0].is_module and len(ways[0].tensors) == len(node.args):
                return f"{ways[0].path}({', '.join(map(self._written, node.args))})"
        raise NoLoop

    def _read(self, node: ast.Subscript) -> str:
        """Return a tensor at its indices, with the axes of the loop."""
        assert isinstance(node.value, ast.Name)
        name, parts = node.value.id, parts_of(node)
        free = iter(self._colons[len(self._colons) - (len(self._shapes[name]) - len(parts)) :])
        colons = iter(self._colons)
        indices: list[ast.expr] = [
            ast.Name(next(colons)) if isinstance(p, ast.Slice) and not (p.lower or p.upper or p.step) else p
            for p in parts
        ]
        indices += [ast.Name(a) for a in free]
        if len(indices) != len(self._shapes[name]):
            raise NoLoop
        letters = [i.id if isinstance(i, ast.Name) and i.id in self._order else None for i in indices]
        for at, index in enumerate(indices):
            self._note(name, at, index)
        plain = [x for x in letters if x is not None]
        if (sliced := self._sliced(name, indices)) is not None:
            return sliced
        others = [i for i, x in enumerate(letters) if x is None]
        inner = indices[others[0]]
        if len(others) == 1 and isinstance(inner, ast.Subscript) and len(set(plain)) == len(plain):
            own = [p.id if isinstance(p, ast.Name) else "" for p in parts_of(inner)]
            index_of = ast.unparse(inner.value)
            if len(self._shapes.get(index_of, ())) == len(own) and set(own) <= set(self._order):
                for at, letter in enumerate(own):
                    self._note(index_of, at, ast.Name(letter))
                if not all(map(self._uniform, (*own, *plain))):
                    raise NoLoop
                if not set(own) & set(plain):  # rows of a table
                    before = [x for x in letters[: others[0]] if x]
                    inside = ", ".join([*(":" for _ in before), index_of])
                    return self._arranged(f"{name}[{inside}]", [*before, *own, *plain[len(before) :]])
                if len(own) == len(indices) and all(
                    a in (None, b) for a, b in zip(letters, own, strict=True)
                ):
                    return self._arranged(f"torch.gather({name}, {others[0]}, {index_of}.long())", own)
        return f"{name}[{', '.join(self._index(i) for i in indices)}]"

    def _sliced(self, name: str, indices: list[ast.expr]) -> str | None:
        """Return a tensor read at a letter's multiples on each axis, x[2*i + 1, n-1-j], as slices; None of others."""
        parts, turned, letters = [], [], []
        for axis, index in enumerate(indices):
            if (use := self._use(name, axis, index)) is None:
                return None
            letter = next(n.id for n in names_in(index) if n.id in self._order)
            count = min(self._count(u) for u in self._sizes[letter])
            size = self._shapes[name][axis]
            if use.factor < 0 and (use.factor, use.offset, count) != (-1, size - 1, size):
                return None
            turned += [axis] if use.factor < 0 else []
            end = use.offset + (count - 1) * use.factor + 1
            whole = use.factor < 0 or (use.factor, use.offset, end) == (1, 0, size)
            step = f":{use.factor}" if use.factor > 1 else ""
            parts.append(":" if whole else f"{use.offset}:{end}{step}")
            letters.append(letter)
        if len(set(letters)) < len(letters):
            return None
        tensor = f"torch.flip({name}, {tuple(turned)})" if turned else name
        return self._arranged(tensor if set(parts) == {":"} else f"{tensor}[{', '.join(parts)}]", letters)

    def _arranged(self, tensor: str, letters: list[str]) -> str:
        """Return a tensor whose axes have these letters with its axes in the loop's order, others of one element."""
        order = sorted(letters, key=self._order.index)
        if order != letters:
            tensor = f"{tensor}.permute({', '.join(str(letters.index(x)) for x in order)})"
        if order == self._order:
            return tensor
        return f"{tensor}[{', '.join(':' if a in letters else 'None' for a in self._order)}]"

    def _index(self, node: ast.expr) -> str:
        """Return an index as a tensor of whole numbers."""
        if isinstance(node, ast.Subscript):
            return f"({self._read(node)}).long()"
        if isinstance(node, ast.BinOp):
            sign = ast.unparse(ast.BinOp(ast.Name("a"), node.op, ast.Name("b")))[2]
            if not isinstance(node.op, ast.Add | ast.Sub | ast.Mult):
                raise NoLoop
            return f"({self._index(node.left)} {sign} {self._index(node.right)})"
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return repr(node.value)
        if isinstance(node, ast.Name) and node.id in self._numbers:
            return repr(self._numbers[node.id])
        if isinstance(node, ast.Name) and node.id in self._order:
            return node.id
        raise NoLoop

    def _note(self, tensor: str, axis: int, index: ast.expr) -> None:
        """Note what an index says of its letter's size: of x[2*i + 1] half as many as x has."""
        if (use := self._use(tensor, axis, index)) is not None:
            letter = next(n.id for n in names_in(index) if n.id in self._order)
            self._sizes.setdefault(letter, set()).add(use)

    def _use(self, tensor: str, axis: int, index: ast.expr) -> _Axis | None:
        """Return how an index runs with its only letter; None if it has several, none, or a tensor's value."""
        letters = [n.id for n in names_in(index) if n.id in self._order]
        if any(isinstance(n, ast.Subscript) for n in ast.walk(index)) or len(letters) != 1:
            return None
        try:
            offset, one = (value_of(index, {**self._numbers, letters[0]: v}) for v in (0, 1))
        except KeyError as unknown:
            raise NoLoop from unknown
        if one == offset or (one > offset and offset < 0) or (one < offset >= self._shapes[tensor][axis]):
            raise NoLoop  # outside at the first letter: x[i - 1]
        return _Axis(tensor, axis, one - offset, offset)
