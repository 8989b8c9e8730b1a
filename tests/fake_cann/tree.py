"""Build the tree: a toolkit's folders with programs and libraries of ours, and the folder where its driver is asked."""

import shutil
import sys
from pathlib import Path

from akgen.tools.process.program import run

HERE = Path(__file__).resolve().parent
STUBS = HERE.parent / "tools" / "cann" / "stubs"
VERSION = "8.1.RC1.rehearsal"  # every result of the rehearsal names it
_PROGRAMS = {
    "python/site-packages/bin/msopgen": "msopgen",
    "python/site-packages/rehearsal_driver.py": "rehearsal_driver.py",
    "python/site-packages/op_project_template/cmake/drive": "drive",
    "compiler/tikcpp/ascendc_kernel_cmake/ASCConfig.cmake": "ASCConfig.cmake",
    "compiler/tikcpp/ascendc_kernel_cmake/drive": "drive",
    "bin/bisheng": "bisheng",
    "bin/opbuild": "opbuild",
    "bin/opc": "opc",
    "bin/msprof": "msprof",
    "bin/msprof_op": "msprof_op",
    "bin/npu-smi": "npu-smi",
    "bin/mssanitizer": "mssanitizer",
    "tools/makeself/header.sh": "header.sh",
}


def build_libraries(folder: Path) -> Path:
    """Compile libascendcl.so, libnnopbase.so and what every direct file's library is into a folder."""
    flags = (
        "-std=c++17",
        "-O1",
        "-Wall",
        "-Wextra",
        "-fPIC",
        "-shared",
        f"-I{STUBS}",
        f"-I{HERE / 'device'}",
    )
    made: tuple[tuple[str, tuple[Path | str, ...]], ...] = (
        ("libascendcl.so", (HERE / "device/runtime.cpp",)),
        (
            "libnnopbase.so",
            (STUBS / "nnopbase.cpp", HERE / "device/operators.cpp", f"-L{folder}", "-lascendcl"),
        ),
        ("librehearsal_direct.so", (HERE / "device/direct.cpp", f"-L{folder}", "-lascendcl", "-ldl")),
    )
    for name, parts in made:
        done = run(["g++", *flags, *parts, "-o", folder / name], cwd=folder, timeout_s=120)
        assert done.ok, done.err
    return folder


def build_driver(folder: Path) -> Path:
    """Write what a driver's package says of itself."""
    folder.mkdir(parents=True)
    (folder / "version.info").write_text("Version=24.1.rc1\nascendhal_version=7.35.19\n")
    (folder.parent / "firmware").mkdir()
    (folder.parent / "firmware/version.info").write_text("Version=7.5.0.1.129\n")
    return folder


def build_tree(home: Path, libraries: Path, exchange: Path, *, version: str = VERSION) -> Path:
    """Write a toolkit below `home`; its programs find the driver in `exchange`."""
    shutil.copytree(HERE / "programs" / "template", home / "python/site-packages/op_project_template")
    for place, name in _PROGRAMS.items():
        path = home / place
        path.parent.mkdir(parents=True, exist_ok=True)
        text = (HERE / "programs" / name).read_text()
        text = text.replace("__EXCHANGE__", str(exchange))
        path.write_text(text.replace("#!/usr/bin/env python3", f"#!{sys.executable}"))
        path.chmod(0o755)
    (home / "lib64").mkdir()
    for library in libraries.glob("lib*.so"):
        shutil.copy(library, home / "lib64")
    (home / "opp").mkdir()
    (home / "version.cfg").write_text(f"# version: 1.0\nruntime_running_version=[7.7.0.1.238:{version}]\n")
    (home / "runtime").mkdir()
    (home / "runtime/version.info").write_text(
        f'Version={version}\nrequired_driver_ascendhal_version="7.35.0"\n'
    )
    (home / "set_env.sh").write_text(
        f"export AKGEN_REHEARSAL={exchange}\n"
        f"export ASCEND_TOOLKIT_HOME={home} ASCEND_HOME_PATH={home} ASCEND_OPP_PATH={home}/opp\n"
        f"export LD_LIBRARY_PATH={home}/lib64:$LD_LIBRARY_PATH\n"
        f"export PYTHONPATH={home}/python/site-packages:$PYTHONPATH\n"
        f"export PATH={home}/bin:$PATH\n"
    )
    return home
