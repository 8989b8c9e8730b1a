"""The C++ that ships beside the passes: file layouts of templates/, sections of the device library tile_library/."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from akgen.tools.dsl.long_lines import broken


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
