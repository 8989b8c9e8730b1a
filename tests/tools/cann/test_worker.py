"""What arrives at an operator's generated entry, and how the worker's end is judged: on stub libraries."""

import sys
from pathlib import Path

import numpy as np
import pytest

from akgen.tools.cann.arguments import slots
from akgen.tools.cann.outcome import outcome_of, outputs
from akgen.tools.cann.runtime_errors import DeviceFault, judged
from akgen.tools.cann.sealed import said_once
from akgen.tools.cann.timing import Series
from akgen.tools.cann.worker import RunnerRequest
from akgen.tools.core.call import Attr, Call, OutputMeta, Poison, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.op_spec import AttrSpec, OpSpec, ParamSpec
from akgen.tools.core.outcome import Diagnostic, InfraError, InputError, Outcome
from akgen.tools.process.program import Finished, run

BYTES = (DType.UINT8,)
SPEC = OpSpec(
    op_type="Everything",
    inputs=(
        ParamSpec(name="x", dtypes=BYTES, formats=("NCHW",)),
        ParamSpec(name="bias", kind="optional", dtypes=BYTES),
        ParamSpec(name="shape", dtypes=(DType.INT64,), value_depend=True),
        ParamSpec(name="parts", kind="dynamic", dtypes=BYTES),
        ParamSpec(name="state", dtypes=BYTES),
        ParamSpec(name="last", kind="optional", dtypes=BYTES),
    ),
    outputs=(
        ParamSpec(name="own", dtypes=BYTES),
        ParamSpec(name="state", dtypes=BYTES),
        ParamSpec(name="zeros", dtypes=BYTES),
        ParamSpec(name="out", dtypes=BYTES),
    ),
    attrs=(
        AttrSpec(name="eps", type="float"),
        AttrSpec(name="axis", type="int", default=-1),
        AttrSpec(name="keep", type="bool"),
        AttrSpec(name="mode", type="str", default="mean"),
        AttrSpec(name="dims", type="list_int"),
        AttrSpec(name="scales", type="list_float"),
        AttrSpec(name="mask", type="list_bool"),
    ),
)
POISON = Poison(seed=3)


def _call(folder: Path) -> Call:
    def tensor(name: str, array: np.ndarray, dtype: DType = DType.UINT8) -> TensorFile:
        array.tofile(folder / name)
        return TensorFile(dtype=dtype, shape=array.shape, path=folder / name)

    small = np.arange(24, dtype=np.uint8).reshape(2, 3, 4, 1)
    of = TensorMeta(dtype=DType.UINT8, shape=(2, 3, 4, 1))
    return Call(
        inputs=(
            tensor("x", small),
            None,
            tensor("shape", np.array([7, 11], dtype=np.int64), DType.INT64),
            (tensor("p0", small), tensor("p1", small)),
            tensor("state", small),  # and the last input is left out
        ),
        attrs=(  # not in the definition's order; `epsilon` is the caller's name for the first
            Attr(name="epsilon", value=1e-12),
            Attr(name="mask", value=(True, False)),
            Attr(name="scales", value=(0.5, 2.0)),
            Attr(name="dims", value=(3, 1)),
            Attr(name="keep", value=True),
        ),
        outputs=(
            OutputMeta(meta=of, aliases=0),
            OutputMeta(meta=of),
            OutputMeta(meta=of, zeroed=True),
            OutputMeta(meta=TensorMeta(dtype=DType.UINT8, shape=(2048,))),
        ),
    )


def _run(
    folder: Path, stubs: Path, timed: bool = False, timeout_s: float = 20, **env: str
) -> tuple[Call, Finished]:
    call = _call(folder)
    request = RunnerRequest(
        call=call, spec=SPEC, library=stubs / "libcust_opapi.so", folder=folder, device=0, timeout_s=timeout_s,
        timed=timed, poison=POISON,
    )  # fmt: skip
    path = folder / "request.json"
    path.write_text(request.model_dump_json())
    argv = [sys.executable, "-m", "akgen.tools.cann.worker", path]
    library = {"LD_LIBRARY_PATH": str(stubs), "PATH": "/usr/bin:/bin", **env}
    return call, run(argv, cwd=folder, timeout_s=60, env=library)


def _failed(done: Finished, folder: Path, probe: str | None = None) -> tuple[Outcome, Diagnostic]:
    found = outcome_of(done, folder, 20, lambda: probe)
    assert found is not None
    return found


