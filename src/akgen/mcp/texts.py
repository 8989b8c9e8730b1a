"""What clients and their models read about the tools; the sentences are data beside this file."""

import json
from functools import cache
from importlib.resources import files


@cache
def _texts() -> dict[str, str]:
    found: dict[str, str] = json.loads(files("akgen.mcp").joinpath("texts.json").read_text())
    return found


def text(name: str) -> str:
    return _texts()[name]
