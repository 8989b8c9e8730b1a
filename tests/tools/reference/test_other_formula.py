"""An output inside its tolerance that has the numbers of another formula is told from one that is rounded otherwise."""

from collections.abc import Callable

import pytest
import torch

from akgen.tools.core.task import Case, Reference
from akgen.tools.reference.module_loader import ModuleCase, load
from akgen.tools.reference.variants.other_formula import other_formula

TEXT = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return {}


def get_inputs():
    return [torch.randn(12, 40).to(torch.{})]
"""
Formula = Callable[[torch.Tensor], torch.Tensor]
SMALL_TERM = "x + 1e-4 * torch.tanh(x)"
NORM = "(x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + 1e-5).sqrt()"


def normed(x: torch.Tensor, correction: int) -> torch.Tensor:
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, correction=correction) + 1e-5).sqrt()


LEFT_OUT: dict[str, tuple[str, str, Formula]] = {
    "a small term": (SMALL_TERM, "float32", lambda x: x),
    "a small term of halves": ("x + 1e-3 * torch.tanh(x)", "float16", lambda x: x),
    "a factor near one": ("x.sin() * 1.00005", "float32", torch.sin),
    "a divisor": (NORM, "float16", lambda x: normed(x.float(), 0)),
}
ROUNDED: dict[str, tuple[str, str, Formula]] = {
    "the formula": (SMALL_TERM, "float32", lambda x: x + 1e-4 * torch.tanh(x)),
    "a rough function": (
        SMALL_TERM,
        "float32",
        lambda x: x + 1e-4 * (x - x**3 / 3 + x**5 * 0.1).clamp(-1, 1),
    ),
    "steps in half precision": (NORM, "float16", lambda x: normed(x, 1)),
    "noise": (SMALL_TERM, "float32", lambda x: x * (1 + 5e-5 * torch.randn(x.shape))),
    "a term below the rounding": ("x + 1e-9", "float32", lambda x: x),
}


def found(text: str, dtype: str, formula: Formula, tmp_path: object) -> dict[str, str] | None:
    path = tmp_path / "reference.py"  # type: ignore[operator]
    path.write_text(TEXT.format(text, dtype))
    case = load(Reference(loader="akgen.tools.reference.module_loader", path=path), Case(id="0"))
    assert isinstance(case, ModuleCase)
    sample = case.sample(5, "task")
    torch.manual_seed(1)
    got = formula(sample.inputs[0]).to(getattr(torch, dtype))  # type: ignore[arg-type]
    return other_formula(case.model, sample, case.binding, str(path), 0, got)


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_is_left_out_is_found(name: str, tmp_path: object) -> None:
    said = found(*LEFT_OUT[name], tmp_path)
    assert said is not None and said["line"] == f"return {LEFT_OUT[name][0]}"


@pytest.mark.parametrize("name", ROUNDED)
def test_rounding_is_no_other_formula(name: str, tmp_path: object) -> None:
    assert found(*ROUNDED[name], tmp_path) is None
