"""Write out what is written short in a hurry: "8,128,56,56 half", "k3 s2 p1", "m n k = 64 32 128"."""

import re

_N = r"\d+k?"
_OPERAND = (
    r"(?:the )?(?:weights?|kernels?|filters?|bias|gamma|beta|masks?|indices|index|labels?|targets?"
    r"|[bwy])(?![a-z])"
)
_CODE = re.compile(r"```|^(?:import |from \w[\w.]* import |class \w|def \w|@)", re.M)
_BARE = re.compile(  # sizes apart by commas, without brackets
    rf"(?P<lead>(?:[a-z_]+|[\u4e00-\u9fff]+)?[ :=,，：]*)(?<![\w.\-/\[(])(?P<sizes>{_N}(?:,{_N})+|{_N}(?:, {_N}){{2,}})"
    rf"(?![\w.]|,? ?-?\d| ?[/*]|\s*(?:elements?|values|numbers|params|entries|and (?!\d|{_OPERAND})|or|&|个)"
    r"|[^\[\](){}]*[\])}])",
    re.I,
)
_NO_SHAPE = re.compile(  # what a list of numbers behind may be, if no shape
    r"(?:dims?|dimensions?|axis|axes|perm|permute|permutation|transpose|order|flip|kernel(?:_size)?|strides?|"
    r"paddings?|pad"
    r"|dilations?|shifts?|roll|sizes|lengths|shapes|for|at|from|to|between|quantiles?|classes|values?|betas?|"
    r"index|indices"
    r"|ids|sections|splits?|into|by|repeats?|tile|output|and|of the|in|groups|bins|edges|boundaries|thresholds"
    r"|第|轴|维|维度|到|为|长度|步长|核|大小|尺寸分别|分别|排列|转置|置换|切成|分成|在|从|和|或)[ :=,，：]*\Z",
    re.I,
)
_OUTERMOST = re.compile(  # the axis is said without the numbers
    r"(?:last|first|final|inner\w*|outer\w*|最后一?个?|末尾?|第一个?) ?(?:dim(?:ension)?|axis|维度?|轴)[ :=,，：]*\Z",
    re.I,
)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
_AXES_AT_MOST = 7
_POOLED = re.compile(r"conv|pool|卷积|池化", re.I)
_KILO = re.compile(  # "4k x 128 (4k = 4096)"
    r"[,，;]? ?[(（]? ?(?:(?:where|here|with|其中) )?(?<![\w.])(?P<short>\d{1,4}k) ?(?:=|means?|is|stands for"
    r"|即|就是|表示) ?"
    r"(?P<size>\d{3,7})(?![\w.]) ?[)）]?",
    re.I,
)
_ALONG = re.compile(
    r"(?<![A-Za-z])(?:along|over|across) the (?P<size>\d+)(?= ?(?:[,.;)]|\Z|axis|dim|ones?))", re.I
)
_TOLD = re.compile(
    r"[\[(] ?\d{1,12}(?: ?, ?\d{1,12})+ ?[\])]|(?<![\w.])\d{1,12}(?: ?[x×] ?\d{1,12})+(?![\w.])"
)
_LETTER = re.compile(r"(?<![\w.])(?P<letter>[ksp])(?P<value>\d{1,2})(?![\w.])", re.I)
_WINDOW = re.compile(r"(?<![\w.])\d ?x ?\d(?![\w.]| ?x)")
_MEANS = {"k": "kernel_size", "s": "stride", "p": "padding"}
_TRIPLE = re.compile(
    rf"(?<![\w.])[\[(]?(?P<names>[mnk](?:[ ,/x]*[mnk]){{2}})[\])]?(?: ?(?:=|:|is|are|of|为|是) ?| )"
    rf"[\[(]?(?P<sizes>{_N}(?:(?: ?[,/x] ?| ){_N}){{2}})[\])]?(?![\w.]| ?[x,] ?\d)",
    re.I,
)
_SLASHED = re.compile(  # names of tensors of one shape: "q/k/v 都是 [2, 8, 64]" divides nothing
    r"(?<![\w./*+^@(=-])[A-Za-z]\w?(?: ?/ ?[A-Za-z]\w?)+"
    r"(?= ?(?:都是?|均为?|各自?|each|(?:are|all|both)(?: all| both)?)"
    r"(?:[ 是为:：]|(?:of )?shape|形状)*(?:[\[(]\d|\d+ ?[x×] ?\d))"
)
_BY_SIZE = re.compile(  # an axis by its size: "sum along the 64 dim"
    r"(?P<lead>(?<![A-Za-z])(?:along|over|across) (?:the |its )?)(?P<size>\d{2,})"
    r"(?: ?-?(?:sized? |wide |long )?(?:dim(?:ension)?|axis)(?![A-Za-z])|(?=\s*(?:[,.;，。；]|\Z))(?!\.\d))",
    re.I,
)
_SHAPE = re.compile(rf"[\[(] ?{_N}(?: ?, ?{_N})+ ?[\])]|(?<![\w.]){_N}(?: ?[x×*] ?{_N})+(?![\w.])")
_ROLES = {
    "batch": r"bs|bsz|b|n|batch(?:[_ ]?size)?", "seq": r"s|l|t|seq(?:uence)?(?:[_ ]?len(?:gth)?)?|tokens|ctx",
    "heads": r"num_heads|n_?heads|(?:kv[ _])?heads?", "h": r"h",
    "hidden": r"hidden(?:[_ ]?(?:size|dim))?|hid|d_?model|dim|d",
    "head_dim": r"head_?dim|hd|dh",
}  # fmt: skip
_NAME = "|".join(f"(?:{names})" for names in _ROLES.values())
_SIZED = re.compile(
    rf"(?<![\w.])(?P<name>{_NAME})(?P<sign> ?[=:] ?| )(?P<size>{_N})(?![\w.]| ?[x*,] ?\d)", re.I
)
_BETWEEN = re.compile(r"[ ,;，、/x]*(?:and )?")
_RESHAPED = re.compile(
    r"(?:(?<![a-z])(?:reshape|view)(?:d)? (?:x |it |an? |the )?(?:tensor )?(?:from |of )?(?:shape )?"
    r"|(?:把|将) ?(?:x )?)"
    r"(?P<given>\d+(?: ?[x×] ?\d+)+) ?(?:(?:in)?to|(?:的张量)?(?:reshape|变形|重塑|view) ?[成为到]) ?"
    r"(?P<wanted>\d+(?: ?[x×] ?\d+)+)(?![\dx×.])",
    re.I,
)
_CALLED = r"(?:[A-Za-z]\w{0,15}|索引|下标|标签|目标|掩码|权重|输入|预测|残差)"
_SAME_AS = (
    r" ?(?:(?:is|has|have|of|with|in|,|:|的)(?![a-z]))* ?(?:the )?same (?:shape|size) (?:as|of) (?:the )?"
)
_ALIKE = r"(?P<zh> ?(?:的?形状|形状?)?(?:相同|一样|一致|同样|的?形状)+(?:的?形状)?)?"
_LIKE = re.compile(  # a tensor that has another's shape
    rf"(?<![\w.])(?P<name>{_CALLED})(?:{_SAME_AS}|(?: ?的?形状)? ?(?:与|和|同|跟) ?)"
    rf"(?P<other>{_CALLED})(?![\w.]){_ALIKE}",
    re.I,
)
_ORDERS = (("batch", "seq", "hidden"), ("batch", "heads", "seq", "head_dim"))


