"""Judges of tensor programs in processes of their own, so that several are judged while a model samples the next ones.

An answer is text to a judge, here as there. Few answers are judged in this process: a judge takes a second to start.
"""

import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from types import TracebackType

from akgen.finetune.training.environment import CheapVerdict, ProgramEnvironment
from akgen.finetune.training.pairs import TensorPair
from akgen.tools.compose.tensor_program.parse import parse_tensor_program

_FEW = 200  # answers that are judged in the time that judges take to start
_CHUNK = 4  # tasks that a judge is sent together


class Judges:
    """Says what becomes of answers; each text is judged once for its task. Use it as a context."""

    def __init__(self, workers: int | None = None) -> None:
        self._workers = len(os.sched_getaffinity(0)) if workers is None else workers
        self._pool: ProcessPoolExecutor | None = None

    def judged(self, answers: Sequence[tuple[TensorPair, str]]) -> list[CheapVerdict]:
        """Return the verdicts in the order of the answers."""
        asked: dict[str, list[str]] = {}
        for pair, text in dict.fromkeys((p.program, t) for p, t in answers):
            asked.setdefault(pair, []).append(text)
        given = list(asked.items())
        if self._workers > 1 and sum(map(len, asked.values())) >= _FEW:
            if self._pool is None:
                # Of a process that has started CUDA or threads no copy may be made.
                context = multiprocessing.get_context("forkserver")
                context.set_forkserver_preload([__name__])
                self._pool = ProcessPoolExecutor(self._workers, mp_context=context)
            found = list(self._pool.map(_judged, given, chunksize=_CHUNK))
        else:
            found = list(map(_judged, given))
        known = {
            (program, text): verdict
            for (program, texts), verdicts in zip(given, found, strict=True)
            for text, verdict in zip(texts, verdicts, strict=True)
        }
        return [known[pair.program, text] for pair, text in answers]

    def __enter__(self) -> "Judges":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def _judged(asked: tuple[str, Sequence[str]]) -> list[CheapVerdict]:
    place = _environment(asked[0])
    return [place.judged(text) for text in asked[1]]


@lru_cache(maxsize=512)
def _environment(program: str) -> ProgramEnvironment:
    return ProgramEnvironment(parse_tensor_program(program))
