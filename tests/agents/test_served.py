"""The client of OpenAI-compatible servers: streams, many answers, what vLLM adds, what servers do not know."""

from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration

from akgen.agents.calls.model_call import Sampling
from akgen.agents.models.faults import EndpointFault
from akgen.agents.models.resolve import ModelOptions, resolve_model
from tests.loopback import Act, Loopback, loopback, tokens

ASKED = [HumanMessage("write it")]


@pytest.fixture
def server() -> Iterator[Loopback]:
    with loopback(lambda _body, n: f"answer number {n}") as endpoint:
        yield endpoint


def _generate(endpoint: Loopback, spec: str = "vllm:m", **request: Any) -> list[AIMessage]:
    model = resolve_model(spec, ModelOptions(base_url=endpoint.url, sampling=Sampling(max_tokens=64)))
    found = model.generate([ASKED], **request).generations[0]
    return [g.message for g in found if isinstance(g, ChatGeneration) and isinstance(g.message, AIMessage)]


@pytest.mark.parametrize("spec", ["vllm:m", "kernelgen:m"])
def test_many_answers_come_from_one_request(server: Loopback, spec: str) -> None:
    messages = _generate(server, spec, n=3)
    assert [str(m.text).removeprefix("<think>") for m in messages] == [f"answer number {n}" for n in range(3)]
    assert len(server.asked) == 1 and server.asked[0]["n"] == 3


@pytest.mark.parametrize("spec", ["vllm:m", "kernelgen:m"])
def test_token_ids_and_log_probabilities_are_kept(server: Loopback, spec: str) -> None:
    messages = _generate(server, spec, n=2)
    assert len(messages) == 2
    for number, message in enumerate(messages):
        ids = [i for word in f"answer number {number}".split() for i in tokens(word)]
        assert message.response_metadata["token_ids"] == ids
        assert message.response_metadata["logprobs"] == [-0.5] * len(ids)


def test_a_hosted_model_is_not_asked_for_what_only_vllm_knows(server: Loopback) -> None:
    _generate(server, "openai:m")
    assert not {"return_token_ids", "logprobs"} & server.asked[0].keys()


def test_an_answer_comes_piece_by_piece_and_says_at_the_end_what_it_cost(server: Loopback) -> None:
    model = resolve_model("vllm:m", ModelOptions(base_url=server.url))
    pieces = list(model.stream(ASKED))
    assert [p.text for p in pieces if p.text] == ["answer", " number", " 0"]
    assert pieces[-1].usage_metadata is not None and pieces[-1].usage_metadata["output_tokens"] == 3


def test_leaving_in_the_middle_of_an_answer_closes_the_connection() -> None:
    with loopback("word " * 20_000) as endpoint:
        model = resolve_model("vllm:m", ModelOptions(base_url=endpoint.url))
        stream = model.stream(ASKED)
        next(stream)
        stream.close()  # type: ignore[attr-defined]
        assert model.invoke(ASKED, max_tokens=100_000).text  # the next request is answered
        assert endpoint.left == 1


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_a_thought_that_the_server_split_off_is_kept_apart(field: str) -> None:
    with loopback("code", Act(message={field: "hm "})) as endpoint:
        (message,) = _generate(endpoint)
    assert message.text == "code"
    assert message.additional_kwargs["reasoning_content"] == "hm "


@pytest.mark.parametrize(
    ("error", "name", "request_"),
    [
        (
            "response_format of type json_schema is not supported",
            "response_format",
            {"schema": {"title": "x"}},
        ),
        ("unknown field return_token_ids", "return_token_ids", {}),
        ("logprobs are not available", "logprobs", {}),
        ("n must be 1", "n", {"n": 4}),
    ],
)
def test_what_a_server_refuses_is_left_out_from_then_on(
    error: str, name: str, request_: dict[str, Any]
) -> None:
    with loopback("yes", Act(status=400, error=error), Act()) as endpoint:
        model = resolve_model("vllm:m", ModelOptions(base_url=endpoint.url))
        for _ in range(2):
            assert model.generate([ASKED], **request_).generations[0][0].text == "yes"
    assert [name in body for body in endpoint.asked] == [True, False, False]


def test_a_refusal_that_names_nothing_optional_is_a_fault() -> None:
    with (
        loopback("yes", Act(status=400, error="maximum context length is 4096 tokens")) as endpoint,
        pytest.raises(EndpointFault, match="maximum context length"),
    ):
        _generate(endpoint)
    assert len(endpoint.asked) == 1


def test_a_server_on_this_machine_is_asked_without_the_environments_proxy(
    server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert _generate(server)[0].text == "answer number 0"


def test_a_schema_is_sent_in_the_form_that_servers_know(server: Loopback) -> None:
    schema = {"title": "Plan", "type": "object"}
    _generate(server, schema=schema)
    sent = server.asked[0]["response_format"]
    assert sent["type"] == "json_schema"
    assert (sent["json_schema"]["name"], sent["json_schema"]["schema"]) == ("Plan", schema)
