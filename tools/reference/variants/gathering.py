"""What an author gets wrong in where values come from: products of matrices, indices, windows, widths of inputs."""

import math
from typing import Any

import torch

from akgen.tools.reference.variants.alteration import UNITS, Alteration, Alterations, maker
from akgen.tools.reference.variants.recording import Recorded, Recording


def given(value: Any) -> Alterations:
    """An input that is read in another width."""
    if isinstance(value, torch.Tensor) and value.dtype == torch.int64 and value.numel() > 1:
        narrow = value.contiguous().view(torch.int32).reshape(-1)[: value.numel()].to(torch.int64)
        yield Alteration(
            "reinterpreted", "its int64 values are read as int32", lambda: narrow.reshape(value.shape)
        )


def multiplied_matrices(
    recording: Recording, call: Recorded, args: list[Any], kwargs: dict[str, Any]
) -> Alterations:
    del kwargs
    left, right = args[:2]
    names = ("left", "right")
    for k, operand in enumerate((left, right)):
        stored = _as_stored(recording, call.args[k], operand)
        turned = stored.contiguous().reshape(*stored.shape[:-2], -1)
        shape = operand.shape

        def read(
            turned: torch.Tensor = turned, k: int = k, shape: Any = shape, plain: bool = stored is operand
        ) -> torch.Tensor:
            rows, columns = shape[-2:]
            if plain:  # the memory taken for that of the transposed matrix
                value = turned.reshape(*shape[:-2], columns, rows).transpose(-1, -2)
            else:  # the memory of the transposed matrix taken as it lies
                value = turned.reshape(*shape[:-2], rows, columns)
            return call.function(value, right) if k == 0 else call.function(left, value)  # type: ignore[misc]

        taken = "for transposed" if stored is operand else "as it lies, and not transposed"
        yield Alteration("transposed", f"the {names[k]} matrix is taken {taken}", read)
    depth = left.shape[-1]
    lengths = {
        depth - 1: "the last",
        **{depth // unit * unit: "what is behind whole blocks" for unit in UNITS},
    }
    for length, words in lengths.items():
        if 0 < length < depth:
            yield Alteration(
                "partial_sum",
                f"{words} of the {depth} products of each sum is left out: {length} are added",
                lambda length=length: call.function(left[..., :length], right[..., :length, :]),  # type: ignore[misc]
            )
    if left.dim() == 3:
        for k, operand in enumerate((left, right)):
            if operand.shape[0] > 1:
                one = operand[:1].expand(operand.shape)
                yield Alteration(
                    "repeated",
                    f"of the {names[k]} matrices, the first batch's is taken for all",
                    lambda one=one, k=k: call.function(one, right) if k == 0 else call.function(left, one),  # type: ignore[misc]
                )


def _as_stored(recording: Recording, part: Any, operand: torch.Tensor) -> torch.Tensor:
    """Return the matrix that a transposed operand is a view of, else the operand."""
    made = maker(recording, part)
    while made is not None and made.name in ("expand", "view", "_unsafe_view", "_to_copy", "clone"):
        part = made.args[0]
        made = maker(recording, part)
    if made is not None and made.name in ("t", "transpose"):
        found: torch.Tensor = recording.operand(made.args[0])
        return found if found.numel() == operand.numel() else operand
    return operand


def taken(recording: Recording, call: Recorded, args: list[Any], kwargs: dict[str, Any]) -> Alterations:
    """Elements that are chosen by index: the one beside it."""
    del recording
    for k, operand in enumerate(args):
        several = operand if isinstance(operand, list | tuple) else [operand]
        if not any(isinstance(i, torch.Tensor) and i.dtype in (torch.int64, torch.int32) for i in several):
            continue
        for step in (-1, 1):

            def beside(k: int = k, step: int = step, several: Any = several, operand: Any = operand) -> Any:
                moved = [
                    (i + step).clamp(min=0, max=int(i.max())) if isinstance(i, torch.Tensor) else i
                    for i in several
                ]
                changed = list(args)
                changed[k] = moved if isinstance(operand, list | tuple) else moved[0]
                return call.function(*changed, **kwargs)  # type: ignore[misc]

            yield Alteration(
                "neighbour",
                f"the element {'before' if step < 0 else 'behind'} the one that the index names is taken",
                beside,
            )


def pooled(recording: Recording, call: Recorded, args: list[Any], kwargs: dict[str, Any]) -> Alterations:
    """Windows: an element is left out, the border counts, the window lies beside its place."""
    del recording, kwargs
    largest = call.name == "max_pool2d_with_indices"
    x, kernel = args[0], list(args[1])
    stride = list(args[2]) if len(args) > 2 and args[2] else kernel
    padding = list(args[3]) if len(args) > 3 else [0, 0]
    if len(args) > (5 if largest else 4) and any(
        v not in (False, True, None, 1) and v != [1, 1] for v in args[4:6]
    ):
        return
    value = call.value[0] if largest else call.value

    def pooled(offset: list[int], size: list[int], fill: float, count: int) -> Any:
        pad = [padding[1] - offset[1], padding[1] + kernel[1], padding[0] - offset[0], padding[0] + kernel[0]]
        padded = torch.nn.functional.pad(x, pad, value=fill)
        windows = padded.unfold(-2, size[0], stride[0]).unfold(-2, size[1], stride[1])
        windows = windows[..., : value.shape[-2], : value.shape[-1], :, :]
        found = windows.amax((-1, -2)) if largest else windows.sum((-1, -2)) / count
        return (found, call.value[1]) if largest else found

    lowest = -math.inf if largest else 0.0
    area = kernel[0] * kernel[1]
    if largest and any(padding):
        yield Alteration("fill", "the border's 0 takes part", lambda: pooled([0, 0], kernel, 0.0, area))
    if not largest and any(padding):
        inside = torch.nn.functional.avg_pool2d(x, kernel, stride, padding, False, False)
        whole = torch.nn.functional.avg_pool2d(x, kernel, stride, padding, False, True)
        yield Alteration(
            "divisor",
            "the border counts among the elements of a window, or does not, the wrong way round",
            lambda: inside if torch.allclose(whole, value) else whole,
        )
    for axis in (0, 1):
        if kernel[axis] < 2:
            continue
        size = [k - (a == axis) for a, k in enumerate(kernel)]
        first = [int(a == axis) for a in (0, 1)]
        yield Alteration(
            "window",
            f"the last of the window's {kernel[axis]} elements is left out",
            lambda size=size: pooled([0, 0], size, lowest, area),
        )
        yield Alteration(
            "window",
            f"the first of the window's {kernel[axis]} elements is left out",
            lambda size=size, first=first: pooled(first, size, lowest, area),
        )
        yield Alteration(
            "shifted",
            "the window begins one element behind its place",
            lambda first=first: pooled(first, kernel, lowest, area),
        )
        before = [-f for f in first]
        yield Alteration(
            "shifted",
            "the window begins one element before its place",
            lambda before=before: pooled(before, kernel, lowest, area),
        )
