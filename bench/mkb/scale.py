"""One rule that makes a benchmark's sizes small enough to simulate, and keeps what they stand for.

A size is an integer above 16. It becomes smaller by its powers of two: 2^k turns into 2^(4 + (k - 4) t), rounded down
in the exponent, with a share t that all sizes of a case have in common; where t = 0 is not small enough, into 2^3 and
at last 2^2. So sizes that divide one another still do, equal sizes stay equal, and heads, strides, kernels and groups
up to 16 keep their values. An odd factor below 16 stays. A size with a larger one is ragged: its four leading bits are
scaled, and the distance to them is the size's own lowest bit (4095 becomes 255). A row of 49,152 floats and more,
which does not fit into UB, can be kept at 49,152 or above.
"""

from akgen.tools.core.frozen import Frozen

SMALLEST_SIZE = 17
ROW_BEYOND_UB = 49_152  # floats: a row that no schedule can keep whole in 192 KiB
_RAGGED = 4  # bits that a ragged size keeps, and that an odd factor may have


class Strength(Frozen):
    """How far sizes go: the exponent of two that is left whole, and the share of the rest that stays."""

    exponent: int
    share: float

    def kept(self, twos: int) -> int:
        return twos if twos <= self.exponent else self.exponent + int((twos - self.exponent) * self.share)


# From the smallest sizes to the file's own.
STRENGTHS = (
    *(Strength(exponent=e, share=0.0) for e in (2, 3)),
    *(Strength(exponent=4, share=s) for s in (0.0, 0.125, 0.25, 0.375, 0.5, 0.75, 1.0)),
)


def scaled(size: int, strength: Strength, *, keeps_long_rows: bool) -> int:
    """Return the size at this strength."""
    if size < SMALLEST_SIZE:
        return size
    twos = (size & -size).bit_length() - 1
    odd = size >> twos
    if odd < 1 << _RAGGED:
        kept = strength.kept(twos)
        long = keeps_long_rows and size >= ROW_BEYOND_UB
        while long and odd << kept < ROW_BEYOND_UB:
            kept += 1
        return odd << kept
    below = size.bit_length() - _RAGGED
    leading = (size + (1 << below >> 1)) >> below << below
    found = scaled(leading, strength, keeps_long_rows=keeps_long_rows)
    distance = min(1 << twos, found // 2)
    return min(size, found + distance if size > leading else found - distance)
