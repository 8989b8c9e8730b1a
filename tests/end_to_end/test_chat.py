"""A conversation in the terminal, typed through a pipe; no model is configured."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Akgen = Callable[..., Any]
WAIT_S = 240.0


def _talk(akgen: Akgen, run: Path, *sentences: str, as_json: bool = False) -> Any:
    stdin = "".join(sentence + "\n" for sentence in sentences)
    return akgen("chat", "--run", run, *(["--json"] if as_json else []), stdin=stdin)


def test_a_request_becomes_a_verified_kernel_and_a_follow_up_changes_one_thing(
    akgen: Akgen, tmp_path: Path
) -> None:
    run = tmp_path / "talk"
    ended = _talk(akgen, run, "write me a gelu kernel for fp16, 64 by 100", "make it bf16", "bye")
    assert ended.code == 0, ended.out + ended.err
    assert "gelu in float16, 64 by 100:" in ended.out
    assert "gelu in bfloat16, 64 by 100:" in ended.out
    assert ended.out.count("outcome: correct") == 2
    assert '#include "kernel_operator.h"' in ended.out  # the kernel is shown
    assert ended.out.count("attempt 1  compile    ok") == 2  # one line per stage, as it happens
    tasks = [task["name"] for task in akgen("show", run, "--json").document["tasks"]]
    assert tasks == ["01_gelu_float16_64x100", "02_gelu_bfloat16_64x100"]


def test_what_is_missing_is_asked_for(akgen: Akgen, tmp_path: Path) -> None:
    ended = _talk(akgen, tmp_path / "talk", "i need a relu kernel", "10, 33", as_json=True)
    assert ended.code == 0, ended.err
    assert "In which data type" not in ended.err
    assert "Of which shape are the inputs of relu" in ended.err
    (request,) = ended.document["requests"]
    assert request["outcome"] == "correct" and request["task"] == "01_relu_float32_10x33"
    assert "float32 (not said: PyTorch's default)" in ended.err  # in the table that is confirmed
    assert "Its data type is float32 (not said: PyTorch's default)." in ended.err
    assert Path(request["project"]).is_dir()


CANNOT = {
    "write me an fft kernel": "I did not understand “fft”",
    "a gellu kernel, fp16, 4 by 4": "Did you mean: a gelu kernel, fp16, 4 by 4?",
    "relu or gelu in fp16": "Which one do you mean: relu or gelu?",
    "how are you": "I did not understand “how”",
    "help": "What I do not understand I ask about.",
    "relu fp16 100000 by 100000": "the limit is",
}


def test_what_it_cannot_do_it_says_and_goes_on_listening(akgen: Akgen, tmp_path: Path) -> None:
    ended = _talk(akgen, tmp_path / "talk", *CANNOT, "bye")
    assert ended.code == 0, ended.err
    _, _, *answers = ended.out.splitlines()  # after the run's folder and the greeting
    assert len(answers) == len(CANNOT)
    for answer, words in zip(answers, CANNOT.values(), strict=True):
        assert words in answer


def test_questions_are_answered_and_change_nothing(akgen: Akgen, tmp_path: Path) -> None:
    ended = _talk(
        akgen, tmp_path / "talk", "why is it slow?", "how do I use DataCopyPad?", "abs fp16 64 by 100",
        "how much UB does it take?", "show the host code", "为什么这么慢", "is it correct?",
        "UB_OVERFLOW 是什么", "yes, looks good", "make it fp32",
    )  # fmt: skip
    assert ended.code == 0, ended.out + ended.err
    order = [
        "There is no kernel yet.", "DataCopyPad (copy)", "abs in float16, 64 by 100:", "bytes of the Unified Buffer",
        "// op_host/", "MTE2  忙", "It is judged correct on twin", "UB_OVERFLOW：",
        "All right: we are at abs.", "abs in float32, 64 by 100:",
    ]  # fmt: skip
    places = [ended.out.find(text) for text in order]
    assert -1 not in places and places == sorted(places), list(zip(order, places, strict=True))


def test_a_request_that_pytorch_itself_refuses_fails_with_the_reason(akgen: Akgen, tmp_path: Path) -> None:
    ended = _talk(akgen, tmp_path / "talk", "gelu int32 4 by 4", "make it fp32", as_json=True)
    assert ended.code == 1
    assert "The reference reference.py raises" in ended.err and "Traceback" not in ended.err
    assert [request["outcome"] for request in ended.document["requests"]] == [None, "correct"]


def test_a_conversation_that_was_killed_goes_on_where_it_was(akgen: Akgen, tmp_path: Path) -> None:
    run = tmp_path / "talk"
    command = [sys.executable, "-m", "akgen", "chat", "--run", str(run)]
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        command, cwd=tmp_path, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("a relu kernel for fp16\n")
        process.stdin.flush()
        deadline = time.monotonic() + WAIT_S
        for line in process.stdout:
            if "Of which shape" in line or time.monotonic() > deadline:
                break
        process.send_signal(signal.SIGKILL)
    ended = _talk(akgen, run, "8 by 40", as_json=True)
    assert ended.code == 0, ended.err
    assert [request["task"] for request in ended.document["requests"]] == ["01_relu_float16_8x40"]
    assert json.loads((run / "run.json").read_text())["config"]["command"] == "chat"


def test_follow_ups_change_axis_cores_and_shapes_and_undo_goes_back(akgen: Akgen, tmp_path: Path) -> None:
    run = tmp_path / "talk"
    ended = _talk(
        akgen, run, "sum fp16 64 by 300", "over rows instead", "use 3 cores", "/diff", "/undo 2",
        "make it dynamic", "/history",
    )  # fmt: skip
    assert ended.code == 0, ended.out + ended.err
    assert "over axis -2, at most 3 cores:" in ended.out
    assert "predicted on 3 cores" in ended.out
    assert "-" + " " * 4 in ended.out  # the difference of the host code
    assert "Back to 01_sum_float16_64x300." in ended.out
    # What was undone is gone from the request, and the turn's number is not used again.
    assert "sum in float16, 64 by 300, for all shapes:" in ended.out
    assert ended.out.splitlines()[-2:] == [
        line for line in ended.out.splitlines() if line.startswith(("01_sum", "04_sum"))
    ]
    tasks = [task["name"] for task in akgen("show", run, "--json").document["tasks"]]
    assert tasks[-1] == "04_sum_float16_64x300_dynamic" and len(tasks) == 4


def test_what_was_understood_is_shown_and_attributes_and_chains_reach_the_kernel(
    akgen: Akgen, tmp_path: Path
) -> None:
    ended = _talk(
        akgen, tmp_path / "talk", "leaky relu, slope 0.2, fp16 and fp32, 8 by 40", "make it purple", "gellu", "yes",
    )  # fmt: skip
    assert ended.code == 0, ended.out + ended.err
    assert "torch.nn.functional.leaky_relu(x0, negative_slope=0.2)" in ended.out
    assert "asked_float16  float16 8x40  float16 8x40" in ended.out
    assert "attributes  leaky_relu: negative_slope=0.2" in ended.out
    assert "I did not understand “purple”, so I changed nothing." in ended.out
    assert "gelu in float16 and float32, 8 by 40:" in ended.out
    assert ended.out.count("outcome: correct") == 2


def test_undo_returns_to_the_last_kernel_that_stood(akgen: Akgen, tmp_path: Path) -> None:
    """A change that was refused, and one that is not finished, are taken back before the kernel itself is."""
    ended = _talk(
        akgen, tmp_path / "talk", "relu fp16 8 by 40", "int8", "now softmax, int32", "/undo",
        "then add a bias", "/history",
    )  # fmt: skip
    assert "The reference reference.py raises" in ended.out
    assert "Back to 02_relu_int8_8x40." in ended.out or "Back to 01_relu_float16_8x40." in ended.out
    assert "relu_add in" in ended.out and "softmax_add" not in ended.out


@pytest.mark.slow
def test_code_over_several_lines_and_a_path_become_kernels(akgen: Akgen, tmp_path: Path) -> None:
    code = "def gate(x, y):\n    return x * torch.sigmoid(y)\n\n"
    (tmp_path / "shift.py").write_text(
        "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x + 1\n\n\n"
        "def get_inputs():\n    return [torch.randn(7, 40)]\n"
    )
    ended = _talk(akgen, tmp_path / "talk", code, "half, 9 by 50", "./shift.py", "now in half", as_json=True)
    assert ended.code == 0, ended.err
    assert "Of which shape are the inputs of gate" in ended.err
    tasks = [request["task"] for request in ended.document["requests"]]
    assert tasks == ["01_gate_float16_9x50", "02_shift", "03_shift_float16"]


def test_chinese_is_answered_in_chinese(akgen: Akgen, tmp_path: Path) -> None:
    ended = _talk(
        akgen,
        tmp_path / "talk",
        "写一个 relu 算子",
        "8乘40",
        "改成半精度",
        "再快一点",
        "谢谢",
        "改成bf16",
        "撤销",
        "再见",
    )
    assert ended.code == 0, ended.out + ended.err
    assert "relu 的输入是什么形状" in ended.out and "relu，bfloat16，8×40：" in ended.out
    assert "float32（未指定，取 PyTorch 的默认类型）" in ended.out
    assert "回到 02_relu_float16_8x40。" in ended.out
    assert (
        "第 1 次  编译" in ended.out and "成功  用时" in ended.out and "结果：正确，全部用例正确" in ended.out
    )
    assert "没有听懂" not in ended.out and "不客气。当前是 relu。" in ended.out
    assert "attempt 1" not in ended.out and "outcome" not in ended.out


def test_commands_look_at_the_kernel_keep_it_and_choose_who_works(akgen: Akgen, tmp_path: Path) -> None:
    run = tmp_path / "talk"
    ended = _talk(
        akgen, run, "/profile", "relu half 8 by 40", "/profile", "/save kept", "/save kept", "/export all.md",
        "/budget attempts=2,wall=60", "/budget hours=1", "/model openai:", "/modle", "/help", "/quit", "never read",
    )  # fmt: skip
    assert ended.code == 0, ended.out + ended.err
    for words in (
        "There is no kernel yet.", "MTE2  busy", "is not an empty folder", "attempts 2, wall_s 60",
        "The budget cannot be read", "cannot be used", "Did you mean /model?", "/diff [ATTEMPT]",
    ):  # fmt: skip
        assert words in ended.out, words
    assert (tmp_path / "kept" / "op_kernel" / "relu_custom.cpp").is_file()
    text = (tmp_path / "all.md").read_text()
    assert "> relu half 8 by 40" in text and "```cpp" in text and "## 01_relu_float16_8x40" in text
    assert "never read" not in (run / "talk.jsonl").read_text()


def test_conversations_are_listed_and_gone_on_with_by_name(akgen: Akgen, tmp_path: Path) -> None:
    nothing = akgen("chat", "--resume")
    assert nothing.code == 2 and "There is no conversation" in nothing.err
    begun = akgen("chat", stdin="relu half\n")
    assert begun.code == 0, begun.err
    (session,) = akgen("chat", "--sessions", "--json").document["sessions"]
    assert session["first"] == "relu half" and session["requests"] == 0
    ended = akgen("chat", "--resume", session["id"][-4:], "--json", stdin="8 by 40\n/undo\n/history\n")
    assert ended.code == 0, ended.err
    assert [request["task"] for request in ended.document["requests"]] == ["01_relu_float16_8x40"]
    assert "Back at the beginning." in ended.err and "Nothing was asked for yet." in ended.err
    assert akgen("chat", "--resume", "nobody").code == 2


@pytest.mark.slow
def test_an_interrupt_stops_the_work_and_go_on_finishes_it(akgen: Akgen, tmp_path: Path) -> None:
    run = tmp_path / "talk"
    command = [sys.executable, "-m", "akgen", "chat", "--run", str(run)]
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        command, cwd=tmp_path, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("a softmax kernel for fp16, 8 by 40\n")
        process.stdin.flush()
        out = ""
        for line in process.stdout:
            out += line
            if "8 by 40:" in line:
                process.send_signal(signal.SIGINT)
            if "Stopped" in line:
                process.stdin.write("go on\n")
                process.stdin.close()
    assert "Stopped; what was done is kept." in out
    assert "Going on with 01_softmax_float16_8x40." in out
    assert out.count("outcome: correct") == 1


def test_a_models_reference_that_lacks_a_word_waits_for_the_persons_own(akgen: Akgen, tmp_path: Path) -> None:
    code = (
        "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n"
        "        return torch.relu(x) + 1.5 * x\n\n\ndef get_inputs():\n    return [torch.randn(8, 40)]\n"
    )
    script = tmp_path / "script.jsonl"
    script.write_text(json.dumps({"role": "chat", "text": f"```python\n{code}```"}) + "\n")
    sentences = (
        "a wobbly relu with a lift of 2.5, 8 by 40 fp32",
        "no",
        "带 2.5 抬升的怪 relu，8x40，单精度",
        "不",
        "bye",
    )
    stdin = "".join(sentence + "\n" for sentence in sentences)
    ended = akgen("chat", "--run", tmp_path / "talk", "--yes", "--model", f"scripted:{script}", stdin=stdin)
    assert ended.code == 0, ended.err
    assert "I do not find “2.5” of what you said" in ended.out
    assert "您说的“2.5”" in ended.out
    assert "outcome:" not in ended.out and "attempt 1" not in ended.out  # nothing was begun
