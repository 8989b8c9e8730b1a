"""Run parsed C++: scopes, control flow, arithmetic. What names and methods mean is asked of a CppLibrary."""

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from akgen.bench.npukb.cpp import syntax as cpp
from akgen.bench.npukb.cpp.values import (
    NoConversion,
    Pointer,
    UnknownType,
    between,
    construct,
    convert,
)
from akgen.tools.core.outcome import InputError
from akgen.tools.core.plain_text import shown

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
    "+": operator.add, "-": operator.sub, "*": operator.mul, "|": operator.or_, "^": operator.xor, "&": operator.and_,
}  # fmt: skip


MOST_STEPS = 200_000
# What operators and methods raise where a program's values are of other kinds than it takes them for.
_OF_THE_PROGRAM = (
    TypeError,
    ValueError,
    AttributeError,
    LookupError,
    ArithmeticError,
    RecursionError,
    MemoryError,
)


class Unknown(Exception):
    """The library has no such name or method."""


class CppLibrary(Protocol):
    """What lies outside the file."""

    def constant(self, name: str) -> Any: ...

    def call(self, name: str, args: list[Any]) -> Any: ...

    def method(self, owner: Any, name: str, args: list[Any]) -> Any: ...

    def launch(self, name: str, args: list[Any]) -> None:
        """Take what EXEC_NPU_CMD is given."""
        ...


