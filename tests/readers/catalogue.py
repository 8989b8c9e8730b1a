"""Every reader of text that somebody else wrote: what it reads at its best, and how it is called.

A reader takes hostile bytes and a folder of its own. It may return, or raise one of REFUSALS, which users read as one
sentence. What it returns must be fit to be written: UTF-8, JSON, finite times.
"""

import contextlib
import json
import math
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import BaseModel

from akgen.agents.calls.edits import apply_edits
from akgen.agents.calls.replies import read_code
from akgen.agents.calls.structured import read_form
from akgen.agents.critic import Critique
from akgen.agents.models.completion import Assembly
from akgen.agents.models.faults import EndpointFault
from akgen.agents.models.http_client import _document, _error_text, _retry_after, _server_sent
from akgen.agents.models.replay import ReplayChatModel
from akgen.agents.models.resolve import ScriptedChatModel
from akgen.agents.planner import PlanReply
from akgen.agents.requests.code import source_of
from akgen.agents.requests.language import language_of
from akgen.agents.requests.pasted.extraction import extract_code
from akgen.agents.requests.sentence import parse_request
from akgen.bench.device_record.archive import OpenRecord, read_record
from akgen.bench.device_record.pack import pack
from akgen.bench.device_record.replay import replay
from akgen.bench.npukb.discovery import _param
from akgen.bench.npukb.opdef import read_opdef
from akgen.bench.npukb.rows import read_rows
from akgen.bench.record import BenchConfig, Record
from akgen.bench.resolve import resolve_task
from akgen.bench.store import BenchStore
from akgen.graph.chat.transcript import Transcript
from akgen.graph.store.calls import RunCalls
from akgen.graph.store.effects import latest
from akgen.graph.store.memory import open_memory
from akgen.knowledge.chip import chip
from akgen.settings import Environment
from akgen.tools.cann import msprof, msprof_op
from akgen.tools.core.frozen import json_text
from akgen.tools.core.outcome import InfraError, InputError, Outcome
from akgen.tools.core.project import read_project
from akgen.tools.core.task import Mode
from akgen.tools.core.verdict import Verdict
from akgen.tools.dsl.errors import DslError
from akgen.tools.dsl.parse import parse
from akgen.tools.judge import source_filter
from akgen.tools.process.program import Finished
from akgen.tools.serving.options import Adapter
from akgen.tools.timeline.page import DrawnLaunch, write_page
from akgen.tools.twin.findings.code import Code
from akgen.tools.twin.findings.compiler_ir import DUMP, take_dump
from akgen.tools.twin.findings.diagnostics import explain
from akgen.tools.twin.findings.scalar_code import refused_in
from akgen.tools.twin.host.host_run import HostFailure, describe
from akgen.tools.twin.kernel.dialect import initialise, unset_members
from akgen.tools.twin.kernel.elf import ElfRefused, read_elf, undefined_in
from akgen.tools.twin.places import frames
from akgen.tools.twin.report import name_lines_in_trace, profile_of, read_report
from akgen.tools.twin.runtime_build import Runtime
from akgen.tools.twin.sandboxed import exhausted
from akgen.tools.twin.settings import TwinSettings, read_fitted, user_cache
from akgen.tools.twin.toolchain import TwinToolchain
from akgen.tools.twin.unit_test import read_kernel_calls
from tests.bench.device_runs import device_run
from tests.command import command
from tests.readers.seeds import (
    ANSWER,
    CALL,
    CODE,
    CSV,
    DELTA,
    FINDING,
    FITTED,
    GIMPLE,
    HOST,
    LAUNCH,
    LLVM_IR,
    LOADED,
    MESSAGES,
    OPERATOR_BASICS,
    OPERATOR_CORES,
    PLACE,
    PLACES,
    PLAN,
    PROFILE,
    PYTHON,
    RUN,
    SAID,
    SENTENCE,
    SUMMARY,
    TESTS,
    TRACE,
    USAGE,
    VERDICT,
    lines,
    seed,
)  # fmt: skip

REFUSALS = (InputError, InfraError, EndpointFault, DslError, HostFailure)
KERNEL = "op_kernel/add.cpp"


@dataclass(frozen=True)
class Reader:
    """`seeds` are documents as they should be; `read` is called with a mutated one."""

    name: str
    seeds: tuple[bytes, ...]
    read: Callable[[bytes, Path], object]


