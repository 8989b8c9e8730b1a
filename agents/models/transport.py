"""The policy of talking to a model's endpoint: what is tried again, how often, and what is said in the end."""

from collections.abc import Callable

import httpx
import openai
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

# Everything that langchain-openai and httpx raise for a request that did not succeed.
FAILURES = (openai.APIError, httpx.HTTPError, ConnectionError, TimeoutError)


class RetryPolicy(Frozen):
    """How often a request is sent, and how long to wait between: first_wait_s, doubling, with jitter."""

    tries: int = 5
    first_wait_s: float = 1.0
    longest_wait_s: float = 30.0


def is_transient(problem: BaseException) -> bool:
    """Say whether sending the request again may help: 408, 409, 429, 5xx, timeouts, lost connections."""
    if isinstance(problem, openai.APIStatusError):
        return problem.status_code in (408, 409, 429) or problem.status_code >= 500
    if isinstance(problem, httpx.HTTPStatusError):
        return problem.response.status_code in (408, 409, 429) or problem.response.status_code >= 500
    return isinstance(
        problem, (openai.APIConnectionError, httpx.TransportError, ConnectionError, TimeoutError)
    )


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
    except openai.NotFoundError as problem:
        raise InputError(
            f"The endpoint {endpoint} does not know what was asked for: {_said(problem)}.",
            "Check the model's name and that --base-url ends in /v1.",
        ) from problem
    except (openai.AuthenticationError, openai.PermissionDeniedError) as problem:
        raise InfraError(
            f"The endpoint {endpoint} refuses the key: {_said(problem)}.", "Set AKGEN_API_KEY."
        ) from problem
    except FAILURES as problem:
        raise InfraError(
            f"The endpoint {endpoint} refuses the request: {_said(problem)}.",
            "See the server's log; a prompt that is too long needs a model with a longer context.",
        ) from problem


def _said(problem: BaseException | None) -> str:
    """Return the failure's first line, shortened; server texts can be pages long."""
    text = (
        str(problem).strip().splitlines()[0] if problem and str(problem).strip() else type(problem).__name__
    )
    return text[:300].rstrip(".")
