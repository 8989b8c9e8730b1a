"""Turn a complete request into a task with a PyTorch reference of its own."""

import math
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from akgen.agents.requests.problems import MAX_ELEMENTS, REDUCED
from akgen.agents.requests.request import Request, RequestSource
from akgen.knowledge.operators import OperatorEntry, operators
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Case, Mode, Params, Reference, Task

LOADER = "akgen.tools.reference.module_loader"
_DOMAINS = {"positive": '"positive"', "nonzero": '{"x1": "positive"}', None: None}


def reference_for(request: Request) -> str:
    """Write the reference module of a request for an operator or for code."""
    if request.source is not None:
        return code_reference(request.source, cast=request.complete and request.dtype is not None)
    assert request.operator is not None
    operator = operator_named(request.operator)
    if request.axis is not None:
        over = "" if request.axis == "all" else f"dim={request.axis}"
        expression = operator.expression.replace(REDUCED, over).replace(", )", ")")
        operator = operator.model_copy(update={"expression": expression})
    return reference_text(operator)


def reference_text(operator: OperatorEntry) -> str:
    """Write the operator's reference module: Model, get_inputs(params), get_init_inputs(params)."""
    return _render("reference.j2", operator=operator, domain=_DOMAINS[operator.domain])


def code_reference(source: RequestSource, *, cast: bool) -> str:
    """Write a person's code with what it lacks: Model, get_inputs; with `cast`, its inputs in another type."""
    function = source.entry is not None and f"class {source.entry}" not in source.text
    return _render("reference_code.j2", source=source, cast=cast, function=function)


def task_for(request: Request, reference: Path, name: str) -> Task:
    """Return the task of a complete request, whose reference module lies at `reference`."""
    word = request.name
    assert word is not None
    camel = "".join(part.capitalize() for part in word.split("_"))
    operator = None if request.source else operator_named(word)
    about = f"{word}: {operator.expression}" if operator else f"{word}, as the reference computes it"
    return Task(
        name=name,
        suite="chat",
        category=operator.category if operator else "other",
        op_type=f"{camel}Custom",  # not the name of an operator that CANN already has
        kernel=f"{word}_custom",
        description=about,
        reference=Reference(loader=LOADER, path=reference.resolve()),
        cases=_cases(request),
        mode=Mode.STATIC if request.dynamic is False else Mode.DYNAMIC,
        knobs=request.knobs,
    )


def adapted(task: Task, request: Request, name: str) -> Task:
    """Return a task that exists, in the type and shape that the request names.

    Raises InputError if its cases do not say what their type or shape is, or the axis shall change.
    """
    cases = task.cases
    wanted: dict[str, object] = {}
    if request.dtype is not None:
        wanted["dtype"] = request.dtype.value
    if request.shape is not None:
        wanted["shape"] = list(request.shape)
    for key, value in wanted.items():
        if not any(key in case.params for case in cases):
            raise InputError(
                f"The cases of {task.name} do not name their {key}.",
                "Give PyTorch code instead, or another task.",
            )
        fitting = tuple(case for case in cases if case.params.get(key) == value)
        cases = fitting or _changed(cases, key, value)
    return task.model_copy(update={"name": name, "cases": cases, "knobs": request.knobs})


def operator_named(name: str) -> OperatorEntry:
    return next(op for op in operators() if op.name == name)


def _changed(cases: tuple[Case, ...], key: str, value: object) -> tuple[Case, ...]:
    """Return the cases with one parameter changed, those that become alike only once."""
    changed = [c.model_copy(update={"params": {**c.params, key: value}, "size_bytes": None}) for c in cases]
    return tuple({str(sorted(c.params.items())): c for c in reversed(changed)}.values())[::-1]


def _cases(request: Request) -> tuple[Case, ...]:
    if request.complete:
        params: Params = {} if request.dtype is None else {"dtype": request.dtype.value}
        return (Case(id="asked", params=params),)
    assert request.dtype is not None and request.shape is not None
    shapes = {"asked": request.shape}
    if request.dynamic:
        shapes |= _other_shapes(request.shape)
    return tuple(
        Case(id=name, params={"shape": list(shape), "dtype": request.dtype.value})
        for name, shape in shapes.items()
    )


def _other_shapes(shape: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """Return shapes of the same rank that a kernel for all shapes must serve: tiny, ragged, tall, long."""
    *outer, last = shape
    rows = math.prod(outer)
    found = {
        "tiny": tuple(1 if k == 0 else min(3, n) for k, n in enumerate(shape)),
        "ragged": (*(n + 1 for n in outer), last + 7),
        "tall": (*outer[:-1], 4 * outer[-1] + 3, max(1, last // 4)) if outer else (4 * last + 3,),
        "long": (*(max(1, n // 4) for n in outer), 4 * last + 1) if rows > 1 else (2 * last + 1,),
    }
    return {name: s for name, s in found.items() if s != shape and math.prod(s) <= MAX_ELEMENTS}


def _render(template: str, **values: object) -> str:
    text = files("akgen.agents.requests").joinpath(template).read_text()
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return environment.from_string(text).render(**values)
