"""What stands beside an operator's name: its bias, what it is like, what follows it, its equations, its variants."""

import pytest

from akgen.agents.requests.request import Request
from akgen.agents.requests.sentence import parse_request


def steps_of(*turns: str) -> list[str]:
    """Hold a conversation that is understood; return its operators, formulas as they are."""
    request = Request()
    for turn in turns:
        parsed = parse_request(turn, request)
        assert parsed.problem is None, (turn, parsed.problem)
        request = parsed.request
    said = [s.formula or f"{s.operator} {s.attributes or ''}".strip() for s in request.steps]
    return [*said, *map(str, request.shapes[0])]


@pytest.mark.parametrize(
    ("turns", "steps"),
    [
        (["linear + bias + relu. x 64x256, W is 512x256 like nn.Linear"],
         ["linear {'out_features': 512}", "relu", "(64, 256)"]),
        (["causal conv1d, kernel size 4, x is (2, 64, 128), weight [64, 4], bias [64], and silu after it"],
         ["causal_conv1d_given(x=x, weight=weight, bias=bias)", "silu", "(2, 64, 128)", "(64, 4)", "(64,)"]),
        (["adaptive_avg_pool2d output size 1, 8x64x7x7", "flatten the output, start_dim=1"],
         ["adaptive_avg_pool2d {'output_size': 1}", "flatten {'start_dim': 1}", "(8, 64, 7, 7)"]),
        (["linear 256 to 512, then relu, 64x256", "can you swap the relu for silu"],
         ["linear {'out_features': 512}", "silu", "(64, 256)"]),
        (["128x128 取下三角", "对角线也不要"], ["tril {'diagonal': -1}", "(128, 128)"]),
        (["torch.roll", "x [8, 128]，沿最后一维往左移 3 位"], ["roll {'shifts': -3, 'dims': -1}", "(8, 128)"]),
        (["layer norm, 4x77x512", "yes with affine, last dim"],
         ["layer_norm {'elementwise_affine': True}", "(4, 77, 512)"]),
        (["torch.where(mask, x, -inf) then softmax on the last axis, x [2, 32, 32], mask bool same shape"],
         ["torch.where(mask, x, -float('inf'))", "softmax {'dim': -1}", "(2, 32, 32)", "(2, 32, 32)"]),
        (["torch.gather(x, 1, idx) then relu, x 4x8, idx 4x8"],
         ["torch.gather(x, 1, idx)", "relu", "(4, 8)", "(4, 8)"]),
        (["Charbonnier loss: mean of sqrt((x - y)^2 + eps^2), eps = 1e-3, x and y (8, 32)"],
         ["torch.mean(torch.sqrt((x - y) ** 2 + 0.001 ** 2))", "(8, 32)", "(8, 32)"]),
        (["y = RMSNorm(x) * w, 8x64, eps 1e-6"],
         ["torch.nn.functional.rms_norm(x, x.shape[-1:], eps=1e-06) * w", "(64,)", "(8, 64)"]),
        (["dequantize: y = (q - zp) * s, q is int8 64x32, s and zp are float32, one per row (64, 1)"],
         ["(q - zp) * s", "(64, 32)", "(64, 1)", "(64, 1)"]),
        (["s = sigmoid(W2 relu(W1 gap(x))), y = x * s; x is 2x16x8x8, W1 4x16, W2 16x4"],
         ["x * torch.sigmoid(torch.nn.functional.linear(torch.nn.functional.relu(torch.nn.functional.linear("
          "torch.mean(x, (-2, -1)), w1)), w2))[:, :, None, None]", "(2, 16, 8, 8)", "(4, 16)", "(16, 4)"]),
        (["rmsnorm over the last dim, 8x128, no weight", "multiply the output by 2"],
         ["rms_norm {'weighted': False}", "mul", "(8, 128)"]),
        (["Huber: e = abs(x - y), loss = mean(where(e < 1, 0.5 * e^2, e - 0.5)), x and y 64x32"],
         ["torch.mean(torch.where(torch.abs(x - y) < 1, 0.5 * torch.abs(x - y) ** 2, torch.abs(x - y) - 0.5))",
          "(64, 32)", "(64, 32)"]),
        (["h = SiLU(x W1) ⊙ (x W3), y = h W2; x 8x64, W1 and W3 64x128, W2 128x64"],
         ["torch.nn.functional.silu(x @ w1) * (x @ w3) @ w2", "(8, 64)", "(64, 128)", "(64, 128)", "(128, 64)"]),
        (["gelu 4x8", "cast the output to fp16"], ["gelu", "cast {'dtype': 'float16'}", "(4, 8)"]),
        (["exp, then sum over dim 1, then log, 4x8", "drop the log at the end, and make it fp16"],
         ["exp", "sum {'dim': 1}", "(4, 8)"]),
        (["matmul 4x8 and 8x16 then relu", "insert a bias before the relu"],
         ["matmul", "add", "relu", "(4, 8)", "(8, 16)"]),
        (["gelu 4x8", "same thing but divide by 2 first"], ["div", "gelu", "(4, 8)"]),
        (["tanh then softmax over dim 0, 4x8", "swap softmax for log_softmax"],
         ["tanh", "log_softmax {'dim': 0}", "(4, 8)"]),
        (["softmax 4x8", "再加残差，残差是另一个输入，形状一样"], ["softmax", "add", "(4, 8)"]),
        (["min over dim 1, 4x8x16", "subtract that min from x"], ["sub_own_min {'dim': 1}", "(4, 8, 16)"]),
        (["gelu 4x8", "keep only the last 2 rows"], ["gelu", "last_rows {'count': 2}", "(4, 8)"]),
        (["softmax: scores 4x8 times 0.125, then softmax over dim 0"], ["mul", "softmax {'dim': 0}", "(4, 8)"]),
        (["adam step, p g m v all 4x8, step t=10 with bias correction",
          "switch it to adamw, decoupled weight decay 0.01"],
         ["adamw_step {'step': 10, 'weight_decay': 0.01}", "(4, 8)"]),
        (["y = x / (1 + e^(-x)), 4x8"], ["x / (1 + torch.exp(-x))", "(4, 8)"]),
        (["$y = \\frac{1}{1 + e^{-x}}$, 4x8"], ["1 / (1 + torch.exp(-x))", "(4, 8)"]),
        (["GLU: split dim 1 into two halves a|b, return a * sigmoid(b), 4x8x16"],
         ["torch.chunk(x, 2, dim=1)[0] * torch.sigmoid(torch.chunk(x, 2, dim=1)[1])", "(4, 8, 16)"]),
        (["矩阵乘，A 是 128x256，B 是 64x256，算 A @ B.T，再加 bias [64]"],
         ["a @ torch.transpose(b, -1, -2)", "add", "(128, 256)", "(64, 256)"]),
    ],
)  # fmt: skip
def test_it_is_read_for_what_it_says(turns: list[str], steps: list[str]) -> None:
    assert steps_of(*turns) == steps


