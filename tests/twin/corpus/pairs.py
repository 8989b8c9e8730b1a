"""Pairs of kernels, each in one text: a correct one, and the same with one fault. README.md says how to write one."""

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from akgen.tools.core.call import Attr, Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import Launch, RunOptions
from akgen.tools.twin.toolchain import TwinToolchain

HERE = Path(__file__).resolve().parent
KERNEL = "op_kernel/corpus.cpp"
Array = np.ndarray[Any, Any]

_DIRECTIVE = re.compile(r"// (code|warning|x|y|want|blocks|workspace|zeroed|options|timeout): *(.*)")
_SECTION = re.compile(r"// ={4,} (\S+)$")
_MARK = re.compile(r"\s*// \[(faulty|correct|here|faulty here|correct here)\]$")


class Pair(NamedTuple):
    """`lines` are the marked lines of the faulty kernel, one of which the finding must name; none: it has no line."""

    name: str
    said: dict[str, str]
    faulty: KernelProject
    correct: KernelProject
    lines: frozenset[tuple[str, int]]

    @property
    def code(self) -> str:
        return self.said.get("code") or self.said["warning"]

    @property
    def severity(self) -> str:
        return "error" if "code" in self.said else "warning"

    def x(self) -> Array:
        """Draw the input, the same one in every run."""
        dtype, shape = _tensor(self.said["x"])
        values = np.random.default_rng(11).standard_normal(shape)
        return values.astype(dtype) if dtype.startswith("float") else (values * 30).astype(dtype)

    def want(self) -> Array:
        """Compute what the correct kernel writes."""
        dtype, shape = _tensor(self.said.get("y", self.said["x"]))
        value = eval(self.said["want"], {"np": np, "x": self.x()})
        return np.broadcast_to(np.asarray(value), shape).astype(dtype)

    def call(self, folder: Path) -> Call:
        x = self.x()
        x.tofile(folder / "x.bin")
        dtype, shape = _tensor(self.said.get("y", self.said["x"]))
        return Call(
            inputs=(TensorFile(dtype=DType(x.dtype.name), shape=x.shape, path=folder / "x.bin"),),
            attrs=(
                Attr(name="blocks", value=int(self.said.get("blocks", 1))),
                Attr(name="workspace", value=int(self.said.get("workspace", 0))),
            ),
            outputs=(
                OutputMeta(meta=TensorMeta(dtype=DType(dtype), shape=shape), zeroed="zeroed" in self.said),
            ),
        )


class Ended(NamedTuple):
    """What one kernel gave. `launch` is None if it was not launched, `y` if it did not run to its end."""

    outcome: str | None
    diagnostics: tuple[Diagnostic, ...]
    launch: Launch | None
    y: Array | None


def read_pairs(folder: Path = HERE / "kernels") -> list[Pair]:
    return [read_pair(p) for p in sorted(folder.rglob("*.cpp"))]


def read_pair(path: Path) -> Pair:
    """Split one text into its two projects. Lines of the other one become empty, so that numbers stay."""
    said = dict(m.groups() for line in path.read_text().splitlines() if (m := _DIRECTIVE.match(line)))
    sections: dict[str, list[str]] = {}
    current = KERNEL
    for line in path.read_text().splitlines():
        if match := _SECTION.match(line):
            current = match[1]
        else:
            sections.setdefault(current, []).append(line)
    shared = {f"op_host/{p.name}": p.read_text() for p in sorted((HERE / "host").iterdir())}
    if "options" in said:
        shared["CMakeLists.txt"] = f"add_ops_compile_options(ALL OPTIONS {said['options']})\n"
    files = {kind: dict(shared) for kind in ("faulty", "correct")}
    lines = set()
    for name, text in sections.items():
        for kind in files:
            files[kind][name] = "\n".join(_without_marks(line, kind) for line in text) + "\n"
        lines |= {
            (name, n) for n, line in enumerate(text, 1) if (m := _MARK.search(line)) and m[1].endswith("here")
        }
    return Pair(
        name=path.relative_to(HERE / "kernels").with_suffix("").as_posix(),
        said=said,
        faulty=KernelProject(op_type="Corpus", kernel="corpus", files=files["faulty"]),
        correct=KernelProject(op_type="Corpus", kernel="corpus", files=files["correct"]),
        lines=frozenset(lines),
    )


def run(twin: TwinToolchain, pair: Pair, project: KernelProject, folder: Path) -> Ended:
    """Compile and launch one of the two."""
    return run_twice(twin, pair, project, folder, times=1)[0]


def run_twice(
    twin: TwinToolchain, pair: Pair, project: KernelProject, folder: Path, *, times: int = 2
) -> list[Ended]:
    """Compile one of the two and launch it `times` times, each time with a trace if that is more than once."""
    folder.mkdir(parents=True)
    call = pair.call(folder)
    build = twin.compile(project, [call], folder / "build")
    if build.outcome is not None:
        return [Ended(str(build.outcome), build.diagnostics, None, None)] * times
    ended = []
    for number in range(times):
        launch = twin.run(
            build,
            call,
            folder / f"run{number}",
            RunOptions(timeout_s=float(pair.said.get("timeout", 20)), trace=times > 1),
        )
        y = None
        if launch.outputs:
            file = launch.outputs[0]
            assert isinstance(file, TensorFile)
            y = np.fromfile(file.path, dtype=file.dtype.value).reshape(file.shape)
        ended.append(Ended(launch.outcome and str(launch.outcome), launch.diagnostics, launch, y))
    return ended


def _without_marks(line: str, kind: str) -> str:
    match = _MARK.search(line)
    if match is None or match[1] == "here":
        return line[: match.start()] if match else line
    return line[: match.start()] if match[1].startswith(kind) else ""


def _tensor(text: str) -> tuple[str, tuple[int, ...]]:
    dtype, *sizes = text.split()
    return dtype, tuple(map(int, sizes))
