"""Ways through the machine other than repair: tuning, a kernel alone, a recorded model."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Akgen = Callable[..., Any]
Script = Callable[..., Path]
RIGHT, SLOW = ("", ""), ("tileLength_ = tileLength;", "tileLength_ = 8;")
SOME_TILES = (
    "tileLength_ = tileLength;",
    "tileLength_ = tileLength = 16;",
)  # 86 for a core of `long_add_one`
KERNEL_ONLY = """<kernel_impl>
```cpp
#include "kernel_operator.h"
using namespace AscendC;
constexpr uint32_t PER_CORE = 8;  // 256 elements over 32 cores

extern "C" __global__ __aicore__ void add_one(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    if (GetBlockIdx() >= 32) {
        return;
    }
    const uint32_t begin = GetBlockIdx() * PER_CORE;
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    GlobalTensor<float> xGm;
    GlobalTensor<float> yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x + begin, PER_CORE);
    yGm.SetGlobalBuffer((__gm__ float*)y + begin, PER_CORE);
    pipe.InitBuffer(in, 1, PER_CORE * sizeof(float));
    pipe.InitBuffer(out, 1, PER_CORE * sizeof(float));
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopy(a, xGm, PER_CORE);
    in.EnQue(a);
    a = in.DeQue<float>();
    LocalTensor<float> b = out.AllocTensor<float>();
    Adds(b, a, 1.0f, PER_CORE);
    out.EnQue(b);
    in.FreeTensor(a);
    b = out.DeQue<float>();
    DataCopy(yGm, b, PER_CORE);
    out.FreeTensor(b);
}
```
</kernel_impl>"""


@pytest.fixture
def long_add_one(add_one: Path) -> Path:
    """Return the task with a case whose tiles take longer than the start of a launch."""
    file = add_one / "task.json"
    task = json.loads(file.read_text())
    task["cases"][0]["params"]["shape"] = [64, 1024]
    file.write_text(json.dumps(task))
    return add_one


def test_a_correct_kernel_is_tuned_and_the_faster_attempt_stands(
    akgen: Akgen, long_add_one: Path, script: Script, tmp_path: Path
) -> None:
    model, run = script(SOME_TILES, SLOW), tmp_path / "run"
    ended = akgen(
        "solve", long_add_one, "--model", f"scripted:{model}", "--tune", "1", "--out", run, "--json"
    )
    assert ended.code == 0, ended.err
    attempts = json.loads((run / "tasks/add_one/sample-0/attempts.json").read_text())
    assert [a["decision"]["action"] for a in attempts] == ["tune", "accept"]
    assert attempts[1]["feedback"]["action"] == "tune"
    assert "tiles twice as long" in attempts[1]["feedback"]["text"]
    assert "Simulated with the instructions of this launch" in attempts[1]["feedback"]["text"]
    assert attempts[0]["decision"]["hypothesis"]["kind"] == "larger_tiles"
    assert ended.document["attempt"] == 1  # the second was slower


def test_an_answer_that_is_a_kernel_alone_runs_on_all_cores(
    akgen: Akgen, add_one: Path, script: Script, tmp_path: Path
) -> None:
    arguments = ("solve", add_one, "--case", "even", "--model", f"scripted:{script(KERNEL_ONLY)}")
    ended = akgen(*arguments, "--out", tmp_path / "run", "--json")
    assert ended.code == 0, ended.err
    project = Path(ended.document["project"])
    files = sorted(p.relative_to(project).as_posix() for p in project.rglob("*.cpp"))
    assert files == ["op_host/add_one.cpp", "op_kernel/add_one.cpp"]  # the host is AKGen's


def test_a_recorded_run_replays_without_its_model(
    akgen: Akgen, add_one: Path, script: Script, tmp_path: Path
) -> None:
    wrong = ("static_cast<T>(1)", "static_cast<T>(2)")
    model, tape = script(wrong, RIGHT), tmp_path / "tape.jsonl"
    arguments = ("solve", add_one, "--seed", "5", "--json")
    recorded = akgen(*arguments, "--model", f"record:{tape}:scripted:{model}", "--out", tmp_path / "one")
    model.unlink()
    replayed = akgen(*arguments, "--model", f"replay:{tape}", "--out", tmp_path / "two")
    assert (recorded.code, replayed.code) == (0, 0), recorded.err + replayed.err
    rows = [
        [(row["outcome"], row["digest"]) for row in ended.document["candidates"][0]["attempts"]]
        for ended in (recorded, replayed)
    ]
    assert [outcome for outcome, _ in rows[0]] == ["wrong", "correct"]
    assert rows[0] == rows[1]


PROGRAM = '''```python
@ascend_kernel
def add_kernel(x0, y0, n: int, per_core: int, tile: int):
    """y0 = x0 + 1."""
    t = alloc_ub(tile, float32)
    first = program_id() * per_core
    last = min(first + per_core, n)
    for i in range(first, last, tile):
        len = min(tile, last - i)
        with copyin():
            load(t, x0, i, len)
        with compute():
            OPERATION(t, t, 1.0)
        with copyout():
            store(y0, i, t)


@ascend_host
def add_one(x0: Tensor, y0: Output):
    """Even shares."""
    declare(y0, x0.shape, x0.dtype)
    n = x0.numel
    per_core = align_up(ceil_div(n, core_num()), 64)
    add_kernel[ceil_div(n, per_core)](x0, y0, n, per_core, min(fit_tile(add_kernel, "tile"), per_core))
```
'''


def test_a_model_that_writes_the_tile_dsl_is_told_its_programs_faults_and_mends_them(
    akgen: Akgen, add_one: Path, tmp_path: Path
) -> None:
    replies = [PROGRAM.replace("OPERATION", name) for name in ("plus", "sub", "add")]
    model = tmp_path / "script.jsonl"
    lines = [{"role": "coder", "attempt": n, "text": text} for n, text in enumerate(replies, start=1)]
    model.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run = tmp_path / "run"
    arguments = ("solve", add_one, "--route", "dsl", "--planner", "composer", "--model", f"scripted:{model}")
    ended = akgen(*arguments, "--out", run, "--json")
    assert ended.code == 0, ended.err
    attempts = json.loads((run / "tasks" / "add_one" / "sample-0" / "attempts.json").read_text())
    assert [a["verdict"]["outcome"] for a in attempts] == ["compile_error", "wrong", "correct"]
    asked = [a["coder_messages"][1]["content"] for a in attempts]
    assert "def add_one(x0: Tensor, y0: Output):" in asked[0]
    assert "plus(t, t, 1.0)" in asked[1] and "`plus`" in asked[1]
    assert "sub(t, t, 1.0)" in asked[2] and "Remedy" in asked[2]
    assert attempts[2]["dsl"] == attempts[0]["dsl"].replace("plus(", "add(")


TAKES_OVER = """The sign is wrong.
<<<<<<< SEARCH
        Adds(tNew, t, -1.0f, count);
