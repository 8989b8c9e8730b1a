"""Take host-side kernel launches out of a kernel's source: `name<<<blocks, l2, stream>>>(arguments)` is no C++."""

import re

_LAUNCH = re.compile(r"\b(\w+)\s*<<<([^;{}]*?)>>>\s*(?=\()")


def without_launches(text: str) -> str:
    """Replace each launch by a call of its kernel, in as many lines; the host function around it is never called."""
    return _LAUNCH.sub(lambda m: m[1] + "\n" * m[0].count("\n"), text)
