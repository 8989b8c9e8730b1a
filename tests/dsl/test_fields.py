"""Fields of programs take expressions and statements as they are, and nothing else."""

import pytest
from pydantic import ValidationError

from akgen.tools.dsl.expr import ONE, Name, binary
from akgen.tools.dsl.ir import Assign, Block, Op, SyncAll, TileRef


def test_a_field_holds_the_very_expression_that_it_is_given() -> None:
    value = binary("+", Name(id="x"), ONE)
    assert Assign(name="y", value=value).value is value
    assert value.left == Name(id="x")


@pytest.mark.parametrize("other", [{"value": 1}, 1, "x", SyncAll(), TileRef(tile="t"), None])
def test_what_is_no_expression_is_refused(other: object) -> None:
    with pytest.raises(ValidationError, match="instance of"):
        Assign.model_validate({"name": "y", "value": other})


def test_operands_are_tiles_or_expressions_and_a_block_holds_statements() -> None:
    op = Op(name="add", dst="t", args=(TileRef(tile="t"), ONE))
    assert Block(stage="compute", body=(op,)).body == (op,)
    with pytest.raises(ValidationError, match="instance of"):
        Op.model_validate({"name": "add", "dst": "t", "args": (SyncAll(),)})
    with pytest.raises(ValidationError, match="instance of"):
        Block.model_validate({"stage": "compute", "body": (ONE,)})
