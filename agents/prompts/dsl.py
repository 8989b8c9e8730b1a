"""The prompts of the tile DSL routes: the planner thinks in the language that the coder writes."""

from akgen.agents.prompts import raw_text
from akgen.agents.prompts.builder import (
    EnglishPrompts,
    ModelPrompt,
    budget_text,
    planner_system,
    planner_user,
)
from akgen.agents.roles import Feedback
from akgen.tools.core.task import Task

LANGUAGE = "dsl_language.md"


class DslPrompts(EnglishPrompts):
    """Briefs the planner on the tile language instead of on Ascend C's interfaces, which its coder never writes."""

    def planner(self, task: Task, feedback: Feedback | None) -> ModelPrompt:
        return ModelPrompt(
            system=planner_system(self._chip, raw_text(LANGUAGE)),
            user=planner_user(task, feedback, self._budget, self._describe, None),
            aside=budget_text(feedback, self._budget),
        )
