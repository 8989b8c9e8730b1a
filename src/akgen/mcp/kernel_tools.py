"""What the tools do, one at a time, in a worker thread: a prepared toolchain, the judge, and the graph."""

import secrets
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from akgen.agents.budget import Budget
from akgen.agents.prompts.advice import advice_for
from akgen.agents.prompts.feedback import explain
from akgen.agents.run_config import RunConfig
from akgen.graph.cancel import Cancel
from akgen.graph.run import begin, make_deps, new_folder, work_on
from akgen.graph.store.files import make_folder
from akgen.graph.store.records import Event
from akgen.knowledge.search import search
from akgen.mcp import results
from akgen.tools.core.outcome import InputError, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Case, Task
from akgen.tools.judge.judge import Judge, open_judge
from akgen.tools.judge.source_filter import look
from akgen.tools.timeline.page import DrawnLaunch, write_page
from akgen.tools.toolchains import make_toolchain, make_twin

SEED_BITS = 31
Say = Callable[[str], None]


class KernelTools:
    """Everything behind the tools. Methods raise InputError, InfraError and, between two steps, Cancelled."""

    def __init__(self, settings: Settings, config: RunConfig) -> None:
        self._settings, self._config = settings, config
        self._held = ExitStack()
        self._judge: Judge | None = None
        self.work = Path(self._held.enter_context(tempfile.TemporaryDirectory(prefix="akgen-mcp-")))

    def close(self) -> None:
        self._held.close()

    def lint(self, project: KernelProject, say: Say) -> results.LintResult:
        """Look at a project without a task; always with the twin's headers."""
        twin = make_twin(self._settings, self._settings.chip)
        _, found = look(project)
        if not found:
            twin.prepare(say)
            say("compiling")
            found = twin.lint(project)
        listed = tuple(map(results.finding, found))
        ok = all(f.severity != "error" for f in listed)
        return results.LintResult(ok=ok, toolchain=twin.version(), findings=listed)

    def compile(self, project: KernelProject, task: Task, say: Say) -> results.CompileResult:
        judge = self._ready(say)
        say(f"compiling {project.kernel} for {len(task.cases)} cases")
        build = judge.compile(project, task, self._folder("compile"))
        return results.CompileResult(
            ok=build.outcome is None,
            outcome=build.outcome,
            toolchain=build.toolchain,
            compile_s=round(build.compile_s, 3),
            findings=tuple(map(results.finding, build.diagnostics)),
        )

    def test(
        self, project: KernelProject, task: Task, trials: int, seed: int | None, say: Say, cancel: Cancel
    ) -> results.TestResult:
        judge = self._ready(say)
        say(f"compiling {project.kernel}")

        def told(case: str, outcome: Outcome) -> None:
            cancel.check()
            say(f"case {case}: {outcome}")

        verdict = judge.judge(
            project,
            task,
            work=self._folder("test"),
            trials=trials,
            seed=seed,
            on_case=lambda case: told(case.id, case.outcome),
        )
        return results.TestResult(
            correct=verdict.outcome is Outcome.CORRECT,
            outcome=verdict.outcome,
            toolchain=verdict.toolchain,
            compile_s=round(verdict.compile_s, 3),
            cases=tuple(map(results.case_result, verdict.cases)),
            findings=results.findings_of(verdict),
            feedback=explain(verdict),
        )

    def profile(self, project: KernelProject, task: Task, say: Say) -> results.ProfileResult:
        """Time the task's largest case. Raises InputError if the kernel does not come to its end."""
        judge, folder = self._ready(say), self._folder("profile")
        say(f"compiling {project.kernel}")
        build = judge.compile(project, task, folder / "build")
        say("running with a trace")
        found = judge.profile(build, task, folder / "run", 0)
        if found is None:
            first = "; ".join(f"{d.code}: {d.text}" for d in build.diagnostics[:2])
            why = first or "it did not run to its end"
            raise InputError(f"{project.kernel} was not timed: {why}.", "Call `test` for the reason.")
        page = None
        if found.trace is not None:
            title = f"{project.kernel}, {task.name}"
            drawn = DrawnLaunch(title=title, profile=found, trace=found.trace, sources=project.files)
            page = write_page(drawn, folder / "timeline.html")
        return results.ProfileResult(
            case=judge.largest(task).id,
            time_us=found.time_us,
            time_source=found.time_source,
            toolchain=found.toolchain,
            cores=found.cores,
            bound=found.bound,
            roofline_share=found.roofline_share,
            core_imbalance=found.core_imbalance,
            pipes=found.pipes,
            advice=advice_for(found, project),
            model_error=found.model_error,
            trace=str(found.trace) if found.trace else None,
            page=str(page) if page else None,
        )

    def search(self, query: str, count: int) -> results.SearchResult:
        hits = search(query, count)
        return results.SearchResult(
            entries=tuple(
                results.KnowledgeEntry(kind=h.kind, name=h.name, text=h.text, score=round(h.score, 3))
                for h in hits
            )
        )

    def solve(
        self, task: Task, budget: Budget, samples: int, tune: int, say: Say, cancel: Cancel
    ) -> results.SolveResult:
        """Run the graph on a task; the run's folder is kept below the server's runs folder."""
        judge = self._ready(say)
        config = self._config.model_copy(
            update={
                "budget": budget,
                "samples": samples,
                "tune": tune,
                "seed": secrets.randbits(SEED_BITS),
            }
        )
        store = begin(new_folder(self._settings.runs, task.name), config, judge.toolchain)

        def told(event: Event) -> None:
            if event.event == "stage" and event.status == "done":
                outcome = "ok" if event.outcome in (None, Outcome.CORRECT) else event.outcome
                say(f"attempt {event.attempt}, {event.stage}: {outcome}, {event.text}")

        deps = make_deps(store, config, self._settings, judge)
        solution = work_on(task, replace(deps, watch=cancel.watching(told)))
        place = store.task(task.name)
        project = place.folder / solution.project if solution.project else None
        files = KernelProject.read_from(project, task.op_type, task.kernel).files if project else {}
        winner = next(c for c in solution.candidates if c.sample == solution.sample)
        return results.SolveResult(
            correct=solution.outcome is Outcome.CORRECT,
            outcome=solution.outcome,
            why=solution.why,
            toolchain=solution.toolchain,
            time_us=solution.time_us,
            time_source=solution.time_source,
            attempts=len(winner.attempts),
            run=str(store.folder),
            project=str(project) if project else None,
            files=files,
            page=str(solution.page) if solution.page else None,
        )

    def _ready(self, say: Say) -> Judge:
        """Prepare the toolchain at the first call that needs it, so that the server answers at once."""
        if self._judge is None:
            config, settings = self._config, self._settings
            chain = make_toolchain(config.toolchain, settings, config.chip, strict=config.strict)
            self._judge = self._held.enter_context(open_judge(chain, say))
        return self._judge

    def _folder(self, what: str) -> Path:
        return make_folder(self.work / f"{what}-{secrets.token_hex(4)}")


def chosen(task: Task, case: str | None, most: int | None) -> Task:
    """Return the task with one case, or with the `most` smallest. Raises InputError for a case that is not there."""
    if case is not None:
        if case not in [c.id for c in task.cases]:
            known = ", ".join(c.id for c in task.cases[:12])
            raise InputError(f"Task {task.name} has no case {case!r}.", f"Its cases include {known}.")
        return task.only((case,))
    if most is None or most >= len(task.cases):
        return task
    smallest = sorted(task.cases, key=_size)[:most]
    return task.only(tuple(c.id for c in smallest))


def _size(case: Case) -> int:
    return case.size_bytes or 0
