"""A program with everything that analysis finds out, once: annotated kernels, placement, UB plans."""

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.dsl.buffers import UbPlan, plan_buffers
from akgen.tools.dsl.errors import DslError
from akgen.tools.dsl.extents import annotate
from akgen.tools.dsl.ir import Kernel, Program
from akgen.tools.dsl.placement import Placement, place, with_staging


class PreparedKernel(Frozen):
    kernel: Kernel  # extents filled in, staging blocks inserted
    placement: Placement
    plan: UbPlan


def analyse(kernel: Kernel) -> tuple[PreparedKernel | None, tuple[Diagnostic, ...]]:
    """Return the analysed kernel, None if its extents or lifetimes are wrong, and what was found."""
    annotated, found = annotate(kernel)
    if found:
        return None, found
    staged = annotated.model_copy(update={"body": with_staging(annotated.body)})
    placement = place(staged)
    if placement.diagnostics:
        return None, placement.diagnostics
    return PreparedKernel(kernel=staged, placement=placement, plan=plan_buffers(staged, placement)), ()


def prepare(program: Program) -> dict[str, PreparedKernel]:
    """Return every kernel analysed, by name; raise DslError if one has wrong extents or lifetimes."""
    result: dict[str, PreparedKernel] = {}
    found: list[Diagnostic] = []
    for k in program.kernels:
        ready, diagnostics = analyse(k)
        found.extend(diagnostics)
        if ready is not None:
            result[k.name] = ready
    if found:
        raise DslError(tuple(found))
    return result
