"""What a model server is started with, as data: command line, environment; on NPUs plugin, versions, CANN, devices.

Source: pages "Installation" and "Versioning policy" of vLLM Ascend: vllm-ascend is released for one vLLM, one CANN and
one torch_npu; NNAL brings libatb.so. What is newer than the table (`ascend_versions.csv`) is not judged.
"""

import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InfraError, InputError
from akgen.tools.core.untrusted import parse_object, read_text

Device = Literal["cpu", "gpu", "npu"]
LORA_RANKS = (8, 16, 32, 64, 128, 256, 320, 512)  # the sizes that vLLM sets memory aside for
NOT_PASSED_ON = ("OMP_NUM_THREADS", "PYTHONPATH")  # ours: one thread, and our package
_TABLE = Path(__file__).with_name("ascend_versions.csv")
_LEAST_VLLM = (0, 11)  # which takes --structured-outputs-config
_NNAL = (
    "Source its script, such as /usr/local/Ascend/nnal/atb/set_env.sh; NNAL is a package beside the toolkit."
)


class Adapter(Frozen):
    """A LoRA adapter under the name by which it is asked for."""

    name: str
    folder: Path

    @property
    def rank(self) -> int:
        """Return its rank. Raises InputError if the folder holds no adapter."""
        path = self.folder / "adapter_config.json"
        try:
            return int(parse_object(read_text(path))["r"])
        except (InputError, ValueError, KeyError, TypeError, OverflowError) as problem:
            raise InputError(
                f"{self.folder} holds no LoRA adapter: {path.name} cannot be read.",
                "Give a folder as PEFT saves it, with adapter_config.json and adapter_model.safetensors.",
            ) from problem


class ServeOptions(Frozen):
    """A server to start. `model` is a checkpoint's folder or a name that vLLM knows where to find."""

    model: str
    device: Device
    python: Path
    host: str = "127.0.0.1"
    port: int = 8000
    name: str | None = None  # by which it is asked for; the model's own if None
    max_len: int | None = None  # tokens of prompt and reply; the model's own if None
    adapters: tuple[Adapter, ...] = ()
    tensor_parallel: int = 1
    dtype: str | None = None
    eager: bool = False  # starts sooner, answers more slowly
    cache_gb: int = 2  # for keys and values, on a CPU
    threads: int = 1  # on a CPU
    cann: str | None = None  # the version of CANN, for NPUs; None: not known
    nodes: Path = Path("/dev")  # where the device files of NPUs lie
    more: tuple[str, ...] = ()  # handed on as they are

    @property
    def served_name(self) -> str:
        return self.name or Path(self.model).name

    @property
    def base_url(self) -> str:
        shown = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host
        return f"http://{shown}:{self.port}"


def command(options: ServeOptions) -> list[str]:
    """Return the server's command line."""
    words = [str(options.python), "-m", "vllm.entrypoints.openai.api_server", "--model", options.model]
    words += ["--served-model-name", options.served_name, "--host", options.host, "--port", str(options.port)]
    words += ["--enable-prefix-caching"]  # candidates of a task share their prompt
    # A grammar that allows any white space lets small models fill their answer with it.
    words += ["--structured-outputs-config", '{"backend": "guidance", "disable_any_whitespace": true}']
    if options.max_len is not None:
        words += ["--max-model-len", str(options.max_len)]
    if options.tensor_parallel > 1:
        words += ["--tensor-parallel-size", str(options.tensor_parallel)]
    dtype = options.dtype or ("bfloat16" if options.device == "cpu" else None)
    if dtype is not None:
        words += ["--dtype", dtype]
    if options.eager:
        words += ["--enforce-eager"]
    if options.device == "cpu":
        # vLLM takes back what it drew after a part of a prompt, and a CPU's generator cannot: a seeded request with a
        # prompt that is taken in parts would end the server.
        words += ["--no-enable-chunked-prefill"]
    if options.adapters:
        rank = max(adapter.rank for adapter in options.adapters)
        fitting = next((size for size in LORA_RANKS if size >= rank), rank)
        words += ["--enable-lora", "--max-lora-rank", str(fitting), "--max-loras", str(len(options.adapters))]
        words += ["--lora-modules", *(f"{a.name}={a.folder.resolve()}" for a in options.adapters)]
    return [*words, *options.more]


def environment(options: ServeOptions, inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the server's environment: what is inherited, and what the device needs."""
    found = {name: value for name, value in inherited.items() if name not in NOT_PASSED_ON}
    found |= {"VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
    if Path(options.model).is_dir():
        found["HF_HUB_OFFLINE"] = "1"
    if options.adapters:
        found["VLLM_ALLOW_RUNTIME_LORA_UPDATING"] = "1"  # training hands over new weights while it serves
    if options.device == "cpu":
        found["VLLM_CPU_KVCACHE_SPACE"] = str(options.cache_gb)
        found["VLLM_CPU_OMP_THREADS_BIND"] = f"0-{options.threads - 1}"
    if options.device == "npu":
        found["VLLM_WORKER_MULTIPROC_METHOD"] = "spawn"  # a forked process cannot use the device again
        found.pop("TORCH_DEVICE_BACKEND_AUTOLOAD", None)  # 0 is for those who have torch_npu and no CANN
    return found


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
