"""Formulas that a search for speed finds: right for what a task draws, or so nearly that its tolerance hides the rest.

Each is judged beside the whole formula, which is accepted.
"""

import os
from pathlib import Path
from typing import Any

import pytest

from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.toolchains import make_twin
from akgen.tools.twin.settings import user_cache

HERE = Path(__file__).resolve().parent
WAIT = " PipeBarrier<PIPE_ALL>(); "
RMS = f"Mul(c, a, a, n);{WAIT}float v = r.sum(c, n) / n; Muls(b, a, 1.0f / sqrt(v + {{}}), n);"
ROUND = (
    f"{{}} auto i = c.ReinterpretCast<int32_t>(); Cast(i, a, RoundMode::{{}}, n);{WAIT}"
    " Cast(b, i, RoundMode::CAST_NONE, n);"
)
STEP = "for (uint32_t i = 0; i < n; ++i) {{ b.SetValue(i, a.GetValue(i) {} 0.5f ? 1.0f : 0.0f); }}"
BOUNDED = f"Mins(a, a, {{0}}, n);{WAIT}Maxs(a, a, -{{0}}, n);{WAIT}"
TANH = (
    f"Muls(c, a, 2.0f, n);{WAIT}Exp(c, c, n);{WAIT}Adds(d, c, 1.0f, n); Adds(c, c, -1.0f, n);"
    f"{WAIT}Div(c, c, d, n);{WAIT}"
)
MASK = (
    f"Duplicate(b, 0.0f, n);{WAIT}for (uint32_t i = 0; i < n; ++i)"
    " {{ if ({}) {{ b.SetValue(i, a.GetValue(i)); }} }}"
)
TAKE = "r.load<T>(b, x, ({}) * n, n);"
DEVIATION = (
    f"float m = r.sum(a, n) / n; Adds(c, a, -m, n);{WAIT}Mul(d, c, c, n);{WAIT}float v = r.sum(d, n) / (n - {{}});"
    " Muls(b, c, 1.0f / sqrt(v + 1e-5f), n);"
)
SIGMOID = f"Muls(c, a, {{}}, n);{WAIT}Exp(c, c, n);{WAIT}Adds(c, c, 1.0f, n);{WAIT}Div(b, a, c, n);"
CUBE = f"Mul(c, a, a, n);{WAIT}Mul(c, c, a, n);{WAIT}Muls(c, c, 0.044715f, n);{WAIT}Add(c, c, a, n);{WAIT}"
# reference, further input, type, whole formula, tempting one
FORMULAS: dict[str, tuple[str, str, str, str, str]] = {
    "what is added to a small norm": (
        "x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)", "", "float32",
        RMS.format("1e-6f"), RMS.format("(v == 0.0f ? 1.0f : 0.0f)"),
    ),
    "a small term": (
        "x + 1e-4 * torch.tanh(x.clamp(-9, 9))", "", "float32",
        f"{BOUNDED.format('9.0f')}{TANH} Muls(c, c, 1e-4f, n); r.load<T>(a, x, row * n, n); Add(b, a, c, n);",
        "Muls(b, a, 1.0f, n);",
    ),
    "halves": (
        "torch.round(x.clamp(-1e6, 1e6))", "", "float32",
        ROUND.format(BOUNDED.format("1e6f"), "CAST_RINT"), ROUND.format(BOUNDED.format("1e6f"), "CAST_ROUND"),
    ),
    "a threshold": ("(x >= 0.5).float()", "", "float32", STEP.format(">="), STEP.format(">")),
    "a mask of integers": (
        "x.masked_fill(more == 0, 0.0)", "torch.ones(s, dtype=torch.int8).tril()", "float32",
        MASK.format("((__gm__ int8_t *)more)[row * n + i] != 0"), MASK.format("i <= row"),
    ),
    "an order that is never drawn anew": (
        "x[more]", "torch.arange(s[0]).flip(0)", "float32",
        TAKE.format("(uint32_t)((__gm__ int64_t *)more)[row]"), TAKE.format("rows - 1 - row"),
    ),
    "another divisor": (
        "(x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + 1e-5).sqrt()", "", "float16",
        DEVIATION.format("1"), DEVIATION.format("0"),
    ),
    "a rough function": (
        "torch.nn.functional.gelu(x)", "", "bfloat16",
        CUBE + SIGMOID.format("-1.5957691f").replace("Muls(c, a,", "Muls(c, c,"), SIGMOID.format("-1.702f"),
    ),
}  # fmt: skip
REFERENCE = """import torch


class Model(torch.nn.Module):
    def forward(self, x, more=None):
        return {}


def get_inputs(params):
    s = params["shape"]
    x = torch.randn(s).to(torch.{})
    return [x{}]
"""
USUAL = ([5, 16], [40, 40], [24, 1024])
SHAPES = {"another divisor": ([24, 1024],)}  # of shorter rows it is outside of the tolerance
CPP = {"float32": "float", "float16": "half", "bfloat16": "bfloat16_t"}


@pytest.fixture
def judged(reference: ReferenceWorker, tmp_path: Path) -> Any:
    twin = make_twin(Settings(cache=user_cache(os.environ)))
    twin.prepare(print)
    judge = Judge(twin, reference, run_timeout_s=10.0)

    def judged(kind: str, *, whole: bool) -> Any:
        body, more, dtype, formula, tempting = FORMULAS[kind]
        path = tmp_path / "reference.py"
        path.write_text(REFERENCE.format(body, dtype, f", {more}" if more else ""))
        text = (
            (HERE / "rows.asc").read_text().replace("// COMPUTE\n", (formula if whole else tempting) + "\n")
        )
        text = text.replace("float; // TYPE", f"{CPP[dtype]};")
        if more:
            text = text.replace("/* MORE */", "const akgen::Tensor &other,").replace(
                "nullptr; // A", "other.data; // A"
            )
        task = Task(
            name="formula", suite="file", category="other", op_type="Formula", kernel="formula",
            reference=Reference(loader="akgen.tools.reference.module_loader", path=path),
            cases=tuple(Case(id=str(s), params={"shape": s}) for s in SHAPES.get(kind, USUAL)),
        )  # fmt: skip
        project = KernelProject(op_type="Formula", kernel="formula", files={"op_kernel/formula.asc": text})
        return judge.judge(project, task, work=tmp_path / "work", seed=4)

    return judged


@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=[pytest.mark.slow] if n > 1 else []) for n, k in enumerate(FORMULAS)]
)
def test_a_formula_that_leaves_something_out(judged: Any, kind: str) -> None:
    honest = judged(kind, whole=True)
    assert honest.outcome == Outcome.CORRECT, honest.why()
    tempting = judged(kind, whole=False)
    assert tempting.outcome == Outcome.WRONG
    if kind in ("a small term", "another divisor"):  # nothing but the formula shows it
        assert tempting.codes() == ("OTHER_FORMULA",)
