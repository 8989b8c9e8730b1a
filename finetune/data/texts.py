"""The words of records: templates beside this file, in English and Chinese, rendered strictly."""

import ast
import json
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from akgen.finetune.data.record import Message
from akgen.tools.core.project import KernelProject

TEMPLATES = Path(__file__).parent / "templates"


def render(name: str, **values: Any) -> str:
    """Fill in the template `name` (without .j2). Raises jinja2.UndefinedError when a value is missing."""
    return _environment().get_template(f"{name}.j2").render(**values).strip() + "\n"


def asked(name: str, **values: Any) -> tuple[Message, ...]:
    """Return a prompt of one message, from a template."""
    return (Message(role="user", content=render(name, **values)),)


def fenced(text: str, language: str) -> str:
    return f"```{language}\n{text.rstrip()}\n```\n"


def files_text(project: KernelProject) -> str:
    """Return a project's files as JSON, as a claim keeps them."""
    return json.dumps(dict(sorted(project.files.items())), ensure_ascii=False)


@cache
def model_class(reference: str) -> str:
    """Return the source of a reference's module alone: what is computed, without how its inputs are drawn."""
    for node in ast.parse(reference).body:
        if isinstance(node, ast.ClassDef):
            return ast.get_source_segment(reference, node) or reference
    return reference


@cache
def _environment() -> Environment:
    found = Environment(
        loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    found.filters["model_class"] = model_class
    return found
