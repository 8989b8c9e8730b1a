"""Loops that ask for the next tile before they compute this one.

The scalar unit gives out instructions in the order of the text, and the queue of each pipe takes 32 of them. A block
that works row by row gives out more: the scalar unit waits there, and the copy behind it, the next tile's, begins when
this tile is nearly done, beside the copy out, which it slows down. Asked for first, it arrives while this tile is
computed.
"""

from collections.abc import Mapping

from akgen.tools.dsl.buffer_placement import Key, key
from akgen.tools.dsl.buffers import UbPlan
from akgen.tools.dsl.expr import Binary, Choice, Const, Expr, Func, Name, Unary, names_in, replace_names, walk
from akgen.tools.dsl.ir import Assign, Block, For, Kernel, Load, Stmt, assigned
from akgen.tools.dsl.ir import walk as statements
from akgen.tools.dsl.scalar_names import expressions

_KNOWN_AHEAD = (Binary, Choice, Const, Func, Name, Unary)  # what an expression is made of that needs no tile


def loads_ahead(kernel: Kernel, plan: UbPlan) -> dict[Key, For]:
    """Return the copyin blocks that can be done an iteration ahead, each with its loop."""
    double = {b.tile for b in plan.buffers if b.role == "in" and b.copies > 1}
    found = {}
    for loop in statements(kernel.body):
        if isinstance(loop, For) and (block := _ahead(loop, kernel, double)) is not None:
            found[key(block)] = loop
    return found


def _ahead(loop: For, kernel: Kernel, double: set[str]) -> Block | None:
    first = next((at for at, s in enumerate(loop.body) if not isinstance(s, Assign)), 0)
    block, rest = loop.body[first], loop.body[first + 1 :]
    if not isinstance(block, Block) or block.stage != "copyin" or not all(map(_works_on_tiles, rest)):
        return None
    loads = [s for s in block.body if isinstance(s, Load)]
    if not any(len(kernel.allocs[s.tile].dims) == 2 for s in loads):
        return None  # one instruction for each operation: the queue takes them
    if any(s.index is not None or s.tile not in double or s.tensor in kernel.stored for s in loads):
        return None
    read = [e for s in (*loads, *loop.body[:first], loop) for e in expressions(s)]
    if not all(isinstance(part, _KNOWN_AHEAD) for e in read for part in walk(e)):
        return None
    later = assigned(rest)
    stale = later & {n for e in read for n in names_in(e)}
    moving = (later | {loop.var}) & (names_in(loop.step) | names_in(loop.stop))
    return None if stale or moving else block


def _works_on_tiles(s: Stmt) -> bool:
    return isinstance(s, Assign) or (isinstance(s, Block) and s.stage in ("compute", "copyout"))


def values_at(loop: For, where: Expr) -> Mapping[str, Expr]:
    """Return what the loop's variable and the scalars before its first block are where the variable is `where`."""
    values: dict[str, Expr] = {loop.var: where}
    for s in loop.body:
        if not isinstance(s, Assign):
            break
        values[s.name] = replace_names(s.value, lambda n: values.get(n, Name(id=n)))
    return values
