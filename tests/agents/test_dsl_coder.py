"""What a model is shown of the tile DSL; that its programs compute what they say is tested in tests/dsl."""

import re
from typing import get_args

from akgen.agents.budget import Budget
from akgen.agents.dsl_coder import read_program
from akgen.agents.plan import Category
from akgen.agents.prompts.builder import EnglishPrompts
from akgen.agents.prompts.dsl import DslPrompts, language
from akgen.bench.resolve import resolve_task
from akgen.knowledge.chip import chip


def test_the_language_comes_with_the_programs_that_are_like_the_task() -> None:
    def hosts(*categories: str) -> list[str]:
        examples = language(*categories).split("## Complete examples")[1]
        return re.findall(r"@ascend_host\n    def (\w+)", examples)

    assert hosts("elementwise") == ["add", "softmax"]
    assert hosts("sort") == ["add", "softmax", "top_k"]
    assert hosts("convolution", "fuse") == ["add", "softmax", "product", "max_pool_rows", "layer_norm"]
    for category in get_args(Category):
        assert len(language(category)) < 45_000


def test_the_last_program_of_a_reply_counts_and_other_blocks_do_not() -> None:
    program = "```python\n@ascend_kernel\ndef {}(x):\n```\n"
    thought, old, new = (program.format(name) for name in ("no", "old", "new"))
    reply = f"<think>{thought}</think>{old}\n```python\nprint()\n```\n{new}"
    assert read_program(reply) == "@ascend_kernel\ndef new(x):\n"
    assert read_program("```python\nprint()\n```") is None
    assert read_program("```python\n@ascend_kernel\ndef cut(x):") is None


def test_the_planner_thinks_in_the_language_that_the_coder_writes() -> None:
    task, target = resolve_task("softmax_rows"), chip("Ascend910B2")
    plan = DslPrompts(target, Budget(), None).planner(task, None)
    assert language("softmax") in plan.system and "the language's operations" in plan.system
    of_ascend_c = EnglishPrompts(target, Budget(), None).planner(task, None)
    for interface in ("DataCopyPad", "EnQue", "# Interfaces that may help"):
        assert interface not in plan.system + plan.user and interface in of_ascend_c.system + of_ascend_c.user
