"""What was learnt from earlier work: a change that mended an error or made a kernel faster, and proved it.

Experiences come from other tasks, are chosen for what the coder is at, and go into its prompt within a budget of
tokens.
"""

from collections.abc import Callable
from typing import Literal

from akgen.agents.plan import Plan
from akgen.agents.prompts import render
from akgen.agents.prompts.builder import ModelPrompt, PromptBuilder
from akgen.agents.prompts.retrieval import CHARACTERS_PER_TOKEN
from akgen.agents.prompts.retrieval import TOKENS as KNOWLEDGE_TOKENS
from akgen.agents.roles import ContextItem, Feedback
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Task

TOKENS = 900  # of a prompt, for all experiences together
MOST = 3


class Experience(Frozen):
    """A change that helped. `codes` are the findings that it mended, or the bound that it eased."""

    kind: Literal["repair", "tune"]
    key: str
    task: str
    category: str
    codes: tuple[str, ...]
    change: str  # a unified diff of the project
    gain: float | None = None  # time before over time after, of a tune
    toolchain: str
    run: str
    shown: int = 0  # how often a prompt held it
    helped: int = 0  # how often the attempt after that was correct, or faster

    @property
    def tokens(self) -> int:
        return len(self.change) // CHARACTERS_PER_TOKEN + 20


Recall = Callable[[Task, Plan | None, Feedback | None], tuple[Experience, ...]]


class ExperiencePrompts:
    """Adds to another builder's coder prompts what was learnt earlier."""

    def __init__(self, inner: PromptBuilder, recall: Recall) -> None:
        self._inner, self._recall = inner, recall

    def planner(self, task: Task, feedback: Feedback | None) -> ModelPrompt:
        return self._inner.planner(task, feedback)

    def coder(
        self,
        task: Task,
        plan: Plan,
        feedback: Feedback | None,
        previous: KernelProject | None,
        tokens: int = KNOWLEDGE_TOKENS,
    ) -> ModelPrompt:
        """Write the inner builder's prompt; experiences come on top of its `tokens`, fewer where those are few."""
        prompt = self._inner.coder(task, plan, feedback, previous, tokens)
        chosen = within(self._recall(task, plan, feedback), min(TOKENS, tokens))
        if not chosen:
            return prompt
        shown = tuple(ContextItem(kind="experience", name=e.key, tokens=e.tokens) for e in chosen)
        user = f"{prompt.user.rstrip()}\n\n{render('experiences', experiences=chosen)}"
        return prompt.model_copy(update={"user": user, "shown": (*prompt.shown, *shown)})


def within(found: tuple[Experience, ...], tokens: int = TOKENS) -> tuple[Experience, ...]:
    """Return the first experiences that fit into the budget together."""
    chosen: list[Experience] = []
    for experience in found:
        if len(chosen) < MOST and experience.tokens <= tokens:
            chosen.append(experience)
            tokens -= experience.tokens
    return tuple(chosen)


def rank(
    known: tuple[Experience, ...], task: Task, plan: Plan | None, feedback: Feedback | None
) -> tuple[Experience, ...]:
    """Return what may help, the most fitting first: the same finding, then the same category; never the task's own.

    Without feedback there is nothing to mend: then only what made kernels of the category faster.
    """
    codes = {d.code for d in feedback.diagnostics} if feedback else set()
    if feedback is not None:
        codes.add(feedback.outcome.value)
    kind = "repair" if feedback is not None and feedback.action != "tune" else "tune"
    category = plan.category if plan else task.category

    def score(e: Experience) -> float:
        fits = 3.0 * bool(codes & set(e.codes)) + (e.category == category)
        proven = (1 + e.helped) / (2 + e.shown)  # half until it was tried
        return fits * (0.5 + proven)

    offered = [e for e in known if e.task != task.name and e.kind == kind]
    if kind == "repair":
        offered = [e for e in offered if codes & set(e.codes)]
    else:
        offered = [e for e in offered if e.category == category]
    return tuple(sorted(offered, key=lambda e: (-score(e), e.key)))
