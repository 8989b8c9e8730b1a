"""What the composer does not cover, said in one sentence."""

from collections.abc import Sequence

MEMORY = "memory"  # a tensor that nothing was written to; only told where nothing else stands in the way
_LINES = 3  # of the user's code that are shown for one reason
_RANDOM = frozenset([
    "bernoulli", "dropout", "exponential", "multinomial", "native_dropout", "normal", "normal_functional", "poisson",
    "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm", "uniform",
])  # fmt: skip
_DECOMPOSED = ("linalg_", "_linalg_", "cholesky", "lu_", "triangular_solve", "geqrf", "ormqr")


class Unsupported(Exception):
    """The task is outside the composer's scope; `op` names what is not covered, several by commas.

    `line` is the line of the user's own code that asks for it, where that is known.
    """

    def __init__(self, op: str, sentence: str, line: str | None = None) -> None:
        super().__init__(sentence)
        self.op = op
        self.sentence = sentence if line is None else f"{sentence} ({line})"


class Redundant(Unsupported):
    """It can be done, and computes the same values so often that storing them pays."""


class Unending(Exception):
    """The search for a plan took longer than anybody waits."""


def all_of(found: Sequence[tuple[Unsupported, str | None]]) -> Unsupported:
    """Return one refusal that names every operation that is not covered, each once, with its lines."""
    told = [f for f in found if f[0].op != MEMORY] or found
    lines: dict[str, dict[str, None]] = {}
    for refused, line in told:
        lines.setdefault(refused.sentence, {}).update({} if line is None else {line: None})
    said = []
    for sentence, places in lines.items():
        more = len(places) - _LINES
        shown = "; ".join(list(places)[:_LINES]) + (f"; and {more} more lines" if more > 0 else "")
        said.append(f"{sentence} ({shown})" if places else sentence)
    return Unsupported(", ".join(dict.fromkeys(r.op for r, _ in told)), "; ".join(said))


def uncovered(name: str, target: str) -> Unsupported:
    """Return the refusal of an ATen operator that has no handler."""
    if name in _RANDOM:
        return Unsupported(
            name, f"a random draw ({name}) cannot be compared with what another generator draws"
        )
    if name.startswith("empty"):
        return Unsupported(MEMORY, "a tensor that nothing is written to has no values to compare with")
    if "sparse" in name:
        return Unsupported(name, "sparse tensors are not covered: kernels take dense ones")
    if "_fft_" in name:
        return Unsupported(name, f"the Fourier transform {target} is not covered")
    if name.startswith(_DECOMPOSED):
        return Unsupported(name, f"the matrix decomposition {name} is not covered")
    return Unsupported(name, f"the operation {target} is not covered")
