"""Whether a folder takes files. Asked by ourselves: who runs candidate code must not take its word for a full disk."""

import contextlib
from pathlib import Path
from tempfile import TemporaryFile

_ENOUGH = b"x" * (1 << 24)


def takes_files(folder: Path) -> bool:
    """Say whether 16 MiB can be written into a new file of `folder`; nothing is left there."""
    with contextlib.suppress(OSError), TemporaryFile(dir=folder) as file:
        file.write(_ENOUGH)
        file.flush()
        return True
    return False
