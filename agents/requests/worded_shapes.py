"""Write shapes that are told by words: "batch 8, 64 channels, length 2000", "10000 rows of 128", "b of the same shape".

A run of sizes is a shape where it begins with a batch or with rows, tells every axis once, and names no part of an
operator. The axes stand in the order told. What is said again behind it, "so 2x3x250x250", must agree.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from akgen.agents.requests.counted import PARTS, TWO_SETS
from akgen.agents.requests.size_words import (
    AXIS_LETTERS,
    AXIS_WORDS,
    CALLED_AXES,
    COLOURS,
    COUNTS,
    NAMED_ALONE,
    NO_TENSORS,
    ORDERS,
    ROWS,
    SCALES,
    VECTORS,
)

_N = r"[1-9]\d{0,6}k?"
_FREE = r"(?![\w]|\.\d)"
_SHAPE = rf"(?:[\[(] ?{_N}(?: ?, ?{_N})* ?,? ?[\])]|(?<![\w.]){_N}(?: ?[x×*] ?{_N})+{_FREE})"
_TOLD = re.compile(_SHAPE, re.I)
_NOUNS = "|".join(AXIS_WORDS.values())
_NAMED = "|".join(
    words for role, words in AXIS_WORDS.items() if role not in ("rows", "matrices", "columns")
)  # those that may stand before their size
_ITEM = re.compile(
    rf"(?<![\w.])(?P<letter>[NBCDHWTLS]) ?= ?(?P<of_letter>{_N}){_FREE}"
    rf"|(?P<plane>(?<![\w.]){_N}(?: ?[x×] ?| by ){_N}(?:(?: ?[x×] ?| by ){_N})?){_FREE}"
    r"(?: (?:pixels?|images?|spatial|resolution|maps?|each)(?![a-z]))*"
    rf"|(?<![\w.])(?P<count>{_N}|{'|'.join(COUNTS)})[ -](?:(?P<colour>{'|'.join(COLOURS)}) )?"
    rf"(?:(?P<noun>{_NOUNS})|(?P<rows>(?!(?:{PARTS}|{_NAMED})\b)[a-z]+(?<![isu])s))(?![\w])"
    r"(?: each| per \w+| in each)?"
    rf"|(?<![\w.])(?P<noun2>(?!dims? ?\d(?!\d)){_NAMED})"
    rf"(?: of| is| size)?[ =:]{{1,3}}(?P<size>{_N}){_FREE}(?! ?(?:x|by) \d)"
    r"(?:(?<=\d) (?:images|samples|sequences|sentences|signals|examples)(?![a-z]))?"
    rf"|(?<=[^\w.])(?P<bare>{_N}){_FREE}(?! ?[x×*] ?\d)(?: (?:each|per (?:row|sample|vector)|long|wide|d)(?![a-z]))?",
    re.I,
)
_JOIN = re.compile(
    r"(?:\s|,|×|(?<![a-z])(?:and|with|of|by|(?<!, )x|at|having|holding|each|in|length|size|sized|dim|dimension"
    r"|width)(?![a-z]))*",
    re.I,
)
_BARE_JOIN = re.compile(r"(?<![a-z])(?:of|by|with|x|×|length|size|dim|dimension|width)\s*\Z|×\s*\Z", re.I)
_LEAD = re.compile(
    r"(?:(?<![a-z])(?:of|with|holding|holds|having|containing|contains|has|in)(?![a-z])|[:(])\s*(?:an? )?\Z",
    re.I,
)
_AGAIN = re.compile(
    rf"(?:,|\s|(?<![a-z])(?:so|i\.e\.|that is|that's|hence|meaning|namely|which is|or)(?![a-z])|[=:(])+"
    rf"(?P<shape>{_SHAPE})\)?",
    re.I,
)
_MORE = re.compile(rf",? ?(?:and )?(?<![\w.]){_N}(?: [a-z]|{_FREE})", re.I)
_LONG = r"(?:long|entries|elements|values|items|numbers|of them)(?: each)?"
_OF = re.compile(
    rf"(?<![\w.'])(?P<name>[abcxyzuvw]) of (?P<size>\d{{2,7}}){_FREE}(?! ?(?:[x×*] ?\d|[a-z]+s(?![a-z])|by ))",
    re.I,
)
_LENGTH = re.compile(  # "pos_weight is 80 long", "a weight vector with 1000 entries", "b: a vector with 4096 values"
    rf"(?<![\w.])(?P<name>{VECTORS}|[a-z](?=(?: is|:) an? (?:vector|1-?d )|,? has|: 1-?d))"
    rf"(?P<kind>(?:,|:|\s|(?<![a-z])(?:vectors?|tensors?|arrays?|lists?|is|are|has|have|holds|with|of|an?|both|each|1-?d|length)(?![a-z]))*)"
    rf"(?:(?P<size>{_N}) {_LONG}(?![a-z])|(?<=length ){_N}{_FREE})",
    re.I,
)
_EACH = re.compile(  # "weight and bias, 256 each"
    rf"(?<![\w.])(?P<names>(?:an? )?(?:{SCALES})(?: vectors?)?"
    rf"(?:(?: ?[,/&] ?(?:and )?| and )(?:an? )?(?:{SCALES})(?: vectors?)?){{1,5}})"
    rf"(?:,|:|\s|(?<![a-z])(?:are|is|of|both|with|length|size|have|has)(?![a-z])){{0,8}}(?<![\w.])(?P<size>{_N})"
    r"(?: (?:long|elements|entries|values))?(?: each)?(?=\s*(?:[,;)]|\.(?!\d)|\Z))",
    re.I,
)
_ALIKE = re.compile(  # "and b of the same shape", "; b likewise"
    r"(?P<name>(?<![\w.'])[a-z]\w{0,11})"
    r"(?: (?:is|are|has|with|of|also|being)|,|:){0,4} (?:(?:of |the |a |an ){0,3}"
    r"(?:same|equal|identical|matching|such) "
    r"(?:shape|size|length|dims|shape and dtype)(?: as (?:the )?(?P<other>[a-z]\w*))?"
    r"|(?P<bare>(?:the )?same|likewise|ditto))"
    rf"(?= ?(?:[,.;)]|\Z|and (?!\d)|(?P<again>{_SHAPE}|{_N}{_FREE})|(?:fp|bf|float|int)\d|half))",
    re.I,
)
_ONE = re.compile(rf"(?:{NAMED_ALONE})\Z", re.I)  # what "b the same" may tell of
_TENSOR = re.compile(rf"(?!(?:{NO_TENSORS})\Z)\w+\Z", re.I)
_CONVOLVED = re.compile(r"conv|pool|(?:instance|batch|group)[ _-]?norm|upsampl|interpol", re.I)
_ATTENDS = re.compile(r"attention|sdpa|rope|rotary", re.I)
_FIRST = ("rows", "batch", "matrices", "tokens")  # axes
_SEPARATE = re.compile(r"\w+ (?:\w+ )?(?:vectors|matrices|batches)", re.I)
_FEW = 6  # tensors that a request may count
_IMAGES = 3  # axes at least of what a convolution takes
_CODE = re.compile(r"```|^(?:import |from \w[\w.]* import |class \w|def \w|@)", re.M)


_ROWS = re.compile(rf"\w+ (?:{ROWS})", re.I)
_TIMES = re.compile(rf"\s*(?:times|@|multiplied by|dot|and|with|plus|by) ?(?:{_SHAPE}|{_N} by \d)", re.I)
_LETTER = re.compile(r"[NBCDHWTLS] ?=", re.I)
_OVER = re.compile(
    rf"(?<![a-z])(?P<over>over|along|across) (?:the |all (?:the )?)?(?P<name>{'|'.join(CALLED_AXES.values())})"
    r"(?: (?:ax[ie]s|dim(?:ension)?))?(?![\w-]| ?(?:[=(]|ax[ie]s|dims?) ?[\d(a-z]"
    r"| ?(?:,|and) ?(?:the )?[NCHWDLT](?![a-z]))",
    re.I,
)


class SizedAxis(NamedTuple):
    """Sizes that stand together in a text, and the axis that their words name."""

    begin: int
    end: int
    role: str
    sizes: tuple[str, ...]


def with_worded_shapes(text: str) -> str:
    """Return a request with its worded shapes in brackets; code as it is."""
    if _CODE.search(text):
        return text
    return _with_alike(_with_lengths(_with_runs(text)))


def _with_runs(text: str) -> str:
    named: list[list[str]] = []
    sets = [m.span() for m in TWO_SETS.finditer(text.lower())]  # of which each is a tensor
    for run in reversed([*_runs(text)]):
        if any(begin < run[-1].end and run[0].begin < end for begin, end in sets):
            continue
        sizes = [s for item in run for s in item.sizes]
        if not _is_shape(text, run, sizes):
            continue
        begin, end = run[0].begin, run[-1].end
        again = _AGAIN.match(text, end)
        if _TIMES.match(text, end):
            continue
        if again is not None:
            if re.findall(_N, again["shape"]) == sizes:
                end = again.end()
            elif re.match(r"[\s,]*(?:so|i\.e\.|that|=|\()", text[end:]):
                continue
        lead = _LEAD.search(text[:begin])
        begin = lead.start() if lead is not None and text[lead.start()] not in ":(" else begin
        text = f"{text[:begin].rstrip()} [{', '.join(sizes)}]{text[end:]}".lstrip()
        named.append([role for item in run for role in (item.role, *[""] * (len(item.sizes) - 1))])
    return _with_axes(text, named[-1]) if named else text


def _with_axes(text: str, roles: list[str]) -> str:
    """Write the axes that are called as the sizes were, "over the sequence", by their number in the first shape."""

    def numbered(match: re.Match[str]) -> str:
        said = next(role for role, words in CALLED_AXES.items() if re.fullmatch(words, match["name"], re.I))
        if roles.count(said) != 1:
            return match[0]
        last = said == roles[-1]
        return f"{match['over']} " + ("the last dim" if last else f"dim {roles.index(said)}")

    return _OVER.sub(numbered, text)


def _runs(text: str) -> Iterator[list[SizedAxis]]:
    """Yield the longest runs of sizes with nothing but joints between them."""
    run: list[SizedAxis] = []
    at = 0
    while (match := _ITEM.search(text, at)) is not None:
        item = _item(match)
        between = text[run[-1].end : item.begin] if run else ""
        joined = bool(run) and _JOIN.fullmatch(between) is not None
        bare = not item.role
        if bare and not (
            joined and _BARE_JOIN.search(between) and run[-1].role in ("rows", "batch", "matrices", "tokens")
        ):
            joined = False
        if not joined:
            if len(run) > 1:
                yield run
            run = []
        if not bare or joined:
            run.append(item._replace(role=item.role or "columns"))
        at = max(match.end(), at + 1)
    if len(run) > 1:
        yield run


def _item(match: re.Match[str]) -> SizedAxis:
    if match["letter"]:
        return SizedAxis(*match.span(), AXIS_LETTERS[match["letter"].upper()], (match["of_letter"],))
    if match["plane"]:
        return SizedAxis(*match.span(), "plane", tuple(re.findall(_N, match["plane"])))
    if match["bare"]:
        return SizedAxis(*match.span(), "", (match["bare"],))
    noun = (match["noun"] or match["noun2"] or "rows").lower()
    role = next(role for role, words in AXIS_WORDS.items() if re.fullmatch(words, noun, re.I))
    size = match["size"] or str(COUNTS.get(match["count"].lower(), match["count"]))
    colour = COLOURS.get((match["colour"] or "").lower())
    return SizedAxis(*match.span(), role, (size,) if colour is None else (size, str(colour)))


def _is_shape(text: str, run: list[SizedAxis], sizes: list[str]) -> bool:
    """Say whether a run tells a whole tensor: axes in an order that tensors have, and none of an operator's parts."""
    roles = [item.role for item in run]
    if all(_LETTER.match(text, item.begin) for item in run):
        return False  # the letters are the axes' names
    if (
        "heads" in roles
        and "head_dim" not in roles
        and re.match(r"dims?\b|\d+ dims?\b", text[run[-1].begin :], re.I)
    ):
        roles[-1] = "head_dim"
    if _SEPARATE.match(text, run[0].begin) and int(sizes[0].rstrip("k")) <= _FEW:
        return False  # so many tensors: "two vectors of 1000 elements"
    if roles[0] == "rows" and not _ROWS.match(text, run[0].begin):
        behind = text[run[0].end : run[1].begin]  # "4096 boxes by 4 coordinates"
        if re.search(r"(?<![a-z])(?:of|by|with|x|having|each|in)(?![a-z])", behind, re.I) is None:
            return False
    if roles == ["heads", "plane"]:
        roles[0] = "matrices"  # "8 heads of 64 by 64"
    if roles[0] == "tokens" and re.match(r"\d+k? ", text[run[0].begin :]):
        roles[0] = "rows"  # "512 tokens of dim 64"
    if len({*roles}) < len(roles) or roles[0] not in ("batch", "rows", "matrices"):
        return False
    if _CONVOLVED.search(text) and (len(sizes) < _IMAGES or (roles[1] == "plane" and len(sizes) == _IMAGES)):
        return False  # the channels are told elsewhere
    if _ATTENDS.search(text) and "heads" in roles and roles != ["batch", "heads", "tokens", "head_dim"]:
        return False
    if _MORE.match(text, run[-1].end) and not _AGAIN.match(text, run[-1].end):
        return False
    if "plane" in roles:
        return roles[-1] == "plane" and len(roles) <= _IMAGES and {*roles[1:-1]} <= {"channels", "heads"}
    return any(_within(roles, order) for order in ORDERS)


