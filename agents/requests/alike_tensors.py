"""Write "a third input c of the same shape, and multiply the result with it" as "multiply by c [8, 16]"."""

from akgen.agents.requests.follow_up_words import patterns, plainly
from akgen.agents.requests.request import Request
from akgen.agents.requests.result_shapes import result_shape

_VERBS = {
    "m": "multiply by",
    "s": "multiply by",
    "a": "add",
    "p": "add",
    "乘": "multiply by",
    "加": "add",
    "减": "subtract",
}


def with_alike_tensor(text: str, known: Request) -> str:
    """Return a follow-up that adds a tensor of the known shape with that shape; any other one as it is.

    Where the tensors and the result have more shapes than one, nobody knows which is meant.
    """
    said = plainly(text)
    match = next((m for form in patterns("alike tensor") if (m := form.fullmatch(said))), None)
    shapes = {s for case in known.shapes for s in case} | {result_shape(known)}
    if match is None or len(shapes) != 1 or (shape := shapes.pop()) is None:
        return text
    verb = match["verb"].lower()
    written = "subtract" if verb.startswith("sub") else _VERBS[verb[0]]
    sizes = ", ".join(map(str, shape))
    return f"{written} {(match['name'] or 'added').lower()} [{sizes}]"
