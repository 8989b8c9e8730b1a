"""What would be built is compared with the words: pairs of requests that differ in a word that changes the answer."""

import pytest

from akgen.agents.requests.needs import missing
from akgen.agents.requests.sentence import parse_request
from akgen.agents.requests.task import reference_for

ASKED = [
    "softmax with temperature 2 and mask, 64x64 fp32",
    "sum of x except its diagonal, 64x64 fp32",
    "multiply x by itself, 64x64 fp32",
    "sum of relu(x) and y, 64x64 fp32",
    "the sum of relu and gelu of x, 64x64 fp32",
    "relu on the positive values only, 64x64 fp32",
    "cross entropy ignoring class 3, 64x10 fp32",
    "softmax excluding the first column, 64x64 fp32",
    "对 64x64 做 softmax，忽略第一列，fp32",
    "64x64 fp32 的 softmax，带掩码",
    "gelu 64x64 fp32, but not for negative values",
]
BUILT = {
    "softmax with temperature 2, 64x64 fp32": "x0 / 2",
    "sum of x, 64x64 fp32": "torch.sum(x0, -1)",
    "divide 1 by x, 64x64 fp32": "1 / x",
    "divide x by 1, 64x64 fp32": "x0 / 1",
    "subtract x from 3, 64x64 fp32": "3 - x",
    "subtract 3 from x, 64x64 fp32": "x0 - 3",
    "inverse of sigmoid, 64x64 fp32": "torch.logit(x0",
    "relu, only fp32, 64x64": "relu(x0)",
    "relu, use only 20 cores, 64x64 fp32": "relu(x0)",
    "logical and of two bool masks 64x64": "torch.logical_and(x0, x1)",
    "log base 2 of x, 512, fp32": "torch.log2(x0)",
    "multiply by 2/π, 3333, fp32": "x0 * 0.63662",
    "2**16 elements of relu in fp32": "relu(x0)",
    "交叉熵损失，batch 64，1000类，fp32": "cross_entropy(x0, x1)",
}


@pytest.mark.parametrize("text", ASKED)
def test_a_word_of_which_nothing_would_be_built_is_asked_about(text: str) -> None:
    assert parse_request(text).problem is not None


@pytest.mark.parametrize("text", BUILT)
def test_a_number_or_word_that_is_found_in_what_is_built_is_not(text: str) -> None:
    parsed = parse_request(text)
    assert parsed.problem is None and not missing(parsed.request)
    assert BUILT[text] in reference_for(parsed.request)
