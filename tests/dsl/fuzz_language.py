"""Random programs of the whole language: the interpreter, the twin and PyTorch must agree.

`python tests/dsl/fuzz_language.py --count 500 --seed 3`, or `make random-programs N=500 SEED=3`. A program follows from
the seed and its number: `--first 17 --count 1` runs one again. What is wrong is told by a program of as few steps as
still show it. `--without-twin` compares the interpreter alone.
"""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import torch

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[2] / "src")]

from akgen.tools.core.call import TensorMeta  # noqa: E402
from akgen.tools.core.dtypes import DType  # noqa: E402
from akgen.tools.core.outcome import InfraError  # noqa: E402
from akgen.tools.dsl import DslError, check  # noqa: E402
from akgen.tools.dsl.interpret import interpret  # noqa: E402
from akgen.tools.dsl.parse import parse  # noqa: E402
from akgen.tools.twin.settings import TwinSettings, user_cache  # noqa: E402
from akgen.tools.twin.toolchain import TwinToolchain  # noqa: E402
from tests.dsl.random_language import RandomProgram, random_language  # noqa: E402
from tests.dsl.random_tiles import Unsound  # noqa: E402
from tests.dsl.running import Array, OnTwin  # noqa: E402

ROUNDING = {"float32": 1e-6, "float16": 1.1e-3, "bfloat16": 9e-3}
INT32 = DType.INT32


def array(value: torch.Tensor) -> Array:
    return value.float().numpy() if value.dtype == torch.bfloat16 else value.numpy()


def assert_agrees(made: RandomProgram, got: object, who: str) -> None:
    """Compare all outputs with PyTorch's: bit by bit where every tile was exact."""
    assert isinstance(got, list)
    for name, mine, want, exact, error in zip(
        ("y0", "y1", "y2", "yi"), got, made.outputs, (*made.exact, True), (*made.error, 0.0), strict=True
    ):
        ours, theirs = np.asarray(mine).astype(np.float64), want.double().numpy()
        bound = 0.0 if exact else 4 * error + ROUNDING[made.dtype] * np.abs(theirs)
        wrong = np.argwhere(~(np.abs(ours - theirs) <= bound))
        if len(wrong):
            at = tuple(int(i) for i in wrong[0])
            text = f"{who}, {name}: {len(wrong)} of {ours.size} differ, at {at} {ours[at]} for {theirs[at]}"
            raise AssertionError(text)


def drawn(name: str, left_out: frozenset[int] = frozenset()) -> RandomProgram | None:
    """Return a program, None where the draws lead to none or to one that breaks a rule of the language."""
    try:
        made = random_language(name, left_out)
        return None if check(parse(made.text)) else made
    except (Unsound, DslError):
        return None


def agrees(made: RandomProgram, twin: TwinToolchain | None) -> None:
    """Interpret a program, run it on the twin, and compare both with PyTorch."""
    program, dtype = parse(made.text), DType(made.dtype)
    types = [dtype, dtype, INT32, INT32, INT32, DType.FLOAT32]
    shape = tuple(made.outputs[0].shape)
    metas = [TensorMeta(dtype=d, shape=shape) for d in (dtype, dtype, dtype, INT32)]
    inputs = [array(t) for t in made.inputs]
    named = dict(zip(program.host.inputs, types, strict=True))
    assert_agrees(made, interpret(program, inputs, made.attrs, dtypes=named, outputs=metas), "interpreter")
    if twin is not None:
        with tempfile.TemporaryDirectory() as folder:
            got, _ = OnTwin(twin, Path(folder))(program, inputs, types, metas, made.attrs)
        assert_agrees(made, got, "twin")


def complaint(made: RandomProgram, twin: TwinToolchain | None) -> str | None:
    """Return what is wrong, None if nothing is. An exception is as wrong as a number."""
    try:
        agrees(made, twin)
    except (AssertionError, DslError, InfraError, ArithmeticError, LookupError, TypeError, ValueError) as e:
        return f"{type(e).__name__}: {e}"
    return None


def shrunk(name: str, made: RandomProgram, twin: TwinToolchain | None) -> RandomProgram:
    """Return a program of fewer steps with which something is still wrong."""
    left_out: frozenset[int] = frozenset()
    width = made.steps // 2
    while width:
        for at in range(1, made.steps + 1, width):
            fewer = left_out | frozenset(range(at, at + width))
            smaller = drawn(name, fewer) if fewer != left_out else None
            if smaller is not None and complaint(smaller, twin) is not None:
                left_out, made = fewer, smaller
        width //= 2
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--without-twin", action="store_true")
    said = parser.parse_args()
    torch.set_num_threads(1)
    twin = None
    if not said.without_twin:
        twin = TwinToolchain(TwinSettings(cache=user_cache(os.environ)))
        twin.prepare(print)
    counts: Counter[str] = Counter()
    began = time.monotonic()
    number = said.first - 1
    while counts["programs"] < said.count:
        number += 1
        name = f"{said.seed}/{number}"
        made = drawn(name)
        if made is None:
            continue
        counts["programs"] += 1
        counts["of several phases"] += "sync_all()" in made.text
        counts["with products"] += "multiply(mm" in made.text
        counts["inexact"] += not all(made.exact)
        if counts["programs"] % 100 == 0:
            print(
                f"{counts['programs']} programs, {time.monotonic() - began:.0f} s",
                file=sys.stderr,
                flush=True,
            )
        if complaint(made, twin) is not None:
            counts["wrong"] += 1
            small = shrunk(name, made, twin)
            print(f"WRONG {name}\n{complaint(small, twin)}\n{small.text}{small.attrs}\n", flush=True)
    said_counts = ", ".join(f"{n} {what}" for what, n in counts.items())
    print(f"{said_counts}; to number {number} in {time.monotonic() - began:.0f} s")
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
