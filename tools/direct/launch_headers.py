"""The headers `aclrtlaunch_<kernel>.h` that the vendor's build generates for ACLRT_LAUNCH_KERNEL."""

import re
from collections.abc import Iterable
from pathlib import Path

from akgen.tools.core.untrusted import read_text
from akgen.tools.direct.items import plain

_KERNEL = re.compile(r"__global__[^;{}()]*\bvoid\s+(\w+)\s*\(([^()]*)\)\s*\{")
_NUMBER = re.compile(
    r"(?:const\s+)?((?:std::)?u?int(?:8|16|32|64)_t|float|double|bool|int|size_t|half)\s+\w+$"
)


def launch_headers(sources: Iterable[Path]) -> dict[str, str]:
    """Return name and text of a header for every kernel that is no template."""
    found = {}
    for source in sources:
        for name, parameters in _KERNEL.findall(plain(read_text(source))):
            found[f"aclrtlaunch_{name}.h"] = _header(
                name, [p for p in parameters.split(",") if p.strip()], source
            )
    return found


def _header(name: str, parameters: list[str], source: Path) -> str:
    types = [f"typename A{i}" for i in range(len(parameters))]
    given = [f", A{i} a{i}" for i in range(len(parameters))]
    template = f"template <{', '.join(types)}> " if types else ""
    appended = "".join(
        f"    append_argument(r, {_argument(p.strip(), i)});\n" for i, p in enumerate(parameters)
    )
    return (
        '#pragma once\n#include "akgen/direct_launch.h"\n'
        "#ifndef ACLRT_LAUNCH_KERNEL\n#define ACLRT_LAUNCH_KERNEL(kernel_func) aclrtlaunch_##kernel_func\n#endif\n"
        f"{template}inline uint32_t aclrtlaunch_{name}(uint32_t blocks, void *stream{''.join(given)})\n{{\n"
        "    using namespace akgen::direct;\n    Request r;\n"
        f'    r.kernel = "{name}";\n    r.file = "{source}";\n    r.blocks = blocks;\n    r.stream = stream;\n'
        f"{appended}    append_held_addresses(r);\n    launch(std::move(r));\n    return 0;\n}}\n"
    )


def _argument(parameter: str, index: int) -> str:
    if "*" in parameter or "GM_ADDR" in parameter:
        return f"(const void *)a{index}"
    number = _NUMBER.match(parameter)
    if number is None:
        return f"a{index}"  # a structure
    kind = "_Float16" if number[1] == "half" else number[1]
    return f"static_cast<{kind}>(a{index})"
