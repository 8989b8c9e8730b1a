"""The model-driven planner: asks for a plan, checks its numbers, refuses what cannot fit."""

from typing import Any, Literal, get_args

from pydantic import Field, ValidationError

from akgen.agents.briefing import Describe, planner_user
from akgen.agents.budget import Budget
from akgen.agents.conversation import Answer, Conversation
from akgen.agents.plan import Buffer, Category, Plan, Tiling
from akgen.agents.plan_check import check_tiling
from akgen.agents.prompts import render
from akgen.agents.replies import read_json, split_thought
from akgen.agents.roles import Feedback, Planned
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
    """Plans by asking a chat model once per call; what cannot be used is refused with the reason."""

    def __init__(
        self,
        conversation: Conversation,
        chip: Chip,
        budget: Budget,
        route: Literal["ascendc", "dsl"] = "ascendc",
        describe: Describe | None = None,
    ) -> None:
        self.name = f"model:{conversation.name}"
        self._conversation = conversation
        self._chip = chip
        self._budget = budget
        self._route = route
        self._describe = describe

    def plan(self, task: Task, feedback: Feedback | None, sample: int) -> Planned:
        answer = self._conversation.ask(
            render("planner_system", chip=self._chip, categories=get_args(Category)),
            planner_user(task, feedback, self._budget, self._describe),
            role="planner",
            attempt=feedback.attempt + 1 if feedback else 1,
            sample=sample,
        )
        raw = read_json(answer.text)
        if raw is None:
            text = "The planner's reply holds no JSON object."
            return _refused(answer, Outcome.NO_CODE, (Diagnostic(code="NO_PLAN", text=text, stage="plan"),))
        try:
            # A model may add fields of its own; only those asked for count.
            reply = PlanReply.model_validate({k: v for k, v in raw.items() if k in PlanReply.model_fields})
        except ValidationError as problem:
            return _refused(answer, Outcome.PLAN_REJECTED, _complaints(problem))
        tiling = _tiling(reply)
        found = check_tiling(tiling, self._chip)
        if found:
            return _refused(answer, Outcome.PLAN_REJECTED, found)
        thought, _, _ = split_thought(answer.text)
        plan = Plan(
            origin=self.name,
            category=reply.category,
            thought=thought or reply.thought,
            tiling=tiling,
            apis=reply.apis,
            risks=reply.risks,
            route=self._route,
        )
        return Planned(plan=plan, usage=answer.usage, messages=answer.messages)


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


def _refused(answer: Answer, outcome: Outcome, found: tuple[Diagnostic, ...]) -> Planned:
    return Planned(
        plan=None, outcome=outcome, diagnostics=found, usage=answer.usage, messages=answer.messages
    )


def _complaints(problem: ValidationError) -> tuple[Diagnostic, ...]:
    """Return what is wrong with each field, in the words that the planner will read."""
    found: list[Diagnostic] = []
    for error in problem.errors():
        place, given = ".".join(map(str, error["loc"])), _short(error["input"])
        text = f'The plan\'s "{place}": {error["msg"]}; it was {given}.'
        found.append(Diagnostic(code="PLAN_FIELD", text=text, stage="plan"))
    return tuple(found)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
