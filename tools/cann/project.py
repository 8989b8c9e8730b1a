"""Turn our project into what msopgen builds: unique operator name, interface file, sources in place.

Source: vendor pages "msOpGen (Operator Project Generation)" and "Operator Project Build".
"""

import json
import re
from pathlib import Path
from typing import Any

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import AttrSpec, OpSpec, ParamSpec
from akgen.tools.core.project import KernelProject

# msopgen's own names for attribute types
_ATTR_TYPES = {
    "bool": "bool",
    "int": "int",
    "float": "float",
    "str": "string",
    "list_int": "list_int",
    "list_float": "list_float",
    "list_bool": "list_bool",
}


class Renamed(Frozen):
    """A project under a name that carries its build hash, so that no stale or foreign operator is measured."""

    project: KernelProject
    spec: OpSpec


def snake(name: str) -> str:
    """Return the file name that msopgen derives from an operator type."""
    step = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", step).lower()


def with_build_hash(project: KernelProject, spec: OpSpec) -> Renamed:
    """Rename operator type, kernel entry and files to carry eight digits of the project's digest."""
    tag = "H" + project.digest[:8]
    op_type = f"{project.op_type}{tag}"
    kernel = snake(op_type)
    words = {project.op_type: op_type, project.kernel: kernel}
    pattern = re.compile(r"\b(" + "|".join(re.escape(w) for w in words) + r")\b")
    files = {}
    for path, text in project.files.items():
        new_path = path.replace(f"/{project.kernel}.", f"/{kernel}.").replace(
            f"/{project.kernel}_tiling.", f"/{kernel}_tiling."
        )
        text = text.replace(f'"{project.kernel}_tiling.h"', f'"{kernel}_tiling.h"')
        files[new_path] = pattern.sub(lambda m: words[m[1]], text)
    return Renamed(
        project=KernelProject(op_type=op_type, kernel=kernel, files=files),
        spec=spec.model_copy(update={"op_type": op_type}),
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


def install_sources(project: KernelProject, generated: Path) -> None:
    """Replace msopgen's generated op_host and op_kernel sources by ours."""
    for part in ("op_host", "op_kernel"):
        for old in (generated / part).glob("*.[ch]*"):
            if old.suffix in {".cpp", ".h"}:
                old.unlink()
    project.write_to(generated)


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
