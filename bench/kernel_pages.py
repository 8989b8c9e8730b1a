"""Write the pages of docs/kernels/: `python -m akgen.bench.kernel_pages [--keep-timelines] [NAME ...]`.

Each page follows one kernel from its PyTorch reference (the Python file beside the page) through the tile program and
the four lowering passes to its timeline on the twin. A test makes all but the timelines anew and compares.
"""

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from akgen.bench.resolve import resolve_task
from akgen.knowledge.chip import DEFAULT_CHIP, chip
from akgen.tools.compose.front.traced import RemoteTrace, TracedGraph
from akgen.tools.compose.program import Composition, compose
from akgen.tools.core.outcome import InfraError
from akgen.tools.core.profile import Profile
from akgen.tools.core.task import Task
from akgen.tools.dsl import Passes, lower_passes
from akgen.tools.dsl.code import CopyCall, KernelCode
from akgen.tools.dsl.host_run import HostRun
from akgen.tools.dsl.prepare import prepare
from akgen.tools.dsl.template import broken
from akgen.tools.judge.judge import open_judge
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.timeline.trace import PIPE_ORDER, Lane, read_trace
from akgen.tools.twin.settings import TwinSettings, user_cache
from akgen.tools.twin.toolchain import TwinToolchain

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "kernels"
TIMELINE = "## The timeline\n"
COLUMNS = 96  # characters that a drawn lane has
SHADES = " ░▒▓█"  # none, up to a third, two thirds, less than all, all of a column's time


def names() -> list[str]:
    """Return the kernels that have a page."""
    return sorted(p.stem for p in FOLDER.glob("*.py"))


def shown(name: str, reference: ReferenceWorker) -> tuple[Task, Passes, str]:
    """Return the task, what the passes made, and the page up to the timeline."""
    task = resolve_task(str(FOLDER / f"{name}.py"))
    graph = RemoteTrace(reference)(task.reference, task.cases[0])
    made = _one_kernel(compose(task.op_type, task.kernel, [graph], task.op_type), graph)
    passes = lower_passes(made.program, made.face.op, task.kernel)
    source = (FOLDER / f"{name}.py").read_text()
    title = source.partition('"""')[2].partition('"""')[0].strip()
    return task, passes, "\n".join(_page(title, source, made, passes))


def _one_kernel(made: Composition, graph: TracedGraph) -> Composition:
    """Return the composition with the kernel alone that the case takes."""
    program = made.program
    metas = dict(zip(program.host.inputs, graph.inputs, strict=True))
    for k, output in enumerate(program.host.outputs):
        metas[output] = next(
            graph.nodes[o.ref.node].metas[o.ref.part] for o in graph.outputs if o.output == k
        )
    launched = HostRun(program, prepare(program), metas, dict(graph.attrs), chip(DEFAULT_CHIP).core_aiv).run()
    return made.with_one_kernel(launched.kernel)


def _page(title: str, source: str, made: Composition, passes: Passes) -> Iterator[str]:
    files = passes.project.files
    yield f"# {title}\n\nMade by `make kernel-pages`; do not edit.\n\n## The reference\n"
    yield _block("python", source)
    yield "## The tile program\n\nThe composer's, with the kernel that this shape takes (`docs/dsl.md`).\n"
    yield _block("text", made.dsl)
    yield "## Pass 1: host and tiling\n\nThe tiling data, and the function that fills it.\n"
    yield _block("cpp", _between(passes.host.tiling_h, "BEGIN_TILING", "END_TILING"))
    yield _block("cpp", _between(passes.host.host_cpp, "ge::graphStatus TilingFunc", "} // namespace"))
    yield "## Pass 2: kernel init\n\nThe class's members, and what Init does.\n"
    for init in passes.init:
        phases = [line for later in init.later for line in ("// the next phase", *later)]
        yield _block("cpp", "\n".join((*init.members, "", *init.init, *phases)))
    yield "## Pass 3: compute\n\nOne function per block; what is copied is still data, written as `from -> to`.\n"
    yield from (_block("cpp", _functions(code)) for code in passes.compute)
    yield "## Pass 4: alignment\n\nThe copies: DataCopy for whole blocks of 32 bytes, padded ones for ragged lengths.\n"
    for code, aligned in zip(passes.compute, passes.aligned, strict=True):
        pairs = zip(code.functions, aligned.functions, strict=True)
        lines = [
            f"{f.name}: {text.strip()}"
            for f, a in pairs
            for line, text in zip(f.lines, a.lines, strict=True)
            if isinstance(line.content, CopyCall)
        ]
        yield _block("cpp", "\n".join(lines))
    sizes = ", ".join(f"{path} {len(text.splitlines())} lines" for path, text in files.items())
    yield f"The project: {sizes}.\n"


