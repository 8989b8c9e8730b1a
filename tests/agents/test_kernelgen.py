"""KernelGen-LM: asked in exactly its form, answered in either of its two, joined with a host where it wrote none."""

import json
from pathlib import Path

import pytest

from akgen.agents.budget import Budget
from akgen.agents.kernel_only import host_files, minimal_host
from akgen.agents.plan import Plan
from akgen.agents.prompts import raw_text, render
from akgen.agents.prompts.builder import example_project
from akgen.agents.roles import Coder, Critic, Planner, Written
from akgen.agents.run_config import Command, RunConfig
from akgen.agents.team import make_conversation, make_deciders
from akgen.tools.core.call import Attr, Call, OutputMeta, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.twin.toolchain import TwinToolchain
from tests.loopback import Loopback, loopback

KERNEL = raw_text("example_kernel_only/add_one.cpp")
KERNEL_ONLY = f"Elements over the cores.\n</think>\n<kernel_impl>\n```cpp\n{KERNEL}```\n</kernel_impl>\n"
PLAN = Plan(origin="composer", category="elementwise", thought="Split by elements.", apis=("Adds",))
META = TensorMeta(dtype=DType.FLOAT32, shape=(7, 333))
CALL = Call(inputs=(META,), outputs=(OutputMeta(meta=META),))
REFERENCE = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1


def get_inputs(params):
    return [torch.randn(params["shape"])]
