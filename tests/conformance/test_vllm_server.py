"""What only a real server can show: adapters, token counts, and a death in the middle of an answer."""

import pytest
from langchain_core.messages import HumanMessage

from akgen.agents.calls.conversation import Conversation
from akgen.agents.calls.model_call import Sampling
from akgen.agents.calls.retry import RetryPolicy
from akgen.agents.models.faults import EndpointFault
from akgen.agents.models.resolve import ModelOptions, resolve_model
from akgen.tools.core.outcome import InfraError, InputError
from tests.conformance.vllm_server import VllmServer

pytestmark = pytest.mark.vllm
ASKED = [HumanMessage("Explain in one sentence what a kernel is.")]


def _options(server: VllmServer, tokens: int = 32) -> ModelOptions:
    return ModelOptions(base_url=server.url, sampling=Sampling(temperature=(0.0,), max_tokens=tokens))


def test_an_adapter_answers_otherwise_than_its_base(vllm_server: VllmServer) -> None:
    options = _options(vllm_server)
    texts = [
        resolve_model(f"vllm:{name}", options).invoke(ASKED).text
        for name in (vllm_server.name, vllm_server.adapter, vllm_server.name)
    ]
    assert texts[0] == texts[2] != texts[1]


def test_a_name_that_is_not_served_is_refused_with_the_servers_words(vllm_server: VllmServer) -> None:
    talk = Conversation(resolve_model("vllm:none", _options(vllm_server)), "vllm:none", vllm_server.url, 0)
    with pytest.raises(InputError, match="none"):
        talk.ask("s", "u", role="coder", attempt=1, sample=0)


def test_the_prompts_ids_are_those_that_the_server_counted(vllm_server: VllmServer) -> None:
    reply = resolve_model(f"vllm:{vllm_server.name}", _options(vllm_server)).invoke(ASKED)
    assert reply.usage_metadata is not None
    assert len(reply.response_metadata["prompt_token_ids"]) == reply.usage_metadata["input_tokens"]


def test_a_server_that_is_killed_in_the_middle_is_told_and_goes_on_when_it_is_back(
    vllm_server: VllmServer,
) -> None:
    model = resolve_model(f"vllm:{vllm_server.name}", _options(vllm_server, 4000))
    stream = model.stream([HumanMessage("Count from one to a thousand.")])
    next(stream)
    assert vllm_server.kill() == 3  # akgen serve says that its server died
    with pytest.raises(EndpointFault) as fault:
        list(stream)
    assert fault.value.kind in ("cut", "connection") and fault.value.transient
    talk = Conversation(
        model, "vllm:small", vllm_server.url, 0, RetryPolicy(tries=2, first_wait_s=0.1), lambda _: None
    )
    with pytest.raises(InfraError, match="failed 2 times"):
        talk.ask("s", "u", role="coder", attempt=1, sample=0)
    vllm_server.start()
    assert resolve_model(f"vllm:{vllm_server.name}", _options(vllm_server)).invoke(ASKED).text
