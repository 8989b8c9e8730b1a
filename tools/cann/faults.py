"""Tell the kernel's faults from the machine's, by the runtime's return code.

Source: vendor page "aclError" (runtime return codes 107xxx, 207xxx, 507xxx).
"""

import re

from akgen.tools.core.outcome import Diagnostic, InfraError, Outcome

KERNEL_FAULTS = {
    507014: (Outcome.TIMEOUT, "TIMEOUT", "the AI core did not end in time"),
    507015: (Outcome.TRAP, "DEVICE_EXCEPTION", "the AI core raised an exception"),
    507016: (Outcome.TRAP, "DEVICE_EXCEPTION", "the AI core hit a trap"),
    507034: (Outcome.TIMEOUT, "TIMEOUT", "the vector core did not end in time"),
    507035: (Outcome.TRAP, "DEVICE_EXCEPTION", "the vector core raised an exception"),
    507036: (Outcome.TRAP, "DEVICE_EXCEPTION", "the vector core hit a trap"),
}
MACHINE_FAULTS = {
    107001: ("the device id is not valid", "Choose a device that npu-smi lists."),
    107002: ("the runtime has no context", "Check the driver and the CANN version."),
    207001: ("the device is out of memory", "Free the device or use smaller cases."),
    507010: ("the device lost its heartbeat", "Reset the device and look at its log."),
    507033: ("the device could not be opened", "Check that no other process holds the device."),
    507899: (
        "the driver reports an internal error",
        "Look at the driver's log; restart the device if it stays.",
    ),
}
_CODE = re.compile(r"\b([125]07\d{3})\b")


def classify(text: str) -> tuple[Outcome, Diagnostic]:
    """Read a failed run's error text.

    Return the attempt's outcome for a kernel's fault; raise InfraError for a machine's fault and for codes
    that are not known, so that an unknown failure is never scored against a kernel.
    """
    codes = [int(code) for code in _CODE.findall(text)]
    for code in codes:
        if code in MACHINE_FAULTS:
            what, remedy = MACHINE_FAULTS[code]
            raise InfraError(f"NPU runtime error {code}: {what}.", remedy)
    for code in codes:
        if code in KERNEL_FAULTS:
            outcome, name, what = KERNEL_FAULTS[code]
            return outcome, Diagnostic(
                code=name,
                text=f"NPU runtime error {code}: {what}.",
                stage="test",
                remedy="Check addresses, lengths and synchronisation; the twin names the instruction.",
            )
    raise InfraError(
        f"The NPU run failed without a known error code: {text.strip()[-200:] or 'no output'}.",
        "Look at the plog of the device.",
    )
