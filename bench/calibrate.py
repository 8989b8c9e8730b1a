"""`python -m akgen.bench.calibrate FOLDER`: print predicted beside published times; fit; write model_error.json.

With `--check` nothing is written, and the exit code says whether the file is up to date. The cross-validation takes
minutes and is done anew only where a constant or a published timing has changed, or when it is asked for.

Each constant that is fitted has a value that does not come from the timings compared here: a simulator's setting, a
figure in the vendor's documentation, or one cycle where there is none. A fit leaves that value where timings say
otherwise. It takes the model as linear in logarithms around today's constants; what a fit predicts is then run, not
extrapolated.
"""

import argparse
import math
import os
import re
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from akgen.bench.calibration import TARGET, CalibrationRunner, Residual, summary
from akgen.knowledge import calibration, chip
from akgen.tools.cache.content import ContentCache
from akgen.tools.core.outcome import InfraError
from akgen.tools.twin.runtime_build import build_runtime
from akgen.tools.twin.settings import TwinSettings, user_cache


def main(argv: Sequence[str], environment: dict[str, str]) -> int:
    """Return 0, 1 if `--check` finds another error than the file says, or 2 if nothing could be measured."""
    parser = argparse.ArgumentParser(
        prog="calibrate", description="Compare the time model with published timings."
    )
    parser.add_argument("folder", type=Path, help="where runs.csv and its kernels lie")
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--cross-validate", action="store_true", help="even if nothing has changed")
    parser.add_argument("--fit", action="store_true", help="print the constants that would fit best")
    options = parser.parse_args(argv)
    settings = TwinSettings(cache=user_cache(environment))
    try:
        runtime = build_runtime(settings, _say)
        with tempfile.TemporaryDirectory(prefix="akgen-calibration-") as work:
            bench = CalibrationRunner(
                options.folder, runtime, ContentCache(settings.cache / "kernel"), Path(work)
            )
            compared = bench.compare()
            crossed = calibration.model_error().crossed
            if options.cross_validate or (
                crossed.constants != calibration.fingerprint() and not options.check
            ):
                crossed = _crossed(bench)
            if options.fit:
                for key, value in fit_all(bench, _say).items():
                    print(f"{key}  {today()[key]:g} today, {value:.4g} fits best")
            found = summary(compared, crossed)
    except InfraError as error:
        print(f"{error}", file=sys.stderr)
        return 2
    for line in table(compared):
        print(line)
    missing = calibration.points().keys() - {c.point.point for c in compared}
    if missing:
        print(f"published, but not run: {', '.join(sorted(missing))}")
    print(found.sentence)
    print(
        f"within {TARGET:.0%}: {found.within_target} of {found.points}, "
        f"without their third of the sources in the fit {crossed.within_target}"
    )
    file = Path(str(files("akgen.knowledge").joinpath("data", calibration.ERROR_FILE)))
    text = found.model_dump_json(indent=2) + "\n"
    if options.check:
        current = crossed.constants == calibration.fingerprint() and file.read_text() == text
        return 0 if current else 1
    file.write_text(text)
    return 0


def _crossed(bench: CalibrationRunner) -> calibration.Crossed:
    folds = cross_validate(bench, _say)
    for fold in folds:
        print(f"fitted without {', '.join(fold.sources)}:")
        for line in table(fold.compared):
            print(f"  {line}")
    off = distances(folds)
    return calibration.Crossed(
        median=round(statistics.median(off.values()), 4),
        worst=round(max(off.values()), 4),
        within_target=sum(d <= TARGET for d in off.values()),
        worst_point=max(off, key=lambda point: off[point]),
        constants=calibration.fingerprint(),
    )


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def table(compared: Sequence[Residual]) -> list[str]:
    """Return one line per point: published, predicted (microseconds), error."""
    width = max(len(c.point.point) for c in compared)
    return [
        f"{c.point.point:{width}}  {c.point.measured_us:12.2f} us  {c.predicted_us:12.2f} us  {c.error:+7.1%}"
        + ("" if c.distance <= TARGET else "  beyond the target")
        for c in compared
    ]


Say = Callable[[str], None]
Slopes: TypeAlias = "np.ndarray[tuple[int, int], np.dtype[np.float64]]"  # points x constants
STEP = 0.08  # of a logarithm, for derivatives
POINT_SPREAD = 0.05  # what a good model is off by
PRIOR_SPREAD = 1.0  # a simulator's setting may be off by a factor of e


class Free(NamedTuple):
    """A constant that is fitted, its value without the timings compared here, and the points that it can move."""

    key: str
    prior: float
    points: str = ""  # a regular expression for the beginning of their names; none: all


