"""Read text that somebody else wrote: a model's reply, a candidate's report, an endpoint's answer, a file of a user's.

One strict reader of JSON for all of them. Refused: more bytes, values, depth or digits than any of ours has, NaN and
infinities. Text that is no UTF-8 and halves of surrogate pairs become U+FFFD, so that whatever was read can be written
and printed. Not covered: what the values mean; models with bounds say that.
"""

import ast
import errno
import json
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, ValidationError

from akgen.tools.core.outcome import InfraError, InputError
from akgen.tools.core.plain_text import shown, without_halves

MOST_BYTES = 16 << 20
MOST_RECORDING_BYTES = 1 << 28  # of model calls
MOST_TRACE_BYTES = 64 << 20  # of a timeline
MOST_VALUES = 2_000_000
MOST_DEPTH = 64
MOST_TREE_DEPTH = 100  # of Python
MOST_DIGITS = 40
T = TypeVar("T", bound=BaseModel)

Finite = Annotated[float, Field(allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, lt=1 << 63)]  # fits into whatever stores it

_LEFT_SO = (
    errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.EACCES, errno.ENAMETOOLONG,
)  # fmt: skip
_MOST_SHOWN = 80  # characters of a path that is refused
_ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")


class FileRefused(ValueError):
    """A file that is not read; the message says why."""


class JsonRefused(ValueError):
    """A text that is not taken as JSON; the message says why."""


def parse_json(text: str | bytes, *, most_bytes: int = MOST_BYTES, finite: bool = True) -> Any:
    """Return the value of a JSON document. Raises JsonRefused."""
    text = plain_text(text, most_bytes=most_bytes)
    if sum(map(text.count, ",[{")) > MOST_VALUES:
        raise JsonRefused(f"it holds more than {MOST_VALUES} values")
    try:
        value = (_DECODER if finite else _LENIENT).decode(text)
    except json.JSONDecodeError as problem:
        raise JsonRefused(f"{problem.msg} at line {problem.lineno}, column {problem.colno}") from None
    except RecursionError:
        raise _too_deep() from None
    return _checked(value, text)


def parse_object(text: str | bytes, *, most_bytes: int = MOST_BYTES, finite: bool = True) -> dict[str, Any]:
    """Return the object of a JSON document. Raises JsonRefused for anything else, too."""
    value = parse_json(text, most_bytes=most_bytes, finite=finite)
    if not isinstance(value, dict):
        raise JsonRefused(f"it is a JSON {type(value).__name__}, not an object")
    return value


def last_object(text: str) -> dict[str, Any] | None:
    """Return the last JSON object in a text with other words in it that is not inside another, or None."""
    if len(text) > MOST_BYTES:
        return None
    text, found, at = plain_text(text), None, 0
    tries = 1000  # a text of nothing but braces takes no quadratic time
    while (at := text.find("{", at)) >= 0 and tries > 0:
        tries -= 1
        try:
            value, end = _DECODER.raw_decode(text, at)
            found = _checked(value, text[at:end])
        except (ValueError, RecursionError):
            at += 1
            continue
        at = end
    return found if isinstance(found, dict) else None


def plain_text(text: str | bytes, *, most_bytes: int = MOST_BYTES) -> str:
    """Return text that can be encoded again. Raises JsonRefused if it is longer."""
    if len(text) > most_bytes:
        raise JsonRefused(f"it is longer than {most_bytes} bytes")
    if isinstance(text, bytes):
        return text.decode("utf-8-sig", errors="replace")
    return without_halves(text)


