"""Chip facts are complete and reach the twin's programs."""

import pytest

from akgen.knowledge import chip as facts


@pytest.mark.parametrize("name", sorted(facts.chips()))
def test_a_chip_has_two_vector_cores_for_each_cube_core(name: str) -> None:
    chip = facts.chip(name)
    assert chip.core_aiv == 2 * chip.core_aic
    assert chip.ub_size % 32 == 0


def test_an_unknown_chip_is_named_with_those_known() -> None:
    with pytest.raises(KeyError, match="Ascend910B2"):
        facts.chip("Ascend910Z")


def test_the_launcher_text_carries_sizes_constants_and_rates() -> None:
    lines = facts.launcher_text(facts.chip()).splitlines()
    table = dict(line.split("\t", 1) for line in lines if not line.startswith("vec\t"))
    assert table["ub_size"] == "196608"
    assert float(table["gm_read_latency_cycles"]) > 0
    assert any(line.startswith("vec\tAdd\tfloat\t64\t") for line in lines)


def test_throughput_never_exceeds_one_register_per_cycle() -> None:
    width = {"float": 64, "half": 128, "int32_t": 64, "int16_t": 128}
    assert {dtype for _, dtype in facts.vector_rates()} >= width.keys()
    for (api, dtype), rate in facts.vector_rates().items():
        if dtype in width:
            assert 0 < rate.elements_per_cycle <= width[dtype], api
