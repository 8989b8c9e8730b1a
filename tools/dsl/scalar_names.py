"""Names of scalars: those used before they are set, their types, and which need a declaration of their own."""

from collections.abc import Iterator, Mapping

from akgen.tools.core.frozen import kept
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.dsl.errors import finding
from akgen.tools.dsl.evaluate import type_of
from akgen.tools.dsl.expr import Expr, Fit, ScalarType, names_in
from akgen.tools.dsl.expr import walk as walk_expr
from akgen.tools.dsl.ir import (
    Alloc,
    Assert,
    Assign,
    Block,
    Declare,
    DimList,
    DimSlice,
    For,
    If,
    Kernel,
    Launch,
    Load,
    MatmulObject,
    Multiply,
    Op,
    Program,
    Stmt,
    Store,
    TileRef,
    Workspace,
    walk,
)


def expressions(s: Stmt) -> tuple[Expr, ...]:
    """Return the scalar expressions of one statement, without those of its body."""
    match s:
        case Alloc() | MatmulObject():
            return s.dims
        case Multiply():
            return s.numbers
        case Assign():
            return (s.value,)
        case Op():
            parts = (*(a.rows for a in s.tiles), s.rows)
            return (
                *(a for a in s.args if not isinstance(a, TileRef)), *(s.given or ()),
                *(e for rows in parts if rows is not None for e in rows),
            )  # fmt: skip
        case Load() | Store():
            extent = s.extent if isinstance(s, Load) else ()
            bounds = (*(s.rows or ()), *(s.columns or ()), s.fill) if isinstance(s, Load) else ()
            return (s.offset, *extent, *(x for x in (s.stride, s.item, *bounds) if x is not None))
        case For():
            return (s.start, s.stop, s.step)
        case If() | Assert():
            return (s.cond,)
        case Workspace():
            return (s.count,)
        case Declare():
            return tuple(_declared(s))
        case Launch():
            return (s.cores, *s.args)
        case _:
            return ()


def _declared(s: Declare) -> Iterator[Expr]:
    for p in s.parts:
        match p:
            case DimList():
                yield from p.dims
            case DimSlice():
                yield from (x for x in (p.start, p.stop) if x is not None)
            case _:
                pass


class _Scope:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.found: list[Diagnostic] = []

    def body(self, body: tuple[Stmt, ...], known: frozenset[str]) -> frozenset[str]:
        """Return the names that are set after the body."""
        for s in body:
            for e in expressions(s):
                self.expr(e, known, s.line)
            match s:
                case Assign() | Workspace():
                    known = known | {s.name}
                case Block():
                    known = self.body(s.body, known)
                case For():
                    inner = self.body(s.body, known | {s.var})
                    known = known | (inner & known)
                case If():
                    known = self.body(s.then, known) & self.body(s.other, known)
                case _:
                    pass
        return known

    def expr(self, e: Expr, known: frozenset[str], line: int) -> None:
        for name in sorted(names_in(e) - known):
            text = f"`{name}` is not set on every path that leads here."
            self.found.append(finding("DSL_UNKNOWN_NAME", line, text))
        for x in walk_expr(e):
            if isinstance(x, Fit):
                self.fit(x, line)

    def fit(self, e: Fit, line: int) -> None:
        kernels = {k.name: k for k in self.program.kernels}
        if e.kernel not in kernels:
            self.found.append(finding("DSL_UNKNOWN_NAME", line, f"`{e.kernel}` is not a kernel."))
            return
        kernel = kernels[e.kernel]
        needed = frozenset().union(*(names_in(d) for d in _sharing(kernel, e.param)))
        given = {e.param, *(n for n, _ in e.dims)}
        wrong = sorted(needed - given) + sorted(given - kernel.scalars.keys())
        if wrong:
            text = (
                f"fit_tile of `{e.kernel}`: `{wrong[0]}` must be a capacity parameter and given by keyword."
            )
            self.found.append(finding("DSL_LAUNCH", line, text))


def _sharing(kernel: Kernel, param: str) -> Iterator[Expr]:
    """Yield the capacities of the phases in which the parameter decides one."""
    phases = [[d for s in body if isinstance(s, Alloc) for d in s.dims] for body in kernel.phases]
    mine = [dims for dims in phases if any(param in names_in(d) for d in dims)]
    for dims in mine or phases:
        yield from dims


@kept
def unknown_names(program: Program) -> tuple[Diagnostic, ...]:
    """Return uses of names before they are set, in kernels and in the host function."""
    scope = _Scope(program)
    for k in program.kernels:
        scope.body(k.body, frozenset(k.scalars))
    host = program.host
    scope.body(host.body, frozenset(p.name for p in host.params))
    return tuple(scope.found)


def infer(body: tuple[Stmt, ...], given: Mapping[str, ScalarType]) -> dict[str, ScalarType]:
    """Return the type of every scalar name; a name that is ever a float is a float."""
    types: dict[str, ScalarType] = dict(given)
    for _ in range(3):  # types of names that depend on names assigned later settle in a few rounds
        for s in walk(body):
            match s:
                case Assign():
                    kind = type_of(s.value, lambda n: types.get(n, "int"))
                    if types.get(s.name) != "float" and s.name not in given:
                        types[s.name] = kind
                case For():
                    types[s.var] = "int"
                case _:
                    pass
    return types


def hoisted(body: tuple[Stmt, ...], given: frozenset[str]) -> frozenset[str]:
    """Return the names that cannot be declared where they are assigned: assigned again, or read outside that scope."""
    found: set[str] = set()
    _scope(body, [set(given)], found)
    return frozenset(found)


def _scope(body: tuple[Stmt, ...], scopes: list[set[str]], found: set[str]) -> None:
    scopes.append(set())
    for s in body:
        for e in expressions(s):
            found.update(n for n in names_in(e) if not any(n in x for x in scopes))
        match s:
            case Assign():
                if any(s.name in x for x in scopes):
                    found.add(s.name)
                scopes[-1].add(s.name)
            case For():
                scopes.append({s.var})
                _scope(s.body, scopes, found)
                scopes.pop()
            case If():
                _scope(s.then, scopes, found)
                _scope(s.other, scopes, found)
            case Block():
                _scope(s.body, scopes, found)
            case _:
                pass
    scopes.pop()
