"""Turn a complete request into a task with a PyTorch reference of its own."""

import math
from pathlib import Path

from akgen.agents.requests.needs import entry_of
from akgen.agents.requests.problems import MAX_ELEMENTS
from akgen.agents.requests.program import chain_reference, code_reference
from akgen.agents.requests.request import Request, Shape
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Case, Mode, Params, Reference, Task

LOADER = "akgen.tools.reference.module_loader"


def reference_for(request: Request) -> str:
    """Write the reference module of a request for a chain of operators or for code."""
    if request.source is not None:
        return code_reference(request.source, cast=request.complete and bool(request.dtypes))
    return chain_reference(request)


def task_for(request: Request, reference: Path, name: str) -> Task:
    """Return the task of a complete request, whose reference module lies at `reference`."""
    word = request.name
    assert word is not None
    camel = "".join(part.capitalize() for part in word.split("_"))
    single = len(request.steps) == 1 and request.steps[0].formula is None
    operator = entry_of(request.steps[0]) if single else None
    about = f"{word}: {operator.definition}" if operator else f"{word}, as the reference computes it"
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
    if request.dtypes:
        wanted["dtype"] = request.dtypes[0].value
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


def _changed(cases: tuple[Case, ...], key: str, value: object) -> tuple[Case, ...]:
    """Return the cases with one parameter changed, those that become alike only once."""
    changed = [c.model_copy(update={"params": {**c.params, key: value}, "size_bytes": None}) for c in cases]
    return tuple({str(sorted(c.params.items())): c for c in reversed(changed)}.values())[::-1]


def _cases(request: Request) -> tuple[Case, ...]:
    """Return a case for every type and shape that was asked for, and other shapes where one kernel shall serve all."""
    types: list[Params] = [{"dtype": dtype.value} for dtype in request.dtypes]
    if request.complete:
        return tuple(Case(id=f"asked{i or ''}", params=params) for i, params in enumerate(types or [{}]))
    assert types and request.shapes
    shapes = {f"asked{i or ''}": shapes for i, shapes in enumerate(request.shapes)}
    if request.dynamic and len(request.shapes[0]) == 1:
        shapes |= {name: (shape,) for name, shape in _other_shapes(request.shapes[0][0]).items()}
    return tuple(
        Case(id=name if len(types) == 1 else f"{name}_{params['dtype']}", params={**_named(each), **params})
        for params in types
        for name, each in shapes.items()
    )


def _named(shapes: tuple[Shape, ...]) -> Params:
    return {f"shape{i or ''}": list(shape) for i, shape in enumerate(shapes)}


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
