"""What of CANN, driver and NPU a machine has, and what to do about what it has not."""

import shutil
from importlib.util import find_spec
from pathlib import Path

from akgen.tools.core.frozen import Frozen


class CannSettings(Frozen):
    """Where CANN lies. The command line fills this from ASCEND_HOME_PATH; None: not set."""

    home: Path | None = None
    device: int = 0
    soc: str = "Ascend910B2"


class Finding(Frozen):
    """One thing that was looked for."""

    name: str
    found: bool
    detail: str
    remedy: str | None = None


def inspect(settings: CannSettings) -> tuple[Finding, ...]:
    """Look for CANN's parts without starting any of them."""
    home = settings.home
    usable = home is not None and home.is_dir()
    findings = [
        Finding(
            name="CANN toolkit",
            found=usable,
            detail=str(home) if usable else "ASCEND_HOME_PATH is not set or no folder",
            remedy=None if usable else "Install the CANN toolkit and source its set_env.sh.",
        ),
        _tool("msopgen", home, "python/site-packages/bin/msopgen"),
        _tool("msprof", home, "bin/msprof"),
        _tool("cmake", None, "cmake"),
        _npu(),
        Finding(
            name="torch_npu",
            found=find_spec("torch_npu") is not None,
            detail="installed" if find_spec("torch_npu") else "not installed",
            remedy=None
            if find_spec("torch_npu")
            else "pip install 'akgen[npu]' on the machine with the NPU.",
        ),
    ]
    return tuple(findings)


def missing(settings: CannSettings) -> tuple[Finding, ...]:
    return tuple(f for f in inspect(settings) if not f.found)


def _tool(name: str, home: Path | None, relative: str) -> Finding:
    candidates = [home / relative] if home is not None else []
    on_path = shutil.which(name)
    if on_path:
        candidates.append(Path(on_path))
    hit = next((c for c in candidates if c.is_file()), None)
    remedy = "Install cmake 3.16 or later." if name == "cmake" else "It comes with the CANN toolkit."
    return Finding(
        name=name, found=hit is not None, detail=str(hit or "not found"), remedy=None if hit else remedy
    )


def _npu() -> Finding:
    nodes = sorted(p.name for p in Path("/dev").glob("davinci[0-9]*"))
    return Finding(
        name="NPU",
        found=bool(nodes),
        detail=", ".join(nodes) or "no /dev/davinci* device",
        remedy=None
        if nodes
        else "Use a machine with an Ascend NPU and its driver, or the twin (--toolchain twin).",
    )
