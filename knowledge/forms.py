"""How operators are called with tensors that a person names: the functions of `forms.txt`, slot by slot."""

import ast
import re
from functools import cache

from akgen.knowledge.data_files import KnowledgeFact, read_text


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
    slots: tuple[FormSlot, ...]
    attributes: tuple[str, ...]
    source: str


@cache
def forms() -> tuple[OperatorForm, ...]:
    return tuple(_form(node) for node in ast.parse(read_text("forms.txt")).body)


def form_named(name: str) -> OperatorForm | None:
    return next((f for f in forms() if f.name == name), None)


def _form(node: ast.stmt) -> OperatorForm:
    assert isinstance(node, ast.FunctionDef)
    operators, _, again = (ast.get_docstring(node) or "").partition(";")
    required = len(node.args.args) - len(node.args.defaults)
    slots = []
    for at, argument in enumerate(node.args.args):
        said = ast.literal_eval(argument.annotation or ast.Constant(""))
        axes, holds, called = (part.split() for part in said.split(";"))
        slots.append(
            FormSlot(name=argument.arg, axes=tuple(axes), holds=holds[0], below=holds[1] if len(holds) > 1 else None,
                 called=tuple(called), optional=at >= required)
        )  # fmt: skip
    for argument in (*node.args.args, *node.args.kwonlyargs):
        argument.annotation = None
    node.body = node.body[1:]
    return OperatorForm(
        name=node.name,
        operators=tuple(re.split(r"\s*,\s*", operators.strip())),
        again=again.strip() or None,
        slots=tuple(slots),
        attributes=tuple(a.arg for a in node.args.kwonlyargs),
        source=ast.unparse(node),
    )
