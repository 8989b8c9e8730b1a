"""What is known is chosen for the task, within a budget, and recorded."""

from pathlib import Path

import pytest

from akgen.agents.budget import Budget
from akgen.agents.plan import Plan
from akgen.agents.prompts.builder import EnglishPrompts
from akgen.agents.prompts.kernelgen import KernelGenPrompts
from akgen.agents.prompts.retrieval import CHARACTERS_PER_TOKEN, OTHER_CHIPS, TOKENS, mark_used, retrieve
from akgen.agents.roles import Feedback
from akgen.knowledge.cards import cards, listing
from akgen.knowledge.chip import chip
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


@pytest.mark.parametrize(
    ("called", "wanted"),
    [
        ("aten.argmax.default", {"ReduceMax", "CreateVecIndex", "Select"}),
        ("aten.cumsum.default", {"CumSum", "TransDataTo5HD"}),
        ("aten.embedding.default", {"Gather", "GetValue"}),
        ("aten.max_pool2d_with_indices.default", {"Max", "GatherMask"}),
        ("aten.bmm.default", {"Matmul", "REGIST_MATMUL_OBJ", "IterateAll"}),
        ("aten.topk.default", {"Sort32", "MrgSort", "Extract"}),
    ],
)
def test_what_the_reference_calls_decides_what_is_shown(called: str, wanted: set[str]) -> None:
    task, other = _task(category="other"), "aten.abs.default"
    assert wanted <= {c.name for c in retrieve(task, None, None, called=(called,)).cards}
    assert not wanted <= {c.name for c in retrieve(task, None, None, called=(other,)).cards}


def test_without_a_trace_the_names_in_the_reference_decide(tmp_path: Path) -> None:
    source = tmp_path / "model.py"
    source.write_text("class Model:\n    def forward(self, x):\n        return x.cumsum(-1)\n")
    task = _task(category="other").model_copy(update={"reference": Reference(loader="x", path=source)})
    assert "CumSum" in {c.name for c in retrieve(task, None, None).cards}


def test_a_composers_plan_leads_to_the_interfaces_of_its_operations() -> None:
    plan = PLAN.model_copy(update={"apis": ("sort", "exp")})
    assert {"Sort32", "Exp"} <= {c.name for c in retrieve(_task(category="other"), plan, None).cards}


@pytest.mark.parametrize("tokens", [400, 1_500, TOKENS])
def test_what_counts_is_what_is_printed_and_no_more(tokens: int) -> None:
    chosen = retrieve(_task(category="other"), PLAN, None, tokens, called=("aten._softmax.default",))
    printed = len(listing(chosen.cards)) // CHARACTERS_PER_TOKEN + 1
    of_cards = sum(s.tokens for s in chosen.shown if s.kind == "card")
    assert of_cards == printed <= tokens
    assert [s.name for s in chosen.shown if s.kind == "card"] == [c.name for c in chosen.cards]


@pytest.mark.parametrize("form", [EnglishPrompts, KernelGenPrompts])
def test_a_prompt_holds_what_it_records(form: type[EnglishPrompts] | type[KernelGenPrompts]) -> None:
    prompts = form(chip(), Budget(), None, lambda _: ("aten.silu.default",))
    for prompt in (prompts.planner(_task(), None), prompts.coder(_task(), PLAN, None, None)):
        shown = tuple(cards()[s.name] for s in prompt.shown if s.kind == "card")
        assert "Silu" in [c.name for c in shown] and listing(shown) in prompt.user
        named = [p for p in patterns() if p.name in [s.name for s in prompt.shown if s.kind == "pattern"]]
        held = [p for p in patterns() if any(text in prompt.user for text in p.files.values())]
        assert held == named


def test_interfaces_that_the_chip_does_not_have_are_never_shown() -> None:
    called = [f"aten.{n}.default" for n in ("mm", "convolution", "scatter_add", "where")]
    plan = PLAN.model_copy(update={"apis": ("Gemm", "AtomicAdd", "Conv2D")})
    assert all(c.family != OTHER_CHIPS for c in retrieve(_task(), plan, None, called=called).cards)
