"""Split a file that holds kernels and the host code that launches them, as the vendor's compiler does for `.asc` files.

Both halves keep the file's lines. A function is the device's if it is marked (`__aicore__`, `__global__`, `constexpr`);
types and constants are for both, unless they name something that the host alone has. What a marked function calls is
the device's, too.
"""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from akgen.tools.direct.macros import marks_written_out
from akgen.tools.twin.kernel.dialect import OPAQUE

_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE)
_FOR_DEVICE = re.compile(r"__aicore__|__global__|\[aicore\]|__simd_vf__|\bconstexpr\b")
_FOR_HOST = re.compile(
    r"\bstd::(?!is_|enable_if|conditional|remove_|decay|integral_constant|true_type|false_type|declval|integer_sequence)"
    r"|\b(?:at|torch|c10|c10_npu|at_npu|py|gert|ge|optiling|platform_ascendc)\s*::|\b(?:pybind11|matmul_tiling)\b"
    r"|\bacl(?:rt)?[A-Z]\w*|\b(?:FILE|size_t\s+ReadFile)\b"
)
_SCOPE = re.compile(r"^\s*(?:inline\s+)?namespace\b[\w\s:]*$|^\s*extern\s*$")
_TYPE = re.compile(r"\b(?:class|struct|union|enum)\s+(?!\w+\s*\()")
_LAUNCH_NAME = re.compile(r"(?:::\s*)?[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*\s*$")


_FUNCTION_NAME = re.compile(r"\b([A-Za-z_]\w*)\s*\(")  # in its head, the first: templates have no parentheses
_PLAIN_CALL = re.compile(r"(?<![\w.>:])([A-Za-z_]\w*)\s*(?:<[\w:, ]*>\s*)?\(")


def plain(text: str) -> str:
    """Blank out comments and literals; every other character keeps its place."""
    return OPAQUE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def host_text(text: str) -> str:
    """Return the source for a host compiler: each launch is a call of akgen::direct::Site (direct_launch.h).

    Kernels and other functions of the device alone are declared only.
    """
    text = _declared(marks_written_out(text, _without_directives))
    bare = plain(text)
    for start in reversed([m.start() for m in re.finditer("<<<", bare)]):
        end = _closing(bare, start + 3)
        name = _callee(bare, start)
        if end is None or name is None:
            continue
        callee = text[name:start].strip()
        site = f"::akgen::direct::Site<{callee}>::at({text[start + 3 : end]})"
        kept = text[name:start].count("\n") - callee.count("\n")
        text = text[:name] + site + "\n" * kept + text[end + 3 :]
        bare = bare[:name] + " " * (len(site) + kept) + bare[end + 3 :]
    return text


def _declared(text: str) -> str:
    bare = _without_directives(text)
    out = list(text)
    for item in _items(bare):
        head = bare[item.begin : item.brace]
        if (
            item.brace is not None
            and not item.is_data
            and _FOR_DEVICE.search(head)
            and "constexpr" not in head
        ):
            _blank(out, item.brace, item.end)
            out[item.brace] = ";"
    return "".join(out)


def device_text(text: str) -> str:
    """Return the source without host functions, and without what names things of the host."""
    text = marks_written_out(text, _without_directives)
    bare = _without_directives(text)
    out = list(text)
    items = list(_items(bare))
    kept = {item for item in items if _for_device(item, bare)}
    kept |= _called_unmarked(items, kept, bare)
    for item in items:
        if item not in kept:
            _blank(out, item.begin, item.end)
    return "".join(out)


def _for_device(item: "_Item", bare: str) -> bool:
    if item.brace is None or item.is_data:
        whole = bare[item.begin : item.end]
        # A class whose functions are marked stays, though they name what the device lacks: that is the finding.
        return not _FOR_HOST.search(whole) or "__aicore__" in whole
    head = bare[item.begin : item.brace]
    return _FOR_DEVICE.search(head) is not None and not _FOR_HOST.search(head)


