"""The judge's front: compile, test, profile, or all in one; and a watch over the task's and its own files."""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path

from akgen.tools.cache.content import ContentCache
from akgen.tools.core.call import SMALL_CALL, Call
from akgen.tools.core.outcome import Diagnostic, InputError, Outcome
from akgen.tools.core.profile import Profile
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.core.toolchain import Build, Progress, RunOptions, Toolchain
from akgen.tools.core.verdict import CaseVerdict, DrawnShapes, Verdict
from akgen.tools.judge import policy, source_filter
from akgen.tools.judge.trial import KernelUnderTest, run_case
from akgen.tools.judge.trials import TrialFiles, drawing_seed, nonce, plan, plan_once
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.reference.drawn_large import draw_large
from akgen.tools.reference.drawn_shapes import DrawnCase, draw

TRIALS = 3
_OWN_FILES = tuple(Path(__file__).resolve().parents[1] / name for name in ("judge", "reference"))
_MOST_FILES = 2000
OnCase = Callable[[CaseVerdict], None]


class Judge:
    """Judge projects with one toolchain and one reference process.

    Raises InfraError when the machine is at fault, InputError when the task is; a bad project is a verdict.
    """

    def __init__(
        self, toolchain: Toolchain, reference: ReferenceWorker, *, run_timeout_s: float = 60.0
    ) -> None:
        self._toolchain = toolchain
        self.reference = reference
        self._run_timeout_s = run_timeout_s

    @property
    def toolchain(self) -> str:
        """Return the name and version that every result carries."""
        return self._toolchain.version()

    def describe(self, task: Task) -> Call:
        """Return the task's interface, as its first case has it."""
        return self.reference.describe(task.reference, task.cases[0])

    def largest(self, task: Task) -> Case:
        """Return the case with the most input and output: the one that a profile takes."""
        return max(task.cases, key=lambda c: self.reference.describe(task.reference, c).size_bytes)

    def compile(
        self, project: KernelProject, task: Task, folder: Path, *, cases: Sequence[Case] | None = None
    ) -> Build:
        """Look at the text, then build host and device code for the cases' dtypes and tiling keys."""
        outcome, findings = source_filter.look(project)
        if outcome is not None:
            return Build(
                toolchain=self.toolchain,
                outcome=outcome,
                op=None,
                folder=folder,
                compile_s=0.0,
                diagnostics=findings,
            )
        if project.host_standard != task.host_standard:
            project = project.model_copy(update={"host_standard": task.host_standard})
        calls = [self.reference.describe(task.reference, case) for case in _chosen(task, cases)]
        folder.mkdir(parents=True, exist_ok=True)
        before = _digest(task.reference)
        build = self._toolchain.compile(project, calls, folder)
        if _digest(task.reference) != before:
            outcome = (
                None if build.outcome is None else Outcome.CHEAT
            )  # what was built is run, to say what it does
            return build.model_copy(
                update={"outcome": outcome, "diagnostics": (*build.diagnostics, _TAMPERED)}
            )
        if policy.attempted(build.diagnostics):
            return build.model_copy(update={"outcome": Outcome.CHEAT})
        return build

    def test(
        self,
        build: Build,
        task: Task,
        folder: Path,
        seed: int | None = None,
        *,
        cases: Sequence[Case] | None = None,
        trials: int = TRIALS,
        stop_on_first_failure: bool = False,
        trace: bool = False,
        what_if: bool = False,
        on_case: OnCase | None = None,
    ) -> Verdict:
        """Run every case on fresh hidden inputs and compare. `trace` and `what_if` hold for a case's first launch.

        Seeds derive from a secret that is drawn for each call, or from `seed` where the run must be repeatable.
        """
        if build.outcome is not None:
            return _ended_early(build)
        before = _digest(task.reference)
        secret = nonce(seed)
        candidate = KernelUnderTest(self._toolchain, self.reference, build, task, self._run_timeout_s)
        chosen = _chosen(task, cases)
        if trials == 1:
            small = self._relaunched(task, chosen)
            plans = {c.id: plan_once(task, c, secret, relaunched=c is small) for c in chosen}
        else:
            plans = {c.id: plan(task, c, trials, secret, leads=c is chosen[0]) for c in chosen}
        steps = [(case, p) for case in chosen for p in plans[case.id]]
        verdicts: list[CaseVerdict] = []
        drawn, drawn_large = None, None
        try:
            with TrialFiles(self.reference, task, steps, folder, again=seed is not None) as files:
                for case in chosen:
                    verdicts.append(
                        run_case(
                            candidate,
                            case,
                            plans[case.id],
                            files,
                            trace=trace,
                            what_if=what_if,
                            again=trials > 1,
                            last=trials > 1 and case is chosen[-1],
                        )
                    )
                    if on_case is not None:
                        on_case(verdicts[-1])
                    if stop_on_first_failure and verdicts[-1].outcome != Outcome.CORRECT:
                        break
            if all(v.outcome == Outcome.CORRECT for v in verdicts):
                drawn, drawn_large = self._on_drawn_shapes(
                    candidate, chosen, secret, folder, verdicts, again=seed is not None
                )
        except InputError:
            if _digest(task.reference) == before:
                raise  # else the reference was good and has been spoilt
        outcome, findings = policy.worst(v.outcome for v in verdicts), build.diagnostics
        if _digest(task.reference) != before and _TAMPERED not in findings:
            findings = (*findings, _TAMPERED)
        if _TAMPERED in findings:
            outcome = Outcome.CHEAT
        return Verdict(
            outcome=outcome,
            toolchain=build.toolchain,
            compile_s=build.compile_s,
            kernel_compile_s=build.kernel_compile_s,
            cases=tuple(verdicts),
            drawn=drawn,
            drawn_large=drawn_large,
            diagnostics=findings,
        )

    def _relaunched(self, task: Task, cases: Sequence[Case]) -> Case | None:
        """Return the smallest case, which a verdict of one trial launches after others; None if none is small."""
        sizes = {c.id: self.reference.describe(task.reference, c).size_bytes for c in cases}
        case = min(cases, key=lambda c: sizes[c.id])
        return case if sizes[case.id] <= SMALL_CALL else None

    def _on_drawn_shapes(
        self,
        candidate: KernelUnderTest,
        cases: Sequence[Case],
        secret: str,
        folder: Path,
        verdicts: list[CaseVerdict],
        *,
        again: bool,
    ) -> tuple[DrawnShapes, DrawnShapes | None]:
        """Judge a small case that the task does not list, then a large one; add what is not correct to the verdicts."""
        task, describe = candidate.task, partial(self.reference.describe, candidate.task.reference)
        drawn = draw(task, cases, describe, drawing_seed(task, secret))
        large = draw_large(task, cases, describe, drawing_seed(task, secret, "large shapes"))
        plans = {d.case.id: plan(task, d.case, 1, secret) for d in (drawn, large) if d.case is not None}
        steps = [(d.case, plans[d.case.id][0]) for d in (drawn, large) if d.case is not None]

        def judged(one: DrawnCase) -> DrawnShapes:
            if one.case is None:
                return DrawnShapes(why_not=one.why_not)
            try:
                found = run_case(candidate, one.case, plans[one.case.id], files, trace=False, again=False)
            except InputError as e:
                return DrawnShapes(why_not=f"the reference cannot be used on the sizes drawn: {e.text}")
            if found.outcome != Outcome.CORRECT:
                verdicts.append(policy.made_for_listed_shapes(found, one.shapes))
            return DrawnShapes(shapes=one.shapes, outcome=found.outcome)

        with TrialFiles(self.reference, task, steps, folder, again=again) as files:
            small = judged(drawn)
            if large.case is None or small.outcome not in (None, Outcome.CORRECT):
                return small, None
            return small, judged(large)

    def profile(self, build: Build, task: Task, folder: Path, seed: int | None = None) -> Profile | None:
        """Run the largest case once on the task's own inputs, with a trace below `folder`; None if it did not end."""
        if build.outcome is not None:
            return None
        case = self.largest(task)
        first = plan(task, case, 1, nonce(seed))[0]
        trial = self.reference.sample(
            task.reference, case, first.seed, "task", inputs=folder / "in", expected=folder / "expected"
        )
        try:
            launch = self._toolchain.run(
                build,
                trial.call,
                folder / "run",
                RunOptions(timeout_s=self._run_timeout_s, trace=True, what_if=True),
            )
        finally:
            for part in ("in", "expected"):
                shutil.rmtree(folder / part, ignore_errors=True)
        return launch.profile

    def judge(
        self,
        project: KernelProject,
        task: Task,
        *,
        work: Path,
        cases: Sequence[Case] | None = None,
        trials: int = TRIALS,
        seed: int | None = None,
        stop_on_first_failure: bool = False,
        trace: bool = False,
        what_if: bool = False,
        on_case: OnCase | None = None,
    ) -> Verdict:
        """Compile and test. `work` is a folder for builds and runs; the trials' files in it are removed."""
        build = self.compile(project, task, work / "build", cases=cases)
        return self.test(
            build,
            task,
            work / "test",
            seed,
            cases=cases,
            trials=trials,
            stop_on_first_failure=stop_on_first_failure,
            trace=trace,
            what_if=what_if,
            on_case=on_case,
        )


