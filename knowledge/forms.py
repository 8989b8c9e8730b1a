"""How operators are called with tensors that a person names: the functions of `forms.txt`, slot by slot."""

import ast
import re
from functools import cache

from akgen.knowledge.data_files import KnowledgeFact, read_json, read_text

_PHRASES = re.compile(r"<([a-z ]+)>")  # by their name in form_phrases.json


class FormSlot(KnowledgeFact):
    """A tensor of a form: its axes by letters, what it holds (an index: below which axis), what people call it."""

    name: str
    axes: tuple[str, ...]
    holds: str
    below: str | None
    called: tuple[str, ...]
    optional: bool


class OperatorForm(KnowledgeFact):
    """One way to call an operator. `again` matches words that only say again what it does."""

    name: str
    operators: tuple[str, ...]
    again: str | None
    beside: str | None  # words that may be said as well, and say nothing more
    always: bool  # words of `again` must be there
    implied: bool  # they are enough, where no operator is named
    slots: tuple[FormSlot, ...]
    attributes: tuple[str, ...]
    needs: tuple[str, ...]  # attributes that must be said
    along: tuple[int, ...]  # the axis that it has, which may be said
    source: str


@cache
def forms() -> tuple[OperatorForm, ...]:
    return tuple(_form(node) for node in ast.parse(read_text("forms.txt")).body)


def form_named(name: str) -> OperatorForm | None:
    return next((f for f in forms() if f.name == name), None)


@cache
def _phrases() -> dict[str, list[str]]:
    found: dict[str, list[str]] = read_json("form_phrases.json")
    return found


def _form(node: ast.stmt) -> OperatorForm:
    assert isinstance(node, ast.FunctionDef)
    operators, _, again = (ast.get_docstring(node) or "").partition(";")
    again, _, beside = again.partition("; <")
    required = len(node.args.args) - len(node.args.defaults)
    slots = []
    for at, argument in enumerate(node.args.args):
        said = ast.literal_eval(argument.annotation or ast.Constant(""))
        axes, holds, called = (part.split() for part in said.split(";"))
        slots.append(
            FormSlot(name=argument.arg, axes=tuple(axes), holds=holds[0], below=holds[1] if len(holds) > 1 else None,
                 called=tuple(called), optional=at >= required)
        )  # fmt: skip
    along = next((ast.literal_eval(a.annotation or "") for a in node.args.kwonlyargs if _is_axis(a)), "")
    node.args.kw_defaults = [
        d for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if not _is_axis(a)
    ]
    node.args.kwonlyargs = [a for a in node.args.kwonlyargs if not _is_axis(a)]
    for argument in (*node.args.args, *node.args.kwonlyargs):
        argument.annotation = None
    node.body = node.body[1:]
    return OperatorForm(
        name=node.name,
        operators=tuple(re.split(r"\s*,\s*", operators.strip())),
        again=_PHRASES.sub(lambda m: "|".join(_phrases()[m[1]]), again.strip().lstrip("?!")) or None,
        beside=_PHRASES.sub(lambda m: "|".join(_phrases()[m[1]]), f"<{beside}") if beside else None,
        always=not again.strip().startswith("?"),
        implied=again.strip().startswith("!"),
        slots=tuple(slots),
        attributes=tuple(a.arg for a in node.args.kwonlyargs),
        needs=tuple(
            a.arg for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if d is None
        ),
        along=tuple(map(int, along.split())),
        source=ast.unparse(node),
    )


def _is_axis(argument: ast.arg) -> bool:
    """Say whether an argument only says which axes may be said: dim: "-1 1"."""
    return argument.arg == "dim" and isinstance(argument.annotation, ast.Constant)
