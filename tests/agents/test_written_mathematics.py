"""Mathematics as people write it, and clauses that say nothing, are respelt as the readers take them, or left alone."""

import pytest

from akgen.agents.requests.asides import without_asides
from akgen.agents.requests.indices import without_indices
from akgen.agents.requests.latex import with_products, without_latex
from akgen.agents.requests.request import Request
from akgen.agents.requests.sentence import ParsedRequest, parse_request
from akgen.knowledge.operators import find_operators


def _plain(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (r"$y = \frac{x}{\sqrt{d}}$", "y = (x / ( sqrt(d)))"),
        (r"$\hat{x} = x / \|x\|_2$", "x_hat = x / ‖x‖_2"),
        (r"$\mathrm{softmax}\left(\frac{q k^\top}{2}\right) v$", "softmax(((q k^T) / 2)) v"),
        (r"$x \in \mathbb{R}^{64 \times 128}$", "x [64, 128]"),
        (r"$\epsilon = 10^{-6}$", "ε = 1e-6"),
        (r"\begin{cases} x & x > 0 \\ 0.1 x & \text{otherwise} \end{cases}", "((x) if x > 0 else (0.1 x))"),
        (r"\unknown x", r"\unknown x"),
        ("5 $ and no mathematics", "5 $ and no mathematics"),
    ],
)
def test_latex_is_written_plainly(written: str, plain: str) -> None:
    assert _plain(without_latex(written)) == plain


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("y_i = x_i * tanh(x_i), x 8x8", "y = x * tanh(x), x 8x8"),
        ("y_ij = x_ij + 1", "y = x + 1"),
        ("y_i = x_i / Σ_j x_j, x [8]", "y = x / sum(x) , x [8]"),
        ("L = 1/N Σ_i (x_i - y_i)^2", "L = mean((x - y)^2)"),
        ("s_ij = <a_i, b_j>", "s[i, j] = (sum_k (a[i, k] * b[j, k]))"),
        ("d_ij = ‖a_i - b_j‖²", "d[i, j] = (sum_k ((a[i, k] - b[j, k])**2))"),
        ("y_ij = x_ij / Σ_k x_ik", "y[i, j] = x[i, j] / sum_k x[i, k]"),
        ("y_i = x_i * s_i, x [8, 4], s [8]", None),  # of rows, or along the last axis
        ("y_i = Σ_j x_i x_j", None),
        ("d = KL(p_t, p_s), p_t = softmax(z_t), p_s = softmax(z_s)", None),  # names
        ("h_t = a_t * h_{t-1} + b_t", None),
        ("o = softmax(q k^T / sqrt(d_k)) v", None),
    ],
)
def test_indices_that_say_nothing_are_dropped_and_others_put_in_brackets(
    written: str, plain: str | None
) -> None:
    assert _plain(without_indices(written)) == (plain or written)


def test_numbers_are_multiplied_without_a_sign() -> None:
    assert _plain(with_products("(1 - β) g + βm")) == "(1 - β) * g + β * m"
    assert with_products("(1) x is [8]") == "(1) x is [8]"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("relu, 7x9 (odd on purpose)", "relu, 7x9"),
        ("relu, the sizes are deliberately not multiples of anything, 7x9", "relu, 7x9"),
        ("sqrt, x in [0, 10], 8x8", "sqrt, 8x8"),
        ("bce, targets 0/1", "bce,"),
        ("tanh，形状是故意取的质数，[7, 9]", "tanh，，[7, 9]"),
        ("clamp, x in [0, 10]", None),
        ("softmax, sizes are odd so skip the last column", None),
        ("softmax (deliberately without the maximum)", None),
        ("relu where x in [0, 1]", None),
    ],
)
def test_clauses_that_say_nothing_are_left_out_and_others_stay(said: str, kept: str | None) -> None:
    def closed(text: str) -> str:
        return _plain(text).replace(",,", ",").replace(", ,", ",").replace(" ,", ",")

    assert closed(without_asides(said)) == (kept if kept is not None else said)


def _heard(said: str) -> ParsedRequest:
    return parse_request(said, Request())


def test_logits_are_no_operator() -> None:
    assert not find_operators("the logits") and find_operators("logit of x")
    assert _heard("binary cross entropy, logits [4, 5], targets [4, 5], fp32").problem is not None


def test_a_definition_behind_its_use_is_no_tensor() -> None:
    heard = _heard("q = round(x / s), s = max|x| / 127 per row, x 8x8 fp32, return q")
    assert heard.request.steps[0].variables == ("x",)


def test_products_without_a_sign_between_calls_are_asked_about() -> None:
    assert _heard("y = sign(x) relu(x), 8x8 fp32").problem is not None


@pytest.mark.parametrize(
    ("said", "pad"),
    [
        ("pad 1 on the left and 2 on the right with 3, 8x8 fp32", {"pad": (1, 2), "value": 3.0}),
        ("reflection pad, 3 px on every side, 1x2x8x8 fp32", {"pad": (3, 3, 3, 3), "mode": "reflect"}),
        ("常数 padding，左 1 右 2，填 -1，8x8 fp32", {"pad": (1, 2), "mode": "constant", "value": -1.0}),
    ],
)
def test_pads_have_sides_units_and_values(said: str, pad: dict[str, object]) -> None:
    assert _heard(said).request.steps[0].attributes == pad
