"""Split a file that holds kernels and the host code that launches them, as the vendor's compiler does for `.asc` files.

Both halves keep the file's lines. A function is the device's if it is marked (`__aicore__`, `__global__`, `constexpr`);
types and constants are for both, unless they name something that the host alone has.
"""

import re

_OPAQUE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE)
_FOR_DEVICE = re.compile(r"__aicore__|__global__|\[aicore\]|__simd_vf__|\bconstexpr\b")
_FOR_HOST = re.compile(
    r"\bstd::(?!is_|enable_if|conditional|remove_|decay|integral_constant|true_type|false_type|declval|integer_sequence)"
    r"|\b(?:at|torch|c10|c10_npu|at_npu|py|pybind11|gert|ge|optiling|platform_ascendc|matmul_tiling)\b(?:\s*::|\s*;|\s*=)"
    r"|\bacl(?:rt)?[A-Z]\w*|\b(?:FILE|size_t\s+ReadFile)\b"
)
_SCOPE = re.compile(r"^\s*(?:inline\s+)?namespace\b[\w\s:]*$|^\s*extern\s*$")
_TYPE = re.compile(r"\b(?:class|struct|union|enum)\s+(?!\w+\s*\()")
_LAUNCH_NAME = re.compile(r"(?:::\s*)?[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*\s*$")


def plain(text: str) -> str:
    """Blank out comments and literals; every other character keeps its place."""
    return _OPAQUE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def host_text(text: str) -> str:
    """Return the source for a host compiler: each launch is a call of akgen::direct::Site (direct_launch.h)."""
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


def device_text(text: str) -> str:
    """Return the source without host functions, and without what names things of the host."""
    bare = _DIRECTIVE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), plain(text))
    out = list(text)
    at = begin = 0
    while at < len(bare):
        c = bare[at]
        if c == "(":
            at = _matching(bare, at, "()")
        elif c == ";":
            if _FOR_HOST.search(bare[begin : at + 1]):
                _blank(out, bare, begin, at + 1)
            begin = at + 1
        elif c == "}":
            begin = at + 1
        elif c == "{":
            head = bare[begin:at]
            if _SCOPE.search(head):
                begin = at + 1
            else:
                at = _body(out, bare, begin, at)
                begin = at + 1
        at += 1
    return "".join(out)


def task_type(text: str, kernel: str) -> str | None:
    """Return the kernel type that `__vector__`, `__cube__` or `__mix__(1, 2)` before a kernel's name asks for."""
    name = re.sub(r"<.*", "", kernel, flags=re.DOTALL).split("::")[-1].strip()
    found = re.search(rf"__global__([^;{{}}]*?)\bvoid\s+(?:[\w\s]*?\b)?{re.escape(name)}\s*\(", plain(text))
    words = found[1] if found else ""
    mix = re.search(r"__mix__\s*\(\s*(\d)\s*,\s*(\d)\s*\)", words)
    if mix:
        return f"KERNEL_TYPE_MIX_AIC_{mix[1]}_{mix[2]}"
    return {"__vector__": "KERNEL_TYPE_AIV_ONLY", "__cube__": "KERNEL_TYPE_AIC_ONLY"}.get(
        next(iter(re.findall(r"__vector__|__cube__", words)), "")
    )


def _body(out: list[str], bare: str, begin: int, brace: int) -> int:
    """Keep or blank out what begins before a brace; return where it ends."""
    end = _matching(bare, brace, "{}")
    head = bare[begin:brace]
    outside = re.sub(r"\([^()]*\)", "", head)
    is_type = _TYPE.search(re.sub(r"<[^{}]*>", "", outside)) is not None and "(" not in re.sub(
        r"alignas\s*\([^()]*\)|__attribute__\s*\(\([^()]*(?:\([^()]*\))?[^()]*\)\)", "", head
    )
    if is_type or "=" in outside:
        stop = bare.find(";", end)
        end = stop if stop >= 0 else end
        keep = not _FOR_HOST.search(bare[begin:end])
    else:
        keep = _FOR_DEVICE.search(head) is not None and (not _FOR_HOST.search(head))
    if not keep:
        _blank(out, bare, begin, end + 1)
    return end


def _blank(out: list[str], bare: str, begin: int, end: int) -> None:
    """Blank out code, not the directives within it: those may open or close a condition."""
    for i in range(begin, min(end, len(out))):
        if bare[i] not in " \t\n":
            out[i] = " "
    # Literals are blank in `bare` already; they go with the code around them.
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
