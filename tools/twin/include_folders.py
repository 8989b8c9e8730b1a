"""The folders of headers that kernels and op_host code include, as they lie in the built runtime.

Most of the vendor's paths bring what another header brings: those headers are written from a list, the rest is copied.
"""

import shutil
from pathlib import Path
from typing import NamedTuple

TWIN = Path(__file__).resolve().parent
DEVICE_INCLUDE = TWIN / "include"
HOST_INCLUDE = TWIN / "host_include"
_LIST = TWIN / "forwarding_headers.txt"


class ForwardingHeader(NamedTuple):
    """A header that has nothing of its own. One that brings nothing stands for a header that the device lacks."""

    folder: str  # below the runtime's folder
    path: str
    brings: tuple[str, ...]  # below the same folder

    @property
    def text(self) -> str:
        if not self.brings:
            return f"// <{self.path}>: nothing of it exists on the device, so its names stay unknown to a kernel.\n"
        return "#pragma once\n" + "".join(f'#include "{self._up}{name}"\n' for name in self.brings)

    @property
    def _up(self) -> str:
        # By its own place: code that has a header of the same name still gets this one.
        return "../" * self.path.count("/")


def forwarding_headers() -> tuple[ForwardingHeader, ...]:
    rows = (row.split("\t") for row in _LIST.read_text().splitlines() if not row.startswith("#"))
    return tuple(ForwardingHeader(folder, path, tuple(brings)) for folder, path, *brings in rows)


def write_include_folders(work: Path) -> None:
    """Write both folders, whole, below `work`."""
    for folder in (DEVICE_INCLUDE, HOST_INCLUDE):
        shutil.copytree(folder, work / folder.name)
    for header in forwarding_headers():
        file = work / header.folder / header.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(header.text)
