"""One question to a chat model and its answer, with what it cost and what the store keeps."""

import time
from collections.abc import Callable, Sequence

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from akgen.agents.models.replay import RecordingChatModel
from akgen.agents.models.transport import RetryPolicy, ask
from akgen.agents.roles import Usage
from akgen.tools.frozen import Frozen

CHARACTERS_PER_TOKEN = 4  # an estimate, for servers that report no usage: a token budget must still hold
ATTEMPTS_PER_SAMPLE = 1000  # keeps the seeds of samples apart


class Answer(Frozen):
    """What the model said."""

    text: str
    usage: Usage
    messages: tuple[dict[str, str], ...]


class Conversation:
    """A chat model with its endpoint's name and the policy of talking to it."""

    def __init__(
        self,
        model: BaseChatModel,
        name: str,
        endpoint: str,
        seed: int,
        policy: RetryPolicy | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name
        self._model = model
        self._endpoint = endpoint
        self._policy = policy or RetryPolicy()
        self._sleep = sleep
        self._seed = seed if _takes_seed(model) else None

    def ask(self, system: str, user: str, *, role: str, attempt: int, sample: int) -> Answer:
        """Send a request; the same attempt of the same sample always asks with the same seed."""
        sent: list[BaseMessage] = [SystemMessage(system), HumanMessage(user)]
        request = {}
        if self._seed is not None:
            request["seed"] = self._seed + sample * ATTEMPTS_PER_SAMPLE + attempt
        begin = time.monotonic()
        reply = ask(
            self._model,
            sent,
            {"role": role, "attempt": attempt, "sample": sample},
            self._endpoint,
            self._policy,
            self._sleep,
            **request,
        )
        text = _text(reply)
        return Answer(
            text=text,
            usage=_usage(reply, sent, text, time.monotonic() - begin),
            messages=(
                {"role": "system", "content": system},
                {"role": "user", "content": user},
                {"role": "assistant", "content": text},
            ),
        )


def _text(reply: AIMessage) -> str:
    """Return the reply; a thought that the server split off is put back in front."""
    thought = reply.additional_kwargs.get("reasoning_content")
    return f"<think>{thought}</think>\n{reply.text}" if thought else str(reply.text)


def _usage(reply: AIMessage, sent: Sequence[BaseMessage], text: str, seconds: float) -> Usage:
    told = reply.usage_metadata
    if told is not None:
        return Usage(input_tokens=told["input_tokens"], output_tokens=told["output_tokens"], seconds=seconds)
    asked = sum(len(str(message.text)) for message in sent)
    return Usage(
        input_tokens=asked // CHARACTERS_PER_TOKEN,
        output_tokens=len(text) // CHARACTERS_PER_TOKEN,
        seconds=seconds,
    )


def _takes_seed(model: BaseChatModel) -> bool:
    inner = model.inner if isinstance(model, RecordingChatModel) else model
    return "seed" in type(inner).model_fields
