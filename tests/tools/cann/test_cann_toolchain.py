"""The toolchain over a toolkit of scripts and stub libraries: what is built, how it may fail, what runs."""

import os
from pathlib import Path

import numpy as np
import pytest

from akgen.tools.cann.build import Builder
from akgen.tools.cann.confined import Confinement
from akgen.tools.cann.device import Devices
from akgen.tools.cann.environment import CannSettings, base_environment, cann_version, run_environment
from akgen.tools.cann.project import with_build_hash
from akgen.tools.cann.toolchain import CannToolchain
from akgen.tools.cann.trial import PROJECT
from akgen.tools.core.call import Attr, Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.op_spec import AttrSpec, OpSpec, ParamSpec
from akgen.tools.core.outcome import InfraError, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import Build, RunOptions
from akgen.tools.twin.toolchain import TwinToolchain
from tests.sampled import sampled
from tests.tools.cann.stub_toolkit import make_toolkit

FLOAT = (DType.FLOAT32,)
SPEC = OpSpec(
    op_type="ScaleAdd",
    inputs=(ParamSpec(name="x", dtypes=FLOAT), ParamSpec(name="z", dtypes=FLOAT)),
    outputs=(ParamSpec(name="y", dtypes=FLOAT),),
    attrs=(AttrSpec(name="alpha", type="float", default=1.5),),
)


