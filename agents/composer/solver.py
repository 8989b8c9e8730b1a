"""What a plan says of a composed program: the tiling that it chooses for a call, every buffer's bytes, all in words.

The words say what the operator is, how it is cut and why, with the numbers of the tiling.
"""

from collections.abc import Mapping
from typing import Literal

from akgen.agents.plan import Buffer, Category, Tiling
from akgen.knowledge.chip import Chip
from akgen.tools.compose.back.schedules import schedule_texts
from akgen.tools.compose.front.graph import COMPARISONS, CONTRACTIONS
from akgen.tools.compose.middle.formula import formulas
from akgen.tools.compose.middle.symbolic_nest import SymbolicNest
from akgen.tools.compose.program import Composition
from akgen.tools.core.dtypes import DType
from akgen.tools.core.op_spec import AttrValue
from akgen.tools.dsl.buffers import RESERVE_BYTES, bytes_of, phase_bytes, row_alignment, scratch_bytes
from akgen.tools.dsl.evaluate import Scalar, evaluate
from akgen.tools.dsl.host_run import HostRun, Launched, Metas, tensor_arguments
from akgen.tools.dsl.ir import ElementType, Program, SyncAll, walk
from akgen.tools.dsl.prepare import prepare
from akgen.tools.dsl.show import show


class Solved:
    """What the host function of a program decides for one call, and the memory that follows."""

    def __init__(
        self,
        program: Program,
        metas: Mapping[str, Metas],
        attrs: Mapping[str, AttrValue],
        core_num: int,
    ) -> None:
        self.program = program
        self.prepared = prepare(program)
        self.run = HostRun(program, self.prepared, metas, attrs, core_num)
        self.launched: Launched = self.run.run()
        kernel = program.kernel(self.launched.kernel)
        self.scalars: dict[str, Scalar] = {
            p.name: a
            for p, a in zip(kernel.params, self.launched.args, strict=True)
            if not isinstance(a, str)
        }

    def _type(self, t: ElementType) -> DType | Literal["mask"]:
        if t.fixed is not None:
            return t.fixed
        arguments = tensor_arguments(self.program, self.launched.kernel)
        return t.where(self.run.dtype(ElementType(of=arguments[t.of or ""])))

    def tiling(self) -> Tiling:
        """Return the tiling with the bytes of every buffer of the phase that takes most of the Unified Buffer."""
        whole = self.prepared[self.launched.kernel].plan
        plan = whole.in_phase(
            max(whole.phases, key=lambda k: phase_bytes(whole, k, self.scalars, self._type))
        )
        alignment = row_alignment(plan, self._type)
        buffers: list[Buffer] = []
        for b in plan.buffers:
            dims = tuple(int(evaluate(d, self.scalars)) for d in b.dims)
            size = bytes_of(b, dims, alignment, self._type)
            if size:
                kind = self._type(b.types[0])
                buffers.append(
                    Buffer(
                        name=b.name, role=b.role, dtype=DType.UINT8 if kind == "mask" else DType(kind),
                        size_bytes=size // b.copies, copies=b.copies,
                    )
                )  # fmt: skip
        scratch = scratch_bytes(plan, self.scalars, alignment, self._type)
        if scratch:
            buffers.append(Buffer(name="scratch", role="temp", dtype=DType.UINT8, size_bytes=scratch))
        return Tiling(
            block_dim=self.launched.cores, tile_length=self.tile_length(), buffers=tuple(buffers),
            ub_bytes=sum(b.size_bytes * b.copies for b in buffers),
            double_buffer=any(b.copies > 1 for b in buffers),
        )  # fmt: skip

    def tile_length(self) -> int:
        """Return the elements of the largest tile."""
        kernel = self.program.kernel(self.launched.kernel)
        largest = 1
        for alloc in kernel.allocs.values():
            n = 1
            for d in alloc.dims:
                n *= int(evaluate(d, self.scalars))
            largest = max(largest, n)
        return largest


def categorise(composition: Composition, declared: str) -> Category:
    """Return the operator's category from its structure; what the task says wins where it is one of ours."""
    known = {
        "elementwise", "activation", "comparison", "cast", "broadcast", "reduction", "softmax", "normalization",
        "loss", "optimizer", "index", "creation",
    }  # fmt: skip
    if declared in known:
        return declared  # type: ignore[return-value]
    templates = [t for g in composition.groups for t in g.templates]
    if any(v.op in CONTRACTIONS for t in templates for v in t.values):
        return "matmul"
    kinds = {v.kind for t in templates for v in t.values if v.op == "reduce"}
    outputs = len(composition.face.output_names)
    if not kinds:
        if any(v.op in COMPARISONS for t in templates for v in t.values[-1:]):
            return "comparison"
        if not any(v.op == "load" for t in templates for v in t.values):
            return "creation"
        if outputs >= 3:
            return "optimizer"
        return "broadcast" if any(len(t.sizes) > 1 for t in templates) else "elementwise"
    if {"max", "sum"} <= kinds and any(v.op == "exp" for t in templates for v in t.values):
        return "softmax"
    if any(v.op in ("rsqrt", "sqrt") for t in templates for v in t.values):
        return "normalization"
    return "reduction"


