"""Read mathematics as people write it, "∑(dy·y)", "softmax(qkᵀ/√d)v", "|x|/‖x‖₂", as Python over named tensors.

Beside Python's own operators: products without a sign ("2x", "(xA)B", "k^T v"), sums with ∑, bars for absolute values
and norms, roots, transposes, conditional values. A product of two tensors without a sign is a matrix product where one
of them is transposed or their shapes allow no other, elementwise where they allow no matrix product, and not read else.
"""

import ast
from collections.abc import Callable, Mapping
from typing import NamedTuple

from akgen.agents.requests.fits import Misfit, shape_of, within, within_once
from akgen.agents.requests.request import Shape
from akgen.agents.requests.signs import CALLED, MAKES, NORMS, POOLED, MathToken, normalised, split_name
from akgen.agents.requests.trees import (
    call,
    number_of,
    power,
    root,
    substituted,
    transposed,
    turned,
    with_axes,
)
from akgen.knowledge.operators import operator_named

_BINARY: dict[str, tuple[int, type[ast.operator]]] = {
    "|": (1, ast.BitOr), "&": (3, ast.BitAnd), "<<": (4, ast.LShift), ">>": (4, ast.RShift),
    "+": (5, ast.Add), "-": (5, ast.Sub), "*": (6, ast.Mult), "/": (6, ast.Div), "@": (6, ast.MatMult),
    "·": (6, ast.Mult), "%": (6, ast.Mod), "//": (6, ast.FloorDiv), "**": (8, ast.Pow),
}  # fmt: skip
_COMPARES: dict[str, type[ast.cmpop]] = {
    "<": ast.Lt, ">": ast.Gt, "<=": ast.LtE, ">=": ast.GtE, "==": ast.Eq, "!=": ast.NotEq,
}  # fmt: skip
_KEYWORDS = {"axis": "dim", "keepdims": "keepdim", "keep_dim": "keepdim", "keep_dims": "keepdim"}
_SWITCHES = ("keepdim", "keepdims", "keep_dim", "keep_dims")
_PRODUCT, _UNARY, _COMPARE = 6, 7, 2
_MOST_LEVELS = 60  # of brackets and signs, one in the other
_LONGEST_PRODUCT = 4  # letters of a product without signs: "xw"


class Parsed(NamedTuple):
    """An expression, and behind which token it ends."""

    tree: ast.expr
    end: int


class NotRead(Exception):
    """What stands there is no expression."""


