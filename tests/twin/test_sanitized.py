"""The runtime under AddressSanitizer and UndefinedBehaviorSanitizer has nothing to report over the corpus."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from akgen.tools.twin.settings import TwinSettings
from akgen.tools.twin.toolchain import TwinToolchain

pytestmark = pytest.mark.slow  # builds a runtime of its own

SPEC = importlib.util.spec_from_file_location("twin_fuzz", Path(__file__).with_name("fuzz.py"))
assert SPEC is not None and SPEC.loader is not None
FUZZ: Any = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(FUZZ)
PAIRS: Any = FUZZ.load("pairs")
# -O1 is enough; wrap-around of integers is what the vector unit does.
FLAGS = ("-O1", "-g1", "-fwrapv", "-fsanitize=address,undefined", "-fno-omit-frame-pointer")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sanitizer")


@pytest.fixture(scope="module")
def sanitized(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> TwinToolchain:
    # The runtime catches faults itself, ends without destructors and is opened, for a sanitizer reads /proc.
    ours = "".join(f":handle_{signal}=0" for signal in ("segv", "sigbus", "sigfpe", "abort"))
    address = f"log_path={logs}/asan:detect_leaks=0:use_sigaltstack=0{ours}"
    undefined = f"log_path={logs}/ubsan:print_stacktrace=1"
    env = (("ASAN_OPTIONS", address), ("UBSAN_OPTIONS", undefined), ("AKGEN_TWIN_OPEN", "1"))
    cache = tmp_path_factory.mktemp("sanitized-cache")
    settings = TwinSettings(cache=cache, runtime_flags=FLAGS, launcher_env=env)
    toolchain = TwinToolchain(settings)
    toolchain.prepare(print)
    return toolchain


def test_the_runtime_is_instrumented(
    sanitized: TwinToolchain, tmp_path_factory: pytest.TempPathFactory
) -> None:
    built = [*tmp_path_factory.getbasetemp().glob("sanitized-cache[0-9]*/runtime/**/libakgen_twin.so")]
    assert len(built) == 1
    library = built[0].read_bytes()
    assert b"__asan_report" in library and b"__ubsan_handle" in library


@pytest.mark.parametrize(
    "pair", [p for p in PAIRS.read_pairs() if "timeout" not in p.said], ids=lambda p: p.name
)
def test_no_report(sanitized: TwinToolchain, logs: Path, tmp_path: Path, pair: Any) -> None:
    for kind, project in (("faulty", pair.faulty), ("correct", pair.correct)):
        ended = PAIRS.run(sanitized, pair, project, tmp_path / kind)
        found = sorted(logs.iterdir())
        said = "\n".join(p.read_text()[:2000] for p in found)
        for path in found:
            path.unlink()
        assert not found, said
        if kind == "correct":
            assert ended.outcome is None, ended.diagnostics
