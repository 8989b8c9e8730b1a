"""The C++ file layouts under templates/."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


@cache
def _environment() -> Environment:
    folder = Path(__file__).resolve().parent / "templates"
    return Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )


def render(name: str, **values: object) -> str:
    """Return a filled template; raise jinja2.UndefinedError for a value that is missing."""
    return _environment().get_template(name).render(**values)
