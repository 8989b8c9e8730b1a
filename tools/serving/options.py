"""What a model server is started with, as data: its command line and its environment."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.untrusted import parse_object, read_text

Device = Literal["cpu", "gpu", "npu"]
LORA_RANKS = (8, 16, 32, 64, 128, 256, 320, 512)  # the sizes that vLLM sets memory aside for
NOT_PASSED_ON = ("OMP_NUM_THREADS", "PYTHONPATH")  # ours: one thread, and our package


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
