"""Whatever a candidate writes, looking for the cause ends with a sentence: nothing raises, nothing is NaN in it."""

from typing import Any

import numpy as np
import pytest

from akgen.tools.core.dtypes import DType
from akgen.tools.judge.causes.diagnose import diagnose
from akgen.tools.judge.causes.evidence import Evidence, Tensor
from akgen.tools.judge.tolerance import rule_for
from tests.sampled import sampled

SHAPES: tuple[tuple[int, ...], ...] = (
    (), (1,), (2,), (3, 1), (1, 7), (5, 5), (64,), (9, 33), (4, 1, 6), (2, 3, 4, 5), (16, 16), (1, 1, 1), (300, 4),
)  # fmt: skip
STORED = {DType.BFLOAT16: "uint16", DType.BOOL: "uint8"}
WIDE = (DType.FLOAT64, DType.INT64, DType.COMPLEX64)


def drawn(rng: np.random.Generator, dtype: DType, shape: tuple[int, ...]) -> Tensor:
    """Draw bytes, small numbers, one number, or numbers with NaN, infinities and limits among them."""
    storage = np.dtype(STORED.get(dtype, dtype.value))
    size = int(np.prod(shape))
    kind = rng.integers(0, 4)
    values: Any
    if kind == 0:
        values = np.frombuffer(rng.bytes(size * storage.itemsize), dtype=storage)
    elif kind == 1:
        values = rng.integers(0, 3, size).astype(storage)
    elif kind == 2:
        values = np.full(size, rng.integers(0, 2)).astype(storage)
    else:
        special = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1e38, 65504.0, 1e-40, 127, -1])
        with np.errstate(all="ignore"):
            values = rng.choice(special, size).astype(storage)
    return Tensor(dtype, shape, np.ascontiguousarray(values))


@pytest.mark.parametrize("dtype", sampled(list(DType), 4))
@pytest.mark.filterwarnings("error")
def test_no_bytes_make_it_raise(dtype: DType) -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        shape = SHAPES[seed % len(SHAPES)]
        golden = rng.choice([d for d in WIDE if (d == DType.COMPLEX64) == (dtype == DType.COMPLEX64)])
        want = drawn(rng, DType(golden), shape)
        got = drawn(rng, dtype, shape)
        wrong = rng.random(want.stored.size) < rng.choice([0.05, 0.5, 1.0])
        wrong[0] = True
        some = [SHAPES[rng.integers(len(SHAPES))] for _ in range(2)]
        inputs = [
            drawn(rng, DType(rng.choice([d for d in DType if d != DType.COMPLEX64])), s)
            for s in (shape, *some)
        ]
        evidence = Evidence(
            got=got,
            want=want,
            wrong=wrong,
            rule=rule_for(dtype, ()),
            inputs=[*inputs, Tensor(DType.FLOAT32, (0,), np.empty(0, np.float32))],
            before=drawn(rng, DType(golden), shape),
            others=[(1, drawn(rng, DType(golden), shape))],
        )
        claim = diagnose(evidence)
        if claim is not None:
            assert 0 <= claim.share <= 1 and claim.what, claim
            assert isinstance(evidence.where, str)
