"""A read behind a tensor is told at its line, with the tensor that it runs out of, however far it goes."""

from typing import Any

import numpy as np
import pytest

from tests.sampled import sampled

X = np.ones(74, np.float32)  # 296 bytes: nine blocks of 32 and eight bytes
BYTES = X.nbytes
BUFFER = "TBuf<> buf; pipe.InitBuffer(buf, 131072); LocalTensor<uint8_t> u = buf.Get<uint8_t>();\n"
BUFFER += "GlobalTensor<uint8_t> g; g.SetGlobalBuffer((__gm__ uint8_t *)x);\n"
# {end}: the first byte that is not read; {blocks}: blocks of 32 that reach there, at least one too many.
READS = {
    "a row": "DataCopyPad(u, g, {{1, {end}, 0, 0, 0}}, {{false, 0, 0, 0}}); // HERE",
    "its end": "DataCopyPad(u, g[200], {{1, {end} - 200, 0, 0, 0}}, {{false, 0, 0, 0}}); // HERE",
    "two rows": "DataCopyPad(u, g, {{2, {end} - 100, 0, 0, 0}}, {{false, 0, 0, 0}}); // HERE",
    "blocks by count": "DataCopy(u, g, {blocks} * 32); // HERE",
    "blocks by parameters": "DataCopy(u, g, {{1, {blocks}, 0, 0}}); // HERE",
    "blocks with gaps": "DataCopy(u, g, {{2, 1, {blocks} - 2, 0}}); // HERE",
    "an element": "u.SetValue(0, g.GetValue({end} - 1)); // HERE",
    "a pointer": "u.SetValue(0, ((volatile __gm__ uint8_t *)x)[{end} - 1]); // HERE",
    "a wide pointer": "u.SetValue(0, *(volatile uint64_t *)(x + {end} - 8)); // HERE",
    "a loop": "uint8_t s = 0;\nfor (int i = {end} - 4; i < {end}; ++i) {{\ns += x[i]; // HERE\n}}\nu.SetValue(0, s);",
}  # fmt: skip


@pytest.mark.parametrize("over", sampled([1, 31, 4096, 65536], 4))
@pytest.mark.parametrize("read", READS)
def test_a_read_behind_a_tensor_is_told(probe: Any, read: str, over: int) -> None:
    end = BYTES + over
    body = BUFFER + READS[read].format(end=end, blocks=max((end + 31) // 32, 11))
    ran = probe(body, X, X)
    found = ran.one("GM_OVERRUN")
    assert "'input_0', which has 296 bytes" in found.text
    assert "// HERE" in ran.source.splitlines()[found.line - 1]
    assert found.severity == "error" or end <= 512
