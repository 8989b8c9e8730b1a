"""Branches on elements: a reference's functions rewritten so that both sides of an `if` are recorded and merged.

`if`, `and`, `or`, `not`, conditional expressions and `int`, `float`, `bool`, `min`, `max`, `len` become calls of
`Steering`, which does what Python does unless a condition is a tensor whose elements nobody knows. Then both sides run,
one after the other; what they leave in local variables and lists is selected by the condition, and so is what they
write to tensors. A side that ends with `return` or `continue` takes what follows as the other side.
Not covered: `while`, `break`, attributes that are set, and functions with closures.
"""

import ast
import builtins
import copy
import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import Any

from akgen.tools.compose.front.record_outside import Unrecordable

_NAME = "__steering__"
_BUILTINS = frozenset(["int", "float", "bool", "min", "max", "len"])


@contextmanager
def rewritten(model: Any, steering: Any) -> Iterator[None]:
    """Let the functions of the model's file call `steering` where they branch."""
    before: list[tuple[FunctionType, CodeType]] = []
    spaces: dict[int, dict[str, Any]] = {}
    for function in _functions(model):
        code = _rewritten(function)
        if code is not None:
            before.append((function, function.__code__))
            spaces[id(function.__globals__)] = function.__globals__
            function.__code__ = code
    for space in spaces.values():
        space[_NAME] = steering
    try:
        yield
    finally:
        for function, code in before:
            function.__code__ = code
        for space in spaces.values():
            del space[_NAME]


def _functions(model: Any) -> list[FunctionType]:
    """Return the methods of the model's modules and the functions beside them that stand in the model's own file."""
    forward = inspect.unwrap(type(model).forward)
    if not isinstance(forward, FunctionType):
        return []
    file = forward.__code__.co_filename
    kinds = {type(m) for m in model.modules()}
    found = [v for kind in kinds for base in kind.__mro__ for v in vars(base).values()]
    found += list(forward.__globals__.values())
    plain = [v.__func__ if isinstance(v, (staticmethod, classmethod)) else v for v in found]
    own = [f for f in plain if isinstance(f, FunctionType) and f.__code__.co_filename == file]
    return [f for f in dict.fromkeys(own) if f.__name__ != "__init__"]


def _rewritten(function: FunctionType) -> CodeType | None:
    """Return the function's code with its branches rewritten, None if it cannot be."""
    if function.__closure__ or function.__name__ == "<lambda>":
        return None
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, SyntaxError, TypeError):
        return None
    (definition,) = tree.body
    if not isinstance(definition, ast.FunctionDef):
        return None
    ast.increment_lineno(tree, first - 1)
    definition.decorator_list, definition.returns = [], None
    for a in ast.walk(definition.args):
        if isinstance(a, ast.arg):
            a.annotation = None
    definition.args.defaults = [ast.Constant(None) for _ in definition.args.defaults]
    definition.args.kw_defaults = [d and ast.Constant(None) for d in definition.args.kw_defaults]
    definition.body = _Rewriter().block(definition.body, "function")
    ast.fix_missing_locations(tree)
    module = compile(tree, function.__code__.co_filename, "exec")
    code = next(c for c in module.co_consts if isinstance(c, CodeType))
    return code if not code.co_freevars else None


