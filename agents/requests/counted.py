"""Write tensors that are told by counts as shapes: "40 curves of 501 samples", "60 points, 45 points, 20 dims each".

Sizes that are told one by one, "2 个样本、32 通道、64×64", "batch 8, length 512, 64 channels", become a shape in
the order told: the batch first, height and width last, channels of a convolution before its lengths.
"""

import itertools
import re
from collections.abc import Iterator
from functools import cache

from akgen.agents.requests.marks import words

_N = r"(?<![a-z0-9_.\-\[(])\d+k?"
_FREE = r"(?![a-z0-9_.]| ?[x*] ?\d)"
PARTS = (  # nouns that count a part of an operator, not the rows of a tensor
    r"groups|heads|channels|layers|classes|experts|cores|tiles|steps|inputs|tensors|operands|times|axes|dims|filters|"
    r"buffers|blocks|outputs|elements|features|bins|matrices|columns|cols|bits|points of|"
    r"is|as|has|its|this|thus|plus|minus|units|neurons|parts|chunks|pieces|embeddings|entries|rows|"
    r"words|tokens|dimensions|epochs|kernels|cases|results|numbers|values|floats|params|parameters|weights"
)
_NOUN = (
    r"(?:(?:sorted|random|query|input|feature|different|independent|separate|reference|candidate) )?"
    rf"(?!(?:{PARTS})\b)[a-z]+s"
)
_UNIT = (
    r"(?:dims?|dimensions?|coord(?:inate)?s?|features?|samples?|components|d|entries|elements|values|floats)"
)
_EACH = r"(?: each| long| per [a-z]+)?"
_WIDTH = (
    rf"(?:(?:of )?(?:length|len|size|dim(?:ension)?|width)s? (?P<length>{_N}){_FREE}"
    rf"|(?P<count>{_N})(?:[ \-]{_UNIT})(?![a-z0-9_]){_EACH})"
)
_ROWS = re.compile(rf"(?P<rows>{_N}) (?P<noun>{_NOUN}),? (?:of|with|wiht|having|that have|in)? ?{_WIDTH}")
TWO_SETS = re.compile(
    rf"(?P<one>{_N}) (?P<noun>[a-z]+s),? (?P<link>and|vs\.?|versus|against|to|,? ?(?:and )?[b-z] (?:is|has|are)) "
    rf"(?P<two>{_N}) (?P=noun)(?P<gap>,? (?:(?:in|of|with|having|both|all|each) )*){_WIDTH}"
)
_TABLE = re.compile(
    rf"(?P<rows>{_N}) (?:samples|rows|examples|points|tokens|users|items|frames|vectors|records) ?(?:x|by|and|,) ?"
    rf"(?P<columns>{_N}) (?:features|columns|cols|dims|dimensions|channels|classes)(?![a-z0-9_])"
)
_TYPE = r"(?:(?:fp|bf|int|float|uint|bfloat)\d+ |half |float )?"
_MATRICES = re.compile(
    rf"(?P<count>{_N}) (?P<type>{_TYPE})(?P<size>\d+ ?x ?\d+) (?:matrices|images|maps|blocks|patches)(?![a-z])"
    rf"|(?P<count2>{_N}) (?P<type2>{_TYPE})(?:matrices|images|maps) of (?:size |shape )?(?P<size2>\d+ ?x ?\d+){_FREE}"
    rf"|(?P<count3>{_N}) ?个 ?(?P<size3>\d+ ?x ?\d+) ?的? ?(?:matrix|matrices|方阵|矩阵|图像?|块)"
)
_ZH_ROWS = re.compile(
    rf"(?P<rows>{_N}) ?(?:个|条|组|张|句|份)(?!(?:类|通道|头|核|组|输入|张量|矩阵|输出))"
    rf"[\u4e00-\u9fff]{{0,3}}(?<!的)"
    rf"[，, ]{{0,2}}(?:每(?:个|条|组|张|句|份)[\u4e00-\u9fff]{{0,3}}?)?(?:有|为|是|含|长度?|都是)? ?(?P<width>{_N})"
    r" ?(?:维|个?(?:点|数|特征|元素|值|采样))(?![\u4e00-\u9fff]*上)"
)
_ZH_SETS = re.compile(
    rf"(?P<one>{_N}) ?个(?P<noun>[\u4e00-\u9fff]{{1,3}}) ?(?:和|对|与|跟|vs) ?(?P<two>{_N}) ?个(?P=noun)?[，, ]{{0,2}}"
    rf"(?:每个(?P=noun)?|都)?(?:有|为|是)? ?(?P<width>{_N}) ?维"
)
_FEW = 6  # so many may be tensors of their own: "two 64x32 matrices"


