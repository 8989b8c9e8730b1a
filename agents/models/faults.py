"""What can go wrong between us and a model's server, and whether asking again may help."""

import re
from collections.abc import Set
from typing import Literal

FaultKind = Literal[
    "status",  # the server answered with an error
    "timeout",  # nothing came for too long, or the whole took longer than it may
    "connection",  # no connection, or lost before an answer began
    "cut",  # the answer ended in its middle
    "unreadable",  # the answer is no JSON, or JSON of another form
    "too_large",  # the answer is larger than anything that was asked for
    "too_long",  # the prompt is longer than the model can read
]
# What is told of a request and its answer, and of no machine.
OF_THE_REQUEST = ("too_large", "too_long")
TRANSIENT_STATUS = (408, 409, 425, 429)  # and every 5xx
SPENT = "insufficient_quota"  # what hosted services call a 429 that waiting does not mend
# Parts of a request that not every server knows, and the words by which its refusal names them.
OPTIONAL = {
    "response_format": r"response_format|json_schema|structured|guided|grammar",
    "n": r"\bn\b",
    "logprobs": r"logprobs",
    "return_token_ids": r"token_ids",
    "stream_options": r"stream_options",
    "seed": r"\bseed\b",
    "max_tokens": r"max_tokens|max_completion_tokens",  # more than the model has: it may then use all that it has
}
TOO_LONG = re.compile(r"context (?:length|window)|prompt is too long|too many (?:input )?tokens", re.I)


class EndpointFault(Exception):
    """A request that brought no usable answer. `text` is one line for people, `status` the answer's if one came."""

    def __init__(
        self,
        kind: FaultKind,
        text: str,
        *,
        status: int | None = None,
        retry_after_s: float | None = None,
        lasting: bool = False,
    ) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text
        self.status = status
        self.retry_after_s = retry_after_s
        self._lasting = lasting

    @property
    def transient(self) -> bool:
        """Say whether the same request may succeed later."""
        if self._lasting or self.kind in OF_THE_REQUEST:
            return False
        if self.kind != "status" or self.status is None:
            return True
        return self.status in TRANSIENT_STATUS or self.status >= 500


def unknown_part(fault: EndpointFault, sent: Set[str]) -> str | None:
    """Return the optional part of a request that the server's refusal names, or None."""
    if fault.kind != "status" or fault.status not in (400, 422, 501):
        return None
    return next((n for n, words in OPTIONAL.items() if n in sent and re.search(words, fault.text)), None)