def written_out(text: str) -> str:
    """Return a text with sizes, shapes and attributes as others write them; code as it is."""
    if _CODE.search(text) or "einsum" in text:
        return text
    text = _RESHAPED.sub(_reshaped, text)
    text = _SLASHED.sub(lambda m: re.sub(r" ?/ ?", ", ", m[0]), text)
    if (kilo := _KILO.search(text)) is not None:
        rest = text[: kilo.start()] + " " + text[kilo.end() :]
        text = re.sub(rf"(?<![\w.]){kilo['short']}(?![a-z0-9])", kilo["size"], rest, flags=re.I)
    shapes = {tuple(re.findall(_N, m[0])) for m in _SHAPE.finditer(text)}
    text = _BY_SIZE.sub(lambda m: _along(m, shapes), text) if len(shapes) == 1 else text
    text = _ALONG.sub(_axis_of, text)
    text = _named(_TRIPLE.sub(_matrices, text))
    text = _LIKE.sub(_like, _BARE.sub(_shape, text))
    if _POOLED.search(text):
        letters = [m["letter"].lower() for m in _LETTER.finditer(text)]
        if len(letters) == len({*letters}) and (len(letters) > 1 or (letters and _WINDOW.search(text))):
            text = _LETTER.sub(lambda m: f" {_MEANS[m['letter'].lower()]}={m['value']} ", text)
    return text


