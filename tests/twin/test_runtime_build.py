"""The runtime is found or built; a machine without a compiler is told what to install."""

from pathlib import Path

import pytest

from akgen.tools.outcome import InfraError
from akgen.tools.twin.compiler import find_compiler
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
