"""The runtime's own C++ is free of warnings, and the host's headers stand by themselves."""

from pathlib import Path

import pytest

from akgen.tools.process.program import run
from akgen.tools.twin.precompiled import host_flags
from akgen.tools.twin.toolchain import TwinToolchain


def test_no_source_of_the_runtime_gives_a_warning(twin: TwinToolchain) -> None:
    assert not twin._ready().warnings


@pytest.mark.slow
def test_every_public_header_can_be_included_first(twin: TwinToolchain, tmp_path: Path) -> None:
    runtime = twin._ready()
    options = [*host_flags(), "-fsyntax-only", f"-I{runtime.host_include}", "-include", runtime.host_prelude]
    public = _headers(runtime.host_include)
    for name in public:
        (tmp_path / f"{name.replace('/', '_')}.cpp").write_text(f'#include "{name}"\n')
    for group in range(0, len(public), 8):
        files = [tmp_path / f"{n.replace('/', '_')}.cpp" for n in public[group : group + 8]]
        done = run([runtime.compiler.path, *options, *files], cwd=tmp_path, timeout_s=120)
        assert done.ok, done.err


@pytest.mark.parametrize(
    "name", ["register/op_def_registry.h", "register/tilingdata_base.h", "tiling/tiling_api.h"]
)
def test_the_vendors_main_headers_exist(twin: TwinToolchain, name: str) -> None:
    assert name in _headers(twin._ready().host_include)


def _headers(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.h"))
