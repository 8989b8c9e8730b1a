"""Understand a sentence: by the plain reader, and by a chat model where that hears nothing."""

from collections.abc import Callable

from pydantic import Field, ValidationError

from akgen.agents.calls.conversation import Conversation
from akgen.agents.calls.replies import read_json
from akgen.agents.prompts import render
from akgen.agents.requests.language import language_of
from akgen.agents.requests.sentence import ParsedRequest, Request, check_request, parse_request
from akgen.knowledge.operators import operators
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen

Understand = Callable[[str], ParsedRequest]


class _Understood(Frozen):
    """The JSON that the model is asked for."""

    operator: str | None = None
    dtype: DType | None = None
    shape: tuple[int, ...] | None = Field(default=None, min_length=1)


class ModelUnderstanding:
    """Ask a chat model about sentences in which the plain reader hears nothing or stumbles.

    The model only picks from what is known; what it writes is never run.
    """

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    def __call__(self, text: str) -> ParsedRequest:
        parsed = parse_request(text)
        if parsed.problem is None and not parsed.request.empty:
            return parsed
        names = [op.name for op in operators()]
        answer = self._conversation.ask(
            render("understand_system", operators=names, dtypes=[d.value for d in DType]),
            text,
            role="chat",
            attempt=1,
            sample=0,
        )
        try:
            told = _Understood.model_validate(read_json(answer.text) or {})
        except ValidationError:
            return parsed
        if told.operator is not None and told.operator not in names:
            return parsed
        request = Request(operator=told.operator, dtype=told.dtype, shape=told.shape)
        return parsed if request.empty else check_request(request, language_of(text))
