"""A command of `akgen` in the tests' own process: for whatever a process of its own would show nothing more of."""

import json
import os
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

from akgen.cli import main


@dataclass(frozen=True)
class Ended:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """Return what --json printed; the whole of standard output."""
        document: dict[str, Any] = json.loads(self.out)
        return document


def command(*arguments: str | Path, env: Mapping[str, str] | None = None, stdin: str = "") -> Ended:
    """Run `akgen` with arguments; `env` adds variables, `stdin` is what is typed."""
    out, err, code = StringIO(), StringIO(), 0
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        patch.object(sys, "argv", ["akgen", *map(str, arguments)]),
        patch.object(sys, "stdin", StringIO(stdin)),
        patch.dict(os.environ, {"OMP_NUM_THREADS": "1", **(env or {})}),
    ):
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
    return Ended(code, out.getvalue(), err.getvalue())
