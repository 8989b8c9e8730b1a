"""The model-driven critic, driven by a script: it chooses among what the rules allow, and states what it expects."""

import json
from pathlib import Path
from typing import Any

import pytest

from akgen.agents.calls.conversation import Conversation
from akgen.agents.critic import ChatCritic, RuleCritic
from akgen.agents.models.resolve import ModelOptions, ScriptedChatModel, resolve_model
from akgen.agents.plan import Plan
from akgen.agents.roles import Decision, TuningMove
from akgen.knowledge.chip import chip
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.profile import PipeTime, Profile, Waits
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Reference, Task
from akgen.tools.core.verdict import CaseVerdict, Verdict
from tests.loopback import Act, loopback

TASK = Task(
    name="swish",
    suite="file",
    op_type="Swish",
    kernel="swish",
    category="activation",
    description="x times the sigmoid of x.",
    reference=Reference(loader="akgen.tools.reference.module_loader", path=Path("swish.py")),
    cases=(),
)
KERNEL = "op_kernel/swish.cpp"
PLAN = Plan(origin="test", category="activation", thought="Elements over cores.")
FOUND = Diagnostic(
    code="TENSOR_RANGE", text="Adds: writes 128 bytes of a tensor whose buffer ends after 64 bytes."
)
TRAPPED = Verdict(outcome=Outcome.TRAP, toolchain="twin", diagnostics=(FOUND,), compile_s=0.0)


def _slow() -> Verdict:
    waits = Waits(data_us=7.5, buffer_us=0.5, issue_us=0.0)
    pipe = PipeTime(pipe="MTE2", busy_us=1.0, stalled_us=8.0, idle_us=1.0, instructions=4, waits=waits)
    profile = Profile(
        time_source="predicted",
        cores=48,
        gm_read_bytes=1024,
        gm_write_bytes=1024,
        toolchain="twin",
        time_us=10.0,
        pipes=(pipe,),
        bound="memory",
        roofline_share=0.2,
        core_imbalance=1.0,
    )
    case = CaseVerdict(
        id="0", outcome=Outcome.CORRECT, time_us=10.0, time_source="predicted", profile=profile
    )
    return Verdict(outcome=Outcome.CORRECT, toolchain="twin", cases=(case,), compile_s=0.0)


def _decide(folder: Path, reply: dict[str, Any] | str, verdict: Verdict, left: int = 2) -> Decision:
    script = folder / "script.jsonl"
    text = reply if isinstance(reply, str) else f"Let me see.\n{json.dumps(reply)}"
    script.write_text(json.dumps({"role": "critic", "attempt": 1, "text": text}) + "\n")
    conversation = Conversation(ScriptedChatModel.read(script), "scripted", "scripted", seed=0)
    return ChatCritic(conversation, chip()).criticise(TASK, PLAN, verdict, 1, left)


def test_it_reads_the_code_with_findings_at_their_lines_and_what_the_pipes_waited_for() -> None:
    project = KernelProject(op_type="Swish", kernel="swish", files={KERNEL: "int a;\nAdds(y, x, 1);\n"})
    found = FOUND.model_copy(update={"file": KERNEL, "line": 2})
    with loopback(lambda _body, _n: "I cannot say.", Act()) as endpoint:
        model = resolve_model("vllm:m", ModelOptions(base_url=endpoint.url))
        critic = ChatCritic(Conversation(model, "vllm:m", endpoint.url, seed=0), chip())
        critic.criticise(TASK, PLAN, TRAPPED.model_copy(update={"diagnostics": (found,)}), 1, 2, project)
        critic.criticise(TASK, PLAN, _slow(), 1, 2, project)
    asked = "".join(message["content"] for body in endpoint.asked for message in body["messages"])
    assert "   2| Adds(y, x, 1);    // <== TENSOR_RANGE" in asked
    assert "MTE2: busy 1.00 us in 4 instructions, waiting 7.50 us for data" in asked


def test_its_explanation_follows_the_findings(tmp_path: Path) -> None:
    decision = _decide(
        tmp_path, {"action": "replan", "explanation": "The tile is twice the buffer."}, TRAPPED
    )
    assert decision.action == "replan" and decision.feedback is not None
    assert "TENSOR_RANGE" in decision.feedback.text
    assert decision.feedback.text.rstrip().endswith("The reviewer adds: The tile is twice the buffer.")


def test_a_tuning_step_states_what_it_expects(tmp_path: Path) -> None:
    said = {"action": "tune", "explanation": "Two buffers.", "kind": "double_buffer", "predicted_gain": 0.3}
    decision = _decide(tmp_path, said, _slow())
    assert decision.action == "tune"
    assert decision.hypothesis == TuningMove(kind="double_buffer", predicted_gain=0.3)


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("I would rather not say.", TRAPPED),
        ({"action": "accept", "explanation": "Good enough."}, TRAPPED),  # it is not correct
        ({"action": "tune", "explanation": "Faster!"}, _slow()),  # by how much?
        ({"action": "repair", "explanation": "It is correct already."}, _slow()),
        ({"action": "tune", "explanation": "x", "predicted_gain": 7}, _slow()),
    ],
)
def test_what_cannot_be_used_leaves_the_rules_decision(
    tmp_path: Path, reply: dict[str, Any] | str, verdict: Verdict
) -> None:
    ruled = RuleCritic().criticise(TASK, PLAN, verdict, 1, 2)
    decision = _decide(tmp_path, reply, verdict)
    assert decision.model_copy(update={"usage": ruled.usage}) == ruled


def test_it_is_not_asked_where_there_is_nothing_to_choose(tmp_path: Path) -> None:
    said = {"action": "repair", "explanation": "Again."}
    assert _decide(tmp_path, said, TRAPPED, left=0).action == "give_up"
