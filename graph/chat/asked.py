"""Tell questions from requests: what a text asks for, by patterns that are data beside this file."""

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

KERNEL = ("code", "host", "tiling", "profile", "verdict")  # what can be asked of the kernel in hand


def asks(name: str, text: str) -> bool:
    """Say whether a text fits one of the patterns: `question`, `use`, `call`, `making`, `amount`, `of_kernel`."""
    return _pattern(name).search(text) is not None


def asked_of_kernel(text: str) -> str | None:
    """Return what of the kernel in hand a text asks for; None if nothing."""
    return next((name for name in KERNEL if _pattern(f"kernel.{name}").search(text.strip())), None)


def asked_of_chip(text: str) -> list[str]:
    """Return which sizes of the chip a text names."""
    return [name for name in _data()["chip"] if _pattern(f"chip.{name}").search(text)]


def concepts_in(text: str, language: str) -> list[str]:
    """Return what the concepts mean that a text names: memories, pipes, tiling."""
    known = _data()["concepts"]
    found = [name for name in known if _concept(name).search(text)]
    return [f"{name}: {known[name][language]}" for name in found]


@cache
def _concept(name: str) -> re.Pattern[str]:
    words = (
        w if not w.isascii() else rf"(?<![a-z0-9_]){w}(?![a-z0-9_])"
        for w in _data()["concepts"][name]["words"]
    )
    return re.compile("|".join(words), re.I)


@cache
def _pattern(path: str) -> re.Pattern[str]:
    found: Any = _data()
    for name in path.split("."):
        found = found[name]
    text = "|".join(found)
    for name, meant in _data()["names"].items():
        text = text.replace(f"<{name}>", meant)
    return re.compile(text, re.I)


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(files("akgen.graph.chat").joinpath("questions.json").read_text("utf-8"))
    return data
