"""Plain C++ on the scalar unit, as people write it: it runs, gives what C++ says, and is not accused of anything.

`scalar_code.json` has for each piece what stands before the kernel and how `o`, which becomes out[i], follows from
v = in[i] and i, for i from 0 to 63.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.sampled import sampled

CODE = json.loads(Path(__file__).with_name("scalar_code.json").read_text())
BODY = """
    for (uint32_t i = 0; i < 64; ++i) {
        float v = in.GetValue(i), o = 0;
        %s
        out.SetValue(i, o);
    }
"""


@pytest.mark.parametrize("name", sampled(CODE, 3))
def test_plain_code_runs_and_is_not_accused(probe, numbers, name):
    before, code = CODE[name]
    ran = probe(BODY % code, numbers(64), np.zeros(64, np.float32), before=before)
    assert ran.codes == []
    assert ran.launch.outcome is None
    assert np.isfinite(ran.y).all()
    assert ran.launch.operations > 64
