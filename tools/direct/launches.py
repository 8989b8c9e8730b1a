"""Launches that only the vendor's build can write: of template kernels by deduced arguments, and generated headers.

Where the template arguments follow from the launch's, as in `scale<<<8, nullptr, s>>>(x, 2.0f)`, only the host's
compiler knows what they are. So such a kernel has a body for the host, which launches the instance that was called. Not
covered: parameters without a name, and templates of included files. The headers are `aclrtlaunch_<kernel>.h`, which the
vendor's build generates for ACLRT_LAUNCH_KERNEL.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from akgen.tools.core.untrusted import read_text
from akgen.tools.direct.items import plain

_HEAD = re.compile(r"\btemplate\s*<")
_NAME = re.compile(r"([A-Za-z_]\w*)\s*$")
_KERNEL = re.compile(r"__global__[^;{}()]*\bvoid\s+(\w+)\s*\(([^()]*)\)\s*\{")
_NUMBER = re.compile(
    r"(?:const\s+)?((?:std::)?u?int(?:8|16|32|64)_t|float|double|bool|int|size_t|half)\s+\w+$"
)


class TemplateKernel(NamedTuple):
    """A template kernel by the names of its parameters, packs with dots: `T`, `Rest...`."""

    name: str
    arguments: tuple[str, ...]  # of the template
    needed: int  # of these, those without a default
    parameters: tuple[str, ...]

    def launching_body(self) -> str:
        """Return the body that launches the instance at the site that was configured last."""
        instance = f"{self.name}<{', '.join(self.arguments)}>"
        return f"{{ ::akgen::direct::Site<{instance}>::configured()({', '.join(self.parameters)}); }}"

    def is_deduced(self, callee: str) -> bool:
        """Say whether a launch of this callee leaves template arguments to be deduced."""
        given = callee[callee.index("<") + 1 : callee.rindex(">")] if "<" in callee else ""
        return len(_parts(given)) < self.needed


def template_kernel(head: str) -> TemplateKernel | None:
    """Read the head of a function, without comments; None if it is no template kernel, or one without names."""
    begun = _HEAD.match(head.lstrip())
    if begun is None or "__global__" not in head:
        return None
    head = head.lstrip()
    end = _close(head, begun.end() - 1)
    opened = head.find("(", head.find("void", end))
    name = _NAME.search(head[:opened])
    if end < 0 or opened < 0 or name is None:
        return None
    listed = _parts(head[begun.end() : end])
    passed = _parts(head[opened + 1 : _close(head, opened)])
    arguments, parameters = [_named(p) for p in listed], [_named(p) for p in passed]
    if None in arguments or None in parameters:
        return None
    needed = sum("=" not in _outside(p) and "..." not in p for p in listed)
    return TemplateKernel(name[1], tuple(filter(None, arguments)), needed, tuple(filter(None, parameters)))


def _close(text: str, at: int) -> int:
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in "(<[{") - (text[i] in ")>]}")
        if depth == 0:
            return i
    return -1


def _parts(text: str) -> list[str]:
    """Split at commas outside of brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "(<[{") - (c in ")>]}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p for p in parts if p.strip()]


def _outside(part: str) -> str:
    return re.sub(r"<.*>", "", part, flags=re.DOTALL)


def _named(part: str) -> str | None:
    """Return the name that a parameter declares; None if it has none."""
    plain = re.sub(r"(?:=.*|\[[^\]]*\]\s*)$", "", _outside(part), flags=re.DOTALL).strip()
    words = re.findall(r"[A-Za-z_]\w*", plain)
    found = _NAME.search(plain)
    if found is None or len(words) < 2:
        return None
    return found[1] + ("..." if "..." in plain else "")


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
