"""Whose fault a code of the runtime is: the candidate's, the machine's, or the device's. The table is data."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Literal

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic, InfraError, Outcome
from akgen.tools.core.untrusted import read_model

_TABLE = Path(__file__).with_name("runtime_errors.json")
_CODE = re.compile(r"\b([1-5][0-9]{5})\b")
_TWIN = "Check addresses, lengths and synchronisation; the twin names the instruction."

Fault = Literal["call", "tiling", "kernel", "timeout", "machine", "device"]
# what of an attempt each fault of a candidate is, and its code in our catalogue
_OUTCOMES: dict[Fault, tuple[Outcome, str]] = {
    "call": (Outcome.TILING_ERROR, "DTYPE_COMBINATION"),
    "tiling": (Outcome.TILING_ERROR, "TILING_REFUSED"),
    "kernel": (Outcome.TRAP, "DEVICE_EXCEPTION"),
    "timeout": (Outcome.TIMEOUT, "TIMEOUT"),
}


class RuntimeCode(Frozen):
    code: int
    fault: Fault
    what: str
    remedy: str | None = None


class CodeRange(Frozen):
    """What codes are that no row names: a class, by the vendor's rules."""

    first: int
    last: int
    fault: Fault
    what: str
    remedy: str


class RuntimeTable(Frozen):
    source: str
    codes: tuple[RuntimeCode, ...]
    ranges: tuple[CodeRange, ...]


class DeviceFault(InfraError):
    """The device is at fault, or may be: it is not used again before a probe has run on it."""


@lru_cache(maxsize=1)
def table() -> RuntimeTable:
    return read_model(RuntimeTable, _TABLE, "Install AKGen again.")


def look_up(code: int) -> RuntimeCode | None:
    """Return the row of a code, else what its range says, else None."""
    for row in table().codes:
        if row.code == code:
            return row
    for wide in table().ranges:
        if wide.first <= code <= wide.last:
            return RuntimeCode(code=code, fault=wide.fault, what=wide.what, remedy=wide.remedy)
    return None


def judged(code: int, detail: str = "") -> tuple[Outcome, Diagnostic]:
    """Return the attempt's outcome for a candidate's fault.

    Raises InfraError for a machine's fault and for a code that nobody knows, DeviceFault for a device's: a failure that
    is not understood is never scored against a kernel.
    """
    row = look_up(code)
    if row is None:
        raise InfraError(f"NPU runtime error {code} is not known.", "Read the plog; send the run's folder.")
    text = f"NPU runtime error {code}: {row.what}" + (f" ({_short(detail)})" if detail else "") + "."
    if row.fault not in _OUTCOMES:
        kind = DeviceFault if row.fault == "device" else InfraError
        raise kind(text, row.remedy or "Read the plog that is kept beside the run.")
    outcome, name = _OUTCOMES[row.fault]
    stage: Literal["tiling", "test"] = "tiling" if outcome is Outcome.TILING_ERROR else "test"
    return outcome, Diagnostic(code=name, text=text, stage=stage, remedy=row.remedy or _TWIN)


def classify(text: str) -> tuple[Outcome, Diagnostic]:
    """Judge by the codes in an error's text; a fault of machine or device among them goes first.

    Raises InfraError if there is no code.
    """
    named = {row.code for row in table().codes}
    found = [int(c) for c in _CODE.findall(text) if int(c) in named]
    found.sort(key=lambda c: (row := look_up(c)) is not None and row.fault in _OUTCOMES)
    if found:
        return judged(found[0])
    raise InfraError(
        f"The NPU run failed without a known error code: {text.strip()[-200:] or 'no output'}.",
        "Look at the plog of the device.",
    )


def _short(text: str) -> str:
    return " ".join(text.split())[:240]
