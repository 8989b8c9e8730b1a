"""Runs whose first attempt is a project that exists: a model mends what is wrong with it."""

from pathlib import Path

from akgen.agents.plan import Plan
from akgen.agents.roles import Coder, Feedback, Planned, Planner, Written
from akgen.tools.core.outcome import InputError
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task


class StartedPlanner:
    """Plans nothing for a project that exists; another planner is asked when mending has not helped."""

    def __init__(self, planner: Planner) -> None:
        self.name = planner.name
        self._planner = planner

    def plan(self, task: Task, feedback: Feedback | None, sample: int) -> Planned:
        if feedback is None:
            return Planned(
                plan=Plan(origin="start", category="other", thought="The project exists.", shared=True)
            )
        return self._planner.plan(task, feedback, sample)


class StartedCoder:
    """Begins with the projects of a folder: `<folder>/<task>/<sample>/`, `<folder>/<task>/`, or the folder itself.

    Raises InputError for a task without one.
    """

    def __init__(self, folder: Path, coder: Coder) -> None:
        self.name = coder.name
        self._folder, self._coder = folder, coder

    def write(
        self, task: Task, plan: Plan, feedback: Feedback | None, previous: KernelProject | None, sample: int
    ) -> Written:
        if feedback is None:
            return Written(project=self._project(task, sample))
        return self._coder.write(task, plan, feedback, previous, sample)

    def _project(self, task: Task, sample: int) -> KernelProject:
        base = self._folder / task.name
        for folder in (base / str(sample), base, self._folder):
            if (folder / "op_kernel").is_dir():
                return KernelProject.read_from(folder, task.op_type, task.kernel)
        raise InputError(
            f"{self._folder} holds no project to start {task.name} with.",
            f"Give op_host and op_kernel in {base}, or leave --start out.",
        )
