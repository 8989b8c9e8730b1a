"""The route `direct`: a model's file with `<<<>>>` is built, judged, told its faults, mended, replayed and exported."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from akgen.agents.prompts import render
from akgen.agents.prompts.dsl import Kind, example_direct
from akgen.bench.resolve import resolve_task
from akgen.bench.sources import operator_project
from tests.end_to_end.conftest import PLAN

Akgen = Callable[..., Any]
FILE = "op_kernel/add_one.asc"
ADD_ONE = """#include "akgen/tensor.h"
#include "kernel_operator.h"
using namespace AscendC;
constexpr uint32_t TILE = 2048;

__global__ __aicore__ void add_one_kernel(GM_ADDR x, GM_ADDR y, uint32_t total, uint32_t share)
{
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, total);
    yGm.SetGlobalBuffer((__gm__ float*)y, total);
    pipe.InitBuffer(in, 2, TILE * sizeof(float));
    pipe.InitBuffer(out, 2, TILE * sizeof(float));
    const uint32_t begin = GetBlockIdx() * share;
    const uint32_t end = begin + share < total ? begin + share : total;
    for (uint32_t at = begin; at < end; at += TILE) {
        const uint32_t count = end - at < TILE ? end - at : TILE;
        const DataCopyExtParams row{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        LocalTensor<float> a = in.AllocTensor<float>();
        DataCopyPad(a, xGm[at], row, DataCopyPadExtParams<float>{false, 0, 0, 0});
        in.EnQue(a);
        a = in.DeQue<float>();
        LocalTensor<float> b = out.AllocTensor<float>();
        Adds(b, a, 1.0f, static_cast<int32_t>(count));
        out.EnQue(b);
        in.FreeTensor(a);
        b = out.DeQue<float>();
        DataCopyPad(yGm[at], b, row);
        out.FreeTensor(b);
    }
}

void launch_add_one(const akgen::Tensor& x, const akgen::Tensor& y, aclrtStream stream)
{
    const uint32_t total = x.numel(), share = (total + 40 * 8 - 1) / (40 * 8) * 8;
    add_one_kernel<<<(total + share - 1) / share, nullptr, stream>>>(x.data, y.data, total, share);
}
"""
WRONG_COUNT = ADD_ONE.replace("total, share);\n}\n", "total);\n}\n")


def _edit(old: str, new: str) -> str:
    return f"{FILE}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


def _whole(text: str) -> str:
    return f"It is short.\n\n================== {FILE} ==================\n```cpp\n{text}```\n"


REPLIES = [
    "Here it is:\n```cpp\nint launch_add_one() { return 0; }\n```\n",
    _whole(WRONG_COUNT),
    _edit(
        "    add_one_kernel<<<(total + share - 1) / share, nullptr, stream>>>(x.data, y.data, total);",
        "    add_one_kernels<<<(total + share - 1) / share, nullptr, stream>>>(x.data, y.data, total, share);",
    ),
    _edit(
        "    add_one_kernels<<<(total + share - 1) / share, nullptr, stream>>>(x.data, y.data, total, share);",
        "    if (total > 1000) return;\n"
        "    add_one_kernel<<<(total + share - 1) / share, nullptr, stream>>>(x.data, y.data, total, share);",
    ),
    _edit("    if (total > 1000) return;", "    // every size"),
]


def _script(folder: Path, replies: list[str], plan: dict[str, Any] = PLAN) -> Path:
    lines: list[dict[str, Any]] = [{"role": "planner", "text": json.dumps(plan)}]
    lines += [{"role": "coder", "attempt": n, "text": text} for n, text in enumerate(replies, start=1)]
    model = folder / "script.jsonl"
    model.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return model


def _attempts(run: Path) -> list[dict[str, Any]]:
    (found,) = run.glob("tasks/*/sample-0/attempts.json")
    return list(json.loads(found.read_text()))


def test_a_file_that_launches_its_kernel_is_mended_until_it_is_right_then_replayed_and_exported(
    akgen: Akgen, add_one: Path, tmp_path: Path
) -> None:
    tape, run = tmp_path / "tape.jsonl", tmp_path / "run"
    model = f"record:{tape}:scripted:{_script(tmp_path, REPLIES)}"
    arguments = ("solve", add_one, "--route", "direct", "--attempts", "5", "--seed", "3", "--json")
    ended = akgen(*arguments, "--model", model, "--out", run)
    assert ended.code == 0, ended.err
    attempts = _attempts(run)
    found = [(a["verdict"]["outcome"], a["verdict"]["diagnostics"]) for a in attempts]
    assert [outcome for outcome, _ in found] == [
        "no_code", "compile_error", "compile_error", "tiling_error", "correct",
    ]  # fmt: skip
    assert [d[0]["code"] for _, d in found[:3]] == ["NO_LAUNCH", "WRONG_ARITY", "UNDECLARED"]
    assert (
        "The kernel add_one_kernel takes 4 arguments, 3 are given."
        in attempts[2]["coder_messages"][1]["content"]
    )
    asked = [a["coder_messages"][0]["content"] for a in attempts]
    head = "void launch_add_one(const akgen::Tensor& x0, const akgen::Tensor& y0, aclrtStream stream)"
    assert all(head in text for text in asked) and "launch_add_scaled" in asked[0]
    assert attempts[4]["verdict"]["cases"][0]["time_us"] > 0
    project = Path(ended.document["project"])
    assert [p.relative_to(project).as_posix() for p in project.rglob("*.*")] == [FILE]

    again = akgen(*arguments, "--model", f"replay:{tape}", "--out", tmp_path / "again")
    assert again.code == 0, again.err
    assert [a["digest"] for a in _attempts(tmp_path / "again")] == [a["digest"] for a in attempts]
    verified = akgen("eval", project, "--task", add_one, "--json")
    assert verified.code == 0, verified.err
    exported = akgen("harvest", "export", run, "--format", "sft", "--out", tmp_path / "sft.jsonl")
    assert exported.code == 0, exported.err
    (record,) = map(json.loads, (tmp_path / "sft.jsonl").read_text().splitlines())
    assert (record["route"], FILE in record["answer"]) == ("direct", True)
    assert head in record["prompt"][0]["content"]


ROWS = (
    "row_norm",
    "x, eps",
    "x / x.norm(dim=-1, keepdim=True).clamp_min(eps)",
    "torch.randn(p['shape']), 1e-6",
)
PRODUCT = (
    "batched_linear", "x, w, b", "x @ w + b",
    "torch.randn(p['shape'][:3]), torch.randn(p['shape'][2:]), torch.randn(p['shape'][3])",
)  # fmt: skip
MODULE = """import torch


