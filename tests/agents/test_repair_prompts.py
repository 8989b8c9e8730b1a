"""What a coder is asked: a draft with a whole project of its kind, a repair in half the tokens, everything again."""

from pathlib import Path

import pytest

from akgen.agents.budget import Budget
from akgen.agents.calls.edits import apply_edits, read_edits
from akgen.agents.coder import difference
from akgen.agents.critic import asked_again
from akgen.agents.plan import Plan
from akgen.agents.prompts.builder import EnglishPrompts, example_project, task_text
from akgen.agents.prompts.repair import CHARACTERS_PER_TOKEN, TOKENS
from akgen.agents.roles import Feedback
from akgen.bench.resolve import resolve_task
from akgen.knowledge.chip import chip
from akgen.tools.core.call import Call, OutputMeta, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Case, Mode, Task
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.twin.toolchain import TwinToolchain

PLAN = Plan(origin="test", category="activation", thought="Rows over the cores.")
META = TensorMeta(dtype=DType.FLOAT32, shape=(37, 1001))
CALL = Call(inputs=(META,), outputs=(OutputMeta(meta=META),))
KERNEL = "op_kernel/softmax_rows.cpp"
PRODUCT = """import torch


class Model(torch.nn.Module):
    def forward(self, x, w, b):
        return (x.float() @ w.float() + b).to(x.dtype)


def get_inputs(params):
    (batches, m, k, n), dtype = params["shape"], getattr(torch, params["dtype"])
    return [torch.randn(batches, m, k).to(dtype), torch.randn(k, n).to(dtype), torch.randn(n)]
"""


def _task() -> Task:
    return resolve_task("softmax_rows", case_ids=("ragged", "half"))


def _long(count: int) -> KernelProject:
    body = "".join(f"    Adds(y{n}, x{n}, 1.0f, count);\n" for n in range(count))
    return KernelProject(op_type="S", kernel="softmax_rows", files={KERNEL: f"void F()\n{{\n{body}}}\n"})


def _feedback(line: int | None, **more: object) -> Feedback:
    found = Diagnostic(
        code="DTYPE_UNSUPPORTED", text="Adds does not take it.", file=KERNEL, line=line, api="Adds"
    )
    return Feedback.model_validate(
        {"attempt": 1, "outcome": "compile_error", "text": "- Adds.", "diagnostics": (found,), **more}
    )


def _prompt(feedback: Feedback | None, previous: KernelProject | None) -> str:
    prompt = EnglishPrompts(chip(), Budget(), lambda _: CALL).coder(_task(), PLAN, feedback, previous)
    return f"{prompt.system}\n{prompt.user}"


def test_a_repair_holds_the_findings_lines_with_their_cards_in_half_the_tokens_of_a_first_prompt() -> None:
    first, mend = _prompt(None, None), _prompt(_feedback(700), _long(1500))
    assert len(mend) <= TOKENS * CHARACTERS_PER_TOKEN < len(first)
    assert " 700|     Adds(y697, x697, 1.0f, count);    // <== DTYPE_UNSUPPORTED" in mend
    assert "lines 1 to " in mend and "are not shown" in mend
    assert "Adds(dst, src, scalarValue, count)" in mend
    everything = _prompt(_feedback(7), _long(20))
    assert "not shown" not in everything and "  23| }" in everything


def test_a_repair_shows_what_the_attempt_had_changed() -> None:
    before, now = _long(3), _long(2)
    text = _prompt(_feedback(3, changed=difference(before, now)), now)
    assert "-    Adds(y2, x2, 1.0f, count);" in text


def test_edits_may_repeat_the_line_numbers_that_they_were_shown() -> None:
    old, new = "   3|     Adds(y0, x0, 1.0f, count);", "   3|     Exp(y0, x0, count);"
    numbered = f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE"
    files, refused = apply_edits(_long(2).files, read_edits(numbered, KERNEL))
    assert refused is None
    assert files[KERNEL].splitlines()[2] == "    Exp(y0, x0, count);"


def test_a_place_that_was_mended_in_vain_and_a_reply_without_code_are_asked_for_whole() -> None:
    whole = _prompt(_feedback(3, whole=True), _long(2))
    assert "An example of the form" in whole and "Adds(y1, x1, 1.0f, count);" in whole
    none = Feedback(attempt=1, outcome=Outcome.NO_CODE, text="The reply holds no code block.")
    again = _prompt(none, None)
    assert again.startswith(_prompt(None, None).rstrip()) and "Answer with every file in full" in again
    carried = asked_again(none, _feedback(3))
    assert "no code block" in carried.text and "- Adds." in carried.text and len(carried.diagnostics) == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"mode": Mode.STATIC, "cases": (Case(id="a"),)}, "Shapes, types and attributes are fixed"),
        ({}, "one that is not listed is launched"),
        ({"draws_shapes": False}, "nothing beside the listed cases is launched"),
        ({"own_checker": True}, "the task's own check decides"),
        ({"tolerances": ()}, "float32: |difference| <= 1e-05 (less where"),
    ],
)
def test_a_prompt_says_how_closely_and_on_what_the_kernel_is_judged(
    change: dict[str, object], said: str
) -> None:
    assert said in task_text(_task().model_copy(update=change), lambda _: CALL)


def test_a_task_with_products_is_shown_a_whole_project_for_the_cube_that_is_correct(
    twin: TwinToolchain, reference: ReferenceWorker, tmp_path: Path
) -> None:
    (tmp_path / "batched_linear.py").write_text(PRODUCT)
    cases = tuple(
        Case(id=dtype, params={"shape": [2, 37, 65, 129], "dtype": dtype}) for dtype in ("float16", "float32")
    )
    task = resolve_task(str(tmp_path / "batched_linear.py")).model_copy(update={"cases": cases})
    prompts = EnglishPrompts(chip(), Budget(), lambda t: reference.describe(t.reference, t.cases[0]))
    system = prompts.coder(task, PLAN, None, None).system
    assert all(
        word in system
        for word in (
            "MultiCoreMatmulTiling",
            "REGIST_MATMUL_OBJ",
            "KERNEL_TYPE_MIX_AIC_1_2",
            "lib/matmul_intf.h",
        )
    )
    verdict = Judge(twin, reference).judge(
        example_project(product=True), task, work=tmp_path / "judged", trials=1, seed=1
    )
    assert verdict.outcome == Outcome.CORRECT, verdict.why()


@pytest.mark.parametrize("kernel", ["total", "matmul"])
def test_a_kernel_may_be_called_like_a_field_of_its_tiling_data_or_like_a_namespace(
    kernel: str, twin: TwinToolchain, reference: ReferenceWorker, tmp_path: Path
) -> None:
    files = {
        path.replace("add_one", kernel): text.replace("add_one", kernel).replace(
            "using namespace AscendC;",
            '#include "lib/matmul_intf.h"\nusing namespace AscendC;\nusing namespace matmul;',
        )
        for path, text in example_project().files.items()
    }
    (tmp_path / "plus_one.py").write_text(
        "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x + 1\n\n\n"
        "def get_inputs():\n    return [torch.randn(7, 33)]\n"
    )
    task = resolve_task(str(tmp_path / "plus_one.py"))
    project = KernelProject(op_type="AddOne", kernel=kernel, files=files)
    verdict = Judge(twin, reference).judge(project, task, work=tmp_path / "judged", trials=1, seed=1)
    assert verdict.outcome == Outcome.CORRECT, verdict.why()
