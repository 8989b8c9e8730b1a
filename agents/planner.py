"""The model-driven planner: asks for a plan, checks its numbers, refuses what cannot fit."""

from typing import Literal

from pydantic import Field

from akgen.agents.answers import unusable
from akgen.agents.briefing import Briefing, Describe, EnglishBriefing
from akgen.agents.budget import Budget
from akgen.agents.conversation import Conversation
from akgen.agents.plan import Buffer, Category, Plan, Tiling
from akgen.agents.plan_check import check_tiling
from akgen.agents.replies import split_thought
from akgen.agents.roles import Feedback, Planned
from akgen.agents.structured import Structured, ask_structured
from akgen.knowledge.chip import Chip
from akgen.tools.frozen import Frozen
from akgen.tools.outcome import Diagnostic, Outcome
from akgen.tools.task import Task


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
    apis: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()


class ChatPlanner:
    """Plans by asking a chat model; what cannot be read gets one more turn, what cannot fit a refusal with reasons."""

    def __init__(
        self,
        conversation: Conversation,
        chip: Chip,
        budget: Budget,
        route: Literal["ascendc", "dsl"] = "ascendc",
        describe: Describe | None = None,
        briefing: Briefing | None = None,
    ) -> None:
        self.name = f"model:{conversation.name}"
        self._conversation = conversation
        self._chip = chip
        self._route = route
        self._briefing = briefing or EnglishBriefing(chip, budget, describe)

    def plan(self, task: Task, feedback: Feedback | None, sample: int) -> Planned:
        told = ask_structured(
            self._conversation,
            self._briefing.planner(task, feedback),
            PlanReply,
            role="planner",
            attempt=feedback.attempt + 1 if feedback else 1,
            sample=sample,
            shared=feedback is None,
        )
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
        return Planned(plan=plan, usage=told.usage, messages=told.last.messages)


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
    )


def _refused(told: Structured[PlanReply], outcome: Outcome, found: tuple[Diagnostic, ...]) -> Planned:
    return Planned(
        plan=None, outcome=outcome, diagnostics=found, usage=told.usage, messages=told.last.messages
    )
