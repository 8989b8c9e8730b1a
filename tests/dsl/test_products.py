"""Products on the cube core: what the interpreter computes, what the twin computes, and what is refused."""

from collections.abc import Callable

import numpy as np
import pytest

from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl import DslError, Program, check
from akgen.tools.dsl.interpret import interpret
from akgen.tools.dsl.parse import parse
from akgen.tools.dsl.printer import printed
from tests.dsl.running import FLOATS, Array, OnTwin, rounded
from tests.sampled import sampled

Find = Callable[[str], Program]
F32, F16, BF16 = FLOATS
RNG = np.random.default_rng(3)
TOLERANCE = {F32: 2e-6, F16: 1e-3, BF16: 8e-3}


def normal(shape: tuple[int, ...], dtype: DType) -> Array:
    return rounded(RNG.standard_normal(shape), dtype)


def near(got: object, want: Array, dtype: DType) -> None:
    assert isinstance(got, np.ndarray) and got.shape == want.shape
    np.testing.assert_allclose(
        got.astype(np.float64), want, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * np.abs(want).max()
    )


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(130, 300, 70), (1, 17, 33), (256, 512, 128)])
def test_a_product_with_a_bias_at_ragged_edges(
    on_twin: OnTwin, program: Find, shape: tuple[int, int, int], dtype: DType
) -> None:
    m, n, k = shape
    x, y, v = normal((m, k), dtype), normal((k, n), dtype), normal((n,), dtype)
    want = x.astype(np.float64) @ y.astype(np.float64) + v.astype(np.float64)
    types = dict.fromkeys(("x", "y", "v", "out"), dtype)
    assert check(program("product"), types) == ()
    (told,) = interpret(program("product"), [x, y, v], dtypes=types)
    near(told, want, dtype)
    (got,), _ = on_twin(program("product"), [x, y, v], [dtype] * 3, [TensorMeta(dtype=dtype, shape=(m, n))])
    near(got, want, dtype)


@pytest.mark.parametrize(("turn_a", "turn_b"), sampled([(True, False), (False, True), (True, True)], 3))
def test_transposed_operands_of_8_bit_integers(on_twin: OnTwin, turn_a: bool, turn_b: bool) -> None:
    text = TRANSPOSED.replace("TURN_A", str(turn_a)).replace("TURN_B", str(turn_b))
    text = text.replace("LDA", "m" if turn_a else "k").replace("LDB", "k" if turn_b else "n")
    text = text.replace("STEP", "1" if turn_a else "k")
    a = RNG.integers(-128, 128, (40, 96), dtype=np.int8)
    b = RNG.integers(-128, 128, (96, 70), dtype=np.int8)
    stored = [a.T.copy() if turn_a else a, b.T.copy() if turn_b else b]
    attrs = {"m": 40, "n": 70, "k": 96}
    want = a.astype(np.int32) @ b.astype(np.int32)
    (told,) = interpret(parse(text), stored, attrs)
    np.testing.assert_array_equal(told, want)
    out = [TensorMeta(dtype=DType.INT32, shape=(40, 70))]
    (got,), _ = on_twin(parse(text), stored, [DType.INT8] * 2, out, attrs)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    "shape", sampled([(3, 200, 700, 48), (2, 300, 1300, 64), (1, 5, 7, 19)], 3, whole=True)
)
def test_cube_and_vector_cores_work_side_by_side_on_attention(
    on_twin: OnTwin, program: Find, shape: tuple[int, int, int, int]
) -> None:
    heads, rows, keys, width = shape
    q, k, v = (3 * normal((heads, n, width), F16) for n in (rows, keys, keys))
    scores = q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1) / width**0.5
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    want = weights / weights.sum(-1, keepdims=True) @ v.astype(np.float64)
    types, attrs = dict.fromkeys("qkvy", F16), {"scale": width**-0.5}
    assert check(program("attention"), types) == ()
    (told,) = interpret(program("attention"), [q, k, v], attrs, dtypes=types)
    near(told, want, F16)
    (got,), _ = on_twin(
        program("attention"), [q, k, v], [F16] * 3, [TensorMeta(dtype=F16, shape=q.shape)], attrs, alone=True
    )
    near(got, want, F16)


