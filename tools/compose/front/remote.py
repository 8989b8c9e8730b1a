"""Trace in the reference process, which has PyTorch and the reference loaded already."""

from typing import Any

from akgen.tools.compose.front.traced import TracedGraph
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.task import Case, Reference
from akgen.tools.reference.client import ReferenceWorker
from akgen.tools.reference.protocol import LoadedCase


class RemoteTrace:
    """Traces a case of a reference in a reference process. Raises Unsupported as `trace` does."""

    def __init__(self, worker: ReferenceWorker) -> None:
        self._worker = worker

    def __call__(self, reference: Reference, case: Case) -> TracedGraph:
        answer = self._worker.read(reference, case, __name__)
        if "op" in answer:
            raise Unsupported(answer["op"], answer["sentence"])
        return TracedGraph.model_validate(answer["graph"])


def read(loaded: LoadedCase) -> dict[str, Any]:
    """Answer in the reference process."""
    from akgen.tools.compose.front.trace import trace  # imports torch

    try:
        return {"graph": trace(loaded).model_dump(mode="json")}
    except Unsupported as refused:
        return {"op": refused.op, "sentence": refused.sentence}
