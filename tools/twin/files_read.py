"""Which files a compile read: on kernels without Landlock, which lets a compiler read only what it is named.

The text of a source does not say which files it includes, since macros put names together. What g++ and its assembler
tell of themselves does: `-H` names each included file, in a compile that fails too, and `--MD` what assembly text does.
A compile that read another file than it may has failed, and what it said is not passed on: it may quote that.
Not covered: clang++'s own assembler, and `__has_include`, which says whether a file exists.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from akgen.tools.core.untrusted import FileRefused, read_bytes
from akgen.tools.process.program import Finished

MOST_NAMES_BYTES = 1 << 20
_INCLUDED = re.compile(r"(?:\.+|[!x]) (?P<name>.+)")
_GUARDS = "Multiple include guards may be useful for:"


def options(*, is_clang: bool, listing: str) -> tuple[str, ...]:
    """Return what makes a compile name the files that it reads; what assembly text reads stands in `listing`."""
    return ("-H",) if is_clang else ("-H", f"-Wa,--MD,{listing}")


def checked(done: Finished, folder: Path, may_read: Iterable[Path], listing: Path) -> Finished:
    """Return the compile without the names that it told, or as a failed one if it read what it may not."""
    included, said = _told(done.err)
    allowed = tuple(place.resolve() for place in (folder, *may_read))
    try:
        assembled = tuple(_assembled(listing)) if listing.is_file() else ()
    except FileRefused as problem:
        return _failed(done, f"what the assembler read is not known: {problem}")
    listing.unlink(missing_ok=True)
    for name in (*included, *assembled):
        place = Path(folder, name).resolve()
        if not any(place.is_relative_to(one) for one in allowed):
            return _failed(done, f"{name}: Permission denied")
    if done.truncated:
        return _failed(done, "it said more than is read")
    if "Assembler messages:" in said:
        return _failed(done, "the assembler refuses the program")
    return done.model_copy(update={"stderr": said.encode()})


def _told(said: str) -> tuple[tuple[str, ...], str]:
    """Split what a compiler said into the files that it included and the rest."""
    lines = said.split("\n")
    names = tuple(m["name"] for line in lines if (m := _INCLUDED.fullmatch(line)))
    every = {*names, _GUARDS}
    rest = [line for line in lines if line not in every and not _INCLUDED.fullmatch(line)]
    return names, "\n".join(rest)


def _assembled(listing: Path) -> Iterator[str]:
    """Yield the files of a rule of make's: an object, a colon, and what it was made of."""
    text = read_bytes(listing, most_bytes=MOST_NAMES_BYTES).decode(errors="replace")
    words = re.findall(r"(?:\\[^\n]|[^\s\\])+", text.partition(": ")[2])
    for word in words:
        name = re.sub(r"\\(.)", r"\1", word)
        if name not in ("-", "{standard"):
            yield name


def _failed(done: Finished, why: str) -> Finished:
    said = f"cc1plus: fatal error: {why}\n"
    return done.model_copy(update={"rc": 1, "signal": None, "stdout": b"", "stderr": said.encode()})
