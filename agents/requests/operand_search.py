"""Find for which operand of a call each told tensor stands: by name, type, what PyTorch runs, and the order told."""

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from akgen.agents.requests.bound_forms import held_in
from akgen.agents.requests.declarations import DeclaredTensor
from akgen.agents.requests.needs import entry_of
from akgen.agents.requests.operand_calls import CallSlot, OperandCall, calls_of, written
from akgen.agents.requests.request import ChainStep, Shape
from akgen.agents.requests.specified.built import request_of
from akgen.agents.requests.specified.program import GivenTensor, MadeFunction
from akgen.knowledge.operators import Value
from akgen.tools.core.dtypes import DType

_OF_WEIGHTS = frozenset(
    (
        "kernel_size",
        "out_channels",
        "in_channels",
        "out_features",
        "in_features",
        "num_features",
        "num_channels",
    )
)
_PAIR = 2
Bound = dict[str, DeclaredTensor]


class RunningWay(NamedTuple):
    """A way that runs: which tensor is which operand, and the step."""

    bound: Bound
    step: ChainStep


def only_step(found: Iterator[ChainStep]) -> ChainStep | None:
    """Return the only step; None of several that differ."""
    steps = {s.formula: s for s in found}
    return next(iter(steps.values())) if len(steps) == 1 else None


def steps_with(
    step: ChainStep, tensors: tuple[DeclaredTensor, ...], kind: DType, wanted: set[Shape | None]
) -> Iterator[ChainStep]:
    """Yield the calls that run: those by name and type; of several, the ones in the order told."""
    for call in calls_of(step, len(tensors), len(tensors[0].shape or ())):
        values = _values(step, call, tensors)
        if values is None:
            continue
        made = [
            RunningWay(bound, s)
            for bound in _bound(call, tensors)
            if (s := _made(call, bound, values, tensors, kind, wanted)) is not None
        ]
        if made:
            yield from (m.step for m in _in_order(call, made, tensors))
            return


def _values(
    step: ChainStep, call: OperandCall, tensors: tuple[DeclaredTensor, ...]
) -> dict[str, Value] | None:
    """Return the attributes for the call; None where one is not its own, nor what the shapes say."""
    entry = entry_of(step)
    shapes = [t.shape or () for t in tensors]
    found: dict[str, Value] = {}
    preset = {k: v for k, v in entry.attributes.items() if k in call.attributes}
    for name, value in {**preset, **step.attributes}.items():
        if call.form is not None and name == "dim" and value in call.form.along:
            continue
        if name in call.attributes:
            found[name] = (shapes[0][1] if len(shapes[0]) > 1 else None) if value == "channels" else value
        elif name == "bias" and isinstance(value, bool):
            if value is False and any(re.fullmatch("b|bias|beta", t.name) for t in tensors):
                return None
        elif name in _OF_WEIGHTS:
            sizes = value if isinstance(value, tuple) else (value,)
            if not any(len(s) >= len(sizes) and {*sizes} <= {*s} for s in shapes[1:]):
                return None
        else:
            return None
    return None if step.operands else found


def _bound(call: OperandCall, tensors: tuple[DeclaredTensor, ...]) -> Iterator[Bound]:
    """Yield the ways in which the tensors may be the operands, as far as names and types say."""
    if not call.slots:
        if any(t.dtype is not None and not t.dtype.is_float for t in tensors):
            return
        if call.sign and len({t.shape for t in tensors}) > 1:
            return  # a vector among them may be a norm's
        yield {t.name: t for t in tensors}
        return
    fitting = [_fitting(call.slots, t) for t in tensors]
    needed = {s.name for s in call.slots if not s.optional}
    order = [s.name for s in call.slots]
    for way in itertools.product(*fitting):
        bound = {s.name: t for s, t in zip(way, tensors, strict=True)}
        if len(bound) == len(tensors) and needed <= bound.keys():
            yield {name: bound[name] for name in order if name in bound}


def _in_order(
    call: OperandCall, made: list[RunningWay], tensors: tuple[DeclaredTensor, ...]
) -> list[RunningWay]:
    """Return, of several ways that run, the one in which letters stand in the order of the signature."""
    nameless = [t for t in tensors if not any(s.called.fullmatch(t.name) for s in call.slots)]
    names = [t.name for t in nameless]
    letters = all(re.fullmatch(r"[a-z]\d?", n) for n in names) and names == sorted(names)
    if len(made) == 1 or not letters or len(names) > _PAIR:
        return made
    return [m for m in made if [t for t in m.bound.values() if t in nameless] == nameless]


def _fitting(slots: tuple[CallSlot, ...], tensor: DeclaredTensor) -> list[CallSlot]:
    """Return the operands that a tensor may be: those that its name says; any that its type allows otherwise."""
    by_name = [s for s in slots if s.called.fullmatch(tensor.name)]
    return [s for s in by_name or slots if _typed(s, tensor.dtype)]


def _typed(slot: CallSlot, dtype: DType | None) -> bool:
    if slot.whole:
        return dtype in (None, DType.INT32, DType.INT64)
    masks = slot.name in ("condition", "mask")  # what True means in an attention's mask is asked about
    return dtype is None or dtype.is_float or (masks and dtype is DType.BOOL)


def _made(
    call: OperandCall,
    bound: Bound,
    values: dict[str, Value],
    tensors: tuple[DeclaredTensor, ...],
    kind: DType,
    wanted: set[Shape | None],
) -> ChainStep | None:
    """Return the call as a step, where PyTorch runs it and it gives what is said of the result."""
    from akgen.tools.reference.meta_run import results_of  # imports torch: only where all was read

    names = {slot: t.name if t.name.isascii() else slot for slot, t in bound.items()}
    if len(set(names.values())) < len(names):
        return None
    whole = {s.name for s in call.slots if s.whole}
    masks = {"condition", "mask"} & bound.keys()
    types = {
        slot: t.dtype or (DType.INT64 if slot in whole else DType.BOOL if slot in masks else kind)
        for slot, t in bound.items()
    }
    normal = "normalized_shape" in call.attributes and "weight" in names
    more = {"normalized_shape": f"{names['weight']}.shape"} if normal else {}
    narrow = {s for s in whole if types.get(s) is not DType.INT64 and call.form is None}
    long = {s: f"{n}.long()" if s in narrow else n for s, n in names.items()}
    formula = written(call, long, values, more)
    by_name = {names[slot]: (t, types[slot]) for slot, t in bound.items()}
    variables = tuple(n for t in tensors for n, (b, _) in by_name.items() if b is t)
    given = [GivenTensor(n, by_name[n][0].shape or (), by_name[n][1]) for n in variables]
    body = f"def f({', '.join(variables)}):\n    return {formula}\n"
    source = f"{call.form.source}\n{body}" if call.form is not None else body
    results = results_of(source, "f", [(t.shape, t.dtype.value) for t in given])
    if results is None or (wanted and not any(r.shape in wanted for r in results)):
        return None
    if call.form is not None:
        slots = [s for s in call.form.slots if s.name in bound]
        holds = {names[s.name]: held for s in slots if (held := held_in(s, bound, call.form)) is not None}
    else:
        made = request_of(MadeFunction(source, ()), given, {}, assumed=False)
        if made is None or made.source is None:
            return None
        holds = dict(made.source.holds)
    return ChainStep(operator="formula", formula=formula, variables=variables, holds=holds)
