"""What is held out of training: some families whole, and of the others the compositions that a hash chooses."""

import hashlib
from typing import Literal

from akgen.bench.builtin import HELD_OUT_FAMILIES

Split = Literal["train", "compositions", "families"]
SPLITS: tuple[Split, ...] = ("train", "compositions", "families")
HELD_OUT_PERCENT = 4  # of compositions


def split_of(family: str, composition: str) -> Split:
    """Return where an operator belongs; `composition` names its operations in order, with ";" between them.

    Operators of one operation are never held out, so that each operation is seen in training.
    """
    if family in HELD_OUT_FAMILIES:
        return "families"
    chance = int(hashlib.sha256(composition.encode()).hexdigest(), 16) % 100
    return "compositions" if ";" in composition and chance < HELD_OUT_PERCENT else "train"
