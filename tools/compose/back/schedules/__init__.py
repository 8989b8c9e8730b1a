"""Choose how a loop nest runs, and write its part of a kernel. Every module of this package registers its schedules.

What is said of each schedule, in kernels, in the chain of thought and in the plan, stands in texts.json.
"""

import importlib
import pkgutil
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from akgen.tools.compose.back.layout import Tensors
from akgen.tools.compose.back.loops import LoopCodegen
from akgen.tools.compose.back.schedules.attention import write_attention
from akgen.tools.compose.back.schedules.base import OPERATIONS, SCHEDULES, Kind, Library, Part
from akgen.tools.compose.back.schedules.contraction import write_contraction
from akgen.tools.compose.back.schedules.epilogue import write_epilogue
from akgen.tools.compose.back.schedules.grouped import write_grouped
from akgen.tools.compose.back.tuning import Tuning
from akgen.tools.compose.back.writer import NATIVE, Writer
from akgen.tools.compose.middle.symbolic_nest import SymbolicNest
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.dsl.expr import Name, binary, call
from akgen.tools.dsl.ir import Assign

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")


MOST_SPANNED = 6  # tile lengths of spans, two buffers each, that surely fit into UB
LINES: tuple[Kind, ...] = ("lines", "elements")


def kinds(template: SymbolicNest) -> tuple[Kind, ...]:
    """Return the schedules that this nest can run under, best first. Raises Unsupported if there is none."""
    if template.before:
        return ("attention",) if len(template.before) > 1 else ("epilogue",)
    library = next((OPERATIONS[v.op] for v in template.values if v.op in OPERATIONS), None)
    if library is not None:
        return (library,) if library != "sorting" else ("sorting", "sorting_long", "sorting_passes")
    count = len(template.sizes)
    overs, scans = template.nest.overs(), template.nest.scans()
    if template.listed:
        return ("list_items",) if overs else ("list",)
    if count == 0:
        return ("single",)
    if count == 1:
        return ("items",) if scans else ("flat",)
    lane, rest = (count - 1,), tuple(range(count - 1))
    walked = walks(template)
    if not overs:
        turned = not walked and template.turned() is not None
        return ("tiles", *LINES) if turned else ("rows", "tiles", *LINES)
    if walked and not scans and len(overs) == 1 and not overs & {lane} and count - 1 not in next(iter(overs)):
        return ("windows", *LINES)
    found: list[Kind] = []
    if overs == {lane} and not scans:
        found += ["shared", "split"]
    if all(o in (lane, rest, (*rest, *lane)) for o in overs) and all(
        template.values[i].over == lane for i in scans
    ):
        found.append("rows")
    if len(overs) == 1:
        over = next(iter(overs))
        found.append("items" if count - 1 in over else "columns")
    if not found:
        listed = ", ".join(str(list(o)) for o in sorted(overs))
        raise Unsupported(
            "reduction", f"reductions and scans over axes {listed} of {count} together are not covered"
        )
    return tuple(found)


def walks(template: SymbolicNest) -> bool:
    """Return whether a load walks windows, leaves out what lies outside, or has indices."""
    accesses = [v.access for v in template.values if v.op == "load" and v.access is not None]
    return any(a.window or a.guards or a.scales for a in accesses)


def _floats(template: SymbolicNest, tensors: Tensors) -> tuple[str, str]:
    """Return the types of the nest's tiles of float32 and of float16 values."""
    if template.plain is None:
        return "float32", "float32"
    mixed = [v for v in template.values if v.dtype == DType.FLOAT16]
    loads = (v.origin for v in (*mixed, *template.values) if v.op == "load" and v.dtype.is_float and v.origin)
    names = [tensors.inputs[o.input] for o in loads if o.input is not None]
    written = (s.output for s in template.nest.stores if s.dtype.is_float)
    names += [tensors.outputs[o] for o in written if o is not None]
    if not names:  # a part of a nest, without any half
        return "float32", "float32"
    return "float32" if mixed else NATIVE + names[0], NATIVE + names[0]


def write(
    template: SymbolicNest,
    kind: Kind,
    writer: Writer,
    suffix: str,
    tensors: Tensors,
    tuning: Tuning,
) -> Part:
    """Write the nest into the kernel under this schedule, with its numbers as `tuning` says."""
    writer.floats, writer.halves = _floats(template, tensors)
    if kind == "contraction":
        return write_contraction(template, writer, suffix, tensors, tuning)
    if kind == "grouped":
        return write_grouped(template, writer, suffix, tensors, tuning)
    if kind == "attention":
        return write_attention(template, writer, suffix, tensors, tuning)
    if kind == "epilogue":
        return write_epilogue(template, writer, suffix, tensors, tuning)
    schedule = SCHEDULES[kind](template, writer, suffix, tensors, tuning)
    if isinstance(schedule, Library):
        schedule.run()
        return schedule.part
    part, layout, levels = schedule.part, schedule.layout(), schedule.levels()
    writer.capacities = schedule.capacities()
    share = schedule.name("column_share")
    emitter = LoopCodegen(template, writer, layout, levels, tensors, share)
    emitter.group, emitter.suffix, emitter.loads_rows = schedule.group(), suffix, kind != "elements"
    schedule.check(emitter)
    emitter.run()
    part.workspaces = emitter.workspaces
    part.work = tuple(w._replace(dealt=schedule.dealt()) for w in emitter.work())
    for name, width in emitter.widths.items():
        part.host.insert(0, Assign(name=name.id, value=width))
        part.fixed.append(name)
    unsure = emitter.widths or sum(emitter.spans) > MOST_SPANNED
    if unsure and part.fits is None and part.tile is not None:
        part.fits = binary(">=", part.tile.param, 1)
    if emitter.shares_columns:
        each = call("ceil_div", template.sizes[-1], Name(id="cores"))
        part.host.insert(0, Assign(name=share.id, value=call("align_up", each, 64)))
        part.host.insert(0, Assign(name=emitter.programs.id, value=Name(id="cores")))
        part.fixed += [emitter.programs, share]
    return part


class ScheduleText(Frozen):
    """How the schedule runs, why it is taken, what the cores divide among them, why nothing simpler does."""

    how: str
    why: str
    shares: str
    instead: str | None = None


@cache
def schedule_texts() -> dict[Kind, ScheduleText]:
    """Return the texts of every schedule."""
    text = (Path(__file__).parent / "texts.json").read_text()
    return TypeAdapter(dict[Kind, ScheduleText]).validate_json(text)