FREE = (
    Free("hbm_bytes_per_us_total", 1_600_000),  # documentation: about 1.6 TB/s
    Free(
        "l2_bytes_per_us_total", 5_200_000, "copy_quarters|nd2nz|matmul_(pairs|24)|tiling_panels"
    ),  # documentation: about 5.2 TB/s of hits
    Free(
        "mte2_miss_bytes_per_cycle_core", 33, "tiles|copy|nd2nz|reorder|gelu|guide"
    ),  # simulator: 32 requests of 512 bytes in 347 + 150 cycles
    Free(
        "gm_hit_latency_cycles", 91, "matmul_(small|one|steps)|tiling"
    ),  # simulator: a miss takes 150 cycles more than a hit
    Free(
        "dma_issue_cycles", 15.5, "copy_one_row"
    ),  # simulator: a copy is one request at least, and 32 take 347 + 150 cycles
    Free("dma_row_cycles", 1, "copy|nd2nz|same|reorder|matmul_(small|one|steps|pairs|24)|guide|tiling"),
    Free("uncached_row_cycles", 1, "same|nd2nz_same"),
    Free(
        "same_address_bytes_per_cycle", 512, "same|nd2nz_same"
    ),  # documentation: one request of 512 bytes after the other
    Free("nd2nz_odd_bytes_per_cycle", 32, "copy_nd2nz|odd"),  # a block of 32 bytes a cycle
    Free(
        "mte3_long_bytes_per_cycle_core", 16.4, "tiles|reorder|gelu"
    ),  # another simulator's fit to a device: 28.19 GiB/s
    Free("mte3_beside_mte2", 1, "tiles_(double|past|apart)|reorder|gelu"),
    Free("mte3_beside_uncached_mte2", 1, "tiles_(past|apart)"),
    Free("write_back_times", 1, "tiles|reorder|gelu"),
    Free("part_line_times", 1, "copy|nd2nz|same|reorder"),
    # Simulator: for an element two loads of 6, a store of 4, and eight operations of 2 (three addresses, two widenings,
    # a sum, a narrowing, the counter), over three accesses.
    Free("scalar_ub_access_cycles", (6 + 6 + 4 + 8 * 2) / 3, "scalar"),
    # Simulator: the vector pipeline's depth; its 1 for set_flag is the scalar unit's own time.
    Free("barrier_cycles", 15, "reduce|gelu"),
    Free("vec Exp float", 32, "gelu"),  # documentation: elements per cycle
    Free("vec Div float", 32, "gelu"),  # documentation
    Free("l1_to_l0_latency_cycles", 16, "matmul_(small|one|steps)"),  # simulator
    Free("l0c_to_gm_bytes_per_cycle", 40.6, "matmul_24|guide"),  # another simulator: 70 GiB/s
    Free("cube_head_cycles", 20, "matmul|grouped"),  # simulator
)
FOLDS = 3  # each leaves a third of the sources out


class Fold(NamedTuple):
    """What a fit without a third of the sources predicts for them."""

    sources: tuple[str, ...]
    compared: tuple[Residual, ...]


def today() -> dict[str, float]:
    """Return the free constants as they stand in the data files."""
    return {f.key: chip.today(f.key) for f in FREE}


def cross_validate(bench: CalibrationRunner, say: Say) -> tuple[Fold, ...]:
    """Leave each third of the sources out of the fit in turn. Takes about a comparison for each constant."""
    base = bench.compare()
    slopes = _slopes(bench, base, say)
    sources = list(dict.fromkeys(c.point.source for c in base))
    folds = []
    for number in range(FOLDS):
        out = tuple(sources[number::FOLDS])
        kept = [i for i, c in enumerate(base) if c.point.source not in out]
        constants = _fit(base, slopes, kept)
        left_out = {c.point.point for c in base if c.point.source in out}
        folds.append(Fold(out, bench.compare(constants, left_out)))
        say(f"without {', '.join(out)}: {_text(constants)}")
    return tuple(folds)


def fit_all(bench: CalibrationRunner, say: Say) -> dict[str, float]:
    """Return the constants that fit all points best."""
    base = bench.compare()
    return _fit(base, _slopes(bench, base, say), range(len(base)))


def distances(folds: Iterable[Fold]) -> dict[str, float]:
    """Return by point how far off the prediction was without its source."""
    return {c.point.point: c.distance for fold in folds for c in fold.compared}


def _slopes(bench: CalibrationRunner, base: Sequence[Residual], say: Say) -> Slopes:
    """Return the derivatives of log(predicted) by log(constant): points x free constants."""
    slopes = np.zeros((len(base), len(FREE)))
    for column, free in enumerate(FREE):
        rows = [i for i, b in enumerate(base) if re.match(free.points, b.point.point)]
        moved = bench.compare(
            {free.key: today()[free.key] * math.exp(STEP)}, {base[i].point.point for i in rows}
        )
        slopes[rows, column] = [
            math.log(m.predicted_us / base[i].predicted_us) / STEP for i, m in zip(rows, moved, strict=True)
        ]
        say(f"{free.key}: moves {int((abs(slopes[:, column]) > 0.02).sum())} points")
    return slopes


def _fit(base: Sequence[Residual], slopes: Slopes, kept: Iterable[int]) -> dict[str, float]:
    rows = list(kept)
    off = np.array([math.log(base[i].point.measured_us / base[i].predicted_us) for i in rows])
    return least_squares(off, slopes[rows], today(), {f.key: f.prior for f in FREE}, PRIOR_SPREAD)


def least_squares(
    off: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    slopes: Slopes,
    now: Mapping[str, float],
    priors: Mapping[str, float],
    spread: float,
) -> dict[str, float]:
    """Return the constants that fit best: `off` is log(measured / predicted) with those of `now`, a row a point.

    A constant is held to its prior as if it had been measured with an error of `spread`, as a logarithm.
    """
    away = np.array([math.log(priors[key] / value) for key, value in now.items()])
    left = np.vstack([slopes / POINT_SPREAD, np.eye(len(now)) / spread])
    right = np.concatenate([off / POINT_SPREAD, away / spread])
    moves = np.linalg.lstsq(left, right, rcond=None)[0]
    return {key: value * math.exp(move) for (key, value), move in zip(now.items(), moves, strict=True)}


def _text(constants: dict[str, float]) -> str:
    return ", ".join(f"{key} {value:.4g}" for key, value in constants.items())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], dict(os.environ)))
