"""C++ text to tokens: comments gone, object-like macros expanded, other preprocessor lines skipped."""

import re
from dataclasses import dataclass
from typing import Literal

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
