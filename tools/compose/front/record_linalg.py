"""Systems of equations, inverses, determinants and Cholesky factors of small matrices, as steps on whole axes.

Elimination picks the largest pivot of a column, as LAPACK does. What a call returns besides its result (factors,
pivots) is memory that nothing was written to: a reference that takes it is refused.
"""

from collections.abc import Callable
from typing import Any

import torch

aten = torch.ops.aten
_LARGEST = 64  # rows; the steps of one come after one another


def _fits(a: torch.Tensor) -> bool:
    return bool(a.is_floating_point() and a.dim() >= 2 and 0 < a.shape[-1] == a.shape[-2] <= _LARGEST)


def _places(n: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the places of rows, as a column, and of columns, as a row."""
    return torch.arange(n).unsqueeze(-1), torch.arange(n)


def _eliminated(a: torch.Tensor, b: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the solution of a x = b for matrices (…, n, n) and (…, n, m), and the determinants (…)."""
    n, batch, w = a.shape[-1], a.shape[:-2], a
    if b is not None:
        batch = torch.broadcast_shapes(batch, b.shape[:-2])
        w = torch.cat([a.expand(*batch, n, n), b.expand(*batch, n, b.shape[-1])], -1)
    down, _ = _places(n)
    determinant = torch.ones(batch, dtype=a.dtype)
    for k in range(n):
        sizes = torch.where(down >= k, w[..., k : k + 1].abs(), -1.0)
        pivot = down == sizes.argmax(-2, keepdim=True)
        top = torch.where(pivot, w, 0.0).sum(-2, keepdim=True)
        w = torch.where(pivot, w[..., k : k + 1, :], w)  # the row that stood there changes places with it
        stays = torch.where(down == k, pivot, False).any(-2).squeeze(-1)
        determinant = determinant * torch.where(stays, 1.0, -1.0) * top[..., 0, k]
        top = top / top[..., k : k + 1]
        w = torch.where(down == k, top, w - w[..., k : k + 1] * top)
    return w[..., n:], determinant


def _solve(a: torch.Tensor, b: torch.Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    del check_errors
    if not _fits(a):
        return NotImplemented
    vector = b.dim() == 1 or (b.dim() == a.dim() - 1 and b.shape == a.shape[:-1])
    given = b.unsqueeze(-1) if vector else b
    if left:
        x, _ = _eliminated(a, given)
    else:
        x = _eliminated(a.mT, given.mT)[0].mT
    return x.squeeze(-1) if vector else x, _nothing(a), _pivots(a), _no_error(a)


def _inverse(a: torch.Tensor, *, check_errors: bool = False) -> Any:
    del check_errors
    if not _fits(a):
        return NotImplemented
    return _eliminated(a, torch.eye(a.shape[-1], dtype=a.dtype))[0], _no_error(a)


def _determinant(a: torch.Tensor) -> Any:
    if not _fits(a):
        return NotImplemented
    return _eliminated(a)[1], _nothing(a), _pivots(a)


def _log_determinant(a: torch.Tensor) -> Any:
    if not _fits(a):
        return NotImplemented
    _, found = _eliminated(a)
    return found.sign(), found.abs().log(), _nothing(a), _pivots(a)


def logdet(a: torch.Tensor) -> torch.Tensor:
    """Return the logarithm of a determinant, NaN of a negative one: PyTorch writes that NaN as a number."""
    sign, size = torch.linalg.slogdet(a)
    return torch.log(sign) + size


def _cholesky(a: torch.Tensor, upper: bool = False) -> Any:
    """Return the factor column by column: what is left of each once the columns before it are taken off."""
    if not _fits(a):
        return NotImplemented
    n = a.shape[-1]
    down, across = _places(n)
    factor = torch.zeros_like(a)
    for j in range(n):
        row = factor[..., j : j + 1, :]
        column = (a.mT if upper else a)[..., j : j + 1] - (factor * row).sum(-1, keepdim=True)
        column = torch.where(down >= j, column / column[..., j : j + 1, :].sqrt(), 0.0)
        factor = torch.where(across == j, column, factor)
    return factor.mT if upper else factor


def _cholesky_checked(a: torch.Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    del check_errors
    factor = _cholesky(a, upper)
    return factor if factor is NotImplemented else (factor, _no_error(a))


def _triangular(
    a: torch.Tensor, b: torch.Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Any:
    """Return x of a x = b (x a = b without `left`), row after row."""
    if not _fits(a):
        return NotImplemented
    if not left:
        return _triangular(a.mT, b.mT, upper=not upper, unitriangular=unitriangular).mT
    n = a.shape[-1]
    down, across = _places(n)
    x = torch.zeros((*torch.broadcast_shapes(a.shape[:-2], b.shape[:-2]), n, b.shape[-1]), dtype=b.dtype)
    for i in reversed(range(n)) if upper else range(n):
        known = across > i if upper else across < i
        factors = torch.where(known, a[..., i : i + 1, :], 0.0).mT
        row = b[..., i : i + 1, :] - (factors * x).sum(-2, keepdim=True)
        x = torch.where(down == i, row if unitriangular else row / a[..., i : i + 1, i : i + 1], x)
    return x


def _cholesky_solve(b: torch.Tensor, factor: torch.Tensor, upper: bool = False) -> Any:
    if not _fits(factor):
        return NotImplemented
    low = factor.mT if upper else factor
    return _triangular(low.mT, _triangular(low, b, upper=False), upper=True)


def _nothing(a: torch.Tensor) -> torch.Tensor:
    return torch.empty(a.shape, dtype=a.dtype)


def _pivots(a: torch.Tensor) -> torch.Tensor:
    return torch.empty(a.shape[:-1], dtype=torch.int32)


def _no_error(a: torch.Tensor) -> torch.Tensor:
    return torch.zeros(a.shape[:-2], dtype=torch.int32)


def linalg_formulas() -> dict[Any, Callable[..., Any]]:
    """Return the formulas, by the operator in whose place they are called."""
    return {
        aten._linalg_solve_ex.default: _solve,
        aten.linalg_inv_ex.default: _inverse,
        aten._linalg_det.default: _determinant,
        aten._linalg_slogdet.default: _log_determinant,
        aten.linalg_cholesky_ex.default: _cholesky_checked,
        aten.cholesky.default: _cholesky,
        aten.cholesky_solve.default: _cholesky_solve,
        aten.cholesky_inverse.default: lambda f, upper=False: _cholesky_solve(
            torch.eye(f.shape[-1], dtype=f.dtype), f, upper
        ),
        aten.linalg_solve_triangular.default: _triangular,
        aten._linalg_check_errors.default: lambda *_, **__: None,
    }
