"""Everything that can be wrong with a program before it is lowered."""

from collections.abc import Mapping
from typing import Literal

from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import kept
from akgen.tools.core.op_spec import AttrValue
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.dsl.buffers import (
    EVENT_IDS,
    UB_BUDGET,
    UB_BYTES,
    Types,
    UbPlan,
    bytes_of,
    phase_bytes,
    queue_buffers,
    row_alignment,
    scratch_bytes,
)
from akgen.tools.dsl.cube import wrong_products
from akgen.tools.dsl.errors import DslError, finding
from akgen.tools.dsl.evaluate import Scalar, evaluate
from akgen.tools.dsl.expr import Name
from akgen.tools.dsl.host_run import HostRun, Launched, Metas, tensor_arguments
from akgen.tools.dsl.ir import (
    ElementType,
    If,
    Kernel,
    Launch,
    Load,
    Multiply,
    Program,
    Stmt,
    Store,
    Workspace,
    walk,
)
from akgen.tools.dsl.ops import wrong_types
from akgen.tools.dsl.prepare import PreparedKernel, analyse
from akgen.tools.dsl.reachability import reachable
from akgen.tools.dsl.scalar_names import unknown_names


def check(
    program: Program,
    dtypes: Mapping[str, DType] | None = None,
    *,
    metas: Mapping[str, Metas] | None = None,
    attrs: Mapping[str, AttrValue] | None = None,
) -> tuple[Diagnostic, ...]:
    """Return what is wrong, empty if the program is sound.

    `dtypes` (host tensor to dtype) adds the checks of conversions; `metas` (host tensor to shape and dtype) with
    `attrs` runs the host function, so that the UB budget is checked with the numbers of that call.
    """
    known = dict(dtypes or {})
    known.update({n: m.dtype for n, m in (metas or {}).items() if isinstance(m, TensorMeta)})
    found = list(unknown_names(program)) + list(_launches(program))
    if found:
        return tuple(found)
    prepared: dict[str, PreparedKernel] = {}
    launched = reachable(program, known)
    for kernel in program.kernels:
        ready, diagnostics = analyse(kernel)
        found.extend(diagnostics)
        arguments = tensor_arguments(program, kernel.name)
        if kernel.name in launched:
            types = {p: known[h].real for p, h in arguments.items() if h in known}
            spaces = {x.name: x.dtype for x in walk(program.host.body) if isinstance(x, Workspace)}
            types |= {p: spaces[h] for p, h in arguments.items() if h in spaces}
            found.extend(wrong_types(kernel, types))
            found.extend(wrong_products(kernel, types))
        found.extend(_stores(program, kernel, arguments))
        if ready is not None:
            prepared[kernel.name] = ready
            found.extend(_smallest(kernel, ready.plan))
            found.extend(_queues(kernel, ready.plan))
    if not found and metas is not None:
        found.extend(_budget(program, prepared, metas, attrs or {}))
    return tuple(found)


@kept
def _launches(program: Program) -> tuple[Diagnostic, ...]:
    host, found = program.host, []
    if not _always_launches(host.body):
        found.append(finding("DSL_LAUNCH", host.line, f"A path of `{host.name}` ends without a launch."))
    for s in walk(host.body):
        if not isinstance(s, Launch):
            continue
        params = program.kernel(s.kernel).params
        if len(params) != len(s.args):
            text = f"`{s.kernel}` has {len(params)} parameters; {len(s.args)} arguments are given."
            found.append(finding("DSL_LAUNCH", s.line, text))
            continue
        tensors = set(host.inputs + host.outputs) | {
            x.name for x in walk(host.body) if isinstance(x, Workspace)
        }
        for p, a in zip(params, s.args, strict=True):
            given = isinstance(a, Name) and a.id in tensors
            if given != (p.type in ("tensor", "list")):
                text = f"Parameter `{p.name}` of `{s.kernel}` is a {p.type}; the argument is not."
                found.append(finding("DSL_LAUNCH", s.line, text))
    return tuple(found)


def _always_launches(body: tuple[Stmt, ...]) -> bool:
    for s in body:
        if isinstance(s, Launch):
            return True
        if isinstance(s, If) and _always_launches(s.then) and _always_launches(s.other):
            return True
    return False


