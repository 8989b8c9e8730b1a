"""Ask the driver, from a program of the toolkit: a folder with a request, and a reply in it."""

import json
import os
import time
from pathlib import Path
from typing import Any


def fault(phase: str) -> str | None:
    """Return what a test wants to go wrong in a phase."""
    path = Path(os.environ["AKGEN_REHEARSAL"]) / "build_faults"
    lines = path.read_text().splitlines() if path.is_file() else []
    return next((line.partition(" ")[2] for line in lines if line.partition(" ")[0] == phase), None)


def ask(**request: Any) -> tuple[int, str]:
    folder = Path(os.environ["AKGEN_REHEARSAL"]) / f"{os.getpid()}-build{time.monotonic_ns()}"
    folder.mkdir()
    (folder / "request.json").write_text(json.dumps(request))
    (folder.parent / "queue" / folder.name).touch()
    while not (folder / "reply").exists():
        if not folder.parent.is_dir():
            return 70, "the driver is gone"
        time.sleep(0.002)
    head, _, text = (folder / "reply").read_text().partition("\n")
    return int(head.split()[0]), text
