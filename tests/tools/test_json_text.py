"""JSON that any parser reads."""

import json
import math

import pytest

from akgen.tools.core.frozen import Frozen, json_text


class Infinite(Frozen):
    value: float


def test_the_judges_numbers_are_json_to_any_parser() -> None:
    text = json_text({"nan": math.nan, "model": Infinite(value=math.inf)})
    assert json.loads(text, parse_constant=pytest.fail) == {"nan": "NaN", "model": {"value": "Infinity"}}
