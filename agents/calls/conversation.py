"""Questions to a chat model and its answers: asked once, streamed, kept, counted, found again when a run goes on.

Where several samples are going to ask the same, one request brings an answer for each of them.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, Literal

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.tracers.context import register_configure_hook

from akgen.agents.calls.caller import Caller
from akgen.agents.calls.context import call_context
from akgen.agents.calls.model_call import (
    CallLimits,
    CallStore,
    Ended,
    InMemoryCallStore,
    ModelCall,
    ModelRequest,
    Price,
    Sampling,
    Turn,
    Usage,
    call_key,
)
from akgen.agents.calls.retry import RetryPolicy
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic, Outcome


class Answer(Frozen):
    """What the model said. `messages` is the exchange as the run store keeps it.

    `ended` is "budget" if what the run may spend left no answer; `text` then says why.
    """

    text: str
    usage: Usage
    messages: tuple[dict[str, str], ...]
    ended: Ended = "stop"


class Conversation:
    """A chat model with the policy of talking to it, and where its calls are kept."""

    def __init__(
        self,
        model: BaseChatModel,
        name: str,
        endpoint: str,
        seed: int,
        policy: RetryPolicy | None = None,
        sleep: Callable[[float], None] = time.sleep,
        *,
        calls: CallStore | None = None,
        samples: int = 1,
        price: Price | None = None,
        limits: CallLimits | None = None,
        sampling: Sampling | None = None,
    ) -> None:
        self.name = name
        self._caller = Caller(
            model, name, endpoint, seed, policy or RetryPolicy(), sleep, price or Price(), sampling
        )
        self.features = self._caller.features
        self._calls: CallStore = InMemoryCallStore() if calls is None else calls
        self._samples = samples
        self._limits = limits or CallLimits()
        self._locks: dict[str, threading.Lock] = {}
        self._making_locks = threading.Lock()

    def ask(
        self,
        system: str,
        user: str,
        *,
        role: str,
        attempt: int,
        sample: int,
        before: Sequence[tuple[str, str]] = (),
        shared: bool = False,
        schema: dict[str, Any] | None = None,
        aside: str = "",
    ) -> Answer:
        """Send a request, or find its answer among the calls that were made.

        `before` are the earlier (user, assistant) turns of this exchange. `shared` says that every sample asks exactly
        this: one request then brings an answer for each. `schema` is what a JSON answer must fit, where the server can
        see to it. `aside` is the part of `user` about what may still be spent, which no replay can repeat. The same
        attempt of the same sample always asks with the same seed.
        """
        earlier: list[Turn] = [("system", system)] if system else []
        for asked, said in before:
            earlier += [("user", asked), ("assistant", said)]
        messages: tuple[Turn, ...] = (*earlier, ("user", user))
        turn = len(before) + 1
        key = call_key(call_context().task, role, attempt, turn, messages, aside)
        with self._lock(key):
            call = self._calls.take(key, sample)
            if call is None:
                spent = self._limits.used_up(self._calls.total())
                if spent is not None:
                    return _answer(spent, Usage(), messages, "budget")
                call = self._make(
                    ModelRequest(
                        key=key,
                        role=role,
                        attempt=attempt,
                        turn=turn,
                        samples=self._askers(key, sample, shared),
                        messages=messages,
                        json_schema=schema,
                    )
                )
                call = self._calls.take(key, sample) or call
        reply = next((reply for reply in call.replies if reply.sample == sample), None)
        if reply is None:
            return _answer(call.failed or "", call.usage, messages, "budget")
        return _answer(reply.text, reply.usage, messages, reply.ended)

    def _make(self, request: ModelRequest) -> ModelCall:
        call, error = self._caller.call(request)
        self._calls.keep(call)
        if error is not None:
            raise error
        return call

    def _askers(self, key: str, sample: int, shared: bool) -> tuple[int, ...]:
        """Return the samples that one request is to answer: all that have no answer yet, if they may share."""
        if not shared or "n" not in self.features:
            return (sample,)
        open_ones = (n for n in range(self._samples) if not self._calls.known(key, n))
        return tuple(sorted({sample, *open_ones}))

    def _lock(self, key: str) -> threading.Lock:
        """Return the lock of a request: samples that ask the same side by side send it once."""
        with self._making_locks:
            return self._locks.setdefault(key, threading.Lock())


def _answer(text: str, usage: Usage, messages: Sequence[Turn], ended: Ended) -> Answer:
    kept = tuple({"role": who, "content": said} for who, said in messages)
    return Answer(
        text=text, usage=usage, messages=(*kept, {"role": "assistant", "content": text}), ended=ended
    )


SHOWN = 200  # characters of what a model says instead of an answer


def unusable(answer: Answer, stage: Literal["plan", "write"]) -> tuple[Outcome, Diagnostic] | None:
    """Return outcome and finding of an answer with nothing to read in it, such as a refused one; else None."""
    if answer.ended == "budget":
        return Outcome.BUDGET, Diagnostic(code="BUDGET_EXHAUSTED", text=answer.text, stage=stage)
    if answer.ended == "refused":
        said = " ".join(answer.text.split())[:SHOWN] or "it gave no reason"
        text = f"The model refused to answer: {said}"
        return Outcome.NO_CODE, Diagnostic(code="REPLY_REFUSED", text=text, stage=stage)
    if answer.ended == "too_large":
        text = "The reply went on far beyond the length that was asked for and was left."
        return Outcome.NO_CODE, Diagnostic(code="REPLY_TOO_LARGE", text=text, stage=stage)
    if answer.ended == "too_long":
        text = f"The prompt is too long for the model: {' '.join(answer.text.split())[:SHOWN]}"
        return Outcome.NO_CODE, Diagnostic(code="PROMPT_TOO_LONG", text=text, stage=stage)
    return None


OnToken = Callable[[str], None]


class _TokenHandler(BaseCallbackHandler):
    """Hands every piece of an answer on; what `on_token` raises ends the request."""

    raise_error = True

    def __init__(self, on_token: OnToken) -> None:
        self._on_token = on_token

    def on_llm_new_token(self, token: str | list[str | dict[str, Any]], **kwargs: Any) -> None:
        del kwargs
        if isinstance(token, str):
            self._on_token(token)


@cache
def _handler() -> ContextVar[_TokenHandler | None]:
    """Return the variable that langchain looks at before every request; made known to it once."""
    variable: ContextVar[_TokenHandler | None] = ContextVar("akgen_token_handler", default=None)
    register_configure_hook(variable, inheritable=True)
    return variable


@contextmanager
def streaming(on_token: OnToken) -> Iterator[None]:
    """Stream what models write in this thread, and in those that inherit its context, until the end of the block."""
    token = _handler().set(_TokenHandler(on_token))
    try:
        yield
    finally:
        _handler().reset(token)
