"""Mutated kernels of the corpus through compiler and launcher: whatever is written, it ends in an outcome.

`python tests/twin/fuzz.py --count 20000 --seed 1`. Each mutant is drawn from the seed and its number, so that
`--first N --count 1` runs one again. A crash, a hang or an InfraError is printed with the mutant's number, and the
status is 1. Mutants use a cache folder of their own.
"""

import argparse
import importlib.util
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "src"))  # runs without an installation, too

from akgen.tools.core.outcome import InfraError  # noqa: E402
from akgen.tools.twin.settings import TwinSettings, user_cache  # noqa: E402
from akgen.tools.twin.toolchain import TwinToolchain  # noqa: E402

TIMEOUT_S = 2.0  # of a launch
MOST_S = 60.0  # of a mutant: compile and launch


def load(name: str) -> ModuleType:
    """Load a module of the corpus, which is no package."""
    full = f"corpus_{name}"
    if full not in sys.modules:
        spec = importlib.util.spec_from_file_location(full, HERE / "corpus" / f"{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[full] = module
        spec.loader.exec_module(module)
    return sys.modules[full]


def mutant(pairs: list[Any], number: int, seed: int) -> Any:
    """Return a pair whose `correct` kernel is mutated."""
    source = random.Random(f"{seed}/{number}")
    pair = source.choice(pairs)
    kernel = load("pairs").KERNEL
    text = load("mutate").mutate(pair.correct.files[kernel], source)
    project = pair.correct.model_copy(update={"files": {**pair.correct.files, kernel: text}})
    return pair._replace(correct=project, said={**pair.said, "timeout": str(TIMEOUT_S)})


def outcome_of(twin: TwinToolchain, pair: Any, folder: Path) -> str:
    """Run a mutant. Return its outcome, or `ran`; AssertionError if an outcome comes without a finding."""
    ended = load("pairs").run(twin, pair, pair.correct, folder)
    errors = [d for d in ended.diagnostics if d.severity == "error"]
    assert (ended.outcome is None) == (not errors), ended
    assert all(d.code and d.text for d in ended.diagnostics), ended
    return ended.outcome or "ran"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    pairs = [p for p in load("pairs").read_pairs() if not p.name.startswith("host/")]
    counts: Counter[str] = Counter()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="akgen-fuzz-") as scratch:
        twin = TwinToolchain(TwinSettings(cache=_cache(Path(scratch))))
        twin.prepare(lambda _: None)
        began = time.monotonic()
        for number in range(given.first, given.first + given.count):
            started = time.monotonic()
            with tempfile.TemporaryDirectory(dir=scratch) as folder:
                try:
                    counts[outcome_of(twin, mutant(pairs, number, given.seed), Path(folder) / "m")] += 1
                except (
                    InfraError,
                    AssertionError,
                    ValueError,
                    KeyError,
                    IndexError,
                    OSError,
                    TypeError,
                ) as e:
                    failed += 1
                    print(
                        f"mutant {number} of seed {given.seed}: {type(e).__name__}: {str(e)[:400]}",
                        flush=True,
                    )
            if time.monotonic() - started > MOST_S:
                failed += 1
                print(
                    f"mutant {number} of seed {given.seed} took {time.monotonic() - started:.0f} s",
                    flush=True,
                )
            if (number + 1) % 500 == 0:
                _forget_kernels(Path(scratch))
                print(f"{number + 1}: {dict(counts)} in {time.monotonic() - began:.0f} s", flush=True)
    print(f"{sum(counts.values())} mutants ended in an outcome, {failed} did not: {dict(counts)}")
    return 1 if failed else 0


def _cache(scratch: Path) -> Path:
    """Give the mutants a cache of their own, with the built runtime of the user's."""
    users, own = user_cache(os.environ), scratch / "cache"
    own.mkdir()
    for name in ("runtime", "objects", "chips", "host"):
        (users / name).mkdir(parents=True, exist_ok=True)
        (own / name).symlink_to(users / name)
    return own


def _forget_kernels(scratch: Path) -> None:
    shutil.rmtree(scratch / "cache" / "kernel", ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
