"""From traces to a program: group the cases by structure, write a kernel per group and schedule, and the host."""

import math
from collections.abc import Iterator, Sequence

from akgen.tools.compose.back.layout import Tensors
from akgen.tools.compose.back.schedule import kinds, write
from akgen.tools.compose.back.schedule_base import Kind, Part
from akgen.tools.compose.back.tuning import Tuning
from akgen.tools.compose.back.writer import Writer
from akgen.tools.compose.front.aten import import_graph
from akgen.tools.compose.front.traced import TracedGraph
from akgen.tools.compose.middle.conditions import Branch, Features, decide, numbers
from akgen.tools.compose.middle.facts import Facts
from akgen.tools.compose.middle.formula import formulas
from akgen.tools.compose.middle.interface import Interface, interface
from akgen.tools.compose.middle.lifting import with_inputs
from akgen.tools.compose.middle.listing import is_listed, list_nest
from akgen.tools.compose.middle.nest import Nest
from akgen.tools.compose.middle.nesting import nests
from akgen.tools.compose.middle.push import push
from akgen.tools.compose.middle.shapes import declarations
from akgen.tools.compose.middle.template import Template, by_reduction, structure, unify
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.call import TensorMeta
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.knobs import Knobs
from akgen.tools.core.op_spec import AttrSpec

EVENTS = 8  # hardware events for tiles that are loaded; each takes one


class KernelText(Frozen):
    """One kernel: its text, how the host prepares it, and which schedule of which group it is."""

    name: str
    text: str
    group: int
    kinds: tuple[Kind, ...]
    host: tuple[str, ...]
    launch: str
    fits: str | None
    turned: frozenset[str]  # knobs that decided something in it


class Group(Frozen):
    """Cases of one structure, and what was found out about them. `checks` are conditions on shapes that must hold."""

    cases: tuple[int, ...]
    templates: tuple[Template, ...]
    declarations: tuple[str, ...]
    checks: tuple[str, ...] = ()


class Composition(Frozen):
    """A finished program with what a plan says about it; `unused` are knobs that change nothing here, in words."""

    face: Interface
    groups: tuple[Group, ...]
    kernels: tuple[KernelText, ...]
    tree: Branch
    dsl: str
    kernel: str
    doc: str
    unused: str | None = None

    def tuned(self, knobs: Knobs | None) -> "Composition":
        """Return the program scheduled with these knobs."""
        if knobs is None or knobs.empty:
            return self
        return _scheduled(self.kernel, self.face, self.groups, self.tree, self.doc, knobs)


def compose(
    op_type: str, kernel: str, cases: Sequence[TracedGraph], doc: str = "", *, faithful: bool = False
) -> Composition:
    """Return the program that serves all these cases. Raises Unsupported, naming what is not covered.

    With `faithful`, half-precision results are rounded after every operation, as the reference rounds them.
    """
    face = interface(op_type, cases)
    listed = is_listed(cases)
    found = [
        (list_nest(c, faithful=faithful),) if listed else nests(push(import_graph(c, faithful=faithful)))
        for c in cases
    ]
    groups: list[Group] = []
    for members in _grouped(found):
        groups += _groups(members, cases, found, face)
    tree = decide([g.cases for g in groups], cases, face, [_features(g, cases) for g in groups])
    return _scheduled(kernel, face, tuple(groups), tree, doc, Knobs())


def _scheduled(
    kernel: str, face: Interface, groups: tuple[Group, ...], tree: Branch, doc: str, knobs: Knobs
) -> Composition:
    kernels: list[KernelText] = []
    for number, group in enumerate(groups):
        kernels += _kernels(kernel, number, group, face, knobs)
    turned = frozenset[str]().union(*(k.turned for k in kernels))
    unused = knobs.model_copy(update=dict.fromkeys(turned))
    return Composition(
        face=face, groups=groups, kernels=tuple(kernels), tree=tree, kernel=kernel, doc=doc,
        dsl=_text(kernel, face, groups, kernels, tree, doc), unused=None if unused.empty else str(unused),
    )  # fmt: skip


