"""Tile DSL to an msopgen project: the four passes in order, with everything between them."""

from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import OpSpec
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import KernelProject
from akgen.tools.dsl.check import check
from akgen.tools.dsl.code import AlignedCode, KernelCode, align
from akgen.tools.dsl.cube import PRODUCT_CONFIG, registration
from akgen.tools.dsl.errors import DslError
from akgen.tools.dsl.ir import Program
from akgen.tools.dsl.kernel_context import KernelContext
from akgen.tools.dsl.pass_checks import after_alignment, after_compute, after_host, after_init
from akgen.tools.dsl.pass_compute import kernel_code
from akgen.tools.dsl.pass_host import HostPass, lower_host, require_match
from akgen.tools.dsl.pass_init import KernelInit, kernel_init
from akgen.tools.dsl.prepare import prepare
from akgen.tools.dsl.reachability import guards
from akgen.tools.dsl.template import render, sections

TILE_OPS = "tile_ops.h"  # the header of a project's kernels: what they call of the device library


class Passes(Frozen):
    """What each pass made; one entry per kernel in passes 2 to 4."""

    host: HostPass
    init: tuple[KernelInit, ...]
    compute: tuple[KernelCode, ...]
    aligned: tuple[AlignedCode, ...]
    project: KernelProject


def lower(program: Program, op: OpSpec, kernel: str) -> KernelProject:
    """Return the project; raise DslError if the program is not sound or does not fit the operator's interface."""
    return lower_passes(program, op, kernel).project


def lower_passes(program: Program, op: OpSpec, kernel: str) -> Passes:
    """Return the artefacts of all passes, each checked (pass_checks.py); raise DslError like `lower`."""
    require_match(program, op)
    for types in _combinations(program, op):
        found = check(program, types)
        if found:
            raise DslError(found)
    prepared = prepare(program)
    contexts = {k.name: KernelContext(program, prepared[k.name], op) for k in program.kernels}
    host = lower_host(program, contexts, op, kernel)
    _require(after_host(host))
    init = tuple(kernel_init(c, host.struct, host.fields[n]) for n, c in contexts.items())
    _require(*(after_init(i, host) for i in init))
    compute = tuple(kernel_code(c) for c in contexts.values())
    _require(*map(after_compute, compute))
    aligned = tuple(align(c) for c in compute)
    _require(*map(after_alignment, compute, aligned))
    header = render(
        "tile_ops.h.j2", op_type=op.op_type, guard=f"{kernel.upper()}_TILE_OPS_H",
        library=sections(_library(program, op, contexts, aligned)),
    )  # fmt: skip
    text = _kernel_file(program, op, kernel, contexts, host, init, aligned)
    files = {
        f"op_host/{kernel}.cpp": host.host_cpp,
        f"op_host/{kernel}_tiling.h": host.tiling_h,
        f"op_kernel/{kernel}.cpp": text,
        f"op_kernel/{TILE_OPS}": header,
    }
    project = KernelProject(op_type=op.op_type, kernel=kernel, files=files)
    return Passes(host=host, init=init, compute=compute, aligned=aligned, project=project)


def _require(*found: tuple[Diagnostic, ...]) -> None:
    """Raise DslError if a pass left something undone."""
    broken = tuple(d for each in found for d in each)
    if broken:
        raise DslError(broken)


def _combinations(program: Program, op: OpSpec) -> list[dict[str, DType]]:
    """Return host tensor -> dtype for every combination that the operator supports."""
    count = len(op.inputs[0].dtypes) if op.inputs else len(op.outputs[0].dtypes)
    names = (*program.host.inputs, *program.host.outputs)
    specs = (*op.inputs, *op.outputs)
    return [{n: p.dtypes[i] for n, p in zip(names, specs, strict=True)} for i in range(count)]


def _narrow(program: Program, op: OpSpec) -> set[str]:
    """Return the host's tensors that may hold truth values."""
    names = (*program.host.inputs, *program.host.outputs)
    return {n for n, p in zip(names, (*op.inputs, *op.outputs), strict=True) if DType.BOOL in p.dtypes}


def _complex(op: OpSpec, macros: dict[str, str], program: Program) -> list[str]:
    """Return the macro names of tensors that may hold complex numbers."""
    names = (*program.host.inputs, *program.host.outputs)
    found = [
        macros[n]
        for n, p in zip(names, (*op.inputs, *op.outputs), strict=True)
        if DType.COMPLEX64 in p.dtypes
    ]
    return list(dict.fromkeys(found))


