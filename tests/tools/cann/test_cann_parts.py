"""CANN's command lines and parsers, without CANN.

The samples below were written after the vendor's documentation ("op_summary (Operator Details)", "aclError");
they were not recorded on a device.
"""

from pathlib import Path

import pytest

from akgen.knowledge.chip import chip
from akgen.tools.cann import msprof, msprof_op, runtime_errors
from akgen.tools.cann.project import interface_json, snake, with_build_hash
from akgen.tools.core.dtypes import DType
from akgen.tools.core.op_spec import AttrSpec, OpSpec, ParamSpec
from akgen.tools.core.outcome import InfraError, Outcome
from akgen.tools.core.profile import Profile
from akgen.tools.core.project import KernelProject

SPEC = OpSpec(
    op_type="AddCustom",
    inputs=(ParamSpec(name="x", dtypes=(DType.FLOAT16, DType.BFLOAT16)),),
    outputs=(ParamSpec(name="y", dtypes=(DType.FLOAT16, DType.BFLOAT16)),),
    attrs=(AttrSpec(name="eps", type="float", default=1e-6),),
)
PROJECT = KernelProject(
    op_type="AddCustom",
    kernel="add_custom",
    files={
        "op_host/add_custom.cpp": '#include "add_custom_tiling.h"\nOP_ADD(AddCustom);',
        "op_host/add_custom_tiling.h": "REGISTER_TILING_DATA_CLASS(AddCustom, AddCustomTilingData)",
        "op_kernel/add_custom.cpp": "void add_custom() { KernelAddCustom op; }",
    },
)
# A sample after the documentation: two launches of our kernel, one of a library operator.
SUMMARY = (
    "Op Name,OP Type,Task Type,Task Duration(us),Task Wait Time(us),Block Dim,"
    "aiv_vec_time(us),aiv_scalar_time(us),aiv_mte2_time(us),aiv_mte3_time(us)\n"
    "a,AddCustomH1,AI_VECTOR_CORE,12.5,0.0,48,2.0,1.0,9.0,4.0\n"
    "b,MatMulV3,AI_CORE,99.0,0.0,24,N/A,N/A,N/A,N/A\n"
    "c,AddCustomH1,AI_VECTOR_CORE,10.5,0.0,48,2.0,1.0,8.0,4.0\n"
)


def test_the_operator_name_carries_the_build_hash_everywhere() -> None:
    renamed = with_build_hash(PROJECT, SPEC)
    tag = "H" + PROJECT.digest[:8]
    assert renamed.spec.op_type == f"AddCustom{tag}"
    entry = renamed.project.kernel
    assert entry == snake(f"AddCustom{tag}")
    assert f"void {entry}()" in renamed.project.files[f"op_kernel/{entry}.cpp"]
    assert f'"{entry}_tiling.h"' in renamed.project.files[f"op_host/{entry}.cpp"]
    assert f"REGISTER_TILING_DATA_CLASS(AddCustom{tag}," in renamed.project.files[f"op_host/{entry}_tiling.h"]
    assert "KernelAddCustom" in renamed.project.files[f"op_kernel/{entry}.cpp"]  # only whole words change


def test_two_versions_of_a_project_never_share_a_name() -> None:
    other = PROJECT.model_copy(update={"files": {**PROJECT.files, "op_kernel/add_custom.cpp": "// other"}})
    assert with_build_hash(PROJECT, SPEC).spec.op_type != with_build_hash(other, SPEC).spec.op_type


def test_the_interface_file_lists_types_under_msopgens_names() -> None:
    text = interface_json(SPEC)
    assert '"bf16"' in text
    assert '"float16"' in text
    assert '"default_value": 1e-06' in text


@pytest.mark.parametrize(
    ("name", "file"), [("AddCustom", "add_custom"), ("RmsNorm", "rms_norm"), ("GeGluV2", "ge_glu_v2")]
)
def test_file_names_follow_msopgen(name: str, file: str) -> None:
    assert snake(name) == file


def test_the_median_launch_of_our_kernel_is_the_measurement(tmp_path: Path) -> None:
    path = tmp_path / "op_summary_1.csv"
    path.write_text(SUMMARY)
    found = msprof.rows(tmp_path)
    profile = msprof.profile(found, "AddCustomH1", chip(), "cann 8 (Ascend910B2)", (10_000_000, 5_000_000))
    assert profile.time_us == 12.5
    assert profile.cores == 48
    assert profile.time_source == "measured"
    assert profile.bound == "memory"
    assert {p.pipe: p.busy_us for p in profile.pipes}["MTE2"] == 9.0
    assert profile.roofline_share == pytest.approx(15e6 / chip().reached_bytes_per_us / 12.5)


def test_a_foreign_kernel_in_the_window_is_named(tmp_path: Path) -> None:
    path = tmp_path / "op_summary_1.csv"
    path.write_text(SUMMARY)
    (finding,) = msprof.foreign_tasks(msprof.rows(path), "AddCustomH1")
    assert finding.code == "FOREIGN_KERNEL"
    assert "MatMulV3" in finding.text


def test_a_summary_without_our_kernel_is_the_machines_fault(tmp_path: Path) -> None:
    path = tmp_path / "op_summary_1.csv"
    path.write_text(SUMMARY)
    with pytest.raises(InfraError, match="Other"):
        msprof.profile(msprof.rows(path), "Other", chip(), "cann", (1, 1))