def path_of(text: str | Path) -> Path:
    """Return the path that a person or a file names; something may be there or not.

    Raises InputError for what names nothing on any machine, the home of nobody, and what may not be asked for.
    """
    try:
        path = Path(text).expanduser()
        path.exists()
    except (OSError, RuntimeError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else str(problem).rstrip(".")
        raise unusable(str(text), why) from None
    return path


def unusable(name: str, why: str | None) -> InputError:
    """Return the refusal of a path, whose name may be of any length."""
    shown = name if len(name) <= _MOST_SHOWN else f"{name[:_MOST_SHOWN]}..."
    return InputError(f"{shown} cannot be used: {why}.", "Check the name, and who may read and write there.")


def read_text(path: Path, *, most_bytes: int = MOST_BYTES) -> str:
    """Return a file's text. Raises InputError if it cannot be read or is larger; from a pipe nobody may ever write."""
    try:
        if path.is_fifo():
            raise InputError(f"{path} cannot be read: it is a pipe.", "Check the path.")
        with path.open("rb") as file:
            data = file.read(most_bytes + 1)
    except (OSError, ValueError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise InputError(f"{path} cannot be read: {why}.", "Check the path.") from problem
    if len(data) > most_bytes:
        raise InputError(f"{path} has more than {most_bytes} bytes.", "Check that it is the right file.")
    return plain_text(data, most_bytes=most_bytes)


def read_bytes(path: Path, *, most_bytes: int = MOST_BYTES) -> bytes:
    """Return what a process that ran a candidate's code, or compiled it, left in a file.

    Raises FileRefused if that is no plain file, or a larger one: links lead elsewhere, and a pipe never ends. Raises
    InfraError if the machine cannot read it.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise FileRefused("it is no plain file")
            data = file.read(most_bytes + 1)
    except OSError as problem:
        if problem.errno in _LEFT_SO:
            raise FileRefused(f"it cannot be read: {problem.strerror}") from None
        raise InfraError(f"{path} cannot be read: {problem.strerror}.", "Check the disk.") from problem
    if len(data) > most_bytes:
        raise FileRefused(f"it has more than {most_bytes} bytes")
    return data


def read_python(text: str) -> ast.Module:
    """Parse Python. Raises SyntaxError, for whatever cannot be parsed or is nested too deep to be walked."""
    try:
        tree = ast.parse(without_halves(text))
    except (ValueError, RecursionError, MemoryError) as problem:
        raise SyntaxError(shown(str(problem))) from None
    level: list[ast.AST] = [tree]
    for _ in range(MOST_TREE_DEPTH):
        level = [inner for one in level for inner in ast.iter_child_nodes(one)]
        if not level:
            return tree
    raise SyntaxError(f"nested more than {MOST_TREE_DEPTH} deep")


def read_literal(text: str) -> Any:
    """Return the value of a Python literal. Raises ValueError for anything else."""
    try:
        return ast.literal_eval(text)
    except (SyntaxError, TypeError, RecursionError, MemoryError) as problem:
        raise ValueError(shown(str(problem))) from None


def read_model(
    model: type[T], path: Path, remedy: str, *, most_bytes: int = MOST_BYTES, finite: bool = True
) -> T:
    """Return a JSON file as a value. Raises InputError with the first thing that is wrong, and `remedy`.

    Files of ours that are older may hold NaN and infinities: read them with `finite` off.
    """
    try:
        text = read_text(path, most_bytes=most_bytes)
        parse_json(text, most_bytes=most_bytes, finite=finite)
        return model.model_validate_json(text)
    except JsonRefused as problem:
        raise InputError(f"{path}: {problem}.", remedy) from problem
    except ValidationError as problem:
        raise InputError(f"{path}: {first_fault(problem)}.", remedy) from problem


def read_json_lines(path: Path, remedy: str, *, most_bytes: int = 1 << 28) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSONL file; a torn last line is left out, an absent file is empty. Raises InputError."""
    if not path.exists():
        return
    text = read_text(path, most_bytes=most_bytes)
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        try:
            yield parse_object(line, finite=False)
        except JsonRefused as problem:
            raise InputError(f"{path}, line {number}: {problem}.", remedy) from problem


def first_fault(problem: ValidationError) -> str:
    """Say in a few words where a value is not of its form, and why."""
    first = problem.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"])) or "the file"
    return shown(f"{place}: {first['msg']}").rstrip(".")


def _too_deep() -> JsonRefused:
    return JsonRefused(f"it is nested more than {MOST_DEPTH} deep")


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise JsonRefused(f"a number has more than {MOST_DIGITS} digits")
    return int(digits)


def _number(digits: str) -> float:
    value = float(digits) if len(digits) <= 400 else float("inf")
    if value - value != 0:
        raise JsonRefused("a number is not finite")
    return value


def _constant(name: str) -> Any:
    raise JsonRefused(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_float=_number, parse_int=_integer, parse_constant=_constant)
_LENIENT = json.JSONDecoder(parse_int=_integer)


def _checked(value: Any, text: str) -> Any:
    """Hold the depth, and mend strings whose escapes are halves of pairs."""
    if sum(map(text.count, "[{")) > MOST_DEPTH:
        level, depth = [value] if isinstance(value, dict | list) else [], 0
        while level:
            depth += 1
            if depth > MOST_DEPTH:
                raise _too_deep()
            parts = (one.values() if type(one) is dict else one for one in level)  # as the decoder makes them
            level = [inner for part in parts for inner in part if type(inner) is dict or type(inner) is list]
    return _mended(value) if _ESCAPED_HALF.search(text) else value


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return without_halves(value)
    if isinstance(value, list):
        return [_mended(one) for one in value]
    if isinstance(value, dict):
        return {without_halves(key): _mended(one) for key, one in value.items()}
    return value
