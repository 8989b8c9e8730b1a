"""Read a join of more than two tensors: "concat (64,16), (64,32) and (64,8) along dim 1", "stack 4 tensors of 8x16".

The text is read with two of them, which tells the axis and that every other word is understood; then all are joined.
"""

import re
from collections.abc import Callable

from akgen.agents.requests.needs import missing
from akgen.agents.requests.request import ChainStep, Request, Shape

Read = Callable[[str, Request], Request | None]
_COUNTS = {
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "eight": 8,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "八": 8,
}
_COUNT = re.compile(
    rf"(?<![A-Za-z0-9_.])(?P<count>{'|'.join(_COUNTS)}|[3-9]) ?(?:个)?(?= ?(?:(?:fp|bf|float|int)\d+ |differe"
    rf"nt |separate |half )?"
    r"(?:tensors|inputs|matrices|arrays|vectors|张量|输入|矩阵|向量|tensor))",
    re.I,
)
_VERB = re.compile(
    r"(?<![A-Za-z])(?:concat(?:enat(?:e|ion|ing))?|cat|join(?:ing)?|stack(?:ing)?)(?![A-Za-z])|拼接|连接|堆叠"
    r"|拼(?:在|到)一起",
    re.I,
)
_SHAPE = r"(?:[\[(] ?\d+(?: ?, ?\d+)* ?,? ?[\])]|\d+(?: ?[x×] ?\d+)+)"
_TENSOR = rf"(?:[a-z]\w{{0,7}} ?(?:is |of |of shape |[:=：]|是|为|形状)? ?)?{_SHAPE}"
_SEPARATOR = r" ?(?:,|，|、|;|；|和|与| and |, and ) ?"
_LIST = re.compile(rf"(?<![\w.]){_TENSOR}(?:{_SEPARATOR}{_TENSOR}){{2,7}}(?![\w.])", re.I)
_NAMES = re.compile(
    rf"(?P<names>(?<![\w.])[a-z]\w?(?:{_SEPARATOR}[a-z]\w?){{2,7}})(?![\w.])(?: (?=along|over|on|at))?", re.I
)


def joined_request(said: str, read: Read) -> Request | None:
    """Return the request of a text that joins three tensors or more; None of another one."""
    said = re.sub(r"(?<![A-Za-z])join(?:ing)?(?![A-Za-z])", "concat", said, flags=re.I)
    if _VERB.search(said) is None:
        return None
    listed, counted = _LIST.search(said), _COUNT.search(said)
    shapes = _shapes(listed[0]) if listed is not None else []
    count = None if counted is None else _COUNTS.get(counted["count"].lower()) or int(counted["count"])
    if count is not None and shapes and len(shapes) != count:
        return None
    if listed is not None:
        pair = f"x {_written(shapes[0])}, y {_written(shapes[1])}"
        said = f"{said[: listed.start()]}{pair}{said[listed.end() :]}"
        names = _NAMES.search(said)
        if names is not None and len(re.split(_SEPARATOR, names["names"])) == len(shapes):
            said = f"{said[: names.start()]} {said[names.end() :]}"
    elif count is None or len(re.findall(_SHAPE, said)) > 1:
        return None  # three tensors, and two shapes
    said = _COUNT.sub(lambda m: "two " if m["count"].isascii() else "两个", said)
    known = read(said, Request())
    if known is None or missing(known) or known.returned or len(known.steps) != 1 or len(known.shapes) != 1:
        return None
    step = known.steps[0]
    if step.operator not in ("cat", "stack") or step.formula is not None or not {*step.attributes} <= {"dim"}:
        return None
    shapes = shapes or [known.shapes[0][0]] * (count or 2)
    called = tuple(f"x{i}" for i in range(1, len(shapes) + 1))
    dim = step.attributes.get("dim", 0)
    joined = ChainStep(
        operator="formula",
        formula=f"torch.{step.operator}(({', '.join(called)}), dim={dim})",
        variables=called,
    )
    rank = len(shapes[0])
    free = dim % rank if step.operator == "cat" and isinstance(dim, int) else None
    if not isinstance(dim, int) or len({tuple(n for i, n in enumerate(s) if i != free) for s in shapes}) > 1:
        return None
    return known.model_copy(update={"steps": (joined,), "shapes": (tuple(shapes),)})


def _shapes(listed: str) -> list[Shape]:
    return [tuple(int(n) for n in re.findall(r"\d+", shape)) for shape in re.findall(_SHAPE, listed)]


def _written(shape: Shape) -> str:
    return f"[{', '.join(map(str, shape))}]"
