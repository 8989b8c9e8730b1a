"""Planner and coder without a model: trace, compose, solve, lower."""

import importlib
import threading
from collections.abc import Mapping
from contextlib import suppress

from akgen.agents.composer.solver import Solved, categorise, risks, thought
from akgen.agents.plan import Plan, Tiling, check_tiling
from akgen.agents.roles import Feedback, Planned, Written
from akgen.knowledge.chip import Chip, chip
from akgen.tools.compose.back.schedules import schedule_texts
from akgen.tools.compose.front.traced import CaseTracer, TracedGraph
from akgen.tools.compose.front.witnesses import Witnesses, traced_witnesses
from akgen.tools.compose.middle.phases import LONGEST_SEARCH
from akgen.tools.compose.program import Composition, compose
from akgen.tools.compose.scope import Unending, Unsupported
from akgen.tools.core.call import TensorMeta
from akgen.tools.core.knobs import Knobs
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Case, Mode, Reference, Task
from akgen.tools.dsl import DslError, Program, lower
from akgen.tools.dsl.ir import Op, SyncAll, walk

ORIGIN = "composer"
_TRACING = threading.Lock()  # PyTorch traces for one thread at a time; candidates are planned side by side
FINEST_GRAIN = 64  # elements per core, where somebody wants many cores for little work


class Composed:
    """A task's program with the trace of every case."""

    def __init__(self, composition: Composition, cases: Mapping[str, TracedGraph]) -> None:
        self.composition, self.cases = composition, cases


class ModelFree:
    """Plans and writes kernels by compiling the PyTorch reference; deterministic, needs no model.

    Tasks outside its scope get the outcome UNSUPPORTED with a sentence that names what is not covered. Composing is
    done once per task and kept for the coder.
    """

    def __init__(self, target: Chip | None = None, trace: CaseTracer | None = None) -> None:
        """`trace` traces references, in this process unless it is given."""
        self._chip = target or chip()
        self._trace = trace or _trace_here
        self._traced: dict[str, dict[str, TracedGraph]] = {}
        self._witnesses: dict[str, Witnesses] = {}
        self._known: dict[str, Composed | Unsupported] = {}

    @property
    def name(self) -> str:
        return ORIGIN

    def plan(self, task: Task, feedback: Feedback | None, sample: int) -> Planned:
        """Return the plan, or UNSUPPORTED.

        What can be varied is rounding: half-precision results either after every operation, as a reference on a CPU
        does, or once at the end. After wrong numbers, and for every other sample, the other way is taken.
        """
        wrong = feedback is not None and feedback.outcome is Outcome.WRONG
        composed = self._composed(task, other=wrong != bool(sample % 2))
        if isinstance(composed, Unsupported):
            return Planned(plan=None, outcome=Outcome.UNSUPPORTED, diagnostics=(_unsupported(composed),))
        try:
            composed = self._turned(composed, task.knobs)
            tiling, case_id = self._tiling(composed)
        except DslError as error:
            return Planned(plan=None, outcome=Outcome.PLAN_REJECTED, diagnostics=error.diagnostics)
        found = check_tiling(tiling, self._chip)
        if found:
            return Planned(plan=None, outcome=Outcome.PLAN_REJECTED, diagnostics=found)
        composition = composed.composition
        return Planned(
            plan=Plan(
                origin=ORIGIN,
                category=categorise(composition, task.category),
                thought=thought(composition, tiling, self._chip, case_id),
                tiling=tiling,
                apis=_apis(composition),
                risks=(*risks(composition), *_unused(composition)),
                route="dsl",
                dsl=composition.dsl,
            )
        )

    def write(
        self, task: Task, plan: Plan, feedback: Feedback | None, previous: KernelProject | None, sample: int
    ) -> Written:
        """Lower the plan's program to a project."""
        del feedback, previous, sample
        composed = self._composed(task)
        if isinstance(composed, Unsupported):
            return Written(project=None, outcome=Outcome.UNSUPPORTED, diagnostics=(_unsupported(composed),))
        own = composed.composition.program
        dsl = plan.dsl if plan.route == "dsl" and plan.dsl is not None else own.text
        try:
            program = own if dsl == own.text else _read(dsl)
            project = lower(program, composed.composition.face.op, task.kernel)
        except DslError as error:
            return Written(project=None, outcome=Outcome.NO_CODE, diagnostics=error.diagnostics, dsl=dsl)
        return Written(project=project, dsl=dsl)

    def _turned(self, composed: Composed, knobs: Knobs | None) -> Composed:
        """Turn the program's knobs; cores that are asked for and not reached get smaller shares."""
        if knobs is None:
            return composed

        def turned(some: Knobs) -> Composed:
            return Composed(composed.composition.tuned(some), composed.cases)

        first = turned(knobs)
        if knobs.cores is None or knobs.grain is not None:
            return first
        if self._tiling(first)[0].block_dim >= min(knobs.cores, self._chip.core_aiv):
            return first
        finer = turned(knobs.model_copy(update={"grain": FINEST_GRAIN}))
        more = self._tiling(finer)[0].block_dim > self._tiling(first)[0].block_dim
        return finer if more else first

    def _composed(self, task: Task, *, other: bool = False) -> Composed | Unsupported:
        """Compose once per task and way to round; both ways share the trace."""
        plain = task.model_copy(update={"knobs": None}).model_dump_json()
        key = f"{other} {plain}"
        with _TRACING:
            if key not in self._known:
                try:
                    if plain not in self._traced:
                        self._traced[plain] = {c.id: self._trace(task.reference, c) for c in task.cases}
                        self._witnesses[plain] = traced_witnesses(task, self._traced[plain], self._trace)
                    faithful = task.own_checker != other
                    self._known[key] = _compose(
                        task, self._traced[plain], self._witnesses[plain], self._chip, faithful=faithful
                    )
                except Unsupported as error:
                    self._known[key] = error
                except Unending:
                    most = max(len(case.nodes) for case in self._traced[plain].values())
                    text = f"no plan for the reference's {most} operations was found within {LONGEST_SEARCH:.0f} s"
                    self._known[key] = Unsupported("planning", text)
                except RecursionError:
                    text = "the reference's values stand on one another more deeply than the composer follows"
                    self._known[key] = Unsupported("depth", text)
            return self._known[key]

    def _tiling(self, composed: Composed) -> tuple[Tiling, str]:
        """Return the tiling of the largest case and that case's id."""
        case_id, raw = max(composed.cases.items(), key=lambda item: _volume(item[1]))
        solved = _solved(composed.composition, raw, self._chip)
        tiling = solved.tiling()
        return tiling.model_copy(
            update={"tail": TAIL, "split": _split(composed.composition, solved)}
        ), case_id


