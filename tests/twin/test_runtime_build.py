"""The runtime is found or built; a machine without a compiler is told what to install."""

from pathlib import Path

import pytest

from akgen.tools.core.outcome import InfraError
from akgen.tools.process.program import run
from akgen.tools.twin.compiler import find_compiler, kernel_flags
from akgen.tools.twin.precompiled import kernel_preludes
from akgen.tools.twin.runtime_build import build_runtime
from akgen.tools.twin.settings import TwinSettings, user_cache
from akgen.tools.twin.toolchain import TwinToolchain


def test_no_compiler_is_an_infra_error_that_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(InfraError, match="No C\\+\\+ compiler") as caught:
        find_compiler(TwinSettings(cache=tmp_path, path=str(tmp_path)))
    assert "apt install g++" in caught.value.remedy


def test_a_built_runtime_is_taken_from_the_cache(twin: TwinToolchain) -> None:
    said: list[str] = []
    again = build_runtime(twin._settings, said.append)
    assert again.host_runner.is_file() and again.device_library.is_file()
    assert said == []


def test_the_cache_lies_where_the_user_says() -> None:
    assert user_cache({"XDG_CACHE_HOME": "/x", "HOME": "/h"}) == Path("/x/akgen")
    assert user_cache({"HOME": "/h"}) == Path("/h/.cache/akgen")


@pytest.mark.parametrize("name", kernel_preludes())
def test_kernels_read_the_precompiled_header(twin: TwinToolchain, tmp_path: Path, name: str) -> None:
    runtime = twin._ready()
    if "clang" in runtime.compiler.version:
        pytest.skip("clang++ reads the plain header")
    prelude = "#undef TILING_KEY_VAR\n#define TILING_KEY_VAR 3UL\n#define DTYPE_X half\n"
    (tmp_path / "prelude.h").write_text(prelude)
    (tmp_path / "kernel.cpp").write_text(
        '#include "kernel_operator.h"\n'
        'extern "C" __global__ __aicore__ void k(GM_ADDR x) { if (TILING_KEY_IS(3)) *(DTYPE_X *)x = 1; }\n'
    )
    include = [f"-I{runtime.folder / folder}" for folder in kernel_flags().include]
    front = ["-include", runtime.folder / name, "-include", "prelude.h", "-fdebug-prefix-map=/elsewhere=."]
    command = [
        runtime.compiler.path,
        *runtime.compiler.kernel_options,
        *include,
        *front,
        "-H",
        "-c",
        "kernel.cpp",
    ]
    done = run(command, cwd=tmp_path, timeout_s=60)
    assert done.ok, done.err
    assert f"! {runtime.folder / name}.gch" in done.err
    assert "vector_families.h" not in done.err  # nothing that lies in the precompiled form is read again
