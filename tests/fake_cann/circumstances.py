"""Faults that take more than one word to the driver: other runs, other packages, a user's set-up."""

import os
import shutil
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from akgen.agents.prompts import builder
from akgen.tools.cann.device import Devices
from akgen.tools.cann.outcome import InfraError
from akgen.tools.cann.toolchain import CannToolchain
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import Build, Launch
from tests.fake_cann.scene import (
    CORRECT,
    MACHINE,
    Ending,
    Scene,
    call_in,
    chain_on,
    ended,
    project,
    right,
)
from tests.fake_cann.tree import build_tree

DIRECT = Path(builder.__file__).parent / "templates/example_direct/pointwise"


def _told(problem: InfraError) -> Ending:
    return Ending(MACHINE, problem.text, problem.remedy)


def stays_broken(scene: Scene) -> Ending:
    scene.machine.driver.runtime_fault("aclrtSynchronizeStreamWithTimeout", 507010)
    scene.at("first").run()
    ran = len(scene.machine.driver.asked)
    found = scene.run()
    assert len(scene.machine.driver.asked) == ran, "a kernel ran on a device that failed its probe"
    return found


def no_such_device(scene: Scene) -> Ending:
    return scene.run(scene.with_settings(devices=(5,)))


def npu_smi_hangs(scene: Scene) -> Ending:
    scene.machine.driver.build_fault("npu-smi", "hang")
    return scene.run(trace=True)


def npu_smi_without_clock(scene: Scene) -> Ending:
    """Have a driver whose npu-smi says the temperature alone."""
    scene.machine.driver.build_fault("npu-smi", "oldcommon")
    return scene.run(trace=True)


def clock_and_heat(scene: Scene) -> Ending:
    found = scene.run()
    profiled = scene.at("profiled").run(trace=True)
    assert "1750 of 1800 MHz, 43 C" in profiled.text
    return found


def npu_smi_missing(scene: Scene) -> Ending:
    return scene.run(scene.with_settings(path="/usr/local/bin:/usr/bin:/bin"), trace=True)


def _check(scene: Scene, tool: str, what: str | None) -> Ending:
    chain = scene.with_settings(checks=(tool,))
    build = chain.compile(project(""), [], scene.folder / "build")
    assert build.outcome is None, build.diagnostics
    if what is not None:
        scene.machine.driver.build_fault(f"mssanitizer-{tool}", what)
    launch = chain.run(build, call_in(scene.folder / "in"), scene.folder / "run")
    if launch.outcome is not None:
        first = launch.diagnostics[0]
        assert first.file == "op_kernel/scale_add.cpp" and (first.line or 0) in (45, 56)
        assert scene.built.op is not None and scene.built.op.op_type not in first.text
    return ended(lambda: launch)


def memcheck(scene: Scene) -> Ending:
    return _check(scene, "memcheck", "illegal")


def racecheck(scene: Scene) -> Ending:
    return _check(scene, "racecheck", "race")


def check_denied(scene: Scene) -> Ending:
    try:
        return _check(scene, "memcheck", "denied")
    except InfraError as problem:
        return _told(problem)


def check_passes(scene: Scene) -> Ending:
    return _check(scene, "racecheck", None)


def check_missing(scene: Scene) -> Ending:
    return _prepared(_without(scene, "bin/mssanitizer", checks=("memcheck",)))


def _without(scene: Scene, *places: str, **changes: object) -> CannToolchain:
    """Return a toolchain on a CANN of its own that lacks some files."""
    home = build_tree(scene.folder / "cann", scene.machine.home / "lib64", scene.machine.driver.exchange)
    for place in places:
        (home / place).unlink()
    path = scene.settings.path.replace(str(scene.machine.home), str(home))
    return scene.with_settings(home=home, path=path, **changes)


_MSOPGEN, _ASC = "python/site-packages/bin/msopgen", "compiler/tikcpp/ascendc_kernel_cmake/ASCConfig.cmake"


def asc_layout(scene: Scene) -> Ending:
    """Build by CMake's package ASC, for msSanitizer too, since there is no msopgen; and run what came of it."""
    chain = _without(scene, _MSOPGEN, checks=("racecheck",))
    chain.prepare(print)
    built = chain.compile(project(""), [], scene.folder / "build")
    assert built.outcome is None, built.diagnostics
    return scene.run(chain, built)


