"""Element-wise instructions: count form, both mask forms, strides, counter mode, per dtype."""

from typing import Any

import numpy as np
import pytest

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(7)
FLOATS = (np.float16, np.float32)
INTS = (np.int16, np.int32)


def _values(dtype: Any, n: int, *, positive: bool = False) -> Array:
    if np.issubdtype(dtype, np.integer):
        return RNG.integers(1 if positive else -90, 90, n).astype(dtype)
    values = RNG.uniform(0.1 if positive else -4.0, 4.0, n)
    return values.astype(dtype)


def _rounded(f: Any, dtype: Any, *arrays: Array) -> Array:
    """Compute in float32 (integers in their own type) and round once."""
    wide = [a if np.issubdtype(dtype, np.integer) else a.astype(np.float32) for a in arrays]
    with np.errstate(all="ignore"):
        return np.asarray(f(*wide)).astype(dtype)


def _shift_left(x: Array, by: Any) -> Array:
    """Shift as documented: a signed element keeps its sign bit, and the bit below it is the first to go."""
    if np.issubdtype(x.dtype, np.unsignedinteger):
        return np.left_shift(x, by)
    sign = np.iinfo(x.dtype).min
    return np.asarray((np.left_shift(x, by) & ~sign) | (x & sign), x.dtype)


UNARY = {
    "Exp": (np.exp, FLOATS),
    "Ln": (np.log, FLOATS),
    "Abs": (np.abs, FLOATS),
    "Reciprocal": (lambda x: 1 / x, FLOATS),
    "Sqrt": (np.sqrt, FLOATS),
    "Rsqrt": (lambda x: 1 / np.sqrt(x), FLOATS),
    "Relu": (lambda x: np.maximum(x, 0), (*FLOATS, np.int32)),
    "Not": (np.invert, (np.int16, np.uint16)),
}
BINARY = {
    "Add": (np.add, (*FLOATS, *INTS)),
    "Sub": (np.subtract, (*FLOATS, *INTS)),
    "Mul": (np.multiply, (*FLOATS, *INTS)),
    "Div": (np.divide, FLOATS),
    "Max": (np.maximum, (*FLOATS, *INTS)),
    "Min": (np.minimum, (*FLOATS, *INTS)),
    "And": (np.bitwise_and, (np.int16, np.uint16)),
    "Or": (np.bitwise_or, (np.int16, np.uint16)),
    "AddRelu": (lambda a, b: np.maximum(a + b, 0), (*FLOATS, np.int16)),
    "SubRelu": (lambda a, b: np.maximum(a - b, 0), (*FLOATS, np.int16)),
}
SCALAR = {
    "Adds": (lambda x, s: x + s, (*FLOATS, *INTS), 3),
    "Muls": (lambda x, s: x * s, (*FLOATS, *INTS), 3),
    "Maxs": (np.maximum, (*FLOATS, *INTS), 1),
    "Mins": (np.minimum, (*FLOATS, *INTS), 1),
    "LeakyRelu": (lambda x, s: np.where(x >= 0, x, x * s), FLOATS, 0.5),
    "ShiftLeft": (_shift_left, (np.int16, np.uint16, np.int32, np.uint32), 3),
    "ShiftRight": (np.right_shift, (np.int16, np.uint16, np.int32, np.uint32), 2),
}
CPP = {"float16": "half", "float32": "float"}


def _name(dtype: Any) -> str:
    return CPP.get(np.dtype(dtype).name, np.dtype(dtype).name + "_t")


def _tolerance(api: str, dtype: Any) -> float:
    # exp and ln are the twin's own polynomials; these two are estimates; everything else is exact after rounding
    if api in ("Reciprocal", "Rsqrt"):
        return 2.0**-8
    return {"float16": 1e-3, "float32": 3e-7}.get(np.dtype(dtype).name, 0.0) if api in ("Exp", "Ln") else 0.0


