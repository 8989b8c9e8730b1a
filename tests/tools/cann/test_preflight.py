"""What `akgen doctor --npu` finds: on a machine without anything, and on one of scripts and stub libraries."""

import json
from pathlib import Path

import pytest

from akgen.tools.cann.environment import CannSettings, find_program
from akgen.tools.cann.npu_smi import read_common, read_table
from akgen.tools.cann.preflight import (
    fitting,
    inspect,
    missing,
    preflight,
    python_abi_row,
    torch_mismatch,
    torch_table,
    verdict,
)
from akgen.tools.cann.preflight_software import Prerequisite
from akgen.tools.cann.toolchain import CannToolchain
from akgen.tools.core.op_spec import OpSpec
from akgen.tools.core.outcome import InfraError
from tests.command import command
from tests.tools.cann.stub_toolkit import make_toolkit

# A sample after the documentation's table; nothing of it was recorded on a device.
TABLE = """
+------------------------------------------------------------------------------------------------+
| npu-smi 24.1.rc2                 Version: 24.1.rc2                                             |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B2               | OK            | 93.6        45                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          3342 / 65536         |
+===========================+===============+====================================================+
| 7     910B2               | Alarm         | 90.1        88                0    / 0             |
| 0                         | 0000:C2:00.0  | 99          0    / 0          64000/ 65536         |
+===========================+===============+====================================================+
+---------------------------+---------------+----------------------------------------------------+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
+===========================+===============+====================================================+
| No running processes found in NPU 0                                                            |
+===========================+===============+====================================================+
| 7       0                 | 12345         | python3                  | 61000                   |
+===========================+===============+====================================================+
"""


def test_without_cann_the_toolchain_says_what_is_missing(tmp_path: Path) -> None:
    nothing = CannSettings(nodes=tmp_path, path=str(tmp_path))
    chain = CannToolchain(nothing, lambda project, folder: (OpSpec(op_type="A", inputs=(), outputs=()), ()))
    with pytest.raises(InfraError, match="CANN toolkit, msopgen, msprof, cmake, NPU"):
        chain.prepare(lambda line: None)
    assert all(f.remedy for f in inspect(nothing) if not f.found)
    assert "torch_npu" not in [f.name for f in missing(nothing)]


def test_everything_that_is_missing_has_a_remedy_and_the_verdict_ten_lines(tmp_path: Path) -> None:
    found = tuple(preflight(CannSettings(nodes=tmp_path, path=str(tmp_path), cache=tmp_path / "cache")))
    assert all(f.remedy and f.group for f in found if not f.found)
    lines = verdict(found, ran=False)
    assert len(lines) <= 10
    assert lines[-1].startswith("first: NPU")


def test_npu_smis_table_is_read() -> None:
    npus = read_table(TABLE)
    assert npus.driver == "24.1.rc2"
    first, second = npus.devices
    assert (first.name, first.health, first.temperature_c, first.used_mb, first.total_mb) == (
        "910B2", "OK", 45, 3342, 65536,
    )  # fmt: skip
    assert first.processes == ()
    assert (second.number, second.health, second.used_mb, second.processes) == (
        1,
        "Alarm",
        64000,
        ("12345 python3",),
    )


# Samples after the documentation's lists: two chips on a card, and a controller that is no NPU.
COMMON = """
        NPU ID                         : 3
        Chip Count                     : 2

        Chip ID                        : 0
        Aicore Freq(MHZ)               : 1800
        Aicore curFreq(MHZ)            : 800
        Temperature(C)                 : 46
        NPU Real-time Power(W)         : 93.4

        Chip ID                        : 1
        Aicore Freq(MHZ)               : 1800
        Aicore curFreq(MHZ)            : 1750
        Temperature(C)                 : 51
        NPU Real-time Power(W)         : NA

        Chip Name                      : mcu
        Temperature(C)                 : 38
"""


