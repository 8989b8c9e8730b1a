"""What fusing saves: `python -m akgen.bench.unfused TASK [CASE]`.

The composer's kernel for a case (its largest unless named) beside the sequence of operators that the reference calls,
each composed as a kernel of its own, as if PyTorch ran them one by one; views cost nothing there. Times are the twin's
predictions; launching is not counted, which is to the sequence's advantage.
"""

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from akgen.bench.resolve import resolve_task
from akgen.bench.speed_parts import composed
from akgen.tools.compose.front.traced import Origin, Ref, RemoteTrace, TracedGraph, TracedNode, TracedOutput
from akgen.tools.compose.program import compose
from akgen.tools.core.call import Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InfraError
from akgen.tools.core.task import Task
from akgen.tools.core.toolchain import Toolchain
from akgen.tools.dsl import lower
from akgen.tools.judge.judge import Judge, open_judge
from akgen.tools.twin.settings import TwinSettings, user_cache
from akgen.tools.twin.toolchain import TwinToolchain

VIEWS = frozenset({
    "alias", "as_strided", "detach", "diagonal", "expand", "lift_fresh", "permute", "select", "slice", "squeeze", "t",
    "transpose", "unfold", "unsqueeze", "view", "_unsafe_view", "narrow", "split", "split_with_sizes", "unbind",
})  # fmt: skip


class OperatorTime(Frozen):
    """One kernel of the sequence, or the fused one."""

    name: str
    time_us: float


def operators(graph: TracedGraph) -> Iterator[tuple[str, TracedGraph]]:
    """Yield each call that computes as a graph of its own, whose inputs are the tensors that the calls before made."""
    nodes = {n.index: n for n in graph.nodes}
    for node in graph.nodes:
        if node.kind == "call" and not _is_view(node) and any(m is not None for m in node.metas):
            yield node.target.split(".")[1], _alone(node, nodes)


def _is_view(node: TracedNode) -> bool:
    return node.kind == "call" and node.target.split(".")[1] in VIEWS


def _alone(node: TracedNode, nodes: dict[int, TracedNode]) -> TracedGraph:
    """Return a graph of one call, with the views between it and what was stored before."""
    inner: dict[int, TracedNode] = {}
    inputs: list[TensorMeta] = []

    def keep(at: int) -> None:
        if at in inner:
            return
        one = nodes[at]
        if (
            at == node.index
            or _is_view(one)
            or one.kind == "const"
            or not isinstance(one.metas[0], TensorMeta)
        ):
            for ref in _refs((*one.args, *(value for _, value in one.kwargs))):
                keep(ref.node)
            inner[at] = one
            return
        meta = one.metas[0]
        inner[at] = TracedNode(index=at, kind="input", metas=(meta,), origin=Origin(input=len(inputs)))
        inputs.append(meta)

    keep(node.index)
    places = {old: new for new, old in enumerate(sorted(inner))}
    outputs = tuple(
        TracedOutput(ref=Ref(node=places[node.index], part=k), output=k, dtype=m.dtype)
        for k, m in enumerate(node.metas)
        if m is not None
    )
    return TracedGraph(
        nodes=tuple(_moved(inner[old], places) for old in sorted(inner)), outputs=outputs, inputs=tuple(inputs),
        attrs=(), aliases=(None,) * len(outputs), output_dtypes=tuple(o.dtype for o in outputs),
    )  # fmt: skip


def _moved(node: TracedNode, places: dict[int, int]) -> TracedNode:
    """Return the node with its own place and those of its arguments among the nodes that are kept."""

    def moved(arg: Any) -> Any:
        if isinstance(arg, Ref):
            return arg.model_copy(update={"node": places[arg.node]})
        return tuple(map(moved, arg)) if isinstance(arg, tuple) else arg

    kwargs = tuple((name, moved(value)) for name, value in node.kwargs)
    return node.model_copy(update={"index": places[node.index], "args": moved(node.args), "kwargs": kwargs})


def _refs(args: Sequence[object]) -> Iterator[Ref]:
    for a in args:
        if isinstance(a, Ref):
            yield a
        elif isinstance(a, tuple):
            yield from _refs(a)


def operator_time(name: str, graph: TracedGraph, toolchain: Toolchain, folder: Path) -> OperatorTime:
    """Compose and profile one operator. Raises Unsupported for one that is not covered, InfraError if it fails."""
    made = compose("UnfusedOp", "unfused_op", [graph])
    folder.mkdir(parents=True)
    inputs = []
    for k, meta in enumerate(graph.inputs):
        assert isinstance(meta, TensorMeta)
        path = folder / f"in{k}.bin"
        _values(meta).tofile(path)
        inputs.append(TensorFile(dtype=meta.dtype, shape=meta.shape, path=path))
    metas = [graph.nodes[-1].metas[o.ref.part] for o in graph.outputs]
    outputs = tuple(OutputMeta(meta=m, aliases=None) for m in metas if m is not None)
    call = Call(inputs=tuple(inputs), outputs=outputs, attrs=())
    build = toolchain.compile(lower(made.program, made.face.op, "unfused_op"), [call], folder / "build")
    launch = toolchain.run(build, call, folder / "run") if build.outcome is None else None
    if launch is None or launch.time_us is None:
        raise InfraError(f"The kernel of {name} does not run.", "This is a bug of ours.")
    return OperatorTime(name=name, time_us=launch.time_us)


def _values(meta: TensorMeta) -> "np.ndarray[tuple[int], np.dtype[np.generic]]":
    """Return values whose bytes suit the dtype: small numbers of floats, zeros of integers."""
    if meta.dtype == DType.FLOAT32:
        return np.random.default_rng(0).standard_normal(meta.count).astype(np.float32)
    return np.zeros(meta.count * meta.dtype.size_bytes, np.uint8)


def measure(judge: Judge, toolchain: Toolchain, task: Task, folder: Path) -> tuple[OperatorTime, ...]:
    """Return the fused kernel's time, then those of the sequence."""
    case = judge.largest(task)
    build = judge.compile(composed(task), task, folder / "fused")
    profile = judge.profile(build, task.only((case.id,)), folder / "profile")
    if profile is None:
        raise InfraError(f"The composer's kernel for {task.name} does not run.", "This is a bug of ours.")
    graph = RemoteTrace(judge.reference)(task.reference, case)
    found = [OperatorTime(name=f"{task.name}, case {case.id}, fused", time_us=profile.time_us)]
    for number, (name, one) in enumerate(operators(graph)):
        found.append(operator_time(name, one, toolchain, folder / str(number)))
    return tuple(found)


def main(arguments: Sequence[str]) -> int:
    """Print the times and their ratio."""
    task = resolve_task(arguments[0], case_ids=tuple(arguments[1:2]) or None)
    toolchain = TwinToolchain(TwinSettings(cache=user_cache(os.environ)))
    toolchain.prepare(lambda _: None)
    with (
        open_judge(toolchain, lambda _: None) as judge,
        tempfile.TemporaryDirectory(prefix="akgen-unfused-") as work,
    ):
        fused, *sequence = measure(judge, toolchain, task, Path(work))
    for one in (fused, *sequence):
        sys.stdout.write(f"{one.time_us:10.1f} us predicted  {one.name}\n")
    whole = sum(one.time_us for one in sequence)
    sys.stdout.write(
        f"{whole:10.1f} us for the sequence, {whole / fused.time_us:.2f} times the fused kernel's\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