@pytest.mark.parametrize(
    ("text", "outcome", "code"),
    [
        ("aclrtSynchronizeStream failed, error code is 507015", Outcome.TRAP, "DEVICE_EXCEPTION"),
        ("vector core exception, retCode=507035", Outcome.TRAP, "DEVICE_EXCEPTION"),
        ("error code 507014: aicore timeout", Outcome.TIMEOUT, "TIMEOUT"),
    ],
)
def test_a_kernels_fault_is_an_outcome(text: str, outcome: Outcome, code: str) -> None:
    found, why = runtime_errors.classify(text)
    assert (found, why.code) == (outcome, code)


@pytest.mark.parametrize(
    "text",
    ["error 507899 driver", "code 207001", "507010 and then 507015 on the same device", "no code at all"],
)
def test_a_machines_fault_is_never_scored(text: str) -> None:
    with pytest.raises(InfraError):
        runtime_errors.classify(text)


# Written after the vendor's pages of `msprof op`: a vector kernel on two cores, each file with a time stamp.
OPERATOR_FILES = {
    "OpBasicInfo": "Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,Device Id,Pid,Current Freq,Rated Freq\n"
    "AddCustomH1_1e04ee05_1,vector,{duration},2,N/A,0,77,1650,1850\n",
    "PipeUtilization": "block_id,sub_block_id,aic_time(us),aiv_time(us),aiv_vec_time(us),aiv_mte2_time(us)\n"
    "0,vector0,NA,10.0,2.0,6.0\n1,vector0,NA,8.0,4.0,{mte2}\n",
    "Memory": "block_id,sub_block_id,aiv_mte2_instructions,GM_to_UB_datas(KB),UB_to_GM_datas(KB)\n"
    "0,vector0,5,64.0,32.0\n1,vector0,3,64.0,32.0\n",
    "ResourceConflictRatio": "block_id,sub_block_id,aiv_mte2_wait_ratio,aiv_vec_bank_cflt_ratio\n"
    "0,vector0,0.2,0.5\n1,vector0,0.4,0.1\n",
}


def _operator_launch(folder: Path, name: str, *, duration: str = "12.0", mte2: str = "8.0") -> None:
    (folder / name).mkdir(parents=True)
    for table, text in OPERATOR_FILES.items():
        filled = text.replace("{duration}", duration).replace("{mte2}", mte2)
        (folder / name / f"{table}_20250101000000.csv").write_text(filled)


def _summary_profile(folder: Path) -> Profile:
    (folder / "op_summary_1.csv").write_text(SUMMARY)
    return msprof.profile(msprof.rows(folder), "AddCustomH1", chip(), "cann", (1, 1))


def test_cores_of_the_median_launch_are_counted(tmp_path: Path) -> None:
    for i, duration in enumerate(("99.0", "12.0", "11.0")):
        _operator_launch(tmp_path / "op", str(i), duration=duration)
    found = msprof_op.launches(tmp_path / "op")
    assert [one.duration_us for one in msprof_op.ours(found, "AddCustomH1")] == [11.0, 12.0, 99.0]
    counted = msprof_op.with_cores(_summary_profile(tmp_path), found, "AddCustomH1")
    pipes = {p.pipe: p for p in counted.pipes}
    assert counted.time_us == 12.5 and pipes["V"].busy_us == 3.0
    assert (pipes["MTE2"].busy_us, pipes["MTE2"].instructions) == (7.0, 8)
    assert pipes["MTE2"].stalled_us == pytest.approx(0.3 * 12.5)
    assert (counted.gm_read_bytes, counted.gm_write_bytes) == (128 << 10, 64 << 10)
    assert counted.core_imbalance == pytest.approx(10 / 9)
    assert counted.counters is not None and counted.counters.bank_conflict_share == pytest.approx(0.3)
    assert counted.counters.l2_hit_share is None  # its file is not there


def test_another_kernel_is_not_taken_for_ours(tmp_path: Path) -> None:
    _operator_launch(tmp_path / "op", "0")
    with pytest.raises(InfraError, match="saw no launch of AddCustomH2; it saw AddCustomH1_1e04ee05_1"):
        msprof_op.with_cores(_summary_profile(tmp_path), msprof_op.launches(tmp_path / "op"), "AddCustomH2")


@pytest.mark.parametrize("number", ["nan", "-1", "1e999", "12 us"])
def test_a_number_of_msprof_op_that_is_none_is_refused(number: str, tmp_path: Path) -> None:
    _operator_launch(tmp_path / "op", "0", mte2=number)
    found = msprof_op.launches(tmp_path / "op")
    with pytest.raises(InfraError, match="Profile once more"):
        msprof_op.with_cores(_summary_profile(tmp_path), found, "AddCustomH1")


def test_a_link_in_the_place_of_a_csv_file_is_not_followed(tmp_path: Path) -> None:
    _operator_launch(tmp_path / "op", "0")
    name = "OpBasicInfo_20250101000000.csv"
    (tmp_path / "op" / "0" / name).rename(tmp_path / name)
    (tmp_path / "op" / "0" / name).symlink_to(tmp_path / name)
    with pytest.raises(InfraError, match="cannot be read"):
        msprof_op.launches(tmp_path / "op")
