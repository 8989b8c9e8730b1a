"""Requests are sent once for all samples that ask the same; what they cost is divided and adds up; limits hold."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akgen.agents.budget import Budget
from akgen.agents.calls.context import CallContext, use_context
from akgen.agents.calls.conversation import Answer, Conversation
from akgen.agents.calls.model_call import CallLimits, Price, Sampling, Usage, shares
from akgen.agents.calls.retry import RetryPolicy
from akgen.agents.models.resolve import ModelOptions, resolve_model
from akgen.graph.store.calls import RunCalls
from tests.loopback import Act, Body, Loopback, loopback

Make = Callable[..., Conversation]


def _numbered(body: Body, number: int) -> str:
    return f"candidate {number} " + "more " * number


def _talk(endpoint: Loopback, run: Path | None = None, **options: Any) -> Conversation:
    spec = options.pop("spec", "vllm:m")
    model = resolve_model(spec, ModelOptions(base_url=endpoint.url))
    calls = RunCalls(run) if run is not None else None
    return Conversation(
        model, spec, endpoint.url, 7, RetryPolicy(tries=2), lambda _: None, calls=calls, **options
    )


def _ask(talk: Conversation, sample: int, **more: Any) -> Answer:
    return talk.ask("s", "u", role="coder", attempt=1, sample=sample, shared=True, **more)


def test_one_request_answers_every_sample_that_asks_the_same(tmp_path: Path) -> None:
    with loopback(_numbered) as endpoint:
        talk = _talk(endpoint, tmp_path, samples=4)
        texts = [_ask(talk, sample).text for sample in (2, 0, 1, 3)]
    assert len(endpoint.asked) == 1 and endpoint.asked[0]["n"] == 4
    assert [t.split()[1] for t in texts] == ["2", "0", "1", "3"]


def test_samples_side_by_side_send_it_once(tmp_path: Path) -> None:
    hold = threading.Event()
    texts: dict[int, str] = {}
    with loopback(_numbered, Act(hold=hold)) as endpoint:
        talk = _talk(endpoint, tmp_path, samples=4)
        threads = [
            threading.Thread(target=lambda n=n: texts.setdefault(n, _ask(talk, n).text)) for n in range(4)
        ]
        for thread in threads:
            thread.start()
        hold.set()
        for thread in threads:
            thread.join()
    assert len(endpoint.asked) == 1
    assert {n: t.split()[1] for n, t in texts.items()} == {n: str(n) for n in range(4)}


def test_a_server_that_gives_fewer_answers_is_asked_for_the_rest(tmp_path: Path) -> None:
    def one(body: Body, number: int) -> str:
        return "only"

    with loopback(one, Act(status=400, error="n must be 1"), Act()) as endpoint:
        talk = _talk(endpoint, tmp_path, samples=3)
        assert [_ask(talk, sample).text for sample in range(3)] == ["only"] * 3
    assert [body.get("n") for body in endpoint.asked] == [3, None, None, None]
    assert len({body["seed"] for body in endpoint.asked[1:]}) == 3


def test_what_a_request_cost_is_divided_among_its_samples_and_adds_up(tmp_path: Path) -> None:
    with loopback(_numbered) as endpoint:
        talk = _talk(endpoint, tmp_path, samples=4, price=Price(input=2.0, output=10.0))
        usages = [_ask(talk, sample).usage for sample in range(4)]
    total = RunCalls(tmp_path).total()
    assert sum(u.input_tokens for u in usages) == total.input_tokens == 2  # "s u"
    assert sum(u.output_tokens for u in usages) == total.output_tokens
    assert usages[3].output_tokens > usages[0].output_tokens
    assert sum(u.cost for u in usages) == pytest.approx(total.cost)
    assert total.cost == pytest.approx((2 * total.input_tokens + 10 * total.output_tokens) / 1e6)


@given(st.integers(0, 10**6), st.lists(st.integers(0, 1000), min_size=1, max_size=12))
def test_shares_add_up_to_the_whole(whole: int, weights: list[int]) -> None:
    parts = shares(whole, weights)
    assert sum(parts) == whole and all(part >= 0 for part in parts)


def test_what_was_answered_is_not_asked_again_by_the_next_process(tmp_path: Path) -> None:
    with loopback(_numbered) as endpoint:
        first = [_ask(_talk(endpoint, tmp_path, samples=2), sample) for sample in range(2)]
        again = [_ask(_talk(endpoint, tmp_path, samples=2), sample) for sample in range(2)]
    assert len(endpoint.asked) == 1
    assert again == first


def test_token_ids_and_parameters_are_in_the_run_store(tmp_path: Path) -> None:
    with loopback(_numbered) as endpoint:
        _ask(_talk(endpoint, tmp_path, samples=2), 0)
    (path,) = (tmp_path / "calls").glob("*.json")
    call = json.loads(path.read_text())
    assert [len(r["token_ids"]) == len(r["logprobs"]) > 1 for r in call["replies"]] == [True, True]
    assert call["parameters"] == {"temperature": 0.7, "top_p": 0.9, "max_tokens": 16384, "seed": 8, "n": 2}
    (line,) = map(json.loads, (tmp_path / "calls.jsonl").read_text().splitlines())
    assert line["prompt_sha256"] == call["prompt_sha256"] and len(line["prompt_sha256"]) == 64
    assert line["samples"] == [0, 1] and line["seconds"] > 0 and line["tries"] == 1


def test_a_call_whose_line_a_crash_took_is_counted_all_the_same(tmp_path: Path) -> None:
    with loopback(_numbered) as endpoint:
        _ask(_talk(endpoint, tmp_path, samples=2), 0)
    whole = RunCalls(tmp_path).total()
    (tmp_path / "calls.jsonl").write_text("")
    assert RunCalls(tmp_path).total() == whole != Usage()


def test_a_failed_request_leaves_its_line(tmp_path: Path) -> None:
    with loopback("x", Act(status=401)) as endpoint, pytest.raises(Exception, match="refuses the key"):
        _ask(_talk(endpoint, tmp_path), 0)
    (line,) = map(json.loads, (tmp_path / "calls.jsonl").read_text().splitlines())
    assert "refuses the key" in line["failed"] and line["file"] is None


@pytest.mark.parametrize("limits", [CallLimits(tokens=3), CallLimits(cost=1e-6), CallLimits(seconds=1e-9)])
def test_a_runs_limit_ends_what_comes_after_it(tmp_path: Path, limits: CallLimits) -> None:
    with loopback(_numbered) as endpoint:
        talk = _talk(endpoint, tmp_path, limits=limits, price=Price(input=1.0, output=1.0))
        first = talk.ask("s", "one", role="coder", attempt=1, sample=0)
        second = talk.ask("s", "two", role="coder", attempt=1, sample=0)
    assert (first.ended, second.ended) == ("stop", "budget")
    assert len(endpoint.asked) == 1
    assert str(next(v for v in limits.model_dump().values() if v is not None))[:1] in second.text


def test_each_attempt_has_its_own_temperature(tmp_path: Path) -> None:
    with loopback(_numbered) as endpoint:
        talk = _talk(endpoint, tmp_path, sampling=Sampling(temperature=(0.2, 0.9), top_p=(0.5,)))
        for attempt in (1, 2, 3):
            talk.ask("s", "u", role="coder", attempt=attempt, sample=0)
    assert [(body["temperature"], body["top_p"]) for body in endpoint.asked] == [
        (0.2, 0.5),
        (0.9, 0.5),
        (0.9, 0.5),
    ]


def test_a_reply_may_have_no_more_tokens_than_are_left(tmp_path: Path) -> None:
    with loopback(_numbered) as endpoint, use_context(CallContext(left=Budget(tokens=300))):
        _ask(_talk(endpoint, tmp_path), 0)
    assert endpoint.asked[0]["max_tokens"] == 300


def test_time_that_runs_out_in_the_middle_of_an_answer_ends_the_attempt(tmp_path: Path) -> None:
    never = threading.Event()
    with (
        loopback(_numbered, Act(trickle=never)) as endpoint,
        use_context(CallContext(left=Budget(wall_s=0.3))),
    ):
        answer = _ask(_talk(endpoint, tmp_path), 0)
        never.set()
    assert answer.ended == "budget" and "time" in answer.text


def test_a_prompt_is_found_again_although_other_seconds_are_left(tmp_path: Path) -> None:
    with loopback(_numbered) as endpoint:
        talk = _talk(endpoint, tmp_path)
        for left in ("12 seconds left", "7 seconds left"):
            talk.ask("s", f"write\n{left}", role="coder", attempt=1, sample=0, aside=left)
    assert len(endpoint.asked) == 1