def test_every_argument_arrives_as_the_definition_says(tmp_path: Path, stub_libraries: Path) -> None:
    call, done = _run(tmp_path, stub_libraries, timed=True)
    assert outcome_of(done, tmp_path, 20, lambda: None) is None, done.err
    found, overrun = outputs(call, tmp_path, POISON, tmp_path, done.out)
    assert overrun is None
    told = found[3].path.read_bytes().rstrip(b"\0").decode()  # type: ignore[union-attr]
    words = dict(w.split("=", 1) for w in told.split(";") if w)
    assert words["x"] == "2x3x4x1x4/0"  # uint8, and NCHW as the definition says
    assert (words["bias"], words["last"]) == ("null", "null")
    assert words["shape"].split() == ["7", "11"]  # values, not memory of the device
    assert words["parts"] == "2"
    assert float(words["eps"]) == 1e-12  # a float32 would not hold it so
    assert (words["axis"], words["keep"], words["mode"]) == ("-1", "1", "mean")
    assert (words["dims"].split(), words["scales"].split(), words["mask"].split()) == (
        ["3", "1"], ["0.5", "2"], ["1", "0"],
    )  # fmt: skip
    assert words["own_is_x"] == "1"  # an output with a place of its own, on the input's memory
    assert words["zero"] == "0"
    assert found[1].path.read_bytes()[0] == 42  # type: ignore[union-attr]  # the output that has an input's name
    assert found[2].path.read_bytes() == bytes(24)  # type: ignore[union-attr]  # zeroed, and nobody wrote it
    assert found[0].path.read_bytes() == bytes(range(24))  # type: ignore[union-attr]
    series = Series.model_validate_json(said_once("times", done.out) or "")
    assert len(series.launched_us) == len(series.empty_us) > 8
    assert series.low_us <= series.time_us <= series.high_us or series.time_us == 0.01


def test_a_long_launch_is_its_own_measurement(tmp_path: Path, stub_libraries: Path) -> None:
    """Twenty of them would take longer than the time limit, and the kernel is not too slow for it."""
    _, done = _run(tmp_path, stub_libraries, timed=True, timeout_s=2, AKGEN_STUB_SLEEP_MS="200")
    assert outcome_of(done, tmp_path, 2, lambda: None) is None, done.err
    series = Series.model_validate_json(said_once("times", done.out) or "")
    assert len(series.launched_us) == 1 and series.time_us >= 200_000


def test_a_write_after_an_output_is_found(tmp_path: Path, stub_libraries: Path) -> None:
    call, done = _run(tmp_path, stub_libraries, AKGEN_STUB_BEYOND="40")
    assert done.ok
    _, overrun = outputs(call, tmp_path, POISON, tmp_path, done.out)
    assert overrun is not None and overrun.code == "GM_OVERRUN"
    assert "40 bytes after its end of output 3" in overrun.text


@pytest.mark.parametrize(("tiling", "code"), [("561002", "TILING_REFUSED"), ("crash", "HOST_CRASH")])
def test_what_tiling_does_is_the_candidates(
    tmp_path: Path, stub_libraries: Path, tiling: str, code: str
) -> None:
    _, done = _run(tmp_path, stub_libraries, AKGEN_STUB_TILING=tiling)
    found = _failed(done, tmp_path)
    assert (found[0], found[1].code) == (Outcome.TILING_ERROR, code)


def test_tiling_that_never_ends_is_the_candidates_time(tmp_path: Path, stub_libraries: Path) -> None:
    _, done = _run(tmp_path, stub_libraries, AKGEN_STUB_TILING="hang", timeout_s=-4)
    outcome, why = _failed(done, tmp_path)
    assert outcome is Outcome.TIMEOUT
    assert "tiling" in why.text


def test_an_exception_on_the_device_is_a_trap_with_the_logs_words(
    tmp_path: Path, stub_libraries: Path
) -> None:
    log = tmp_path / "home" / "log" / "debug" / "plog"
    log.mkdir(parents=True)
    # A sample after the documentation's form of a line
    (log / "plog-7_20250101000000000.log").write_text(
        "[ERROR] GE(7,python3):2025-01-01-00:00:00.000.000 [a.cc:1]7 Run:a task failed\n"
        "[ERROR] RUNTIME(7,python3):2025-01-01-00:00:00.000.001 [d.cc:9]7 Proc:vector core exception, core id 3\n"
    )
    _, done = _run(tmp_path, stub_libraries, AKGEN_STUB_FAIL="aclrtSynchronizeStreamWithTimeout=507042")
    outcome, why = _failed(done, tmp_path)
    assert (outcome, why.code) == (Outcome.TRAP, "DEVICE_EXCEPTION")
    assert "507042" in why.text
    assert "core id 3" in why.text


