"""See every call of PyTorch's operators, and run its formulas, without torch.compile: nothing is compiled here.

PyTorch imports torch._dynamo, which takes seconds, to step around what it marks so; here there is nothing to step
around. Whoever imports this module is spared it.
"""

import gc
from types import FunctionType

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_MARKED = torch._disable_dynamo(lambda: None).__code__  # of every function that is marked


class DispatchMode(TorchDispatchMode):  # type: ignore[misc]
    """A mode whose calls import nothing."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False


def _run_formulas_as_they_stand() -> None:
    """Let PyTorch's decompositions and reference implementations be called without a look at torch._dynamo."""
    for marked in gc.get_referrers(_MARKED):
        if isinstance(marked, FunctionType):
            within = dict(zip(_MARKED.co_freevars, marked.__closure__ or (), strict=True))
            function = within["fn"].cell_contents
            function.__dict__.setdefault("__dynamo_disable", function)


_run_formulas_as_they_stand()
