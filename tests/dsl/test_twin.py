"""Lowered programs compute on the twin what the interpreter computes, without any finding of the twin."""

import textwrap
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl import Program, check
from akgen.tools.dsl.host_run import HostRun
from akgen.tools.dsl.interpret import interpret
from akgen.tools.dsl.lower import lower
from akgen.tools.dsl.parse import parse
from akgen.tools.dsl.prepare import prepare
from tests.dsl.random_programs import random_program
from tests.dsl.running import FLOATS, Array, OnTwin, Value, op_spec, rounded
from tests.sampled import sampled

Find = Callable[[str], Program]
F32, F16, BF16 = FLOATS
# One unit in the last place where values are of the size of the largest; bfloat16 and half round once, at the end.
ULP = {F32: 1.2e-7, F16: 1e-3, BF16: 8e-3}
RNG = np.random.default_rng(7)


def normal(shape: tuple[int, ...], dtype: DType) -> Array:
    return rounded(RNG.standard_normal(shape), dtype)


def positive(shape: tuple[int, ...], dtype: DType) -> Array:
    return rounded(RNG.uniform(1.0, 2.0, shape), dtype)


def agree(
    on_twin: OnTwin,
    program: Program,
    inputs: Sequence[Value],
    dtypes: Sequence[DType],
    outputs: Sequence[TensorMeta | tuple[TensorMeta, ...]],
    factor: float = 8.0,
    **attrs: float,
) -> None:
    """Run both and compare; the launch's cores and tiling key must be those of the interpreted host function."""
    types = dict(zip(program.host.inputs, dtypes, strict=True))
    want = interpret(program, inputs, attrs, dtypes=types, outputs=outputs)
    got, launch = on_twin(program, inputs, dtypes, outputs, attrs)
    for w, g in zip(want, got, strict=True):
        for a, b in zip(w, g, strict=True) if isinstance(w, list) else [(w, g)]:
            assert isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
            assert a.dtype == b.dtype
            meta = outputs[0][0] if isinstance(outputs[0], tuple) else outputs[0]
            ulp = factor * ULP.get(meta.dtype, 0.0)
            scale = np.nanmax(np.abs(a.astype(np.float64)))
            np.testing.assert_allclose(
                b.astype(np.float64), a.astype(np.float64), rtol=ulp, atol=ulp * min(scale, 10)
            )
    metas = {
        n: tuple(_meta(x, d) for x in v) if isinstance(v, list) else None if v is None else _meta(v, d)
        for n, v, d in zip(program.host.inputs, inputs, dtypes, strict=True)
    }
    metas.update(zip(program.host.outputs, outputs, strict=True))
    expected = HostRun(program, prepare(program), metas, attrs).run()
    assert (launch.block_dim, launch.tiling_key) == (expected.cores, expected.key)


def _meta(value: Array, dtype: DType) -> TensorMeta:
    return TensorMeta(dtype=dtype, shape=value.shape)


def like(*values: Array, dtype: DType) -> list[TensorMeta]:
    return [TensorMeta(dtype=dtype, shape=v.shape) for v in values]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", sampled([(37, 1001), (1,), (3, 70000)], 3, whole=True))
def test_add(on_twin: OnTwin, program: Find, shape: tuple[int, ...], dtype: DType) -> None:
    x, y = normal(shape, dtype), normal(shape, dtype)
    agree(on_twin, program("add"), [x, y], [dtype] * 2, like(x, dtype=dtype))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "shape", sampled([(37, 1001), (1000, 7), (500, 2048), (60, 5120), (3, 70001), (200, 64)], 3, whole=True)
)
def test_softmax(on_twin: OnTwin, program: Find, shape: tuple[int, ...], dtype: DType) -> None:
    x = normal(shape, dtype)
    agree(on_twin, program("softmax"), [x], [dtype], like(x, dtype=dtype))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", sampled([(37, 1001), (100, 7), (5, 3000)], 3, whole=True))
def test_layer_norm(on_twin: OnTwin, program: Find, shape: tuple[int, ...], dtype: DType) -> None:
    inputs = [normal(shape, dtype), normal(shape[-1:], dtype), normal(shape[-1:], dtype)]
    agree(on_twin, program("layer_norm"), inputs, [dtype] * 3, like(inputs[0], dtype=dtype), eps=1e-3)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("count", sampled([5, 100003], 2))
