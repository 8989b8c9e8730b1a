"""Headers that a unit test includes and that the vendor's build generates from op_host: the device's tiling structs.

They are made from what op_host registers. A header of that kind is named by an #include or a forced include that leads
to no file; code that defines such a struct itself gets none.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from akgen.tools.cache.content import ContentCache
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import SOURCE_SUFFIXES, KernelProject, without_comments
from akgen.tools.core.untrusted import read_text
from akgen.tools.twin.host.host_build import INCLUDE, build_host
from akgen.tools.twin.kernel.kernel_prelude import tiling_header
from akgen.tools.twin.runtime_build import Runtime

_GENERATED = re.compile(r"tiling", re.IGNORECASE)
_READS = re.compile(r"\bGET_TILING_DATA\w*\s*\(")
_LEVELS_UP = 4  # from a test to the folder that holds op_host
_MAKES = re.compile(
    r"\b(?:OP_ADD|IMPL_OP_OPTILING|REGISTER_TILING_DATA_CLASS|REGISTER_OPS_TILING_TEMPLATE)\s*\("
)


class UnitHeaders(NamedTuple):
    """`folder` is searched first. `forced` comes before every source. Findings: op_host does not build.

    `project` is the folder that holds op_host, where sources include each other's files.
    """

    folder: Path | None
    forced: Path | None
    diagnostics: tuple[Diagnostic, ...] = ()
    project: Path | None = None


def unit_headers(
    sources: Sequence[Path],
    include: Sequence[Path],
    wanted: Sequence[str],
    op_host: Path | None,
    runtime: Runtime,
    hosts: ContentCache,
    chip_file: Path,
    work: Path,
) -> UnitHeaders:
    """Write what `sources`, and the `wanted` forced includes, ask of the build. Raises InfraError only."""
    folder = op_host or _op_host_of(sources)
    texts, missing = _closure(sources, (*include, runtime.device_include, runtime.host_include))
    missing += [name for name in wanted if not Path(name).is_file()]
    asked = [name for name in missing if _GENERATED.search(name)]
    uses = any(_READS.search(without_comments(t)) for t in texts)
    if folder is None or not (asked or uses):
        return UnitHeaders(None, None, project=folder.parent if folder else None)
    files = {
        f"op_host/{p.relative_to(folder).as_posix()}": read_text(p)
        for p in sorted(folder.rglob("*"))
        if p.is_file() and p.suffix in SOURCE_SUFFIXES and p.name != "CMakeLists.txt"
    }
    if not any(p.endswith((".cpp", ".cc")) for p in files):  # structs alone, with their registration
        headers = (p.removeprefix("op_host/") for p in files if p.endswith(".h"))
        files["op_host/akgen_structs.cpp"] = "".join(f'#include "{name}"\n' for name in headers)
    project = KernelProject(op_type="UnitTest", kernel="unit_test", files=files)
    built = build_host(project, runtime, hosts, chip_file, 1)
    if built.info is None:
        return UnitHeaders(None, None, built.diagnostics)
    classes = built.info.tiling_classes
    names = "|".join(c.name for c in classes)
    own = re.compile(rf"\b(?:struct|class)\s+(?:alignas\([^)]*\)\s*)?(?:{names})\s*\{{") if names else None
    by_hand = own is not None and any(own.search(without_comments(t)) for t in texts)
    default = next((c for c in classes if not re.search(r"_\d+$", c.op_type)), None)
    top = work / "generated"
    target = top / "at" / "some" / "depth"  # names may begin with ..
    target.mkdir(parents=True, exist_ok=True)
    generated = target / "akgen_tiling_structs.h"
    generated.write_text("#pragma once\n" + tiling_header(classes, default))
    for name in asked:
        file = (target / name).resolve()
        if top.resolve() in file.parents:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f'#pragma once\n#include "{generated}"\n')
    return UnitHeaders(target, None if by_hand else generated, project=folder.parent)


def _op_host_of(sources: Sequence[Path]) -> Path | None:
    """Return the nearest folder op_host beside or above a source."""
    above = (p for s in sources for p in list(s.parents)[: _LEVELS_UP + 1])
    return next((p / "op_host" for p in above if _registers(p / "op_host")), None)


def _registers(folder: Path) -> bool:
    """Say whether a folder holds operators; tests of host code lie in folders of the same name."""
    files = (p for p in sorted(folder.rglob("*")) if p.is_file() and p.suffix in SOURCE_SUFFIXES)
    return any(_MAKES.search(read_text(p)) for p in files)


def _closure(sources: Sequence[Path], include: Sequence[Path]) -> tuple[list[str], list[str]]:
    """Return the texts of the sources and of what they include outside the twin's folders; and names not found."""
    texts: list[str] = []
    missing: dict[str, None] = {}
    seen: set[Path] = set()
    stack = list(sources)
    while stack:
        path = stack.pop()
        if path in seen or not path.is_file():
            continue
        seen.add(path)
        texts.append(read_text(path))
        for name in INCLUDE.findall(texts[-1]):
            found = next(_places(name, path, include), None)
            if found is None:
                missing[name] = None
            elif not found.is_relative_to(include[-1].parent):  # the runtime's folder holds both
                stack.append(found)
    return texts, list(missing)


def _places(name: str, includer: Path, include: Sequence[Path]) -> Iterator[Path]:
    return (p.resolve() for p in ((folder / name) for folder in (includer.parent, *include)) if p.is_file())
