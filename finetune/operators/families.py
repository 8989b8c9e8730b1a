"""How the operators of each family are drawn: which inputs, which operations, in which order."""

import random
from collections.abc import Callable, Sequence

from akgen.finetune.operators.sketch import (
    LANGUAGES,
    InputKind,
    Kind,
    Operation,
    Sketch,
    Variable,
    operations,
)

Drawn = tuple[Variable, ...]  # the outputs
_TRIES = 12  # of one step, before the operator is given up
_AXES = {
    -1: ("dim=-1", {"en": "over each row", "zh": "在每行上"}, {"en": "row", "zh": "行"}),
    0: ("dim=0", {"en": "over each column", "zh": "在每列上"}, {"en": "column", "zh": "列"}),
}
_SEVERAL = ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))  # of three dimensions
_PARTS = (("planes", "平面"), ("rows", "行"), ("columns", "列"))
_ALL = ("dim=(0, 1)", {"en": "over everything", "zh": "在全部元素上"})


class GivenUp(Exception):
    """No operation fits what was drawn so far; another seed will do."""


def pointwise(s: Sketch, difficulty: int) -> Drawn:
    values = [s.input("full") for _ in range(s.rng.randint(1, min(3, difficulty + 1)))]
    return (_chain(s, values, _length(s, difficulty)),)


def broadcast(s: Sketch, difficulty: int) -> Drawn:
    kinds: list[InputKind] = ["column", "row", "one"]
    small = [s.input(k) for k in s.rng.sample(kinds, s.rng.randint(1, min(2, difficulty)))]
    x = s.input("full")
    value = x
    for other in small:
        value = _binary(s, value, other)
        if difficulty > 1:
            value = _unary(s, value)
    return (_chain(s, [value], difficulty - 1),) if difficulty > 1 else (value,)


def reduction(s: Sketch, difficulty: int) -> Drawn:
    values = [s.input("full") for _ in range(s.rng.randint(1, min(2, difficulty)))]
    value = (
        _chain(s, values, difficulty - 1 + (len(values) > 1))
        if difficulty > 1 or len(values) > 1
        else values[0]
    )
    rejoins = difficulty > 1 and s.rng.random() < 0.5
    reduced = _reduce(s, value, keep=rejoins)
    if rejoins:
        return (_chain(s, [_binary(s, values[0], reduced)], difficulty - 2),)
    return (_chain(s, [reduced], difficulty - 1),)


def normalisation(s: Sketch, difficulty: int) -> Drawn:
    x = s.input("full")
    value = _binary(s, x, s.input("full")) if difficulty > 1 and s.rng.random() < 0.6 else x
    first = value
    value = _normalise(s, value)
    if difficulty > 1:
        value = _binary(s, value, s.input("column", "scale"), ("mul",))
        if s.rng.random() < 0.6:
            value = _binary(s, value, s.input("column", "shift"), ("add",))
    value = _chain(s, [value], max(0, difficulty - 2))
    both = difficulty == 3 and first is not x and s.rng.random() < 0.4
    return (value, first) if both else (value,)


def loss(s: Sketch, difficulty: int) -> Drawn:
    prediction, target = s.input("full", "prediction"), s.input("full", "target")
    value = prediction if difficulty == 1 else _unary(s, prediction)
    value = _binary(s, value, target, ("squared_difference", "distance", "mul", "sub", "where_larger"))
    value = _chain(s, [value], difficulty - 1)
    if difficulty == 3:
        value = _binary(s, value, s.input("column", "class_weight"), ("mul",))
    return (_reduce(s, value, keep=False),)


def optimizer(s: Sketch, difficulty: int) -> Drawn:
    weight, grad = s.input("full", "parameter"), s.input("full", "grad")
    outputs: list[Variable] = []
    step = grad if s.rng.random() < 0.5 else _unary(s, grad, ("scale", "hard_tanh", "tanh"))
    for name in ("momentum", "velocity")[: difficulty - 1]:
        step = _binary(s, s.input("full", name), step, ("mix", "add_scaled"))
        outputs.append(step)
    if s.rng.random() < 0.5:
        step = _binary(s, step, weight, ("add_scaled",))
    return (_binary(s, weight, _unary(s, step, ("scale",)), ("sub",)), *outputs)


def fused(s: Sketch, difficulty: int) -> Drawn:
    value = _binary(s, s.input("full"), s.input("full", "residual"), ("add", "add_scaled"))
    if difficulty > 1:
        value = _binary(s, value, s.input("column", "bias"), ("add",))
    value = _unary(s, value)
    value = (
        _normalise(s, value)
        if s.rng.random() < 0.5
        else _binary(s, value, s.input("full", "gate"), ("gate", "mul", "swiglu"))
    )
    return (_chain(s, [value], difficulty - 1),)


