"""The runtime's entry points, called from sealed kernels with any bytes for arguments: each launch ends in an outcome.

`python tests/twin/fuzz_calls.py --count 5000 --seed 1`. The calls are written from the headers' declarations; a launch
draws six of them and their arguments from its number, so that `--first N --count 1` runs one again. A crash of the
launcher, a hang or an InfraError is printed with the launch's number, and the status is 1.
"""

import argparse
import os
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "src"))  # runs without an installation, too

from akgen.tools.core.call import Attr, Call, OutputMeta, TensorFile, TensorMeta  # noqa: E402
from akgen.tools.core.dtypes import DType  # noqa: E402
from akgen.tools.core.outcome import InfraError  # noqa: E402
from akgen.tools.core.project import KernelProject  # noqa: E402
from akgen.tools.core.toolchain import RunOptions  # noqa: E402
from akgen.tools.twin.precompiled import DEVICE_INCLUDE  # noqa: E402
from akgen.tools.twin.settings import TwinSettings, user_cache  # noqa: E402
from akgen.tools.twin.toolchain import TwinToolchain  # noqa: E402

TIMEOUT_S = 10.0  # of a launch
HEADERS = sorted(
    p.stem for p in (DEVICE_INCLUDE / "akgen").glob("*.h") if p.stem != "unit"
)  # which sealed code lacks
_END = ("kernel_trap", "assert_failed")  # a launch, whatever their arguments are
_DECLARED = re.compile(
    r"AKGEN_API\s+([^;{}()]*?)\b(\w+)\(((?:[^;{}()]|\([^()]*\))*)\)(?:\s*__attribute__\(\(.*?\)\))?[^;{}()]*;"
)
_NAME = re.compile(r"\s*\b\w+\s*(?:=.*)?$", re.DOTALL)


class Entry(NamedTuple):
    name: str
    types: tuple[str, ...]


def entries() -> list[Entry]:
    """Read the declarations of every entry point that sealed code may call."""
    found = []
    for header in HEADERS:
        text = re.sub(r"//.*", "", (DEVICE_INCLUDE / "akgen" / f"{header}.h").read_text())
        for _, name, parameters in _DECLARED.findall(text):
            if name in _END:
                continue
            given = [p.strip() for p in re.split(r",(?![^()<>]*[)>])", parameters) if p.strip()]
            found.append(Entry(name, tuple("..." if p == "..." else _NAME.sub("", p) for p in given)))
    return found


def kernel(found: list[Entry]) -> str:
    """Write a kernel that draws calls from the seed in its input."""
    cases = []
    for number, entry in enumerate(found):
        given = ", ".join(
            "any<uint64_t>(), any<double>()" if t == "..." else f"any<{t}>()" for t in entry.types
        )
        cases.append(f"    case {number}: (void){entry.name}({given}); break;")
    text = (HERE / "corpus" / "calls.cpp").read_text()
    return text.replace("    // CASES", "\n".join(cases)).replace("COUNT", str(len(found)))


def project(found: list[Entry]) -> KernelProject:
    files = {f"op_host/{p.name}": p.read_text() for p in sorted((HERE / "corpus" / "host").iterdir())}
    files["op_kernel/corpus.cpp"] = kernel(found)
    return KernelProject(op_type="Corpus", kernel="corpus", files=files)


def sanitized(cache: Path, logs: Path) -> TwinSettings:
    """Return what builds a runtime that reports its own faults, and lets kernels run without a seal."""
    flags = ("-O1", "-g1", "-fwrapv", "-fsanitize=address,bounds", "-fno-omit-frame-pointer")
    ours = "".join(f":handle_{signal}=0" for signal in ("segv", "sigbus", "sigfpe", "abort"))
    address = f"log_path={logs}/asan:detect_leaks=0:use_sigaltstack=0{ours}"
    env = (
        ("ASAN_OPTIONS", address),
        ("UBSAN_OPTIONS", f"log_path={logs}/ubsan"),
        ("AKGEN_TWIN_OPEN", "1"),
    )
    return TwinSettings(cache=cache, runtime_flags=flags, launcher_env=env)


class Calls:
    """The kernel, built once; each launch is another draw."""

    def __init__(self, twin: TwinToolchain, folder: Path) -> None:
        self._twin = twin
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._build = twin.compile(project(entries()), [self._call(0, 0)], folder / "build")
        assert self._build.outcome is None, "\n".join(f"{d.line} {d.text}" for d in self._build.diagnostics)

    def codes(self, seed: int, number: int) -> frozenset[str]:
        """Launch one draw. Return the codes of its findings. Raises InfraError, AssertionError without an outcome."""
        run = self._folder / f"run{number}"
        launch = self._twin.run(self._build, self._call(seed, number), run, RunOptions(timeout_s=TIMEOUT_S))
        found = frozenset(d.code for d in launch.diagnostics if d.severity == "error")
        assert (launch.outcome is None) == (not found), launch
        assert not found & {"KERNEL_CRASH", "TIMEOUT"}, launch.diagnostics
        return found

    def _call(self, seed: int, number: int) -> Call:
        x = np.zeros(1024, dtype=np.float32)
        x.view(np.uint32)[:2] = seed, number
        x.tofile(self._folder / "x.bin")
        return Call(
            inputs=(TensorFile(dtype=DType.FLOAT32, shape=x.shape, path=self._folder / "x.bin"),),
            attrs=(Attr(name="blocks", value=1 + number % 2), Attr(name="workspace", value=4096)),
            outputs=(OutputMeta(meta=TensorMeta(dtype=DType.FLOAT32, shape=x.shape)),),
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sanitized", action="store_true", help="with AddressSanitizer and checked bounds")
    given = parser.parse_args()
    counts: Counter[Any] = Counter()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="akgen-calls-") as scratch:
        logs = Path(scratch) / "logs"
        logs.mkdir()
        settings = TwinSettings(cache=user_cache(os.environ))
        twin = TwinToolchain(sanitized(Path(scratch) / "cache", logs) if given.sanitized else settings)
        twin.prepare(lambda _: None)
        calls = Calls(twin, Path(scratch))
        for number in range(given.first, given.first + given.count):
            began = time.monotonic()
            try:
                codes = calls.codes(given.seed, number)
                counts.update(codes or ["none"])
                said = [(p, p.read_text()) for p in sorted(logs.iterdir())]
                for path, _ in said:
                    path.unlink()
                assert not said, said[0][1]
            except (InfraError, AssertionError, OSError) as problem:
                failed += 1
                took = time.monotonic() - began
                print(
                    f"launch {number} of seed {given.seed} ({took:.1f} s): {str(problem)[:300]}", flush=True
                )
    print(f"{given.count} launches, {failed} without a sound end: {dict(counts.most_common())}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
