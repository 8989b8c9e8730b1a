"""Direct files that are right for the first call of a process only: kernels and host functions that keep something."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.core.verdict import Verdict
from akgen.tools.judge.judge import Judge
from akgen.tools.judge.trials import MOST_BEFORE, nonce, plan
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.toolchains import make_twin
from akgen.tools.twin.settings import user_cache

HERE = Path(__file__).resolve().parent
FILE = """#include "akgen/tensor.h"
#include "kernel_operator.h"
using namespace AscendC;
// TOP
__global__ __aicore__ void shifted(GM_ADDR x, GM_ADDR y, uint32_t total)
{
    // ENTRY
    TPipe pipe;
    TBuf<TPosition::VECCALC> a;
    pipe.InitBuffer(a, 1024 * sizeof(float));
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float *)x, total);
    yGm.SetGlobalBuffer((__gm__ float *)y, total);
    DataCopyExtParams copy{1, static_cast<uint32_t>(total * sizeof(float)), 0, 0, 0};
    DataCopyPad(a.Get<float>(), xGm, copy, DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
    PipeBarrier<PIPE_ALL>();
    Muls(a.Get<float>(), a.Get<float>(), 2.0f, total);
    PipeBarrier<PIPE_V>();
    Adds(a.Get<float>(), a.Get<float>(), 0.5f, total);
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(yGm, a.Get<float>(), copy);
}
void launch_shifted(const akgen::Tensor &x, const akgen::Tensor &y, aclrtStream stream)
{
    uint32_t total = x.numel();
    uint8_t *to = y.data;
    // HOST
    shifted<<<1, nullptr, stream>>>(x.data, to, total);
    // AFTER
}
"""
HOSTILE = {
    "a counter of the kernel": {"TOP": "static int32_t calls;", "ENTRY": "if (calls++ > 0) { return; }"},
    "a counter of the host": {"HOST": "static int calls; if (calls++ > 0) { total = 8; }"},
    "a result that the host keeps": {
        "TOP": "__global__ __aicore__ void copied(GM_ADDR x, GM_ADDR y, uint32_t n)"
        " { for (uint32_t i = 0; i < n; ++i) { ((__gm__ float *)y)[i] = ((__gm__ float *)x)[i]; } }",
        "HOST": "static uint8_t *kept;"
        " if (kept != nullptr) { copied<<<1, nullptr, stream>>>(kept, to, total); return; }"
        " aclrtMalloc((void **)&kept, total * 4, ACL_MEM_MALLOC_HUGE_FIRST); to = kept;",
        "AFTER": "copied<<<1, nullptr, stream>>>(kept, y.data, total);",
    },
    "a counter of the host that begins later": {"HOST": "static int calls; if (calls++ > 2) { total = 8; }"},
    "memory that the host remembers later": {
        "HOST": "static uint8_t *kept; static int calls; if (++calls > 2) { to = kept; } kept = to;"
    },
    "a host that is called once": {
        "HOST": "static bool called; if (called) { std::abort(); } called = true;"
    },
}
HONEST = {
    "nothing kept": {},
    "memory that the host keeps": {
        "HOST": "static uint8_t *row; if (row == nullptr) { aclrtMalloc((void **)&row, 4096,"
        " ACL_MEM_MALLOC_HUGE_FIRST); } shifted<<<1, nullptr, stream>>>(x.data, row, 8);"
    },
}


@pytest.fixture(scope="module")
def verdict_on(
    reference: ReferenceWorker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[dict[str, str]], Verdict]]:
    twin = make_twin(Settings(cache=user_cache(os.environ)))
    twin.prepare(print)
    judge = Judge(twin, reference, run_timeout_s=10.0)
    task = Task(
        name="shifted", suite="file", category="elementwise", op_type="Shifted", kernel="shifted",
        reference=Reference(loader="akgen.tools.reference.module_loader", path=HERE / "reference.py"),
        cases=(Case(id="1", params={"n": 100}),),
    )  # fmt: skip

    seed = next(  # whose second trial comes after most calls
        n
        for n in range(100)
        if plan(task, task.cases[0], 2, nonce(n), leads=True)[1].launches_before == MOST_BEFORE
    )

    def judged(pieces: dict[str, str]) -> Verdict:
        text = FILE
        for mark, piece in pieces.items():
            assert text.count(f"// {mark}\n") == 1
            text = text.replace(f"// {mark}\n", piece + "\n")
        project = KernelProject(op_type="Shifted", kernel="shifted", files={"op_kernel/shifted.asc": text})
        return judge.judge(project, task, work=tmp_path_factory.mktemp("work"), trials=2, seed=seed)

    yield judged


@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=[pytest.mark.slow] if n > 1 else []) for n, k in enumerate(HOSTILE)]
)
def test_what_is_right_in_the_first_call_only_is_wrong(
    verdict_on: Callable[[dict[str, str]], Verdict], codes: Callable[[Verdict], set[str]], kind: str
) -> None:
    verdict = verdict_on(HOSTILE[kind])
    assert verdict.outcome != Outcome.CORRECT and "FIRST_LAUNCH_ONLY" in codes(verdict), verdict.why()


@pytest.mark.parametrize(
    "attempt",
    [
        "if (fork() == 0) { for (;;) { } }",
        *(
            pytest.param(late, marks=pytest.mark.slow)
            for late in (
                "kill(getppid(), SIGKILL);",
                "kill(-1, SIGKILL);",
                "socket(AF_INET, SOCK_STREAM, 0);",
                "ptrace(PTRACE_TRACEME, 0, 0, 0);",
                "std::atexit([] { setsid(); });",
            )
        ),
    ],
)
def test_a_host_that_reaches_out_of_its_process_is_a_cheat(
    verdict_on: Callable[[dict[str, str]], Verdict], codes: Callable[[Verdict], set[str]], attempt: str
) -> None:
    top = "".join(
        f"#include <{name}>\n" for name in ("csignal", "cstdlib", "sys/ptrace.h", "sys/socket.h", "unistd.h")
    )
    verdict = verdict_on(
        {"TOP": top, "HOST": attempt}
    )  # an honest kernel, and an attempt that nothing depends on
    assert verdict.outcome == Outcome.CHEAT and codes(verdict) == {"SANDBOX_SYSCALL"}, verdict.why()


@pytest.mark.parametrize(
    "end",
    [
        "std::_Exit(70);",
        pytest.param('std::fputs("akgen_sandbox: no\\n", stderr); std::_Exit(125);', marks=pytest.mark.slow),
        pytest.param(
            "std::vector<char *> v; for (;;) { v.push_back(new char[1 << 24]); }", marks=pytest.mark.slow
        ),
    ],
)
def test_a_host_that_ends_as_a_broken_machine_does_has_crashed(
    verdict_on: Callable[[dict[str, str]], Verdict], codes: Callable[[Verdict], set[str]], end: str
) -> None:
    verdict = verdict_on({"TOP": "#include <cstdio>\n#include <cstdlib>\n", "HOST": end})
    assert verdict.outcome == Outcome.TILING_ERROR and codes(verdict) == {"HOST_CRASH"}, verdict.why()


@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=[pytest.mark.slow] if k[0] == "m" else []) for k in HONEST]
)
def test_what_may_be_kept(verdict_on: Callable[[dict[str, str]], Verdict], kind: str) -> None:
    verdict = verdict_on(HONEST[kind])
    assert verdict.outcome == Outcome.CORRECT, verdict.why()
