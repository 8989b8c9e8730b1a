"""Why AKGen talks to servers itself: what its client does, and what `openai` and `langchain-openai` do instead.

The second half runs where AKGEN_OPENAI names a folder with these packages (`make test-openai`). Where it fails, a
package has learnt something, and own code its reason.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from akgen.agents.calls.model_call import Sampling
from akgen.agents.models.resolve import ModelOptions, resolve_model
from tests.loopback import Act, Loopback, loopback

ASKED = [HumanMessage("write it")]
PACKAGES = os.environ.get("AKGEN_OPENAI")


def _ours(endpoint: Loopback, *, timeout_s: float = 5.0, **request: Any) -> list[AIMessage]:
    options = ModelOptions(base_url=endpoint.url, sampling=Sampling(max_tokens=16), timeout_s=timeout_s)
    made = resolve_model("vllm:m", options).generate([ASKED], **request).generations[0]
    return [g.message for g in made]  # type: ignore[union-attr, misc]


def _theirs(endpoint: Loopback, *, timeout_s: float = 5.0, **request: Any) -> list[AIMessage]:
    sys.path.append(str(PACKAGES))
    from langchain_openai import ChatOpenAI  # type: ignore[import-not-found, unused-ignore]

    model = ChatOpenAI(
        model="m", base_url=endpoint.url, api_key="any", max_retries=0, max_tokens=16, timeout=timeout_s, **request
    )  # fmt: skip
    return [g.message for g in model.generate([ASKED]).generations[0]]


Client = Callable[..., list[AIMessage]]


def _gives(ask: Client, endpoint: Loopback, **request: Any) -> list[AIMessage] | None:
    """Return the answers, or None where the client refuses what comes, in whatever way."""
    with suppress(Exception):
        return ask(endpoint, **request)
    return None


def whole_time(ask: Client) -> bool:
    """An answer that dribbles is left when its time is up."""
    dribbling = threading.Event()
    with loopback("", Act(trickle=dribbling)) as endpoint:
        begun = time.monotonic()
        threading.Timer(2.0, dribbling.set).start()
        given = _gives(ask, endpoint, timeout_s=0.6)
        taken_s = time.monotonic() - begun
        dribbling.set()
    return given is None and taken_s < 1.5


def size(ask: Client) -> bool:
    """An answer far beyond the tokens that were asked for is left."""
    message = {"role": "assistant", "content": "a" * 1_000_000}
    with suppress(Exception):
        return not _answered(ask, {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]})
    return True


def end(ask: Client) -> bool:
    """An answer that ends before it says so is no answer."""
    event = {
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": "half"}, "finish_reason": None}]
    }
    head = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    raw = f"data: {json.dumps({**head, **event})}\n\n".encode()
    with loopback("", Act(raw=raw, headers={"Content-Type": "text/event-stream"})) as endpoint:
        return _gives(ask, endpoint, **({} if ask is _ours else {"streaming": True})) is None


def several(ask: Client) -> bool:
    """Several streamed answers to one request stay apart."""
    with loopback(lambda _body, n: f"answer {n}") as endpoint:
        given = _gives(ask, endpoint, n=2, **({} if ask is _ours else {"streaming": True}))
    return given is not None and [str(m.text) for m in given] == ["answer 0", "answer 1"]


def ids(ask: Client) -> bool:
    """The ids of the answer's tokens are kept: what is trained on is what was said."""
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "token_ids": [5, 6],
        "message": {"role": "assistant", "content": "a b"},
    }
    (message,) = _answered(ask, {"choices": [choice], "prompt_token_ids": [1]})
    told = message.response_metadata
    return told.get("token_ids") == [5, 6] and told.get("prompt_token_ids") == [1]


def thought(ask: Client) -> bool:
    """A thought that the server split off is kept."""
    message = {"role": "assistant", "content": "a", "reasoning_content": "because"}
    (found,) = _answered(ask, {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]})
    return found.additional_kwargs.get("reasoning_content") == "because"


def proxy(ask: Client) -> bool:
    """A server on this machine is asked directly, whatever proxy the environment names."""
    with pytest.MonkeyPatch.context() as here, loopback("said") as endpoint:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            here.setenv(name, "http://127.0.0.1:9")
        for name in ("NO_PROXY", "no_proxy"):
            here.delenv(name, raising=False)
        given = _gives(ask, endpoint)
    return given is not None and [str(m.text) for m in given] == ["said"]


def _answered(ask: Client, document: dict[str, Any]) -> list[AIMessage]:
    head = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
    with loopback("", Act(raw=json.dumps({**head, **document}).encode())) as endpoint:
        return ask(endpoint)


REASONS = (whole_time, size, end, several, ids, thought, proxy)


@pytest.mark.parametrize("reason", REASONS)
def test_our_client_does_it(reason: Callable[[Client], bool]) -> None:
    assert reason(_ours), reason.__doc__


@pytest.mark.skipif(not PACKAGES, reason="make test-openai installs the packages")
@pytest.mark.parametrize("reason", REASONS)
def test_the_packages_do_not(reason: Callable[[Client], bool]) -> None:
    assert not reason(_theirs), f"no reason any more: {reason.__doc__}"
