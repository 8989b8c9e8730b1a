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
    "不做 softmax 的注意力，1x4x64x32 fp16",
    "square root of x plus 1, 64x64 fp32",
    "rms norm with weight + 1, 64x64 fp32",
    "x - mean(x), 64x64 fp32",
    "exp(x) / sum(exp(x)), 64x64 fp32",
    "x * (1 + scale) + wobble, 64x64 fp32",
    "cummax，只要 values 的一半，沿最后一维，[64, 700] fp32",
    "gelu 64x64 fp32 (x * sigmoid(1.702 * x))",
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
    "gelu, then multiply by the original input, 64x64 fp32": "y * x0",
    "relu then add the input back, 64x64 fp32": "y + x0",
    "x squared plus y squared, 64x64 fp32": "x ** 2 + y ** 2",
    "square root of x, plus 1, 64x64 fp32": "y + 1",
    "exp(x) / sum(exp(x)) along dim 0, 64x64 fp32": "torch.sum(torch.exp(x), dim=0, keepdim=True)",
    "x / norm(x), over everything, 64x64 fp32": "x / torch.linalg.vector_norm(x)",
    "sum(x * y), 64x64 fp32": "torch.sum(x * y, dim=-1)",
    "x * (1 + scale) + shift, x is [4, 8, 16], scale/shift are [4, 1, 16], fp16": "x * (1 + scale) + shift",
    "softmax 最后一维，带温度 0.7（x/0.7），[32, 64] fp32": "x0 / 0.7",
    "argsort, stable, 16x300 int64": "stable_argsort(x0",
    "topk k=5, values only, 64x64 fp32": "topk_values(x0, k=5)",
    "exclusive cumsum along dim 0, 64x64 fp32": "exclusive_cumsum(x0, dim=0)",
    "(silu(x@W1) * (x@W3)) @ W2, x 64x256, W1 and W3 256x512, W2 512x256, fp32": "(x @ w3) @ w2",
    "exp(-(x-mu)^2), mu=0.3, 64x64 fp32": "x - 0.3",
    "C = A·Bᵀ, A is 256x512, B is 384x512, fp16": "a @ torch.transpose(b, -1, -2)",
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


FOLLOWED = [  # a request, a follow-up, and in which order what is built calls its operators; None: it is asked about
    ("gelu then softmax, 64x64 fp32", "relu instead of gelu", ["relu", "softmax"]),
    ("gelu, 64x64 fp32", "not gelu but relu", ["relu"]),
    ("relu, 64x64 fp32", "before that, add 1", ["x0 + 1", "relu"]),
    ("relu，64x64 fp32", "前面加一个 softmax", ["softmax", "relu"]),
    ("softmax, 64x64 fp32", "transposed", None),
    ("s * relu(x), 64x64 fp32", "s = 0.9", ["0.9 *", "relu"]),
]


@pytest.mark.parametrize(("text", "then", "order"), FOLLOWED)
def test_a_follow_up_changes_the_step_that_it_names(text: str, then: str, order: list[str] | None) -> None:
    heard = parse_request(then, parse_request(text).request)
    assert (heard.problem is None) == (order is not None)
    if order is not None:
        written = reference_for(heard.request).partition("def forward")[2]
        places = [written.index(name) for name in order]
        assert places == sorted(places) and "gelu" not in written