def test_a_norm_of_a_sum_takes_its_weights_behind_it() -> None:
    request = parse_request("y = LN(x + r), x and r 4x8, gamma and beta of 8").request
    built = request.source.text if request.source is not None else str(request.steps[0].formula)
    assert "torch.nn.functional.layer_norm(x + r, (x + r).shape[-1:], gamma, beta)" in built
    assert request.shapes == (((4, 8), (4, 8), (8,), (8,)),)


def test_capitals_tell_a_norm_from_a_logarithm() -> None:
    assert steps_of("y = ln(x) + x, x positive 4x8")[0] == "torch.log(x) + x"
    asked = parse_request("y = LN(x) + x, x 4x8")
    assert asked.problem is not None and asked.offer is not None
    assert steps_of(asked.offer)[0] == "torch.nn.functional.layer_norm(x, x.shape[-1:]) + x"


def test_a_power_among_words_is_none_of_bits() -> None:
    parsed = parse_request("masked mse: ((x - y)^2 * m).sum() / m.sum(), x y 8x16, m 8x16")
    assert parsed.problem is None and parsed.request.source is not None
    assert "(x - y) ** 2" in parsed.request.source.text


def test_channels_that_come_last_are_asked_about_where_a_layer_has_them_second() -> None:
    assert parse_request("max pool 2x2 on NHWC 2x8x8x16").problem is not None


def test_a_condition_behind_where_is_no_further_step() -> None:
    assert parse_request("mask the output where x > 0, gelu 4x8").problem is not None


def test_a_mask_over_numbers_is_not_their_type() -> None:
    parsed = parse_request("gelu of 4x8 scores with a bool mask")
    assert parsed.problem is not None


@pytest.mark.parametrize(
    "turns",
    [
        ["relu: y = max(0, -x), 8x8"],
        ["mse loss: mean(|a - b|), a and b 8x8"],
        ["x + LN(x), x is 8x64"],  # no LN alone
        ["y[i] = x[3 * n], x 64 elements"],  # no "3 * n"
        ["y = sigmoid(Linear(x)) * x, x 16x32"],
        ["relu then sum over dim 1, 8x16", "same but with gelu first"],  # in front, or in its place
        ["relu then softmax, 8x16", "drop the relu and sigmoid"],
        ["relu then softmax, 8x16", "put the softmax before the relu"],
        ["exp then sum over dim 1, 8x16", "divide x by that sum"],  # which x?
        ["sum over dim 1, 8x16", "divide x by that mean"],
        ["CLIP loss, x and y 32x64, inputs already normalised"],
        ["x and y 8x16, frob(x[:, 0]) * y[:, 1]"],  # no function of that name
    ],
)
def test_what_disagrees_or_is_left_out_is_asked_about(turns: list[str]) -> None:
    request = Request()
    for turn in turns:
        parsed = parse_request(turn, request)
        request = parsed.request
    assert parsed.problem is not None
