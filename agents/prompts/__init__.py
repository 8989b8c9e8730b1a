"""Prompts: Jinja templates as data, rendered strictly (an unknown name is an error), and what is put into them."""

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined


@cache
def _environment() -> Environment:
    folder = files("akgen.agents.prompts").joinpath("templates")
    texts = {p.name: p.read_text() for p in folder.iterdir() if p.name.endswith(".j2")}
    # Prompts are plain text for a model: escaping would corrupt the code inside them.
    return Environment(
        loader=DictLoader(texts), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


def render(name: str, **values: Any) -> str:
    """Fill in the template `name` (without .j2).

    Raises jinja2.UndefinedError when a value is missing.
    """
    return _environment().get_template(f"{name}.j2").render(**values).strip() + "\n"


def raw_text(name: str) -> str:
    """Return a file beside the templates as it is, without rendering."""
    return files("akgen.agents.prompts").joinpath("templates", name).read_text()
