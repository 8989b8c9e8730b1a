"""Parse expressions: C++ precedence from assignment down to primaries."""

from akgen.bench.npukb.cpp import syntax as cpp
from akgen.bench.npukb.cpp.lexer import Cursor, NotHere
from akgen.tools.core.untrusted import read_literal

_LEVELS = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", ">", "<=", ">="),
    ("+", "-"),
    ("*", "/", "%"),
)
_ASSIGN = ("=", "+=", "-=", "*=", "/=", "%=")
_CASTS = ("static_cast", "reinterpret_cast", "const_cast", "dynamic_cast")
_CONSTANTS = {"true": True, "false": False, "nullptr": None, "NULL": None}


class ExpressionParser(Cursor):
    def expression(self) -> cpp.AstNode:
        line = self.token.line
        left = self.choice()
        if self.token.kind == "op" and self.token.text in _ASSIGN:
            op = self.take().text
            return cpp.AssignOperator(line, op, left, self.expression())
        return left

    def choice(self) -> cpp.AstNode:
        line = self.token.line
        condition = self.binary(0)
        if not self.accept("?"):
            return condition
        yes = self.expression()
        self.expect(":")
        return cpp.ConditionalOperator(line, condition, yes, self.expression())

    def binary(self, level: int) -> cpp.AstNode:
        if level == len(_LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.token.kind == "op" and self.token.text in _LEVELS[level]:
            token = self.take()
            left = cpp.BinaryOperator(token.line, token.text, left, self.binary(level + 1))
        return left

    def unary(self) -> cpp.AstNode:
        token = self.token
        if token.kind == "op" and token.text in ("!", "-", "+", "*", "&", "++", "--"):
            self.take()
            return cpp.UnaryOperator(token.line, token.text, self.unary())
        cast = self._cast()
        return cast if cast is not None else self.postfix(self.primary())

    def _cast(self) -> cpp.AstNode | None:
        """Parse `(int64_t)x`, where the parenthesised name is an arithmetic type."""
        if self.token.text != "(" or self.peek().kind != "name" or self.peek(2).text != ")":
            return None
        name = self.peek().text
        if not (name.endswith("_t") or name in ("int", "float", "double", "bool", "long", "char")):
            return None
        line = self.take().line
        self.take()
        self.take()
        return cpp.CallExpr(line, cpp.DeclRefExpr(line, name), (self.unary(),))

    def postfix(self, node: cpp.AstNode) -> cpp.AstNode:
        while True:
            token = self.token
            if self.accept("("):
                node = cpp.CallExpr(token.line, node, self.arguments(")"))
            elif self.accept("["):
                node = cpp.SubscriptExpr(token.line, node, self.expression())
                self.expect("]")
            elif self.accept(".", "->"):
                name = self.identifier()
                node = cpp.MemberExpr(token.line, node, name, self._template_args())
            elif self.accept("++", "--"):
                node = cpp.UnaryOperator(token.line, f"post{token.text}", node)
            elif token.text == "{" and isinstance(node, cpp.DeclRefExpr) and ("::" in node.name or node.args):
                self.take()
                node = cpp.CallExpr(token.line, node, (cpp.InitListExpr(token.line, self.arguments("}")),))
            else:
                return node

    def arguments(self, closing: str) -> tuple[cpp.AstNode, ...]:
        args: list[cpp.AstNode] = []
        while not self.accept(closing):
            args.append(self.expression())
            if not self.accept(",") and self.token.text != closing:
                raise self.refuse(f"expected {closing!r}, found {self.token.text!r}")
        return tuple(args)

    def primary(self) -> cpp.AstNode:
        token = self.token
        if token.kind == "number":
            return cpp.LiteralExpr(self.take().line, _number(token.text))
        if token.kind == "string":
            text = ""
            while self.token.kind == "string":
                try:
                    text += str(read_literal(self.token.text))
                except ValueError:
                    raise self.refuse("a string cannot be read") from None
                self.take()
            return cpp.LiteralExpr(token.line, text)
        if self.accept("("):
            inner = self.expression()
            self.expect(")")
            return inner
        if self.accept("{"):
            return cpp.InitListExpr(token.line, self.arguments("}"))
        if self.accept("["):
            return self._lambda(token.line)
        if token.text in _CASTS:
            return self._named_cast()
        if token.kind == "name":
            return self._name()
        raise self.refuse(f"unexpected {token.text!r}")

    def _name(self) -> cpp.AstNode:
        token = self.take()
        if token.text in _CONSTANTS:
            return cpp.LiteralExpr(token.line, _CONSTANTS[token.text])
        name = token.text
        args = self._template_args()
        while self.token.text == "::" and self.peek().kind == "name":
            self.take()
            name = f"{name}::{self.take().text}"
            args = self._template_args()
        return cpp.DeclRefExpr(token.line, name, args)

    def _named_cast(self) -> cpp.AstNode:
        line = self.take().line
        try:
            types = self.type_args()
        except NotHere:
            raise self.refuse("a cast needs a type in angle brackets") from None
        self.expect("(")
        inner = self.expression()
        self.expect(")")
        return cpp.CallExpr(line, cpp.DeclRefExpr(line, types[0].name, types[0].args), (inner,))

    def _template_args(self) -> tuple[cpp.Type, ...]:
        start = self.at
        if self.token.text != "<":
            return ()
        try:
            args = self.type_args()
        except NotHere:
            self.at = start
            return ()
        if self.token.text not in ("(", "{", "::"):
            self.at = start
            return ()
        return args

    def _lambda(self, line: int) -> cpp.AstNode:
        while not self.accept("]"):
            self.take()
        params = self.params() if self.accept("(") else ()
        if self.accept("->"):
            self.type()
        return cpp.LambdaExpr(line, params, self.block())

    def params(self) -> tuple[cpp.ParmVarDecl, ...]:
        """Parse parameters up to the closing parenthesis."""
        params: list[cpp.ParmVarDecl] = []
        while not self.accept(")"):
            try:
                kind = self.type()
            except NotHere:
                raise self.refuse("expected a parameter's type") from None
            name = self.take().text if self.token.kind == "name" else ""
            default = self.expression() if self.accept("=") else None
            params.append(cpp.ParmVarDecl(kind, name, default))
            self.accept(",")
        return tuple(params)

    def block(self) -> cpp.CompoundStmt:
        raise NotImplementedError


def _number(text: str) -> int | float:
    digits = text.rstrip("uUlL")
    if digits.lower().startswith("0x"):
        return int(digits, 16)
    if any(c in digits for c in ".eEfF"):
        return float(digits.rstrip("fF"))
    return int(digits, 8) if len(digits) > 1 and digits.startswith("0") else int(digits)