def _library(
    program: Program, op: OpSpec, contexts: dict[str, KernelContext], aligned: tuple[AlignedCode, ...]
) -> set[str]:
    """Return the sections of the device library that the kernels call."""
    called = {name for code in aligned for name in code.library}
    named = {name for c in contexts.values() for name in c.library}
    return called | named | ({"TileStored"} if _narrow(program, op) else set())


def _kernel_file(
    program: Program,
    op: OpSpec,
    kernel: str,
    contexts: dict[str, KernelContext],
    host: HostPass,
    init: tuple[KernelInit, ...],
    aligned: tuple[AlignedCode, ...],
) -> str:
    inputs = {p.name for p in op.inputs}
    macros = {n: p.name.upper() for n, p in zip(program.host.inputs, op.inputs, strict=True)}
    entry = {n: p.name for n, p in zip(program.host.inputs, op.inputs, strict=True)}
    for n, p in zip(program.host.outputs, op.outputs, strict=True):
        entry[n] = f"{p.name}_ref" if p.name in inputs else p.name
        macros[n] = entry[n].upper()
    narrow, twofold = _narrow(program, op), _complex(op, macros, program)
    spaces = [w for c in contexts.values() for w in c.spaces]
    limits = guards(program, _combinations(program, op))
    prologue = ["GM_ADDR userWorkspace = GetUserWorkspace(workspace);"] if spaces else []
    launches = []
    for i, k in enumerate(program.kernels):
        ctx = contexts[k.name]
        types = []
        for t in ctx.templates:
            types.append(_stored(ctx.arguments[t], macros, narrow, twofold))
        args = [_argument(ctx.arguments[t], entry, host) for t in k.tensors]
        guard = " || ".join(
            "("
            + " && ".join(
                f"std::is_same<{_stored(n, macros, narrow, twofold)}, {_cpp(d)}>::value" for n, d in row
            )
            + ")"
            for row in limits.get(k.name, ())
        )
        launches.append(
            {
                "key": i + 1,
                "class_name": ctx.class_name,
                "types": types,
                "args": args,
                "guard": guard,
                "registration": registration(ctx),
            }
        )
    kernels = [
        {**i.model_dump(), "doc": [x.strip() for x in i.doc.splitlines()], "functions": a.functions}
        for i, a in zip(init, aligned, strict=True)
    ]
    return render(
        "op_kernel.cpp.j2", op_type=op.op_type, kernel=kernel, header=TILE_OPS, kernels=kernels,
        entry_params=[f"GM_ADDR {n}" for n in (*entry.values(), "workspace", "tiling")], prologue=prologue,
        task_types=_task_types(program, aligned), launches=launches,
        product_config=PRODUCT_CONFIG if any(k.objects for k in program.kernels) else None, twofold=twofold,
    )  # fmt: skip


def _task_types(program: Program, aligned: tuple[AlignedCode, ...]) -> list[str]:
    """Return the statements that say which cores run; none where all kernels take vector cores that do not meet."""
    types = []
    for k, a in zip(program.kernels, aligned, strict=True):
        types.append("MIX_AIC_1_2" if k.objects else "MIX_AIV_1_0" if a.syncs else "AIV_ONLY")
    kinds = set(types)
    if "MIX_AIC_1_2" in kinds and len(kinds) > 1:
        return [f"KERNEL_TASK_TYPE({i}, KERNEL_TYPE_{t});" for i, t in enumerate(types, 1)]
    return [
        f"KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_{t});" for t in ("MIX_AIC_1_2", "MIX_AIV_1_0") if t in kinds
    ]


def _stored(name: str, macros: dict[str, str], narrow: set[str], twofold: list[str]) -> str:
    if macros[name] in twofold:
        return f"STORED_{macros[name]}"
    macro = f"DTYPE_{macros[name]}"
    return f"TileStored<{macro}>::Type" if name in narrow else macro


def _cpp(dtype: DType) -> str:
    return "uint8_t" if dtype == DType.BOOL else dtype.real.cpp_name


def _argument(name: str, entry: dict[str, str], host: HostPass) -> str:
    if name in entry:
        return entry[name]
    offset = host.offsets.get(name)
    return "userWorkspace" if offset is None else f"userWorkspace + tilingData.{offset}"
