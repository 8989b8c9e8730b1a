"""Whatever a model's server does, a run ends with a stated outcome, within its budget, and nothing paid is lost."""

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from akgen.agents.budget import Budget
from akgen.agents.calls.model_call import CallLimits, Price, Sampling
from akgen.agents.prompts import render
from akgen.agents.prompts.builder import example_project
from akgen.agents.run_config import RunConfig
from akgen.graph.run import begin, make_deps, work_on
from akgen.graph.store.calls import RunCalls
from akgen.graph.store.records import Solution
from akgen.graph.store.run_store import RunStore
from akgen.tools.core.outcome import InfraError, InputError, Outcome
from akgen.tools.core.settings import Settings
from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.twin.toolchain import TwinToolchain
from tests.end_to_end.conftest import PLAN, REFERENCE
from tests.loopback import Act, Body, Loopback, loopback
from tests.sampled import sampled

MEGABYTE = 1 << 20
LONG = json.dumps({"choices": [{"message": {"content": "a" * 10 * MEGABYTE}}]}).encode()
CODE = render("answer", project=example_project())


@pytest.fixture(scope="module")
def judge(twin: TwinToolchain, reference: ReferenceWorker) -> Judge:
    return Judge(twin, reference)


def _reply(body: Body, _number: int) -> str:
    plans = body["messages"][0]["content"].startswith("You plan")
    return json.dumps(PLAN) if plans else CODE


def _task(folder: Path, dtype: str = "float32", formula: str = "x + 1") -> Task:
    module = folder / "add_one.py"
    module.write_text(REFERENCE.replace("return x + 1", f"return {formula}"))
    return Task(
        name="add_one",
        suite="file",
        op_type="AddOne",
        kernel="add_one",
        reference=Reference(loader="akgen.tools.reference.module_loader", path=module),
        cases=(Case(id="even", params={"shape": [4, 64], "dtype": dtype}),),
    )


def _run(
    endpoint: Loopback,
    judge: Judge,
    folder: Path,
    timeout_s: float = 20.0,
    tries: int = 2,
    task: Task | None = None,
    **config: Any,
) -> Solution:
    """Solve the task, or go on with the run that `folder` holds."""
    run = folder / "run"
    asked: dict[str, Any] = {"budget": Budget(attempts=2), **config}
    wanted = RunConfig(command="solve", model="openai:m", base_url=endpoint.url, seed=1, **asked)
    begun = (run / "run.json").is_file()
    store = RunStore.open(run) if begun else begin(run, wanted, judge.toolchain)
    settings = Settings(
        cache=folder,
        path="",
        model_tries=tries,
        model_timeout_s=timeout_s,
        model_wait_s=0.01,
    )
    return work_on(task or _task(folder), make_deps(store, wanted, settings, judge))


def _codes(solution: Solution) -> set[str]:
    return {d.code for d in solution.verdict.diagnostics}


@pytest.mark.parametrize(
    "act",
    sampled(
        [
            Act(status=429, headers={"Retry-After": "0"}),
            Act(status=429),
            Act(status=500),
            Act(cut_after=1),
            Act(raw=b"<html>bad gateway</html>"),
            Act(raw=b'{"choices": "none"}'),
            Act(raw=b"[1, 2]"),
            Act(raw=b""),
        ],
        3,
    ),
    ids=["429 retry-after", "429", "500", "cut", "html", "no choices", "a list", "nothing"],
)
def test_what_passes_is_waited_out(act: Act, judge: Judge, tmp_path: Path) -> None:
    with loopback(_reply, act, Act()) as endpoint:
        solution = _run(endpoint, judge, tmp_path)
    assert solution.outcome is Outcome.CORRECT
    assert len(endpoint.asked) == 3  # the plan twice, the code once


@pytest.mark.parametrize(
    ("act", "error", "words"),
    [
        (Act(status=429, headers={"Retry-After": "3600"}), InfraError, "asks to wait 3600 s"),
        (
            Act(status=429, headers={"Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"}),
            InfraError,
            "asks to wait",
        ),
        (Act(status=429), InfraError, "failed 2 times"),
        (Act(status=500, error="out of memory"), InfraError, "failed 2 times.*out of memory"),
        (Act(cut_after=1), InfraError, "failed 2 times.*ended before its end"),
        (Act(raw=b"{not json"), InfraError, "failed 2 times.*not JSON"),
        (Act(status=404, error="The model `m` does not exist."), InputError, "does not exist"),
        (Act(status=401, error="The key has expired."), InfraError, "refuses the key.*expired"),
        (Act(status=400, error="tools are not enabled"), InfraError, "refuses the request"),
    ],
    ids=[
        "long wait",
        "wait until a date",
        "429",
        "500",
        "cut",
        "json",
        "wrong name",
        "expired key",
        "too long",
    ],
)
def test_what_stays_ends_the_run_with_a_sentence_and_is_on_record(
    act: Act, error: type[InfraError | InputError], words: str, judge: Judge, tmp_path: Path
) -> None:
    with loopback(_reply, act) as endpoint, pytest.raises(error, match=words) as ended:
        _run(endpoint, judge, tmp_path)
    assert ended.value.remedy
    (line,) = (tmp_path / "run" / "calls.jsonl").read_text().splitlines()
    assert json.loads(line)["failed"] == ended.value.text


