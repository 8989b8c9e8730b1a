"""Say which attributes and axes of a text a step takes, and as what."""

import re
from typing import Any

from akgen.agents.requests.attributes import parameters_of
from akgen.agents.requests.formula_axes import kept, open_reductions
from akgen.agents.requests.marks import Mark
from akgen.agents.requests.needs import entry_of
from akgen.agents.requests.request import ChainStep


def accepted(step: ChainStep, mark: Mark) -> dict[str, Any] | None:
    """Return the attributes of the step that the mark sets; None if it has none of them."""
    if step.formula is not None:
        return _of_formula(step.formula, mark)
    entry = entry_of(step)
    known = parameters_of(entry)
    if mark.kind == "attribute":
        said = mark.value.values
        pairs = entry.source is not None and "return (" in entry.source
        if all(v in entry.already.get(n, ()) or (n == "with_index" and pairs) for n, v in said.items()):
            return {}  # as it is
        if step.operator.startswith("topk") and said == {"descending": step.attributes.get("largest", True)}:
            return {}  # the largest come from the largest on, the smallest from the smallest
        return {n: v for n, v in said.items() if n in entry.variants or n in known} or None
    axis = mark.value
    if entry.category == "pooling" and "kernel_size" not in known and axis in ((2, 3), "last 2"):
        return {}
    if entry.category == "loss" and axis in (1, -1) and "dim" not in known:
        return {}  # along the classes, as it is
    several = axis if isinstance(axis, tuple) else None
    if isinstance(axis, str) and axis.startswith("last "):
        count = int(axis.split()[1])
        if "normalized_shape" in known:
            return {"normalized_axes": count}
        axis = several = tuple(range(-count, 0))
    if entry.category == "normalization" and entry.own is None and axis == -1 and "dim" not in known:
        return {}
    if "dim" in entry.variants and not step.operands:
        return {"dim": axis if axis != "all" else None}
    if axis == "all":
        if "dim" in known and entry.category == "reduction":
            return {"dim": None}
        return {} if "dim" not in known else None
    if "normalized_shape" in known and axis in (-1, (-1,)):
        return {}
    if "dim0" in known and several is not None and len(several) == 2:
        return {"dim0": several[0], "dim1": several[1]}
    if "dims" in known and known["dims"].kind == "ints":
        return {"dims": axis if several is not None or entry.name == "roll" else (axis,)}
    if "dim" in known:
        return {"dim": axis}
    if "start_dim" in known and several is None:
        return {"start_dim": axis}
    if step.operator == "pad" and axis == -1 and len(step.attributes.get("pad") or ()) in (0, len((0, 0))):  # type: ignore[arg-type]
        return {}  # as it is, where only two sides are told
    if axis in (-1, -2) and re.search(r"_(?:rows?|per_row)\Z|\Adynamic_quantize", step.operator):
        return {}  # "per row" of what goes row by row
    return None


def is_loss(step: ChainStep) -> bool:
    return step.formula is None and entry_of(step).category == "loss"


def denies_what_is_not(mark: Mark) -> bool:
    """Say whether an attribute says that there is none of what none of the operators has: "no bias", "不补零"."""
    return mark.kind == "attribute" and all(
        (name in ("bias", "elementwise_affine", "affine", "padding", "keepdim") and value in (False, 0))
        or (name == "values_only" and value is True)
        for name, value in mark.value.values.items()
    )


def _of_formula(formula: str, mark: Mark) -> dict[str, Any] | None:
    """Return what a mark says of the reductions in a formula."""
    if mark.kind == "attribute" and "num_parameters" in mark.value.values:
        return {}  # "gamma per channel"
    if not open_reductions(formula):
        keeps = mark.kind == "attribute" and mark.value.values.get("keepdim")
        return {"keepdim": True} if keeps and kept(formula) is not None else None
    if mark.kind == "attribute":
        return {n: v for n, v in mark.value.values.items() if n in ("correction", "keepdim")} or None
    several = re.fullmatch(r"last (\d)", str(mark.value))
    axis = tuple(range(-int(several[1]), 0)) if several else mark.value
    return {"dim": None if axis == "all" else axis}
