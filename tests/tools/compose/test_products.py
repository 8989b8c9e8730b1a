"""Matrix products composed: the interpreted program computes what PyTorch computes."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F

from akgen.tools.compose.front.aten import import_graph
from akgen.tools.compose.front.trace import trace
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl import lower
from akgen.tools.dsl.ir import Multiply, Store, SyncAll, walk
from tests.tools.compose.composing import Fn, Function, Loaded, assert_right, composed, normal

H, B = torch.float16, torch.bfloat16


def attention(q: Any, k: Any, v: Any) -> Any:
    return torch.softmax(q @ k.transpose(-1, -2) / 8, -1) @ v


def heads(x: Any, wq: Any, wk: Any, wv: Any) -> Any:
    q, k, v = ((x @ w).view(2, 7, 4, 8).transpose(1, 2) for w in (wq, wk, wv))
    return torch.softmax(q @ k.transpose(-1, -2), -1) @ v


def int8(*shape: int) -> torch.Tensor:
    return torch.randint(-128, 128, shape, dtype=torch.int8, generator=torch.Generator().manual_seed(1))


X, W, V = normal(3, 8, 16), normal(20, 16), normal(20)
Q, K = normal(2, 3, 8, 64), normal(2, 3, 9, 64, seed=1)
LAYERS = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 8))
CASES: dict[str, tuple[Fn, tuple[tuple[Any, ...], ...]]] = {
    "mm": (torch.mm, ((normal(8, 16), normal(16, 24)), (normal(130, 70), normal(70, 300)))),
    "one row": (torch.mm, ((normal(1, 16), normal(16, 24)), (normal(1, 70), normal(70, 300)))),
    "one column": (torch.mm, ((normal(9, 16), normal(16, 1)),)),
    "depth of one": (torch.mm, ((normal(9, 1), normal(1, 5)),)),
    "bmm": (torch.bmm, ((normal(3, 8, 16), normal(3, 16, 24)), (normal(2, 130, 70), normal(2, 70, 300)))),
    "transposed operands": (lambda x, w: x.T @ w.T, ((normal(16, 8), normal(24, 16)),)),
    "transposed result": (lambda x, w: (x @ w).T, ((normal(8, 16), normal(16, 24)),)),
    "slices of tensors": (lambda x, w: x[:, 4:12] @ w[:8], ((normal(6, 16), normal(16, 6)),)),
    "batches that broadcast": (torch.matmul, ((normal(2, 1, 4, 5), normal(3, 5, 6)),)),
    "einsum": (lambda x, y: torch.einsum("bihd,bjhd->bhij", x, y), ((normal(2, 4, 3, 6), normal(2, 5, 3, 6)),)),
    "a vector": (torch.mv, ((normal(16, 30), normal(30)),)),
    "linear": (F.linear, ((X, W, V), (normal(2, 13, 7), normal(3, 7), normal(3)))),
    "addmm": (lambda v, x, w: torch.addmm(v, x, w, beta=0.5, alpha=2.0), ((normal(6), normal(4, 5), normal(5, 6)),)),
    "linear and gelu": (lambda x, w, v: F.gelu(F.linear(x, w, v)), ((X, W, V),)),
    "half": (lambda x, w, v: F.gelu(F.linear(x, w, v)), ((X.to(H), W.to(H), V.to(H)),)),
    "what is computed": (lambda x, w: torch.relu(x) @ w, ((normal(8, 16, dtype=B), normal(16, 24, dtype=B)),)),
    "a factor in memory": (
        lambda x, w, s: (s[1] * x.float()) @ w.float(), ((normal(8, 16, dtype=H), normal(16, 24, dtype=H), normal(3)),)
    ),
    "two dtypes": (lambda x, w: x.float() @ w, ((normal(8, 16, dtype=H), normal(16, 24)),)),
    "a row softmax": (lambda x, w: torch.softmax(x @ w, -1), ((normal(8, 16), normal(16, 24)),)),
    "a residual": (lambda x, w: x @ w + x, ((normal(8, 16), normal(16, 16)),)),
    "a product of a product": (lambda x, w: (x @ w).T @ w, ((normal(16, 16), normal(16, 16)),)),
    "two outputs": (lambda x, w: (x @ w, torch.relu(x)), ((normal(16, 16), normal(16, 16)),)),
    "two layers": (LAYERS, ((normal(5, 16),),)),
    "attention": (attention, ((Q, K, K),)),
    "attention of halves": (F.scaled_dot_product_attention, ((Q.to(H), K.to(H), K.to(H)),)),
    "causal attention": (lambda q: F.scaled_dot_product_attention(q, q, q, is_causal=True), ((Q,),)),
    "dtypes by batch": (
        attention,
        tuple(
            (normal(b, 8, 64, dtype=d), normal(b, 9, 64, dtype=d, seed=1), normal(b, 9, 64, dtype=d, seed=2))
            for b, d in ((1, torch.float32), (3, H), (2, torch.float32))
        ),
    ),
    "a convolution by dtype": (
        lambda x, w: F.conv2d(x, w, padding=1),
        tuple(
            (normal(n, c, 5, 6, dtype=d), normal(7, c, 3, 3, dtype=d))
            for n, c, d in ((1, 2, torch.float32), (2, 4, H), (1, 3, torch.float32))
        ),
    ),
    "heads": (heads, ((normal(2, 7, 32), *(normal(32, 32, seed=s) for s in range(3))),)),
    "8-bit integers": (torch._int_mm, ((int8(32, 64), int8(64, 40)),)),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_it_computes_what_pytorch_computes(name: str) -> None:
    function, cases = CASES[name]
    assert_right(function, *cases)


def test_a_product_alone_goes_to_the_output_as_it_is() -> None:
    composition, _, _ = composed(torch.mm, (normal(8, 16, dtype=H), normal(16, 24, dtype=H)))
    (kernel,) = composition.program.kernels
    assert not any(isinstance(s, (SyncAll, Store)) for s in walk(kernel.body))
    assert "workspace" not in composition.dsl


def test_a_constant_factor_of_an_operand_is_taken_to_the_result() -> None:
    composition, _, _ = composed(lambda x, w: (x * 3.0) @ (w * 2.0), (normal(8, 16), normal(16, 24)))
    products = [s for k in composition.program.kernels for s in walk(k.body) if isinstance(s, Multiply)]
    assert len({s.object for s in products}) == 1 and "6.0" in composition.dsl
    assert "sync_all()" not in composition.dsl


def test_few_blocks_go_to_as_many_cube_cores() -> None:
    composition, _, _ = composed(torch.mm, (normal(64, 512), normal(512, 256)))
    assert "wanted = max(1, blocks * 2)" in composition.dsl and "cores = min(wanted, busy)" in composition.dsl


@pytest.mark.parametrize("dtype", [H, torch.float32])
def test_an_operand_in_the_workspace_keeps_the_project_to_the_dtypes_of_its_cases(dtype: torch.dtype) -> None:
    composition, _, _ = composed(
        lambda x, w: torch.relu(x) @ w, (normal(16, 16, dtype=dtype), normal(16, 16, dtype=dtype))
    )
    assert {str(d) for p in composition.face.op.inputs for d in p.dtypes} == {
        str(dtype).removeprefix("torch.")
    }
    lower(composition.program, composition.face.op, "test_op")


def test_integers_of_other_widths_are_multiplied_and_summed() -> None:
    assert_right(torch.mm, (normal(8, 16, dtype=torch.int32), normal(16, 24, dtype=torch.int32)))


S, T = normal(3, 8, 9), normal(3, 9, 16, dtype=H)
ROUNDED = {
    "a softmax": lambda s, t: torch.softmax(s, -1) @ t.float(),
    "powers below their maxima": lambda s, t: (
        (torch.exp(s - s.amax(-1, True)) @ t.float()) / torch.exp(s - s.amax(-1, True)).sum(-1, True)
    ),
    "powers of a log-softmax": lambda s, t: torch.exp(torch.log_softmax(s, -1)) @ t.float(),
    "powers below a logsumexp": lambda s, t: torch.exp(s - s.logsumexp(-1, True)) @ t.float(),
    "shares of a sum": lambda s, t: (torch.relu(s) / (torch.relu(s).sum(-1, True) + 1e-6)) @ t.float(),
    "a masked softmax": lambda s, t: torch.where(s > 0, torch.softmax(s, -1), 0.0) @ t.float(),
}
KEPT = {
    "a dequantised factor": lambda s, t: (s * 0.7 - s.abs()) @ t.float(),
    "rectified scores": lambda s, t: torch.relu(s) @ t.float(),
    "powers": lambda s, t: torch.exp(s) @ t.float(),
    "differences of shares": lambda s, t: (torch.softmax(s, -1) - 0.1) @ t.float(),
    "a convolution": lambda s, t: F.conv1d(torch.exp(s), t.float()[:, :8, :3], padding=1),
}


@pytest.mark.parametrize("name", [*ROUNDED, *KEPT])
def test_a_factor_of_half_products_is_computed_in_float32_unless_it_is_a_softmax(name: str) -> None:
    function = {**ROUNDED, **KEPT}[name]
    model = Function(lambda s, t: function(s, t).half())
    graph = import_graph(trace(Loaded(model, (S, T))))
    stored = DType.FLOAT16 if name in ROUNDED else DType.FLOAT32
    assert [n.stored for n in graph.nodes if n.op == "contract"] == [stored]
