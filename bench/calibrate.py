"""`python -m akgen.bench.calibrate FOLDER`: print predicted beside published times; write model_error.json.

With `--check` nothing is written, and the exit code says whether the file is up to date. The cross-validation takes
minutes and is done anew only where a constant or a published timing has changed, or when it is asked for.
"""

import argparse
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from akgen.bench import fit
from akgen.bench.calibration import TARGET, CalibrationRunner, Residual, summary
from akgen.knowledge import calibration
from akgen.tools.core.outcome import InfraError
from akgen.tools.twin.build_cache import BuildCache
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
                options.folder, runtime, BuildCache(settings.cache / "kernel"), Path(work)
            )
            compared = bench.compare()
            crossed = calibration.model_error().crossed
            if options.cross_validate or (
                crossed.constants != calibration.fingerprint() and not options.check
            ):
                crossed = _crossed(bench)
            if options.fit:
                for key, value in fit.fit_all(bench, _say).items():
                    print(f"{key}  {fit.today()[key]:g} today, {value:.4g} fits best")
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
        f"without their source in the fit {crossed.within_target}"
    )
    file = Path(str(files("akgen.knowledge").joinpath("data", calibration.ERROR_FILE)))
    text = found.model_dump_json(indent=2) + "\n"
    if options.check:
        current = crossed.constants == calibration.fingerprint() and file.read_text() == text
        return 0 if current else 1
    file.write_text(text)
    return 0


def _crossed(bench: CalibrationRunner) -> calibration.Crossed:
    folds = fit.cross_validate(bench, _say)
    for fold in folds:
        print(f"fitted without the {fold.source}:")
        for line in table(fold.compared):
            print(f"  {line}")
    off = fit.distances(folds)
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], dict(os.environ)))
