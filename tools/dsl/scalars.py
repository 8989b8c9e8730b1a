"""Scalars of a kernel or host function: their types, and which need a declaration of their own."""

from collections.abc import Mapping

from akgen.tools.dsl.check_names import expressions
from akgen.tools.dsl.expr import ScalarType, names_in, type_of
from akgen.tools.dsl.ir import Assign, Block, For, If, Stmt, walk


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
