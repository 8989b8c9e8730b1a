"""Split a file that holds kernels and the host code that launches them, as the vendor's compiler does for `.asc` files.

Both halves keep the file's lines. A function is the device's if it is marked (`__aicore__`, `__global__`, `constexpr`);
types and constants are for both, unless they name something that the host alone has. What a marked function calls is
the device's, too.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from akgen.tools.direct.items import (
    DIRECTIVE,
    SourceItem,
    items_of,
    marks_written_out,
    matching,
    plain,
    without_arguments,
    without_directives,
)
from akgen.tools.direct.launches import TemplateKernel, template_kernel
from akgen.tools.twin.findings.header_names import interfaces

_FOR_DEVICE = re.compile(r"__aicore__|__global__|\[aicore\]|__simd_vf__|\bconstexpr\b")
_FOR_HOST = re.compile(
    r"\bstd::(?!is_|enable_if|conditional|remove_|decay|integral_constant|true_type|false_type|declval|integer_sequence)"
    r"|\b(?:at|torch|c10|c10_npu|at_npu|py|gert|ge|optiling|platform_ascendc)\s*::|\b(?:pybind11|matmul_tiling)\b"
    r"|\bacl(?:rt)?[A-Z]\w*|\b(?:FILE|size_t\s+ReadFile)\b"
)
_LAUNCH_NAME = re.compile(r"(?:::\s*)?[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*\s*$")


_MEMBER = re.compile(r"\w\s*::\s*(~?\s*(?:operator\b[^(]*|\w+))\s*\(")
_ACCESS = re.compile(r"\b(?:public|protected|private)\s*:")
_FUNCTION_NAME = re.compile(r"\b([A-Za-z_]\w*)\s*\(")  # in its head, the first: templates have no parentheses
_PLAIN_CALL = re.compile(r"(?<![\w.>:])([A-Za-z_]\w*)\s*(?:<[\w:, ]*>\s*)?\(")


def host_text(text: str) -> str:
    """Return the source for a host compiler: each launch is a call of akgen::direct::Site (direct_launch.h).

    Kernels and other functions of the device alone are declared only.
    """
    text = marks_written_out(text, without_directives)
    deduced = _deduced(text)
    text = _declared(text, deduced)
    bare = plain(text)
    for start in reversed([m.start() for m in re.finditer("<<<", bare)]):
        end = _closing(bare, start + 3)
        name = _callee(bare, start)
        if end is None or name is None:
            continue
        callee = text[name:start].strip()
        given = text[start + 3 : end]
        kernel = deduced.get(_bare_name(callee))
        if kernel is not None and kernel.is_deduced(callee):
            site = f"::akgen::direct::configure({given}), {callee}"
        else:
            site = f"::akgen::direct::Site<{callee}>::at({given})"
        kept = text[name:start].count("\n") - callee.count("\n")
        text = text[:name] + site + "\n" * kept + text[end + 3 :]
        bare = bare[:name] + " " * (len(site) + kept) + bare[end + 3 :]
    return text


def _bare_name(callee: str) -> str:
    return re.sub(r"<.*", "", callee, flags=re.DOTALL).split("::")[-1].strip()


def _deduced(text: str) -> dict[str, TemplateKernel]:
    """Return the template kernels that are launched somewhere without all of their template arguments."""
    bare = without_directives(text)
    heads = (bare[i.begin : i.brace] for i in items_of(bare) if i.brace is not None and not i.is_data)
    kernels = {k.name: k for k in map(template_kernel, heads) if k is not None}
    callees = [
        bare[at : m.start()] for m in re.finditer("<<<", bare) if (at := _callee(bare, m.start())) is not None
    ]
    launched = {_bare_name(c) for c in callees if (k := kernels.get(_bare_name(c))) and k.is_deduced(c)}
    return {name: kernels[name] for name in launched}


def _declared(text: str, deduced: Mapping[str, TemplateKernel]) -> str:
    bare = without_directives(text)
    out = list(text)
    items = list(items_of(bare))
    members = _members_of_the_device(items, bare)
    for item in items:
        head = bare[item.begin : item.brace]
        if item in members:  # its class declares it
            _blank(out, item.begin, item.end)
        elif (
            item.brace is not None
            and not item.is_data
            and _FOR_DEVICE.search(head)
            and "constexpr" not in head
        ):
            _blank(out, item.brace, item.end)
            kernel = template_kernel(head)
            out[item.brace] = ";" if kernel is None or kernel.name not in deduced else kernel.launching_body()
    return "".join(out)


def device_text(text: str) -> str:
    """Return the source without host functions, and without what names things of the host."""
    text = marks_written_out(text, without_directives)
    bare = without_directives(text)
    out = list(text)
    items = list(items_of(bare))
    kept = {item for item in items if _for_device(item, bare)} | _members_of_the_device(items, bare)
    kept |= _called_unmarked(items, kept, bare)
    for item in items:
        if item not in kept:
            _blank(out, item.begin, item.end)
        elif item.is_data:
            for member in _members_of_the_host(item, bare):
                _blank(out, member.begin, member.end)
    return "".join(out)


def _members_of_the_host(item: SourceItem, bare: str) -> Iterator[SourceItem]:
    """Yield member functions without a mark that name the host and serve no marked one; of classes with marked ones."""
    if item.brace is None or "__aicore__" not in bare[item.begin : item.end]:
        return
    inside = " " * (item.brace + 1) + bare[item.brace + 1 : matching(bare, item.brace, "{}")]
    inside = _ACCESS.sub(lambda m: " " * len(m[0]), inside)
    members = list(items_of(inside))
    marked = [m for m in members if m.brace is not None and _FOR_DEVICE.search(inside[m.begin : m.brace])]
    called = {c[1] for m in marked for c in _PLAIN_CALL.finditer(inside[m.begin : m.end])}
    for member in members:
        if member.brace is None or member.is_data or member in marked:
            continue
        named = _FUNCTION_NAME.search(inside[member.begin : member.brace])
        if _FOR_HOST.search(inside[member.begin : member.end]) and (named is None or named[1] not in called):
            yield member


def _members_of_the_device(items: Sequence[SourceItem], bare: str) -> set[SourceItem]:
    """Return the member functions defined outside of their classes that are marked, there or in the class."""
    classes = " ".join(bare[i.begin : i.end] for i in items if i.is_data and i.brace is not None)
    found = set()
    for item in items:
        if item.brace is None or item.is_data:
            continue
        head = without_arguments(bare[item.begin : item.brace])
        if member := _MEMBER.search(head):
            declared = rf"__aicore__[^;{{}}]*\b{re.escape(member[1])}\s*\("
            if _FOR_DEVICE.search(head) or re.search(declared, classes):
                found.add(item)
    return found


def _for_device(item: SourceItem, bare: str) -> bool:
    if item.brace is None or item.is_data:
        whole = bare[item.begin : item.end]
        # A class whose functions are marked stays, though they name what the device lacks: that is the finding.
        return not _FOR_HOST.search(whole) or "__aicore__" in whole
    head = bare[item.begin : item.brace]
    return _FOR_DEVICE.search(head) is not None and not _FOR_HOST.search(head)


def _called_unmarked(
    items: Sequence[SourceItem], kept: AbstractSet[SourceItem], bare: str
) -> set[SourceItem]:
    """Return the functions without a mark that marked ones call, directly or not: the missing mark is the finding.

    A name that a marked function has as well, a member too, or an interface of the device, is that one's.
    """
    functions: dict[str, list[SourceItem]] = {}
    for item in items:
        if item.brace is None or item.is_data or _FOR_HOST.search(bare[item.begin : item.end]):
            continue
        head = bare[item.begin : item.brace]
        if not _MEMBER.search(without_arguments(head)) and (named := _FUNCTION_NAME.search(head)):
            functions.setdefault(named[1], []).append(item)
    for name in [n for n in functions if n in interfaces("device") or _marked_somewhere(n, bare)]:
        del functions[name]
    found: set[SourceItem] = set()
    calling = [i for i in kept if i.brace is not None and _FOR_DEVICE.search(bare[i.begin : i.end])]
    while calling:
        text = bare[calling[-1].brace : calling.pop().end]
        for name in {m[1] for m in _PLAIN_CALL.finditer(text)} & functions.keys():
            new = [i for i in functions[name] if i not in found]
            found.update(new)
            calling += new
    return found


def _marked_somewhere(name: str, bare: str) -> bool:
    return re.search(rf"(?:__aicore__|__global__)[^;{{}}()]*\b{re.escape(name)}\s*\(", bare) is not None


def task_type(text: str, kernel: str) -> str | None:
    """Return the kernel type that `__vector__`, `__cube__` or `__mix__(1, 2)` before a kernel's name asks for."""
    name = re.sub(r"<.*", "", kernel, flags=re.DOTALL).split("::")[-1].strip()
    found = re.search(
        rf"__global__([^;{{}}]*?)\bvoid\s+(?:[\w\s]*?\b)?{re.escape(name)}\s*\(",
        plain(marks_written_out(text, without_directives)),
    )
    words = found[1] if found else ""
    mix = re.search(r"__mix__\s*\(\s*(\d)\s*,\s*(\d)\s*\)", words)
    if mix:
        return f"KERNEL_TYPE_MIX_AIC_{mix[1]}_{mix[2]}" if mix[1] != "0" else "KERNEL_TYPE_MIX_AIV_1_0"
    return {"__vector__": "AKGEN_TYPE_OF_VECTOR_MARK", "__cube__": "KERNEL_TYPE_AIC_ONLY"}.get(
        next(iter(re.findall(r"__vector__|__cube__", words)), "")
    )


def _blank(out: list[str], begin: int, end: int) -> None:
    """Blank out code, not the directives within it: those may open or close a condition."""
    text = "".join(out[begin:end])
    kept = {i for m in DIRECTIVE.finditer(text) for i in range(m.start(), m.end())}
    for i, c in enumerate(text):
        if c not in "\n" and i not in kept:
            out[begin + i] = " "


def _closing(bare: str, at: int) -> int | None:
    """Return where `>>>` closes a launch's configuration."""
    depth = 0
    for i in range(at, len(bare)):
        depth += (bare[i] in "([{") - (bare[i] in ")]}")
        if depth == 0 and bare.startswith(">>>", i):
            return i
    return None


def _callee(bare: str, end: int) -> int | None:
    """Return where the kernel's name begins that ends before `end`; it may have template arguments."""
    at = len(bare[:end].rstrip())
    if bare[at - 1 : at] == ">":
        depth = 0
        while at > 0:
            at -= 1
            depth += (bare[at] == ">") - (bare[at] == "<")
            if depth == 0:
                break
    found = _LAUNCH_NAME.search(bare[:at])
    return found.start() if found else None
