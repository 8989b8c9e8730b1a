"""An operator project in the msopgen layout: op_host, op_kernel; and what one that we did not write calls itself."""

import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.plain_text import without_halves
from akgen.tools.core.untrusted import read_text

SOURCE_SUFFIXES = {".cpp", ".h", ".hpp", ".cc", ".inc", ".txt", ".asc"}
DIRECT = ".asc"  # of the vendor's files with kernels and the host code that launches them
_OP_ADD = re.compile(r"(?:^|[;{}])\s*OP_ADD\s*\(\s*(\w+)", re.MULTILINE)
_ADDS = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]*\((?:[^\n\\]|\\.)*?\bOP_ADD\s*\(", re.MULTILINE | re.DOTALL
)
_ENTRY = re.compile(r"\b__global__\b[^;{()]*?\bvoid\s+(\w+)\s*\(")
HOST_STANDARDS = ("c++11", "c++14")  # that projects' builds give op_host; msopgen's gives the first
_HOST_FUNCTION = re.compile(r"^[ \t]*(?:extern \"C\"\s+)?void\s+launch_(\w+)\s*\(", re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def write_files(files: Mapping[str, str], folder: Path) -> None:
    """Write texts under their paths below a folder, which need not exist."""
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


@lru_cache(maxsize=64)  # every launch looks at the same few files
def without_comments(text: str) -> str:
    """Blank out comments; lines keep their numbers."""
    return COMMENT.sub(lambda m: "\n" * m[0].count("\n") or " ", text)


class KernelProject(Frozen):
    """Sources of one operator. `files` maps project-relative POSIX paths to text."""

    op_type: str  # CamelCase
    kernel: str  # snake_case; the kernel's entry point
    files: dict[str, str]
    # The class that calls the operator, as `path::Class`, where the answer brings one with a binding of its own.
    model: str | None = None
    host_standard: str = HOST_STANDARDS[0]

    @property
    def digest(self) -> str:
        """Return the SHA-256 of names and contents, in hex."""
        h = hashlib.sha256((self.model or "").encode())
        if self.host_standard != HOST_STANDARDS[0]:
            h.update(self.host_standard.encode())
        for path, text in sorted(self.files.items()):
            h.update(f"{path}\0{len(text)}\0{text}\0".encode())
        return h.hexdigest()

    @property
    def kernel_file(self) -> str:
        return f"op_kernel/{self.kernel}.cpp"

    @property
    def direct_file(self) -> str | None:
        """Return the file with kernels and the host function that launches them, where the project has this form."""
        found = [path for path in self.kernel_files if path.endswith(DIRECT)]
        return found[0] if found and not self.host_files else None

    @property
    def kernel_files(self) -> tuple[str, ...]:
        return tuple(p for p in sorted(self.files) if p.startswith("op_kernel/"))

    @property
    def host_files(self) -> tuple[str, ...]:
        return tuple(p for p in sorted(self.files) if p.startswith("op_host/"))

    def write_to(self, folder: Path) -> None:
        write_files(self.files, folder)

    @classmethod
    def read_from(cls, folder: Path, op_type: str, kernel: str) -> "KernelProject":
        """Read op_host/ and op_kernel/ below `folder`.

        Raises InputError if there is no op_kernel folder.
        """
        if not (folder / "op_kernel").is_dir():
            raise InputError(
                f"{folder} has no op_kernel folder.", "Give the folder that holds op_host and op_kernel."
            )
        paths = [
            p
            for part in ("op_host", "op_kernel")
            for p in sorted((folder / part).rglob("*"))
            if p.is_file() and p.suffix in SOURCE_SUFFIXES
        ]
        if (folder / "CMakeLists.txt").is_file():
            paths.append(folder / "CMakeLists.txt")
        files = {without_halves(p.relative_to(folder).as_posix()): read_text(p) for p in paths}
        return cls(op_type=op_type, kernel=kernel, files=files)


def read_project(folder: Path, op_type: str, kernel: str) -> KernelProject:
    """Read a project; `op_type` and `kernel` are the task's names, used where the sources do not say otherwise.

    Raises InputError if there is no kernel, or several and none has the task's name.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder.", "Give the folder that holds op_host and op_kernel.")
    return as_sources_say(KernelProject.read_from(folder, op_type, kernel), str(folder))


def as_sources_say(project: KernelProject, where: str) -> KernelProject:
    """Return a project under the names that its sources have for operator and kernel; `where` names it in errors.

    Raises InputError as `read_project` does.
    """
    op_type, kernel = project.op_type, project.kernel
    if project.direct_file is not None:
        hosts = _names(project, "op_kernel/", _HOST_FUNCTION)
        return project.model_copy(update={"kernel": kernel if kernel in hosts or not hosts else hosts[0]})
    entries = _names(project, "op_kernel/", _ENTRY)
    if not entries:
        raise InputError(
            f"{where} holds no kernel entry.", 'A kernel is declared extern "C" __global__ __aicore__ void.'
        )
    if kernel not in entries:
        if len(entries) > 1:
            raise InputError(
                f"{where} holds several kernels ({', '.join(entries)}) and none is named {kernel}.",
                f"Name the one to judge {kernel}.",
            )
        kernel = entries[0]
    types = _names(project, "op_host/", _OP_ADD) or [
        name
        for macro in _names(project, "op_host/", _ADDS)  # that says OP_ADD for its argument
        for name in _names(project, "op_host/", re.compile(rf"^\s*{macro}\s*\(\s*(\w+)", re.MULTILINE))
    ]
    if types and op_type not in types:
        op_type = types[0]
    return project.model_copy(update={"op_type": op_type, "kernel": kernel})


def _names(project: KernelProject, folder: str, pattern: re.Pattern[str]) -> list[str]:
    """Return what the pattern finds in the sources below a folder, in order, each once, comments left out."""
    found: dict[str, None] = {}
    for path, text in sorted(project.files.items()):
        if path.startswith(folder):
            found.update(dict.fromkeys(pattern.findall(without_comments(text))))
    return list(found)
