"""`akgen serve`: right flags, waits until the server answers, says what is wrong, leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from akgen.tools.core.outcome import InfraError, InputError
from akgen.tools.serving.options import Adapter, ServeOptions, command, environment
from akgen.tools.serving.server import serving
from tests.conformance.vllm_server import free_port
from tests.sampled import sampled
from tests.tools.serving.stand_in import make_interpreter


def _adapter(folder: Path, rank: int) -> Adapter:
    folder.mkdir(parents=True)
    (folder / "adapter_config.json").write_text(json.dumps({"r": rank}))
    return Adapter(name=folder.name, folder=folder)


def _options(folder: Path, *packages: str, **more: Any) -> ServeOptions:
    python = make_interpreter(folder, sys.executable, *(packages or ("vllm",)))
    return ServeOptions(model="models/small", device="cpu", python=python, port=free_port(), **more)


def _alive(pid: int) -> bool:
    """Say whether a process runs; one that ended and that nobody has asked about does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def _gone(pid: int) -> bool:
    """Wait until a process does not run any more; False if it still does."""
    deadline = time.monotonic() + 20
    while _alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not _alive(pid)


def test_the_command_line_has_what_this_work_needs(tmp_path: Path) -> None:
    options = ServeOptions(
        model="m/KernelGen-LM-32B",
        device="npu",
        python=Path("python"),
        port=9000,
        max_len=32768,
        adapters=(_adapter(tmp_path / "a", 8), _adapter(tmp_path / "b", 20)),
        tensor_parallel=4,
        dtype="bfloat16",
        more=("--reasoning-parser", "qwen3"),
    )
    line = " ".join(command(options))
    for piece in (
        "-m vllm.entrypoints.openai.api_server --model m/KernelGen-LM-32B", "--served-model-name KernelGen-LM-32B",
        "--port 9000", "--enable-prefix-caching", "--max-model-len 32768", "--tensor-parallel-size 4",
        "--enable-lora --max-lora-rank 32 --max-loras 2", f"--lora-modules a={tmp_path / 'a'} b={tmp_path / 'b'}",
        "--dtype bfloat16",
    ):  # fmt: skip
        assert piece in line, piece
    assert line.endswith("--reasoning-parser qwen3")


@pytest.mark.parametrize(
    ("device", "name", "value"),
    [("cpu", "VLLM_CPU_KVCACHE_SPACE", "7"), ("cpu", "VLLM_CPU_OMP_THREADS_BIND", "0-1"),
     ("npu", "VLLM_WORKER_MULTIPROC_METHOD", "spawn"), ("gpu", "CUDA_VISIBLE_DEVICES", "1")],
)  # fmt: skip
def test_the_environment_is_inherited_and_fits_the_device(device: Any, name: str, value: str) -> None:
    options = ServeOptions(model="m", device=device, python=Path("p"), cache_gb=7, threads=2)
    found = environment(options, {"CUDA_VISIBLE_DEVICES": "1", "OMP_NUM_THREADS": "1"})
    assert found[name] == value
    assert "OMP_NUM_THREADS" not in found and found["VLLM_NO_USAGE_STATS"] == "1"


def test_a_folder_without_an_adapter_is_refused(tmp_path: Path) -> None:
    options = ServeOptions(
        model="m", device="cpu", python=Path("p"), adapters=(Adapter(name="a", folder=tmp_path),)
    )
    with pytest.raises(InputError, match="holds no LoRA adapter"):
        command(options)


def test_it_answers_under_its_names_and_leaves_no_process(tmp_path: Path) -> None:
    options = _options(tmp_path, name="small", adapters=(_adapter(tmp_path / "tuned", 8),))
    said: list[str] = []
    with serving(options, os.environ, tmp_path / "work", said.append, 30) as (answering, service):
        assert answering.models == ("small", "tuned")
        assert httpx.get(f"{answering.base_url}/models").status_code == 200
        child = json.loads((tmp_path / "work" / "started.json").read_text())["child"]
        assert _alive(child)
    assert said
    assert not _alive(service.pid) and not _alive(child)
    assert "shut down" in answering.log.read_text()  # it was asked to end before it was killed