SLOW = ("hold", "head", "notes", "trickle")  # nothing; or headers, interim answers or a body without end


@pytest.mark.parametrize("stage", SLOW)
def test_a_hang_and_a_trickle_end_the_run_too(stage: str, judge: Judge, tmp_path: Path) -> None:
    never = threading.Event()
    act = Act(**{stage: never})  # type: ignore[arg-type]
    with loopback(_reply, act) as endpoint, pytest.raises(InfraError, match=r"failed 2 times.*within"):
        _run(endpoint, judge, tmp_path, timeout_s=0.3)
    assert len(endpoint.asked) == 2
    never.set()


@pytest.mark.parametrize("stage", SLOW)
def test_a_budget_of_seconds_stops_a_hang_in_good_order(stage: str, judge: Judge, tmp_path: Path) -> None:
    act = Act(**{stage: threading.Event()})  # type: ignore[arg-type]
    with loopback(_reply, act) as endpoint:
        solution = _run(endpoint, judge, tmp_path, tries=9, budget=Budget(attempts=3, wall_s=0.5))
    assert solution.outcome is Outcome.BUDGET
    assert _codes(solution) == {"BUDGET_EXHAUSTED"}
    for event in (act.hold, act.head, act.notes, act.trickle):
        if event is not None:
            event.set()


