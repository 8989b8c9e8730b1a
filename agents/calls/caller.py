"""Make one request to a chat model, and turn what LangChain hands back into the record that a run keeps."""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, convert_to_messages
from langchain_core.outputs import ChatGeneration, LLMResult

from akgen.agents.calls.context import answer_attributes, call_attributes, call_context, span
from akgen.agents.calls.model_call import (
    Ended,
    ModelCall,
    ModelRequest,
    Price,
    Reply,
    Sampling,
    Usage,
    prompt_digest,
    shares,
)
from akgen.agents.calls.retry import OutOfTime, Received, RetryPolicy, ask
from akgen.agents.models.faults import EndpointFault
from akgen.agents.models.features import features_of
from akgen.tools.core.outcome import InfraError, InputError
from akgen.tools.core.plain_text import without_halves

ATTEMPTS_PER_SAMPLE = 1000  # keeps the seeds of samples apart


class Caller:
    """A chat model, the policy of talking to it, and what it charges."""

    def __init__(
        self,
        model: BaseChatModel,
        name: str,
        endpoint: str,
        seed: int,
        policy: RetryPolicy,
        sleep: Callable[[float], None],
        price: Price,
        sampling: Sampling | None = None,
    ) -> None:
        self.name = name
        self.features = features_of(model)
        self._model, self._endpoint, self._seed = model, endpoint, seed
        self._policy, self._sleep, self._price = policy, sleep, price
        self._sampling = sampling

    def call(self, request: ModelRequest) -> tuple[ModelCall, InfraError | InputError | None]:
        """Return the record of the request, and the error to raise once the record is kept.

        A call without replies and without an error was stopped by what the run may spend.
        """
        parameters = self._parameters(request)
        with span(
            f"chat {self.name}", call_attributes(self.name, self._endpoint, request, parameters)
        ) as traced:
            record, error = self._record(request, parameters)
            traced.set(answer_attributes(record))
            if record.failed:
                traced.failed(record.failed)
        return record, error

    def _record(
        self, request: ModelRequest, parameters: dict[str, Any]
    ) -> tuple[ModelCall, InfraError | InputError | None]:
        now = call_context()
        at, begin = datetime.now(UTC), time.monotonic()
        replies: tuple[Reply, ...] = ()
        received: Received | None = None
        failed, error, tries = None, None, self._policy.tries
        try:
            received = self._ask(request, parameters)
            tries = received.tries
        except OutOfTime as problem:
            failed, tries = (
                f"The time that the run allows was used up by a model call: {problem}.",
                problem.tries,
            )
        except EndpointFault as problem:  # the only kinds that come through are no fault of the machine
            failed, tries = problem.text, 1
            ended: Ended = "too_long" if problem.kind == "too_long" else "too_large"
            text = problem.text if ended == "too_long" else ""
            replies = tuple(Reply(sample=n, text=text, ended=ended, usage=Usage()) for n in request.samples)
        except (InfraError, InputError) as problem:
            failed, error = problem.text, problem
        seconds = time.monotonic() - begin
        if received is not None:
            prompt = sum(len(text) for _, text in request.messages)
            replies = replies_of(received.result, request.samples, prompt, seconds, self._price)
        usage = Usage(seconds=seconds)
        if replies:
            usage = Usage()
            for reply in replies:
                usage = usage.plus(reply.usage)
        record = ModelCall(
            key=request.key,
            run=now.run,
            task=now.task,
            node=now.node,
            role=request.role,
            attempt=request.attempt,
            turn=request.turn,
            model=self.name,
            endpoint=self._endpoint,
            prompt_sha256=prompt_digest(request.messages),
            parameters={k: v for k, v in parameters.items() if k != "schema"},
            at=at,
            tries=tries,
            usage=usage,
            replies=replies,
            prompt_token_ids=prompt_ids_of(received.result) if received else None,
            failed=failed,
        )
        return record, error

    def _parameters(self, request: ModelRequest) -> dict[str, Any]:
        """Return what the request says beyond its messages: only what the model knows."""
        found: dict[str, Any] = dict(getattr(self._model, "sampling", dict)())
        if self._sampling is not None:
            later = self._sampling.at(request.attempt)
            found |= {name: value for name, value in later.items() if name in found}
        first = request.samples[0]
        if "seed" in self.features:
            found["seed"] = self._seed + first * ATTEMPTS_PER_SAMPLE + request.attempt
        if len(request.samples) > 1:
            found["n"] = len(request.samples)
        if request.json_schema is not None and "schema" in self.features:
            found["schema"] = request.json_schema
        left = call_context().left
        if left is not None and left.tokens is not None and "max_tokens" in found:
            found["max_tokens"] = max(1, min(left.tokens, found["max_tokens"]))
        return found

    def _ask(self, request: ModelRequest, parameters: dict[str, Any]) -> Received:
        left = call_context().left
        return ask(
            self._model,
            convert_to_messages(request.messages),
            {
                "role": request.role,
                "attempt": request.attempt,
                "sample": request.samples[0],
                "samples": list(request.samples),
                "turn": request.turn,
                "key": request.key,
            },
            self._endpoint,
            self._policy,
            self._sleep,
            within_s=left.wall_s if left else None,
            takes_within="within" in self.features,
            **parameters,
        )


