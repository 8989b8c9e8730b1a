"""From traces to a program: loop nests, groups of cases, kernels, and the host function that leads to them."""

from collections.abc import Sequence

from akgen.tools.compose.back.kernels import ScheduledKernel, kernels_of
from akgen.tools.compose.front.aten import import_graph
from akgen.tools.compose.front.traced import TracedGraph
from akgen.tools.compose.middle.conditions import Branch, decide
from akgen.tools.compose.middle.groups import Group, features, groups_of
from akgen.tools.compose.middle.interface import Interface, interface
from akgen.tools.compose.middle.loop_nest import LoopNest
from akgen.tools.compose.middle.lowering import loop_nests
from akgen.tools.compose.middle.sink_slices import sink_slices
from akgen.tools.compose.middle.tensor_lists import is_listed, list_loop_nest
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.knobs import Knobs
from akgen.tools.core.op_spec import AttrSpec


class Composition(Frozen):
    """A finished program with what a plan says about it; `unused` are knobs that change nothing here, in words."""

    face: Interface
    groups: tuple[Group, ...]
    kernels: tuple[ScheduledKernel, ...]
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

    def nests(case: TracedGraph) -> tuple[LoopNest, ...]:
        if listed:
            return (list_loop_nest(case, faithful=faithful),)
        return loop_nests(sink_slices(import_graph(case, faithful=faithful)))

    found = [nests(c) for c in cases]
    groups = groups_of(cases, found, face)
    tree = decide([g.cases for g in groups], cases, face, [features(g, cases) for g in groups])
    return _scheduled(kernel, face, groups, tree, doc, Knobs())


def _scheduled(
    kernel: str, face: Interface, groups: tuple[Group, ...], tree: Branch, doc: str, knobs: Knobs
) -> Composition:
    kernels: list[ScheduledKernel] = []
    for number, group in enumerate(groups):
        kernels += kernels_of(kernel, number, group, face, knobs)
    turned = frozenset[str]().union(*(k.turned for k in kernels))
    unused = knobs.model_copy(update=dict.fromkeys(turned))
    return Composition(
        face=face, groups=groups, kernels=tuple(kernels), tree=tree, kernel=kernel, doc=doc,
        dsl=_text(kernel, face, groups, kernels, tree, doc), unused=None if unused.empty else str(unused),
    )  # fmt: skip


def _text(
    kernel: str,
    face: Interface,
    groups: Sequence[Group],
    kernels: Sequence[ScheduledKernel],
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
    kernels: Sequence[ScheduledKernel],
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
