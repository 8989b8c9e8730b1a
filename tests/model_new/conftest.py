"""One answer that launches kernels itself, its binding built once, and the task that it is for."""

import ctypes
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from akgen.bench.resolve import resolve_task
from akgen.tools.core.call import Call
from akgen.tools.core.project import KernelProject
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Task
from akgen.tools.judge.judge import Judge, open_judge
from akgen.tools.model_new import recording
from akgen.tools.model_new.build import build, device_of, place
from akgen.tools.model_new.reading import read_record
from akgen.tools.model_new.steps import CallRecord, RecordingJob
from akgen.tools.toolchains import make_twin
from akgen.tools.twin.settings import user_cache
from akgen.tools.twin.toolchain import TwinToolchain

HERE = Path(__file__).parent
Record = Callable[[str], CallRecord]


@pytest.fixture(scope="session")
def twin() -> TwinToolchain:
    made = make_twin(Settings(cache=user_cache(os.environ)))
    made.prepare(print)
    return made


@pytest.fixture(scope="session")
def judge(twin: TwinToolchain) -> Iterator[Judge]:
    with open_judge(twin, print) as opened:
        yield opened


@pytest.fixture(scope="session")
def task() -> Task:
    return resolve_task(str(HERE / "relu.py"))


@pytest.fixture(scope="session")
def call(judge: Judge, task: Task) -> Call:
    return judge.describe(task)


def answer(model: str | None = None) -> KernelProject:
    """Return the answer, with another class if one is given."""
    files = {
        f"model/{p.relative_to(HERE / 'answer')}": p.read_text()
        for p in sorted((HERE / "answer").rglob("*"))
        if p.is_file() and p.suffix in (".py", ".cpp", ".h")
    }
    if model is not None:
        files["model/ModelNew.py"] = model
    return KernelProject(op_type="Relu", kernel="relu", files=files, model="model/ModelNew.py::ModelNew")


@pytest.fixture(scope="session")
def record(twin: TwinToolchain, call: Call, tmp_path_factory: pytest.TempPathFactory) -> Record:
    """Return what watches a class in this process: without the sandbox, and without its seconds of imports."""
    placed = place(answer(), twin.settings.cache)
    binding = build(placed, twin)
    device, chip = device_of(twin)

    def watched(text: str) -> CallRecord:
        out = tmp_path_factory.mktemp("class")
        (out / "ModelNew.py").write_text(text)
        job = RecordingJob(
            folder=out, file="ModelNew.py", name="ModelNew", binding=binding, sources=placed.sources,
            device=device, chip_library=chip, chip=twin.settings.chip, spec=None, calls=(call,), out=out,
        )  # fmt: skip
        (out / "job.json").write_text(job.model_dump_json())
        path, known = list(sys.path), set(sys.modules)
        try:
            recording.main(out / "job.json")
        finally:
            sys.path[:] = path
            for name in set(sys.modules) - known:
                file = getattr(sys.modules[name], "__file__", None) or "/"
                if any(Path(file).is_relative_to(folder) for folder in (out, twin.settings.cache)):
                    del sys.modules[name]  # of the answer; what it imports is everybody's
        return read_record(out / "0.jsonl", out / "0.bin", call)

    ctypes.CDLL(str(chip), mode=ctypes.RTLD_GLOBAL)
    return watched
