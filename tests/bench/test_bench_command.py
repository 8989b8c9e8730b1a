"""`akgen bench` from the command line, on the twin: our own miniature checkout with its reference answer."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from akgen.bench.store import BenchStore
from akgen.cli import app
from akgen.tools.core.outcome import InputError
from tests.command import command

CHECKOUT = Path(__file__).parent / "checkout"
ANSWER = Path("tasks/level1/Math/BlendAdd/answer/0")


def bench(*args: str | Path) -> tuple[int, Any]:
    ended = command("bench", *args, "--json")
    return ended.code, ended.document


def test_a_reference_answer_is_judged_on_all_cases_and_reported(tmp_path: Path) -> None:
    out = tmp_path / "run"
    code, report = bench("run", "npukb", "--root", CHECKOUT, "--source", "answers", "--out", out)
    assert code == 0, report
    assert report["toolchain"].startswith("twin")
    level = report["levels"]["1"]
    assert (level["tasks"], level["compiled"], level["solved"], level["failed"]) == (1, 1, 1, [])
    assert level["cases_correct"] == 3
    assert (out / "report.html").read_text().startswith("<!doctype html>")
    before = (out / "results.jsonl").read_text()
    code, again = bench("run", "npukb", "--root", CHECKOUT, "--source", "answers", "--out", out)
    assert (code, again) == (0, report)
    assert (out / "results.jsonl").read_text() == before, "a finished run was done again"


@pytest.mark.slow
def test_bench_and_eval_say_once_what_the_machine_refuses_to_the_sandbox(tmp_path: Path) -> None:
    old_kernel, words = {"AKGEN_SECCOMP_ONLY": "1"}, "grants no namespaces and no Landlock"
    run = ("run", "npukb", "--root", CHECKOUT, "--source", "answers", "--out", tmp_path, "--max-mb", "1")
    answer = (CHECKOUT / ANSWER, "--task", CHECKOUT / ANSWER.parents[1])
    for arguments in (("bench", *run), ("eval", *answer, "--cases", "1", "--trials", "1")):
        ended = command(*arguments, "--json", env=old_kernel)
        assert ended.code == 0, ended.err
        assert ended.err.count(words) == 1
        assert ended.document["sandbox_missing"] == ["namespaces", "Landlock"]
    assert "sandbox" not in command("eval", *answer, "--cases", "1", "--trials", "1").err


@pytest.mark.slow
def test_a_run_that_another_process_works_on_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "run"
    args = ("run", "npukb", "--root", CHECKOUT, "--source", "answers", "--out", out)
    assert bench(*args)[0] == 0
    with BenchStore.open(out).claimed(), pytest.raises(InputError, match="Another process"):
        CliRunner().invoke(app, [str(a) for a in ("bench", *args)], catch_exceptions=False)


@pytest.mark.slow
def test_a_folder_of_projects_is_judged_and_a_kernel_alone_gets_the_questions_host(tmp_path: Path) -> None:
    projects = tmp_path / "projects"
    shutil.copytree(CHECKOUT / ANSWER, projects / "BlendAdd" / "0", ignore=shutil.ignore_patterns("aclnn_*"))
    kernel = projects / "BlendAdd" / "sample1" / "op_kernel" / "blend_add.cpp"
    kernel.parent.mkdir(parents=True)
    kernel.write_text(KERNEL_ONLY)
    wrong = (
        (CHECKOUT / ANSWER / "op_kernel" / "blend_add.cpp")
        .read_text()
        .replace("Add(z, z, x, count)", "Add(z, z, z, count)")
    )
    (projects / "BlendAdd" / "0" / "op_kernel" / "blend_add.cpp").write_text(wrong)
    out = tmp_path / "run"
    code, report = bench(
        "run", "npukb", "--root", CHECKOUT, "--source", projects, "--tasks", "BlendAdd,ListScale", "--samples", "2",
        "--trials", "1", "--out", out,
    )  # fmt: skip
    assert code == 0, "all were judged"
    records = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    outcomes = {(r["task"], r["sample"]): r["outcome"] for r in records}
    assert outcomes == {
        ("BlendAdd", 0): "wrong",
        ("BlendAdd", 1): "wrong",
        ("ListScale", 0): "no_code",
        ("ListScale", 1): "no_code",
    }
    assert all(r["cases"] for r in records if r["task"] == "BlendAdd")
    assert report["levels"]["2"]["failed"][0]["outcome"] == "no_code"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("run", "nosuch"), "no suite"),
        (("run", "x" * 300), "too long"),
        (("run", "~nobody-of-this-name"), "home directory"),
        (("run", "builtin", "--tasks", "relux"), "relu"),
        (("run", "builtin", "--source", "answers"), "no reference answers"),
        (("run", "npukb", "--root", "EMPTY"), "holds no NPUKernelBench tasks"),
        (("run", "builtin", "--source", "EMPTY/none"), "is not a folder"),
        (("run", "builtin", "--levels", "x"), "--levels"),
        (("report", "EMPTY"), "holds no bench run"),
    ],
)
def test_bad_input_is_one_sentence_with_the_remedy(tmp_path: Path, args: tuple[str, ...], words: str) -> None:
    given = [a.replace("EMPTY", str(tmp_path)) for a in args]
    refused = CliRunner().invoke(app, ["bench", *given]).exception
    assert isinstance(refused, InputError)
    assert words in str(refused)
    assert "\n" not in str(refused)


@pytest.mark.parametrize("args", [("run", "nosuch"), ("report", "x" * 300)])
def test_bad_input_ends_with_code_two_and_no_traceback(args: tuple[str, ...]) -> None:
    argv = [sys.executable, "-m", "akgen", "bench", *args, "--json"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["error"]["kind"]) == (2, "input")
    assert "Traceback" not in done.stderr


KERNEL_ONLY = """
#include "kernel_operator.h"

// Copies the first input: numbers in the code, no tiling, the task's own host.
extern "C" __global__ __aicore__ void blend_add(GM_ADDR x, GM_ADDR y, GM_ADDR weight, GM_ADDR z, GM_ADDR workspace)
{
    if (AscendC::GetBlockIdx() != 0) {
        return;
    }
    AscendC::GlobalTensor<DTYPE_X> from, to;
    from.SetGlobalBuffer((__gm__ DTYPE_X *)x, 7);
    to.SetGlobalBuffer((__gm__ DTYPE_X *)z, 7);
    AscendC::TPipe pipe;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 64);
    const AscendC::DataCopyExtParams length{1, static_cast<uint32_t>(7 * sizeof(DTYPE_X)), 0, 0, 0};
    AscendC::LocalTensor<DTYPE_X> local = queue.AllocTensor<DTYPE_X>();
    AscendC::DataCopyPad(local, from, length, AscendC::DataCopyPadExtParams<DTYPE_X>{false, 0, 0, 0});
    queue.EnQue(local);
    local = queue.DeQue<DTYPE_X>();
    AscendC::DataCopyPad(to, local, length);
    queue.FreeTensor(local);
}
"""
