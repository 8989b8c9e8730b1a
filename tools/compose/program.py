"""From traces to a program: loop nests, groups of cases, kernels, and the host function that leads to them."""

from collections.abc import Sequence
from functools import partial
from itertools import accumulate, chain
from typing import Protocol

from akgen.tools.compose.back.feasibility import Feasibility
from akgen.tools.compose.back.kernels import ScheduledKernel, kernels_of
from akgen.tools.compose.front.aten import import_graph
from akgen.tools.compose.front.graph import Graph
from akgen.tools.compose.front.traced import TracedGraph
from akgen.tools.compose.front.witnesses import Witnesses
from akgen.tools.compose.middle.conditions import Branch
from akgen.tools.compose.middle.equal_values import merge_equal
from akgen.tools.compose.middle.experts import grouped
from akgen.tools.compose.middle.gathered import gathered
from akgen.tools.compose.middle.groups import Group, decided, groups_of
from akgen.tools.compose.middle.interface import Interface, interface
from akgen.tools.compose.middle.joined_pieces import joined_writes
from akgen.tools.compose.middle.loop_nest import LoopNest, keeps_dtypes
from akgen.tools.compose.middle.phases import partition
from akgen.tools.compose.middle.rolled import rolled
from akgen.tools.compose.middle.tensor_lists import is_listed, list_loop_nest
from akgen.tools.compose.middle.widened import widened
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.knobs import Knobs
from akgen.tools.dsl.expr import Name
from akgen.tools.dsl.ir import HOST_KINDS, Assert, Assign, Host, HostParam, If, Launch, Program, Stmt
from akgen.tools.dsl.printer import printed


class GraphOf(Protocol):
    """Gives the graph of a case; with `apart`, no two of its constants are one node."""

    def __call__(self, case: TracedGraph, /, *, apart: bool) -> Graph: ...


class Composition(Frozen):
    """A finished program with what a plan says about it; `unused` are knobs that change nothing here, in words."""

    face: Interface
    groups: tuple[Group, ...]
    kernels: tuple[ScheduledKernel, ...]
    tree: Branch
    program: Program
    kernel: str
    doc: str
    unused: str | None = None

    @property
    def dsl(self) -> str:
        """Return the program's text."""
        return self.program.text

    def tuned(self, knobs: Knobs | None) -> "Composition":
        """Return the program scheduled with these knobs."""
        if knobs is None or knobs.empty:
            return self
        return _scheduled(self.kernel, self.face, self.groups, self.tree, self.doc, knobs)

    def with_one_kernel(self, name: str) -> "Composition":
        """Return the program with this kernel alone; the host refuses calls that other kernels would serve."""
        kernels = tuple(k for k in self.kernels if k.name == name)
        program = _program(self.kernel, self.face, self.groups, kernels, self.tree, self.doc)
        return self.model_copy(update={"kernels": kernels, "program": program})


def compose(
    op_type: str,
    kernel: str,
    cases: Sequence[TracedGraph],
    doc: str = "",
    *,
    faithful: bool = False,
    witnesses: Witnesses | None = None,
    graph_of: GraphOf | None = None,
) -> Composition:
    """Return the program that serves all these cases. Raises Unsupported, naming what is not covered.

    `graph_of` gives a case's graph, where that is not its trace's.

    With `faithful`, half-precision results are rounded after every operation, as the reference rounds them. Rules
    between sizes must hold for the witnesses as well, whom nobody has asked for; where none does, a kernel takes the
    sizes of its own cases only.
    """
    beside = witnesses or Witnesses()
    face = interface(op_type, cases)
    near, far, altered = beside.near, beside.far, beside.altered
    for more in ((near, far, altered), (near, far), (near,), ()):
        known = [*cases, *chain.from_iterable(more)]
        try:
            found = _nests(
                known, face, graph_of or partial(import_graph, faithful=faithful), faithful=faithful
            )
            break
        except Unsupported:
            if len(known) == len(cases):
                raise
    if any(keeps_dtypes(n) for parts in found for n in parts):
        face = interface(op_type, cases, widened=False)
    bounds = tuple(accumulate((len(cases), *(len(graphs) for graphs in more))))
    groups = groups_of(known, found, face, bounds)
    tree = decided(groups, known, face, len(cases))
    return _scheduled(kernel, face, groups, tree, doc, Knobs())


