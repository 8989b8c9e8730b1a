"""Whatever can change a build changes the key of everything built: code, headers, sources, tables, the compiler."""

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import akgen
from akgen.tools.twin.build_cache import DECIDING, PACKAGE, build_digest
from akgen.tools.twin.compiler import find_compiler
from akgen.tools.twin.settings import TwinSettings
from akgen.tools.twin.toolchain import TwinToolchain
from tests.sampled import sampled

SOURCE = Path(akgen.__file__).parent
ENTRIES = (
    "akgen.tools.twin.toolchain",
    "akgen.tools.twin.lint",
    "akgen.tools.twin.unit_test",
    "akgen.tools.binding.build",
)
DATA = {
    "a card": "knowledge/data/api_cards.jsonl",
    "the error catalogue": "knowledge/data/errors.json",
    "a chip table": "knowledge/data/chips.csv",
    "the time model": "knowledge/data/timing.csv",
    "the kernel's compiler options": "tools/twin/kernel_flags.txt",
    "a device header": "tools/twin/include/kernel_operator.h",
    "a host header": "tools/twin/host_include/akgen/host_std.h",
    "a runtime source": "tools/twin/src/sandbox/main.cpp",
    "a binding's header": "tools/binding/include/pytorch_npu_helper.hpp",
}


def path_of(module: str) -> Path | None:
    base = SOURCE.joinpath(*module.split(".")[1:])
    return next((p for p in (base.with_suffix(".py"), base / "__init__.py") if p.is_file()), None)


def imported(path: Path) -> Iterator[str]:
    """Yield the names of ours that a module imports, and the packages that hold them; some name no module."""
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            parts = name.split(".")
            if parts[0] == "akgen":
                yield from (".".join(parts[:n]) for n in range(2, len(parts) + 1))


def import_closure() -> list[str]:
    """Return every module that takes part in a build, as a path below the package."""
    found: dict[str, Path] = {}
    waiting = [*ENTRIES]
    while waiting:
        name = waiting.pop()
        path = path_of(name)
        if name not in found and path is not None:
            found[name] = path
            waiting += imported(path)
    return sorted(path.relative_to(SOURCE).as_posix() for path in found.values())


CLOSURE = import_closure()


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the rooms that take part."""
    copy = tmp_path_factory.mktemp("package")
    for room in dict.fromkeys(folder.split("/")[0] for folder in DECIDING):
        shutil.copytree(PACKAGE / room, copy / room, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def changed(copied: Path, name: str, stamps: Path) -> tuple[str, str, str]:
    """Return the digest before a change of one file, after it, and after it was taken back."""
    path = copied / name
    text = path.read_bytes()
    said = []
    for i, content in enumerate((text, text + b"\n", text)):
        path.write_bytes(content)
        said.append(build_digest(stamps / str(i), copied))
    return said[0], said[1], said[2]


def test_the_closure_reaches_what_refuses_explains_and_compiles() -> None:
    assert len(CLOSURE) > 40
    assert {"tools/twin/toolchain.py", "tools/twin/compiler.py", "knowledge/errors.py"} <= set(CLOSURE)


@pytest.mark.parametrize("name", sampled(CLOSURE, 4))
def test_every_module_in_the_import_closure_of_a_build_decides(
    copied: Path, tmp_path: Path, name: str
) -> None:
    before, after, back = changed(copied, name, tmp_path)
    assert before == back != after


@pytest.mark.parametrize("name", DATA.values(), ids=DATA)
def test_every_kind_of_data_decides(copied: Path, tmp_path: Path, name: str) -> None:
    before, after, back = changed(copied, name, tmp_path)
    assert before == back != after


def test_a_new_file_decides(copied: Path, tmp_path: Path) -> None:
    before = build_digest(tmp_path / "1", copied)
    new = copied / "tools/twin/include/new.h"
    new.write_text("")
    assert build_digest(tmp_path / "2", copied) != before
    new.unlink()


def test_what_is_remembered_of_a_tree_is_not_believed_once_a_file_was_written_again(
    copied: Path, tmp_path: Path
) -> None:
    path = copied / "tools/twin/kernel_flags.txt"
    text, facts = path.read_text(), path.stat()
    code = (
        "import sys; from pathlib import Path; from akgen.tools.twin import build_cache as b\n"
        "b._SETTLED_S = -1.0\nprint(b.build_digest(Path(sys.argv[1]), Path(sys.argv[2])))"
    )

    def in_a_new_process() -> str:
        command = [sys.executable, "-c", code, tmp_path, copied]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    before = in_a_new_process()
    assert len(list(tmp_path.glob("*.json"))) == 1
    assert in_a_new_process() == before
    path.write_text(text.replace("O", "0", 1))  # of the same length,
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))  # and as old as before
    assert in_a_new_process() != before
    path.write_text(text)


def test_another_compiler_has_another_identity(tmp_path: Path) -> None:
    def compiler(name: str, comment: str) -> tuple[str, ...]:
        wrapper = tmp_path / name
        wrapper.write_text(f'#!/bin/sh\n# {comment}\nexec g++ "$@"\n')
        wrapper.chmod(0o755)
        return find_compiler(TwinSettings(cache=tmp_path, compiler=str(wrapper))).identity

    first = compiler("g++-a", "one")
    assert compiler("g++-b", "another, that says the same of itself")[1] == first[1]
    assert compiler("g++-b", "a third")[2] != first[2]


PROGRAM = """
import sys
from pathlib import Path
from akgen.tools.core.project import KernelProject
from akgen.tools.twin.settings import TwinSettings
from akgen.tools.twin.toolchain import TwinToolchain
cache, project = map(Path, sys.argv[1:3])
twin = TwinToolchain(TwinSettings(cache=cache))
(finding,) = twin.lint(KernelProject.read_from(project, "Wrong", "wrong"))
print(finding.code, finding.remedy)
"""


def test_a_corrected_remedy_reaches_a_kernel_whose_failure_is_in_the_cache(
    copied: Path, tmp_path: Path, twin: TwinToolchain
) -> None:
    """`twin` builds the objects that both rounds link."""
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "objects").symlink_to(twin.settings.cache / "objects")
    project = tmp_path / "project" / "op_kernel"
    project.mkdir(parents=True)
    (project / "wrong.cpp").write_text(
        '#include "kernel_operator.h"\n'
        'extern "C" __global__ __aicore__ void wrong(GM_ADDR x) { AscendC::Subs(x, 1); }\n'
    )
    package = tmp_path / "akgen"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for room in ("tools", "knowledge"):
        (package / room).symlink_to(copied / room)

    def said() -> str:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, cache, project.parent],
            env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    known, corrected = "Adds(dst, src, -scalar, count)", "a corrected remedy"
    first = said()
    assert known in first and said() == first
    (module,) = (p for p in (copied / "tools/twin").rglob("*.py") if known in p.read_text())
    module.write_text(module.read_text().replace(known, corrected))
    assert said() == first.replace(known, corrected)
