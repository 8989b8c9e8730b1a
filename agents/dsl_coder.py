"""The coders of the tile DSL routes: a chat model writes a tile program, the lowering passes write Ascend C.

On the route `dsl+passes` the model then takes over passes, stages or kernels.
"""

import re
from collections.abc import Callable

from akgen.agents.budget import Budget
from akgen.agents.calls.conversation import Conversation, unusable
from akgen.agents.calls.replies import split_thought
from akgen.agents.coder import ChatCoder
from akgen.agents.kernel_only import interface
from akgen.agents.plan import Plan
from akgen.agents.prompts import render
from akgen.agents.prompts.builder import Describe, ModelPrompt, task_text
from akgen.agents.prompts.dsl import language
from akgen.agents.roles import Feedback, Written
from akgen.knowledge.chip import Chip
from akgen.tools.core.op_spec import OpSpec, ParamSpec
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task
from akgen.tools.dsl import DslError, Passes, lower, lower_passes
from akgen.tools.dsl.parse import parse
from akgen.tools.dsl.take_over import WHOLE_KERNEL, read_scope, take_over

_FENCE = re.compile(r"^[ \t]*```[ \t]*(?:python|py|dsl)?[ \t]*\n(?P<body>.*?)^[ \t]*```[ \t]*$", re.M | re.S)
_HOST_KINDS = {"required": "Tensor", "optional": "OptionalTensor", "dynamic": "TensorList"}


class DslCoder:
    """Writes by asking a chat model for a tile program. Queues, padding and synchronisation are the passes' business.

    A program that is not sound is an attempt that does not compile; its findings carry the program's lines.
    """

    def __init__(self, conversation: Conversation, chip: Chip, budget: Budget, describe: Describe) -> None:
        self.name = f"model:{conversation.name}, tile DSL"
        self._conversation = conversation
        self._chip = chip
        self._budget = budget
        self._describe = describe

    def write(
        self, task: Task, plan: Plan, feedback: Feedback | None, previous: KernelProject | None, sample: int
    ) -> Written:
        """Return the lowered project of the reply. `previous` is not shown: the feedback carries its program."""
        del previous
        op = operator_of(task, self._describe)
        prompt = self._prompt(task, plan, feedback, op)
        return write_program(
            self._conversation, prompt, plan, feedback, sample,
            read=read_program, missing="The reply holds no block with a program.",
            lowered=lambda program: lower(parse(program), op, task.kernel),
        )  # fmt: skip

    def lowered(self, task: Task, program: str) -> Passes:
        """Return what the passes made of a program that was sound before."""
        return lower_passes(parse(program), operator_of(task, self._describe), task.kernel)

    def _prompt(self, task: Task, plan: Plan, feedback: Feedback | None, op: OpSpec) -> ModelPrompt:
        budget = feedback.left if feedback and feedback.left else self._budget
        aside = render("budget", budget=budget).strip()
        user = render(
            "dsl_user",
            task_text=task_text(task, self._describe),
            budget_text=aside,
            plan=plan,
            feedback=feedback,
            host=host_signature(task, op),
        )
        system = render("dsl_system", chip=self._chip, language=language(task.category, plan.category))
        return ModelPrompt(system=system, user=user, aside=aside)


def write_program(
    conversation: Conversation,
    prompt: ModelPrompt,
    plan: Plan,
    feedback: Feedback | None,
    sample: int,
    *,
    read: Callable[[str], str | None],
    missing: str,
    lowered: Callable[[str], KernelProject],
) -> Written:
    """Ask for a program, `read` it from the reply and lower it; `missing` says that there is none.

    One that is not sound, of which `lowered` raises DslError, is an attempt that does not compile.
    """
    answer = conversation.ask(
        prompt.system, prompt.user, role="coder", attempt=feedback.attempt + 1 if feedback else 1, sample=sample,
        shared=feedback is None and plan.shared, aside=prompt.aside,
    )  # fmt: skip
    nothing = Written(project=None, usage=answer.usage, messages=answer.messages)
    stopped = unusable(answer, "write")
    if stopped is not None:
        return nothing.model_copy(update={"outcome": stopped[0], "diagnostics": (stopped[1],)})
    program = read(answer.text)
    if program is None:
        cut = answer.ended == "length"
        text = "The reply is cut before its program ends." if cut else missing
        found = Diagnostic(code="REPLY_CUT" if cut else "NO_CODE", text=text, stage="write")
        return nothing.model_copy(update={"outcome": Outcome.NO_CODE, "diagnostics": (found,)})
    try:
        return nothing.model_copy(update={"project": lowered(program), "dsl": program, "form": "files"})
    except DslError as error:
        unsound = {"outcome": Outcome.COMPILE_ERROR, "diagnostics": error.diagnostics, "dsl": program}
        return nothing.model_copy(update=unsound)


