"""Mark what a text says, one recogniser after the other: formulas, operators, types, attributes, axes, shapes."""

import re
from functools import cache

from akgen.agents.requests import attributes, marks, sizes, tensors
from akgen.agents.requests.attributes import (
    parameters_of,
    take_arrow,
    take_attributes,
    take_flags,
)
from akgen.agents.requests.both import take_both
from akgen.agents.requests.chain import assemble
from akgen.agents.requests.described import (
    BY_INDEX,
    drop_repeated,
    drop_tensor_names,
    skip_by_index,
    stays,
    take_eps_place,
    take_returns,
)
from akgen.agents.requests.follow_ups import as_follow_up, varied
from akgen.agents.requests.formula import bound, join_formulas, take_formulas
from akgen.agents.requests.guesses import misspelt_filler
from akgen.agents.requests.joints import take_joints
from akgen.agents.requests.layouts import (
    layout_by_shape,
    layout_by_sizes,
    layout_of,
    rank_of,
    take_each,
    take_layout_words,
    take_named_axes,
    without_layout,
)
from akgen.agents.requests.loose_numbers import only_a_value, take_last_numbers
from akgen.agents.requests.loss_reductions import take_loss_reduction
from akgen.agents.requests.marks import MarkedText, phrase, words
from akgen.agents.requests.named_shapes import take_einsum
from akgen.agents.requests.needs import entry_of
from akgen.agents.requests.own_weights import (
    put_chain_weights,
    put_own_weights,
    take_chain_weights,
    take_own_weights,
)
from akgen.agents.requests.pads import take_pads
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.remarks import take_remarks
from akgen.agents.requests.request import ChainStep, Request
from akgen.agents.requests.spelling import respelt
from akgen.agents.requests.wishes import take_wishes
from akgen.knowledge.operators import OperatorEntry, find_operators, operator_named
from akgen.tools.core.dtypes import DType

_BULLET = re.compile(r"^[ \t]*(?:[-*•]|\d+[.)])[ \t]+", re.M)
_TIMES = r"(?:times|multiplied (?:by|with)|dot|@|by|乘以|乘)"
_PRODUCT = re.compile(
    rf"(?P<left>{attributes.DIMS}) *(?P<times>{_TIMES}) *(?P<right>{attributes.DIMS}|\d+(?![a-z0-9_.]))"
)
_TO_SHAPE = re.compile(
    rf"({attributes.DIMS})(?:[^\d]*?)(?P<to>\bto|into|->|=>|→|成|为|到)\s*({attributes.DIMS})"
)
_TAKEN = "\x00"
_AXES = re.compile(r" ?\( ?-?\d(?: ?, ?-?\d)+ ?\)")
_BESIDE = re.compile(r"(?:\s|the|axes|dims|dimensions|of|[(:,的])*")  # between a name and its axes
_EVERY = re.compile(
    r"(?<![a-z])(?:and )?(?:return(?:s|ing)?|output(?:s|ting)?|give|i want|want)(?: me)? (?:both"
    r"|all(?: of)?)(?: (?:the|of the|results|outputs))?"
    r"[^,.;，。；\n]*|(?:同时|都|一并)(?:返回|输出)(?:两个|中间)?结果?[^,.;，。；\n]*|(?:返回|输出)(?:两者|两个结果|中间结果)[^,.;，。；\n]*"
)
_IN_PLACE = re.compile(r"(?<![a-z0-9_])[a-z]\w{0,12} ?[-+*/]= ?\Z")
_TRAINS = re.compile(r"(?<![a-z])train(?:ing|s)?(?![a-z])|训练")
_TOLD = re.compile(r"\s?[=:]?\s?(?:为|是)?\s?(?:(?P<on>true|yes|on)|false|no|off)(?![a-z])")
_MANNER = re.compile(  # a word before "mode" that says how something is done, or the name of a choice
    r"(?<![a-z])(?!(?:the|an?|its?|their|this|that|compute|computes|take|takes|get|gets|give|me|find|want|need|and|then|or"
    r"|plus|of|statistical|torch|rows?|columns?|make|do|write|also|return|per|each|now|not|just|only|fused|fuse|median"
    r"|mean|with|to|by|is|for)(?![a-z]))[a-z][a-z-]* \Z"
)
_SQUARE = re.compile(r"square(?= matri)")


