"""Take comparisons that only say whose definition an operator has: "same maths as torch.optim.AdamW".

The function that is named must be the operator that the text asks for: one of PyTorch's own libraries defines it.
Another library's may differ, as another operator does: both are asked about.
"""

import re

from akgen.agents.requests.marks import MarkedText, words
from akgen.agents.requests.request import ChainStep
from akgen.knowledge.operators import find_operators


def take_likenesses(text: MarkedText) -> None:
    """Mark comparisons with PyTorch's own function of what is asked for as words that say nothing."""
    named = [m.value for m in text.marks if m.kind == "operator"]
    asked = {value.operator if isinstance(value, ChainStep) else value for value in named}
    for match in re.finditer(words()["likeness"], text.text):
        name = next((n for n in (match[g] for g in ("name", "name_zh")) if n), None)
        theirs = (
            {n.operator for said in (name, match[0]) for n in find_operators(said)}
            if name is not None
            else set()
        )
        told = any(m.kind != "filler" and m.begin < match.end() and match.start() < m.end for m in text.marks)
        if not told and (name is None or theirs & asked):
            text.mark(*match.span(), "filler")