def asc_build_fails(scene: Scene) -> Ending:
    chain = _without(scene, _MSOPGEN)
    scene.machine.driver.build_fault("opc", "full")
    return scene.compile("asc, full", chain)


def asc_kernel_error(scene: Scene) -> Ending:
    """Have opc find an error: what the interface is read from, and CMake configures, is right."""
    whole = project("asc, kernel")
    files = {p: t.replace("Muls(y, z", "Multiply(y, z") for p, t in whole.files.items()}
    wrong = whole.model_copy(update={"files": files})
    folder = scene.folder / "build"
    found = ended(lambda: _without(scene, _MSOPGEN).compile(wrong, [], folder))
    assert "Build files have been written" in (folder / "logs/build.log").read_text()
    return found


def no_generator(scene: Scene) -> Ending:
    return _prepared(_without(scene, _MSOPGEN, _ASC))


def two_runs(scene: Scene) -> Ending:
    """Start two at once on one device, with other inputs; the launches of one process end before the other's begin."""
    before = len(scene.machine.driver.asked)

    def one(number: int) -> Launch:
        at = scene.at(f"run{number}")
        call = call_in(at.folder / "in", first=100.0 * number)
        return chain_on(scene.machine.env).run(scene.built, call, at.folder / "run")

    with ThreadPoolExecutor(2) as pool:
        launches = list(pool.map(one, range(2)))
    who = scene.machine.driver.asked[before:]
    turns = [pid for i, pid in enumerate(who) if i == 0 or who[i - 1] != pid]
    good = all(right(launch) for launch in launches) and len(turns) == len(set(turns)) == 2
    return Ending(CORRECT if good else "wrong", "one after the other" if good else f"turns {turns}")


def second_is_told(scene: Scene) -> Ending:
    locks = scene.settings.own_folder / "locks"
    with Devices(locks, (0,), lambda n: None).lease():
        try:
            with Devices(locks, (0,), lambda n: None).lease(wait_s=0):
                return Ending("wrong", "it got the device")
        except InfraError as problem:
            return _told(problem)


def decoy_on_the_path(scene: Scene) -> Ending:
    """Have another build of the same operator on the user's ASCEND_CUSTOM_OPP_PATH, which computes something else."""
    decoy = _decoy(scene)
    script = scene.machine.home / "set_env.sh"
    text = script.read_text()
    script.write_text(f"{text}export ASCEND_CUSTOM_OPP_PATH={decoy.folder}/opp/vendors/customize\n")
    try:
        return scene.run(chain_on(scene.machine.env))
    finally:
        script.write_text(text)


def decoy_in_cann(scene: Scene) -> Ending:
    """Install a package with an operator of the very name into CANN's own folder."""
    place = scene.machine.home / "opp/vendors"
    shutil.copytree(_decoy(scene).folder / "opp/vendors", place)
    try:
        return scene.run()
    finally:
        shutil.rmtree(place)


def _decoy(scene: Scene) -> Build:
    """Return a package under our operator's name whose kernel computes something else."""
    other = project("decoy")
    files = dict(other.files)
    kernel = "op_kernel/scale_add.cpp"
    files[kernel] = files[kernel].replace("Muls(y, z", "Adds(y, z")
    assert files[kernel] != other.files[kernel]
    made = scene.chain.compile(other.model_copy(update={"files": files}), [], scene.folder / "decoy")
    assert made.outcome is None and made.op is not None and scene.built.op is not None
    for path in sorted((made.folder / "opp").rglob("*"), reverse=True):
        if made.op.op_type in path.name:
            path.rename(path.with_name(path.name.replace(made.op.op_type, scene.built.op.op_type)))
    return made


def _copy(scene: Scene) -> Build:
    copied = scene.folder / "copied"
    shutil.copytree(scene.built.folder, copied)
    return scene.built.model_copy(update={"folder": copied})


def stale_binary(scene: Scene) -> Ending:
    stale = _copy(scene)
    (binary,) = (stale.folder / "opp").rglob("*.o")
    binary.write_text("a kernel of yesterday")
    before = len(scene.machine.driver.asked)
    found = scene.run(build=stale)
    assert len(scene.machine.driver.asked) == before, "it ran"
    return found


def package_gone(scene: Scene) -> Ending:
    gone = _copy(scene)
    shutil.rmtree(gone.folder / "opp")
    return scene.run(build=gone)


