"""What a tracer captured: a graph of ATen calls, with what each placeholder stands for."""

from dataclasses import dataclass
from typing import Literal

import torch

SMALL_CONSTANT = 64  # elements; larger constants would have to be operator inputs


@dataclass(frozen=True)
class Leaf:
    """A placeholder: argument number `key` (flattened), the model's parameter or buffer `key`, or a constant."""

    name: str
    kind: Literal["arg", "state", "constant"]
    key: int | str | None
    value: torch.Tensor


@dataclass(frozen=True)
class Capture:
    """A graph whose nodes are functional ATen calls with a shape and a dtype in `meta["val"]`.

    `returned` names the nodes of the tensors that the model returns, flattened; `returns_list` says that it returns a
    list or tuple.
    """

    graph: torch.fx.Graph
    leaves: tuple[Leaf, ...]
    returned: tuple[str, ...]
    returns_list: bool
