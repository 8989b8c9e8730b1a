"""What a reference expects of a candidate that chose other places than it, among those that are as good."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from akgen.tools.reference.choices.places import FollowedPlaces, TakenPlaces
from akgen.tools.reference.golden import Outputs, call, clone, golden


@dataclass(frozen=True)
class Chosen:
    """What is expected then; see `Sample`."""

    expected: Outputs
    returned: Outputs
    bounds: Outputs | None


def without_places(bound: Any, places: torch.Tensor | None) -> Any:
    """Return an output's bound without what its places may be off: of these, `chosen` says which are good."""
    if places is None or bound is None:
        return bound
    bound = torch.where(places >= 0, 0.0, bound)
    return bound if bool(bound.any()) else None


def chosen(
    model: Any, args: Sequence[Any], got: Sequence[Any], precision: torch.dtype | None
) -> Chosen | None:
    """Run the reference with the places that stand in the outputs `got`; None if they cannot be told.

    Where a choice is not as good as the reference's (an element that is smaller, or one chosen twice), its own stays.
    What the reference makes of its places is made of the candidate's.
    """
    places = FollowedPlaces()
    outputs, _ = golden(model, args, orders=places)
    wide = outputs is not None
    if outputs is None:
        outputs = call(model, clone(list(args)), places)
    given = places.given(outputs, got)
    if not given:
        return None
    marks = [places.of(o) for o in outputs]
    taken = TakenPlaces(given)
    expected, bounds = golden(model, args, precision, orders=taken) if wide else (None, None)
    if expected is None:
        expected = call(model, clone(list(args)), taken)
        return Chosen(expected, expected, None)
    returned = call(model, clone(list(args)), taken.again())
    if [e.shape for e in expected] != [r.shape for r in returned]:
        return None
    left = bounds and [without_places(b, m) for b, m in zip(bounds, marks, strict=True)]
    return Chosen(expected, returned, left)
