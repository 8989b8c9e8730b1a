"""Random programs of the whole language: interpreter, twin and PyTorch agree. `make random-programs` runs thousands."""

import numpy as np
import pytest

from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.dsl.parse import parse
from akgen.tools.twin.toolchain import TwinToolchain
from tests.dsl.fuzz_language import agrees, drawn
from tests.dsl.random_language import RandomProgram
from tests.dsl.running import OnTwin
from tests.sampled import sampled

TYPES = """
@ascend_kernel
def k(x, w, y, n: int):
    t = alloc_ub(64, float32)
    a = alloc_ub(64, float32)
    with copyin():
        load(t, w, 0, n)
    with compute():
        copy(a, t)
    with compute():
        add(a, a, t)
    with copyin():
        load(t, x, 0, n)
    with compute():
        add(a, a, t)
    with compute():
        mul(a, a, t)
    with copyout():
        store(y, 0, a)

@ascend_host
def h(x: Tensor, w: Tensor, y: Output):
    declare(y, x.shape, x.dtype)
    k[1](x, w, y, x.numel)
"""


def programs(seed: str, count: int) -> list[RandomProgram]:
    """Return the first programs of a seed that break no rule."""
    found: list[RandomProgram] = []
    number = 0
    while len(found) < count:
        made = drawn(f"{seed}/{number}")
        found += [made] * (made is not None)
        number += 1
    return found


def test_the_interpreter_computes_what_pytorch_computes() -> None:
    for made in programs("interpreted", 30):
        agrees(made, None)


@pytest.mark.parametrize("number", sampled(range(3), 3))
def test_the_twin_computes_what_pytorch_computes(twin: TwinToolchain, number: int) -> None:
    agrees(programs(f"twin {number}", 1)[0], twin)


def test_a_tile_that_several_blocks_use_may_come_in_several_types(on_twin: OnTwin) -> None:
    """As the twin's compiler said of program 2/373."""
    x, w = np.arange(40, dtype=np.float16), np.linspace(0, 1, 40, dtype=np.float32)
    meta = [TensorMeta(dtype=DType.FLOAT16, shape=(40,))]
    (got,), _ = on_twin(parse(TYPES), [x, w], [DType.FLOAT16, DType.FLOAT32], meta)
    np.testing.assert_array_equal(got, ((w + w + x) * x).astype(np.float16))