def with_shapes(text: str) -> str:
    """Return a text in lower case with shapes in the place of counts."""
    text = TWO_SETS.sub(_two_sets, text)
    text = _ZH_SETS.sub(lambda m: f"[{m['one']}, {m['width']}] 和 [{m['two']}, {m['width']}]", text)
    text = _ROWS.sub(lambda m: f"[{m['rows']}, {m['length'] or m['count']}] ", text)
    text = _TABLE.sub(lambda m: f"[{m['rows']}, {m['columns']}] ", text)
    text = _MATRICES.sub(_matrices, text)
    return _ZH_ROWS.sub(lambda m: f"[{m['rows']}, {m['width']}] ", text)


def _two_sets(match: re.Match[str]) -> str:
    width = match["length"] or match["count"]
    return f"[{match['one']}, {width}] {match['link'].replace('vs.', 'vs')} [{match['two']}, {width}] "


def _matrices(match: re.Match[str]) -> str:
    said = match.groupdict()
    way = next(w for w in ("", "2", "3") if said[f"count{w}"])
    count = said[f"count{way}"]
    if int(count.rstrip("k")) <= _FEW and way != "2":
        return match[0]
    rows, columns = re.findall(r"\d+", said[f"size{way}"])
    return f"{said.get(f'type{way}') or ''}[{count}, {rows}, {columns}] "


_SIZE = r"(?P<{role}>\d{{1,9}}k?)(?![a-z0-9_.]| ?[x×*] ?\d)"
_IS = r"(?: ?(?:[=:：]|是|为|有|of|is)? ?)"
_BETWEEN = re.compile(
    r"(?:\s|[,，、;；x×*]|的|和|与|有|含|(?<![a-z])(?:and|with|by|each|has)(?![a-z])"
    r"|(?<![a-z])of(?![a-z])|每(?:个|行|条|张|句|段|列|份)?(?:样本|图|句子|框|点|向量|token)?|各)*",
    re.I,
)
_SPATIAL = ("area", "height", "width", "pair")
_LAID_OUT = re.compile(
    r"conv|pool|卷积|池化|interpolat|插值|resize|sampl|采样|shuffle|batch ?norm|批归一", re.I
)
_AGAIN = r"\s?[,，(（]?\s?(?:即|就是|也就是|共|i\.e\.,?)\s?[\[(]?{sizes}[\])]?\s?[)）]?"


def with_told_sizes(text: str) -> str:
    """Return a text with a shape in the place of sizes that are told one by one: "2 个样本、32 通道、64×64"."""
    for run in reversed([*_runs(text)]):
        sizes = _sizes(run, text)
        if sizes is None:
            continue
        begin, end = run[0].start(), run[-1].end()
        again = re.match(_AGAIN.format(sizes=r" ?[x×*,] ?".join(sizes)), text[end:], re.I)
        end += again.end() if again is not None else 0
        lead = re.sub(r"(?<=[A-Za-z0-9\s])有\s?\Z", "", text[:begin])
        lead = re.sub(r"(?:一共|总共|共)\s?\Z", "", lead)
        text = f"{lead}[{', '.join(sizes)}]{text[end:]}"
    return text


def _runs(text: str) -> Iterator[list[re.Match[str]]]:
    """Yield sizes that stand one behind the other, two at least."""
    run: list[re.Match[str]] = []
    for match in _term().finditer(text):
        if run and not _BETWEEN.fullmatch(text, run[-1].end(), match.start()):
            yield from [run] if len(run) > 1 else []
            run = []
        if run or match["of_pair"] is None:
            run.append(match)
    yield from [run] if len(run) > 1 else []


def _sizes(run: list[re.Match[str]], text: str) -> list[str] | None:
    """Return the sizes in the order of their axes; None where it is not the order told, or not known."""
    sizes: list[str] = []
    roles: list[str] = []
    for match in run:
        role = next(r for r, _ in words()["told sizes"] if match[f"of_{r}"] is not None)
        roles.append(role)
        if role == "pair":
            sizes += [match["first"], match["second"]]
        else:
            number = next(g for k, g in match.groupdict().items() if k.startswith(f"{role}_") and g)
            sizes += [number] * (2 if role == "area" else 1)
    named = [r for r in roles if r not in ("counted", "features", "each")]
    ordered = all(second in _SPATIAL for first, second in itertools.pairwise(roles) if first in _SPATIAL)
    if "heads" in roles and not {"batch", "long"} & {*roles}:
        return None
    if "batch" in roles[1:] or not ordered or len({*named}) < len(named) or set(roles) <= {"pair"}:
        return None
    if _LAID_OUT.search(text):
        inner = [r for r in roles if r in ("channels", "long", *_SPATIAL)]
        if "channels" in inner[1:] or "heads" in roles:
            return None
    return sizes


@cache
def _term() -> re.Pattern[str]:
    """Match one size that is told by its axis."""
    parts = []
    for role, said in words()["told sizes"]:
        first, *behind = said.replace("IS", _IS).split("{n}")
        sized = [f"{_SIZE.format(role=f'{role}_{at}')}{part}" for at, part in enumerate(behind)]
        parts.append(f"(?P<of_{role}>{first}{''.join(sized)})")
    return re.compile("|".join(parts), re.I)