def _block(language: str, text: str) -> str:
    return f"```{language}\n{(broken(text) if language == 'cpp' else text).strip()}\n```\n"


def _between(text: str, first: str, last: str) -> str:
    """Return the lines from the one that holds `first` to before the next one that holds `last`."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if first in line)
    end = next((i for i in range(start + 1, len(lines)) if last in lines[i]), len(lines))
    return "\n".join(lines[start:end])


def _functions(code: KernelCode) -> str:
    lines = []
    for f in code.functions:
        lines.append(f"void {f.name}({', '.join(f.params)})")
        for line in f.lines:
            text = line.content if isinstance(line.content, str) else _copied(line.content)
            lines.append("    " * (line.depth + 1) + text)
        lines.append("")
    return "\n".join(lines)


def _copied(c: CopyCall) -> str:
    ends = (f"{c.remote}[{c.at}]", c.local) if c.direction == "in" else (c.local, f"{c.remote}[{c.at}]")
    more = "" if c.inside is None else f", inside {', '.join(c.inside)}"
    more += "" if c.index is None else f", by {c.index}"
    rows = f", rows {c.pitch} apart" if c.pitch is not None else ""
    return f"copy {ends[0]} -> {ends[1]}: ({', '.join(c.extent)}){rows}{more}"


def timeline(profile: Profile) -> str:
    """Return the profile as a table, and the pipes of one core as lanes of characters."""
    rows = [
        f"| {p.pipe} | {p.busy_us:.1f} | {p.stalled_us:.1f} | {p.idle_us:.1f} | {p.instructions} |"
        for p in profile.pipes
    ]
    table = ["| pipe | busy µs | stalled µs | idle µs | instructions |", "|---|---|---|---|---|", *rows]
    drawn = ""
    if profile.trace is not None:
        lanes = read_trace(profile.trace).lanes
        block = min((lane.block for lane in lanes), default=0)
        mine = [lane for lane in lanes if lane.block == block and lane.spans]
        mine.sort(key=lambda lane: (lane.core, PIPE_ORDER.index(lane.pipe) if lane.pipe in PIPE_ORDER else 9))
        end = max((s.start_us + s.duration_us for lane in mine for s in lane.spans), default=1.0)
        width = max((len(f"{lane.core} {lane.pipe}") for lane in mine), default=0)
        drawn = "\n".join(f"{f'{lane.core} {lane.pipe}':{width}} |{_lane(lane, end)}|" for lane in mine)
    head = f"{TIMELINE}\nPredicted by the twin: {profile.summary()}, on {profile.cores} cores.\n"
    text = "\n".join(
        (head, *table, "", "One block's pipes over time, from its start to its end:\n", _block("text", drawn))
    )
    return text + "\n"


def _lane(lane: Lane, end: float) -> str:
    busy = [0.0] * COLUMNS
    step = end / COLUMNS
    for span in lane.spans:
        first, last = span.start_us, span.start_us + span.duration_us
        for at in range(int(first / step), min(COLUMNS, int(last / step) + 1)):
            busy[at] += max(0.0, min(last, (at + 1) * step) - max(first, at * step))
    return "".join(SHADES[min(4, int(b / step * 3.001) + 1 if b > 0 else 0)] for b in busy)


def main(wanted: Sequence[str]) -> int:
    """Write the pages; with --keep-timelines, without running anything, and with the timelines that they have."""
    if "--keep-timelines" in wanted:
        with ReferenceWorker() as reference:
            for name in [w for w in wanted if not w.startswith("-")] or names():
                file = FOLDER / f"{name}.md"
                kept = file.read_text().partition(TIMELINE)
                file.write_text(shown(name, reference)[2] + kept[1] + kept[2])
        return 0
    toolchain = TwinToolchain(TwinSettings(cache=user_cache(os.environ)))
    toolchain.prepare(lambda _: None)
    with (
        open_judge(toolchain, lambda _: None) as judge,
        tempfile.TemporaryDirectory(prefix="akgen-pages-") as work,
    ):
        for name in wanted or names():
            task, passes, page = shown(name, judge.reference)
            folder = Path(work) / name
            verdict = judge.judge(passes.project, task, work=folder / "judged", trials=1)
            profile = judge.profile(
                judge.compile(passes.project, task, folder / "build"), task, folder / "run"
            )
            if profile is None or verdict.outcome != "correct":
                raise InfraError(f"The kernel of {name} is {verdict.outcome}.", "This is a bug of ours.")
            (FOLDER / f"{name}.md").write_text(page + timeline(profile).rstrip() + "\n")
            sys.stdout.write(f"{FOLDER / name}.md: {profile.summary()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
