"""What a chain of operators still needs: attributes that must be named, shapes of its tensors.

Where a request names no data type, it means PyTorch's default, float32. Operators that PyTorch has for integers alone
take int32, those that read nothing but indices int64. What was taken is shown before work begins, and holds until
somebody says another type.
"""

from typing import NamedTuple

from akgen.agents.requests.attributes import FROM_SHAPE
from akgen.agents.requests.formula import is_mask, operations_of
from akgen.agents.requests.request import ChainStep, Missing, Request, Shape
from akgen.knowledge.operators import OperatorEntry, Parameter, Signature, Value, operator_named
from akgen.tools.core.dtypes import DType

INDICES = ("classes", "index", "positions", "entries", "counts")  # what tensors of whole numbers hold
_SECOND = ("other", "exponent", "end", "src", "source", "target")  # tensors unless a number was said


class Way(NamedTuple):
    """How a step is called: its operator, the signature that fits what was said, what that still needs."""

    entry: OperatorEntry
    signature: Signature | None  # None: the entry's own expression
    needs: tuple[str, ...]  # attributes

    @property
    def tensors(self) -> tuple[Parameter, ...]:
        return self.signature.tensors if self.signature else ()


def entry_of(step: ChainStep) -> OperatorEntry:
    found = operator_named(step.operator)
    assert found is not None, step.operator
    return found


def way_of(step: ChainStep, rank: int | None = None) -> Way:
    """Return how the step is called on a first tensor of so many axes; among several ways the one that needs least."""
    entry = entry_of(step)
    said = {**entry.attributes, **step.attributes}
    if entry.expression is not None:
        return Way(entry, None, tuple(name for name in entry.needs if name not in said))
    ways = []
    for order, signature in enumerate(entry.signatures(_spatial(entry, step, rank))):
        numbers = [o for o in step.operands if isinstance(o, int | float)]
        if not _fits(signature, step, numbers):
            continue
        lacking = _lacking(signature, said, numbers)
        preset = {n for n in entry.attributes if step.attributes.get(n, 0) is not None}
        unmet = len(preset - {p.name for p in signature.parameters})
        ways.append(((unmet, len(lacking), -len(signature.tensors), order), Way(entry, signature, lacking)))
    if not ways:
        return Way(entry, entry.signatures()[0], ())
    way = min(ways, key=lambda pair: pair[0])[1]
    if entry.needs and not any(name in said for name in entry.needs):
        way = way._replace(needs=tuple(dict.fromkeys((*way.needs, entry.needs[0]))))
    return way


def takes_its_numbers(step: ChainStep) -> bool:
    """Say whether an operator has places for all numbers that a step has beside its first tensor."""
    numbers = [o for o in step.operands if isinstance(o, int | float)]
    if not numbers or step.formula is not None:
        return True
    entry = entry_of(step)
    return entry.expression is not None or any(_fits(s, step, numbers) for s in entry.signatures())


def _spatial(entry: OperatorEntry, step: ChainStep, rank: int | None) -> int | None:
    """Return over how many axes it goes: those of its window, else all behind batch and channels."""
    window = step.attributes.get("kernel_size")
    if entry.category == "pooling" and isinstance(window, tuple) and len(window) > 1:
        return len(window)
    return None if rank is None else max(1, rank - 2)


def _fits(signature: Signature, step: ChainStep, numbers: list[int | float]) -> bool:
    """Say whether the signature takes what was said, with those types."""
    for name in step.attributes:
        parameter = signature.parameter(name)
        if name == "dim" and step.attributes[name] is None:
            if parameter is None or (parameter.default is not None and parameter.default != "-1"):
                continue
            return False
        if name == "normalized_axes" and signature.parameter("normalized_shape"):
            continue
        if parameter is None or (parameter.is_tensor and name not in ("bias",)):
            return False
    scalars = [p for p in signature.parameters[1:] if p.kind == "float" and p.name in _SECOND]
    return bool(scalars) == bool(numbers) and not _shadowed(signature, step)


def _shadowed(signature: Signature, step: ChainStep) -> bool:
    """Say whether the signature takes as a tensor what another way takes as a number, and a person would say."""
    entry = entry_of(step)
    others = [p for s in entry.signatures() for p in s.parameters if not p.is_tensor]
    names = {p.name for p in others} - set(_SECOND)
    return any(p.is_tensor and p.name in names for p in signature.parameters)


