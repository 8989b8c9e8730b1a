"""The numbers of a schedule that somebody may set: knobs, with the schedules' own choices where nothing is said."""

from akgen.tools.core.knobs import Knobs
from akgen.tools.dsl.expr import Expr, Name, call, constant, product

LENGTH = 64  # tiles of one dimension are multiples of this
FIRST_PIECE = 1024  # elements that are one tile
EACH_PIECE = 4096  # elements that are worth another tile
HEAVY_PIECE = 8192  # of rows with which much is done
PIECES = 4
LONGEST_TILE = 8192  # of little work: nothing is computed before the first tile has come
SMALLEST_PIECE = 256  # where somebody says how many pieces there are
LITTLE_WORK = 8  # operations on a tile that its copies hide
START_CYCLES = 470  # until one more core begins (knowledge/data/timing.csv: launch_core_us)


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

    def cores(self) -> Expr:
        """Return the host expression of how many cores there are."""
        most = self._knobs.cores
        if most is None:
            return call("core_num")
        self.used.add("cores")
        return call("min", call("core_num"), most)

    def busy(self, cycles: Name | None, *, mixed: bool = False) -> Expr:
        """Return how many cores are worth their start for what takes one core so many cycles, unless somebody says.

        With c cores a launch takes c * START_CYCLES until the last begins, and cycles / c from there. `mixed`: two
        programs begin with a cube core of their own.
        """
        if cycles is None or self._knobs.cores is not None:
            return self.cores()
        root = call("int", call("sqrt", cycles // (START_CYCLES * 3 // 2 if mixed else START_CYCLES)))
        return call("max", 1, call("min", self.cores(), call("align_up", root, 2) if mixed else root))

    def grain(self, own: int) -> int:
        """Return how many elements make a core worth its while."""
        if self._knobs.grain is None:
            return own
        self.used.add("grain")
        return self._knobs.grain

    def piece(self, share: Expr, *, work: int = 0) -> Expr:
        """Return the tile length that cuts a core's share into equal tiles: a few, or as many as keep tiles short.

        A copy takes a few hundred cycles however short it is, and there are two buffers: of a short share, two tiles
        go through the pipeline without waiting for a buffer. Each of the `work` operations on a tile begins anew, so
        that tiles of many of them are as long as fits.
        """
        pieces = self._pieces()
        if pieces is not None:
            return call("max", SMALLEST_PIECE, call("align_up", call("ceil_div", share, pieces), LENGTH))
        length = call("align_up", call("ceil_div", share, _few(share)), LENGTH)
        return length if work > LITTLE_WORK else call("min", LONGEST_TILE, length)

    def whole(self, length: Expr) -> Expr:
        """Return the tile length of an item that is one tile, if it fits, unless pieces are wished for."""
        pieces = self._pieces()
        return call("align_up", length if pieces is None else call("ceil_div", length, pieces), LENGTH)

    def rows(self, share: Expr, width: Expr | None = None, *, work: int = 0) -> Expr:
        """Return how many rows of a core's share go into a tile at most; with their width, in a few tiles at least.

        The more is done with a tile, the fewer: each operation waits for the one before.
        """
        pieces: Expr | int | None = self._pieces()
        if pieces is None and width is not None:
            heavy = work > LITTLE_WORK
            pieces = (
                call("min", PIECES, call("ceil_div", share * width, HEAVY_PIECE))
                if heavy
                else _few(share * width)
            )
        return share if pieces is None else call("max", 1, call("ceil_div", share, pieces))

    def _pieces(self) -> int | None:
        if self._knobs.pieces is not None:
            self.used.add("pieces")
        return self._knobs.pieces

    def limited(self, tile: Expr, *, rows: bool, widths: list[Expr]) -> Expr:
        """Return a tile's size within the length that is wished for; a tile of rows has these widths."""
        longest = self._knobs.tile_length
        if longest is None:
            return tile
        self.used.add("tile_length")
        most = constant(max(LENGTH, longest // LENGTH * LENGTH))
        if rows:
            most = call("max", 1, constant(longest) // call("max", 1, product(widths)))
        return call("min", tile, most)


def _few(share: Expr) -> Expr:
    """Return into how many tiles a share of so many elements is cut at least."""
    return call("min", PIECES, call("ceil_div", share + (EACH_PIECE - FIRST_PIECE), EACH_PIECE))
