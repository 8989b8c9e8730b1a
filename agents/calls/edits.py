"""Small changes to files: search/replace blocks and unified diffs, applied strictly or not at all."""

import difflib
import re
from collections.abc import Mapping

from akgen.tools.core.frozen import Frozen

_BLOCK = re.compile(
    r"^<{5,9}[ \t]*SEARCH[^\n]*\n(?P<old>.*?)^={5,9}[ \t]*\n(?P<new>.*?)^>{5,9}[ \t]*REPLACE[^\n]*$",
    re.M | re.S,
)
PATH = re.compile(r"(?P<path>op_(?:host|kernel)/[\w.-]+\.(?:cpp|h|hpp|cc|inc|asc))")
_NUMBER = re.compile(r"^ {0,4}\d{1,5}\|(?: |$)", re.M)  # as prompts number lines
_DIFF_FILE = re.compile(r"^\+\+\+[ \t]+(?:b/)?(?P<path>\S+)[^\n]*\n", re.M)
_HUNK = re.compile(r"^@@[^\n]*\n(?P<body>(?:[ +\-\\][^\n]*(?:\n|\Z)|[ \t]*\n(?=[ +\-@]))+)", re.M)


class Edit(Frozen):
    """One change: `old`, which stands exactly once in the file, becomes `new`."""

    path: str
    old: str
    new: str


class Refused(Frozen):
    """Why an edit was not applied, in the words that its author reads."""

    edit: Edit
    text: str


def read_edits(text: str, default_path: str) -> tuple[Edit, ...]:
    """Return the edits of a reply, in order; none if it holds none.

    A block without a path on one of the three lines before it belongs to the file of the block before, the first
    one to `default_path`.
    """
    found: list[Edit] = []
    path = default_path
    for block in _BLOCK.finditer(text):
        above = "\n".join(text[: block.start()].rstrip().splitlines()[-3:])
        named = PATH.findall(above)
        path = named[-1] if named else path
        found.append(Edit(path=path, old=_unnumbered(block["old"]), new=_unnumbered(block["new"])))
    return tuple(found) or _read_diff(text)


def _unnumbered(text: str) -> str:
    """Return a block without the numbers that its author was shown, if every line that says something has one."""
    spoken = [line for line in text.splitlines() if line.strip()]
    return _NUMBER.sub("", text) if spoken and all(map(_NUMBER.match, spoken)) else text


def apply_edits(files: Mapping[str, str], edits: tuple[Edit, ...]) -> tuple[dict[str, str], Refused | None]:
    """Return the changed files, or the unchanged ones and why the first edit that cannot be applied was refused.

    Lines are compared without the blanks at their ends; nothing else is forgiven. An empty `old` makes a new file.
    """
    changed = dict(files)
    for edit in edits:
        if edit.path not in changed:
            if edit.old.strip():
                return dict(files), Refused(edit=edit, text=f"There is no file {edit.path} to change.")
            changed[edit.path] = edit.new
            continue
        text, problem = _replaced(changed[edit.path], edit)
        if problem is not None:
            return dict(files), Refused(edit=edit, text=problem)
        changed[edit.path] = text
    return changed, None


def _replaced(text: str, edit: Edit) -> tuple[str, str | None]:
    lines, old = (
        [line.rstrip() for line in text.splitlines()],
        [line.rstrip() for line in edit.old.splitlines()],
    )
    if not any(old):
        return text, f"The block to search for in {edit.path} is empty, and the file exists."
    places = [at for at in range(len(lines) - len(old) + 1) if lines[at : at + len(old)] == old]
    if len(places) == 1:
        at = places[0]
        kept = text.splitlines()
        return "\n".join([*kept[:at], *edit.new.splitlines(), *kept[at + len(old) :]]) + "\n", None
    first = next(line for line in old if line)
    if places:
        numbers = ", ".join(str(p + 1) for p in places)
        return (
            text,
            f"`{first.strip()}` stands at lines {numbers} of {edit.path}; add lines around it until one is left.",
        )
    near = difflib.get_close_matches(first, lines, n=1, cutoff=0.6)
    hint = f"; the nearest line is `{near[0].strip()}`" if near else ""
    return text, f"The block that begins with `{first.strip()}` does not stand in {edit.path} as given{hint}."


def _read_diff(text: str) -> tuple[Edit, ...]:
    """Read the hunks of a unified diff; line numbers are ignored, the context decides."""
    found: list[Edit] = []
    heads = list(_DIFF_FILE.finditer(text))
    ends = [*(h.start() for h in heads[1:]), len(text)]
    for head, end in zip(heads, ends, strict=False):  # no head: no end is used
        for hunk in _HUNK.finditer(text, head.end(), end):
            rows = [row for row in hunk["body"].splitlines() if not row.startswith(("\\", "---"))]
            old = [row[1:] for row in rows if row[:1] in (" ", "-", "")]
            new = [row[1:] for row in rows if row[:1] in (" ", "+", "")]
            found.append(Edit(path=head["path"], old="\n".join(old) + "\n", new="\n".join(new) + "\n"))
    return tuple(found)
