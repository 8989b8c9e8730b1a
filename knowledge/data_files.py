"""Read the facts in knowledge/data/: text, JSON, CSV; and what a fact is."""

import csv
import json
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, ConfigDict


class KnowledgeFact(BaseModel):
    """A frozen value of a data file; a field that it does not know is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def read_text(name: str) -> str:
    return files("akgen.knowledge").joinpath("data", name).read_text(encoding="utf-8")


def read_json(name: str) -> Any:
    return json.loads(read_text(name))


def read_csv(name: str) -> list[dict[str, Any]]:
    """Return the rows by column; every value is text."""
    return list(csv.DictReader(read_text(name).splitlines()))
