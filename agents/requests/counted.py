"""Write tensors that are told by counts as shapes: "40 curves of 501 samples", "60 points, 45 points, 20 dims each"."""

import re

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