def _lacking(signature: Signature, said: dict[str, Value], numbers: list[int | float]) -> tuple[str, ...]:
    taken = len(numbers)
    lacking = []
    for parameter in signature.parameters:
        if parameter.is_tensor or parameter.default is not None or parameter.name in said:
            continue
        if parameter.name in FROM_SHAPE or (parameter.optional and parameter.name == "dim"):
            continue
        if parameter.name in _SECOND and taken:
            taken -= 1
            continue
        lacking.append(parameter.name)
    return tuple(lacking)


def takes_integers(step: ChainStep) -> bool:
    """Say whether PyTorch has the step for integers alone."""
    names = [step.operator] if step.formula is None else operations_of(step.formula)
    return any(e.takes == "integers" for name in names if (e := operator_named(name)) is not None)


def tensors_of(step: ChainStep) -> int:
    """Return how many tensors the step takes, beside modules' own and numbers."""
    if step.formula is not None:
        return len(step.variables)
    way = way_of(step)
    if way.signature is None:
        return way.entry.inputs or 1
    if way.signature.is_module:
        return 1
    if way.tensors and way.tensors[0].kind == "Tensors":
        return way.entry.tensors if way.entry.tensors > 1 else 2
    fixed = [o for o in step.operands if o != "tensor"]
    return max(1, len(way.tensors) - sum(1 for o in fixed if not isinstance(o, int | float)))


def missing(request: Request) -> tuple[Missing, ...]:
    """Return what must be asked for, in the order of asking."""
    if request.complete:
        return ()
    if not request.steps and request.source is None:
        return ("operator",)
    names: list[Missing] = []
    if not request.dtypes:
        names.append("dtype")
    if missing_attribute(request) is not None:
        names.append("attribute")
    if not request.shapes or not all(_enough(request, shapes) for shapes in request.shapes):
        names.append("shape")
    return tuple(names)


def missing_attribute(request: Request) -> tuple[str, str] | None:
    """Return the first operator that lacks an attribute, and which."""
    shape = request.shape
    for step in request.steps:
        if step.formula is None and (needs := way_of(step, len(shape) if shape else None).needs):
            return step.operator, needs[0]
    return None


def _enough(request: Request, shapes: tuple[Shape, ...]) -> bool:
    """Say whether the shapes are those of all tensors, or one that serves them all."""
    if not request.steps:
        return True
    first = request.steps[0]
    if first.formula is not None:
        more = sum(len(s.variables) - 1 for s in request.steps[1:] if s.formula is not None)
        return len(shapes) in (1, len(first.variables), len(first.variables) + more)
    entry, count = entry_of(first), tensors_of(first)
    if any(draw == "positions" for draw in entry.draws.values()):
        return len(shapes) == count
    if entry.shapes == "each" and count > 1 and len(shapes) < count:
        (shape, *_) = shapes
        square = entry.category == "matmul" and len(shape) > 1 and shape[-1] == shape[-2]
        return len(shapes) == 1 and (square or entry.category == "data_movement")
    if entry.shapes == "each":
        return len(shapes) >= count
    return len(shapes) >= 1


def draws_of(step: ChainStep) -> dict[str, str]:
    """Return what its tensors hold, where that is not any number."""
    if step.formula is not None:
        return {v: "mask" for v in step.variables if is_mask(v, step.formula)}
    return dict(entry_of(step).draws)


def with_type(request: Request) -> Request:
    """Return the request with the type that holds where none is said; as it is where the type must be asked for."""
    if request.complete or (request.dtypes and not request.assumed):
        return request
    dtype = assumed_type(request)
    return request.model_copy(
        update={"dtypes": () if dtype is None else (dtype,), "assumed": dtype is not None}
    )


def assumed_type(request: Request) -> DType | None:
    """Return the type of a request that names none; None if there is nothing to compute yet, or nothing follows."""
    if not request.steps:
        return None if request.source is None else DType.FLOAT32
    if any(map(takes_integers, request.steps)):
        return DType.INT32
    first = request.steps[0]
    if first.formula is None:
        if first.operator == "cast" and first.attributes.get("dtype") == DType.FLOAT32:
            return None  # a conversion to what it would be anyway: of which type?
        draws = entry_of(first).draws
        tensors = way_of(first).tensors
        if tensors and all(draws.get(t.name) in INDICES for t in tensors):
            return DType.INT64
    return DType.FLOAT32
