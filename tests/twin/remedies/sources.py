"""Verified projects that faults are put into: expert patterns, the prompt's example, those of these tests."""

import re
from functools import cache
from pathlib import Path

from akgen.knowledge.patterns import patterns
from akgen.tools.core.project import KernelProject
from tests.twin.corpus.pairs import read_pairs

TESTS = Path(__file__).resolve().parents[1]
EXAMPLE = TESTS.parents[1] / "agents" / "prompts" / "templates" / "example"
_OF_THESE_TESTS = ("scale_add", "kinds", "host_forms", "list_scale", "norm_chain", "template_scale")


@cache
def host_sources() -> tuple[KernelProject, ...]:
    folders = [TESTS / "projects" / name for name in _OF_THESE_TESTS]
    return (*_patterns(), *(_read(folder) for folder in (EXAMPLE, *folders)))


@cache
def kernel_sources() -> tuple[KernelProject, ...]:
    """Return kernels; of the corpus the correct ones, which have one host side."""
    pairs = tuple(
        p.correct for p in read_pairs() if p.name.split("/")[0] in ("cube", "queue", "static", "flags")
    )
    return (*_patterns(), _read(EXAMPLE), _read(TESTS / "projects" / "scale_add"), *pairs)


def _patterns() -> tuple[KernelProject, ...]:
    return tuple(KernelProject(op_type=p.op_type, kernel=p.kernel, files=p.files) for p in patterns())


def _read(folder: Path) -> KernelProject:
    kernel = "add_one" if folder == EXAMPLE else folder.name
    return KernelProject.read_from(folder, "".join(w.capitalize() for w in kernel.split("_")), kernel)


def with_other_type_first(project: KernelProject) -> KernelProject:
    """Return the project whose OpDef names its types the other way round: what is compiled first is another type."""
    files = {
        path: re.sub(r"\{(ge::DT_\w+(?:, ge::DT_\w+)+)\}", _reversed, text)
        if path in project.host_files
        else text
        for path, text in project.files.items()
    }
    return project.model_copy(update={"files": files})


def _reversed(types: re.Match[str]) -> str:
    return "{" + ", ".join(reversed(types[1].split(", "))) + "}"