class Reading:
    """One text being read."""

    def __init__(self, said: str, known: Request) -> None:
        self._known = known
        said = as_follow_up(said, known)
        if known.empty and not re.search(
            "causal|因果|softmax", said, re.I
        ):  # "attention, no mask, no dropout": as it is
            said = re.sub(words()["has none"], " ", said, flags=re.I)
        text = without_layout(said)
        equation = "einsum" in text or any("einsum" in (s.formula or "") for s in known.steps)
        names = () if known.source is None else known.source.arguments or ()
        text = respelt(text, letters=equation, names=names)
        self._layout = layout_of(said) or known.axes
        self.text = MarkedText(_BULLET.sub(lambda m: " " * len(m[0]), text))

    def request(self) -> Request:
        """Return what is known now. Raises Unclear."""
        text, known = self.text, self._known
        only_a_value(text, known)
        take_eps_place(text)
        wishes = take_wishes(text)
        text.take(_SQUARE, "label")
        text.take(phrase("fix"), "fix")
        letters = take_einsum(text, known)
        if len([*find_operators(text.rest)]) > 1 and not _with_values(text.text):
            text.every_result = text.take(_EVERY, "filler")
        if find_operators(BY_INDEX.sub(" ", text.rest)):
            skip_by_index(text)
        self._take_named_axes(letters=True)
        take_formulas(text)
        take_loss_reduction(text)
        if known.steps and not any(m.kind == "operator" for m in text.marks):
            known = varied(text, known)
            known = known.model_copy(update={"steps": tuple(bound(text, s) for s in known.steps)})
            self._known = known
        for mark in text.marks:
            if mark.kind == "operator" and _IN_PLACE.search(text.text[: mark.begin]):
                raise Unclear("several_statements", said=text.text[mark.begin : mark.end])
        self._take_product()
        self._take_operators()
        join_formulas(text)
        self._ask_of_statistics()
        take_both(text)
        drop_tensor_names(text)
        drop_repeated(text)
        self._take_switches()
        candidates = [m for m in text.marks if m.kind == "operator"]
        entries = self._entries(candidates)
        chained = take_chain_weights(text)
        weights = take_own_weights(text, entries, known)
        sizes.take_counts(text)
        sizes.take_dtypes(text)
        casts = any(e.name == "cast" for e in entries)
        variables = {v for m in text.marks if isinstance(m.value, ChainStep) for v in m.value.variables}
        goes_on = known.dtypes if known.steps and not candidates else ()
        types = (None, None) if casts else tensors.take_types(text, entries, variables, goes_on)
        if (
            types[1] is None
            and _compares(candidates)
            and text.take(re.compile(words()["as numbers"]), "filler")
        ):
            told = [m.value for m in text.sorted() if m.kind == "dtype"]
            types = (types[0], next(iter((*told, *known.dtypes)), DType.FLOAT32))
        for mark in candidates:
            if isinstance(mark.value, str) and not stays(text, mark):
                text.unmark(mark)
        attributes.take_reduction(text, entries)
        windows = any(e.category in ("convolution", "pooling") for e in entries)
        if not any(m.value == "pad" for m in candidates) or not any(
            m.kind == "attribute" for m in text.marks
        ):
            take_pads(text, known, windows)
        attributes.take_dims(text, candidates)
        self._take_permutation(candidates)
        self._take_lengths()
        sizes.take_long_shapes(text)
        take_flags(text)
        if any("out_channels" in parameters_of(e) or "out_features" in parameters_of(e) for e in entries):
            take_arrow(text)
        self._keep_operators(candidates, entries)
        take_attributes(text, entries)
        attributes.take_kernel(text, candidates)
        put_own_weights(text, weights)
        put_chain_weights(text, chained)
        attributes.take_range(text, candidates)
        attributes.take_argument(text, candidates)
        roles = sizes.roles_of(entries)
        sized = sizes.take_sizes(text, roles) | letters
        self._take_axes(sized, entries)
        self._take_operators()
        take_joints(text, known, self._entries(text.marks))
        sizes.take_shapes(text)
        tensors.take_operands(text)
        tensors.take_names(text)
        text.take(phrase("no"), "no")
        for name in ("not", "but"):
            text.take(phrase(name), name)
        for name in ("fused", "then", "after", "or", "also"):
            text.take(phrase(name), name)
        text.take(phrase("and"), "and")
        take_last_numbers(text)
        found = assemble(text, known, wishes, sized, types)
        return found.model_copy(update={"axes": self._layout}) if found.shapes else found

    def unread(self) -> list[str]:
        """Return the words that were neither used nor say nothing."""
        steps = (m.value for m in self.text.marks if isinstance(m.value, ChainStep))
        for variable in {v for step in steps for v in step.variables}:
            self.text.take(re.compile(rf"(?<![a-z0-9_]){variable}(?![a-z0-9_])"), "filler")
        take_layout_words(self.text, self._layout)
        for pattern in _fillers():
            self.text.take(pattern, "filler")
        formulas = [
            m for m in self.text.marks if isinstance(m.value, ChainStep) and m.value.formula is not None
        ]
        for name in words()["random"] if formulas else ():
            for match in re.finditer(rf"(?<![a-z0-9_]){re.escape(name)}(?![a-z0-9_])", self.text.text):
                if match.end() <= formulas[0].begin:
                    self.text.mark(*match.span(), "filler")  # "dropout: x * mask / 0.9" has what was drawn
        if self.text.left():
            take_returns(self.text, self._known)
            take_remarks(self.text)
        return [word for word in self.text.left() if not misspelt_filler(word)]

    def _take_operators(self) -> None:
        for named in find_operators(self.text.rest):
            if named.operator == "mode" and _MANNER.search(self.text.text[: named.begin]):
                continue  # "strict mode", "in turbo mode"
            self.text.mark(named.begin, named.end, "operator", _meant(named.operator, self.text.text))

    def _ask_of_statistics(self) -> None:
        """Ask whose statistics a batch norm takes where training is spoken of: it would be built with running ones."""
        named = any(isinstance(m.value, str) and m.value.startswith("batch_norm") for m in self.text.marks)
        if named and _TRAINS.search(self.text.text):
            raise Unclear("which_one", names=["batch_norm (running mean and variance)", "those of the batch"])

    def _take_switches(self) -> None:
        """Mark "sorted please" of a known top-k, or of one in the same text, as its switch, not as another operator."""
        steps = [s for s in self._known.steps if s.formula is None]
        named = [m for m in self.text.marks if m.kind == "operator" and isinstance(m.value, str)]
        for mark in named:
            spelt = self.text.text[mark.begin : mark.end]
            beside = [
                e for m in named if m.value != mark.value and (e := operator_named(m.value)) is not None
            ]
            switches = [p for e in beside if (p := parameters_of(e).get(spelt)) is not None]
            if switches and switches[0].kind == "bool" and switches[0].default == "True":
                self.text.unmark(mark)
                told = _TOLD.match(self.text.text, mark.end)
                if told is None or told["on"]:
                    self.text.mark(mark.begin, told.end() if told is not None else mark.end, "filler")
                continue
            switch = parameters_of(entry_of(steps[-1])).get(spelt) if steps else None
            if switch is not None and switch.kind == "bool":
                self.text.unmark(mark)
                self.text.mark(mark.begin, mark.end, "attribute", attributes.AttributeValues({spelt: True}))

    def _take_axes(self, sized: dict[str, int], entries: list[OperatorEntry]) -> None:
        """Mark axes, by their names where it is known which tensor's axes they name."""
        if not self._layout and rank_of(self.text) is None and not self._known.shapes:
            self._layout = layout_by_sizes(sized)
        self._take_named_axes()
        if any(e.category == "reduction" for e in entries) and not any(e.category == "loss" for e in entries):
            take_each(self.text, self._rank())
        sizes.take_axes(self.text)

    def _take_named_axes(self, *, letters: bool = False) -> None:
        layout = self._layout or layout_by_shape(self.text)
        take_named_axes(self.text, layout, self._rank(), letters=letters)

    def _rank(self) -> int | None:
        """Return the rank of the first tensor, as far as it is told."""
        return rank_of(self.text) or (len(self._known.shapes[0][0]) if self._known.shapes else None)

    def _take_product(self) -> None:
        """Mark what stands between two shapes in a product: "64x32 times 32x16"."""
        text = self.text
        for match in text.matches(_PRODUCT):
            text.mark(match.start("times"), match.end("times"), "product")
        if any(m.kind == "product" for m in text.marks) and not find_operators(text.rest):
            product = next(m for m in text.marks if m.kind == "product")
            shapes = _PRODUCT.search(text.text)
            if (
                shapes is not None
                and shapes["left"].replace(" ", "") == shapes["right"].replace(" ", "")
                and "@" not in shapes[0]
            ):
                raise Unclear("product")
            text.unmark(product)
            text.mark(product.begin, product.end, "operator", ChainStep(operator="matmul"))

    def _take_lengths(self) -> None:
        """Mark "b 64" as the shape of a tensor that code takes beside others."""
        arguments = (self._known.source.arguments if self._known.source else None) or ()
        for name in arguments if len(arguments) > 1 else ():
            said = re.compile(
                rf"(?<![a-z0-9_.]){re.escape(name.lower())} ?(?:is |of |has |length |long |[:=]|长度?|为|是)* ?"
                r"(?P<size>\d+k?)(?![a-z0-9_.]| ?[x*,] ?\d| by \d)"
            )
            for match in self.text.matches(said):
                begin, end = match.span("size")
                self.text.mark(match.start(), begin, "filler")
                self.text.mark(begin, end, "shape", ((sizes.number(match["size"]),),))
                break

    def _take_permutation(self, candidates: list[marks.Mark]) -> None:
        """Take "permute 2x16x8 to 2x8x16" for the axes that make it so. Raises Unclear if sizes are equal or differ."""
        for mark in candidates:
            if mark.value not in ("permute", "transpose"):
                continue
            match = _TO_SHAPE.search(self.text.rest)
            if match is None:
                return
            given, wanted = (tuple(map(sizes.number, re.findall(r"\d+k?", match[k]))) for k in (1, 3))
            if sorted(given) != sorted(wanted) or len({*given}) < len(given):
                raise Unclear("permutation", given=list(given))
            dims = tuple(given.index(size) for size in wanted)
            permuted = ChainStep(operator="permute", attributes={"dims": dims})
            self.text.mark(match.start("to"), match.end(), "filler")
            self.text.mark(mark.begin, mark.end, "operator", permuted)
            sizes.take_axes(self.text)
            again = [m for m in candidates if m is not mark and m.value in ("permute", "transpose")]
            for named in again:
                if (axes := _AXES.match(self.text.rest, named.end)) is not None:
                    moved = tuple(map(int, re.findall(r"-?\d+", axes[0])))
                    self.text.mark(*axes.span(), "axis", moved)
            told = [m for m in self.text.sorted() if m.kind == "axis"]
            single = tuple(m.value for m in told)
            values = [single] if all(isinstance(v, int) for v in single) and single else single
            if not all(_permutes(v, dims) for v in values):
                raise Unclear("permutation", given=list(given))
            again = [
                m for m in again if any(_BESIDE.fullmatch(self.text.text[m.end : a.begin]) for a in told)
            ]
            for said in (*told, *again):  # the shapes say which: "(swap dims 1 and 2)"
                if said in self.text.marks:
                    self.text.unmark(said)
                self.text.mark(said.begin, said.end, "filler")
            for named in again:
                candidates.remove(named)
            candidates.remove(mark)
            return

    def _entries(self, candidates: list[marks.Mark]) -> list[OperatorEntry]:
        """Return the operators that words may be about: those named, and those known where none is named."""
        found = [operator_named(m.value) for m in candidates if isinstance(m.value, str)]
        entries = [e for e in found if e is not None]
        named = {e.name for e in entries} | {s.operator for s in self._known.steps}
        entries += [e for n in named if (e := operator_named(f"{n}_with_temperature")) is not None]
        return [*entries, *(entry_of(s) for s in self._known.steps if s.formula is None)]

    def _keep_operators(self, candidates: list[marks.Mark], entries: list[OperatorEntry]) -> None:
        """Keep operators whose names no attribute of another one could take."""
        for mark in candidates:
            if not isinstance(mark.value, str):
                continue
            others = [e for e in entries if e.name != mark.value]
            names = {
                a for e in others for n in parameters_of(e) for a in (n, *words()["attributes"].get(n, ()))
            }
            choices = {c for e in others for n in parameters_of(e) for c in words()["choices"].get(n, ())}
            if _TAKEN in self.text.rest[mark.begin : mark.end]:
                continue
            spelt = self.text.text[mark.begin : mark.end]
            longer = any(len(a) > len(spelt) and self.text.text.startswith(a, mark.begin) for a in names)
            if (
                not longer
                and spelt not in names | choices
                and spelt not in ("all", "any", "max", "min", "where", "square", "mode")
            ):
                self.text.mark(*mark)


