"""The models that ship with the package, and how a model's name is understood."""

import json
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage

from akgen.agents.models.replay import RecordingChatModel, ReplayChatModel
from akgen.agents.models.resolve import ModelOptions, ScriptedChatModel, resolve_model
from akgen.agents.run_config import with_full_paths
from akgen.tools.core.outcome import InputError

ASKED = [HumanMessage("write it")]


def _script(folder: Path, *lines: dict[str, object]) -> Path:
    path = folder / "script.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n")
    return path


def _meta(attempt: int, sample: int = 0, role: str = "coder") -> dict[str, object]:
    return {"metadata": {"role": role, "attempt": attempt, "sample": sample}}


def test_a_script_answers_by_attempt_whatever_was_asked_before(tmp_path: Path) -> None:
    path = _script(
        tmp_path,
        {"role": "coder", "text": "first"},
        {"role": "planner", "text": "plan"},
        {"role": "coder", "text": "second"},
    )
    model = ScriptedChatModel.read(path)
    assert model.invoke(ASKED, _meta(2)).text == "second"
    assert model.invoke(ASKED, _meta(1)).text == "first"
    assert model.invoke(ASKED, _meta(1, role="planner")).text == "plan"


def test_a_script_may_answer_one_sample_or_attempt_only(tmp_path: Path) -> None:
    path = _script(
        tmp_path,
        {"role": "coder", "sample": 1, "text": "for one"},
        {"role": "coder", "attempt": 3, "text": "late"},
    )
    model = ScriptedChatModel.read(path)
    assert model.invoke(ASKED, _meta(1, sample=1)).text == "for one"
    assert model.invoke(ASKED, _meta(3, sample=0)).text == "late"


def test_a_script_that_has_run_out_says_which_reply_is_missing(tmp_path: Path) -> None:
    model = ScriptedChatModel.read(_script(tmp_path, {"role": "coder", "text": "only"}))
    with pytest.raises(InputError, match="coder's attempt 2"):
        model.invoke(ASKED, _meta(2))


def test_a_broken_script_names_its_line(tmp_path: Path) -> None:
    path = _script(tmp_path, {"role": "coder", "text": "x"}, {"role": "poet", "text": "y"})
    with pytest.raises(InputError, match="line 2"):
        ScriptedChatModel.read(path)


def test_a_recording_replays_what_was_said_and_asks_once(tmp_path: Path) -> None:
    script, tape = _script(tmp_path, {"role": "coder", "text": "first"}), tmp_path / "tape.jsonl"
    recorder = resolve_model(f"record:{tape}:scripted:{script}", ModelOptions())
    assert isinstance(recorder, RecordingChatModel)
    assert recorder.invoke(ASKED, _meta(1)).text == "first"
    assert recorder.invoke(ASKED, _meta(1)).text == "first"
    assert len(tape.read_text().splitlines()) == 1
    replayed = resolve_model(f"replay:{tape}", ModelOptions())
    assert replayed.invoke(ASKED, _meta(1)).text == "first"


def test_a_recording_tells_samples_and_attempts_apart(tmp_path: Path) -> None:
    script, tape = tmp_path / "script.jsonl", tmp_path / "tape.jsonl"
    script.write_text(
        '{"role": "coder", "sample": 0, "text": "zero"}\n{"role": "coder", "sample": 1, "text": "one"}\n'
    )
    recorder = resolve_model(f"record:{tape}:scripted:{script}", ModelOptions())
    for sample in (0, 1):
        recorder.invoke(ASKED, _meta(1, sample))
    replayed = ReplayChatModel.read(tape)
    assert [replayed.invoke(ASKED, _meta(1, s)).text for s in (0, 1)] == ["zero", "one"]


def test_a_torn_recording_is_read_to_its_last_whole_line(tmp_path: Path) -> None:
    script, tape = _script(tmp_path, {"role": "coder", "text": "first"}), tmp_path / "tape.jsonl"
    recorder = resolve_model(f"record:{tape}:scripted:{script}", ModelOptions())
    recorder.invoke(ASKED, _meta(1))
    tape.write_bytes(tape.read_bytes() + b'{"key": "abc", "rep')
    assert ReplayChatModel.read(tape).invoke(ASKED, _meta(1)).text == "first"
    recorder.invoke([HumanMessage("again")], _meta(1))
    assert [json.loads(line)["role"] for line in tape.read_text().splitlines()] == ["coder", "coder"]


def test_a_request_that_was_not_recorded_is_refused(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    tape.write_text("")
    with pytest.raises(InputError, match="no reply to this request"):
        ReplayChatModel.read(tape).invoke(ASKED, _meta(1))


@pytest.mark.parametrize("spec", ["", "openai", "openai:", "nonsense:x", "record:file", "scripted:/no/such"])
def test_a_model_that_cannot_be_used_is_refused_with_a_remedy(spec: str) -> None:
    with pytest.raises(InputError) as refused:
        resolve_model(spec, ModelOptions(base_url="http://127.0.0.1:9/v1"))
    assert refused.value.remedy


@pytest.mark.parametrize(
    ("given", "full"),
    [
        ("local:m", "local:{here}/m"),
        ("scripted:~/s.jsonl", "scripted:{home}/s.jsonl"),
        ("record:tape:replay:run", "record:{here}/tape:replay:{here}/run"),
        ("record:tape:vllm:org/name", "record:{here}/tape:vllm:org/name"),
        ("vllm:org/name", "vllm:org/name"),
        ("composer", "composer"),
        ("local:", "local:"),
    ],
)
def test_files_in_a_name_are_full_paths_for_workers_that_are_elsewhere(given: str, full: str) -> None:
    assert with_full_paths(given) == full.format(here=Path.cwd(), home=Path.home())


def test_a_hosted_model_without_a_key_is_refused() -> None:
    with pytest.raises(InputError, match="needs a key"):
        resolve_model("openai:some-model", ModelOptions())