def product(s: Sketch, difficulty: int) -> Drawn:
    value = _step(s, "product", a=s.input("full"), w=s.input("square"))
    if difficulty > 1:
        value = _binary(s, value, s.input("column", "bias"), ("add",))
    value = _chain(s, [value], difficulty - 1)
    return (_normalise(s, value),) if difficulty == 3 and s.rng.random() < 0.4 else (value,)


def scan(s: Sketch, difficulty: int) -> Drawn:
    value = s.input("full")
    value = _chain(s, [value], difficulty - 1)
    return (_chain(s, [_step(s, "scan", a=value)], s.rng.randint(0, difficulty - 1)),)


def mask(s: Sketch, difficulty: int) -> Drawn:
    scores = s.input("full", "scores")
    value = _chain(s, [scores], difficulty - 1) if difficulty > 1 else scores
    value = _step(s, "mask", a=value, b=s.input("full", "mask"))
    return (
        (_normalise(s, value),)
        if difficulty > 1 and s.rng.random() < 0.5
        else (_chain(s, [value], difficulty - 1),)
    )


def cast(s: Sketch, difficulty: int) -> Drawn:
    """Draw a conversion at the end: what comes after it would depend on how it rounds."""
    values = [s.input("full") for _ in range(s.rng.randint(1, min(2, difficulty)))]
    steps = difficulty - 1 + (len(values) > 1)
    return (_step(s, "cast", a=_chain(s, values, steps) if steps else values[0]),)


def quantisation(s: Sketch, difficulty: int) -> Drawn:
    """Draw a rounding of an input, so that no error before decides how it is rounded."""
    x = s.input("full")
    value = _step(s, "quantisation", a=x)
    if difficulty == 1 or not value.now.is_floating_point():
        return (value,)
    return (_chain(s, [_binary(s, value, s.input("column", "scale"), ("mul",))], difficulty - 2),)


def gradient(s: Sketch, difficulty: int) -> Drawn:
    grad, value = s.input("full", "grad"), s.input("full")
    first = _step(s, "gradient", a=grad, b=value)
    return (_chain(s, [first], difficulty - 1),)


def axes(s: Sketch, difficulty: int) -> Drawn:
    """Draw a reduction of three dimensions over any of them."""
    values = [s.input("block") for _ in range(s.rng.randint(1, min(2, difficulty)))]
    steps = difficulty - 1 + (len(values) > 1)
    value = _chain(s, values, steps) if steps else values[0]
    if difficulty == 3 and s.rng.random() < 0.5:
        value = _binary(s, value, s.input(s.rng.choice(("full", "column"))))
    over = s.rng.choice(_SEVERAL)
    names = [[_PARTS[d][k] for d in over] for k in range(len(LANGUAGES))]
    told = {"en": f"over {' and '.join(names[0])}", "zh": f"在{'和'.join(names[1])}上"}
    dims = f"dim={over}" if len(over) > 1 else f"dim={over[0]}"
    keep = ", keepdim=True" if s.rng.random() < 0.3 else ""
    reduced = _step(s, "reduction", a=value, dims=dims + keep, over=told)
    return (_chain(s, [reduced], difficulty - 1),)


def single(s: Sketch, difficulty: int) -> Drawn:
    """Draw one operation on operands of any shape; difficulty says how many dimensions or operands."""
    kinds: tuple[Kind, ...] = (
        "unary",
        "binary",
        "reduction",
        "normalisation",
        "mask",
        "gradient",
        "scan",
        "product",
    )
    kind = s.rng.choices(kinds, weights=(8, 6, 3, 2, 1, 1, 1, 1))[0]
    x = s.input("block" if difficulty == 3 and kind in ("unary", "binary") else "full")
    if kind == "reduction":
        return (_reduce(s, x, keep=s.rng.random() < 0.5),)
    if kind == "normalisation":
        return (_normalise(s, x),)
    if kind == "product":
        return (_step(s, kind, a=x, w=s.input("square")),)
    if kind == "binary":
        shapes: tuple[InputKind, ...] = ("full", "column", "row", "one") if difficulty > 1 else ("full",)
        return (_binary(s, x, s.input(s.rng.choice(shapes), "other")),)
    if kind in ("mask", "gradient"):
        return (_step(s, kind, a=x, b=s.input("full", "other")),)
    return (_step(s, kind, a=x),)


