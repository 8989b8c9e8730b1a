"""Verified projects that faults are put into: plain kernels, the prompt's example, those of these tests."""

import re
from functools import cache
from pathlib import Path

from akgen.tools.core.project import KernelProject
from tests.plain_kernels import plain_kernels
from tests.twin.conftest import project_folder
from tests.twin.corpus.pairs import read_pair

TESTS = Path(__file__).resolve().parents[1]
EXAMPLE = TESTS.parents[1] / "agents" / "prompts" / "templates" / "example"
_CORPUS = TESTS / "corpus" / "kernels"
_OF_THESE_TESTS = ("scale_add", "kinds", "host_forms", "list_scale", "norm_chain", "template_scale")


@cache
def host_sources() -> tuple[KernelProject, ...]:
    folders = [project_folder(name) for name in _OF_THESE_TESTS]
    return (*_plain_kernels(), *(_read(folder) for folder in (EXAMPLE, *folders)))


# Kernels of the corpus, by name, so that the same seed draws the same mutants when the corpus grows.
_OF_CORPUS = (
    "cube/load_before_the_copy", "cube/mmad_before_its_operands", "flags/no_auto_sync_vector_chain",
    "flags/offset_in_elements", "flags/rows_longer_than_apart", "flags/unaligned_operand", "flags/raw_missing_mte2_v",
    "queue/broadcast_with_swapped_shapes", "queue/compare_of_a_ragged_tail", "queue/copy_out_without_hand_over",
    "queue/free_while_enqueued", "queue/gather_base_in_elements", "queue/narrowing_without_rounding",
    "queue/negative_tail", "queue/no_free_buffer", "queue/raw_without_hand_over", "queue/scalar_write_then_copy",
    "queue/select_of_two_tensors", "queue/small_work_tensor", "queue/too_many_ragged_rows",
    "queue/repeats_computed_from_rows", "static/atomic_left_on_one_path", "static/compare_of_a_part_of_a_repeat",
    "static/gather_by_index", "static/select_with_a_scalar", "static/overlapping_addresses",
    "static/reduction_stride_overflow", "static/shifted_onto_itself", "static/three_hundred_repeats",
    "static/widening_with_odd", "static/work_tensor_of_one_block", "static/broadcast_of_a_wide_axis",
    "flags/raw_missing_v_mte3", "static/remainder_of_zero", "queue/no_auto_sync_in_compute",
)  # fmt: skip


@cache
def kernel_sources() -> tuple[KernelProject, ...]:
    """Return kernels; those of the corpus are the correct ones, which have one host side."""
    pairs = tuple(read_pair(_CORPUS / f"{name}.cpp").correct for name in _OF_CORPUS)
    return (*_plain_kernels(), _read(EXAMPLE), _read(project_folder("scale_add")), *pairs)


def _plain_kernels() -> tuple[KernelProject, ...]:
    return tuple(KernelProject(op_type=p.op_type, kernel=p.kernel, files=p.files) for p in plain_kernels())


def _read(folder: Path) -> KernelProject:
    (kernel,) = (path.stem for path in (folder / "op_kernel").glob("*.cpp"))
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
