"""Every chat model that AKGen can be given behaves the same towards the agents.

The real server (`make test-vllm`) is vLLM on the CPU with small weights; its texts are not looked at, only their form.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from pydantic import Field

from akgen.agents.calls.conversation import Answer, Conversation
from akgen.agents.calls.model_call import Sampling
from akgen.agents.calls.structured import ask_structured
from akgen.agents.models.features import Feature, features_of
from akgen.agents.models.resolve import ModelOptions, resolve_model
from akgen.agents.prompts.builder import ModelPrompt
from akgen.graph.store.calls import RunCalls
from akgen.tools.core.frozen import Frozen
from tests.conformance.vllm_server import VllmServer
from tests.loopback import Body, loopback

REPLY = "```cpp\nint kernel;\n```"
FORM = '{"size": 3, "name": "x"}'
STORY = "once upon a time there was a kernel that computed for ever and ever"
SAMPLES = 4
MOST = 6  # tokens, where an answer is to be cut
# attempts, by what is asked for in them: a script answers by attempt
PLAIN, AGAIN, CUT, JSON, MANY = 1, 2, 3, 4, 5
ASKED = {PLAIN: "Write.", AGAIN: "Write.", CUT: "Tell a long story.", JSON: "Give JSON.", MANY: "Vary."}
VLLM = ("vllm on the CPU", "kernelgen on the CPU", "an adapter on the CPU")


class Form(Frozen):
    """What a JSON answer is to be; bounded, for a small model does not end a text by itself."""

    size: int = Field(ge=0, le=9)
    name: str = Field(max_length=8)


@dataclass(frozen=True)
class Backend:
    """One way to a model. `prefix` is what its texts begin with; a model that `thinks` up its texts is not exact."""

    spec: str
    options: ModelOptions
    usage: tuple[int, int] | None = (3, 2)
    prefix: str = ""
    exact: bool = True
    served: bool = True
    folder: Path | None = field(default=None)

    def talk(self, *, most: int = 64) -> Conversation:
        options = self.options.model_copy(update={"sampling": Sampling(max_tokens=most)})
        calls = RunCalls(self.folder) if self.folder else None
        return Conversation(
            resolve_model(self.spec, options), self.spec, "here", seed=3, samples=SAMPLES, calls=calls
        )

    def has(self, feature: Feature) -> bool:
        return feature in features_of(resolve_model(self.spec, self.options))


def _ask(talk: Conversation, attempt: int, sample: int = 0) -> Answer:
    shared = attempt == MANY
    return talk.ask("You write.", ASKED[attempt], role="coder", attempt=attempt, sample=sample, shared=shared)


def _reply(body: Body, number: int) -> str:
    asked = body.get("prompt") or body["messages"][-1]["content"]
    if "Vary." in asked:
        return f"candidate {number}"
    return STORY if "long story" in asked else FORM if "JSON" in asked else REPLY


def _script(path: Path) -> str:
    told: dict[str, Any] = {"role": "coder", "input_tokens": 5, "output_tokens": 6}
    ids = {"token_ids": [1, 2, 3, 4, 5, 6], "logprobs": [-0.5] * 6}
    lines = [
        *({**told, **ids, "attempt": attempt, "text": REPLY} for attempt in (PLAIN, AGAIN)),
        {**told, "attempt": CUT, "text": " ".join(STORY.split()[:MOST]), "finish": "length"},
        {**told, "attempt": JSON, "text": FORM},
        *({**told, "attempt": MANY, "sample": n, "text": f"candidate {n}"} for n in range(SAMPLES)),
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return f"scripted:{path}"


def _recorded(kind: str, folder: Path) -> Backend:
    """Return a backend that needs no server: the script itself, or a recording of it."""
    script, tape = _script(folder / "script.jsonl"), folder / "tape.jsonl"
    spec = {"scripted": script, "replay of a run": script}.get(kind, f"record:{tape}:{script}")
    run = folder / "run" if kind == "replay of a run" else None
    if run is not None:
        run.mkdir()
    made = Backend(spec, ModelOptions(), (5, 6), served=False, folder=run)
    if not kind.startswith("replay"):
        return made
    talk = made.talk()
    for attempt in ASKED:
        for sample in range(SAMPLES if attempt == MANY else 1):
            _ask(talk, attempt, sample)
    return Backend(f"replay:{run or tape}", ModelOptions(), (5, 6), served=False)


@pytest.fixture(
    params=[
        "openai", "vllm", "kernelgen", "scripted", "record", "replay", "replay of a run",
        *(pytest.param(name, marks=pytest.mark.vllm) for name in VLLM),
    ]
)  # fmt: skip
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    kind: str = request.param
    if kind in VLLM:
        server: VllmServer = request.getfixturevalue("vllm_server")
        options = ModelOptions(base_url=server.url)
        spec = f"vllm:{server.adapter if 'adapter' in kind else server.name}"
        if kind.startswith("kernelgen"):
            yield Backend(f"kernelgen:{server.name}", options, None, prefix="<think>", exact=False)
        else:
            yield Backend(spec, options, None, exact=False)
    elif kind in ("openai", "vllm", "kernelgen"):
        with loopback(_reply) as endpoint:
            raw = kind == "kernelgen"
            options = ModelOptions(base_url=endpoint.url)
            yield Backend(f"{kind}:m", options, (2, 2) if raw else (3, 2), "<think>" if raw else "")
    else:
        yield _recorded(kind, tmp_path)


def _need(backend: Backend, feature: Feature) -> None:
    if not backend.has(feature):
        pytest.skip(f"means nothing to {backend.spec.partition(':')[0]}")


def test_a_model_answers_with_text_and_counts_its_tokens(backend: Backend) -> None:
    answer = _ask(backend.talk(), PLAIN)
    assert answer.text.startswith(backend.prefix) and len(answer.text) > len(backend.prefix)
    if backend.exact:
        assert answer.text == backend.prefix + REPLY
        assert (answer.usage.input_tokens, answer.usage.output_tokens) == backend.usage
    assert answer.usage.input_tokens > 1 and 0 < answer.usage.output_tokens <= 64


def test_the_exchange_is_kept_as_it_was_said(backend: Backend) -> None:
    answer = _ask(backend.talk(), PLAIN)
    assert answer.messages == (
        {"role": "system", "content": "You write."},
        {"role": "user", "content": "Write."},
        {"role": "assistant", "content": answer.text},
    )


def test_a_model_keeps_no_position_between_requests(backend: Backend) -> None:
    talk = backend.talk()
    second, first, again = _ask(talk, AGAIN), _ask(talk, PLAIN), _ask(talk, PLAIN)
    assert first.text == again.text  # the same attempt asks with the same seed
    if backend.exact:
        assert second.text == first.text


def test_one_request_brings_an_answer_for_every_sample(backend: Backend) -> None:
    _need(backend, "n")
    talk = backend.talk()
    answers = [_ask(talk, MANY, sample) for sample in range(SAMPLES)]
    if backend.exact:
        assert [a.text for a in answers] == [f"{backend.prefix}candidate {n}" for n in range(SAMPLES)]
    else:
        assert len({a.text for a in answers}) > 1
    assert all(a.usage.output_tokens > 0 for a in answers)


def test_a_json_answer_has_the_form_asked_for(backend: Backend) -> None:
    if backend.spec.startswith("kernelgen"):
        pytest.skip("a grammar would forbid the thought that its answers begin with")
    prompt = ModelPrompt(system="You write.", user=ASKED[JSON])
    told = ask_structured(backend.talk(), prompt, Form, role="coder", attempt=JSON, sample=0)
    assert told.value is not None, told.complaints
    if backend.exact:
        assert told.value == Form(size=3, name="x")


def test_token_ids_and_log_probabilities_come_where_they_are_known(backend: Backend, tmp_path: Path) -> None:
    _need(backend, "tokens")
    if backend.spec.startswith("openai"):
        pytest.skip("hosted models are not asked for them")
    kept = Backend(backend.spec, backend.options, folder=tmp_path / "kept")
    (tmp_path / "kept").mkdir()
    answer = _ask(kept.talk(), PLAIN)
    (path,) = (tmp_path / "kept" / "calls").glob("*.json")
    (reply,) = json.loads(path.read_text())["replies"]
    assert len(reply["token_ids"]) == len(reply["logprobs"]) > 0
    assert all(p <= 0 for p in reply["logprobs"])
    if not (backend.exact and backend.served):  # the loopback's ids are made up word by word
        assert len(reply["token_ids"]) == answer.usage.output_tokens


def test_an_answer_at_its_length_limit_says_so(backend: Backend) -> None:
    answer = _ask(backend.talk(most=MOST), CUT)
    assert answer.ended == "length"
    if backend.served:
        assert answer.usage.output_tokens == MOST


def test_a_streamed_answer_is_the_whole_one_in_pieces(backend: Backend) -> None:
    if not backend.served:
        pytest.skip("only a server streams")
    options = backend.options.model_copy(update={"sampling": Sampling(max_tokens=24)})
    model = resolve_model(backend.spec, options)
    whole = model.invoke([HumanMessage("Write.")], seed=5)
    pieces = list(model.stream([HumanMessage("Write.")], seed=5))
    assert len([p for p in pieces if p.text]) > 1
    assert "".join(p.text for p in pieces) == whole.text.removeprefix(backend.prefix)
    assert pieces[-1].usage_metadata == whole.usage_metadata is not None


def test_an_answer_may_be_left_in_its_middle(backend: Backend) -> None:
    if not backend.served:
        pytest.skip("only a server streams")
    model = resolve_model(backend.spec, backend.options)
    stream = model.stream([HumanMessage("Tell a long story.")], max_tokens=2000)
    assert next(stream) is not None
    stream.close()  # type: ignore[attr-defined]
    assert model.invoke([HumanMessage("Write.")], max_tokens=4).usage_metadata is not None
