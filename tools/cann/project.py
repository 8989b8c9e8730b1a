"""Turn our project into what msopgen builds: unique operator name, interface file, sources in place.

Source: vendor pages "msOpGen (Operator Project Generation)" and "Operator Project Build".
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from akgen.tools.cann.build_log import SourceNames, origin_of
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import AttrSpec, OpSpec, ParamSpec
from akgen.tools.core.outcome import InputError
from akgen.tools.core.project import KernelProject, write_files
from akgen.tools.core.untrusted import parse_object

# msopgen's own names for attribute types
_ATTR_TYPES = {
    "bool": "bool",
    "int": "int",
    "float": "float",
    "str": "string",
    "list_int": "list_int",
    "list_float": "list_float",
    "list_bool": "list_bool",
    "list_list_int": "list_list_int",
}
_HOST = {".cpp", ".cc", ".h", ".hpp", ".inc"}
_KERNEL_LIBRARY = re.compile(r"npu_op_kernel_library\(\s*(\w+)")
_OLD_STANDARD = re.compile(
    r"(-std=(?:c|gnu)\+\+)(?:0x|11|14)\b|(cxx_std_)(?:11|14)\b|(CMAKE_CXX_STANDARD\s+)(?:11|14)\b"
)


class Renamed(Frozen):
    """A project under a name that carries its build hash, so that no stale or foreign operator is measured."""

    project: KernelProject
    spec: OpSpec
    origin: SourceNames  # back to the names that the candidate knows


def snake(name: str) -> str:
    """Return the file name that msopgen derives from an operator type."""
    step = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", step).lower()


def with_build_hash(project: KernelProject, spec: OpSpec) -> Renamed:
    """Rename operator type, kernel entry and files to carry eight digits of the project's digest."""
    return under_name(project, spec, f"{project.op_type}H{project.digest[:8]}")


def under_name(project: KernelProject, spec: OpSpec, op_type: str) -> Renamed:
    """Name operator type, and kernel entry and files as CANN derives them from it."""
    kernel = snake(op_type)
    words = {project.op_type: op_type, project.kernel: kernel}
    pattern = re.compile(r"\b(" + "|".join(re.escape(w) for w in words) + r")\b")
    files: dict[str, str] = {}
    built: dict[str, str] = {}
    for path, text in project.files.items():
        new_path = path.replace(f"/{project.kernel}.", f"/{kernel}.").replace(
            f"/{project.kernel}_tiling.", f"/{kernel}_tiling."
        )
        text = text.replace(f'"{project.kernel}_tiling.h"', f'"{kernel}_tiling.h"')
        files[new_path] = pattern.sub(lambda m: words[m[1]], text)
        built[new_path] = path
    # opc compiles a copy under the operator's type
    built |= {f"{op_type}.cpp": project.kernel_file}
    return Renamed(
        project=KernelProject(op_type=op_type, kernel=kernel, files=files),
        spec=spec.model_copy(update={"op_type": op_type}),
        origin=origin_of(built, {op_type: project.op_type, kernel: project.kernel}),
    )


def check_together(projects: Sequence[KernelProject]) -> None:
    """Raise InputError if projects cannot lie in one package: an operator twice, other texts under one name."""
    files: dict[str, tuple[str, str]] = {}
    for number, project in enumerate(projects):
        if any(project.op_type == other.op_type for other in projects[:number]):
            raise InputError(f"Two projects bring the operator {project.op_type}.", "Leave one out.")
        for path, text in sources(project).items():
            owner, known = files.setdefault(path, (project.op_type, text))
            if known != text:
                raise InputError(
                    f"{owner} and {project.op_type} bring other texts under {path}.",
                    "Rename one of the files.",
                )


def interface_json(spec: OpSpec) -> str:
    """Write the operator prototype file that `msopgen gen -i` reads."""
    entry = {
        "op": spec.op_type,
        "language": "cpp",
        "input_desc": [_param(p) for p in spec.inputs],
        "output_desc": [_param(p) for p in spec.outputs],
        "attr": [_attr(a) for a in spec.attrs],
    }
    return json.dumps([entry], indent=2) + "\n"


def install_sources(projects: Sequence[KernelProject], generated: Path) -> None:
    """Replace msopgen's generated op_host and op_kernel sources by ours; its build files stay as they are."""
    for part in ("op_host", "op_kernel"):
        for old in (generated / part).glob("*.[ch]*"):
            if old.suffix in {".cpp", ".h"}:
                old.unlink()
    for project in projects:
        write_files(sources(project), generated)


def sources(project: KernelProject) -> dict[str, str]:
    """Return what of a project is compiled: a candidate's build files would decide over what is built, and how."""
    return {
        path: text
        for path, text in project.files.items()
        if PurePosixPath(path).suffix in _HOST and PurePosixPath(path).parts[0] in ("op_host", "op_kernel")
    }


def adapt_template(generated: Path, home: Path, python: str) -> None:
    """Set the template up for this machine: CANN's home, the interpreter, and C++17 for host code, as the twin has."""
    presets = generated / "CMakePresets.json"
    if presets.is_file():
        document = parse_object(presets.read_bytes())
        for preset in document.get("configurePresets", []):
            known = preset.get("cacheVariables", {})
            for name, value in (
                ("ASCEND_CANN_PACKAGE_PATH", str(home)),
                ("ASCEND_PYTHON_EXECUTABLE", python),
            ):
                if name in known:
                    known[name] = {**known[name], "value": value} if isinstance(known[name], dict) else value
        presets.write_text(json.dumps(document, indent=2) + "\n")
    for path in sorted([*generated.rglob("CMakeLists.txt"), *generated.rglob("*.cmake")]):
        text = path.read_text(errors="surrogateescape")
        newer = _OLD_STANDARD.sub(lambda m: f"{m[1] or m[2] or m[3]}17", text)
        if newer != text:
            path.write_text(newer, errors="surrogateescape")


def instrument_template(generated: Path) -> None:
    """Have kernels compiled for msSanitizer, by the function that the project's build files know.

    Source: vendor pages "msSanitizer: Before You Start", "Operator Project Build Extension".
    """
    lists = generated / "op_kernel/CMakeLists.txt"
    text = lists.read_text() if lists.is_file() else ""
    library = _KERNEL_LIBRARY.search(text)
    said = f"npu_op_kernel_options({library[1]} ALL" if library else "add_ops_compile_options(ALL"
    lists.write_text(f"{said} OPTIONS -sanitizer)\n{text}")


def _param(p: ParamSpec) -> dict[str, Any]:
    formats = list(p.formats) or ["ND"] * len(p.dtypes)
    return {
        "name": p.name,
        "param_type": p.kind,
        "format": [f.removeprefix("FORMAT_") for f in formats],
        "type": [_TYPES.get(d.value, d.value) for d in p.dtypes],
    }


_TYPES = {"float32": "float", "bfloat16": "bf16", "float64": "double"}


def _attr(a: AttrSpec) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "name": a.name,
        "param_type": "required" if a.required else "optional",
        "type": _ATTR_TYPES[a.type],
    }
    if a.default is not None:
        entry["default_value"] = list(a.default) if isinstance(a.default, tuple) else a.default
    return entry