def test_mean_over_all_cores(on_twin: OnTwin, program: Find, count: int, dtype: DType) -> None:
    agree(
        on_twin, program("mean"), [positive((count,), dtype)], [dtype], [TensorMeta(dtype=dtype, shape=(1,))]
    )


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", sampled([(37, 1001), (300, 7)], 3, whole=True))
def test_two_phases(on_twin: OnTwin, program: Find, shape: tuple[int, ...], dtype: DType) -> None:
    out = [TensorMeta(dtype=dtype, shape=shape[-1:])]
    agree(on_twin, program("softmax_mean"), [normal(shape, dtype)], [dtype], out, factor=16)


def test_many_phases_share_the_members_of_their_class(on_twin: OnTwin) -> None:
    """A recurrence unrolled: a queue of its own for each phase's tiles would not fit onto the kernel's stack."""
    phases = []
    for k in range(50):
        phases.append(
            f"    a{k} = alloc_ub(64, float32)\n    b{k} = alloc_ub(64, float32)\n    with copyin():\n"
            f"        load(a{k}, {'out' if k else 'x'}, 0, n)\n        load(b{k}, x, 0, n)\n"
            f"    with compute():\n        add(a{k}, a{k}, b{k})\n    with copyout():\n        store(out, 0, a{k})\n"
        )
    kernel = "@ascend_kernel\ndef k(x, out, n: int):\n" + "    sync_all()\n".join(phases)
    host = "@ascend_host\ndef h(x: Tensor, out: Output):\n    declare(out, x.shape, x.dtype)\n"
    program, x = parse(f"{kernel}\n{host}    k[1](x, out, x.numel)\n"), normal((40,), F32)
    agree(on_twin, program, [x], [F32], like(x, dtype=F32))
    project = lower(program, op_spec(program, [(F32,)], [(F32,)]), "dsl_test")
    assert project.files["op_kernel/dsl_test.cpp"].count("TQue<") == 3


STEPS = """\
@ascend_kernel
def k(x, out, states, n: int, part: int, steps: int):
    first = program_id() * part
    t = alloc_ub(64, float32)
    with copyin():
        load(t, x, first, part)
    with copyout():
        store(states, first, t)
    for step in range(steps):
        sync_all()
        a = alloc_ub(64, float32)
        b = alloc_ub(64, float32)
        with copyin():
            load(a, states, step * n + first, part)
            load(b, states, step * n + (first + part) % n, part)
        with compute():
            add(a, a, b)
        with copyout():
            store(states, step * n + n + first, a)
        sync_all()
        c = alloc_ub(64, float32)
        with copyin():
            load(c, states, step * n + n + (first + part) % n, part)
        with copyout():
            store(out, step * n + first, c)

@ascend_host
def h(x: Tensor, out: Output):
    declare(out, (3, x.numel), x.dtype)
    states = workspace(4 * x.numel, float32)
    k[4](x, out, states, x.numel, x.numel // 4, 3)
"""


def test_phases_in_a_loop(on_twin: OnTwin) -> None:
    """Each core needs in each step what another one has made in the step before."""
    out = [TensorMeta(dtype=F32, shape=(3, 32))]
    agree(on_twin, parse(STEPS), [normal((32,), F32)], [F32], out)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", sampled([(37, 1001), (300, 7), (130, 64), (1, 5)], 3, whole=True))
def test_transpose(on_twin: OnTwin, program: Find, shape: tuple[int, int], dtype: DType) -> None:
    out = [TensorMeta(dtype=dtype, shape=shape[::-1])]
    agree(on_twin, program("transpose"), [normal(shape, dtype)], [dtype], out, factor=0)


def test_transpose_of_integers(on_twin: OnTwin, program: Find) -> None:
    text = program("transpose").text.replace("float32)", "x.dtype)")
    x = RNG.integers(-100, 100, (45, 77)).astype("int32")
    agree(on_twin, parse(text), [x], [DType.INT32], [TensorMeta(dtype=DType.INT32, shape=(77, 45))], factor=0)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", sampled([(3, 37, 100), (2, 9, 4001)], 3, whole=True))
def test_middle_axis(on_twin: OnTwin, program: Find, shape: tuple[int, int, int], dtype: DType) -> None:
    out = [TensorMeta(dtype=dtype, shape=(shape[0], shape[2]))]
    agree(on_twin, program("middle_axis"), [normal(shape, dtype)], [dtype], out, factor=16)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", sampled([(300, 7), (100, 100), (33, 8), (13, 2500)], 3, whole=True))
def test_broadcast(on_twin: OnTwin, program: Find, shape: tuple[int, int], dtype: DType) -> None:
    inputs = [positive(shape, dtype), positive(shape[:1], dtype), positive(shape[1:], dtype)]
    agree(on_twin, program("broadcast"), inputs, [dtype] * 3, like(inputs[0], dtype=dtype))


