"""Take "the result is still [300, 700]" of a follow-up for what it is: said of the result, which it does not change."""

import re

from akgen.agents.requests.places import shape_of
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import Request
from akgen.agents.requests.result_shapes import result_shape

_SHAPE = r"[\[(] ?\d+(?: ?, ?\d+)* ?,? ?[\])]|\d+(?: ?x ?\d+)+"
_STILL = re.compile(
    rf"(?:\A|[,，;；。.]|(?<![a-z])(?:and|so)(?![a-z]))\s*(?:the )?(?:outputs?|results?|out|输出|结果)"
    rf"(?:的?(?:形状|shape))?"
    rf"(?: shape)?[ :：]*(?:is|are|has|的|也|都|,)*[ ]?(?:still|stays?|remains?|unchanged|as before|again|仍然?"
    rf"|还是?|依然|依旧|保持|不变)+"
    rf"(?: at| of| shape|是|为|[ :：,，])*(?P<shape>{_SHAPE})(?= ?(?:[,，;；。.]|\Z))",
    re.I,
)


def without_kept_result(text: str, request: Request) -> str:
    """Return a text without what it says of a result that stays as it is. Raises Unclear where it does not."""
    match = _STILL.search(text)
    if match is None or not request.shapes or not request.steps:
        return text
    if result_shape(request) != shape_of(match["shape"]):
        raise Unclear("two_shapes")
    return f"{text[: match.start()]}{text[match.end() :]}".strip(" ,，;；")
