"""What the worker says on its standard output, where nothing that was said can be taken back.

The candidate's host code runs in the worker, so it may change any file of its folder later on, and may write to the
same pipe. So the worker says a digest of the outputs before that code is called again, whether timed launches left the
same, and its times; each is said once: what is said twice, or not at all, was not said by the worker alone. Host code
that takes over the whole process can still say everything itself.
"""

import hashlib
import os
from collections.abc import Mapping
from typing import Literal

_HEAD = "akgen-said"
_OUT = 1

What = Literal["outputs", "timed", "times"]
SAME = "same"  # every launch that was timed left what the first one left


def say(what: What, text: str) -> None:
    """Write one line past every buffer of this process. `text` has no line break."""
    os.write(_OUT, f"\n{_HEAD} {what} {text}\n".encode())


def said_once(what: What, printed: str) -> str | None:
    """Return what a process said; None if it said it not at all or more than once."""
    head = f"{_HEAD} {what} "
    found = [line[len(head) :] for line in printed.splitlines() if line.startswith(head)]
    return found[0] if len(found) == 1 else None


def digest_of(files: Mapping[str, bytes]) -> str:
    """Return one digest of files by name, in whatever order."""
    whole = hashlib.sha256()
    for name in sorted(files):
        whole.update(f"{name}:{hashlib.sha256(files[name]).hexdigest()}\n".encode())
    return whole.hexdigest()
