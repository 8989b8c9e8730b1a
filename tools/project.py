"""An operator project in the msopgen layout: op_host, op_kernel."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from akgen.tools.frozen import Frozen
from akgen.tools.outcome import InputError

SOURCE_SUFFIXES = {".cpp", ".h", ".hpp", ".cc", ".inc", ".txt"}


def write_files(files: Mapping[str, str], folder: Path) -> None:
    """Write texts under their paths below a folder, which need not exist."""
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


class KernelProject(Frozen):
    """Sources of one operator. `files` maps project-relative POSIX paths to text."""

    op_type: str  # CamelCase
    kernel: str  # snake_case; the kernel's entry point
    files: dict[str, str]

    @property
    def digest(self) -> str:
        """Return the SHA-256 of names and contents, in hex."""
        h = hashlib.sha256()
        for path, text in sorted(self.files.items()):
            h.update(f"{path}\0{len(text)}\0{text}\0".encode())
        return h.hexdigest()

    @property
    def kernel_file(self) -> str:
        return f"op_kernel/{self.kernel}.cpp"

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
        files = {p.relative_to(folder).as_posix(): p.read_text(errors="replace") for p in paths}
        return cls(op_type=op_type, kernel=kernel, files=files)
