"""The prompts of the routes `dsl` and `direct`.

For the tile DSL they hold the language, with the programs that are most like the task; for the direct form, one file
with kernels and the host function that launches them with `<<<>>>`.
"""

import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from akgen.agents.plan import Plan
from akgen.agents.prompts import render
from akgen.agents.prompts.builder import (
    EnglishPrompts,
    ModelPrompt,
    budget_text,
    multiplies,
    planner_system,
    planner_user,
)
from akgen.agents.prompts.retrieval import Retrieved
from akgen.agents.roles import Feedback
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task
from akgen.tools.launched.record import host_function, host_head

_EXAMPLES = "## Complete examples\n"
_HOST = re.compile(r"@ascend_host\s+def (\w+)")
_ALWAYS = ("add", "softmax")
# By a part of a task's or a plan's category: the host functions of the programs that show how.
_LIKE: dict[str, tuple[str, ...]] = {
    "norm": ("layer_norm",),
    "reduc": ("softmax_mean",),
    "loss": ("softmax_mean",),
    "broadcast": ("layer_norm",),
    "pool": ("max_pool_rows",),
    "resize": ("max_pool_rows",),
    "index": ("embedding",),
    "scan": ("running_sum",),
    "sort": ("top_k",),
    "matmul": ("product",),
    "conv": ("product", "max_pool_rows"),
    "attention": ("product", "attention"),
    "fuse": ("product", "layer_norm"),
}
Kind = Literal["pointwise", "rows", "product"]
_NAMES: dict[Kind, tuple[str, str]] = {
    "pointwise": ("AddScaled", "add_scaled"),
    "rows": ("RowNorm", "row_norm"),
    "product": ("BatchedLinear", "batched_linear"),
}
_BY_ROWS = frozenset({"reduction", "softmax", "normalization", "loss", "pooling"})


class DslPrompts(EnglishPrompts):
    """Briefs the planner on the tile language instead of on Ascend C's interfaces, which its coder never writes."""

    def planner(self, task: Task, feedback: Feedback | None) -> ModelPrompt:
        return ModelPrompt(
            system=planner_system(self._chip, language(task.category)),
            user=planner_user(task, feedback, self._budget, self._describe, None),
            aside=budget_text(feedback, self._budget),
        )


def language(*categories: str) -> str:
    """Return the language, with the programs of tools/dsl/language.md that are like tasks of these categories."""
    rules, programs = _parts()
    names = [name for word, like in _LIKE.items() for name in like if any(word in c for c in categories)]
    chosen = (programs[name] for name in dict.fromkeys((*_ALWAYS, *names)))
    return f"{rules}{_EXAMPLES}\n{''.join(chosen)}".strip()


@cache
def _parts() -> tuple[str, dict[str, str]]:
    """Return the rules, and each example with its heading by its host function."""
    text = files("akgen.tools.dsl").joinpath("language.md").read_text()
    rules, examples = text.split(_EXAMPLES)
    found = {}
    for block in re.split(r"^(?=### )", examples, flags=re.MULTILINE):
        host = _HOST.search(block)
        if host is not None:
            found[host[1]] = block.rstrip() + "\n\n"
    return rules, found


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
