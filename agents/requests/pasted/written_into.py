"""Take apart what stands in the brackets of a statement by index; write one that writes into a tensor as PyTorch:
"out[idx[i]] += src[i]", "cache[:, :, 5] = k".
"""

import ast
import re

from akgen.agents.requests.request import Shape

_LETTER = re.compile(r"[a-z]\Z")


class NoLoop(Exception):
    """The statement is not one of those that can be written so."""


def value_of(node: ast.expr, numbers: dict[str, int]) -> int:
    """Return the value of an index. Raises KeyError for a name without one."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name):
        return numbers[node.id]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult):
        left, right = value_of(node.left, numbers), value_of(node.right, numbers)
        return (
            left + right
            if isinstance(node.op, ast.Add)
            else left - right
            if isinstance(node.op, ast.Sub)
            else left * right
        )
    raise NoLoop


def sizes_in(statement: ast.AST, shapes: dict[str, Shape]) -> dict[str, int]:
    """Return what names of sizes stand for, as n does in x[n - 1 - i]: the last index is that of the axis."""
    found: dict[str, int] = {}
    for node in subscripts_in(statement):
        shape = shapes.get(node.value.id) if isinstance(node.value, ast.Name) else None
        for part, size in zip(parts_of(node), shape or (), strict=False):
            match = re.fullmatch(r"([A-Za-z]\w*) - 1 - [a-z]", ast.unparse(part))
            if match is not None and match[1] not in shapes:
                found.setdefault(match[1], size)
    return found


def parts_of(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def letter_of(part: ast.expr) -> str:
    if isinstance(part, ast.Name) and _LETTER.match(part.id):
        return part.id
    raise NoLoop


def subscripts_in(node: ast.AST) -> list[ast.Subscript]:
    return [n for n in ast.walk(node) if isinstance(n, ast.Subscript)]


def names_in(node: ast.AST) -> list[ast.Name]:
    return [n for n in ast.walk(node) if isinstance(n, ast.Name)]


def written_into(
    statement: ast.stmt, shapes: dict[str, Shape], numbers: dict[str, int], zeros: Shape | None
) -> str | None:
    """Return a function of what a statement leaves in its tensor; None if it writes into none.

    `zeros` is the shape of a tensor that starts as zeros, where the words say so.
    """
    adds = isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target: ast.expr = statement.targets[0]
    elif isinstance(statement, ast.AugAssign) and adds:
        target = statement.target
    else:
        return None
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
        return None
    name, parts = target.value.id, parts_of(target)
    into = shapes.get(name) if zeros is None else zeros
    if into is None or (zeros is None) == (name not in shapes) or len(parts) > len(into):
        return None
    begin = (
        f"{name} = torch.zeros({into}, dtype={{0}}.dtype)"
        if zeros is not None
        else f"{name} = {name}.clone()"
    )
    try:
        placed = _by_tensor(name, parts, statement.value, into, shapes, adds=adds)
        taken, result = placed or _by_numbers(name, parts, statement.value, into, shapes, numbers, adds=adds)
    except (NoLoop, KeyError):
        return None
    if zeros is None:
        taken = [name, *taken]
    if len(set(taken)) < len(taken):
        return None
    taken = [n for n in shapes if n in taken]  # as they are declared
    lines = (
        [begin.format(ast.unparse(_tensor_of(statement.value))), *result, f"return {name}"]
        if placed is None or zeros is not None
        else [f"return {result[0].partition(' = ')[2]}"]
    )
    return f"def indexed({', '.join(taken)}):\n" + "".join(f"    {line}\n" for line in lines)


def _tensor_of(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.Subscript) else node


def _by_tensor(
    name: str, parts: list[ast.expr], value: ast.expr, into: Shape, shapes: dict[str, Shape], *, adds: bool
) -> tuple[list[str], list[str]] | None:
    """Return tensors and lines of "out[idx[i], :] += src[i, :]"; None if no index is a tensor's value."""
    indices = [i for i, p in enumerate(parts) if isinstance(p, ast.Subscript)]
    if not indices:
        return None
    (axis,) = indices if len(indices) == 1 else (None,)
    inner = parts[axis] if axis is not None else None
    if not isinstance(inner, ast.Subscript) or not isinstance(value, ast.Subscript):
        raise NoLoop
    index, source = ast.unparse(inner.value), ast.unparse(value.value)
    mine = [ast.unparse(p) for p in (*parts[:axis], *parts_of(inner), *parts[(axis or 0) + 1 :])]
    if (
        mine != [ast.unparse(p) for p in parts_of(value)]
        or len(parts_of(inner)) != 1
        or len(shapes[index]) != 1
    ):
        raise NoLoop
    if {m for m in mine if m != ":"} != {ast.unparse(parts_of(inner)[0])} and len({*mine} - {":"}) < len(
        mine
    ) - mine.count(":"):
        raise NoLoop
    if not adds and shapes[index][0] > into[axis or 0]:
        raise NoLoop  # several writes to one place
    want = tuple(shapes[index][0] if i == axis else n for i, n in enumerate(into))
    if shapes[source] != want:
        raise NoLoop
    how = "index_add" if adds else "index_copy"
    return [index, source], [f"{name} = {name}.{how}({axis}, {index}.long(), {source})"]


def _by_numbers(
    name: str,
    parts: list[ast.expr],
    value: ast.expr,
    into: Shape,
    shapes: dict[str, Shape],
    numbers: dict[str, int],
    *,
    adds: bool,
) -> tuple[list[str], list[str]]:
    """Return tensors and lines of "cache[:, :, 5] = k", "x[:, 2:4] += y"."""
    if not isinstance(value, ast.Name) or value.id not in shapes:
        raise NoLoop
    written: list[int] = []
    for part, size in zip(parts, into, strict=False):
        if isinstance(part, ast.Slice) and part.step is None:
            low = value_of(part.lower, numbers) if part.lower is not None else 0
            high = value_of(part.upper, numbers) if part.upper is not None else size
            if not 0 <= low < high <= size:
                raise NoLoop
            written.append(high - low)
        elif not 0 <= value_of(part, numbers) < size:
            raise NoLoop
    if tuple(shapes[value.id]) != (*written, *into[len(parts) :]):
        raise NoLoop
    place = f"{name}[{', '.join(ast.unparse(p) for p in parts)}]"
    return [value.id], [f"{place} {'+=' if adds else '='} {value.id}"]
