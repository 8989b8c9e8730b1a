"""A recorded bench run to look at: samples and attempts with every kind of text that a page shows."""

from datetime import UTC, datetime
from pathlib import Path

from akgen.agents.budget import Spent
from akgen.agents.plan import Buffer, Plan, Tiling
from akgen.agents.roles import Decision, Feedback
from akgen.bench.job import run_config
from akgen.bench.record import BenchConfig, CaseRow, Record
from akgen.bench.store import BenchStore
from akgen.graph.store.records import Attempt, RunInfo
from akgen.graph.store.run_store import RunStore, TaskStore
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.profile import PipeTime, Profile
from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.core.verdict import CaseVerdict, HeatMap, Mismatch, Verdict

KERNEL = """#include "kernel_operator.h"
using namespace AscendC;

class Halve {{
public:
    __aicore__ inline void Process(LocalTensor<half> &x, uint32_t count)
    {{
        {line}
    }}
}};
// {said}
"""
WRONG_LINE, TRAP_LINE, RIGHT_LINE = (
    "Mulz(x, x, half(0.5), count);",
    "Muls(x, x, half(0.5), 2 * count);",
    "Muls(x, x, half(0.5), count);",
)
HEAT = HeatMap(rows=4, columns=8, cells=("......99", "......99", ".....399", "......99"))
COURSE = (Outcome.COMPILE_ERROR, Outcome.TRAP, Outcome.WRONG, Outcome.CORRECT)


def recorded(
    folder: Path, *, said: str = "said", samples: int = 2, tasks: tuple[str, ...] = ("halve", "double")
) -> BenchStore:
    """Write a run: first samples are solved with the fourth attempt, others end wrong; `said` is in every text."""
    config = BenchConfig(
        suite=str(folder / "suite"), source="model", model=f"openai:{said}", mode="dynamic", toolchain="twin 0",
        tasks=tasks, samples=samples, attempts=4,
    )  # fmt: skip
    for task in tasks:
        place = folder / "suite" / task
        place.mkdir(parents=True)
        (place / "task.json").write_text(
            '{"level": 1, "category": "c", "description": "d", "cases": [{"id": "0"}]}'
        )
    store = BenchStore.begin(folder, config)
    info = RunInfo(
        id="run", created_at=datetime.now(UTC), config=run_config(config), versions={}, toolchain="twin 0"
    )
    runs = RunStore.create(folder, info)
    for number, name in enumerate(tasks):
        place = runs.task(name)
        place.save_task(_task(name, said))
        for sample in range(samples):
            course = COURSE if sample == 0 and number % 2 == 0 else COURSE[:3]
            for attempt in range(1, len(course) + 1):
                place.sample(sample).save_attempt(_attempt(place, sample, attempt, course, said))
            store.append(_record(name, sample, course, said))
    return store


def _task(name: str, said: str) -> Task:
    return Task(
        name=name, suite="file", category=said, op_type="Halve", kernel="halve", description=f"Halve it. {said}",
        reference=Reference(loader="none", path=Path(f"/none/{said.replace('/', '')}")),
        cases=(Case(id="0", params={"shape": [4, 8], "dtype": "float16", "note": said}),),
    )  # fmt: skip


def _record(name: str, sample: int, course: tuple[Outcome, ...], said: str) -> Record:
    last = course[-1]
    case = CaseRow(
        id="0", outcome=last, time_us=3.0, time_source="predicted", roofline_us=1.5, dtype="float16", why=said,
    )  # fmt: skip
    return Record(
        task=name, sample=sample, level=1, category=said, outcome=last,
        why="" if last is Outcome.CORRECT else f"wrong: {said}",
        cases=(case,), time_us=3.0, time_source="predicted", attempts=len(course), wall_s=20.0,
        course=tuple("correct" if o is Outcome.CORRECT else str(o).upper() for o in course),
        cause=None if last is Outcome.CORRECT else "axis", input_tokens=900, output_tokens=100, cost=0.01,
    )  # fmt: skip


