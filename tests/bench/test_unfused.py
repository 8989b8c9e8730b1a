"""A reference's operators, each as a graph of its own."""

import torch

from akgen.bench.unfused import operators
from akgen.tools.compose.front.trace import trace
from akgen.tools.compose.program import compose
from tests.tools.compose.composing import Function, Loaded, normal


def test_each_operator_is_composed_alone_with_the_views_before_it() -> None:
    def mixed(x: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        return (h.unsqueeze(-1) * x.unsqueeze(-3)).sum(dim=-2) + 1.0

    graph = trace(Loaded(Function(mixed), (normal(3, 4, 5), normal(3, 4, 4))))
    alone = list(operators(graph))
    assert [name for name, _ in alone] == ["mul", "sum", "add"]
    assert [tuple(m.shape for m in one.inputs if m is not None) for _, one in alone] == [
        ((3, 4, 4), (3, 4, 5)), ((3, 4, 4, 5),), ((3, 4, 5),)
    ]  # fmt: skip
    assert all(len(compose("Op", "op", [one]).kernels) > 0 for _, one in alone)
