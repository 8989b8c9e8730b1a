"""Write the built-in tasks' certificates: `python -m akgen.bench.certify [TASK ...]`.

A certificate says that no degenerate answer passes on any case of the task as it stands. A test makes them anew and
compares; run this after changing a task.
"""

import sys
from collections.abc import Sequence

from akgen.bench import builtin
from akgen.tools.core.outcome import InputError
from akgen.tools.judge.certificate import certify
from akgen.tools.reference.client import ReferenceWorker


def main(names: Sequence[str]) -> int:
    """Certify the named tasks, or all; return how many could not be."""
    refused = 0
    with ReferenceWorker() as reference:
        for name in names or builtin.names():
            task = builtin.describe(builtin.TASKS / name)
            try:
                certificate = certify(task, reference)
            except InputError as e:
                refused += 1
                sys.stderr.write(f"{e.text} {e.remedy}\n")
                continue
            path = builtin.TASKS / name / "certificate.json"
            path.write_text(certificate.model_dump_json(indent=2) + "\n")
    return refused


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
