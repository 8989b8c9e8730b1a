"""What a prompt says about a task: the task itself, its reference, the cards that may help."""

from collections.abc import Callable, Iterable
from importlib.resources import files
from pathlib import Path

from akgen.agents.budget import Budget
from akgen.agents.plan import Plan
from akgen.agents.prompts import render
from akgen.agents.roles import Feedback
from akgen.knowledge.cards import ApiCard, cards
from akgen.knowledge.search import search
from akgen.tools.call import Call
from akgen.tools.project import KernelProject
from akgen.tools.task import Task

SHOWN_CASES = 12
REFERENCE_CHARACTERS = 20_000  # longer files are cut: a prompt must leave room for the answer
ALWAYS = ("pipe and queue", "copy", "tensor", "system", "host and tiling")  # families every kernel needs


Describe = Callable[[Task], Call]  # tells a task's interface, by its first case


def task_text(task: Task, describe: Describe | None) -> str:
    return render(
        "task",
        task=task,
        reference=_reference(task),
        shown_cases=task.cases[:SHOWN_CASES],
        call=describe(task) if describe else None,
    )


def planner_user(task: Task, feedback: Feedback | None, budget: Budget, describe: Describe | None) -> str:
    return render(
        "planner_user",
        task_text=task_text(task, describe),
        budget_text=_budget_text(feedback, budget),
        feedback=feedback,
        cards=_found(task, ()),
    )


def coder_user(
    task: Task,
    plan: Plan,
    feedback: Feedback | None,
    previous: KernelProject | None,
    budget: Budget,
    describe: Describe | None,
) -> str:
    return render(
        "coder_user",
        task_text=task_text(task, describe),
        budget_text=_budget_text(feedback, budget),
        plan=plan,
        feedback=feedback,
        previous=previous,
        cards=_found(task, plan.apis),
    )


def example_project() -> KernelProject:
    """Return the project that shows a coder the answer's form; tests run it like any other."""
    folder = Path(str(files("akgen.agents.prompts").joinpath("example")))
    return KernelProject.read_from(folder, op_type="AddOne", kernel="add_one")


def _budget_text(feedback: Feedback | None, budget: Budget) -> str:
    left = feedback.left if feedback and feedback.left else budget
    return render("budget", budget=left).strip()


def _found(task: Task, named: Iterable[str]) -> tuple[ApiCard, ...]:
    """Return the plan's interfaces, those that a search finds for the task, and those that every kernel needs."""
    table = cards()
    query = f"{task.category} {task.op_type} {task.description}"
    names = [n for n in named if n in table]
    names += [hit.name for hit in search(query, count=12) if hit.kind == "api"]
    names += [n for n, card in table.items() if card.family in ALWAYS]
    return tuple(table[n] for n in dict.fromkeys(names))


def _reference(task: Task) -> str | None:
    path = task.reference.path
    if path.suffix != ".py" or not path.is_file():
        return None
    return path.read_text(errors="replace")[:REFERENCE_CHARACTERS].strip()
