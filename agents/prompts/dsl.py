"""The prompts of the tile DSL routes: the language, with the programs that are most like the task."""

import re
from functools import cache
from importlib.resources import files

from akgen.agents.prompts.builder import (
    EnglishPrompts,
    ModelPrompt,
    budget_text,
    planner_system,
    planner_user,
)
from akgen.agents.roles import Feedback
from akgen.tools.core.task import Task

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
