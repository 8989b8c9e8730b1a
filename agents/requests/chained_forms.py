"""Read a chain of layers whose weights are all given: "conv, batch norm, relu; x ..., w ..., mean, var, gamma [64]".

Each step takes the tensors that a form of its operator has slots for, by their names and shapes; the first tensor of a
later step is what stands before it. Nothing is read where two ways fit, or a tensor is left.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from akgen.agents.requests.accounted import unaccounted
from akgen.agents.requests.bound_forms import Bound, held_in, of_its_weights, read_beside, sizes_of, unnamed
from akgen.agents.requests.declarations import DeclaredTensor, declarations
from akgen.agents.requests.needs import entry_of, missing, tensors_of, with_type
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep, Request, Shape
from akgen.agents.requests.result_shapes import result_shape
from akgen.knowledge.forms import FormSlot, OperatorForm, forms
from akgen.tools.core.dtypes import DType

_LEAST = 3  # tensors, with fewer of which a chain has no two layers
_MOST = 12
_BEFORE = "before"  # what a later step's first tensor is called


class Layer(NamedTuple):
    """A step of the chain, with the tensors that it takes beside what stands before it."""

    step: ChainStep
    tensors: tuple[DeclaredTensor, ...]


def chained_request(said: str) -> Request | None:
    """Return the request of a text whose tensors are those of a chain's layers; None if not all of it is understood."""
    found = declarations(said)
    if (
        found is None
        or not _LEAST <= len(found.tensors) <= _MOST
        or any(t.shape is None for t in found.tensors)
    ):
        return None
    understood = read_beside(unnamed(found.rest, found))
    if understood is None:
        return None
    reading, read = understood
    floats = {t.dtype for t in found.tensors if t.dtype is not None} | (
        set() if read.assumed else set(read.dtypes)
    )
    if len(read.steps) < len((0, 0)) or any(s.formula or s.operands for s in read.steps) or len(floats) > 1:
        return None
    if any(not kind.is_float for kind in floats):
        return None
    ways = list(_ways(read.steps, found.tensors, None))
    ordered = [w for w in ways if [t for layer in w for t in layer.tensors] == list(found.tensors)]
    ways = ways if len(ways) == 1 else ordered
    if len(ways) != 1:
        return None
    shapes = tuple(t.shape or () for layer in ways[0] for t in layer.tensors)
    request = with_type(
        read.model_copy(
            update={
                "steps": tuple(layer.step for layer in ways[0]),
                "dtypes": tuple(floats),
                "assumed": False,
                "shapes": (shapes,),
            }
        )
    )
    try:
        lost = missing(request) or unaccounted(reading.text, said, request, Request())
    except Unclear:
        return None
    return None if lost else request


def _ways(
    steps: tuple[ChainStep, ...], left: tuple[DeclaredTensor, ...], here: Shape | None
) -> Iterator[list[Layer]]:
    """Yield every way to give the tensors to the steps, the first of which begins with a tensor if `here` is None."""
    if not steps:
        if not left:
            yield []
        return
    step, *later = steps
    for layer, shape in (*_of_forms(step, left, here), *_alone(step, here)):
        rest = tuple(t for t in left if t not in layer.tensors)
        for way in _ways(tuple(later), rest, shape):
            yield [layer, *way]


def _alone(step: ChainStep, here: Shape | None) -> Iterator[tuple[Layer, Shape]]:
    """Yield a step that takes what stands before it and nothing else."""
    own = any(s.is_module for s in entry_of(step).signatures()) and entry_of(step).category in (
        "convolution",
        "normalization",
        "linear",
    )
    if here is None or own or tensors_of(step) != 1:
        return
    shape = result_shape(Request(steps=(step,), shapes=((here,),), dtypes=(DType.FLOAT32,)))
    if shape is not None:
        yield Layer(step, ()), shape


def _of_forms(
    step: ChainStep, left: tuple[DeclaredTensor, ...], here: Shape | None
) -> Iterator[tuple[Layer, Shape]]:
    for form in forms():
        if step.operator not in form.operators or (form.again and form.always):
            continue
        given = {} if here is None else {form.slots[0].name: DeclaredTensor(_BEFORE, here, None)}
        for bound in _bound(form.slots[len(given) :], left, given):
            if here is None and bound.get(form.slots[0].name) is not left[0]:
                continue  # the order in which the tensors shall come is another one
            if (made := _made(step, form, bound, left)) is not None:
                yield made


def _bound(slots: tuple[FormSlot, ...], left: tuple[DeclaredTensor, ...], bound: Bound) -> Iterator[Bound]:
    """Yield every way to fill slots with tensors that are called so."""
    if not slots:
        yield bound
        return
    slot, *others = slots
    for tensor in left:
        if _is_called(tensor.name, slot):
            rest = tuple(t for t in left if t is not tensor)
            yield from _bound(tuple(others), rest, {**bound, slot.name: tensor})
    if slot.optional:
        yield from _bound(tuple(others), left, bound)


def _is_called(name: str, slot: FormSlot) -> bool:
    """Say whether a tensor may be called so: "w", "w1", "conv_w" for a weight."""
    plain = re.sub(r"_?\d+\Z", "", name)
    names = {name, plain, plain.rpartition("_")[2]}
    return bool(names & {slot.name, *slot.called})


def _made(
    step: ChainStep, form: OperatorForm, bound: Bound, left: tuple[DeclaredTensor, ...]
) -> tuple[Layer, Shape] | None:
    """Return the call of a form, and the shape that comes; None where the tensors do not fit."""
    from akgen.tools.reference.meta_run import results_of  # imports torch: only where all was read

    attributes = of_its_weights(step, form, bound)
    if sizes_of(form, bound) is None or not set(form.needs) <= attributes.keys() <= set(form.attributes):
        return None
    tensors = tuple(t for t in left if any(b is t for b in bound.values()))
    names = {s: t.name if t.name.isascii() else s for s, t in bound.items()}
    if len({*names.values()}) < len(names):
        return None
    given = [*(f"{s}={n}" for s, n in names.items()), *(f"{n}={v!r}" for n, v in attributes.items())]
    by_tensor = {id(t): names[s] for s, t in bound.items()}
    lead = [_BEFORE] if _BEFORE in names.values() else []
    variables = (*lead, *(by_tensor[id(t)] for t in tensors))
    shaped = {names[s]: t.shape or () for s, t in bound.items()}
    call = f"{form.name}({', '.join(given)})"
    source = f"{form.source}\ndef f({', '.join(variables)}):\n    return {call}\n"
    results = results_of(source, "f", [(shaped[v], "float32") for v in variables])
    if results is None or len(results) != 1:
        return None
    holds = {names[s.name]: h for s in form.slots if s.name in bound and (h := held_in(s, bound, form))}
    made = ChainStep(operator="formula", formula=call, variables=variables, holds=holds)
    return Layer(made, tensors), results[0].shape
