"""Tensors that a class keeps as members: some builds of the vendor fail in the code that they generate for them."""

import re
from collections.abc import Mapping
from functools import lru_cache

from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import without_comments

_TOKEN = re.compile(
    r"(?P<opens>\b(?:class|struct)\s+[A-Za-z_]\w*[^;{}()]{0,200}\{)|(?P<brace>[{}])"
    r"|\bLocalTensor\s{0,9}<[^;{}()]{1,99}>\s{1,9}(?P<names>[A-Za-z_]\w*[\w\s,\[\]]{0,200});"
)


def tensor_members(files: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Return a warning for each file with classes that keep a LocalTensor, at the first one."""
    return _of_files(tuple(sorted(files.items())))


@lru_cache(maxsize=16)  # every launch of a kernel asks again
def _of_files(files: tuple[tuple[str, str], ...]) -> tuple[Diagnostic, ...]:
    found = []
    for file, text in files:
        plain = without_comments(text)
        in_class: list[bool] = []  # of each open brace: it is a class's
        members: list[re.Match[str]] = []
        for token in _TOKEN.finditer(plain):
            if token["opens"] or token["brace"] == "{":
                in_class.append(token["opens"] is not None)
            elif token["brace"]:
                in_class = in_class[:-1]
            elif in_class and in_class[-1]:
                members.append(token)
        if members:
            names = ", ".join(" ".join(m["names"].split()) for m in members)
            found.append(
                Diagnostic(
                    code="TENSOR_MEMBER",
                    text=f"A class keeps tensors as members ({names[:120]}).",
                    file=file,
                    line=plain.count("\n", 0, members[0].start("names")) + 1,
                    severity="warning",
                    stage="compile",
                )
            )
    return tuple(found)
