"""Take out of texts what a machine and its owner would not tell: secrets, paths, names, addresses."""

import os
import pwd
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

_SECRET_SHAPES = re.compile(
    r"\b(?:sk-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|glpat-[\w-]{16,}|AKIA[A-Z0-9]{12,}"
    r"|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*|xox[abprs]-[\w-]{10,})|-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"(?:.|\n)*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
)
_NAMED_SECRETS = re.compile(
    r"""(?P<name>(?<![\w/])[\w-]*(?:api[_-]?key|access[_-]?key|secret|passw(?:or)?d|auth[_-]?token|access[_-]?token"""
    r"""|authorization|credential)[\w-]*["']?\s*[:=]\s*["']?|\bBearer\s+)"""
    r"""(?P<value>(?!SECRET)(?:Bearer\s+|Basic\s+)?[^\s"',;}{)(]{6,})""",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\b(?P<scheme>[a-z][a-z0-9+.-]{1,12}://)[^\s\"'<>|)]+", re.IGNORECASE)
_MAIL = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")
_PRIVATE_HOST = re.compile(
    r"(?<![\d.])(?:10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2})(?![\d.])"
)
# after a compiler's option without a blank, too
_PATH = re.compile(r"(?:(?<=-[ILB])|(?<![\w./~]))/(?:[\w.+@%~-]+/)+[\w.+@%~-]*|(?<![\w/])~/[\w.+@%~/-]+")
# of every machine of a kind; they say nothing of the user
_COMMON = ("usr", "lib", "lib64", "bin", "sbin", "etc", "dev", "proc", "sys", "run", "__w")
_KEPT_PARENTS = ("op_host", "op_kernel", "bin", "lib", "lib64")  # by which a compiler's error is placed


class Scrubber:
    """Scrubs for one run: `names` are folders that get a name of ours, such as RUN, the longest first."""

    def __init__(self, names: Sequence[tuple[Path, str]], secrets: Sequence[str | None] = ()) -> None:
        pairs = {str(path): name for path, name in names if len(path.parts) > 2}
        self._folders = sorted(pairs.items(), key=lambda pair: -len(pair[0]))
        self._words = [(w, "SECRET") for w in secrets if w and len(w) >= 6]
        owner = pwd.getpwuid(os.getuid())
        for word, kind in ((owner.pw_name, "USER"), (os.uname().nodename, "HOST")):
            if len(word) >= 3 and word not in ("root", "localhost"):
                self._words.append((word, kind))

    def text(self, text: str, *, source: bool = False) -> "Scrubbed":
        """Return a text without them, and what was taken out how often.

        Of a `source`, words that only look like the name of a secret stay: `token = 5` is code.
        """
        count: Counter[str] = Counter()

        def gone(kind: str, by: str) -> str:
            count[kind] += 1
            return by

        text = _SECRET_SHAPES.sub(lambda _: gone("secrets", "SECRET"), text)
        if not source:
            text = _NAMED_SECRETS.sub(lambda m: gone("secrets", f"{m['name']}SECRET"), text)
            text = _ADDRESS.sub(lambda m: gone("addresses", f"{m['scheme']}HOST"), text)
        text = _MAIL.sub(lambda _: gone("addresses", "MAIL"), text)
        text = _PRIVATE_HOST.sub(lambda _: gone("addresses", "HOST"), text)
        for folder, name in self._folders:
            text = _counted(rf"{re.escape(folder)}(?![\w.-])", "paths", name, text, count)
        least = 3 if source else 2  # `a /b/c` is code
        text = _PATH.sub(lambda m: _path(m[0], least, gone), text)
        for word, kind in self._words:
            text = _counted(rf"(?<!\w){re.escape(word)}(?!\w)", "names", kind, text, count)
        return Scrubbed(text, dict(count))


def _counted(pattern: str, kind: str, by: str, text: str, count: Counter[str]) -> str:
    text, times = re.subn(pattern, by, text)
    if times:
        count[kind] += times
    return text


def _path(path: str, least: int, gone: Callable[[str, str], str]) -> str:
    parts = [p for p in path.split("/") if p and p != "~"]
    if not path.startswith("~") and (len(parts) < least or parts[0] in _COMMON):
        return path
    kept = parts[-2:] if len(parts) > 2 and parts[-2] in _KEPT_PARENTS else parts[-1:]
    return gone("paths", "/".join(("PATH", *kept)))


class Scrubbed(NamedTuple):
    text: str
    counts: dict[str, int]