def _features(group: Group, cases: Sequence[TracedGraph]) -> Features:
    ops = tuple(tuple(v.op for v in t.values if v.op != "expand") for t in group.templates)
    rounds = tuple(sorted({o for t in ops for o in t if o.startswith("round_")}))
    lanes = tuple(tuple(v.dtype for v in t.values if v.op == "load") for t in group.templates)
    return Features(
        kinds=(numbers(group.cases, cases), rounds, lanes),
        operations=ops,
        axes=tuple(len(t.sizes) for t in group.templates),
    )


def _grouped(found: Sequence[tuple[Nest, ...]]) -> list[list[int]]:
    groups: dict[object, list[int]] = {}
    for i, case in enumerate(found):
        groups.setdefault(tuple(structure(n) for n in case), []).append(i)
    return list(groups.values())


def _groups(
    members: list[int], cases: Sequence[TracedGraph], found: Sequence[tuple[Nest, ...]], face: Interface
) -> list[Group]:
    """Return one group, or several where numbers only follow a rule for one value of some attribute."""
    try:
        return [_group(members, [cases[i] for i in members], [found[i] for i in members], face)]
    except Unsupported as refused:
        for k, spec in enumerate(face.op.attrs):
            values = {i: cases[i].attrs[k][1] for i in members}
            distinct = list(dict.fromkeys(values.values()))
            if spec.type not in ("bool", "int", "str") or not 1 < len(distinct) <= 8:
                continue
            try:
                parts = [[i for i in members if values[i] == v] for v in distinct]
                return [g for part in parts for g in _groups(part, cases, found, face)]
            except Unsupported:
                continue
        raise refused


def _group(
    members: list[int], cases: Sequence[TracedGraph], found: Sequence[tuple[Nest, ...]], face: Interface
) -> Group:
    facts = Facts(cases, face.input_names, face.attr_names)
    declared = declarations(cases, face, facts)
    plain_outputs = [
        n for n, kind in zip(face.output_names, face.output_kinds, strict=True) if kind == "Output"
    ]
    facts = Facts(cases, face.input_names, face.attr_names, plain_outputs)
    found = with_inputs(found, cases)
    templates = []
    for k in range(len(found[0])):
        prefix = "d" if len(found[0]) == 1 else f"{chr(ord('a') + k)}_d"
        listed = is_listed(cases)
        templates.append(unify([f[k] for f in found], facts, prefix, listed=listed))
    return Group(
        cases=tuple(members), templates=tuple(templates), declarations=tuple(declared),
        checks=tuple(dict.fromkeys(c for t in templates for c in _checks(t, cases, face))),
    )  # fmt: skip


def _checks(template: Template, cases: Sequence[TracedGraph], face: Interface) -> Iterator[str]:
    """Yield what ties the tensors' sizes to the axes: a call of another kind is refused, not computed wrongly."""
    if template.listed:
        return
    for v in template.values:
        if v.op != "load" or v.origin is None or v.origin.element is not None:
            continue
        metas = [c.inputs[v.origin.input] for c in cases]
        counts = [m.count for m in metas if isinstance(m, TensorMeta)]
        sizes = [math.prod(c[a] for a in v.deps) for c in template.cases]
        if counts != sizes:
            continue
        name = f"{face.input_names[v.origin.input]}.numel"
        product = " * ".join(template.sizes[a] for a in v.deps) or "1"
        if [template.definitions[a] for a in v.deps] != [name]:
            yield f"{name} == {product}"


def _kernels(base: str, number: int, group: Group, face: Interface, knobs: Knobs) -> list[KernelText]:
    """Return the kernels of a group: one per schedule of its nest, until one needs no condition.

    Those before the schedule that is wished for are left out.
    """
    out: list[KernelText] = []
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