TAIL = "The last tile holds what is left; extents are exact, ragged copies go through DataCopyPad."


def _compose(
    task: Task,
    cases: Mapping[str, TracedGraph],
    witnesses: Witnesses,
    target: Chip,
    *,
    faithful: bool,
) -> Composed:
    """Compose a task's program of its cases. With `faithful`, round as the reference does.

    A task with a checker of its own is composed so: it compares with the reference's own roundings. A static task gets
    the kernel alone that its one shape takes.
    """
    if not cases:
        raise Unsupported("cases", "the task has no cases")
    doc = task.description.strip().splitlines()[0] if task.description.strip() else f"{task.name}."
    composition = compose(
        task.op_type, task.kernel, list(cases.values()), _plain(doc), faithful=faithful, witnesses=witnesses
    )
    if task.mode is Mode.STATIC and len(cases) == 1 and len(composition.kernels) > 1:
        (case,) = cases.values()
        with suppress(DslError):  # a call that the host refuses is told where the tiling is solved
            composition = composition.with_one_kernel(_solved(composition, case, target).launched.kernel)
    return Composed(composition, cases)


def _solved(composition: Composition, case: TracedGraph, target: Chip) -> Solved:
    """Return what the program's host decides for a case. Raises DslError if it refuses the call."""
    face = composition.face
    metas = dict(zip(face.input_names, case.inputs, strict=True))
    outputs = {
        name: TensorMeta(dtype=dtype, shape=case.output_shape(k) or ())
        for k, (name, dtype) in enumerate(zip(face.output_names, case.output_dtypes, strict=True))
    }
    attrs = dict(zip(face.attr_names, (value for _, value in case.attrs), strict=True))
    return Solved(composition.program, {**outputs, **metas}, attrs, target.core_aiv)


def _trace_here(reference: Reference, case: Case, /, *, altered: bool = False) -> TracedGraph:
    from akgen.tools.compose.front.trace import trace  # imports torch: only where a reference is traced
    from akgen.tools.compose.front.trace_altered import trace_altered

    return (trace_altered if altered else trace)(
        importlib.import_module(reference.loader).load(reference, case)
    )


def _read(dsl: str) -> Program:
    from akgen.tools.dsl.parse import (
        parse,  # a plan with other knobs, or somebody else's: most solves have none
    )

    return parse(dsl)


def _unused(composition: Composition) -> tuple[str, ...]:
    if composition.unused is None:
        return ()
    return (f"Asked for without effect on this program: {composition.unused}.",)


def _plain(doc: str) -> str:
    return doc.replace('"', "'").replace("\\", "/")


def _volume(raw: TracedGraph) -> int:
    total = 0
    for m in raw.inputs:
        for t in m if isinstance(m, tuple) else (m,):
            total += t.size_bytes if isinstance(t, TensorMeta) else 0
    return total


def _split(composition: Composition, solved: Solved) -> str:
    kernel = next(k for k in composition.kernels if k.name == solved.launched.kernel)
    return schedule_texts()[kernel.kinds[0]].shares


def _apis(composition: Composition) -> tuple[str, ...]:
    """Return the DSL operations that the kernels use, in text order."""
    seen: dict[str, None] = {}
    for scheduled in composition.kernels:
        for s in walk(scheduled.kernel.body):
            if isinstance(s, Op):
                seen[s.name] = None
            elif isinstance(s, SyncAll):
                seen["sync_all"] = None
    return tuple(seen)


def _unsupported(error: Unsupported) -> Diagnostic:
    return Diagnostic(
        code="COMPOSER_SCOPE", stage="plan", text=error.sentence[:1].upper() + error.sentence[1:].rstrip(".") + ".",
        api=error.op,
        remedy="Use a model (--model) for this task; docs/composer.md lists what the composer covers.",
    )  # fmt: skip
