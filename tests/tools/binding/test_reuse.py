"""A binding is compiled once for its content, its headers and its PyTorch; here one that needs nothing of PyTorch."""

import subprocess
from pathlib import Path

import pytest

from akgen.tools.binding import build
from akgen.tools.binding.build import BuiltBinding, TorchParts, build_binding
from akgen.tools.core.outcome import InputError
from akgen.tools.twin.compiler import find_compiler
from akgen.tools.twin.settings import TwinSettings

SOURCE = """#include "answer.h"
PYBIND11_MODULE(ops, m) { return ANSWER; }
"""


class SmallBinding:
    """A folder with a binding, and empty libraries in the place of PyTorch's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.compiler = find_compiler(TwinSettings(cache=folder / "cache"))
        for name in ("torch_python", "torch_cpu", "torch", "c10"):
            empty = ["g++", "-shared", "-x", "c++", "/dev/null", "-o", folder / f"lib{name}.so"]
            subprocess.run(empty, check=True)
        (folder / "source").mkdir()
        self.write(SOURCE, "#define ANSWER 1\n")

    def write(self, source: str, header: str) -> None:
        (self.folder / "source" / "ops.cpp").write_text(source)
        (self.folder / "source" / "answer.h").write_text(
            f"#define PYBIND11_MODULE(name, m) int name()\n{header}"
        )

    def build(self, version: str = "2.0", option: str = "-DA") -> tuple[BuiltBinding, int]:
        """Return what was built, and how often the compiler was started for it."""
        parts = TorchParts(version=version, include=(), library=self.folder, options=(option,))
        said: list[str] = []
        source = self.folder / "source" / "ops.cpp"
        built = build_binding(source, parts, self.compiler, self.folder / "cache", said.append)
        return built, len(said)


@pytest.fixture
def small(tmp_path: Path) -> SmallBinding:
    return SmallBinding(tmp_path)


def test_the_same_binding_is_compiled_once(small: SmallBinding) -> None:
    first, again = small.build(), small.build()
    assert (first[1], again[1]) == (1, 0)
    assert first[0] == again[0]
    assert first[0].module == "ops" and first[0].library.is_file()


def test_another_source_header_option_or_pytorch_is_compiled_again(small: SmallBinding) -> None:
    libraries = [
        small.build()[0].library,
        small.build(version="2.1")[0].library,
        small.build(option="-DB")[0].library,
    ]
    small.write(SOURCE, "#define ANSWER 2\n")
    libraries.append(small.build()[0].library)
    small.write(SOURCE + "// more\n", "#define ANSWER 2\n")
    libraries.append(small.build()[0].library)
    assert len(set(libraries)) == 5


def test_a_binding_of_another_device_is_compiled_again(
    small: SmallBinding, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is linked with the device: two in one process would register twice, which ends it."""
    first = small.build()
    (tmp_path / "device.cpp").write_text("// another\n")
    monkeypatch.setattr(build, "_DEVICE", tmp_path / "device.cpp")
    assert small.build()[0].library != first[0].library


def test_a_binding_that_was_refused_is_compiled_again(small: SmallBinding) -> None:
    small.write(SOURCE, "#define ANSWER none\n")
    for _ in range(2):
        with pytest.raises(InputError, match=r"answer\.h:2"):
            small.build()
    small.write(SOURCE, "#define ANSWER 1\n")
    assert small.build()[1] == 1
