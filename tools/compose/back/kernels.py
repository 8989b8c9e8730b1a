"""Write the kernels of a group of cases: one per schedule of its loop nest, with the host lines before its launch."""

from akgen.tools.compose.back.layout import Tensors
from akgen.tools.compose.back.schedules import kinds, write
from akgen.tools.compose.back.schedules.base import Kind, Part
from akgen.tools.compose.back.tuning import Tuning
from akgen.tools.compose.back.writer import Writer
from akgen.tools.compose.middle.formula import formulas
from akgen.tools.compose.middle.groups import Group
from akgen.tools.compose.middle.interface import Interface
from akgen.tools.compose.middle.symbolic_nest import SymbolicNest, by_reduction
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.knobs import Knobs

EVENTS = 8  # hardware events for tiles that are loaded; each takes one


class ScheduledKernel(Frozen):
    """One kernel: its text, how the host prepares it, and which schedule of which group it is."""

    name: str
    text: str
    group: int
    kinds: tuple[Kind, ...]
    host: tuple[str, ...]
    launch: str
    fits: str | None
    turned: frozenset[str]  # knobs that decided something in it


def kernels_of(base: str, number: int, group: Group, face: Interface, knobs: Knobs) -> list[ScheduledKernel]:
    """Return the kernels of a group: one per schedule of its nest, until one needs no condition.

    Those before the schedule that is wished for are left out.
    """
    out: list[ScheduledKernel] = []
    refused: Unsupported | None = None
    for templates, choice in _choices(group):
        name = f"{base}_{'_'.join(dict.fromkeys(choice))}" + (f"_{number}" if number else "")
        try:
            out.append(_kernel(name, number, templates, choice, face, knobs))
        except Unsupported as error:
            refused = error
            continue
        if out[-1].fits is None:
            break
    if not out:
        assert refused is not None
        raise refused
    names = [k.name for k in out]
    if knobs.schedule not in names:
        return out
    return [
        k.model_copy(update={"turned": k.turned | {"schedule"}}) for k in out[names.index(knobs.schedule) :]
    ]


def _choices(group: Group) -> list[tuple[tuple[SymbolicNest, ...], tuple[Kind, ...]]]:
    """Return ways to run a group, best first: one schedule, or one per set of reduced axes, one after the other."""
    found: list[tuple[tuple[SymbolicNest, ...], tuple[Kind, ...]]] = []
    if len(group.templates) > 1:
        return [(group.templates, tuple(kinds(t)[0] for t in group.templates))]
    (template,) = group.templates
    parts = by_reduction(template)
    try:
        found += [((template,), (k,)) for k in kinds(template)]
    except Unsupported:
        if len(parts) == 1:
            raise
    if len(parts) > 1:
        found.append((parts, tuple(kinds(p)[-1] for p in parts)))
    return found


def _kernel(
    name: str,
    number: int,
    templates: tuple[SymbolicNest, ...],
    choice: tuple[Kind, ...],
    face: Interface,
    knobs: Knobs,
    *,
    frugal: bool = False,
) -> ScheduledKernel:
    writer, tuning = Writer(frugal=frugal), Tuning(knobs)
    parts: list[Part] = []
    for k, (template, kind) in enumerate(zip(templates, choice, strict=True)):
        suffix = "" if len(choice) == 1 else f"_{chr(ord('a') + k)}"
        parts.append(write(template, kind, writer, suffix, _tensors(face), tuning))
        writer.close_stage()
    _untouched(writer, templates, face)
    loaded = sum(t.loaded for t in writer.tiles)
    if loaded > EVENTS and not frugal:
        return _kernel(name, number, templates, choice, face, knobs, frugal=True)
    if loaded > EVENTS:
        raise Unsupported(
            "buffers", f"{loaded} tensors are loaded side by side; the chip has events for {EVENTS}"
        )
    host = _host_lines(name, parts, tuning)
    tensors = [t.removeprefix("g_") for t in writer.tensors]
    scalars = [text for _, text in writer.scalars.values()]
    return ScheduledKernel(
        name=name, group=number, kinds=choice, host=tuple(host),
        text=writer.text(name, _doc(templates, choice, face), single_buffers=tuning.single_buffers),
        launch=f"{name}[cores]({', '.join([*tensors, *scalars])})",
        fits=" and ".join(p.fits for p in parts if p.fits) or None, turned=frozenset(tuning.used),
    )  # fmt: skip


