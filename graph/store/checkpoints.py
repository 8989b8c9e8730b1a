"""Where the graph's state is kept between steps: a SQLite file in the run folder, or Postgres by URL.

If it cannot be opened the run stops; it never falls back to memory.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from akgen.graph.state import CHECKPOINTED
from akgen.tools.core.outcome import InfraError, InputError


def _state() -> str:
    """Digest the classes that a checkpoint names, so that one of another version of AKGen is not taken for ours."""
    told = [(c.__module__, c.__qualname__, sorted(getattr(c, "model_fields", ()))) for c in CHECKPOINTED]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:12]


STATE = (
    _state()
)  # part of a task's thread: what another version began starts afresh, and finds its effects on disk


def serializer() -> JsonPlusSerializer:
    """Return the serializer that knows the state's classes and refuses every other."""
    return JsonPlusSerializer(allowed_msgpack_modules=CHECKPOINTED)


@contextmanager
def sqlite_saver(path: Path) -> Iterator[BaseCheckpointSaver[str]]:
    """Open a checkpoint file.

    Raises InfraError if it cannot be opened or is damaged.
    """
    try:
        connection = sqlite3.connect(path, check_same_thread=False)
        try:
            # A power cut may take the last checkpoints, never damage the file; what was paid for is not in it.
            connection.execute("PRAGMA synchronous=NORMAL")
            saver = SqliteSaver(connection, serde=serializer())
            saver.setup()
            yield saver
        finally:
            connection.close()
    except sqlite3.Error as problem:
        raise InfraError(
            f"The checkpoint file {path} cannot be used: {problem}.",
            "Check that the folder is writable and the disk not full; a damaged file may be moved away.",
        ) from problem


@contextmanager
def postgres_saver(url: str) -> Iterator[BaseCheckpointSaver[str]]:
    """Open checkpoints in a Postgres database, making its tables if they are not there.

    Raises InputError without the `postgres` extra, InfraError if the database cannot be reached.
    """
    if find_spec("langgraph.checkpoint.postgres") is None:
        raise InputError(
            "Checkpoints in Postgres need a package that is not installed.",
            "Install it with `pip install 'akgen[postgres]'`.",
        )
    psycopg = import_module("psycopg")
    saver_class = import_module("langgraph.checkpoint.postgres").PostgresSaver
    try:
        with psycopg.Connection.connect(
            url, autocommit=True, prepare_threshold=0, row_factory=psycopg.rows.dict_row
        ) as connection:
            saver = saver_class(connection, serde=serializer())
            saver.setup()
            yield saver
    except psycopg.Error as problem:
        raise InfraError(
            f"The checkpoint database cannot be used: {' '.join(str(problem).split()).rstrip('.?')}.",
            "Check the URL in AKGEN_POSTGRES and that the server runs.",
        ) from problem
