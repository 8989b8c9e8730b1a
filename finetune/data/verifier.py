"""Solve drawn operators with the composer, let the judge say what every text is worth, and judge stored texts again."""

import json
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from akgen.agents.composer import ModelFree
from akgen.agents.dsl_coder import operator_of
from akgen.agents.plan import Plan
from akgen.bench.builtin import LOADER
from akgen.finetune.data.parts.documents import SnippetJudge
from akgen.finetune.data.record import JudgedText, Rewards, TrainingRecord
from akgen.finetune.data.shards import read_records
from akgen.finetune.data.texts import files_text
from akgen.finetune.operators.tasks import Operator
from akgen.graph.store.files import make_folder, write_whole
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.knobs import Knobs
from akgen.tools.core.op_spec import camel_case, entry_name
from akgen.tools.core.outcome import Diagnostic, InputError, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Case, Mode, Reference, Task
from akgen.tools.core.verdict import Verdict
from akgen.tools.dsl import DslError, lower
from akgen.tools.dsl.parse import parse
from akgen.tools.judge.judge import Judge, open_judge
from akgen.tools.twin.toolchain import TwinToolchain

TRIALS = 1  # hidden inputs for each case; a case that the task does not list comes beside them
_SAME_TIME = 1e-6


class SolvedTask(Frozen):
    """A task, the program and the project that solve it, and what the judge says of them."""

    task: Task
    plan: Plan
    dsl: str
    project: KernelProject
    verdict: Verdict


class Verifier:
    """Judges texts below `folder`, always on the same hidden inputs, so that it says the same again."""

    def __init__(self, judge: Judge, folder: Path, seed: int, twin: TwinToolchain | None = None) -> None:
        """`twin` builds the snippets of documents; without it there are none to judge."""
        self.judge, self.folder, self.seed = judge, folder, seed
        self._twin = twin
        self.composer = ModelFree()
        self._snippets: SnippetJudge | None = None
        self._work = 0

    @property
    def toolchain(self) -> str:
        return self.judge.toolchain

    @property
    def snippets(self) -> SnippetJudge:
        """Return what judges the snippets of documents."""
        if self._snippets is None:
            assert self._twin is not None, "documents are verified with a twin"
            self._snippets = SnippetJudge(self._twin, self.folder / "snippets")
        return self._snippets

    def task_of(self, operator: Operator) -> Task:
        """Return a drawn operator as a task; its reference is written down."""
        kernel = entry_name(operator.name)
        return self._task(
            operator.name, camel_case(operator.name), kernel, operator.reference, operator.task.cases,
            operator.difficulty, operator.task.category, operator.task.description,
        )  # fmt: skip

    def task_of_record(self, record: TrainingRecord) -> Task:
        """Return a record's task. Raises InputError if it has none."""
        if record.task is None or record.op_type is None or record.kernel is None:
            raise InputError(f"Record {record.id} names no task.", "Verify records that do.")
        return self._task(
            record.task, record.op_type, record.kernel, record.reference, record.listed_cases, record.level,
            record.family, record.description_en,
        )  # fmt: skip

    def solved(self, task: Task, knobs: Knobs | None = None, sample: int = 0) -> SolvedTask | Diagnostic:
        """Compose and judge; a diagnostic says why there is nothing to judge."""
        wanted = task.model_copy(update={"knobs": knobs})
        planned = self.composer.plan(wanted, None, sample)
        if planned.plan is None:
            return planned.diagnostics[0]
        written = self.composer.write(wanted, planned.plan, None, None, sample)
        if written.project is None or written.dsl is None:
            return written.diagnostics[0]
        verdict = self.judged(written.project, task)
        return SolvedTask(
            task=task, plan=planned.plan, dsl=written.dsl, project=written.project, verdict=verdict
        )

    def judged(self, project: KernelProject, task: Task) -> Verdict:
        self._work += 1
        work = self.folder / "work" / str(self._work)
        return self.judge.judge(
            project, task, work=work, trials=TRIALS, seed=self.seed, stop_on_first_failure=True
        )

    def judged_dsl(self, text: str, task: Task) -> Verdict:
        """Judge a program after its lowering; what stops the lowering is a compile error."""
        try:
            project = lower(parse(text), operator_of(task, self.judge.describe), task.kernel)
        except DslError as error:
            return Verdict(
                outcome=Outcome.COMPILE_ERROR, toolchain=self.toolchain, compile_s=0.0,
                diagnostics=error.diagnostics,
            )  # fmt: skip
        return self.judged(project, task)

    def holds(self, claim: JudgedText, record: TrainingRecord) -> str | None:
        """Judge a record's text anew; return what is otherwise now, None if nothing is."""
        if claim.form == "snippet":
            return self.snippets.says_again(claim)
        return self.says_again(claim, self.task_of_record(record))

    def says_again(self, claim: JudgedText, task: Task) -> str | None:
        """Judge a claim's text anew; return what is otherwise now, None if nothing is."""
        if claim.form == "dsl":
            verdict = self.judged_dsl(claim.text, task)
        else:
            verdict = self.judged(project_of(claim.text, task), task)
        now = claim_of(verdict, claim.role, claim.form, claim.text)
        if now.outcome != claim.outcome:
            return f"{claim.role}: {claim.outcome} when it was written, {now.outcome} now"
        if now.code != claim.code:
            return f"{claim.role}: {claim.code} when it was written, {now.code} now"
        if (now.time_us is None) != (claim.time_us is None) or (
            now.time_us and claim.time_us and abs(now.time_us / claim.time_us - 1) > _SAME_TIME
        ):
            return f"{claim.role}: {claim.time_us} us when it was written, {now.time_us} us now"
        return None

    def _task(
        self, name: str, op_type: str, kernel: str, reference: str, cases: Sequence[Case], level: int,
        category: str, description: str,
    ) -> Task:  # fmt: skip
        place = make_folder(self.folder / "tasks" / name) / "reference.py"
        if not place.is_file() or place.read_text() != reference:
            write_whole(place, reference)
        return Task(
            name=name, suite="file", level=level, category=category, op_type=op_type, kernel=kernel,
            description=description, reference=Reference(loader=LOADER, path=place), cases=tuple(cases),
            mode=Mode.STATIC if len(cases) == 1 else Mode.DYNAMIC,
        )  # fmt: skip


