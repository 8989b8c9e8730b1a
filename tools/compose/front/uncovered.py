"""Why operations without a handler are not covered, where more can be said than their names."""

from akgen.tools.compose.scope import MEMORY, Unsupported

_RANDOM = frozenset([
    "bernoulli", "dropout", "exponential", "multinomial", "native_dropout", "normal", "normal_functional", "poisson",
    "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm", "uniform",
])  # fmt: skip
_DECOMPOSED = ("linalg_", "_linalg_", "cholesky", "lu_", "triangular_solve", "geqrf", "ormqr")


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
