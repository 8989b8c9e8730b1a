"""The direct form's examples, which prompts show, are correct on cases of every size and type; the cube's, too."""

from pathlib import Path
from typing import Any

import pytest

from akgen.bench.resolve import resolve_task
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import read_project
from akgen.tools.core.task import Case
from akgen.tools.judge.judge import Judge
from akgen.tools.twin.toolchain import TwinToolchain
from tests.reference_process import reference_process
from tests.sampled import sampled

EXAMPLES = Path(__file__).resolve().parents[2] / "agents" / "prompts" / "templates" / "example_direct"
MODULE = """import torch


class Model(torch.nn.Module):
    def forward(self, {names}):
        return {formula}


def get_inputs(params):
    dtype = getattr(torch, params["dtype"])
    return [{inputs}]
"""
RANDOM = 'torch.randn(params["shape"]).to(dtype)'
KINDS: dict[str, tuple[str, dict[str, str], list[dict[str, Any]]]] = {
    "pointwise": (
        "add_scaled",
        {"names": "x, y, alpha", "formula": "x + alpha * y", "inputs": f"{RANDOM}, {RANDOM}, 1.5"},
        [{"shape": [7], "dtype": "float32"}, {"shape": [37, 1001], "dtype": "float16"}],
    ),
    "rows": (
        "row_norm",
        {
            "names": "x, eps",
            "formula": "x / x.norm(dim=-1, keepdim=True).clamp_min(eps)",
            "inputs": f"{RANDOM}, 1e-6",
        },
        [{"shape": [3, 5], "dtype": "float32"}, {"shape": [4, 9001], "dtype": "float32"}],
    ),
    "product": (
        "batched_linear",
        {
            "names": "x, w, b",
            "formula": "(x.float() @ w.float() + b).to(x.dtype)",
            "inputs": 'torch.randn(params["shape"][:3]).to(dtype), torch.randn(params["shape"][2:]).to(dtype), '
            'torch.randn(params["shape"][3])',
        },
        [{"shape": [2, 37, 65, 129], "dtype": "float16"}, {"shape": [1, 16, 32, 48], "dtype": "float32"}],
    ),
}


@pytest.mark.parametrize("kind", sampled(KINDS, 3))
def test_an_example_is_correct_on_all_cases(launching: TwinToolchain, tmp_path: Path, kind: str) -> None:
    kernel, words, params = KINDS[kind]
    (tmp_path / f"{kernel}.py").write_text(MODULE.format(**words))
    cases = tuple(Case(id=f"case_{i}", params=p) for i, p in enumerate(params))
    task = resolve_task(str(tmp_path / f"{kernel}.py")).model_copy(update={"cases": cases})
    project = read_project(EXAMPLES / kind, task.op_type, task.kernel)
    assert project.direct_file == f"op_kernel/{kernel}.asc"
    verdict = Judge(launching, reference_process()).judge(
        project, task, work=tmp_path / "judged", trials=1, seed=1
    )
    assert verdict.outcome is Outcome.CORRECT, verdict.why()
    assert all(case.time_us and case.profile for case in verdict.cases)
