"""Causes that show in the error itself: an input that is missing as a term or a factor, or taken along another axis."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from akgen.tools.judge.causes.evidence import Claim, Evidence, Floats, number

_SHARE = 0.9


class _Term(NamedTuple):
    """An input at the sampled places, laid along some of the output's axes."""

    input: int
    along: str
    values: Floats


def claims(e: Evidence) -> Iterator[Claim]:
    if not e.varied:
        return
    terms = list(_terms(e))
    yield from _change(e, terms)
    yield from _missing(e, terms)
    yield from _along_another(e, terms)
    yield from _neighbour(e, terms)
    yield from _factor(e, terms)
    yield from _operation(e, terms)


def _terms(e: Evidence, step: int = 0) -> Iterator[_Term]:
    """Lay every input along the axes that its shape fits; `step` takes another index of a vector."""
    for k, tensor in enumerate(e.inputs):
        shape = tuple(n for n in tensor.shape if n > 1)
        if not shape:
            continue
        for first in range(len(e.shape) - len(shape) + 1):
            if e.shape[first : first + len(shape)] != shape:
                continue
            at = list(e.index[first : first + len(shape)])
            at[0] = np.mod(at[0] + step, shape[0])
            values = tensor.at(np.ravel_multi_index(tuple(at), shape))
            if np.unique(values[np.isfinite(values)]).size > 1:
                axes = range(first, first + len(shape))
                said = f"along axis {first}" if len(shape) == 1 else f"along axes {', '.join(map(str, axes))}"
                yield _Term(k, "" if len(shape) == len(e.shape) else f" {said}", values)


def _missing(e: Evidence, terms: list[_Term]) -> Iterator[Claim]:
    difference = e.g - e.w
    for term in terms:
        factor = _fitted(difference, term.values)
        share = e.explained(e.w + factor * term.values)
        if share < _SHARE:
            continue
        name = f"input {term.input}{term.along}"
        if abs(factor + 1) < 0.01:
            text = f"{name} is not added"
        elif abs(factor - 1) < 0.01:
            text = f"{name} is added once too often, or not subtracted"
        elif abs(factor + 2) < 0.01:
            text = f"{name} is subtracted, not added"
        elif abs(factor - 2) < 0.01:
            text = f"{name} is added, not subtracted"
        else:
            text = f"the error is {number(factor)} times {name}: that term is missing or has another factor"
        yield Claim("missing_term", text, share)


def _fitted(difference: Floats, term: Floats) -> float:
    finite = np.isfinite(difference) & np.isfinite(term)
    square = float(np.square(term[finite]).sum())
    return float((difference[finite] * term[finite]).sum()) / square if square else 0.0


def _along_another(e: Evidence, terms: list[_Term]) -> Iterator[Claim]:
    pairs = [(a, b) for a in terms for b in terms if a.input == b.input and a.along != b.along]
    for right, taken in pairs:
        text = f"input {right.input} is added{taken.along}, not{right.along}"
        yield Claim("broadcast", text, e.explained(e.w - right.values + taken.values))
    for right, taken in pairs:
        text = f"input {right.input} is subtracted{taken.along}, not{right.along}"
        yield Claim("broadcast", text, e.explained(e.w + right.values - taken.values))
        text = f"input {right.input} is multiplied{taken.along}, not{right.along}"
        for before, added in _added(terms, right):
            predicted = (e.w - added) / right.values * taken.values + added
            yield Claim("broadcast", text + before, e.explained(predicted))


def _neighbour(e: Evidence, terms: list[_Term]) -> Iterator[Claim]:
    for step in (1, -1):
        for own, other in zip(_terms(e), _terms(e, step), strict=False):
            if own.input != other.input:
                continue
            text = f"input {own.input} is read 1 index {'further' if step > 0 else 'back'}{own.along}"
            added = e.explained(e.w - own.values + other.values)
            yield Claim("neighbour", f"{text}, where it is added", added)
            for before, rest in _added(terms, own):
                predicted = (e.w - rest) / own.values * other.values + rest
                yield Claim("neighbour", f"{text}, where it multiplies{before}", e.explained(predicted))


def _factor(e: Evidence, terms: list[_Term]) -> Iterator[Claim]:
    for term in terms:
        name = f"input {term.input}{term.along}"
        for before, added in _added(terms, term):
            text = f"it is not multiplied by {name}{before}"
            yield Claim("missing_factor", text, e.explained((e.w - added) / term.values + added))
            text = f"it is multiplied by {name} once too often, or not divided by it{before}"
            yield Claim("missing_factor", text, e.explained((e.w - added) * term.values + added))


def _operation(e: Evidence, terms: list[_Term]) -> Iterator[Claim]:
    for term in terms:
        t, name = term.values, f"input {term.input}{term.along}"
        sums = {"added": e.w - t, "subtracted": e.w + t, "multiplied": e.w / t, "divided by": e.w * t}
        for meant, rest in sums.items():
            made = {"added": rest + t, "subtracted": rest - t, "multiplied": rest * t, "divided by": rest / t}
            made |= {"taken as the maximum": np.maximum(rest, t), "taken as the minimum": np.minimum(rest, t)}
            for done, predicted in made.items():
                if done != meant:
                    yield Claim("operation", f"{name} is {done}, not {meant}", e.explained(predicted))


def _added(terms: list[_Term], factor: _Term) -> Iterator[tuple[str, Floats]]:
    """Yield what may be added after a product: nothing, or another input."""
    yield "", np.zeros(1)
    for other in terms:
        if other.input != factor.input:
            yield f" before input {other.input}{other.along} is added", other.values


def _change(e: Evidence, terms: list[_Term]) -> Iterator[Claim]:
    """An input that is changed by another step than expected, as an optimizer's weights are."""
    for term in terms:
        if term.along:
            continue
        step = e.w - term.values
        factor = _fitted(e.g - term.values, step)
        share = e.explained(term.values + factor * step)
        if abs(factor + 1) < 0.01:
            yield Claim("sign", f"it moves away from input {term.input} with the other sign", share)
        elif abs(factor) > 1e-3:
            text = f"its change from input {term.input} is {number(factor)} times the expected one"
            yield Claim("scaled", text, share)
