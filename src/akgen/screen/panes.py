"""What stands in the panes beside the conversation: sources, plan, verdict, timeline, changes."""

import re
from collections.abc import Callable, Iterator, Sequence

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.rule import Rule
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from akgen.agents.plan import Plan
from akgen.agents.prompts.advice import advice_for
from akgen.agents.requests.language import Language
from akgen.graph.chat.texts import of_finding, translated
from akgen.graph.store.records import Solution
from akgen.tables import profile_lines, verdict_table
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.profile import Profile
from akgen.tools.timeline.trace import Lane, read_trace

THEME = "ansi_dark"
_CLASS = re.compile(r"^class \w+", re.MULTILINE)
LABEL = 6
MOST_CORES = 4
_LEVELS = " ▁▂▃▄▅▆▇█"
_COLOURS = {
    "S": "grey62", "MTE2": "dodger_blue1", "MTE1": "cyan", "M": "magenta", "V": "green3", "FIX": "yellow3",
    "MTE3": "dark_orange",
}  # fmt: skip


def sources(files: dict[str, str]) -> RenderableType:
    """Return a project's files, the kernel first, coloured and numbered."""
    parts: list[RenderableType] = []
    for path in _kernel_first(files):
        parts += [Rule(Text(path, style="bold"), align="left", style="grey50"), _coloured(files[path], "cpp")]
    return Group(*parts)


def first_line(files: dict[str, str]) -> int:
    """Return where the kernel's own class begins in `sources`."""
    kernel = next((files[path] for path in _kernel_first(files)), "")
    found = _CLASS.search(kernel)
    return kernel.count("\n", 0, found.start()) if found else 0


def _kernel_first(files: dict[str, str]) -> list[str]:
    """Return the files' paths: the kernel, what it includes, the host side."""
    return sorted(
        files, key=lambda path: (not path.startswith("op_kernel/"), not path.endswith(".cpp"), path)
    )


def changes(text: str) -> RenderableType:
    return _coloured(text, "diff", numbers=False)


def plan_text(plan: Plan, say: Callable[[str], str] = str) -> RenderableType:
    """Return the plan's tiling as a table and the thought below it."""
    parts: list[RenderableType] = [Text(say(f"{plan.category}, by {plan.origin}"), style="bold")]
    tiling = plan.tiling
    if tiling is not None:
        facts = Table.grid(padding=(0, 2))
        facts.add_row(say("cores"), say(f"{tiling.block_dim} by {tiling.split or 'blocks'}"))
        facts.add_row(say("tile"), say(f"{tiling.tile_length} elements"))
        facts.add_row(
            say("on chip"),
            say(f"{tiling.ub_bytes} bytes{', double buffered' if tiling.double_buffer else ''}"),
        )
        if tiling.tail:
            facts.add_row(say("tail"), tiling.tail)
        buffers = Table(
            *map(say, ("buffer", "role", "type", "bytes", "copies")), box=None, header_style="dim"
        )
        for buffer in tiling.buffers:
            buffers.add_row(
                buffer.name, buffer.role, buffer.dtype, str(buffer.size_bytes), str(buffer.copies)
            )
        parts += [facts, Text(""), buffers]
    if plan.apis:
        parts += [Text(""), Text.assemble((f"{say('calls')} ", "dim"), ", ".join(plan.apis))]
    for risk in plan.risks:
        parts += [Text(""), Text.assemble((f"{say('risk')}  ", "yellow"), risk)]
    return Group(*parts, Text(""), Text(plan.thought))