@contextmanager
def open_judge(toolchain: Toolchain, progress: Progress, kept: ContentCache | None = None) -> Iterator[Judge]:
    """Prepare the toolchain and start the reference process; it ends with the context. `kept` holds trials.

    Raises InfraError when the machine lacks what the toolchain needs.
    """
    with ReferenceWorker(kept=kept) as reference:
        reference.start()  # its imports overlap with the toolchain's preparation
        toolchain.prepare(progress)
        yield Judge(toolchain, reference)


_TAMPERED = Diagnostic(
    code="TAMPERED",
    text="The task's reference or the judge's own files changed while the candidate was compiled or run.",
    remedy="Leave the files of the task alone while it is judged, and judge again.",
    stage="test",
)


def _chosen(task: Task, cases: Sequence[Case] | None) -> tuple[Case, ...]:
    chosen = task.cases if cases is None else tuple(cases)
    if not chosen:
        raise InputError(f"Task {task.name} has no case to judge.", "Choose at least one case.")
    if len({c.id for c in chosen}) != len(chosen):
        raise InputError(f"Task {task.name} has two cases of the same id.", "Give every case its own id.")
    return chosen


def _ended_early(build: Build) -> Verdict:
    assert build.outcome is not None
    return Verdict(
        outcome=build.outcome,
        toolchain=build.toolchain,
        compile_s=build.compile_s,
        kernel_compile_s=build.kernel_compile_s,
        diagnostics=build.diagnostics,
    )


def _digest(reference: Reference) -> str:
    """Return the SHA-256 of the reference's files and of the judge's own, names included."""
    h = hashlib.sha256()
    for root in (reference.path, *_OWN_FILES):
        for path in _files(root):
            h.update(f"{path}\0".encode())
            info = Path(path).stat()
            # A file's change time cannot be set back without privilege, so unchanged means unread.
            h.update(_content(path, info.st_ctime_ns, info.st_size, info.st_ino))
    return h.hexdigest()


def _files(root: Path) -> list[str]:
    if root.is_file():
        return [str(root)]
    found: list[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = (name for name in folders if name != "__pycache__")
        found += (f"{folder}/{name}" for name in names)
    return sorted(filter(os.path.isfile, found))[:_MOST_FILES]


@lru_cache(maxsize=4096)
def _content(path: str, changed_ns: int, size: int, inode: int) -> bytes:  # noqa: ARG001 (the cache's key)
    return hashlib.sha256(Path(path).read_bytes()).digest()
