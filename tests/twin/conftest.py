"""The twin, built once per machine, and our own projects to drive it with."""

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from akgen.tools.cann.trial import PROJECT as KNOWN_GOOD
from akgen.tools.core.project import KernelProject
from akgen.tools.twin.settings import TwinSettings, user_cache
from akgen.tools.twin.toolchain import TwinToolchain

PROJECTS = Path(__file__).parent / "projects"


def project_folder(name: str) -> Path:
    """Return where one of our projects lies: scale_add is the one that a machine with an NPU is tried with."""
    return KNOWN_GOOD if name == "scale_add" else PROJECTS / name


@pytest.fixture(scope="session")
def twin() -> TwinToolchain:
    toolchain = TwinToolchain(TwinSettings(cache=user_cache(os.environ)))
    toolchain.prepare(print)
    return toolchain


@pytest.fixture(scope="session")
def project() -> Callable[..., KernelProject]:
    """Return a function that reads one of our projects and replaces texts in its files, each of which must be there."""

    def read(name: str, **edits: tuple[str, str]) -> KernelProject:
        """Each edit (old, new) is for host, tiling or kernel; `kernel_2` and the like name the same file."""
        op_type = "".join(word.capitalize() for word in name.split("_"))
        whole = KernelProject.read_from(project_folder(name), op_type, name)
        files = dict(whole.files)
        paths = {
            "host": f"op_host/{name}.cpp",
            "tiling": f"op_host/{name}_tiling.h",
            "kernel": whole.kernel_file,
        }
        for part, (old, new) in edits.items():
            path = paths[part.split("_")[0]]
            assert old in files[path]
            files[path] = files[path].replace(old, new)
        return whole.model_copy(update={"files": files})

    return read


@pytest.fixture(scope="session")
def calls() -> ModuleType:
    """Return the functions of calls.py, which write calls of our projects."""
    spec = importlib.util.spec_from_file_location("twin_calls", Path(__file__).with_name("calls.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
