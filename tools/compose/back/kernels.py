"""Write the kernels of a group of cases: one per schedule of its loop nest, with the host lines before its launch."""

import textwrap
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from akgen.tools.compose.back.choices import EVENTS, choices, spoiled
from akgen.tools.compose.back.layout import BLOCK, FIRST_CORE, Tensors
from akgen.tools.compose.back.redundancy import LoopWork
from akgen.tools.compose.back.schedules import kinds, schedule_texts, write
from akgen.tools.compose.back.schedules.base import Kind, Part
from akgen.tools.compose.back.tuning import Tuning
from akgen.tools.compose.back.turns import turns
from akgen.tools.compose.back.writer import Writer
from akgen.tools.compose.middle.formula import formulas
from akgen.tools.compose.middle.groups import Group, letters
from akgen.tools.compose.middle.interface import Interface
from akgen.tools.compose.middle.symbolic_nest import SymbolicNest, by_store
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.knobs import Knobs
from akgen.tools.dsl.expr import ONE, ZERO, Const, Expr, Fit, Name, binary, call, joined, names_in
from akgen.tools.dsl.ir import Assign, If, Kernel, Stmt, Workspace, walk
from akgen.tools.dsl.ops import wrong_types
from akgen.tools.dsl.prepare import analyse

MOST_STATEMENTS = 4000  # of all kernels of a group together
PIPE_BUFFERS = 64  # buffers in all queues and TBufs of a TPipe


class ScheduledKernel(Frozen):
    """One kernel, how the host prepares it, with what it is launched, and which schedule of which group it is."""

    kernel: Kernel
    group: int
    kinds: tuple[Kind, ...]
    host: tuple[Stmt, ...]
    arguments: tuple[Expr, ...]
    fits: Expr | None
    turned: frozenset[str]  # knobs that decided something in it
    work: tuple[LoopWork, ...] = ()

    @property
    def name(self) -> str:
        return self.kernel.name


def kernels_of(base: str, number: int, group: Group, face: Interface, knobs: Knobs) -> list[ScheduledKernel]:
    """Return the kernels of a group: one per schedule of its nest, until one needs no condition.

    Those before the schedule that is wished for are left out.
    """
    out: list[ScheduledKernel] = []
    refused: Unsupported | None = None
    for templates, choice in choices(group.templates, tensors_of(face, number)):
        name = f"{base}_{'_'.join(dict.fromkeys(choice))}" + (f"_{number}" if number else "")
        if any(k.name == name for k in out):  # the same schedules, of other parts
            name = f"{name}_{letters(len(out))}"
        try:
            out.append(schedule(name, number, templates, choice, face, knobs))
        except Unsupported as error:
            refused = error
            continue
        if out[-1].fits is None:
            break
    if not out:
        assert refused is not None
        raise refused
    out = _few(out)
    names = [k.name for k in out]
    if knobs.schedule not in names:
        return out
    return [
        k.model_copy(update={"turned": k.turned | {"schedule"}}) for k in out[names.index(knobs.schedule) :]
    ]


def _few(kernels: list[ScheduledKernel]) -> list[ScheduledKernel]:
    """Return the best kernel and the one that always runs where all of them would take minutes to compile."""
    statements = sum(sum(1 for _ in walk(k.kernel.body)) for k in kernels)
    if statements <= MOST_STATEMENTS or len(kernels) <= 2 or kernels[-1].fits is not None:
        return kernels
    return [kernels[0], kernels[-1]]


class _Nest(NamedTuple):
    """A nest of a kernel under a schedule. `frugal`: it reads single numbers without a tile."""

    template: SymbolicNest
    kind: Kind
    frugal: bool = False
    apart: bool = False  # it has the Unified Buffer for itself

    def share(self, template: SymbolicNest) -> "_Nest":
        """Return a part of this nest, with a phase of its own; without the product before it, it is no epilogue."""
        freed = self.template.before and not template.before
        return _Nest(template, kinds(template)[0] if freed else self.kind, apart=True)


