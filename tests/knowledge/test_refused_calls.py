"""Every expert kernel's host refuses what its kernel does not compute: empty tensors, and what its limits exclude."""

from pathlib import Path

import pytest

from akgen.bench.resolve import resolve_task
from akgen.knowledge.patterns import Pattern, patterns
from akgen.tools.core.call import Argument, Call, TensorMeta
from akgen.tools.core.op_spec import AttrValue
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.twin.toolchain import TwinToolchain
from tests.sampled import sampled

Shapes = dict[int, tuple[int, ...]]  # of inputs, by their places

# By kernel: shapes that its host has to refuse.
SHAPES: dict[str, tuple[Shapes, ...]] = {
    "convolution": ({0: (2, 3, 8, 1), 1: (4, 3, 3, 3)}, {0: (2, 3, 8, 8), 1: (4, 2, 3, 3)}),
    "embedding": ({1: (0,)},),
    "foreach": ({1: (7,)},),
    "gather": ({0: (4, 8), 1: (3, 8)}, {0: (4, 8), 1: (4, 0)}),
    "matmul_block": (
        {0: (16, 65536), 1: (65536, 16)},
        {0: (16, 16), 1: (16, 65536)},
        {0: (16, 16), 1: (32, 16)},
    ),
    "matmul_grouped": ({0: (10, 5), 1: (3, 6, 7)},),
    "top_k": ({0: (5, 3)},),
}
# Too few sizes, rows of no group, more rows than there are, and a negative size.
SIZES: tuple[AttrValue, ...] = ((5, 5), (5, 3, 1), (5, 3, 3), (12, -5, 3))


def _reshaped(argument: Argument, shape: tuple[int, ...] | None) -> Argument:
    """Return the argument with another shape; of a list, its first tensor."""
    if shape is None or argument is None:
        return argument
    if isinstance(argument, tuple):
        return (TensorMeta(dtype=argument[0].dtype, shape=shape), *argument[1:])
    return TensorMeta(dtype=argument.dtype, shape=shape)


def _empty(call: Call) -> Call:
    """Return the call with nothing in any tensor."""

    def emptied(argument: Argument) -> Argument:
        if isinstance(argument, tuple):
            return tuple(TensorMeta(dtype=a.dtype, shape=(0, *a.shape[1:])) for a in argument)
        return None if argument is None else TensorMeta(dtype=argument.dtype, shape=(0, *argument.shape[1:]))

    return call.model_copy(update={"inputs": tuple(emptied(a) for a in call.inputs)})


def _refused(pattern: Pattern, call: Call) -> list[Call]:
    """Return the calls that the kernel's host has to refuse."""
    calls = [_empty(call)]
    for shapes in SHAPES.get(pattern.name, ()):
        inputs = tuple(_reshaped(a, shapes.get(i)) for i, a in enumerate(call.inputs))
        calls.append(call.model_copy(update={"inputs": inputs}))
    if pattern.name == "matmul_grouped":
        attr = call.attrs[0]
        calls += [call.model_copy(update={"attrs": (attr.model_copy(update={"value": v}),)}) for v in SIZES]
    return calls


@pytest.mark.parametrize("pattern", sampled(patterns(), 4), ids=lambda p: p.name)
def test_the_host_of_an_expert_kernel_refuses_what_its_kernel_does_not_compute(
    pattern: Pattern, twin: TwinToolchain, reference: ReferenceWorker, tmp_path: Path
) -> None:
    task = resolve_task(pattern.task, case_ids=pattern.cases[:1])
    first = reference.describe(task.reference, task.cases[0])
    project = KernelProject(op_type=pattern.op_type, kernel=pattern.kernel, files=pattern.files)
    for i, call in enumerate(_refused(pattern, first)):
        build = twin.compile(project, [call], tmp_path / str(i))
        assert build.outcome == Outcome.TILING_ERROR, (i, build.outcome)
        assert [d.code for d in build.diagnostics] == ["TILING_REFUSED"], (i, build.diagnostics)
