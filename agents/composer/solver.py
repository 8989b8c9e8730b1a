"""The tiling that a program chooses for a call, with every buffer's bytes."""

from collections.abc import Mapping
from typing import Literal

from akgen.agents.plan import Buffer, Tiling
from akgen.tools.core.dtypes import DType
from akgen.tools.core.op_spec import AttrValue
from akgen.tools.dsl.buffers import bytes_of, phase_bytes, row_alignment, scratch_bytes
from akgen.tools.dsl.evaluate import Scalar, evaluate
from akgen.tools.dsl.host_run import HostRun, Launched, Metas, tensor_arguments
from akgen.tools.dsl.ir import ElementType, Program
from akgen.tools.dsl.prepare import prepare


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