def sound(value: object) -> None:
    """Refuse what cannot be written again, and times that are no times. Raises AssertionError."""
    if isinstance(value, BaseModel):
        json_text(value).encode()
        for name, inner in value:
            assert not (name.endswith("_us") and isinstance(inner, float) and not math.isfinite(inner)), name
            sound(inner)
    elif isinstance(value, str):
        value.encode()
    elif isinstance(value, dict):
        for pair in value.items():
            sound(pair)
    elif isinstance(value, list | tuple | frozenset):
        for inner in value:
            sound(inner)


@cache
def twin() -> TwinToolchain:
    chain = TwinToolchain(TwinSettings(cache=user_cache(os.environ)))
    chain.prepare(lambda line: None)
    return chain


def runtime() -> Runtime:
    """The twin's runtime on a machine without addr2line: places are no matter here."""
    built = twin().runtime
    return built.model_copy(update={"compiler": built.compiler.model_copy(update={"addr2line": None})})


def text(data: bytes) -> str:
    """Decode as a careless library would: halves of pairs stay."""
    return data.decode("utf-8", "surrogateescape")


def file(data: bytes, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def reply_with_code(data: bytes, folder: Path) -> object:
    from akgen.tools.core.plain_text import without_halves

    read = read_code(without_halves(text(data)), KERNEL, at_limit=len(data) % 2 == 0)
    changed, refused = apply_edits({KERNEL: "int a;\nint b;\n"}, read.edits)
    for path, content in {**read.files, **(changed if read.edits else {})}.items():
        assert path.startswith(("op_host/", "op_kernel/")) and ".." not in path
        content.encode()
    return read, refused


def reply_with_json(data: bytes, folder: Path) -> object:
    return read_form(text(data), PlanReply), read_form(text(data), Critique)


def answer_of_an_endpoint(data: bytes, folder: Path) -> object:
    assembly = Assembly(1 << 20)
    assembly.add(_document(data))
    return assembly.done()


def stream_of_an_endpoint(data: bytes, folder: Path) -> object:
    assembly = Assembly(1 << 20)
    for event in _server_sent(iter([data[: len(data) // 2], data[len(data) // 2 :]])):
        assembly.add(event)
    return assembly.done()


def refusal_of_an_endpoint(data: bytes, folder: Path) -> object:
    wait = _retry_after(text(data)[:40])
    assert wait is None or math.isfinite(wait)
    return _error_text(data)


def launcher_report(data: bytes, folder: Path) -> object:
    read = read_report(file(data, folder / "report.jsonl"), folder / "kernel.so", runtime())
    profile = profile_of(read.launch, "twin", None) if read.launch else None
    return read.diagnostics, profile, profile.summary() if profile else None


def trace(data: bytes, folder: Path) -> object:
    path = file(data, folder / "trace.json")
    believed = name_lines_in_trace(path, folder / "kernel.so", runtime())
    write_page(DrawnLaunch(title="a page", profile=PROFILE, trace=path), folder / "page.html")
    if believed:  # what is not stays as it came
        json.loads(path.read_text())
    return believed


def report_of_a_unit_test(data: bytes, folder: Path) -> object:
    return read_kernel_calls(file(data, folder / "report.jsonl"), folder / "program", runtime())


def compiled_library(data: bytes, folder: Path) -> object:
    path = file(data, folder / "kernel.so")
    with contextlib.suppress(ElfRefused):
        sound(read_elf(path))
    with contextlib.suppress(ElfRefused):
        sound(undefined_in(path))
    return None


def words_of_a_compiler(data: bytes, folder: Path) -> object:
    files = {KERNEL: "int a;\nint b;\n"}
    said = Finished(
        argv=(), rc=1, signal=None, timed_out=False, wall_s=1, cpu_s=1, max_rss_bytes=1, stdout=b"", stderr=data,
        truncated=False,
    )  # fmt: skip
    code = Code(side="device", files=files, given="", project=files)
    for name, content in files.items():
        file(content.encode(), folder / name)
    for path, line, member in unset_members(said.err):
        if path in files:
            initialise(folder / path, line, member)
    return explain(said.err, code), exhausted(said, KERNEL)


def intermediate_representation(data: bytes, folder: Path) -> object:
    file(data, folder / DUMP)
    return refused_in(take_dump(folder), {KERNEL: "float a(uint32_t n) { return (float)n; }\n" * 9})


def words_of_addr2line(data: bytes, folder: Path) -> object:
    return frames(text(data).encode("utf-8", "replace").decode())


def report_of_host_code(data: bytes, folder: Path) -> object:
    """A host runner that was taken over: it writes what it likes in the place of its report."""
    place = folder / "runtime"
    if not place.exists():
        shutil.copytree(twin().runtime.folder, place, copy_function=os.symlink)
        (place / "akgen_twin_host").unlink()
        script = '#!/bin/sh\nexec cp said "$(grep ^report "$1" | cut -f 2)"\n'
        file(script.encode(), place / "akgen_twin_host").chmod(0o755)
    file(data, folder / "said")
    made = runtime().model_copy(update={"folder": place})
    return describe("AddCustom", made, folder / "host.so", twin().chip_file, folder)


def task_folder(data: bytes, folder: Path) -> object:
    place = folder / "task"
    file(b"class Model: ...\ndef get_inputs(params): ...\n", place / "reference.py")
    file(data, place / "task.json")
    return resolve_task(str(place))


def certificate(data: bytes, folder: Path) -> object:
    shutil.copytree(TESTS.parent / "bench/tasks/relu", folder / "relu", dirs_exist_ok=True)
    file(data, folder / "relu/certificate.json")
    return resolve_task(str(folder / "relu"))


def python_file(data: bytes, folder: Path) -> object:
    return resolve_task(str(file(data, folder / "model.py")))


def project(data: bytes, folder: Path) -> object:
    file(data, folder / "project/op_kernel/add.cpp")
    read = read_project(folder / "project", "Add", "add")
    return read.digest, source_filter.look(read)


def rows(data: bytes, folder: Path) -> object:
    return [_param(cell) for row in read_rows(file(data, folder / "test_cases.csv")) for cell in row.values()]


def opdef(data: bytes, folder: Path) -> object:
    return read_opdef(file(data, folder / "blend_add.cpp"), "BlendAdd").spec


def op_summary(data: bytes, folder: Path) -> object:
    found = msprof.rows(file(data, folder / "op_summary_1.csv"))
    msprof.foreign_tasks(found, "AddCustom")
    return msprof.profile(found, "AddCustom", chip(), "cann 8", (10, 5))


def run_file(name: str) -> Callable[[bytes, Path], object]:
    """Damage one file of a run, then look at the run as a person does, and export it."""

    def read(data: bytes, folder: Path) -> object:
        run = folder / "run"
        shutil.rmtree(run, ignore_errors=True)
        shutil.copytree(RUN, run)
        file(data, run / name)
        for arguments in (
            ("show", run),
            ("harvest", "export", run, "--format", "sft", "--out", folder / "x"),
        ):
            ended = command(*arguments, "--json")
            assert ended.code in (0, 1, 2, 3) and "Traceback" not in ended.err, ended.err
            json.loads(ended.out)
        return None

    return read


def bench_file(name: str) -> Callable[[bytes, Path], object]:
    def read(data: bytes, folder: Path) -> object:
        place = folder / "bench"
        store = bench_run(place)
        file(data, place / name)
        for shown in (False, True):
            ended = command("bench", "report", place, *(["--json"] if shown else []))
            assert ended.code in (0, 1, 2, 3) and "Traceback" not in ended.err, ended.err
        del store
        return None

    return read


def bench_run(place: Path) -> BenchStore:
    shutil.rmtree(place, ignore_errors=True)
    config = BenchConfig(
        suite="builtin", source="composer", mode=Mode.STATIC, toolchain="twin 1", tasks=("relu", "elu")
    )
    store = BenchStore.begin(place, config)
    for name, outcome in (("relu", Outcome.CORRECT), ("elu", Outcome.TRAP)):
        store.append(
            Record(task=name, sample=0, level=1, category="elementwise", outcome=outcome, wall_s=1.0)
        )
    return store


def tape(data: bytes, folder: Path) -> object:
    ReplayChatModel.read(file(data, folder / "tape.jsonl"))
    return None


def script(data: bytes, folder: Path) -> object:
    ScriptedChatModel.read(file(data, folder / "script.jsonl"))
    return None


def calls(data: bytes, folder: Path) -> object:
    file(data, folder / "run/calls/abc-0.json")
    index = folder / "run/calls.jsonl"
    index.unlink(missing_ok=True)
    with contextlib.suppress(InputError):
        ReplayChatModel.read(folder / "run")
    return RunCalls(folder / "run").total()


def index_of_calls(data: bytes, folder: Path) -> object:
    (folder / "run/calls").mkdir(parents=True, exist_ok=True)
    file(data, folder / "run/calls.jsonl")
    return RunCalls(folder / "run").total()


def effect(data: bytes, folder: Path) -> object:
    file(data, folder / "effects/test-abc.json")
    return latest(folder / "effects", "test", Verdict)


def talk(data: bytes, folder: Path) -> object:
    file(data, folder / "talk.jsonl")
    return Transcript(folder).lines()


def memory(data: bytes, folder: Path) -> object:
    for old in folder.glob("memory.sqlite*"):
        old.unlink()
    with open_memory(file(data, folder / "memory.sqlite")) as opened:
        opened.known()
    return None


def dsl(data: bytes, folder: Path) -> object:
    parse(text(data))
    return None


def sentence(data: bytes, folder: Path) -> object:
    said = text(data)[:2000]
    found = extract_code(said)
    if found.code is not None:
        source_of(found.code, language_of(said))
    return parse_request(said)


def adapter(data: bytes, folder: Path) -> object:
    file(data, folder / "adapter_config.json")
    return Adapter(name="a", folder=folder).rank


@cache
def device_record() -> tuple[OpenRecord, bytes]:
    """Return a record of a run on a device, open and packed."""
    with tempfile.TemporaryDirectory() as folder:
        run = device_run(Path(folder) / "run", {"small_rows": {"total": 5.0, "MTE2": 2.0}})
        packed = pack(run, Path(folder) / "r.zip", Environment()).path
        return read_record(packed), packed.read_bytes()


def record_of_a_device(data: bytes, folder: Path) -> object:
    replay(read_record(file(data, folder / "r.zip")))
    return None


def inside_of_a_record(name: str) -> Callable[[bytes, Path], object]:
    def read(data: bytes, folder: Path) -> object:
        opened, _ = device_record()
        changed = {path: data if path.endswith(name) else own for path, own in opened.contents.items()}
        found = replay(opened.model_copy(update={"contents": changed}))
        return [one._asdict() for one in found.replays]

    return read


def seed_in_a_record(name: str) -> bytes:
    return next(own for path, own in device_record()[0].contents.items() if path.endswith(name))


def operator_files(data: bytes, folder: Path) -> object:
    file(OPERATOR_BASICS, folder / "OpBasicInfo.csv")
    for name in ("PipeUtilization", "Memory", "ResourceConflictRatio"):
        file(data, folder / f"{name}.csv")
    return msprof_op.with_cores(PROFILE, msprof_op.launches(folder), "AddCustom")


def fitted_timing(data: bytes, folder: Path) -> object:
    return read_fitted(file(data, folder / "timing.json"), "Ascend910B2").sentence


def catalogue() -> tuple[Reader, ...]:
    answer = TESTS / "bench/checkout/tasks/level1/Math/BlendAdd"
    kernel = seed(TESTS.parent / "finetune/training/cheats/scale_shift/op_kernel/scale_shift.cpp")
    program = sorted((TESTS / "dsl/programs").iterdir())
    return (
        Reader("reply with code", (CODE,), reply_with_code),
        Reader(
            "reply with JSON",
            (b"I think: " + lines(PLAN), lines({"action": "repair", "cause": "x", "fix": "y"})),
            reply_with_json,
        ),
        Reader("answer of an endpoint", (lines(ANSWER),), answer_of_an_endpoint),
        Reader(
            "stream of an endpoint",
            (b"".join(b"data: " + lines(e) for e in (DELTA, DELTA, ANSWER)) + b"data: [DONE]\n",),
            stream_of_an_endpoint,
        ),
        Reader(
            "refusal of an endpoint",
            (
                lines({"error": {"message": "no", "code": "insufficient_quota"}}),
                b"Wed, 21 Oct 2026 07:28:00 GMT",
            ),
            refusal_of_an_endpoint,
        ),
        Reader(
            "launcher's report",
            (lines({"kind": "locked"}, FINDING, LAUNCH, {"kind": "end", "peak_bytes": 7}),),
            launcher_report,
        ),
        Reader("trace", (lines(TRACE), lines(TRACE["traceEvents"])), trace),
        Reader(
            "report of a unit test",
            (
                lines(
                    {"kind": "kernel", "name": "k", "blocks": 1, "file": "a.cpp", "line": 3}, FINDING, LAUNCH
                ),
            ),
            report_of_a_unit_test,
        ),
        Reader(
            "report of host code",
            (lines(HOST), lines({"signal": 11, "so_offset": 5}), lines({"error": "HOST_LOAD", "text": "no"})),
            report_of_host_code,
        ),
        Reader("compiled library", _compiled_seeds(), compiled_library),
        Reader("words of a compiler", (MESSAGES,), words_of_a_compiler),
        Reader("intermediate representation", (GIMPLE, LLVM_IR), intermediate_representation),
        Reader("words of addr2line", (PLACES,), words_of_addr2line),
        Reader("task.json", (seed(TESTS.parent / "bench/tasks/relu/task.json"),), task_folder),
        Reader("certificate.json", (seed(TESTS.parent / "bench/tasks/relu/certificate.json"),), certificate),
        Reader("Python file as a task", (PYTHON,), python_file),
        Reader("project", (kernel,), project),
        Reader("test_cases.csv", (CSV,), rows),
        Reader("OpDef", (seed(answer / "answer/0/op_host/blend_add.cpp"),), opdef),
        Reader("op_summary.csv", (SUMMARY,), op_summary),
        Reader("files of msprof op", (OPERATOR_CORES,), operator_files),
        Reader("record of a device", (device_record()[1],), record_of_a_device),
        Reader(
            "attempt in a record", (seed_in_a_record("attempt.json"),), inside_of_a_record("attempt.json")
        ),
        Reader("call in a record", (seed_in_a_record("request.json"),), inside_of_a_record("request.json")),
        Reader(
            "times in a record", (seed_in_a_record("op_summary_1.csv"),), inside_of_a_record("summary_1.csv")
        ),
        Reader("fitted constants", (FITTED,), fitted_timing),
        *(
            Reader(name, (seed(RUN / name),), run_file(name))
            for name in (
                "run.json",
                PLACE + "task.json",
                PLACE + "result.json",
                PLACE + "sample-0/attempts.json",
                PLACE + "sample-0/events.jsonl",
                PLACE + "reference.sha256",
            )
        ),
        *(Reader(name, (_bench_seed(name),), bench_file(name)) for name in ("bench.json", "results.jsonl")),
        Reader(
            "tape of replies",
            (lines({"key": "a", "role": "coder", "reply": {"content": "x", "type": "ai"}}),),
            tape,
        ),
        Reader(
            "script of replies",
            (lines({"role": "coder", "text": "x", "token_ids": [1], "logprobs": [-1.0]}),),
            script,
        ),
        Reader("model call", (lines(CALL),), calls),
        Reader(
            "index of model calls", (lines({**USAGE, "file": "abc-0.json", "samples": [0]}),), index_of_calls
        ),
        Reader(
            "stored effect",
            (lines({"kind": "test", "key": "abc", "seconds": 1.0, "value": VERDICT}),),
            effect,
        ),
        Reader("talk.jsonl", (lines(SAID, {**SAID, "who": "akgen"}),), talk),
        Reader("memory", (_memory_seed(),), memory),
        Reader("tile DSL", tuple(map(seed, program[:4])), dsl),
        Reader("sentence", (SENTENCE,), sentence),
        Reader("adapter_config.json", (lines({"r": 8, "target_modules": ["q"]}),), adapter),
    )


def _compiled_seeds() -> tuple[bytes, ...]:
    """Return a library and an object file with what is looked for: constructors, indirect functions, unknown names."""
    from tempfile import TemporaryDirectory

    from akgen.tools.process.program import run

    with TemporaryDirectory() as place:
        folder = Path(place)
        file(LOADED, folder / "a.cpp")
        made = []
        for options in (("-shared", "-nostdlib"), ("-c",)):
            done = run(["g++", "-fPIC", *options, "-o", "a.out", "a.cpp"], cwd=folder, timeout_s=60)
            assert done.ok, done.err
            made.append(seed(folder / "a.out"))
    return tuple(made)


def _bench_seed(name: str) -> bytes:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as place:
        return seed(bench_run(Path(place) / "bench").folder / name)


def _memory_seed() -> bytes:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as place:
        with open_memory(Path(place) / "memory.sqlite"):
            pass
        return seed(Path(place) / "memory.sqlite")
