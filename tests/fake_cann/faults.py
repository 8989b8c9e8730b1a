"""The faults of a machine, of its user's set-up and of a kernel, and how each must end.

`needs` of a fault is what must have happened by its end: a kernel that ran, or none.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tests.fake_cann import circumstances as c
from tests.fake_cann.scene import BUILT, CORRECT, DEVICE, MACHINE, Ending, Scene

FULL, WAIT = "the disk is full", "aclrtSynchronizeStreamWithTimeout"


@dataclass(frozen=True)
class Fault:
    """`ends` is the outcome, `says` a part of its words, `mended` that the same works once the fault is gone."""

    name: str
    happens: Callable[[Scene], Ending]
    ends: str
    says: str = ""
    mended: bool = False


def _build(phase: str, what: str, says: str, ends: str = MACHINE) -> Fault:
    def happens(scene: Scene) -> Ending:
        scene.machine.driver.build_fault(phase, what)
        return scene.compile(f"{phase} {what}")

    return Fault(f"build: {phase}, {what}", happens, ends, says, mended=ends == MACHINE)


def _run(name: str, function: str, code: int, ends: str, says: str, after: int = 0, **more: object) -> Fault:
    def happens(scene: Scene) -> Ending:
        scene.machine.driver.runtime_fault(function, code, after)
        return scene.run(**more)

    return Fault(f"run: {name}", happens, ends, says, mended=ends in (MACHINE, DEVICE))


def _profile(what: str, says: str) -> Fault:
    def happens(scene: Scene) -> Ending:
        scene.machine.driver.build_fault("msprof", what)
        return scene.run(trace=True)

    return Fault(f"profile: msprof, {what}", happens, MACHINE, says, mended=True)


BUILD = (
    *(_build(phase, "full", FULL) for phase in ("configure", "host", "opbuild", "aclnn", "opc", "package")),
    _build("installer", "full", "did not install"),
    _build("installer", "denied", "did not install"),
    _build("package", "denied", "was denied"),
    _build("host", "killed", "memory ran out"),
    _build("opc", "numpy", "lacks a module"),
    _build("opbuild", "crash", "opbuild", ends="compile_error"),
    _build("msopgen", "full", "No space left"),
    _build("msopgen", "nothing", "msopgen failed"),
    _build("msopgen", "newer", "", ends=BUILT),
    Fault("build: no msopgen, but CMake's package ASC", c.asc_layout, CORRECT, "us"),
    Fault("build: by CMake's package ASC, full", c.asc_build_fails, MACHINE, FULL),
    Fault(
        "build: by CMake's package ASC, an error in a kernel", c.asc_kernel_error, "compile_error", "Multiply"
    ),
    Fault("build: neither msopgen nor CMake's package ASC", c.no_generator, MACHINE, "msopgen"),
)
RUN = (
    _run("ECC error that is not mended", WAIT, 507054, DEVICE, "507054"),
    _run("the device is somebody else's", "aclrtSetDevice", 507033, DEVICE, "507033"),
    _run("driver and CANN do not fit", "aclInit", 507899, DEVICE, "507899"),
    _run("no memory left on the device", "aclrtMalloc", 207001, MACHINE, "207001"),
    _run("too little memory left on the device", "left", 100, MACHINE, "100 MB are free"),
    _run("the runtime does not say what memory is free", "aclrtGetMemInfo", 100000, CORRECT, "us"),
    _run("device lost", WAIT, 507010, DEVICE, "507010"),
    _run("device lost while it is timed", WAIT, 507010, DEVICE, "507010", after=9),
    _run("device lost while it is profiled", WAIT, 507010, DEVICE, "507010", after=2, trace=True),
    _run("disk full", "disk", 1, MACHINE, "could not be written"),
    _run("a kernel that hangs", "kernel", 507046, "timeout", "507046", timeout_s=1),
    _run("tiling crashes", "GetWorkspaceSize", -11, "tiling_error", "SIGSEGV"),
    _run("tiling does not end", "GetWorkspaceSize", -1, "timeout", "tiling", timeout_s=-4),
    _run("half the clock from the tenth launch on", "clock", 50, CORRECT, "us", after=10),
    Fault("run: the device stays broken", c.stays_broken, DEVICE, "probe", mended=True),
    Fault("run: a device that is not there", c.no_such_device, MACHINE, "107001"),
)
PROFILE = (
    _profile("denied", "permission"),
    _profile("nothing", "op_summary"),
    _profile("full", "No space left"),
    Fault("profile: npu-smi hangs", c.npu_smi_hangs, CORRECT, "us"),
    Fault("profile: npu-smi knows no clock", c.npu_smi_without_clock, CORRECT, "43 C"),
    Fault(
        "timed: clock and temperature stand beside the time",
        c.clock_and_heat,
        CORRECT,
        "1750 of 1800 MHz, 43 C",
    ),
    Fault("profile: npu-smi is not there", c.npu_smi_missing, CORRECT, "us"),
)
CHECK = (
    Fault("device check: msSanitizer reports an illegal write", c.memcheck, "trap", "illegal write"),
    Fault("device check: msSanitizer reports a race", c.racecheck, "trap", "RAW hazard"),
    Fault("device check: msSanitizer without rights", c.check_denied, MACHINE, "did not check"),
    Fault("device check: nothing to report", c.check_passes, CORRECT, "us"),
    Fault("device check: there is no msSanitizer", c.check_missing, MACHINE, "mssanitizer"),
)
_TOTAL = "    const uint64_t total"
_THROWS = '    throw std::runtime_error("no plan");\n'
_OUT = "DataCopyPad(zGm_[done], z, rows);"
DIRECT = (
    Fault("direct file: right", c.direct_file(), CORRECT, "us"),
    Fault("direct file: right, and profiled", c.direct_file(trace=True), CORRECT, "us"),
    Fault("direct file: bisheng, full", c.bisheng_full, MACHINE, FULL),
    Fault("direct file: an error in a kernel", c.direct_file("Muls(z", "Mul_(z"), "compile_error", "Mul_"),
    Fault("direct file: an error on the host", c.direct_file("numel()", "len()"), "compile_error", "len"),
    Fault("direct file: the host throws", c.direct_file(_TOTAL, _THROWS + _TOTAL), "tiling_error", "no plan"),
    Fault("direct file: writes too far", c.direct_file(_OUT, _OUT.replace("done", "done + 64")), "trap"),
    Fault("direct file: writes nothing", c.direct_file(_OUT), "wrong"),
)
SET_UP = (
    Fault("two runs for one device: the second waits", c.two_runs, CORRECT, "one after the other"),
    Fault("two runs for one device: the second is told", c.second_is_told, MACHINE, "held by process"),
    Fault("another package on ASCEND_CUSTOM_OPP_PATH", c.decoy_on_the_path, CORRECT, "us"),
    Fault("another kernel under the same name in CANN", c.decoy_in_cann, CORRECT, "us"),
    Fault("a package whose .o is another's", c.stale_binary, MACHINE, "not what was built"),
    Fault("a package that is gone", c.package_gone, MACHINE, "not what was built"),
    Fault("a kept package that was changed", c.stale_cache, CORRECT, "us"),
    Fault("CANN older than 8.0", c.old_cann, MACHINE, "7.0.1"),
    Fault("CANN's set_env.sh fails", c.set_env_fails, MACHINE, "set_env.sh"),
    Fault("set_env.sh leaves no python3 on PATH", c.no_python, BUILT),
    Fault("HOME cannot be written", c.no_home, CORRECT, "us"),
    Fault("umask 077", c.strict_umask, CORRECT, "us"),
    Fault("spaces and Chinese in all paths", c.odd_paths, CORRECT, "us"),
    Fault("a locale of no UTF-8", c.odd_locale, CORRECT, "us"),
    Fault("AKGEN_CACHE cannot be written", c.no_cache, MACHINE, "cache"),
)
FAULTS = (*BUILD, *RUN, *PROFILE, *CHECK, *DIRECT, *SET_UP)
CHEAP = {
    "run: too little memory left on the device", "direct file: right", "run: ECC error that is not mended",
    "two runs for one device: the second is told", "CANN older than 8.0",
}  # fmt: skip


def happens(fault: Fault, scene: Scene) -> tuple[Ending, list[str]]:
    """Let a fault happen, and mend it; return how it ended, and what is wrong with that."""
    driver = scene.machine.driver
    scene = scene.at("".join(ch if ch.isalnum() else "-" for ch in fault.name))
    scene.folder.mkdir(parents=True)
    try:
        found = fault.happens(scene)
    finally:
        driver.mend()
    wrong = []
    if found.outcome != fault.ends or fault.says not in found.text:
        wrong.append(f"stated: {fault.ends} ({fault.says!r}), found: {found.outcome}: {found.text}")
    if found.outcome in (MACHINE, DEVICE) and not found.remedy:
        wrong.append("it has no remedy")
    if fault.mended:
        again = scene.at("again").run()
        if again.outcome != CORRECT:
            wrong.append(f"once mended: {again.outcome}: {again.text}")
    return found, wrong
