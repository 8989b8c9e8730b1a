"""What C++ has and the device has not: a heap, virtual functions, recursion at run time, kernels that call kernels.

They show in the compiler's intermediate representation, so that what is only declared, or computed by the compiler,
is no finding, nor is a function that calls itself once in what it returns, which is a loop to an optimising compiler.
Not seen: recursion of overloaded functions.
Source: "C/C++ Syntax Restrictions" in the vendor's operator development guide.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from akgen.tools.core.outcome import Diagnostic
from akgen.tools.twin.findings.compiler_ir import CompiledFunction
from akgen.tools.twin.kernel.dialect import blanked

_ALLOCATES = re.compile(
    r" (?:operator (?:new|delete)(?: ?\[\])?|_Zn[wa]\w+|_Zd[la]\w+) \("
)  # in GIMPLE, in LLVM IR
_WRITTEN_ALLOCATION = re.compile(r"(?<!operator )\b(?:new|delete)\b(?!\s*(?:;|,|\)))")
_DISPATCHES = re.compile(r"\b_vptr\.|\bOBJ_TYPE_REF\(|@_ZTV")
_WRITTEN_VIRTUAL = re.compile(r"\bvirtual\b")
_KERNEL = re.compile(r"\b__global__\b[^;{}()]*?\bvoid\s+(?:[a-z_]+\s+)*(\w+)\s*\(")


def beyond_the_language(
    every: Sequence[CompiledFunction], files: Mapping[str, str]
) -> tuple[Diagnostic, ...]:
    """Return a finding for each line of the project's `files` that needs a heap, virtual functions or recursion."""
    ours = [f._replace(file=f.file.removeprefix("./")) for f in every]
    ours = [f for f in ours if f.file in files]
    plain = {f.file: blanked(files[f.file]) for f in ours}
    return (*_heap(ours, plain), *_virtual(ours, plain), *_recursion(ours, plain), *_kernels(plain))


def _heap(functions: Sequence[CompiledFunction], plain: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    found: dict[tuple[str, int], str] = {}
    for f in functions:
        if _ALLOCATES.search(f.body):
            for number, line in enumerate(plain[f.file].split("\n")[f.line - 1 :], f.line):
                if match := _WRITTEN_ALLOCATION.search(line):
                    found.setdefault((f.file, number), match[0])
                    break
    return tuple(
        Diagnostic(
            code="HOST_NAME",
            text=f"{word} needs a heap; device code does not have one.",
            file=file,
            line=line,
            remedy="Use an array of constant length, or memory of a TBuf: tmpBuf.Get<T>().",
            stage="compile",
        )
        for (file, line), word in sorted(found.items())
    )


def _virtual(functions: Sequence[CompiledFunction], plain: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    if not any(_DISPATCHES.search(f.body) for f in functions):
        return ()
    written = (
        (file, match) for file, text in sorted(plain.items()) for match in [_WRITTEN_VIRTUAL.search(text)]
    )
    return tuple(
        Diagnostic(
            code="DEVICE_LANGUAGE",
            text="A kernel's class has virtual functions or bases; device code has neither.",
            file=file,
            line=plain[file].count("\n", 0, match.start()) + 1,
            remedy="Make what differs a template parameter: template <typename Derived> class Base, and call "
            "static_cast<Derived *>(this)->Compute().",
            stage="compile",
        )
        for file, match in written
        if match is not None
    )[:1]


def _kernels(plain: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Yield a finding for the first line of each file that calls a kernel as a function.

    A name that is an object's, too, may be called.
    """
    names = {m[1] for text in plain.values() for m in _KERNEL.finditer(text)}
    objects = re.compile(r"[\w>]\s*[\s&*]\s*(\w+)\s*[;={,)]")
    names -= {m[1] for text in plain.values() for m in objects.finditer(text)}
    if not names:
        return
    called = re.compile(
        rf"(?:\b(?:return|else)|[;{{}})])\s*(?P<name>{'|'.join(sorted(names))})\s*(?:<[^;<>(){{}}]*>\s*)?\("
    )
    for file, text in sorted(plain.items()):
        if match := called.search(text):
            yield Diagnostic(
                code="DEVICE_LANGUAGE",
                text=f"{match['name']} is a kernel, which a device function calls; the host alone launches kernels.",
                file=file,
                line=text.count("\n", 0, match.start("name")) + 1,
                remedy=f"Move what {match['name']} does into a function with __aicore__ that both kernels call.",
                stage="compile",
            )


def _recursion(functions: Sequence[CompiledFunction], plain: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Yield a finding for each function that is called again before it returns; the first of a circle stands for it."""
    symbols = Counter(f.symbol for f in functions)  # GIMPLE calls overloads alike
    bodies = [f.body[f.body.find("\n{") + 1 :] for f in functions]  # without the head, which names it, too
    calls = {
        i: {k for k, g in enumerate(functions) if symbols[g.symbol] == 1 and f" {g.symbol} (" in body}
        for i, body in enumerate(bodies)
    }
    told: set[int] = set()
    for i, f in enumerate(functions):
        circle = _circle(i, calls)
        if not circle or circle & told:
            continue
        told |= circle
        name = f.plain_name or "A lambda"
        if circle == {i} and _returns_itself(name, plain[f.file]):
            continue
        others = sorted({functions[k].plain_name for k in circle} - {name})
        way = f", by way of {' and '.join(others)}" if others else ""
        yield Diagnostic(
            code="DEVICE_LANGUAGE",
            text=f"{name} calls itself{way}; device code has no recursion at run time.",
            file=f.file,
            line=f.line,
            remedy="Write it as a loop; what is known when compiled may be a constexpr function or a template.",
            stage="compile",
        )


def _circle(start: int, calls: Mapping[int, set[int]]) -> set[int]:
    """Return the functions that `start` reaches and that reach it; none if it does not reach itself."""
    reached = _reached(start, calls)
    return {k for k in reached if start in _reached(k, calls)} if start in reached else set()


def _reached(start: int, calls: Mapping[int, set[int]]) -> set[int]:
    found: set[int] = set()
    stack = [start]
    while stack:
        new = calls[stack.pop()] - found
        found |= new
        stack += new
    return found


def _returns_itself(name: str, text: str) -> bool:
    """Say whether each statement that calls the function returns what it gives, and calls it once."""
    statements = [s for s in re.split(r"[;{}]", text) if re.search(rf"\b{re.escape(name)}\b", s)]
    calling = [s for s in statements if re.match(r"[\s\S]*\breturn\b", s)]
    return bool(calling) and all(len(re.findall(rf"\b{re.escape(name)}\b", s)) == 1 for s in calling)
