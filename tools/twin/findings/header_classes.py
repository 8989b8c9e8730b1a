"""The classes that the twin's headers, or a project's own files, define: public methods with what they return, and
fields; and how one class is reached from another. Read from the text, so that no list can be wrong."""

import re
from collections.abc import Iterator
from functools import cache

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.project import without_comments
from akgen.tools.twin.precompiled import DEVICE_INCLUDE, HOST_INCLUDE

_DETAIL = re.compile(r"\bnamespace\s+detail\s*\{")
_SPACE = re.compile(r"\bnamespace\s+([\w:]+)\s*\{")
_CLASS = re.compile(
    r"(?:\btemplate\s*<((?:[^<>]|<[^<>]*>)*)>\s*)?\b(class|struct)\s+(?:AKGEN_\w+\s+)?(\w+)\s*(?:final\s*)?(?::\s*(?:public\s+)?([\w:]+)[^{;()]*)?\{"
)
_ACCESS = re.compile(r"\b(public|private|protected)\s*:(?!:)")
_METHOD = re.compile(r"(?<![\w:~])([A-Za-z]\w*)\s*\(")
_FIELD = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=.*)?$", re.DOTALL)
_WORDS_BEFORE = re.compile(
    r"\b(?:static|virtual|inline|constexpr|explicit|const|typename|struct|class|AKGEN_\w+|__\w+__)\b|\[\[.*?\]\]"
)
_NO_FIELD = re.compile(r"^\s*(?:using|typedef|friend|static_assert|enum|class|struct|template|#|operator)\b")
_FIRST_OF_SEVERAL = ("Storage", "Get")  # of accessors that lead to one class, what kernels mean


class Method(Frozen):
    """One public method; `returns` is the class without its namespace, or the plain type."""

    name: str
    returns: str
    pointer: bool
    wants: int  # arguments without a default
    takes: str  # the parameters as they are written
    template: bool = False


class HeaderClass(Frozen):
    """One class with what it inherits. `scope` is its namespace; empty: the global one."""

    name: str
    scope: str
    methods: tuple[Method, ...]
    fields: tuple[str, ...]
    made_of: tuple[str, ...] = ()  # the parameters of each constructor
    base: str = ""  # that the same text does not define
    template: str = ""  # its template parameters

    @property
    def members(self) -> frozenset[str]:
        return frozenset((*(m.name for m in self.methods), *self.fields))

    def accessors(self, wanted: str) -> tuple[Method, ...]:
        """Return the methods without arguments that give a `wanted`: the storage's before the origin's, else all."""
        found = {m.name: m for m in self.methods if m.returns == wanted and m.wants == 0}

        def rank(method: Method) -> tuple[bool, ...]:
            return tuple(part not in method.name for part in _FIRST_OF_SEVERAL)

        best = min((rank(m) for m in found.values()), default=())
        return tuple(m for m in found.values() if rank(m) == best)

    def accessor(self, wanted: str) -> Method | None:
        return next(iter(self.accessors(wanted)), None)


@cache
def public_text(side: str) -> str:
    """Return the public part of a side's headers ("device", "host"): no comments, nothing that is nobody's to name."""
    if side == "host":
        files = sorted(HOST_INCLUDE.rglob("*.h"))
    else:
        files = [p for p in sorted(DEVICE_INCLUDE.rglob("*.h")) if DEVICE_INCLUDE / "akgen" not in p.parents]
    return "\n".join(without_detail(without_comments(p.read_text(errors="replace"))) for p in files)


@cache
def header_classes(side: str) -> tuple[HeaderClass, ...]:
    """Return the vendor's classes; their methods begin with a capital, the twin's own do not."""
    return tuple(
        c.model_copy(update={"methods": tuple(m for m in c.methods if m.name[0].isupper())})
        for c in classes_in(public_text(side))
    )


def classes_in(text: str) -> tuple[HeaderClass, ...]:
    """Return the classes that a text defines, each with what its bases in the same text bring."""
    text = without_comments(text)
    spaces = [(m.start(), m.end() + len(block(text, m.end() - 1)), m[1]) for m in _SPACE.finditer(text)]
    own: dict[tuple[str, str], HeaderClass] = {}
    bases: dict[tuple[str, str], str] = {}
    for match in _CLASS.finditer(text):
        scope = "::".join(name for start, end, name in spaces if start < match.start() < end)
        body = block(text, match.end() - 1)
        methods, fields = _members(body, match[3], match[2] == "struct")
        made_of = tuple(m.takes for m in methods if m.name == match[3])
        methods = tuple(m for m in methods if m.name != match[3])
        key = (scope, match[3])
        if key not in own or not own[key].members:
            own[key] = HeaderClass(
                name=match[3],
                scope=scope,
                methods=methods,
                fields=fields,
                made_of=made_of,
                template=match[1] or "",
            )
            bases[key] = (match[4] or "").split("::")[-1]
    return tuple(_with_bases(key, own, bases) for key in own)