def operator_of(task: Task, describe: Describe) -> OpSpec:
    """Return the OpDef that serves every case: the first one's, with a column for each combination of types."""
    every = [interface(task.op_type, describe(task.only((case.id,)))) for case in task.cases]
    first = every[0]
    columns = tuple(dict.fromkeys(_column(op) for op in every if _shape(op) == _shape(first)))
    count = len(first.inputs)
    inputs = (
        p.model_copy(update={"dtypes": tuple(c[i] for c in columns)}) for i, p in enumerate(first.inputs)
    )
    outputs = (
        p.model_copy(update={"dtypes": tuple(c[count + k] for c in columns)})
        for k, p in enumerate(first.outputs)
    )
    return first.model_copy(update={"inputs": tuple(inputs), "outputs": tuple(outputs)})


def read_program(text: str) -> str | None:
    """Return the last block of a reply that defines a kernel, or None."""
    _, rest, _ = split_thought(text)
    programs = [b["body"] for b in _FENCE.finditer(rest) if "@ascend_kernel" in b["body"]]
    return programs[-1] if programs else None


def host_signature(task: Task, op: OpSpec) -> str:
    """Return the first line of the host function that fits the operator."""
    names = {p.name for p in op.inputs}
    parts = [f"{p.name}: {_HOST_KINDS[p.kind]}" for p in op.inputs]
    parts += [
        f"{p.name}{'_ref' if p.name in names else ''}: {'OutputList' if p.kind == 'dynamic' else 'Output'}"
        for p in op.outputs
    ]
    parts += [f"{a.name}: {a.type} = {a.default!r}" for a in op.attrs]
    return f"def {task.kernel}({', '.join(parts)}):"


def _column(op: OpSpec) -> tuple[str, ...]:
    return tuple(p.dtypes[0] for p in (*op.inputs, *op.outputs))


def _shape(op: OpSpec) -> tuple[tuple[str, str], ...]:
    params: tuple[ParamSpec, ...] = (*op.inputs, *op.outputs)
    return tuple((p.name, p.kind) for p in params)


class PassesCoder:
    """Lets one coder write the program and another one what the passes made of it.

    The first sound program is lowered whole, so that there is something to measure. From then on the model rewrites, by
    edits or whole, what `scope` says: a pass, a stage, a kernel; all kernels but not the host if it is empty. The rest
    is put back as the passes made it. What the model did over is checked as what a pass made is.
    """

    def __init__(self, program: DslCoder, kernel: ChatCoder, scope: tuple[str, ...] = ()) -> None:
        self.name = f"{kernel.name}, tile DSL and passes"
        self._program = program
        self._kernel = kernel
        self._scope = read_scope(scope)

    def write(
        self, task: Task, plan: Plan, feedback: Feedback | None, previous: KernelProject | None, sample: int
    ) -> Written:
        """Return a lowered program, or `previous` with other parts; without a project if these break an invariant."""
        if previous is None or feedback is None or feedback.dsl is None:
            return self._program.write(task, plan, feedback, previous, sample)
        made = self._program.lowered(task, feedback.dsl)
        told = render("take_over", scope=self._scope, whole=WHOLE_KERNEL in self._scope)
        asked = feedback.model_copy(update={"text": f"{feedback.text.rstrip()}\n\n{told.strip()}"})
        written = self._kernel.write(task, plan, asked, previous, sample)
        if written.project is None:
            return written.model_copy(update={"dsl": feedback.dsl})
        taken = take_over(made, written.project, self._scope)
        if taken.diagnostics:
            stopped = {"project": None, "outcome": Outcome.COMPILE_ERROR, "diagnostics": taken.diagnostics}
            return written.model_copy(update={**stopped, "dsl": feedback.dsl})
        return written.model_copy(update={"project": taken.project, "dsl": feedback.dsl})
