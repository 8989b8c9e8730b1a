"""What host code calls its parameters becomes fields of manifests, so it holds no tab and no line end."""

import pytest
from pydantic import ValidationError

from akgen.tools.twin.host.host_info import HostAttr, OpDefParam

PARAM = {
    "name": "x", "kind": "required", "dtypes": ("DT_FLOAT",), "formats": ("ND",), "each_type": False, "follows": "",
    "scalar": "", "value_depend": False, "init_values": (), "shape_depends_on_compute": False,
}  # fmt: skip


@pytest.mark.parametrize("field", ["name", "dtypes", "formats", "follows"])
@pytest.mark.parametrize("word", ["x\nreport\t/tmp/mine", "x\tin", "x\0", "x" * 300])
def test_a_parameter_cannot_write_lines_into_a_manifest(field: str, word: str) -> None:
    assert OpDefParam.model_validate(PARAM).name == "x"
    with pytest.raises(ValidationError):
        OpDefParam.model_validate(
            {**PARAM, field: (word,) if field.endswith("s") and field != "follows" else word}
        )


def test_an_attribute_cannot_either() -> None:
    with pytest.raises(ValidationError):
        HostAttr(name="a\nsave\t0", type="int", required=True, default=None)