def _choices(group: Group) -> list[tuple[tuple[Template, ...], tuple[Kind, ...]]]:
    """Return ways to run a group, best first: one schedule, or one per set of reduced axes, one after the other."""
    found: list[tuple[tuple[Template, ...], tuple[Kind, ...]]] = []
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
    templates: tuple[Template, ...],
    choice: tuple[Kind, ...],
    face: Interface,
    knobs: Knobs,
    *,
    frugal: bool = False,
) -> KernelText:
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
    return KernelText(
        name=name, group=number, kinds=choice, host=tuple(host),
        text=writer.text(name, _doc(templates, choice, face), single_buffers=tuning.single_buffers),
        launch=f"{name}[cores]({', '.join([*tensors, *scalars])})",
        fits=" and ".join(p.fits for p in parts if p.fits) or None, turned=frozenset(tuning.used),
    )  # fmt: skip


def _untouched(writer: Writer, templates: tuple[Template, ...], face: Interface) -> None:
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


def _doc(templates: tuple[Template, ...], choice: tuple[Kind, ...], face: Interface) -> str:
    """Return a kernel's docstring: how it runs, and what it computes where that is short."""
    outputs = tuple(n.removesuffix("_ref") for n in face.output_names)
    lines = [_PHRASES[kind] for kind in dict.fromkeys(choice)]
    steps = [s for t in templates for s in formulas(t, face.input_names, outputs)]
    lines += [s for s in steps if len(s) <= 100] if len(steps) <= 8 else []
    return "\n\n    ".join([lines[0], "\n    ".join(lines[1:])]) if len(lines) > 1 else lines[0]


def _text(
    kernel: str,
    face: Interface,
    groups: Sequence[Group],
    kernels: Sequence[KernelText],
    tree: Branch,
    doc: str,
) -> str:
    lines: list[str] = []
    common = groups[0].declarations
    shared = all(g.declarations == common for g in groups)
    if shared:
        lines += [f"    {d}" for d in common]
    _branch(tree, groups, kernels, lines, 1, shared=shared)
    params = [
        *(f"{n}: {k}" for n, k in zip(face.input_names, face.input_kinds, strict=True)),
        *(f"{n}: {k}" for n, k in zip(face.output_names, face.output_kinds, strict=True)),
        *(_attr_param(n, a) for n, a in zip(face.attr_names, face.op.attrs, strict=True)),
    ]
    name = kernel if kernel not in [k.name for k in kernels] else f"{kernel}_host"
    head = ["@ascend_host", f"def {name}({', '.join(params)}):", f'    """{doc or "See the kernels."}"""']
    return "\n".join([k.text for k in kernels] + ["\n".join([*head, *lines])]) + "\n"


def _attr_param(name: str, spec: AttrSpec) -> str:
    default = spec.default
    if isinstance(default, tuple):
        return f"{name}: {spec.type} = [{', '.join(repr(v) for v in default)}]"
    return f"{name}: {spec.type}" + ("" if default is None else f" = {default!r}".replace("'", '"'))


def _branch(
    tree: Branch,
    groups: Sequence[Group],
    kernels: Sequence[KernelText],
    lines: list[str],
    depth: int,
    *,
    shared: bool,
) -> None:
    pad = "    " * depth
    if tree.group is None:
        assert tree.then is not None and tree.other is not None
        lines.append(f"{pad}if {tree.test}:")
        _branch(tree.then, groups, kernels, lines, depth + 1, shared=shared)
        lines.append(f"{pad}else:")
        _branch(tree.other, groups, kernels, lines, depth + 1, shared=shared)
        return
    group = groups[tree.group]
    if not shared:
        lines += [pad + d for d in group.declarations]
    for template in group.templates:
        for name, text in zip(template.sizes, template.definitions, strict=False):
            lines.append(f"{pad}{name} = {text}")
    for check in group.checks:
        lines.append(f'{pad}assert {check}, "{check.split(".")[0]} does not have the expected size"')
    mine = [k for k in kernels if k.group == tree.group]
    for k, one in enumerate(mine):
        pad = "    " * depth
        lines += [pad + text for text in one.host]
        if one.fits is not None and k + 1 < len(mine):
            lines += [f"{pad}if {one.fits}:", f"{pad}    {one.launch}", f"{pad}else:"]
            depth += 1
        else:
            if one.fits is not None:
                lines.append(f'{pad}assert {one.fits}, "a row does not fit into UB"')
            lines.append(pad + one.launch)
            break
