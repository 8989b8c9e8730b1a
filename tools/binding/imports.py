"""Under which names a script finds its binding: whatever its build would have called it."""

import ast
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from akgen.tools.core.untrusted import read_text


def import_as_named(module: ModuleType, script: Path) -> None:
    """Let the script import the module by its own name, and by every name that the script imports and nobody has.

    A library that the script loads and that is not there is the one that is loaded already.
    """
    sys.modules[module.__name__] = module
    if getattr(module, "akgen_any_name", False):
        for name in _not_found(script):
            sys.modules[name] = module
    before: Any = torch.ops.load_library

    def load_library(path: Any) -> None:
        if Path(path).exists():
            before(path)

    setattr(torch.ops, "load_library", load_library)  # noqa: B010 (mypy takes it for a method)


def _not_found(script: Path) -> Iterator[str]:
    beside = script.resolve().parent
    for node in ast.walk(ast.parse(read_text(script), str(script))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        for name in (n.split(".")[0] for n in names):
            here = (beside / f"{name}.py").is_file() or (beside / name).is_dir()
            if name not in sys.modules and not here and importlib.util.find_spec(name) is None:
                yield name
