"""The processor time of a task is that of all processes that work on it."""

import subprocess
import sys

import pytest

from akgen.bench.job import processor_s
from tests.bench.test_report import RECORDS, make

BUSY = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True)\n"


@pytest.mark.parametrize("ends", [True, False])
def test_a_process_that_was_started_counts_whether_or_not_it_has_ended(ends: bool) -> None:
    before = processor_s()
    code = BUSY + ("" if ends else "input()\n")
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as busy:
        assert busy.stdout is not None
        busy.stdout.readline()
        if ends:
            busy.wait()
        assert processor_s() - before >= 0.25


def test_the_report_has_the_median_of_solved_samples_by_level() -> None:
    solved = [
        RECORDS[0].model_copy(update={"sample": k, "processor_s": s}) for k, s in enumerate((3.0, 1.0, 2.5))
    ]
    wrong = RECORDS[1].model_copy(update={"processor_s": 90.0})
    levels = make(samples=3, records=[*solved, wrong]).levels
    assert (levels["1"].processor_s, levels["2"].processor_s) == (2.5, None)
