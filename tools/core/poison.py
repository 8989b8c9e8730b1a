"""What outputs, the workspace and on-chip memory hold before a launch, so that what nobody wrote is found."""

import hashlib
from functools import lru_cache

from akgen.tools.core.frozen import Frozen

PERIOD = 1 << 16  # bytes after which the pattern begins again
_LOW = bytes(range(0x02, 0xFF))  # never the byte of a 0, a 1 or a -1
# The high byte of 16 bits: 2**13 to 2**15.9 in float16, 2**97 to 2**121 in bfloat16 and float32, to both sides.
_HIGH = bytes([*range(0x70, 0x7C), *range(0xF0, 0xFC)])
# Not a number, quiet, in bfloat16, float16 and float32.
_NAN_LOW = bytes(range(0xC1, 0xFF))
_NAN_HIGH = b"\x7f\xff"


class Poison(Frozen):
    """A pattern drawn by `seed`; that of a second launch differs from the first in every byte.

    It depends on nothing but the seed: what a kernel finds in its memory says nothing about the answer.
    """

    seed: int
    second: bool = False

    def outputs(self) -> bytes:
        """Return what outputs are filled with, PERIOD bytes: large finite numbers in every floating dtype."""
        return _drawn("outputs", self, _LOW, _HIGH)

    def scratch(self) -> bytes:
        """Return what the workspace and on-chip memory are filled with: NaN, for a second launch large numbers."""
        kind = (_LOW, _HIGH) if self.second else (_NAN_LOW, _NAN_HIGH)
        return _drawn("scratch", self, *kind)


@lru_cache(maxsize=8)  # a launch is filled with a pattern, and its outputs are searched for it
def _drawn(name: str, poison: Poison, low: bytes, high: bytes) -> bytes:
    noise = hashlib.shake_256(f"{name} {poison.seed}".encode()).digest(PERIOD + 2)
    pattern = bytearray(PERIOD)
    for first, allowed, shift in ((0, low, noise[-2]), (1, high, noise[-1])):
        turn = 1 + shift % (len(allowed) - 1) if poison.second else 0
        table = bytes(allowed[(byte + turn) % len(allowed)] for byte in range(256))
        pattern[first::2] = noise[first:PERIOD:2].translate(table)
    return bytes(pattern)
