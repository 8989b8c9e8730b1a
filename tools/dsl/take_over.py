"""A project whose passes somebody else did over: what of it counts, and the checks of the passes that it changes.

A kernel's text is read back into the parts that the passes made: a class's frame (pass 2), its functions (pass 3), the
copies in them (pass 4). What was not to be changed is put back as the passes made it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import get_args

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic, InputError
from akgen.tools.core.project import KernelProject
from akgen.tools.dsl.code import AlignedCode, AlignedFunction
from akgen.tools.dsl.ir import Stage
from akgen.tools.dsl.lower import TILE_OPS, Passes
from akgen.tools.dsl.pass_checks import after_alignment, after_compute, after_host, after_init

PASSES, STAGES = ("host", "init", "compute", "align"), get_args(Stage)
WHOLE_KERNEL = "kernel:*"
_HIDDEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
_CLASS = re.compile(r"\bclass\s+(\w+)\s*(?:final\s*)?\{")
_NAME = re.compile(r"(\w+)\s*\(")
_FRAME = re.compile(
    r"Init|BeginPhase\d+|RowStride|"
)  # pass 2's functions; the empty name: what follows the last


class TakenOver(Frozen):
    """`parts` are those that are no longer the passes' own, as `Class::Function`, `Class` for its frame, or a file."""

    project: KernelProject
    parts: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]


class ClassText(Frozen):
    """A class in a file: `parts` are its functions with what stands before each, in order; `""` is the rest."""

    name: str
    start: int
    end: int
    parts: dict[str, str]


def read_scope(scope: tuple[str, ...]) -> tuple[str, ...]:
    """Return what may be changed; raise InputError for what is no pass, stage or kernel."""
    for said in scope:
        kind, _, name = said.partition(":")
        known = {"pass": PASSES, "stage": STAGES, "kernel": (name,)}.get(kind, ())
        if not name or name not in known:
            known = (*(f"pass:{p}" for p in PASSES), *(f"stage:{s}" for s in STAGES))
            raise InputError(
                f"`{said}` is nothing that can be taken over.", f"Write {', '.join(known)} or kernel:CLASS."
            )
    return scope or (WHOLE_KERNEL,)


def take_over(made: Passes, given: KernelProject, scope: tuple[str, ...]) -> TakenOver:
    """Return `given` with everything outside of `scope` as the passes made it, and what breaks their invariants."""
    base = made.project.files
    hosts = [p for p in (*base, *given.files) if p.startswith("op_host/")]
    whole = WHOLE_KERNEL in scope
    files = dict(base)
    if "pass:host" in scope:
        files |= {p: t for p, t in given.files.items() if p in hosts}
    kernel = f"op_kernel/{made.project.kernel}.cpp"
    if whole:
        files |= {p: t for p, t in given.files.items() if p not in hosts}
    else:
        files[kernel] = _joined(base[kernel], given.files.get(kernel, base[kernel]), made, scope)
        library = f"op_kernel/{TILE_OPS}"
        if "pass:align" in scope:
            files[library] = given.files.get(library, base[library])
    project = made.project.model_copy(update={"files": files})
    parts = tuple(_changed(base, files, kernel))
    return TakenOver(project=project, parts=parts, diagnostics=tuple(_broken(made, files, kernel, parts)))


def classes(text: str) -> tuple[ClassText, ...]:
    """Read the classes of a file; what cannot be read as one is left out."""
    plain = _HIDDEN.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    return tuple(c for m in _CLASS.finditer(plain) for c in [_class(text, plain, m)] if c is not None)


def _class(text: str, plain: str, head: re.Match[str]) -> ClassText | None:
    parts: dict[str, str] = {}
    depth, began, since, name = 0, head.end(), head.end(), None
    for at in range(head.end(), len(plain)):
        c = plain[at]
        if c == "{":
            if depth == 0:
                called = _NAME.search(plain, since, at)
                name = None if called is None else called[1]
            depth += 1
        elif c == "}":
            depth -= 1
            if depth < 0:
                parts[""] = text[began:at]
                return ClassText(name=head[1], start=head.end(), end=at, parts=parts)
            if depth == 0 and name is not None:
                repeats = sum(k.partition("#")[0] == name for k in parts)
                parts[f"{name}#{repeats}" if repeats else name] = text[began : at + 1]
                began = since = at + 1
        elif c == ";" and depth == 0:
            since = at + 1
    return None