def _nests(
    cases: Sequence[TracedGraph], face: Interface, graph_of: GraphOf, *, faithful: bool
) -> Sequence[tuple[LoopNest, ...]]:
    """Return the nests of every case."""
    if is_listed(cases):
        try:
            return [(list_loop_nest(c, faithful=faithful),) for c in cases]
        except Unsupported as refused:
            try:
                return _one_by_one(cases, face, graph_of)
            except Unsupported:
                raise refused from None
    return _one_by_one(cases, face, graph_of)


def _one_by_one(
    cases: Sequence[TracedGraph], face: Interface, graph_of: GraphOf
) -> Sequence[tuple[LoopNest, ...]]:
    """Return the nests of every case, in which each tensor of a list is an output of its own."""
    graphs = [_rewritten(graph_of(c, apart=len(cases) > 1)) for c in cases]
    if len(cases) > 1:
        graphs = merge_equal(graphs)
    return partition(
        [rolled(g) for g in graphs], [c.aliases for c in cases], Feasibility(cases, face).require
    )


def _rewritten(graph: Graph) -> Graph:
    """Return the graph with what a trace has taken apart put together again."""
    joined = joined_writes(graph)
    apart = joined is not None and widened(joined) is joined  # no step takes what others wrote
    return gathered(grouped(joined if joined is not None and apart else widened(graph)))


def _scheduled(
    kernel: str,
    face: Interface,
    groups: tuple[Group, ...],
    tree: Branch,
    doc: str,
    knobs: Knobs,
) -> Composition:
    kernels: list[ScheduledKernel] = []
    for number, group in enumerate(groups):
        kernels += kernels_of(kernel, number, group, face, knobs)
    turned = frozenset[str]().union(*(k.turned for k in kernels))
    unused = knobs.model_copy(update=dict.fromkeys(turned))
    return Composition(
        face=face, groups=groups, kernels=tuple(kernels), tree=tree, kernel=kernel, doc=doc,
        program=_program(kernel, face, groups, kernels, tree, doc), unused=None if unused.empty else str(unused),
    )  # fmt: skip


def _program(
    kernel: str,
    face: Interface,
    groups: Sequence[Group],
    kernels: Sequence[ScheduledKernel],
    tree: Branch,
    doc: str,
) -> Program:
    common = groups[0].declarations
    shared = all(g.declarations == common for g in groups)
    body = [*(common if shared else ()), *_branch(tree, groups, kernels, shared=shared)]
    kinds = [*zip(face.input_names, face.input_kinds, strict=True)]
    kinds += zip(face.output_names, face.output_kinds, strict=True)
    attrs = [
        HostParam(name=n, kind=a.type, default=a.default)
        for n, a in zip(face.attr_names, face.op.attrs, strict=True)
    ]
    name = kernel if kernel not in [k.name for k in kernels] else f"{kernel}_host"
    params = (*(HostParam(name=n, kind=HOST_KINDS[kind]) for n, kind in kinds), *attrs)
    host = Host(name=name, doc=doc or "See the kernels.", params=params, body=tuple(body))
    return printed(tuple(k.kernel for k in kernels), host)


def _branch(
    tree: Branch, groups: Sequence[Group], kernels: Sequence[ScheduledKernel], *, shared: bool
) -> tuple[Stmt, ...]:
    """Return the host's way from a decision to a launch."""
    if tree.group is None:
        assert tree.test is not None and tree.then is not None and tree.other is not None
        then, other = (_branch(t, groups, kernels, shared=shared) for t in (tree.then, tree.other))
        return (If(cond=tree.test, then=then, other=other),)
    group = groups[tree.group]
    sizes = [
        Assign(name=name.id, value=value)
        for template in group.templates
        for name, value in zip(template.sizes, template.definitions, strict=False)
    ]
    mine = [(key, k) for key, k in enumerate(kernels, 1) if k.group == tree.group]
    return (*(() if shared else group.declarations), *sizes, *group.checks, *_launches(mine))


def _launches(kernels: Sequence[tuple[int, ScheduledKernel]]) -> tuple[Stmt, ...]:
    """Return the launch of the first of these kernels that fits, with what the host sets for it."""
    (key, one), *others = kernels
    launch = Launch(kernel=one.name, key=key, cores=Name(id="cores"), args=one.arguments)
    if one.fits is None:
        return (*one.host, launch)
    if others:
        return (*one.host, If(cond=one.fits, then=(launch,), other=_launches(others)))
    return (*one.host, Assert(cond=one.fits, text="no kernel of this operator takes this shape"), launch)
