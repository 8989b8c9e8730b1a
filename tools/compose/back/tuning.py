"""The numbers of a schedule that somebody may set: knobs, with the schedules' own choices where nothing is said."""

from akgen.tools.core.knobs import Knobs

LENGTH = 64  # tiles of one dimension are multiples of this
SMALLEST_TILE = 1024
SMALLEST_PIECE = 256  # where somebody says how many pieces there are
PIECES = 4


class Tuning:
    """Knobs as the schedules read them; `used` collects those that decided something."""

    def __init__(self, knobs: Knobs | None = None) -> None:
        self._knobs = knobs or Knobs()
        self.used: set[str] = set()

    @property
    def single_buffers(self) -> bool:
        if self._knobs.buffers is not None:
            self.used.add("buffers")
        return self._knobs.buffers == 1

    def cores(self) -> str:
        """Return the host expression of how many cores there are."""
        most = self._knobs.cores
        if most is None:
            return "core_num()"
        self.used.add("cores")
        return f"min(core_num(), {most})"

    def grain(self, own: int) -> int:
        """Return how many elements make a core worth its while."""
        if self._knobs.grain is None:
            return own
        self.used.add("grain")
        return self._knobs.grain

    def piece(self, share: str, *, cores: str | None = None) -> str:
        """Return the tile length that cuts a share into several tiles; with `cores`, the share of all of these."""
        pieces = self._pieces()
        parts = str(pieces or PIECES) if cores is None else f"{cores} * {pieces or PIECES}"
        least = SMALLEST_PIECE if pieces else SMALLEST_TILE
        return f"max({least}, align_up(ceil_div({share}, {parts}), {LENGTH}))"

    def whole(self, length: str) -> str:
        """Return the tile length of an item that is one tile, if it fits, unless pieces are wished for."""
        pieces = self._pieces()
        return f"align_up({length if pieces is None else f'ceil_div({length}, {pieces})'}, {LENGTH})"

    def rows(self, share: str) -> str:
        """Return how many rows of a core's share go into a tile at most."""
        pieces = self._pieces()
        return share if pieces is None else f"max(1, ceil_div({share}, {pieces}))"

    def _pieces(self) -> int | None:
        if self._knobs.pieces is not None:
            self.used.add("pieces")
        return self._knobs.pieces

    def limited(self, tile: str, *, rows: bool, widths: list[str]) -> str:
        """Return a tile's size within the length that is wished for; a tile of rows has these widths."""
        longest = self._knobs.tile_length
        if longest is None:
            return tile
        self.used.add("tile_length")
        most = str(max(LENGTH, longest // LENGTH * LENGTH))
        if rows:
            most = f"max(1, {longest} // max(1, {' * '.join(widths) or '1'}))"
        return f"min({tile}, {most})"
