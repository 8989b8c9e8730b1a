"""What KernelGen-LM is asked: one Chinese text, in the order that the released models were trained on.

Task, case, chip, example, rules, form of the answer. With one case the kernel alone is asked for, with its numbers as
constants; else the whole project.
"""

from typing import get_args

from akgen.agents.budget import Budget
from akgen.agents.kernel_only import suits
from akgen.agents.plan import Category, Plan
from akgen.agents.prompts import raw_text, render
from akgen.agents.prompts.builder import (
    Describe,
    ModelPrompt,
    budget_text,
    example_project,
    task_text,
)
from akgen.agents.prompts.retrieval import TOKENS, Operations, Retrieved, retrieve
from akgen.agents.roles import Feedback
from akgen.knowledge.cards import listing
from akgen.knowledge.chip import Chip
from akgen.tools.core.dtypes import DType
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task

EXAMPLE = "example_kernel_only/add_one.cpp"
# The models were taught these names for the element types of kernels.
_NAMES = dict(zip(DType, map(str, DType), strict=True)) | {
    DType.FLOAT16: "float16_t",
    DType.BFLOAT16: "bfloat16_t",
}


class KernelGenPrompts:
    """Briefs a planner and a coder who are KernelGen-LM."""

    def __init__(
        self, chip: Chip, budget: Budget, describe: Describe | None, operations: Operations | None = None
    ) -> None:
        """`operations` names what a task's reference calls; without it, its source does."""
        self._chip, self._budget, self._describe = chip, budget, describe
        self._operations = operations

    def planner(self, task: Task, feedback: Feedback | None) -> ModelPrompt:
        aside, chosen = self._aside(feedback), self._chosen(task, None, None, TOKENS)
        user = render(
            "kernelgen_planner",
            task_text=self._task_text(task, kernel_only=suits(task)),
            budget_text=aside,
            feedback=feedback,
            interfaces=listing(chosen.cards),
            categories=get_args(Category),
            chip=self._chip,
        )
        return ModelPrompt(system="", user=user, aside=aside, shown=chosen.shown)

    def coder(
        self,
        task: Task,
        plan: Plan,
        feedback: Feedback | None,
        previous: KernelProject | None,
        tokens: int = TOKENS,
    ) -> ModelPrompt:
        aside, kernel_only = self._aside(feedback), suits(task)
        chosen = self._chosen(task, plan, feedback, tokens)
        example = raw_text(EXAMPLE) if kernel_only else render("answer", project=example_project())
        user = render(
            "kernelgen_coder",
            task=task,
            task_text=self._task_text(task, kernel_only=kernel_only),
            budget_text=aside,
            plan=plan,
            feedback=feedback,
            previous=previous,
            interfaces=listing(chosen.cards),
            example=example,
            kernel_only=kernel_only,
            chip=self._chip,
        )
        return ModelPrompt(system="", user=user, aside=aside, shown=chosen.shown)

    def _chosen(self, task: Task, plan: Plan | None, feedback: Feedback | None, tokens: int) -> Retrieved:
        """Choose cards; the models' form has no place for an expert kernel beside its example."""
        called = self._operations(task) if self._operations else None
        return retrieve(task, plan, feedback, tokens, called=called, with_pattern=False)

    def _aside(self, feedback: Feedback | None) -> str:
        return budget_text(feedback, self._budget, "kernelgen_budget")

    def _task_text(self, task: Task, *, kernel_only: bool) -> str:
        known = {"kernel_only": kernel_only, "chip": self._chip, "names": _NAMES}
        return task_text(task, self._describe, "kernelgen_task", **known)