@pytest.mark.parametrize(
    ("device", "has", "lacks"), [("cpu", ("other",), "vllm"), ("npu", ("vllm",), "vllm_ascend")]
)
def test_a_missing_vllm_is_told_with_the_remedy(
    tmp_path: Path, device: Any, has: tuple[str, ...], lacks: str
) -> None:
    options = _options(tmp_path, *has).model_copy(update={"device": device})
    with (
        pytest.raises(InfraError, match=f"no package {lacks},") as missing,
        serving(options, os.environ, tmp_path / "work", print, 30),
    ):
        pass
    assert "nstall" in missing.value.remedy


@pytest.mark.parametrize(
    ("word", "within_s", "said"),
    [
        ("--die", 30.0, "ValueError: no such model"),
        ("--hang", 1.0, "did not answer within 1 s: loading weights"),
    ],
)
def test_a_server_that_does_not_come_up_says_why(
    tmp_path: Path, word: str, within_s: float, said: str
) -> None:
    options = _options(tmp_path, more=(word,))
    with (
        pytest.raises(InfraError, match=said) as failed,
        serving(options, os.environ, tmp_path / "work", lambda _: None, within_s),
    ):
        pass
    assert f"{options.port}.log" in failed.value.remedy


def test_a_port_that_is_taken_is_refused_before_anything_starts(tmp_path: Path) -> None:
    options = _options(tmp_path)
    with (
        serving(options, os.environ, tmp_path / "work", lambda _: None, 30),
        pytest.raises(InputError, match="cannot be listened on"),
        serving(options, os.environ, tmp_path / "again", lambda _: None, 30),
    ):
        pass


@pytest.mark.parametrize("number", sampled([signal.SIGINT, signal.SIGTERM, signal.SIGKILL], 3))
def test_nothing_is_left_of_the_server_however_the_command_ends(
    tmp_path: Path, number: signal.Signals
) -> None:
    python, port = make_interpreter(tmp_path, sys.executable, "vllm"), free_port()
    words = [sys.executable, "-m", "akgen", "serve", "models/small", "--cpu", "--python", str(python)]
    words += ["--port", str(port), "--json", "--", "--reasoning-parser", "qwen3"]
    env = {**os.environ, "AKGEN_CACHE": str(tmp_path / "cache")}
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=env) as process:
        assert process.stdout is not None
        text = b""
        while not text.rstrip().endswith(b"}"):
            text += process.stdout.readline()
        told = json.loads(text)
        process.send_signal(number)
        assert process.wait(30) == (-signal.SIGKILL if number is signal.SIGKILL else 0)
    assert told["models"] == ["small"] and told["base_url"] == f"http://127.0.0.1:{port}/v1"
    started = json.loads((tmp_path / "cache" / "serve" / "started.json").read_text())
    assert started["argv"][-2:] == ["--reasoning-parser", "qwen3"]
    for pid in (told["pid"], started["child"]):
        assert _gone(pid), os.kill(pid, signal.SIGKILL)


