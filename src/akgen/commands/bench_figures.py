"""`akgen bench speed`, `schedule`, `roofline` and `sampling`: figures beside their targets."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from akgen.terminal import AsJson, Terminal, finish
from akgen.tools.core.settings import Settings
from akgen.tools.core.toolchain import ToolchainName


def speed(
    context: typer.Context,
    root: Annotated[
        Path | None, typer.Option(help="Your checkout of NPUKernelBench, for its single-file answers.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure compiling, operators, memory, verdicts and the graph. Exit 0 if every figure is within its target."""
    from rich.table import Table

    from akgen.bench.speed import measure
    from akgen.tools.toolchains import make_toolchain
    from akgen.tools.twin.settings import TwinSettings

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    twin = TwinSettings(
        cache=settings.cache, chip=settings.chip, compiler=settings.compiler, path=settings.path
    )
    toolchain = make_toolchain(ToolchainName.TWIN, settings, settings.chip)
    figures = measure(toolchain, twin, root or settings.npukb_root, terminal.line)
    table = Table()
    table.add_column("figure", overflow="fold")
    table.add_column("value", justify="right")
    table.add_column("target", justify="right")
    table.add_column("of", overflow="fold")
    for f in figures:
        unit = "" if f.unit == "ratio" else f" {f.unit}"
        bound = "at least " if f.at_least else ""
        digits = 2 if f.value < 100 else 0
        table.add_row(f.name, f"{f.value:.{digits}f}{unit}", f"{bound}{f.target:g}{unit}", f.detail)
    terminal.show(table)
    terminal.result({"toolchain": toolchain.version(), "figures": [f.model_dump() for f in figures]})
    finish(all(f.holds for f in figures))


def schedule(
    run: Annotated[Path, typer.Argument(help="The folder of a bench run, for how long its samples took.")],
    workers: Annotated[int, typer.Option(min=1, help="How many workers to simulate.")] = 512,
    samples: Annotated[int, typer.Option(min=1, help="How many samples of each task.")] = 100,
    as_json: AsJson = False,
) -> None:
    """Simulate many workers with a run's durations. Exit 0 if nine tenths of their time judge."""
    from akgen.bench.speed_scale import LEAST_EFFICIENCY, recorded, simulate
    from akgen.bench.store import BenchStore

    terminal = Terminal(as_json)
    found = simulate(recorded(BenchStore.open(run).records()), workers, samples)
    terminal.line(
        f"{found.verdicts} verdicts, {found.judging_s / 3600:.1f} hours of judging, by {workers} workers in "
        f"{found.wall_s:.0f} s: {found.efficiency:.1%} of their time judges (target {LEAST_EFFICIENCY:.0%})"
    )
    terminal.result({**found.model_dump(), "efficiency": found.efficiency, "target": LEAST_EFFICIENCY})
    finish(found.efficiency >= LEAST_EFFICIENCY)


def roofline(
    context: typer.Context,
    large: Annotated[
        bool,
        typer.Option("--large", help="Operators of 16 MB and more, and products up to 4096^3; ten minutes."),
    ] = False,
    only: Annotated[str, typer.Option(help="Only tasks with this in their name.")] = "",
    as_json: AsJson = False,
) -> None:
    """Say how near the composer's kernels for ten tasks come to what the tasks need."""
    from rich.table import Table

    from akgen.bench.roofline import TASKS, large_tasks, measure
    from akgen.tools.toolchains import make_twin

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    toolchain = make_twin(settings, settings.chip, timed_only=large)
    with tempfile.TemporaryDirectory(prefix="akgen-large-") as folder:
        tasks = large_tasks(Path(folder), only) if large else tuple(t for t in TASKS if only in t)
        found = measure(toolchain, terminal.line, tasks)
    table = Table()
    for head in (
        "task",
        "cores",
        "us",
        "us, warm",
        "us needed",
        "share",
        "of its own traffic",
        "MB moved",
        "bound",
    ):
        table.add_column(head, justify="left" if head in ("task", "bound") else "right")
    for n in found:
        times = (n.time_us, n.warm_us or 0.0, n.roofline_us or 0.0)
        table.add_row(
            n.task, str(n.cores), *(f"{t:.2f}" for t in times), f"{n.share:.0%}", f"{n.own_share or 0:.0%}",
            f"{n.moved_bytes / 1e6:.2f}", n.bound,
        )  # fmt: skip
    terminal.show(table)
    terminal.result({"toolchain": toolchain.version(), "kernels": [n.model_dump() for n in found]})


def sampling(
    context: typer.Context,
    model: Annotated[
        str, typer.Option(help="A model behind a server: vllm:NAME, kernelgen:NAME, openai:NAME.")
    ],
    base_url: Annotated[str | None, typer.Option(help="The model's endpoint.")] = None,
    task: Annotated[str, typer.Option(help="The task whose prompt to send.")] = "softmax_rows",
    samples: Annotated[int, typer.Option(min=2, help="How many samples.")] = 8,
    max_tokens: Annotated[
        int, typer.Option(min=1, help="How many tokens one reply may have, thought included.")
    ] = 256,
    as_json: AsJson = False,
) -> None:
    """Measure one request for n samples against n requests. Exit 0 if it is at least three times as fast."""
    from akgen.agents.calls.model_call import Sampling
    from akgen.agents.models.resolve import model_options
    from akgen.agents.run_config import SolveConfig
    from akgen.bench.resolve import resolve_task
    from akgen.bench.sampling import TARGET, measure
    from akgen.knowledge.chip import chip

    settings: Settings = context.obj
    terminal = Terminal(as_json)
    config = SolveConfig(base_url=base_url or settings.base_url, sampling=Sampling(max_tokens=max_tokens))
    options = model_options(config, settings)
    found = measure(model, options, resolve_task(task), chip(settings.chip), samples)
    terminal.line(
        f"{found.samples} samples of one prompt ({found.prompt_tokens} tokens): together {found.together_s:.1f} s "
        f"({found.together_tokens} tokens), apart {found.apart_s:.1f} s ({found.apart_tokens} tokens)"
    )
    terminal.line(f"{found.ratio:.1f} times as fast together, token by token (target {TARGET:g})")
    terminal.result({**found.model_dump(), "ratio": found.ratio, "target": TARGET})
    finish(found.holds)
