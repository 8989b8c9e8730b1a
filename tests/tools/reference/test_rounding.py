"""The error bound of a reference follows its operations: views, writes in place, and what is exact or unknown."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from akgen.tools.reference.golden import golden
from akgen.tools.reference.rounding.errors import SPREAD
from akgen.tools.reference.rounding.running import ROUNDOFF, precision

functional = torch.nn.functional


def bound(function: Callable[..., Any], *args: Any, dtype: torch.dtype = torch.float32) -> Any:
    """Return the bound of one output, of a function whose arguments are exact in `dtype`."""

    class Model(torch.nn.Module):
        def forward(self, *values: Any) -> Any:
            return function(*values)

    outputs, bounds = golden(Model(), args, dtype)
    assert outputs is not None and bounds is not None
    return bounds[0]


def numbers(*shape: int, seed: int = 1) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(
    "function",
    [
        torch.relu,
        lambda x: x[2:].T,
        lambda x: torch.cat([x, -x]),
        lambda x: x.sort(-1).values,
        lambda x: functional.max_pool2d(x[None], 2),
    ],
)
def test_what_only_moves_or_picks_elements_is_exact(function: Callable[..., Any]) -> None:
    assert bound(function, numbers(8, 8)) is None


def test_a_sum_grows_with_what_it_adds_up_and_not_with_its_result() -> None:
    x = numbers(4096)
    cancels = torch.cat([x, -x])
    assert bound(torch.sum, cancels) > 0.3 * bound(torch.sum, torch.cat([x, numbers(4096, seed=2)]))


def test_a_view_has_the_errors_of_what_it_shows() -> None:
    def seen(x: torch.Tensor) -> torch.Tensor:
        return x.exp().reshape(4, 16).T[3:9, 1:]

    plain = bound(torch.exp, numbers(64))
    assert torch.equal(bound(seen, numbers(64)), plain.reshape(4, 16).T[3:9, 1:])


@pytest.mark.parametrize("masked", [-1e4, -1e9, -1e30, float("-inf")])
def test_what_a_mask_pushes_far_down_takes_no_bound_from_the_rest(masked: float) -> None:
    """Scores of -1e9 have large errors of their own, of which a weight of zero keeps nothing."""
    scores, values = numbers(12, 12), numbers(12, 5, seed=2)
    keep = torch.ones(12, 12, dtype=torch.bool).tril()
    plain = bound(lambda s, v: torch.where(keep, s, float("-inf")).softmax(-1) @ v, scores, values)
    found = bound(lambda s, v: torch.where(keep, s, masked).softmax(-1) @ v, scores, values)
    assert bool((found > 0).all()) and torch.allclose(found, plain, rtol=1e-3)


def test_sums_of_whole_numbers_are_exact_so_that_one_less_a_mask_is() -> None:
    mask = torch.ones(12, 12).tril()
    for exact in (lambda m: 1 - m, lambda m: torch.rsub(m, 2, alpha=3), lambda m: m - 1, lambda m: 3 + m + m):
        assert bound(exact, mask).max() == 0
    scores, values = numbers(12, 12), numbers(12, 5, seed=2)
    plain = bound(lambda s, v: torch.where(mask > 0, s, -1e9).softmax(-1) @ v, scores, values)
    found = bound(lambda s, v: (s + (1 - mask) * -1e9).softmax(-1) @ v, scores, values)
    assert bool((found < 3 * plain).all())
    assert bound(lambda x: 1 - x, numbers(9)).min() > 0


def test_what_is_written_in_place_is_seen_through_every_view() -> None:
    def written(x: torch.Tensor) -> torch.Tensor:
        y = torch.zeros_like(x)
        y[:, 1] = x[:, 0].exp()
        y.view(-1)[1].mul_(3.0)
        return y

    found = bound(written, numbers(4, 4))
    assert (found[:, 1] > 0).all()
    assert (found[:, [0, 2, 3]] == 0).all()
    assert found[0, 1] / numbers(4, 4)[0, 0].exp() > 2.9 * ROUNDOFF[torch.float32]


def test_what_is_overwritten_is_exact_again() -> None:
    def overwritten(x: torch.Tensor) -> torch.Tensor:
        y = x.exp()
        y[0] = 1.0
        return y

    found = bound(overwritten, numbers(2, 3))
    assert (found[0] == 0).all() and (found[1] > 0).all()


@pytest.mark.parametrize(
    "function", [torch.linalg.inv, torch.linalg.eigvals, lambda x: torch.linalg.inv(x).round()]
)
def test_an_output_of_unknown_operations_has_no_bound(function: Callable[..., Any]) -> None:
    assert bound(function, numbers(8, 8)) is None


def test_composite_operations_are_followed_by_their_steps() -> None:
    x, w = numbers(6, 32), numbers(32, seed=2)

    def by_hand(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        var, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
        return (x - mean) * (var + 1e-5).rsqrt() * w

    whole = bound(lambda x, w: functional.layer_norm(x, (32,), w), x, w)
    assert torch.allclose(whole, bound(by_hand, x, w))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: functional.scaled_dot_product_attention(x[None], x[None], x[None], is_causal=True),
        lambda x: functional.cross_entropy(x, torch.arange(8)),
        lambda x: functional.binary_cross_entropy_with_logits(x, x.sigmoid()),
        lambda x: functional.group_norm(x, 4),
        lambda x: functional.conv1d(x[None], x[:, :3].unsqueeze(1), groups=8),
        lambda x: functional.batch_norm(x, x[0], x[1].abs(), x[2], x[3]),
        lambda x: functional.instance_norm(x[None]),
        lambda x: functional.avg_pool2d(x[None], 2),
        lambda x: functional.huber_loss(x, x.flip(0)),
        lambda x: torch.logcumsumexp(x, -1),
        lambda x: torch.zeros(8, 8, dtype=x.dtype).scatter_add(1, torch.arange(8).expand(8, 8) % 3, x),
        lambda x: x.exp().topk(3).values,
        lambda x: functional.linear(x, x, x[0]),
        lambda x: torch.cdist(x, x.flip(0) * 2),
        lambda x: torch.cdist(x.repeat(4, 1), x.exp()),  # of so many points by a product
        lambda x: torch.cdist(x, x.flip(1), p=1),
        lambda x: torch.cdist(x, x.flip(1), p=3),
        lambda x: torch.cdist(x, x.flip(1), p=float("inf")),
        lambda x: torch.linalg.vector_norm(x.exp(), 3, dim=0),
        lambda x: torch.linalg.vector_norm(x.exp(), -float("inf"), dim=0),
        lambda x: functional.nll_loss(x.log_softmax(-1), torch.arange(8), weight=x[0].abs()),
        lambda x: functional.cross_entropy(x, torch.tensor([0, 1, -100, 3, 4, -100, 6, 7])),
        lambda x: functional.embedding_bag(torch.tensor([0, 3, 3, 5, 7]), x.exp(), torch.tensor([0, 2, 2])),
        lambda x: functional.embedding_bag(torch.tensor([[0, 3], [5, 7]]), x.exp(), mode="max"),
        lambda x: functional.embedding_bag(
            torch.tensor([[0, 3]]), x, mode="sum", per_sample_weights=x[:1, :2]
        ),
        *(
            lambda x, how=how, base=base: x.exp().scatter_reduce(
                1, torch.arange(8).expand(8, 8) % 3, x.sin(), how, include_self=base
            )
            for how in ("amax", "amin", "mean", "sum")
            for base in (True, False)
        ),
        lambda x: x.exp().unsqueeze(0).squeeze_(0).transpose_(0, 1) * 3,
        lambda x: x.sum(1, keepdim=True).max(1, keepdim=True).values,
        lambda x: x * (torch.arange(8) / torch.arange(1, 9)),
    ],
)
@pytest.mark.parametrize("dtype", ROUNDOFF)
def test_the_bound_holds_for_pytorch_itself(function: Callable[..., Any], dtype: torch.dtype) -> None:
    """In float32, or for a finished result that is rounded to half precision."""
    x = numbers(8, 8).to(dtype)
    exact = function(x.double())
    rounded = function(x.float()).to(dtype)
    found = bound(function, x, dtype=dtype)
    assert ((rounded.double() - exact).abs() <= found + 1e-12).all()


def test_the_finest_floating_dtype_decides() -> None:
    half, single, double = (torch.zeros(1, dtype=d) for d in (torch.float16, torch.float32, torch.float64))
    assert precision([[half], None, [half, [single]], torch.zeros(1, dtype=torch.int8)]) == torch.float32
    assert precision([half, half]) == torch.float16
    assert precision([half, double]) is None
    assert precision([torch.zeros(1, dtype=torch.int32)]) is None


def resized(mode: str, *, corners: bool) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda x: functional.interpolate(x, size=(150, 61), mode=mode, align_corners=corners)


def sampled(mode: str, *, corners: bool) -> Callable[[torch.Tensor], torch.Tensor]:
    def sample(x: torch.Tensor) -> torch.Tensor:
        turned = torch.tensor([[[0.866, -0.5, 0.0], [0.5, 0.866, 0.1]]], dtype=x.dtype).expand(len(x), 2, 3)
        grid = functional.affine_grid(turned, list(x.shape), align_corners=corners)
        return functional.grid_sample(x, grid, mode=mode, align_corners=corners)

    return sample


@pytest.mark.parametrize(
    ("function", "other"),
    [
        (make(mode, corners=corners), make(mode, corners=not corners))
        for make, modes in ((resized, ("bilinear", "bicubic")), (sampled, ("bilinear", "bicubic")))
        for mode in modes
        for corners in (False, True)
    ],
)
def test_places_between_pixels_are_bounded_as_they_round(
    function: Callable[..., Any], other: Callable[..., Any]
) -> None:
    x = numbers(2, 3, 96, 80)
    found, exact = bound(function, x), function(x.double())
    off = (function(x).double() - exact).abs()
    assert (off <= found).all() and (off > 1e-7 + 2e-5 * exact.abs()).any()
    assert found.max() < 2e-3 < (other(x).double() - exact).abs().max()


def test_what_jumps_between_pixels_has_no_bound() -> None:
    outputs, bounds = golden(
        torch.nn.Upsample(size=(7, 7), mode="nearest-exact"), (numbers(1, 1, 9, 9),), torch.float32
    )
    assert outputs is not None and (bounds is None or bounds[0] is None)


@pytest.mark.parametrize(
    "layer",
    [
        lambda: torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True),
        lambda: torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 2),
        lambda: torch.nn.MultiheadAttention(16, 2, batch_first=True),
        lambda: torch.nn.LSTM(16, 8, bidirectional=True, batch_first=True),
        lambda: torch.nn.GRU(16, 8, 2, batch_first=True),
    ],
)
def test_a_layer_that_pytorch_runs_as_one_operation_has_a_bound(layer: Callable[[], torch.nn.Module]) -> None:
    """As people write models: in eval mode, without gradients."""
    model, x = layer().eval(), numbers(3, 5, 16)
    with torch.no_grad():
        inputs = (x, x, x) if isinstance(model, torch.nn.MultiheadAttention) else (x,)
        _, bounds = golden(model, inputs, torch.float32)
    assert bounds is not None and bounds[0] is not None
    assert torch.backends.mha.get_fastpath_enabled()


def test_what_nearly_cancels_below_a_root_may_be_off_by_all_of_it() -> None:
    """The slope at a number says too little where its error is as large: a root falls to zero."""
    x = torch.tensor([1.0 + 2**-22, 1.0 + 2**-20, 1.5])
    found = bound(lambda x: (x * x - 1).clamp_min(0).sqrt(), x)
    exact = (x.double() ** 2 - 1).sqrt()
    off = SPREAD * ROUNDOFF[torch.float32]  # of x * x
    lowest = (exact**2 - off).clamp_min(0).sqrt()
    assert bool((exact - lowest <= found).all())


def test_what_an_attribute_in_float32_changes_is_allowed() -> None:
    """A kernel gets 0.999 as a float, which makes another number of one less that."""
    x = numbers(64).abs() + 1

    def averaged(x: torch.Tensor, kept: float) -> torch.Tensor:
        return x * (1 - kept)

    as_float = float(torch.tensor(0.999, dtype=torch.float32))
    off = (averaged(x.double(), 0.999) - averaged(x.double(), as_float)).abs()
    assert bool((off <= bound(averaged, x, 0.999)).all()) and bool(
        (off > 20 * bound(lambda x: x * 0.001, x)).all()
    )
    resized = bound(lambda x, by: functional.interpolate(x[None, None], scale_factor=by), x, 1.3)
    assert resized is None or resized.shape == (1, 1, 83)


def test_a_product_with_factors_of_zero_is_bounded() -> None:
    def overlap(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return y - (x * 1.1 - 0.3).clamp(min=0).prod(1)

    x, y = torch.randn(500, 2, 3), torch.randn(500, 3)
    allowed = bound(overlap, x, y)
    error = (overlap(x, y).double() - overlap(x.double(), y.double())).abs()
    assert bool((error <= allowed).all()) and bool((allowed < 1e-5 * (1 + x.abs().amax(1) ** 2)).all())


@pytest.mark.parametrize("late", [lambda y, kept: y, lambda y, kept: kept.mul_(2.0)], ids=["made", "written"])
def test_after_thousands_of_operations_nothing_is_known_of_what_they_make(late: Callable[..., Any]) -> None:
    def long(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        early, kept, y = x.exp(), x.exp(), x
        for _ in range(4100):
            y = y * 1.0001
        return early[1:], late(y, kept)

    class Model(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> Any:
            return long(x)

    _, bounds = golden(Model(), [numbers(4)], torch.float32)
    assert bounds is not None and bounds[0] is not None and bounds[1] is None


def orthogonal(g: torch.Tensor, dtype: torch.dtype, steps: int = 5) -> torch.Tensor:
    """Take steps of Newton-Schulz, as the optimizer Muon does."""
    x = g.to(dtype)
    x = x / (x.norm() + 1e-7)
    for _ in range(steps):
        a = x @ x.mT
        x = 3.4445 * x + (-4.775 * a + 2.0315 * a @ a) @ x
    return x.to(g.dtype)


@pytest.mark.parametrize("seed", range(3))
def test_a_chain_in_half_precision_by_name_is_bounded_by_what_its_casts_change(seed: int) -> None:
    class Muon(torch.nn.Module):
        def forward(self, p: torch.Tensor, g: torch.Tensor) -> torch.Tensor:
            return p - 0.02 * orthogonal(g, torch.bfloat16)

    p, g = numbers(96, 128, seed=seed) * 0.05, numbers(96, 128, seed=seed + 10)
    outputs, bounds = golden(Muon(), [p, g], torch.float32)
    assert outputs is not None and bounds is not None

    def within(update: torch.Tensor) -> bool:
        return bool((p - 0.02 * update - outputs[0]).abs().le(bounds[0]).all())

    assert within(orthogonal(g, torch.float32)) and within(orthogonal(g.mT.contiguous(), torch.bfloat16).mT)
    assert not within(orthogonal(g, torch.bfloat16, steps=4)) and not within(
        0.5 * orthogonal(g, torch.float32)
    )