@pytest.mark.parametrize(
    ("act", "said", "code"),
    [
        (Act(), "", "REPLY_EMPTY"),
        (Act(message={"refusal": "I will not."}), "", "REPLY_REFUSED"),
        (Act(finish="content_filter"), "", "REPLY_REFUSED"),
        (Act(), "Sorry, I cannot help with that.", "NO_CODE"),
        (Act(finish="length"), CODE[: len(CODE) // 2], "REPLY_CUT"),
        (Act(), "a" * (10 * MEGABYTE), "REPLY_TOO_LARGE"),
        (
            Act(raw=json.dumps({"choices": [{"message": {"content": "a" * 10 * MEGABYTE}}]}).encode()),
            "",
            "REPLY_TOO_LARGE",
        ),
    ],
    ids=["empty", "refusal", "filter", "prose", "cut", "10 MB streamed", "10 MB whole"],
)
def test_a_reply_without_use_is_an_attempt_with_its_own_code(
    act: Act, said: str, code: str, judge: Judge, tmp_path: Path
) -> None:
    with loopback(said, act) as endpoint:
        solution = _run(
            endpoint,
            judge,
            tmp_path,
            planner="composer",
            budget=Budget(attempts=1),
            sampling=Sampling(max_tokens=500),
        )
    assert solution.outcome is Outcome.NO_CODE
    assert _codes(solution) == {code}


def test_a_prompt_that_is_too_long_is_shortened_until_it_fits(judge: Judge, tmp_path: Path) -> None:
    long = Act(status=400, error="This model's maximum context length is 4096 tokens.")
    with loopback(CODE, long, long, Act()) as endpoint:
        solution = _run(endpoint, judge, tmp_path, planner="composer", budget=Budget(attempts=1))
    assert solution.outcome is Outcome.CORRECT
    lengths = [len(body["messages"][-1]["content"]) for body in endpoint.asked]
    assert len(lengths) == 3 and lengths == sorted(lengths, reverse=True) and lengths[-1] < lengths[0]


def test_a_prompt_that_never_fits_is_an_attempt_with_its_own_code(judge: Judge, tmp_path: Path) -> None:
    long = Act(status=400, error="This model's maximum context length is 16 tokens.")
    with loopback(CODE, long) as endpoint:
        solution = _run(endpoint, judge, tmp_path, planner="composer", budget=Budget(attempts=1))
    assert (solution.outcome, _codes(solution)) == (Outcome.NO_CODE, {"PROMPT_TOO_LONG"})


def test_a_reply_longer_than_the_model_allows_is_asked_for_without_a_limit(
    judge: Judge, tmp_path: Path
) -> None:
    refused = Act(
        status=400, error="'max_tokens' is too large: 16384. This model's maximum context length is 8192."
    )
    with loopback(CODE, refused, Act()) as endpoint:
        solution = _run(endpoint, judge, tmp_path, planner="composer", budget=Budget(attempts=1))
    assert solution.outcome is Outcome.CORRECT
    assert ["max_tokens" in body for body in endpoint.asked] == [True, False]


def test_nothing_is_lost_when_the_server_goes_and_comes_back(judge: Judge, tmp_path: Path) -> None:
    with (
        loopback(_reply, Act(), Act(status=503)) as endpoint,
        pytest.raises(InfraError, match="akgen resume"),
    ):
        _run(endpoint, judge, tmp_path)
    with loopback(_reply) as endpoint:
        solution = _run(endpoint, judge, tmp_path)
    assert solution.outcome is Outcome.CORRECT
    assert len(endpoint.asked) == 1  # the plan was there already


def test_tokens_and_money_of_a_run_are_those_of_its_calls(judge: Judge, tmp_path: Path) -> None:
    with loopback(_reply, Act(), Act(finish="length"), Act()) as endpoint:
        solution = _run(endpoint, judge, tmp_path, samples=3, price=Price(input=1.0, output=4.0))
    spent = [candidate.spent for candidate in solution.candidates]
    total = RunCalls(tmp_path / "run").total()
    assert sum(s.tokens for s in spent) == total.input_tokens + total.output_tokens > 0
    assert sum(s.output_tokens for s in spent) == total.output_tokens
    assert sum(s.cost for s in spent) == pytest.approx(total.cost)
    assert (
        sum(len(body["messages"]) > 0 for body in endpoint.asked) == 4
    )  # three plans at once, three projects


def test_samples_that_follow_the_composers_plan_share_one_request_and_its_cost(
    judge: Judge, tmp_path: Path
) -> None:
    task = _task(tmp_path, "float16", "torch.sigmoid(x) * x + 1")  # may be rounded in two ways
    with loopback(_reply) as endpoint:
        solution = _run(
            endpoint, judge, tmp_path, task=task, samples=4, planner="composer", budget=Budget(attempts=1)
        )
    assert [body["n"] for body in endpoint.asked] == [4]
    total = RunCalls(tmp_path / "run").total()
    assert sum(c.spent.tokens for c in solution.candidates) == total.input_tokens + total.output_tokens


def test_a_sample_whose_plan_is_replaced_pays_for_its_own_project_only(judge: Judge, tmp_path: Path) -> None:
    def one_plan(body: Body, number: int) -> str:
        plans = body["messages"][0]["content"].startswith("You plan")
        return CODE if not plans else json.dumps(PLAN) if body.get("n") and number == 1 else "I cannot."

    with loopback(one_plan) as endpoint:
        solution = _run(endpoint, judge, tmp_path, samples=3, budget=Budget(attempts=1))
    total = RunCalls(tmp_path / "run").total()
    assert sum(c.spent.tokens for c in solution.candidates) == total.input_tokens + total.output_tokens > 0
    projects = [body for body in endpoint.asked if not body["messages"][0]["content"].startswith("You plan")]
    assert [body.get("n") for body in projects] == [None] * 3


def test_a_limit_of_the_run_ends_its_samples_in_good_order(judge: Judge, tmp_path: Path) -> None:
    with loopback(_reply) as endpoint:
        solution = _run(endpoint, judge, tmp_path, samples=3, limits=CallLimits(tokens=10))
    assert [c.outcome for c in solution.candidates] == [Outcome.BUDGET] * 3
    assert len(endpoint.asked) == 1


def test_a_run_without_its_checkpoints_pays_for_nothing_again(judge: Judge, tmp_path: Path) -> None:
    place = tmp_path / "run" / "tasks" / "add_one"
    with loopback(_reply, Act(), Act(status=401), Act()) as endpoint:
        with pytest.raises(InfraError):
            _run(endpoint, judge, tmp_path)
        planned = sorted(path.name for path in (place / "sample-0" / "effects").iterdir())
        (place / "checkpoints.sqlite").unlink()
        shutil.rmtree(tmp_path / "run" / "calls")
        (tmp_path / "run" / "calls.jsonl").unlink()
        asked = len(endpoint.asked)
        solution = _run(endpoint, judge, tmp_path)
        assert len(endpoint.asked) == asked + 1  # the code; the plan was an effect on disk
    assert solution.outcome is Outcome.CORRECT
    assert [name.split("-")[0] for name in planned] == ["plan"]
    assert not (place / "sample-0" / "effects").exists()  # attempts.json says what they said
