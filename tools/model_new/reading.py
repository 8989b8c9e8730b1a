"""Read and check the record of what a class did with the device; it is a candidate's word."""

import json
import stat
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from akgen.tools.core.call import Call
from akgen.tools.core.untrusted import FileRefused, plain_text, read_bytes
from akgen.tools.launched.record import MOST_MEMORY_BYTES, Allocation, KernelLaunch, flat
from akgen.tools.model_new.copies import Widths
from akgen.tools.model_new.steps import (
    MOST_CONSTANT_BYTES,
    MOST_COPIED_BYTES,
    MOST_LAUNCHES,
    CalledAgain,
    CallRecord,
    Constant,
    Copied,
    Delegation,
    Line,
    NextCall,
    OperatorCall,
    Raised,
    Returned,
    Step,
    Unplaced,
    View,
    views,
)

_MOST_RECORD_BYTES = 16 << 20
_LINE: TypeAdapter[Line] = TypeAdapter(Annotated[Line, Field(discriminator="kind")])


class RecordRefused(Exception):
    """The record holds what its runtime does not write."""


def read_record(lines: Path, constants: Path, call: Call) -> CallRecord:
    """Read and check a record. Raises RecordRefused."""
    try:
        text = plain_text(read_bytes(lines, most_bytes=_MOST_RECORD_BYTES))
        told = [_LINE.validate_json(line) for line in text.splitlines()]
    except (FileRefused, ValidationError, ValueError) as e:
        raise RecordRefused("it cannot be read") from e
    calls = [_one(part) for part in _parts(told)]
    whole = [one.raised is None and not one.computed for one in calls]
    if not all(whole[:-1]) or (len(calls) == 1) == whole[0]:
        raise RecordRefused("it has no end")
    sizes = [t.size_bytes for value in call.inputs for t in flat(value)]
    own, known = tuple(sizes), _size_of(constants)
    _check(calls[0].steps, calls[0].returned, sizes, known)
    widths = Widths(call)
    computed = (*calls[0].computed, *widths.recast(calls[0].steps, calls[0].returned))
    further: list[NextCall] = []
    done: list[str] = []
    for one in calls[1:]:
        start = len(sizes)
        given = given_again(call, start)
        sizes += [size for number, size in zip(given, own, strict=True) if number >= start]
        _check(one.steps, one.returned, sizes, known)
        widths.give_again(call, given)
        cast = widths.recast(one.steps, one.returned)
        further.append(
            NextCall(
                given=given,
                steps=one.steps,
                computed=(*one.computed, *cast),
                raised=one.raised,
                returned=one.returned,
            )
        )
        done.append(_did(one, start, constants))
    other = next((n for n, what in enumerate(done) if what != done[0]), 0)
    return CallRecord(
        steps=calls[0].steps,
        computed=computed,
        raised=calls[0].raised,
        unplaced=next((t.text for t in told if isinstance(t, Unplaced)), None),
        returned=calls[0].returned,
        constants=constants,
        further=tuple(further[: other + 1]),
    )


def _parts(told: Sequence[Line]) -> Iterator[list[Line]]:
    """Yield the lines of each call."""
    part: list[Line] = []
    for line in told:
        if isinstance(line, CalledAgain):
            yield part
            part = []
        else:
            part.append(line)
    yield part


def _did(one: "_One", start: int, constants: Path) -> str:
    """Say what a call did, alike for calls that do the same each with memory of its own, which begins at `start`."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: own(v) if key == "memory" else plain(v) for key, v in value.items()}
        return [plain(v) for v in value] if isinstance(value, list) else value

    def own(memory: Any) -> Any:
        if isinstance(memory, list):
            return [own(number) for number in memory]
        return memory if memory < start else f"own {memory - start}"

    told = one._asdict()
    steps = [step.model_dump(mode="json") for step in told["steps"]]
    for step in steps:
        if step["kind"] == "constant":
            with constants.open("rb") as file:
                file.seek(step.pop("at"))
                step["held"] = sha256(file.read(step["count"])).hexdigest()
    rest = [v.model_dump(mode="json") for v in (*one.computed, *one.returned)]
    return json.dumps([plain(steps), plain(rest), one.raised.text if one.raised is not None else None])


def _size_of(constants: Path) -> int:
    """Return the size of the file of constants, 0 if there is none. Raises RecordRefused for a link to another one."""
    try:
        found = constants.lstat()
    except FileNotFoundError:
        return 0
    if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1 or found.st_size > MOST_CONSTANT_BYTES:
        raise RecordRefused("its constants lie in no plain file of their own")
    return found.st_size


class _One(NamedTuple):
    """The lines of one call."""

    steps: tuple[Step, ...]
    computed: tuple[Delegation, ...]
    raised: Raised | None
    returned: tuple[View, ...]


def _one(told: Sequence[Line]) -> _One:
    steps = tuple(
        t for t in told if isinstance(t, Allocation | Constant | Copied | KernelLaunch | OperatorCall)
    )
    ends = [t for t in told if isinstance(t, Returned)]
    raised = next((t for t in told if isinstance(t, Raised)), None)
    if len(ends) != (raised is None) or not told or not isinstance(told[-1], Returned | Raised):
        raise RecordRefused("it has no end")
    computed = tuple(t for t in told if isinstance(t, Delegation))
    return _One(steps, computed, raised, ends[0].outputs if ends else ())


def given_again(call: Call, known: int) -> tuple[int, ...]:
    """Return the memory of each input tensor of a second call: parameters stay, the others follow `known` ones."""
    stays = {place for _, place in call.model.state} if call.model is not None else set()
    found: list[int] = []
    at, free = 0, known
    for place, value in enumerate(call.inputs):
        for _ in flat(value):
            found.append(at if place in stays else free)
            free += place not in stays
            at += 1
    return tuple(found)


def _check(steps: tuple[Step, ...], returned: tuple[View, ...], sizes: list[int], constants: int) -> None:
    """See that every step stays within the memory that there is then; what it allocates joins `sizes`."""
    launches = scratch = copied = 0
    for step in steps:
        if isinstance(step, Allocation):
            sizes.append(step.bytes)
            scratch += step.bytes
        elif isinstance(step, KernelLaunch):
            launches += 1
            if any(n >= len(sizes) for n in step.memory) or len(set(step.memory)) != len(step.memory):
                raise RecordRefused("a launch names memory that is not there")
        elif isinstance(step, Constant):
            beyond = step.memory >= len(sizes) or step.offset + step.count > sizes[step.memory]
            if beyond or step.at + step.count > constants:
                raise RecordRefused("constants lie beyond their memory")
        else:
            launches += isinstance(step, OperatorCall)
            for view in views(step):
                _within(view, sizes)
                copied += view.count * view.dtype.size_bytes
    for view in returned:
        _within(view, sizes)
    if copied > MOST_COPIED_BYTES:
        raise RecordRefused(f"it copies {copied} bytes")
    if launches > MOST_LAUNCHES or scratch > MOST_MEMORY_BYTES:
        raise RecordRefused(f"it has {launches} launches and {scratch} bytes of memory")


def _within(view: View, sizes: list[int]) -> None:
    if len(view.shape) != len(view.strides) or view.memory >= len(sizes) or view.end > sizes[view.memory]:
        raise RecordRefused("a tensor lies beyond its memory")