def _ascend(folder: Path, devices: int = 2, **versions: str) -> tuple[ServeOptions, dict[str, str]]:
    """Return an interpreter with packages of these versions, and a shell where CANN 8.5.1 and NNAL were sourced."""
    versions = {"vllm": "0.18.0", "vllm_ascend": "0.18.0rc1", "torch_npu": "2.9.0"} | versions
    python = make_interpreter(folder, sys.executable, *(n for n, v in versions.items() if v))
    for name, version in versions.items():
        if version:
            about = folder / "site" / f"{name}-{version}.dist-info"
            about.mkdir()
            (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (folder / "lib").mkdir()
    for library in ("libascendcl.so", "libatb.so"):
        (folder / "lib" / library).touch()
    for number in range(devices):
        (folder / f"davinci{number}").touch()
    env = {**os.environ, "ASCEND_HOME_PATH": str(folder), "LD_LIBRARY_PATH": str(folder / "lib")}
    options = ServeOptions(
        model="models/small",
        device="npu",
        python=python,
        port=free_port(),
        tensor_parallel=2,
        nodes=folder,
        cann="8.5.1",
    )
    return options, env


def test_on_npus_it_answers_once_all_that_the_plugin_needs_is_there(tmp_path: Path) -> None:
    options, env = _ascend(tmp_path)
    options = options.model_copy(update={"adapters": (_adapter(tmp_path / "tuned", 16),)})
    env["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    with serving(options, env, tmp_path / "work", lambda _: None, 30) as (answering, _):
        assert answering.models == ("small", "tuned")
        started = json.loads((tmp_path / "work" / "started.json").read_text())
    assert started["env"]["VLLM_WORKER_MULTIPROC_METHOD"] == "spawn"
    assert "TORCH_DEVICE_BACKEND_AUTOLOAD" not in started["env"]
    assert "--tensor-parallel-size" in started["argv"] and "--enable-lora" in started["argv"]


@pytest.mark.parametrize(
    ("change", "said", "remedy"),
    [
        ({"vllm_ascend": ""}, "no package vllm_ascend", "vllm-ascend"),
        ({"vllm": "0.17.1"}, "vllm-ascend 0.18.0rc1 and vLLM 0.17.1", "vllm==0.18.0 vllm-ascend==0.18.0 "),
        ({"vllm": "0.14.0", "vllm_ascend": "0.14.0rc1"}, "made for one vLLM, 0.14.1", "vllm=="),
        ({"vllm": "0.14.1", "vllm_ascend": "0.14.0rc1", "torch_npu": "2.8.0"}, "0.14.0rc1 needs 2.9.0", "torch_npu=="),
        ({"vllm": "0.13.0", "vllm_ascend": "0.13.0", "torch_npu": "2.9.0"}, "needs 2.8.0.post2", "2.8.0.post2"),
        ({"vllm": "0.9.1", "vllm_ascend": "0.9.1"}, "vLLM 0.9.1 is found, 0.11", "pip install vllm=="),
        ({"torch_npu": "2.7.1"}, "torch_npu 2.7.1 is found, vllm-ascend 0.18.0rc1 needs 2.9.0", "torch_npu==2.9.0"),
        ({"vllm": "0.23.0", "vllm_ascend": "0.23.0", "torch_npu": "2.10.0.post4"}, "CANN 8.5.1 is found", "0.18.0"),
        ({"-ASCEND_HOME_PATH": ""}, "ASCEND_HOME_PATH", "set_env.sh"),
        ({"-LD_LIBRARY_PATH": "/nowhere"}, "libascendcl.so", "set_env.sh"),
        ({"nnal": "no"}, "libatb.so", "nnal"),
        ({"devices": 1}, "2 NPUs are needed, 1 are found", "--tensor-parallel"),
        ({"-ASCEND_RT_VISIBLE_DEVICES": "1"}, "shows 1", "--tensor-parallel"),
        ({"-VLLM_PLUGINS": "other"}, "does not load vllm-ascend", "ascend"),
    ],
)  # fmt: skip
def test_what_a_server_on_npus_lacks_is_told_before_it_starts(
    tmp_path: Path, change: dict[str, Any], said: str, remedy: str
) -> None:
    nnal = change.pop("nnal", "yes")
    set_in_shell = {k[1:]: change.pop(k) for k in list(change) if k.startswith("-")}
    options, env = _ascend(tmp_path, **change)
    if nnal == "no":
        (tmp_path / "lib" / "libatb.so").unlink()
    with (
        pytest.raises((InfraError, InputError), match=said) as told,
        serving(options, {**env, **set_in_shell}, tmp_path / "work", print, 30),
    ):
        pass
    assert remedy in told.value.remedy
    assert not (tmp_path / "work" / "started.json").exists()
