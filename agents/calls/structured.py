"""Ask for a JSON object of a known form: by a schema where the server sees to it, by one repair turn where not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from akgen.agents.calls.conversation import Answer, Conversation
from akgen.agents.calls.model_call import Usage
from akgen.agents.calls.replies import read_json, spoken
from akgen.agents.prompts import render
from akgen.agents.prompts.builder import ModelPrompt
from akgen.tools.core.frozen import Frozen

T = TypeVar("T", bound=Frozen)
COMPLAINTS = 6  # told in a repair turn: more are echoes


class Complaint(Frozen):
    """What is wrong with an answer: `field` is None if it holds no object at all."""

    field: str | None
    text: str


@dataclass(frozen=True)
class Structured(Generic[T]):
    """The value, or why there is none; `answers` are the turns that it took, at least one."""

    value: T | None
    answers: tuple[Answer, ...]
    complaints: tuple[Complaint, ...] = ()

    @property
    def last(self) -> Answer:
        return self.answers[-1]

    @property
    def usage(self) -> Usage:
        whole = Usage()
        for answer in self.answers:
            whole = whole.plus(answer.usage)
        return whole


def ask_structured(
    conversation: Conversation,
    prompt: ModelPrompt,
    form: type[T],
    *,
    role: str,
    attempt: int,
    sample: int,
    shared: bool = False,
    before: Sequence[tuple[str, str]] = (),
    freely: bool = False,
) -> Structured[T]:
    """Ask, read strictly, and once say what is wrong. `before` are the earlier (user, assistant) turns.

    `freely` lets the model think in words first: the schema, which forbids them where the server enforces it, goes with
    the second turn alone, if the first one's text holds no such object. An answer that was refused or stopped by the
    budget is handed back as it is.
    """
    schema: dict[str, Any] = form.model_json_schema()
    first = conversation.ask(
        prompt.system,
        prompt.user,
        role=role,
        attempt=attempt,
        sample=sample,
        shared=shared,
        before=before,
        schema=None if freely else schema,
        aside=prompt.aside,
    )
    value, complaints = read_form(first.text, form)
    if value is not None or first.ended not in ("stop", "length"):
        return Structured(value, (first,), complaints)
    second = conversation.ask(
        prompt.system,
        render("again_json", complaints=complaints[:COMPLAINTS], cut=first.ended == "length"),
        role=role,
        attempt=attempt,
        sample=sample,
        before=(*before, (prompt.user, spoken(first.text))),
        schema=schema,
        aside=prompt.aside,
    )
    value, left = read_form(second.text, form)
    return Structured(value, (first, second), left)


def read_form(text: str, form: type[T]) -> tuple[T | None, tuple[Complaint, ...]]:
    """Read the last JSON object of a reply; keys that were not asked for do not count."""
    raw = read_json(text)
    if raw is None:
        return None, (Complaint(field=None, text="There is no JSON object."),)
    try:
        return form.model_validate({k: v for k, v in raw.items() if k in form.model_fields}), ()
    except ValidationError as problem:
        return None, tuple(
            Complaint(
                field=".".join(map(str, error["loc"])),
                text=f"{error['msg']}; it was {_short(error['input'])}",
            )
            for error in problem.errors()
        )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
