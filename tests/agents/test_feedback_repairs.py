"""The feedback names the cause of injected faults, and following it to the letter mends most of them.

Measures the feedback, not a model: `repair/fixer.py` does what the remedies say and knows nothing else.
"""

import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.twin.toolchain import TwinToolchain
from tests.sampled import sampled

sys.path.insert(0, str(Path(__file__).parent / "repair"))
from faults import Bench, Fault, read_faults


@pytest.mark.parametrize("fault", sampled(read_faults(), 8), ids=lambda f: f.name)
def test_the_cause_is_named_and_the_remedies_mend_it(
    fault: Fault, twin: TwinToolchain, reference: ReferenceWorker, tmp_path: Path
) -> None:
    told, mended = Bench(twin, reference).repair(fault, tmp_path)
    assert told is not None
    assert re.search(fault.cause, " ".join(told.split())), told
    assert mended == fault.repaired, told


def test_the_faults_have_the_classes_of_faults_in_models_kernels() -> None:
    faults = read_faults()
    assert len({(f.pattern, f.old, f.new) for f in faults}) == len(faults) == 60
    assert Counter(f.kind for f in faults) == {"api": 31, "type": 12, "scope": 10, "memory": 5, "other": 2}
    assert sum(f.repaired for f in faults) >= 40