def _attempt(place: TaskStore, sample: int, number: int, course: tuple[Outcome, ...], said: str) -> Attempt:
    outcome = course[number - 1]
    line = {Outcome.COMPILE_ERROR: WRONG_LINE, Outcome.TRAP: TRAP_LINE}.get(outcome, RIGHT_LINE)
    project = Path(f"sample-{sample}/attempt-{number}/project")
    kernel = place.folder / project / "op_kernel" / "halve.cpp"
    kernel.parent.mkdir(parents=True)
    kernel.write_text(KERNEL.format(line=line, said=said))
    (place.folder / project / "op_host").mkdir()
    (place.folder / project / "op_host" / "halve.cpp").write_text("// the host\n")
    profile = _profile() if outcome is Outcome.CORRECT else None
    if profile is not None:
        (trace := place.folder / project.parent / "profile" / "run" / "trace.json").parent.mkdir(parents=True)
        trace.write_text(TRACE.replace("SAID", said.replace('"', "'").replace("\\", "")))
    return Attempt(
        number=number, sample=sample, project=project, op_type="Halve", kernel="halve", verdict=_verdict(outcome, said),
        profile=profile, spent=Spent(attempts=number),
        feedback=Feedback(attempt=number - 1, outcome=course[number - 2], text=f"Mend it. {said}")
        if number > 1 else None,
        plan=Plan(
            origin=f"model:{said}", category="elementwise", thought=f"Half of it. {said}", apis=(said,), risks=(said,),
            tiling=Tiling(
                block_dim=8, tile_length=256, ub_bytes=1024, double_buffer=True, tail=said, split=said,
                buffers=(Buffer(name=said, role="in", dtype="float16", size_bytes=512, copies=2),),
            ),
        ),
        decision=Decision(action="accept" if outcome is Outcome.CORRECT else "repair", feedback=None, why=said),
        coder_messages=(
            {"role": "system", "content": f"You write kernels. {said}"},
            {"role": "user", "content": f"Write it. {said}"},
            {"role": "assistant", "content": f"<think>Let me see. {said}</think>\nHere it is. {said}"},
        ),
    )  # fmt: skip


def _verdict(outcome: Outcome, said: str) -> Verdict:
    codes = {Outcome.COMPILE_ERROR: "UNKNOWN_API", Outcome.TRAP: "TENSOR_RANGE"}
    found = tuple(
        Diagnostic(
            code=codes[outcome], text=f"Line 8 is at fault. {said}", file="op_kernel/halve.cpp", line=8,
            remedy=f"Write Muls. {said}",
        )
        for _ in range(outcome in codes)
    )  # fmt: skip
    if outcome is Outcome.COMPILE_ERROR:
        return Verdict(outcome=outcome, toolchain="twin 0", compile_s=0.1, diagnostics=found)
    wrong = Mismatch(
        output=0, pattern="tail", count=9, total=32, first_index=(0, 6), max_abs=0.5, max_rel=1.0, note=said,
        by_axis=said, heat=HEAT, cause="axis", what=said, evidence=said,
    )  # fmt: skip
    case = CaseVerdict(
        id="0", outcome=outcome, trials=3, max_abs=0.5, diagnostics=found,
        mismatch=wrong if outcome is Outcome.WRONG else None, time_us=3.0, time_source="predicted",
    )  # fmt: skip
    return Verdict(outcome=outcome, toolchain="twin 0", compile_s=0.1, cases=(case,))


def _profile() -> Profile:
    pipe = PipeTime(pipe="V", busy_us=1.5, stalled_us=0.5, idle_us=1.0, instructions=4)
    return Profile(
        time_us=3.0, time_source="predicted", toolchain="twin 0", cores=8, gm_read_bytes=64, gm_write_bytes=64,
        pipes=(pipe,), bound="memory", roofline_share=0.5, roofline_us=1.5, core_imbalance=1.0,
    )  # fmt: skip


TRACE = """{"traceEvents": [
 {"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "aiv0", "block": 0}},
 {"ph": "M", "name": "thread_name", "pid": 0, "tid": 1, "args": {"name": "V"}},
 {"ph": "X", "name": "Muls SAID", "pid": 0, "tid": 1, "ts": 0.5, "dur": 1.5,
  "args": {"source": "op_kernel/halve.cpp:8"}},
 {"ph": "X", "cat": "wait", "name": "waits SAID", "pid": 0, "tid": 1, "ts": 2.0, "dur": 0.5}
]}"""
