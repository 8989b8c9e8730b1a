"""The model-free planner and coder, on top of the compiler in `tools/compose`."""

from akgen.agents.composer.model_free import ModelFree
from akgen.tools.compose.scope import Unsupported

__all__ = ["ModelFree", "Unsupported"]