def _stores(program: Program, kernel: Kernel, arguments: Mapping[str, str]) -> list[Diagnostic]:
    """Return outputs that a kernel leaves unwritten, and loads of inputs that it also writes under another name."""
    stored = kernel.stored
    found = []
    for output in program.host.outputs:
        names = [p for p, h in arguments.items() if h == output]
        if not any(n in stored for n in names):
            found.append(finding("DSL_NO_STORE", kernel.line, f"`{kernel.name}` never stores `{output}`."))
    for s in walk(kernel.body):
        if isinstance(s, (Load, Store)) and arguments.get(s.tensor) is None:
            found.append(finding("DSL_UNKNOWN_NAME", s.line, f"`{s.tensor}` is not bound by the launch."))
    for tensor in sorted(stored):
        if arguments.get(tensor) in program.host.inputs:
            line = next(s.line for s in walk(kernel.body) if _writes(kernel, s) == tensor)
            found.append(finding("DSL_NO_STORE", line, f"`{tensor}` is an input and cannot be stored to."))
    return found


def _writes(kernel: Kernel, s: Stmt) -> str | None:
    """Return the tensor that a statement stores to."""
    if isinstance(s, Multiply):
        return kernel.objects[s.object].c
    return s.tensor if isinstance(s, Store) else None


def _smallest(kernel: Kernel, plan: UbPlan) -> list[Diagnostic]:
    """Return a finding if the kernel's fixed-size buffers alone exceed UB."""
    names = dict.fromkeys(kernel.scalars, 1)
    return _over(
        kernel, plan, names, lambda t: DType(t.fixed) if t.fixed not in (None, "mask") else DType.FLOAT16
    )


def _queues(kernel: Kernel, plan: UbPlan) -> list[Diagnostic]:
    """Return a finding if more tiles are loaded, or stored, than there are events to hand their buffers over."""
    found = []
    for role, verb in (("in", "loaded"), ("out", "stored")):
        count = queue_buffers(plan, role)
        if count > EVENT_IDS:
            text = f"`{kernel.name}` has {count} buffers for {verb} tiles; the chip has {EVENT_IDS} events for them."
            found.append(finding("DSL_QUEUES", kernel.line, text))
    return found


def _over(kernel: Kernel, plan: UbPlan, names: Mapping[str, Scalar], types: Types) -> list[Diagnostic]:
    found = []
    alignment = row_alignment(plan, types)
    for phase in plan.phases:
        total, mine = phase_bytes(plan, phase, names, types), plan.in_phase(phase)
        if total <= UB_BUDGET:
            continue
        parts = [
            f"{b.name} {bytes_of(b, tuple(int(evaluate(d, names)) for d in b.dims), alignment, types)}"
            for b in mine.buffers
        ]
        parts.append(f"scratch {scratch_bytes(mine, names, alignment, types)}")
        who = f"`{kernel.name}`" if len(plan.phases) == 1 else f"Phase {phase + 1} of `{kernel.name}`"
        text = f"{who} needs {total} bytes of UB; {UB_BUDGET} of {UB_BYTES} may be used: {', '.join(parts)}."
        found.append(finding("DSL_UB_BUDGET", kernel.line, text))
    return found


def _budget(
    program: Program,
    prepared: Mapping[str, PreparedKernel],
    metas: Mapping[str, Metas],
    attrs: Mapping[str, AttrValue],
) -> list[Diagnostic]:
    run = HostRun(program, prepared, metas, attrs)
    try:
        launched: Launched = run.run()
    except DslError as e:
        return list(e.diagnostics)
    ready = prepared[launched.kernel]
    params = [p.name for p in ready.kernel.params]
    names = {p: a for p, a in zip(params, launched.args, strict=True) if not isinstance(a, str)}
    tensors = {p: a for p, a in zip(params, launched.args, strict=True) if isinstance(a, str)}

    def types(t: ElementType) -> DType | Literal["mask"]:
        return t.fixed if t.fixed is not None else t.where(run.dtype(ElementType(of=tensors[t.of or ""])))

    return _over(ready.kernel, ready.plan, names, types)