@pytest.mark.parametrize(
    ("codes", "outcome", "name"),
    [
        ((507015, 507016, 507035, 507036, 507042, 507043, 507044, 507045, 507049, 507050), Outcome.TRAP,
         "DEVICE_EXCEPTION"),
        ((507014, 507034, 507046, 507047, 507048, 107020), Outcome.TIMEOUT, "TIMEOUT"),
        ((561002, 561003), Outcome.TILING_ERROR, "TILING_REFUSED"),
        ((161001, 161002, 561001), Outcome.TILING_ERROR, "DTYPE_COMBINATION"),
    ],
)  # fmt: skip
def test_a_candidates_fault_is_an_outcome(codes: tuple[int, ...], outcome: Outcome, name: str) -> None:
    for code in codes:
        found, why = judged(code)
        assert (found, why.code) == (outcome, name)
        assert why.remedy and str(code) in why.text


@pytest.mark.parametrize("code", [107001, 107999, 207001, 361001, 507010, 507053, 507054, 507899, 599999, 42])
def test_a_fault_of_the_machine_is_raised_with_a_remedy(code: int) -> None:
    with pytest.raises(InfraError) as raised:
        judged(code)
    assert raised.value.remedy
    assert isinstance(raised.value, DeviceFault) == (
        code > 500000
    )  # the device is looked at before it is used


@pytest.mark.parametrize("fail", ["aclrtSetDevice=507033", "aclrtSynchronizeStreamWithTimeout=507054"])
def test_a_fault_of_machine_or_device_is_no_outcome(tmp_path: Path, stub_libraries: Path, fail: str) -> None:
    _, done = _run(tmp_path, stub_libraries, AKGEN_STUB_FAIL=fail)
    with pytest.raises(InfraError) as raised:
        outcome_of(done, tmp_path, 20, lambda: "the device does not answer")
    assert raised.value.remedy


def test_a_runtime_that_is_not_there_is_the_machines_fault(tmp_path: Path, stub_libraries: Path) -> None:
    _, done = _run(tmp_path, stub_libraries, LD_LIBRARY_PATH="/nonexistent")
    with pytest.raises(InfraError, match="libascendcl"):
        outcome_of(done, tmp_path, 20, lambda: "no device")


def test_a_package_without_its_entry_is_the_candidates(tmp_path: Path, stub_libraries: Path) -> None:
    """Nor does an entry count that another library has: here a library that was loaded before it."""
    other = tmp_path / "libs"
    other.mkdir()
    for name in ("libascendcl.so", "libnnopbase.so"):
        (other / name).symlink_to(stub_libraries / name)
    empty = tmp_path / "empty.cpp"
    empty.write_text('extern "C" int aclnnEverythingGetWorkspaceSize(...);\nint used() { return '
                     "aclnnEverythingGetWorkspaceSize(0); }\n")  # fmt: skip
    (other / "libdecoy.so").symlink_to(stub_libraries / "libcust_opapi.so")
    argv = ["g++", "-shared", "-fPIC", empty, "-L", other, "-Wl,--no-as-needed", "-ldecoy", "-o",
            other / "libcust_opapi.so"]  # fmt: skip
    built = run(argv, cwd=other, timeout_s=60)
    assert built.ok, built.err
    _, done = _run(tmp_path, other)
    outcome, why = _failed(done, tmp_path)
    assert outcome is Outcome.TILING_ERROR
    assert "decoy" in why.text


def test_a_list_of_lists_is_refused_with_a_way_out() -> None:
    spec = SPEC.model_copy(
        update={"inputs": (), "outputs": (), "attrs": (AttrSpec(name="pads", type="list_list_int"),)}
    )
    with pytest.raises(InputError, match="flat list_int"):
        slots(spec, Call(inputs=(), outputs=(), attrs=(Attr(name="pads", value=((1, 2), (3,))),)))
