"""C++ text to tokens: comments gone, object-like macros expanded, other preprocessor lines skipped.

The parsers read tokens through a cursor, a position in their list, with backtracking.
"""

import re
from dataclasses import dataclass
from typing import Literal

from akgen.bench.npukb.cpp.syntax import Type
from akgen.tools.core.outcome import InputError

Kind = Literal["name", "number", "string", "op", "end"]

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+|\\\n)|(?P<newline>\n)|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<name>[A-Za-z_]\w*)
    |(?P<number>(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)[fFuUlL]*)
    |(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<op>::|->|\+\+|--|<=|>=|==|!=|&&|\|\||\+=|-=|\*=|/=|%=|[-+*/%<>=!&|^~?:;,.(){}\[\]])""",
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE)
_DEFINE = re.compile(r"#\s*define\s+(\w+)(?![\w(])((?:[^\n\\]|\\\n|\\.)*)")
_BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True)
class Token:
    kind: Kind
    text: str
    line: int


def tokenize(text: str, where: str) -> list[Token]:
    """Return the tokens, ended by one of kind "end". Raises InputError at a character that is not C++."""
    text = _BLOCK_COMMENT.sub(lambda m: "\n" * m.group().count("\n") or " ", text)
    macros = {m.group(1): m.group(2) for m in _DEFINE.finditer(text)}
    bodies = {name: _scan(body, where, 1) for name, body in macros.items()}
    plain = _DIRECTIVE.sub(lambda m: "\n" * m.group().count("\n"), text)
    tokens = [t for token in _scan(plain, where, 1) for t in _expand(token, bodies, frozenset())]
    return [*tokens, Token("end", "", plain.count("\n") + 1)]


def _scan(text: str, where: str, line: int) -> list[Token]:
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise InputError(f"{where}:{line}: unexpected character {text[at]!r}.", "Check the C++ source.")
        kind, piece = found.lastgroup, found.group()
        if kind in ("name", "number", "string", "op"):
            tokens.append(Token(kind, piece, line))  # type: ignore[arg-type]
        line += piece.count("\n")
        at = found.end()
    return tokens


def _expand(token: Token, macros: dict[str, list[Token]], active: frozenset[str]) -> list[Token]:
    if token.kind != "name" or token.text not in macros or token.text in active:
        return [token]
    return [
        Token(inner.kind, inner.text, token.line)
        for body in macros[token.text]
        for inner in _expand(body, macros, active | {token.text})
    ]


_QUALIFIERS = {
    "const",
    "static",
    "inline",
    "constexpr",
    "mutable",
    "explicit",
    "unsigned",
    "typename",
    "volatile",
}
_NOT_TYPES = {
    "return",
    "throw",
    "new",
    "delete",
    "if",
    "for",
    "while",
    "switch",
    "case",
    "break",
    "else",
    "this",
}


_MOST_BEYOND = 20  # a parser that looks for something goes back a few times before it gives up


class NotHere(Exception):
    """The construct that was tried does not stand here; the caller goes back and tries another."""


class Cursor:
    def __init__(self, tokens: list[Token], where: str) -> None:
        self.tokens, self.where, self.at = tokens, where, 0
        self._beyond = 0  # tokens asked for at the end of the file

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def peek(self, ahead: int = 1) -> Token:
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def take(self) -> Token:
        token = self.token
        if token.kind != "end":
            self.at += 1
        else:
            self._beyond += 1
            if self._beyond > _MOST_BEYOND:
                raise self.refuse("the file ends too early")
        return token

    def accept(self, *texts: str) -> bool:
        """Take the token if it is one of these operators or keywords."""
        if self.token.kind != "string" and self.token.text in texts:
            self.take()
            return True
        return False

    def expect(self, text: str) -> Token:
        if self.token.text != text or self.token.kind == "string":
            raise self.refuse(f"expected {text!r}, found {self.token.text or 'the end of the file'!r}")
        return self.take()

    def identifier(self) -> str:
        if self.token.kind != "name":
            raise self.refuse(f"expected a name, found {self.token.text!r}")
        return self.take().text

    def refuse(self, why: str, line: int | None = None) -> InputError:
        return InputError(
            f"{self.where}:{line or self.token.line}: {why}.",
            "AKGen reads only the C++ that binding files use; simplify this line.",
        )

    def type(self) -> Type:
        """Parse a type. Raises NotHere if there is none."""
        while self.token.text in _QUALIFIERS:
            self.take()
        if self.token.kind != "name" or self.token.text in _NOT_TYPES:
            raise NotHere
        name = self.take().text
        args: tuple[Type, ...] = ()
        while True:
            if self.token.text == "::" and self.peek().kind == "name":
                self.take()
                name = f"{name}::{self.take().text}"
            elif self.token.text == "<" and not args:
                args = self.type_args()
            else:
                break
        while self.accept("const"):
            pass
        reference = pointer = False
        while self.token.text in ("&", "*", "&&", "const"):
            text = self.take().text
            reference, pointer = reference or text in ("&", "&&"), pointer or text == "*"
        return Type(name, args, reference, pointer)

    def type_args(self) -> tuple[Type, ...]:
        """Parse `<T, U, 3>`. Raises NotHere if it is a comparison after all."""
        self.take()
        args: list[Type] = []
        while not self.accept(">"):
            if self.token.kind == "number":
                args.append(Type(self.take().text))
            else:
                args.append(self.type())
            if self.token.text not in (",", ">"):
                raise NotHere
            self.accept(",")
        return tuple(args)