@pytest.fixture(scope="module")
def home(stub_libraries: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_toolkit(tmp_path_factory.mktemp("cann") / "8.1.RC1", stub_libraries)


@pytest.fixture(scope="module")
def settings(home: Path, tmp_path_factory: pytest.TempPathFactory) -> CannSettings:
    return CannSettings(home=home, cache=tmp_path_factory.mktemp("cache"), confined=False)


@pytest.fixture(scope="module")
def chain(settings: CannSettings) -> CannToolchain:
    return _chain(settings)


def _chain(settings: CannSettings) -> CannToolchain:
    return CannToolchain(settings, lambda project, folder: (SPEC, ()))


def _project(
    path: str = "op_kernel/scale_add.cpp", old: str = "", new: str = "", **more: str
) -> KernelProject:
    whole = KernelProject.read_from(PROJECT, "ScaleAdd", "scale_add")
    assert old in whole.files[path]
    return whole.model_copy(
        update={"files": {**whole.files, path: whole.files[path].replace(old, new), **more}}
    )


def _call(folder: Path, count: int = 300, other: int | None = None) -> Call:
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, n in (("x", count), ("z", count if other is None else other)):
        np.arange(n, dtype=np.float32).tofile(folder / name)
        files.append(TensorFile(dtype=DType.FLOAT32, shape=(n,), path=folder / name))
    meta = TensorMeta(dtype=DType.FLOAT32, shape=(count,))
    return Call(inputs=tuple(files), attrs=(Attr(name="alpha", value=3.0),), outputs=(OutputMeta(meta=meta),))


@pytest.fixture(scope="module")
def built(chain: CannToolchain, tmp_path_factory: pytest.TempPathFactory) -> Build:
    folder = tmp_path_factory.mktemp("built") / "a folder with spaces"
    old = os.umask(0o002)  # as on many servers
    try:
        build = chain.compile(_project(), [], folder)
    finally:
        os.umask(old)
    assert build.outcome is None, build.diagnostics
    return build


def test_a_project_is_built_and_computes(chain: CannToolchain, built: Build, tmp_path: Path) -> None:
    launch = chain.run(built, _call(tmp_path / "in"), tmp_path / "run")
    assert launch.outcome is None, launch.diagnostics
    (out,) = launch.outputs
    assert isinstance(out, TensorFile)
    np.testing.assert_array_equal(np.fromfile(out.path, np.float32), 4 * np.arange(300, dtype=np.float32))
    assert launch.time_us is not None and launch.time_us > 0
    assert (launch.time_source, launch.measured_by) == ("measured", "events")
    assert launch.interval_us is not None and launch.interval_us[0] <= launch.interval_us[1]


def test_with_a_trace_msprof_measures(chain: CannToolchain, built: Build, tmp_path: Path) -> None:
    launch = chain.run(built, _call(tmp_path / "in"), tmp_path / "run", RunOptions(trace=True))
    assert launch.profile is not None and launch.time_us == 12.5
    assert launch.block_dim == 4
    assert launch.profile.trace is not None and launch.profile.trace.is_file()


def test_a_call_that_tiling_refuses_is_a_tiling_error(
    chain: CannToolchain, built: Build, tmp_path: Path
) -> None:
    launch = chain.run(built, _call(tmp_path / "in", 64, other=32), tmp_path / "run")
    assert launch.outcome is Outcome.TILING_ERROR
    assert launch.diagnostics[0].code == "TILING_REFUSED"


def test_the_same_sources_are_built_once(chain: CannToolchain, built: Build, tmp_path: Path) -> None:
    again = chain.compile(_project(), [], tmp_path / "again")
    assert again.outcome is None
    assert again.compile_s < built.compile_s
    assert chain.run(again, _call(tmp_path / "in"), tmp_path / "run").outcome is None
    assert "msopgen" in (again.folder / "logs" / "msopgen.log").read_text()


def test_a_package_that_is_not_what_was_built_does_not_run(
    chain: CannToolchain, built: Build, tmp_path: Path
) -> None:
    stale = chain.compile(_project(), [], tmp_path / "stale")
    (binary,) = (stale.folder / "opp").rglob("*.o")
    binary.write_text("a kernel of yesterday")
    with pytest.raises(InfraError, match="not what was built"):
        chain.run(stale, _call(tmp_path / "in"), tmp_path / "run")


@pytest.mark.parametrize(
    ("path", "old", "new", "code", "file", "word"),
    [
        ("op_kernel/scale_add.cpp", "Muls(y, z", "Multiply(y, z", "UNDECLARED", "op_kernel/scale_add.cpp", "Multiply("),
        ("op_host/scale_add.cpp", "set_tile(", "set_tyle(", "UNKNOWN_MEMBER", "op_host/scale_add.cpp", "set_tyle"),
        ("op_host/scale_add.cpp", "TilingData tiling;", "TilingData tiling; missing_function();", "LINK",
         "op_host/scale_add.cpp", "missing_function"),
        ("op_host/scale_add.cpp", "OP_ADD", "/* STUB_OPBUILD */ OP_ADD", "REGISTRATION", None, ""),
    ],
)  # fmt: skip
def test_a_failed_build_names_the_candidates_own_file_and_line(
    chain: CannToolchain,
    tmp_path: Path,
    path: str,
    old: str,
    new: str,
    code: str,
    file: str | None,
    word: str,
) -> None:
    broken = _project(path, old, new)
    build = chain.compile(broken, [], tmp_path / "build")
    assert build.outcome is Outcome.COMPILE_ERROR
    first = build.diagnostics[0]
    assert (first.code, first.file) == (code, file), first
    if file is not None:
        assert word in broken.files[file].splitlines()[(first.line or 0) - 1]
    assert "H" + broken.digest[:8] not in first.text


@pytest.mark.parametrize(
    ("word", "said"), [("STUB_FULL", "the disk is full"), ("STUB_NUMPY", "pip install numpy")]
)
def test_a_build_that_the_machine_breaks_is_no_outcome(
    chain: CannToolchain, tmp_path: Path, word: str, said: str
) -> None:
    with pytest.raises(InfraError, match=said):
        chain.compile(_project(old="Muls", new=f"/* {word} */ Muls"), [], tmp_path / "build")


def test_a_candidates_build_files_do_not_replace_the_templates(chain: CannToolchain, tmp_path: Path) -> None:
    evil = "execute_process(COMMAND rm -rf /)"
    project = _project(**{"CMakeLists.txt": evil, "op_kernel/CMakeLists.txt": evil})
    assert chain.compile(project, [], tmp_path / "build").outcome is None  # the stub's build.sh looks


def test_msopgens_words_on_stdout_are_told(settings: CannSettings, tmp_path: Path) -> None:
    bad = make_toolkit(tmp_path / "cann", Path("/nonexistent"))
    (bad / "python/site-packages/bin/msopgen").write_text(
        "#!/bin/bash\necho 'the type is not known'; exit 1\n"
    )
    chain = _chain(settings.model_copy(update={"home": bad}))
    with pytest.raises(InfraError, match="the type is not known"):
        chain.compile(_project(), [], tmp_path / "build")


def test_programs_get_what_set_env_sets_and_a_home_of_their_own(
    settings: CannSettings, tmp_path: Path
) -> None:
    user = settings.model_copy(update={"path": "/opt/users/bin:/usr/bin:/bin"})
    env = base_environment(user, tmp_path)
    assert env["PLUGIN_OF_SET_ENV"] == "1"
    assert env["PATH"].startswith(f"{settings.home}/bin:")
    assert "/opt/users/bin" in env["PATH"].split(":")
    assert env["HOME"] == str(tmp_path)
    assert env["TORCH_DEVICE_BACKEND_AUTOLOAD"] == "0"
    vendor = tmp_path / "opp/vendors/customize"
    run = run_environment(user, vendor, tmp_path)
    assert run["ASCEND_CUSTOM_OPP_PATH"] == str(vendor)
    assert run["LD_LIBRARY_PATH"].startswith(f"{vendor}/op_api/lib:")


def test_the_version_is_what_canns_files_say(chain: CannToolchain, home: Path) -> None:
    assert cann_version(home) == "8.1.RC1"
    assert chain.version() == "cann 8.1.RC1 (Ascend910B2)"


def test_a_device_that_failed_is_probed_before_it_is_used_again(
    settings: CannSettings, home: Path, stub_libraries: Path, built: Build, tmp_path: Path
) -> None:
    sick = make_toolkit(tmp_path / "cann", stub_libraries)
    with (sick / "set_env.sh").open("a") as script:
        script.write("export AKGEN_STUB_FAIL=aclrtSynchronizeStreamWithTimeout=507054\n")
    own = settings.model_copy(update={"cache": tmp_path / "cache", "devices": (0,)})
    broken = _chain(own.model_copy(update={"home": sick}))
    with pytest.raises(InfraError, match="507054"):
        broken.run(built, _call(tmp_path / "in"), tmp_path / "one")
    with pytest.raises(InfraError, match="No device passes its probe"):
        broken.run(built, _call(tmp_path / "in"), tmp_path / "two")
    assert _chain(own).run(built, _call(tmp_path / "in"), tmp_path / "three").outcome is None


@pytest.mark.slow
def test_a_device_on_which_a_kernel_that_is_right_goes_wrong_fails_its_probe(
    settings: CannSettings, stub_libraries: Path, built: Build, tmp_path: Path
) -> None:
    sick = make_toolkit(tmp_path / "cann", stub_libraries)
    with (sick / "set_env.sh").open("a") as script:
        script.write("export AKGEN_STUB_WRONG=1\n")
    own = settings.model_copy(update={"home": sick, "cache": tmp_path / "cache", "devices": (0,)})
    with Devices(own.own_folder / "locks", (0,), lambda _: None).lease() as lease:
        lease.quarantine("lost")
    with pytest.raises(InfraError, match="known to be right computes something else"):
        _chain(own).run(built, _call(tmp_path / "in"), tmp_path / "run")


def test_a_build_cannot_read_the_judges_answers(
    twin: TwinToolchain, settings: CannSettings, stub_libraries: Path, tmp_path: Path
) -> None:
    answer = tmp_path / "expected.bin"
    answer.write_text("what it should compute")
    thief = make_toolkit(tmp_path / "cann", stub_libraries)
    with (thief / "set_env.sh").open("a") as script:
        script.write(f"export EVIL={answer}\n")
    for confined in (False, True):
        own = settings.model_copy(
            update={"home": thief, "confined": confined, "cache": tmp_path / str(confined)}
        )
        chain = CannToolchain(own, lambda project, folder: (SPEC, ()), lambda: twin.runtime.sandbox)
        build = chain.compile(_project(), [], tmp_path / f"build{confined}")
        assert build.outcome is None, build.diagnostics
        stolen = "BUILD CODE READ" in (build.folder / "logs" / "build.log").read_text()
        assert stolen == (not confined)
        assert bool(chain.sandbox_missing()) == (not confined)


def test_host_code_of_a_candidate_cannot_read_the_judges_answers(
    twin: TwinToolchain, settings: CannSettings, stub_libraries: Path, built: Build, tmp_path: Path
) -> None:
    answer = tmp_path / "expected.bin"
    answer.write_text("what it should compute")
    thief = make_toolkit(tmp_path / "cann", stub_libraries)
    with (thief / "set_env.sh").open("a") as script:
        script.write(f"export AKGEN_STUB_STEAL={answer}\n")
    within = settings.model_copy(update={"home": thief, "confined": True})
    chain = CannToolchain(within, lambda project, folder: (SPEC, ()), lambda: twin.runtime.sandbox)
    launch = chain.run(built, _call(tmp_path / "in"), tmp_path / "run")
    assert launch.outcome is None, launch.diagnostics
    computed = np.fromfile(launch.outputs[0].path, np.float32)  # type: ignore[union-attr]
    assert computed[1] == 4.0  # it was not seen; with it, nothing would have been computed
    assert chain.sandbox_missing() == ()


def _forging(settings: CannSettings, libraries: Path, folder: Path, what: str, victim: Path) -> CannToolchain:
    """Return a toolchain whose candidates' host code does `what` to the files of its process."""
    home = make_toolkit(folder / "cann", libraries)
    with (home / "set_env.sh").open("a") as script:
        script.write(f"export AKGEN_STUB_FORGE={what} AKGEN_STUB_VICTIM={victim}\n")
    return _chain(settings.model_copy(update={"home": home}))


@pytest.mark.parametrize(
    "what", sampled(["outputs", "pipe", "times", "nonsense", "answers", "log", "twice"], 3)
)
def test_what_host_code_puts_in_the_place_of_results_is_a_cheat(
    settings: CannSettings, stub_libraries: Path, built: Build, tmp_path: Path, what: str
) -> None:
    victim = tmp_path / "expected.bin"
    victim.write_bytes(bytes(300 * 4 + 1024))  # of the size that an output with its guards has
    chain = _forging(settings, stub_libraries, tmp_path, what, victim)
    launch = chain.run(built, _call(tmp_path / "in"), tmp_path / "run")
    assert (launch.outcome, launch.diagnostics[0].code) == (Outcome.CHEAT, "TAMPERED")
    assert launch.time_us is None and launch.outputs == ()


def test_links_that_host_code_makes_lead_nobody_elsewhere(
    settings: CannSettings, stub_libraries: Path, built: Build, tmp_path: Path
) -> None:
    victim = tmp_path / "of the user"
    victim.write_text("mine")
    chain = _forging(settings, stub_libraries, tmp_path, "ahead", victim)
    for number in range(2):  # in a folder that was used before, too
        launch = chain.run(
            built, _call(tmp_path / f"in{number}"), tmp_path / "run", RunOptions(trace=bool(number))
        )
        assert launch.outcome is None, launch.diagnostics
    assert victim.read_text() == "mine"
    assert not [p for p in (tmp_path / "run").iterdir() if p.is_symlink()]


def test_a_package_with_a_link_to_somebody_elses_file_is_a_cheat(
    settings: CannSettings, stub_libraries: Path, tmp_path: Path
) -> None:
    """Copied, it would bring the file along, and host code could read it in its run."""
    secret = tmp_path / "expected.bin"
    secret.write_text("what it should compute")
    home = make_toolkit(tmp_path / "cann", stub_libraries)
    script = home / "python/site-packages/template/build.sh"
    script.write_text(f"{script.read_text()}ed=custom_opp_test_x86_64.run\n"
                      f"echo 'ln -s {secret} $to/vendors/customize/x.so' >> build_out/$ed\n")  # fmt: skip
    chain = _chain(settings.model_copy(update={"home": home, "cache": tmp_path / "cache"}))
    build = chain.compile(_project(), [], tmp_path / "build")
    assert (build.outcome, build.diagnostics[0].code) == (Outcome.CHEAT, "TAMPERED")
    assert "x.so" in build.diagnostics[0].text
    assert not list(build.folder.rglob("x.so"))


def test_what_a_build_does_to_its_folder_changes_no_file_of_the_users(
    twin: TwinToolchain, settings: CannSettings, stub_libraries: Path, tmp_path: Path
) -> None:
    victim = tmp_path / "of the user"
    victim.write_text("mine")
    home = make_toolkit(tmp_path / "cann", stub_libraries)
    script = home / "python/site-packages/template/build.sh"
    attack = f"for d in ../logs ../../logs; do mkdir -p $d; ln -sf '{victim}' $d/build.log; done\n"
    script.write_text(script.read_text().replace('echo "-- configuring', f'{attack}echo "-- configuring'))
    own = settings.model_copy(update={"home": home, "cache": tmp_path / "cache", "confined": True})
    chain = CannToolchain(own, lambda project, folder: (SPEC, ()), lambda: twin.runtime.sandbox)
    build = chain.compile(_project(), [], tmp_path / "build")
    assert build.outcome is None, build.diagnostics
    assert victim.read_text() == "mine"
    assert "configuring" in (build.folder / "logs/build.log").read_text()


DIRECT = """#include "akgen/tensor.h"
#include <stdexcept>
void launch_axpy(const akgen::Tensor& x0, const std::vector<akgen::Tensor>& x1, const akgen::Tensor& y0, float alpha,
                 const std::vector<int64_t>& axes, const std::string& mode, bool keep, aclrtStream stream)
{
    if (x0.size(0) == 7) {
        throw std::invalid_argument("seven is not supported");
    }
    const float *x = (const float *)x0.data, *z = (const float *)x1.at(1).data;
    for (int64_t i = 0; i < y0.numel(); ++i) {
        ((float *)y0.data)[i] = alpha * x[i] + z[i] + (axes.at(1) == -2 && mode == "a b" && keep ? 0 : 1000);
    }
}
"""


def _direct(text: str = DIRECT) -> KernelProject:
    return KernelProject(op_type="Axpy", kernel="axpy", files={"op_kernel/axpy.asc": text})


def _direct_call(folder: Path, count: int) -> Call:
    pair = _call(folder, count)
    attrs = (Attr(name="alpha", value=0.5), Attr(name="axes", value=(1, -2)), Attr(name="mode", value="a b"),
             Attr(name="keep", value=True))  # fmt: skip
    x, z = pair.inputs
    assert isinstance(x, TensorFile) and isinstance(z, TensorFile)
    return Call(inputs=(x, (z, z)), attrs=attrs, outputs=pair.outputs)


@pytest.mark.slow
def test_a_direct_file_is_compiled_by_bisheng_and_its_function_called(
    chain: CannToolchain, tmp_path: Path
) -> None:
    build = chain.compile(_direct(), [], tmp_path / "build")
    assert build.outcome is None, build.diagnostics
    launch = chain.run(build, _direct_call(tmp_path / "in", 64), tmp_path / "run")
    assert launch.outcome is None, launch.diagnostics
    computed = np.fromfile(launch.outputs[0].path, np.float32)  # type: ignore[union-attr]
    np.testing.assert_array_equal(computed, 1.5 * np.arange(64, dtype=np.float32))
    assert launch.time_us is not None
    refused = chain.run(build, _direct_call(tmp_path / "seven", 7), tmp_path / "refused")
    assert refused.outcome is Outcome.TILING_ERROR
    assert "seven is not supported" in refused.diagnostics[0].text


KERNELS = """
__global__ __aicore__ void axpy(GM_ADDR x, GM_ADDR y) {}
template <typename T> __global__ __vector__ void axpy_tail(GM_ADDR x) {}
"""


def _profiled(
    settings: CannSettings, stub_libraries: Path, folder: Path, launched: str
) -> tuple[CannToolchain, Build]:
    """Build a direct file with two kernels, on a toolkit whose profiler sees these launches in each call."""
    home = make_toolkit(folder / "cann", stub_libraries)
    (home / "bin/launched").write_text(launched)
    chain = _chain(settings.model_copy(update={"home": home, "cache": folder / "cache"}))
    build = chain.compile(_direct(f"{DIRECT}/*{KERNELS}*/"), [], folder / "build")
    assert build.outcome is None, build.diagnostics
    return chain, build


@pytest.mark.slow
def test_a_direct_file_is_profiled_by_its_kernels_names(
    settings: CannSettings, stub_libraries: Path, tmp_path: Path
) -> None:
    chain, build = _profiled(
        settings, stub_libraries, tmp_path, "axpy_mix_aiv 4.0\naxpy_mix_aiv 4.0\n_Z9axpy_tailIfEvPh 3.0\n"
    )
    launch = chain.run(build, _direct_call(tmp_path / "in", 64), tmp_path / "run", RunOptions(trace=True))
    assert launch.outcome is None, launch.diagnostics
    found = launch.profile
    assert launch.measured_by == "events" and found is not None and found.measured_by == "msprof op"
    assert found.time_us == 11.0 and found.cores == 8
    assert {p.pipe: p.busy_us for p in found.pipes}["MTE2"] == 6.0
    assert found.notes == ("3 launches a call, their times together",)
    assert found.counters is not None and found.counters.clock_mhz == 1800


def test_a_direct_call_of_anothers_kernel_is_a_cheat(
    settings: CannSettings, stub_libraries: Path, tmp_path: Path
) -> None:
    chain, build = _profiled(settings, stub_libraries, tmp_path, "axpy 4.0\nMatMulV3_1 99.0\n")
    launch = chain.run(build, _direct_call(tmp_path / "in", 64), tmp_path / "run", RunOptions(trace=True))
    assert (launch.outcome, launch.diagnostics[0].code) == (Outcome.CHEAT, "FOREIGN_KERNEL")
    assert "MatMulV3_1" in launch.diagnostics[0].text


@pytest.mark.slow
def test_a_direct_profile_without_its_kernels_is_the_machines_fault(
    settings: CannSettings, stub_libraries: Path, tmp_path: Path
) -> None:
    chain, build = _profiled(settings, stub_libraries, tmp_path, "MatMulV3_1 99.0\n")
    with pytest.raises(InfraError, match="saw no launch of axpy, axpy_tail; it saw MatMulV3_1"):
        chain.run(build, _direct_call(tmp_path / "in", 64), tmp_path / "run", RunOptions(trace=True))


def test_a_direct_file_with_an_error_is_told_with_its_line(chain: CannToolchain, tmp_path: Path) -> None:
    broken = DIRECT.replace("y0.numel()", "y0.number()")
    build = chain.compile(_direct(broken), [], tmp_path / "build")
    assert build.outcome is Outcome.COMPILE_ERROR
    first = build.diagnostics[0]
    assert (first.code, first.file) == ("UNKNOWN_MEMBER", "op_kernel/axpy.asc")
    assert "y0.number()" in broken.splitlines()[(first.line or 0) - 1]


@pytest.mark.slow
@pytest.mark.parametrize("overruns", [False, True])
def test_a_direct_file_is_checked_by_mssanitizer(
    settings: CannSettings, tmp_path: Path, overruns: bool
) -> None:
    """Its library is compiled a second time, and what the tool reports lies in the candidate's own file."""
    text = DIRECT + 'const char* word = "STUB_OVERRUN";\n' * overruns
    chain = _chain(settings.model_copy(update={"checks": ("memcheck",)}))
    build = chain.compile(_direct(text), [], tmp_path / "build")
    assert build.outcome is None, build.diagnostics
    launch = chain.run(build, _direct_call(tmp_path / "in", 64), tmp_path / "run")
    if not overruns:
        assert launch.outcome is None and launch.time_us is not None, launch.diagnostics
        return
    first = launch.diagnostics[0]
    assert (launch.outcome, first.code, first.file, first.line) == (
        Outcome.TRAP, "GM_OVERRUN", "op_kernel/axpy.asc", 12,
    )  # fmt: skip


@pytest.mark.slow
def test_a_direct_file_that_is_not_instrumented_is_not_checked_by_silence(
    settings: CannSettings, stub_libraries: Path, tmp_path: Path
) -> None:
    home = make_toolkit(tmp_path / "cann", stub_libraries)
    (home / "stubs/sanitizer.cpp").write_text("")
    own = settings.model_copy(update={"home": home, "checks": ("memcheck",), "cache": tmp_path / "cache"})
    with pytest.raises(InfraError, match="was to be instrumented"):
        _chain(own).compile(_direct(), [], tmp_path / "build")


def test_several_operators_make_one_package(settings: CannSettings, tmp_path: Path) -> None:
    """The stub's build sees both sources and makes the first; an operator without its kernel is told."""
    one, two = with_build_hash(_project(), SPEC), with_build_hash(_project(old="Muls", new="/**/ Muls"), SPEC)
    builder = Builder(settings, Confinement(settings, None), 1)
    made = builder.build([one, two], tmp_path / "build")
    assert not made.ok
    assert "the package holds no kernel for ScaleAdd" in made.diagnostics[0].text
    assert one.spec.op_type != two.spec.op_type
