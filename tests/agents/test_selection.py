"""What is known is chosen for the task, within a budget, and recorded."""

from pathlib import Path

from akgen.agents.plan import Plan
from akgen.agents.prompts.retrieval import mark_used, retrieve
from akgen.agents.roles import Feedback
from akgen.knowledge.patterns import patterns
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Reference, Task


def _task(name: str = "swish", category: str = "activation") -> Task:
    return Task(
        name=name,
        suite="file",
        op_type="Swish",
        kernel="swish",
        category=category,
        description="x times the sigmoid of x.",
        reference=Reference(loader="akgen.tools.reference.module_loader", path=Path("swish.py")),
        cases=(),
    )


PLAN = Plan(origin="test", category="activation", thought="", apis=("Sigmoid", "NoSuchApi", "Mul"))


def test_the_plans_interfaces_come_first_and_an_expert_kernel_of_the_category_is_shown() -> None:
    chosen = retrieve(_task(), PLAN, None)
    assert [c.name for c in chosen.cards[:2]] == ["Sigmoid", "Mul"]
    assert chosen.pattern is not None and "activation" in chosen.pattern.categories
    assert {"TQue", "DataCopyPad", "GetBlockIdx"} <= {c.name for c in chosen.cards}
    assert [s.name for s in chosen.shown if s.kind == "pattern"] == [chosen.pattern.name]


def test_the_budget_holds_and_the_first_things_stay() -> None:
    chosen = retrieve(_task(), PLAN, None, tokens=300)
    assert sum(s.tokens for s in chosen.shown) <= 300
    assert chosen.pattern is None and chosen.cards[0].name == "Sigmoid"
    assert retrieve(_task(), PLAN, None, tokens=0).shown == ()


def test_a_repair_is_shown_the_interfaces_of_its_findings_and_no_other_kernel() -> None:
    found = Diagnostic(
        code="UNKNOWN_API", text="ReduceAdd: no such API; did you mean ReduceSum?", stage="compile"
    )
    feedback = Feedback(attempt=1, outcome=Outcome.COMPILE_ERROR, text="", diagnostics=(found,))
    chosen = retrieve(_task(), PLAN, feedback)
    assert "ReduceSum" in [c.name for c in chosen.cards[:4]]
    assert chosen.pattern is None


def test_no_task_is_shown_its_own_answer() -> None:
    for pattern in patterns():
        for category in pattern.categories:
            chosen = retrieve(_task(pattern.task, category), None, None, tokens=100_000)
            assert chosen.pattern is None or chosen.pattern.task != pattern.task
            others = retrieve(_task("another_task", category), None, None, tokens=100_000)
            assert others.pattern is not None and category in others.pattern.categories


def test_what_the_code_names_counts_as_used() -> None:
    chosen = retrieve(_task(), PLAN, None)
    project = KernelProject(op_type="S", kernel="s", files={"op_kernel/s.cpp": "Sigmoid(y, x, n);"})
    used = {s.name: s.used for s in mark_used(chosen.shown, project)}
    assert used["Sigmoid"] is True and used["Mul"] is False
    assert chosen.pattern is not None and used[chosen.pattern.name] is None
    assert mark_used(chosen.shown, None) == chosen.shown