def project_of(text: str, task: Task) -> KernelProject:
    """Return the project whose files a claim keeps."""
    return KernelProject(op_type=task.op_type, kernel=task.kernel, files=json.loads(text))


def claim_of(verdict: Verdict, role: str, form: str, text: str) -> JudgedText:
    """Return what a verdict says of a text."""
    codes = verdict.codes()
    slowest = verdict.slowest
    return JudgedText.model_validate({
        "role": role, "form": form, "text": text, "outcome": str(verdict.outcome),
        "code": codes[0] if codes else None,
        "time_us": verdict.total_us if verdict.outcome is Outcome.CORRECT else None,
        "bound": slowest.bound if slowest and verdict.outcome is Outcome.CORRECT else None,
        "cases": len(verdict.cases), "correct": sum(c.outcome is Outcome.CORRECT for c in verdict.cases),
    })  # fmt: skip


def project_claim(verdict: Verdict, role: str, project: KernelProject) -> JudgedText:
    return claim_of(verdict, role, "project", files_text(project))


def rewards_of(verdict: Verdict) -> Rewards:
    """Return the parts of a verdict's reward. A cheat gets none of them."""
    if verdict.outcome is Outcome.CHEAT:
        return Rewards(form=0.0)
    ran = bool(verdict.cases)
    slowest = verdict.slowest
    right = [case.outcome is Outcome.CORRECT for case in verdict.cases]
    return Rewards(
        form=1.0, compiles=float(ran), silent=float(ran and not verdict.findings),
        share=sum(right) / len(right) if right else 0.0,
        correct=float(verdict.outcome is Outcome.CORRECT),
        speed=slowest.roofline_share if slowest and verdict.outcome is Outcome.CORRECT else None,
    )  # fmt: skip


class Verified(Frozen):
    """What of a sample holds; `failed` says per record what does not."""

    sampled: int
    of: int
    claims: int
    failed: dict[str, str]


def sample(folder: Path, count: int, seed: int) -> tuple[list[TrainingRecord], int]:
    """Draw records that claim something; also return how many there are. Raises InputError for damaged data."""
    claiming = [r for r in read_records(folder) if r.claims]
    chosen = random.Random(seed).sample(range(len(claiming)), min(count, len(claiming)))
    return [claiming[n] for n in sorted(chosen)], len(claiming)


def verify(
    records: Sequence[TrainingRecord], of: int, toolchain: TwinToolchain, on_record: Callable[[str], None]
) -> Verified:
    """Judge every text of these records anew."""
    with (
        open_judge(toolchain, lambda _line: None) as judge,
        tempfile.TemporaryDirectory(prefix="akgen-") as work,
    ):
        found = {}
        for record, why in judged_again(records, judge, toolchain, Path(work)):
            on_record(record.id)
            if why is not None:
                found[record.id] = why
    return Verified(sampled=len(records), of=of, claims=sum(len(r.claims) for r in records), failed=found)


def judged_again(
    records: Sequence[TrainingRecord], judge: Judge, toolchain: TwinToolchain, work: Path
) -> Iterator[tuple[TrainingRecord, str | None]]:
    """Yield each record with what does not hold in it, None if all does."""
    verifiers: dict[int, Verifier] = {}
    for record in records:
        seed = record.provenance.judge_seed or 0
        verifier = verifiers.setdefault(seed, Verifier(judge, work / str(seed), seed, toolchain))
        reasons = (verifier.holds(claim, record) for claim in record.claims)
        yield record, next((r for r in reasons if r is not None), None)
