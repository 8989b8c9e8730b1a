"""The least time that a call can take: a result that claims less was not computed on this chip."""

from akgen.knowledge.chip import timing
from akgen.tools.core.call import Call, argument_bytes

# Every element of the input counts in these; an index or a slice may read a part only.
_READS_ALL = frozenset(
    {
        "elementwise", "activation", "comparison", "cast", "reduction", "softmax", "normalization", "loss",
        "optimizer",
    }
)  # fmt: skip
_MARGIN = 0.9  # the bandwidth is a measured figure, and no chip is faster than it by more than a few per cent


def floor_us(call: Call, category: str) -> float:
    """Return the bytes that must move over the bandwidth of the L2 cache, the fastest way to move them."""
    moved = sum(argument_bytes(o.meta) for o in call.outputs)
    if category in _READS_ALL:
        moved += sum(argument_bytes(i) for i in call.inputs)
    return _MARGIN * moved / timing()["l2_bytes_per_us_total"]