def schedule(
    name: str,
    number: int,
    templates: tuple[SymbolicNest, ...],
    choice: tuple[Kind, ...],
    face: Interface,
    knobs: Knobs,
    *,
    apart: bool = False,
    all_nests: bool = True,
) -> ScheduledKernel:
    """Return the kernel that runs these nests; `apart`, each has the Unified Buffer for itself.

    With `all_nests`, outputs that none of them stores are those that the reference does not define.
    """
    # one attention fills the Unified Buffer: blocks of scores, of values, their sums
    several = choice.count("attention") > 1
    nests = tuple(
        _Nest(template, kind, apart=apart or (several and kind == "attention"))
        for template, kind in zip(templates, choice, strict=True)
    )
    return _scheduled(name, number, nests, face, knobs, all_nests=all_nests)


def _scheduled(
    name: str, number: int, nests: tuple[_Nest, ...], face: Interface, knobs: Knobs, *, all_nests: bool
) -> ScheduledKernel:
    writer, tuning = Writer(), Tuning(knobs)
    names = tensors_of(face, number)
    templates, choice = tuple(n.template for n in nests), tuple(n.kind for n in nests)
    parts: list[Part] = []
    for _, run in groupby(range(len(nests)), key=lambda k: templates[k].nest.loop):
        mine = list(run)
        with turns([templates[k] for k in mine], [choice[k] for k in mine], writer, first=not parts):
            for k in mine:
                suffix = "" if len(nests) == 1 else f"_{letters(k)}"
                after = k != mine[0] and templates[k].nest.phase > templates[k - 1].nest.phase
                if after or (k != mine[0] and (nests[k].apart or nests[k - 1].apart)):
                    writer.begin_phase()
                writer.frugal = nests[k].frugal
                parts.append(write(templates[k], choice[k], writer, suffix, names, tuning))
                parts[-1].phase = writer.phase
                writer.close_stage()
    if all_nests:
        _untouched(writer, templates, face)
    phases = [p.phase for p in parts]
    if (eased := _eased(nests, phases, writer, names)) is not None:
        return _scheduled(name, number, eased, face, knobs, all_nests=all_nests)
    kernel = writer.kernel(name, _doc(templates, choice, face), single_buffers=tuning.single_buffers)
    if writer.most_buffers() > PIPE_BUFFERS and (count := _buffers(kernel)) > PIPE_BUFFERS:
        raise Unsupported("buffers", f"{count} buffers lie side by side; a pipe keeps {PIPE_BUFFERS}")
    if any(t.plain is not None for t in templates) and _not_in_half(kernel, face):
        plain = tuple(n._replace(template=n.template.plain or n.template) for n in nests)
        return _scheduled(name, number, plain, face, knobs, all_nests=all_nests)
    host = _host(kernel, parts, tuning)
    temps = {k: (count, dtype) for t in templates for k, count, dtype in t.temps}
    host += [
        Workspace(name=f"{names.temp}{k}", count=count, dtype=dtype) for k, (count, dtype) in temps.items()
    ]
    tensors = [Name(id=t.removeprefix("g_")) for t in writer.tensors]
    fits = [p.fits for p in parts if p.fits is not None]
    return ScheduledKernel(
        kernel=kernel, group=number, kinds=choice, host=tuple(host),
        arguments=(*tensors, *(value for _, value in writer.scalars.values())),
        fits=joined("and", fits, ONE) if fits else None, turned=frozenset(tuning.used),
        work=tuple(w for p in parts for w in p.work),
    )  # fmt: skip