CHARACTERS_PER_TOKEN = 4  # an estimate, for servers that report no usage: a token budget must still hold


def replies_of(
    result: LLMResult, samples: Sequence[int], prompt_characters: int, seconds: float, price: Price
) -> tuple[Reply, ...]:
    """Return one reply per candidate, for these samples in order; their usage adds up to the request's."""
    messages = [g.message for g in result.generations[0] if isinstance(g, ChatGeneration)]
    candidates = [m for m in messages if isinstance(m, AIMessage)][: len(samples)]
    texts = [_text(m) for m in candidates]
    counts = _counts(result, candidates, texts, prompt_characters)
    found = []
    for message, text, sample, (asked, said) in zip(candidates, texts, samples, counts, strict=False):
        told = message.response_metadata
        usage = Usage(
            input_tokens=asked,
            output_tokens=said,
            seconds=told.get("seconds", seconds / len(candidates)),
            cost=price.of(asked, said),
        )
        found.append(
            Reply(
                sample=sample,
                text=text,
                ended=_ended(told),
                finish=told.get("finish_reason"),
                usage=usage,
                token_ids=_tuple(told.get("token_ids")),
                logprobs=_tuple(told.get("logprobs")),
            )
        )
    return tuple(found)


def prompt_ids_of(result: LLMResult) -> tuple[int, ...] | None:
    """Return the prompt as the server counted it, where it says so."""
    first = result.generations[0][0] if result.generations[0] else None
    if not isinstance(first, ChatGeneration):
        return None
    return _tuple(first.message.response_metadata.get("prompt_token_ids"))


def _text(message: AIMessage) -> str:
    """Return the reply; a thought that the server split off is put back in front, a refusal stands for the text."""
    said = without_halves(str(message.text) or str(message.response_metadata.get("refusal") or ""))
    thought = message.additional_kwargs.get("reasoning_content")
    if not thought:
        return said
    # A thought that never ended leaves nothing to say: it stays open, as the model left it.
    cut = not said and message.response_metadata.get("finish_reason") == "length"
    return f"<think>{thought}" if cut else f"<think>{thought}</think>\n{said}"


def _ended(told: Mapping[str, Any]) -> Ended:
    if "ended" in told:  # a replay knows it
        return cast(Ended, told["ended"])
    if told.get("refusal") or told.get("finish_reason") == "content_filter":
        return "refused"
    return "length" if told.get("finish_reason") in ("length", "max_tokens") else "stop"


def _counts(
    result: LLMResult, candidates: Sequence[AIMessage], texts: Sequence[str], prompt_characters: int
) -> list[tuple[int, int]]:
    """Return (input, output) tokens of each candidate."""
    whole = _told(result)
    own = [m.usage_metadata for m in candidates]
    if all(u is not None for u in own) and (len(own) == 1 or whole is None):
        return [(u["input_tokens"], u["output_tokens"]) for u in own if u is not None]
    if whole is None:
        said = [len(text) // CHARACTERS_PER_TOKEN for text in texts]
        asked = shares(prompt_characters // CHARACTERS_PER_TOKEN, [1] * len(texts))
        return list(zip(asked, said, strict=True))
    ids = [len(m.response_metadata.get("token_ids") or ()) for m in candidates]
    weights = ids if sum(ids) == whole[1] else [len(text) for text in texts]
    return list(zip(shares(whole[0], [1] * len(texts)), shares(whole[1], weights), strict=True))


def _told(result: LLMResult) -> tuple[int, int] | None:
    """Return the request's tokens as the server counted them; packages name them in two ways."""
    usage = (result.llm_output or {}).get("token_usage") or {}
    asked = usage.get("input_tokens", usage.get("prompt_tokens"))
    said = usage.get("output_tokens", usage.get("completion_tokens"))
    return None if asked is None or said is None else (asked, said)


def _tuple(values: Any) -> tuple[Any, ...] | None:
    return tuple(values) if values else None