=======
        Adds(tNew, t, 1.0f, count);
>>>>>>> REPLACE

op_host/add_one.cpp
<<<<<<< SEARCH
namespace optiling {
=======
namespace optiling { int mine;
>>>>>>> REPLACE
"""


def test_a_model_may_take_over_the_kernel_that_the_passes_made_and_the_host_stays_theirs(
    akgen: Akgen, add_one: Path, tmp_path: Path
) -> None:
    model = tmp_path / "script.jsonl"
    replies = [PROGRAM.replace("OPERATION", "sub"), TAKES_OVER]
    model.write_text("".join(json.dumps({"role": "coder", "text": text}) + "\n" for text in replies))
    run = tmp_path / "run"
    arguments = ("solve", add_one, "--route", "dsl+passes", "--planner", "composer")
    ended = akgen(*arguments, "--model", f"scripted:{model}", "--out", run, "--json")
    assert ended.code == 0, ended.err
    sample = run / "tasks" / "add_one" / "sample-0"
    attempts = json.loads((sample / "attempts.json").read_text())
    assert [a["verdict"]["outcome"] for a in attempts] == ["wrong", "correct"]
    assert attempts[1]["form"] == "edits"
    hosts = [(sample / f"attempt-{n}" / "project" / "op_host" / "add_one.cpp").read_text() for n in (1, 2)]
    assert hosts[0] == hosts[1]


BREAKS_A_QUEUE = """A shorter function.
<<<<<<< SEARCH
        Adds(tNew, t, -1.0f, count);
=======
        Adds(tNew, t, 1.0f, count);
>>>>>>> REPLACE
<<<<<<< SEARCH
        tIn_.FreeTensor(FREED);
=======
>>>>>>> REPLACE
"""


def test_a_stage_that_a_model_takes_over_is_checked_before_it_is_compiled(
    akgen: Akgen, add_one: Path, tmp_path: Path
) -> None:
    model = tmp_path / "script.jsonl"
    replies = [PROGRAM.replace("OPERATION", "sub"), BREAKS_A_QUEUE.replace("FREED", "t"), TAKES_OVER]
    replies[1] = replies[1].replace("tIn_.FreeTensor(t)", "tIn_.FreeTensor(tRaw)")
    model.write_text("".join(json.dumps({"role": "coder", "text": text}) + "\n" for text in replies))
    run = tmp_path / "run"
    arguments = (
        "solve",
        add_one,
        "--route",
        "dsl+passes",
        "--take-over",
        "stage:compute",
        "--planner",
        "composer",
    )
    ended = akgen(*arguments, "--model", f"scripted:{model}", "--out", run, "--json")
    assert ended.code == 0, ended.err
    attempts = json.loads((run / "tasks" / "add_one" / "sample-0" / "attempts.json").read_text())
    assert [a["verdict"]["outcome"] for a in attempts] == ["wrong", "compile_error", "correct"]
    assert [d["code"] for d in attempts[1]["verdict"]["diagnostics"]] == ["PASS_CYCLE"]
    assert "You may change stage:compute and nothing else" in attempts[1]["coder_messages"][1]["content"]


def test_what_cannot_be_taken_over_is_refused(akgen: Akgen, add_one: Path, script: Script) -> None:
    model = f"scripted:{script(RIGHT)}"
    for more in (("--route", "dsl+passes", "--take-over", "pass:tiling"), ("--take-over", "pass:init")):
        ended = akgen("solve", add_one, "--model", model, *more)
        assert ended.code == 2 and "take" in ended.err


@pytest.mark.slow
def test_what_a_critic_predicted_is_shown_beside_what_came(
    akgen: Akgen, long_add_one: Path, script: Script, tmp_path: Path
) -> None:
    said = {"action": "tune", "explanation": "Longer tiles.", "kind": "larger_tiles", "predicted_gain": 0.25}
    model, run = script(SOME_TILES, (SOME_TILES[0], "tileLength_ = tileLength = 64;")), tmp_path / "run"
    with model.open("a") as lines:
        lines.write(json.dumps({"role": "critic", "text": json.dumps(said)}) + "\n")
    arguments = ("--critic", "model", "--tune", "1", "--out", run)
    ended = akgen("solve", long_add_one, "--model", f"scripted:{model}", *arguments, "--json")
    assert ended.code == 0, ended.err
    times = [row["time_us"] for row in ended.document["candidates"][0]["attempts"]]
    (found,) = akgen("show", run, "--json").document["tuning"].values()
    assert (found["tried"], found["broke"], found["predicted"]) == (1, 0, 0.25)
    saved = 1 - times[1] / times[0]
    assert abs(found["actual"] - saved) < 1e-9 and abs(found["off"] - abs(0.25 - saved)) < 1e-9
    shown = akgen("show", run).out
    assert "larger_tiles" in shown and "25.0%" in shown and f"{saved:.1%}" in shown
