"""What a text was understood as, or the question that it leaves."""

from typing import Literal

from akgen.agents.requests.request import Request
from akgen.tools.core.frozen import Frozen

Exchange = tuple[tuple[str, str], ...]  # what the person said and what the model asked, in turns


class ParsedRequest(Frozen):
    """A text, understood. With a problem, the request is what was known before; the problem is a sentence."""

    request: Request
    problem: str | None = None
    kind: Literal["unclear", "refused"] | None = None
    offer: str | None = None  # the text with what was probably meant, where there is such a guess
    exchange: Exchange = ()  # with a chat model, which waits for an answer
