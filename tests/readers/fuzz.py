"""Mutated documents through every reader: `make fuzz-readers N=5000 SEED=1`. Each reader gets N."""

import argparse
import sys
import time
import traceback
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]
SLOW_S = 20.0  # of processor time: a reader that takes longer hangs


def failures(reader: "Reader", numbers: range, seed: int, folder: Path) -> list[str]:  # type: ignore[name-defined]  # noqa: F821
    """Return the tracebacks of a reader over these documents, each with the number that makes it again."""
    from tests.readers.catalogue import REFUSALS, sound
    from tests.readers.mutations import mutated

    found = []
    for number in numbers:
        random = Random(f"{seed} {reader.name} {number}")
        data = mutated(random.choice(reader.seeds), random)
        begin = time.process_time()
        try:
            sound(reader.read(data, folder))
        except REFUSALS as refusal:
            words = getattr(refusal, "text", None) or str(refusal)
            if "\n" in words and reader.name != "tile DSL":
                found.append(f"{reader.name} {number}: a refusal of several lines: {words[:300]!r}")
        except Exception:  # noqa: BLE001 (what is looked for)
            found.append(f"{reader.name} {number}: {data[:200]!r}\n{traceback.format_exc(limit=-6)}")
        if time.process_time() - begin > SLOW_S:
            found.append(f"{reader.name} {number}: took {time.process_time() - begin:.0f} s")
    return found


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=1000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--only", default="")
    given = arguments.parse_args()
    sys.path.insert(0, str(ROOT))
    from tests.readers.catalogue import catalogue

    total = 0
    for reader in catalogue():
        if given.only and given.only not in reader.name:
            continue
        begin = time.monotonic()
        with TemporaryDirectory() as folder:
            found = failures(reader, range(given.count), given.seed, Path(folder))
        total += len(found)
        print(f"{reader.name}: {given.count} inputs, {len(found)} failures, {time.monotonic() - begin:.1f} s")
        for text in found[:3]:
            print(text)
    print(f"{total} failures")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
