"""The model-free planner and coder: a small compiler from a PyTorch reference to tile DSL."""

from akgen.agents.composer.model_free import ModelFree
from akgen.agents.composer.scope import Unsupported

__all__ = ["ModelFree", "Unsupported"]
