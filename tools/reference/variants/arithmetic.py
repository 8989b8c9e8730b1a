"""What an author gets wrong in arithmetic on elements: terms, factors, signs, branches, places of operands."""

from collections.abc import Callable
from typing import Any

import torch

from akgen.tools.reference.variants.alteration import Alteration, Alterations, is_number, maker
from akgen.tools.reference.variants.recording import Recorded, Recording

SMALL = 0.02  # a constant up to this is there against division by zero
_FLIPPED = {"gt": "ge", "ge": "gt", "lt": "le", "le": "lt"}
TURNED = {"gt": "lt", "ge": "le", "lt": "gt", "le": "ge", "eq": "ne", "ne": "eq"}


def added(recording: Recording, call: Recorded, args: list[Any], kwargs: dict[str, Any]) -> Alterations:
    sign = -1 if call.name in ("sub", "rsub") else 1
    a, b = args[:2]
    factor = kwargs.get("alpha", 1)
    if is_number(b):
        if 0 < abs(b) <= SMALL:
            made = maker(recording, call.args[0])
            if made is not None and made.name == "sqrt":
                inside = recording.operand(made.args[0])
                yield Alteration(
                    "eps_place",
                    f"{b:g} is added inside the root and not after it",
                    lambda: torch.sqrt(inside + b),
                )
            yield Alteration("missing_eps", f"{b:g} is not added", lambda: a)
        else:
            yield Alteration(
                "missing_term", f"{b:g} is not {'subtracted' if sign < 0 else 'added'}", lambda: a
            )
            yield Alteration("sign", f"{b:g} has the other sign", lambda: a - sign * factor * b)
        return
    if not isinstance(a, torch.Tensor):
        return
    word = "subtracted" if sign < 0 else "added"
    scaling = maker(recording, call.args[0])
    if scaling is not None and scaling.name in ("mul", "div"):
        inner, factor_of = (recording.operand(part) for part in scaling.args[:2])
        combine = torch.mul if scaling.name == "mul" else torch.div
        what = f"it is {word} before the {'multiplication' if scaling.name == 'mul' else 'division'} and not behind it"
        yield Alteration("order", what, lambda: combine(inner + sign * factor * b, factor_of))
    if a.shape == call.value.shape:
        made = maker(recording, call.args[1])
        if made is not None and made.name == "mean" and sign < 0:
            yield Alteration("uncentred", "the mean is not subtracted", lambda: a)
        yield Alteration("missing_term", f"the second operand is not {word}", lambda: a)
    if b.shape == call.value.shape:
        yield Alteration(
            "missing_term",
            f"the first operand is not {word}" if sign > 0 else "nothing is subtracted from",
            lambda: sign * factor * b,
        )
    yield Alteration(
        "sign",
        "the operands are exchanged" if sign < 0 else "it is subtracted",
        lambda: sign * (b * factor - a) if sign > 0 else b - a,
    )
    yield from _broadcast(call, [a, b], lambda x, y: x + sign * factor * y)


def scaled(recording: Recording, call: Recorded, args: list[Any], kwargs: dict[str, Any]) -> Alterations:
    del recording, kwargs
    a, b = args[:2]
    division = call.name == "div"
    if isinstance(a, torch.Tensor) and a.shape == call.value.shape:
        by = f"{b:g}" if is_number(b) else "the second operand"
        yield Alteration(
            "missing_factor", f"it is not {'divided' if division else 'multiplied'} by {by}", lambda: a
        )
    if division:
        yield Alteration("reciprocal", "the operands of the division are exchanged", lambda: b / a)
        if isinstance(b, torch.Tensor) and isinstance(a, torch.Tensor):
            yield Alteration("reciprocal", "it is multiplied instead of divided", lambda: a * b)
    elif isinstance(b, torch.Tensor) and isinstance(a, torch.Tensor):
        if b.shape == call.value.shape:
            yield Alteration("missing_factor", "it is not multiplied by the first operand", lambda: b)
        yield Alteration("reciprocal", "it is divided instead of multiplied", lambda: a / b)
        yield Alteration("operation", "the operands are added instead of multiplied", lambda: a + b)
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        yield from _broadcast(call, [a, b], torch.div if division else torch.mul)