def _untouched(writer: Writer, templates: tuple[SymbolicNest, ...], face: Interface) -> None:
    """Give outputs that the reference does not define a first element: 0, or their input's own where they alias it."""
    stored = {s.output for t in templates for s in t.nest.stores}
    missing = [k for k in range(len(face.output_names)) if k not in stored]
    if not missing:
        return
    writer.capacities = {"S": "8"}
    with writer.indented("if program_id() == 0:"):
        for k in missing:
            name = writer.tensor(f"g_{face.output_names[k]}")
            alias = next(
                (i for i, n in enumerate(face.input_names) if f"{n}_ref" == face.output_names[k]), None
            )
            tile = writer.allocate("S", "float32", loaded=alias is not None)
            if alias is not None:
                with writer.stage("copyin"):
                    writer.line(f"load({tile.name}, {writer.tensor(f'g_{face.input_names[alias]}')}, 0, 1)")
            else:
                with writer.stage("compute"):
                    writer.line(f"fill({tile.name}, 0.0, 1)")
            with writer.stage("copyout"):
                writer.line(f"store({name}, 0, {tile.name})")
            writer.close_stage()


def _tensors(face: Interface) -> Tensors:
    """Return the kernel's names of tensors, apart from those of its own variables."""
    kinds_of = [
        *zip(face.input_names, face.input_kinds, strict=True),
        *zip(face.output_names, face.output_kinds, strict=True),
    ]
    return Tensors(
        inputs=tuple(f"g_{n}" for n in face.input_names),
        outputs=tuple(f"g_{n}" for n in face.output_names),
        lists=frozenset(f"g_{n}" for n, kind in kinds_of if kind in ("TensorList", "OutputList")),
    )


def _host_lines(name: str, parts: list[Part], tuning: Tuning) -> list[str]:
    """Return the host's lines before a launch: cores, shares, capacities, workspaces."""
    needs = [p.cores for p in parts if p.cores != "1"]
    wanted = needs[0] if len(needs) == 1 else f"max({', '.join(needs)})"
    lines = ["cores = 1" if not needs else f"cores = max(1, min({tuning.cores()}, {wanted}))"]
    for part in parts:
        lines += part.host
    sizes = {k: p.tile for k, p in enumerate(parts) if p.tile is not None}
    for k, tile in sizes.items():
        # the tiles of the parts before are decided; those after are taken to be small
        others = [
            (s.param, s.param if j < k else "1" if s.rows else "64") for j, s in sizes.items() if j != k
        ]
        given = dict.fromkeys([*((f, f) for p in parts for f in p.fixed), *others])
        fit = f'fit_tile({name}, "{tile.param}"{"".join(f", {n}={value}" for n, value in given)})'
        if k < len(parts) - 1:
            fit += f" // {len(parts) - k}"
        size = tuning.limited(
            f"min({fit}, {', '.join(tile.most)})", rows=tile.rows, widths=[value for _, value in given]
        )
        lines.append(f"{tile.param} = {size}")
    for part in parts:
        lines += [f"{w} = workspace((core_num() + 1) * {width}, float32)" for w, width in part.workspaces]
    return lines


_PHRASES: dict[Kind, str] = {
    "single": "Single numbers, one core.",
    "flat": "One flat axis, cut over the cores, then into tiles.",
    "rows": "Whole rows in UB, several per tile; rows are cut over the cores.",
    "tiles": "Rows and columns are cut into tiles.",
    "items": "One item after the other per core, one pass per reduction.",
    "columns": "Tiles of columns, reduced row by row.",
    "split": "Few long rows: several cores share a row and exchange partial results.",
    "list": "The tiles of all tensors of the lists, dealt out to the cores in turn.",
    "list_items": "One tensor of the lists after the other, dealt out to the cores.",
}


def _doc(templates: tuple[SymbolicNest, ...], choice: tuple[Kind, ...], face: Interface) -> str:
    """Return a kernel's docstring: how it runs, and what it computes where that is short."""
    outputs = tuple(n.removesuffix("_ref") for n in face.output_names)
    lines = [_PHRASES[kind] for kind in dict.fromkeys(choice)]
    steps = [s for t in templates for s in formulas(t, face.input_names, outputs)]
    lines += [s for s in steps if len(s) <= 100] if len(steps) <= 8 else []
    return "\n\n    ".join([lines[0], "\n    ".join(lines[1:])]) if len(lines) > 1 else lines[0]