def varied(s: Sketch, difficulty: int) -> Drawn:
    """Draw steps without a plan: any earlier values, one to four tensors and small ones, one to three results."""
    full = [s.input("full") for _ in range(s.rng.randint(1, min(4, difficulty + 1)))]
    kinds: list[InputKind] = ["column", "row", "one"]
    waiting = [*full[1:], *(s.input(k) for k in s.rng.sample(kinds, s.rng.randint(0, difficulty - 1)))]
    s.rng.shuffle(waiting)
    last, made = full[0], list[Variable]()
    for _ in range(_length(s, difficulty)):
        earlier = [v for v in (*full, *made) if v is not last and v.now.shape == full[0].now.shape]
        if waiting and s.rng.random() < 0.6:
            first, second = s.rng.sample((last, waiting.pop()), 2)
            last = _binary(s, first, second)
        elif earlier and s.rng.random() < 0.4:
            first, second = s.rng.sample((last, s.rng.choice(earlier)), 2)
            last = _binary(s, first, second)
        elif last.now.shape == full[0].now.shape and s.rng.random() < 0.2:
            value = last
            last = _normalise(s, value) if s.rng.random() < 0.4 else _reduce(s, value, keep=True)
        else:
            last = _unary(s, last)
        made.append(last)
    if made[-1].now.shape == full[0].now.shape and s.rng.random() < 0.25:
        return (_reduce(s, last, keep=False),)
    alike = [v for v in made[:-1] if v.now.shape == last.now.shape]
    chosen = s.rng.sample(alike, min(len(alike), s.rng.choice((0, 0, 1, 2))))
    return (last, *sorted(chosen, key=made.index))  # no description says an order: it is the same everywhere


FAMILIES: dict[str, Callable[[Sketch, int], Drawn]] = {
    "pointwise": pointwise, "broadcast": broadcast, "reduction": reduction, "normalisation": normalisation,
    "loss": loss, "optimizer": optimizer, "fused": fused, "product": product, "scan": scan,
    "mask": mask, "cast": cast, "quantisation": quantisation, "gradient": gradient, "axes": axes, "single": single,
    "varied": varied,
}  # fmt: skip


def _length(s: Sketch, difficulty: int) -> int:
    return s.rng.randint(*((1, 1), (2, 3), (4, 6))[difficulty - 1])


def _chain(s: Sketch, values: Sequence[Variable], steps: int) -> Variable:
    """Add so many steps, each of which goes on from the last; every value is used, in more steps if need be."""
    last, waiting = values[0], list(values[1:])
    done = 0
    while done < steps or waiting:
        if waiting:
            last = _binary(s, last, waiting.pop(0))
        elif s.rng.random() < 0.25 and (
            earlier := [v for v in (*s.inputs, *s.steps) if v is not last and v.now.shape == last.now.shape]
        ):
            last = _binary(s, last, s.rng.choice(earlier))
        else:
            last = _unary(s, last)
        done += 1
    return last


def _unary(s: Sketch, value: Variable, names: Sequence[str] = ()) -> Variable:
    return _step(s, "unary", names, a=value)


def _binary(s: Sketch, a: Variable, b: Variable, names: Sequence[str] = ()) -> Variable:
    return _step(s, "binary", names, a=a, b=b)


def _reduce(s: Sketch, value: Variable, *, keep: bool) -> Variable:
    flat = value.now.ndim < 2
    dims, over = _ALL if not keep and s.rng.random() < 0.2 else _AXES[s.rng.choice((-1, -1, 0))][:2]
    if flat:
        raise GivenUp
    return _step(s, "reduction", a=value, dims=dims + (", keepdim=True" if keep else ""), over=over)


def _normalise(s: Sketch, value: Variable) -> Variable:
    axis = s.rng.choice((-1, -1, -1, 0))
    return _step(s, "normalisation", a=value, d=str(axis), line=_AXES[axis][2])


def _step(
    s: Sketch, kind: Kind, names: Sequence[str] = (), **given: Variable | str | dict[str, str]
) -> Variable:
    """Add a step of this kind, of these operations if any are named. Raises GivenUp if none fits."""
    fitting: list[Operation] = [o for o in operations(kind) if not names or o.name in names]
    for _ in range(_TRIES):
        value = s.apply(s.rng.choice(fitting), **given)
        if value is not None:
            return value
    raise GivenUp


def rng_of(seed: int, family: str, number: int) -> random.Random:
    """Return the generator that decides everything about one operator."""
    return random.Random(f"{seed}/{family}/{number}")
