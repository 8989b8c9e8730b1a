"""Where in the user's own code a call was made."""

import inspect
import linecache
import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any

_LONGEST = 80  # characters of a line that are shown


class UserLines:
    """Finds the lines of one model's file among the frames of a call; of a model that wraps one, of its `traced`."""

    def __init__(self, model: Any) -> None:
        forward = inspect.unwrap(type(getattr(model, "traced", model)).forward)
        self._file = forward.__code__.co_filename if hasattr(forward, "__code__") else ""

    def now(self) -> str | None:
        """Return the innermost line of the file that is being run, as `name.py:12: text`; None outside of it."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self._file:
            frame = frame.f_back
        return None if frame is None else shown_line(self._file, frame.f_lineno)

    def of(self, stack: str | None) -> str | None:
        """Return the line that a written stack, as torch.export keeps one, ends with inside the file."""
        lines = re.findall(rf'File "{re.escape(self._file)}", line (\d+)', stack or "")
        return shown_line(self._file, int(lines[-1])) if lines else None


def shown_line(file: str, number: int) -> str:
    text = " ".join(linecache.getline(file, number).split())
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return f"{Path(file).name}:{number}: {text}"
