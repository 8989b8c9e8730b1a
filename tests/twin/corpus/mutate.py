"""Random damage to a kernel's text: what a careless author, or a language model, might have written instead."""

import random
import re
from collections.abc import Callable

_STATEMENT = re.compile(r"^\s+[^/{}\s][^{}]*;\s*$")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?f?(?![\w.])")
_CALL = re.compile(r"\b(\w+)\(([^()]*)\)")
_TYPES = (
    "float",
    "half",
    "int32_t",
    "uint32_t",
    "int16_t",
    "int8_t",
    "uint8_t",
    "int64_t",
    "bfloat16_t",
    "bool",
)
_VALUES = (
    "0",
    "1",
    "-1",
    "3",
    "7",
    "8",
    "31",
    "63",
    "64",
    "255",
    "256",
    "4095",
    "4096",
    "65536",
    "2147483647",
    "1u << 31",
)
_PAIRS = (
    ("EnQue", "DeQue"), ("AllocTensor", "DeQue"), ("FreeTensor", "EnQue"), ("SetFlag", "WaitFlag"),
    ("MTE2_V", "V_MTE2"), ("V_MTE3", "MTE3_V"), ("MTE2_MTE3", "MTE3_MTE2"), ("VECIN", "VECOUT"),
    ("DataCopy", "DataCopyPad"),
    ("Adds", "Muls"), ("Add", "Sub"), ("Exp", "Ln"), ("in", "out"), ("a", "b"), ("GetBlockIdx", "GetBlockNum"),
    ("<", "<="), ("+", "-"), ("*", "+"), ("==", "!="), ("PIPE_ALL", "PIPE_V"),
)  # fmt: skip

Rewrite = Callable[[random.Random, list[str]], None]


def mutate(text: str, source: random.Random) -> str:
    """Return the text with one to four changes; the first lines (comments, includes) stay."""
    lines = text.splitlines()
    for _ in range(source.choice((1, 1, 1, 2, 2, 3, 4))):
        source.choice(_REWRITES)(source, lines)
    return "\n".join(lines) + "\n"


def _pick(source: random.Random, lines: list[str], pattern: re.Pattern[str]) -> int | None:
    at = [i for i, line in enumerate(lines) if pattern.search(line) and not line.startswith(("//", "#"))]
    return source.choice(at) if at else None


def _drop(source: random.Random, lines: list[str]) -> None:
    if (i := _pick(source, lines, _STATEMENT)) is not None:
        lines[i] = ""


def _repeat(source: random.Random, lines: list[str]) -> None:
    if (i := _pick(source, lines, _STATEMENT)) is not None:
        lines.insert(i, lines[i])


def _swap_lines(source: random.Random, lines: list[str]) -> None:
    i, j = _pick(source, lines, _STATEMENT), _pick(source, lines, _STATEMENT)
    if i is not None and j is not None:
        lines[i], lines[j] = lines[j], lines[i]


def _number(source: random.Random, lines: list[str]) -> None:
    if (i := _pick(source, lines, _NUMBER)) is not None:
        found = source.choice(list(_NUMBER.finditer(lines[i])))
        lines[i] = lines[i][: found.start()] + source.choice(_VALUES) + lines[i][found.end() :]


def _arguments(source: random.Random, lines: list[str]) -> None:
    """Swap, drop, repeat or replace an argument of a call."""
    if (i := _pick(source, lines, _CALL)) is None:
        return
    found = source.choice(list(_CALL.finditer(lines[i])))
    given = [a.strip() for a in found[2].split(",")]
    k = source.randrange(len(given))
    kind = source.randrange(4)
    if kind == 0:
        m = source.randrange(len(given))
        given[k], given[m] = given[m], given[k]
    elif kind == 1:
        del given[k]
    elif kind == 2:
        given.insert(k, given[k])
    else:
        given[k] = source.choice(
            (*_VALUES, "a", "b", "in", "out", "x", "y", "nullptr", "workspace", "a[5]", "out[100]")
        )
    lines[i] = lines[i][: found.start(2)] + ", ".join(given) + lines[i][found.end(2) :]


def _type(source: random.Random, lines: list[str]) -> None:
    pattern = re.compile(r"\b(?:" + "|".join(_TYPES) + r")\b")
    if (i := _pick(source, lines, pattern)) is not None:
        found = source.choice(list(pattern.finditer(lines[i])))
        lines[i] = lines[i][: found.start()] + source.choice(_TYPES) + lines[i][found.end() :]


def _exchange(source: random.Random, lines: list[str]) -> None:
    """Replace a word or operator by its counterpart."""
    one, other = source.choice(_PAIRS)
    if source.random() < 0.5:
        one, other = other, one
    pattern = re.compile(rf"\b{one}\b" if one.isidentifier() else re.escape(one))
    if (i := _pick(source, lines, pattern)) is not None:
        lines[i] = pattern.sub(other, lines[i], count=1)


def _loop(source: random.Random, lines: list[str]) -> None:
    """Make a statement a loop of its own, or an endless one."""
    if (i := _pick(source, lines, _STATEMENT)) is not None:
        bound = source.choice(("2", "16", "300", "100000", "1;; ++n"))
        head = f"for (int n = 0; {'' if ';;' in bound else f'n < {bound}'}; ++n)"
        lines[i] = f"{head} {{ {lines[i].strip()} }}"


def _character(source: random.Random, lines: list[str]) -> None:
    """Damage the text itself."""
    if (i := _pick(source, lines, re.compile(r"\S"))) is not None and lines[i]:
        k = source.randrange(len(lines[i]))
        lines[i] = (
            lines[i][:k]
            + source.choice(("", "(", "}", ";", "*", "&", "\\", '"', "0x", "#"))
            + lines[i][k + 1 :]
        )


_REWRITES: tuple[Rewrite, ...] = (
    _drop, _drop, _drop, _repeat, _swap_lines, _number, _number, _number, _arguments, _arguments, _type, _exchange,
    _exchange, _loop, _character,
)  # fmt: skip
