"""The policy of talking to a model's endpoint: what is tried again, how often, and what is said in the end."""

from collections.abc import Callable

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from tenacity import (
    RetryError,
    Retrying,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential_jitter,
)

from akgen.tools.frozen import Frozen
from akgen.tools.outcome import InfraError, InputError

TRANSIENT_STATUS = (408, 409, 429)  # and every 5xx
REFUSED_KEY = (401, 403)
NOT_FOUND = 404


class RetryPolicy(Frozen):
    """How often a request is sent, and how long to wait between: first_wait_s, doubling, with jitter."""

    tries: int = 5
    first_wait_s: float = 1.0
    longest_wait_s: float = 30.0


def failures() -> tuple[type[Exception], ...]:
    """Return what langchain-openai and httpx raise for a request that did not succeed."""
    import httpx
    import openai  # half a second of imports, needed only once something has failed

    return (openai.APIError, httpx.HTTPError, ConnectionError, TimeoutError)


def is_transient(problem: BaseException) -> bool:
    """Say whether sending the request again may help: 408, 409, 429, 5xx, timeouts, lost connections."""
    if not isinstance(problem, failures()):
        return False
    status = _status(problem)
    return status is None or status in TRANSIENT_STATUS or status >= 500


def _status(problem: BaseException) -> int | None:
    """Return the answer's HTTP status; None if there was no answer."""
    response = getattr(problem, "response", None)
    return getattr(response, "status_code", None)


def ask(
    model: BaseChatModel,
    messages: list[BaseMessage],
    metadata: dict[str, str | int],
    endpoint: str,
    policy: RetryPolicy,
    sleep: Callable[[float], None],
    **request: int,
) -> AIMessage:
    """Send one request under the policy and return the reply.

    Raises InfraError when the endpoint cannot be used, InputError when it does not know the model.
    """
    retrying = Retrying(
        stop=stop_after_attempt(policy.tries),
        wait=wait_exponential_jitter(initial=policy.first_wait_s, max=policy.longest_wait_s),
        retry=retry_if_exception(is_transient),
        sleep=sleep,
    )
    try:
        return retrying(model.invoke, messages, {"metadata": metadata}, **request)
    except RetryError as exhausted:
        problem = exhausted.last_attempt.exception()
        raise InfraError(
            f"The model's endpoint {endpoint} failed {policy.tries} times, last with: {_said(problem)}.",
            "Check that the server runs and --base-url is right; `akgen resume` goes on from here.",
        ) from problem
    except failures() as problem:
        raise _explained(problem, endpoint) from problem


def _explained(problem: Exception, endpoint: str) -> InfraError | InputError:
    said = _said(problem)
    if _status(problem) == NOT_FOUND:
        return InputError(
            f"The endpoint {endpoint} does not know what was asked for: {said}.",
            "Check the model's name and that --base-url ends in /v1.",
        )
    if _status(problem) in REFUSED_KEY:
        return InfraError(f"The endpoint {endpoint} refuses the key: {said}.", "Set AKGEN_API_KEY.")
    return InfraError(
        f"The endpoint {endpoint} refuses the request: {said}.",
        "See the server's log; a prompt that is too long needs a model with a longer context.",
    )


def _said(problem: BaseException | None) -> str:
    """Return the failure's first line, shortened; server texts can be pages long."""
    text = (
        str(problem).strip().splitlines()[0] if problem and str(problem).strip() else type(problem).__name__
    )
    return text[:300].rstrip(".")
