"""Make one request to a chat model and the record of it."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from akgen.agents.calls.context import circumstances
from akgen.agents.calls.model_call import Ended, ModelCall, Price, Reply, Sampling, Usage, prompt_digest
from akgen.agents.calls.response import prompt_ids_of, replies_of
from akgen.agents.calls.retry import OutOfTime, Received, RetryPolicy, ask
from akgen.agents.calls.tracing import span
from akgen.agents.models.faults import EndpointFault
from akgen.agents.models.features import features_of
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InfraError, InputError

ATTEMPTS_PER_SAMPLE = 1000  # keeps the seeds of samples apart
Turn = tuple[Literal["system", "user", "assistant"], str]


class ModelRequest(Frozen):
    """What is asked, for which samples. `key` is what the call is found by later."""

    key: str
    role: str
    attempt: int
    turn: int
    samples: tuple[int, ...]
    messages: tuple[Turn, ...]
    json_schema: dict[str, Any] | None = None


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
        with span(f"chat {self.name}", self._asked(request, parameters)) as traced:
            record, error = self._record(request, parameters)
            traced.set(_answered(record))
            if record.failed:
                traced.failed(record.failed)
        return record, error

    def _record(
        self, request: ModelRequest, parameters: dict[str, Any]
    ) -> tuple[ModelCall, InfraError | InputError | None]:
        now = circumstances()
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
        left = circumstances().left
        if left is not None and left.tokens is not None and "max_tokens" in found:
            found["max_tokens"] = max(1, min(left.tokens, found["max_tokens"]))
        return found

    def _asked(self, request: ModelRequest, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return what a span says of a request, under OpenTelemetry's names."""
        kind, _, name = self.name.partition(":")
        return {
            "gen_ai.operation.name": "text_completion" if kind == "kernelgen" else "chat",
            "gen_ai.provider.name": kind,
            "gen_ai.request.model": name,
            "gen_ai.request.temperature": parameters.get("temperature"),
            "gen_ai.request.top_p": parameters.get("top_p"),
            "gen_ai.request.max_tokens": parameters.get("max_tokens"),
            "gen_ai.request.seed": parameters.get("seed"),
            "gen_ai.request.choice.count": len(request.samples),
            "gen_ai.output.type": "json" if "schema" in parameters else "text",
            "server.address": self._endpoint,
            "akgen.role": request.role,
            "akgen.turn": request.turn,
        }

    def _ask(self, request: ModelRequest, parameters: dict[str, Any]) -> Received:
        left = circumstances().left
        return ask(
            self._model,
            [_message(who, text) for who, text in request.messages],
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


def _answered(call: ModelCall) -> dict[str, Any]:
    return {
        "gen_ai.usage.input_tokens": call.usage.input_tokens,
        "gen_ai.usage.output_tokens": call.usage.output_tokens,
        "gen_ai.response.finish_reasons": [reply.finish or reply.ended for reply in call.replies],
        "akgen.tries": call.tries,
        "akgen.cost": call.usage.cost,
    }


def _message(who: str, text: str) -> BaseMessage:
    if who == "system":
        return SystemMessage(text)
    return HumanMessage(text) if who == "user" else AIMessage(text)
