"""Findings about DSL programs, with stable codes and remedies."""

from akgen.tools.outcome import Diagnostic

REMEDIES = {
    "DSL_SYNTAX": "Use the statements of the DSL: assignments, alloc_ub, for over range, if, with-blocks, sync_all.",
    "DSL_UNKNOWN_OP": "Use an operation of the language's table, or compose it from those.",
    "DSL_UNKNOWN_NAME": "Assign the name before it is used, or pass it as a kernel parameter.",
    "DSL_ARITY": "Give the operation the operands of its form, destination first.",
    "DSL_STAGE": "Put load into `with copyin()`, operations into `with compute()`, store into `with copyout()`.",
    "DSL_SHAPE": "Give the operands the same extent, written alike; use s[:, None] or g[None, :] to broadcast.",
    "DSL_DTYPE": "Use float32 tiles (load and store convert), or cast explicitly.",
    "DSL_ALIAS": "Allocate a separate tile for the destination.",
    "DSL_LIFETIME": "Load or compute the tile in the same loop body, or in one around it, before it is used.",
    "DSL_NO_STORE": "Store every output in a copyout block.",
    "DSL_UB_BUDGET": "Use fewer or shorter tiles; take tile lengths from fit_tile.",
    "DSL_LAUNCH": "End every path of the host function with one launch whose arguments match the kernel's parameters.",
    "DSL_RUN": "Correct the offset, extent or tile length at this line.",
}


class DslError(Exception):
    """The text is not a program, or it broke a rule while interpreted; carries what was found."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__("; ".join(f"line {d.line}: {d.text}" for d in diagnostics))
        self.diagnostics = diagnostics


def finding(code: str, line: int, text: str) -> Diagnostic:
    """Return a diagnostic with the code's remedy."""
    return Diagnostic(code=code, text=text, line=line, remedy=REMEDIES[code], stage="write")