def class_named(name: str, among: tuple[HeaderClass, ...]) -> HeaderClass | None:
    """Find the class of a type as compilers write it: const, namespaces, template arguments and all."""
    plain = type_name(name)
    found = [c for c in among if c.name == plain.split("::")[-1]]
    whole = next((c for c in found if f"{c.scope}::{c.name}" == plain), None)
    return whole or (found[0] if found else None)


def type_name(text: str) -> str:
    """Return a type's bare name with its namespace: `const gert::Shape *` as gert::Shape."""
    text = re.sub(r"\b(?:const|class|struct|volatile)\b|[&*\s]", " ", text.split("<")[0])
    return text.strip()


def _with_bases(
    key: tuple[str, str], own: dict[tuple[str, str], HeaderClass], bases: dict[tuple[str, str], str]
) -> HeaderClass:
    whole, seen = own[key], {key}
    while base := bases.get(key):
        key = next((k for k in own if k[1] == base and k not in seen), ("", ""))
        if key not in own:
            return whole.model_copy(update={"base": base})
        seen.add(key)
        whole = derived(whole, own[key])
    return whole


def derived(cls: HeaderClass, base: HeaderClass) -> HeaderClass:
    """Return a class with what its base brings."""
    methods, fields = (*cls.methods, *base.methods), (*cls.fields, *base.fields)
    return cls.model_copy(update={"methods": methods, "fields": fields})


def _members(body: str, name: str, public: bool) -> tuple[tuple[Method, ...], tuple[str, ...]]:
    methods: list[Method] = []
    fields: list[str] = []
    parts = _ACCESS.split(_flat(body))
    for access, part in zip(["public" if public else "private", *parts[1::2]], parts[::2], strict=True):
        for statement in part.split(";") if access == "public" else ():
            line = " ".join(_without_template(statement).split())
            if _NO_FIELD.match(line) or "operator" in line:
                continue
            found = _METHOD.search(line)
            if found is None:
                fields += _fields(line)
            elif not found[1].startswith("AKGEN"):
                of_type = statement.lstrip().startswith("template")
                methods += _method(line, found, found[1] == name, of_type)
    return tuple(methods), tuple(fields)


def _method(line: str, found: re.Match[str], constructs: bool, template: bool) -> Iterator[Method]:
    before = _WORDS_BEFORE.sub(" ", line[: found.start()]).strip()
    inner = block(line, found.end() - 1, "()")
    if constructs and (not inner or f"{found[1]} &" in inner or line.endswith("delete")):
        return  # without arguments, or a copy
    if constructs or (before and "=" not in before):
        wanted = [p for p in split_at_commas(inner) if p and p != "void" and "=" not in p]
        returns = type_name(before).split("::")[-1]
        yield Method(
            name=found[1],
            returns=returns,
            pointer="*" in before,
            wants=len(wanted),
            takes=inner,
            template=template,
        )


def _fields(line: str) -> Iterator[str]:
    for part in split_at_commas(line):
        found = _FIELD.search(part.strip())
        if found is not None and line.strip() != found[1] and not found[1].endswith("_"):
            yield found[1]


def _flat(body: str) -> str:
    """Return a class's body without what its methods do, and with anonymous unions opened."""
    out, depth, round_ = [], 0, 0
    body = re.sub(r"\bunion\s*\{([^{}]*)\}", r"\1", body)
    for letter in body:
        round_ += (letter == "(") - (letter == ")") if depth == 0 else 0
        if letter == "{" and round_ == 0:
            depth += 1
        elif letter == "}" and round_ == 0:
            depth -= 1
            out.append(";" if depth == 0 else "")
        elif depth == 0:
            out.append(letter)
    return "".join(out)


def _without_template(statement: str) -> str:
    found = re.match(r"\s*template\s*<", statement)
    while found is not None:
        statement = statement[found.end() + len(block(statement, found.end() - 1, "<>")) + 1 :]
        found = re.match(r"\s*template\s*<", statement)
    return statement


def split_at_commas(text: str) -> list[str]:
    """Split at the commas that stand outside of brackets."""
    parts, depth, current = [], 0, ""
    for letter in text:
        depth += (letter in "<({[") - (letter in ">)}]")
        if letter == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += letter
    return [*parts, current.strip()] if current.strip() else parts


def block(text: str, opening: int, pair: str = "{}") -> str:
    """Return what stands between the bracket at `opening` and its partner, or the rest of the text."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == pair[0]) - (text[at] == pair[1])
        if depth == 0:
            return text[opening + 1 : at]
    return text[opening + 1 :]


def without_detail(text: str) -> str:
    """Leave out what is nobody's to name."""
    while match := _DETAIL.search(text):
        inner = block(text, match.end() - 1)
        text = text[: match.start()] + text[match.end() + len(inner) + 1 :]
    return text