def _called_unmarked(items: Sequence["_Item"], kept: AbstractSet["_Item"], bare: str) -> set["_Item"]:
    """Return the functions without a mark that marked ones call, directly or not: the missing mark is the finding.

    A name that a marked function has as well is that one's.
    """
    functions: dict[str, list[_Item]] = {}
    for item in items:
        if (
            item.brace is not None
            and not item.is_data
            and (named := _FUNCTION_NAME.search(bare[item.begin : item.brace]))
        ):
            functions.setdefault(named[1], []).append(item)
    found: set[_Item] = set()
    calling = [i for i in kept if i.brace is not None and _FOR_DEVICE.search(bare[i.begin : i.end])]
    while calling:
        text = bare[calling[-1].brace : calling.pop().end]
        for name in {m[1] for m in _PLAIN_CALL.finditer(text)} & functions.keys():
            new = [i for i in functions[name] if i not in found]
            if not kept & set(functions[name]):
                found.update(new)
                calling += new
    return found


def task_type(text: str, kernel: str) -> str | None:
    """Return the kernel type that `__vector__`, `__cube__` or `__mix__(1, 2)` before a kernel's name asks for."""
    name = re.sub(r"<.*", "", kernel, flags=re.DOTALL).split("::")[-1].strip()
    found = re.search(
        rf"__global__([^;{{}}]*?)\bvoid\s+(?:[\w\s]*?\b)?{re.escape(name)}\s*\(",
        plain(marks_written_out(text, _without_directives)),
    )
    words = found[1] if found else ""
    mix = re.search(r"__mix__\s*\(\s*(\d)\s*,\s*(\d)\s*\)", words)
    if mix:
        return f"KERNEL_TYPE_MIX_AIC_{mix[1]}_{mix[2]}"
    return {"__vector__": "KERNEL_TYPE_AIV_ONLY", "__cube__": "KERNEL_TYPE_AIC_ONLY"}.get(
        next(iter(re.findall(r"__vector__|__cube__", words)), "")
    )


class _Item(NamedTuple):
    """A declaration or definition at the scope of a file or a namespace: text[begin:end]."""

    begin: int
    end: int
    brace: int | None = None  # where its body begins
    is_data: bool = False  # a type, or a value with an initialiser


def _items(bare: str) -> Iterator[_Item]:
    at = begin = 0
    while at < len(bare):
        c = bare[at]
        if c == "(":
            at = _matching(bare, at, "()")
        elif c in ";}":
            if c == ";":
                yield _Item(begin, at + 1)
            begin = at + 1
        elif c == "{":
            if not _SCOPE.search(bare[begin:at]):
                item = _with_body(bare, begin, at)
                yield item
                at = item.end - 1
            begin = at + 1
        at += 1


def _with_body(bare: str, begin: int, brace: int) -> _Item:
    end = _matching(bare, brace, "{}") + 1
    head = bare[begin:brace]
    outside = re.sub(r"\([^()]*\)", "", head)
    attributes = r"alignas\s*\([^()]*\)|__attribute__\s*\(\([^()]*(?:\([^()]*\))?[^()]*\)\)"
    is_type = _TYPE.search(_without_arguments(outside)) is not None and "(" not in re.sub(
        attributes, "", head
    )
    if not is_type and "=" not in outside:
        return _Item(begin, end, brace)
    stop = bare.find(";", end)
    return _Item(begin, stop + 1 if stop >= 0 else end, brace, is_data=True)


def _without_arguments(head: str) -> str:
    """Leave out template arguments: `template <> struct Apply<Kind::ADD>` is a struct, `Pair<struct A> f` is none."""
    inner = None
    while inner != head:
        inner, head = head, re.sub(r"<[^<>{}]*>", "", head)
    return head


def _without_directives(text: str) -> str:
    return _DIRECTIVE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), plain(text))


def _blank(out: list[str], begin: int, end: int) -> None:
    """Blank out code, not the directives within it: those may open or close a condition."""
    text = "".join(out[begin:end])
    kept = {i for m in _DIRECTIVE.finditer(text) for i in range(m.start(), m.end())}
    for i, c in enumerate(text):
        if c not in "\n" and i not in kept:
            out[begin + i] = " "


def _matching(bare: str, at: int, pair: str) -> int:
    """Return where the bracket at `at` closes; the end of the text if it does not."""
    depth = 0
    for i in range(at, len(bare)):
        depth += (bare[i] == pair[0]) - (bare[i] == pair[1])
        if depth == 0:
            return i
    return len(bare) - 1


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
