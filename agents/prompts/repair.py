"""The prompt of a repair: the task in brief, what became of the attempt, what it had changed, the code where it
matters, and the cards of the interfaces that the findings name. It takes half of what a first prompt does."""

import re
from collections.abc import Iterator

from akgen.agents.prompts import render
from akgen.agents.prompts.excerpt import excerpts
from akgen.agents.roles import ContextItem, Feedback
from akgen.knowledge.cards import ApiCard, cards
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject

CHARACTERS_PER_TOKEN = 3  # of code and signatures, an estimate on the safe side
TOKENS = 3_000  # of the whole prompt
MOST_FEEDBACK = 3_000  # characters; later findings follow from earlier ones
MOST_CHANGED = 900
LEAST_CODE = 2_500
HEADINGS = 500  # what stands between these parts
MOST_CARDS = 3


def mends(feedback: Feedback) -> bool:
    """Say whether small changes are asked for: neither a whole file again, nor another plan, nor speed."""
    return feedback.action == "repair" and not feedback.whole and feedback.outcome is not Outcome.NO_CODE


def repair_user(
    task_text: str, budget_text: str, feedback: Feedback, previous: KernelProject, characters: int
) -> tuple[str, tuple[ContextItem, ...]]:
    """Write the user's part in about so many characters; return it with the cards that it shows."""
    told = shortened(feedback.text, MOST_FEEDBACK)
    named = [card for card in _named(feedback, previous) if card.signatures[0] not in told][:MOST_CARDS]
    changed = shortened(feedback.changed or "", MOST_CHANGED)
    fixed = (task_text, budget_text, told, changed, *(card.text() for card in named))
    room = max(LEAST_CODE, characters - HEADINGS - sum(map(len, fixed)))
    code = excerpts(previous.files, feedback.diagnostics, room)
    text = render(
        "repair_user",
        task_text=task_text,
        budget_text=budget_text,
        feedback=feedback,
        told=told,
        changed=changed,
        code=code,
        cards=named,
    )
    shown = tuple(
        ContextItem(kind="card", name=card.name, tokens=len(card.text()) // CHARACTERS_PER_TOKEN + 1)
        for card in named
    )
    return text, shown


def shortened(text: str, characters: int) -> str:
    """Return the first lines of a text that fit, and say so where some are left out."""
    if len(text) <= characters:
        return text.rstrip()
    kept = text[:characters].rpartition("\n")[0]
    return f"{kept}\n(more of it is left out)"


def _named(feedback: Feedback, previous: KernelProject) -> Iterator[ApiCard]:
    """Yield the cards of what the findings name, then of what is called at their lines, each once."""
    if feedback.bare:
        return
    table = cards()
    words: dict[str, None] = {}
    for found in feedback.diagnostics:
        text = f"{found.api or ''} {found.text} {found.remedy or ''}"
        words |= dict.fromkeys(re.findall(r"[A-Z]\w+", text))
    for found in feedback.diagnostics:
        lines = previous.files.get(found.file or "", "").splitlines()
        if found.line and found.line <= len(lines):
            words |= dict.fromkeys(
                re.findall(r"\b[A-Z]\w+(?=\s*(?:<[^;{}()]*>)?\s*\()", lines[found.line - 1])
            )
    yield from (table[word] for word in words if word in table)
