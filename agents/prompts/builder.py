"""What a prompt says about a task: the task itself, its reference, the cards that may help.

A prompt builder writes a planner's and a coder's prompt: in English here, in KernelGen-LM's form in `kernelgen`.
"""

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

from akgen.agents.budget import Budget
from akgen.agents.plan import Category, Plan
from akgen.agents.prompts import render, repair
from akgen.agents.prompts.retrieval import TOKENS, Operations, Retrieved, retrieve
from akgen.agents.roles import ContextItem, Feedback
from akgen.knowledge.cards import listing
from akgen.knowledge.chip import Chip
from akgen.tools.core.call import Call
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Mode, Task
from akgen.tools.judge.tolerance import Rule, rule_for

SHOWN_CASES = 12
REFERENCE_CHARACTERS = 20_000  # longer files are cut: a prompt must leave room for the answer


Describe = Callable[[Task], Call]  # tells a task's interface, by its first case


class ModelPrompt(Frozen):
    """A prompt. `aside` is the part of `user` about what may still be spent: it differs from run to run. `shown` is
    what of the knowledge it holds."""

    system: str
    user: str
    aside: str = ""
    shown: tuple[ContextItem, ...] = ()


class PromptBuilder(Protocol):
    """Writes prompts."""

    def planner(self, task: Task, feedback: Feedback | None) -> ModelPrompt: ...

    def coder(
        self,
        task: Task,
        plan: Plan,
        feedback: Feedback | None,
        previous: KernelProject | None,
        tokens: int = TOKENS,
    ) -> ModelPrompt:
        """Write the coder's prompt, with knowledge of at most so many tokens."""
        ...


class EnglishPrompts:
    """Briefs any chat model: who it is in the system's part, the task in the user's."""

    _direct = False  # kernels are launched with `<<<>>>`

    def __init__(
        self, chip: Chip, budget: Budget, describe: Describe | None, operations: Operations | None = None
    ) -> None:
        """`operations` names what a task's reference calls; without it, its source does."""
        self._chip, self._budget, self._describe = chip, budget, describe
        self._operations = operations

    def planner(self, task: Task, feedback: Feedback | None) -> ModelPrompt:
        called = self._operations(task) if self._operations else None
        chosen = retrieve(task, None, None, called=called, with_pattern=False, direct=self._direct)
        return ModelPrompt(
            system=planner_system(self._chip, direct=self._direct),
            user=planner_user(task, feedback, self._budget, self._describe, chosen),
            aside=budget_text(feedback, self._budget),
            shown=chosen.shown,
        )

    def coder(
        self,
        task: Task,
        plan: Plan,
        feedback: Feedback | None,
        previous: KernelProject | None,
        tokens: int = TOKENS,
    ) -> ModelPrompt:
        if feedback is not None and previous is not None and repair.mends(feedback):
            return self._repair(task, feedback, previous, min(tokens, repair.TOKENS))
        drafts = previous is None and feedback is not None and feedback.outcome is Outcome.NO_CODE
        called = self._operations(task) if self._operations else None
        chosen = retrieve(
            task, plan, None if drafts else feedback, tokens, called=called, direct=self._direct
        )
        chosen = self._fitting(chosen)
        return ModelPrompt(
            system=self._system(task, plan),
            user=coder_user(task, plan, feedback, previous, self._budget, self._describe, chosen),
            aside=budget_text(feedback, self._budget),
            shown=chosen.shown,
        )

    def _system(self, task: Task, plan: Plan) -> str:
        """Say what an operator is made of, with a whole example."""
        product = multiplies(task, plan, self._describe)
        example = example_project(product=product)
        return render("coder_system", chip=self._chip, kernel=task.kernel, product=product, example=example)

    def _repair_system(self, task: Task) -> str:
        del task
        return render("repair_system", chip=self._chip)

    def _fitting(self, chosen: Retrieved) -> Retrieved:
        """Return what was chosen, as this form of operator can use it."""
        return chosen

    def _repair(self, task: Task, feedback: Feedback, previous: KernelProject, tokens: int) -> ModelPrompt:
        system = self._repair_system(task)
        aside = budget_text(feedback, self._budget)
        room = tokens * repair.CHARACTERS_PER_TOKEN - len(system)
        brief = task_text(task, self._describe, "task_brief")
        user, shown = repair.repair_user(brief, aside, feedback, previous, room)
        return ModelPrompt(system=system, user=user, aside=aside, shown=shown)