class Notation:
    """Parses expressions over names that `known` accepts; `shapes` are those of the tensors that were declared.

    `sure` are names that the text defines, one of which a product of letters must have; `functions` are its own, each
    an argument and a value.
    """

    def __init__(
        self,
        found: list[MathToken],
        known: Callable[[str], bool],
        shapes: Mapping[str, Shape],
        *,
        sure: Callable[[str], bool],
        functions: Mapping[str, tuple[str, ast.expr]],
        bits: bool = False,
    ) -> None:
        self._tokens, self._known, self._shapes, self._bits, self._sure, self._functions = (
            found,
            known,
            shapes,
            bits,
            sure,
            functions,
        )
        self._at = self._depth = self._levels = 0
        self._bars: list[str] = []

    def expression(self, at: int) -> Parsed:
        """Return the longest expression from a token on. Raises NotRead."""
        self._at, self._bars, self._depth = at, [], 0
        tree = self._conditional()
        return Parsed(ast.fix_missing_locations(tree), self._at)

    def _peek(self, ahead: int = 0) -> MathToken | None:
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else None

    def _is(self, *texts: str) -> bool:
        token = self._peek()
        return token is not None and token.text in texts

    def _take(self, text: str) -> None:
        if not self._is(text):
            raise NotRead
        self._at += 1

    def _conditional(self) -> ast.expr:
        return self._nested(self._choice)

    def _nested(self, read: Callable[[], ast.expr]) -> ast.expr:
        """Read what stands within what is being read, to a depth that no person writes."""
        if self._levels >= _MOST_LEVELS:
            raise NotRead
        self._levels += 1
        try:
            return read()
        finally:
            self._levels -= 1

    def _choice(self) -> ast.expr:
        body = self._binary(0)
        if not self._is("if"):
            return body
        back = self._at
        try:
            self._at += 1
            test = self._binary(0)
            if not self._is("else", "otherwise"):
                raise NotRead
            self._at += 1
            return call("torch.where", test, body, self._conditional())
        except NotRead:
            self._at = back
            return body

    def _binary(self, least: int) -> ast.expr:
        left = self._unary()
        while (token := self._peek()) is not None:
            back = self._at
            sign = "**" if token.text == "^" and not self._bits else token.text
            try:
                if sign in _COMPARES and least <= _COMPARE:
                    self._at += 1
                    left = ast.Compare(left, [_COMPARES[sign]()], [self._binary(_COMPARE + 1)])
                elif token.text == "^" and self._bits and least <= _COMPARE:
                    self._at += 1
                    left = ast.BinOp(left, ast.BitXor(), self._binary(_COMPARE + 1))
                elif sign == "|" and ("|" in self._bars or not self._bits):
                    break
                elif sign in _BINARY and _BINARY[sign][0] >= least:
                    order, kind = _BINARY[sign]
                    self._at += 1
                    right = self._unary() if sign == "**" else self._binary(order + 1)
                    left = self._applied(sign, kind, left, right)
                elif least <= _PRODUCT and self._joined():
                    left = self._product(left, self._binary(_UNARY))
                else:
                    break
            except NotRead:
                self._at = back
                break
        return left

    def _power(self, left: ast.expr, right: ast.expr) -> ast.expr:
        """Return a power; of Euler's number where the text does not give e another meaning."""
        own = isinstance(left, ast.Name) and self._sure(left.id)
        return ast.BinOp(left, ast.Pow(), right) if own else power(left, right)

    def _applied(self, sign: str, kind: type[ast.operator], left: ast.expr, right: ast.expr) -> ast.expr:
        """Return two sides with a sign between them; a dot is a matrix product where they fit no other."""
        if sign == "**":
            return self._power(left, right)
        elementwise = ast.BinOp(left, kind(), right)
        one, other = (shape_of(tree, dict(self._shapes)) for tree in (left, right))
        if not isinstance(one, tuple) or not isinstance(other, tuple) or sign == "@":
            return elementwise
        if isinstance(shape_of(elementwise, dict(self._shapes)), tuple):
            return elementwise
        if sign == "·":
            return self._product(left, right)
        short, long = sorted((one, other), key=len)
        places = within_once(short, long)
        if places is None:
            return elementwise  # it is told that the sizes do not fit
        sides = [with_axes(t, places) if s is short else t for t, s in ((left, one), (right, other))]
        return ast.BinOp(sides[0], kind(), sides[1])

    def _joined(self) -> bool:
        """Say whether an operand follows without a sign, close enough to be a factor."""
        token, before = self._peek(), self._tokens[self._at - 1]
        if token is None or token.kind not in ("name", "sign"):
            return False
        close = token.begin == before.end
        if token.text == "√":
            return before.text == ")" and token.begin <= before.end + 1  # "sign(x) √|x|"
        if token.kind == "sign":
            return (
                close and token.text == "(" and (before.text == ")" or before.kind in ("number", "t", "name"))
            )
        if token.text in ("if", "else", "in"):
            return False
        following = self._peek(1)
        matrix = len(self._shapes.get(before.text, ())) > 1 and token.begin <= before.end + 1
        if matrix and self._calls() and self._opens(1):
            return True  # "W2 relu(W1 x)"
        turned = following is not None and (following.kind == "t" or token.text.endswith(".t"))
        if before.kind == "number":
            return close and self._known(token.text)
        last = following is None or following.text in (",", ")", ";", "+", "-")
        factors = before.kind == "name" and self._sure(before.text) and self._sure(token.text)
        if last and factors and token.begin == before.end + 1 and len(self._shapes.get(token.text, ())) > 1:
            return True  # "y = h W2"
        if last and before.text == ")" and token.begin == before.end + 1 and self._sure(token.text):
            return True  # "softmax(...) V"
        known = self._known(token.text.removesuffix(".t"))
        if (
            known
            and self._depth
            and before.kind == "name"
            and self._sure(token.text)
            and self._sure(before.text)
        ):
            return True
        return known and (close or (token.begin == before.end + 1 and (turned or before.kind == "t")))

    def _product(self, left: ast.expr, right: ast.expr) -> ast.expr:
        if isinstance(left, ast.Constant):
            return ast.BinOp(left, ast.Mult(), right)
        if turned(left) or turned(right):
            return ast.BinOp(left, ast.MatMult(), right)
        one, other = (shape_of(tree, dict(self._shapes)) for tree in (left, right))
        product, elementwise = ast.BinOp(left, ast.MatMult(), right), ast.BinOp(left, ast.Mult(), right)
        if one is None or other is None or isinstance(one, Misfit) or isinstance(other, Misfit):
            if not self._shapes:
                return elementwise
            raise NotRead
        fits = [isinstance(shape_of(t, dict(self._shapes)), tuple) for t in (product, elementwise)]
        if fits == [True, False]:
            return product
        if fits == [False, False] and len(one) == 2 and other[-1:] == one[-1:] and one != other:
            return call("torch.nn.functional.linear", right, left)  # "W x" of rows x
        if fits[1] and not (fits[0] and len(one) > 1 and len(other) > 1):
            return elementwise
        if not fits[0] and within(*sorted((one, other), key=len)):
            return elementwise
        raise NotRead

    def _unary(self) -> ast.expr:
        return self._nested(self._signed)

    def _signed(self) -> ast.expr:
        if self._is("-", "+", "~"):
            sign = self._tokens[self._at].text
            self._at += 1
            operand = self._binary(_UNARY)
            return (
                operand if sign == "+" else ast.UnaryOp(ast.USub() if sign == "-" else ast.Invert(), operand)
            )
        if self._is("√"):
            self._at += 1
            return root(self._postfix())
        if self._is("∑") or (self._is("sum", "mean") and not self._opens(1)):
            name = self._tokens[self._at].text
            self._at += 1
            return call(f"torch.{CALLED.get(name, name)}", self._binary(_PRODUCT))
        return self._postfix()

    def _opens(self, ahead: int) -> bool:
        token = self._peek(ahead)
        return token is not None and token.text == "("

    def _postfix(self) -> ast.expr:
        operand = self._operand()
        while (token := self._peek()) is not None and token.kind == "t":
            self._at += 1
            operand = transposed(operand)
        if self._is("^", "**") and not self._bits:
            self._at += 1
            operand = self._power(operand, self._unary())
        return operand

    def _operand(self) -> ast.expr:
        token = self._peek()
        if token is None:
            raise NotRead
        if token.kind == "number":
            self._at += 1
            return ast.Constant(number_of(token.text))
        if token.text == "(":
            self._at += 1
            self._depth += 1
            try:
                inner = self._conditional()
            finally:
                self._depth -= 1
            self._take(")")
            return inner
        if token.text == "|" or token.text.startswith(("‖", "||")):
            return self._between_bars(token)
        if token.kind != "name":
            raise NotRead
        if token.text in self._functions and self._opens(1):
            return self._called(token)
        function = not self._sure(token.text) and (self._calls() or not self._known(token.text))
        if function and self._opens(1):
            return self._called(token)
        if function and token.text in ("max", "min", "sum", "mean") and self._bar(1):
            self._at += 1
            return call(f"torch.{token.text}", self._operand())
        name = token.text.removesuffix(".t")
        if self._known(name):
            self._at += 1
            return transposed(ast.Name(name)) if name != token.text else ast.Name(name)
        parts = split_name(name, self._known) if len(name) <= _LONGEST_PRODUCT else None
        if parts is None or not any(self._sure(part) for part in parts):
            raise NotRead
        self._at += 1
        factors: list[ast.expr] = [ast.Name(part) for part in parts]
        following = self._peek()
        if following is not None and following.kind == "t":  # "qkᵀ": of the last one
            self._at += 1
            factors[-1] = transposed(factors[-1])
        product = factors[0]
        for factor in factors[1:]:
            product = self._product(product, factor)
        return product

    def _calls(self) -> bool:
        """Say whether the token that comes names a function: a word before a parenthesis, no single letter."""
        token = self._peek()
        return (
            token is not None
            and len(token.text) > 1
            and operator_named(CALLED.get(token.text, token.text)) is not None
        )

    def _bar(self, ahead: int) -> bool:
        token, before = self._peek(ahead), self._peek(ahead - 1)
        return (
            token is not None and before is not None and token.text == "|" and token.begin <= before.end + 1
        )

    def _between_bars(self, token: MathToken) -> ast.expr:
        self._at += 1
        self._bars.append(token.text[0] if token.text == "|" else "‖")
        inner = self._conditional()
        close = self._peek()
        self._bars.pop()
        if close is None or (close.text == "|") != (token.text == "|"):
            raise NotRead
        if close.text != "|" and not close.text.startswith(("‖", "||")):
            raise NotRead
        self._at += 1
        if close.text == "|":
            return call("torch.abs", inner)
        return call("torch.linalg.vector_norm", inner)

    def _called(self, token: MathToken) -> ast.expr:
        if token.text in MAKES:
            return self._made(token.text)
        name = CALLED.get(token.text, token.text)
        entry = operator_named(name)
        own = entry is not None and entry.name in POOLED
        if name not in self._functions and (
            entry is None or (entry.source and entry.expression is None and not own)
        ):
            raise NotRead
        self._at += 2
        if name in self._functions:
            argument, body = self._functions[name]
            inner = self._inside()
            self._take(")")
            return substituted(body, {argument: inner})
        arguments: list[ast.expr] = []
        keywords: list[ast.keyword] = []
        while not self._is(")"):
            key, sign = self._peek(), self._peek(1)
            if key is not None and sign is not None and key.kind == "name" and sign.text == "=":
                self._at += 2
                if self._is("true", "false", "none"):
                    value: ast.expr = ast.Constant(
                        {"true": True, "false": False}.get(self._tokens[self._at].text)
                    )
                    self._at += 1
                else:
                    value = self._inside()
                keywords.append(ast.keyword(_KEYWORDS.get(key.text, key.text), value))
            elif key is not None and sign is not None and key.text in _SWITCHES and sign.text in (",", ")"):
                self._at += 1  # "amax(x, dim=1, keepdim)"
                keywords.append(ast.keyword("keepdim", ast.Constant(True)))
            else:
                arguments.append(self._inside())
            if not self._is(")"):
                self._take(",")
        self._take(")")
        if not arguments:
            raise NotRead
        if name == "sqrt" and len(arguments) == 1 and not keywords and isinstance(arguments[0], ast.Constant):
            return root(arguments[0])
        if entry is not None and entry.name in NORMS and len(arguments) == 1:
            return normalised(NORMS[entry.name], arguments[0], keywords)
        if entry is not None and entry.name in POOLED and len(arguments) == 1:
            return call(POOLED[entry.name], arguments[0], ast.parse("(-2, -1)", mode="eval").body)
        return ast.Call(ast.Name(name), arguments, keywords)

    def _made(self, name: str) -> ast.expr:
        """Return a tensor of numbers, "arange(32)", whose sizes are said."""
        self._at += 2
        sizes = [self._inside()]
        while self._is(","):
            self._at += 1
            sizes.append(self._inside())
        self._take(")")
        if not all(isinstance(s, ast.Constant) for s in sizes):
            raise NotRead
        return call(f"torch.{name}", *sizes)

    def _inside(self) -> ast.expr:
        self._depth += 1
        try:
            return self._conditional()
        finally:
            self._depth -= 1
