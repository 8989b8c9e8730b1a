"""Turn the knobs of a composed program: its text is changed, and what it computes stays the same.

The composer's host functions cut the work in a few fixed forms (schedule*.py). A knob changes a number in such a form,
or takes away the schedules before the wanted one. A form that a knob does not know stays as it is.
"""

import ast

from akgen.tools.core.knobs import Knobs

LENGTH = 64  # tiles of one dimension are multiples of this
SMALLEST_TILE = 256


def turn(dsl: str, knobs: Knobs | None) -> str:
    """Return the program's text with the knobs turned; the same text if there is nothing to turn."""
    if knobs is None or knobs.empty:
        return dsl
    module = ast.parse(dsl)
    for node in module.body:
        if not isinstance(node, ast.FunctionDef):
            continue
        (decorator,) = node.decorator_list
        if isinstance(decorator, ast.Name) and decorator.id == "ascend_host":
            if knobs.schedule is not None:
                node.body = _only(node.body, knobs.schedule)
            _Host(knobs).visit(node)
        elif knobs.buffers == 1:
            _SingleBuffers().visit(node)
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef)]
    if knobs.schedule is not None:
        functions = _without_idle(functions)
    return "\n\n".join(ast.unparse(ast.fix_missing_locations(node)) for node in functions) + "\n"


def schedules(dsl: str) -> tuple[str, ...]:
    """Return the kernels that the host function may launch, in the order in which it tries them."""
    found = (_launched(node) for node in ast.walk(ast.parse(dsl)))
    return tuple(dict.fromkeys(name for name in found if name is not None))


def _only(body: list[ast.stmt], kernel: str) -> list[ast.stmt]:
    """Leave out the launches before that of `kernel`, where an `if` chooses between them."""
    out: list[ast.stmt] = []
    for node in body:
        if not isinstance(node, ast.If):
            out.append(node)
        elif _launches(node.orelse, kernel) and len(node.body) == 1 and _launched(_call(node.body[0])):
            out += _only(node.orelse, kernel)
        else:
            node.body, node.orelse = _only(node.body, kernel), _only(node.orelse, kernel)
            out.append(node)
    return out


def _without_idle(functions: list[ast.FunctionDef]) -> list[ast.FunctionDef]:
    """Drop kernels that are launched no more, and what the host computed for them alone."""
    host = functions[-1]
    calls = [node for node in ast.walk(host) if isinstance(node, ast.Call) and _launched(node)]
    kept = {_launched(call) for call in calls}
    passed = {a.id for call in calls for a in call.args if isinstance(a, ast.Name)}

    def idle(node: ast.stmt) -> bool:
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            return False
        if _is_call(node.value, "workspace"):
            return node.targets[0].id not in passed
        fits = [n for n in ast.walk(node.value) if isinstance(n, ast.Call) and _is_call(n, "fit_tile")]
        return any(isinstance(f.args[0], ast.Name) and f.args[0].id not in kept for f in fits)

    host.body = [node for node in host.body if not idle(node)]
    return [node for node in functions if node is host or node.name in kept]


def _launches(body: list[ast.stmt], kernel: str) -> bool:
    return any(_launched(node) == kernel for statement in body for node in ast.walk(statement))


def _call(node: ast.stmt) -> ast.AST | None:
    return node.value if isinstance(node, ast.Expr) else None


def _launched(node: ast.AST | None) -> str | None:
    match node:
        case ast.Call(func=ast.Subscript(value=ast.Name(id=kernel))):
            return kernel
    return None


class _SingleBuffers(ast.NodeTransformer):
    """Switch double buffering off for every tile."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        if isinstance(node.func, ast.Name) and node.func.id == "alloc_ub":
            node.keywords = [ast.keyword("buffers", ast.Constant(1))]
        return node


class _Host(ast.NodeTransformer):
    """Change how many cores there are and how long tiles become."""

    def __init__(self, knobs: Knobs) -> None:
        self._knobs = knobs

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        if not isinstance(node.targets[0], ast.Name):
            return node
        if node.targets[0].id == "cores":
            node.value = _Cores(self._knobs).visit(node.value)
        fit = next((n for n in ast.walk(node.value) if _is_call(n, "fit_tile")), None)
        if isinstance(fit, ast.Call):
            rows = isinstance(fit.args[1], ast.Constant) and "row" in str(fit.args[1].value)
            node.value = self._tile(node.value, fit, rows=rows)
        return node

    def _tile(self, value: ast.expr, fit: ast.Call, *, rows: bool) -> ast.expr:
        pieces, longest = self._knobs.pieces, self._knobs.tile_length
        if pieces is not None:
            value = _Pieces(pieces).visit(value)
        if longest is None:
            return value
        if rows:
            widths = " * ".join(ast.unparse(k.value) for k in fit.keywords) or "1"
            most = f"max(1, {longest} // max(1, {widths}))"
        else:
            most = str(max(LENGTH, longest // LENGTH * LENGTH))
        return _expression(f"min({ast.unparse(value)}, {most})")


class _Cores(ast.NodeTransformer):
    """Lower the number of cores that there are, and the work that makes one worth its while."""

    def __init__(self, knobs: Knobs) -> None:
        self._knobs = knobs

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if _is_call(node, "core_num") and self._knobs.cores is not None:
            return _expression(f"min(core_num(), {self._knobs.cores})")
        self.generic_visit(node)
        if _is_call(node, "ceil_div") and self._knobs.grain is not None and _is_number(node.args[1]):
            node.args[1] = ast.Constant(self._knobs.grain)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.FloorDiv) and self._knobs.grain is not None and _is_number(node.right):
            node.right = ast.Constant(self._knobs.grain)
        return node


class _Pieces(ast.NodeTransformer):
    """Cut a core's share, or an item's length, into so many tiles."""

    def __init__(self, pieces: int) -> None:
        self._pieces = pieces

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if _is_call(node, "fit_tile"):
            return node
        if _is_call(node, "ceil_div"):
            node.args[1] = ast.Constant(self._pieces)
            return node
        if _is_call(node, "max") and _is_number(node.args[0]):
            node.args[0] = ast.Constant(SMALLEST_TILE)
        if _is_call(node, "align_up") and not isinstance(node.args[0], ast.Call):
            return _expression(f"align_up(ceil_div({ast.unparse(node.args[0])}, {self._pieces}), {LENGTH})")
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id.startswith("per_core"):
            return _expression(f"max(1, ceil_div({node.id}, {self._pieces}))")
        return node


def _is_call(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