@pytest.mark.parametrize("dtype", [F32, F16])
@pytest.mark.parametrize("shape", sampled([(100, 300), (7, 5)], 3, whole=True))
def test_tiles_that_stay_over_an_inner_loop(
    on_twin: OnTwin, program: Find, shape: tuple[int, int], dtype: DType
) -> None:
    inputs = [normal(shape, dtype), positive(shape[1:], dtype), positive(shape[1:], dtype)]
    agree(on_twin, program("resident"), inputs, [dtype] * 3, like(inputs[0], dtype=dtype))


@pytest.mark.parametrize("dtype", [F32, F16])
def test_more_inputs_than_can_be_double_buffered(on_twin: OnTwin, program: Find, dtype: DType) -> None:
    inputs = [normal((20001,), dtype) for _ in range(5)]
    agree(on_twin, program("many_inputs"), inputs, [dtype] * 5, like(inputs[0], dtype=dtype))


@pytest.mark.parametrize("dtype", [F32, BF16])
def test_outputs_that_overwrite_inputs(on_twin: OnTwin, program: Find, dtype: DType) -> None:
    inputs = [
        normal((333, 101), dtype),
        normal((333, 101), dtype),
        positive((333, 101), dtype),
        normal((333, 101), dtype),
    ]
    agree(on_twin, program("adam"), inputs, [dtype] * 4, like(*inputs[:3], dtype=dtype), lr=0.01)


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_list_of_tensors(on_twin: OnTwin, program: Find, dtype: DType) -> None:
    xs = [normal(shape, dtype) for shape in ((37, 1001), (33,))]
    agree(on_twin, program("foreach"), [xs], [dtype], [tuple(like(*xs, dtype=dtype))])


@pytest.mark.parametrize("dtype", [F32, F16])
@pytest.mark.parametrize("present", [True, False])
def test_an_optional_input(on_twin: OnTwin, program: Find, dtype: DType, present: bool) -> None:
    x = normal((3001,), dtype)
    agree(
        on_twin,
        program("optional"),
        [x, normal((3,), dtype) if present else None],
        [dtype] * 2,
        like(x, dtype=dtype),
    )


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        ((DType.BOOL, DType.UINT8, F16, DType.INT32), (DType.BOOL, DType.INT64, DType.INT32)),
        ((DType.INT64, DType.INT16, F32, DType.INT64), (DType.BOOL, F16, DType.INT32)),
        ((DType.INT8, DType.BOOL, BF16, DType.UINT8), (DType.BOOL, F32, DType.INT32)),
    ],
)
def test_mixed_types(
    on_twin: OnTwin, program: Find, inputs: tuple[DType, ...], outputs: tuple[DType, ...]
) -> None:
    count = 5003
    values = [rounded(RNG.integers(0, 2 if d == DType.BOOL else 100, count), d) for d in inputs]
    metas = [TensorMeta(dtype=d, shape=(count,)) for d in outputs]
    agree(on_twin, program("mixed_types"), values, inputs, metas)


ELEMENTWISE = """
@ascend_kernel
def k({tensors}, n: int, tile: int):
    a = alloc_ub(tile, float32)
    b = alloc_ub(tile, float32)
    lower = alloc_ub(tile, mask)
    other = alloc_ub(tile, mask)
    whole = alloc_ub(tile, int32)
    bits = alloc_ub(tile, int32)
    short = alloc_ub(tile, float16)
{allocs}
    for i in range(program_id() * tile, n, num_programs() * tile):
        m = min(tile, n - i)
        with copyin():
            load(a, x, i, m)
            load(b, y, i, m)
        with compute():
{body}
        with copyout():
{stores}

@ascend_host
def h(x: Tensor, y: Tensor, {outputs}):
    n = x.numel
    tile = min(fit_tile(k, "tile"), 1024)
    k[min(core_num(), ceil_div(n, tile))](x, y, {names}, n, tile)
"""


def elementwise(body: str) -> Program:
    """Return a program that loads a and b and stores o0, o1, …, as many as the body names."""
    names = [f"o{i}" for i in range(9) if f"o{i}" in body]
    outs = [f"out_{n}" for n in names]
    text = ELEMENTWISE.format(
        tensors=", ".join(["x", "y", *outs]),
        allocs="\n".join(f"    {n} = alloc_ub(tile, float32)" for n in names),
        body=textwrap.indent(body.replace("; ", "\n"), " " * 12),
        stores="\n".join(f"            store(out_{n}, i, {n})" for n in names),
        outputs=", ".join(f"{o}: Output" for o in outs),
        names=", ".join(outs),
    )
    unused = [t for t in ("lower", "other", "whole", "bits", "short") if t not in body]
    return parse("\n".join(line for line in text.splitlines() if line.split(" = ")[0].strip() not in unused))


