"""Every checkpointer gives back what the machine put in, also to another process's connection.

Postgres is tried where AKGEN_TEST_POSTGRES names a database that may be written to.
"""

import os
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib.util import find_spec
from pathlib import Path

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph

from akgen.agents.budget import Spent
from akgen.graph.state import History, SampleState
from akgen.graph.store.checkpoints import postgres_saver, sqlite_saver
from akgen.graph.store.records import AttemptRow
from akgen.tools.core.outcome import Outcome

Opens = Callable[[], AbstractContextManager[BaseCheckpointSaver[str]]]
HISTORY = History(rows=(AttemptRow(number=1, outcome=Outcome.TRAP, folder=Path("sample-0")),))


@pytest.fixture(params=["sqlite", "postgres"])
def opens(request: pytest.FixtureRequest, tmp_path: Path) -> Opens:
    if request.param == "sqlite":
        return lambda: sqlite_saver(tmp_path / "checkpoints.sqlite")
    url = os.environ.get("AKGEN_TEST_POSTGRES")
    if url is None or find_spec("langgraph.checkpoint.postgres") is None:
        pytest.skip("needs AKGEN_TEST_POSTGRES and the postgres extra")
    return lambda: postgres_saver(url)


def _graph(saver: "BaseCheckpointSaver[str]"):  # type: ignore[no-untyped-def]
    graph = StateGraph(SampleState)
    graph.add_node("first", lambda _state: {"history": HISTORY, "spent": Spent(tokens=3, wall_s=0.25)})
    graph.add_node("second", lambda _state: {"attempt": 2})
    graph.add_edge(START, "first")
    graph.add_edge("first", "second")
    graph.add_edge("second", END)
    return graph.compile(checkpointer=saver, interrupt_before=["second"])


def test_a_stopped_graph_goes_on_from_a_new_connection_with_equal_values(opens: Opens) -> None:
    config = {"configurable": {"thread_id": uuid.uuid4().hex}}
    with opens() as saver:
        _graph(saver).invoke({"attempt": 1}, config)
    with opens() as saver:
        graph = _graph(saver)
        assert graph.get_state(config).next == ("second",)
        ended = graph.invoke(None, config)
    assert (ended["attempt"], ended["history"], ended["spent"]) == (2, HISTORY, Spent(tokens=3, wall_s=0.25))
