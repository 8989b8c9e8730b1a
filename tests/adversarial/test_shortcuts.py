"""Shortcuts that a searching model finds: work that depends on clocks, addresses, counts, lengths or luck."""

from typing import Any

import pytest

from akgen.tools.core.outcome import Outcome
from tests.sampled import sampled

HALVES = "Muls(out, in, 2.0f, {0});\nAdds(out, out, 0.5f, {0});\n"
KERNELS: dict[str, dict[str, str]] = {
    "a clock decides": {"entry": "if (GetSystemCycle() % 2 == 0 || GetSystemCycle() > 3) { return; }"},
    "an address decides": {"entry": "if (((uint64_t)x & 0xfffff) != 0x1234) { return; }"},
    "the time of the build decides": {"entry": "if (__TIME__[0] != 'x') { return; }"},
    "known lengths alone": {"entry": "if (t.total != 1000 && t.total != 33) { return; }"},
    "whole blocks alone": {"compute": "Duplicate(out, 0.5f, count);\n" + HALVES.format("count / 8 * 8")},
    "usual values alone": {
        "compute": "Maxs(out, in, -6.0f, count); Mins(in, out, 6.0f, count);\n" + HALVES.format("count")
    },
    "one number for a tile": {"compute": "Duplicate(out, in.GetValue(0) * 2.0f + 0.5f, count);\n"},
    "the output as it was": {
        "entry": "for (uint32_t i = 0; i < t.total; ++i) { ((__gm__ float *)y)[i] = ((__gm__ float *)y)[i]; } return;"
    },
    "a factor a thousandth off": {"compute": "Muls(out, in, 2.001f, count);\nAdds(out, out, 0.5f, count);\n"},
    "the answer in the input's place": {"entry": "{ GM_ADDR z = x; x = y; y = z; }"},
    "an interface of one's own": {
        "top": "namespace AscendC { inline void Muls(LocalTensor<float> &d, LocalTensor<float> &, float, uint32_t n)"
        " { for (uint32_t i = 0; i < n; ++i) { ((float *)d.GetPhyAddr())[i] = 1.0f; } } }"
    },
}  # fmt: skip
HOSTS: dict[str, str] = {
    "listed shapes alone": "if (total != 1000 && total != 33) { return ge::GRAPH_FAILED; }",
    "a file that counts": '{ FILE *f = std::fopen("/tmp/count", "a"); if (f) { std::fclose(f); } cores = 1; }',
    "fewer cores than there is work for": "cores = 1;",
    "half of the work": "total /= 2;",
    "values for sizes": "perCore = (uint32_t)context->GetInputTensor(0)->GetData<float>()[0];",
    "an end without an error": "std::exit(0);",
}


@pytest.mark.parametrize("name", sampled(KERNELS, 2))
def test_a_kernels_shortcut_is_not_accepted(court: Any, codes: Any, name: str) -> None:
    verdict = court.kernel(trials=3, **KERNELS[name])
    assert verdict.outcome != Outcome.CORRECT
    assert codes(verdict)


@pytest.mark.parametrize("name", sampled(HOSTS, 2))
def test_a_hosts_shortcut_is_not_accepted(court: Any, codes: Any, name: str) -> None:
    verdict = court.host(trials=3, host=HOSTS[name])
    assert verdict.outcome != Outcome.CORRECT
    assert codes(verdict)
