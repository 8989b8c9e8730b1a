"""addr2line reads what candidate code wrote, so it runs in the sandbox."""

from pathlib import Path

from akgen.tools.process.program import run
from akgen.tools.twin.places import places_of
from akgen.tools.twin.toolchain import TwinToolchain


def test_an_addr2line_that_is_taken_over_reaches_nothing(twin: TwinToolchain, tmp_path: Path) -> None:
    library, tool = tmp_path / "build" / "kernel.so", tmp_path / "bin" / "addr2line"
    secret, mark = tmp_path / "secret", tmp_path / "mark"
    for file in (library, tool):
        file.parent.mkdir()
    library.write_bytes(b"\x7fELF")
    secret.write_text("op_kernel/secret.cpp:7\n")
    attack = f"cat {secret}; echo x > {mark}; echo x > {library}.new"
    tool.write_text(f"#!/bin/sh\necho 0x10\necho f\necho op_kernel/seen.cpp:3\necho 0x20\necho g\n{attack}\n")
    tool.chmod(0o755)
    assert "secret" in run([tool], cwd=tmp_path, timeout_s=10).out
    assert mark.exists()
    mark.unlink()
    compiler = twin.runtime.compiler.model_copy(update={"addr2line": tool})
    taken = twin.runtime.model_copy(update={"compiler": compiler})
    library.with_name("kernel.so.new").unlink()
    assert places_of(taken, library, (16, 32)) == {16: ("op_kernel/seen.cpp", 3)}
    assert not mark.exists() and not library.with_name("kernel.so.new").exists()
