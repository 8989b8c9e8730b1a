"""Measure AKGen's speed in one run: compiling, verdicts, operators on the twin, memory, the graph.

Where a figure depends on the machine it is a ratio to something that is measured in turn with it.
"""

from collections.abc import Callable
from pathlib import Path

from akgen.bench.figure import Figure
from akgen.bench.graph_overhead import measure as measure_graph
from akgen.bench.speed_compile import measure_compile
from akgen.bench.speed_run import measure_operators, measure_rate, measure_warm_verdict
from akgen.tools.core.toolchain import Toolchain
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.twin.runtime_build import build_runtime
from akgen.tools.twin.settings import TwinSettings

Say = Callable[[str], None]


def measure(toolchain: Toolchain, settings: TwinSettings, root: Path | None, say: Say) -> tuple[Figure, ...]:
    """Take all figures. Without `root` (a checkout of NPUKernelBench) the composer's own kernels are compiled."""
    toolchain.prepare(say)
    runtime = build_runtime(settings, say)
    with ReferenceWorker() as reference:
        reference.start()
        judge = Judge(toolchain, reference)
        say("compiling kernels and a program that only includes <iostream>, in turn")
        compiled = measure_compile(judge, runtime, root)
        say("running softmax and RMSNorm on the twin and in PyTorch, in turn")
        operators = measure_operators(toolchain, judge, reference)
        say("judging a 1 MB elementwise task")
        verdict = measure_warm_verdict(judge, reference)
    say("judging our own tasks with two workers")
    rate = measure_rate(toolchain)
    say("driving the graph with deciders that answer at once")
    overhead = measure_graph()
    graph = Figure(
        name="graph overhead per step",
        value=overhead.per_step_ms,
        target=15.0,
        unit="ms",
        detail="checkpoint and run store included, deciders and tools answer at once",
    )
    return (compiled, *operators, verdict, rate, graph)
