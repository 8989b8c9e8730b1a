"""The model-driven planner: asks for a plan, checks its numbers, says what cannot fit, refuses what never does."""

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from akgen.agents.budget import Budget
from akgen.agents.calls.conversation import Conversation, unusable
from akgen.agents.calls.replies import split_thought, spoken
from akgen.agents.calls.structured import Structured, ask_structured
from akgen.agents.plan import Buffer, Category, CoreType, CubeTiling, Plan, Tiling, check_tiling
from akgen.agents.prompts import render
from akgen.agents.prompts.builder import Describe, EnglishPrompts, PromptBuilder
from akgen.agents.roles import Feedback, Planned, Planner, Usage
from akgen.knowledge.chip import Chip
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.task import Task


def _as_list(value: object) -> object:
    """Take one text for a list of one: what is said matters, not the brackets around it."""
    return [value] if isinstance(value, str) else value


Listed = Annotated[tuple[str, ...], BeforeValidator(_as_list)]


class PlanReply(Frozen):
    """The JSON that the planner's prompt asks for."""

    category: Category
    thought: str
    block_dim: int = Field(ge=1)
    tile_length: int = Field(ge=1)
    buffers: tuple[Buffer, ...]
    double_buffer: bool = False
    tail: str = ""
    split: str = ""
    apis: Listed = ()
    risks: Listed = ()
    core_type: CoreType = "vector"
    workspace_bytes: int = Field(default=0, ge=0)
    cube: CubeTiling | None = None


# What another plan may mend: neither a spent budget nor a task that cannot be done.
RECOVERABLE = (Outcome.PLAN_REJECTED, Outcome.NO_CODE)
CORRECTIONS = 2  # how often the model is told what does not fit


class ChatPlanner:
    """Plans by asking a chat model.

    What cannot be read gets one more turn, what cannot fit two, with the numbers. After that the `fallback` plans, if
    it can; the result says so.
    """

    def __init__(
        self,
        conversation: Conversation,
        chip: Chip,
        budget: Budget,
        route: Literal["ascendc", "dsl", "direct"] = "ascendc",
        describe: Describe | None = None,
        prompts: PromptBuilder | None = None,
        fallback: Callable[[], Planner] | None = None,
    ) -> None:
        self.name = f"model:{conversation.name}"
        self._conversation = conversation
        self._chip = chip
        self._route: Literal["ascendc", "dsl", "direct"] = route
        self._prompts = prompts or EnglishPrompts(chip, budget, describe)
        self._fallback = fallback

    def plan(self, task: Task, feedback: Feedback | None, sample: int) -> Planned:
        prompt = self._prompts.planner(task, feedback)
        turns: list[tuple[str, str]] = []
        usage = Usage()
        while True:
            told = ask_structured(
                self._conversation,
                prompt,
                PlanReply,
                role="planner",
                attempt=feedback.attempt + 1 if feedback else 1,
                sample=sample,
                shared=feedback is None and not turns,
                before=turns,
                freely=True,
            )
            usage = usage.plus(told.usage)
            planned = self._judged(told).model_copy(update={"usage": usage, "corrections": len(turns)})
            if planned.plan is not None or planned.outcome not in RECOVERABLE:
                return planned
            if told.value is None or len(turns) == CORRECTIONS:
                return self._in_its_stead(planned, task, sample)
            turns.append((prompt.user, spoken(told.last.text)))
            prompt = prompt.model_copy(update={"user": render("again_plan", found=planned.diagnostics)})

    def _judged(self, told: Structured[PlanReply]) -> Planned:
        """Return the plan of an answer, or why it is none."""
        reply = told.value
        if reply is None:
            return _unread(told)
        tiling = _tiling(reply)
        found = check_tiling(tiling, self._chip)
        if found:
            return _refused(told, Outcome.PLAN_REJECTED, found)
        thought, _, _ = split_thought(told.last.text)
        plan = Plan(
            origin=self.name,
            category=reply.category,
            thought=thought or reply.thought,
            tiling=tiling,
            apis=reply.apis,
            risks=reply.risks,
            route=self._route,
        )
        return Planned(plan=plan, messages=told.last.messages)

    def _in_its_stead(self, refused: Planned, task: Task, sample: int) -> Planned:
        """Offer the fallback's plan; what the model did stays on record."""
        if self._fallback is None:
            return refused
        other = self._fallback().plan(task, None, sample).plan
        if other is None:
            return refused
        origin = f"{other.origin}, for want of the model's"
        return Planned(
            plan=other.model_copy(update={"route": self._route, "origin": origin, "shared": False}),
            diagnostics=refused.diagnostics,
            fallback=True,
            corrections=refused.corrections,
            usage=refused.usage,
            messages=refused.messages,
        )


def _unread(told: Structured[PlanReply]) -> Planned:
    """Return why there is no plan: refused, cut, without an object, or with fields of another form."""
    stopped = unusable(told.last, "plan")
    if stopped is not None:
        return _refused(told, stopped[0], (stopped[1],))
    fields = [c for c in told.complaints if c.field is not None]
    if fields:
        texts = (f'The plan\'s "{c.field}": {c.text}.' for c in fields)
        found = tuple(Diagnostic(code="PLAN_FIELD", text=text, stage="plan") for text in texts)
        return _refused(told, Outcome.PLAN_REJECTED, found)
    if told.last.ended == "length":
        cut = Diagnostic(code="REPLY_CUT", text="The planner's reply ends before its plan.", stage="plan")
        return _refused(told, Outcome.NO_CODE, (cut,))
    none = Diagnostic(code="NO_PLAN", text="The planner's reply holds no JSON object.", stage="plan")
    return _refused(told, Outcome.NO_CODE, (none,))


def _tiling(reply: PlanReply) -> Tiling:
    return Tiling(
        block_dim=reply.block_dim,
        tile_length=reply.tile_length,
        buffers=reply.buffers,
        ub_bytes=sum(b.size_bytes * b.copies for b in reply.buffers if b.space == "UB"),
        double_buffer=reply.double_buffer,
        tail=reply.tail,
        split=reply.split,
        core_type=reply.core_type,
        workspace_bytes=reply.workspace_bytes,
        cube=reply.cube,
    )


def _refused(told: Structured[PlanReply], outcome: Outcome, found: tuple[Diagnostic, ...]) -> Planned:
    return Planned(
        plan=None, outcome=outcome, diagnostics=found, usage=told.usage, messages=told.last.messages
    )


class SamePlan:
    """Plans all samples like the first, where another's planner would vary them.

    A model's samples differ by themselves; with the same plan they also ask the same, and one request answers them all.
    """

    def __init__(self, inner: Planner) -> None:
        self.name = inner.name
        self._inner = inner

    def plan(self, task: Task, feedback: Feedback | None, sample: int) -> Planned:
        del sample
        planned = self._inner.plan(task, feedback, 0)
        if planned.plan is None:
            return planned
        return planned.model_copy(update={"plan": planned.plan.model_copy(update={"shared": True})})
