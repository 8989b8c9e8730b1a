"""Load one case of a MultiKernelBench reference. Implements `load(reference, case) -> LoadedCase`.

Runs in the reference process and when a task is traced. The case's params are the sizes that stand in place of the
file's own.
"""

from akgen.bench.mkb.discovery import group_lines
from akgen.bench.mkb.reference_file import ReferenceFile
from akgen.tools.core.task import Case, Reference
from akgen.tools.reference.module_loader import ModuleCase
from akgen.tools.reference.protocol import LoadedCase


def load(reference: Reference, case: Case) -> LoadedCase:
    """Load the file with the case's sizes. Raises InputError if it cannot be used."""
    lines = group_lines(reference.path)
    file = ReferenceFile(reference.path, lines[int(case.id)] if lines else None)
    sizes = {label: size for label, size in case.params.items() if isinstance(size, int)}
    return ModuleCase(file.module(sizes), case)
