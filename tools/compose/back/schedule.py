"""Choose how a loop nest runs, and write its part of a kernel."""

from akgen.tools.compose.back.layout import Tensors
from akgen.tools.compose.back.levels import Emitter
from akgen.tools.compose.back.schedule_base import Builder, Flat, Kind, Part, Single
from akgen.tools.compose.back.schedule_items import Columns, Items, Split
from akgen.tools.compose.back.schedule_lists import ListItems, Lists
from akgen.tools.compose.back.schedule_rows import Rows, Tiles
from akgen.tools.compose.back.tuning import Tuning
from akgen.tools.compose.back.writer import Writer
from akgen.tools.compose.middle.template import Template
from akgen.tools.compose.scope import Unsupported

_BUILDERS: dict[Kind, type[Builder]] = {
    "single": Single, "flat": Flat, "rows": Rows, "tiles": Tiles, "items": Items, "columns": Columns,
    "split": Split, "list": Lists, "list_items": ListItems,
}  # fmt: skip


def kinds(template: Template) -> tuple[Kind, ...]:
    """Return the schedules that this nest can run under, best first. Raises Unsupported if there is none."""
    count = len(template.sizes)
    overs = {template.values[i].over for i in template.nest.reductions()}
    if template.listed:
        return ("list_items",) if overs else ("list",)
    if count == 0:
        return ("single",)
    if count == 1:
        return ("flat",)
    lane, rest = (count - 1,), tuple(range(count - 1))
    if not overs:
        return ("rows", "tiles")
    found: list[Kind] = []
    if overs == {lane}:
        found.append("split")
    if all(o in (lane, rest, (*rest, *lane)) for o in overs):
        found.append("rows")
    if len(overs) == 1:
        over = next(iter(overs))
        found.append("items" if count - 1 in over else "columns")
    if not found:
        listed = ", ".join(str(list(o)) for o in sorted(overs))
        raise Unsupported("reduction", f"reductions over axes {listed} of {count} together are not covered")
    return tuple(found)


def write(
    template: Template,
    kind: Kind,
    writer: Writer,
    suffix: str,
    tensors: Tensors,
    tuning: Tuning,
) -> Part:
    """Write the nest into the kernel under this schedule, with its numbers as `tuning` says."""
    builder_class = _BUILDERS[kind]
    builder = builder_class(template, writer, suffix, tensors, tuning)
    part, layout, levels = builder.part, builder.layout(), builder.levels()
    writer.capacities = builder.capacities()
    share = builder.name("column_share")
    emitter = Emitter(template, writer, layout, levels, tensors, share)
    emitter.group = builder.group()
    builder.check(emitter)
    emitter.run()
    part.workspaces = emitter.workspaces
    if emitter.shares_columns:
        part.host.insert(0, f"{share} = align_up(ceil_div({template.sizes[-1]}, cores), 64)")
        part.fixed.append(share)
    return part
