"""The model-driven coder: asks for files, joins them with the previous ones, refuses replies without code."""

from akgen.agents.briefing import Describe, coder_user, example_project
from akgen.agents.budget import Budget
from akgen.agents.conversation import Conversation
from akgen.agents.plan import Plan
from akgen.agents.prompts import render
from akgen.agents.replies import read_code
from akgen.agents.roles import Feedback, Written
from akgen.knowledge.chip import Chip
from akgen.tools.outcome import Diagnostic, Outcome
from akgen.tools.project import KernelProject
from akgen.tools.task import Task


class ChatCoder:
    """Writes Ascend C by asking a chat model once per call."""

    def __init__(
        self, conversation: Conversation, chip: Chip, budget: Budget, describe: Describe | None = None
    ) -> None:
        self.name = f"model:{conversation.name}"
        self._conversation = conversation
        self._chip = chip
        self._budget = budget
        self._describe = describe

    def write(
        self,
        task: Task,
        plan: Plan,
        feedback: Feedback | None,
        previous: KernelProject | None,
        sample: int,
    ) -> Written:
        """Return the project of the reply; files that it leaves out are taken from `previous`."""
        answer = self._conversation.ask(
            render("coder_system", chip=self._chip, example=example_project()),
            coder_user(task, plan, feedback, previous, self._budget, self._describe),
            role="coder",
            attempt=feedback.attempt + 1 if feedback else 1,
            sample=sample,
        )
        kernel_file = f"op_kernel/{task.kernel}.cpp"
        reply = read_code(answer.text, kernel_file)
        files = {**(previous.files if previous else {}), **reply.files}
        problem = reply.problem
        if problem is None and kernel_file not in files:
            problem = f"The reply has no file {kernel_file}."
        if problem is not None:
            return Written(
                project=None,
                outcome=Outcome.NO_CODE,
                diagnostics=(Diagnostic(code="NO_CODE", text=problem, stage="write"),),
                usage=answer.usage,
                messages=answer.messages,
            )
        return Written(
            project=KernelProject(op_type=task.op_type, kernel=task.kernel, files=files),
            usage=answer.usage,
            messages=answer.messages,
        )
