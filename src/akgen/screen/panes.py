"""What stands in the panes beside the conversation: sources, plan, verdict, changes."""

import re

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from akgen.agents.plan import Plan
from akgen.graph.lines import all_findings
from akgen.graph.store.records import Solution
from akgen.tables import profile_lines, verdict_table
from akgen.tools.core.outcome import Outcome

THEME = "ansi_dark"
_CLASS = re.compile(r"^class \w+", re.MULTILINE)


def sources(files: dict[str, str]) -> RenderableType:
    """Return a project's files, the kernel first, coloured and numbered."""
    parts: list[RenderableType] = []
    for path in sorted(files, reverse=True):
        parts += [Rule(Text(path, style="bold"), align="left", style="grey50"), _coloured(files[path], "cpp")]
    return Group(*parts)


def first_line(files: dict[str, str]) -> int:
    """Return where the kernel's own class begins in `sources`, for it stands behind the library that it uses."""
    kernel = next((files[path] for path in sorted(files, reverse=True)), "")
    found = _CLASS.search(kernel)
    return kernel.count("\n", 0, found.start()) if found else 0


def changes(text: str) -> RenderableType:
    return _coloured(text, "diff", numbers=False)


def plan_text(plan: Plan) -> RenderableType:
    """Return the plan's tiling as a table and the thought below it."""
    parts: list[RenderableType] = [Text(f"{plan.category}, by {plan.origin}", style="bold")]
    tiling = plan.tiling
    if tiling is not None:
        facts = Table.grid(padding=(0, 2))
        facts.add_row("cores", f"{tiling.block_dim} by {tiling.split or 'blocks'}")
        facts.add_row("tile", f"{tiling.tile_length} elements")
        facts.add_row(
            "on chip", f"{tiling.ub_bytes} bytes{', double buffered' if tiling.double_buffer else ''}"
        )
        if tiling.tail:
            facts.add_row("tail", tiling.tail)
        buffers = Table("buffer", "role", "type", "bytes", "copies", box=None, header_style="dim")
        for buffer in tiling.buffers:
            buffers.add_row(
                buffer.name, buffer.role, buffer.dtype, str(buffer.size_bytes), str(buffer.copies)
            )
        parts += [facts, Text(""), buffers]
    if plan.apis:
        parts += [Text(""), Text.assemble(("calls ", "dim"), ", ".join(plan.apis))]
    for risk in plan.risks:
        parts += [Text(""), Text.assemble(("risk  ", "yellow"), risk)]
    return Group(*parts, Text(""), Text(plan.thought))


def verdict_text(solution: Solution) -> RenderableType:
    """Return the verdict: one row per case, then what was found, then the candidates where there were several."""
    correct = solution.outcome is Outcome.CORRECT
    parts: list[RenderableType] = [
        Text.assemble((solution.outcome.value, "bold green" if correct else "bold red"), f"  {solution.why}"),
        Text(""),
    ]
    if solution.verdict.cases:
        parts.append(verdict_table(solution.verdict))
    for line in profile_lines(solution.profile) if solution.profile else []:
        parts.append(Text(line, style="dim" if "error" in line else ""))
    for found in all_findings(solution.verdict):
        place = f" {found.file}:{found.line}" if found.file and found.line else ""
        style = "red" if found.severity == "error" else "yellow"
        parts += [Text(""), Text.assemble((found.code, f"bold {style}"), (place, "dim")), Text(found.text)]
        parts += [Text(found.remedy, style="italic")] if found.remedy else []
    winner = next((c for c in solution.candidates if c.sample == solution.sample), None)
    if winner is not None and len(winner.attempts) > 1:
        parts.append(Text(""))
        for row in winner.attempts:
            parts.append(Text(f"attempt {row.number}: {row.outcome}, {row.action}: {row.why}"))
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