def _forms(
    case: Any, api: str, dtype: Any, args: str, want: Any, arrays: tuple[Array, ...], params: str
) -> list[Any]:
    """The three forms of one instruction on one dtype. `want` maps arrays to results."""
    lanes = 256 // np.dtype(dtype).itemsize
    n = 3 * lanes + 5
    old = np.full(n, 7, dtype)
    full = want(*arrays)
    rtol = _tolerance(api, dtype)
    label = f"{api}-{_name(dtype)}"
    prefix = np.concatenate(
        [np.r_[full[r * lanes : r * lanes + 5], old[: lanes - 5]] for r in range(3)] + [old[:5]]
    )
    bits = np.arange(n) % lanes % 3 == 0
    bits[3 * lanes :] = False
    word = [
        sum(1 << i for i in range(64 * h, min(64 * h + 64, lanes)) if i % 3 == 0) >> (64 * h) for h in (0, 1)
    ]
    return [
        case(
            f"{label}-count", f"{api}(out, {args}, {n - 3});", arrays, old, np.r_[full[:-3], old[-3:]], rtol
        ),
        case(f"{label}-mask", f"{api}(out, {args}, 5, 3, {params});", arrays, old, prefix, rtol),
        case(
            f"{label}-bits",
            f"uint64_t mask[2] = {{{word[0]}UL, {word[1]}UL}};\n    {api}(out, {args}, mask, 3, {params});",
            arrays,
            old,
            np.where(bits, full, old).astype(dtype),
            rtol,
        ),
    ]


@pytest.fixture(scope="module")
def cases(case: Any) -> list[Any]:
    out = []
    for api, (f, dtypes) in UNARY.items():
        for dtype in dtypes:
            n = 3 * (256 // np.dtype(dtype).itemsize) + 5
            x = _values(dtype, n, positive=api in ("Ln", "Sqrt", "Rsqrt"))
            out += _forms(
                case, api, dtype, "a", lambda x, f=f, d=dtype: _rounded(f, d, x), (x,), "{1, 1, 8, 8}"
            )
    for api, (f, dtypes) in BINARY.items():
        for dtype in dtypes:
            n = 3 * (256 // np.dtype(dtype).itemsize) + 5
            x, y = _values(dtype, n), _values(dtype, n, positive=api == "Div")
            want = lambda x, y, f=f, d=dtype: _rounded(f, d, x, y)  # noqa: E731
            out += _forms(case, api, dtype, "a, b", want, (x, y), "{1, 1, 1, 8, 8, 8}")
    for api, (f, dtypes, s) in SCALAR.items():
        for dtype in dtypes:
            n = 3 * (256 // np.dtype(dtype).itemsize) + 5
            x = _values(dtype, n)
            want = lambda x, f=f, d=dtype, s=s: _rounded(lambda v: f(v, np.asarray(s, v.dtype)), d, x)  # noqa: E731
            out += _forms(case, api, dtype, f"a, ({_name(dtype)}){s}", want, (x,), "{1, 1, 8, 8}")
    return out


@pytest.fixture(scope="module")
def results(bench: Any, cases: list[Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Array]:
    out: dict[str, Array] = bench.run(cases, tmp_path_factory.mktemp("arithmetic"))
    return out


@pytest.mark.parametrize("api", [*UNARY, *BINARY, *SCALAR])
def test_every_form_and_dtype(results: dict[str, Array], cases: list[Any], api: str) -> None:
    mine = [c for c in cases if c.name.startswith(api + "-")]
    assert len(mine) >= 6
    for c in mine:
        c.check(results[c.name])


def test_a_signed_element_keeps_its_sign_bit_when_it_is_shifted_left(
    bench: Any, case: Any, tmp_path: Any
) -> None:
    """The examples of the vendor's page: 1010101010101010 by one and by three bits."""
    x = np.array([0b1010101010101010, 0b0101010101010101, 0x8001, 0x7FFF], np.uint16)
    cases = []
    for dtype, by, want in (
        (np.uint16, 1, [0b0101010101010100, 0b1010101010101010, 0x0002, 0xFFFE]),
        (np.int16, 1, [0b1101010101010100, 0b0010101010101010, 0x8002, 0x7FFE]),
        (np.int16, 3, [0b1101010101010000, 0b0010101010101000, 0x8008, 0x7FF8]),
        (np.int16, 16, [0x8000, 0, 0x8000, 0]),
        (np.uint16, 16, [0, 0, 0, 0]),
    ):
        source, old = np.resize(x, 32).view(dtype), np.full(32, 7, dtype)
        result = np.resize(np.array(want, np.uint16), 32).view(dtype)
        code = f"ShiftLeft(out, a, ({_name(dtype)}){by}, 32);"
        cases.append(case(f"{_name(dtype)}-{by}", code, (source,), old, result))
    wide = np.resize(np.array([-(2**31) + 5, 2**31 - 1], np.int32), 16)
    result = np.resize(np.array([-(2**31) + 20, 2**31 - 4], np.int32), 16)
    cases.append(case("int32_t-2", "ShiftLeft(out, a, 2, 16);", (wide,), np.zeros(16, np.int32), result))
    got = bench.run(cases, tmp_path)
    for each in cases:
        each.check(got[each.name])
