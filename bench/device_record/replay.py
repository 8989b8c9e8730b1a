"""Replay what was recorded on a device: the parsers on its logs and CSV files, and the launches that they tell of."""

import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Annotated, NamedTuple

from pydantic import Field, ValidationError

from akgen.bench.device_record.archive import OpenRecord
from akgen.bench.device_record.pack import ATTEMPT, REQUEST
from akgen.knowledge.chip import Chip, chips
from akgen.tools.cann import msprof, msprof_op, plog
from akgen.tools.cann.build_log import first_error, origin_of
from akgen.tools.cann.worker import RunnerRequest
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic, InfraError, InputError, Outcome
from akgen.tools.core.plain_text import shown
from akgen.tools.core.profile import Profile
from akgen.tools.core.project import KernelProject
from akgen.tools.core.untrusted import Count, JsonRefused, first_fault, parse_object
from akgen.tools.core.verdict import Verdict

_AGREE = 1e-6  # of a time, relative
_Identifier = Annotated[str, Field(pattern=r"^[A-Za-z_]\w{0,120}$")]
_LOGS = ("build.log", "bisheng.log")


class RecordedAttempt(Frozen):
    """attempt.json of a record."""

    number: Count
    sample: Count
    op_type: _Identifier | None = None
    kernel: _Identifier | None = None
    digest: str | None = None
    verdict: Verdict
    profile: Profile | None = None


class DeviceLaunch(NamedTuple):
    """A launch that was measured, with all that the twin needs to predict it. `family`: its task."""

    name: str
    family: str
    project: KernelProject
    request: RunnerRequest
    measured: Profile  # read anew from the profiler's files


class Replay(NamedTuple):
    """What a parser made of a recorded file, and whether that is what it made of it where the run was."""

    parser: str
    path: str
    agrees: bool
    said: str


class Replayed(NamedTuple):
    replays: tuple[Replay, ...]
    launches: tuple[DeviceLaunch, ...]


def replay(opened: OpenRecord) -> Replayed:
    """Read every file of a record again. Raises InputError for one of another form or of an unknown chip."""
    if opened.record.chip not in chips():
        raise InputError(
            f"The record is of {shown(opened.record.chip, 40)}, a chip that is not known.", "Update AKGen."
        )
    replays: list[Replay] = []
    launches: list[DeviceLaunch] = []
    with tempfile.TemporaryDirectory(prefix="akgen-record-") as work:
        root = opened.unpack(Path(work))
        for path in sorted(opened.contents):
            if PurePosixPath(path).name == ATTEMPT:
                one = _Attempt(opened, root, PurePosixPath(path).parent)
                replays += one.build_logs()
                replays += one.process_logs()
                for found, launch in one.profiles():
                    replays.append(found)
                    if launch is not None:
                        launches.append(launch)
    return Replayed(tuple(replays), tuple(launches))