def _eased(
    nests: tuple[_Nest, ...], phases: Sequence[int], writer: Writer, names: Tensors
) -> tuple[_Nest, ...] | None:
    """Return the nests with those changed that lie in phases of too many buffers; None if there is no such phase.

    They read single numbers without a tile; then each has a phase of its own; then a nest goes apart by its stores.
    Raises Unsupported where that does not help.
    """
    for phase in sorted(set(phases)):
        loaded, stored = writer.loaded_in(phase), writer.stored_in(phase)
        crowded = max(loaded, stored) > EVENTS
        mine = [k for k, p in enumerate(phases) if p == phase]
        if loaded > EVENTS and not all(nests[k].frugal for k in mine):
            return tuple(n._replace(frugal=True) if k in mine else n for k, n in enumerate(nests))
        if (crowded or writer.buffers_in(phase) > PIPE_BUFFERS) and len(mine) > 1:
            alone = (n._replace(frugal=False, apart=True) if k in mine else n for k, n in enumerate(nests))
            return tuple(alone)
        if not crowded:
            continue
        (k,) = mine
        for most in (EVENTS, EVENTS // 2):
            shares = by_store(nests[k].template, most)
            own = tuple(nests[k].share(s) for s in shares)
            if (
                len(shares) > 1
                and not spoiled(shares, names)
                and all(n.kind in kinds(n.template) for n in own)
            ):
                return (*nests[:k], *own, *nests[k + 1 :])
        what = f"{loaded} tensors are loaded" if loaded > EVENTS else f"{stored} tiles are stored"
        raise Unsupported("buffers", f"{what} side by side; the chip has events for {EVENTS}")
    return None


def _buffers(kernel: Kernel) -> int:
    """Return how many buffers a pipe has to keep, in the phase with the most."""
    prepared, _ = analyse(kernel)
    if prepared is None:
        return 0
    phases = (prepared.plan.in_phase(k) for k in prepared.plan.phases)
    return max(sum(b.copies for b in p.buffers) + bool(p.scratch) for p in phases)


def _not_in_half(kernel: Kernel, face: Interface) -> bool:
    """Return whether an operation, as this schedule needs it, does not take the half type of the tensors."""
    params = {f"g_{n}": p.dtypes for n, p in zip(face.input_names, face.op.inputs, strict=True)}
    params |= {f"g_{n}": p.dtypes for n, p in zip(face.output_names, face.op.outputs, strict=True)}
    columns = [dict(zip(params, column, strict=True)) for column in zip(*params.values(), strict=True)]
    return any(wrong_types(kernel, c) for c in columns if DType.FLOAT16 in c.values())


def _untouched(writer: Writer, templates: tuple[SymbolicNest, ...], face: Interface) -> None:
    """Give outputs that the reference does not define a first element: 0, or their input's own where they alias it."""
    stored = {s.output for t in templates for s in t.nest.stores}
    missing = [k for k in range(len(face.output_names)) if k not in stored]
    if not missing:
        return
    writer.capacities = {"S": (BLOCK,)}
    with writer.branch(FIRST_CORE):
        for k in missing:
            tensor = writer.tensor(f"g_{face.output_names[k]}")
            alias = next(
                (i for i, n in enumerate(face.input_names) if f"{n}_ref" == face.output_names[k]), None
            )
            tile = writer.allocate("S", "float32", loaded=alias is not None)
            if alias is not None:
                with writer.stage("copyin"):
                    writer.load(tile, writer.tensor(f"g_{face.input_names[alias]}"), ZERO, (ONE,))
            else:
                with writer.stage("compute"):
                    writer.op("fill", tile, Const(value=0.0), extent=(ONE,))
            with writer.stage("copyout"):
                writer.store(tensor, ZERO, tile)
            writer.close_stage()


def tensors_of(face: Interface, number: int) -> Tensors:
    """Return the kernel's names of tensors, apart from those of its own variables, for a group of cases."""
    temp = f"temp{number}_" if number else "temp"
    while any(n.startswith(temp) for n in (*face.input_names, *face.output_names)):
        temp = f"inner_{temp}"
    kinds_of = [
        *zip(face.input_names, face.input_kinds, strict=True),
        *zip(face.output_names, face.output_kinds, strict=True),
    ]
    return Tensors(
        temp=temp,
        inputs=tuple(f"g_{n}" for n in face.input_names),
        outputs=tuple(f"g_{n}" for n in face.output_names),
        lists=frozenset(f"g_{n}" for n, kind in kinds_of if kind in ("TensorList", "OutputList")),
    )


def _cores(parts: list[Part], tuning: Tuning) -> list[Stmt]:
    """Return what sets `cores`: as many as there is work for, and as are worth their start where that is known."""
    needs = [p.cores for p in parts if p.cores != ONE]
    if not needs:
        return [Assign(name="cores", value=ONE)]
    most: Expr = needs[0] if len(needs) == 1 else call("max", *needs)
    known = [p.cycles for p in parts if p.cycles is not None]
    cycles, wanted, busy, turns = (Name(id=x) for x in ("one_core_cycles", "wanted", "busy", "turns"))
    mixed = any(p.mixed for p in parts)
    if len(known) < len(parts) or not all(p.even for p in parts):
        return [Assign(name="cores", value=call("max", 1, call("min", tuning.cores(), most)))]
    host: list[Stmt] = [
        Assign(name=cycles.id, value=joined("+", known, ZERO)),
        Assign(name=wanted.id, value=call("max", 1, most)),
        Assign(name=busy.id, value=tuning.busy(cycles, mixed=mixed)),
    ]
    if mixed:
        return [*host, Assign(name="cores", value=call("min", wanted, busy))]
    # as many turns of the cores as come nearest to so many, and no core without any
    nearest = call("max", 1, call("ceil_div", wanted, tuning.cores()), (wanted + busy // 2) // busy)
    return [
        *host,
        Assign(name=turns.id, value=nearest),
        Assign(name="cores", value=call("ceil_div", wanted, turns)),
    ]


def _host(kernel: Kernel, parts: list[Part], tuning: Tuning) -> list[Stmt]:
    """Return what the host does before a launch: cores, shares, capacities, workspaces."""
    host: list[Stmt] = [s for part in parts for s in part.sizes]
    host += _cores(parts, tuning)
    for part in parts:
        host += part.host
    sizes = {k: p.tile for k, p in enumerate(parts) if p.tile is not None}
    sized = frozenset[str]().union(*(names_in(d) for a in kernel.allocs.values() for d in a.dims))
    for k, tile in sizes.items():
        if len(kernel.phases) > 1 and tile.param.id not in sized:  # no buffer's length depends on it
            host.append(Assign(name=tile.param.id, value=tile.longest))
            continue
        beside = [j for j, p in enumerate(parts) if p.phase == parts[k].phase]
        # the tiles of the parts before are decided; those after are taken to be small
        others: list[tuple[Name, Expr]] = [
            (sizes[j].param, sizes[j].param if j < k else ONE if sizes[j].rows else Const(value=64))
            for j in beside if j != k and j in sizes
        ]  # fmt: skip
        given = tuple(dict.fromkeys([*((f, f) for j in beside for f in parts[j].fixed), *others]))
        fit: Expr = Fit(
            kernel=kernel.name, param=tile.param.id, dims=tuple((n.id, value) for n, value in given)
        )
        after = sum(j > k for j in beside)
        if after:
            fit = fit // (after + 1)
        widths = [value for _, value in given]
        size = tuning.limited(call("min", fit, *tile.most), rows=tile.rows, widths=widths)
        host.append(Assign(name=tile.param.id, value=size))
        columns = parts[k].columns
        if columns is not None and len(beside) > 1 and columns.id in sized:
            dims = ((tile.param.id, ONE), *((n.id, value) for n, value in given if n != columns))
            narrow: Expr = Fit(kernel=kernel.name, param=columns.id, dims=dims)
            narrow = call("max", 64, narrow // (after + 1) // 64 * 64)
            one_row = (Assign(name=columns.id, value=narrow), Assign(name=tile.param.id, value=ONE))
            host.append(If(cond=binary("<", tile.param, 1), then=one_row))
    for part in parts:
        for workspace, width, dtype in part.workspaces:
            count = (call("core_num") + 1) * width
            host.append(Workspace(name=workspace, count=count, dtype=dtype))
    return host


_MOST_FORMULAS = 10  # lines of a docstring; what takes more is read in the code


def _doc(templates: tuple[SymbolicNest, ...], choice: tuple[Kind, ...], face: Interface) -> str:
    """Return a kernel's docstring: how it runs, and what it computes where that is short."""
    outputs = tuple(n.removesuffix("_ref") for n in face.output_names)
    how = [schedule_texts()[kind].how for kind in choice]
    if len(how) > 1:  # names of what belongs to a stage end with its letter
        how = [f"Stage {letters(k).upper()}: {text}" for k, text in enumerate(how)]
    nests = [n for t in templates for n in (*t.before, t)]
    steps = [s for t in nests for s in formulas(t.plain or t, face.input_names, outputs)]
    wrapped = [
        line
        for s in steps
        for line in textwrap.wrap(s, 100, subsequent_indent="    ", break_long_words=False)
    ]
    return "\n".join([*how, "", *wrapped] if 0 < len(wrapped) <= _MOST_FORMULAS else how)
