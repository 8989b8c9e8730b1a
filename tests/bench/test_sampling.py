"""One request for n samples against n requests, on a loopback server."""

import pytest

from akgen.agents.models.resolve import ModelOptions
from akgen.bench.resolve import resolve_task
from akgen.bench.sampling import measure
from akgen.knowledge.chip import chip
from akgen.tools.core.outcome import InputError
from tests.loopback import Act, loopback


def test_samples_are_asked_for_once_to_warm_up_once_together_and_then_one_by_one() -> None:
    with loopback("a kernel") as endpoint:
        options = ModelOptions(base_url=endpoint.url)
        found = measure("vllm:m", options, resolve_task("abs_value"), chip("Ascend910B2"), 3)
    assert [body.get("n") for body in endpoint.asked] == [None, 3, None, None, None]
    assert found.together_tokens == found.apart_tokens > 0
    assert found.ratio > 0


def test_a_model_without_room_for_the_prompt_is_told_with_the_remedy() -> None:
    long = Act(status=400, error="This model's maximum context length is 16 tokens.")
    with loopback("never", long) as endpoint, pytest.raises(InputError, match="no sample") as told:
        measure(
            "vllm:m", ModelOptions(base_url=endpoint.url), resolve_task("abs_value"), chip("Ascend910B2"), 3
        )
    assert "--max-len" in told.value.remedy