def _reshaped(match: re.Match[str]) -> str:
    given, wanted = (", ".join(re.findall(r"\d+", match[name])) for name in ("given", "wanted"))
    return f"reshape [{given}] to [{wanted}]"


def _like(match: re.Match[str]) -> str:
    """Return "src, same shape as index" with the shape that the other tensor is told with; as it is without one."""
    if "same" not in match[0].lower() and not match["zh"]:
        return match[0]
    told = re.compile(
        rf"(?<![\w.]){re.escape(match['other'])}(?: ?(?:is|of|has|shape|[:=：]|为|是|的|形状))* ?"
        rf"(?P<shape>{_SHAPE.pattern})",
        re.I,
    )
    shapes = {m["shape"] for m in told.finditer(match.string)}
    return f"{match['name']} {shapes.pop()}" if len(shapes) == 1 else match[0]


def _axis_of(match: re.Match[str]) -> str:
    """Return "along the 64" as the axis of that size, where the only shape has one."""
    shapes = {tuple(int(n) for n in re.findall(r"\d+", shape)) for shape in _TOLD.findall(match.string)}
    sizes = shapes.pop() if len(shapes) == 1 else ()
    size = int(match["size"])
    return f"along dim {sizes.index(size)}" if sizes.count(size) == 1 else match[0]


def _along(match: re.Match[str], shapes: set[tuple[str, ...]]) -> str:
    """Write the axis that has a size; of several alike it stays open, which no reader takes for none."""
    (shape,) = shapes
    if match["size"] not in shape:
        return match[0]
    once = shape.count(match["size"]) == 1
    return f"over dim {shape.index(match['size']) - len(shape)}" if once else f"over axis-of-{match['size']}"


def _shape(match: re.Match[str]) -> str:
    """Return a list of sizes in brackets; as it is where its numbers may be others."""
    said = match["sizes"].replace(" ", "")
    sizes = said.split(",")
    numbers = [int(n.rstrip("k")) for n in sizes]
    few = len(sizes) < len((0, 0, 0)) and min(numbers) <= _AXES_AT_MOST
    axis = _NO_SHAPE.search(match["lead"]) and not _OUTERMOST.search(match.string[: match.start("sizes")])
    if axis or _THOUSANDS.fullmatch(said) or 0 in numbers:
        return match[0]
    if few or (max(numbers) <= _AXES_AT_MOST and "k" not in said):
        return match[0]
    return f"{match['lead']}[{', '.join(sizes)}]"


def _matrices(match: re.Match[str]) -> str:
    names = re.findall(r"[mnk]", match["names"].lower())
    if len({*names}) < len(names):
        return match[0]
    sizes = re.findall(_N, match["sizes"])
    return " " + " ".join(f"{name}={size}" for name, size in zip(names, sizes, strict=True))


def _named(text: str) -> str:
    """Write sizes with the names of their axes, one behind the other, as a shape where the names say in which order."""
    run: list[re.Match[str]] = []
    for match in [*_SIZED.finditer(text), None]:
        if run and (match is None or not _BETWEEN.fullmatch(text[run[-1].end() : match.start()])):
            if (shape := _in_order(run)) is not None:
                return f"{text[: run[0].start()]}{shape}{_named(text[run[-1].end() :])}"
            run = []
        if match is not None:
            run.append(match)
    return text


def _in_order(run: list[re.Match[str]]) -> str | None:
    if all(len(m["name"]) == 1 for m in run):
        return None  # single letters stand in the order of the shape
    if (
        not all("=" in m["sign"] or ":" in m["sign"] for m in run)
        and len({m["sign"].strip() for m in run}) == 1
    ):
        return None  # "batch 4, heads 8" are read elsewhere
    called = [(m["name"].lower(), m["size"]) for m in run]
    found = {
        role: size for name, size in called for role, names in _ROLES.items() if re.fullmatch(names, name)
    }
    if "h" in found:
        found["heads" if {"hidden", "head_dim"} & found.keys() else "hidden"] = found.pop("h")
    if "heads" in found and "hidden" in found and "head_dim" not in found:
        found["head_dim"] = found.pop("hidden")
    if len(found) != len(run):
        return None
    order = next((o for o in _ORDERS if {*o} == found.keys()), None)
    return None if order is None else f"[{', '.join(found[role] for role in order)}]"
