"""Driver, firmware and the devices: what is found of them, what is needed, what to do.

Source: vendor pages "CANN Software Installation", "npu-smi info". Which driver a CANN needs stands in its release notes
and in some of its version.info files.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from akgen.tools.cann import npu_smi
from akgen.tools.cann.environment import CannSettings
from akgen.tools.cann.prerequisite import Prerequisite, info_version, numbers, version_fields

FREE_DEVICE_MB = 4096


def driver_rows(settings: CannSettings) -> Iterator[Prerequisite]:
    yield node_row(settings)
    folder = settings.driver_folder
    for name, path in (("driver", folder), ("firmware", folder.parent / "firmware")):
        version = info_version(path / "version.info")
        yield Prerequisite(
            name=name,
            found=version is not None,
            detail=version or f"no version.info in {path}",
            remedy=None
            if version
            else "Install driver and firmware; in a container, mount /usr/local/Ascend/driver.",
            needed="the one that the release notes of your CANN name, or newer",
            group="device",
            optional=name == "firmware",  # a container has none
        )
    yield from _driver_fits(settings, folder)
    smi, npus = npu_smi.program(settings), npu_smi.ask(settings)
    if npus is None:
        yield Prerequisite(
            name="npu-smi",
            found=False,
            detail=f"{smi} fails, or says nothing for {npu_smi.TIMEOUT_S:.0f} s" if smi else "not found",
            remedy="Run `npu-smi info` and read what it says; in a container, mount /usr/local/bin/npu-smi.",
            needed="the driver's, which says how the devices are",
            group="device",
            optional=True,
        )
        return
    for number in settings.devices:
        yield _device(number, npus)


def _driver_fits(settings: CannSettings, folder: Path) -> Iterator[Prerequisite]:
    """Hold what CANN's parts require of the driver against what it says of itself; nothing where neither says it."""
    if settings.home is None:
        return
    needed: dict[str, str] = {}
    for path in sorted(settings.home.glob("*/version.info")):
        for key, value in version_fields(path):
            if (m := re.fullmatch(r"required_driver_(\w+_version)", key)) is not None:
                needed[m[1]] = max(needed.get(m[1], "0"), value, key=numbers)
    has = dict(version_fields(folder / "version.info"))
    old = [k for k, v in needed.items() if k in has and numbers(has[k]) < numbers(v)]
    if not needed or not has:
        return
    told = [f"{k.removesuffix('_version')} {has[k]}" for k in needed if k in has]
    yield Prerequisite(
        name="driver for this CANN",
        found=not old,
        detail=", ".join(told) or "the driver does not say",
        remedy="Install the driver that the release notes of your CANN name, or a CANN for this driver."
        if old
        else None,
        needed=", ".join(f"{k.removesuffix('_version')} {v} or newer" for k, v in needed.items()),
        group="device",
        optional=True,  # the kernel at the end decides
    )


def _device(number: int, npus: npu_smi.Npus) -> Prerequisite:
    state = next((d for d in npus.devices if d.number == number), None)
    if state is None:
        detail, good = f"npu-smi lists {len(npus.devices)} devices", False
        remedy = "Choose among those with AKGEN_NPU_DEVICES, such as 0,1."
    else:
        free = (
            state.total_mb - state.used_mb
            if state.total_mb is not None and state.used_mb is not None
            else None
        )
        memory = f", {free} MB free" if free is not None else ""
        others = f", used by {', '.join(state.processes)}" if state.processes else ""
        heat = f", {state.temperature_c} C" if state.temperature_c is not None else ""
        detail = f"{state.name}, health {state.health}{heat}{memory}{others}"
        good = state.health == "OK" and (free is None or free >= FREE_DEVICE_MB)
        remedy = (
            "Look at `npu-smi info -t health -i N`; have the device reset."
            if state.health != "OK"
            else "End what uses the device, or choose another with AKGEN_NPU_DEVICES."
        )
    return Prerequisite(
        name=f"device {number}",
        found=good,
        detail=detail,
        remedy=None if good else remedy,
        needed=f"health OK, {FREE_DEVICE_MB} MB free; alone, for times that can be compared",
        group="device",
    )


def node_row(settings: CannSettings) -> Prerequisite:
    nodes = sorted(settings.nodes.glob("davinci[0-9]*"))
    closed = [p.name for p in nodes if not os.access(p, os.R_OK | os.W_OK)]
    good = bool(nodes) and not closed
    remedy = "Add your user to the group of the driver (HwHiAiUser)." if closed else (
        "Use a machine with an Ascend NPU and its driver, or the twin (--toolchain twin)."
    )  # fmt: skip
    return Prerequisite(
        name="NPU",
        found=good,
        detail=(f"no right to open {', '.join(closed)}" if closed else ", ".join(p.name for p in nodes))
        or f"no {settings.nodes}/davinci* device",
        remedy=None if good else remedy,
        needed="a device file for each NPU, which your user may open",
        group="device",
    )
