"""A worker process of a build: one chunk for each JSON line on stdin.

Started as `python -m akgen.finetune.data.worker`.
"""

import json
import os
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from akgen.finetune.data.build import BuildConfig, ChunkDone, ChunkJob
from akgen.finetune.data.chunk import records_of
from akgen.finetune.data.record import DataPart, TrainingRecord
from akgen.finetune.data.shards import write_shard
from akgen.finetune.data.verifier import Verifier
from akgen.graph.store.files import make_folder, write_whole
from akgen.tools.core.frozen import json_text
from akgen.tools.core.outcome import InfraError, InputError
from akgen.tools.core.settings import Settings
from akgen.tools.judge.judge import Judge, open_judge
from akgen.tools.process.worker import end_with_parent
from akgen.tools.toolchains import make_twin
from akgen.tools.twin.toolchain import TwinToolchain


def make_chunk(
    job: ChunkJob, config: BuildConfig, judge: Judge, toolchain: TwinToolchain, folder: Path
) -> ChunkDone:
    """Make a chunk's records and write its files; the note that it is done comes last."""
    left_out: Counter[str] = Counter()
    found: dict[DataPart, list[TrainingRecord]] = {}
    with tempfile.TemporaryDirectory(prefix="akgen-data-") as work:
        solved = records_of(job, config, Verifier(judge, Path(work), config.seed, toolchain), found, left_out)
    for part, records in found.items():
        write_shard(records, folder / "parts" / part / f"{job.chunk}.parquet")
    done = ChunkDone(
        chunk=job.chunk, operators=tuple(o.name for o in job.operators), solved=solved,
        records={part: len(records) for part, records in found.items()},
        left_out=dict(sorted(left_out.items())),
    )  # fmt: skip
    write_whole(make_folder(folder / "chunks") / f"{job.chunk}.json", json_text(done, indent=1) + "\n")
    return done


def main() -> None:
    end_with_parent()
    protocol = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what anything prints must not look like an answer
    judge: Judge | None = None
    toolchain: TwinToolchain | None = None
    with ExitStack() as stack:
        for line in sys.stdin:
            message = json.loads(line)
            try:
                if judge is None or toolchain is None:
                    settings = Settings.model_validate(message["settings"])
                    toolchain = make_twin(settings, settings.chip)
                    judge = stack.enter_context(open_judge(toolchain, lambda _line: None))
                config = BuildConfig.model_validate(message["config"])
                done = make_chunk(
                    ChunkJob.model_validate(message["job"]), config, judge, toolchain, Path(message["folder"])
                )
                answer = {"done": json.loads(json_text(done))}
            except (InputError, InfraError) as e:
                kind = "input" if isinstance(e, InputError) else "infra"
                answer = {"error": {"kind": kind, "text": e.text, "remedy": e.remedy}}
            protocol.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