class Model(torch.nn.Module):
    def forward(self, {}):
        return {}


def get_inputs(p):
    return [{}]
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "task", "category", "shapes", "core"),
    [
        ("rows", ROWS, "normalization", ([3, 5], [40, 9001], [2, 7, 64]), "vector"),
        ("product", PRODUCT, "matmul", ([2, 37, 65, 129], [1, 16, 32, 48]), "mix"),
    ],
)
def test_shapes_change_and_products_run_on_the_cube(
    akgen: Akgen,
    tmp_path: Path,
    kind: Kind,
    task: tuple[str, ...],
    category: str,
    shapes: tuple[list[int], ...],
    core: str,
) -> None:
    name, *words = task
    folder = tmp_path / name
    folder.mkdir()
    (folder / "reference.py").write_text(MODULE.format(*words))
    cases = [{"id": f"case_{i}", "params": {"shape": shape}} for i, shape in enumerate(shapes)]
    (folder / "task.json").write_text(
        json.dumps({"level": 1, "category": category, "description": "As its name says.", "cases": cases})
    )
    plan = {**PLAN, "category": category, "block_dim": 20, "core_type": core}
    model = _script(tmp_path, [render("answer", project=example_direct(kind))], plan)
    run = tmp_path / "run"
    ended = akgen(
        "solve", folder, "--route", "direct", "--model", f"scripted:{model}", "--out", run, "--json"
    )
    assert ended.code == 0, ended.err
    (attempt,) = _attempts(run)
    assert len(attempt["verdict"]["cases"]) == len(shapes)
    system = attempt["coder_messages"][0]["content"]
    assert ("KERNEL_TYPE_MIX_AIC_1_2" in system) == (kind == "product")


def test_a_folder_of_answers_may_hold_the_direct_form_also_where_the_task_gives_a_host(
    tmp_path: Path,
) -> None:
    for path, text in (
        ("answer/op_kernel/add_one.asc", ADD_ONE),
        ("given/op_host/add_one.cpp", "OP_ADD(AddOne);"),
    ):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "given/op_kernel").mkdir()
    (tmp_path / "add_one.py").write_text(MODULE.format("x", "x + 1", "torch.randn(4)"))
    task = resolve_task(str(tmp_path / "add_one.py")).model_copy(update={"given_host": tmp_path / "given"})
    project = operator_project(tmp_path / "answer", task)
    assert (project.direct_file, list(project.files)) == (FILE, [FILE])


@pytest.mark.parametrize(
    ("model", "told"), [("composer", "Leave --route out"), ("kernelgen:m", "trained on nothing else")]
)
def test_who_cannot_write_the_direct_form_is_refused_before_work_begins(
    akgen: Akgen, add_one: Path, tmp_path: Path, model: str, told: str
) -> None:
    more = ("--base-url", "http://127.0.0.1:9/v1") if model != "composer" else ()
    ended = akgen("solve", add_one, "--route", "direct", "--model", model, *more, "--out", tmp_path / "run")
    assert ended.code == 2 and told in ended.err, ended.err