def _joined(base: str, given: str, made: Passes, scope: tuple[str, ...]) -> str:
    """Return the passes' kernel file with those parts of `given` that may be changed."""
    theirs = {c.name: c.parts for c in classes(given)}
    stages = {c.class_name: {f.name: f.stage for f in c.functions} for c in made.aligned}
    for mine in reversed(classes(base)):
        other, known = theirs.get(mine.name), stages.get(mine.name, {})
        if other is None:
            continue
        parts = {
            k: other[k] if k in other and _may(scope, mine.name, k, known) else t
            for k, t in mine.parts.items()
        }
        fresh = {k: t for k, t in other.items() if k not in parts}
        rest = parts.pop("")
        if any(_may(scope, mine.name, f, known) for f in known):
            parts |= fresh  # functions that the changed ones call
        base = base[: mine.start] + "".join((*parts.values(), rest)) + base[mine.end :]
    return base


def _may(scope: tuple[str, ...], where: str, name: str, stages: Mapping[str, str | None]) -> bool:
    if f"kernel:{where}" in scope:
        return True
    if _FRAME.fullmatch(name):
        return "pass:init" in scope
    stage = stages.get(name)
    return (
        "pass:compute" in scope
        or f"stage:{stage}" in scope
        or ("pass:align" in scope and stage in ("copyin", "copyout"))
    )


def _changed(base: dict[str, str], files: dict[str, str], kernel: str) -> Iterator[str]:
    for path, text in files.items():
        if path == kernel:
            before = {c.name: c.parts for c in classes(base[kernel])}
            for c in classes(text):
                known = before.get(c.name, {})
                for name, part in c.parts.items():
                    if known.get(name) != part:
                        yield c.name if _FRAME.fullmatch(name) else f"{c.name}::{name}"
        elif base.get(path) != text:
            yield path


def _broken(made: Passes, files: dict[str, str], kernel: str, parts: tuple[str, ...]) -> Iterator[Diagnostic]:
    """Yield what breaks an invariant of a pass that was done over."""
    host = made.host
    if any(p.startswith("op_host/") for p in parts):
        header = next((t for p, t in files.items() if p.endswith("_tiling.h")), host.tiling_h)
        host = host.model_copy(
            update={"host_cpp": files.get(f"op_host/{made.project.kernel}.cpp", ""), "tiling_h": header}
        )
        yield from after_host(host)
    found = {c.name: c for c in classes(files[kernel])}
    for init, code, aligned in zip(made.init, made.compute, made.aligned, strict=True):
        text = found.get(init.class_name)
        if text is None or not any(p == text.name or p.startswith(f"{text.name}::") for p in parts):
            continue
        later = tuple(_function(n, t).lines for n, t in text.parts.items() if n.startswith("BeginPhase"))
        members = tuple(line.strip() for t in text.parts.values() for line in _outside(t))
        frame = init.model_copy(
            update={
                "members": members,
                "init": _function("Init", text.parts.get("Init", "")).lines,
                "later": later,
            }
        )
        yield from after_init(frame, host)
        stages = {f.name: f.stage for f in aligned.functions}
        functions = tuple(
            _function(n, t).model_copy(update={"stage": stages.get(n, "compute")})
            for n, t in text.parts.items()
            if not _FRAME.fullmatch(n)
        )
        theirs = AlignedCode(
            class_name=text.name, functions=functions, library=aligned.library, syncs=aligned.syncs
        )
        yield from after_compute(theirs)
        yield from after_alignment(code, theirs)


def _function(name: str, text: str) -> AlignedFunction:
    """Read a function's parameters and lines."""
    plain = _HIDDEN.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    called = re.search(rf"\b{re.escape(name.partition('#')[0])}\s*\(", plain) if name else None
    if called is None:
        return AlignedFunction(name=name, params=(), lines=())
    body = plain.index("{", called.end()) if "{" in plain[called.end() :] else len(plain)
    params = plain[called.end() : body].rpartition(")")[0]
    lines = [line.strip() for line in text[body + 1 : text.rfind("}")].splitlines()]
    return AlignedFunction(name=name, params=(params,) if params.strip() else (), lines=tuple(lines))


def _outside(text: str) -> Iterator[str]:
    """Yield the statements of a class's part that stand outside of its function."""
    head = text.partition("{")[0]
    yield from (f"{s};" for s in head.split(";")[:-1])
