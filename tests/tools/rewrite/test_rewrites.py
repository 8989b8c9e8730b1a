"""Changes of structure, as text: what a loop over elements, pieces or rows becomes, and what is left with a reason."""

import pytest

from akgen.tools.rewrite.all_rewrites import rewrites

KERNEL = """
class Kernel {{
public:
    __aicore__ inline void Init(GM_ADDR x)
    {{
        pipe.InitBuffer(inQueue, 2, tile * sizeof(float));
        pipe.InitBuffer(outQueue, 2, tile * sizeof(float));
    }}
    __aicore__ inline void Compute(uint32_t row, uint32_t n, float scale)
    {{
        LocalTensor<float> x = inQueue.DeQue<float>();
        LocalTensor<float> z = inQueue.DeQue<float>();
        LocalTensor<half> narrow = inQueue.DeQue<half>();
        LocalTensor<float> y = outQueue.AllocTensor<float>();
        {loop}
    }}
    TPipe pipe;
    TQue<TPosition::VECIN, 2> inQueue;
    TQue<TPosition::VECOUT, 2> outQueue;
}};
"""


def _found(loop: str) -> list[str]:
    """Return what stands in the loop's place, in each offer."""
    before = KERNEL.format(loop=loop)
    head, tail = before.split(loop)
    sources = [r.source for r in rewrites(before) if r.source is not None]
    ends = [
        source[source.index("AllocTensor<float>();") + 21 :].split("\n    }\n    TPipe")[0]
        for source in sources
    ]
    assert head and tail
    return [" ".join(end.split()) for end in ends]


@pytest.mark.parametrize(
    ("loop", "wanted"),
    [
        (
            "for (uint32_t i = 0; i < n; ++i) { y.SetValue(i, x.GetValue(i) * scale + z.GetValue(i)); }",
            ["Muls(", "Add(y, ", ", z, n)"],
        ),
        (
            "for (int i = 0; i < n; i++) { float v = x.GetValue(i); y.SetValue(i, v > 0.0f ? v : 0.0f); }",
            ["Maxs(y, x, static_cast<float>(0.0f), n)"],
        ),
        (
            "for (int i = 0; i < n; i++) y.SetValue(i, 1.0f / x.GetValue(i));",
            ["Duplicate(", "static_cast<float>(1.0f), n)", "Div(y, ", ", x, n)"],
        ),
        (
            "for (int i = 0; i < n; i++) y.SetValue(i, static_cast<float>(narrow.GetValue(i)));",
            ["Cast(y, narrow, RoundMode::CAST_NONE, n)"],
        ),
        (
            "for (int i = 0; i < n; ++i) { y.SetValue(row * n + i, scale - x.GetValue(row * n + i)); }",
            ["Muls(y[row * n], x[row * n], static_cast<float>(-1), n)", "Adds(y[row * n], y[row * n], "],
        ),
        (
            "float sum = 0; for (int i = 0; i < n; ++i) { sum += x.GetValue(i) * x.GetValue(i); }",
            [
                "Mul(scratchFloat0, x, x, n)",
                "ReduceSum(foldedValue, scratchFloat0, scratchFloat9, n)",
                "sum = sum + ",
            ],
        ),
        (
            "float m = -1e30f; for (int i = 0; i < n; ++i) { if (x.GetValue(i) > m) m = x.GetValue(i); }",
            ["ReduceMax(foldedValue, x, scratchFloat9, n)"],
        ),
        (
            "for (uint32_t i = 0; i < n; i += 64) { Exp(y[i], x[i], 64); Adds(y[row + i], y[row + i], 1.0f, 64); }",
            ["Exp(y, x, n);", "Adds(y[row], y[row], 1.0f, n);"],
        ),
        (
            "for (uint32_t k = 0; k < 4; k++) { Mul(y[k * tile], x[k * tile], z[k * tile], tile); }",
            ["Mul(y, x, z, (4) * tile);"],
        ),
        (
            "for (uint32_t r = 0; r < n; r++) { DataCopy(x[r * tile], xGm[row + r * tile], tile); }",
            ["DataCopy(x, xGm[row], (n) * (tile));"],
        ),
    ],
)
def test_a_loop_becomes_instructions_on_all_of_it(loop: str, wanted: list[str]) -> None:
    found = _found(loop)
    assert any(all(part in offer for part in wanted) for offer in found), found


@pytest.mark.parametrize(
    "loop",
    [
        "for (int i = 1; i < n; ++i) { y.SetValue(i, y.GetValue(i - 1) + x.GetValue(i)); }",  # a scan
        "for (int i = 0; i < n; ++i) { y.SetValue(i, x.GetValue(n - i)); }",  # backwards
        "for (int i = 0; i < n; ++i) { y.SetValue(i, x.GetValue(i) * i); }",  # the number itself
        "for (int i = 0; i < n; ++i) { y.SetValue(i, narrow.GetValue(i) + x.GetValue(i)); }",  # two types
        "for (int i = 0; i < n; ++i) { if (x.GetValue(i) > 0) break; }",
        "for (int i = 0; i < n; i += 2) { y.SetValue(i, x.GetValue(i)); }",
    ],
)
def test_what_instructions_cannot_say_is_left_with_a_reason(loop: str) -> None:
    assert _found(loop) == []
    assert [r.problem for r in rewrites(KERNEL.format(loop=loop)) if r.problem]


def test_text_that_is_no_kernel_offers_nothing() -> None:
    assert list(rewrites("")) == []
    assert not [r for r in rewrites("class { for (;;) { SetValue( }") if r.source]