"""


def _task(folder: Path, *shapes: tuple[int, ...]) -> Task:
    module = folder / "add_one.py"
    module.write_text(REFERENCE)
    return Task(
        name="add_one",
        suite="file",
        op_type="AddOne",
        kernel="add_one",
        category="elementwise",
        description="Add one.",
        reference=Reference(loader="akgen.tools.reference.module_loader", path=module),
        cases=tuple(Case(id=str(i), params={"shape": list(s)}) for i, s in enumerate(shapes or ((7, 333),))),
    )


def _deciders(
    endpoint: Loopback, call: Call = CALL, model: str = "kernelgen:KernelGen-LM-32B"
) -> tuple[Planner, Coder, Critic]:
    config = RunConfig(command=Command.SOLVE, model=model, base_url=endpoint.url, budget=Budget(attempts=2))
    conversation = make_conversation(config, Settings(cache=Path()))
    return make_deciders(config, conversation, lambda _: call)


def _write(task: Task, said: str) -> tuple[Written, Loopback]:
    with loopback(said) as endpoint:
        written = _deciders(endpoint)[1].write(task, PLAN, None, None, 0)
    return written, endpoint


@pytest.fixture(scope="module")
def judge(twin: TwinToolchain, reference: ReferenceWorker) -> Judge:
    return Judge(twin, reference)


def test_the_prompt_is_one_user_turn_with_the_frame_of_the_released_models(tmp_path: Path) -> None:
    _, endpoint = _write(_task(tmp_path), KERNEL_ONLY)
    (asked,) = endpoint.asked
    assert endpoint.paths == ["/v1/completions"]
    assert asked["prompt"].startswith("<|im_start|>user\n\\(")
    assert asked["prompt"].endswith(")<|im_end|>\n<|im_start|>assistant\n<think>")
    assert asked["prompt"].count("<|im_start|>") == 2
    assert (asked["temperature"], asked["top_p"], asked["max_tokens"]) == (0.7, 0.9, 16384)


def test_one_case_is_asked_for_as_a_kernel_alone_with_its_shape(tmp_path: Path) -> None:
    prompt = _write(_task(tmp_path), KERNEL_ONLY)[1].asked[0]["prompt"]
    assert "<kernel_impl>" in prompt and "TilingDataDef" in prompt and "GM_ADDR workspace)" in prompt
    assert "形状 [7, 333]" in prompt and "固定形状" in prompt
    assert "op_host/add_one.cpp" not in prompt


def test_many_cases_are_asked_for_as_a_whole_project(tmp_path: Path) -> None:
    prompt = _write(_task(tmp_path, (7, 333), (2, 5)), KERNEL_ONLY)[1].asked[0]["prompt"]
    assert "================== op_host/add_one_tiling.h ==================" in prompt
    assert "<kernel_impl>" not in prompt and "动态形状" in prompt


def test_half_precision_is_called_as_the_models_know_it(tmp_path: Path) -> None:
    half = Call(
        inputs=(TensorMeta(dtype=DType.FLOAT16, shape=(3,)),),
        attrs=(Attr(name="alpha", value=0.5),),
        outputs=(),
    )
    with loopback(KERNEL_ONLY) as endpoint:
        _deciders(endpoint, half)[1].write(_task(tmp_path), PLAN, None, None, 0)
    assert "输入 0:float16_t,形状 [3]" in endpoint.asked[0]["prompt"]
    assert "`alpha`,取值 0.5" in endpoint.asked[0]["prompt"]


def test_the_answer_begins_inside_its_thought(tmp_path: Path) -> None:
    written, _ = _write(_task(tmp_path), KERNEL_ONLY)
    assert written.project is not None
    assert written.project.files["op_kernel/add_one.cpp"] == KERNEL
    assert written.messages[-1]["content"].startswith("<think>Elements over the cores.")


def test_a_draft_inside_the_thought_is_no_answer(tmp_path: Path) -> None:
    written, _ = _write(_task(tmp_path), f"```cpp\n{KERNEL}```\nor so")
    assert (written.project, written.outcome) == (None, Outcome.NO_CODE)
    assert written.diagnostics[0].code == "REPLY_CUT"


def test_a_kernel_alone_is_right_with_our_minimal_host(tmp_path: Path, judge: Judge) -> None:
    task = _task(tmp_path)
    written, _ = _write(task, KERNEL_ONLY)
    assert written.project is not None
    assert set(written.project.files) == {"op_host/add_one.cpp", "op_kernel/add_one.cpp"}
    verdict = judge.judge(written.project, task, work=tmp_path / "work", trials=1, seed=1)
    assert verdict.outcome is Outcome.CORRECT, verdict.diagnostics


def test_a_whole_project_is_right_as_it_is(tmp_path: Path, judge: Judge) -> None:
    task = _task(tmp_path, (7, 333), (2, 5))
    said = "Three files.\n</think>\n" + render("answer", project=example_project())
    written, _ = _write(task, said)
    assert written.project is not None and len(written.project.files) == 3
    verdict = judge.judge(written.project, task, work=tmp_path / "work", trials=1, seed=1)
    assert verdict.outcome is Outcome.CORRECT, verdict.diagnostics


def test_the_tasks_own_host_comes_before_ours(tmp_path: Path) -> None:
    given = KernelProject(
        op_type="AddOne",
        kernel="add_one",
        files={"op_host/add_one.cpp": "// given\n", "op_kernel/add_one.cpp": ""},
    )
    given.write_to(tmp_path / "question")
    task = _task(tmp_path).model_copy(update={"given_host": tmp_path / "question"})
    assert host_files(task, CALL) == {"op_host/add_one.cpp": "// given\n"}
    written, _ = _write(task, KERNEL_ONLY)
    assert written.project is not None
    assert written.project.files["op_host/add_one.cpp"] == "// given\n"


def test_a_kernel_that_reads_tiling_data_gets_no_host_that_writes_none(tmp_path: Path) -> None:
    said = "</think>\n```cpp\nvoid f() { GET_TILING_DATA(t, tiling); }\n```\n"
    written, _ = _write(_task(tmp_path), said)
    assert written.project is not None
    assert set(written.project.files) == {"op_kernel/add_one.cpp"}


PRODUCT = """#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void products(GM_ADDR x, GM_ADDR w, GM_ADDR y, GM_ADDR workspace)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    using Plain = matmul::MatmulType<TPosition::GM, CubeFormat::ND, float>;
    matmul::Matmul<Plain, Plain, Plain, Plain, CFG_NORM> product;
    TCubeTiling cut{};
    cut.M = cut.singleCoreM = 32;
    cut.N = cut.singleCoreN = 48;
    cut.Ka = cut.Kb = cut.singleCoreK = 64;
    cut.baseM = 32;
    cut.baseN = 48;
    cut.baseK = 32;
    cut.usedCoreNum = 1;
    TPipe pipe;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &cut);
    if (GetBlockIdx() != 0) {
        return;
    }
    GlobalTensor<float> a, b, c;
    a.SetGlobalBuffer((__gm__ float *)x);
    b.SetGlobalBuffer((__gm__ float *)w);
    c.SetGlobalBuffer((__gm__ float *)y);
    product.SetTensorA(a);
    product.SetTensorB(b);
    product.IterateAll(c);
    product.End();
}
"""


def test_a_kernel_of_a_product_alone_gets_cube_cores_and_the_librarys_workspace(
    tmp_path: Path, judge: Judge
) -> None:
    task = _task(tmp_path, (32, 64))
    task.reference.path.write_text(
        "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x, w):\n        return x @ w\n\n\n"
        "def get_inputs(params):\n    return [torch.randn(32, 64), torch.randn(64, 48)]\n"
    )
    task = task.model_copy(update={"kernel": "products", "op_type": "Products"})
    host = host_files(task, judge.describe(task), PRODUCT)
    project = KernelProject(
        op_type="Products", kernel="products", files={**host, "op_kernel/products.cpp": PRODUCT}
    )
    verdict = judge.judge(project, task, work=tmp_path / "work", trials=1, seed=1)
    assert verdict.outcome is Outcome.CORRECT, verdict.why()
    assert "GetCoreNumAic" in "".join(host.values()) and "GetCoreNumAiv" in minimal_host("Odd", CALL)


def test_the_minimal_host_declares_every_kind_of_argument() -> None:
    call = Call(
        inputs=(META, None, (META, META)),
        attrs=(
            Attr(name="axes", value=(0, 1)),
            Attr(name="mode", value="max"),
            Attr(name="keep", value=True),
        ),
        outputs=(OutputMeta(meta=META), OutputMeta(meta=META, aliases=0)),
    )
    text = minimal_host("Odd", call)
    for piece in (
        'Input("x0")', ".ParamType(OPTIONAL)", ".ParamType(DYNAMIC)", 'Output("y0")', 'Output("x0")',
        'Attr("axes").AttrType(OPTIONAL).ListInt({0, 1});', '.String("max");', ".Bool(true);", "OP_ADD(Odd);",
    ):  # fmt: skip
        assert piece in text, piece


def test_a_plan_is_read_from_behind_the_thought(tmp_path: Path) -> None:
    plan = {"category": "elementwise", "thought": "t", "block_dim": 40, "tile_length": 64, "buffers": []}
    with loopback("by elements\n</think>\n" + json.dumps(plan)) as endpoint:
        planned = _deciders(endpoint)[0].plan(_task(tmp_path), None, 0)
    assert planned.plan is not None and planned.plan.thought == "by elements"
    assert "response_format" not in endpoint.asked[0]  # a grammar would forbid the thought
    assert "你是一名昇腾" in endpoint.asked[0]["prompt"]