class _Attempt:
    def __init__(self, opened: OpenRecord, root: Path, place: PurePosixPath) -> None:
        self._opened, self._root, self._place = opened, root, place
        self._chip: Chip = chips()[opened.record.chip]
        text = opened.text(f"{place}/{ATTEMPT}")
        try:
            self.said = RecordedAttempt.model_validate(parse_object(text, finite=False))
        except JsonRefused as problem:
            raise InputError(f"{place}/{ATTEMPT}: {problem}.", "Ask for the record once more.") from None
        except ValidationError as problem:
            fault = first_fault(problem)
            raise InputError(f"{place}/{ATTEMPT}: {fault}.", "Ask for the record once more.") from None

    def _named(self, *names: str) -> Iterator[str]:
        for path in sorted(self._opened.contents):
            if PurePosixPath(path).is_relative_to(self._place) and any(
                PurePosixPath(path).match(name) for name in names
            ):
                yield path

    def _errors(self) -> list[Diagnostic]:
        return [d for d in self.said.verdict.findings if d.severity == "error"]

    def build_logs(self) -> Iterator[Replay]:
        """Find the first error of a build that failed; one that ended well has none."""
        if self.said.verdict.outcome is not Outcome.COMPILE_ERROR:
            return
        origin = origin_of({path: path for path in self._sources()}, {})
        for path in self._named(*_LOGS):
            try:
                found = first_error(self._opened.text(path), origin)
            except InfraError as problem:
                yield Replay("build log", path, agrees=False, said=problem.text)
                continue
            agrees = any(d.code == found.code for d in self._errors())
            yield Replay("build log", path, agrees, shown(found.sentence, 200))

    def process_logs(self) -> Iterator[Replay]:
        """Find what the runtime named as the cause, which a verdict of a trap quotes."""
        for path in self._named("plog-*.log"):
            said = plog.first_exception((self._root / path).parent)
            quoted = said is None or any(said[:60] in d.text for d in self._errors())
            fine = self.said.verdict.outcome in (Outcome.CORRECT, Outcome.WRONG)
            yield Replay("process log", path, agrees=quoted or fine, said=shown(said or "no error", 120))

    def profiles(self) -> Iterator[tuple[Replay, DeviceLaunch | None]]:
        """Read the profiler's files as the run did; the times must come out the same."""
        for path in self._named("op_summary_*.csv"):
            request = self._request(PurePosixPath(path))
            if request is None or request.spec is None or request.call is None:
                yield Replay("msprof", path, agrees=False, said=f"no {REQUEST} says what was called"), None
                continue
            try:
                profile = self._profile(self._root / path, request)
            except InfraError as problem:
                yield Replay("msprof", path, agrees=False, said=problem.text), None
                continue
            claimed = self.said.profile
            agrees = claimed is not None and _same(claimed, profile)
            by = "msprof and msprof op" if profile.counters is not None else "msprof"
            launch = self._launch(request, profile) if agrees else None
            yield Replay(by, path, agrees, f"{profile.time_us:.2f} us on {profile.cores} cores"), launch

    def _profile(self, summary: Path, request: RunnerRequest) -> Profile:
        assert request.spec is not None and request.call is not None
        op_type = request.spec.op_type
        toolchain = self._opened.record.toolchain
        moved = request.call.moved_bytes
        profile = msprof.profile(msprof.rows(summary), op_type, self._chip, toolchain, moved)
        # of the same profile: an attempt has one
        counted = msprof_op.launches(self._root / self._place)
        return msprof_op.with_cores(profile, counted, op_type) if counted else profile

    def _request(self, path: PurePosixPath) -> RunnerRequest | None:
        """Return the request of the run whose file this is: that of the nearest folder above that has one."""
        for folder in path.parents:
            name = f"{folder}/{REQUEST}"
            if name in self._opened.contents:
                try:
                    return RunnerRequest.model_validate(parse_object(self._opened.text(name)))
                except (JsonRefused, ValidationError):
                    return None
            if folder == self._place:
                break
        return None

    def _launch(self, request: RunnerRequest, measured: Profile) -> DeviceLaunch | None:
        files = self._sources()
        if not files or self.said.op_type is None or self.said.kernel is None:
            return None
        project = KernelProject(op_type=self.said.op_type, kernel=self.said.kernel, files=files)
        task = self._place.parts[1] if len(self._place.parts) > 1 else str(self._place)
        name = f"{task}, sample {self.said.sample}, attempt {self.said.number}"
        return DeviceLaunch(name, task, project, request, measured)

    def _sources(self) -> dict[str, str]:
        folder = self._place / "project"
        return {
            PurePosixPath(path).relative_to(folder).as_posix(): self._opened.text(path)
            for path in sorted(self._opened.contents)
            if PurePosixPath(path).is_relative_to(folder)
        }


def _same(one: Profile, other: Profile) -> bool:
    pairs = [(one.time_us, other.time_us)]
    busy = {p.pipe: p.busy_us for p in one.pipes}
    pairs += [(busy.get(p.pipe, -1.0), p.busy_us) for p in other.pipes]
    return all(abs(a - b) <= _AGREE * max(abs(a), abs(b), 1e-3) for a, b in pairs)
