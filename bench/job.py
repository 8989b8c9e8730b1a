"""One task of a bench run, in a worker process: find or write its projects, judge them, make records."""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from akgen.agents.budget import Budget
from akgen.agents.run_config import Command, RunConfig
from akgen.bench.answers.reading import AnswerRefused
from akgen.bench.executors.executor import Job, Stage
from akgen.bench.metrics import tuning_steps
from akgen.bench.mkb.detector import detect
from akgen.bench.record import BenchConfig, Record, case_row, codes_of
from akgen.bench.sources import Answers, Folder, ProjectSource
from akgen.bench.suites import load_task
from akgen.graph.deps import Deps
from akgen.graph.run import open_deps, work_on
from akgen.graph.store.files import write_whole
from akgen.graph.store.records import SampleRecord
from akgen.graph.store.run_store import RunStore, TaskStore
from akgen.tools.core.outcome import AfterCandidate, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Task
from akgen.tools.core.toolchain import Build, ToolchainName
from akgen.tools.core.untrusted import read_model
from akgen.tools.core.verdict import Verdict
from akgen.tools.judge.judge import Judge, open_judge
from akgen.tools.reference.kept_trials import kept_trials
from akgen.tools.toolchains import make_toolchain

_PROC = Path("/proc")
_PARENT, _FIRST_TIME, _TIMES = 1, 11, 4  # fields after the name: parent; utime, stime, cutime, cstime


def processor_s() -> float:
    """Return the seconds of processor time that this process and its descendants have used until now."""
    stats = dict(_stats())
    mine, left = {os.getpid()}, set(stats)
    while more := {pid for pid in left - mine if int(stats[pid][_PARENT]) in mine}:
        mine |= more
    ticks = sum(int(t) for pid in mine & left for t in stats[pid][_FIRST_TIME : _FIRST_TIME + _TIMES])
    return ticks / os.sysconf("SC_CLK_TCK")


def _stats() -> Iterator[tuple[int, list[str]]]:
    for folder in _PROC.iterdir():
        if folder.name.isdigit():
            try:
                text = (folder / "stat").read_text()
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue  # it has ended, or is not shown
            yield int(folder.name), text.rpartition(")")[2].split()


def work_folder(run: Path, job: Job, sample: int) -> Path:
    """Return where a sample that is only judged is built and run; another attempt has another folder."""
    return run / "work" / (f"{job.task}-{sample}" + (f".{job.attempt}" if job.attempt > 1 else ""))


class Bench(Protocol):
    """Does jobs in a worker process. `solves`: the samples of a job are worked on together."""

    solves: bool
    trials: set[str]  # keys of kept trials that were used

    def perform(self, job: Job) -> Iterator[Record]:
        """Do a job. Raises InfraError and InputError; everything about a candidate is in the records."""
        ...


@contextmanager
def open_bench(config: BenchConfig, run: Path, settings: Settings) -> Iterator[Bench]:
    """Make what a worker needs; its processes end with the context."""
    if config.solves:
        store = RunStore.open(run)
        with open_deps(store, settings, lambda _line: None, lambda _event: None) as deps:
            yield _Solving(config, deps)
    else:
        source = Answers() if config.source == "answers" else Folder(Path(config.source))
        toolchain = make_toolchain(toolchain_name(config), settings, config.chip, strict=config.strict)
        with open_judge(toolchain, lambda _line: None, kept_trials(settings.cache)) as judge:
            yield _Judging(config, run, judge, source)


class _Judging:
    """Judges projects that exist."""

    solves = False

    def __init__(self, config: BenchConfig, run: Path, judge: Judge, source: ProjectSource) -> None:
        self._config, self._run, self._judge, self._source = config, run, judge, source
        self.trials = judge.reference.kept_keys

    def perform(self, job: Job) -> Iterator[Record]:
        task, left_out = _load(job, self._config)
        for number in job.samples:
            refused = ""
            try:
                project = self._source.project(task, number)
            except AnswerRefused as e:
                project, refused = None, str(e)
            if not task.cases:
                yield _nothing_to_judge(job, task, number, left_out)
            elif refused:
                yield _record(job, task, number, Outcome.NO_CODE, refused, left_out=left_out)
            elif project is None:
                text = f"the source {self._config.source} has no sample {number} of this task"
                yield _record(job, task, number, Outcome.NO_CODE, text, left_out=left_out)
            else:
                yield from self._sample(job, task, number, project, left_out)

    def _sample(
        self, job: Job, task: Task, number: int, project: KernelProject, left_out: int
    ) -> Iterator[Record]:
        """Judge a sample, or do its stage: what compiles leaves a build for another worker to run."""
        started = time.monotonic()
        work = work_folder(self._run, job, number)
        built = self._run / "work" / f"{task.name}-{number}.build.json"
        with AfterCandidate(bugs=True):
            earlier = read_model(Build, built, "") if job.stage is Stage.RUN and built.is_file() else None
            if earlier is None:
                shutil.rmtree(work, ignore_errors=True)
            build = earlier or self._judge.compile(project, task, work / "build")
            if job.stage is Stage.COMPILE and build.outcome is None:
                write_whole(built, build.model_dump_json())
                return
            verdict = self._judge.test(
                build, task, work / "test", trials=self._config.trials, seed=self._config.seed
            )
        record = _judged(job, task, number, verdict, left_out, time.monotonic() - started + _built_s(earlier))
        built.unlink(missing_ok=True)
        if project.model is not None:
            text = project.files.get(project.model.partition("::")[0], "")
            record = record.model_copy(update={"benchmark_detector": detect(text)})
        if record.solved:
            for folder in {work, build.folder.parent}:
                shutil.rmtree(folder, ignore_errors=True)  # what failed is kept for a look
        yield record


