"""A class may allocate, view, copy and launch; whatever else computes is a cheat, by whatever name it is called."""

import pytest

from akgen.tools.core.call import Call
from akgen.tools.model_new.device import untouched
from tests.model_new.classes import CHEATS, HEAD, HONEST
from tests.model_new.conftest import Record


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_class_computes_nothing_itself(record: Record, call: Call, name: str) -> None:
    found = record(HEAD + HONEST[name])
    assert found.raised is None and [c.what for c in found.computed] == []
    assert untouched(call, found) is None and len(found.returned) == 1


@pytest.mark.parametrize("name", CHEATS)
def test_a_class_that_computes_elsewhere_is_told(record: Record, call: Call, name: str) -> None:
    found = record(HEAD + CHEATS[name])
    assert found.computed or untouched(call, found) is not None, found


def test_there_are_many_of_both() -> None:
    assert len(HONEST) >= 15 and len(CHEATS) >= 25
