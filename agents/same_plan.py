"""One plan for every sample."""

from akgen.agents.roles import Feedback, Planned, Planner
from akgen.tools.task import Task


class SamePlan:
    """Plans all samples like the first, where another's planner would vary them.

    A model's samples differ by themselves; with the same plan they also ask the same, and one request answers them all.
    """

    def __init__(self, inner: Planner) -> None:
        self.name = inner.name
        self._inner = inner

    def plan(self, task: Task, feedback: Feedback | None, sample: int) -> Planned:
        del sample
        planned = self._inner.plan(task, feedback, 0)
        if planned.plan is None:
            return planned
        return planned.model_copy(update={"plan": planned.plan.model_copy(update={"shared": True})})