SPREAD = np.concatenate(
    [
        RNG.standard_normal(1000) * 3,
        10.0 ** RNG.uniform(-6, 1.5, 1000) * np.sign(RNG.standard_normal(1000)),
        np.array([0.0, 1.0, -1.0]),
    ]
).astype(np.float32)


OPERATIONS = [
    ("exp(o0, a); abs(o1, a); neg(o2, a); square(o3, a); relu(o4, a); add(o0, o0, b)", 2),
    ("sign(o0, a); floor(o1, a); ceil(o2, a); round(o3, a); trunc(o4, a); add(o0, o0, b)", 1),
    (
        "tanh(o0, a); erf(o1, a); sigmoid(o2, a); gelu(o3, a); gelu_tanh(o4, a); add(b, b, o0); copy(o5, b)",
        4,
    ),
    ("silu(o0, a); softplus(o1, a); sin(o2, a); cos(o3, a); expm1(o4, b)", 4),
    (
        "abs(a, a); add(a, a, 1e-3); ln(o0, a); sqrt(o1, a); rsqrt(o2, a); reciprocal(o3, a); log1p(o4, b)",
        4,
    ),
    (
        "add(o0, a, 2.5); sub(o1, a, 2.5); sub(o2, 2.5, a); mul(o3, 3, a); div(o4, b, 3.0); maximum(o5, a, 0.5)",
        2,
    ),
    ("sub(o0, a, b); abs(b, b); add(b, b, 0.5); div(o1, a, b); maximum(o2, a, b); minimum(o3, a, b)", 2),
    ("minimum(o0, 0.5, a); leaky_relu(o1, a, 0.1); abs(b, b); add(b, b, 0.1); div(o2, 2.5, b)", 2),
    (
        "abs(b, b); add(b, b, 0.1); power(o0, b, 2.5); power(o1, 1.5, b); power(o2, a, 3); power(o3, a, 4)",
        20,
    ),
    ("power(o0, a, -1); round(b, b); power(o1, a, b); abs(a, a); power(o2, a, 0.5)", 40),
    (
        "lt(lower, a, b); where(o0, lower, a, b); ge(other, a, 0.0); where(o1, other, a, 0.0); "
        "mask_and(lower, lower, other); where(o2, lower, 1.0, 0.0); mask_not(lower, lower); "
        "mask_or(lower, lower, other); cast(o3, lower); ne(lower, a, b); where(b, lower, 2.0, b); copy(o4, b)",
        1,
    ),
    (
        "cast(whole, a); bit_not(bits, whole); bit_and(bits, bits, whole); cast(o0, bits); "
        "shift_right(bits, whole, 1); cast(o1, bits); shift_left(bits, whole, 3); "
        "bit_or(bits, bits, whole); cast(o2, bits); add(o0, o0, b)",
        1,
    ),
    (
        'cast(whole, a, rounding="floor"); add(whole, whole, 3); cast(o0, whole); iota(o1, i, m); '
        "add(o1, o1, a); cast(short, b); mul(short, short, 2.0); cast(o2, short); fill(o3, 1.5, m); sub(o3, o3, a)",
        1,
    ),
]


@pytest.mark.parametrize(("body", "factor"), sampled(OPERATIONS, 3))
def test_operations(on_twin: OnTwin, body: str, factor: float) -> None:
    program = elementwise(body)
    y = RNG.standard_normal(SPREAD.shape).astype(np.float32)
    agree(
        on_twin,
        program,
        [SPREAD, y],
        [F32, F32],
        like(*[SPREAD] * len(program.host.outputs), dtype=F32),
        factor,
    )


def sound_seeds(count: int) -> list[int]:
    """Return the first seeds whose random program breaks no rule."""
    found: list[int] = []
    seed = 0
    while len(found) < count:
        program = parse(random_program(seed))
        if not check(program):
            found.append(seed)
        seed += 1
    return found


@pytest.mark.parametrize("seed", sampled(sound_seeds(6), 3))
def test_random_programs(on_twin: OnTwin, seed: int) -> None:
    dtype = FLOATS[seed % 3]
    inputs = [normal((1003,), dtype), normal((1003,), dtype)]
    agree(on_twin, parse(random_program(seed)), inputs, [dtype] * 2, like(*inputs, dtype=dtype))
