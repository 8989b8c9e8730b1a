"""What a coder is shown of what is known: chosen for the task within a budget of tokens, recorded, and later marked
as used or not."""

import re
from collections.abc import Iterable, Iterator

from akgen.agents.plan import Plan
from akgen.agents.roles import ContextItem, Feedback
from akgen.knowledge.cards import ApiCard, cards
from akgen.knowledge.patterns import Pattern, patterns
from akgen.knowledge.search import search
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task

TOKENS = 5_000
CHARACTERS_PER_TOKEN = 3  # of code and signatures, an estimate on the safe side
ALWAYS = ("pipe and queue", "copy", "tensor", "system", "host and tiling")  # families every kernel needs
SEARCHED = 12


class Retrieved(Frozen):
    """What was chosen, most telling first."""

    cards: tuple[ApiCard, ...]
    pattern: Pattern | None
    shown: tuple[ContextItem, ...]


def retrieve(task: Task, plan: Plan | None, feedback: Feedback | None, tokens: int = TOKENS) -> Retrieved:
    """Choose cards and, for a first draft, one expert kernel of the same category.

    In this order, as long as there is room: the plan's interfaces, those that the findings name, the expert kernel,
    what every kernel needs, what a search finds. An expert kernel that solves the task itself is never shown.
    """
    left = tokens
    chosen: dict[str, ApiCard] = {}
    shown: list[ContextItem] = []

    def take(offered: Iterable[ApiCard]) -> None:
        nonlocal left
        for card in offered:
            cost = _tokens(card.text())
            if card.name not in chosen and cost <= left:
                chosen[card.name] = card
                shown.append(ContextItem(kind="card", name=card.name, tokens=cost))
                left -= cost

    take(_known(plan.apis if plan else ()))
    take(_known(_named(feedback)))
    pattern = None if feedback is not None else _pattern(task, plan)
    if pattern is not None and (cost := _tokens("".join(pattern.files.values()))) <= left:
        shown.append(ContextItem(kind="pattern", name=pattern.name, tokens=cost))
        left -= cost
    else:
        pattern = None
    take(card for card in cards().values() if card.family in ALWAYS)
    found = search(f"{task.category} {task.op_type} {task.description}", count=SEARCHED)
    take(_known(hit.name for hit in found if hit.kind == "api"))
    return Retrieved(cards=tuple(chosen.values()), pattern=pattern, shown=tuple(shown))


def mark_used(shown: tuple[ContextItem, ...], project: KernelProject | None) -> tuple[ContextItem, ...]:
    """Return what was shown, each card with whether the project's code names it."""
    if project is None:
        return shown
    words = set(re.findall(r"\w+", "\n".join(project.files.values())))
    return tuple(s.model_copy(update={"used": s.name in words}) if s.kind == "card" else s for s in shown)


def _known(names: Iterable[str]) -> Iterator[ApiCard]:
    table = cards()
    return (table[name] for name in names if name in table)


def _named(feedback: Feedback | None) -> Iterator[str]:
    """Yield the words of the findings that may be interfaces."""
    for found in feedback.diagnostics if feedback else ():
        yield from re.findall(r"[A-Z]\w+", f"{found.api or ''} {found.text} {found.remedy or ''}")


def _pattern(task: Task, plan: Plan | None) -> Pattern | None:
    """Return an expert kernel for the plan's category, else the task's, that is not the task's own answer."""
    for category in (plan.category if plan else None, task.category):
        for pattern in patterns():
            if category in pattern.categories and pattern.task != task.name:
                return pattern
    return None


def _tokens(text: str) -> int:
    return len(text) // CHARACTERS_PER_TOKEN + 1
