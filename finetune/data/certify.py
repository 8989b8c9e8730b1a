"""The certificate that data share nothing with benchmarks: what was compared, with which threshold, what was found."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from akgen.finetune.data import leaks
from akgen.finetune.data.language_model import embedder
from akgen.finetune.data.leaks import BenchmarkTask, Check, Leak
from akgen.finetune.data.mix import renewed
from akgen.finetune.data.shards import digest_of_records, files_of, read_records, read_shard, write_shard
from akgen.graph.store.files import write_whole
from akgen.tools.core.frozen import Frozen, json_text
from akgen.tools.core.outcome import InputError
from akgen.tools.core.settings import package_version
from akgen.tools.core.untrusted import path_of

FILE = "certificate.json"


class ComparedSuite(Frozen):
    """A benchmark that was compared with."""

    suite: str
    tasks: int
    digest: str


class LeakCertificate(Frozen):
    """`digest` is of the records as they are now; a certificate of other records has another one.

    `leaks` are the pairs at or above the thresholds, of which those in `dropped` are no longer in the data.
    """

    version: str | None
    digest: str
    digest_before: str
    records: int
    against: tuple[ComparedSuite, ...]
    thresholds: dict[Check, float]
    leaks: tuple[Leak, ...]
    dropped: tuple[str, ...]

    @property
    def clean(self) -> bool:
        return {leak.record for leak in self.leaks} <= set(self.dropped)


def certify(
    data: Path,
    against: Mapping[str, Path | None],
    *,
    code: float,
    meaning: float,
    embedding: str | None,
    drop: bool,
) -> LeakCertificate:
    """Compare, write certificate.json, and with `drop` take what leaks out of the data. Raises InputError."""
    sides: list[BenchmarkTask] = []
    named = []
    for suite, root in against.items():
        tasks = leaks.benchmark(suite, root)
        named.append(ComparedSuite(suite=suite, tasks=len(tasks), digest=leaks.digest_of_tasks(tasks)))
        sides += tasks
    before = digest_of_records(data)
    records = list(read_records(data))
    thresholds: dict[Check, float] = {"name": 1.0, "reference": 1.0, "code": code}
    found = [
        *leaks.by_name(records, sides), *leaks.by_reference(records, sides), *leaks.by_code(records, sides, code)
    ]  # fmt: skip
    if embedding is not None:
        thresholds["meaning"] = meaning
        found += leaks.by_meaning(records, sides, meaning, embedder(embedding))
    dropped = _without(data, {leak.record for leak in found}) if drop else ()
    certificate = LeakCertificate(
        version=package_version("akgen"), digest=digest_of_records(data), digest_before=before,
        records=len(records) - len(dropped), against=tuple(named), thresholds=thresholds, leaks=tuple(found),
        dropped=tuple(dropped),
    )  # fmt: skip
    write_whole(data / FILE, json_text(certificate, indent=1) + "\n")
    renewed(data)
    return certificate


def read_against(text: str, roots: Mapping[str, Path | None]) -> dict[str, Path | None]:
    """Read `npukb=ROOT,mkb=ROOT,builtin`; a suite without a root takes the one that is set. Raises InputError."""
    found: dict[str, Path | None] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        suite, _, root = part.partition("=")
        found[suite] = path_of(root) if root else roots.get(suite)
    if not found:
        raise InputError("Nothing to compare with is named.", "Write --against npukb=ROOT,mkb=ROOT,builtin.")
    return found


def _without(data: Path, names: set[str]) -> Sequence[str]:
    """Write the files anew without these records; return the names that were there."""
    gone: list[str] = []
    for path in files_of(data) if names else ():
        records = list(read_shard(path))
        kept = [r for r in records if r.id not in names]
        if len(kept) < len(records):
            gone += [r.id for r in records if r.id in names]
            write_shard(kept, path)
    return gone