def _permutes(said: object, dims: tuple[int, ...]) -> bool:
    """Say whether axes that words tell make the same permutation: two that change places, or all in their new order."""
    if said == "last 2":
        said = (-2, -1)
    if not isinstance(said, tuple):
        return False
    axes = tuple(a % len(dims) for a in said if isinstance(a, int))
    moved = {i for i, d in enumerate(dims) if i != d}
    return axes == dims or (len(axes) == len(moved) == len((0, 1)) and {*axes} == moved)


def _compares(named: list[marks.Mark]) -> bool:
    """Say whether an operator compares, so that its result may be wanted as numbers."""
    for mark in named:
        if isinstance(mark.value, ChainStep) and re.search(r"[<>]|[=!]=", mark.value.formula or ""):
            return True
        entry = operator_named(mark.value) if isinstance(mark.value, str) else None
        if entry is not None and entry.category == "comparison":
            return True
    return False


def _meant(name: str, text: str) -> str:
    """Return the operator that a name stands for beside other words: SGD with "momentum" is another one than SGD."""
    for pattern, other in words()["variants"].get(name, ()):
        if isinstance(other, str) and re.search(pattern, text):
            return other
    return name


def _with_values(text: str) -> bool:
    """Say whether "both" are an operator's own two results."""
    return (
        re.search(r"(?<![a-z])(?:indices|index|positions|moments?|momentum)(?![a-z])|下标|索引|动量", text)
        is not None
    )


@cache
def _fillers() -> tuple[re.Pattern[str], re.Pattern[str]]:
    said = words()
    latin = sorted(said["filler"], key=len, reverse=True)
    chinese = sorted(said["filler_zh"], key=len, reverse=True)
    return (
        re.compile(rf"(?<![a-z0-9_])(?:{'|'.join(map(re.escape, latin))})(?![a-z0-9_])"),
        re.compile("|".join(map(re.escape, chinese))),
    )
