"""Whole answers judged as the graph judges them: read, lowered, built and run on the twin, beside PyTorch.

What a candidate is lies in its sandbox; expected results and rewards never leave the judge's side. Each task is judged
on the cases that its prompt names and on shapes that are drawn anew for every batch.
"""

import hashlib
import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Literal

from pydantic import ValidationError

from akgen.agents.calls.edits import apply_edits
from akgen.agents.calls.replies import read_code
from akgen.agents.coder import HOST_DATA
from akgen.agents.dsl_coder import operator_of, read_program
from akgen.agents.kernel_only import host_files
from akgen.agents.prompts.feedback import explain
from akgen.bench.builtin import LOADER
from akgen.finetune.data.record import Message
from akgen.finetune.training.recipe import Judging
from akgen.finetune.training.rewards import Judged, facts_of_verdict
from akgen.graph.store.files import make_folder, write_whole
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic, InputError, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Case, Mode, Reference, Task
from akgen.tools.core.untrusted import first_fault, read_json_lines
from akgen.tools.core.verdict import Verdict
from akgen.tools.dsl import DslError, lower
from akgen.tools.dsl.parse import parse
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.reference.drawn_shapes import draw
from akgen.tools.toolchains import make_twin

_REMEDY = "Write the tasks with akgen data export --format trl; they are in grpo-train.jsonl."


class JudgedTask(Frozen):
    """A row of an exported file for GRPO: what is asked, and all that judging an answer takes."""

    prompt: tuple[Message, ...]
    task: str
    op_type: str
    kernel: str
    reference: str
    cases: str  # JSON
    form: Literal["dsl", "project"]
    family: str = "other"

    @property
    def listed_cases(self) -> tuple[Case, ...]:
        return tuple(Case.model_validate(case) for case in json.loads(self.cases))


def read_tasks(file: Path) -> list[JudgedTask]:
    """Return the tasks of a file. Raises InputError if it holds none."""
    if not file.is_file():
        raise InputError(f"There are no tasks at {file}.", _REMEDY)
    rows = ({k: row.get(k) for k in JudgedTask.model_fields} for row in read_json_lines(file, _REMEDY))
    try:
        found = [JudgedTask.model_validate(row) for row in rows]
    except ValidationError as problem:
        raise InputError(f"{file} holds what is no task: {first_fault(problem)}.", _REMEDY) from problem
    if not found:
        raise InputError(f"{file} holds no tasks.", _REMEDY)
    return found


class TwinEnvironment:
    """Judges, each with a reference process of its own, that take answers in turn."""

    def __init__(self, judges: Sequence[Judge], folder: Path, judging: Judging, seed: int) -> None:
        self._folder, self._judging, self._rng = folder, judging, random.Random(seed)
        self._count = len(judges)
        self._free: SimpleQueue[Judge] = SimpleQueue()
        for judge in judges:
            self._free.put(judge)

    def judged(self, answers: Sequence[tuple[JudgedTask, str]]) -> list[Judged]:
        """Judge answers, equal ones once; those to one task are judged on the same shapes and hidden inputs.

        Raises InfraError when the machine is at fault.
        """
        seeds = {task: self._rng.getrandbits(48) for task in dict.fromkeys(task for task, _ in answers)}
        tasks = {asked: self._task(asked) for asked in seeds}
        once = list(dict.fromkeys(answers))
        with ThreadPoolExecutor(max_workers=self._count) as pool:
            results = pool.map(lambda a: self._one(a[0], tasks[a[0]], a[1], seeds[a[0]]), once)
            found = dict(zip(once, results, strict=True))
        return [found[answer] for answer in answers]

    def _one(self, asked: JudgedTask, task: Task, text: str, seed: int) -> Judged:
        judge = self._free.get()
        try:
            verdict = self._verdict(judge, asked, task, text, seed)
        finally:
            self._free.put(judge)
        facts = facts_of_verdict(verdict, {case.id for case in task.cases})
        return Judged(facts=facts, told=None if facts.correct else explain(verdict))

    def _verdict(self, judge: Judge, asked: JudgedTask, task: Task, text: str, seed: int) -> Verdict:
        try:
            project = project_of_answer(asked.form, text, task, judge)
        except DslError as error:
            return _stopped(judge, Outcome.COMPILE_ERROR, error.diagnostics)
        if isinstance(project, Diagnostic):
            return _stopped(judge, Outcome.NO_CODE, (project,))
        cases = (*task.cases, *self._drawn(judge, task, seed))
        with tempfile.TemporaryDirectory(prefix="akgen-grpo-") as work:
            return judge.judge(
                project, task, work=Path(work), cases=cases, trials=self._judging.trials, seed=seed
            )

    def _drawn(self, judge: Judge, task: Task, seed: int) -> Iterator[Case]:
        describe = partial(judge.reference.describe, task.reference)
        for number in range(self._judging.hidden_shapes):
            drawn = draw(task, task.cases, describe, seed + number)
            if drawn.case is not None:
                yield drawn.case.model_copy(update={"id": f"hidden {number}"})

    def _task(self, asked: JudgedTask) -> Task:
        name = hashlib.sha256(asked.reference.encode()).hexdigest()[:16]
        place = make_folder(self._folder / name) / "reference.py"
        if not place.is_file() or place.read_text() != asked.reference:
            write_whole(place, asked.reference)
        return Task(
            name=asked.task, suite="file", category=asked.family, op_type=asked.op_type, kernel=asked.kernel,
            reference=Reference(loader=LOADER, path=place), cases=asked.listed_cases,
            mode=Mode.STATIC if len(asked.listed_cases) == 1 else Mode.DYNAMIC,
        )  # fmt: skip


def project_of_answer(form: str, text: str, task: Task, judge: Judge) -> KernelProject | Diagnostic:
    """Read an answer as the coders do; a finding says why it holds no project. Raises DslError for a bad program."""
    if form == "dsl":
        program = read_program(text)
        if program is None:
            return Diagnostic(code="NO_CODE", text="The reply holds no block with a program.", stage="write")
        return lower(parse(program), operator_of(task, judge.describe), task.kernel)
    kernel = f"op_kernel/{task.kernel}.cpp"
    reply = read_code(text, kernel)
    files, refused = apply_edits(dict(reply.files), reply.edits)
    if reply.problem is not None or refused is not None or kernel not in files:
        why = reply.problem or f"The reply has no file {kernel}."
        return Diagnostic(code=reply.code if reply.problem else "NO_CODE", text=why, stage="write")
    if HOST_DATA not in files[kernel] and not any(path.startswith("op_host/") for path in files):
        files = host_files(task, judge.describe(task), files[kernel]) | files
    return KernelProject(op_type=task.op_type, kernel=task.kernel, files=files)


@contextmanager
def open_twin(settings: Settings, judging: Judging, seed: int, folder: Path) -> Iterator[TwinEnvironment]:
    """Prepare the twin and start the judges' reference processes; they end with the context."""
    toolchain = make_twin(settings, settings.chip)
    with ExitStack() as stack:
        references = [stack.enter_context(ReferenceWorker()) for _ in range(judging.workers)]
        toolchain.prepare(lambda _line: None)
        yield TwinEnvironment([Judge(toolchain, r) for r in references], folder, judging, seed)


def _stopped(judge: Judge, outcome: Outcome, found: tuple[Diagnostic, ...]) -> Verdict:
    return Verdict(outcome=outcome, toolchain=judge.toolchain, compile_s=0.0, diagnostics=found)
