"""What the coder of the tile DSL shows a model is true: the examples in its prompt are sound programs."""

import re

import pytest

from akgen.agents.budget import Budget
from akgen.agents.dsl_coder import read_program
from akgen.agents.prompts import raw_text
from akgen.agents.prompts.builder import EnglishPrompts
from akgen.agents.prompts.dsl import DslPrompts
from akgen.bench.resolve import resolve_task
from akgen.knowledge.chip import chip
from akgen.tools.dsl import check
from akgen.tools.dsl.parse import parse

LANGUAGE = raw_text("dsl_language.md")
EXAMPLES = [
    re.sub(r"^    ", "", block, flags=re.M)
    for part in LANGUAGE.split("### ")
    for block in ["\n".join(line for line in part.splitlines() if line.startswith("    ") or not line)]
    if "@ascend_host" in block and "@ascend_kernel" in block and "..." not in block
]


@pytest.mark.parametrize("text", EXAMPLES, ids=lambda t: t.split("def ")[1].split("(")[0])
def test_every_example_of_the_prompt_is_sound(text: str) -> None:
    assert check(parse(text)) == ()


def test_the_prompt_has_examples() -> None:
    assert len(EXAMPLES) >= 2


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
    assert raw_text("dsl_language.md").strip() in plan.system and "the language's operations" in plan.system
    of_ascend_c = EnglishPrompts(target, Budget(), None).planner(task, None)
    for interface in ("DataCopyPad", "EnQue", "# Interfaces that may help"):
        assert interface not in plan.system + plan.user and interface in of_ascend_c.system + of_ascend_c.user
