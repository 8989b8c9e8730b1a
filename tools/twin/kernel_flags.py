"""How a kernel is compiled for the twin, as `kernel_flags.txt` says."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

_FEW_ERRORS = "-fmax-errors=20"


class KernelFlags(NamedTuple):
    """Options before the source, after it, the include folders; unit tests' options."""

    compile: tuple[str, ...]
    link: tuple[str, ...]
    include: tuple[str, ...]  # below the runtime's folder
    unit: tuple[str, ...]  # for CPU unit tests


@cache
def kernel_flags() -> KernelFlags:
    text = Path(__file__).with_name("kernel_flags.txt").read_text()
    lines = text.splitlines()
    rows = dict(line.split("\t", 1) for line in lines if line and not line.startswith("#"))
    return KernelFlags(
        compile=(*rows["compile"].split(), _FEW_ERRORS),
        link=tuple(rows["link"].split()),
        include=tuple(rows["include"].split()),
        unit=tuple(rows["unit"].split()),
    )
