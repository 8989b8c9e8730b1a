"""What a scalar loop computes for one element, as a tree; and the vector instructions that compute it for all."""

import re
from collections.abc import Callable, Mapping

from tree_sitter import Node

from akgen.tools.core.frozen import Frozen
from akgen.tools.rewrite.cxx import Source, argument_nodes, mentions, read_call

TENSORS = {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div", "max": "Max", "min": "Min"}
SCALARS = {"+": "Adds", "*": "Muls", "max": "Maxs", "min": "Mins"}
UNARY = {"exp": "Exp", "log": "Ln", "sqrt": "Sqrt", "abs": "Abs", "fabs": "Abs"}
UNARY |= {f"{name}f": instruction for name, instruction in UNARY.items()}
_EXTREMES = {"max": "max", "fmax": "max", "fmaxf": "max", "min": "min", "fmin": "min", "fminf": "min"}
_ORDERS = {">": "max", ">=": "max", "<": "min", "<=": "min"}


class Unreadable(Exception):
    """Why a loop cannot be said in vector instructions."""


class Term(Frozen):
    """A node: `op` is "tensor", "scalar", "cast" or an operation. `dtype` is "" for scalars."""

    op: str
    text: str = ""
    dtype: str = ""
    parts: tuple["Term", ...] = ()


class Reader:
    """Reads expressions over one loop variable. `dtypes` has the element type of each tensor in scope."""

    def __init__(self, source: Source, variable: str, dtypes: Mapping[str, str]) -> None:
        self.source, self.variable, self.dtypes = source, variable, dtypes
        self.locals: dict[str, Term] = {}

    def read(self, node: Node) -> Term:
        source, text = self.source, self.source.text(node)
        if node.type == "parenthesized_expression":
            return self.read(node.named_children[0])
        if node.type == "identifier" and text in self.locals:
            return self.locals[text]
        if node.type == "binary_expression":
            left, right = self._side(node, "left"), self._side(node, "right")
            operator = node.child_by_field_name("operator")
            return self._join(source.text(operator) if operator else "", left, right, text)
        if node.type == "unary_expression" and text.startswith("-"):
            return self._join("*", self.read(node.named_children[-1]), Term(op="scalar", text="-1.0f"), text)
        if node.type == "conditional_expression":
            return self._extreme(node)
        if node.type == "call_expression":
            return self._call(node, text)
        if node.type == "cast_expression":
            value, kind = node.child_by_field_name("value"), node.child_by_field_name("type")
            assert value is not None and kind is not None
            return self._cast(self.read(value), source.text(kind))
        if mentions(text, self.variable) or any(mentions(text, name) for name in self.locals):
            raise Unreadable(f"`{text}` has no vector form here")
        return Term(op="scalar", text=text)

    def _side(self, node: Node, field: str) -> Term:
        side = node.child_by_field_name(field)
        assert side is not None
        return self.read(side)

    def _join(self, operator: str, left: Term, right: Term, text: str) -> Term:
        if left.op == right.op == "scalar":
            return Term(op="scalar", text=f"({left.text} {operator} {right.text})")
        if operator not in TENSORS:
            raise Unreadable(f"`{text}` has no vector form here")
        if left.dtype and right.dtype and left.dtype != right.dtype:
            raise Unreadable(f"`{text}` joins {left.dtype} and {right.dtype}")
        return Term(op=operator, dtype=left.dtype or right.dtype, parts=(left, right))

    def _extreme(self, node: Node) -> Term:
        """Read `a > b ? a : b`."""
        text, condition = self.source.text(node), node.child_by_field_name("condition")
        if condition is not None and condition.type == "parenthesized_expression":
            condition = condition.named_children[0]
        chosen, other = self._side(node, "consequence"), self._side(node, "alternative")
        operator = condition.child_by_field_name("operator") if condition is not None else None
        order = _ORDERS.get(self.source.text(operator)) if operator is not None else None
        if order is None or condition is None:
            raise Unreadable(f"`{text}` has no vector form here")
        left, right = self._side(condition, "left"), self._side(condition, "right")
        if (left, right) == (other, chosen):
            order = "min" if order == "max" else "max"
        elif (left, right) != (chosen, other):
            raise Unreadable(f"`{text}` has no vector form here")
        return self._join(order, chosen, other, text)

    def _call(self, node: Node, text: str) -> Term:
        call = read_call(self.source, node)
        arguments = argument_nodes(node)
        if call is None:
            raise Unreadable(f"`{text}` has no vector form here")
        read = call.receiver if call.name == "GetValue" else call.name if not call.receiver else ""
        if read in self.dtypes and len(arguments) == 1:
            return Term(op="tensor", text=self.element(read, call.arguments[0]), dtype=self.dtypes[read])
        if call.name == "static_cast" or re.fullmatch(r"float|half|int32_t", call.name):
            kind = re.search(r"static_cast<\s*([\w:]+)\s*>", text)
            return self._cast(self.read(arguments[0]), kind[1] if kind else call.name)
        if call.name in _EXTREMES and len(arguments) == 2:
            return self._join(_EXTREMES[call.name], self.read(arguments[0]), self.read(arguments[1]), text)
        if call.name in UNARY and len(arguments) == 1:
            inside = self.read(arguments[0])
            if inside.op == "scalar":
                return Term(op="scalar", text=text)
            return Term(op=call.name, dtype=inside.dtype, parts=(inside,))
        if mentions(text, self.variable) or any(mentions(text, name) for name in self.locals):
            raise Unreadable(f"`{text}` has no vector form here")
        return Term(op="scalar", text=text)

    def _cast(self, value: Term, dtype: str) -> Term:
        if value.op == "scalar":
            return Term(op="scalar", text=f"static_cast<{dtype}>({value.text})")
        if value.dtype == dtype:
            return value
        if {value.dtype, dtype} not in ({"float", "half"}, {"float", "bfloat16_t"}):
            raise Unreadable(f"a cast from {value.dtype} to {dtype}")
        return Term(op="cast", dtype=dtype, parts=(value,))

    def element(self, tensor: str, index: str) -> str:
        """Return the tensor from where the loop's first element lies."""
        index = index.strip()
        if index == self.variable:
            return tensor
        base = re.sub(rf"^{self.variable} \+ | \+ {self.variable}$", "", index)
        if base == index or mentions(base, self.variable):
            raise Unreadable(f"elements of {tensor} are not read one after another")
        return f"{tensor}[{base}]"


class VectorCode:
    """Writes instructions for `count` elements. `scratch` names the nth temporary tensor of a type."""

    def __init__(self, count: str, scratch: Callable[[str, int], str]) -> None:
        self.count, self._scratch = count, scratch
        self.lines: list[str] = []
        self._used: dict[str, int] = {}

    def write(self, term: Term, target: str | None = None) -> str:
        """Compute a term, into `target` if one is given, and return the tensor that holds it."""
        if term.op == "tensor":
            if target is not None:
                self._line("Adds", target, term.text, f"static_cast<{term.dtype}>(0)")
            return target or term.text
        parts = [part if part.op == "scalar" else self.write(part) for part in term.parts]
        into = target or self._fresh(term.dtype)
        if term.op == "cast":
            self._line(
                "Cast", into, str(parts[0]), f"RoundMode::CAST_{'NONE' if term.dtype == 'float' else 'RINT'}"
            )
        elif len(parts) == 1:
            self._line(UNARY[term.op], into, str(parts[0]))
        else:
            self._binary(term, into, parts[0], parts[1])
        return into

    def _binary(self, term: Term, into: str, left: "Term | str", right: "Term | str") -> None:
        if isinstance(left, str) and isinstance(right, str):
            self._line(TENSORS[term.op], into, left, right)
            return
        if isinstance(left, str) and isinstance(right, Term):
            tensor, number = left, f"static_cast<{term.dtype}>({right.text})"
            if term.op in "-/":
                number = f"static_cast<{term.dtype}>({'-' if term.op == '-' else '1.0f / '}({right.text}))"
            self._line(SCALARS[{"-": "+", "/": "*"}.get(term.op, term.op)], into, tensor, number)
            return
        assert isinstance(left, Term) and isinstance(right, str)
        number = f"static_cast<{term.dtype}>({left.text})"
        if term.op == "/":
            filled = self._fresh(term.dtype)
            self.lines.append(f"Duplicate({filled}, {number}, {self.count});")
            self._line("Div", into, filled, right)
        elif term.op == "-":
            self._line("Muls", into, right, f"static_cast<{term.dtype}>(-1)")
            self._line("Adds", into, into, number)
        else:
            self._line(SCALARS[term.op], into, right, number)

    def _fresh(self, dtype: str) -> str:
        number = self._used.get(dtype, 0)
        self._used[dtype] = number + 1
        return self._scratch(dtype, number)

    def _line(self, name: str, *operands: str) -> None:
        self.lines.append(f"{name}({', '.join(operands)}, {self.count});")
