"""The coder of the `dsl+passes` route: programs lower the tile program, then the model takes over the kernel's passes.

The first sound program is lowered whole, so that there is something to measure. From then on the host and its tiling
stay as the first pass made them, and the model rewrites what passes 2 to 4 made, the kernel, by edits or whole.
"""

from akgen.agents.coder import ChatCoder
from akgen.agents.dsl_coder import DslCoder
from akgen.agents.plan import Plan
from akgen.agents.roles import Feedback, Written
from akgen.tools.project import KernelProject
from akgen.tools.task import Task


class PassesCoder:
    """Lets one coder write the program and another one the kernel that came of it."""

    def __init__(self, program: DslCoder, kernel: ChatCoder) -> None:
        self.name = f"{kernel.name}, tile DSL and passes"
        self._program = program
        self._kernel = kernel

    def write(
        self, task: Task, plan: Plan, feedback: Feedback | None, previous: KernelProject | None, sample: int
    ) -> Written:
        """Return a lowered program, or `previous` with another kernel."""
        if previous is None or feedback is None:
            return self._program.write(task, plan, feedback, previous, sample)
        written = self._kernel.write(task, plan, feedback, previous, sample)
        if written.project is None:
            return written
        host = {path: text for path, text in previous.files.items() if path.startswith("op_host/")}
        kernel = {p: t for p, t in written.project.files.items() if not p.startswith("op_host/")}
        return written.model_copy(
            update={"project": written.project.model_copy(update={"files": {**host, **kernel}})}
        )