class _Rewriter(ast.NodeTransformer):
    """Rewrites one function."""

    def __init__(self) -> None:
        self._count = 0

    # expressions

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        if any(isinstance(n, (ast.NamedExpr, ast.Yield, ast.Await)) for n in ast.walk(node)):
            return node
        name = "conjunction" if isinstance(node.op, ast.And) else "disjunction"
        return _call(name, *(_delayed(v) for v in node.values))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return _call("negation", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        return _call("chosen", node.test, _delayed(node.body), _delayed(node.orelse))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in _BUILTINS:
            node.func = _call("builtin", node.func)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return node  # a function within has its own rules

    visit_Lambda = visit_FunctionDef  # type: ignore[assignment]

    # statements

    def block(self, body: list[ast.stmt], tail: str | None) -> list[ast.stmt]:
        """Rewrite statements; `tail` says what falls off their end: the function, a turn of its loop, or neither."""
        out: list[ast.stmt] = []
        for k, statement in enumerate(body):
            if isinstance(statement, ast.If):
                out += self._branch(statement, body[k + 1 :], tail)
                return out
            if isinstance(statement, (ast.For, ast.While)):
                statement.body = self.block(statement.body, "loop")
                statement.orelse = self.block(statement.orelse, None)
                if isinstance(statement, ast.For):
                    statement.iter = self.visit(statement.iter)
                else:
                    statement.test = self.visit(statement.test)
                out.append(statement)
            elif isinstance(statement, ast.With):
                statement.body = self.block(statement.body, None)
                out.append(statement)
            else:
                out.append(self.visit(statement))
        return out

    def _branch(self, node: ast.If, rest: list[ast.stmt], tail: str | None) -> list[ast.stmt]:
        jump = {"loop": ast.Continue, "function": ast.Return}.get(tail or "")
        then, other, follows = node.body, node.orelse, rest
        if jump is not None and (_ends(then, jump) or _ends(other, jump)):
            then = then if _ends(then, jump) else [*then, *copy.deepcopy(rest)]
            other = other if _ends(other, jump) else [*other, *copy.deepcopy(rest)]
            follows = []
        result = tail == "function" and (_ends(then, ast.Return) or _ends(other, ast.Return))
        if result:
            nothing = ast.Return(ast.Constant(None))
            then, other = (b if _ends(b, ast.Return) else [*b, nothing] for b in (then, other))
        self._count += 1
        branch, value = f"__branch{self._count}", f"__returned{self._count}"
        if jump is ast.Continue:
            then, other = (b[:-1] if _ends(b, ast.Continue) else b for b in (then, other))
        if result:
            then, other = (_assigning(b, value) for b in (then, other))
        if _jumps([*then, *other]) or _sets_attributes([*then, *other]):
            plain = ast.If(self.visit(node.test), self.block(node.body, None), self.block(node.orelse, None))
            return [ast.copy_location(plain, node), *self.block(rest, tail)]
        rest = follows
        names = sorted(_stored([*then, *other]))
        inner = "loop" if tail == "loop" and not rest else None
        lines = [
            _assign([branch], _call("branch", self.visit(node.test), _strings(names))),
            ast.If(_method(branch, "then"), [*self.block(then, inner), ast.Pass()], []),
            _assign(names, _method(branch, "between"), many=True),
            ast.If(_method(branch, "other"), [*self.block(other, inner), ast.Pass()], []),
            _assign(names, _method(branch, "after"), many=True),
        ]
        if result:
            lines.append(ast.Return(ast.Name(value, ast.Load())))
        for line in lines:
            ast.copy_location(line, node)
            for n in ast.walk(line):
                if not hasattr(n, "lineno"):
                    ast.copy_location(n, node)
        return [*lines, *self.block(rest, tail)]


def _call(name: str, *args: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(ast.Name(_NAME, ast.Load()), name, ast.Load()), list(args), [])


def _method(branch: str, name: str) -> ast.expr:
    """Return the call of a branch's method with the local variables of the function."""
    here = ast.Call(ast.Name("locals", ast.Load()), [], [])
    return ast.Call(ast.Attribute(ast.Name(branch, ast.Load()), name, ast.Load()), [here], [])


def _delayed(value: ast.expr) -> ast.expr:
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(nothing, value)


def _strings(names: list[str]) -> ast.expr:
    return ast.Tuple([ast.Constant(n) for n in names], ast.Load())


def _assign(names: list[str], value: ast.expr, *, many: bool = False) -> ast.stmt:
    if not names:
        return ast.Expr(value)
    targets: list[ast.expr] = [ast.Name(n, ast.Store()) for n in names]
    return ast.Assign([ast.Tuple(targets, ast.Store()) if many else targets[0]], value)


def _ends(body: list[ast.stmt], kind: type[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], kind)


def _assigning(body: list[ast.stmt], name: str) -> list[ast.stmt]:
    """Return statements that keep what they would return in a variable."""
    last = body[-1]
    assert isinstance(last, ast.Return)
    return [*body[:-1], ast.copy_location(_assign([name], last.value or ast.Constant(None)), last)]


def _within(body: list[ast.stmt], *, loops: bool = True) -> Iterator[ast.AST]:
    """Yield the nodes of statements, without those of functions in them, and, on demand, without loops' bodies."""
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, (ast.FunctionDef, ast.Lambda)) or (
            not loops and isinstance(node, (ast.For, ast.While))
        ):
            continue
        pending.extend(ast.iter_child_nodes(node))


def _jumps(body: list[ast.stmt]) -> bool:
    returns = any(isinstance(n, (ast.Return, ast.Yield, ast.Raise)) for n in _within(body))
    return returns or any(isinstance(n, (ast.Break, ast.Continue)) for n in _within(body, loops=False))


def _sets_attributes(body: list[ast.stmt]) -> bool:
    return any(isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) for n in _within(body))


def _stored(body: list[ast.stmt]) -> set[str]:
    comprehensions = {
        id(n) for c in _within(body) if isinstance(c, ast.comprehension) for n in ast.walk(c.target)
    }
    return {
        n.id
        for n in _within(body)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and id(n) not in comprehensions
    }


