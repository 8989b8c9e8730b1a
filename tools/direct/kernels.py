"""Build and run one kernel of a file that launches kernels itself; sealed, like the kernel of any project.

The kernel gets the memory that its addresses lie in, each as an input that it works on in place, and its arguments as
tiling data; `direct_kernel.h` unpacks them. Not covered: addresses that lie in device memory themselves.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from akgen.tools.cache.content import ContentCache
from akgen.tools.core.call import Call, OutputMeta, TensorFile
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import Launch, RunOptions
from akgen.tools.core.untrusted import read_text
from akgen.tools.direct.split import device_text, task_type
from akgen.tools.twin.host.host_run import TilingResult
from akgen.tools.twin.kernel.kernel_build import build_kernel
from akgen.tools.twin.kernel.kernel_prelude import Variant
from akgen.tools.twin.launch import KernelRun, launch
from akgen.tools.twin.report import printed_in
from akgen.tools.twin.toolchain import TwinToolchain

INCLUDE = Path(__file__).resolve().parent / "include"
_ENTRY = "direct_launch_entry"
_INCLUDE = re.compile(r'^([ \t]*#[ \t]*include[ \t]*[<"])([^">\n]+)([">].*)$', re.MULTILINE)
_STANDARD = re.compile(r"[a-z_0-9]+(?:\.h)?$")
_NAME = re.compile(r"[\w:<>,()\s*&-]{1,500}")


class DirectLaunch(NamedTuple):
    """A launch with what the memory holds afterwards, in the order given; unchanged if the launch failed."""

    done: Launch
    memory: tuple[Path, ...]
    printed: tuple[str, ...] = ()  # by the kernel


class DirectKernels:
    """The kernels of some source files. Errors name the files as they were given."""

    def __init__(
        self,
        sources: Sequence[Path],
        include: Sequence[Path],
        twin: TwinToolchain,
        defines: Sequence[str] = (),
    ) -> None:
        """`defines` are macros, each NAME or NAME=VALUE."""
        self._sources, self._include, self._twin = tuple(sources), tuple(include), twin
        self._defines = tuple(defines)

    def launch(
        self,
        kernel: str,
        source: Path,
        blocks: int,
        arguments: bytes,
        memory: Sequence[Path],
        folder: Path,
        *,
        timeout_s: float = 120.0,
    ) -> DirectLaunch:
        """Run one kernel, which is named as C++ does. `memory` are files; what comes out lies below `folder`.

        Raises InfraError only.
        """
        runtime = self._twin.runtime
        if not _NAME.fullmatch(kernel) or not 1 <= blocks <= 65535:
            text = f"A launch of {kernel[:80]} on {blocks} blocks is none that a device takes."
            found = Diagnostic(code="BLOCK_DIM", text=text, stage="test", remedy="Take 1 to 65535 blocks.")
            return DirectLaunch(Launch(outcome=Outcome.TRAP, outputs=(), diagnostics=(found,)), ())
        project = self.project(source, kernel, range(len(memory)))
        kernels = ContentCache(self._twin.settings.cache / "kernel")
        built = build_kernel(project, None, Variant(None, 0), runtime, kernels)
        if built.library is None:
            outcome = Outcome.CHEAT if built.cheat else Outcome.COMPILE_ERROR
            found_all = tuple(_as_given(d, source) for d in built.diagnostics)
            return DirectLaunch(Launch(outcome=outcome, outputs=(), diagnostics=found_all), ())
        tensors = tuple(
            TensorFile(dtype=DType.UINT8, shape=(path.stat().st_size,), path=path) for path in memory
        )
        outputs = tuple(OutputMeta(meta=t, aliases=i) for i, t in enumerate(tensors))
        what = KernelRun(
            library=built.library,
            symbol=built.symbol,
            op=None,
            tiling=TilingResult(
                data=arguments.ljust(8, b"\0"), block_dim=blocks, tiling_key=0, workspace_bytes=0
            ),
            auto_sync=True,
            chip_file=self._twin.chip_file,
            toolchain=self._twin.version(),
            model_error=self._twin.model_error,
        )
        call = Call(inputs=tensors, outputs=outputs)
        done = launch(runtime, what, call, folder, RunOptions(timeout_s=timeout_s))
        done = done.model_copy(update={"diagnostics": tuple(_as_given(d, source) for d in done.diagnostics)})
        after = tuple(o.path for o in done.outputs if isinstance(o, TensorFile))
        return DirectLaunch(done, after, printed_in(folder / "report.jsonl"))

    def project(self, source: Path, kernel: str, order: Sequence[int]) -> KernelProject:
        """Return a project with one entry, which unpacks a launch's arguments and calls the kernel.

        Its parameters are as many addresses as `order` has: the launch's memory `i` is the parameter `order[i]`.
        """
        files = dict(self._device_files(source))
        text = "".join(files.values())
        task = task_type(text, kernel)
        parameters = [*(f"GM_ADDR m{i}" for i in range(len(order))), "GM_ADDR workspace", "GM_ADDR tiling"]
        passed = ", ".join(["nullptr", *(f"m{i}" for i in order)])
        lines = [
            # The entry is what the launcher calls: kernels are functions of its own file.
            '#include "kernel_operator.h"',
            (INCLUDE / "akgen" / "direct_names.h").read_text().replace("#pragma once\n", ""),
            *(f"#define {name} {value or 1}" for name, _, value in (d.partition("=") for d in self._defines)),
            '#pragma push_macro("__global__")',
            "#undef __global__",
            "#define __global__",
            f'#include "{source.name}"',
            '#pragma pop_macro("__global__")',
            (INCLUDE / "akgen" / "direct_kernel.h").read_text().replace("#pragma once\n", ""),
            f'extern "C" __global__ __aicore__ void {_ENTRY}({", ".join(parameters)})',
            "{",
            f"    KERNEL_TASK_TYPE_DEFAULT({task});" if task else "",
            f"    GM_ADDR const memory[] = {{{passed}}};",
            f"    akgen::direct::Entry<{kernel}>::call(memory + 1, tiling);",
            "}",
        ]
        files[f"op_kernel/{_ENTRY}.cpp"] = "\n".join(lines) + "\n"
        return KernelProject(op_type="DirectLaunchEntry", kernel=_ENTRY, files=files)

    def _device_files(self, source: Path) -> Iterator[tuple[str, str]]:
        """Yield the device's half of a source and of what it includes from the project's own folders."""
        seen: set[str] = set()
        stack = [(source.name, source)]
        while stack:
            name, path = stack.pop()
            if name in seen:
                continue
            seen.add(name)
            own: dict[str, Path] = {}
            for included in _INCLUDE.findall(text := read_text(path)):
                found = self._found(included[1], path)
                if found is not None:
                    own[included[1]] = found
            stack += [(PurePosixPath(n).name, p) for n, p in own.items()]
            yield f"op_kernel/{name}", device_text(self._includes(text, own))

    def _includes(self, text: str, own: dict[str, Path]) -> str:
        """Leave out what the device has not, and name own headers without folders: they lie together."""

        def one(m: re.Match[str]) -> str:
            if m[2] in own:
                return f'{m[1][:-1]}"{PurePosixPath(m[2]).name}"'
            device = m[2] in _device_headers(self._twin.runtime.device_include)
            standard = _STANDARD.fullmatch(m[2]) and m[2] not in _host_headers()
            return m[0] if device or standard else ""

        return _INCLUDE.sub(one, text)

    def _found(self, name: str, includer: Path) -> Path | None:
        folders = (includer.parent, *(s.parent for s in self._sources), *self._include)
        return next((p for p in (folder / name for folder in folders) if p.is_file()), None)


@lru_cache(maxsize=1)
def _host_headers() -> frozenset[str]:
    return frozenset(p.relative_to(INCLUDE).as_posix() for p in INCLUDE.rglob("*.h"))


@lru_cache(maxsize=4)
def _device_headers(include: Path) -> frozenset[str]:
    both = (include, include / "shadow")
    return frozenset(p.relative_to(root).as_posix() for root in both for p in root.rglob("*") if p.is_file())


def _as_given(found: Diagnostic, source: Path) -> Diagnostic:
    """Name the file that the user wrote."""
    if found.file is None:
        return found
    name = PurePosixPath(found.file).name
    return found.model_copy(update={"file": str(source) if name == source.name else name})
