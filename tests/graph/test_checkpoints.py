"""Every class of the state comes back from a checkpoint equal to what went in."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from akgen.agents.budget import Budget, Spent
from akgen.agents.plan import Buffer, Plan, Tiling
from akgen.agents.requests.language import Language
from akgen.agents.requests.request import Request, RequestSource
from akgen.agents.roles import Decision, Feedback, Planned, Usage, Written
from akgen.graph.chat.conversation import ChatState
from akgen.graph.state import (
    CHECKPOINTED,
    Choice,
    Done,
    History,
    Profiled,
    Samples,
    SampleState,
    TaskState,
)
from akgen.graph.store.checkpoints import serializer, sqlite_saver
from akgen.graph.store.records import AttemptRow, SampleRecord, Solution
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.knobs import Knobs
from akgen.tools.core.op_spec import AttrSpec, OpSpec, ParamSpec
from akgen.tools.core.outcome import Diagnostic, InfraError, Outcome
from akgen.tools.core.profile import PipeTime, Profile
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Case, Certificate, Mode, Reference, Task, Tolerance
from akgen.tools.core.toolchain import Build
from akgen.tools.core.verdict import CaseVerdict, Mismatch, Verdict

FINDING = Diagnostic(
    code="COPY_LENGTH", text="odd", file="op_kernel/x.cpp", line=3, stage="test", core="AIV 3"
)
TILING = Tiling(
    block_dim=40,
    tile_length=512,
    buffers=(Buffer(name="x", role="in", dtype=DType.FLOAT16, size_bytes=1024, copies=2),),
    ub_bytes=2048,
    double_buffer=True,
)
PLAN = Plan(origin="test", category="softmax", thought="so", tiling=TILING, apis=("Add", "Exp"))
PROFILE = Profile(
    time_source="predicted",
    toolchain="twin",
    time_us=12.5,
    cores=2,
    gm_read_bytes=1,
    gm_write_bytes=2,
    pipes=(PipeTime(pipe="V", busy_us=1.0, stalled_us=2.0, idle_us=9.5, instructions=7),),
    bound="memory",
    roofline_share=0.5,
    core_imbalance=1.0,
    trace=Path("/runs/trace.json"),
)
MISMATCH = Mismatch(
    output=0, pattern="tail", count=3, total=100, first_index=(1, 2), max_abs=None, max_rel=1.0
)
VERDICT = Verdict(
    outcome=Outcome.WRONG,
    toolchain="twin",
    compile_s=0.25,
    cases=(
        CaseVerdict(
            id="0", outcome=Outcome.WRONG, mismatch=MISMATCH, diagnostics=(FINDING,), profile=PROFILE
        ),
    ),
    diagnostics=(FINDING,),
)
PROJECT = KernelProject(op_type="X", kernel="x", files={"op_kernel/x.cpp": "int x;\n"})
FEEDBACK = Feedback(
    attempt=1, outcome=Outcome.WRONG, text="no", diagnostics=(FINDING,), left=Budget(attempts=2)
)
DECISION = Decision(action="repair", feedback=FEEDBACK, why="it differs", usage=Usage(output_tokens=3))
ROW = AttemptRow(
    number=1, outcome=Outcome.WRONG, time_us=2.0, time_source="predicted", folder=Path("sample-0/attempt-1")
)
SAMPLE = SampleRecord(
    sample=0, outcome=Outcome.WRONG, best=1, time_us=None, attempts=(ROW,), spent=Spent(tokens=3)
)
TASK = Task(
    name="x",
    suite="builtin",
    op_type="X",
    kernel="x",
    reference=Reference(loader="akgen.tools.reference.module_loader", path=Path("/tasks/x.py")),
    cases=(Case(id="0", params={"shape": [3, 5], "dtype": "float32", "scale": 1.5, "keep": True}),),
    tolerances=(Tolerance(dtype=DType.FLOAT16, atol=1e-3, rtol=1e-3),),
    certificate=Certificate(digest="abc", rejected=("zeros",)),
)
BUILD = Build(
    toolchain="twin",
    outcome=None,
    op=OpSpec(
        op_type="X",
        inputs=(ParamSpec(name="x", dtypes=(DType.FLOAT32, DType.FLOAT16)),),
        outputs=(ParamSpec(name="y", dtypes=(DType.FLOAT32, DType.FLOAT16)),),
        attrs=(AttrSpec(name="axes", type="list_int", default=(1, 2)),),
    ),
    folder=Path("/runs/build"),
    compile_s=0.1,
)
SOLUTION = Solution(
    task="x",
    outcome=Outcome.WRONG,
    toolchain="twin",
    sample=0,
    attempt=1,
    project=None,
    time_us=None,
    verdict=VERDICT,
    candidates=(SAMPLE,),
)
VALUES: tuple[Frozen | DType | Outcome, ...] = (
    BUILD,
    Samples(ended=(SAMPLE,)),
    Choice(model="openai:x", base_url="http://host/v1", budget=Budget(attempts=2, tokens=100)),
    DType.BFLOAT16,
    DECISION,
    Done(tasks=("01_gelu", "02_gelu")),
    FEEDBACK,
    History(rows=(ROW, ROW)),
    PROJECT,
    Language.CHINESE,
    Mode.STATIC,
    Outcome.TRAP,
    Planned(plan=PLAN, diagnostics=(FINDING,), messages=({"role": "user", "content": "plan"},)),
    Profiled(profile=PROFILE),
    Request(
        source=RequestSource(kind="code", name="f", text="def f(x): ...", entry="f", arguments=("x",)),
        dtype=DType.FLOAT16,
        shape=(3, 5),
        axis="all",
        dynamic=True,
        knobs=Knobs(cores=20),
    ),
    SOLUTION,
    Spent(attempts=1, tokens=2, wall_s=0.5),
    TASK,
    VERDICT,
    Written(project=PROJECT, dsl="@ascend_kernel"),
)


@pytest.mark.parametrize("value", VALUES, ids=lambda v: type(v).__name__)
def test_a_value_comes_back_equal(value: Frozen | DType | Outcome) -> None:
    kept = serializer()
    back = kept.loads_typed(kept.dumps_typed({"channel": value}))["channel"]
    assert type(back) is type(value)
    assert back == value


def test_every_checkpointed_class_is_tried() -> None:
    assert {type(value) for value in VALUES} == set(CHECKPOINTED)


def test_every_channel_holds_a_checkpointed_class_or_a_plain_value() -> None:
    known = set(CHECKPOINTED) | {int, str, type(None)}
    for state in (SampleState, TaskState, ChatState):
        for channel, hint in get_type_hints(state).items():
            classes = set(_leaves(hint))
            assert classes <= known, f"{channel} holds {classes - known}"


def _leaves(hint: Any) -> Iterator[Any]:
    """Yield what a union or a tuple of any depth is made of."""
    parts = [part for part in get_args(hint) if part is not ...]
    for part in parts:
        yield from _leaves(part)
    if not parts:
        yield hint


def test_tuples_in_tuples_come_back_with_what_they_held() -> None:
    kept, channel = serializer(), (("what was said", "what was asked"), ("and", "again"))
    back = kept.loads_typed(kept.dumps_typed({"channel": channel}))["channel"]
    assert tuple(map(tuple, back)) == channel  # they come as lists


def test_a_class_that_is_not_listed_is_not_brought_back() -> None:
    kept = serializer()
    back = kept.loads_typed(kept.dumps_typed({"channel": Budget()}))["channel"]
    assert not isinstance(back, Budget)


def test_a_damaged_checkpoint_file_stops_the_run(tmp_path: Path) -> None:
    path = tmp_path / "checkpoints.sqlite"
    path.write_bytes(b"this is no database" * 100)
    with pytest.raises(InfraError, match=r"checkpoints\.sqlite cannot be used"), sqlite_saver(path):
        pass


def test_a_checkpoint_file_that_cannot_be_made_stops_the_run(tmp_path: Path) -> None:
    with pytest.raises(InfraError, match="cannot be used"), sqlite_saver(tmp_path / "absent" / "c.sqlite"):
        pass
