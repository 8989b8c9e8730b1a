"""Run a program in NumPy: the host function, then the kernel for every program id, deterministically.

Core after core runs up to the next sync_all. What is not modelled: time, UB memory (capacities are checked, the sum by
`check`), and what the lowering's compositions lose in precision.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.op_spec import AttrValue
from akgen.tools.dsl.errors import DslError, finding
from akgen.tools.dsl.host_run import HostRun, Launched, Metas
from akgen.tools.dsl.ir import For, Program, Stmt, SyncAll, holds_sync
from akgen.tools.dsl.numeric import Array, storage
from akgen.tools.dsl.prepare import prepare
from akgen.tools.dsl.program_run import GlobalMemory, ProgramRun

Value = Array | Sequence[Array] | None


def interpret(
    program: Program,
    inputs: Sequence[Value],
    attrs: Mapping[str, AttrValue] | None = None,
    *,
    dtypes: Mapping[str, DType] | None = None,
    outputs: Sequence[Metas] | None = None,
    core_num: int = 48,
) -> list[Array | list[Array]]:
    """Return the outputs, in the order of the host function.

    `inputs` follow the host function's inputs; an absent optional is None, a list of tensors a sequence. bfloat16
    tensors are float32 arrays named in `dtypes` (host name to dtype). `outputs` gives shapes and dtypes where the
    program does not declare them. Raises DslError for an invalid program or an access out of bounds.
    """
    prepared = prepare(program)
    host = program.host
    given = dtypes or {}
    if len(inputs) != len(host.inputs):
        text = f"{len(inputs)} inputs are given; the host function has {len(host.inputs)}."
        raise DslError((finding("DSL_RUN", host.line, text),))
    values = dict(zip(host.inputs, inputs, strict=True))
    metas: dict[str, Metas] = {n: _meta(v, given.get(n)) for n, v in values.items()}
    if outputs is not None:
        metas.update(zip(host.outputs, outputs, strict=True))
    launched = HostRun(program, prepared, metas, attrs or {}, core_num).run()
    metas = {**dict(launched.outputs), **metas}
    memory: dict[str, GlobalMemory] = {n: _memory(v, metas[n]) for n, v in values.items()}
    for n in host.outputs:
        source = n.removesuffix("_ref")
        if metas.get(n) is None:
            raise DslError(
                (finding("DSL_RUN", host.line, f"The shape of `{n}` is neither declared nor given."),)
            )
        memory[n] = memory[source] if source in values else _memory(None, metas[n])
    for n, count, dtype in launched.workspaces:
        memory[n] = _memory(None, TensorMeta(dtype=dtype, shape=(count,)))
    _launch(program, launched, memory, prepared[launched.kernel].kernel.body)
    results: list[Array | list[Array]] = []
    for n in host.outputs:
        meta, buffer = metas[n], memory[n]
        if isinstance(meta, tuple):
            results.append([_shaped(a, m) for a, m in zip(buffer.arrays, meta, strict=True)])
        else:
            assert meta is not None
            results.append(_shaped(buffer.arrays[0], meta))
    return results


def _meta(value: Value, dtype: DType | None) -> Metas:
    if value is None:
        return None
    if not isinstance(value, np.ndarray):
        return tuple(m for v in value for m in [_meta(v, dtype)] if isinstance(m, TensorMeta))
    return TensorMeta(dtype=dtype or DType(str(value.dtype)), shape=value.shape)


def _shaped(array: Array, meta: TensorMeta) -> Array:
    """Return what lies in memory as an output."""
    return (array if meta.dtype.real == meta.dtype else array.view(np.complex64)).reshape(meta.shape)


def _memory(value: Value, meta: Metas) -> GlobalMemory:
    """Return a private copy of the values, or memory filled with NaN (integers: a pattern)."""
    if meta is None:
        return GlobalMemory(DType.FLOAT32, [], listed=False)
    metas = meta if isinstance(meta, tuple) else (meta,)
    if value is None:
        arrays: list[Array] = [
            np.full(
                m.count * (m.dtype.size_bytes // m.dtype.real.size_bytes),
                np.nan if m.dtype.real.is_float else 1,
                dtype=storage(m.dtype.real),
            )
            for m in metas
        ]
    else:
        sources = [value] if isinstance(value, np.ndarray) else list(value)
        arrays = [_laid_out(v, m.dtype) for v, m in zip(sources, metas, strict=True)]
    return GlobalMemory(
        metas[0].dtype.real if metas else DType.FLOAT32, arrays, listed=isinstance(meta, tuple)
    )


def _laid_out(value: Array, dtype: DType) -> Array:
    """Return a private copy as it lies in memory, complex numbers as pairs of floats."""
    copied: Array = np.array(value, dtype=storage(dtype)).reshape(-1)
    return copied.view(np.float32) if dtype == DType.COMPLEX64 else copied


def _launch(
    program: Program, launched: Launched, memory: dict[str, GlobalMemory], body: tuple[Stmt, ...]
) -> None:
    kernel = program.kernel(launched.kernel)
    runs = [ProgramRun(kernel, launched, memory, pid) for pid in range(launched.cores)]
    with np.errstate(all="ignore"):
        _together(body, runs)


def _together(body: tuple[Stmt, ...], runs: Sequence[ProgramRun]) -> None:
    """Run a body on every core, one after the other up to where they meet."""
    start = 0
    for at, s in enumerate((*body, None)):
        if s is not None and not isinstance(s, SyncAll) and not holds_sync(s):
            continue
        for run in runs:
            run.body(body[start:at])
        start = at + 1
        if isinstance(s, For):
            for turn in runs[0].turns(s):
                for run in runs:
                    run.names[s.var] = turn
                _together(s.body, runs)
