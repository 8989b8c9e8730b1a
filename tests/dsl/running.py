"""DSL programs, run by the interpreter and, lowered, on the twin."""

import re
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from akgen.tools.core.call import Attr, Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.op_spec import AttrSpec, OpSpec, ParamSpec
from akgen.tools.core.toolchain import Launch
from akgen.tools.dsl import Program, lower
from akgen.tools.dsl.numeric import storage, to_bfloat16
from akgen.tools.twin.toolchain import TwinToolchain

Array = np.ndarray[Any, Any]
Value = Array | list[Array] | None
ROOT = Path(__file__).resolve().parents[2]
FLOATS = (DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16)


def documented() -> dict[str, str]:
    """Return the complete programs of the language's reference by the name of their host function."""
    programs: dict[str, str] = {}
    for block in re.findall(
        r"(?:^(?:    .*)?\n)+", (ROOT / "tools/dsl/language.md").read_text(), re.MULTILINE
    ):
        text = textwrap.dedent(block).strip() + "\n"
        host = re.search(r"@ascend_host\ndef (\w+)", text)
        if host and "@ascend_kernel" in text and host.group(1) != "NAME":
            programs[host.group(1)] = text
    return programs


def rounded(values: Array, dtype: DType) -> Array:
    """Return values that the dtype can hold (bfloat16: as float32)."""
    return (
        to_bfloat16(values.astype(np.float32)) if dtype == DType.BFLOAT16 else values.astype(storage(dtype))
    )


def op_spec(
    program: Program,
    inputs: Sequence[tuple[DType, ...]],
    outputs: Sequence[tuple[DType, ...]],
    op_type: str = "DslTest",
) -> OpSpec:
    """Return the operator interface of a host function for these dtypes."""
    kinds = {p.name: p.kind for p in program.host.params}
    spec_kind = {"optional": "optional", "dynamic": "dynamic", "dynamic_output": "dynamic"}
    ins, outs = (
        tuple(
            ParamSpec.model_validate(
                {"name": n.removesuffix("_ref"), "kind": spec_kind.get(kinds[n], "required"), "dtypes": d}
            )
            for n, d in zip(names, dtypes, strict=True)
        )
        for names, dtypes in ((program.host.inputs, inputs), (program.host.outputs, outputs))
    )
    attrs = tuple(
        AttrSpec.model_validate({"name": a.name, "type": a.kind, "default": a.default})
        for a in program.host.attrs
    )
    return OpSpec(op_type=op_type, inputs=ins, outputs=outs, attrs=attrs)


class OnTwin:
    """Lowers programs and runs them on the twin. Every finding of the twin fails the test."""

    def __init__(self, toolchain: TwinToolchain, folder: Path) -> None:
        self.toolchain, self.folder = toolchain, folder

    def write(self, value: Array, dtype: DType, name: str) -> TensorFile:
        path = self.folder / f"{name}.bin"
        if dtype == DType.BFLOAT16:
            value = (value.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        value.tofile(path)
        return TensorFile(dtype=dtype, shape=value.shape, path=path)

    def read(self, file: TensorFile) -> Array:
        if file.dtype != DType.BFLOAT16:
            return np.fromfile(file.path, dtype=storage(file.dtype)).reshape(file.shape)
        bits = np.fromfile(file.path, dtype=np.uint16).astype(np.uint32) << 16
        return bits.view(np.float32).reshape(file.shape)

    def __call__(
        self,
        program: Program,
        inputs: Sequence[Value],
        dtypes: Sequence[DType],
        outputs: Sequence[TensorMeta | tuple[TensorMeta, ...]],
        attrs: Mapping[str, float | int | bool] | None = None,
        *,
        alone: bool = False,
    ) -> tuple[list[Array | list[Array]], Launch]:
        """Return the outputs and the launch. An output `v_ref` shares the memory of input `v`. `alone`: the project
        serves these types only."""
        out_types = [(o[0] if isinstance(o, tuple) else o).dtype for o in outputs]
        uniform = not alone and {*dtypes, *out_types} <= set(FLOATS) and len({*dtypes, *out_types}) == 1
        types = [
            FLOATS if uniform else (d,) for d in (*dtypes, *out_types)
        ]  # one project serves all float types
        op = op_spec(program, types[: len(dtypes)], types[len(dtypes) :])
        project = lower(program, op, "dsl_test")
        arguments: list[TensorFile | tuple[TensorFile, ...] | None] = []
        for name, value, dtype in zip(program.host.inputs, inputs, dtypes, strict=True):
            if isinstance(value, list):
                arguments.append(tuple(self.write(v, dtype, f"{name}{k}") for k, v in enumerate(value)))
            else:
                arguments.append(None if value is None else self.write(value, dtype, name))
        positions = {f"{n}_ref": i for i, n in enumerate(program.host.inputs)}
        metas = tuple(
            OutputMeta(meta=m, aliases=positions.get(n))
            for n, m in zip(program.host.outputs, outputs, strict=True)
        )
        values = tuple(Attr(name=n, value=v) for n, v in (attrs or {}).items())
        call = Call(inputs=tuple(arguments), outputs=metas, attrs=values)
        build = self.toolchain.compile(project, [call], self.folder / "build")
        assert build.outcome is None, [d.text for d in build.diagnostics]
        launch = self.toolchain.run(build, call, self.folder / "run")
        assert launch.outcome is None and not launch.diagnostics, [d.text for d in launch.diagnostics]
        results: list[Array | list[Array]] = []
        for o in launch.outputs:
            results.append([self.read(x) for x in o] if isinstance(o, tuple) else self.read(o))
        return results, launch
