"""What a clause of a chain is read with: the words, the chain so far, the tensors that the clause names; and the
function that a chain becomes: its tensors, its lines, what stands for which name.
"""

import ast
import re
from collections.abc import Mapping
from copy import copy
from functools import cache
from importlib.resources import files
from json import loads
from typing import Any, NamedTuple

from akgen.agents.requests.fits import within_once
from akgen.agents.requests.request import Held, Request, Shape
from akgen.agents.requests.specified.built import request_of
from akgen.agents.requests.specified.layout import type_words
from akgen.agents.requests.specified.program import NAME, GivenTensor, MadeFunction
from akgen.agents.requests.trees import substituted, with_axes
from akgen.tools.core.dtypes import DType

_LONGEST = 100


class NotAStep(Exception):
    """A clause is none of those that are known, or does not fit what came before."""


class ChainValue(NamedTuple):
    """A tensor on the way: its shape and its type."""

    shape: Shape
    dtype: DType


class Chain:
    """What was read so far."""

    def __init__(self, given: Mapping[str, GivenTensor]) -> None:
        self.given = dict(given)
        self.values = {n: ChainValue(t.shape, t.dtype) for n, t in given.items()}
        self.stands = {n: n for n in given}  # what a name means now: the tensor, or what was made of it
        self.trees: dict[str, ast.expr] = {}
        self.helpers: dict[str, str] = {}
        self.holds: dict[str, Held] = {}
        self.used: set[str] = set()
        self.current: str | None = None
        self.first: str | None = None

    def copied(self) -> "Chain":
        """Return a chain that goes on from here without changing this one."""
        other = copy(self)
        for name in ("values", "stands", "trees", "helpers", "holds", "used"):
            setattr(other, name, copy(getattr(self, name)))
        return other

    def begin_with(self, name: str) -> None:
        self.current = self.stands[name]
        self.first = self.first or name
        self.used.add(name)

    def named(self, name: str) -> ast.expr:
        """Return what a tensor's name stands for; it is used from now on."""
        self.used.add(name)
        return ast.Name(self.stands[name])

    def put(self, tree: ast.expr) -> str:
        """Add a line, and return the name of its value, from which the chain goes on. Raises NotAStep."""
        name = f"y{len(self.trees) + 1}"
        self.trees[name] = ast.fix_missing_locations(tree)
        found = self._run(ast.Name(name))
        if found is None or len(found) != 1:
            del self.trees[name]
            raise NotAStep(ast.unparse(tree))
        self.values[name] = found[0]
        self.current = name
        return name

    def value(self, tree: ast.expr) -> ChainValue | None:
        """Return what an expression is; None of one that does not run."""
        found = self._run(tree)
        return found[0] if found is not None and len(found) == 1 else None

    def beside(self, left: ast.expr, right: ast.expr) -> tuple[ast.expr, ast.expr] | None:
        """Return two sides so that their sizes fit each other element by element, a vector at the only axis it fits."""
        one, other = self.value(left), self.value(right)
        if one is None or other is None:
            return None
        if _broadcasts(one.shape, other.shape):
            return left, right
        short, long = sorted((one.shape, other.shape), key=len)
        places = within_once(short, long)
        if places is None:
            return None
        return (with_axes(left, places), right) if one.shape == short else (left, with_axes(right, places))

    def _run(self, result: ast.expr) -> list[ChainValue] | None:
        from akgen.tools.reference.meta_run import results_of  # imports torch: only where something was read

        given = [(t.shape, t.dtype.value) for t in self.given.values()]
        found = results_of(self.source(result), NAME, given)
        return None if found is None else [ChainValue(r.shape, DType(r.dtype)) for r in found]

    def source(self, result: ast.expr) -> str:
        """Return the function that computes a result; a value that is used once stands where it is used."""
        trees = {n: t for n, t in self.trees.items() if n in self._needed(result)}
        uses = [n.id for t in (*trees.values(), result) for n in ast.walk(t) if isinstance(n, ast.Name)]
        inside: dict[str, ast.expr] = {}
        lines: list[str] = []
        for name, tree in trees.items():
            tree = substituted(tree, inside)
            if uses.count(name) == 1 and len(ast.unparse(tree)) < _LONGEST and name != ast.unparse(result):
                inside[name] = tree
            else:
                lines.append(f"{name} = {ast.unparse(tree)}")
        lines.append(f"return {ast.unparse(substituted(ast.fix_missing_locations(result), inside))}")
        body = "".join(f"    {line}\n" for line in lines)
        helpers = "".join(f"{text.strip()}\n\n\n" for text in self.helpers.values())
        return f"{helpers}def {NAME}({', '.join(self.given)}):\n{body}"

    def _needed(self, result: ast.expr) -> set[str]:
        needed: set[str] = set()
        left = [result]
        while left:
            names = {n.id for n in ast.walk(left.pop()) if isinstance(n, ast.Name)} & self.trees.keys()
            left += [self.trees[n] for n in names - needed]
            needed |= names
        return needed

    def request(self, *, assumed: bool) -> Request | None:
        """Return the request of the chain; None where a tensor, or a value on the way, is used by nothing."""
        assert self.current is not None
        result = ast.Name(self.current)
        if self.given.keys() - self.used or self.trees.keys() - self._needed(result):
            return None
        source = self.source(result)
        body = source[source.rindex(f"def {NAME}(") :]
        made = request_of(MadeFunction(body, ()), list(self.given.values()), {}, assumed=assumed)
        if made is None or made.source is None:
            return None
        holds = {**made.source.holds, **self.holds}
        kept = made.source.model_copy(update={"text": source, "holds": holds})
        return made.model_copy(update={"source": kept})


def _broadcasts(one: Shape, other: Shape) -> bool:
    return all(a == b or 1 in (a, b) for a, b in zip(reversed(one), reversed(other), strict=False))


def identifier(name: str) -> str:
    return re.sub(r"\W", "_", name.lower())


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
