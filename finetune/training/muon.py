"""Muon: matrices take steps whose singular values are all near one; embeddings and vectors stay with AdamW.

After https://kellerjordan.github.io/posts/muon/ and, for the length of a step, https://arxiv.org/abs/2502.16982. What
torch has (`torch.optim.Muon`) computes in bfloat16: several times slower on a processor without such products.
"""

from collections.abc import Callable
from typing import Any

import torch

_COEFFICIENTS = (3.4445, -4.775, 2.0315)  # of the Newton-Schulz iteration, steepest at zero
_ITERATIONS = 5
_RMS_OF_ADAMW = 0.2  # of a step's elements, so that AdamW's learning rates fit
_BETAS = (0.9, 0.95)


class Muon(torch.optim.AdamW):  # type: ignore[misc, unused-ignore]
    """Train a model's hidden matrices by Muon, what is left by AdamW, at one learning rate."""

    def __init__(
        self, model: torch.nn.Module, *, lr: float, weight_decay: float, momentum: float = 0.95
    ) -> None:
        self.momentum = momentum
        trained = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
        vectors = [p for _, p in trained if p.ndim < 2]
        tables = [p for n, p in trained if p.ndim >= 2 and _is_table(n, p)]
        matrices = [p for n, p in trained if p.ndim >= 2 and not _is_table(n, p)]
        groups = [
            {"params": matrices, "matrices": True},
            {"params": tables, "matrices": False},
            {"params": vectors, "matrices": False, "weight_decay": 0.0},
        ]
        super().__init__(
            [g for g in groups if g["params"]], lr=lr, weight_decay=weight_decay, betas=_BETAS, fused=True
        )

    @torch.no_grad()  # type: ignore[untyped-decorator, unused-ignore]
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Take one step of both kinds."""
        groups: list[dict[str, Any]] = self.param_groups  # type: ignore[has-type, unused-ignore]
        for group in (g for g in groups if g["matrices"]):
            for matrix in (p for p in group["params"] if p.grad is not None):
                self._step(matrix, group["lr"], group["weight_decay"])
        self.param_groups = [g for g in groups if not g["matrices"]]
        try:
            return super().step(closure)
        finally:
            self.param_groups = groups

    def _step(self, matrix: torch.Tensor, lr: float, weight_decay: float) -> None:
        state = self.state[matrix]
        if "momentum" not in state:
            state["momentum"], state["step"] = torch.zeros_like(matrix), torch.zeros(())
        state["step"] += 1  # as AdamW's states have it when they are read again
        gradient = matrix.grad
        assert gradient is not None
        state["momentum"].lerp_(gradient, 1 - self.momentum)
        towards = gradient.lerp(state["momentum"], self.momentum)  # Nesterov's
        scale = _RMS_OF_ADAMW * max(matrix.shape) ** 0.5
        matrix.mul_(1 - lr * weight_decay)
        matrix.add_(orthogonal(towards), alpha=-lr * scale)


def orthogonal(matrix: torch.Tensor) -> torch.Tensor:
    """Return U V^T of a matrix (rows x columns) = U S V^T, with singular values of about one (0.3 to 1.3)."""
    a, b, c = _COEFFICIENTS
    wide = matrix.float() if matrix.shape[0] <= matrix.shape[1] else matrix.float().T
    wide = wide / wide.norm().clamp(min=1e-7)
    for _ in range(_ITERATIONS):
        gram = wide @ wide.T
        wide = torch.addmm(wide, torch.addmm(gram, gram, gram, beta=b, alpha=c), wide, beta=a)
    return (wide if matrix.shape[0] <= matrix.shape[1] else wide.T).to(matrix.dtype)


def _is_table(name: str, parameter: torch.Tensor) -> bool:
    """Say whether a matrix is an embedding, or the head that gives the words' scores."""
    return parameter.ndim > len((0, 0)) or "embed" in name or "lm_head" in name