class _Returned(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class _Broken(Exception):
    pass


class Interpreter:
    """Runs functions of one parsed file."""

    def __init__(self, unit: cpp.TranslationUnit, library: CppLibrary, where: str) -> None:
        self.unit, self.library, self.where = unit, library, where
        self.scopes: list[dict[str, Any]] = [{}]
        self._steps = 0
        for declared in unit.globals:
            try:
                self._run(declared)
            except (InputError, *_OF_THE_PROGRAM):
                continue  # a global that cannot be evaluated is only missed when it is used

    def call(
        self, function: cpp.FunctionDecl, args: list[Any], named: Mapping[str, Any] | None = None
    ) -> Any:
        """Call a function of the file with C++'s conversions; missing arguments take their defaults."""
        scope: dict[str, Any] = {}
        for i, param in enumerate(function.params):
            if i < len(args):
                value = args[i]
            elif named is not None and param.name in named:
                value = named[param.name]
            elif param.default is not None:
                value = self.eval(param.default)
            else:
                raise self._error(function.body, f"{function.name} needs an argument for {param.name}")
            scope[param.name] = (
                value if param.type.reference else self.convert(param.type, value, function.body)
            )
        if len(args) > len(function.params):
            raise self._error(function.body, f"{function.name} takes {len(function.params)} arguments")
        return self._call_block(function.body, [self.scopes[0], scope])

    def _call_block(self, body: cpp.CompoundStmt, scopes: list[dict[str, Any]]) -> Any:
        outer, self.scopes = self.scopes, scopes
        try:
            self._run(body)
        except _Returned as returned:
            return returned.value
        except _OF_THE_PROGRAM as problem:
            raise self._error(body, f"it cannot be run: {shown(str(problem))}") from problem
        finally:
            self.scopes = outer
        return None

    # statements

    def _run(self, node: cpp.AstNode) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise self._error(node, f"it takes more than {MOST_STEPS} steps")
        match node:
            case cpp.CompoundStmt():
                if node.line >= 0:
                    self.scopes = [*self.scopes, {}]
                for statement in node.body:
                    self._run(statement)
                if node.line >= 0:
                    self.scopes = self.scopes[:-1]
            case cpp.VarDecl():
                self.scopes[-1][node.name] = self._declared(node)
            case cpp.IfStmt():
                if self.eval(node.condition):
                    self._run(node.yes)
                elif node.no is not None:
                    self._run(node.no)
            case cpp.ForStmt() | cpp.RangeForStmt():
                self._loop(node)
            case cpp.SwitchStmt():
                self._switch(node)
            case cpp.ReturnStmt():
                raise _Returned(None if node.value is None else self.eval(node.value))
            case cpp.ThrowExpr():
                raise self._error(node, f"the binding refuses the call: {self.eval(node.value)}")
            case cpp.BreakStmt():
                raise _Broken
            case _:
                self.eval(node)

    def _loop(self, node: cpp.ForStmt | cpp.RangeForStmt) -> None:
        depth = len(self.scopes)
        self.scopes = [*self.scopes, {}]
        try:
            if isinstance(node, cpp.RangeForStmt):
                for item in list(self.eval(node.items)):
                    self.scopes[depth][node.name] = item
                    self._run(node.body)
                return
            if node.start is not None:
                self._run(node.start)
            while node.condition is None or self.eval(node.condition):
                self._run(node.body)
                if node.step is not None:
                    self.eval(node.step)
        except _Broken:
            pass
        finally:
            self.scopes = self.scopes[:depth]

    def _switch(self, node: cpp.SwitchStmt) -> None:
        subject = self.eval(node.subject)
        start = next(
            (i for label, i in node.labels if label is not None and self.eval(label) == subject), None
        )
        if start is None:
            start = next((i for label, i in node.labels if label is None), len(node.body))
        try:
            for statement in node.body[start:]:
                self._run(statement)
        except _Broken:
            pass

    def _declared(self, node: cpp.VarDecl) -> Any:
        if node.args is not None:
            return self.construct(node.type, [self.eval(a) for a in node.args], node)
        if node.init is None:
            return self.construct(node.type, [], node)
        value = self.eval(node.init)
        return value if node.type.reference else self.convert(node.type, value, node)

    # values

    def convert(self, kind: cpp.Type, value: Any, node: cpp.AstNode) -> Any:
        try:
            return convert(kind, value)
        except NoConversion as e:
            raise self._error(node, str(e)) from None

    def construct(self, kind: cpp.Type, args: list[Any], node: cpp.AstNode) -> Any:
        """Make a value of a type from constructor arguments."""
        try:
            return construct(kind, args)
        except NoConversion as e:
            raise self._error(node, str(e)) from None
        except UnknownType:
            return self._library(node, lambda: self.library.call(kind.name, args))

    def eval(self, node: cpp.AstNode) -> Any:
        """Evaluate an expression."""
        match node:
            case cpp.LiteralExpr():
                return node.value
            case cpp.DeclRefExpr():
                return self._name(node)
            case cpp.InitListExpr():
                return [self.eval(item) for item in node.items]
            case cpp.UnaryOperator():
                return self._unary(node)
            case cpp.BinaryOperator():
                return self._binary(node)
            case cpp.ConditionalOperator():
                return self.eval(node.yes if self.eval(node.condition) else node.no)
            case cpp.AssignOperator():
                return self._assign(node)
            case cpp.CallExpr():
                return self._invoke(node)
            case cpp.MemberExpr():
                return self._library(node, lambda: self.library.method(self.eval(node.owner), node.name, []))
            case cpp.SubscriptExpr():
                owner, index = self.eval(node.owner), self.eval(node.index)
                if isinstance(owner, Pointer):
                    index, owner = owner.offset + index, owner.items
                if isinstance(owner, list) and not 0 <= index < len(owner):
                    raise self._error(node, f"index {index} is outside a list of {len(owner)}")
                return owner[index]
            case cpp.LambdaExpr():
                return node, self.scopes
        raise self._error(node, "this expression is not known")

    def _name(self, node: cpp.DeclRefExpr) -> Any:
        for scope in reversed(self.scopes):
            if node.name in scope:
                return scope[node.name]
        return self._library(node, lambda: self.library.constant(node.name))

    def _unary(self, node: cpp.UnaryOperator) -> Any:
        if node.op in ("++", "--", "post++", "post--"):
            before = self.eval(node.operand)
            after = before + (1 if node.op.endswith("++") else -1)
            self._store(node.operand, after)
            return before if node.op.startswith("post") else after
        value = self.eval(node.operand)
        match node.op:
            case "!":
                return not value
            case "-":
                return -value
            case "*":
                return value.items[value.offset] if isinstance(value, Pointer) else value
        return value

    def _binary(self, node: cpp.BinaryOperator) -> Any:
        left = self.eval(node.left)
        if node.op == "&&":
            return bool(left) and bool(self.eval(node.right))
        if node.op == "||":
            return bool(left) or bool(self.eval(node.right))
        return self._arithmetic(node, node.op, left, self.eval(node.right))

    def _arithmetic(self, node: cpp.AstNode, op: str, left: Any, right: Any) -> Any:
        if isinstance(left, Pointer) and isinstance(right, int) and op in "+-":
            return Pointer(left.items, left.offset + (right if op == "+" else -right), left.origin)
        if op in ("/", "%"):
            if right == 0:
                raise self._error(node, "division by zero")
            if isinstance(left, int) and isinstance(right, int):
                quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
                return quotient if op == "/" else left - quotient * right
            return left / right if op == "/" else math.fmod(left, right)
        return _COMPARE[op](left, right)

    def _assign(self, node: cpp.AssignOperator) -> Any:
        value = self.eval(node.value)
        if node.op != "=":
            value = self._arithmetic(node, node.op[:-1], self.eval(node.target), value)
        self._store(node.target, list(value) if isinstance(value, list) else value)
        return value

    def _store(self, target: cpp.AstNode, value: Any) -> None:
        match target:
            case cpp.DeclRefExpr():
                for scope in reversed(self.scopes):
                    if target.name in scope:
                        scope[target.name] = value
                        return
            case cpp.SubscriptExpr():
                owner, index = self.eval(target.owner), self.eval(target.index)
                if isinstance(owner, list) and not 0 <= index < len(owner):
                    raise self._error(target, f"index {index} is outside a list of {len(owner)}")
                owner[index] = value
                return
            case cpp.CallExpr(function=cpp.MemberExpr(name="back" | "front" as end, owner=owner_node)):
                self.eval(owner_node)[-1 if end == "back" else 0] = value
                return
            case cpp.UnaryOperator(op="*", operand=operand):
                pointer = self.eval(operand)
                if isinstance(pointer, Pointer):
                    pointer.items[pointer.offset] = value
                    return
        raise self._error(target, "this cannot be assigned to")

    # calls

    def _invoke(self, node: cpp.CallExpr) -> Any:
        function = node.function
        if isinstance(function, cpp.DeclRefExpr):
            if function.name == "EXEC_NPU_CMD" and node.args and isinstance(node.args[0], cpp.DeclRefExpr):
                self.library.launch(node.args[0].name, [self.eval(a) for a in node.args[1:]])
                return None
            if function.name == "TORCH_CHECK":
                return self._check(node)
            return self._call_name(node, function, [self.eval(a) for a in node.args])
        args = [self.eval(a) for a in node.args]
        if isinstance(function, cpp.MemberExpr):
            owner = self.eval(function.owner)
            return self._library(node, lambda: self.library.method(owner, function.name, args))
        return self.apply(self.eval(function), args)

    def _call_name(self, node: cpp.CallExpr, function: cpp.DeclRefExpr, args: list[Any]) -> Any:
        for scope in reversed(self.scopes):
            if function.name in scope:
                return self.apply(scope[function.name], args)
        if function.name in self.unit.functions:
            return self.call(self.unit.functions[function.name], args)
        if function.name in self.unit.refused:
            raise self.unit.refused[function.name]
        if function.name == "std::for_each" and isinstance(args[0], Pointer):
            for item in between(args[0], args[1]):
                self.apply(args[2], [item])
            return None
        return self.construct(cpp.Type(function.name, function.args), args, node)

    def apply(self, value: Any, args: list[Any]) -> Any:
        """Call a lambda."""
        node, scopes = value
        scope = {p.name: a for p, a in zip(node.params, args, strict=True)}
        return self._call_block(node.body, [*scopes, scope])

    def _check(self, node: cpp.CallExpr) -> None:
        if not self.eval(node.args[0]):
            text = "".join(str(self.eval(a)) for a in node.args[1:])
            raise self._error(node, f"the binding refuses the call: {text}")

    def _library(self, node: cpp.AstNode, ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except Unknown as unknown:
            raise self._error(node, f"{unknown} is not known") from None

    def _error(self, node: cpp.AstNode, why: str) -> InputError:
        return InputError(
            f"{self.where}:{node.line}: {why}.",
            "AKGen reads only the C++ that binding files use; check this line.",
        )