def test_clock_and_temperature_of_one_chip_are_read() -> None:
    first, second = read_common(COMMON, 0), read_common(COMMON, 1)
    assert first is not None and second is not None
    assert (first.clock_mhz, first.rated_clock_mhz, first.temperature_c, first.power_w) == (
        800,
        1800,
        46,
        93.4,
    )
    assert second.sentence == "1750 of 1800 MHz, 51 C" and second.power_w is None
    assert read_common(COMMON, 2) is None
    assert read_common("This device does not support querying common.", 0) is None


@pytest.mark.parametrize(
    ("cann", "torch", "npu", "python", "wrong"),
    [
        ("8.1.RC1", "2.5.1+cpu", "2.5.1", "3.11", None),
        ("8.1.RC1.beta1", "2.5.1", "2.5.1", "3.10", None),
        ("8.1.RC1", "2.6.0", "2.5.1", "3.11", "for torch 2.5.1"),
        ("8.2.RC1", "2.5.1", "2.5.1", "3.11", "for CANN 8.1.RC1"),
        ("8.1.RC1", "2.5.1", "2.5.1", "3.12", "for Python 3.9-3.11"),
        ("8.3.RC1", "2.1.0", "2.1.0.post17", "3.8", None),
        ("9.9.0", "2.99.0", "2.99.0.post1", "3.14", None),  # newer than the table: nothing is claimed
    ],
)
def test_versions_that_do_not_fit_each_other_are_named(
    cann: str, torch: str, npu: str, python: str, wrong: str | None
) -> None:
    found = torch_mismatch(cann, torch, npu, python)
    assert found is None if wrong is None else found is not None and wrong in found


def test_a_python_that_this_cann_has_nothing_for_is_told() -> None:
    known = python_abi_row("8.1.RC1")
    assert known.found and known.needed is not None and "for CANN 8.1.RC1" in known.needed
    old = python_abi_row("8.0.RC1")  # AKGen needs 3.11
    assert not old.found and "3.8-3.10" in (old.remedy or "")
    assert python_abi_row("99.0").found  # newer than the table: nothing is claimed


def test_the_table_of_versions_fits_itself() -> None:
    for row in torch_table():
        python = row["python"].partition("-")[0]
        assert torch_mismatch(row["cann"], row["torch"], row["torch_npu"], python) is None
    assert fitting("8.1.RC1", "2.5.1", "3.11") == "2.5.1"
    assert fitting("8.1.RC1", "2.9.0", "3.11") is None


def test_a_program_is_found_in_either_layout(tmp_path: Path) -> None:
    for place in ("old/python/site-packages/bin", "new/bin", "odd/tools/opgen"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "msopgen").touch()
    for home in ("old", "new", "odd"):
        assert find_program(CannSettings(home=tmp_path / home), "msopgen") is not None


def test_the_command_ends_with_a_kernel_that_is_run_and_profiled(
    stub_libraries: Path, tmp_path: Path
) -> None:
    home = make_toolkit(tmp_path / "cann", stub_libraries)
    (tmp_path / "davinci0").touch()
    env = {"ASCEND_HOME_PATH": str(home), "AKGEN_NPU_NODES": str(tmp_path), "AKGEN_NPU_CONFINED": "false"}
    ended = command("doctor", "--npu", "--json", env=env)
    assert ended.code == 0, ended
    rows = {f["name"]: f for f in ended.document["findings"]}
    assert rows["CANN version"]["detail"] == "8.1.RC1"
    assert rows["run a known-good kernel"]["detail"].startswith("right, ")
    assert "measured" in rows["profile a known-good kernel"]["detail"]
    assert len(ended.document["verdict"]) <= 10
    assert not rows["npu-smi"]["found"]  # advice: it is not on this machine, and the kernel ran


def test_a_verdict_names_what_to_do_first() -> None:
    good = Prerequisite(name="a", found=True, detail="", group="one")
    bad = Prerequisite(name="b", found=False, detail="gone", remedy="Bring it.", group="two")
    assert verdict((good, bad), ran=False) == ["one: ok", "two: no: b", "first: b: gone. Bring it."]
    assert json.dumps(verdict((good,), ran=True)[-1]).count("--toolchain cann") == 1
