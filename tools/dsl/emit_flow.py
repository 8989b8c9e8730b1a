"""Loops and branches of a kernel's program as C++, the same within compute blocks and around them."""

from collections.abc import Callable

from akgen.tools.dsl.code import Lines
from akgen.tools.dsl.ir import For, If, Stmt
from akgen.tools.dsl.kernel_context import KernelContext

Body = Callable[[tuple[Stmt, ...]], None]


def emit_loop(context: KernelContext, out: Lines, loop: For, body: Body) -> None:
    """Write a counting loop; `body` writes what is in it."""
    text = context.expr.text
    var, step = context.scalar(loop.var), text(loop.step)
    advance = f"++{var}" if step == "1" else f"{var} += {step}"
    stop = context.expr.nested(loop.stop)
    out.open(f"for (int64_t {var} = {text(loop.start)}; {var} < {stop}; {advance})")
    body(loop.body)
    out.close()


def emit_branch(context: KernelContext, out: Lines, branch: If, body: Body) -> None:
    """Write an if with its else; `body` writes what is in either."""
    out.open(f"if ({context.expr.text(branch.cond)})")
    body(branch.then)
    if branch.other:
        out.depth -= 1
        out.open("} else")
        body(branch.other)
    out.close()
