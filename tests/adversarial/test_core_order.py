"""Kernels that are right in the one order in which a simulator might run the cores."""

from collections.abc import Callable
from typing import Any

import pytest

from akgen.tools.core.outcome import Outcome
from akgen.tools.core.verdict import Verdict

SCALAR = "to[i] = ((__gm__ float *)x)[i] * 2.0f + 0.5f;"
ORDERED = {
    "a core goes on where the one before it has been": (
        Outcome.TRAP,
        "GM_RACE",
        "static uint32_t came[64 * 16];",
        "const uint32_t me = GetBlockIdx(); came[me * 16] = t.total;"
        " if (me > 0 && came[(me - 1) * 16] != t.total) { return; }",
    ),
    "the last of several writes wins": (
        Outcome.WRONG,
        "CORE_ORDER",
        "",
        "__gm__ float *to = (__gm__ float *)y; const bool last = GetBlockIdx() + 1 == GetBlockNum();"
        f" for (uint32_t i = 0; i < t.total; ++i) {{ if (last) {{ {SCALAR} }} else {{ to[i] = 1.0f; }} }} return;",
    ),
}


@pytest.mark.parametrize("kind", ORDERED)
def test_what_is_right_in_one_order_alone(
    court: Any, codes: Callable[[Verdict], set[str]], kind: str
) -> None:
    outcome, code, top, entry = ORDERED[kind]
    verdict = court.kernel(top=top, entry=entry, trials=2)
    assert verdict.outcome == outcome and code in codes(verdict)