def task_text(task: Task, describe: Describe | None, form: str = "task", **more: Any) -> str:
    """Tell a task by the template `form`, which may know `more`: what is computed, and how it is judged."""
    call = describe(task) if describe else None
    half = call is not None and DType.FLOAT32 not in _types(call)
    return render(
        form,
        task=task,
        reference=reference_source(task),
        shown_cases=task.cases[:SHOWN_CASES],
        call=call,
        shapes=_shapes_vary(task),
        tolerances=_tolerances(task, call),
        magnitudes="1e-4 to 30" if half else "1e-6 to 1000",
        **more,
    )


def _shapes_vary(task: Task) -> Literal["fixed", "listed", "drawn"]:
    """Say which shapes the judge launches; `akgen.tools.judge.drawn_shapes` draws them."""
    if task.mode is Mode.STATIC or len(task.cases) == 1:
        return "fixed"
    return "drawn" if task.draws_shapes and not task.own_checker else "listed"


def _types(call: Call) -> tuple[DType, ...]:
    """Return the types of a call's outputs, each once."""
    metas = [o.meta if isinstance(o.meta, tuple) else (o.meta,) for o in call.outputs]
    return tuple(dict.fromkeys(meta.dtype for group in metas for meta in group))


def _tolerances(task: Task, call: Call | None) -> tuple[Rule, ...]:
    """Return what the outputs are held to: of every type that the task names, and of the first case's."""
    named = tuple(t.dtype for t in task.tolerances)
    found = () if call is None or task.own_checker else _types(call)
    return tuple(rule_for(dtype, task.tolerances) for dtype in dict.fromkeys((*named, *found)))


def planner_system(chip: Chip, language: str = "", *, direct: bool = False) -> str:
    """Return who a planner is and what a plan holds; `language` is what the coder writes in, where not Ascend C."""
    return render(
        "planner_system", chip=chip, categories=get_args(Category), language=language, direct=direct
    )


def planner_user(
    task: Task,
    feedback: Feedback | None,
    budget: Budget,
    describe: Describe | None,
    chosen: Retrieved | None = None,
) -> str:
    """Return the planner's prompt, with what of the knowledge is `chosen`."""
    return render(
        "planner_user",
        task_text=task_text(task, describe),
        budget_text=budget_text(feedback, budget),
        feedback=feedback,
        interfaces=listing(chosen.cards) if chosen else "",
    )


def coder_user(
    task: Task,
    plan: Plan,
    feedback: Feedback | None,
    previous: KernelProject | None,
    budget: Budget,
    describe: Describe | None,
    chosen: Retrieved | None = None,
) -> str:
    """Return the coder's prompt; what it shows of the knowledge is `chosen`, or chosen here."""
    chosen = chosen or retrieve(task, plan, feedback)
    return render(
        "coder_user",
        task_text=task_text(task, describe),
        budget_text=budget_text(feedback, budget),
        plan=plan,
        feedback=feedback,
        previous=previous,
        interfaces=listing(chosen.cards),
        pattern=chosen.pattern,
    )


def example_project(*, product: bool = False) -> KernelProject:
    """Return the smallest whole project of a kind, which shows a coder the answer's form; tests run it like any other.

    With `product`, one for the cube cores: the tiling of a Matmul object, its registration, the kernel's task type.
    """
    templates = Path(str(files("akgen.agents.prompts").joinpath("templates")))
    if product:
        folder = templates / "example_product"
        return KernelProject.read_from(folder, op_type="BatchedLinear", kernel="batched_linear")
    return KernelProject.read_from(templates / "example", op_type="AddOne", kernel="add_one")


PRODUCTS = ("matmul", "attention", "convolution")  # categories that the cube cores work for


def multiplies(task: Task, plan: Plan | None, describe: Describe | None) -> bool:
    """Say whether a task has products of matrices, which the cube cores make."""
    if plan is not None and {"Matmul", "Mmad"} & set(plan.apis):
        return True
    if describe is not None:
        return bool(describe(task).products)
    return plan is not None and plan.category in PRODUCTS


def budget_text(feedback: Feedback | None, budget: Budget, form: str = "budget") -> str:
    """Tell what may still be spent, by the template `form`: what the critic said is left, or all of it."""
    left = feedback.left if feedback and feedback.left else budget
    return render(form, budget=left).strip()


def reference_source(task: Task) -> str | None:
    """Return the reference's source where it is one file; a folder's is not shown."""
    path = task.reference.path
    if path.suffix != ".py" or not path.is_file():
        return None
    return path.read_text(errors="replace")[:REFERENCE_CHARACTERS].strip()
