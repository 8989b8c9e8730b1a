"""Texts of a conversation in the person's language: sentences, findings, and what was understood of a request."""

import ast
import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from akgen.agents.requests.language import Language, sentence
from akgen.agents.requests.needs import way_of
from akgen.agents.requests.request import Request
from akgen.graph.store.records import Event
from akgen.knowledge.errors import chinese
from akgen.knowledge.operators import Value
from akgen.tools.core.call import Argument, Call, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.task import Task

WIDTH = 44  # columns of a conversation beside the panes, in a terminal of 110


def said(name: str, language: Language = Language.ENGLISH, /, **values: Any) -> str:
    """Fill in one of the sentences; a missing value is an error."""
    return sentence("akgen.graph.chat", "texts.json", name, language, **values)


def translated(text: str, language: Language) -> str:
    """Return a line of the machine in the language; English, and what is not known, as it is."""
    if language is Language.ENGLISH:
        return text
    plain = text.strip()
    if plain in _words():
        return _words()[plain]
    for pattern, template in _lines():
        match = pattern.fullmatch(plain)
        if match is not None:
            return template.format(*(translated(group or "", language) for group in match.groups()))
    for separator, joint in (("; ", "；"), (", ", "，")):
        if separator in plain:
            parts = [translated(part, language) for part in plain.split(separator)]
            if parts != plain.split(separator):
                return joint.join(parts)
    return text


def of_event(event: Event, language: Language) -> Event:
    """Return an event with its text in the language."""
    if language is Language.ENGLISH or event.text is None:
        return event
    return event.model_copy(update={"text": translated(event.text, language)})


def of_finding(found: Diagnostic, language: Language) -> Diagnostic:
    """Return a finding with its sentence and remedy in the language; the compiler's own words stay behind it."""
    known = chinese(found.code) if language is Language.CHINESE else None
    if known is None:
        return found
    return found.model_copy(update={"text": f"{known.sentence}（{found.text}）", "remedy": known.remedy})


@cache
def _data() -> tuple[dict[str, str], list[tuple[str, str]]]:
    read = json.loads(files("akgen.graph.chat").joinpath("lines.json").read_text(encoding="utf-8"))
    return read["words"], read["lines"]


def _words() -> dict[str, str]:
    return _data()[0]


@cache
def _lines() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern), template) for pattern, template in _data()[1])


def said_attributes(request: Request) -> list[tuple[str, Value]]:
    """Return the attributes that the person named."""
    return [(name, value) for step in request.steps for name, value in step.attributes.items()]


def essence(reference: str) -> str:
    """Return the part of a reference that says what is computed: all but imports and the making of inputs."""
    tree = ast.parse(reference)
    lines = reference.splitlines()
    shown = [
        "\n".join(lines[node.lineno - 1 : node.end_lineno])
        for node in tree.body
        if not isinstance(node, ast.Import | ast.ImportFrom | ast.Expr)
        and not (isinstance(node, ast.FunctionDef) and node.name in ("get_inputs", "get_init_inputs"))
    ]
    return "\n\n".join(shown)


def understood(request: Request, task: Task, calls: Sequence[Call], language: Language) -> str:
    """Return one line per case with the types and shapes of all tensors, and one with the attributes that hold."""
    heads = [said(f"table_{name}", language) for name in ("case", "inputs", "outputs")]
    rows = [heads] + [
        [case.id, ", ".join(map(_tensor, call.inputs)), ", ".join(_tensor(o.meta) for o in call.outputs)]
        for case, call in zip(task.cases, calls, strict=False)
    ]
    widths = [max(_columns(row[i]) for row in rows) for i in range(len(heads))]
    if sum(widths) + 4 > WIDTH:
        lines = [line for row in rows[1:] for line in _stacked(heads, row)]
    else:
        lines = [
            "  ".join(t + " " * (w - _columns(t)) for t, w in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
    if len(task.cases) > len(calls):
        lines.append(f"... +{len(task.cases) - len(calls)}")
    if request.assumed:
        lines.append(f"{said('table_type', language)}  {_type_taken(request, language)}")
    if attributes := _attributes(request, language):
        lines.append(f"{said('table_attributes', language)}  {attributes}")
    return "\n".join(lines)


def _type_taken(request: Request, language: Language) -> str:
    """Return the type that nobody said, with why it is taken."""
    (dtype,) = request.dtypes
    default = "type_default" if dtype is DType.FLOAT32 else "type_of_integers"
    return said(default, language, dtype=dtype)


def assumed(request: Request, language: Language) -> str | None:
    """Return a sentence about the type that a result has because nobody said another one; None if somebody did."""
    return said("assumed", language, taken=_type_taken(request, language)) if request.assumed else None


def _stacked(heads: list[str], row: list[str]) -> list[str]:
    """Return a case that is too wide for a line: one line for every tensor."""
    width = max(map(_columns, heads)) + 2
    lines = []
    for head, text in zip(heads, row, strict=True):
        for at, part in enumerate(text.split(", ")):
            lead = head if at == 0 else ""
            lines.append(lead + " " * (width - _columns(lead)) + part)
    return lines


def _tensor(argument: Argument | TensorMeta) -> str:
    if argument is None:
        return "-"
    if isinstance(argument, tuple):
        return f"[{', '.join(map(_tensor, argument))}]"
    return f"{argument.dtype.value} {'x'.join(map(str, argument.shape)) or 'scalar'}"


def _attributes(request: Request, language: Language) -> str:
    """Return every step's attributes: those said, those that hold unless said otherwise, and PyTorch's defaults."""
    default = said("table_default", language)
    parts = []
    for step in request.steps:
        if step.formula is not None:
            continue
        way = way_of(step, len(request.shape) if request.shape else None)
        told = {k: repr(v) for k, v in step.attributes.items()}
        own = {k: f"{v!r}{default}" for k, v in way.entry.attributes.items() if k not in told}
        known = way.signature.parameters if way.signature else ()
        rest = {p.name: f"{p.default}{default}" for p in known if p.default is not None and not p.is_tensor}
        order = [p.name for p in known]
        values = dict(
            sorted(
                {**rest, **own, **told}.items(),
                key=lambda item: order.index(item[0]) if item[0] in order else -1,
            )
        )
        if values:
            parts.append(
                f"{step.operator}: " + ", ".join(f"{name}={value}" for name, value in values.items())
            )
    return "; ".join(parts)


def _columns(text: str) -> int:
    """Return the columns that a text takes in a terminal; Chinese characters take two."""
    return sum(2 if ord(c) > 0x2E80 else 1 for c in text)
