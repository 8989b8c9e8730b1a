"""The candidate's process on an NPU: `python -m akgen.tools.cann.worker REQUEST.json`.

Reads inputs, calls the operator, writes raw outputs. It never sees expected outputs. Needs torch_npu and CANN.
"""

import sys
from pathlib import Path

import numpy as np

from akgen.tools.cann.aclnn import Library
from akgen.tools.core.call import Argument, Call, TensorFile, TensorMeta
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import OpSpec

POISON = 0xFF  # every float type reads this as NaN


class Request(Frozen):
    """One run. Output i is written to `folder/out<i>.bin`, element j of a list to `out<i>_<j>.bin`."""

    call: Call
    spec: OpSpec
    vendor: Path  # of the operator package
    folder: Path
    device: int
    launches: int = 1  # more than one only while profiling


def main(path: str) -> None:
    """Run one request; errors of the runtime end the process with their text on stderr."""
    import torch
    import torch_npu

    request = Request.model_validate_json(Path(path).read_text())
    torch.npu.set_device(request.device)
    library = Library(request.vendor)

    def device_bytes(meta: TensorMeta) -> "torch.Tensor":
        if isinstance(meta, TensorFile):
            raw = torch.from_numpy(np.fromfile(meta.path, dtype=np.uint8))
        else:
            raw = torch.full((max(1, meta.size_bytes),), POISON, dtype=torch.uint8)
        return raw.npu()

    def operand(argument: Argument) -> tuple[object, list["torch.Tensor"]]:
        if argument is None:
            return None, []
        if isinstance(argument, tuple):
            parts = [device_bytes(m) for m in argument]
            handles = [
                library.tensor(p.data_ptr(), m.shape, m.dtype) for p, m in zip(parts, argument, strict=True)
            ]
            return library.tensor_list(handles), parts
        part = device_bytes(argument)
        return library.tensor(part.data_ptr(), argument.shape, argument.dtype), [part]

    inputs = [operand(a) for a in request.call.inputs]
    given = {a.name: a.value for a in request.call.attrs}
    attrs = [library.attribute(a, given.get(a.name, a.default)) for a in request.spec.attrs]
    outputs = []
    handles = []
    for out in request.call.outputs:
        if out.aliases is not None:
            outputs.append(inputs[out.aliases][1])  # an in-place output is passed once
        else:
            handle, parts = operand(out.meta)
            handles.append(handle)
            outputs.append(parts)
    arguments = [*(handle for handle, _ in inputs), *attrs, *handles]
    stream = torch_npu.npu.current_stream().npu_stream
    for _ in range(request.launches):
        size, executor = library.workspace_size(request.spec.op_type, arguments)
        workspace = torch.full((max(1, size),), POISON, dtype=torch.uint8).npu()
        library.launch(request.spec.op_type, workspace.data_ptr(), size, executor, stream)
        torch.npu.synchronize()
    for i, (out, parts) in enumerate(zip(request.call.outputs, outputs, strict=True)):
        metas = out.meta if isinstance(out.meta, tuple) else (out.meta,)
        for j, (meta, part) in enumerate(zip(metas, parts, strict=True)):
            name = f"out{i}_{j}.bin" if isinstance(out.meta, tuple) else f"out{i}.bin"
            part.cpu().numpy()[: meta.size_bytes].tofile(request.folder / name)


if __name__ == "__main__":
    main(sys.argv[1])
