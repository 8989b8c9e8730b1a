"""Direct files on the fake NPU: what bisheng compiles, and what a host function's call does, on the twin.

The worker gives a host function its tensors in a row, and not which it writes: here each is worked on in place, so that
what a kernel does not write is left as it was.
"""

import hashlib
import json
import re
import shutil
from pathlib import Path

from akgen.tools.cache.content import ContentCache
from akgen.tools.core.call import Argument, Attr, Call, OutputMeta, TensorFile
from akgen.tools.core.dtypes import DType
from akgen.tools.core.op_spec import AttrValue
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import RunOptions
from akgen.tools.direct.kernels import DirectKernels
from akgen.tools.launched.toolchain import LaunchingTwin
from akgen.tools.twin.kernel.kernel_build import build_kernel
from akgen.tools.twin.kernel.kernel_prelude import Variant
from akgen.tools.twin.toolchain import TwinToolchain
from tests.fake_cann.records import record, without_files, words

_MARK = b"\nREHEARSAL"
_ENTRY = re.compile(r"AKGEN_DIRECT_ENTRY\(launch_(\w+)\)")
_LAUNCHED = re.compile(r"([\w:]+(?:<[^;<>]*>)?)\s*<<<")
_KERNEL = re.compile(r"__global__[\w\s]*\bvoid\s+(\w+)")
_ADDRESS = re.compile(rb"\b\d{9,}\b")
_WORDS = re.compile(rb"text (\d+) ")
_TYPES = {d.ge_value: d for d in DType}
_MOST_ADDRESSES = 16  # of a kernel that is compiled before anybody launches it


class DirectFiles:
    """Compiles and calls direct files; `folder` is for what is kept."""

    def __init__(self, twin: TwinToolchain, folder: Path) -> None:
        self._twin, self._folder = LaunchingTwin(twin.settings), folder
        self._twin.prepare(print)

    def compile(self, entry: Path) -> tuple[KernelProject, list[Diagnostic]]:
        """Return the project of an entry, and what keeps it from being compiled: its host half, and each kernel."""
        named = _ENTRY.search(entry.read_text())
        assert named is not None
        files = {
            p.relative_to(entry.parent).as_posix(): p.read_text()
            for p in entry.parent.rglob("*")
            if p.is_file() and p.suffix in (".asc", ".h", ".hpp")
        }
        project = KernelProject(
            op_type="Direct", kernel=named[1], files={n: t for n, t in files.items() if n != entry.name}
        )
        found = [d for d in self._twin.lint(project) if d.severity == "error"]
        return project, found or self._kernels(project, entry.parent)

    def _kernels(self, project: KernelProject, folder: Path) -> list[Diagnostic]:
        """Compile each kernel as it is launched: no template is compiled for itself."""
        assert project.direct_file is not None
        source = folder / project.direct_file
        kernels = DirectKernels((source,), (), self._twin)
        cache = ContentCache(self._twin.settings.cache / "kernel")
        found: list[Diagnostic] = []
        for name in dict.fromkeys(_LAUNCHED.findall(source.read_text())):
            entry = kernels.project(source, name, range(_MOST_ADDRESSES))
            built = build_kernel(entry, None, Variant(None, 0), self._twin.runtime, cache)
            found += [d.model_copy(update={"file": project.direct_file}) for d in built.diagnostics]
        return [d for d in found if d.severity == "error"]

    def call(
        self, library: Path, text: bytes, folder: Path, *, profiled: bool
    ) -> tuple[Outcome | None, str, float]:
        """Make a call whose tensors are files in `folder`; return how it ended, in which words, and its microseconds.

        What its launches left lies beside them; with `profiled`, a record of its kernel, too.
        """
        project = KernelProject.model_validate_json(library.read_bytes().rpartition(_MARK)[2])
        key = hashlib.sha256(f"{project.digest} {profiled} ".encode() + _ADDRESS.sub(b"", text))
        for path in sorted(folder.glob("in*")):
            key.update(path.read_bytes())
        kept = self._folder / key.hexdigest()
        if not (kept / "time").is_file():
            call = _call(text, folder)
            described = call.model_copy(update={"inputs": tuple(map(without_files, call.inputs))})
            build = self._twin.compile(project, [described], self._folder / project.digest[:16] / "build")
            if build.outcome is not None:
                return build.outcome, words(build.diagnostics), 0.0
            launch = self._twin.run(
                build, call, self._folder / project.digest[:16] / "run", RunOptions(trace=profiled)
            )
            if launch.outcome is not None:
                return launch.outcome, words(launch.diagnostics), 0.0
            kept.mkdir(parents=True)
            parts = [p for v in launch.outputs for p in (v if isinstance(v, tuple) else (v,))]
            for i, part in enumerate(parts):
                shutil.copy(part.path, kept / f"changed{i}")
            if profiled:
                name = next(k for t in project.files.values() for k in _KERNEL.findall(t))
                (kept / "record").write_text(json.dumps(record(name, launch)))
            (kept / "time").write_text(str(launch.time_us or 0.0))
        for path in kept.glob("changed*"):
            shutil.copy(path, folder / path.name)
        if profiled:
            shutil.copy(kept / "record", folder / "record")
        return None, "", float((kept / "time").read_text())


def _call(text: bytes, folder: Path) -> Call:
    """Read what a host function is given: one argument a line, but for words with newlines in them."""
    inputs: list[Argument] = []
    attrs: list[AttrValue] = []
    count = 0

    def tensor(words: list[str]) -> TensorFile | None:
        """Take one from the words: address, type, rank and shape; None for an absent one."""
        nonlocal count
        address, kind, rank = (int(words.pop(0)) for _ in range(3))
        shape = tuple(int(words.pop(0)) for _ in range(rank))
        if address == 0:
            return None
        count += 1
        return TensorFile(dtype=_TYPES[kind], shape=shape, path=folder / f"in{count - 1}")

    while not text.startswith(b"stream"):
        if in_words := _WORDS.match(text):
            ends = in_words.end() + int(in_words[1])
            attrs.append(text[in_words.end() : ends].decode())
            text = text[ends + 1 :]
            continue
        line, _, text = text.partition(b"\n")
        kind, *words = line.decode().split()
        if kind == "tensor":
            inputs.append(tensor(words))
        elif kind == "list":
            parts = [tensor(words) for _ in range(int(words.pop(0)))]
            inputs.append(tuple(p for p in parts if p is not None))
        elif kind in ("ints", "reals"):
            attrs.append(tuple((int if kind == "ints" else float)(w) for w in words[1:]))
        else:
            value = float(words[0])
            attrs.append(value if kind == "real" else int(words[0]) if kind == "int" else bool(value))
    outputs = tuple(
        OutputMeta(meta=m, aliases=i) for i, v in enumerate(inputs) if (m := without_files(v)) is not None
    )
    named = tuple(Attr(name=f"a{i}", value=value) for i, value in enumerate(attrs))
    return Call(inputs=tuple(inputs), attrs=named, outputs=outputs)
