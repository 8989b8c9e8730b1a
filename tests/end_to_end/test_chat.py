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
    ended = _talk(akgen, tmp_path / "talk", "i need a relu kernel", "half", "10, 33", as_json=True)
    assert ended.code == 0, ended.err
    assert "In which data type shall relu be" in ended.err
    assert "Of which shape are the inputs of relu" in ended.err
    (request,) = ended.document["requests"]
    assert request["outcome"] == "correct"
    assert Path(request["project"]).is_dir()


CANNOT = {
    "write me an fft kernel": "no operator named 'fft'",
    "a gellu kernel, fp16, 4 by 4": "Did you mean gelu",
    "gelu then softmax in fp16": "one operator at a time",
    "how are you": "I heard no operator",
    "help": "I do not chain operators",
    "relu fp16 100000 by 100000": "the limit is",
}


def test_what_it_cannot_do_it_says_and_goes_on_listening(akgen: Akgen, tmp_path: Path) -> None:
    ended = _talk(akgen, tmp_path / "talk", *CANNOT, "bye")
    assert ended.code == 0, ended.err
    _, _, *answers = ended.out.splitlines()  # after the run's folder and the greeting
    assert len(answers) == len(CANNOT)
    for answer, words in zip(answers, CANNOT.values(), strict=True):
        assert words in answer


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
