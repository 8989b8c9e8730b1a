"""Launches of template kernels whose template arguments follow from the launch's: `scale<<<8, nullptr, s>>>(x, 2.0f)`.

Only the host's compiler knows what they are. So such a kernel has a body for the host, which launches the instance that
was called. Not covered: parameters without a name, and templates of included files.
"""

import re
from typing import NamedTuple

_HEAD = re.compile(r"\btemplate\s*<")
_NAME = re.compile(r"([A-Za-z_]\w*)\s*$")


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
