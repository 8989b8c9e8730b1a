"""The model-driven planner and coder, driven by a script."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from akgen.agents.budget import Budget
from akgen.agents.calls.conversation import Conversation
from akgen.agents.coder import ChatCoder
from akgen.agents.models.resolve import ScriptedChatModel
from akgen.agents.plan import Plan
from akgen.agents.planner import ChatPlanner
from akgen.agents.prompts.builder import EnglishPrompts, coder_user, multiplies, planner_user, task_text
from akgen.agents.prompts.dsl import DirectPrompts
from akgen.agents.roles import Feedback, Planned, Written
from akgen.knowledge.chip import chip
from akgen.tools.core.call import Call, OutputMeta, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Case, Reference, Task

PLAN = Plan(origin="test", category="activation", thought="Split by elements.", apis=("Exp", "NoSuchApi"))
GOOD: dict[str, Any] = {
    "category": "activation",
    "thought": "Elements over all cores.",
    "block_dim": 40,
    "tile_length": 4096,
    "buffers": [
        {"name": "x", "space": "UB", "role": "in", "dtype": "float16", "size_bytes": 8192, "copies": 2},
        {"name": "y", "space": "UB", "role": "out", "dtype": "float16", "size_bytes": 8192, "copies": 2},
    ],
    "double_buffer": True,
    "apis": ["Adds"],
}


CUBE = {"base_m": 128, "base_n": 128, "base_k": 64, "dtype": "float16"}


def _task(folder: Path) -> Task:
    module = folder / "gelu.py"
    module.write_text("class Model: ...  # {{ braces stay }}\n")
    return Task(
        name="gelu",
        suite="file",
        op_type="Gelu",
        kernel="gelu",
        category="activation",
        description="Gelu of every element.",
        reference=Reference(loader="akgen.tools.reference.module_loader", path=module),
        cases=tuple(Case(id=str(i), params={"shape": [i + 1, 5]}) for i in range(20)),
    )


class Stand:
    """A planner for want of another, which keeps what it was asked."""

    name = "stand-in"

    def plan(self, task: Task, feedback: Feedback | None, sample: int) -> Planned:
        return Planned(plan=Plan(origin="stand-in", category="activation", thought="As always."))


def _conversation(folder: Path, role: str, *replies: str) -> Conversation:
    script = folder / "script.jsonl"
    script.write_text("".join(json.dumps({"role": role, "text": reply}) + "\n" for reply in replies))
    return Conversation(ScriptedChatModel.read(script), "scripted", "scripted", seed=0)


def _plan(folder: Path, reply: dict[str, Any] | str) -> Planned:
    text = reply if isinstance(reply, str) else f"<think>Long thought.</think>\n{json.dumps(reply)}"
    planner = ChatPlanner(_conversation(folder, "planner", text), chip(), Budget())
    return planner.plan(_task(folder), None, 0)


def _write(folder: Path, reply: str, previous: KernelProject | None = None) -> Written:
    coder = ChatCoder(_conversation(folder, "coder", reply), chip(), Budget())
    return coder.write(_task(folder), PLAN, None, previous, 0)


def test_a_plan_is_read_with_its_thought_and_summed_buffers(tmp_path: Path) -> None:
    planned = _plan(tmp_path, {**GOOD, "confidence": "high"})
    assert planned.plan is not None and planned.plan.tiling is not None
    assert planned.plan.thought == "Long thought."
    assert planned.plan.tiling.ub_bytes == 4 * 8192
    assert [m["role"] for m in planned.messages] == ["system", "user", "assistant"]


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        (
            {"buffers": [{**GOOD["buffers"][0], "size_bytes": 131072}]},
            "PLAN_OVERFLOW",
            "196608 bytes; the plan needs 262144",
        ),
        ({"buffers": [{**GOOD["buffers"][0], "size_bytes": 100}]}, "PLAN_ALIGNMENT", "multiples of 32"),
        ({"block_dim": 4000}, "PLAN_CORES", "asks for 4000 cores"),
        ({"cube": {**CUBE, "base_m": 1024}}, "PLAN_OVERFLOW", "L0A holds 65536 bytes"),
        ({"cube": {**CUBE, "base_n": 40}}, "PLAN_ALIGNMENT", "base_n is 40"),
        ({"core_type": "mix", "block_dim": 40}, "PLAN_CORES", "asks for 40 cores"),
        ({"category": "poetry"}, "PLAN_FIELD", '"category"'),
        ({"tile_length": "long"}, "PLAN_FIELD", '"tile_length"'),
        ({"buffers": [{"name": "x"}]}, "PLAN_FIELD", '"buffers.0.role"'),
    ],
)
def test_a_plan_that_cannot_be_is_refused_with_the_numbers(
    tmp_path: Path, change: dict[str, Any], code: str, words: str
) -> None:
    planned = _plan(tmp_path, {**GOOD, **change})
    assert planned.plan is None
    assert planned.outcome is Outcome.PLAN_REJECTED
    assert any(d.code == code and words in d.text for d in planned.diagnostics), planned.diagnostics


def test_a_reply_without_a_plan_is_no_code(tmp_path: Path) -> None:
    planned = _plan(tmp_path, "I would split it by rows.")
    assert planned.outcome is Outcome.NO_CODE
    assert [d.code for d in planned.diagnostics] == ["NO_PLAN"]


TOO_BIG = {**GOOD, "block_dim": 4000}


def _planner(folder: Path, *replies: dict[str, Any], fallback: bool = False) -> ChatPlanner:
    texts = [json.dumps(r) for r in replies]
    script = folder / "script.jsonl"
    lines = [{"role": "planner", "attempt": 1, "turn": n, "text": t} for n, t in enumerate(texts, start=1)]
    script.write_text("".join(json.dumps(line) + "\n" for line in lines))
    conversation = Conversation(ScriptedChatModel.read(script), "scripted", "scripted", seed=0)
    return ChatPlanner(conversation, chip(), Budget(), fallback=Stand if fallback else None)


def test_a_plan_that_does_not_fit_is_corrected_with_the_numbers(tmp_path: Path) -> None:
    planned = _planner(tmp_path, TOO_BIG, GOOD).plan(_task(tmp_path), None, 0)
    assert planned.plan is not None and planned.plan.tiling is not None
    assert (planned.corrections, planned.fallback, planned.plan.tiling.block_dim) == (1, False, 40)
    asked = [m["content"] for m in planned.messages if m["role"] == "user"]
    assert len(asked) == 2 and "4000" in asked[1] and "48" in asked[1]


def test_after_two_corrections_the_stand_in_plans_and_the_record_says_so(tmp_path: Path) -> None:
    planned = _planner(tmp_path, TOO_BIG, TOO_BIG, TOO_BIG, fallback=True).plan(_task(tmp_path), None, 0)
    assert planned.plan is not None and planned.plan.thought == "As always."
    assert (planned.corrections, planned.fallback) == (2, True)
    assert planned.plan.origin == "stand-in, for want of the model's"
    assert "4000" in planned.diagnostics[0].text
    refused = _planner(tmp_path, TOO_BIG, TOO_BIG, TOO_BIG).plan(_task(tmp_path), None, 0)
    assert refused.plan is None and refused.outcome is Outcome.PLAN_REJECTED


EDIT = "<<<<<<< SEARCH\nint kernel;\n=======\nint better;\n>>>>>>> REPLACE\n"
LOST = EDIT.replace("int kernel", "int colonel")


@pytest.mark.parametrize(
    ("replies", "form", "text"),
    [
        ((EDIT,), "edits", "int better;\n"),
        ((LOST, EDIT), "second_try", "int better;\n"),
        ((LOST, "```cpp\nint whole;\n```"), "second_try", "int whole;\n"),
        ((LOST, LOST), None, None),
    ],
)
def test_edits_change_the_previous_files_or_are_asked_for_once_more(
    tmp_path: Path, replies: tuple[str, ...], form: str | None, text: str | None
) -> None:
    script = tmp_path / "script.jsonl"
    lines = [{"role": "coder", "attempt": 1, "turn": n, "text": t} for n, t in enumerate(replies, start=1)]
    script.write_text("".join(json.dumps(line) + "\n" for line in lines))
    conversation = Conversation(ScriptedChatModel.read(script), "scripted", "scripted", seed=0)
    previous = KernelProject(
        op_type="Gelu", kernel="gelu", files={"op_kernel/gelu.cpp": "int kernel;\n", "op_host/gelu.cpp": "h"}
    )
    written = ChatCoder(conversation, chip(), Budget()).write(_task(tmp_path), PLAN, None, previous, 0)
    assert written.form == form
    if text is None:
        assert written.project is None and written.outcome is Outcome.NO_CODE
        assert written.diagnostics[0].code == "EDIT_REFUSED"
        assert "nearest line is `int kernel;`" in written.diagnostics[0].text
    else:
        assert written.project is not None
        assert written.project.files == {"op_kernel/gelu.cpp": text, "op_host/gelu.cpp": "h"}


def test_code_becomes_a_project_of_the_task(tmp_path: Path) -> None:
    written = _write(tmp_path, "```cpp\nint kernel;\n```")
    assert written.project is not None
    assert (written.project.op_type, written.project.kernel) == ("Gelu", "gelu")
    assert written.project.files == {"op_kernel/gelu.cpp": "int kernel;\n"}


def test_files_that_a_repair_leaves_out_stay(tmp_path: Path) -> None:
    previous = KernelProject(
        op_type="Gelu", kernel="gelu", files={"op_host/gelu.cpp": "host", "op_kernel/gelu.cpp": "old"}
    )
    written = _write(tmp_path, "```cpp\nnew\n```", previous)
    assert written.project is not None
    assert written.project.files == {"op_host/gelu.cpp": "host", "op_kernel/gelu.cpp": "new\n"}


@pytest.mark.parametrize(
    "reply", ["Sorry.", "================== op_host/gelu.cpp ==================\n```cpp\nint x;\n```\n"]
)
def test_a_reply_without_the_kernel_is_no_code(tmp_path: Path, reply: str) -> None:
    written = _write(tmp_path, reply)
    assert (written.project, written.outcome) == (None, Outcome.NO_CODE)
    assert written.diagnostics[0].code == "NO_CODE"
    assert written.messages[-1]["content"] == reply


def test_the_prompt_holds_reference_cases_interface_and_the_plans_cards(tmp_path: Path) -> None:
    meta = TensorMeta(dtype=DType.FLOAT16, shape=(3, 5))
    call = Call(inputs=(meta, None, (meta, meta)), outputs=(OutputMeta(meta=meta, aliases=0),))
    text = coder_user(_task(tmp_path), PLAN, None, None, Budget(tokens=900), lambda _: call)
    assert "{{ braces stay }}" in text
    assert '- 0: {"shape": [1, 5]}' in text and "and 8 more" in text
    assert "input 0: float16 [3, 5]" in text and "input 1: absent" in text
    assert "input 2: list of 2 tensors: float16 [3, 5], float16 [3, 5]" in text
    assert "the memory of input 0" in text
    assert "Exp(dst, src, count)" in text and "DataCopyPad(" in text
    assert "900 tokens" in text


def test_who_launches_kernels_directly_reads_nothing_of_operator_definitions_and_tiling_data(
    tmp_path: Path,
) -> None:
    meta = TensorMeta(dtype=DType.FLOAT16, shape=(3, 5))
    call = Call(inputs=(meta,), outputs=(OutputMeta(meta=meta),))
    task, budget = _task(tmp_path), Budget()
    asked = {}
    for form in (EnglishPrompts, DirectPrompts):
        prompts = form(chip(), budget, lambda _: call)
        asked[form] = prompts.planner(task, None), prompts.coder(task, PLAN, None, None)
    plain, direct = asked[EnglishPrompts], asked[DirectPrompts]
    assert all("GetRawTilingData" in prompt.user for prompt in plain)
    for prompt in direct:
        interfaces = prompt.user.partition("# Interfaces")[2].partition("# An expert kernel")[0]
        assert "DataCopyPad(" in interfaces
        assert not re.search(r"GET_TILING_DATA|OP_ADD|\[registration|\[host and tiling", interfaces)
    assert "<<<>>>" in direct[0].system and "<<<>>>" not in plain[0].system


@pytest.mark.parametrize("products", [(), ((2, 1024),)])
def test_cube_rules_are_for_tasks_with_products_whatever_the_plan_calls_them(
    tmp_path: Path, products: tuple[tuple[int, int], ...]
) -> None:
    plan = Plan(origin="test", category="attention", thought="Rotate pairs.", apis=("Mul",))
    call = Call(inputs=(), outputs=(), products=products)
    assert multiplies(_task(tmp_path), plan, lambda _: call) is bool(products)
    assert multiplies(_task(tmp_path), plan.model_copy(update={"apis": ("Mmad",)}), lambda _: call)
    assert multiplies(_task(tmp_path), plan, None)


def test_feedback_and_what_is_left_reach_planner_and_coder(tmp_path: Path) -> None:
    feedback = Feedback(
        attempt=2, outcome=Outcome.WRONG, text="The tail is wrong.", left=Budget(attempts=1, wall_s=12.4)
    )
    previous = KernelProject(op_type="Gelu", kernel="gelu", files={"op_kernel/gelu.cpp": "int old;"})
    task = _task(tmp_path)
    for text in (
        planner_user(task, feedback, Budget(), None),
        coder_user(task, PLAN, feedback, previous, Budget(), None),
    ):
        assert "attempt 2" in text and "The tail is wrong." in text
        assert "1 attempt, 12 seconds" in text
    assert "int old;" in coder_user(task, PLAN, feedback, previous, Budget(), None)


def test_a_reference_that_is_a_folder_is_not_shown(tmp_path: Path) -> None:
    task = _task(tmp_path)
    hidden = task.model_copy(update={"reference": Reference(loader="x", path=tmp_path)})
    assert "braces stay" not in task_text(hidden, None)