def _broadcast(
    call: Recorded, pair: list[torch.Tensor], combine: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
) -> Alterations:
    """An operand that has one value per row or column is taken at the wrong place."""
    shape = call.value.shape
    for k, operand in enumerate(pair):
        other = pair[1 - k]
        if operand.dim() == 0 or operand.numel() < 2 or operand.shape == shape:
            continue
        which = "first" if k == 0 else "second"

        def with_(value: torch.Tensor, k: int = k, other: torch.Tensor = other) -> torch.Tensor:
            return combine(value, other) if k == 0 else combine(other, value)

        for axis, length in enumerate(operand.shape):
            if length < 2:
                continue
            one = operand.narrow(axis, 0, 1).expand(operand.shape)
            yield Alteration(
                "repeated",
                f"of the {which} operand, index 0 along its axis {axis} is taken for all {length}",
                lambda one=one, with_=with_: with_(one),
            )
            for step in (1, -1):
                yield Alteration(
                    "shifted",
                    f"the {which} operand is taken one place {'before' if step > 0 else 'after'} its own, axis {axis}",
                    lambda operand=operand, axis=axis, step=step, with_=with_: with_(
                        operand.roll(step, axis)
                    ),
                )
        along = [n for n, length in enumerate(shape) if length > 1]
        vector = operand.reshape(-1)
        for axis in along:
            if shape[axis] <= vector.numel() and operand.numel() == max(operand.shape):
                view = [1] * len(shape)
                view[axis] = shape[axis]
                moved = vector[: shape[axis]].reshape(view)
                if torch.broadcast_shapes(moved.shape, other.shape) == shape:
                    yield Alteration(
                        "axis",
                        f"the {which} operand is taken along axis {axis}",
                        lambda moved=moved, with_=with_: with_(moved),
                    )


def rooted(recording: Recording, call: Recorded, args: list[Any], kwargs: dict[str, Any]) -> Alterations:
    del kwargs
    made = maker(recording, call.args[0])
    if made is not None and made.name == "add" and is_number(recording.operand(made.args[1])):
        inside, c = recording.operand(made.args[0]), recording.operand(made.args[1])
        if call.name == "sqrt":
            yield Alteration(
                "eps_place",
                f"{c:g} is added after the root and not inside the root",
                lambda: torch.sqrt(inside) + c,
            )
        else:
            yield Alteration(
                "eps_place",
                f"{c:g} is added after the root and not inside the root",
                lambda: 1 / (torch.sqrt(inside) + c),
            )
    yield from left_out(recording, call, args, {})


def left_out(recording: Recording, call: Recorded, args: list[Any], kwargs: dict[str, Any]) -> Alterations:
    del recording, kwargs
    x = args[0]
    if isinstance(x, torch.Tensor) and x.shape == call.value.shape and x.dtype == call.value.dtype:
        yield Alteration("function", f"{call.name} is left out", lambda: x)


def chosen(recording: Recording, call: Recorded, args: list[Any], kwargs: dict[str, Any]) -> Alterations:
    del recording, kwargs
    mask, a, b = args[:3]
    yield Alteration(
        "branch",
        "the two branches are exchanged: the mask is the wrong way round",
        lambda: torch.where(mask, b, a),
    )
    for k, words in ((1, "where it is true"), (2, "where it is false")):
        value = args[k]
        if isinstance(value, torch.Tensor) and value.shape == call.value.shape:
            yield Alteration("branch", f"the value {words} is taken everywhere", lambda value=value: value)


def compared(recording: Recording, call: Recorded, args: list[Any], kwargs: dict[str, Any]) -> Alterations:
    del recording, kwargs
    for table, words in (
        (_FLIPPED, "equal values fall on the other side"),
        (TURNED, "the comparison is the wrong way round"),
    ):
        if call.name in table:
            yield Alteration(
                "branch",
                f"{words}: {table[call.name]} and not {call.name}",
                lambda table=table: getattr(torch, table[call.name])(*args),
            )


def extreme(recording: Recording, call: Recorded, args: list[Any], kwargs: dict[str, Any]) -> Alterations:
    del recording, kwargs
    a, b = args[:2]
    other = torch.minimum if call.name == "maximum" else torch.maximum
    yield Alteration("operation", f"{other.__name__} is taken for {call.name}", lambda: other(a, b))
    for value in (a, b):
        if value.shape == call.value.shape:
            yield Alteration("clipped", f"{call.name} is left out", lambda value=value: value)