def verdict_text(solution: Solution, language: Language = Language.ENGLISH) -> RenderableType:
    """Return the verdict: one row per case, then what was found, then the samples where there were several."""
    correct = solution.outcome is Outcome.CORRECT

    def say(text: str) -> str:
        return translated(text, language)

    parts: list[RenderableType] = [
        Text.assemble(
            (say(solution.outcome.value), "bold green" if correct else "bold red"), f"  {say(solution.why)}"
        ),
        Text(""),
    ]
    if solution.verdict.cases:
        parts.append(verdict_table(solution.verdict, say))
    for line in profile_lines(solution.profile) if solution.profile else []:
        parts.append(Text(say(line), style="dim" if "error" in line else ""))
    for found in (of_finding(f, language) for f in solution.verdict.findings):
        place = f" {found.file}:{found.line}" if found.file and found.line else ""
        style = "red" if found.severity == "error" else "yellow"
        parts += [Text(""), Text.assemble((found.code, f"bold {style}"), (place, "dim")), Text(found.text)]
        parts += [Text(found.remedy, style="italic")] if found.remedy else []
    winner = next((c for c in solution.candidates if c.sample == solution.sample), None)
    if winner is not None and len(winner.attempts) > 1:
        parts.append(Text(""))
        for row in winner.attempts:
            parts.append(
                Text(
                    say(f"attempt {row.number}")
                    + f": {say(str(row.outcome))}, {say(str(row.action or ''))}: {say(row.why or '')}"
                )
            )
    return Group(*parts)


def _coloured(text: str, language: str, *, numbers: bool = True) -> Text:
    """Return coloured source text without a background of its own; lines are not wrapped."""
    whole = Syntax(text, language, theme=THEME).highlight(text.rstrip("\n"))
    if not numbers:
        whole.no_wrap = True
        return whole
    lines = whole.split("\n", allow_blank=True)
    width = len(str(len(lines)))
    out = Text(no_wrap=True)
    for number, line in enumerate(lines, 1):
        out.append(f"{number:>{width}}  ", style="grey42")
        out.append_text(line)
        out.append("\n")
    return out


class Timeline:
    """Renders a profile to the width that it gets."""

    def __init__(self, profile: Profile, title: str) -> None:
        self._profile, self._title = profile, title
        trace = profile.trace
        self._lanes = read_trace(trace).lanes if trace is not None and trace.is_file() else ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        del console
        width = max(10, options.max_width - LABEL - 2)
        yield Text(self._title, style="bold")
        for line in profile_lines(self._profile):
            yield Text(line, style="dim" if "error" in line else "")
        yield Text("")
        yield from self._shares(width)
        for core in list(dict.fromkeys(lane.core for lane in self._lanes))[:MOST_CORES]:
            yield Text("")
            yield from self._core(core, [lane for lane in self._lanes if lane.core == core], width)
        for advice in advice_for(self._profile):
            yield Text("")
            yield Text(advice, style="italic")

    def _shares(self, width: int) -> Iterator[Text]:
        whole = max(self._profile.time_us, 1e-9)
        yield Text.assemble(("all cores: ", "bold"), ("█ busy  ", ""), ("▒ stalled  ", ""), ("· idle", "dim"))
        for pipe in self._profile.pipes:
            busy = round(width * min(1.0, pipe.busy_us / whole))
            stalled = min(width - busy, round(width * min(1.0, pipe.stalled_us / whole)))
            colour = _COLOURS[pipe.pipe]
            yield Text.assemble(
                (f"{pipe.pipe:<{LABEL}}", colour),
                ("█" * busy, colour),
                ("▒" * stalled, f"dim {colour}"),
                ("·" * (width - busy - stalled), "grey30"),
            )

    def _core(self, core: str, mine: Sequence[Lane], width: int) -> Iterator[Text]:
        end = max((s.start_us + s.duration_us for lane in mine for s in lane.spans), default=0.0)
        if end <= 0:
            return
        yield Text.assemble((f"{core}, {end:.2f} us", "bold"))
        for lane in mine:
            levels = "".join(_LEVELS[round(share * 8)] for share in _filled(lane, end, width))
            colour = _COLOURS.get(lane.pipe, "white")
            yield Text.assemble((f"{lane.pipe:<{LABEL}}", colour), (levels, colour))


def _filled(lane: Lane, end: float, width: int) -> list[float]:
    """Return for each column how much of its time the pipe was at work."""
    step = end / width
    shares = [0.0] * width
    for span in lane.spans:
        first, last = span.start_us / step, (span.start_us + span.duration_us) / step
        for column in range(max(0, int(first)), min(width, int(last) + 1)):
            shares[column] += max(0.0, min(last, column + 1) - max(first, column))
    return [min(1.0, share) for share in shares]