def test_what_is_not_waited_for_is_not_there(program: Find) -> None:
    text = program("attention").text.replace("wait(mm0)", "wait(mm1)")
    x = normal((1, 40, 64), F16)
    (told,) = interpret(parse(text), [x, x, x], {"scale": 0.125}, dtypes=dict.fromkeys("qkvy", F16))
    assert np.isnan(told).any()
    (found,) = {d.code for d in check(parse(text))}
    assert found == "DSL_STAGE"


def test_parts_of_a_tile_begin_at_whole_blocks(program: Find) -> None:
    x = normal((1, 40, 64), F16)
    text = program("attention").text.replace("// 8 * 8, high)", "// 8 * 8, 12)")
    with pytest.raises(DslError, match="parts begin at multiples of 8"):
        interpret(parse(text), [x, x, x], {"scale": 0.125}, dtypes=dict.fromkeys("qkvy", F16))


def test_an_epilogue_on_tiles_of_the_product_after_all_cores_met(on_twin: OnTwin, program: Find) -> None:
    x, y = normal((200, 64), F16), normal((64, 96), F16)
    want = np.maximum(x.astype(np.float64) @ y.astype(np.float64), 0.0)
    types = dict.fromkeys(("x", "y", "out"), F16)
    (told,) = interpret(program("product_relu"), [x, y], dtypes=types)
    near(told, want, F16)
    (got,), _ = on_twin(program("product_relu"), [x, y], [F16] * 2, [TensorMeta(dtype=F16, shape=(200, 96))])
    near(got, want, F16)


def test_k_cut_over_cores_adds_atomically(on_twin: OnTwin, program: Find) -> None:
    x, y = normal((20, 1000), F32), normal((1000, 30), F32)
    want = x.astype(np.float64) @ y.astype(np.float64)
    (told,) = interpret(program("product_split"), [x, y])
    near(told, want, F32)
    (got,), _ = on_twin(program("product_split"), [x, y], [F32] * 2, [TensorMeta(dtype=F32, shape=(20, 30))])
    near(got, want, F32)


def test_printed_products_are_read_back(program: Find) -> None:
    for name in ("product", "product_relu", "product_split"):
        one = program(name)
        again = printed(one.kernels, one.host)
        assert parse(again.text) == again


def test_what_the_cube_core_does_not_multiply_is_refused(program: Find) -> None:
    mixed = {"x": F16, "y": F32, "v": F32, "out": F32}
    assert [d.code for d in check(program("product"), mixed)] == ["DSL_DTYPE"]
    narrow = {"x": F32, "y": F32, "v": F32, "out": F16}
    assert "stored as float32" in check(program("product"), narrow)[0].text
    whole = dict.fromkeys(("x", "y", "v", "out"), DType.INT32)
    assert "does not multiply int32" in check(program("product"), whole)[0].text


def test_a_product_beyond_its_object_is_refused(program: Find) -> None:
    text = program("product").text.replace("min(block_m, m - r)", "m")
    x, y, v = normal((130, 8), F32), normal((8, 8), F32), normal((8,), F32)
    with pytest.raises(DslError, match="does not fit `mm`"):
        interpret(parse(text), [x, y, v])


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("with cube():", "with compute():", "DSL_STAGE"),
        ("multiply(mm, ", "multiply(nn, ", "DSL_ARITY"),
        ("bias=v)", "bias=q)", "DSL_UNKNOWN_NAME"),
        ("lda=k", "pitch=k", "DSL_ARITY"),
    ],
)
def test_wrong_words_are_named(program: Find, old: str, new: str, code: str) -> None:
    with pytest.raises(DslError) as caught:
        parse(program("product").text.replace(old, new))
    assert caught.value.diagnostics[0].code == code


TRANSPOSED = '''
@ascend_kernel
def turned(x, y, out, m: int, n: int, k: int):
    """One product whose operands may lie transposed, rows cut over the cores."""
    mm = matmul_object(x, y, out, (16, n, k), transpose_a=TURN_A, transpose_b=TURN_B)
    for i in range(program_id() * 16, m, num_programs() * 16):
        with cube():
            multiply(mm, (min(16, m - i), n, k), a=i * STEP, c=i * n, lda=LDA, ldb=LDB, ldc=n)

@ascend_host
def turn(x: Tensor, y: Tensor, out: Output, m: int = 1, n: int = 1, k: int = 1):
    declare(out, (m, n), int32)
    turned[4](x, y, out, m, n, k)
'''
