"""Turn a complete request into a task with a PyTorch reference of its own."""

from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from akgen.agents.requests.sentence import Request
from akgen.knowledge.operators import Operator, operators
from akgen.tools.task import Case, Reference, Task

LOADER = "akgen.tools.reference.module_loader"
_DOMAINS = {"positive": '"positive"', "nonzero": '{"x1": "positive"}', None: None}


def reference_text(operator: Operator) -> str:
    """Write the operator's reference module: Model, get_inputs(params), get_init_inputs(params)."""
    template = files("akgen.agents.requests").joinpath("reference.j2").read_text()
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return environment.from_string(template).render(operator=operator, domain=_DOMAINS[operator.domain])


def task_for(request: Request, reference: Path, name: str) -> Task:
    """Return the task of a complete request, whose reference module lies at `reference`."""
    assert request.operator is not None and request.dtype is not None and request.shape is not None
    operator = operator_named(request.operator)
    camel = "".join(part.capitalize() for part in operator.name.split("_"))
    return Task(
        name=name,
        suite="chat",
        category=operator.category,
        op_type=f"{camel}Custom",  # not the name of an operator that CANN already has
        kernel=f"{operator.name}_custom",
        description=f"{operator.name}: {operator.expression}",
        reference=Reference(loader=LOADER, path=reference.resolve()),
        cases=(Case(id="asked", params={"shape": list(request.shape), "dtype": request.dtype.value}),),
        mode="dynamic",
    )


def operator_named(name: str) -> Operator:
    return next(op for op in operators() if op.name == name)
