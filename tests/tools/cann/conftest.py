"""Libraries of ours with the documented C interface of runtime and operator packages, over host memory."""

from pathlib import Path

import pytest

from akgen.tools.process.program import run

STUBS = Path(__file__).parent / "stubs"


def compile_stub(source: str, out: Path, *flags: str) -> None:
    """Compile one stub into a shared library."""
    argv = [
        "g++",
        "-std=c++17",
        "-O0",
        "-w",
        "-fPIC",
        "-shared",
        f"-I{STUBS}",
        *flags,
        STUBS / source,
        "-o",
        out,
    ]
    done = run(argv, cwd=out.parent, timeout_s=60)
    assert done.ok, done.err


@pytest.fixture(scope="session")
def stub_libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with libascendcl.so, libnnopbase.so and an operator's libcust_opapi.so."""
    folder = tmp_path_factory.mktemp("stubs")
    compile_stub("acl.cpp", folder / "libascendcl.so")
    compile_stub("nnopbase.cpp", folder / "libnnopbase.so")
    compile_stub("everything.cpp", folder / "libcust_opapi.so")
    return folder
