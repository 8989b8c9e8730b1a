"""Samples in batches: what `generate` gives, with less work."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from akgen.agents.models.local import Continued, continued_rows

PROMPTS = ([5, 9, 7], [8, 6, 9, 11, 3, 12, 7], [4])
NO_TOKEN = 99  # ends nothing


@pytest.fixture(scope="module")
def model() -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM  # seconds, for those that run these tests only

    torch.manual_seed(3)
    sizes = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2}
    return LlamaForCausalLM(LlamaConfig(vocab_size=40, pad_token_id=0, eos_token_id=1, **sizes)).eval()


@pytest.fixture
def read(model: Any) -> Iterator[list[int]]:
    """Count the tokens that the model reads, call by call."""
    counts: list[int] = []

    def count(_: Any, __: Any, given: dict[str, Any]) -> None:
        counts.append(given["input_ids"].numel())

    hook = model.register_forward_pre_hook(count, with_kwargs=True)
    yield counts
    hook.remove()


@pytest.fixture(scope="module")
def sample(model: Any) -> Callable[..., list[Continued]]:
    def made(
        temperature: float, n: int, end: int = NO_TOKEN, seed: int = 1, most: int = 80
    ) -> list[Continued]:
        how: dict[str, Any] = {"temperature": temperature, "top_p": 0.9, "max_new_tokens": most}
        return continued_rows(model, PROMPTS, n, **how, pad=0, end=end, seed=seed)

    return made


def test_the_likeliest_tokens_are_those_of_each_prompt_by_itself(
    model: Any, sample: Callable[..., list[Continued]]
) -> None:
    alone = [
        model.generate(torch.tensor([p]), do_sample=False, max_new_tokens=80, eos_token_id=None, pad_token_id=0)
        for p in PROMPTS
    ]  # fmt: skip
    expected = [row[0, len(p) :].tolist() for p, row in zip(PROMPTS, alone, strict=True)]
    found = sample(0.0, 2)  # more tokens than a layer has room for at first
    assert [tokens for tokens, _ in found] == [row for row in expected for _ in range(2)]


def test_log_probabilities_are_those_of_a_pass_over_the_whole(
    model: Any, sample: Callable[..., list[Continued]]
) -> None:
    found = sample(1.3, 2)
    assert found[0][0] != found[1][0] and found == sample(1.3, 2) and found != sample(1.3, 2, seed=2)
    for k, (tokens, said) in enumerate(found):
        whole = torch.tensor([[*PROMPTS[k // 2], *tokens]])
        with torch.inference_mode():
            scores = torch.log_softmax(model(whole).logits[0, -len(tokens) - 1 : -1], -1)
        assert said == pytest.approx(scores[range(len(tokens)), tokens].tolist(), abs=1e-4)


def test_a_prompt_is_read_once_and_rows_that_ended_are_not_computed(
    read: list[int], sample: Callable[..., list[Continued]]
) -> None:
    whole = [tokens for tokens, _ in sample(0.0, 3, most=12)]
    assert read == [3 * 7] + [9] * 11  # three prompts, padded to seven tokens; then a token of nine samples
    end = next(t for t in whole[0] if t not in whole[3])
    read.clear()
    found = [tokens for tokens, _ in sample(0.0, 3, end=end, most=12)]
    cut = [row[: row.index(end) + 1] if end in row else row for row in whole]
    assert found == cut and [len(row) for row in cut] != [12] * 9
    assert read[1:] == [sum(len(row) > step for row in cut) for step in range(1, max(map(len, cut)))]
