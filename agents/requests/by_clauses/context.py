"""What a clause of a chain is read with: the words, the chain so far, the tensors that the clause names."""

import ast
import re
from functools import cache
from importlib.resources import files
from json import loads
from typing import Any

from akgen.agents.requests.by_clauses.values import Chain, NotAStep
from akgen.agents.requests.specified.layout import type_words
from akgen.tools.core.dtypes import DType


@cache
def said_words() -> dict[str, Any]:
    path = files("akgen.agents.requests.by_clauses").joinpath("words.json")
    found: dict[str, Any] = loads(path.read_text("utf-8"))
    return found


@cache
def pattern(name: str) -> re.Pattern[str]:
    said, article, _ = name.partition(", a is a tensor")
    text: str = said_words()[said].replace("{type}", f"(?:{type_words()})")
    return re.compile(text.replace("|an?|", "|an|") if article else text, re.I)


class Context:
    """The chain before a clause, and what is known of its text."""

    def __init__(self, chain: Chain, begins: str | None) -> None:
        self.chain = chain
        self.begins = begins  # the tensor that the first clause is about, where it names none
        self.starts: str | None = None  # the tensor that stands in front of all clauses
        self.later = ""  # what is said behind the clause

    def mentioned(self, clause: str) -> list[str]:
        """Return the tensors that a clause names, in its order."""
        found = [(m.start(), n) for n in self.chain.given for m in re.finditer(whole(n), clause)]
        return list(dict.fromkeys(name for _, name in sorted(found)))

    def now(self) -> ast.expr:
        """Return what came before; the tensor that the chain begins with. Raises NotAStep."""
        if self.chain.current is None:
            if self.begins is None:
                raise NotAStep
            self.chain.begin_with(self.begins)
        assert self.chain.current is not None
        return ast.Name(self.chain.current)


def whole(name: str) -> str:
    return rf"(?<![\w.-])(?i:{re.escape(name)})(?![\w-])"


def to_type(tree: ast.expr, dtype: DType) -> ast.expr:
    return ast.Call(ast.Attribute(tree, "to"), [ast.parse(f"torch.{dtype.value}", mode="eval").body], [])