def _within(roles: list[str], order: tuple[str, ...]) -> bool:
    places = [order.index(role) for role in roles if role in order]
    ends = order[-1] in roles or roles[-1] == "tokens" or len(roles) == len(order)
    return len(places) == len(roles) and places == sorted(places) and ends


def _with_lengths(text: str) -> str:
    """Write the lengths of vectors behind their names as shapes."""

    def each(match: re.Match[str]) -> str:
        names = re.findall(SCALES, match["names"], re.I)
        told = {n for m in _TOLD.finditer(text) for n in re.findall(_N, m[0])}
        return ", ".join(f"{name} [{match['size']}]" for name in names) if match["size"] in told else match[0]

    def length(match: re.Match[str]) -> str:
        size = match["size"] or re.findall(_N, match[0])[-1]
        return f"{match['name']} [{size}]"

    text = _OF.sub(lambda m: f"{m['name']} [{m['size']}]", text)
    return _LENGTH.sub(length, _EACH.sub(each, text))


def _with_alike(text: str) -> str:
    """Write "b of the same shape" with the shape of the tensor before it, or of the one that is named."""
    at = 0
    while (match := _ALIKE.search(text, at)) is not None:
        at = match.end()
        known = _ONE if match["bare"] else _TENSOR
        shape = _shape_before(text, match) if known.match(match["name"]) else None
        if shape is None:
            continue
        again = match["again"] and re.findall(_N, match["again"])
        if again and again != re.findall(_N, shape):
            continue
        end = match.end("again") if again else match.end()
        text = f"{text[: match.start()]}{match['name']} {shape}{text[end:]}"
        at = match.start() + len(match["name"]) + len(shape) + 1
    return text


def _shape_before(text: str, match: re.Match[str]) -> str | None:
    """Return the only shape that is told before, or that of the other tensor that is named."""
    told = list(_TOLD.finditer(text[: match.start()]))
    if match["other"]:
        named = re.compile(rf"(?<![\w.]){re.escape(match['other'])}\b[^,;.\[(\d]*\Z", re.I)
        told = [m for m in told if named.search(text[: m.start()])]
    shapes = {tuple(re.findall(_N, m[0])) for m in told}
    return f"[{', '.join(shapes.pop())}]" if len(shapes) == 1 else None