def thought(composition: Composition, tiling: Tiling | None, chip: Chip, case: str) -> str:
    """Return the plan's chain of thought, for people and for training."""
    parts = [_computation(composition), _structure(composition)]
    for kernel in composition.kernels:
        said = schedule_texts()[kernel.kinds[0]]
        text = [f"Kernel `{kernel.name}`: {', '.join(kernel.kinds)}. {said.why}"]
        if said.instead is not None:
            text.append(said.instead)
        if kernel.fits is not None:
            text.append(f"The host chooses it when {show(kernel.fits)}.")
        parts.append(" ".join(text))
    parts.append(_exchange(composition))
    if tiling is not None:
        parts.append(_budget(tiling, chip, case))
    parts.append(_tail(composition))
    parts.append("Risks. " + " ".join(risks(composition)))
    return "\n\n".join(p for p in parts if p)


def _computation(composition: Composition) -> str:
    face = composition.face
    lines = ["What is computed:"]
    for k, group in enumerate(composition.groups):
        label = "" if len(composition.groups) == 1 else f" (kind {k + 1}, {len(group.cases)} cases)"
        for template in group.templates:
            steps = formulas(
                template, face.input_names, tuple(n.removesuffix("_ref") for n in face.output_names)
            )
            lines += [f"  {s}{label if i == 0 else ''}" for i, s in enumerate(steps[:24])]
            if len(steps) > 24:
                lines.append(f"  … {len(steps) - 24} more steps")
    return "\n".join(lines)


def _structure(composition: Composition) -> str:
    lines: list[str] = []
    for group in composition.groups:
        lines += [f"  {_axes(t)}" for t in group.templates]
    unique = list(dict.fromkeys(lines))
    dtypes = sorted({str(d) for p in composition.face.op.inputs for d in p.dtypes})
    text = "Axes after collapsing what is contiguous everywhere:\n" + "\n".join(unique)
    text += f"\nInput dtypes: {', '.join(dtypes)}. Loads convert to float32, stores round once."
    if len(composition.groups) > 1:
        text += (
            f" The cases fall into {len(composition.groups)} kinds, which the host tells apart by its tests."
        )
    return text


def _axes(template: SymbolicNest) -> str:
    if template.listed:
        return "position in the list; elements of one tensor"
    if not template.sizes:
        return "none: single numbers"
    over = {a for v in template.values if v.op == "reduce" for a in v.over}
    parts = []
    for k, (name, definition) in enumerate(zip(template.sizes, template.definitions, strict=True)):
        values = sorted({c[k] for c in template.cases})
        span = str(values[0]) if len(values) == 1 else f"{values[0]} to {values[-1]}"
        parts.append(f"{name.id} = {show(definition)} ({span}{', reduced' if k in over else ''})")
    return "; ".join(parts)


def _exchange(composition: Composition) -> str:
    if not any(isinstance(s, SyncAll) for k in composition.kernels for s in walk(k.kernel.body)):
        return "No core needs another core's result, so there is no SyncAll."
    return (
        "Reductions over what several cores share: each core writes its partial result to its own slot of the "
        "workspace (32 bytes apart, so that no two cores write one block), all cores meet at SyncAll, and the partial "
        "results are combined in core order, so the result does not depend on timing."
    )


def _budget(tiling: Tiling, chip: Chip, case: str) -> str:
    budget = chip.ub_size - RESERVE_BYTES
    lines = [f"Budget for case {case}: UB {chip.ub_size} bytes less {RESERVE_BYTES} reserved = {budget}."]
    for b in tiling.buffers:
        total = b.size_bytes * b.copies
        lines.append(f"  {b.name}: {b.copies} x {b.size_bytes} = {total} ({b.role})")
    lines.append(f"  sum {tiling.ub_bytes} of {budget} bytes, {budget - tiling.ub_bytes} to spare")
    lines.append(
        f"{tiling.block_dim} of {chip.core_aiv} cores, {tiling.tile_length} elements per tile, "
        + ("transfer buffers doubled: copies in and out run while the vector unit works." if tiling.double_buffer
           else "single buffers: there is one tile, nothing to overlap.")
    )  # fmt: skip
    return "\n".join(lines)


def _tail(composition: Composition) -> str:
    if any(k.kinds[0] == "single" for k in composition.kernels) and len(composition.kernels) == 1:
        return "Tail: single numbers are moved with DataCopyPad, 4 bytes at a time."
    return (
        "Tail: the last tile of a core is min(tile, what is left); every operation covers exactly the tile's extent, "
        "copies of lengths that are not multiples of 32 bytes go through DataCopyPad, and rows in UB start at 32-byte "
        "boundaries."
    )


def risks(composition: Composition) -> tuple[str, ...]:
    """Return what may go wrong numerically or otherwise, one sentence each."""
    values = [v for g in composition.groups for t in g.templates for v in t.values]
    ops = {v.op for v in values}
    kinds = {v.kind for v in values if v.op == "reduce"}
    found: list[str] = []
    if "sum" in kinds:
        found.append(
            "Sums run in float32 in another order than the reference; long sums differ in the last digits."
        )
    if "exp" in ops and "max" in kinds:
        found.append("The maximum is subtracted before exp, so nothing overflows.")
    elif "exp" in ops:
        found.append("exp overflows beyond 88.7 in float32, as the reference does.")
    if {"div", "reciprocal", "rsqrt", "log"} & ops:
        found.append(
            "Divisions and logarithms follow IEEE at zero: infinities and NaN come out where the reference has them."
        )
    if any(v.dtype == DType.INT32 for v in values):
        found.append("Integers are exact within int32; int64 values beyond are not covered.")
    if {"floor", "round", "trunc", "ceil", "sign", "eq", "ne", "lt", "le", "gt", "ge"} & ops:
        found.append(
            "Steps and comparisons may flip where a half-precision reference rounds before them and this does not."
        )
    return tuple(found) or ("Only the final rounding to the output dtype differs from exact arithmetic.",)
