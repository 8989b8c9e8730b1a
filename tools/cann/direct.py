"""Direct files on an NPU: bisheng makes one library of kernels and host function, and the worker calls the function.

Source: vendor pages "Compilation Using BiSheng Command Lines" and "msSanitizer: Before You Start". The host function's
head is that of the twin's direct form.
"""

import ctypes
import json
import re
from pathlib import Path, PurePosixPath

from akgen.tools.cann.environment import CannSettings, find_program
from akgen.tools.core.call import Argument, Call, TensorMeta
from akgen.tools.core.op_spec import AttrValue
from akgen.tools.core.outcome import InfraError
from akgen.tools.core.project import KernelProject, write_files

LIBRARY = Path("direct/libdirect.so")
_HERE = Path(__file__).resolve().parent
_INCLUDES = (_HERE / "include", _HERE.parent / "launched" / "include")
# the architecture that bisheng is told, by the chip's name (vendor page "AI processor versions")
_ARCHITECTURES = {"Ascend910B": "dav-2201", "Ascend910_93": "dav-2201", "Ascend310P": "dav-2002"}
_INSTRUMENTED = ("-g", "--cce-enable-sanitizer")  # for msSanitizer, when compiling and when linking
_WHY_BYTES = 2000
_KERNEL = re.compile(r"__global__[\w\s,()\[\]]*?\bvoid\s+(\w+)\s*\(")
KERNELS = "kernels.json"  # beside the library: the names of the file's kernels


class HostFunctionFailed(Exception):
    """The host function threw."""


def write_entry(project: KernelProject, folder: Path) -> Path:
    """Write the project and the file that is compiled; return the latter."""
    write_files(project.files, folder)
    entry = folder / "akgen_entry.asc"
    entry.write_text(
        f'#include "{project.direct_file}"\n#include "akgen/direct_entry.h"\n'
        f"AKGEN_DIRECT_ENTRY(launch_{project.kernel})\n"
    )
    return entry


def compile_command(
    settings: CannSettings, project: KernelProject, entry: Path, out: Path, *, instrumented: bool = False
) -> list[str]:
    """Compile for this chip, `instrumented` for msSanitizer.

    Raises InfraError without bisheng, or for a chip whose architecture is not known.
    """
    tool = find_program(settings, "bisheng")
    if tool is None:
        raise InfraError(
            "bisheng was not found below CANN's home.", "It comes with the CANN toolkit, 8.0 or later."
        )
    arch = next((a for prefix, a in _ARCHITECTURES.items() if settings.soc.startswith(prefix)), None)
    if arch is None:
        raise InfraError(
            f"bisheng's architecture of {settings.soc} is not known.", "Judge it with --toolchain twin."
        )
    folders = sorted({str(entry.parent / PurePosixPath(p).parent) for p in project.files})
    return [str(tool), f"--npu-arch={arch}", "-std=c++17", "-O2", "-fPIC", "-shared",
            *(_INSTRUMENTED if instrumented else ()),
            *(f"-I{p}" for p in (*_INCLUDES, entry.parent, *folders)), str(entry), "-o", str(out),
            f"-L{settings.usable_home / 'lib64'}", "-lascendcl"]  # fmt: skip


def write_kernels(project: KernelProject, folder: Path) -> None:
    """Keep the names of a file's kernels beside its library, for whoever tells its launches from others."""
    names = {name for text in project.files.values() for name in _KERNEL.findall(text)}
    (folder / KERNELS).write_text(json.dumps(sorted(names)))


def kernels_of(folder: Path) -> tuple[str, ...]:
    """Return the names of a built file's kernels."""
    return tuple(json.loads((folder / KERNELS).read_text()))


class DirectFunction:
    """The host function in a built library."""

    def __init__(self, library: Path) -> None:
        self._entry = ctypes.CDLL(str(library)).akgen_direct_launch

    def launch(self, text: str, stream: ctypes.c_void_p) -> None:
        """Call it. Raises HostFunctionFailed with what it threw."""
        why = ctypes.create_string_buffer(_WHY_BYTES)
        if self._entry(ctypes.c_char_p(text.encode()), stream, why, ctypes.c_ulong(_WHY_BYTES)) != 0:
            raise HostFunctionFailed(why.value.decode(errors="replace"))


def arguments(call: Call, inputs: dict[int, list[int]], outputs: dict[int, list[int]]) -> str:
    """Write what the host function is given: inputs, outputs with memory of their own, attributes, the stream."""
    words = [_argument(value, inputs[i]) for i, value in enumerate(call.inputs)]
    words += [_argument(o.meta, outputs[i]) for i, o in enumerate(call.outputs) if o.aliases is None]
    words += [_attribute(a.value) for a in call.attrs]
    return "\n".join([*words, "stream"])


def _argument(value: Argument, addresses: list[int]) -> str:
    if value is None:
        return "tensor 0 -1 0"
    if isinstance(value, tuple):
        parts = (_tensor(m, a) for m, a in zip(value, addresses, strict=True))
        return " ".join([f"list {len(value)}", *parts])
    return f"tensor {_tensor(value, addresses[0])}"


def _tensor(meta: TensorMeta, address: int) -> str:
    return " ".join(map(str, (address, meta.dtype.ge_value, len(meta.shape), *meta.shape)))


def _attribute(value: AttrValue) -> str:
    if isinstance(value, tuple):
        kind = "reals" if any(isinstance(v, float) for v in value) else "ints"
        return " ".join(map(str, (kind, len(value), *(int(v) if isinstance(v, bool) else v for v in value))))
    if isinstance(value, str):
        return f"text {len(value.encode())} {value}"
    if isinstance(value, bool):
        return f"bool {int(value)}"
    return f"real {value!r}" if isinstance(value, float) else f"int {value}"
