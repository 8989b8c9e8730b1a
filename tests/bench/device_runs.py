"""Runs as a machine with an NPU leaves them, with times of ours: the same kernel on other shapes for each task."""

import csv
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from akgen.agents.budget import Budget, Spent
from akgen.agents.prompts.builder import example_project
from akgen.agents.roles import Decision
from akgen.agents.run_config import Command, RunConfig
from akgen.bench.device_record.pack import REQUEST
from akgen.graph.store.records import Attempt, RunInfo
from akgen.graph.store.run_store import RunStore
from akgen.knowledge.chip import chip
from akgen.tools.cann import msprof
from akgen.tools.cann.worker import RunnerRequest
from akgen.tools.core.call import Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.op_spec import OpSpec, ParamSpec
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.core.toolchain import ToolchainName
from akgen.tools.core.verdict import Verdict

REHEARSAL = "cann 8.1.RC1.rehearsal (Ascend910B2)"
SHAPES = {"small_rows": (8, 64), "many_rows": (512, 256), "wide_rows": (256, 2048)}
_COLUMNS = {"V": "vec", "S": "scalar", "MTE2": "mte2", "MTE3": "mte3"}
Busy = Mapping[str, float]  # by pipe, and `total`


def device_run(
    folder: Path, times: Mapping[str, Busy], *, toolchain: str = REHEARSAL, log: str = "built\n"
) -> Path:
    """Write a run with a measured, correct attempt for each task."""
    config = RunConfig(command=Command.SOLVE, toolchain=ToolchainName.CANN, seed=1, budget=Budget(attempts=1))
    info = RunInfo(
        id="run", created_at=datetime.now(UTC), config=config, versions={"akgen": "0.1.0"},
        toolchain=toolchain,
    )  # fmt: skip
    runs = RunStore.create(folder, info)
    project = example_project()
    for name, busy in times.items():
        place = runs.task(name)
        reference = Reference(loader="none", path=Path("/home/somebody/tasks/reference.py"))
        place.save_task(
            Task(name=name, suite="file", op_type=project.op_type, kernel=project.kernel, reference=reference,
                 cases=(Case(id="0"),))
        )  # fmt: skip
        attempt = place.sample(0).attempt_folder(1)
        project.write_to(attempt / "project")
        (attempt / "build/logs").mkdir(parents=True)
        (attempt / "build/logs/build.log").write_text(log)
        profiled = attempt / "profile/run/profiled"
        profiled.mkdir(parents=True)
        request = _request(project.op_type, SHAPES[name], profiled)
        (profiled / REQUEST).write_text(request.model_dump_json())
        (profiled / "in0.raw").write_bytes(b"values of a tensor")
        _summary(profiled / "op_summary_1.csv", busy)
        meta = request.call.outputs[0].meta if request.call else None
        assert isinstance(meta, TensorMeta)
        moved = (meta.size_bytes, meta.size_bytes)
        measured = msprof.profile(msprof.rows(profiled), "AddOneH1", chip(), toolchain, moved)
        verdict = Verdict(outcome=Outcome.CORRECT, toolchain=toolchain, compile_s=1.0)
        place.sample(0).save_attempt(
            Attempt(
                number=1, sample=0, feedback=None, plan=None, project=Path("sample-0/attempt-1/project"),
                op_type=project.op_type, kernel=project.kernel, digest=project.digest, verdict=verdict,
                profile=measured, decision=Decision(action="accept", why="correct"), spent=Spent(),
                coder_messages=({"role": "user", "content": "what was said to a model"},),
            )
        )  # fmt: skip
    return folder


def failed_run(folder: Path, log: str, found: Diagnostic) -> Path:
    """Write a run whose only attempt did not compile."""
    device_run(folder, {"small_rows": {"total": 5.0}}, log=log)
    path = folder / "tasks/small_rows/sample-0/attempts.json"
    attempts = json.loads(path.read_text())
    attempts[0]["verdict"] |= {"outcome": "compile_error", "diagnostics": [found.model_dump()]}
    path.write_text(json.dumps(attempts))
    return folder


def _request(op_type: str, shape: tuple[int, ...], folder: Path) -> RunnerRequest:
    meta = TensorMeta(dtype=DType.FLOAT32, shape=shape)
    x = TensorFile(dtype=meta.dtype, shape=shape, path=folder / "in0.raw")
    types = ParamSpec(name="x", dtypes=(DType.FLOAT32,))
    spec = OpSpec(op_type="AddOneH1", inputs=(types,), outputs=(types.model_copy(update={"name": "y"}),))
    call = Call(inputs=(x,), outputs=(OutputMeta(meta=meta),))
    return RunnerRequest(call=call, spec=spec, library=folder / "lib.so", folder=folder, device=0)


def _summary(path: Path, busy: Busy) -> None:
    head = ["OP Type", "Task Duration(us)", "Block Dim", *(f"aiv_{w}_time(us)" for w in _COLUMNS.values())]
    row = ["AddOneH1", busy["total"], 8, *(busy.get(p, 0.0) for p in _COLUMNS)]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head, row])
