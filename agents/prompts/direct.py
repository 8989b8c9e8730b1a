"""The prompts of the direct form: one file with kernels and the host function that launches them with `<<<>>>`."""

from importlib.resources import files
from pathlib import Path
from typing import Literal

from akgen.agents.plan import Plan
from akgen.agents.prompts import render
from akgen.agents.prompts.builder import EnglishPrompts, multiplies
from akgen.agents.prompts.retrieval import Retrieved
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task
from akgen.tools.launched.record import host_function, host_head

Kind = Literal["pointwise", "rows", "product"]
_NAMES: dict[Kind, tuple[str, str]] = {
    "pointwise": ("AddScaled", "add_scaled"),
    "rows": ("RowNorm", "row_norm"),
    "product": ("BatchedLinear", "batched_linear"),
}
_BY_ROWS = frozenset({"reduction", "softmax", "normalization", "loss", "pooling"})


class DirectPrompts(EnglishPrompts):
    """Briefs a chat model on the direct form; what a task is and what is known are told as for other forms."""

    _direct = True

    def _system(self, task: Task, plan: Plan) -> str:
        kind = self._kind(task, plan)
        return render(
            "direct_system",
            chip=self._chip,
            task=task,
            head=self._head(task),
            kind=kind,
            example=example_direct(kind),
        )

    def _repair_system(self, task: Task) -> str:
        return render("direct_repair_system", chip=self._chip, task=task, head=self._head(task))

    def _fitting(self, chosen: Retrieved) -> Retrieved:
        """Leave out the host code of an expert kernel: this form has none of that kind."""
        if chosen.pattern is None:
            return chosen
        kernels = {path: text for path, text in chosen.pattern.files.items() if path.startswith("op_kernel/")}
        idea = f"{chosen.pattern.idea} Only its kernel is shown; what it reads from tiling data, yours is passed."
        pattern = chosen.pattern.model_copy(update={"files": kernels, "idea": idea})
        return chosen.model_copy(update={"pattern": pattern})

    def _head(self, task: Task) -> str:
        if self._describe is None:
            return (
                f"void {host_function(task.kernel)}(inputs..., outputs..., attributes..., aclrtStream stream)"
            )
        return host_head(task.kernel, self._describe(task))

    def _kind(self, task: Task, plan: Plan) -> Kind:
        if multiplies(task, plan, self._describe):
            return "product"
        return "rows" if {plan.category, task.category} & _BY_ROWS else "pointwise"


def example_direct(kind: Kind) -> KernelProject:
    """Return a whole example of the direct form; tests run each like any other project."""
    folder = Path(str(files("akgen.agents.prompts").joinpath("templates", "example_direct", kind)))
    op_type, kernel = _NAMES[kind]
    return KernelProject.read_from(folder, op_type, kernel)
