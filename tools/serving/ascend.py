"""What a server on NPUs needs beside vLLM: the plugin, versions that fit each other, CANN's environment, devices.

Source: pages "Installation" and "Versioning policy" of vLLM Ascend: vllm-ascend is released for one vLLM, one CANN and
one torch_npu; NNAL brings libatb.so. What is newer than the table (`ascend_versions.csv`) is not judged.
"""

import csv
import re
from collections.abc import Mapping
from pathlib import Path

from akgen.tools.core.outcome import InfraError, InputError
from akgen.tools.serving.options import ServeOptions

_TABLE = Path(__file__).with_name("ascend_versions.csv")
_LEAST_VLLM = (0, 11)  # which takes --structured-outputs-config
_NNAL = (
    "Source its script, such as /usr/local/Ascend/nnal/atb/set_env.sh; NNAL is a package beside the toolkit."
)


def require_ascend(options: ServeOptions, versions: Mapping[str, str | None], env: Mapping[str, str]) -> None:
    """Raise InfraError, or InputError for a variable that shuts NPUs out, at the first thing that does not fit.

    `versions` are those of packages in vLLM's environment; None: not known, and not judged.
    """
    cann = options.cann
    vllm, plugin = versions.get("vllm"), versions.get("vllm_ascend")
    plugins = env.get("VLLM_PLUGINS")
    if plugins is not None and "ascend" not in plugins.split(","):
        raise InputError(
            f"VLLM_PLUGINS is {plugins!r}, so that vLLM does not load vllm-ascend.",
            "Unset it, or add ascend.",
        )
    if vllm is not None and _release(vllm) < _LEAST_VLLM:
        raise InfraError(f"vLLM {vllm} is found, 0.11 or later is needed.", _pair(cann))
    row = next((r for r in table() if r["vllm_ascend"] == plugin), None)
    made_for = row["vllm"] if row is not None else plugin  # of its own number, as a rule
    if vllm is not None and made_for is not None and _release(vllm) != _release(made_for):
        raise InfraError(
            f"vllm-ascend {plugin} and vLLM {vllm} are found, and vllm-ascend is made for one vLLM, {made_for}.",
            _pair(cann),
        )
    torch_npu = versions.get("torch_npu")
    if row is not None and torch_npu is not None and _release(torch_npu) != _release(row["torch_npu"]):
        raise InfraError(
            f"torch_npu {torch_npu} is found, vllm-ascend {plugin} needs {row['torch_npu']}.",
            f"pip install torch_npu=={row['torch_npu']} into the environment of vLLM.",
        )
    if row is not None and cann is not None and _release(cann) < _release(row["cann"]):
        raise InfraError(f"CANN {cann} is found, vllm-ascend {plugin} needs {row['cann']}.", _pair(cann))
    _require_environment(env)
    _require_devices(options, env)


def table() -> list[dict[str, str]]:
    with _TABLE.open() as file:
        return list(csv.DictReader(file))


def _require_environment(env: Mapping[str, str]) -> None:
    if not env.get("ASCEND_HOME_PATH"):
        raise InfraError(
            "ASCEND_HOME_PATH is not set: the server would not find CANN's libraries.",
            "Source CANN's set_env.sh in this shell, then start again.",
        )
    folders = [Path(p) for p in env.get("LD_LIBRARY_PATH", "").split(":") if p]
    for library, remedy in (
        ("libascendcl.so", "Source CANN's set_env.sh in this shell."),
        ("libatb.so", _NNAL),
    ):
        if not any((p / library).is_file() for p in folders):
            raise InfraError(f"{library} is not on LD_LIBRARY_PATH, and vllm-ascend needs it.", remedy)


def _require_devices(options: ServeOptions, env: Mapping[str, str]) -> None:
    here = len(list(options.nodes.glob("davinci[0-9]*")))
    named = env.get("ASCEND_RT_VISIBLE_DEVICES")
    count = min(here, len([w for w in named.split(",") if w.strip()])) if named is not None else here
    if count < options.tensor_parallel:
        seen = f", of which ASCEND_RT_VISIBLE_DEVICES shows {count}" if named is not None else ""
        raise InfraError(
            f"{options.tensor_parallel} NPUs are needed, {here} are found{seen}.",
            "Give a smaller --tensor-parallel, or pass more devices into the container.",
        )


def _pair(cann: str | None) -> str:
    """Return what to install: the newest release for this CANN, a candidate of one where there is none."""
    fits = [r for r in table() if cann is None or _release(r["cann"]) <= _release(cann)] or table()
    row = next((r for r in fits if "rc" not in r["vllm_ascend"]), fits[0])
    pair = f"vllm=={row['vllm']} vllm-ascend=={row['vllm_ascend']}"
    return f"pip install {pair} (for CANN {row['cann']}), in a venv of its own."


def _release(version: str) -> tuple[int, ...]:
    """Return the numbers that two versions are compared by, without a third that is 0 and what comes after them."""
    plain = re.split(r"(?i)\.?(?:post|rc|dev|beta|alpha|\+)", version.removeprefix("v"))[0]
    numbers = [int(n) for n in re.findall(r"\d+", plain)]
    return tuple(numbers[:3]) if any(numbers[2:3]) else tuple(numbers[:2])
