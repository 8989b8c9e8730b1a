"""The C++ that ships beside the passes: file layouts of templates/, sections of the device library tile_library/.

Long lines are broken where they read on: after a comma, before an operator, outermost brackets first.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

WIDTH = 120  # columns
_INDENT = 4  # of what goes on
_EARLIEST = 40  # columns, behind the indentation: a shorter beginning is no line of its own
_PLACES = re.compile(r"""(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])')|(?P<open>[(\[{])|(?P<close>[)\]}])"""
                     r"""|(?P<after>[,;] )|(?P<before> (?=(?:&&|\|\||[?:+*/%-]) ))""")  # fmt: skip


def broken(text: str) -> str:
    """Return the text with its long lines broken; directives stay, words of a comment alone move to a next one."""
    return "\n".join(part for line in text.split("\n") for part in _parts(line))


def _parts(line: str) -> Iterator[str]:
    bare = line.lstrip()
    indent = line[: len(line) - len(bare)]
    if len(line) <= WIDTH or bare.startswith("#") or ("//" in bare and not bare.startswith("// ")):
        yield line
    elif bare.startswith("// "):
        yield from _comment(indent, bare.removeprefix("// ").split(" "))
    else:
        yield from _code(indent, bare)


def _comment(indent: str, words: list[str]) -> Iterator[str]:
    line = f"{indent}//"
    for word in words:
        if len(line) + 1 + len(word) > WIDTH and not line.endswith("//"):
            yield line
            line = f"{indent}//"
        line += f" {word}"
    yield line


def _code(indent: str, bare: str) -> Iterator[str]:
    lead, rest = indent, bare
    while len(lead) + len(rest) > WIDTH:
        at = _break(rest, WIDTH - len(lead))
        if at is None:
            break
        yield lead + rest[:at].rstrip()
        lead, rest = indent + " " * _INDENT, rest[at:].lstrip()
    yield lead + rest


def _break(text: str, room: int) -> int | None:
    """Return where to break a text of which `room` columns are shown; None where nothing allows it."""
    depth, places = 0, []
    for found in _PLACES.finditer(text):
        match found.lastgroup:
            case "open":
                depth += 1
            case "close":
                depth -= 1
            case "after" if found.end() - 1 <= room:
                places.append((depth, -found.end()))
            case "before" if found.start() <= room:
                places.append((depth, -found.start()))
            case _:
                pass
    late = [p for p in places if -p[1] >= min(_EARLIEST, room // 2)]
    return -min(late or places)[1] if places else None


@cache
def _environment() -> Environment:
    folder = Path(__file__).resolve().parent / "templates"
    return Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )


def render(name: str, **values: object) -> str:
    """Return a filled template, long lines broken; raise jinja2.UndefinedError for a value that is missing."""
    return broken(_environment().get_template(name).render(**values))


_FOLDER = Path(__file__).resolve().parent / "tile_library"
_FILES = (
    "scalar.h", "move.h", "access.h", "convert.h", "reduce.h", "scan.h", "sort.h", "operations.h", "broadcast.h",
    "math.h",
)  # fmt: skip


@cache
def _sections() -> dict[str, tuple[tuple[str, ...], str]]:
    """Return name -> (names it needs, text), in the order of the files."""
    result: dict[str, tuple[tuple[str, ...], str]] = {}
    for file in _FILES:
        for part in (_FOLDER / file).read_text().split("\n// tile: ")[1:]:
            head, _, text = part.partition("\n")
            name, *needs = head.split()
            result[name] = (tuple(needs), text.strip() + "\n")
    return result


def sections(names: set[str]) -> str:
    """Return the text of these sections and of all they need, in the library's order."""
    table = _sections()
    wanted: set[str] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        if name not in wanted:
            wanted.add(name)
            pending.extend(table[name][0])
    return "\n".join(text for name, (_, text) in table.items() if name in wanted)
