"""C++ of the tools is written as .clang-format says; kernels (patterns, prompts, tests) are as users write them."""

import subprocess
from pathlib import Path

import clang_format

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(p for end in ("h", "hpp", "cpp") for p in (ROOT / "tools").rglob(f"*.{end}"))


def test_cpp_of_the_tools_is_formatted() -> None:
    program = Path(clang_format.__file__).parent / "data" / "bin" / "clang-format"
    done = subprocess.run(
        [program, "--dry-run", *FILES], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert FILES
    places = [line.split(": warning")[0] for line in done.stderr.splitlines() if ": warning" in line]
    assert not places, f"`make format` puts it right: {places[:5]}"
