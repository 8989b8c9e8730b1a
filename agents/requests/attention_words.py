"""Drop what words say of attention that its tensors' shapes say too: how many heads share one, that a bias is added."""

import re

from akgen.agents.requests.declarations import DeclaredTensor

_SHARED = re.compile(
    r"(?:(?:every|each) )?(?P<count>\d+) (?:consecutive )?(?:query|q) heads? (?:share|per|use|for each|for every)s? "
    r"(?:(?:one|a|1|each|the same|every) )?(?:kv|key/value|key) heads?(?: \(consecutive heads\))?"
    r"|每 ?(?P<count_zh>\d+) ?个 ?(?:q|query) ?(?:head|头) ?共[享用]一?个? ?(?:kv|key) ?(?:head|头)"
)
_ADDED = re.compile(
    r"(?:,? ?(?:and |with |plus )*(?:an? )?additive(?= *,)"
    r"|(?:is |gets )?added to (?:the )?(?:attention )?(?:scores?|logits)"
    r"(?:,? ?(?:after (?:the )?scal(?:e|ing)|before (?:the )?softmax))*"
    r"|(?:还有|再加)?一?个?加性|加(?:在|到) ?(?:scores?|logits|分数) ?上(?: ?\( ?(?:scale|缩放) ?之?后 ?\))?)"
)
_GROUPED = re.compile(r"attention (?:with|using) (?:gqa|grouped[- ]query attention)(?![a-z])")
_PER = re.compile(r"q(?:uery)?")
_KEY = re.compile(r"k(?:ey)?s?")


def without_told(rest: str, tensors: tuple[DeclaredTensor, ...]) -> str:
    """Return the words beside the tensors without those; numbers that the shapes contradict stay."""
    query = next((t.shape for t in tensors if _PER.fullmatch(t.name) and t.shape), None)
    key = next((t.shape for t in tensors if _KEY.fullmatch(t.name) and t.shape), None)
    if query is None or key is None or len(query) != len(key) or len(query) < len("bhsd"):
        return rest
    group = query[1] // key[1] if query[1] % key[1] == 0 else 0

    def kept(match: re.Match[str]) -> str:
        return " " if int(match["count"] or match["count_zh"]) == group else match[0]

    rest = _GROUPED.sub("gqa attention", _SHARED.sub(kept, rest))
    biases = [
        t for t in tensors if re.fullmatch(r"(?:\w*_)?(?:bias|mask)", t.name) and len(t.shape or ()) > 1
    ]
    return _ADDED.sub(" ", rest) if biases else rest
