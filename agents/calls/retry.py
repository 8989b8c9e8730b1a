"""The policy of talking to a model's endpoint: what is tried again, how often, and what is said in the end."""

import sys
import time
from collections.abc import Callable
from typing import Any

import httpx
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.outputs import LLMResult
from tenacity import (
    RetryCallState,
    RetryError,
    Retrying,
    retry_if_exception,
    stop_after_attempt,
    stop_any,
    wait_exponential,
    wait_random,
)
from tenacity.stop import stop_base

from akgen.agents.models.faults import OF_THE_REQUEST, TRANSIENT_STATUS, EndpointFault
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InfraError, InputError

REFUSED_KEY = (401, 403)
NOT_FOUND = 404


class RetryPolicy(Frozen):
    """How often a request is sent, and how long to wait between: first_wait_s, doubling, with jitter.

    What the server says in Retry-After counts instead, up to `longest_retry_after_s`; who asks for more is down.
    """

    tries: int = 5
    first_wait_s: float = 1.0
    longest_wait_s: float = 30.0
    longest_retry_after_s: float = 300.0


class OutOfTime(Exception):
    """The time that the run allows is used up; `tries` requests were sent."""

    def __init__(self, tries: int) -> None:
        super().__init__(f"out of time after {tries} requests")
        self.tries = tries


class Received(Frozen):
    """What came back, and how many requests it took."""

    result: LLMResult
    tries: int


def failures() -> tuple[type[Exception], ...]:
    """Return what a chat model raises for a request that did not succeed, ours or one that a package brings."""
    found: tuple[type[Exception], ...] = (EndpointFault, httpx.HTTPError, ConnectionError, TimeoutError)
    # Packages of models bring their client's own exceptions; a client that was not imported raises none.
    for client in ("openai", "anthropic"):
        error = getattr(sys.modules.get(client), "APIError", None)
        if error is not None:
            found = (*found, error)
    return found


def is_transient(problem: BaseException) -> bool:
    """Say whether sending the request again may help: 408, 409, 425, 429, 5xx, timeouts, lost and cut connections."""
    if isinstance(problem, EndpointFault):
        return problem.transient
    if not isinstance(problem, failures()):
        return False
    status = _status(problem)
    return status is None or status in TRANSIENT_STATUS or status >= 500


def ask(
    model: BaseChatModel,
    messages: list[BaseMessage],
    metadata: dict[str, Any],
    endpoint: str,
    policy: RetryPolicy,
    sleep: Callable[[float], None],
    within_s: float | None = None,
    takes_within: bool = False,
    **request: Any,
) -> Received:
    """Send one request under the policy and return the reply.

    `within_s` bounds all tries and waits together; OutOfTime is raised when it is used up. Raises InfraError when
    the endpoint cannot be used, InputError when it does not know the model.
    """
    deadline = None if within_s is None else time.monotonic() + within_s

    def left_s() -> float | None:
        return None if deadline is None else deadline - time.monotonic()

    def send() -> LLMResult:
        limited = dict(request)
        if deadline is not None and takes_within:
            limited["within_s"] = max(0.1, left_s() or 0.0)
        return model.generate([messages], metadata=metadata, **limited)

    retrying = Retrying(
        stop=stop_any(stop_after_attempt(policy.tries), _OutOfTime(left_s)),
        wait=_Wait(policy),
        retry=retry_if_exception(
            lambda problem: is_transient(problem) and not _asks_too_much(problem, policy)
        ),
        sleep=sleep,
    )
    try:
        result = retrying(send)
        return Received(result=result, tries=_tries(retrying))
    except RetryError as exhausted:
        tries = _tries(retrying)
        if tries < policy.tries:
            raise OutOfTime(tries) from exhausted
        problem = exhausted.last_attempt.exception()
        left = left_s()
        if left is not None and left <= 0:
            raise OutOfTime(tries) from exhausted
        raise InfraError(
            f"The model's endpoint {endpoint} failed {tries} times, last with: {_said(problem)}.",
            "Check that the server runs and --base-url is right; `akgen resume` goes on from here.",
        ) from problem
    except failures() as problem:
        if isinstance(problem, EndpointFault) and problem.kind in OF_THE_REQUEST:
            raise
        raise _explained(problem, endpoint, policy) from problem


class _OutOfTime(stop_base):
    """Stop where the next wait would end after the deadline."""

    def __init__(self, left_s: Callable[[], float | None]) -> None:
        self._left_s = left_s

    def __call__(self, retry_state: RetryCallState) -> bool:
        left = self._left_s()
        return left is not None and left <= (retry_state.upcoming_sleep or 0.0)


class _Wait:
    """The server's Retry-After where it gives one, else doubling with jitter."""

    def __init__(self, policy: RetryPolicy) -> None:
        first = policy.first_wait_s
        self._backoff = wait_exponential(multiplier=first, max=policy.longest_wait_s) + wait_random(0, first)

    def __call__(self, state: RetryCallState) -> float:
        problem = state.outcome.exception() if state.outcome else None
        told = _retry_after(problem)
        return self._backoff(state) if told is None else told


def _tries(retrying: Retrying) -> int:
    return int(retrying.statistics.get("attempt_number", 1))


def _retry_after(problem: BaseException | None) -> float | None:
    return problem.retry_after_s if isinstance(problem, EndpointFault) else None


def _asks_too_much(problem: BaseException, policy: RetryPolicy) -> bool:
    told = _retry_after(problem)
    return told is not None and told > policy.longest_retry_after_s


def _status(problem: BaseException) -> int | None:
    """Return the answer's HTTP status; None if there was no answer."""
    if isinstance(problem, EndpointFault):
        return problem.status
    response = getattr(problem, "response", None)
    return getattr(response, "status_code", None)


def _explained(problem: Exception, endpoint: str, policy: RetryPolicy) -> InfraError | InputError:
    said = _said(problem)
    if _asks_too_much(problem, policy):
        return InfraError(
            f"The endpoint {endpoint} asks to wait {_retry_after(problem):.0f} s: {said}.",
            "Go on later with `akgen resume`.",
        )
    if _status(problem) == NOT_FOUND:
        return InputError(
            f"The endpoint {endpoint} does not know what was asked for: {said}.",
            "Check the model's name and that --base-url ends in /v1.",
        )
    if _status(problem) in REFUSED_KEY:
        return InfraError(f"The endpoint {endpoint} refuses the key: {said}.", "Set AKGEN_API_KEY.")
    return InfraError(
        f"The endpoint {endpoint} refuses the request: {said}.",
        "See the server's log.",
    )


def _said(problem: BaseException | None) -> str:
    """Return the failure's first line, shortened; server texts can be pages long."""
    text = (
        str(problem).strip().splitlines()[0] if problem and str(problem).strip() else type(problem).__name__
    )
    return text[:300].rstrip(".")
