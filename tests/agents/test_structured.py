"""JSON answers: by schema where the server sees to it, with one repair turn where not."""

import json
from pathlib import Path
from typing import Any

import pytest

from akgen.agents.calls.conversation import Conversation
from akgen.agents.calls.structured import Structured, ask_structured
from akgen.agents.models.resolve import ModelOptions, ScriptedChatModel, resolve_model
from akgen.agents.prompts.builder import ModelPrompt
from akgen.tools.core.frozen import Frozen
from tests.loopback import Act, loopback


class Form(Frozen):
    """What is asked for."""

    size: int
    name: str


GOOD, BAD = '{"size": 3, "name": "x"}', '{"size": "three"}'


def _ask(folder: Path, *lines: dict[str, Any]) -> Structured[Form]:
    script = folder / "script.jsonl"
    script.write_text("".join(json.dumps({"role": "planner", **line}) + "\n" for line in lines))
    talk = Conversation(ScriptedChatModel.read(script), "scripted", "scripted", seed=0)
    prompt = ModelPrompt(system="s", user="Fill in the form.")
    return ask_structured(talk, prompt, Form, role="planner", attempt=1, sample=0)


def test_a_right_answer_takes_one_turn(tmp_path: Path) -> None:
    told = _ask(tmp_path, {"text": f"Sure.\n{GOOD}"})
    assert told.value == Form(size=3, name="x") and len(told.answers) == 1


@pytest.mark.parametrize("first", [BAD, "I would say three.", ""])
def test_a_wrong_answer_is_mended_in_a_second_turn(tmp_path: Path, first: str) -> None:
    told = _ask(tmp_path, {"text": first, "output_tokens": 5}, {"text": GOOD, "turn": 2, "output_tokens": 7})
    assert told.value == Form(size=3, name="x")
    assert told.usage.output_tokens == 12
    assert [m["role"] for m in told.last.messages] == ["system", "user", "assistant", "user", "assistant"]


def test_the_second_turn_says_what_is_wrong(tmp_path: Path) -> None:
    told = _ask(tmp_path, {"text": BAD}, {"text": GOOD, "turn": 2})
    said = told.last.messages[3]["content"]
    assert '"size"' in said and "'three'" in said and '"name"' in said


def test_there_is_no_third_turn(tmp_path: Path) -> None:
    told = _ask(tmp_path, {"text": BAD})
    assert told.value is None and len(told.answers) == 2
    assert [c.field for c in told.complaints] == ["size", "name"]


def test_a_thought_is_not_handed_back(tmp_path: Path) -> None:
    told = _ask(tmp_path, {"text": f"<think>hm {GOOD}</think>{BAD}"}, {"text": GOOD, "turn": 2})
    assert told.last.messages[2]["content"] == BAD


def test_a_refusal_gets_no_second_turn(tmp_path: Path) -> None:
    told = _ask(tmp_path, {"text": "No.", "finish": "content_filter"})
    assert len(told.answers) == 1 and told.last.ended == "refused"


def test_the_schema_goes_to_a_server_and_the_repair_turn_too() -> None:
    with loopback(lambda body, _: GOOD if len(body["messages"]) > 2 else BAD, Act()) as endpoint:
        model = resolve_model("vllm:m", ModelOptions(base_url=endpoint.url))
        talk = Conversation(model, "vllm:m", endpoint.url, seed=0)
        told = ask_structured(
            talk, ModelPrompt(system="s", user="u"), Form, role="planner", attempt=1, sample=0
        )
    assert told.value == Form(size=3, name="x")
    for body in endpoint.asked:
        assert body["response_format"]["json_schema"]["schema"]["required"] == ["size", "name"]


def test_a_model_may_think_in_words_before_a_schema_binds_it() -> None:
    with loopback(lambda body, _: GOOD if len(body["messages"]) > 2 else BAD, Act()) as endpoint:
        model = resolve_model("vllm:m", ModelOptions(base_url=endpoint.url))
        talk = Conversation(model, "vllm:m", endpoint.url, seed=0)
        told = ask_structured(
            talk, ModelPrompt(system="s", user="u"), Form, role="planner", attempt=1, sample=0, freely=True
        )
    assert told.value == Form(size=3, name="x")
    assert ["response_format" in body for body in endpoint.asked] == [False, True]