def stale_cache(scene: Scene) -> Ending:
    """Change the kept package behind our back: it is built again, and the kernel is ours."""
    before = set(_kept_binaries(scene))
    scene.at("one").compile("kept")
    (kept,) = set(_kept_binaries(scene)) - before
    assert "Muls(y, z" in kept.read_text()
    kept.write_text(kept.read_text().replace("Muls(y, z", "Adds(y, z"))
    build = scene.chain.compile(project("kept"), [], scene.folder / "again")
    return scene.run(build=build)


def _kept_binaries(scene: Scene) -> list[Path]:
    return sorted((scene.settings.cache / "package").rglob("*.o"))


def old_cann(scene: Scene) -> Ending:
    home, exchange = scene.folder / "old", scene.machine.driver.exchange
    build_tree(home, scene.machine.home / "lib64", exchange, version="7.0.1")
    return _prepared(scene.with_settings(home=home))


def _prepared(chain: CannToolchain) -> Ending:
    try:
        chain.prepare(lambda line: None)
    except InfraError as problem:
        return _told(problem)
    return Ending("wrong", "it goes on")


def _other_home(scene: Scene, script: str) -> CannToolchain:
    home = build_tree(scene.folder / "cann", scene.machine.home / "lib64", scene.machine.driver.exchange)
    with (home / "set_env.sh").open("a") as file:
        file.write(script)
    return scene.with_settings(home=home)


def set_env_fails(scene: Scene) -> Ending:
    return scene.compile("set_env", _other_home(scene, "exit 3\n"))


def no_python(scene: Scene) -> Ending:
    home = scene.folder / "cann"
    return scene.compile("no python", _other_home(scene, f"export PATH={home}/bin\n"))


def no_home(scene: Scene) -> Ending:
    return _all_of_it(scene, {**scene.machine.env, "HOME": "/proc/nobody"})


def strict_umask(scene: Scene) -> Ending:
    before = os.umask(0o077)
    try:
        return _all_of_it(scene, scene.machine.env)
    finally:
        os.umask(before)


def odd_paths(scene: Scene) -> Ending:
    odd = scene.folder / "算子 cache"
    odd.mkdir()
    for name in scene.settings.cache.iterdir():
        if name.is_symlink():
            (odd / name.name).symlink_to(name.resolve())
    return _all_of_it(scene.at("中 文 run"), {**scene.machine.env, "AKGEN_CACHE": str(odd)})


def odd_locale(scene: Scene) -> Ending:
    return _all_of_it(scene, {**scene.machine.env, "LC_ALL": "POSIX", "LANG": "zh_CN.GB18030"})


def _all_of_it(scene: Scene, env: Mapping[str, str]) -> Ending:
    chain = chain_on(env)
    build = chain.compile(project(scene.folder.name), [], scene.folder / "build")
    if build.outcome is not None:
        return ended(lambda: build)
    return scene.run(chain, build)


def no_cache(scene: Scene) -> Ending:
    """Let a file stand where the folder of packages should be: rights mean nothing to root."""
    place = scene.folder / "cache"
    place.mkdir()
    for name in scene.settings.cache.iterdir():
        if name.is_symlink():
            (place / name.name).symlink_to(name.resolve())
    (place / "package").write_text("")
    (place / "npu").write_text("")
    return scene.compile("no cache", scene.with_settings(cache=place))


def direct_file(old: str = "", new: str = "", **more: Any) -> Callable[[Scene], Ending]:
    """Have a right direct file, with `new` in place of `old`, compiled by bisheng and called."""

    def happens(scene: Scene) -> Ending:
        path = DIRECT / "op_kernel/add_scaled.asc"
        text = path.read_text()
        assert old in text
        files = {"op_kernel/add_scaled.asc": text.replace(old, new, 1)}
        whole = KernelProject(op_type="AddScaled", kernel="add_scaled", files=files)
        try:
            built = scene.chain.compile(whole, [], scene.folder / "build")
        except InfraError as problem:
            return _told(problem)
        return scene.run(build=built, **more) if built.outcome is None else ended(lambda: built)

    return happens


def bisheng_full(scene: Scene) -> Ending:
    scene.machine.driver.build_fault("bisheng", "full")
    return direct_file("kTile = 4096", "kTile = 2048")(scene)  # another text: what was built is kept
