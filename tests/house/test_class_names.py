"""A class name means one thing in the whole house."""

from tests.house.metrics import HERE, class_names_used_twice

# The field's own word in both places; whoever adds one says why here.
TWICE = {
    "Choice",  # the DSL's conditional expression; a wish about planner and coder in a conversation
    "Launch",  # a launch that ended; the DSL's statement that launches
}


def test_class_names_are_not_used_twice() -> None:
    found = class_names_used_twice(HERE)
    assert {name: places for name, places in found.items() if name not in TWICE} == {}
    assert len(TWICE) <= 5
