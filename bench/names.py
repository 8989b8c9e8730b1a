"""Operator names: CamelCase for the OpDef, snake_case for the kernel's entry point."""

import re

_UPPER_AFTER_LOWER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_UPPER_BEFORE_WORD = re.compile(r"(?<=[^_])(?=[A-Z][a-z])")


def snake_case(name: str) -> str:
    """Return the kernel's name for an operator type (`AddRmsNormCast` -> `add_rms_norm_cast`)."""
    return _UPPER_AFTER_LOWER.sub("_", _UPPER_BEFORE_WORD.sub("_", name)).replace("__", "_").lower()


def camel_case(name: str) -> str:
    """Return the operator type for any text (`row softmax-2` -> `RowSoftmax2`); never starts with a digit."""
    words = [w for w in re.split(r"[^A-Za-z0-9]+", name) if w]
    camel = "".join(w[0].upper() + w[1:] for w in words) or "Op"
    return camel if camel[0].isalpha() else f"Op{camel}"