def _built_s(build: Build | None) -> float:
    return 0.0 if build is None else build.compile_s


class _Solving:
    """Lets the graph write projects, with the composer or a model."""

    solves = True

    def __init__(self, config: BenchConfig, deps: Deps) -> None:
        self._config, self._deps = config, deps
        self.trials: set[str] = set()

    def perform(self, job: Job) -> Iterator[Record]:
        task, left_out = _load(job, self._config)
        if not task.cases:
            yield from (_nothing_to_judge(job, task, n, left_out) for n in job.samples)
            return
        started, used_s = time.monotonic(), processor_s()
        with AfterCandidate(bugs=True):
            solution = work_on(task, self._deps)
        count = max(1, len(solution.candidates))
        wall_s, each_s = (time.monotonic() - started) / count, (processor_s() - used_s) / count
        for sample in solution.candidates:
            record = _from_sample(job, task, sample, self._deps.store.task(task.name), left_out, wall_s)
            yield record.model_copy(update={"processor_s": round(each_s, 2)})


def toolchain_name(config: BenchConfig) -> ToolchainName:
    return ToolchainName.CANN if config.toolchain.startswith("cann") else ToolchainName.TWIN


def run_config(config: BenchConfig) -> RunConfig:
    """Return the configuration that the run store of a solving bench run carries."""
    return RunConfig(
        **config.shared(),
        command=Command.BENCH,
        toolchain=toolchain_name(config),
        budget=(config.budget or Budget()).model_copy(update={"attempts": config.attempts}),
        extra={"suite": config.suite, "mode": config.mode},
    )


def _judged(job: Job, task: Task, number: int, verdict: Verdict, left_out: int, wall_s: float) -> Record:
    mean_us = verdict.mean_us(correct=True)
    params = {case.id: case.params for case in task.cases}
    return _record(job, task, number, verdict.outcome, verdict.why(), left_out=left_out).model_copy(
        update={
            "codes": codes_of(verdict),
            "warnings": codes_of(verdict, "warning"),
            "cases": tuple(case_row(c, params.get(c.id)) for c in verdict.cases),
            "cause": verdict.mismatch.cause if verdict.mismatch is not None else None,
            "drawn": verdict.drawn_outcome,
            "compile_s": round(verdict.compile_s, 3),
            "kernel_compile_s": verdict.kernel_compile_s,
            "wall_s": round(wall_s, 3),
            "time_us": mean_us,
            "time_source": verdict.time_source if mean_us else None,
        }
    )


def _from_sample(
    job: Job, task: Task, sample: SampleRecord, store: TaskStore, left_out: int, wall_s: float
) -> Record:
    attempts = {a.number: a for a in store.sample(sample.sample).attempts()}
    best = attempts.get(sample.best) if sample.best is not None else None
    spent = sample.spent
    update: dict[str, object] = {
        "attempts": len(sample.attempts),
        "course": tuple((row.failure or "correct").split(" ", 1)[0] for row in sample.attempts),
        "wall_s": round(wall_s, 3),
        "tuning": tuning_steps(sample.attempts),
        "input_tokens": spent.tokens - spent.output_tokens,
        "output_tokens": spent.output_tokens,
        "cost": spent.cost,
    }
    if best is not None and best.verdict.cases:
        judged = _judged(job, task, sample.sample, best.verdict, left_out, wall_s)
        return judged.model_copy(update=update)
    last = sample.attempts[-1] if sample.attempts else None
    whole = attempts.get(last.number) if last is not None else None
    why = whole.verdict.why() if whole is not None else ""
    update["codes"] = codes_of(whole.verdict) if whole is not None else ()
    record = _record(job, task, sample.sample, sample.outcome, why or sample.stopped or "", left_out=left_out)
    return record.model_copy(update=update)


def _load(job: Job, config: BenchConfig) -> tuple[Task, int]:
    return load_task(job.folder, config.mode, config.max_mb, full=config.full_sizes)


def _record(job: Job, task: Task, number: int, outcome: Outcome, why: str, *, left_out: int) -> Record:
    return Record(
        task=task.name,
        sample=number,
        level=job.level,
        category=task.category,
        outcome=outcome,
        why=why,
        cases_left_out=left_out,
    )


def _nothing_to_judge(job: Job, task: Task, number: int, left_out: int) -> Record:
    text = "the task has no cases"
    return _record(job, task, number, Outcome.UNSUPPORTED, text, left_out=left_out)