class RecordedBranch:
    """One `if` that runs: `unknown` is its condition where both sides run."""

    def __init__(self, steering: "Steering", test: Any, names: tuple[str, ...]) -> None:
        self._steering, self._names = steering, names
        self._unknown = test if steering.unknown(test) else None
        self._holds = None if self._unknown is not None else bool(test)

    def then(self, here: dict[str, Any]) -> bool:
        if self._unknown is None:
            return bool(self._holds)
        self._before = {n: here.get(n, _UNSET) for n in self._names}
        self._lists = {id(v): (v, list(v)) for v in here.values() if type(v) is list}
        self._steering.conditions.append(self._unknown)
        return True

    def between(self, here: dict[str, Any]) -> Any:
        values = tuple(here.get(n, _UNSET) for n in self._names)
        if self._unknown is None:
            return values
        self._then, self._then_lists = values, self._contents()
        for held, content in self._lists.values():
            held[:] = content
        self._steering.conditions[-1] = self._steering.negation(self._unknown)
        return tuple(self._before[n] for n in self._names)

    def other(self, here: dict[str, Any]) -> bool:
        del here
        return True if self._unknown is not None else not self._holds

    def after(self, here: dict[str, Any]) -> Any:
        values = tuple(here.get(n, _UNSET) for n in self._names)
        if self._unknown is None:
            return values
        self._steering.conditions.pop()
        for (key, (held, _)), content in zip(self._lists.items(), self._contents().values(), strict=True):
            merged = self._merged("", self._then_lists[key], content)
            held[:] = merged if isinstance(merged, list) else [merged]
        return tuple(
            self._merged(n, self._then[k], v)
            for k, (n, v) in enumerate(zip(self._names, values, strict=True))
        )

    def _merged(self, name: str, a: Any, b: Any) -> Any:
        """Return what both sides leave; a variable whose values cannot be merged may not be used any more."""
        try:
            return self._steering.selected(self._unknown, a, b)
        except Unrecordable:
            if name.startswith("__returned"):
                raise
            return _UNSET

    def _contents(self) -> dict[int, list[Any]]:
        return {key: list(held) for key, (held, _) in self._lists.items()}


class _Unset:
    """Stands for a variable that has no value, or one that no expression tells, after a branch."""

    def __repr__(self) -> str:
        return "a variable that a branch on the values of a tensor leaves without a value"


_UNSET = _Unset()


class Steering:
    """What rewritten functions call. `select(condition, a, b)` merges two values; `unknown` knows conditions."""

    def __init__(
        self,
        unknown: Callable[[Any], bool],
        select: Callable[[Any, Any, Any], Any],
        number: Callable[..., Any],
    ) -> None:
        self.unknown, self._select, self._number = unknown, select, number
        self.conditions: list[Any] = []

    def branch(self, test: Any, names: tuple[str, ...]) -> RecordedBranch:
        return RecordedBranch(self, test, names)

    def selected(self, condition: Any, a: Any, b: Any) -> Any:
        """Return what a branch leaves: `a` where the condition holds, else `b`."""
        if a is b or a is _UNSET or b is _UNSET:
            return a if b is _UNSET else b if a is _UNSET else a
        return self._select(condition, a, b)

    def disjunction(self, *delayed: Callable[[], Any]) -> Any:
        value = delayed[0]()
        for k, other in enumerate(delayed[1:], start=1):
            if self.unknown(value):
                return self.selected(value, value, self.disjunction(*delayed[k:]))
            if value:
                return value
            value = other()
        return value

    def conjunction(self, *delayed: Callable[[], Any]) -> Any:
        value = delayed[0]()
        for k, other in enumerate(delayed[1:], start=1):
            if self.unknown(value):
                return self.selected(value, self.conjunction(*delayed[k:]), value)
            if not value:
                return value
            value = other()
        return value

    def negation(self, value: Any) -> Any:
        return value == 0 if self.unknown(value) else not value

    def chosen(self, test: Any, then: Callable[[], Any], other: Callable[[], Any]) -> Any:
        if not self.unknown(test):
            return then() if test else other()
        return self.selected(test, then(), other())

    def builtin(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return what stands for a builtin function, which may be given numbers that are unknown."""
        name = getattr(function, "__name__", "")
        if getattr(builtins, name, None) is not function:
            return function

        def called(*args: Any, **kwargs: Any) -> Any:
            if name == "len" and hasattr(args[0], "unknown_length"):
                return args[0].unknown_length
            if kwargs or not any(self.unknown(a) for a in args):
                return function(*args, **kwargs)
            return self._number(name, *args)

        return called
