"""Headers that are written from a list: they bring what the list says, and no header kept by hand needs them."""

import re
from pathlib import Path

from akgen.tools.process.program import run
from akgen.tools.twin.precompiled import DEVICE_INCLUDE, HOST_INCLUDE, forwarding_headers
from akgen.tools.twin.toolchain import TwinToolchain

KEPT = {"include": DEVICE_INCLUDE, "host_include": HOST_INCLUDE}


def test_a_listed_header_brings_headers_kept_by_hand_and_is_none_itself() -> None:
    headers = forwarding_headers()
    assert len({(h.folder, h.path) for h in headers}) == len(headers) > 250
    for header in headers:
        if header.folder in KEPT:
            assert header.brings, header.path
            assert all((KEPT[header.folder] / name).is_file() for name in header.brings), header
            assert not (KEPT[header.folder] / header.path).exists(), header


def test_no_header_kept_by_hand_includes_a_listed_one() -> None:
    for name, folder in KEPT.items():
        listed = {h.path for h in forwarding_headers() if h.folder == name}
        for file in folder.rglob("*.h"):
            assert not listed.intersection(re.findall(r'#include "([^"]+)"', file.read_text())), file


def test_every_listed_header_of_kernels_compiles_alone(twin: TwinToolchain, tmp_path: Path) -> None:
    runtime = twin._ready()
    folders = [f"-I{runtime.folder / name}" for name in ("include", "include/shadow")]
    paths = [h.path for h in forwarding_headers() if h.folder.startswith("include")]
    whole = tmp_path / "whole.cpp"
    # kernel_operator.h comes in by the first of them, so that each finds it where it says it is.
    whole.write_text("".join(f"#include <{path}>\n" for path in paths) + "AscendC::TPipe pipe;\n")
    done = run(
        [runtime.compiler.path, "-std=c++17", "-fsyntax-only", "-w", *folders, whole],
        cwd=tmp_path,
        timeout_s=120,
    )
    assert done.ok, done.err


def test_alternatives_of_a_path_are_headers_of_their_own() -> None:
    paths = {(h.folder, h.path) for h in forwarding_headers()}
    assert {("host_include", f"{top}/pad/{name}") for top in ("adv_api", "lib")
            for name in ("broadcast_tiling.h", "pad_tiling_intf.h")} <= paths  # fmt: skip
    assert ("include", "kernel_operator_layout.h") in paths and not any("{" in path for _, path in paths)


def test_every_listed_header_of_hosts_compiles_alone(twin: TwinToolchain, tmp_path: Path) -> None:
    runtime = twin._ready()
    paths = [h.path for h in forwarding_headers() if h.folder == "host_include"]
    whole = tmp_path / "whole.cpp"
    whole.write_text("".join(f"#include <{path}>\n" for path in paths) + "optiling::SoftMaxTiling tiling;\n")
    done = run(
        [runtime.compiler.path, "-std=c++11", "-fsyntax-only", "-w", f"-I{runtime.host_include}", whole],
        cwd=tmp_path,
        timeout_s=120,
    )
    assert done.ok, done.err
