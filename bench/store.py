"""A bench run's folder: bench.json and results.jsonl, appended and on disk after every task.

Runs with the composer or a model also hold run.json and tasks/, the run store of `akgen solve`.
"""

import os
import secrets
from contextlib import AbstractContextManager
from pathlib import Path

from akgen.bench.record import FORMAT, BenchConfig, Record
from akgen.graph.store.files import append_line, claimed, make_folder, read_lines, write_whole
from akgen.tools.core.outcome import InputError
from akgen.tools.core.untrusted import read_model


class BenchStore:
    """Reads and writes one bench run."""

    def __init__(self, folder: Path, config: BenchConfig) -> None:
        self.folder, self.config = folder, config

    @property
    def results_file(self) -> Path:
        return self.folder / "results.jsonl"

    @classmethod
    def begin(cls, folder: Path, config: BenchConfig) -> "BenchStore":
        """Open the folder for this configuration, new or begun earlier.

        Raises InputError if it holds a run of another configuration, InfraError if it cannot be written.
        """
        make_folder(folder)
        path = folder / "bench.json"
        if path.is_file():
            earlier = cls.open(folder).config
            asked = BenchConfig.model_fields.keys() - {"sandbox_missing"}
            different = sorted(n for n in asked if getattr(earlier, n) != getattr(config, n))
            if different:
                raise InputError(
                    f"{folder} holds a run with another {' and '.join(different)}.",
                    "Give the same options to go on with it, or another folder with --out.",
                )
        else:
            write_whole(path, config.model_dump_json(indent=1) + "\n")
        return cls(folder, config)

    @classmethod
    def open(cls, folder: Path) -> "BenchStore":
        """Open an existing bench run. Raises InputError if there is none that this version reads."""
        path = folder / "bench.json"
        if not path.is_file():
            raise InputError(f"{folder} holds no bench run.", "Give a folder that `akgen bench run` wrote.")
        config = read_model(
            BenchConfig, path, "It was damaged or written by another version of AKGen.", finite=False
        )
        if config.format > FORMAT:
            raise InputError(f"{path} has format {config.format}.", f"This version reads format {FORMAT}.")
        return cls(folder, config)

    def claimed(self) -> AbstractContextManager[None]:
        """Hold the run for this process. Raises InputError if another process works on it."""
        return claimed(self.folder)

    def append(self, *records: Record) -> None:
        """Put records on disk, together."""
        if records:
            append_line(self.results_file, "\n".join(r.model_dump_json() for r in records))
        for record in records:
            self._verdict_file(record.task, record.sample).unlink(missing_ok=True)

    def settle(self, record: Record) -> Record:
        """Put a worker's verdict on disk; return the one that counts: the first of its sample.

        It lies in verdicts/ until the process that holds the run has appended it.
        """
        path = self._verdict_file(record.task, record.sample)
        make_folder(path.parent)
        part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        write_whole(part, record.model_dump_json())
        try:
            os.link(part, path)
        except FileExistsError:
            return self.settled(record.task, record.sample) or record
        finally:
            part.unlink()
        return record

    def settled(self, task: str, sample: int) -> Record | None:
        """Return a verdict that was not appended yet."""
        path = self._verdict_file(task, sample)
        if not path.is_file():
            return None
        return read_model(Record, path, "Delete the file; its sample is judged again.")

    def recover(self) -> None:
        """Append the verdicts of workers whose run was killed before it could."""
        done = self.done()
        for path in sorted((self.folder / "verdicts").glob("*.json")):
            task, _, sample = path.stem.rpartition("-")
            record = self.settled(task, int(sample))
            if record is not None and (task, int(sample)) not in done:
                self.append(record)
            path.unlink(missing_ok=True)

    def _verdict_file(self, task: str, sample: int) -> Path:
        return self.folder / "verdicts" / f"{task}-{sample}.json"

    def records(self) -> tuple[Record, ...]:
        """Return the last record of every task and sample, in the order of the tasks.

        A record with an error is replaced when the run goes on.
        """
        last: dict[tuple[str, int], Record] = {}
        for record in read_lines(Record, self.results_file, {"toolchain": self.config.toolchain}):
            last[record.task, record.sample] = record
        order = {name: i for i, name in enumerate(self.config.tasks)}
        return tuple(sorted(last.values(), key=lambda r: (order.get(r.task, len(order)), r.sample)))

    def done(self) -> frozenset[tuple[str, int]]:
        """Return the (task, sample) pairs that need no work: those with an outcome."""
        return frozenset((r.task, r.sample) for r in self.records() if r.error is None)
