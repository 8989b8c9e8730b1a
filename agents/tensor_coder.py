"""The coder of the route `tensor`: a chat model writes what is computed, line by line; the composer adds the schedules.

A program that does not fit, or cannot be scheduled, is an attempt that does not compile; its findings carry its lines.
"""

import re

from akgen.agents.budget import Budget
from akgen.agents.calls.conversation import Answer, Conversation, unusable
from akgen.agents.calls.replies import split_thought
from akgen.agents.plan import Plan
from akgen.agents.prompts import raw_text, render
from akgen.agents.prompts.builder import Describe, ModelPrompt, task_text
from akgen.agents.prompts.tensor import declared, every_call, trained_prompt
from akgen.agents.roles import Feedback, Planned, Written
from akgen.tools.compose.tensor_program.composed import compose_tensor_program
from akgen.tools.compose.tensor_program.parse import parse_tensor_program
from akgen.tools.core.call import Call
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Mode, Task
from akgen.tools.dsl import DslError, lower

_FENCE = re.compile(r"^[ \t]*```[ \t]*\w*[ \t]*\n(?P<body>.*?)^[ \t]*```[ \t]*$", re.M | re.S)


class NothingPlanned:
    """Stands for a planner where the composer decides every schedule."""

    name = "composer, from the coder's program"

    def plan(self, task: Task, feedback: Feedback | None, sample: int) -> Planned:
        del task, feedback, sample
        thought = render("tensor_plan").strip()
        return Planned(
            plan=Plan(origin=self.name, category="other", thought=thought, route="dsl", shared=True)
        )


class TensorCoder:
    """Writes by asking a chat model for a tensor program.

    A model that was `trained` on them is asked in the words of its training; any other is told the language.
    """

    def __init__(
        self, conversation: Conversation, budget: Budget, describe: Describe, *, trained: bool
    ) -> None:
        self.name = f"model:{conversation.name}, tensor program"
        self._conversation, self._budget = conversation, budget
        self._describe, self._trained = describe, trained

    def write(
        self, task: Task, plan: Plan, feedback: Feedback | None, previous: KernelProject | None, sample: int
    ) -> Written:
        """Return the project that the composer makes of the reply. The feedback carries the previous program."""
        del previous
        calls = every_call(task, self._describe)
        try:
            prompt = self._prompt(task, calls, feedback)
        except DslError as error:
            return Written(project=None, outcome=Outcome.UNSUPPORTED, diagnostics=error.diagnostics)
        answer = self._conversation.ask(
            prompt.system, prompt.user, role="coder", attempt=feedback.attempt + 1 if feedback else 1, sample=sample,
            shared=feedback is None and plan.shared, aside=prompt.aside,
        )  # fmt: skip
        stopped = unusable(answer, "write")
        if stopped is not None:
            return _nothing(answer, None, stopped[0], (stopped[1],))
        program = read_tensor_program(answer.text)
        if program is None:
            cut = answer.ended == "length"
            text = "The reply is cut before its program ends." if cut else "The reply holds no program."
            found = Diagnostic(code="REPLY_CUT" if cut else "NO_CODE", text=text, stage="write")
            return _nothing(answer, None, Outcome.NO_CODE, (found,))
        try:
            composition = compose_tensor_program(
                parse_tensor_program(program), task.op_type, task.kernel, calls, task.name,
                fixed=task.mode is Mode.STATIC or not task.draws_shapes,
            )  # fmt: skip
            project = lower(composition.program, composition.face.op, task.kernel)
        except DslError as error:
            return _nothing(answer, program, Outcome.COMPILE_ERROR, error.diagnostics)
        return Written(
            project=project, dsl=program, form="files", usage=answer.usage, messages=answer.messages
        )

    def _prompt(self, task: Task, calls: list[Call], feedback: Feedback | None) -> ModelPrompt:
        if self._trained:
            return ModelPrompt(system="", user=trained_prompt(task, self._describe, feedback))
        budget = feedback.left if feedback and feedback.left else self._budget
        aside = render("budget", budget=budget).strip()
        user = render(
            "tensor_user", task_text=task_text(task, self._describe), budget_text=aside, feedback=feedback,
            inputs=declared(task, calls),
        )  # fmt: skip
        return ModelPrompt(
            system=render("tensor_system", language=raw_text("tensor_language.md")), user=user, aside=aside
        )


def read_tensor_program(text: str) -> str | None:
    """Return the last block of a reply that holds a program, or the whole reply if it is one; else None."""
    _, rest, _ = split_thought(text)
    blocks = [b["body"] for b in _FENCE.finditer(rest)] or [rest]
    programs = [b for b in blocks if re.search(r"^return\b", b, re.M)]
    return programs[-1].strip("\n") + "\n" if programs else None


def _nothing(answer: Answer, program: str | None, outcome: Outcome, found: tuple[Diagnostic, ...]) -> Written:
    return Written(
        project=None, outcome=outcome, diagnostics=found, dsl=program, usage=answer.usage, messages=answer.messages
    )  # fmt: skip
